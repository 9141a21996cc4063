/* Homogeneous ghost extrapolation: ghost g = sum of c_m x_m over the interior cells x_1, x_2, ...
 * next to the boundary. Ghosts at edges and corners are tensor products. */
#ifndef HYMGI_FORMULAS_BOUNDARY_H
#define HYMGI_FORMULAS_BOUNDARY_H

#include <stddef.h>

#include "formulas/fma.h"

/* Kinds of extrapolation. */
typedef enum hymgi_extrapolation {
  HYMGI_MIRROR_GHOST = 1,
  HYMGI_LINEAR_GHOST = -1,
  HYMGI_QUADRATIC_GHOST = 2,
  HYMGI_NEUMANN_GHOST = 3, /* of 4th order */
  HYMGI_QUARTIC_GHOST = 4
} hymgi_extrapolation;

/* Mirror (Neumann): g = x1; linear: g = -x1; quadratic: zero mean over the boundary face. */
HYMGI_INLINE hymgi_real hymgi_ghost_v2(hymgi_real x1, hymgi_real x2)
{
  return hymgi_fma((hymgi_real)-2.5, x1, (hymgi_real)0.5 * x2);
}

/* Quartic: 12 times the weights in ghost layer 1 or 2. */
HYMGI_INLINE void hymgi_quartic_weights(int layer, hymgi_real w[4])
{
  w[0] = layer == 1 ? -77 : -505, w[1] = layer == 1 ? 43 : 335;
  w[2] = layer == 1 ? -17 : -145, w[3] = layer == 1 ? 3 : 27;
}

HYMGI_INLINE hymgi_real hymgi_quartic_ghost(int layer, hymgi_real x1, hymgi_real x2, hymgi_real x3,
                                            hymgi_real x4)
{
  hymgi_real w[4];
  hymgi_quartic_weights(layer, w);
  return hymgi_fma(w[0], x1, hymgi_fma(w[1], x2, hymgi_fma(w[2], x3, w[3] * x4))) *
         (hymgi_real)(1. / 12);
}
HYMGI_INLINE hymgi_real hymgi_ghost_v4(hymgi_real x1, hymgi_real x2, hymgi_real x3, hymgi_real x4)
{
  return hymgi_quartic_ghost(1, x1, x2, x3, x4);
}
HYMGI_INLINE hymgi_real hymgi_ghost2_v4(hymgi_real x1, hymgi_real x2, hymgi_real x3, hymgi_real x4)
{
  return hymgi_quartic_ghost(2, x1, x2, x3, x4);
}

/* Neumann, 4th order: the polynomial of degree 4 with the derivative given at the boundary and the means
 * x1 to x4. The same weights times 10 in layer 1 and times 2 in layer 2. */
HYMGI_INLINE hymgi_real hymgi_neumann_ghost(int layer, hymgi_real x1, hymgi_real x2, hymgi_real x3,
                                            hymgi_real x4)
{
  if (layer == 1)
    return hymgi_fma(5, x1, hymgi_fma(9, x2, hymgi_fma(-5, x3, x4))) * (hymgi_real)(1. / 10);
  return hymgi_fma(-15, x1, hymgi_fma(29, x2, hymgi_fma(-15, x3, 3 * x4))) * (hymgi_real)0.5;
}

/* Do both ghost layers come from four cells? */
HYMGI_INLINE int hymgi_is_wide(hymgi_extrapolation ghost_kind)
{
  return ghost_kind == HYMGI_QUARTIC_GHOST || ghost_kind == HYMGI_NEUMANN_GHOST;
}

HYMGI_INLINE hymgi_real hymgi_wide_ghost(hymgi_extrapolation ghost_kind, int layer, hymgi_real x1,
                                         hymgi_real x2, hymgi_real x3, hymgi_real x4)
{
  return ghost_kind == HYMGI_NEUMANN_GHOST ? hymgi_neumann_ghost(layer, x1, x2, x3, x4)
                                           : hymgi_quartic_ghost(layer, x1, x2, x3, x4);
}

/* The factor of the boundary data in a ghost layer of FV4: of the value, or of h times the derivative. */
HYMGI_INLINE double hymgi_wide_data_weight(hymgi_extrapolation ghost_kind, int layer)
{
  if (ghost_kind == HYMGI_NEUMANN_GHOST) return layer == 1 ? 1.2 : 6;
  if (ghost_kind == HYMGI_QUARTIC_GHOST) return layer == 1 ? 5 : 25;
  return layer == 1 ? 3 : 0;
}

/* Factor of the boundary data in the first ghost layer: of the values for Dirichlet, of h times the
 * values for Neumann. */
HYMGI_INLINE double hymgi_data_weight(hymgi_extrapolation ghost_kind)
{
  return ghost_kind == HYMGI_QUADRATIC_GHOST ? 3 : ghost_kind == HYMGI_LINEAR_GHOST ? 2 : 1;
}

/* Robin boundaries. The condition is stored as fraction u + (1 - fraction) h du/dn = g, with the finest
 * level's h. Where a Dirichlet boundary with the value u has the outward derivative D = (c u - L) / w,
 * over the width w of the cell there, the condition gives that for u = 0, times fraction * factor, plus
 * c g factor / w, with factor as below and stiffness = c h / w. */
HYMGI_INLINE double hymgi_robin_factor(double fraction, double stiffness)
{
  return 1 / hymgi_fma_double(stiffness, 1 - fraction, fraction);
}

/* What a Robin boundary multiplies the flux of a Dirichlet boundary by. */
HYMGI_INLINE double hymgi_robin_flux(double fraction, double stiffness)
{
  return fraction * hymgi_robin_factor(fraction, stiffness);
}

/* A ghost beyond a boundary with a Robin condition (fraction not NULL), with data (value not NULL) or
 * both, from x1 and the homogeneous Dirichlet or Neumann ghost; m: index in the planes; weight:
 * hymgi_data_weight. */
HYMGI_INLINE double hymgi_ghost_with(double x1, double ghost, double weight, double stiffness,
                                     const double *fraction, const double *value, ptrdiff_t m)
{
  if (fraction) {
    ghost = hymgi_fma_double(hymgi_robin_flux(fraction[m], stiffness), ghost - x1, x1);
    weight *= hymgi_robin_factor(fraction[m], stiffness);
  }
  return value ? ghost + weight * value[m] : ghost;
}

/* What an extrapolation makes of the outward derivative at a boundary, times the width of the cell
 * there: flux (ghost x2 - x1) + data g; g is the boundary's value (Neumann: width times derivative). */
typedef struct hymgi_boundary_weights {
  double flux, ghost, data;
} hymgi_boundary_weights;

/* A cell of width w < 1 at the boundary, then one of width 1: from the parabola that has the value g
 * at the boundary and the means x1 and x2 in the cells. With W = 1 + w and S = W^2 + W w + w^2 its
 * outward derivative is 2 w / W^2 (x2 - g) - 2 S / (w W^2) (x1 - g); w = 1 would give the quadratic
 * extrapolation of equal cells. */
HYMGI_INLINE hymgi_boundary_weights hymgi_narrow_boundary(double w)
{
  const double W = 1 + w, S = hymgi_fma_double(W, W, hymgi_fma_double(W, w, w * w));
  const hymgi_boundary_weights weights = {2 * S / (W * W), w * w / S, 2 + 2 * w / W};
  return weights;
}

#endif
