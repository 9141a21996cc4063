/* Set-up: grid, coefficients and right-hand side evaluated slab by slab, operator, solver, the
 * fields of the three sizes; and how ranks agree on failures. */
#define _GNU_SOURCE
#include "hymg-fv/run.h"

#include "common/kit/timing.h"
#include "common/start.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Doubles evaluated at a time: 16 MB. */
enum { SLAB = 1 << 21 };

/* The quantity that a slab is filled with. */
typedef enum content { CONTENT_RHS, CONTENT_BETA, CONTENT_EXACT } content;

/* ---- agreement ---- */

bool fv_max(fv_run *run, double *value)
{
  if (hymg_context_max(run->context, value) == HYMG_OK) return true;
  fprintf(stderr, "hymg-fv: %s\n", hymg_context_error(run->context));
  start_abort(3); /* the other ranks cannot detect it */
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

static hymg_status evaluate(const problem *p, content what, int axis, const problem_range *range,
                            double *data)
{
  const bool ok = what == CONTENT_RHS    ? problem_rhs(p, range, data)
                  : what == CONTENT_BETA ? problem_beta(p, axis, range, data)
                                         : problem_exact(p, range, data);
  return ok ? HYMG_OK : HYMG_ENOMEM;
}

/* Fills the entries low, count of a field, in slabs of whole planes or, where a plane is too large,
 * of whole rows. */
static hymg_status write_brick(const problem *p, content what, int axis, problem_range range,
                               hymg_field *field)
{
  const int low[3] = {range.low[0], range.low[1], range.low[2]};
  const int count[3] = {range.count[0], range.count[1], range.count[2]};
  const int64_t row = count[0], plane = row * count[1];
  const int64_t rows = row < SLAB ? SLAB / row : 1, planes = plane < SLAB ? SLAB / plane : 1;
  const int nj = rows < count[1] ? (int)rows : count[1],
            nk = planes < count[2] ? (int)planes : count[2];
  hymg_status status = HYMG_OK;
  double *data = malloc((size_t)row * (size_t)nj * (size_t)nk * sizeof *data);
  if (!data) return HYMG_ENOMEM;
  range.stride[0] = 1;
  range.stride[1] = row;
  range.stride[2] = row * nj;
  for (int k = 0; k < count[2] && status == HYMG_OK; k += nk) {
    for (int j = 0; j < count[1] && status == HYMG_OK; j += nj) {
      range.low[1] = low[1] + j;
      range.low[2] = low[2] + k;
      range.count[1] = nj < count[1] - j ? nj : count[1] - j;
      range.count[2] = nk < count[2] - k ? nk : count[2] - k;
      status = evaluate(p, what, axis, &range, data);
      if (status == HYMG_OK)
        status = hymg_field_write_own(field, range.low, range.count, range.stride, data, HYMG_HOST);
    }
  }
  free(data);
  return status;
}

/* Fills this rank's part of a field of the finest level; a face field has one more layer along its
 * axis. */
static hymg_status write_finest(fv_run *run, content what, int axis, hymg_field *field)
{
  hymg_status status = HYMG_OK;
  problem_range range;
  memcpy(range.spacing, run->options->grid.spacing, sizeof range.spacing);
  for (int n = 0; n < hymg_grid_num_local(run->grid) && status == HYMG_OK; n++) {
    hymg_grid_local(run->grid, n, range.low, range.count);
    if (what == CONTENT_BETA) range.count[axis]++;
    status = write_brick(&run->problem, what, axis, range, field);
  }
  return status;
}

/* The distribution of coarse levels is not public: every rank offers the whole field, which is
 * cheap for a product of one-dimensional tables. */
bool fv_write_exact(fv_run *run, int level, hymg_field *field)
{
  hymg_status status;
  if (level == 0) {
    status = write_finest(run, CONTENT_EXACT, 0, field);
  } else {
    hymg_level_info info;
    problem_range range = {.low = {0, 0, 0}};
    status = hymg_solver_level(run->solver, level, &info);
    memcpy(range.spacing, info.spacing, sizeof range.spacing);
    memcpy(range.count, info.cells, sizeof range.count);
    if (status == HYMG_OK) status = write_brick(&run->problem, CONTENT_EXACT, 0, range, field);
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
  double lacking =
      !report->has_device && report->machine.memory > 0.0 && need > report->machine.memory;
  fv_max(run, &lacking);
  if (lacking == 0.0) return true;
  if (hymg_context_rank(run->context) == 0)
    fprintf(stderr,
            "hymg-fv: %d x %d x %d cells need at least %.3g GB on each of %d host%s; this host has "
            "%.3g GB\n",
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
    if (kind[0] != HYMG_PERIODIC) problem_set_mode(&run->problem, axis, alpha, beta);
  }
}

/* beta exists only until the solver has its own copy. */
static bool make_operator_and_solver(fv_run *run, fv_report *report, hymg_field *beta[3])
{
  const fv_options *o = run->options;
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_status status = HYMG_OK;
  double start = fv_clock();
  const hymg_space space = report->has_device ? HYMG_DEVICE : HYMG_HOST;
  for (int axis = 0; axis < 3 && o->variable && status == HYMG_OK; axis++)
    status = hymg_field_create_in(run->grid, space, (hymg_centering)(HYMG_FACE_X + axis),
                                  HYMG_DOUBLE, &beta[axis]);
  if (!fv_agree(run, status, "coefficients")) return false;
  report->setup_seconds += fv_clock() - start;
  fv_progress(run, "evaluating the coefficients");
  start = fv_clock();
  for (int axis = 0; axis < 3 && o->variable && status == HYMG_OK; axis++)
    status = write_finest(run, CONTENT_BETA, axis, beta[axis]);
  if (!fv_agree(run, status, "coefficients")) return false;
  report->problem_seconds += fv_clock() - start;
  fv_progress(run, "planning");
  start = fv_clock();
  desc.stencil = o->stencil;
  desc.a = o->a;
  desc.b = o->b;
  fv_set_robin(o, &desc);
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = beta[axis];
  if (!fv_agree(run, hymg_operator_create(run->grid, &desc, &run->op), "operator")) return false;
  status = hymg_solver_create(run->op, &run->solver_options, &run->solver);
  if (!fv_agree(run, status, "solver")) return false;
  report->tuning_seconds = hymg_solver_tuning_seconds(run->solver);
  report->setup_seconds += fv_clock() - start - report->tuning_seconds;
  return true;
}

static bool make_fields(fv_run *run, fv_report *report)
{
  hymg_status status = HYMG_OK;
  double start = fv_clock();
  for (int level = 0; level < report->num_sizes && status == HYMG_OK; level++) {
    status = hymg_field_create_on_level(run->solver, level, &run->f[level]);
    if (status == HYMG_OK) status = hymg_field_create_on_level(run->solver, level, &run->u[level]);
  }
  if (!fv_agree(run, status, "fields")) return false;
  report->setup_seconds += fv_clock() - start;
  fv_progress(run, "evaluating the right-hand side");
  start = fv_clock();
  if (!fv_agree(run, write_finest(run, CONTENT_RHS, 0, run->f[0]), "right-hand side")) return false;
  report->problem_seconds += fv_clock() - start;
  for (int level = 0; level + 1 < report->num_sizes; level++) {
    status = hymg_restrict(run->solver, level, run->f[level], run->f[level + 1]);
    if (!fv_agree(run, status, "restriction")) return false;
  }
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
  report->num_levels = hymg_solver_num_levels(run->solver);
  report->levels = calloc((size_t)report->num_levels, sizeof *report->levels);
  hymg_status status = report->levels ? HYMG_OK : HYMG_ENOMEM;
  for (int level = 0; level < report->num_levels && status == HYMG_OK; level++)
    status = hymg_solver_level(run->solver, level, &report->levels[level]);
  if (!fv_agree(run, status, "levels")) return false;
  report->num_sizes = 1;
  if (hymg_solver_path(run->solver, NULL) == HYMG_PATH_STANDARD)
    while (report->num_sizes < FV_SIZES && report->num_sizes < report->num_levels &&
           covers_cube(&report->levels[report->num_sizes]))
      report->num_sizes++;
  for (int level = 0; level < report->num_sizes; level++)
    report->size[level].level = report->levels[level];
  status = hymg_solver_tuning(run->solver, &report->tuning);
  if (status == HYMG_OK) status = hymg_solver_transport(run->solver, &report->transport);
  return fv_agree(run, status, "levels") && fv_max(run, &report->tuning_seconds);
}

bool fv_make_grid(fv_run *run, fv_report *report)
{
  const double start = fv_clock();
  if (!run->options->plan && !check_memory(run, report)) return false;
  if (!fv_agree(run, hymg_grid_create(run->context, &run->options->grid, &run->grid), "grid"))
    return false;
  report->setup_seconds = fv_clock() - start;
  hymg_grid_boxes(run->grid, report->boxes);
  return true;
}

bool fv_setup(fv_run *run, fv_report *report)
{
  hymg_field *beta[3] = {NULL, NULL, NULL};
  fv_progress_start(run);
  describe_problem(run);
  bool ok = make_operator_and_solver(run, report, beta);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&beta[axis]);
  ok = ok && describe_levels(run, report) && make_fields(run, report);
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
  hymg_solver_destroy(&run->solver);
  hymg_operator_destroy(&run->op);
  hymg_grid_destroy(&run->grid);
}
