/* What "converged" and "stagnated" promise: sparse and symmetric right-hand sides, cells held by a large alpha,
 * slow modes, systems that are almost singular, F-cycles. Solutions are known: f is the oracle's A u. */
#include "oracle/direct.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_converged(const trial *t, const hymg_result *r)
{
  ck_assert_msg(r->converged && r->reason == HYMG_REASON_TOLERANCE, "%s: %s after %d, %.3g: %s",
                t->c.name, hymg_reason_name(r->reason), r->cycles, r->residual_relative, r->note);
}

/* trial_solve with a solver that chooses its own path if the options say auto, which the kit's does not. */
static hymg_result solve(trial *t, double *u)
{
  hymg_options o = support_options(t->o);
  if (t->o.path != HYMG_PATH_AUTO) return trial_solve(t, u);
  o.path = HYMG_PATH_AUTO;
  trial_open(t);
  hymg_solver_destroy(&t->k.solver);
  OK(t->k.context, hymg_solver_create(t->k.op, &o, &t->k.solver));
  return trial_solve(t, u);
}

/* f = A u by the oracle, without boundary data. */
static void set_f(trial *t, const double *u)
{
  oracle *o = oracle_create(&t->c.spec);
  oracle_apply(o, 0, u, t->f);
  oracle_destroy(o);
}

static double relative_error(const trial *t, const double *u, const double *want)
{
  return support_difference(t->cells, u, want) / support_max(t->cells, want);
}

/* ---- sparse and symmetric data ---- */

enum { ONE, TWO, LINE, PLANE, CHECKERS, RED, CORNER, PATTERNS };

static bool in_pattern(int pattern, const int n[3], const int c[3])
{
  const int i = c[0], j = c[1], k = c[2];
  const bool middle = i == n[0] / 2 && j == n[1] / 3 && k == n[2] / 2;
  switch (pattern) {
  case ONE:
    return middle;
  case TWO:
    return middle || (i == n[0] - 1 && j == 0 && k == n[2] / 3);
  case LINE:
    return i == n[0] / 2 && k == n[2] / 2;
  case PLANE:
    return j == n[1] / 2;
  case CHECKERS:
    return true;
  case RED:
    return (i + j + k) % 2 == 0;
  default:
    return i == 0 && j == 0 && k == 0;
  }
}

static void set_pattern(trial *t, int pattern)
{
  const int *n = t->c.spec.n;
  double *f = t->f;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++)
        *f++ = !in_pattern(pattern, n, (const int[3]){i, j, k}) ? 0
               : pattern == CHECKERS                            ? 1 - 2 * ((i + j + k) % 2)
                                                                : 1;
}

/* beta 1 or jumps, by the iterations of both paths; a residual that is computed anew confirms each. */
static void solve_pattern(int pattern, const int n[3], const char *boundary, unsigned kind,
                          const hymg_options *o)
{
  trial t = trial_of(n, boundary, kind);
  if (!(kind & TRIAL_JUMPS))
    for (int d = 0; d < 3; d++)
      t.c.spec.beta[d] = NULL;
  t.o = *o;
  set_pattern(&t, pattern);
  double *u = support_poison(t.cells), *zero = calloc(t.cells, sizeof *zero);
  const hymg_result r = solve(&t, u);
  assert_converged(&t, &r);
  hymg_field *f = support_field(&t.k, 0, t.f), *x = support_field(&t.k, 0, u);
  OK(t.k.context, hymg_residual(t.k.solver, 0, f, x, x));
  double norm;
  OK(t.k.context, hymg_field_max(x, &norm));
  if (!r.singular) ck_assert_msg(norm <= 2e-10, "pattern %d, %s: %g", pattern, t.c.name, norm);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  free(u), free(zero);
  trial_close(&t);
}

