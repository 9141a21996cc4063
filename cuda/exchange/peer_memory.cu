/* Memory of a GPU that other processes of its node map, and what surrounds the calls and kernels of
 * an exchange with them. */
#include <stdio.h>
#include <string.h>

#include "exchange/peers.h"

namespace
{

static_assert(sizeof(hymgi_handle) >= sizeof(cudaIpcMemHandle_t), "a handle has room");

hymg_status identify(hymg_context *context, hymgi_handle *identity)
{
  cudaDeviceProp properties;
  memset(identity, 0, sizeof *identity);
  TRY(hymgi_cuda_check(context, cudaGetDeviceProperties(&properties, context->gpu->ordinal),
                       "cudaGetDeviceProperties"));
  memcpy(identity->bytes, properties.uuid.bytes, sizeof properties.uuid.bytes);
  return HYMG_OK;
}

hymg_status export_memory(hymg_context *context, double *data, hymgi_handle *handle)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcMemHandle_t h;
  TRY(hymgi_cuda_check(context, cudaIpcGetMemHandle(&h, data), "cudaIpcGetMemHandle"));
  memcpy(handle->bytes, &h, sizeof h);
  return HYMG_OK;
}

bool map(hymg_context *context, const hymgi_handle *handle, void **mapped, char why[128])
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcMemHandle_t h;
  memcpy(&h, handle->bytes, sizeof h);
  const cudaError_t error = cudaIpcOpenMemHandle(mapped, h, cudaIpcMemLazyEnablePeerAccess);
  cudaGetLastError();
  if (error != cudaSuccess)
    snprintf(why, 128, "mapping another GPU's memory failed: %s", cudaGetErrorString(error));
  return error == cudaSuccess;
}

void unmap(hymg_context *context, void *mapped)
{
  const hymgi_device_guard guard(context->gpu->ordinal);
  cudaIpcCloseMemHandle(mapped);
  context->gpu->peers = NULL; /* these may belong to the solver whose memory this was */
}

void abort_neighbours(hymg_context *context, hymgi_peer_state *peers)
{
  hymgi_device *const device = context->gpu;
  const hymgi_device_guard guard(device->ordinal);
  device->peers = peers;
  hymgi_device_abort_peers(context);
}

hymg_status reset(hymg_context *context, double *arena, size_t words, size_t doubles)
{
  hymgi_device *const device = context->gpu;
  const hymgi_device_guard guard(device->ordinal);
  *device->waited = 0;
  device->peers = NULL; /* nobody waits any more */
  TRY(hymgi_cuda_check(context, cudaMemsetAsync(arena, 0, words * sizeof *arena, device->stream),
                       "cudaMemsetAsync"));
  TRY(hymgi_cuda_check(
      context,
      cudaMemsetAsync(arena + words, 0xff, (doubles - words) * sizeof *arena, device->stream),
      "cudaMemsetAsync"));
  return hymgi_cuda_check(context, cudaStreamSynchronize(device->stream), "cudaStreamSynchronize");
}

} /* namespace */

extern "C" {
const hymgi_peer_memory hymgi_device_peer_memory = {identify, export_memory,    map,
                                                    unmap,    abort_neighbours, reset};
}

/* MPI can only identify memory of the current device. */
extern "C" int hymgi_device_enter(hymg_context *context)
{
  int before = context->gpu->ordinal;
  if (cudaGetDevice(&before) == cudaSuccess && before != context->gpu->ordinal)
    cudaSetDevice(context->gpu->ordinal);
  return before;
}

extern "C" void hymgi_device_leave(int before)
{
  int now = before;
  if (cudaGetDevice(&now) == cudaSuccess && now != before) cudaSetDevice(before);
}

/* In stream order, after the messages already sent. */
extern "C" void hymgi_peer_begin(hymg_context *context, const hymgi_plan *plan)
{
  if (plan->group) hymgi_device_nccl->notify(context);
  if (!plan->peers || plan->peers->num_others == 0) return;
  context->gpu->peers = plan->peers;
  hymgi_device_abort_peers(context);
}
