/* FV4 with a variable alpha on the robust path: the mean of alpha u against the oracle, where it changes
 * nothing, iterations, the same bits for any boxes and threads, and which path AUTO takes. The order is in
 * test_fv4_order.c. */
#include "oracle/trial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* alpha between 0.04 and 1, random: its neighbours differ by factors of up to 25. */
static trial alpha_trial(const int n[3], const char *boundary, unsigned kind)
{
  trial t = trial_of(n, boundary, TRIAL_ALPHA | kind);
  t.c.spec.stencil = HYMG_FV4;
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  for (size_t m = 0; m < t.cells; m++)
    t.c.alpha[m] *= t.c.alpha[m];
  return t;
}

static double *residual_of(trial *t, const double *x)
{
  if (!t->k.context) trial_open(t);
  hymg_field *f = support_field(&t->k, 0, t->f), *u = support_field(&t->k, 0, x),
             *r = support_field(&t->k, 0, x);
  OK(t->k.context, hymg_field_fill(r, NAN));
  OK(t->k.context, hymg_residual(t->k.solver, 0, f, u, r));
  double *got = support_read(&t->k, 0, r);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  hymg_field_destroy(&r);
  return got;
}

static void shut(trial *t)
{
  support_close(&t->k);
  t->k = (support_kit){0};
}

/* ---- the operator ---- */

