/* Restriction and interpolation on the host. The coarse side is a patch: the image of a fine box on
 * the next coarser level. */
#include <string.h>

#include "cpu/cpu.h"
#include "formulas/transfer.h"

/* Scratch rows used here, 8 of them from ROWS; 0 to 2 belong to sweep.c. */
enum { MEAN_ROW = 3, ROWS = 4, K_COMBINED = 12, JK_COMBINED = 17, LOADED = 20 };

const hymgi_real *hymgi_cpu_plain_row(const hymgi_geom *g, const hymgi_real *x, int j, int k,
                                      hymgi_real *buffer)
{
  if (!g->split) return x + hymgi_row(g, 0, j, k);
  const int even = (j + k + g->parity) & 1, half = g->n[0] / 2;
  const hymgi_real *const restrict e = x + hymgi_row(g, even, j, k), *const restrict o =
                                                                         x + hymgi_row(g, 1 - even,
                                                                                       j, k);
  hymgi_real *const restrict out = buffer;
#pragma omp simd
  for (int t = -1; t <= half; t++)
    out[2 * t] = e[t], out[2 * t + 1] = o[t];
  return buffer;
}

void hymgi_cpu_store_row(const hymgi_geom *g, const hymgi_real *restrict cells, int j, int k,
                         hymgi_real *x)
{
  if (!g->split) {
    memcpy(x + hymgi_row(g, 0, j, k), cells, (size_t)g->n[0] * sizeof(hymgi_real));
    return;
  }
  const int even = (j + k + g->parity) & 1, half = g->n[0] / 2;
  hymgi_real *const restrict e = x + hymgi_row(g, even, j, k), *const restrict o =
                                                                   x + hymgi_row(g, 1 - even, j, k);
#pragma omp simd
  for (int t = 0; t < half; t++)
    e[t] = cells[2 * t], o[t] = cells[2 * t + 1];
}

/* ---- restriction ---- */

/* The even and odd cells of the four fine rows that make up a coarse row. If only red cells are
 * summed, they take the place of the even ones. */
typedef struct fine_rows {
  const hymgi_real *even[4], *odd[4];
} fine_rows;

HYMGI_INLINE void mean_of_rows(const fine_rows *r, const bool red, const int step, int n,
                               hymgi_real *restrict mean)
{
#define PAIR(m) (red ? r->even[m][t * step] : r->even[m][t * step] + r->odd[m][t * step])
#pragma omp simd
  for (int t = 0; t < n; t++)
    mean[t] = hymgi_mean_of_8(PAIR(0), PAIR(1), PAIR(2), PAIR(3));
#undef PAIR
}

/* step: distance in slots between pairs of cells */
static void store_means(const hymgi_level *level, int b, const fine_rows *r, bool red, int step,
                        const int JK[2], hymgi_real *coarse)
{
  hymgi_real *const mean = host_scratch(level, MEAN_ROW);
  const int n = level->patch[b].n[0];
  if (red && step == 1)
    mean_of_rows(r, true, 1, n, mean);
  else if (red)
    mean_of_rows(r, true, 2, n, mean);
  else if (step == 1)
    mean_of_rows(r, false, 1, n, mean);
  else
    mean_of_rows(r, false, 2, n, mean);
  hymgi_cpu_store_row(level->patch + b, mean, JK[0], JK[1], coarse);
}

static void restrict_row(const hymgi_level *level, int b, const int JK[2], const hymgi_real *fine,
                         hymgi_real *coarse)
{
  const hymgi_geom *g = level->box + b;
  fine_rows r;
  for (int m = 0; m < 4; m++) {
    const int j = 2 * JK[0] + (m & 1), k = 2 * JK[1] + (m >> 1),
              even = g->split ? (j + k + g->parity) & 1 : 0;
    r.even[m] = fine + hymgi_row(g, even, j, k);
    r.odd[m] = g->split ? fine + hymgi_row(g, 1 - even, j, k) : r.even[m] + 1;
  }
  store_means(level, b, &r, false, g->split ? 1 : 2, JK, coarse);
}

