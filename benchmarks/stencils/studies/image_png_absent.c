/* Without libpng: images are PGM. */
#include "stencils/studies/image.h"

const char *image_png_missing(void)
{
  return "this build is without libpng (libpng-dev or libpng-devel): name a .pgm";
}

bool image_png_write(FILE *file, int wide, int high, const unsigned char *grey)
{
  (void)file, (void)wide, (void)high, (void)grey;
  return false;
}
