/* A wave from a point source in two layers, to look at a wave front and a seismogram: the slice in
 * the middle of y after the last step, and the values at a row of receivers near the top. */
#include "stencils/bench.h"
#include "stencils/studies/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, RECEIVER_DEPTH = 4, PERIOD = 40 };

typedef struct simulation {
  stencil_bench *bench;
  const stencil_kernel *kernel;
  stencil_job job; /* of the host's arrays */
  int x, prev;     /* the arrays that currently hold these */
  int steps;
  double *gather; /* a row of receivers per step */
} simulation;

static ptrdiff_t entry_at(const stencil_grid *g, int i, int j, int k)
{
  return g->origin + i + j * g->pitch + k * g->plane;
}

/* Courant numbers of the two layers, both stable at every order. */
static void fill_speed(const stencil_job *job)
{
  const double upper = 0.22, lower = 0.33;
  const stencil_grid *const g = &job->g;
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const double v = k < 2 * g->n[2] / 3 ? upper : lower;
        stencil_set(job, job->array[STENCIL_SPEED], entry_at(g, i, j, k), v * v);
      }
}

/* Copies entries of the array that currently is `role` to or from the host. */
static const char *exchange(const simulation *s, int array, ptrdiff_t at, ptrdiff_t count,
                            bool to_gpu)
{
  const size_t each = stencil_bytes(&s->job), bytes = (size_t)count * each;
  char *const here = (char *)s->job.array[array] + (size_t)at * each;
  char *const there = (char *)s->bench->on_gpu[array] + (size_t)at * each;
  if (!s->bench->gpu) return NULL;
  return to_gpu ? stencil_gpu_move(there, here, bytes) : stencil_gpu_move(here, there, bytes);
}

/* Ricker's wavelet, added at a point in the upper half. */
static const char *add_source(const simulation *s, int step)
{
  const stencil_grid *const g = &s->job.g;
  const ptrdiff_t at = entry_at(g, g->n[0] / 2, g->n[1] / 2, g->n[2] / 3);
  const double t = acos(-1) * (step - PERIOD) / PERIOD;
  const char *why = exchange(s, s->x, at, 1, false);
  if (why) return why;
  void *const x = s->job.array[s->x];
  stencil_set(&s->job, x, at, stencil_get(&s->job, x, at) + (1 - 2 * t * t) * exp(-t * t));
  return exchange(s, s->x, at, 1, true);
}

static const char *record(simulation *s, int step)
{
  const stencil_grid *const g = &s->job.g;
  const int depth = RECEIVER_DEPTH < g->n[2] ? RECEIVER_DEPTH : g->n[2] - 1;
  const ptrdiff_t at = entry_at(g, 0, g->n[1] / 2, depth);
  const char *why = exchange(s, s->x, at, g->n[0], false);
  for (int i = 0; i < g->n[0] && !why; i++)
    s->gather[(ptrdiff_t)step * g->n[0] + i] = stencil_get(&s->job, s->job.array[s->x], at + i);
  return why;
}

/* next overwrites prev: every point reads only its own prev. */
static const char *one_step(simulation *s)
{
  stencil_launch launch = {0};
  stencil_job now = s->bench->gpu ? stencil_on_gpu(s->bench, &s->job) : s->job;
  void *const x = now.array[s->x], *const prev = now.array[s->prev];
  now.array[STENCIL_X] = x;
  now.array[STENCIL_PREV] = now.array[STENCIL_OUT] = prev;
  const int next = s->prev;
  s->prev = s->x;
  s->x = next;
  /* cppcheck-suppress returnDanglingLifetime ; the text is a constant */
  return s->kernel->run(&now, &launch);
}

