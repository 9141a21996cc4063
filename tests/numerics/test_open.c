/* Open boundaries: their values against those of plain loops, through Dirichlet data; the free-space potentials of charges,
 * with errors that fall with the distance as the first moment that is left out does; the same bits in any boxes and threads;
 * updates; and what is refused. */
#include "support/space.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct setting {
  int n[3];
  hymg_path path;
  hymg_extrapolation extrapolation;
  hymg_method method;
  bool widths;
  int one_sign; /* of f; 0: both */
} setting;

static const setting settings[] = {
    {{8, 12, 16}, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_DEFAULT, HYMG_MG, false, 0},
    {{8, 12, 16}, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR, HYMG_MGPCG, false, 1},
    {{9, 7, 13}, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_QUADRATIC, HYMG_MG, false, 0},
    {{9, 7, 13}, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_QUADRATIC, HYMG_MG, false, 1},
    {{2, 5, 3}, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, HYMG_MG, false, 0},
    {{7, 10, 6}, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, HYMG_MG, true, 0},
    {{2, 2, 2}, HYMG_PATH_AUTO, HYMG_EXTRAPOLATION_DEFAULT, HYMG_MG, false, 0},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static size_t cells_of(const int n[3])
{
  return (size_t)n[0] * (size_t)(n[1] * n[2]);
}

/* Their mean is h. */
static double *widths(int n, double h, unsigned seed)
{
  double *w = support_random((size_t)n, 0.5, 2, seed), sum = 0;
  for (int m = 0; m < n; m++)
    sum += w[m];
  for (int m = 0; m < n; m++)
    w[m] *= n * h / sum;
  return w;
}

static double *residual_of_zero(const support_case *c, const support_layout *layout,
                                const hymg_options *o, const double *f)
{
  const size_t cells = cells_of(c->spec.n);
  double *zeros = calloc(cells, sizeof *zeros);
  support_kit k = support_open(&c->spec, layout, o);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, zeros);
  hymg_field *r = support_field(&k, 0, zeros);
  OK(k.context, hymg_residual(k.solver, 0, rhs, u, r));
  double *got = support_read(&k, 0, r);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  hymg_field_destroy(&r);
  support_close(&k);
  free(zeros);
  return got;
}

START_TEST(values_are_those_of_the_moments)
{
  const setting *s = settings + _i;
  const size_t cells = cells_of(s->n);
  double *f = support_random(cells, s->one_sign ? 0 : -1, 1, 7u + (unsigned)_i), *w[3] = {NULL};
  support_case c = support_space_case(s->n);
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  for (int axis = 0; axis < 3 && s->widths; axis++)
    layout.widths[axis] = w[axis] = widths(s->n[axis], c.spec.h[axis], 60u + (unsigned)axis);
  c.spec.extrapolation = s->extrapolation;
  support_case given = support_space_given(&c.spec, layout.widths, f);
  hymg_options o = hymg_options_default();
  o.method = s->method, o.path = s->path, o.rtol = 1e-13;
  double *got = residual_of_zero(&c, &layout, &o, f),
         *want = residual_of_zero(&given, &layout, &o, f);
  support_assert_close("residual of 0", c.name, cells, got, want, 1e-13);
  double *u = support_space_solve(&c, &layout, &o, f, NULL),
         *known = support_space_solve(&given, &layout, &o, f, NULL);
  support_assert_close("u", c.name, cells, u, known, 1e-11);
  for (int axis = 0; axis < 3; axis++)
    free(w[axis]);
  free(f), free(got), free(want), free(u), free(known);
  support_case_free(&given);
  support_case_free(&c);
}
END_TEST

/* ---- charges ---- */

typedef struct charge {
  int at[3]; /* cells from the middle */
  double size;
} charge;

