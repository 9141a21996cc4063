/* Without libpng: images are PGM. */
#include "common/kit/absent.h"
#include "stencils/studies/image.h"

ABSENT(const char *image_png_missing(void),
       return "this build is without libpng (libpng-dev or libpng-devel): name a .pgm")
ABSENT(bool image_png_write(FILE *file, int wide, int high, const unsigned char *grey),
       return false)
