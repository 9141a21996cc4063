/* The bricks of every plan, found by one rule: each box of the target's decomposition and each
 * of its 27 directions gives a region (the box itself, or ghosts of `depth` layers; if all
 * directions are wanted they form a single region), and the cells of the region come from the
 * boxes of the source's decomposition that own them. Both ends of a message enumerate the same
 * regions, so no negotiation is needed. */
#include "distribution/plan_build.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 4, MAX_RUNS = 2 * MAX_DEPTH + 1, CENTRE = 13, DIRECTIONS = 27 };
enum { ALL_DIRECTIONS = (1 << DIRECTIONS) - 1 };

/* ---- how other ranks merged their boxes ---- */

typedef struct share {
  int rank;
  bool brick; /* one merged brick; else each box is separate */
  int low[3], extent[3];
} share;

typedef struct share_table { /* sorted by rank; contains only ranks that have been looked up */
  share *share;
  int count, capacity;
} share_table;

static hymg_status find_share(hymg_context *context, const hymgi_decomp *decomp, share_table *table,
                              int rank, share *found)
{
  int low = 0, high = table->count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (table->share[middle].rank < rank)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == table->count || table->share[low].rank != rank) {
    int *list, count;
    TRY(hymgi_grow(context, (void **)&table->share, table->count, &table->capacity, sizeof(share)));
    TRY(hymgi_decomp_boxes_of(context, decomp, rank, &list, &count));
    share s = {.rank = rank};
    s.brick = hymgi_decomp_brick(list, count, s.low, s.extent);
    free(list);
    memmove(table->share + low + 1, table->share + low,
            (size_t)(table->count - low) * sizeof(share));
    table->share[low] = s;
    table->count++;
  }
  *found = table->share[low];
  return HYMG_OK;
}

/* ---- local boxes by decomposition box ---- */

typedef struct place {
  int64_t id;
  int index;
} place;

static int64_t box_id(const hymgi_decomp *d, const int box[3])
{
  return ((int64_t)box[2] * d->boxes[1] + box[1]) * d->boxes[0] + box[0];
}

static int by_id(const void *left, const void *right)
{
  const place *a = left, *b = right;
  return (a->id > b->id) - (a->id < b->id);
}

/* Sorted low corners; if there are several local boxes, each is one box of the decomposition. */
static hymg_status index_boxes(hymg_context *context, const hymgi_side *side, place **places)
{
  place *p = malloc((size_t)(side->num_boxes + 1) * sizeof *p);
  if (!p) return hymgi_fail(context, HYMG_ENOMEM, "out of memory for %d boxes", side->num_boxes);
  for (int q = 0; q < side->num_boxes; q++)
    p[q] = (place){box_id(side->decomp, side->cover[q]), q};
  qsort(p, (size_t)side->num_boxes, sizeof *p, by_id);
  *places = p;
  return HYMG_OK;
}

static int local_box(const hymgi_side *side, const place *places, const int box[3])
{
  if (side->num_boxes == 1) return 0;
  const place key = {.id = box_id(side->decomp, box)};
  const place *found = bsearch(&key, places, (size_t)side->num_boxes, sizeof key, by_id);
  return found ? found->index : -1;
}

/* ---- enumeration of regions ---- */

typedef struct pull {
  hymg_context *context;
  const hymgi_pull *rule;
  int rank;
  int width[3];        /* cells of a target box at the source's resolution */
  int source_width[3]; /* of a source box */
  int cells[3];        /* of the source's level */
  place *places;       /* of the source's local boxes */
  share_table shares;  /* of the target's decomposition */
  hymgi_bricks bricks;
} pull;

/* A box of the target's decomposition, its owner and the merged brick that contains it. */
typedef struct target {
  int rank, index; /* index: of the local box if the owner is this rank, else -1 */
  int box[3], low[3], extent[3];
} target;