/* The largest error of the values on the boundary of a box of n^3 cells of width 1, each a charge's potential. */
static double boundary_error(int n, int count, const charge *charges)
{
  const int shape[3] = {n, n, n};
  const size_t cells = cells_of(shape);
  double *f = calloc(cells, sizeof *f), worst = 0;
  support_case c = support_space_case(shape);
  c.spec.h[0] = c.spec.h[1] = c.spec.h[2] = 1;
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  const double strength = c.spec.b * c.spec.beta_constant;
  for (int m = 0; m < count; m++) {
    const int *at = charges[m].at;
    f[((n / 2 + at[2]) * n + n / 2 + at[1]) * n + n / 2 + at[0]] = charges[m].size;
  }
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  double *r = residual_of_zero(&c, &(support_layout){.threads = 1}, &o, f);
  for (int j = 1; j < n - 1; j++)
    for (int i = 1; i < n - 1;
         i++) { /* the face x-: what a value adds to f is 2 b beta / h^2 times it */
      const size_t cell = (size_t)((j * n + i) * n);
      double exact = 0;
      for (int m = 0; m < count; m++) {
        const int *at = charges[m].at;
        const double x = -n / 2 - at[0] - 0.5, y = i - n / 2 - at[1], z = j - n / 2 - at[2];
        exact += charges[m].size / (4 * acos(-1.) * strength * sqrt(x * x + y * y + z * z));
      }
      worst = fmax(worst, fabs((r[cell] - f[cell]) / (2 * strength) - exact));
    }
  free(f), free(r);
  support_case_free(&c);
  return worst;
}

/* The octupole is the first moment that is left out. */
START_TEST(errors_fall_with_the_fourth_power_of_the_distance)
{
  static const charge two[] = {{{-2, 1, 0}, 1}, {{3, -1, 2}, 2}};       /* of one sign */
  static const charge dipole[] = {{{-2, 1, 0}, -1}, {{3, -1, 2}, 1}};   /* without a total */
  static const charge rest[] = {{{-2, 1, 0}, -1}, {{3, -1, 2}, 1.125}}; /* nearly without */
  const charge *const all[] = {two, dipole, rest};
  const int n[4] = {16, 32, 64, 128};
  double error[4];
  for (int m = 0; m < 4 - support_small(); m++)
    error[m] = boundary_error(n[m], 2, all[_i]);
  for (int m = 1; m < 3 - support_small(); m++)
    ck_assert_msg(error[m] > 11 * error[m + 1] && error[m] < 21 * error[m + 1],
                  "charges %d, %d cells: %.3g, then %.3g", _i, n[m], error[m], error[m + 1]);
}
END_TEST

/* A normal distribution off the middle has no moment but its charge about its centre. */
static double gaussian_error(int n, hymg_method method)
{
  const int shape[3] = {n, n, n};
  const double h = 2.0 / n, wide = 0.15, centre[3] = {0.1, -0.05, 0.2};
  const size_t cells = cells_of(shape);
  double *f = support_poison(cells), *exact = support_poison(cells);
  support_case c = support_space_case(shape);
  c.spec.h[0] = c.spec.h[1] = c.spec.h[2] = h;
  for (size_t m = 0; m < cells; m++) {
    const int at[3] = {(int)m % n, (int)m / n % n, (int)m / n / n};
    double rr = 0;
    for (int a = 0; a < 3; a++)
      rr += pow((at[a] + 0.5) * h - 1 - centre[a], 2);
    f[m] = exp(-rr / (2 * wide * wide)) / pow(sqrt(2 * acos(-1.)) * wide, 3);
    exact[m] =
        erf(sqrt(rr / 2) / wide) / (4 * acos(-1.) * c.spec.b * c.spec.beta_constant * sqrt(rr));
  }
  hymg_options o = hymg_options_default();
  o.method = method;
  double *u = support_space_solve(&c, &(support_layout){.threads = 2}, &o, f, NULL);
  const double error = support_difference(cells, u, exact) / support_max(cells, exact);
  free(f), free(exact), free(u);
  support_case_free(&c);
  return error;
}

START_TEST(the_potential_of_free_space_is_met_to_second_order)
{
  const hymg_method method = _i ? HYMG_FMG : HYMG_MG;
  const double coarse = gaussian_error(16, method), fine = gaussian_error(32, method);
  ck_assert_msg(coarse < 0.04 && coarse / fine > 3.2 && coarse / fine < 4.8,
                "method %d: errors %.3g, %.3g", (int)method, coarse, fine);
}
END_TEST

/* ---- the same bits ---- */

