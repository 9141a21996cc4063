/* What a user of the robust path sees: iterations, orders, tolerances, singular systems, the choice
 * of the path, updates, and results that do not depend on threads or on the order of axes. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void assert_converged(const trial *t, const hymg_result *r)
{
  ck_assert_msg(r->converged && r->reason == HYMG_REASON_TOLERANCE, "%s: %s after %d, %.3g: %s",
                t->c.name, hymg_reason_name(r->reason), r->cycles, r->residual_relative, r->note);
}

/* f - A u in the norm of the options, by a call of its own. */
static double true_residual(trial *t, const double *u)
{
  hymg_field *f = support_field(&t->k, 0, t->f), *x = support_field(&t->k, 0, u);
  OK(t->k.context, hymg_residual(t->k.solver, 0, f, x, x));
  double *r = support_read(&t->k, 0, x);
  double norm =
      t->o.norm == HYMG_NORM_2 ? sqrt(support_dot(t->cells, r, r)) : support_max(t->cells, r);
  free(r);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  return norm;
}

/* ---- iterations ---- */

static double position(int i, int n)
{
  return (i + 0.5) / n;
}

/* beta of a ball of radius 0.27, or smooth where ratio is 0; f = 1 plus noise. */
static trial problem_of(const int n[3], const double h[3], const char *boundary, double ratio)
{
  trial t = trial_plain(n, boundary, h);
  double *beta = support_random(t.cells, -0.5, 0.5, 3), *b = beta;
  for (size_t q = 0; q < t.cells; q++)
    t.f[q] += beta[q];
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        double x = position(i, n[0]), y = position(j, n[1]), z = position(k, n[2]), pi2 = 2 * pi;
        double r2 = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + (z - 0.5) * (z - 0.5);
        *b++ = ratio == 0.0       ? 1 + 0.25 * sin(pi2 * x) * sin(pi2 * y) * sin(pi2 * z)
               : r2 < 0.27 * 0.27 ? ratio
                                  : 1.0;
      }
  trial_set_beta(&t, beta);
  free(beta);
  return t;
}

static const struct bound {
  int n[3];
  double h[3];
  const char *boundary;
  double ratio;
  int most;
} bounds[] = {
    {{32, 32, 32}, {1, 1, 1}, "dd dd dd", 0, 10},
    {{45, 30, 24}, {1, 1, 1}, "dd dd dd", 0, 11},
    {{64, 64, 16}, {1, 1, 4}, "dd dd dd", 0, 10},
    {{250, 8, 8}, {1, 31.25, 31.25}, "dd dd dd", 0, 9},
    {{32, 32, 32}, {1, 1, 2}, "dd dd dd", 0, 11},
    {{32, 32, 32}, {1, 1, 100}, "dd dd dd", 0, 10},
    {{32, 32, 32}, {100, 100, 1}, "dd dd dd", 0, 8},
    {{33, 33, 33}, {1, 1, 1}, "pp pp pp", 0, 11},
    {{31, 31, 31}, {1, 1, 1}, "nn nn nn", 0, 9},
    {{34, 34, 34}, {1, 1, 1}, "nn nn nn", 1e3, 13},
    {{64, 64, 1}, {1, 1, 1}, "dd dd nn", 0, 11},
    {{32, 32, 32}, {1, 1, 1}, "dd dd dd", 1e1, 12},
    {{32, 32, 32}, {1, 1, 1}, "dd dd dd", 1e3, 14},
    {{32, 32, 32}, {1, 1, 1}, "dd dd dd", 1e-3, 14},
    {{32, 32, 32}, {1, 1, 1}, "dd dd dd", 1e6, 16},
};
enum { NUM_BOUNDS = sizeof bounds / sizeof *bounds };

START_TEST(iterations_stay_within_their_bounds)
{
  const struct bound *b = bounds + _i;
  trial t = problem_of(b->n, b->h, b->boundary, b->ratio);
  hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_msg(r.cycles <= b->most, "%s ratio %g spacing %g: %d iterations, at most %d", t.c.name,
                b->ratio, b->h[2], r.cycles, b->most);
  trial_close(&t);
}
END_TEST

/* BiCGStab does two cycles an iteration. */
START_TEST(a_quadratic_extrapolation_takes_few_iterations)
{
  static const int most[3] = {8, 9, 7};
  static const double ratio[3] = {0, 1e3, 0};
  static const int n[3][3] = {{32, 32, 32}, {32, 32, 32}, {33, 20, 27}};
  trial t =
      problem_of(n[_i], (const double[3]){1, 1, 1}, _i < 2 ? "dd dd dd" : "pp nn dd", ratio[_i]);
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_int_eq(r.history[0].kind, HYMG_KIND_BICGSTAB);
  ck_assert_msg(r.cycles <= most[_i], "%d iterations, at most %d", r.cycles, most[_i]);
  trial_close(&t);
}
END_TEST

/* ---- order on stretched grids ---- */

/* Edges of cells, smooth: the largest cell is 7 times the smallest. */
static double edge(int i, int n)
{
  double xi = (double)i / n;
  return xi - 0.12 * sin(2 * pi * xi);
}

static void stretch(trial *t)
{
  for (int d = 0; d < 3; d++) {
    int n = t->c.spec.n[d];
    t->widths[d] = support_random((size_t)n, 0, 1, 0);
    for (int i = 0; i < n; i++)
      t->widths[d][i] = edge(i + 1, n) - edge(i, n);
  }
}

/* beta = 1 + x y / 2, u = sin(pi x) cos(pi y) cos(2 pi z): zero in x, flat in y, periodic in z. */
static double manufactured(double x, double y, double z, double *f)
{
  const double p = pi, X = sin(p * x), Y = cos(p * y), Z = cos(2 * p * z);
  const double beta = 1 + 0.5 * x * y, laplacian = -6 * p * p * X * Y * Z;
  *f = -(beta * laplacian + 0.5 * y * p * cos(p * x) * Y * Z - 0.5 * x * p * X * sin(p * y) * Z);
  return X * Y * Z;
}

