/* Solves with f and u in arrays of the program, of doubles or floats, in turn with the same solve with fields of the
 * solver, which it uses in place. An array takes one pass for f, which reads it and writes the solver's vector, and one for u:
 * 32 bytes a cell with doubles, 24 with floats. */
#include "hymg-kernels/kernels.h"

#include <math.h>

enum { KINDS = 3 };

typedef struct array_kind {
  const char *name;
  hymg_precision precision;
  double bytes; /* of a cell, for the passes over both arrays */
} array_kind;

static const array_kind kinds[KINDS] = {
    {"solver's", HYMG_DOUBLE, 0}, {"doubles", HYMG_DOUBLE, 32}, {"floats", HYMG_FLOAT, 24}};

/* f and u: of the solver, or over arrays, which belong to the fields `memory`. */
typedef struct operands_of {
  hymg_field *memory[2], *field[2];
} operands_of;

/* Memory for n^3 doubles in plain rows is an array of them without gaps, or of twice as many floats. */
static hymg_status wrap(kernels_kit *kit, int n, const array_kind *kind, int m, operands_of *o)
{
  static const int low[3] = {0, 0, 0};
  const int count[3] = {n, n, n};
  const ptrdiff_t stride[3] = {1, n, (ptrdiff_t)n * n};
  const hymg_space space = kit->fine->backend->id == HYMG_BACKEND_CUDA ? HYMG_DEVICE : HYMG_HOST;
  TRY(hymg_field_create_in(kit->grid, space, HYMG_CELL, HYMG_DOUBLE, &o->memory[m]));
  return hymg_field_wrap(kit->grid, space, HYMG_CELL, kind->precision, low, count, stride,
                         o->memory[m]->data, &o->field[m]);
}

static bool make(kernels_kit *kit, int n, const array_kind *kind, operands_of *o)
{
  if (kind->bytes == 0) {
    o->field[0] = kit->f, o->field[1] = kit->x;
    return true;
  }
  hymg_status status = wrap(kit, n, kind, 0, o);
  if (status == HYMG_OK) status = wrap(kit, n, kind, 1, o);
  if (status == HYMG_OK) status = hymg_field_copy(kit->f, o->field[0]);
  if (status != HYMG_OK)
    fprintf(stderr, "hymg-kernels: arrays: %s\n", hymg_context_error(kit->context));
  return status == HYMG_OK;
}

static void destroy(const array_kind *kind, operands_of *o)
{
  for (int m = 0; m < 2 && kind->bytes > 0; m++) {
    hymg_field_destroy(&o->field[m]);
    hymg_field_destroy(&o->memory[m]);
  }
}

/* Medians of solves in turn. */
static bool time_in_turn(const kernels_options *o, kernels_kit *kit, const operands_of *operands,
                         double seconds[KINDS], hymg_result result[KINDS])
{
  times timed[KINDS] = {{0}};
  bool ok = true;
  for (int turn = -1; ok && (turn < 0 || times_wanted(timed, o->repeat, o->seconds, KERNELS_TIMES));
       turn++)
    for (int k = 0; k < KINDS && ok; k++) {
      const double once =
          kernels_kit_solve_fields(kit, operands[k].field[0], operands[k].field[1], result + k);
      ok = !isnan(once) && (turn < 0 || times_add(timed + k, once, 1));
    }
  for (int k = 0; k < KINDS; k++) {
    seconds[k] = times_median(timed + k);
    times_free(timed + k);
  }
  return ok;
}

static void print_rows(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil,
                       const double seconds[KINDS], const hymg_result result[KINDS])
{
  const double cells = pow(problem->n, 3), rate = kernels_full_rate(bench);
  const char *const name = kernels_stencil_name(stencil);
  for (int k = 0; k < KINDS; k++) {
    const double model = kinds[k].bytes * cells / rate, ratio = seconds[k] / seconds[0];
    printf("  %-4s %-9s %10.4f %7d %8.4f %10.4f %10.4f%s\n", name, kinds[k].name, 1e3 * seconds[k],
           result[k].cycles, ratio, 1e3 * (seconds[k] - seconds[0]), 1e3 * model,
           result[k].converged ? "" : "  NOT CONVERGED");
    rows_add(&bench->csv, "%s,%s,%d,%.7f,%d,%.4f,%.0f,%.7f", name, kinds[k].name, problem->n,
             seconds[k], result[k].cycles, ratio, kinds[k].bytes, model);
    bench->wrong += !result[k].converged;
  }
  fflush(stdout);
}

static bool run_problem(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  hymg_options options = kernels_solver_options(bench->options);
  operands_of o[KINDS] = {{{NULL}, {NULL}}};
  hymg_result result[KINDS];
  double seconds[KINDS];
  kernels_kit kit;
  options.method = HYMG_MG, options.rtol = 1e-8;
  bool ok = kernels_kit_create(bench->context, problem, stencil, &options, NULL, &kit);
  if (!ok) return false;
  for (int k = 0; k < KINDS && ok; k++)
    ok = make(&kit, problem->n, kinds + k, o + k);
  if (ok) ok = time_in_turn(bench->options, &kit, o, seconds, result);
  if (ok) print_rows(bench, problem, stencil, seconds, result);
  for (int k = 0; k < KINDS; k++)
    destroy(kinds + k, o + k);
  kernels_kit_destroy(&kit);
  return ok;
}

bool kernels_run_arrays(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  bench->csv.columns =
      "operator,fields,n,seconds,cycles,ratio,array_bytes_per_cell,array_seconds_by_model";
  for (int size = 0; size < o->num_sizes && ok; size++) {
    printf("\n%d^3, %s, variable beta, to 1e-8, F then V; more: than with the solver's; model: of "
           "that\n",
           o->sizes[size], kernels_smoother_names[o->smoother]);
    printf("  %-4s %-9s %10s %7s %8s %10s %10s\n", "", "f and u", "ms", "cycles", "ratio",
           "more, ms", "model, ms");
    ok = kernels_for_problem(bench, o->sizes[size], true, run_problem);
  }
  return ok;
}
