/* Grids, coefficients, and what a job moves. */
#include "stencils/cpu/stencil.h"

#include <string.h>

static ptrdiff_t rounded(ptrdiff_t x, ptrdiff_t to)
{
  return (x + to - 1) / to * to;
}

/* Kernels with several points per thread read slightly beyond the arrays: rows, and a plane. */
enum { SPARE_ROWS = 16 };

stencil_grid stencil_grid_make(const int n[3], const int ghost[3], size_t bytes, bool aligned)
{
  stencil_grid g;
  memcpy(g.n, n, sizeof g.n);
  memcpy(g.ghost, ghost, sizeof g.ghost);
  const ptrdiff_t line = (ptrdiff_t)(STENCIL_LINE / bytes);
  const ptrdiff_t beside = ghost[0] > 0 && aligned ? rounded(ghost[0], 8) : ghost[0];
  g.pitch = n[0] + 2 * beside;
  if (aligned) g.pitch = rounded(g.pitch, line);
  g.plane = g.pitch * (n[1] + 2 * ghost[1]);
  g.origin = ghost[2] * g.plane + ghost[1] * g.pitch + beside;
  if (aligned) g.origin = rounded(g.origin, line);
  g.entries = g.origin + g.plane * (n[2] + ghost[2] + (n[2] > 1)) + SPARE_ROWS * g.pitch;
  return g;
}

size_t stencil_bytes(const stencil_job *job)
{
  return job->wide ? sizeof(double) : sizeof(float);
}

size_t stencil_size(const stencil_job *job)
{
  return (size_t)job->g.entries * stencil_bytes(job);
}

int64_t stencil_points(const stencil_job *job)
{
  return (int64_t)job->g.n[0] * job->g.n[1] * job->g.n[2];
}

int stencil_streams(const stencil_job *job)
{
  return job->wave ? 4 : 2;
}

/* Second derivative: the centre's weight, then those at distance 1 ... R. */
static const double second[STENCIL_RADIUS][STENCIL_RADIUS + 1] = {
    {-2., 1.},
    {-5. / 2, 4. / 3, -1. / 12},
    {-49. / 18, 3. / 2, -3. / 20, 1. / 90},
    {-205. / 72, 8. / 5, -1. / 5, 8. / 315, -1. / 560},
    {-5269. / 1800, 5. / 3, -5. / 21, 5. / 126, -5. / 1008, 1. / 3150},
    {-5369. / 1800, 12. / 7, -15. / 56, 10. / 189, -1. / 112, 2. / 1925, -1. / 16632}};

/* First derivative of order 8: weights of x(+r) - x(-r). */
static const double first[5] = {0, 4. / 5, -1. / 5, 4. / 105, -1. / 280};

void stencil_coefficients(stencil_job *job, double h)
{
  const int dimensions = job->which == 'a' ? 3 : job->which == 'b' ? 2 : 1;
  for (int r = 0; r <= job->radius; r++)
    job->c[r] = job->which == 'c' ? first[r] / h
                                  : second[job->radius - 1][r] / (h * h) * (r ? 1 : dimensions);
}
