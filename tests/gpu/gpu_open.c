/* Open boundaries on the GPU: the host's bits, of values and solutions, for one right-hand side after the other, so that
 * recorded cycles are replayed with other values. */
#include "support/space.h"

#include <stdlib.h>

typedef struct setting {
  int n[3];
  hymg_method method;
  hymg_path path;
  bool parabola, widths;
  int boxes[3];
} setting;

static const setting settings[] = {
    {{16, 16, 16}, HYMG_FMG, HYMG_PATH_STANDARD, true, false, {1, 1, 1}},
    {{32, 32, 32}, HYMG_MG, HYMG_PATH_STANDARD, true, false, {1, 1, 1}},
    {{16, 32, 16}, HYMG_MG, HYMG_PATH_STANDARD, false, false, {2, 2, 1}},
    {{9, 7, 13}, HYMG_MG, HYMG_PATH_STANDARD, true, false, {1, 1, 1}},
    {{12, 16, 9}, HYMG_MG, HYMG_PATH_ROBUST, true, false, {1, 1, 1}},
    {{12, 8, 10}, HYMG_MGPCG, HYMG_PATH_ROBUST, false, true, {1, 2, 1}},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double *next(support_kit *k, const double *f, bool residual)
{
  hymg_field *rhs = support_field(k, 0, f), *u = support_field(k, 0, f);
  hymg_result result;
  if (residual)
    OK(k->context, hymg_residual(k->solver, 0, rhs, u, u));
  else
    OK(k->context, hymg_solve(k->solver, rhs, u, &result));
  double *got = support_read(k, 0, u);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  return got;
}

START_TEST(the_gpu_has_the_bits_of_the_host)
{
  const setting *s = settings + _i % SETTINGS;
  const size_t cells = (size_t)s->n[0] * (size_t)(s->n[1] * s->n[2]);
  double *wide = support_random(32, 0.5, 2, 9);
  support_case c = support_space_case(s->n);
  if (_i / SETTINGS) support_space_kind(&c, HYMG_OPEN_JAMES);
  c.spec.extrapolation = s->parabola ? HYMG_EXTRAPOLATION_QUADRATIC : HYMG_EXTRAPOLATION_LINEAR;
  support_kit k[2];
  for (int m = 0; m < 2; m++) {
    support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
    hymg_options o = hymg_options_default();
    o.method = s->method, o.path = s->path;
    o.backend = m ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST;
    if (m) o.host_cells = 0; /* the coarse end as it is chosen */
    for (int axis = 0; axis < 3; axis++) {
      if (m) layout.boxes[axis] = s->boxes[axis];
      if (s->widths) layout.widths[axis] = wide + axis;
    }
    ck_assert(support_open_as(&c.spec, &layout, &o, k + m));
  }
  for (unsigned seed = support_small() ? 2 : 0; seed < 5; seed++) {
    double *f = support_random(cells, seed % 2 ? 0 : -1, seed + 1, seed);
    double *want = next(k, f, seed == 3), *got = next(k + 1, f, seed == 3);
    ck_assert_msg(support_same_bits(cells, got, want), "setting %d, right-hand side %u", _i, seed);
    free(f), free(want), free(got);
  }
  for (int m = 0; m < 2; m++)
    support_close(k + m);
  support_case_free(&c);
  free(wide);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("open boundaries on the GPU");
  TCase *t = tcase_create("open boundaries on the GPU");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, the_gpu_has_the_bits_of_the_host, 0, 2 * SETTINGS);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