static const struct {
  int n[3], boxes[3];
  const char *boundary;
} shapes[] = {
    {{9, 7, 11}, {1, 1, 1}, "dd dd dd"},   {{16, 12, 8}, {1, 1, 1}, "nn nn nn"},
    {{13, 8, 10}, {1, 1, 1}, "pp pp pp"},  {{2, 3, 9}, {1, 1, 1}, "dd dd nn"},
    {{16, 16, 12}, {2, 2, 3}, "dn pp dd"}, {{15, 8, 12}, {3, 1, 2}, "pp nd nn"},
    {{24, 10, 6}, {4, 1, 1}, "nd dn pp"},  {{4, 5, 6}, {1, 1, 1}, "pp dd pp"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* f - A u with boundary data. The limits take most, some and none of the differences of alpha. */
START_TEST(the_operator_is_that_of_the_oracle)
{
  static const double limits[3] = {3, 8, INFINITY};
  for (int m = 0; m < 3; m++) {
    trial t = alpha_trial(shapes[_i].n, shapes[_i].boundary, TRIAL_DATA);
    memcpy(t.boxes, shapes[_i].boxes, sizeof t.boxes);
    double *x = support_random(t.cells, -1, 1, 9), *want = support_poison(t.cells),
           *without = support_poison(t.cells);
    t.c.spec.limiter = limits[m] == 8 ? 0 : limits[m]; /* 0: the default, 8 */
    double *got = residual_of(&t, x);
    t.c.spec.limiter = isfinite(limits[m]) ? limits[m] : 0; /* of beta: 0 is none in the oracle */
    for (int term = 0; term < 2; term++) {
      t.c.spec.alpha_limiter = term ? 0.5 * limits[m] : 0;
      oracle *o = oracle_create(&t.c.spec);
      oracle_residual(o, 0, t.f, x, term ? want : without);
      oracle_destroy(o);
    }
    support_assert_close("f - A u", t.c.name, t.cells, got, want, 1e-13);
    ck_assert_double_gt(support_difference(t.cells, want, without), 1e-3);
    free(x);
    free(got);
    free(want);
    free(without);
    trial_close(&t);
  }
}
END_TEST

/* A field that is the same everywhere is like a number, on both paths. */
START_TEST(a_constant_alpha_changes_no_bit)
{
  const char *why;
  double *r[4];
  for (int m = 0; m < 4; m++) {
    trial t = alpha_trial((const int[3]){16, 20, 12}, "dd pp dd", 0);
    for (size_t i = 0; i < t.cells; i++)
      t.c.alpha[i] = t.c.spec.alpha_constant = 0.3;
    if (m % 2) t.c.spec.alpha = NULL;
    if (m > 1) t.o.path = HYMG_PATH_STANDARD;
    double *x = support_random(t.cells, -1, 1, 4);
    for (int d = 0; d < 3; d++) /* smooth enough for the limiter and for ghosts */
      for (size_t i = 0, size = t.cells / (size_t)t.c.spec.n[d] * (size_t)(t.c.spec.n[d] + 1);
           i < size; i++)
        t.c.beta[d][i] = 1 + 0.02 * t.c.beta[d][i];
    r[m] = residual_of(&t, x);
    if (m > 0) ck_assert(support_same_bits(t.cells, r[m], r[0]));
    hymg_solver_path(t.k.solver, &why);
    ck_assert_msg(!strstr(why, "alpha"), "%s", why);
    free(x);
    trial_close(&t);
  }
  for (int m = 0; m < 4; m++)
    free(r[m]);
}
END_TEST

/* Where a cell and its six neighbours have one alpha, bits are those of the product of the means. */
START_TEST(only_cells_next_to_a_change_of_alpha_change)
{
  const int n[3] = {12, 9, 10};
  trial t = alpha_trial(n, "dd nn pp", 0);
  double *x = support_random(t.cells, -1, 1, 4), *r[2];
  for (int m = 0; m < 2; m++) {
    for (int k = 0, q = 0; k < n[2]; k++)
      for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++, q++)
          t.c.alpha[q] = m && i > 5 ? 2 : 1;
    r[m] = residual_of(&t, x);
    shut(&t);
  }
  for (size_t q = 0; q < t.cells; q++) {
    const int i = (int)(q % (size_t)n[0]);
    ck_assert_msg((r[0][q] == r[1][q]) == (i < 5), "cell %zu: %.17g, %.17g", q, r[0][q], r[1][q]);
  }
  free(x);
  free(r[0]);
  free(r[1]);
  trial_close(&t);
}
END_TEST

/* ---- solves ---- */

/* A solution of other boxes and threads has the same bits, and as an operator's residual it is what the
 * oracle says. */
START_TEST(boxes_and_threads_change_no_bit)
{
  static const char *const boundary[2] = {"dn pp nd", "nd dd nn"};
  const int n[3] = {18, 12, 15};
  double *u[2], *left = NULL;
  for (int m = 0; m < 2; m++) {
    trial t = alpha_trial(n, boundary[_i], TRIAL_DATA);
    t.threads = m ? 3 : 1;
    for (int d = 0; m && d < 3; d++)
      t.boxes[d] = 3 - (d == 1);
    u[m] = support_poison(t.cells);
    const hymg_result r = trial_solve(&t, u[m]);
    ck_assert_msg(r.converged, "%s", r.note);
    if (m == 0) {
      t.c.spec.limiter = 8, t.c.spec.alpha_limiter = 4;
      oracle *o = oracle_create(&t.c.spec);
      left = support_poison(t.cells);
      oracle_residual(o, 0, t.f, u[0], left);
      oracle_destroy(o);
      ck_assert_double_lt(support_rms(t.cells, left), 3e-10 * r.rhs_max);
    } else {
      ck_assert(support_same_bits(t.cells, u[0], u[1]));
    }
    trial_close(&t);
  }
  free(left);
  free(u[0]);
  free(u[1]);
}
END_TEST

/* Numbers of iterations to 1e-10 are at most one more than without the term, which a limit of 1 leaves
 * out. */
static const struct {
  int n[3];
  const char *boundary;
  double a; /* times alpha, in the unit cube */
  bool rough;
} solves[] = {
    {{32, 32, 32}, "dd dd dd", 1, false},   {{32, 32, 32}, "dd dd dd", 1e3, false},
    {{27, 33, 20}, "dn nd dd", 100, false}, {{33, 16, 31}, "pp pp pp", 1e4, false},
    {{24, 24, 24}, "nn nn nn", 10, true},   {{24, 24, 24}, "dd dd dd", 1e3, true},
    {{24, 24, 24}, "dd pp nd", 1e5, true},
};
enum { SOLVES = sizeof solves / sizeof *solves };

static void set_alpha(trial *t, bool rough)
{
  const int *n = t->c.spec.n;
  double *a = t->c.alpha;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, a++) {
        const double wave = sin(6.28 * i / n[0]) * cos(6.28 * j / n[1]) * cos(6.28 * k / n[2]);
        *a = rough ? *a : 1 + 0.8 * wave;
      }
}

START_TEST(it_takes_at_most_one_iteration_more)
{
  hymg_result r[2];
  const int *n = solves[_i].n;
  for (int term = 0; term < 2; term++) {
    trial t = alpha_trial(n, solves[_i].boundary, 0);
    t.c.spec.limiter = term ? 0 : 1;
    t.c.spec.a = solves[_i].a, t.c.spec.b = 1;
    for (int d = 0; d < 3; d++) {
      t.c.spec.h[d] = 1. / n[d];
      t.c.spec.beta[d] = NULL;
    }
    set_alpha(&t, solves[_i].rough);
    r[term] = trial_solve(&t, NULL);
    ck_assert_msg(r[term].converged, "%s", r[term].note);
    trial_close(&t);
  }
  ck_assert_msg(r[1].cycles <= r[0].cycles + 1, "%s a %g: %d iterations, without the term %d",
                solves[_i].boundary, solves[_i].a, r[1].cycles, r[0].cycles);
}
END_TEST

