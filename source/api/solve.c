/* Solves: right-hand sides of all levels, cycles to a tolerance, the result. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "transport/transport.h"

#define COMPATIBLE 1e-4
#define TINY       1e-12 /* a change of u that rounding explains */
#define HALVED     0.5   /* a cycle that gains less may have come to where rounding ends */

/* ---- right-hand sides ---- */

/* Does f on the coarser levels have the mean of f on the level of the solve? Boundary terms are
 * added on each level by itself. */
static bool restriction_keeps_mean(const hymg_solver *solver)
{
  return !solver->h.level->boundaries && !solver->h.method.uneven && !solver->h.method.stretched;
}

/* Adds the boundary terms to f, scales it and, where the system is singular, subtracts the mean;
 * returns the mean, and max |f| before it was subtracted. */
static double complete_rhs(const hymg_solver *solver, hymgi_level *level, double *largest)
{
  *largest = 0;
  if (level->num_boxes == 0) return 0;
  hymgi_add_boundary_terms(level, level->f);
  if (solver->scale) hymgi_axpby(level, ldexp(1, solver->scale), level->f, 0, level->f, level->f);
  if (!solver->h.method.singular) return 0;
  *largest = hymgi_norm_max(level, level->f);
  return hymgi_subtract_mean(level, level->f);
}

/* with_norm: also queues max |f| of level l. */
static void restrict_rhs(hymg_solver *solver, int l, bool with_norm)
{
  for (int m = l; m < hymgi_last_rhs(&solver->h, l); m++) {
    hymgi_level *const level = solver->h.level + m, *const coarse = level + 1;
    if (m == l && with_norm)
      hymgi_restrict_norm_later(level, level->f, coarse, coarse->f, HYMGI_SLOT_RHS);
    else
      hymgi_restrict_cells(level, level->f, coarse, coarse->f);
  }
}

/* Can means be subtracted without a wait? With several ranks their GPUs wait for each other's sums. */
static bool mean_later(const hymg_solver *solver)
{
  return restriction_keeps_mean(solver) && hymgi_comm_size(solver->h.context->comm) == 1;
}

/* Can the norms be queued with a cycle? Not if a mean that is waited for comes first, or f is
 * scaled. */
static bool norm_later(const hymg_solver *solver)
{
  return (!solver->h.method.singular || mean_later(solver)) &&
         solver->h.options.norm == HYMG_NORM_MAX && !solver->scale;
}

/* Are the right-hand sides of all levels part of the F-cycle? Not if it depends on their mean whether
 * there is one. */
static bool rhs_later(const hymg_solver *solver)
{
  const hymg_options *o = &solver->h.options;
  const bool examined = solver->h.singular && o->rhs_mean == HYMG_MEAN_ERROR;
  return norm_later(solver) && o->cycle == HYMG_CYCLE_F && !solver->mixed && !examined;
}

/* Is |mean f| more than rounding can explain? */
static hymg_status examine_mean(hymg_solver *solver, const hymgi_level *level, double largest)
{
  const double mean = fabs(solver->mean_removed);
  if (!solver->h.singular || !(mean > COMPATIBLE * largest)) return HYMG_OK;
  if (solver->h.options.rhs_mean == HYMG_MEAN_ERROR)
    return hymgi_fail(
        level->context, HYMG_EINVAL,
        "the system is singular and f is not compatible: |mean f| = %g, at most %g max |f| = %g",
        mean, COMPATIBLE, COMPATIBLE * largest);
  if (solver->scale == 0)
    hymgi_note(solver,
               "f was not compatible with the singular system: its mean, %g, was subtracted",
               solver->mean_removed);
  return HYMG_OK;
}

/* f is a constant, up to rounding, in a singular system. */
#define ONLY_ROUNDING (8 * DBL_EPSILON)

/* The norm of f from that without its mean, which counts if it is part of the solution; largest: max |f| with it. */
static double norm_of_rhs(const hymg_solver *solver, const hymgi_level *level, double norm,
                          double largest)
{
  const double root = solver->h.options.norm == HYMG_NORM_MAX ? 1 : sqrt((double)level->cells);
  if (solver->h.singular && norm <= ONLY_ROUNDING * root * largest) return 0;
  if (!solver->h.mean_weight) return norm;
  return root == 1 ? largest : hypot(norm, root * solver->mean_removed);
}

