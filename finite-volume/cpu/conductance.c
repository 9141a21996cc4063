/* Set-up of the robust path on the host: couplings, weights of the transfers, coarse conductances.
 * One cell at a time. */
#include <math.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* Runs `body` for every cell (i, j, k) of box g; `at` is its place. */
#define FOR_CELLS(level, nx, ny, nz)                                                               \
  _Pragma("omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))") for (         \
      int k = 0; k < (nz); k++) for (int j = 0; j < (ny); j++) for (int i = 0; i < (nx); i++)

/* Conductance of the low (side 0) or high (1) face of a cell along an axis. */
static double face(const hymgi_level *level, const hymgi_geom *g, int axis, int side,
                   const int ijk[3])
{
  int at[3] = {ijk[0], ijk[1], ijk[2]};
  at[axis] += side;
  return level->c.beta[axis][hymgi_at(g, at[0], at[1], at[2])];
}

/* The sum of a cell's two conductances along an axis; inside: without domain boundaries. */
static double coupling(const hymgi_level *level, const hymgi_geom *g, int axis, bool inside,
                       const int ijk[3])
{
  const bool low = inside && ijk[axis] == 0 && g->boundaries >> (2 * axis) & 1;
  const bool high = inside && ijk[axis] == g->n[axis] - 1 && g->boundaries >> (2 * axis + 1) & 1;
  return (low ? 0 : face(level, g, axis, 0, ijk)) + (high ? 0 : face(level, g, axis, 1, ijk));
}

static void shares(const hymgi_level *level, int axis, double *out)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const int ijk[3] = {i, j, k};
      double t[3];
      for (int d = 0; d < 3; d++)
        t[d] = coupling(level, g, d, true, ijk);
      const double sum = (t[0] + t[1]) + t[2];
      out[hymgi_at(g, i, j, k)] = sum > 0 ? t[axis] / sum : 0;
    }
}

static double largest_step(const hymgi_level *level)
{
  double largest = 1;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))                    \
    reduction(max                                                                                  \
              : largest)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++)
          for (int axis = 0; axis < 3; axis++) {
            const int ijk[3] = {i, j, k};
            const bool low = ijk[axis] == 0 && g->boundaries >> (2 * axis) & 1;
            const bool high = ijk[axis] == g->n[axis] - 1 && g->boundaries >> (2 * axis + 1) & 1;
            if (low || high) continue; /* these contain the boundary's factor */
            const double a = face(level, g, axis, 0, ijk), b = face(level, g, axis, 1, ijk);
            const double step = a > b ? a / b : b / a;
            largest = step > largest ? step : largest;
          }
  return largest;
}

static void resistances(const hymgi_level *level, int axis, double *out)
{
  const double *const part = level->axis[axis].part;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const int ijk[3] = {i, j, k}, at = g->low[axis] + ijk[axis];
      out[hymgi_at(g, i, j, k)] =
          hymgi_resistance(part[at], face(level, g, axis, at % 2 ? 0 : 1, ijk));
    }
}

static double largest_coupling(const hymgi_level *level, const double t[3])
{
  double largest = 0;
  for (int axis = 0; axis < 3; axis++)
    if (level->coarsened >> axis & 1 && t[axis] > largest) largest = t[axis];
  return largest;
}

static void weights(const hymgi_level *level, double *const resistance[3])
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const int ijk[3] = {i, j, k};
      double t[3];
      for (int d = 0; d < 3; d++)
        t[d] = coupling(level, g, d, false, ijk);
      const double largest = largest_coupling(level, t);
      for (int axis = 0; axis < 3; axis++) {
        if (!(level->coarsened >> axis & 1)) continue;
        const int odd = (g->low[axis] + ijk[axis]) % 2, outwards = odd ? 1 : -1;
        int next[3] = {i, j, k};
        next[axis] += outwards;
        const bool wall = (next[axis] < 0 && g->boundaries >> (2 * axis) & 1) ||
                          (next[axis] >= g->n[axis] && g->boundaries >> (2 * axis + 1) & 1);
        const double *const r = resistance[axis];
        const double outer = wall ? 0 : r[hymgi_at(g, next[0], next[1], next[2])];
        const double w =
            hymgi_neighbour_weight(r[hymgi_at(g, i, j, k)], face(level, g, axis, odd, ijk), outer);
        level->weight[axis][hymgi_at(g, i, j, k)] = hymgi_damped_weight(w, t[axis], largest);
      }
    }
}

