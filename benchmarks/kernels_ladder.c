/* The ladder: the same problem with one more step of the tuning in each row, always in turn with the first row (plain rows,
 * pass by pass), so that a change of the machine's mood between rows does not pass for a gain. The solution of each row's
 * F-cycle must have the bits of the first row's. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { TIMED = 3 }; /* a smoother call, one with residual and restriction, an F-cycle */

typedef struct step {
  const char *name;
  bool gsrb_only;
  bool own; /* the library chooses; tuning is unused */
  hymgi_tuning tuning;
} step;

typedef struct ladder {
  kernels_bench *bench;
  const kernels_problem *problem;
  hymg_stencil stencil;
  kernels_kit base;
  double triad, *expected, *got;
} ladder;

static double time_one(kernels_kit *kit, int what)
{
  if (what == 2) return kernels_kit_solve(kit, NULL);
  const double start = fv_clock();
  if (what == 0)
    hymgi_smooth(kit->fine);
  else
    hymgi_smooth_restrict(kit->fine, kit->coarse);
  return fv_clock() - start;
}

typedef struct timing {
  double seconds[TIMED], ratio[TIMED];
} timing;

/* base, kit, base, kit ...: medians of the kit's times and of the ratios of neighbours. */
static timing time_in_turn(ladder *l, kernels_kit *kit, int what, timing t)
{
  const kernels_options *o = l->bench->options;
  kernels_times times = {0}, ratios = {0};
  time_one(&l->base, what);
  time_one(kit, what);
  while (times.count < o->repeat || (times.total < o->seconds && times.count < 10000)) {
    const double before = time_one(&l->base, what), seconds = time_one(kit, what);
    if (!kernels_times_add(&times, seconds) || !kernels_times_add(&ratios, before / seconds)) break;
  }
  t.seconds[what] = kernels_median(&times);
  t.ratio[what] = kernels_median(&ratios);
  kernels_times_free(&times);
  kernels_times_free(&ratios);
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
  printf("\n%d^3, %s, variable beta, %s, %d threads; triad %.1f GB/s at 24 B, %.1f at 32 B\n",
         l->problem->n, l->stencil == HYMG_FV2 ? "fv2" : "fv4", kernels_smoother_names[o->smoother],
         hymg_context_threads(l->bench->context), 24e-9 * l->triad, 32e-9 * l->triad);
  printf("  %-34s %18s %18s %18s %11s %8s\n", "", "smoother call", "with res+restrict", "F-cycle",
         "", "");
  printf("  %-34s %10s %7s %10s %7s %10s %7s %11s %8s\n", "step", "ms", "times", "ms", "times",
         "ms", "times", "DOF/s", "#wrong");
}

static void print_row(ladder *l, const char *name, const timing *t, int64_t wrong)
{
  const int n = l->problem->n;
  const double cells = (double)n * n * n;
  printf("  %-34s", name);
  for (int what = 0; what < TIMED; what++)
    printf(" %10.3f %7.2f", 1e3 * t->seconds[what], t->ratio[what]);
  printf(" %11.4e %8lld\n", cells / t->seconds[2], (long long)wrong);
  fflush(stdout);
  l->bench->wrong += wrong;
  if (!l->bench->csv) return;
  fprintf(l->bench->csv, "%s,%s,%s,%d", name, l->stencil == HYMG_FV2 ? "fv2" : "fv4",
          kernels_smoother_names[l->bench->options->smoother], n);
  for (int what = 0; what < TIMED; what++)
    fprintf(l->bench->csv, ",%.5f,%.4f", 1e3 * t->seconds[what], t->ratio[what]);
  fprintf(l->bench->csv, ",%.6e,%.3f,%lld\n", cells / t->seconds[2], 24e-9 * l->triad,
          (long long)wrong);
  fflush(l->bench->csv);
}

static bool run_step(ladder *l, const step *s)
{
  timing t = {{0}, {0}};
  kernels_kit kit;
  if (!kernels_kit_create(l->bench->context, l->problem, l->stencil, l->bench->options->smoother,
                          s->own ? NULL : &s->tuning, &kit))
    return false;
  if (!s->own && s->tuning.wave_from > 0 && !hymgi_host_wave_applies(kit.fine)) {
    printf("  %-34s does not apply: too few rows a tile for these stages and threads\n", s->name);
    kernels_kit_destroy(&kit);
    return true;
  }
  const int64_t wrong = count_wrong(l, &kit, l->got, l->expected);
  for (int what = 0; what < TIMED; what++)
    t = time_in_turn(l, &kit, what, t);
  print_row(l, s->name, &t, wrong);
  if (s->own) printf("  %-34s %s\n", "", kernels_tuning_text(kit.fine).text);
  kernels_kit_destroy(&kit);
  return true;
}

