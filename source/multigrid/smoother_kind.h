/* What a smoother that updates all cells at once is: a row. */
#ifndef HYMGI_MULTIGRID_SMOOTHER_KIND_H
#define HYMGI_MULTIGRID_SMOOTHER_KIND_H

#include <stdbool.h>

#include "hymg.h"

enum { HYMGI_DEGREE = 6 }; /* of polynomials: sweeps after which weights repeat */

typedef struct hymgi_smoother_kind {
  int multiple;  /* sweeps come in multiples of this */
  bool momentum; /* a sweep reads the iterate before the last one */
  /* Momentum and weight of the step of each sweep. bound: of the largest eigenvalue of the scaled operator */
  void (*weights)(double bound, double weights[2 * HYMGI_DEGREE]);
} hymgi_smoother_kind;

const hymgi_smoother_kind *hymgi_smoother_kind_of(hymg_smoother smoother);

#endif
