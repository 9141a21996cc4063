/* GPU memory: hymg_solver_need predicts what is allocated; a card that is too small is refused
 * before anything is allocated, with a message that gives the amounts needed and free. */
#include "multigrid/graph_setup.h"
#include "support/gpu.h"
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct usage {
  size_t bytes, alive;
} usage;

static usage in_use(void)
{
  const usage u = {support_gpu_used(), support_gpu_alive()};
  return u;
}

/* ---- a card that is too small ---- */

/* The message contains two amounts in GB, rounded to 0.001: the need, at least so many bytes, and a
 * smaller amount that is free. */
static void assert_both_numbers(const hymg_context *context, double least)
{
  const char *text = hymg_context_error(context);
  double number[2] = {0.0, 0.0};
  int found = 0;
  for (const char *at = text; *at && found < 2; at++) {
    char *end;
    if (*at < '0' || *at > '9') continue;
    const double value = strtod(at, &end);
    if (strncmp(end, " GB", 3) == 0 || strncmp(end, " of ", 4) == 0) number[found++] = value;
    at = end - 1;
  }
  ck_assert_msg(found == 2 && number[0] >= number[1] && number[0] >= least * 1e-9 - 0.0005,
                "\"%s\" does not name %.3f GB or more and less that is free", text, least * 1e-9);
}

typedef struct cube {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_operator_desc desc;
  double cells;
} cube;

/* A cube with constant coefficients whose vectors have the given bytes: the side a multiple of 16.
 * */
static cube cube_of(hymg_stencil stencil, double bytes)
{
  hymg_grid_desc gd = hymg_grid_desc_default();
  cube c = {.desc = hymg_operator_desc_default()};
  gd.n[0] = gd.n[1] = gd.n[2] = 16 * (int)ceil(cbrt(bytes / 8.0) / 16.0);
  c.desc.stencil = stencil;
  ck_assert_int_eq(hymg_context_create(NULL, &c.context), HYMG_OK);
  OK(c.context, hymg_grid_create(c.context, &gd, &c.grid));
  OK(c.context, hymg_operator_create(c.grid, &c.desc, &c.op));
  c.cells = (double)hymg_grid_cells(c.grid);
  return c;
}

static void cube_end(cube *c)
{
  hymg_operator_destroy(&c->op);
  hymg_grid_destroy(&c->grid);
  hymg_context_destroy(&c->context);
}

static hymg_options on_gpu(hymg_memory memory)
{
  hymg_options o = hymg_options_default();
  o.path = HYMG_PATH_STANDARD;
  o.backend = HYMG_BACKEND_CUDA;
  o.host_cells = o.tail_cells = 0;
  o.memory = memory;
  return o;
}

static double total_memory(void)
{
  support_gpu_emulate("MEMORY", "160"); /* MiB; a real card has what it has */
  return (double)support_gpu_total();
}

/* Either a single vector is too large, or one fits but not all of them. */
START_TEST(a_solver_too_large_for_the_card_is_refused_with_both_numbers)
{
  const double vector = total_memory() * (_i % 2 ? 1.1 : 0.3);
  cube c = cube_of(HYMG_FV4, vector);
  const hymg_options o = on_gpu(_i / 2 ? HYMG_MEMORY_MANAGED : HYMG_MEMORY_DEVICE);
  hymg_device_info info;
  OK(c.context, hymg_device_get(c.context, -1, &info));
  const usage before = in_use();
  hymg_solver *solver = NULL;
  support_assert_error(c.context, hymg_solver_create(c.op, &o, &solver), HYMG_ENOMEM, NULL);
  ck_assert_ptr_null(solver);
  assert_both_numbers(c.context, 4.0 * 8.0 * c.cells); /* at least u, f, 1/diagonal, 2nd buffer */
  const usage after = in_use();
  ck_assert_uint_eq(after.bytes, before.bytes);
  ck_assert_uint_eq(after.alive, before.alive);
  cube_end(&c);
}
END_TEST

