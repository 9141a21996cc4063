/* Coefficients of a level on the host: boundary weights of FV2's betas, beta ghosts of FV4, the
 * exact diagonal and the Gershgorin bound. */
#include <stdlib.h>

#include "base/error.h"
#include "cpu/cpu.h"
#include "cpu/setup.h"
#include "formulas/coefficients.h"
#include "multigrid/boundary_data.h"

/* distance to the farthest cell that an extrapolation reads */
enum { REACH = 4, WIDTH = 2 * REACH + 1 };

static void fv2_row_sums(const hymgi_level *level, const hymgi_geom *g, const int cjk[3],
                         double *diagonal, double *others)
{
  const fv2_row r = hymgi_fv2_row_of(level, g, NULL, NULL, cjk);
  const relax_weights none = {.residual = 0};
  const double *const ghost = level->c.boundary_ghost;
  hymgi_fv2_run(HOST_DIAGONAL, &r, &none, 0, r.n, diagonal);
  double w[6];
  for (int face = 0; face < 6; face++)
    w[face] = hymgi_is_boundary(g, face) ? ghost[face] : 1;
  const int j = cjk[1], k = cjk[2], p = hymgi_first(g, cjk[0], j, k);
  const double ws = j == 0 ? w[2] : 1, wn = j == g->n[1] - 1 ? w[3] : 1, wd = k == 0 ? w[4] : 1;
  const double wu = k == g->n[2] - 1 ? w[5] : 1;
#pragma omp simd
  for (int t = 0; t < r.n; t++)
    others[t] = r.bw[t] + r.be[t] + ws * r.bs[t] + wn * r.bn[t] + wd * r.bd[t] + wu * r.bu[t];
  const int last = r.n - 1;
  for (int t = 0; t <= last; t += last > 0 ? last : 1) { /* the ends, which may be at a boundary */
    const int i = g->split ? 2 * t + p : t;
    const double ww = i == 0 ? w[0] : 1, we = i == g->n[0] - 1 ? w[1] : 1;
    others[t] =
        ww * r.bw[t] + we * r.be[t] + ws * r.bs[t] + wn * r.bn[t] + wd * r.bd[t] + wu * r.bu[t];
  }
}

typedef double stencil_map[WIDTH][WIDTH][WIDTH]; /* [k][j][i], centred on the cell */

static double *map_at(stencil_map map, int axis, int along, int u, int v)
{
  return axis == 0 ? &map[v][u][along] : axis == 1 ? &map[v][along][u] : &map[along][v][u];
}

/* Replaces coefficients beyond the ends of one axis by those of the cells that they are
 * extrapolated from. */
static void fold_axis(const hymgi_level *level, const hymgi_geom *g, int axis, int at,
                      stencil_map map)
{
  const bool wraps = level->periodic >> axis & 1 && level->n[axis] < 5;
  for (int along = 0; along < WIDTH; along++) {
    const int position = at + along - REACH, n = g->n[axis];
    const int face = position < 0 ? 2 * axis : 2 * axis + 1;
    if (position >= 0 && position < n) continue;
    if (!wraps && !hymgi_is_boundary(g, face)) continue;
    double w[4] = {1};
    const int layer = position < 0 ? -position : position - n + 1;
    if (!wraps && layer > 2) continue;
    if (!wraps) hymgi_ghost_weights(hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V4), layer, w);
    for (int u = 0; u < WIDTH; u++)
      for (int v = 0; v < WIDTH; v++) {
        double *const from = map_at(map, axis, along, u, v);
        const double a = *from;
        if (a == 0) continue;
        *from = 0;
        for (int m = 0; m < 4; m++) {
          if (w[m] == 0) continue;
          const int cell = wraps ? ((position % n) + n) % n : position < 0 ? m : n - 1 - m;
          *map_at(map, axis, cell - at + REACH, u, v) += a * w[m];
        }
      }
  }
}

