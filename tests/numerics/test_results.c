/* What a solve reports: convergence and every reason, histories that can be checked, the monitor,
 * start values, updates of coefficients. */
#include "support/bench.h"
#include <math.h>
#include <stdlib.h>

/* max |f - A u| by the library's own residual. */
static double residual_of(support_bench *b)
{
  hymg_field *r = NULL;
  double max;
  OK(b->k.context, hymg_field_create(b->k.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &r));
  OK(b->k.context, hymg_residual(b->k.solver, 0, b->ff, b->u, r));
  OK(b->k.context, hymg_field_max(r, &max));
  hymg_field_destroy(&r);
  return max;
}

START_TEST(every_method_converges_and_its_history_is_true)
{
  static const struct {
    hymg_method method;
    hymg_cycle cycle;
    hymg_cycle_kind first, next;
  } ways[5] = {{HYMG_MG, HYMG_CYCLE_F, HYMG_KIND_F, HYMG_KIND_V},
               {HYMG_MG, HYMG_CYCLE_V, HYMG_KIND_V, HYMG_KIND_V},
               {HYMG_MG, HYMG_CYCLE_W, HYMG_KIND_W, HYMG_KIND_W},
               {HYMG_MGPCG, HYMG_CYCLE_V, HYMG_KIND_CG, HYMG_KIND_CG},
               {HYMG_MGPCG, HYMG_CYCLE_W, HYMG_KIND_CG, HYMG_KIND_CG}};
  hymg_options o = support_mg(ways[_i / 2].cycle, 1e-9, 40);
  o.method = ways[_i / 2].method;
  support_bench b = support_bench_cube(_i % 2 ? HYMG_FV4 : HYMG_FV2, "dd pp dd", 0.0, &o);
  hymg_result r = support_bench_solve(&b);
  ck_assert(r.converged);
  ck_assert_int_eq(r.reason, HYMG_REASON_TOLERANCE);
  ck_assert_int_ge(r.cycles, 2);
  ck_assert_int_lt(r.cycles, 40);
  ck_assert_int_eq(r.history[0].kind, ways[_i / 2].first);
  ck_assert_int_eq(r.history[1].kind, ways[_i / 2].next);
  const hymg_cycle_record *last = &r.history[r.cycles - 1];
  ck_assert_double_le(last->residual_relative, 1e-9);
  ck_assert_double_gt(r.history[r.cycles - 2].residual_relative, 1e-9);
  ck_assert_double_eq_tol(last->residual_max, last->residual_relative * r.rhs_max,
                          1e-14 * r.rhs_max);
  /* the recursive residual of mgpcg drifts by rounding, some 1e-13 here; the result has that of u itself */
  ck_assert_double_eq_tol(r.residual_max, last->residual_max, (_i < 6 ? 1e-16 : 1e-12) * r.rhs_max);
  ck_assert_double_eq(r.residual_relative, r.residual_max / r.rhs_max);
  ck_assert_double_eq(r.rhs_max, support_max(b.cells, b.f));
  ck_assert_double_eq_tol(residual_of(&b), r.residual_max, 1e-14 * r.rhs_max);
  ck_assert_double_gt(r.seconds, 0.0);
  ck_assert(!r.singular);
  support_bench_close(&b);
}
END_TEST

START_TEST(one_f_cycle_ends_by_its_limit_and_counts_as_converged)
{
  support_bench b = support_bench_cube(HYMG_FV4, "dd dd dd", 0.0, NULL);
  hymg_result r = support_bench_solve(&b);
  ck_assert(r.converged);
  ck_assert_int_eq(r.reason, HYMG_REASON_LIMIT);
  ck_assert_int_eq(r.cycles, 1);
  ck_assert_int_eq(r.history[0].kind, HYMG_KIND_F);
  ck_assert_double_eq_tol(residual_of(&b), r.history[0].residual_max, 1e-13 * r.rhs_max);
  support_bench_close(&b);
}
END_TEST

START_TEST(the_limit_and_rounding_are_reported_as_such)
{
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-12, 2);
  support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
  hymg_result r = support_bench_solve(&b);
  ck_assert(!r.converged);
  ck_assert_int_eq(r.reason, HYMG_REASON_LIMIT);
  ck_assert_int_eq(r.cycles, 2);
  support_bench_close(&b);
  /* below rounding: converged, and the note says how far */
  o = support_mg(HYMG_CYCLE_V, 1e-25, 200);
  b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
  r = support_bench_solve(&b);
  ck_assert(r.converged && strstr(r.note, "where rounding ends"));
  ck_assert_int_lt(r.cycles, 30);
  ck_assert_double_lt(r.history[r.cycles - 1].residual_relative, 1e-12);
  support_bench_close(&b);
}
END_TEST

