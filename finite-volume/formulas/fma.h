/* Fused multiply-adds are written explicitly so that every machine that has them gives the same
 * bits: compile with -ffp-contract=off (nvcc: --fmad=false). */
#ifndef HYMGI_FORMULAS_FMA_H
#define HYMGI_FORMULAS_FMA_H

#include <math.h>

#include "base/geometry.h"

/* a b + c */
HYMGI_INLINE double hymgi_fma(double a, double b, double c)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

#endif
