/* One run of the program of calls in which one call below the library fails. */
#ifndef SUPPORT_FAULT_SWEEP_H
#define SUPPORT_FAULT_SWEEP_H

#include "support/fault_program.h"
#include "support/faults.h"

/* May a call of this kind that fails have this status? Of CUDA it depends on the call: what the device
 * or a transport cannot do is unsupported, and other ranks may hear of NCCL's failure first. */
static inline bool fault_explains(faults_kind kind, int status)
{
  if (kind == FAULTS_FILE) return status == HYMG_EIO;
  if (kind == FAULTS_MEMORY) return status == HYMG_ENOMEM;
  return status == HYMG_ECUDA || status == HYMG_ENOMEM || status == HYMG_EUNSUPPORTED ||
         status == HYMG_EMPI;
}

/* Why the failure of a step, if any, is not as it should be; NULL: all is well. */
static inline const char *fault_judge(const program *p, int step, faults_kind kind,
                                      hymg_status status)
{
  int worst = (int)status;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst == HYMG_OK) return NULL;
  if (!fault_explains(kind, worst)) return hymg_status_name(status);
  if (!steps[step].local && worst != (int)status) return "another status on another rank";
  if (status != HYMG_OK && p->context && !*hymg_context_error(p->context)) return "no text";
  return NULL;
}

/* Of the latest run: the number of the last call in each step or before it. */
static long fault_last[STEPS];
/* The step that failed in the latest run, or "". */
static const char *fault_step;

/* The program, in which call number nth of this kind fails on this rank (0: none); true if it was
 * reached on any rank. calls: how many there are. */
static inline bool fault_run(const program *model, faults_kind kind, long nth,
                             double values[2 * CELLS], long *calls)
{
  program p = *model;
  char where[80], first[512];
  int failed = 0;
  long done = 0;
  fault_step = "";
  const long alive = faults.alive;
  for (int s = 0; s < STEPS; s++) {
    faults_set(kind, nth > done ? nth - done : 0);
    const hymg_status status = steps[s].call(&p);
    fault_last[s] = done += faults.calls;
    faults_end();
    snprintf(where, sizeof where, "variant %d, %s, call %ld of kind %d", p.variant, steps[s].name,
             nth, (int)kind);
    support_all_agree(fault_judge(&p, s, kind, status), where);
    int again = status != HYMG_OK;
    MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failed |= again;
    if (again) fault_step = steps[s].name;
    if (!again || (steps[s].local && status == HYMG_OK)) continue;
    snprintf(first, sizeof first, "%s", hymg_context_error(p.context));
    faults_set(kind, 0);
    const hymg_status second = steps[s].call(&p);
    faults_end();
    if (second != HYMG_OK)
      fprintf(stderr, "%s (%s): %s; again: %s\n", where, faults.struck ? faults.struck : "", first,
              hymg_context_error(p.context));
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

#endif
