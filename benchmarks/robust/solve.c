/* One problem: coefficients and right-hand side, set-up, solve, work units. */
#include "robust/hymg-robust.h"

#include "common/kit/timing.h"
#include "common/start.h"
#include <stdlib.h>
#include <string.h>

static const char program[] = "hymg-robust";

typedef struct objects {
  hymg_context *context;
  const robust_problem *problem;
  hymg_grid *grid;
  hymg_field *beta[3], *alpha; /* alpha NULL: one number */
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *f, *u;
} objects;

/* False after a message of rank 0. The library's failures are the same on all ranks. */
static bool went_well(const objects *o, hymg_status status, const char *doing, int *code)
{
  const char *text = hymg_context_error(o->context);
  if (status == HYMG_OK) return true;
  *code = status == HYMG_EINVAL || status == HYMG_EUNSUPPORTED ? EXIT_BAD_INPUT : EXIT_AT_RUN_TIME;
  if (hymg_context_rank(o->context) == 0)
    fprintf(stderr, "%s: %s: %s\n", program, doing, *text ? text : hymg_status_text(status));
  return false;
}

/* ---- fields ---- */

/* axis: as of robust_fill. Only this rank's part; a failure here ends all ranks. */
static void write_field(const objects *o, int axis, hymg_field *field)
{
  int low[3], count[3];
  for (int n = 0; n < hymg_grid_num_local(o->grid); n++) {
    hymg_grid_local(o->grid, n, low, count);
    if (axis >= 0) count[axis]++;
    const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
    double *data = malloc((size_t)stride[2] * (size_t)count[2] * sizeof *data);
    start_require(program, NULL, data ? HYMG_OK : HYMG_ENOMEM);
    robust_fill(o->problem, axis, low, count, data);
    start_require(program, o->context,
                  hymg_field_write(field, low, count, stride, data, HYMG_HOST));
    free(data);
  }
}

/* On the GPU if the solver will be there: set-up then has no copies from the host in it. */
static void make_coefficients(objects *o, hymg_backend backend)
{
  int devices = 0;
  const bool any = hymg_device_count(o->context, &devices) == HYMG_OK && devices > 0;
  const hymg_space space = any && backend != HYMG_BACKEND_HOST ? HYMG_DEVICE : HYMG_HOST;
  for (int axis = 0; axis < 3; axis++) {
    start_require(program, o->context,
                  hymg_field_create_in(o->grid, space, (hymg_centering)(HYMG_FACE_X + axis),
                                       HYMG_DOUBLE, &o->beta[axis]));
    write_field(o, axis, o->beta[axis]);
  }
  if (!o->problem->alpha) return;
  start_require(program, o->context,
                hymg_field_create_in(o->grid, space, HYMG_CELL, HYMG_DOUBLE, &o->alpha));
  write_field(o, ROBUST_ALPHA, o->alpha);
}

static void make_fields(objects *o)
{
  start_require(program, o->context,
                hymg_field_create(o->grid, o->solver, HYMG_CELL, HYMG_DOUBLE, &o->f));
  start_require(program, o->context,
                hymg_field_create(o->grid, o->solver, HYMG_CELL, HYMG_DOUBLE, &o->u));
  write_field(o, ROBUST_RHS, o->f);
}

/* ---- set-up ---- */

static bool make_grid(objects *o, const robust_options *options, int *code)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    const bool stretched = options->stretch > 0 && (axis == 2 || options->all_axes);
    desc.n[axis] = options->n[axis];
    desc.spacing[axis] = o->problem->width[axis][0];
    if (stretched) desc.widths[axis] = o->problem->width[axis];
  }
  memcpy(desc.boundary, options->boundary, sizeof desc.boundary);
  return went_well(o, hymg_grid_create(o->context, &desc, &o->grid), "grid", code);
}

