/* Case b's errors: time steps of the heat equation on the unit square, with boundary values from
 * the exact solution exp(-2 pi^2 t) sin(pi x) sin(pi y), compared with the same steps by the plain
 * loops in double. */
#include "stencils/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

/* Relative to the largest stable step: 1/5. */
static const double step_share = 0.05;

static double factor(const stencil_job *job)
{
  const double pi = acos(-1), h = 1. / (job->g.n[0] + 1);
  return exp(-2 * pi * pi * step_share * h * h);
}

/* The exact solution at the start, including ghosts. */
static void start(const stencil_job *job, void *array)
{
  const stencil_grid *const g = &job->g;
  const double pi = acos(-1);
#pragma omp parallel for schedule(static)
  for (int j = -g->ghost[1]; j < g->n[1] + g->ghost[1]; j++)
    for (int i = -g->ghost[0]; i < g->n[0] + g->ghost[0]; i++) {
      const double value = sin(pi * (i + 1) / (g->n[0] + 1)) * sin(pi * (j + 1) / (g->n[1] + 1));
      stencil_set(job, array, g->origin + i + j * g->pitch, value);
    }
}

/* The boundary of the next step: the exact solution decays by the same factor everywhere. */
static void boundary(const stencil_job *job)
{
  const stencil_grid *const g = &job->g;
  const double by = factor(job);
#pragma omp parallel for schedule(static)
  for (int j = -g->ghost[1]; j < g->n[1] + g->ghost[1]; j++)
    for (int i = -g->ghost[0]; i < g->n[0] + g->ghost[0]; i++) {
      if (i == 0 && j >= 0 && j < g->n[1]) i = g->n[0];
      const ptrdiff_t at = g->origin + i + j * g->pitch;
      const double x = stencil_get(job, job->array[STENCIL_X], at);
      stencil_set(job, job->array[STENCIL_OUT], at, job->wide ? x * by : (float)x * (float)by);
    }
}

static void heat_coefficients(stencil_job *job)
{
  stencil_coefficients(job, 1);
  for (int r = 0; r <= job->radius; r++)
    job->c[r] = step_share * job->c[r] + (r == 0);
}

static void swap(stencil_job *job)
{
  void *const out = job->array[STENCIL_OUT];
  job->array[STENCIL_OUT] = job->array[STENCIL_X];
  job->array[STENCIL_X] = out;
}

/* The result of the plain loops in double as a compact array, from the kernels' initial values. */
static bool plain_steps(const stencil_job *job, int steps, double *result)
{
  stencil_job wide = *job;
  wide.wide = true;
  wide.g = stencil_grid_make(job->g.n, job->g.ghost, sizeof(double), true);
  double *const a = calloc(1, stencil_size(&wide)), *const b = calloc(1, stencil_size(&wide));
  wide.array[STENCIL_X] = a, wide.array[STENCIL_OUT] = b;
  if (a && b) start(&wide, a);
  for (int s = 0; s < steps && a && b; s++) {
    boundary(&wide);
    stencil_reference_into(&wide, result, wide.array[STENCIL_OUT]);
    swap(&wide);
  }
  free(a);
  free(b);
  return a && b;
}

/* A hash of bits and positions, independent of the order of rows. */
static uint64_t hash_of(const stencil_job *job, const void *array)
{
  const size_t each = stencil_bytes(job);
  uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int j = 0; j < job->g.n[1]; j++) {
    const char *const row = (const char *)array + (size_t)(job->g.origin + j * job->g.pitch) * each;
    uint64_t hash = 1469598103934665603u + (uint64_t)j;
    for (int i = 0; i < job->g.n[0]; i++) {
      uint64_t bits = 0;
      memcpy(&bits, row + (size_t)i * each, each);
      hash = (hash ^ bits) * 1099511628211u;
    }
    sum += hash;
  }
  return sum;
}

/* Time steps on the kernel's device; copies the result into the host's x. */
static bool steps_of(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                     int steps)
{
  stencil_job there = bench->gpu ? stencil_on_gpu(bench, job) : *job;
  stencil_launch launch = {0};
  const char *why = stencil_move(bench, job, STENCIL_X, true);
  if (!why) why = stencil_move(bench, job, STENCIL_OUT, true);
  for (int s = 0; s < steps && !why; s++) {
    if (bench->gpu)
      why = stencil_gpu_boundary(&there, factor(job));
    else
      boundary(&there);
    if (!why) why = kernel->run(&there, &launch);
    swap(&there);
  }
  if (!bench->gpu)
    *job = there;
  else if (!why)
    why = stencil_gpu_move(job->array[STENCIL_X], there.array[STENCIL_X], stencil_size(job));
  return stencil_well(kernel->name, why);
}

/* Once per grid and order, for all kernels. */
static bool find_reference(stencil_bench *bench, const stencil_job *job, int steps)
{
  const stencil_job *const known = &bench->steps_of;
  if (known->radius == job->radius && memcmp(known->g.n, job->g.n, sizeof job->g.n) == 0)
    return true;
  bench->steps_of.radius = 0;
  if (!stencil_room(bench, 1, job)) return false;
  if (!plain_steps(job, steps, bench->reference[1])) return stencil_well("reference", "no memory");
  bench->steps_of = *job;
  return true;
}

bool stencil_heat(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job,
                  stencil_row *row, uint64_t *hash)
{
  const int steps = bench->options->steps ? bench->options->steps : STEPS;
  stencil_job heat = *job;
  heat_coefficients(&heat);
  start(&heat, heat.array[STENCIL_X]);
  stencil_poison(&heat, heat.array[STENCIL_OUT]);
  if (!steps_of(bench, kernel, &heat, steps) || !find_reference(bench, &heat, steps)) return false;
  const stencil_errors e =
      stencil_compare(&heat, heat.array[STENCIL_X], bench->reference[1], (double)steps);
  row->largest = e.largest, row->mean = e.mean;
  *hash = hash_of(&heat, heat.array[STENCIL_X]);
  return true;
}
