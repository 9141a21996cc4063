/* The cases: which jobs, which kernels, in which order; and the whole set. */
#include "stencils/bench.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static bool wanted(const stencil_options *o, const char *name)
{
  return !o->kernel || strstr(name, o->kernel);
}

static const char axis_names[] = "xyz";

/* The study's name for it: the row's name without axis and slab. */
static void name_kernel(const stencil_kernel *kernel, const stencil_job *job, bool aligned,
                        char plain[STENCIL_NAME], char full[STENCIL_NAME])
{
  const bool shaped = strcmp(kernel->name, "one-pass") == 0;
  if (shaped)
    snprintf(plain, STENCIL_NAME, "%s %dx%d", kernel->name, job->tile[0], job->tile[1]);
  else
    snprintf(plain, STENCIL_NAME, "%s%s", kernel->name,
             aligned && strcmp(kernel->name, "point") == 0 ? " aligned" : "");
  if (job->which != 'c' && job->which != 'd')
    snprintf(full, STENCIL_NAME, "%.80s", plain);
  else if (strcmp(kernel->name, "window") == 0)
    snprintf(full, STENCIL_NAME, "%c %.60s n_w %d", axis_names[job->axis], plain, job->slab);
  else
    snprintf(full, STENCIL_NAME, "%c %.80s", axis_names[job->axis], plain);
}

/* ---- errors of case c: a cosine along the axis, whose derivative is known ---- */

static void fill_cosine(const stencil_job *job, double *exact)
{
  const stencil_grid *const g = &job->g;
  const int n = g->n[job->axis];
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int index = job->axis == 0 ? i : job->axis == 1 ? j : k;
        const double phase = 2 * acos(-1) * index / n;
        const ptrdiff_t at = g->origin + i + j * g->pitch + k * g->plane;
        exact[i + (ptrdiff_t)g->n[0] * (j + (ptrdiff_t)g->n[1] * k)] = -2 * acos(-1) * sin(phase);
        stencil_set(job, job->array[STENCIL_X], at, cos(phase));
      }
}

/* Leaves the arrays unchanged. */
static bool cosine_errors(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                          stencil_row *row)
{
  stencil_job unit = *job;
  stencil_launch launch = {0};
  stencil_coefficients(&unit, 1. / job->g.n[job->axis]);
  if (!stencil_room(bench, 1, job)) return false;
  fill_cosine(job, bench->reference[1]);
  if (!stencil_well("copy to the GPU", stencil_move(bench, job, STENCIL_X, true)) ||
      !stencil_run(bench, kernel, &unit, &launch) || !stencil_fetch(bench, job))
    return false;
  const stencil_errors e = stencil_compare(job, job->array[STENCIL_OUT], bench->reference[1], 1);
  row->largest = e.largest, row->mean = e.mean;
  bench->steps_of.radius = 0;
  return stencil_fill(bench, job);
}

/* ---- one job ---- */

/* Hash of the first kernel's result in case b: all others must give the same bits. */
typedef struct same_bits {
  bool any;
  uint64_t hash;
} same_bits;

static bool errors_of_study(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                            stencil_row *row, same_bits *same)
{
  if (job->which == 'c') return cosine_errors(bench, kernel, job, row);
  if (job->which != 'b') return true;
  uint64_t hash;
  if (!stencil_heat(bench, kernel, job, row, &hash)) return false;
  if (same->any && same->hash != hash) {
    row->wrong++;
    bench->wrong++;
    fprintf(stderr, "hymg-stencil: %s: other bits than the first kernel's\n", row->kernel);
  }
  *same = (same_bits){true, hash};
  return stencil_fill(bench, job);
}

static bool one_row(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                    bool aligned, same_bits *same)
{
  char plain[STENCIL_NAME], full[STENCIL_NAME];
  stencil_row row;
  name_kernel(kernel, job, aligned, plain, full);
  stencil_progress(bench->options, full);
  if (!stencil_tune(bench, kernel, job)) return false;
  if (!stencil_measure(bench, kernel, job, full, &row) ||
      !errors_of_study(bench, kernel, job, &row, same))
    return false;
  row.published = stencil_published(job, plain);
  stencil_output_row(&bench->out, &row);
  return true;
}

/* The sweep over n_w, unless --slab gives one value. */
static bool swept(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                  same_bits *same)
{
  const int longest = job->g.n[job->axis];
  if (bench->options->slab) return one_row(bench, kernel, job, true, same);
  for (job->slab = 1; job->slab <= longest && job->slab <= 1024; job->slab *= 2)
    if (!one_row(bench, kernel, job, true, same)) return false;
  return true;
}

/* Kernels with several points per thread need aligned rows; without them `point` is what the study
 * compares with. */
static bool suits(const stencil_kernel *kernel, bool aligned)
{
  return aligned || strcmp(kernel->name, "point") == 0;
}

static bool job_rows(stencil_bench *bench, stencil_job *job, bool aligned)
{
  const stencil_options *o = bench->options;
  const stencil_kernels all = stencil_kernels_of(job->which, bench->gpu);
  same_bits same = {false, 0};
  const char *last = "";
  stencil_progress(o, "random numbers and the reference");
  if (!stencil_prepare(bench, job)) return false;
  for (int k = 0; k < all.count; k++) {
    const stencil_kernel *const kernel = &all.kernel[k];
    char why[STENCIL_NAME] = "";
    const bool again = o->tile[0] && strcmp(last, kernel->name) == 0;
    if (!wanted(o, kernel->name) || !suits(kernel, aligned) || again) continue;
    last = kernel->name;
    if (!stencil_shape(o, kernel, job, why)) {
      printf("  %s: left out, %s\n", kernel->name, why);
    } else if (strcmp(kernel->name, "window") == 0) {
      if (!swept(bench, kernel, job, &same)) return false;
    } else if (!one_row(bench, kernel, job, aligned, &same)) {
      return false;
    }
  }
  return true;
}

