/* FV4 on the robust path: the operator and its limiter against the oracle, where the limiter has no
 * effect, conservation, iterations, the choice of the path and what is refused. */
#include "oracle/trial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* beta between exp(-depth) and exp(depth), smooth (a product of sines) or random. */
static trial fv4_trial(const int n[3], const char *boundary, double depth, bool smooth)
{
  trial t = trial_of(n, boundary, 0);
  t.c.spec.stencil = HYMG_FV4;
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  for (int d = 0; d < 3; d++) {
    int m[3] = {n[0], n[1], n[2]};
    m[d]++;
    double *b = t.c.beta[d];
    for (int k = 0; k < m[2]; k++)
      for (int j = 0; j < m[1]; j++)
        for (int i = 0; i < m[0]; i++, b++) {
          /* trial_of's values are random in [0.5, 2); faces n of a periodic axis are not read */
          const double wave = sin(6.28 * i / n[0]) * cos(6.28 * j / n[1]) * cos(6.28 * k / n[2]);
          *b = exp(depth * (smooth ? wave : log(*b) / log(2.0)));
        }
  }
  return t;
}

static double *applied(trial *t, double limiter, hymg_path path, const double *x)
{
  t->c.spec.limiter = limiter;
  t->o.path = path;
  trial_open(t);
  hymg_field *in = support_field(&t->k, 0, x), *out = support_field(&t->k, 0, x);
  OK(t->k.context, hymg_field_fill(out, NAN));
  OK(t->k.context, hymg_apply(t->k.solver, 0, in, out));
  double *y = support_read(&t->k, 0, out);
  hymg_field_destroy(&in);
  hymg_field_destroy(&out);
  support_close(&t->k);
  t->k = (support_kit){0};
  return y;
}

/* ---- the operator ---- */

