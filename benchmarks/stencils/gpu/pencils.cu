/* Case c as in the study: whole lines in shared memory, few or many of them. Along x a line is a
 * row; along y and z adjacent lines are adjacent in memory. */
#include "stencils/gpu/launch.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

enum { R = 4, FEW = 4, MANY = 32 };

/* Entry t of line p, in memory and in shared memory: adjacent threads have adjacent entries in
 * each. */
struct pencil_layout {
  int n, pencils;
  ptrdiff_t along, beside;
  int shared_along, shared_beside;
};

template <typename T>
__device__ __forceinline__ T derivative(const T *c, const T *line, int t, int stride)
{
  T sum = c[1] * (line[(t + 1) * stride] - line[(t - 1) * stride]);
#pragma unroll
  for (int r = 2; r <= R; r++)
    sum = multiply_add(c[r], line[(t + r) * stride] - line[(t - r) * stride], sum);
  return sum;
}

/* Blocks along x: groups of lines; along y: the remaining axis. X: lines are rows. */
template <typename T, bool X>
__global__ void __launch_bounds__(256)
    c_pencils(const __grid_constant__ device_job<T> a, const __grid_constant__ pencil_layout s,
              int lines, ptrdiff_t stride_left)
{
  const int p = (int)(X ? threadIdx.y : threadIdx.x), t0 = (int)(X ? threadIdx.x : threadIdx.y);
  const int step = (int)(X ? blockDim.x : blockDim.y), rows = (int)(X ? blockDim.y : blockDim.x);
  const int first = (int)blockIdx.x * s.pencils;
  const ptrdiff_t start = first * s.beside + (int)blockIdx.y * stride_left;
  T *const shared = reinterpret_cast<T *>(launched_shared()) + R * s.shared_along;
  for (int q = p; q < s.pencils && first + q < lines; q += rows)
    for (int t = t0; t < s.n + 2 * R; t += step) {
      const int at = t - R, from = at >= 0 && at < s.n ? at : wrapped(at, s.n);
      shared[at * s.shared_along + q * s.shared_beside] =
          a.x[start + from * s.along + q * s.beside];
    }
  __syncthreads();
  for (int q = p; q < s.pencils && first + q < lines; q += rows)
    for (int t = t0; t < s.n; t += step)
      a.out[start + t * s.along + q * s.beside] =
          derivative(a.c, shared + q * s.shared_beside, t, s.shared_along);
}

template <typename T> const char *pencils(const stencil_job *job, stencil_launch *l, int count)
{
  const stencil_grid *g = &job->g;
  const int axis = job->axis, beside = axis == 0 ? 1 : 0, left = 3 - axis - beside;
  const ptrdiff_t stride[3] = {1, g->pitch, g->plane};
  const int n = g->n[axis], length = n + 2 * R;
  const pencil_layout s = {
      n, count, stride[axis], stride[beside], axis == 0 ? 1 : count, axis == 0 ? length : 1};
  const bool few = count == FEW;
  const unsigned along = axis == 0 || few ? 64 : 8;
  const unsigned rows = axis == 0 ? 4 : (unsigned)count;
  const dim3 block = axis == 0 ? dim3(along, rows) : dim3(rows, along);
  const dim3 grid(blocks_for(g->n[beside], count), (unsigned)g->n[left]);
  const size_t bytes = (size_t)length * (size_t)count * sizeof(T);
  return launch(l, axis == 0 ? c_pencils<T, true> : c_pencils<T, false>, grid, block, bytes,
                device_job_of<T>(job), s, g->n[beside], stride[left]);
}

const char *either(const stencil_job *job, stencil_launch *l, int count)
{
  return job->wide ? pencils<double>(job, l, count) : pencils<float>(job, l, count);
}

} /* namespace */

extern "C" const char *stencil_c_few(const stencil_job *job, stencil_launch *l)
{
  return either(job, l, FEW);
}

extern "C" const char *stencil_c_many(const stencil_job *job, stencil_launch *l)
{
  return either(job, l, MANY);
}
