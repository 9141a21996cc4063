/* The F-cycle as a whole: time, bytes by two counts and what share of the triad they make, memory, set-up in F-cycles. The
 * counts are made here from the cycle's shape alone; the library's own declarations stand beside them. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

/* ---- the model ---- */

/* Doubles per cell that move when each array of a pass is touched once. */
typedef struct streams {
  double matrix; /* betas, alpha: what every pass of the operator reads beside x and f */
  double sweep;  /* one sweep */
  double call;   /* one smoother call, its sweeps in one pass */
} streams;

static streams streams_of(hymg_stencil stencil, hymg_smoother smoother, bool variable)
{
  const double matrix = variable ? 3 : 0;
  const double scale = stencil == HYMG_FV4 || smoother == HYMG_L1JACOBI ? 1 : 0;
  streams s = {.matrix = matrix};
  if (smoother ==
      HYMG_GSRB) /* one colour: half of f, 1/diag and target; FV4 reads its own colour's x too */
    s.sweep = matrix + 0.5 * (2 + scale) + (stencil == HYMG_FV4 ? 1 : 0.5);
  else if (smoother == HYMG_SYMGS)
    s.sweep = matrix + 3 + scale;
  else
    s.sweep = matrix + 3 + scale + (smoother == HYMG_CHEBYSHEV ? 1 : 0);
  s.call = matrix + 3 + scale;
  return s;
}

/* Level l has 8^-l of the cells; V-cycles start on levels l, l - 1, ... 0, so l + 1 of them pass through it. */
kernels_model kernels_cycle_model(hymg_stencil stencil, hymg_smoother smoother, bool variable,
                                  int levels)
{
  const streams s = streams_of(stencil, smoother, variable);
  const double sweeps = smoother == HYMG_SYMGS ? 4 : 6, coarse = 1. / 8;
  /* x, f, the matrix; the restricted residual */
  const double restrict_residual = s.matrix + 2 + coarse;
  /* the correction: zeroed on the coarse level, read there, added here */
  const double correct = coarse + coarse + 2;
  const double visit_sweeps = 2 * sweeps * s.sweep + restrict_residual + correct;
  const double visit_calls = 2 * s.call + coarse + correct;
  kernels_model m = {0, 0};
  double share = 1;
  for (int l = 0; l + 1 < levels; l++, share *= coarse) {
    const double start = (1 + coarse) + (1 + coarse); /* f restricted; u interpolated */
    m.per_sweep += 8 * share * ((l + 1) * visit_sweeps + start);
    m.per_call += 8 * share * ((l + 1) * visit_calls + start);
  }
  const double end = 8 * (s.matrix + 2 + 1); /* last residual; max |f| */
  m.per_sweep += end;
  m.per_call += end;
  return m;
}

/* ---- measured ---- */

typedef struct cycle_row {
  double seconds, setup, declared, memory, residual, triad;
  int levels;
} cycle_row;

static double declared_bytes(kernels_kit *kit)
{
  hymg_profile_row row;
  double bytes = 0;
  hymg_solver_profile(kit->solver, true);
  kernels_kit_solve(kit, NULL);
  hymg_solver_profile(kit->solver, false);
  for (int i = 0; hymg_solver_profile_row(kit->solver, i, &row) == HYMG_OK; i++)
    bytes += row.bytes;
  return bytes;
}

