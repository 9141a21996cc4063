/* A rank that stops without dying, at a random moment of a program of the library's calls: all other
 * ranks must get EMPI with a text that names it, within a time that follows from wait_seconds. Then it
 * goes on, must fail as well, and all begin again with a new context. */
#ifndef SUPPORT_HANG_H
#define SUPPORT_HANG_H

#include "support/fault_program.h"

#include "comm/context.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { HANG_MOST_RANKS = 8, HANG_TAG = 7 };
#define HANG_LIMIT 1.0 /* wait_seconds */
/* The limit on the GPU, in MPI, a roll call and, on emulated GPUs, the 20 s in which NCCL's ranks meet; the rest is for slow
 * machines. */
#define HANG_MOST_SECONDS 40.0

static inline void hang_stop(int signal_number)
{
  (void)signal_number;
  kill(getpid(), SIGSTOP);
}

/* The steps after the context, again and again until one fails; with once: once. */
static inline hymg_status hang_loop(program *p, bool once, double values[2 * CELLS])
{
  hymg_status status = HYMG_OK;
  do {
    for (int s = 1; s < STEPS && status == HYMG_OK; s++)
      status = steps[s].call(p);
    if (once && status == HYMG_OK) take(p, values);
    hymg_context *const context = p->context;
    p->context = NULL;
    end(p);
    p->context = context;
  } while (!once && status == HYMG_OK);
  return status;
}

/* The pids of all ranks. */
static inline void hang_pids(int pid[HANG_MOST_RANKS])
{
  int mine = (int)getpid();
  MPI_Allgather(&mine, 1, MPI_INT, pid, 1, MPI_INT, MPI_COMM_WORLD);
}

/* The ranks that have failed tell the first of them, which wakes the one that stopped. */
static inline void hang_wake(int victim, const int pid[HANG_MOST_RANKS])
{
  const int rank = support_rank(MPI_COMM_WORLD), ranks = support_ranks(MPI_COMM_WORLD);
  const int first = victim == 0;
  if (rank != first && rank != victim) MPI_Send(NULL, 0, MPI_BYTE, first, HANG_TAG, MPI_COMM_WORLD);
  if (rank != first) return;
  for (int m = 0; m < ranks - 2; m++)
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, HANG_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  kill(pid[victim], SIGCONT);
}

/* After so many seconds the victim stops. What is wrong with what this rank sees, or NULL. */
static inline const char *hang_once(const program *model, int victim, double after,
                                    const double *want)
{
  static char text[600];
  static double got[2 * CELLS];
  int pid[HANG_MOST_RANKS];
  program p = *model;
  const int rank = support_rank(MPI_COMM_WORLD);
  const char *wrong = NULL;
  char name[32];
  hang_pids(pid);
  p.wait_seconds = support_seconds(HANG_LIMIT);
  OK(p.context, steps[0].call(&p));
  const struct itimerval timer = {.it_value.tv_sec = (time_t)after,
                                  .it_value.tv_usec =
                                      1 + (suseconds_t)(1e6 * (after - (int)after))};
  if (rank == victim) signal(SIGALRM, hang_stop), setitimer(ITIMER_REAL, &timer, NULL);
  const double start = hymgi_seconds();
  const hymg_status status = hang_loop(&p, false, NULL);
  const double seconds = hymgi_seconds() - start;
  snprintf(name, sizeof name, "rank %d ", victim);
  snprintf(text, sizeof text, "%s after %.2f s, stopped after %.2f s: %s", hymg_status_name(status),
           seconds, after, hymg_context_error(p.context));
  if (rank != victim) hang_wake(victim, pid);
  if (status != HYMG_EMPI) wrong = text;
  if (rank != victim &&
      (seconds > after + support_seconds(HANG_MOST_SECONDS) || !strstr(text + 20, name)))
    wrong = text;
  hymg_context_destroy(&p.context);
  MPI_Barrier(MPI_COMM_WORLD);
  p = *model;
  OK(p.context, steps[0].call(&p));
  if (hang_loop(&p, true, got) != HYMG_OK) wrong = "a new context failed";
  hymg_context_destroy(&p.context);
  if (!wrong && !support_same_bits(2 * CELLS, got, want)) wrong = "other bits";
  return wrong;
}

/* `times` stops at random moments of up to two rounds of the program. */
static inline void hang_often(const program *model, int times)
{
  static double want[2 * CELLS];
  const int ranks = support_ranks(MPI_COMM_WORLD);
  program p = *model;
  double round = 0;
  char where[80];
  uint64_t seed = 1 + (uint64_t)model->transport + 16 * (uint64_t)model->variant;
  OK(p.context, steps[0].call(&p));
  for (int m = 0; m < 2; m++) { /* the second is as fast as those that follow */
    const double start = hymgi_seconds();
    OK(p.context, hang_loop(&p, true, want));
    round = hymgi_seconds() - start;
  }
  hymg_context_destroy(&p.context);
  MPI_Bcast(&round, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int m = 0; m < times; m++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double after = 2 * round * (double)(seed >> 11) * 0x1p-53;
    const int victim = (int)((unsigned)m % (unsigned)ranks);
    snprintf(where, sizeof where, "variant %d, stop %d of rank %d", p.variant, m, victim);
    support_all_agree(hang_once(model, victim, after, want), where);
  }
  if (times > 1 && support_rank(MPI_COMM_WORLD) == 0)
    printf("variant %d, %s: %d stops of ranks in turn\n", model->variant,
           model->backend == HYMG_BACKEND_CUDA ? hymg_transport_name(model->transport) : "host",
           times);
}

#endif
