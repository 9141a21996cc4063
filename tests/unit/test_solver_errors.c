/* What a solver refuses: options, coefficients at create and at update, fields of another grid or
 * level, incompatible singular right-hand sides. The text names the value and the limit; outputs
 * stay. */
#include "problem/problem.h"
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  refused(&o, HYMG_EINVAL, "cycle V with FMG: F only", NULL);
  o.method = HYMG_MGPCG;
  o.cycle = HYMG_CYCLE_F;
  refused(&o, HYMG_EINVAL, "cycle F with MGPCG: V or W", NULL);
  o.method = (hymg_method)5;
  refused(&o, HYMG_EINVAL, "method 5: 0 (fmg) to 2 (mgpcg)", NULL);
  o = hymg_options_default();
  o.initial_guess = true;
  refused(&o, HYMG_EINVAL, "initial guess", "F-cycle");
  o.method = HYMG_MG;
  o.cycle = HYMG_CYCLE_F;
  refused(&o, HYMG_EINVAL, "initial guess", "F-cycle");
}
END_TEST

START_TEST(unknown_choices_are_refused)
{
  hymg_options o = hymg_options_default();
  o.smoother = (hymg_smoother)17;
  refused(&o, HYMG_EINVAL, "smoother 17: 0 (gsrb) to 4 (symgs)", NULL);
  o = hymg_options_default();
  o.bottom = (hymg_bottom)18;
  refused(&o, HYMG_EINVAL, "bottom solver 18: 0 (bicgstab) to 5 (sweeps)", NULL);
  o = hymg_options_default();
  o.backend = (hymg_backend)19;
  refused(&o, HYMG_EINVAL, "backend 19: 0 (auto) to 2 (cuda)", NULL);
  o = hymg_options_default();
  o.method = HYMG_MG;
  o.cycle = (hymg_cycle)20;
  refused(&o, HYMG_EINVAL, "cycle 20: -1 (default) to 2 (F)", NULL);
  o = hymg_options_default();
  o.tuning = (hymg_tuning)21;
  refused(&o, HYMG_EINVAL, "tuning 21: 0 (measure) to 2 (auto)", NULL);
  o = hymg_options_default();
  o.interpolation_v = (hymg_interpolation)3;
  refused(&o, HYMG_EINVAL, "interpolation 3", "4 (v4)");
  o.interpolation_v = HYMG_V4;
  refused(&o, HYMG_EUNSUPPORTED, "v4", "FV2");
  o = hymg_options_default();
  o.precision = (hymg_precision)2;
  refused(&o, HYMG_EINVAL, "precision 2", "-1 (auto) to 1 (mixed)");
  o = hymg_options_default();
  o.host_cells = -2;
  refused(&o, HYMG_EINVAL, "host_cells -2", "-1");
  o = hymg_options_default();
  o.tail_cells = -2;
  refused(&o, HYMG_EINVAL, "tail_cells -2", "-1");
  o = hymg_options_default();
  o.memory = (hymg_memory)22;
  refused(&o, HYMG_EINVAL, "memory 22: 0 (device) to 1 (managed)", NULL);
}
END_TEST

/* A value beyond the range of each option, and what is said of it. */
static const struct {
  const char *key;
  double value;
  const char *text;
} beyond[] = {
    {"method", 3, "method 3: 0 (fmg) to 2 (mgpcg)"},
    {"cycle", 3, "cycle 3: -1 (default) to 2 (F)"},
    {"path", -1, "path -1: 0 (auto) to 2 (robust)"},
    {"transfer", 5, "transfer 5: 0 (auto) to 4 (pairs)"},
    {"precision", -2, "precision -2: -1 (auto) to 1 (mixed)"},
    {"smoother", 5, "smoother 5: 0 (gsrb) to 4 (symgs)"},
    {"sweeps", 1001, "sweeps 1001: 1 to 1000, or -1 for the default"},
    {"bottom", 6, "bottom solver 6: 0 (bicgstab) to 5 (sweeps)"},
    {"interpolation-v", 3, "interpolation 3: -1 (default), 0 (p0), 1 (p1), 2 (v2) or 4 (v4)"},
    {"interpolation-f", 5, "interpolation 5: -1 (default), 0 (p0), 1 (p1), 2 (v2) or 4 (v4)"},
    {"rtol", 0, "rtol 0: above 0 and finite"},
    {"atol", -0.5, "atol -0.5: at least 0 and finite"},
    {"norm", 2, "norm 2: 0 (max) to 1 (2)"},
    {"max-cycles", 0, "max_cycles 0: 1 to 10000, or -1 for the default"},
    {"stagnation", -2, "stagnation -2: 0 (never) to 10000, or -1 for the default"},
    {"rhs-mean", 2, "rhs_mean 2: 0 (subtract) to 1 (error)"},
    {"backend", 3, "backend 3: 0 (auto) to 2 (cuda)"},
    {"memory", 2, "memory 2: 0 (device) to 1 (managed)"},
    {"host-cells", -2, "host_cells -2: at least 0, or -1 (measured)"},
    {"tail-cells", -5e9, "tail_cells -5000000000: at least 0, or -1 (measured)"},
    {"tuning", 3, "tuning 3: 0 (measure) to 2 (auto)"},
    {"transport", HYMG_TRANSPORT_NONE, "transport 5: 0 (auto) to 4 (nccl)"},
    {"gather-cells", -2, "gather_cells -2: at least 0, or -1 (as fits)"},
    {"gather", 3, "gather 3: 0 (auto) to 2 (all)"},
    {"halo-layers", 65, "halo_layers 65: 0 to 64, or -1 (where that saves time)"},
    {"peer-seconds", 2e6, "peer_seconds 2e+06: more than 0, at most 1e6"},
};