static const struct {
  int n[3], boxes[3];
  const char *boundary;
} shapes[] = {
    {{9, 7, 11}, {1, 1, 1}, "dd dd dd"},   {{16, 12, 8}, {1, 1, 1}, "dd pp dd"},
    {{13, 8, 10}, {1, 1, 1}, "pp pp pp"},  {{2, 3, 9}, {1, 1, 1}, "dd dd dd"},
    {{16, 16, 12}, {2, 2, 3}, "dd pp dd"}, {{15, 8, 12}, {3, 1, 2}, "pp dd dd"},
    {{4, 5, 6}, {1, 1, 1}, "pp dd pp"},    {{24, 10, 6}, {4, 1, 1}, "dd dd pp"},
    {{9, 8, 7}, {1, 1, 1}, "dn pp nd"},    {{12, 8, 4}, {3, 1, 1}, "nn nd nn"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Limits of which the first takes most faces and the last one few. */
START_TEST(the_operator_is_that_of_the_oracle)
{
  static const double limits[3] = {3, 12, 40};
  trial t = fv4_trial(shapes[_i].n, shapes[_i].boundary, 2, false);
  memcpy(t.boxes, shapes[_i].boxes, sizeof t.boxes);
  double *x = support_random(t.cells, -1, 1, 9), *want = support_poison(t.cells), *before = NULL;
  for (int m = 0; m < 4; m++) {
    double *y = applied(&t, m < 3 ? limits[m] : INFINITY, HYMG_PATH_ROBUST, x);
    t.c.spec.limiter = m < 3 ? limits[m] : 0;
    oracle *o = oracle_create(&t.c.spec);
    oracle_apply(o, 0, x, want);
    support_assert_close("A x", t.c.name, t.cells, y, want, 1e-13);
    if (before && t.cells > 100) ck_assert_double_gt(support_difference(t.cells, before, y), 1e-3);
    oracle_destroy(o);
    free(before);
    before = y;
  }
  free(before);
  free(x);
  free(want);
  trial_close(&t);
}
END_TEST

/* f - A u with data and Neumann boundaries, with some faces limited and with none. */
static const struct {
  int n[3], boxes[3];
  const char *boundary;
} walls[] = {
    {{9, 7, 11}, {1, 1, 1}, "dd dd dd"},   {{8, 12, 10}, {1, 1, 1}, "nn nn nn"},
    {{13, 8, 10}, {1, 1, 1}, "dn pp nd"},  {{10, 9, 4}, {1, 1, 1}, "nd dn pp"},
    {{16, 16, 12}, {2, 2, 3}, "dn nn dd"}, {{15, 8, 12}, {3, 1, 2}, "pp nd nn"},
    {{2, 3, 9}, {1, 1, 1}, "dd dd nn"},
};
enum { WALLS = sizeof walls / sizeof *walls };

START_TEST(boundaries_and_their_data_are_those_of_the_oracle)
{
  for (int limited = 0; limited < 2; limited++) {
    trial t = fv4_trial(walls[_i].n, walls[_i].boundary, 2, false);
    support_case_add_boundaries(&t.c);
    memcpy(t.boxes, walls[_i].boxes, sizeof t.boxes);
    t.c.spec.limiter = limited ? 12 : INFINITY;
    trial_open(&t);
    double *x = support_random(t.cells, -1, 1, 9), *want = support_poison(t.cells);
    hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, x),
               *r = support_field(&t.k, 0, x);
    OK(t.k.context, hymg_field_fill(r, NAN));
    OK(t.k.context, hymg_residual(t.k.solver, 0, f, u, r));
    double *got = support_read(&t.k, 0, r);
    t.c.spec.limiter = limited ? 12 : 0;
    oracle *o = oracle_create(&t.c.spec);
    oracle_residual(o, 0, t.f, x, want);
    support_assert_close("f - A u", t.c.name, t.cells, got, want, 1e-13);
    oracle_destroy(o);
    hymg_field_destroy(&f);
    hymg_field_destroy(&u);
    hymg_field_destroy(&r);
    free(x);
    free(got);
    free(want);
    trial_close(&t);
  }
}
END_TEST

/* The same bits with and without the limiter, and on both paths. */
START_TEST(smooth_coefficients_do_not_meet_the_limiter)
{
  trial t = fv4_trial((const int[3]){16, 20, 12}, "dd pp dd", 0.2, true);
  double *x = support_random(t.cells, -1, 1, 4);
  double *y[3] = {applied(&t, INFINITY, HYMG_PATH_ROBUST, x), applied(&t, 0, HYMG_PATH_ROBUST, x),
                  applied(&t, 0, HYMG_PATH_STANDARD, x)};
  ck_assert(support_same_bits(t.cells, y[0], y[1]));
  ck_assert(support_same_bits(t.cells, y[0], y[2]));
  for (int m = 0; m < 3; m++)
    free(y[m]);
  free(x);
  trial_close(&t);
}
END_TEST

/* A cell all of whose faces are far from a jump has the bits that it has without the limiter. */
START_TEST(cells_far_from_a_jump_keep_their_bits)
{
  const int n[3] = {24, 12, 10};
  trial t = fv4_trial(n, "pp dd dd", 0.2, true);
  for (int d = 0; d < 3; d++)
    for (int m = 0, wide = n[0] + (d == 0); m < wide * (n[1] + (d == 1)) * (n[2] + (d == 2)); m++)
      if (m % wide > 10 && m % wide < 14) t.c.beta[d][m] *= 1000;
  double *x = support_random(t.cells, -1, 1, 4);
  double *with = applied(&t, 0, HYMG_PATH_ROBUST, x);
  double *without = applied(&t, INFINITY, HYMG_PATH_ROBUST, x);
  int same = 0, near = 0;
  for (size_t m = 0; m < t.cells; m++) {
    const int i = (int)(m % (size_t)n[0]);
    if (i < 8 || i > 16)
      same += with[m] == without[m];
    else
      near += with[m] != without[m];
  }
  ck_assert_int_eq(same, (n[0] - 9) * n[1] * n[2]);
  ck_assert_int_gt(near, 4 * n[1] * n[2]);
  free(x);
  free(with);
  free(without);
  trial_close(&t);
}
END_TEST

/* A face has one flux. */
START_TEST(nothing_is_lost_where_the_limiter_holds)
{
  trial t = fv4_trial((const int[3]){14, 9, 12}, _i ? "nn pp nn" : "pp pp pp", 3, false);
  double *x = support_random(t.cells, -1, 1, 5), sum = 0, size = 0;
  double *y = applied(&t, 12, HYMG_PATH_ROBUST, x);
  for (size_t m = 0; m < t.cells; m++)
    sum += y[m], size += fabs(y[m]);
  ck_assert_double_le(fabs(sum), 1e-14 * size);
  free(x);
  free(y);
  trial_close(&t);
}
END_TEST

/* Level 1 is the preconditioner's, with FV2: without boundaries that of a solver of FV2. */
START_TEST(coarser_levels_are_those_of_fv2)
{
  double *y[2], *x = NULL;
  size_t cells = 0;
  for (int m = 0; m < 2; m++) {
    trial t = fv4_trial((const int[3]){12, 14, 10}, "pp pp pp", 0.5, true);
    if (m == 1) t.c.spec.stencil = HYMG_FV2;
    trial_open(&t);
    int n[3];
    support_cells(&t.k, 1, n, &cells);
    if (!x) x = support_random(cells, -1, 1, 6);
    hymg_field *in = support_field(&t.k, 1, x), *out = support_field(&t.k, 1, x);
    OK(t.k.context, hymg_apply(t.k.solver, 1, in, out));
    y[m] = support_read(&t.k, 1, out);
    hymg_field_destroy(&in);
    hymg_field_destroy(&out);
    trial_close(&t);
  }
  support_assert_close("A x on level 1", "", cells, y[0], y[1], 1e-13);
  free(x);
  free(y[0]);
  free(y[1]);
}
END_TEST

/* ---- solves ---- */

static void set_ball(trial *t, double ratio)
{
  const int *n = t->c.spec.n;
  double *beta = support_poison(t->cells), *b = beta;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        const double x = (i + 0.5) / n[0] - 0.5, y = (j + 0.5) / n[1] - 0.5,
                     z = (k + 0.5) / n[2] - 0.5;
        *b++ = x * x + y * y + z * z < 0.27 * 0.27 ? ratio : 1;
      }
  trial_set_beta(t, beta);
  free(beta);
}

