/* Fields over the user's arrays: any strides and ghost layers, every centering; what is copied where;
 * coefficients and boundary data from such arrays; scale, copy, dot and remove_mean on every kind of
 * field. */
#include "support/support.h"
#include <math.h>
#include <stdlib.h>

static support_kit kit;
static support_case plain;

static void open_kit(void)
{
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  plain = support_case_of(HYMG_FV2, (const int[3]){8, 6, 12}, "dd pp dn", 0.5);
  kit = support_open(&plain.spec, &layout, NULL);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&plain);
}

/* The user's array: axes in some order, the first of them fastest, ghost layers, one axis backwards;
 * what is not an entry is NaN. */
typedef struct array {
  int low[3], n[3];
  ptrdiff_t stride[3], first;
  size_t size, entries;
  double *data;
} array;

static array make_array(hymg_centering centering, int variant)
{
  static const int order[6][3] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}};
  array a = {.first = 0, .size = 1, .entries = 1};
  for (int d = 0; d < 3; d++)
    a.n[d] = kit.n[d];
  if (centering >= HYMG_BOUNDARY_X_LOW)
    a.n[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    a.n[centering - HYMG_FACE_X]++;
  for (int m = 0; m < 3; m++) {
    const int d = order[variant % 6][m], ghosts = (variant + m) % 3,
              step = m == 0 ? 1 + variant % 2 : 1;
    const bool backwards = variant % 4 == 3 && m == 1;
    a.stride[d] = (ptrdiff_t)a.size * step;
    a.first += (backwards ? a.n[d] - 1 + ghosts : ghosts) * a.stride[d];
    a.size *= (size_t)((a.n[d] + 2 * ghosts) * step);
    if (backwards) a.stride[d] = -a.stride[d];
    a.entries *= (size_t)a.n[d];
  }
  a.data = support_poison(a.size);
  return a;
}

static double *entry(const array *a, size_t m)
{
  const ptrdiff_t i = (ptrdiff_t)m % a->n[0], j = (ptrdiff_t)m / a->n[0] % a->n[1],
                  k = (ptrdiff_t)m / a->n[0] / a->n[1];
  return a->data + a->first + i * a->stride[0] + j * a->stride[1] + k * a->stride[2];
}

static hymg_field *wrap(const array *a, hymg_centering centering)
{
  hymg_field *f = NULL;
  OK(kit.context, hymg_field_wrap(kit.grid, HYMG_HOST, centering, HYMG_DOUBLE, a->low, a->n,
                                  a->stride, a->data + a->first, &f));
  return f;
}

/* Nothing beyond the entries was touched. */
static void check_ghosts(const array *a)
{
  size_t numbers = 0;
  for (size_t m = 0; m < a->size; m++)
    numbers += a->data[m] == a->data[m];
  ck_assert_uint_eq(numbers, a->entries);
}

START_TEST(reads_and_writes_go_to_the_array)
{
  const hymg_centering centering = (hymg_centering)(_i % 10);
  array a = make_array(centering, _i / 10);
  const ptrdiff_t rows[3] = {1, a.n[0], (ptrdiff_t)a.n[0] * a.n[1]};
  double *values = support_random(a.entries, -1, 1, 3), *got = support_poison(a.entries);
  hymg_field *f = wrap(&a, centering), *g = NULL;
  OK(kit.context, hymg_field_create(kit.grid, NULL, centering, HYMG_DOUBLE, &g));
  OK(kit.context, hymg_field_write(f, a.low, a.n, rows, values, HYMG_HOST));
  for (size_t m = 0; m < a.entries; m++)
    ck_assert(*entry(&a, m) == values[m]);
  for (size_t m = 0; m < a.entries; m++)
    *entry(&a, m) = -values[m]; /* the program writes to its array */
  OK(kit.context, hymg_field_read(f, a.low, a.n, rows, got, HYMG_HOST));
  for (size_t m = 0; m < a.entries; m++)
    ck_assert(got[m] == -values[m]);
  OK(kit.context, hymg_field_copy(f, g));
  OK(kit.context, hymg_field_scale(2, g));
  OK(kit.context, hymg_field_copy(g, f));
  for (size_t m = 0; m < a.entries; m++)
    ck_assert(*entry(&a, m) == -2 * values[m]);
  OK(kit.context, hymg_field_scale(0.5, f));
  for (size_t m = 0; m < a.entries; m++)
    ck_assert(*entry(&a, m) == -values[m]);
  check_ghosts(&a);
  hymg_field_destroy(&f), hymg_field_destroy(&g);
  free(values), free(got), free(a.data);
}
END_TEST

