/* How many planes a block of the ring computes. */
#ifndef STENCIL_SLAB_CUH
#define STENCIL_SLAB_CUH

#include "stencils/gpu/launch.cuh"

namespace
{

/* All blocks take equally long, so the last wave of them, one per multiprocessor, should be full;
 * more per multiprocessor gain nothing, as they share the bottleneck. A slab costs its planes, and
 * `extra` for those around it and the latency of its first loads. */
inline int slab_for(int64_t tiles, int planes, int extra)
{
  enum { SHORTEST = 8 };
  const int64_t held = multiprocessors();
  int best = planes;
  double least = 0;
  for (int slabs = 1; slabs == 1 || planes / slabs >= SHORTEST; slabs++) {
    const int slab = (planes + slabs - 1) / slabs;
    const int64_t blocks = tiles * ((planes + slab - 1) / slab);
    const double cost = (double)((blocks + held - 1) / held) * (slab + extra);
    if (slabs > 1 && cost >= least) continue;
    best = slab;
    least = cost;
  }
  return best;
}

} /* namespace */

#endif
