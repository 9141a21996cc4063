/* What the host does in double precision alone, by files that are compiled once; as in backend.h. */
#ifndef HYMGI_CPU_SETUP_H
#define HYMGI_CPU_SETUP_H

#include "multigrid/backend.h"

/* the table of cpu.h for levels in single precision; conversions.c; backend.c */
extern const hymgi_backend hymgi_cpu_table_single;
extern const hymgi_single_ops hymgi_cpu_conversions;
extern const hymgi_memory hymgi_cpu_memory;
hymg_status hymgi_cpu_keep_block(hymg_context *context, void **block, size_t bytes);
void hymgi_cpu_copy(hymg_context *context, const double *from, double *to, size_t doubles);
void hymgi_cpu_scale(const hymgi_level *level, double factor, double *x);

/* user_bricks.c */
void hymgi_cpu_brick(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                     bool write, void *user, double *data);
void hymgi_cpu_gather(hymg_context *context, const hymgi_user_brick *from,
                      const hymgi_user_brick *to, const void *source, void *target);
void hymgi_cpu_examine(const hymgi_level *view, const hymgi_geom *box, const int n[3],
                       hymgi_valid valid, const double *data, hymgi_finding *finding);

/* setup.c, coarse_matrix.c */
hymg_status hymgi_cpu_finish_coefficients(hymgi_level *level);
hymg_status hymgi_cpu_finish_layers(hymgi_level *view);
void hymgi_cpu_coarse_multiply(const hymgi_level *level, const double *matrix, const ptrdiff_t *at);

/* conductance.c */
void hymgi_cpu_fluxes(const hymgi_level *level, int axis, const double *x, double *out);
void hymgi_cpu_shares(const hymgi_level *level, int axis, double *out);
void hymgi_cpu_share_sums(const hymgi_level *level, int bits, int64_t *words);
void hymgi_cpu_factor_lines(const hymgi_level *level);
double hymgi_cpu_largest_step(const hymgi_level *level);
double hymgi_cpu_alpha_step(const hymgi_level *level);
void hymgi_cpu_noise(const hymgi_level *level, int seed, double *x);
void hymgi_cpu_resistances(const hymgi_level *level, int axis, double *out);
void hymgi_cpu_weights(const hymgi_level *level, double *const resistance[3]);
void hymgi_cpu_coarse_faces(const hymgi_level *level, int axis, const double *fine,
                            const hymgi_geom *patches, double *coarse);
void hymgi_cpu_scale_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cpu_scale_volumes(const hymgi_level *level, bool divide, double *x);

/* moments.c */
void hymgi_cpu_moment_sums(const hymgi_level *level, const double *f, int exponent, int bits,
                           int64_t *words);

/* limiter.c, setup.c */
void hymgi_cpu_mark_jumps(const hymgi_level *level, int axis, double limit, const double *faces,
                          double *beta);
void hymgi_cpu_find_closed(const hymgi_level *level, double *closed);
void hymgi_cpu_mark_near_closed(const hymgi_level *level, int axis, const double *closed,
                                double *beta);
void hymgi_cpu_spread_marks(const hymgi_level *level, int axis, const double *faces, double *beta);
void hymgi_cpu_continue_cells(const hymgi_level *level, double *x);

/* fixed.c */
void hymgi_cpu_take_fixed(const hymgi_level *level);
void hymgi_cpu_cut_faces(const hymgi_level *level, int axis, double *beta);
void hymgi_cpu_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x);
void hymgi_cpu_mark_empty_rows(const hymgi_level *level, double value, double *out);
void hymgi_cpu_give_empty_rows(const hymgi_level *level);

/* pieces.c */
void hymgi_cpu_find_parts(const hymgi_level *level, double *scratch, double *parts);
void hymgi_cpu_piece_maxima(const hymgi_level *level, const double *x, double *most);
void hymgi_cpu_piece_sums(const hymgi_level *level, const double *x, int exponent, int bits,
                          int64_t *words);
void hymgi_cpu_piece_add(const hymgi_level *level, const double *value, const double *with,
                         double *x);

#endif
