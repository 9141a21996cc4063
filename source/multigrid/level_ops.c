/* Level operations: those of the backend, with the exchange, the reduction over ranks and the
 * profile. */
#include "multigrid/level_ops.h"

#include <math.h>

#include "multigrid/accounting.h"
#include "multigrid/boundary_data.h"
#include "multigrid/hierarchy.h"

static double smooth_bytes(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  double streams = hymgi_operator_streams(level) + 2 + (level->c.dinv || level->c.l1inv) +
                   (m->smoother == HYMG_CHEBYSHEV);
  /* half of f, of the target, and of 1/diag (FV4) or of x (FV2 does not read the colour that it
   * updates) */
  if (m->smoother == HYMG_GSRB) streams -= 1.5;
  return hymgi_stream_bytes(level, streams * hymgi_sweeps(level));
}

void hymgi_cross(const hymgi_level *from, const hymgi_level *to)
{
  if (from->backend != to->backend) from->backend->sync(from->context);
}

void hymgi_smooth(hymgi_level *level)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_SMOOTH);
  level->backend->smooth(level);
  hymgi_profile_end(level, HYMGI_OP_SMOOTH, start, smooth_bytes(level));
  hymgi_profile_messages(level, HYMGI_OP_SMOOTH, hymgi_operator_halo(level), hymgi_sweeps(level));
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
  const double start = hymgi_profile_begin(level, HYMGI_OP_APPLY);
  level->backend->apply(level, x, y);
  hymgi_profile_end(level, HYMGI_OP_APPLY, start,
                    hymgi_stream_bytes(level, hymgi_operator_streams(level) + 1));
  hymgi_profile_messages(level, HYMGI_OP_APPLY, hymgi_operator_halo(level), 1);
}

void hymgi_residual(const hymgi_level *level, const double *f, double *x, double *r)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_RESIDUAL);
  level->backend->residual(level, f, x, r);
  hymgi_profile_end(level, HYMGI_OP_RESIDUAL, start,
                    hymgi_stream_bytes(level, hymgi_operator_streams(level) + 2));
  hymgi_profile_messages(level, HYMGI_OP_RESIDUAL, hymgi_operator_halo(level), 1);
}

double hymgi_residual_norm(const hymgi_level *level, const double *f, double *x)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_RESIDUAL);
  const double norm = hymgi_reduce_max(level, level->backend->residual_max(level, f, x));
  hymgi_profile_end(level, HYMGI_OP_RESIDUAL, start,
                    hymgi_stream_bytes(level, hymgi_operator_streams(level) + 1));
  hymgi_profile_messages(level, HYMGI_OP_RESIDUAL, hymgi_operator_halo(level), 1);
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

/* What the robust path's transfers read of a level's ghosts; NULL if nothing. */
static const hymgi_plan *transfer_halo(const hymgi_level *level)
{
  if (!level->method->weighted) return NULL;
  return level->method->tensor ? level->halo[HYMGI_HALO_FULL] : hymgi_operator_halo(level);
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
  const double start = hymgi_profile_begin(fine, HYMGI_OP_SMOOTH_RESTRICT);
  const bool done = ops->smooth_restrict(fine, from_zero, after, coarse);
  const double own =
      hymgi_stream_bytes(fine, hymgi_operator_streams(fine) + (fine->method->weighted ? 6 : 3));
  if (!done) {
    hymgi_profile_cancel(fine, start);
    return false;
  }
  hymgi_profile_end(fine, HYMGI_OP_SMOOTH_RESTRICT, start, smooth_bytes(fine) + own);
  hymgi_profile_messages(fine, HYMGI_OP_SMOOTH_RESTRICT, hymgi_operator_halo(fine),
                         hymgi_sweeps(fine) + 1);
  hymgi_profile_messages(fine, HYMGI_OP_SMOOTH_RESTRICT, transfer_halo(fine), 1);
  return true;
}

static void smooth_from_zero(hymgi_level *level)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_SMOOTH);
  const hymgi_robust_ops *ops = level->backend->robust;
  if (!ops->smooth_from_zero || !ops->smooth_from_zero(level)) {
    level->backend->fill(level, 0, level->x);
    level->backend->smooth(level);
  }
  hymgi_profile_end(level, HYMGI_OP_SMOOTH, start, smooth_bytes(level));
  hymgi_profile_messages(level, HYMGI_OP_SMOOTH, hymgi_operator_halo(level), hymgi_sweeps(level));
}

static void residual_red(const hymgi_level *level)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_RESIDUAL);
  level->backend->robust->residual_red(level, level->f, level->x, level->y);
  hymgi_profile_end(level, HYMGI_OP_RESIDUAL, start,
                    hymgi_stream_bytes(level, hymgi_operator_streams(level) + 1));
  hymgi_profile_messages(level, HYMGI_OP_RESIDUAL, hymgi_operator_halo(level), 1);
}

