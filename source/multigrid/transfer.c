/* The transfers between levels, an instance for each kind. */
#include "multigrid/transfer.h"

#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "multigrid/lines.h"
#include "multigrid/profile.h"
#include "multigrid/wide.h"

/* ---- patches ---- */

double *hymgi_patches_of(const hymgi_level *fine, double *coarse)
{
  return fine->direct || fine->inside ? coarse : fine->patch_vector;
}

void hymgi_gather(const hymgi_level *fine, const hymgi_level *coarse, double *y, double *zero)
{
  const hymgi_mover *mover = &fine->backend->mover;
  if (fine->direct) return;
  hymgi_exchange_begin(fine->context, mover, fine->gather, fine->patch, hymgi_patches_of(fine, y),
                       coarse->box, y);
  hymgi_exchange_end(fine->context, mover, fine->gather, coarse->box, y, zero);
}

/* ---- means of cells, interpolation of fixed weights ---- */

/* Where a restriction writes zeros as well, or NULL if it cannot. */
static double *zeroed_with(const hymgi_level *fine, const hymgi_level *coarse)
{
  const bool same = coarse->backend == fine->backend;
  return (fine->direct || fine->inside) && fine->backend->zeroes && same ? coarse->x : NULL;
}

static void smooth_to_means(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  const bool same = coarse->backend == fine->backend;
  double *const zero = zeroed_with(fine, coarse);
  fine->backend->smooth_restrict(fine, from_zero, hymgi_patches_of(fine, coarse->f), zero);
  /* while the messages are in flight */
  if (same && !zero) coarse->backend->fill(coarse, 0, coarse->x);
  hymgi_gather(fine, coarse, coarse->f, zero);
  hymgi_cross(fine, coarse);
}

static void mean_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  HYMGI_OPERATION(fine, HYMGI_OP_SMOOTH_RESTRICT, 1.125, smooth_to_means(fine, coarse, from_zero));
  if (coarse->backend != fine->backend)
    hymgi_fill(coarse, 0, coarse->x); /* nothing queued reads it any more */
}

static bool mean_restrict_cells(const hymgi_level *fine, const double *x, double *patches, int slot)
{
  const bool with_norm = slot != (int)HYMGI_SLOT_NONE && fine->backend->queue_restrict_max;
  if (with_norm)
    fine->backend->queue_restrict_max(fine, x, patches, slot);
  else
    fine->backend->restrict_cells(fine, x, patches);
  return with_norm;
}

static void mean_restrict_faces(const hymgi_level *fine, int axis, const double *beta,
                                const hymgi_geom *patch, double *coarse)
{
  fine->backend->restrict_faces(fine, axis, beta, patch, coarse);
}

static hymgi_ghosts order_of(const hymgi_level *fine, bool f_cycle)
{
  const hymgi_method *m = fine->method;
  return (hymgi_ghosts)(f_cycle ? m->interpolation_f : m->interpolation_v);
}

/* The patches' values, from the other boxes of the coarse level. */
static double *scatter(hymgi_level *coarse, hymgi_level *fine)
{
  double *const source = hymgi_patches_of(fine, coarse->x);
  if (!fine->direct)
    hymgi_run_plan(fine, fine->scatter, coarse->box, coarse->x, fine->patch, source);
  hymgi_cross(coarse, fine);
  return source;
}

/* The ghosts of a correction. */
static void exchange(hymgi_level *level, const hymgi_plan *plan)
{
  if (!plan || hymgi_wide_is_current(level)) return;
  if (level->wide) level->wide->shallow++;
  hymgi_run_plan(level, plan, level->box, level->x, level->box, level->x);
}

/* Is the interpolation left to the smoother call that follows? */
static bool waits(hymgi_level *fine, const hymgi_interpolation *what)
{
  return fine->backend->interpolate_later && fine->backend->interpolate_later(fine, what);
}

