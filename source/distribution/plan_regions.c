/* The bricks of every plan, found by one rule: each box of the target's decomposition and each
 * of its 27 directions gives a region (the box itself, or ghosts of `depth` layers; if all
 * directions are wanted they form a single region), and the cells of the region come from the
 * boxes of the source's decomposition that own them. Both ends of a message enumerate the same
 * regions, so no negotiation is needed. */
#include "distribution/plan_build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = HYMGI_PLAN_DEPTH, CENTRE = 13, DIRECTIONS = 27 };
enum { ALL_DIRECTIONS = (1 << DIRECTIONS) - 1 };

/* ---- lists ---- */

typedef struct list {
  void *item;
  int count, capacity;
} list;

static hymg_status append(hymg_context *context, list *l, const void *item, size_t size)
{
  if (l->count == l->capacity) {
    const int64_t more = l->capacity < 16 ? 16 : (int64_t)l->capacity * 2;
    void *grown = more <= INT_MAX ? realloc(l->item, (size_t)more * size) : NULL;
    if (!grown)
      return hymgi_fail(context, HYMG_ENOMEM, "out of memory for a plan of %d bricks", l->count);
    l->item = grown;
    l->capacity = (int)more;
  }
  memcpy((char *)l->item + (size_t)l->count++ * size, item, size);
  return HYMG_OK;
}

/* A box of a decomposition, its owner and, of a local box, the index. */
typedef struct place {
  int rank, index;
  int64_t id;
} place;

