/* Coefficients of masks and bodies: fractions of planes and balls against exact and integrated ones, coefficients
 * against plain loops on random systems, any layout, and what is refused. */
#include "support/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const support_layout alone = {.threads = 1};

/* max |got - want| relative to max |want|, with a bad one's number; entries beyond `most` count as such. */
static void assert_near(const char *what, unsigned seed, size_t n, const double *got,
                        const double *want, double tolerance)
{
  for (size_t m = 0; m < n; m++)
    ck_assert_msg(fabs(got[m] - want[m]) <= tolerance * (1 + fabs(want[m])),
                  "seed %u: %s, entry %zu: %.15g, but %.15g is wanted", seed, what, m, got[m],
                  want[m]);
}

static void assert_same_answer(unsigned seed, const support_body_case *c,
                               const support_body_answer *got, const support_body_answer *want)
{
  assert_near("alpha", seed, got->cells, got->alpha, want->alpha, 1e-7);
  assert_near("weight", seed, got->cells, got->weight, want->weight, 1e-14);
  if (!c->active) assert_near("source", seed, got->cells, got->source, want->source, 1e-7);
  for (int axis = 0; axis < 3; axis++)
    assert_near("beta", seed, got->faces[axis], got->beta[axis], want->beta[axis], 1e-14);
}

enum { CASES = 600, SMALL_CASES = 24 };

static unsigned cases(void)
{
  return support_small() ? SMALL_CASES : CASES;
}

START_TEST(random_bodies_and_masks_have_the_coefficients_of_plain_loops)
{
  for (unsigned seed = 0; seed < cases(); seed++) {
    support_body_case c = support_body_random(seed);
    support_body_answer got = support_body_run(&c, &alone, 0), want = support_body_oracle(&c, &got);
    assert_same_answer(seed, &c, &got, &want);
    support_body_answer_free(&got);
    support_body_answer_free(&want);
    support_body_free(&c);
  }
}
END_TEST

START_TEST(boxes_and_wrapped_arrays_give_the_same_bits)
{
  for (unsigned seed = 0; seed < cases(); seed++) {
    support_body_case c = support_body_random(seed);
    support_layout cut = {.threads = 2};
    for (int axis = 0; axis < 3; axis++)
      cut.boxes[axis] = c.n[axis];
    if (seed % 2 && c.n[0] > 2) {
      static int parts[2];
      parts[0] = 1, parts[1] = c.n[0] - 1;
      cut.boxes[0] = 2, cut.cuts[0] = parts;
    }
    support_body_answer got = support_body_run(&c, &cut, seed % 2),
                        want = support_body_run(&c, &alone, 0);
    ck_assert_msg(support_same_bits(got.cells, got.alpha, want.alpha) &&
                      support_same_bits(got.cells, got.weight, want.weight) &&
                      (c.active || support_same_bits(got.cells, got.source, want.source)),
                  "seed %u: other cells", seed);
    for (int axis = 0; axis < 3; axis++)
      ck_assert_msg(
          support_same_bits(got.faces[axis], got.beta[axis], want.beta[axis]) &&
              (c.active || support_same_bits(got.faces[axis], got.area[axis], want.area[axis])),
          "seed %u: other faces of axis %d", seed, axis);
    support_body_answer_free(&got);
    support_body_answer_free(&want);
    support_body_free(&c);
  }
}
END_TEST

/* ---- fractions ---- */

typedef double distance_function(const double place[3], const void *data);

/* A cube of n^3 cells of side 1 / n with distances of a function; condition Neumann. */
static support_body_case cube_of(int n, distance_function *distance, const void *data)
{
  const size_t cells = (size_t)n * (size_t)n * (size_t)n;
  support_body_case c = {.n = {n, n, n}, .condition = HYMG_NEUMANN, .a = 1, .b = 1};
  const size_t row = (size_t)n + 1;
  c.distance = support_poison(row * row * row);
  for (size_t m = 0; m < row * row * row; m++) {
    const double place[3] = {(double)(m % row) / n, (double)(m / row % row) / n,
                             (double)(m / row / row) / n};
    c.distance[m] = distance(place, data);
  }
  c.alpha = calloc(cells, sizeof *c.alpha), c.value = calloc(cells, sizeof *c.value);
  c.robin_alpha = calloc(cells, sizeof *c.alpha), c.robin_beta = calloc(cells, sizeof *c.alpha);
  for (int axis = 0; axis < 3; axis++) {
    c.width[axis] = support_random((size_t)n, 1. / n, 1. / n, 1);
    c.beta[axis] = support_random(row * row * row, 1, 1, 1);
  }
  return c;
}

