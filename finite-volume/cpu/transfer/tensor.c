/* The tensor transfers of the robust path on the host, a row at a time. A cell takes its value from
 * the coarse cells around it, up to eight; restriction is the transpose, written so that every coarse
 * cell collects from its children and the cells next to them: the order of the sum depends on nothing
 * but the cell. */
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

/* The weights of a row, NULL for axes that are not coarsened or if weights are not used. */
static void weight_rows(const hymgi_level *level, const hymgi_geom *g, int j, int k,
                        const hymgi_real *w[3])
{
  for (int axis = 0; axis < 3; axis++)
    w[axis] = level->weight[axis] ? hymgi_cpu_plain_row(g, level->weight[axis], j, k,
                                                        host_scratch(level, WEIGHT_ROWS + axis))
                                  : NULL;
}

static const hymgi_real *residual_row(const hymgi_level *level, const hymgi_geom *g,
                                      const hymgi_real *r, int j, int k)
{
  return hymgi_cpu_plain_row(g, r, j, k, host_scratch(level, RESIDUAL_ROW));
}

/* ---- restriction ---- */

/* A row at (outside[axis] false) or next to the children. */
static void collect_tensor_row(const hymgi_real *r, const hymgi_real *const w[3],
                               const bool outside[3], int n, bool first, hymgi_real *restrict kept,
                               hymgi_real *restrict along_x)
{
  const hymgi_real *const wx = w[0], *const wy = w[1], *const wz = w[2];
  for (int i = -1; i <= n; i++) {
    const hymgi_real v = hymgi_tensor_factor(wy != NULL, outside[1], wy ? wy[i] : 0) *
                         hymgi_tensor_factor(wz != NULL, outside[2], wz ? wz[i] : 0) * r[i];
    kept[i] =
        hymgi_fma(hymgi_tensor_factor(wx != NULL, false, wx ? wx[i] : 0), v, first ? 0 : kept[i]);
    along_x[i] = hymgi_fma(wx ? wx[i] : 0, v, first ? 0 : along_x[i]);
  }
}

static void collect_tensor(const hymgi_level *level, const hymgi_geom *g, const hymgi_real *r,
                           const int low[3], const int high[3], hymgi_real *kept,
                           hymgi_real *along_x)
{
  const int y = host_halved(level, 1), z = host_halved(level, 2);
  bool first = true;
  for (int k = low[2] - z; k < high[2] + z; k++)
    for (int j = low[1] - y; j < high[1] + y; j++) {
      if (hymgi_beyond(g, 1, j) || hymgi_beyond(g, 2, k)) continue;
      const bool outside[3] = {false, j < low[1] || j >= high[1], k < low[2] || k >= high[2]};
      const hymgi_real *w[3];
      weight_rows(level, g, j, k, w);
      collect_tensor_row(residual_row(level, g, r, j, k), w, outside, g->n[0], first, kept,
                         along_x);
      first = false;
    }
}

static void store_coarse(const hymgi_level *level, const hymgi_geom *p, int pairs,
                         const hymgi_real *kept, const hymgi_real *along_x,
                         hymgi_real *restrict out)
{
  const int n = p->n[0];
  if (!host_halved(level, 0)) {
    for (int i = 0; i < n; i++)
      out[i] = kept[i];
    return;
  }
  for (int i = 0; i < pairs; i++)
    out[i] = hymgi_coarse_sum(kept[2 * i], kept[2 * i + 1], along_x[2 * i - 1], along_x[2 * i + 2]);
  if (pairs < n)
    out[pairs] =
        hymgi_coarse_sum(kept[2 * pairs], 0, along_x[2 * pairs - 1], along_x[2 * pairs + 1]);
}