static void interpolate_fixed(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  const hymgi_backend *const backend = fine->backend;
  const hymgi_ghosts order = order_of(fine, f_cycle);
  const bool around = backend->interpolates_around && fine->num_boxes == 1 && fine->patch->wraps;
  const bool data = fine->direct && (f_cycle || hymgi_has_robin(coarse));
  const int layers = smoothed ? hymgi_wide_target(fine, coarse, data) : 0;
  if (order != HYMGI_GHOSTS_P0 && !around) exchange(coarse, coarse->halo[HYMGI_HALO_FULL]);
  if (order != HYMGI_GHOSTS_P0 &&
      (!backend->extrapolates_in_loads ||
       (!fine->direct && (f_cycle || hymgi_has_robin(coarse))))) /* with planes of other boxes */
    coarse->backend->fill_ghosts(coarse, coarse->x, order, f_cycle);
  const hymgi_interpolation what = {scatter(coarse, fine), order, !f_cycle};
  if (smoothed && waits(fine, &what)) return;
  const hymgi_level target = hymgi_wide_interpolated(fine, layers, what.add);
  backend->interpolate(&target, coarse, what.source, order, what.add, smoothed, fine->x);
}

static void mean_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  HYMGI_OPERATION(fine, HYMGI_OP_INTERPOLATE, f_cycle ? 1.125 : 2.125,
                  interpolate_fixed(coarse, fine, f_cycle, smoothed));
}

/* The last smoother call of a cycle with the norm that is wanted after it. */
static bool smooth_norm(hymgi_level *level)
{
  if (level->norm != HYMGI_NORM_WANTED || !level->backend->smooth_norm) return false;
  bool done;
  HYMGI_OPERATION_IF(done, level, HYMGI_OP_SMOOTH_NORM, 1,
                     level->backend->smooth_norm(level, HYMGI_SLOT_RESIDUAL));
  if (done) level->norm = HYMGI_NORM_KNOWN;
  return done;
}

static void fixed_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine)
{
  fine->transfer->interpolate(coarse, fine, false, true);
  if (!smooth_norm(fine)) hymgi_smooth(fine);
}

static const hymgi_transfer means = {.smooth_restrict = mean_smooth_restrict,
                                     .interpolate = mean_interpolate,
                                     .interpolate_smooth = fixed_interpolate_smooth,
                                     .restrict_cells = mean_restrict_cells,
                                     .restrict_faces = mean_restrict_faces,
                                     .one_operation = true,
                                     .part_of_sum = 0.125};

/* ---- odd sides on the standard path: sums of children, parabolas ---- */

static bool sum_restrict_cells(const hymgi_level *fine, const double *x, double *patches, int slot)
{
  (void)slot;
  fine->backend->robust->sum_children(fine, x, patches);
  return false;
}

static void sum_restrict_faces(const hymgi_level *fine, int axis, const double *beta,
                               const hymgi_geom *patch, double *coarse)
{
  fine->backend->robust->coarse_faces(fine, axis, beta, patch, coarse);
}

static bool smooth_sum_residual(hymgi_level *fine, const hymgi_level *coarse, bool from_zero,
                                double *zero)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  if (!ops->smooth_sum_residual ||
      !ops->smooth_sum_residual(fine, from_zero, hymgi_patches_of(fine, coarse->f), zero))
    return false;
  hymgi_gather(fine, coarse, coarse->f, zero);
  hymgi_cross(fine, coarse);
  return true;
}

/* coarse->x = 0. level->y is free. */
static void uneven_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  double *const zero = zeroed_with(fine, coarse);
  bool done;
  HYMGI_OPERATION_IF(done, fine, HYMGI_OP_SMOOTH_RESTRICT, 1.125,
                     smooth_sum_residual(fine, coarse, from_zero, zero));
  if (!done) {
    hymgi_smooth(fine);
    hymgi_residual(fine, fine->f, fine->x, fine->y);
    hymgi_restrict_cells(fine, fine->y, coarse, coarse->f);
  }
  if (!done || !zero) hymgi_fill(coarse, 0, coarse->x);
}

static void interpolate_parabolas(hymgi_level *coarse, hymgi_level *fine, bool f_cycle,
                                  bool smoothed)
{
  const hymgi_ghosts order = order_of(fine, f_cycle);
  if (order != HYMGI_GHOSTS_P0) exchange(coarse, coarse->halo[HYMGI_HALO_FULL]);
  const hymgi_interpolation what = {scatter(coarse, fine), order, !f_cycle};
  if (!smoothed || !waits(fine, &what))
    fine->backend->robust->interpolate_uneven(fine, what.source, order, what.add, fine->x);
}

static void uneven_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  HYMGI_OPERATION(fine, HYMGI_OP_INTERPOLATE, f_cycle ? 1.125 : 2.125,
                  interpolate_parabolas(coarse, fine, f_cycle, smoothed));
}

