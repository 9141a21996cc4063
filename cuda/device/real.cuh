/* Vectors and literals of hymgi_real. */
#ifndef HYMGI_DEVICE_REAL_CUH
#define HYMGI_DEVICE_REAL_CUH

#include <cuda_runtime.h>

#include <type_traits>

#include "base/real.h"

namespace
{

constexpr bool SINGLE = sizeof(hymgi_real) == sizeof(float);

typedef std::conditional_t<SINGLE, float2, double2> real2;

__device__ __forceinline__ real2 make_real2(hymgi_real x, hymgi_real y)
{
  real2 v;
  v.x = x, v.y = y;
  return v;
}

} /* namespace */

#endif