START_TEST(no_iteration_breaks_down_on_sparse_or_symmetric_data)
{
  static const char *const boundary[] = {"dd dd dd", "dn pp dd", "nn nn nn"};
  static const int n[][3] = {{16, 16, 16}, {20, 21, 1}, {9, 12, 7}};
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.norm = HYMG_NORM_MAX;
  for (int b = 0; b < 3; b++)
    for (int s = 0; s < (support_small() ? 1 : 3); s++)
      for (int m = 0; m < 5; m++) {
        const bool standard = m == 3;
        o.path = standard ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
        o.method = standard ? HYMG_MGPCG : HYMG_MG;
        o.smoother = m == 2 || standard ? HYMG_CHEBYSHEV : HYMG_GSRB;
        if (standard && s > 0) continue;
        solve_pattern(_i, n[s], boundary[b],
                      (m == 1 ? 0 : TRIAL_QUADRATIC) | (m == 4 ? TRIAL_JUMPS : 0), &o);
      }
}
END_TEST

/* f = 0 and the data of one face. */
START_TEST(data_on_one_face_alone_are_enough)
{
  static const unsigned kind[] = {0, TRIAL_QUADRATIC};
  trial t = trial_of((const int[3]){18, 13, 10}, "dd dd nn", kind[_i]);
  t.c.spec.boundary_constant[2 * _i] = 3;
  memset(t.f, 0, t.cells * sizeof *t.f);
  double *u = support_poison(t.cells);
  const hymg_result r = solve(&t, u);
  assert_converged(&t, &r);
  double most = support_max(t.cells, u);
  ck_assert_msg(most > 0.5 && most < 3, "%g", most);
  free(u);
  trial_close(&t);
}
END_TEST

/* ---- cells held by a large alpha ---- */

/* Every third cell of a line, in a Neumann box, and a cell inside; u known. */
static trial pinned(const int n[3], double large, double **u)
{
  trial t = trial_of(n, "nn nn nn", TRIAL_ALPHA);
  t.c.spec.a = 1, t.o = hymg_options_default(), t.o.method = HYMG_MG;
  for (size_t q = 0; q < t.cells; q++) {
    const int i = (int)(q % (size_t)n[0]), j = (int)(q / (size_t)n[0]) % n[1];
    t.c.alpha[q] = (i == 0 && j % 3 == 0) || q == t.cells / 2 ? large : 0;
  }
  *u = support_random(t.cells, 5, 15, 11);
  set_f(&t, *u);
  return t;
}

START_TEST(cells_held_by_alpha_are_right_or_not_called_converged)
{
  static const hymg_path path[] = {HYMG_PATH_AUTO, HYMG_PATH_ROBUST, HYMG_PATH_STANDARD};
  static const int n[][3] = {{16, 16, 16}, {24, 20, 1}};
  for (int s = 0; s < 2; s++)
    for (double large = 1; large < 1e16; large *= 100) {
      double *want;
      trial t = pinned(n[s], large, &want);
      double *u = support_poison(t.cells);
      t.o.path = path[_i % 3];
      if (_i >= 3) t.o.method = HYMG_MGPCG;
      if (_i >= 3 && path[_i % 3] == HYMG_PATH_STANDARD) t.o.smoother = HYMG_CHEBYSHEV;
      const hymg_result r = solve(&t, u);
      const double error = relative_error(&t, u, want);
      if (t.o.path != HYMG_PATH_STANDARD) assert_converged(&t, &r);
      ck_assert_msg(!r.converged || error <= 1e-6, "%s, alpha %g: error %g after %d, %s",
                    hymg_path_name(t.o.path), large, error, r.cycles, r.note);
      free(u), free(want);
      trial_close(&t);
    }
}
END_TEST

/* A jump of alpha alone leads to the robust path; FMG, which has none, is refused; a smooth alpha changes
 * nothing. */
