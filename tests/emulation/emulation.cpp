/* The CUDA runtime on the CPU: .cu files compiled as C++17 with this folder first in the include
 * path and `-include cuda_runtime.h`, linked with this file, run without a GPU. For tests on
 * machines without one; it proves nothing about speed.
 *
 * What it catches that a GPU might let pass:
 * - Work is queued until the host waits, for the GPU or for messages, so a missing synchronisation reads old values.
 * - cudaMalloc memory is out of the host's reach but for kernels and copies, starts as NaN, ends at
 *   a page that faults (to 256 bytes) and faults once freed. A fault says whose memory it was.
 * - A kernel that lets its successors start (emulation_lets_successors_start) before it writes what
 *   they read at once (emulation_before_successors) ends with a message.
 * - A limit of dynamic shared memory that is lowered, which another thread's launch may need, ends with
 *   a message.
 * - A barrier that some threads never reach ends with a message, not with a hang.
 * - Copies against their kind or past an allocation, blocks and shared memory that no GPU takes,
 *   handles of another device or already destroyed, synchronisation and allocation in a capture.
 *
 * Environment, read as it goes, so that a test may set it:
 *   HYMG_EMULATION_FAIL=malloc:N | launch:N | sync:N | map:N | nccl:N | async:N   the Nth of them
 *       fails, counted from when the variable last changed; sync is sticky as a lost device is,
 *       until the variable changes; map: of another process's memory; nccl: making a communicator;
 *       async: NCCL's answer when asked for an error
 *   HYMG_EMULATION_PEER=0       no memory of another process can be mapped
 *   HYMG_EMULATION_HOST=N       what NCCL takes for the number of this machine
 *   HYMG_EMULATION_DEVICES=N    devices (1)           HYMG_EMULATION_ARCH=80      their sm (90)
 *   HYMG_EMULATION_CODE=100     the code is for devices of this sm and newer (ARCH)
 *   HYMG_EMULATION_MEMORY=MIB   memory of each (4096), managed memory counted as its own
 *   HYMG_EMULATION_CLUSTERS=0   no cluster of blocks fits
 *   HYMG_EMULATION_CONCURRENT=0 managed memory is out of the host's reach while work is queued
 *   HYMG_EMULATION_EAGER=1      work runs at once: a debugger then shows who launched it
 *   HYMG_EMULATION_OPEN=1       device memory stays in the host's reach
 *   HYMG_EMULATION_REVERSE=1    blocks and threads run from the last to the first: other results
 *                               mean a race
 *   HYMG_EMULATION_LEAKS=1      what is alive at exit is an error (status 23)
 *
 * Its limits: one block at a time and one thread of it at a time, so a grid that waits for its own
 * other blocks hangs, unless it is a cooperative launch (whose kernel has no static __shared__) or
 * a cluster of at most eight blocks (the same); no cooperative groups, no extern __shared__ (call
 * emulation_dynamic_shared()), no textures, no inline PTX, no <<<>>> (cudaLaunchKernelEx). Streams
 * share one queue: races between streams do not show. Shared memory keeps what the block before
 * left. Plain host memory in a kernel does not fault. */
#include "parts/groups.h"
#include "parts/streams.h"

long long emulation_clock()
{
  return (long long)(1e9 * now());
}