static hymg_status prepare_rhs(hymg_solver *solver, int l)
{
  hymgi_level *level = solver->h.level + l;
  const double units = ldexp(1, -solver->scale);
  const bool all_levels = solver->h.options.cycle == HYMG_CYCLE_F;
  const bool once = solver->h.method.singular && restriction_keeps_mean(solver);
  if (all_levels && !once) restrict_rhs(solver, l, false);
  double largest, unused;
  solver->mean_removed = units * hymgi_known_by_all(level, complete_rhs(solver, level, &largest));
  largest = units * hymgi_known_by_all(level, largest);
  if (all_levels && once) restrict_rhs(solver, l, false);
  for (int m = l + 1; all_levels && !once && m <= hymgi_last_rhs(&solver->h, l); m++)
    complete_rhs(solver, solver->h.level + m, &unused);
  solver->rhs_max =
      units * hymgi_known_by_all(level, level->num_boxes ? hymgi_norm(solver, level, level->f) : 0);
  solver->rhs_max = norm_of_rhs(solver, level, solver->rhs_max, largest);
  return examine_mean(solver, level, largest);
}

/* ---- cycles to a tolerance ---- */

/* The right-hand sides of all levels and the norm of the first, without a wait. */
static void queue_rhs(hymg_solver *solver, int l)
{
  hymgi_level *level = solver->h.level + l;
  const bool fused =
      l + 1 < solver->h.num_levels && !level->boundaries; /* boundary data are added to f first */
  double unused;
  if (solver->h.method.singular) hymgi_remove_mean_later(level, level->f);
  restrict_rhs(solver, l, fused);
  for (int m = l; !solver->h.method.singular && m <= hymgi_last_rhs(&solver->h, l); m++)
    complete_rhs(solver, solver->h.level + m, &unused);
  if (level->num_boxes && !fused) hymgi_norm_max_later(level, level->f, HYMGI_SLOT_RHS);
}

/* A cycle and, unless it has to wait for a mean, the norm of the residual; before an F-cycle also the
 * right-hand sides. All of it is recorded as one graph. */
static void queue_cycle(hymg_solver *solver, int l, hymg_cycle cycle, bool with_rhs)
{
  hymgi_level *level = solver->h.level + l;
  const bool later = norm_later(solver), singular = solver->h.method.singular;
  hymgi_begin_cycle(&solver->h, l, cycle, with_rhs ? 2 : 1);
  if (with_rhs) queue_rhs(solver, l);
  level->norm = later && !singular ? HYMGI_NORM_WANTED : HYMGI_NORM_UNWANTED;
  hymgi_cycle(&solver->h, cycle, l);
  if (later && singular) hymgi_remove_mean(level, level->x);
  if (level->num_boxes && later && level->norm != HYMGI_NORM_KNOWN)
    hymgi_residual_norm_later(level, level->f, level->x, HYMGI_SLOT_RESIDUAL);
  level->norm = HYMGI_NORM_UNWANTED;
  hymgi_end_cycle(&solver->h, l);
}

/* The norm of the residual after a cycle, when it was not queued. With mixed precision that residual is
 * what the next cycle starts from. */
static double norm_now(hymg_solver *solver, hymgi_level *level)
{
  if (solver->h.method.singular) hymgi_remove_mean(level, level->x);
  if (solver->h.options.norm == HYMG_NORM_MAX && solver->mixed) {
    hymgi_mixed_residual(&solver->h, level->index, solver->exponent);
    return hymgi_later(level, HYMGI_SLOT_RESIDUAL);
  }
  if (solver->h.options.norm == HYMG_NORM_MAX)
    return hymgi_residual_norm(level, level->f, level->x);
  hymgi_residual(level, level->f, level->x, solver->scratch);
  if (solver->mixed) hymgi_mixed_load(&solver->h, level->index, solver->exponent, solver->scratch);
  return hymgi_norm(solver, level, solver->scratch);
}

/* Where the diagonal is spread, a small residual is not enough: from the first one on, u is compared with what it was
 * before the cycle. */
static hymg_status watch(hymg_solver *solver, hymgi_level *level)
{
  if (solver->change == 0) return HYMG_OK;
  if (!solver->before)
    TRY(hymgi_agree(level->context,
                    hymgi_vector_create(level, level->vector_size, &solver->before)));
  if (level->num_boxes) hymgi_copy_vector(level, level->x, solver->before);
  return HYMG_OK;
}

