/* The problem in plain arrays, solvers made from it with a given tuning, and copies between plain
 * arrays and vectors. */
#include "hymg-kernels/kernels.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/problem.h"
#include "cpu/cpu.h"

/* ---- the problem ---- */

static size_t padded(int n)
{
  return (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2);
}

static size_t face_at(int n, const int at[3])
{
  return (size_t)(at[0] + 1) +
         (size_t)(n + 2) * ((size_t)(at[1] + 1) + (size_t)(n + 2) * (size_t)(at[2] + 1));
}

/* Extrapolates the layers beyond the boundaries along the tangential axis t: weights 5, -10, 10,
 * -5, 1 from the boundary inwards. */
static void extrapolate(int n, int axis, int t, double *beta)
{
  static const double weight[5] = {5, -10, 10, -5, 1};
  const int s = 3 - axis - t;
  for (int p = 0; p <= n; p++)
    for (int q = 0; q < n; q++)
      for (int high = 0; high < 2; high++) {
        int at[3];
        double sum = 0;
        at[axis] = p, at[s] = q;
        for (int m = 0; m < 5; m++) {
          at[t] = high ? n - 1 - m : m;
          sum += weight[m] * beta[face_at(n, at)];
        }
        at[t] = high ? n : -1;
        beta[face_at(n, at)] = sum;
      }
}

static bool make_beta(const problem *p, kernels_problem *k, int axis)
{
  const int n = k->n, first[3] = {0, 0, 0};
  double *const beta = k->beta[axis] = malloc(padded(n) * sizeof *beta);
  if (!beta) return false;
  for (size_t i = 0; i < padded(n); i++)
    beta[i] = 1;
  if (!k->variable) return true;
  problem_range range = {.spacing = {1.0 / n, 1.0 / n, 1.0 / n},
                         .count = {n, n, n},
                         .stride = {1, n + 2, (ptrdiff_t)(n + 2) * (n + 2)}};
  range.count[axis]++;
  if (!problem_fill(p, PROBLEM_BETA, axis, &range, beta + face_at(n, first))) return false;
  for (int t = 0; t < 3; t++)
    if (t != axis) extrapolate(n, axis, t, beta);
  return true;
}

bool kernels_problem_create(int n, bool variable, kernels_problem *k)
{
  const problem p = {.kind = PROBLEM_FV, .variable = variable, .a = 0, .b = 1};
  const problem_range range = {.spacing = {1.0 / n, 1.0 / n, 1.0 / n},
                               .count = {n, n, n},
                               .stride = {1, n, (ptrdiff_t)n * n}};
  *k = (kernels_problem){.n = n, .variable = variable};
  k->rhs = malloc((size_t)n * (size_t)n * (size_t)n * sizeof *k->rhs);
  bool ok = k->rhs && problem_fill(&p, PROBLEM_RHS, 0, &range, k->rhs);
  for (int axis = 0; axis < 3; axis++)
    ok = ok && make_beta(&p, k, axis);
  if (!ok) fprintf(stderr, "hymg-kernels: no memory for %d^3 cells\n", n);
  if (!ok) kernels_problem_destroy(k);
  return ok;
}

void kernels_problem_destroy(kernels_problem *k)
{
  for (int axis = 0; axis < 3; axis++)
    free(k->beta[axis]);
  free(k->rhs);
  *k = (kernels_problem){0};
}

bool kernels_for_problem(kernels_bench *bench, int n, bool variable, kernels_job *job)
{
  kernels_problem p;
  bool ok = kernels_problem_create(n, variable, &p);
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4 && ok; stencil++)
    if (bench->options->stencil[stencil]) ok = job(bench, &p, (hymg_stencil)stencil);
  kernels_problem_destroy(&p);
  return ok;
}

bool kernels_for_sizes(kernels_bench *bench, bool constant_too, kernels_job *job)
{
  bool ok = true;
  for (int size = 0; size < bench->options->num_sizes && ok; size++)
    for (int variable = 1; variable >= (constant_too ? 0 : 1) && ok; variable--)
      ok = kernels_for_problem(bench, bench->options->sizes[size], variable, job);
  return ok;
}

/* ---- a solver ---- */

hymgi_tuning kernels_untuned(void)
{
  return (hymgi_tuning){.split_from = INT_MAX};
}

kernels_text kernels_tuning_text(const hymgi_level *level)
{
  const hymgi_tuning *t = &level->tuning;
  kernels_text out = {"pass by pass"};
  char rows[16] = "all";
  if (t->wave_rows > 0) snprintf(rows, sizeof rows, "%d", t->wave_rows);
  if (level->backend->id == HYMG_BACKEND_HOST && hymgi_cpu_wave_applies(level))
    snprintf(out.text, sizeof out.text, "wavefronts of %d sweeps%s, tiles of %s rows",
             t->wave_stages, t->wave_restrict ? " with restriction" : "", rows);
  return out;
}