static const hymgi_transfer uneven = {.kernel = "sum_children",
                                      .smooth_restrict = uneven_smooth_restrict,
                                      .interpolate = uneven_interpolate,
                                      .interpolate_smooth = fixed_interpolate_smooth,
                                      .restrict_cells = sum_restrict_cells,
                                      .restrict_faces = sum_restrict_faces,
                                      .through_y = true,
                                      .part_of_sum = 0.125};

/* Even sides, but a last cell that is narrower than the others. */
static const hymgi_transfer narrow = {.smooth_restrict = mean_smooth_restrict,
                                      .interpolate = mean_interpolate,
                                      .interpolate_smooth = fixed_interpolate_smooth,
                                      .restrict_cells = mean_restrict_cells,
                                      .restrict_faces = sum_restrict_faces,
                                      .one_operation = true,
                                      .part_of_sum = 0.125};

const hymgi_transfer *hymgi_standard_transfer(const hymgi_level *level)
{
  return level->uneven ? &uneven : level->shortened ? &narrow : &means;
}

/* ---- the robust path: sums of children, weights of neighbours ---- */

/* After black cells their residual is 0, up to rounding, unless neighbours have the same colour. Products
 * of weights read all cells. */
static hymgi_after after_smoothing(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  const bool red_black =
      m->smoother == HYMG_GSRB && hymgi_sweeps(level) % 2 == 0 && level->transfer->fuses;
  return red_black && hymgi_keeps_colours_apart(level) ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY;
}

static bool fused_smooth_restrict(hymgi_level *fine, bool from_zero, hymgi_after after,
                                  double *coarse)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  if (!ops->smooth_restrict || !fine->transfer->fuses) return false;
  bool done;
  HYMGI_OPERATION_IF(done, fine, HYMGI_OP_SMOOTH_RESTRICT_WEIGHTED, 3 + fine->transfer->weights,
                     ops->smooth_restrict(fine, from_zero, after, coarse));
  return done;
}

static void smooth_unread(hymgi_level *level)
{
  const hymgi_robust_ops *ops = level->backend->robust;
  if (ops->smooth_from_zero && ops->smooth_from_zero(level)) return;
  level->backend->fill(level, 0, level->x);
  level->backend->smooth(level);
}

void hymgi_smooth_from_zero(hymgi_level *level)
{
  HYMGI_OPERATION(level, HYMGI_OP_SMOOTH, 0, smooth_unread(level));
}

/* The residual, through y, to the patches. */
static void restrict_residual(const hymgi_level *fine, hymgi_after after, double *patches)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  const hymgi_plan *halo = hymgi_transfer_halo(fine->transfer, fine);
  const bool red = after == HYMGI_AFTER_GSRB;
  if (red)
    HYMGI_OPERATION(fine, HYMGI_OP_RESIDUAL, 1, ops->residual_red(fine, fine->f, fine->x, fine->y));
  else
    hymgi_residual(fine, fine->f, fine->x, fine->y);
  HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT_WEIGHTED, (1 + fine->transfer->weights) * (red ? 0.5 : 1),
                  hymgi_run_plan(fine, halo, fine->box, fine->y, fine->box, fine->y);
                  fine->transfer->restrict_weighted(fine, fine->y, after, patches));
}

/* The robust path: smooth; then coarse->f = P^T (f - A x). from_zero: x is taken as 0. level->y is
 * free. */
static void weighted_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  const hymgi_after after = after_smoothing(fine);
  double *const patches = hymgi_patches_of(fine, coarse->f);
  if (fine->line.on && from_zero) hymgi_fill(fine, 0, fine->x);
  hymgi_relax_lines(fine, false);
  from_zero = from_zero && !fine->line.on;
  if (!fused_smooth_restrict(fine, from_zero, after, patches)) {
    if (from_zero)
      hymgi_smooth_from_zero(fine);
    else
      hymgi_smooth(fine);
    restrict_residual(fine, after, patches);
  }
  if (fine->direct)
    hymgi_cross(fine, coarse);
  else
    HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT, 0, hymgi_gather(fine, coarse, coarse->f, NULL);
                    hymgi_cross(fine, coarse));
}

