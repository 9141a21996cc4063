/* Division by diagonals that are known early: bitwise the result of a division, but without its
 * branches and with a short dependency chain from numerator to quotient. A thread does adjacent
 * cells, whose chains overlap. */
#ifndef HYMGI_DEVICE_FAST_DIVISION_CUH
#define HYMGI_DEVICE_FAST_DIVISION_CUH

#include <math.h>

#include "device/real.cuh"

extern "C" {
#include "formulas/fast_division.h"
}

namespace
{

template <int CELLS> struct cells {
  hymgi_real at[CELLS];
};

template <int CELLS> __device__ __forceinline__ cells<CELLS> load_cells(const hymgi_real *from)
{
  cells<CELLS> c;
  if (CELLS == 2) {
    const real2 v = *reinterpret_cast<const real2 *>(from);
    c.at[0] = v.x, c.at[CELLS - 1] = v.y;
  } else {
    c.at[0] = *from;
  }
  return c;
}

template <int CELLS>
__device__ __forceinline__ void store_cells(hymgi_real *to, const cells<CELLS> &c)
{
  if (CELLS == 2)
    *reinterpret_cast<real2 *>(to) = make_real2(c.at[0], c.at[CELLS - 1]);
  else
    *to = c.at[0];
}

/* 1/value as a division rounds it, except where all bits of the value's significand are ones
 * (Markstein 1990). */
__device__ __forceinline__ double inverse_of(double value)
{
#if defined(__CUDA_ARCH__)
  double guess;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(value));
  double miss = fma(-value, guess, 1.);
  const double near = fma(guess, fma(miss, miss, miss), guess);
  return fma(near, fma(-value, near, 1.), near);
#else
  return 1 / value;
#endif
}

/* 2^-POWER <= |x| < 2^POWER */
template <int POWER> __device__ __forceinline__ bool moderate(double x)
{
  const unsigned exponent = (unsigned)__double2hiint(x) >> 20 & 0x7ff;
  return exponent - (1023 - POWER) < 2 * POWER;
}

/* A thread's divisors, for both sweeps; finite-volume/formulas/fast_division.h says why these
 * quotients are those of a division. Without branches, so that the chains of the cells overlap. In
 * single precision a division is short, and nothing is prepared for it. */
template <int CELLS> struct divisors {
  cells<CELLS> value, inverse;
  bool plain;

  __device__ __forceinline__ void take(const cells<CELLS> &from)
  {
    value = from;
    plain = !SINGLE;
    if constexpr (!SINGLE) prepare();
  }
  __device__ __forceinline__ void prepare()
  {
#pragma unroll
    for (int u = 0; u < CELLS; u++) {
      inverse.at[u] = (hymgi_real)inverse_of(value.at[u]);
      plain =
          plain && moderate<HYMGI_DIVISOR_POWER>(value.at[u]) && __double2loint(value.at[u]) != -1;
    }
  }
  /* asked: are the quotients used? */
  __device__ __forceinline__ cells<CELLS> quotients(const cells<CELLS> &a, bool asked) const
  {
    cells<CELLS> q = {};
    bool quick = plain;
    if constexpr (!SINGLE)
#pragma unroll
      for (int u = 0; u < CELLS; u++) {
        q.at[u] = hymgi_corrected_quotient(a.at[u], value.at[u], inverse.at[u]);
        quick = quick && moderate<HYMGI_DIVIDEND_POWER>(a.at[u]);
      }
    if (!quick && asked)
#pragma unroll
      for (int u = 0; u < CELLS; u++)
        q.at[u] = a.at[u] / value.at[u];
    return q;
  }
};

} /* namespace */

#endif
