/* Exchange between the GPUs of one node's ranks without MPI and the host (peer.cu). */
#ifndef HYMGI_EXCHANGE_PEER_H
#define HYMGI_EXCHANGE_PEER_H

#include "runtime/device.h"

extern "C" {
void hymgi_peer_push(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                     const double *src);
void hymgi_peer_pull(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                     double *dst, double *zero);
/* For acknowledged plans (peer_acknowledged.cu). */
void hymgi_peer_push_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *src_box, const double *src);
void hymgi_peer_pull_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *dst_box, double *dst, double *zero);
/* Called before kernels of this plan are launched. A rank that has failed, or whose recording
 * cannot be played, launches nothing more, and ranks that wait for it must be notified: by begin
 * those of this plan, by hymgi_device_abort_peers those of the last plan, if the context has
 * failed. */
void hymgi_peer_begin(hymg_context *context, const hymgi_plan *plan);
int hymgi_device_enter(hymg_context *context);
void hymgi_device_leave(int before);
extern const hymgi_peer_memory hymgi_device_peer_memory;
}

#endif
