/* Formulas that finish a level's coefficients, for every machine: FV2's extrapolations as weights of boundary
 * betas, FV4's betas beyond boundaries, its extrapolations as weights of cells, the scaling of l1jacobi. */
#ifndef HYMGI_FORMULAS_COEFFICIENTS_H
#define HYMGI_FORMULAS_COEFFICIENTS_H

#include "formulas/boundary.h"

/* 1 - c0 of the ghost value c0 x1 + c1 x2 */
HYMGI_INLINE double hymgi_fv2_boundary_weight(hymgi_extrapolation ghost_kind)
{
  return ghost_kind == HYMGI_QUADRATIC_GHOST ? 3.5 : ghost_kind == HYMGI_LINEAR_GHOST ? 2 : 0;
}

/* c1 / (1 - c0) */
HYMGI_INLINE double hymgi_fv2_boundary_ghost(hymgi_extrapolation ghost_kind)
{
  return ghost_kind == HYMGI_QUADRATIC_GHOST ? 1. / 7 : 0;
}

/* FV4's beta one layer beyond a boundary of another axis, from the first five inwards (as many as dim,
 * the rest is not looked at), by the polynomial that the extrapolation dimension allows. */
HYMGI_INLINE double hymgi_beta_beyond(int dim, const double b[5])
{
  if (dim >= 5) return 5 * b[0] - 10 * b[1] + 10 * b[2] - 5 * b[3] + b[4];
  if (dim == 4) return 4 * b[0] - 6 * b[1] + 4 * b[2] - b[3];
  return dim >= 2 ? 2 * b[0] - b[1] : b[0];
}

/* The first four cells off a boundary in ghost layer 1 or 2: the formulas of boundary.h as weights. */
HYMGI_INLINE void hymgi_ghost_weights(hymgi_extrapolation ghost_kind, int layer, double w[4])
{
  w[0] = w[1] = w[2] = w[3] = 0;
  if (ghost_kind == HYMGI_QUARTIC_GHOST) {
    hymgi_quartic_weights(layer, w);
    for (int m = 0; m < 4; m++)
      w[m] /= 12;
  } else if (layer == 1 && ghost_kind == HYMGI_QUADRATIC_GHOST) {
    w[0] = -2.5, w[1] = 0.5;
  } else if (layer == 1) {
    w[0] = ghost_kind == HYMGI_LINEAR_GHOST ? -1 : 1;
  }
}

/* From the diagonal and the sum of the other coefficients' absolute values. */
HYMGI_INLINE double hymgi_l1_scale(double diagonal, double others)
{
  return 1 / (diagonal >= 1.5 * others ? diagonal : diagonal + 0.5 * others);
}

#endif
