/* FV2, 7 points: A x = alpha x - sum over faces beta_f (x_f - x). The betas include b / h^2 and, at
 * boundaries, the extrapolation's weight; the ghost beyond a boundary is boundary_ghost times the
 * opposite neighbour (source/multigrid/level.h). Accessors: X(di, dj, dk) is the cell at that
 * offset, BI, BJ and BK the low faces of the cell at that offset. */
#ifndef HYMGI_FORMULAS_FV2_H
#define HYMGI_FORMULAS_FV2_H

#include "formulas/fma.h"

/* The ghost value that the stencil uses; with weight 0 the opposite neighbour is not used. */
HYMGI_INLINE hymgi_real hymgi_fv2_ghost(hymgi_real weight, hymgi_real opposite)
{
  return weight == 0 ? 0 : weight * opposite;
}

/* sum over faces of beta_f */
#define HYMGI_FV2_WEIGHT(BI, BJ, BK)                                                               \
  (((BI(0, 0, 0) + BI(1, 0, 0)) + (BJ(0, 0, 0) + BJ(0, 1, 0))) + (BK(0, 0, 0) + BK(0, 0, 1)))

/* sum over faces of beta_f x_f */
#define HYMGI_FV2_NEIGHBOURS(X, BI, BJ, BK)                                                        \
  ((hymgi_fma(BI(0, 0, 0), X(-1, 0, 0), BI(1, 0, 0) * X(1, 0, 0)) +                                \
    hymgi_fma(BJ(0, 0, 0), X(0, -1, 0), BJ(0, 1, 0) * X(0, 1, 0))) +                               \
   hymgi_fma(BK(0, 0, 0), X(0, 0, -1), BK(0, 0, 1) * X(0, 0, 1)))

/* sum over faces of beta_f (x_f - x): -A x without the alpha term */
#define HYMGI_FV2_FLUX(X, BI, BJ, BK)                                                              \
  ((hymgi_fma(BI(0, 0, 0), X(-1, 0, 0) - X(0, 0, 0), BI(1, 0, 0) * (X(1, 0, 0) - X(0, 0, 0))) +    \
    hymgi_fma(BJ(0, 0, 0), X(0, -1, 0) - X(0, 0, 0), BJ(0, 1, 0) * (X(0, 1, 0) - X(0, 0, 0)))) +   \
   hymgi_fma(BK(0, 0, 0), X(0, 0, -1) - X(0, 0, 0), BK(0, 0, 1) * (X(0, 0, 1) - X(0, 0, 0))))

#endif
