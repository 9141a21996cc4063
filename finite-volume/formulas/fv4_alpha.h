/* FV4 with a variable alpha. The mean of alpha u over a cell is the product of the means plus, up to 4th
 * order, the sum over the axes of h^2/12 (d alpha/dx) (du/dx); with centred differences of the means that
 * is (alpha_+ - alpha_-) (u_+ - u_-) / 48, whatever h (docs/numerics.md). */
#ifndef HYMGI_FORMULAS_FV4_ALPHA_H
#define HYMGI_FORMULAS_FV4_ALPHA_H

#include <math.h>
#include <stdbool.h>

#include "formulas/fma.h"

/* above - below, from a cell's alpha and those next to it along an axis. 0 where the three differ by more
 * than the factor `limit`: differences do not approximate the mean there, and the neighbours' coefficients could
 * outweigh the cell's own. */
HYMGI_INLINE hymgi_real hymgi_alpha_step(hymgi_real below, hymgi_real own, hymgi_real above,
                                         hymgi_real limit)
{
  const hymgi_real more = below > above ? below : above, less = below > above ? above : below;
  const hymgi_real largest = own > more ? own : more, least = own < less ? own : less;
  return largest > limit * least ? 0 : above - below;
}

/* The same between a cell's low and high face: 0 where one of them is marked by the limiter
 * (formulas/limiter.h), for levels with closed faces, across which nothing may be read. */
HYMGI_INLINE hymgi_real hymgi_alpha_step_between(hymgi_real low, hymgi_real high, hymgi_real below,
                                                 hymgi_real own, hymgi_real above, hymgi_real limit)
{
  return signbit(low) || signbit(high) ? 0 : hymgi_alpha_step(below, own, above, limit);
}

/* What the product of the means lacks. X: accessor to x as in fv4.h; i, j, k: the steps of alpha. */
#define HYMGI_FV4_ALPHA_SUM(X, i, j, k)                                                            \
  (hymgi_fma(i, X(1, 0, 0) - X(-1, 0, 0),                                                          \
             hymgi_fma(j, X(0, 1, 0) - X(0, -1, 0), (k) * (X(0, 0, 1) - X(0, 0, -1)))) *           \
   (hymgi_real)(1.0 / 48))

/* A: accessor to a alpha. */
#define HYMGI_FV4_ALPHA(X, A, limit)                                                               \
  HYMGI_FV4_ALPHA_SUM(X, hymgi_alpha_step(A(-1, 0, 0), A(0, 0, 0), A(1, 0, 0), limit),             \
                      hymgi_alpha_step(A(0, -1, 0), A(0, 0, 0), A(0, 1, 0), limit),                \
                      hymgi_alpha_step(A(0, 0, -1), A(0, 0, 0), A(0, 0, 1), limit))

/* The same with marked betas BI, BJ, BK. */
#define HYMGI_FV4_ALPHA_BETWEEN(X, A, BI, BJ, BK, limit)                                           \
  HYMGI_FV4_ALPHA_SUM(X,                                                                           \
                      hymgi_alpha_step_between(BI(0, 0, 0), BI(1, 0, 0), A(-1, 0, 0), A(0, 0, 0),  \
                                               A(1, 0, 0), limit),                                 \
                      hymgi_alpha_step_between(BJ(0, 0, 0), BJ(0, 1, 0), A(0, -1, 0), A(0, 0, 0),  \
                                               A(0, 1, 0), limit),                                 \
                      hymgi_alpha_step_between(BK(0, 0, 0), BK(0, 0, 1), A(0, 0, -1), A(0, 0, 0),  \
                                               A(0, 0, 1), limit))

#endif
