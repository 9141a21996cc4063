/* Boundary data: values on Dirichlet boundaries, outward derivatives on Neumann boundaries, and the
 * right-hand sides of Robin conditions (robin.c), on every level. They enter a solve in two places:
 * as a term of f in the cells at the boundary, and in the ghosts that the F-cycle's interpolation
 * reads. To move them between boxes and levels they are stored as a cell field whose two layers at
 * the boundary hold the boundary's values. */
#include "multigrid/boundary_data.h"

#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "hierarchy/open_boundary.h"
#include "multigrid/level_ops.h"

ptrdiff_t hymgi_boundary_plane_size(const hymgi_geom *g, int face)
{
  int a, b;
  hymgi_boundary_axes(face, &a, &b);
  return (ptrdiff_t)(g->n[a] + 2) * (g->n[b] + 2);
}

static hymg_status create(hymgi_level *level, const hymg_operator_desc *d)
{
  if (level->boundaries) return HYMG_OK;
  const size_t count = (size_t)level->num_boxes * 6;
  hymgi_boundary_data *w = level->boundaries = calloc(1, sizeof *w);
  if (w) w->value = calloc(3 * count + 1, sizeof *w->value);
  if (!w || !w->value)
    return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for boundary data");
  w->term = w->value + count;
  w->share = w->term + count;
  for (int m = 0; m < level->num_boxes * 6; m++) {
    if (!hymgi_is_boundary(level->box + m / 6, m % 6)) continue;
    const ptrdiff_t size = hymgi_boundary_plane_size(level->box + m / 6, m % 6);
    if (level->boundary[m % 6].mixes) TRY(hymgi_crossing_create(level, size, &w->share[m]));
    if (!hymgi_has_data(d, m % 6) && !level->boundary[m % 6].open) continue;
    TRY(hymgi_crossing_create(level, size, &w->value[m]));
    if (level->op->order == 2) TRY(hymgi_crossing_create(level, size, &w->term[m]));
  }
  return HYMG_OK;
}

void hymgi_boundary_data_destroy(hymgi_level *level)
{
  hymgi_boundary_data *w = level->boundaries;
  if (!w) return;
  for (int m = 0; w->value && m < level->num_boxes * 6; m++) {
    const ptrdiff_t size = hymgi_boundary_plane_size(level->box + m / 6, m % 6);
    hymgi_crossing_destroy(level, size, &w->value[m]);
    hymgi_crossing_destroy(level, size, &w->term[m]);
    hymgi_crossing_destroy(level, size, &w->share[m]);
  }
  hymgi_vector_destroy(level, level->vector_size, &w->cells);
  hymgi_open_destroy(level);
  free(w->value);
  free(w);
  level->boundaries = NULL;
}

/* Copies layer `from` of box b of a vector, along an axis, to layer `to` of the level's; both are in
 * host memory. */
static void copy_layer(const hymgi_level *level, int b, int axis, const hymgi_geom *src_box,
                       const double *src, int from, double *dst, int to)
{
  hymgi_copy c = {.src_box = b, .dst_box = b};
  memcpy(c.n, level->box[b].n, sizeof c.n);
  c.n[axis] = 1, c.src[axis] = from, c.dst[axis] = to;
  const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &c};
  hymgi_cpu_backend()->mover.local(level->context, &plan, src_box, src, level->box, dst);
}

/* The cells that hold the values of a face, of which there are `layers`. */
static int layers_of(const hymgi_geom *g, int face)
{
  const int n = g->n[face / 2]; /* 0: cuts that were moved left nothing */
  return !hymgi_is_boundary(g, face) ? 0 : n < 2 ? n : 2;
}