/* Numbers of iterations to 1e-10 as in docs/numerics.md, plus 1. */
static const struct {
  int n[3];
  const char *boundary;
  double ratio; /* 1: smooth */
  int most;
} solves[] = {
    {{32, 32, 32}, "dd dd dd", 1, 11},    {{27, 33, 20}, "dd dd dd", 1, 12},
    {{33, 16, 31}, "pp pp pp", 1, 8},     {{32, 32, 32}, "dd dd dd", 10, 11},
    {{32, 32, 32}, "dd dd dd", 100, 14},  {{32, 32, 32}, "dd dd dd", 1e3, 14},
    {{32, 32, 32}, "dd dd dd", 1e-3, 12}, {{21, 26, 17}, "dd pp dd", 1e3, 14},
    {{16, 16, 64}, "dd dd dd", 1, 11}, /* in a cube: spacings 1:1:1/4 */
};
enum { SOLVES = sizeof solves / sizeof *solves };

START_TEST(it_takes_no_more_iterations_than_the_documentation_says)
{
  const int *n = solves[_i].n;
  trial t = trial_plain(n, solves[_i].boundary, (const double[3]){1. / n[0], 1. / n[1], 1. / n[2]});
  t.c.spec.stencil = HYMG_FV4;
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  if (solves[_i].ratio != 1) set_ball(&t, solves[_i].ratio);
  double *noise = support_random(t.cells, -0.5, 0.5, 3), *u = support_poison(t.cells);
  for (size_t m = 0; m < t.cells; m++)
    t.f[m] += noise[m];
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && r.cycles <= solves[_i].most, "%s: %d iterations, %s", t.c.name,
                r.cycles, r.note);
  ck_assert_int_eq(r.path, HYMG_PATH_ROBUST);
  ck_assert_int_eq(r.history[0].kind, HYMG_KIND_BICGSTAB);
  t.c.spec.limiter = 8;
  oracle *o = oracle_create(&t.c.spec);
  oracle_residual(o, 0, t.f, u, noise);
  double left = 0, all = 0;
  const double mean = o->singular ? r.mean_removed : 0;
  for (size_t m = 0; m < t.cells; m++)
    left += (noise[m] - mean) * (noise[m] - mean), all += t.f[m] * t.f[m];
  ck_assert_double_le(sqrt(left / all), 2e-10);
  oracle_destroy(o);
  free(noise);
  free(u);
  trial_close(&t);
}
END_TEST