static const char *simulate(simulation *s)
{
  const ptrdiff_t entries = s->job.g.entries;
  const char *why = exchange(s, STENCIL_SPEED, 0, entries, true);
  if (!why) why = exchange(s, STENCIL_X, 0, entries, true);
  if (!why) why = exchange(s, STENCIL_PREV, 0, entries, true);
  for (int step = 0; step < s->steps && !why; step++) {
    char text[64];
    snprintf(text, sizeof text, "step %d of %d", step + 1, s->steps);
    if (step % 50 == 0) stencil_progress(s->bench->options, text);
    if (step < 3 * PERIOD) why = add_source(s, step);
    if (!why) why = one_step(s);
    if (!why && s->gather) why = record(s, step);
  }
  return why ? why : exchange(s, s->x, 0, entries, false);
}

/* ---- files ---- */

/* Most values spread over the grey levels, a few peaks are clipped. */
static double grey_scale(const double *values, size_t count)
{
  double squares = 0;
  for (size_t i = 0; i < count; i++)
    squares += values[i] * values[i];
  return 4 * sqrt(squares / (double)count);
}

static const char *write_slice(const simulation *s, const char *name)
{
  const stencil_grid *const g = &s->job.g;
  const size_t count = (size_t)g->n[0] * (size_t)g->n[2];
  double *const values = malloc(count * sizeof *values);
  if (!values) return "no memory";
  for (int k = 0; k < g->n[2]; k++)
    for (int i = 0; i < g->n[0]; i++)
      values[i + (size_t)g->n[0] * (size_t)k] =
          stencil_get(&s->job, s->job.array[s->x], entry_at(g, i, g->n[1] / 2, k));
  const char *why = image_write(name, g->n[0], g->n[2], values, grey_scale(values, count));
  free(values);
  return why;
}

static const char *write_gather(const simulation *s, const char *name)
{
  const int wide = s->job.g.n[0];
  if (!image_ends_in(name, ".csv"))
    return image_write(name, wide, s->steps, s->gather,
                       grey_scale(s->gather, (size_t)wide * (size_t)s->steps));
  output out;
  const char *why = output_open(&out, name);
  if (why) return why;
  for (int step = 0; step < s->steps; step++)
    for (int i = 0; i < wide; i++)
      fprintf(out.file, "%.6g%c", s->gather[(ptrdiff_t)step * wide + i], i + 1 < wide ? ',' : '\n');
  return output_close(&out, true) ? NULL : "could not be written";
}

/* ---- run ---- */

static bool finish(const simulation *s)
{
  const stencil_options *const o = s->bench->options;
  if (o->snapshot && !stencil_well(o->snapshot, write_slice(s, o->snapshot))) return false;
  if (o->gather && !stencil_well(o->gather, write_gather(s, o->gather))) return false;
  printf("%d steps of %dx%dx%d points by '%s'%s%s%s%s\n", s->steps, s->job.g.n[0], s->job.g.n[1],
         s->job.g.n[2], s->kernel->name, o->snapshot ? "; slice: " : "",
         o->snapshot ? o->snapshot : "", o->gather ? "; gather: " : "", o->gather ? o->gather : "");
  return true;
}

bool stencil_wave(stencil_bench *bench)
{
  const stencil_options *const o = bench->options;
  const int side = bench->gpu ? 512 : 160;
  simulation s = {
      .bench = bench, .x = STENCIL_X, .prev = STENCIL_PREV, .steps = o->steps ? o->steps : STEPS};
  s.kernel = stencil_wave_job(bench, (const int[3]){side, side, side}, &s.job);
  if (!s.kernel) return false;
  for (int a = 0; a < STENCIL_OUT; a++)
    memset(s.job.array[a], 0, stencil_size(&s.job));
  fill_speed(&s.job);
  s.gather = o->gather ? calloc((size_t)s.steps * (size_t)s.job.g.n[0], sizeof *s.gather) : NULL;
  if (o->gather && !s.gather) return stencil_well("gather", "no memory");
  const bool ok = stencil_well(s.kernel->name, simulate(&s)) && finish(&s);
  free(s.gather);
  return ok;
}
