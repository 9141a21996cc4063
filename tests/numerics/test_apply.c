/* y = A x and r = f - A u on every level against the oracle: both stencils, all boundary mixes, odd
 * shapes, one and several boxes, random coefficients. Outputs are poisoned before. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Both sides sum at most 40 terms of like size in another order: 40 ulp of the largest entry is
 * 1e-14; on rows whose terms cancel the entry is not the largest. */
static const double tolerance = 2e-13;

static void check_level(const support_case *c, oracle *o, support_kit *k, int level)
{
  size_t cells;
  int n[3];
  char where[260];
  support_cells(k, level, n, &cells);
  ck_assert_uint_eq(cells, o->level[level].cells);
  snprintf(where, sizeof where, "%s level %d", c->name, level);
  double *x = support_random(cells, -1.0, 1.0, 1), *f = support_random(cells, -1.0, 1.0, 2);
  double *want = support_poison(cells), *poison = support_poison(cells);
  hymg_field *xf = support_field(k, level, x), *ff = support_field(k, level, f),
             *y = support_field(k, level, poison);
  OK(k->context, hymg_apply(k->solver, level, xf, y));
  double *got = support_read(k, level, y);
  oracle_apply(o, level, x, want);
  support_assert_close("apply", where, cells, got, want, tolerance);
  free(got);
  OK(k->context, hymg_field_fill(y, NAN));
  OK(k->context, hymg_residual(k->solver, level, ff, xf, y));
  got = support_read(k, level, y);
  oracle_residual(o, level, f, x, want);
  support_assert_close("residual", where, cells, got, want, tolerance);
  hymg_field_destroy(&xf);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&y);
  free(x);
  free(f);
  free(got);
  free(want);
  free(poison);
}

static void check_case(support_case *c, const support_layout *layout)
{
  oracle *o = oracle_create(&c->spec);
  support_kit k = support_open(&c->spec, layout, NULL);
  ck_assert_msg(hymg_solver_num_levels(k.solver) == o->levels, "%s: %d levels, not %d", c->name,
                hymg_solver_num_levels(k.solver), o->levels);
  for (int l = 0; l < o->levels; l++)
    check_level(c, o, &k, l);
  support_close(&k);
  oracle_destroy(o);
  support_case_free(c);
}

static const char *const axis_kinds[5] = {"dd", "pp", "dn", "nd", "nn"};

/* One of the 125 mixes of the axes' kinds; FV4 knows the first two kinds alone. */
static void boundary_of(int mix, int kinds, char text[9])
{
  snprintf(text, 9, "%s %s %s", axis_kinds[mix % kinds], axis_kinds[mix / kinds % kinds],
           axis_kinds[mix / kinds / kinds]);
}

START_TEST(fv2_is_right_under_all_boundary_mixes)
{
  char boundary[9];
  boundary_of(_i, 5, boundary);
  support_case c = support_case_of(HYMG_FV2, (const int[3]){4, 6, 5}, boundary, _i % 2 ? 1.5 : 0.0);
  check_case(&c, NULL);
}
END_TEST

START_TEST(fv4_is_right_under_all_boundary_mixes)
{
  char boundary[9];
  boundary_of(_i, 2, boundary);
  support_case c =
      support_case_of(HYMG_FV4, (const int[3]){8, 12, 6}, boundary, _i % 2 ? 1.5 : 0.0);
  check_case(&c, NULL);
}
END_TEST

START_TEST(fv2_with_the_linear_extrapolation_is_right)
{
  char boundary[9];
  boundary_of(_i * 9, 5, boundary);
  support_case c = support_case_of(HYMG_FV2, (const int[3]){6, 4, 3}, boundary, 0.0);
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  support_case_add_boundaries(&c);
  check_case(&c, NULL);
}
END_TEST

START_TEST(boundary_data_enter_the_residual_alone)
{
  char boundary[9];
  boundary_of(_i * 4, 5, boundary);
  support_case c = support_case_of(HYMG_FV2, (const int[3]){4, 8, 12}, boundary, 0.3);
  support_case_add_boundaries(&c);
  check_case(&c, NULL);
}
END_TEST