/* A run of cells of a region along one axis that come from the same box, in global source cells. */
typedef struct run {
  int from; /* may be outside the domain */
  int n;
  int box;
  int source; /* the cell to read: wrapped on a periodic axis, unchanged beyond a boundary */
} run;

static int floor_div(int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Appends a run, or extends the last one if it continues there. */
static int add_run(run *runs, int count, run r)
{
  run *const last = count > 0 ? &runs[count - 1] : NULL;
  if (!last || last->box != r.box || last->from + last->n != r.from ||
      last->source + last->n != r.source) {
    runs[count] = r;
    return count + 1;
  }
  last->n += r.n;
  return count;
}

static int split_axis(const pull *p, int axis, int from, int end, run runs[MAX_RUNS])
{
  const int n = p->cells[axis], w = p->source_width[axis];
  int count = 0;
  for (int g = from, length; g < end; g += length) {
    const bool outside = g < 0 || g >= n, wraps = p->rule->periodic >> axis & 1;
    const int source = wraps ? g - floor_div(g, n) * n : g;
    if (outside && !wraps) {
      const int stop = g < 0 && end > 0 ? 0 : end;
      length = stop - g;
      if (!p->rule->boundaries) continue;
      count = add_run(runs, count, (run){g, length, g < 0 ? 0 : n / w - 1, source});
      continue;
    }
    const int left = (source / w + 1) * w - source;
    length = left < end - g ? left : end - g;
    count = add_run(runs, count, (run){g, length, source / w, source});
  }
  return count;
}

/* The region of a box in a direction, as runs per axis. False: those cells belong to another box
 * of the same brick. */
static bool split_region(const pull *p, const target *t, int direction, run runs[3][MAX_RUNS],
                         int count[3])
{
  const int d[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
  for (int a = 0; a < 3; a++) {
    if (d[a] < 0 && t->box[a] > t->low[a]) return false;
    if (d[a] > 0 && t->box[a] < t->low[a] + t->extent[a] - 1) return false;
  }
  for (int a = 0; a < 3; a++) {
    const int low = t->box[a] * p->width[a], high = low + p->width[a], depth = p->rule->depth;
    const int from = d[a] < 0 ? low - depth : d[a] > 0 ? high : low;
    const int end = d[a] < 0 ? low : d[a] > 0 ? high + depth : high;
    count[a] = split_axis(p, a, from, end, runs[a]);
  }
  return true;
}

static hymg_status add_item(pull *p, hymgi_items *items, const hymgi_item *item)
{
  TRY(hymgi_grow(p->context, (void **)&items->item, items->count, &items->capacity, sizeof *item));
  items->item[items->count++] = *item;
  return HYMG_OK;
}

/* One brick of a region: r[a] is its run along axis a. It is kept if this rank is its source or
 * target. */
static hymg_status add_brick(pull *p, const target *t, int64_t key, int sub, const run *const r[3])
{
  const hymgi_side *source = p->rule->source;
  const int box[3] = {r[0]->box, r[1]->box, r[2]->box};
  const int owner = hymgi_decomp_owner(source->decomp, box);
  if (t->rank != p->rank && owner != p->rank) return HYMG_OK;
  hymgi_copy c = {.dst_box = t->index};
  for (int a = 0; a < 3; a++) {
    c.n[a] = r[a]->n;
    c.dst[a] = r[a]->from - t->low[a] * p->width[a];
  }
  if (owner == p->rank) {
    c.src_box = local_box(source, p->places, box);
    for (int a = 0; a < 3; a++)
      c.src[a] = r[a]->source - source->cover[c.src_box][a] * p->source_width[a];
  }
  if (owner == t->rank) {
    hymgi_copies *local = &p->bricks.local;
    TRY(hymgi_grow(p->context, (void **)&local->copy, local->count, &local->capacity, sizeof c));
    local->copy[local->count++] = c;
    return HYMG_OK;
  }
  const bool sends = owner == p->rank;
  hymgi_item item = {.rank = sends ? t->rank : owner, .key = key, .sub = sub};
  item.piece.box = sends ? c.src_box : c.dst_box;
  memcpy(item.piece.low, sends ? c.src : c.dst, sizeof item.piece.low);
  memcpy(item.piece.n, c.n, sizeof c.n);
  return add_item(p, sends ? &p->bricks.send : &p->bricks.receive, &item);
}

/* A box with all its ghosts except those inside its brick. */
static void split_whole(const pull *p, const target *t, run runs[3][MAX_RUNS], int count[3])
{
  for (int a = 0; a < 3; a++) {
    const int low = t->box[a] * p->width[a], depth = p->rule->depth;
    const bool first = t->box[a] == t->low[a], last = t->box[a] == t->low[a] + t->extent[a] - 1;
    count[a] = split_axis(p, a, low - (first ? depth : 0), low + p->width[a] + (last ? depth : 0),
                          runs[a]);
  }
}

static hymg_status add_region(pull *p, const target *t, int64_t key, run runs[3][MAX_RUNS],
                              const int n[3])
{
  for (int sub = 0; sub < n[0] * n[1] * n[2]; sub++) {
    const run *r[3] = {&runs[0][sub % n[0]], &runs[1][sub / n[0] % n[1]],
                       &runs[2][sub / n[0] / n[1]]};
    TRY(add_brick(p, t, key, sub, r));
  }
  return HYMG_OK;
}

static hymg_status walk_target(pull *p, const target *t)
{
  const int64_t key = box_id(p->rule->target->decomp, t->box) * DIRECTIONS;
  run runs[3][MAX_RUNS];
  int n[3];
  if (p->rule->directions == ALL_DIRECTIONS) {
    split_whole(p, t, runs, n);
    return add_region(p, t, key, runs, n);
  }
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    if (!(p->rule->directions >> direction & 1)) continue;
    if (!split_region(p, t, direction, runs, n)) continue;
    TRY(add_region(p, t, key + direction, runs, n));
  }
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

/* The target boxes along one axis whose region can touch the source boxes [low, low + extent),
 * each listed once. */
static int near_axis(const pull *p, int axis, int low, int extent, int **list)
{
  const int boxes = p->rule->target->decomp->boxes[axis], w = p->width[axis];
  const int begin = low * p->source_width[axis] - p->rule->depth;
  const int end = (low + extent) * p->source_width[axis] + p->rule->depth;
  int first = floor_div(begin, w), last = floor_div(end - 1, w), count = 0;
  const bool wraps = p->rule->periodic >> axis & 1;
  if (last - first + 1 >= boxes || !wraps) {
    if (first < 0 || wraps) first = 0;
    if (last >= boxes || wraps) last = boxes - 1;
  }
  int *found = malloc((size_t)(last - first + 1) * sizeof *found);
  if (!found) return -1;
  for (int b = first; b <= last; b++)
    found[count++] = b - floor_div(b, boxes) * boxes;
  *list = found;
  return count;
}

typedef struct id_list {
  int64_t *id;
  int count, capacity;
} id_list;

static hymg_status near_cover(pull *p, const int cover[6], id_list *near)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  int *list[3] = {NULL, NULL, NULL}, n[3];
  hymg_status status = HYMG_OK;
  for (int a = 0; a < 3 && status == HYMG_OK; a++) {
    n[a] = near_axis(p, a, cover[a], cover[3 + a], &list[a]);
    if (n[a] < 0) status = hymgi_fail(p->context, HYMG_ENOMEM, "out of memory for a plan");
  }
  for (int k = 0; status == HYMG_OK && k < n[2]; k++)
    for (int j = 0; status == HYMG_OK && j < n[1]; j++)
      for (int i = 0; status == HYMG_OK && i < n[0]; i++) {
        const int box[3] = {list[0][i], list[1][j], list[2][k]};
        if (hymgi_decomp_owner(d, box) == p->rank) continue;
        status = hymgi_grow(p->context, (void **)&near->id, near->count, &near->capacity,
                            sizeof *near->id);
        if (status == HYMG_OK) near->id[near->count++] = box_id(d, box);
      }
  for (int a = 0; a < 3; a++)
    free(list[a]);
  return status;
}

static int ascending(const void *left, const void *right)
{
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static hymg_status walk_other_target(pull *p, int64_t id)
{
  const hymgi_decomp *d = p->rule->target->decomp;
  const int64_t row = id / d->boxes[0];
  target t = {.index = -1,
              .box = {(int)(id % d->boxes[0]), (int)(row % d->boxes[1]), (int)(row / d->boxes[1])}};
  t.rank = hymgi_decomp_owner(d, t.box);
  share s;
  TRY(find_share(p->context, d, &p->shares, t.rank, &s));
  for (int a = 0; a < 3; a++) {
    t.low[a] = s.brick ? s.low[a] : t.box[a];
    t.extent[a] = s.brick ? s.extent[a] : 1;
  }
  return walk_target(p, &t);
}

static hymg_status walk_other_targets(pull *p)
{
  id_list near = {.count = 0};
  hymg_status status = HYMG_OK;
  for (int q = 0; q < p->rule->source->num_boxes && status == HYMG_OK; q++)
    status = near_cover(p, p->rule->source->cover[q], &near);
  if (near.count > 0) qsort(near.id, (size_t)near.count, sizeof *near.id, ascending);
  for (int i = 0; i < near.count && status == HYMG_OK; i++)
    if (i == 0 || near.id[i] != near.id[i - 1]) status = walk_other_target(p, near.id[i]);
  free(near.id);
  return status;
}

/* ---- plans ---- */

static hymg_status check_rule(hymg_context *context, const hymgi_pull *rule)
{
  const hymgi_decomp *t = rule->target->decomp, *s = rule->source->decomp;
  if (rule->depth < 0 || rule->depth > MAX_DEPTH)
    return hymgi_fail(context, HYMG_EINVAL, "a plan of depth %d: the limit is %d", rule->depth,
                      MAX_DEPTH);
  for (int a = 0; a < 3; a++)
    if (s->n[a] % t->boxes[a] != 0 || t->boxes[a] % s->boxes[a] != 0)
      return hymgi_fail(context, HYMG_EINVAL,
                        "%d boxes do not nest in %d boxes of a level of %d cells", t->boxes[a],
                        s->boxes[a], s->n[a]);
  return HYMG_OK;
}

hymg_status hymgi_plan_pull_of(hymg_context *context, int rank, const hymgi_pull *rule,
                               hymgi_plan **plan)
{
  TRY(check_rule(context, rule));
  const hymgi_decomp *t = rule->target->decomp, *s = rule->source->decomp;
  pull p = {.context = context, .rule = rule, .rank = rank};
  for (int a = 0; a < 3; a++) {
    p.cells[a] = s->n[a];
    p.width[a] = s->n[a] / t->boxes[a];
    p.source_width[a] = s->n[a] / s->boxes[a];
  }
  hymg_status status = index_boxes(context, rule->source, &p.places);
  if (status == HYMG_OK) status = walk_own_targets(&p);
  if (status == HYMG_OK && t->ranks > 1) status = walk_other_targets(&p);
  if (status == HYMG_OK && rule->reverse) hymgi_bricks_reverse(&p.bricks);
  if (status == HYMG_OK) status = hymgi_plan_assemble(context, &p.bricks, plan);
  hymgi_bricks_free(&p.bricks);
  free(p.shares.share);
  free(p.places);
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
  const hymg_status status = hymgi_plan_finish(context, tag, p);
  if (status != HYMG_OK)
    hymgi_plan_destroy(&p);
  else
    *plan = p;
  return status;
}
