/* The structures of grids, fields and operators, from which a hierarchy is built. */
#ifndef HYMGI_HIERARCHY_PROBLEM_H
#define HYMGI_HIERARCHY_PROBLEM_H

#include "multigrid/backend.h"

struct hymg_grid {
  hymg_context *context;
  hymg_grid_desc desc; /* boxes as chosen */
  unsigned periodic;
  hymgi_decomp *decomp;
  int num_boxes;
  hymgi_geom *box; /* plain rows without ghosts */
  int (*cover)[6];
  double *widths[3]; /* or NULL */
};

struct hymg_field {
  hymg_grid *grid;
  /* id of the solver whose layout it has (which may be destroyed already); 0: none */
  unsigned solver;
  hymg_centering centering;
  int level;
  double *data;
  hymgi_level
      view; /* boxes, context, communicator and backend: what level operations on vectors need */
};

struct hymg_operator {
  hymg_grid *grid;
  hymg_operator_desc desc;
};

#endif
