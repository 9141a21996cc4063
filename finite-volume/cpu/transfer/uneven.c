/* Interpolation on the host where a side of the fine level is odd, a row at a time: along z, then y,
 * then x. */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* Scratch rows; 0 to 2 belong to sweep.c. Coarse row J combined along z is in row J modulo 3 of ALONG_Z, for
 * the lower fine plane, or of the three rows after it, for the upper one. WEIGHTS: three rows along x for even
 * cells, and three for odd ones. */
enum { LOADED = 3, ALONG_Z = 6, ALONG_YZ = 12, WEIGHTS = 13, RESULT = 19, RESIDUALS = 20 };

void hymgi_cpu_add_row(const hymgi_geom *g, const hymgi_real *restrict e, int j, int k,
                       hymgi_real *x)
{
  hymgi_real *restrict row[2] = {x + hymgi_at(g, 0, j, k), x + hymgi_at(g, 1, j, k)};
  const int step = g->split ? 1 : 2;
  for (int t = 0; 2 * t < g->n[0]; t++)
    row[0][t * step] += e[2 * t];
  for (int t = 0; 2 * t + 1 < g->n[0]; t++)
    row[1][t * step] += e[2 * t + 1];
}

/* ---- interpolation ---- */

typedef struct job {
  const hymgi_level *fine;
  const hymgi_geom *g, *patch; /* of the fine box */
  const hymgi_interpolation *what;
  bool black; /* only to black cells, rows being split */
  hymgi_real *x;
} job;

/* The index of the neighbour on one side, or `at` itself beyond a boundary, where its weight is 0. */
static int neighbour(const hymgi_geom *g, int axis, int at, int step)
{
  return hymgi_ends(g, axis, step > 0, at) ? at : at + step;
}

/* The weights of one of the fine planes or rows of a coarse one. */
static const double *weights_of(const job *w, int axis, int at)
{
  return w->fine->axis[axis].parabolas + 3 * (w->g->low[axis] + at);
}

static void load_weights(const job *w)
{
  const double *const wx = weights_of(w, 0, 0);
  for (int m = 0; m < 6; m++) {
    hymgi_real *const restrict out = host_scratch(w->fine, WEIGHTS + m);
    for (int t = 0; 2 * t + m / 3 < w->g->n[0]; t++)
      out[t] = (hymgi_real)wx[3 * (2 * t + m / 3) + m % 3];
  }
}

/* The cells -1 to n of three rows on parabolas with weights w. */
static void combine(const double w[3], const hymgi_real *const row[3], int n,
                    hymgi_real *restrict out)
{
  const hymgi_real *const low = row[0], *const own = row[1], *const high = row[2];
#pragma omp simd
  for (int I = -1; I <= n; I++)
    out[I] = hymgi_on_parabola(w, low[I], own[I], high[I]);
}

static hymgi_real *along_z(const job *w, int J, int kk)
{
  return host_scratch(w->fine, ALONG_Z + 3 * kk + (J + 3) % 3);
}

static bool has_child(const job *w, int axis, int parent, int child)
{
  return 2 * parent + child < w->g->n[axis];
}

/* Combines row J of the coarse planes around K along z. */
static void load_row(const job *w, int J, int K)
{
  const hymgi_geom *const p = w->patch;
  const hymgi_real *row[3];
  for (int dk = -1; dk <= 1; dk++)
    row[dk + 1] = hymgi_cpu_plain_row(p, w->what->source, J, dk ? neighbour(p, 2, K, dk) : K,
                                      host_scratch(w->fine, LOADED + dk + 1));
  for (int kk = 0; kk < 2 && has_child(w, 2, K, kk); kk++)
    combine(weights_of(w, 2, 2 * K + kk), row, p->n[0], along_z(w, J, kk));
}

/* Row J, combined along z, and its neighbours along y for fine row j; those beyond boundaries repeated. */
static hymgi_real *combined_row(const job *w, int J, int kk, int j)
{
  const hymgi_geom *const p = w->patch;
  const int n = p->n[0];
  const hymgi_real *const row[3] = {along_z(w, neighbour(p, 1, J, -1), kk), along_z(w, J, kk),
                                    along_z(w, neighbour(p, 1, J, 1), kk)};
  hymgi_real *const c = host_scratch(w->fine, ALONG_YZ);
  combine(weights_of(w, 1, j), row, n, c);
  if (p->boundaries & 1) c[-1] = c[0];
  if (p->boundaries & 2) c[n] = c[n - 1];
  return c;
}

