/* CUDA C++ for a C++17 compiler: keywords, what a kernel may call, and launches. Put before
 * everything with -include; emulation.cpp says what it is good for. __CUDACC__ and __CUDA_ARCH__
 * stay undefined, so inline PTX belongs inside #ifdef __CUDA_ARCH__, or inside #ifdef __CUDACC__ with
 * another half in device/. */
#ifndef EMULATION_CUDA_RUNTIME_H
#define EMULATION_CUDA_RUNTIME_H

/* Few and small headers, as every .cu file reads them: of math.h C's own half, and the overloads below.
 * libstdc++ spells an attribute __noinline__: its headers come before our macros. */
#if __has_include(<bits/c++config.h>)
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#define _GLIBCXX_MATH_H 1
#define EMULATION_OVERLOADS
#else
#include <math.h>
#endif
#include <string.h>
#include <type_traits>

#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__      static /* one block runs at a time */
#define __forceinline__ inline /* the compiler may leave it a call, which is compiled much faster */
#define __noinline__    __attribute__((noinline))
#define __align__(n)    __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)

/* for cuda/runtime/graph.cu: work that nobody waits for makes no progress, so that polling gains nothing */
#define HYMGI_POLL_SECONDS 0.

#define EMULATION_FUNCTION(type, name, parameters, value)                                          \
  static inline type name parameters                                                               \
  {                                                                                                \
    return value;                                                                                  \
  }
#define EMULATION_HIDDEN __attribute__((visibility("hidden")))

extern EMULATION_HIDDEN uint3 threadIdx, blockIdx;
extern EMULATION_HIDDEN dim3 blockDim, gridDim;
constexpr int warpSize = 32;

/* ---- vectors ---- */

#define EMULATION_VECTOR(type, name)                                                               \
  struct alignas(2 * sizeof(type)) name##2                                                         \
  {                                                                                                \
    type x, y;                                                                                     \
  };                                                                                               \
  struct alignas(sizeof(type) < 8 ? 4 * sizeof(type) : 16) name##4                                 \
  {                                                                                                \
    type x, y, z, w;                                                                               \
  };                                                                                               \
  static inline name##2 make_##name##2(type x, type y)                                             \
  {                                                                                                \
    return {x, y};                                                                                 \
  }                                                                                                \
  static inline name##4 make_##name##4(type x, type y, type z, type w)                             \
  {                                                                                                \
    return {x, y, z, w};                                                                           \
  }
EMULATION_VECTOR(int, int)
EMULATION_VECTOR(unsigned, uint)
EMULATION_VECTOR(long long, longlong)
EMULATION_VECTOR(float, float)
EMULATION_VECTOR(double, double)
struct int3 {
  int x, y, z;
};
static inline int3 make_int3(int x, int y, int z)
{
  return {x, y, z};
}
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
  return {x, y, z};
}

/* ---- barriers and warps: emulation.cpp ---- */

enum emulation_vote { EMULATION_OR, EMULATION_AND, EMULATION_COUNT };
EMULATION_HIDDEN int emulation_block_barrier(emulation_vote vote, bool predicate);
/* every lane of the mask gives a value and gets that of lane `source` */
EMULATION_HIDDEN unsigned long long emulation_exchange(unsigned mask, unsigned long long value,
                                                       unsigned source);
/* the lanes of the mask whose predicate holds */
EMULATION_HIDDEN unsigned emulation_ballot(unsigned mask, bool predicate);
/* of the values of all lanes of the mask */
EMULATION_HIDDEN unsigned emulation_sum(unsigned mask, unsigned value);
EMULATION_HIDDEN unsigned emulation_largest(unsigned mask, unsigned value);
EMULATION_HIDDEN unsigned emulation_lane();
EMULATION_HIDDEN unsigned emulation_active();
EMULATION_HIDDEN void emulation_pause();
EMULATION_HIDDEN long long emulation_clock();
/* a kernel's successors may start once each thread has called the first; the second may not follow it */
#define HYMGI_EMULATION
EMULATION_HIDDEN void emulation_lets_successors_start();
EMULATION_HIDDEN void emulation_before_successors();
/* the launch's dynamicSmemBytes, on 128 bytes: in place of extern __shared__ double name[] */
EMULATION_HIDDEN void *emulation_dynamic_shared();
/* that of a block of the cluster, which is the whole grid; and its barrier, for all their threads */
EMULATION_HIDDEN void *emulation_shared_of(unsigned block);
EMULATION_HIDDEN void emulation_meet_blocks();
#define HYMGI_DYNAMIC_SHARED(name)                                                                 \
  hymgi_real *const name = static_cast<hymgi_real *>(emulation_dynamic_shared())

