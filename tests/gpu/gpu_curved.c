/* Curved grids on the GPU have the bits of the host. */
#include "support/curved.h"
#include "support/twin.h"

START_TEST(the_gpu_has_the_bits_of_the_host)
{
  double *widths[3];
  curved_grid g;
  support_case c = curved_some(_i, &g, widths);
  support_layout layout = curved_layout(&g, widths);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST, o.backend = HYMG_BACKEND_HOST;
  o.precision = _i == CURVED_SOME - 1 ? HYMG_MIXED : HYMG_DOUBLE;
  curved_answer want = curved_run(&g, &c, &layout, &o);
  o.backend = HYMG_BACKEND_CUDA;
  curved_answer got = curved_run(&g, &c, &layout, &o);
  const char *unlike = curved_unlike(&got, &want);
  ck_assert_msg(!unlike, "%s: %s has other bits", g.c->name, unlike);
  curved_answer_free(&got);
  curved_answer_free(&want);
  curved_some_free(&c, &g, widths);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("curved on a GPU");
  TCase *t = tcase_create("curved on a GPU");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, the_gpu_has_the_bits_of_the_host, 0, CURVED_SOME);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
