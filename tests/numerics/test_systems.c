/* Kinds of systems and bottom solvers: the mean is removed from singular systems, not from
 * Helmholtz ones; every bottom solver works, also if the grid does not coarsen at all. */
#include "support/bench.h"
#include <math.h>
#include <stdlib.h>

START_TEST(a_singular_system_loses_its_means_and_says_so)
{
  static const char *const mixes[3] = {"pp pp pp", "nn nn nn", "pp nn pp"};
  hymg_options o = support_mg(HYMG_CYCLE_F, 1e-9, 40);
  if (_i % 2) {
    o.method = HYMG_MGPCG;
    o.cycle = HYMG_CYCLE_V;
  }
  support_bench b = support_bench_cube(_i == 6 ? HYMG_FV4 : HYMG_FV2, mixes[_i / 2 % 3], 0.0, &o);
  for (size_t i = 0; i < b.cells; i++)
    b.f[i] += 5e-5;
  hymg_field_destroy(&b.ff);
  b.ff = support_field(&b.k, 0, b.f);
  hymg_result r = support_bench_solve(&b);
  double mean, max;
  OK(b.k.context, hymg_field_mean(b.u, &mean));
  OK(b.k.context, hymg_field_max(b.u, &max));
  ck_assert(r.singular);
  ck_assert(r.converged);
  ck_assert_double_eq_tol(r.mean_removed, 5e-5, 1e-16);
  ck_assert_double_lt(fabs(mean), 1e-15 * max);
  support_bench_close(&b);
}
END_TEST

START_TEST(helmholtz_is_not_singular_and_constants_solve_it)
{
  support_case c =
      support_case_of(_i ? HYMG_FV4 : HYMG_FV2, (const int[3]){16, 8, 12}, "pp pp pp", 1.0);
  hymg_options o = support_mg(HYMG_CYCLE_F, 1e-13, 40);
  support_bench b = support_bench_open(c, &o);
  hymg_field *alpha = support_field(&b.k, 0, c.alpha);
  hymg_result r;
  OK(b.k.context, hymg_solve(b.k.solver, alpha, b.u, &r)); /* f = alpha: u = 1 */
  double *u = support_read(&b.k, 0, b.u);
  ck_assert(!r.singular);
  ck_assert_double_eq(r.mean_removed, 0.0);
  for (size_t i = 0; i < b.cells; i++)
    ck_assert_double_eq_tol(u[i], 1.0, 1e-10);
  hymg_field_destroy(&alpha);
  free(u);
  support_bench_close(&b);
}
END_TEST

/* alpha given as a field of zeros makes a > 0 singular all the same. */
START_TEST(a_helmholtz_term_that_vanishes_is_singular)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "pp pp pp", 1.0);
  for (int i = 0; i < 512; i++)
    c.alpha[i] = 0.0;
  support_bench b = support_bench_open(c, NULL);
  ck_assert(support_bench_solve(&b).singular);
  support_bench_close(&b);
}
END_TEST

START_TEST(every_bottom_solver_reduces_by_a_thousand)
{
  support_case c =
      support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){9, 7, 5}, "dd dd dd", 0.0);
  c.spec.bottom = (hymg_bottom)(_i / 2);
  support_bench b = support_bench_open(c, NULL);
  ck_assert_int_eq(hymg_solver_num_levels(b.k.solver), 1);
  hymg_result r = support_bench_solve(&b);
  double limit = c.spec.bottom == HYMG_BOTTOM_SMOOTHER ? 0.9 : 1.001e-3;
  ck_assert_msg(r.history[0].residual_relative <= limit, "bottom %d: %.3g", (int)c.spec.bottom,
                r.history[0].residual_relative);
  support_bench_close(&b);
}
END_TEST

START_TEST(every_bottom_solver_serves_a_multigrid_solve)
{
  hymg_options o = support_mg(HYMG_CYCLE_V, 1e-9, 40);
  support_case c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){12, 20, 28},
                                   _i % 3 ? "dd pp dd" : "pp pp pp", 0.0);
  c.spec.bottom = (hymg_bottom)(_i / 2);
  support_bench b = support_bench_open(c, &o);
  hymg_result r = support_bench_solve(&b);
  ck_assert_msg(r.converged, "bottom %d: %s after %d, %.3g", (int)c.spec.bottom,
                hymg_reason_name(r.reason), r.cycles, r.history[r.cycles - 1].residual_relative);
  support_bench_close(&b);
}
END_TEST

/* Every cycle is the bottom solver alone, and must go on from where u is. */
START_TEST(a_grid_that_does_not_coarsen_converges_too)
{
  hymg_options o = support_mg((hymg_cycle)(_i % 3), 1e-9, 20);
  if (_i == 3) o.method = HYMG_MGPCG;
  support_bench b =
      support_bench_open(support_case_of(HYMG_FV2, (const int[3]){5, 7, 3}, "dd pp dd", 0.0), &o);
  hymg_result r = support_bench_solve(&b);
  ck_assert_int_eq(hymg_solver_num_levels(b.k.solver), 1);
  ck_assert_msg(r.converged, "%s after %d cycles, relative residual %.3g",
                hymg_reason_name(r.reason), r.cycles, r.history[r.cycles - 1].residual_relative);
  support_bench_close(&b);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("systems");
  TCase *t = tcase_create("systems");
  tcase_add_loop_test(t, a_singular_system_loses_its_means_and_says_so, 0, small ? 1 : 7);
  tcase_add_loop_test(t, helmholtz_is_not_singular_and_constants_solve_it, 0, small ? 1 : 2);
  tcase_add_test(t, a_helmholtz_term_that_vanishes_is_singular);
  tcase_add_loop_test(t, every_bottom_solver_reduces_by_a_thousand, 0, small ? 4 : 10);
  tcase_add_loop_test(t, every_bottom_solver_serves_a_multigrid_solve, 0, small ? 1 : 10);
  tcase_add_loop_test(t, a_grid_that_does_not_coarsen_converges_too, 0, small ? 1 : 4);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
