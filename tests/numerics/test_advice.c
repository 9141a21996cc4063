/* hymg_solver_advice: every sentence is provoked, and is absent where its cause is. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
  support_case c;
  support_kit k;
  size_t cells;
  hymg_field *f, *u;
  hymg_result result;
  char text[HYMG_ADVICE];
} trial;

static void open_trial(trial *t, const int n[3], const char *boundary, hymg_options o)
{
  t->c = support_case_of(HYMG_FV2, n, boundary, 0);
  for (int axis = 0; axis < 3; axis++) {
    t->c.spec.h[axis] = 0.1;
    t->c.spec.beta[axis] = NULL;
  }
  t->c.spec.smoother = o.smoother, t->c.spec.sweeps = o.sweeps, t->c.spec.bottom = o.bottom;
  t->k = (support_kit){0};
  t->cells = (size_t)(n[0] * n[1] * n[2]);
}

/* Solves for f (NULL: random values) and asks. */
static const char *ask(trial *t, const support_layout *layout, hymg_options o, const double *f)
{
  double *random = support_random(t->cells, -1, 1, 7);
  t->k = support_open(&t->c.spec, layout, &o);
  t->f = support_field(&t->k, 0, f ? f : random);
  t->u = support_field(&t->k, 0, random);
  OK(t->k.context, hymg_solve(t->k.solver, t->f, t->u, &t->result));
  OK(t->k.context, hymg_solver_advice(t->k.solver, &t->result, t->text, sizeof t->text));
  free(random);
  return t->text;
}

static void close_kit(trial *t)
{
  hymg_field_destroy(&t->f), hymg_field_destroy(&t->u);
  support_close(&t->k);
}

static void says(const char *text, const char *first, const char *second)
{
  const char *line = strstr(text, first);
  ck_assert_msg(line && strstr(line, second), "lacks '%s ... %s': %s", first, second, text);
}

static hymg_options standard(void)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  o.path = HYMG_PATH_STANDARD;
  return o;
}