typedef struct plane {
  double normal[3], d;
} plane;

static double to_plane(const double place[3], const void *data)
{
  const plane *p = data;
  return p->d - p->normal[0] * place[0] - p->normal[1] * place[1] - p->normal[2] * place[2];
}

static void assert_plane(int n, const plane *p)
{
  support_body_case c = cube_of(n, to_plane, p);
  support_body_answer a = support_body_run(&c, &alone, 0);
  const double h = 1. / n, w[3] = {h, h, h};
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double low[3] = {i * h, j * h, k * h}, d = to_plane(low, p);
        const double volume = support_volume_below(w, p->normal, d);
        ck_assert_double_eq_tol(a.volume[i + n * (j + n * k)], volume, 1e-12);
        ck_assert_double_eq_tol(a.area[0][i + (n + 1) * (j + n * k)],
                                support_area_below(h, h, p->normal[1], p->normal[2], d), 1e-12);
        ck_assert_double_eq_tol(a.area[2][i + n * (j + n * k)],
                                support_area_below(h, h, p->normal[0], p->normal[1], d), 1e-12);
      }
  support_body_answer_free(&a);
  support_body_free(&c);
}

START_TEST(fractions_of_planes_are_exact)
{
  for (unsigned seed = 0; seed < cases() / 6; seed++) {
    double *r = support_random(4, -1, 1, seed);
    assert_plane(2 + (int)(seed % 4),
                 &(plane){{r[0], r[1], r[2]}, (r[0] + r[1] + r[2]) / 2 + 0.3 * r[3]});
    free(r);
  }
}
END_TEST

/* The corner at (1, 1, 1) of the last cell is cut off at a distance t along each axis: t^3 / 6 and t^2 / 2. */
START_TEST(small_fractions_are_not_clipped)
{
  for (int power = 1; power <= 12; power++) {
    const double t = pow(10, -power);
    const plane outside = {{-1, -1, -1}, -3 + t};
    support_body_case c = cube_of(1, to_plane, &outside);
    for (int axis = 0; axis < 3; axis++)
      c.distance[7] = t; /* without the rounding of 3 - t */
    support_body_answer a = support_body_run(&c, &alone, 0);
    const double edge = t / (1 - to_plane((const double[3]){0, 1, 1}, &outside) - 1 + t);
    ck_assert_double_eq_tol(a.volume[0] / (edge * edge * edge / 6), 1, 1e-6);
    ck_assert_double_eq_tol(a.area[0][1] / (edge * edge / 2), 1, 1e-6);
    ck_assert_double_eq(a.beta[0][1], a.area[0][1]);
    ck_assert_double_eq(a.beta[0][0], 0);
    ck_assert_double_eq(a.weight[0], a.volume[0]);
    support_body_answer_free(&a);
    support_body_free(&c);
  }
}
END_TEST

static const double ball_centre[3] = {0.513, 0.487, 0.529}, ball_radius = 0.291;

static double to_ball(const double place[3], const void *data)
{
  double square = 0;
  for (int axis = 0; axis < 3; axis++)
    square += (place[axis] - ball_centre[axis]) * (place[axis] - ball_centre[axis]);
  return (sqrt(square) - ball_radius) * *(const double *)data;
}

/* The part of [low, low + h] outside the ball on the line (y, z), along x. */
static double chord_outside(double low, double h, double y, double z)
{
  const double dy = y - ball_centre[1], dz = z - ball_centre[2];
  const double half = sqrt(fmax(0, ball_radius * ball_radius - dy * dy - dz * dz));
  const double from = fmax(low, ball_centre[0] - half), to = fmin(low + h, ball_centre[0] + half);
  return 1 - fmax(0, to - from) / h;
}

/* Volume and z face of a cell outside the ball, by lines along x. One line will do for a cell in the ball that holds
 * all points around it, or in its outside. */