/* What is written, or added, to the even (odd 0) or odd (1) cells of a row, n of them, from the coarse row c. */
HYMGI_INLINE void spread(const bool constant, const bool add, const ptrdiff_t step, const job *w,
                         int odd, const hymgi_real *restrict c, int n, hymgi_real *restrict out)
{
  const hymgi_real *const restrict low = host_scratch(w->fine, WEIGHTS + 3 * odd);
  const hymgi_real *const restrict own = host_scratch(w->fine, WEIGHTS + 3 * odd + 1);
  const hymgi_real *const restrict high = host_scratch(w->fine, WEIGHTS + 3 * odd + 2);
#pragma omp simd
  for (int t = 0; t < n; t++) {
    const hymgi_real e =
        constant ? c[t] : hymgi_parabola(low[t], c[t - 1], own[t], c[t], high[t], c[t + 1]);
    out[t * step] = add ? out[t * step] + e : e;
  }
}

static void spread_part(const job *w, int odd, const hymgi_real *c, int n, hymgi_real *out)
{
  const bool constant = w->what->order == HYMGI_GHOSTS_P0, add = w->what->add;
  if (!w->g->split)
    spread(constant, add, 2, w, odd, c, n, out);
  else if (constant)
    spread(true, add, 1, w, odd, c, n, out);
  else if (add)
    spread(false, true, 1, w, odd, c, n, out);
  else
    spread(false, false, 1, w, odd, c, n, out);
}

/* Fine row (j, k) from the combined coarse row c. */
static void spread_row(const job *w, const hymgi_real *c, int j, int k)
{
  const hymgi_geom *const g = w->g;
  for (int odd = 0; odd < 2; odd++) {
    if (w->black && hymgi_first(g, 1, j, k) != odd) continue;
    spread_part(w, odd, c, (g->n[0] + 1 - odd) / 2, w->x + hymgi_at(g, odd, j, k));
  }
}

/* The fine rows of coarse row (J, K). */
static void interpolate_children(const job *w, int J, int K)
{
  const bool constant = w->what->order == HYMGI_GHOSTS_P0;
  for (int kk = 0; kk < 2 && has_child(w, 2, K, kk); kk++)
    for (int jj = 0; jj < 2 && has_child(w, 1, J, jj); jj++) {
      const int j = 2 * J + jj;
      const hymgi_real *const c = constant ? hymgi_cpu_plain_row(w->patch, w->what->source, J, K,
                                                                 host_scratch(w->fine, LOADED))
                                           : combined_row(w, J, kk, j);
      spread_row(w, c, j, 2 * K + kk);
    }
}

void hymgi_cpu_interpolate_uneven_rows(const hymgi_level *fine, int b,
                                       const hymgi_interpolation *what, bool black, const int J[2],
                                       int K, hymgi_real *x)
{
  const job w = {fine, fine->box + b, fine->patch + b, what, black, x};
  const bool constant = what->order == HYMGI_GHOSTS_P0;
  if (J[0] >= J[1]) return;
  if (!constant) load_weights(&w);
  for (int at = neighbour(w.patch, 1, J[0], -1); !constant && at <= J[0]; at++)
    load_row(&w, at, K);
  for (int at = J[0]; at < J[1]; at++) {
    const int next = neighbour(w.patch, 1, at, 1);
    if (!constant && next > at) load_row(&w, next, K);
    interpolate_children(&w, at, K);
  }
}

void hymgi_cpu_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                  hymgi_ghosts order, bool add, hymgi_real *x)
{
  const hymgi_interpolation what = {source, order, add};
#pragma omp parallel num_threads(hymgi_cpu_threads(fine))
  for (host_row r = hymgi_cpu_rows(fine, fine->patch, fine->num_boxes, false); r.g;
       hymgi_cpu_next_plane(&r)) {
    const int J[2] = {r.cjk[1], r.cjk[1] + hymgi_cpu_rows_of_plane(&r)};
    hymgi_cpu_interpolate_uneven_rows(fine, (int)(r.g - fine->patch), &what, false, J, r.cjk[2], x);
  }
}

/* ---- sums of children ---- */

/* Adds the children of a row to the entries of a coarse one, from n cells of which the even and the odd ones are
 * `step` apart; a last even one may be alone. */
HYMGI_INLINE void add_children(const hymgi_real *restrict even, const hymgi_real *restrict odd,
                               const ptrdiff_t step, int n, hymgi_real *restrict out)
{
  const int pairs = n / 2;
#pragma omp simd
  for (int I = 0; I < pairs; I++)
    out[I] = (out[I] + even[I * step]) + odd[I * step];
  if (n % 2) out[pairs] += even[pairs * step];
}

