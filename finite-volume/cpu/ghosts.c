/* Boundary ghosts on the host: tensor products of the one-dimensional extrapolations, axis z first,
 * then y, then x. */
#include "cpu/cpu.h"
#include "formulas/fv2.h"
#include "multigrid/boundary_data.h"

/* Fills the ghosts at [from, to) of the ghost layers p[0] (the farther one) and p[1] from the four
 * layers p[2] ... p[5] next to the boundary. two: also the farther layer (with 0 unless quartic). */
HYMGI_INLINE void fill_layers(hymgi_extrapolation kind, bool two, hymgi_real *const p[6], int from,
                              int to)
{
  hymgi_real *const far = p[0], *const near = p[1];
  const hymgi_real *const x1 = p[2], *const x2 = p[3], *const x3 = p[4], *const x4 = p[5];
  if (kind == HYMGI_QUARTIC_GHOST) {
#pragma omp simd
    for (int t = from; t < to; t++) {
      const hymgi_real a = x1[t], b = x2[t], c = x3[t], d = x4[t];
      near[t] = hymgi_ghost_v4(a, b, c, d);
      far[t] = hymgi_ghost2_v4(a, b, c, d);
    }
    return;
  }
  for (int t = from; kind == HYMGI_NEUMANN_GHOST && t < to; t++) {
    const hymgi_real a = x1[t], b = x2[t], c = x3[t], d = x4[t];
    near[t] = hymgi_neumann_ghost(1, a, b, c, d);
    far[t] = hymgi_neumann_ghost(2, a, b, c, d);
  }
  if (kind == HYMGI_NEUMANN_GHOST) return;
  for (int t = from; t < to; t++) {
    near[t] = kind == HYMGI_QUADRATIC_GHOST ? hymgi_ghost_v2(x1[t], x2[t])
              : kind == HYMGI_LINEAR_GHOST  ? -x1[t]
                                            : x1[t];
  }
  for (int t = from; two && t < to; t++)
    far[t] = 0;
}

/* At both ends of row (j, k). */
static void fill_ends(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                      hymgi_ghosts ghosts, int j, int k)
{
  const int even = g->split ? (j + k + g->parity) & 1 : 0;
  hymgi_real *const e = x + hymgi_row(g, even, j, k);
  hymgi_real *const o = x + hymgi_row(g, g->split ? 1 - even : 0, j, k);
  for (int face = 0; face < 2; face++) {
    if (!hymgi_is_boundary(g, face)) continue;
    hymgi_real *p[6];
    for (int m = 0; m < 6; m++) {
      const int i = face ? g->n[0] + 1 - m : m - 2;
      p[m] = g->split ? (i & 1 ? o : e) + (i >> 1) : e + i;
    }
    fill_layers(hymgi_extrapolation_of(level, face, ghosts), ghosts == HYMGI_GHOSTS_V4, p, 0, 1);
  }
}

/* The two ghosts beyond a row's end by quartic extrapolation from the four cells next to it. */
HYMGI_INLINE void fill_quartic(hymgi_real *far, hymgi_real *near, const hymgi_real *x1,
                               const hymgi_real *x2, const hymgi_real *x3, const hymgi_real *x4)
{
  const hymgi_real a = *x1, b = *x2, c = *x3, d = *x4;
  *near = hymgi_ghost_v4(a, b, c, d);
  *far = hymgi_ghost2_v4(a, b, c, d);
}

/* fill_ends of rows j[0] <= j < j[1] that are split, with boundaries of order 4 at both ends. */
static void fill_quartic_ends(const hymgi_geom *g, hymgi_real *x, const int j[2], int k)
{
  const int n = g->n[0] / 2, odd = g->n[0] % 2;
  for (int at = j[0]; at < j[1]; at++) {
    const int even = hymgi_first(g, 0, at, k);
    hymgi_real *const e = x + hymgi_row(g, even, at, k);
    hymgi_real *const o = x + hymgi_row(g, 1 - even, at, k);
    fill_quartic(e - 1, o - 1, e, o, e + 1, o + 1);
    hymgi_real *const far = (odd ? e + 1 : o) + n, *const near = (odd ? o : e) + n;
    fill_quartic(far, near, far - 1, near - 1, far - 2, near - 2);
  }
}

