/* On any number of ranks the solution has the bits of the serial one: the first rank also solves alone, and
 * each compares its cells. Every choice of the table, several boxes a rank, more ranks than boxes,
 * scattered owners, own communicators. */
#include "support/choice.h"
#include "support/mpi.h"
#include <stdlib.h>
#include <string.h>

static const int size[3] = {16, 32, 24};

static support_answer solve_alone(int choice, const int n[3])
{
  const support_layout alone = {.threads = 1, .boxes = {1, 1, 1}};
  const bool first = support_rank(MPI_COMM_WORLD) == 0;
  support_answer a = {.cells = (size_t)n[0] * n[1] * n[2]};
  if (first) a = support_solve(&support_choices[choice], n, &alone, false);
  double *const u = first ? a.u : support_poison(a.cells);
  support_from_first(u, a.cells * sizeof *u);
  support_from_first(&a, sizeof a);
  a.u = u;
  if (!first) a.mine = NULL; /* of no use to the others */
  return a;
}

static void check(int choice, const int n[3], support_layout layout, const char *where)
{
  support_answer want = solve_alone(choice, n);
  support_answer got = support_solve(&support_choices[choice], n, &layout, choice % 2);
  long mine = 0, all = 0;
  for (size_t i = 0; i < got.cells; i++)
    mine += got.mine[i];
  MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  support_all_agree(support_unlike(&got, &want), where);
  ck_assert_int_eq(all % (long)got.cells, 0);
  support_answer_free(&want);
  support_answer_free(&got);
}

static void check_in(MPI_Comm comm, int choice, const int n[3], support_layout layout,
                     const char *where)
{
  layout.context = support_context(comm, 1);
  check(choice, n, layout, where);
  hymg_context_destroy(&layout.context);
}

START_TEST(default_boxes)
{
  check_in(MPI_COMM_WORLD, _i, size, (support_layout){.boxes = {0, 0, 0}}, "default boxes");
}
END_TEST

START_TEST(several_boxes_a_rank)
{
  check_in(MPI_COMM_WORLD, _i, size, (support_layout){.boxes = {2, 4, 3}}, "2x4x3 boxes");
}
END_TEST

START_TEST(more_ranks_than_boxes)
{
  check_in(MPI_COMM_WORLD, _i, size, (support_layout){.boxes = {1, 2, 1}}, "2 boxes");
}
END_TEST

START_TEST(cubes_that_agglomerate)
{
  check_in(MPI_COMM_WORLD, _i, (const int[3]){32, 32, 32}, (support_layout){.boxes = {4, 4, 4}},
           "4^3 boxes");
}
END_TEST

START_TEST(sizes_with_an_odd_bottom)
{
  check_in(MPI_COMM_WORLD, _i, (const int[3]){24, 12, 20}, (support_layout){.boxes = {2, 3, 1}},
           "2x3x1 boxes");
}
END_TEST

/* Neighbours never share a rank. */
static int scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

static int last_rank(const int box[3], void *user)
{
  const int *ranks = user;
  return *ranks - 1 + 0 * box[0];
}

START_TEST(owner_functions)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  support_layout layout = {.boxes = {2, 4, 3}, .owner = scattered, .owner_user = &ranks};
  check_in(MPI_COMM_WORLD, _i, size, layout, "scattered owners");
  layout.owner = last_rank;
  check_in(MPI_COMM_WORLD, _i, size, layout, "all on the last rank");
}
END_TEST

/* FV2, whose odd sides are halved; ranks without boxes, too. */
START_TEST(odd_sides)
{
  int ranks = support_ranks(MPI_COMM_WORLD);
  const int n[3] = {21, 15, 35}, choice = 2 * _i;
  ck_assert_int_eq(support_choices[choice].stencil, HYMG_FV2);
  support_layout layout = {.boxes = {0, 0, 0}};
  check_in(MPI_COMM_WORLD, choice, n, layout, "odd sides, default boxes");
  memcpy(layout.boxes, (const int[3]){3, 5, 1}, sizeof layout.boxes);
  layout.owner = scattered, layout.owner_user = &ranks;
  check_in(MPI_COMM_WORLD, choice, n, layout, "odd sides, scattered owners");
  layout.owner = last_rank;
  check_in(MPI_COMM_WORLD, choice, n, layout, "odd sides, all on the last rank");
  layout = (support_layout){.boxes = {1, 1, 7}};
  check_in(MPI_COMM_WORLD, choice, n, layout, "odd sides, slabs of 5");
}
END_TEST

/* Two halves of the world in reverse order solve at once, each on its own communicator, freed
 * before the solve. */
START_TEST(communicators_of_the_user)
{
  int rank = support_rank(MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  support_layout layout = {.context = support_context(half, 1), .boxes = {2, 2, 2}};
  ck_assert_int_eq(hymg_context_rank(layout.context), support_rank(half));
  ck_assert_int_eq(hymg_context_ranks(layout.context), support_ranks(half));
  MPI_Comm_free(&half);
  check(_i, size, layout, "half of the world");
  hymg_context_destroy(&layout.context);
}
END_TEST

START_TEST(threads_within_ranks)
{
  support_layout layout = {.context = support_context(MPI_COMM_WORLD, 2), .boxes = {2, 2, 2}};
  check(_i, size, layout, "2 threads a rank");
  hymg_context_destroy(&layout.context);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("same bits on ranks");
  TCase *t = tcase_create("solves");
  tcase_add_loop_test(t, default_boxes, 0, SUPPORT_CHOICES);
  tcase_add_loop_test(t, several_boxes_a_rank, 0, SUPPORT_CHOICES);
  tcase_add_loop_test(t, more_ranks_than_boxes, 0, 3);
  tcase_add_loop_test(t, cubes_that_agglomerate, 0, 2);
  tcase_add_loop_test(t, sizes_with_an_odd_bottom, 0, 3);
  tcase_add_loop_test(t, owner_functions, 0, 2);
  tcase_add_loop_test(t, odd_sides, 0, 4);
  tcase_add_loop_test(t, communicators_of_the_user, 0, 2);
  tcase_add_loop_test(t, threads_within_ranks, 0, 2);
  suite_add_tcase(suite, t);
  int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
