/* The benchmark problems against quadrature and numerical differentiation, written from their
 * formulas with libm and independent of the tables, roots and exponentials in problem.c. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { NX = 5, NY = 3, NZ = 4, CELLS = NX * NY * NZ };

static const double node[3] = {-0.38729833462074168852, 0.0, 0.38729833462074168852};
static const double weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/* A function of a point. */
typedef double (*function)(const problem *p, const double x[3]);

/* Of waves: product of cos(k x + s) over the axes, of one without its mean. */
static double cosines(const problem *p, const double k[3], const double s[3], const double x[3])
{
  double product = 1.0;
  for (int d = 0; d < 3; d++)
    product *= cos(k[d] * x[d] + s[d]) -
               (p->shift[d] && k == p->wave ? (sin(k[d] + s[d]) - sin(s[d])) / k[d] : 0);
  return product;
}

static double exact_at(const problem *p, const double x[3])
{
  if (p->kind == PROBLEM_WAVES) return cosines(p, p->wave, p->phase, x);
  double one = 1.0, other = 1.0;
  for (int d = 0; d < 3; d++) {
    if (p->kind == PROBLEM_P6) {
      one *= 2 * pow(x[d], 6) - 6 * pow(x[d], 5) + 5 * pow(x[d], 4) - x[d] * x[d] +
             (p->shift[d] ? 1.0 / 21 : 0);
    } else {
      one *= pow(sin(2 * PI * x[d]), 13);
      other *= pow(sin(6 * PI * x[d]), 13);
    }
  }
  return p->kind == PROBLEM_P6 ? one : one + other;
}

static double beta_at(const problem *p, const double x[3])
{
  static const double q[3] = {2.0, 2 * PI, 1.4}, s[3] = {1.2, 1.6, 2.0};
  double r = 0.0;
  if (!p->variable) return 1.0;
  if (p->kind == PROBLEM_WAVES) return 1.5 + 0.4 * cosines(p, q, s, x);
  if (p->kind == PROBLEM_FV)
    return 1 + 0.25 * sin(2 * PI * x[0]) * sin(2 * PI * x[1]) * sin(2 * PI * x[2]);
  for (int d = 0; d < 3; d++)
    r += (x[d] - 0.5) * (x[d] - 0.5);
  return 5.5 + 4.5 * tanh(10 * (sqrt(r) - 0.25));
}

static double fv_rhs_at(const problem *p, const double x[3])
{
  (void)p;
  return pow(sin(2 * PI * x[0]) * sin(2 * PI * x[1]) * sin(2 * PI * x[2]), 7);
}

/* beta du/dx_d, the derivative by fourth-order differences. */
static double flux_at(const problem *p, const double x[3], int d)
{
  static const double step = 3e-4;
  double y[3] = {x[0], x[1], x[2]}, u[5];
  for (int n = -2; n <= 2; n++) {
    y[d] = x[d] + n * step;
    u[n + 2] = exact_at(p, y);
  }
  return beta_at(p, x) * (8 * (u[3] - u[1]) - (u[4] - u[0])) / (12 * step);
}

static double equation_at(const problem *p, const double x[3])
{
  static const double step = 3e-4;
  double sum = p->a * exact_at(p, x);
  for (int d = 0; d < 3; d++) {
    double y[3] = {x[0], x[1], x[2]}, flux[5];
    for (int n = -2; n <= 2; n++) {
      y[d] = x[d] + n * step;
      flux[n + 2] = flux_at(p, y, d);
    }
    sum -= p->b * (8 * (flux[3] - flux[1]) - (flux[4] - flux[0])) / (12 * step);
  }
  return sum;
}

/* Average over a cell, or over the low face normal to axis, by 3-point Gauss. */
static double average(function f, const problem *p, const problem_range *r, const int at[3],
                      int axis)
{
  double sum = 0.0;
  for (int q = 0; q < 27; q++) {
    const int m[3] = {q % 3, q / 3 % 3, q / 9};
    double x[3], w = 1.0;
    for (int d = 0; d < 3; d++) {
      x[d] = (r->low[d] + at[d] + (d == axis ? 0.0 : 0.5 + node[m[d]])) * r->spacing[d];
      w *= weight[m[d]];
    }
    sum += w * f(p, x);
  }
  return sum;
}

/* A brick off the origin, unequal spacings. */
static problem_range brick(void)
{
  return (problem_range){{1.0 / 32, 1.0 / 20, 1.0 / 24}, {7, 3, 5}, {NX, NY, NZ}, {1, NX, NX * NY}};
}