START_TEST(every_option_has_a_range)
{
  size_t ranges = 0;
  for (int n = 0; hymgi_option_at(n); n++) {
    const hymgi_member *const e = &hymgi_option_at(n)->member;
    size_t m = 0;
    while (m < sizeof beyond / sizeof *beyond && strcmp(beyond[m].key, e->name) != 0)
      m++;
    ck_assert_msg(m < sizeof beyond / sizeof *beyond || e->kind == HYMGI_BOOL, "%s", e->name);
    if (e->kind == HYMGI_BOOL) continue;
    hymg_options o = hymg_options_default();
    ck_assert_int_eq(hymgi_member_check(kit.context, e, 0, &o), HYMG_OK);
    hymgi_member_set(e, 0, &o, beyond[m].value);
    hymg_solver *solver = NULL;
    ck_assert_int_eq(hymg_solver_create(kit.op, &o, &solver), HYMG_EINVAL);
    ck_assert_str_eq(hymg_context_error(kit.context), beyond[m].text);
    ranges++;
  }
  ck_assert_uint_eq(ranges, sizeof beyond / sizeof *beyond);
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

/* Whatever the build and the machine. */
START_TEST(symgs_is_unsupported_on_the_cuda_backend)
{
  hymg_options o = hymg_options_default();
  o.smoother = HYMG_SYMGS;
  o.backend = HYMG_BACKEND_CUDA;
  refused(&o, HYMG_EUNSUPPORTED, "symgs", "cuda");
}
END_TEST

START_TEST(symgs_puts_all_levels_on_the_host)
{
  hymg_options o = hymg_options_default();
  hymg_solver *solver = NULL;
  o.smoother = HYMG_SYMGS;
  OK(kit.context, hymg_solver_create(kit.op, &o, &solver));
  for (int l = 0; l < hymg_solver_num_levels(solver); l++) {
    hymg_level_info info;
    OK(kit.context, hymg_solver_level(solver, l, &info));
    ck_assert_int_eq(info.backend, HYMG_BACKEND_HOST);
  }
  hymg_solver_destroy(&solver);
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
             {HYMG_FACE_X, -3.5, "-3.5", "beta"},    {HYMG_FACE_Y, -1e-300, "-1e-300", "beta"},
             {HYMG_FACE_Z, INFINITY, "inf", "beta"}, {HYMG_FACE_X, NAN, "nan", "beta"},
             {HYMG_CELL, 1e305, "below", "alpha"},   {HYMG_FACE_Y, 1e307, "along y", "beta"}};
  set_entry(bad[_i].centering, bad[_i].value);
  refused(NULL, HYMG_EINVAL, bad[_i].word, bad[_i].name);
  support_assert_error(kit.context, hymg_solver_update(kit.solver), HYMG_EINVAL, bad[_i].word,
                       bad[_i].name, NULL);
  set_entry(bad[_i].centering, 1.0);
  OK(kit.context, hymg_solver_update(kit.solver));
}
END_TEST

