/* User streams and devices: calls respect stream order, solvers on two devices do not interfere,
 * and the current device is preserved. */
#include "support/gpu.h"
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"

enum { N = 16, CELLS = N * N * N };

static const int zero[3] = {0, 0, 0}, count[3] = {N, N, N};
static const ptrdiff_t rows[3] = {1, N, N *N};

static hymg_context *context_on(int device, struct CUstream_st *stream)
{
  hymg_context_options o = hymg_context_options_default();
  hymg_context *context = NULL;
  o.device = device;
  o.stream = stream;
  ck_assert_int_eq(hymg_context_create(&o, &context), HYMG_OK);
  return context;
}

/* ---- streams ---- */

static hymg_field *device_field(const support_kit *k)
{
  hymg_field *f = NULL;
  OK(k->context, hymg_field_create_in(k->grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &f));
  return f;
}

/* Solves for u on the stream alone: the user queues a copy, the library its work, the user a copy
 * of the result, then waits once. buffer: pinned, f followed by u. */
static void solve_on(struct CUstream_st *stream, support_kit *k, hymg_field *f, hymg_field *u,
                     double *device, double *buffer)
{
  support_gpu_copy_on(stream, device, buffer, CELLS);
  OK(k->context, hymg_field_write(f, zero, count, rows, device, HYMG_DEVICE));
  OK(k->context, hymg_solve(k->solver, f, u, NULL));
  OK(k->context, hymg_field_read(u, zero, count, rows, device, HYMG_DEVICE));
  support_gpu_copy_on(stream, buffer + CELLS, device, CELLS);
  support_gpu_wait(stream);
}

/* f, 2 f, 4 f, ... solved one after the other in the same memory: the solutions scale by the same
 * factors, bit for bit. */
START_TEST(calls_keep_the_order_of_the_users_stream)
{
  struct CUstream_st *stream = support_gpu_stream();
  const twin t = twin_of(_i ? HYMG_FV4 : HYMG_FV2, N, N, N, "dd pp dd");
  support_layout layout = {.context = context_on(-1, stream)};
  twin_open o = twin_begin(&t, &twin_ways[0], &layout);
  twin_solution want = twin_solve(&o);
  hymg_field *f = device_field(&o.k), *u = device_field(&o.k);
  double *buffer = support_gpu_pinned(2 * CELLS), *device = support_gpu_alloc(CELLS);
  for (int time = 0; time < 5; time++) {
    for (int c = 0; c < CELLS; c++)
      buffer[c] = ldexp(o.f[c], time), buffer[CELLS + c] = NAN;
    solve_on(stream, &o.k, f, u, device, buffer);
    for (int c = 0; c < CELLS; c++)
      buffer[CELLS + c] = ldexp(buffer[CELLS + c], -time);
    ck_assert_msg(support_same_bits(CELLS, buffer + CELLS, want.u), "solve %d differs by %.3g",
                  time, support_difference(CELLS, buffer + CELLS, want.u));
  }
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
  twin_solution_free(&want);
  support_gpu_free(device);
  support_gpu_free_pinned(buffer);
  support_gpu_stream_end(stream);
}
END_TEST

typedef struct early_starts {
  size_t all, over_others;
} early_starts;

static early_starts starts(void)
{
  early_starts s;
  support_gpu_early_starts(&s.all, &s.over_others);
  return s;
}

/* A kernel of a cycle reads coefficients before its predecessor has ended, so none of set-up's kernels
 * starts early, nor is one of them still queued when the first kernel that does is launched: the one that
 * makes a coarse matrix, or a solve's. Likewise in an update. */
