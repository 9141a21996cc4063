/* What the programs on several ranks share: every rank runs every test; a failure anywhere fails
 * the test everywhere, so that no rank waits for one that left. */
#ifndef SUPPORT_MPI_H
#define SUPPORT_MPI_H

#include "hymg_mpi.h"
#include "support/support.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the leak sanitizer, if it is linked. The last one ends the program if there are leaks, and no others are looked for
 * after it. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));
extern void __lsan_do_leak_check(void) __attribute__((weak));

/* What MPI keeps from here on is its own. */
static inline void support_mpi_init(int *argc, char ***argv)
{
  int provided;
  if (__lsan_disable) __lsan_disable();
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (__lsan_enable) __lsan_enable();
}

/* Leaks are looked for while Open MPI still has its own memory and its plug-ins. */
static inline void support_mpi_finalize(void)
{
  if (__lsan_do_leak_check) __lsan_do_leak_check();
  MPI_Finalize();
}

static inline int support_rank(MPI_Comm comm)
{
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static inline int support_ranks(MPI_Comm comm)
{
  int ranks;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/* What is tried on some numbers of ranks only, one on each turn: 0 to 2 on 2, 3 and 8. */
enum { SUPPORT_TURNS = 3 };
static inline int support_turn(void)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  return ranks > 3 ? 2 : ranks > 2 ? 1 : 0;
}

/* Fails on every rank if what is not NULL on any; the first such rank says why. */
static inline void support_all_agree(const char *what, const char *where)
{
  int failed = what != NULL, any = 0, rank = support_rank(MPI_COMM_WORLD);
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (failed) fprintf(stderr, "rank %d, %s: %s\n", rank, where, what);
  ck_assert_msg(any == 0, "%s: %d of %d ranks disagree", where, any, support_ranks(MPI_COMM_WORLD));
}

/* What rank 0 has in `bytes`, on all ranks. What all are compared with is computed once; meanwhile the others
 * sleep, who would take cores from it. */
static inline void support_from_first(void *bytes, size_t count)
{
  MPI_Request request;
  int arrived = 0;
  MPI_Ibcast(bytes, (int)count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  while (MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), !arrived)
    poll(NULL, 0, 1);
}

static inline hymg_context *support_context(MPI_Comm comm, int threads)
{
  hymg_context_options o = hymg_context_options_default();
  hymg_context *context = NULL;
  o.threads = threads;
  ck_assert_int_eq(hymg_context_create_mpi(comm, &o, &context), HYMG_OK);
  return context;
}

/* True: the test is for other numbers of ranks, which is said, and MPI is finalized. */
static inline bool support_skips_ranks(int least, int most)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  if (ranks >= least && ranks <= most) return false;
  if (support_rank(MPI_COMM_WORLD) == 0)
    printf("skipped: on %d to %d ranks only\n0 passed, 0 failed, 1 skipped\n", least, most);
  support_mpi_finalize();
  return true;
}

/* What failed on this rank, of which the runner of rank 0 knows nothing. */
static inline void support_print_failures(SRunner *runner, int failed)
{
  TestResult **const result = srunner_failures(runner);
  for (int m = 0; result && m < failed; m++)
    fprintf(stderr, "rank %d, %s: %s:%d: %s\n", support_rank(MPI_COMM_WORLD), tr_tcname(result[m]),
            tr_lfile(result[m]), tr_lno(result[m]), tr_msg(result[m]));
  free(result);
}

/* Runs the suite on all ranks, prints on rank 0, elsewhere what failed; the exit status is the worst of
 * all. */
static inline int support_run_mpi(Suite *suite)
{
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, support_rank(MPI_COMM_WORLD) == 0 ? CK_NORMAL : CK_SILENT);
  int failed = srunner_ntests_failed(runner), worst = 0;
  if (failed && support_rank(MPI_COMM_WORLD) > 0) support_print_failures(runner, failed);
  srunner_free(runner);
  MPI_Allreduce(&failed, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst ? 1 : 0;
}

#endif