/* Copies the user's boundary field, which is open, into two layers of cells. */
static hymg_status read_open(const hymgi_level *level, const hymg_field *field, int face,
                             double *cells)
{
  const hymgi_level *view = &field->view;
  const double *values = field->data;
  double *copy = NULL;
  if (!view->memory->on_host && view->vector_size > 0) {
    TRY(hymgi_crossing_create(view, view->vector_size, &copy));
    view->backend->copy(level->context, values, copy, (size_t)view->vector_size);
    values = copy;
  }
  view->backend->sync(level->context);
  for (int b = 0; b < level->num_boxes; b++) {
    const int n = level->box[b].n[face / 2];
    for (int m = 0; m < layers_of(level->box + b, face); m++)
      copy_layer(level, b, face / 2, view->box, values, 0, cells, face & 1 ? n - 1 - m : m);
  }
  hymgi_crossing_destroy(view, view->vector_size, &copy);
  return level->context->status;
}

static hymg_status read_user(const hymgi_level *level, const hymg_field *field, int face,
                             double *cells)
{
  hymg_status status = hymgi_field_open(field);
  if (status == HYMG_OK) status = read_open(level, field, face, cells);
  hymgi_field_close(field, false);
  return status;
}

/* From inside, linearly, or with FV4 from up to four values, which the thinnest box with its neighbour has. */
void hymgi_boundary_extend(const hymgi_level *level, int b, int face, double *plane)
{
  const hymgi_geom *g = level->box + b;
  const bool cubic = level->op->order == 4;
  int axes[2];
  hymgi_boundary_axes(face, axes, axes + 1);
  const ptrdiff_t step[2] = {1, g->n[axes[0]] + 2};
  for (int t = 0; t < 2; t++)
    for (int side = 0; side < 2; side++) {
      const int axis = axes[t], n = g->n[axis];
      if (!hymgi_is_boundary(g, 2 * axis + side)) continue;
      const ptrdiff_t in = side ? -step[t] : step[t];
      for (int m = 0; m < g->n[axes[1 - t]] + 2; m++) {
        double *const ghost = plane + m * step[1 - t] + (side ? n + 1 : 0) * step[t];
        if (cubic && level->n[axis] >= 4)
          *ghost = 4 * ghost[in] - 6 * ghost[2 * in] + 4 * ghost[3 * in] - ghost[4 * in];
        else
          *ghost = n > 1 ? 2 * ghost[in] - ghost[2 * in] : ghost[in];
      }
    }
}

double hymgi_boundary_measure(const hymgi_level *level, int b, int face, int measure,
                              const int at[3])
{
  int u, v;
  const int *const low = level->box[b].low, axis = face / 2;
  hymgi_boundary_axes(face, &u, &v);
  return hymgi_measure_at(level->axis[u].metric, level->n[u], measure + axis, low[u] + at[u]) *
         hymgi_measure_at(level->axis[v].metric, level->n[v], measure + axis, low[v] + at[v]);
}

/* Grids with widths, and curved ones: the face's area and, for Dirichlet values, 1 over the cell's width, where the
 * mean width is 1. */
void hymgi_boundary_by_widths(const hymgi_level *level, int b, int face, double *value)
{
  if (!level->method->stretched) return;
  const hymgi_geom *g = level->box + b;
  const int a = face / 2, n = level->n[a];
  const bool gives_flux = level->boundary[face].gives_flux;
  const double width = level->axis[a].width[face & 1 ? n - 1 : 0],
               own = hymgi_measure_at(level->axis[a].metric, n, HYMGI_FACE, face & 1 ? n : 0);
  int u, v, at[3] = {0};
  hymgi_boundary_axes(face, &u, &v);
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++) {
      const double area = hymgi_boundary_measure(level, b, face, HYMGI_AREA, at) * own,
                   pitch = hymgi_boundary_measure(level, b, face, HYMGI_PITCH, at);
      value[hymgi_boundary_at(g, face, at)] *= area / (gives_flux ? 1 : width * pitch);
    }
}