static int by_rank_and_id(const void *left, const void *right)
{
  const place *a = left, *b = right;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

/* ---- enumeration of regions ---- */

/* A run of cells of a region along one axis that come from the same box, in global source cells. */
typedef struct run {
  int from; /* may be outside the domain */
  int n;
  int box;
  int source; /* the cell to read: wrapped on a periodic axis, unchanged beyond a boundary */
} run;

typedef struct pull {
  hymg_context *context;
  const hymgi_pull *rule;
  int rank;
  int cells[3]; /* of the source's level */
  run *runs[3]; /* of a region: a run for each source box and each ghost at most */
  list places;  /* sorted: the source's local boxes, by their low corners */
  list near;    /* target boxes of other ranks that may need cells of this one */
  list bricks;
  hymgi_members members; /* of an all-gather: the ranks with targets */
} pull;

/* A box of the target's decomposition, its owner and the merged brick that contains it. */
typedef struct target {
  int rank, index; /* index: of the local box if the owner is this rank, else -1 */
  int box[3], low[3], extent[3];
} target;

static int floor_div(int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* The first cell of a target box at the source's resolution; boxes are cut at even cells of axes
 * that are halved. */
static int target_low(const pull *p, int axis, int box)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  if (box == d->boxes[axis]) return p->cells[axis];
  const int low = hymgi_decomp_low(d, axis, box);
  return d->n[axis] == p->cells[axis] ? low : low / 2;
}

static int source_low(const pull *p, int axis, int box)
{
  return hymgi_decomp_low(p->rule->source->decomp, axis, box);
}

/* The index of a local source box; if there are several, each is one box of the decomposition. */
static int local_box(const pull *p, const int box[3])
{
  const hymgi_side *side = p->rule->source;
  if (side->num_boxes == 1) return 0;
  const place key = {p->rank, 0, hymgi_decomp_id(side->decomp, box)};
  const place *found =
      bsearch(&key, p->places.item, (size_t)p->places.count, sizeof key, by_rank_and_id);
  return found->index;
}

/* Cells [from, end) as runs; without `boundaries` those beyond a boundary are left out. */
static int split_axis(const pull *p, int axis, int from, int end, run *runs)
{
  const hymgi_decomp *d = p->rule->source->decomp;
  const int n = p->cells[axis];
  const bool wraps = p->rule->periodic >> axis & 1;
  int count = 0;
  for (int g = from, length; g < end; g += length) {
    const int source = wraps ? g - floor_div(g, n) * n : g;
    const bool below = source < 0, above = source >= n;
    const int box = below ? 0 : above ? d->boxes[axis] - 1 : hymgi_decomp_box_at(d, axis, source);
    length = below ? -source : above ? end - g : source_low(p, axis, box + 1) - source;
    if (length > end - g) length = end - g;
    if ((below || above) && !p->rule->boundaries) continue;
    run *const last = count > 0 ? &runs[count - 1] : NULL;
    if (last && last->box == box && last->from + last->n == g && last->source + last->n == source)
      last->n += length;
    else
      runs[count++] = (run){g, length, box, source};
  }
  return count;
}

/* One brick of a region: r[a] is its run along axis a. It is kept if this rank is its source or
 * target. */
static hymg_status add_brick(pull *p, const target *t, int64_t key, int sub, const run *const r[3])
{
  const hymgi_side *source = p->rule->source;
  const int box[3] = {r[0]->box, r[1]->box, r[2]->box};
  const int owner = source->decomp->whole ? p->rank : hymgi_decomp_owner(source->decomp, box);
  if (t->rank != p->rank && owner != p->rank) return HYMG_OK;
  const bool local = owner == t->rank, reverse = p->rule->reverse;
  hymgi_brick b = {.sub = sub, .key = local ? p->bricks.count : key};
  b.rank = owner == p->rank ? t->rank : owner;
  b.way = local ? HYMGI_LOCAL : (owner == p->rank) != reverse ? HYMGI_SEND : HYMGI_RECEIVE;
  int *from = b.copy.src, *to = b.copy.dst;
  if (reverse) from = b.copy.dst, to = b.copy.src;
  const int from_box = owner == p->rank ? local_box(p, box) : 0;
  for (int a = 0; a < 3; a++) {
    b.copy.n[a] = r[a]->n;
    to[a] = r[a]->from - target_low(p, a, t->low[a]);
    if (owner == p->rank) from[a] = r[a]->source - source_low(p, a, source->cover[from_box][a]);
  }
  b.copy.src_box = reverse ? t->index : from_box;
  b.copy.dst_box = reverse ? from_box : t->index;
  TRY(append(p->context, &p->bricks, &b, sizeof b));
  if (!local || p->members.count < 2) return HYMG_OK;
  b.way = HYMGI_SEND, b.key = key;
  return append(p->context, &p->bricks, &b, sizeof b);
}

/* The region that the directions from `first` to `last` of a box span, without cells of other
 * boxes of the same brick. */
static hymg_status add_region(pull *p, const target *t, int first, int last)
{
  const int64_t key = hymgi_decomp_id(p->rule->target->decomp, t->box) * DIRECTIONS + first;
  const int lower[3] = {first % 3, first / 3 % 3, first / 9};
  const int upper[3] = {last % 3, last / 3 % 3, last / 9};
  int n[3];
  for (int a = 0; a < 3; a++) {
    const bool is_first = t->box[a] == t->low[a];
    const bool is_last = t->box[a] == t->low[a] + t->extent[a] - 1;
    const int low = target_low(p, a, t->box[a]), high = target_low(p, a, t->box[a] + 1);
    const int depth = p->rule->depth;
    const int bound[4] = {is_first ? low - depth : low, low, high, is_last ? high + depth : high};
    n[a] = split_axis(p, a, bound[lower[a]], bound[upper[a] + 1], p->runs[a]);
  }
  for (int sub = 0; sub < n[0] * n[1] * n[2]; sub++) {
    const run *r[3] = {&p->runs[0][sub % n[0]], &p->runs[1][sub / n[0] % n[1]],
                       &p->runs[2][sub / n[0] / n[1]]};
    TRY(add_brick(p, t, key, sub, r));
  }
  return HYMG_OK;
}

static hymg_status walk_target(pull *p, const target *t)
{
  if (p->rule->directions == ALL_DIRECTIONS) return add_region(p, t, 0, DIRECTIONS - 1);
  for (int direction = 0; direction < DIRECTIONS; direction++)
    if (p->rule->directions >> direction & 1) TRY(add_region(p, t, direction, direction));
  return HYMG_OK;
}

/* ---- this rank as the target: local copies and receives ---- */

static hymg_status walk_own_targets(pull *p)
{
  const hymgi_side *side = p->rule->target;
  for (int q = 0; q < side->num_boxes; q++) {
    const int *low = side->cover[q], *extent = low + 3;
    target t = {.rank = p->rank, .index = q};
    memcpy(t.low, low, sizeof t.low);
    memcpy(t.extent, extent, sizeof t.extent);
    int *b = t.box;
    for (b[2] = low[2]; b[2] < low[2] + extent[2]; b[2]++)
      for (b[1] = low[1]; b[1] < low[1] + extent[1]; b[1]++)
        for (b[0] = low[0]; b[0] < low[0] + extent[0]; b[0]++)
          TRY(walk_target(p, &t));
  }
  return HYMG_OK;
}

/* ---- this rank as the source: sends ---- */

/* The target box that contains a cell of the source's level, counted on beyond the domain. */
static int target_at(const pull *p, int axis, int cell)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  const int n = p->cells[axis], turns = floor_div(cell, n), within = cell - turns * n;
  const int fine = d->n[axis] == n ? within : 2 * within;
  return turns * d->boxes[axis] + hymgi_decomp_box_at(d, axis, fine);
}

/* The target boxes [*first, *last] along one axis, beyond the domain on a periodic one, whose
 * regions can touch the source boxes [low, low + extent). */
