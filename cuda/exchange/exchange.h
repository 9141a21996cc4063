/* Exchange between GPUs: between those of one node without MPI and the host (peer.cu), fused with
 * FV2's and FV4's kernels, by NCCL, overlapped with sweeps. */
#ifndef HYMGI_EXCHANGE_EXCHANGE_H
#define HYMGI_EXCHANGE_EXCHANGE_H

#include "kernels/level_kernels.h"

extern "C" {
/* peer.cu: packs the messages of a plan from x, or unpacks them into x; zero: NULL, or a vector
 * that gets zeros where x is written. */
void hymgi_peer_move(hymg_context *context, const hymgi_plan *plan, bool pack,
                     const hymgi_geom *box, hymgi_real *x, hymgi_real *zero);

/* Can this rank fuse the exchange with FV2's sweeps, or exchange a single colour of FV4's? All
 * ranks of the plan must be able to: source/transport/agree.c asks them. */
bool hymgi_cuda_fv2_could_fuse_exchange(const hymgi_level *level, const hymgi_plan *halo);
bool hymgi_cuda_fv4_could_halve(const hymgi_level *level, const hymgi_plan *halo);
/* fv2_gsrb_peer.cu: all half sweeps of a smoother call, or fused red-black sweeps. from_zero: x is
 * 0; with_ghosts: fills all ghosts at the end. */
void hymgi_cuda_fv2_gsrb_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
void hymgi_cuda_fv2_gsrb_fused_peer(hymgi_level *level, bool from_zero, bool with_ghosts);
/* After hymgi_cuda_fv2_gsrb_fused and the exchange of x: computes the black cells at neighbours'
 * faces again, with the neighbours' new red cells. */
void hymgi_cuda_fv2_gsrb_faces(const hymgi_level *level, hymgi_real *x);
/* fv4_halo.cu: fills the ghosts of x at neighbours and at boundaries. colours: bits of the colours
 * that have changed since the last exchange; both are sent unless the plan is in_sweeps. sent: the
 * preceding kernel has stored them into the messages. False: the plan does not allow it, and
 * nothing was done. */
bool hymgi_cuda_fv4_halo_exchange(const hymgi_level *level, const hymgi_plan *plan,
                                  const hymgi_geom *box, hymgi_real *x, int colours,
                                  hymgi_fv4_ghosts boundaries, bool sent);

/* overlap.cu: are there messages, and cells that read no ghost? */
bool hymgi_cuda_could_overlap(const hymgi_level *level, const hymgi_plan *plan);
/* Splits the level, the interior part first, and opens the side stream; the caller fills in the
 * parts' kernel records. */
hymg_status hymgi_cuda_make_parts(const hymgi_level *level, hymgi_level_parts *parts);
/* As hymgi_run_plan on x (and FV4's boundary ghosts), then sweep(part, what) on the level's parts:
 * the cells that read no ghost while the messages are under way. A sweep may only write cells of
 * its own part, and nothing that the sweep of another part reads. */
void hymgi_cuda_overlapped(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *box,
                           hymgi_real *x, void (*sweep)(const hymgi_level *part, const void *what),
                           const void *what);
}

#endif
