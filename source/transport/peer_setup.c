/* Buffers and flags of a transport. The arena of a rank contains, in this order: its abort flag;
 * for each plan its counters, a word per message from a peer (how often it was received) and per
 * message to a peer (how often it was acknowledged); the versions of each message from a peer;
 * the buffers of MPI or NCCL. Ranks exchange by MPI messages where to write. */
#include <stdlib.h>
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

enum {
  LINE = 16,      /* doubles: 128 bytes */
  COUNTERS = 4,   /* words per plan: exchanges and finished blocks, for each direction */
  OFFSETS = 2,    /* of a message: hymgi_message */
  LEAST = 1 << 18 /* the granularity of mappings in the driver, so that an arena shares no page */
};

static size_t lines(size_t doubles)
{
  return (doubles + LINE - 1) / LINE * LINE;
}

static unsigned long long *word(double *arena, size_t at)
{
  return (unsigned long long *)(void *)arena + at;
}

/* The local rank of a rank; -1 if it is on another node. */
static int local_of(const hymgi_transport *t, int rank)
{
  for (int r = 0; r < t->locals; r++)
    if (t->rank_of[r] == rank) return r;
  return -1;
}

static int mark_peers(const hymgi_transport *t, hymgi_message *message, int count)
{
  int rest = 0;
  for (int m = 0; m < count; m++) {
    message[m].peer = t->info.within == HYMG_TRANSPORT_PEER && local_of(t, message[m].rank) >= 0;
    rest += !message[m].peer;
  }
  return rest;
}

/* ---- arenas ---- */

static hymgi_peer_side side_at(double *arena, size_t at)
{
  return (hymgi_peer_side){.exchanges = word(arena, at),
                           .finished = (unsigned *)word(arena, at + 1)};
}

/* Computes the size of the arena and the offsets of all messages. Once the arena is there, the
 * plans get their counters and, if MPI or NCCL reads device memory, their buffers. */
static void lay_out(hymgi_transport *t, const hymgi_plan_list *list)
{
  size_t words = LINE; /* the first is the abort flag */
  for (int p = 0; p < list->count; p++) {
    hymgi_plan *plan = list->plan[p];
    if (t->arena) plan->out = side_at(t->arena, words), plan->in = side_at(t->arena, words + 2);
    words += COUNTERS;
    for (int m = 0; m < plan->num_receives; m++)
      plan->receive[m].mine[1] = (double)words++;
    for (int m = 0; m < plan->num_sends; m++)
      plan->send[m].mine[1] = (double)words++;
  }
  size_t at = t->words = lines(words);
  for (int p = 0; p < list->count; p++) {
    hymgi_plan *plan = list->plan[p];
    for (int m = 0; m < plan->num_receives; m++) {
      plan->receive[m].mine[0] = (double)at;
      if (plan->receive[m].peer) at += HYMGI_PEER_VERSIONS * lines(plan->receive[m].size);
    }
    if (!t->on_device || plan->mpi_sends + plan->mpi_receives == 0) continue;
    const size_t receive = at + lines(hymgi_plan_send_doubles(plan));
    if (t->arena) hymgi_plan_lend(plan, t->arena + at, t->arena + receive);
    at = receive + lines(hymgi_plan_receive_doubles(plan));
  }
  t->arena_doubles = at > LEAST ? at : LEAST;
}

