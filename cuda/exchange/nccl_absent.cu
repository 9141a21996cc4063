/* Linked in a build without NCCL. */
#include "exchange/peers.h"

extern "C" {
const hymgi_nccl_ops *const hymgi_device_nccl = NULL;
}

extern "C" void hymgi_nccl_queue(hymg_context *context, const hymgi_plan *plan)
{
  (void)context;
  (void)plan;
}