START_TEST(without_the_limiter_a_failure_says_what_to_do)
{
  trial t = trial_plain((const int[3]){32, 32, 32}, "dd dd dd",
                        (const double[3]){1. / 32, 1. / 32, 1. / 32});
  t.c.spec.stencil = HYMG_FV4;
  t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  t.c.spec.limiter = INFINITY;
  set_ball(&t, 1e3);
  const hymg_result r = trial_solve(&t, NULL);
  ck_assert(!r.converged);
  ck_assert_msg(strstr(r.note, "limiter") != NULL, "%s", r.note);
  trial_close(&t);
}
END_TEST

/* New coefficients: what the limiter took before, it does not take then. */
START_TEST(an_update_sets_the_limiter_anew)
{
  trial t = fv4_trial((const int[3]){12, 10, 9}, "dd pp dd", 2, false);
  double *x = support_random(t.cells, -1, 1, 9), *want = support_poison(t.cells);
  trial_open(&t);
  for (int d = 0; d < 3; d++) { /* smooth from now on */
    hymg_field *beta = t.k.coefficient[HYMG_FACE_X + d];
    OK(t.k.context, hymg_field_fill(beta, 1 + 0.1 * d));
    const size_t faces = t.cells / (size_t)t.c.spec.n[d] * (size_t)(t.c.spec.n[d] + 1);
    for (size_t m = 0; m < faces; m++)
      t.c.beta[d][m] = 1 + 0.1 * d;
  }
  OK(t.k.context, hymg_solver_update(t.k.solver));
  hymg_field *in = support_field(&t.k, 0, x), *out = support_field(&t.k, 0, x);
  OK(t.k.context, hymg_apply(t.k.solver, 0, in, out));
  double *y = support_read(&t.k, 0, out);
  oracle *o = oracle_create(&t.c.spec);
  oracle_apply(o, 0, x, want);
  support_assert_close("A x", t.c.name, t.cells, y, want, 1e-13);
  const char *why;
  ck_assert_int_eq(hymg_solver_path(t.k.solver, &why), HYMG_PATH_ROBUST);
  ck_assert_ptr_null(strstr(why, "flux of FV2"));
  oracle_destroy(o);
  hymg_field_destroy(&in);
  hymg_field_destroy(&out);
  free(x);
  free(y);
  free(want);
  trial_close(&t);
}
END_TEST

/* ---- the path, and what is refused ---- */

static const struct {
  int n[3];
  double depth, limiter;
  hymg_path path;
  const char *why;
} choices[] = {
    {{16, 16, 16}, 0.2, 0, HYMG_PATH_STANDARD, "it suits"},
    {{33, 16, 17}, 0.2, 0, HYMG_PATH_ROBUST, "halving"},
    {{16, 16, 16}, 2, 0, HYMG_PATH_ROBUST, "differs by a factor"},
    {{16, 16, 16}, 0.2, 8, HYMG_PATH_ROBUST, "limiter"},
    {{16, 16, 16}, 2, INFINITY, HYMG_PATH_ROBUST, "differs by a factor"},
};
enum { CHOICES = sizeof choices / sizeof *choices };

