/* Case b, the heat equation in a plane: one point per thread read from memory; threads that march
 * along y; the tile in shared memory; and the march with several points per thread. */
#include "stencils/gpu/tile.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

template <typename T, int R> __global__ void b_point(const __grid_constant__ device_job<T> a)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  if (i >= a.n[0] || j >= a.n[1]) return;
  const ptrdiff_t at = i + j * a.pitch;
  a.out[at] =
      plane_sum<R>(a.c, [&](int di, int dj) { return __ldg(a.x + at + di + dj * a.pitch); });
}

template <typename T, int R, int V> struct b_arrivals {
  enum { SIDE = (R + V - 1) / V };
  pack<T, V> up, west[SIDE], east[SIDE];
};

/* V points per thread, `slab` rows. */
template <typename T, int R, int V>
__global__ void __launch_bounds__(256) b_march(const __grid_constant__ device_job<T> a)
{
  typedef b_arrivals<T, R, V> arrivals;
  typedef pack<T, V> points;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V;
  const int from = (int)(blockIdx.y * blockDim.y + threadIdx.y) * a.slab;
  const int to = from + a.slab < a.n[1] ? from + a.slab : a.n[1];
  if (i >= a.n[0] || from >= to) return;
  int j = from;
  ptrdiff_t at = i + from * a.pitch;
  column_window<points, R, R> x;
  x.fill([&](int dj) { return load<T, V>(a.x + at + dj * a.pitch); });
  const auto along_x = [&](const arrivals &t, int di) {
    return di < 0    ? t.west[(-di - 1) / V].v[(V - 1) - (-di - 1) % V]
           : di >= V ? t.east[di / V - 1].v[di % V]
                     : x.at(0).v[di];
  };
  march(
      j, to,
      [&] {
        arrivals t;
        t.up = load<T, V>(a.x + at + R * a.pitch);
#pragma unroll
        for (int s = 0; s < arrivals::SIDE; s++) {
          t.west[s] = load<T, V>(a.x + at - (s + 1) * V);
          t.east[s] = load<T, V>(a.x + at + (s + 1) * V);
        }
        return t;
      },
      [&](const arrivals &t) {
        points sum;
#pragma unroll
        for (int v = 0; v < V; v++)
          sum.v[v] = plane_sum<R>(
              a.c, [&](int di, int dj) { return di ? along_x(t, v + di) : x.at(dj, t.up).v[v]; });
        return sum;
      },
      [&](const arrivals &t) {
        x.shift(t.up);
        j++;
        at += a.pitch;
      },
      [&](const points &done) { store<T, V>(a.out + at - a.pitch, done, a.n[0] - i); });
}

template <typename T> const char *point(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, 1);
  return by_radius(job, [&](auto r) {
    return launch(l, b_point<T, decltype(r)::value>, s.grid, s.block, 0, device_job_of<T>(job));
  });
}

template <typename T> const char *tile(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, 1);
  return by_radius(job, [&](auto r) {
    return launch(l, sum_planes<T, decltype(r)::value>, s.grid, s.block, s.entries * sizeof(T),
                  device_job_of<T>(job));
  });
}

template <typename T, int V> const char *marched(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    constexpr int R = decltype(r)::value;
    const auto kernel = b_march<T, R, V>;
    device_job<T> a = device_job_of<T>(job);
    if (a.slab == 0) a.slab = R <= 2 ? 4 : 8; /* fastest at 16384^2 on an H200 */
    l->slab = a.slab;
    const shape s = shape_of(job, 1, V, a.slab);
    return launch(l, kernel, s.grid, s.block, 0, a);
  });
}

} /* namespace */

STENCIL_ENTRY(stencil_b_point, point<double>, point<float>)
STENCIL_ENTRY(stencil_b_tile, tile<double>, tile<float>)
STENCIL_ENTRY(stencil_b_column, (marched<double, 1>), (marched<float, 1>))
STENCIL_ENTRY(stencil_b_columns, (marched<double, 2>), (marched<float, 4>))
