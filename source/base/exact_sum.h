/* Sums that have the same bits in any order of summation: the largest term fixes a scale, every
 * term is split into integers at that scale (HYMGI_SUM_WORDS of them, `bits` bits each), and
 * integer addition is exact. Shared by all backends. */
#ifndef HYMGI_BASE_EXACT_SUM_H
#define HYMGI_BASE_EXACT_SUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/geometry.h"

/* Words of a sum: `bits` bits each below the exponent of the largest term. With HYMGI_SUM_BEYOND they
 * are HYMGI_SUM_RESULT: that word counts the terms that are not below 2^exponent, which the sum lacks. */
enum { HYMGI_SUM_WORDS = 3, HYMGI_SUM_BEYOND = 3, HYMGI_SUM_RESULT = 4 };

/* 2^exponent, a normal number: -1022 <= exponent <= 1023 */
HYMGI_INLINE double hymgi_power_of_two(int exponent)
{
  const uint64_t word = (uint64_t)(exponent + 1023) << 52;
  double power;
  memcpy(&power, &word, sizeof power);
  return power;
}

/* The e of x = m 2^e with 1/2 <= m < 1, for a finite x > 0; -1022 if x is subnormal. */
HYMGI_INLINE int hymgi_exponent_above(double x)
{
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return (int)(word >> 52) - 1022;
}

/* Bits per word such that the sum of `terms` terms does not overflow. */
HYMGI_INLINE int hymgi_sum_bits(int64_t terms)
{
  int room;
  frexp((double)terms, &room);
  return 62 - room > 50 ? 50 : 62 - room;
}

/* The exponent above the largest term, raised where the scale would otherwise not be a normal
 * number. */
HYMGI_INLINE int hymgi_sum_exponent(double largest, int bits)
{
  const int exponent = hymgi_exponent_above(largest);
  return exponent - bits < -1000 ? bits - 1000 : exponent;
}

/* The factor for a term, and the factor for the remainder after each word; what terms are below. */
typedef struct hymgi_sum_scale {
  double up, step, limit;
} hymgi_sum_scale;

HYMGI_INLINE hymgi_sum_scale hymgi_sum_scale_of(int exponent, int bits)
{
  hymgi_sum_scale s;
  s.up = hymgi_power_of_two(bits - exponent);
  s.step = hymgi_power_of_two(bits);
  s.limit = exponent <= 1023 ? hymgi_power_of_two(exponent) : (double)INFINITY;
  return s;
}

/* 1.5 2^52 and its bits */
#define HYMGI_SUM_LIFT   0x1.8p52
#define HYMGI_SUM_LIFTED 0x4338000000000000

/* A term v with |v| < 2^exponent is 2^(exponent - bits) (w0 + 2^-bits (w1 + 2^-bits w2)); the
 * remainder is cut off. Adding 1.5 2^52 rounds to the nearest integer, which is then in the
 * lowest bits of the significand: exact arithmetic for each term. */
HYMGI_INLINE void hymgi_sum_add(double term, const hymgi_sum_scale *scale,
                                int64_t words[HYMGI_SUM_WORDS])
{
  double rest = term * scale->up;
  for (int m = 0; m < HYMGI_SUM_WORDS; m++) {
    const double lifted = rest + HYMGI_SUM_LIFT;
    int64_t word;
    memcpy(&word, &lifted, sizeof word);
    words[m] += word - HYMGI_SUM_LIFTED;
    rest = (rest - (lifted - HYMGI_SUM_LIFT)) * scale->step;
  }
}

/* Adds a term that may be too large for the scale, or not finite. */
HYMGI_INLINE void hymgi_sum_add_below(double term, const hymgi_sum_scale *scale,
                                      int64_t words[HYMGI_SUM_RESULT])
{
  const int fits = fabs(term) < scale->limit;
  words[HYMGI_SUM_BEYOND] += !fits;
  hymgi_sum_add(fits ? term : 0, scale, words);
}

HYMGI_INLINE double hymgi_sum_value(const int64_t words[HYMGI_SUM_WORDS], int exponent, int bits)
{
  const double down = hymgi_power_of_two(-bits);
  double sum = 0;
  for (int m = HYMGI_SUM_WORDS - 1; m >= 0; m--)
    sum = sum * down + (double)words[m];
  return sum * hymgi_power_of_two(exponent - bits);
}

#endif
