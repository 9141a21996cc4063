/* Arrays, verification and times. */
#include "stencils/bench.h"

#include "common/kit/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

bool stencil_well(const char *what, const char *why)
{
  if (why) fprintf(stderr, "hymg-stencil: %s: %s\n", what, why);
  return !why;
}

stencil_job stencil_job_of(char which, const int n[3], int radius, int axis, bool wide, bool wave,
                           bool aligned)
{
  stencil_job job = {.which = which, .radius = radius, .axis = axis, .wide = wide, .wave = wave};
  const bool ghosts = which != 'c';
  const int ghost[3] = {ghosts ? radius : 0, ghosts ? radius : 0,
                        ghosts && which != 'b' ? radius : 0};
  job.g = stencil_grid_make(n, ghost, stencil_bytes(&job), aligned);
  stencil_coefficients(&job, 1);
  return job;
}

double stencil_scale(const stencil_job *job)
{
  const int neighbours = job->which == 'a' ? 6 : job->which == 'b' ? 4 : 2;
  double sum = fabs(job->c[0]);
  for (int r = 1; r <= job->radius; r++)
    sum += neighbours * fabs(job->c[r]);
  return job->wave ? 3 + sum : sum;
}

/* ---- arrays ---- */

static bool used(const stencil_job *job, int array)
{
  return job->wave || array == STENCIL_X || array == STENCIL_OUT;
}

static void free_host(stencil_bench *bench, void *memory)
{
  if (bench->pinned)
    stencil_gpu_free(memory, true);
  else
    free(memory);
}

/* Copies to and from a GPU are several times as fast from pinned memory. */
static void *allocate_host(stencil_bench *bench, size_t bytes)
{
  const size_t lines = (bytes + STENCIL_LINE - 1) / STENCIL_LINE;
  return bench->pinned ? stencil_gpu_allocate(bytes, true)
                       : aligned_alloc(STENCIL_LINE, lines * STENCIL_LINE);
}

bool stencil_arrays(stencil_bench *bench, stencil_job *job)
{
  const size_t bytes = stencil_size(job);
  for (int a = 0; a < STENCIL_ARRAYS; a++) {
    job->array[a] = NULL;
    if (!used(job, a)) continue;
    if (bench->bytes[a] < bytes) {
      free_host(bench, bench->host[a]);
      bench->host[a] = allocate_host(bench, bytes);
      bench->bytes[a] = bench->host[a] ? bytes : 0;
      if (!bench->host[a]) return stencil_well("arrays", "no memory");
    }
    if (bench->gpu && bench->gpu_bytes[a] < bytes) {
      stencil_gpu_free(bench->on_gpu[a], false);
      bench->on_gpu[a] = stencil_gpu_allocate(bytes, false);
      bench->gpu_bytes[a] = bench->on_gpu[a] ? bytes : 0;
      if (!bench->on_gpu[a]) return stencil_well("arrays", "no memory on the GPU");
    }
    job->array[a] = bench->host[a];
  }
  return true;
}

const char *stencil_move(const stencil_bench *bench, const stencil_job *job, int array, bool to_gpu)
{
  void *const there = bench->on_gpu[array], *const here = job->array[array];
  if (!bench->gpu) return NULL;
  return stencil_gpu_move(to_gpu ? there : here, to_gpu ? here : there, stencil_size(job));
}

stencil_job stencil_on_gpu(const stencil_bench *bench, const stencil_job *job)
{
  stencil_job there = *job;
  for (int a = 0; a < STENCIL_ARRAYS; a++)
    there.array[a] = job->array[a] ? bench->on_gpu[a] : NULL;
  return there;
}

/* In [-1, 1), different for every entry of every array. */
static double random_at(ptrdiff_t at, int array)
{
  uint64_t h = ((uint64_t)at + 1) * 0x9e3779b97f4a7c15u + (uint64_t)array * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27) * 0x94d049bb133111ebu;
  h ^= h >> 31;
  return 2 * (double)(h >> 11) * 0x1p-53 - 1;
}

/* The wave's speed enters as v^2 dt^2, small enough for stability. */
double stencil_random(ptrdiff_t at, int array)
{
  const double x = random_at(at, array);
  return array == STENCIL_SPEED ? 0.05 * (x + 1) : x;
}

static void fill(const stencil_job *job, int array)
{
  const ptrdiff_t entries = job->g.entries;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t at = 0; at < entries; at++)
    stencil_set(job, job->array[array], at, stencil_random(at, array));
}

bool stencil_room(stencil_bench *bench, int which, const stencil_job *job)
{
  const size_t points = (size_t)stencil_points(job);
  if (bench->reference_points[which] >= points) return true;
  free(bench->reference[which]);
  bench->reference[which] = malloc(points * sizeof *bench->reference[which]);
  bench->reference_points[which] = bench->reference[which] ? points : 0;
  return bench->reference[which] || stencil_well("reference", "no memory");
}

