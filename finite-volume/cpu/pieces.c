/* Parts of boxes, maxima and sums over floating pieces, on the host. Cells of a piece mostly follow each other, so a thread takes
 * runs of them together. */
#include "base/exact_sum.h"
#include "base/forest.h"
#include "cpu/cpu.h"
#include "cpu/setup.h"
#include "formulas/fixed.h"

/* ---- parts ---- */

/* Joins the cells of the planes from ... to - 1 along x and y, and each with the one above but for the last plane. */
static void join_planes(const hymgi_conductances *c, const hymgi_geom *g, int from, int to,
                        int64_t *parent)
{
  const int64_t step[3] = {1, g->n[0], (int64_t)g->n[0] * g->n[1]};
  for (int k = from; k < to; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++) {
        const int64_t cell = hymgi_number_in_box(g, i, j, k);
        const bool next[3] = {i + 1 < g->n[0], j + 1 < g->n[1], k + 1 < to};
        for (int axis = 0; axis < 3; axis++)
          if (next[axis] && hymgi_face(c, g, axis, 1, i, j, k) > 0)
            hymgi_join(parent, cell, cell + step[axis]);
      }
}

static void join_above(const hymgi_conductances *c, const hymgi_geom *g, int k, int64_t *parent)
{
  for (int j = 0; j < g->n[1]; j++)
    for (int i = 0; i < g->n[0]; i++)
      if (hymgi_face(c, g, 2, 1, i, j, k) > 0)
        hymgi_join(parent, hymgi_number_in_box(g, i, j, k), hymgi_number_in_box(g, i, j, k + 1));
}

/* parent: of every cell in the end the first one of its part. A thread joins the planes of a slab, then slabs are
 * joined. As parents are smaller than their children, one pass in order makes all of them first cells. */
static void join_box(const hymgi_conductances *c, const hymgi_geom *g, int threads, int64_t *parent)
{
  const int64_t cells = (int64_t)g->n[0] * g->n[1] * g->n[2];
  const int slabs = threads < g->n[2] ? threads : g->n[2];
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t cell = 0; cell < cells; cell++)
    parent[cell] = cell;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int s = 0; s < slabs; s++)
    join_planes(c, g, (int)((int64_t)g->n[2] * s / slabs),
                (int)((int64_t)g->n[2] * (s + 1) / slabs), parent);
  for (int s = 1; s < slabs; s++)
    join_above(c, g, (int)((int64_t)g->n[2] * s / slabs) - 1, parent);
  for (int64_t cell = 0; cell < cells; cell++)
    parent[cell] = parent[parent[cell]];
}

/* In `parts`, of first cells, whether a boundary holds u in their part; 0 in the others. */
static void find_holds(int threads, const hymgi_conductances *c, const hymgi_geom *g,
                       const int64_t *parent, double *parts)
{
  (void)threads;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++)
          parts[hymgi_at(g, i, j, k)] = 0;
#pragma omp for schedule(static)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          if (!hymgi_is_held(c, g, i, j, k)) continue;
          double *const first =
              parts + hymgi_place_in_box(g, parent[hymgi_number_in_box(g, i, j, k)]);
#pragma omp atomic write
          *first = 0.5;
        }
  }
}

void hymgi_cpu_find_parts(const hymgi_level *level, double *scratch, double *parts)
{
  const hymgi_conductances c = hymgi_conductances_of(level);
  const int threads = hymgi_cpu_threads(level);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    int64_t *const parent = (int64_t *)(void *)(scratch + g->offset);
    join_box(&c, g, threads, parent);
    find_holds(threads, &c, g, parent, parts);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const ptrdiff_t at = hymgi_at(g, i, j, k);
          const bool unknown = !hymgi_is_given(level->fixed.given[at]);
          const int64_t first = parent[hymgi_number_in_box(g, i, j, k)];
          parts[at] = unknown ? (double)first + parts[at] : -1;
        }
  }
}

/* ---- maxima and sums ---- */

/* The piece of a run that begins at t, which ends at *next. */
HYMGI_INLINE int run_of(const double *piece, ptrdiff_t t, ptrdiff_t end, ptrdiff_t *next)
{
  const double here = piece[t];
  ptrdiff_t n = t + 1;
  while (n < end && piece[n] == here)
    n++;
  *next = n;
  return (int)here;
}

/* What a thread has found so far in the piece of its last run. */
typedef struct own_part {
  int piece; /* -1: nothing */
  double largest;
  host_sum sum;
} own_part;

static void give_largest(const own_part *own, double *most)
{
  if (own->piece < 0) return;
#pragma omp critical
  most[own->piece] = host_larger(most[own->piece], own->largest);
}

void hymgi_cpu_piece_maxima(const hymgi_level *level, const double *x, double *most)
{
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    own_part own = {.piece = -1};
    ptrdiff_t next;
    for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, true); s.g;
         hymgi_cpu_next(&s))
      for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
        const int at = run_of(piece, t, s.at + s.n, &next);
        if (at < 0) continue;
        if (at != own.piece) {
          give_largest(&own, most);
          own = (own_part){.piece = at};
        }
        own.largest = host_larger(own.largest, host_largest(x + t, (int)(next - t)));
      }
    give_largest(&own, most);
  }
}

static void give_sum(const own_part *own, int64_t *words)
{
  int64_t sum[HYMGI_SUM_RESULT] = {0};
  if (own->piece < 0) return;
  host_add_words(&own->sum, sum);
  for (int w = 0; w < HYMGI_SUM_RESULT; w++) {
#pragma omp atomic
    words[(ptrdiff_t)HYMGI_SUM_RESULT * own->piece + w] += sum[w];
  }
}

void hymgi_cpu_piece_sums(const hymgi_level *level, const double *x, int exponent, int bits,
                          int64_t *words)
{
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, bits);
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  {
    own_part own = {.piece = -1};
    ptrdiff_t next;
    for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, true); s.g;
         hymgi_cpu_next(&s))
      for (ptrdiff_t t = s.at; t < s.at + s.n; t = next) {
        const int at = run_of(piece, t, s.at + s.n, &next);
        if (at < 0) continue;
        if (at != own.piece) {
          give_sum(&own, words);
          own = (own_part){.piece = at};
        }
        host_add_row(false, x + t, x + t, (int)(next - t), &scale, &own.sum);
      }
    give_sum(&own, words);
  }
}

void hymgi_cpu_piece_add(const hymgi_level *level, const double *value, const double *with,
                         double *x)
{
  const double *const piece = level->fixed.piece;
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (host_row s = hymgi_cpu_rows(level, level->box, level->num_boxes, true); s.g;
       hymgi_cpu_next(&s))
    for (ptrdiff_t t = s.at; t < s.at + s.n; t++) {
      const int at = (int)piece[t];
      if (at >= 0) x[t] = hymgi_fma_double(value[at], with ? with[t] : 1, x[t]);
    }
}