/* ---- the path ---- */

static const struct {
  hymg_method method;
  hymg_path asked, path;
  bool varies, beta;
  const char *why;
  const char * not ;
} choices[] = {
    {HYMG_MG, HYMG_PATH_AUTO, HYMG_PATH_ROBUST, true, false, "alpha varies (", "2nd order here"},
    {HYMG_MGPCG, HYMG_PATH_AUTO, HYMG_PATH_ROBUST, true, true, "alpha varies (", "2nd order here"},
    {HYMG_MG, HYMG_PATH_AUTO, HYMG_PATH_STANDARD, false, false, "it suits", "alpha"},
    {HYMG_MG, HYMG_PATH_AUTO, HYMG_PATH_STANDARD, false, true, "it suits", "alpha"},
    {HYMG_FMG, HYMG_PATH_AUTO, HYMG_PATH_STANDARD, true, false, "2nd order here", "alpha varies ("},
    {HYMG_FMG, HYMG_PATH_AUTO, HYMG_PATH_STANDARD, true, true, "2nd order here", "alpha varies ("},
    {HYMG_MG, HYMG_PATH_STANDARD, HYMG_PATH_STANDARD, true, false, "2nd order here", "it suits"},
    {HYMG_MG, HYMG_PATH_ROBUST, HYMG_PATH_ROBUST, true, true, "as asked", "2nd order here"},
};
enum { CHOICES = sizeof choices / sizeof *choices };

static trial even_trial(bool varies, bool beta)
{
  trial t = alpha_trial((const int[3]){16, 16, 16}, "dd dd dd", 0);
  for (int d = 0; d < 3; d++) {
    t.c.spec.h[d] = 1; /* else spacings decide */
    for (size_t i = 0; i < 17 * 256; i++)
      t.c.beta[d][i] = 1 + 0.1 * t.c.beta[d][i];
    if (!beta) t.c.spec.beta[d] = NULL;
  }
  for (size_t i = 0; i < t.cells; i++)
    t.c.alpha[i] = 1 + (varies && i == t.cells - 1 ? 1e-15 : 0);
  return t;
}

static hymg_solver *solver_of(trial *t, hymg_method method, hymg_path path)
{
  hymg_options o = hymg_options_default();
  hymg_solver *solver = NULL;
  o.method = method;
  o.path = path;
  o.backend = support_backend();
  OK(t->k.context, hymg_solver_create(t->k.op, &o, &solver));
  return solver;
}

/* One cell in 4096 whose alpha differs in its last bits counts. */
START_TEST(auto_takes_the_robust_path_if_alpha_varies)
{
  trial t = even_trial(choices[_i].varies, choices[_i].beta);
  const char *why;
  trial_open(&t);
  hymg_solver *solver = solver_of(&t, choices[_i].method, choices[_i].asked);
  ck_assert_int_eq(hymg_solver_path(solver, &why), choices[_i].path);
  ck_assert_msg(strstr(why, choices[_i].why) && !strstr(why, choices[_i].not ), "%s", why);
  hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, t.f);
  hymg_result r;
  OK(t.k.context, hymg_field_fill(u, 0));
  OK(t.k.context, hymg_solve(solver, f, u, &r));
  ck_assert_msg(strstr(r.note, why) != NULL, "%s", r.note);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  hymg_solver_destroy(&solver);
  trial_close(&t);
}
END_TEST

static void set_one_alpha(trial *t, double value)
{
  const int low[3] = {3, 7, 11}, one[3] = {1, 1, 1};
  const ptrdiff_t stride[3] = {1, 1, 1};
  hymg_field *alpha = t->k.coefficient[HYMG_CELL];
  OK(t->k.context, hymg_field_write(alpha, low, one, stride, &value, HYMG_HOST));
}

