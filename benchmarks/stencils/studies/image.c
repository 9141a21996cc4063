/* Values as grey levels; PGM. */
#include "stencils/studies/image.h"

#include "common/kit/rows.h"

#include <stdlib.h>
#include <string.h>

bool image_ends_in(const char *name, const char *ending)
{
  const size_t n = strlen(name), e = strlen(ending);
  return n >= e && strcmp(name + n - e, ending) == 0;
}

const char *image_refuses(const char *name, bool or_table)
{
  if (image_ends_in(name, ".pgm")) return NULL;
  if (image_ends_in(name, ".png")) return image_png_missing();
  return or_table ? "the name ends in .csv, or as that of an image in .png or .pgm"
                  : "the name of an image ends in .png or .pgm";
}

static bool write_pgm(FILE *file, int wide, int high, const unsigned char *grey)
{
  const size_t bytes = (size_t)wide * (size_t)high;
  return fprintf(file, "P5\n%d %d\n255\n", wide, high) > 0 && fwrite(grey, 1, bytes, file) == bytes;
}

const char *image_write(const char *name, int wide, int high, const double *values, double scale)
{
  output out;
  const size_t bytes = (size_t)wide * (size_t)high;
  unsigned char *grey = malloc(bytes);
  const char *why = grey ? output_open(&out, name) : "no memory";
  for (size_t i = 0; i < bytes && !why; i++) {
    const double v = scale > 0 ? values[i] / scale : 0;
    grey[i] = (unsigned char)(v < -1 ? 0 : v > 1 ? 255 : 127.5 + 127.5 * v);
  }
  const bool pgm = image_ends_in(name, ".pgm");
  if (!why && !output_close(&out, pgm ? write_pgm(out.file, wide, high, grey)
                                      : image_png_write(out.file, wide, high, grey)))
    why = "could not be written";
  free(grey);
  return why;
}
