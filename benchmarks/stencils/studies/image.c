/* Values as grey levels; PGM. */
#include "stencils/studies/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *name, const char *ending)
{
  const size_t n = strlen(name), e = strlen(ending);
  return n >= e && strcmp(name + n - e, ending) == 0;
}

const char *image_refuses(const char *name, bool or_table)
{
  if (ends_in(name, ".pgm")) return NULL;
  if (ends_in(name, ".png")) return image_png_missing();
  return or_table ? "the name ends in .csv, or as that of an image in .png or .pgm"
                  : "the name of an image ends in .png or .pgm";
}

static const char *write_pgm(const char *name, int wide, int high, const unsigned char *grey)
{
  FILE *file = fopen(name, "wb");
  if (!file) return strerror(errno);
  const size_t bytes = (size_t)wide * (size_t)high;
  bool ok = fprintf(file, "P5\n%d %d\n255\n", wide, high) > 0;
  ok = fwrite(grey, 1, bytes, file) == bytes && ok;
  return fclose(file) == 0 && ok ? NULL : "could not be written";
}

const char *image_write(const char *name, int wide, int high, const double *values, double scale)
{
  const size_t bytes = (size_t)wide * (size_t)high;
  unsigned char *grey = malloc(bytes);
  if (!grey) return "no memory";
  for (size_t i = 0; i < bytes; i++) {
    const double v = scale > 0 ? values[i] / scale : 0;
    grey[i] = (unsigned char)(v < -1 ? 0 : v > 1 ? 255 : 127.5 + 127.5 * v);
  }
  const char *why = ends_in(name, ".pgm") ? write_pgm(name, wide, high, grey)
                                          : image_png_write(name, wide, high, grey);
  free(grey);
  return why;
}