EMULATION_FUNCTION(void, __syncthreads, (), (void)emulation_block_barrier(EMULATION_OR, false))
EMULATION_FUNCTION(int, __syncthreads_or, (int predicate),
                   emulation_block_barrier(EMULATION_OR, predicate != 0))
EMULATION_FUNCTION(int, __syncthreads_and, (int predicate),
                   emulation_block_barrier(EMULATION_AND, predicate != 0))
EMULATION_FUNCTION(int, __syncthreads_count, (int predicate),
                   emulation_block_barrier(EMULATION_COUNT, predicate != 0))
EMULATION_FUNCTION(void, __syncwarp, (unsigned mask = 0xffffffffu),
                   (void)emulation_ballot(mask, false))
EMULATION_FUNCTION(unsigned, __ballot_sync, (unsigned mask, int predicate),
                   emulation_ballot(mask, predicate != 0))
EMULATION_FUNCTION(int, __any_sync, (unsigned mask, int predicate),
                   emulation_ballot(mask, predicate != 0) != 0)
EMULATION_FUNCTION(int, __all_sync, (unsigned mask, int predicate),
                   emulation_ballot(mask, predicate == 0) == 0)
EMULATION_FUNCTION(unsigned, __activemask, (), emulation_active())

template <typename T> static inline T emulation_shuffle(unsigned mask, T value, unsigned source)
{
  static_assert(std::is_arithmetic_v<T> && sizeof(T) >= 4, "not a type that CUDA shuffles");
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  bits = emulation_exchange(mask, bits, source);
  memcpy(&value, &bits, sizeof value);
  return value;
}
/* a source outside this part of the warp is the lane itself */
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize)
{
  const unsigned low = emulation_lane() & ~(width - 1u);
  return emulation_shuffle(mask, value, low + (lane & (width - 1u)));
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize)
{
  const unsigned lane = emulation_lane(), source = lane ^ bits;
  return emulation_shuffle(mask, value,
                           (source | (width - 1u)) > (lane | (width - 1u)) ? lane : source);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize)
{
  const unsigned lane = emulation_lane();
  return emulation_shuffle(mask, value,
                           (lane & (width - 1u)) + delta < unsigned(width) ? lane + delta : lane);
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize)
{
  const unsigned lane = emulation_lane();
  return emulation_shuffle(mask, value, (lane & (width - 1u)) >= delta ? lane - delta : lane);
}
EMULATION_FUNCTION(unsigned, __reduce_max_sync, (unsigned mask, unsigned value),
                   emulation_largest(mask, value))
EMULATION_FUNCTION(unsigned, __reduce_add_sync, (unsigned mask, unsigned value),
                   emulation_sum(mask, value))

static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void cudaGridDependencySynchronize() {}
static inline void cudaTriggerProgrammaticLaunchCompletion() {}
EMULATION_FUNCTION(void, __nanosleep, (unsigned), emulation_pause())
static inline long long clock64()
{
  return emulation_clock();
}
EMULATION_FUNCTION(void, __trap, (), __builtin_trap())

/* ---- loads and stores ---- */

#define EMULATION_LOAD(name)                                                                       \
  template <typename T> static inline T name(const T *from)                                        \
  {                                                                                                \
    return *from;                                                                                  \
  }
EMULATION_LOAD(__ldg)
EMULATION_LOAD(__ldca)
EMULATION_LOAD(__ldcg)
EMULATION_LOAD(__ldcs)
EMULATION_LOAD(__ldlu)
EMULATION_LOAD(__ldcv)
#define EMULATION_STORE(name)                                                                      \
  template <typename T> static inline void name(T *to, std::common_type_t<T> value)                \
  {                                                                                                \
    *to = value;                                                                                   \
  }
EMULATION_STORE(__stwb)
EMULATION_STORE(__stcg)
EMULATION_STORE(__stcs)
EMULATION_STORE(__stwt)

