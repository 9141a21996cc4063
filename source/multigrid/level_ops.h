/* The words multigrid/cycle.c and multigrid/krylov.c are written in: a backend's level operation, its reduction over ranks, its
 * time for the profile. Vectors are on this rank's boxes of the level. Reductions are collective
 * over the level's ranks and give all of them the same bits whatever the ranks, threads and
 * boxes. Failures go into context->status. */
#ifndef HYMGI_MULTIGRID_LEVEL_OPS_H
#define HYMGI_MULTIGRID_LEVEL_OPS_H

#include "multigrid/backend.h"

/* After work of `from` on memory of `to`: waits where another machine goes on. */
void hymgi_cross(const hymgi_level *from, const hymgi_level *to);

/* Runs a plan whole; NULL does nothing. */
void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const double *src, const hymgi_geom *dst_box, double *dst);

/* Ranks that hold nothing of the level may call every level operation but get 0 from reductions. */
void hymgi_smooth(hymgi_level *level);
void hymgi_apply(const hymgi_level *level, double *x, double *y); /* y = A x */
void hymgi_residual(const hymgi_level *level, const double *f, double *x,
                    double *r); /* r = f - A x */
double hymgi_residual_norm(const hymgi_level *level, const double *f,
                           double *x); /* max |f - A x| */
/* smooth; coarse->f = R (f - A x), coarse->x = 0. from_zero: fine->x is 0, which may spare work */
void hymgi_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero);
void hymgi_restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                          double *y);
/* fine->x += P_V coarse->x, fine->x = P_F coarse->x; smoothed: the next level operation on fine->x smooths, and
 * what it does not read may be left out. */
void hymgi_interpolate_add(hymgi_level *coarse, hymgi_level *fine, bool smoothed);
void hymgi_interpolate_f(hymgi_level *coarse, hymgi_level *fine, bool smoothed);

void hymgi_fill(const hymgi_level *level, double value, double *x);
void hymgi_copy_vector(const hymgi_level *level, const double *x, double *y);
void hymgi_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                 double *z);
void hymgi_shift(const hymgi_level *level, double c, double *x);
void hymgi_precondition(const hymgi_level *level, const double *r,
                        double *z); /* z = D^-1 r, the exact diagonal */
double hymgi_norm_max(const hymgi_level *level, const double *x);
/* Norms to be asked for later, so that a cycle need not wait for them. */
typedef enum hymgi_slot { HYMGI_SLOT_RHS, HYMGI_SLOT_RESIDUAL } hymgi_slot;
void hymgi_norm_max_later(const hymgi_level *level, const double *x, hymgi_slot slot);
void hymgi_residual_norm_later(const hymgi_level *level, const double *f, double *x,
                               hymgi_slot slot);
/* hymgi_restrict_cells, and hymgi_norm_max_later of x */
void hymgi_restrict_norm_later(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                               double *y, hymgi_slot slot);
double hymgi_later(const hymgi_level *level, hymgi_slot slot);
double hymgi_dot(const hymgi_level *level, const double *x, const double *y);
/* dots[m] = x[m] . y[m], count <= HYMGI_MAX_DOTS, with the messages of one. */
enum { HYMGI_MAX_DOTS = 192 };
void hymgi_dots(const hymgi_level *level, int count, const double *const *x, const double *const *y,
                double *dots);
double hymgi_mean(const hymgi_level *level, const double *x);
void hymgi_remove_mean(const hymgi_level *level, double *x);

/* A whole cycle from level l down in one go, visits 1 for V, 2 for W, 0 for F; false where level l
 * is not among those that the placement and the machine do so. Not for the coarsest level. */
bool hymgi_coarse_end(hymgi_hierarchy *h, int l, int visits);

/* Solves A x = f on the coarsest level from x = 0. */
void hymgi_bottom_solve(hymgi_level *level, hymg_bottom bottom);
/* Scratch vectors of the bottom solver (level->krylov must hold as many). */
int hymgi_bottom_vectors(hymg_bottom bottom);

#endif
