/* Which way of running the coarse end of a cycle is fastest. For levels of 4^3 to 64^3: a V-cycle
 * from that level down by the GPU's kernels, by the GPU in one launch, and by the host. The
 * right-hand side comes from the GPU's next finer level and the correction goes back to it, so that
 * the host's time includes the copies to the host and back; the two transfers between levels are in
 * all three. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <string.h>

typedef enum way { BY_KERNELS, BY_TAIL, BY_HOST, WAYS } way;
static const char *const way_names[WAYS] = {"kernels", "tail", "host"};

static void run_below(kernels_kit *k)
{
  hymgi_restrict_cells(k->fine, k->fine->f, k->coarse, k->coarse->f);
  hymgi_fill(k->coarse, 0, k->coarse->x);
  hymgi_cycle(&k->solver->h, HYMG_CYCLE_V, 1);
  hymgi_interpolate(k->coarse, k->fine, false, false);
}

static const kernels_operation below = {
    .name = "V-cycle below", .run = run_below, .target = KERNELS_IN_X};

/* Did everything from level 1 down run in one launch? A level may be too large for that. */
static bool has_tail(kernels_kit *kit)
{
  hymg_profile_row row;
  bool found = false;
  hymg_solver_profile(kit->solver, true);
  run_below(kit);
  hymg_solver_profile(kit->solver, false);
  for (int i = 0; hymg_solver_profile_row(kit->solver, i, &row) == HYMG_OK; i++)
    found = found || (row.level == 1 && strcmp(row.operation, hymgi_op_name(HYMGI_OP_COARSE)) == 0);
  return found;
}

/* Seconds; NaN where this way is not possible for the level. False: a failure. */
static bool time_way(kernels_bench *bench, const kernels_problem *finer, hymg_stencil stencil,
                     way w, double *seconds)
{
  hymg_options options = kernels_solver_options(bench->options);
  const int n = finer->n / 2;
  const int64_t all = (int64_t)n * n * n + 1; /* from level 1 on */
  kernels_kit kit;
  options.tuning = HYMG_TUNE_ESTIMATE;
  options.host_cells = w == BY_HOST ? all : 0;
  options.tail_cells = w == BY_TAIL ? all : 0;
  *seconds = NAN;
  if (!kernels_kit_create(bench->context, finer, stencil, &options, NULL, &kit)) return false;
  if (w != BY_TAIL || has_tail(&kit)) *seconds = kernels_median_time(bench->options, &kit, &below);
  const bool ok = kernels_kit_is_well(&kit);
  kernels_kit_destroy(&kit);
  return ok;
}

static void print_row(kernels_bench *bench, hymg_stencil stencil, int n, const double seconds[WAYS])
{
  int fastest = BY_KERNELS;
  printf("  %-4s %6d", kernels_stencil_name(stencil), n);
  for (int w = BY_KERNELS; w < WAYS; w++) {
    if (seconds[w] < seconds[fastest]) fastest = w;
    if (isnan(seconds[w]))
      printf(" %10s", "-");
    else
      printf(" %10.2f", 1e6 * seconds[w]);
  }
  printf("  %s\n", way_names[fastest]);
  fflush(stdout);
  rows_add(&bench->csv, "%s,%s,%d,%.3f,%.3f,%.3f,%s", kernels_stencil_name(stencil),
           kernels_smoother_names[bench->options->smoother], n, 1e6 * seconds[BY_KERNELS],
           1e6 * seconds[BY_TAIL], 1e6 * seconds[BY_HOST], way_names[fastest]);
}

/* The threshold that the library measures itself on a grid of this problem. */
static bool print_choice(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  const hymg_options options = kernels_solver_options(bench->options);
  kernels_kit kit;
  char text[160];
  if (!kernels_kit_create(bench->context, problem, stencil, &options, NULL, &kit)) return false;
  snprintf(text, sizeof text, "%s, the library at %d^3: %s, %.2f s", kernels_stencil_name(stencil),
           problem->n, kernels_placement_text(&kit).text, kit.tuning_seconds);
  printf("  %s\n", text);
  rows_add(&bench->csv, "# %s", text);
  kernels_kit_destroy(&kit);
  return true;
}

static bool run_level(kernels_bench *bench, int n, hymg_stencil stencil)
{
  kernels_problem finer;
  double seconds[WAYS];
  if (!kernels_problem_create(2 * n, true, &finer)) return false;
  bool ok = true;
  for (int w = BY_KERNELS; w < WAYS && ok; w++)
    ok = time_way(bench, &finer, stencil, (way)w, &seconds[w]);
  if (ok) print_row(bench, stencil, n, seconds);
  if (ok && n == 32) ok = print_choice(bench, &finer, stencil);
  kernels_problem_destroy(&finer);
  return ok;
}

bool kernels_run_threshold(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  printf("\nV-cycle from a level down, %s, variable beta, with the transfers from and to the next "
         "finer level; us\n",
         kernels_smoother_names[o->smoother]);
  printf("  %-4s %6s", "", "from");
  for (int w = BY_KERNELS; w < WAYS; w++)
    printf(" %10s", way_names[w]);
  printf("  fastest\n");
  bench->csv.columns = "operator,smoother,n,kernels_us,tail_us,host_us,fastest";
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4; stencil++)
    for (int n = 4; n <= o->sizes[o->num_sizes - 1] && o->stencil[stencil] && ok; n *= 2)
      ok = run_level(bench, n, (hymg_stencil)stencil);
  return ok;
}
