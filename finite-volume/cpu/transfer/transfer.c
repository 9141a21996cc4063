/* Restriction on the host. The coarse side is a patch: the image of a fine box on the next coarser
 * level. */
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/transfer.h"

/* Scratch rows used here, KEPT of them from ROWS, in which rows are a pitch apart as in a vector; 0 to 2 belong to
 * sweep.c. */
enum { MEAN_ROW = 3, ROWS = 4, KEPT = 16 };

const hymgi_real *hymgi_cpu_plain_row(const hymgi_geom *g, const hymgi_real *x, int j, int k,
                                      hymgi_real *buffer)
{
  if (!g->split) return x + hymgi_row(g, 0, j, k);
  const int even = (j + k + g->parity) & 1, slots = host_slots(g);
  const hymgi_real *const restrict e = x + hymgi_row(g, even, j, k), *const restrict o =
                                                                         x + hymgi_row(g, 1 - even,
                                                                                       j, k);
  hymgi_real *const restrict out = buffer;
#pragma omp simd
  for (int t = -1; t <= slots; t++)
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
  if (g->n[0] % 2) e[half] = cells[2 * half];
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

/* max: NULL, or raised to the largest absolute value of the fine cells */
static void restrict_row(const hymgi_level *level, int b, const int JK[2], const hymgi_real *fine,
                         hymgi_real *coarse, double *max)
{
  const hymgi_geom *g = level->box + b;
  fine_rows r;
  for (int m = 0; m < 4; m++) {
    const int j = 2 * JK[0] + (m & 1), k = 2 * JK[1] + (m >> 1),
              even = g->split ? hymgi_first(g, 0, j, k) : 0;
    r.even[m] = fine + hymgi_row(g, even, j, k);
    r.odd[m] = g->split ? fine + hymgi_row(g, 1 - even, j, k) : r.even[m] + 1;
    for (int c = 0; max && c <= g->split; c++)
      *max = host_larger(*max, host_largest(fine + hymgi_row(g, c, j, k), host_cells(g, c, j, k)));
  }
  store_means(level, b, &r, false, g->split ? 1 : 2, JK, coarse);
}

typedef struct restriction {
  const hymgi_level *level;
  const hymgi_real *fine; /* NULL: the residual, if red that of red cells */
  hymgi_real *coarse;
  bool red;
  double *max; /* as in restrict_row */
} restriction;

static void restrict_share(void *user)
{
  const restriction *t = user;
  const hymgi_level *level = t->level;
  double mine = 0;
  for (host_row r = hymgi_cpu_rows(level, level->patch, level->num_boxes, false); r.g;
       hymgi_cpu_next_plane(&r)) {
    const int b = (int)(r.g - level->patch), K = r.cjk[2];
    const int J[2] = {r.cjk[1], r.cjk[1] + hymgi_cpu_rows_of_plane(&r)};
    if (!t->fine) hymgi_cpu_restrict_residual_rows(level, b, J, K, t->red, t->coarse);
    for (int at = J[0]; t->fine && at < J[1]; at++)
      restrict_row(level, b, (const int[2]){at, K}, t->fine, t->coarse, t->max ? &mine : NULL);
  }
  if (!t->max) return;
#pragma omp critical
  *t->max = host_larger(*t->max, mine);
}

static void run_restriction(restriction t)
{
  hymgi_cpu_share_out(t.level->context, hymgi_cpu_threads(t.level), restrict_share, &t);
}

void hymgi_cpu_restrict_cells(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse)
{
  run_restriction((restriction){level, .fine = fine, .coarse = coarse});
}

void hymgi_cpu_restrict_max(const hymgi_level *level, const hymgi_real *fine, hymgi_real *coarse,
                            int slot)
{
  double max = 0;
  run_restriction((restriction){level, .fine = fine, .coarse = coarse, .max = &max});
  level->context->later[slot] = max;
}

/* The residual of the fine rows of coarse rows J[0] <= J < J[1] of plane K: of each of the two planes, of each colour
 * that is computed, `rows` of them. */
static void keep_residuals(const hymgi_level *level, int b, const int J[2], int K, int colours,
                           int rows)
{
  const hymgi_geom *g = level->box + b;
  const host_pass residual = {
      .kind = HOST_RESIDUAL, .level = level, .f = level->f, .own = level->x, .other = level->x};
  hymgi_real *const kept = host_scratch(level, ROWS);
  const int j[2] = {2 * J[0], 2 * J[1]};
  for (int m = 0; m < 2 * colours; m++)
    hymgi_cpu_run_rows(&residual, g, m % colours, j, 2 * K + m / colours,
                       kept + m * rows * g->pitch);
}

static void restrict_kept(const hymgi_level *level, int b, const int J[2], int K, bool red,
                          int colours, int rows, hymgi_real *coarse)
{
  const hymgi_geom *g = level->box + b;
  const ptrdiff_t colour = rows * g->pitch; /* from colour to colour */
  fine_rows r;
  for (int at = J[0]; at < J[1]; at++) {
    for (int m = 0; m < 4; m++) {
      const int j = 2 * at + (m & 1), k = 2 * K + (m >> 1), even = hymgi_first(g, 0, j, k);
      const hymgi_real *const row =
          host_scratch(level, ROWS) + (m >> 1) * colours * colour + (j - 2 * J[0]) * g->pitch;
      r.even[m] = g->split ? row + (red ? 0 : even * colour) : row + (red ? even : 0);
      r.odd[m] = g->split ? row + (red ? 0 : (1 - even) * colour) : row + 1;
    }
    store_means(level, b, &r, red, g->split ? 1 : 2, (const int[2]){at, K}, coarse);
  }
}

void hymgi_cpu_restrict_residual_rows(const hymgi_level *level, int b, const int J[2], int K,
                                      bool red, hymgi_real *coarse)
{
  const int colours = level->box[b].split && !red ? 2 : 1, rows = KEPT / (2 * colours);
  for (int from = J[0]; from < J[1]; from += rows / 2) {
    const int some[2] = {from, from + rows / 2 < J[1] ? from + rows / 2 : J[1]};
    keep_residuals(level, b, some, K, colours, rows);
    restrict_kept(level, b, some, K, red, colours, rows, coarse);
  }
}

void hymgi_cpu_restrict_shell(const hymgi_level *level, const int left_out[6], bool red,
                              hymgi_real *coarse)
{
  const hymgi_geom *g = level->box;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row r = hymgi_cpu_rows(level, level->patch, 1, false); r.g; hymgi_cpu_next(&r)) {
    const int J = r.cjk[1], K = r.cjk[2];
    const bool done = 2 * J >= left_out[2] && 2 * J < g->n[1] - left_out[3] &&
                      2 * K >= left_out[4] && 2 * K < g->n[2] - left_out[5];
    if (!done) hymgi_cpu_restrict_residual_rows(level, 0, (const int[2]){J, J + 1}, K, red, coarse);
  }
}

