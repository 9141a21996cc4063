/* Every error code of set-up: bad contexts and grids. The text names the value and the limit;
 * outputs stay. */
#include "support/support.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Read by AddressSanitizer where it is linked: an allocation too large is to fail, not to abort. */
HYMG_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

static hymg_context *context;

static void open_context(void)
{
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
}

static void close_context(void)
{
  hymg_context_destroy(&context);
}

static hymg_grid_desc cube(int n)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  for (int d = 0; d < 3; d++) {
    desc.n[d] = n;
    desc.spacing[d] = 1.0 / n;
  }
  return desc;
}

static void refused_grid(const hymg_grid_desc *desc, const char *word, const char *limit)
{
  hymg_grid *grid = NULL;
  support_assert_error(context, hymg_grid_create(context, desc, &grid), HYMG_EINVAL, word, limit,
                       NULL);
  ck_assert_ptr_null(grid);
}

/* ---- names and contexts ---- */

START_TEST(every_status_has_a_name_and_a_text)
{
  ck_assert_str_eq(hymg_status_name(HYMG_EINVAL), "HYMG_EINVAL");
  ck_assert_str_eq(hymg_status_text(HYMG_ENOMEM), "out of memory");
  ck_assert_str_eq(hymg_status_name(HYMG_OK), "HYMG_OK");
  ck_assert_ptr_nonnull(hymg_status_name((hymg_status)99));
  ck_assert_ptr_nonnull(hymg_status_text((hymg_status)-3));
  ck_assert_str_eq(hymg_reason_name(HYMG_REASON_NOT_FINITE), "not finite");
  ck_assert_str_eq(hymg_reason_name(HYMG_REASON_STAGNATED), "stagnated");
  ck_assert_str_eq(hymg_build_info().version, HYMG_VERSION);
  ck_assert_ptr_nonnull(hymg_build_info().cuda);
}
END_TEST

START_TEST(a_context_refuses_absurd_thread_counts)
{
  hymg_context_options o = hymg_context_options_default();
  hymg_context *c = NULL;
  o.threads = -1;
  ck_assert_int_eq(hymg_context_create(&o, &c), HYMG_EINVAL);
  o.threads = 4097;
  ck_assert_int_eq(hymg_context_create(&o, &c), HYMG_EINVAL);
  ck_assert_ptr_null(c);
  o.threads = 3;
  ck_assert_int_eq(hymg_context_create(&o, &c), HYMG_OK);
  ck_assert_str_eq(hymg_context_error(c), "");
  ck_assert_int_eq(hymg_context_rank(c), 0);
  ck_assert_int_eq(hymg_context_ranks(c), 1);
  ck_assert_int_eq(hymg_context_nodes(c), 1);
  double value = 2.5;
  OK(c, hymg_context_max(c, &value));
  OK(c, hymg_context_barrier(c));
  ck_assert_double_eq(value, 2.5);
  hymg_context_destroy(&c);
  ck_assert_ptr_null(c);
}
END_TEST

START_TEST(destroying_nothing_is_fine)
{
  hymg_context *c = NULL;
  hymg_grid *g = NULL;
  hymg_field *f = NULL;
  hymg_operator *o = NULL;
  hymg_solver *s = NULL;
  hymg_solver_destroy(&s);
  hymg_operator_destroy(&o);
  hymg_field_destroy(&f);
  hymg_grid_destroy(&g);
  hymg_context_destroy(&c);
  hymg_solver_destroy(NULL);
  hymg_operator_destroy(NULL);
  hymg_field_destroy(NULL);
  hymg_grid_destroy(NULL);
  hymg_context_destroy(NULL);
}
END_TEST

/* ---- grids ---- */

START_TEST(a_grid_refuses_sizes_below_one)
{
  hymg_grid_desc desc = cube(8);
  desc.n[1] = 0;
  refused_grid(&desc, "0", "1");
  desc.n[1] = -5;
  refused_grid(&desc, "-5", "1");
}
END_TEST

START_TEST(a_grid_refuses_spacings_that_are_not_positive_and_finite)
{
  static const double bad[4] = {0.0, -0.5, NAN, INFINITY};
  static const char *const word[4] = {"0", "-0.5", "nan", "inf"};
  hymg_grid_desc desc = cube(8);
  desc.spacing[2] = bad[_i];
  refused_grid(&desc, word[_i], "along z: positive and finite");
}
END_TEST

START_TEST(a_grid_refuses_boundaries_that_make_no_sense)
{
  hymg_grid_desc desc = cube(8);
  desc.boundary[3] = HYMG_PERIODIC;
  refused_grid(&desc, "axis y", "both");
  desc = cube(8);
  desc.boundary[4] = (hymg_boundary)7;
  refused_grid(&desc, "boundary kind 7 on face z-: ", "0 (Dirichlet) to 5 (open (James))");
}
END_TEST

