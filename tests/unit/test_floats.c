/* Fields of floats: every kind of problem and call has the bits that it has with fields of doubles of the same values, and what
 * it stores is the rounding; conversions at the ends of the range; files; what is refused. */
#include "support/floats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static floats_where where_of(int variant, int m)
{
  floats_where w = {.layout = {.threads = 1 + variant % 3}, .variant = variant + 3 * m};
  return w;
}

START_TEST(solves_have_the_same_bits)
{
  if (_i % FLOATS_CASES == FLOATS_CASES - 1 && support_small()) return;
  const floats_where w = where_of(_i / FLOATS_CASES, _i % FLOATS_CASES);
  floats_check_solves(&w, _i % FLOATS_CASES);
}
END_TEST

START_TEST(other_calls_have_the_same_bits)
{
  if (_i % FLOATS_CASES == FLOATS_CASES - 1 && support_small()) return;
  const floats_where w = where_of(_i / FLOATS_CASES + 1, _i % FLOATS_CASES);
  floats_check_operations(&w, _i % FLOATS_CASES);
}
END_TEST

/* ---- single fields ---- */

static hymg_context *context;
static hymg_grid *grid;
enum { CELLS = 7 * 5 * 9 };
static const int n[3] = {7, 5, 9}, zero[3] = {0, 0, 0};
static const ptrdiff_t rows[3] = {1, 7, 35};

static void begin(void)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  OK(NULL, hymg_context_create(NULL, &context));
  memcpy(desc.n, n, sizeof n);
  OK(context, hymg_grid_create(context, &desc, &grid));
}

static void end(void)
{
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}

static hymg_field *made(hymg_precision precision, float *data)
{
  hymg_field *f = NULL;
  if (data)
    OK(context, hymg_field_wrap(grid, HYMG_HOST, HYMG_CELL, precision, zero, n, rows, data, &f));
  else
    OK(context, hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, precision, &f));
  return f;
}

/* The nearest float, ties to even, infinity beyond the range, denormal numbers, signed zeros and NaN. */
START_TEST(numbers_are_rounded_to_the_nearest)
{
  static const struct {
    double given;
    float want;
  } number[] = {{1 + 0x1p-24, 1},
                {1 + 0x1.8p-23, 1 + 0x1p-22f},
                {1 + 0x1.000001p-24, 1 + 0x1p-23f},
                {0.1, 0.1f},
                {-1e39, -INFINITY},
                {FLT_MAX, FLT_MAX},
                {0x1.fffffefffffffp127, FLT_MAX},
                {0x1.ffffffp127, INFINITY},
                {0x1p-149, 0x1p-149f},
                {0x1.8p-149, 0x1p-148f},
                {-0x1p-150, -0.f},
                {-0.0, -0.f},
                {INFINITY, INFINITY},
                {NAN, NAN}};
  enum { COUNT = sizeof number / sizeof *number };
  float *data = calloc(CELLS, sizeof *data);
  double *values = support_random(CELLS, -1, 1, 3), *got = support_poison(CELLS);
  for (int m = 0; m < COUNT; m++)
    values[11 * m] = number[m].given;
  hymg_field *f = made(HYMG_FLOAT, _i ? data : NULL);
  OK(context, hymg_field_write(f, zero, n, rows, values, HYMG_HOST));
  OK(context, hymg_field_read(f, zero, n, rows, got, HYMG_HOST));
  for (int m = 0; m < CELLS; m++) {
    const float want = m % 11 || m / 11 >= COUNT ? (float)values[m] : number[m / 11].want;
    ck_assert_msg(got[m] == want || isnan(want), "%a became %a, not %a", values[m], got[m], want);
    ck_assert(isnan(got[m]) == isnan(want) && !signbit(got[m]) == !signbit(want));
    if (_i) ck_assert(memcmp(data + m, &want, sizeof want) == 0 || isnan(want));
  }
  hymg_field_destroy(&f);
  free(data), free(values), free(got);
}
END_TEST

