/* What must hold whatever the numbers: symmetry where the scheme is symmetric, constants in the
 * null space, conservation, exactness on polynomials, linearity, scaling by powers of two and
 * shifts along periodic axes bit for bit. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *applied(support_kit *k, const double *x)
{
  hymg_field *xf = support_field(k, 0, x), *y = support_field(k, 0, x);
  OK(k->context, hymg_field_fill(y, NAN));
  OK(k->context, hymg_apply(k->solver, 0, xf, y));
  double *got = support_read(k, 0, y);
  hymg_field_destroy(&xf);
  hymg_field_destroy(&y);
  return got;
}

static double *solved(support_kit *k, const double *f)
{
  hymg_field *ff = support_field(k, 0, f), *u = support_field(k, 0, f);
  OK(k->context, hymg_field_fill(u, NAN));
  OK(k->context, hymg_solve(k->solver, ff, u, NULL));
  double *got = support_read(k, 0, u);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  return got;
}

/* ---- symmetry ---- */

/* |<Ax, y> - <x, Ay>| over |<Ax, y>| + |A||x||y|: sums of some 10^3 terms, so 1e-13 is rounding. */
static double asymmetry(const support_case *c)
{
  support_kit k = support_open(&c->spec, NULL, NULL);
  size_t cells;
  int n[3];
  support_cells(&k, 0, n, &cells);
  double *x = support_random(cells, -1, 1, 1), *y = support_random(cells, -1, 1, 2);
  double *ax = applied(&k, x), *ay = applied(&k, y);
  double scale = (double)cells * support_rms(cells, ax) * support_rms(cells, y);
  double defect = fabs(support_dot(cells, ax, y) - support_dot(cells, x, ay)) / scale;
  support_close(&k);
  free(x);
  free(y);
  free(ax);
  free(ay);
  return defect;
}

START_TEST(fv2_is_symmetric_but_for_the_quadratic_extrapolation)
{
  static const char *const mixes[4] = {"pp pp pp", "nn nn nn", "pp nn pp", "dd nd dd"};
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 10, 6}, mixes[_i], 0.5);
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  ck_assert_double_lt(asymmetry(&c), 1e-13);
  support_case_free(&c);
}
END_TEST

/* g = -5/2 x1 + 1/2 x2 puts b beta / (2 h^2) into the boundary cell's row and nothing into its
 * neighbour's. */
START_TEST(the_quadratic_extrapolation_is_unsymmetric_by_half_a_face)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){4, 4, 4}, "dd pp pp", 0.0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double first[64] = {0}, second[64] = {0};
  first[0] = 1.0;
  second[1] = 1.0;
  double *a_first = applied(&k, first), *a_second = applied(&k, second);
  double want = -0.5 * c.spec.b * c.spec.beta[0][0] / (c.spec.h[0] * c.spec.h[0]);
  ck_assert_double_eq_tol(a_second[0] - a_first[1], want, 1e-12 * fabs(want));
  support_close(&k);
  support_case_free(&c);
  free(a_first);
  free(a_second);
}
END_TEST

START_TEST(fv4_is_symmetric_with_constant_coefficients_and_periodic_axes_alone)
{
  support_case c = support_case_of(HYMG_FV4, (const int[3]){8, 10, 6}, "pp pp pp", 0.0);
  ck_assert_double_gt(asymmetry(&c), 1e-8);
  for (int d = 0; d < 3; d++)
    c.spec.beta[d] = NULL;
  ck_assert_double_lt(asymmetry(&c), 1e-13);
  support_case_free(&c);
}
END_TEST

/* ---- constants, conservation ---- */

static support_case singular_case(int which)
{
  static const char *const mixes[4] = {"pp pp pp", "nn nn nn", "pp nn pp", "pp pp pp"};
  return support_case_of(which == 3 ? HYMG_FV4 : HYMG_FV2, (const int[3]){9, 6, 8}, mixes[which],
                         0.0);
}

