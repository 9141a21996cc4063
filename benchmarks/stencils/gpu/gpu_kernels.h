/* The GPU's kernels by name; gpu_kernels.c has the table of them. */
#ifndef STENCIL_GPU_KERNELS_H
#define STENCIL_GPU_KERNELS_H

#include "stencils/cpu/stencil.h"

typedef const char *stencil_run(const stencil_job *job, stencil_launch *launch);

stencil_run stencil_a_naive, stencil_a_two_pass, stencil_a_tile, stencil_a_column,
    stencil_a_columns, stencil_a_at_once, stencil_a_ring, stencil_a_other_ring,
    stencil_a_ring_apart;
stencil_run stencil_b_point, stencil_b_column, stencil_b_tile, stencil_b_columns;
stencil_run stencil_c_few, stencil_c_many, stencil_c_columns, stencil_c_at_once;
stencil_run stencil_d_point, stencil_d_window, stencil_d_columns, stencil_d_at_once;

/* Size of the kernel's tile in points along x and y for its block of threads. */
/* kind: 1, 2, or 3 with separate ghosts */
void stencil_a_ring_tile(const stencil_job *job, int kind, int tile[2]);
int stencil_a_at_once_planes(void);
/* NULL, or why not. */
const char *stencil_a_at_once_refuses(const stencil_job *job);
const char *stencil_a_ring_refuses(const stencil_job *job);
void stencil_a_columns_tile(const stencil_job *job, int tile[2]);

#endif
