/* Level operations: those of the backend, with the exchange, the reduction over ranks and the
 * profile. */
#include "multigrid/level_ops.h"

#include <math.h>

#include "multigrid/accounting.h"
#include "multigrid/boundary_data.h"
#include "multigrid/hierarchy.h"

void hymgi_cross(const hymgi_level *from, const hymgi_level *to)
{
  if (from->backend != to->backend) from->backend->sync(from->context);
}

void hymgi_smooth(hymgi_level *level)
{
  HYMGI_OPERATION(level, HYMGI_OP_SMOOTH, 0, level->backend->smooth(level));
}

void hymgi_smooth_transposed(hymgi_level *level)
{
  if (!level->exchanged || level->method->smoother != HYMG_GSRB) {
    hymgi_smooth(level);
    return;
  }
  hymgi_geom *const box = level->box;
  level->box = level->exchanged;
  hymgi_smooth(level);
  level->box = box;
}

void hymgi_apply(const hymgi_level *level, double *x, double *y)
{
  HYMGI_OPERATION(level, HYMGI_OP_APPLY, 1, level->backend->apply(level, x, y));
}

void hymgi_residual(const hymgi_level *level, const double *f, double *x, double *r)
{
  HYMGI_OPERATION(level, HYMGI_OP_RESIDUAL, 2, level->backend->residual(level, f, x, r));
}

double hymgi_residual_norm(const hymgi_level *level, const double *f, double *x)
{
  double norm;
  HYMGI_OPERATION(level, HYMGI_OP_RESIDUAL, 1,
                  norm = hymgi_reduce_max(level, level->backend->residual_max(level, f, x)));
  return norm;
}

/* ---- transfers ---- */

/* The vector in which the patches of a coarse vector are. */
static double *patches_of(const hymgi_level *fine, double *coarse)
{
  return fine->direct || fine->inside ? coarse : fine->patch_vector;
}

/* Copies the patches into a coarse vector; zero: NULL, or a vector that is set to 0 where
 * received data are written. */
static void gather(const hymgi_level *fine, const hymgi_level *coarse, double *y, double *zero)
{
  const hymgi_mover *mover = &fine->backend->mover;
  if (fine->direct) return;
  hymgi_exchange_begin(fine->context, mover, fine->gather, fine->patch, fine->patch_vector,
                       coarse->box, y);
  hymgi_exchange_end(fine->context, mover, fine->gather, coarse->box, y, zero);
}

/* Where a side is odd: smooth; then coarse->f = the sums of f - A x over children, coarse->x = 0. level->y
 * is free. */
static void smooth_restrict_uneven(hymgi_level *fine, hymgi_level *coarse)
{
  hymgi_smooth(fine);
  hymgi_residual(fine, fine->f, fine->x, fine->y);
  hymgi_restrict_cells(fine, fine->y, coarse, coarse->f);
  hymgi_fill(coarse, 0, coarse->x);
}

/* After black cells their residual is 0, up to rounding, unless neighbours have the same colour. The
 * tensor transfer reads all cells. */
static hymgi_after after_smoothing(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const bool red_black = m->smoother == HYMG_GSRB && hymgi_sweeps(level) % 2 == 0 && !m->tensor;
  return red_black && hymgi_keeps_colours_apart(level) ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY;
}

static bool fused_smooth_restrict(hymgi_level *fine, bool from_zero, hymgi_after after,
                                  double *coarse)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  if (!ops->smooth_restrict || fine->method->tensor) return false;
  bool done;
  HYMGI_OPERATION_IF(done, fine, HYMGI_OP_SMOOTH_RESTRICT_WEIGHTED, fine->method->weighted ? 6 : 3,
                     ops->smooth_restrict(fine, from_zero, after, coarse));
  return done;
}

static void smooth_from_zero(hymgi_level *level)
{
  const hymgi_robust_ops *ops = level->backend->robust;
  if (ops->smooth_from_zero && ops->smooth_from_zero(level)) return;
  level->backend->fill(level, 0, level->x);
  level->backend->smooth(level);
}