/* Diagonal and sum of |off-diagonal| of one cell, extrapolations included. */
static void fold_cell(const hymgi_level *level, const hymgi_geom *g, const fv4_row *r, int t,
                      const int ijk[3], double *diagonal, double *others)
{
  stencil_map map = {{{0}}};
  for (int dk = -2; dk <= 2; dk++)
    for (int dj = -2; dj <= 2; dj++)
      for (int di = -2; di <= 2; di++) {
        const int at[3] = {di, dj, dk};
        if (abs(di) + abs(dj) + abs(dk) <= 2)
          map[dk + REACH][dj + REACH][di + REACH] = hymgi_fv4_coefficient(r, t, at);
      }
  for (int axis = 0; axis < 3; axis++)
    fold_axis(level, g, axis, ijk[axis], map);
  *diagonal = map[REACH][REACH][REACH];
  map[REACH][REACH][REACH] = 0;
  double sum = 0;
  for (int m = 0; m < WIDTH * WIDTH * WIDTH; m++)
    sum += fabs((&map[0][0][0])[m]);
  *others = sum;
}

static bool near_end(const hymgi_level *level, const hymgi_geom *g, int axis, int at)
{
  if (level->periodic >> axis & 1) return level->n[axis] < 5;
  return (at < 2 && hymgi_is_boundary(g, 2 * axis)) ||
         (at >= g->n[axis] - 2 && hymgi_is_boundary(g, 2 * axis + 1));
}

static void fv4_row_sums(const hymgi_level *level, const hymgi_geom *g, const int cjk[3],
                         double *diagonal, double *others)
{
  const fv4_row r = hymgi_fv4_row_of(level, g, NULL, level->c.dinv, level->c.dinv, cjk);
  hymgi_fv4_row_sums(&r, 0, r.n, diagonal, others);
  const int p = hymgi_first(g, cjk[0], cjk[1], cjk[2]);
  const bool row_near = near_end(level, g, 1, cjk[1]) || near_end(level, g, 2, cjk[2]);
  for (int t = 0; t < r.n; t++) {
    const int i = g->split ? 2 * t + p : t;
    if (!row_near && !near_end(level, g, 0, i)) continue;
    const int ijk[3] = {i, cjk[1], cjk[2]};
    fold_cell(level, g, &r, t, ijk, diagonal + t, others + t);
  }
}

/* The ghost beyond a boundary next to the cell or face `at`, of which the index along the boundary's axis
 * is not used. */
static void continue_beyond(const hymgi_level *level, const hymgi_geom *g, int face,
                            const int at[3], double *x)
{
  const int t = face / 2, dim = level->extrapolation_dim[t], in = face & 1 ? -1 : 1;
  const int last = face & 1 ? g->n[t] - 1 : 0;
  int from[3] = {at[0], at[1], at[2]};
  double b[5] = {0};
  for (int m = 0; m < 5 && m < dim; m++) {
    from[t] = last + m * in;
    b[m] = x[hymgi_at(g, from[0], from[1], from[2])];
  }
  from[t] = last - in;
  x[hymgi_at(g, from[0], from[1], from[2])] = hymgi_beta_beyond(dim, b);
}

void hymgi_cpu_continue_cells(const hymgi_level *level, double *x)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int face = 0; face < 6; face++) {
      int n[3] = {g->n[0], g->n[1], g->n[2]};
      n[face / 2] = hymgi_is_boundary(g, face) ? 1 : 0;
      for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
          for (int i = 0; i < n[0]; i++)
            continue_beyond(level, g, face, (const int[3]){i, j, k}, x);
    }
}

/* FV2: the faces along `axis` at a boundary get its weight. FV4: those at a boundary of another axis
 * are continued by one layer of ghosts. */