/* Also where b beta / h^2 is 0, too small for a number. */
START_TEST(spacings_too_large_for_a_number_are_refused)
{
  static const double h[] = {1e151, 1e170, 1e300};
  hymg_grid_desc d = hymg_grid_desc_default();
  hymg_operator_desc one = hymg_operator_desc_default();
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  for (int axis = 0; axis < 3; axis++)
    d.n[axis] = 4, d.spacing[axis] = h[_i];
  OK(kit.context, hymg_grid_create(kit.context, &d, &grid));
  OK(kit.context, hymg_operator_create(grid, &one, &op));
  support_assert_error(kit.context, hymg_solver_create(op, NULL, &solver), HYMG_EINVAL,
                       "b beta / h^2 = ", "above 1e-300", NULL);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
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

/* On level 0 a field serves any solver of the grid; below, boxes and layouts may differ. */
START_TEST(coarse_fields_belong_to_their_solver_which_may_be_gone)
{
  static const int low[3] = {0, 0, 0}, count[3] = {4, 4, 4};
  static const ptrdiff_t rows[3] = {1, 4, 16};
  double values[64], max;
  const hymg_options o = support_options(hymg_options_default());
  hymg_solver *other = NULL;
  hymg_field *theirs[2] = {NULL, NULL}, *mine = NULL;
  OK(kit.context, hymg_solver_create(kit.op, &o, &other));
  OK(kit.context, hymg_field_create_on_level(other, 0, &theirs[0]));
  OK(kit.context, hymg_field_create_on_level(other, 1, &theirs[1]));
  OK(kit.context, hymg_field_create_on_level(kit.solver, 1, &mine));
  OK(kit.context, hymg_field_fill(theirs[1], 2.5));
  hymg_solver_destroy(&other);
  OK(kit.context, hymg_solver_create(kit.op, &o, &other)); /* perhaps at the same address */
  support_assert_error(kit.context, hymg_solve_on_level(other, 1, theirs[1], mine, NULL),
                       HYMG_EINVAL, "f is on a level of another solver", NULL);
  support_assert_error(kit.context, hymg_field_axpy(1.0, theirs[1], mine), HYMG_EINVAL,
                       "different solvers", NULL);
  OK(kit.context, hymg_apply(other, 0, theirs[0], theirs[0]));
  OK(kit.context, hymg_field_read(theirs[1], low, count, rows, values, HYMG_HOST));
  OK(kit.context, hymg_field_max(theirs[1], &max));
  ck_assert_double_eq(values[63], 2.5);
  ck_assert_double_eq(max, 2.5);
  hymg_solver_destroy(&other);
  hymg_field_destroy(&theirs[0]);
  hymg_field_destroy(&theirs[1]);
  hymg_field_destroy(&mine);
}
END_TEST

START_TEST(a_single_level_is_named_as_such)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){5, 4, 4}, "dd dd dd", 0.0);
  support_kit k = support_open(&c.spec, NULL, NULL);
  hymg_field *x = NULL, *none = NULL;
  OK(k.context, hymg_field_create(k.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &x));
  support_assert_error(k.context, hymg_field_create_on_level(k.solver, 1, &none), HYMG_EINVAL,
                       "level 1: the solver has a single level", NULL);
  support_assert_error(k.context, hymg_restrict(k.solver, 0, x, x), HYMG_EINVAL,
                       "level 0 is the coarsest", NULL);
  support_assert_error(kit.context, hymg_field_create_on_level(kit.solver, -1, &none), HYMG_EINVAL,
                       "level -1: the solver has levels 0 to 3", NULL);
  hymg_field_destroy(&x);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

START_TEST(face_fields_are_no_solutions)
{
  hymg_field *face = NULL, *cell = NULL;
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &face));
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cell));
  support_assert_error(kit.context, hymg_solve(kit.solver, face, cell, NULL), HYMG_EINVAL,
                       "f is a field of x faces", NULL);
  support_assert_error(kit.context, hymg_solve(kit.solver, cell, face, NULL), HYMG_EINVAL,
                       "u is a field of x faces", NULL);
  hymg_field_destroy(&face);
  hymg_field_destroy(&cell);
}
END_TEST

/* f = 3 in the lower half, 0 above: mean 1.5, max 3. */
START_TEST(an_incompatible_singular_system_is_refused_with_both_numbers)
{
  static const char *const mixes[2] = {"pp pp pp", "nn nn nn"};
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, mixes[_i], 0.0);
  hymg_options o = hymg_options_default();
  o.rhs_mean = HYMG_MEAN_ERROR;
  support_kit k = support_open(&c.spec, NULL, &o);
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
  c.spec.boundary_data[4] = ones;
  hymg_options o = hymg_options_default();
  o.rhs_mean = HYMG_MEAN_ERROR;
  support_kit k = support_open(&c.spec, NULL, &o);
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
  tcase_add_test(t, every_option_has_a_range);
  tcase_add_loop_test(t, tolerances_and_limits_have_ranges, 0, 4);
  tcase_add_test(t, the_cuda_backend_is_unsupported_here);
  tcase_add_test(t, symgs_is_unsupported_on_the_cuda_backend);
  tcase_add_test(t, symgs_puts_all_levels_on_the_host);
  tcase_add_loop_test(t, bad_coefficients_are_refused_at_create_and_at_update, 0, 8);
  tcase_add_loop_test(t, spacings_too_large_for_a_number_are_refused, 0, 3);
  tcase_add_test(t, fields_of_another_grid_are_refused);
  tcase_add_test(t, coarse_fields_belong_to_their_solver_which_may_be_gone);
  tcase_add_test(t, a_single_level_is_named_as_such);
  tcase_add_test(t, face_fields_are_no_solutions);
  tcase_add_loop_test(t, an_incompatible_singular_system_is_refused_with_both_numbers, 0, 2);
  tcase_add_test(t, incompatible_neumann_data_are_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
