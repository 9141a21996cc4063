/* Boundary ghosts on the host: tensor products of the one-dimensional extrapolations, axis z first,
 * then y, then x. */
#include "cpu/cpu.h"
#include "formulas/fv2.h"
#include "multigrid/boundary_data.h"

/* Fills the ghosts at [from, to) of the ghost layers p[0] (the farther one) and p[1] from the four
 * layers p[2] ... p[5] next to the boundary. two: also the farther layer (with 0 unless quartic). */
HYMGI_INLINE void fill_layers(hymgi_extrapolation kind, bool two, hymgi_real *const p[6],
                              ptrdiff_t from, ptrdiff_t to)
{
  hymgi_real *const far = p[0], *const near = p[1];
  const hymgi_real *const x1 = p[2], *const x2 = p[3], *const x3 = p[4], *const x4 = p[5];
  if (kind == HYMGI_QUARTIC_GHOST) {
#pragma omp simd
    for (ptrdiff_t t = from; t < to; t++) {
      const hymgi_real a = x1[t], b = x2[t], c = x3[t], d = x4[t];
      near[t] = hymgi_ghost_v4(a, b, c, d);
      far[t] = hymgi_ghost2_v4(a, b, c, d);
    }
    return;
  }
  for (ptrdiff_t t = from; kind == HYMGI_NEUMANN_GHOST && t < to; t++) {
    const hymgi_real a = x1[t], b = x2[t], c = x3[t], d = x4[t];
    near[t] = hymgi_neumann_ghost(1, a, b, c, d);
    far[t] = hymgi_neumann_ghost(2, a, b, c, d);
  }
  if (kind == HYMGI_NEUMANN_GHOST) return;
  for (ptrdiff_t t = from; t < to; t++) {
    near[t] = kind == HYMGI_QUADRATIC_GHOST ? hymgi_ghost_v2(x1[t], x2[t])
              : kind == HYMGI_LINEAR_GHOST  ? -x1[t]
                                            : x1[t];
  }
  for (ptrdiff_t t = from; two && t < to; t++)
    far[t] = 0;
}

/* The two ghosts beyond a row's end by quartic extrapolation from the four cells next to it, `at` from the first of them. */
HYMGI_INLINE void fill_quartic(hymgi_real *const p[6], ptrdiff_t at)
{
  const hymgi_real a = p[2][at], b = p[3][at], c = p[4][at], d = p[5][at];
  p[1][at] = hymgi_ghost_v4(a, b, c, d);
  p[0][at] = hymgi_ghost2_v4(a, b, c, d);
}

/* Beyond one end (face 0 or 1) of rows j[0] <= j < j[1] of plane k. Rows of the same colours are two rows apart, if they
 * are split. */
static void fill_ends(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                      hymgi_ghosts ghosts, int face, const int j[2], int k)
{
  const hymgi_extrapolation kind = hymgi_extrapolation_of(level, face, ghosts);
  const bool two = ghosts == HYMGI_GHOSTS_V4;
  const int every = 1 + g->split;
  for (int first = j[0]; first < j[0] + every && first < j[1]; first++) {
    hymgi_real *p[6];
    for (int m = 0; m < 6; m++)
      p[m] = x + hymgi_at(g, face ? g->n[0] + 1 - m : m - 2, first, k);
    ptrdiff_t at = 0;
    for (int row = first; row < j[1]; row += every, at += every * g->pitch)
      if (kind == HYMGI_QUARTIC_GHOST)
        fill_quartic(p, at);
      else
        fill_layers(kind, two, p, at, at + 1);
  }
}

void hymgi_cpu_fill_end_ghosts(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                               hymgi_ghosts ghosts, const int j[2], int k)
{
  for (int face = 0; face < 2; face++)
    if (hymgi_is_boundary(g, face)) fill_ends(level, g, x, ghosts, face, j, k);
}

static bool beyond_boundary(const hymgi_geom *g, int axis, int at)
{
  return (at < 0 && hymgi_is_boundary(g, 2 * axis)) ||
         (at >= g->n[axis] && hymgi_is_boundary(g, 2 * axis + 1));
}

