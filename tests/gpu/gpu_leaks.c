/* Repeated use of everything (contexts, solvers, solves, fields) leaks nothing on the host or the
 * device. */
#include "support/gpu.h"
#include "support/twin.h"
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct usage {
  size_t bytes, alive;
} usage;

static usage in_use(void)
{
  const usage u = {support_gpu_used(), support_gpu_alive()};
  return u;
}

/* Bytes of the heap in use, or 0 where this is unknown (a sanitizer then finds leaks). */
static double heap(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 m = mallinfo2();
  return (double)m.uordblks + (double)m.hblkhd;
#else
  return 0.0;
#endif
}

/* Rounds until kernels are loaded and the pools of the driver filled; 30 have each way with each side and stencil. */
static int warm_up(void)
{
  return support_small() ? 30 : 90;
}

/* Everything there is, from the context on or in one that stays; sizes from 8^3 to 16^3. */
static void round_of(int index, hymg_context *context)
{
  static const int sides[3] = {8, 12, 16};
  const int n = sides[index % 3];
  const support_layout layout = {.context = context};
  twin t = twin_of(index % 2 ? HYMG_FV4 : HYMG_FV2, n, n, n, index % 5 ? "dd pp dd" : "pp pp pp");
  t.smoother = (hymg_smoother)(index / 2 % 4);
  t.bottom = (hymg_bottom)(index % 5);
  t.boundaries = index % 4 == 2;
  t.a = t.boundaries ? 0.5 : 0.0;
  if (index % 6 == 4)
    t.path = HYMG_PATH_ROBUST, t.transfer = HYMG_TRANSFER_PAIRS, t.cycle = HYMG_CYCLE_V;
  twin_open o = twin_begin(&t, &twin_ways[index % (TWIN_WAYS - 1)], &layout);
  for (int time = 0; time < 1 + index % 3; time++) {
    twin_solution s = twin_solve(&o);
    twin_solution_free(&s);
  }
  if (index % 7 == 0) OK(o.k.context, hymg_solver_update(o.k.solver));
  twin_end(&o);
}

/* Memory in use may not grow by 100 bytes per round. The emulation counts every byte and every
 * handle. A driver returns managed memory when it likes: with driver 580 usage rose by 140 kB per
 * round and fell again in a saw tooth of 100 MB, also without any solve. */
#define SAW_TOOTH (128 << 20)

static void assert_rounds(hymg_context *context, int rounds)
{
  for (int r = 0; r < (twin_emulated() ? warm_up() : rounds); r++)
    round_of(r, context);
  const usage before = in_use();
  const double heap_before = heap();
  for (int r = 0; r < rounds; r++)
    round_of(r, context);
  const usage after = in_use();
  const double grown = heap() - heap_before;
  ck_assert_msg(after.alive == before.alive, "%zu things more are alive after %d rounds",
                after.alive - before.alive, rounds);
  const size_t allowed = twin_emulated() ? 100 * (size_t)rounds : SAW_TOOTH;
  ck_assert_msg(after.bytes <= before.bytes + allowed,
                "%zu bytes more of the device are in use after %d rounds",
                after.bytes - before.bytes, rounds);
  ck_assert_msg(grown <= 100.0 * rounds + 16384.0, "the heap grew by %.0f bytes in %d rounds",
                grown, rounds);
}

/* 1,000 on a GPU; fewer in the emulation, every kernel of which is slow but every leak exact. */
static int rounds(void)
{
  return twin_emulated() ? warm_up() : 1000;
}

START_TEST(rounds_with_a_context_each_leave_nothing)
{
  assert_rounds(NULL, rounds());
}
END_TEST

START_TEST(rounds_in_one_context_leave_nothing)
{
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &context), HYMG_OK);
  assert_rounds(context, rounds());
  hymg_context_destroy(&context);
}
END_TEST

/* The list of recordings of one solver must not grow without end either. */
START_TEST(rounds_of_fields_leave_nothing)
{
  const twin t = twin_of(_i ? HYMG_FV4 : HYMG_FV2, 12, 12, 12, "dd dd dd");
  twin_open o = twin_begin(&t, &twin_ways[_i], NULL);
  usage before = {0, 0};
  double heap_before = 0.0;
  for (int r = 0; r < warm_up() + rounds(); r++) {
    if (r == warm_up()) before = in_use(), heap_before = heap();
    hymg_field_destroy(&o.u);
    if (r % 2) hymg_field_destroy(&o.ff), o.ff = support_field(&o.k, 0, o.f);
    OK(o.k.context, hymg_field_create(o.k.grid, o.k.solver, HYMG_CELL, HYMG_DOUBLE, &o.u));
    OK(o.k.context, hymg_solve(o.k.solver, o.ff, o.u, NULL));
  }
  const usage after = in_use();
  ck_assert_msg(after.alive <= before.alive + 64, "%zu things more are alive",
                after.alive - before.alive);
  ck_assert_msg(after.bytes <= before.bytes + 100 * (size_t)rounds(), "%zu bytes more are in use",
                after.bytes - before.bytes);
  ck_assert_msg(heap() - heap_before <= 1000.0 * rounds(), "the heap grew by %.0f bytes",
                heap() - heap_before);
  twin_end(&o);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("leaks on the GPU");
  TCase *t = tcase_create("rounds");
  tcase_add_test(t, rounds_with_a_context_each_leave_nothing);
  tcase_add_test(t, rounds_in_one_context_leave_nothing);
  tcase_add_loop_test(t, rounds_of_fields_leave_nothing, 0, 2);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
