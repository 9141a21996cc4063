/* When a solve ends, for cycles and Krylov iterations alike (docs/numerics.md#when-a-solve-has-converged).
 *
 * Converged: |r| <= rtol |f| or atol, and the last step has moved u by little enough. The second test is for systems
 * whose diagonal is spread: where |f| is large in a few stiff cells, the first one is blind elsewhere. Its limit is
 * 100 rtol relative to max |u|, which systems with an even diagonal always meet with the first one. Or |r| is what
 * rounding leaves of it, and no cycle halves it any more.
 *
 * Stagnated: no 5 % were gained in as many cycles as had been needed for the last such gain. Krylov
 * residuals may stay where they are for a long time while a few slow modes are found one by one. */
#include <float.h>
#include <math.h>

#include "api/solve/solve.h"

/* A smaller rtol is taken for this: a residual is the difference of numbers with 16 digits. */
#define LEAST_RTOL  1e-17
#define MOST_CHANGE 100 /* of u by the last step, in units of rtol */
/* Rounding that leaves more than this part of f is not taken for convergence; nor what leaves more than the other one, even
 * if u no longer changes. */
#define MOST_ROUNDING   1e-5
#define MOST_CONFIRMED  1e-2
#define ROUNDING_CHANGE 1e-8 /* the most that u may still change by then */
#define GAIN            0.95
#define FAINT_ERROR     1e3
#define NOTHING         1e-12 /* of the tolerance: a residual that no iteration can do anything with */
#define FALLS           0.9 /* times the last change of u, or less: it is no rounding */
#define HALVED          0.5 /* a cycle that gains less may have come to where rounding ends */
/* Iterations without a gain after which rounding is looked at. */
enum { DOUBTFUL = 20 };

/* ---- converged ---- */

double hymgi_wanted(const hymg_solver *solver)
{
  const hymg_options *o = &solver->h.options;
  return fmax(fmax(o->rtol, LEAST_RTOL) * solver->rhs_max, o->atol);
}

bool hymgi_small(const hymg_solver *solver, double residual)
{
  return residual <= hymgi_wanted(solver);
}

bool hymgi_waits(const hymg_solver *solver)
{
  return solver->records > solver->gained + DOUBTFUL;
}

double hymgi_change(double moved, double size)
{
  return size > 0 ? moved / size : moved == 0 && size == 0 ? 0 : INFINITY;
}

/* Are the smallest couplings below the tolerance of the largest? They may be all that holds a piece of the domain. */
bool hymgi_is_faint(const hymg_solver *solver)
{
  return solver->h.contrast > HYMGI_FAINT;
}

bool hymgi_sees_faint(const hymg_solver *solver, double residual)
{
  return !hymgi_is_faint(solver) ||
         residual <= hymgi_wanted(solver) * FAINT_ERROR / solver->h.contrast;
}

/* There a recurrence goes on until its residual is as much smaller, or gains no more. */
static bool is_low_enough(const hymg_solver *solver, double residual)
{
  return hymgi_small(solver, residual) &&
         (!solver->step->recurrence || hymgi_sees_faint(solver, residual) || hymgi_waits(solver));
}

bool hymgi_is_blind(const hymg_solver *solver)
{
  return solver->waited && solver->records >= solver->waited + DOUBTFUL;
}

/* A recurrence that no longer gains may only change u by rounding, in pieces that its cycles do not see: that is for those to
 * say who confirm it. */
static bool is_spent(const hymg_solver *solver)
{
  return solver->step->recurrence && hymgi_is_faint(solver) && hymgi_waits(solver) &&
         hymgi_is_blind(solver);
}

static double most_change(const hymg_solver *solver)
{
  return MOST_CHANGE * fmax(solver->h.options.rtol, LEAST_RTOL);
}

bool hymgi_changes_little(const hymg_solver *solver, double change)
{
  const double most = most_change(solver);
  return change <= (solver->at_rounding ? fmax(most, ROUNDING_CHANGE) : most);
}

double hymgi_change_at_rounding(const hymgi_iteration *it, double change)
{
  const bool falls = it->change < FALLS * it->last_change && change > most_change(it->solver);
  return it->solver->at_rounding && falls ? INFINITY : change;
}

bool hymgi_has_converged(const hymg_solver *solver, double residual)
{
  const hymg_options *o = &solver->h.options;
  const double most = most_change(solver);
  if (residual <= o->atol) return true;
  if (solver->records < solver->least && residual > NOTHING * hymgi_wanted(solver)) return false;
  return (is_low_enough(solver, residual) && (solver->change <= most || is_spent(solver))) ||
         (solver->at_rounding && solver->change <= fmax(most, ROUNDING_CHANGE));
}

/* eps |A| |u|, where a coefficient meets u of its own cell. The 2-norm of products is at most that of u times the largest
 * coefficient, and that of as many largest products as there are cells. */
