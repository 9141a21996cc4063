/* The emulation against what CUDA promises, and its traps: each must spring. Ends with the totals
 * that tools/run-tests reads. */
#include <cuda_runtime.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

static int passed, failed;

static void check(bool holds, const char *what, int line)
{
  passed += holds;
  failed += !holds;
  if (!holds) printf("FAILED at line %d: %s\n", line, what);
}
#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define OK(...)    check((__VA_ARGS__) == cudaSuccess, #__VA_ARGS__, __LINE__)

static cudaLaunchConfig_t shape(dim3 grid, dim3 block, cudaStream_t stream, size_t shared = 0)
{
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return config;
}

__global__ static void __launch_bounds__(256) fill(double *x, int n, double value)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = value + i;
}

/* Each block stores its number into the next one's shared memory, which must exist by then. */
__global__ static void ring_of_a_cluster(int *out)
{
  int *const own = static_cast<int *>(emulation_dynamic_shared());
  own[threadIdx.x] = -1;
  emulation_meet_blocks();
  const unsigned next = (blockIdx.x + 1) % gridDim.x;
  static_cast<int *>(emulation_shared_of(next))[threadIdx.x] = int(100 * blockIdx.x + threadIdx.x);
  emulation_meet_blocks();
  out[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x];
}

template <int N> __global__ void block_sum(const double *__restrict__ x, double *sums)
{
  __shared__ double part[N];
  const int t = threadIdx.x;
  part[t] = __ldg(x + blockIdx.x * N + t);
  for (int half = N / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}

/* passes values around a ring of 1024 threads */
__global__ static void many_barriers(int *out, int barriers)
{
  __shared__ int ring[1024];
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  ring[t] = t;
  for (int b = 0; b < barriers; b++) {
    __syncthreads();
    const int next = ring[(t + 1) % 1024];
    __syncthreads();
    ring[t] = next;
  }
  out[t] = ring[t];
}

/* Each block adds 1 to what the block before it has passed on, so many times around. */
__global__ static void ring_of_blocks(volatile int *done, int rounds)
{
  double *const mine = static_cast<double *>(emulation_dynamic_shared());
  const int b = int(blockIdx.x), before = b == 0 ? int(gridDim.x) - 1 : b - 1;
  mine[threadIdx.x] = b;
  for (int r = 0; r < rounds; r++) {
    const int want = b == 0 ? r * int(gridDim.x) : r * int(gridDim.x) + b;
    while (done[before] != want && want > 0)
      __nanosleep(1);
    __syncthreads();
    if (threadIdx.x == 0) done[b] = want + 1;
  }
  __syncthreads();
  if (threadIdx.x == 0 && mine[blockDim.x - 1] == b) done[gridDim.x + b] = 1;
}

__global__ static void warps(long long *out)
{
  const unsigned all = 0xffffffffu;
  const int t = threadIdx.x, lane = t % 32;
  double x = 1.5 * t;
  for (int bits = 16; bits > 0; bits /= 2)
    x += __shfl_xor_sync(all, x, bits);
  out[t] = (long long)x;
  out[64 + t] = __shfl_down_sync(all, (long long)t << 33, 3);
  out[128 + t] = __ballot_sync(all, lane % 3 == 0);
  out[192 + t] = __shfl_sync(all, t, 5, 8);
  out[256 + t] = __syncthreads_count(t < 40) + 100 * __syncthreads_or(t == 63) +
                 1000 * __syncthreads_and(t < 63);
  if (lane >= 16) return;
  out[320 + t] = __shfl_xor_sync(0xffffu, t, 1);
  if (lane >= 8) return;
  __syncthreads(); /* of those that have not returned */
  out[384 + t] = __all_sync(all, 1) + 2 * __any_sync(all, lane == 20);
}

/* The warp in the middle waits for the others, of which one is started after it. */
__global__ static void a_warp_waits(volatile int *there, unsigned *out)
{
  const int warp = int(threadIdx.x) / 32;
  if (warp != 1) {
    there[warp] = 1;
    return;
  }
  while (__any_sync(~0u, !there[0] || !there[2])) {
  }
  out[threadIdx.x % 32] =
      __reduce_max_sync(~0u, threadIdx.x) + 1000 * __reduce_add_sync(~0u, threadIdx.x);
}

__global__ static void atomics(unsigned long long *out, double *sum)
{
  atomicAdd(out, 1ull);
  atomicMax(out + 1, (unsigned long long)threadIdx.x);
  atomicAdd(sum, 0.5);
}

__global__ static void shared_bytes(double *out)
{
  double *s = static_cast<double *>(emulation_dynamic_shared());
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ static void scale(double *x, double factor)
{
  x[threadIdx.x] *= factor;
}
__global__ static void lost_barrier()
{
  if (threadIdx.x < 7)
    __syncthreads();
  else
    __syncwarp();
}
__global__ static void late_number(bool late)
{
  if (late) emulation_lets_successors_start();
  __syncthreads();
  emulation_before_successors();
  emulation_lets_successors_start();
}
__global__ static void write_at(double *x, long at)
{
  x[at] = 1;
}

static void reductions(cudaStream_t stream)
{
  double *x, *sums, host[4];
  int *ring, host_ring[1024];
  OK(cudaMalloc(&x, 1024 * sizeof *x));
  OK(cudaMalloc(&sums, 4 * sizeof *sums));
  OK(cudaMalloc(&ring, sizeof host_ring));
  cudaLaunchConfig_t c = shape(4, 256, stream), big = shape(1, dim3(32, 16, 2), stream);
  OK(cudaLaunchKernelEx(&c, fill, x, 1024, 0));
  OK(cudaLaunchKernelEx(&c, block_sum<256>, x, sums));
  OK(cudaMemcpyAsync(host, sums, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (int b = 0; b < 4; b++)
    CHECK(host[b] == 256 * 256 * b + 255 * 128);
  OK(cudaLaunchKernelEx(&big, many_barriers, ring, 100));
  OK(cudaMemcpy(host_ring, ring, sizeof host_ring, cudaMemcpyDeviceToHost));
  int right = 0;
  for (int t = 0; t < 1024; t++)
    right += host_ring[t] == (t + 100) % 1024;
  CHECK(right == 1024);
  OK(cudaFree(x));
  OK(cudaFree(sums));
  OK(cudaFree(ring));
}

static void cooperative_launches(cudaStream_t stream)
{
  enum { BLOCKS = 7, ROUNDS = 5 };
  int *done, right = 0;
  OK(cudaMallocManaged(&done, 2 * BLOCKS * sizeof *done));
  OK(cudaMemset(done, 0, 2 * BLOCKS * sizeof *done));
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t c = shape(BLOCKS, 64, stream, 64 * sizeof(double));
  c.attrs = &together;
  c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, ring_of_blocks, done, ROUNDS));
  OK(cudaStreamSynchronize(stream));
  for (int b = 0; b < BLOCKS; b++)
    right += done[b] == (ROUNDS - 1) * BLOCKS + b + 1 && done[BLOCKS + b] == 1;
  CHECK(right == BLOCKS);
  c.gridDim = dim3(1000);
  CHECK(cudaLaunchKernelEx(&c, ring_of_blocks, done, 1) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  OK(cudaFree(done));
}

static void clusters(cudaStream_t stream)
{
  enum { BLOCKS = 8, THREADS = 64 };
  int *out, right = 0;
  OK(cudaMallocManaged(&out, BLOCKS * THREADS * sizeof *out));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {BLOCKS, 1, 1};
  cudaLaunchConfig_t c = shape(BLOCKS, THREADS, stream, THREADS * sizeof(int));
  c.attrs = &cluster;
  c.numAttrs = 1;
  OK(cudaLaunchKernelEx(&c, ring_of_a_cluster, out));
  OK(cudaStreamSynchronize(stream));
  for (int b = 0; b < BLOCKS; b++)
    for (int t = 0; t < THREADS; t++)
      right += out[b * THREADS + t] == 100 * ((b + BLOCKS - 1) % BLOCKS) + t;
  CHECK(right == BLOCKS * THREADS);
  c.gridDim = dim3(2 * BLOCKS); /* two clusters */
  CHECK(cudaLaunchKernelEx(&c, ring_of_a_cluster, out) == cudaErrorNotSupported);
  CHECK(cudaGetLastError() == cudaErrorNotSupported);
  OK(cudaFree(out));
}

static void warp_functions(cudaStream_t stream)
{
  long long *out;
  OK(cudaMallocManaged(&out, 448 * sizeof *out));
  cudaLaunchConfig_t c = shape(1, 64, stream);
  OK(cudaLaunchKernelEx(&c, warps, out));
  CHECK(out[0] == -1); /* not yet: the host has not waited */
  OK(cudaStreamSynchronize(stream));
  int wrong = 0;
  for (int t = 0; t < 64; t++) {
    const int lane = t % 32;
    wrong += out[t] != (t < 32 ? 744 : 2280);
    wrong += out[64 + t] != (long long)(lane + 3 < 32 ? t + 3 : t) << 33;
    wrong += out[128 + t] != 0x49249249;
    wrong += out[192 + t] != t / 8 * 8 + 5;
    wrong += out[256 + t] != 140;
    wrong += out[320 + t] != (lane < 16 ? t ^ 1 : -1);
    wrong += out[384 + t] != (lane < 8 ? 1 : -1);
  }
  CHECK(wrong == 0);
  OK(cudaFree(out));

  unsigned long long *counts;
  OK(cudaHostAlloc(&counts, 3 * sizeof *counts, cudaHostAllocMapped));
  memset(counts, 0, 3 * sizeof *counts);
  c = shape(dim3(3, 2), 100, stream);
  OK(cudaLaunchKernelEx(&c, atomics, counts, reinterpret_cast<double *>(counts + 2)));
  OK(cudaStreamSynchronize(stream));
  CHECK(counts[0] == 600 && counts[1] == 99 && __longlong_as_double(counts[2]) == 300);
  OK(cudaFreeHost(counts));
}

static void warps_wait(cudaStream_t stream)
{
  int *there, right = 0;
  unsigned *out;
  OK(cudaMallocManaged(&there, 3 * sizeof *there));
  OK(cudaMallocManaged(&out, 32 * sizeof *out));
  OK(cudaMemset(there, 0, 3 * sizeof *there));
  const cudaLaunchConfig_t c = shape(1, 96, stream);
  OK(cudaLaunchKernelEx(&c, a_warp_waits, there, out));
  OK(cudaStreamSynchronize(stream));
  for (int t = 0; t < 32; t++)
    right += out[t] == 63 + 1000 * (32 * 32 + 31 * 32 / 2);
  CHECK(right == 32);
  OK(cudaFree(there));
  OK(cudaFree(out));
}

static void graph_is_replayed(cudaStream_t stream)
{
  double *x, *y, host[2];
  cudaStream_t side;
  cudaEvent_t event;
  OK(cudaStreamCreate(&side));
  OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  OK(cudaMalloc(&x, 2 * sizeof *x));
  OK(cudaMallocHost(&y, 2 * sizeof *y));
  y[0] = 3;
  y[1] = 4;
  OK(cudaMemcpy(x, y, 2 * sizeof *x, cudaMemcpyHostToDevice));
  cudaLaunchConfig_t c = shape(1, 2, stream), d = shape(1, 1, side);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaLaunchKernelEx(&c, scale, x, 2));
  OK(cudaEventRecord(event, stream));
  OK(cudaStreamWaitEvent(side, event));
  OK(cudaLaunchKernelEx(&d, scale, x, 10));
  OK(cudaMemcpyAsync(y, x, 2 * sizeof *x, cudaMemcpyDefault, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  size_t nodes;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 3);
  OK(cudaGraphInstantiate(&exec, graph));
  OK(cudaGraphDestroy(graph));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDefault));
  CHECK(host[0] == 3 && host[1] == 4); /* capturing runs nothing */
  for (int r = 0; r < 2; r++)
    OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(y[0] == 1200 && y[1] == 16);
  OK(cudaGraphExecDestroy(exec));

  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMalloc(&x, 8) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  double *other = nullptr;
  cudaError_t there;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  std::thread([&] { there = cudaMalloc(&other, 8); }).join();
  OK(there);
  CHECK(cudaMalloc(&x, 8) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaFree(other));
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(side));
  OK(cudaFree(x));
  OK(cudaFreeHost(y));
  cudaGetLastError();
}