/* The sum of all further changes if they fall as the last two. */
static double remaining(double before, double now)
{
  const double factor = now / before;
  return factor < 1 ? now * fmax(1, factor / (1 - factor)) : now <= TINY ? now : INFINITY;
}

static void compare(hymg_solver *solver, hymgi_level *level, double residual)
{
  if (!solver->h.spread || !(hymgi_small(solver, residual) || solver->at_rounding)) return;
  if (!solver->before) {
    solver->change = INFINITY;
    return;
  }
  double now = 0;
  if (level->num_boxes) {
    hymgi_axpby(level, 1, level->x, -1, solver->before, solver->before);
    now = hymgi_change(hymgi_norm_max(level, solver->before), hymgi_norm_max(level, level->x));
  }
  now = hymgi_known_by_all(level, now);
  solver->change = now > 0 ? fmax(remaining(solver->last_change, now), solver->last_change) : 0;
  solver->last_change = now;
}

/* After a cycle: removes the mean of u and records the residual. */
static hymg_status close_cycle(hymg_solver *solver, hymgi_level *level, hymg_cycle_kind kind,
                               bool *stop)
{
  double norm = 0;
  if (level->num_boxes)
    norm = norm_later(solver) ? hymgi_later(level, HYMGI_SLOT_RESIDUAL) : norm_now(solver, level);
  norm = ldexp(hymgi_known_by_all(level, norm), -solver->scale);
  if (solver->rhs_max == 0) {
    hymgi_fill(level, 0, level->x);
    norm = 0;
  }
  const int count = solver->records;
  if (count && norm > HALVED * solver->history[count - 1].residual_max && !hymgi_is_faint(solver))
    hymgi_is_rounding(solver, level, norm, level->x);
  compare(solver, level, norm);
  return hymgi_record(solver, kind, norm, stop);
}

/* Products of the numbers in f would leave the range of doubles: the solve begins anew with f scaled
 * by a power of 2. With mixed precision residuals have a scale of their own. */
static bool leaves_range(const hymg_solver *solver)
{
  return !solver->mixed && solver->scale == 0 && hymgi_scale_for(solver->rhs_max) != 0;
}

/* With mixed precision: V, W or F for the residual that is there, and the next residual. It is scaled by
 * the norm of the last one. */
static void mixed_cycle(hymg_solver *solver, int l, hymg_cycle cycle)
{
  hymgi_hierarchy *h = &solver->h;
  if (cycle == HYMG_CYCLE_F)
    hymgi_mixed_f_cycle(h, l, solver->exponent);
  else
    hymgi_mixed_cycle(h, cycle, l, solver->exponent, true);
  if (solver->records > 0)
    solver->exponent = hymgi_mixed_exponent(solver->history[solver->records - 1].residual_max);
  if (!norm_later(solver)) return;
  if (h->method.singular) hymgi_remove_mean(h->level + l, h->level[l].x);
  hymgi_mixed_residual(h, l, solver->exponent);
}

/* The first residual for cycles in single precision; before an F-cycle, right-hand sides are what
 * counts. */
static void begin_mixed(hymg_solver *solver, int l)
{
  solver->exponent = hymgi_mixed_exponent(solver->rhs_max);
  if (solver->h.options.cycle == HYMG_CYCLE_F) return;
  if (solver->h.options.initial_guess)
    hymgi_mixed_residual(&solver->h, l, solver->exponent);
  else
    hymgi_mixed_load(&solver->h, l, solver->exponent, solver->h.level[l].f);
}

/* What an F-cycle has found out about the right-hand sides that were queued with it. */
static hymg_status read_rhs(hymg_solver *solver, const hymgi_level *level)
{
  const bool holds = level->num_boxes > 0;
  solver->rhs_max = hymgi_known_by_all(level, holds ? hymgi_later(level, HYMGI_SLOT_RHS) : 0);
  if (!solver->h.method.singular) return HYMG_OK;
  solver->mean_removed = hymgi_later(level, HYMGI_SLOT_MEAN);
  const double largest = hymgi_later(level, HYMGI_SLOT_BEFORE);
  solver->rhs_max = norm_of_rhs(solver, level, solver->rhs_max, largest);
  return examine_mean(solver, level, largest);
}

