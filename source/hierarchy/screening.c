/* A solution with u = 0 on the boundary, continued by 0, is that of f and of a charge on the boundary, which is what flows out
 * there. So the potential of free space is, on the boundary, that of the charge with the other sign (docs/numerics.md). Each
 * rank knows the charges of all faces, makes the potentials of some and gets those of the others. */
#include "hierarchy/screening.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy/build.h"
#include "hierarchy/open_boundary.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "multigrid/surface.h"

#define FEW 2048 /* faces, for a thread of their own */

/* Numbers of all faces of the boundary: side after side, the lower axis fastest. */
typedef struct sides {
  int n[3], count, begin[6];
  double *charge, *potential, *edge[3];
  int64_t *words; /* what is sent of them */
} sides;

static void lay_out(sides *s, const int n[3])
{
  memcpy(s->n, n, sizeof s->n);
  s->count = 0;
  for (int face = 0; face < 6; face++) {
    int u, v;
    hymgi_boundary_axes(face, &u, &v);
    s->begin[face] = s->count;
    s->count += n[u] * n[v];
  }
}

static int side_at(const sides *s, int face, const int at[3])
{
  int u, v;
  hymgi_boundary_axes(face, &u, &v);
  return s->begin[face] + at[v] * s->n[u] + at[u];
}

static hymg_status create(const hymgi_level *level, sides *s)
{
  lay_out(s, level->n);
  const size_t edges = (size_t)(s->n[0] + s->n[1] + s->n[2] + 3), count = (size_t)s->count;
  s->charge = calloc(2 * count + edges, sizeof *s->charge);
  s->words = malloc(count * sizeof *s->words);
  if (!s->charge || !s->words)
    return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for the charges of %d faces",
                      s->count);
  s->potential = s->charge + count;
  s->edge[0] = s->potential + count;
  for (int axis = 1; axis < 3; axis++)
    s->edge[axis] = s->edge[axis - 1] + s->n[axis - 1] + 1;
  return HYMG_OK;
}

static void destroy(sides *s)
{
  free(s->charge);
  free(s->words);
}

/* Each number is 0 on all ranks but one. */
static hymg_status share(hymg_context *c, const sides *s, double *values)
{
  memcpy(s->words, values, (size_t)s->count * sizeof *values);
  TRY(hymgi_comm_sum_int64(c, c->comm, s->words, s->count));
  memcpy(values, s->words, (size_t)s->count * sizeof *values);
  return HYMG_OK;
}

/* ---- the charges ---- */

/* For a value of 1, by the boundary's cells: what a face takes of the flux. */
static hymg_status take_face(const hymgi_level *level, int b, int face, const double *x,
                             const sides *s)
{
  const hymgi_geom *g = level->box + b;
  const hymgi_open *open = &level->boundaries->open;
  const size_t size = (size_t)hymgi_boundary_plane_size(g, face);
  const double ghost = level->c.boundary_ghost[face],
               factor = open->strength * open->term[face] / (1 - ghost);
  const int axis = face / 2;
  double *const unit = malloc(size * sizeof *unit);
  int u, v, at[3], next[3], cell[3] = {0};
  if (!unit) return hymgi_fail(level->context, HYMG_ENOMEM, "no memory for %zu faces", size);
  for (size_t m = 0; m < size; m++)
    unit[m] = 1;
  hymgi_boundary_by_widths(level, b, face, unit);
  hymgi_boundary_axes(face, &u, &v);
  at[axis] = face & 1 ? g->n[axis] - 1 : 0;
  next[axis] = face & 1 ? at[axis] - 1 : 1;
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++) {
      next[u] = at[u], next[v] = at[v];
      cell[u] = g->low[u] + at[u], cell[v] = g->low[v] + at[v];
      const double first = x[hymgi_at(g, at[0], at[1], at[2])],
                   second = ghost == 0 ? 0 : x[hymgi_at(g, next[0], next[1], next[2])];
      s->charge[side_at(s, face, cell)] =
          factor * unit[hymgi_boundary_at(g, face, at)] * (first - ghost * second);
    }
  free(unit);
  return HYMG_OK;
}

/* x: in memory of the host. */
static hymg_status take_charges(const hymgi_level *level, const double *x, const sides *s)
{
  for (int m = 0; m < 6 * level->num_boxes; m++)
    if (hymgi_is_boundary(level->box + m / 6, m % 6)) TRY(take_face(level, m / 6, m % 6, x, s));
  return HYMG_OK;
}

static hymg_status fetch_charges(const hymgi_level *level, const double *x, const sides *s)
{
  double *copy = NULL;
  if (!level->memory->on_host && level->vector_size > 0) {
    TRY(hymgi_crossing_create(level, level->vector_size, &copy));
    level->backend->copy(level->context, x, copy, (size_t)level->vector_size);
  }
  level->backend->sync(level->context);
  const hymg_status status = take_charges(level, copy ? copy : x, s);
  hymgi_crossing_destroy(level, level->vector_size, &copy);
  return status == HYMG_OK ? level->context->status : status;
}

