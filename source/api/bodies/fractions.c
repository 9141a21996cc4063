/* Open fractions of cells and faces from a signed distance at their vertices. A cell is made of 24 tetrahedra
 * and a face of 4 triangles, each with an edge of the face, the face's centre and, in the cell, the cell's
 * centre; the distance is linear in each. So both cells at a face have the same fraction of it, planes are exact,
 * no axis or side is preferred, and the open parts are closed polyhedra. */
#include <math.h>
#include <stdlib.h>

#include "api/bodies/bodies.h"

/* The part of the edge from a, above 0, to b that is above 0. */
static double part_of(double a, double b)
{
  return b > 0 ? 1 : a / (a - b);
}

/* Positive values first; returns how many there are. */
static int positive_first(double v[], int count)
{
  int positive = 0;
  for (int i = 0; i < count; i++)
    if (v[i] > 0) {
      const double swap = v[positive];
      v[positive++] = v[i], v[i] = swap;
    }
  return positive;
}

/* Of a triangle with these values at its corners, the part above 0. */
static double triangle(double a, double b, double c)
{
  double v[3] = {a, b, c};
  const int positive = positive_first(v, 3);
  if (positive == 0) return 0;
  if (positive == 3) return 1;
  if (positive == 1) return part_of(v[0], v[1]) * part_of(v[0], v[2]);
  const double p = part_of(v[0], v[2]),
               q = part_of(v[1], v[2]); /* on the edges to the corner below 0 */
  return p + q - p * q;
}

/* Of a tetrahedron. With two corners a, b above 0 and two, c, d, below, the part is made of three tetrahedra: all of
 * its terms are positive, so that small parts are as exact as large ones. */
static double tetrahedron(double a, double b, double c, double d)
{
  double v[4] = {a, b, c, d};
  const int positive = positive_first(v, 4);
  if (positive == 0) return 0;
  if (positive == 4) return 1;
  if (positive == 1) return part_of(v[0], v[1]) * part_of(v[0], v[2]) * part_of(v[0], v[3]);
  if (positive == 3)
    return 1 - part_of(-v[3], -v[0]) * part_of(-v[3], -v[1]) * part_of(-v[3], -v[2]);
  const double ac = part_of(v[0], v[2]), ad = part_of(v[0], v[3]), bc = part_of(v[1], v[2]),
               bd = part_of(v[1], v[3]);
  return ac * ad + bc * bd * (1 - ac) + ac * bd * (1 - ad);
}

/* The corners of a face in order, for the values of a cell's vertices v[x + 2 y + 4 z]. */
static void face_corners(const double v[8], int axis, int side, double corner[4])
{
  static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const int step[2] = {1 << (axis + 1) % 3, 1 << (axis + 2) % 3};
  for (int m = 0; m < 4; m++)
    corner[m] = v[side * (1 << axis) + around[m][0] * step[0] + around[m][1] * step[1]];
}

/* The sum of the four corners is the same from either cell. */
static double centre_of(const double corner[4])
{
  return ((corner[0] + corner[2]) + (corner[1] + corner[3])) / 4;
}

static double face_fraction(const double v[8], int axis, int side)
{
  double corner[4], sum = 0;
  face_corners(v, axis, side, corner);
  const double centre = centre_of(corner);
  for (int m = 0; m < 4; m++)
    sum += triangle(corner[m], corner[(m + 1) % 4], centre);
  return sum / 4;
}

static double cell_fraction(const double v[8])
{
  double sum = 0, corner[4], middle = 0;
  for (int m = 0; m < 8; m++)
    middle += v[m] / 8;
  for (int face = 0; face < 6; face++) {
    face_corners(v, face / 2, face % 2, corner);
    const double centre = centre_of(corner);
    for (int m = 0; m < 4; m++)
      sum += tetrahedron(corner[m], corner[(m + 1) % 4], centre, middle);
  }
  return sum / 24;
}

/* The user's array of distances. */
typedef struct distances {
  hymgi_user_brick brick;
  const double *data;
} distances;