static void set_face_betas(trial *t)
{
  for (int d = 0; d < 3; d++) {
    int m[3] = {t->c.spec.n[0], t->c.spec.n[1], t->c.spec.n[2]};
    m[d]++;
    double *beta = t->c.beta[d];
    for (int k = 0; k < m[2]; k++)
      for (int j = 0; j < m[1]; j++)
        for (int i = 0; i < m[0]; i++) {
          int nx = t->c.spec.n[0], ny = t->c.spec.n[1];
          double x = d == 0 ? edge(i, nx) : 0.5 * (edge(i, nx) + edge(i + 1, nx));
          double y = d == 1 ? edge(j, ny) : 0.5 * (edge(j, ny) + edge(j + 1, ny));
          *beta++ = 1 + 0.5 * x * y;
        }
  }
}

static double manufactured_error(int n)
{
  trial t = trial_plain((const int[3]){n, n, n}, "dd nn pp", (const double[3]){1, 1, 1});
  stretch(&t);
  set_face_betas(&t);
  double *x = trial_centres(&t, 0), *y = trial_centres(&t, 1), *z = trial_centres(&t, 2);
  double *u = support_poison(t.cells), *want = support_poison(t.cells);
  size_t q = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, q++)
        want[q] = manufactured(x[i], y[j], z[k], t.f + q);
  hymg_result r = trial_solve(&t, u);
  assert_converged(&t, &r);
  double error = support_difference(t.cells, u, want);
  free(x);
  free(y);
  free(z);
  free(u);
  free(want);
  trial_close(&t);
  return error;
}

START_TEST(stretched_grids_are_of_second_order)
{
  double coarse = manufactured_error(14), fine = manufactured_error(28);
  ck_assert_msg(coarse / fine >= 3.5, "errors %.3g and %.3g, ratio %.2f", coarse, fine,
                coarse / fine);
}
END_TEST

/* ---- nothing to solve ---- */

START_TEST(a_zero_right_hand_side_has_the_solution_zero)
{
  static const char *const mixes[3] = {"dd dd dd", "nn nn nn", "dn pp nd"};
  trial t = trial_of((const int[3]){9, 7, 5}, mixes[_i % 3],
                     TRIAL_JUMPS | (_i < 3 ? TRIAL_WIDTHS : TRIAL_QUADRATIC));
  memset(t.f, 0, t.cells * sizeof *t.f);
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged, "%s: %s", t.c.name, hymg_reason_name(r.reason));
  ck_assert_int_eq(r.cycles, 0);
  ck_assert_double_eq(support_max(t.cells, u), 0.0);
  free(u);
  trial_close(&t);
}
END_TEST

/* A constant on the Dirichlet boundaries, nothing through the others. */
START_TEST(boundary_data_alone_determine_the_solution)
{
  static const char *const mixes[3] = {"dd dd dd", "dn nn nd", "pp dn pp"};
  trial t = trial_of((const int[3]){9, 7, 5}, mixes[_i % 3],
                     TRIAL_DATA | (_i < 3 ? TRIAL_WIDTHS : TRIAL_QUADRATIC));
  for (int face = 0; face < 6; face++)
    for (size_t i = 0; t.c.boundary_data[face] && i < t.cells / (size_t)t.c.spec.n[face / 2]; i++)
      t.c.boundary_data[face][i] = t.c.spec.boundary[face] == HYMG_DIRICHLET ? 3.0 : 0.0;
  memset(t.f, 0, t.cells * sizeof *t.f);
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  assert_converged(&t, &r);
  for (size_t i = 0; i < t.cells; i++)
    ck_assert_double_eq_tol(u[i], 3.0, 1e-8);
  free(u);
  trial_close(&t);
}
END_TEST

/* ---- singular systems ---- */

/* _i: shape; rounding noise, a constant, and a constant with rounding noise. */
START_TEST(rounding_noise_in_a_singular_system_is_never_an_error)
{
  static const double constants[3] = {0.0, 1.0 / 3.0, 1.0};
  for (int path = 0; path < 2; path++)
    for (int seed = 1; seed <= 4; seed++) {
      trial t = trial_of((const int[3]){16, 8, 8}, _i % 2 ? "pp nn nn" : "nn nn nn", 0);
      t.o.path = path ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
      double *noise = support_random(t.cells, -1e-16, 1e-16, (unsigned)seed);
      for (size_t i = 0; i < t.cells; i++)
        t.f[i] = constants[_i % 3] + (seed == 4 ? 0.0 : noise[i]);
      double *u = support_poison(t.cells);
      hymg_result r = trial_solve(&t, u); /* fails the test on an error */
      ck_assert(r.singular);
      ck_assert_msg(r.reason != HYMG_REASON_NOT_FINITE, "%s constant %g seed %d", t.c.name,
                    constants[_i % 3], seed);
      ck_assert_double_lt(support_max(t.cells, u), 1e-10);
      free(noise);
      free(u);
      trial_close(&t);
    }
}
END_TEST

START_TEST(an_incompatible_mean_is_subtracted_and_told)
{
  trial t = trial_of((const int[3]){9, 7, 5}, "nn pp nn", _i ? TRIAL_WIDTHS : 0);
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  assert_converged(&t, &r);
  ck_assert_double_gt(r.mean_removed, 0.3);
  ck_assert_msg(strstr(r.note, "mean"), "note: %s", r.note);
  double mean = 0.0, volume = 0.0;
  for (size_t q = 0; q < t.cells; q++) {
    double v = 1.0;
    if (_i) v = t.widths[0][q % 9] * t.widths[1][q / 9 % 7] * t.widths[2][q / 63];
    mean += v * u[q];
    volume += v;
  }
  ck_assert_double_lt(fabs(mean / volume), 1e-13 * support_max(t.cells, u));
  free(u);
  trial_close(&t);
}
END_TEST