START_TEST(constants_are_in_the_null_space)
{
  support_case c = singular_case(_i);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double ones[9 * 6 * 8];
  for (size_t i = 0; i < 432; i++)
    ones[i] = 1.0;
  double *y = applied(&k, ones);
  ck_assert_double_lt(support_max(432, y), 1e-11); /* entries of A are some 10^3 */
  support_close(&k);
  support_case_free(&c);
  free(y);
}
END_TEST

START_TEST(fluxes_cancel_in_the_sum)
{
  support_case c = singular_case(_i);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double *x = support_random(432, -1, 1, 1), *y = applied(&k, x), sum = 0.0;
  for (size_t i = 0; i < 432; i++)
    sum += y[i];
  ck_assert_double_lt(fabs(sum), 1e-12 * 432 * support_max(432, y));
  support_close(&k);
  support_case_free(&c);
  free(x);
  free(y);
}
END_TEST

/* ---- exactness ---- */

/* (u, f) of the point; averaged over cells by 3-point Gauss, exact to degree 5. beta = beta0 +
 * beta1 . x. */
typedef struct polynomial {
  double (*u)(const double x[3]);
  double (*f)(const double x[3]);
  double beta0, beta1[3];
  hymg_stencil stencil;
  int margin; /* cells next to a boundary that are left out */
} polynomial;

static double cubic(const double x[3])
{
  return 1 + x[0] - 2 * x[1] * x[2] + 3 * x[0] * x[0] * x[0] - x[1] * x[1] * x[2] +
         x[0] * x[1] * x[2] + 2 * x[2] * x[2] * x[2];
}

static double cubic_laplacian(const double x[3])
{
  return 18 * x[0] - 2 * x[2] + 12 * x[2];
}

static double minus_cubic_laplacian(const double x[3])
{
  return -cubic_laplacian(x);
}

/* beta = 1 + x/2 - y/4 + z/8 */
static double cubic_flux(const double x[3])
{
  double grad[3] = {1 + 9 * x[0] * x[0] + x[1] * x[2], -2 * x[2] - 2 * x[1] * x[2] + x[0] * x[2],
                    -2 * x[1] - x[1] * x[1] + x[0] * x[1] + 6 * x[2] * x[2]};
  double beta = 1 + x[0] / 2 - x[1] / 4 + x[2] / 8;
  return -(beta * cubic_laplacian(x) + grad[0] / 2 - grad[1] / 4 + grad[2] / 8);
}

static double arch(double x)
{
  return x * (1 - x);
}

static double arches(const double x[3])
{
  return arch(x[0]) * arch(x[1]) * arch(x[2]);
}

static double minus_arches_laplacian(const double x[3])
{
  return 2 * (arch(x[1]) * arch(x[2]) + arch(x[0]) * arch(x[2]) + arch(x[0]) * arch(x[1]));
}

static double arches_flux(const double x[3])
{
  double beta = 1 + x[0] / 2 - x[1] / 4 + x[2] / 8;
  double grad[3] = {(1 - 2 * x[0]) * arch(x[1]) * arch(x[2]),
                    arch(x[0]) * (1 - 2 * x[1]) * arch(x[2]),
                    arch(x[0]) * arch(x[1]) * (1 - 2 * x[2])};
  return beta * minus_arches_laplacian(x) - (grad[0] / 2 - grad[1] / 4 + grad[2] / 8);
}

static double average(double (*g)(const double x[3]), const int at[3], double h)
{
  static const double node[3] = {-0.38729833462074169, 0.0, 0.38729833462074169};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0.0;
  for (int q = 0; q < 27; q++) {
    int p[3] = {q % 3, q / 3 % 3, q / 9};
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = h * (at[d] + 0.5 + node[p[d]]);
    sum += weight[p[0]] * weight[p[1]] * weight[p[2]] * g(x);
  }
  return sum;
}

