/* What kernels share that march along an axis: what they have seen of their column in registers,
 * and the order of a step. FV2's smoothers on plain rows use it for one plane around, the finite-
 * difference family of benchmarks/stencils for up to six, with several points a thread. */
#ifndef HYMGI_DEVICE_ZMARCH_CUH
#define HYMGI_DEVICE_ZMARCH_CUH

#include <cuda_runtime.h>

namespace
{

/* The column around the plane of a step: from BELOW planes below on, what arrives in this step is
 * ABOVE planes above. T: a value, or those that a thread has side by side. */
template <typename T, int BELOW, int ABOVE> struct column_window {
  enum { SEEN = BELOW + ABOVE };
  T seen[SEEN];

  /* load(dk) for the planes that a first step has seen */
  template <typename Load> __device__ __forceinline__ void fill(const Load &load)
  {
#pragma unroll
    for (int k = 0; k < SEEN; k++)
      seen[k] = load(k - BELOW);
  }
  /* -BELOW <= dk <= ABOVE */
  __device__ __forceinline__ const T &at(int dk, const T &arrived) const
  {
    return dk == ABOVE ? arrived : seen[dk + BELOW];
  }
  __device__ __forceinline__ const T &at(int dk) const
  {
    return seen[dk + BELOW];
  }
  __device__ __forceinline__ void shift(const T &arrived)
  {
#pragma unroll
    for (int k = 0; k < SEEN - 1; k++)
      seen[k] = seen[k + 1];
    seen[SEEN - 1] = arrived;
  }
};

/* Addresses are worked out anew in each plane: kept from plane to plane, as the compiler has it,
 * they take more registers than there are. */
template <typename Offset> __device__ __forceinline__ void forget_addresses(Offset *from)
{
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(*from));
#else
  (void)from;
#endif
}

} /* namespace */

#endif
