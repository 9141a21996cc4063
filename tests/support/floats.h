/* Problems whose fields are of floats, beside the same ones of doubles with the same values: every result must have the
 * same bits, and every float must be the rounding of the double. */
#ifndef SUPPORT_FLOATS_H
#define SUPPORT_FLOATS_H

#include "support/support.h"

/* A field of floats: its own or over an array with ghost layers, gaps and axes in some order, in which what is no entry is
 * NaN. */
typedef struct floats_field {
  hymg_field *field;
  hymg_centering centering;
  hymg_space space;
  int low[3], n[3];
  ptrdiff_t stride[3], first;
  size_t size;
  float *data, *device; /* the array, or the copy of one on the device; NULL: the field's own */
} floats_field;

/* How arrays on a GPU are made, filled and read; NULL: there are none. */
typedef struct floats_device {
  float *(*alloc)(size_t count);
  void (*free)(float *data);
  void (*copy)(float *to, const float *from, size_t count);
} floats_device;

/* Where fields are: number m of a problem is made by way (variant + m) % FLOATS_WAYS. */
enum { FLOATS_WAYS = 8 };
typedef struct floats_where {
  support_layout layout;
  const floats_device *device;
  int variant;
  bool host; /* the solver, whatever support_backend is */
} floats_where;

floats_field floats_make(support_kit *k, const floats_where *where, hymg_centering centering,
                         int m);
/* Fails if what is no entry has changed. */
void floats_free(const floats_where *where, floats_field *f);
/* All entries, x fastest; from the array itself if there is one. NaN: of other ranks. The caller frees. */
double *floats_values(support_kit *k, const floats_where *where, const floats_field *f);
size_t floats_count(const floats_field *f);

/* Problem number m, and all calls with its fields. */
enum { FLOATS_CASES = 10 };
void floats_check_solves(const floats_where *where, int m);
void floats_check_operations(const floats_where *where, int m);

#endif
