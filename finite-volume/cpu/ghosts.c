/* Boundary ghosts on the host: tensor products of the one-dimensional extrapolations, axis z first,
 * then y, then x. */
#include "cpu/cpu.h"
#include "formulas/fv2.h"
#include "multigrid/boundary_data.h"

/* The ghosts at the end of one line of cells, from the four cells next to the boundary. two: also
 * fill a second layer (with 0 unless quartic). */
static void fill_line_ghosts(hymgi_extrapolation kind, bool two, const double *const inside[4],
                             double *const ghost[2])
{
  if (kind == HYMGI_QUARTIC_GHOST) {
    *ghost[0] = hymgi_ghost_v4(*inside[0], *inside[1], *inside[2], *inside[3]);
    *ghost[1] = hymgi_ghost2_v4(*inside[0], *inside[1], *inside[2], *inside[3]);
    return;
  }
  if (kind == HYMGI_QUADRATIC_GHOST)
    *ghost[0] = hymgi_ghost_v2(*inside[0], *inside[1]);
  else
    *ghost[0] = kind == HYMGI_LINEAR_GHOST ? -*inside[0] : *inside[0];
  if (two) *ghost[1] = 0;
}

void hymgi_cpu_fill_end_ghosts(const hymgi_level *level, const hymgi_geom *g, double *x,
                               hymgi_ghosts ghosts, int j, int k)
{
  const int even = g->split ? (j + k + g->parity) & 1 : 0;
  double *const e = x + hymgi_row(g, even, j, k), *const o =
                                                      x +
                                                      hymgi_row(g, g->split ? 1 - even : 0, j, k);
#define AT(i) (g->split ? ((i)&1 ? o : e) + ((i) >> 1) : e + (i))
  for (int face = 0; face < 2; face++) {
    if (!(g->boundaries >> face & 1)) continue;
    const int edge = face ? g->n[0] - 1 : 0, in = face ? -1 : 1;
    const double *const inside[4] = {AT(edge), AT(edge + in), AT(edge + 2 * in), AT(edge + 3 * in)};
    double *const ghost[2] = {AT(edge - in), AT(edge - 2 * in)};
    fill_line_ghosts(hymgi_extrapolation_of(level, face, ghosts), ghosts == HYMGI_GHOSTS_V4, inside,
                     ghost);
  }
#undef AT
}

/* Fills two ghost rows beyond row (j, k), including its ghosts; `in` is the stride to the next row
 * inwards. */
static void fill_row_ghosts(hymgi_extrapolation kind, bool two, const hymgi_geom *g, double *x,
                            int j, int k, ptrdiff_t in)
{
  const int from = g->split ? -1 : -g->ghost, to = g->split ? g->n[0] / 2 + 1 : g->n[0] + g->ghost;
  for (int c = 0; c <= g->split; c++) {
    double *const a = x + hymgi_row(g, c, j, k); /* x1, x3 and ghost 2 */
    double *const b =
        g->split ? x + hymgi_row(g, 1 - c, j, k) : a; /* the neighbouring rows: ghost 1, x2, x4 */
    if (kind == HYMGI_QUARTIC_GHOST) {
#pragma omp simd
      for (int t = from; t < to; t++) {
        const double x1 = a[t], x2 = b[t + in], x3 = a[t + 2 * in], x4 = b[t + 3 * in];
        b[t - in] = hymgi_ghost_v4(x1, x2, x3, x4);
        a[t - 2 * in] = hymgi_ghost2_v4(x1, x2, x3, x4);
      }
      continue;
    }
    for (int t = from; t < to; t++)
      b[t - in] = kind == HYMGI_QUADRATIC_GHOST ? hymgi_ghost_v2(a[t], b[t + in])
                  : kind == HYMGI_LINEAR_GHOST  ? -a[t]
                                                : a[t];
    if (two)
      for (int t = from; t < to; t++)
        a[t - 2 * in] = 0;
  }
}

static bool beyond_boundary(const hymgi_geom *g, int axis, int at)
{
  return (at < 0 && g->boundaries >> (2 * axis) & 1) ||
         (at >= g->n[axis] && g->boundaries >> (2 * axis + 1) & 1);
}

/* Adds the boundary data, times a factor, to the first ghost layer. */
static void add_data(const hymgi_level *level, const hymgi_geom *g, double *x, hymgi_ghosts ghosts,
                     int face)
{
  const hymgi_boundary_data *boundaries = level->boundaries;
  const double *value = boundaries ? boundaries->value[(g - level->box) * 6 + face] : NULL;
  if (!value || !(g->boundaries >> face & 1)) return;
  const double factor = hymgi_data_weight(hymgi_extrapolation_of(level, face, ghosts));
  const int axis = face / 2;
  int a, b, ijk[3];
  hymgi_boundary_axes(face, &a, &b);
  ijk[axis] = face & 1 ? g->n[axis] : -1;
  for (ijk[b] = -1; ijk[b] <= g->n[b]; ijk[b]++)
    for (ijk[a] = -1; ijk[a] <= g->n[a]; ijk[a]++) {
      /* edges and corners beyond the boundary of a later axis are extrapolated along that axis */
      const bool later = (a < axis && beyond_boundary(g, a, ijk[a])) ||
                         (b < axis && beyond_boundary(g, b, ijk[b]));
      if (!later)
        x[hymgi_at(g, ijk[0], ijk[1], ijk[2])] += factor * value[hymgi_boundary_at(g, face, ijk)];
    }
}

