/* Levels whose ranks also compute layers of their neighbours' cells: the solution has the bits of one rank without
 * layers for any depth, boundaries, boxes, owners and numbers of ranks; boxes may be less wide than the layers. */
#include "support/varied.h"

#include "comm/comm_mpi.h"
#include "comm/context.h"

#include <stdlib.h>
#include <string.h>

static const int layers_of[] = {1, 4, 6, 64};
enum { DEPTHS = sizeof layers_of / sizeof *layers_of };

/* Levels of at most so many cells are on one rank, on the robust path. */
enum { GATHERED = 4096 };

static int size_of(const int n[3])
{
  return n[0] * n[1] * n[2] / 8;
}

/* One of the depths. wide: some level must have layers. */
static void check(int i, int depth, const int n[3], support_layout layout, bool wide,
                  const char *where)
{
  const int m = depth % DEPTHS;
  const support_choice *const c = &support_cases[i].c;
  const support_layout *const more = &support_cases[i].more;
  support_answer want = support_solve_alone(i, n);
  ck_assert_int_eq(want.wide, 0);
  wide = wide && (more->path == HYMG_PATH_AUTO || size_of(n) > GATHERED);
  layout = support_layout_of(i, layout);
  char text[100];
  snprintf(text, sizeof text, "%s, %s, %d layers", where, c->boundary, layers_of[m]);
  layout.halo_layers = layers_of[m];
  support_answer got = support_solve(c, n, &layout, m % 2);
  support_all_agree(support_unlike(&got, &want), text);
  if (wide) support_all_agree(got.wide > 0 ? NULL : "no wide level", text);
  support_answer_free(&got);
  support_answer_free(&want);
  hymg_context_destroy(&layout.context);
}

/* Three depths of each case, one on 2, 3 and 8 ranks each. */
START_TEST(default_boxes)
{
  support_default_boxes(_i, _i + support_turn(), (const int[3]){32, 32, 48}, check);
}
END_TEST

START_TEST(other_boxes)
{
  support_other_boxes(_i, check);
}
END_TEST

START_TEST(odd_sides)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  if (support_in_turn(_i, 0))
    check(_i, _i / SUPPORT_TURNS, (const int[3]){41, 31, 35}, (support_layout){.boxes = {0, 0, 0}},
          false, "odd sides, default boxes");
  if (support_in_turn(_i, 1))
    check(_i, _i / SUPPORT_TURNS, (const int[3]){21, 15, 35},
          (support_layout){.boxes = {3, 3, 1}, .owner = support_scattered, .owner_user = &ranks},
          false, "odd sides, scattered");
}
END_TEST

START_TEST(threads_within_ranks)
{
  check(_i, _i + support_turn(), (const int[3]){32, 32, 32},
        (support_layout){.boxes = {2, 2, 2}, .context = support_context(MPI_COMM_WORLD, 2)},
        support_ranks(MPI_COMM_WORLD) > 1, "2 threads a rank");
}
END_TEST

static void with_layers(hymg_options *o, int layers)
{
  o->halo_layers = layers;
}

START_TEST(levels_below_and_updates)
{
  size_t cells[2];
  if (support_cases[_i].more.path == HYMG_PATH_ROBUST || !support_in_turn(_i, 0)) return;
  double *const want = support_solve_below(_i, with_layers, 0, cells);
  const int m = _i / SUPPORT_TURNS % DEPTHS;
  double *const got = support_solve_below(_i, with_layers, layers_of[m], cells);
  const bool same = memcmp(got, want, (cells[0] + cells[1]) * sizeof *got) == 0;
  support_all_agree(same ? NULL : "other bits", support_cases[_i].c.boundary);
  free(got);
  free(want);
}
END_TEST

/* Within a node nothing is tried. Between nodes, here as many as ranks, ranks agree on what a trial has said, and the bits
 * stay. */
START_TEST(trials_decide_between_nodes)
{
  const int n[3] = {32, 32, 64};
  if (!support_in_turn(_i, 1)) return;
  support_answer want = support_solve_alone(_i, n);
  for (int nodes = 0; nodes < 2; nodes++) {
    support_layout layout = support_cases[_i].more;
    layout.context = support_context(MPI_COMM_WORLD, 1);
    if (nodes)
      OK(layout.context,
         hymgi_comm_regroup(layout.context, layout.context->comm, support_rank(MPI_COMM_WORLD)));
    support_answer got = support_solve(&support_cases[_i].c, n, &layout, false);
    int most = got.wide, least = got.wide;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    support_all_agree(support_unlike(&got, &want), "a trial");
    support_all_agree(most == least && (nodes || most == 0) ? NULL : "levels", "a trial");
    support_answer_free(&got);
    hymg_context_destroy(&layout.context);
  }
  support_answer_free(&want);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("wide boxes");
  TCase *t = tcase_create("solves");
  const int few = support_small() ? 4 : SUPPORT_VARIED;
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, default_boxes, 0, SUPPORT_VARIED);
  tcase_add_loop_test(t, other_boxes, 0, few);
  tcase_add_loop_test(t, odd_sides, 0, few);
  tcase_add_loop_test(t, levels_below_and_updates, 0, SUPPORT_VARIED);
  tcase_add_loop_test(t, threads_within_ranks, 0, 2);
  tcase_add_loop_test(t, trials_decide_between_nodes, 0, few);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
