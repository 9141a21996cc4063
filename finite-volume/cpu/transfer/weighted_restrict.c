/* Restriction on the robust path, the transpose of the weighted interpolation (weighted.c), a coarse
 * row at a time: every coarse cell collects from its children and from the nearest cells of its
 * neighbours, so the order of the sum depends on nothing but the cell. */
#include "cpu/cpu.h"
#include "cpu/robust.h"
#include "formulas/conductance.h"

/* Scratch rows; 0 to 2 belong to sweep.c. ZEROES is never written. KEPT and ALONG_X are pairs, of parts
 * of rows. */
enum { KEPT = 4, ALONG_X = 6, RESULT = 8, ZEROES = HOST_SCRATCH_ROWS - 1 };

/* Where plane k of r is, as an address of plane 0 moved by k planes: vectors that hold `ring` planes
 * in turn, or all of them if it is 0. */
static const hymgi_real *ring_of(const hymgi_geom *g, const hymgi_real *r, int ring, int k)
{
  return ring && k >= ring ? r - (k - k % ring) * g->plane : r;
}

/* Is the residual 0 in this part of the row? */
static bool is_nothing(const hymgi_geom *g, hymgi_after after, int part, int j, int k)
{
  return after == HYMGI_AFTER_GSRB && g->split && hymgi_first(g, 0, j, k) != part;
}

/* ---- what a part of a coarse row is made of ---- */

enum { MOST_CHILDREN = 4, MOST_OTHERS = 8 };

typedef struct child {
  const hymgi_real *r, *w[3]; /* rows of the residual and of the weights */
} child;

typedef struct terms {
  int children, others;                           /* rows of zeroes included, which come last */
  int own_children, own_others;                   /* without them */
  child child[MOST_CHILDREN], other[MOST_OTHERS]; /* other: w[0] alone */
} terms;

/* The residual to be restricted. */
typedef struct origin {
  const hymgi_level *level;
  const hymgi_geom *g;
  const hymgi_real *r;
  hymgi_after after;
  int ring;
} origin;

static void add_child(const origin *o, int part, int j, int k, terms *all)
{
  if (is_nothing(o->g, o->after, part, j, k)) return;
  const ptrdiff_t at = host_part(o->g, part, j, k);
  child *c = all->child + all->children++;
  c->r = ring_of(o->g, o->r, o->ring, k) + at;
  for (int axis = 0; axis < 3; axis++)
    c->w[axis] =
        o->level->weight[axis] ? o->level->weight[axis] + at : host_scratch(o->level, ZEROES);
}

/* The row (j, k), beyond the children along an axis. */
static void add_other(const origin *o, int part, int axis, int j, int k, terms *all)
{
  if (!o->level->weight[axis] || hymgi_beyond(o->g, axis, axis == 1 ? j : k)) return;
  if (is_nothing(o->g, o->after, part, j, k)) return;
  const ptrdiff_t at = host_part(o->g, part, j, k);
  child *c = all->other + all->others++;
  c->r = ring_of(o->g, o->r, o->ring, k) + at;
  c->w[0] = o->level->weight[axis] + at;
}

/* Up to the given numbers, by rows of zeroes. */
static void fill_up(terms *all, const hymgi_real *zeroes, int children, int others)
{
  const child nothing = {zeroes, {zeroes, zeroes, zeroes}};
  while (all->children < children)
    all->child[all->children++] = nothing;
  while (all->others < others)
    all->other[all->others++] = nothing;
}

/* low, high: the children's first index along y and z, and the one after the last. */
static terms terms_of(const origin *o, int part, const int low[3], const int high[3])
{
  terms all;
  all.children = all.others = 0;
  for (int k = low[2]; k < high[2]; k++)
    for (int j = low[1]; j < high[1]; j++)
      add_child(o, part, j, k, &all);
  for (int k = low[2]; k < high[2]; k++) {
    add_other(o, part, 1, low[1] - 1, k, &all);
    add_other(o, part, 1, high[1], k, &all);
  }
  for (int j = low[1]; j < high[1]; j++) {
    add_other(o, part, 2, j, low[2] - 1, &all);
    add_other(o, part, 2, j, high[2], &all);
  }
  all.own_children = all.children, all.own_others = all.others;
  const int rest = all.children <= 1 && all.others <= 1   ? 1
                   : all.children <= 2 && all.others <= 4 ? 2
                                                          : 4;
  fill_up(&all, host_scratch(o->level, ZEROES), rest, rest == 1 ? 1 : 2 * rest);
  return all;
}

