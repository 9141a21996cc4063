/* Repeated division by the same divisor: a few multiplications each, with the bits of a division.
 * */
#ifndef HYMGI_FORMULAS_FAST_DIVISION_H
#define HYMGI_FORMULAS_FAST_DIVISION_H

#include <stdbool.h>

#include "formulas/fma.h"

/* No residual underflows or overflows if the magnitudes of divisor and dividend are between
 * 2^-POWER and 2^POWER. */
#define HYMGI_DIVISOR_POWER            200
#define HYMGI_DIVIDEND_POWER           700
#define HYMGI_IS_BETWEEN(x, power)     HYMGI_IS_BETWEEN_IT(x, power)
#define HYMGI_IS_BETWEEN_IT(x, digits) (fabs(x) > 0x1p-##digits && fabs(x) < 0x1p##digits)

typedef struct hymgi_divisor {
  double value, inverse;
  bool plain; /* neither tiny nor huge */
} hymgi_divisor;

HYMGI_INLINE hymgi_divisor hymgi_divisor_of(double value)
{
  hymgi_divisor d;
  d.value = value;
  d.inverse = 1 / value;
  d.plain = HYMGI_IS_BETWEEN(value, HYMGI_DIVISOR_POWER);
  return d;
}

/* a / value from the correctly rounded inverse: the first correction gives a quotient within one
 * unit in the last place, the second the nearest one (Markstein 1990), as long as no residual
 * underflows. */
HYMGI_INLINE double hymgi_corrected_quotient(double a, double value, double inverse)
{
  const double guess = a * inverse, near = fma(fma(-guess, value, a), inverse, guess);
  return fma(fma(-near, value, a), inverse, near);
}

/* a / d; a true division where a residual could underflow or there is no fused multiply-add */
HYMGI_INLINE double hymgi_quotient(double a, const hymgi_divisor *d)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__CUDA_ARCH__)
  if (d->plain && HYMGI_IS_BETWEEN(a, HYMGI_DIVIDEND_POWER))
    return hymgi_corrected_quotient(a, d->value, d->inverse);
#endif
  return a / d->value;
}

#endif