START_TEST(boxes_and_threads_do_not_matter)
{
  const int n[3] = {16, 8, 24};
  const bool robust = _i;
  double *f = support_random(cells_of(n), -1, 1, 3);
  support_case c = support_space_case(n);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = robust ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  const support_layout layouts[] = {{.threads = 1, .boxes = {1, 1, 1}},
                                    {.threads = 3, .boxes = {1, 1, 1}},
                                    {.threads = 2, .boxes = {2, 2, 4}},
                                    {.threads = 4, .boxes = {4, 1, 2}}};
  double *want = support_space_solve(&c, layouts, &o, f, NULL);
  for (int m = 1; m < 4; m++) {
    double *got = support_space_solve(&c, layouts + m, &o, f, NULL);
    ck_assert_msg(support_same_bits(cells_of(n), got, want), "layout %d", m);
    free(got);
  }
  free(f), free(want);
  support_case_free(&c);
}
END_TEST

static double *solved(support_kit *k, const double *f)
{
  hymg_field *rhs = support_field(k, 0, f), *u = support_field(k, 0, f);
  hymg_result result;
  OK(k->context, hymg_solve(k->solver, rhs, u, &result));
  double *got = support_read(k, 0, u);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  return got;
}

/* Solves know nothing of those before, and updates are as new solvers. */
START_TEST(each_solve_has_values_of_its_own)
{
  const int n[3] = {8, 8, 8};
  const size_t cells = cells_of(n);
  double *f = support_random(cells, -1, 1, 3), *other = support_random(cells, 0, 5, 4);
  support_case c = support_space_case(n);
  hymg_options o = hymg_options_default();
  o.method = _i % 2 ? HYMG_FMG : HYMG_MG;
  if (_i / 2) o.path = HYMG_PATH_ROBUST, o.method = HYMG_MG;
  support_kit k = support_open(&c.spec, NULL, &o);
  double *first = solved(&k, f), *between = solved(&k, other), *again = solved(&k, f);
  ck_assert(support_same_bits(cells, again, first));
  ck_assert(support_difference(cells, between, first) > 0.1 * support_max(cells, first));
  hymg_operator_desc d = k.desc;
  d.b *= 2, d.beta_constant *= 3;
  OK(k.context, hymg_operator_set(k.op, &d));
  OK(k.context, hymg_solver_update(k.solver));
  double *updated = solved(&k, f);
  c.spec.b = d.b, c.spec.beta_constant = d.beta_constant;
  double *fresh = support_space_solve(&c, NULL, &o, f, NULL);
  ck_assert(support_same_bits(cells, updated, fresh));
  support_close(&k);
  free(f), free(other), free(first), free(between), free(again), free(updated), free(fresh);
  support_case_free(&c);
}
END_TEST

START_TEST(nothing_and_no_number_end_a_solve_as_usual)
{
  const int n[3] = {8, 8, 8};
  double *f = calloc(cells_of(n), sizeof *f);
  support_case c = support_space_case(n);
  hymg_options o = hymg_options_default();
  hymg_result result;
  o.method = HYMG_MG, o.cycle = HYMG_CYCLE_V;
  double *u = support_space_solve(&c, NULL, &o, f, &result);
  ck_assert(result.cycles == 0 && result.converged && support_max(cells_of(n), u) == 0);
  free(u);
  f[77] = NAN;
  u = support_space_solve(&c, NULL, &o, f, &result);
  ck_assert(result.reason == HYMG_REASON_NOT_FINITE && !result.converged);
  free(f), free(u);
  support_case_free(&c);
}
END_TEST

/* ---- what is refused ---- */

static hymg_grid_desc open_grid(int n)
{
  hymg_grid_desc d = hymg_grid_desc_default();
  for (int face = 0; face < 6; face++)
    d.boundary[face] = HYMG_OPEN, d.n[face / 2] = n;
  return d;
}

