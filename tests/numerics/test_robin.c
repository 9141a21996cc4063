/* Robin boundaries and the wall a whole spacing away: against the oracle on every level and in every
 * cycle, their limits, polynomials, errors. */
#include "oracle/wave.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const hymg_extrapolation kinds[3] = {HYMG_EXTRAPOLATION_LINEAR, HYMG_EXTRAPOLATION_QUADRATIC,
                                            HYMG_EXTRAPOLATION_VERTEX};

/* Numbers that differ from face to face, next to 0 as well. */
static void set_numbers(support_case *c)
{
  static const double alpha[6] = {1, 2, 0.5, 0, 3, 1}, beta[6] = {0.2, 0, 1, 0.7, 0.01, 5};
  for (int face = 0; face < 6; face++) {
    c->spec.robin_alpha_constant[face] = alpha[face];
    c->spec.robin_beta_constant[face] = beta[face];
  }
}

typedef struct trial {
  int n[3];
  const char *boundary;
  double a;
  bool fields, beta; /* Robin numbers and beta */
  int kind;
} trial;

static support_case case_of(const trial *t)
{
  support_case c = support_case_of(HYMG_FV2, t->n, t->boundary, t->a);
  c.spec.extrapolation = kinds[t->kind];
  set_numbers(&c);
  if (t->fields) support_case_add_robin(&c);
  for (int d = 0; d < 3 && !t->beta; d++)
    c.spec.beta[d] = NULL;
  support_case_add_boundaries(&c);
  snprintf(c.name, sizeof c.name, "%dx%dx%d %s a=%g fields %d beta %d closure %d", t->n[0], t->n[1],
           t->n[2], t->boundary, t->a, t->fields, t->beta, t->kind);
  return c;
}

static const trial trials[] = {
    {{8, 4, 12}, "rr rr rr", 0, false, false, 0}, {{8, 4, 12}, "rr rr rr", 0, false, true, 1},
    {{8, 4, 12}, "rr rr rr", 0, true, false, 1},  {{8, 4, 12}, "rd nr pp", 0.3, true, true, 1},
    {{8, 4, 12}, "dr pp rn", 0, true, true, 0},   {{8, 4, 12}, "dd dd dd", 0, false, false, 2},
    {{8, 4, 12}, "rd nr pp", 0, false, true, 2},  {{8, 4, 12}, "rr dd rd", 0, true, true, 2},
    {{9, 17, 11}, "rr rr rr", 0, true, true, 1},  {{9, 17, 11}, "rr nd dr", 0, false, false, 0},
    {{9, 17, 11}, "rd dr rr", 0, true, true, 2},  {{2, 1, 6}, "rr rr rr", 0.2, false, true, 1},
    {{1, 1, 1}, "rr rr rr", 0, false, false, 1},  {{9, 17, 11}, "dd dd dd", 0, true, true, 2},
};
enum { TRIALS = sizeof trials / sizeof *trials };

START_TEST(every_level_is_the_oracles)
{
  support_case c = case_of(&trials[_i]);
  oracle *o = oracle_create(&c.spec);
  support_layout layout = {.threads = 2};
  support_kit k = support_open(&c.spec, &layout, NULL);
  ck_assert_int_eq(hymg_solver_num_levels(k.solver), o->levels);
  for (int l = 0; l < o->levels; l++) {
    const size_t cells = o->level[l].cells;
    double *x = support_random(cells, -1, 1, 3), *f = support_random(cells, -1, 1, 4),
           *want = support_poison(cells);
    hymg_field *u = support_field(&k, l, x), *ff = support_field(&k, l, f),
               *r = support_field(&k, l, f);
    hymg_level_info info;
    OK(k.context, hymg_field_fill(r, NAN));
    OK(k.context, hymg_apply(k.solver, l, u, r));
    double *got = support_read(&k, l, r);
    oracle_apply(o, l, x, want);
    const double scale = support_max(cells, want);
    support_assert_close("A x", c.name, cells, got, want, 1e-13 * scale);
    free(got);
    OK(k.context, hymg_residual(k.solver, l, ff, u, r));
    got = support_read(&k, l, r);
    oracle_residual(o, l, f, x, want);
    support_assert_close("residual", c.name, cells, got, want, 1e-12 * scale);
    OK(k.context, hymg_solver_level(k.solver, l, &info));
    ck_assert_double_eq_tol(info.lambda_max, o->level[l].lambda_max, 1e-12);
    hymg_field_destroy(&u);
    hymg_field_destroy(&ff);
    hymg_field_destroy(&r);
    free(x), free(f), free(want), free(got);
  }
  support_close(&k);
  oracle_destroy(o);
  support_case_free(&c);
}
END_TEST

