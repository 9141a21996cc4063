/* Launches of the kernels, and their choice by radius and precision. */
#ifndef STENCIL_LAUNCH_CUH
#define STENCIL_LAUNCH_CUH

#include "stencils/gpu/device.cuh"

namespace
{

/* Dynamic shared memory. */
__device__ __forceinline__ char *launched_shared()
{
#ifdef __CUDACC__
  extern __shared__ __align__(128) char stencil_shared[];
  return stencil_shared;
#else
  return static_cast<char *>(emulation_dynamic_shared());
#endif
}

inline unsigned blocks_for(int64_t things, int64_t each)
{
  return (unsigned)((things + each - 1) / each);
}

inline int multiprocessors()
{
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 1;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return 1;
  return count;
}

/* More shared memory than the default limit must be requested. */
template <typename... P> cudaError_t prepare_shared(void (*kernel)(P...), size_t shared)
{
  const size_t plain = 48 * 1024;
  if (shared <= plain) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
}

/* NULL, or why not. */
template <typename... P, typename... A>
const char *launch(stencil_launch *l, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared,
                   A... args)
{
  cudaError_t error = prepare_shared(kernel, shared);
  if (l->registers == 0) {
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess)
      l->registers = attributes.numRegs;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = (cudaStream_t)l->stream;
  if (error == cudaSuccess) error = cudaLaunchKernelEx(&config, kernel, P(args)...);
  if (error == cudaSuccess) return NULL;
  cudaGetLastError();
  return cudaGetErrorString(error);
}

template <typename T> device_job<T> device_job_of(const stencil_job *job)
{
  device_job<T> d = {};
  T *at[STENCIL_ARRAYS];
  for (int a = 0; a < STENCIL_ARRAYS; a++)
    at[a] = job->array[a] ? static_cast<T *>(job->array[a]) + job->g.origin : NULL;
  d.x = at[STENCIL_X], d.prev = at[STENCIL_PREV], d.speed = at[STENCIL_SPEED];
  d.out = at[STENCIL_OUT];
  d.pitch = job->g.pitch, d.plane = job->g.plane;
  for (int axis = 0; axis < 3; axis++)
    d.n[axis] = job->g.n[axis];
  d.slab = job->slab;
  for (int r = 0; r <= job->radius; r++)
    d.c[r] = (T)job->c[r];
  return d;
}

/* Blocks of tile[0] x tile[1] threads with `along` points on each of `rows` rows, in `slab` planes. */
struct shape {
  dim3 grid, block;
  size_t entries; /* of a tile of a point a thread including its ghosts */
};

inline shape shape_of(const stencil_job *job, int slab, int along = 1, int rows = 1)
{
  const int wide = job->tile[0], high = job->tile[1];
  shape s;
  s.block = dim3((unsigned)wide, (unsigned)high);
  s.grid = dim3(blocks_for(job->g.n[0], wide * along), blocks_for(job->g.n[1], high * rows),
                blocks_for(job->g.n[2], slab));
  s.entries = (size_t)(wide + 2 * job->radius) * (size_t)(high + 2 * job->radius);
  return s;
}

template <int N> struct literal {
  enum { value = N };
};

/* f(literal<R>()) for the job's radius. */
template <int R = 1, typename F> const char *by_radius(const stencil_job *job, const F &f)
{
  if constexpr (R < STENCIL_RADIUS)
    if (job->radius != R) return by_radius<R + 1>(job, f);
  return f(literal<R>());
}

} /* namespace */

/* A kernel's entry for C: one of two functions by the job's precision. */
#define STENCIL_ENTRY(name, of_double, of_float)                                                   \
  extern "C" const char *name(const stencil_job *job, stencil_launch *l)                           \
  {                                                                                                \
    return job->wide ? of_double(job, l) : of_float(job, l);                                       \
  }

#endif