START_TEST(an_update_looks_at_alpha_again)
{
  trial t = even_trial(false, true);
  const char *why;
  trial_open(&t);
  hymg_solver *mg = solver_of(&t, HYMG_MG, HYMG_PATH_AUTO),
              *fmg = solver_of(&t, HYMG_FMG, HYMG_PATH_AUTO);
  for (int m = 0; m < 3; m++) {                 /* one alpha, two, one */
    if (m) set_one_alpha(&t, m == 1 ? 1.5 : 1); /* not a jump, which FMG does not take */
    if (m) OK(t.k.context, hymg_solver_update(mg));
    if (m) OK(t.k.context, hymg_solver_update(fmg));
    ck_assert_int_eq(hymg_solver_path(mg, &why), m ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD);
    ck_assert_int_eq(hymg_solver_path(fmg, &why), HYMG_PATH_STANDARD);
    ck_assert_msg((strstr(why, "2nd order") != NULL) == (m == 1), "%s", why);
  }
  /* the kit's solver is on the robust path: with two alphas it has the operator of the oracle, then that
   * of one alpha again */
  double *x = support_random(t.cells, -1, 1, 3), *want = support_poison(t.cells);
  for (int m = 0; m < 2; m++) {
    t.c.alpha[3 + 16 * (7 + 16 * 11)] = m ? 1 : 3;
    set_one_alpha(&t, m ? 1 : 3);
    OK(t.k.context, hymg_solver_update(t.k.solver));
    double *got = residual_of(&t, x);
    t.c.spec.limiter = 8, t.c.spec.alpha_limiter = 4;
    oracle *o = oracle_create(&t.c.spec);
    oracle_residual(o, 0, t.f, x, want);
    support_assert_close("f - A u", t.c.name, t.cells, got, want, 1e-13);
    oracle_destroy(o);
    free(got);
  }
  hymg_solver_destroy(&mg);
  hymg_solver_destroy(&fmg);
  free(x);
  free(want);
  trial_close(&t);
}
END_TEST

static double bytes_of(trial *t, hymg_method method, hymg_path path, unsigned variable)
{
  hymg_operator_desc desc = t->k.desc;
  hymg_options o = hymg_options_default();
  hymg_need need;
  double sum = 0;
  desc.alpha = desc.beta[0] = desc.beta[1] = desc.beta[2] = NULL;
  o.method = method, o.path = path, o.backend = support_backend();
  OK(t->k.context, hymg_solver_need(t->k.grid, &desc, variable, &o, &need));
  for (int l = 0; l < need.num_levels; l++)
    sum += need.level[l].vectors + need.level[l].coefficients + need.level[l].buffers;
  return sum;
}

START_TEST(the_memory_estimate_knows_the_path)
{
  trial t = even_trial(true, true);
  trial_open(&t);
  const double robust = bytes_of(&t, HYMG_MG, HYMG_PATH_ROBUST, HYMG_VARIABLE_ALPHA),
               standard = bytes_of(&t, HYMG_MG, HYMG_PATH_STANDARD, HYMG_VARIABLE_ALPHA);
  ck_assert_double_ne(robust, standard);
  ck_assert_double_eq(bytes_of(&t, HYMG_MG, HYMG_PATH_AUTO, HYMG_VARIABLE_ALPHA), robust);
  ck_assert_double_eq(bytes_of(&t, HYMG_MG, HYMG_PATH_AUTO, 0),
                      bytes_of(&t, HYMG_MG, HYMG_PATH_STANDARD, 0));
  ck_assert_double_eq(bytes_of(&t, HYMG_FMG, HYMG_PATH_AUTO, HYMG_VARIABLE_ALPHA),
                      bytes_of(&t, HYMG_FMG, HYMG_PATH_STANDARD, HYMG_VARIABLE_ALPHA));
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("FV4 with a variable alpha");
  TCase *t = tcase_create("operator");
  tcase_add_loop_test(t, the_operator_is_that_of_the_oracle, 0, SHAPES);
  tcase_add_test(t, a_constant_alpha_changes_no_bit);
  tcase_add_test(t, only_cells_next_to_a_change_of_alpha_change);
  suite_add_tcase(suite, t);
  t = tcase_create("solves");
  tcase_add_loop_test(t, boxes_and_threads_change_no_bit, 0, 2);
  tcase_add_loop_test(t, it_takes_at_most_one_iteration_more, support_small() ? 4 : 0, SOLVES);
  suite_add_tcase(suite, t);
  t = tcase_create("path");
  tcase_add_loop_test(t, auto_takes_the_robust_path_if_alpha_varies, 0, CHOICES);
  tcase_add_test(t, an_update_looks_at_alpha_again);
  tcase_add_test(t, the_memory_estimate_knows_the_path);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
