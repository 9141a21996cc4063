/* Quotients by a kept divisor have the bits of a division, whatever the operands. */
#include <string.h>

#include "formulas/fast_division.h"
#include "support/support.h"

static int pairs(void)
{
  return support_small() ? 100000 : 400000;
}

static uint64_t bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t next_word(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void assert_quotient(double a, double b)
{
  const hymgi_divisor d = hymgi_divisor_of(b);
  const double got = hymgi_quotient(a, &d), want = a / b;
  if (bits_of(got) != bits_of(want) && !(isnan(got) && isnan(want)))
    ck_abort_msg("%a / %a: %a, not %a", a, b, got, want); /* an assertion each would be slow */
}

START_TEST(any_operands)
{
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (int m = 0, count = pairs(); m < count; m++) {
    const double a = of_bits(next_word(&state));
    assert_quotient(a, of_bits(next_word(&state)));
  }
}
END_TEST

/* Those of a solve: close to one another, with few bits set, or next to a power of two. */
START_TEST(operands_of_like_size)
{
  uint64_t state = 0x2545f4914f6cdd1du;
  for (int m = 0, count = pairs(); m < count; m++) {
    uint64_t a = 0x3ff0000000000000u | next_word(&state) >> 12;
    uint64_t b = 0x3ff0000000000000u | next_word(&state) >> 12;
    if (m % 4 == 1) b = 0x3ff0000000000000u + next_word(&state) % 64;
    if (m % 4 == 2) b = 0x3fffffffffffffffu - next_word(&state) % 64;
    if (m % 4 == 3) a = b + next_word(&state) % 64, b &= ~0xffffffffu;
    assert_quotient(ldexp(of_bits(a), (int)(next_word(&state) % 80) - 40), of_bits(b));
  }
}
END_TEST

START_TEST(special_operands)
{
  const double value[] = {0.0,       -0.0,    1,         -3,        INFINITY,
                          -INFINITY, NAN,     0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
                          0x1p-700,  0x1p700, 0x1p-200,  0x1p200,   -0x1p-201};
  const size_t count = sizeof value / sizeof *value;
  for (size_t i = 0; i < count * count; i++)
    assert_quotient(value[i / count], value[i % count]);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("quotients");
  TCase *t = tcase_create("bits");
  tcase_add_test(t, any_operands);
  tcase_add_test(t, operands_of_like_size);
  tcase_add_test(t, special_operands);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