static void linear_beta(const polynomial *p, int n, int axis, double *beta)
{
  int m[3] = {n, n, n};
  m[axis]++;
  for (int e = 0; e < m[0] * m[1] * m[2]; e++) {
    int at[3] = {e % m[0], e / m[0] % m[1], e / m[0] / m[1]};
    beta[e] = p->beta0;
    for (int d = 0; d < 3; d++)
      beta[e] += p->beta1[d] * (at[d] + (d == axis ? 0.0 : 0.5)) / n;
  }
}

static void check_polynomial(const polynomial *p)
{
  enum { n = 8 };
  static double beta[3][n * n * (n + 1)], u[n * n * n];
  oracle_spec spec = oracle_spec_default(n);
  spec.stencil = p->stencil;
  for (int d = 0; d < 3; d++) {
    linear_beta(p, n, d, beta[d]);
    spec.beta[d] = beta[d];
  }
  support_kit k = support_open(&spec, NULL, NULL);
  ORACLE_CELLS(&spec, i, j, k2)
  u[(k2 * n + j) * n + i] = average(p->u, (const int[3]){i, j, k2}, 1.0 / n);
  double *au = applied(&k, u);
  for (int e = 0; e < n * n * n; e++) {
    int at[3] = {e % n, e / n % n, e / n / n}, inside = 1;
    for (int d = 0; d < 3; d++)
      inside = inside && at[d] >= p->margin && at[d] < n - p->margin;
    double want = average(p->f, at, 1.0 / n);
    if (inside)
      ck_assert_msg(fabs(au[e] - want) < 1e-11, "cell %d %d %d: %.15g, not %.15g", at[0], at[1],
                    at[2], au[e], want);
  }
  support_close(&k);
  free(au);
}

START_TEST(fv2_is_exact_on_cubics_inside)
{
  polynomial p = {cubic, minus_cubic_laplacian, 1.0, {0, 0, 0}, HYMG_FV2, 1};
  check_polynomial(&p);
}
END_TEST

START_TEST(fv4_is_exact_on_cubics_with_linear_beta_inside)
{
  polynomial p = {cubic, cubic_flux, 1.0, {0.5, -0.25, 0.125}, HYMG_FV4, 2};
  check_polynomial(&p);
}
END_TEST

START_TEST(fv2_is_exact_on_quadratics_up_to_the_boundaries)
{
  polynomial p = {arches, minus_arches_laplacian, 1.0, {0, 0, 0}, HYMG_FV2, 0};
  check_polynomial(&p);
}
END_TEST

START_TEST(fv4_is_exact_on_quadratics_with_linear_beta_up_to_the_boundaries)
{
  polynomial p = {arches, arches_flux, 1.0, {0.5, -0.25, 0.125}, HYMG_FV4, 0};
  check_polynomial(&p);
}
END_TEST

/* ---- linearity ---- */

START_TEST(apply_is_linear)
{
  support_case c =
      support_case_of(_i ? HYMG_FV4 : HYMG_FV2, (const int[3]){8, 6, 10}, "dd pp dd", 0.5);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double *x = support_random(480, -1, 1, 1), *y = support_random(480, -1, 1, 2), sum[480],
         want[480];
  double *ax = applied(&k, x), *ay = applied(&k, y);
  for (int i = 0; i < 480; i++) {
    sum[i] = 1.7 * x[i] + y[i];
    want[i] = 1.7 * ax[i] + ay[i];
  }
  double *got = applied(&k, sum);
  support_assert_close("A(1.7x+y)", c.name, 480, got, want, 1e-13);
  support_close(&k);
  support_case_free(&c);
  free(x);
  free(y);
  free(ax);
  free(ay);
  free(got);
}
END_TEST

