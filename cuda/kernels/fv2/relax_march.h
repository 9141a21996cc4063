/* Kernels that march along z over plain rows. */
#ifndef HYMGI_KERNELS_FV2_RELAX_MARCH_H
#define HYMGI_KERNELS_FV2_RELAX_MARCH_H

#include "runtime/device.h"

/* out = x + residual * scale * (f - A x) + momentum * (x - prev); prev may be out. scale NULL:
 * 1/diagonal; prev NULL: without momentum. */
struct hymgi_relaxation {
  const double *f, *x, *prev, *scale;
  double *out;
  double residual, momentum;
  bool old; /* f and prev: a sweep of this level by itself was queued since they were written */
};

extern "C" {
/* False where no kernel of theirs is for this level. Ghosts as hymgi_cuda_prepare left them. */
bool hymgi_cuda_plain_relax(const hymgi_level *level, const hymgi_relaxation *relaxation);
/* The residual; r NULL: its norm, as the reduction's result. Not in place. */
bool hymgi_cuda_plain_residual(const hymgi_level *level, const double *f, const double *x,
                               double *r);
}

#endif
