/* A program of the library's calls in which the n-th allocation, or the n-th call about a file, fails on
 * the last rank (files: on rank 0, which writes them), for n = 1, 2, ... Each failure must reach every
 * rank of a collective call with the same status and a text; the call made again succeeds, and the
 * program ends with the bits of a run without failures and with no memory left. HYMG_FAULTS=all: every
 * n, else some. */
#include "support/fault_program.h"
#include "support/faults.h"

enum { STEP = 41, MOST_RANKS = 3 };

/* ---- one run ---- */

/* Why the failure of a step, if any, is not as it should be; NULL: all is well. */
static const char *judge(const program *p, int step, faults_kind kind, hymg_status status)
{
  const hymg_status want = kind == FAULTS_FILE ? HYMG_EIO : HYMG_ENOMEM;
  int worst = (int)status;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst == HYMG_OK) return NULL;
  if (worst != (int)want) return hymg_status_name(status);
  if (!steps[step].local && worst != (int)status) return "another status on another rank";
  if (status != HYMG_OK && p->context && !*hymg_context_error(p->context)) return "no text";
  return NULL;
}

/* The program, in which call number nth of this kind fails on this rank (0: none); true if it was
 * reached on any rank. calls: how many there are. */
static bool run(int variant, faults_kind kind, long nth, double values[2 * CELLS], long *calls)
{
  program p = {.variant = variant, .backend = HYMG_BACKEND_HOST};
  char where[80];
  int failed = 0;
  long done = 0;
  const long alive = faults.alive;
  for (int s = 0; s < STEPS; s++) {
    faults_set(kind, nth > done ? nth - done : 0);
    const hymg_status status = steps[s].call(&p);
    done += faults.calls;
    faults_end();
    snprintf(where, sizeof where, "variant %d, %s, call %ld of kind %d", variant, steps[s].name,
             nth, (int)kind);
    support_all_agree(judge(&p, s, kind, status), where);
    int again = status != HYMG_OK;
    MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failed |= again;
    if (!again || (steps[s].local && status == HYMG_OK)) continue;
    faults_set(kind, 0);
    const hymg_status second = steps[s].call(&p);
    faults_end();
    if (second != HYMG_OK) fprintf(stderr, "%s, again: %s\n", where, hymg_context_error(p.context));
    ck_assert_int_eq(second, HYMG_OK);
  }
  take(&p, values);
  faults_set(kind, 0);
  end(&p);
  faults_end();
  support_all_agree(faults.alive == alive ? NULL : "memory was not released", where);
  if (calls) *calls = done;
  return failed;
}

/* ---- all of them ---- */

static void sweep(int variant, faults_kind kind)
{
  const bool all = getenv("HYMG_FAULTS") != NULL;
  const int rank = support_rank(MPI_COMM_WORLD), last = support_ranks(MPI_COMM_WORLD) - 1;
  const bool fails = rank == (kind == FAULTS_FILE ? 0 : last);
  double want[2 * CELLS], got[2 * CELLS];
  long calls, failures = 0;
  run(variant, kind, 0, want, &calls);
  MPI_Bcast(&calls, 1, MPI_LONG, kind == FAULTS_FILE ? 0 : last, MPI_COMM_WORLD);
  ck_assert_int_gt(calls, kind == FAULTS_FILE ? 5 : 100);
  const int step = all || kind == FAULTS_FILE ? 1 : STEP;
  for (long nth = 1 + (step > 1 ? variant : 0); nth <= calls; nth += step) {
    failures += run(variant, kind, fails ? nth : 0, got, NULL);
    support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", "the end");
  }
  ck_assert_int_gt(failures, calls / step / 2);
  if (all && rank == 0)
    printf("variant %d, kind %d: %ld of %ld calls failed a step\n", variant, (int)kind, failures,
           calls);
}

START_TEST(a_failing_allocation_is_survived)
{
  sweep(_i, FAULTS_MEMORY);
}
END_TEST

START_TEST(a_failing_file_is_survived)
{
  sweep(_i, FAULTS_FILE);
}
END_TEST

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (support_ranks(MPI_COMM_WORLD) > MOST_RANKS) { /* they take long and tell no more */
    if (support_rank(MPI_COMM_WORLD) == 0)
      printf("skipped: more than %d ranks\n0 passed, 0 failed, 1 skipped\n", MOST_RANKS);
    MPI_Finalize();
    return 0;
  }
  Suite *suite = suite_create("faults");
  TCase *t = tcase_create("memory");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_allocation_is_survived, 0, support_small() ? 1 : 4);
  suite_add_tcase(suite, t);
  t = tcase_create("files");
  tcase_add_loop_test(t, a_failing_file_is_survived, 0, 1);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  MPI_Finalize();
  return status;
}