/* Updates the ghosts of level->x first. After GSRB with FV2 the black cells' residual is zero up to
 * rounding and is left out. */
void hymgi_cpu_residual_restrict(const hymgi_level *level, hymgi_after after, hymgi_real *coarse,
                                 hymgi_real *zero)
{
  (void)zero; /* zeroing is optional, and the host does not offer it */
  const bool red = level->op->stencil == HYMG_FV2 && after == HYMGI_AFTER_GSRB;
  hymgi_cpu_update_ghosts(level, level->x);
  run_restriction((restriction){level, .coarse = coarse, .red = red});
}

/* ---- faces ---- */

void hymgi_cpu_store_faces(const hymgi_geom *g, int axis, const hymgi_real *faces, const int jk[2],
                           hymgi_real *x)
{
  hymgi_cpu_store_row(g, faces, jk[0], jk[1], x);
  if (axis == 0) x[hymgi_at(g, g->n[0], jk[0], jk[1])] = faces[g->n[0]];
}

/* hymgi_mean_face of a row of n coarse faces. */
static void mean_faces(const hymgi_geom *g, int axis, const hymgi_real *fine, const int JK[2],
                       int n, hymgi_real *restrict mean)
{
  const hymgi_real *four[4];
  for (int m = 0; m < 4; m++) {
    const int first = m & 1, second = m >> 1;
    const int di = axis == 0 ? 0 : first, dk = axis == 2 ? 0 : second;
    const int dj = axis == 0 ? first : axis == 2 ? second : 0;
    four[m] = fine + hymgi_at(g, di, 2 * JK[0] + dj, 2 * JK[1] + dk);
  }
  const hymgi_real *const a = four[0], *const b = four[1], *const c = four[2], *const d = four[3];
  if (g->split)
#pragma omp simd
    for (int t = 0; t < n; t++)
      mean[t] = hymgi_mean_of_4(a[t], b[t], c[t], d[t]);
  else
#pragma omp simd
    for (int t = 0; t < n; t++)
      mean[t] = hymgi_mean_of_4(a[2 * t], b[2 * t], c[2 * t], d[2 * t]);
}

/* Low faces along `axis`, including high boundaries. Only used in set-up. */
void hymgi_cpu_restrict_faces(const hymgi_level *level, int axis, const hymgi_real *fine,
                              const hymgi_geom *patches, hymgi_real *coarse)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b, *p = patches + b;
    const int nJ = p->n[1] + (axis == 1), rows = nJ * (p->n[2] + (axis == 2));
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
    for (int m = 0; m < rows; m++) {
      const int JK[2] = {m % nJ, m / nJ};
      hymgi_real *const mean = host_scratch(level, MEAN_ROW);
      mean_faces(g, axis, fine, JK, p->n[0] + (axis == 0), mean);
      hymgi_cpu_store_faces(p, axis, mean, JK, coarse);
    }
  }
}