bool stencil_fill(stencil_bench *bench, const stencil_job *job)
{
  bool ok = true;
  for (int a = 0; a < STENCIL_OUT && ok; a++) {
    if (!job->array[a]) continue;
    fill(job, a);
    ok = stencil_well("copy to the GPU", stencil_move(bench, job, a, true));
  }
  return ok;
}

bool stencil_prepare(stencil_bench *bench, stencil_job *job)
{
  if (!stencil_arrays(bench, job) || !stencil_room(bench, 0, job) || !stencil_fill(bench, job))
    return false;
  stencil_reference(job, bench->reference[0]);
  return true;
}

/* ---- running ---- */

bool stencil_run(stencil_bench *bench, const stencil_kernel *kernel, const stencil_job *job,
                 stencil_launch *launch)
{
  const stencil_job there = bench->gpu ? stencil_on_gpu(bench, job) : *job;
  const char *why = kernel->run(&there, launch);
  if (!why && bench->gpu) why = stencil_gpu_wait(NULL);
  return stencil_well(kernel->name, why);
}

bool stencil_fetch(stencil_bench *bench, const stencil_job *job)
{
  return stencil_well("copy from the GPU", stencil_move(bench, job, STENCIL_OUT, false));
}

bool stencil_shape(const stencil_options *o, const stencil_kernel *kernel, stencil_job *job,
                   char why[STENCIL_NAME])
{
  const bool tiled = kernel->tile[0] > 0;
  for (int axis = 0; axis < 2; axis++)
    job->tile[axis] = tiled && o->tile[axis] ? o->tile[axis] : kernel->tile[axis];
  job->slab = kernel->slab && o->slab ? o->slab : kernel->slab > 0 ? kernel->slab : 0;
  const int threads = job->tile[0] * job->tile[1];
  const char *refused = kernel->refuses ? kernel->refuses(job) : NULL;
  if (threads > kernel->most)
    snprintf(why, STENCIL_NAME, "--tile %dx%d is %d threads, %d are the most", job->tile[0],
             job->tile[1], threads, kernel->most);
  else
    snprintf(why, STENCIL_NAME, "%s", refused ? refused : "");
  return !*why;
}

stencil_kernels stencil_kernels_of(char which, bool gpu)
{
  return gpu ? stencils_of_gpu[which - 'a'] : stencils_of_cpu[which - 'a'];
}

/* The last kernel of case a whose name --kernel allows and that accepts the job, which gets its tile and slab. */
static const stencil_kernel *last_kernel(const stencil_bench *bench, stencil_job *job)
{
  const stencil_options *const o = bench->options;
  const stencil_kernels all = stencil_kernels_of('a', bench->gpu);
  const stencil_kernel *found = NULL;
  for (int k = 0; k < all.count; k++) {
    char why[STENCIL_NAME] = "";
    stencil_job with = *job;
    if (o->kernel && !strstr(all.kernel[k].name, o->kernel)) continue;
    if (!stencil_shape(o, &all.kernel[k], &with, why)) continue;
    found = all.kernel + k;
    *job = with;
  }
  return found;
}

const stencil_kernel *stencil_wave_job(stencil_bench *bench, const int side[3], stencil_job *job)
{
  const stencil_options *const o = bench->options;
  int n[3], radius = 4;
  for (int axis = 0; axis < 3; axis++)
    n[axis] = o->n[0] ? o->n[axis] : side[axis];
  for (int r = 1; r <= STENCIL_RADIUS; r++)
    if (o->radius[r]) radius = r;
  *job = stencil_job_of('a', n, radius, 0, o->precision[1], true, true);
  const stencil_kernel *const last = last_kernel(bench, job);
  if (!last) stencil_well("--kernel", "no kernel of case a has this name");
  return last && stencil_arrays(bench, job) ? last : NULL;
}

typedef struct timed {
  const stencil_kernel *kernel;
  stencil_job job;
  stencil_launch launch;
} timed;

static const char *call(void *data)
{
  timed *t = data;
  return t->kernel->run(&t->job, &t->launch);
}

static double seconds_of(timed *t, int calls)
{
  const double start = fv_clock();
  for (int c = 0; c < calls; c++)
    call(t);
  return fv_clock() - start;
}

/* At least `repeat` calls, and enough for the clock's resolution. */
static bool time_on_host(timed *t, int repeat, double *ms)
{
  times all = {0};
  int calls = 1;
  bool ok = true;
  while (seconds_of(t, calls) < 2e-3)
    calls *= 2;
  calls *= 2;
  while (ok && all.count < repeat)
    ok = times_add(&all, seconds_of(t, calls), calls);
  *ms = 1e3 * times_median(&all);
  times_free(&all);
  return ok;
}

