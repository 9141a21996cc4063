/* The step of every smoother: along the residual, scaled by the diagonal; Chebyshev adds momentum. */
#ifndef HYMGI_FORMULAS_RELAX_H
#define HYMGI_FORMULAS_RELAX_H

#include "formulas/fma.h"

#define HYMGI_JACOBI_WEIGHT (2. / 3)

/* x + weight step. FV2 divides the residual by the diagonal (l1jacobi: multiplies it), weight is the
 * sweep's; FV4 multiplies the sweep's weight by 1/diagonal, step is the residual. */
HYMGI_INLINE double hymgi_relax(double x, double weight, double step)
{
  return hymgi_fma(weight, step, x);
}

/* relaxed + momentum (x - previous), after a step from x, which came after previous */
HYMGI_INLINE double hymgi_add_momentum(double relaxed, double momentum, double x, double previous)
{
  return hymgi_fma(momentum, x - previous, relaxed);
}

typedef struct hymgi_weights {
  double residual, momentum;
} hymgi_weights;

/* Of sweep s; chebyshev: c1 and c2 of 6 sweeps. */
HYMGI_INLINE hymgi_weights hymgi_weights_of(hymg_smoother smoother, const double *chebyshev, int s)
{
  hymgi_weights w = {smoother == HYMG_JACOBI ? HYMGI_JACOBI_WEIGHT : 1, 0};
  if (smoother == HYMG_CHEBYSHEV)
    w.residual = chebyshev[2 * (s % 6) + 1], w.momentum = chebyshev[2 * (s % 6)];
  return w;
}

#endif
