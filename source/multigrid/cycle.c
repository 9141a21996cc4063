/* The cycles: the file to read first. A level operation (level_ops.h) acts on one level;
 * level->x is the unknown, level->f the right-hand side. The level operations decide where the
 * work runs, exchange data with other ranks and record times for the profile. */
#include "multigrid/hierarchy.h"
#include "multigrid/level_ops.h"
#include "multigrid/pairs.h"

/* A rank takes part in a level only if it holds cells of it. */
static bool holds(const hymgi_level *level)
{
  return level->num_boxes > 0;
}

static void bottom_solve(hymgi_hierarchy *h, hymgi_level *level)
{
  HYMGI_OPERATION(level, HYMGI_OP_BOTTOM, 0, h->profile.in_bottom = h->profile.on;
                  hymgi_bottom_solve(level, h->options.bottom));
  h->profile.in_bottom = false;
}

/* Before a V-cycle from zero on this level. */
static void start_from_zero(const hymgi_hierarchy *h, const hymgi_level *level)
{
  const hymgi_backend *backend = level->backend;
  const int last = h->num_levels - 1, tail = h->placement.tail_from;
  const bool fused = level->index < (tail < last ? tail : last) && level->transfer->one_operation;
  const bool unread = fused && backend->starts_unread && backend->starts_unread(level);
  if (holds(level) && !level->transfer->takes_zero && !unread) hymgi_fill(level, 0, level->x);
}

static void v_cycle(hymgi_hierarchy *h, hymgi_level *level, int visits, bool from_zero);

/* Goes on in double precision; from_zero: with a new f. */
static void hand_over(hymgi_hierarchy *h, hymgi_level *single, int visits, bool from_zero)
{
  hymgi_level *const level = h->level + single->index;
  if (from_zero) hymgi_widen(single, level, 1, single->f, false, level->f);
  if (from_zero) start_from_zero(h, level);
  v_cycle(h, level, visits, from_zero);
  hymgi_narrow(single, level, 1 / h->singles.scale, level->x, single->x);
}

/* Is the level solved at once, without coarser ones of its kind? Then that is done. */
static bool ends(hymgi_hierarchy *h, hymgi_level *level, int visits, bool from_zero)
{
  const int l = level->index;
  const bool product = l == h->matrix.level && h->matrix.exists && from_zero && visits == 1;
  if (level->single && !level->hands_over) return false;
  if (level->hands_over)
    hand_over(h, level, visits, from_zero);
  else if (l == 0 && level->transfer->pairs && h->pairs->active)
    hymgi_pairs_cycle(h);
  else if (product)
    hymgi_coarse_multiply(h, 1);
  else if (l == h->num_levels - 1)
    bottom_solve(h, level);
  else
    return hymgi_coarse_end(h, l, visits, from_zero);
  return true;
}

/* V-cycle for visits = 1, W-cycle for 2: smooth and restrict the residual, solve for the
 * correction starting from zero, add it, smooth. from_zero: x of the level is 0 or, on the robust
 * path and in single precision, is taken as 0. */
static void v_cycle(hymgi_hierarchy *h, hymgi_level *level, int visits, bool from_zero)
{
  hymgi_level *const coarse = level + 1;
  if (!holds(level) || ends(h, level, visits, from_zero)) return;
  hymgi_smooth_restrict(level, coarse, from_zero);
  for (int visit = 0; visit < (coarse->index == h->num_levels - 1 ? 1 : visits); visit++)
    v_cycle(h, coarse, visits, visit == 0);
  hymgi_interpolate_smooth(coarse, level);
}

/* On the coarsest level alone: the correction is a bottom solve for the residual. */
static void bottom_correction(hymgi_hierarchy *h, hymgi_level *level)
{
  double *const x = level->x, *const f = level->f, *const y = level->y;
  double *const r =
      level->krylov + (level->num_krylov - HYMGI_CORRECTION_VECTORS) * level->vector_size;
  hymgi_residual(level, f, x, r);
  level->f = r, level->x = r + level->vector_size;
  bottom_solve(h, level);
  hymgi_axpby(level, 1, level->x, 1, x, x);
  level->x = x, level->f = f, level->y = y;
}

static void v_or_w(hymgi_hierarchy *h, int l, int visits)
{
  hymgi_level *level = h->level + l;
  const bool takes_zero = level->transfer->takes_zero;
  if (l < h->num_levels - 1 || takes_zero)
    v_cycle(h, level, visits, takes_zero);
  else if (holds(level))
    bottom_correction(h, level);
}

/* Solves the coarsest level, or those of the matrix, or all levels of the coarse end at once; returns
 * the finest level solved. */
static int solve_coarsest(hymgi_hierarchy *h, int l)
{
  const int bottom = h->num_levels - 1, tail = h->placement.tail_from;
  const int from = tail > l ? tail : l;
  const bool product = hymgi_uses_matrix(h, l);
  const int last = product ? h->matrix.level : bottom;
  if (from < last && hymgi_coarse_end(h, from, 0, false)) return from;
  if (holds(h->level + last) && product)
    hymgi_coarse_multiply(h, 0);
  else if (holds(h->level + last))
    bottom_solve(h, h->level + last);
  return last;
}

/* f is given on every level: the solution of each level is the initial guess of one V-cycle on
 * the next finer one. */
static void f_cycle(hymgi_hierarchy *h, int l)
{
  for (int m = solve_coarsest(h, l) - 1; m >= l; m--) {
    if (!holds(h->level + m)) continue;
    hymgi_interpolate(h->level + m + 1, h->level + m, true, true);
    v_or_w(h, m, 1);
  }
}

void hymgi_single_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l)
{
  hymgi_level *level = h->singles.level + l;
  start_from_zero(h, level);
  v_cycle(h, level, kind == HYMG_CYCLE_W ? 2 : 1, true);
}

void hymgi_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l)
{
  if (kind == HYMG_CYCLE_F)
    f_cycle(h, l);
  else
    v_or_w(h, l, kind == HYMG_CYCLE_W ? 2 : 1);
}

void hymgi_begin_cycle(hymgi_hierarchy *h, int l, hymg_cycle kind, int variant)
{
  const hymgi_backend *backend = h->level[l].backend;
  if (backend->begin_cycle) backend->begin_cycle(h, 15 * l + 3 * variant + (int)kind);
}

void hymgi_end_cycle(hymgi_hierarchy *h, int l)
{
  const hymgi_backend *backend = h->level[l].backend;
  if (backend->end_cycle) backend->end_cycle(h);
}

void hymgi_run_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l)
{
  hymgi_begin_cycle(h, l, kind, 0);
  hymgi_cycle(h, kind, l);
  hymgi_end_cycle(h, l);
}
