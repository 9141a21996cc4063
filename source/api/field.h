/* Grids, fields and operators inside the library. */
#ifndef HYMGI_API_FIELD_H
#define HYMGI_API_FIELD_H

#include "multigrid/backend.h"

struct hymg_grid {
  hymg_context *context;
  hymg_grid_desc desc; /* boxes as chosen */
  unsigned periodic;
  hymgi_decomp *decomp;
  int num_boxes;
  hymgi_geom *box; /* plain rows without ghosts */
  int (*cover)[6];
};

struct hymg_field {
  hymg_grid *grid;
  unsigned solver; /* id of the one whose layout it has, which may be gone; 0: none */
  hymg_centering centering;
  int level;
  double *data;
  hymgi_level
      view; /* boxes, context, communicator and backend: what vector level operations need */
};

struct hymg_operator {
  hymg_grid *grid;
  hymg_operator_desc desc;
};

/* "x-", ...; "cells", "x faces", "x- boundary", ..., or "unknown". */
const char *hymgi_face_name(int face);
const char *hymgi_centering_name(hymg_centering centering);
/* The extent of what a field of this centering holds, over the whole grid. */
void hymgi_field_extent(const hymg_field *field, int extent[3]);
/* Copies the entries of every box (same grid, level and centering; layouts, machines and memories
 * may differ). from and to are levels or the views of fields. Done, where two machines meet, when
 * it returns. */
hymg_status hymgi_vector_convert(const hymgi_level *from, const double *src, const hymgi_level *to,
                                 double *dst);
hymg_status hymgi_field_load(const hymg_field *field, const hymgi_level *level, double *vector);
bool hymgi_same_layout(int num_boxes, const hymgi_geom *a, const hymgi_geom *b);

#endif
