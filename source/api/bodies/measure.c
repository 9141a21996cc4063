/* The geometry of a grid as fields. */
#include <stdlib.h>

#include "api/bodies/bodies.h"
#include "multigrid/boundary_data.h"
#include "problem/coordinates.h"
#include "transport/transport.h"

/* HYMGI_MEASURES lists of each axis. */
typedef struct measures {
  const int *n;
  double *of[3];
} measures;

static double number(const measures *m, const hymgi_place *p, int axis, int measure)
{
  return hymgi_measure_at(m->of[axis], m->n[axis], measure, p->g->low[axis] + p->index[axis]);
}

static double volume_of(const measures *m, const hymgi_place *p)
{
  return number(m, p, 0, HYMGI_VOLUME) * number(m, p, 1, HYMGI_VOLUME) *
         number(m, p, 2, HYMGI_VOLUME);
}

static double across(const measures *m, const hymgi_place *p, int axis, int measure)
{
  int a, b;
  hymgi_other_axes(axis, &a, &b);
  return number(m, p, a, measure + axis) * number(m, p, b, measure + axis);
}

static double area_of(const measures *m, const hymgi_place *p, int axis)
{
  return across(m, p, axis, HYMGI_AREA) * number(m, p, axis, HYMGI_FACE);
}

/* To the wall where there is one. */
static double distance_of(const measures *m, const hymgi_place *p, int axis)
{
  const int at = p->index[axis];
  const bool wall = (at == 0 && hymgi_is_boundary(p->g, 2 * axis)) ||
                    (at == p->g->n[axis] && hymgi_is_boundary(p->g, 2 * axis + 1));
  const double gap = number(m, p, axis, HYMGI_GAP) * across(m, p, axis, HYMGI_PITCH);
  return wall ? 0.5 * gap : gap;
}

enum { CELLS = 3 }; /* else the faces of an axis */

static void fill_row(hymgi_body_work *w, const measures *m, const hymgi_geom *g, int axis, int j,
                     int k)
{
  for (int i = 0; i < g->n[0] + (axis == 0); i++) {
    const hymgi_place p = hymgi_place_of(g, i, j, k);
    if (axis == CELLS) {
      w->vector[HYMGI_BODY_VOLUME][p.at] = volume_of(m, &p);
    } else {
      w->vector[HYMGI_BODY_AREA + axis][p.at] = area_of(m, &p, axis);
      w->vector[HYMGI_BODY_BETA + axis][p.at] = distance_of(m, &p, axis);
    }
  }
}

static void fill(hymgi_body_work *w, const measures *m)
{
  for (const hymgi_geom *g = w->level.box; g < w->level.box + w->level.num_boxes; g++)
    for (int axis = 0; axis <= CELLS; axis++)
      for (int k = 0; k < g->n[2] + (axis == 2); k++)
        for (int j = 0; j < g->n[1] + (axis == 1); j++)
          fill_row(w, m, g, axis, j, k);
}

static hymg_status make_lists(const hymg_grid *grid, measures *m)
{
  m->n = grid->desc.n;
  for (int axis = 0; axis < 3; axis++) {
    const size_t count = (size_t)HYMGI_MEASURES * ((size_t)m->n[axis] + 1);
    m->of[axis] = calloc(count, sizeof(double));
    if (!m->of[axis])
      return hymgi_fail(grid->context, HYMG_ENOMEM, "no memory for the %zu numbers of an axis",
                        count);
    hymgi_measure(&grid->desc, axis, 1, m->of[axis]);
  }
  return HYMG_OK;
}

static hymg_status check(const hymg_grid *grid, hymg_field *volume, hymg_field *const *area,
                         hymg_field *const *distance)
{
  static const char *const name[2][3] = {{"area[0]", "area[1]", "area[2]"},
                                         {"distance[0]", "distance[1]", "distance[2]"}};
  TRY(hymgi_body_check_field(grid, volume, HYMG_CELL, false, "volume"));
  for (int axis = 0; axis < 3; axis++) {
    const hymg_centering faces = (hymg_centering)(HYMG_FACE_X + axis);
    TRY(hymgi_body_check_field(grid, area ? area[axis] : NULL, faces, false, name[0][axis]));
    TRY(hymgi_body_check_field(grid, distance ? distance[axis] : NULL, faces, false,
                               name[1][axis]));
  }
  return HYMG_OK;
}

static hymg_status store(hymgi_body_work *w, hymg_field *volume, hymg_field *const *area,
                         hymg_field *const *distance)
{
  TRY(hymgi_body_store(w, HYMGI_BODY_VOLUME, volume));
  for (int axis = 0; axis < 3; axis++) {
    if (area) TRY(hymgi_body_store(w, HYMGI_BODY_AREA + axis, area[axis]));
    if (distance) TRY(hymgi_body_store(w, HYMGI_BODY_BETA + axis, distance[axis]));
  }
  return HYMG_OK;
}

hymg_status hymg_grid_measure(hymg_grid *grid, hymg_field *volume, hymg_field *const area[3],
                              hymg_field *const distance[3])
{
  if (!grid) return HYMG_EINVAL;
  TRY(check(grid, volume, area, distance));
  measures m = {.of = {NULL}};
  hymgi_body_work w;
  const unsigned needed = 1u << HYMGI_BODY_VOLUME | 7u << HYMGI_BODY_AREA | 7u << HYMGI_BODY_BETA;
  hymg_status status = hymgi_body_begin(grid, needed, false, &w);
  if (status == HYMG_OK) status = make_lists(grid, &m);
  if (status == HYMG_OK) {
    fill(&w, &m);
    status = store(&w, volume, area, distance);
  }
  hymgi_body_end(&w);
  for (int axis = 0; axis < 3; axis++)
    free(m.of[axis]);
  return status;
}