START_TEST(an_incompatible_mean_is_an_error_if_asked_for)
{
  trial t = trial_of((const int[3]){9, 7, 5}, "nn pp nn", 0);
  t.o.rhs_mean = HYMG_MEAN_ERROR;
  trial_open(&t);
  hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, t.f);
  support_assert_error(t.k.context, hymg_solve(t.k.solver, f, u, NULL), HYMG_EINVAL, "mean", NULL);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  double sum = 0.0; /* one that is compatible is solved */
  for (size_t i = 0; i < t.cells; i++)
    sum += t.f[i];
  for (size_t i = 0; i < t.cells; i++)
    t.f[i] -= sum / (double)t.cells;
  hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  trial_close(&t);
}
END_TEST

/* ---- tolerances and norms ---- */

START_TEST(both_norms_stop_on_what_they_say)
{
  trial t = trial_of((const int[3]){16, 16, 8}, "dd pp dd", _i & 1 ? TRIAL_QUADRATIC : 0);
  t.o.norm = _i & 2 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  t.o.path = _i & 4 ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
  t.o.rtol = 1e-7;
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  assert_converged(&t, &r);
  double norm =
      t.o.norm == HYMG_NORM_2 ? sqrt(support_dot(t.cells, t.f, t.f)) : support_max(t.cells, t.f);
  double residual = true_residual(&t, u);
  ck_assert_double_eq_tol(r.rhs_max, norm, 1e-13 * norm);
  ck_assert_double_eq_tol(r.residual_max, residual, 1e-4 * residual);
  ck_assert_double_eq_tol(r.residual_relative, r.residual_max / norm, 1e-13);
  ck_assert_double_le(residual, 1e-7 * norm);
  ck_assert_double_gt(r.history[r.cycles - 2].residual_relative, 1e-7);
  free(u);
  trial_close(&t);
}
END_TEST

START_TEST(an_absolute_tolerance_stops_too)
{
  trial t = trial_of((const int[3]){16, 16, 8}, "dd pp dd", _i & 1 ? TRIAL_QUADRATIC : 0);
  t.o.norm = _i & 2 ? HYMG_NORM_2 : HYMG_NORM_MAX;
  t.o.path = _i & 4 ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
  t.o.atol = 1e-3;
  hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_double_le(r.residual_max, 1e-3);
  ck_assert_double_gt(r.residual_relative, 1e-9);
  for (int i = 0; i + 1 < r.cycles; i++)
    ck_assert_double_gt(r.history[i].residual_max, 1e-3);
  trial_close(&t);
}
END_TEST

/* A residual above the tolerance counts as converged only if rounding is what keeps it there, and
 * then the note says so. */
START_TEST(a_tolerance_below_rounding_ends_with_a_note)
{
  trial t = trial_of((const int[3]){9, 8, 7}, "dd dd dd", _i ? TRIAL_JUMPS | TRIAL_QUADRATIC : 0);
  t.o.rtol = 1e-18;
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  ck_assert_int_lt(r.cycles, 100);
  ck_assert_msg(strstr(r.note, "rounding"), "note: %s", r.note);
  double residual = true_residual(&t, u);
  ck_assert_double_lt(residual, (_i ? 1e-9 : 1e-12) * r.rhs_max);
  ck_assert_double_eq_tol(r.residual_max, residual, 1e-6 * residual);
  free(u);
  trial_close(&t);
}
END_TEST

/* The recurrence reaches 1e-10; the residual of u does, too, or cannot. */
START_TEST(the_residual_at_the_end_is_the_true_one)
{
  static const double ratios[3] = {1e-6, 1e6, 1e9};
  trial t =
      problem_of((const int[3]){20, 20, 20}, (const double[3]){1, 1, 1}, "dd dd dd", ratios[_i]);
  double *u = support_poison(t.cells);
  hymg_result r = trial_solve(&t, u);
  double residual = true_residual(&t, u);
  ck_assert_double_eq_tol(r.residual_max, residual, 1e-6 * residual);
  ck_assert_double_eq_tol(r.residual_relative, residual / r.rhs_max, 1e-6 * r.residual_relative);
  if (residual > 1.5e-10 * r.rhs_max) ck_assert_msg(strstr(r.note, "rounding"), "%s", r.note);
  ck_assert_double_le(residual, fmax(1.5e-10, 1e-14 * ratios[_i]) * r.rhs_max);
  free(u);
  trial_close(&t);
}
END_TEST

/* Cells at random, a third of them 10^6 times better conductors: what no point smoother solves. */
START_TEST(a_solve_that_does_not_converge_says_so_and_gives_advice)
{
  trial t = trial_plain((const int[3]){24, 24, 24}, "dd dd dd", (const double[3]){1, 1, 1});
  double *beta = support_random(t.cells, 0, 1, 9);
  for (size_t i = 0; i < t.cells; i++)
    beta[i] = beta[i] < 0.3 ? 1e6 : 1.0;
  trial_set_beta(&t, beta);
  t.o.max_cycles = _i ? 20 : 5;
  hymg_result r = trial_solve(&t, NULL);
  ck_assert(!r.converged);
  ck_assert_int_ne(r.reason, HYMG_REASON_TOLERANCE);
  ck_assert_double_gt(r.residual_relative, 1e-10);
  ck_assert_msg(strstr(r.note, "try"), "note: %s", r.note);
  free(beta);
  trial_close(&t);
}
END_TEST

