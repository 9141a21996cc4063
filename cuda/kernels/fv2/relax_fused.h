/* FV2's smoothers that update all cells at once, two sweeps in one pass over memory. */
#ifndef HYMGI_KERNELS_FV2_RELAX_FUSED_H
#define HYMGI_KERNELS_FV2_RELAX_FUSED_H

#include "runtime/device.h"

extern "C" {
/* Is the level for them, given the buffers? Large, one box without neighbours, an even number of
 * cells along x. */
bool hymgi_cuda_could_fuse_relax(const hymgi_level *level);
/* Sweeps of a smoother call that are done now, from the first one on: all, all but one, or none.
 * The iterate is in level->x as after as many single sweeps, or that and level->y are swapped. */
int hymgi_cuda_relax_fused(hymgi_level *level);
}

#endif
