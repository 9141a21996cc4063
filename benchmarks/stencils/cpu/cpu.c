/* The CPU's kernels: rows are vectorised, planes are divided among the threads. A thread sweeps a
 * tile of rows upwards by two planes at a time, so that the neighbouring planes stay in the core's
 * cache and are loaded from it once for both. Streamed: a row is computed in the first-level cache
 * and written with non-temporal stores, which saves the read before a write. */
#define _DEFAULT_SOURCE
#include "stencils/cpu/stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define FMAF(a, b, c) fmaf(a, b, c)
#define FMAD(a, b, c) fma(a, b, c)
#else
#define FMAF(a, b, c) ((a) * (b) + (c))
#define FMAD(a, b, c) ((a) * (b) + (c))
#endif

static ptrdiff_t row_at(const stencil_job *job, int j, int k)
{
  return job->g.origin + j * job->g.pitch + k * job->g.plane;
}

/* Along the job's axis. */
static ptrdiff_t stride_of(const stencil_job *job)
{
  return job->axis == 0 ? 1 : job->axis == 1 ? job->g.pitch : job->g.plane;
}

#define T        float
#define FMA      FMAF
#define FN(name) name##_float
#include "stencils/cpu/cpu_rows.h"
#undef T
#undef FMA
#undef FN
#define T        double
#define FMA      FMAD
#define FN(name) name##_double
#include "stencils/cpu/cpu_rows.h"
#undef T
#undef FMA
#undef FN

/* ---- rows ---- */

/* Non-temporal copy if the machine has such stores and `to` is aligned to 16 bytes; `from` always
 * is. */
static void stream(char *to, const char *from, size_t bytes)
{
  size_t done = 0;
#ifdef __SSE2__
  for (; (uintptr_t)to % 16 == 0 && done + 16 <= bytes; done += 16)
    _mm_stream_si128((__m128i *)(to + done), _mm_load_si128((const __m128i *)(from + done)));
#endif
  memcpy(to + done, from + done, bytes - done);
}

/* Computes count points of a row in each of several planes. row: a buffer for them, `apart` entries
 * each, or NULL: write the results directly. */
static void part_of_rows(const stencil_job *job, const int index[3], int count, int planes,
                         char *row, ptrdiff_t apart)
{
  const size_t each = stencil_bytes(job);
  const ptrdiff_t at = row_at(job, index[1], index[2]) + index[0], plane = job->g.plane;
  char *const to = (char *)job->array[STENCIL_OUT] + (size_t)at * each;
  if (job->wide)
    any_row_double(job, index, count, planes, row ? row : to, row ? apart : plane);
  else
    any_row_float(job, index, count, planes, row ? row : to, row ? apart : plane);
  for (int k = 0; k < planes && row; k++)
    stream(to + (size_t)(k * plane) * each, row + (size_t)(k * apart) * each, (size_t)count * each);
}

static const char *run_rows(const stencil_job *job, stencil_launch *launch)
{
  (void)launch;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < job->g.n[2]; k++)
    for (int j = 0; j < job->g.n[1]; j++)
      part_of_rows(job, (const int[3]){0, j, k}, job->g.n[0], 1, NULL, 0);
  return NULL;
}

/* ---- tiles ---- */

/* Planes computed per pass over a tile's rows; several in case a only. */
enum { TOGETHER = 2 };

/* Rows of a tile with this many points along x: the planes that it reads fit in part of a core's
 * cache. */
static int rows_chosen(const stencil_job *job, int wide)
{
  enum { FEWEST = 8, MOST = 64, USUAL_CACHE = 1 << 20 };
  long cache = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
  cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  if (cache <= 0) cache = USUAL_CACHE;
  const double row = (double)(wide + 2 * job->radius) * (double)stencil_bytes(job);
  const double rows =
      0.3 * (double)cache / ((2 * job->radius + 1 + TOGETHER) * row) - 2 * job->radius;
  return rows < FEWEST ? FEWEST : rows > MOST ? MOST : (int)rows;
}