START_TEST(auto_chooses_the_path)
{
  trial t = fv4_trial(choices[_i].n, "dd dd dd", choices[_i].depth, choices[_i].depth < 1);
  const char *why;
  for (int d = 0; d < 3; d++)
    t.c.spec.h[d] = 1; /* else spacings decide */
  t.c.spec.limiter = choices[_i].limiter;
  trial_open(&t);
  hymg_options o = hymg_options_default();
  hymg_solver *solver = NULL;
  o.method = HYMG_MG;
  o.backend = support_backend();
  OK(t.k.context, hymg_solver_create(t.k.op, &o, &solver));
  ck_assert_int_eq(hymg_solver_path(solver, &why), choices[_i].path);
  ck_assert_msg(strstr(why, choices[_i].why) != NULL, "%s", why);
  const bool limits = choices[_i].depth > 1 && isfinite(choices[_i].limiter);
  ck_assert_msg((strstr(why, "flux of FV2") != NULL) == limits, "%s", why);
  hymg_solver_destroy(&solver);
  trial_close(&t);
}
END_TEST

static void refuse(hymg_context *c, const hymg_grid_desc *grid, const hymg_operator_desc *desc,
                   const hymg_options *options, hymg_status want, const char *text)
{
  hymg_grid *g = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  OK(c, hymg_grid_create(c, grid, &g));
  hymg_status status = hymg_operator_create(g, desc, &op);
  if (status == HYMG_OK) status = hymg_solver_create(op, options, &solver);
  support_assert_error(c, status, want, text, NULL);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&g);
}

START_TEST(what_cannot_be_is_refused_with_the_reason)
{
  hymg_context_options co = hymg_context_options_default();
  hymg_context *c = NULL;
  ck_assert_int_eq(hymg_context_create(&co, &c), HYMG_OK);
  const double widths[6] = {1, 1, 2, 2, 1, 1};
  hymg_grid_desc even = hymg_grid_desc_default(), wide, thin;
  for (int d = 0; d < 3; d++)
    even.n[d] = 6;
  hymg_operator_desc fv4 = hymg_operator_desc_default(), other = fv4;
  fv4.stencil = HYMG_FV4;
  hymg_options mg = hymg_options_default(), fmg = mg;
  mg.method = HYMG_MG;
  mg.backend = fmg.backend = HYMG_BACKEND_HOST;
  wide = thin = even;
  wide.widths[1] = widths;
  refuse(c, &wide, &fv4, &mg, HYMG_EUNSUPPORTED, "widths");
  other.limiter = 8;
  refuse(c, &even, &other, &mg, HYMG_EUNSUPPORTED, "limiter 8 with FV2");
  other = fv4, other.limiter = 0.5;
  refuse(c, &even, &other, &mg, HYMG_EINVAL, "limiter 0.5: at least 1");
  other.limiter = NAN;
  refuse(c, &even, &other, &mg, HYMG_EINVAL, "limiter");
  other.limiter = 8;
  mg.path = HYMG_PATH_STANDARD;
  refuse(c, &even, &other, &mg, HYMG_EUNSUPPORTED, "limiter 8 on path standard");
  refuse(c, &even, &other, &fmg, HYMG_EUNSUPPORTED, "method fmg does not suit");
  mg.path = HYMG_PATH_ROBUST;
  thin.n[0] = 9;
  thin.boxes[0] = 3, thin.boxes[1] = thin.boxes[2] = 1;
  refuse(c, &thin, &fv4, &mg, HYMG_EUNSUPPORTED, "a box of 2 cells along x");
  hymg_context_destroy(&c);
}
END_TEST

/* ---- boxes ---- */