START_TEST(a_right_hand_side_that_is_not_finite_ends_the_solve)
{
  trial t = trial_of((const int[3]){9, 8, 7}, _i & 1 ? "nn nn nn" : "dd dd dd",
                     _i & 2 ? TRIAL_QUADRATIC : 0);
  t.f[17] = _i & 4 ? INFINITY : NAN;
  hymg_result r = trial_solve(&t, NULL);
  ck_assert(!r.converged);
  ck_assert_int_eq(r.reason, HYMG_REASON_NOT_FINITE);
  trial_close(&t);
}
END_TEST

START_TEST(a_solution_as_initial_guess_is_left_alone)
{
  trial t = trial_of((const int[3]){17, 12, 9}, _i ? "dn pp dd" : "nn nn nn",
                     _i == 1 ? TRIAL_QUADRATIC : TRIAL_JUMPS);
  t.o.cycle = HYMG_CYCLE_V;
  t.o.initial_guess = true;
  trial_open(&t);
  hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, t.f);
  hymg_result r;
  OK(t.k.context, hymg_field_fill(u, 0.0));
  OK(t.k.context, hymg_solve(t.k.solver, f, u, &r));
  assert_converged(&t, &r);
  OK(t.k.context, hymg_solve(t.k.solver, f, u, &r));
  assert_converged(&t, &r);
  ck_assert_int_le(r.cycles, 1);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  trial_close(&t);
}
END_TEST

/* ---- the choice of the path ---- */

/* Another solver of the trial's operator. */
static hymg_solver *solver_of(trial *t, hymg_path path, hymg_method method)
{
  hymg_options o = support_options(t->o);
  hymg_solver *solver = NULL;
  o.path = path;
  o.method = method;
  OK(t->k.context, hymg_solver_create(t->k.op, &o, &solver));
  return solver;
}

static void assert_robust(trial *t, const char *what)
{
  trial_open(t);
  hymg_solver *solver = solver_of(t, HYMG_PATH_AUTO, HYMG_MG);
  const char *why = NULL;
  ck_assert_msg(hymg_solver_path(solver, &why) == HYMG_PATH_ROBUST, "%s: standard: %s", what, why);
  ck_assert(why && why[0]);
  hymg_solver_destroy(&solver);
  hymg_options o = support_options(t->o);
  o.path = HYMG_PATH_AUTO;
  o.method = HYMG_FMG;
  support_assert_error(t->k.context, hymg_solver_create(t->k.op, &o, &solver), HYMG_EUNSUPPORTED,
                       "mg", NULL);
  trial_close(t);
}

START_TEST(auto_takes_the_robust_path_where_the_standard_one_suffers)
{
  static const char *const names[5] = {"70x7x1", "spacings 1:1:4", "beta 1 and 10", "91x91x1",
                                       "widths"};
  static const int sizes[5][3] = {{70, 7, 1}, {16, 16, 16}, {16, 16, 16}, {91, 91, 1}, {8, 8, 8}};
  double h[3] = {1, 1, _i == 1 ? 4.0 : 1.0};
  trial t = problem_of(sizes[_i], h, _i == 3 ? "dd dd nn" : "dd dd dd", _i == 2 ? 10.0 : 0.0);
  if (_i == 4) stretch(&t);
  assert_robust(&t, names[_i]);
}
END_TEST

static double *solution(trial *t, hymg_solver *solver, hymg_result *r)
{
  hymg_field *f = support_field(&t->k, 0, t->f), *u = support_field(&t->k, 0, t->f);
  OK(t->k.context, hymg_field_fill(u, 0.0));
  OK(t->k.context, hymg_solve(solver, f, u, r));
  double *values = support_read(&t->k, 0, u);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  return values;
}

START_TEST(auto_takes_the_standard_path_for_smooth_cubes_with_the_same_bits)
{
  static const hymg_method methods[3] = {HYMG_FMG, HYMG_MG, HYMG_MGPCG};
  const hymg_method method = methods[_i % 3];
  trial t = problem_of((const int[3]){16, 16, 16}, (const double[3]){1, 1, 1}, "dd dd dd",
                       _i < 3 ? 0.0 : 2.0); /* 2: beta is a field, which decides */
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  t.o.norm = HYMG_NORM_MAX;
  trial_open(&t);
  hymg_solver *one = solver_of(&t, HYMG_PATH_AUTO, method);
  hymg_solver *two = solver_of(&t, HYMG_PATH_STANDARD, method);
  ck_assert_int_eq(hymg_solver_path(one, NULL), HYMG_PATH_STANDARD);
  hymg_result r, s;
  double *u = solution(&t, one, &r), *v = solution(&t, two, &s);
  ck_assert_int_eq(r.path, HYMG_PATH_STANDARD);
  ck_assert_int_eq(r.cycles, s.cycles);
  ck_assert(support_same_bits(t.cells, u, v));
  hymg_solver_destroy(&one);
  hymg_solver_destroy(&two);
  free(u);
  free(v);
  trial_close(&t);
}
END_TEST

/* Betas of [1, 1 + spread) times a number for each axis. */
static trial layered(const int n[3], const char *boundary, const double *random)
{
  trial t = trial_plain(n, boundary, (const double[3]){random[0], random[1], random[2]});
  const double spread = random[6] > 1 ? random[7] : 0;
  for (int d = 0; d < 3; d++) {
    const size_t faces = t.cells / (size_t)n[d] * (size_t)(n[d] + 1);
    double *by = support_random(faces, 0, spread, 70u + (unsigned)d);
    for (size_t q = 0; q < faces; q++)
      t.c.beta[d][q] = random[3 + d] * (1 + (spread > 0 ? by[q] : 0));
    free(by);
  }
  return t;
}

/* What all cells say of the standard path, in full. */
static bool suits_standard(const hymgi_level *level)
{
  double mean[3], most = 0, least = 1;
  hymgi_share_means(level, mean);
  for (int d = 0; d < 3; d++)
    most = fmax(most, mean[d]), least = fmin(least, mean[d]);
  return level->backend->robust->largest_step(level) <= 4 && least >= 0.5 * most;
}