/* ---- their potential ---- */

static void find_edges(const hymgi_hierarchy *h, const hymgi_level *level, const sides *s)
{
  const hymg_grid_desc *grid = &h->op->grid->desc;
  const hymgi_open *open = &level->boundaries->open;
  for (int axis = 0; axis < 3; axis++) {
    const double unit = 2 * open->half[axis] / grid->n[axis];
    double sum = 0;
    for (int i = 0; i < s->n[axis]; i++) {
      s->edge[axis][i] = unit * sum - open->half[axis];
      sum += hymgi_open_width(h, level, axis, i);
    }
    s->edge[axis][s->n[axis]] = open->half[axis];
  }
}

static hymg_status find_potentials(hymg_context *c, const sides *s)
{
  hymgi_surface surface;
  memcpy(surface.n, s->n, sizeof surface.n);
  for (int axis = 0; axis < 3; axis++)
    surface.edge[axis] = s->edge[axis];
  for (int face = 0; face < 6; face++) {
    surface.charge[face] = s->charge + s->begin[face];
    surface.potential[face] = s->potential + s->begin[face];
  }
  const int ranks = hymgi_comm_size(c->comm);
  const bool enough = hymgi_surface_potential(&surface, hymgi_comm_rank(c->comm), ranks,
                                              s->count < FEW ? 1 : c->threads);
  if (enough) return HYMG_OK;
  return hymgi_fail(c, HYMG_ENOMEM, "no memory for the potential of %d faces", s->count);
}

/* ---- the values ---- */

static double value_of_sides(const hymgi_level *level, int face, const int at[3], const void *data)
{
  const sides *s = data;
  (void)level;
  return s->potential[side_at(s, face, at)];
}

/* The mean of a coarse face's children, of which an odd side's last one has fewer. */
static double mean_of(const sides *fine, int face, const int first[3], const int children[3])
{
  double sum = 0;
  int count = 0, u, v, at[3] = {0};
  hymgi_boundary_axes(face, &u, &v);
  for (int j = 0; j < children[v] && first[v] + j < fine->n[v]; j++)
    for (int i = 0; i < children[u] && first[u] + i < fine->n[u]; i++, count++) {
      at[u] = first[u] + i, at[v] = first[v] + j;
      sum += fine->potential[side_at(fine, face, at)];
    }
  return sum / count;
}

/* In place: what is written has been read. */
static void coarsen(sides *s, const int n[3])
{
  const sides fine = *s;
  int children[3], u, v, at[3], first[3];
  for (int axis = 0; axis < 3; axis++)
    children[axis] = n[axis] < fine.n[axis] ? 2 : 1;
  lay_out(s, n);
  for (int face = 0; face < 6; face++) {
    hymgi_boundary_axes(face, &u, &v);
    for (at[v] = 0; at[v] < n[v]; at[v]++)
      for (at[u] = 0; at[u] < n[u]; at[u]++) {
        first[u] = children[u] * at[u], first[v] = children[v] * at[v];
        s->potential[side_at(s, face, at)] = mean_of(&fine, face, first, children);
      }
  }
}

static void fill_levels(hymgi_hierarchy *h, int l, sides *s)
{
  for (int m = l; m < hymgi_discretised(h); m++) {
    hymgi_level *const level = hymgi_system_level(h, m);
    if (m > l) coarsen(s, level->n);
    hymgi_open_fill(level, value_of_sides, s);
  }
}

static hymg_status load(hymgi_hierarchy *h, int l, const double *x, sides *s)
{
  hymgi_level *const level = hymgi_system_level(h, l);
  hymg_context *const c = level->context;
  TRY(hymgi_agree(c, create(level, s)));
  TRY(hymgi_agree(c, fetch_charges(level, x, s)));
  TRY(hymgi_agree(c, share(c, s, s->charge)));
  find_edges(h, level, s);
  TRY(hymgi_agree(c, find_potentials(c, s)));
  TRY(hymgi_agree(c, share(c, s, s->potential)));
  fill_levels(h, l, s);
  return HYMG_OK;
}

hymg_status hymgi_screening_load(hymgi_hierarchy *h, int l, double *x)
{
  const hymgi_level *level = hymgi_system_level(h, l);
  sides s = {.charge = NULL};
  if (l >= hymgi_discretised(h)) return HYMG_OK;
  hymgi_run_plan(level, level->halo[HYMGI_HALO_FACES], level->box, x, level->box, x);
  const hymg_status status = load(h, l, x, &s);
  destroy(&s);
  return status;
}

static double zero(const hymgi_level *level, int face, const int at[3], const void *data)
{
  (void)level, (void)face, (void)at, (void)data;
  return 0;
}

void hymgi_screening_clear(hymgi_hierarchy *h, int l)
{
  for (int m = l; m < hymgi_discretised(h); m++)
    hymgi_open_fill(hymgi_system_level(h, m), zero, NULL);
}
