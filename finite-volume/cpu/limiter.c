/* FV4's limiter on the host: which faces it takes. */
#include <math.h>

#include "cpu/robust.h"
#include "cpu/setup.h"
#include "formulas/limiter.h"

void hymgi_cpu_mark_jumps(const hymgi_level *level, int axis, double limit, const double *faces,
                          double *beta)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      const int at[3] = {i, j, k};
      if (hymgi_is_at_jump(g, axis, at, limit, faces)) beta[hymgi_at(g, i, j, k)] *= -1;
    }
  }
}

void hymgi_cpu_find_closed(const hymgi_level *level, double *closed)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      closed[hymgi_at(g, i, j, k)] = !hymgi_is_open(g, level->c.beta, i, j, k);
    }
  }
}

void hymgi_cpu_mark_near_closed(const hymgi_level *level, int axis, const double *closed,
                                double *beta)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      const int at[3] = {i, j, k};
      double *const own = beta + hymgi_at(g, i, j, k);
      if (hymgi_is_near_closed(g, axis, at, closed)) *own = -fabs(*own);
    }
  }
}

void hymgi_cpu_spread_marks(const hymgi_level *level, int axis, const double *faces, double *beta)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      const int at[3] = {i, j, k};
      double *const own = beta + hymgi_at(g, i, j, k);
      if (hymgi_is_near_mark(g, axis, at, faces)) *own = -fabs(*own);
    }
  }
}
