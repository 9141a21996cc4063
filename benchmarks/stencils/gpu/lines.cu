/* Cases c and d, derivatives along one axis at distance 4: one point per thread from memory, a
 * window of 2 R + 1 registers along y or z, several points per thread, several packs of a line at
 * once. c is periodic and has no ghosts. */
#include "stencils/gpu/launch.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

enum { R = 4 };

/* FIRST: case c, otherwise d. at(d) is called with literals. */
template <bool FIRST, typename T, typename At>
__device__ __forceinline__ T line_sum(const T *c, const At &at)
{
  T sum = FIRST ? c[1] * (at(1) - at(-1)) : c[0] * at(0);
#pragma unroll
  for (int r = FIRST ? 2 : 1; r <= R; r++)
    sum = multiply_add(c[r], FIRST ? at(r) - at(-r) : at(-r) + at(r), sum);
  return sum;
}

/* A line along y or z, and the strides between lines. */
struct line_set {
  int n, across;
  ptrdiff_t stride, stride_across;
};

inline line_set lines_of(const stencil_job *job)
{
  const stencil_grid *g = &job->g;
  if (job->axis == 1) return {g->n[1], g->n[2], g->pitch, g->plane};
  return {g->n[2], g->n[1], g->plane, g->pitch};
}

/* ---- a point a thread ---- */

template <typename T>
__global__ void __launch_bounds__(1024)
    d_point(const __grid_constant__ device_job<T> a, ptrdiff_t stride)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y), k = (int)blockIdx.z;
  if (i >= a.n[0] || j >= a.n[1]) return;
  const ptrdiff_t at = i + j * a.pitch + k * a.plane;
  a.out[at] = line_sum<false>(a.c, [&](int d) { return __ldg(a.x + at + d * stride); });
}

template <typename T> const char *point(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, 1);
  const ptrdiff_t stride = job->axis == 0 ? 1 : job->axis == 1 ? job->g.pitch : job->g.plane;
  return launch(l, d_point<T>, s.grid, s.block, 0, device_job_of<T>(job), stride);
}

/* ---- the window along y or z ---- */

/* CALL: how many points ahead of the loads are prefetched into the second-level cache. */
template <typename T, int V, bool FIRST, int CALL>
__global__ void __launch_bounds__(256)
    line_march(const __grid_constant__ device_job<T> a, const __grid_constant__ line_set line)
{
  typedef pack<T, V> points;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V;
  const int across = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int from = (int)blockIdx.z * a.slab;
  const int end = from + a.slab < line.n ? from + a.slab : line.n;
  if (i >= a.n[0] || across >= line.across) return;
  const T *const x = a.x + i + across * line.stride_across;
  T *to = a.out + i + across * line.stride_across + from * line.stride;
  const bool caller = CALL && calls_lines<T, V>();
  int k = from, ahead = FIRST ? wrapped(from + R, line.n) : from + R;
  column_window<points, R, R> seen;
  seen.fill([&](int d) {
    return load<T, V>(x + (FIRST ? wrapped(from + d, line.n) : from + d) * line.stride);
  });
  march(
      k, end,
      [&] {
        if (CALL && caller && k + CALL < end)
          call_line(x + (FIRST ? wrapped(ahead + CALL, line.n) : ahead + CALL) * line.stride);
        return load<T, V>(x + ahead * line.stride);
      },
      [&](const points &above) {
        points done;
#pragma unroll
        for (int v = 0; v < V; v++)
          done.v[v] = line_sum<FIRST>(a.c, [&](int d) { return seen.at(d, above).v[v]; });
        return done;
      },
      [&](const points &above) {
        seen.shift(above);
        k++;
        ahead++;
        if (FIRST && ahead == line.n) ahead = 0;
        to += line.stride;
      },
      [&](const points &done) { store<T, V>(to - line.stride, done, a.n[0] - i); });
}

template <typename T, int V, bool FIRST>
const char *marched(const stencil_job *job, stencil_launch *l)
{
  enum { CALL = V > 1 ? 2 : 0, SLAB = 12 /* fastest at 512^3 on an H200 */ };
  const line_set line = lines_of(job);
  const auto kernel = line_march<T, V, FIRST, CALL>;
  shape s = shape_of(job, 1, V);
  device_job<T> a = device_job_of<T>(job);
  if (a.slab == 0) a.slab = SLAB;
  l->slab = a.slab;
  s.grid.y = blocks_for(line.across, job->tile[1]);
  s.grid.z = blocks_for(line.n, a.slab);
  return launch(l, kernel, s.grid, s.block, 0, a, line);
}

