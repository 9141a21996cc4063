/* Open boundaries: their values against those of plain loops, through Dirichlet data; the free-space potentials of charges,
 * with errors that fall with the distance as the first moment that is left out does; the same bits in any boxes and threads;
 * updates; and what is refused. */
#include "support/space.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- sources next to the boundary ---- */

/* charge (1 - (r / size)^2)^2 in a ball, or a normal distribution of that charge. */
typedef struct source {
  double at[3], size, charge;
  bool is_ball;
} source;

static const source two_balls[] = {{{0.24, 0.3, 0.28}, 0.23, 1, true},
                                   {{0.7, 0.52, 0.84}, 0.15, -1.5, true}};
static const source bell[] = {{{0.2, 0.25, 0.77}, 0.04, 1, false}};

static double density(const source *s, double r)
{
  const double x = r / s->size, inside = x < 1 ? 1 - x * x : 0;
  if (s->is_ball) return s->charge * inside * inside;
  return s->charge * exp(-x * x / 2) / pow(sqrt(2 * acos(-1.)) * s->size, 3);
}

/* Of -div grad u = density. */
static double free_potential(const source *s, double r)
{
  const double x = r / s->size, xx = x * x, pi = acos(-1.);
  if (!s->is_ball) return s->charge * erf(x / sqrt(2)) / (4 * pi * r);
  const double outside = s->size * s->size * 8 / 105;
  if (x > 1) return s->charge * outside / x;
  return s->charge * (outside + s->size * s->size *
                                    ((1 - xx) / 6 - (1 - xx * xx) / 10 + (1 - xx * xx * xx) / 42));
}

typedef struct free_setting {
  hymg_boundary kind;
  hymg_method method;
  hymg_path path;
  hymg_extrapolation extrapolation;
  bool widths; /* growing from the low end */
  int count;
  const source *sources;
} free_setting;

/* Place of edge i of n. */
static double edge(const free_setting *s, int i, int n)
{
  const double x = (double)i / n;
  return s->widths ? x * (1 + 0.5 * x) / 1.5 : x;
}

/* The largest error over the largest u, in a cube of side 1 with cells that are no cubes. */
static double free_error(const free_setting *s, int n)
{
  const int shape[3] = {n, n + n / 4, n - n / 4};
  const size_t cells = cells_of(shape);
  double *f = support_poison(cells), *exact = support_poison(cells), *w[3];
  support_case c = support_space_case(shape);
  support_layout layout = {.threads = 2};
  support_space_kind(&c, s->kind);
  c.spec.extrapolation = s->extrapolation;
  for (int a = 0; a < 3; a++) {
    c.spec.h[a] = 1. / shape[a];
    w[a] = support_poison((size_t)shape[a]);
    for (int i = 0; i < shape[a]; i++)
      w[a][i] = edge(s, i + 1, shape[a]) - edge(s, i, shape[a]);
    if (s->widths) layout.widths[a] = w[a];
  }
  for (size_t m = 0; m < cells; m++) {
    const int at[3] = {(int)m % n, (int)m / n % shape[1], (int)m / n / shape[1]};
    f[m] = exact[m] = 0;
    for (int t = 0; t < s->count; t++) {
      double rr = 0;
      for (int a = 0; a < 3; a++)
        rr += pow(
            (edge(s, at[a], shape[a]) + edge(s, at[a] + 1, shape[a])) / 2 - s->sources[t].at[a], 2);
      f[m] += density(s->sources + t, sqrt(rr));
      exact[m] += free_potential(s->sources + t, sqrt(rr)) / (c.spec.b * c.spec.beta_constant);
    }
  }
  hymg_options o = hymg_options_default();
  hymg_result result;
  o.method = s->method, o.path = s->path;
  double *u = support_space_solve(&c, &layout, &o, f, &result);
  ck_assert(result.converged);
  const double error = support_difference(cells, u, exact) / support_max(cells, exact);
  free(f), free(exact), free(u);
  for (int a = 0; a < 3; a++)
    free(w[a]);
  support_case_free(&c);
  return error;
}

static const free_setting free_settings[] = {
    {HYMG_OPEN_JAMES, HYMG_MG, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_QUADRATIC, false, 2,
     two_balls},
    {HYMG_OPEN_JAMES, HYMG_FMG, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_QUADRATIC, false, 2,
     two_balls},
    {HYMG_OPEN_JAMES, HYMG_MG, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_QUADRATIC, false, 2, two_balls},
    {HYMG_OPEN_JAMES, HYMG_MGPCG, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_LINEAR, false, 2,
     two_balls},
    {HYMG_OPEN_JAMES, HYMG_MG, HYMG_PATH_ROBUST, HYMG_EXTRAPOLATION_LINEAR, true, 2, two_balls},
    {HYMG_OPEN_JAMES, HYMG_MG, HYMG_PATH_STANDARD, HYMG_EXTRAPOLATION_QUADRATIC, false, 1, bell}};
enum { FREE_SETTINGS = sizeof free_settings / sizeof *free_settings };

START_TEST(sources_next_to_the_boundary_are_met_to_second_order)
{
  const free_setting *s = free_settings + _i;
  const double coarse = free_error(s, 32), fine = free_error(s, 64);
  ck_assert_msg(coarse < 0.05 && coarse / fine > 3.2, "setting %d: errors %.3g, %.3g", _i, coarse,
                fine);
}
END_TEST