static cudaError_t check_launch(const cudaLaunchConfig_t &c, const void *kernel)
{
  const size_t threads = size_t(c.blockDim.x) * c.blockDim.y * c.blockDim.z;
  if (threads == 0 || threads > MAX_THREADS || c.blockDim.z > 64)
    return cudaErrorInvalidConfiguration;
  if (c.gridDim.x == 0 || c.gridDim.y == 0 || c.gridDim.z == 0 || c.gridDim.x > 0x7fffffffu ||
      c.gridDim.y > 65535 || c.gridDim.z > 65535)
    return cudaErrorInvalidConfiguration;
  const auto limit = shared_limits.find(kernel);
  if (c.dynamicSmemBytes > (limit == shared_limits.end() ? SHARED_PLAIN : limit->second))
    return cudaErrorInvalidValue;
  for (unsigned a = 0; a < c.numAttrs; a++) {
    const cudaLaunchAttributeValue &v = c.attrs[a].val;
    if (c.attrs[a].id == cudaLaunchAttributeClusterDimension &&
        (v.clusterDim.x > 8 || v.clusterDim.y * v.clusterDim.z != 1 ||
         c.gridDim.x * c.gridDim.y * c.gridDim.z != v.clusterDim.x))
      return cudaErrorNotSupported;
    if (c.attrs[a].id == cudaLaunchAttributeCooperative && v.cooperative != 0 &&
        size_t(c.gridDim.x) * c.gridDim.y * c.gridDim.z > MULTIPROCESSORS)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

struct aligned_line {
  alignas(64) char bytes[64];
};

static void note_start(bool early)
{
  if (queue.empty()) starts.others_queued = false;
  starts.early += early;
  starts.early_over_others += early && starts.others_queued;
  starts.others_queued = starts.others_queued || !early;
}

cudaError_t emulation_launch(const cudaLaunchConfig_t *config, const void *kernel,
                             void (*thread)(const void *call), const void *call, size_t bytes)
{
  const guard locked(mutex);
  if (!start_up()) return answer(cudaErrorMemoryAllocation);
  cudaError_t error = usable(config->stream);
  if (error == cudaSuccess) error = check_launch(*config, kernel);
  if (error == cudaSuccess && fails("launch")) error = cudaErrorLaunchOutOfResources;
  if (error == cudaSuccess && streams.count(config->stream) != 0 &&
      config->stream->device != current_device)
    error = cudaErrorInvalidResourceHandle;
  if (error != cudaSuccess) return answer(error);
  const cudaLaunchConfig_t shape = *config;
  bool together = false, early = false;
  for (unsigned a = 0; a < config->numAttrs; a++) {
    early = early || (config->attrs[a].id == cudaLaunchAttributeProgrammaticStreamSerialization &&
                      config->attrs[a].val.programmaticStreamSerializationAllowed != 0);
    together = together ||
               (config->attrs[a].id == cudaLaunchAttributeCooperative &&
                config->attrs[a].val.cooperative != 0) ||
               (config->attrs[a].id == cudaLaunchAttributeClusterDimension &&
                config->attrs[a].val.clusterDim.x > 1);
  }
  note_start(early);
  /* whole lines: as aligned as any parameter */
  std::vector<aligned_line> copy((bytes + sizeof(aligned_line) - 1) / sizeof(aligned_line));
  memcpy(copy.data(), call, bytes);
  return submit(config->stream, [shape, kernel, together, thread, copy = std::move(copy)] {
    grid.backwards = number("HYMG_EMULATION_REVERSE", 0) != 0;
    run_grid(shape, kernel, together, thread, copy.data());
  });
}

extern "C" {

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
  const guard locked(mutex);
  return submit(stream, [function, data] {
    close_arena();
    function(data);
    open_arena();
  });
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
  const guard locked(mutex);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return answer(sticky());
  if (value < 0 || size_t(value) > SHARED_MAX) return answer(cudaErrorInvalidValue);
  size_t &limit = shared_limits[kernel];
  if (size_t(value) < limit) {
    fprintf(stderr, "emulation: %d bytes of dynamic shared memory, after %zu, for a\n", value,
            limit);
    print_kernel(kernel);
    abort();
  }
  limit = value;
  return answer(sticky());
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *)
{
  *attributes = {};
  attributes->maxThreadsPerBlock = MAX_THREADS;
  attributes->numRegs = 64;
  const int arch = int(number("HYMG_EMULATION_ARCH", 90)),
            code = int(number("HYMG_EMULATION_CODE", arch));
  if (code > arch) return answer(cudaErrorNoKernelImageForDevice);
  attributes->ptxVersion = attributes->binaryVersion = code;
  return answer(sticky());
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *, const cudaLaunchConfig_t *)
{
  *clusters = int(number("HYMG_EMULATION_CLUSTERS", 16));
  return answer(sticky());
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads,
                                                          size_t shared)
{
  if (threads <= 0 || threads > MAX_THREADS) return answer(cudaErrorInvalidValue);
  *blocks = int(min(2048 / threads, int(SHARED_MAX / (shared + 1024))));
  return answer(sticky());
}

/* ---- errors and devices ---- */

cudaError_t cudaGetLastError(void)
{
  const cudaError_t error = sticky() != cudaSuccess ? lost : last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void)
{
  return sticky() != cudaSuccess ? lost : last_error;
}

#define EMULATION_NAME(name, value, text)                                                          \
  case name:                                                                                       \
    return #name;
#define EMULATION_TEXT(name, value, text)                                                          \
  case name:                                                                                       \
    return text;
const char *cudaGetErrorName(cudaError_t error)
{
  switch (error) {
    EMULATION_ERRORS(EMULATION_NAME)
  }
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
  switch (error) {
    EMULATION_ERRORS(EMULATION_TEXT)
  }
  return "unrecognized error code";
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
  *version = device_count() > 0 ? CUDART_VERSION : 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
  *count = device_count();
  return answer(*count > 0 ? sticky() : cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device)
{
  if (device < 0 || device >= device_count())
    return answer(device_count() > 0 ? cudaErrorInvalidDevice : cudaErrorNoDevice);
  current_device = device;
  return answer(sticky());
}

cudaError_t cudaGetDevice(int *device)
{
  if (device_count() == 0) return answer(cudaErrorNoDevice);
  *device = current_device;
  return answer(sticky());
}

#define EMULATION_PROPERTY(name, number, property)                                                 \
  case name:                                                                                       \
    *value = int(p.property);                                                                      \
    break;
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess) return error;
  switch (attribute) {
    EMULATION_ATTRIBUTES(EMULATION_PROPERTY)
  default:
    return answer(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
  if (device < 0 || device >= device_count()) return answer(cudaErrorInvalidDevice);
  const int arch = int(number("HYMG_EMULATION_ARCH", 90));
  *p = {};
  snprintf(p->name, sizeof p->name, "emulated device");
  p->uuid.bytes[0] = char(device + 1);
  p->totalGlobalMem = total_memory();
  p->sharedMemPerBlock = SHARED_PLAIN;
  p->sharedMemPerBlockOptin = SHARED_MAX;
  p->sharedMemPerMultiprocessor = SHARED_MAX + 1024;
  p->totalConstMem = 64 << 10;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = warpSize;
  p->maxThreadsPerBlock = MAX_THREADS;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->major = arch / 10;
  p->minor = arch % 10;
  p->multiProcessorCount = MULTIPROCESSORS;
  p->maxThreadsPerMultiProcessor = 2048;
  p->maxBlocksPerMultiProcessor = 32;
  p->l2CacheSize = 50 << 20;
  p->memoryBusWidth = 5120;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->concurrentManagedAccess = concurrent();
  p->asyncEngineCount = 3;
  p->pciBusID = device + 1;
  return answer(sticky());
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
  *least = 0;
  *greatest = -5;
  return answer(sticky());
}

cudaError_t cudaDeviceSynchronize(void)
{
  const guard locked(mutex);
  return capture_forbids() ? answer(cudaErrorStreamCaptureUnsupported) : wait_for_queue();
}

void emulation_early_starts(size_t *all, size_t *over_others)
{
  const guard locked(mutex);
  *all = starts.early, *over_others = starts.early_over_others;
}

void emulation_progress(void)
{
  const guard locked(mutex);
  try_queue();
}

size_t emulation_alive(void)
{
  const guard locked(mutex);
  return allocations.size() + streams.size() + events.size() + graphs.size() + execs.size() +
         communicators.size();
}

} // extern "C"
