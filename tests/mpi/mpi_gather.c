/* Coarse levels that every rank holds whole: the solution has the bits of one rank for any sizes of gathered levels, boundaries,
 * boxes, owners and numbers of ranks, as where one rank gathers; sums over such a level count each cell once. */
#include "support/varied.h"

#include "comm/comm_mpi.h"
#include "comm/context.h"

#include <math.h>
#include <stdlib.h>

static const struct {
  hymg_gather gather;
  int64_t cells;
} ways[] = {{HYMG_GATHER_ALL, -1},   {HYMG_GATHER_ROOT, 5000}, {HYMG_GATHER_ALL, 100},
            {HYMG_GATHER_ALL, 1},    {HYMG_GATHER_ALL, 1200},  {HYMG_GATHER_ALL, 1 << 20},
            {HYMG_GATHER_ROOT, 100}, {HYMG_GATHER_ALL, 5000}};
enum { WAYS = sizeof ways / sizeof *ways };

/* One of the ways. whole: some level must be with all ranks where all are to get it and levels of so few cells are one
 * box. */
static void check(int i, int way, const int n[3], support_layout layout, bool whole,
                  const char *where)
{
  support_answer want = support_solve_alone(i, n);
  ck_assert_int_eq(want.whole, 0);
  layout = support_layout_of(i, layout);
  const int m = way % WAYS;
  char text[100];
  snprintf(text, sizeof text, "%s, %s, way %d", where, support_cases[i].c.boundary, m);
  layout.gather = ways[m].gather, layout.gather_cells = ways[m].cells;
  support_answer got = support_solve(&support_cases[i].c, n, &layout, m / 2 % 2);
  support_all_agree(support_unlike(&got, &want), text);
  const bool all = whole && ways[m].gather == HYMG_GATHER_ALL && ways[m].cells != 1;
  if (all) support_all_agree(got.whole > 0 ? NULL : "no whole level", text);
  if (ways[m].gather == HYMG_GATHER_ROOT)
    support_all_agree(got.whole == 0 ? NULL : "a whole level", text);
  support_answer_free(&got);
  support_answer_free(&want);
  hymg_context_destroy(&layout.context);
}

/* Three ways of each case, one on 2, 3 and 8 ranks each; all ways on each of them. */
START_TEST(default_boxes)
{
  support_default_boxes(_i, _i + 3 * support_turn(), (const int[3]){32, 32, 16}, check);
}
END_TEST

START_TEST(other_boxes)
{
  support_other_boxes(_i, check);
}
END_TEST

START_TEST(odd_sides_and_cuts)
{
  static const int cut[3][3] = {{5, 9, 7}, {8, 3, 4}, {20, 15}};
  const support_varied *const v = support_cases + _i;
  const bool coarsens = v->c.stencil == HYMG_FV2 || v->more.path == HYMG_PATH_ROBUST;
  int ranks = support_ranks(MPI_COMM_WORLD);
  if (support_in_turn(_i, 0))
    check(_i, _i / SUPPORT_TURNS, (const int[3]){31, 25, 19}, (support_layout){.boxes = {0, 0, 0}},
          false, "odd sides");
  if (support_in_turn(_i, 1))
    check(_i, _i / SUPPORT_TURNS, (const int[3]){21, 15, 35},
          (support_layout){.boxes = {3, 3, 2},
                           .cuts = {cut[0], cut[1], cut[2]},
                           .owner = support_scattered,
                           .owner_user = &ranks},
          support_ranks(MPI_COMM_WORLD) > 1 && coarsens, "odd cuts, scattered");
}
END_TEST

START_TEST(threads_within_ranks)
{
  check(_i, _i + support_turn(), (const int[3]){32, 32, 32},
        (support_layout){.boxes = {2, 2, 2}, .context = support_context(MPI_COMM_WORLD, 2)},
        support_ranks(MPI_COMM_WORLD) > 1, "2 threads a rank");
}
END_TEST

/* This rank's cells; of a level that it holds whole `got` has more than `want`. */
static const char *unlike(const double *got, const double *want, size_t cells)
{
  for (size_t c = 0; c < cells; c++)
    if (!isnan(want[c]) && memcmp(got + c, want + c, sizeof *got) != 0) return "other bits";
  return NULL;
}

/* A level from which the next is gathered, or one that all have: variant is the size. */
static void with_all(hymg_options *o, int cells)
{
  o->gather = HYMG_GATHER_ALL, o->gather_cells = cells;
}

START_TEST(levels_below_and_updates)
{
  size_t cells[2];
  if (support_cases[_i].more.path == HYMG_PATH_ROBUST || !support_in_turn(_i, 0)) return;
  double *const want = support_solve_below(_i, with_all, 0, cells);
  for (int size = 600; size < 10000; size *= 10) {
    double *const got = support_solve_below(_i, with_all, size, cells);
    support_all_agree(unlike(got, want, cells[0] + cells[1]), support_cases[_i].c.boundary);
    free(got);
  }
  free(want);
}
END_TEST

