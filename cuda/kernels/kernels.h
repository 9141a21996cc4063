/* The functions that launch kernels, by file (source/multigrid/backend.h documents the level
 * operations), for both precisions; setup.h has those of double precision alone. They only queue their
 * work; those that return a result of it wait.
 *
 * What this header, robust/robust.h, exchange/exchange.h and level_ops.h declare is compiled twice: for
 * levels in double precision, and for those in single precision under names that end in _single, which the
 * Makefile (single_names) makes from these declarations. Other headers declare what is compiled once. */
#ifndef HYMGI_KERNELS_KERNELS_H
#define HYMGI_KERNELS_KERNELS_H

#include "kernels/level_kernels.h"

extern "C" {

/* ---- chosen for each level by its record; ghosts are up to date ---- */

/* sweep_generic.cu: any job but restrictions; works in place, too */
void hymgi_cuda_sweep_generic(const hymgi_level *level, const hymgi_sweep *sweep);

/* fv2/march.cu: half sweeps and residuals of red cells on rows split by colour, sweeps and residuals on
 * plain rows; the points half sweeps and sweeps alone. both_colours.cu: residuals on split rows */
void hymgi_cuda_fv2_march(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv2_point(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv2_both_colours(const hymgi_level *level, const hymgi_sweep *sweep);
/* march.cu, plain rows, and both_colours.cu, split rows: the sum's words are the reduction's result */
void hymgi_cuda_fv2_apply_sum(const hymgi_level *level, const hymgi_apply_sum *apply);
void hymgi_cuda_fv2_both_apply_sum(const hymgi_level *level, const hymgi_apply_sum *apply);
/* fv2/gsrb_fused.cu: both colours in one pass from x (NULL: 0) to out; where the record has no
 * HYMGI_FV2_GSRB_FUSED_AROUND, the black cells next to a neighbour's ghosts come out wrong */
void hymgi_cuda_fv2_gsrb_fused(const hymgi_level *level, bool falling, const hymgi_real *x,
                               hymgi_real *out);
/* fv2/gsrb_tile.cu: the same in tiles, for small levels without other neighbours */
void hymgi_cuda_fv2_gsrb_tile(const hymgi_level *level, const hymgi_real *x, hymgi_real *out);
/* fv2/relax_fused.cu: two sweeps in one pass over memory, for a single box without neighbours that
 * has an even number of cells along x and the buffers. Does all sweeps of a smoother call, all but
 * one, or none; returns how many. The iterate is then in level->x. */
bool hymgi_cuda_could_fuse_relax(const hymgi_level *level);
int hymgi_cuda_relax_fused(hymgi_level *level);

/* fv4/gsrb_march.cu: half sweeps; march_memory.cu, march_tma.cu: the other jobs; rows split by
 * colour */
void hymgi_cuda_fv4_gsrb_march(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv4_gsrb_from_zero(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv4_march_memory(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv4_march_tma(const hymgi_level *level, const hymgi_sweep *sweep);
bool hymgi_cuda_fv4_fits_tma(const hymgi_level *level);
/* fv4/tile.cu: half sweeps (split rows), sweeps (plain rows) and restrictions (both) in tiles in
 * shared memory, which need no boundary ghosts */
void hymgi_cuda_fv4_gsrb_tile(const hymgi_level *level, const hymgi_sweep *sweep);
void hymgi_cuda_fv4_tile(const hymgi_level *level, const hymgi_sweep *sweep);
bool hymgi_cuda_fv4_fits_tiles(const hymgi_level *level, bool half_sweeps);

/* fv4/gsrb_shared.cu: all half sweeps of a smoother call, at least four, in one launch, in place, on a
 * single box of split rows with boundaries on all sides that fits the GPU's shared memory in small tiles or
 * in large ones */
bool hymgi_cuda_fv4_fits_shared(const hymgi_level *level, bool large);
void hymgi_cuda_fv4_gsrb_shared(const hymgi_level *level);

/* transfer/restrict.cu: any level */
void hymgi_cuda_fv2_restrict(const hymgi_level *level, const hymgi_sweep *restriction);
void hymgi_cuda_fv4_restrict(const hymgi_level *level, const hymgi_sweep *restriction);

/* ---- the same for all levels ---- */

/* transfer/restrict.cu, interpolate.cu */
void hymgi_cuda_restrict_cells(const hymgi_level *level, const hymgi_real *fine,
                               hymgi_real *coarse);
void hymgi_cuda_queue_restrict_max(const hymgi_level *level, const hymgi_real *fine,
                                   hymgi_real *coarse, int slot);
void hymgi_cuda_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                            const hymgi_real *source, hymgi_ghosts order, bool add, bool smoothed,
                            hymgi_real *x);

/* kernels/ghosts.cu */
void hymgi_cuda_fill_ghosts(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts,
                            bool with_data);
/* The boundary ghosts that FV4's stencil reads, off faces and edges; those along x only with
 * along_x. box: level->box or, if there is only one, a copy of it with another `half`. */
void hymgi_cuda_fill_operator_ghosts(const hymgi_level *level, const hymgi_geom *box, hymgi_real *x,
                                     bool along_x);
/* copies.cu */
void hymgi_cuda_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                      const hymgi_real *src, const hymgi_geom *dst_box, hymgi_real *dst);
void hymgi_cuda_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                     const hymgi_real *src);
void hymgi_cuda_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                       hymgi_real *dst, hymgi_real *zero);
void hymgi_cuda_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                      bool write, void *user, hymgi_real *data);
void hymgi_cuda_gather(hymg_context *context, const hymgi_user_brick *from,
                       const hymgi_user_brick *to, const void *source, void *target);

/* vector.cu, single_vector.cu */
void hymgi_cuda_clear(const hymgi_level *level, hymgi_real *x);
void hymgi_cuda_fill(const hymgi_level *level, double value, hymgi_real *x);
void hymgi_cuda_copy_cells(const hymgi_level *level, const hymgi_real *x, hymgi_real *y);
/* single_vector.cu: of hymgi_single_ops */
void hymgi_cuda_narrow(const hymgi_level *single, const hymgi_level *level, double factor,
                       const double *x, void *out);
void hymgi_cuda_widen(const hymgi_level *single, const hymgi_level *level, double factor,
                      const void *x, bool add, double *out);
}

#endif