START_TEST(auto_takes_the_path_that_all_cells_ask_for)
{
  static const int shapes[4][3] = {{4, 4, 4}, {8, 4, 16}, {8, 8, 8}, {16, 16, 16}};
  static const char *const boundaries[3] = {"dd dd dd", "pp dd nn", "pp pp pp"};
  int standard = 0, count = 0;
  for (int m = 0; m < 240; m++) {
    double *random = support_random(8, 0.8, 1.3, 900u + (unsigned)m);
    random[7] = 8 * (random[7] - 0.8); /* the spread, up to 4 */
    trial t = layered(shapes[m % 4], boundaries[m / 4 % 3], random);
    trial_open(&t);
    hymg_solver *one = solver_of(&t, HYMG_PATH_AUTO, HYMG_MG),
                *two = solver_of(&t, HYMG_PATH_STANDARD, HYMG_MG);
    const bool suits = two->h.system->c.beta[0] == NULL || suits_standard(two->h.system);
    const char *why;
    ck_assert_msg((hymg_solver_path(one, &why) == HYMG_PATH_STANDARD) == suits, "%s, %d: %s",
                  t.c.name, m, why);
    standard += suits, count++;
    hymg_solver_destroy(&one);
    hymg_solver_destroy(&two);
    trial_close(&t);
    free(random);
  }
  ck_assert_int_gt(standard, count / 4);
  ck_assert_int_lt(standard, 3 * count / 4);
}
END_TEST

/* Where the standard path has no second level, it is Krylov iterations alone. */
START_TEST(auto_takes_the_robust_path_where_nothing_is_halved)
{
  static const struct {
    int n[3];
    hymg_method method;
    hymg_path path;
  } choices[6] = {
      {{63, 63, 1}, HYMG_MG, HYMG_PATH_ROBUST},    {{9, 8, 1}, HYMG_MGPCG, HYMG_PATH_ROBUST},
      {{65, 1, 1}, HYMG_MG, HYMG_PATH_ROBUST},     {{8, 8, 1}, HYMG_MG, HYMG_PATH_STANDARD},
      {{22, 23, 1}, HYMG_FMG, HYMG_PATH_STANDARD}, {{62, 62, 4}, HYMG_MG, HYMG_PATH_STANDARD}};
  trial t = problem_of(choices[_i].n, (const double[3]){1, 1, 1}, "dd nn nn", 0.0);
  trial_open(&t);
  hymg_solver *solver = solver_of(&t, HYMG_PATH_AUTO, choices[_i].method);
  ck_assert_int_eq(hymg_solver_path(solver, NULL), choices[_i].path);
  hymg_result r;
  free(solution(&t, solver, &r));
  if (choices[_i].method != HYMG_FMG) assert_converged(&t, &r); /* FMG: one cycle */
  if (choices[_i].path == HYMG_PATH_ROBUST) ck_assert_int_le(r.cycles, 12);
  hymg_solver_destroy(&solver);
  trial_close(&t);
}
END_TEST

START_TEST(mg_and_mgpcg_mean_the_same_on_the_robust_path)
{
  trial t = trial_of((const int[3]){9, 8, 7}, "dd dd dd", TRIAL_JUMPS);
  trial_open(&t);
  hymg_solver *one = solver_of(&t, HYMG_PATH_ROBUST, HYMG_MG);
  hymg_solver *two = solver_of(&t, HYMG_PATH_ROBUST, HYMG_MGPCG);
  hymg_result r, s;
  double *u = solution(&t, one, &r), *v = solution(&t, two, &s);
  ck_assert(support_same_bits(t.cells, u, v));
  hymg_solver_destroy(&one);
  hymg_solver_destroy(&two);
  free(u);
  free(v);
  trial_close(&t);
}
END_TEST

/* Sweeps, smoothers, cycles; 17 cells have odd levels only. */
START_TEST(every_smoother_and_cycle_converges)
{
  static const struct {
    hymg_smoother smoother;
    int sweeps, most;
    hymg_cycle cycle;
  } choices[8] = {{HYMG_GSRB, 2, 18, HYMG_CYCLE_V},      {HYMG_GSRB, 6, 9, HYMG_CYCLE_V},
                  {HYMG_GSRB, -1, 10, HYMG_CYCLE_W},     {HYMG_GSRB, -1, 11, HYMG_CYCLE_F},
                  {HYMG_CHEBYSHEV, -1, 9, HYMG_CYCLE_V}, {HYMG_JACOBI, -1, 11, HYMG_CYCLE_V},
                  {HYMG_L1JACOBI, -1, 11, HYMG_CYCLE_V}, {HYMG_SYMGS, -1, 10, HYMG_CYCLE_V}};
  trial t = trial_of((const int[3]){17, 12, 9}, "dd pp nd", 0);
  t.o.smoother = choices[_i].smoother;
  t.o.sweeps = choices[_i].sweeps;
  t.o.cycle = choices[_i].cycle;
  hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_msg(r.cycles <= choices[_i].most, "choice %d: %d iterations", _i, r.cycles);
  trial_close(&t);
}
END_TEST

/* ---- updates ---- */

static void write_beta(trial *t, int d)
{
  int n[3] = {t->c.spec.n[0], t->c.spec.n[1], t->c.spec.n[2]}, low[3] = {0, 0, 0};
  n[d]++;
  ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  OK(t->k.context,
     hymg_field_write(t->k.coefficient[HYMG_FACE_X + d], low, n, stride, t->c.beta[d], HYMG_HOST));
}

static size_t faces(const trial *t, int d)
{
  return t->cells / (size_t)t->c.spec.n[d] * (size_t)(t->c.spec.n[d] + 1);
}

