/* The table: a row per level operation and size. Each operation first runs once on random data with
 * every output and every ghost set to NaN, on the solver that is measured and on an untuned one of
 * the host: entries that differ in a bit, or from the plain slow loop by more than rounding, are
 * counted as wrong. Then it is timed. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative to the largest value: some hundred roundings; a wrong term changes an entry by at least
 * 0.01. */
#define ROUNDING 1e-13

/* A GPU's rows are checked up to CHECKED^3 cells; larger ones would take the host too long. */
enum { CHECKED = 128, NOT_CHECKED = -1, NO_MEMORY = -2 };

typedef struct table {
  kernels_bench *bench;
  const kernels_problem *problem;
  hymg_stencil stencil;
  size_t cells;
  double rate;                                            /* the rate that is 100 % */
  double *x, *f, *coarse, *expected, *got, *other, *dinv; /* plain arrays */
} table;

/* ---- rows ---- */

static void print_head(const table *t)
{
  printf("\n%d^3, %s, %s beta; %s\n", t->problem->n, kernels_stencil_name(t->stencil),
         t->problem->variable ? "variable" : "constant", kernels_rate_text(t->bench, t->rate).text);
  printf("  %-26s %12s %10s %9s %11s %8s %8s\n", "operation", "ms", "B/cell", "GB/s", "DOF/s",
         t->bench->copy ? "% copy" : "% triad", "#wrong");
}

static void print_row(table *t, const char *name, const char *detail, const double values[2],
                      int64_t wrong)
{
  const double seconds = values[0], bytes = values[1], share = 100 * bytes / seconds / t->rate;
  const double cells = (double)t->cells;
  char full[48], count[24] = "-";
  snprintf(full, sizeof full, "%s%s%s", name, *detail ? " " : "", detail);
  if (wrong >= 0) snprintf(count, sizeof count, "%lld", (long long)wrong);
  printf("  %-26s %12.4f %10.1f %9.2f %11.4e %7.1f%% %8s\n", full, 1e3 * seconds, bytes / cells,
         1e-9 * bytes / seconds, cells / seconds, share, count);
  fflush(stdout);
  if (wrong > 0) t->bench->wrong += wrong;
  rows_add(&t->bench->csv, "%s,%s,%s,%d,%.6f,%.3f,%.3f,%.3f,%.2f,%s,%.6e", full,
           kernels_stencil_name(t->stencil), t->problem->variable ? "variable" : "constant",
           t->problem->n, 1e3 * seconds, bytes / cells, 1e-9 * bytes / seconds, 1e-9 * t->rate,
           share, count, cells / seconds);
}

static bool wanted(const kernels_options *o, const char *name, const char *detail)
{
  char full[48];
  snprintf(full, sizeof full, "%s%s%s", name, *detail ? " " : "", detail);
  return !o->operation || strstr(full, o->operation);
}

static bool left_out(const kernels_options *o, hymg_smoother smoother)
{
  return (o->cuda && smoother == HYMG_SYMGS) || (o->one_smoother && smoother != o->smoother);
}

bool kernels_table_has_rows(const kernels_options *o)
{
  bool found = !o->cuda && wanted(o, KERNELS_TRIAD_ROW, "");
  for (int s = HYMG_GSRB; s <= HYMG_SYMGS && !found; s++)
    found = !left_out(o, (hymg_smoother)s) &&
            (wanted(o, kernels_smooth.name, kernels_smoother_names[s]) ||
             wanted(o, kernels_smooth_restrict.name, kernels_smoother_names[s]));
  for (int v = 0; v < kernels_num_operations && !found; v++)
    found = (o->stencil[HYMG_FV4] || !(kernels_operations[v].flags & KERNELS_FV4_ONLY)) &&
            wanted(o, kernels_operations[v].name, "");
  return found;
}

/* ---- checking ---- */

static void write_data(const table *t, kernels_kit *kit)
{
  kernels_write(kit->fine, t->x, kit->fine->x);
  kernels_write(kit->fine, t->f, kit->fine->f);
  kernels_write(kit->coarse, t->coarse, kit->coarse->x);
}

