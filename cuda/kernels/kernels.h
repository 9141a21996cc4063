/* The level operations of the CUDA backend (source/multigrid/backend.h says what each does), by the file that has
 * them. All queue their work; those that return a value, and copy, wait for it. */
#ifndef HYMGI_KERNELS_KERNELS_H
#define HYMGI_KERNELS_KERNELS_H

#include "runtime/device.h"

extern "C" {

/* sweep_generic.cu, gsrb.cu, gsrb_march.cu */
void hymgi_cuda_apply(const hymgi_level *level, double *x, double *y);
void hymgi_cuda_residual(const hymgi_level *level, const double *f, double *x, double *r);
double hymgi_cuda_residual_max(const hymgi_level *level, const double *f, double *x);
void hymgi_cuda_queue_residual_max(const hymgi_level *level, const double *f, double *x, int slot);
void hymgi_cuda_smooth(hymgi_level *level);
/* from_zero: x is 0; goes_on: its ghosts are wanted next. Returns whether cells have been sent for them. */
bool hymgi_cuda_smooth_from(hymgi_level *level, bool from_zero, bool goes_on);
bool hymgi_cuda_second_buffer(const hymgi_level *level);
bool hymgi_cuda_spare_buffers(const hymgi_level *level);
/* Ghosts of x that the operator wants in memory: the halo, and for FV4 those beyond boundaries. */
void hymgi_cuda_prepare(const hymgi_level *level, double *x);
/* Those that the residual's restriction wants. colours: bits of those whose cells have changed since
 * their ghosts came; sent: they are on their way. */
void hymgi_cuda_prepare_restrict(const hymgi_level *level, double *x, int colours, bool sent);

/* restrict.cu, interpolate.cu */
void hymgi_cuda_residual_restrict(const hymgi_level *level, hymgi_after after, double *coarse,
                                  double *zero);
void hymgi_cuda_smooth_restrict(hymgi_level *level, bool from_zero, double *coarse, double *zero);
void hymgi_cuda_restrict_cells(const hymgi_level *level, const double *fine, double *coarse);
void hymgi_cuda_queue_restrict_max(const hymgi_level *level, const double *fine, double *coarse,
                                   int slot);
void hymgi_cuda_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                            const double *source, hymgi_ghosts order, bool add, bool smoothed,
                            double *x);

/* march_memory.cu: are FV4's kernels for large levels the reason to split rows by colour? */
bool hymgi_cuda_splits(const hymgi_level *level);

/* kernels/ghosts.cu */
void hymgi_cuda_fill_ghosts(const hymgi_level *level, double *x, hymgi_ghosts ghosts,
                            bool with_data);
/* What FV4's stencil reads beyond boundaries, faces and edges; not those across x without `across`. box:
 * level->box, or where that is a single one a copy of it with another `half`. */
void hymgi_cuda_fill_operator_ghosts(const hymgi_level *level, const hymgi_geom *box, double *x,
                                     bool across);
/* fv4_ghosts.cu: the same; false where it is not for this box. */
bool hymgi_cuda_fill_split_ghosts(const hymgi_level *level, const hymgi_geom *box, double *x,
                                  bool across);
void hymgi_cuda_boundary_term(const hymgi_level *level, int box, int face);
void hymgi_cuda_add_boundary_terms(const hymgi_level *level, double *f);

/* setup.cu */
hymg_status hymgi_cuda_finish_coefficients(hymgi_level *level);
void hymgi_cuda_restrict_faces(const hymgi_level *level, int axis, const double *fine,
                               const hymgi_geom *patch, double *coarse);
void hymgi_cuda_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                        bool positive, const double *data, hymgi_finding *finding);

/* copies.cu */
void hymgi_cuda_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                      const double *src, const hymgi_geom *dst_box, double *dst);
void hymgi_cuda_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                     const double *src);
void hymgi_cuda_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                       double *dst, double *zero);
void hymgi_cuda_copy(hymg_context *context, const double *from, double *to, size_t doubles);
void hymgi_cuda_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                      bool write, double *user, double *data);
void hymgi_cuda_gather(hymg_context *context, const hymgi_user_brick *from,
                       const hymgi_user_brick *to, const double *source, double *target);

/* vector.cu */
void hymgi_cuda_zero(hymg_context *context, double *data, size_t doubles);
void hymgi_cuda_clear(const hymgi_level *level, double *x);
void hymgi_cuda_scale(const hymgi_level *level, double factor, double *x);
void hymgi_cuda_fill(const hymgi_level *level, double value, double *x);
void hymgi_cuda_axpby(const hymgi_level *level, double a, const double *x, double b,
                      const double *y, double *z);
void hymgi_cuda_shift(const hymgi_level *level, double c, double *x);
void hymgi_cuda_precondition(const hymgi_level *level, const double *r, double *z);
double hymgi_cuda_max(const hymgi_level *level, const double *x, const double *y);
void hymgi_cuda_queue_max(const hymgi_level *level, const double *x, int slot);
double hymgi_cuda_queued(hymg_context *context, int slot);
void hymgi_cuda_sum(const hymgi_level *level, const double *x, const double *y, int exponent,
                    int bits, int64_t *words);

/* coarse.cu */
bool hymgi_cuda_bottom(hymgi_level *level, hymg_bottom bottom);
bool hymgi_cuda_coarse_end(hymgi_hierarchy *h, int l, int visits);
hymg_status hymgi_cuda_attach(hymgi_hierarchy *h);
void hymgi_cuda_detach(hymgi_hierarchy *h);
}

#endif