/* Makes Robin ghosts of Dirichlet ones and adds the boundary data, if asked, in the first layer. */
static void add_conditions(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                           hymgi_ghosts ghosts, int face, bool with_data)
{
  const int box = (int)(g - level->box), axis = face / 2;
  const double *const value = with_data ? hymgi_value_plane(level, box, face) : NULL;
  const double *const robin = hymgi_share_plane(level, box, face);
  if ((!value && !robin) || !hymgi_is_boundary(g, face)) return;
  const double weight = hymgi_data_weight(hymgi_extrapolation_of(level, face, ghosts));
  const double stiffness = hymgi_robin_stiffness(level, face, weight);
  int a, b, ijk[3];
  hymgi_boundary_axes(face, &a, &b);
  const int at = face & 1 ? g->n[axis] - 1 : 0;
  ijk[axis] = face & 1 ? g->n[axis] : -1;
  for (ijk[b] = -1; ijk[b] <= g->n[b]; ijk[b]++)
    for (ijk[a] = -1; ijk[a] <= g->n[a]; ijk[a]++) {
      /* edges and corners beyond the boundary of a later axis are extrapolated along that axis */
      const bool later = (a < axis && beyond_boundary(g, a, ijk[a])) ||
                         (b < axis && beyond_boundary(g, b, ijk[b]));
      if (later) continue;
      const int edge[3] = {axis == 0 ? at : ijk[0], axis == 1 ? at : ijk[1],
                           axis == 2 ? at : ijk[2]};
      hymgi_real *const ghost = x + hymgi_at(g, ijk[0], ijk[1], ijk[2]);
      *ghost =
          (hymgi_real)hymgi_ghost_with(x[hymgi_at(g, edge[0], edge[1], edge[2])], *ghost, weight,
                                       stiffness, robin, value, hymgi_boundary_at(g, face, ijk));
    }
}

void hymgi_cpu_fill_row_ghosts(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                               hymgi_ghosts ghosts, int face, const int rows[2])
{
  const int axis = face / 2, edge = face & 1 ? g->n[axis] - 1 : 0;
  const int j = axis == 1 ? edge : rows[0], k = axis == 1 ? rows[0] : edge;
  const int beyond = g->split ? 1 : g->ghost;
  const int from = g->boundaries & 1 ? 0 : -beyond,
            to = host_slots(g) + (g->boundaries & 2 ? 0 : beyond);
  const ptrdiff_t out = axis == 1 ? g->pitch : g->plane, next = axis == 1 ? g->plane : g->pitch,
                  in = face & 1 ? -out : out;
  const hymgi_extrapolation kind = hymgi_extrapolation_of(level, face, ghosts);
  hymgi_real *const colour[2] = {x + hymgi_row(g, 0, j, k), x + hymgi_row(g, g->split, j, k)};
  for (int m = 0; m < rows[1] - rows[0]; m++)
    for (int c = 0; c <= g->split; c++) {
      hymgi_real *const a = colour[c] + m * next, *const b = colour[1 - c] +
                                                             m * next; /* of the rows beside it */
      hymgi_real *const p[6] = {a - 2 * in, b - in, a, b + in, a + 2 * in, b + 3 * in};
      fill_layers(kind, ghosts == HYMGI_GHOSTS_V4, p, from, to);
    }
}

static void fill_both(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                      hymgi_ghosts ghosts, int axis, const int rows[2])
{
  for (int face = 2 * axis; face < 2 * axis + 2; face++)
    if (hymgi_is_boundary(g, face)) hymgi_cpu_fill_row_ghosts(level, g, x, ghosts, face, rows);
}

/* What is filled. edges: so many layers of the ghosts beyond two or three boundaries. */
typedef struct filling {
  const hymgi_level *level;
  const hymgi_geom *g;
  hymgi_real *x;
  hymgi_ghosts ghosts;
  int edges;
  bool conditions, with_data;
} filling;

static void wait_for_all(const hymg_context *context)
{
  if (host_team(context) == 1) return;
#pragma omp barrier
}

/* This thread's share of layers [-low, n + high) */
static bool share(const hymg_context *context, int n, int low, int high, int layers[2])
{
  int64_t from, to;
  host_share(context, n + low + high, &from, &to);
  layers[0] = (int)from - low, layers[1] = (int)to - low;
  return from < to;
}

/* By a thread of a team, which is alone if conditions is set. What is done along y and x has the same planes, so no
 * thread waits between. */
static void fill_share(void *user)
{
  const filling *t = user;
  const hymgi_geom *g = t->g;
  const int e = t->edges, ny = g->n[1];
  const int j[2] = {-e, ny + e};
  int of[2];
  /* but for rows whose values are not known yet */
  if (share(t->level->context, ny, g->boundaries & 4 ? 0 : e, g->boundaries & 8 ? 0 : e, of))
    fill_both(t->level, g, t->x, t->ghosts, 2, of);
  wait_for_all(t->level->context);
  for (int face = 4; t->conditions && face < 6; face++)
    add_conditions(t->level, g, t->x, t->ghosts, face, t->with_data);
  if (share(t->level->context, g->n[2], e, e, of)) fill_both(t->level, g, t->x, t->ghosts, 1, of);
  for (int face = 2; t->conditions && face < 4; face++)
    add_conditions(t->level, g, t->x, t->ghosts, face, t->with_data);
  for (int k = of[0]; k < of[1]; k++)
    hymgi_cpu_fill_end_ghosts(t->level, g, t->x, t->ghosts, j, k);
  for (int face = 0; t->conditions && face < 2; face++)
    add_conditions(t->level, g, t->x, t->ghosts, face, t->with_data);
}

