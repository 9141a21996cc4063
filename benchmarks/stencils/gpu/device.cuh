/* Shared by the kernels of all cases: their arguments, packs of several values, the stencils' sums.
 * Every kernel adds in the same order, so that all give the same bits. */
#ifndef STENCIL_DEVICE_CUH
#define STENCIL_DEVICE_CUH

#include "device/zmarch.cuh"
extern "C" {
#include "stencils/cpu/stencil.h"
}

namespace
{

/* A pack of V adjacent values, loaded and stored at once if it has at most 16 bytes. */
template <typename T, int V> struct alignas(sizeof(T) * V) pack {
  T v[V];
};

template <typename T, int V> struct vector_of;
template <> struct vector_of<float, 1> {
  typedef float type;
};
template <> struct vector_of<float, 2> {
  typedef float2 type;
};
template <> struct vector_of<float, 4> {
  typedef float4 type;
};
template <> struct vector_of<double, 1> {
  typedef double type;
};
template <> struct vector_of<double, 2> {
  typedef double2 type;
};

/* Loads through the read-only cache: a kernel writes nothing that it reads, except a point's own.
 * */
template <typename T, int V> __device__ __forceinline__ pack<T, V> load(const T *from)
{
  typedef typename vector_of<T, V>::type vector;
  union word_t {
    vector from;
    pack<T, V> to;
    __device__ word_t() {}
  } word;
  word.from = __ldg(reinterpret_cast<const vector *>(from));
  return word.to;
}

/* The first `count` of V. */
template <typename T, int V>
__device__ __forceinline__ void store(T *to, const pack<T, V> &values, int count)
{
  if (count >= V) {
    *reinterpret_cast<pack<T, V> *>(to) = values;
  } else {
#pragma unroll
    for (int v = 0; v < V - 1; v++)
      if (v < count) to[v] = values.v[v];
  }
}

__device__ __forceinline__ float multiply_add(float a, float b, float c)
{
  return fmaf(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c)
{
  return fma(a, b, c);
}

/* A job in kernel arguments: pointers to the first interior point. */
template <typename T> struct device_job {
  const T *x, *prev, *speed;
  T *out;
  ptrdiff_t pitch, plane;
  int n[3];
  int slab;
  T c[STENCIL_RADIUS + 1];
};

/* Index on a periodic line. */
__device__ __forceinline__ int wrapped(int index, int n)
{
  const int rest = index % n;
  return rest < 0 ? rest + n : rest;
}

/* c[0] x + sum of c[r] times the six points at distance r; at(di, dj, dk) is called with literals
 * */
template <int R, typename T, typename At>
__device__ __forceinline__ T laplacian(const T *c, const At &at)
{
  T sum = c[0] * at(0, 0, 0);
#pragma unroll
  for (int r = 1; r <= R; r++)
    sum = multiply_add(c[r],
                       ((at(-r, 0, 0) + at(r, 0, 0)) + (at(0, -r, 0) + at(0, r, 0))) +
                           (at(0, 0, -r) + at(0, 0, r)),
                       sum);
  return sum;
}

/* Prefetches a line into the second-level cache. */
__device__ __forceinline__ void call_line(const void *line)
{
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
#else
  (void)line;
#endif
}

/* Is this the thread that prefetches a warp's line? */
template <typename T, int V> __device__ __forceinline__ bool calls_lines()
{
  return threadIdx.x % (STENCIL_LINE / (V * (unsigned)sizeof(T))) == 0;
}

/* to += c x */
template <typename T, int V>
__device__ __forceinline__ void add(pack<T, V> *to, T c, const pack<T, V> &x)
{
#pragma unroll
  for (int v = 0; v < V; v++)
    to->v[v] = multiply_add(c, x.v[v], to->v[v]);
}

/* Adds c[r] times the neighbours at distance r along x, from packs; at(s): the one at distance s. */
template <int R, typename T, int V, typename At>
__device__ __forceinline__ void add_along_x(const T *c, const At &at, pack<T, V> *to)
{
  enum { SIDE = (R + V - 1) / V };
  T x[(2 * SIDE + 1) * V];
#pragma unroll
  for (int s = -SIDE; s <= SIDE; s++) {
    const pack<T, V> p = at(s);
#pragma unroll
    for (int v = 0; v < V; v++)
      x[(s + SIDE) * V + v] = p.v[v];
  }
#pragma unroll
  for (int r = 1; r <= R; r++)
#pragma unroll
    for (int v = 0; v < V; v++)
      to->v[v] = multiply_add(c[r], x[SIDE * V + v - r] + x[SIDE * V + v + r], to->v[v]);
}

/* A leap-frog step: 2 x - prev + v^2 dt^2 Lap x. */
template <typename T> __device__ __forceinline__ T leap(T lap, T x, T prev, T speed)
{
  return multiply_add(speed, lap, multiply_add(T(2), x, -prev));
}

/* The steps of a column up to plane `to`: arrive() loads, value(arrivals) is the result, which
 * store(result) writes to the plane below the current one; advance(arrivals) goes up by one plane
 * and increments k. A result is stored after the loads of the next step, so that the two overlap.
 * */
template <typename Arrive, typename Value, typename Advance, typename Store>
__device__ __forceinline__ void march(const int &k, int to, const Arrive &arrive,
                                      const Value &value, const Advance &advance,
                                      const Store &store)
{
  const int from = k;
  decltype(value(arrive())) done = {};
#pragma unroll 1
  while (k < to) {
    const auto arrivals = arrive();
    if (k > from) store(done);
    done = value(arrivals);
    advance(arrivals);
  }
  store(done);
}

} /* namespace */

#endif
