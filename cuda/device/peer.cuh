/* Communication between kernels of two GPUs in memory that both map: words with acquire-release
 * order, values that signal their own arrival (LL protocol), timeouts. */
#ifndef HYMGI_DEVICE_PEER_CUH
#define HYMGI_DEVICE_PEER_CUH

#include "device/stencil_access.cuh"

#ifndef __CUDACC__
#include "device/peer_emulation.h"
#else

namespace
{

__device__ __forceinline__ unsigned long long load_acquire(const unsigned long long *word)
{
  unsigned long long value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ __forceinline__ void store_release(unsigned long long *word, unsigned long long value)
{
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ __forceinline__ unsigned long long nanoseconds()
{
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/* Of values that signal their own arrival. */
__device__ __forceinline__ void send_bits(double *to, unsigned long long bits)
{
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
}

__device__ __forceinline__ unsigned long long load_bits(const double *at)
{
  unsigned long long bits;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(bits) : "l"(at) : "memory");
  return bits;
}

constexpr int EAGER_TRIES = 256;

} /* namespace */

#endif

namespace
{

/* ---- words that two GPUs share ---- */

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
  return *(const volatile unsigned long long *)word;
}

__device__ __forceinline__ bool is_first_thread()
{
  return threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0;
}

/* ---- waiting ---- */

struct peer_wait {
  unsigned long long *aborted, *waited; /* waited: rank + 1 for the host */
  unsigned long long timeout;           /* nanoseconds */
};

inline peer_wait wait_of(const hymg_context *context, const hymgi_plan *plan)
{
  return {plan->peers->aborted, context->gpu->waited,
          (unsigned long long)(1e9 * plan->peers->timeout)};
}

/* Has a GPU aborted? This one does when its timeout has passed. */
__device__ __forceinline__ bool should_abort(const peer_wait &a, int rank, unsigned long long start)
{
  if (load_acquire(a.aborted) != 0) return true;
  if (nanoseconds() - start <= a.timeout) return false;
  store_release(a.waited, (unsigned long long)rank + 1);
  store_release(a.aborted, 1);
  return true;
}

/* The offset of the version of a message that an exchange uses. */
__device__ __forceinline__ ptrdiff_t version_at(unsigned long long exchange, ptrdiff_t version)
{
  return (ptrdiff_t)(exchange % HYMGI_PEER_VERSIONS) * version;
}

/* Called by all threads of a sending kernel, after its wait and before its successors start.
 * Returns the number of the exchange, one more than the last, and passes it to the receiving kernel
 * (others), which may then start. */
__device__ __forceinline__ unsigned long long begin_exchange(const unsigned long long *exchanges,
                                                             unsigned long long *others)
{
#ifdef HYMGI_EMULATION
  emulation_before_successors();
#endif
  const unsigned long long exchange = read_word(exchanges) + 1;
  if (is_first_thread()) {
    *(volatile unsigned long long *)others = exchange;
    __threadfence();
  }
  __syncthreads();
  return exchange;
}

/* Called by all threads of a receiving kernel at its end: tells the sending one of its number. */
__device__ __forceinline__ void end_exchange(unsigned long long *others,
                                             unsigned long long exchange)
{
  wait_for_predecessors();
  if (is_first_thread()) *(volatile unsigned long long *)others = exchange;
}

/* ---- values that two GPUs share ---- */

constexpr unsigned long long EMPTY_BITS = ~0ull;

/* A value with exactly these bits is sent as another NaN. */
__device__ __forceinline__ void send_value(double *to, double value)
{
  unsigned long long bits = (unsigned long long)__double_as_longlong(value);
  if (bits == EMPTY_BITS) bits ^= 1;
  send_bits(to, bits);
}

__device__ __noinline__ unsigned long long wait_for_value(const peer_wait &a, int rank,
                                                          const double *at)
{
  const unsigned long long start = nanoseconds();
  unsigned long long bits = load_bits(at);
  while (bits == EMPTY_BITS && !should_abort(a, rank, start)) {
    __nanosleep(20);
    bits = load_bits(at);
  }
  return bits;
}

__device__ __forceinline__ double receive_value(const peer_wait &a, int rank, double *at)
{
  unsigned long long bits = load_bits(at);
  for (int m = 0; bits == EMPTY_BITS && m < EAGER_TRIES; m++)
    bits = load_bits(at);
  if (bits == EMPTY_BITS) bits = wait_for_value(a, rank, at);
  *at = __longlong_as_double((long long)EMPTY_BITS);
  return __longlong_as_double((long long)bits);
}

} /* namespace */

#endif
