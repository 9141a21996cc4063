/* Cases, their results on host and GPU, and the comparison. */
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
static const bool exact = true;
#else
static const bool exact = false; /* the GPU always has it: products are rounded once or twice */
#endif

/* Without it every product of a formula may differ by 1 ulp, as a change of order would: the bounds
 * of the suites against the oracle. Operator: 40 terms. Solution: 50 terms deep a cycle, with a
 * margin of 10; relative residual: larger by the operator's 1/h^2. */
static const double bound_operator = 2e-13, bound_solution = 1e-11, bound_residual = 1e-10;

const twin_way twin_host = {.name = "host", .backend = HYMG_BACKEND_HOST, .host_cells = 0};
const twin_way twin_ways[TWIN_WAYS] = {
    {.name = "cuda", .backend = HYMG_BACKEND_CUDA},
    {.name = "cuda, coarse end", .backend = HYMG_BACKEND_CUDA, .tail_cells = 5000},
    {.name = "cuda, host below 9^3", .backend = HYMG_BACKEND_CUDA, .host_cells = 729},
    {.name = "cuda, all levels on the host", .backend = HYMG_BACKEND_CUDA, .host_cells = INT64_MAX},
    {.name = "cuda, managed memory",
     .backend = HYMG_BACKEND_CUDA,
     .host_cells = 100,
     .memory = HYMG_MEMORY_MANAGED},
    {.name = "cuda, as measured", .backend = HYMG_BACKEND_CUDA, .host_cells = -1, .tail_cells = -1},
};

/* ---- cases ---- */

twin twin_of(hymg_stencil stencil, int nx, int ny, int nz, const char *boundary)
{
  const twin t = {.stencil = stencil,
                  .n = {nx, ny, nz},
                  .boundary = boundary,
                  .sweeps = -1,
                  .method = HYMG_MG,
                  .cycle = HYMG_CYCLE_F,
                  .interpolation_v = HYMG_INTERPOLATION_DEFAULT,
                  .interpolation_f = HYMG_INTERPOLATION_DEFAULT};
  return t;
}

static unsigned draw(unsigned *state, unsigned count)
{
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 10) % count;
}

static void draw_operator(twin *t, unsigned *s)
{
  static const char *const fv2[] = {"dd dd dd", "pp pp pp", "nd pp dn", "nn nn nn", "pp nn pp",
                                    "dn dd pp", "nn dd nd", "rr rr rr", "rd nr pp"};
  static const char *const fv4[] = {"dd dd dd", "pp pp pp", "dd pp dd", "pp dd pp"};
  const bool fourth = t->stencil == HYMG_FV4;
  t->boundary = fourth ? fv4[draw(s, 4)] : fv2[draw(s, 9)];
  if (!fourth) t->extrapolation = (hymg_extrapolation)draw(s, 4);
  t->robin = !fourth && draw(s, 2);
  t->constant_beta = draw(s, 3) == 0;
  const unsigned helmholtz = draw(s, 3);
  if (helmholtz > 0) t->a = 0.75;
  t->constant_alpha = helmholtz == 2;
  t->boundaries = !fourth && t->a > 0.0 && draw(s, 3) == 0; /* compatible whatever the data */
}

static void draw_method(twin *t, unsigned *s)
{
  static const struct {
    hymg_method method;
    hymg_cycle cycle;
  } ways[6] = {{HYMG_FMG, HYMG_CYCLE_F}, {HYMG_MG, HYMG_CYCLE_F},    {HYMG_MG, HYMG_CYCLE_V},
               {HYMG_MG, HYMG_CYCLE_W},  {HYMG_MGPCG, HYMG_CYCLE_V}, {HYMG_MGPCG, HYMG_CYCLE_W}};
  static const hymg_interpolation orders[5] = {HYMG_INTERPOLATION_DEFAULT, HYMG_P0, HYMG_P1,
                                               HYMG_V2, HYMG_V4};
  const unsigned way = draw(s, 6), count = t->stencil == HYMG_FV4 ? 5 : 4;
  t->method = ways[way].method;
  t->cycle = ways[way].cycle;
  t->smoother = (hymg_smoother)draw(s, 4);
  t->sweeps = t->smoother == HYMG_CHEBYSHEV || draw(s, 3) ? -1 : 2 * (1 + (int)draw(s, 4));
  t->bottom = (hymg_bottom)draw(s, 5);
  t->interpolation_v = orders[draw(s, count)];
  t->interpolation_f = orders[draw(s, count)];
}