START_TEST(no_kernel_starts_early_before_set_up_is_over)
{
  enum { STANDARD, MATRIX, ROBUST, KINDS };
  const int kind = _i % KINDS;
  twin t = twin_of(_i / KINDS ? HYMG_FV4 : HYMG_FV2, N, N, N, "dd dd dd");
  if (kind == ROBUST) t.path = HYMG_PATH_ROBUST;
  support_layout layout = {.context = context_on(-1, NULL)};
  layout.context->matrix_from = kind == MATRIX ? 1 : INT64_MAX;
  const early_starts before = starts();
  twin_open o = twin_begin(&t, &twin_ways[kind == MATRIX], &layout);
  const early_starts created = starts();
  OK(o.k.context, hymg_solver_update(o.k.solver));
  const early_starts updated = starts();
  ck_assert_int_eq(o.k.solver->h.matrix.exists, kind == MATRIX);
  ck_assert_uint_eq(created.over_others, before.over_others);
  ck_assert_uint_eq(updated.over_others, before.over_others);
  if (kind != MATRIX) ck_assert_uint_eq(updated.all, created.all);
  twin_solution s = twin_solve(&o);
  ck_assert_uint_gt(starts().all, updated.all);
  twin_solution_free(&s);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

/* ---- devices ---- */

/* How much memory a block may share is set for the whole process: a small solver on a context of its own
 * takes nothing from a large one. */
START_TEST(contexts_of_two_sizes_in_turn)
{
  static const int sides[2] = {8, 4};
  support_layout layout[2] = {{0}};
  twin_open o[2];
  twin_solution want[2];
  for (int c = 0; c < 2; c++) {
    const twin t = twin_of(_i ? HYMG_FV4 : HYMG_FV2, sides[c], sides[c], sides[c], "dd dd dd");
    twin_open host = twin_begin(&t, &twin_host, NULL);
    want[c] = twin_solve(&host);
    twin_end(&host);
    layout[c].context = context_on(-1, NULL);
    o[c] = twin_begin(&t, &twin_ways[1], &layout[c]);
  }
  for (int time = 0; time < 4; time++) {
    twin_solution got = twin_solve(&o[time % 2]);
    twin_same_solution("on one of two contexts", &got, &want[time % 2]);
    twin_solution_free(&got);
  }
  for (int c = 0; c < 2; c++) {
    twin_end(&o[c]);
    hymg_context_destroy(&layout[c].context);
    twin_solution_free(&want[c]);
  }
}
END_TEST

static int devices(void)
{
  hymg_context *context = context_on(-1, NULL);
  int found = 0;
  OK(context, hymg_device_count(context, &found));
  hymg_context_destroy(&context);
  return found;
}

START_TEST(a_device_that_is_not_there_is_refused)
{
  const int there = devices();
  hymg_context *context = context_on(there, NULL);
  hymg_device_info info;
  char number[16];
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  hymg_field *f = NULL;
  snprintf(number, sizeof number, "%d", there);
  support_assert_error(context, hymg_device_get(context, there, &info), HYMG_EINVAL, number, NULL);
  OK(context, hymg_grid_create(context, &desc, &grid));
  support_assert_error(context, hymg_field_create_in(grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &f),
                       HYMG_EINVAL, number, NULL);
  ck_assert_ptr_null(f);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(every_device_tells_about_itself)
{
  const int there = devices();
  for (int d = 0; d < there; d++) {
    hymg_context *context = context_on(d, NULL);
    hymg_device_info info[2];
    OK(context, hymg_device_get(context, d, &info[0]));
    OK(context, hymg_device_get(context, -1, &info[1]));
    for (int m = 0; m < 2; m++) {
      ck_assert_int_eq(info[m].ordinal, d);
      ck_assert(info[m].name[0] != 0);
      ck_assert_int_ge(info[m].capability[0], 8);
      ck_assert_int_ge(info[m].multiprocessors, 1);
      ck_assert_double_ge(info[m].memory_bytes, info[m].free_bytes);
      ck_assert_double_gt(info[m].free_bytes, 0.0);
    }
    hymg_context_destroy(&context);
  }
}
END_TEST

/* A solver on each device, all used in turn while either one is the current device. */
START_TEST(solvers_on_all_devices_in_turn)
{
  enum { MOST = 4 };
  const int there = devices() < MOST ? devices() : MOST;
  twin_open o[MOST];
  support_layout layout[MOST] = {{0}};
  const twin t = twin_of(_i ? HYMG_FV4 : HYMG_FV2, N, N, N, _i ? "dd dd dd" : "pp pp pp");
  const int before = support_gpu_current();
  twin_open host = twin_begin(&t, &twin_host, NULL);
  twin_solution want = twin_solve(&host);
  twin_end(&host);
  for (int d = 0; d < there; d++) {
    support_gpu_make_current((d + 1) % there);
    layout[d].context = context_on(d, NULL);
    o[d] = twin_begin(&t, &twin_ways[d % 3], &layout[d]);
    ck_assert_int_eq(support_gpu_current(), (d + 1) % there);
  }
  for (int time = 0; time < 3 * there; time++) {
    support_gpu_make_current(time / 2 % there);
    twin_solution got = twin_solve(&o[time % there]);
    ck_assert_int_eq(support_gpu_current(), time / 2 % there);
    twin_same_solution("on one of several devices", &got, &want);
    twin_solution_free(&got);
  }
  for (int d = 0; d < there; d++) {
    twin_end(&o[d]);
    hymg_context_destroy(&layout[d].context);
    ck_assert_int_eq(support_gpu_current(), (3 * there - 1) / 2 % there);
  }
  support_gpu_make_current(before);
  twin_solution_free(&want);
}
END_TEST

int main(void)
{
  support_gpu_emulate("DEVICES", "3"); /* uses the GPUs that exist */
  Suite *suite = suite_create("streams and devices");
  TCase *t = tcase_create("streams");
  tcase_add_loop_test(t, calls_keep_the_order_of_the_users_stream, 0, 2);
  tcase_add_loop_test(t, no_kernel_starts_early_before_set_up_is_over, 0, twin_emulated() ? 6 : 0);
  suite_add_tcase(suite, t);
  t = tcase_create("devices");
  tcase_add_loop_test(t, contexts_of_two_sizes_in_turn, 0, 2);
  tcase_add_test(t, a_device_that_is_not_there_is_refused);
  tcase_add_test(t, every_device_tells_about_itself);
  tcase_add_loop_test(t, solvers_on_all_devices_in_turn, 0, 2);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
