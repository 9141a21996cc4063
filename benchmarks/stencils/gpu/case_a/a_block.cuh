/* Case A: a thread computes V points along x on Y rows of Z planes and issues all its loads at
 * once, without a loop. What neighbouring threads load too comes from the first-level cache. */
#ifndef STENCIL_A_BLOCK_CUH
#define STENCIL_A_BLOCK_CUH

#include "stencils/gpu/device.cuh"

namespace
{

template <typename T, int R, int V, int Y, int Z> struct a_box {
  typedef pack<T, V> points;
  const device_job<T> &job;
  points done[Z][Y];

  __device__ __forceinline__ a_box(const device_job<T> &a) : job(a)
  {
#pragma unroll
    for (int z = 0; z < Z; z++)
#pragma unroll
      for (int y = 0; y < Y; y++)
        done[z][y] = points();
  }

  /* Adds a row of plane z to the results above and below it. */
  __device__ __forceinline__ void add_column(int z, int y, const points &row)
  {
#pragma unroll
    for (int to = 0; to < Z; to++) {
      const int far = to < z ? z - to : to - z;
      if (far > 0 && far <= R) add(&done[to][y], job.c[far], row);
    }
  }

  /* x: the thread's first point in plane z. */
  __device__ __forceinline__ void add_plane(int z, const T *x)
  {
    const bool own = z >= 0 && z < Z;
#pragma unroll
    for (int d = -R; d < Y + R; d++) {
      const bool inner = d >= 0 && d < Y;
      if (!own && !inner) continue;
      const points row = load<T, V>(x + d * job.pitch);
      if (inner) add_column(z, d < 0 || d >= Y ? 0 : d, row);
      if (!own) continue;
      const int here = z < 0 || z >= Z ? 0 : z;
#pragma unroll
      for (int y = 0; y < Y; y++) {
        const int far = d < y ? y - d : d - y;
        if (far <= R) add(&done[here][y], job.c[far], row);
        if (far > 0) continue;
        const T *const own_row = x + d * job.pitch;
        add_along_x<R>(
            job.c, [&](int s) { return s ? load<T, V>(own_row + s * V) : row; }, &done[here][y]);
      }
    }
  }
};

template <typename T, int R, int V, int Y, int Z, bool WAVE, int THREADS>
__global__ void __launch_bounds__(THREADS) a_block(const __grid_constant__ device_job<T> job)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) * V;
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y) * Y;
  const int k = (int)(blockIdx.z * blockDim.z + threadIdx.z) * Z;
  if (i >= job.n[0] || j >= job.n[1] || k >= job.n[2]) return;
  const ptrdiff_t at = i + j * job.pitch;
  a_box<T, R, V, Y, Z> box(job);
#pragma unroll
  for (int z = -R; z < Z + R; z++) {
    const int plane = k + z < job.n[2] + R ? k + z : job.n[2] + R - 1;
    box.add_plane(z, job.x + at + plane * job.plane);
  }
#pragma unroll
  for (int z = 0; z < Z; z++)
#pragma unroll
    for (int y = 0; y < Y; y++) {
      const ptrdiff_t to = at + y * job.pitch + (k + z) * job.plane;
      if (j + y >= job.n[1] || k + z >= job.n[2]) continue;
      if (WAVE) {
        const pack<T, V> x = load<T, V>(job.x + to), prev = load<T, V>(job.prev + to),
                         speed = load<T, V>(job.speed + to);
#pragma unroll
        for (int v = 0; v < V; v++)
          box.done[z][y].v[v] = leap(box.done[z][y].v[v], x.v[v], prev.v[v], speed.v[v]);
      }
      store<T, V>(job.out + to, box.done[z][y], job.n[0] - i);
    }
}

} /* namespace */

#endif
