/* Line relaxation: the lines of cells along an axis whose couplings along it outweigh all others are solved exactly,
 * given the cells beside them. A line may close: on a periodic axis its last cell is next to its first one.
 *
 * Elimination goes along the line from its first cell to the last but one. What is left of a cell couples it to the next one,
 * by its face, and to the last one, by `corner`; `pivot` is one over its diagonal. */
#ifndef HYMGI_FORMULAS_LINES_H
#define HYMGI_FORMULAS_LINES_H

#include "formulas/conductance.h"

/* A line is solved if its couplings are more than STRONG times those along any other axis; but not where what couples it to
 * anything else would be lost in the rounding of its diagonals. */
#define HYMGI_LINE_STRONG 2
#define HYMGI_LINE_ALONE  1e10

typedef struct hymgi_lines {
  hymgi_conductances c;
  const hymgi_real *alpha;
  double alpha_constant;
  int axis, length; /* of whole lines, which every box has */
  bool closed;
  hymgi_real *pivot, *corner; /* of cells; pivots are 0 in lines that are not solved */
} hymgi_lines;

static inline hymgi_lines hymgi_lines_of(const hymgi_level *level)
{
  const int axis = hymgi_line_axis(level);
  const hymgi_lines lines = {.c = hymgi_conductances_of(level),
                             .alpha = level->c.alpha,
                             .alpha_constant = level->c.alpha_constant,
                             .axis = axis,
                             .length = level->n[axis],
                             .closed = (level->periodic >> axis & 1) != 0,
                             .pivot = level->line.pivot,
                             .corner = level->line.corner};
  return lines;
}

/* Cell m of a line; a, b: its indices along the two other axes. */
typedef struct hymgi_on_line {
  int i, j, k;
} hymgi_on_line;

HYMGI_INLINE hymgi_on_line hymgi_cell_of_line(int axis, int a, int b, int m)
{
  const hymgi_on_line cell = {axis == 0 ? m : a,
                              axis == 1   ? m
                              : axis == 0 ? a
                                          : b,
                              axis == 2 ? m : b};
  return cell;
}

/* Lines of one colour are beside those of the other one alone. */
HYMGI_INLINE int hymgi_colour_of_line(const hymgi_geom *g, int axis, int a, int b)
{
  return (a + b + g->low[axis == 0 ? 1 : 0] + g->low[axis == 2 ? 1 : 2]) & 1;
}

HYMGI_INLINE ptrdiff_t hymgi_at_line(const hymgi_geom *g, int axis, int a, int b, int m)
{
  const hymgi_on_line p = hymgi_cell_of_line(axis, a, b, m);
  return hymgi_at(g, p.i, p.j, p.k);
}

/* ---- set-up ---- */

/* A cell's diagonal. */
HYMGI_INLINE hymgi_real hymgi_diagonal_on_line(const hymgi_lines *l, const hymgi_geom *g,
                                               hymgi_on_line p)
{
  hymgi_real sum = l->alpha ? l->alpha[hymgi_at(g, p.i, p.j, p.k)] : (hymgi_real)l->alpha_constant;
  for (int axis = 0; axis < 3; axis++)
    sum += hymgi_coupling(&l->c, g, axis, false, p.i, p.j, p.k);
  return sum;
}

/* Is the line to be solved? */
HYMGI_INLINE bool hymgi_is_strong_line(const hymgi_lines *l, const hymgi_geom *g, int a, int b)
{
  hymgi_real along = 0, held = 0, x = 0, y = 0, z = 0;
  for (int m = 0; m < l->length; m++) {
    const hymgi_on_line p = hymgi_cell_of_line(l->axis, a, b, m);
    const hymgi_real own = hymgi_coupling(&l->c, g, l->axis, true, p.i, p.j, p.k);
    along += own, held += hymgi_diagonal_on_line(l, g, p) - own;
    x += hymgi_coupling(&l->c, g, 0, true, p.i, p.j, p.k);
    y += hymgi_coupling(&l->c, g, 1, true, p.i, p.j, p.k);
    z += hymgi_coupling(&l->c, g, 2, true, p.i, p.j, p.k);
  }
  const hymgi_real first = l->axis == 0 ? y : x, second = l->axis == 2 ? y : z;
  return along > HYMGI_LINE_STRONG * (first > second ? first : second) &&
         (double)held * HYMGI_LINE_ALONE > (double)along;
}

