/* Exchange between the GPUs of ranks of one node, without MPI and without the host (peer.cu). */
#ifndef HYMGI_EXCHANGE_PEER_H
#define HYMGI_EXCHANGE_PEER_H

#include "runtime/device.h"

extern "C" {
void hymgi_peer_push(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                     const double *src);
void hymgi_peer_pull(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                     double *dst, double *zero);
/* peer_acknowledged.cu: of plans that are */
void hymgi_peer_push_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *src_box, const double *src);
void hymgi_peer_pull_acknowledged(hymg_context *context, const hymgi_plan *plan,
                                  const hymgi_geom *dst_box, double *dst, double *zero);
/* Kernels of this plan come next. A rank that has failed launches nothing more, nor does one whose
 * recording cannot be played: those that wait for it must hear of it. begin tells them, and give_up
 * those of the plan that came last, if the context has failed. */
void hymgi_peer_begin(hymg_context *context, const hymgi_plan *plan);
int hymgi_device_enter(hymg_context *context);
void hymgi_device_leave(int before);
extern const hymgi_peer_memory hymgi_device_peer_memory;
}

#endif
