/* Without libpng: images are PGM. */
#include "stencils/studies/image.h"

const char *image_png_missing(void)
{
  return "this build is without libpng (libpng-dev or libpng-devel): name a .pgm";
}

const char *image_png_write(const char *name, int wide, int high, const unsigned char *grey)
{
  (void)name, (void)wide, (void)high, (void)grey;
  return image_png_missing();
}
