/* The parts of a plan: the merged boxes of a rank, messages from sorted bricks, and buffers. */
#include "distribution/plan_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- a rank's boxes ---- */

/* The part of a geometry that follows from the decomposition. */
static hymgi_geom box_geom(const hymgi_decomp *d, const int cover[6], int ghost, unsigned periodic)
{
  hymgi_geom g = {.ghost = ghost};
  for (int a = 0; a < 3; a++) {
    g.low[a] = hymgi_decomp_low(d, a, cover[a]);
    g.n[a] = hymgi_decomp_low(d, a, cover[a] + cover[3 + a]) - g.low[a];
    if (periodic >> a & 1) continue;
    if (g.low[a] == 0) g.boundaries |= 1u << (2 * a);
    if (g.low[a] + g.n[a] == d->n[a]) g.boundaries |= 1u << (2 * a + 1);
  }
  g.parity = (g.low[0] ^ g.low[1] ^ g.low[2]) & 1;
  return g;
}

hymg_status hymgi_side_boxes(hymg_context *context, const hymgi_decomp *decomp, int rank, int ghost,
                             unsigned periodic, hymgi_geom **box, int (**cover)[6], int *num_boxes)
{
  int *list, count, brick[6];
  TRY(hymgi_decomp_boxes_of(context, decomp, rank, &list, &count));
  const bool merged = hymgi_decomp_brick(list, count, brick, brick + 3);
  const int boxes = merged ? 1 : count;
  hymgi_geom *g = malloc((size_t)(boxes + 1) * sizeof *g);
  int(*c)[6] = malloc((size_t)(boxes + 1) * sizeof *c);
  if (!g || !c) {
    free(list), free(g), free(c);
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for %d boxes", boxes);
  }
  for (int q = 0; q < boxes; q++) {
    for (int a = 0; a < 3; a++) {
      c[q][a] = merged ? brick[a] : list[3 * q + a];
      c[q][3 + a] = merged ? brick[3 + a] : 1;
    }
    g[q] = box_geom(decomp, c[q], ghost, periodic);
  }
  free(list);
  *box = g, *cover = c, *num_boxes = boxes;
  return HYMG_OK;
}

/* ---- bricks into messages ---- */

static int by_message_and_key(const void *left, const void *right)
{
  const hymgi_brick *a = left, *b = right;
  if (a->way != b->way) return a->way < b->way ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->sub > b->sub) - (a->sub < b->sub);
}

/* Sorted bricks of one direction become consecutive pieces in the buffer, with one message per
 * rank. */
