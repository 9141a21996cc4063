/* Fields over arrays in device memory: read, write, solve and cycle without a copy of them in host
 * memory that the program would see; arrays of the host for a solver on the GPU, and of the GPU for
 * one on the host. The cycle on the GPU has the host's bits. */
#include "support/gpu.h"
#include "support/support.h"
#include <stdlib.h>

static const int n[3] = {16, 6, 10};
enum { CELLS = 16 * 6 * 10, GHOST = 2 };

/* z fastest, with ghost layers. */
static const ptrdiff_t stride[3] = {(6 + 2 * GHOST) * (10 + 2 * GHOST), 10 + 2 * GHOST, 1};
enum { SIZE = (16 + 2 * GHOST) * (6 + 2 * GHOST) * (10 + 2 * GHOST) };

static support_kit open_kit(hymg_backend backend, const support_case *c)
{
  hymg_options o = hymg_options_preconditioner();
  o.backend = backend;
  o.host_cells = 0;
  return support_open(&c->spec, NULL, &o);
}

static support_case make_case(void)
{
  support_case c = support_case_of(HYMG_FV2, n, "dd pp dn", 0.2);
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  c.spec.smoother = HYMG_CHEBYSHEV, c.spec.sweeps = 6, c.spec.bottom = HYMG_BOTTOM_SWEEPS;
  return c;
}

static hymg_field *wrapped(support_kit *k, hymg_space space, double *data)
{
  const int low[3] = {0, 0, 0};
  hymg_field *f = NULL;
  OK(k->context, hymg_field_wrap(k->grid, space, HYMG_CELL, HYMG_DOUBLE, low, n, stride,
                                 data + GHOST * (stride[0] + stride[1] + stride[2]), &f));
  return f;
}

/* The cycle for f from 0, then from its result; plain values. */
static double *cycled(support_kit *k, const hymg_field *f, hymg_field *u)
{
  OK(k->context, hymg_solver_cycle(k->solver, HYMG_CYCLE_V, false, f, u));
  OK(k->context, hymg_solver_cycle(k->solver, HYMG_CYCLE_V, true, f, u));
  return support_read(k, 0, u);
}

START_TEST(arrays_of_either_memory_serve_either_backend)
{
  const hymg_space space = _i % 2 ? HYMG_DEVICE : HYMG_HOST;
  support_case c = make_case();
  support_kit k = open_kit(_i / 2 ? HYMG_BACKEND_CUDA : HYMG_BACKEND_HOST, &c);
  support_kit host = open_kit(HYMG_BACKEND_HOST, &c);
  double *values = support_random(CELLS, -1, 1, 3);
  double *data[2], *back = support_poison(SIZE);
  for (int m = 0; m < 2; m++)
    data[m] = space == HYMG_DEVICE ? support_gpu_alloc(SIZE) : support_poison(SIZE);
  hymg_field *f = wrapped(&k, space, data[0]), *u = wrapped(&k, space, data[1]);
  hymg_field *plain_f = support_field(&host, 0, values), *plain_u = support_field(&host, 0, values);
  const int low[3] = {0, 0, 0};
  const ptrdiff_t rows[3] = {1, 16, 96};
  OK(k.context, hymg_field_write(f, low, n, rows, values, HYMG_HOST));
  double *got = cycled(&k, f, u), *want = cycled(&host, plain_f, plain_u), a, b;
  ck_assert(support_same_bits(CELLS, got, want));
  OK(k.context, hymg_field_dot(f, u, &a));
  OK(host.context, hymg_field_dot(plain_f, plain_u, &b));
  ck_assert(a == b);
  OK(k.context, hymg_solve(k.solver, f, u, NULL));
  OK(host.context, hymg_solve(host.solver, plain_f, plain_u, NULL));
  free(got), free(want);
  got = support_read(&k, 0, u), want = support_read(&host, 0, plain_u);
  ck_assert(support_same_bits(CELLS, got, want));
  size_t numbers = 0;
  if (space == HYMG_DEVICE) support_gpu_copy(back, data[1], SIZE);
  for (size_t m = 0; m < SIZE; m++) {
    const double x = space == HYMG_DEVICE ? back[m] : data[1][m];
    numbers += x == x;
  }
  ck_assert_uint_eq(numbers, CELLS); /* ghost layers are as they were */
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  hymg_field_destroy(&plain_f), hymg_field_destroy(&plain_u);
  for (int m = 0; m < 2; m++)
    if (space == HYMG_DEVICE)
      support_gpu_free(data[m]);
    else
      free(data[m]);
  free(got), free(want), free(values), free(back);
  support_close(&k), support_close(&host);
  support_case_free(&c);
}
END_TEST

/* Queued on the stream: the program's copy that was queued before is read, and what it queues after
 * reads the result, without a wait in between. */
START_TEST(cycles_are_ordered_by_the_stream)
{
  struct CUstream_st *stream = support_gpu_stream();
  hymg_context_options co = hymg_context_options_default();
  hymg_context *context = NULL;
  co.stream = stream;
  ck_assert_int_eq(hymg_context_create(&co, &context), HYMG_OK);
  support_case c = make_case();
  hymg_options o = hymg_options_preconditioner();
  o.backend = HYMG_BACKEND_CUDA, o.host_cells = 0;
  const support_layout layout = {.context = context};
  support_kit k = support_open(&c.spec, &layout, &o), host = open_kit(HYMG_BACKEND_HOST, &c);
  double *pinned = support_gpu_pinned(2 * SIZE), *data[2], *want = NULL;
  double *values = support_random(SIZE, -1, 1, 5);
  for (int m = 0; m < 2; m++)
    data[m] = support_gpu_alloc(SIZE);
  hymg_field *f = wrapped(&k, HYMG_DEVICE, data[0]), *u = wrapped(&k, HYMG_DEVICE, data[1]);
  hymg_field *hf = wrapped(&host, HYMG_HOST, values), *hu = support_field(&host, 0, values);
  for (int m = 0; m < SIZE; m++)
    pinned[m] = values[m];
  for (int round = 0; round < 3; round++) { /* the first binds, the second records a graph */
    support_gpu_copy_on(stream, data[0], pinned, SIZE);
    OK(k.context, hymg_solver_cycle(k.solver, HYMG_CYCLE_V, false, f, u));
    support_gpu_copy_on(stream, pinned + SIZE, data[1], SIZE);
  }
  support_gpu_wait(stream);
  OK(host.context, hymg_solver_cycle(host.solver, HYMG_CYCLE_V, false, hf, hu));
  want = support_read(&host, 0, hu);
  for (int m = 0; m < CELLS; m++) {
    const int i = m % 16 + GHOST, j = m / 16 % 6 + GHOST, l = m / 96 + GHOST;
    ck_assert(pinned[SIZE + i * stride[0] + j * stride[1] + l] == want[m]);
  }
  hymg_field_destroy(&f), hymg_field_destroy(&u), hymg_field_destroy(&hf), hymg_field_destroy(&hu);
  for (int m = 0; m < 2; m++)
    support_gpu_free(data[m]);
  support_gpu_free_pinned(pinned);
  free(want), free(values);
  support_close(&k), support_close(&host);
  support_case_free(&c);
  hymg_context_destroy(&context);
  support_gpu_stream_end(stream);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("wrap on the GPU");
  TCase *t = tcase_create("wrap on the GPU");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, arrays_of_either_memory_serve_either_backend, 0, 4);
  tcase_add_test(t, cycles_are_ordered_by_the_stream);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
