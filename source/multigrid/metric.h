/* The geometry of cells by axes: volumes, areas of faces and distances between centres are products of numbers of the
 * three axes (problem/coordinates.h makes them), on straight axes as on curved ones. */
#ifndef HYMGI_MULTIGRID_METRIC_H
#define HYMGI_MULTIGRID_METRIC_H

#include "base/geometry.h"

/* Lists of an axis, of n + 1 numbers each. AREA + t and PITCH + t: for another axis t. */
enum {
  HYMGI_VOLUME,                 /* of a cell: its factor in volumes */
  HYMGI_AREA,                   /* in areas of faces normal to t */
  HYMGI_PITCH = HYMGI_AREA + 3, /* in distances along t */
  HYMGI_FACE =
      HYMGI_PITCH + 3, /* of a face normal to this axis: the axis' own factor in its area */
  HYMGI_GAP,           /* and in the distance across it; that of a whole cell at a wall */
  HYMGI_MEASURES
};

/* A number of an axis of n cells, from its lists. */
HYMGI_INLINE double hymgi_measure_at(const double *lists, int n, int measure, int index)
{
  return lists[(ptrdiff_t)measure * (n + 1) + index];
}

/* The two other axes. */
HYMGI_INLINE void hymgi_other_axes(int axis, int *a, int *b)
{
  *a = axis == 0 ? 1 : 0;
  *b = axis == 2 ? 1 : 2;
}

#endif