ptrdiff_t hymgi_boundary_plane(const hymgi_level *level, int b, int face, const double *cells,
                               double *plane)
{
  const hymgi_geom *g = level->box + b;
  const int axis = face / 2;
  int u, v, at[3];
  hymgi_boundary_axes(face, &u, &v);
  at[axis] = face & 1 ? g->n[axis] - 1 : 0;
  for (at[v] = -1; at[v] <= g->n[v]; at[v]++)
    for (at[u] = -1; at[u] <= g->n[u]; at[u]++)
      plane[hymgi_boundary_at(g, face, at)] = cells[hymgi_at(g, at[0], at[1], at[2])];
  hymgi_boundary_extend(level, b, face, plane);
  return hymgi_boundary_plane_size(g, face);
}

/* The values of box b; Neumann values become h q. term = b beta_face (inhomogeneous part of the ghost) /
 * h^2. */
static void make_values(const hymgi_level *level, int b, int face, const double *cells)
{
  const hymgi_geom *g = level->box + b;
  const int axis = face / 2;
  double *const plane = level->boundaries->value[b * 6 + face];
  if (!plane) return;
  hymgi_boundary_plane(level, b, face, cells, plane);
  for (ptrdiff_t m = 0; level->boundary[face].gives_flux && m < hymgi_boundary_plane_size(g, face);
       m++)
    plane[m] *= level->h[axis] * hymgi_boundary_width(level, face);
  hymgi_boundary_by_widths(level, b, face, plane);
  if (level->op->order == 2) level->backend->boundary_term(level, b, face);
}

/* Restriction leaves the values in one layer; the next restriction needs them in two. */
static void double_layer(const hymgi_level *level, int face, double *cells)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const int n = level->box[b].n[face / 2];
    if (hymgi_is_boundary(level->box + b, face) && n > 1)
      copy_layer(level, b, face / 2, level->box, cells, face & 1 ? n - 1 : 0, cells,
                 face & 1 ? n - 2 : 1);
  }
}

/* Restriction divides by 8 where cells have fewer children, too; user: the finer level. */
static void make_mean(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                      void *user)
{
  const hymgi_level *fine = user;
  (void)face;
  for (int axis = 0; axis < 3; axis++)
    if (2 * (level->box[b].low[axis] + at[axis]) + 1 == fine->n[axis]) *cell *= 2;
}

/* The second layer has the values of the first; user: the cells. */
static void repeat_layer(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                         void *user)
{
  const hymgi_geom *g = level->box + b;
  int first[3] = {at[0], at[1], at[2]};
  first[face / 2] = face & 1 ? g->n[face / 2] - 1 : 0;
  *cell = ((const double *)user)[hymgi_at(g, first[0], first[1], first[2])];
}

hymg_status hymgi_boundary_read(hymgi_level *level, const hymg_field *field, int face,
                                double *cells)
{
  hymgi_level *out = level->outside;
  double *given;
  if (!out) return hymgi_agree(level->context, read_user(level, field, face, cells));
  hymg_status status =
      hymgi_agree(level->context, hymgi_crossing_create(out, out->vector_size, &given));
  if (status == HYMG_OK) status = hymgi_agree(level->context, read_user(out, field, face, given));
  if (status == HYMG_OK) hymgi_run_plan(out, out->gather, out->box, given, level->box, cells);
  level->backend->sync(level->context);
  /* a box of the user may have had a single layer */
  if (status == HYMG_OK) hymgi_boundary_each(level, face, cells, repeat_layer, cells);
  hymgi_crossing_destroy(out, out->vector_size, &given);
  return status;
}