/* The residual, through y, to the patches. */
static void restrict_residual(const hymgi_level *fine, hymgi_after after, double *patches)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  const hymgi_plan *halo = hymgi_transfer_halo(fine);
  const bool red = after == HYMGI_AFTER_GSRB;
  if (red)
    HYMGI_OPERATION(fine, HYMGI_OP_RESIDUAL, 1, ops->residual_red(fine, fine->f, fine->x, fine->y));
  else
    hymgi_residual(fine, fine->f, fine->x, fine->y);
  HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT_WEIGHTED,
                  (fine->method->weighted ? 4 : 1) * (red ? 0.5 : 1),
                  hymgi_run_plan(fine, halo, fine->box, fine->y, fine->box, fine->y);
                  ops->restrict_weighted(fine, fine->y, after, patches));
}

/* The robust path: smooth; then coarse->f = P^T (f - A x). from_zero: x is taken as 0. level->y is
 * free. */
static void smooth_restrict_weighted(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  const hymgi_after after = after_smoothing(fine);
  double *const patches = patches_of(fine, coarse->f);
  if (!fused_smooth_restrict(fine, from_zero, after, patches)) {
    if (from_zero)
      HYMGI_OPERATION(fine, HYMGI_OP_SMOOTH, 0, smooth_from_zero(fine));
    else
      hymgi_smooth(fine);
    restrict_residual(fine, after, patches);
  }
  if (fine->direct)
    hymgi_cross(fine, coarse);
  else
    HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT, 0, gather(fine, coarse, coarse->f, NULL);
                    hymgi_cross(fine, coarse));
}

/* Where the interpolation to `fine` reads the coarse values. */
static double *coarse_source(hymgi_level *coarse, hymgi_level *fine)
{
  double *const source = patches_of(fine, coarse->x);
  hymgi_run_plan(coarse, hymgi_transfer_halo(coarse), coarse->box, coarse->x, coarse->box,
                 coarse->x);
  if (!fine->direct)
    hymgi_run_plan(fine, fine->scatter, coarse->box, coarse->x, fine->patch, source);
  hymgi_cross(coarse, fine);
  return source;
}

static double weighted_arrays(const hymgi_level *fine)
{
  return fine->method->weighted ? 5 : 2;
}

static void interpolate_weighted(hymgi_level *coarse, hymgi_level *fine, bool smoothed)
{
  HYMGI_OPERATION(fine, HYMGI_OP_INTERPOLATE_WEIGHTED, weighted_arrays(fine),
                  const double *const source = coarse_source(coarse, fine);
                  fine->backend->robust->interpolate_weighted(fine, source, smoothed, fine->x));
}

/* The last smoother call of a cycle on the standard path, with the norm that is wanted after it. */
static bool smooth_norm(hymgi_level *level)
{
  if (level->norm != HYMGI_NORM_WANTED || level->method->robust || level->uneven) return false;
  if (!level->backend->smooth_norm) return false;
  bool done;
  HYMGI_OPERATION_IF(done, level, HYMGI_OP_SMOOTH_NORM, 1,
                     level->backend->smooth_norm(level, HYMGI_SLOT_RESIDUAL));
  if (done) level->norm = HYMGI_NORM_KNOWN;
  return done;
}

void hymgi_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine)
{
  const hymgi_robust_ops *ops = fine->method->robust ? fine->backend->robust : NULL;
  if (!ops || !ops->interpolate_smooth || fine->method->tensor) {
    hymgi_interpolate(coarse, fine, false, true);
    if (!smooth_norm(fine)) hymgi_smooth_transposed(fine);
    return;
  }
  bool fused = false;
  HYMGI_OPERATION(fine, fused ? HYMGI_OP_INTERPOLATE_SMOOTH : HYMGI_OP_INTERPOLATE_WEIGHTED,
                  weighted_arrays(fine), const double *const source = coarse_source(coarse, fine);
                  fused = ops->interpolate_smooth(fine, source);
                  if (!fused) ops->interpolate_weighted(fine, source, true, fine->x));
  if (!fused) hymgi_smooth_transposed(fine);
}

static void smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  const bool same = coarse->backend == fine->backend;
  const bool zeroes = (fine->direct || fine->inside) && fine->backend->zeroes && same;
  double *const zero = zeroes ? coarse->x : NULL;
  fine->backend->smooth_restrict(fine, from_zero, patches_of(fine, coarse->f), zero);
  /* while the messages are in flight */
  if (same && !zeroes) coarse->backend->fill(coarse, 0, coarse->x);
  gather(fine, coarse, coarse->f, zero);
  hymgi_cross(fine, coarse);
}

