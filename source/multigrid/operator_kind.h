/* The operator of a level: a row for each kind (operator_kind.c), which a level has since its shape was known. What set-up,
 * kernels and operations do differently for different operators, they ask here. */
#ifndef HYMGI_MULTIGRID_OPERATOR_KIND_H
#define HYMGI_MULTIGRID_OPERATOR_KIND_H

#include "distribution/plan.h"

typedef struct hymgi_operator_kind {
  /* the kernels that run it: FV2 for 7 points, where cells of one colour are not coupled and betas include the
   * boundaries, or FV4 for 25, which read ghosts beyond boundaries */
  hymg_stencil stencil;
  int order;           /* of boundary data and of the F-cycle's interpolation */
  int ghost;           /* layers */
  hymgi_halo halo;     /* of x, that it reads */
  double scale;        /* the betas of a level are stored over this */
  double row_sum;      /* of a row's coefficients over its stored betas, an upper bound */
  bool keeps_diagonal; /* 1/diagonal is a vector; else it is computed from the betas */
  bool linear;         /* at Dirichlet boundaries: as a line; FV2 else by a parabola */
  double stiffer;      /* conductances of these are 1 + stiffer times the formula's */
  /* Robust path: what its cycles are made for, where that is another operator; else NULL. With a parabola only if
   * there is such a boundary */
  const struct hymgi_operator_kind *preconditioner;
} hymgi_operator_kind;

const hymgi_operator_kind *hymgi_operator_kind_of(hymg_stencil stencil, bool linear);

#endif
