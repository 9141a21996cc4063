/* Waits for other ranks, but only for a limited time. A rank whose MPI call failed or whose limit has
 * passed stops communicating and sends a notice of the loss to all others. They check for notices while
 * they wait, so all ranks that still run stop together. After a timeout each rank collects the notices
 * for a moment: the ranks that sent none are the missing ones. */
#include "comm/wait_mpi.h"

#include <stdio.h>
#include <string.h>

#include "comm/context.h"

enum { TRIES = 16 };                        /* tests between two readings of the clock */
static const double POLL_SECONDS = 1e-3;    /* between two checks for notices */
static const double LAST_SENDS_SECONDS = 1; /* for messages to ranks that are gone */
static const double ANSWER_SECONDS = 1,
                    ANSWER_MOST = 10; /* how long notices are collected: limit / 10 longer */

/* ---- losing the communication ---- */

void hymgi_comm_announce(hymgi_comm *world, const char *text)
{
  if (world->lost) return;
  world->lost = true;
  world->loss.status = text ? (int)HYMG_EMPI : (int)HYMG_OK;
  snprintf(world->loss.text, sizeof world->loss.text, "%s", text ? text : "");
  for (int r = 0; r < world->ranks.size; r++)
    if (r != world->ranks.rank)
      MPI_Isend(&world->loss, (int)sizeof world->loss, MPI_BYTE, r, HYMGI_TAG_LOSS, world->comm,
                &world->loss_sends[r]);
}

hymg_status hymgi_comm_refuse(hymg_context *context, const hymgi_comm *world)
{
  return hymgi_fail(context, HYMG_EMPI, "%s", world->reason);
}

hymg_status hymgi_comm_check(hymg_context *context, hymgi_comm *world, int error, const char *call)
{
  if (error == MPI_SUCCESS) return HYMG_OK;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "error %d", error);
  if (!world->lost) snprintf(world->reason, sizeof world->reason, "%s: %.400s", call, text);
  hymgi_comm_announce(world, world->reason);
  return hymgi_comm_refuse(context, world);
}

void hymgi_comm_receive_losses(hymgi_comm *world)
{
  int arrived = 0;
  MPI_Status from;
  hymgi_notice loss;
  while (MPI_Iprobe(MPI_ANY_SOURCE, HYMGI_TAG_LOSS, world->comm, &arrived, &from) == MPI_SUCCESS &&
         arrived) {
    if (MPI_Recv(&loss, (int)sizeof loss, MPI_BYTE, from.MPI_SOURCE, HYMGI_TAG_LOSS, world->comm,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return;
    world->num_losses += !world->loss_received[from.MPI_SOURCE];
    world->loss_received[from.MPI_SOURCE] = 1;
    if (loss.status != HYMG_OK && !*world->reason)
      snprintf(world->reason, sizeof world->reason, "rank %d failed: %.440s", from.MPI_SOURCE,
               loss.text);
  }
}

/* ---- which ranks are missing ---- */

static void name_missing(hymgi_comm *world)
{
  enum { MOST = 8 };
  const int missing = world->ranks.size - 1 - world->num_losses;
  const size_t size = sizeof world->reason;
  size_t used = 0;
  if (missing == 0) {
    snprintf(world->reason, size, "a message did not arrive in time, although all ranks answer");
    return;
  }
  for (int r = 0, named = 0; r < world->ranks.size && named < MOST; r++) {
    if (world->loss_received[r] || r == world->ranks.rank) continue;
    named++;
    used += (size_t)snprintf(world->reason + used, size - used, "%s%d",
                             named > 1      ? ", "
                             : missing == 1 ? "rank "
                                            : "ranks ",
                             r);
  }
  if (missing > MOST)
    used += (size_t)snprintf(world->reason + used, size - used, " and %d more", missing - MOST);
  if (world->limit > 0)
    snprintf(world->reason + used, size - used,
             " did not answer in time: the limit is %g s (wait_seconds)", world->limit);
  else
    snprintf(world->reason + used, size - used, " did not answer when another rank had given up");
}

void hymgi_comm_find_missing(hymgi_comm *world)
{
  const double longer = ANSWER_SECONDS + world->limit / 10;
  const double end = hymgi_seconds() + (longer < ANSWER_MOST ? longer : ANSWER_MOST);
  hymgi_comm_announce(world, NULL);
  while (!*world->reason && world->num_losses < world->ranks.size - 1 && hymgi_seconds() < end)
    hymgi_comm_receive_losses(world);
  if (!*world->reason) name_missing(world);
}

/* ---- waiting ---- */

bool hymgi_comm_wait_briefly(hymgi_comm *world, int count, MPI_Request *request)
{
  const double end = hymgi_seconds() + (world->stuck ? 0 : LAST_SENDS_SECONDS);
  int done = 0;
  while (MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
    if (done || hymgi_seconds() > end) break;
  if (!done) world->stuck = true;
  return done;
}

void hymgi_comm_withdraw(hymgi_comm *world, int count, MPI_Request *request)
{
  for (int m = 0; m < count; m++)
    if (request[m] != MPI_REQUEST_NULL) MPI_Cancel(&request[m]);
  hymgi_comm_wait_briefly(world, count, request);
}

hymg_status hymgi_comm_complete(hymg_context *context, hymgi_comm *world, int count,
                                MPI_Request *request)
{
  double start = 0, next = 0;
  for (int tries = 1, done = 0; !world->lost; tries++) {
    const int error = MPI_Testall(count, request, &done, MPI_STATUSES_IGNORE);
    hymgi_comm_check(context, world, error, "MPI_Testall");
    if (error == MPI_SUCCESS && done) return HYMG_OK;
    if (tries % TRIES) continue;
    const double now = hymgi_seconds();
    if (start == 0) start = now, next = now + POLL_SECONDS;
    if (now < next) continue;
    next = now + POLL_SECONDS;
    hymgi_comm_receive_losses(world);
    if (world->num_losses > 0 || (world->limit > 0 && now - start > world->limit))
      hymgi_comm_find_missing(world);
  }
  hymgi_comm_withdraw(world, count, request);
  return hymgi_comm_refuse(context, world);
}