twin twin_random(unsigned seed)
{
  static const int sides[] = {4, 5, 6, 8, 10, 12, 14, 16, 20, 24};
  unsigned s = 2654435761u * (seed + 1u);
  draw(&s, 2);
  twin t = twin_of(draw(&s, 2) ? HYMG_FV4 : HYMG_FV2, sides[draw(&s, 10)], sides[draw(&s, 10)],
                   sides[draw(&s, 10)], "");
  draw_operator(&t, &s);
  draw_method(&t, &s);
  return t;
}

static void describe(const twin *t, const twin_way *way, size_t size, char *text)
{
  snprintf(text, size,
           "%s: %s %dx%dx%d %s closure %d closure box %d beta %s a=%g alpha %s%s smoother %d "
           "sweeps %d bottom %d method %d cycle %d interpolation %d %d",
           way->name, t->stencil == HYMG_FV4 ? "fv4" : "fv2", t->n[0], t->n[1], t->n[2],
           t->boundary, (int)t->extrapolation, t->extrapolation_box,
           t->constant_beta ? "constant" : "variable", t->a,
           t->constant_alpha ? "constant" : "variable", t->boundaries ? " boundary data" : "",
           (int)t->smoother, t->sweeps, (int)t->bottom, (int)t->method, (int)t->cycle,
           (int)t->interpolation_v, (int)t->interpolation_f);
}

/* ---- open solvers ---- */

/* The same random betas of FV4, which are from 0.95 to 1.05, on a larger scale. */
static void enlarge_betas(const twin *t, support_case *c)
{
  for (int d = 0; d < 3; d++) {
    size_t faces = 1;
    for (int axis = 0; axis < 3; axis++)
      faces *= (size_t)(t->n[axis] + (axis == d));
    for (size_t m = 0; m < faces; m++)
      c->beta[d][m] = pow(t->jump, (c->beta[d][m] - 0.95) / 0.1);
  }
}

static support_case case_of(const twin *t)
{
  support_case c = support_case_of(t->stencil, t->n, t->boundary, t->a);
  c.spec.extrapolation = t->extrapolation;
  c.spec.smoother = t->smoother;
  c.spec.sweeps = t->sweeps;
  c.spec.bottom = t->bottom;
  c.spec.extrapolation_box = t->extrapolation_box;
  c.spec.beta_constant = 1.3;
  c.spec.alpha_constant = 0.4;
  for (int d = 0; t->constant_beta && d < 3; d++)
    c.spec.beta[d] = NULL;
  if (t->constant_alpha) c.spec.alpha = NULL;
  const size_t cells = (size_t)t->n[0] * (size_t)t->n[1] * (size_t)t->n[2];
  for (size_t m = 0; t->equal_alpha && m < cells; m++)
    c.alpha[m] = c.spec.alpha_constant;
  if (t->jump > 0) enlarge_betas(t, &c);
  if (t->boundaries) support_case_add_boundaries(&c);
  if (t->robin) support_case_add_robin(&c);
  if (t->fixed) support_case_fix(&c);
  return c;
}

hymg_options twin_options(const twin *t, const twin_way *way)
{
  hymg_options o = hymg_options_default();
  o.path = t->path == HYMG_PATH_AUTO ? HYMG_PATH_STANDARD : t->path;
  o.transfer = t->transfer;
  o.precision = t->precision;
  o.method = t->method;
  o.cycle = t->cycle;
  o.smoother = t->smoother;
  o.sweeps = t->sweeps;
  o.bottom = t->bottom;
  o.interpolation_v = t->interpolation_v;
  o.interpolation_f = t->interpolation_f;
  o.max_cycles = twin_least() ? 2 : 3; /* the second one finds the vectors of the first */
  o.rtol = 1e-30;
  o.backend = way->backend;
  o.host_cells = way->host_cells;
  o.tail_cells = way->tail_cells;
  o.memory = way->memory;
  o.transport = way->transport;
  o.gather_cells = way->gather_cells;
  o.gather = way->gather_all ? HYMG_GATHER_ALL : HYMG_GATHER_ROOT;
  if (way->halo_layers) o.halo_layers = way->halo_layers;
  o.probe_file = way->probe_file;
  return o;
}

/* Random of mean zero, so that singular systems take it too. */
static double *right_hand_side(size_t cells)
{
  double *f = support_random(cells, -1.0, 1.0, 5);
  for (size_t i = 0; i < cells / 2; i++)
    f[cells - 1 - i] = -f[i];
  if (cells % 2) f[cells / 2] = 0.0;
  return f;
}