static void integrate(const double low[3], double h, int lines, double *volume, double *area)
{
  const double centre[3] = {low[0] + h / 2, low[1] + h / 2, low[2] + h / 2}, outside = 1;
  if (fabs(to_ball(centre, &outside)) > h) lines = 1; /* half a diagonal is 0.87 h */
  *volume = *area = 0;
  for (int q = 0; q < lines; q++)
    for (int p = 0; p < lines; p++)
      *volume +=
          chord_outside(low[0], h, low[1] + (p + 0.5) * h / lines, low[2] + (q + 0.5) * h / lines) /
          (lines * lines);
  for (int p = 0; p < lines; p++)
    *area += chord_outside(low[0], h, low[1] + (p + 0.5) * h / lines, low[2]) / lines;
}

/* Largest errors of volume and area, and the error of the ball's whole volume. */
static void ball_errors(int n, double sign, double worst[3])
{
  support_body_case c = cube_of(n, to_ball, &sign);
  support_body_answer a = support_body_run(&c, &alone, 0);
  double total = 0;
  worst[0] = worst[1] = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double low[3] = {(double)i / n, (double)j / n, (double)k / n};
        double volume, area;
        integrate(low, 1. / n, 60, &volume, &area);
        if (sign < 0) volume = 1 - volume, area = 1 - area;
        const size_t q = (size_t)(i + n * (j + n * k));
        worst[0] = fmax(worst[0], fabs(a.volume[q] - volume));
        worst[1] = fmax(worst[1], fabs(a.area[2][q] - area));
        total += a.volume[q] / n / n / n;
      }
  const double ball = 4 * acos(-1) / 3 * pow(ball_radius, 3);
  worst[2] = fabs(total - (sign > 0 ? 1 - ball : ball));
  support_body_answer_free(&a);
  support_body_free(&c);
}

/* An error of the surface's place of O(h^2) is one of O(h) of a fraction, and more where a face nearly touches it. */
START_TEST(fractions_of_a_ball_converge)
{
  for (int inside = 0; inside < 2; inside++) {
    double coarse[3], fine[3];
    ball_errors(8, inside ? -1 : 1, coarse);
    ball_errors(32, inside ? -1 : 1, fine);
    ck_assert_msg(fine[0] < 0.03 && fine[0] < coarse[0] / 3, "volumes: %g, %g", coarse[0], fine[0]);
    ck_assert_msg(fine[1] < 0.12 && fine[1] < coarse[1] / 3, "areas: %g, %g", coarse[1], fine[1]);
    ck_assert_msg(fine[2] < coarse[2] / 14, "the whole: %g, %g", coarse[2], fine[2]);
  }
}
END_TEST

/* ---- what is refused ---- */

typedef struct desk {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *cell, *alpha, *beta[3], *area[3], *volume;
  hymg_body body;
} desk;

static void fill_random(hymg_field *field, int n)
{
  const int zero[3] = {0, 0, 0}, count[3] = {n, 2, 2};
  const ptrdiff_t stride[3] = {1, n, 2 * (ptrdiff_t)n};
  double *values = support_random((size_t)n * 4, 0.5, 2, 4);
  hymg_field_write_own(field, zero, count, stride, values, HYMG_HOST);
  free(values);
}

static desk open_desk(void)
{
  desk d = {.body = hymg_body_default()};
  hymg_grid_desc desc = hymg_grid_desc_default();
  ck_assert_int_eq(hymg_context_create(NULL, &d.context), HYMG_OK);
  desc.n[0] = 4, desc.n[1] = desc.n[2] = 2;
  OK(d.context, hymg_grid_create(d.context, &desc, &d.grid));
  OK(d.context, hymg_field_create(d.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &d.cell));
  OK(d.context, hymg_field_create(d.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &d.alpha));
  OK(d.context, hymg_field_create(d.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &d.volume));
  OK(d.context, hymg_field_fill(d.volume, 0.5));
  for (int axis = 0; axis < 3; axis++) {
    OK(d.context,
       hymg_field_create(d.grid, NULL, (hymg_centering)(1 + axis), HYMG_DOUBLE, &d.area[axis]));
    OK(d.context,
       hymg_field_create(d.grid, NULL, (hymg_centering)(1 + axis), HYMG_DOUBLE, &d.beta[axis]));
    OK(d.context, hymg_field_fill(d.area[axis], 0.5));
    OK(d.context, hymg_field_fill(d.beta[axis], 1));
    d.body.area[axis] = d.area[axis];
  }
  d.body.volume = d.volume;
  fill_random(d.alpha, 4);
  return d;
}