/* Where the interpolation to `fine` reads the coarse values. */
static const double *coarse_source(hymgi_level *coarse, hymgi_level *fine)
{
  exchange(coarse, hymgi_transfer_halo(fine->transfer, coarse));
  return scatter(coarse, fine);
}

static double interpolated_arrays(const hymgi_level *fine)
{
  return 2 + fine->transfer->weights;
}

static void weighted_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle,
                                 bool smoothed)
{
  (void)f_cycle;
  HYMGI_OPERATION(fine, HYMGI_OP_INTERPOLATE_WEIGHTED, interpolated_arrays(fine),
                  const double *const source = coarse_source(coarse, fine);
                  fine->transfer->interpolate_weighted(fine, source, smoothed, fine->x));
}

static void weighted_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine)
{
  const hymgi_robust_ops *ops = fine->backend->robust;
  bool fused = false;
  if (!ops->interpolate_smooth || !fine->transfer->fuses)
    weighted_interpolate(coarse, fine, false, true);
  else
    HYMGI_OPERATION(fine, fused ? HYMGI_OP_INTERPOLATE_SMOOTH : HYMGI_OP_INTERPOLATE_WEIGHTED,
                    interpolated_arrays(fine),
                    const double *const source = coarse_source(coarse, fine);
                    fused = ops->interpolate_smooth(fine, source);
                    if (!fused) fine->transfer->interpolate_weighted(fine, source, true, fine->x));
  if (!fused) hymgi_smooth_transposed(fine);
  hymgi_relax_lines(fine, true);
}

static void restrict_by_weights(const hymgi_level *fine, const double *r, hymgi_after after,
                                double *patches)
{
  fine->backend->robust->restrict_weighted(fine, r, after, patches);
}

static void interpolate_by_weights(const hymgi_level *fine, const double *source, bool smoothed,
                                   double *x)
{
  fine->backend->robust->interpolate_weighted(fine, source, smoothed, x);
}

static void restrict_by_products(const hymgi_level *fine, const double *r, hymgi_after after,
                                 double *patches)
{
  (void)after;
  fine->backend->robust->restrict_tensor(fine, r, patches);
}

static void interpolate_by_products(const hymgi_level *fine, const double *source, bool smoothed,
                                    double *x)
{
  (void)smoothed;
  fine->backend->robust->interpolate_tensor(fine, source, x);
}

#define ROBUST_TRANSFER                                                                            \
  .smooth_restrict = weighted_smooth_restrict, .interpolate = weighted_interpolate,                \
  .interpolate_smooth = weighted_interpolate_smooth, .restrict_cells = sum_restrict_cells,         \
  .restrict_faces = sum_restrict_faces, .takes_zero = true, .through_y = true, .to_cells = true,   \
  .reversed = true, .inherits = true, .part_of_sum = 1

const hymgi_transfer *hymgi_robust_transfer(hymg_transfer wanted)
{
  static const hymgi_transfer constant = {ROBUST_TRANSFER, .kernel = "restrict_weighted",
                                          .restrict_weighted = restrict_by_weights,
                                          .interpolate_weighted = interpolate_by_weights,
                                          .fuses = true},
                              pairs = {ROBUST_TRANSFER,
                                       .kernel = "restrict_weighted",
                                       .restrict_weighted = restrict_by_weights,
                                       .interpolate_weighted = interpolate_by_weights,
                                       .fuses = true,
                                       .pairs = true},
                              by_weights = {ROBUST_TRANSFER,
                                            .kernel = "restrict_weighted",
                                            .restrict_weighted = restrict_by_weights,
                                            .interpolate_weighted = interpolate_by_weights,
                                            .fuses = true,
                                            .ghosts = true,
                                            .halo = HYMGI_HALO_FACES,
                                            .weights = 3},
                              by_products = {ROBUST_TRANSFER,
                                             .kernel = "restrict_tensor",
                                             .restrict_weighted = restrict_by_products,
                                             .interpolate_weighted = interpolate_by_products,
                                             .series = true,
                                             .ghosts = true,
                                             .halo = HYMGI_HALO_FULL,
                                             .weights = 3};
  return wanted == HYMG_TRANSFER_CONSTANT ? &constant
         : wanted == HYMG_TRANSFER_TENSOR ? &by_products
         : wanted == HYMG_TRANSFER_PAIRS  ? &pairs
                                          : &by_weights;
}
