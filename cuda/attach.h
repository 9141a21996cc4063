/* What the CUDA backend does once, whatever the precision of a level. */
#ifndef HYMGI_ATTACH_H
#define HYMGI_ATTACH_H

#include "kernels/level_kernels.h"

/* kernel_table.cu: the machine's numbers, once for a device */
void hymgi_kernel_table_load(hymgi_device *device);
/* attach.cu: what a solver keeps on its GPU: records of its levels, recordings, lists of its coarse end. */
hymg_status hymgi_cuda_attach(hymgi_hierarchy *h);
void hymgi_cuda_detach(hymgi_hierarchy *h);

/* level_ops.cu: of hymgi_single_ops */
void hymgi_cuda_narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                                const double *f, double *x, void *out, int slot);

/* what level_ops.h declares, for levels in single precision */
hymg_status hymgi_fill_level_kernels_single(const hymgi_level *level, hymgi_level_kernels *kernels);
extern "C" {
extern const hymgi_backend hymgi_cuda_table_single;
}

#endif