twin_open twin_begin(const twin *t, const twin_way *way, const support_layout *layout)
{
  const hymg_options options = twin_options(t, way);
  int n[3];
  twin_open o = {.c = case_of(t)};
  o.k = support_open(&o.c.spec, layout, &options);
  support_cells(&o.k, 0, n, &o.cells);
  o.f = right_hand_side(o.cells);
  o.ff = support_field(&o.k, 0, o.f);
  OK(o.k.context, hymg_field_create(o.k.grid, o.k.solver, HYMG_CELL, HYMG_DOUBLE, &o.u));
  return o;
}

void twin_end(twin_open *o)
{
  hymg_field_destroy(&o->ff);
  hymg_field_destroy(&o->u);
  support_close(&o->k);
  support_case_free(&o->c);
  free(o->f);
}

twin_solution twin_solve(twin_open *o)
{
  hymg_result r;
  OK(o->k.context, hymg_field_fill(o->u, NAN));
  OK(o->k.context, hymg_solve(o->k.solver, o->ff, o->u, &r));
  ck_assert_int_le(r.cycles, TWIN_CYCLES);
  twin_solution s = {.cells = o->cells,
                     .u = support_read(&o->k, 0, o->u),
                     .cycles = r.cycles,
                     .reason = r.reason,
                     .precision = r.precision,
                     .rhs_max = r.rhs_max,
                     .mean_removed = r.mean_removed};
  for (int k = 0; k < r.cycles; k++)
    s.residual[k] = r.history[k].residual_max;
  return s;
}

void twin_solution_free(twin_solution *s)
{
  free(s->u);
}

/* ---- answers ---- */

static void ask_level(twin_open *o, int l, twin_answer *a)
{
  int n[3];
  hymg_level_info info;
  OK(o->k.context, hymg_solver_level(o->k.solver, l, &info));
  a->lambda[l] = info.lambda_max;
  support_cells(&o->k, l, n, &a->cells[l]);
  double *x = support_random(a->cells[l], -1.0, 1.0, 40),
         *f = support_random(a->cells[l], -1, 1, 41);
  hymg_field *xf = support_field(&o->k, l, x), *ff = support_field(&o->k, l, f);
  hymg_field *y = support_field(&o->k, l, x), *coarse = NULL;
  OK(o->k.context, hymg_field_fill(y, NAN));
  OK(o->k.context, hymg_apply(o->k.solver, l, xf, y));
  a->apply[l] = support_read(&o->k, l, y);
  OK(o->k.context, hymg_field_fill(y, NAN));
  OK(o->k.context, hymg_residual(o->k.solver, l, ff, xf, y));
  a->residual[l] = support_read(&o->k, l, y);
  if (l + 1 < a->levels && !(n[0] % 2 || n[1] % 2 || n[2] % 2)) {
    OK(o->k.context, hymg_field_create_on_level(o->k.solver, l + 1, &coarse));
    OK(o->k.context, hymg_field_fill(coarse, NAN));
    OK(o->k.context, hymg_restrict(o->k.solver, l, xf, coarse));
    a->restriction[l] = support_read(&o->k, l + 1, coarse);
  }
  hymg_field_destroy(&xf);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&y);
  hymg_field_destroy(&coarse);
  free(x);
  free(f);
}

twin_answer twin_ask(const twin *t, const twin_way *way, const support_layout *layout)
{
  twin_open o = twin_begin(t, way, layout);
  twin_answer a = {.levels = hymg_solver_num_levels(o.k.solver)};
  ck_assert_int_le(a.levels, TWIN_LEVELS);
  a.solution = twin_solve(&o);
  for (int l = 0; l < a.levels; l++)
    ask_level(&o, l, &a);
  a.again = twin_solve(&o);
  twin_end(&o);
  return a;
}

void twin_answer_free(twin_answer *a)
{
  for (int l = 0; l < a->levels; l++) {
    free(a->apply[l]);
    free(a->residual[l]);
    free(a->restriction[l]);
  }
  twin_solution_free(&a->solution);
  twin_solution_free(&a->again);
}

/* NaNs are all alike: their sign and payload are the machine's. */
static bool unlike_bits(double got, double want)
{
  return memcmp(&got, &want, sizeof got) != 0 && !(isnan(got) && isnan(want));
}

