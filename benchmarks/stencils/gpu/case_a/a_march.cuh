/* Case A: the march along z without shared memory. A thread computes V points along x on each of Y
 * rows; their columns are in registers, and neighbouring rows come from the first-level cache,
 * filled by the loads of planes ahead. A plane is prefetched into the second-level cache CALL steps
 * before it is loaded: the loads of a single step per warp are too few to hide the memory latency.
 * */
#ifndef STENCIL_A_MARCH_CUH
#define STENCIL_A_MARCH_CUH

#include "stencils/gpu/device.cuh"

namespace
{

/* The values loaded in a step. Neighbouring rows are loaded where they are added. */
template <typename T, int V, int Y, bool WAVE> struct a_arrivals {
  pack<T, V> up[Y], prev[WAVE ? Y : 1], speed[WAVE ? Y : 1];
};

template <typename T, int R, int V, int Y, bool WAVE, int CALL> struct a_column {
  typedef a_arrivals<T, V, Y, WAVE> arrivals;
  typedef pack<T, V> points;
  struct result {
    points row[Y];
  };

  const device_job<T> &job;
  ptrdiff_t own;
  int k;
  int count, rows; /* points of a row, and rows, that lie inside the box */
  column_window<points, R, R> seen[Y];

  __device__ __forceinline__ a_column(const device_job<T> &a, int i, int j, int from)
      : job(a), own(i + j * a.pitch + from * a.plane), k(from), count(a.n[0] - i), rows(a.n[1] - j)
  {
#pragma unroll
    for (int y = 0; y < Y; y++)
      seen[y].fill([&](int dk) { return load<T, V>(a.x + own + y * a.pitch + dk * a.plane); });
  }

  /* Prefetches a line by one thread. */
  __device__ __forceinline__ void call(bool caller, int to) const
  {
    if constexpr (CALL > 0) {
      if (!caller || k + CALL >= to) return;
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const ptrdiff_t at = own + y * job.pitch + CALL * job.plane;
        call_line(job.x + at + R * job.plane);
        if (WAVE) {
          call_line(job.prev + at);
          call_line(job.speed + at);
        }
      }
    }
  }

  __device__ __forceinline__ arrivals arrive() const
  {
    arrivals t;
#pragma unroll
    for (int y = 0; y < Y; y++) {
      t.up[y] = load<T, V>(job.x + own + y * job.pitch + R * job.plane);
      if (WAVE) {
        t.prev[y] = load<T, V>(job.prev + own + y * job.pitch);
        t.speed[y] = load<T, V>(job.speed + own + y * job.pitch);
      }
    }
    return t;
  }

  __device__ __forceinline__ void add_rows(result *to) const
  {
    const T *const x = job.x + own;
#pragma unroll
    for (int y = 0; y < Y; y++) {
      to->row[y] = points();
      add(&to->row[y], job.c[0], seen[y].at(0));
    }
#pragma unroll
    for (int d = -R; d < Y + R; d++) {
      const points row =
          d >= 0 && d < Y ? seen[d < 0 || d >= Y ? 0 : d].at(0) : load<T, V>(x + d * job.pitch);
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const int far = d < y ? y - d : d - y;
        if (far > 0 && far <= R) add(&to->row[y], job.c[far], row);
      }
    }
  }

  __device__ __forceinline__ result value(const arrivals &t) const
  {
    result to;
    add_rows(&to);
#pragma unroll
    for (int y = 0; y < Y; y++)
      add_along_x<R>(
          job.c,
          [&](int s) {
            return s ? load<T, V>(job.x + own + y * job.pitch + s * V) : seen[y].at(0);
          },
          &to.row[y]);
#pragma unroll
    for (int y = 0; y < Y; y++)
#pragma unroll
      for (int v = 0; v < V; v++) {
        T lap = to.row[y].v[v];
#pragma unroll
        for (int r = 1; r <= R; r++)
          lap = multiply_add(job.c[r], seen[y].at(-r).v[v] + seen[y].at(r, t.up[y]).v[v], lap);
        to.row[y].v[v] =
            WAVE ? leap(lap, seen[y].at(0).v[v], t.prev[y].v[v], t.speed[y].v[v]) : lap;
      }
    return to;
  }

  __device__ __forceinline__ void advance(const arrivals &t)
  {
#pragma unroll
    for (int y = 0; y < Y; y++)
      seen[y].shift(t.up[y]);
    k++;
    own += job.plane;
    forget_addresses(&own);
  }

  __device__ __forceinline__ void write(const result &from) const
  {
#pragma unroll
    for (int y = 0; y < Y; y++)
      if (y < rows) store<T, V>(job.out + own - job.plane + y * job.pitch, from.row[y], count);
  }
};

template <typename T, int R, int V, int Y, bool WAVE, int CALL, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    a_march(const __grid_constant__ device_job<T> job)
{
  typedef a_column<T, R, V, Y, WAVE, CALL> column;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V;
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y) * Y;
  const int from = (int)blockIdx.z * job.slab;
  const int to = from + job.slab < job.n[2] ? from + job.slab : job.n[2];
  if (i >= job.n[0] || j >= job.n[1]) return;
  const bool caller = calls_lines<T, V>();
  column c(job, i, j, from);
  march(
      c.k, to,
      [&] {
        c.call(caller, to);
        return c.arrive();
      },
      [&](const typename column::arrivals &t) { return c.value(t); },
      [&](const typename column::arrivals &t) { c.advance(t); },
      [&](const typename column::result &t) { c.write(t); });
}

} /* namespace */

#endif