/* The residual, through y, to the patches. */
static void restrict_residual(const hymgi_level *fine, hymgi_after after, double *patches)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  const hymgi_plan *halo = transfer_halo(fine);
  const bool red = after == HYMGI_AFTER_GSRB;
  const double weights = fine->method->weighted ? 3 : 0;
  if (red)
    residual_red(fine);
  else
    hymgi_residual(fine, fine->f, fine->x, fine->y);
  const double start = hymgi_profile_begin(fine, HYMGI_OP_RESTRICT);
  hymgi_run_plan(fine, halo, fine->box, fine->y, fine->box, fine->y);
  ops->restrict_weighted(fine, fine->y, after, patches);
  hymgi_profile_end(fine, HYMGI_OP_RESTRICT, start,
                    hymgi_stream_bytes(fine, (1 + weights) * (red ? 0.5 : 1)));
  hymgi_profile_messages(fine, HYMGI_OP_RESTRICT, halo, 1);
}

/* The robust path: smooth; then coarse->f = P^T (f - A x). from_zero: x is taken as 0. level->y is
 * free. */
static void smooth_restrict_weighted(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  const hymgi_after after = after_smoothing(fine);
  double *const patches = patches_of(fine, coarse->f);
  if (!fused_smooth_restrict(fine, from_zero, after, patches)) {
    if (from_zero)
      smooth_from_zero(fine);
    else
      hymgi_smooth(fine);
    restrict_residual(fine, after, patches);
  }
  const double start = hymgi_profile_begin(fine, HYMGI_OP_RESTRICT);
  gather(fine, coarse, coarse->f, NULL);
  hymgi_cross(fine, coarse);
  if (fine->direct) {
    hymgi_profile_cancel(fine, start);
    return;
  }
  hymgi_profile_end(fine, HYMGI_OP_RESTRICT, start, 0);
  hymgi_profile_messages(fine, HYMGI_OP_RESTRICT, fine->gather, 1);
}

/* Where the interpolation to `fine` reads the coarse values. */
static double *coarse_source(hymgi_level *coarse, hymgi_level *fine)
{
  double *const source = patches_of(fine, coarse->x);
  hymgi_run_plan(coarse, transfer_halo(coarse), coarse->box, coarse->x, coarse->box, coarse->x);
  if (!fine->direct)
    hymgi_run_plan(fine, fine->scatter, coarse->box, coarse->x, fine->patch, source);
  hymgi_cross(coarse, fine);
  return source;
}

static void end_interpolation(const hymgi_level *coarse, const hymgi_level *fine, double start,
                              double smoothing)
{
  const double own = hymgi_stream_bytes(fine, fine->method->weighted ? 5 : 2);
  hymgi_profile_end(fine, HYMGI_OP_INTERPOLATE, start, own + smoothing);
  hymgi_profile_messages(fine, HYMGI_OP_INTERPOLATE, transfer_halo(coarse), 1);
  hymgi_profile_messages(fine, HYMGI_OP_INTERPOLATE, fine->scatter, 1);
}

static void interpolate_weighted(hymgi_level *coarse, hymgi_level *fine, bool smoothed)
{
  const double start = hymgi_profile_begin(fine, HYMGI_OP_INTERPOLATE);
  const double *const source = coarse_source(coarse, fine);
  fine->backend->robust->interpolate_weighted(fine, source, smoothed, fine->x);
  end_interpolation(coarse, fine, start, 0);
}

/* The last smoother call of a cycle on the standard path, with the norm that is wanted after it. */
static bool smooth_norm(hymgi_level *level)
{
  if (level->norm != HYMGI_NORM_WANTED || level->method->robust || level->uneven) return false;
  if (!level->backend->smooth_norm) return false;
  const double start = hymgi_profile_begin(level, HYMGI_OP_SMOOTH);
  const double norm_bytes = hymgi_stream_bytes(level, hymgi_operator_streams(level) + 1);
  if (!level->backend->smooth_norm(level, HYMGI_SLOT_RESIDUAL)) {
    hymgi_profile_cancel(level, start);
    return false;
  }
  level->norm = HYMGI_NORM_KNOWN;
  hymgi_profile_end(level, HYMGI_OP_SMOOTH, start, smooth_bytes(level) + norm_bytes);
  hymgi_profile_messages(level, HYMGI_OP_SMOOTH, hymgi_operator_halo(level),
                         hymgi_sweeps(level) + 1);
  return true;
}

