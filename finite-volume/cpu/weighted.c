/* The weighted transfers of the robust path on the host, a row at a time. A cell takes part of its
 * value from the coarse neighbour on its side along each coarsened axis; restriction is the
 * transpose, written so that every coarse cell collects from its children and from the nearest cells
 * of its neighbours: the order of the sum depends on nothing but the cell. */
#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* scratch rows; 0 to 2 belong to sweep.c */
enum {
  COLLECTED = 3,
  ALONG_X = 4,
  RESIDUAL_ROW = 5,
  WEIGHT_ROWS = 6,
  COARSE_ROWS = 9,
  RESULT = 12
};

static bool halved(const hymgi_level *level, int axis)
{
  return level->coarsened >> axis & 1;
}

/* The weights of a row, NULL for axes that are not coarsened or if weights are not used. */
static void weight_rows(const hymgi_level *level, const hymgi_geom *g, int j, int k,
                        const double *w[3])
{
  for (int axis = 0; axis < 3; axis++)
    w[axis] = level->weight[axis] ? hymgi_cpu_plain_row(g, level->weight[axis], j, k,
                                                        host_scratch(level, WEIGHT_ROWS + axis))
                                  : NULL;
}

/* A vector to restrict; of one colour: red cells alone count, the others need not be set. */
typedef struct restricted {
  const double *r;
  bool red;
} restricted;

static const double *residual_row(const hymgi_level *level, const hymgi_geom *g,
                                  const restricted *v, int j, int k)
{
  double *const row = host_scratch(level, RESIDUAL_ROW);
  const double *const all = hymgi_cpu_plain_row(g, v->r, j, k, row);
  if (!v->red) return all;
  const int red = hymgi_first(g, 0, j, k);
  for (int i = -1; i <= g->n[0]; i++)
    row[i] = (i & 1) == red ? all[i] : 0;
  return row;
}

/* ---- restriction ---- */

/* A row of children: what the parent keeps of them, and what their neighbours along x get. */
static void collect_child(const double *r, const double *const w[3], int n, bool first,
                          double *restrict kept, double *restrict along_x)
{
  const double *const wx = w[0], *const wy = w[1], *const wz = w[2];
#pragma omp simd
  for (int i = 0; i < n; i++) {
    const double part = hymgi_kept_part(wx ? wx[i] : 0, wy ? wy[i] : 0, wz ? wz[i] : 0);
    kept[i] = hymgi_fma(part, r[i], first ? 0 : kept[i]);
  }
  if (!wx) return;
#pragma omp simd
  for (int i = -1; i <= n; i++)
    along_x[i] = hymgi_fma(wx[i], r[i], first ? 0 : along_x[i]);
}

/* The row (j, k), beyond the children along an axis, gives its part w. */
static void collect_neighbour(const hymgi_level *level, const hymgi_geom *g, const restricted *r,
                              int axis, int j, int k, double *restrict kept)
{
  const int at = axis == 1 ? j : k;
  if (!level->weight[axis]) return;
  if (at < 0 && g->boundaries >> (2 * axis) & 1) return;
  if (at >= g->n[axis] && g->boundaries >> (2 * axis + 1) & 1) return;
  const double *const row = residual_row(level, g, r, j, k);
  const double *const w =
      hymgi_cpu_plain_row(g, level->weight[axis], j, k, host_scratch(level, WEIGHT_ROWS));
#pragma omp simd
  for (int i = 0; i < g->n[0]; i++)
    kept[i] = hymgi_fma(w[i], row[i], kept[i]);
}

static void store_coarse(const hymgi_level *level, const hymgi_geom *g, const hymgi_geom *p,
                         const double *kept, const double *along_x, double *restrict out)
{
  const int n = p->n[0], pairs = g->n[0] / 2;
  if (!halved(level, 0)) {
    for (int i = 0; i < n; i++)
      out[i] = kept[i];
    return;
  }
  for (int i = 0; i < pairs; i++)
    out[i] = level->weight[0] ? hymgi_coarse_sum(kept[2 * i], kept[2 * i + 1], along_x[2 * i - 1],
                                                 along_x[2 * i + 2])
                              : kept[2 * i] + kept[2 * i + 1];
  if (pairs < n)
    out[pairs] = level->weight[0] ? hymgi_coarse_sum(kept[2 * pairs], 0, along_x[2 * pairs - 1],
                                                     along_x[2 * pairs + 1])
                                  : kept[2 * pairs];
}