START_TEST(moments_do_not_see_sources_next_to_the_boundary)
{
  free_setting s = free_settings[0];
  const double screened = free_error(&s, 32);
  s.kind = HYMG_OPEN;
  const double moments = free_error(&s, 32);
  ck_assert_msg(screened < 0.2 * moments, "errors %.3g, with moments %.3g", screened, moments);
}
END_TEST

/* ---- the same bits ---- */

START_TEST(boxes_and_threads_do_not_matter)
{
  const int n[3] = {16, 8, 24};
  const bool robust = _i % 2;
  double *f = support_random(cells_of(n), -1, 1, 3);
  support_case c = support_space_case(n);
  if (_i / 2) support_space_kind(&c, HYMG_OPEN_JAMES);
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
  if (_i / 3) support_space_kind(&c, HYMG_OPEN_JAMES);
  o.method = _i % 3 == 1 ? HYMG_FMG : HYMG_MG;
  if (_i % 3 == 2) o.path = HYMG_PATH_ROBUST, o.method = HYMG_MG;
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
  if (_i) support_space_kind(&c, HYMG_OPEN_JAMES);
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

/* Residuals and fluxes have the values of the last solve; what flows out is all of f. */
START_TEST(residuals_and_fluxes_have_the_values_of_the_last_solve)
{
  const int n[3] = {8, 10, 12}, cells = 960;
  double *f = support_random((size_t)cells, 0, 1, 3), total = 0, out = 0;
  support_case c = support_space_case(n);
  support_space_kind(&c, HYMG_OPEN_JAMES);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.rtol = 1e-13;
  support_kit k = support_open(&c.spec, NULL, &o);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f),
             *r = support_field(&k, 0, f), *flux[3];
  hymg_result result;
  OK(k.context, hymg_solve(k.solver, rhs, u, &result));
  OK(k.context, hymg_residual(k.solver, 0, rhs, u, r));
  double *left = support_read(&k, 0, r);
  ck_assert(support_max((size_t)cells, left) < 1e-11 * result.rhs_max);
  for (int axis = 0; axis < 3; axis++)
    OK(k.context, hymg_field_create(k.grid, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                                    flux + axis));
  OK(k.context, hymg_fluxes(k.solver, u, flux));
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, side = face % 2;
    int corner[3] = {0}, count[3] = {n[0], n[1], n[2]};
    corner[axis] = side ? n[axis] : 0, count[axis] = 1;
    const ptrdiff_t step[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
    double values[120];
    OK(k.context, hymg_field_read(flux[axis], corner, count, step, values, HYMG_HOST));
    for (int m = 0; m < count[0] * count[1] * count[2]; m++)
      out += (side ? 1 : -1) * values[m] / c.spec.h[axis];
  }
  for (int m = 0; m < cells; m++)
    total += f[m];
  ck_assert_msg(fabs(out - total) < 1e-9 * total, "%g flow out of %g", out, total);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(flux + axis);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  hymg_field_destroy(&r);
  support_close(&k);
  support_case_free(&c);
  free(f), free(left);
}
END_TEST

/* Then the second one would have wrong values. */
START_TEST(a_first_solve_without_a_result_is_the_last_one)
{
  const int n[3] = {16, 16, 16};
  double *f = support_random(cells_of(n), -1, 1, 3);
  support_case c = support_space_case(n);
  support_space_kind(&c, HYMG_OPEN_JAMES);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.max_cycles = 2, o.rtol = 1e-12;
  support_kit k = support_open(&c.spec, NULL, &o);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result result;
  OK(k.context, hymg_solve(k.solver, rhs, u, &result));
  ck_assert(!result.converged && result.reason == HYMG_REASON_LIMIT);
  ck_assert_msg(strstr(result.note, "the first of two solves") != NULL, "%s", result.note);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(f);
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
  d.boundary[1] = HYMG_OPEN_JAMES;
  support_assert_error(context, hymg_grid_create(context, &d, &grid), HYMG_EUNSUPPORTED,
                       "is open and face x+ is open (James): all six faces or none", NULL);
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
  hymg_grid_desc g = open_grid(8);
  for (int face = 0; face < 6 && _i; face++)
    g.boundary[face] = HYMG_OPEN_JAMES;
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
             {7, HYMG_EUNSUPPORTED, "on face x- with FV4: with FV2 only"},
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
  tcase_add_loop_test(t, sources_next_to_the_boundary_are_met_to_second_order,
                      support_small() ? FREE_SETTINGS - 2 : 0, FREE_SETTINGS);
  tcase_add_test(t, moments_do_not_see_sources_next_to_the_boundary);
  tcase_add_loop_test(t, boxes_and_threads_do_not_matter, 0, 4);
  tcase_add_loop_test(t, each_solve_has_values_of_its_own, 0, 6);
  tcase_add_loop_test(t, nothing_and_no_number_end_a_solve_as_usual, 0, 2);
  tcase_add_test(t, residuals_and_fluxes_have_the_values_of_the_last_solve);
  tcase_add_test(t, a_first_solve_without_a_result_is_the_last_one);
  tcase_add_test(t, grids_with_some_open_faces_or_one_layer_are_refused);
  tcase_add_loop_test(t, operators_other_than_that_of_free_space_are_refused, 0, 2);
  tcase_add_test(t, a_single_f_cycle_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
