/* The update of every smoother: a step along the residual scaled by the diagonal; Chebyshev adds
 * momentum. */
#ifndef HYMGI_FORMULAS_RELAX_H
#define HYMGI_FORMULAS_RELAX_H

#include "formulas/fma.h"
#include "multigrid/smoother_kind.h"

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

/* Weights of sweep s; all: hymgi_level.sweep_weights */
HYMGI_INLINE hymgi_weights hymgi_weights_of(const double *all, int s)
{
  const double *const at = all + 2 * (s % HYMGI_DEGREE);
  const hymgi_weights w = {(hymgi_real)at[1], (hymgi_real)at[0]};
  return w;
}

#endif
