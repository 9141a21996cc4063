/* Interpolation on the host. The coarse side is a patch: the image of a fine box on the next coarser
 * level. Coarse rows are combined along z, then y, then x; what was combined along z is kept for the
 * next coarse rows. */
#include "cpu/cpu.h"
#include "formulas/transfer.h"

/* Scratch rows; 0 to 2 belong to sweep.c. Coarse row J combined along z is in row J modulo ALONG of
 * K_COMBINED, for the lower fine plane, or of the ALONG rows after it, for the upper one. */
enum { LOADED = 3, K_COMBINED = 8, ALONG = 5, JK_COMBINED = 18 };

typedef struct job {
  const hymgi_level *fine;
  const hymgi_geom *g, *patch; /* of the fine box */
  hymgi_ghosts order;
  int reach;
  bool add, black; /* black: only to black cells, rows being split */
  const hymgi_real *coarse;
  hymgi_real *x;
} job;

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

static void combine_rows(const job *w, double sign, const hymgi_real *const row[5], hymgi_real *out)
{
  BY_ORDER(combine, w->order, sign, row, -w->reach, w->patch->n[0] + w->reach, out);
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

/* The same for even (sign 1) or odd (sign -1) children alone. */
HYMGI_INLINE void spread_one(const hymgi_ghosts order, const bool add, const double sign,
                             const hymgi_real *restrict c, int n, hymgi_real *restrict out)
{
#pragma omp simd
  for (int t = 0; t < n; t++)
    out[t] = add ? out[t] + hymgi_child(order, sign, c + t) : hymgi_child(order, sign, c + t);
}

static void spread_black(const job *w, const hymgi_real *c, int j, int k)
{
  const int n = w->g->n[0] / 2, first = hymgi_first(w->g, 1, j, k);
  hymgi_real *const out = w->x + hymgi_row(w->g, 1, j, k);
  if (first && w->add)
    BY_ORDER(spread_one, w->order, true, -1., c, n, out);
  else if (first)
    BY_ORDER(spread_one, w->order, false, -1., c, n, out);
  else if (w->add)
    BY_ORDER(spread_one, w->order, true, 1., c, n, out);
  else
    BY_ORDER(spread_one, w->order, false, 1., c, n, out);
}

/* Fine row (j, k) from the combined coarse row c. */
static void spread_row(const job *w, const hymgi_real *c, int j, int k)
{
  const hymgi_geom *g = w->g;
  const int even_colour = hymgi_first(g, 0, j, k), n = g->n[0] / 2;
  hymgi_real *const even = w->x + hymgi_row(g, g->split ? even_colour : 0, j, k);
  hymgi_real *const odd = g->split ? w->x + hymgi_row(g, 1 - even_colour, j, k) : even + 1;
  if (w->black)
    spread_black(w, c, j, k);
  else if (g->split && w->add)
    BY_ORDER(spread, w->order, true, 1, c, n, even, odd);
  else if (g->split)
    BY_ORDER(spread, w->order, false, 1, c, n, even, odd);
  else if (w->add)
    BY_ORDER(spread, w->order, true, 2, c, n, even, odd);
  else
    BY_ORDER(spread, w->order, false, 2, c, n, even, odd);
}

static hymgi_real *along_k(const job *w, int J, int kk)
{
  return host_scratch(w->fine, K_COMBINED + kk * ALONG + (J + ALONG) % ALONG);
}

/* Combines row J of the coarse planes around K along z. */
static void load_row(const job *w, int J, int K)
{
  const hymgi_real *row[5] = {NULL};
  for (int dk = -w->reach; dk <= w->reach; dk++)
    row[dk + 2] =
        hymgi_cpu_plain_row(w->patch, w->coarse, J, K + dk, host_scratch(w->fine, LOADED + dk + 2));
  for (int kk = 0; kk < 2; kk++)
    combine_rows(w, kk ? -1 : 1, row, along_k(w, J, kk));
}

void hymgi_cpu_interpolate_rows(const hymgi_level *fine, int b, const hymgi_interpolation *what,
                                bool black, const int J[2], int K, hymgi_real *x)
{
  const job w = {.fine = fine,
                 .g = fine->box + b,
                 .patch = fine->patch + b,
                 .order = (hymgi_ghosts)what->order,
                 .reach = HYMGI_INTERPOLATION_REACH(what->order),
                 .add = what->add,
                 .black = black,
                 .coarse = what->source,
                 .x = x};
  hymgi_real *const c = host_scratch(fine, JK_COMBINED);
  if (J[0] >= J[1]) return;
  for (int at = J[0] - w.reach; at < J[0] + w.reach; at++)
    load_row(&w, at, K);
  for (int at = J[0]; at < J[1]; at++) {
    load_row(&w, at + w.reach, K);
    for (int kk = 0; kk < 2; kk++) {
      const hymgi_real *row[5] = {NULL};
      for (int dj = -w.reach; dj <= w.reach; dj++)
        row[dj + 2] = along_k(&w, at + dj, kk);
      for (int jj = 0; jj < 2; jj++) {
        combine_rows(&w, jj ? -1 : 1, row, c);
        spread_row(&w, c, 2 * at + jj, 2 * K + kk);
      }
    }
  }
}

bool hymgi_cpu_starts_black(const hymgi_level *level)
{
  return level->op->stencil == HYMG_FV2 && level->method->smoother == HYMG_GSRB &&
         level->num_boxes > 0 && level->box[0].split && hymgi_keeps_colours_apart(level);
}

typedef struct prolongation {
  const hymgi_level *fine;
  const hymgi_interpolation *what;
  bool black;
  hymgi_real *x;
} prolongation;

static void interpolate_share(void *user)
{
  const prolongation *t = user;
  const hymgi_level *fine = t->fine;
  for (host_row r = hymgi_cpu_rows(fine, fine->patch, fine->num_boxes, false); r.g;
       hymgi_cpu_next_plane(&r)) {
    const int J[2] = {r.cjk[1], r.cjk[1] + hymgi_cpu_rows_of_plane(&r)};
    hymgi_cpu_interpolate_rows(fine, (int)(r.g - fine->patch), t->what, t->black, J, r.cjk[2],
                               t->x);
  }
}

void hymgi_cpu_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                           const hymgi_real *source, hymgi_ghosts order, bool add, bool smoothed,
                           hymgi_real *x)
{
  (void)coarse;
  const hymgi_interpolation what = {source, order, add};
  prolongation t = {fine, &what, smoothed && hymgi_cpu_starts_black(fine), x};
  hymgi_cpu_share_out(fine->context, hymgi_cpu_threads(fine), interpolate_share, &t);
}