kernels_text kernels_placement_text(const kernels_kit *kit)
{
  const int n = kit->fine->n[0], levels = kit->solver->h.num_levels;
  char tail[16] = "no level", host[16] = "none";
  hymg_tuning_info t;
  kernels_text out = {""};
  if (hymg_solver_tuning(kit->solver, &t) != HYMG_OK) return out;
  if (t.tail_from < t.host_from) snprintf(tail, sizeof tail, "%d^3", n >> t.tail_from);
  if (t.host_from < levels) snprintf(host, sizeof host, "%d^3", n >> t.host_from);
  snprintf(out.text, sizeof out.text, "one launch from %s and host from %s (%s)", tail, host,
           hymg_tuning_source_name(t.source));
  return out;
}

static hymg_status make_grid(kernels_kit *kit, int n)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    desc.n[axis] = n;
    desc.spacing[axis] = 1.0 / n;
  }
  return hymg_grid_create(kit->context, &desc, &kit->grid);
}

static double free_on_device(hymg_context *context)
{
  hymg_device_info device;
  return hymg_device_get(context, -1, &device) == HYMG_OK ? device.free_bytes : 0;
}

/* The user's part of the set-up; evaluating the problem is not timed. */
static hymg_status make_coefficients(kernels_kit *kit, const kernels_problem *p, hymg_space space,
                                     hymg_field *beta[3])
{
  static const int low[3] = {0, 0, 0};
  const int n = p->n;
  const ptrdiff_t stride[3] = {1, n + 2, (ptrdiff_t)(n + 2) * (n + 2)};
  for (int axis = 0; axis < 3 && p->variable; axis++) {
    int count[3] = {n, n, n};
    count[axis]++;
    const double start = fv_clock();
    TRY(hymg_field_create_in(kit->grid, space, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                             &beta[axis]));
    kit->setup_seconds += fv_clock() - start;
    TRY(hymg_field_write(beta[axis], low, count, stride, p->beta[axis] + face_at(n, low),
                         HYMG_HOST));
  }
  return HYMG_OK;
}

static hymg_status make_solver(kernels_kit *kit, const kernels_problem *p, hymg_operator_desc *desc,
                               const hymg_options *options, const hymgi_tuning *tuning)
{
  const bool cuda = options->backend == HYMG_BACKEND_CUDA;
  hymg_field *beta[3] = {NULL, NULL, NULL};
  const double free_bytes = cuda ? free_on_device(kit->context) : 0;
  hymg_status status = make_coefficients(kit, p, cuda ? HYMG_DEVICE : HYMG_HOST, beta);
  const double start = fv_clock();
  for (int axis = 0; axis < 3; axis++)
    desc->beta[axis] = beta[axis];
  if (status == HYMG_OK) status = hymg_operator_create(kit->grid, desc, &kit->op);
  if (status == HYMG_OK) status = hymgi_solver_create_tuned(kit->op, options, tuning, &kit->solver);
  kit->setup_seconds += fv_clock() - start;
  if (status == HYMG_OK) kit->tuning_seconds = hymg_solver_tuning_seconds(kit->solver);
  if (cuda) kit->device_bytes = free_bytes - free_on_device(kit->context);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&beta[axis]);
  return status;
}

static hymg_status make_fields(kernels_kit *kit, const kernels_problem *p)
{
  static const int low[3] = {0, 0, 0};
  const int n = p->n, count[3] = {n, n, n};
  const ptrdiff_t stride[3] = {1, n, (ptrdiff_t)n * n};
  const double start = fv_clock();
  TRY(hymg_field_create_on_level(kit->solver, 0, &kit->x));
  TRY(hymg_field_create_on_level(kit->solver, 0, &kit->f));
  kit->solver->h.level[0].backend->sync(kit->context);
  kit->setup_seconds += fv_clock() - start;
  TRY(hymg_field_create_on_level(kit->solver, 0, &kit->out));
  return hymg_field_write(kit->f, low, count, stride, p->rhs, HYMG_HOST);
}

hymg_options kernels_solver_options(const kernels_options *options)
{
  hymg_options o = hymg_options_default();
  o.path = HYMG_PATH_STANDARD;
  o.smoother = options->smoother;
  o.backend = options->cuda ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST;
  o.tuning = HYMG_TUNE_MEASURE;
  return o;
}

