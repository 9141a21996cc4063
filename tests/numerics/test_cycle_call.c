/* hymg_solver_cycle: the bits of a solve's cycle, whatever memory the fields have; the preset for
 * conjugate gradients is symmetric and positive; a cycle is linear, leaves f alone and reduces
 * residuals. */
#include "support/support.h"
#include <math.h>
#include <stdlib.h>

typedef struct setting {
  int n[3];
  const char *boundary;
  double a;
  hymg_path path;
  hymg_extrapolation extrapolation;
} setting;

static const setting settings[] = {
    {{16, 16, 16}, "dd dd dd", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR},
    {{12, 8, 20}, "dn pp nd", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR},
    {{8, 24, 6}, "pp dd nn", 1, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR},
    {{7, 5, 9}, "nd dd pp", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR},
    {{13, 9, 17}, "dd nn dd", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR},
    {{12, 31, 5}, "dn pp nd", 1, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_QUADRATIC},
    {{16, 8, 12}, "pp nn pp", 0, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR},    /* singular */
    {{17, 13, 11}, "dn dd dd", 0, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR}, /* odd sides */
    {{18, 15, 10}, "dd pp nd", 1, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static support_case the_case;
static support_kit kit;
static size_t cells;

static void open_kit(const setting *s, hymg_options o)
{
  the_case = support_case_of(HYMG_FV2, s->n, s->boundary, s->a);
  the_case.spec.extrapolation = s->extrapolation;
  the_case.spec.smoother = o.smoother;
  the_case.spec.sweeps = o.sweeps;
  the_case.spec.bottom = o.bottom;
  o.path = s->path;
  kit = support_open(&the_case.spec, NULL, &o);
  cells = (size_t)(s->n[0] * s->n[1] * s->n[2]);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&the_case);
}

static hymg_field *field(unsigned seed)
{
  double *values = support_random(cells, -1, 1, seed), mean = 0;
  for (size_t m = 0; m < cells; m++)
    mean += values[m] / (double)cells;
  for (size_t m = 0; m < cells; m++) /* so that singular systems have a solution */
    values[m] -= mean;
  hymg_field *f = support_field(&kit, 0, values);
  free(values);
  return f;
}

static hymg_field *cycled(const hymg_field *f)
{
  hymg_field *u = field(99); /* to be overwritten */
  OK(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_DEFAULT, false, f, u));
  return u;
}

static double dot(const hymg_field *x, const hymg_field *y)
{
  double d;
  OK(kit.context, hymg_field_dot(x, y, &d));
  return d;
}

START_TEST(the_preset_is_symmetric_and_positive)
{
  hymg_options o = hymg_options_preconditioner();
  if (_i >= SETTINGS) o.smoother = HYMG_GSRB; /* on the robust path that is symmetric as well */
  if (_i >= SETTINGS && settings[_i - SETTINGS].path == HYMG_PATH_STANDARD) return;
  open_kit(settings + _i % SETTINGS, o);
  for (unsigned m = 0; m < 4; m++) {
    hymg_field *x = field(2 * m + 1), *y = field(2 * m + 2), *mx = cycled(x), *my = cycled(y);
    const double a = dot(x, my), b = dot(y, mx), size = sqrt(dot(x, x) * dot(my, my));
    ck_assert_msg(fabs(a - b) <= 1e-14 * size, "%s: x.My %.17g, y.Mx %.17g", the_case.name, a, b);
    ck_assert_msg(dot(x, mx) > 0 && dot(y, my) > 0, "%s: not positive", the_case.name);
    hymg_field_destroy(&x), hymg_field_destroy(&y);
    hymg_field_destroy(&mx), hymg_field_destroy(&my);
  }
  close_kit();
}
END_TEST

/* So that the test above can fail: the defaults are not symmetric. */
START_TEST(the_defaults_are_not_symmetric)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.cycle = HYMG_CYCLE_V;
  open_kit(settings, o);
  hymg_field *x = field(1), *y = field(2), *mx = cycled(x), *my = cycled(y);
  ck_assert(fabs(dot(x, my) - dot(y, mx)) > 1e-9 * sqrt(dot(x, x) * dot(my, my)));
  hymg_field_destroy(&x), hymg_field_destroy(&y);
  hymg_field_destroy(&mx), hymg_field_destroy(&my);
  close_kit();
}
END_TEST

START_TEST(a_cycle_has_the_bits_of_a_solve_of_one_cycle)
{
  static const hymg_smoother smoother[] = {HYMG_GSRB, HYMG_CHEBYSHEV, HYMG_JACOBI};
  const hymg_cycle kind = (hymg_cycle)(_i % 4 % 3);
  const bool from_u = _i % 4 == 3; /* V, W, F, V from u */
  hymg_options o = hymg_options_default();
  o.smoother = smoother[_i / 4 % 3];
  o.method = kind == HYMG_CYCLE_F ? HYMG_FMG : HYMG_MG;
  o.cycle = kind;
  o.max_cycles = 1;
  o.initial_guess = from_u;
  setting s = settings[_i / 12];
  if (s.n[0] == 8) s.a = 1;
  open_kit(&s, o);
  hymg_field *f = field(3), *u = field(4), *v = field(4);
  hymg_result result;
  double *want, *got, *before = support_read(&kit, 0, f), *after;
  OK(kit.context, hymg_solve(kit.solver, f, u, &result));
  for (int again = 0; again < 2; again++) { /* also after the first call, which binds the fields */
    hymg_field *start = field(4);
    OK(kit.context, hymg_field_copy(start, v));
    hymg_field_destroy(&start);
    OK(kit.context, hymg_solver_cycle(kit.solver, kind, from_u, f, v));
    want = support_read(&kit, 0, u), got = support_read(&kit, 0, v);
    ck_assert_msg(support_same_bits(cells, got, want), "%s: differs by %g", the_case.name,
                  support_difference(cells, got, want));
    free(want), free(got);
  }
  after = support_read(&kit, 0, f);
  ck_assert(support_same_bits(cells, before, after));
  free(before), free(after);
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&v);
  close_kit();
}
END_TEST