static void assert_averages(const char *what, function f, const problem *p, int axis,
                            const double *got, double tolerance)
{
  const problem_range r = brick();
  double want[CELLS];
  char where[64];
  snprintf(where, sizeof where, "problem %d, variable %d, axis %d", (int)p->kind, p->variable,
           axis);
  for (int n = 0; n < CELLS; n++)
    want[n] = average(f, p, &r, (const int[3]){n % NX, n / NX % NY, n / NX / NY}, axis);
  support_assert_close(what, where, CELLS, got, want, tolerance);
}

static problem case_of(int kind, int variable)
{
  problem p = {
      .kind = (problem_kind)kind, .variable = variable, .a = 0.7, .b = 1.3, .shift = {0, 1, 0}};
  for (int axis = 0; kind == PROBLEM_WAVES && axis < 3; axis++)
    problem_set_wave(&p, axis, axis == 1);
  return p;
}

/* Rounding only: 27 terms and functions within a few ulp. */
START_TEST(exact_solutions_are_averaged)
{
  const problem p = case_of(_i, true);
  const problem_range r = brick();
  double u[CELLS];
  ck_assert(problem_fill(&p, PROBLEM_EXACT, 0, &r, u));
  assert_averages("u", exact_at, &p, -1, u, 2e-14);
}
END_TEST

START_TEST(beta_is_averaged_over_faces)
{
  const problem_range r = brick();
  double beta[CELLS];
  for (int variable = 0; variable < 2; variable++) {
    const problem p = case_of(_i, variable);
    for (int axis = 0; axis < 3; axis++) {
      ck_assert(problem_fill(&p, PROBLEM_BETA, axis, &r, beta));
      assert_averages("beta", beta_at, &p, axis, beta, 2e-14);
    }
  }
}
END_TEST

/* sine varies over 1/70: differences with 3e-4 err by (3e-4 * 70)^4 / 30 = 6e-9 each way, and by
 * rounding. */
START_TEST(right_hand_sides_solve_the_equation)
{
  const problem_range r = brick();
  double f[CELLS];
  for (int variable = 0; variable < 2; variable++) {
    const problem p = case_of(_i, variable);
    ck_assert(problem_fill(&p, PROBLEM_RHS, 0, &r, f));
    assert_averages("f", equation_at, &p, -1, f, 1e-6);
  }
}
END_TEST

/* The fv averages differ from exact ones by O(h^4): halving h divides the difference by 16.
 * Three-point Gauss is exact to O(h^6). */
static double fv_difference(int axis, int n)
{
  const problem p = case_of(PROBLEM_FV, true);
  const problem_range r = {
      {1.0 / n, 0.5 / n, 1.0 / n}, {n / 8, n / 4, n / 16}, {1, 1, 1}, {1, 1, 1}};
  double got;
  ck_assert(axis < 0 ? problem_fill(&p, PROBLEM_RHS, 0, &r, &got)
                     : problem_fill(&p, PROBLEM_BETA, axis, &r, &got));
  return fabs(got - average(axis < 0 ? fv_rhs_at : beta_at, &p, &r, (const int[3]){0, 0, 0}, axis));
}

START_TEST(fv_averages_are_of_fourth_order)
{
  const double ratio = fv_difference(_i, 512) / fv_difference(_i, 1024);
  ck_assert_msg(ratio > 15 && ratio < 17, "axis %d: halving h divides the error by %g", _i, ratio);
}
END_TEST

/* Any part of a range, in any strides, has the bits of the whole: results do not depend on the
 * decomposition. */
START_TEST(parts_have_the_bits_of_the_whole)
{
  const problem p = case_of(_i, true);
  enum { N = 13, PART = 4 };
  double whole[N * N * N], part[2 * PART * PART * PART];
  problem_range r = {{1.0 / N, 1.0 / N, 1.0 / N}, {0, 0, 0}, {N, N, N}, {1, N, N * N}};
  for (int axis = -2; axis < 3; axis++) {
    problem_range s = {
        {1.0 / N, 1.0 / N, 1.0 / N}, {3, 9, 6}, {PART, PART, PART}, {2 * PART * PART, 2, 2 * PART}};
    ck_assert(axis == -2   ? problem_fill(&p, PROBLEM_EXACT, 0, &r, whole)
              : axis == -1 ? problem_fill(&p, PROBLEM_RHS, 0, &r, whole)
                           : problem_fill(&p, PROBLEM_BETA, axis, &r, whole));
    ck_assert(axis == -2   ? problem_fill(&p, PROBLEM_EXACT, 0, &s, part)
              : axis == -1 ? problem_fill(&p, PROBLEM_RHS, 0, &s, part)
                           : problem_fill(&p, PROBLEM_BETA, axis, &s, part));
    for (int n = 0; n < PART * PART * PART; n++) {
      const int i = n % PART, j = n / PART % PART, k = n / PART / PART;
      ck_assert(part[i * s.stride[0] + j * s.stride[1] + k * s.stride[2]] ==
                whole[(3 + i) + N * ((9 + j) + N * (6 + k))]);
    }
  }
}
END_TEST

