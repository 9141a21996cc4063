/* Fields on the GPU: every centering in host and device memory, written and read through host and
 * device pointers, with strides of any sign and order and arbitrary bricks; coefficients and
 * boundary data that never pass through the host. Outputs are poisoned first. */
#include "support/gpu.h"
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* odd, split by colour and merged from boxes */
static const int sizes[3][3] = {{7, 5, 6}, {16, 12, 8}, {24, 8, 12}};
static const hymg_space spaces[2] = {HYMG_HOST, HYMG_DEVICE};

static support_kit kit;
static support_case plain;

static void open_kit_of(const int n[3], const support_layout *layout)
{
  hymg_options o = hymg_options_default();
  o.backend = HYMG_BACKEND_CUDA;
  o.host_cells = 0;
  plain = support_case_of(HYMG_FV2, n, "dd pp nd", 0.0);
  kit = support_open(&plain.spec, layout, &o);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&plain);
}

static hymg_field *field_in(hymg_space space, hymg_centering centering)
{
  hymg_field *f = NULL;
  OK(kit.context, hymg_field_create_in(kit.grid, space, centering, HYMG_DOUBLE, &f));
  return f;
}

/* Plain rows in both memories, the solver's rows on level 0 (split by colour where they are long).
 * */
static hymg_field *cell_field(int home)
{
  hymg_field *f = NULL;
  if (home < 2) return field_in(spaces[home], HYMG_CELL);
  OK(kit.context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &f));
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

/* ---- the user's arrays ---- */

/* An array around a brick: strides, and where the brick's first entry is. */
typedef struct array {
  hymg_space space;
  int low[3], count[3];
  ptrdiff_t stride[3];
  size_t size, first;
  double *host, *device; /* a copy on the host in either case */
} array;

enum { ORDERS = 6, SIGNS = 8, GAP = 3 };

/* Axes from the fastest to the slowest in one of 6 orders, each forwards or backwards, with gaps.
 * */