START_TEST(the_path_heeds_jumps_of_alpha)
{
  double *u;
  trial t = pinned((const int[3]){16, 16, 16}, _i ? 0.1 : 1e6, &u);
  if (_i)
    for (size_t q = 0; q < t.cells; q++)
      t.c.alpha[q] = 1 + 1e-4 * (double)(q % 16);
  solve(&t, NULL);
  const char *why;
  const hymg_path path = hymg_solver_path(t.k.solver, &why);
  ck_assert_msg(path == (_i ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST), "%s", why);
  if (!_i) {
    ck_assert_ptr_nonnull(strstr(why, "alpha jumps"));
    hymg_options o = t.o;
    hymg_solver *solver = NULL;
    o.method = HYMG_FMG, o.backend = support_backend();
    ck_assert_int_eq(hymg_solver_create(t.k.op, &o, &solver), HYMG_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(hymg_context_error(t.k.context), "alpha jumps"));
  }
  free(u);
  trial_close(&t);
}
END_TEST

/* beta so small along an axis that its share of the coupling is 0: independent planes. */
START_TEST(a_weak_axis_is_not_an_axis_of_one_cell)
{
  static const double weak[] = {1e-42, 1e-100, 1e-290};
  static const int n[3] = {12, 16, 20};
  trial t = trial_of(n, "dd dd nn", 0);
  const size_t faces = (size_t)n[0] * (size_t)n[1] * (size_t)(n[2] + 1);
  for (size_t q = 0; q < faces; q++)
    t.c.beta[2][q] = weak[_i];
  t.o = hymg_options_default(), t.o.method = HYMG_MG;
  double *u = support_poison(t.cells), *want = support_random(t.cells, -1, 1, 4);
  set_f(&t, want);
  const hymg_result r = solve(&t, u);
  assert_converged(&t, &r);
  ck_assert_int_eq(r.path, HYMG_PATH_ROBUST);
  ck_assert_msg(r.cycles <= 15, "%d", r.cycles);
  ck_assert_double_lt(relative_error(&t, u, want), 1e-8);
  free(u), free(want);
  trial_close(&t);
}
END_TEST

/* ---- stagnation ---- */

/* Cells open with probability 0.7, the others beside them with beta 1e-12 and alpha 1, and one weak sink: the residual is
 * larger than at first for 60 iterations. */
static trial sponge(int stagnation)
{
  const int n[3] = {24, 24, 20};
  trial t = trial_of(n, "nn nn nn", TRIAL_ALPHA);
  double *open = support_random(t.cells, 0, 1, 5), *beta = malloc(t.cells * sizeof *beta);
  const size_t source = 5, sink = t.cells - 7;
  open[source] = open[sink] = 0;
  for (size_t q = 0; q < t.cells; q++) {
    beta[q] = open[q] < 0.7 ? 1 : 1e-12;
    t.c.alpha[q] = open[q] < 0.7 ? 0 : 1;
    t.f[q] = q == source;
  }
  trial_set_beta(&t, beta);
  t.c.alpha[sink] = 1e-3;
  t.c.spec.a = 1;
  t.o = hymg_options_default(), t.o.method = HYMG_MG, t.o.stagnation = stagnation;
  free(open), free(beta);
  return t;
}

START_TEST(a_residual_that_waits_is_waited_for)
{
  trial t = sponge(_i ? 5 : -1);
  const hymg_result r = solve(&t, NULL);
  if (_i) {
    ck_assert(!r.converged && r.reason == HYMG_REASON_STAGNATED);
    ck_assert_msg(r.cycles < 60, "%d", r.cycles);
  } else {
    assert_converged(&t, &r);
    ck_assert_msg(r.cycles > 30, "%d iterations show nothing", r.cycles);
  }
  trial_close(&t);
}
END_TEST

/* An attempt with the tensor transfer costs its 8 iterations, and pairs, which are the last, few more than the weighted
 * transfer would have taken. */
START_TEST(attempts_with_other_transfers_lose_little)
{
  trial t = sponge(-1), w = sponge(-1);
  w.o.transfer = HYMG_TRANSFER_WEIGHTED;
  const hymg_result one = solve(&w, NULL), search = solve(&t, NULL);
  assert_converged(&t, &search);
  ck_assert_msg(strstr(search.note, "went over to the tensor transfer") &&
                    strstr(search.note, "went over to pairs"),
                "%s", search.note);
  ck_assert_msg(search.cycles <= one.cycles + 18, "%d and %d", search.cycles, one.cycles);
  trial_close(&t);
  trial_close(&w);
}
END_TEST