bool kernels_kit_create(hymg_context *context, const kernels_problem *p, hymg_stencil stencil,
                        const hymg_options *options, const hymgi_tuning *tuning, kernels_kit *kit)
{
  hymg_operator_desc desc = hymg_operator_desc_default();
  *kit = (kernels_kit){.context = context};
  desc.stencil = stencil;
  const double start = fv_clock();
  hymg_status status = make_grid(kit, p->n);
  kit->setup_seconds = fv_clock() - start;
  if (status == HYMG_OK) status = make_solver(kit, p, &desc, options, tuning);
  if (status == HYMG_OK) status = make_fields(kit, p);
  if (status != HYMG_OK) {
    fprintf(stderr, "hymg-kernels: %d^3: %s\n", p->n, hymg_context_error(context));
    kernels_kit_destroy(kit);
    return false;
  }
  kit->fine = kit->solver->h.level;
  kit->coarse = kit->solver->h.level + 1;
  kit->second = kit->fine->y;
  kernels_kit_bind(kit);
  return true;
}

void kernels_kit_destroy(kernels_kit *kit)
{
  hymg_field_destroy(&kit->x);
  hymg_field_destroy(&kit->f);
  hymg_field_destroy(&kit->out);
  hymg_solver_destroy(&kit->solver);
  hymg_operator_destroy(&kit->op);
  hymg_grid_destroy(&kit->grid);
}

void kernels_kit_bind(kernels_kit *kit)
{
  kit->fine->x = kit->x->data;
  kit->fine->f = kit->f->data;
  kit->fine->y = kit->second;
}

double kernels_kit_solve(kernels_kit *kit, hymg_result *result)
{
  return kernels_kit_solve_fields(kit, kit->f, kit->x, result);
}

double kernels_kit_solve_fields(kernels_kit *kit, const hymg_field *f, hymg_field *u,
                                hymg_result *result)
{
  hymg_result own;
  kit->fine->x = kit->fine->own_x, kit->fine->f = kit->fine->own_f, kit->fine->y = kit->second;
  const hymg_status status = hymg_solve(kit->solver, f, u, &own);
  kernels_kit_bind(kit);
  if (status != HYMG_OK) {
    fprintf(stderr, "hymg-kernels: %s\n", hymg_context_error(kit->context));
    return NAN;
  }
  if (result) *result = own;
  return own.seconds;
}

double kernels_kit_time_solves(const kernels_options *o, kernels_kit *kit, hymg_result *result)
{
  times timed = {0};
  bool ok = !isnan(kernels_kit_solve(kit, NULL));
  while (ok && times_wanted(&timed, o->repeat, o->seconds, KERNELS_TIMES))
    ok = times_add(&timed, kernels_kit_solve(kit, result), 1);
  const double median = ok ? times_median(&timed) : NAN;
  times_free(&timed);
  return median;
}

bool kernels_kit_is_well(const kernels_kit *kit)
{
  if (kit->context->status == HYMG_OK) return true;
  fprintf(stderr, "hymg-kernels: %s\n", hymg_context_error(kit->context));
  return false;
}

/* ---- vectors ---- */

void kernels_poison(const hymgi_level *level, double *vector)
{
  level->backend->scale(level, NAN, vector);
}

/* One rank, so one box. The backend copies; to a GPU through memory that both sides can access. */
static void move(const hymgi_level *level, bool write, double *plain, double *vector)
{
  const hymgi_geom *g = level->box;
  const hymgi_user_brick brick = {.to = {g->n[0], g->n[1], g->n[2]},
                                  .stride = {1, g->n[0], (ptrdiff_t)g->n[0] * g->n[1]}};
  const size_t count = (size_t)level->cells, bytes = count * sizeof *plain;
  double *there = plain;
  if (!level->memory->on_host &&
      hymgi_crossing(level)->alloc(level->context, count, &there) != HYMG_OK) {
    level->context->status = HYMG_ENOMEM;
    return;
  }
  if (write && there != plain) memcpy(there, plain, bytes);
  level->backend->brick(level, g, &brick, write, there, vector);
  level->backend->sync(level->context);
  if (there == plain) return;
  if (!write) memcpy(plain, there, bytes);
  hymgi_crossing(level)->release(level->context, there, count);
}

void kernels_write(const hymgi_level *level, double *plain, double *vector)
{
  move(level, true, plain, vector);
}

void kernels_read(const hymgi_level *level, double *vector, double *plain)
{
  move(level, false, plain, vector);
}

void kernels_random(size_t count, unsigned seed, double scale, double *plain)
{
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) { /* splitmix64 */
    uint64_t z = ((uint64_t)seed << 40) + (uint64_t)i * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    plain[i] = scale * ((double)(z >> 11) * 0x1p-52 - 1);
  }
}
