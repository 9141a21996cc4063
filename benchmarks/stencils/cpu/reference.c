/* The reference for every kernel: plain loops in double, point by point, and the comparison. */
#include "stencils/cpu/stencil.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double entry(const stencil_job *job, stencil_array array, ptrdiff_t at)
{
  return stencil_get(job, job->array[array], at);
}

/* Offset from one point of a line to the one at distance d, in a periodic box or with ghosts. */
static ptrdiff_t away(const stencil_job *job, int axis, int index, int d)
{
  const ptrdiff_t stride = axis == 0 ? 1 : axis == 1 ? job->g.pitch : job->g.plane;
  const int n = job->g.n[axis];
  return (job->which == 'c' ? ((index + d) % n + n) % n - index : d) * stride;
}

static double of_point(const stencil_job *job, const int index[3], ptrdiff_t at)
{
  const int from = job->which == 'a' || job->which == 'b' ? 0 : job->axis;
  const int to = job->which == 'a' ? 2 : job->which == 'b' ? 1 : job->axis;
  const double x = entry(job, STENCIL_X, at);
  double sum = job->which == 'c' ? 0 : job->c[0] * x;
  for (int r = 1; r <= job->radius; r++)
    for (int axis = from; axis <= to; axis++) {
      const double low = entry(job, STENCIL_X, at + away(job, axis, index[axis], -r));
      const double high = entry(job, STENCIL_X, at + away(job, axis, index[axis], r));
      sum += job->c[r] * (job->which == 'c' ? high - low : low + high);
    }
  if (!job->wave) return sum;
  return 2 * x - entry(job, STENCIL_PREV, at) + entry(job, STENCIL_SPEED, at) * sum;
}

void stencil_reference(const stencil_job *job, double *to)
{
  const stencil_grid *const g = &job->g;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int index[3] = {i, j, k};
        to[i + (ptrdiff_t)g->n[0] * (j + (ptrdiff_t)g->n[1] * k)] =
            of_point(job, index, g->origin + i + j * g->pitch + k * g->plane);
      }
}

void stencil_reference_into(const stencil_job *job, double *compact, double *array)
{
  const stencil_grid *const g = &job->g;
  stencil_reference(job, compact);
  for (int row = 0; row < g->n[1] * g->n[2]; row++)
    memcpy(array + g->origin + row % g->n[1] * g->pitch + row / g->n[1] * g->plane,
           compact + (ptrdiff_t)g->n[0] * row, (size_t)g->n[0] * sizeof *array);
}

void stencil_poison(const stencil_job *job, void *array)
{
  const ptrdiff_t entries = job->g.entries;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t at = 0; at < entries; at++)
    stencil_set(job, array, at, NAN);
}

/* All entries of a row besides its points must still be poisoned. */
static int64_t written_beside(const stencil_job *job, const void *out, ptrdiff_t from, ptrdiff_t to)
{
  int64_t wrong = 0;
  for (ptrdiff_t at = from; at < to; at++)
    wrong += !isnan(stencil_get(job, out, at));
  return wrong;
}

stencil_errors stencil_compare(const stencil_job *job, const void *out, const double *reference,
                               double scale)
{
  const stencil_grid *const g = &job->g;
  const double tolerance = 8 * scale * (job->wide ? DBL_EPSILON : FLT_EPSILON);
  const int rows = g->n[1] * g->n[2];
  int64_t wrong = 0;
  double largest = 0, squares = 0;
#pragma omp parallel for reduction(+ : wrong, squares) reduction(max : largest) schedule(static)
  for (int row = 0; row < rows; row++) {
    const int j = row % g->n[1], k = row / g->n[1];
    const ptrdiff_t at = g->origin + j * g->pitch + k * g->plane;
    const double *const expected = reference + (ptrdiff_t)g->n[0] * row;
    for (int i = 0; i < g->n[0]; i++) {
      const double value = stencil_get(job, out, at + i);
      const double error = isnan(value) ? INFINITY : fabs(value - expected[i]);
      wrong += !(error <= tolerance);
      if (error > largest) largest = error;
      squares += error * error;
    }
    const ptrdiff_t next = j + 1 < g->n[1]   ? at + g->pitch
                           : k + 1 < g->n[2] ? g->origin + (k + 1) * g->plane
                                             : g->entries;
    wrong += written_beside(job, out, at + g->n[0], next);
  }
  wrong += written_beside(job, out, 0, g->origin);
  const double mean = sqrt(squares / ((double)rows * g->n[0]));
  return (stencil_errors){wrong, largest, mean};
}