/* Every product, sum, quotient and stop test scales exactly. */
START_TEST(twice_the_right_hand_side_gives_twice_the_solution_bit_for_bit)
{
  support_case c =
      support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){12, 20, 12}, "dd pp dd", 0.0);
  c.spec.smoother = _i / 2 ? HYMG_CHEBYSHEV : HYMG_GSRB;
  support_kit k = support_open(&c.spec, NULL, NULL);
  double *f = support_random(2880, -1, 1, 1), *u = solved(&k, f);
  for (int i = 0; i < 2880; i++)
    f[i] *= 2.0;
  double *twice = solved(&k, f);
  for (int i = 0; i < 2880; i++)
    u[i] *= 2.0;
  ck_assert(support_same_bits(2880, u, twice));
  support_close(&k);
  support_case_free(&c);
  free(f);
  free(u);
  free(twice);
}
END_TEST

/* Entry (i, j, k) of a periodic array of n + extra[d] entries an axis moves by n / 2 along every
 * axis. */
static void shift(int n, int face_axis, const double *from, double *to)
{
  int m[3] = {n, n, n};
  if (face_axis >= 0) m[face_axis]++;
  for (int e = 0; e < m[0] * m[1] * m[2]; e++) {
    int at[3] = {e % m[0], e / m[0] % m[1], e / m[0] / m[1]};
    for (int d = 0; d < 3; d++)
      at[d] = (at[d] + n / 2) % n;
    to[e] = from[(at[2] * m[1] + at[1]) * m[0] + at[0]];
  }
}

/* Sums do not depend on the order of cells, and half of 16 keeps the colours on all smoothed
 * levels. */
START_TEST(a_shift_along_periodic_axes_shifts_the_solution_bit_for_bit)
{
  enum { n = 16 };
  static double beta[3][n * n * (n + 1)], f2[n * n * n], want[n * n * n];
  support_case c =
      support_case_of(_i ? HYMG_FV4 : HYMG_FV2, (const int[3]){n, n, n}, "pp pp pp", 0.0);
  double *f = support_random(n * n * n, -1, 1, 1);
  for (int i = 0; i < n * n * n / 2; i++)
    f[n * n * n - 1 - i] = -f[i];
  support_kit k = support_open(&c.spec, NULL, NULL);
  double *u = solved(&k, f);
  support_close(&k);
  for (int d = 0; d < 3; d++) {
    shift(n, d, c.beta[d], beta[d]);
    c.spec.beta[d] = beta[d];
  }
  shift(n, -1, f, f2);
  shift(n, -1, u, want);
  k = support_open(&c.spec, NULL, NULL);
  double *got = solved(&k, f2);
  ck_assert_msg(support_same_bits(n * n * n, got, want), "%s: differs by %.3g", c.name,
                support_difference(n * n * n, got, want));
  support_close(&k);
  support_case_free(&c);
  free(f);
  free(u);
  free(got);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("properties");
  TCase *t = tcase_create("operators");
  tcase_add_loop_test(t, fv2_is_symmetric_but_for_the_quadratic_extrapolation, 0, 4);
  tcase_add_test(t, the_quadratic_extrapolation_is_unsymmetric_by_half_a_face);
  tcase_add_test(t, fv4_is_symmetric_with_constant_coefficients_and_periodic_axes_alone);
  tcase_add_loop_test(t, constants_are_in_the_null_space, 0, 4);
  tcase_add_loop_test(t, fluxes_cancel_in_the_sum, 0, 4);
  tcase_add_test(t, fv2_is_exact_on_cubics_inside);
  tcase_add_test(t, fv4_is_exact_on_cubics_with_linear_beta_inside);
  tcase_add_test(t, fv2_is_exact_on_quadratics_up_to_the_boundaries);
  tcase_add_test(t, fv4_is_exact_on_quadratics_with_linear_beta_up_to_the_boundaries);
  tcase_add_loop_test(t, apply_is_linear, 0, 2);
  suite_add_tcase(suite, t);
  t = tcase_create("solves");
  tcase_add_loop_test(t, twice_the_right_hand_side_gives_twice_the_solution_bit_for_bit, 0,
                      small ? 1 : 4);
  tcase_add_loop_test(t, a_shift_along_periodic_axes_shifts_the_solution_bit_for_bit, 0,
                      small ? 1 : 2);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
