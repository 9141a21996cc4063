/* A rank that stops at a random moment, on emulated GPUs with each transport; see support/hang.h.
 * HYMG_FAULTS=all: 100 times each, else once. HYMG_FAULT_CASES=FIRST:LAST: these transports alone, from 3
 * on with graphs in parts. */
#define _GNU_SOURCE
#include "support/comm.h"
#include "support/fault_choice.h"
#include "support/hang.h"

static const hymg_transport transports[] = {HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED,
                                            HYMG_TRANSPORT_NCCL};
enum { TRANSPORTS = sizeof transports / sizeof *transports };

START_TEST(a_rank_that_stops_is_named_by_all_others)
{
  const program model = {.variant = _i < TRANSPORTS ? 0 : FAULT_PAIRS,
                         .backend = HYMG_BACKEND_CUDA,
                         .transport = transports[_i % TRANSPORTS]};
  if (!faults_case(_i) || !has_own_gpus() ||
      (model.transport == HYMG_TRANSPORT_NCCL && !*hymg_build_info().nccl))
    return;
  hang_often(&model, getenv("HYMG_FAULTS") ? 100 : 1);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  const int ranks = support_ranks(MPI_COMM_WORLD);
  if (ranks < 2 || ranks > 3 || !twin_emulated()) {
    if (support_rank(MPI_COMM_WORLD) == 0)
      printf("skipped: on 2 and 3 ranks with emulated GPUs only\n"
             "0 passed, 0 failed, 1 skipped\n");
    support_mpi_finalize();
    return 0;
  }
  Suite *suite = suite_create("a rank that stops");
  TCase *t = tcase_create("transports");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_rank_that_stops_is_named_by_all_others, 0, 2 * TRANSPORTS);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
