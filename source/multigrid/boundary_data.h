/* Boundary data (inhomogeneous Dirichlet values, outward Neumann derivatives, Robin conditions) of
 * a level. For each box and each face that is a boundary with data or a Robin condition: a plane
 * over the two other axes (lower axis fastest), one ghost cell around. */
#ifndef HYMGI_MULTIGRID_BOUNDARY_DATA_H
#define HYMGI_MULTIGRID_BOUNDARY_DATA_H

#include <math.h>

#include "multigrid/level.h"

/* Of open boundaries; all 0 where there are none. Lengths are in units of the longest side. */
typedef struct hymgi_open {
  /* of the cells along each axis: n centres, from the centre of the domain; then n means of the square of the same
   * coordinate over the cell. Where the backend reads them */
  double *place[3];
  double half[3];  /* of the domain's sides */
  double strength; /* u at a distance of 1 from a cell with f = 1 */
  double term[6];  /* what a value of 1 adds to f in the cell at the face */
} hymgi_open;

typedef struct hymgi_boundary_data {
  /* by box * 6 + face; NULL without data. value: the Dirichlet value, h times the Neumann derivative,
   * or the g that belongs to share; term: what is added to f in the cell at the boundary */
  double **value, **term;
  double *cells;  /* FV4: a vector of the level that is added to f instead; else NULL */
  double **share; /* of Robin conditions (formulas/boundary.h); else NULL */
  hymgi_open open;
} hymgi_boundary_data;

HYMGI_INLINE bool hymgi_is_boundary(const hymgi_geom *g, int face)
{
  return g->boundaries >> face & 1;
}

/* The width, across the boundary, of the cells at a face over level->h of the axis: below 1 behind an
 * odd side, where the standard path has a narrower last cell. level->axis has widths in units of the
 * finest level. */
static inline double hymgi_boundary_width(const hymgi_level *level, int face)
{
  const int axis = face / 2;
  const bool narrow = face & 1 && level->shortened >> axis & 1;
  return narrow ? ldexp(level->axis[axis].width[level->n[axis] - 1], -level->index) : 1;
}

/* The width, across the boundary, of the cell at a face over the mean of the level (or, on the standard
 * path, that of the other cells). */
static inline double hymgi_cell_width(const hymgi_level *level, int face)
{
  const int n = level->n[face / 2];
  if (level->method->stretched) return level->axis[face / 2].width[face & 1 ? n - 1 : 0];
  return hymgi_boundary_width(level, n > 1 ? face : face | 1); /* a single cell is the last one */
}

/* Does a boundary have a Robin condition? */
static inline bool hymgi_has_robin(const hymgi_level *level)
{
  for (int face = 0; face < 6; face++)
    if (level->boundary[face].mixes) return true;
  return false;
}

/* The planes of a box and face, or NULL. */
static inline const double *hymgi_value_plane(const hymgi_level *level, int box, int face)
{
  return level->boundaries ? level->boundaries->value[box * 6 + face] : NULL;
}

static inline const double *hymgi_share_plane(const hymgi_level *level, int box, int face)
{
  return level->boundaries ? level->boundaries->share[box * 6 + face] : NULL;
}

/* The two axes along a face, the lower one first. */
HYMGI_INLINE void hymgi_boundary_axes(int face, int *a, int *b)
{
  const int axis = face / 2;
  *a = axis == 0 ? 1 : 0;
  *b = axis == 2 ? 1 : 2;
}

/* The index, in the plane, of cell (i, j, k) at the boundary or of a ghost of it along the
 * boundary. */
HYMGI_INLINE ptrdiff_t hymgi_boundary_at(const hymgi_geom *g, int face, const int ijk[3])
{
  int a, b;
  hymgi_boundary_axes(face, &a, &b);
  return (ijk[a] + 1) + (ptrdiff_t)(ijk[b] + 1) * (g->n[a] + 2);
}

#endif
