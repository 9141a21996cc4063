/* Makes the n-th call that the library makes of CUDA's runtime fail, launches of kernels excepted
 * (HYMG_EMULATION_FAIL has those). Calls that wait, end a recording or release something are made
 * nevertheless and fail after that. A program that includes this is linked with --wrap for these
 * functions (Makefile.in). */
#ifndef SUPPORT_FAULTS_CUDA_H
#define SUPPORT_FAULTS_CUDA_H

#include "support/faults.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

/* For each function the number of its first call and of its last one, counted from faults_cuda_list
 * on over all functions. */
enum { FAULTS_FUNCTIONS = 64 };
static struct {
  int count;
  long calls;
  struct {
    const char *name;
    long first, last;
  } of[FAULTS_FUNCTIONS];
} faults_functions;

static inline void faults_cuda_list(void)
{
  faults_functions.count = 0, faults_functions.calls = 0;
}

static inline void faults_note(const char *name)
{
  const long now = ++faults_functions.calls;
  int m = 0;
  while (m < faults_functions.count && strcmp(faults_functions.of[m].name, name) != 0)
    m++;
  if (m == faults_functions.count) {
    if (m == FAULTS_FUNCTIONS) abort();
    faults_functions.count++;
    faults_functions.of[m].name = name, faults_functions.of[m].first = now;
  }
  faults_functions.of[m].last = now;
}

/* Is it the turn of this call? */
static inline bool faults_cuda(const char *name)
{
  const bool strikes = faults_strike(FAULTS_CUDA, 0);
  if (faults.on && faults.kind == FAULTS_CUDA) faults_note(name);
  if (strikes) faults.struck = name;
  return strikes;
}

#define FAULTS_INSTEAD(name, parameters, arguments)                                                \
  cudaError_t __real_##name parameters;                                                            \
  cudaError_t __wrap_##name parameters;                                                            \
  cudaError_t __wrap_##name parameters                                                             \
  {                                                                                                \
    return faults_cuda(#name) ? cudaErrorUnknown : __real_##name arguments;                        \
  }
#define FAULTS_AFTER(name, parameters, arguments)                                                  \
  cudaError_t __real_##name parameters;                                                            \
  cudaError_t __wrap_##name parameters;                                                            \
  cudaError_t __wrap_##name parameters                                                             \
  {                                                                                                \
    const cudaError_t error = __real_##name arguments;                                             \
    return error == cudaSuccess && faults_cuda(#name) ? cudaErrorUnknown : error;                  \
  }

FAULTS_INSTEAD(cudaGetDeviceCount, (int *count), (count))
FAULTS_INSTEAD(cudaSetDevice, (int device), (device))
FAULTS_INSTEAD(cudaGetDeviceProperties, (struct cudaDeviceProp * properties, int device),
               (properties, device))
FAULTS_INSTEAD(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
               (value, attribute, device))
FAULTS_INSTEAD(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
FAULTS_INSTEAD(cudaMalloc, (void **pointer, size_t bytes), (pointer, bytes))
FAULTS_INSTEAD(cudaMallocManaged, (void **pointer, size_t bytes, unsigned flags),
               (pointer, bytes, flags))
FAULTS_INSTEAD(cudaMallocHost, (void **pointer, size_t bytes), (pointer, bytes))
FAULTS_INSTEAD(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags),
               (pointer, bytes, flags))
FAULTS_INSTEAD(cudaMemGetInfo, (size_t * available, size_t *total), (available, total))
FAULTS_INSTEAD(cudaPointerGetAttributes,
               (struct cudaPointerAttributes * attributes, const void *pointer),
               (attributes, pointer))
FAULTS_INSTEAD(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *pointer), (handle, pointer))
FAULTS_INSTEAD(cudaIpcOpenMemHandle, (void **pointer, cudaIpcMemHandle_t handle, unsigned flags),
               (pointer, handle, flags))
FAULTS_INSTEAD(cudaMemcpyAsync,
               (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               (to, from, bytes, kind, stream))
FAULTS_INSTEAD(cudaMemcpy, (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind),
               (to, from, bytes, kind))
FAULTS_INSTEAD(cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))
FAULTS_INSTEAD(cudaMemsetAsync, (void *to, int value, size_t bytes, cudaStream_t stream),
               (to, value, bytes, stream))
FAULTS_INSTEAD(cudaStreamCreate, (cudaStream_t * stream), (stream))
FAULTS_INSTEAD(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
FAULTS_INSTEAD(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
               (stream, flags, priority))
FAULTS_INSTEAD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
               (stream, event, flags))
FAULTS_INSTEAD(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
FAULTS_INSTEAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAULTS_INSTEAD(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode),
               (stream, mode))
FAULTS_INSTEAD(cudaGraphInstantiate,
               (cudaGraphExec_t * made, cudaGraph_t graph, unsigned long long flags),
               (made, graph, flags))
FAULTS_INSTEAD(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream))
FAULTS_INSTEAD(cudaFuncSetAttribute,
               (const void *kernel, enum cudaFuncAttribute attribute, int value),
               (kernel, attribute, value))
FAULTS_INSTEAD(cudaFuncGetAttributes, (struct cudaFuncAttributes * attributes, const void *kernel),
               (attributes, kernel))
FAULTS_AFTER(cudaDeviceSynchronize, (void), ())
FAULTS_AFTER(cudaStreamSynchronize, (cudaStream_t stream), (stream))
FAULTS_AFTER(cudaEventSynchronize, (cudaEvent_t event), (event))
FAULTS_AFTER(cudaFree, (void *pointer), (pointer))
FAULTS_AFTER(cudaFreeHost, (void *pointer), (pointer))
FAULTS_AFTER(cudaIpcCloseMemHandle, (void *pointer), (pointer))
FAULTS_AFTER(cudaStreamDestroy, (cudaStream_t stream), (stream))
FAULTS_AFTER(cudaEventDestroy, (cudaEvent_t event), (event))
FAULTS_AFTER(cudaGraphDestroy, (cudaGraph_t graph), (graph))
FAULTS_AFTER(cudaGraphExecDestroy, (cudaGraphExec_t graph), (graph))

/* Three of four calls, from guards that do without what they ask for: of each step the first one and
 * every 16th count. */
cudaError_t __real_cudaGetDevice(int *device);
cudaError_t __wrap_cudaGetDevice(int *device);
cudaError_t __wrap_cudaGetDevice(int *device)
{
  const bool counts = faults.on && faults.kind == FAULTS_CUDA && faults.guards++ % 16 == 0;
  return counts && faults_cuda("cudaGetDevice") ? cudaErrorUnknown : __real_cudaGetDevice(device);
}

cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  const cudaError_t error = __real_cudaStreamEndCapture(stream, graph);
  if (error != cudaSuccess || !faults_cuda("cudaStreamEndCapture")) return error;
  __real_cudaGraphDestroy(*graph);
  *graph = NULL;
  return cudaErrorUnknown;
}

#endif