/* beta jumps by a factor of 1000 from cell to cell: FV4, which takes it for smooth, is not even
 * positive there. */
START_TEST(a_solve_that_blows_up_is_reported_as_diverged)
{
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-9, 100);
  support_bench b = support_bench_cube(HYMG_FV4, "dd dd dd", 0.0, NULL);
  static const int low[3] = {0, 0, 0};
  for (int c = 1; c < 4; c++) {
    int n[3] = {16, 16, 16};
    n[c - 1]++;
    const ptrdiff_t rows[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    double *beta = support_random(17 * 16 * 16, 0.0, 1.0, (unsigned)c);
    for (int i = 0; i < 17 * 16 * 16; i++)
      beta[i] = beta[i] < 0.5 ? 1e-3 : 1.0;
    OK(b.k.context, hymg_field_write(b.k.coefficient[c], low, n, rows, beta, HYMG_HOST));
    free(beta);
  }
  hymg_solver_destroy(&b.k.solver);
  o = support_options(o);
  OK(b.k.context, hymg_solver_create(b.k.op, &o, &b.k.solver));
  hymg_result r = support_bench_solve(&b);
  ck_assert(!r.converged);
  ck_assert_str_eq(hymg_reason_name(r.reason), "diverged");
  ck_assert_double_gt(r.residual_max, 1e4 * r.rhs_max);
  support_bench_close(&b);
}
END_TEST

START_TEST(the_default_cycle_suits_method_and_start)
{
  static const struct {
    hymg_method method;
    bool initial_guess;
    hymg_cycle same;
  } ways[4] = {{HYMG_FMG, false, HYMG_CYCLE_F},
               {HYMG_MG, false, HYMG_CYCLE_F},
               {HYMG_MG, true, HYMG_CYCLE_V},
               {HYMG_MGPCG, false, HYMG_CYCLE_V}};
  hymg_options o = hymg_options_default();
  double *u[2];
  ck_assert_int_eq(o.cycle, HYMG_CYCLE_DEFAULT);
  o.method = ways[_i].method;
  o.initial_guess = ways[_i].initial_guess;
  for (int given = 0; given < 2; given++) {
    if (given) o.cycle = ways[_i].same;
    support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
    support_bench_solve(&b);
    u[given] = support_read(&b.k, 0, b.u);
    support_bench_close(&b);
  }
  ck_assert(support_same_bits(16 * 16 * 16, u[0], u[1]));
  free(u[0]);
  free(u[1]);
}
END_TEST

START_TEST(nan_or_infinity_in_f_ends_as_not_finite)
{
  hymg_options o = _i / 2 == 0 ? hymg_options_default() : support_mg(HYMG_CYCLE_F, 1e-9, 20);
  if (_i / 2 == 2) {
    o.method = HYMG_MGPCG;
    o.cycle = HYMG_CYCLE_V;
  }
  support_bench b = support_bench_cube(HYMG_FV2, _i % 2 ? "dd dd dd" : "pp pp pp", 0.0, &o);
  b.f[99] = _i % 2 ? NAN : INFINITY;
  hymg_field_destroy(&b.ff);
  b.ff = support_field(&b.k, 0, b.f);
  hymg_result r = support_bench_solve(&b);
  ck_assert(!r.converged);
  ck_assert_int_eq(r.reason, HYMG_REASON_NOT_FINITE);
  ck_assert_int_le(r.cycles, 1);
  support_bench_close(&b);
}
END_TEST

START_TEST(a_zero_right_hand_side_gives_zero)
{
  hymg_options o = support_mg(_i == 1 ? HYMG_CYCLE_F : HYMG_CYCLE_V, 1e-9, 20);
  o.initial_guess = _i > 2;
  if (_i == 4) o.method = HYMG_MGPCG;
  support_bench b = support_bench_cube(HYMG_FV4, "dd dd dd", 0.0, _i ? &o : NULL);
  OK(b.k.context, hymg_field_fill(b.ff, 0.0));
  OK(b.k.context, hymg_field_fill(b.u, 3.0));
  hymg_result r = support_bench_solve(&b);
  double max;
  OK(b.k.context, hymg_field_max(b.u, &max));
  ck_assert(r.converged);
  ck_assert_double_eq(max, 0.0);
  ck_assert_double_eq(r.rhs_max, 0.0);
  ck_assert_double_eq(r.residual_max, 0.0);
  ck_assert_double_eq(r.residual_relative, 0.0);
  if (r.cycles > 0) ck_assert_double_eq(r.history[0].residual_relative, 0.0);
  support_bench_close(&b);
}
END_TEST

typedef struct seen {
  int calls, stop_after;
  double relative[32];
} seen;