static bool lay_out(const hymgi_brick *brick, int count, hymgi_piece **pieces,
                    hymgi_message **messages, int *num_messages)
{
  int ranks = 0;
  for (int i = 0; i < count; i++)
    ranks += i == 0 || brick[i].rank != brick[i - 1].rank;
  hymgi_piece *p = *pieces = malloc((size_t)(count + 1) * sizeof *p);
  hymgi_message *m = *messages = malloc((size_t)(ranks + 1) * sizeof *m);
  *num_messages = ranks;
  if (!p || !m) return false;
  size_t at = 0;
  for (int i = 0, r = -1; i < count; i++) {
    const hymgi_copy *c = &brick[i].copy;
    const bool sends = brick[i].way == HYMGI_SEND;
    if (i == 0 || brick[i].rank != brick[i - 1].rank)
      m[++r] = (hymgi_message){.rank = brick[i].rank, .first = i, .at = at};
    p[i] = (hymgi_piece){sends ? c->src_box : c->dst_box, r, .at = at, .first = m[r].at};
    memcpy(p[i].low, sends ? c->src : c->dst, sizeof p[i].low);
    memcpy(p[i].n, c->n, sizeof p[i].n);
    at += (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
    m[r].count++;
    m[r].size = at - m[r].at;
  }
  return true;
}

hymg_status hymgi_plan_assemble(hymg_context *context, hymgi_brick *brick, int count,
                                hymgi_plan **plan)
{
  hymgi_plan *p = calloc(1, sizeof *p);
  if (!p) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a plan");
  *p = (hymgi_plan){.threads = context->threads, .context = context};
  if (brick) qsort(brick, (size_t)count, sizeof *brick, by_message_and_key);
  int bricks[3] = {0};
  for (int i = 0; i < count; i++)
    bricks[brick[i].way]++;
  p->num_local = bricks[HYMGI_LOCAL], p->num_pack = bricks[HYMGI_SEND];
  p->num_unpack = bricks[HYMGI_RECEIVE];
  const hymgi_brick *send = brick ? brick + p->num_local : NULL;
  const hymgi_brick *receive = brick ? send + p->num_pack : NULL;
  p->local = malloc((size_t)(p->num_local + 1) * sizeof *p->local);
  const bool sent = lay_out(send, p->num_pack, &p->pack, &p->send, &p->num_sends);
  const bool received = lay_out(receive, p->num_unpack, &p->unpack, &p->receive, &p->num_receives);
  if (!p->local || !sent || !received) {
    hymgi_plan_destroy(&p);
    return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a plan of %d bricks", count);
  }
  for (int i = 0; i < p->num_local; i++)
    p->local[i] = brick[i].copy;
  p->mpi_sends = p->num_sends;
  p->mpi_receives = p->num_receives;
  *plan = p;
  return HYMG_OK;
}

/* ---- all-gathers ---- */

/* Bruck's all-gather: the buffer has what the members have, by their distance from this one, which comes first. Who has the
 * first m of them gets those that follow from the members m, 2 m, ... places away, as their first ones. So what is sent is the
 * beginning of the buffer. */
static int list_rounds(hymgi_plan *plan, const hymgi_members *members, const size_t *end)
{
  const int count = members->count, place = members->place;
  int messages = 0, round = 0;
  for (int64_t known = 1; known < count; known *= HYMGI_ROUND_BASE, round++)
    for (int64_t away = known; away < count && away < known * HYMGI_ROUND_BASE; away += known) {
      const int64_t part = known < count - away ? known : count - away;
      plan->send[messages] = (hymgi_message){.rank = members->rank[(place - away + count) % count],
                                             .size = end[part - 1],
                                             .round = round};
      plan->receive[messages++] = (hymgi_message){.rank = members->rank[(place + away) % count],
                                                  .at = end[away - 1],
                                                  .size = end[away + part - 1] - end[away - 1],
                                                  .round = round};
    }
  plan->rounds = round;
  return messages;
}

/* A member may have nothing but boxes without a cell on the coarse level. */
hymg_status hymgi_plan_in_rounds(hymgi_plan *plan, const hymgi_members *members)
{
  const size_t most = (size_t)members->count;
  size_t *end = calloc(most, sizeof *end), own = 0;
  hymgi_message *send = malloc(most * sizeof *send), *receive = malloc(most * sizeof *receive);
  if (!end || !send || !receive) {
    free(end), free(send), free(receive);
    return hymgi_fail(plan->context, HYMG_ENOMEM, "out of memory for a plan of %zu messages", most);
  }
  for (int m = 0; m < plan->num_sends; m++)
    own += plan->send[m].size;
  for (int m = 0; m < plan->num_receives; m++)
    end[plan->receive[m].rank - members->rank[members->place]] = plan->receive[m].size;
  end[0] = own;
  for (size_t m = 1; m < most; m++)
    end[m] += end[m - 1];
  for (int i = 0; i < plan->num_unpack; i++)
    plan->unpack[i].at += own, plan->unpack[i].first += own;
  free(plan->send), free(plan->receive);
  plan->send = send, plan->receive = receive;
  plan->num_sends = plan->num_receives = list_rounds(plan, members, end);
  plan->mpi_sends = plan->mpi_receives = plan->num_sends;
  free(end);
  return HYMG_OK;
}

/* ---- buffers ---- */

static size_t doubles_of(const hymgi_message *message, int count)
{
  return count > 0 ? message[count - 1].at + message[count - 1].size : 0;
}

hymg_status hymgi_plan_share(hymgi_plan *plan,
                             hymg_status (*share)(hymg_context *context, void **block,
                                                  size_t bytes),
                             void (*unshare)(void *), const hymgi_memory *buffers)
{
  void *list[3] = {plan->local, plan->pack, plan->unpack};
  const size_t bytes[3] = {(size_t)plan->num_local * sizeof *plan->local,
                           (size_t)plan->num_pack * sizeof *plan->pack,
                           (size_t)plan->num_unpack * sizeof *plan->unpack};
  plan->unshare = unshare;
  hymg_status status = HYMG_OK;
  for (int m = 0; m < 3 && status == HYMG_OK; m++)
    if (list[m]) status = share(plan->context, &list[m], bytes[m]);
  plan->local = list[0], plan->pack = list[1], plan->unpack = list[2];
  TRY(status);
  return buffers ? hymgi_plan_allocate(plan, buffers) : HYMG_OK;
}

hymg_status hymgi_plan_allocate(hymgi_plan *plan, const hymgi_memory *buffers)
{
  const size_t out = hymgi_plan_send_doubles(plan), in = hymgi_plan_receive_doubles(plan);
  plan->buffers = buffers;
  if (out) TRY(buffers->alloc(plan->context, out, &plan->send_buffer));
  if (in) TRY(buffers->alloc(plan->context, in, &plan->receive_buffer));
  if (plan->rounds) plan->send_buffer = plan->receive_buffer;
  return HYMG_OK;
}

void hymgi_plan_release(hymgi_plan *plan)
{
  const hymgi_memory *m = hymgi_comm_is_stuck(plan->context->comm) ? NULL : plan->buffers;
  if (m && plan->send_buffer && !plan->rounds)
    m->release(plan->context, plan->send_buffer, hymgi_plan_send_doubles(plan));
  if (m && plan->receive_buffer)
    m->release(plan->context, plan->receive_buffer, hymgi_plan_receive_doubles(plan));
  plan->buffers = NULL;
  plan->send_buffer = plan->receive_buffer = NULL;
}

size_t hymgi_plan_send_doubles(const hymgi_plan *plan)
{
  return plan->rounds ? 0 : doubles_of(plan->send, plan->num_sends);
}

size_t hymgi_plan_receive_doubles(const hymgi_plan *plan)
{
  return doubles_of(plan->receive, plan->num_receives);
}

void hymgi_plan_lend(hymgi_plan *plan, double *send, double *receive)
{
  plan->send_buffer = plan->rounds ? receive : send;
  plan->receive_buffer = receive;
  plan->borrowed = true;
}

void hymgi_plan_destroy(hymgi_plan **plan)
{
  if (!plan || !*plan) return;
  hymgi_plan *p = *plan;
  void (*const free_list)(void *) = p->unshare ? p->unshare : free;
  free_list(p->local);
  free_list(p->pack);
  free_list(p->unpack);
  hymgi_plan_release(p);
  if (p->out.message) free_list(p->out.message);
  if (p->in.message) free_list(p->in.message);
  free(p->send);
  free(p->receive);
  hymgi_requests_destroy(&p->requests);
  free(p);
  *plan = NULL;
}

size_t hymgi_plan_bytes(const hymgi_plan *plan)
{
  if (!plan) return 0;
  const size_t buffers = hymgi_plan_send_doubles(plan) + hymgi_plan_receive_doubles(plan);
  return sizeof *plan + (size_t)plan->num_local * sizeof(hymgi_copy) +
         (size_t)(plan->num_pack + plan->num_unpack) * sizeof(hymgi_piece) +
         (size_t)(plan->num_sends + plan->num_receives) * sizeof(hymgi_message) +
         buffers * sizeof(double);
}