/* Up to a part `least` of the largest value. */
static void assert_mean_zero(const problem *p, double least)
{
  enum { N = 16 };
  double *u = support_exact(p, N), sum = 0.0;
  for (int n = 0; n < N * N * N; n++)
    sum += u[n];
  ck_assert(fabs(sum) / (N * N * N) < least * support_max((size_t)N * N * N, u));
  free(u);
}

/* So a singular system has exactly this solution; 3-point Gauss leaves O(h^6). */
START_TEST(shifted_p6_has_mean_zero)
{
  const problem p = {.kind = PROBLEM_P6, .b = 1.0, .shift = {true, true, true}};
  assert_mean_zero(&p, 1e-7);
}
END_TEST

/* At a point of a boundary: condition u + condition du/dn, the derivative by differences. */
static double data_at(const problem *p, const double x[3])
{
  static const double step = 1e-4;
  int face = 0;
  for (int d = 0; d < 3; d++)
    if (fabs(x[d] - 0.5) > 0.5 - 1e-9) face = 2 * d + (x[d] > 0.5);
  double y[3] = {x[0], x[1], x[2]}, u[2];
  for (int n = 0; n < 2; n++) {
    y[face / 2] = x[face / 2] + (n ? step : -step);
    u[n] = exact_at(p, y);
  }
  const double slope = (u[1] - u[0]) / (2 * step), *c = p->condition[face];
  return c[0] * exact_at(p, x) + c[1] * (face % 2 ? slope : -slope);
}

START_TEST(data_of_waves_are_the_conditions_of_the_solution)
{
  problem p = case_of(PROBLEM_WAVES, true);
  const int axis = _i / 2, side = _i % 2;
  double got[CELLS], want[CELLS];
  problem_range r = brick();
  ck_assert(problem_has_data(&p));
  p.condition[_i][0] = 0.3 + _i, p.condition[_i][1] = 2.0 - 0.3 * _i;
  r.low[axis] = side ? (int)lround(1 / r.spacing[axis]) : 0, r.count[axis] = 1;
  ck_assert(problem_fill(&p, PROBLEM_BOUNDARY, _i, &r, got));
  const int m[3] = {r.count[0], r.count[1], r.count[2]}, entries = m[0] * m[1] * m[2];
  for (int k = 0; k < m[2]; k++)
    for (int j = 0; j < m[1]; j++)
      for (int i = 0; i < m[0]; i++) {
        const int n = i + m[0] * (j + m[1] * k);
        want[n] = average(data_at, &p, &r, (const int[3]){i, j, k}, axis);
        got[n] = got[i * r.stride[0] + j * r.stride[1] + k * r.stride[2]];
      }
  support_assert_close("data", "waves", (size_t)entries, got, want, 1e-7);
}
END_TEST

START_TEST(shifted_waves_have_mean_zero)
{
  problem p = {.kind = PROBLEM_WAVES, .b = 1.0, .shift = {true, true, true}};
  for (int axis = 0; axis < 3; axis++)
    problem_set_wave(&p, axis, axis == _i);
  assert_mean_zero(&p, 1e-10);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("problem");
  TCase *tests = tcase_create("problem");
  tcase_add_loop_test(tests, exact_solutions_are_averaged, PROBLEM_P6, PROBLEM_SINE + 1);
  tcase_add_loop_test(tests, beta_is_averaged_over_faces, PROBLEM_P6, PROBLEM_SINE + 1);
  tcase_add_loop_test(tests, right_hand_sides_solve_the_equation, PROBLEM_P6, PROBLEM_SINE + 1);
  tcase_add_loop_test(tests, fv_averages_are_of_fourth_order, -1, 3);
  tcase_add_loop_test(tests, parts_have_the_bits_of_the_whole, PROBLEM_FV, PROBLEM_SINE + 1);
  tcase_add_test(tests, shifted_p6_has_mean_zero);
  tcase_add_loop_test(tests, exact_solutions_are_averaged, PROBLEM_WAVES, PROBLEM_WAVES + 1);
  tcase_add_loop_test(tests, beta_is_averaged_over_faces, PROBLEM_WAVES, PROBLEM_WAVES + 1);
  tcase_add_loop_test(tests, right_hand_sides_solve_the_equation, PROBLEM_WAVES, PROBLEM_WAVES + 1);
  tcase_add_loop_test(tests, parts_have_the_bits_of_the_whole, PROBLEM_WAVES, PROBLEM_WAVES + 1);
  tcase_add_loop_test(tests, data_of_waves_are_the_conditions_of_the_solution, 0, 6);
  tcase_add_loop_test(tests, shifted_waves_have_mean_zero, -1, 3);
  suite_add_tcase(suite, tests);
  return support_run(suite);
}
