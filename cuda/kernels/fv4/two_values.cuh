/* The arithmetic of FV4's formulas for two adjacent slots at once. */
#ifndef HYMGI_KERNELS_FV4_TWO_VALUES_CUH
#define HYMGI_KERNELS_FV4_TWO_VALUES_CUH

#include "device/fast_division.cuh"

extern "C" {
#include "formulas/relax.h"
}

namespace
{

/* beside those of this namespace */
using ::hymgi_fma;
using ::hymgi_relax;

__device__ __forceinline__ cells<2> operator+(const cells<2> &a, const cells<2> &b)
{
  return {{a.at[0] + b.at[0], a.at[1] + b.at[1]}};
}
__device__ __forceinline__ cells<2> operator-(const cells<2> &a, const cells<2> &b)
{
  return {{a.at[0] - b.at[0], a.at[1] - b.at[1]}};
}
__device__ __forceinline__ cells<2> operator-(const cells<2> &a)
{
  return {{-a.at[0], -a.at[1]}};
}
__device__ __forceinline__ cells<2> operator*(const cells<2> &a, const cells<2> &b)
{
  return {{a.at[0] * b.at[0], a.at[1] * b.at[1]}};
}
__device__ __forceinline__ cells<2> operator*(hymgi_real a, const cells<2> &b)
{
  return {{a * b.at[0], a * b.at[1]}};
}
__device__ __forceinline__ cells<2> hymgi_fma(const cells<2> &a, const cells<2> &b,
                                              const cells<2> &c)
{
  return {{hymgi_fma(a.at[0], b.at[0], c.at[0]), hymgi_fma(a.at[1], b.at[1], c.at[1])}};
}
__device__ __forceinline__ cells<2> hymgi_fma(hymgi_real a, const cells<2> &b, const cells<2> &c)
{
  return {{hymgi_fma(a, b.at[0], c.at[0]), hymgi_fma(a, b.at[1], c.at[1])}};
}
__device__ __forceinline__ cells<2> hymgi_relax(const cells<2> &x, const cells<2> &weight,
                                                const cells<2> &step)
{
  return hymgi_fma(weight, step, x);
}

} /* namespace */

#endif