static void mistakes_are_answered(cudaStream_t stream)
{
  double *x, *pinned, host[8];
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMallocHost(&pinned, sizeof host));
  CHECK(cudaMemcpy(x, host, sizeof host + 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(x + 9, host, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaFree(x + 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(pinned) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, x, 8, cudaMemcpyDefault) == cudaErrorInvalidValue);
  OK(cudaMemset(x, 0, sizeof host));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[7] == 0);
  cudaLaunchConfig_t c = shape(1, 2048, stream);
  CHECK(cudaLaunchKernelEx(&c, scale, x, 1.0) == cudaErrorInvalidConfiguration);
  c = shape(0, 1, stream);
  CHECK(cudaLaunchKernelEx(&c, scale, x, 1.0) == cudaErrorInvalidConfiguration);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess);
  c = shape(1, 64, stream, 100 << 10);
  double *out;
  OK(cudaMallocManaged(&out, 64 * sizeof *out));
  CHECK(cudaLaunchKernelEx(&c, shared_bytes, out) == cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(shared_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  OK(cudaLaunchKernelEx(&c, shared_bytes, out));
  OK(cudaStreamSynchronize(stream));
  CHECK(out[0] == 63 && out[63] == 0);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, x + 7));
  CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == x + 7 && a.hostPointer == nullptr);
  OK(cudaPointerGetAttributes(&a, out));
  CHECK(a.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&a, host));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  size_t free_bytes, total;
  OK(cudaMemGetInfo(&free_bytes, &total));
  CHECK(free_bytes < total);
  void *too_much;
  CHECK(cudaMalloc(&too_much, total) == cudaErrorMemoryAllocation);
  OK(cudaFree(x));
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  OK(cudaFree(out));
  OK(cudaFreeHost(pinned));
  cudaGetLastError();
}