static hymg_status list_node(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const int rank = hymgi_comm_rank(c->comm);
  t->locals = hymgi_comm_local_size(c->comm);
  t->rank_of = malloc((size_t)t->locals * sizeof *t->rank_of);
  t->mapped = calloc((size_t)t->locals, sizeof *t->mapped);
  t->peers.others = calloc((size_t)t->locals, sizeof *t->peers.others);
  const bool ok = t->rank_of && t->mapped && t->peers.others;
  TRY(hymgi_agree(c, ok ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for a list of ranks")));
  return hymgi_comm_gather_local(c, c->comm, &rank, sizeof rank, t->rank_of);
}

static void unmap(hymgi_hierarchy *h)
{
  hymgi_transport *t = &h->transport;
  for (int r = 0; t->mapped && r < t->locals; r++) {
    if (t->mapped[r]) h->placement.fine->sharing->unmap(h->context, t->mapped[r]);
    t->mapped[r] = NULL;
  }
  t->peers.num_others = 0;
}

/* Does this rank exchange messages with that one? */
static bool talks_to(const hymgi_plan_list *list, int rank)
{
  for (int p = 0; p < list->count; p++) {
    const hymgi_plan *plan = list->plan[p];
    if (hymgi_message_with(plan->send, plan->num_sends, rank) ||
        hymgi_message_with(plan->receive, plan->num_receives, rank))
      return true;
  }
  return false;
}

/* Collective. why: the reason if this rank could not map the arena of another one. */
static hymg_status map_arenas(hymgi_hierarchy *h, const hymgi_plan_list *list, char why[128])
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const hymgi_peer_memory *sharing = h->placement.fine->sharing;
  hymgi_card mine = {.rank = hymgi_comm_rank(c->comm)}, *all;
  TRY(hymgi_gather_cards(c, sharing->export_memory(c, t->arena, &mine.handle), &mine, &all));
  for (int r = 0; r < t->locals && !*why; r++) {
    if (all[r].rank == mine.rank || !talks_to(list, all[r].rank)) continue;
    if (sharing->map(c, &all[r].handle, &t->mapped[r], why))
      t->peers.others[t->peers.num_others++] = t->mapped[r];
    else
      t->mapped[r] = NULL;
  }
  free(all);
  return HYMG_OK;
}

/* Collective. why: empty, or what failed on which rank if not all have mapped the arenas; then
 * these are released again. */
static hymg_status connect_arenas(hymgi_hierarchy *h, const hymgi_plan_list *list, char why[128])
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const hymgi_backend *fine = h->placement.fine;
  if (t->info.within != HYMG_TRANSPORT_PEER && !t->on_device) return HYMG_OK;
  hymg_status status = fine->memory->alloc(c, t->arena_doubles, &t->arena);
  if (status == HYMG_OK) status = fine->sharing->reset(c, t->arena, t->words, t->arena_doubles);
  TRY(hymgi_agree(c, status));
  if (t->info.within != HYMG_TRANSPORT_PEER) return HYMG_OK;
  TRY(map_arenas(h, list, why));
  TRY(hymgi_share_text(c, why));
  if (!*why) return HYMG_OK;
  unmap(h);
  TRY(hymgi_comm_barrier(c, c->comm)); /* no rank has the arenas mapped any more */
  fine->memory->release(c, t->arena, t->arena_doubles);
  t->arena = NULL;
  return HYMG_OK;
}

/* ---- messages between peers ---- */

/* Sends the offsets of this rank's receives, or of its sends, to the other ranks and receives theirs of
 * the same messages. */
static hymg_status pass_offsets(const hymgi_plan *plan, bool of_receives)
{
  hymg_context *c = plan->context;
  hymgi_message *sent = of_receives ? plan->receive : plan->send;
  hymgi_message *asked = of_receives ? plan->send : plan->receive;
  const int in = of_receives ? plan->num_sends : plan->num_receives;
  hymg_status status = HYMG_OK, s;
  for (int m = 0; m < plan->num_sends + plan->num_receives; m++) {
    const bool sends = m >= in;
    hymgi_message *message = sends ? sent + (m - in) : asked + m;
    s = hymgi_comm_post(c, plan->requests, sends, message->rank, plan->tag,
                        sends ? message->mine : message->theirs, OFFSETS);
    if (status == HYMG_OK) status = s;
  }
  s = hymgi_comm_wait(c, plan->requests);
  return status == HYMG_OK ? s : status;
}

/* If both ranks send in this plan, the next message of the other one acknowledges this one; else
 * a separate word does. */
static hymgi_peer_message describe(const hymgi_transport *t, const hymgi_plan *plan, bool sends,
                                   int m)
{
  const hymgi_message *message = sends ? plan->send + m : plan->receive + m;
  if (!message->peer)
    return (hymgi_peer_message){.data = (sends ? plan->send_buffer : plan->receive_buffer) +
                                        message->at};
  double *const arena = t->mapped[local_of(t, message->rank)];
  const bool answered =
      !plan->acknowledged &&
      (sends ? hymgi_message_with(plan->receive, plan->num_receives, message->rank)
             : hymgi_message_with(plan->send, plan->num_sends, message->rank)) != NULL;
  return (hymgi_peer_message){
      .data = sends ? arena + (size_t)message->theirs[0] : t->arena + (size_t)message->mine[0],
      .version = (ptrdiff_t)lines(message->size),
      .set = answered && !sends ? NULL : word(arena, (size_t)message->theirs[1]),
      .awaited = answered && sends ? NULL : word(t->arena, (size_t)message->mine[1]),
      .rank = message->rank,
      .lag = !sends               ? 0
             : plan->acknowledged ? HYMGI_PEER_VERSIONS
                                  : 2};
}

static hymg_status describe_side(hymgi_hierarchy *h, hymgi_plan *plan, bool sends)
{
  const int count = sends ? plan->num_sends : plan->num_receives;
  const size_t bytes = ((size_t)count + 1) * sizeof(hymgi_peer_message);
  hymgi_peer_message *list = malloc(bytes);
  if (!list) return hymgi_fail(plan->context, HYMG_ENOMEM, "no memory for %d messages", count);
  for (int m = 0; m < count; m++)
    list[m] = describe(&h->transport, plan, sends, m);
  void *block = list;
  const hymg_status status = h->placement.fine->share(plan->context, &block, bytes);
  *(sends ? &plan->out.message : &plan->in.message) = block;
  return status;
}