/* A cycle, and its record. */
static hymg_status run_cycle(hymg_solver *solver, int l, hymg_cycle cycle, bool *stop)
{
  hymgi_level *level = solver->h.level + l;
  const bool with_rhs = cycle == HYMG_CYCLE_F && rhs_later(solver);
  const hymg_cycle_kind kind = cycle == HYMG_CYCLE_F   ? HYMG_KIND_F
                               : cycle == HYMG_CYCLE_W ? HYMG_KIND_W
                                                       : HYMG_KIND_V;
  if (solver->mixed)
    mixed_cycle(solver, l, cycle);
  else
    queue_cycle(solver, l, cycle, with_rhs);
  if (with_rhs) TRY(read_rhs(solver, level));
  if (with_rhs && leaves_range(solver)) return HYMG_OK;
  return close_cycle(solver, level, kind, stop);
}

static hymg_status run_cycles(hymg_solver *solver, int l, hymg_reason *reason)
{
  hymgi_level *level = solver->h.level + l;
  const hymg_options *o = &solver->h.options;
  bool stop = false, again = false;
  if (!o->initial_guess && o->cycle != HYMG_CYCLE_F) hymgi_fill(level, 0, level->x);
  if (o->initial_guess) hymgi_center(level, level->x);
  if (o->initial_guess && solver->scale)
    hymgi_axpby(level, ldexp(1, solver->scale), level->x, 0, level->x, level->x);
  if (solver->mixed) begin_mixed(solver, l);
  TRY(run_cycle(solver, l, o->cycle, &stop));
  if (leaves_range(solver)) return HYMG_OK;
  if (o->method == HYMG_FMG) {
    *reason =
        isfinite(solver->history[0].residual_max) ? HYMG_REASON_LIMIT : HYMG_REASON_NOT_FINITE;
    return HYMG_OK;
  }
  while (hymgi_mixed_goes_on(solver, stop, reason, &again)) {
    if (again) hymgi_fill(level, 0, level->x);
    TRY(watch(solver, level));
    TRY(run_cycle(solver, l, o->cycle == HYMG_CYCLE_W ? HYMG_CYCLE_W : HYMG_CYCLE_V, &stop));
  }
  return HYMG_OK;
}

/* ---- the call ---- */

static hymg_status run(hymg_solver *solver, int l, hymg_reason *reason)
{
  hymgi_level *level = solver->h.level + l;
  const bool recorded = rhs_later(solver);
  solver->mean_removed = 0;
  if (!recorded) TRY(prepare_rhs(solver, l)); /* a recorded F-cycle includes this */
  *reason = HYMG_REASON_TOLERANCE;
  if (solver->h.options.cycle != HYMG_CYCLE_F && solver->rhs_max == 0) { /* then u is 0 as well */
    hymgi_fill(level, 0, level->x);
    return HYMG_OK;
  }
  if (hymgi_is_krylov(solver)) return hymgi_krylov_solve(solver, l, reason);
  if (!recorded && leaves_range(solver)) return HYMG_OK;
  return run_cycles(solver, l, reason);
}

static void begin_records(hymg_solver *solver)
{
  solver->records = 0;
  solver->transfer.since = 0;
  solver->residual = solver->change = 0;
  solver->last_change = INFINITY;
  solver->waited = 0;
  solver->at_rounding = false;
}

/* With f scaled if need be; Krylov iterations scale by themselves. */
static hymg_status run_in_range(hymg_solver *solver, int l, const hymg_field *f,
                                hymg_reason *reason)
{
  hymgi_level *level = solver->h.level + l;
  solver->scale = 0;
  TRY(run(solver, l, reason));
  if (hymgi_is_krylov(solver) || !leaves_range(solver)) return HYMG_OK;
  TRY(hymgi_agree(level->context, hymgi_solve_load_again(level, f)));
  solver->scale = hymgi_scale_for(solver->rhs_max);
  begin_records(solver);
  TRY(run(solver, l, reason));
  hymgi_axpby(level, ldexp(1, -solver->scale), level->x, 0, level->x, level->x);
  return HYMG_OK;
}

/* For the 2-norm of residuals. */
static hymg_status scratch(hymg_solver *solver, const hymgi_level *level)
{
  if (solver->h.options.norm == HYMG_NORM_MAX || solver->h.method.robust) return HYMG_OK;
  return hymgi_agree(level->context,
                     hymgi_vector_create(level, level->vector_size, &solver->scratch));
}