static void failures_are_injected(cudaStream_t stream)
{
  void *first, *second = nullptr;
  setenv("HYMG_EMULATION_FAIL", "malloc:2", 1);
  OK(cudaMalloc(&first, 8));
  CHECK(cudaMallocHost(&second, 8) == cudaErrorMemoryAllocation);
  OK(cudaMallocHost(&second, 8));
  setenv("HYMG_EMULATION_FAIL", "sync:1", 1);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
  CHECK(cudaMemset(first, 0, 8) == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
  CHECK(cudaFree(first) == cudaErrorLaunchFailure);
  setenv("HYMG_EMULATION_FAIL", "launch:1", 1);
  cudaLaunchConfig_t c = shape(1, 1, stream);
  CHECK(cudaLaunchKernelEx(&c, lost_barrier) == cudaErrorLaunchOutOfResources);
  unsetenv("HYMG_EMULATION_FAIL");
  OK(cudaFreeHost(second));
  OK(cudaGetLastError());
}

/* what(stream) in a child: does it die, saying `words`? */
static bool dies(void (*what)(cudaStream_t), cudaStream_t stream, const char *words)
{
  int ends[2], status = 0;
  char text[65536] = "";
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    what(stream);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t n = 1; n > 0 && length<sizeof text - 1; length += n> 0 ? n : 0)
    n = read(ends[0], text + length, sizeof text - 1 - length);
  close(ends[0]);
  waitpid(child, &status, 0);
  const bool right = status != 0 && strstr(text, words) != nullptr;
  if (!right) printf("status %d, said: %s\n", status, text);
  return right;
}

