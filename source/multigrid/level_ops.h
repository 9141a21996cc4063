/* The operations in which cycle.c and krylov.c are written: an operation of the backend with its
 * reduction over ranks and its entry in the profile. Vectors are those of this rank's boxes.
 * Reductions are collective over the ranks of the level and give all of them the same bits,
 * regardless of the number of ranks, threads and boxes. Failures are recorded in
 * context->status. */
#ifndef HYMGI_MULTIGRID_LEVEL_OPS_H
#define HYMGI_MULTIGRID_LEVEL_OPS_H

#include "multigrid/transfer.h"

/* Waits if the backend of `from` has queued work on memory that another backend, that of `to`,
 * uses next. */
void hymgi_cross(const hymgi_level *from, const hymgi_level *to);

/* transfer.c: the vector in which the patches of a coarse vector are, and its copy into that vector; zero:
 * NULL, or a vector that is set to 0 where received data are written. */
hymgi_real *hymgi_patches_of(const hymgi_level *fine, hymgi_real *coarse);
void hymgi_gather(const hymgi_level *fine, const hymgi_level *coarse, hymgi_real *y,
                  hymgi_real *zero);

/* Runs a whole plan; NULL does nothing. */
void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const hymgi_real *src, const hymgi_geom *dst_box, hymgi_real *dst);

/* Ranks that hold nothing of the level may call every level operation; their reductions return
 * 0. */
void hymgi_smooth(hymgi_level *level);
/* Robust path: the same with x taken as 0, whatever it is. */
void hymgi_smooth_from_zero(hymgi_level *level);
/* Robust path, gsrb: black before red, the transpose of hymgi_smooth; else the same. */
void hymgi_smooth_transposed(hymgi_level *level);
void hymgi_apply(const hymgi_level *level, double *x, double *y); /* y = A x */
void hymgi_residual(const hymgi_level *level, const double *f, double *x,
                    double *r); /* r = f - A x */
double hymgi_residual_norm(const hymgi_level *level, const double *f,
                           double *x); /* max |f - A x| */
/* smooth; then coarse->f = R (f - A x), coarse->x = 0. from_zero: fine->x is 0, which may save
 * work */
void hymgi_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero);
/* y = mean of 8 cells; robust path: sum of the children */
void hymgi_restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                          double *y);
/* fine->x += P_V coarse->x or, in an F-cycle, fine->x = P_F coarse->x. smoothed: the next operation
 * on fine->x smooths, and cells that it does not read need not be written. */
void hymgi_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed);
/* interpolate of a V-cycle, then smooth_transposed */
void hymgi_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine);

/* What boundary data and fixed cells add to f, which becomes 0 in fixed cells. */
void hymgi_add_boundary_terms(const hymgi_level *level, double *f);
/* Fixed cells of level 0; nothing where there are none. */
void hymgi_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x);
void hymgi_fill(const hymgi_level *level, double value, double *x);
void hymgi_copy_vector(const hymgi_level *level, const double *x, double *y);
void hymgi_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                 double *z);
void hymgi_shift(const hymgi_level *level, double c, double *x);
void hymgi_precondition(const hymgi_level *level, const double *r,
                        double *z); /* z = D^-1 r, the exact diagonal */
double hymgi_norm_max(const hymgi_level *level, const double *x);
double hymgi_norm_product(const hymgi_level *level, const double *x,
                          const double *y); /* max |x y| */
/* Norms whose results are read later, so that a cycle need not wait for them. */
typedef enum hymgi_slot {
  HYMGI_SLOT_NONE = -1,
  HYMGI_SLOT_RHS,
  HYMGI_SLOT_RESIDUAL,
  HYMGI_SLOT_MEAN,   /* of f, before it was subtracted */
  HYMGI_SLOT_BEFORE, /* max |f| then */
  HYMGI_SLOTS
} hymgi_slot;
void hymgi_norm_max_later(const hymgi_level *level, const double *x, hymgi_slot slot);
void hymgi_residual_norm_later(const hymgi_level *level, const double *f, double *x,
                               hymgi_slot slot);
/* hymgi_restrict_cells, and hymgi_norm_max_later of x unless slot is NONE */
void hymgi_restrict_norm_later(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                               double *y, hymgi_slot slot);
double hymgi_later(const hymgi_level *level, hymgi_slot slot);
double hymgi_dot(const hymgi_level *level, const double *x, const double *y);
/* dots[m] = x[m] . y[m], or the sum of x[m] if y[m] is NULL; count <= HYMGI_MAX_DOTS, with the same
 * number of messages as one product. */
enum { HYMGI_MAX_DOTS = 192 };
void hymgi_dots(const hymgi_level *level, int count, const double *const *x, const double *const *y,
                double *dots);
/* What a dot product is expected to be like from an earlier one of its kind: with that it takes one
 * pass and one message, else two. The zero value expects nothing. Ranks have the same. */
typedef struct hymgi_expected {
  bool known;
  int exponent; /* terms are below 2^exponent */
  int margin;   /* by how much, beyond the sum's exponent */
} hymgi_expected;
double hymgi_dot_expected(const hymgi_level *level, const double *x, const double *y,
                          hymgi_expected *expected);
/* y = A x; with . y */
double hymgi_apply_dot(const hymgi_level *level, double *x, double *y, const double *with,
                       hymgi_expected *expected);
/* u += a p, r -= a w; r . r or, without expected, max |r| */
double hymgi_advance(const hymgi_level *level, double a, const double *p, const double *w,
                     double *u, double *r, hymgi_expected *expected);
/* Robust path: the means of the shares of the coupling along the axes, 0 for an axis of one cell. */
void hymgi_share_means(const hymgi_level *level, double mean[3]);
double hymgi_mean(const hymgi_level *level, const double *x);
/* Without a wait where one rank's GPU has the level. */
void hymgi_remove_mean(const hymgi_level *level, double *x);
/* The same; the mean goes to HYMGI_SLOT_MEAN, max |x| before to HYMGI_SLOT_BEFORE. */
void hymgi_remove_mean_later(const hymgi_level *level, double *x);

/* Between a level in single precision and that in double precision, with the same boxes: out = factor x,
 * with ghosts (narrow), or of cells, and with `add` out += factor x (widen); factor (f - A x) to
 * single->f, and max |f - A x| to a slot. */
void hymgi_narrow(const hymgi_level *single, const hymgi_level *level, double factor,
                  const double *x, void *out);
void hymgi_widen(const hymgi_level *single, const hymgi_level *level, double factor, const void *x,
                 bool add, double *out);
void hymgi_narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                           hymgi_slot slot);

/* The coarse end: a whole cycle from level l down in one launch, visits: 1 for V, 2 for W, 0 for F;
 * from_zero: x of the level is 0 (V, W). False if the placement or the backend does not run level l
 * like that. Not for the coarsest level. */
bool hymgi_coarse_end(hymgi_hierarchy *h, int l, int visits, bool from_zero);

/* Solves A x = f on the coarsest level from x = 0. */
void hymgi_bottom_solve(hymgi_level *level, hymg_bottom bottom);
/* The number of scratch vectors that the bottom solver needs in level->krylov. */
int hymgi_bottom_vectors(hymg_bottom bottom);

#endif
