/* Robin conditions alpha u + beta du/dn = g: on every level a share alpha / (alpha + beta / h) with the
 * finest level's h (formulas/boundary.h), which does not depend on how the user scales the condition.
 * Dirichlet boundaries with the extrapolation VERTEX are of this kind as well: they are h/2 beyond the
 * face, as if u + h/2 du/dn had their values on the face. */
#include <math.h>

#include "hierarchy/build.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "problem/coordinates.h"

/* The condition of a face, where a field is NULL the number. */
typedef struct condition {
  double alpha, beta, h;
  bool scaled; /* h is not the same at all cells */
  const hymg_field *alpha_field, *beta_field;
  double largest;     /* share */
  hymg_status status; /* of the first cell that is wrong */
} condition;

static condition condition_of(const hymgi_hierarchy *h, int face)
{
  const hymg_operator_desc *d = &h->op->desc;
  const bool dirichlet = hymgi_boundary_kind_of(h->op->grid->desc.boundary[face]).holds;
  condition c = {.alpha = 1,
                 .h = h->level->h[face / 2],
                 .scaled = hymgi_is_scaled(&h->op->grid->desc, face / 2)};
  c.beta = 0.5 * c.h;
  if (dirichlet) return c;
  c.alpha = d->robin_alpha_constant[face], c.alpha_field = d->robin_alpha[face];
  c.beta = d->robin_beta_constant[face], c.beta_field = d->robin_beta[face];
  return c;
}

static void check(condition *c, const hymgi_level *level, int b, int face, const int at[3],
                  const char *name, double value)
{
  const int *low = level->box[b].low;
  if (c->status != HYMG_OK || (value >= 0 && isfinite(value))) return;
  c->status =
      hymgi_fail(level->context, HYMG_EINVAL,
                 "robin_%s = %g on face %s at cell (%d, %d, %d): at least 0 and finite", name,
                 value, hymgi_face_name(face), low[0] + at[0], low[1] + at[1], low[2] + at[2]);
}

/* alpha, which is checked, into the planes of shares. */
static void keep_alpha(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                       void *user)
{
  check(user, level, b, face, at, "alpha", *cell);
  level->boundaries->share[b * 6 + face][hymgi_boundary_at(level->box + b, face, at)] = *cell;
}

/* beta, which is checked, becomes the share; the data's factor goes to the planes of values. */
static void make_share(const hymgi_level *level, int b, int face, const int at[3], double *cell,
                       void *user)
{
  condition *const c = user;
  const ptrdiff_t m = hymgi_boundary_at(level->box + b, face, at);
  double *const value = level->boundaries->value[b * 6 + face];
  const double pitch = c->scaled ? hymgi_boundary_measure(level, b, face, HYMGI_PITCH, at) : 1;
  const double alpha = level->boundaries->share[b * 6 + face][m], beta = *cell,
               sum = alpha + beta / (c->h * pitch);
  const int *low = level->box[b].low;
  check(c, level, b, face, at, "beta", beta);
  if (sum == 0 && c->status == HYMG_OK)
    c->status = hymgi_fail(level->context, HYMG_EINVAL,
                           "robin_alpha and robin_beta are both 0 on face %s at cell (%d, %d, %d): "
                           "at most one of them",
                           hymgi_face_name(face), low[0] + at[0], low[1] + at[1], low[2] + at[2]);
  *cell = alpha / sum;
  c->largest = fmax(c->largest, *cell);
  if (value) value[m] = 1 / sum;
}

/* Extrapolated ghosts stay shares. */
static void make_plane(const hymgi_level *level, int b, int face, const double *cells)
{
  double *const plane = level->boundaries->share[b * 6 + face];
  if (!plane) return;
  const ptrdiff_t size = hymgi_boundary_plane(level, b, face, cells, plane);
  for (ptrdiff_t m = 0; m < size; m++)
    plane[m] = fmin(fmax(plane[m], 0), 1);
}

static hymg_status read_field(hymgi_hierarchy *h, int face, const hymg_field *field,
                              double constant, double *cells)
{
  if (field) return hymgi_boundary_read(h->system, field, face, cells);
  hymgi_boundary_each(h->system, face, cells, hymgi_boundary_set, &constant);
  return HYMG_OK;
}

static hymg_status read_shares(hymgi_hierarchy *h, int face, condition *c, double *cells)
{
  TRY(read_field(h, face, c->alpha_field, c->alpha, cells));
  hymgi_boundary_each(h->system, face, cells, keep_alpha, c);
  TRY(read_field(h, face, c->beta_field, c->beta, cells));
  hymgi_boundary_each(h->system, face, cells, make_share, c);
  TRY(hymgi_agree(h->context, c->status));
  return hymgi_comm_max_double(h->context, h->context->comm, &c->largest, 1);
}

static hymg_status load_fields(hymgi_hierarchy *h, int face, condition *c)
{
  hymgi_level *level = h->system;
  double *cells;
  hymg_status status =
      hymgi_agree(h->context, hymgi_crossing_create(level, level->vector_size, &cells));
  if (status == HYMG_OK) status = read_shares(h, face, c, cells);
  if (status == HYMG_OK) return hymgi_boundary_spread(h, face, cells, make_plane);
  hymgi_crossing_destroy(level, level->vector_size, &cells);
  return status;
}

static void fill_plane(const hymgi_level *level, int b, int face, double value, double *plane)
{
  int u, v;
  const hymgi_geom *g = level->box + b;
  hymgi_boundary_axes(face, &u, &v);
  for (ptrdiff_t m = 0; plane && m < (ptrdiff_t)(g->n[u] + 2) * (g->n[v] + 2); m++)
    plane[m] = value;
}

hymg_status hymgi_robin_load(hymgi_hierarchy *h, int face, double *most)
{
  condition c = condition_of(h, face);
  if (c.alpha_field || c.beta_field || c.scaled) {
    TRY(load_fields(h, face, &c));
    *most = c.largest;
    return HYMG_OK;
  }
  const double sum = c.alpha + c.beta / c.h, share = c.alpha / sum;
  *most = share;
  for (int l = 0; l < hymgi_discretised(h); l++) {
    hymgi_level *const level = hymgi_system_level(h, l);
    level->robin[face] = share;
    for (int b = 0; b < level->num_boxes; b++) {
      fill_plane(level, b, face, share, level->boundaries->share[b * 6 + face]);
      if (level->index == 0)
        fill_plane(level, b, face, 1 / sum, level->boundaries->value[b * 6 + face]);
    }
  }
  return HYMG_OK;
}