/* A plane of two media, 8 % of it closed: with pairs the residual stays where it is at first, with the others it does for
 * hundreds of iterations. */
START_TEST(pairs_are_given_time)
{
  const int n[3] = {96, 51, 1};
  trial t = trial_of(n, "nn nd nn", 0);
  double *draw = support_random(t.cells, 0, 1, 8), *beta = malloc(t.cells * sizeof *beta);
  for (size_t q = 0; q < t.cells; q++)
    beta[q] = draw[q] < 0.08 ? 0 : draw[q] < 0.5 ? 1 : 1e5;
  trial_set_beta(&t, beta);
  const hymg_result r = trial_solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_msg(r.cycles < 50, "%d: %s", r.cycles, r.note);
  printf("  %d iterations: %s\n", r.cycles, r.note);
  free(draw), free(beta);
  trial_close(&t);
}
END_TEST

/* ---- almost singular systems ---- */

/* A constant alpha that is small holds the mean of u: mean f / (a alpha), to the last digits. */
START_TEST(a_small_alpha_gives_the_exact_mean)
{
  static const char *const boundary[] = {"nn nn nn", "pp nn pp"};
  static const hymg_path path[] = {HYMG_PATH_STANDARD, HYMG_PATH_ROBUST};
  static const hymg_method method[] = {HYMG_MG, HYMG_MGPCG, HYMG_FMG};
  for (double a = 1e-4; a > 1e-15; a *= 1e-3)
    for (int m = 0; m < (_i % 2 ? 1 : 3); m++) {
      trial t = trial_of((const int[3]){16, 16, 16}, boundary[_i / 2], TRIAL_CONSTANT);
      t.c.spec.a = a;
      t.o = hymg_options_default(), t.o.method = method[m], t.o.path = path[_i % 2];
      double *u = support_poison(t.cells), f = 0, mean = 0;
      const hymg_result r = solve(&t, u);
      ck_assert_msg(r.converged && !r.singular && r.mean_removed == 0, "a %g: %s", a, r.note);
      for (size_t q = 0; q < t.cells; q++)
        f += t.f[q] / (double)t.cells, mean += u[q] / (double)t.cells;
      ck_assert_msg(fabs(mean - f / (a * 0.5)) <= 1e-13 * fabs(mean), "a %g: %.17g for %.17g", a,
                    mean, f / (a * 0.5));
      free(u);
      trial_close(&t);
    }
}
END_TEST

/* The cycle as a preconditioner: the same mean, and symmetric. */
START_TEST(a_cycle_with_a_small_alpha_is_symmetric_and_has_the_exact_mean)
{
  trial t = trial_of((const int[3]){12, 10, 8}, "nn nn pp", TRIAL_CONSTANT);
  t.c.spec.a = 1e-9;
  trial_open(&t);
  double *x = support_random(t.cells, 0, 1, 1), *y = support_random(t.cells, -1, 1, 2), sum = 0,
         out = 0;
  hymg_field *fx = support_field(&t.k, 0, x), *fy = support_field(&t.k, 0, y),
             *mx = support_field(&t.k, 0, y), *my = support_field(&t.k, 0, x);
  OK(t.k.context, hymg_solver_cycle(t.k.solver, HYMG_CYCLE_V, false, fx, mx));
  OK(t.k.context, hymg_solver_cycle(t.k.solver, HYMG_CYCLE_V, false, fy, my));
  double ymx, xmy;
  OK(t.k.context, hymg_field_dot(fy, mx, &ymx));
  OK(t.k.context, hymg_field_dot(fx, my, &xmy));
  ck_assert_msg(fabs(ymx - xmy) <= 1e-8 * fabs(ymx), "%.17g %.17g", ymx, xmy);
  double *z = support_read(&t.k, 0, mx);
  for (size_t q = 0; q < t.cells; q++)
    sum += x[q], out += z[q];
  ck_assert_double_eq_tol(out * 1e-9 * 0.5 / sum, 1, 1e-12);
  free(x), free(y), free(z);
  hymg_field_destroy(&fx), hymg_field_destroy(&fy), hymg_field_destroy(&mx),
      hymg_field_destroy(&my);
  trial_close(&t);
}
END_TEST

