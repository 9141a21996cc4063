/* Messages as NCCL sends and receives, grouped by plan and in stream order, so that they can be
 * recorded: nccl.cu, or nccl_absent.cu in a build without NCCL. */
#ifndef HYMGI_EXCHANGE_NCCL_H
#define HYMGI_EXCHANGE_NCCL_H

#include "runtime/device.h"

extern "C" {
/* A backend's operations on NCCL (source/multigrid/backend.h), or NULL. */
extern const hymgi_nccl_ops *const hymgi_device_nccl;
/* Enqueues the messages of a plan that has any. */
void hymgi_nccl_queue(hymg_context *context, const hymgi_plan *plan);
}

#endif