/* Those of a row further on. */
static void move(const hymgi_level *level, ptrdiff_t by, terms *all)
{
  for (int m = 0; m < all->own_children; m++) {
    all->child[m].r += by;
    for (int axis = 0; axis < 3; axis++)
      if (level->weight[axis]) all->child[m].w[axis] += by;
  }
  for (int m = 0; m < all->own_others; m++)
    all->other[m].r += by, all->other[m].w[0] += by;
}

/* What the parent keeps, and what the children's neighbours along x get, of the cells t. */
HYMGI_INLINE void collect(const int children, const int others, const terms *all, int n,
                          hymgi_real *restrict kept, hymgi_real *restrict along_x)
{
  child c[MOST_CHILDREN], o[MOST_OTHERS];
  for (int m = 0; m < children; m++)
    c[m] = all->child[m];
  for (int m = 0; m < others; m++)
    o[m] = all->other[m];
#pragma omp simd
  for (int t = 0; t < n; t++) {
    hymgi_real sum = 0, beside = 0;
    for (int m = 0; m < children; m++) {
      const hymgi_real r = c[m].r[t], wx = c[m].w[0][t];
      sum = hymgi_fma(hymgi_kept_part(wx, c[m].w[1][t], c[m].w[2][t]), r, sum);
      beside = hymgi_fma(wx, r, beside);
    }
    for (int m = 0; m < others; m++)
      sum = hymgi_fma(o[m].w[0][t], o[m].r[t], sum);
    kept[t] = sum, along_x[t] = beside;
  }
  along_x[-1] = along_x[n] = 0;
  for (int m = 0; m < children; m++) {
    const hymgi_real *const wx = c[m].w[0], *const r = c[m].r;
    along_x[-1] = hymgi_fma(wx[-1], r[-1], along_x[-1]);
    along_x[n] = hymgi_fma(wx[n], r[n], along_x[n]);
  }
}

static void collect_part(const origin *o, int part, const terms *all)
{
  hymgi_real *const kept = host_scratch(o->level, KEPT + part), *const along_x = host_scratch(
                                                                    o->level, ALONG_X + part);
  const int n = host_parts_of(o->g).n[part];
  if (all->children == 1)
    collect(1, 1, all, n, kept, along_x);
  else if (all->children == 2)
    collect(2, 4, all, n, kept, along_x);
  else
    collect(4, 8, all, n, kept, along_x);
}

/* ---- coarse cells ---- */

/* From a split row of n cells. */
static void store_pairs(const hymgi_level *level, int n, hymgi_real *restrict out)
{
  const int pairs = n / 2;
  const hymgi_real *const even = host_scratch(level, KEPT), *const odd =
                                                                host_scratch(level, KEPT + 1);
  const hymgi_real *const above = host_scratch(level, ALONG_X) + 1, *const below =
                                                                        host_scratch(level,
                                                                                     ALONG_X + 1) -
                                                                        1;
  const bool weighted = level->weight[0];
#pragma omp simd
  for (int t = 0; t < pairs; t++)
    out[t] = weighted ? hymgi_coarse_sum(even[t], odd[t], below[t], above[t]) : even[t] + odd[t];
  if (n % 2) /* the neighbour above is the odd cell that it does not have */
    out[pairs] =
        weighted ? hymgi_coarse_sum(even[pairs], 0, below[pairs], below[pairs + 1]) : even[pairs];
}

/* From a plain row. */
static void store_plain(const hymgi_level *level, const hymgi_geom *g, int n,
                        hymgi_real *restrict out)
{
  const hymgi_real *const kept = host_scratch(level, KEPT), *const along_x =
                                                                host_scratch(level, ALONG_X);
  const int pairs = g->n[0] / 2;
  const bool weighted = level->weight[0];
#pragma omp simd
  for (int i = 0; i < pairs; i++)
    out[i] = weighted ? hymgi_coarse_sum(kept[2 * i], kept[2 * i + 1], along_x[2 * i - 1],
                                         along_x[2 * i + 2])
                      : kept[2 * i] + kept[2 * i + 1];
  if (pairs < n)
    out[pairs] = weighted ? hymgi_coarse_sum(kept[2 * pairs], 0, along_x[2 * pairs - 1],
                                             along_x[2 * pairs + 1])
                          : kept[2 * pairs];
}

/* Cells of a row that is not coarsened along x, in natural order. */
static void join_parts(const hymgi_real *restrict even, const hymgi_real *restrict odd, int n,
                       hymgi_real *restrict out)
{
#pragma omp simd
  for (int t = 0; t < n; t++)
    out[2 * t] = even[t], out[2 * t + 1] = odd[t];
}

