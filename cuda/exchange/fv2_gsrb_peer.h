/* FV2 red-black Gauss-Seidel with the exchange fused into the sweeps. */
#ifndef HYMGI_EXCHANGE_FV2_GSRB_PEER_H
#define HYMGI_EXCHANGE_FV2_GSRB_PEER_H

#include "runtime/device.h"

extern "C" {
/* Can this rank use the fused exchange on this level? All ranks of the plan must be able to:
 * source/transport/agree.c asks them. */
bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo);
/* All half sweeps of a smoother call. from_zero: x is 0; with_ghosts: fills all ghosts at the end.
 * */
void hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* The same with fused red-black sweeps (fv2_gsrb_fused_peer.cu). */
void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* After hymgi_cuda_fv2_gsrb_fused and the exchange of x: computes the black cells at neighbours'
 * faces again, with the neighbours' new red cells. */
void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, double *x);
}

#endif
