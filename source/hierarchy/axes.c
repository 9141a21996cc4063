/* The axes of levels whose cells differ in width: on grids with widths, and where the last cell of an
 * odd number has no sibling. */
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"

static hymg_status share(hymgi_level *level, double *list, size_t doubles, double **shared)
{
  void *block = list;
  const hymg_status status = level->keeper->share(level->context, &block, doubles * sizeof *list);
  *shared = block;
  return status;
}

static hymg_status no_memory(const hymgi_level *level, int n)
{
  return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for %d cell widths", n);
}

/* Widths over their mean. */
hymg_status hymgi_axes_first(hymgi_level *level, const hymg_grid_desc *d)
{
  for (int axis = 0; axis < 3; axis++) {
    double *const w = calloc((size_t)d->n[axis] + 1, sizeof *w);
    if (!w) return no_memory(level, d->n[axis]);
    for (int i = 0; i < d->n[axis]; i++)
      w[i] = d->widths[axis] ? d->widths[axis][i] / level->h[axis] : 1;
    TRY(share(level, w, (size_t)d->n[axis] + 1, &level->axis[axis].width));
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

/* For the n fine cells of an axis that is halved to nc. */
static void make_parabolas(const double *w, int n, const double *wide, int nc, bool periodic,
                           double *weights)
{
  for (int i = 0; i < n; i++) {
    const int I = i / 2, sibling = i ^ 1;
    const double to_sibling = sibling < n ? 0.5 * w[sibling] : 0;
    const double low = I > 0 || periodic ? distance(wide, nc, periodic, I) : 0;
    const double high = I < nc - 1 || periodic ? distance(wide, nc, periodic, I + 1) : 0;
    parabola(i % 2 ? to_sibling : -to_sibling, nc > 1 ? low : 0, nc > 1 ? high : 0,
             weights + 3 * i);
  }
}

static hymg_status make_axis(hymgi_level *fine, hymgi_level *coarse, int axis)
{
  const int n = fine->n[axis], nc = coarse->n[axis];
  const bool halved = fine->coarsened >> axis & 1, periodic = fine->periodic >> axis & 1;
  const double *const w = fine->axis[axis].width;
  const double unit = fine->method->robust ? 1 : 0.5;
  double *part = calloc((size_t)n + 1, sizeof *part);
  double *closer = calloc((size_t)nc + 1, sizeof *closer);
  double *wide = calloc((size_t)nc + 1, sizeof *wide);
  double *parabolas = calloc(3 * (size_t)n + 1, sizeof *parabolas);
  if (!part || !closer || !wide || !parabolas) {
    free(part), free(closer), free(wide), free(parabolas);
    return no_memory(fine, n);
  }
  for (int i = 0; i < n; i++) {
    const int sibling = i ^ 1;
    wide[halved ? i / 2 : i] += w[i];
    part[i] = halved && sibling < n ? w[sibling] / (w[i] + w[sibling]) : 0;
  }
  for (int m = 0; m <= nc; m++) {
    const int face = 2 * m < n ? 2 * m : n;
    closer[m] =
        halved ? unit * (distance(w, n, periodic, face) / distance(wide, nc, periodic, m)) : 1;
  }
  if (halved) make_parabolas(w, n, wide, nc, periodic, parabolas);
  hymgi_axis *const to = fine->axis + axis;
  const hymg_status status[4] = {share(fine, part, (size_t)n + 1, &to->part),
                                 share(fine, closer, (size_t)nc + 1, &to->closer),
                                 share(fine, wide, (size_t)nc + 1, &coarse->axis[axis].width),
                                 share(fine, parabolas, 3 * (size_t)n + 1, &to->parabolas)};
  for (int m = 0; m < 4; m++)
    TRY(status[m]);
  return HYMG_OK;
}

hymg_status hymgi_axes_next(hymgi_level *fine, hymgi_level *coarse)
{
  for (int axis = 0; axis < 3; axis++)
    TRY(make_axis(fine, coarse, axis));
  return HYMG_OK;
}

void hymgi_axes_destroy(hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++) {
    hymgi_axis *a = level->axis + axis;
    double **const list[4] = {&a->width, &a->part, &a->closer, &a->parabolas};
    for (int m = 0; m < 4; m++)
      if (*list[m]) level->keeper->unshare(*list[m]);
  }
}
