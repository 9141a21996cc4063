/* The ladder: the same problem with one more step of the tuning in each row, always alternating
 * with the first row, so that a drift of the machine's speed does not pass for a gain. The solution
 * of each row's F-cycle must be bit for bit that of the first row. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "kernel_table.h"

enum { SMOOTH, RESTRICT, CYCLE, TIMED };

/* A step's solver. On a GPU it has its own context, because the choice of kernels belongs to the
 * context. */
typedef struct runner {
  hymg_context *own;
  kernels_kit kit;
  kernels_batch batch[TIMED];
} runner;

typedef struct ladder {
  kernels_bench *bench;
  const kernels_problem *problem;
  hymg_stencil stencil;
  runner base;
  double rate, *expected, *got;
} ladder;

static bool open_gpu(const kernels_bench *bench, const kernels_step *s, hymg_context **context)
{
  hymg_context_options o = hymg_context_options_default();
  o.threads = bench->options->threads;
  if (hymg_context_create(&o, context) != HYMG_OK) return false;
  return kernels_take_forms(*context, bench->options, s->form);
}

static bool is_ablation(const kernels_options *o)
{
  return o->mode == KERNELS_ABLATION || o->mode == KERNELS_ABLATION_SOLVE;
}

static bool open_runner(const ladder *l, const kernels_step *s, runner *r)
{
  const kernels_options *o = l->bench->options;
  hymg_options options = kernels_solver_options(o);
  if (s->estimated) options.tuning = HYMG_TUNE_ESTIMATE;
  if (o->mode == KERNELS_ABLATION_SOLVE) {
    options.method = HYMG_MG;
    options.cycle = HYMG_CYCLE_F;
    options.rtol = 1e-8;
  }
  *r = (runner){.own = NULL};
  if (o->cuda && !open_gpu(l->bench, s, &r->own)) {
    fprintf(stderr, "hymg-kernels: '%s' cannot be chosen\n", s->name);
    return false;
  }
  return kernels_kit_create(o->cuda ? r->own : l->bench->context, l->problem, l->stencil, &options,
                            s->own ? NULL : &s->tuning, &r->kit);
}

static void close_runner(runner *r)
{
  kernels_kit_destroy(&r->kit);
  hymg_context_destroy(&r->own);
}

static double time_one(runner *r, int what)
{
  const kernels_operation *operation = what == SMOOTH ? &kernels_smooth : &kernels_smooth_restrict;
  if (what == CYCLE) return kernels_kit_solve(&r->kit, NULL);
  if (r->batch[what].calls == 0) r->batch[what] = kernels_batch_for(&r->kit, operation);
  return kernels_batch_time(&r->kit, operation, r->batch[what]);
}

typedef struct timing {
  double seconds[TIMED], ratio[TIMED];
} timing;

/* base, row, base, row ...: medians of the row's times and of the ratios of adjacent times. */
static timing time_in_turn(ladder *l, runner *r, int what, timing t)
{
  const kernels_options *o = l->bench->options;
  const double end = fv_clock() + 2 * o->seconds;
  times timed = {0}, ratios = {0};
  time_one(&l->base, what);
  time_one(r, what);
  while (timed.count < o->repeat || (fv_clock() < end && timed.count < KERNELS_TIMES)) {
    const double before = time_one(&l->base, what), seconds = time_one(r, what);
    if (!times_add(&timed, seconds, 1) || !times_add(&ratios, before / seconds, 1)) break;
  }
  t.seconds[what] = times_median(&timed);
  t.ratio[what] = times_median(&ratios);
  times_free(&timed);
  times_free(&ratios);
  return t;
}

static int64_t count_wrong(const ladder *l, kernels_kit *kit, double *plain, const double *expected)
{
  const size_t n = (size_t)l->problem->n, cells = n * n * n;
  int64_t wrong = 0;
  if (isnan(kernels_kit_solve(kit, NULL))) return (int64_t)cells;
  kernels_read(kit->fine, kit->fine->x, plain);
  for (size_t i = 0; expected && i < cells; i++)
    wrong += memcmp(plain + i, expected + i, sizeof *plain) != 0;
  return wrong;
}