void hymgi_cpu_restrict_cells(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row r = hymgi_cpu_rows(level->patch, level->num_boxes, false); r.g; hymgi_cpu_next(&r))
    restrict_row(level, (int)(r.g - level->patch), r.cjk + 1, fine, coarse);
}

void hymgi_cpu_restrict_residual_row(const hymgi_level *level, int b, const int JK[2], bool red,
                                     hymgi_real *coarse)
{
  const hymgi_geom *g = level->box + b;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  fine_rows r;
  for (int m = 0; m < 4; m++) {
    const int j = 2 * JK[0] + (m & 1), k = 2 * JK[1] + (m >> 1), even = (j + k + g->parity) & 1;
    hymgi_real *const row[2] = {host_scratch(level, ROWS + m), host_scratch(level, ROWS + 4 + m)};
    for (int c = 0; c < (g->split && !red ? 2 : 1); c++) {
      const int cjk[3] = {c, j, k};
      hymgi_cpu_run_slots(&residual, g, cjk, 0, host_slots(g), row[c]);
    }
    r.even[m] = g->split ? row[red ? 0 : even] : row[0] + (red ? even : 0);
    r.odd[m] = g->split ? row[1 - even] : row[0] + 1;
  }
  store_means(level, b, &r, red, g->split ? 1 : 2, JK, coarse);
}

/* Updates the ghosts of level->x first. After GSRB with FV2 the black cells' residual is zero up to
 * rounding and is left out. */
void hymgi_cpu_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                 hymgi_real *zero)
{
  (void)zero; /* zeroing is optional, and the host does not offer it */
  const bool red = level->method->stencil == HYMG_FV2 && after == HYMGI_AFTER_GSRB;
  hymgi_cpu_update_ghosts(level, level->x);
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row r = hymgi_cpu_rows(level->patch, level->num_boxes, false); r.g; hymgi_cpu_next(&r))
    hymgi_cpu_restrict_residual_row(level, (int)(r.g - level->patch), r.cjk + 1, red, coarse);
}

/* Low faces along `axis`, including high boundaries: mean of the 4 fine faces. Only used in set-up.
 * */
void hymgi_cpu_restrict_faces(const hymgi_level *level, int axis, const hymgi_real *fine,
                              const hymgi_geom *patches, hymgi_real *coarse)
{
  const int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  for (int q = 0; q < level->num_boxes; q++) {
    const hymgi_geom *g = level->box + q, *patch = patches + q;
    const int nx = patch->n[0] + (axis == 0), ny = patch->n[1] + (axis == 1),
              nz = patch->n[2] + (axis == 2);
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
          hymgi_real four[4];
          for (int m = 0; m < 4; m++) {
            int at[3] = {2 * i, 2 * j, 2 * k};
            at[a] += m & 1, at[b] += m >> 1;
            four[m] = fine[hymgi_at(g, at[0], at[1], at[2])];
          }
          coarse[hymgi_at(patch, i, j, k)] = hymgi_mean_of_4(four);
        }
  }
}

/* ---- interpolation ---- */

HYMGI_INLINE void combine(const hymgi_ghosts order, double sign, const hymgi_real *const row[5],
                          int from, int to, hymgi_real *restrict out)
{
  const hymgi_real *const m2 = row[0], *const m1 = row[1], *const here = row[2], *const p1 = row[3],
                          *const p2 = row[4];
#define V(m) ((m) == -2 ? m2 : (m) == -1 ? m1 : (m) == 0 ? here : (m) == 1 ? p1 : p2)[t]
#pragma omp simd
  for (int t = from; t < to; t++)
    out[t] = HYMGI_CHILD(order, sign, V);
#undef V
}

/* Calls kernel(order, ...) with a constant order. */
#define BY_ORDER(kernel, order, ...)                                                               \
  ((order) == HYMGI_GHOSTS_P0   ? kernel(HYMGI_GHOSTS_P0, __VA_ARGS__)                             \
   : (order) == HYMGI_GHOSTS_P1 ? kernel(HYMGI_GHOSTS_P1, __VA_ARGS__)                             \
   : (order) == HYMGI_GHOSTS_V2 ? kernel(HYMGI_GHOSTS_V2, __VA_ARGS__)                             \
                                : kernel(HYMGI_GHOSTS_V4, __VA_ARGS__))

