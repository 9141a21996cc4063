/* Units do not matter: f, beta, b, a alpha and the spacings in other units give the solution in other
 * units, with the same bits where the factor is a power of 2, on the standard and the robust path,
 * with every bottom solver. Then numbers at the ends of the range: denormal ones, and a processor
 * that takes them for zero. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

typedef struct choice {
  hymg_stencil stencil;
  int n[3];
  const char *boundary;
  double a;
  hymg_method method;
  hymg_cycle cycle;
  hymg_bottom bottom;
  hymg_path path;
  hymg_norm norm;
} choice;

/* Sides that leave several cells on the coarsest level, so that its Krylov method has work to do. */
static const choice choices[] = {
    {HYMG_FV2,
     {12, 20, 12},
     "dd dd dd",
     0,
     HYMG_MG,
     HYMG_CYCLE_V,
     HYMG_BICGSTAB,
     HYMG_PATH_STANDARD,
     HYMG_NORM_MAX},
    {HYMG_FV2,
     {12, 20, 12},
     "dn dd pp",
     1,
     HYMG_MG,
     HYMG_CYCLE_W,
     HYMG_CG,
     HYMG_PATH_STANDARD,
     HYMG_NORM_2},
    {HYMG_FV4,
     {12, 20, 12},
     "dd dd pp",
     0,
     HYMG_MG,
     HYMG_CYCLE_F,
     HYMG_CABICGSTAB,
     HYMG_PATH_STANDARD,
     HYMG_NORM_MAX},
    {HYMG_FV4,
     {12, 12, 20},
     "dd dd dd",
     0,
     HYMG_FMG,
     HYMG_CYCLE_F,
     HYMG_CACG,
     HYMG_PATH_STANDARD,
     HYMG_NORM_MAX},
    {HYMG_FV2,
     {12, 20, 12},
     "dd dd dd",
     0,
     HYMG_MGPCG,
     HYMG_CYCLE_V,
     HYMG_BOTTOM_SMOOTHER,
     HYMG_PATH_STANDARD,
     HYMG_NORM_2},
    {HYMG_FV2,
     {12, 20, 12},
     "nn nn pp",
     0,
     HYMG_MG,
     HYMG_CYCLE_F,
     HYMG_BICGSTAB,
     HYMG_PATH_STANDARD,
     HYMG_NORM_MAX},
    {HYMG_FV2,
     {12, 20, 12},
     "nn nn nn",
     0,
     HYMG_MGPCG,
     HYMG_CYCLE_V,
     HYMG_CACG,
     HYMG_PATH_STANDARD,
     HYMG_NORM_MAX},
    {HYMG_FV2,
     {11, 9, 7},
     "dd dn pp",
     1,
     HYMG_MG,
     HYMG_CYCLE_V,
     HYMG_BICGSTAB,
     HYMG_PATH_ROBUST,
     HYMG_NORM_MAX},
    {HYMG_FV2,
     {11, 9, 7},
     "nn nn nn",
     0,
     HYMG_MG,
     HYMG_CYCLE_V,
     HYMG_BICGSTAB,
     HYMG_PATH_ROBUST,
     HYMG_NORM_2},
};
enum { CHOICES = sizeof choices / sizeof *choices };

/* Factors of f, of beta and alpha, of a and b, and of the spacings. */
typedef struct units {
  double f, coefficients, factors, spacing;
} units;

typedef struct answer {
  hymg_result result;
  double *u;
  size_t cells;
} answer;

static answer solve(const choice *ch, units unit)
{
  support_case c = support_case_of(ch->stencil, ch->n, ch->boundary, ch->a);
  const size_t cells = (size_t)ch->n[0] * (size_t)ch->n[1] * (size_t)ch->n[2];
  answer out = {.cells = cells};
  hymg_options o = hymg_options_default();
  for (int axis = 0; axis < 3; axis++) {
    size_t faces = cells / (size_t)ch->n[axis] * (size_t)(ch->n[axis] + 1);
    c.spec.h[axis] *= unit.spacing;
    for (size_t m = 0; m < faces; m++)
      c.beta[axis][m] *= unit.coefficients;
  }
  for (size_t m = 0; m < cells && c.alpha; m++)
    c.alpha[m] *= unit.coefficients / unit.spacing / unit.spacing;
  c.spec.a *= unit.factors, c.spec.b *= unit.factors;
  c.spec.bottom = ch->bottom;
  o.method = ch->method, o.cycle = ch->cycle, o.path = ch->path, o.norm = ch->norm;
  o.rtol = 1e-9;
  support_kit k = support_open(&c.spec, NULL, &o);
  double *f = support_random(cells, -1, 1, 7);
  for (size_t m = 0; m < cells; m++)
    f[m] *= unit.f;
  hymg_field *rhs = support_field(&k, 0, f), *u = NULL;
  OK(k.context, hymg_field_create(k.grid, k.solver, HYMG_CELL, HYMG_DOUBLE, &u));
  OK(k.context, hymg_solve(k.solver, rhs, u, &out.result));
  out.u = support_read(&k, 0, u);
  out.result.history = NULL;
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(f);
  return out;
}

