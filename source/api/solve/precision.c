/* When a solve's cycles are in single precision, and when they no longer are. Rounding of corrections
 * cannot spoil the result, only the rate: a cycle that hardly gains, or whose result is not finite since
 * coefficients are too far apart for floats, is the last one. Only the residuals decide, so all ranks
 * decide the same. */
#include <math.h>

#include "api/solve/solve.h"
#include "base/exact_sum.h"

/* What a cycle has to leave at most of the residual. */
#define LEAST_GAIN 0.7

void hymgi_mixed_begin(hymg_solver *solver, int l)
{
  const hymgi_transfer *transfer = solver->h.method.transfer;
  const bool pairs = transfer && transfer->pairs;
  solver->mixed = l < solver->h.singles.count && !pairs;
  if (solver->h.options.precision == HYMG_MIXED && pairs)
    hymgi_note(solver, "precision double: the graphs of the pairs have no other");
  else if (solver->h.options.precision == HYMG_MIXED && !solver->mixed)
    hymgi_note(solver, "precision double: no level of more than %d cells to be in single",
               HYMGI_SINGLE_CELLS);
}

int hymgi_mixed_exponent(const hymg_solver *solver)
{
  const int count = solver->records;
  const double norm = count ? solver->history[count - 1].residual_max : solver->rhs_max;
  return norm > 0 && isfinite(norm) ? hymgi_exponent_above(norm) + solver->scale : 0;
}

void hymgi_mixed_leave(hymg_solver *solver, const char *why)
{
  solver->mixed = false;
  solver->transfer.since = solver->records > 0 ? solver->records - 1 : 0;
  hymgi_note(solver, "precision double after %d cycles: %s", solver->records, why);
}

static bool gains_little(const hymg_solver *solver)
{
  const hymg_cycle_record *h = solver->history;
  const int last = solver->records - 1;
  return last > 0 && !solver->step->recurrence &&
         h[last].residual_max > LEAST_GAIN * h[last - 1].residual_max;
}

bool hymgi_goes_on(hymgi_iteration *it, bool stop)
{
  hymg_solver *solver = it->solver;
  const bool end = hymgi_finished(solver, stop, &it->reason);
  if (solver->h.options.method == HYMG_FMG) return false;
  if (!solver->mixed ||
      (end && (it->reason == HYMG_REASON_TOLERANCE || it->reason == HYMG_REASON_LIMIT ||
               it->reason == HYMG_REASON_STOPPED)))
    return !end;
  if (it->reason == HYMG_REASON_NOT_FINITE && solver->step->recurrence) return false;
  if (it->reason == HYMG_REASON_NOT_FINITE) {
    solver->records--;
    hymgi_fill(it->level, 0, it->level->x);
    hymgi_mixed_leave(solver, "a cycle's result in single precision was not finite");
    return true;
  }
  if (end || gains_little(solver))
    hymgi_mixed_leave(solver, "a cycle in single precision gained too little");
  return solver->records < solver->max_cycles;
}
