/* The benchmark protocol: per size a warm-up, then timed solves from u = 0 until both their number
 * and their time are reached; errors; Richardson's order from the three solutions; one profiled
 * solve. All ranks decide by the same number, the time of the slowest rank. */
#include "hymg-fv/run.h"

#include "common/kit/timing.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool solve_once(fv_run *run, int size, const int n[3], hymg_result *result)
{
  char doing[64];
  int level;
  hymg_solver *const solver = fv_system_of(run, size, &level)->solver;
  if (!fv_agree(run, HYMG_OK, "start")) return false; /* synchronises the ranks */
  const hymg_status status = hymg_solve_on_level(solver, level, run->f[size], run->u[size], result);
  snprintf(doing, sizeof doing, "solve with %d x %d x %d cells", n[0], n[1], n[2]);
  return fv_agree(run, status, doing);
}

static bool warm_up(fv_run *run, int level, int sizes_after, fv_size *size)
{
  const fv_options *o = run->options;
  const int *n = size->level.cells;
  run->solve_seconds /= 8; /* the size before had 8 times as many cells */
  for (int i = 0; i < o->warmup; i++) {
    fv_progress_solves(run, n, sizes_after, i, 0, 0);
    if (!solve_once(run, level, n, &size->result)) return false;
    run->solve_seconds = size->result.seconds;
  }
  return true;
}

static bool time_solves(fv_run *run, fv_report *report, int level, fv_size *size, times *t)
{
  const fv_options *o = run->options;
  const int *n = size->level.cells;
  while (times_wanted(t, o->min_solves, o->min_seconds, INT_MAX)) {
    fv_progress_solves(run, n, report->num_sizes - 1 - level, o->warmup, t->count, t->total);
    if (!solve_once(run, level, n, &size->result)) return false;
    double seconds = size->result.seconds;
    fv_max(run, &seconds);
    run->solve_seconds = seconds;
    if (!fv_agree(run, times_add(t, seconds, 1) ? HYMG_OK : HYMG_ENOMEM, "timed solves"))
      return false;
    if (level == 0) fv_energy_sample(run, report);
  }
  return true;
}

/* The counters of energy are read around the timed solves of the finest size. */
static bool time_size(fv_run *run, fv_report *report, int level, fv_size *size, times *t)
{
  const int sizes_after = report->num_sizes - 1 - level;
  if (level == 0 && !fv_energy_idle(run)) return false;
  if (!warm_up(run, level, sizes_after, size)) return false;
  if (level == 0) fv_energy_begin(run);
  if (!time_solves(run, report, level, size, t)) return false;
  if (level == 0) fv_energy_end(run, report);
  fv_progress(run, NULL);
  return true;
}

static bool copy_history(fv_run *run, fv_size *size)
{
  const size_t bytes = (size_t)size->result.cycles * sizeof *size->cycles;
  size->cycles = malloc(bytes > 0 ? bytes : 1);
  if (size->cycles && bytes > 0) memcpy(size->cycles, size->result.history, bytes);
  size->result.history = NULL;
  snprintf(size->note, sizeof size->note, "%s", size->result.note);
  size->result.note = size->note;
  return fv_agree(run, size->cycles ? HYMG_OK : HYMG_ENOMEM, "residual history");
}

/* max and rms of the exact solution minus u. */
static bool find_errors(fv_run *run, int n, fv_size *size)
{
  int level;
  hymg_solver *const solver = fv_system_of(run, n, &level)->solver;
  hymg_field *error = NULL;
  size->error_max = size->error_rms = NAN;
  if (!problem_has_exact(&run->problem)) return true;
  hymg_status status = hymg_field_create_on_level(solver, level, &error);
  bool ok = fv_agree(run, status, "exact solution") && fv_write_exact(run, n, error) &&
            fv_agree(run, hymg_field_axpy(-1.0, run->u[n], error), "error") &&
            fv_agree(run, hymg_field_max(error, &size->error_max), "error") &&
            fv_agree(run, hymg_field_rms(error, &size->error_rms), "error");
  hymg_field_destroy(&error);
  return ok;
}

static bool ask_advice(fv_run *run, int level, fv_size *size)
{
  if (!run->options->verbose || level > 0) return true;
  return fv_agree(
      run,
      hymg_solver_advice(run->system[0].solver, &size->result, size->advice, sizeof size->advice),
      "advice");
}

bool fv_measure(fv_run *run, fv_report *report, int level)
{
  fv_size *size = &report->size[level];
  times t = {0};
  const int *n = size->level.cells;
  size->dof = (int64_t)n[0] * n[1] * n[2];
  bool ok = time_size(run, report, level, size, &t);
  size->solves = t.count;
  size->seconds_mean = t.total / t.count;
  size->seconds_median = times_median(&t);
  size->seconds_min = times_min(&t);
  times_free(&t);
  return ok && copy_history(run, size) &&
         fv_agree(run, hymg_field_max(run->u[level], &size->solution_max), "norm") &&
         fv_agree(run, hymg_field_rms(run->u[level], &size->solution_rms), "norm") &&
         find_errors(run, level, size) && ask_advice(run, level, size);
}

/* ---- Richardson ---- */

