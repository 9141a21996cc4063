/* Saved fields: cases that write random values to a file, by any number of ranks, and a reader for the
 * part of VTK's XML formats that hymg_fields_save writes. */
#ifndef SUPPORT_SAVE_H
#define SUPPORT_SAVE_H

#include "support/support.h"

typedef struct save_case {
  const char *file;
  int n[3], boxes[3];
  const int *cuts[3];
  bool stretched, large;
  bool solver; /* "u" is made with a solver, on the GPU if the suite runs there */
  bool floats; /* "u" is of floats */
} save_case;

enum { SAVE_CASES = 10 };
extern const save_case save_cases[SAVE_CASES];

/* The values, as they must be in the file, of the fields "u" (0) and "f, right side" (1), x fastest, with NaN, infinity and -0 among
 * them; "f, right side" is a wrapped array whose last axis is fastest. The caller frees. */
double *save_values(const save_case *c, int field);
/* Widths of the cells along an axis, NULL if they are equal; the caller frees. spacing: else. */
double *save_widths(const save_case *c, int axis);
extern const double save_spacing[3];
size_t save_cells(const save_case *c);
/* Collective: makes grid and fields, and saves them to path. */
hymg_status save_write(hymg_context *context, const save_case *c, const char *path);

typedef struct saved_file {
  size_t size;
  char *bytes;
} saved_file;

/* The caller frees bytes. */
saved_file save_read(const char *path);
/* Copies the values of the array of that name; fails the test unless there are `count` of them, of that type. */
void save_array(const saved_file *file, const char *name, bool floats, size_t count,
                double *values);

#endif