static void restrict_row(const hymgi_level *level, int b, const int JK[2], const restricted *r,
                         double *coarse)
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  double *const kept = host_scratch(level, COLLECTED), *const along_x =
                                                           host_scratch(level, ALONG_X);
  int low[3], high[3];
  for (int axis = 1; axis < 3; axis++) {
    const int at = JK[axis - 1];
    low[axis] = halved(level, axis) ? 2 * at : at;
    high[axis] = halved(level, axis) && 2 * at + 1 < g->n[axis] ? low[axis] + 2 : low[axis] + 1;
  }
  for (int k = low[2]; k < high[2]; k++)
    for (int j = low[1]; j < high[1]; j++) {
      const double *w[3];
      weight_rows(level, g, j, k, w);
      collect_child(residual_row(level, g, r, j, k), w, g->n[0], k == low[2] && j == low[1], kept,
                    along_x);
    }
  for (int k = low[2]; k < high[2]; k++) {
    collect_neighbour(level, g, r, 1, low[1] - 1, k, kept);
    collect_neighbour(level, g, r, 1, high[1], k, kept);
  }
  for (int j = low[1]; j < high[1]; j++) {
    collect_neighbour(level, g, r, 2, j, low[2] - 1, kept);
    collect_neighbour(level, g, r, 2, j, high[2], kept);
  }
  if (g->boundaries & 1) along_x[-1] = 0;
  if (g->boundaries & 2) along_x[g->n[0]] = 0;
  double *const out = host_scratch(level, RESULT);
  store_coarse(level, g, p, kept, along_x, out);
  hymgi_cpu_store_row(p, out, JK[0], JK[1], coarse);
}

void hymgi_cpu_restrict_weighted(const hymgi_level *level, const double *r, hymgi_after after,
                                 double *coarse)
{
  const restricted v = {r, after == HYMGI_AFTER_GSRB};
  const int threads = hymgi_cpu_threads(level);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(level->patch, level->num_boxes, false); s.g; hymgi_cpu_next(&s))
    restrict_row(level, (int)(s.g - level->patch), s.cjk + 1, &v, coarse);
}

/* ---- interpolation ---- */

/* e = parent + w (neighbour - parent) for the cells of a row, along y or z. */
static void add_neighbour(const double *restrict w, const double *restrict parent,
                          const double *restrict next, bool halved_x, int n, double *restrict e)
{
#pragma omp simd
  for (int i = 0; i < n; i++) {
    const int I = halved_x ? i / 2 : i;
    e[i] = hymgi_fma(w[i], next[I] - parent[I], e[i]);
  }
}

static void along_x(const hymgi_level *level, const double *w, const double *restrict parent, int n,
                    double *restrict e)
{
  if (!halved(level, 0)) {
    for (int i = 0; i < n; i++)
      e[i] = parent[i];
    return;
  }
  for (int i = 0; i < n; i++) {
    const int I = i / 2;
    const double own = parent[I];
    e[i] = w ? hymgi_fma(w[i], parent[i % 2 ? I + 1 : I - 1] - own, own) : own;
  }
}

static void add_row(const hymgi_geom *g, const double *restrict e, int j, int k, double *x)
{
  double *restrict row[2] = {x + hymgi_at(g, 0, j, k), x + hymgi_at(g, 1, j, k)};
  const int step = g->split ? 1 : 2;
  for (int t = 0; 2 * t < g->n[0]; t++)
    row[0][t * step] += e[2 * t];
  for (int t = 0; 2 * t + 1 < g->n[0]; t++)
    row[1][t * step] += e[2 * t + 1];
}

/* The coarse ghosts beyond boundaries are 0 on this path. */
static void interpolate_row(const hymgi_level *level, int b, int j, int k, const double *source,
                            double *x)
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  const int jk[3] = {0, j, k}, n = g->n[0];
  int JK[3];
  const double *w[3];
  for (int axis = 1; axis < 3; axis++)
    JK[axis] = halved(level, axis) ? jk[axis] / 2 : jk[axis];
  weight_rows(level, g, j, k, w);
  const double *const parent =
      hymgi_cpu_plain_row(p, source, JK[1], JK[2], host_scratch(level, COARSE_ROWS));
  double *const e = host_scratch(level, RESULT);
  along_x(level, w[0], parent, n, e);
  for (int axis = 1; axis < 3; axis++) {
    if (!w[axis]) continue;
    int next[3] = {0, JK[1], JK[2]};
    next[axis] += jk[axis] % 2 ? 1 : -1;
    const double *const row =
        hymgi_cpu_plain_row(p, source, next[1], next[2], host_scratch(level, COARSE_ROWS + axis));
    add_neighbour(w[axis], parent, row, halved(level, 0), n, e);
  }
  add_row(g, e, j, k, x);
}

void hymgi_cpu_interpolate_weighted(const hymgi_level *fine, const double *source, bool smoothed,
                                    double *x)
{
  (void)smoothed;
  const int threads = hymgi_cpu_threads(fine);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(fine->box, fine->num_boxes, false); s.g; hymgi_cpu_next(&s))
    interpolate_row(fine, (int)(s.g - fine->box), s.cjk[1], s.cjk[2], source, x);
}
