/* The oracle itself gives the published digits of HPGMG-FV: so what the other suites compare with
 * it is right. */
#include "support/reference.h"
#include "support/support.h"
#include <math.h>
#include <stdlib.h>

static void assert_relative(const char *name, const char *what, double got, double want,
                            double tolerance)
{
  ck_assert_msg(fabs(got - want) <= tolerance * fabs(want), "%s: %s is %.15e, not %.15e", name,
                what, got, want);
}

/* u of one F-cycle from each of the first levels, f restricted; relative[l] the residual after it.
 */
static void solve_levels(oracle *o, int levels, const double *f, double *u[3], double relative[3])
{
  double *at = NULL;
  for (int l = 0; l < levels; l++) {
    double *next = support_poison(o->level[l].cells);
    if (l > 0) oracle_restrict(o, l - 1, l > 1 ? at : f, next);
    u[l] = support_poison(o->level[l].cells);
    relative[l] =
        oracle_solve(o, l, HYMG_FMG, HYMG_CYCLE_F, 1, false, l ? next : f, u[l]).relative[0];
    free(at);
    at = next;
  }
  free(at);
}

/* max |u_coarse - R u_fine| */
static double richardson(oracle *o, int l, const double *fine, const double *coarse)
{
  size_t cells = o->level[l + 1].cells;
  double *mean = support_poison(cells);
  oracle_restrict(o, l, fine, mean);
  double error = support_difference(cells, coarse, mean);
  free(mean);
  return error;
}

static void check_f_cycles(const reference *r, oracle *o, double *u[3], const double relative[3])
{
  size_t cells = o->level[0].cells;
  assert_relative(r->name, "relative residual", relative[0], r->relative[0], 1e-9);
  assert_relative(r->name, "max|u|", support_max(cells, u[0]), r->max, 1e-10);
  if (r->rms != 0.0) assert_relative(r->name, "rms u", support_rms(cells, u[0]), r->rms, 1e-10);
  if (r->error == 0.0) return;
  double error = richardson(o, 0, u[0], u[1]);
  assert_relative(r->name, "Richardson error", error, r->error, 1e-10);
  ck_assert_double_eq_tol(log2(richardson(o, 1, u[1], u[2]) / error), r->order, 6e-5);
}

static void check_lambda(const reference *r, const oracle *o)
{
  const double *want = r->stencil == HYMG_FV4 ? reference_lambda_fv4 : reference_lambda_fv2;
  ck_assert_int_eq(o->levels, r->stencil == HYMG_FV4 ? 6 : 7);
  for (int l = 0; l < o->levels; l++)
    assert_relative(r->name, "lambda_max", o->level[l].lambda_max, want[l], 2e-14);
}

START_TEST(f_and_v_cycles_give_the_published_digits)
{
  const reference *r = &references[_i];
  double *f, *u[3], relative[3];
  support_case c =
      support_case_of_problem(PROBLEM_FV, r->stencil, r->n, r->boundary, r->extrapolation_box, &f);
  oracle *o = oracle_create(&c.spec);
  int levels = r->error != 0.0 ? 3 : 1, v_cycles = reference_length(r) - 1;
  solve_levels(o, levels, f, u, relative);
  check_f_cycles(r, o, u, relative);
  if (r->n == 64) check_lambda(r, o);
  oracle_history h = oracle_solve(o, 0, HYMG_MG, HYMG_CYCLE_V, v_cycles, true, f, u[0]);
  for (int k = 0; k < v_cycles; k++)
    assert_relative(r->name, "relative residual", h.relative[k], r->relative[k + 1],
                    reference_tolerance(r, k + 1));
  for (int l = 0; l < levels; l++)
    free(u[l]);
  oracle_destroy(o);
  support_case_free(&c);
  free(f);
}
END_TEST

START_TEST(conjugate_gradients_give_the_published_digits)
{
  const reference *r = &references[_i];
  double *f;
  support_case c =
      support_case_of_problem(PROBLEM_FV, r->stencil, r->n, r->boundary, r->extrapolation_box, &f);
  c.spec.smoother = r->smoother;
  oracle *o = oracle_create(&c.spec);
  double *u = support_poison(o->level[0].cells);
  oracle_history h = oracle_solve(o, 0, HYMG_MGPCG, HYMG_CYCLE_V, reference_length(r), false, f, u);
  for (int k = 0; k < h.cycles; k++)
    assert_relative(r->name, "relative residual", h.relative[k], r->relative[k],
                    reference_tolerance(r, k));
  oracle_destroy(o);
  support_case_free(&c);
  free(f);
  free(u);
}
END_TEST

START_TEST(p6_error_is_the_published_one)
{
  double *f, *u[3], relative[3];
  support_case c = support_case_of_problem(PROBLEM_P6, HYMG_FV4, 64, HYMG_DIRICHLET, 32, &f);
  problem p = {.kind = PROBLEM_P6, .variable = true, .b = 1.0};
  oracle *o = oracle_create(&c.spec);
  solve_levels(o, 3, f, u, relative);
  for (int l = 0; l < 3; l++) {
    double *exact = support_exact(&p, 64 >> l);
    assert_relative(c.name, "max error", support_difference(o->level[l].cells, u[l], exact),
                    reference_p6_fv4[l], 2e-7);
    free(exact);
    free(u[l]);
  }
  assert_relative(c.name, "relative residual", relative[0], reference_p6_fv4_relative, 3e-9);
  oracle_destroy(o);
  support_case_free(&c);
  free(f);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("oracle");
  TCase *t = tcase_create("published digits");
  if (support_small()) {
    tcase_add_loop_test(t, f_and_v_cycles_give_the_published_digits, 2, 3);
  } else {
    tcase_add_loop_test(t, f_and_v_cycles_give_the_published_digits, 0, 4);
    tcase_add_loop_test(t, conjugate_gradients_give_the_published_digits, 6, 7);
    tcase_add_test(t, p6_error_is_the_published_one);
  }
  suite_add_tcase(suite, t);
  return support_run(suite);
}
