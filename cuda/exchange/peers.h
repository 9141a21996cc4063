/* Ranks that send to each other, in any precision: compiled once. */
#ifndef HYMGI_EXCHANGE_PEERS_H
#define HYMGI_EXCHANGE_PEERS_H

#include "kernels/level_kernels.h"

extern "C" {
/* peer_memory.cu. begin: called before kernels of this plan are launched. A rank that has failed, or
 * whose recording cannot be played, launches nothing more, and ranks that wait for it must be notified: by
 * begin those of this plan, by hymgi_device_abort_peers those of the last plan, if the context has failed. */
void hymgi_peer_begin(hymg_context *context, const hymgi_plan *plan);
int hymgi_device_enter(hymg_context *context);
void hymgi_device_leave(int before);
extern const hymgi_peer_memory hymgi_device_peer_memory;

/* nccl.cu, or nccl_absent.cu in a build without NCCL: a backend's operations on it
 * (source/multigrid/backend.h), or NULL; enqueues the messages of a plan that has any. */
extern const hymgi_nccl_ops *const hymgi_device_nccl;
void hymgi_nccl_queue(hymg_context *context, const hymgi_plan *plan);
}

#endif