START_TEST(grids_with_some_open_faces_or_one_layer_are_refused)
{
  hymg_context *context;
  hymg_grid *grid = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  hymg_grid_desc d = open_grid(8);
  d.boundary[3] = HYMG_NEUMANN;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EUNSUPPORTED,
                       "face z+ is open and face y+ is Neumann: all six faces or none", NULL);
  d = open_grid(8);
  d.coordinate[0] = HYMG_RADIUS, d.coordinate[1] = HYMG_AZIMUTH, d.origin[0] = 1;
  d.spacing[1] = 0.1;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EUNSUPPORTED,
                       "open boundaries on a curved grid: on straight axes only", NULL);
  d = open_grid(8);
  d.boundary[4] = d.boundary[5] = HYMG_PERIODIC;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EUNSUPPORTED,
                       "face y+ is open and face z+ is periodic", NULL);
  d = open_grid(8);
  d.n[1] = 1, d.boundary[2] = d.boundary[3] = HYMG_NEUMANN;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EUNSUPPORTED,
                       "1 cell along y with open boundaries", "planes", NULL);
  ck_assert_ptr_null(grid);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(operators_other_than_that_of_free_space_are_refused)
{
  hymg_context *context;
  hymg_grid *grid = NULL;
  hymg_field *cells = NULL, *faces[3], *wall = NULL;
  hymg_operator *op = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  const hymg_grid_desc g = open_grid(8);
  OK(context, hymg_grid_create(context, &g, &grid));
  OK(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cells));
  OK(context, hymg_field_create(grid, NULL, HYMG_BOUNDARY_Y_LOW, HYMG_DOUBLE, &wall));
  for (int axis = 0; axis < 3; axis++)
    OK(context, hymg_field_create(grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                                  faces + axis));
  const struct {
    int what;
    hymg_status status;
    const char *words;
  } bad[] = {{0, HYMG_EUNSUPPORTED, "a = 2 and alpha with open boundaries"},
             {1, HYMG_EUNSUPPORTED, "a = 2 and alpha with open boundaries"},
             {2, HYMG_EUNSUPPORTED, "fields of beta with open boundaries: a number only"},
             {3, HYMG_EUNSUPPORTED, "fixed cells with open boundaries"},
             {4, HYMG_EINVAL, "boundary data on face y-, which is open"},
             {5, HYMG_EINVAL, "boundary data on face z+, which is open"},
             {6, HYMG_EUNSUPPORTED, "extrapolation vertex with open boundaries"},
             {7, HYMG_EUNSUPPORTED, "open on face x- with FV4: with FV2 only"},
             {8, HYMG_EINVAL, "beta 0 with open boundaries"}};
  for (int m = 0; m < 9; m++) {
    hymg_operator_desc d = hymg_operator_desc_default();
    const int what = bad[m].what;
    if (what < 2) d.a = 2;
    if (what == 1) d.alpha = cells;
    for (int axis = 0; axis < 3 && what == 2; axis++)
      d.beta[axis] = faces[axis];
    if (what == 3) d.fixed = cells;
    if (what == 4) d.boundary_data[2] = wall;
    if (what == 5) d.boundary_constant[5] = 1e-3;
    if (what == 6) d.extrapolation = HYMG_EXTRAPOLATION_VERTEX;
    if (what == 7) d.stencil = HYMG_FV4;
    if (what == 8) d.beta_constant = 0;
    support_assert_error(context, hymg_operator_create(grid, &d, &op), bad[m].status, bad[m].words,
                         NULL);
    ck_assert_ptr_null(op);
  }
  hymg_operator_desc d = hymg_operator_desc_default();
  d.a = 2, d.alpha_constant = 0; /* no such term either */
  OK(context, hymg_operator_create(grid, &d, &op));
  hymg_operator_destroy(&op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(faces + axis);
  hymg_field_destroy(&cells);
  hymg_field_destroy(&wall);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(a_single_f_cycle_is_refused)
{
  const int n[3] = {8, 8, 8};
  double *f = support_random(cells_of(n), -1, 1, 3);
  support_case c = support_space_case(n);
  support_kit k = support_open(&c.spec, NULL, NULL);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  support_assert_error(k.context, hymg_solver_cycle(k.solver, HYMG_CYCLE_F, false, rhs, u),
                       HYMG_EUNSUPPORTED, "an F-cycle of a solver with boundary data", NULL);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  support_close(&k);
  free(f);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("open boundaries");
  TCase *t = tcase_create("open boundaries");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, values_are_those_of_the_moments, 0, SETTINGS);
  tcase_add_loop_test(t, errors_fall_with_the_fourth_power_of_the_distance, 0, 3);
  tcase_add_loop_test(t, the_potential_of_free_space_is_met_to_second_order, 0, 2);
  tcase_add_loop_test(t, boxes_and_threads_do_not_matter, 0, 2);
  tcase_add_loop_test(t, each_solve_has_values_of_its_own, 0, 3);
  tcase_add_test(t, nothing_and_no_number_end_a_solve_as_usual);
  tcase_add_test(t, grids_with_some_open_faces_or_one_layer_are_refused);
  tcase_add_test(t, operators_other_than_that_of_free_space_are_refused);
  tcase_add_test(t, a_single_f_cycle_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
