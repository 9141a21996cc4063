/* Fields: bricks and strides of write and read, every centering, sums and norms, axpy over layouts,
 * and what is refused with the destination left as it was. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static support_kit kit;
static support_case plain;

static void open_kit(void)
{
  support_layout layout = {.threads = 2, .boxes = {2, 1, 3}};
  plain = support_case_of(HYMG_FV2, (const int[3]){8, 6, 12}, "dd pp dd", 0.0);
  kit = support_open(&plain.spec, &layout, NULL);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&plain);
}

static hymg_field *field(hymg_centering centering)
{
  hymg_field *f = NULL;
  OK(kit.context, hymg_field_create(kit.grid, NULL, centering, HYMG_DOUBLE, &f));
  return f;
}

static void extent(hymg_centering centering, int n[3])
{
  for (int d = 0; d < 3; d++)
    n[d] = kit.n[d];
  if (centering >= HYMG_BOUNDARY_X_LOW)
    n[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    n[centering - HYMG_FACE_X]++;
}

START_TEST(every_centering_reads_back_what_was_written)
{
  static const int low[3] = {0, 0, 0};
  hymg_centering centering = (hymg_centering)_i;
  int n[3];
  extent(centering, n);
  size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  ptrdiff_t rows[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]},
            columns[3] = {(ptrdiff_t)n[1] * n[2], n[2], 1};
  double *x = support_random(size, -1, 1, 1), *y = support_poison(size);
  hymg_field *f = field(centering);
  OK(kit.context, hymg_field_read(f, low, n, rows, y, HYMG_HOST));
  ck_assert_double_eq(support_max(size, y), 0.0);
  OK(kit.context, hymg_field_write(f, low, n, rows, x, HYMG_HOST));
  OK(kit.context, hymg_field_read(f, low, n, columns, y, HYMG_HOST));
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        int wraps = centering == HYMG_FACE_Y &&
                    j == 6; /* repeats entry 0 of a periodic axis: either is fine */
        double got = y[i * columns[0] + j * columns[1] + k], want = x[(k * n[1] + j) * n[0] + i];
        if (!wraps) ck_assert_msg(got == want, "entry %d %d %d: %g, not %g", i, j, k, got, want);
      }
  hymg_field_destroy(&f);
  free(x);
  free(y);
}
END_TEST

