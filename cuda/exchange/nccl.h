/* Messages as sends and receives of NCCL, grouped for each plan and in the order of the stream, so that
 * they can be recorded: nccl.cu, or nccl_absent.cu where NCCL is not there. */
#ifndef HYMGI_EXCHANGE_NCCL_H
#define HYMGI_EXCHANGE_NCCL_H

#include "runtime/device.h"

extern "C" {
/* What a backend gives (source/multigrid/backend.h), or NULL. */
extern const hymgi_nccl_ops *const hymgi_device_nccl;
/* Queues the messages of a plan that has some. */
void hymgi_nccl_queue(hymg_context *context, const hymgi_plan *plan);
}

#endif
