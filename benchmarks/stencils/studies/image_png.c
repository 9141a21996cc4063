/* PNG through libpng's simple interface. */
#include "stencils/studies/image.h"

#include <png.h>
#include <string.h>

const char *image_png_missing(void)
{
  return NULL;
}

bool image_png_write(FILE *file, int wide, int high, const unsigned char *grey)
{
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = (png_uint_32)wide;
  image.height = (png_uint_32)high;
  image.format = PNG_FORMAT_GRAY;
  return png_image_write_to_stdio(&image, file, 0, grey, 0, NULL) != 0;
}