static void combine_rows(hymgi_ghosts order, double sign, const hymgi_real *const row[5], int from,
                         int to, hymgi_real *out)
{
  BY_ORDER(combine, order, sign, row, from, to, out);
}

/* Writes (or adds) even children to even[t * step], odd ones to odd[t * step]. */
HYMGI_INLINE void spread(const hymgi_ghosts order, const bool add, const ptrdiff_t step,
                         const hymgi_real *restrict c, int n, hymgi_real *even, hymgi_real *odd)
{
#pragma omp simd
  for (int t = 0; t < n; t++) {
    const hymgi_real e = hymgi_child(order, 1., c + t);
    const hymgi_real o = hymgi_child(order, -1., c + t);
    even[t * step] = add ? even[t * step] + e : e;
    odd[t * step] = add ? odd[t * step] + o : o;
  }
}

/* Fine row (j, k) from the combined coarse row c. */
static void spread_row(const hymgi_geom *g, hymgi_ghosts order, bool add, const hymgi_real *c,
                       const int jk[2], hymgi_real *x)
{
  const int even_colour = (jk[0] + jk[1] + g->parity) & 1, n = g->n[0] / 2;
  hymgi_real *const even = x + hymgi_row(g, g->split ? even_colour : 0, jk[0], jk[1]);
  hymgi_real *const odd = g->split ? x + hymgi_row(g, 1 - even_colour, jk[0], jk[1]) : even + 1;
  if (g->split && add)
    BY_ORDER(spread, order, true, 1, c, n, even, odd);
  else if (g->split)
    BY_ORDER(spread, order, false, 1, c, n, even, odd);
  else if (add)
    BY_ORDER(spread, order, true, 2, c, n, even, odd);
  else
    BY_ORDER(spread, order, false, 2, c, n, even, odd);
}

/* The four fine rows of coarse row (J, K): combined along z, then y, then x. */
static void interpolate_rows(const hymgi_level *fine, int b, hymgi_ghosts order, bool add,
                             const int JK[2], const hymgi_real *coarse, hymgi_real *x)
{
  const hymgi_geom *g = fine->box + b, *patch = fine->patch + b;
  const int r = HYMGI_INTERPOLATION_REACH(order);
  const hymgi_real *row[5][5] = {{NULL}};
  for (int dk = -r; dk <= r; dk++)
    for (int dj = -r; dj <= r; dj++) {
      hymgi_real *const buffer = host_scratch(fine, LOADED + (dk + 2) * 5 + dj + 2);
      row[dj + 2][dk + 2] = hymgi_cpu_plain_row(patch, coarse, JK[0] + dj, JK[1] + dk, buffer);
    }
  for (int kk = 0; kk < 2; kk++) {
    const hymgi_real *along_k[5] = {NULL};
    for (int dj = -r; dj <= r; dj++) {
      hymgi_real *const out = host_scratch(fine, K_COMBINED + dj + 2);
      combine_rows(order, kk ? -1 : 1, row[dj + 2], -r, patch->n[0] + r, out);
      along_k[dj + 2] = out;
    }
    for (int jj = 0; jj < 2; jj++) {
      hymgi_real *const c = host_scratch(fine, JK_COMBINED);
      combine_rows(order, jj ? -1 : 1, along_k, -r, patch->n[0] + r, c);
      const int jk[2] = {2 * JK[0] + jj, 2 * JK[1] + kk};
      spread_row(g, order, add, c, jk, x);
    }
  }
}

void hymgi_cpu_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                           const hymgi_real *source, hymgi_ghosts order, bool add, bool smoothed,
                           hymgi_real *x)
{
  (void)coarse, (void)smoothed;
#pragma omp parallel num_threads(hymgi_cpu_threads(fine))
  for (host_row r = hymgi_cpu_rows(fine->patch, fine->num_boxes, false); r.g; hymgi_cpu_next(&r))
    interpolate_rows(fine, (int)(r.g - fine->patch), order, add, r.cjk + 1, source, x);
}