/* A brick of it. */
START_TEST(bricks_of_floats_are_read_and_written)
{
  const int low[3] = {3, 0, 6}, count[3] = {4, 5, 2};
  const ptrdiff_t stride[3] = {11, 2, 50};
  double *other = support_random(100, -1, 1, 4), *got = support_poison(CELLS);
  hymg_field *f = made(HYMG_FLOAT, NULL);
  OK(context, hymg_field_fill(f, 7));
  OK(context, hymg_field_write(f, low, count, stride, other, HYMG_HOST));
  OK(context, hymg_field_read(f, zero, n, rows, got, HYMG_HOST));
  for (int m = 0; m < CELLS; m++) {
    const int i = m % 7 - low[0], j = m / 7 % 5 - low[1], k = m / 35 - low[2];
    const bool in = i >= 0 && i < 4 && j >= 0 && j < 5 && k >= 0 && k < 2;
    ck_assert(got[m] == (in ? (float)other[11 * i + 2 * j + 50 * k] : 7));
  }
  hymg_field_destroy(&f);
  free(other), free(got);
}
END_TEST

/* Bodies and masks, from and to floats. */
START_TEST(bodies_have_the_same_bits)
{
  static const hymg_precision precision[2] = {HYMG_DOUBLE, HYMG_FLOAT};
  enum { FIELDS = 12, VERTICES = 8 * 6 * 10 };
  double distance[VERTICES];
  const int vertices[3] = {8, 6, 10};
  const ptrdiff_t stride[3] = {1, 8, 48};
  hymg_field *f[2][FIELDS]; /* volume, areas, alpha, betas, weight, source, active, rhs */
  static const hymg_centering of[FIELDS] = {HYMG_CELL, HYMG_FACE_X, HYMG_FACE_Y, HYMG_FACE_Z,
                                            HYMG_CELL, HYMG_FACE_X, HYMG_FACE_Y, HYMG_FACE_Z,
                                            HYMG_CELL, HYMG_CELL,   HYMG_CELL,   HYMG_CELL};
  for (int v = 0; v < VERTICES; v++)
    distance[v] = hypot(hypot(v % 8 - 3.3, v / 8 % 6 - 2.2), v / 48 - 4.4) - 2.1;
  for (int p = 0; p < 2; p++) {
    for (int m = 0; m < FIELDS; m++) {
      OK(context, hymg_field_create_in(grid, HYMG_HOST, of[m], precision[p], f[p] + m));
      OK(context, hymg_field_fill(f[p][m], 0.75));
    }
    OK(context, hymg_body_fractions(zero, vertices, stride, distance, f[p][0], f[p] + 1));
    for (int m = 0; m < 4 && p == 0; m++) { /* both have the floats from here on */
      hymg_field *narrow = NULL;
      OK(context, hymg_field_create_in(grid, HYMG_HOST, of[m], HYMG_FLOAT, &narrow));
      OK(context, hymg_field_copy(f[p][m], narrow));
      OK(context, hymg_field_copy(narrow, f[p][m]));
      hymg_field_destroy(&narrow);
    }
    hymg_body body = hymg_body_default();
    body.volume = f[p][0], body.condition = _i ? HYMG_DIRICHLET : HYMG_NEUMANN;
    body.value_constant = 0.5;
    for (int axis = 0; axis < 3; axis++)
      body.area[axis] = f[p][1 + axis];
    OK(context, hymg_body_coefficients(&body, 1, 1, f[p][4], f[p] + 5, f[p][8], f[p][9]));
    OK(context, hymg_body_rhs(f[p][8], f[p][9], f[p][11]));
  }
  for (int m = 0; m < FIELDS; m++) {
    hymg_field *rounded = NULL;
    double a, b;
    OK(context, hymg_field_create_in(grid, HYMG_HOST, of[m], HYMG_FLOAT, &rounded));
    OK(context, hymg_field_copy(f[0][m], rounded));
    int count[3] = {n[0], n[1], n[2]};
    if (of[m]) count[of[m] - 1]++;
    const ptrdiff_t step[3] = {1, count[0], count[0] * count[1]};
    const size_t size = (size_t)(count[0] * count[1] * count[2]);
    double *x = support_poison(size), *y = support_poison(size);
    OK(context, hymg_field_read(rounded, zero, count, step, x, HYMG_HOST));
    OK(context, hymg_field_read(f[1][m], zero, count, step, y, HYMG_HOST));
    a = support_difference(size, x, y), b = support_max(size, x);
    /* f is the rounding of weight f + source, both of which have been rounded before */
    ck_assert_msg(m == 11 ? a <= 4 * FLT_EPSILON * b : a == 0, "field %d differs by %g", m, a);
    hymg_field_destroy(&rounded);
    free(x), free(y);
  }
  for (int p = 0; p < 2; p++)
    for (int m = 0; m < FIELDS; m++)
      hymg_field_destroy(f[p] + m);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(what_cannot_be_is_refused)
{
  hymg_field *f = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  char text[200];
  const hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options o = hymg_options_default();
  OK(context, hymg_operator_create(grid, &desc, &op));
  OK(context, hymg_solver_create(op, NULL, &solver));
  support_assert_error(context, hymg_field_create(grid, solver, HYMG_CELL, HYMG_FLOAT, &f),
                       HYMG_EUNSUPPORTED, "float", "solver", "hymg_field_wrap", NULL);
  support_assert_error(context, hymg_field_create(grid, NULL, HYMG_CELL, HYMG_MIXED, &f),
                       HYMG_EUNSUPPORTED, "precision 1", "0 (double) or 2 (float)", NULL);
  support_assert_error(context,
                       hymg_field_create_in(grid, HYMG_HOST, HYMG_CELL, (hymg_precision)3, &f),
                       HYMG_EUNSUPPORTED, "precision 3", NULL);
  support_assert_error(
      context,
      hymg_field_wrap(grid, HYMG_HOST, HYMG_CELL, HYMG_PRECISION_AUTO, zero, n, rows, text, &f),
      HYMG_EUNSUPPORTED, "precision -1", NULL);
  support_assert_error(
      context, hymg_field_wrap(grid, HYMG_HOST, HYMG_CELL, HYMG_FLOAT, zero, n, rows, NULL, &f),
      HYMG_EINVAL, "NULL", NULL);
  ck_assert_ptr_null(f);
  o.precision = HYMG_FLOAT;
  hymg_solver *other = NULL;
  support_assert_error(context, hymg_solver_create(op, &o, &other), HYMG_EINVAL, "precision 2",
                       "-1 (auto) to 1 (mixed)", NULL);
  ck_assert_ptr_null(other);
  ck_assert_int_eq(hymg_options_parse(&o, "precision=float", text, sizeof text), HYMG_EINVAL);
  ck_assert_ptr_nonnull(strstr(text, "auto, double, mixed"));
  ck_assert_ptr_null(strstr(text, "mixed, float"));
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("floats");
  TCase *t = tcase_create("problems");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, solves_have_the_same_bits, 0, 2 * FLOATS_CASES);
  tcase_add_loop_test(t, other_calls_have_the_same_bits, 0, 2 * FLOATS_CASES);
  suite_add_tcase(suite, t);
  t = tcase_create("fields");
  tcase_add_checked_fixture(t, begin, end);
  tcase_add_loop_test(t, numbers_are_rounded_to_the_nearest, 0, 2);
  tcase_add_test(t, bricks_of_floats_are_read_and_written);
  tcase_add_loop_test(t, bodies_have_the_same_bits, 0, 2);
  tcase_add_test(t, what_cannot_be_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