/* Of a field of level 1: largest value, root mean square, mean, product with itself. */
static void reduce(int cells, double value[4])
{
  support_case s = support_case_of(HYMG_FV2, (const int[3]){16, 32, 16}, "dd pp dd", 0);
  hymg_options o = hymg_options_default();
  if (cells) with_all(&o, cells);
  support_layout layout = {.context = support_context(MPI_COMM_WORLD, 1)};
  support_kit k = support_open(&s.spec, &layout, &o);
  int n[3];
  size_t count;
  support_cells(&k, 1, n, &count);
  double *f = support_random(count, -1, 1, 3);
  hymg_field *field = support_field(&k, 1, f);
  hymg_level_info info;
  OK(k.context, hymg_solver_level(k.solver, 1, &info));
  ck_assert_int_eq(info.boxes == 1 && info.ranks > 1, cells && support_ranks(MPI_COMM_WORLD) > 1);
  OK(k.context, hymg_field_max(field, value));
  OK(k.context, hymg_field_rms(field, value + 1));
  OK(k.context, hymg_field_mean(field, value + 2));
  OK(k.context, hymg_field_dot(field, field, value + 3));
  hymg_field_destroy(&field);
  free(f);
  support_close(&k);
  support_case_free(&s);
  hymg_context_destroy(&layout.context);
}

/* cells: the gather size; 0: the default, by a root. */
static void compare_plan(int cells)
{
  support_case s = support_case_of(HYMG_FV2, (const int[3]){16, 32, 16}, "dd pp dd", 0);
  hymg_options o = hymg_options_default();
  if (cells) with_all(&o, cells);
  support_layout layout = {.context = support_context(MPI_COMM_WORLD, 1)};
  support_kit k = support_open(&s.spec, &layout, &o);
  hymg_operator_desc desc = k.desc;
  desc.alpha = desc.beta[0] = desc.beta[1] = desc.beta[2] = NULL;
  hymg_need need;
  OK(k.context, hymg_solver_need(k.grid, &desc, HYMG_VARIABLE_BETA, &o, &need));
  ck_assert_int_eq(need.num_levels, hymg_solver_num_levels(k.solver));
  int copied = 0;
  for (int l = 0; l < need.num_levels; l++) {
    hymg_level_info info;
    OK(k.context, hymg_solver_level(k.solver, l, &info));
    ck_assert_int_eq(need.level[l].boxes, info.boxes);
    ck_assert_int_eq(need.level[l].ranks, info.ranks);
    copied += info.boxes == 1 && info.ranks > 1;
  }
  ck_assert_int_eq(copied > 0, cells && support_ranks(MPI_COMM_WORLD) > 1);
  support_close(&k);
  support_case_free(&s);
  hymg_context_destroy(&layout.context);
}

START_TEST(a_plan_tells_who_holds_a_level)
{
  compare_plan(0);
  compare_plan(600);
}
END_TEST

START_TEST(sums_count_each_cell_once)
{
  double want[4], got[4];
  reduce(0, want);
  reduce(5000, got);
  support_all_agree(memcmp(want, got, sizeof got) ? "other sums" : NULL, "level 1");
}
END_TEST

/* Within a node one rank gathers. Between nodes, here as many as ranks, all get levels of at most 16^3 cells. */
START_TEST(between_nodes_all_gather)
{
  const int n[3] = {32, 32, 64};
  if (!support_in_turn(_i, 1)) return;
  support_answer want = support_solve_alone(_i, n);
  for (int nodes = 0; nodes < 2; nodes++) {
    support_layout layout = support_layout_of(_i, (support_layout){.boxes = {0, 0, 0}});
    if (nodes)
      OK(layout.context,
         hymgi_comm_regroup(layout.context, layout.context->comm, support_rank(MPI_COMM_WORLD)));
    support_answer got = support_solve(&support_cases[_i].c, n, &layout, false);
    support_all_agree(support_unlike(&got, &want), "between nodes");
    support_all_agree((got.whole > 0) == (nodes && support_ranks(MPI_COMM_WORLD) > 1) ? NULL
                                                                                      : "levels",
                      "between nodes");
    support_answer_free(&got);
    hymg_context_destroy(&layout.context);
  }
  support_answer_free(&want);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("gathered levels");
  TCase *t = tcase_create("solves");
  const int few = support_small() ? 4 : SUPPORT_VARIED;
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, default_boxes, 0, SUPPORT_VARIED);
  tcase_add_loop_test(t, other_boxes, 0, few);
  tcase_add_loop_test(t, odd_sides_and_cuts, 0, few);
  tcase_add_loop_test(t, levels_below_and_updates, 0, SUPPORT_VARIED);
  tcase_add_loop_test(t, threads_within_ranks, 0, 2);
  tcase_add_loop_test(t, between_nodes_all_gather, 0, few);
  tcase_add_test(t, a_plan_tells_who_holds_a_level);
  tcase_add_test(t, sums_count_each_cell_once);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