static void near_axis(const pull *p, int axis, int low, int extent, int *first, int *last)
{
  const int boxes = p->rule->target->decomp->boxes[axis];
  *first = target_at(p, axis, source_low(p, axis, low) - p->rule->depth);
  *last = target_at(p, axis, source_low(p, axis, low + extent) + p->rule->depth - 1);
  const bool wraps = p->rule->periodic >> axis & 1;
  if (wraps && *last - *first + 1 < boxes) return;
  if (wraps || *first < 0) *first = 0;
  if (wraps || *last >= boxes) *last = boxes - 1;
}

static hymg_status list_near(pull *p, const int cover[6])
{
  const hymgi_decomp *d = p->rule->target->decomp;
  int first[3], last[3], b[3];
  for (int a = 0; a < 3; a++)
    near_axis(p, a, cover[a], cover[3 + a], &first[a], &last[a]);
  for (b[2] = first[2]; b[2] <= last[2]; b[2]++)
    for (b[1] = first[1]; b[1] <= last[1]; b[1]++)
      for (b[0] = first[0]; b[0] <= last[0]; b[0]++) {
        int box[3];
        for (int a = 0; a < 3; a++)
          box[a] = b[a] - floor_div(b[a], d->boxes[a]) * d->boxes[a];
        const place near = {hymgi_decomp_owner(d, box), -1, hymgi_decomp_id(d, box)};
        if (near.rank != p->rank) TRY(append(p->context, &p->near, &near, sizeof near));
      }
  return HYMG_OK;
}

static hymg_status walk_other_targets(pull *p)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  for (int q = 0; q < p->rule->source->num_boxes; q++)
    TRY(list_near(p, p->rule->source->cover[q]));
  const place *near = p->near.item;
  if (near) qsort(p->near.item, (size_t)p->near.count, sizeof *near, by_rank_and_id);
  int low[3], extent[3];
  bool merged = false;
  for (int i = 0; i < p->near.count; i++) {
    if (i > 0 && by_rank_and_id(near + i, near + i - 1) == 0) continue;
    if (i == 0 || near[i].rank != near[i - 1].rank) {
      int *boxes, count;
      TRY(hymgi_decomp_boxes_of(p->context, d, near[i].rank, &boxes, &count));
      merged = hymgi_decomp_brick(boxes, count, low, extent);
      free(boxes);
    }
    target t = {.rank = near[i].rank, .index = -1, .extent = {1, 1, 1}};
    hymgi_decomp_box(d, near[i].id, t.box);
    memcpy(t.low, merged ? low : t.box, sizeof t.low);
    if (merged) memcpy(t.extent, extent, sizeof t.extent);
    TRY(walk_target(p, &t));
  }
  return HYMG_OK;
}

/* ---- all-gathers ---- */

static bool gathers_all(const hymgi_pull *rule)
{
  return rule->source->decomp->whole && rule->reverse && !rule->target->decomp->whole;
}

static int by_rank(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* The owners of the target's boxes, of which a level has few where the next one is gathered. */
static hymg_status list_members(pull *p)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  const int *const boxes = d->boxes;
  const int64_t all = (int64_t)boxes[0] * boxes[1] * boxes[2];
  hymgi_members *m = &p->members;
  if (!(m->rank = malloc((size_t)all * sizeof *m->rank)))
    return hymgi_fail(p->context, HYMG_ENOMEM, "out of memory for a list of %lld owners",
                      (long long)all);
  for (int64_t i = 0; i < all; i++) {
    const int box[3] = {(int)(i % boxes[0]), (int)(i / boxes[0] % boxes[1]),
                        (int)(i / boxes[0] / boxes[1])};
    m->rank[i] = hymgi_decomp_owner(d, box);
  }
  qsort(m->rank, (size_t)all, sizeof *m->rank, by_rank);
  for (int64_t i = 0; i < all; i++) {
    const int rank = m->rank[i];
    if (m->count > 0 && m->rank[m->count - 1] == rank) continue;
    if (rank == p->rank) m->place = m->count;
    m->rank[m->count++] = rank;
  }
  return HYMG_OK;
}

/* What the other members have: by their distance from this one in places. */
static hymg_status walk_members(pull *p)
{
  const hymgi_members *m = &p->members;
  for (int away = 1; away < m->count; away++) {
    int *boxes, count;
    const int rank = m->rank[(m->place + away) % m->count];
    TRY(hymgi_decomp_boxes_of(p->context, p->rule->target->decomp, rank, &boxes, &count));
    hymg_status status = HYMG_OK;
    for (int i = 0; i < count && status == HYMG_OK; i++) {
      target t = {.rank = p->rank + away, .index = -1, .extent = {1, 1, 1}};
      memcpy(t.box, boxes + (ptrdiff_t)3 * i, sizeof t.box);
      memcpy(t.low, t.box, sizeof t.low);
      status = walk_target(p, &t);
    }
    free(boxes);
    TRY(status);
  }
  return HYMG_OK;
}