/* One step at a time for all plans, so that no rank waits for one that has failed. */
static hymg_status connect_peers(hymgi_hierarchy *h, const hymgi_plan_list *list)
{
  hymgi_transport *t = &h->transport;
  t->peers.aborted = word(t->arena, 0);
  hymg_status status = HYMG_OK;
  for (int p = 0; p < 2 * list->count; p++) {
    const hymg_status passed = pass_offsets(list->plan[p / 2], p % 2);
    if (status == HYMG_OK) status = passed;
  }
  TRY(hymgi_agree(h->context, status));
  for (int p = 0; p < list->count && status == HYMG_OK; p++) {
    status = describe_side(h, list->plan[p], true);
    if (status == HYMG_OK) status = describe_side(h, list->plan[p], false);
    if (status == HYMG_OK) list->plan[p]->peers = &t->peers;
  }
  return hymgi_agree(h->context, status);
}

/* ---- connecting ---- */

/* The buffers of MPI or NCCL: in the arena or, if staged, in separate host memory. A plan of the
 * robust path has had such buffers for the set-up. */
static hymg_status give_buffers(hymgi_hierarchy *h, const hymgi_plan_list *list)
{
  hymgi_transport *t = &h->transport;
  for (int p = 0; p < list->count; p++)
    hymgi_plan_release(list->plan[p]);
  if (t->arena) lay_out(t, list);
  for (int p = 0; p < list->count && !t->on_device; p++)
    if (list->plan[p]->mpi_sends + list->plan[p]->mpi_receives > 0)
      TRY(hymgi_plan_allocate(list->plan[p], h->placement.fine->crossing));
  return HYMG_OK;
}

/* NCCL carries all messages; MPI carries none. */
static hymg_status connect_group(hymgi_hierarchy *h, const hymgi_plan_list *list)
{
  TRY(hymgi_nccl_open(h->context, h->placement.fine, false));
  for (int p = 0; p < list->count; p++) {
    hymgi_plan *plan = list->plan[p];
    if (plan->mpi_sends + plan->mpi_receives > 0) plan->group = &h->transport.peers;
    plan->mpi_sends = plan->mpi_receives = 0;
  }
  return hymgi_nccl_connect(h, list);
}

hymg_status hymgi_transport_connect(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const hymgi_plan_list list = hymgi_plans_on_gpu(h);
  char why[128] = "";
  if (t->info.within == HYMG_TRANSPORT_NONE) return HYMG_OK;
  TRY(list_node(h));
  t->connected = true;
  for (;;) {
    for (int p = 0; p < list.count; p++) {
      hymgi_plan *plan = list.plan[p];
      plan->mpi_sends = mark_peers(t, plan->send, plan->num_sends);
      plan->mpi_receives = mark_peers(t, plan->receive, plan->num_receives);
    }
    lay_out(t, &list);
    TRY(connect_arenas(h, &list, why));
    if (!*why) break;
    if (h->options.transport == HYMG_TRANSPORT_PEER)
      return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport peer: %s", why);
    hymgi_transport_without_peers(h, why);
    why[0] = '\0';
  }
  TRY(hymgi_agree(c, give_buffers(h, &list)));
  t->peers.timeout = c->wait_seconds > 0 && c->wait_seconds < h->options.peer_seconds
                         ? c->wait_seconds
                         : h->options.peer_seconds;
  if (t->info.within == HYMG_TRANSPORT_PEER) TRY(hymgi_agree_on_protocols(h, &list));
  TRY(hymgi_agree_on_sweeps(h));
  if (t->info.within == HYMG_TRANSPORT_NCCL)
    TRY(connect_group(h, &list));
  else if (t->info.within == HYMG_TRANSPORT_PEER)
    TRY(connect_peers(h, &list));
  else
    return HYMG_OK;
  hymgi_transport_enter(h);
  return HYMG_OK;
}

/* After a failure, messages may have been sent and not received. The text of the failure stays. */
static void renew_group(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  char text[sizeof c->error];
  memcpy(text, c->error, sizeof text);
  hymgi_nccl_open(c, h->placement.fine, h->transport.failed || c->pending != HYMG_OK);
  (*h->placement.fine->nccl_ops)->forget(c, &h->transport.peers);
  memcpy(c->error, text, sizeof text);
}

void hymgi_transport_disconnect(hymgi_hierarchy *h)
{
  hymgi_transport *t = &h->transport;
  hymg_context *c = h->context;
  hymgi_transport_leave(h);
  if (t->connected && t->info.within == HYMG_TRANSPORT_PEER) {
    /* all messages have arrived, and no rank sends any more */
    h->placement.fine->sync(c);
    hymgi_comm_barrier(c, c->comm);
    unmap(h);
    hymgi_comm_barrier(c, c->comm);
  }
  if (t->connected && t->info.within == HYMG_TRANSPORT_NCCL) {
    h->placement.fine->sync(c);
    renew_group(h);
  }
  if (t->arena && !hymgi_comm_is_lost(c->comm))
    h->placement.fine->memory->release(c, t->arena, t->arena_doubles);
  free(t->rank_of);
  free(t->mapped);
  free(t->peers.others);
  *t = (hymgi_transport){.info = t->info};
}