static void finish_faces(const hymgi_level *level, const hymgi_geom *g, int axis, int face)
{
  const int t = face / 2;
  double *const beta = level->c.beta[axis];
  int from[3] = {0, 0, 0}, to[3] = {g->n[0], g->n[1], g->n[2]};
  to[axis]++;
  from[t] = face & 1 ? to[t] - 1 : 0, to[t] = from[t] + 1;
#pragma omp parallel for collapse(2) schedule(static) num_threads(hymgi_cpu_threads(level))
  for (int k = from[2]; k < to[2]; k++)
    for (int j = from[1]; j < to[1]; j++)
      for (int i = from[0]; i < to[0]; i++) {
        if (t == axis)
          beta[hymgi_at(g, i, j, k)] *= level->c.boundary_weight[face];
        else
          continue_beyond(level, g, face, (const int[3]){i, j, k}, beta);
      }
}

/* Robin conditions: the faces' betas times what a plane of fractions says. */
static void add_robin(const hymgi_level *level, const hymgi_geom *g, int face)
{
  const double *const robin = hymgi_share_plane(level, (int)(g - level->box), face);
  if (!robin) return;
  const int axis = face / 2;
  const double stiffness = hymgi_fv2_stiffness(level, face);
  int u, v, at[3];
  hymgi_boundary_axes(face, &u, &v);
  at[axis] = face & 1 ? g->n[axis] : 0;
  for (at[v] = 0; at[v] < g->n[v]; at[v]++)
    for (at[u] = 0; at[u] < g->n[u]; at[u]++)
      level->c.beta[axis][hymgi_at(g, at[0], at[1], at[2])] *=
          hymgi_robin_flux(robin[hymgi_boundary_at(g, face, at)], stiffness);
}

static void finish_betas(const hymgi_level *level)
{
  const bool fv2 = level->op->stencil == HYMG_FV2;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int axis = 0; axis < 3; axis++)
      for (int face = 0; face < 6; face++)
        if (hymgi_is_boundary(g, face) && (face / 2 == axis) == fv2) {
          finish_faces(level, g, axis, face);
          if (fv2) add_robin(level, g, face);
        }
}

/* Gershgorin bound max (A_ii + sum |A_ij|) / A_ii over this thread's rows; stores 1/diagonal and
 * the l1 scaling. */
static double scan_rows(hymgi_level *level)
{
  double *const diagonal = host_scratch(level, 3), *const others = host_scratch(level, 4);
  double bound = 0;
  const bool fv2 = level->op->stencil == HYMG_FV2;
  for (host_row r = hymgi_cpu_rows(level, level->box, level->num_boxes, true); r.g;
       hymgi_cpu_next(&r)) {
    if (fv2)
      fv2_row_sums(level, r.g, r.cjk, diagonal, others);
    else
      fv4_row_sums(level, r.g, r.cjk, diagonal, others);
#pragma omp simd reduction(max : bound)
    for (int t = 0; t < r.n; t++) {
      const double lambda = (diagonal[t] + others[t]) / diagonal[t];
      bound = lambda > bound ? lambda : bound;
    }
    for (int t = 0; level->c.dinv && t < r.n; t++)
      level->c.dinv[r.at + t] = 1 / diagonal[t];
    for (int t = 0; level->c.l1inv && t < r.n; t++)
      level->c.l1inv[r.at + t] = hymgi_l1_scale(diagonal[t], others[t]);
  }
  return bound;
}

hymg_status hymgi_cpu_finish_coefficients(hymgi_level *level)
{
  hymgi_cpu_watch(level->context);
  if (level->op->stencil == HYMG_FV2) hymgi_fv2_boundaries(level);
  if (level->c.beta[0]) finish_betas(level);
  TRY(hymgi_cpu_constant_rows(level));
  double bound = 0;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    const double mine = scan_rows(level);
#pragma omp critical
    bound = mine > bound ? mine : bound;
  }
  level->lambda_max = bound;
  return HYMG_OK;
}

/* Betas beside boundaries are continued as their owner does it. */
hymg_status hymgi_cpu_finish_layers(hymgi_level *view)
{
  if (view->op->stencil == HYMG_FV4 && view->c.beta[0]) finish_betas(view);
  return hymgi_cpu_constant_rows(view);
}
