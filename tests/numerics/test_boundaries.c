/* Inhomogeneous Dirichlet and Neumann data: exact where the extrapolation is exact, against the
 * F-cycle of the oracle, and with f = 0. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double spacing[3] = {0.1, 0.125, 0.2};
enum { CELLS = 8 * 12 * 8 };

typedef double function(const double x[3]);

/* Averages over cells (axis -1) or faces normal to axis at this coordinate, by 3-point Gauss. */
static double average(function *g, const int at[3], int axis, double coordinate)
{
  static const double node[3] = {-0.38729833462074169, 0.0, 0.38729833462074169};
  static const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  double sum = 0.0;
  for (int q = 0; q < 27; q++) {
    int p[3] = {q % 3, q / 3 % 3, q / 9};
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = d == axis ? coordinate : spacing[d] * (at[d] + 0.5 + node[p[d]]);
    sum += weight[p[0]] * weight[p[1]] * weight[p[2]] * g(x);
  }
  return sum;
}

static double linear(const double x[3])
{
  return 1 + 2 * x[0] - x[1] + 0.5 * x[2];
}

static double quadratic(const double x[3])
{
  return linear(x) + 3 * x[0] * x[0] - 2 * x[1] * x[1] + x[2] * x[2] + x[0] * x[1] -
         2 * x[1] * x[2];
}

static double dx(const double x[3])
{
  return 2 + 6 * x[0] + x[1];
}

static double dy(const double x[3])
{
  return -1 - 4 * x[1] + x[0] - 2 * x[2];
}

static double dz(const double x[3])
{
  return 0.5 + 2 * x[2] - 2 * x[1];
}

static double linear_dx(const double x[3])
{
  (void)x;
  return 2;
}

static double linear_dy(const double x[3])
{
  (void)x;
  return -1;
}

static double linear_dz(const double x[3])
{
  (void)x;
  return 0.5;
}

typedef struct exact {
  function *u, *grad[3];
  double f; /* - b Lap u with b = 0.7, beta = 1 */
  hymg_extrapolation extrapolation;
} exact;

static const exact exacts[2] = {
    {quadratic, {dx, dy, dz}, -0.7 * 4.0, HYMG_EXTRAPOLATION_QUADRATIC},
    {linear, {linear_dx, linear_dy, linear_dz}, 0.0, HYMG_EXTRAPOLATION_LINEAR},
};

static void fill_boundaries(support_case *c, const exact *e)
{
  for (int face = 0; face < 6; face++) {
    int d = face / 2, m[3] = {c->spec.n[0], c->spec.n[1], c->spec.n[2]};
    bool neumann = c->spec.boundary[face] == HYMG_NEUMANN;
    double coordinate = face % 2 ? m[d] * spacing[d] : 0.0;
    m[d] = 1;
    for (int w = 0; w < m[0] * m[1] * m[2]; w++) {
      int at[3] = {w % m[0], w / m[0] % m[1], w / m[0] / m[1]};
      double value = average(neumann ? e->grad[d] : e->u, at, d, coordinate);
      c->boundary_data[face][w] =
          neumann && face % 2 == 0 ? -value : value; /* the outward derivative */
    }
  }
}

static support_case exact_case(const exact *e, const char *boundary, double **u)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 8}, boundary, 0.0);
  c.spec.extrapolation = e->extrapolation;
  for (int d = 0; d < 3; d++) {
    c.spec.beta[d] = NULL;
    c.spec.h[d] = spacing[d];
  }
  support_case_add_boundaries(&c);
  fill_boundaries(&c, e);
  *u = support_poison(CELLS);
  for (int i = 0; i < CELLS; i++)
    (*u)[i] = average(e->u, (const int[3]){i % 8, i / 8 % 12, i / 96}, -1, 0.0);
  return c;
}

static const char *const mixes[5] = {"dd dd dd", "nd dn dd", "nn nd dn", "dn nn nn", "nn nn nn"};

START_TEST(polynomials_have_no_residual)
{
  const exact *e = &exacts[_i % 2];
  double *u;
  support_case c = exact_case(e, mixes[_i / 2], &u);
  support_kit k = support_open(&c.spec, NULL, NULL);
  hymg_field *uf = support_field(&k, 0, u), *f = support_field(&k, 0, u),
             *r = support_field(&k, 0, u);
  double max;
  OK(k.context, hymg_field_fill(f, e->f));
  OK(k.context, hymg_field_fill(r, NAN));
  OK(k.context, hymg_residual(k.solver, 0, f, uf, r));
  OK(k.context, hymg_field_max(r, &max));
  ck_assert_msg(max < 1e-11, "%s: residual %.3g", c.name, max); /* terms of 1e3, 1e-16 each */
  hymg_field_destroy(&uf);
  hymg_field_destroy(&f);
  hymg_field_destroy(&r);
  support_close(&k);
  support_case_free(&c);
  free(u);
}
END_TEST