static array array_of(hymg_space space, const int low[3], const int count[3], int order, int signs)
{
  static const int axes[ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                      {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  array a = {.space = space, .size = 1, .first = 0};
  for (int d = 0; d < 3; d++) {
    const int axis = axes[order][d];
    a.low[axis] = low[axis];
    a.count[axis] = count[axis];
    a.stride[axis] = (ptrdiff_t)a.size * (d == 0 && order % 2 ? 2 : 1);
    a.size = (size_t)a.stride[axis] * (size_t)count[axis] + (d < 2 ? GAP : 0);
  }
  for (int axis = 0; axis < 3; axis++)
    if (signs >> axis & 1) {
      a.first += (size_t)(a.stride[axis] * (count[axis] - 1));
      a.stride[axis] = -a.stride[axis];
    }
  a.host = support_poison(a.size);
  if (space == HYMG_DEVICE) a.device = support_gpu_alloc(a.size);
  return a;
}

static void array_free(array *a)
{
  free(a->host);
  if (a->device) support_gpu_free(a->device);
}

static double *entry(array *a, int i, int j, int k)
{
  return a->host + (ptrdiff_t)a->first + i * a->stride[0] + j * a->stride[1] + k * a->stride[2];
}

static void write_field(hymg_field *f, array *a)
{
  double *data = (a->device ? a->device : a->host) + a->first;
  if (a->device) support_gpu_copy(a->device, a->host, a->size);
  OK(kit.context, hymg_field_write(f, a->low, a->count, a->stride, data, a->space));
}

static void read_field(const hymg_field *f, array *a)
{
  double *data = (a->device ? a->device : a->host) + a->first;
  OK(kit.context, hymg_field_read(f, a->low, a->count, a->stride, data, a->space));
  if (a->device) support_gpu_copy(a->host, a->device, a->size);
}

static double value_at(int i, int j, int k)
{
  return 1.0 + i + 100.0 * j + 10000.0 * k;
}

#define ENTRIES(count, i, j, k)                                                                    \
  for (int k = 0; k < (count)[2]; k++)                                                             \
    for (int j = 0; j < (count)[1]; j++)                                                           \
      for (int i = 0; i < (count)[0]; i++)

/* Number of entries of the array that are not NaN. */
static size_t written(const array *a)
{
  size_t count = 0;
  for (size_t e = 0; e < a->size; e++)
    count += !isnan(a->host[e]);
  return count;
}

/* The brick holds value_at of the place in the field, and nothing around it was touched. */
static void assert_brick(array *a, const char *what)
{
  ENTRIES(a->count, i, j, k)
  {
    const double got = *entry(a, i, j, k),
                 want = value_at(a->low[0] + i, a->low[1] + j, a->low[2] + k);
    ck_assert_msg(got == want, "%s: entry %d %d %d is %g, not %g", what, i, j, k, got, want);
  }
  ck_assert_uint_eq(written(a), (size_t)a->count[0] * (size_t)a->count[1] * (size_t)a->count[2]);
}

static void fill_array(array *a)
{
  ENTRIES(a->count, i, j, k)
  *entry(a, i, j, k) = value_at(a->low[0] + i, a->low[1] + j, a->low[2] + k);
}

/* ---- bricks ---- */

/* The last face of a periodic axis repeats the first. */
static bool wraps(hymg_centering centering)
{
  return centering == HYMG_FACE_Y;
}

/* Field in either memory, written and read with arrays in either: all pairs, all strides. */
static void check_centering(hymg_centering centering, int pairs)
{
  static const int zero[3] = {0, 0, 0};
  int n[3], turn = 0;
  extent(centering, n);
  if (wraps(centering)) n[1]--;
  for (int pair = 0; pair < pairs; pair++) {
    hymg_field *f = field_in(spaces[pair % 2], centering);
    for (int order = 0; order < ORDERS; order++, turn++) {
      array in = array_of(spaces[pair / 2 % 2], zero, n, order, turn % SIGNS);
      array out =
          array_of(spaces[pair / 4 % 2], zero, n, (order + pair) % ORDERS, 7 - turn % SIGNS);
      fill_array(&in);
      OK(kit.context, hymg_field_fill(f, NAN));
      write_field(f, &in);
      read_field(f, &out);
      assert_brick(&out, hymg_build_info().cuda);
      array_free(&in);
      array_free(&out);
    }
    hymg_field_destroy(&f);
  }
}

START_TEST(every_centering_in_and_out_of_every_memory)
{
  open_kit_of(sizes[_i / 10], NULL);
  check_centering((hymg_centering)(_i % 10), 8);
  close_kit();
}
END_TEST

/* Values inside the brick are written, values outside are kept. */
static void check_brick(hymg_field *f, hymg_space space, const int low[3], const int count[3],
                        int order, int signs)
{
  static const int zero[3] = {0, 0, 0};
  array brick = array_of(space, low, count, order, signs);
  array all = array_of(HYMG_HOST, zero, kit.n, 0, 0),
        part = array_of(space, low, count, 5 - order, 0);
  OK(kit.context, hymg_field_fill(f, -1.0));
  fill_array(&brick);
  write_field(f, &brick);
  read_field(f, &all);
  ENTRIES(kit.n, i, j, k)
  {
    const bool inside = i >= low[0] && i < low[0] + count[0] && j >= low[1] &&
                        j < low[1] + count[1] && k >= low[2] && k < low[2] + count[2];
    const double want = inside ? value_at(i, j, k) : -1.0;
    ck_assert_msg(*entry(&all, i, j, k) == want, "cell %d %d %d is %g, not %g", i, j, k,
                  *entry(&all, i, j, k), want);
  }
  read_field(f, &part);
  assert_brick(&part, "part");
  array_free(&brick);
  array_free(&all);
  array_free(&part);
}

START_TEST(bricks_touch_nothing_outside)
{
  static const int corners[4][2][3] = {{{0, 0, 0}, {1, 1, 1}},
                                       {{3, 2, 1}, {4, 3, 5}},
                                       {{2, 4, 0}, {5, 1, 6}},
                                       {{6, 0, 5}, {1, 5, 1}}};
  open_kit_of(sizes[_i / 3], NULL);
  hymg_field *f = cell_field(_i % 3);
  for (int m = 0; m < 4 * 2 * ORDERS; m++)
    check_brick(f, spaces[m % 2], corners[m / 2 % 4][0], corners[m / 2 % 4][1], m / 8,
                (m + m / 8) % SIGNS);
  hymg_field_destroy(&f);
  close_kit();
}
END_TEST

START_TEST(empty_bricks_need_no_data)
{
  static const int low[3] = {3, 0, 2}, count[3] = {2, 0, 1};
  static const ptrdiff_t rows[3] = {1, 7, 35};
  open_kit_of(sizes[0], NULL);
  hymg_field *f = field_in(spaces[_i], HYMG_CELL);
  double max = 0.0;
  OK(kit.context, hymg_field_fill(f, 2.0));
  for (int m = 0; m < 2; m++) {
    OK(kit.context, hymg_field_write(f, low, count, rows, NULL, spaces[m]));
    OK(kit.context, hymg_field_read(f, low, count, rows, NULL, spaces[m]));
  }
  OK(kit.context, hymg_field_max(f, &max));
  ck_assert_double_eq(max, 2.0);
  hymg_field_destroy(&f);
  close_kit();
}
END_TEST

/* A field of a level on the host, below levels on the GPU. */
START_TEST(device_arrays_and_fields_of_the_host)
{
  static const int zero[3] = {0, 0, 0}, n[3] = {4, 4, 4};
  const twin t = twin_of(HYMG_FV2, 8, 8, 8, "dd dd dd");
  const twin_way way = {.name = "crossing", .backend = HYMG_BACKEND_CUDA, .host_cells = 100};
  twin_open o = twin_begin(&t, &way, NULL);
  kit = o.k;
  hymg_field *f = NULL;
  double max;
  array in = array_of(HYMG_DEVICE, zero, n, 0, 0), out = array_of(HYMG_HOST, zero, n, 1, 0),
        device = array_of(HYMG_DEVICE, zero, n, 2, 0);
  OK(kit.context, hymg_field_create_on_level(kit.solver, 1, &f));
  for (int time = 0; time < 3; time++) {
    OK(kit.context, hymg_field_fill(f, 1e9));
    fill_array(&in);
    write_field(f, &in);
    OK(kit.context, hymg_field_max(f, &max));
    ck_assert_double_eq(max, value_at(3, 3, 3));
    read_field(f, &out);
    assert_brick(&out, "written from the device");
    OK(kit.context, hymg_field_read(f, device.low, device.count, device.stride,
                                    device.device + device.first, HYMG_DEVICE));
    OK(kit.context, hymg_field_fill(f, -7));
    support_gpu_copy(device.host, device.device, device.size);
    ENTRIES(n, i, j, k)
    ck_assert_double_eq(*entry(&device, i, j, k), value_at(i, j, k));
  }
  array_free(&in);
  array_free(&out);
  array_free(&device);
  hymg_field_destroy(&f);
  twin_end(&o);
}
END_TEST

/* x and y in any combination of memories. The terms differ in size, so that any other order of
 * summation would round differently; -2 x is exact. */
START_TEST(sums_and_axpy_are_the_hosts)
{
  static const int zero[3] = {0, 0, 0};
  open_kit_of(sizes[_i], NULL);
  const size_t cells = (size_t)hymg_grid_cells(kit.grid);
  const ptrdiff_t rows[3] = {1, kit.n[0], (ptrdiff_t)kit.n[0] * kit.n[1]};
  double *values = support_random(cells, -1, 1, 3), want[3], got[3];
  for (size_t c = 0; c < cells; c++)
    values[c] = ldexp(values[c], (int)(c * 7 % 80) - 40);
  for (int m = 0; m < 9; m++) {
    hymg_field *x = cell_field(m / 3), *y = cell_field(m % 3);
    OK(kit.context, hymg_field_write(x, zero, kit.n, rows, values, HYMG_HOST));
    OK(kit.context, hymg_field_axpy(-2.0, x, y));
    OK(kit.context, hymg_field_max(y, &got[0]));
    OK(kit.context, hymg_field_rms(y, &got[1]));
    OK(kit.context, hymg_field_mean(y, &got[2]));
    if (m == 0) memcpy(want, got, sizeof want); /* all on the host */
    ck_assert_double_eq(got[0], 2.0 * support_max(cells, values));
    ck_assert_msg(support_same_bits(3, got, want), "homes %d and %d: rms %.17g, mean %.17g", m / 3,
                  m % 3, got[1], got[2]);
    hymg_field_destroy(&x);
    hymg_field_destroy(&y);
  }
  close_kit();
  free(values);
}
END_TEST

/* ---- nothing passes through the host ---- */

/* Coefficients, boundary data, f and u in device memory: the same solution as on the host. */
START_TEST(a_solve_from_device_to_device_is_the_hosts)
{
  twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 16, 12, 8, _i % 2 ? "dd pp dd" : "nd pp dd");
  t.a = 0.75;
  t.boundaries = _i % 2 == 0;
  twin_open host = twin_begin(&t, &twin_host, NULL), o = twin_begin(&t, &twin_ways[_i / 2], NULL);
  twin_solution want = twin_solve(&host);
  static const int zero[3] = {0, 0, 0};
  kit = o.k;
  hymg_operator_desc desc = o.k.desc;
  const hymg_field **place[10] = {&desc.alpha,
                                  &desc.beta[0],
                                  &desc.beta[1],
                                  &desc.beta[2],
                                  &desc.boundary_data[0],
                                  &desc.boundary_data[1],
                                  &desc.boundary_data[2],
                                  &desc.boundary_data[3],
                                  &desc.boundary_data[4],
                                  &desc.boundary_data[5]};
  hymg_field *moved[10] = {NULL};
  for (int c = 0; c < 10; c++) {
    int n[3];
    if (!o.k.coefficient[c]) continue;
    extent((hymg_centering)c, n);
    array a = array_of(HYMG_DEVICE, zero, n, 0, 0);
    read_field(o.k.coefficient[c], &a);
    *place[c] = moved[c] = field_in(HYMG_DEVICE, (hymg_centering)c);
    write_field(moved[c], &a);
    array_free(&a);
  }
  OK(o.k.context, hymg_operator_set(o.k.op, &desc));
  OK(o.k.context, hymg_solver_update(o.k.solver));
  array f = array_of(HYMG_DEVICE, zero, o.k.n, 0, 0);
  read_field(o.ff, &f);
  OK(o.k.context, hymg_field_fill(o.ff, NAN));
  write_field(o.ff, &f);
  twin_solution got = twin_solve(&o);
  twin_same_solution("from device memory", &got, &want);
  for (int c = 0; c < 10; c++)
    hymg_field_destroy(&moved[c]);
  array_free(&f);
  twin_solution_free(&got);
  twin_solution_free(&want);
  twin_end(&host);
  twin_end(&o);
}
END_TEST

/* Invalid values are reported with the same text as on the host. */
START_TEST(bad_coefficients_in_device_memory_are_refused)
{
  static const double bad[4] = {NAN, INFINITY, -0.5, -1e-300};
  static const char *const word[4] = {"nan", "inf", "-0.5", "-1e-300"};
  const int low[3] = {5, 3, 2}, one[3] = {1, 1, 1};
  static const ptrdiff_t stride[3] = {1, 1, 1};
  open_kit_of(sizes[0], NULL);
  hymg_operator_desc desc = kit.desc;
  hymg_field *beta = field_in(HYMG_DEVICE, HYMG_FACE_Z);
  OK(kit.context, hymg_field_fill(beta, 1.0));
  desc.beta[2] = beta;
  OK(kit.context, hymg_operator_set(kit.op, &desc));
  OK(kit.context, hymg_solver_update(kit.solver));
  OK(kit.context, hymg_field_write(beta, low, one, stride, &bad[_i], HYMG_HOST));
  support_assert_error(kit.context, hymg_solver_update(kit.solver), HYMG_EINVAL, "beta", word[_i],
                       "(5, 3, 2)", NULL);
  OK(kit.context, hymg_field_fill(beta, 1.0));
  OK(kit.context, hymg_solver_update(kit.solver));
  hymg_field_destroy(&beta);
  close_kit();
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fields on the GPU");
  TCase *t = tcase_create("bricks");
  tcase_add_loop_test(t, every_centering_in_and_out_of_every_memory, 0, 30);
  tcase_add_loop_test(t, bricks_touch_nothing_outside, 0, 9);
  tcase_add_loop_test(t, empty_bricks_need_no_data, 0, 2);
  tcase_add_test(t, device_arrays_and_fields_of_the_host);
  tcase_add_loop_test(t, sums_and_axpy_are_the_hosts, 0, 3);
  suite_add_tcase(suite, t);
  t = tcase_create("solves");
  tcase_add_loop_test(t, a_solve_from_device_to_device_is_the_hosts, 0, 6);
  tcase_add_loop_test(t, bad_coefficients_in_device_memory_are_refused, 0, 4);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