/* u is `factor` times the first answer's: with the same bits, or up to rounding that the cycles
 * have damped. */
static void assert_scaled(const char *what, const answer *first, const answer *second,
                          double factor, bool same_bits)
{
  ck_assert_msg(second->result.cycles == first->result.cycles &&
                    second->result.converged == first->result.converged,
                "%s: %d cycles, %s, not %d", what, second->result.cycles,
                hymg_reason_name(second->result.reason), first->result.cycles);
  const double largest = support_max(first->cells, first->u);
  for (size_t m = 0; m < first->cells; m++) {
    const double want = first->u[m] * factor, got = second->u[m];
    ck_assert_msg(same_bits ? got == want : fabs(got / factor - first->u[m]) <= 1e-8 * largest,
                  "%s: u[%zu] is %.17g, not %.17g", what, m, got, want);
  }
}

static void try_units(const choice *ch, const units *unit, int count, bool same_bits)
{
  const units plain = {1, 1, 1, 1};
  answer first = solve(ch, plain);
  ck_assert(first.result.converged && support_max(first.cells, first.u) > 1e-4);
  for (int m = 0; m < count; m++) {
    const units *const t = unit + m;
    char what[200];
    answer second = solve(ch, *t);
    snprintf(
        what, sizeof what,
        "%s %s bottom %s: f times %g, beta and alpha times %g, a and b times %g, spacing times %g",
        ch->boundary, hymg_enum_name("hymg_method", (int)ch->method),
        hymg_enum_name("hymg_bottom", (int)ch->bottom), t->f, t->coefficients, t->factors,
        t->spacing);
    assert_scaled(what, &first, &second,
                  t->f / t->coefficients / t->factors * t->spacing * t->spacing, same_bits);
    free(second.u);
  }
  free(first.u);
}

START_TEST(units_that_are_powers_of_two_change_no_bit)
{
  const units powers[] = {
      {0x1p300, 1, 1, 1},       {0x1p-300, 1, 1, 1},        {0x1p900, 1, 1, 1},
      {0x1p-900, 1, 1, 1},      {1, 0x1p300, 1, 1},         {1, 0x1p-300, 1, 1},
      {1, 0x1p600, 1, 1},       {1, 0x1p-600, 1, 1},        {1, 1, 0x1p600, 1},
      {1, 1, 0x1p-600, 1},      {1, 1, 1, 0x1p300},         {1, 1, 1, 0x1p-300},
      {0x1p600, 0x1p600, 1, 1}, {0x1p-600, 0x1p-600, 1, 1}, {1, 0x1p500, 0x1p-500, 1}};
  try_units(&choices[_i], powers, support_small() ? 4 : (int)(sizeof powers / sizeof *powers),
            true);
}
END_TEST

/* 1e290 f and 1e-290 f overflow or vanish as soon as they are squared. */
START_TEST(other_units_take_the_same_cycles)
{
  const units other[] = {{1e290, 1, 1, 1},  {1e-290, 1, 1, 1}, {1, 1000, 1, 1},
                         {1, 1e290, 1, 1},  {1, 1e-290, 1, 1}, {1, 1, 1e-290, 1},
                         {1, 1, 1, 1e-140}, {1, 1, 1, 1e140},  {1e-290, 1e-290, 1, 1}};
  try_units(&choices[_i], other, support_small() ? 2 : (int)(sizeof other / sizeof *other), false);
}
END_TEST

/* Residuals below 1e-308 have fewer digits: the solve ends all the same, without NaN. */
START_TEST(denormal_numbers_do_no_harm)
{
  const units tiny[] = {{1e-305, 1, 1, 1}, {1e-310, 1, 1, 1}, {1e-318, 1, 1, 1}, {5e-324, 1, 1, 1}};
  for (size_t m = 0; m < sizeof tiny / sizeof *tiny; m++) {
    answer a = solve(&choices[_i], tiny[m]);
    ck_assert_msg(a.result.reason != HYMG_REASON_NOT_FINITE &&
                      a.result.reason != HYMG_REASON_DIVERGED,
                  "f times %g: %s", tiny[m].f, hymg_reason_name(a.result.reason));
    ck_assert(isfinite(support_max(a.cells, a.u)));
    free(a.u);
  }
}
END_TEST

#ifdef __SSE2__
/* valgrind ignores these modes, and what it runs reads them back as not set. */
static bool keeps_modes(void)
{
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u); /* FTZ, DAZ */
  const bool kept = (_mm_getcsr() & 0x8040u) == 0x8040u;
  _mm_setcsr(before);
  return kept;
}

