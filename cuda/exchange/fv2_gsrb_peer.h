/* FV2 red-black Gauss-Seidel whose sweeps exchange with other GPUs themselves. */
#ifndef HYMGI_EXCHANGE_FV2_GSRB_PEER_H
#define HYMGI_EXCHANGE_FV2_GSRB_PEER_H

#include "runtime/device.h"

extern "C" {
/* Is this rank's part of the level for it? All of a plan must be: source/transport/agree.c asks them. */
bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo);
/* All half sweeps of a smoother call; from_zero: x is 0; with_ghosts: it has all its ghosts then.
 * False: not for this level. */
bool hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* The same on levels that do both colours in one pass. zero: no rank takes the first ghosts. */
void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool zero, bool with_ghosts);
/* Are neighbours of a cell of the other colour, also across periodic axes? */
bool hymgi_cuda_colours_apart(const hymgi_level *level);
}

#endif