static void solve_both(support_case *c, hymg_method method, hymg_cycle cycle,
                       const support_layout *layout)
{
  oracle *o = oracle_create(&c->spec);
  hymg_options options = hymg_options_default();
  options.method = method;
  options.cycle = cycle;
  options.rtol = 1e-30;
  options.max_cycles = 2;
  support_kit k = support_open(&c->spec, layout, &options);
  size_t cells = o->level[0].cells;
  double *f = support_random(cells, -1, 1, 1), *want = support_poison(cells);
  hymg_field *ff = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result r;
  OK(k.context, hymg_field_fill(u, NAN));
  OK(k.context, hymg_solve(k.solver, ff, u, &r));
  ck_assert_int_eq(r.singular, o->singular);
  oracle_history h = oracle_solve(o, 0, method, cycle, r.cycles, false, f, want);
  double *got = support_read(&k, 0, u);
  ck_assert_double_eq_tol(r.rhs_max, h.rhs_max, 1e-12 * h.rhs_max);
  support_assert_close("u", c->name, cells, got, want, 1e-11 * support_max(cells, want));
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  oracle_destroy(o);
  free(f), free(want), free(got);
}

START_TEST(cycles_with_every_smoother_are_the_oracles)
{
  static const hymg_smoother smoothers[5] = {HYMG_GSRB, HYMG_CHEBYSHEV, HYMG_JACOBI, HYMG_L1JACOBI,
                                             HYMG_SYMGS};
  const trial t = {{8, 8, 16}, _i % 2 ? "rd nr rr" : "rr pp dr",
                   0,          _i % 4 < 2 && _i % 3 < 2,
                   _i % 3 > 0, _i % 3};
  support_case c = case_of(&t);
  c.spec.smoother = smoothers[_i % 5];
  support_layout one = {.threads = 1}, many = {.threads = 2, .boxes = {2, 1, 2}};
  solve_both(&c, HYMG_MG, HYMG_CYCLE_V, c.spec.smoother == HYMG_SYMGS ? &one : &many);
  solve_both(&c, HYMG_MG, HYMG_CYCLE_W, c.spec.smoother == HYMG_SYMGS ? &one : &many);
  support_case_free(&c);
}
END_TEST

/* With data and conditions on one axis only: at edges with two the formulas leave the order open. */
START_TEST(f_cycles_are_the_oracles)
{
  static const char *const channels[4] = {"pp pp rr", "nr pp pp", "pp dr pp", "pp pp rd"};
  const trial t = {{8, 12, 16}, channels[_i % 4], 0.2, _i % 3 < 2 && _i < 8, _i % 2 == 0, _i % 3};
  support_case c = case_of(&t);
  support_layout layout = {.threads = 2, .boxes = {2, 1, 2}};
  solve_both(&c, HYMG_FMG, HYMG_CYCLE_F, &layout);
  support_case_free(&c);
}
END_TEST

/* ---- limits ---- */

static double *solution_of(const support_case *c, const double *f, bool *singular)
{
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.rtol = 1e-13;
  options.max_cycles = 40;
  support_kit k = support_open(&c->spec, NULL, &options);
  hymg_field *ff = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, ff, u, &r));
  *singular = r.singular;
  double *values = support_read(&k, 0, u);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  return values;
}