static unsigned axes(hymg_solver *solver, int level)
{
  hymg_level_info info = {0};
  ck_assert_int_eq(hymg_solver_level(solver, level, &info), HYMG_OK);
  return info.coarsened;
}

/* _i: kinds; the second time couplings along z become so strong that other axes are halved. */
START_TEST(an_update_gives_the_bits_of_a_new_solver)
{
  static const unsigned kinds[4] = {TRIAL_JUMPS, TRIAL_WIDTHS | TRIAL_ALPHA, TRIAL_QUADRATIC,
                                    TRIAL_QUADRATIC | TRIAL_ALPHA};
  trial t = trial_of((const int[3]){12, 9, 14}, "dd pp dn", kinds[_i]);
  hymg_result r, s;
  trial_open(&t);
  free(solution(&t, t.k.solver, &r));
  unsigned before = axes(t.k.solver, 0);
  for (int change = 0; change < 3; change++) {
    for (int d = 0; d < 3; d++) {
      for (size_t i = 0; i < faces(&t, d); i++)
        t.c.beta[d][i] *= change == 0 ? 1.5 : d != 2 ? 1.0 : change == 1 ? 1e5 : 1e-5;
      write_beta(&t, d);
    }
    OK(t.k.context, hymg_solver_update(t.k.solver));
    hymg_solver *fresh = solver_of(&t, HYMG_PATH_ROBUST, HYMG_MG);
    int levels = hymg_solver_num_levels(fresh);
    ck_assert_int_eq(hymg_solver_num_levels(t.k.solver), levels);
    for (int l = 0; l < levels; l++)
      ck_assert_uint_eq(axes(t.k.solver, l), axes(fresh, l));
    if (change == 1) ck_assert_uint_eq(axes(fresh, 0), 4);
    if (change == 2) ck_assert_uint_eq(axes(fresh, 0), before);
    double *u = solution(&t, t.k.solver, &r), *v = solution(&t, fresh, &s);
    ck_assert_int_eq(r.cycles, s.cycles);
    ck_assert_msg(support_same_bits(t.cells, u, v), "%s: change %d", t.c.name, change);
    hymg_solver_destroy(&fresh);
    free(u);
    free(v);
  }
  trial_close(&t);
}
END_TEST

/* ---- bad input ---- */