static double *one_row()
{
  double *x = nullptr;
  cudaMalloc(&x, 512 * sizeof *x);
  return x;
}
static void host_touches_device(cudaStream_t)
{
  one_row()[3] = 1;
}
static void kernel_overruns(cudaStream_t stream)
{
  cudaLaunchConfig_t c = shape(1, 1, stream);
  cudaLaunchKernelEx(&c, write_at, one_row(), 512L);
  cudaStreamSynchronize(stream);
}
static void kernel_uses_freed(cudaStream_t stream)
{
  double *x = one_row();
  cudaLaunchConfig_t c = shape(1, 1, stream);
  cudaFree(x);
  cudaLaunchKernelEx(&c, write_at, x, 0L);
  cudaStreamSynchronize(stream);
}
static void barrier_is_missed(cudaStream_t stream)
{
  cudaLaunchConfig_t c = shape(1, 32, stream);
  cudaLaunchKernelEx(&c, lost_barrier);
  cudaStreamSynchronize(stream);
}
static void number_is_late(cudaStream_t stream)
{
  cudaLaunchConfig_t c = shape(1, 32, stream);
  cudaLaunchKernelEx(&c, late_number, false);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return;
  cudaLaunchKernelEx(&c, late_number, true);
  cudaStreamSynchronize(stream);
}
static void something_stays(cudaStream_t)
{
  setenv("HYMG_EMULATION_LEAKS", "1", 1);
  one_row();
  exit(0);
}

