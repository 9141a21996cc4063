/* Set-up of the robust path on the host: couplings, weights of the transfers, coarse conductances.
 * One cell at a time. */
#include <math.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* For every cell (i, j, k) of nx x ny x nz; needs braces around it, as it begins with a pragma. */
#define FOR_CELLS(level, nx, ny, nz)                                                               \
  _Pragma("omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))") for (         \
      int k = 0; k < (nz); k++) for (int j = 0; j < (ny); j++) for (int i = 0; i < (nx); i++)

static void shares(const hymgi_level *level, int axis, double *out)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      out[hymgi_at(g, i, j, k)] = hymgi_share(&c, g, axis, i, j, k);
    }
  }
}

static double largest_step(const hymgi_level *level)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  double largest = 1;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))                    \
    reduction(max                                                                                  \
              : largest)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++)
          for (int axis = 0; axis < 3; axis++) {
            const double step = hymgi_step(&c, g, axis, i, j, k);
            largest = step > largest ? step : largest;
          }
  }
  return largest;
}

static void resistances(const hymgi_level *level, int axis, double *out)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  const double *const part = level->axis[axis].part;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      out[hymgi_at(g, i, j, k)] = hymgi_cell_resistance(&c, g, axis, part, i, j, k);
    }
  }
}

static void weights(const hymgi_level *level, double *const resistance[3])
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      for (int axis = 0; axis < 3; axis++)
        if (level->coarsened >> axis & 1)
          level->weight[axis][hymgi_at(g, i, j, k)] =
              hymgi_cell_weight(&c, g, axis, resistance[axis], i, j, k);
    }
  }
}

static void coarse_faces(const hymgi_level *level, int axis, const double *fine,
                         const hymgi_geom *patches, double *coarse)
{
  const double *const closer = level->axis[axis].closer;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = patches + b;
    FOR_CELLS(level, p->n[0] + (axis == 0), p->n[1] + (axis == 1), p->n[2] + (axis == 2))
    {
      coarse[hymgi_at(p, i, j, k)] =
          closer[p->low[axis] + hymgi_index_along(axis, i, j, k)] *
          hymgi_sum_of_children(level->coarsened, g, axis, fine, i, j, k);
    }
  }
}

static void sum_children(const hymgi_level *level, const double *fine, double *coarse)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = level->patch + b;
    FOR_CELLS(level, p->n[0], p->n[1], p->n[2])
    {
      coarse[hymgi_at(p, i, j, k)] = hymgi_sum_of_children(level->coarsened, g, -1, fine, i, j, k);
    }
  }
}

/* Of the faces 0 ... n of the box. */
static void scale_faces(const hymgi_level *level, int axis, double *beta)
{
  const hymgi_widths w = hymgi_widths_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      beta[hymgi_at(g, i, j, k)] *= hymgi_face_scale(&w, g, axis, i, j, k);
    }
  }
}

static void scale_volumes(const hymgi_level *level, bool divide, double *x)
{
  const hymgi_widths w = hymgi_widths_of(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const double volume = hymgi_volume(&w, g, i, j, k);
      double *const v = x + hymgi_at(g, i, j, k);
      *v = divide ? *v / volume : *v * volume;
    }
  }
}

const hymgi_robust_ops hymgi_cpu_robust = {.shares = shares,
                                           .largest_step = largest_step,
                                           .resistances = resistances,
                                           .weights = weights,
                                           .coarse_faces = coarse_faces,
                                           .sum_children = sum_children,
                                           .scale_faces = scale_faces,
                                           .scale_volumes = scale_volumes,
                                           .restrict_weighted = hymgi_cpu_restrict_weighted,
                                           .interpolate_weighted = hymgi_cpu_interpolate_weighted,
                                           .residual_red = hymgi_cpu_residual_red,
                                           .smooth_restrict = hymgi_cpu_robust_smooth_restrict,
                                           .interpolate_smooth =
                                               hymgi_cpu_robust_interpolate_smooth};