START_TEST(bad_widths_are_refused_with_cell_and_value)
{
  static const double bad[4] = {0.0, -0.25, NAN, INFINITY};
  static const char *const words[4] = {"0", "-0.25", "nan", "inf"};
  hymg_context *context;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  double widths[7] = {1, 1, 1, 1, 1, bad[_i], 1};
  for (int d = 0; d < 3; d++) {
    hymg_grid_desc desc = hymg_grid_desc_default();
    hymg_grid *grid = NULL;
    const char axis[2] = {"xyz"[d], 0};
    desc.n[d] = 7;
    desc.widths[d] = widths;
    support_assert_error(context, hymg_grid_create(context, &desc, &grid), HYMG_EINVAL, "width",
                         words[_i], "cell 5", axis, NULL);
    ck_assert_ptr_null(grid);
  }
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(widths_are_refused_where_they_do_not_work)
{
  trial t = trial_of((const int[3]){8, 8, 8}, "pp dd pp", TRIAL_WIDTHS);
  trial_open(&t);
  hymg_options o = support_options(t.o);
  hymg_solver *solver = NULL;
  if (_i == 0) o.path = HYMG_PATH_STANDARD;
  if (_i == 1) o.method = HYMG_FMG;
  support_assert_error(t.k.context, hymg_solver_create(t.k.op, &o, &solver), HYMG_EUNSUPPORTED,
                       _i ? "mg" : "widths", NULL);
  ck_assert_ptr_null(solver);
  trial_close(&t);
}
END_TEST

/* ---- the same results ---- */

START_TEST(threads_do_not_change_a_bit)
{
  static const unsigned kinds[4] = {TRIAL_JUMPS, TRIAL_WIDTHS | TRIAL_JUMPS, TRIAL_QUADRATIC, 0};
  double *first = NULL, *u = NULL;
  int cycles = 0;
  for (int threads = 1; threads <= 3; threads++) {
    trial t = trial_of((const int[3]){33, 20, 12}, _i % 2 ? "pp dd nn" : "dd dn dd", kinds[_i]);
    t.threads = threads;
    t.o.max_cycles = 12;
    if (_i == 3) t.o.smoother = HYMG_CHEBYSHEV;
    u = support_poison(t.cells);
    hymg_result r = trial_solve(&t, u);
    if (threads == 1) {
      first = u;
      cycles = r.cycles;
    } else {
      ck_assert_int_eq(r.cycles, cycles);
      ck_assert_msg(support_same_bits(t.cells, u, first), "%s: %d threads", t.c.name, threads);
      free(u);
    }
    trial_close(&t);
  }
  free(first);
}
END_TEST

START_TEST(boxes_of_any_size_do_not_change_a_bit)
{
  static const int x[3] = {5, 15, 13}, y[2] = {7, 13},
                   boxes[4][3] = {{1, 1, 1}, {3, 2, 1}, {3, 2, 1}, {1, 5, 3}};
  double *first = NULL;
  for (int b = 0; b < 4; b++) {
    trial t = trial_of((const int[3]){33, 20, 12}, _i % 2 ? "pp dd nn" : "dd dn dd",
                       _i / 2 ? TRIAL_QUADRATIC | TRIAL_ALPHA : TRIAL_WIDTHS | TRIAL_JUMPS);
    memcpy(t.boxes, boxes[b], sizeof t.boxes);
    if (b == 2) t.cuts[0] = x, t.cuts[1] = y;
    t.threads = 2;
    t.o.max_cycles = 12;
    double *u = support_poison(t.cells);
    trial_solve(&t, u);
    if (b == 0)
      first = u;
    else
      ck_assert_msg(support_same_bits(t.cells, u, first), "%s: boxes %d", t.c.name, b);
    if (b > 0) free(u);
    trial_close(&t);
  }
  free(first);
}
END_TEST

/* The trial with axis d in the place of axis (d + 1) % 3. */
static trial rotated(const trial *t, const char *boundary)
{
  const int *n = t->c.spec.n, m[3] = {n[2], n[0], n[1]};
  trial s = trial_plain(m, boundary, t->c.spec.h);
  s.c.spec.b = t->c.spec.b;
  s.c.spec.extrapolation = t->c.spec.extrapolation;
  for (int d = 0; d < 3; d++) {
    int e = (d + 1) % 3;
    s.c.spec.h[e] = t->c.spec.h[d];
    if (t->widths[d]) {
      s.widths[e] = support_random((size_t)n[d], 0, 1, 0);
      memcpy(s.widths[e], t->widths[d], (size_t)n[d] * sizeof(double));
    }
  }
  for (int d = -1; d < 3; d++) { /* -1: f */
    int c[3] = {n[0] + (d == 0), n[1] + (d == 1), n[2] + (d == 2)};
    const double *from = d < 0 ? t->f : t->c.beta[d];
    double *to = d < 0 ? s.f : s.c.beta[(d + 1) % 3];
    for (int k = 0; k < c[2]; k++)
      for (int j = 0; j < c[1]; j++)
        for (int i = 0; i < c[0]; i++)
          to[(j * c[0] + i) * c[2] + k] = from[(k * c[1] + j) * c[0] + i];
  }
  return s;
}

START_TEST(permuted_axes_take_the_same_iterations)
{
  trial t = trial_of((const int[3]){12, 9, 7}, "dn pp dd",
                     _i == 0   ? TRIAL_WIDTHS
                     : _i == 1 ? 0
                               : TRIAL_QUADRATIC);
  trial s = rotated(&t, "dd dn pp");
  hymg_result r = trial_solve(&t, NULL), q = trial_solve(&s, NULL);
  assert_converged(&t, &r);
  ck_assert_int_eq(r.cycles, q.cycles);
  for (int i = 0; i < r.cycles && r.history[i].residual_relative > 1e-8; i++)
    ck_assert_double_eq_tol(q.history[i].residual_relative / r.history[i].residual_relative, 1.0,
                            1e-6);
  trial_close(&t);
  trial_close(&s);
}
END_TEST

/* ---- scales and corners ---- */

static void assert_scales(int exponent, hymg_norm norm, unsigned kind)
{
  trial t = trial_of((const int[3]){9, 7, 5}, "dd dn pp", kind);
  double *u = support_poison(t.cells), *v = support_poison(t.cells);
  t.o.norm = norm;
  hymg_result r = trial_solve(&t, u);
  assert_converged(&t, &r);
  int cycles = r.cycles;
  for (size_t i = 0; i < t.cells; i++) {
    t.f[i] = ldexp(t.f[i], exponent);
    u[i] = ldexp(u[i], exponent);
  }
  r = trial_solve(&t, v);
  ck_assert_msg(r.cycles == cycles, "2^%d: %d iterations, not %d, %s: %s", exponent, r.cycles,
                cycles, hymg_reason_name(r.reason), r.note);
  ck_assert(support_same_bits(t.cells, u, v));
  free(u);
  free(v);
  trial_close(&t);
}

START_TEST(scaling_f_by_a_power_of_two_scales_the_solution)
{
  assert_scales(_i & 1 ? 300 : -300, HYMG_NORM_MAX, _i & 2 ? TRIAL_QUADRATIC : TRIAL_WIDTHS);
  assert_scales(_i & 1 ? 300 : -300, HYMG_NORM_2, _i & 2 ? TRIAL_QUADRATIC : TRIAL_WIDTHS);
}
END_TEST

/* Squares of such numbers are 0 or infinite, their maximum is neither. */
START_TEST(scaling_f_to_the_ends_of_the_range_scales_the_solution)
{
  assert_scales(_i & 1 ? 660 : -660, _i & 2 ? HYMG_NORM_2 : HYMG_NORM_MAX, 0);
}
END_TEST

START_TEST(fields_on_coarse_levels_have_the_cells_of_their_level)
{
  trial t = trial_of((const int[3]){9, 7, 5}, "dd dd dd", _i ? TRIAL_JUMPS : 0);
  trial_open(&t);
  for (int l = 1; l < hymg_solver_num_levels(t.k.solver); l++) {
    int n[3];
    size_t cells;
    support_cells(&t.k, l, n, &cells);
    double *x = support_random(cells, -1, 1, 3), rms;
    hymg_field *field = support_field(&t.k, l, x);
    double *y = support_read(&t.k, l, field);
    ck_assert(support_same_bits(cells, x, y));
    OK(t.k.context, hymg_field_rms(field, &rms));
    ck_assert_double_eq_tol(rms, support_rms(cells, x), 1e-14);
    hymg_field_destroy(&field);
    free(x);
    free(y);
  }
  trial_close(&t);
}
END_TEST

/* Within a fifth: what a solver says of itself includes plans and rows of threads. */
START_TEST(the_memory_told_beforehand_is_what_a_solver_takes)
{
  trial t = trial_of((const int[3]){48, 48, 48}, "dn pp dd", _i & 1 ? TRIAL_QUADRATIC : 0);
  t.o.path = _i & 2 ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
  trial_solve(&t, NULL);
  hymg_operator_desc desc = hymg_operator_desc_default();
  desc.extrapolation = t.c.spec.extrapolation;
  hymg_options o = support_options(t.o);
  hymg_need need;
  OK(t.k.context, hymg_solver_need(t.k.grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  double bytes = 0.0;
  for (int l = 0; l < need.num_levels; l++)
    bytes += need.level[l].vectors + need.level[l].coefficients + need.level[l].buffers;
  double taken = hymg_solver_bytes_per_dof(t.k.solver), told = bytes / (double)t.cells;
  ck_assert_msg(told >= 0.8 * taken, "%.1f bytes a cell are told, %.1f are taken", told, taken);
  trial_close(&t);
}
END_TEST

/* Fewer than 8192 cells on the only standard level, but too many in a row for its solver. */
START_TEST(auto_solves_long_thin_grids)
{
  static const int sizes[3][3] = {{1000, 1, 1}, {1023, 8, 1}, {8191, 1, 1}};
  static const char *const mixes[3] = {"dd nn nn", "nn nn nn", "pp pp pp"};
  trial t = trial_plain(sizes[_i], mixes[_i], (const double[3]){1, 1, 1});
  t.f[0] = 5.0;
  t.o.rtol = 1e-7;
  trial_open(&t);
  hymg_solver *solver = solver_of(&t, HYMG_PATH_AUTO, HYMG_MG);
  hymg_result r;
  free(solution(&t, solver, &r));
  assert_converged(&t, &r);
  hymg_solver_destroy(&solver);
  trial_close(&t);
}
END_TEST

/* alpha is 1e-12 in one cell and 0 elsewhere: u is so large that rounding alone is more than f. */
START_TEST(a_residual_as_large_as_f_is_not_convergence)
{
  trial t = trial_of((const int[3]){9, 7, 5}, "nn nn nn", TRIAL_ALPHA);
  for (size_t i = 0; i < t.cells; i++)
    t.c.alpha[i] = i == 7 ? 1e-12 : 0.0;
  hymg_result r = trial_solve(&t, NULL);
  ck_assert_msg(!r.converged || r.residual_relative < 0.1, "converged with a residual of %.3g: %s",
                r.residual_relative, r.note);
  trial_close(&t);
}
END_TEST

static void add_results(TCase *t, bool small)
{
  tcase_add_loop_test(t, scaling_f_by_a_power_of_two_scales_the_solution, 0, 4);
  tcase_add_loop_test(t, scaling_f_to_the_ends_of_the_range_scales_the_solution, 0, 4);
  tcase_add_loop_test(t, fields_on_coarse_levels_have_the_cells_of_their_level, 0, 2);
  tcase_add_loop_test(t, the_memory_told_beforehand_is_what_a_solver_takes, 0, small ? 1 : 4);
  tcase_add_loop_test(t, auto_solves_long_thin_grids, 0, 3);
  tcase_add_test(t, a_residual_as_large_as_f_is_not_convergence);
  tcase_add_loop_test(t, a_zero_right_hand_side_has_the_solution_zero, 0, 6);
  tcase_add_loop_test(t, boundary_data_alone_determine_the_solution, 0, 6);
  tcase_add_loop_test(t, rounding_noise_in_a_singular_system_is_never_an_error, 0, small ? 3 : 6);
  tcase_add_loop_test(t, an_incompatible_mean_is_subtracted_and_told, 0, 2);
  tcase_add_test(t, an_incompatible_mean_is_an_error_if_asked_for);
  tcase_add_loop_test(t, both_norms_stop_on_what_they_say, 0, 8);
  tcase_add_loop_test(t, an_absolute_tolerance_stops_too, 0, 8);
  tcase_add_loop_test(t, a_tolerance_below_rounding_ends_with_a_note, 0, 2);
  tcase_add_loop_test(t, the_residual_at_the_end_is_the_true_one, 0, 3);
  tcase_add_loop_test(t, a_solve_that_does_not_converge_says_so_and_gives_advice, 0, small ? 1 : 2);
  tcase_add_loop_test(t, a_right_hand_side_that_is_not_finite_ends_the_solve, 0, 8);
  tcase_add_loop_test(t, a_solution_as_initial_guess_is_left_alone, 0, 3);
}

int main(void)
{
  const bool small = support_small();
  Suite *suite = suite_create("robust solves");
  TCase *t = tcase_create("robust solves");
  tcase_add_loop_test(t, iterations_stay_within_their_bounds, small ? NUM_BOUNDS - 2 : 0,
                      NUM_BOUNDS);
  tcase_add_loop_test(t, a_quadratic_extrapolation_takes_few_iterations, small ? 2 : 0, 3);
  tcase_add_test(t, stretched_grids_are_of_second_order);
  add_results(t, small);
  tcase_add_loop_test(t, auto_takes_the_robust_path_where_the_standard_one_suffers, small ? 4 : 0,
                      5);
  tcase_add_loop_test(t, auto_takes_the_robust_path_where_nothing_is_halved, 0, 6);
  tcase_add_test(t, auto_takes_the_path_that_all_cells_ask_for);
  tcase_add_loop_test(t, auto_takes_the_standard_path_for_smooth_cubes_with_the_same_bits, 0,
                      small ? 4 : 6);
  tcase_add_loop_test(t, every_smoother_and_cycle_converges, 0, 8);
  tcase_add_test(t, mg_and_mgpcg_mean_the_same_on_the_robust_path);
  tcase_add_loop_test(t, an_update_gives_the_bits_of_a_new_solver, 0, 4);
  tcase_add_loop_test(t, bad_widths_are_refused_with_cell_and_value, 0, 4);
  tcase_add_loop_test(t, widths_are_refused_where_they_do_not_work, 0, 2);
  tcase_add_loop_test(t, threads_do_not_change_a_bit, 0, small ? 1 : 4);
  tcase_add_loop_test(t, boxes_of_any_size_do_not_change_a_bit, 0, small ? 1 : 4);
  tcase_add_loop_test(t, permuted_axes_take_the_same_iterations, 0, 3);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
