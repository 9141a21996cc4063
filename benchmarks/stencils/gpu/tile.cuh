/* A plane's tile in shared memory, one point per thread. */
#ifndef STENCIL_TILE_CUH
#define STENCIL_TILE_CUH

#include "stencils/gpu/launch.cuh"

namespace
{

/* The tile of a block, surrounded by ghosts without corners. */
template <typename T, int R> struct plane_tile {
  T *own; /* the thread's point */
  int pitch;

  __device__ __forceinline__ plane_tile()
  {
    pitch = (int)blockDim.x + 2 * R;
    own = reinterpret_cast<T *>(launched_shared()) + ((int)threadIdx.y + R) * pitch +
          (int)threadIdx.x + R;
  }
  __device__ __forceinline__ T at(int di, int dj) const
  {
    return own[di + dj * pitch];
  }
  /* x: the thread's point in memory, here: its value; threads beyond the box load its ghosts */
  __device__ __forceinline__ void fill(const device_job<T> &a, const T *x, T here, int i, int j)
  {
    const int wide = (int)blockDim.x, high = (int)blockDim.y;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    if (i >= a.n[0] + R || j >= a.n[1] + R) return;
    own[0] = here;
    for (int c = tx; c < R && j < a.n[1]; c += wide) {
      const int west = c - R - tx, east = wide + c - tx;
      own[west] = x[west];
      if (i + east < a.n[0] + R) own[east] = x[east];
    }
    for (int c = ty; c < R && i < a.n[0]; c += high) {
      const int south = c - R - ty, north = high + c - ty;
      own[south * pitch] = x[south * a.pitch];
      if (j + north < a.n[1] + R) own[north * pitch] = x[north * a.pitch];
    }
  }
};

/* c[0] x + sum of c[r] times the four points at distance r in a plane; at(di, dj) is called with literals */
template <int R, typename T, typename At>
__device__ __forceinline__ T plane_sum(const T *c, const At &at)
{
  T sum = c[0] * at(0, 0);
#pragma unroll
  for (int r = 1; r <= R; r++)
    sum = multiply_add(c[r], (at(-r, 0) + at(r, 0)) + (at(0, -r) + at(0, r)), sum);
  return sum;
}

/* The sums of planes, of which a block has a tile in shared memory. */
template <typename T, int R>
__global__ void __launch_bounds__(1024) sum_planes(const __grid_constant__ device_job<T> a)
{
  plane_tile<T, R> tile;
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const ptrdiff_t at = i + j * a.pitch + (int)blockIdx.z * a.plane;
  const bool near = i < a.n[0] + R && j < a.n[1] + R;
  tile.fill(a, a.x + at, near ? a.x[at] : T(0), i, j);
  __syncthreads();
  if (i >= a.n[0] || j >= a.n[1]) return;
  a.out[at] = plane_sum<R>(a.c, [&](int di, int dj) { return tile.at(di, dj); });
}

} /* namespace */

#endif