/* ---- atomics, for the types that CUDA has them for ---- */

#define EMULATION_ATOMIC(name, type, expression)                                                   \
  static inline type name(type *at, type value)                                                    \
  {                                                                                                \
    const type old = *at;                                                                          \
    *at = expression;                                                                              \
    return old;                                                                                    \
  }                                                                                                \
  static inline type name##_system(type *at, type value)                                           \
  {                                                                                                \
    return name(at, value);                                                                        \
  }                                                                                                \
  static inline type name##_block(type *at, type value)                                            \
  {                                                                                                \
    return name(at, value);                                                                        \
  }
typedef unsigned long long emulation_ull;
#define EMULATION_ATOMIC_INTEGER(type)                                                             \
  EMULATION_ATOMIC(atomicAdd, type, old + value)                                                   \
  EMULATION_ATOMIC(atomicExch, type, value)                                                        \
  EMULATION_ATOMIC(atomicMin, type, value < old ? value : old)                                     \
  EMULATION_ATOMIC(atomicMax, type, value > old ? value : old)                                     \
  EMULATION_ATOMIC(atomicAnd, type, old &value)                                                    \
  EMULATION_ATOMIC(atomicOr, type, old | value)                                                    \
  EMULATION_ATOMIC(atomicXor, type, old ^ value)                                                   \
  static inline type atomicCAS(type *at, type expected, type value)                                \
  {                                                                                                \
    const type old = *at;                                                                          \
    *at = old == expected ? value : old;                                                           \
    return old;                                                                                    \
  }
EMULATION_ATOMIC_INTEGER(int)
EMULATION_ATOMIC_INTEGER(unsigned)
EMULATION_ATOMIC_INTEGER(emulation_ull)
EMULATION_ATOMIC(atomicAdd, float, old + value)
EMULATION_ATOMIC(atomicAdd, double, old + value)
EMULATION_ATOMIC(atomicExch, float, value)
EMULATION_ATOMIC(atomicMin, long long, value < old ? value : old)
EMULATION_ATOMIC(atomicMax, long long, value > old ? value : old)
EMULATION_ATOMIC(atomicSub, int, old - value)
EMULATION_ATOMIC(atomicSub, unsigned, old - value)
EMULATION_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
EMULATION_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

/* ---- arithmetic ---- */

#ifdef EMULATION_OVERLOADS
EMULATION_FUNCTION(float, fabs, (float x), __builtin_fabsf(x))
EMULATION_FUNCTION(float, sqrt, (float x), __builtin_sqrtf(x))
EMULATION_FUNCTION(float, fma, (float a, float b, float c), __builtin_fmaf(a, b, c))
#endif

template <typename To, typename From> static inline To emulation_bits(From from)
{
  static_assert(sizeof(To) == sizeof(From), "bits are as many on both sides");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
EMULATION_FUNCTION(long long, __double_as_longlong, (double x), emulation_bits<long long>(x))
EMULATION_FUNCTION(double, __longlong_as_double, (long long x), emulation_bits<double>(x))
EMULATION_FUNCTION(unsigned, __float_as_uint, (float x), emulation_bits<unsigned>(x))
EMULATION_FUNCTION(float, __uint_as_float, (unsigned x), emulation_bits<float>(x))
EMULATION_FUNCTION(int, __double2hiint, (double x), int(emulation_bits<long long>(x) >> 32))
EMULATION_FUNCTION(int, __double2loint, (double x), int(emulation_bits<long long>(x)))
EMULATION_FUNCTION(double, __hiloint2double, (int high, int low),
                   emulation_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low))
