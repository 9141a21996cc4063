/* See gpu.h. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
extern "C" {
#include "common/gpu/gpu.h"
}

struct gpu_copy {
  int ordinal;
  size_t bytes;
  void *from, *to;
  cudaStream_t stream;
};

extern "C" void gpu_versions(int *driver, int *runtime)
{
  if (cudaDriverGetVersion(driver) != cudaSuccess) *driver = 0;
  if (cudaRuntimeGetVersion(runtime) != cudaSuccess) *runtime = 0;
}

extern "C" void gpu_bus(int ordinal, char text[32])
{
  int domain, bus, device;
  *text = '\0';
  if (cudaDeviceGetAttribute(&domain, cudaDevAttrPciDomainId, ordinal) == cudaSuccess &&
      cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, ordinal) == cudaSuccess &&
      cudaDeviceGetAttribute(&device, cudaDevAttrPciDeviceId, ordinal) == cudaSuccess)
    snprintf(text, 32, "%04x:%02x:%02x", (unsigned)domain, (unsigned)bus, (unsigned)device);
  cudaGetLastError();
}

/* Runs on the copy's device and returns to the one that was current. */
static bool on_device(gpu_copy *copy, bool (*act)(gpu_copy *copy))
{
  int current = 0;
  const bool ok = cudaGetDevice(&current) == cudaSuccess &&
                  cudaSetDevice(copy->ordinal) == cudaSuccess && act(copy);
  cudaSetDevice(current);
  cudaGetLastError(); /* so that nobody else reports it */
  return ok;
}

static bool allocate(gpu_copy *copy)
{
  return cudaMalloc(&copy->from, copy->bytes) == cudaSuccess &&
         cudaMalloc(&copy->to, copy->bytes) == cudaSuccess &&
         cudaMemset(copy->from, 0, copy->bytes) == cudaSuccess &&
         cudaStreamCreate(&copy->stream) == cudaSuccess;
}

static bool release(gpu_copy *copy)
{
  if (copy->stream) cudaStreamDestroy(copy->stream);
  if (copy->from) cudaFree(copy->from);
  if (copy->to) cudaFree(copy->to);
  return true;
}

extern "C" gpu_copy *gpu_copy_create(int ordinal, size_t bytes)
{
  gpu_copy *copy = (gpu_copy *)calloc(1, sizeof *copy);
  if (!copy) return NULL;
  copy->ordinal = ordinal;
  copy->bytes = bytes;
  if (!on_device(copy, allocate)) gpu_copy_destroy(&copy);
  return copy;
}

extern "C" bool gpu_copy_run(gpu_copy *copy, int times)
{
  bool ok = true;
  for (int n = 0; n < times && ok; n++)
    ok = cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice,
                         copy->stream) == cudaSuccess;
  ok = cudaStreamSynchronize(copy->stream) == cudaSuccess && ok;
  cudaGetLastError();
  return ok;
}

extern "C" void gpu_copy_destroy(gpu_copy **copy)
{
  if (!*copy) return;
  on_device(*copy, release);
  free(*copy);
  *copy = NULL;
}
