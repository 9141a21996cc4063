/* Buffers and flags of a transport. The arena of a rank contains, in this order: its abort flag;
 * for each plan its counters, a word per message from a peer (how often it was received) and per
 * message to a peer (how often it was acknowledged); the versions of each message from a peer;
 * the buffers of MPI or NCCL. Ranks tell each other by MPI messages where to write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

enum {
  LINE = 16,      /* doubles: 128 bytes */
  COUNTERS = 4,   /* words per plan: exchanges and finished blocks, for each direction */
  OFFER = 2,      /* numbers sent about each message */
  LEAST = 1 << 18 /* the granularity of mappings in the driver, so that an arena shares no page */
};

static size_t lines(size_t doubles)
{
  return (doubles + LINE - 1) / LINE * LINE;
}

/* ---- plans ---- */

/* The plans of all levels that run on the GPU. */
typedef struct plan_list {
  hymgi_plan *plan[HYMGI_LEVEL_PLANS * HYMGI_MAX_LEVELS];
  int count;
} plan_list;

static plan_list plans_of(const hymgi_hierarchy *h)
{
  plan_list list = {.count = 0};
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    if (level->backend != h->placement.fine) continue;
    const hymgi_level_plans all = hymgi_plans_of_level(level);
    for (int m = 0; m < HYMGI_LEVEL_PLANS; m++)
      if (all.plan[m]) list.plan[list.count++] = all.plan[m];
  }
  return list;
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

/* ---- layout ---- */

/* Offsets of a plan in the arena: of its words, then of its doubles. */
typedef struct place {
  size_t counters, come, taken; /* come[i], taken[i]: for the messages in their order */
  size_t data, send, receive;   /* data: the receives from peers, one after the other */
} place;

static size_t versions(const hymgi_plan *plan)
{
  size_t doubles = 0;
  for (int m = 0; m < plan->num_receives; m++)
    if (plan->receive[m].peer) doubles += HYMGI_PEER_VERSIONS * lines(plan->receive[m].size);
  return doubles;
}

/* Computes the size of the arena and the offsets of all plans. */
static void lay_out(hymgi_transport *t, const plan_list *list, place *places)
{
  size_t words = LINE; /* the first is the abort flag */
  for (int p = 0; p < list->count; p++) {
    const hymgi_plan *plan = list->plan[p];
    places[p].counters = words;
    places[p].come = words + COUNTERS;
    places[p].taken = places[p].come + (size_t)plan->num_receives;
    words = places[p].taken + (size_t)plan->num_sends;
  }
  size_t at = t->words = lines(words);
  for (int p = 0; p < list->count; p++) {
    const hymgi_plan *plan = list->plan[p];
    places[p].data = at;
    places[p].send = at + versions(plan);
    const bool lends = t->on_device && plan->mpi_sends + plan->mpi_receives > 0;
    places[p].receive = places[p].send + (lends ? lines(hymgi_plan_send_doubles(plan)) : 0);
    at = places[p].receive + (lends ? lines(hymgi_plan_receive_doubles(plan)) : 0);
  }
  t->arena_doubles = at > LEAST ? at : LEAST;
}

/* ---- arenas ---- */

static hymg_status make_arena(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const hymgi_backend *fine = h->placement.fine;
  TRY(fine->memory->alloc(c, t->arena_doubles, &t->arena));
  return fine->sharing->reset(c, t->arena, t->words, t->arena_doubles);
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
}

/* Does this rank exchange messages with that one? */
static bool talks_to(const plan_list *list, int rank)
{
  for (int p = 0; p < list->count; p++) {
    const hymgi_plan *plan = list->plan[p];
    for (int m = 0; m < plan->num_sends; m++)
      if (plan->send[m].rank == rank) return true;
    for (int m = 0; m < plan->num_receives; m++)
      if (plan->receive[m].rank == rank) return true;
  }
  return false;
}

/* Collective. why: the reason if this rank could not map the arena of another one. */
static hymg_status map_arenas(hymgi_hierarchy *h, const plan_list *list, char why[128])
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  const hymgi_peer_memory *sharing = h->placement.fine->sharing;
  hymgi_handle mine;
  memset(&mine, 0, sizeof mine);
  hymgi_handle *all = malloc((size_t)t->locals * sizeof *all);
  hymg_status status = all ? sharing->export_memory(c, t->arena, &mine)
                           : hymgi_fail(c, HYMG_ENOMEM, "no memory for a list of handles");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = hymgi_comm_gather_local(c, c->comm, &mine, sizeof mine, all);
  for (int r = 0; status == HYMG_OK && r < t->locals; r++)
    if (r != hymgi_comm_local_rank(c->comm) && talks_to(list, t->rank_of[r]) && !*why &&
        !sharing->map(c, all + r, &t->mapped[r], why))
      t->mapped[r] = NULL;
  free(all);
  return status;
}