/* alpha = 0: Neumann; beta = 0: Dirichlet; as numbers and as fields, with constant and variable beta. */
START_TEST(limits_are_neumann_and_dirichlet)
{
  const bool neumann = _i % 2, fields = _i / 2 % 2;
  const trial t = {{8, 12, 8}, "rr rd pp", 0.4, false, _i / 4 % 2, _i / 8};
  trial other = t;
  other.boundary = neumann ? "nn nd pp" : "dd dd pp";
  support_case c = case_of(&t), want = case_of(&other);
  enum { CELLS = 8 * 12 * 8, MOST = 12 * 8 };
  double alpha[MOST], beta[MOST];
  for (int i = 0; i < MOST; i++) {
    alpha[i] = neumann ? 0 : 0.5 + i % 5;
    beta[i] = neumann ? 0.5 + i % 5 : 0;
  }
  for (int face = 0; face < 6; face++) {
    if (c.spec.boundary[face] != HYMG_ROBIN) continue;
    const int size = face < 2 ? 12 * 8 : 8 * 8;
    c.spec.robin_alpha_constant[face] = neumann ? 0 : 3;
    c.spec.robin_beta_constant[face] = neumann ? 3 : 0;
    if (fields) c.spec.robin_alpha[face] = alpha, c.spec.robin_beta[face] = beta;
    for (int i = 0; i < size; i++)
      c.boundary_data[face][i] = want.boundary_data[face][i] * (fields ? 0.5 + i % 5 : 3);
  }
  double *f = support_random(CELLS, -1, 1, 2);
  bool singular;
  double *got = solution_of(&c, f, &singular), *expected = solution_of(&want, f, &singular);
  support_assert_close("u", c.name, CELLS, got, expected, 1e-11 * support_max(CELLS, expected));
  free(f), free(got), free(expected);
  support_case_free(&c);
  support_case_free(&want);
}
END_TEST

/* Without alpha and with all robin_alpha 0 a constant is left open, else not. */
START_TEST(systems_are_singular_only_without_robin_alpha)
{
  const trial t = {{8, 4, 4}, "rn pp rr", 0, false, true, 0};
  support_case c = case_of(&t);
  double *f = support_random(8 * 4 * 4, -1, 1, 2), alpha[32] = {0};
  bool singular;
  for (int face = 0; face < 6; face++)
    c.spec.robin_alpha_constant[face] = 0, c.spec.robin_beta_constant[face] = 2;
  c.spec.robin_alpha[4] = alpha; /* a field, of zeros at first */
  free(solution_of(&c, f, &singular));
  ck_assert(singular);
  alpha[31] = 1e-3;
  free(solution_of(&c, f, &singular));
  ck_assert(!singular);
  alpha[31] = 0, c.spec.robin_alpha_constant[0] = 1e-3;
  free(solution_of(&c, f, &singular));
  ck_assert(!singular);
  free(f);
  support_case_free(&c);
}
END_TEST

/* A condition times a power of 2 is the same condition. */
START_TEST(the_scale_of_a_condition_changes_no_bit)
{
  const trial t = {{8, 12, 8}, "rr rd pp", 0, true, true, _i};
  support_case c = case_of(&t);
  double *f = support_random(8 * 12 * 8, -1, 1, 2);
  bool singular;
  double *want = solution_of(&c, f, &singular);
  for (int face = 0; face < 3; face++)
    for (int i = 0; i < (face < 2 ? 12 * 8 : 8 * 8); i++) {
      const double scale = i % 3 ? 8 : 0.25;
      c.robin_alpha[face][i] *= scale, c.robin_beta[face][i] *= scale;
      c.boundary_data[face][i] *= scale;
    }
  double *got = solution_of(&c, f, &singular);
  ck_assert(support_same_bits(8 * 12 * 8, got, want));
  free(f), free(got), free(want);
  support_case_free(&c);
}
END_TEST

