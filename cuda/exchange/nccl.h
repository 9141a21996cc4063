/* Messages as sends and receives of NCCL, grouped for each plan and in the order of the stream, so that
 * they can be recorded: nccl.cu, or nccl_absent.cu where NCCL is not there. */
#ifndef HYMGI_GROUPS_H
#define HYMGI_GROUPS_H

#include "runtime/device.h"

extern "C" {
/* What a backend gives (source/multigrid/backend.h), or NULL. */
extern const hymgi_grouping *const hymgi_device_grouping;
/* Queues the messages of a plan that has some. */
void hymgi_groups_queue(hymg_context *context, const hymgi_plan *plan);
/* Waits for the context's stream. Where messages are on their way, not for ever: an error of NCCL, of
 * this rank or told by another one, and the end of the patience break the communicator off, and with it
 * the wait. */
cudaError_t hymgi_groups_wait(hymg_context *context);
void hymgi_groups_close(hymgi_device *device);
}

#endif
