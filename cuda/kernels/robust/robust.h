/* The transfers of the robust path on the device (hymgi_robust_ops in source/multigrid/backend.h). */
#ifndef HYMGI_KERNELS_ROBUST_H
#define HYMGI_KERNELS_ROBUST_H

#include "kernels/level_kernels.h"

extern "C" {

/* restrict.cu, interpolate.cu, uneven.cu */
void hymgi_cuda_restrict_weighted(const hymgi_level *level, const hymgi_real *r, hymgi_after after,
                                  hymgi_real *coarse);
void hymgi_cuda_interpolate_weighted(const hymgi_level *fine, const hymgi_real *source,
                                     bool smoothed, hymgi_real *x);
void hymgi_cuda_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                   hymgi_ghosts order, bool add, hymgi_real *x);
void hymgi_cuda_sum_children(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);

/* lines.cu; the set-up: kernels/setup.h */
void hymgi_cuda_solve_lines(const hymgi_level *level, int colour);

/* tensor.cu */
void hymgi_cuda_restrict_tensor(const hymgi_level *level, const hymgi_real *r, hymgi_real *coarse);
void hymgi_cuda_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source,
                                   hymgi_real *x);
}

#endif
