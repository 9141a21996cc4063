/* FV4, 25 points. Flux through the low face along an axis, times h / b:
 *   12 F = beta [15 (x_0 - x_-1) - (x_1 - x_-2)] + 1/4 sum over the two tangential axes t of
 *          (beta(+t) - beta(-t)) [(x_0(+t) - x_0(-t)) - (x_-1(+t) - x_-1(-t))],
 * and A x = alpha x + sum over axes of (F_low - F_high); the betas carry b / (12 h^2). Accessors
 * as in fv2.h. With constant beta the second part vanishes (13 points). */
#ifndef HYMGI_FORMULAS_FV4_H
#define HYMGI_FORMULAS_FV4_H

#include "formulas/fma.h"

/* Differences of x across the cell (l, m, n) along one axis. */
#define HYMGI_FV4_DI(X, l, m, n) (X(l + 1, m, n) - X(l - 1, m, n))
#define HYMGI_FV4_DJ(X, l, m, n) (X(l, m + 1, n) - X(l, m - 1, n))
#define HYMGI_FV4_DK(X, l, m, n) (X(l, m, n + 1) - X(l, m, n - 1))

/* The normal parts of the fluxes along x and y, low minus high. */
#define HYMGI_FV4_NORMAL_I(X, BI)                                                                  \
  hymgi_fma(BI(0, 0, 0),                                                                           \
            hymgi_fma((hymgi_real)15, X(0, 0, 0) - X(-1, 0, 0), X(-2, 0, 0) - X(1, 0, 0)),         \
            -(BI(1, 0, 0) *                                                                        \
              hymgi_fma((hymgi_real)15, X(1, 0, 0) - X(0, 0, 0), X(-1, 0, 0) - X(2, 0, 0))))
#define HYMGI_FV4_NORMAL_J(X, BJ)                                                                  \
  hymgi_fma(BJ(0, 0, 0),                                                                           \
            hymgi_fma((hymgi_real)15, X(0, 0, 0) - X(0, -1, 0), X(0, -2, 0) - X(0, 1, 0)),         \
            -(BJ(0, 1, 0) *                                                                        \
              hymgi_fma((hymgi_real)15, X(0, 1, 0) - X(0, 0, 0), X(0, -1, 0) - X(0, 2, 0))))
/* The factor of beta in the flux through the low z-face of the cell n planes above. */
#define HYMGI_FV4_STEP_K(X, n)                                                                     \
  hymgi_fma((hymgi_real)15, X(0, 0, n) - X(0, 0, n - 1), X(0, 0, n - 2) - X(0, 0, n + 1))
/* The tangential parts of the fluxes along x and y, low minus high: two products per face. */
#define HYMGI_FV4_TANGENT_I(X, BI)                                                                 \
  (hymgi_fma(BI(0, 1, 0) - BI(0, -1, 0), HYMGI_FV4_DJ(X, 0, 0, 0) - HYMGI_FV4_DJ(X, -1, 0, 0),     \
             (BI(0, 0, 1) - BI(0, 0, -1)) *                                                        \
                 (HYMGI_FV4_DK(X, 0, 0, 0) - HYMGI_FV4_DK(X, -1, 0, 0))) -                         \
   hymgi_fma(BI(1, 1, 0) - BI(1, -1, 0), HYMGI_FV4_DJ(X, 1, 0, 0) - HYMGI_FV4_DJ(X, 0, 0, 0),      \
             (BI(1, 0, 1) - BI(1, 0, -1)) *                                                        \
                 (HYMGI_FV4_DK(X, 1, 0, 0) - HYMGI_FV4_DK(X, 0, 0, 0))))