void hymgi_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine)
{
  const hymgi_robust_ops *ops = fine->method->robust ? fine->backend->robust : NULL;
  if (!ops || !ops->interpolate_smooth || fine->method->tensor) {
    hymgi_interpolate(coarse, fine, false, true);
    if (!smooth_norm(fine)) hymgi_smooth_transposed(fine);
    return;
  }
  const double start = hymgi_profile_begin(fine, HYMGI_OP_INTERPOLATE);
  const double *const source = coarse_source(coarse, fine);
  const bool fused = ops->interpolate_smooth(fine, source);
  if (!fused) ops->interpolate_weighted(fine, source, true, fine->x);
  end_interpolation(coarse, fine, start, fused ? smooth_bytes(fine) : 0);
  if (fused)
    hymgi_profile_messages(fine, HYMGI_OP_INTERPOLATE, hymgi_operator_halo(fine),
                           hymgi_sweeps(fine));
  else
    hymgi_smooth_transposed(fine);
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
  const double start = hymgi_profile_begin(fine, HYMGI_OP_SMOOTH_RESTRICT);
  const bool same = coarse->backend == fine->backend;
  const bool zeroes = (fine->direct || fine->inside) && fine->backend->zeroes && same;
  double *const zero = zeroes ? coarse->x : NULL;
  fine->backend->smooth_restrict(fine, from_zero, patches_of(fine, coarse->f), zero);
  /* while the messages are in flight */
  if (same && !zeroes) coarse->backend->fill(coarse, 0, coarse->x);
  gather(fine, coarse, coarse->f, zero);
  hymgi_cross(fine, coarse);
  const double own = hymgi_stream_bytes(fine, hymgi_operator_streams(fine) + 1 + 0.125);
  hymgi_profile_end(fine, HYMGI_OP_SMOOTH_RESTRICT, start, smooth_bytes(fine) + own);
  hymgi_profile_messages(fine, HYMGI_OP_SMOOTH_RESTRICT, hymgi_operator_halo(fine),
                         hymgi_sweeps(fine) + 1);
  hymgi_profile_messages(fine, HYMGI_OP_SMOOTH_RESTRICT, fine->gather, 1);
  if (!same) hymgi_fill(coarse, 0, coarse->x); /* nothing queued reads it any more */
}

void hymgi_restrict_norm_later(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                               double *y, hymgi_slot slot)
{
  const double start = hymgi_profile_begin(fine, HYMGI_OP_RESTRICT);
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
  hymgi_profile_end(fine, HYMGI_OP_RESTRICT, start, hymgi_stream_bytes(fine, 1 + 0.125));
  hymgi_profile_messages(fine, HYMGI_OP_RESTRICT, fine->gather, 1);
  if (slot != HYMGI_SLOT_NONE && !fused) hymgi_norm_max_later(fine, x, slot);
}

void hymgi_restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                          double *y)
{
  hymgi_restrict_norm_later(fine, x, coarse, y, HYMGI_SLOT_NONE);
}

void hymgi_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  if (fine->method->robust) {
    interpolate_weighted(coarse, fine, smoothed);
    return;
  }
  const double start = hymgi_profile_begin(fine, HYMGI_OP_INTERPOLATE);
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
  hymgi_profile_end(fine, HYMGI_OP_INTERPOLATE, start,
                    hymgi_stream_bytes(fine, (f_cycle ? 1 : 2) + 0.125));
  hymgi_profile_messages(fine, HYMGI_OP_INTERPOLATE, coarse->halo[HYMGI_HALO_FULL], 1);
  hymgi_profile_messages(fine, HYMGI_OP_INTERPOLATE, fine->scatter, 1);
}

/* ---- the coarse end ---- */

/* For one visit of each level, without the iterations of the bottom solver. */
static double coarse_end_bytes(const hymgi_hierarchy *h, int l)
{
  double sum = 0;
  for (; l < h->num_levels - 1; l++) {
    const hymgi_level *level = h->level + l;
    sum += 2 * smooth_bytes(level) +
           hymgi_stream_bytes(level, hymgi_operator_streams(level) + 3 + 2 * 0.125);
  }
  return sum;
}

bool hymgi_coarse_end(hymgi_hierarchy *h, int l, int visits, bool from_zero)
{
  hymgi_level *level = h->level + l;
  if (l < h->placement.tail_from || l >= h->num_levels - 1 || !level->backend->tail) return false;
  const double start = hymgi_profile_begin(level, HYMGI_OP_COARSE);
  if (!level->backend->tail(h, l, visits, from_zero)) {
    hymgi_profile_cancel(level, start);
    return false;
  }
  hymgi_profile_end(level, HYMGI_OP_COARSE, start, start == 0 ? 0 : coarse_end_bytes(h, l));
  return true;
}

void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const double *src, const hymgi_geom *dst_box, double *dst)
{
  if (!plan) return;
  const hymgi_mover *mover = &level->backend->mover;
  hymgi_exchange_begin(level->context, mover, plan, src_box, src, dst_box, dst);
  hymgi_exchange_end(level->context, mover, plan, dst_box, dst, NULL);
}
