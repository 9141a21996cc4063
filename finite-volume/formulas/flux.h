/* Fluxes of FV2, -b beta grad u through a face per unit of area, with what the operator does at
 * boundaries (formulas/fv2.h, source/multigrid/level.h). Shared by CPU and GPU. */
#ifndef HYMGI_FORMULAS_FLUX_H
#define HYMGI_FORMULAS_FLUX_H

#include "formulas/conductance.h"
#include "formulas/fv2.h"
#include "multigrid/boundary_data.h"

/* A box of a level and an axis, by value. */
typedef struct hymgi_flux_view {
  const double *x, *beta; /* x with ghosts; beta NULL: constant */
  double constant, h;
  double weight[2], ghost[2]; /* of the low and the high boundary */
  const double *term[2];      /* boundary data of the box, or NULL */
  bool stretched;
  hymgi_metric metric;
} hymgi_flux_view;

static inline hymgi_flux_view hymgi_flux_view_of(const hymgi_level *level, int box, int axis,
                                                 const double *x)
{
  hymgi_flux_view v;
  v.x = x;
  v.beta = level->c.beta[axis];
  v.constant = level->c.beta_constant[axis];
  v.h = level->h[axis];
  v.stretched = level->method->stretched;
  v.metric = hymgi_metric_of(level);
  for (int side = 0; side < 2; side++) {
    const int face = 2 * axis + side;
    v.weight[side] = level->c.boundary_weight[face];
    v.ghost[side] = level->c.boundary_ghost[face];
    v.term[side] = level->boundaries ? level->boundaries->term[box * 6 + face] : NULL;
  }
  return v;
}

/* x of a cell of the box, moved along the axis. */
HYMGI_INLINE double hymgi_flux_cell(const hymgi_flux_view *v, const hymgi_geom *g, int axis,
                                    int move, int i, int j, int k)
{
  return v->x[hymgi_at(g, i + (axis == 0 ? move : 0), j + (axis == 1 ? move : 0),
                       k + (axis == 2 ? move : 0))];
}

/* Through the low face of cell (i, j, k), 0 ... n along the axis. */
HYMGI_INLINE double hymgi_flux(const hymgi_flux_view *v, const hymgi_geom *g, int axis, int i,
                               int j, int k)
{
  const int at = hymgi_index_along(axis, i, j, k);
  const bool low = at == 0 && (g->boundaries >> (2 * axis) & 1),
             high = at == g->n[axis] && (g->boundaries >> (2 * axis + 1) & 1);
  double beta = v->beta ? v->beta[hymgi_at(g, i, j, k)] : v->constant, below, above;
  if (!v->beta && low) beta *= v->weight[0];
  if (!v->beta && high) beta *= v->weight[1];
  if (low)
    below = v->ghost[0] == 0 ? 0 : v->ghost[0] * hymgi_flux_cell(v, g, axis, 1, i, j, k);
  else
    below = hymgi_flux_cell(v, g, axis, -1, i, j, k);
  if (high)
    above = v->ghost[1] == 0 ? 0 : v->ghost[1] * hymgi_flux_cell(v, g, axis, -2, i, j, k);
  else
    above = hymgi_flux_cell(v, g, axis, 0, i, j, k);
  double flux = beta * (below - above);
  const int cell[3] = {i, j, k}; /* the index along the axis is not used */
  if (low && v->term[0]) flux += v->term[0][hymgi_boundary_at(g, 2 * axis, cell)];
  if (high && v->term[1]) flux -= v->term[1][hymgi_boundary_at(g, 2 * axis + 1, cell)];
  flux *= v->h;
  if (!v->stretched) return flux;
  const double area = hymgi_face_area(&v->metric, g, axis, i, j, k);
  return area > 0 ? flux / area : 0;
}

#endif
