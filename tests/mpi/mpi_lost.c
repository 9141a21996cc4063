/* A program of the library's calls in which the n-th call of MPI fails on one rank, for n = 1, 2, ...
 * After that the ranks cannot communicate any more: each must get EMPI with a text, in that call or
 * in the next collective one, without waiting for the limit, and release its memory; and a new
 * context on the same communicator gives the bits of a run without failures. HYMG_FAULTS=all: every
 * n, HYMG_FAULTS=FIRST:LAST:STEP: these, else some. HYMG_FAULT_CASES=FIRST:LAST: these variants. */
#include "support/fault_program.h"
#include "support/faults_mpi.h"

#include "comm/context.h"

enum { STEP = 97, MOST_RANKS = 3, LIMIT = 10 };

typedef struct outcome {
  int step;  /* at which this rank failed; STEPS: never */
  int fault; /* the step of the call that failed; -1: none on this rank */
  hymg_status status;
  char text[512];
  double seconds; /* of the step that failed */
  long calls, leaked;
} outcome;

static outcome run(int variant, long nth, double values[2 * CELLS])
{
  program p = {
      .variant = variant, .backend = HYMG_BACKEND_HOST, .wait_seconds = support_seconds(LIMIT)};
  outcome o = {.step = STEPS, .fault = -1};
  const long alive = faults.alive;
  for (int s = 0; s < STEPS && o.step == STEPS; s++) {
    const double start = hymgi_seconds();
    faults_set(FAULTS_MPI, nth > o.calls ? nth - o.calls : 0);
    o.status = steps[s].call(&p);
    o.calls += faults.calls;
    faults_end();
    if (nth > 0 && o.calls >= nth && o.fault < 0) o.fault = s;
    if (o.status == HYMG_OK) continue;
    o.step = s;
    o.seconds = hymgi_seconds() - start;
    snprintf(o.text, sizeof o.text, "%s", hymg_context_error(p.context));
  }
  if (o.step == STEPS) take(&p, values);
  faults_set(FAULTS_MPI, nth > o.calls ? nth - o.calls : 0);
  end(&p);
  o.calls += faults.calls;
  faults_end();
  o.leaked = faults.alive - alive;
  MPI_Barrier(MPI_COMM_WORLD);
  return o;
}

static int all_min(int value)
{
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return value;
}

/* The last step that may succeed on some rank if one has failed in `first`. FV4 has no fluxes. */
static int next_collective(int variant, int first)
{
  int s = first + 1;
  while (s < STEPS && (steps[s].local || (variant == 1 && steps[s].call == fluxes)))
    s++;
  return s;
}

/* What is wrong with this rank's outcome, or NULL. Making a context cannot tell the ranks of a
 * failure sooner than by the limit. */
static const char *judge(const outcome *o, int variant, int victim)
{
  const int first = all_min(o->step), rank = support_rank(MPI_COMM_WORLD);
  char name[32];
  snprintf(name, sizeof name, "rank %d", victim);
  if (o->step > next_collective(variant, first)) return "another rank's failure was not noticed";
  if (o->step == STEPS) return NULL;
  if (o->status != HYMG_EMPI) return hymg_status_name(o->status);
  if (o->step > 0 && !*o->text) return "no text";
  if (o->step > 0 && rank != victim && !strstr(o->text, name)) return o->text;
  if (o->step > 0 && o->seconds > support_seconds(LIMIT)) return "it took the whole limit";
  if (o->step > 0 && o->leaked != 0) return "memory was not released";
  return NULL;
}

START_TEST(a_failing_call_of_mpi_ends_on_all_ranks)
{
  const int rank = support_rank(MPI_COMM_WORLD), ranks = support_ranks(MPI_COMM_WORLD);
  static double want[2 * CELLS], got[2 * CELLS];
  char where[80];
  if (!faults_case(_i)) return;
  outcome o = run(_i, 0, want);
  long calls = o.calls, failures = 0, runs = 0;
  faults_range range;
  MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  ck_assert_int_gt(calls, ranks > 1 ? 500 : 0);
  const bool all = faults_sweep(calls, &range);
  for (long nth = range.first; nth <= range.last; runs++) {
    const int victim = (int)(nth % ranks);
    o = run(_i, rank == victim ? nth : 0, got);
    snprintf(where, sizeof where, "variant %d, call %ld of rank %d, step %d", _i, nth, victim,
             o.step);
    support_all_agree(judge(&o, _i, victim), where);
    failures += all_min(o.step) < STEPS;
    o = run(_i, 0, got);
    support_all_agree(o.step < STEPS ? o.text : NULL, "a new context");
    support_all_agree(support_same_bits(2 * CELLS, got, want) ? NULL : "other bits", where);
    nth += all ? range.step : _i == 0 && nth < 20 ? 1 : STEP;
  }
  const bool whole =
      range.first == 1 && range.last == calls; /* not every rank makes the last ones */
  ck_assert_int_gt(failures, ranks > 1 && whole ? runs / 2 : -1);
  if (all && rank == 0)
    printf("variant %d: %ld calls of MPI, %ld to %ld of %ld, failed in turn, %ld a step\n", _i,
           runs, range.first, range.last, calls, failures);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  if (support_skips_ranks(1, MOST_RANKS)) return 0; /* more take long and tell no more */
  Suite *suite = suite_create("lost communication");
  TCase *t = tcase_create("calls of MPI");
  tcase_set_timeout(t, 0);
  tcase_add_loop_test(t, a_failing_call_of_mpi_ends_on_all_ranks, 0,
                      getenv("HYMG_FAULTS") ? 4
                      : support_small()     ? 1
                                            : 2);
  tcase_add_loop_test(t, a_failing_call_of_mpi_ends_on_all_ranks, FAULT_WIDE, FAULT_PAIRS + 1);
  suite_add_tcase(suite, t);
  const int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
