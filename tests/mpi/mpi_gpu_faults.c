/* A program of the library's calls on emulated GPUs, in which the n-th call of CUDA fails on one rank,
 * for n = 1, 2, ..., with each transport (launches of kernels: gpu_failures). Each failure must reach
 * every rank of a collective call with the same status and a text; the call made again succeeds, and
 * the program ends with the bits of a run without failures and with nothing left. HYMG_FAULTS=all:
 * every call, HYMG_FAULTS=FIRST:LAST:STEP: these; else a sample. HYMG_FAULT_CASES=FIRST:LAST: of the
 * pairs of variant and transport (3 * variant + transport) these alone. */
#include "support/comm.h"
#include "support/fault_sweep.h"
#include "support/faults_cuda.h"

enum { MOST_RANKS = 3 };

static const hymg_transport transports[] = {HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED,
                                            HYMG_TRANSPORT_NCCL};
enum { TRANSPORTS = sizeof transports / sizeof *transports };

/* Two cycles a solve: the second is the recorded one, and others would be made of the same calls. */
static program model_of(int index)
{
  return (program){.variant = index / TRANSPORTS,
                   .backend = HYMG_BACKEND_CUDA,
                   .transport = transports[index % TRANSPORTS],
                   .rtol = 0.01};
}

/* Without emulation, or in the build without NCCL, there is nothing to do; a single rank has no
 * transport. */
static bool is_possible(const program *model)
{
  if (support_ranks(MPI_COMM_WORLD) == 1 && model->transport != transports[0]) return false;
  return twin_emulated() && has_own_gpus() &&
         (model->transport != HYMG_TRANSPORT_NCCL || *hymg_build_info().nccl);
}

static const char *left_on_gpu(size_t before)
{
  return support_gpu_alive() == before ? NULL : "something was left on the GPU";
}

/* One run in which this rank's call nth (0: none) fails; true if any rank noticed. */
static bool survives(const program *model, long nth, const double *want, size_t alive)
{
  static double got[2 * CELLS];
  char where[120];
  const bool failed = fault_run(model, FAULTS_CUDA, nth, got, NULL);
  snprintf(where, sizeof where, "variant %d, %s, call %ld, %s, failed: %s", model->variant,
           hymg_transport_name(model->transport), nth, nth > 0 ? faults.struck : "", fault_step);
  support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", where);
  support_all_agree(left_on_gpu(alive), where);
  return failed;
}

enum { MOST_SAMPLES = STEPS + 2 * FAULTS_FUNCTIONS };

/* Calls of the latest run: the last one of each step, the first one of each function, the last one of
 * each function (not in small tests). Returns how many these are. */
static int sample(long nth[MOST_SAMPLES])
{
  int count = 0;
  for (int s = 0; s < STEPS; s++)
    nth[count++] = fault_last[s];
  for (int m = 0; m < faults_functions.count; m++)
    nth[count++] = faults_functions.of[m].first;
  for (int m = 0; m < faults_functions.count && !support_small(); m++)
    nth[count++] = faults_functions.of[m].last;
  return count;
}

static long most(long value)
{
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

/* Calls of this range, of so many. */
static void sweep(const program *model, faults_range r, long calls, const double *want,
                  size_t alive)
{
  const int rank = support_rank(MPI_COMM_WORLD), ranks = support_ranks(MPI_COMM_WORLD);
  long failures = 0, runs = 0;
  for (long nth = r.first; nth <= r.last; nth += r.step, runs++)
    failures += survives(model, rank == nth % ranks ? nth : 0, want, alive);
  if (rank == 0)
    printf("variant %d, %s: %ld calls of CUDA, %ld to %ld of %ld, failed in turn, %ld a step\n",
           model->variant, hymg_transport_name(model->transport), runs, r.first, r.last, calls,
           failures);
}

START_TEST(a_failing_call_of_cuda_is_survived)
{
  const program model = model_of(_i);
  const int rank = support_rank(MPI_COMM_WORLD), ranks = support_ranks(MPI_COMM_WORLD);
  static double want[2 * CELLS];
  long calls;
  faults_range range;
  if (!is_possible(&model) || !faults_case(_i)) return;
  const size_t alive = support_gpu_alive();
  faults_cuda_list();
  fault_run(&model, FAULTS_CUDA, 0, want, &calls);
  calls = most(calls);
  ck_assert_int_gt(calls, 100);
  if (faults_sweep(calls, &range)) {
    sweep(&model, range, calls, want, alive);
    return;
  }
  long nth[MOST_SAMPLES];
  const int count = sample(nth), samples = (int)most(count);
  ck_assert_int_gt(samples, STEPS + 20);
  const int step = ranks > 1 ? TRANSPORTS : 1;
  for (int m = _i % step; m < samples; m += step)
    survives(&model, m < count && rank == m % ranks ? nth[m] : 0, want, alive);
}
END_TEST

/* Of the stream for messages, which is made with the first solver whose sweeps are overlapped: the stream
 * itself, then three events. A solver created after a failure must find them all. */
START_TEST(a_second_stream_is_made_in_full_or_again)
{
  static const char *const makes[] = {"cudaStreamCreateWithPriority", "cudaEventCreateWithFlags"};
  program model = model_of(_i);
  const int rank = support_rank(MPI_COMM_WORLD);
  static double want[2 * CELLS];
  model.variant = FAULT_OVERLAPPED;
  if (!is_possible(&model) || support_ranks(MPI_COMM_WORLD) == 1) return;
  const size_t alive = support_gpu_alive();
  faults_cuda_list();
  fault_run(&model, FAULTS_CUDA, 0, want, NULL);
  long nth[4] = {0};
  int count = 0;
  for (int m = 0; m < faults_functions.count; m++)
    for (int f = 0; f < 2; f++)
      for (int end = 0; strcmp(faults_functions.of[m].name, makes[f]) == 0 && end <= f; end++)
        nth[count++] = end ? faults_functions.of[m].last : faults_functions.of[m].first;
  ck_assert_int_eq(count, 3);
  for (int m = 0; m < count; m++)
    ck_assert(survives(&model, rank == 0 ? nth[m] : 0, want, alive));
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  if (support_ranks(MPI_COMM_WORLD) > MOST_RANKS || !twin_emulated()) {
    if (support_rank(MPI_COMM_WORLD) == 0)
      printf("skipped: on emulated GPUs and up to %d ranks only\n0 passed, 0 failed, 1 skipped\n",
             MOST_RANKS);
    support_mpi_finalize();
    return 0;
  }
  Suite *suite = suite_create("failing calls of CUDA");
  TCase *t = tcase_create("calls");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_call_of_cuda_is_survived, 0,
                      support_small() ? TRANSPORTS : (FAULT_OVERLAPPED + 1) * TRANSPORTS);
  tcase_add_loop_test(t, a_failing_call_of_cuda_is_survived, FAULT_PAIRS * TRANSPORTS,
                      FAULT_PAIRS * TRANSPORTS + (support_small() ? 1 : TRANSPORTS));
  tcase_add_loop_test(t, a_second_stream_is_made_in_full_or_again, 0, 2);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