static void prepare(const table *t, kernels_kit *kit)
{
  kernels_kit_bind(kit);
  kernels_poison(kit->fine, kit->fine->x);
  kernels_poison(kit->fine, kit->fine->f);
  kernels_poison(kit->fine, kit->out->data);
  if (kit->second) kernels_poison(kit->fine, kit->second);
  kernels_poison(kit->coarse, kit->coarse->x);
  kernels_poison(kit->coarse, kit->coarse->f);
  write_data(t, kit);
}

static size_t read_result(kernels_kit *kit, kernels_target target, double *plain)
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

/* Errors of the operator are relative to the size of its terms, the others to the largest value. */
static double tolerance_of(const kernels_slow *s, const kernels_operation *operation, size_t count,
                           const double *expected)
{
  double max = 0;
  for (size_t i = 0; i < count; i++)
    max = fmax(max, fabs(expected[i]));
  if (operation->slow == kernels_slow_apply || operation->slow == kernels_slow_residual ||
      operation->slow == kernels_slow_residual_restrict || operation->slow == kernels_slow_symgs)
    max = fmax(max, operation->slow == kernels_slow_symgs ? 1 : kernels_slow_scale(s));
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

static int64_t check(table *t, const kernels_operation *operation, kernels_kit *tuned,
                     kernels_kit *untuned)
{
  if (!untuned->solver) return NOT_CHECKED;
  kernels_slow slow = {t->problem, t->stencil, 0, t->x, t->f, t->coarse, NULL};
  if (operation->slow == kernels_slow_symgs) {
    read_dinv(t, tuned);
    slow.dinv = t->dinv;
    slow.sweeps = tuned->solver->h.method.sweeps;
  }
  prepare(t, tuned);
  prepare(t, untuned);
  if (operation->flags & KERNELS_SMOOTHED) {
    hymgi_smooth(tuned->fine);
    hymgi_smooth(untuned->fine);
    kernels_read(tuned->fine, tuned->fine->x, t->dinv);
    slow.x = t->dinv;
  }
  operation->run(tuned);
  operation->run(untuned);
  const size_t count = read_result(tuned, operation->target, t->got);
  read_result(untuned, operation->target, t->other);
  const int64_t bits = count_bits(count, t->got, t->other);
  if (!operation->slow) return bits;
  if (!operation->slow(&slow, t->expected)) return NO_MEMORY;
  const int64_t far =
      count_far(count, t->got, t->expected, tolerance_of(&slow, operation, count, t->expected));
  return far > bits ? far : bits;
}

static double declared_bytes(kernels_kit *kit, const kernels_operation *operation)
{
  hymg_profile_row row;
  double bytes = 0;
  if (operation->streams > 0) {
    const bool matrix_read =
        kit->solver->h.method.variable_beta && !(operation->flags & KERNELS_ANY_OPERATOR);
    const double matrix = matrix_read ? 3 : 0;
    return 8 * (matrix + operation->streams) * (double)kit->fine->cells;
  }
  hymg_solver_profile(kit->solver, true);
  operation->run(kit);
  hymg_solver_profile(kit->solver, false);
  for (int i = 0; hymg_solver_profile_row(kit->solver, i, &row) == HYMG_OK; i++)
    bytes += row.bytes;
  return bytes;
}

static bool run_row(table *t, const kernels_operation *operation, const char *detail,
                    kernels_kit kit[2])
{
  if (!wanted(t->bench->options, operation->name, detail)) return true;
  const int64_t wrong = check(t, operation, &kit[0], &kit[1]);
  if (wrong == NO_MEMORY) {
    fprintf(stderr, "hymg-kernels: no memory to check '%s' at %d^3\n", operation->name,
            t->problem->n);
    return false;
  }
  const double bytes = declared_bytes(&kit[0], operation);
  const double values[2] = {kernels_median_time(t->bench->options, &kit[0], operation), bytes};
  if (!kernels_kit_is_well(&kit[0])) return false;
  print_row(t, operation->name, detail, values, wrong);
  return true;
}

/* ---- all rows of a size, stencil and kind of coefficients ---- */

static bool run_operations(table *t, kernels_kit kit[2])
{
  bool ok = true;
  for (int v = 0; v < kernels_num_operations && ok; v++) {
    const kernels_operation *operation = kernels_operations + v;
    if (operation->flags & KERNELS_ANY_OPERATOR && !t->problem->variable) continue;
    if (operation->flags & KERNELS_FV4_ONLY && t->stencil != HYMG_FV4) continue;
    ok = run_row(t, operation, "", kit);
  }
  return ok;
}

/* The solver to measure, and the host's untuned one where results are checked. */
static bool make_kits(const table *t, hymg_smoother smoother, kernels_kit kit[2])
{
  const hymgi_tuning untuned = kernels_untuned();
  const kernels_options *o = t->bench->options;
  hymg_options options = kernels_solver_options(o);
  options.smoother = smoother;
  if (o->cuda) { /* operations are called one by one: all levels on the GPU */
    options.host_cells = 0;
    options.tail_cells = 0;
  }
  if (!kernels_kit_create(t->bench->context, t->problem, t->stencil, &options, NULL, &kit[0]))
    return false;
  if (o->cuda && t->problem->n > CHECKED) {
    write_data(t, &kit[0]); /* zeros would draw less power and so run faster */
    return true;
  }
  options.backend = HYMG_BACKEND_HOST;
  return kernels_kit_create(t->bench->context, t->problem, t->stencil, &options, &untuned, &kit[1]);
}

static bool run_smoother(table *t, hymg_smoother smoother)
{
  const kernels_options *o = t->bench->options;
  kernels_kit kit[2] = {{0}, {0}};
  kernels_operation operation = kernels_smooth;
  const char *const name = kernels_smoother_names[smoother];
  const bool with_operations = smoother == (o->one_smoother ? o->smoother : HYMG_GSRB);
  if (left_out(o, smoother)) return true;
  if (smoother == HYMG_SYMGS) operation.slow = kernels_slow_symgs;
  if (!with_operations && !wanted(o, operation.name, name) &&
      !wanted(o, kernels_smooth_restrict.name, name))
    return true;
  bool ok = make_kits(t, smoother, kit);
  if (ok && !o->cuda && wanted(o, operation.name, name))
    printf("  %s: %s\n", name, kernels_tuning_text(kit[0].fine).text);
  if (ok) ok = run_row(t, &operation, name, kit);
  if (ok) ok = run_row(t, &kernels_smooth_restrict, name, kit);
  if (ok && with_operations) ok = run_operations(t, kit);
  kernels_kit_destroy(&kit[0]);
  kernels_kit_destroy(&kit[1]);
  return ok;
}

/* NULL after a message: out of memory. */
static double *allocate(table *t)
{
  double **const array[] = {&t->x, &t->f, &t->coarse, &t->expected, &t->got, &t->other, &t->dinv};
  enum { ARRAYS = sizeof array / sizeof *array };
  double *const all = malloc(ARRAYS * t->cells * sizeof *all);
  for (size_t i = 0; i < ARRAYS && all; i++)
    *array[i] = all + i * t->cells;
  if (!all) fprintf(stderr, "hymg-kernels: no memory for %zu cells\n", t->cells);
  return all;
}

static bool run_group(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  const kernels_options *o = bench->options;
  const size_t n = (size_t)problem->n;
  table t = {.bench = bench, .problem = problem, .stencil = stencil, .cells = n * n * n};
  double *const arrays = allocate(&t);
  bool ok = arrays;
  if (ok) {
    kernels_random(t.cells, 1, 1, t.x);
    kernels_random(t.cells, 2, (double)(n * n), t.f);
    kernels_random(t.cells / 8, 3, 1, t.coarse);
    t.rate = kernels_full_rate(bench);
    print_head(&t);
    if (bench->triad && problem->variable && wanted(o, KERNELS_TRIAD_ROW, "")) {
      const double cached = kernels_triad_run(bench->triad, t.cells);
      const double values[2] = {(double)t.cells / cached, 24 * (double)t.cells};
      print_row(&t, KERNELS_TRIAD_ROW, "", values, 0);
    }
    for (int s = HYMG_GSRB; s <= HYMG_SYMGS && ok; s++)
      ok = run_smoother(&t, (hymg_smoother)s);
  }
  free(arrays);
  return ok;
}

bool kernels_run_table(kernels_bench *bench)
{
  bench->csv.columns = bench->copy
                           ? "operation,operator,coefficients,n,ms,bytes_per_cell,gb_per_second,"
                             "copy_gb_per_second,percent_of_copy,wrong,dof_per_second"
                           : "operation,operator,coefficients,n,ms,bytes_per_cell,gb_per_second,"
                             "triad_gb_per_second,percent_of_triad,wrong,dof_per_second";
  return kernels_for_sizes(bench, true, run_group);
}
