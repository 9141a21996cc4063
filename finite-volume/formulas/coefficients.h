/* Formulas for a level's coefficients, shared by CPU and GPU: FV4's beta ghosts, the weights of
 * extrapolations, the scaling of l1jacobi. */
#ifndef HYMGI_FORMULAS_COEFFICIENTS_H
#define HYMGI_FORMULAS_COEFFICIENTS_H

#include <stdbool.h>

#include "formulas/boundary.h"
#include "multigrid/backend.h"

/* FV4's beta one layer beyond a boundary of another axis, extrapolated from b[0], b[1], ... inwards
 * by the polynomial that dim cells allow (further ones are not read). */
HYMGI_INLINE double hymgi_beta_beyond(int dim, const double b[5])
{
  if (dim >= 5) return 5 * b[0] - 10 * b[1] + 10 * b[2] - 5 * b[3] + b[4];
  if (dim == 4) return 4 * b[0] - 6 * b[1] + 4 * b[2] - b[3];
  return dim >= 2 ? 2 * b[0] - b[1] : b[0];
}

/* The extrapolations of boundary.h as weights of the four cells next to the boundary, for ghost
 * layer 1 or 2. */
HYMGI_INLINE void hymgi_ghost_weights(hymgi_extrapolation ghost_kind, int layer, double w[4])
{
  w[0] = w[1] = w[2] = w[3] = 0;
  if (ghost_kind == HYMGI_NEUMANN_GHOST) {
    for (int m = 0; m < 4; m++)
      w[m] = (double)hymgi_neumann_ghost(layer, m == 0, m == 1, m == 2, m == 3);
  } else if (ghost_kind == HYMGI_QUARTIC_GHOST) {
    hymgi_real twelfths[4];
    hymgi_quartic_weights(layer, twelfths);
    for (int m = 0; m < 4; m++)
      w[m] = (double)twelfths[m] / 12;
  } else if (layer == 1 && ghost_kind == HYMGI_QUADRATIC_GHOST) {
    w[0] = (double)hymgi_ghost_v2(1, 0), w[1] = (double)hymgi_ghost_v2(0, 1);
  } else if (layer == 1) {
    w[0] = ghost_kind == HYMGI_LINEAR_GHOST ? -1 : 1;
  }
}

HYMGI_INLINE bool hymgi_is_valid(hymgi_valid valid, double value)
{
  if (valid == HYMGI_VALID_GIVEN) return !isinf(value);
  return isfinite(value) && (valid == HYMGI_VALID_POSITIVE ? value > 0 : value >= 0);
}

/* From the diagonal and the sum of the absolute values of the other coefficients. */
HYMGI_INLINE double hymgi_l1_scale(double diagonal, double others)
{
  return 1 / (diagonal >= 1.5 * others ? diagonal : diagonal + 0.5 * others);
}

#endif
