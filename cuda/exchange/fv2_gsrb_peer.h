/* FV2 red-black Gauss-Seidel whose sweeps exchange with other GPUs themselves. */
#ifndef HYMGI_EXCHANGE_FV2_GSRB_PEER_H
#define HYMGI_EXCHANGE_FV2_GSRB_PEER_H

#include "runtime/device.h"

extern "C" {
/* Can this rank's part of the level exchange so? All of a plan must: source/transport/agree.c asks them. */
bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo);
/* All half sweeps of a smoother call; from_zero: x is 0; with_ghosts: it has all its ghosts then. */
void hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* The same with both colours in one pass. */
void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* fv2_gsrb_faces.cu: after hymgi_cuda_fv2_gsrb_fused and the exchange of x, what that left wrong beside
 * ghosts */
void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, double *x);
}

#endif