void hymgi_cpu_fill_row_ghosts(const hymgi_level *level, const hymgi_geom *g, double *x,
                               hymgi_ghosts ghosts, int face, int at)
{
  const int axis = face / 2, edge = face & 1 ? g->n[axis] - 1 : 0;
  const ptrdiff_t step = axis == 1 ? g->pitch : g->plane, in = face & 1 ? -step : step;
  fill_row_ghosts(hymgi_extrapolation_of(level, face, ghosts), ghosts == HYMGI_GHOSTS_V4, g, x,
                  axis == 1 ? edge : at, axis == 1 ? at : edge, in);
}

static void fill_both(const hymgi_level *level, const hymgi_geom *g, double *x, hymgi_ghosts ghosts,
                      int axis, int at)
{
  for (int face = 2 * axis; face < 2 * axis + 2; face++)
    if (g->boundaries >> face & 1) hymgi_cpu_fill_row_ghosts(level, g, x, ghosts, face, at);
}

/* Called inside a parallel region, or serially if data is set. Both loops over k assign the same
 * planes to a thread, so no barrier is needed between them. */
static void fill_box(const hymgi_level *level, const hymgi_geom *g, double *x, hymgi_ghosts ghosts,
                     bool data)
{
  const int low = g->boundaries & 4 ? 0 : -g->ghost, /* rows whose values are known already */
      high = g->boundaries & 8 ? g->n[1] : g->n[1] + g->ghost;
#pragma omp for schedule(static)
  for (int j = low; j < high; j++)
    fill_both(level, g, x, ghosts, 2, j);
  for (int face = 4; data && face < 6; face++)
    add_data(level, g, x, ghosts, face);
#pragma omp for schedule(static) nowait
  for (int k = -g->ghost; k < g->n[2] + g->ghost; k++)
    fill_both(level, g, x, ghosts, 1, k);
  for (int face = 2; data && face < 4; face++)
    add_data(level, g, x, ghosts, face);
#pragma omp for schedule(static)
  for (int k = -g->ghost; k < g->n[2] + g->ghost; k++)
    for (int j = -g->ghost; j < g->n[1] + g->ghost; j++)
      hymgi_cpu_fill_end_ghosts(level, g, x, ghosts, j, k);
  for (int face = 0; data && face < 2; face++)
    add_data(level, g, x, ghosts, face);
}

void hymgi_cpu_fill_ghosts(const hymgi_level *level, double *x, hymgi_ghosts ghosts, bool with_data)
{
  if (ghosts == HYMGI_GHOSTS_P0) return;
  const bool data = with_data && level->boundaries;
  const int threads = data ? 1 : hymgi_cpu_threads(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    if (!g->boundaries) continue;
#pragma omp parallel num_threads(threads) if (threads > 1)
    fill_box(level, g, x, ghosts, data);
  }
}

/* Face ghosts only. */
void hymgi_cpu_fill_stencil_ghosts(const hymgi_level *level, double *x)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int face = 0; face < 6; face++) {
      if (!(g->boundaries >> face & 1)) continue;
      const int axis = face / 2, out = face & 1 ? g->n[axis] : -1,
                opposite = face & 1 ? g->n[axis] - 2 : 1;
      const double weight = level->c.boundary_ghost[face];
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
  const double *const value = level->boundaries->value[box * 6 + face], *const beta =
                                                                            level->c.beta[axis];
  double *const term = level->boundaries->term[box * 6 + face];
  const double factor = hymgi_data_weight(hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V2));
  int u, v, at[3], beta_at[3];
  hymgi_boundary_axes(face, &u, &v);
  at[axis] = face & 1 ? g->n[axis] - 1 : 0;
  beta_at[axis] = face & 1 ? g->n[axis] : 0;
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++) {
      beta_at[u] = at[u], beta_at[v] = at[v];
      const double scale = level->c.beta_constant[axis] *
                           (beta ? beta[hymgi_at(g, beta_at[0], beta_at[1], beta_at[2])] : 1);
      term[hymgi_boundary_at(g, face, at)] = scale * factor * value[hymgi_boundary_at(g, face, at)];
    }
}

void hymgi_cpu_add_boundary_terms(const hymgi_level *level, double *f)
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
        f[hymgi_at(g, at[0], at[1], at[2])] += term[hymgi_boundary_at(g, face, at)];
  }
}
