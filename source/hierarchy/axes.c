/* The axes of levels whose cells differ: on grids with widths, on curved ones, and where the last cell of an
 * odd number has no sibling. */
#include <stdlib.h>

#include "hierarchy/build.h"
#include "problem/coordinates.h"

/* A list of zeros, to be filled and shared. */
static hymg_status create(const hymgi_level *level, int doubles, double **list)
{
  *list = calloc((size_t)doubles + 1, sizeof **list);
  if (*list) return HYMG_OK;
  return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for the %d numbers of an axis",
                    doubles);
}

/* Takes the list. */
static hymg_status share(hymgi_level *level, double *list, int doubles, double **shared)
{
  void *block = list;
  const hymg_status status =
      level->keeper->share(level->context, &block, ((size_t)doubles + 1) * sizeof *list);
  *shared = block;
  return status;
}

/* The measures of an axis for equations that are divided by the mean volume and, as their betas by the axis' mean
 * width, by h; so areas are over that of a mean cell's face, where curved axes have one of the mean volume over h. */
static void normalise(const hymg_grid_desc *d, int axis, double h, double *lists)
{
  const int n = d->n[axis];
  double mean = 0;
  for (int i = 0; i < n; i++)
    mean += lists[i] / n;
  if (!hymgi_is_curved(d)) mean = h;
  for (int i = 0; i < HYMGI_PITCH * (n + 1); i++)
    lists[i] /= mean; /* volumes and areas */
  for (int m = 0; m <= n; m++) {
    lists[HYMGI_FACE * (n + 1) + m] *= h / mean;
  }
}

static hymg_status make_metric(hymgi_level *level, const hymg_grid_desc *d, int axis)
{
  const int size = HYMGI_MEASURES * (d->n[axis] + 1);
  double *lists;
  TRY(create(level, size, &lists));
  hymgi_measure(d, axis, level->h[axis], lists);
  normalise(d, axis, level->h[axis], lists);
  return share(level, lists, size, &level->axis[axis].metric);
}

/* Widths over their mean. */
hymg_status hymgi_axes_first(hymgi_level *level, const hymg_grid_desc *d)
{
  for (int axis = 0; level->method->stretched && axis < 3; axis++)
    TRY(make_metric(level, d, axis));
  for (int axis = 0; axis < 3; axis++) {
    double *w;
    TRY(create(level, d->n[axis], &w));
    for (int i = 0; i < d->n[axis]; i++)
      w[i] = d->widths[axis] ? d->widths[axis][i] / level->h[axis] : 1;
    TRY(share(level, w, d->n[axis], &level->axis[axis].width));
  }
  return HYMG_OK;
}

/* The distance between the centres on both sides of face m (0 ... n); half the cell's width at the
 * end of an axis that is not periodic. */
static double distance(const double *w, int n, bool periodic, int m)
{
  if (periodic) return 0.5 * (w[(m + n - 1) % n] + w[m % n]);
  if (m == 0) return 0.5 * w[0];
  return m == n ? 0.5 * w[n - 1] : 0.5 * (w[m - 1] + w[m]);
}

/* The weights of a parent's low neighbour, the parent and its high neighbour for a value at x, from
 * the parent's centre; low, high: the distances of the neighbours, 0 where there is none. The parabola
 * through the three, the line through two. */
static void parabola(double x, double low, double high, double weight[3])
{
  weight[0] = low == 0 ? 0 : high == 0 ? -x / low : x * (x - high) / (low * (low + high));
  weight[2] = high == 0 ? 0 : low == 0 ? x / high : x * (x + low) / (high * (low + high));
  weight[1] = (1 - weight[0]) - weight[2];
}

static hymg_status make_widths(hymgi_level *fine, hymgi_level *coarse, int axis)
{
  const bool halved = fine->coarsened >> axis & 1;
  double *wide;
  TRY(create(fine, coarse->n[axis], &wide));
  for (int i = 0; i < fine->n[axis]; i++)
    wide[halved ? i / 2 : i] += fine->axis[axis].width[i];
  return share(fine, wide, coarse->n[axis], &coarse->axis[axis].width);
}

static hymg_status make_closer(hymgi_level *fine, const hymgi_level *coarse, int axis)
{
  const int n = fine->n[axis], nc = coarse->n[axis];
  const bool halved = fine->coarsened >> axis & 1, periodic = fine->periodic >> axis & 1;
  const double *const w = fine->axis[axis].width, *const wide = coarse->axis[axis].width;
  const double unit = fine->transfer->inherits ? 1 : 0.5;
  double *closer;
  TRY(create(fine, nc + 1, &closer));
  for (int m = 0; m <= nc; m++) {
    const int face = 2 * m < n ? 2 * m : n;
    closer[m] =
        halved ? unit * (distance(w, n, periodic, face) / distance(wide, nc, periodic, m)) : 1;
  }
  return share(fine, closer, nc + 1, &fine->axis[axis].closer);
}

static hymg_status make_parts(hymgi_level *fine, int axis)
{
  const int n = fine->n[axis];
  const bool halved = fine->coarsened >> axis & 1;
  const double *const w = fine->axis[axis].width;
  double *part;
  TRY(create(fine, n, &part));
  for (int i = 0; i < n; i++) {
    const int sibling = i ^ 1;
    part[i] = halved && sibling < n ? w[sibling] / (w[i] + w[sibling]) : 0;
  }
  return share(fine, part, n, &fine->axis[axis].part);
}

/* All axes are halved where a side is odd. */
static hymg_status make_parabolas(hymgi_level *fine, const hymgi_level *coarse, int axis)
{
  const int n = fine->n[axis], nc = coarse->n[axis];
  const bool periodic = fine->periodic >> axis & 1;
  const double *const w = fine->axis[axis].width, *const wide = coarse->axis[axis].width;
  double *weights;
  TRY(create(fine, 3 * n, &weights));
  for (int i = 0; i < n; i++) {
    const int I = i / 2, sibling = i ^ 1;
    const double to_sibling = sibling < n ? 0.5 * w[sibling] : 0;
    const double low = I > 0 || periodic ? distance(wide, nc, periodic, I) : 0;
    const double high = I < nc - 1 || periodic ? distance(wide, nc, periodic, I + 1) : 0;
    parabola(i % 2 ? to_sibling : -to_sibling, nc > 1 ? low : 0, nc > 1 ? high : 0,
             weights + 3 * i);
  }
  return share(fine, weights, 3 * n, &fine->axis[axis].parabolas);
}

hymg_status hymgi_axes_next(hymgi_level *fine, hymgi_level *coarse)
{
  for (int axis = 0; axis < 3; axis++) {
    TRY(make_widths(fine, coarse, axis));
    TRY(make_closer(fine, coarse, axis));
    if (fine->transfer->inherits) TRY(make_parts(fine, axis));
    if (fine->uneven) TRY(make_parabolas(fine, coarse, axis));
  }
  return HYMG_OK;
}

void hymgi_axes_destroy(hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++) {
    hymgi_axis *a = level->axis + axis;
    double **const list[5] = {&a->width, &a->metric, &a->part, &a->closer, &a->parabolas};
    for (int m = 0; m < 5; m++)
      if (*list[m]) level->keeper->unshare(*list[m]);
  }
}
