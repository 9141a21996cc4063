/* The host backend: its operation table, memory, thread counts and halo copies. */
#define _DEFAULT_SOURCE
#include "cpu/cpu.h"
#include "cpu/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

int hymgi_backend_threads(int wanted)
{
  return wanted > 0 ? wanted : omp_get_max_threads();
}

int hymgi_cpu_threads(const hymgi_level *level)
{
  int64_t cells = 0;
  for (int b = 0; b < level->num_boxes; b++)
    cells += (int64_t)level->box[b].n[0] * level->box[b].n[1] * level->box[b].n[2];
  const int64_t worth =
      cells / 8192; /* a thread with fewer cells does not pay for the fork and join */
  const int threads = level->context->threads;
  return worth < 2 ? 1 : worth < threads ? (int)worth : threads;
}

enum { HUGE_PAGE = 2 << 20 };

/* What the system may still give, without what it could take back from its caches; NAN: unknown. */
static double free_megabytes(void)
{
#ifdef _SC_AVPHYS_PAGES
  return 1e-6 * (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
  return NAN;
#endif
}

/* calloc leaves pages alone that are fresh from the system. The block's own address is in front of what
 * is returned. */
static hymg_status alloc_doubles(hymg_context *context, size_t doubles, double **data)
{
  if (doubles > (SIZE_MAX >> 4))
    return hymgi_fail(context, HYMG_ENOMEM, "%zu doubles are more than an address space", doubles);
  const size_t bytes = doubles * sizeof(double) + sizeof(double), large = bytes >= 2 * HUGE_PAGE;
  const size_t align = large ? HUGE_PAGE : 64, rounded = (bytes + align - 1) / align * align;
  char *const block = calloc(rounded + align + sizeof(void *), 1);
  if (!block)
    return hymgi_fail(context, HYMG_ENOMEM,
                      "%.3g MB of host memory: refused by the system, which has %.3g MB free",
                      (double)rounded * 1e-6, free_megabytes());
  void *const p = block + sizeof(void *) + align - (uintptr_t)(block + sizeof(void *)) % align;
#ifdef MADV_HUGEPAGE
  if (large) madvise(p, rounded, MADV_HUGEPAGE);
#endif
  ((void **)p)[-1] = block;
  *data = p;
  return HYMG_OK;
}

static void release_doubles(hymg_context *context, double *data, size_t doubles)
{
  (void)context, (void)doubles;
  if (data) free(((void **)data)[-1]);
}

static const hymgi_memory host_memory = {.name = "host",
                                         .on_host = true,
                                         .zeroed = true,
                                         .alloc = alloc_doubles,
                                         .release = release_doubles};

static hymg_status keep_block(hymg_context *context, void **block, size_t bytes)
{
  (void)context, (void)block, (void)bytes;
  return HYMG_OK;
}

static void nothing_to_wait_for(hymg_context *context)
{
  (void)context;
}

static void zero_doubles(hymg_context *context, double *data, size_t doubles)
{
  (void)context;
  memset(data, 0, doubles * sizeof(double));
}

static void copy_doubles(hymg_context *context, const double *from, double *to, size_t doubles)
{
  (void)context;
  memcpy(to, from, doubles * sizeof(double));
}

/* Each thread first touches the part that it sweeps later. */
static void clear_vector(const hymgi_level *level, double *x)
{
#pragma omp parallel num_threads(hymgi_cpu_threads(level))
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    const ptrdiff_t parts = g->split ? 2 : 1;
    for (ptrdiff_t part = 0; part < parts; part++) {
      int64_t from, to;
      const ptrdiff_t start = part * g->half, end = part + 1 < parts ? g->half : g->size;
      host_share(end - start, &from, &to);
      memset(x + g->offset + start + from, 0, (size_t)(to - from) * sizeof(double));
    }
  }
}

static void scale_vector(const hymgi_level *level, double factor, double *x)
{
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
  for (ptrdiff_t t = 0; t < level->vector_size; t++)
    x[t] *= factor;
}

static size_t scratch_doubles(const hymgi_level *level, ptrdiff_t *row)
{
  int longest = 0;
  for (int b = 0; b < level->num_boxes; b++)
    longest = level->box[b].n[0] > longest ? level->box[b].n[0] : longest;
  *row = (longest + 6 * HYMGI_LINE) / HYMGI_LINE * HYMGI_LINE;
  return longest ? (size_t)*row * HOST_SCRATCH_ROWS * (size_t)level->context->threads : 0;
}

/* ---- copies ---- */