void hymgi_cpu_fill_end_ghosts(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                               hymgi_ghosts ghosts, const int j[2], int k)
{
  bool quartic = g->split && g->n[0] >= 8;
  for (int face = 0; face < 2; face++)
    quartic = quartic && hymgi_is_boundary(g, face) &&
              hymgi_extrapolation_of(level, face, ghosts) == HYMGI_QUARTIC_GHOST;
  if (quartic)
    fill_quartic_ends(g, x, j, k);
  else
    for (int at = j[0]; at < j[1]; at++)
      fill_ends(level, g, x, ghosts, at, k);
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
                               hymgi_ghosts ghosts, int face, int at)
{
  const int axis = face / 2, edge = face & 1 ? g->n[axis] - 1 : 0;
  const int j = axis == 1 ? edge : at, k = axis == 1 ? at : edge;
  const int beyond = g->split ? 1 : g->ghost;
  const ptrdiff_t step = axis == 1 ? g->pitch : g->plane, in = face & 1 ? -step : step;
  for (int c = 0; c <= g->split; c++) {
    hymgi_real *const a = x + hymgi_row(g, c, j, k);
    hymgi_real *const b = g->split ? x + hymgi_row(g, 1 - c, j, k) : a; /* of the rows beside it */
    hymgi_real *const p[6] = {a - 2 * in, b - in, a, b + in, a + 2 * in, b + 3 * in};
    fill_layers(hymgi_extrapolation_of(level, face, ghosts), ghosts == HYMGI_GHOSTS_V4, p, -beyond,
                host_slots(g) + beyond);
  }
}

static void fill_both(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                      hymgi_ghosts ghosts, int axis, int at)
{
  for (int face = 2 * axis; face < 2 * axis + 2; face++)
    if (hymgi_is_boundary(g, face)) hymgi_cpu_fill_row_ghosts(level, g, x, ghosts, face, at);
}

static void wait_for_all(void)
{
  if (host_team() == 1) return;
#pragma omp barrier
}

/* By a thread of a team, which is alone if conditions is set. Both loops over k have the same planes, so no
 * thread waits between them. */
static void fill_box(const hymgi_level *level, const hymgi_geom *g, hymgi_real *x,
                     hymgi_ghosts ghosts, bool conditions, bool data)
{
  const int low = g->boundaries & 4 ? 0 : -g->ghost, /* rows whose values are known already */
      high = g->boundaries & 8 ? g->n[1] : g->n[1] + g->ghost;
  int64_t from, to;
  host_share(high - low, &from, &to);
  for (int64_t m = from; m < to; m++)
    fill_both(level, g, x, ghosts, 2, low + (int)m);
  wait_for_all();
  for (int face = 4; conditions && face < 6; face++)
    add_conditions(level, g, x, ghosts, face, data);
  host_share(g->n[2] + 2 * g->ghost, &from, &to);
  for (int64_t m = from; m < to; m++)
    fill_both(level, g, x, ghosts, 1, (int)m - g->ghost);
  for (int face = 2; conditions && face < 4; face++)
    add_conditions(level, g, x, ghosts, face, data);
  const int j[2] = {-g->ghost, g->n[1] + g->ghost};
  for (int64_t m = from; m < to; m++)
    hymgi_cpu_fill_end_ghosts(level, g, x, ghosts, j, (int)m - g->ghost);
  for (int face = 0; conditions && face < 2; face++)
    add_conditions(level, g, x, ghosts, face, data);
}

typedef struct filling {
  const hymgi_level *level;
  const hymgi_geom *g;
  hymgi_real *x;
  hymgi_ghosts ghosts;
  bool conditions, with_data;
} filling;

static void fill_share(void *user)
{
  const filling *t = user;
  fill_box(t->level, t->g, t->x, t->ghosts, t->conditions, t->with_data);
}

void hymgi_cpu_fill_ghosts(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts,
                           bool with_data)
{
  if (ghosts == HYMGI_GHOSTS_P0) return;
  const bool conditions = level->boundaries && (with_data || hymgi_has_robin(level));
  const int threads = conditions ? 1 : hymgi_cpu_threads(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    if (!g->boundaries) continue;
    filling t = {level, g, x, ghosts, conditions, with_data};
    hymgi_cpu_share_out(threads, fill_share, &t);
  }
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
