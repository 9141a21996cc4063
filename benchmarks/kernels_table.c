/* The table: a row per verb and size. Each verb first runs once on random data with every output and every ghost set to
 * NaN, on a tuned solver and on an untuned one: entries that differ in a bit, or from the plain slow loop by more than
 * rounding, are counted as wrong. Then it is timed. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest value at hand: some hundred roundings; a wrong term moves an entry by 0.01 and more. */
#define ROUNDING 1e-13

typedef struct table {
  kernels_bench *bench;
  const kernels_problem *problem;
  hymg_stencil stencil;
  size_t cells;
  double triad;                                           /* elements per second */
  double *x, *f, *coarse, *expected, *got, *other, *dinv; /* plain arrays */
} table;

/* ---- rows ---- */

static void print_head(const table *t)
{
  printf("\n%d^3, %s, %s beta; triad %.1f GB/s at 24 B per element, %.1f at 32 B\n", t->problem->n,
         t->stencil == HYMG_FV2 ? "fv2" : "fv4", t->problem->variable ? "variable" : "constant",
         24e-9 * t->triad, 32e-9 * t->triad);
  printf("  %-26s %12s %10s %8s %9s %8s\n", "verb", "ms", "B/cell", "GB/s", "% triad", "#wrong");
}

static void print_row(table *t, const char *name, const char *detail, const double values[2],
                      int64_t wrong)
{
  const double seconds = values[0], bytes = values[1], share = bytes / seconds / (24 * t->triad);
  char full[48];
  snprintf(full, sizeof full, "%s%s%s", name, *detail ? " " : "", detail);
  printf("  %-26s %12.4f %10.1f %8.2f %8.1f%% %8lld\n", full, 1e3 * seconds,
         bytes / (double)t->cells, 1e-9 * bytes / seconds, 100 * share, (long long)wrong);
  fflush(stdout);
  t->bench->wrong += wrong;
  if (!t->bench->csv) return;
  fprintf(t->bench->csv, "%s,%s,%s,%d,%.6f,%.3f,%.3f,%.3f,%.2f,%lld\n", full,
          t->stencil == HYMG_FV2 ? "fv2" : "fv4", t->problem->variable ? "variable" : "constant",
          t->problem->n, 1e3 * seconds, bytes / (double)t->cells, 1e-9 * bytes / seconds,
          24e-9 * t->triad, 100 * share, (long long)wrong);
  fflush(t->bench->csv);
}

static bool wanted(const table *t, const char *name, const char *detail)
{
  char full[48];
  snprintf(full, sizeof full, "%s%s%s", name, *detail ? " " : "", detail);
  return !t->bench->options->verb || strstr(full, t->bench->options->verb);
}

/* ---- checking ---- */

static void prepare(const table *t, kernels_kit *kit)
{
  kernels_kit_bind(kit);
  kernels_poison(kit->fine, kit->fine->x);
  kernels_poison(kit->fine, kit->fine->f);
  kernels_poison(kit->fine, kit->out->data);
  if (kit->second) kernels_poison(kit->fine, kit->second);
  kernels_poison(kit->coarse, kit->coarse->x);
  kernels_poison(kit->coarse, kit->coarse->f);
  kernels_write(kit->fine, t->x, kit->fine->x);
  kernels_write(kit->fine, t->f, kit->fine->f);
  kernels_write(kit->coarse, t->coarse, kit->coarse->x);
}

static size_t read_result(const kernels_kit *kit, kernels_target target, double *plain)
{
  const hymgi_level *level = target == KERNELS_IN_COARSE ? kit->coarse : kit->fine;
  if (target == KERNELS_IN_NUMBER) {
    *plain = kit->number;
    return 1;
  }
  kernels_read(level,
               target == KERNELS_IN_X     ? level->x
               : target == KERNELS_IN_OUT ? kit->out->data
                                          : level->f,
               plain);
  return (size_t)level->cells;
}

static int64_t count_bits(size_t count, const double *a, const double *b)
{
  int64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
  for (size_t i = 0; i < count; i++)
    wrong += memcmp(a + i, b + i, sizeof *a) != 0 || isnan(a[i]);
  return wrong;
}

static int64_t count_far(size_t count, const double *a, const double *b, double tolerance)
{
  int64_t wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
  for (size_t i = 0; i < count; i++)
    wrong += !(fabs(a[i] - b[i]) <= tolerance);
  return wrong;
}

