/* What the tests of the GPU want of CUDA. */
#include "runtime/device.h"
#include "support/gpu.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *call)
{
  if (error == cudaSuccess) return;
  printf("%s: %s\n", call, cudaGetErrorString(error));
  fflush(stdout);
  abort();
}
#define CHECK(call) check(call, #call)

extern "C" double *support_gpu_alloc(size_t doubles)
{
  void *data = NULL;
  CHECK(cudaMalloc(&data, doubles * sizeof(double)));
  CHECK(cudaMemset(data, 0xff, doubles * sizeof(double)));
  CHECK(cudaDeviceSynchronize());
  return (double *)data;
}

extern "C" void support_gpu_free(double *data)
{
  CHECK(cudaFree(data));
}

extern "C" void support_gpu_copy(double *to, const double *from, size_t doubles)
{
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(to, from, doubles * sizeof(double), cudaMemcpyDefault));
  CHECK(cudaDeviceSynchronize());
}

extern "C" void support_gpu_copy_on(cudaStream_t stream, double *to, const double *from,
                                    size_t doubles)
{
  CHECK(cudaMemcpyAsync(to, from, doubles * sizeof(double), cudaMemcpyDefault, stream));
}

extern "C" double *support_gpu_pinned(size_t doubles)
{
  void *data = NULL;
  CHECK(cudaMallocHost(&data, doubles * sizeof(double)));
  return (double *)data;
}

extern "C" void support_gpu_free_pinned(double *data)
{
  CHECK(cudaFreeHost(data));
}

extern "C" cudaStream_t support_gpu_stream(void)
{
  cudaStream_t stream = NULL;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

extern "C" void support_gpu_wait(cudaStream_t stream)
{
  CHECK(cudaStreamSynchronize(stream));
}

extern "C" void support_gpu_stream_end(cudaStream_t stream)
{
  CHECK(cudaStreamDestroy(stream));
}

extern "C" int support_gpu_current(void)
{
  int device = -1;
  CHECK(cudaGetDevice(&device));
  return device;
}

extern "C" void support_gpu_make_current(int device)
{
  CHECK(cudaSetDevice(device));
}

extern "C" size_t support_gpu_used(void)
{
  size_t free_bytes = 0, total = 0;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  return total - free_bytes;
}

extern "C" size_t support_gpu_total(void)
{
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  return total;
}

extern "C" size_t support_gpu_alive(void)
{
#ifdef EMULATION_CUDA_RUNTIME_API_H
  return emulation_alive();
#else
  return 0;
#endif
}

extern "C" void support_gpu_early_starts(size_t *all, size_t *over_others)
{
  *all = *over_others = 0;
#ifdef EMULATION_CUDA_RUNTIME_API_H
  emulation_early_starts(all, over_others);
#endif
}

extern "C" void support_gpu_fail_launch(hymg_context *context, int nth)
{
  context->gpu->failures = nth;
}

extern "C" int support_gpu_launches_left(const hymg_context *context)
{
  return context->gpu->failures;
}

extern "C" bool support_gpu_records(const hymg_context *context)
{
  return context->gpu && context->gpu->capturing;
}

extern "C" bool support_gpu_has_aside(const hymg_context *context)
{
  return context->gpu && context->gpu->side_stream;
}

extern "C" void support_gpu_emulate(const char *name, const char *value)
{
  char variable[64];
  snprintf(variable, sizeof variable, "HYMG_EMULATION_%s", name);
  if (value)
    setenv(variable, value, 1);
  else
    unsetenv(variable);
}
