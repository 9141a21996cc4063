/* The profile and the memory figure: rows that are sane, cleared by turning on, empty while off;
 * bytes per cell within what NUMERICS and the layout allow. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "support/support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static support_kit open(hymg_stencil stencil, int n, hymg_field **f, hymg_field **u)
{
  support_case c = support_case_of(stencil, (const int[3]){n, n, n}, "dd dd dd", 0.0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  OK(k.context, hymg_field_create(k.grid, k.solver, HYMG_CELL, HYMG_DOUBLE, f));
  OK(k.context, hymg_field_create(k.grid, k.solver, HYMG_CELL, HYMG_DOUBLE, u));
  OK(k.context, hymg_field_fill(*f, 1.0));
  support_case_free(&c);
  return k;
}

static void close(support_kit *k, hymg_field **f, hymg_field **u)
{
  hymg_field_destroy(f);
  hymg_field_destroy(u);
  support_close(k);
}

START_TEST(profile_rows_are_sane)
{
  hymg_field *f = NULL, *u = NULL;
  support_kit k = open(_i ? HYMG_FV4 : HYMG_FV2, 32, &f, &u);
  int levels = hymg_solver_num_levels(k.solver), finest = 0;
  double seconds = 0.0;
  hymg_result r;
  hymg_solver_profile(k.solver, true);
  OK(k.context, hymg_solve(k.solver, f, u, &r));
  ck_assert_int_ge(hymg_solver_profile_rows(k.solver), levels);
  for (int i = 0; i < hymg_solver_profile_rows(k.solver); i++) {
    hymg_profile_row row;
    OK(k.context, hymg_solver_profile_row(k.solver, i, &row));
    ck_assert(row.level >= 0 && row.level < levels);
    ck_assert_ptr_nonnull(row.operation);
    ck_assert(row.operation[0] != 0);
    ck_assert_int_ge(row.calls, 1);
    ck_assert(row.seconds >= 0.0 && row.bytes >= 0.0 && row.message_bytes >= 0.0);
    ck_assert_int_eq(row.messages, 0);
    if (row.level == 0 && row.bytes >= 8.0 * 32 * 32 * 32) finest++;
    seconds += row.seconds;
  }
  ck_assert_int_ge(finest, 1);
  ck_assert_double_gt(seconds, 0.0);
  ck_assert_double_le(seconds, 1.01 * r.seconds);
  close(&k, &f, &u);
}
END_TEST

START_TEST(turning_the_profile_on_clears_it)
{
  hymg_field *f = NULL, *u = NULL;
  support_kit k = open(HYMG_FV2, 8, &f, &u);
  hymg_profile_row row = {.level = -4};
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  ck_assert_int_eq(hymg_solver_profile_rows(k.solver), 0);
  hymg_solver_profile(k.solver, true);
  ck_assert_int_eq(hymg_solver_profile_rows(k.solver), 0);
  support_assert_error(k.context, hymg_solver_profile_row(k.solver, 0, &row), HYMG_EINVAL, "0",
                       NULL);
  ck_assert_int_eq(row.level, -4);
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  hymg_solver_profile_row(k.solver, 0, &row);
  int rows = hymg_solver_profile_rows(k.solver);
  int64_t calls = row.calls;
  hymg_solver_profile(k.solver, true);
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  ck_assert_int_eq(hymg_solver_profile_rows(k.solver), rows);
  OK(k.context, hymg_solver_profile_row(k.solver, 0, &row));
  ck_assert_int_eq(row.calls, calls);
  hymg_solver_profile(k.solver, false);
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  if (hymg_solver_profile_rows(k.solver) > 0) {
    OK(k.context, hymg_solver_profile_row(k.solver, 0, &row));
    ck_assert_int_eq(row.calls, calls);
  }
  close(&k, &f, &u);
}
END_TEST

/* At least u, f, three beta and a diagonal on all levels: 6 x 8 x 8/7 bytes a cell; small grids pay
 * for padding. */
