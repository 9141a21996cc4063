/* Robin boundaries and the wall a whole spacing away: against the oracle on every level and in every
 * cycle, their limits, polynomials, errors. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(void)
{
  const bool small = support_small();
  Suite *suite = suite_create("robin");
  TCase *t = tcase_create("oracle");
  tcase_add_loop_test(t, every_level_is_the_oracles, 0, small ? 6 : TRIALS);
  tcase_add_loop_test(t, cycles_with_every_smoother_are_the_oracles, 0, small ? 2 : 20);
  tcase_add_loop_test(t, f_cycles_are_the_oracles, 0, small ? 2 : 12);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
