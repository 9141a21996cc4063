/* Fields of floats in both memories, their own and over arrays there, for a solver on the GPU and for one on the host: the bits
 * that fields of doubles have. */
#include "support/floats.h"
#include "support/gpu.h"
#include "support/twin.h"

/* Arrays have room for an even number of floats. */
static size_t doubles_of(size_t count)
{
  return (count + 1) / 2;
}

static float *alloc(size_t count)
{
  return (float *)support_gpu_alloc(doubles_of(count));
}

static void release(float *data)
{
  support_gpu_free((double *)data);
}

static void copy(float *to, const float *from, size_t count)
{
  support_gpu_copy((double *)to, (const double *)from, doubles_of(count));
}

static const floats_device device = {alloc, release, copy};

START_TEST(problems_have_the_same_bits)
{
  const int m = _i % FLOATS_CASES;
  const floats_where w = {
      .layout = {.threads = 1}, .device = &device, .variant = _i, .host = _i / FLOATS_CASES == 2};
  if (m == FLOATS_CASES - 1 && twin_emulated()) return;
  floats_check_solves(&w, m);
  floats_check_operations(&w, m);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("floats on the GPU");
  TCase *t = tcase_create("floats");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, problems_have_the_same_bits, 0, 3 * FLOATS_CASES);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
