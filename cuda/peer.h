/* Exchange between the GPUs of ranks of one node, without MPI and without the host (peer.cu). */
#ifndef HYMGI_PEER_H
#define HYMGI_PEER_H

#include "device.h"

extern "C" {
void hymgi_peer_push(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *src_box,
                     const double *src);
void hymgi_peer_pull(hymg_context *context, const hymgi_plan *plan, const hymgi_geom *dst_box,
                     double *dst, double *zero);
/* peer_counted.cu: of plans that are */
void hymgi_peer_push_counted(hymg_context *context, const hymgi_plan *plan,
                             const hymgi_geom *src_box, const double *src);
void hymgi_peer_pull_counted(hymg_context *context, const hymgi_plan *plan,
                             const hymgi_geom *dst_box, double *dst, double *zero);
void hymgi_peer_give_up(hymg_context *context, const hymgi_plan *plan);
int hymgi_device_enter(hymg_context *context);
void hymgi_device_leave(int before);
extern const hymgi_sharing hymgi_device_sharing;
}

#endif
