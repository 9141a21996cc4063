/* The level operations of the CUDA backend that take several launches (source/multigrid/backend.h
 * says what each does): exchange, ghosts, the kernels of its record; what fills that. */
#ifndef HYMGI_LEVEL_OPS_H
#define HYMGI_LEVEL_OPS_H

#include "kernels/level_kernels.h"

/* kernel_table.cu: the machine's numbers, once for a device; the record of a level whose plans and
 * buffers exist (errors: ENOMEM, ECUDA). */
void hymgi_kernel_table_load(hymgi_device *device);
hymg_status hymgi_fill_level_kernels(const hymgi_level *level, hymgi_level_kernels *kernels);
void hymgi_free_level_kernels(hymgi_level_kernels *kernels);
/* the same for a level in single precision */
hymg_status hymgi_single_fill_level_kernels(const hymgi_level *level, hymgi_level_kernels *kernels);
/* As in backend.h; asked while the hierarchy is made. */
bool hymgi_cuda_splits(const hymgi_level *level);
bool hymgi_cuda_second_buffer(const hymgi_level *level);
bool hymgi_cuda_spare_buffers(const hymgi_level *level);
bool hymgi_cuda_joins(const hymgi_level *level, const hymgi_plan *plan);
bool hymgi_cuda_starts_alone(const hymgi_level *level);

/* single_backend.cu: the table for levels in single precision */
extern "C" {
extern const hymgi_backend hymgi_cuda_single_backend;
}

/* level_ops.cu */
void hymgi_cuda_apply(const hymgi_level *level, hymgi_real *x, hymgi_real *y);
void hymgi_cuda_residual(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                         hymgi_real *r);
double hymgi_cuda_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x);
void hymgi_cuda_queue_residual_max(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                                   int slot);
void hymgi_cuda_smooth(hymgi_level *level);
void hymgi_cuda_smooth_restrict(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                hymgi_real *zero);
void hymgi_cuda_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                  hymgi_real *zero);
bool hymgi_cuda_starts_unread(const hymgi_level *level);
/* of hymgi_single_ops */
void hymgi_cuda_narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                                const double *f, double *x, void *out, int slot);
/* of hymgi_robust_ops */
bool hymgi_cuda_smooth_from_zero(hymgi_level *level);
void hymgi_cuda_residual_red(const hymgi_level *level, const hymgi_real *f, hymgi_real *x,
                             hymgi_real *r);
void hymgi_cuda_apply_sum(const hymgi_level *level, hymgi_real *x, hymgi_real *y,
                          const hymgi_real *with, int exponent, int bits, int64_t *words);
const char *hymgi_cuda_kernel_names(const hymgi_level *level);
/* What a solver keeps on its GPU: records of its levels, recordings, lists of its coarse end. */
hymg_status hymgi_cuda_attach(hymgi_hierarchy *h);
void hymgi_cuda_detach(hymgi_hierarchy *h);

#endif
