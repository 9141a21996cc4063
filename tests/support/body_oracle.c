/* Masks and bodies in plain loops over whole arrays, each cell by itself. */
#include "support/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct whole {
  const support_body_case *c;
  const support_body_answer *given; /* fractions */
} whole;

static size_t cell(const whole *w, const int at[3])
{
  return (size_t)(at[0] + w->c->n[0] * (at[1] + w->c->n[1] * at[2]));
}

static size_t face(const whole *w, int axis, const int at[3], int side)
{
  int v[3] = {w->c->n[0], w->c->n[1], w->c->n[2]}, f[3] = {at[0], at[1], at[2]};
  v[axis]++, f[axis] += side;
  return (size_t)(f[0] + v[0] * (f[1] + v[1] * f[2]));
}

/* The neighbour, across periodic axes; false at a boundary. */
static bool next(const whole *w, const int at[3], int axis, int side, int to[3])
{
  memcpy(to, at, 3 * sizeof *to);
  to[axis] += side ? 1 : -1;
  if (to[axis] >= 0 && to[axis] < w->c->n[axis]) return true;
  if (w->c->boundary[2 * axis] != HYMG_PERIODIC) return false;
  to[axis] = (to[axis] + w->c->n[axis]) % w->c->n[axis];
  return true;
}

static double width(const whole *w, const int at[3], int axis)
{
  return w->c->width[axis][at[axis]];
}

typedef struct plane {
  double area, normal[3], distance;
} plane;

/* Bisection over the volume below the plane, whose normal may have any signs. */
static plane plane_in(const whole *w, const int at[3])
{
  plane p = {.area = 0};
  double widths[3], d[2] = {0, 0}, vector[3];
  const double part = w->given->volume[cell(w, at)];
  for (int axis = 0; axis < 3; axis++)
    widths[axis] = width(w, at, axis);
  for (int axis = 0; axis < 3; axis++) {
    const double *area = w->given->area[axis];
    vector[axis] = (area[face(w, axis, at, 0)] - area[face(w, axis, at, 1)]) *
                   widths[(axis + 1) % 3] * widths[(axis + 2) % 3];
    p.area += vector[axis] * vector[axis];
  }
  p.area = sqrt(p.area);
  p.distance = part < 0.5 ? -INFINITY : INFINITY;
  if (p.area == 0) return p;
  double centre = 0;
  for (int axis = 0; axis < 3; axis++) {
    p.normal[axis] = vector[axis] / p.area;
    const double most = p.normal[axis] * widths[axis];
    d[most > 0] += most;
    centre += most / 2;
  }
  for (int step = 0; step < 100; step++) {
    const double middle = (d[0] + d[1]) / 2;
    d[support_volume_below(widths, p.normal, middle) >= part] = middle;
  }
  p.distance = (part > 0.5 ? d[1] : d[0]) - centre;
  return p;
}

static bool is_thin(const whole *w, int axis)
{
  const hymg_boundary *kind = w->c->boundary + 2 * axis;
  return w->c->n[axis] == 1 && kind[0] == HYMG_NEUMANN && kind[1] == HYMG_NEUMANN;
}

/* The mean of the faces' betas by axis, and the differences along the way to the plane. */
static double beta_on(const whole *w, const int at[3], const plane *p)
{
  double seen[6], value = 0, change = 0;
  int count = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (is_thin(w, axis)) continue;
    const double *beta = w->c->beta[axis];
    for (int side = 0; side < 2; side++)
      value += seen[count++] = beta[face(w, axis, at, side)];
    change +=
        (seen[count - 1] - seen[count - 2]) * p->distance * p->normal[axis] / width(w, at, axis);
  }
  if (!count) return w->c->beta[0][face(w, 0, at, 0)];
  value = value / count + change;
  double least = seen[0], most = seen[0];
  for (int m = 1; m < count; m++)
    least = fmin(least, seen[m]), most = fmax(most, seen[m]);
  return value < least ? least : value > most ? most : value;
}

static void cut_cell(const whole *w, const int at[3], support_body_answer *a)
{
  const support_body_case *c = w->c;
  const size_t q = cell(w, at);
  const plane p = plane_in(w, at);
  const double v = width(w, at, 0) * width(w, at, 1) * width(w, at, 2);
  a->weight[q] = w->given->volume[q];
  a->alpha[q] = w->given->volume[q] * c->alpha[q];
  a->source[q] = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      const size_t f = face(w, axis, at, side);
      a->beta[axis][f] = w->given->area[axis][f] * c->beta[axis][f];
    }
  if (p.area == 0) return;
  if (c->condition == HYMG_NEUMANN) {
    a->source[q] = c->value[q] * p.area / v;
    return;
  }
  double across = 0;
  for (int axis = 0; axis < 3; axis++)
    across += fabs(p.normal[axis]) * width(w, at, axis);
  const double ra = c->robin_alpha[q], rb = c->robin_beta[q];
  const double sum = fmax(rb + ra * p.distance, 1e-3 * (rb + ra * across));
  const double conducts = c->b * beta_on(w, at, &p) * p.area / (v * sum);
  a->alpha[q] += ra * conducts / c->a;
  a->source[q] = c->value[q] * conducts;
}