/* ---- memory of another process ---- */

__global__ static void answer_flag(double *x)
{
  while (*(volatile double *)x != 1.5)
    __nanosleep(100);
  *(volatile double *)(x + 511) = 2.5;
}

/* In the child: what it maps holds what was there before, and both see what the other writes; a
 * kernel that waits for the parent's ends. 0 if all is well. */
static int use_mapped(const cudaIpcMemHandle_t &handle, int to)
{
  void *mapped = nullptr;
  double seen[512];
  cudaStream_t stream;
  cudaLaunchConfig_t c;
  setenv("HYMG_EMULATION_FAIL", "map:1", 1);
  if (cudaIpcOpenMemHandle(&mapped, handle, cudaIpcMemLazyEnablePeerAccess) == cudaSuccess)
    return 1;
  unsetenv("HYMG_EMULATION_FAIL");
  if (cudaIpcOpenMemHandle(&mapped, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess)
    return 2;
  if (cudaMemcpy(seen, mapped, sizeof seen, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  if (seen[0] != 7 || seen[511] != 518) return 4;
  if (cudaFree(mapped) == cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess) return 5;
  c = shape(1, 1, stream);
  if (write(to, "x", 1) != 1) return 6;
  if (cudaLaunchKernelEx(&c, answer_flag, static_cast<double *>(mapped)) != cudaSuccess) return 7;
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 8;
  return cudaIpcCloseMemHandle(mapped) == cudaSuccess ? 0 : 9;
}

static void memory_is_mapped(cudaStream_t stream)
{
  double *x = one_row(), last = 0;
  cudaIpcMemHandle_t handle;
  int ends[2], status = 0;
  char ready = 0;
  cudaLaunchConfig_t c = shape(2, 256, stream);
  OK(cudaLaunchKernelEx(&c, fill, x, 512, 7.0));
  OK(cudaIpcGetMemHandle(&handle, x));
  CHECK(cudaIpcGetMemHandle(&handle, x + 1) == cudaErrorInvalidValue);
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(use_mapped(handle, ends[1]));
  CHECK(read(ends[0], &ready, 1) == 1);
  c = shape(1, 1, stream);
  OK(cudaLaunchKernelEx(&c, fill, x, 1, 1.5));
  OK(cudaStreamSynchronize(stream));
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(cudaMemcpy(&last, x + 511, sizeof last, cudaMemcpyDeviceToHost));
  CHECK(last == 2.5);
  close(ends[0]);
  close(ends[1]);
  OK(cudaFree(x));
}

int main()
{
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int order = 0; order < 2; order++) {
    setenv("HYMG_EMULATION_REVERSE", order == 0 ? "0" : "1", 1);
    reductions(stream);
    cooperative_launches(stream);
    clusters(stream);
    warp_functions(stream);
    warps_wait(stream);
    graph_is_replayed(stream);
  }
  mistakes_are_answered(stream);
  failures_are_injected(stream);
  memory_is_mapped(stream);
  CHECK(dies(host_touches_device, stream, "the host (no kernel and no copy runs) touched"));
  CHECK(dies(host_touches_device, stream, "byte 24 of the 4096 allocated"));
  CHECK(dies(kernel_overruns, stream, "a kernel touched"));
  CHECK(dies(kernel_overruns, stream, "byte 4096 of the 4096 allocated"));
  CHECK(dies(kernel_overruns, stream, "write_at"));
  CHECK(dies(kernel_uses_freed, stream, "not allocated (any more)"));
  CHECK(dies(barrier_is_missed, stream, "7 threads wait at __syncthreads"));
  CHECK(dies(barrier_is_missed, stream, "25 threads wait at __syncwarp"));
  CHECK(dies(number_is_late, stream, "written after it may have started"));
  CHECK(dies(something_stays, stream, "alive at exit"));
  OK(cudaStreamDestroy(stream));
  CHECK(emulation_alive() == 0);
  printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