/* ---- offers: where the data and the flag of a message are in the receiver's arena, and where
 * the acknowledgement is in the sender's ---- */

typedef struct offers {
  hymgi_requests *requests;
  double *mine, *theirs; /* OFFER numbers per receive, then per send */
} offers;

static void fill_offers(const hymgi_plan *plan, const place *at, double *mine)
{
  size_t data = at->data;
  for (int m = 0; m < plan->num_receives; m++, mine += OFFER) {
    mine[0] = (double)data, mine[1] = (double)(at->come + (size_t)m);
    if (plan->receive[m].peer) data += HYMGI_PEER_VERSIONS * lines(plan->receive[m].size);
  }
  for (int m = 0; m < plan->num_sends; m++, mine += OFFER)
    mine[0] = (double)(at->taken + (size_t)m), mine[1] = 0;
}

/* What a rank offers for its receives, the other rank gets for its sends, and vice versa; both
 * use the same order. */
static hymg_status pass_offers(const hymgi_plan *plan, const offers *o)
{
  hymg_context *c = plan->context;
  const int in = plan->num_receives, out = plan->num_sends;
  int request = 0;
  hymg_status status = HYMG_OK, s;
  for (int m = 0; m < out + in; m++) {
    const hymgi_message *message = m < out ? plan->send + m : plan->receive + (m - out);
    s = hymgi_comm_receive(c, c->comm, o->requests, request++, message->rank, plan->tag,
                           o->theirs + OFFER * (m < out ? in + m : m - out), OFFER);
    if (status == HYMG_OK) status = s;
  }
  for (int m = 0; m < in + out; m++) {
    const hymgi_message *message = m < in ? plan->receive + m : plan->send + (m - in);
    s = hymgi_comm_send(c, c->comm, o->requests, request++, message->rank, plan->tag,
                        o->mine + OFFER * m, OFFER);
    if (status == HYMG_OK) status = s;
  }
  s = hymgi_comm_wait(c, o->requests);
  return status == HYMG_OK ? s : status;
}

/* ---- the lists of a plan ---- */

static unsigned long long *word(double *arena, double at)
{
  return (unsigned long long *)(void *)arena + (size_t)at;
}

/* If both ranks send in this plan, the next message of the other one acknowledges this one; else
 * a separate word does. */
static hymgi_peer_message describe_send(const hymgi_transport *t, const hymgi_plan *plan,
                                        const place *at, const double *theirs, int m)
{
  const hymgi_message *message = plan->send + m;
  if (!message->peer) return (hymgi_peer_message){.data = plan->send_buffer + message->at};
  double *const arena = t->mapped[local_of(t, message->rank)];
  const bool answered = !plan->acknowledged && hymgi_message_with(plan->receive, plan->num_receives,
                                                                  message->rank) != NULL;
  return (hymgi_peer_message){.data = arena + (size_t)theirs[0],
                              .version = (ptrdiff_t)lines(message->size),
                              .set = word(arena, theirs[1]),
                              .awaited = answered ? NULL : word(t->arena, (double)at->taken + m),
                              .rank = message->rank,
                              .lag = plan->acknowledged ? HYMGI_PEER_VERSIONS : 2};
}

static hymgi_peer_message describe_receive(const hymgi_transport *t, const hymgi_plan *plan,
                                           const place *at, const double *mine,
                                           const double *theirs, int m)
{
  const hymgi_message *message = plan->receive + m;
  if (!message->peer) return (hymgi_peer_message){.data = plan->receive_buffer + message->at};
  double *const arena = t->mapped[local_of(t, message->rank)];
  const bool answered =
      !plan->acknowledged && hymgi_message_with(plan->send, plan->num_sends, message->rank) != NULL;
  return (hymgi_peer_message){.data = t->arena + (size_t)mine[0],
                              .version = (ptrdiff_t)lines(message->size),
                              .set = answered ? NULL : word(arena, theirs[0]),
                              .awaited = word(t->arena, (double)at->come + m),
                              .rank = message->rank};
}