/* Collective: the same status on every rank. */
static hymg_status solve(hymg_solver *solver, int l, const hymg_field *f, hymg_field *u)
{
  hymg_status status = hymgi_solve_check(solver, l, f, u);
  hymgi_level *level = solver->h.level + (status == HYMG_OK ? l : 0);
  hymg_context *c = level->context;
  const bool fmg = solver->h.options.method == HYMG_FMG;
  hymg_reason reason = HYMG_REASON_LIMIT;
  double *const x0 = level->x, *const y0 = level->y, *const f0 = level->f;
  status = hymgi_solve_bind(solver, l, status, f, u);
  if (status == HYMG_OK) {
    double *const target = level->x;
    begin_records(solver);
    solver->note[0] = 0;
    hymgi_note(solver, "path %s: %s", hymg_path_name(solver->path.path), solver->path.why);
    hymgi_mixed_begin(solver, l);
    status = scratch(solver, level);
    if (status == HYMG_OK) status = run_in_range(solver, l, f, &reason);
    if (status == HYMG_OK && fmg) status = hymgi_fmg_judge(solver, l, f, &solver->good);
    if (solver->h.mean_weight)
      hymgi_shift(level, solver->h.mean_weight * solver->mean_removed, level->x);
    if (status == HYMG_OK) status = hymgi_examine_solve(solver, l, reason, f);
    if (status == HYMG_OK) hymgi_set_fixed(level, HYMGI_FIX_GIVEN, level->x);
    hymgi_vector_destroy(level, level->vector_size, &solver->scratch);
    hymgi_vector_destroy(level, level->vector_size, &solver->before);
    if (status == HYMG_OK && level->x != target) hymgi_copy_vector(level, level->x, target);
    level->backend->sync(c);
    if (status == HYMG_OK && !hymgi_in_place(level, u))
      status = hymgi_field_store(level, target, u);
    solver->reason = reason;
    hymgi_tell_end(solver);
    if (reason == HYMG_REASON_STOPPED) solver->stop = 0;
    status = hymgi_agree_or_reset(&solver->h, status == HYMG_OK ? c->status : status);
  }
  level->x = x0, level->y = y0, level->f = f0; /* smoothers swap x and y; x and f were the user's */
  return status;
}

/* Would the loops of the host use more than one thread on it? */
static bool has_team(const hymgi_level *level)
{
  return level->backend->id == HYMG_BACKEND_HOST &&
         hymgi_team_worth(hymgi_cells_here(level), level->context->threads) > 1;
}

static hymg_status timed_solve(hymg_solver *solver, int l, const hymg_field *f, hymg_field *u,
                               double *seconds)
{
  hymgi_team *const team = &solver->h.context->team;
  const double start = hymgi_seconds(), reduced = hymgi_team_reduced(team, start);
  hymgi_team_begin(team, start);
  TRY(solve(solver, l, f, u));
  const double end = hymgi_seconds();
  hymgi_team_end(team, end);
  *seconds = end - start;
  solver->reduced = has_team(solver->h.level + l)
                        ? (hymgi_team_reduced(team, end) - reduced) / fmax(*seconds, DBL_MIN)
                        : 0;
  return HYMG_OK;
}

hymg_status hymg_solve_on_level(hymg_solver *solver, int level, const hymg_field *f, hymg_field *u,
                                hymg_result *result)
{
  if (!solver) return HYMG_EINVAL;
  double seconds = 0;
  TRY(timed_solve(solver, level, f, u, &seconds));
  if (!result) return HYMG_OK;
  const bool fmg = solver->h.options.method == HYMG_FMG;
  /* no cycles: f and the initial guess are 0 */
  *result = (hymg_result){.converged = fmg ? solver->good : solver->reason == HYMG_REASON_TOLERANCE,
                          .reason = solver->reason,
                          .cycles = solver->records,
                          .residual_max = solver->residual,
                          .residual_relative =
                              solver->residual == 0 ? 0 : solver->residual / solver->rhs_max,
                          .history = solver->history,
                          .rhs_max = solver->rhs_max,
                          .singular = solver->h.singular,
                          .mean_removed = solver->h.singular ? solver->mean_removed : 0,
                          .transport = &solver->h.transport.info,
                          .seconds = seconds,
                          .path = solver->path.path,
                          .precision = solver->mixed ? HYMG_MIXED : HYMG_DOUBLE,
                          .note = solver->note};
  return HYMG_OK;
}

hymg_status hymg_solve(hymg_solver *solver, const hymg_field *f, hymg_field *u, hymg_result *result)
{
  return hymg_solve_on_level(solver, 0, f, u, result);
}