static bool watch(const hymg_cycle_record *record, int cycle, void *user)
{
  seen *s = user;
  ck_assert_int_lt(s->calls, 32);
  s->relative[s->calls] = record->residual_relative;
  s->calls++;
  return cycle < s->stop_after;
}

START_TEST(the_monitor_sees_every_cycle_and_may_stop)
{
  seen s = {.stop_after = 1000};
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-9, 30);
  o.monitor = watch;
  o.monitor_user = &s;
  support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
  hymg_result r = support_bench_solve(&b);
  ck_assert_int_eq(s.calls, r.cycles);
  for (int k = 0; k < r.cycles; k++)
    ck_assert_double_eq(s.relative[k], r.history[k].residual_relative);
  s = (seen){.stop_after = 0};
  r = support_bench_solve(&b);
  ck_assert_int_ge(s.calls, 1);
  ck_assert_int_le(s.calls, 2);
  ck_assert_int_eq(r.cycles, s.calls);
  ck_assert_int_eq(r.reason, HYMG_REASON_STOPPED);
  ck_assert(!r.converged);
  support_bench_close(&b);
}
END_TEST

START_TEST(a_start_value_is_used_and_else_ignored)
{
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-9, 30);
  if (_i) o.method = HYMG_MGPCG;
  o.initial_guess = true;
  support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
  OK(b.k.context, hymg_field_fill(b.u, 0.0));
  hymg_result r = support_bench_solve(&b);
  int from_zero = r.cycles;
  double *first = support_read(&b.k, 0, b.u);
  ck_assert_int_gt(from_zero, 3);
  r = support_bench_solve(&b);
  ck_assert_int_le(r.cycles, 1);
  ck_assert(r.converged);
  o.initial_guess = false;
  o = support_options(o);
  hymg_solver_destroy(&b.k.solver);
  OK(b.k.context, hymg_solver_create(b.k.op, &o, &b.k.solver));
  OK(b.k.context, hymg_field_fill(b.u, NAN));
  r = support_bench_solve(&b);
  double *second = support_read(&b.k, 0, b.u);
  ck_assert_int_eq(r.cycles, from_zero);
  ck_assert(support_same_bits(b.cells, first, second));
  free(first);
  free(second);
  support_bench_close(&b);
}
END_TEST

/* Products of such numbers leave the range of doubles, the numbers themselves do not. */
START_TEST(conjugate_gradients_scale_with_f_to_the_ends_of_the_range)
{
  static const int exponent[] = {300, -300, 960, -960};
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-9, 30);
  o.method = HYMG_MGPCG;
  o.norm = _i & 1 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  o.initial_guess = _i & 2;
  support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.0, &o);
  OK(b.k.context, hymg_field_fill(b.u, 0.5));
  const hymg_result plain = support_bench_solve(&b);
  double *want = support_read(&b.k, 0, b.u);
  ck_assert(plain.converged && plain.cycles > 3);
  for (int m = 0; m < 4; m++) {
    const double factor = ldexp(1, exponent[m]);
    OK(b.k.context, hymg_field_scale(factor, b.ff));
    OK(b.k.context, hymg_field_fill(b.u, 0.5 * factor));
    const hymg_result r = support_bench_solve(&b);
    ck_assert_msg(r.converged, "2^%d: %s", exponent[m], hymg_reason_name(r.reason));
    ck_assert_int_eq(r.cycles, plain.cycles);
    ck_assert_double_eq(r.residual_max, plain.residual_max * factor);
    OK(b.k.context, hymg_field_scale(1 / factor, b.ff));
    OK(b.k.context, hymg_field_scale(1 / factor, b.u));
    double *got = support_read(&b.k, 0, b.u);
    ck_assert(support_same_bits(b.cells, got, want));
    free(got);
  }
  free(want);
  support_bench_close(&b);
}
END_TEST

