/* The standard path on odd sides: levels, coarse operators and whole cycles against the oracle, errors
 * of smooth solutions, numbers of cycles, the same bits for any distribution, and what is refused. */
#include "oracle/trial.h"
#include "oracle/wave.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hymg_options standard(hymg_method method, hymg_cycle cycle)
{
  hymg_options o = hymg_options_default();
  o.path = HYMG_PATH_STANDARD;
  o.method = method;
  o.cycle = cycle;
  return o;
}

/* ---- levels ---- */

static const struct {
  int n[3];
  const char *boundary;
  hymg_stencil stencil;
  int levels, coarsest[3];
} halvings[] = {
    {{14, 14, 14}, "dd dd dd", HYMG_FV2, 2, {7, 7, 7}}, /* 343 cells are left */
    {{26, 26, 14}, "dd dd dd", HYMG_FV2, 5, {2, 2, 1}},
    {{7, 8, 9}, "nn nn nn", HYMG_FV2, 1, {7, 8, 9}},
    {{70, 3, 3}, "dd dd dd", HYMG_FV2, 3, {18, 1, 1}},
    {{48, 32, 16}, "dd dd dd", HYMG_FV2, 5, {3, 2, 1}}, /* 6 x 4 x 2 would do */
    {{11, 11, 12}, "dd dd dd", HYMG_FV2, 5, {1, 1, 1}}, /* 1452 cells */
    {{17, 17, 17}, "dd dd dd", HYMG_FV2, 6, {1, 1, 1}},
    {{17, 17, 17}, "pp dd dd", HYMG_FV2, 5, {2, 2, 2}},
    {{33, 33, 33}, "dd dn dd", HYMG_FV2, 6, {2, 2, 2}},
    {{34, 26, 22}, "dd dd dd", HYMG_FV2, 6, {2, 1, 1}},
    {{140, 5, 3}, "dd dd dd", HYMG_FV2, 3, {35, 2, 1}},
    {{17, 9, 1}, "dd dd dd", HYMG_FV2, 1, {17, 9, 1}},
    {{91, 91, 1}, "dd dd nn", HYMG_FV2, 1, {91, 91, 1}},
    {{34, 34, 34}, "dd dd dd", HYMG_FV4, 2, {17, 17, 17}},
};
enum { HALVINGS = sizeof halvings / sizeof *halvings };