/* The pivots and corners of a line. */
HYMGI_INLINE void hymgi_factor_line(const hymgi_lines *l, const hymgi_geom *g, int a, int b)
{
  const bool strong = hymgi_is_strong_line(l, g, a, b);
  const int last = l->length - 1;
  hymgi_real left = hymgi_diagonal_on_line(l, g, hymgi_cell_of_line(l->axis, a, b, last));
  hymgi_real before = 0,
             corner = 0; /* of the cell before: its face to this one over its diagonal */
  for (int m = 0; m < last; m++) {
    const hymgi_on_line p = hymgi_cell_of_line(l->axis, a, b, m);
    const ptrdiff_t at = hymgi_at(g, p.i, p.j, p.k);
    const hymgi_real low = hymgi_face(&l->c, g, l->axis, 0, p.i, p.j, p.k),
                     high = hymgi_face(&l->c, g, l->axis, 1, p.i, p.j, p.k),
                     seam = m > 0       ? before * corner
                            : l->closed ? low
                                        : 0;
    const hymgi_real pivot =
        1 / hymgi_fma(-before, m > 0 ? low : 0, hymgi_diagonal_on_line(l, g, p));
    corner = m == last - 1 ? seam + high : seam;
    l->pivot[at] = strong ? pivot : 0, l->corner[at] = strong ? corner : 0;
    left = hymgi_fma(-(corner * pivot), corner, left);
    before = high * pivot;
  }
  const ptrdiff_t end = hymgi_at_line(g, l->axis, a, b, last);
  l->pivot[end] = strong ? 1 / left : 0, l->corner[end] = 0;
}

/* ---- solves ---- */

/* A cell's f with what the cells beside its line give. */
HYMGI_INLINE hymgi_real hymgi_beside_line(const hymgi_lines *l, const hymgi_geom *g,
                                          const hymgi_real *f, const hymgi_real *x, hymgi_on_line p)
{
  hymgi_real sum = f[hymgi_at(g, p.i, p.j, p.k)];
  for (int axis = 0; axis < 3; axis++)
    for (int side = 0; side < 2; side++) {
      const int step = side ? 1 : -1;
      if (axis == l->axis || hymgi_ends(g, axis, side, hymgi_index_along(axis, p.i, p.j, p.k)))
        continue;
      sum = hymgi_fma(hymgi_face(&l->c, g, axis, side, p.i, p.j, p.k),
                      x[hymgi_at(g, p.i + (axis == 0 ? step : 0), p.j + (axis == 1 ? step : 0),
                                 p.k + (axis == 2 ? step : 0))],
                      sum);
    }
  return sum;
}

/* One step of the elimination: before is the result of the step before, low the face to it. */
HYMGI_INLINE hymgi_real hymgi_line_forward(hymgi_real sum, hymgi_real low, hymgi_real before,
                                           hymgi_real pivot)
{
  return hymgi_fma(low, before, sum) * pivot;
}

/* And back: behind is x of the next cell, last that of the last one. */
HYMGI_INLINE hymgi_real hymgi_line_back(hymgi_real found, hymgi_real pivot, hymgi_real high,
                                        hymgi_real behind, hymgi_real corner, hymgi_real last)
{
  return hymgi_fma(pivot, hymgi_fma(high, behind, corner * last), found);
}

/* Solves a line, whose x is not read. */
HYMGI_INLINE void hymgi_solve_line(const hymgi_lines *l, const hymgi_geom *g, const hymgi_real *f,
                                   int a, int b, hymgi_real *x)
{
  const int last = l->length - 1;
  if (l->pivot[hymgi_at_line(g, l->axis, a, b, 0)] == 0) return;
  const hymgi_on_line end = hymgi_cell_of_line(l->axis, a, b, last);
  hymgi_real at_end = hymgi_beside_line(l, g, f, x, end), value = 0;
  for (int m = 0; m < last; m++) {
    const hymgi_on_line p = hymgi_cell_of_line(l->axis, a, b, m);
    const ptrdiff_t at = hymgi_at(g, p.i, p.j, p.k);
    const hymgi_real low = m > 0 ? l->c.beta[l->axis][at] : 0;
    value = hymgi_line_forward(hymgi_beside_line(l, g, f, x, p), low, value, l->pivot[at]);
    x[at] = value;
    at_end = hymgi_fma(l->corner[at], value, at_end);
  }
  const ptrdiff_t at_last = hymgi_at(g, end.i, end.j, end.k);
  const hymgi_real found = at_end * l->pivot[at_last];
  hymgi_real high = 0;
  x[at_last] = value = found;
  for (int m = last - 1; m >= 0; m--) {
    const ptrdiff_t at = hymgi_at_line(g, l->axis, a, b, m);
    value = hymgi_line_back(x[at], l->pivot[at], high, value, l->corner[at], found);
    x[at] = value;
    high = l->c.beta[l->axis][at];
  }
}

#endif
