/* Boundary data: values on Dirichlet boundaries, outward derivatives on Neumann boundaries, on
 * every level. They enter a solve in two places: as a term of f in the cells at the boundary,
 * and in the ghosts that the F-cycle's interpolation reads. To move them between boxes and
 * levels they are stored as a cell field whose two layers at the boundary hold the boundary's
 * values. */
#include "multigrid/boundary_data.h"

#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

static bool is_boundary(const hymgi_geom *g, int face)
{
  return g->boundaries >> face & 1;
}

static ptrdiff_t plane_size(const hymgi_geom *g, int face)
{
  int a, b;
  hymgi_boundary_axes(face, &a, &b);
  return (ptrdiff_t)(g->n[a] + 2) * (g->n[b] + 2);
}

/* Written by the host, read by the backend. */
static hymg_status make_plane(const hymgi_level *level, size_t size, double **plane)
{
  TRY(hymgi_crossing(level)->alloc(level->context, size, plane));
  memset(*plane, 0, size * sizeof(double));
  return HYMG_OK;
}

static hymg_status create(hymgi_level *level, const hymg_operator_desc *d)
{
  if (level->boundaries) return HYMG_OK;
  const size_t count = (size_t)level->num_boxes * 6 + 1;
  hymgi_boundary_data *w = level->boundaries = calloc(1, sizeof *w);
  if (w) w->value = calloc(count, sizeof *w->value);
  if (w) w->term = calloc(count, sizeof *w->term);
  if (!w || !w->value || !w->term)
    return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for wall data");
  for (int m = 0; m < level->num_boxes * 6; m++) {
    if (!d->boundary_data[m % 6] || !is_boundary(level->box + m / 6, m % 6)) continue;
    const size_t size = (size_t)plane_size(level->box + m / 6, m % 6);
    TRY(make_plane(level, size, &w->value[m]));
    TRY(make_plane(level, size, &w->term[m]));
  }
  return HYMG_OK;
}

void hymgi_boundary_data_destroy(hymgi_level *level)
{
  hymgi_boundary_data *w = level->boundaries;
  if (!w) return;
  for (int m = 0; m < level->num_boxes * 6; m++) {
    const size_t size = (size_t)plane_size(level->box + m / 6, m % 6);
    const hymgi_memory *memory = hymgi_crossing(level);
    if (w->value && w->value[m]) memory->release(level->context, w->value[m], size);
    if (w->term && w->term[m]) memory->release(level->context, w->term[m], size);
  }
  free(w->value);
  free(w->term);
  free(w);
  level->boundaries = NULL;
}

/* Copies the user's boundary field, in host memory, into two layers of cells. */
static void spread_user(const hymgi_level *level, const hymg_field *boundary_data,
                        const double *values, int face, double *cells)
{
  const int axis = face / 2;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *w = boundary_data->view.box + b;
    if (!is_boundary(g, face)) continue;
    int n[3] = {g->n[0], g->n[1], g->n[2]};
    const int layers = n[axis] < 2 ? 1 : 2;
    n[axis] = layers;
    for (int k = 0; k < n[2]; k++)
      for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
          int to[3] = {i, j, k}, from[3] = {i, j, k};
          from[axis] = 0;
          if (face & 1) to[axis] = g->n[axis] - 1 - to[axis];
          cells[hymgi_at(g, to[0], to[1], to[2])] = values[hymgi_at(w, from[0], from[1], from[2])];
        }
  }
}

static hymg_status read_user(const hymgi_level *level, const hymg_field *boundary_data, int face,
                             double *cells)
{
  const hymgi_level *view = &boundary_data->view;
  if (view->memory->on_host || view->vector_size == 0) {
    view->backend->sync(level->context);
    spread_user(level, boundary_data, boundary_data->data, face, cells);
    return HYMG_OK;
  }
  double *copy;
  TRY(view->backend->crossing->alloc(level->context, (size_t)view->vector_size, &copy));
  view->backend->copy(level->context, boundary_data->data, copy, (size_t)view->vector_size);
  spread_user(level, boundary_data, copy, face, cells);
  view->backend->crossing->release(level->context, copy, (size_t)view->vector_size);
  return level->context->status;
}

/* Ghosts of a plane beyond the boundary of a tangential axis: linear extrapolation from inside. */
static void extend(const hymgi_geom *g, int face, double *plane)
{
  int axes[2];
  hymgi_boundary_axes(face, axes, axes + 1);
  const ptrdiff_t step[2] = {1, g->n[axes[0]] + 2};
  for (int t = 0; t < 2; t++)
    for (int side = 0; side < 2; side++) {
      const int axis = axes[t], n = g->n[axis];
      if (!is_boundary(g, 2 * axis + side)) continue;
      const ptrdiff_t in = side ? -step[t] : step[t];
      for (int m = 0; m < g->n[axes[1 - t]] + 2; m++) {
        double *const ghost = plane + m * step[1 - t] + (side ? n + 1 : 0) * step[t];
        *ghost = n > 1 ? 2 * ghost[in] - ghost[2 * in] : ghost[in];
      }
    }
}