static void store_coarse(const hymgi_level *level, const hymgi_geom *g, const hymgi_geom *p,
                         const int JK[2], hymgi_real *coarse)
{
  hymgi_real *const out = host_scratch(level, RESULT), *const kept = host_scratch(level, KEPT);
  hymgi_real *const even = host_scratch(level, ALONG_X), *const odd = host_scratch(
                                                             level, ALONG_X + g->split);
  if (g->boundaries & 1) odd[-1] = 0;
  if (g->boundaries & 2) (g->n[0] % 2 ? odd : even)[g->split ? g->n[0] / 2 : g->n[0]] = 0;
  if (host_halved(level, 0) && g->split)
    store_pairs(level, g->n[0], out);
  else if (host_halved(level, 0))
    store_plain(level, g, p->n[0], out);
  else if (g->split)
    join_parts(kept, host_scratch(level, KEPT + 1), host_slots(g), out);
  hymgi_cpu_store_row(p, host_halved(level, 0) || g->split ? out : kept, JK[0], JK[1], coarse);
}

static terms row_terms(const origin *o, int part, const int JK[2])
{
  int low[3], high[3];
  for (int axis = 1; axis < 3; axis++) {
    const int at = JK[axis - 1];
    low[axis] = host_halved(o->level, axis) ? 2 * at : at;
    high[axis] =
        host_halved(o->level, axis) && 2 * at + 1 < o->g->n[axis] ? low[axis] + 2 : low[axis] + 1;
  }
  return terms_of(o, part, low, high);
}

/* Every second row is made of the same rows further on, but for the first and the last row. */
void hymgi_cpu_restrict_weighted_rows(const hymgi_level *level, int b, const int J[2], int K,
                                      const hymgi_real *r, hymgi_after after, int ring,
                                      hymgi_real *coarse)
{
  const origin o = {level, level->box + b, r, after, ring};
  const hymgi_geom *patch = level->patch + b;
  const ptrdiff_t two_rows = (host_halved(level, 1) ? 4 : 2) * o.g->pitch;
  terms all[2][2]; /* by parity of the row and part */
  for (int at = J[0]; at < J[1]; at++) {
    const int JK[2] = {at, K};
    const bool moves = at - 2 >= J[0] && at > 2 && at < patch->n[1] - 1;
    for (int part = 0; part <= o.g->split; part++) {
      terms *const t = &all[at & 1][part];
      if (moves)
        move(level, two_rows, t);
      else
        *t = row_terms(&o, part, JK);
      collect_part(&o, part, t);
    }
    store_coarse(level, o.g, patch, JK, coarse);
  }
}

void hymgi_cpu_restrict_weighted(const hymgi_level *level, const hymgi_real *r, hymgi_after after,
                                 hymgi_real *coarse)
{
  const int threads = hymgi_cpu_threads(level);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(level, level->patch, level->num_boxes, false); s.g;
       hymgi_cpu_next_plane(&s)) {
    const int J[2] = {s.cjk[1], s.cjk[1] + hymgi_cpu_rows_of_plane(&s)};
    hymgi_cpu_restrict_weighted_rows(level, (int)(s.g - level->patch), J, s.cjk[2], r, after, 0,
                                     coarse);
  }
}

void hymgi_cpu_restrict_weighted_shell(const hymgi_level *level, const int left[6],
                                       const hymgi_real *r, hymgi_after after, hymgi_real *coarse)
{
  const int nj = host_children(level, 1), nk = host_children(level, 2);
  const int *n = level->box->n, inner[2] = {left[2] / nj, (n[1] - left[3] + nj - 1) / nj};
  const int threads = hymgi_cpu_threads(level);
#pragma omp parallel num_threads(threads) if (threads > 1)
  for (host_row s = hymgi_cpu_rows(level, level->patch, 1, false); s.g; hymgi_cpu_next_plane(&s)) {
    const int from = s.cjk[1], to = from + hymgi_cpu_rows_of_plane(&s), K = s.cjk[2];
    const bool divided = nk * K >= left[4] && nk * K < n[2] - left[5] && inner[0] < inner[1];
    const int below = divided && inner[0] < to ? inner[0] : to,
              above = divided && inner[1] > from ? inner[1] : from;
    hymgi_cpu_restrict_weighted_rows(level, 0, (const int[2]){from, below}, K, r, after, 0, coarse);
    if (divided)
      hymgi_cpu_restrict_weighted_rows(level, 0, (const int[2]){above, to}, K, r, after, 0, coarse);
  }
}
