/* The table of kernels (kernel_table.cu, for the coarse end coarse/coarse.cu): which kernel forms a level runs on
 * a GPU. In C, since benchmarks and tests use it too. */
#ifndef HYMGI_KERNEL_TABLE_H
#define HYMGI_KERNEL_TABLE_H

#include "hymg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solvers created on the context from now on use the form of this name on levels of at least
 * `cells` cells that it supports; INT64_MAX: on none. All forms give the same bits. Opens the GPU
 * if it is not open. False: no such form, no GPU, or a build without CUDA. */
bool hymgi_kernel_form_from(hymg_context *context, const char *name, int64_t cells);

/* Bits of those that a level's kernels ask about at their launch; 0 on the host. The names of its kernels
 * (hymg_solver_level) do not tell of these. */
struct hymgi_level;
uint64_t hymgi_kernel_variants(const struct hymgi_level *level);

/* Names of the forms, and what each is, in the order of the table; NULL after the last one. */
const char *hymgi_kernel_form_name(int form);
const char *hymgi_kernel_form_text(int form);

#ifdef __cplusplus
}
#endif
#endif