static hymg_status describe(hymgi_hierarchy *h, hymgi_plan *plan, const place *at, const offers *o)
{
  hymgi_transport *t = &h->transport;
  const hymgi_backend *fine = h->placement.fine;
  const int in = plan->num_receives, out = plan->num_sends;
  const double *const mine = o->mine, *const theirs = o->theirs;
  unsigned long long *const counters = word(t->arena, (double)at->counters);
  void *sends = malloc(((size_t)out + 1) * sizeof(hymgi_peer_message));
  void *receives = malloc(((size_t)in + 1) * sizeof(hymgi_peer_message));
  hymg_status status = sends && receives ? HYMG_OK
                                         : hymgi_fail(plan->context, HYMG_ENOMEM,
                                                      "no memory for %d messages", in + out);
  for (int m = 0; status == HYMG_OK && m < out; m++)
    ((hymgi_peer_message *)sends)[m] = describe_send(t, plan, at, theirs + OFFER * (in + m), m);
  for (int m = 0; status == HYMG_OK && m < in; m++)
    ((hymgi_peer_message *)receives)[m] =
        describe_receive(t, plan, at, mine + OFFER * m, theirs + OFFER * m, m);
  if (status == HYMG_OK)
    status = fine->share(plan->context, &sends, ((size_t)out + 1) * sizeof(hymgi_peer_message));
  if (status == HYMG_OK)
    status = fine->share(plan->context, &receives, ((size_t)in + 1) * sizeof(hymgi_peer_message));
  plan->out = (hymgi_peer_side){sends, counters, (unsigned *)(counters + 1)};
  plan->in = (hymgi_peer_side){receives, counters + 2, (unsigned *)(counters + 3)};
  if (status == HYMG_OK) plan->peers = &t->peers;
  return status;
}

static hymg_status make_offers(const hymgi_plan *plan, const place *at, offers *o)
{
  const int count = plan->num_receives + plan->num_sends;
  o->mine = calloc((size_t)(2 * OFFER * count) + 1, sizeof *o->mine);
  if (!o->mine) return hymgi_fail(plan->context, HYMG_ENOMEM, "no memory for offers");
  o->theirs = o->mine + OFFER * count;
  fill_offers(plan, at, o->mine);
  return hymgi_requests_create(plan->context, 2 * count, &o->requests);
}

/* One step at a time for all plans, so that no rank waits for one that has failed. */
static hymg_status connect_all(hymgi_hierarchy *h, const plan_list *list, const place *places,
                               offers *all)
{
  hymg_context *c = h->context;
  hymg_status status = all ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for offers");
  for (int p = 0; p < list->count && status == HYMG_OK; p++)
    status = make_offers(list->plan[p], places + p, all + p);
  TRY(hymgi_agree(c, status));
  for (int p = 0; p < list->count; p++) {
    const hymg_status passed = pass_offers(list->plan[p], all + p);
    if (status == HYMG_OK) status = passed;
  }
  TRY(hymgi_agree(c, status));
  for (int p = 0; p < list->count && status == HYMG_OK; p++)
    status = describe(h, list->plan[p], places + p, all + p);
  return hymgi_agree(c, status);
}

/* ---- connecting ---- */

static void lend(const hymgi_transport *t, hymgi_plan *plan, const place *at)
{
  hymgi_plan_lend(plan, t->arena + at->send, t->arena + at->receive);
}

/* The buffers of MPI or NCCL: in the arena or, if staged, in separate host memory. */
static hymg_status give_buffers(hymgi_hierarchy *h, const plan_list *list, const place *places)
{
  hymgi_transport *t = &h->transport;
  for (int p = 0; p < list->count; p++) {
    hymgi_plan *plan = list->plan[p];
    if (plan->mpi_sends + plan->mpi_receives == 0) continue;
    if (t->on_device)
      lend(t, plan, places + p);
    else
      TRY(hymgi_plan_allocate(plan, h->placement.fine->crossing));
  }
  return HYMG_OK;
}

/* Collective. *mapped: all ranks have mapped the arenas; otherwise these are released again, and
 * why says what failed on which rank. */
static hymg_status connect_arenas(hymgi_hierarchy *h, const plan_list *list, char why[128],
                                  bool *mapped)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  *mapped = true;
  if (t->info.within != HYMG_TRANSPORT_PEER && !t->on_device) return HYMG_OK;
  TRY(hymgi_agree(c, make_arena(h)));
  if (t->info.within != HYMG_TRANSPORT_PEER) return HYMG_OK;
  TRY(map_arenas(h, list, why));
  TRY(hymgi_share_text(c, why));
  *mapped = !*why;
  if (*mapped) return HYMG_OK;
  unmap(h);
  TRY(hymgi_comm_barrier(c, c->comm)); /* no rank has the arenas mapped any more */
  h->placement.fine->memory->release(c, t->arena, t->arena_doubles);
  t->arena = NULL;
  return HYMG_OK;
}

static void list_others(hymgi_transport *t)
{
  t->peers.aborted = word(t->arena, 0);
  for (int r = 0; r < t->locals; r++)
    if (t->mapped[r]) t->peers.others[t->peers.num_others++] = t->mapped[r];
}

/* NCCL carries all messages; MPI carries none. */
static hymg_status connect_group(hymgi_hierarchy *h, plan_list *list)
{
  TRY(hymgi_nccl_open(h, false));
  for (int p = 0; p < list->count; p++) {
    hymgi_plan *plan = list->plan[p];
    if (plan->mpi_sends + plan->mpi_receives > 0) plan->group = &h->transport.peers;
    plan->mpi_sends = plan->mpi_receives = 0;
  }
  return hymgi_nccl_connect(h, list->plan, list->count);
}