/* New coefficients through an update: the bits of a new solver. */
START_TEST(an_update_gives_what_a_new_solver_gives)
{
  hymg_options o = support_mg(HYMG_CYCLE_F, 1e-30, 3);
  const char *boundary = _i ? "dd pp dd" : "nd pp dd";
  support_bench b = support_bench_cube(_i ? HYMG_FV4 : HYMG_FV2, boundary, 0.5, &o);
  double *other[4];
  static const int low[3] = {0, 0, 0};
  support_bench_solve(&b);
  for (int c = 0; c < 4; c++) {
    int n[3] = {16, 16, 16};
    if (c > 0) n[c - 1]++;
    ptrdiff_t rows[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    other[c] = support_random((size_t)(n[0] * n[1] * n[2]), 0.97, 1.02, 50u + (unsigned)c);
    OK(b.k.context, hymg_field_write(b.k.coefficient[c], low, n, rows, other[c], HYMG_HOST));
  }
  b.k.desc.a = 2.5;
  b.k.desc.b = 1.25;
  OK(b.k.context, hymg_operator_set(b.k.op, &b.k.desc));
  OK(b.k.context, hymg_solver_update(b.k.solver));
  support_bench_solve(&b);
  double *got = support_read(&b.k, 0, b.u);
  support_case c =
      support_case_of(_i ? HYMG_FV4 : HYMG_FV2, (const int[3]){16, 16, 16}, boundary, 0.5);
  c.spec.a = 2.5;
  c.spec.b = 1.25;
  c.spec.alpha = other[0];
  for (int d = 0; d < 3; d++)
    c.spec.beta[d] = other[d + 1];
  support_bench fresh = support_bench_open(c, &o);
  support_bench_solve(&fresh);
  double *want = support_read(&fresh.k, 0, fresh.u);
  ck_assert(support_same_bits(b.cells, got, want));
  support_bench_close(&fresh);
  support_bench_close(&b);
  for (int n = 0; n < 4; n++)
    free(other[n]);
  free(got);
  free(want);
}
END_TEST

/* A constant alpha of 0 that becomes 1 is a change like any other. */
START_TEST(an_update_follows_a_constant_alpha_from_and_to_zero)
{
  double want = 0.0, got = 0.0;
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 0.0);
  support_bench b = support_bench_open(c, NULL);
  OK(b.k.context, hymg_operator_get(b.k.op, &b.k.desc));
  hymg_operator_desc desc = b.k.desc;
  desc.a = 2.0;
  desc.alpha_constant = 0.0;
  hymg_solver_destroy(&b.k.solver);
  hymg_operator_destroy(&b.k.op);
  OK(b.k.context, hymg_operator_create(b.k.grid, &desc, &b.k.op));
  const hymg_options o = support_options(hymg_options_default());
  OK(b.k.context, hymg_solver_create(b.k.op, &o, &b.k.solver));
  OK(b.k.context, hymg_field_fill(b.u, 1.0));
  OK(b.k.context, hymg_apply(b.k.solver, 0, b.u, b.ff));
  OK(b.k.context, hymg_field_mean(b.ff, &want));
  desc.alpha_constant = 1.5;
  OK(b.k.context, hymg_operator_set(b.k.op, &desc));
  OK(b.k.context, hymg_solver_update(b.k.solver));
  OK(b.k.context, hymg_apply(b.k.solver, 0, b.u, b.ff));
  OK(b.k.context, hymg_field_mean(b.ff, &got));
  ck_assert_double_eq_tol(got, want + 3.0, 1e-12 * want);
  support_bench_close(&b);
}
END_TEST

START_TEST(coefficients_may_be_destroyed_between_updates)
{
  support_bench b = support_bench_cube(HYMG_FV2, "dd dd dd", 0.5, NULL);
  support_bench_solve(&b);
  double *want = support_read(&b.k, 0, b.u);
  for (int c = 0; c < 10; c++)
    hymg_field_destroy(&b.k.coefficient[c]);
  OK(b.k.context, hymg_field_fill(b.u, NAN));
  support_bench_solve(&b);
  double *got = support_read(&b.k, 0, b.u);
  ck_assert(support_same_bits(b.cells, got, want));
  free(want);
  free(got);
  support_bench_close(&b);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("results");
  TCase *t = tcase_create("results");
  tcase_add_loop_test(t, every_method_converges_and_its_history_is_true, 0, small ? 1 : 10);
  tcase_add_test(t, one_f_cycle_ends_by_its_limit_and_counts_as_converged);
  tcase_add_test(t, the_limit_and_rounding_are_reported_as_such);
  tcase_add_test(t, a_solve_that_blows_up_is_reported_as_diverged);
  tcase_add_loop_test(t, the_default_cycle_suits_method_and_start, 0, small ? 1 : 4);
  tcase_add_loop_test(t, nan_or_infinity_in_f_ends_as_not_finite, 0, small ? 2 : 6);
  tcase_add_loop_test(t, a_zero_right_hand_side_gives_zero, 0, 5);
  tcase_add_test(t, the_monitor_sees_every_cycle_and_may_stop);
  tcase_add_loop_test(t, a_start_value_is_used_and_else_ignored, 0, small ? 1 : 2);
  tcase_add_loop_test(t, conjugate_gradients_scale_with_f_to_the_ends_of_the_range, 0, 4);
  tcase_add_loop_test(t, an_update_gives_what_a_new_solver_gives, 0, small ? 1 : 2);
  tcase_add_test(t, an_update_follows_a_constant_alpha_from_and_to_zero);
  tcase_add_test(t, coefficients_may_be_destroyed_between_updates);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