/* The operator's values are measured by what its terms are, the others by themselves. */
static double tolerance_of(const kernels_slow *s, const kernels_verb *verb, size_t count,
                           const double *expected)
{
  double max = 0;
  for (size_t i = 0; i < count; i++)
    max = fmax(max, fabs(expected[i]));
  if (verb->slow == kernels_slow_apply || verb->slow == kernels_slow_residual ||
      verb->slow == kernels_slow_residual_restrict || verb->slow == kernels_slow_symgs)
    max = fmax(max, verb->slow == kernels_slow_symgs ? 1 : kernels_slow_scale(s));
  return ROUNDING * max;
}

/* 1/diagonal as the library has it. */
static void read_dinv(const table *t, kernels_kit *kit)
{
  for (size_t i = 0; i < t->cells; i++)
    t->dinv[i] = 1;
  kernels_write(kit->fine, t->dinv, kit->out->data);
  hymgi_precondition(kit->fine, kit->out->data, kit->out->data);
  kernels_read(kit->fine, kit->out->data, t->dinv);
}

/* Negative: no memory. */
static int64_t check(table *t, const kernels_verb *verb, kernels_kit *tuned, kernels_kit *untuned)
{
  kernels_slow slow = {t->problem, t->stencil, 0, t->x, t->f, t->coarse, NULL};
  if (verb->slow == kernels_slow_symgs) {
    read_dinv(t, tuned);
    slow.dinv = t->dinv;
    slow.sweeps = tuned->solver->method.sweeps;
  }
  prepare(t, tuned);
  prepare(t, untuned);
  if (verb->flags & KERNELS_SMOOTHED) {
    hymgi_smooth(tuned->fine);
    hymgi_smooth(untuned->fine);
    kernels_read(tuned->fine, tuned->fine->x, t->dinv);
    slow.x = t->dinv;
  }
  verb->run(tuned);
  verb->run(untuned);
  const size_t count = read_result(tuned, verb->target, t->got);
  read_result(untuned, verb->target, t->other);
  const int64_t bits = count_bits(count, t->got, t->other);
  if (!verb->slow) return bits;
  if (!verb->slow(&slow, t->expected)) return -1;
  const int64_t far =
      count_far(count, t->got, t->expected, tolerance_of(&slow, verb, count, t->expected));
  return far > bits ? far : bits;
}

/* ---- timing ---- */

static double declared_bytes(kernels_kit *kit, const kernels_verb *verb)
{
  hymg_profile_row row;
  double bytes = 0;
  if (verb->streams > 0) {
    const double matrix = kit->solver->method.variable_beta ? 3 : 0;
    return 8 * (matrix + verb->streams) * (double)kit->fine->cells;
  }
  hymg_solver_profile(kit->solver, true);
  verb->run(kit);
  hymg_solver_profile(kit->solver, false);
  for (int i = 0; hymg_solver_profile_row(kit->solver, i, &row) == HYMG_OK; i++)
    bytes += row.bytes;
  return bytes;
}

static double median_time(const kernels_options *o, kernels_kit *kit, const kernels_verb *verb)
{
  kernels_times times = {0};
  verb->run(kit);
  while (times.count < o->repeat || (times.total < o->seconds && times.count < 10000)) {
    const double start = fv_clock();
    verb->run(kit);
    if (!kernels_times_add(&times, fv_clock() - start)) break;
  }
  const double median = kernels_median(&times);
  kernels_times_free(&times);
  return median;
}

static bool run_row(table *t, const kernels_verb *verb, const char *detail, kernels_kit kit[2])
{
  if (!wanted(t, verb->name, detail)) return true;
  const int64_t wrong = check(t, verb, &kit[0], &kit[1]);
  if (wrong < 0) {
    fprintf(stderr, "hymg-kernels: no memory to check '%s' at %d^3\n", verb->name, t->problem->n);
    return false;
  }
  const double bytes = declared_bytes(&kit[0], verb);
  const double values[2] = {median_time(t->bench->options, &kit[0], verb), bytes};
  print_row(t, verb->name, detail, values, wrong);
  return true;
}

/* ---- all rows of a size, stencil and kind of coefficients ---- */

