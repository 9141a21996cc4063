/* Case A without shared memory: marches with one or several points per thread, and blocks of points
 * without a loop. */
#include "stencils/gpu/case_a/a_block.cuh"
#include "stencils/gpu/case_a/a_march.cuh"
#include "stencils/gpu/launch.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

enum { THREADS = 128, WIDE = 32, ROWS = 2, CALL = 2 };
/* Planes and threads for blocks of points, and the largest radius for which registers suffice. */
enum { PLANES = 2, ALONG = 2, FURTHEST = 2 };

template <typename T> struct several {
  enum { V = 16 / sizeof(T), TILE_X = WIDE * V };
};

template <typename T, int R, bool WAVE>
const char *several_points(const stencil_job *job, stencil_launch *l)
{
  typedef several<T> tile;
  const auto kernel = a_march < T, R, tile::V, ROWS, WAVE, CALL, THREADS, R <= 2 ? 4 : 3 > ;
  dim3 grid(blocks_for(job->g.n[0], tile::TILE_X), blocks_for(job->g.n[1], THREADS / WIDE * ROWS));
  device_job<T> a = device_job_of<T>(job);
  if (a.slab == 0) a.slab = R == 1 ? 6 : 12; /* fastest at 512^3 on an H200, order 2 and 4 to 12 */
  l->slab = a.slab;
  grid.z = blocks_for(a.n[2], a.slab);
  return launch(l, kernel, grid, dim3(WIDE, THREADS / WIDE), 0, a);
}

template <typename T, int R, bool WAVE>
const char *at_once(const stencil_job *job, stencil_launch *l)
{
  if constexpr (R > FURTHEST) {
    return "too many registers";
  } else {
    enum { V = several<T>::V, THREADS_AT_ONCE = ALONG * THREADS };
    const dim3 block(WIDE, THREADS / WIDE, ALONG);
    const dim3 grid(blocks_for(job->g.n[0], several<T>::TILE_X),
                    blocks_for(job->g.n[1], THREADS / WIDE * ROWS),
                    blocks_for(job->g.n[2], ALONG * PLANES));
    return launch(l, a_block<T, R, V, ROWS, PLANES, WAVE, THREADS_AT_ONCE>, grid, block, 0,
                  device_job_of<T>(job));
  }
}

template <typename T> const char *column(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, job->slab);
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    return launch(
        l, job->wave ? a_march<T, R, 1, 1, true, 0, 256, 1> : a_march<T, R, 1, 1, false, 0, 256, 1>,
        s.grid, s.block, 0, device_job_of<T>(job));
  });
}

template <typename T> const char *columns(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    return job->wave ? several_points<T, R, true>(job, l) : several_points<T, R, false>(job, l);
  });
}

template <typename T> const char *all_at_once(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    return job->wave ? at_once<T, R, true>(job, l) : at_once<T, R, false>(job, l);
  });
}

} /* namespace */

STENCIL_ENTRY(stencil_a_column, column<double>, column<float>)
STENCIL_ENTRY(stencil_a_columns, columns<double>, columns<float>)
STENCIL_ENTRY(stencil_a_at_once, all_at_once<double>, all_at_once<float>)

extern "C" int stencil_a_at_once_planes(void)
{
  return ALONG * PLANES;
}

extern "C" const char *stencil_a_at_once_refuses(const stencil_job *job)
{
  return job->radius > FURTHEST ? "orders 2 and 4 alone leave it registers" : NULL;
}

extern "C" void stencil_a_columns_tile(const stencil_job *job, int tile[2])
{
  tile[0] = WIDE * 16 / (int)stencil_bytes(job);
  tile[1] = THREADS / WIDE * ROWS;
}
