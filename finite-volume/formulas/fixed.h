/* Cells with given values, and rows of 0 (source/hierarchy/fixed_cells.c). Shared by CPU and GPU. */
#ifndef HYMGI_FORMULAS_FIXED_H
#define HYMGI_FORMULAS_FIXED_H

#include "formulas/conductance.h"

HYMGI_INLINE bool hymgi_is_given(double value)
{
  return !isnan(value);
}

/* x of a cell after hymgi_robust_ops.set_fixed. */
HYMGI_INLINE double hymgi_fixed_value(hymgi_fix kind, double given, double source, double x)
{
  if (hymgi_is_given(given)) return kind == HYMGI_FIX_GIVEN ? given : 0;
  return kind == HYMGI_FIX_RHS ? x + source : x;
}

/* Is the cell next to (i, j, k), side 0 below and 1 above along an axis, in the domain and fixed? */
HYMGI_INLINE bool hymgi_is_fixed_beside(const double *given, const hymgi_geom *g, int axis,
                                        int side, int i, int j, int k, double *value)
{
  const int step = side ? 1 : -1;
  if (hymgi_beyond(g, axis, hymgi_index_along(axis, i, j, k) + step)) return false;
  *value = given[hymgi_at(g, i + (axis == 0 ? step : 0), j + (axis == 1 ? step : 0),
                          k + (axis == 2 ? step : 0))];
  return hymgi_is_given(*value);
}

/* C of the cell, and its source, with the conductances to fixed cells. */
HYMGI_INLINE void hymgi_take_fixed(const hymgi_conductances *c, const hymgi_fixed *fixed,
                                   const hymgi_geom *g, int i, int j, int k, hymgi_real *alpha)
{
  const ptrdiff_t at = hymgi_at(g, i, j, k);
  const bool free = !hymgi_is_given(fixed->given[at]);
  double sink = free ? alpha[at] : 0, source = 0, value;
  for (int m = 0; free && m < 6; m++) {
    if (!hymgi_is_fixed_beside(fixed->given, g, m / 2, m % 2, i, j, k, &value)) continue;
    const double t = hymgi_face(c, g, m / 2, m % 2, i, j, k);
    sink += t;
    source = hymgi_fma_double(t, value, source);
  }
  alpha[at] = sink;
  fixed->source[at] = source;
}

/* Is the cell above the low face of (i, j, k), 0 ... n along the axis, or the one below it fixed? */
HYMGI_INLINE bool hymgi_is_cut(const double *given, const hymgi_geom *g, int axis, int i, int j,
                               int k)
{
  double value;
  const int at = hymgi_index_along(axis, i, j, k);
  const bool above = !hymgi_beyond(g, axis, at) && hymgi_is_given(given[hymgi_at(g, i, j, k)]);
  return above || hymgi_is_fixed_beside(given, g, axis, 0, i, j, k, &value);
}

/* Is the row of the cell, with the given C, 0 but for what stands for it? */
HYMGI_INLINE bool hymgi_is_empty_row(const hymgi_conductances *c, const hymgi_geom *g, int i, int j,
                                     int k, double sink, double stand_in)
{
  bool empty = sink == 0 || sink == stand_in;
  for (int m = 0; empty && m < 6; m++)
    empty = hymgi_face(c, g, m / 2, m % 2, i, j, k) == 0;
  return empty;
}

/* Is the cell held by a boundary of the domain? */
HYMGI_INLINE bool hymgi_is_held(const hymgi_conductances *c, const hymgi_geom *g, int i, int j,
                                int k)
{
  bool held = false;
  for (int m = 0; !held && m < 6; m++)
    held = hymgi_ends(g, m / 2, m % 2, hymgi_index_along(m / 2, i, j, k)) &&
           hymgi_face(c, g, m / 2, m % 2, i, j, k) > 0;
  return held;
}

/* The place of cell `number` of a box, x fastest. */
HYMGI_INLINE ptrdiff_t hymgi_place_in_box(const hymgi_geom *g, int64_t number)
{
  const int64_t row = number / g->n[0];
  return hymgi_at(g, (int)(number % g->n[0]), (int)(row % g->n[1]), (int)(row / g->n[1]));
}

HYMGI_INLINE int64_t hymgi_number_in_box(const hymgi_geom *g, int i, int j, int k)
{
  return ((int64_t)k * g->n[1] + j) * g->n[0] + i;
}

#endif
