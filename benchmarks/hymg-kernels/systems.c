/* A batch of systems with contexts, coefficients and fields of their own: solved one after the other, with all threads and with
 * one, and at the same time by hymg_solve_batch, in turn. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

#include "api/solve/solve.h"

/* The ways. In the first the contexts have all threads, in the others one. */
enum { ALL_THREADS, ONE_THREAD, TOGETHER, WAYS };
static const char *const names[WAYS] = {"in turn, all threads", "in turn, one thread",
                                        "hymg_solve_batch"};

typedef struct systems {
  int count;
  hymg_context **context;
  kernels_kit *kit;
  hymg_solver **solver;
  const hymg_field **f;
  hymg_field **u;
  hymg_result *result;
} systems;

static void destroy(systems *s)
{
  for (int m = 0; m < s->count && s->kit && s->context; m++) {
    if (s->context[m]) kernels_kit_destroy(s->kit + m);
    hymg_context_destroy(s->context + m);
  }
  free(s->context), free(s->kit), free(s->solver), free(s->f), free(s->u), free(s->result);
}

static bool create(const kernels_bench *bench, int threads, const kernels_problem *problem,
                   hymg_stencil stencil, systems *s)
{
  const size_t count = (size_t)bench->options->systems;
  hymg_context_options context = hymg_context_options_default();
  hymg_options options = kernels_solver_options(bench->options);
  *s = (systems){.count = bench->options->systems,
                 .context = calloc(count, sizeof *s->context),
                 .kit = calloc(count, sizeof *s->kit),
                 .solver = calloc(count, sizeof *s->solver),
                 .f = calloc(count, sizeof *s->f),
                 .u = calloc(count, sizeof *s->u),
                 .result = calloc(count, sizeof *s->result)};
  bool ok = s->context && s->kit && s->solver && s->f && s->u && s->result;
  context.threads = threads;
  options.method = HYMG_MG, options.rtol = 1e-8, options.tuning = HYMG_TUNE_ESTIMATE;
  for (int m = 0; m < s->count && ok; m++) {
    kernels_kit *const kit = s->kit + m;
    ok = hymg_context_create(&context, s->context + m) == HYMG_OK &&
         kernels_take_forms(s->context[m], bench->options, NULL) &&
         kernels_kit_create(s->context[m], problem, stencil, &options, NULL, kit);
    s->solver[m] = kit->solver, s->f[m] = kit->f, s->u[m] = kit->x;
  }
  return ok;
}

/* Seconds; NAN after a failure. */
static double solve_all(const systems *s, int workers)
{
  for (int m = 0; m < s->count; m++) /* as in kernels_kit_solve */
    s->kit[m].fine->x = s->kit[m].fine->own_x, s->kit[m].fine->f = s->kit[m].fine->own_f;
  const double start = fv_clock();
  const hymg_status status =
      hymgi_solve_batch_by(workers, s->count, s->solver, s->f, s->u, s->result);
  const double seconds = fv_clock() - start;
  if (status == HYMG_OK) return seconds;
  fprintf(stderr, "hymg-kernels: batch: %s\n", hymg_status_text(status));
  return NAN;
}

static bool time_in_turn(const kernels_options *o, const systems s[2], double seconds[WAYS])
{
  times timed[WAYS] = {{0}};
  bool ok = true, wanted = true;
  for (int turn = -1; ok && wanted; turn++) {
    for (int w = 0; w < WAYS && ok; w++) {
      const double once = solve_all(s + (w != ALL_THREADS), w == TOGETHER ? 0 : 1);
      ok = !isnan(once) && (turn < 0 || times_add(timed + w, once, 1));
    }
    wanted = turn < 0 || times_wanted(timed, o->repeat, o->seconds, KERNELS_TIMES);
  }
  for (int w = 0; w < WAYS; w++) {
    seconds[w] = times_median(timed + w);
    times_free(timed + w);
  }
  return ok;
}

static void print_rows(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil,
                       const double seconds[WAYS], const systems *s)
{
  const double cells = s->count * pow(problem->n, 3);
  int converged = 0;
  for (int m = 0; m < s->count; m++)
    converged += s->result[m].converged;
  for (int w = 0; w < WAYS; w++) {
    const double gain = seconds[ALL_THREADS] / seconds[w];
    printf("  %-4s %-22s %10.3f %7.2f %11.4e\n", kernels_stencil_name(stencil), names[w],
           1e3 * seconds[w], gain, cells / seconds[w]);
    rows_add(&bench->csv, "%s,\"%s\",%d,%d,%.7f,%.4f,%.6e", kernels_stencil_name(stencil), names[w],
             problem->n, s->count, seconds[w], gain, cells / seconds[w]);
  }
  if (converged < s->count) printf("  %d DID NOT CONVERGE\n", s->count - converged);
  bench->wrong += s->count - converged;
  fflush(stdout);
}

static bool run_problem(kernels_bench *bench, const kernels_problem *problem, hymg_stencil stencil)
{
  systems s[2] = {{0}, {0}};
  double seconds[WAYS];
  bool ok = create(bench, bench->options->threads, problem, stencil, s) &&
            create(bench, 1, problem, stencil, s + 1) && time_in_turn(bench->options, s, seconds);
  if (ok) print_rows(bench, problem, stencil, seconds, s + 1);
  for (int m = 0; m < 2; m++)
    destroy(s + m);
  return ok;
}

bool kernels_run_batch(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  bench->csv.columns = "operator,way,n,systems,seconds,gain,dof_per_second";
  for (int size = 0; size < o->num_sizes && ok; size++) {
    printf("\n%d systems of %d^3, %s, variable beta, to 1e-8, F then V\n", o->systems,
           o->sizes[size], kernels_smoother_names[o->smoother]);
    printf("  %-4s %-22s %10s %7s %11s\n", "", "", "ms", "gain", "DOF/s");
    ok = kernels_for_problem(bench, o->sizes[size], true, run_problem);
  }
  return ok;
}
