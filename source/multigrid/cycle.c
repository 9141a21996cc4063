/* The cycles: the file to read first. A level operation (level_ops.h) acts on a level; level->x is the unknown,
 * level->f the right-hand side. What runs where, who talks to whom and what is timed is the
 * level operations' business. */
#include "api/solver.h"
#include "multigrid/level_ops.h"

/* A rank takes part in a level while it holds some of it. */
static bool holds(const hymgi_level *level)
{
  return level->num_boxes > 0;
}

static void bottom_solve(hymg_solver *solver, hymgi_level *level)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_BOTTOM);
  solver->profile.in_bottom = start != 0;
  hymgi_bottom_solve(level, solver->options.bottom);
  hymgi_profile_end(level, HYMGI_OP_BOTTOM, start, 0);
  solver->profile.in_bottom = false;
}

/* V for visits = 1, W for 2: smooth and restrict the residual, solve for the correction from
 * zero, add it, smooth. from_zero: the level's x is 0. */
static void v_cycle(hymg_solver *solver, int l, int visits, bool from_zero)
{
  hymgi_level *level = solver->level + l, *coarse = level + 1;
  if (!holds(level)) return;
  if (l == solver->num_levels - 1) {
    bottom_solve(solver, level);
    return;
  }
  if (hymgi_coarse_end(solver, l, visits)) return;
  hymgi_smooth_restrict(level, coarse, from_zero);
  for (int visit = 0; visit < (l + 2 == solver->num_levels ? 1 : visits); visit++)
    v_cycle(solver, l + 1, visits, visit == 0);
  hymgi_interpolate_add(coarse, level, true);
  hymgi_smooth(level);
}

/* A hierarchy of one level: the correction comes from a bottom solve for the residual. */
static void bottom_correction(hymg_solver *solver, hymgi_level *level)
{
  double *const x = level->x, *const f = level->f, *const y = level->y;
  double *const r =
      level->krylov + (level->num_krylov - HYMGI_CORRECTION_VECTORS) * level->vector_size;
  hymgi_residual(level, f, x, r);
  level->f = r, level->x = r + level->vector_size;
  bottom_solve(solver, level);
  hymgi_axpby(level, 1, level->x, 1, x, x);
  level->x = x, level->f = f, level->y = y;
}

static void cycle(hymg_solver *solver, int l, int visits)
{
  hymgi_level *level = solver->level + l;
  if (l < solver->num_levels - 1)
    v_cycle(solver, l, visits, false);
  else if (holds(level))
    bottom_correction(solver, level);
}

void hymgi_cycle_v(hymg_solver *solver, int l)
{
  cycle(solver, l, 1);
}

void hymgi_cycle_w(hymg_solver *solver, int l)
{
  cycle(solver, l, 2);
}

void hymgi_cycle(hymg_solver *solver, hymg_cycle kind, int l)
{
  if (kind == HYMG_CYCLE_F)
    hymgi_cycle_f(solver, l);
  else
    cycle(solver, l, kind == HYMG_CYCLE_W ? 2 : 1);
}

void hymgi_begin_cycle(hymg_solver *solver, int l, hymg_cycle kind, int variant)
{
  const hymgi_backend *backend = solver->level[l].backend;
  if (backend->begin_cycle) backend->begin_cycle(solver, 9 * l + 3 * variant + (int)kind);
}

void hymgi_end_cycle(hymg_solver *solver, int l)
{
  const hymgi_backend *backend = solver->level[l].backend;
  if (backend->end_cycle) backend->end_cycle(solver);
}

void hymgi_run_cycle(hymg_solver *solver, hymg_cycle kind, int l)
{
  hymgi_begin_cycle(solver, l, kind, 0);
  hymgi_cycle(solver, kind, l);
  hymgi_end_cycle(solver, l);
}

/* Solves the coarsest level, or all that are done in one go; returns the finest of them. */
static int solve_coarsest(hymg_solver *solver, int l)
{
  const int bottom = solver->num_levels - 1, tail = solver->placement.tail_from;
  const int from = tail > l ? tail : l;
  if (from < bottom && hymgi_coarse_end(solver, from, 0)) return from;
  if (holds(solver->level + bottom)) bottom_solve(solver, solver->level + bottom);
  return bottom;
}

/* Every level's f is in place: the solution of each level is the start of one V-cycle on the
 * next finer one. */
void hymgi_cycle_f(hymg_solver *solver, int l)
{
  for (int m = solve_coarsest(solver, l) - 1; m >= l; m--) {
    if (!holds(solver->level + m)) continue;
    hymgi_interpolate_f(solver->level + m + 1, solver->level + m, true);
    hymgi_cycle_v(solver, m);
  }
}
