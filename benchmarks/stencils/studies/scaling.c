/* The result of several ranks compared with the plain loops on one rank. */
#include "stencils/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounded to float if the box is in float. from: plane of the whole domain that is plane 0 here. */
static void fill(const stencil_job *job, void *array, int which, int from, bool wide)
{
  const stencil_grid *const g = &job->g;
  memset(array, 0, stencil_size(job));
#pragma omp parallel for schedule(static)
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const ptrdiff_t place = i + (ptrdiff_t)g->n[0] * (j + (ptrdiff_t)g->n[1] * (from + k));
        const double value = stencil_random(place, which);
        stencil_set(job, array, g->origin + i + j * g->pitch + k * g->plane,
                    wide ? value : (float)value);
      }
}

void scaling_fill(const scaling_box *box, int array)
{
  fill(&box->job, box->job.array[array], array, box->rank * box->job.g.n[2], box->job.wide);
}

/* Planes of the plain loops' box: all that influence this rank's within the steps. */
typedef struct reach {
  int from, to, above; /* planes of the whole domain; how many lie below the rank's own */
} reach;

static reach reach_of(const scaling_box *box, int steps)
{
  const int n = box->job.g.n[2], own = box->rank * n, far = steps * box->job.radius;
  reach r = {own - far, own + n + far, 0};
  if (r.from < 0) r.from = 0;
  if (r.to > box->ranks * n) r.to = box->ranks * n;
  r.above = own - r.from;
  return r;
}

/* Time steps in double; the last is left in compact. */
static void plain_steps(stencil_job *job, int steps, double *compact)
{
  for (int s = 0; s < steps; s++) {
    stencil_reference_into(job, compact, job->array[STENCIL_PREV]);
    void *const next = job->array[STENCIL_PREV];
    job->array[STENCIL_PREV] = job->array[STENCIL_X];
    job->array[STENCIL_X] = next;
  }
}

int64_t scaling_wrong(const scaling_box *box, int steps, const void *result)
{
  const stencil_job *const own = &box->job;
  const reach r = reach_of(box, steps);
  const int n[3] = {own->g.n[0], own->g.n[1], r.to - r.from};
  stencil_job job = *own;
  job.wide = true;
  job.g = stencil_grid_make(n, own->g.ghost, sizeof(double), true);
  const size_t points = (size_t)stencil_points(&job);
  double *const compact = malloc(points * sizeof *compact);
  bool there = compact;
  for (int a = 0; a < STENCIL_OUT; a++) {
    job.array[a] = malloc(stencil_size(&job));
    there = there && job.array[a];
    if (job.array[a]) fill(&job, job.array[a], a, r.from, own->wide);
  }
  int64_t wrong = -1;
  if (there) {
    plain_steps(&job, steps, compact);
    wrong = 0;
    const ptrdiff_t plane = (ptrdiff_t)n[0] * n[1];
    const double tolerance = 8 * steps * stencil_scale(own) * (own->wide ? 0x1p-52 : 0x1p-23);
    for (int k = 0; k < own->g.n[2]; k++)
      for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
          const ptrdiff_t at = own->g.origin + i + j * own->g.pitch + k * own->g.plane;
          const double value = stencil_get(own, result, at);
          const double expected = compact[i + (ptrdiff_t)n[0] * j + plane * (k + r.above)];
          wrong += !(fabs(value - expected) <= tolerance);
        }
  }
  for (int a = 0; a < STENCIL_OUT; a++)
    free(job.array[a]);
  free(compact);
  return wrong;
}
