/* Vectors on the host: copies between boxes and to and from messages, first touch, scratch rows. */
#include <string.h>

#include "cpu/cpu.h"

static void clear_part(hymgi_real *x, ptrdiff_t n)
{
  memset(x, 0, (size_t)n * sizeof *x);
}

/* A word of each page is enough where the system clears pages. */
static void touch_part(hymgi_real *x, ptrdiff_t n)
{
  enum { PAGE = 4096 / (int)sizeof *x };
  for (ptrdiff_t t = 0; t < n; t += PAGE)
    x[t] = 0;
}

/* Each thread has the part that it sweeps later. */
static void each_part(const hymgi_level *level, hymgi_real *x,
                      void (*work)(hymgi_real *x, ptrdiff_t n))
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    const ptrdiff_t parts = g->split ? 2 : 1;
    for (ptrdiff_t part = 0; part < parts; part++) {
      int64_t from, to;
      const ptrdiff_t start = part * g->half, end = part + 1 < parts ? g->half : g->size;
      host_share(level->context, end - start, &from, &to);
      work(x + g->offset + start + from, to - from);
    }
  }
}

void hymgi_cpu_clear(const hymgi_level *level, hymgi_real *x)
{
  each_part(level, x, clear_part);
}

void hymgi_cpu_touch(const hymgi_level *level, hymgi_real *x)
{
  each_part(level, x, touch_part);
}

size_t hymgi_cpu_scratch_doubles(const hymgi_level *level, ptrdiff_t *row)
{
  int longest = 0;
  for (int b = 0; b < level->num_boxes; b++)
    longest = level->box[b].n[0] > longest ? level->box[b].n[0] : longest;
  if (longest) longest += 2 * (level->layers + 1); /* wide boxes */
  *row = (longest + 6 * HOST_LINE) / HOST_LINE * HOST_LINE;
  const size_t rows = longest ? HOST_SCRATCH_ROWS * (size_t)level->context->threads : 0;
  return rows * (size_t)*row * sizeof(hymgi_real) / sizeof(double);
}

/* Messages are of doubles. Copies cells [low[0], low[0] + n) of a row of the vector x to or from
 * the contiguous `cells`. */
static void copy_row(const hymgi_geom *g, hymgi_real *x, const int low[3], int n,
                     double *restrict cells, bool write)
{
  if (!g->split) {
    hymgi_real *const restrict row = x + hymgi_at(g, low[0], low[1], low[2]);
    for (int t = 0; t < n && write; t++)
      row[t] = (hymgi_real)cells[t];
    for (int t = 0; t < n && !write; t++)
      cells[t] = (double)row[t];
    return;
  }
  hymgi_real *const restrict first = x + hymgi_at(g, low[0], low[1], low[2]),
                             *const restrict second = x + hymgi_at(g, low[0] + 1, low[1], low[2]);
  const int pairs = n / 2;
  if (write) {
#pragma omp simd
    for (int t = 0; t < pairs; t++)
      first[t] = (hymgi_real)cells[2 * t], second[t] = (hymgi_real)cells[2 * t + 1];
    if (n % 2) first[pairs] = (hymgi_real)cells[n - 1];
  } else {
#pragma omp simd
    for (int t = 0; t < pairs; t++)
      cells[2 * t] = (double)first[t], cells[2 * t + 1] = (double)second[t];
    if (n % 2) cells[n - 1] = (double)first[pairs];
  }
}

/* Rows of at most so many cells (faces along x) are copied as columns along y. */
enum { NARROW = 2 };

/* The cells of a column with an even, or an odd, distance from `low` are two rows apart, in either
 * layout. */
static hymgi_real *column_part(const hymgi_geom *g, const hymgi_real *x, const int low[3], int i,
                               int odd, int k)
{
  return (hymgi_real *)x + hymgi_at(g, low[0] + i, low[1] + odd, low[2] + k);
}

static void copy_columns(const hymgi_copy *c, const hymgi_geom *from, const hymgi_real *src,
                         const hymgi_geom *to, hymgi_real *dst, int k)
{
  for (int i = 0; i < c->n[0]; i++)
    for (int odd = 0; odd < 2; odd++) {
      const hymgi_real *const a = column_part(from, src, c->src, i, odd, k);
      hymgi_real *const b = column_part(to, dst, c->dst, i, odd, k);
      const int count = (c->n[1] - odd + 1) / 2;
      for (ptrdiff_t t = 0; t < count; t++)
        b[2 * t * to->pitch] = a[2 * t * from->pitch];
    }
}

