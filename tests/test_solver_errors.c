/* What a solver refuses: options, coefficients at create and at update, fields of another grid or
 * level, incompatible singular right-hand sides. The text names the value and the limit; outputs
 * stay. */
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static support_kit kit;
static support_case plain;

static void open_kit(void)
{
  plain = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 1.0);
  kit = support_open(&plain.spec, NULL, NULL);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&plain);
}

static void refused(const hymg_options *o, hymg_status want, const char *word, const char *limit)
{
  hymg_solver *solver = NULL;
  support_assert_error(kit.context, hymg_solver_create(kit.op, o, &solver), want, word, limit,
                       NULL);
  ck_assert_ptr_null(solver);
}

START_TEST(sweeps_must_fit_the_smoother)
{
  static const struct {
    hymg_smoother smoother;
    int sweeps;
    const char *value, *limit;
  } bad[] = {{HYMG_GSRB, 0, "0", "sweeps"},   {HYMG_GSRB, 3, "3", "even"},
             {HYMG_SYMGS, 5, "5", "even"},    {HYMG_CHEBYSHEV, 8, "8", "6"},
             {HYMG_JACOBI, 0, "0", "sweeps"}, {HYMG_L1JACOBI, -2, "-2", "sweeps"}};
  hymg_options o = hymg_options_default();
  o.smoother = bad[_i].smoother;
  o.sweeps = bad[_i].sweeps;
  refused(&o, HYMG_EINVAL, bad[_i].value, bad[_i].limit);
}
END_TEST

START_TEST(methods_take_their_cycles_alone)
{
  hymg_options o = hymg_options_default();
  o.cycle = HYMG_CYCLE_V;
  refused(&o, HYMG_EINVAL, "F", NULL);
  o.method = HYMG_MGPCG;
  o.cycle = HYMG_CYCLE_F;
  refused(&o, HYMG_EINVAL, "V", "W");
  o.method = (hymg_method)5;
  refused(&o, HYMG_EINVAL, "5", "method");
}
END_TEST

START_TEST(unknown_choices_are_refused)
{
  hymg_options o = hymg_options_default();
  o.smoother = (hymg_smoother)17;
  refused(&o, HYMG_EINVAL, "17", "smoother");
  o = hymg_options_default();
  o.bottom = (hymg_bottom)18;
  refused(&o, HYMG_EINVAL, "18", "bottom");
  o = hymg_options_default();
  o.backend = (hymg_backend)19;
  refused(&o, HYMG_EINVAL, "19", "backend");
  o = hymg_options_default();
  o.method = HYMG_MG;
  o.cycle = (hymg_cycle)20;
  refused(&o, HYMG_EINVAL, "20", "cycle");
  o = hymg_options_default();
  o.tuning = (hymg_tuning)21;
  refused(&o, HYMG_EINVAL, "21", "tuning");
}
END_TEST

START_TEST(tolerances_and_limits_have_ranges)
{
  static const double bad[4] = {0.0, -1e-3, NAN, INFINITY};
  static const char *const word[4] = {"0", "-0.001", "nan", "inf"};
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  o.rtol = bad[_i];
  refused(&o, HYMG_EINVAL, word[_i], "rtol");
  o.rtol = 1e-8;
  o.max_cycles = 0;
  refused(&o, HYMG_EINVAL, "0", "10000");
  o.max_cycles = 10001;
  refused(&o, HYMG_EINVAL, "10001", "10000");
}
END_TEST

START_TEST(the_cuda_backend_is_unsupported_here)
{
  if (hymg_build_info().cuda[0]) return;
  hymg_options o = hymg_options_default();
  o.backend = HYMG_BACKEND_CUDA;
  refused(&o, HYMG_EUNSUPPORTED, "CUDA", NULL);
}
END_TEST

static void set_entry(hymg_centering centering, double value)
{
  static const int low[3] = {3, 2, 1}, count[3] = {1, 1, 1};
  static const ptrdiff_t stride[3] = {1, 1, 1};
  OK(kit.context,
     hymg_field_write(kit.coefficient[centering], low, count, stride, &value, HYMG_HOST));
}

START_TEST(bad_coefficients_are_refused_at_create_and_at_update)
{
  static const struct {
    hymg_centering centering;
    double value;
    const char *word, *name;
  } bad[] = {{HYMG_CELL, -0.125, "-0.125", "alpha"}, {HYMG_CELL, NAN, "nan", "alpha"},
             {HYMG_FACE_X, -3.5, "-3.5", "beta"},    {HYMG_FACE_Y, 0.0, "0", "beta"},
             {HYMG_FACE_Z, INFINITY, "inf", "beta"}, {HYMG_FACE_X, NAN, "nan", "beta"}};
  set_entry(bad[_i].centering, bad[_i].value);
  refused(NULL, HYMG_EINVAL, bad[_i].word, bad[_i].name);
  support_assert_error(kit.context, hymg_solver_update(kit.solver), HYMG_EINVAL, bad[_i].word,
                       bad[_i].name, NULL);
  set_entry(bad[_i].centering, 1.0);
  OK(kit.context, hymg_solver_update(kit.solver));
}
END_TEST