static void print_head(const ladder *l)
{
  const kernels_options *o = l->bench->options;
  printf("\n%d^3, %s, variable beta, %s, %d threads; %s\n", l->problem->n,
         kernels_stencil_name(l->stencil), kernels_smoother_names[o->smoother],
         hymg_context_threads(l->bench->context), kernels_rate_text(l->bench, l->rate).text);
  printf("  %-38s %18s %18s %18s %11s %8s\n", "", "smoother call", "with res+restrict",
         o->mode == KERNELS_ABLATION_SOLVE ? "solve to 1e-8" : "F-cycle", "", "");
  printf("  %-38s %10s %7s %10s %7s %10s %7s %11s %8s\n", "step", "ms", "times", "ms", "times",
         "ms", "times", "DOF/s", "#wrong");
}

static void print_row(ladder *l, const char *name, const timing *t, int64_t wrong)
{
  const int n = l->problem->n;
  const double cells = (double)n * n * n;
  printf("  %-38s", name);
  for (int what = 0; what < TIMED; what++)
    printf(" %10.3f %7.2f", 1e3 * t->seconds[what], t->ratio[what]);
  printf(" %11.4e %8lld\n", cells / t->seconds[CYCLE], (long long)wrong);
  fflush(stdout);
  l->bench->wrong += wrong;
  rows_add(&l->bench->csv, "%s,%s,%s,%d,%.5f,%.4f,%.5f,%.4f,%.5f,%.4f,%.6e,%.3f,%lld", name,
           kernels_stencil_name(l->stencil), kernels_smoother_names[l->bench->options->smoother], n,
           1e3 * t->seconds[SMOOTH], t->ratio[SMOOTH], 1e3 * t->seconds[RESTRICT],
           t->ratio[RESTRICT], 1e3 * t->seconds[CYCLE], t->ratio[CYCLE], cells / t->seconds[CYCLE],
           1e-9 * l->rate, (long long)wrong);
}

static bool applies(const ladder *l, const kernels_step *s, const kernels_kit *kit)
{
  if (l->bench->options->cuda || s->own || s->tuning.wave_from == 0) return true;
  if (hymgi_cpu_wave_applies(kit->fine)) return true;
  printf("  %-38s does not apply: too few rows a tile for these stages and threads\n", s->name);
  return false;
}

/* A form that none of these levels uses. */
static bool same_kernels(const ladder *l, const kernels_step *s, const kernels_kit *kit)
{
  if (!is_ablation(l->bench->options) || !s->form[0].name) return false;
  for (int level = 0; level < hymg_solver_num_levels(kit->solver); level++) {
    hymg_level_info with, without;
    if (hymg_solver_level(l->base.kit.solver, level, &with) != HYMG_OK ||
        hymg_solver_level(kit->solver, level, &without) != HYMG_OK ||
        strcmp(with.kernels, without.kernels) != 0 ||
        hymgi_kernel_variants(l->base.kit.solver->h.level + level) !=
            hymgi_kernel_variants(kit->solver->h.level + level))
      return false;
  }
  return true;
}

static bool run_step(ladder *l, const kernels_step *s)
{
  timing t = {{0}, {0}};
  runner r;
  bool ok = open_runner(l, s, &r);
  if (ok && applies(l, s, &r.kit) && !same_kernels(l, s, &r.kit)) {
    const int64_t wrong = count_wrong(l, &r.kit, l->got, l->expected);
    for (int what = SMOOTH; what < TIMED; what++)
      t = time_in_turn(l, &r, what, t);
    ok = kernels_kit_is_well(&r.kit);
    if (ok) print_row(l, s->name, &t, wrong);
    if (ok && s->own && !l->bench->options->cuda)
      printf("  %-38s %s\n", "", kernels_tuning_text(r.kit.fine).text);
  }
  close_runner(&r);
  return ok;
}

