/* Set-up: coefficients, boundary data and right-hand side evaluated slab by slab, the fields of the three
 * sizes; and how ranks agree on failures. */
#define _GNU_SOURCE
#include "hymg-fv/run.h"

#include "common/kit/timing.h"
#include "common/start.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- agreement ---- */

bool fv_max(fv_run *run, double *value)
{
  if (hymg_context_max(run->context, value) == HYMG_OK) return true;
  fprintf(stderr, "hymg-fv: %s\n", hymg_context_error(run->context));
  start_abort(3); /* the other ranks cannot detect it */
}

bool fv_any(fv_run *run, bool here)
{
  double anywhere = here;
  return fv_max(run, &anywhere) && anywhere > 0.0;
}

bool fv_agree(fv_run *run, hymg_status status, const char *doing)
{
  const int ranks = hymg_context_ranks(run->context), rank = hymg_context_rank(run->context);
  const bool input = status == HYMG_EINVAL || status == HYMG_EUNSUPPORTED;
  double code = status == HYMG_OK ? 0.0 : input ? 2.0 : 3.0;
  double first = status == HYMG_OK ? 0.0 : ranks - rank;
  fv_max(run, &code);
  if (code == 0.0) return true;
  fv_max(run, &first);
  fv_progress(run, NULL);
  if (rank == ranks - (int)first) {
    const char *text = hymg_context_error(run->context);
    fprintf(stderr, "hymg-fv: %s %s: %s\n", doing, input ? "refused" : "failed",
            *text ? text : hymg_status_text(status));
  }
  run->exit_code = (int)code;
  return false;
}

/* ---- evaluation ---- */

static hymg_status write_finest(const fv_run *run, const fv_system *s, problem_part what, int axis,
                                hymg_field *field)
{
  return problem_write_local(&run->problem, what, axis, s->desc.spacing, s->grid, field);
}

hymg_status fv_write_beta(const fv_run *run, const fv_system *s, int axis, hymg_field *field)
{
  return write_finest(run, s, PROBLEM_BETA, axis, field);
}

/* Every rank offers the whole boundary, as below. */
hymg_status fv_write_boundary(const fv_run *run, const fv_system *s, int face, hymg_field *field)
{
  problem_range range = {.low = {0, 0, 0}};
  memcpy(range.spacing, s->desc.spacing, sizeof range.spacing);
  memcpy(range.count, s->desc.n, sizeof range.count);
  range.low[face / 2] = face % 2 ? s->desc.n[face / 2] : 0;
  range.count[face / 2] = 1;
  return problem_write(&run->problem, PROBLEM_BOUNDARY, face, range, field);
}

/* The distribution of coarse levels is not public: every rank offers the whole field, which is
 * cheap for a product of one-dimensional tables. */
bool fv_write_exact(fv_run *run, int size, hymg_field *field)
{
  int level;
  hymg_status status;
  const fv_system *const s = fv_system_of(run, size, &level);
  if (level == 0) {
    status = write_finest(run, s, PROBLEM_EXACT, 0, field);
  } else {
    hymg_level_info info;
    problem_range range = {.low = {0, 0, 0}};
    status = hymg_solver_level(s->solver, level, &info);
    memcpy(range.spacing, info.spacing, sizeof range.spacing);
    memcpy(range.count, info.cells, sizeof range.count);
    if (status == HYMG_OK) status = problem_write(&run->problem, PROBLEM_EXACT, 0, range, field);
  }
  return fv_agree(run, status, "exact solution");
}

/* ---- set-up ---- */

/* Lower bound of the bytes per cell that a run needs: vectors of the hierarchy (8/7 for all
 * levels), u and f of three sizes, and the user's betas while the solver is made. */
static double least_bytes(const fv_options *o)
{
  const bool fv4 = o->stencil == HYMG_FV4;
  const bool in_place =
      o->solver.smoother == HYMG_SYMGS || (!fv4 && o->solver.smoother == HYMG_GSRB);
  const double vectors = (o->variable ? 3 : 0) + (fv4 ? 1 : 0) + (in_place ? 0 : 1) +
                         (o->solver.method == HYMG_MGPCG ? 4 : 0);
  return 8 * (vectors * 8 / 7 + 2 * 8. / 7 + (o->variable ? 3 : 0));
}

/* Refuses at once what does not fit into the host's memory; Linux would otherwise kill the run half
 * way. */
static bool check_memory(fv_run *run, const fv_report *report)
{
  const fv_options *o = run->options;
  const double cells = (double)o->grid.n[0] * o->grid.n[1] * o->grid.n[2];
  const double need = cells * least_bytes(o) / report->nodes;
  const bool known = !report->has_device && report->machine.memory > 0.0;
  if (!fv_any(run, known && need > report->machine.memory)) return true;
  if (hymg_context_rank(run->context) == 0)
    fprintf(stderr,
            "hymg-fv: %d x %d x %d cells need at least %.1f GB on each of %d host%s; this host has "
            "%.1f GB\n",
            o->grid.n[0], o->grid.n[1], o->grid.n[2], need * 1e-9, report->nodes,
            report->nodes > 1 ? "s" : "", report->machine.memory * 1e-9);
  run->exit_code = 2;
  return false;
}

