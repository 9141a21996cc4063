/* Greyscale images: PGM always, PNG with libpng (image_png.c, otherwise image_png_absent.c). */
#ifndef STENCIL_IMAGE_H
#define STENCIL_IMAGE_H

#include <stdbool.h>
#include <stdio.h>

bool image_ends_in(const char *name, const char *ending);
/* NULL, or why this file name is not accepted: it does not end in .png or .pgm, or there is no
 * libpng. or_table: .csv is allowed as well. */
const char *image_refuses(const char *name, bool or_table);
/* Maps values in [-scale, scale] to black ... white; written as rows.h says. NULL, or what went wrong. */
const char *image_write(const char *name, int wide, int high, const double *values, double scale);

/* Name of the missing package, or NULL. */
const char *image_png_missing(void);
bool image_png_write(FILE *file, int wide, int high, const unsigned char *grey);

#endif
