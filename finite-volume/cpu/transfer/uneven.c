/* Interpolation on the host where a side of the fine level is odd, a row at a time: along z, then y,
 * then x. */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* scratch rows; 0 to 2 belong to sweep.c */
enum { LOADED = 3, ALONG_Z = 12, ALONG_YZ = 15, RESULT = 16 };

/* The index of the neighbour on one side, or `at` itself beyond a boundary, where its weight is 0. */
static int neighbour(const hymgi_geom *g, int axis, int at, int step)
{
  return hymgi_ends(g, axis, step > 0, at) ? at : at + step;
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

/* The cells -1 to n of a coarse row, those beyond boundaries repeated, combined with its neighbours
 * along z and y. w: weights along these. */
static hymgi_real *combined_row(const hymgi_level *fine, const hymgi_geom *p,
                                const hymgi_real *source, int J, int K, const double *wy,
                                const double *wz)
{
  const int n = p->n[0];
  const hymgi_real *along_z[3];
  for (int dj = -1; dj <= 1; dj++) {
    const hymgi_real *row[3];
    hymgi_real *const out = host_scratch(fine, ALONG_Z + dj + 1);
    for (int dk = -1; dk <= 1; dk++)
      row[dk + 1] = hymgi_cpu_plain_row(p, source, dj ? neighbour(p, 1, J, dj) : J,
                                        dk ? neighbour(p, 2, K, dk) : K,
                                        host_scratch(fine, LOADED + 3 * (dj + 1) + dk + 1));
    combine(wz, row, n, out);
    along_z[dj + 1] = out;
  }
  hymgi_real *const c = host_scratch(fine, ALONG_YZ);
  combine(wy, along_z, n, c);
  if (p->boundaries & 1) c[-1] = c[0];
  if (p->boundaries & 2) c[n] = c[n - 1];
  return c;
}

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

static void interpolate_row(const hymgi_level *fine, int b, int j, int k, const hymgi_real *source,
                            hymgi_ghosts order, bool add, hymgi_real *x)
{
  const hymgi_geom *g = fine->box + b, *p = fine->patch + b;
  const hymgi_axis *const a = fine->axis;
  hymgi_real *const e = host_scratch(fine, RESULT);
  if (order == HYMGI_GHOSTS_P0) {
    const hymgi_real *const parent =
        hymgi_cpu_plain_row(p, source, j / 2, k / 2, host_scratch(fine, LOADED));
    for (int i = 0; i < g->n[0]; i++)
      e[i] = parent[i / 2];
  } else {
    const double *const wx = a[0].parabolas + 3 * g->low[0];
    const hymgi_real *const c =
        combined_row(fine, p, source, j / 2, k / 2, a[1].parabolas + 3 * (g->low[1] + j),
                     a[2].parabolas + 3 * (g->low[2] + k));
    for (int i = 0; i < g->n[0]; i++)
      e[i] = hymgi_on_parabola(wx + 3 * i, c[i / 2 - 1], c[i / 2], c[i / 2 + 1]);
  }
  if (add)
    hymgi_cpu_add_row(g, e, j, k, x);
  else
    hymgi_cpu_store_row(g, e, j, k, x);
}

void hymgi_cpu_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                  hymgi_ghosts order, bool add, hymgi_real *x)
{
  const int threads = hymgi_cpu_threads(fine);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(fine->box, fine->num_boxes, false); s.g; hymgi_cpu_next(&s))
    interpolate_row(fine, (int)(s.g - fine->box), s.cjk[1], s.cjk[2], source, order, add, x);
}

/* ---- sums of children ---- */

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
  const int step = c & 1 ? 2 : 1, pairs = axis != 0 && c & 1 ? g->n[0] / 2 : 0,
            whole = n * step > g->n[0] + 1 ? n - 1 : n; /* the last one may begin beyond the row */
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = from[1]; k < from[1] + count[1]; k++)
    for (int j = from[0]; j < from[0] + count[0]; j++) {
      const hymgi_real *const row = hymgi_cpu_plain_row(g, fine, j, k, host_scratch(level, LOADED));
      if (pairs)
#pragma omp simd
        for (int I = 0; I < pairs; I++)
          out[I] = (out[I] + row[2 * I]) + row[2 * I + 1];
      else
#pragma omp simd
        for (int I = 0; I < whole; I++)
          out[I] += row[step * I];
      if (pairs ? pairs < n : whole < n) out[n - 1] += row[pairs ? 2 * pairs : g->n[0]];
    }
}

void hymgi_cpu_sum_children(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse)
{
  const hymgi_real kept = (hymgi_real)level->transfer->part_of_sum;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level->patch, level->num_boxes, false); s.g;
       hymgi_cpu_next(&s)) {
    hymgi_real *const out = host_scratch(level, RESULT);
    hymgi_cpu_sum_row(level, level->box + (s.g - level->patch), -1, fine, s.cjk + 1, s.g->n[0],
                      out);
    for (int I = 0; I < s.g->n[0]; I++)
      out[I] *= kept;
    hymgi_cpu_store_row(s.g, out, s.cjk[1], s.cjk[2], coarse);
  }
}
