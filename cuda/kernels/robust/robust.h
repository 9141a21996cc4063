/* The robust path on the device (hymgi_robust_ops in source/multigrid/backend.h). */
#ifndef HYMGI_KERNELS_ROBUST_H
#define HYMGI_KERNELS_ROBUST_H

#include "kernels/level_kernels.h"

extern "C" {

/* setup.cu */
void hymgi_cuda_shares(const hymgi_level *level, int axis, double *out);
void hymgi_cuda_share_sums(const hymgi_level *level, int bits, int64_t *words);
double hymgi_cuda_largest_step(const hymgi_level *level);
double hymgi_cuda_alpha_step(const hymgi_level *level);
void hymgi_cuda_noise(const hymgi_level *level, int seed, double *x);
void hymgi_cuda_resistances(const hymgi_level *level, int axis, double *out);
void hymgi_cuda_weights(const hymgi_level *level, double *const resistance[3]);
void hymgi_cuda_coarse_faces(const hymgi_level *level, int axis, const double *fine,
                             const hymgi_geom *patch, double *coarse);
void hymgi_cuda_mark_jumps(const hymgi_level *level, int axis, double limit, const double *faces,
                           double *beta);
void hymgi_cuda_spread_marks(const hymgi_level *level, int axis, const double *faces, double *beta);
void hymgi_cuda_scale_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cuda_scale_volumes(const hymgi_level *level, bool divide, double *x);
void hymgi_cuda_fluxes(const hymgi_level *level, int axis, const double *x, double *out);

/* fixed.cu */
void hymgi_cuda_take_fixed(const hymgi_level *level);
void hymgi_cuda_cut_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cuda_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x);
void hymgi_cuda_mark_empty_rows(const hymgi_level *level, double value, double *out);

/* restrict.cu, interpolate.cu, uneven.cu */
void hymgi_cuda_restrict_weighted(const hymgi_level *level, const hymgi_real *r, hymgi_after after,
                                  hymgi_real *coarse);
void hymgi_cuda_interpolate_weighted(const hymgi_level *fine, const hymgi_real *source,
                                     bool smoothed, hymgi_real *x);
void hymgi_cuda_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                   hymgi_ghosts order, bool add, hymgi_real *x);
void hymgi_cuda_sum_children(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse);

/* tensor.cu */
void hymgi_cuda_restrict_tensor(const hymgi_level *level, const hymgi_real *r, hymgi_real *coarse);
void hymgi_cuda_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source,
                                   hymgi_real *x);
}

#endif
