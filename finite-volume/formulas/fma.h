/* Fused multiply-adds are written explicitly so that every machine that has them gives the same
 * bits: compile with -ffp-contract=off (nvcc: --fmad=false). */
#ifndef HYMGI_FORMULAS_FMA_H
#define HYMGI_FORMULAS_FMA_H

#include <math.h>

#include "base/geometry.h"
#include "base/real.h"

/* a b + c */
HYMGI_INLINE double hymgi_fma_double(double a, double b, double c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* The same for a level's numbers, and |x|. */
#ifdef HYMGI_SINGLE
HYMGI_INLINE hymgi_real hymgi_fma(hymgi_real a, hymgi_real b, hymgi_real c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
HYMGI_INLINE hymgi_real hymgi_abs(hymgi_real x)
{
  return fabsf(x);
}
#else
HYMGI_INLINE hymgi_real hymgi_fma(hymgi_real a, hymgi_real b, hymgi_real c)
{
  return hymgi_fma_double(a, b, c);
}
HYMGI_INLINE hymgi_real hymgi_abs(hymgi_real x)
{
  return fabs(x);
}
#endif

#endif