/* A x, f - A x, a cycle for f and a solve, of one process with these boxes and threads. */
enum { ANSWERS = 4 };
static void answer(trial *t, const int boxes[3], int threads, const double *x, double *y[ANSWERS])
{
  hymg_result r;
  memcpy(t->boxes, boxes, sizeof t->boxes);
  t->threads = threads;
  trial_open(t);
  hymg_field *f = support_field(&t->k, 0, t->f), *u = support_field(&t->k, 0, x),
             *out = support_field(&t->k, 0, x);
  for (int m = 0; m < ANSWERS; m++) {
    OK(t->k.context, hymg_field_fill(out, NAN));
    OK(t->k.context, m == 0   ? hymg_apply(t->k.solver, 0, u, out)
                     : m == 1 ? hymg_residual(t->k.solver, 0, f, u, out)
                     : m == 2 ? hymg_solver_cycle(t->k.solver, HYMG_CYCLE_V, false, f, out)
                              : hymg_solve(t->k.solver, f, out, &r));
    y[m] = support_read(&t->k, 0, out);
  }
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&out);
  support_close(&t->k);
}

static const struct {
  int n[3];
  const char *boundary;
  int boxes[3];
} cuts[] = {{{8, 7, 10}, "dd dd dd", {2, 1, 2}},
            {{9, 10, 5}, "nn nn dn", {1, 2, 1}},
            {{12, 15, 8}, "pp pp pp", {3, 3, 2}},
            {{10, 5, 20}, "dn pp nd", {2, 1, 5}}};
enum { CUTS = sizeof cuts / sizeof *cuts };

START_TEST(boxes_and_threads_of_one_process_do_not_change_a_bit)
{
  static const char *const name[ANSWERS] = {"A x", "f - A x", "a cycle", "u"};
  static const int one[3] = {1, 1, 1};
  trial t = fv4_trial(cuts[_i].n, cuts[_i].boundary, 1, false);
  double *x = support_random(t.cells, -1, 1, 4), *want[ANSWERS], *got[ANSWERS];
  t.c.spec.limiter = 8;
  t.o.path = HYMG_PATH_ROBUST;
  answer(&t, one, 1, x, want);
  answer(&t, cuts[_i].boxes, 2, x, got);
  for (int m = 0; m < ANSWERS; m++) {
    ck_assert_msg(support_same_bits(t.cells, want[m], got[m]), "%s: %s differs by %.3g of %.3g",
                  t.c.name, name[m], support_difference(t.cells, want[m], got[m]),
                  support_max(t.cells, want[m]));
    free(want[m]), free(got[m]);
  }
  free(x);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("FV4 on the robust path");
  TCase *t = tcase_create("operator");
  tcase_add_loop_test(t, the_operator_is_that_of_the_oracle, 0, SHAPES);
  tcase_add_test(t, smooth_coefficients_do_not_meet_the_limiter);
  tcase_add_test(t, cells_far_from_a_jump_keep_their_bits);
  tcase_add_loop_test(t, boundaries_and_their_data_are_those_of_the_oracle, 0, WALLS);
  tcase_add_loop_test(t, nothing_is_lost_where_the_limiter_holds, 0, 2);
  tcase_add_test(t, coarser_levels_are_those_of_fv2);
  tcase_add_loop_test(t, boxes_and_threads_of_one_process_do_not_change_a_bit, 0,
                      support_small() ? 1 : CUTS);
  suite_add_tcase(suite, t);
  t = tcase_create("solves");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, it_takes_no_more_iterations_than_the_documentation_says, 0,
                      support_small() ? 3 : SOLVES);
  tcase_add_test(t, without_the_limiter_a_failure_says_what_to_do);
  tcase_add_test(t, an_update_sets_the_limiter_anew);
  suite_add_tcase(suite, t);
  t = tcase_create("choices");
  tcase_add_loop_test(t, auto_chooses_the_path, 0, CHOICES);
  tcase_add_test(t, what_cannot_be_is_refused_with_the_reason);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