/* u + M (f - A u), on both paths, and closer to the solution. */
START_TEST(a_cycle_from_u_adds_the_correction)
{
  open_kit(settings + _i, hymg_options_preconditioner());
  hymg_field *f = field(5), *u = field(6), *r = field(7), *want = NULL;
  double before, after, scale;
  OK(kit.context, hymg_residual(kit.solver, 0, f, u, r));
  OK(kit.context, hymg_field_rms(r, &before));
  want = cycled(r);
  OK(kit.context, hymg_field_axpy(1, u, want));
  OK(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, true, f, u));
  OK(kit.context, hymg_residual(kit.solver, 0, f, u, r));
  OK(kit.context, hymg_field_rms(r, &after));
  ck_assert_msg(after < 0.5 * before, "%s: residual %g, then %g", the_case.name, before, after);
  OK(kit.context, hymg_field_max(u, &scale));
  OK(kit.context, hymg_field_axpy(-1, u, want));
  OK(kit.context, hymg_field_max(want, &after));
  ck_assert_msg(after <= 1e-12 * scale, "%s: differs by %g of %g", the_case.name, after, scale);
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&r), hymg_field_destroy(&want);
  close_kit();
}
END_TEST

/* Fields of the solver, plain fields, and arrays of the user with ghost layers, z fastest. */
START_TEST(the_memory_of_fields_does_not_matter)
{
  open_kit(settings + _i, hymg_options_preconditioner());
  const int *n = kit.n, low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {(ptrdiff_t)(n[1] + 2) * (n[2] + 4), n[2] + 4, 1};
  const size_t size = (size_t)stride[0] * (size_t)(n[0] + 2);
  const ptrdiff_t first = stride[0] + stride[1] + 2;
  double *f_data = support_poison(size), *u_data = support_poison(size);
  hymg_field *f[3] = {NULL}, *u[3] = {NULL}, *given = field(8);
  for (int m = 0; m < 3; m++) {
    hymg_field **const both[2] = {f + m, u + m};
    double *const data[2] = {f_data, u_data};
    for (int t = 0; t < 2; t++)
      if (m < 2)
        OK(kit.context,
           hymg_field_create(kit.grid, m ? NULL : kit.solver, HYMG_CELL, HYMG_DOUBLE, both[t]));
      else
        OK(kit.context, hymg_field_wrap(kit.grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, low, n, stride,
                                        data[t] + first, both[t]));
    OK(kit.context, hymg_field_copy(given, f[m]));
    OK(kit.context, hymg_field_fill(u[m], 3));
    OK(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, m > 0, f[m], u[m]));
    OK(kit.context, hymg_field_fill(u[m], 0.25));
    OK(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, true, f[m], u[m]));
    double *want = support_read(&kit, 0, u[0]), *got = support_read(&kit, 0, u[m]);
    ck_assert_msg(support_same_bits(cells, got, want), "%s, memory %d", the_case.name, m);
    free(want), free(got);
  }
  size_t touched = 0;
  for (size_t m = 0; m < size; m++)
    touched += u_data[m] == u_data[m];
  ck_assert_uint_eq(touched, cells);
  for (int m = 0; m < 3; m++)
    hymg_field_destroy(f + m), hymg_field_destroy(u + m);
  hymg_field_destroy(&given);
  free(f_data), free(u_data);
  close_kit();
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  setting s = settings[4];
  open_kit(&s, hymg_options_preconditioner());
  hymg_field *f = field(1), *u = field(2), *face = NULL;
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &face));
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_F, false, f, u),
                       HYMG_EUNSUPPORTED, "robust", NULL);
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_F, true, f, u),
                       HYMG_EINVAL, "initial guess", NULL);
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, (hymg_cycle)3, false, f, u),
                       HYMG_EINVAL, "cycle 3", NULL);
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, false, f, f),
                       HYMG_EINVAL, "same field", NULL);
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, false, f, face),
                       HYMG_EINVAL, "x faces", NULL);
  support_assert_error(kit.context, hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, false, NULL, u),
                       HYMG_EINVAL, "f is NULL", NULL);
  ck_assert_int_eq(hymg_solver_cycle(NULL, HYMG_CYCLE_V, false, f, u), HYMG_EINVAL);
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&face);
  close_kit();
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("cycle call");
  TCase *t = tcase_create("cycle call");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, the_preset_is_symmetric_and_positive, 0, 2 * SETTINGS);
  tcase_add_test(t, the_defaults_are_not_symmetric);
  tcase_add_loop_test(t, a_cycle_has_the_bits_of_a_solve_of_one_cycle, 0, 48);
  tcase_add_loop_test(t, a_cycle_from_u_adds_the_correction, 0, SETTINGS - 1);
  tcase_add_loop_test(t, the_memory_of_fields_does_not_matter, 0, SETTINGS);
  tcase_add_test(t, what_cannot_be_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
