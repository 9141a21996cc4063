/* How many planes a block of the ring takes. */
#ifndef STENCIL_SLAB_CUH
#define STENCIL_SLAB_CUH

#include "stencils/gpu/launch.cuh"

namespace
{

/* Blocks run as long as each other: the last round of them, one on a multiprocessor, should be a full
 * one; more on each bring nothing, as they share what limits them. A slab costs its planes, and
 * `extra` for those around and the wait for its first loads. */
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
