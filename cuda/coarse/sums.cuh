/* Maxima and exact sums over the threads that work on a level of the coarse end. */
#ifndef HYMGI_COARSE_SUMS_CUH
#define HYMGI_COARSE_SUMS_CUH

#include "coarse/coarse.cuh"

namespace
{

/* ---- in a warp ---- */

__device__ __forceinline__ unsigned long long warp_max(unsigned long long v)
{
  const unsigned high = (unsigned)(v >> 32), highest = __reduce_max_sync(~0u, high);
  const unsigned low = __reduce_max_sync(~0u, high == highest ? (unsigned)v : 0);
  return (unsigned long long)highest << 32 | low;
}

/* In three pieces, small enough that the sum of 32 does not overflow. */
__device__ __forceinline__ void warp_words(int64_t (&words)[HYMGI_SUM_WORDS])
{
#pragma unroll
  for (int m = 0; m < HYMGI_SUM_WORDS; m++) {
    const unsigned low = __reduce_add_sync(~0u, (unsigned)words[m] & 0xffffff);
    const unsigned middle = __reduce_add_sync(~0u, (unsigned)(words[m] >> 24) & 0xffffff);
    const int high = (int)__reduce_add_sync(~0u, (unsigned)(words[m] >> 48));
    words[m] = ((int64_t)high << 48) + ((int64_t)middle << 24) + low;
  }
}

/* The words of a single term are below 2^52: two pieces are enough. */
__device__ __forceinline__ void warp_term_words(int64_t (&words)[HYMGI_SUM_WORDS])
{
#pragma unroll
  for (int m = 0; m < HYMGI_SUM_WORDS; m++) {
    const unsigned low = __reduce_add_sync(~0u, (unsigned)words[m] & 0x7ffffff);
    const int high = (int)__reduce_add_sync(~0u, (unsigned)(words[m] >> 27));
    words[m] = ((int64_t)high << 27) + low;
  }
}

/* ---- in a team ---- */

__device__ __forceinline__ unsigned long long team_max(int team, unsigned long long mine)
{
  mine = warp_max(mine);
  if (team == COARSE_WARP) return mine;
  __syncthreads();
  if (thread_of() % COARSE_WARP == 0) shared.largest[thread_of() / COARSE_WARP] = mine;
  __syncthreads();
  return warp_max(shared.largest[thread_of() % COARSE_WARPS]);
}

__device__ __forceinline__ double value_of(unsigned long long bits)
{
  return __longlong_as_double((long long)bits);
}

/* Several sums at a time, as in level_ops.c: each thread contributes one term to each; the calling
 * team has TEAM threads. Only the exponent of the largest term is needed; a NaN or infinity makes
 * the sum NaN. */
template <int TEAM, int COUNT>
__device__ __forceinline__ void sums_of(int bits, const double (&term)[COUNT], double *sum)
{
  static_assert(COUNT * HYMGI_SUM_WORDS <= COARSE_WARP, "a lane writes a word");
  const int lane = thread_of() % COARSE_WARP, warp = thread_of() / COARSE_WARP;
  unsigned high[COUNT];
  int exponent[COUNT];
  int64_t words[COUNT][HYMGI_SUM_WORDS] = {};
#pragma unroll
  for (int m = 0; m < COUNT; m++)
    high[m] = __reduce_max_sync(~0u, (unsigned)(bits_of(term[m]) >> 32));
  if (TEAM != COARSE_WARP) {
    if (lane == 0)
#pragma unroll
      for (int m = 0; m < COUNT; m++)
        shared.high[m][warp] = high[m];
    __syncthreads();
#pragma unroll
    for (int m = 0; m < COUNT; m++)
      high[m] = __reduce_max_sync(~0u, shared.high[m][lane % COARSE_WARPS]);
  }
#pragma unroll
  for (int m = 0; m < COUNT; m++) {
    exponent[m] = hymgi_sum_exponent(value_of((unsigned long long)high[m] << 32), bits);
    const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent[m], bits);
    hymgi_sum_add(term[m], &scale, words[m]);
    warp_term_words(words[m]);
  }
  if (TEAM != COARSE_WARP) {
#pragma unroll
    for (int m = 0; m < COUNT * HYMGI_SUM_WORDS; m++)
      if (lane == m) shared.term_words[m][warp] = words[m / HYMGI_SUM_WORDS][m % HYMGI_SUM_WORDS];
    __syncthreads();
#pragma unroll
    for (int m = 0; m < COUNT * HYMGI_SUM_WORDS; m++)
      words[m / HYMGI_SUM_WORDS][m % HYMGI_SUM_WORDS] =
          lane < COARSE_WARPS ? shared.term_words[m][lane] : 0;
#pragma unroll
    for (int m = 0; m < COUNT; m++)
      warp_words(words[m]);
  }
#pragma unroll
  for (int m = 0; m < COUNT; m++) {
    const double value = hymgi_sum_value(words[m], exponent[m], bits);
    sum[m] = high[m] >> 20 == 0x7ff ? (double)NAN : value;
  }
}

} /* namespace */

#endif