EMULATION_FUNCTION(long long, __double2ll_rn, (double x), llrint(x))
EMULATION_FUNCTION(long long, __double2ll_rz, (double x), (long long)x)
EMULATION_FUNCTION(double, __ll2double_rn, (long long x), double(x))
EMULATION_FUNCTION(double, __fma_rn, (double a, double b, double c), fma(a, b, c))
EMULATION_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
EMULATION_FUNCTION(double, __dsub_rn, (double a, double b), a - b)
EMULATION_FUNCTION(double, __dmul_rn, (double a, double b), a *b)
EMULATION_FUNCTION(double, __ddiv_rn, (double a, double b), a / b)
EMULATION_FUNCTION(double, __dsqrt_rn, (double a), sqrt(a))
EMULATION_FUNCTION(int, __popc, (unsigned x), __builtin_popcount(x))
EMULATION_FUNCTION(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
EMULATION_FUNCTION(int, __clz, (int x), x ? __builtin_clz(x) : 32)
EMULATION_FUNCTION(int, __clzll, (long long x), x ? __builtin_clzll(x) : 64)
EMULATION_FUNCTION(int, __ffs, (int x), __builtin_ffs(x))
EMULATION_FUNCTION(int, __ffsll, (long long x), __builtin_ffsll(x))

#define EMULATION_MIN_MAX(type)                                                                    \
  static inline type min(type a, type b)                                                           \
  {                                                                                                \
    return b < a ? b : a;                                                                          \
  }                                                                                                \
  static inline type max(type a, type b)                                                           \
  {                                                                                                \
    return b > a ? b : a;                                                                          \
  }
EMULATION_MIN_MAX(int)
EMULATION_MIN_MAX(unsigned)
EMULATION_MIN_MAX(long)
EMULATION_MIN_MAX(unsigned long)
EMULATION_MIN_MAX(long long)
EMULATION_MIN_MAX(unsigned long long)
EMULATION_FUNCTION(double, min, (double a, double b), fmin(a, b))
EMULATION_FUNCTION(double, max, (double a, double b), fmax(a, b))

/* ---- launches ---- */

/* The arguments of a launch. */
template <typename... P> struct emulation_arguments {
  template <typename Kernel, typename... Before>
  __forceinline__ void call(Kernel kernel, const Before &...before) const
  {
    kernel(before...);
  }
};
template <typename First, typename... Rest> struct emulation_arguments<First, Rest...> {
  First first;
  emulation_arguments<Rest...> rest;

  emulation_arguments(const First &one, const Rest &...others) : first(one), rest(others...) {}
  template <typename Kernel, typename... Before>
  __forceinline__ void call(Kernel kernel, const Before &...before) const
  {
    rest.call(kernel, before..., first);
  }
};
template <typename... P> struct emulation_call {
  void (*kernel)(P...);
  emulation_arguments<P...> arguments;

  static void thread(const void *call)
  {
    const emulation_call *const c = static_cast<const emulation_call *>(call);
    c->arguments.call(c->kernel);
  }
};
/* thread(call) runs the kernel once, as the thread that threadIdx and blockIdx name; the bytes of `call` are copied */
EMULATION_HIDDEN cudaError_t emulation_launch(const cudaLaunchConfig_t *config, const void *kernel,
                                              void (*thread)(const void *call), const void *call,
                                              size_t bytes);

template <typename... P, typename... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...),
                                             A &&...arguments)
{
  static_assert(sizeof...(P) == sizeof...(A), "as many arguments as parameters");
  static_assert((std::is_trivially_copyable_v<P> && ...), "a parameter is copied bytewise");
  static_assert((!std::is_reference_v<P> && ...), "a kernel has no references");
  static_assert((sizeof(P) + ... + 0) <= 32764, "the parameters of a kernel are too large");
  const emulation_call<P...> call = {kernel, {static_cast<P>(arguments)...}};
  return emulation_launch(config, reinterpret_cast<const void *>(kernel),
                          emulation_call<P...>::thread, &call, sizeof call);
}

template <typename... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute,
                                               int value)
{
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <typename... P>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                                void (*kernel)(P...))
{
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(P...),
                                                         const cudaLaunchConfig_t *config)
{
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void *>(kernel), config);
}
template <typename... P>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                        void (*kernel)(P...),
                                                                        int threads, size_t shared)
{
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void *>(kernel), threads, shared);
}
/* cudaMalloc(&doubles, n): any pointer's address, as in CUDA's own header */
#define EMULATION_ALLOCATE(name)                                                                   \
  template <typename T> static inline cudaError_t name(T **pointer, size_t bytes)                  \
  {                                                                                                \
    return name(reinterpret_cast<void **>(pointer), bytes);                                        \
  }
EMULATION_ALLOCATE(cudaMalloc)
EMULATION_ALLOCATE(cudaMallocHost)
template <typename T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                                            unsigned flags = cudaMemAttachGlobal)
{
  return cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <typename T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
  return cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}
template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
  return cudaMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}
template <typename T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags)
{
  return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}

#endif