/* ---- several points a thread along x ---- */

/* Periodic: whole packs in a row, or V = 1. */
template <typename T, int V, bool FIRST>
__global__ void __launch_bounds__(1024) line_x(const __grid_constant__ device_job<T> a)
{
  enum { SIDE = (R + V - 1) / V };
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V;
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y), k = (int)blockIdx.z;
  if (i >= a.n[0] || j >= a.n[1]) return;
  const ptrdiff_t row = j * a.pitch + k * a.plane;
  pack<T, V> x[2 * SIDE + 1], done;
#pragma unroll
  for (int s = -SIDE; s <= SIDE; s++)
    x[s + SIDE] = load<T, V>(a.x + row + (FIRST ? wrapped(i + s * V, a.n[0]) : i + s * V));
#pragma unroll
  for (int v = 0; v < V; v++)
    done.v[v] = line_sum<FIRST>(a.c, [&](int d) {
      const int t = SIDE * V + v + d;
      return x[t / V].v[t % V];
    });
  store<T, V>(a.out + row + i, done, a.n[0] - i);
}

template <typename T, int V, bool FIRST>
const char *along_x(const stencil_job *job, stencil_launch *l)
{
  const shape s = shape_of(job, 1, V);
  return launch(l, line_x<T, V, FIRST>, s.grid, s.block, 0, device_job_of<T>(job));
}

/* ---- along y, N packs of a line at once ---- */

template <typename T, int V, bool FIRST, int N>
__global__ void __launch_bounds__(1024) line_block(const __grid_constant__ device_job<T> a)
{
  typedef pack<T, V> points;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V, k = (int)blockIdx.z;
  const int from = (int)(blockIdx.y * blockDim.y + threadIdx.y) * N;
  if (i >= a.n[0] || from >= a.n[1]) return;
  const ptrdiff_t at = i + k * a.plane;
  points x[N + 2 * R];
#pragma unroll
  for (int d = -R; d < N + R; d++) {
    const int last = a.n[1] + R - 1, j = from + d;
    x[d + R] = load<T, V>(a.x + at + (FIRST ? wrapped(j, a.n[1]) : j < last ? j : last) * a.pitch);
  }
#pragma unroll
  for (int p = 0; p < N; p++) {
    points done;
#pragma unroll
    for (int v = 0; v < V; v++)
      done.v[v] = line_sum<FIRST>(a.c, [&](int d) { return x[p + R + d].v[v]; });
    if (from + p < a.n[1]) store<T, V>(a.out + at + (from + p) * a.pitch, done, a.n[0] - i);
  }
}

template <typename T, bool FIRST> const char *at_once(const stencil_job *job, stencil_launch *l)
{
  enum { V = 16 / sizeof(T), N = 4 };
  const shape s = shape_of(job, 1, V, N);
  return launch(l, line_block<T, V, FIRST, N>, s.grid, s.block, 0, device_job_of<T>(job));
}

template <typename T, bool FIRST> const char *columns(const stencil_job *job, stencil_launch *l)
{
  enum { V = 16 / sizeof(T) };
  if (job->axis > 0) return marched<T, V, FIRST>(job, l);
  if (FIRST && job->g.n[0] % V) return along_x<T, 1, FIRST>(job, l);
  return along_x<T, V, FIRST>(job, l);
}

} /* namespace */

STENCIL_ENTRY(stencil_d_point, point<double>, point<float>)
STENCIL_ENTRY(stencil_d_window, (marched<double, 1, false>), (marched<float, 1, false>))
STENCIL_ENTRY(stencil_d_columns, (columns<double, false>), (columns<float, false>))
STENCIL_ENTRY(stencil_c_columns, (columns<double, true>), (columns<float, true>))
STENCIL_ENTRY(stencil_c_at_once, (at_once<double, true>), (at_once<float, true>))
STENCIL_ENTRY(stencil_d_at_once, (at_once<double, false>), (at_once<float, false>))
