/* Whole cycles against the oracle: every smoother, V-, W- and F-cycles, conjugate gradients, the
 * exact bottom solvers, both stencils, boundary mixes, odd shapes, several boxes. Smoothers,
 * interpolation and Krylov steps show in u. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rounding of 1e-16 a term, some 50 terms deep a cycle, not amplified by a contraction: 1e-12 of
 * max|u| with a margin of
 * 10. The relative residual is larger by the operator's 1/h^2: below 1e-10 where u agrees so. */
static const double tolerance_u = 1e-11, tolerance_residual = 1e-10;

typedef struct method {
  const char *name;
  hymg_method method;
  hymg_cycle cycle;
  int cycles;
} method;

static const method methods[] = {
    {"F", HYMG_FMG, HYMG_CYCLE_F, 1},      {"F+V", HYMG_MG, HYMG_CYCLE_F, 3},
    {"V", HYMG_MG, HYMG_CYCLE_V, 2},       {"W", HYMG_MG, HYMG_CYCLE_W, 2},
    {"CG+V", HYMG_MGPCG, HYMG_CYCLE_V, 3}, {"CG+W", HYMG_MGPCG, HYMG_CYCLE_W, 2}};

static void compare_histories(const char *where, const hymg_result *r, const oracle_history *want)
{
  ck_assert_int_eq(r->cycles, want->cycles);
  for (int k = 0; k < r->cycles; k++) {
    double got = r->history[k].residual_relative;
    ck_assert_msg(fabs(got - want->relative[k]) <= tolerance_residual * (1.0 + want->relative[k]),
                  "%s: relative residual %d is %.15e, not %.15e", where, k, got, want->relative[k]);
  }
  ck_assert_msg(fabs(r->rhs_max - want->rhs_max) <= 1e-13 * want->rhs_max,
                "%s: max|f| is %.17g, not %.17g", where, r->rhs_max, want->rhs_max);
}

static void check_method(const support_case *c, oracle *o, const support_layout *layout,
                         const method *m, int level)
{
  hymg_options options = hymg_options_default();
  options.method = m->method;
  options.cycle = m->cycle;
  options.max_cycles = m->cycles;
  options.rtol = 1e-30;
  support_kit k = support_open(&c->spec, layout, &options);
  size_t cells = o->level[level].cells;
  char where[300];
  snprintf(where, sizeof where, "%s %s smoother %d bottom %d level %d", c->name, m->name,
           (int)c->spec.smoother, (int)c->spec.bottom, level);
  double *f = support_random(cells, -1.0, 1.0, 3), *poison = support_poison(cells),
         *want = support_poison(cells);
  double mean = 0.0;
  for (size_t i = 0; i < cells; i++)
    mean += f[i] / (double)cells;
  if (o->singular)
    for (size_t i = 0; i < cells; i++)
      f[i] -= mean;
  hymg_field *ff = support_field(&k, level, f), *u = support_field(&k, level, poison);
  hymg_result r;
  OK(k.context, hymg_solve_on_level(k.solver, level, ff, u, &r));
  ck_assert_msg(r.cycles == m->cycles || r.history[r.cycles - 1].residual_relative < 1e-14,
                "%s: %d cycles, reason %s", where, r.cycles, hymg_reason_name(r.reason));
  oracle_history h = oracle_solve(o, level, m->method, m->cycle, r.cycles, false, f, want);
  compare_histories(where, &r, &h);
  double *got = support_read(&k, level, u);
  support_assert_close("u", where, cells, got, want, tolerance_u);
  double *same = support_read(&k, level, ff);
  ck_assert_msg(support_same_bits(cells, same, f), "%s: the solve changed f", where);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  free(f);
  free(poison);
  free(want);
  free(got);
  free(same);
}

static void check_case(support_case *c, const support_layout *layout, int methods_from,
                       int methods_to, int level)
{
  oracle *o = oracle_create(&c->spec);
  for (int m = methods_from; m < methods_to; m++)
    check_method(c, o, layout, &methods[m], level);
  oracle_destroy(o);
  support_case_free(c);
}

START_TEST(every_smoother_in_fv2)
{
  static const char *const mixes[4] = {"dd dd dd", "pp pp pp", "nd pp dn", "nn nn nn"};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  for (int m = 0; m < 4; m++) {
    support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 16}, mixes[m], m % 2);
    c.spec.smoother = (hymg_smoother)_i;
    check_case(&c, &layout, 1, 2, 0);
  }
}
END_TEST

START_TEST(every_smoother_in_fv4)
{
  static const char *const mixes[3] = {"dd dd dd", "pp pp pp", "dd pp dd"};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  for (int m = 0; m < 3; m++) {
    support_case c = support_case_of(HYMG_FV4, (const int[3]){8, 12, 16}, mixes[m], 1.0);
    c.spec.smoother = (hymg_smoother)_i;
    check_case(&c, &layout, 1, 2, 0);
  }
}
END_TEST

START_TEST(every_cycle)
{
  support_case c = support_case_of(_i / 6 % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){16, 8, 12},
                                   _i < 12 ? "dd pp dd" : "pp pp pp", _i < 12 ? 0.0 : 1.0);
  c.spec.smoother = HYMG_CHEBYSHEV;
  check_case(&c, NULL, _i % 6, _i % 6 + 1, 0);
}
END_TEST

static const int shapes[][3] = {{1, 1, 1},   {2, 2, 2},   {3, 1, 2}, {5, 7, 3},   {6, 4, 10},
                                {12, 8, 20}, {10, 6, 14}, {4, 4, 4}, {24, 24, 24}};
#define NUM_SHAPES ((int)(sizeof shapes / sizeof *shapes))