/* Programs that are compiled with -ffast-math set these modes for all libraries. */
START_TEST(denormals_taken_for_zero_change_nothing_in_ordinary_numbers)
{
  const units plain = {1, 1, 1, 1};
  const unsigned before = _mm_getcsr();
  answer first = solve(&choices[_i], plain);
  _mm_setcsr(before | 0x8040u);
  answer second = solve(&choices[_i], plain);
  ck_assert_uint_eq(_mm_getcsr() & 0x8040u, 0x8040u);
  answer tiny = solve(&choices[_i], (units){1e-310, 1, 1, 1});
  _mm_setcsr(before);
  assert_scaled("FTZ and DAZ", &first, &second, 1, true);
  ck_assert(isfinite(support_max(tiny.cells, tiny.u)));
  free(first.u);
  free(second.u);
  free(tiny.u);
}
END_TEST
#endif

/* ---- what is refused, with its place ---- */

/* With one thread and with several, which see other such values first. */
static void assert_refused_on(int n, double value, double alpha, const char *words)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){n, n, n}, "dd dd dd", 1);
  const support_layout layout = {.threads = 3};
  support_kit k = support_open(&c.spec, &layout, NULL);
  hymg_solver *solver = NULL;
  const int at[3][3] = {{n - 1, 6, n - 1}, {0, 6, 2}, {3, 5, 2}}, one[3] = {1, 1, 1};
  const ptrdiff_t stride[3] = {1, 1, 1};
  for (int m = 0; m < 3; m++) {
    OK(k.context,
       hymg_field_write(k.coefficient[HYMG_FACE_Y], at[m], one, stride, &value, HYMG_HOST));
    OK(k.context,
       hymg_field_write(k.coefficient[HYMG_CELL], at[m], one, stride, &alpha, HYMG_HOST));
  }
  support_assert_error(k.context, hymg_solver_create(k.op, NULL, &solver), HYMG_EINVAL, words,
                       NULL);
  support_assert_error(k.context, hymg_solver_update(k.solver), HYMG_EINVAL, words, NULL);
  ck_assert_ptr_null(solver);
  support_close(&k);
  support_case_free(&c);
}

static void assert_refused(double value, double alpha, const char *words)
{
  assert_refused_on(8, value, alpha, words);
  assert_refused_on(32, value, alpha, words);
}

START_TEST(coefficients_that_are_no_coefficients_are_refused_with_their_place)
{
  assert_refused(-1, 1, "beta on a face along y");
  assert_refused(-5e-324, 1, "at least 0");
  assert_refused(-1, 1, "(3, 5, 2)");
  assert_refused(NAN, 1, "(3, 5, 2)");
  assert_refused(INFINITY, 1, "(3, 5, 2)");
  assert_refused(1, -5e-324, "alpha");
  assert_refused(1, NAN, "(3, 5, 2)");
}
END_TEST

/* One NaN in f, with each iteration that has a Krylov method: it ends at once, and says so. */
START_TEST(a_nan_in_f_ends_every_method)
{
  choice ch = choices[_i];
  support_case c = support_case_of(ch.stencil, ch.n, ch.boundary, ch.a);
  const size_t cells = (size_t)ch.n[0] * (size_t)ch.n[1] * (size_t)ch.n[2];
  hymg_options o = hymg_options_default();
  hymg_result r;
  o.method = ch.method, o.cycle = ch.cycle, o.path = ch.path, o.norm = ch.norm;
  c.spec.bottom = ch.bottom;
  support_kit k = support_open(&c.spec, NULL, &o);
  double *f = support_random(cells, -1, 1, 7);
  for (int m = 0; m < 2; m++) {
    f[cells / 3] = m ? INFINITY : NAN;
    hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f);
    OK(k.context, hymg_solve(k.solver, rhs, u, &r));
    ck_assert_msg(!r.converged && r.reason == HYMG_REASON_NOT_FINITE && r.cycles <= 2, "%s: %s, %d",
                  c.name, hymg_reason_name(r.reason), r.cycles);
    hymg_field_destroy(&rhs);
    hymg_field_destroy(&u);
  }
  free(f);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("scaling");
  TCase *t = tcase_create("all");
  const int count = support_small() ? 3 : CHOICES;
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, units_that_are_powers_of_two_change_no_bit, 0, count);
  tcase_add_loop_test(t, other_units_take_the_same_cycles, 0, count);
  tcase_add_loop_test(t, denormal_numbers_do_no_harm, 0, count);
#ifdef __SSE2__
  if (keeps_modes())
    tcase_add_loop_test(t, denormals_taken_for_zero_change_nothing_in_ordinary_numbers, 0, count);
  else
    printf("not run: FTZ and DAZ cannot be set here\n");
#endif
  tcase_add_test(t, coefficients_that_are_no_coefficients_are_refused_with_their_place);
  tcase_add_loop_test(t, a_nan_in_f_ends_every_method, 0, CHOICES);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
