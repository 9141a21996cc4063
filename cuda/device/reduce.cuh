/* Reductions: every block combines its words with those in device memory; the last one to finish
 * writes the totals where the host reads them and leaves zeros behind. Maxima are kept as the bits
 * of absolute values, which are ordered as unsigned integers, NaN above all. */
#ifndef HYMGI_DEVICE_REDUCE_CUH
#define HYMGI_DEVICE_REDUCE_CUH

#include <string.h>

#include "device/stencil_access.cuh"

namespace
{

enum { REDUCE_THREADS = 256, REDUCE_WARP = 32, REDUCE_WARPS = 16 };

__device__ __forceinline__ unsigned long long bits_of(double x)
{
  return (unsigned long long)__double_as_longlong(fabs(x));
}

__device__ __forceinline__ unsigned long long larger(unsigned long long a, unsigned long long b)
{
  return a > b ? a : b;
}

/* SUM, or the larger one. */
template <bool SUM>
__device__ __forceinline__ unsigned long long join(unsigned long long a, unsigned long long b)
{
  return SUM ? a + b : larger(a, b);
}

/* Called by all threads of a block with their words, which are overwritten. A block of any shape
 * that is made of whole warps, REDUCE_WARPS at most. */
template <bool SUM, int WORDS>
__device__ __forceinline__ void reduce_words(const hymgi_reduction &r,
                                             unsigned long long (&mine)[WORDS])
{
  static_assert(WORDS <= HYMGI_RESULT_WORDS, "more words than a result has");
  __shared__ unsigned long long part[REDUCE_WARPS][WORDS];
  const int id = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  const int warps = (int)(blockDim.x * blockDim.y * blockDim.z) / REDUCE_WARP;
  for (int m = 0; m < WORDS; m++) {
    for (int step = REDUCE_WARP / 2; step > 0; step /= 2)
      mine[m] = join<SUM>(mine[m], __shfl_down_sync(0xffffffffu, mine[m], step));
    if (id % REDUCE_WARP == 0) part[id / REDUCE_WARP][m] = mine[m];
  }
  __syncthreads();
  if (id != 0) return;
  for (int m = 0; m < WORDS; m++) {
    for (int w = 1; w < warps; w++)
      mine[m] = join<SUM>(mine[m], part[w][m]);
    if (SUM)
      atomicAdd(r.words + m, mine[m]);
    else
      atomicMax(r.words + m, mine[m]);
  }
  __threadfence();
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  if (atomicAdd(r.finished, 1u) != blocks - 1) return;
  __threadfence();
  for (int m = 0; m < WORDS; m++)
    r.result[m] = atomicExch(r.words + m, 0ull);
  *r.finished = 0;
  __threadfence_system();
}

__device__ __forceinline__ void reduce_max(const hymgi_reduction &r, unsigned long long mine)
{
  unsigned long long words[1] = {mine};
  reduce_words<false>(r, words);
}

/* Signed integers, added as two's complement. */
template <int WORDS>
__device__ __forceinline__ void reduce_sum(const hymgi_reduction &r, const int64_t (&mine)[WORDS])
{
  unsigned long long words[WORDS];
  for (int m = 0; m < WORDS; m++)
    words[m] = (unsigned long long)mine[m];
  reduce_words<true>(r, words);
}

/* Waits for the reduction queued last: its maximum; 0 after a failure. */
inline double reduced_max(hymg_context *context)
{
  unsigned long long bits;
  double max = 0;
  if (hymgi_device_result(context, 1, &bits) && bits != HYMGI_NO_RESULT)
    memcpy(&max, &bits, sizeof max);
  return max != max ? (double)NAN : max;
}

/* While one lives, reductions leave their results in a slot of hymgi_later. */
class result_slot
{
public:
  result_slot(hymg_context *context, int slot, bool queues = true)
      : device(context->gpu), before(context->gpu->reduction.result)
  {
    device->reduction.result += (1 + slot) * HYMGI_RESULT_WORDS;
    if (queues && device->unread[1 + slot] < 2) device->unread[1 + slot]++;
  }
  ~result_slot()
  {
    device->reduction.result = before;
  }

private:
  hymgi_device *device;
  unsigned long long *before;
};

} /* namespace */

#endif
