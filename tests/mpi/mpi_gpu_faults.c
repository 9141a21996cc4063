/* A program of the library's calls on emulated GPUs, in which the n-th call of CUDA fails on one rank,
 * for n = 1, 2, ..., with each transport (launches of kernels: gpu_failures). Each failure must reach
 * every rank of a collective call with the same status and a text; the call made again succeeds, and
 * the program ends with the bits of a run without failures and with nothing left. HYMG_FAULTS=all:
 * every call, else some. */
#include "support/comm.h"
#include "support/fault_sweep.h"
#include "support/faults_cuda.h"

enum { MOST_RANKS = 3 };

static const hymg_transport transports[] = {HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED,
                                            HYMG_TRANSPORT_NCCL};
enum { TRANSPORTS = sizeof transports / sizeof *transports };

static program model_of(int index)
{
  return (program){.variant = index / TRANSPORTS,
                   .backend = HYMG_BACKEND_CUDA,
                   .transport = transports[index % TRANSPORTS]};
}

/* Without emulation, or in the build without NCCL, there is nothing to do. */
static bool is_possible(const program *model)
{
  return twin_emulated() && has_own_gpus() &&
         (model->transport != HYMG_TRANSPORT_NCCL || *hymg_build_info().nccl);
}

static const char *left_on_gpu(size_t before)
{
  return support_gpu_alive() == before ? NULL : "something was left on the GPU";
}

START_TEST(a_failing_call_of_cuda_is_survived)
{
  const program model = model_of(_i);
  const bool all = getenv("HYMG_FAULTS") != NULL;
  const int rank = support_rank(MPI_COMM_WORLD), ranks = support_ranks(MPI_COMM_WORLD);
  static double want[2 * CELLS], got[2 * CELLS];
  long calls, failures = 0, runs = 0;
  char where[120];
  if (!is_possible(&model)) return;
  /* queued work of a rank that waits in MPI would not run, as it does on a GPU */
  support_gpu_emulate("EAGER", model.transport == HYMG_TRANSPORT_NCCL ? "1" : NULL);
  const size_t before = support_gpu_alive();
  fault_run(&model, FAULTS_CUDA, 0, want, &calls);
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  ck_assert_int_gt(calls, 100);
  for (long nth = 1 + _i; nth <= calls; nth += all ? 1 : calls / 6, runs++) {
    failures += fault_run(&model, FAULTS_CUDA, rank == nth % ranks ? nth : 0, got, NULL);
    snprintf(where, sizeof where, "variant %d, %s, call %ld, %s", model.variant,
             hymg_transport_name(model.transport), nth, rank == nth % ranks ? faults.struck : "");
    support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", where);
    support_all_agree(left_on_gpu(before), where);
  }
  if (all && rank == 0)
    printf("variant %d, %s: %ld of %ld calls of CUDA failed a step\n", model.variant,
           hymg_transport_name(model.transport), failures, runs);
}
END_TEST

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (support_ranks(MPI_COMM_WORLD) > MOST_RANKS || !twin_emulated()) {
    if (support_rank(MPI_COMM_WORLD) == 0)
      printf("skipped: on emulated GPUs and up to %d ranks only\n0 passed, 0 failed, 1 skipped\n",
             MOST_RANKS);
    MPI_Finalize();
    return 0;
  }
  Suite *suite = suite_create("failing calls of CUDA");
  TCase *t = tcase_create("calls");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_call_of_cuda_is_survived, 0,
                      support_small() ? TRANSPORTS : 4 * TRANSPORTS);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  MPI_Finalize();
  return status;
}