static bool measure(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil,
                    cycle_row *row)
{
  const kernels_options *o = bench->options;
  kernels_times times = {0}, setups = {0};
  kernels_kit kit;
  bool ok = true;
  for (int i = 0; i < 3 && ok; i++) { /* set-up three times, the last one stays */
    if (i > 0) kernels_kit_destroy(&kit);
    ok = kernels_kit_create(bench->context, problem, stencil, o->smoother, NULL, &kit) &&
         kernels_times_add(&setups, kit.setup_seconds);
  }
  row->triad = kernels_triad_run(bench->triad, 0);
  if (ok) kernels_kit_solve(&kit, NULL);
  while (ok && (times.count < o->repeat || (times.total < o->seconds && times.count < 10000)))
    ok = kernels_times_add(&times, kernels_kit_solve(&kit, &row->residual));
  if (ok) {
    row->seconds = kernels_median(&times);
    row->setup = kernels_median(&setups);
    row->declared = declared_bytes(&kit);
    row->memory = hymg_solver_bytes_per_dof(kit.solver);
    row->levels = hymg_solver_num_levels(kit.solver);
  }
  kernels_kit_destroy(&kit);
  kernels_times_free(&times);
  kernels_times_free(&setups);
  return ok;
}

static void print_cycle(kernels_bench *bench, hymg_stencil stencil, int n, const cycle_row *r)
{
  const kernels_options *o = bench->options;
  const double cells = (double)n * n * n, rate = 24 * r->triad;
  const kernels_model m = kernels_cycle_model(stencil, o->smoother, true, r->levels);
  const char *const name = stencil == HYMG_FV2 ? "fv2" : "fv4";
  printf("\n%d^3, %s, variable beta, %s, one F-cycle\n", n, name,
         kernels_smoother_names[o->smoother]);
  printf("  time                %10.4f s   %.4e DOF/s, max|r|/max|f| %.9e\n", r->seconds,
         cells / r->seconds, r->residual);
  printf("  triad               %10.1f GB/s at 24 B per element, %.1f at 32 B\n", 1e-9 * rate,
         32e-9 * r->triad);
  printf("  each sweep once     %10.1f B/DOF   %.1f GB/s, %.1f %% of triad\n", m.per_sweep,
         1e-9 * m.per_sweep * cells / r->seconds, 100 * m.per_sweep * cells / r->seconds / rate);
  printf("  each call once      %10.1f B/DOF   %.1f GB/s, %.1f %% of triad\n", m.per_call,
         1e-9 * m.per_call * cells / r->seconds, 100 * m.per_call * cells / r->seconds / rate);
  printf("  declared by verbs   %10.1f B/DOF\n", r->declared / cells);
  printf("  memory              %10.1f B/DOF live during a solve\n", r->memory);
  printf("  set-up              %10.4f s   %.2f F-cycles\n", r->setup, r->setup / r->seconds);
  fflush(stdout);
  if (bench->csv)
    fprintf(bench->csv, "%s,%s,%d,%.6f,%.6e,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.6f,%.3f\n", name,
            kernels_smoother_names[o->smoother], n, r->seconds, cells / r->seconds, 1e-9 * rate,
            m.per_sweep, 100 * m.per_sweep * cells / r->seconds / rate, m.per_call,
            100 * m.per_call * cells / r->seconds / rate, r->declared / cells, r->memory, r->setup,
            r->setup / r->seconds);
}

bool kernels_run_cycle(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  if (bench->csv)
    fprintf(
        bench->csv,
        "operator,smoother,n,seconds,dof_per_second,triad_gb_per_second,sweep_bytes_per_dof,"
        "sweep_percent_of_triad,call_bytes_per_dof,call_percent_of_triad,declared_bytes_per_dof,"
        "memory_bytes_per_dof,setup_seconds,setup_cycles\n");
  for (int size = 0; size < o->num_sizes && ok; size++) {
    kernels_problem problem;
    ok = kernels_problem_create(o->sizes[size], true, &problem);
    if (!ok) fprintf(stderr, "hymg-kernels: no memory for %d^3 cells\n", o->sizes[size]);
    for (int stencil = HYMG_FV2; stencil <= HYMG_FV4 && ok; stencil++) {
      cycle_row row = {0};
      if (!o->stencil[stencil]) continue;
      ok = measure(bench, &problem, (hymg_stencil)stencil, &row);
      if (ok) print_cycle(bench, (hymg_stencil)stencil, o->sizes[size], &row);
    }
    kernels_problem_destroy(&problem);
  }
  return ok;
}