START_TEST(a_field_too_large_for_the_card_is_refused_with_both_numbers)
{
  cube c = cube_of(HYMG_FV2, 1.1 * total_memory());
  hymg_field *f = NULL;
  support_assert_error(c.context,
                       hymg_field_create_in(c.grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &f),
                       HYMG_ENOMEM, NULL);
  ck_assert_ptr_null(f);
  assert_both_numbers(c.context, 8.0 * c.cells);
  cube_end(&c);
}
END_TEST

/* Fields occupy the memory that the solver needs: creation fails, and succeeds once they are
 * destroyed. */
START_TEST(there_is_room_again_once_fields_are_gone)
{
  enum { MOST = 4096 };
  const double total = total_memory();
  cube c = cube_of(HYMG_FV2, total / 64.0);
  const hymg_options o = on_gpu(HYMG_MEMORY_DEVICE);
  hymg_field *f[MOST];
  hymg_solver *solver = NULL;
  int fields = 0;
  hymg_status status = HYMG_OK;
  while (status == HYMG_OK && fields < MOST) {
    f[fields] = NULL;
    status = hymg_field_create_in(c.grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &f[fields]);
    if (status == HYMG_OK) fields++;
  }
  support_assert_error(c.context, status, HYMG_ENOMEM, NULL);
  ck_assert_int_gt(fields, 8);
  assert_both_numbers(c.context, 8.0 * c.cells);
  support_assert_error(c.context, hymg_solver_create(c.op, &o, &solver), HYMG_ENOMEM, NULL);
  assert_both_numbers(c.context, 2.0 * 8.0 * c.cells);
  while (fields > 0)
    hymg_field_destroy(&f[--fields]);
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  hymg_solver_destroy(&solver);
  cube_end(&c);
}
END_TEST

static double need_of(const cube *c, hymg_options o, hymg_precision precision)
{
  hymg_need need;
  o.precision = precision;
  OK(c->context, hymg_solver_need(c->grid, &c->desc, 0, &o, &need));
  return need.device_bytes;
}

/* On a card with room for double precision alone, AUTO is that, and MIXED is refused. */
START_TEST(auto_does_without_single_precision_where_it_does_not_fit)
{
  cube c = cube_of(HYMG_FV2, 8.0 * 128 * 128 * 128);
  hymg_options o = on_gpu(HYMG_MEMORY_DEVICE);
  char size[32];
  hymg_solver *solver = NULL;
  o.method = HYMG_MG;
  support_gpu_emulate("MEMORY", NULL);
  const double plain = need_of(&c, o, HYMG_DOUBLE), mixed = need_of(&c, o, HYMG_MIXED);
  ck_assert_double_eq(need_of(&c, o, HYMG_PRECISION_AUTO), mixed);
  ck_assert_double_gt(mixed, 1.2 * plain);
  snprintf(size, sizeof size, "%d", (int)((plain + mixed) / 2 / (1 << 20)));
  support_gpu_emulate("MEMORY", size);
  ck_assert_double_eq(need_of(&c, o, HYMG_PRECISION_AUTO), plain);
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  hymg_solver_destroy(&solver);
  o.precision = HYMG_MIXED;
  support_assert_error(c.context, hymg_solver_create(c.op, &o, &solver), HYMG_ENOMEM, NULL);
  assert_both_numbers(c.context, plain);
  cube_end(&c);
}
END_TEST

/* ---- the need ---- */

/* What create takes and what hymg_solver_need said of it, u and f counted in; without what a first
 * solver leaves to the context. */