static void restrict_row(const hymgi_level *level, int b, const int JK[2], const hymgi_real *r,
                         hymgi_real *coarse)
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  hymgi_real *const kept = host_scratch(level, COLLECTED), *const along_x =
                                                               host_scratch(level, ALONG_X);
  int low[3], high[3];
  for (int axis = 1; axis < 3; axis++) {
    const int at = JK[axis - 1];
    low[axis] = host_halved(level, axis) ? 2 * at : at;
    high[axis] =
        host_halved(level, axis) && 2 * at + 1 < g->n[axis] ? low[axis] + 2 : low[axis] + 1;
  }
  collect_tensor(level, g, r, low, high, kept, along_x);
  if (g->boundaries & 1) along_x[-1] = 0;
  if (g->boundaries & 2) along_x[g->n[0]] = 0;
  hymgi_real *const out = host_scratch(level, RESULT);
  store_coarse(level, p, g->n[0] / 2, kept, along_x, out);
  hymgi_cpu_store_row(p, out, JK[0], JK[1], coarse);
}

void hymgi_cpu_restrict_tensor(const hymgi_level *level, const hymgi_real *r, hymgi_real *coarse)
{
  const int threads = hymgi_cpu_threads(level);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(level, level->patch, level->num_boxes, false); s.g;
       hymgi_cpu_next(&s))
    restrict_row(level, (int)(s.g - level->patch), s.cjk + 1, r, coarse);
}

/* ---- interpolation ---- */

/* A coarse row interpolated along x. */
static void interpolate_x(const hymgi_level *level, const hymgi_real *w,
                          const hymgi_real *restrict parent, int n, hymgi_real *restrict e)
{
  for (int i = 0; i < n; i++) {
    if (host_halved(level, 0))
      e[i] = hymgi_between(w[i], parent[i / 2], parent[i % 2 ? i / 2 + 1 : i / 2 - 1]);
    else
      e[i] = parent[i];
  }
}

/* Coarse row (J, K) interpolated along x and y; step: 0, or to the neighbour along y. */
static void between_rows(const hymgi_level *level, const hymgi_geom *p, const hymgi_real *source,
                         const hymgi_real *const w[3], int n, const int JK[2], int step,
                         hymgi_real *e, hymgi_real *beside)
{
  hymgi_real *const buffer = host_scratch(level, COARSE_ROWS);
  interpolate_x(level, w[0], hymgi_cpu_plain_row(p, source, JK[0], JK[1], buffer), n, e);
  if (step == 0) return;
  interpolate_x(level, w[0], hymgi_cpu_plain_row(p, source, JK[0] + step, JK[1], buffer), n,
                beside);
  for (int i = 0; i < n; i++)
    e[i] = hymgi_between(w[1][i], e[i], beside[i]);
}

static void interpolate_row(const hymgi_level *level, int b, int j, int k, const hymgi_real *source,
                            hymgi_real *x)
{
  const hymgi_geom *g = level->box + b, *p = level->patch + b;
  const int y = host_halved(level, 1), z = host_halved(level, 2), n = g->n[0];
  const int JK[2] = {j >> y, k >> z}, above[2] = {JK[0], JK[1] + (k % 2 ? 1 : -1)};
  const int step = y ? (j % 2 ? 1 : -1) : 0;
  hymgi_real *const e = host_scratch(level, RESULT),
                    *const beside = host_scratch(level, COARSE_ROWS + 1),
                    *const next = host_scratch(level, COARSE_ROWS + 2);
  const hymgi_real *w[3];
  weight_rows(level, g, j, k, w);
  between_rows(level, p, source, w, n, JK, step, e, beside);
  if (z) {
    between_rows(level, p, source, w, n, above, step, next, beside);
    for (int i = 0; i < n; i++)
      e[i] = hymgi_between(w[2][i], e[i], next[i]);
  }
  hymgi_cpu_add_row(g, e, j, k, x);
}

void hymgi_cpu_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source, hymgi_real *x)
{
  const int threads = hymgi_cpu_threads(fine);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(fine, fine->box, fine->num_boxes, false); s.g;
       hymgi_cpu_next(&s))
    interpolate_row(fine, (int)(s.g - fine->box), s.cjk[1], s.cjk[2], source, x);
}