static void fill(filling t)
{
  const hymgi_level *level = t.level;
  for (t.g = level->box; t.g < level->box + level->num_boxes; t.g++)
    if (t.g->boundaries)
      hymgi_cpu_share_out(level->context, t.conditions ? 1 : hymgi_cpu_threads(level), fill_share,
                          &t);
}

void hymgi_cpu_fill_ghosts(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts,
                           bool with_data)
{
  const bool conditions = level->boundaries && (with_data || hymgi_has_robin(level));
  if (ghosts != HYMGI_GHOSTS_P0)
    fill((filling){level, NULL, x, ghosts, level->ghost, conditions, with_data});
}

void hymgi_cpu_fill_fv4_ghosts(const hymgi_level *level, hymgi_real *x)
{
  fill((filling){level, NULL, x, HYMGI_GHOSTS_V4, 1, level->boundaries && hymgi_has_robin(level),
                 false});
}

/* Face ghosts only. */
void hymgi_cpu_fill_stencil_ghosts(const hymgi_level *level, hymgi_real *x)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int face = 0; face < 6; face++) {
      if (!hymgi_is_boundary(g, face)) continue;
      const int axis = face / 2, out = face & 1 ? g->n[axis] : -1,
                opposite = face & 1 ? g->n[axis] - 2 : 1;
      const hymgi_real weight = (hymgi_real)level->c.boundary_ghost[face];
      int a, b, to[3], from[3];
      hymgi_boundary_axes(face, &a, &b);
      to[axis] = out, from[axis] = opposite;
      for (to[b] = 0; to[b] < g->n[b]; to[b]++)
        for (to[a] = 0; to[a] < g->n[a]; to[a]++) {
          from[a] = to[a], from[b] = to[b];
          x[hymgi_at(g, to[0], to[1], to[2])] =
              hymgi_fv2_ghost(weight, x[hymgi_at(g, from[0], from[1], from[2])]);
        }
    }
}

void hymgi_cpu_boundary_term(const hymgi_level *level, int box, int face)
{
  const hymgi_geom *g = level->box + box;
  const int axis = face / 2;
  const double *const value = level->boundaries->value[box * 6 + face];
  const hymgi_real *const beta = level->c.beta[axis];
  const double *const robin = hymgi_share_plane(level, box, face);
  double *const term = level->boundaries->term[box * 6 + face];
  const double weight = hymgi_fv2_boundary(level, face).data;
  const double stiffness = hymgi_robin_stiffness(level, face, weight);
  int u, v, at[3], beta_at[3];
  hymgi_boundary_axes(face, &u, &v);
  at[axis] = face & 1 ? g->n[axis] - 1 : 0;
  beta_at[axis] = face & 1 ? g->n[axis] : 0;
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++) {
      beta_at[u] = at[u], beta_at[v] = at[v];
      const double scale =
          level->c.beta_constant[axis] *
          (beta ? (double)beta[hymgi_at(g, beta_at[0], beta_at[1], beta_at[2])] : 1);
      const ptrdiff_t m = hymgi_boundary_at(g, face, at);
      const double factor = robin ? weight * hymgi_robin_factor(robin[m], stiffness) : weight;
      term[m] = scale * factor * value[m];
    }
}

void hymgi_cpu_add_boundary_terms(const hymgi_level *level, hymgi_real *f)
{
  for (int m = 0; m < level->num_boxes * 6; m++) {
    const hymgi_geom *g = level->box + m / 6;
    const int face = m % 6;
    const double *const term = level->boundaries->term[m];
    if (!term) continue;
    int u, v, at[3];
    hymgi_boundary_axes(face, &u, &v);
    at[face / 2] = face & 1 ? g->n[face / 2] - 1 : 0;
    for (at[v] = 0; at[v] < g->n[v]; at[v]++)
      for (at[u] = 0; at[u] < g->n[u]; at[u]++)
        f[hymgi_at(g, at[0], at[1], at[2])] += (hymgi_real)term[hymgi_boundary_at(g, face, at)];
  }
}