/* ---- order ---- */

typedef struct sequence {
  int n[3];
  double h[3]; /* all 0: equal */
  const char *boundary;
  hymg_path path;
  hymg_method method;
} sequence;

static const sequence sequences[] = {
    {{16, 16, 16}, {0}, "rr rr rr", HYMG_PATH_STANDARD, HYMG_FMG},
    {{16, 16, 16}, {0}, "rr rr rr", HYMG_PATH_STANDARD, HYMG_MG},
    {{16, 16, 16}, {0}, "rd nr pp", HYMG_PATH_STANDARD, HYMG_FMG},
    {{16, 16, 16}, {0}, "rn rr dr", HYMG_PATH_ROBUST, HYMG_MG},
    {{17, 13, 15}, {0}, "rr rr rr", HYMG_PATH_STANDARD, HYMG_MG},
    {{17, 13, 15}, {0}, "rr rr rr", HYMG_PATH_ROBUST, HYMG_MG},
    {{20, 16, 20}, {0.05, 0.06, 0.045}, "rr rr rd", HYMG_PATH_STANDARD, HYMG_FMG},
    {{20, 10, 24}, {0.05, 0.085, 0.045}, "rr rr rr", HYMG_PATH_ROBUST, HYMG_MG},
    {{17, 13, 15}, {0}, "rr rd nr", HYMG_PATH_STANDARD, HYMG_MG},
    {{20, 10, 24}, {0.05, 0.085, 0.045}, "rr dr rr", HYMG_PATH_ROBUST, HYMG_MG},
};
enum { SEQUENCES = sizeof sequences / sizeof *sequences };

static double error_of(const sequence *s, int finer, hymg_extrapolation extrapolation)
{
  int n[3];
  double h[3];
  for (int d = 0; d < 3; d++) {
    n[d] = s->n[d] * finer;
    h[d] = (s->h[d] > 0 ? s->h[d] : 1.0 / s->n[0]) / finer;
  }
  wave w = wave_of(n, h, s->boundary, 0);
  w.c.spec.extrapolation = extrapolation;
  wave_take_means(&w);
  hymg_options o = hymg_options_default();
  o.method = s->method, o.path = s->path;
  hymg_result r;
  const double error = wave_solve(&w, o, &r);
  ck_assert_msg(r.converged, "%s: %s", w.c.name, hymg_reason_name(r.reason));
  wave_free(&w);
  return error;
}

/* Robin numbers that vary along the face, beta and all data too; largest error of all cells, against their
 * means. (Against values at the centres the terms of order h^2 nearly cancel beside a Dirichlet boundary,
 * and those of order h^3 show: orders of 1.3 to 1.8 on such grids.) */
START_TEST(errors_fall_with_the_second_power_of_h)
{
  const sequence *s = sequences + _i % SEQUENCES;
  const hymg_extrapolation kind =
      _i / SEQUENCES ? HYMG_EXTRAPOLATION_VERTEX : HYMG_EXTRAPOLATION_QUADRATIC;
  const double coarse = error_of(s, 1, kind), fine = error_of(s, 2, kind);
  ck_assert_msg(log2(coarse / fine) >= 1.9, "%d: order %.3f from %.3g to %.3g", _i,
                log2(coarse / fine), coarse, fine);
}
END_TEST

/* On odd sides, too, a single F-cycle leaves about the error of the discretisation. */
START_TEST(f_cycles_on_odd_sides_reach_the_discretisation)
{
  sequence s = {{27, 23, 25}, {0}, _i % 2 ? "rr rd nr" : "rr rr rr", HYMG_PATH_STANDARD, HYMG_FMG};
  const hymg_extrapolation kind = kinds[1 + _i / 2];
  const double once = error_of(&s, 1, kind);
  s.method = HYMG_MG;
  const double least = error_of(&s, 1, kind);
  ck_assert_msg(once <= 1.7 * least, "%d: %.3g, not %.3g", _i, once, least);
}
END_TEST

