/* Beginning anew after a failure. A rank whose GPU has failed no longer sends, and its neighbours'
 * GPUs, which would wait for it, go on without its messages: counters and buffers no longer match,
 * and messages may arrive late. Nothing of this may reach a later call. So once an agreement has
 * reported the failure to all ranks, all of them together, for all solvers of the context,
 *
 * 1. abort: each GPU signals its neighbours to stop waiting, and then the rank waits until its own
 *    GPU is idle. NCCL's communicator is made anew.
 * 2. Barrier: every GPU is idle, and what was under way between GPUs has arrived.
 * 3. clear the flags, counters and buffers in the memory of their own GPU, which is the memory that
 *    the others write to.
 * 4. Barrier: only now may a rank send.
 *
 * A rank that cannot clear its memory reports that in the next agreement, which begins anew as
 * well. */
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

static bool by_peers(const hymgi_hierarchy *h)
{
  return h->transport.info.within == HYMG_TRANSPORT_PEER;
}

static void abort_waiting(hymg_context *c)
{
  hymgi_hierarchy *group = NULL;
  for (hymgi_hierarchy *h = c->connected; h; h = h->next_connected)
    if (by_peers(h))
      h->placement.fine->sharing->abort(c, &h->transport.peers);
    else
      group = h;
  c->connected->placement.fine->sync(c);
  c->pending = HYMG_OK; /* the agreement reports it */
  /* if this fails, so does what uses NCCL next */
  if (group) hymgi_nccl_open(c, group->placement.fine, true);
}

static hymg_status clear(hymg_context *c)
{
  hymg_status status = HYMG_OK;
  for (hymgi_hierarchy *h = c->connected; h; h = h->next_connected) {
    hymgi_transport *t = &h->transport;
    t->peers.notified = false;
    if (!by_peers(h)) continue;
    const hymg_status s =
        h->placement.fine->sharing->reset(c, t->arena, t->words, t->arena_doubles);
    if (status == HYMG_OK) status = s;
  }
  return status;
}

/* Agreements on the way do not begin anew. Leaves the context's text and status as they are. */
static void recover(hymg_context *c, hymg_status failure)
{
  char text[sizeof c->error];
  const hymg_status before = c->status;
  if (!c->connected) return;
  memcpy(text, c->error, sizeof text);
  c->recover = NULL;
  c->status = failure;
  abort_waiting(c);
  hymgi_comm_barrier(c, c->comm);
  const hymg_status cleared = clear(c);
  if (cleared != HYMG_OK) hymgi_report_later(c, cleared);
  hymgi_comm_barrier(c, c->comm);
  c->status = before;
  c->recover = recover;
  memcpy(c->error, text, sizeof text);
}

void hymgi_transport_enter(hymgi_hierarchy *h)
{
  h->next_connected = h->context->connected;
  h->context->connected = h;
  h->context->recover = recover;
}

/* h->context may be NULL: creating the solver may have failed before it was set. */
void hymgi_transport_leave(hymgi_hierarchy *h)
{
  if (!h->context) return;
  hymgi_hierarchy **link = &h->context->connected;
  while (*link && *link != h)
    link = &(*link)->next_connected;
  if (*link) *link = h->next_connected;
}

void hymgi_transport_reset(hymgi_hierarchy *h, hymg_status failure)
{
  if (h->context->recover) h->context->recover(h->context, failure);
}

hymg_status hymgi_agree_or_reset(hymgi_hierarchy *h, hymg_status status)
{
  if (status != HYMG_OK && h->transport.info.within == HYMG_TRANSPORT_NCCL)
    (*h->placement.fine->nccl_ops)->notify(h->context);
  if (status != HYMG_OK) hymgi_report_later(h->context, status);
  return hymgi_agree(h->context, status);
}