bool stencil_time(stencil_bench *bench, const stencil_kernel *kernel, const stencil_job *job,
                  int repeat, double *ms)
{
  timed t = {kernel, bench->gpu ? stencil_on_gpu(bench, job) : *job, {.registers = 1}};
  if (!bench->gpu) return time_on_host(&t, repeat, ms) || stencil_well(kernel->name, "no memory");
  return stencil_well(kernel->name, stencil_gpu_time(call, &t, repeat, ms));
}

/* ---- a row ---- */

static void describe(const stencil_bench *bench, const stencil_job *job,
                     const stencil_kernel *kernel, const stencil_launch *launch, stencil_row *row)
{
  stencil_job ran = *job;
  if (launch->slab) ran.slab = launch->slab;
  *row = (stencil_row){.which = job->which,
                       .gpu = bench->gpu,
                       .wide = job->wide,
                       .wave = job->wave,
                       .order = 2 * job->radius,
                       .ranks = 1,
                       .slab = ran.slab,
                       .registers = launch->registers,
                       .redundancy = kernel->redundancy(&ran)};
  memcpy(row->n, job->g.n, sizeof row->n);
}

bool stencil_measure(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                     const char *name, stencil_row *row)
{
  stencil_launch launch = {0};
  if (!bench->gpu)
    stencil_poison(job, job->array[STENCIL_OUT]);
  else if (!stencil_well("poison",
                         stencil_gpu_poison(bench->on_gpu[STENCIL_OUT], stencil_size(job))))
    return false;
  if (!stencil_run(bench, kernel, job, &launch) || !stencil_fetch(bench, job)) return false;
  describe(bench, job, kernel, &launch, row);
  snprintf(row->kernel, sizeof row->kernel, "%s", name);
  const stencil_errors e =
      stencil_compare(job, job->array[STENCIL_OUT], bench->reference[0], stencil_scale(job));
  if (!stencil_time(bench, kernel, job, bench->options->repeat, &row->ms)) return false;
  const double points = (double)stencil_points(job), seconds = 1e-3 * row->ms;
  row->wrong = e.wrong, row->largest = e.largest, row->mean = e.mean;
  row->gpoints = 1e-9 * points / seconds;
  row->gbytes = 1e-9 * points * stencil_streams(job) * (double)stencil_bytes(job) / seconds;
  row->percent = 1e11 * row->gbytes / bench->rate;
  bench->wrong += e.wrong;
  return true;
}

/* ---- what rows are measured against ---- */

static double triad(double *a, double *b, double *c, size_t n)
{
  double best = INFINITY;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++)
    a[i] = 0, b[i] = 1, c[i] = 2;
  for (int r = 0; r < 5; r++) {
    const double start = fv_clock();
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; i++)
      a[i] = b[i] + 3.0 * c[i];
    const double seconds = fv_clock() - start;
    if (seconds < best) best = seconds;
  }
  return 24. * (double)n / best;
}

static bool find_triad(stencil_bench *bench, size_t bytes)
{
  const size_t n = bytes / sizeof(double);
  double *const three = aligned_alloc(STENCIL_LINE, 3 * n * sizeof *three);
  if (!three) return stencil_well("triad", "no memory");
  bench->rate = triad(three, three + n, three + 2 * n, n);
  free(three);
  return true;
}

/* Arrays several times the size of the caches, unless the job's own are tiny, as in a test. */
bool stencil_find_rate(stencil_bench *bench, const stencil_job *job)
{
  enum { TINY = 1 << 20, LARGE = 1 << 28 };
  const size_t own = stencil_size(job);
  const size_t bytes = own < TINY ? TINY : own < LARGE ? LARGE : own / TINY * TINY;
  if (!bench->gpu) return find_triad(bench, bytes);
  void *from = bench->on_gpu[STENCIL_X], *to = bench->on_gpu[STENCIL_OUT], *ours[2] = {NULL, NULL};
  if (own < bytes) {
    from = ours[0] = stencil_gpu_allocate(bytes, false);
    to = ours[1] = stencil_gpu_allocate(bytes, false);
  }
  const char *why =
      from && to ? stencil_gpu_copy_rate(to, from, bytes, &bench->rate) : "no memory on the GPU";
  stencil_gpu_free(ours[0], false);
  stencil_gpu_free(ours[1], false);
  return stencil_well("copy", why);
}

void stencil_close(stencil_bench *bench)
{
  for (int a = 0; a < STENCIL_ARRAYS; a++) {
    free_host(bench, bench->host[a]);
    stencil_gpu_free(bench->on_gpu[a], false);
  }
  for (int r = 0; r < 2; r++)
    free(bench->reference[r]);
}