/* ---- cases ---- */

static void size_of(const stencil_bench *bench, char which, int n[3])
{
  const int side = bench->gpu ? (which == 'b' ? 16384 : 512) : which == 'b' ? 4096 : 256;
  for (int axis = 0; axis < 3; axis++)
    n[axis] = bench->options->n[0] ? bench->options->n[axis] : side;
  if (which == 'b') n[2] = 1;
}

/* Before the first of a case's jobs. */
static bool heading(stencil_bench *bench, const stencil_job *job)
{
  stencil_job first = *job;
  char what[STENCIL_NAME];
  snprintf(what, sizeof what, "case %c, %s, %s", job->which,
           job->which == 'b'   ? "heat equation in a plane"
           : job->which == 'c' ? "first derivative of order 8 along an axis"
           : job->which == 'd' ? "second derivative of order 8 along an axis"
           : job->wave         ? "leap-frog step of the wave equation"
                               : "Laplacian",
           job->wide ? "double" : "float");
  stencil_progress(bench->options, bench->gpu ? "copy" : "triad");
  if (!stencil_arrays(bench, &first) || !stencil_find_rate(bench, &first)) return false;
  const stencil_heading h = {what, bench->rate, bench->gpu};
  stencil_output_heading(&bench->out, &h);
  return true;
}

static bool has_order(const stencil_options *o, char which, int radius)
{
  if (which == 'c' || which == 'd') return radius == 4;
  if (o->any_radius) return o->radius[radius];
  return which == 'a' || radius == 1 || radius == 2 || radius == 4;
}

/* By order or by axis; on the GPU d also without alignment. */
static bool case_of(stencil_bench *bench, char which, bool wide)
{
  const stencil_options *const o = bench->options;
  const bool lines = which == 'c' || which == 'd', unaligned = which == 'd' && bench->gpu;
  bool first = true, ok = true;
  int n[3];
  size_of(bench, which, n);
  for (int radius = 1; radius <= STENCIL_RADIUS && ok; radius++)
    for (int axis = 0; axis < (lines ? 3 : 1) && has_order(o, which, radius); axis++)
      for (int aligned = !unaligned; aligned <= 1 && ok; aligned++) {
        stencil_job job = stencil_job_of(which, n, radius, axis, wide, !lines && o->wave, aligned);
        ok = (!first || heading(bench, &job)) && job_rows(bench, &job, aligned);
        first = false;
      }
  return ok;
}

bool stencil_run_case(stencil_bench *bench, char which)
{
  bool ok = true;
  for (int wide = 0; wide <= 1 && ok; wide++)
    ok = !bench->options->precision[wide] || case_of(bench, which, wide);
  return ok;
}

/* ---- the whole set ---- */

typedef struct item {
  char which;
  bool wave, both; /* float and double, unless --precision selects one */
  int orders;      /* bit R: order 2 R; 0: all of the case */
  int gpu[3], host[3];
  const char *kernel;
  int tile[2];
} item;

enum { ORDER_2 = 1 << 1, ORDER_8 = 1 << 4 };

/* First the sizes that the studies published, then sizes larger than any cache. */
static const item items[] = {
    {'a', false, false, ORDER_8, {480, 480, 100}, {0}, NULL, {0}},
    {'a', false, false, 0, {640, 640, 400}, {0}, "one-pass", {16, 16}},
    {'a', false, false, ORDER_2, {640, 640, 400}, {0}, "one-pass", {32, 16}},
    {'a', false, false, ORDER_2, {640, 640, 400}, {0}, "one-pass", {64, 8}},
    {'a', true, false, ORDER_8, {480, 480, 100}, {0}, NULL, {0}},
    {'b', false, false, 0, {4096, 4096, 1}, {4096, 4096, 1}, NULL, {0}},
    {'c', false, false, 0, {64, 64, 64}, {64, 64, 64}, NULL, {0}},
    {'a', false, true, 0, {512, 512, 512}, {256, 256, 256}, NULL, {0}},
    {'a', true, true, 0, {512, 512, 512}, {256, 256, 256}, NULL, {0}},
    {'b', false, true, 0, {16384, 16384, 1}, {8192, 8192, 1}, NULL, {0}},
    {'c', false, true, 0, {512, 512, 512}, {256, 256, 256}, NULL, {0}},
    {'d', false, true, 0, {512, 512, 512}, {256, 256, 256}, NULL, {0}},
};

static stencil_options options_of(const stencil_options *given, const item *it, bool gpu)
{
  stencil_options o = *given;
  o.which = it->which;
  o.wave = it->wave;
  memcpy(o.n, gpu ? it->gpu : it->host, sizeof o.n);
  o.kernel = it->kernel;
  memcpy(o.tile, it->tile, sizeof o.tile);
  o.any_radius = it->orders;
  for (int radius = 1; radius <= STENCIL_RADIUS; radius++)
    o.radius[radius] = it->orders >> radius & 1;
  if (!given->any_precision) o.precision[1] = it->both;
  return o;
}

bool stencil_run_all(stencil_bench *bench)
{
  const stencil_options *const given = bench->options;
  bool ok = true;
  for (size_t i = 0; i < sizeof items / sizeof *items && ok; i++) {
    const stencil_options o = options_of(given, &items[i], bench->gpu);
    if (o.n[0] == 0) continue;
    bench->options = &o;
    ok = stencil_run_case(bench, o.which);
    bench->options = given;
  }
  return ok;
}