/* Whatever constant the initial guess has, in a singular system. */
START_TEST(the_mean_of_a_guess_does_not_matter)
{
  static const double offset[] = {0, 101325, 1e9};
  static const hymg_path path[] = {HYMG_PATH_STANDARD, HYMG_PATH_ROBUST};
  for (int m = 0; m < 6; m++) {
    trial t = trial_of((const int[3]){16, 12, 8}, _i ? "pp nn pp" : "nn nn nn", 0);
    t.o = hymg_options_default(), t.o.method = HYMG_MG, t.o.cycle = HYMG_CYCLE_V,
    t.o.path = path[m % 2];
    t.o.initial_guess = true, t.o.backend = support_backend();
    trial_open(&t);
    double *guess = support_random(t.cells, -1e-3, 1e-3, 3);
    for (size_t q = 0; q < t.cells; q++)
      guess[q] += offset[m / 2];
    hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, guess);
    hymg_result r;
    OK(t.k.context, hymg_solve(t.k.solver, f, u, &r));
    assert_converged(&t, &r);
    ck_assert_msg(r.residual_relative <= 1.5e-10, "%g: %g", offset[m / 2], r.residual_relative);
    hymg_field_destroy(&f), hymg_field_destroy(&u);
    free(guess);
    trial_close(&t);
  }
}
END_TEST

/* Below rounding both paths end, soon, and say the same. */
START_TEST(below_rounding_both_paths_say_converged_and_why)
{
  static const hymg_method method[] = {HYMG_MG, HYMG_MGPCG};
  trial t = trial_of((const int[3]){16, 16, 16}, "dd dd dd", _i % 2 ? TRIAL_QUADRATIC : 0);
  t.o = hymg_options_default(), t.o.method = method[_i / 2 % 2], t.o.rtol = 1e-30;
  t.o.path = _i / 4 ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  if (_i / 2 % 2) t.o.smoother = HYMG_CHEBYSHEV;
  const hymg_result r = solve(&t, NULL);
  assert_converged(&t, &r);
  ck_assert_msg(strstr(r.note, "where rounding ends"), "%s", r.note);
  ck_assert_msg(r.residual_relative < 1e-12 && r.cycles < 60, "%d: %g", r.cycles,
                r.residual_relative);
  trial_close(&t);
}
END_TEST

/* Two balls whose beta is 1e11 to 1e14 times that around them: rounding of fluxes within leaves up to a tenth of f in the
 * residual, but nearly nothing of that in u. */
START_TEST(what_rounding_leaves_in_stiff_balls_does_not_matter)
{
  const int n[3] = {12, 11, 10};
  trial t = trial_of(n, "dd dd dd", 0);
  double *beta = support_poison(t.cells), *u = support_poison(t.cells),
         *want = support_poison(t.cells), *g = support_poison(t.cells);
  size_t q = 0;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++) {
        const double one = hypot(hypot(i - 3, j - 3), k - 4),
                     other = hypot(hypot(i - 8, j - 7), k - 5);
        beta[q] = fmin(one, other) < 2.6 ? pow(10, 11 + _i) : 1;
      }
  trial_set_beta(&t, beta);
  t.o = hymg_options_default(), t.o.method = HYMG_MG;
  const hymg_result r = solve(&t, u);
  if (_i < 3)
    assert_converged(&t, &r);
  else
    ck_assert_msg(!r.converged && strstr(r.note, "coefficients differ by too much for double") &&
                      !strstr(r.note, "more sweeps"),
                  "%s", r.note);
  direct *d = direct_create(&t.c.spec, NULL);
  direct_rhs(d, t.f, g);
  direct_solve(d, g, want);
  direct_destroy(d);
  const double error = relative_error(&t, u, want);
  ck_assert_msg(error < 1e-8, "error %g, %d iterations: %s", error, r.cycles, r.note);
  printf("  residual %.1e of f, error %.1e of u, %d iterations\n", r.residual_relative, error,
         r.cycles);
  free(beta), free(u), free(want), free(g);
  trial_close(&t);
}
END_TEST

