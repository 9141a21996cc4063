/* Images in shades of grey: PGM always, PNG with libpng (image_png.c, else image_png_absent.c). */
#ifndef STENCIL_IMAGE_H
#define STENCIL_IMAGE_H

#include <stdbool.h>

/* NULL, or why this name cannot be written to: no ending .png or .pgm, or no libpng. or_table: the
 * caller takes .csv as well. */
const char *image_refuses(const char *name, bool or_table);
/* Values of [-scale, scale] from black to white. NULL, or what went wrong. */
const char *image_write(const char *name, int wide, int high, const double *values, double scale);

/* The missing package by name, or NULL. */
const char *image_png_missing(void);
const char *image_png_write(const char *name, int wide, int high, const unsigned char *grey);

#endif
