/* Solves from zero to max|r| <= 1e-8 max|f|: V-cycles, an F-cycle followed by V-cycles, and
 * conjugate gradients preconditioned by a V-cycle. */
#include "hymg-kernels/kernels.h"

#include <math.h>

static const double tolerance = 1e-8;

typedef struct way {
  const char *name;
  hymg_method method;
  hymg_cycle cycle;
} way;

static const way ways[] = {{"V", HYMG_MG, HYMG_CYCLE_V},
                           {"F then V", HYMG_MG, HYMG_CYCLE_F},
                           {"mgpcg", HYMG_MGPCG, HYMG_CYCLE_V}};

typedef struct solve_row {
  const kernels_problem *problem;
  hymg_stencil stencil;
  const way *way;
  hymg_result result;
  double seconds;
} solve_row;

static bool measure(const kernels_bench *bench, solve_row *row)
{
  const kernels_options *o = bench->options;
  hymg_options options = kernels_solver_options(o);
  kernels_kit kit;
  options.method = row->way->method;
  options.cycle = row->way->cycle;
  options.rtol = tolerance;
  options.max_cycles = 50;
  if (!kernels_kit_create(bench->context, row->problem, row->stencil, &options, NULL, &kit))
    return false;
  row->seconds = kernels_kit_time_solves(o, &kit, &row->result);
  kernels_kit_destroy(&kit);
  return !isnan(row->seconds);
}

/* "" if there is no such figure. */
static kernels_text times_text(double speed, double other)
{
  kernels_text out = {""};
  if (other > 0) snprintf(out.text, sizeof out.text, "%.1f", speed / other);
  return out;
}

static void print_row(kernels_bench *bench, const solve_row *r)
{
  const double speed = pow(r->problem->n, 3) / r->seconds;
  const char *const beta = r->problem->variable ? "variable" : "constant";
  kernels_solve_figures f = kernels_figures_to_1e8(r->stencil, r->problem->variable, r->problem->n);
  if (!bench->options->cuda) f = (kernels_solve_figures){NAN, NAN, NAN};
  const char *const met = !(f.goal > 0) ? "" : speed >= f.goal ? "yes" : "NO";
  printf("  %-4s %-9s %-9s %10.4f %7d %10.2e %11.4e %8s %8s %6s%s\n",
         kernels_stencil_name(r->stencil), beta, r->way->name, 1e3 * r->seconds, r->result.cycles,
         r->result.residual_relative, speed, times_text(speed, f.amrex).text,
         times_text(speed, f.hypre).text, met, r->result.converged ? "" : "  NOT CONVERGED");
  fflush(stdout);
  rows_add(&bench->csv, "%s,%s,%s,%s,%d,%.7f,%d,%.3e,%.6e,%.3e,%.3e,%.3e,%s",
           kernels_stencil_name(r->stencil), kernels_smoother_names[bench->options->smoother], beta,
           r->way->name, r->problem->n, r->seconds, r->result.cycles, r->result.residual_relative,
           speed, f.amrex, f.hypre, f.goal, met);
}

static bool run_problem(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    solve_row row = {.problem = problem, .stencil = stencil, .way = ways + w};
    if (!measure(bench, &row)) return false;
    print_row(bench, &row);
    bench->wrong += !row.result.converged;
  }
  return true;
}

bool kernels_run_solve(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  bench->csv.columns = "operator,smoother,coefficients,way,n,seconds,cycles,residual,"
                       "dof_per_second,amrex_dof_per_second,hypre_dof_per_second,"
                       "goal_dof_per_second,met";
  for (int size = 0; size < o->num_sizes && ok; size++) {
    printf("\n%d^3, %s, to %.0e%s\n", o->sizes[size], kernels_smoother_names[o->smoother],
           tolerance, o->cuda ? "; times AMReX and hypre on an H200, goal met" : "");
    printf("  %-4s %-9s %-9s %10s %7s %10s %11s %8s %8s %6s\n", "", "beta", "cycle", "ms", "cycles",
           "residual", "DOF/s", "AMReX", "hypre", "met");
    for (int variable = 1; variable >= 0 && ok; variable--)
      ok = kernels_for_problem(bench, o->sizes[size], variable, run_problem);
  }
  return ok;
}