static hymg_status connect_plans(hymgi_hierarchy *h, plan_list *list, place *places)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  char why[128] = "";
  bool mapped;
  for (int round = 0; round < 2; round++) {
    for (int p = 0; p < list->count; p++) {
      hymgi_plan *plan = list->plan[p];
      plan->mpi_sends = mark_peers(t, plan->send, plan->num_sends);
      plan->mpi_receives = mark_peers(t, plan->receive, plan->num_receives);
    }
    lay_out(t, list, places);
    TRY(connect_arenas(h, list, why, &mapped));
    if (mapped) break;
    if (h->options.transport == HYMG_TRANSPORT_PEER)
      return hymgi_fail(c, HYMG_EUNSUPPORTED, "transport peer: %s", why);
    hymgi_transport_without_peers(h, why);
    why[0] = '\0';
  }
  TRY(hymgi_agree(c, give_buffers(h, list, places)));
  t->peers.timeout = h->options.peer_seconds;
  if (t->info.within == HYMG_TRANSPORT_NCCL) return connect_group(h, list);
  if (t->info.within != HYMG_TRANSPORT_PEER) return HYMG_OK;
  list_others(t);
  TRY(hymgi_agree_on_protocols(h));
  TRY(hymgi_agree_on_colours(h));
  offers *all = calloc((size_t)list->count + 1, sizeof *all);
  const hymg_status status = connect_all(h, list, places, all);
  for (int p = 0; all && p < list->count; p++) {
    hymgi_requests_destroy(&all[p].requests);
    free(all[p].mine);
  }
  free(all);
  return status;
}

hymg_status hymgi_transport_connect(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  hymgi_transport *t = &h->transport;
  plan_list list = plans_of(h);
  if (t->info.within == HYMG_TRANSPORT_NONE) return HYMG_OK;
  TRY(list_node(h));
  t->connected = true;
  TRY(hymgi_agree_on_starts(h));
  place *places = calloc((size_t)list.count + 1, sizeof *places);
  hymg_status status = hymgi_agree(
      c, places ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for %d plans", list.count));
  if (status == HYMG_OK) status = connect_plans(h, &list, places);
  free(places);
  return status;
}

void hymgi_transport_disconnect(hymgi_hierarchy *h)
{
  hymgi_transport *t = &h->transport;
  hymg_context *c = h->context;
  if (t->connected && t->info.within == HYMG_TRANSPORT_PEER) {
    /* all messages have arrived, and no rank sends any more */
    h->placement.fine->sync(c);
    hymgi_comm_barrier(c, c->comm);
    unmap(h);
    hymgi_comm_barrier(c, c->comm);
  }
  if (t->connected && t->info.within == HYMG_TRANSPORT_NCCL) {
    h->placement.fine->sync(c);
    hymgi_comm_drain(c, c->comm);
    if (t->failed) hymgi_transport_reset(h);
  }
  if (t->arena) h->placement.fine->memory->release(c, t->arena, t->arena_doubles);
  free(t->rank_of);
  free(t->mapped);
  free(t->peers.others);
  *t = (hymgi_transport){.info = t->info};
}

void hymgi_transport_reset(hymgi_hierarchy *h)
{
  hymgi_transport *t = &h->transport;
  hymg_context *c = h->context;
  const bool grouped = t->info.within == HYMG_TRANSPORT_NCCL;
  if (!t->connected || !(grouped || (t->info.within == HYMG_TRANSPORT_PEER && t->arena))) return;
  char text[sizeof c->error]; /* the text of the failure */
  memcpy(text, c->error, sizeof text);
  const hymgi_peer_memory *sharing = h->placement.fine->sharing;
  /* with NCCL: aborts operations whose messages will not come */
  h->placement.fine->sync(c);
  if (grouped) hymgi_nccl_open(h, true); /* if this or what follows fails, so does the next solve */
  hymgi_comm_barrier(c, c->comm);
  if (!grouped) sharing->reset(c, t->arena, t->words, t->arena_doubles);
  t->peers.notified = false;
  hymgi_comm_barrier(c, c->comm);
  memcpy(c->error, text, sizeof text);
}

hymg_status hymgi_agree_or_reset(hymgi_hierarchy *h, hymg_status status)
{
  if (status != HYMG_OK && h->transport.info.within == HYMG_TRANSPORT_NCCL)
    (*h->placement.fine->nccl_ops)->notify(h->context);
  status = hymgi_agree(h->context, status);
  if (status != HYMG_OK) hymgi_transport_reset(h);
  return status;
}