/* ---- FMG ---- */

START_TEST(an_f_cycle_on_a_plane_is_refused)
{
  static const int n[][3] = {{64, 64, 1}, {1, 600, 1}, {512, 1, 512}};
  trial t = trial_of(n[_i], "nn nn nn", 0);
  t.c.spec.boundary[_i == 1 ? 2 : 0] = HYMG_DIRICHLET;
  t.o = hymg_options_default();
  trial m = t;
  for (int path = HYMG_PATH_AUTO; path <= HYMG_PATH_STANDARD; path++) {
    hymg_context *c = NULL;
    hymg_grid *g = NULL;
    hymg_operator *op = NULL;
    hymg_solver *s = NULL;
    hymg_operator_desc d = hymg_operator_desc_default();
    hymg_grid_desc grid = hymg_grid_desc_default();
    memcpy(grid.n, n[_i], sizeof grid.n);
    memcpy(grid.boundary, t.c.spec.boundary, sizeof grid.boundary);
    hymg_options o = t.o;
    o.path = (hymg_path)path, o.backend = support_backend();
    OK(c, hymg_context_create(NULL, &c));
    OK(c, hymg_grid_create(c, &grid, &g));
    OK(c, hymg_operator_create(g, &d, &op));
    ck_assert_int_eq(hymg_solver_create(op, &o, &s), HYMG_EUNSUPPORTED);
    ck_assert_msg(strstr(hymg_context_error(c), "use method mg"), "%s", hymg_context_error(c));
    hymg_operator_destroy(&op), hymg_grid_destroy(&g), hymg_context_destroy(&c);
  }
  support_case_free(&m.c);
  free(t.f);
}
END_TEST

/* Noise in f: the F-cycle leaves much of it and is as good as the discretisation. A system that the standard path does
 * not suit: it is not, and says so. */
START_TEST(an_f_cycle_says_whether_its_residual_is_that_of_the_discretisation)
{
  trial t = trial_of((const int[3]){32, 32, 32}, "dd dd dd", 0);
  t.o = hymg_options_default(), t.o.path = HYMG_PATH_STANDARD;
  hymg_result r = solve(&t, NULL);
  ck_assert_msg(r.converged, "%g: %s", r.residual_relative, r.note);
  trial_close(&t);
  double *u;
  trial p = pinned((const int[3]){16, 16, 16}, 1e6, &u);
  p.o = hymg_options_default(), p.o.path = HYMG_PATH_STANDARD;
  double *got = support_poison(p.cells);
  r = solve(&p, got);
  ck_assert_msg(!r.converged && strstr(r.note, "method=mg"), "error %g: %s",
                relative_error(&p, got, u), r.note);
  free(u), free(got);
  trial_close(&p);
}
END_TEST

/* f times a power of 2 gives u times that and the same verdict: also beyond the range in which products of two such
 * numbers stay, where the solve scales f. */
