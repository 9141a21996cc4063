/* The iteration of a solve: steps, each with a record, until the residual is small enough or cannot become so. What a step is,
 * was chosen with the solver: a cycle (step_cycle.c), or an iteration of conjugate gradients or BiCGStab (step_krylov.c). */
#include <math.h>

#include "api/solve/solve.h"
#include "multigrid/level_ops.h"

/* The residual itself is within this factor of what the recurrence has reached. */
#define NEARLY 1.5

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

/* A recurrence has converged: so has the residual, up to rounding, or the iteration goes on from
 * it as long as that gains a factor of 2. An initial guess may have left rounding in the recurrence that is more than
 * faint couplings carry: there it goes on once more. */
static hymg_status confirm(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  bool doubtful = solver->h.options.initial_guess && hymgi_is_faint(solver);
  double norm, before = INFINITY;
  for (;; before = norm) {
    norm = true_residual(it);
    solver->residual = norm;
    if (it->reason != HYMG_REASON_TOLERANCE) return HYMG_OK;
    const bool reached =
        norm <= NEARLY * hymgi_wanted(solver) || hymgi_is_rounding(solver, it->level, norm, it->u);
    const bool last = solver->records >= solver->max_cycles;
    if (reached && (!doubtful || last)) return HYMG_OK;
    if (!reached && (last || !(norm < 0.5 * before))) break;
    doubtful = false;
    solver->step->restart(it);
    TRY(steps(it));
  }
  it->reason = HYMG_REASON_STAGNATED;
  hymgi_note(
      solver,
      "the residual is %.3g, although the iteration's own estimate has reached the tolerance",
      norm / solver->rhs_max);
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