#define HYMGI_FV4_TANGENT_J(X, BJ)                                                                 \
  (hymgi_fma(BJ(1, 0, 0) - BJ(-1, 0, 0), HYMGI_FV4_DI(X, 0, 0, 0) - HYMGI_FV4_DI(X, 0, -1, 0),     \
             (BJ(0, 0, 1) - BJ(0, 0, -1)) *                                                        \
                 (HYMGI_FV4_DK(X, 0, 0, 0) - HYMGI_FV4_DK(X, 0, -1, 0))) -                         \
   hymgi_fma(BJ(1, 1, 0) - BJ(-1, 1, 0), HYMGI_FV4_DI(X, 0, 1, 0) - HYMGI_FV4_DI(X, 0, 0, 0),      \
             (BJ(0, 1, 1) - BJ(0, 1, -1)) *                                                        \
                 (HYMGI_FV4_DK(X, 0, 1, 0) - HYMGI_FV4_DK(X, 0, 0, 0))))
/* The tangential part at the low z-face of the cell n planes above. */
#define HYMGI_FV4_TANGENT_FACE_K(X, BK, n)                                                         \
  hymgi_fma(BK(1, 0, n) - BK(-1, 0, n), HYMGI_FV4_DI(X, 0, 0, n) - HYMGI_FV4_DI(X, 0, 0, n - 1),   \
            (BK(0, 1, n) - BK(0, -1, n)) *                                                         \
                (HYMGI_FV4_DJ(X, 0, 0, n) - HYMGI_FV4_DJ(X, 0, 0, n - 1)))

/* A x without the alpha term, from values that a march along z carries: beta, STEP_K and
 * TANGENT_FACE_K of the low (below) and the high (above) z-face. variable: a compile-time constant.
 * */
#define HYMGI_FV4_APPLY_BETWEEN(variable, X, BI, BJ, b_below, step_below, tangent_below, b_above,  \
                                step_above, tangent_above)                                         \
  ((variable)                                                                                      \
       ? hymgi_fma((hymgi_real)0.25,                                                               \
                   (HYMGI_FV4_TANGENT_I(X, BI) + HYMGI_FV4_TANGENT_J(X, BJ)) +                     \
                       ((tangent_below) - (tangent_above)),                                        \
                   HYMGI_FV4_NORMAL_BETWEEN(X, BI, BJ, b_below, step_below, b_above, step_above))  \
       : HYMGI_FV4_NORMAL_BETWEEN(X, BI, BJ, b_below, step_below, b_above, step_above))
#define HYMGI_FV4_NORMAL_BETWEEN(X, BI, BJ, b_below, step_below, b_above, step_above)              \
  ((HYMGI_FV4_NORMAL_I(X, BI) + HYMGI_FV4_NORMAL_J(X, BJ)) +                                       \
   hymgi_fma(b_below, step_below, -((b_above) * (step_above))))

/* A x without the alpha term */
#define HYMGI_FV4_APPLY(variable, X, BI, BJ, BK)                                                   \
  HYMGI_FV4_APPLY_BETWEEN(variable, X, BI, BJ, BK(0, 0, 0), HYMGI_FV4_STEP_K(X, 0),                \
                          HYMGI_FV4_TANGENT_FACE_K(X, BK, 0), BK(0, 0, 1), HYMGI_FV4_STEP_K(X, 1), \
                          HYMGI_FV4_TANGENT_FACE_K(X, BK, 1))

/* Offsets of the 24 other cells of the stencil, in the order in which their coefficients are
 * summed. */
/* clang-format off */
#define HYMGI_FV4_OTHERS(DO)                                                                       \
  DO(-1, 0, 0) DO(1, 0, 0) DO(0, -1, 0) DO(0, 1, 0) DO(0, 0, -1) DO(0, 0, 1)                       \
  DO(-2, 0, 0) DO(2, 0, 0) DO(0, -2, 0) DO(0, 2, 0) DO(0, 0, -2) DO(0, 0, 2)                       \
  DO(-1, -1, 0) DO(1, -1, 0) DO(-1, 1, 0) DO(1, 1, 0)                                              \
  DO(-1, 0, -1) DO(1, 0, -1) DO(-1, 0, 1) DO(1, 0, 1)                                              \
  DO(0, -1, -1) DO(0, 1, -1) DO(0, -1, 1) DO(0, 1, 1)
/* clang-format on */

#endif
