/* The iteration of a solve: steps, each with a record, until the residual is small enough or cannot become so. What a step is,
 * was chosen with the solver: a cycle (step_cycle.c), or an iteration of conjugate gradients or BiCGStab (step_krylov.c). */
#include <math.h>

#include "api/solve/solve.h"
#include "multigrid/level_ops.h"

/* The residual itself is within this factor of what the recurrence has reached. */
#define NEARLY 1.5
#define HALF   0.5 /* less is a gain */
/* A larger change of u is none that rounding may explain. */
#define SETTLED 1e-3
#define IDLE    10 /* where a restart reduces nothing, u may change by so much less */

/* To confirm a residual that says little: rounds of at least LEAST. */
enum { MOST_ROUNDS = 10, LEAST = 8 };

const hymgi_step *hymgi_step_of(const hymgi_hierarchy *h)
{
  if (hymgi_is_preconditioned(h)) return &hymgi_bicgstab_step;
  return h->method.robust || h->options.method == HYMG_MGPCG ? &hymgi_cg_step : &hymgi_cycle_step;
}

/* After a step: has u changed, and the record. */
static hymg_status close_step(hymgi_iteration *it, double norm, bool *stop)
{
  hymg_solver *solver = it->solver;
  hymgi_look_for_rounding(solver, it->level, norm, it->u);
  if (it->level->num_boxes && (hymgi_small(solver, norm) || solver->at_rounding))
    solver->step->measure(it);
  solver->change = hymgi_known_by_all(it->level, solver->change);
  return hymgi_record(solver, it->kind, norm, stop);
}

static hymg_status steps(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  bool stop = false;
  it->first = true;
  for (;;) {
    it->last_change = it->change, it->change = INFINITY;
    const double norm = hymgi_known_by_all(it->level, solver->step->advance(it));
    TRY(it->status);
    TRY(close_step(it, norm, &stop));
    it->first = false;
    if (!hymgi_goes_on(it, stop)) return HYMG_OK;
    TRY(solver->step->prepare(it));
  }
}

static double true_residual(hymgi_iteration *it)
{
  const double norm = it->level->num_boxes ? it->solver->step->residual(it) : 0;
  return hymgi_known_by_all(it->level, norm);
}

/* From the residual itself. */
static hymg_status go_on(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  solver->least = solver->records + LEAST;
  it->most_change = 0, it->change = INFINITY;
  TRY(hymgi_transfer_confirm(it));
  solver->gained = solver->records, solver->best = INFINITY;
  solver->step->restart(it);
  TRY(steps(it));
  it->most_change = hymgi_known_by_all(it->level, it->most_change);
  return HYMG_OK;
}

/* May cycles see but a small part of an error? Those of the standard path, and beside faint faces those of other transfers than
 * pairs. */
static bool may_miss_errors(const hymg_solver *solver)
{
  return !solver->h.method.robust ||
         (!solver->h.method.transfer->pairs &&
          !hymgi_sees_faint(solver, solver->history[solver->records - 1].residual_max));
}

/* Has u changed little since the last restart, from the residual `from` to `now`? Or by what rounding is, which is no less than the
 * time before, and leaves the residual of u where it was. An iteration whose own residual does not fall says little. */
static bool is_settled(const hymgi_iteration *it, double before, double from, double now)
{
  hymg_solver *solver = it->solver;
  const double change = it->most_change, own = solver->history[solver->records - 1].residual_max;
  if (!(own <= HALF * from)) return hymgi_changes_little(solver, IDLE * change);
  if (hymgi_changes_little(solver, change)) return true;
  if (now < HALF * from || may_miss_errors(solver)) return false;
  if (!(change > HALF * before) || change > SETTLED) return false;
  hymgi_note(solver, "u may still change by %.2g of it, where rounding ends", change);
  return true;
}

/* Does a small residual say little of u? An initial guess may have left rounding in the recurrence that is more than faint
 * couplings carry. */
static bool is_doubtful(const hymg_solver *solver)
{
  const double reached = solver->history[solver->records - 1].residual_max;
  const bool sees = hymgi_sees_faint(solver, reached) && !solver->h.options.initial_guess;
  return (hymgi_is_faint(solver) && !sees) || hymgi_is_blind(solver);
}