/* Where the plane of a cell crosses the line through its centre, from there, or infinity outside of the cell. */
static double crossing(const whole *w, const int at[3], int axis)
{
  const plane p = plane_in(w, at);
  if (p.area == 0 || p.normal[axis] == 0) return INFINITY;
  const double t = p.distance / p.normal[axis];
  return fabs(t) <= width(w, at, axis) / 2 * (1 + 1e-12) ? t : INFINITY;
}

/* How far the surface is from an open centre along a way; 0: the way is open. */
static double surface_on(const whole *w, const int at[3], int axis, int side)
{
  const double sign = side ? 1 : -1, h = width(w, at, axis);
  const double mine = sign * crossing(w, at, axis);
  const bool here = mine > 0 && mine < INFINITY,
             shut = w->given->area[axis][face(w, axis, at, side)] == 0;
  int to[3];
  if (!next(w, at, axis, side, to)) return here ? mine : shut ? h / 2 : 0;
  if (!shut && plane_in(w, to).distance > 0) return 0;
  if (here) return mine;
  const double theirs = sign * crossing(w, to, axis);
  if (theirs > 0 || theirs == -INFINITY) return h / 2;
  return h / 2 + width(w, to, axis) / 2 + theirs;
}

static double value_on(const whole *w, const int at[3], int axis, int side, double far)
{
  const double *value = w->c->value, own = value[cell(w, at)], h = width(w, at, axis);
  int to[3];
  if (next(w, at, axis, side, to))
    return own + far / (h / 2 + width(w, to, axis) / 2) * (value[cell(w, to)] - own);
  if (!next(w, at, axis, !side, to)) return own;
  return own - far / (h / 2 + width(w, to, axis) / 2) * (value[cell(w, to)] - own);
}

static void whole_cell(const whole *w, const int at[3], support_body_answer *a)
{
  const size_t q = cell(w, at);
  const bool open = plane_in(w, at).distance > 0;
  a->weight[q] = open;
  a->alpha[q] = open ? w->c->alpha[q] : 0;
  a->source[q] = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      const size_t f = face(w, axis, at, side);
      const double far = open ? surface_on(w, at, axis, side) : -1, h = width(w, at, axis);
      if (far != 0) a->beta[axis][f] = 0;
      if (far <= 0 || is_thin(w, axis)) continue;
      const double conducts = w->c->b * w->c->beta[axis][f] / (h * fmax(far, 1e-3 * h));
      a->alpha[q] += conducts / w->c->a;
      a->source[q] += conducts * value_on(w, at, axis, side, far);
    }
}

static void masked_cell(const whole *w, const int at[3], support_body_answer *a)
{
  const size_t q = cell(w, at);
  a->weight[q] = w->c->active[q] != 0;
  if (a->weight[q] == 0) a->alpha[q] = 0;
  for (int axis = 0; axis < 3 && a->weight[q] == 0; axis++)
    for (int side = 0; side < 2; side++)
      a->beta[axis][face(w, axis, at, side)] = 0;
}

/* Both faces of a periodic axis are one. */
static void join(const whole *w, const int at[3], int axis, double *beta)
{
  int last[3] = {at[0], at[1], at[2]};
  last[axis] = w->c->n[axis] - 1;
  if (w->c->boundary[2 * axis] != HYMG_PERIODIC || at[axis] != 0) return;
  double *low = beta + face(w, axis, at, 0), *high = beta + face(w, axis, last, 1);
  *low = *high = fmin(*low, *high);
}

static double *copy(const double *from, size_t n)
{
  double *to = support_poison(n);
  memcpy(to, from, n * sizeof *to);
  return to;
}

support_body_answer support_body_oracle(const support_body_case *c,
                                        const support_body_answer *given)
{
  const whole w = {c, given};
  support_body_answer a = {.cells = given->cells};
  a.alpha = copy(c->alpha, a.cells);
  a.weight = support_poison(a.cells), a.source = support_poison(a.cells);
  for (int axis = 0; axis < 3; axis++)
    a.faces[axis] = given->faces[axis], a.beta[axis] = copy(c->beta[axis], a.faces[axis]);
  for (int k = 0; k < c->n[2]; k++)
    for (int j = 0; j < c->n[1]; j++)
      for (int i = 0; i < c->n[0]; i++) {
        const int at[3] = {i, j, k};
        if (c->active)
          masked_cell(&w, at, &a);
        else if (c->condition == HYMG_DIRICHLET)
          whole_cell(&w, at, &a);
        else
          cut_cell(&w, at, &a);
      }
  for (int axis = 0; axis < 3; axis++)
    for (int k = 0; k < c->n[2]; k++)
      for (int j = 0; j < c->n[1]; j++)
        for (int i = 0; i < c->n[0]; i++)
          join(&w, (const int[3]){i, j, k}, axis, a.beta[axis]);
  return a;
}