static double distance_at(const distances *d, const int at[3])
{
  ptrdiff_t entry = 0;
  for (int axis = 0; axis < 3; axis++)
    entry += (at[axis] - d->brick.from[axis]) * d->brick.stride[axis];
  return d->data[entry];
}

static hymg_status check_covers(hymgi_body_work *w, const distances *d)
{
  const hymgi_level *level = &w->level;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int axis = 0; axis < 3; axis++)
      if (g->low[axis] < d->brick.from[axis] || g->low[axis] + g->n[axis] >= d->brick.to[axis])
        return hymgi_fail(
            level->context, HYMG_EINVAL,
            "hymg_body_fractions: distances at the vertices %d to %d along %c, but the "
            "cells of this rank have the vertices %d to %d",
            d->brick.from[axis], d->brick.to[axis] - 1, "xyz"[axis], g -> low[axis],
            g -> low[axis] + g -> n[axis]);
  return HYMG_OK;
}

static hymg_status vertices_of(hymgi_body_work *w, const distances *d, const int cell[3],
                               double v[8])
{
  for (int m = 0; m < 8; m++) {
    const int at[3] = {cell[0] + (m & 1), cell[1] + (m >> 1 & 1), cell[2] + (m >> 2)};
    v[m] = distance_at(d, at);
    if (!isfinite(v[m]))
      return hymgi_fail(w->grid->context, HYMG_EINVAL,
                        "distance %g at vertex (%d, %d, %d): finite numbers are wanted", v[m],
                        at[0], at[1], at[2]);
  }
  return HYMG_OK;
}

static hymg_status fill_row(hymgi_body_work *w, const distances *d, const hymgi_geom *g, int j,
                            int k)
{
  for (int i = 0; i < g->n[0]; i++) {
    const int cell[3] = {g->low[0] + i, g->low[1] + j, g->low[2] + k};
    const ptrdiff_t at = hymgi_at(g, i, j, k), step[3] = {1, g->pitch, g->plane};
    double v[8];
    TRY(vertices_of(w, d, cell, v));
    w->vector[HYMGI_BODY_VOLUME][at] = cell_fraction(v);
    for (int axis = 0; axis < 3; axis++) {
      double *const area = w->vector[HYMGI_BODY_AREA + axis];
      area[at] = face_fraction(v, axis, 0), area[at + step[axis]] = face_fraction(v, axis, 1);
    }
  }
  return HYMG_OK;
}

static hymg_status fill(hymgi_body_work *w, const distances *d)
{
  const hymgi_level *level = &w->level;
  TRY(check_covers(w, d));
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        TRY(fill_row(w, d, g, j, k));
  return HYMG_OK;
}

static hymg_status store(hymgi_body_work *w, hymg_field *volume, hymg_field *const area[3])
{
  TRY(hymgi_body_store(w, HYMGI_BODY_VOLUME, volume));
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_store(w, HYMGI_BODY_AREA + axis, area[axis]));
  return HYMG_OK;
}

hymg_status hymg_body_fractions(const int low[3], const int count[3], const ptrdiff_t stride[3],
                                const double *distance, hymg_field *volume,
                                hymg_field *const area[3])
{
  static const char *const name[3] = {"area[0]", "area[1]", "area[2]"};
  if (!volume) return HYMG_EINVAL;
  hymg_grid *grid = volume->grid;
  distances d = {.data = distance};
  TRY(hymgi_body_check_field(grid, volume, HYMG_CELL, true, "volume"));
  if (!area) return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_body_fractions: area is NULL");
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_body_check_field(grid, area[axis], (hymg_centering)(HYMG_FACE_X + axis), true,
                               name[axis]));
  TRY(hymgi_brick_of(grid->context, low, count, stride, distance, &d.brick));
  hymgi_body_work w;
  const unsigned needed = 1u << HYMGI_BODY_VOLUME | 7u << HYMGI_BODY_AREA;
  hymg_status status = hymgi_body_begin(grid, needed, false, &w);
  if (status == HYMG_OK) status = fill(&w, &d);
  if (status == HYMG_OK) status = store(&w, volume, area);
  hymgi_body_end(&w);
  return status;
}
