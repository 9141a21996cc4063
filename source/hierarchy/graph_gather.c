/* The first graph that one rank has, from the parts of all: nodes are numbered by their ids and keep their rows, so it is the
 * graph that a single rank makes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "comm/context.h"
#include "hierarchy/graph_parts.h"

enum { NODES, GHOSTS, PARENTS, EDGES, SIZES };

typedef struct gathering {
  hymgi_part_maker *m;
  bool is_root;
  int64_t *size; /* of each rank's part */
  /* w.g of each: a part as it is sent; elsewhere than on the root of this rank alone */
  hymgi_graph_builder *of;
  hymgi_graph_builder whole;
  hymgi_links nodes; /* of all parts, by id; at: among those of one part after the other */
  int *place;        /* in the packed graph */
  hymgi_requests *requests;
} gathering;

static hymg_status lacking(const gathering *g)
{
  return hymgi_fail(g->m->context, HYMG_ENOMEM, "no memory for graph %d", g->m->gathered);
}

static int64_t size_of(const gathering *g, int r, int which)
{
  return g->size[SIZES * r + which];
}

static int64_t total(const gathering *g, int which)
{
  int64_t sum = 0;
  for (int r = 0; r < g->m->ranks; r++)
    sum += size_of(g, r, which);
  return sum;
}

static hymgi_graph_builder builder_of(const gathering *g)
{
  const hymgi_backend *const host = hymgi_cpu_backend();
  return (hymgi_graph_builder){
      .context = g->m->context, .backend = host, .memory = host->graph_setup->memory};
}

/* ---- parts ---- */

static hymg_status know_sizes(gathering *g)
{
  hymg_context *const c = g->m->context;
  const hymgi_part *const part = &g->m->part;
  g->size = calloc(SIZES * (size_t)g->m->ranks, sizeof *g->size);
  TRY(hymgi_agree(c, g->size ? HYMG_OK : lacking(g)));
  int64_t *const own = g->size + SIZES * g->m->rank;
  own[NODES] = part->g.n, own[GHOSTS] = part->ghosts, own[PARENTS] = part->parents_in.count;
  for (int i = 0; i < part->g.n; i++)
    own[EDGES] += part->g.end[i] - part->g.start[i];
  TRY(hymgi_comm_sum_int64(c, c->comm, g->size, SIZES * g->m->ranks));
  const int64_t edges = total(g, EDGES), nodes = total(g, NODES);
  return hymgi_part_edges(c, edges > nodes ? edges : nodes);
}

static hymg_status begin_part(gathering *g, hymgi_graph_builder *b, int r)
{
  *b = builder_of(g);
  return hymgi_graph_begin_raw(b, (int)(size_of(g, r, NODES) + size_of(g, r, GHOSTS)),
                               (int)size_of(g, r, EDGES), false);
}

/* This rank's, without room between rows. */
static void load_part(const gathering *g, const hymgi_raw_graph *to)
{
  const hymgi_raw_graph *const from = &g->m->part.g;
  int next = 0;
  memcpy(to->id, from->id, ((size_t)from->n + (size_t)g->m->part.ghosts) * sizeof *to->id);
  memcpy(to->excess, from->excess, (size_t)from->n * sizeof *to->excess);
  memcpy(to->diagonal, from->diagonal, (size_t)from->n * sizeof *to->diagonal);
  for (int i = 0; i < from->n; i++) {
    const size_t length = (size_t)(from->end[i] - from->start[i]);
    to->start[i] = next;
    memcpy(to->to + next, from->to + from->start[i], length * sizeof *to->to);
    memcpy(to->weight + next, from->weight + from->start[i], length * sizeof *to->weight);
    to->end[i] = next += (int)length;
  }
}

static hymg_status begin_parts(gathering *g)
{
  const int count = g->is_root ? g->m->ranks : 1;
  g->of = calloc((size_t)count, sizeof *g->of);
  if (!g->of) return lacking(g);
  TRY(hymgi_requests_create(g->m->context, count, &g->requests));
  for (int m = 0; m < count; m++)
    TRY(begin_part(g, g->of + m, g->is_root ? m : g->m->rank));
  load_part(g, &g->of[g->is_root ? g->m->rank : 0].w.g);
  return HYMG_OK;
}

static void pass(gathering *g, bool sends, int rank, const hymgi_graph_builder *b)
{
  hymg_context *const c = g->m->context;
  const hymg_status status = hymgi_comm_post(c, g->requests, sends, rank, g->m->tag,
                                             b->block[HYMGI_RAW], b->doubles[HYMGI_RAW]);
  if (c->status == HYMG_OK) c->status = status;
}

