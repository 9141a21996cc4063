/* FV2, 7 points: A x = alpha x - sum over faces beta_f (x_f - x). The betas carry b / h^2 and,
 * at boundaries, the extrapolation's weight; the neighbour beyond a boundary is boundary_ghost times the opposite
 * neighbour (source/multigrid/level.h). Accessors: X(di, dj, dk) the cell at that offset, BI, BJ, BK the
 * low face of the cell at that offset. */
#ifndef HYMGI_FORMULAS_FV2_H
#define HYMGI_FORMULAS_FV2_H

#include "formulas/fma.h"

/* What the stencil sees beyond a boundary; weight 0 asks nothing of the opposite neighbour. */
HYMGI_INLINE double hymgi_fv2_ghost(double weight, double opposite)
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

/* sum over faces of beta_f (x_f - x): -A x but for the alpha term */
#define HYMGI_FV2_FLUX(X, BI, BJ, BK)                                                              \
  ((hymgi_fma(BI(0, 0, 0), X(-1, 0, 0) - X(0, 0, 0), BI(1, 0, 0) * (X(1, 0, 0) - X(0, 0, 0))) +    \
    hymgi_fma(BJ(0, 0, 0), X(0, -1, 0) - X(0, 0, 0), BJ(0, 1, 0) * (X(0, 1, 0) - X(0, 0, 0)))) +   \
   hymgi_fma(BK(0, 0, 0), X(0, 0, -1) - X(0, 0, 0), BK(0, 0, 1) * (X(0, 0, 1) - X(0, 0, 0))))

#endif