static bool make_solver(objects *o, const robust_options *options, int *code)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.stencil = options->fv4 ? HYMG_FV4 : HYMG_FV2;
  desc.limiter = options->limiter;
  if (!options->fv4)
    desc.extrapolation = (hymg_extrapolation)(HYMG_EXTRAPOLATION_LINEAR + options->extrapolation);
  desc.a = options->cut == ROBUST_CUT_HELD ? 1 : o->alpha ? options->alpha : options->alpha > 0;
  desc.boundary_constant[4] = options->low_value;
  desc.alpha_constant = options->alpha;
  desc.alpha = o->alpha;
  for (int face = 0; face < 6; face++) {
    desc.robin_alpha_constant[face] = options->robin[0];
    desc.robin_beta_constant[face] = options->robin[1];
  }
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = o->beta[axis];
  return went_well(o, hymg_operator_create(o->grid, &desc, &o->op), "operator", code) &&
         went_well(o, hymg_solver_create(o->op, &options->solver, &o->solver), "solver", code);
}

static void destroy(objects *o)
{
  hymg_field_destroy(&o->f);
  hymg_field_destroy(&o->u);
  hymg_solver_destroy(&o->solver);
  hymg_operator_destroy(&o->op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&o->beta[axis]);
  hymg_field_destroy(&o->alpha);
  hymg_grid_destroy(&o->grid);
}

/* ---- work units ---- */

static double sweep_units(const robust_result *r, int level)
{
  const bool half = r->options.solver.smoother == HYMG_GSRB; /* a sweep has one colour */
  return r->levels[level].sweeps * (half ? 0.5 : 1.0);
}

/* Of a cycle of this kind: per level above the coarsest two smoothings, a residual (1) and the two
 * transfers (0.5), by its cells and visits. */
static double cycle_units(const robust_result *r, hymg_cycle_kind kind)
{
  double sum = 0, visits = 1;
  for (int l = 0; l + 1 < r->num_levels; l++) {
    const int *n = r->levels[l].cells, *finest = r->levels[0].cells;
    const double each = 2 * sweep_units(r, l) + 1.5;
    sum += each * visits * n[0] / finest[0] * n[1] / finest[1] * n[2] / finest[2];
    visits = kind == HYMG_KIND_F ? visits + 1 : kind == HYMG_KIND_W ? 2 * visits : 1;
  }
  return sum;
}

/* Outside the cycle each matrix product is 1, each dot and axpy 0.25: CG has 1, 3 and 3, BiCGStab
 * 2, 6 and 6 with two cycles, and the first CG iteration has an axpy less; without Krylov a residual
 * and its norm. */
static double work_units(const robust_result *r)
{
  double sum = r->result.cycles > 0 && r->cycles[0].kind == HYMG_KIND_CG ? -0.25 : 0;
  for (int n = 0; n < r->result.cycles; n++) {
    const hymg_cycle_kind kind = r->cycles[n].kind;
    sum += kind == HYMG_KIND_CG         ? cycle_units(r, kind) + 2.5
           : kind == HYMG_KIND_BICGSTAB ? 2 * cycle_units(r, kind) + 5
                                        : cycle_units(r, kind) + 1.25;
  }
  return sum;
}

/* ---- solve ---- */

/* Copies what belongs to the solver. */
static void keep(robust_result *r, const objects *o)
{
  free(r->cycles);
  free(r->levels);
  r->num_levels = hymg_solver_num_levels(o->solver);
  r->levels = calloc((size_t)r->num_levels, sizeof *r->levels);
  r->cycles = calloc((size_t)r->result.cycles + 1, sizeof *r->cycles);
  start_require(program, NULL, r->levels && r->cycles ? HYMG_OK : HYMG_ENOMEM);
  for (int l = 0; l < r->num_levels; l++)
    start_require(program, o->context, hymg_solver_level(o->solver, l, &r->levels[l]));
  if (r->result.cycles > 0)
    memcpy(r->cycles, r->result.history, (size_t)r->result.cycles * sizeof *r->cycles);
  snprintf(r->note, sizeof r->note, "%s", r->result.note ? r->result.note : "");
  r->result.history = NULL;
  r->result.note = NULL;
}

static double since(const objects *o, double start)
{
  double seconds = fv_clock() - start;
  start_require(program, o->context, hymg_context_max(o->context, &seconds));
  return seconds;
}