/* The plane of box b from the cells at the boundary, with the ghosts along the boundary. */
static void take_plane(const hymgi_level *level, int b, int face, const double *cells)
{
  const hymgi_geom *g = level->box + b;
  double *const plane = level->boundaries->value[b * 6 + face];
  if (!plane) return;
  int u, v, at[3];
  hymgi_boundary_axes(face, &u, &v);
  at[face / 2] = face & 1 ? g->n[face / 2] - 1 : 0;
  for (at[v] = -1; at[v] <= g->n[v]; at[v]++)
    for (at[u] = -1; at[u] <= g->n[u]; at[u]++)
      plane[hymgi_boundary_at(g, face, at)] = cells[hymgi_at(g, at[0], at[1], at[2])];
  extend(g, face, plane);
}

/* Grids with widths: the face's area and, for Dirichlet values, 1 over the cell's width, where the
 * mean width is 1. */
static void scale_by_widths(const hymgi_level *level, const hymgi_geom *g, int face, double *value)
{
  const hymgi_axis *axis = level->axis;
  const int a = face / 2;
  const double width = axis[a].width[face & 1 ? level->n[a] - 1 : 0];
  int u, v, at[3] = {0};
  hymgi_boundary_axes(face, &u, &v);
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++)
      value[hymgi_boundary_at(g, face, at)] *= axis[u].width[g->low[u] + at[u]] *
                                               axis[v].width[g->low[v] + at[v]] /
                                               (level->boundary[face] == HYMG_NEUMANN ? 1 : width);
}

/* term = b beta_face (inhomogeneous part of the ghost) / h^2; Neumann values become h q. */
static void finish_plane(const hymgi_level *level, int b, int face)
{
  double *const value = level->boundaries->value[b * 6 + face];
  if (!value) return;
  if (level->boundary[face] == HYMG_NEUMANN)
    for (ptrdiff_t m = 0; m < plane_size(level->box + b, face); m++)
      value[m] *= level->h[face / 2];
  if (level->method->stretched) scale_by_widths(level, level->box + b, face, value);
  level->backend->boundary_term(level, b, face);
}

/* Restriction leaves the values in one layer; the next restriction needs them in two. */
static void double_layer(const hymgi_level *level, int face, double *cells)
{
  const int axis = face / 2;
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    if (!is_boundary(g, face) || g->n[axis] < 2) continue;
    int u, v, at[3], next[3];
    hymgi_boundary_axes(face, &u, &v);
    at[axis] = face & 1 ? g->n[axis] - 1 : 0;
    next[axis] = face & 1 ? g->n[axis] - 2 : 1;
    for (at[v] = 0; at[v] < g->n[v]; at[v]++)
      for (at[u] = 0; at[u] < g->n[u]; at[u]++) {
        next[u] = at[u], next[v] = at[v];
        cells[hymgi_at(g, next[0], next[1], next[2])] = cells[hymgi_at(g, at[0], at[1], at[2])];
      }
  }
}

static hymg_status load_face(hymgi_hierarchy *h, int face)
{
  const hymg_field *boundary_data = h->op->desc.boundary_data[face];
  hymgi_level *level = h->level;
  double *cells = NULL;
  hymg_status status = hymgi_agree(level->context, hymgi_crossing_create(level, &cells));
  if (status == HYMG_OK)
    status = hymgi_agree(level->context, read_user(level, boundary_data, face, cells));
  for (; status == HYMG_OK; level++) {
    const bool last = level->index == h->num_levels - 1;
    double *coarse = NULL;
    if (!last) {
      status = hymgi_agree(level->context, hymgi_crossing_create(level + 1, &coarse));
      if (status != HYMG_OK) {
        hymgi_crossing_destroy(level + 1, &coarse);
        break;
      }
      hymgi_restrict_cells(level, cells, level + 1, coarse);
    }
    hymgi_run_plan(level, level->halo[HYMGI_HALO_FULL], level->box, cells, level->box, cells);
    level->backend->sync(level->context);
    for (int b = 0; b < level->num_boxes; b++) {
      take_plane(level, b, face, cells);
      finish_plane(level, b, face);
    }
    hymgi_crossing_destroy(level, &cells);
    cells = coarse;
    if (last) return hymgi_agree(level->context, level->context->status);
    double_layer(level + 1, face, cells);
  }
  hymgi_crossing_destroy(level, &cells);
  return status;
}

hymg_status hymgi_boundary_data_load(hymgi_hierarchy *h)
{
  const hymg_operator_desc *d = &h->op->desc;
  bool any = false;
  for (int face = 0; face < 6; face++)
    any = any || d->boundary_data[face];
  if (!any) return HYMG_OK;
  hymg_status status = HYMG_OK;
  for (int l = 0; l < h->num_levels && status == HYMG_OK; l++)
    status = create(h->level + l, d);
  TRY(hymgi_agree(h->context, status));
  for (int face = 0; face < 6; face++)
    if (d->boundary_data[face]) TRY(load_face(h, face));
  return HYMG_OK;
}

void hymgi_boundary_data_add_terms(const hymgi_level *level, double *f)
{
  if (level->boundaries) level->backend->add_boundary_terms(level, f);
}