START_TEST(nothing_is_said_of_a_good_solve)
{
  trial t;
  open_trial(&t, (const int[3]){16, 16, 16}, "dd dd dd", standard());
  ck_assert_str_eq(ask(&t, NULL, standard(), NULL), "");
  OK(t.k.context, hymg_solver_advice(t.k.solver, NULL, t.text, sizeof t.text));
  ck_assert_str_eq(t.text, "");
  ck_assert_int_eq(hymg_solver_advice(NULL, NULL, t.text, 9), HYMG_EINVAL);
  support_assert_error(t.k.context, hymg_solver_advice(t.k.solver, NULL, NULL, 9), HYMG_EINVAL,
                       "text is NULL", NULL);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

/* One level; more cells than 4096 on it; a bottom solver that cannot do it. */
START_TEST(a_large_bottom_is_told)
{
  trial t;
  hymg_options o = standard();
  o.bottom = _i ? HYMG_BOTTOM_SMOOTHER : HYMG_BICGSTAB;
  o.smoother = _i ? HYMG_JACOBI : HYMG_GSRB;
  o.sweeps = _i ? 1 : 6;
  open_trial(&t, (const int[3]){70, 65, 1}, "dd dd nn", o);
  const char *text = ask(&t, NULL, o, NULL);
  says(text,
       "there is only one level, as the standard path halves all three axes together, which "
       "70 x 65 x 1 cells do not allow",
       "path=robust");
  says(text, "the coarsest level has 4550 cells, more than 4096", "path=robust");
  if (_i)
    says(text, "the bottom solver smoother ends at its limit of 200 iterations", "bottom=bicgstab");
  else
    ck_assert_ptr_null(strstr(text, "limit of 200"));
  char few[200]; /* lines that do not fit are left out whole */
  OK(t.k.context, hymg_solver_advice(t.k.solver, NULL, few, sizeof few));
  ck_assert(strlen(few) > 50 && few[strlen(few) - 1] == '\n');
  ck_assert(strncmp(few, text, strlen(few)) == 0);
  close_kit(&t);
  o.path = HYMG_PATH_ROBUST, o.smoother = HYMG_GSRB, o.sweeps = -1; /* what was advised */
  t.c.spec.smoother = HYMG_GSRB, t.c.spec.sweeps = -1;
  ck_assert_str_eq(ask(&t, NULL, o, NULL), "");
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

START_TEST(jumps_and_couplings_are_told)
{
  trial t;
  open_trial(&t, (const int[3]){16, 16, 16}, "dd dd dd", standard());
  if (_i == 0) {
    for (int m = 0; m < 17 * 16 * 16; m++)
      for (int axis = 0; axis < 3; axis++)
        t.c.beta[axis][m] = 1;
    t.c.beta[1][1000] = 50;
    for (int axis = 0; axis < 3; axis++)
      t.c.spec.beta[axis] = t.c.beta[axis];
    says(ask(&t, NULL, standard(), NULL),
         "beta of neighbouring faces differs by a factor of 50 (standard: at most 4)",
         "path=robust");
  } else if (_i == 1) {
    t.c.spec.h[2] = 0.4;
    says(ask(&t, NULL, standard(), NULL),
         "cells are coupled 16 times as strongly along x as along z", "path=robust");
  } else {
    support_case_free(&t.c);
    t.c = support_case_of(HYMG_FV2, (const int[3]){16, 16, 16}, "dd dd dd", 1);
    for (int axis = 0; axis < 3; axis++)
      t.c.spec.beta[axis] = NULL;
    for (int m = 0; m < 16 * 16 * 16; m++)
      t.c.alpha[m] = 0;
    t.c.alpha[1000] = 1e6;
    says(ask(&t, NULL, standard(), NULL), "alpha jumps: with the coupling of two cells it differs",
         "(standard: at most 1.5): try path=robust");
  }
  close_kit(&t);
  hymg_options o = standard();
  o.path = HYMG_PATH_ROBUST;
  ck_assert_str_eq(ask(&t, NULL, o, NULL), "");
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

/* Widths that vary by 1000 along every axis: no choice of axes suits all cells. */
START_TEST(what_semicoarsening_cannot_do_is_told)
{
  trial t;
  double w[16];
  hymg_options o = standard();
  o.path = HYMG_PATH_ROBUST;
  for (int m = 0; m < 16; m++)
    w[m] = m % 4 < 2 ? 1e-3 : 1;
  open_trial(&t, (const int[3]){16, 16, 16}, "dd dd dd", o);
  const support_layout layout = {.boxes = {1, 1, 1}, .widths = {w, w, w}};
  says(ask(&t, &layout, o, NULL), "after semicoarsening some cells of level", "more sweeps");
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

START_TEST(a_tolerance_below_rounding_is_told)
{
  trial t;
  hymg_options o = standard();
  if (_i) o.path = HYMG_PATH_ROBUST;
  o.rtol = 1e-18, o.max_cycles = 100;
  open_trial(&t, (const int[3]){16, 16, 16}, "dd dd dd", o);
  const char *text = ask(&t, NULL, o, NULL);
  says(text, "rtol 1e-18 is below what double gives here, about ", "try rtol=");
  const double better = atof(strstr(text, "try rtol=") + 9);
  ck_assert_msg(better > 1e-17 && better < 1e-9, "%g", better);
  close_kit(&t);
  o.rtol = better;
  ask(&t, NULL, o, NULL);
  ck_assert_msg(t.result.converged && !*t.text, "%g: %s", better, t.text);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

START_TEST(the_cell_where_f_is_not_finite_is_told)
{
  static const char *const boundary[] = {"dd dd dd", "pp nn pp"};
  trial t;
  hymg_options o = standard();
  o.method = _i % 3 == 0 ? HYMG_FMG : _i % 3 == 1 ? HYMG_MG : HYMG_MGPCG;
  if (_i == 1) o.path = HYMG_PATH_ROBUST;
  open_trial(&t, (const int[3]){_i < 3 ? 16 : 6, 8, 12}, boundary[_i / 3], o);
  double *f = support_random(t.cells, -1, 1, 8);
  const int nx = t.c.spec.n[0];
  f[5 + nx * (3 + 8 * 7)] = _i % 2 ? NAN : -INFINITY;
  f[2 + nx * (4 + 8 * 9)] = NAN;
  says(ask(&t, NULL, o, f), "f is not finite at (5, 3, 7)", "first");
  ck_assert(t.result.reason == HYMG_REASON_NOT_FINITE);
  double *zero = calloc(t.cells, sizeof *zero); /* and it is forgotten in the next solve */
  hymg_field *g = support_field(&t.k, 0, zero);
  OK(t.k.context, hymg_solve(t.k.solver, g, t.u, &t.result));
  OK(t.k.context, hymg_solver_advice(t.k.solver, &t.result, t.text, sizeof t.text));
  ck_assert_ptr_null(strstr(t.text, "finite"));
  hymg_field_destroy(&g);
  free(zero), free(f);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

/* Each piece of advice is taken until there is none. */
START_TEST(the_causes_of_asymmetry_are_told_one_after_the_other)
{
  trial t;
  hymg_options o = standard();
  o.method = HYMG_MGPCG;
  open_trial(&t, (const int[3]){12, 12, 12}, "dd dd dd", o);
  t.c.spec.stencil = HYMG_FV4;
  says(ask(&t, NULL, o, NULL), "not symmetric", "FV2");
  close_kit(&t);
  t.c.spec.stencil = HYMG_FV2;
  says(ask(&t, NULL, o, NULL), "not symmetric", "smoother=chebyshev");
  close_kit(&t);
  t.c.spec.smoother = HYMG_CHEBYSHEV;
  says(ask(&t, NULL, o, NULL), "not symmetric", "interpolation-v=p0");
  close_kit(&t);
  o.interpolation_v = HYMG_P0;
  says(ask(&t, NULL, o, NULL), "not symmetric", "HYMG_EXTRAPOLATION_LINEAR");
  close_kit(&t);
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  says(ask(&t, NULL, o, NULL), "not symmetric", "bottom=sweeps");
  close_kit(&t);
  t.c.spec.bottom = HYMG_BOTTOM_SWEEPS;
  ck_assert_str_eq(ask(&t, NULL, o, NULL), "");
  ck_assert(t.result.converged);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

START_TEST(too_few_cycles_are_told_with_the_number_that_does)
{
  trial t;
  hymg_options o = standard();
  o.cycle = HYMG_CYCLE_V;
  o.rtol = 1e-8, o.max_cycles = 4;
  open_trial(&t, (const int[3]){16, 16, 16}, "dd dd dd", o);
  t.c.spec.smoother = HYMG_JACOBI, t.c.spec.sweeps = 1;
  const char *text = ask(&t, NULL, o, NULL);
  says(text, "the last solve ended at 4 cycles", "try max-cycles=");
  o.max_cycles = atoi(strstr(text, "max-cycles=") + 11);
  ck_assert(o.max_cycles > 4 && o.max_cycles < 200);
  close_kit(&t);
  ask(&t, NULL, o, NULL);
  ck_assert_msg(t.result.converged, "%d cycles: %s", o.max_cycles, t.text);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

/* Not where the layer couples as strongly as the boundary holds it, nor where it has no Dirichlet boundary. */
START_TEST(the_boundary_of_an_axis_of_one_cell_is_told)
{
  static const char *const boundary[][3] = {{"dd pp pp", "pp dn pp", "pp pp nd"},
                                            {"nn dd dd", "dd pp dd", "dd dd nn"}};
  const int axis = _i % 3;
  int n[3] = {16, 16, 16};
  trial t;
  hymg_options o = hymg_options_default();
  char place[20];
  o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST;
  n[axis] = 1;
  snprintf(place, sizeof place, "along %c,", "xyz"[axis]);
  open_trial(&t, n, boundary[0][axis], o);
  const char *text = ask(&t, NULL, o, NULL);
  says(text, "there is one cell ", place);
  says(text, "holds u ", "try Neumann boundaries");
  const double hold = strtod(strstr(text, "holds u ") + 8, NULL), wave = acos(-1.) / 16;
  ck_assert_double_eq_tol(hold, (axis == 0 ? 4 : 2) / (2 * wave * wave), .05 * hold);
  close_kit(&t);
  o.path = HYMG_PATH_STANDARD;
  says(ask(&t, NULL, o, NULL), "there is one cell ", place);
  close_kit(&t);
  o.path = HYMG_PATH_ROBUST;
  t.c.spec.h[axis] = 1; /* as long as the others */
  ck_assert_str_eq(ask(&t, NULL, o, NULL), "");
  close_kit(&t);
  support_case_free(&t.c);
  open_trial(&t, n, boundary[1][axis], o); /* what was advised */
  ck_assert_str_eq(ask(&t, NULL, o, NULL), "");
  ck_assert(t.result.converged);
  close_kit(&t);
  support_case_free(&t.c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("advice");
  TCase *t = tcase_create("advice");
  tcase_set_timeout(t, 100);
  tcase_add_test(t, nothing_is_said_of_a_good_solve);
  tcase_add_loop_test(t, the_boundary_of_an_axis_of_one_cell_is_told, 0, 3);
  tcase_add_loop_test(t, a_large_bottom_is_told, 0, 2);
  tcase_add_loop_test(t, jumps_and_couplings_are_told, 0, 3);
  tcase_add_test(t, what_semicoarsening_cannot_do_is_told);
  tcase_add_loop_test(t, a_tolerance_below_rounding_is_told, 0, 2);
  tcase_add_loop_test(t, the_cell_where_f_is_not_finite_is_told, 0, 6);
  tcase_add_test(t, the_causes_of_asymmetry_are_told_one_after_the_other);
  tcase_add_test(t, too_few_cycles_are_told_with_the_number_that_does);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