START_TEST(what_an_f_cycle_says_does_not_depend_on_the_scale_of_f)
{
  static const int powers[] = {0, 664, -664}, n[][3] = {{16, 16, 16}, {2, 4, 5}};
  bool said[3];
  double *u, *first = NULL;
  trial t = pinned(n[_i % 2], _i / 2 ? 1e6 : 1, &u);
  t.o = hymg_options_default(), t.o.path = HYMG_PATH_STANDARD;
  for (int m = 0; m < 3; m++) {
    double *got = support_poison(t.cells);
    for (size_t q = 0; q < t.cells; q++)
      t.f[q] = ldexp(t.f[q], powers[m] - (m ? powers[m - 1] : 0));
    said[m] = solve(&t, got).converged;
    support_close(&t.k);
    for (size_t q = 0; q < t.cells; q++)
      got[q] = ldexp(got[q], -powers[m]);
    const double error = relative_error(&t, got, u);
    ck_assert_msg(!said[m] || error <= 0.1, "2^%d: error %g", powers[m], error);
    ck_assert_msg(said[m] == said[0], "2^%d: %d, but without %d", powers[m], said[m], said[0]);
    if (m) support_assert_close("u", t.c.name, t.cells, got, first, 1e-12);
    if (m) free(got);
    if (!m) first = got;
  }
  free(u), free(first);
  trial_close(&t);
}
END_TEST

/* One sink, in a red cell, holds the mean of u = 1 +- 1, red and black. Coarse levels take the 2 that u is there for its
 * mean; the residual has little of that. */
START_TEST(an_f_cycle_sees_a_wrong_mean_that_only_sinks_hold)
{
  trial t = trial_of((const int[3]){4, 4, 2}, _i ? "pp pp pp" : "nn nn nn", TRIAL_ALPHA);
  t.c.spec.a = 1, t.o = hymg_options_default(), t.o.path = HYMG_PATH_STANDARD;
  double *u = support_poison(t.cells), *got = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++) {
    t.c.alpha[q] = q == 0 ? 1e-3 : 0;
    u[q] = (q + q / 4 + q / 16) % 2 ? 0 : 2;
  }
  set_f(&t, u);
  const hymg_result r = solve(&t, got);
  const double error = relative_error(&t, got, u);
  ck_assert_msg(error > 0.05 && r.residual_relative < 1e-2, "not what is tested: %g, %g", error,
                r.residual_relative);
  ck_assert_msg(!r.converged && strstr(r.note, "method=mg"), "%s: error %g: %s", t.c.name, error,
                r.note);
  free(u), free(got);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("trust");
  TCase *t = tcase_create("trust");
  tcase_set_timeout(t, 200);
  tcase_add_loop_test(t, no_iteration_breaks_down_on_sparse_or_symmetric_data, 0,
                      support_small() ? 2 : PATTERNS);
  tcase_add_loop_test(t, data_on_one_face_alone_are_enough, 0, 2);
  tcase_add_loop_test(t, cells_held_by_alpha_are_right_or_not_called_converged, 0,
                      support_small() ? 1 : 6);
  tcase_add_loop_test(t, the_path_heeds_jumps_of_alpha, 0, 2);
  tcase_add_loop_test(t, a_weak_axis_is_not_an_axis_of_one_cell, 0, 3);
  tcase_add_loop_test(t, a_residual_that_waits_is_waited_for, 0, 2);
  tcase_add_test(t, attempts_with_other_transfers_lose_little);
  tcase_add_test(t, pairs_are_given_time);
  tcase_add_loop_test(t, a_small_alpha_gives_the_exact_mean, 0, 4);
  tcase_add_test(t, a_cycle_with_a_small_alpha_is_symmetric_and_has_the_exact_mean);
  tcase_add_loop_test(t, the_mean_of_a_guess_does_not_matter, 0, 2);
  tcase_add_loop_test(t, below_rounding_both_paths_say_converged_and_why, 0, 8);
  tcase_add_loop_test(t, what_rounding_leaves_in_stiff_balls_does_not_matter, 0, 4);
  tcase_add_loop_test(t, an_f_cycle_on_a_plane_is_refused, 0, 3);
  tcase_add_test(t, an_f_cycle_says_whether_its_residual_is_that_of_the_discretisation);
  tcase_add_loop_test(t, what_an_f_cycle_says_does_not_depend_on_the_scale_of_f, 0, 4);
  tcase_add_loop_test(t, an_f_cycle_sees_a_wrong_mean_that_only_sinks_hold, 0, 2);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
