/* What the device does in double precision alone, by files that are compiled once; as in backend.h. Calls
 * that return a result wait, the others only queue their work. */
#ifndef HYMGI_KERNELS_SETUP_H
#define HYMGI_KERNELS_SETUP_H

#include "kernels/level_kernels.h"

extern "C" {

/* setup.cu */
hymg_status hymgi_cuda_finish_coefficients(hymgi_level *level);
hymg_status hymgi_cuda_finish_layers(hymgi_level *view);
void hymgi_cuda_continue_cells(const hymgi_level *level, double *x);
void hymgi_cuda_restrict_faces(const hymgi_level *level, int axis, const double *fine,
                               const hymgi_geom *patch, double *coarse);
void hymgi_cuda_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                        hymgi_valid valid, const double *data, hymgi_finding *finding);

/* boundary_data.cu */
/* Robin conditions with variable beta: multiplies the betas of boundary faces by their flux. */
void hymgi_cuda_robin_betas(const hymgi_level *level);
void hymgi_cuda_boundary_term(const hymgi_level *level, int box, int face);
void hymgi_cuda_add_boundary_terms(const hymgi_level *level, double *f);
void hymgi_cuda_moment_sums(const hymgi_level *level, const double *f, int exponent, int bits,
                            int64_t *words);

/* fv4/limited.cu: operator, residual and its norm where betas are marked or alpha varies */
void hymgi_cuda_fv4_limited(const hymgi_level *level, const hymgi_sweep *sweep);

/* vector.cu */
void hymgi_cuda_zero(hymg_context *context, double *data, size_t doubles);
void hymgi_cuda_scale(const hymgi_level *level, double factor, double *x);
void hymgi_cuda_axpby(const hymgi_level *level, double a, const double *x, double b,
                      const double *y, double *z);
void hymgi_cuda_shift(const hymgi_level *level, double c, double *x);
void hymgi_cuda_precondition(const hymgi_level *level, const double *r, double *z);
double hymgi_cuda_max(const hymgi_level *level, const double *x, const double *y);
void hymgi_cuda_queue_max(const hymgi_level *level, const double *x, int slot);
double hymgi_cuda_queued(hymg_context *context, int slot);
void hymgi_cuda_queue_remove_mean(const hymgi_level *level, double *x, int slot);
void hymgi_cuda_sum(const hymgi_level *level, const double *x, const double *y, int exponent,
                    int bits, int64_t *words);
double hymgi_cuda_advance(const hymgi_level *level, double a, const double *p, const double *w,
                          double *u, double *r, int exponent, int bits, int64_t *words);
/* The words of `sums` sums, which the reduction queued last has made. */
void hymgi_cuda_words(hymg_context *context, int sums, int64_t *words);

/* robust/setup.cu */
void hymgi_cuda_shares(const hymgi_level *level, int axis, double *out);
void hymgi_cuda_share_sums(const hymgi_level *level, int bits, int64_t *words);
void hymgi_cuda_factor_lines(const hymgi_level *level);
double hymgi_cuda_largest_step(const hymgi_level *level);
double hymgi_cuda_alpha_step(const hymgi_level *level);
void hymgi_cuda_noise(const hymgi_level *level, int seed, double *x);
void hymgi_cuda_resistances(const hymgi_level *level, int axis, double *out);
void hymgi_cuda_weights(const hymgi_level *level, double *const resistance[3]);
void hymgi_cuda_coarse_faces(const hymgi_level *level, int axis, const double *fine,
                             const hymgi_geom *patch, double *coarse);
void hymgi_cuda_mark_jumps(const hymgi_level *level, int axis, double limit, const double *faces,
                           double *beta);
void hymgi_cuda_find_closed(const hymgi_level *level, double *closed);
void hymgi_cuda_mark_near_closed(const hymgi_level *level, int axis, const double *closed,
                                 double *beta);
void hymgi_cuda_spread_marks(const hymgi_level *level, int axis, const double *faces, double *beta);
void hymgi_cuda_scale_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cuda_scale_volumes(const hymgi_level *level, bool divide, double *x);
void hymgi_cuda_fluxes(const hymgi_level *level, int axis, const double *x, double *out);

/* robust/fixed.cu */
void hymgi_cuda_take_fixed(const hymgi_level *level);
void hymgi_cuda_cut_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cuda_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x);
void hymgi_cuda_mark_empty_rows(const hymgi_level *level, double value, double *out);
void hymgi_cuda_give_empty_rows(const hymgi_level *level);

/* robust/pieces.cu */
void hymgi_cuda_find_parts(const hymgi_level *level, double *scratch, double *parts);
void hymgi_cuda_piece_maxima(const hymgi_level *level, const double *x, double *most);
void hymgi_cuda_piece_sums(const hymgi_level *level, const double *x, int exponent, int bits,
                           int64_t *words);
void hymgi_cuda_piece_add(const hymgi_level *level, const double *value, const double *with,
                          double *x);

/* coarse.cu */
bool hymgi_cuda_bottom(hymgi_level *level, hymg_bottom bottom);
bool hymgi_cuda_coarse_end(hymgi_hierarchy *h, int l, int visits, bool from_zero);
bool hymgi_cuda_make_matrix(hymgi_hierarchy *h, int visits, double *matrix);
void hymgi_cuda_coarse_multiply(const hymgi_level *level, const double *matrix,
                                const ptrdiff_t *at);
}

#endif