/* ---- plans ---- */

static hymg_status check_rule(hymg_context *context, const hymgi_pull *rule)
{
  const hymgi_decomp *t = rule->target->decomp, *s = rule->source->decomp;
  if (rule->depth < 0 || rule->depth > MAX_DEPTH)
    return hymgi_fail(context, HYMG_EINVAL, "a plan of depth %d: the limit is %d", rule->depth,
                      MAX_DEPTH);
  for (int a = 0; a < 3; a++)
    if (!t->cut[a] && !s->cut[a] && (s->n[a] % t->boxes[a] != 0 || t->boxes[a] % s->boxes[a] != 0))
      return hymgi_fail(context, HYMG_EINVAL,
                        "%d boxes do not nest in %d boxes of a level of %d cells", t->boxes[a],
                        s->boxes[a], s->n[a]);
  return HYMG_OK;
}

static hymg_status make_runs(pull *p)
{
  for (int a = 0; a < 3; a++) {
    const size_t most = (size_t)p->rule->source->decomp->boxes[a] + 2 * MAX_DEPTH + 2;
    if (!(p->runs[a] = malloc(most * sizeof *p->runs[a])))
      return hymgi_fail(p->context, HYMG_ENOMEM, "out of memory for a plan of %zu runs", most);
  }
  return HYMG_OK;
}

static hymg_status find_bricks(pull *p)
{
  const hymgi_side *source = p->rule->source;
  for (int q = 0; q < source->num_boxes; q++) {
    const place local = {p->rank, q, hymgi_decomp_id(source->decomp, source->cover[q])};
    TRY(append(p->context, &p->places, &local, sizeof local));
  }
  if (p->places.item) qsort(p->places.item, (size_t)p->places.count, sizeof(place), by_rank_and_id);
  const bool all = gathers_all(p->rule) && source->num_boxes > 0;
  if (all) TRY(list_members(p));
  TRY(walk_own_targets(p));
  if (all) return walk_members(p);
  return source->decomp->ranks > 1 && !source->decomp->whole ? walk_other_targets(p) : HYMG_OK;
}

hymg_status hymgi_plan_pull_of(hymg_context *context, int rank, const hymgi_pull *rule,
                               hymgi_plan **plan)
{
  TRY(check_rule(context, rule));
  pull p = {.context = context, .rule = rule, .rank = rank};
  memcpy(p.cells, rule->source->decomp->n, sizeof p.cells);
  hymg_status status = make_runs(&p);
  if (status == HYMG_OK) status = find_bricks(&p);
  if (status == HYMG_OK) status = hymgi_plan_assemble(context, p.bricks.item, p.bricks.count, plan);
  if (status == HYMG_OK && p.members.count > 1) status = hymgi_plan_in_rounds(*plan, &p.members);
  if (status != HYMG_OK) hymgi_plan_destroy(plan);
  for (int a = 0; a < 3; a++)
    free(p.runs[a]);
  free(p.bricks.item);
  free(p.near.item);
  free(p.places.item);
  free(p.members.rank);
  return status;
}

hymgi_pull hymgi_halo_rule(const hymgi_side *side, hymgi_halo kind, int depth, unsigned periodic)
{
  hymgi_pull rule = {.target = side, .source = side, .depth = depth, .periodic = periodic};
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    const int axes = (direction % 3 != 1) + (direction / 3 % 3 != 1) + (direction / 9 != 1);
    if (axes >= 1 && axes <= (int)kind + 1) rule.directions |= 1u << direction;
  }
  return rule;
}

hymgi_pull hymgi_gather_rule(const hymgi_side *fine, const hymgi_side *coarse)
{
  return (hymgi_pull){
      .target = fine, .source = coarse, .directions = 1u << CENTRE, .reverse = true};
}

hymgi_pull hymgi_scatter_rule(const hymgi_side *fine, const hymgi_side *coarse, int depth,
                              unsigned periodic)
{
  return (hymgi_pull){.target = fine,
                      .source = coarse,
                      .depth = depth,
                      .directions = depth > 0 ? ALL_DIRECTIONS : 1u << CENTRE,
                      .periodic = periodic,
                      .boundaries = true};
}

hymg_status hymgi_plan_create(hymg_context *context, const hymgi_pull *rule, int tag,
                              hymgi_plan **plan)
{
  hymgi_plan *p = NULL;
  TRY(hymgi_plan_pull_of(context, hymg_context_rank(context), rule, &p));
  p->tag = tag;
  const hymg_status status =
      hymgi_requests_create(context, p->num_sends + p->num_receives, &p->requests);
  if (status != HYMG_OK) hymgi_plan_destroy(&p);
  *plan = p;
  return status;
}