static bool run_verbs(table *t, kernels_kit kit[2])
{
  bool ok = true;
  for (int v = 0; v < kernels_num_verbs && ok; v++) {
    const kernels_verb *verb = kernels_verbs + v;
    if (verb->flags & KERNELS_ANY_OPERATOR && !t->problem->variable) continue;
    if (verb->flags & KERNELS_FV4_ONLY && t->stencil != HYMG_FV4) continue;
    ok = run_row(t, verb, "", kit);
  }
  return ok;
}

static bool run_smoother(table *t, hymg_smoother smoother)
{
  const hymgi_tuning untuned = kernels_untuned();
  kernels_kit kit[2] = {{0}, {0}};
  hymg_context *const context = t->bench->context;
  kernels_verb verb = kernels_smooth_verb;
  const char *const name = kernels_smoother_names[smoother];
  if (smoother == HYMG_SYMGS) verb.slow = kernels_slow_symgs;
  if (smoother != HYMG_GSRB && !wanted(t, verb.name, name) &&
      !wanted(t, kernels_smooth_restrict_verb.name, name))
    return true;
  bool ok = kernels_kit_create(context, t->problem, t->stencil, smoother, NULL, &kit[0]) &&
            kernels_kit_create(context, t->problem, t->stencil, smoother, &untuned, &kit[1]);
  if (ok && wanted(t, verb.name, name))
    printf("  %s: %s\n", name, kernels_tuning_text(kit[0].fine).text);
  if (ok) ok = run_row(t, &verb, name, kit);
  if (ok) ok = run_row(t, &kernels_smooth_restrict_verb, name, kit);
  if (ok && smoother == HYMG_GSRB) ok = run_verbs(t, kit);
  kernels_kit_destroy(&kit[0]);
  kernels_kit_destroy(&kit[1]);
  return ok;
}

static bool allocate(table *t)
{
  double **const all[] = {&t->x, &t->f, &t->coarse, &t->expected, &t->got, &t->other, &t->dinv};
  bool ok = true;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    *all[i] = malloc(t->cells * sizeof(double));
    ok = ok && *all[i];
  }
  if (!ok) fprintf(stderr, "hymg-kernels: no memory for %zu cells\n", t->cells);
  return ok;
}

static void release(table *t)
{
  free(t->x);
  free(t->f);
  free(t->coarse);
  free(t->expected);
  free(t->got);
  free(t->other);
  free(t->dinv);
}

static bool run_group(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  const size_t n = (size_t)problem->n;
  table t = {.bench = bench, .problem = problem, .stencil = stencil, .cells = n * n * n};
  bool ok = allocate(&t);
  if (ok) {
    kernels_random(t.cells, 1, 1, t.x);
    kernels_random(t.cells, 2, (double)(n * n), t.f);
    kernels_random(t.cells / 8, 3, 1, t.coarse);
    t.triad = kernels_triad_run(bench->triad, 0);
    print_head(&t);
    const double cached = kernels_triad_run(bench->triad, t.cells);
    if (problem->variable && wanted(&t, "triad", "of this size")) {
      const double values[2] = {(double)t.cells / cached, 24 * (double)t.cells};
      print_row(&t, "triad", "of this size", values, 0);
    }
    for (int s = HYMG_GSRB; s <= HYMG_SYMGS && ok; s++)
      ok = run_smoother(&t, (hymg_smoother)s);
  }
  release(&t);
  return ok;
}

bool kernels_run_table(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  if (bench->csv)
    fprintf(bench->csv, "verb,operator,coefficients,n,ms,bytes_per_cell,gb_per_second,"
                        "triad_gb_per_second,percent_of_triad,wrong\n");
  for (int size = 0; size < o->num_sizes && ok; size++)
    for (int variable = 1; variable >= 0 && ok; variable--) {
      kernels_problem problem;
      ok = kernels_problem_create(o->sizes[size], variable, &problem);
      if (!ok) fprintf(stderr, "hymg-kernels: no memory for %d^3 cells\n", o->sizes[size]);
      for (int stencil = HYMG_FV2; stencil <= HYMG_FV4 && ok; stencil++)
        if (o->stencil[stencil]) ok = run_group(bench, &problem, (hymg_stencil)stencil);
      kernels_problem_destroy(&problem);
    }
  return ok;
}