static bool wanted(const kernels_options *o, const kernels_step *s)
{
  return (!s->gsrb_only || o->smoother == HYMG_GSRB) &&
         (!o->operation || strstr(s->name, o->operation));
}

static int find_steps(const kernels_options *o, hymg_stencil stencil, int n,
                      kernels_step steps[KERNELS_STEPS])
{
  if (is_ablation(o)) return kernels_ablation_steps(steps);
  return o->cuda ? kernels_gpu_steps(stencil, steps) : kernels_host_steps(n, steps);
}

bool kernels_ladder_has_rows(const kernels_options *o)
{
  bool found = false;
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4; stencil++) {
    kernels_step steps[KERNELS_STEPS];
    const int count = o->stencil[stencil] ? find_steps(o, (hymg_stencil)stencil, 1, steps) : 0;
    for (int i = 0; i < count; i++)
      found = found || wanted(o, steps + i);
  }
  return found;
}

void kernels_list_steps(bool gpu)
{
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4; stencil++) {
    kernels_step steps[KERNELS_STEPS];
    const int count =
        gpu ? kernels_gpu_steps((hymg_stencil)stencil, steps) : kernels_host_steps(1, steps);
    /* the host's results are the same for both */
    for (int i = 0; i < count && (gpu || stencil == HYMG_FV2); i++)
      printf("ladder, %s: %s\n",
             !gpu                  ? "host"
             : stencil == HYMG_FV2 ? "GPU fv2"
                                   : "GPU fv4",
             steps[i].name);
  }
}

static bool run_steps(ladder *l, const kernels_step *steps, int count)
{
  const kernels_options *o = l->bench->options;
  const size_t n = (size_t)l->problem->n;
  l->expected = malloc(n * n * n * sizeof(double));
  l->got = malloc(n * n * n * sizeof(double));
  bool ok = l->expected && l->got;
  if (!ok) fprintf(stderr, "hymg-kernels: no memory for %zu^3 cells\n", n);
  if (ok) {
    count_wrong(l, &l->base.kit, l->expected, NULL);
    l->rate = kernels_full_rate(l->bench);
    print_head(l);
  }
  for (int i = 0; i < count && ok; i++)
    if (wanted(o, steps + i)) ok = run_step(l, steps + i);
  free(l->expected);
  free(l->got);
  return ok;
}

static bool run_ladder(kernels_bench *bench, int n, hymg_stencil stencil)
{
  kernels_problem problem;
  kernels_step steps[KERNELS_STEPS];
  ladder l = {.bench = bench, .problem = &problem, .stencil = stencil};
  if (!kernels_problem_create(n, true, &problem)) return false;
  const int count = find_steps(bench->options, stencil, n, steps);
  const bool ok = open_runner(&l, steps, &l.base) && run_steps(&l, steps, count);
  close_runner(&l.base);
  kernels_problem_destroy(&problem);
  return ok;
}

bool kernels_run_ladder(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  bench->csv.columns =
      o->mode == KERNELS_ABLATION_SOLVE
          ? "step,operator,smoother,n,smooth_ms,smooth_times,restrict_ms,restrict_times,"
            "solve_ms,solve_times,dof_per_second,copy_gb_per_second,wrong"
      : o->cuda ? "step,operator,smoother,n,smooth_ms,smooth_times,restrict_ms,restrict_times,"
                  "cycle_ms,cycle_times,dof_per_second,copy_gb_per_second,wrong"
                : "step,operator,smoother,n,smooth_ms,smooth_times,restrict_ms,restrict_times,"
                  "cycle_ms,cycle_times,dof_per_second,triad_gb_per_second,wrong";
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4; stencil++)
    for (int size = 0; size < o->num_sizes && o->stencil[stencil] && ok; size++)
      ok = run_ladder(bench, o->sizes[size], (hymg_stencil)stencil);
  return ok;
}
