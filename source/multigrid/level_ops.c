/* Level operations: those of the backend, with the exchange, the reduction over ranks and the
 * profile. */
#include "multigrid/level_ops.h"

#include <math.h>

#include "multigrid/accounting.h"
#include "multigrid/boundary_data.h"
#include "multigrid/hierarchy.h"
#include "multigrid/wide.h"

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

void hymgi_smooth_restrict(hymgi_level *fine, hymgi_level *coarse, bool from_zero)
{
  hymgi_wide_enter(fine);
  fine->transfer->smooth_restrict(fine, coarse, from_zero);
}

void hymgi_interpolate(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed)
{
  fine->transfer->interpolate(coarse, fine, f_cycle, smoothed);
}

void hymgi_interpolate_smooth(hymgi_level *coarse, hymgi_level *fine)
{
  fine->transfer->interpolate_smooth(coarse, fine);
  hymgi_wide_leave(fine);
}

/* True: with max |x|. */
static bool restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                           double *y, hymgi_slot slot)
{
  const bool with_norm =
      fine->transfer->restrict_cells(fine, x, hymgi_patches_of(fine, y), (int)slot);
  hymgi_gather(fine, coarse, y, NULL);
  hymgi_cross(fine, coarse);
  return with_norm;
}

void hymgi_restrict_norm_later(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                               double *y, hymgi_slot slot)
{
  bool with_norm;
  HYMGI_OPERATION(fine, HYMGI_OP_RESTRICT, 1.125,
                  with_norm = restrict_cells(fine, x, coarse, y, slot));
  if (slot != HYMGI_SLOT_NONE && !with_norm) hymgi_norm_max_later(fine, x, slot);
}

void hymgi_restrict_cells(const hymgi_level *fine, const double *x, const hymgi_level *coarse,
                          double *y)
{
  hymgi_restrict_norm_later(fine, x, coarse, y, HYMGI_SLOT_NONE);
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
