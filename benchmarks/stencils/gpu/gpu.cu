/* Device, memory, copies and timing. */
#include "stencils/gpu/launch.cuh"
extern "C" {
#include "common/kit/timing.h"
#include "stencils/gpu/gpu.h"
}

namespace
{

struct alignas(16) word {
  unsigned part[4];
};

__global__ void __launch_bounds__(256) copy_words(const word *from, word *to, size_t words)
{
  const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at < words) to[at] = from[at];
}

/* One thread per point including ghosts; those of the interior do nothing. */
template <typename T>
__global__ void __launch_bounds__(256)
    scale_ghosts(const __grid_constant__ device_job<T> a, T by, int ghost0, int ghost1)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x) - ghost0;
  const int j = (int)blockIdx.y - ghost1;
  if (i >= a.n[0] + ghost0) return;
  if (i >= 0 && i < a.n[0] && j >= 0 && j < a.n[1]) return;
  a.out[i + j * a.pitch] = a.x[i + j * a.pitch] * by;
}

template <typename T> const char *boundary(const stencil_job *job, double by)
{
  const stencil_grid *g = &job->g;
  stencil_launch l = {};
  const dim3 grid(blocks_for(g->n[0] + 2 * g->ghost[0], 256),
                  (unsigned)(g->n[1] + 2 * g->ghost[1]));
  return launch(&l, scale_ghosts<T>, grid, dim3(256), 0, device_job_of<T>(job), (T)by, g->ghost[0],
                g->ghost[1]);
}

const char *text_of(cudaError_t error)
{
  return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

/* Milliseconds per call within a group of `calls`. */
cudaError_t time_group(stencil_call call, void *data, int calls, cudaEvent_t from, cudaEvent_t to,
                       double *ms, const char **why)
{
  cudaError_t error = cudaEventRecord(from);
  for (int c = 0; c < calls && !*why; c++)
    *why = call(data);
  if (error == cudaSuccess) error = cudaEventRecord(to);
  if (error == cudaSuccess) error = cudaEventSynchronize(to);
  float elapsed = 0;
  if (error == cudaSuccess) error = cudaEventElapsedTime(&elapsed, from, to);
  *ms = elapsed / calls;
  return error;
}

struct copied {
  const word *from;
  word *to;
  size_t words;
};

const char *copy_by_kernel(void *data)
{
  const copied *c = static_cast<const copied *>(data);
  stencil_launch l = {};
  return launch(&l, copy_words, dim3(blocks_for((int64_t)c->words, 256)), dim3(256), 0, c->from,
                c->to, c->words);
}

const char *copy_by_driver(void *data)
{
  const copied *c = static_cast<const copied *>(data);
  return text_of(
      cudaMemcpyAsync(c->to, c->from, c->words * sizeof(word), cudaMemcpyDeviceToDevice));
}

} /* namespace */

extern "C" int stencil_gpu_count(void)
{
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

extern "C" bool stencil_gpu_open(int device, stencil_gpu *gpu, const char **why)
{
  cudaDeviceProp properties;
  cudaError_t error = cudaSetDevice(device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) error = cudaFree(NULL);
  *why = text_of(error);
  if (*why) return false;
  memcpy(gpu->name, properties.name, sizeof gpu->name - 1);
  gpu->name[sizeof gpu->name - 1] = 0;
  gpu->multiprocessors = properties.multiProcessorCount;
  gpu->bytes = (double)properties.totalGlobalMem;
  gpu->cache = properties.l2CacheSize;
  return true;
}

extern "C" void *stencil_gpu_allocate(size_t bytes, bool on_host)
{
  void *memory = NULL;
  if ((on_host ? cudaMallocHost(&memory, bytes) : cudaMalloc(&memory, bytes)) == cudaSuccess)
    return memory;
  cudaGetLastError();
  return NULL;
}

extern "C" void stencil_gpu_free(void *memory, bool on_host)
{
  if (on_host)
    cudaFreeHost(memory);
  else
    cudaFree(memory);
}

extern "C" const char *stencil_gpu_move(void *to, const void *from, size_t bytes)
{
  return text_of(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}

extern "C" const char *stencil_gpu_poison(void *memory, size_t bytes)
{
  return text_of(cudaMemset(memory, 0xff, bytes));
}

extern "C" const char *stencil_gpu_boundary(const stencil_job *job, double by)
{
  return job->wide ? boundary<double>(job, by) : boundary<float>(job, by);
}

extern "C" void *stencil_gpu_stream(void)
{
  cudaStream_t stream = NULL;
  return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess ? stream : NULL;
}

extern "C" void stencil_gpu_stream_end(void *stream)
{
  if (stream) cudaStreamDestroy((cudaStream_t)stream);
}

extern "C" const char *stencil_gpu_wait(void *stream)
{
  return text_of(cudaStreamSynchronize((cudaStream_t)stream));
}

extern "C" const char *stencil_gpu_copy(void *to, const void *from, size_t bytes, void *stream)
{
  return text_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream));
}

/* Short kernels are timed in groups because of the limited resolution of events. */
extern "C" const char *stencil_gpu_time(stencil_call call, void *data, int repeat, double *ms)
{
  const int longest_group = 50;
  const double group_ms = 1;
  double first = 0;
  times all = {};
  const char *why = NULL;
  cudaEvent_t from, to;
  cudaError_t error = cudaEventCreate(&from);
  if (error != cudaSuccess) return text_of(error);
  error = cudaEventCreate(&to);
  if (error == cudaSuccess) error = time_group(call, data, 1, from, to, &first, &why);
  if (error == cudaSuccess) error = time_group(call, data, 1, from, to, &first, &why);
  const double wanted = first > 0 ? group_ms / first + 1 : longest_group;
  const int calls = wanted < longest_group ? (int)wanted : longest_group;
  while (all.count < repeat && error == cudaSuccess && !why) {
    error = time_group(call, data, calls, from, to, &first, &why);
    if (!times_add(&all, first, 1)) why = "no memory";
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  if (error == cudaSuccess && !why) *ms = times_median(&all);
  times_free(&all);
  return why ? why : text_of(error);
}

extern "C" const char *stencil_gpu_copy_rate(void *to, const void *from, size_t bytes, double *rate)
{
  enum { REPEAT = 7 };
  copied c = {static_cast<const word *>(from), static_cast<word *>(to), bytes / sizeof(word)};
  double kernel = 0, driver = 0;
  const char *why = stencil_gpu_time(copy_by_kernel, &c, REPEAT, &kernel);
  if (!why) why = stencil_gpu_time(copy_by_driver, &c, REPEAT, &driver);
  const double best = kernel < driver ? kernel : driver;
  *rate = best > 0 ? 2e3 * (double)(c.words * sizeof(word)) / best : 0;
  return why;
}