/* Collective. */
static hymg_status pass_parts(gathering *g)
{
  hymg_context *const c = g->m->context;
  for (int r = 0; r < g->m->ranks; r++)
    if (r != g->m->root && size_of(g, r, NODES) + size_of(g, r, GHOSTS)) {
      if (g->is_root) pass(g, false, r, g->of + r);
      if (r == g->m->rank) pass(g, true, g->m->root, g->of);
    }
  const hymg_status status = hymgi_comm_wait(c, g->requests);
  if (c->status == HYMG_OK) c->status = status;
  return hymgi_agree(c, c->status);
}

/* ---- on the root: the whole graph ---- */

/* Numbers take the place of ids in all parts. */
static hymg_status number_nodes(gathering *g)
{
  for (int r = 0, before = 0; r < g->m->ranks; before += (int)size_of(g, r++, NODES))
    for (int i = 0; i < size_of(g, r, NODES); i++)
      hymgi_links_add(&g->nodes, 0, g->of[r].w.g.id[i], before + i);
  int *const number = malloc(((size_t)g->nodes.count + 1) * sizeof *number);
  if (!number || g->nodes.lacking) {
    free(number);
    return lacking(g);
  }
  hymgi_links_sort(&g->nodes, false);
  for (int m = 0; m < g->nodes.count; m++)
    number[g->nodes.link[m].at] = m;
  for (int r = 0, before = 0; r < g->m->ranks; before += (int)size_of(g, r++, NODES)) {
    const int64_t n = size_of(g, r, NODES), all = n + size_of(g, r, GHOSTS);
    int64_t *const id = g->of[r].w.g.id;
    for (int64_t i = 0; i < all; i++)
      id[i] = i < n ? number[before + i] : hymgi_links_find(&g->nodes, 0, id[i]);
  }
  free(number);
  return HYMG_OK;
}

static void fill_rows(const gathering *g, const hymgi_raw_graph *part, int n,
                      const hymgi_raw_graph *to)
{
  for (int i = 0; i < n; i++) {
    const int64_t node = part->id[i];
    int e = to->start[node];
    to->excess[node] = part->excess[i], to->diagonal[node] = part->diagonal[i];
    if (to->at) to->at[node] = g->m->part.g.at[i];
    for (int m = part->start[i]; m < part->end[i]; m++, e++)
      to->to[e] = (int)part->id[part->to[m]], to->weight[e] = part->weight[m];
    to->end[node] = e;
  }
}

static hymg_status join_parts(gathering *g)
{
  const int n = g->nodes.count;
  g->whole = builder_of(g);
  TRY(hymgi_graph_begin_raw(&g->whole, n, (int)total(g, EDGES), g->m->gathered == 0));
  const hymgi_raw_graph *const to = &g->whole.w.g;
  for (int r = 0; r < g->m->ranks; r++)
    for (int i = 0; i < size_of(g, r, NODES); i++)
      to->end[g->of[r].w.g.id[i]] = g->of[r].w.g.end[i] - g->of[r].w.g.start[i];
  for (int i = 0, next = 0; i < n; next += to->end[i++])
    to->start[i] = next, to->id[i] = g->nodes.link[i].id;
  for (int r = 0; r < g->m->ranks; r++)
    fill_rows(g, &g->of[r].w.g, (int)size_of(g, r, NODES), to);
  return HYMG_OK;
}

/* To the memory of the one that makes the graphs. */
static hymg_status move_whole(gathering *g, const hymgi_backend *maker, const hymgi_memory *memory)
{
  hymgi_graph_builder from = g->whole;
  g->whole.backend = maker, g->whole.memory = memory;
  if (memory == from.memory) return HYMG_OK;
  g->whole.block[HYMGI_RAW] = NULL;
  hymg_status status =
      hymgi_graph_begin_raw(&g->whole, from.w.g.n, from.w.g.edges, g->m->gathered == 0);
  if (status == HYMG_OK)
    maker->copy(g->m->context, from.block[HYMGI_RAW], g->whole.block[HYMGI_RAW],
                from.doubles[HYMGI_RAW]);
  if (status == HYMG_OK) status = g->m->context->status;
  hymgi_graph_end(&from);
  return status;
}

static hymg_status build(gathering *g, const hymgi_backend *maker, const hymgi_memory *memory)
{
  TRY(number_nodes(g));
  TRY(join_parts(g));
  TRY(move_whole(g, maker, memory));
  g->place = malloc(((size_t)g->nodes.count + 2) * sizeof *g->place);
  if (!g->place) return lacking(g);
  hymgi_graph_builder *const b = &g->whole;
  b->pairs = g->m->pairs, b->cells = g->m->level->cells;
  b->first = g->m->gathered, b->visits = g->m->visits, b->places = g->place;
  return hymgi_graph_build_all(b);
}