/* A profiled solve, whose rows are printed. */
static bool profile(objects *o, robust_result *r, int *code)
{
  hymg_profile_row row;
  hymg_solver_profile(o->solver, true);
  const hymg_status status = hymg_solve(o->solver, o->f, o->u, &r->result);
  for (int n = 0; n < hymg_solver_profile_rows(o->solver); n++)
    if (hymg_context_rank(o->context) == 0 &&
        hymg_solver_profile_row(o->solver, n, &row) == HYMG_OK)
      printf("    level %d %-16s %6lld calls %10.6f s %8.1f GB/s\n", row.level, row.operation,
             (long long)row.calls, row.seconds, row.bytes / row.seconds / 1e9);
  hymg_solver_profile(o->solver, false);
  return went_well(o, status, "profiled solve", code);
}

/* A cycle by itself: the mean of CYCLES after as many that are not timed. */
static bool time_cycles(objects *o, double *seconds, int *code)
{
  enum { CYCLES = 10 };
  double start = 0, largest;
  for (int n = 0; n < 2 * CYCLES; n++) {
    if (n == CYCLES) {
      start_require(program, o->context, hymg_field_max(o->u, &largest)); /* waits for a GPU */
      start = fv_clock();
    }
    if (!went_well(o, hymg_solver_cycle(o->solver, HYMG_CYCLE_DEFAULT, false, o->f, o->u), "cycle",
                   code))
      return false;
  }
  start_require(program, o->context, hymg_field_max(o->u, &largest));
  *seconds = since(o, start) / CYCLES;
  return true;
}

/* Updates the solver with the same coefficients and solves again, when a GPU's kernels are loaded
 * and its cycle is recorded. */
static bool solve_again(objects *o, robust_result *r, int *code)
{
  double start = fv_clock();
  if (!went_well(o, hymg_solver_update(o->solver), "update", code)) return false;
  r->seconds[ROBUST_UPDATE] = since(o, start);
  for (int n = 0; n < 2; n++) {
    start = fv_clock();
    if (!went_well(o, hymg_solve(o->solver, o->f, o->u, &r->result), "solve", code)) return false;
    r->seconds[ROBUST_AGAIN] = since(o, start);
  }
  return time_cycles(o, &r->seconds[ROBUST_CYCLE], code);
}

/* Grid, operator and solver are timed as set-up; the coefficients' evaluation is not. */
static bool solve_once(objects *o, robust_result *r, int *code)
{
  double start = fv_clock();
  if (!make_grid(o, &r->options, code)) return false;
  r->seconds[ROBUST_SETUP] = since(o, start);
  make_coefficients(o, r->options.solver.backend);
  start = fv_clock();
  if (!make_solver(o, &r->options, code)) return false;
  r->seconds[ROBUST_SETUP] += since(o, start);
  make_fields(o);
  start = fv_clock();
  if (!went_well(o, hymg_solve(o->solver, o->f, o->u, &r->result), "solve", code)) return false;
  r->seconds[ROBUST_SOLVE] = since(o, start);
  if (!went_well(o, hymg_field_max(o->u, &r->largest), "u", code)) return false;
  if (r->options.again && !solve_again(o, r, code)) return false;
  if (r->options.profile && !profile(o, r, code)) return false;
  keep(r, o);
  return !r->options.hypre ||
         robust_hypre_solve(o->problem, o->grid, &r->hypre, r->seconds + ROBUST_HYPRE_SETUP);
}

bool robust_solve(hymg_context *context, robust_result *r, int *code)
{
  robust_problem problem;
  times t[ROBUST_TIMES] = {{0}};
  bool ok = true;
  *code = EXIT_AT_RUN_TIME;
  start_require(program, NULL,
                robust_problem_create(&r->options, &problem) ? HYMG_OK : HYMG_ENOMEM);
  for (int n = 0; n < r->options.repeat && ok; n++) {
    objects o = {.context = context, .problem = &problem};
    ok = solve_once(&o, r, code);
    destroy(&o);
    for (int m = 0; m < ROBUST_TIMES && ok; m++)
      ok = times_add(&t[m], r->seconds[m], 1);
  }
  for (int m = 0; m < ROBUST_TIMES; m++) {
    r->seconds[m] = times_median(&t[m]);
    times_free(&t[m]);
  }
  if (ok) r->units = work_units(r);
  robust_problem_destroy(&problem);
  return ok;
}

void robust_result_free(robust_result *r)
{
  free(r->cycles);
  free(r->levels);
  robust_options_free(&r->options);
}
