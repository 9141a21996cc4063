/* Case A as in the study: every input from memory; two passes, first planes and then columns; one
 * pass with the plane's tile in shared memory and the column in registers. */
#include "stencils/gpu/tile.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

template <typename T, bool WAVE>
__device__ __forceinline__ T finished(const device_job<T> &a, ptrdiff_t at, T lap, T x)
{
  return WAVE ? leap(lap, x, a.prev[at], a.speed[at]) : lap;
}

/* ---- every input from memory ---- */

template <typename T, int R, bool WAVE>
__global__ void a_naive(const __grid_constant__ device_job<T> a)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y), k = (int)blockIdx.z;
  if (i >= a.n[0] || j >= a.n[1]) return;
  const ptrdiff_t at = i + j * a.pitch + k * a.plane;
  const T *const x = a.x + at;
  const T lap = laplacian<R>(
      a.c, [&](int di, int dj, int dk) { return __ldg(x + di + dj * a.pitch + dk * a.plane); });
  a.out[at] = finished<T, WAVE>(a, at, lap, x[0]);
}

/* ---- two passes ---- */

/* Adds the columns' part to what sum_planes has left in out. */
template <typename T, int R> __global__ void a_columns_pass(const __grid_constant__ device_job<T> a)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int from = (int)blockIdx.z * a.slab;
  const int to = from + a.slab < a.n[2] ? from + a.slab : a.n[2];
  int k = from;
  if (i >= a.n[0] || j >= a.n[1]) return;
  ptrdiff_t at = i + j * a.pitch + from * a.plane;
  column_window<T, R, R> x;
  x.fill([&](int dk) { return a.x[at + dk * a.plane]; });
  struct arrivals {
    T above, sum;
  };
  march(
      k, to,
      [&] {
        return arrivals{a.x[at + R * a.plane], a.out[at]};
      },
      [&](const arrivals &t) {
        T sum = t.sum;
#pragma unroll
        for (int r = 1; r <= R; r++)
          sum = multiply_add(a.c[r], x.at(-r) + x.at(r, t.above), sum);
        return sum;
      },
      [&](const arrivals &t) {
        x.shift(t.above);
        k++;
        at += a.plane;
      },
      [&](T done) { a.out[at - a.plane] = done; });
}

/* ---- one pass ---- */

template <typename T, int R, bool WAVE>
__global__ void __launch_bounds__(1024) a_tile(const __grid_constant__ device_job<T> a)
{
  plane_tile<T, R> tile;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int from = (int)blockIdx.z * a.slab;
  const int to = from + a.slab < a.n[2] ? from + a.slab : a.n[2];
  int k = from;
  const bool near = i < a.n[0] + R && j < a.n[1] + R, inside = i < a.n[0] && j < a.n[1];
  ptrdiff_t at = i + j * a.pitch + from * a.plane;
  column_window<T, R, R> x;
  x.fill([&](int dk) { return near ? a.x[at + dk * a.plane] : T(0); });
  march(
      k, to,
      [&] {
        const T above = near ? a.x[at + R * a.plane] : T(0);
        __syncthreads(); /* the plane below has been read */
        tile.fill(a, a.x + at, x.at(0), i, j);
        __syncthreads();
        return above;
      },
      [&](const T &above) {
        const T lap = laplacian<R>(a.c, [&](int di, int dj, int dk) {
          return di || dj ? tile.at(di, dj) : x.at(dk, above);
        });
        return inside ? finished<T, WAVE>(a, at, lap, x.at(0)) : lap;
      },
      [&](const T &above) {
        x.shift(above);
        k++;
        at += a.plane;
      },
      [&](T done) {
        if (inside) a.out[at - a.plane] = done;
      });
}

/* ---- launches ---- */

template <typename T> const char *naive(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, 1);
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    return launch(l, job->wave ? a_naive<T, R, true> : a_naive<T, R, false>, s.grid, s.block, 0,
                  device_job_of<T>(job));
  });
}

template <typename T> const char *two_pass(const stencil_job *job, stencil_launch *l)
{
  const shape planes = shape_of(job, 1), columns = shape_of(job, job->slab);
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    const char *const why = launch(l, sum_planes<T, R>, planes.grid, planes.block,
                                   planes.entries * sizeof(T), device_job_of<T>(job));
    return why ? why
               : launch(l, a_columns_pass<T, R>, columns.grid, columns.block, 0,
                        device_job_of<T>(job));
  });
}

template <typename T> const char *tile(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, job->slab);
  return by_radius(job, [&](auto r) {
    enum { R = decltype(r)::value };
    return launch(l, job->wave ? a_tile<T, R, true> : a_tile<T, R, false>, s.grid, s.block,
                  s.entries * sizeof(T), device_job_of<T>(job));
  });
}

} /* namespace */

STENCIL_ENTRY(stencil_a_naive, naive<double>, naive<float>)
STENCIL_ENTRY(stencil_a_two_pass, two_pass<double>, two_pass<float>)
STENCIL_ENTRY(stencil_a_tile, tile<double>, tile<float>)