void hymgi_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  if (fine->uneven) {
    smooth_restrict_uneven(fine, coarse);
    return;
  }
  if (fine->method->robust) {
    smooth_restrict_weighted(fine, coarse, from_zero);
    return;
  }
  HYMGI_OPERATION(fine, HYMGI_OP_SMOOTH_RESTRICT, 1.125, smooth_restrict(fine, coarse, from_zero));
  if (coarse->backend != fine->backend)
    hymgi_fill(coarse, 0, coarse->x); /* nothing queued reads it any more */
}

/* True: with the norm of x. */
static bool restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                           double *y, hymgi_slot slot)
{
  const bool summed = fine->method->robust || fine->uneven;
  const bool fused = slot != HYMGI_SLOT_NONE && fine->backend->queue_restrict_max && !summed;
  if (summed)
    fine->backend->robust->sum_children(fine, x, patches_of(fine, y));
  else if (fused)
    fine->backend->queue_restrict_max(fine, x, patches_of(fine, y), (int)slot);
  else
    fine->backend->restrict_cells(fine, x, patches_of(fine, y));
  gather(fine, coarse, y, NULL);
  hymgi_cross(fine, coarse);
  return fused;
}

void hymgi_restrict_norm_later(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                               double *y, hymgi_slot slot)
{
  bool fused;
  HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT, 1.125, fused = restrict_cells(fine, x, coarse, y, slot));
  if (slot != HYMGI_SLOT_NONE && !fused) hymgi_norm_max_later(fine, x, slot);
}

void hymgi_restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                          double *y)
{
  hymgi_restrict_norm_later(fine, x, coarse, y, HYMGI_SLOT_NONE);
}

static void interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  const hymgi_method *m = fine->method;
  const hymgi_ghosts order = (hymgi_ghosts)(f_cycle ? m->interpolation_f : m->interpolation_v);
  const bool around = fine->backend->interpolates_around && !fine->uneven && fine->num_boxes == 1 &&
                      fine->patch->wraps;
  if (order != HYMGI_GHOSTS_P0 && !around)
    hymgi_run_plan(coarse, coarse->halo[HYMGI_HALO_FULL], coarse->box, coarse->x, coarse->box,
                   coarse->x);
  if (order != HYMGI_GHOSTS_P0 && !fine->uneven &&
      (!fine->backend->extrapolates_in_loads ||
       (!fine->direct && (f_cycle || hymgi_has_robin(coarse))))) /* with planes of other boxes */
    coarse->backend->fill_ghosts(coarse, coarse->x, order, f_cycle);
  double *const source = patches_of(fine, coarse->x);
  if (!fine->direct)
    hymgi_run_plan(fine, fine->scatter, coarse->box, coarse->x, fine->patch, source);
  hymgi_cross(coarse, fine);
  const hymgi_interpolation what = {source, order, !f_cycle};
  const bool can_wait = smoothed && !fine->uneven && fine->backend->interpolate_later;
  if (fine->uneven)
    fine->backend->robust->interpolate_uneven(fine, source, order, !f_cycle, fine->x);
  else if (!can_wait || !fine->backend->interpolate_later(fine, &what))
    fine->backend->interpolate(fine, coarse, source, order, !f_cycle, smoothed, fine->x);
}

void hymgi_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  if (fine->method->robust)
    interpolate_weighted(coarse, fine, smoothed);
  else
    HYMGI_OPERATION(fine, HYMGI_OP_INTERPOLATE, f_cycle ? 1.125 : 2.125,
                    interpolate(coarse, fine, f_cycle, smoothed));
}

/* ---- the coarse end ---- */

bool hymgi_coarse_end(hymgi_hierarchy *h, int l, int visits, bool from_zero)
{
  hymgi_level *level = h->level + l;
  if (l < h->placement.tail_from || l >= h->num_levels - 1 || !level->backend->tail) return false;
  bool done;
  HYMGI_OPERATION_IF(done, level, HYMGI_OP_COARSE, 3.25,
                     level->backend->tail(h, l, visits, from_zero));
  return done;
}

void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const double *src, const hymgi_geom *dst_box, double *dst)
{
  if (!plan) return;
  const hymgi_mover *mover = &level->backend->mover;
  hymgi_exchange_begin(level->context, mover, plan, src_box, src, dst_box, dst);
  hymgi_exchange_end(level->context, mover, plan, dst_box, dst, NULL);
}