static void describe_problem(fv_run *run)
{
  const fv_options *o = run->options;
  run->problem = (problem){.kind = o->problem, .variable = o->variable, .a = o->a, .b = o->b};
  for (int axis = 0; axis < 3; axis++) {
    const hymg_boundary *const kind = o->grid.boundary + 2 * axis;
    double alpha[2], beta[2];
    for (int side = 0; side < 2; side++) {
      alpha[side] = kind[side] == HYMG_ROBIN ? o->robin[0] : kind[side] == HYMG_DIRICHLET;
      beta[side] = kind[side] == HYMG_ROBIN ? o->robin[1] : kind[side] == HYMG_NEUMANN;
    }
    run->problem.shift[axis] = alpha[0] == 0 && alpha[1] == 0;
    run->problem.wave[axis] = 4 * acos(0.0);
    if (o->problem == PROBLEM_WAVES)
      problem_set_wave(&run->problem, axis, kind[0] == HYMG_PERIODIC);
    else if (kind[0] != HYMG_PERIODIC)
      problem_set_mode(&run->problem, axis, alpha, beta);
    for (int side = 0; side < 2; side++) {
      run->problem.condition[2 * axis + side][0] = alpha[side];
      run->problem.condition[2 * axis + side][1] = beta[side];
    }
  }
}

/* f of a size: of its own problem, or restricted from that of the finer size. */
static bool make_rhs(fv_run *run, int size)
{
  int level, above;
  const fv_system *const s = fv_system_of(run, size, &level);
  if (level == 0)
    return fv_agree(run, write_finest(run, s, PROBLEM_RHS, 0, run->f[size]), "right-hand side");
  fv_system_of(run, size - 1, &above);
  return fv_agree(run, hymg_restrict(s->solver, above, run->f[size - 1], run->f[size]),
                  "restriction");
}

static bool make_fields(fv_run *run, fv_report *report)
{
  hymg_status status = HYMG_OK;
  double start = fv_clock();
  for (int size = 0; size < report->num_sizes && status == HYMG_OK; size++) {
    int level;
    hymg_solver *const solver = fv_system_of(run, size, &level)->solver;
    status = hymg_field_create_on_level(solver, level, &run->f[size]);
    if (status == HYMG_OK) status = hymg_field_create_on_level(solver, level, &run->u[size]);
  }
  if (!fv_agree(run, status, "fields")) return false;
  report->setup_seconds += fv_clock() - start;
  fv_progress(run, "evaluating the right-hand side");
  start = fv_clock();
  if (!make_rhs(run, 0)) return false;
  report->problem_seconds += fv_clock() - start;
  for (int size = 1; size < report->num_sizes; size++)
    if (!make_rhs(run, size)) return false;
  return fv_max(run, &report->setup_seconds) && fv_max(run, &report->problem_seconds);
}

/* Levels below one of odd sides have a narrower last cell and cannot be solved on. */
static bool covers_cube(const hymg_level_info *level)
{
  for (int axis = 0; axis < 3; axis++)
    if (fabs(level->cells[axis] * level->spacing[axis] - 1) > 1e-9) return false;
  return true;
}

static bool describe_levels(fv_run *run, fv_report *report)
{
  const hymg_solver *const solver = run->system[0].solver;
  report->num_levels = hymg_solver_num_levels(solver);
  report->levels = calloc((size_t)report->num_levels, sizeof *report->levels);
  hymg_status status = report->levels ? HYMG_OK : HYMG_ENOMEM;
  for (int level = 0; level < report->num_levels && status == HYMG_OK; level++)
    status = hymg_solver_level(solver, level, &report->levels[level]);
  if (!fv_agree(run, status, "levels")) return false;
  report->num_sizes = 1;
  if (hymg_solver_path(solver, NULL) == HYMG_PATH_STANDARD)
    while (report->num_sizes < FV_SIZES && report->num_sizes < report->num_levels &&
           covers_cube(&report->levels[report->num_sizes]))
      report->num_sizes++;
  for (int level = 0; level < report->num_sizes; level++)
    report->size[level].level = report->levels[level];
  status = hymg_solver_tuning(solver, &report->tuning);
  if (status == HYMG_OK) status = hymg_solver_transport(solver, &report->transport);
  return fv_agree(run, status, "levels") && fv_max(run, &report->tuning_seconds);
}

bool fv_make_grid(fv_run *run, fv_report *report)
{
  const double start = fv_clock();
  fv_system *const s = &run->system[0];
  s->desc = run->options->grid;
  if (!run->options->plan && !check_memory(run, report)) return false;
  if (!fv_agree(run, hymg_grid_create(run->context, &s->desc, &s->grid), "grid")) return false;
  report->setup_seconds = fv_clock() - start;
  hymg_grid_boxes(s->grid, report->boxes);
  return true;
}

bool fv_setup(fv_run *run, fv_report *report)
{
  fv_progress_start(run);
  describe_problem(run);
  const bool ok = fv_make_solver(run, report, &run->system[0]) && describe_levels(run, report) &&
                  fv_make_coarser_sizes(run, report) && make_fields(run, report);
  fv_progress(run, NULL);
  return ok;
}

bool fv_save(fv_run *run)
{
  const char *const file = run->options->save;
  if (!file) return true;
  fv_progress(run, "writing %s", file);
  const hymg_status status = hymg_fields_save(2, (const hymg_field *const[]){run->u[0], run->f[0]},
                                              (const char *const[]){"u", "f"}, file);
  fv_progress(run, NULL);
  return fv_agree(run, status, "--save");
}

void fv_cleanup(fv_run *run)
{
  for (int level = 0; level < FV_SIZES; level++) {
    hymg_field_destroy(&run->f[level]);
    hymg_field_destroy(&run->u[level]);
  }
  fv_systems_destroy(run);
  energy_close(&run->meter);
}
