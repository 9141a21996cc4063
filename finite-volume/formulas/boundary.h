/* Homogeneous ghost extrapolations: ghost g = sum of c_m x_m over the first interior cells x_1, x_2,
 * ... off the boundary. Tensor products give edges and corners: axis x first, then y, then z. */
#ifndef HYMGI_FORMULAS_BOUNDARY_H
#define HYMGI_FORMULAS_BOUNDARY_H

#include "formulas/fma.h"

/* Terms of a extrapolation. */
typedef enum hymgi_extrapolation {
  HYMGI_MIRROR_GHOST = 1,
  HYMGI_LINEAR_GHOST = -1,
  HYMGI_QUADRATIC_GHOST = 2,
  HYMGI_QUARTIC_GHOST = 4
} hymgi_extrapolation;

/* MIRROR (Neumann): g = x1; V1: g = -x1; V2: the quadratic whose mean over the boundary face is zero */
HYMGI_INLINE double hymgi_ghost_v2(double x1, double x2)
{
  return hymgi_fma(-2.5, x1, 0.5 * x2);
}

/* V4: the quartic ones, first and second ghost layer */
HYMGI_INLINE double hymgi_ghost_v4(double x1, double x2, double x3, double x4)
{
  return hymgi_fma(-77., x1, hymgi_fma(43., x2, hymgi_fma(-17., x3, 3. * x4))) * (1. / 12);
}
HYMGI_INLINE double hymgi_ghost2_v4(double x1, double x2, double x3, double x4)
{
  return hymgi_fma(-505., x1, hymgi_fma(335., x2, hymgi_fma(-145., x3, 27. * x4))) * (1. / 12);
}

#endif
