/* One answer: the solution and its history have the same bits for any number of threads, any cut
 * into boxes, any field layout, and the same solver used again. */
#include "support/choice.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check_same(const support_answer *want, support_answer got, const char *what, int choice)
{
  const char *unlike = support_unlike(&got, want);
  ck_assert_msg(unlike == NULL, "%s, choice %d: unlike %s; u differs by %.3g of %.3g", what, choice,
                unlike, support_difference(want->cells, got.u, want->u),
                support_max(want->cells, want->u));
  support_answer_free(&got);
}

static const int size[3] = {32, 16, 24};

/* Large enough that the host gives five threads work. */
static const int large[3] = {40, 32, 32};

START_TEST(any_number_of_threads)
{
  support_layout one = {.threads = 1, .boxes = {1, 1, 1}};
  support_answer want = support_solve(&support_choices[_i], large, &one, false);
  for (int threads = 2; threads <= 5; threads++) {
    support_layout layout = {.threads = threads, .boxes = {1, 1, 1}};
    check_same(&want, support_solve(&support_choices[_i], large, &layout, false), "threads", _i);
  }
  support_answer_free(&want);
}
END_TEST

START_TEST(any_cut_into_boxes)
{
  static const int boxes[6][3] = {{2, 2, 2}, {4, 1, 3}, {8, 4, 6}, {1, 4, 6}, {8, 2, 1}, {2, 1, 6}};
  support_layout one = {.threads = 2, .boxes = {1, 1, 1}};
  support_answer want = support_solve(&support_choices[_i], size, &one, false);
  for (int b = 0; b < 6; b++) {
    support_layout layout = {.threads = 1 + b % 2,
                             .boxes = {boxes[b][0], boxes[b][1], boxes[b][2]}};
    check_same(&want, support_solve(&support_choices[_i], size, &layout, false), "boxes", _i);
  }
  support_answer_free(&want);
}
END_TEST

START_TEST(every_count_of_boxes_a_side_up_to_eight)
{
  static const int cube[2][3] = {{32, 32, 32}, {24, 24, 24}};
  static const int counts[2][4] = {{1, 2, 4, 8}, {1, 2, 3, 6}};
  support_answer want = {0};
  for (int b = 0; b < 4; b++) {
    int m = counts[_i / 2][b];
    support_layout layout = {.threads = 2, .boxes = {m, m, m}};
    support_answer got = support_solve(&support_choices[_i % 2], cube[_i / 2], &layout, false);
    if (b == 0)
      want = got;
    else
      check_same(&want, got, "boxes a side", _i % 2);
  }
  support_answer_free(&want);
}
END_TEST

START_TEST(plain_fields_and_a_second_solve)
{
  support_layout one = {.threads = 2};
  support_answer want = support_solve(&support_choices[_i], size, &one, false);
  check_same(&want, support_solve(&support_choices[_i], size, &one, true),
             "plain rows, second solve", _i);
  support_answer_free(&want);
}
END_TEST

static int everything_mine(const int box[3], void *user)
{
  int *asked = user;
  asked[0] += box[0] >= 0 && box[1] >= 0 && box[2] >= 0;
  return 0;
}

START_TEST(an_owner_function_is_asked_for_every_box_and_changes_nothing)
{
  int asked = 0;
  support_layout one = {.threads = 1, .boxes = {2, 2, 2}};
  support_layout own = {
      .threads = 1, .boxes = {2, 2, 2}, .owner = everything_mine, .owner_user = &asked};
  support_answer want = support_solve(&support_choices[0], size, &one, false);
  check_same(&want, support_solve(&support_choices[0], size, &own, false), "owner", 0);
  ck_assert_int_eq(asked, 8);
  support_answer_free(&want);
}
END_TEST

START_TEST(measured_and_estimated_plans_agree)
{
  support_case c = support_case_of(_i ? HYMG_FV4 : HYMG_FV2, size, "dd dd dd", 0.0);
  double *f = support_random(32 * 16 * 24, -1, 1, 1), *u[2];
  for (int t = 0; t < 2; t++) {
    hymg_options o = hymg_options_default();
    o.tuning = t ? HYMG_TUNE_ESTIMATE : HYMG_TUNE_MEASURE;
    support_kit k = support_open(&c.spec, NULL, &o);
    hymg_field *ff = support_field(&k, 0, f), *uf = support_field(&k, 0, f);
    OK(k.context, hymg_solve(k.solver, ff, uf, NULL));
    u[t] = support_read(&k, 0, uf);
    hymg_field_destroy(&ff);
    hymg_field_destroy(&uf);
    support_close(&k);
  }
  ck_assert(support_same_bits(32 * 16 * 24, u[0], u[1]));
  free(u[0]);
  free(u[1]);
  free(f);
  support_case_free(&c);
}
END_TEST

START_TEST(merged_boxes_are_one_brick)
{
  support_case c = support_case_of(HYMG_FV2, size, "dd dd dd", 0.0);
  support_layout layout = {.threads = 1, .boxes = {4, 2, 2}};
  support_kit k = support_open(&c.spec, &layout, NULL);
  int low[3], count[3], boxes[3];
  ck_assert_int_eq(hymg_grid_num_local(k.grid), 1);
  hymg_grid_local(k.grid, 0, low, count);
  hymg_grid_boxes(k.grid, boxes);
  for (int d = 0; d < 3; d++) {
    ck_assert_int_eq(low[d], 0);
    ck_assert_int_eq(count[d], size[d]);
    ck_assert_int_eq(boxes[d], layout.boxes[d]);
  }
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("same bits");
  TCase *t = tcase_create("solves");
  tcase_add_loop_test(t, any_number_of_threads, 0, small ? 0 : SUPPORT_CHOICES);
  tcase_add_loop_test(t, any_cut_into_boxes, 0, small ? 0 : SUPPORT_CHOICES);
  tcase_add_loop_test(t, every_count_of_boxes_a_side_up_to_eight, 0, small ? 0 : 4);
  tcase_add_loop_test(t, plain_fields_and_a_second_solve, 0, small ? 1 : SUPPORT_CHOICES);
  tcase_add_test(t, an_owner_function_is_asked_for_every_box_and_changes_nothing);
  tcase_add_loop_test(t, measured_and_estimated_plans_agree, 0, 2);
  tcase_add_test(t, merged_boxes_are_one_brick);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