/* From nearly insulating to nearly held: walls in series with the cells keep the robust path's pace. */
START_TEST(iterations_do_not_depend_on_the_walls)
{
  static const double alpha[3] = {1e-3, 1, 1e6};
  for (int m = 0; m < 3; m++) {
    wave w = wave_of((const int[3]){17, 16, 15}, NULL, "rr rr rr", 0.3);
    w.c.spec.extrapolation = kinds[_i];
    for (int face = 0; face < 6; face++) {
      w.c.spec.robin_alpha[face] = NULL;
      w.c.spec.robin_alpha_constant[face] = alpha[m], w.c.spec.robin_beta_constant[face] = 1;
    }
    hymg_options o = hymg_options_default();
    o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST, o.norm = HYMG_NORM_2;
    hymg_result r;
    wave_solve(&w, o, &r);
    ck_assert_msg(r.converged && r.cycles <= 14, "alpha %g: %d iterations, %s", alpha[m], r.cycles,
                  hymg_reason_name(r.reason));
    o.path = HYMG_PATH_STANDARD;
    wave_solve(&w, o, &r);
    ck_assert_msg(r.converged && r.cycles <= 14, "alpha %g: %d cycles, %s", alpha[m], r.cycles,
                  hymg_reason_name(r.reason));
    wave_free(&w);
  }
}
END_TEST

/* ---- symmetry, updates, errors ---- */

START_TEST(linear_and_vertex_operators_are_symmetric)
{
  const trial t = {{7, 6, 5}, "rd nr pp", 0, true, true, _i ? 2 : 0};
  support_case c = case_of(&t);
  enum { CELLS = 7 * 6 * 5 };
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST;
  support_kit k = support_open(&c.spec, NULL, &o);
  double *x = support_random(CELLS, -1, 1, 1), *y = support_random(CELLS, -1, 1, 2);
  hymg_field *xf = support_field(&k, 0, x), *yf = support_field(&k, 0, y),
             *out = support_field(&k, 0, x);
  double one, other;
  OK(k.context, hymg_apply(k.solver, 0, xf, out));
  OK(k.context, hymg_field_dot(out, yf, &one));
  OK(k.context, hymg_apply(k.solver, 0, yf, out));
  OK(k.context, hymg_field_dot(out, xf, &other));
  ck_assert_double_eq_tol(one, other, 1e-12 * fabs(one));
  hymg_field_destroy(&xf);
  hymg_field_destroy(&yf);
  hymg_field_destroy(&out);
  support_close(&k);
  support_case_free(&c);
  free(x), free(y);
}
END_TEST

static double *solve_once(support_kit *k, const double *f)
{
  hymg_field *ff = support_field(k, 0, f), *u = support_field(k, 0, f);
  hymg_result r;
  OK(k->context, hymg_solve(k->solver, ff, u, &r));
  double *values = support_read(k, 0, u);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  return values;
}