/* The steps, around what the backend itself would choose; returns their number. */
static int make_steps(const kernels_kit *base, step steps[16])
{
  const hymgi_tuning own = hymgi_host_tuning(&base->solver->method);
  const int n = base->fine->n[0], from = own.wave_from > 0 && own.wave_from < n ? own.wave_from : n;
  hymgi_tuning split = {.split_from = own.split_from};
  hymgi_tuning wave = {own.split_from, from, 2, own.wave_rows, false};
  hymgi_tuning all = {own.split_from, from, 6, own.wave_rows, true};
  static const struct {
    const char *name;
    int rows;
  } tiles[] = {{"the same in tiles of 16 rows", 16},
               {"the same in tiles of 32 rows", 32},
               {"the same in tiles of 64 rows", 64},
               {"the same in tiles of 128 rows", 128},
               {"the same in whole planes", 0}};
  int count = 0;
  steps[count++] = (step){"plain rows pass by pass", false, false, kernels_untuned()};
  steps[count++] = (step){"rows split by colour pass by pass", true, false, split};
  steps[count++] = (step){"wavefront of 2 sweeps", false, false, wave};
  wave.wave_stages = 3;
  steps[count++] = (step){"wavefront of 3 sweeps", false, false, wave};
  wave.wave_stages = 6;
  steps[count++] = (step){"wavefront of 6 sweeps", false, false, wave};
  steps[count++] = (step){"and residual and restriction", false, false, all};
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
    all.wave_rows = tiles[i].rows;
    steps[count++] = (step){tiles[i].name, false, false, all};
  }
  steps[count++] = (step){"what the library chooses", false, true, own};
  return count;
}

static bool run_steps(ladder *l)
{
  const size_t n = (size_t)l->problem->n;
  step steps[16];
  const int count = make_steps(&l->base, steps);
  l->expected = malloc(n * n * n * sizeof(double));
  l->got = malloc(n * n * n * sizeof(double));
  bool ok = l->expected && l->got;
  if (!ok) fprintf(stderr, "hymg-kernels: no memory for %zu^3 cells\n", n);
  if (ok) {
    count_wrong(l, &l->base, l->expected, NULL);
    l->triad = kernels_triad_run(l->bench->triad, 0);
    print_head(l);
  }
  for (int i = 0; i < count && ok; i++) {
    if (steps[i].gsrb_only && l->bench->options->smoother != HYMG_GSRB) continue;
    if (!l->bench->options->verb || strstr(steps[i].name, l->bench->options->verb))
      ok = run_step(l, steps + i);
  }
  free(l->expected);
  free(l->got);
  return ok;
}

static bool run_ladder(kernels_bench *bench, int n, hymg_stencil stencil)
{
  kernels_problem problem;
  ladder l = {.bench = bench, .problem = &problem, .stencil = stencil};
  const hymgi_tuning untuned = kernels_untuned();
  if (!kernels_problem_create(n, true, &problem)) {
    fprintf(stderr, "hymg-kernels: no memory for %d^3 cells\n", n);
    return false;
  }
  bool ok = kernels_kit_create(bench->context, &problem, stencil, bench->options->smoother,
                               &untuned, &l.base) &&
            run_steps(&l);
  kernels_kit_destroy(&l.base);
  kernels_problem_destroy(&problem);
  return ok;
}

bool kernels_run_ladder(kernels_bench *bench)
{
  const kernels_options *o = bench->options;
  bool ok = true;
  if (bench->csv)
    fprintf(bench->csv,
            "step,operator,smoother,n,smooth_ms,smooth_times,restrict_ms,restrict_times,"
            "cycle_ms,cycle_times,dof_per_second,triad_gb_per_second,wrong\n");
  for (int stencil = HYMG_FV2; stencil <= HYMG_FV4; stencil++)
    for (int size = 0; size < o->num_sizes && o->stencil[stencil] && ok; size++)
      ok = run_ladder(bench, o->sizes[size], (hymg_stencil)stencil);
  return ok;
}