START_TEST(how_far_sides_are_halved)
{
  const hymg_options o = standard(HYMG_MG, HYMG_CYCLE_V);
  support_case c = support_case_of(halvings[_i].stencil, halvings[_i].n, halvings[_i].boundary, 0);
  support_kit k = support_open(&c.spec, NULL, &o);
  const int levels = hymg_solver_num_levels(k.solver);
  hymg_level_info info;
  OK(k.context, hymg_solver_level(k.solver, levels - 1, &info));
  ck_assert_msg(levels == halvings[_i].levels &&
                    memcmp(info.cells, halvings[_i].coarsest, sizeof info.cells) == 0,
                "%s: %d levels down to %d x %d x %d", c.name, levels, info.cells[0], info.cells[1],
                info.cells[2]);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

/* ---- against the oracle ---- */

typedef struct odd_case {
  int n[3];
  const char *boundary;
  unsigned kind; /* as in trial.h; beta and alpha are random from cell to cell */
  hymg_smoother smoother;
} odd_case;

enum { QUADRATIC = TRIAL_QUADRATIC, DATA = QUADRATIC | TRIAL_DATA };
enum { UNIFORM = 1 << 10 }; /* constant beta */

static const odd_case cases[] = {
    {{17, 13, 11}, "dd dd dd", DATA, HYMG_GSRB},
    {{17, 13, 11}, "pp dd nn", QUADRATIC, HYMG_GSRB},
    {{17, 13, 11}, "nn nd dn", QUADRATIC | TRIAL_ALPHA, HYMG_GSRB},
    {{13, 17, 11}, "pp pp pp", QUADRATIC, HYMG_GSRB},
    {{11, 17, 13}, "nn nn nn", TRIAL_DATA, HYMG_GSRB},
    {{17, 13, 11}, "nd dn dd", DATA, HYMG_GSRB},
    {{13, 11, 17}, "nn pp nn", TRIAL_DATA | TRIAL_ALPHA, HYMG_GSRB},
    {{17, 11, 13}, "dd nn dd", TRIAL_DATA | TRIAL_CONSTANT, HYMG_GSRB}, /* linear */
    {{19, 14, 13}, "dd dd dd", QUADRATIC, HYMG_GSRB},
    {{19, 14, 13}, "dn pp dd", DATA | TRIAL_ALPHA, HYMG_GSRB},
    {{14, 19, 13}, "pp nn dd", DATA, HYMG_CHEBYSHEV},
    {{34, 26, 22}, "dd dd dd", DATA, HYMG_GSRB}, /* odd from level 1 on */
    {{34, 26, 22}, "pp nd nn", DATA, HYMG_GSRB},
    {{22, 26, 34}, "pp pp pp", QUADRATIC, HYMG_GSRB},
    {{18, 15, 20}, "dd pp nn", QUADRATIC | TRIAL_CONSTANT | UNIFORM, HYMG_GSRB},
    {{15, 18, 20}, "dd dd nd", DATA | UNIFORM, HYMG_JACOBI},
    {{16, 9, 30}, "dd nd pp", DATA, HYMG_L1JACOBI},
    {{35, 9, 7}, "dd dd dd", DATA, HYMG_CHEBYSHEV},
    {{13, 13, 13}, "nd nd nd", DATA, HYMG_SYMGS},
    {{23, 21, 3}, "dd pp dd", QUADRATIC, HYMG_GSRB},
    {{31, 2, 33}, "dd dd dd", DATA, HYMG_GSRB},
    {{15, 7, 15}, "dd dd dd", DATA, HYMG_GSRB}, /* 8 x 4 x 8: even, with narrower cells */
    {{15, 15, 7}, "nn nd dd", DATA, HYMG_GSRB},
    {{15, 15, 7}, "pp pp nn", TRIAL_DATA, HYMG_GSRB},
};
enum { CASES = sizeof cases / sizeof *cases };

static trial trial_case(int i, hymg_method method, hymg_cycle cycle)
{
  trial t = trial_of(cases[i].n, cases[i].boundary, cases[i].kind & ~(unsigned)UNIFORM);
  t.o = standard(method, cycle);
  t.o.smoother = t.c.spec.smoother = cases[i].smoother;
  t.c.spec.beta_constant = 1.3;
  for (int d = 0; cases[i].kind & UNIFORM && d < 3; d++)
    t.c.spec.beta[d] = NULL;
  t.threads = 1;
  for (int d = 0; d < 3; d++)
    t.boxes[d] = 1;
  return t;
}

/* Rounding of some 100 terms. */
static void check_level(trial *t, oracle *o, int l)
{
  hymg_level_info info;
  support_kit *k = &t->k;
  const oracle_level *want = &o->level[l];
  OK(k->context, hymg_solver_level(k->solver, l, &info));
  for (int d = 0; d < 3; d++) {
    ck_assert_int_eq(info.cells[d], want->n[d]);
    ck_assert_double_eq_tol(info.spacing[d], want->h[d], 1e-14 * want->h[d]);
  }
  ck_assert_double_eq_tol(info.lambda_max, want->lambda_max, 1e-13 * want->lambda_max);
  double *x = support_random(want->cells, -1, 1, 5u + (unsigned)l),
         *y = support_poison(want->cells);
  hymg_field *in = support_field(k, l, x), *out = support_field(k, l, y);
  OK(k->context, hymg_apply(k->solver, l, in, out));
  double *got = support_read(k, l, out);
  oracle_apply(o, l, x, y);
  support_assert_close("A x", t->c.name, want->cells, got, y, 1e-13);
  free(got);
  OK(k->context, hymg_residual(k->solver, l, in, in, out)); /* with boundary data */
  got = support_read(k, l, out);
  oracle_residual(o, l, x, x, y);
  support_assert_close("f - A u", t->c.name, want->cells, got, y, 1e-13);
  hymg_field_destroy(&in);
  hymg_field_destroy(&out);
  free(got);
  free(x);
  free(y);
}

START_TEST(coarse_operators)
{
  trial t = trial_case(_i, HYMG_MG, HYMG_CYCLE_F);
  trial_open(&t);
  oracle *o = oracle_create(&t.c.spec);
  ck_assert_int_eq(hymg_solver_num_levels(t.k.solver), o->levels);
  for (int l = 0; l < o->levels; l++)
    check_level(&t, o, l);
  oracle_destroy(o);
  trial_close(&t);
}
END_TEST

static const struct {
  hymg_method method;
  hymg_cycle cycle;
  int cycles;
} methods[] = {{HYMG_FMG, HYMG_CYCLE_F, 1},
               {HYMG_MG, HYMG_CYCLE_V, 1},
               {HYMG_MG, HYMG_CYCLE_F, 3},
               {HYMG_MG, HYMG_CYCLE_W, 2},
               {HYMG_MGPCG, HYMG_CYCLE_V, 3}};
enum { METHODS = sizeof methods / sizeof *methods };

START_TEST(whole_cycles)
{
  const int m = _i % METHODS;
  trial t = trial_case(_i / METHODS, methods[m].method, methods[m].cycle);
  t.o.max_cycles = methods[m].cycles;
  t.o.rtol = 1e-30;
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  const hymg_result r = trial_solve(&t, got);
  oracle *o = oracle_create(&t.c.spec);
  const oracle_history h =
      oracle_solve(o, 0, methods[m].method, methods[m].cycle, r.cycles, false, t.f, want);
  ck_assert_int_eq(r.cycles, methods[m].cycles);
  support_assert_close("u", t.c.name, t.cells, got, want, 1e-11);
  for (int n = 0; n < r.cycles; n++)
    ck_assert_double_eq_tol(r.history[n].residual_relative, h.relative[n], 1e-10);
  ck_assert_double_eq_tol(r.rhs_max, h.rhs_max, 1e-13 * h.rhs_max);
  ck_assert_double_eq_tol(r.mean_removed, h.mean_removed, 1e-12);
  oracle_destroy(o);
  trial_close(&t);
  free(got);
  free(want);
}
END_TEST

/* ---- errors and convergence ---- */

static const struct {
  int n[3];
  const char *boundary;
  double shift;  /* of f, in a singular system */
  double factor; /* of the discretisation error; 0: 1.5 */
} waves[] = {
    {{33, 33, 33}, "dd dd dd", 0, 0},   {{35, 45, 31}, "dd dd dd", 0, 0},
    {{65, 65, 65}, "dd dd dd", 0, 0},   {{34, 50, 42}, "dd nd dn", 0, 0},
    {{39, 39, 39}, "nd dn nn", 0, 0},   {{33, 47, 25}, "dn dn dn", 0, 0},
    {{37, 37, 37}, "pp dd dd", 0, 0},   {{33, 33, 33}, "pp nn dd", 0, 0},
    {{31, 31, 47}, "dd nn nn", 0, 0},   {{33, 33, 33}, "pp pp pp", 0, 0},
    {{37, 35, 33}, "nn pp nn", 0, 0},   {{33, 33, 33}, "nn nn nn", 5, 0},
    {{65, 65, 65}, "pp pp pp", 5, 0},   {{67, 33, 33}, "dn dn dn", 0, 1.7},
    {{63, 31, 31}, "nd nd nd", 0, 1.7}, {{31, 31, 31}, "nn nn nn", 5, 0},
};
enum { WAVES = sizeof waves / sizeof *waves };

START_TEST(an_f_cycle_leaves_the_discretisation_error)
{
  wave w = wave_of(waves[_i].n, NULL, waves[_i].boundary, waves[_i].shift);
  hymg_result r;
  const double after = wave_solve(&w, standard(HYMG_FMG, HYMG_CYCLE_F), &r),
               least = wave_solve(&w, standard(HYMG_MG, HYMG_CYCLE_F), &r);
  ck_assert_msg(r.converged, "%s", w.c.name);
  ck_assert_msg(after <= (waves[_i].factor > 0 ? waves[_i].factor : 1.5) * least,
                "%s: error %.3g, that of the discretisation %.3g", w.c.name, after, least);
  wave_free(&w);
}
END_TEST

/* The first sequence of cubes, the others with equal spacings on unequal sides. */
START_TEST(the_order_is_two)
{
  static const struct {
    int n[3][3];
    const char *boundary;
  } series[] = {{{{17, 17, 17}, {35, 35, 35}, {71, 71, 71}}, "dd dd dd"},
                {{{17, 23, 13}, {35, 47, 27}, {51, 69, 39}}, "dd dn nn"},
                {{{15, 13, 19}, {31, 27, 39}, {63, 55, 79}}, "pp pp nd"},
                {{{17, 17, 17}, {33, 33, 33}, {65, 65, 65}}, "pp nn pp"}};
  double error[3];
  for (int m = 0; m < 3; m++) {
    wave w = wave_of(series[_i].n[m], NULL, series[_i].boundary, 0);
    hymg_result r;
    error[m] = wave_solve(&w, standard(HYMG_MG, HYMG_CYCLE_DEFAULT), &r);
    wave_free(&w);
    if (m == 0) continue;
    const double refined = (double)series[_i].n[m][0] / series[_i].n[m - 1][0];
    const double order = log(error[m - 1] / error[m]) / log(refined);
    ck_assert_msg(order > 1.8 && order < 2.3, "%s %d: order %.3f", series[_i].boundary, m, order);
  }
}
END_TEST

START_TEST(few_cycles_on_any_sides)
{
  static const char *const mixes[6] = {"dd dd dd", "dn nd dd", "pp dd nn",
                                       "pp pp pp", "nn nn nn", "nn pp dn"};
  double *side = support_random(3, 12, 71, 100u + (unsigned)_i), h[3];
  double *spacing = support_random(3, 1, 1.2, 200u + (unsigned)_i);
  int n[3];
  for (int d = 0; d < 3; d++)
    n[d] = (int)side[d] | (d == _i % 3), h[d] = spacing[d] / 40;
  wave w = wave_of(n, h, mixes[_i % 6], 0);
  for (int cycle = 0; cycle < 2; cycle++) {
    hymg_options o = standard(HYMG_MG, cycle ? HYMG_CYCLE_F : HYMG_CYCLE_V);
    hymg_result r;
    o.rtol = 1e-8;
    wave_solve(&w, o, &r);
    ck_assert_msg(r.converged && r.cycles <= 12, "%s: %d cycles, %s", w.c.name, r.cycles,
                  hymg_reason_name(r.reason));
  }
  wave_free(&w);
  free(side);
  free(spacing);
}
END_TEST

/* ---- distribution ---- */

START_TEST(threads_boxes_and_cuts_change_no_bit)
{
  static const int n[3] = {21, 15, 35}, boxes[4][3] = {{1, 1, 1}, {3, 1, 5}, {7, 5, 1}, {21, 3, 7}};
  static const int x[3] = {10, 1, 10}, y[2] = {4, 11}, z[4] = {3, 2, 29, 1};
  static const char *const mixes[3] = {"dd nd dn", "pp pp pp", "nn pp nn"};
  static const hymg_cycle cycles[4] = {HYMG_CYCLE_F, HYMG_CYCLE_W, HYMG_CYCLE_F, HYMG_CYCLE_V};
  double *want = NULL;
  for (int b = 0; b < 6; b++) {
    trial t = trial_of(n, mixes[_i % 3], DATA);
    t.o = standard(_i == 3 ? HYMG_MGPCG : HYMG_MG, cycles[_i]);
    t.o.smoother = (hymg_smoother)_i; /* all but symgs */
    t.o.max_cycles = 3, t.o.rtol = 1e-30;
    t.threads = b < 5 ? 1 + b % 3 : 4;
    memcpy(t.boxes, boxes[b % 4], sizeof t.boxes);
    if (b == 5) {
      memcpy(t.boxes, (const int[3]){3, 2, 4}, sizeof t.boxes);
      t.cuts[0] = x, t.cuts[1] = y, t.cuts[2] = z;
    }
    double *got = support_poison(t.cells);
    trial_solve(&t, got);
    ck_assert_msg(!want || support_same_bits(t.cells, got, want), "%s, layout %d", t.c.name, b);
    free(want);
    want = got;
    trial_close(&t);
  }
  free(want);
}
END_TEST

/* ---- new coefficients, refusals ---- */

START_TEST(an_update_gives_the_bits_of_a_new_solver)
{
  static const int n[3] = {19, 14, 13}, low[3] = {0, 0, 0};
  const char *const boundary = _i ? "nn pp nn" : "dd nd pp";
  trial t = trial_of(n, boundary, DATA | TRIAL_ALPHA),
        fresh = trial_of(n, boundary, DATA | TRIAL_ALPHA);
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  t.o = fresh.o = standard(HYMG_MG, HYMG_CYCLE_F);
  t.o.max_cycles = fresh.o.max_cycles = 2;
  trial_solve(&t, want);
  for (int d = 0; d < 3; d++) {
    int m[3] = {n[0], n[1], n[2]};
    m[d]++;
    const ptrdiff_t rows[3] = {1, m[0], (ptrdiff_t)m[0] * m[1]};
    for (int i = 0; i < m[0] * m[1] * m[2]; i++)
      fresh.c.beta[d][i] = 2.5 - t.c.beta[d][i];
    OK(t.k.context, hymg_field_write(t.k.coefficient[HYMG_FACE_X + d], low, m, rows,
                                     fresh.c.beta[d], HYMG_HOST));
  }
  OK(t.k.context, hymg_solver_update(t.k.solver));
  trial_solve(&t, got);
  ck_assert(!support_same_bits(t.cells, got, want));
  trial_solve(&fresh, want);
  ck_assert(support_same_bits(t.cells, got, want));
  trial_close(&t);
  trial_close(&fresh);
  free(got);
  free(want);
}
END_TEST

static hymg_field *on_level(support_kit *k, int level, double value)
{
  hymg_field *field = NULL;
  OK(k->context, hymg_field_create_on_level(k->solver, level, &field));
  OK(k->context, hymg_field_fill(field, value));
  return field;
}

/* 34 x 26 x 22, 17 x 13 x 11, 9 x 7 x 6 cells, ...: sides are odd from level 1 on, and the last cells
 * narrower from level 2 on. */
START_TEST(what_odd_sides_do_not_allow)
{
  trial t = trial_of((const int[3]){34, 26, 22}, "dd nd dd", DATA);
  t.o = standard(HYMG_MG, HYMG_CYCLE_F);
  trial_open(&t);
  support_kit *k = &t.k;
  hymg_field *f[3], *u[3];
  hymg_result r;
  double max;
  for (int l = 0; l < 3; l++)
    f[l] = on_level(k, l, 1), u[l] = on_level(k, l, 7);
  support_assert_error(k->context, hymg_solve_on_level(k->solver, 2, f[2], u[2], &r),
                       HYMG_EUNSUPPORTED, "level 2", "not even", NULL);
  support_assert_error(k->context, hymg_restrict(k->solver, 1, f[1], u[2]), HYMG_EUNSUPPORTED,
                       "level 1", "not even", NULL);
  OK(k->context, hymg_field_axpy(-7, f[2], u[2]));
  OK(k->context, hymg_field_max(u[2], &max));
  ck_assert_double_eq(max, 0);
  OK(k->context, hymg_restrict(k->solver, 0, f[0], u[1]));
  OK(k->context, hymg_solve_on_level(k->solver, 1, f[1], u[1], &r));
  ck_assert(r.converged && r.cycles <= 12);
  for (int l = 0; l < 3; l++) {
    hymg_field_destroy(&f[l]);
    hymg_field_destroy(&u[l]);
  }
  trial_close(&t);
}
END_TEST

int main(void)
{
  const bool small = support_small();
  Suite *suite = suite_create("odd sides");
  TCase *t = tcase_create("against the oracle");
  tcase_add_loop_test(t, how_far_sides_are_halved, 0, small ? 2 : HALVINGS);
  tcase_add_loop_test(t, coarse_operators, 0, small ? 2 : CASES);
  tcase_add_loop_test(t, whole_cycles, 0, small ? 2 : CASES * METHODS);
  suite_add_tcase(suite, t);
  t = tcase_create("properties");
  tcase_set_timeout(t, 300);
  tcase_add_loop_test(t, an_f_cycle_leaves_the_discretisation_error, 0, small ? 0 : WAVES);
  tcase_add_loop_test(t, the_order_is_two, 0, small ? 0 : 4);
  tcase_add_loop_test(t, few_cycles_on_any_sides, 0, small ? 0 : 8);
  tcase_add_loop_test(t, threads_boxes_and_cuts_change_no_bit, 0, small ? 0 : 4);
  tcase_add_loop_test(t, an_update_gives_the_bits_of_a_new_solver, 0, small ? 0 : 2);
  tcase_add_test(t, what_odd_sides_do_not_allow);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