/* Copies cells [low[0], low[0] + n) of a row of the vector x to or from the contiguous `cells`. */
static void copy_row(const hymgi_geom *g, double *x, const int low[3], int n,
                     double *restrict cells, bool write)
{
  if (!g->split) {
    double *const row = x + hymgi_at(g, low[0], low[1], low[2]);
    memcpy(write ? row : cells, write ? cells : row, (size_t)n * sizeof(double));
    return;
  }
  for (int c = 0; c < 2 && c < n; c++) {
    double *const restrict row = x + hymgi_at(g, low[0] + c, low[1], low[2]);
    const int count = (n - c + 1) / 2;
    if (write) {
#pragma omp simd
      for (int t = 0; t < count; t++)
        row[t] = cells[2 * t + c];
    } else {
#pragma omp simd
      for (int t = 0; t < count; t++)
        cells[2 * t + c] = row[t];
    }
  }
}

/* Number of threads that pays off for copying n[0] x n[1] x n[2] cells. */
static int threads_for(const hymgi_plan *plan, const int n[3])
{
  return plan->threads > 1 && (int64_t)n[0] * n[1] * n[2] > 16384 ? plan->threads : 1;
}

static void copy_brick(const hymgi_copy *c, const hymgi_geom *from, const double *src,
                       const hymgi_geom *to, double *dst, int k)
{
  enum { CHUNK = 512 };
  double chunk[CHUNK];
  for (int j = 0; j < c->n[1]; j++)
    for (int i = 0; i < c->n[0]; i += CHUNK) {
      const int n = c->n[0] - i < CHUNK ? c->n[0] - i : CHUNK;
      const int s[3] = {c->src[0] + i, c->src[1] + j, c->src[2] + k},
                d[3] = {c->dst[0] + i, c->dst[1] + j, c->dst[2] + k};
      copy_row(from, (double *)src, s, n, chunk, false);
      copy_row(to, dst, d, n, chunk, true);
    }
}

static void move_local(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                       const double *src, const hymgi_geom *dst_box, double *dst)
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
                        const hymgi_geom *box, double *x, double *buffer, bool write)
{
  for (const hymgi_piece *p = pieces; p < pieces + count; p++) {
    const ptrdiff_t nx = p->n[0], ny = p->n[1];
    const int threads = threads_for(plan, p->n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = 0; k < p->n[2]; k++)
      for (int j = 0; j < p->n[1]; j++) {
        const int low[3] = {p->low[0], p->low[1] + j, p->low[2] + k};
        copy_row(box + p->box, x, low, p->n[0], buffer + p->at + (k * ny + j) * nx, write);
      }
  }
}

static void move_pack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                      const double *src)
{
  (void)context;
  copy_pieces(plan, plan->pack, plan->num_pack, src_box, (double *)src, plan->send_buffer, false);
}

static void move_unpack(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                        double *dst, double *zero)
{
  (void)context, (void)zero;
  copy_pieces(plan, plan->unpack, plan->num_unpack, dst_box, dst, plan->receive_buffer, true);
}

hymgi_tuning hymgi_cpu_tuning(const hymgi_method *method)
{
  (void)method;
  return (hymgi_tuning){
      .split_from = 8, .wave_from = 96, .wave_stages = 6, .wave_rows = 32, .wave_restrict = true};
}

static const hymgi_backend host_backend = {
    .id = HYMG_BACKEND_HOST,
    .name = "host",
    .line = HYMGI_LINE,
    .mover = {move_local, move_pack, move_unpack, NULL, NULL, NULL, NULL, NULL},
    .memory = &host_memory,
    .crossing = &host_memory,
    .share = keep_block,
    .unshare = free,
    .sync = nothing_to_wait_for,
    .zero = zero_doubles,
    .copy = copy_doubles,
    .brick = hymgi_cpu_brick,
    .gather = hymgi_cpu_gather,
    .examine = hymgi_cpu_examine,
    .clear = clear_vector,
    .scale = scale_vector,
    .scratch_doubles = scratch_doubles,
    .finish_coefficients = hymgi_cpu_finish_coefficients,
    .restrict_faces = hymgi_cpu_restrict_faces,
    .boundary_term = hymgi_cpu_boundary_term,
    .add_boundary_terms = hymgi_cpu_add_boundary_terms,
    .fluxes = hymgi_cpu_fluxes,
    .apply = hymgi_cpu_apply,
    .residual = hymgi_cpu_residual,
    .residual_max = hymgi_cpu_residual_max,
    .smooth = hymgi_cpu_smooth,
    .tune = hymgi_cpu_tune,
    .smooth_restrict = hymgi_cpu_smooth_restrict,
    .residual_restrict = hymgi_cpu_residual_restrict,
    .restrict_cells = hymgi_cpu_restrict_cells,
    .fill_ghosts = hymgi_cpu_fill_ghosts,
    .interpolate = hymgi_cpu_interpolate,
    .robust = &hymgi_cpu_robust,
    .fill = hymgi_cpu_fill,
    .axpby = hymgi_cpu_axpby,
    .shift = hymgi_cpu_shift,
    .precondition = hymgi_cpu_precondition,
    .max = hymgi_cpu_max,
    .sum = hymgi_cpu_sum,
};

const hymgi_backend *hymgi_cpu_backend(void)
{
  return &host_backend;
}
