/* The hierarchy against the oracle: how many levels, their cells, spacing and Gershgorin bounds;
 * restriction on every level; what hymg_solver_level says and refuses. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check_info(const support_case *c, const oracle *o, support_kit *k, int level)
{
  hymg_level_info info;
  const oracle_level *want = &o->level[level];
  OK(k->context, hymg_solver_level(k->solver, level, &info));
  for (int d = 0; d < 3; d++) {
    ck_assert_int_eq(info.cells[d], want->n[d]);
    ck_assert_double_eq(info.spacing[d], want->h[d]);
    ck_assert_msg(info.box[d] >= 1 && info.cells[d] % info.box[d] == 0, "%s: box %d of %d cells",
                  c->name, info.box[d], info.cells[d]);
  }
  int64_t boxes = 1;
  for (int d = 0; d < 3; d++)
    boxes *= info.cells[d] / info.box[d];
  ck_assert_int_eq(info.boxes, boxes);
  ck_assert_int_eq(info.ranks, 1);
  ck_assert_int_eq(info.backend, support_backend());
  /* 25 entries, each a sum of some 10 terms, over a diagonal of like size */
  ck_assert_msg(fabs(info.lambda_max - want->lambda_max) <= 1e-13 * want->lambda_max,
                "%s level %d: lambda_max %.17g, not %.17g", c->name, level, info.lambda_max,
                want->lambda_max);
}

static void check_restriction(const support_case *c, oracle *o, support_kit *k, int level)
{
  size_t fine = o->level[level].cells, coarse = o->level[level + 1].cells;
  char where[260];
  snprintf(where, sizeof where, "%s level %d", c->name, level);
  double *x = support_random(fine, -1.0, 1.0, 4), *want = support_poison(coarse),
         *poison = support_poison(coarse);
  hymg_field *xf = support_field(k, level, x), *y = support_field(k, level + 1, poison);
  OK(k->context, hymg_restrict(k->solver, level, xf, y));
  double *got = support_read(k, level + 1, y);
  oracle_restrict(o, level, x, want);
  support_assert_close("restriction", where, coarse, got, want, 1e-15);
  hymg_field_destroy(&xf);
  hymg_field_destroy(&y);
  free(x);
  free(want);
  free(poison);
  free(got);
}

static void check_case(support_case *c, const support_layout *layout)
{
  oracle *o = oracle_create(&c->spec);
  support_kit k = support_open(&c->spec, layout, NULL);
  ck_assert_msg(hymg_solver_num_levels(k.solver) == o->levels, "%s: %d levels, not %d", c->name,
                hymg_solver_num_levels(k.solver), o->levels);
  for (int l = 0; l < o->levels; l++)
    check_info(c, o, &k, l);
  for (int l = 0; l + 1 < o->levels; l++)
    check_restriction(c, o, &k, l);
  support_close(&k);
  oracle_destroy(o);
  support_case_free(c);
}

static const int shapes[][3] = {{1, 1, 1},   {2, 2, 2},    {3, 1, 2},    {5, 7, 3},  {6, 4, 10},
                                {12, 8, 20}, {32, 32, 32}, {24, 24, 24}, {16, 2, 8}, {64, 8, 16}};
#define NUM_SHAPES ((int)(sizeof shapes / sizeof *shapes))

START_TEST(levels_of_fv2_are_right)
{
  static const char *const mixes[4] = {"dd dd dd", "pp pp pp", "nd pp dd", "nn dn nd"};
  for (int m = 0; m < 4; m++) {
    support_case c = support_case_of(HYMG_FV2, shapes[_i], mixes[m], m % 2);
    check_case(&c, NULL);
  }
}
END_TEST

START_TEST(levels_of_fv4_are_right)
{
  static const char *const mixes[3] = {"dd dd dd", "pp pp pp", "dd pp dd"};
  int n[3];
  support_shape(HYMG_FV4, shapes[_i], n);
  for (int m = 0; m < 3; m++) {
    support_case c = support_case_of(HYMG_FV4, n, mixes[m], m % 2);
    check_case(&c, NULL);
  }
}
END_TEST

