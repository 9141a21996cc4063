/* How many planes a block of a march takes. */
#ifndef STENCIL_SLAB_CUH
#define STENCIL_SLAB_CUH

#include "launch.cuh"

namespace
{

/* Blocks of a march run as long as each other: the last round of them should be a full one. A slab
 * costs its planes, `longest` at most, and `extra` for those around and the wait for its first loads. */
inline int slab_for(int64_t tiles, int64_t held, int planes, int longest, int extra)
{
  enum { SHORTEST = 8 };
  const int fewest = (planes + longest - 1) / longest;
  int best = planes;
  double least = 0;
  for (int slabs = fewest; slabs == fewest || planes / slabs >= SHORTEST; slabs++) {
    const int slab = (planes + slabs - 1) / slabs;
    const int64_t blocks = tiles * ((planes + slab - 1) / slab);
    const double cost = (double)((blocks + held - 1) / held) * (slab + extra);
    if (slabs > fewest && cost >= least) continue;
    best = slab;
    least = cost;
  }
  return best;
}

/* Blocks of a kernel that the GPU runs at a time. */
template <typename... P> int64_t held_blocks(void (*kernel)(P...), int threads, size_t shared)
{
  int held = 0;
  if (prepare_shared(kernel, shared) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, kernel, threads, shared) !=
          cudaSuccess ||
      held < 1)
    held = 1;
  cudaGetLastError();
  return (int64_t)held * multiprocessors();
}

} /* namespace */

#endif