/* New numbers and constant data on one face, on both paths. */
START_TEST(an_update_gives_the_bits_of_a_new_solver)
{
  const trial t = {{8, 12, 8}, "rr rd pp", 0, false, _i % 2, 1};
  support_case c = case_of(&t);
  enum { CELLS = 8 * 12 * 8 };
  double *f = support_random(CELLS, -1, 1, 2);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = _i / 2 ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD, o.max_cycles = 4;
  c.spec.boundary_data[1] = NULL, c.spec.boundary_constant[1] = 0.7;
  support_kit k = support_open(&c.spec, NULL, &o);
  free(solve_once(&k, f));
  c.spec.robin_alpha_constant[0] = k.desc.robin_alpha_constant[0] = 0.3;
  c.spec.robin_beta_constant[1] = k.desc.robin_beta_constant[1] = 4;
  c.spec.boundary_constant[1] = k.desc.boundary_constant[1] = -2;
  OK(k.context, hymg_operator_set(k.op, &k.desc));
  OK(k.context, hymg_solver_update(k.solver));
  support_kit fresh = support_open(&c.spec, NULL, &o);
  double *got = solve_once(&k, f), *want = solve_once(&fresh, f);
  ck_assert(support_same_bits(CELLS, got, want));
  k.desc.boundary_constant[1] = 0;
  ck_assert_int_eq(hymg_operator_set(k.op, &k.desc), HYMG_EINVAL);
  ck_assert_ptr_nonnull(strstr(hymg_context_error(k.context), "which boundaries have data"));
  support_close(&k);
  support_close(&fresh);
  support_case_free(&c);
  free(f), free(got), free(want);
}
END_TEST

/* The text names the face, the cell and the value; the solver keeps what it had. */
START_TEST(bad_fields_are_refused_with_face_and_cell)
{
  static const struct {
    double alpha, beta;
    const char *text;
  } bad[] = {{-2, 1, "robin_alpha = -2 on face y+ at cell (3, 5, 1): at least 0 and finite"},
             {1, -0.5, "robin_beta = -0.5 on face y+ at cell (3, 5, 1): at least 0 and finite"},
             {INFINITY, 1, "robin_alpha = inf on face y+ at cell (3, 5, 1)"},
             {0, 0, "both 0 on face y+ at cell (3, 5, 1)"}};
  const trial t = {{4, 6, 4}, "rr nr pp", 0, true, true, 1};
  support_case c = case_of(&t);
  support_kit k = support_open(&c.spec, NULL, NULL);
  const int low[3] = {3, 0, 1}, count[3] = {1, 1, 1};
  const ptrdiff_t stride[3] = {1, 1, 1};
  for (size_t m = 0; m < sizeof bad / sizeof *bad; m++) {
    OK(k.context, hymg_field_write(k.robin[6], low, count, stride, &bad[m].alpha, HYMG_HOST));
    OK(k.context, hymg_field_write(k.robin[7], low, count, stride, &bad[m].beta, HYMG_HOST));
    ck_assert_int_eq(hymg_solver_update(k.solver), HYMG_EINVAL);
    ck_assert_msg(strstr(hymg_context_error(k.context), bad[m].text), "%s",
                  hymg_context_error(k.context));
  }
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  const bool small = support_small();
  Suite *suite = suite_create("robin");
  TCase *t = tcase_create("oracle");
  tcase_add_loop_test(t, every_level_is_the_oracles, 0, small ? 6 : TRIALS);
  tcase_add_loop_test(t, cycles_with_every_smoother_are_the_oracles, 0, small ? 2 : 20);
  tcase_add_loop_test(t, f_cycles_are_the_oracles, 0, small ? 2 : 12);
  suite_add_tcase(suite, t);
  t = tcase_create("properties");
  tcase_add_loop_test(t, limits_are_neumann_and_dirichlet, 0, small ? 4 : 16);
  tcase_add_test(t, systems_are_singular_only_without_robin_alpha);
  tcase_add_loop_test(t, the_scale_of_a_condition_changes_no_bit, 0, 3);
  tcase_add_loop_test(t, errors_fall_with_the_second_power_of_h, 0, small ? 2 : SEQUENCES + 3);
  tcase_add_loop_test(t, f_cycles_on_odd_sides_reach_the_discretisation, 0, small ? 1 : 4);
  tcase_add_loop_test(t, iterations_do_not_depend_on_the_walls, 0, small ? 0 : 3);
  tcase_add_loop_test(t, linear_and_vertex_operators_are_symmetric, 0, 2);
  tcase_add_loop_test(t, an_update_gives_the_bits_of_a_new_solver, 0, 4);
  tcase_add_test(t, bad_fields_are_refused_with_face_and_cell);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