START_TEST(fields_of_another_grid_are_refused)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 0.0);
  support_kit other = support_open(&c.spec, NULL, NULL);
  double *ones = support_random(512, 1.0, 1.0, 0);
  hymg_field *mine = support_field(&kit, 0, ones), *foreign = support_field(&other, 0, ones);
  hymg_field *coarse = NULL;
  OK(kit.context, hymg_field_create_on_level(kit.solver, 1, &coarse));
  support_assert_error(kit.context, hymg_solve(kit.solver, foreign, mine, NULL), HYMG_EINVAL,
                       "grid", NULL);
  support_assert_error(kit.context, hymg_solve(kit.solver, mine, foreign, NULL), HYMG_EINVAL,
                       "grid", NULL);
  support_assert_error(kit.context, hymg_apply(kit.solver, 0, foreign, mine), HYMG_EINVAL, "grid",
                       NULL);
  support_assert_error(kit.context, hymg_apply(kit.solver, 1, mine, coarse), HYMG_EINVAL, "level",
                       NULL);
  support_assert_error(kit.context, hymg_residual(kit.solver, 0, mine, mine, coarse), HYMG_EINVAL,
                       "level", NULL);
  support_assert_error(kit.context, hymg_restrict(kit.solver, 0, coarse, mine), HYMG_EINVAL,
                       "level", NULL);
  support_assert_error(kit.context, hymg_restrict(kit.solver, 3, mine, mine), HYMG_EINVAL, "3",
                       NULL);
  support_assert_error(kit.context, hymg_solve_on_level(kit.solver, 1, mine, mine, NULL),
                       HYMG_EINVAL, "level", NULL);
  support_assert_error(kit.context, hymg_solve_on_level(kit.solver, 12, mine, mine, NULL),
                       HYMG_EINVAL, "12", NULL);
  double *after = support_read(&kit, 0, mine);
  ck_assert(support_same_bits(512, after, ones));
  hymg_field_destroy(&mine);
  hymg_field_destroy(&coarse);
  hymg_field_destroy(&foreign);
  support_close(&other);
  support_case_free(&c);
  free(ones);
  free(after);
}
END_TEST

START_TEST(face_fields_are_no_solutions)
{
  hymg_field *face = NULL, *cell = NULL;
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &face));
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cell));
  support_assert_error(kit.context, hymg_solve(kit.solver, face, cell, NULL), HYMG_EINVAL, "cell",
                       NULL);
  support_assert_error(kit.context, hymg_solve(kit.solver, cell, face, NULL), HYMG_EINVAL, "cell",
                       NULL);
  hymg_field_destroy(&face);
  hymg_field_destroy(&cell);
}
END_TEST

/* f = 3 in the lower half, 0 above: mean 1.5, max 3. */
START_TEST(an_incompatible_singular_system_is_refused_with_both_numbers)
{
  static const char *const mixes[2] = {"pp pp pp", "nn nn nn"};
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, mixes[_i], 0.0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  double f[512];
  for (int i = 0; i < 512; i++)
    f[i] = i < 256 ? 3.0 : 0.0;
  hymg_field *ff = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result result = {.cycles = -9};
  support_assert_error(k.context, hymg_solve(k.solver, ff, u, &result), HYMG_EINVAL, "1.5", "3",
                       "mean", NULL);
  ck_assert_int_eq(result.cycles, -9);
  for (int i = 256; i < 512; i++)
    f[i] = -3.0;
  hymg_field_destroy(&ff);
  ff = support_field(&k, 0, f);
  OK(k.context, hymg_solve(k.solver, ff, u, &result));
  ck_assert(result.singular);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(incompatible_neumann_data_are_refused)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "nn nn nn", 0.0);
  double ones[64], zero[512] = {0};
  for (int i = 0; i < 64; i++)
    ones[i] = 1.0;
  c.spec.wall[4] = ones;
  support_kit k = support_open(&c.spec, NULL, NULL);
  hymg_field *f = support_field(&k, 0, zero), *u = support_field(&k, 0, zero);
  support_assert_error(k.context, hymg_solve(k.solver, f, u, NULL), HYMG_EINVAL, "mean", NULL);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("solver errors");
  TCase *t = tcase_create("refused");
  tcase_add_checked_fixture(t, open_kit, close_kit);
  tcase_add_loop_test(t, sweeps_must_fit_the_smoother, 0, 6);
  tcase_add_test(t, methods_take_their_cycles_alone);
  tcase_add_test(t, unknown_choices_are_refused);
  tcase_add_loop_test(t, tolerances_and_limits_have_ranges, 0, 4);
  tcase_add_test(t, the_cuda_backend_is_unsupported_here);
  tcase_add_loop_test(t, bad_coefficients_are_refused_at_create_and_at_update, 0, 6);
  tcase_add_test(t, fields_of_another_grid_are_refused);
  tcase_add_test(t, face_fields_are_no_solutions);
  tcase_add_loop_test(t, an_incompatible_singular_system_is_refused_with_both_numbers, 0, 2);
  tcase_add_test(t, incompatible_neumann_data_are_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
