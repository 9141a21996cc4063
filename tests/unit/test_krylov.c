/* The bottom solvers with the library's level operations on dense matrices (support/krylov.c):
 * against direct and textbook solvers, on what breaks them down, and what they cost. */
#include "support/krylov.h"

#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static const hymg_bottom all[] = {HYMG_BICGSTAB, HYMG_CG, HYMG_CABICGSTAB, HYMG_CACG,
                                  HYMG_BOTTOM_SMOOTHER};
enum { ALL = sizeof all / sizeof *all, KRYLOV = ALL - 1 };

static double distance(int n, const double *x, const double *y)
{
  return support_difference((size_t)n, x, y);
}

/* The stop rule, with room for the rounding of a residual that is updated and not recomputed. */
static void assert_solved(dense *d)
{
  ck_assert_double_le(dense_reduction(d), 1e-3 * (1.0 + 1e-9));
}

START_TEST(every_solver_reduces_the_residual_of_a_symmetric_matrix)
{
  const int sizes[] = {1, 2, 8, 27, 64};
  for (int s = 0; s < 5; s++) {
    dense *d = dense_create(sizes[s], all[_i]);
    dense_make_random(d, true, 1.0);
    dense_solve(d, all[_i]);
    assert_solved(d);
    double *x = dense_direct(d);
    /* |A^-1| < 1 in the 2-norm: eigenvalues are above 4 - 2 * 2 / sqrt(3) = 1.7 up to the noise
     * of small n. */
    ck_assert_double_le(distance(d->n, x, dense_x(d)),
                        1e-3 * dense_max(d->n, dense_f(d)) * sqrt(d->n));
    free(x);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(bicgstab_and_its_avoiding_kin_and_the_smoother_take_unsymmetric_matrices)
{
  const hymg_bottom able[] = {HYMG_BICGSTAB, HYMG_CABICGSTAB, HYMG_BOTTOM_SMOOTHER};
  for (int n = 1; n <= 64; n *= 2) {
    dense *d = dense_create(n, able[_i]);
    dense_make_random(d, false, 1.0);
    dense_solve(d, able[_i]);
    assert_solved(d);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(krylov_solvers_are_exact_on_one_cell)
{
  dense *d = dense_create(1, all[_i]);
  d->a[0] = d->diagonal[0] = 17.3;
  dense_solve(d, all[_i]);
  const double exact = dense_f(d)[0] / 17.3;
  ck_assert_double_le(fabs(dense_x(d)[0] - exact), 4 * 2.3e-16 * fabs(exact));
  dense_destroy(d);
}
END_TEST

START_TEST(one_cell_takes_one_application_and_four_reductions_of_bicgstab)
{
  dense *d = dense_create(1, HYMG_BICGSTAB);
  d->a[0] = d->diagonal[0] = 6.0;
  dense_solve(d, HYMG_BICGSTAB);
  ck_assert_int_eq(d->counts->applies, 1);
  ck_assert_int_eq(d->counts->norms, 2); /* max |f|, max |s| */
  ck_assert_int_eq(d->counts->sums, 2);  /* (f, f), (A p, f) */
  dense_destroy(d);
}
END_TEST

/* The iterate is the textbook's, at the first place where the textbook's residual is small.
 * Rounding: the two order their operations alike but for sums, so that 1e-10 leaves a factor of
 * 1e5 over the noise of a dozen steps. */
START_TEST(bicgstab_stops_at_the_first_half_step_of_the_textbook_that_is_small)
{
  int halves = 0, wholes = 0;
  for (int n = 8; n < 40; n++) {
    dense *d = dense_create(n, HYMG_BICGSTAB);
    dense_make_random(d, false, 1.0);
    dense_solve(d, HYMG_BICGSTAB);
    textbook t = textbook_bicgstab(d, true, 20);
    const int at = textbook_first_small(&t, dense_max(n, dense_f(d)));
    ck_assert_double_le(distance(n, t.x[at], dense_x(d)), 1e-10 * dense_max(n, t.x[at]));
    ck_assert_int_eq(d->counts->applies, at + 1);
    *(at % 2 == 0 ? &halves : &wholes) += 1;
    textbook_free(&t);
    dense_destroy(d);
  }
  ck_assert_int_gt(halves, 0);
  ck_assert_int_gt(wholes, 0);
}
END_TEST

START_TEST(cg_stops_at_the_first_step_of_the_textbook_that_is_small)
{
  for (int n = 2; n < 40; n++) {
    dense *d = dense_create(n, HYMG_CG);
    dense_make_random(d, true, 1.0);
    dense_solve(d, HYMG_CG);
    textbook t = textbook_cg(d, true, 12 < n ? 12 : n);
    const int at = textbook_first_small(&t, dense_max(n, dense_f(d)));
    ck_assert_double_le(distance(n, t.x[at], dense_x(d)), 1e-10 * dense_max(n, t.x[at]));
    ck_assert_int_eq(d->counts->applies, at + 1);
    textbook_free(&t);
    dense_destroy(d);
  }
}
END_TEST

/* The avoiding solver ends on an iterate of the classic one without preconditioner, at or after
 * the first small one and no further than the rest of a block (4 steps). The Gram matrix of powers
 * loses digits: 1e-6 is asked for. */
static void check_avoiding(dense *d, hymg_bottom bottom)
{
  const bool stabilised = bottom == HYMG_CABICGSTAB;
  dense_solve(d, bottom);
  ck_assert_double_le(dense_reduction(d), 1e-3 * (1.0 + 1e-6));
  textbook t = (stabilised ? textbook_bicgstab : textbook_cg)(d, false, 60);
  const int at = textbook_first_small(&t, dense_max(d->n, dense_f(d)));
  double nearest = INFINITY;
  for (int i = at; i < t.count && i <= at + (stabilised ? 8 : 4); i++)
    nearest = fmin(nearest, distance(d->n, t.x[i], dense_x(d)));
  ck_assert_double_le(nearest, 1e-6 * dense_max(d->n, dense_x(d)));
  textbook_free(&t);
}

START_TEST(avoiding_solvers_end_on_an_iterate_of_the_classic_ones)
{
  const hymg_bottom bottom = _i ? HYMG_CACG : HYMG_CABICGSTAB;
  for (int n = 64; n < 80; n++) {
    dense *d = dense_create(n, bottom);
    dense_make_random(d, bottom == HYMG_CACG, 1.0);
    check_avoiding(d, bottom);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(avoiding_cg_follows_the_classic_one_over_many_blocks)
{
  dense *d = dense_create(40, HYMG_CACG);
  dense_make_line(d, false);
  check_avoiding(d, HYMG_CACG);
  dense_destroy(d);
}
END_TEST

START_TEST(any_scale_of_matrix_and_right_hand_side_is_solved)
{
  const double scales[] = {1e-60, 1e-12, 1e12, 1e60};
  for (int s = 0; s < 4; s++) {
    dense *d = dense_create(27, all[_i]);
    dense_make_random(d, true, scales[s]);
    for (int i = 0; i < d->n; i++)
      dense_f(d)[i] /= sqrt(scales[s]);
    dense_solve(d, all[_i]);
    assert_solved(d);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(singular_systems_are_solved_up_to_a_constant)
{
  for (int n = 2; n <= 16; n *= 2) {
    dense *d = dense_create(n, all[_i]);
    dense_make_line(d, true);
    d->method.singular = true;
    hymgi_remove_mean(&d->level, d->level.f);
    dense_solve(d, all[_i]);
    assert_solved(d);
    dense_destroy(d);
  }
}
END_TEST

/* x solves for f less its mean, within the stop rule, and well before the limit. */
static void check_projected(dense *d, hymg_bottom bottom)
{
  const double f_max = dense_max(d->n, dense_f(d));
  dense_solve(d, bottom);
  ck_assert_int_lt(d->counts->applies, 100);
  double *const ax = hymgi_krylov_vector(&d->level, 0);
  hymgi_apply(&d->level, d->level.x, ax);
  hymgi_axpby(&d->level, 1.0, d->level.f, -1.0, ax, ax);
  hymgi_remove_mean(&d->level, ax);
  ck_assert_double_le(hymgi_norm_max(&d->level, ax), 1e-3 * f_max * (1.0 + 1e-9));
}

START_TEST(singular_systems_leave_out_the_mean_of_the_right_hand_side)
{
  for (int n = 4; n <= 16; n *= 2) {
    dense *d = dense_create(n, all[_i]);
    dense_make_line(d, true);
    d->method.singular = true;
    hymgi_shift(&d->level, 0.7, d->level.f);
    check_projected(d, all[_i]);
    dense_destroy(d);
  }
}
END_TEST

/* Rounding lets the mean of r drift. Here one half of the rows is scaled by 0.98, the other by
 * 1.02, and f differs between them: the mean drifts to about 0.02 |f|, far above the stop rule. */
START_TEST(a_drift_of_the_mean_does_not_keep_a_singular_system_from_its_end)
{
  dense *d = dense_create(16, all[_i]);
  dense_make_line(d, true);
  for (int t = 0; t < 16 * 16; t++)
    d->a[t] *= t % 16 < 8 ? 0.98 : 1.02;
  for (int i = 0; i < 16; i++)
    dense_f(d)[i] += i < 8 ? -1.0 : 1.0;
  d->method.singular = true;
  check_projected(d, all[_i]);
  dense_destroy(d);
}
END_TEST

/* f of pure rounding: mean and values alike. Nothing may grow from it: |A^+| is below
 * n^2 / (4 pi^2) < 7. */
START_TEST(singular_systems_stay_small_for_a_constant_right_hand_side)
{
  dense *d = dense_create(16, all[_i]);
  dense_make_line(d, true);
  d->method.singular = true;
  for (int i = 0; i < d->n; i++)
    dense_f(d)[i] = 1e-17;
  dense_solve(d, all[_i]);
  hymgi_remove_mean(&d->level, d->level.x);
  ck_assert_double_le(dense_max(d->n, dense_x(d)), 7e-17);
  dense_destroy(d);
}
END_TEST

START_TEST(zero_right_hand_side_gives_zero_at_once)
{
  dense *d = dense_create(8, all[_i]);
  dense_make_random(d, true, 1.0);
  memset(dense_f(d), 0, 8 * sizeof(double));
  dense_solve(d, all[_i]);
  ck_assert(dense_max(8, dense_x(d)) == 0.0);
  ck_assert_int_eq(d->counts->applies + d->counts->smooths, 0);
  dense_destroy(d);
}
END_TEST

START_TEST(right_hand_side_that_is_not_finite_gives_nan_at_once)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; b++) {
    dense *d = dense_create(8, all[_i]);
    dense_make_random(d, true, 1.0);
    dense_f(d)[5] = bad[b];
    dense_solve(d, all[_i]);
    for (int i = 0; i < 8; i++)
      ck_assert(isnan(dense_x(d)[i]));
    ck_assert_int_eq(d->counts->applies + d->counts->smooths, 0);
    dense_destroy(d);
  }
}
END_TEST

/* A p is orthogonal to p: the first denominator is 0. */
START_TEST(breakdown_of_a_rotation_stops_with_the_iterate_at_hand)
{
  dense *d = dense_create(2, all[_i]);
  d->a[1] = 1.0;
  d->a[2] = -1.0;
  d->diagonal[0] = d->diagonal[1] = 1.0;
  dense_f(d)[0] = 1.0;
  dense_f(d)[1] = 0.0;
  dense_solve(d, all[_i]);
  ck_assert(dense_max(2, dense_x(d)) == 0.0);
  ck_assert_int_ge(d->counts->applies, 1);
  ck_assert_int_le(d->counts->applies, 3);
  dense_destroy(d);
}
END_TEST

/* A block of s steps applies A 2s + 2s - 1 (cabicgstab) or s + s - 1 times (cacg); blocks are 1, 2,
 * 49 times 4, 1. The line of 500 cells with noise needs about 250 steps of CG and more of BiCGStab,
 * whose shadow wears out. */
START_TEST(two_hundred_iterations_are_the_limit)
{
  const int applies[] = {400, 200, 3 + 7 + 49 * 15 + 3, 1 + 3 + 49 * 7 + 1};
  dense *d = dense_create(500, all[_i]);
  dense_make_line(d, false);
  dense_solve(d, all[_i]);
  ck_assert_int_eq(d->counts->applies, applies[_i]);
  ck_assert_double_gt(dense_reduction(d), 1e-3);
  ck_assert(isfinite(dense_max(d->n, dense_x(d))));
  dense_destroy(d);
}
END_TEST

START_TEST(smoother_counts_its_smooths_and_ends_on_the_swapped_vector)
{
  dense *d = dense_create(500, HYMG_BOTTOM_SMOOTHER);
  dense_make_line(d, false);
  dense_solve(d, HYMG_BOTTOM_SMOOTHER);
  ck_assert_int_eq(d->counts->smooths, 200);
  dense_destroy(d);
  d = dense_create(8, HYMG_BOTTOM_SMOOTHER);
  dense_make_random(d, true, 1.0);
  dense_solve(d, HYMG_BOTTOM_SMOOTHER);
  ck_assert_int_gt(d->counts->smooths, 1);
  ck_assert_int_lt(d->counts->smooths, 50);
  ck_assert_double_le(dense_reduction(d), 1e-3);
  ck_assert_double_gt(hymgi_residual_norm(&d->level, d->level.f, d->level.y),
                      1e-3 * dense_max(d->n, dense_f(d))); /* the sweep before was not enough */
  dense_destroy(d);
}
END_TEST

/* Each of a batch has its own scale: sizes far apart, a zero and a NaN do not touch the others. */
START_TEST(batched_dots_have_the_bits_of_single_ones)
{
  enum { VECTORS = 6, PAIRS = VECTORS * VECTORS };
  dense *d = dense_create(100, HYMG_CABICGSTAB);
  const hymgi_level *level = &d->level;
  const double scales[VECTORS] = {1.0, 1e-100, 3e90, -7.0, 0.0, NAN};
  const double *left[PAIRS], *right[PAIRS];
  double batch[PAIRS];
  for (int v = 0; v < VECTORS; v++)
    hymgi_axpby(level, scales[v], level->f, 0.0, level->f, hymgi_krylov_vector(level, v));
  for (int m = 0; m < PAIRS; m++) {
    left[m] = hymgi_krylov_vector(level, m / VECTORS);
    right[m] = hymgi_krylov_vector(level, m % VECTORS);
  }
  hymgi_dots(level, PAIRS, left, right, batch);
  for (int m = 0; m < PAIRS; m++) {
    const double single = hymgi_dot(level, left[m], right[m]);
    const double plain = support_dot(100, dense_f(d), dense_f(d)) * scales[m / VECTORS];
    const double want = plain * scales[m % VECTORS];
    ck_assert(isnan(want) ? isnan(single) && isnan(batch[m]) : single == batch[m]);
    if (!isnan(want)) ck_assert_double_le(fabs(batch[m] - want), 1e-14 * fabs(want));
  }
  dense_destroy(d);
}
END_TEST

/* A dot product with an expectation takes one sum if its size is like that of the one before, else two;
 * then it has the bits of one without. */
START_TEST(expected_dots_are_exact_at_any_size)
{
  enum { SEQUENCE = 10, N = 1000 };
  const struct {
    double scale;
    int sums;
  } step[SEQUENCE] = {{1.0, 1},   {1.0, 1}, {0.01, 1}, {-0.3, 1}, {1e30, 2},
                      {1e-60, 2}, {0.0, 1}, {1.0, 1},  {NAN, 1},  {INFINITY, 0}};
  dense *d = dense_create(N, HYMG_BICGSTAB);
  const hymgi_level *level = &d->level;
  double *const y = hymgi_krylov_vector(level, 0), *const scaled = dense_f(d) - level->f + y;
  hymgi_expected e = {.known = false};
  for (int m = 0; m < SEQUENCE; m++) {
    for (int i = 0; i < N; i++)
      scaled[i] = step[m].scale * dense_f(d)[i];
    const double plain = hymgi_dot(level, level->f, y);
    const int before = d->counts->sums;
    const bool expects = e.known;
    const double dot = hymgi_dot_expected(level, level->f, y, &e);
    ck_assert_msg(d->counts->sums == before + step[m].sums, "step %d: %d sums, not %d", m,
                  d->counts->sums - before, step[m].sums);
    ck_assert_int_eq(e.known, isfinite(plain) && plain != 0);
    if (isnan(plain))
      ck_assert(isnan(dot));
    else if (!expects || step[m].sums == 2)
      ck_assert(dot == plain);
    else
      ck_assert_double_le(fabs(dot - plain), DBL_EPSILON * fabs(plain));
  }
  dense_destroy(d);
}
END_TEST

START_TEST(an_unknown_solver_needs_no_vectors)
{
  ck_assert_int_eq(hymgi_bottom_vectors((hymg_bottom)99), 0);
  ck_assert_int_eq(hymgi_bottom_vectors(HYMG_BOTTOM_SMOOTHER), 0);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("krylov");
  TCase *tests = tcase_create("bottom solvers");
  tcase_add_loop_test(tests, every_solver_reduces_the_residual_of_a_symmetric_matrix, 0, ALL);
  tcase_add_loop_test(
      tests, bicgstab_and_its_avoiding_kin_and_the_smoother_take_unsymmetric_matrices, 0, 3);
  tcase_add_loop_test(tests, krylov_solvers_are_exact_on_one_cell, 0, KRYLOV);
  tcase_add_test(tests, one_cell_takes_one_application_and_four_reductions_of_bicgstab);
  tcase_add_test(tests, bicgstab_stops_at_the_first_half_step_of_the_textbook_that_is_small);
  tcase_add_test(tests, cg_stops_at_the_first_step_of_the_textbook_that_is_small);
  tcase_add_loop_test(tests, avoiding_solvers_end_on_an_iterate_of_the_classic_ones, 0, 2);
  tcase_add_test(tests, avoiding_cg_follows_the_classic_one_over_many_blocks);
  tcase_add_loop_test(tests, any_scale_of_matrix_and_right_hand_side_is_solved, 0, ALL);
  tcase_add_loop_test(tests, singular_systems_are_solved_up_to_a_constant, 0, ALL);
  tcase_add_loop_test(tests, singular_systems_leave_out_the_mean_of_the_right_hand_side, 0, KRYLOV);
  tcase_add_loop_test(tests, a_drift_of_the_mean_does_not_keep_a_singular_system_from_its_end, 0,
                      KRYLOV);
  tcase_add_loop_test(tests, singular_systems_stay_small_for_a_constant_right_hand_side, 0, ALL);
  tcase_add_loop_test(tests, zero_right_hand_side_gives_zero_at_once, 0, ALL);
  tcase_add_loop_test(tests, right_hand_side_that_is_not_finite_gives_nan_at_once, 0, ALL);
  tcase_add_loop_test(tests, breakdown_of_a_rotation_stops_with_the_iterate_at_hand, 0, KRYLOV);
  tcase_add_loop_test(tests, two_hundred_iterations_are_the_limit, 0, KRYLOV);
  tcase_add_test(tests, smoother_counts_its_smooths_and_ends_on_the_swapped_vector);
  tcase_add_test(tests, batched_dots_have_the_bits_of_single_ones);
  tcase_add_test(tests, expected_dots_are_exact_at_any_size);
  tcase_add_test(tests, an_unknown_solver_needs_no_vectors);
  suite_add_tcase(suite, tests);
  return support_run(suite);
}
