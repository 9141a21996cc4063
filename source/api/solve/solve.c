/* The call of a solve, and its result. */
#include <float.h>
#include <math.h>

#include "api/solve/solve.h"
#include "hierarchy/open_boundary.h"
#include "hierarchy/screening.h"
#include "transport/transport.h"

static void begin_records(hymg_solver *solver)
{
  solver->records = 0;
  solver->transfer.since = 0;
  solver->residual = solver->change = 0;
  solver->waited = solver->least = 0;
  solver->at_rounding = solver->only_v = false;
  solver->note[0] = 0;
}

/* For the 2-norm of residuals. */
static hymg_status scratch(hymg_solver *solver, const hymgi_level *level)
{
  if (solver->h.options.norm == HYMG_NORM_MAX || solver->h.method.robust) return HYMG_OK;
  return hymgi_agree(level->context,
                     hymgi_vector_create(level, level->vector_size, &solver->scratch));
}

/* Collective: the same status on every rank. With the values on open boundaries that there are, or that f has. */
static hymg_status pass(hymg_solver *solver, int l, const hymg_field *f, hymg_field *u)
{
  hymg_status status = hymgi_solve_check(solver, l, f, u);
  if (status != HYMG_OK) l = 0;
  hymgi_level *level = hymgi_system_level(&solver->h, l);
  hymg_context *c = level->context;
  const bool fmg = solver->h.options.method == HYMG_FMG;
  hymg_reason reason = HYMG_REASON_LIMIT;
  const hymgi_buffers before = hymgi_buffers_of(solver, l);
  status = hymgi_solve_bind(solver, l, status, f, u);
  if (status == HYMG_OK) {
    double *const target = level->x;
    begin_records(solver);
    hymgi_open_load(&solver->h, l, HYMGI_MAX_LEVELS, level->f);
    hymgi_note(solver, "path %s: %s", hymg_path_name(solver->path.path), solver->path.why);
    hymgi_mixed_begin(solver, l);
    status = scratch(solver, level);
    if (status == HYMG_OK) status = hymgi_iterate(solver, l, f, &reason);
    if (status == HYMG_OK && fmg) status = hymgi_fmg_judge(solver, l, f, &solver->good);
    if (solver->h.mean_weight)
      hymgi_shift(level, solver->h.mean_weight * solver->mean_removed, level->x);
    hymgi_pieces_add_means(level, &solver->h.pieces, level->x);
    if (status == HYMG_OK) status = hymgi_examine_solve(solver, l, reason, f);
    if (status == HYMG_OK) hymgi_set_fixed(level, HYMGI_FIX_GIVEN, level->x);
    hymgi_vector_destroy(level, level->vector_size, &solver->scratch);
    hymgi_vector_destroy(level, level->vector_size, &solver->before);
    if (status == HYMG_OK && level->x != target) hymgi_copy_vector(level, level->x, target);
    level->backend->sync(c);
    if (status == HYMG_OK && !hymgi_in_place(level, u))
      status = hymgi_field_store(level, target, u);
    solver->reason = reason;
    hymgi_note_end(solver);
    if (reason == HYMG_REASON_STOPPED) solver->stop = 0;
    status = hymgi_agree_or_reset(&solver->h, status == HYMG_OK ? c->status : status);
  }
  hymgi_buffers_restore(&before);
  return status;
}

/* Has the last pass a result that can be used? */
static bool is_good(const hymg_solver *solver)
{
  return solver->h.options.method == HYMG_FMG ? solver->good
                                              : solver->reason == HYMG_REASON_TOLERANCE;
}

/* The values of screened boundaries; *found: whether there are any. */
static hymg_status find_values(hymg_solver *solver, int l, const hymg_field *f, hymg_field *u,
                               bool *found)
{
  const bool valid = l >= 0 && l < solver->h.num_levels;
  if (valid) hymgi_screening_clear(&solver->h, l);
  TRY(pass(solver, l, f, u));
  *found = is_good(solver);
  if (!*found) {
    hymgi_note(solver, "this was the first of two solves: u is 0 on the boundary");
    return HYMG_OK;
  }
  hymgi_level *const level = hymgi_system_level(&solver->h, l);
  double *const x = hymgi_in_place(level, u) ? u->data : l == 0 ? level->own_x : level->x;
  return hymgi_agree_or_reset(&solver->h, hymgi_screening_load(&solver->h, l, x));
}

/* Collective: the same status on every rank. */
static hymg_status solve(hymg_solver *solver, int l, const hymg_field *f, hymg_field *u)
{
  bool found = true;
  if (solver->h.level->boundary[0].screened) TRY(find_values(solver, l, f, u, &found));
  return found ? pass(solver, l, f, u) : HYMG_OK;
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

hymg_status hymgi_solve_once(hymg_solver *solver, int level, const hymg_field *f, hymg_field *u,
                             hymg_result *result)
{
  double seconds = 0;
  TRY(timed_solve(solver, level, f, u, &seconds));
  if (!result) return HYMG_OK;
  int64_t singular;
  const int64_t pieces = hymg_solver_pieces(solver, &singular);
  /* no cycles: f and the initial guess are 0 */
  *result = (hymg_result){.converged = is_good(solver),
                          .reason = solver->reason,
                          .cycles = solver->records,
                          .residual_max = solver->residual,
                          .residual_relative =
                              solver->residual == 0 ? 0 : solver->residual / solver->rhs_max,
                          .history = solver->history,
                          .rhs_max = solver->rhs_max,
                          .singular = singular > 0,
                          .pieces = pieces,
                          .singular_pieces = singular,
                          .mean_removed = singular > 0 ? solver->mean_removed : 0,
                          .transport = &solver->h.transport.info,
                          .seconds = seconds,
                          .path = solver->path.path,
                          .precision = solver->mixed ? HYMG_MIXED : HYMG_DOUBLE,
                          .note = solver->note};
  return HYMG_OK;
}

hymg_status hymg_solve_on_level(hymg_solver *solver, int level, const hymg_field *f, hymg_field *u,
                                hymg_result *result)
{
  if (!solver) return HYMG_EINVAL;
  hymgi_results_forget(solver);
  return hymgi_solve_once(solver, level, f, u, result);
}

hymg_status hymg_solve(hymg_solver *solver, const hymg_field *f, hymg_field *u, hymg_result *result)
{
  return hymg_solve_on_level(solver, 0, f, u, result);
}
