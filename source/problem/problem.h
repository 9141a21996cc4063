/* What a hierarchy is built from: grids, fields, operators and options. */
#ifndef HYMGI_PROBLEM_PROBLEM_H
#define HYMGI_PROBLEM_PROBLEM_H

#include "multigrid/backend.h"

struct hymg_grid {
  hymg_context *context;
  unsigned id;         /* > 0, unique within the context, the same on every rank */
  hymg_grid_desc desc; /* boxes as chosen */
  unsigned periodic;
  hymgi_decomp *decomp;
  int num_boxes;
  hymgi_geom *box; /* plain rows without ghosts */
  int (*cover)[6];
  double *widths[3]; /* or NULL */
};

/* The user's array: entry (i, j, k), in global indices and counted from brick.from, is data[i
 * stride[0] + j stride[1] + k stride[2]]. */
typedef struct hymgi_user_array {
  hymg_space space;
  hymgi_user_brick brick;
  double *data;
} hymgi_user_array;

struct hymg_field {
  hymg_grid *grid;
  /* id of the solver whose layout it has (which may be destroyed already); 0: none */
  unsigned solver;
  hymg_centering centering;
  int level;
  double *data;
  hymgi_user_array
      array; /* array.data NULL unless the field was made by hymg_field_wrap: then `data`
                           * is NULL but between hymgi_field_open and hymgi_field_close */
  unsigned used_as_f, used_as_u; /* id of the solver whose hymg_solver_cycle has checked it */
  hymgi_level
      view; /* boxes, context, communicator and backend: what level operations on vectors need */
};

struct hymg_operator {
  hymg_grid *grid;
  hymg_operator_desc desc;
};

/* "x-", ...; "cells", "x faces", "x- wall", ...; "unknown" if out of range. */
const char *hymgi_face_name(int face);
const char *hymgi_centering_name(hymg_centering centering);

/* Does a boundary have data other than 0? Are numbers of Robin conditions fields on any face? */
bool hymgi_has_data(const hymg_operator_desc *desc, int face);
bool hymgi_has_robin_fields(const hymg_operator_desc *desc);

/* What must be the same on every rank of a grid, an operator and (resolved) options. */
void hymgi_grid_arguments(hymgi_arguments *a, const hymg_grid_desc *desc);
void hymgi_operator_arguments(hymgi_arguments *a, const hymg_operator_desc *desc);
void hymgi_options_arguments(hymgi_arguments *a, const hymg_options *options);

/* resolve: the options with the default cycle replaced by the actual one. check: validation. */
hymg_options hymgi_options_resolve(const hymg_options *options);
hymg_status hymgi_options_check(hymg_context *context, hymg_stencil stencil,
                                const hymg_options *options);

#endif
