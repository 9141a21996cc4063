/* Messages as NCCL sends and receives. Each plan is one group, or one for each of its rounds, on the stream that packs its
 * messages, so a cycle is recorded with its messages. The context has one communicator for all
 * solvers.
 *
 * An NCCL kernel waits for other ranks indefinitely. So the host polls the stream and aborts the
 * communicator after a failure: of NCCL, of this rank, of another rank that has notified this one
 * by MPI, or a timeout. The next solver, or the ranks' agreement on the failure, makes a new one.
 *
 * Sends and receives do not use NVLink multicast: NCCL sets that up at the first collective, and
 * there is none here. */
#include "exchange/peers.h"

#include <nccl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hymgi_nccl {
  ncclComm_t comm;         /* NULL: none, or aborted */
  bool busy;               /* groups were enqueued since the host last waited */
  hymgi_peer_state *state; /* of the plan enqueued last */
};

namespace
{

const double POLL_SECONDS = 1e-3; /* between two checks for failures while waiting */

hymg_status check(hymg_context *context, ncclResult_t result, const char *what)
{
  if (result == ncclSuccess) return HYMG_OK;
  const hymg_status status =
      hymgi_fail(context, HYMG_EMPI, "NCCL: %s in %s", ncclGetErrorString(result), what);
  if (context->status == HYMG_OK) context->status = status;
  return status;
}

/* ---- making and breaking ---- */

hymg_status make_id(hymg_context *context, hymgi_nccl_id *id)
{
  static_assert(sizeof id->bytes >= sizeof(ncclUniqueId), "an id has room");
  const hymgi_device_guard guard(context->gpu->ordinal);
  ncclUniqueId unique;
  memset(id, 0, sizeof *id);
  TRY(check(context, ncclGetUniqueId(&unique), "ncclGetUniqueId"));
  memcpy(id->bytes, &unique, sizeof unique);
  return HYMG_OK;
}

bool works(hymg_context *context)
{
  const hymgi_nccl *g = context->gpu->groups;
  return g && g->comm;
}

void *abort_thread(void *comm)
{
  ncclCommAbort((ncclComm_t)comm);
  return NULL;
}

/* ncclCommAbort ends the waiting kernels and then waits until no recording contains any of them;
 * recordings can only be destroyed once their kernels have ended. Hence two threads. */
void break_off(hymg_context *context)
{
  hymgi_device *const d = context->gpu;
  hymgi_nccl *const g = d->groups;
  const hymgi_device_guard guard(d->ordinal);
  pthread_t thread;
  if (!g || !g->comm) return;
  const bool threaded = pthread_create(&thread, NULL, abort_thread, g->comm) == 0;
  if (threaded) cudaStreamSynchronize(d->stream);
  hymgi_device_drop_recordings(d);
  if (threaded)
    pthread_join(thread, NULL);
  else
    ncclCommAbort(g->comm);
  g->comm = NULL;
  g->busy = false;
}

/* ---- failures ---- */

/* Notifies the other ranks of this rank's failure: they may be waiting for its messages. */
void notify(hymg_context *context)
{
  hymgi_nccl *const g = context->gpu->groups;
  if (context->status == HYMG_OK || !g || !g->state || g->state->notified) return;
  g->state->notified = true;
  hymgi_comm_notify(context->comm, context->status, context->error);
  hymgi_report_later(context, context->status);
}

void forget(hymg_context *context, const hymgi_peer_state *state)
{
  hymgi_nccl *const g = context->gpu->groups;
  if (g && g->state == state) g->state = NULL;
}

/* Is there a reason to stop waiting? If so it is in the context's status. */
bool finds_failure(hymg_context *context, double waited)
{
  const hymgi_nccl *g = context->gpu->groups;
  char text[HYMGI_ALARM_TEXT];
  hymg_status status;
  ncclResult_t error = ncclSuccess;
  if (context->status != HYMG_OK) return true;
  if (hymgi_comm_poll(context->comm, &status, text)) {
    context->status = hymgi_fail(context, status, "%s", text);
    return true;
  }
  ncclCommGetAsyncError(g->comm, &error);
  if (error != ncclSuccess && error != ncclInProgress)
    return check(context, error, "a message between GPUs") != HYMG_OK;
  if (waited < g->state->timeout) return false;
  context->status = hymgi_fail(context, HYMG_EMPI, "the GPUs of other ranks did not send in time");
  return true;
}

/* With messages under way the wait is bounded: an error of NCCL, of this rank or reported by
 * another one, or the timeout, aborts the communicator and so ends the wait. */
cudaError_t wait_for_groups(hymg_context *context)
{
  hymgi_device *const d = context->gpu;
  hymgi_nccl *const g = d->groups;
  if (!g->busy) return cudaStreamSynchronize(d->stream);
  const double start = hymgi_seconds();
  double next_poll = context->status == HYMG_OK ? POLL_SECONDS : 0;
  notify(context);
  cudaError_t error;
  while ((error = cudaStreamQuery(d->stream)) == cudaErrorNotReady) {
    const double waited = hymgi_seconds() - start;
    if (waited < next_poll) continue;
    next_poll = waited + POLL_SECONDS;
    if (!finds_failure(context, waited)) continue;
    notify(context);
    break_off(context);
    error = cudaStreamSynchronize(d->stream);
    break;
  }
  cudaGetLastError(); /* clears cudaErrorNotReady */
  g->busy = false;
  return error;
}

void close_groups(hymgi_device *device)
{
  if (device->groups->comm) ncclCommDestroy(device->groups->comm);
  free(device->groups);
}

hymg_status open(hymg_context *context, const hymgi_nccl_id *id)
{
  hymgi_device *const d = context->gpu;
  const hymgi_device_guard guard(d->ordinal);
  ncclUniqueId unique;
  if (!d->groups) d->groups = (hymgi_nccl *)calloc(1, sizeof *d->groups);
  if (!d->groups) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a communicator");
  d->wait_for_groups = wait_for_groups;
  d->close_groups = close_groups;
  memcpy(&unique, id->bytes, sizeof unique);
  ncclComm_t comm = NULL;
  TRY(check(context,
            ncclCommInitRank(&comm, hymgi_comm_size(context->comm), unique,
                             hymgi_comm_rank(context->comm)),
            "ncclCommInitRank"));
  d->groups->comm = comm;
  return HYMG_OK;
}

ncclResult_t queue_round(const hymgi_plan *plan, int round, ncclComm_t comm, cudaStream_t stream)
{
  ncclResult_t result = ncclGroupStart(), end;
  const hymgi_message *const receive = plan->receive, *const send = plan->send;
  for (int m = 0; result == ncclSuccess && m < plan->num_receives; m++)
    if (receive[m].round == round)
      result = ncclRecv(plan->receive_buffer + receive[m].at, receive[m].size, ncclDouble,
                        receive[m].rank, comm, stream);
  for (int m = 0; result == ncclSuccess && m < plan->num_sends; m++)
    if (send[m].round == round)
      result = ncclSend(plan->send_buffer + send[m].at, send[m].size, ncclDouble, send[m].rank,
                        comm, stream);
  end = ncclGroupEnd();
  return result == ncclSuccess ? end : result;
}

} /* namespace */

static const hymgi_nccl_ops nccl_grouping = {make_id, open, works, break_off, notify, forget};

extern "C" {
const hymgi_nccl_ops *const hymgi_device_nccl = &nccl_grouping;
}

extern "C" void hymgi_nccl_queue(hymg_context *context, const hymgi_plan *plan)
{
  hymgi_device *const d = context->gpu;
  hymgi_nccl *const g = d->groups;
  g->state = plan->group;
  g->busy = true;
  if (d->mode == HYMGI_REPLAY || context->status != HYMG_OK) return;
  if (!g->comm) {
    context->status = hymgi_fail(context, HYMG_EMPI, "NCCL's communicator was aborted");
    return;
  }
  const hymgi_device_guard guard(d->ordinal);
  const cudaStream_t stream = hymgi_device_stream(d);
  ncclResult_t result = ncclSuccess;
  for (int round = 0; result == ncclSuccess && (round == 0 || round < plan->rounds); round++)
    result = queue_round(plan, round, g->comm, stream);
  check(context, result, "a group of messages");
  d->waits = true; /* NCCL kernels do not trigger the launch of dependents */
}