static void close_desk(desk *d)
{
  hymg_field_destroy(&d->cell);
  hymg_field_destroy(&d->alpha);
  hymg_field_destroy(&d->volume);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&d->area[axis]), hymg_field_destroy(&d->beta[axis]);
  hymg_grid_destroy(&d->grid);
  hymg_context_destroy(&d->context);
}

/* The call fails with these words, and alpha and beta keep their values. */
static void refuses(desk *d, double a, double b, const char *one, const char *two)
{
  double sum[2];
  for (int pass = 0; pass < 2; pass++) {
    OK(d->context, hymg_field_dot(d->alpha, d->alpha, &sum[pass]));
    if (pass) continue;
    const hymg_status status =
        hymg_body_coefficients(&d->body, a, b, d->alpha, d->beta, d->cell, NULL);
    support_assert_error(d->context, status, HYMG_EINVAL, one, two, NULL);
  }
  ck_assert_double_eq(sum[0], sum[1]);
  double corner = 0;
  OK(d->context, hymg_field_read(d->beta[0], (const int[3]){4, 1, 1}, (const int[3]){1, 1, 1},
                                 (const ptrdiff_t[3]){1, 1, 1}, &corner, HYMG_HOST));
  ck_assert_double_eq(corner, 1);
}

static void put(desk *d, hymg_field *field, int i, double value)
{
  OK(d->context, hymg_field_write(field, (const int[3]){i, 1, 0}, (const int[3]){1, 1, 1},
                                  (const ptrdiff_t[3]){1, 1, 1}, &value, HYMG_HOST));
}

START_TEST(errors_name_value_limit_and_place)
{
  desk d = open_desk();
  put(&d, d.volume, 3, 1.25);
  refuses(&d, 1, 1, "the open fraction 1.25 of the volume of cell (3, 1, 0)", "0 to 1");
  put(&d, d.volume, 3, NAN);
  refuses(&d, 1, 1, "nan of the volume of cell (3, 1, 0)", "0 to 1");
  put(&d, d.volume, 3, 1);
  put(&d, d.area[0], 4, -0.1);
  refuses(&d, 1, 1, "fraction -0.1 of the high x face of cell (3, 1, 0)", "0 to 1");
  put(&d, d.area[0], 4, 1);
  refuses(&d, -1, 1, "a = -1", "at least 0");
  refuses(&d, 1, 0, "b = 0", "above 0");
  d.body.value_constant = INFINITY;
  refuses(&d, 1, 1, "body.value_constant inf", "finite");
  d.body.value_constant = 0;
  d.body.condition = HYMG_PERIODIC;
  refuses(&d, 1, 1, "body.condition 1", "2 (neumann)");
  d.body.condition = HYMG_DIRICHLET;
  refuses(&d, 0, 1, "a = 0 with a dirichlet condition", "take a = 1");
  d.body.condition = HYMG_ROBIN;
  d.body.robin_alpha_constant = -2;
  refuses(&d, 1, 1, "robin_alpha -2 and robin_beta 1 at cell", "at least 0");
  d.body.area[1] = d.area[2];
  refuses(&d, 1, 1, "body.area[1] is a field of z faces", "not of y faces");
  d.body.area[1] = NULL;
  refuses(&d, 1, 1, "body.area[1]", "NULL");
  close_desk(&d);
}
END_TEST

START_TEST(distances_must_be_finite_and_cover_the_cells)
{
  desk d = open_desk();
  double distance[5 * 3 * 3] = {0};
  const int zero[3] = {0, 0, 0}, few[3] = {4, 3, 3}, all[3] = {5, 3, 3};
  const ptrdiff_t stride[3] = {1, 5, 15};
  support_assert_error(d.context,
                       hymg_body_fractions(zero, few, stride, distance, d.volume, d.area),
                       HYMG_EINVAL, "vertices 0 to 3 along x", "the vertices 0 to 4", NULL);
  distance[2 + 5 * (1 + 3 * 2)] = NAN;
  support_assert_error(d.context,
                       hymg_body_fractions(zero, all, stride, distance, d.volume, d.area),
                       HYMG_EINVAL, "distance nan at vertex (2, 1, 2)", "finite", NULL);
  put(&d, d.cell, 2, NAN);
  support_assert_error(d.context, hymg_mask_coefficients(d.cell, d.alpha, d.beta, NULL),
                       HYMG_EINVAL, "active is NaN at cell (2, 1, 0)", NULL);
  support_assert_error(d.context, hymg_body_rhs(NULL, NULL, d.cell), HYMG_EINVAL, "weight is NULL",
                       NULL);
  close_desk(&d);
}
END_TEST

