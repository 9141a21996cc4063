/* What a single F-cycle has come to. Its residual is small if the discretisation is good; where f is rough it is not, and need
 * not be: then it is compared with the residual of the discretisation. */
#include <math.h>

#include "api/solve/solve.h"

#define SMALL 1e-2 /* a residual, over f, that is not looked at */
/* With 2nd order a coarse level's residual of the solution is 3 times that of the discretisation on the finer one; with
 * 4th order it is more. */
#define TRUNCATION (1. / 3)
/* Of u, where residuals say little. */
#define MOST_ERROR 1e-2
#define EVEN_ALPHA 1.1

/* The norm of f - A u one level below, of the mean of u and with the boundary data of that level. */
static hymg_status coarse_residual(hymg_solver *solver, int l, const hymg_field *f, double *norm)
{
  hymgi_level *const level = solver->h.level + l, *const coarse = level + 1;
  TRY(hymgi_agree(level->context, hymgi_rhs_load(level, f)));
  if (level->num_boxes) {
    hymgi_restrict_cells(level, level->f, coarse, coarse->f);
    hymgi_restrict_cells(level, level->x, coarse, coarse->x);
  }
  if (coarse->num_boxes) {
    hymgi_add_boundary_terms(coarse, coarse->f);
    if (solver->h.method.singular) hymgi_subtract_mean(coarse, coarse->f);
    *norm = hymgi_residual_norm(coarse, coarse->f, coarse->x);
  }
  *norm = hymgi_known_by_all(coarse, *norm);
  return HYMG_OK;
}

/* A V-cycle on u; max of its change, over max |u|. Ranks that hold cells of the level. */
static double change_by_cycle(hymg_solver *solver, hymgi_level *level, double *before)
{
  hymgi_copy_vector(level, level->x, before);
  hymgi_run_cycle(&solver->h, HYMG_CYCLE_V, level->index);
  if (solver->h.method.singular) hymgi_remove_mean(level, level->x);
  hymgi_axpby(level, 1, level->x, -1, before, before);
  return hymgi_change(hymgi_norm_max(level, before), hymgi_norm_max(level, level->x));
}

/* The error that further V-cycles would remove, from what two of them do; where the second one does not gain,
 * they foretell nothing, and its change counts. u stays as it is. */
static hymg_status error_left(hymg_solver *solver, hymgi_level *level, double *error)
{
  const ptrdiff_t size = level->vector_size;
  hymg_status status = hymgi_vector_create(level, size, &solver->before);
  if (status == HYMG_OK && !solver->scratch)
    status = hymgi_vector_create(level, size, &solver->scratch);
  TRY(hymgi_agree(level->context, status));
  if (level->num_boxes) {
    double *const u = level->x;
    hymgi_copy_vector(level, u, solver->scratch);
    if (solver->scale) hymgi_axpby(level, ldexp(1, solver->scale), u, 0, u, u); /* as f is */
    const double first = change_by_cycle(solver, level, solver->before),
                 second = change_by_cycle(solver, level, solver->before);
    *error = second < first ? first * first / (first - second) : second;
    hymgi_copy_vector(level, solver->scratch, u);
    if (level->x != u) level->y = level->x, level->x = u;
  }
  *error = hymgi_known_by_all(level, *error);
  return HYMG_OK;
}

/* The diagonal or the axes are spread, alpha varies from cell to cell, or sinks and Robin conditions hold the mean of u so weakly
 * that the residual has little of it. */
static bool residuals_say_little(const hymgi_hierarchy *h)
{
  return h->spread || h->uneven || h->weakly_held || h->alpha_step > EVEN_ALPHA;
}

/* Collective; *good: the result is one that an F-cycle should give. */
hymg_status hymgi_fmg_judge(hymg_solver *solver, int l, const hymg_field *f, bool *good)
{
  hymgi_level *level = solver->h.level + l;
  const double relative = solver->rhs_max > 0 ? solver->residual / solver->rhs_max : 0;
  double coarse = 0, error = 0;
  *good = isfinite(solver->residual) && isfinite(solver->rhs_max);
  if (!*good) return HYMG_OK;
  if (residuals_say_little(&solver->h)) TRY(error_left(solver, level, &error));
  if (!(error <= MOST_ERROR)) {
    *good = false;
    hymgi_note(solver,
               "after the F-cycle V-cycles would change u by about %.2g of it: try method=mg",
               error);
    return HYMG_OK;
  }
  if (relative <= SMALL) return HYMG_OK;
  if (l + 1 < solver->h.num_levels) TRY(coarse_residual(solver, l, f, &coarse));
  *good = solver->residual <= TRUNCATION * coarse;
  hymgi_note(solver,
             *good ? "the residual of the F-cycle is %.2g of f, which the discretisation explains"
                   : "the F-cycle left a residual of %.2g of f, more than that of the "
                     "discretisation: try method=mg",
             relative);
  return HYMG_OK;
}
