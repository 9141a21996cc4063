/* Linked where NCCL is not there. */
#include "exchange/nccl.h"

extern "C" {
const hymgi_grouping *const hymgi_device_grouping = NULL;
}

extern "C" void hymgi_groups_queue(hymg_context *context, const hymgi_plan *plan)
{
  (void)context;
  (void)plan;
}

extern "C" cudaError_t hymgi_groups_wait(hymg_context *context)
{
  return cudaStreamSynchronize(context->gpu->stream);
}

extern "C" void hymgi_groups_close(hymgi_device *device)
{
  (void)device;
}
