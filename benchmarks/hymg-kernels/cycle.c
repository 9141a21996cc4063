/* The F-cycle as a whole: time, bytes by two counts and their share of the triad (copy) rate,
 * memory, set-up in F-cycles. The counts are derived here from the cycle's structure alone; the
 * library's own declarations are printed next to them. On a GPU also other programs' figures and
 * our goals. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

/* ---- the model ---- */

/* Doubles moved per cell if a pass touches each of its arrays once. */
typedef struct streams {
  double matrix; /* betas, alpha: read by every pass of the operator in addition to x and f */
  double sweep;  /* one sweep */
  double call;   /* one smoother call with all its sweeps in one pass */
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

/* Level l has 8^-l of the cells; V-cycles start on levels l, l - 1, ... 0, so l + 1 of them visit
 * it. */
kernels_model kernels_cycle_model(hymg_stencil stencil, hymg_smoother smoother, bool variable,
                                  int levels)
{
  const streams s = streams_of(stencil, smoother, variable);
  const double sweeps = smoother == HYMG_SYMGS ? 4 : 6, coarse = 1. / 8;
  /* x, f, the matrix; the restricted residual */
  const double restrict_residual = s.matrix + 2 + coarse;
  /* the correction: zeroed on the coarse level, read there, added here */
  const double v_cycle = coarse + coarse + 2;
  const double visit_sweeps = 2 * sweeps * s.sweep + restrict_residual + v_cycle;
  const double visit_calls = 2 * s.call + coarse + v_cycle;
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
  hymg_stencil stencil;
  int n, levels;
  double seconds, residual;
  double setup, tuning;    /* seconds; on a GPU set-up excludes the tuning */
  double declared, memory; /* bytes */
  double device_bytes;     /* at the peak, with the user's coefficients */
  double rate;             /* the rate that is 100 % */
  double instructions;     /* of a solve; NAN: not counted */
  const char *uncounted;   /* why not */
  kernels_text placement;
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

static void solve_once(void *kit)
{
  kernels_kit_solve(kit, NULL);
}

static bool measure(kernels_bench *bench, const kernels_problem *problem, cycle_row *row)
{
  const kernels_options *o = bench->options;
  const hymg_options options = kernels_solver_options(o);
  times setups = {0};
  hymg_result result;
  kernels_kit kit;
  bool ok = true;
  for (int i = 0; i < 3 && ok; i++) { /* three set-ups, the last one is kept */
    if (i > 0) kernels_kit_destroy(&kit);
    ok = kernels_kit_create(bench->context, problem, row->stencil, &options, NULL, &kit) &&
         times_add(&setups, kit.setup_seconds - (o->cuda ? kit.tuning_seconds : 0), 1);
    if (i == 0) row->tuning = kit.tuning_seconds; /* later ones reuse its result */
  }
  row->rate = kernels_full_rate(bench);
  if (ok) {
    row->seconds = kernels_kit_time_solves(o, &kit, &result);
    ok = !isnan(row->seconds);
  }
  if (ok) {
    row->residual = result.residual_relative;
    row->setup = times_median(&setups);
    row->declared = declared_bytes(&kit);
    row->memory = hymg_solver_bytes_per_dof(kit.solver) * (double)kit.fine->cells;
    row->device_bytes = kit.device_bytes;
    row->levels = hymg_solver_num_levels(kit.solver);
    row->placement = kernels_placement_text(&kit);
    row->instructions = kernels_count_instructions(hymg_context_threads(bench->context), solve_once,
                                                   &kit, &row->uncounted);
  }
  kernels_kit_destroy(&kit);
  times_free(&setups);
  return ok;
}

/* ---- the host's rows ---- */

static void print_cycle(kernels_bench *bench, const cycle_row *r)
{
  const kernels_options *o = bench->options;
  const double cells = pow(r->n, 3);
  const kernels_model m = kernels_cycle_model(r->stencil, o->smoother, true, r->levels);
  const char *const name = kernels_stencil_name(r->stencil);
  const double per_sweep = m.per_sweep * cells / r->seconds;
  const double per_call = m.per_call * cells / r->seconds;
  printf("\n%d^3, %s, variable beta, %s, one F-cycle\n", r->n, name,
         kernels_smoother_names[o->smoother]);
  printf("  time                %10.4f s   %.4e DOF/s, max|r|/max|f| %.9e\n", r->seconds,
         cells / r->seconds, r->residual);
  printf("  measured beside it  %s\n", kernels_rate_text(bench, r->rate).text);
  printf("  each sweep once     %10.1f B/DOF   %.1f GB/s, %.1f %% of triad\n", m.per_sweep,
         1e-9 * per_sweep, 100 * per_sweep / r->rate);
  printf("  each call once      %10.1f B/DOF   %.1f GB/s, %.1f %% of triad\n", m.per_call,
         1e-9 * per_call, 100 * per_call / r->rate);
  printf("  declared bytes      %10.1f B/DOF\n", r->declared / cells);
  printf("  memory              %10.1f B/DOF live during a solve\n", r->memory / cells);
  printf("  set-up              %10.4f s   %.2f F-cycles\n", r->setup, r->setup / r->seconds);
  if (isnan(r->instructions))
    printf("  instructions               not counted by this system: %s\n", r->uncounted);
  else
    printf("  instructions        %10.1f per cell, in user mode\n", r->instructions / cells);
  rows_add(&bench->csv, "%s,%s,%d,%.6f,%.6e,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.6f,%.3f", name,
           kernels_smoother_names[o->smoother], r->n, r->seconds, cells / r->seconds,
           1e-9 * r->rate, m.per_sweep, 100 * per_sweep / r->rate, m.per_call,
           100 * per_call / r->rate, r->declared / cells, r->memory / cells, r->setup,
           r->setup / r->seconds);
}

/* ---- a GPU's rows ---- */

/* Limits that we set ourselves: bytes at 512^3, and set-up in F-cycles from 256^3 on. */
static const double memory_goal = 14e9, setup_goal = 20;

static const char *met(bool goal, bool reached)
{
  return !goal ? "" : reached ? "yes" : "NO";
}

static void write_gpu_cycle(kernels_bench *bench, const cycle_row *r)
{
  const hymg_smoother smoother = bench->options->smoother;
  const double cells = pow(r->n, 3), speed = cells / r->seconds;
  const kernels_figures f = kernels_cycle_figures(r->stencil, smoother, r->n);
  const double sweeps = kernels_cycle_model(r->stencil, smoother, true, r->levels).per_sweep;
  rows_add(
      &bench->csv,
      "%s,%s,%d,%.7f,%.6e,%.3e,%.3f,%.3e,%s,%.2f,%.2f,%.2f,%.2f,%.2f,%.4f,%.4f,%.6f,%.3f,%.6f,%s",
      kernels_stencil_name(r->stencil), kernels_smoother_names[smoother], r->n, r->seconds, speed,
      f.port, speed / f.port, f.goal, met(f.goal > 0, speed >= f.goal), 1e-9 * r->rate, sweeps,
      100 * sweeps * speed / r->rate, r->declared / cells, r->memory / cells, 1e-9 * r->memory,
      1e-9 * r->device_bytes, r->setup, r->setup / r->seconds, r->tuning, r->placement.text);
}

static void print_gpu_cycle(kernels_bench *bench, const cycle_row *r)
{
  const hymg_smoother smoother = bench->options->smoother;
  const double cells = pow(r->n, 3), speed = cells / r->seconds, setups = r->setup / r->seconds;
  const kernels_figures f = kernels_cycle_figures(r->stencil, smoother, r->n);
  const double sweeps = kernels_cycle_model(r->stencil, smoother, true, r->levels).per_sweep;
  printf("\n%d^3, %s, variable beta, %s, one F-cycle\n", r->n, kernels_stencil_name(r->stencil),
         kernels_smoother_names[smoother]);
  printf("  time             %10.4f ms  %.4e DOF/s, max|r|/max|f| %.9e\n", 1e3 * r->seconds, speed,
         r->residual);
  if (f.port > 0)
    printf("  port of HPGMG-FV %10.2f times its %.2e DOF/s on an H200; goal %.2e: %s\n",
           speed / f.port, f.port, f.goal, met(true, speed >= f.goal));
  printf("  coarse end       %s\n", r->placement.text);
  printf("  each sweep once  %10.1f B/DOF  %.1f %% of %s\n", sweeps, 100 * sweeps * speed / r->rate,
         kernels_rate_text(bench, r->rate).text);
  printf("  memory           %10.1f B/DOF  %.3f GB, %.3f GB at the peak of set-up",
         r->memory / cells, 1e-9 * r->memory, 1e-9 * r->device_bytes);
  if (r->n == 512)
    printf("; goal %.0f: %s", 1e-9 * memory_goal, met(true, r->memory < memory_goal));
  printf("\n  set-up           %10.4f s   %.2f F-cycles, tuning %.4f s", r->setup, setups,
         r->tuning);
  if (r->n >= 256) printf("; goal %.0f: %s", setup_goal, met(true, setups < setup_goal));
  printf("\n");
  write_gpu_cycle(bench, r);
}

static const char gpu_columns[] =
    "operator,smoother,n,seconds,dof_per_second,port_dof_per_second,times_port,"
    "goal_dof_per_second,met,copy_gb_per_second,sweep_bytes_per_dof,sweep_percent_of_copy,"
    "declared_bytes_per_dof,memory_bytes_per_dof,memory_gb,setup_peak_gb,setup_seconds,"
    "setup_cycles,tuning_seconds,coarse_end";
static const char host_columns[] =
    "operator,smoother,n,seconds,dof_per_second,triad_gb_per_second,sweep_bytes_per_dof,"
    "sweep_percent_of_triad,call_bytes_per_dof,call_percent_of_triad,declared_bytes_per_dof,"
    "memory_bytes_per_dof,setup_seconds,setup_cycles";

static bool run_cycle(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  cycle_row row = {.stencil = stencil, .n = problem->n};
  if (!measure(bench, problem, &row)) return false;
  if (bench->options->cuda)
    print_gpu_cycle(bench, &row);
  else
    print_cycle(bench, &row);
  fflush(stdout);
  return true;
}

bool kernels_run_cycle(kernels_bench *bench)
{
  bench->csv.columns = bench->options->cuda ? gpu_columns : host_columns;
  return kernels_for_sizes(bench, false, run_cycle);
}
