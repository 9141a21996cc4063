/* Is a plan sound? */
#include "support/plan.h"

#include <stdlib.h>

static bool tiles_buffer(const hymgi_message *message, int messages, const hymgi_piece *piece,
                         int pieces)
{
  size_t at = 0;
  int next = 0;
  for (int m = 0; m < messages; m++) {
    if (message[m].first != next || message[m].count < 1 || message[m].at != at) return false;
    if (m > 0 && message[m].rank <= message[m - 1].rank) return false;
    for (int i = 0; i < message[m].count; i++, next++) {
      if (next >= pieces || piece[next].at != at) return false;
      at += (size_t)piece[next].n[0] * (size_t)piece[next].n[1] * (size_t)piece[next].n[2];
    }
    if (message[m].size != at - message[m].at) return false;
  }
  return next == pieces;
}

/* Cells of a brick lie in the box and its ghosts; `ghosts_only`: none of them is an interior
 * cell. */
static bool lies_in(const hymgi_geom *g, const int low[3], const int n[3], bool ghosts_only)
{
  bool interior = true;
  for (int a = 0; a < 3; a++) {
    if (n[a] < 1 || low[a] < -g->ghost || low[a] + n[a] > g->n[a] + g->ghost) return false;
    interior = interior && low[a] < g->n[a] && low[a] + n[a] > 0;
  }
  return !(ghosts_only && interior);
}

typedef struct brick {
  int box;
  const int *low, *n;
} brick;

/* The i-th target of a plan: local copies first, then what is unpacked. */
static brick target(const hymgi_plan *p, int i)
{
  if (i < p->num_local) return (brick){p->local[i].dst_box, p->local[i].dst, p->local[i].n};
  const hymgi_piece *u = &p->unpack[i - p->num_local];
  return (brick){u->box, u->low, u->n};
}

static bool overlap(const brick *p, const brick *q)
{
  if (p->box != q->box) return false;
  for (int a = 0; a < 3; a++)
    if (p->low[a] >= q->low[a] + q->n[a] || q->low[a] >= p->low[a] + p->n[a]) return false;
  return true;
}

static int by_box(const void *left, const void *right)
{
  const brick *p = left, *q = right;
  if (p->box != q->box) return p->box < q->box ? -1 : 1;
  return (p->low[2] > q->low[2]) - (p->low[2] < q->low[2]);
}

/* No two targets share a cell: sorted by box and lower plane, only those that start below a
 * target's upper plane can. */
static bool targets_are_disjoint(const hymgi_plan *p)
{
  const int count = p->num_local + p->num_unpack;
  brick *t = malloc((size_t)(count + 1) * sizeof *t);
  if (!t) return false;
  for (int i = 0; i < count; i++)
    t[i] = target(p, i);
  if (count > 0) qsort(t, (size_t)count, sizeof *t, by_box);
  bool disjoint = true;
  for (int i = 0; i < count && disjoint; i++)
    for (int j = i + 1; j < count && t[j].box == t[i].box && t[j].low[2] < t[i].low[2] + t[i].n[2];
         j++)
      if (overlap(&t[i], &t[j])) disjoint = false;
  free(t);
  return disjoint;
}

bool support_plan_is_valid(const hymgi_plan *plan, const hymgi_geom *src_box,
                           const hymgi_geom *dst_box, int num_dst)
{
  if (!tiles_buffer(plan->send, plan->num_sends, plan->pack, plan->num_pack)) return false;
  if (!tiles_buffer(plan->receive, plan->num_receives, plan->unpack, plan->num_unpack))
    return false;
  for (int i = 0; i < plan->num_local + plan->num_unpack; i++) {
    const brick t = target(plan, i);
    if (t.box < 0 || t.box >= num_dst || !lies_in(&dst_box[t.box], t.low, t.n, true)) return false;
  }
  for (int i = 0; i < plan->num_local; i++)
    if (!lies_in(&src_box[plan->local[i].src_box], plan->local[i].src, plan->local[i].n, false))
      return false;
  for (int i = 0; i < plan->num_pack; i++)
    if (!lies_in(&src_box[plan->pack[i].box], plan->pack[i].low, plan->pack[i].n, false))
      return false;
  return targets_are_disjoint(plan);
}
