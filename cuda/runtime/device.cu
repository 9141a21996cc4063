/* The GPU of a context, which is opened when it is first needed; the GPUs that there are. */
#include "runtime/device.h"

#include <limits.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" hymg_status hymgi_cuda_check(hymg_context *context, cudaError_t error, const char *what)
{
  if (error == cudaSuccess) return HYMG_OK;
  cudaGetLastError(); /* so that it is not reported twice */
  const hymg_status status =
      hymgi_fail(context, error == cudaErrorMemoryAllocation ? HYMG_ENOMEM : HYMG_ECUDA,
                 "CUDA: %s in %s (%s)", cudaGetErrorString(error), what, cudaGetErrorName(error));
  if (context->status == HYMG_OK) context->status = status;
  return status;
}

/* ---- opening and closing ---- */

namespace
{

void close_side_stream(hymgi_device *d)
{
  if (!d->side_stream) return;
  cudaStreamSynchronize(d->side_stream);
  for (int m = 0; m < HYMGI_MARKS; m++)
    if (d->mark[m]) cudaEventDestroy(d->mark[m]);
  cudaStreamDestroy(d->side_stream);
}

void close_device(hymgi_device *d)
{
  {
    const hymgi_device_guard guard(d->ordinal);
    if (d->stream) cudaStreamSynchronize(d->stream);
    if (d->groups) d->close_groups(d);
    close_side_stream(d);
    if (d->own_stream) cudaStreamDestroy(d->stream);
    if (d->recorder) cudaStreamDestroy(d->recorder);
    if (d->reduction.words) cudaFree(d->reduction.words);
    if (d->results) cudaFreeHost(d->results);
    if (d->waited) cudaFreeHost(d->waited);
    if (d->posts.values) cudaFree(d->posts.values);
  }
  d->context->gpu = NULL;
  free(d);
}

hymg_status find_device(hymg_context *context, int *ordinal)
{
  int count = 0;
  TRY(hymgi_cuda_count(context, &count));
  const int ranks = hymgi_comm_local_size(context->comm);
  *ordinal = context->device;
  if (*ordinal == HYMG_DEVICE_CURRENT || (*ordinal < 0 && ranks == 1))
    return hymgi_cuda_check(context, cudaGetDevice(ordinal), "cudaGetDevice");
  if (*ordinal == HYMG_DEVICE_OWN && ranks > count)
    return hymgi_fail(context, HYMG_EINVAL,
                      "%d ranks on a node want a CUDA device each: there are %d", ranks, count);
  if (*ordinal < 0) {
    /* Left current: restoring the previous device would initialise CUDA on it, too, and MPI uses
     * whichever device is current at its first call after this one. */
    *ordinal = hymgi_comm_local_rank(context->comm) % count;
    TRY(hymgi_cuda_check(context, cudaSetDevice(*ordinal), "cudaSetDevice"));
  }
  if (*ordinal < count) return HYMG_OK;
  return hymgi_fail(context, HYMG_EINVAL, "CUDA device %d: there are %d, counted from 0", *ordinal,
                    count);
}

/* For its attributes: all kernels are compiled for the same devices. */
__global__ void any_kernel() {}

hymg_status attribute(const hymgi_device *d, cudaDeviceAttr which, int *value)
{
  return hymgi_cuda_check(d->context, cudaDeviceGetAttribute(value, which, d->ordinal),
                          "cudaDeviceGetAttribute");
}

hymg_status fill_device(hymgi_device *d)
{
  hymg_context *const c = d->context;
  const hymgi_device_guard guard(d->ordinal);
  int minor = 0;
  TRY(attribute(d, cudaDevAttrComputeCapabilityMajor, &d->major));
  TRY(attribute(d, cudaDevAttrComputeCapabilityMinor, &minor));
  TRY(attribute(d, cudaDevAttrMultiProcessorCount, &d->multiprocessors));
  TRY(attribute(d, cudaDevAttrMaxSharedMemoryPerBlockOptin, &d->shared_bytes));
  int concurrent = 0;
  TRY(attribute(d, cudaDevAttrConcurrentManagedAccess, &concurrent));
  d->concurrent = concurrent != 0;
  if (d->major < 8)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "CUDA device %d has compute capability %d.%d: 8.0 is the least", d->ordinal,
                      d->major, minor);
  cudaFuncAttributes made = {};
  const cudaError_t error = cudaFuncGetAttributes(&made, any_kernel);
  if (error == cudaErrorNoKernelImageForDevice) {
    cudaGetLastError(); /* so that it is not reported twice */
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "CUDA device %d has compute capability %d.%d, and this library was built for "
                      "newer ones: CUDA %s; configure with --cuda-arch=%d%d for it",
                      d->ordinal, d->major, minor, hymg_build_info().cuda, d->major, minor);
  }
  TRY(hymgi_cuda_check(c, error, "cudaFuncGetAttributes"));
  if (made.ptxVersion / 10 < d->major) d->major = made.ptxVersion / 10;
  d->stream = c->stream;
  if (!d->stream) { /* synchronises with the default stream */
    TRY(hymgi_cuda_check(c, cudaStreamCreate(&d->stream), "cudaStreamCreate"));
    d->own_stream = true;
  }
  TRY(hymgi_cuda_check(c, cudaStreamCreateWithFlags(&d->recorder, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags"));
  const size_t bytes = HYMGI_RESULT_WORDS * sizeof(unsigned long long);
  const size_t all = 2 * bytes + sizeof(unsigned long long);
  void *words, *result;
  TRY(hymgi_cuda_check(c, cudaMalloc(&words, all), "cudaMalloc"));
  d->reduction.words = (unsigned long long *)words;
  d->kept = d->reduction.words + HYMGI_RESULT_WORDS;
  d->reduction.finished = (unsigned *)(d->kept + HYMGI_RESULT_WORDS);
  TRY(hymgi_cuda_check(c, cudaMemset(words, 0, all), "cudaMemset"));
  TRY(hymgi_cuda_check(c, cudaMallocHost(&result, HYMGI_RESULTS * bytes), "cudaMallocHost"));
  d->results = d->reduction.result = (unsigned long long *)result;
  for (int m = 0; m < HYMGI_RESULTS * HYMGI_RESULT_WORDS; m++)
    d->results[m] = HYMGI_NO_RESULT;
  TRY(hymgi_cuda_check(c, cudaMallocHost(&result, sizeof *d->waited), "cudaMallocHost"));
  d->waited = (unsigned long long *)result;
  *d->waited = 0;
  return hymgi_cuda_check(c, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

} /* namespace */

namespace
{

/* Where the table has the kernel, or room for it; NULL: neither. */
const void **slot_of(hymgi_device *device, const void *kernel)
{
  size_t place = (size_t)kernel / 16;
  for (int tries = 0; tries < HYMGI_MOST_KERNELS; tries++, place++) {
    const void **const slot = &device->kernels[place % HYMGI_MOST_KERNELS];
    if (!*slot || *slot == kernel) return slot;
  }
  return NULL;
}

/* A kernel without shared memory gets all of it as first-level cache. Unasked, CUDA leaves a
 * multiprocessor as the last kernel wanted it: fv4_gsrb_march then takes longer after fv4_gsrb_shared,
 * whose blocks have all of it. One with dynamic shared memory may have as much as there is: the limit
 * belongs to the process, and another context's thread must not lower it before a launch. */
cudaError_t set_memory(const hymgi_device *device, const void *kernel, bool shares)
{
  cudaFuncAttributes a = {};
  const cudaError_t error = cudaFuncGetAttributes(&a, kernel);
  if (error != cudaSuccess) return error;
  if (shares)
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                device->shared_bytes - (int)a.sharedSizeBytes);
  if (a.sharedSizeBytes > 0) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                              cudaSharedmemCarveoutMaxL1);
}

} /* namespace */

extern "C" bool hymgi_device_takes(hymg_context *context, dim3 grid)
{
  const unsigned most[3] = {INT_MAX, 65535, 65535};
  if (grid.x <= most[0] && grid.y <= most[1] && grid.z <= most[2]) return true;
  context->status = hymgi_fail(context, HYMG_EUNSUPPORTED,
                               "a kernel's grid of %u x %u x %u blocks: at most %u x %u x %u, "
                               "that is boxes of some 262136 cells along y and z",
                               grid.x, grid.y, grid.z, most[0], most[1], most[2]);
  return false;
}

/* After a failure the next launch asks again; it is the launch that reports one that stays. */
extern "C" void hymgi_device_meet_kernel(hymgi_device *device, const void *kernel, bool shares)
{
  const void **const slot = slot_of(device, kernel);
  if (slot && *slot) return;
  if (set_memory(device, kernel, shares) != cudaSuccess)
    cudaGetLastError();
  else if (slot)
    *slot = kernel;
}

extern "C" hymg_status hymgi_device_open(hymg_context *context)
{
  if (context->gpu) return HYMG_OK;
  int ordinal = 0;
  TRY(find_device(context, &ordinal));
  hymgi_device *d = (hymgi_device *)calloc(1, sizeof *d);
  if (!d) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a device");
  d->context = context;
  d->ordinal = ordinal;
  context->gpu = d;
  context->close_gpu = close_device;
  const hymg_status status = fill_device(d);
  if (status != HYMG_OK) close_device(d);
  return status;
}

extern "C" hymg_status hymgi_device_make_posts(hymg_context *context)
{
  hymgi_device *const d = context->gpu;
  if (d->posts.values) return HYMG_OK;
  const hymgi_device_guard guard(d->ordinal);
  const size_t values = (size_t)d->multiprocessors * HYMGI_POSTED_BYTES, bytes = values + 16;
  void *block;
  TRY(hymgi_cuda_check(context, cudaMalloc(&block, bytes), "cudaMalloc"));
  hymg_status status = hymgi_cuda_check(context, cudaMemset(block, 0, bytes), "cudaMemset");
  if (status == HYMG_OK)
    status = hymgi_cuda_check(context, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  if (status != HYMG_OK) { /* without zeros a kernel would take old numbers for new ones */
    cudaFree(block);
    return status;
  }
  d->posts.values = block;
  d->posts.number = (unsigned long long *)((char *)block + values);
  d->posts.finished = (unsigned *)(d->posts.number + 1);
  return HYMG_OK;
}

/* ---- the GPUs that there are ---- */

extern "C" hymg_status hymgi_cuda_count(hymg_context *context, int *count)
{
  int found = 0;
  const cudaError_t error = cudaGetDeviceCount(&found);
  cudaGetLastError();
  if (error != cudaSuccess || found == 0)
    return hymgi_fail(context, HYMG_EUNSUPPORTED, "no CUDA device: %s",
                      error == cudaSuccess ? "none is there" : cudaGetErrorString(error));
  *count = found;
  return HYMG_OK;
}

extern "C" hymg_status hymgi_cuda_device(hymg_context *context, int ordinal, hymg_device_info *info)
{
  int count = 0;
  TRY(hymgi_cuda_count(context, &count));
  if (ordinal < -1 || ordinal >= count)
    return hymgi_fail(context, HYMG_EINVAL, "CUDA device %d: there are %d, counted from 0", ordinal,
                      count);
  if (ordinal == -1) {
    TRY(hymgi_device_open(context));
    ordinal = context->gpu->ordinal;
  }
  const hymgi_device_guard guard(ordinal);
  cudaDeviceProp properties;
  size_t free_bytes = 0, total = 0;
  TRY(hymgi_cuda_check(context, cudaGetDeviceProperties(&properties, ordinal),
                       "cudaGetDeviceProperties"));
  TRY(hymgi_cuda_check(context, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo"));
  hymg_device_info i = {};
  i.ordinal = ordinal;
  memcpy(i.name, properties.name, sizeof i.name);
  i.name[sizeof i.name - 1] = '\0';
  i.capability[0] = properties.major, i.capability[1] = properties.minor;
  i.multiprocessors = properties.multiProcessorCount;
  i.memory_bytes = (double)total, i.free_bytes = (double)free_bytes;
  *info = i;
  return HYMG_OK;
}

/* ---- ranges for a profiler ---- */

extern "C" void hymgi_device_begin_range(const hymgi_level *level, const char *verb)
{
  char name[64];
  snprintf(name, sizeof name, "%d %s", level->index, verb);
  nvtxRangePushA(name);
}

extern "C" void hymgi_device_end_range(void)
{
  nvtxRangePop();
}