/* Numbers of points along x, rows and planes. */
static void tile_of(const stencil_job *job, int tile[3])
{
  const int *const n = job->g.n;
  tile[0] = job->which == 'c' || job->tile[0] > n[0] ? n[0] : job->tile[0];
  tile[1] = job->tile[1] > 0 ? job->tile[1] : rows_chosen(job, tile[0]);
  tile[2] = job->slab;
}

/* Length of a row buffer: whole cache lines. */
static ptrdiff_t room_of_row(const stencil_job *job)
{
  const ptrdiff_t line = STENCIL_LINE / (ptrdiff_t)stencil_bytes(job);
  return (job->g.n[0] + line - 1) / line * line;
}

static int upto(int from, int count, int end)
{
  return from + count < end ? from + count : end;
}

/* Computes one tile, some planes at a time. row: a row buffer for each of them, or NULL. */
static void run_tile(const stencil_job *job, const int from[3], const int tile[3], void *row)
{
  const int *const n = job->g.n;
  const int count = upto(from[0], tile[0], n[0]) - from[0];
  const int rows = upto(from[1], tile[1], n[1]), planes = upto(from[2], tile[2], n[2]);
  const int most = job->which == 'a' ? TOGETHER : 1;
  for (int k = from[2]; k < planes; k += most)
    for (int j = from[1]; j < rows; j++)
      part_of_rows(job, (const int[3]){from[0], j, k}, count, upto(k, most, planes) - k, row,
                   room_of_row(job));
}

/* Called by all threads, each with its own row buffer. */
static void run_tiles_on(const stencil_job *job, void *row)
{
  const int *const n = job->g.n;
  int tile[3];
  tile_of(job, tile);
#pragma omp for collapse(3) schedule(static)
  for (int k = 0; k < n[2]; k += tile[2])
    for (int j = 0; j < n[1]; j += tile[1])
      for (int i = 0; i < n[0]; i += tile[0])
        run_tile(job, (const int[3]){i, j, k}, tile, row);
}

static const char *run_tiles(const stencil_job *job, stencil_launch *launch)
{
  (void)launch;
#pragma omp parallel
  run_tiles_on(job, NULL);
  return NULL;
}

static void *room_for_rows(const stencil_job *job)
{
  return aligned_alloc(STENCIL_LINE, TOGETHER * (size_t)room_of_row(job) * stencil_bytes(job));
}

static const char *run_streamed(const stencil_job *job, stencil_launch *launch)
{
  int missing = 0;
  (void)launch;
#pragma omp parallel reduction(+ : missing)
  {
    void *const row = room_for_rows(job);
    missing += !row;
    run_tiles_on(job, row);
    free(row);
  }
  return missing ? "no memory for rows" : NULL;
}

/* ---- what they are ---- */

/* Neighbouring rows are cached: each point is read once and written once. */
static double ideal(const stencil_job *job)
{
  return stencil_streams(job);
}

/* Ghosts of a tile along the axes that the case differentiates. */
static double of_tiles(const stencil_job *job)
{
  int tile[3];
  tile_of(job, tile);
  double sum = ideal(job);
  for (int axis = 0; axis < 3; axis++) {
    const bool along = job->which == 'a' || (job->which == 'b' ? axis < 2 : axis == job->axis);
    if (along && tile[axis] < job->g.n[axis]) sum += 2. * job->radius / tile[axis];
  }
  return sum;
}

enum { ANY = 1 << 20 };

static const stencil_kernel a_kernels[] = {
    {"rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {"tiles", {256, STENCIL_CHOSEN}, 64, ANY, NULL, of_tiles, run_tiles},
    {"tiles streamed", {256, STENCIL_CHOSEN}, 64, ANY, NULL, of_tiles, run_streamed},
};
static const stencil_kernel b_kernels[] = {
    {"rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {"tiles streamed", {2048, 16}, 1, ANY, NULL, of_tiles, run_streamed},
};
static const stencil_kernel line_kernels[] = {
    {"rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {"tiles streamed", {256, STENCIL_CHOSEN}, 64, ANY, NULL, of_tiles, run_streamed},
};
const stencil_kernels stencils_of_cpu[4] = {
    {a_kernels, 3}, {b_kernels, 2}, {line_kernels, 2}, {line_kernels, 2}};