START_TEST(a_brick_touches_nothing_outside_it)
{
  const int low[3] = {3, 2, 5}, count[3] = {4, 1, 6}, zero[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {3, PTRDIFF_MAX, 14}, rows[3] = {1, 8, 48};
  double data[100], all[576];
  for (int i = 0; i < 100; i++)
    data[i] = i + 1;
  hymg_field *f = NULL;
  OK(kit.context, hymg_field_create(kit.grid, _i ? kit.solver : NULL, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(kit.context, hymg_field_fill(f, -1.0));
  OK(kit.context, hymg_field_write(f, low, count, stride, data, HYMG_HOST));
  OK(kit.context, hymg_field_read(f, zero, kit.n, rows, all, HYMG_HOST));
  for (int e = 0; e < 576; e++) {
    int at[3] = {e % 8 - low[0], e / 8 % 6 - low[1], e / 48 - low[2]}, inside = 1;
    for (int d = 0; d < 3; d++)
      inside = inside && at[d] >= 0 && at[d] < count[d];
    ck_assert_double_eq(all[e], inside ? 3 * at[0] + 14 * at[2] + 1 : -1.0);
  }
  for (int i = 0; i < 100; i++)
    data[i] = -5.0;
  OK(kit.context, hymg_field_read(f, low, count, stride, data, HYMG_HOST));
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 6; k++) {
      ck_assert_double_eq(data[3 * i + 14 * k], 3 * i + 14 * k + 1);
      data[3 * i + 14 * k] = -5.0;
    }
  for (int i = 0; i < 100; i++)
    ck_assert_double_eq(data[i], -5.0);
  hymg_field_destroy(&f);
}
END_TEST

START_TEST(max_rms_and_mean_are_right)
{
  double *x = support_random(576, -1, 0.5, 7), max, rms, mean, want = 0.0;
  for (int i = 0; i < 576; i++)
    want += x[i] / 576;
  hymg_field *f = support_field(&kit, 0, x);
  OK(kit.context, hymg_field_max(f, &max));
  OK(kit.context, hymg_field_rms(f, &rms));
  OK(kit.context, hymg_field_mean(f, &mean));
  ck_assert_double_eq(max, support_max(576, x));
  ck_assert_double_eq_tol(rms, support_rms(576, x), 1e-14);
  ck_assert_double_eq_tol(mean, want, 1e-14);
  OK(kit.context, hymg_field_fill(f, -3.0));
  OK(kit.context, hymg_field_mean(f, &mean));
  OK(kit.context, hymg_field_rms(f, &rms));
  ck_assert_double_eq(mean, -3.0);
  ck_assert_double_eq_tol(rms, 3.0, 1e-15);
  hymg_field_destroy(&f);
  free(x);
}
END_TEST

/* Sums of numbers of very unlike size, which any change of order would round otherwise. */
START_TEST(sums_have_the_same_bits_for_any_boxes_and_threads)
{
  double *x = support_random(576, -1, 1, 8), first[2] = {0, 0};
  for (int i = 0; i < 576; i++)
    x[i] *= pow(10.0, i % 40 - 20);
  for (int run = 0; run < 4; run++) {
    static const int boxes[4][3] = {{1, 1, 1}, {2, 3, 2}, {4, 1, 3}, {1, 3, 6}};
    support_layout layout = {.threads = 1 + run,
                             .boxes = {boxes[run][0], boxes[run][1], boxes[run][2]}};
    support_kit k = support_open(&plain.spec, &layout, NULL);
    hymg_field *f = support_field(&k, 0, x);
    double sums[2];
    OK(k.context, hymg_field_mean(f, &sums[0]));
    OK(k.context, hymg_field_rms(f, &sums[1]));
    if (run == 0) first[0] = sums[0], first[1] = sums[1];
    ck_assert_msg(support_same_bits(2, sums, first), "mean %.17g, not %.17g", sums[0], first[0]);
    hymg_field_destroy(&f);
    support_close(&k);
  }
  free(x);
}
END_TEST

START_TEST(a_nan_is_the_maximum)
{
  double *x = support_random(576, -1, 1, 9), max = 0.0;
  x[77] = NAN;
  hymg_field *f = support_field(&kit, 0, x);
  OK(kit.context, hymg_field_max(f, &max));
  ck_assert_double_nan(max);
  hymg_field_destroy(&f);
  free(x);
}
END_TEST

START_TEST(axpy_adds_over_layouts)
{
  double *x = support_random(576, -1, 1, 1), *y = support_random(576, -1, 1, 2);
  hymg_field *a = field(HYMG_CELL), *b = NULL;
  static const int low[3] = {0, 0, 0};
  const ptrdiff_t rows[3] = {1, 8, 48};
  OK(kit.context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &b));
  OK(kit.context, hymg_field_write(a, low, kit.n, rows, x, HYMG_HOST));
  OK(kit.context, hymg_field_write(b, low, kit.n, rows, y, HYMG_HOST));
  OK(kit.context, hymg_field_axpy(-2.0, _i ? a : b, _i ? b : a));
  double *got = support_read(&kit, 0, _i ? b : a);
  for (int i = 0; i < 576; i++)
    ck_assert_double_eq(got[i], _i ? y[i] - 2.0 * x[i] : x[i] - 2.0 * y[i]);
  hymg_field_destroy(&a);
  hymg_field_destroy(&b);
  free(x);
  free(y);
  free(got);
}
END_TEST

START_TEST(bricks_outside_the_field_are_refused)
{
  static const int bad[6][2][3] = {{{-1, 0, 0}, {2, 1, 1}}, {{0, 0, 0}, {9, 1, 1}},
                                   {{0, 5, 0}, {1, 2, 1}},  {{0, 0, 12}, {1, 1, 1}},
                                   {{0, 0, 0}, {1, -1, 1}}, {{2147483647, 0, 0}, {2, 1, 1}}};
  const ptrdiff_t rows[3] = {1, 8, 48};
  double data[16] = {5.0, 6.0};
  hymg_field *f = field(HYMG_CELL);
  support_assert_error(kit.context,
                       hymg_field_read(f, bad[_i][0], bad[_i][1], rows, data, HYMG_HOST),
                       HYMG_EINVAL, NULL);
  ck_assert_str_ne(hymg_context_error(kit.context), "");
  support_assert_error(kit.context,
                       hymg_field_write(f, bad[_i][0], bad[_i][1], rows, data, HYMG_HOST),
                       HYMG_EINVAL, NULL);
  ck_assert_double_eq(data[0], 5.0);
  ck_assert_double_eq(data[1], 6.0);
  hymg_field_destroy(&f);
}
END_TEST

START_TEST(other_misuse_is_refused)
{
  static const int low[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  const ptrdiff_t rows[3] = {1, 8, 48};
  double value = 4.0;
  hymg_field *f = field(HYMG_CELL), *face = field(HYMG_FACE_Y), *coarse = NULL, *none = NULL;
  support_assert_error(kit.context, hymg_field_read(f, low, one, rows, NULL, HYMG_HOST),
                       HYMG_EINVAL, "NULL", NULL);
  support_assert_error(kit.context, hymg_field_write(f, low, one, rows, NULL, HYMG_HOST),
                       HYMG_EINVAL, "NULL", NULL);
  if (!hymg_build_info().cuda[0])
    support_assert_error(kit.context, hymg_field_read(f, low, one, rows, &value, HYMG_DEVICE),
                         HYMG_EUNSUPPORTED, "1", "device", NULL);
  support_assert_error(kit.context,
                       hymg_field_create(kit.grid, NULL, (hymg_centering)42, HYMG_DOUBLE, &none),
                       HYMG_EINVAL, "centering 42: 0 (cells) to 9 (z+ wall)", NULL);
  support_assert_error(kit.context,
                       hymg_field_create(kit.grid, NULL, HYMG_CELL, (hymg_precision)3, &none),
                       HYMG_EUNSUPPORTED, "3", NULL);
  support_assert_error(kit.context,
                       hymg_field_create(kit.grid, kit.solver, HYMG_FACE_X, HYMG_DOUBLE, &none),
                       HYMG_EINVAL, "cell", NULL);
  ck_assert_ptr_null(none);
  OK(kit.context, hymg_field_create_on_level(kit.solver, 1, &coarse));
  support_assert_error(kit.context, hymg_field_axpy(1.0, coarse, f), HYMG_EINVAL, NULL);
  support_assert_error(kit.context, hymg_field_axpy(1.0, face, f), HYMG_EINVAL, NULL);
  support_assert_error(kit.context, hymg_field_max(face, &value), HYMG_EINVAL, NULL);
  ck_assert_double_eq(value, 4.0);
  hymg_field_destroy(&f);
  hymg_field_destroy(&face);
  hymg_field_destroy(&coarse);
}
END_TEST

START_TEST(a_text_says_what_was_refused_on_every_context)
{
  support_kit other = support_open(&plain.spec, &(support_layout){.threads = 1}, NULL);
  hymg_field *x = field(HYMG_CELL), *y = NULL;
  double value = 7;
  support_assert_error(kit.context, hymg_field_max(x, NULL), HYMG_EINVAL, "hymg_field_max", "NULL",
                       NULL);
  support_assert_error(kit.context, hymg_field_dot(x, NULL, &value), HYMG_EINVAL, "hymg_field_dot",
                       "NULL", NULL);
  OK(other.context, hymg_field_create(other.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &y));
  support_assert_error(kit.context, hymg_field_axpy(1, x, y), HYMG_EINVAL, "hymg_field_axpy",
                       "contexts", NULL);
  support_assert_error(other.context, HYMG_EINVAL, HYMG_EINVAL, "hymg_field_axpy", "contexts",
                       NULL);
  ck_assert_double_eq(value, 7);
  hymg_field_destroy(&x);
  hymg_field_destroy(&y);
  support_close(&other);
}
END_TEST

START_TEST(an_empty_brick_is_fine_and_needs_no_data)
{
  static const int low[3] = {8, 0, 3}, count[3] = {0, 6, 2};
  const ptrdiff_t rows[3] = {1, 8, 48};
  double max;
  hymg_field *f = field(HYMG_CELL);
  OK(kit.context, hymg_field_fill(f, 2.0));
  OK(kit.context, hymg_field_write(f, low, count, rows, NULL, HYMG_HOST));
  OK(kit.context, hymg_field_read(f, low, count, rows, NULL, HYMG_HOST));
  OK(kit.context, hymg_field_max(f, &max));
  ck_assert_double_eq(max, 2.0);
  hymg_field_destroy(&f);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fields");
  TCase *t = tcase_create("fields");
  tcase_add_checked_fixture(t, open_kit, close_kit);
  tcase_add_loop_test(t, every_centering_reads_back_what_was_written, 0, 10);
  tcase_add_loop_test(t, a_brick_touches_nothing_outside_it, 0, 2);
  tcase_add_test(t, max_rms_and_mean_are_right);
  tcase_add_test(t, sums_have_the_same_bits_for_any_boxes_and_threads);
  tcase_add_test(t, a_nan_is_the_maximum);
  tcase_add_loop_test(t, axpy_adds_over_layouts, 0, 2);
  tcase_add_loop_test(t, bricks_outside_the_field_are_refused, 0, 6);
  tcase_add_test(t, other_misuse_is_refused);
  tcase_add_test(t, a_text_says_what_was_refused_on_every_context);
  tcase_add_test(t, an_empty_brick_is_fine_and_needs_no_data);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