/* A brick of it through a brick of another array. */
START_TEST(bricks_of_it_are_read_and_written)
{
  array a = make_array(HYMG_CELL, _i);
  const int low[3] = {3, 0, 7}, count[3] = {4, 5, 2};
  const ptrdiff_t stride[3] = {11, 2, 50};
  double *other = support_random(100, -1, 1, 4);
  hymg_field *f = wrap(&a, HYMG_CELL);
  OK(kit.context, hymg_field_fill(f, 7));
  OK(kit.context, hymg_field_write(f, low, count, stride, other, HYMG_HOST));
  for (size_t m = 0; m < a.entries; m++) {
    const int i = (int)m % 8 - low[0], j = (int)m / 8 % 6 - low[1], k = (int)m / 48 - low[2];
    const bool in = i >= 0 && i < 4 && j >= 0 && j < 5 && k >= 0 && k < 2;
    ck_assert(*entry(&a, m) == (in ? other[11 * i + 2 * j + 50 * k] : 7));
  }
  check_ghosts(&a);
  hymg_field_destroy(&f);
  free(other), free(a.data);
}
END_TEST

/* Also on fields of the solver (0), plain rows (1), and wrapped arrays (2 ...). */
START_TEST(sums_and_vectors_are_right_on_every_kind)
{
  const int kinds = 5, kx = _i % kinds, ky = _i / kinds;
  double *x = support_random(576, -1, 2, 5), *y = support_random(576, -1, 1, 6), d, mean, max;
  const int low[3] = {0, 0, 0};
  const ptrdiff_t rows[3] = {1, 8, 48};
  hymg_field *f[2] = {NULL};
  array a[2] = {{.data = NULL}};
  for (int m = 0; m < 2; m++) {
    const int kind = m ? ky : kx;
    if (kind >= 2) a[m] = make_array(HYMG_CELL, kind - 1), f[m] = wrap(a + m, HYMG_CELL);
    if (kind < 2)
      OK(kit.context,
         hymg_field_create(kit.grid, kind ? NULL : kit.solver, HYMG_CELL, HYMG_DOUBLE, f + m));
    OK(kit.context, hymg_field_write(f[m], low, kit.n, rows, m ? y : x, HYMG_HOST));
  }
  OK(kit.context, hymg_field_dot(f[0], f[1], &d));
  ck_assert_double_eq_tol(d, support_dot(576, x, y), 1e-13);
  OK(kit.context, hymg_field_max(f[0], &max));
  ck_assert_double_eq(max, support_max(576, x));
  OK(kit.context, hymg_field_axpy(-0.5, f[0], f[1]));
  OK(kit.context, hymg_field_remove_mean(f[0]));
  OK(kit.context, hymg_field_mean(f[0], &mean));
  ck_assert(fabs(mean) < 1e-16);
  double want = 0, *got = support_poison(576), *moved = support_poison(576);
  for (int m = 0; m < 576; m++)
    want += x[m] / 576;
  OK(kit.context, hymg_field_read(f[0], low, kit.n, rows, moved, HYMG_HOST));
  OK(kit.context, hymg_field_read(f[1], low, kit.n, rows, got, HYMG_HOST));
  for (int m = 0; m < 576; m++) {
    ck_assert_double_eq_tol(moved[m], x[m] - want, 1e-15);
    ck_assert_double_eq_tol(got[m], y[m] - 0.5 * x[m], 1e-15);
  }
  OK(kit.context, hymg_field_copy(f[0], f[1]));
  OK(kit.context, hymg_field_read(f[1], low, kit.n, rows, got, HYMG_HOST));
  ck_assert(support_same_bits(576, got, moved));
  for (int m = 0; m < 2; m++) {
    if (a[m].data) check_ghosts(a + m);
    hymg_field_destroy(f + m);
    free(a[m].data);
  }
  free(x), free(y), free(got), free(moved);
}
END_TEST

