/* Sums that have the same bits in any order: the largest term fixes a scale, every term becomes
 * integers at that scale (HYMGI_SUM_WORDS of them, `bits` bits each), and integers add up the same
 * in any order. Shared with every backend. */
#ifndef HYMGI_BASE_EXACT_SUM_H
#define HYMGI_BASE_EXACT_SUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/geometry.h"

/* A sum as integers: words of `bits` bits each below the exponent of the largest term, so that
 * any order gives the same. */
enum { HYMGI_SUM_WORDS = 3 };

/* 2^exponent, a normal number: -1022 <= exponent <= 1023 */
HYMGI_INLINE double hymgi_power_of_two(int exponent)
{
  const uint64_t word = (uint64_t)(exponent + 1023) << 52;
  double power;
  memcpy(&power, &word, sizeof power);
  return power;
}

/* e of x = m 2^e, 1/2 <= m < 1, for a finite x > 0; -1022 where that is no normal number */
HYMGI_INLINE int hymgi_exponent_above(double x)
{
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return (int)(word >> 52) - 1022;
}

/* Bits of a word that leave room for the sum of `terms` terms. */
HYMGI_INLINE int hymgi_sum_bits(int64_t terms)
{
  int room;
  frexp((double)terms, &room);
  return 62 - room > 50 ? 50 : 62 - room;
}

/* The exponent above the largest term; the scale it gives must stay a normal number. */
HYMGI_INLINE int hymgi_sum_exponent(double largest, int bits)
{
  const int exponent = hymgi_exponent_above(largest);
  return exponent - bits < -1000 ? bits - 1000 : exponent;
}

/* What a term is multiplied with, and the rest after each word. */
typedef struct hymgi_sum_scale {
  double up, step;
} hymgi_sum_scale;

HYMGI_INLINE hymgi_sum_scale hymgi_sum_scale_of(int exponent, int bits)
{
  hymgi_sum_scale s;
  s.up = hymgi_power_of_two(bits - exponent);
  s.step = hymgi_power_of_two(bits);
  return s;
}

/* A term v, |v| < 2^exponent, is 2^(exponent - bits) (w0 + 2^-bits (w1 + 2^-bits w2)), the rest
 * cut. Adding 1.5 2^52 rounds to the nearest integer, which then stands in the last bits: exact
 * arithmetic on each term alone. */
HYMGI_INLINE void hymgi_sum_add(double term, const hymgi_sum_scale *scale,
                                int64_t words[HYMGI_SUM_WORDS])
{
  double rest = term * scale->up;
  for (int m = 0; m < HYMGI_SUM_WORDS; m++) {
    const double lifted = rest + 0x1.8p52;
    int64_t word;
    memcpy(&word, &lifted, sizeof word);
    words[m] += word - 0x4338000000000000; /* 1.5 2^52 */
    rest = (rest - (lifted - 0x1.8p52)) * scale->step;
  }
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