double fv_order_bound(const fv_options *options)
{
  return options->stencil == HYMG_FV2 ? 1.8 : 3.5;
}

/* max |u_coarse - R u_fine| */
static bool difference(fv_run *run, int level, double *max)
{
  hymg_field *d = NULL;
  hymg_solver *const solver = run->system[0].solver;
  hymg_status status = hymg_field_create_on_level(solver, level + 1, &d);
  bool ok = fv_agree(run, status, "Richardson") &&
            fv_agree(run, hymg_restrict(solver, level, run->u[level], d), "Richardson") &&
            fv_agree(run, hymg_field_axpy(-1.0, run->u[level + 1], d), "Richardson") &&
            fv_agree(run, hymg_field_max(d, max), "Richardson");
  hymg_field_destroy(&d);
  return ok;
}

/* Conditions under which the asymptotic order is known to be visible. */
static bool order_is_judged(const fv_options *o)
{
  const hymg_smoother smoother = o->solver.smoother;
  int least = o->grid.n[0];
  for (int axis = 1; axis < 3; axis++)
    if (o->grid.n[axis] < least) least = o->grid.n[axis];
  if (smoother != HYMG_GSRB && smoother != HYMG_CHEBYSHEV) return false;
  return (o->problem == PROBLEM_FV && least >= 128) || (o->problem == PROBLEM_P6 && least >= 64);
}

bool fv_richardson(fv_run *run, fv_report *report)
{
  double fine = NAN, coarse = NAN;
  report->pass = FV_NO_VERDICT;
  report->has_richardson = report->num_sizes == FV_SIZES && report->num_own == 0;
  if (report->has_richardson) {
    if (!difference(run, 0, &fine) || !difference(run, 1, &coarse)) return false;
    report->richardson_error = fine;
    const double order = log2(coarse / fine);
    report->richardson_order = isnan(order) ? NAN : order; /* a NaN's sign would be printed */
    if (order_is_judged(run->options))                     /* a NaN fails */
      report->pass =
          report->richardson_order >= fv_order_bound(run->options) ? FV_PASSED : FV_FAILED;
  }
  report->official =
      run->options->official && report->pass == FV_PASSED && fv_exit_code(report) == 0;
  return true;
}

/* An F-cycle that leaves more than the discretisation's residual is told, and no failure of the benchmark. */
int fv_exit_code(const fv_report *report)
{
  const bool fmg = report->options->solver.method == HYMG_FMG;
  bool good = report->pass != FV_FAILED;
  for (int n = 0; n < report->num_sizes; n++) {
    const hymg_result *result = &report->size[n].result;
    good = good && (fmg || result->converged) && result->reason != HYMG_REASON_NOT_FINITE &&
           isfinite(report->size[n].solution_max);
  }
  return good ? 0 : 1;
}

double fv_setup_cycles(const fv_report *report)
{
  if (report->options->solver.method != HYMG_FMG) return NAN;
  return report->setup_seconds / report->size[0].seconds_mean;
}

double fv_dof_per_second(const fv_size *size)
{
  return (double)size->dof / size->seconds_mean;
}

bool fv_is_disturbed(const fv_size *size)
{
  return size->seconds_mean > 1.5 * size->seconds_min;
}

/* ---- time per level and level operation ---- */

/* One instrumented solve; keeps its rows if it is the first or the quickest. All ranks see the same `seconds`. */
static bool profile_once(fv_run *run, fv_report *report, double *best, double *seconds)
{
  hymg_result result;
  hymg_status status = HYMG_OK;
  hymg_solver *const solver = run->system[0].solver;
  hymg_solver_profile(solver, true);
  if (!solve_once(run, 0, report->size[0].level.cells, &result)) return false;
  hymg_solver_profile(solver, false);
  *seconds = result.seconds;
  fv_max(run, seconds);
  if (*seconds >= *best) return true;
  *best = *seconds;
  free(report->rows);
  report->num_rows = hymg_solver_profile_rows(solver);
  report->rows = calloc((size_t)report->num_rows + 1, sizeof *report->rows);
  if (!report->rows) status = HYMG_ENOMEM;
  for (int i = 0; i < report->num_rows && status == HYMG_OK; i++)
    status = hymg_solver_profile_row(solver, i, &report->rows[i]);
  return fv_agree(run, status, "time table");
}

/* A solve that other programs have disturbed says nothing about the timed ones: one that takes more than twice their
 * mean is repeated for up to a second, and the quickest counts. */
bool fv_breakdown(fv_run *run, fv_report *report)
{
  double best = INFINITY, seconds, spent = 0;
  fv_progress(run, "one instrumented solve");
  do {
    if (!profile_once(run, report, &best, &seconds)) return false;
    spent += seconds;
  } while (best > 2 * report->size[0].seconds_mean && spent < 1);
  fv_progress(run, NULL);
  report->bytes_per_dof = hymg_solver_bytes_per_dof(run->system[0].solver); /* after solves */
  report->peak_bytes = fv_peak_bytes();
  return fv_max(run, &report->peak_bytes);
}

void fv_report_free(fv_report *report)
{
  for (int n = 0; n < FV_SIZES; n++)
    free(report->size[n].cycles);
  free(report->levels);
  free(report->rows);
  free(report->energy.part);
  fv_nodes_free(report);
}