/* First child of a coarse cell (or, along its own axis, fine face of a coarse one), counted in the
 * box, and the number of children. */
static int first_child(bool coarsened, int at)
{
  return coarsened ? 2 * at : at;
}

static int children(const hymgi_geom *g, int axis, bool coarsened, int at)
{
  return coarsened && 2 * at + 1 < g->n[axis] ? 2 : 1;
}

static double sum_faces(const hymgi_level *level, const hymgi_geom *g, int axis, const double *fine,
                        const int coarse[3])
{
  int first[3], count[3];
  for (int d = 0; d < 3; d++) {
    const bool halved = level->coarsened >> d & 1;
    first[d] = first_child(halved, coarse[d]);
    count[d] = d == axis ? 1 : children(g, d, halved, coarse[d]);
  }
  if (first[axis] > g->n[axis]) first[axis] = g->n[axis]; /* the high face of a single child */
  double sum = 0;
  for (int k = 0; k < count[2]; k++)
    for (int j = 0; j < count[1]; j++)
      for (int i = 0; i < count[0]; i++)
        sum += fine[hymgi_at(g, first[0] + i, first[1] + j, first[2] + k)];
  return sum;
}

static void coarse_faces(const hymgi_level *level, int axis, const double *fine,
                         const hymgi_geom *patches, double *coarse)
{
  const double *const closer = level->axis[axis].closer;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = patches + b;
    FOR_CELLS(level, p->n[0] + (axis == 0), p->n[1] + (axis == 1), p->n[2] + (axis == 2))
    {
      const int at[3] = {i, j, k};
      coarse[hymgi_at(p, i, j, k)] =
          closer[p->low[axis] + at[axis]] * sum_faces(level, g, axis, fine, at);
    }
  }
}

static void sum_children(const hymgi_level *level, const double *fine, double *coarse)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = level->patch + b;
    FOR_CELLS(level, p->n[0], p->n[1], p->n[2])
    {
      const int at[3] = {i, j, k};
      int first[3], count[3];
      for (int d = 0; d < 3; d++) {
        const bool halved = level->coarsened >> d & 1;
        first[d] = first_child(halved, at[d]), count[d] = children(g, d, halved, at[d]);
      }
      double sum = 0;
      for (int kk = 0; kk < count[2]; kk++)
        for (int jj = 0; jj < count[1]; jj++)
          for (int ii = 0; ii < count[0]; ii++)
            sum += fine[hymgi_at(g, first[0] + ii, first[1] + jj, first[2] + kk)];
      coarse[hymgi_at(p, i, j, k)] = sum;
    }
  }
}

/* Of the faces 0 ... n of the box; on a periodic axis the cells before the first one are the last. */
static void scale_faces(const hymgi_level *level, int axis, double *beta)
{
  const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = level->n[axis];
  const double *const w = level->axis[axis].width;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    FOR_CELLS(level, g->n[0] + (axis == 0), g->n[1] + (axis == 1), g->n[2] + (axis == 2))
    {
      const int at[3] = {g->low[0] + i, g->low[1] + j, g->low[2] + k}, m = at[axis];
      const bool periodic = level->periodic >> axis & 1;
      const double below = m > 0 ? w[m - 1] : w[periodic ? n - 1 : 0];
      const double above = m < n ? w[m] : w[periodic ? 0 : n - 1];
      beta[hymgi_at(g, i, j, k)] *=
          level->axis[a].width[at[a]] * level->axis[b].width[at[b]] / (0.5 * (below + above));
    }
}

static void scale_volumes(const hymgi_level *level, bool divide, double *x)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    FOR_CELLS(level, g->n[0], g->n[1], g->n[2])
    {
      const double volume = level->axis[0].width[g->low[0] + i] *
                            level->axis[1].width[g->low[1] + j] *
                            level->axis[2].width[g->low[2] + k];
      double *const v = x + hymgi_at(g, i, j, k);
      *v = divide ? *v / volume : *v * volume;
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
                                           .interpolate_weighted = hymgi_cpu_interpolate_weighted};