/* What differs, or NULL. */
static const char *unlike(const char *what, int level, double bound, size_t n, const double *got,
                          const double *want)
{
  static char text[400];
  size_t count = 0, first = 0;
  for (size_t i = n; i-- > 0;)
    if (unlike_bits(got[i], want[i])) count++, first = i;
  if (count == 0) return NULL;
  const double scale = support_max(n, want), difference = support_difference(n, got, want);
  if (!exact && difference <= bound * scale) return NULL;
  snprintf(text, sizeof text,
           "%s (level %d): %zu of %zu unlike, the first at %zu: %.17g (%a), not %.17g (%a); at "
           "most by %.3g of %.3g",
           what, level, count, n, first, got[first], got[first], want[first], want[first],
           difference, scale);
  return text;
}

const char *twin_unlike_solution(const twin_solution *got, const twin_solution *want)
{
  const char *what = NULL;
  if (got->cells != want->cells || got->cycles != want->cycles || got->reason != want->reason ||
      got->precision != want->precision)
    return "cells, cycles, reason or precision";
  if (!what) what = unlike("max |f|", 0, bound_operator, 1, &got->rhs_max, &want->rhs_max);
  /* a sum without products, which has the same bits in any order */
  if (!what) what = unlike("mean of f", 0, 0.0, 1, &got->mean_removed, &want->mean_removed);
  for (int k = 0; !what && k < got->cycles; k++)
    if (exact || !(fabs(got->residual[k] - want->residual[k]) <= bound_residual * want->rhs_max))
      what = unlike("residual of cycle", k, 0.0, 1, &got->residual[k], &want->residual[k]);
  return what ? what : unlike("u", 0, bound_solution, got->cells, got->u, want->u);
}

static const char *unlike_level(int l, const twin_answer *got, const twin_answer *want)
{
  const size_t n = got->cells[l];
  const char *what = unlike("Gershgorin bound", l, 1e-13, 1, &got->lambda[l], &want->lambda[l]);
  if (!what) what = unlike("A x", l, bound_operator, n, got->apply[l], want->apply[l]);
  if (!what) what = unlike("f - A x", l, bound_operator, n, got->residual[l], want->residual[l]);
  if (!what && got->restriction[l])
    what = unlike("restriction from", l, bound_operator, got->cells[l + 1], got->restriction[l],
                  want->restriction[l]);
  return what;
}

const char *twin_unlike(const twin_answer *got, const twin_answer *want)
{
  const char *what = got->levels == want->levels ? NULL : "number of levels";
  for (int l = 0; !what && l < got->levels; l++)
    what = unlike_level(l, got, want);
  if (!what) what = twin_unlike_solution(&got->solution, &want->solution);
  return what ? what : twin_unlike_solution(&got->again, &want->again);
}

void twin_same_solution(const char *where, const twin_solution *got, const twin_solution *want)
{
  const char *what = twin_unlike_solution(got, want);
  ck_assert_msg(what == NULL, "%s: %s", where, what);
}

void twin_check(const twin *t, const twin_way *way)
{
  char where[500];
  const bool large = (long)t->n[0] * t->n[1] * t->n[2] > 100000;
  support_layout layout = {.threads = large ? 0 : 1, .boxes = {1, 1, 1}};
  describe(t, way, sizeof where, where);
  twin_answer want = twin_ask(t, &twin_host, &layout), got = twin_ask(t, way, &layout);
  const char *what = twin_unlike(&got, &want);
  ck_assert_msg(what == NULL, "%s: %s", where, what);
  twin_answer_free(&want);
  twin_answer_free(&got);
}

/* ---- the GPU at hand ---- */

const char *twin_no_gpu(void)
{
  static char why[512];
  hymg_context *context = NULL;
  hymg_device_info info;
  if (hymg_context_create(NULL, &context) != HYMG_OK) return "no context";
  const hymg_status status = hymg_device_get(context, -1, &info);
  snprintf(why, sizeof why, "%s", hymg_context_error(context));
  hymg_context_destroy(&context);
  return status == HYMG_EUNSUPPORTED ? why : NULL;
}

int twin_run(Suite *suite)
{
  const char *why = twin_no_gpu();
  if (!why) return support_run(suite);
  printf("skipped: %s\n", why);
  srunner_free(srunner_create(suite)); /* which frees the suite */
  return 77;
}

bool twin_emulated(void)
{
  return strcmp(hymg_build_info().cuda, "emulation") == 0;
}

bool twin_least(void)
{
  return twin_emulated() && support_small();
}
