/* A solver keeps no state between uses: solves that start on coarser levels, or that were refused,
 * do not affect the next one, nor do odd numbers of buffer swaps (autotuning, the smoother as
 * bottom solver). */
#include "support/support.h"
#include <stdlib.h>

typedef struct choice {
  hymg_stencil stencil;
  hymg_smoother smoother;
  hymg_method method;
  hymg_bottom bottom;
  int threads;
} choice;

static const choice choices[] = {
    {HYMG_FV4, HYMG_GSRB, HYMG_FMG, HYMG_BICGSTAB, 1},
    {HYMG_FV4, HYMG_GSRB, HYMG_FMG, HYMG_BOTTOM_SMOOTHER, 2},
    {HYMG_FV2, HYMG_CHEBYSHEV, HYMG_MG, HYMG_BOTTOM_SMOOTHER, 1},
    {HYMG_FV4, HYMG_JACOBI, HYMG_MG, HYMG_CG, 2},
    {HYMG_FV2, HYMG_GSRB, HYMG_MGPCG, HYMG_BICGSTAB, 2},
};

/* u of a solve on a level; NULL if it is to be refused because f is missing. */
static double *solve(support_kit *kit, int level, bool refused)
{
  int n[3];
  size_t cells;
  support_cells(kit, level, n, &cells);
  double *values = support_random(cells, -1, 1, 3), *zero = support_poison(cells);
  hymg_field *f = support_field(kit, level, values), *u = support_field(kit, level, zero);
  hymg_result result;
  double *got = NULL;
  if (refused) {
    ck_assert_int_eq(hymg_solve_on_level(kit->solver, level, f, f, &result), HYMG_EINVAL);
  } else {
    OK(kit->context, hymg_solve_on_level(kit->solver, level, f, u, &result));
    got = support_read(kit, level, u);
  }
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  free(values);
  free(zero);
  return got;
}

START_TEST(solves_on_other_levels_leave_no_trace)
{
  const choice *ch = choices + _i;
  const int n[3] = {64, 64, 32};
  support_case c = support_case_of(ch->stencil, n, "dd dd dd", 0);
  c.spec.smoother = ch->smoother;
  c.spec.bottom = ch->bottom;
  hymg_options options = hymg_options_default();
  options.method = ch->method;
  options.max_cycles = 2;
  const support_layout layout = {.threads = ch->threads, .boxes = {1, 1, 1}};
  support_kit kit = support_open(&c.spec, &layout, &options);
  const int bottom = hymg_solver_num_levels(kit.solver) - 1;
  const int order[] = {1, 2, bottom, 1};
  double *want = solve(&kit, 0, false), *level1 = NULL;
  for (int m = 0; m < 4; m++) {
    double *other = solve(&kit, order[m], false);
    solve(&kit, order[m], true);
    if (order[m] == 1 && level1) {
      int n1[3];
      size_t cells;
      support_cells(&kit, 1, n1, &cells);
      ck_assert_msg(support_same_bits(cells, other, level1), "%s: level 1", c.name);
    }
    double *again = solve(&kit, 0, false);
    ck_assert_msg(support_same_bits((size_t)(64 * 64 * 32), again, want), "%s: after level %d",
                  c.name, order[m]);
    free(again);
    if (order[m] == 1 && !level1)
      level1 = other;
    else
      free(other);
  }
  free(level1);
  free(want);
  support_close(&kit);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("revisit");
  TCase *t = tcase_create("revisit");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, solves_on_other_levels_leave_no_trace, 0, support_small() ? 0 : 5);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