/* Not confirmed: the residual itself, or what it says. */
static void refuse(hymgi_iteration *it, bool reached)
{
  hymg_solver *solver = it->solver;
  const bool limit = solver->records >= solver->max_cycles;
  it->reason = reached && limit ? HYMG_REASON_LIMIT : HYMG_REASON_STAGNATED;
  if (reached && isfinite(it->most_change))
    hymgi_note(solver, "the residual is small, but u may still change by %.2g of it",
               it->most_change);
  else if (reached)
    hymgi_note(solver, "the residual is small, but says too little of u without more iterations");
  else if (hymgi_is_rounding(solver, it->level, solver->residual, it->u))
    hymgi_note(solver,
               "rounding leaves a residual of %.3g, beside which this one tells nothing of u: "
               "coefficients differ by too much for double",
               solver->residual / solver->rhs_max);
  else
    hymgi_note(
        solver,
        "the residual is %.3g, although the iteration's own estimate has reached the tolerance",
        solver->residual / solver->rhs_max);
}

/* A recurrence has converged: so has the residual, up to rounding, or the iteration goes on from
 * it as long as that gains a factor of 2. Where a small residual says little, or rounding leaves much of it, it goes on until
 * that no longer changes u. */
static hymg_status confirm(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  const bool says_little = is_doubtful(solver);
  it->most_change = INFINITY;
  bool reached = false, settled = false, doubtful = false;
  double norm, before = INFINITY, change = INFINITY;
  for (int round = 0;; before = norm, round++) {
    norm = true_residual(it);
    solver->residual = norm;
    if (it->reason != HYMG_REASON_TOLERANCE) return HYMG_OK;
    settled = settled || (doubtful && is_settled(it, change, before, norm));
    const bool small = norm <= NEARLY * hymgi_wanted(solver);
    reached = small || (!hymgi_is_too_much(solver, norm) &&
                        hymgi_is_rounding(solver, it->level, norm, it->u));
    doubtful = !settled && (says_little || (!small && hymgi_is_much(solver, norm)));
    if (reached && !doubtful) return HYMG_OK;
    if (solver->records >= solver->max_cycles || round == MOST_ROUNDS) break;
    if (!reached && !(norm < HALF * before)) break;
    change = it->most_change;
    TRY(go_on(it));
  }
  refuse(it, reached);
  return HYMG_OK;
}

/* u is the initial guess, scaled as f is, or 0 unless an F-cycle overwrites it. */
static void start(hymgi_iteration *it)
{
  const hymg_solver *solver = it->solver;
  const hymgi_level *level = it->level;
  it->f = level->f;
  if (solver->h.options.initial_guess) {
    hymgi_set_fixed(level, HYMGI_FIX_ZERO, it->u);
    hymgi_center(level, it->u);
    hymgi_pieces_center(level, &solver->h.pieces, true, it->u);
    if (solver->scale) hymgi_axpby(level, ldexp(1, solver->scale), it->u, 0, it->u, it->u);
  } else if (solver->h.options.cycle != HYMG_CYCLE_F) {
    hymgi_fill(level, 0, it->u);
  }
  solver->step->begin(it);
}

static hymg_status run(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  start(it);
  hymg_status status = steps(it);
  if (status == HYMG_OK && solver->step->recurrence) status = confirm(it);
  if (solver->step->end) solver->step->end(it, status);
  if (solver->scale)
    hymgi_axpby(it->level, ldexp(1, -solver->scale), it->level->x, 0, it->level->x, it->level->x);
  return status;
}

hymg_status hymgi_iterate(hymg_solver *solver, int l, const hymg_field *f, hymg_reason *reason)
{
  hymgi_level *level = hymgi_system_level(&solver->h, l);
  hymgi_iteration it = {.solver = solver,
                        .level = level,
                        .given = f,
                        .u = level->x,
                        .rhs_later = hymgi_rhs_later(solver),
                        .reason = HYMG_REASON_TOLERANCE,
                        .change = INFINITY,
                        .norm_before = INFINITY};
  solver->scale = 0;
  if (!it.rhs_later) TRY(hymgi_rhs_prepare(solver, l));
  const bool zero = solver->h.options.cycle != HYMG_CYCLE_F && solver->rhs_max == 0;
  if (zero) hymgi_fill(level, 0, level->x); /* as f is */
  const hymg_status status = zero ? HYMG_OK : run(&it);
  *reason = it.reason;
  return status;
}