/* Coefficients, boundary data, f and u in arrays of the user: the bits of plain fields. */
START_TEST(a_problem_in_arrays_has_the_same_solution)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 6, 12}, "dd pp dn", 0.5);
  support_case_add_boundaries(&c);
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.cycle = HYMG_CYCLE_V, o.path = _i ? HYMG_PATH_ROBUST : HYMG_PATH_STANDARD;
  support_kit k = support_open(&c.spec, NULL, &o);
  const support_kit before = kit;
  kit.context = k.context, kit.grid = k.grid; /* what wrap uses */
  hymg_operator_desc desc = k.desc;
  hymg_field *wrapped[10] = {NULL};
  array a[10] = {{.data = NULL}};
  for (int m = 0; m < 10; m++) {
    if (!k.coefficient[m]) continue;
    a[m] = make_array((hymg_centering)m, m);
    wrapped[m] = wrap(a + m, (hymg_centering)m);
    OK(k.context, hymg_field_copy(k.coefficient[m], wrapped[m]));
    if (m == 0) desc.alpha = wrapped[m];
    if (m >= 1 && m <= 3) desc.beta[m - 1] = wrapped[m];
    if (m >= 4) desc.boundary_data[m - 4] = wrapped[m];
  }
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  const hymg_options solved = support_options(o);
  OK(k.context, hymg_operator_create(k.grid, &desc, &op));
  OK(k.context, hymg_solver_create(op, &solved, &solver));
  double *values = support_random(576, -1, 1, 12);
  array fa = make_array(HYMG_CELL, 4), ua = make_array(HYMG_CELL, 1);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  hymg_field *wf = wrap(&fa, HYMG_CELL), *wu = wrap(&ua, HYMG_CELL);
  OK(k.context, hymg_field_copy(f, wf));
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  OK(k.context, hymg_solve(solver, wf, wu, NULL));
  double *want = support_read(&k, 0, u);
  for (size_t m = 0; m < 576; m++)
    ck_assert_msg(*entry(&ua, m) == want[m], "cell %zu: %g, not %g", m, *entry(&ua, m), want[m]);
  OK(k.context, hymg_solver_update(solver)); /* reads them again */
  OK(k.context, hymg_field_fill(wu, 0));
  OK(k.context, hymg_solve(solver, wf, wu, NULL));
  for (size_t m = 0; m < 576; m++)
    ck_assert(*entry(&ua, m) == want[m] && *entry(&fa, m) == values[m]);
  *entry(a + HYMG_FACE_X, 5) = -1;
  support_assert_error(k.context, hymg_solver_update(solver), HYMG_EINVAL, "beta", "x = -1", NULL);
  check_ghosts(&ua), check_ghosts(&fa);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  for (int m = 0; m < 10; m++)
    hymg_field_destroy(wrapped + m), free(a[m].data);
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&wf), hymg_field_destroy(&wu);
  free(want), free(values), free(fa.data), free(ua.data);
  support_close(&k);
  support_case_free(&c);
  kit = before;
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
  double data[576] = {0};
  const int low[3] = {0, 0, 0}, high[3] = {1, 0, 0}, few[3] = {8, 6, 11}, bad[3] = {8, -6, 12};
  const ptrdiff_t rows[3] = {1, 8, 48};
  hymg_field *f = NULL, *cells = NULL, *faces = NULL;
#define WRAP(space, centering, l, n, d)                                                            \
  hymg_field_wrap(kit.grid, space, centering, HYMG_DOUBLE, l, n, rows, d, &f)
  support_assert_error(kit.context, WRAP(HYMG_HOST, HYMG_CELL, low, few, data), HYMG_EINVAL,
                       "0 to 10 along z", "0 to 11", NULL);
  support_assert_error(kit.context, WRAP(HYMG_HOST, HYMG_CELL, high, kit.n, data), HYMG_EINVAL,
                       "1 to 8 along x", "0 to 7", NULL);
  support_assert_error(kit.context, WRAP(HYMG_HOST, HYMG_FACE_Z, low, kit.n, data), HYMG_EINVAL,
                       "z faces 0 to 12", NULL);
  support_assert_error(kit.context, WRAP(HYMG_HOST, HYMG_CELL, low, kit.n, NULL), HYMG_EINVAL,
                       "NULL", NULL);
  support_assert_error(kit.context, WRAP(HYMG_HOST, HYMG_CELL, low, bad, data), HYMG_EINVAL, "-6",
                       NULL);
  support_assert_error(kit.context, WRAP((hymg_space)2, HYMG_CELL, low, kit.n, data), HYMG_EINVAL,
                       "memory space 2: 0 (host) or 1 (device)", NULL);
#undef WRAP
  ck_assert_ptr_null(f);
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &cells));
  OK(kit.context, hymg_field_create(kit.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &faces));
  double d;
  support_assert_error(kit.context, hymg_field_copy(cells, faces), HYMG_EINVAL, "cells", "x faces",
                       NULL);
  support_assert_error(kit.context, hymg_field_dot(cells, faces, &d), HYMG_EINVAL, "x faces", NULL);
  support_assert_error(kit.context, hymg_field_remove_mean(faces), HYMG_EINVAL, "x faces", NULL);
  hymg_field_destroy(&cells), hymg_field_destroy(&faces);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("wrap");
  TCase *t = tcase_create("wrap");
  tcase_add_checked_fixture(t, open_kit, close_kit);
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, reads_and_writes_go_to_the_array, 0, 60);
  tcase_add_loop_test(t, bricks_of_it_are_read_and_written, 0, 6);
  tcase_add_loop_test(t, sums_and_vectors_are_right_on_every_kind, 0, 25);
  tcase_add_loop_test(t, a_problem_in_arrays_has_the_same_solution, 0, 2);
  tcase_add_test(t, what_cannot_be_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
