/* The CUDA backend, opened. */
#include "attach.h"
#include "level_ops.h"

extern "C" hymg_status hymgi_cuda_backend(hymg_context *context, bool managed,
                                          const hymgi_backend **backend)
{
  TRY(hymgi_device_open(context));
  hymgi_kernel_table_load(context->gpu);
  if (managed && !context->gpu->concurrent)
    return hymgi_fail(
        context, HYMG_EUNSUPPORTED,
        "memory managed: on CUDA device %d the host may not touch it while kernels run "
        "(concurrentManagedAccess is 0): memory device",
        context->gpu->ordinal);
  *backend = managed ? &hymgi_cuda_managed_table : &hymgi_cuda_table;
  return HYMG_OK;
}