static void add_row_of_children(const hymgi_geom *g, const hymgi_real *even, const hymgi_real *odd,
                                hymgi_real *out)
{
  if (g->split)
    add_children(even, odd, 1, g->n[0], out);
  else
    add_children(even, odd, 2, g->n[0], out);
}

/* As hymgi_sum_of_children, for the n coarse entries from the start of row JK. */
void hymgi_cpu_sum_row(const hymgi_level *level, const hymgi_geom *g, int axis,
                       const hymgi_real *fine, const int JK[2], int n, hymgi_real *restrict out)
{
  const unsigned c = level->coarsened;
  int from[2], count[2];
  for (int t = 0; t < 2; t++) {
    from[t] = hymgi_first_child(c, t + 1, JK[t]);
    if (axis == t + 1 && from[t] > g->n[t + 1]) from[t] = g->n[t + 1];
    count[t] = axis == t + 1 ? 1 : hymgi_children(c, g, t + 1, JK[t]);
  }
  const bool pairs = axis != 0 && c & 1;
  const int step = c & 1 ? 2 : 1,
            whole = n * step > g->n[0] + 1 ? n - 1 : n; /* the last one may begin beyond the row */
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = from[1]; k < from[1] + count[1]; k++)
    for (int j = from[0]; j < from[0] + count[0]; j++) {
      if (pairs) {
        add_row_of_children(g, fine + hymgi_at(g, 0, j, k), fine + hymgi_at(g, 1, j, k), out);
        continue;
      }
      const hymgi_real *const row = hymgi_cpu_plain_row(g, fine, j, k, host_scratch(level, LOADED));
#pragma omp simd
      for (int I = 0; I < whole; I++)
        out[I] += row[step * I];
      if (whole < n) out[n - 1] += row[g->n[0]];
    }
}

/* Keeps the part of the sums that the transfer keeps, and stores them. */
static void store_sums(const hymgi_level *level, const hymgi_geom *p, hymgi_real *restrict sum,
                       const int JK[2], hymgi_real *coarse)
{
  const hymgi_real kept = (hymgi_real)level->transfer->part_of_sum;
  for (int I = 0; I < p->n[0]; I++)
    sum[I] *= kept;
  hymgi_cpu_store_row(p, sum, JK[0], JK[1], coarse);
}

void hymgi_cpu_sum_children(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level, level->patch, level->num_boxes, false); s.g;
       hymgi_cpu_next(&s)) {
    hymgi_real *const out = host_scratch(level, RESULT);
    hymgi_cpu_sum_row(level, level->box + (s.g - level->patch), -1, fine, s.cjk + 1, s.g->n[0],
                      out);
    store_sums(level, s.g, out, s.cjk + 1, coarse);
  }
}

/* Adds the residual of row (j, k) to the sums. */
static void add_residual(const host_pass *residual, const hymgi_geom *g, int j, int k,
                         hymgi_real *sum)
{
  hymgi_real *row[2];
  for (int c = 0; c <= g->split; c++) {
    row[c] = host_scratch(residual->level, RESIDUALS + c);
    hymgi_cpu_run_slots(residual, g, (const int[3]){c, j, k}, 0, host_cells(g, c, j, k), row[c]);
  }
  const int even = hymgi_first(g, 0, j, k);
  if (g->split)
    add_row_of_children(g, row[even], row[1 - even], sum);
  else
    add_row_of_children(g, row[0], row[0] + 1, sum);
}

void hymgi_cpu_sum_residual_row(const hymgi_level *level, int b, const int JK[2],
                                hymgi_real *coarse)
{
  const hymgi_geom *const g = level->box + b, *const p = level->patch + b;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  hymgi_real *const sum = host_scratch(level, RESULT);
  memset(sum, 0, (size_t)p->n[0] * sizeof *sum);
  for (int k = 2 * JK[1]; k < 2 * JK[1] + 2 && k < g->n[2]; k++)
    for (int j = 2 * JK[0]; j < 2 * JK[0] + 2 && j < g->n[1]; j++)
      add_residual(&residual, g, j, k, sum);
  store_sums(level, p, sum, JK, coarse);
}

bool hymgi_cpu_smooth_sum_residual(hymgi_level *level, bool from_zero, hymgi_real *coarse,
                                   hymgi_real *zero)
{
  (void)from_zero, (void)zero;
  return level->tuning.wave_restrict && hymgi_cpu_wave_smooth(level, false, coarse, NULL);
}