START_TEST(levels_of_several_boxes_are_right)
{
  static const int boxes[4][3] = {{2, 2, 2}, {8, 1, 4}, {1, 3, 1}, {4, 6, 2}};
  support_layout layout = {.threads = 2};
  for (int d = 0; d < 3; d++)
    layout.boxes[d] = boxes[_i / 2][d];
  support_case c =
      support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){32, 24, 16}, "dd pp dd", 0.0);
  check_case(&c, &layout);
}
END_TEST

/* On the finest level and on the one below it. */
START_TEST(the_sweeps_of_levels_are_told)
{
  static const struct {
    int n;
    const char *boundary;
    hymg_method method;
    hymg_smoother smoother;
    hymg_path path;
    int given, finest, below;
    bool linear;
  } cases[] = {{40, "dd dd dd", HYMG_FMG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 6, 6, false},
               {40, "dd dd dd", HYMG_MG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 4, 6, false},
               {40, "pp pp pp", HYMG_MGPCG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 6, 6, false},
               {40, "nn nd pp", HYMG_MG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 6, 6, true},
               {40, "nn pp pp", HYMG_MG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 4, 6, true},
               {32, "dd dd dd", HYMG_MG, HYMG_GSRB, HYMG_PATH_STANDARD, -1, 6, 6, false},
               {40, "dd dd dd", HYMG_MG, HYMG_GSRB, HYMG_PATH_STANDARD, 8, 8, 8, false},
               {40, "dd dd dd", HYMG_MG, HYMG_CHEBYSHEV, HYMG_PATH_STANDARD, -1, 6, 6, false},
               {40, "dd dd dd", HYMG_MG, HYMG_SYMGS, HYMG_PATH_STANDARD, -1, 4, 4, false},
               {40, "dd dd dd", HYMG_MG, HYMG_GSRB, HYMG_PATH_ROBUST, -1, 4, 4, false},
               {40, "nn nn nn", HYMG_MG, HYMG_GSRB, HYMG_PATH_ROBUST, -1, 6, 8, false},
               {40, "nn nn nn", HYMG_MG, HYMG_GSRB, HYMG_PATH_ROBUST, 2, 2, 2, false}};
  hymg_options o = hymg_options_default();
  const int n = cases[_i].n;
  support_case c = support_case_of(HYMG_FV2, (const int[3]){n, 32, 32}, cases[_i].boundary, 0);
  o.method = cases[_i].method, o.path = cases[_i].path;
  c.spec.smoother = cases[_i].smoother, c.spec.sweeps = cases[_i].given;
  if (cases[_i].linear) c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  support_kit k = support_open(&c.spec, NULL, &o);
  for (int l = 0; l < 2; l++) {
    hymg_level_info info;
    OK(k.context, hymg_solver_level(k.solver, l, &info));
    ck_assert_int_eq(info.sweeps, l ? cases[_i].below : cases[_i].finest);
  }
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(a_level_that_is_not_there_is_refused)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 0.0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  hymg_level_info info = {.cells = {-7, -7, -7}};
  hymg_field *field = NULL;
  ck_assert_int_eq(hymg_solver_num_levels(k.solver), 4);
  support_assert_error(k.context, hymg_solver_level(k.solver, 4, &info), HYMG_EINVAL, "4", NULL);
  support_assert_error(k.context, hymg_solver_level(k.solver, -1, &info), HYMG_EINVAL, "-1", NULL);
  ck_assert_int_eq(info.cells[0], -7);
  support_assert_error(k.context, hymg_field_create_on_level(k.solver, 9, &field), HYMG_EINVAL, "9",
                       NULL);
  ck_assert_ptr_null(field);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("levels");
  TCase *t = tcase_create("against the oracle");
  tcase_add_loop_test(t, levels_of_fv2_are_right, 0, small ? 5 : NUM_SHAPES);
  tcase_add_loop_test(t, levels_of_fv4_are_right, 0, small ? 5 : NUM_SHAPES);
  tcase_add_loop_test(t, levels_of_several_boxes_are_right, 0, small ? 0 : 8);
  tcase_add_loop_test(t, the_sweeps_of_levels_are_told, 0, 12);
  tcase_add_test(t, a_level_that_is_not_there_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