START_TEST(bytes_per_cell_count_what_must_live)
{
  hymg_field *f = NULL, *u = NULL;
  support_kit k = open(_i ? HYMG_FV4 : HYMG_FV2, support_small() ? 16 : 64, &f, &u);
  double bytes = hymg_solver_bytes_per_dof(k.solver);
  ck_assert_msg(bytes >= 40.0 && bytes <= (support_small() ? 1000.0 : 150.0), "%.1f B/DOF", bytes);
  ck_assert_double_ge(hymg_solver_tuning_seconds(k.solver), 0.0);
  close(&k, &f, &u);
}
END_TEST

static hymg_profile_row row_of(const support_kit *k, int level, hymgi_op op)
{
  hymg_profile_row row = {.level = -1};
  for (int i = 0; hymg_solver_profile_row(k->solver, i, &row) == HYMG_OK; i++)
    if (row.level == level && strcmp(row.operation, hymgi_op_name(op)) == 0) return row;
  return (hymg_profile_row){.level = -1};
}

/* FV2 with variable beta and gsrb: a sweep reads f, x and three betas, and writes x, of which half are not touched. */
START_TEST(operations_are_counted_by_the_model)
{
  hymg_field *f = NULL, *u = NULL;
  support_kit k = open(HYMG_FV2, 32, &f, &u);
  hymgi_level *level = k.solver->h.level + 1; /* with vectors of its own */
  const double array = 8.0 * 16 * 16 * 16, operator_arrays = 4, sweep = operator_arrays + 2 - 1.5;
  ck_assert(level->method->variable_beta && !level->method->has_alpha);
  hymg_solver_profile(k.solver, true);
  hymgi_smooth(level);
  hymgi_residual_norm(level, level->f, level->x);
  hymgi_axpby(level, 1, level->f, 2, level->x, level->x);
  hymgi_axpby(level, 1, level->f, 2, level->x, level->x);
  hymgi_restrict_cells(level, level->f, level + 1, level[1].f);
  const hymg_profile_row smooth = row_of(&k, 1, HYMGI_OP_SMOOTH),
                         residual = row_of(&k, 1, HYMGI_OP_RESIDUAL),
                         vector = row_of(&k, 1, HYMGI_OP_VECTOR),
                         restricted = row_of(&k, 1, HYMGI_OP_RESTRICT);
  ck_assert_int_eq(smooth.calls, 1);
  ck_assert_double_eq(smooth.bytes, hymgi_sweeps(level) * sweep * array);
  ck_assert_double_eq(residual.bytes, (operator_arrays + 1) * array);
  ck_assert_int_eq(vector.calls, 2);
  ck_assert_double_eq(vector.bytes, 6 * array);
  ck_assert_double_eq(restricted.bytes, 1.125 * array);
  /* another row takes what a fused operation does */
  ck_assert_double_eq(hymgi_account(level, HYMGI_OP_SMOOTH_NORM, 1).bytes,
                      smooth.bytes + residual.bytes);
  ck_assert_str_eq(hymgi_op_name(HYMGI_OP_SMOOTH_NORM), "smooth");
  close(&k, &f, &u);
}
END_TEST

static bool refuse(int *calls)
{
  ++*calls;
  return false;
}

START_TEST(operations_that_a_backend_refuses_are_not_counted)
{
  hymg_field *f = NULL, *u = NULL;
  support_kit k = open(HYMG_FV2, 16, &f, &u);
  int calls = 0;
  bool done = true;
  hymg_solver_profile(k.solver, true);
  HYMGI_OPERATION_IF(done, k.solver->h.level, HYMGI_OP_SMOOTH, 0, refuse(&calls));
  ck_assert(!done);
  ck_assert_int_eq(calls, 1);
  ck_assert_int_eq(hymg_solver_profile_rows(k.solver), 0);
  close(&k, &f, &u);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("profile");
  TCase *t = tcase_create("profile");
  tcase_add_loop_test(t, profile_rows_are_sane, 0, support_small() ? 1 : 2);
  tcase_add_test(t, turning_the_profile_on_clears_it);
  tcase_add_loop_test(t, bytes_per_cell_count_what_must_live, 0, 2);
  tcase_add_test(t, operations_are_counted_by_the_model);
  tcase_add_test(t, operations_that_a_backend_refuses_are_not_counted);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
