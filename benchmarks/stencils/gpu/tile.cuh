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

/* Blocks of tile[0] x tile[1] threads with one point each. */
struct shape {
  dim3 grid, block;
  size_t entries; /* of a tile including its ghosts */
};

inline shape shape_of(const stencil_job *job, int slab)
{
  const int wide = job->tile[0], high = job->tile[1];
  shape s;
  s.block = dim3((unsigned)wide, (unsigned)high);
  s.grid = dim3(blocks_for(job->g.n[0], wide), blocks_for(job->g.n[1], high),
                blocks_for(job->g.n[2], slab));
  s.entries = (size_t)(wide + 2 * job->radius) * (size_t)(high + 2 * job->radius);
  return s;
}

} /* namespace */

#endif