START_TEST(the_need_is_what_is_taken)
{
  support_gpu_emulate("MEMORY", NULL);
  const double n =
      twin_emulated() ? 64 : 96; /* a vector is larger than what is allowed beside the need */
  cube c = cube_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 8 * n * n * n);
  hymg_options o = on_gpu(HYMG_MEMORY_DEVICE);
  hymg_need need;
  hymg_solver *solver = NULL;
  hymg_field *f = NULL, *u = NULL;
  o.smoother = (hymg_smoother)(_i / 2);
  OK(c.context, hymg_solver_need(c.grid, &c.desc, 0, &o, &need));
  ck_assert_double_gt(need.device_free, need.device_bytes);
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  hymg_solver_destroy(&solver);
  const usage before = in_use();
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  OK(c.context, hymg_field_create(c.grid, solver, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(c.context, hymg_field_create(c.grid, solver, HYMG_CELL, HYMG_DOUBLE, &u));
  OK(c.context, hymg_solve(solver, f, u, NULL));
  const double taken = (double)(in_use().bytes - before.bytes);
  /* each allocation is rounded up to a block of 2 MiB, in the emulation a page of 64 KiB: vectors
   * and lists of every level, two fields, a graph */
  const double block = twin_emulated() ? 65536.0 : 2097152.0;
  const double more = (2.0 * need.num_levels + 8.0) * block;
  ck_assert_msg(taken <= need.device_bytes + more && taken >= need.device_bytes - block,
                "%.0f bytes were to be taken, %.0f were", need.device_bytes, taken);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  hymg_solver_destroy(&solver);
  cube_end(&c);
}
END_TEST

/* Graphs of uniform coefficients; the need of others is an estimate. */
START_TEST(the_need_of_pairs_is_what_is_taken)
{
  if (_i && !twin_emulated()) return; /* pages of managed memory come with their first use */
  support_gpu_emulate("MEMORY", NULL);
  cube c = cube_of(HYMG_FV2, 8.0 * 48 * 48 * 48);
  hymg_options o = on_gpu(_i ? HYMG_MEMORY_MANAGED : HYMG_MEMORY_DEVICE);
  hymg_need need;
  hymg_solver *solver = NULL;
  o.path = HYMG_PATH_ROBUST;
  o.method = HYMG_MG;
  o.transfer = HYMG_TRANSFER_PAIRS;
  OK(c.context, hymg_solver_need(c.grid, &c.desc, 0, &o, &need));
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  hymg_solver_destroy(&solver);
  const usage before = in_use();
  OK(c.context, hymg_solver_create(c.op, &o, &solver));
  const double taken = (double)(in_use().bytes - before.bytes) + 2.0 * 8.0 * c.cells;
  const double block = twin_emulated() ? 65536.0 : 2097152.0, graphs = 64.0;
  ck_assert_msg(taken <= need.device_bytes + (2.0 * need.num_levels + 8.0 + graphs) * block &&
                    taken >= 0.75 * need.device_bytes,
                "%.0f bytes were to be taken, %.0f were", need.device_bytes, taken);
  hymg_solver_destroy(&solver);
  ck_assert_uint_eq(in_use().alive, before.alive);
  cube_end(&c);
}
END_TEST

static hymg_result solve_pairs(const cube *c, hymg_options o, double *u)
{
  const int n = (int)cbrt(c->cells + 0.5);
  const ptrdiff_t stride[3] = {1, n, (ptrdiff_t)n * n};
  hymg_solver *solver = NULL;
  hymg_field *f = NULL, *x = NULL;
  hymg_result r;
  o.path = HYMG_PATH_ROBUST, o.method = HYMG_MGPCG, o.transfer = HYMG_TRANSFER_PAIRS;
  o.rtol = 1e-2;
  OK(c->context, hymg_solver_create(c->op, &o, &solver));
  OK(c->context, hymg_field_create(c->grid, solver, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(c->context, hymg_field_create(c->grid, solver, HYMG_CELL, HYMG_DOUBLE, &x));
  OK(c->context, hymg_field_fill(f, 1));
  OK(c->context, hymg_solve(solver, f, x, &r));
  OK(c->context,
     hymg_field_read(x, (const int[3]){0}, (const int[3]){n, n, n}, stride, u, HYMG_HOST));
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  hymg_solver_destroy(&solver);
  return r;
}

/* A card that has what the solver needs, but not what making graphs takes for a while: the host makes them. */
START_TEST(graphs_are_made_without_room_for_that_on_the_card)
{
  if (!twin_emulated()) return; /* a real card has what it has */
  support_gpu_emulate("MEMORY", NULL);
  cube c = cube_of(HYMG_FV2, 8.0 * 48 * 48 * 48);
  const size_t cells = (size_t)c.cells;
  hymg_options o = on_gpu(HYMG_MEMORY_DEVICE);
  char size[32];
  double *const want = support_poison(cells), *const got = support_poison(cells);
  hymg_need need;
  const hymg_result wanted = solve_pairs(&c, o, want);
  o.path = HYMG_PATH_ROBUST, o.method = HYMG_MGPCG, o.transfer = HYMG_TRANSFER_PAIRS;
  OK(c.context, hymg_solver_need(c.grid, &c.desc, 0, &o, &need));
  const double slack = 8 << 20;
  ck_assert_double_gt(8 * hymgi_graph_build_doubles((int64_t)c.cells), slack);
  snprintf(size, sizeof size, "%d",
           (int)(((double)in_use().bytes + need.device_bytes + slack) / (1 << 20)));
  support_gpu_emulate("MEMORY", size);
  const hymg_result r = solve_pairs(&c, o, got);
  ck_assert_int_eq(r.cycles, wanted.cycles);
  ck_assert(support_same_bits(cells, got, want));
  free(want);
  free(got);
  support_gpu_emulate("MEMORY", NULL);
  cube_end(&c);
}
END_TEST

/* ---- managed memory ---- */

/* Where the host may not touch it while kernels run, as the emulation then sees to: several boxes, whose
 * lists host and kernels read at the same time, give the same bits, in one context after the other. */
START_TEST(lists_are_read_while_kernels_run)
{
  const twin t = twin_of(_i ? HYMG_FV4 : HYMG_FV2, 16, 8, 8, "dd pp dd");
  const support_layout layout = {.threads = 1, .boxes = {2, 1, 2}};
  twin_answer want = twin_ask(&t, &twin_host, &layout);
  const usage before = in_use();
  support_gpu_emulate("CONCURRENT", "0");
  for (int time = 0; time < 2; time++) {
    twin_answer got = twin_ask(&t, &twin_ways[time], &layout);
    const char *what = twin_unlike(&got, &want);
    ck_assert_msg(what == NULL, "%s: %s", twin_ways[time].name, what);
    twin_answer_free(&got);
  }
  support_gpu_emulate("CONCURRENT", NULL);
  ck_assert_uint_eq(in_use().alive, before.alive);
  twin_answer_free(&want);
}
END_TEST

START_TEST(managed_vectors_are_refused_where_the_host_may_not_touch_them)
{
  support_gpu_emulate("CONCURRENT", "0");
  cube c = cube_of(HYMG_FV2, 1000.0);
  const hymg_options o = on_gpu(HYMG_MEMORY_MANAGED);
  hymg_solver *solver = NULL;
  support_assert_error(c.context, hymg_solver_create(c.op, &o, &solver), HYMG_EUNSUPPORTED,
                       "memory managed", "device 0", "concurrentManagedAccess", NULL);
  ck_assert_ptr_null(solver);
  cube_end(&c);
  support_gpu_emulate("CONCURRENT", NULL);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("memory of the GPU");
  TCase *t = tcase_create("too small");
  tcase_add_loop_test(t, a_solver_too_large_for_the_card_is_refused_with_both_numbers, 0, 4);
  tcase_add_test(t, a_field_too_large_for_the_card_is_refused_with_both_numbers);
  tcase_add_test(t, there_is_room_again_once_fields_are_gone);
  if (twin_emulated()) tcase_add_test(t, auto_does_without_single_precision_where_it_does_not_fit);
  tcase_add_loop_test(t, the_need_is_what_is_taken, 0, 8);
  tcase_add_loop_test(t, the_need_of_pairs_is_what_is_taken, 0, 2);
  tcase_add_test(t, graphs_are_made_without_room_for_that_on_the_card);
  suite_add_tcase(suite, t);
  t = tcase_create("managed");
  if (twin_emulated()) tcase_add_loop_test(t, lists_are_read_while_kernels_run, 0, 2);
  if (twin_emulated())
    tcase_add_test(t, managed_vectors_are_refused_where_the_host_may_not_touch_them);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
