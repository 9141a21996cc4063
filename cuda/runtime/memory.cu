/* The memory of a context's GPU: device, managed and pinned, and lists that both sides read. What
 * CUDA 13 changed in its interface is handled here alone. */
#include "runtime/device.h"

#include <stdlib.h>
#include <string.h>

namespace
{

hymg_status available(hymg_context *context, size_t *bytes)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  size_t total = 0;
  return hymgi_cuda_check(context, cudaMemGetInfo(bytes, &total), "cudaMemGetInfo");
}

hymg_status check_need(hymg_context *context, size_t bytes)
{
  size_t free_bytes = 0, total = 0;
  TRY(hymgi_cuda_check(context, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
  if (bytes <= free_bytes) return HYMG_OK;
  return hymgi_fail(context, HYMG_ENOMEM, "%.3f GB are needed on the GPU, %.3f of %.3f GB are free",
                    (double)bytes * 1e-9, (double)free_bytes * 1e-9, (double)total * 1e-9);
}

size_t bytes_of(size_t doubles)
{
  return (doubles + HYMGI_GPU_LINE) * sizeof(double);
}

/* Reports a failed allocation as ENOMEM. */
hymg_status refused(hymg_context *context, cudaError_t error, size_t bytes, const char *kind)
{
  cudaGetLastError();
  if (error != cudaErrorMemoryAllocation) return hymgi_cuda_check(context, error, "an allocation");
  return hymgi_fail(context, HYMG_ENOMEM, "%.3f GB of %s memory", (double)bytes * 1e-9, kind);
}

enum memory_kind { DEVICE, MANAGED, PINNED };

template <memory_kind KIND> hymg_status alloc(hymg_context *context, size_t doubles, double **data)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  const size_t bytes = bytes_of(doubles);
  void *p = NULL;
  if (KIND != PINNED) TRY(check_need(context, bytes));
  const cudaError_t error = KIND == DEVICE    ? cudaMalloc(&p, bytes)
                            : KIND == MANAGED ? cudaMallocManaged(&p, bytes)
                                              : cudaHostAlloc(&p, bytes, cudaHostAllocMapped);
  if (error != cudaSuccess)
    return refused(context, error, bytes,
                   KIND == DEVICE    ? "device"
                   : KIND == MANAGED ? "managed"
                                     : "pinned host");
  *data = (double *)p;
  return HYMG_OK;
}

/* Work in flight may use the memory: cudaFree waits for it. */
void release_device(hymg_context *context, double *data, size_t doubles)
{
  (void)doubles;
  const hymgi_device_guard guard(context->gpu->ordinal);
  if (context->gpu->groups) hymgi_device_wait(context); /* with a timeout, which cudaFree has not */
  cudaFree(data);
  if (context->status == HYMG_OK) context->gpu->peers = NULL; /* nobody waits: all is done */
}

void release_pinned(hymg_context *context, double *data, size_t doubles)
{
  (void)doubles;
  const hymgi_device_guard guard(context->gpu->ordinal);
  hymgi_device_wait(context);
  cudaFreeHost(data);
}

} /* namespace */

extern "C" {
const hymgi_memory hymgi_device_memory = {"device",      false,          true,     false,
                                          alloc<DEVICE>, release_device, available};
const hymgi_memory hymgi_managed_memory = {"managed",      true,           true,     false,
                                           alloc<MANAGED>, release_device, available};
const hymgi_memory hymgi_pinned_memory = {"pinned",      true,           true, false,
                                          alloc<PINNED>, release_pinned, NULL};
}

namespace
{

/* Host and device each keep a copy. */
void keep_copies(hymg_context *context, void *shared, size_t bytes)
{
#if CUDART_VERSION >= 13000
  cudaMemLocation here = {};
  here.type = cudaMemLocationTypeDevice;
  here.id = context->gpu->ordinal;
  cudaMemAdvise(shared, bytes, cudaMemAdviseSetReadMostly, here);
  cudaMemPrefetchAsync(shared, bytes, here, 0, context->gpu->stream);
#else
  cudaMemAdvise(shared, bytes, cudaMemAdviseSetReadMostly, context->gpu->ordinal);
  cudaMemPrefetchAsync(shared, bytes, context->gpu->ordinal, context->gpu->stream);
#endif
  cudaGetLastError(); /* advice may be refused */
}

} /* namespace */

/* Written once, then read by kernels, and by the host while kernels run: where it must not touch managed
 * memory then, in its own memory, which kernels reach more slowly. */
extern "C" hymg_status hymgi_device_share(hymg_context *context, void **block, size_t bytes)
{
  if (bytes == 0) return HYMG_OK;
  const hymgi_device_guard guard(context->gpu->ordinal);
  const bool managed = context->gpu->concurrent;
  void *shared = NULL;
  const cudaError_t error = managed ? cudaMallocManaged(&shared, bytes)
                                    : cudaHostAlloc(&shared, bytes, cudaHostAllocMapped);
  if (error != cudaSuccess)
    return refused(context, error, bytes, managed ? "managed" : "pinned host");
  memcpy(shared, *block, bytes);
  if (managed) keep_copies(context, shared, bytes);
  free(*block);
  *block = shared;
  return HYMG_OK;
}

/* Kernels in flight may read it: cudaFree waits for them. Where CUDA does not say what a block is, it
 * refuses what is not shared memory; a lost device does neither. */
extern "C" void hymgi_device_unshare(void *block)
{
  cudaPointerAttributes a = {};
  const bool known = cudaPointerGetAttributes(&a, block) == cudaSuccess;
  if (known && a.type == cudaMemoryTypeHost) {
    const hymgi_device_guard guard(a.device);
    cudaDeviceSynchronize();
    cudaFreeHost(block);
  } else if (known && a.type != cudaMemoryTypeManaged) {
    free(block);
  } else if (cudaFree(block) == cudaErrorInvalidValue && !known &&
             cudaFreeHost(block) == cudaErrorInvalidValue) {
    free(block);
  }
  cudaGetLastError();
}

extern "C" void hymgi_cuda_copy(hymg_context *context, const double *from, double *to,
                                size_t doubles)
{
  hymgi_device *const device = context->gpu;
  if (context->status != HYMG_OK || doubles == 0) return;
  const hymgi_device_guard guard(device->ordinal);
  hymgi_cuda_check(context,
                   cudaMemcpyAsync(to, from, doubles * sizeof *to, cudaMemcpyDefault,
                                   hymgi_device_stream(device)),
                   "a copy between memories");
  hymgi_device_sync(context);
}