START_TEST(polynomials_are_the_solution)
{
  const exact *e = &exacts[_i % 2];
  double *u, mean = 0.0;
  support_case c = exact_case(e, mixes[_i / 2 % 5], &u);
  hymg_options o = hymg_options_default();
  o.method = _i / 10 == 2 ? HYMG_MGPCG : HYMG_MG;
  o.cycle = _i / 10 == 0 ? HYMG_CYCLE_F : HYMG_CYCLE_V;
  o.rtol = 1e-12;
  o.max_cycles = 60;
  support_kit k = support_open(&c.spec, NULL, &o);
  hymg_field *f = support_field(&k, 0, u), *uf = support_field(&k, 0, u);
  hymg_result r;
  OK(k.context, hymg_field_fill(f, e->f));
  OK(k.context, hymg_field_fill(uf, NAN));
  OK(k.context, hymg_solve(k.solver, f, uf, &r));
  ck_assert_msg(r.converged, "%s: %s, %.3g after %d", c.name, hymg_reason_name(r.reason),
                r.history[r.cycles - 1].residual_relative, r.cycles);
  if (r.singular)
    for (int i = 0; i < CELLS; i++)
      mean += u[i] / CELLS;
  for (int i = 0; i < CELLS; i++)
    u[i] -= mean;
  double *got = support_read(&k, 0, uf);
  support_assert_close("u", c.name, CELLS, got, u, 1e-9);
  hymg_field_destroy(&f);
  hymg_field_destroy(&uf);
  support_close(&k);
  support_case_free(&c);
  free(u);
  free(got);
}
END_TEST

/* Two plates at 1 and 0: u falls linearly, which both extrapolations give exactly. */
START_TEST(plates_alone_drive_a_linear_solution)
{
  double top[64] = {0}, bottom[64], zero[512] = {0};
  for (int i = 0; i < 64; i++)
    bottom[i] = 1.0;
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "pp nn dd", 0.0);
  for (int d = 0; d < 3; d++)
    c.spec.beta[d] = NULL;
  c.spec.extrapolation = _i ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_QUADRATIC;
  c.spec.boundary_data[4] = bottom;
  c.spec.boundary_data[5] = top;
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  o.rtol = 1e-12;
  support_kit k = support_open(&c.spec, NULL, &o);
  hymg_field *f = support_field(&k, 0, zero), *u = support_field(&k, 0, zero);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, f, u, &r));
  ck_assert(r.converged);
  ck_assert_double_gt(r.rhs_max, 0.0);
  double *got = support_read(&k, 0, u);
  for (int i = 0; i < 512; i++)
    ck_assert_double_eq_tol(got[i], 1.0 - (i / 64 + 0.5) / 8, 1e-10);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(got);
}
END_TEST

static void against_the_oracle(support_case *c, hymg_method method, hymg_cycle cycle)
{
  oracle *o = oracle_create(&c->spec);
  hymg_options options = hymg_options_default();
  options.method = method;
  options.cycle = cycle;
  options.rtol = 1e-30;
  options.max_cycles = 2;
  support_layout layout = {.threads = 2, .boxes = {2, 1, 2}};
  support_kit k = support_open(&c->spec, &layout, &options);
  size_t cells = o->level[0].cells;
  double *f = support_random(cells, -1, 1, 1), *want = support_poison(cells);
  hymg_field *ff = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, ff, u, &r));
  oracle_history h = oracle_solve(o, 0, method, cycle, r.cycles, false, f, want);
  double *got = support_read(&k, 0, u);
  ck_assert_double_eq_tol(r.rhs_max, h.rhs_max, 1e-13 * h.rhs_max);
  support_assert_close("u", c->name, cells, got, want, 1e-11);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  oracle_destroy(o);
  free(f);
  free(want);
  free(got);
}

START_TEST(channels_with_data_are_the_oracles)
{
  static const char *const channels[4] = {"pp pp dd", "nd pp pp", "pp dn pp", "pp pp nd"};
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 16}, channels[_i % 4], 0.2);
  if (_i >= 4) c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  support_case_add_boundaries(&c);
  against_the_oracle(&c, HYMG_FMG, HYMG_CYCLE_F);
  support_case_free(&c);
}
END_TEST

START_TEST(all_boundaries_with_data_are_the_oracles)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 12, 16}, mixes[_i % 4], 0.2);
  if (_i >= 4) c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  support_case_add_boundaries(&c);
  against_the_oracle(&c, HYMG_MG, HYMG_CYCLE_V);
  against_the_oracle(&c, HYMG_MGPCG, HYMG_CYCLE_V);
  support_case_free(&c);
}
END_TEST

/* Linear data are consistent at the edges; otherwise the ghosts there would depend on the order of
 * axes. */
START_TEST(f_cycles_with_data_on_all_boundaries_are_the_oracles)
{
  double *u;
  support_case c = exact_case(&exacts[1], mixes[_i % 4], &u);
  if (_i < 4) c.spec.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  for (int d = 0; d < 3; d++)
    c.spec.beta[d] = c.beta[d];
  against_the_oracle(&c, HYMG_FMG, HYMG_CYCLE_F);
  support_case_free(&c);
  free(u);
}
END_TEST

int main(void)
{
  bool small = support_small();
  Suite *suite = suite_create("boundaries");
  TCase *t = tcase_create("data");
  tcase_add_loop_test(t, polynomials_have_no_residual, 0, small ? 4 : 10);
  tcase_add_loop_test(t, polynomials_are_the_solution, 0, small ? 2 : 30);
  tcase_add_loop_test(t, plates_alone_drive_a_linear_solution, 0, 2);
  tcase_add_loop_test(t, channels_with_data_are_the_oracles, 0, small ? 1 : 8);
  tcase_add_loop_test(t, all_boundaries_with_data_are_the_oracles, 0, small ? 1 : 8);
  tcase_add_loop_test(t, f_cycles_with_data_on_all_boundaries_are_the_oracles, 0, small ? 1 : 8);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