START_TEST(a_grid_refuses_boxes_that_do_not_divide_it)
{
  hymg_grid_desc desc = cube(8);
  desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = 3;
  refused_grid(&desc, "3", "8");
  desc.boxes[0] = -2;
  refused_grid(&desc, "-2", "box");
  desc = cube(8);
  desc.boxes[0] = 2;
  refused_grid(&desc, "0", "box");
  desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = 16;
  refused_grid(&desc, "16", "8");
  desc = cube(12);
  desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = 4;
  refused_grid(&desc, "12 cells along x in 4 boxes of 3", "even sides");
}
END_TEST

START_TEST(a_grid_refuses_a_extrapolation_box_that_does_not_fit)
{
  hymg_grid_desc desc = cube(12);
  desc.extrapolation_box = 5;
  refused_grid(&desc, "5", "12");
  desc.extrapolation_box = -4;
  refused_grid(&desc, "-4", "extrapolation box");
  desc = cube(12);
  desc.n[0] = 24;
  desc.extrapolation_box = 12;
  refused_grid(&desc, "12", "cub");
}
END_TEST

static int rank_seven(const int box[3], void *user)
{
  (void)user;
  return box[0] == 1 ? 7 : 0;
}

START_TEST(a_grid_refuses_owners_outside_the_context)
{
  hymg_grid_desc desc = cube(8);
  desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = 2;
  desc.owner = rank_seven;
  refused_grid(&desc, "7", "1");
}
END_TEST

/* 2^60 cells: whichever call first needs the memory says that there is none, and nothing is touched
 * before. */
START_TEST(huge_grids_are_out_of_memory)
{
  hymg_grid_desc desc = cube(_i ? INT_MAX : 1 << 20);
  hymg_grid *grid = NULL;
  hymg_field *field = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_status status = hymg_grid_create(context, &desc, &grid);
  if (status == HYMG_OK) {
    hymg_operator_desc od = hymg_operator_desc_default();
    support_assert_error(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &field),
                         HYMG_ENOMEM, NULL);
    ck_assert_ptr_null(field);
    OK(context, hymg_operator_create(grid, &od, &op));
    support_assert_error(context, hymg_solver_create(op, NULL, &solver), HYMG_ENOMEM, NULL);
    ck_assert_ptr_null(solver);
  } else {
    ck_assert_msg(status == HYMG_ENOMEM || (_i && status == HYMG_EINVAL), "%s: %s",
                  hymg_status_name(status), hymg_context_error(context));
    ck_assert_ptr_null(grid);
  }
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
}
END_TEST

START_TEST(a_grid_knows_its_cells_and_boxes)
{
  hymg_grid_desc desc = cube(12);
  hymg_grid *grid = NULL;
  int boxes[3] = {0, 0, 0};
  desc.n[2] = 20;
  desc.boxes[0] = 3;
  desc.boxes[1] = 2;
  desc.boxes[2] = 5;
  OK(context, hymg_grid_create(context, &desc, &grid));
  hymg_grid_boxes(grid, boxes);
  ck_assert_int_eq(hymg_grid_cells(grid), 12 * 12 * 20);
  ck_assert_int_eq(boxes[0] * 100 + boxes[1] * 10 + boxes[2], 325);
  hymg_grid_destroy(&grid);
}
END_TEST

START_TEST(boxes_are_as_asked_for_or_refused)
{
  for (int b = 1; b <= 16; b *= 2) {
    hymg_grid_desc desc = cube(16);
    hymg_grid *grid = NULL;
    int boxes[3] = {0, 0, 0};
    desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = b;
    hymg_status status = hymg_grid_create(context, &desc, &grid);
    if (status != HYMG_OK) {
      support_assert_error(context, status, HYMG_EINVAL, "16", NULL);
      continue;
    }
    hymg_grid_boxes(grid, boxes);
    ck_assert_msg(boxes[0] == b && boxes[1] == b && boxes[2] == b, "%d boxes asked for, %d given",
                  b, boxes[0]);
    hymg_grid_destroy(&grid);
  }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("errors");
  TCase *t = tcase_create("names, contexts");
  tcase_add_test(t, every_status_has_a_name_and_a_text);
  tcase_add_test(t, a_context_refuses_absurd_thread_counts);
  tcase_add_test(t, destroying_nothing_is_fine);
  suite_add_tcase(suite, t);
  t = tcase_create("grids");
  tcase_add_checked_fixture(t, open_context, close_context);
  tcase_add_test(t, a_grid_refuses_sizes_below_one);
  tcase_add_loop_test(t, a_grid_refuses_spacings_that_are_not_positive_and_finite, 0, 4);
  tcase_add_test(t, a_grid_refuses_boundaries_that_make_no_sense);
  tcase_add_test(t, a_grid_refuses_boxes_that_do_not_divide_it);
  tcase_add_test(t, a_grid_refuses_a_extrapolation_box_that_does_not_fit);
  tcase_add_test(t, a_grid_refuses_owners_outside_the_context);
  tcase_add_loop_test(t, huge_grids_are_out_of_memory, 0, 2);
  tcase_add_test(t, a_grid_knows_its_cells_and_boxes);
  tcase_add_test(t, boxes_are_as_asked_for_or_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