/* ---- plans: a part's nodes to the graph, and back with the parents of its nodes on the graph above ---- */

static int64_t entries_of(const gathering *g, int r, bool back)
{
  return size_of(g, r, NODES) + (back ? size_of(g, r, PARENTS) : 0);
}

/* The places of this rank's entries in its part. */
static void list_part(const gathering *g, bool back, int64_t *to)
{
  const int64_t n = size_of(g, g->m->rank, NODES), whole = (int64_t)hymgi_whole_slices((int)n);
  for (int64_t q = 0; q < entries_of(g, g->m->rank, back); q++)
    to[q] = q < n ? q : whole + q - n;
}

/* And in the graph; returns what follows them. */
static int64_t *list_whole(const gathering *g, int r, bool back, int64_t *to)
{
  for (int64_t q = 0; q < entries_of(g, r, back); q++)
    *to++ = g->place[g->of[r].w.g.id[q]];
  return to;
}

static hymgi_index_sizes sizes_of(const gathering *g, bool back)
{
  int64_t messages = 0, entries = 0;
  const int64_t own = entries_of(g, g->m->rank, back);
  for (int r = 0; r < g->m->ranks; r++)
    if (g->is_root ? r != g->m->rank : r == g->m->rank) {
      messages += entries_of(g, r, back) > 0;
      entries += entries_of(g, r, back);
    }
  hymgi_index_sizes s = {.own = g->is_root ? own : 0};
  *(back == g->is_root ? &s.sends : &s.receives) = messages;
  *(back == g->is_root ? &s.out : &s.in) = entries;
  return s;
}

static void fill_plan(const gathering *g, bool back, const hymgi_index_plan *plan)
{
  int64_t *message = back == g->is_root ? plan->sends : plan->receives;
  int64_t *const part = back ? plan->to : plan->from, *whole = back ? plan->from : plan->to;
  list_part(g, back, part);
  for (int r = 0; r < g->m->ranks; r++) {
    const bool sends = g->is_root ? r != g->m->rank : r == g->m->rank;
    if (!sends || !entries_of(g, r, back)) continue;
    *message++ = g->is_root ? r : g->m->root;
    *message++ = entries_of(g, r, back);
    if (g->is_root) whole = list_whole(g, r, back, whole);
  }
  if (g->is_root) list_whole(g, g->m->rank, back, whole);
}

static hymg_status make_plan(const gathering *g, bool back, hymgi_index_plan **plan)
{
  const hymgi_index_sizes sizes = sizes_of(g, back);
  TRY(hymgi_index_plan_create(g->m->context, &g->m->cycle, &sizes,
                              g->m->tag + 5 + g->m->gathered + back, plan));
  fill_plan(g, back, *plan);
  return HYMG_OK;
}

static hymg_status make_part(const gathering *g)
{
  struct hymgi_pairs *const p = g->m->pairs;
  p->part = (hymgi_graph){.n = g->m->part.g.n,
                          .ghosts = g->m->part.parents_in.count,
                          .vectors = 2,
                          .packed = true,
                          .coarsest = true};
  TRY(hymgi_graph_allocate(g->m->context, hymgi_cpu_backend()->memory, &p->part));
  TRY(make_plan(g, false, &p->gather));
  return make_plan(g, true, &p->scatter);
}

/* ---- all of it ---- */

static hymg_status gather(gathering *g, const hymgi_backend *maker, const hymgi_memory *memory)
{
  hymg_context *const c = g->m->context;
  TRY(know_sizes(g));
  TRY(hymgi_agree(c, begin_parts(g)));
  TRY(pass_parts(g));
  hymg_status status = g->is_root ? build(g, maker, memory) : HYMG_OK;
  if (!g->is_root) g->m->pairs->count = g->m->gathered;
  if (status == HYMG_OK && g->m->ranks > 1) status = make_part(g);
  return hymgi_agree(c, status);
}

static void end(gathering *g)
{
  for (int m = 0; g->of && m < (g->is_root ? g->m->ranks : 1); m++)
    if (g->of[m].context) hymgi_graph_end(g->of + m);
  if (g->whole.context) hymgi_graph_end(&g->whole);
  hymgi_links_release(&g->nodes);
  hymgi_requests_destroy(&g->requests);
  free(g->place);
  free(g->of);
  free(g->size);
}

hymg_status hymgi_parts_gather(hymgi_part_maker *m, const hymgi_backend *maker,
                               const hymgi_memory *memory)
{
  gathering g = {.m = m, .is_root = m->rank == m->root};
  const hymg_status status = gather(&g, maker, memory);
  end(&g);
  return status;
}
