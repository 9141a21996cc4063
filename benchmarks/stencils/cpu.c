/* The kernels of the CPU: rows vectorised, planes shared out among the threads. Tiles of rows go up
 * plane by plane, so that the planes around stay in the cache of a core. Streamed: a row is worked
 * out in the first-level cache and written past the caches, which spares the read before a write. */
#include "stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

#define T        float
#define FMA      FMAF
#define FN(name) name##_float
#include "cpu_rows.h"
#undef T
#undef FMA
#undef FN
#define T        double
#define FMA      FMAD
#define FN(name) name##_double
#include "cpu_rows.h"
#undef T
#undef FMA
#undef FN

/* ---- rows ---- */

/* Past the caches where the machine has such stores. to: on 16 bytes, from: the same. */
static void stream(char *to, const char *from, size_t bytes)
{
  size_t done = 0;
#ifdef __SSE2__
  for (; done + 16 <= bytes; done += 16)
    _mm_stream_si128((__m128i *)(to + done), _mm_load_si128((const __m128i *)(from + done)));
#endif
  memcpy(to + done, from + done, bytes - done);
}

/* row: room for one, or NULL: to its place at once. */
static void one_row(const stencil_job *job, int j, int k, void *row)
{
  const size_t each = stencil_bytes(job);
  char *const to = (char *)job->array[STENCIL_OUT] + (size_t)row_at(job, j, k) * each;
  void *const out = row ? row : to;
  if (job->wide)
    any_row_double(job, j, k, out);
  else
    any_row_float(job, j, k, out);
  if (row) stream(to, row, (size_t)job->g.n[0] * each);
}

static void *room_for_row(const stencil_job *job)
{
  const size_t bytes = (size_t)job->g.n[0] * stencil_bytes(job);
  return aligned_alloc(STENCIL_LINE, (bytes + STENCIL_LINE - 1) / STENCIL_LINE * STENCIL_LINE);
}

static const char *run_rows(const stencil_job *job, stencil_launch *launch)
{
  (void)launch;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < job->g.n[2]; k++)
    for (int j = 0; j < job->g.n[1]; j++)
      one_row(job, j, k, NULL);
  return NULL;
}

/* Tiles of tile[1] rows and `slab` planes; 2 R + 1 planes of a tile are what a core has to keep. */
static void run_tiles_on(const stencil_job *job, void *row)
{
  const int high = job->tile[1], slab = job->slab, *const n = job->g.n;
#pragma omp for collapse(2) schedule(static)
  for (int k0 = 0; k0 < n[2]; k0 += slab)
    for (int j0 = 0; j0 < n[1]; j0 += high)
      for (int k = k0; k < k0 + slab && k < n[2]; k++)
        for (int j = j0; j < j0 + high && j < n[1]; j++)
          one_row(job, j, k, row);
}

static const char *run_tiles(const stencil_job *job, stencil_launch *launch)
{
  (void)launch;
#pragma omp parallel
  run_tiles_on(job, NULL);
  return NULL;
}

static const char *run_streamed(const stencil_job *job, stencil_launch *launch)
{
  int missing = 0;
  (void)launch;
#pragma omp parallel reduction(+ : missing)
  {
    void *const row = room_for_row(job);
    missing += !row;
    run_tiles_on(job, row);
    free(row);
  }
  return missing ? "no memory for a row" : NULL;
}

/* ---- what they are ---- */

/* Rows around are in a cache: a point once in and once out. */
static double ideal(const stencil_job *job)
{
  return stencil_streams(job);
}

/* Ghosts of a tile along the axes that the case has. */
static double of_tiles(const stencil_job *job)
{
  const double halo = 2. * job->radius;
  const bool along_y = job->which == 'a' || job->which == 'b' || job->axis == 1;
  const bool along_z = job->which == 'a' || (job->which != 'b' && job->axis == 2);
  return ideal(job) + (along_y ? halo / job->tile[1] : 0) + (along_z ? halo / job->slab : 0);
}

enum { ANY = 1 << 20 };

static const stencil_kernel a_kernels[] = {
    {'a', false, "rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {'a', false, "tiles", {1, 32}, 64, ANY, NULL, of_tiles, run_tiles},
    {'a', false, "tiles streamed", {1, 32}, 64, ANY, NULL, of_tiles, run_streamed},
};
const stencil_kernels stencil_cpu_a = {a_kernels, 3};

static const stencil_kernel b_kernels[] = {
    {'b', false, "rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {'b', false, "tiles streamed", {1, 64}, 1, ANY, NULL, of_tiles, run_streamed},
};
const stencil_kernels stencil_cpu_b = {b_kernels, 2};

static const stencil_kernel c_kernels[] = {
    {'c', false, "rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {'c', false, "tiles streamed", {1, 32}, 64, ANY, NULL, of_tiles, run_streamed},
};
const stencil_kernels stencil_cpu_c = {c_kernels, 2};

static const stencil_kernel d_kernels[] = {
    {'d', false, "rows", {0, 0}, 0, ANY, NULL, ideal, run_rows},
    {'d', false, "tiles streamed", {1, 32}, 64, ANY, NULL, of_tiles, run_streamed},
};
const stencil_kernels stencil_cpu_d = {d_kernels, 2};
