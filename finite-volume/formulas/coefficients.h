/* Formulas that finish a level's coefficients, for every machine: FV2's closures as weights of wall
 * betas, FV4's betas beyond walls, its closures as weights of cells, the scaling of l1jacobi. */
#ifndef HYMGI_FINISH_COEFFICIENTS_H
#define HYMGI_FINISH_COEFFICIENTS_H

#include "formulas/boundary.h"

/* 1 - c0 of the ghost value c0 x1 + c1 x2 */
HYMGI_INLINE double hymgi_fv2_wall_weight(hymgi_wall wall)
{
  return wall == HYMGI_WALL_V2 ? 3.5 : wall == HYMGI_WALL_V1 ? 2 : 0;
}

/* c1 / (1 - c0) */
HYMGI_INLINE double hymgi_fv2_wall_ghost(hymgi_wall wall)
{
  return wall == HYMGI_WALL_V2 ? 1. / 7 : 0;
}

/* FV4's beta one layer beyond a wall of another axis, from the first five inwards (as many as dim,
 * the rest is not looked at), by the polynomial that the closure dimension allows. */
HYMGI_INLINE double hymgi_beta_beyond(int dim, const double b[5])
{
  if (dim >= 5) return 5 * b[0] - 10 * b[1] + 10 * b[2] - 5 * b[3] + b[4];
  if (dim == 4) return 4 * b[0] - 6 * b[1] + 4 * b[2] - b[3];
  return dim >= 2 ? 2 * b[0] - b[1] : b[0];
}

/* The first four cells off a wall in ghost layer 1 or 2: the formulas of boundary.h as weights. */
HYMGI_INLINE void hymgi_ghost_weights(hymgi_wall wall, int layer, double w[4])
{
  w[0] = w[1] = w[2] = w[3] = 0;
  if (wall == HYMGI_WALL_V4 && layer == 1)
    w[0] = -77. / 12, w[1] = 43. / 12, w[2] = -17. / 12, w[3] = 3. / 12;
  else if (wall == HYMGI_WALL_V4)
    w[0] = -505. / 12, w[1] = 335. / 12, w[2] = -145. / 12, w[3] = 27. / 12;
  else if (layer == 1 && wall == HYMGI_WALL_V2)
    w[0] = -2.5, w[1] = 0.5;
  else if (layer == 1)
    w[0] = wall == HYMGI_WALL_V1 ? -1 : 1;
}

/* From the diagonal and the sum of the other coefficients' absolute values. */
HYMGI_INLINE double hymgi_l1_scale(double diagonal, double others)
{
  return 1 / (diagonal >= 1.5 * others ? diagonal : diagonal + 0.5 * others);
}

#endif