double hymgi_rounding(const hymg_solver *solver, const hymgi_level *level, const double *u)
{
  const double faces = level->op->row_sum;
  const hymgi_coefficients *c = &level->c;
  const bool max_norm = solver->h.options.norm == HYMG_NORM_MAX;
  const double size = max_norm ? hymgi_norm_max(level, u) : hymgi_norm(solver, level, u);
  double products = 0, largest = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double *const beta = c->beta[axis];
    products += faces * (beta ? hymgi_norm_product(level, beta, u)
                              : c->beta_constant[axis] * hymgi_norm_max(level, u));
    if (!max_norm) largest += faces * (beta ? hymgi_norm_max(level, beta) : c->beta_constant[axis]);
  }
  if (c->alpha)
    products += hymgi_norm_product(level, c->alpha, u);
  else if (level->method->has_alpha)
    products += c->alpha_constant * hymgi_norm_max(level, u);
  if (c->alpha && !max_norm) largest += hymgi_norm_max(level, c->alpha);
  if (!c->alpha && level->method->has_alpha) largest += c->alpha_constant;
  if (!max_norm) products = fmin(sqrt((double)level->cells) * products, largest * size);
  return 4 * DBL_EPSILON * products;
}

bool hymgi_is_rounding(hymg_solver *solver, const hymgi_level *level, double residual,
                       const double *u)
{
  const double limit = level->num_boxes ? hymgi_rounding(solver, level, u) : 0;
  solver->at_rounding = residual <= ldexp(hymgi_known_by_all(level, limit), -solver->scale);
  return solver->at_rounding;
}

bool hymgi_is_much(const hymg_solver *solver, double residual)
{
  return !(residual <= MOST_ROUNDING * solver->rhs_max);
}

bool hymgi_is_too_much(const hymg_solver *solver, double residual)
{
  return !(residual <= MOST_CONFIRMED * solver->rhs_max);
}

void hymgi_look_for_rounding(hymg_solver *solver, const hymgi_level *level, double residual,
                             const double *u)
{
  const int count = solver->records;
  const double last = count ? solver->history[count - 1].residual_max : INFINITY;
  solver->at_rounding = false;
  if ((solver->step->recurrence ? hymgi_waits(solver) : residual > HALVED * last) &&
      !hymgi_is_faint(solver) && !hymgi_is_much(solver, residual))
    hymgi_is_rounding(solver, level, residual, u);
}

void hymgi_note_end(hymg_solver *solver)
{
  if (solver->waited)
    hymgi_note(
        solver,
        "the residual was small enough after %d, but u still changed by more than %.2g of it",
        solver->waited, MOST_CHANGE * solver->h.options.rtol);
  if (solver->reason == HYMG_REASON_TOLERANCE && !hymgi_small(solver, solver->residual) &&
      solver->at_rounding)
    hymgi_note(
        solver,
        "the residual is %.3g, where rounding ends: the tolerance is below what double gives",
        solver->residual / solver->rhs_max);
}

/* ---- records ---- */

/* How many records were needed for the last gain, counted from `since`. */
static void note_gain(hymg_solver *solver, double residual)
{
  if (solver->records - 1 <= solver->transfer.since || residual <= GAIN * solver->best)
    solver->best = residual, solver->gained = solver->records;
}

hymg_status hymgi_record(hymg_solver *solver, hymg_cycle_kind kind, double residual, bool *stop)
{
  const double relative = solver->rhs_max == 0 && residual == 0 ? 0 : residual / solver->rhs_max;
  hymg_cycle_record *r = solver->history + solver->records;
  *r = (hymg_cycle_record){kind, residual, relative};
  solver->records++;
  solver->residual = residual;
  note_gain(solver, residual);
  if (!solver->waited && hymgi_small(solver, residual) && !hymgi_has_converged(solver, residual))
    solver->waited = solver->records;
  const hymg_options *o = &solver->h.options;
  if (!o->monitor && o->method == HYMG_FMG) return HYMG_OK; /* the only cycle */
  hymg_context *c = solver->h.context;
  if (o->monitor) solver->h.level->backend->sync(c); /* nothing runs beside it */
  int wanted = o->monitor && !o->monitor(r, solver->records - 1, o->monitor_user);
  if (solver->stop || c->status != HYMG_OK) wanted = 1; /* after a failure all values are garbage */
  TRY(hymgi_comm_max_int(c, c->comm, &wanted, 1));
  *stop = wanted != 0;
  return HYMG_OK;
}

/* ---- the end ---- */

static bool stagnated(const hymg_solver *solver)
{
  const hymgi_step *step = solver->step;
  const int since = solver->transfer.since, wanted = solver->h.options.stagnation;
  const int needed = solver->gained - since;
  const int window = wanted > 0                ? wanted
                     : solver->mixed           ? step->patience_mixed
                     : wanted == 0             ? solver->max_cycles
                     : needed > step->patience ? needed
                                               : step->patience;
  return solver->records - solver->gained >= window;
}

bool hymgi_finished(const hymg_solver *solver, bool stop, hymg_reason *reason)
{
  const hymg_cycle_record *h = solver->history;
  const int count = solver->records;
  const double residual = h[count - 1].residual_max, rhs = solver->rhs_max;
  const double start = h[0].residual_max > rhs ? h[0].residual_max : rhs;
  const bool once = solver->h.options.method == HYMG_FMG; /* judged in fmg.c */
  *reason = !isfinite(residual)                           ? HYMG_REASON_NOT_FINITE
            : once                                        ? HYMG_REASON_LIMIT
            : hymgi_has_converged(solver, residual)       ? HYMG_REASON_TOLERANCE
            : stop                                        ? HYMG_REASON_STOPPED
            : residual > solver->step->divergence * start ? HYMG_REASON_DIVERGED
            : stagnated(solver)                           ? HYMG_REASON_STAGNATED
                                                          : HYMG_REASON_LIMIT;
  return *reason != HYMG_REASON_LIMIT || count >= solver->max_cycles;
}
