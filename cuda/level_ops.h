/* The level operations of the CUDA backend that take several launches (source/multigrid/backend.h
 * says what each does): exchange, ghosts, the kernels of its record; what fills that. */
#ifndef HYMGI_LEVEL_OPS_H
#define HYMGI_LEVEL_OPS_H

#include "kernels/level_kernels.h"

/* kernel_table.cu: the record of a level whose plans and buffers exist (errors: ENOMEM, ECUDA). */
hymg_status hymgi_fill_level_kernels(const hymgi_level *level, hymgi_level_kernels *kernels);
void hymgi_free_level_kernels(hymgi_level_kernels *kernels);
/* As in backend.h; asked while the hierarchy is made. */
bool hymgi_cuda_splits(const hymgi_level *level);
bool hymgi_cuda_splits_odd(const hymgi_level *level);
/* Does the restriction of the residual add up children where a side is odd? */
bool hymgi_cuda_sums_residual(const hymgi_level *level);
bool hymgi_cuda_smooth_sum_residual(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                    hymgi_real *zero);
bool hymgi_cuda_second_buffer(const hymgi_level *level);
bool hymgi_cuda_spare_buffers(const hymgi_level *level);
bool hymgi_cuda_joins(const hymgi_level *level, const hymgi_plan *plan);
bool hymgi_cuda_starts_alone(const hymgi_level *level);

/* table.cu: fields in device memory, or in managed memory */
extern "C" {
extern const hymgi_backend hymgi_cuda_table;
extern const hymgi_backend hymgi_cuda_managed_table;
}

/* level_ops.cu */
void hymgi_cuda_apply(const hymgi_level *level, hymgi_real *x, hymgi_real *y);
void hymgi_cuda_residual(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                         hymgi_real *r);
double hymgi_cuda_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x);
void hymgi_cuda_queue_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                                   int slot);
void hymgi_cuda_smooth(hymgi_level *level);
bool hymgi_cuda_smooth_norm(hymgi_level *level, int slot);
void hymgi_cuda_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                hymgi_real *zero);
void hymgi_cuda_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                  hymgi_real *zero);
bool hymgi_cuda_starts_unread(const hymgi_level *level);
/* of hymgi_robust_ops */
bool hymgi_cuda_smooth_from_zero(hymgi_level *level);
void hymgi_cuda_residual_red(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                             hymgi_real *r);
void hymgi_cuda_apply_sum(const hymgi_level *level, hymgi_real *x, hymgi_real *y,
                          const hymgi_real *with, int exponent, int bits, int64_t *words);
const char *hymgi_cuda_kernel_names(const hymgi_level *level);

#endif