/* Where the weight is 0 nothing of f, alpha and beta is read. */
START_TEST(what_is_closed_may_be_nan)
{
  desk d = open_desk();
  double sum = NAN;
  OK(d.context, hymg_field_fill(d.cell, 1));
  put(&d, d.cell, 1, 0);
  put(&d, d.alpha, 1, NAN);
  put(&d, d.beta[0], 1, NAN);
  OK(d.context, hymg_mask_coefficients(d.cell, d.alpha, d.beta, d.volume));
  put(&d, d.cell, 1, NAN);
  OK(d.context, hymg_body_rhs(d.volume, NULL, d.cell));
  OK(d.context, hymg_field_dot(d.cell, d.cell, &sum));
  ck_assert_double_eq(sum, 15);
  OK(d.context, hymg_field_max(d.alpha, &sum));
  ck_assert(sum > 0.5 && sum < 2);
  OK(d.context, hymg_field_fill(d.volume, 0.25));
  OK(d.context, hymg_field_fill(d.alpha, 3));
  OK(d.context, hymg_field_fill(d.cell, 2));
  OK(d.context, hymg_body_rhs(d.volume, d.alpha, d.cell));
  OK(d.context, hymg_field_max(d.cell, &sum));
  ck_assert_double_eq(sum, 3.5);
  close_desk(&d);
}
END_TEST

/* In rows split by colour and in arrays with gaps. */
START_TEST(right_hand_sides_in_any_layout_have_the_same_values)
{
  const int n[3] = {8, 6, 4}, zero[3] = {0, 0, 0};
  const ptrdiff_t gaps[3] = {2, 16, 96}, plain[3] = {1, 8, 48};
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  support_kit kit = support_open(&c.spec, NULL, NULL);
  double *weights = support_random(192, 0, 1, 1), *sources = support_random(192, -1, 1, 2),
         *values = support_random(192, -1, 1, 3), *spread = support_poison(384);
  hymg_field *weight = NULL, *source = NULL, *f[3] = {NULL, NULL, NULL};
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &weight));
  OK(kit.context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &source));
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &f[0]));
  OK(kit.context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &f[1]));
  OK(kit.context,
     hymg_field_wrap(kit.grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, zero, n, gaps, spread, &f[2]));
  OK(kit.context, hymg_field_write(weight, zero, n, plain, weights, HYMG_HOST));
  OK(kit.context, hymg_field_write(source, zero, n, plain, sources, HYMG_HOST));
  for (int m = 0; m < 3; m++) {
    double *got = support_poison(192);
    OK(kit.context, hymg_field_write(f[m], zero, n, plain, values, HYMG_HOST));
    OK(kit.context, hymg_body_rhs(weight, source, f[m]));
    OK(kit.context, hymg_field_read(f[m], zero, n, plain, got, HYMG_HOST));
    for (int q = 0; q < 192; q++)
      ck_assert_double_eq_tol(got[q], weights[q] * values[q] + sources[q], 1e-15);
    free(got);
    hymg_field_destroy(&f[m]);
  }
  hymg_field_destroy(&weight);
  hymg_field_destroy(&source);
  support_close(&kit);
  support_case_free(&c);
  free(weights), free(sources), free(values), free(spread);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("bodies");
  TCase *t = tcase_create("bodies");
  tcase_set_timeout(t, support_seconds(60));
  tcase_add_test(t, random_bodies_and_masks_have_the_coefficients_of_plain_loops);
  tcase_add_test(t, boxes_and_wrapped_arrays_give_the_same_bits);
  tcase_add_test(t, fractions_of_planes_are_exact);
  tcase_add_test(t, small_fractions_are_not_clipped);
  tcase_add_test(t, fractions_of_a_ball_converge);
  tcase_add_test(t, errors_name_value_limit_and_place);
  tcase_add_test(t, distances_must_be_finite_and_cover_the_cells);
  tcase_add_test(t, what_is_closed_may_be_nan);
  tcase_add_test(t, right_hand_sides_in_any_layout_have_the_same_values);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