/* Plane k of a piece of a vector to or from its part of a message. */
static void copy_narrow_piece(const hymgi_piece *p, const hymgi_geom *g, hymgi_real *x,
                              double *plane, int k, bool write)
{
  const ptrdiff_t wide = p->n[0];
  for (int i = 0; i < p->n[0]; i++)
    for (int odd = 0; odd < 2; odd++) {
      hymgi_real *const column = column_part(g, x, p->low, i, odd, k);
      double *const cells = plane + odd * wide + i;
      const int count = (p->n[1] - odd + 1) / 2;
      for (ptrdiff_t t = 0; t < count && write; t++)
        column[2 * t * g->pitch] = (hymgi_real)cells[2 * t * wide];
      for (ptrdiff_t t = 0; t < count && !write; t++)
        cells[2 * t * wide] = (double)column[2 * t * g->pitch];
    }
}

/* Number of threads that pays off for copying n[0] x n[1] x n[2] cells. */
static int threads_for(const hymgi_plan *plan, const int n[3])
{
  return plan->threads > 1 && (int64_t)n[0] * n[1] * n[2] > 16384 ? plan->threads : 1;
}

static void copy_brick(const hymgi_copy *c, const hymgi_geom *from, const hymgi_real *src,
                       const hymgi_geom *to, hymgi_real *dst, int k)
{
  enum { CHUNK = 512 };
  double chunk[CHUNK];
  if (c->n[0] <= NARROW) {
    copy_columns(c, from, src, to, dst, k);
    return;
  }
  for (int j = 0; j < c->n[1]; j++)
    for (int i = 0; i < c->n[0]; i += CHUNK) {
      const int n = c->n[0] - i < CHUNK ? c->n[0] - i : CHUNK;
      const int s[3] = {c->src[0] + i, c->src[1] + j, c->src[2] + k},
                d[3] = {c->dst[0] + i, c->dst[1] + j, c->dst[2] + k};
      copy_row(from, (hymgi_real *)src, s, n, chunk, false);
      copy_row(to, dst, d, n, chunk, true);
    }
}

void hymgi_cpu_copy_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                          const hymgi_real *src, const hymgi_geom *dst_box, hymgi_real *dst)
{
  (void)context;
  for (const hymgi_copy *c = plan->local; c < plan->local + plan->num_local; c++) {
    const int threads = threads_for(plan, c->n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = 0; k < c->n[2]; k++)
      copy_brick(c, src_box + c->src_box, src, dst_box + c->dst_box, dst, k);
  }
}

/* Copies pieces of a vector to or from a message buffer. */
static void copy_pieces(const hymgi_plan *plan, const hymgi_piece *pieces, int count,
                        const hymgi_geom *box, hymgi_real *x, double *buffer, bool write)
{
  for (const hymgi_piece *p = pieces; p < pieces + count; p++) {
    const ptrdiff_t nx = p->n[0], ny = p->n[1];
    const int threads = threads_for(plan, p->n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = 0; k < p->n[2]; k++) {
      double *const plane = buffer + p->at + k * ny * nx;
      if (nx <= NARROW) copy_narrow_piece(p, box + p->box, x, plane, k, write);
      for (int j = 0; j < p->n[1] && nx > NARROW; j++) {
        const int low[3] = {p->low[0], p->low[1] + j, p->low[2] + k};
        copy_row(box + p->box, x, low, p->n[0], plane + j * nx, write);
      }
    }
  }
}

void hymgi_cpu_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const hymgi_real *src)
{
  (void)context;
  copy_pieces(plan, plan->pack, plan->num_pack, src_box, (hymgi_real *)src, plan->send_buffer,
              false);
}

void hymgi_cpu_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                      hymgi_real *dst, hymgi_real *zero)
{
  (void)context, (void)zero;
  copy_pieces(plan, plan->unpack, plan->num_unpack, dst_box, dst, plan->receive_buffer, true);
}
