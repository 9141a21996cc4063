/* What kernels that march along an axis share: the window of their column in registers. FV2's
 * marches keep one plane on each side, those of benchmarks/stencils up to six. */
#ifndef HYMGI_DEVICE_ZMARCH_CUH
#define HYMGI_DEVICE_ZMARCH_CUH

#include <cuda_runtime.h>

namespace
{

/* The column around the plane of a step: it begins BELOW planes below; what arrives in this step is
 * ABOVE planes above. T: a value, or the adjacent values of a thread. */
template <typename T, int BELOW, int ABOVE> struct column_window {
  enum { SEEN = BELOW + ABOVE };
  T seen[SEEN];

  /* load(dk) for the planes before the first step's arrival */
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

/* Makes the compiler compute addresses anew in each plane: kept from plane to plane, as it would
 * have it, they take more registers than there are. */
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
