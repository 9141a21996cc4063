/* A program of the library's calls in which the n-th allocation, or the n-th call about a file, fails on
 * the last rank (files: on rank 0, which writes them; graphs: also there, where they are made), for n = 1, 2, ... Each failure must reach every
 * rank of a collective call with the same status and a text; the call made again succeeds, and the
 * program ends with the bits of a run without failures and with no memory left. HYMG_FAULTS=all: every
 * n, else some. */
#include "support/fault_sweep.h"

enum { STEP = 41, MOST_RANKS = 3 };

static void sweep(int variant, faults_kind kind, int victim)
{
  const program model = {.variant = variant, .backend = HYMG_BACKEND_HOST};
  const bool all = getenv("HYMG_FAULTS") != NULL;
  const int rank = support_rank(MPI_COMM_WORLD);
  const bool fails = rank == victim;
  double want[2 * CELLS], got[2 * CELLS];
  long calls, failures = 0;
  fault_run(&model, kind, 0, want, &calls);
  MPI_Bcast(&calls, 1, MPI_LONG, victim, MPI_COMM_WORLD);
  ck_assert_int_gt(calls, kind == FAULTS_FILE ? 5 : 100);
  const int step = all || kind == FAULTS_FILE ? 1 : STEP;
  for (long nth = 1 + (step > 1 ? variant : 0); nth <= calls; nth += step) {
    failures += fault_run(&model, kind, fails ? nth : 0, got, NULL);
    support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", "the end");
  }
  ck_assert_int_gt(failures, calls / step / 2);
  if (all && rank == 0)
    printf("variant %d, kind %d: %ld of %ld calls failed a step\n", variant, (int)kind, failures,
           calls);
}

START_TEST(a_failing_allocation_is_survived)
{
  sweep(_i, FAULTS_MEMORY, support_ranks(MPI_COMM_WORLD) - 1);
}
END_TEST

START_TEST(a_failing_allocation_where_graphs_are_made_is_survived)
{
  sweep(FAULT_PAIRS, FAULTS_MEMORY, 0);
}
END_TEST

START_TEST(a_failing_file_is_survived)
{
  sweep(_i, FAULTS_FILE, 0);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  if (support_skips_ranks(1, MOST_RANKS)) return 0; /* more take long and tell no more */
  Suite *suite = suite_create("faults");
  TCase *t = tcase_create("memory");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_allocation_is_survived, 0, support_small() ? 1 : 4);
  tcase_add_loop_test(t, a_failing_allocation_is_survived, FAULT_WIDE, FAULT_PAIRS + 1);
  tcase_add_test(t, a_failing_allocation_where_graphs_are_made_is_survived);
  suite_add_tcase(suite, t);
  t = tcase_create("files");
  tcase_add_loop_test(t, a_failing_file_is_survived, 0, 1);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