START_TEST(odd_shapes)
{
  int n[3];
  support_shape(_i % 2 ? HYMG_FV4 : HYMG_FV2, shapes[_i / 2], n);
  support_case c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, n, "dd dd dd", 0.0);
  check_case(&c, NULL, 1, 3, 0);
  c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, n, "pp dd pp", 0.0);
  check_case(&c, NULL, 1, 3, 0);
}
END_TEST

START_TEST(odd_periodic_axes)
{
  support_case c =
      support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){6, 10, 18}, "pp pp pp", 1.0);
  if (_i >= 2) c.spec.smoother = HYMG_CHEBYSHEV;
  check_case(&c, NULL, 1, 3, 0);
}
END_TEST

START_TEST(the_exact_bottom_solvers)
{
  hymg_stencil stencil = _i % 2 ? HYMG_FV4 : HYMG_FV2;
  support_case c =
      support_case_of(stencil, (const int[3]){5, 7, 9}, _i / 4 ? "pp dd dd" : "dd dd dd", 0.0);
  c.spec.bottom = _i / 2 % 2 ? HYMG_CG : HYMG_BICGSTAB;
  check_case(&c, NULL, 0, 1, 0);
  c = support_case_of(stencil, (const int[3]){12, 20, 4}, _i / 4 ? "pp dd dd" : "dd dd dd", 0.0);
  c.spec.bottom = _i / 2 % 2 ? HYMG_CG : HYMG_BICGSTAB;
  check_case(&c, NULL, 0, 1, 0);
}
END_TEST

START_TEST(singular_systems)
{
  static const char *const mixes[3] = {"pp pp pp", "nn pp nn", "nn nn nn"};
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 16}, mixes[_i], 0.0);
  check_case(&c, NULL, 0, 5, 0);
  if (_i > 0) return;
  c = support_case_of(HYMG_FV4, (const int[3]){8, 12, 16}, mixes[_i], 0.0);
  check_case(&c, NULL, 0, 5, 0);
}
END_TEST

START_TEST(several_boxes)
{
  static const int boxes[4][3] = {{2, 2, 2}, {1, 4, 2}, {4, 2, 1}, {2, 1, 3}};
  support_layout layout = {.threads = 2};
  for (int d = 0; d < 3; d++)
    layout.boxes[d] = boxes[_i / 2][d];
  support_case c = support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){16, 16, 24},
                                   _i < 4 ? "dd dd dd" : "pp dd pp", 0.0);
  check_case(&c, &layout, 1, 2, 0);
}
END_TEST

START_TEST(a_solve_may_start_on_a_coarser_level)
{
  support_layout layout = {.threads = 1, .boxes = {2, 1, 2}};
  for (int level = 1; level < 3; level++) {
    support_case c =
        support_case_of(_i ? HYMG_FV4 : HYMG_FV2, (const int[3]){16, 24, 16}, "dd dd pp", 0.5);
    check_case(&c, &layout, 0, 3, level);
  }
}
END_TEST

START_TEST(any_count_of_sweeps)
{
  static const struct {
    hymg_smoother smoother;
    int sweeps;
  } choices[] = {{HYMG_GSRB, 2},       {HYMG_GSRB, 4},     {HYMG_GSRB, 8},
                 {HYMG_CHEBYSHEV, 12}, {HYMG_JACOBI, 1},   {HYMG_JACOBI, 3},
                 {HYMG_L1JACOBI, 5},   {HYMG_L1JACOBI, 2}, {HYMG_SYMGS, 2}};
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  support_case c =
      support_case_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, (const int[3]){8, 8, 12}, "dd pp dd", 0.0);
  c.spec.smoother = choices[_i / 2].smoother;
  c.spec.sweeps = choices[_i / 2].sweeps;
  check_case(&c, &layout, 1, 2, 0);
}
END_TEST

START_TEST(a_large_finest_level_takes_fewer_sweeps)
{
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  support_case c = support_case_of(_i / 6 ? HYMG_FV4 : HYMG_FV2, (const int[3]){40, 32, 32},
                                   _i % 2 ? "dd pp dd" : "dd dd dd", 0.5);
  c.spec.finest_sweeps = methods[_i % 6].method == HYMG_MG ? 4 : 0;
  check_case(&c, &layout, _i % 6, _i % 6 + 1, 0);
}
END_TEST

START_TEST(the_linear_extrapolation)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 6}, "dd nd dd", 0.0);
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  check_case(&c, NULL, _i, _i + 1, 0);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("cycles");
  TCase *t = tcase_create("against the oracle");
  tcase_add_loop_test(t, every_smoother_in_fv2, 0, small ? 1 : 5);
  tcase_add_loop_test(t, every_smoother_in_fv4, 0, small ? 1 : 5);
  tcase_add_loop_test(t, every_cycle, 0, small ? 0 : 24);
  tcase_add_loop_test(t, odd_shapes, 0, small ? 6 : 2 * NUM_SHAPES);
  tcase_add_loop_test(t, odd_periodic_axes, 0, small ? 2 : 4);
  tcase_add_loop_test(t, the_exact_bottom_solvers, 0, small ? 2 : 8);
  tcase_add_loop_test(t, singular_systems, 0, small ? 0 : 3);
  tcase_add_loop_test(t, several_boxes, 0, small ? 0 : 8);
  tcase_add_loop_test(t, a_solve_may_start_on_a_coarser_level, 0, small ? 0 : 2);
  tcase_add_loop_test(t, any_count_of_sweeps, 0, small ? 2 : 18);
  tcase_add_loop_test(t, a_large_finest_level_takes_fewer_sweeps, 0, small ? 2 : 12);
  tcase_add_loop_test(t, the_linear_extrapolation, 0, small ? 1 : 3);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