static const int shapes[][3] = {{1, 1, 1},  {2, 2, 2},    {3, 1, 2},   {5, 7, 3},
                                {6, 4, 10}, {12, 8, 20},  {16, 2, 4},  {9, 9, 9},
                                {1, 8, 1},  {24, 24, 24}, {17, 16, 2}, {7, 1, 33}};
#define NUM_SHAPES ((int)(sizeof shapes / sizeof *shapes))

START_TEST(odd_shapes_are_right)
{
  static const char *const mixes[3] = {"dd dd dd", "pp pp pp", "pp dd pp"};
  int n[3];
  support_shape(_i % 2 ? HYMG_FV4 : HYMG_FV2, shapes[_i / 2], n);
  for (int m = 0; m < 3; m++) {
    support_case c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, n, mixes[m], m == 1 ? 1.0 : 0.0);
    check_case(&c, NULL);
  }
}
END_TEST

START_TEST(several_boxes_are_right)
{
  static const int boxes[5][3] = {{2, 1, 1}, {1, 2, 4}, {4, 4, 2}, {2, 3, 1}, {4, 6, 8}};
  static const char *const mixes[4] = {"dd dd dd", "pp pp pp", "pp dd pp", "nd dn pp"};
  support_layout layout = {.threads = 2};
  for (int d = 0; d < 3; d++)
    layout.boxes[d] = boxes[_i % 5][d];
  for (int m = 0; m < 4; m++) {
    hymg_stencil stencil = _i < 5 ? HYMG_FV2 : HYMG_FV4;
    if (m == 3 && stencil == HYMG_FV4) continue;
    support_case c = support_case_of(stencil, (const int[3]){16, 24, 32}, mixes[m], m % 2);
    check_case(&c, &layout);
  }
}
END_TEST

START_TEST(constant_coefficients_are_right)
{
  static const char *const mixes[3] = {"dd dd dd", "pp dd dd", "pp pp pp"};
  support_case c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){8, 6, 12},
                                   mixes[_i / 2 % 3], 0.0);
  for (int d = 0; d < 3; d++)
    c.spec.beta[d] = NULL;
  c.spec.beta_constant = 1.7;
  c.spec.a = _i < 6 ? 0.0 : 2.5;
  c.spec.alpha_constant = 0.3;
  check_case(&c, NULL);
}
END_TEST

START_TEST(the_extrapolation_dimension_follows_extrapolation_box)
{
  static const int sizes[4][2] = {{48, 16}, {24, 8}, {12, 4}, {6, 2}}; /* 6: in one box only */
  support_layout layout = {.threads = 1, .boxes = {_i < 6 ? 1 + _i % 2 : 1, 1, 1}};
  const int n = sizes[_i / 2][0];
  support_case c = support_case_of(HYMG_FV4, (const int[3]){n, n, n}, "dd dd dd", 0.0);
  for (int d = 0; d < 3; d++)
    c.spec.h[d] = 1.0 / n;
  c.spec.extrapolation_box = sizes[_i / 2][1];
  check_case(&c, &layout);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("apply");
  TCase *t = tcase_create("against the oracle");
  tcase_add_loop_test(t, fv2_is_right_under_all_boundary_mixes, small ? 37 : 0, small ? 40 : 125);
  tcase_add_loop_test(t, fv4_is_right_under_all_boundary_mixes, 0, small ? 2 : 8);
  tcase_add_loop_test(t, fv2_with_the_linear_extrapolation_is_right, 0, small ? 2 : 14);
  tcase_add_loop_test(t, boundary_data_enter_the_residual_alone, 0, small ? 2 : 31);
  tcase_add_loop_test(t, odd_shapes_are_right, 0, small ? 8 : 2 * NUM_SHAPES);
  tcase_add_loop_test(t, several_boxes_are_right, 0, small ? 0 : 10);
  tcase_add_loop_test(t, constant_coefficients_are_right, 0, small ? 2 : 12);
  tcase_add_loop_test(t, the_extrapolation_dimension_follows_extrapolation_box, small ? 6 : 0, 7);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