hymg_status hymgi_boundary_spread(hymgi_hierarchy *h, int face, double *cells,
                                  hymgi_boundary_maker make)
{
  hymg_context *context = h->context;
  hymgi_level *level = h->system;
  const int count = hymgi_discretised(h);
  hymg_status status = HYMG_OK;
  for (int l = 0; status == HYMG_OK && l < count; l++) {
    hymgi_level *const next = l + 1 < count ? h->level + l + 1 : NULL;
    double *coarse = NULL;
    if (next) {
      status = hymgi_agree(context, hymgi_crossing_create(next, next->vector_size, &coarse));
      if (status == HYMG_OK) hymgi_restrict_cells(level, cells, next, coarse);
      next->backend->sync(context);
      if (status == HYMG_OK && level->uneven)
        hymgi_boundary_each(next, face, coarse, make_mean, level);
    }
    hymgi_run_plan(level, level->halo[HYMGI_HALO_FULL], level->box, cells, level->box, cells);
    level->backend->sync(context);
    for (int b = 0; b < level->num_boxes; b++)
      make(level, b, face, cells);
    hymgi_crossing_destroy(level, level->vector_size, &cells);
    cells = coarse; /* of the next level, and in the end NULL */
    if (status == HYMG_OK && next) double_layer(next, face, cells);
    if (next) level = next;
  }
  if (cells) hymgi_crossing_destroy(level, level->vector_size, &cells);
  return status == HYMG_OK ? hymgi_agree(context, context->status) : status;
}

void hymgi_boundary_each(const hymgi_level *level, int face, double *cells,
                         hymgi_boundary_change change, void *user)
{
  int u, v, at[3];
  hymgi_boundary_axes(face, &u, &v);
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    const int axis = face / 2, layers = layers_of(g, face);
    for (int layer = 0; layer < layers; layer++) {
      at[axis] = face & 1 ? g->n[axis] - 1 - layer : layer;
      for (at[v] = 0; at[v] < g->n[v]; at[v]++)
        for (at[u] = 0; at[u] < g->n[u]; at[u]++)
          change(level, b, face, at, cells + hymgi_at(g, at[0], at[1], at[2]), user);
    }
  }
}

/* Robin: the g that belongs to the share; the planes of values still hold its factor. */
static void scale_data(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                       void *user)
{
  (void)user;
  *cell *= level->boundaries->value[b * 6 + face][hymgi_boundary_at(level->box + b, face, at)];
}

void hymgi_boundary_set(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                        void *value)
{
  (void)level, (void)b, (void)face, (void)at;
  *cell = *(const double *)value;
}

static hymg_status load_face(hymgi_hierarchy *h, int face)
{
  hymg_context *context = h->context;
  hymgi_level *level = h->system;
  const hymg_operator_desc *d = &h->op->desc;
  double *cells, constant = d->boundary_constant[face];
  hymg_status status =
      hymgi_agree(context, hymgi_crossing_create(level, level->vector_size, &cells));
  if (status == HYMG_OK && d->boundary_data[face])
    status = hymgi_boundary_read(level, d->boundary_data[face], face, cells);
  else if (status == HYMG_OK)
    hymgi_boundary_each(level, face, cells, hymgi_boundary_set, &constant);
  if (status == HYMG_OK && level->boundary[face].mixes)
    hymgi_boundary_each(level, face, cells, scale_data, NULL);
  if (status == HYMG_OK) return hymgi_boundary_spread(h, face, cells, make_values);
  hymgi_crossing_destroy(level, level->vector_size, &cells);
  return status;
}

hymg_status hymgi_boundary_data_load(hymgi_hierarchy *h, double share[6])
{
  const hymg_operator_desc *d = &h->op->desc;
  bool any = hymgi_has_robin(h->level);
  for (int face = 0; face < 6; face++)
    share[face] = 0, any = any || hymgi_has_values(h->op, face);
  if (!any) return HYMG_OK;
  hymg_status status = HYMG_OK;
  for (int l = 0; l < hymgi_discretised(h) && status == HYMG_OK; l++)
    status = create(hymgi_system_level(h, l), d);
  for (int l = 0; l < hymgi_discretised(h) && status == HYMG_OK; l++)
    status = hymgi_open_create(h, hymgi_system_level(h, l));
  TRY(hymgi_agree(h->context, status));
  for (int face = 0; face < 6; face++) {
    if (h->level->boundary[face].mixes) TRY(hymgi_robin_load(h, face, share + face));
    if (hymgi_has_data(d, face)) TRY(load_face(h, face));
  }
  return HYMG_OK;
}
