/* The update of every smoother: a step along the residual scaled by the diagonal; Chebyshev adds
 * momentum. */
#ifndef HYMGI_FORMULAS_RELAX_H
#define HYMGI_FORMULAS_RELAX_H

#include "formulas/fma.h"

#define HYMGI_JACOBI_WEIGHT (2. / 3)

/* x + weight step. FV2: step is the residual divided by the diagonal (l1jacobi: times the scaling)
 * and weight is that of the sweep. FV4: weight includes 1/diagonal and step is the residual. */
HYMGI_INLINE hymgi_real hymgi_relax(hymgi_real x, hymgi_real weight, hymgi_real step)
{
  return hymgi_fma(weight, step, x);
}

/* relaxed + momentum (x - previous), where previous is the iterate before x */
HYMGI_INLINE hymgi_real hymgi_add_momentum(hymgi_real relaxed, hymgi_real momentum, hymgi_real x,
                                           hymgi_real previous)
{
  return hymgi_fma(momentum, x - previous, relaxed);
}

typedef struct hymgi_weights {
  hymgi_real residual, momentum;
} hymgi_weights;

/* Weights of sweep s; chebyshev: c1 and c2 of 6 sweeps. */
HYMGI_INLINE hymgi_weights hymgi_weights_of(hymg_smoother smoother, const double *chebyshev, int s)
{
  hymgi_weights w = {(hymgi_real)(smoother == HYMG_JACOBI ? HYMGI_JACOBI_WEIGHT : 1), 0};
  if (smoother == HYMG_CHEBYSHEV)
    w.residual = (hymgi_real)chebyshev[2 * (s % 6) + 1],
    w.momentum = (hymgi_real)chebyshev[2 * (s % 6)];
  return w;
}

#endif
