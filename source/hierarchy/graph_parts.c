/* Parts of the graphs of the pairs. A rank keeps its nodes (graph_split.h) in the order of the whole graph, so that every sum
 * has the order that it has there. The rank that has made the graphs makes each rank's part, one after the other, and sends it
 * as it lies in memory. */
#include "hierarchy/graph_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = HYMGI_LANES };

/* What a rank must know of a graph before it gets the arrays: numbers without arrays. That of the first gathered graph
 * is followed by another one with the plan by which it is scattered. */
typedef struct header {
  hymgi_graph graph;
  hymgi_index_sizes plan;
} header;

typedef struct parts {
  hymg_context *context;
  struct hymgi_pairs *pairs;
  const hymgi_memory *memory; /* of the host, in which parts are made, */
  hymgi_index_mover by;
  int rank;
  hymgi_graph whole[HYMGI_MAX_GRAPHS]; /* on the root, of graphs that it has in another memory */
  hymgi_graph_splits all;
  header header[HYMGI_MAX_GRAPHS + 1];
  hymgi_graph made[HYMGI_MAX_GRAPHS];
  hymgi_index_plan *plan[HYMGI_MAX_GRAPHS + 1];
  double *graph_room; /* on the root: for the largest graph of other ranks, */
  int64_t *plan_room; /* and for their largest plan */
  hymgi_requests *requests;
} parts;

static hymg_status lacking(const parts *p)
{
  return hymgi_fail(p->context, HYMG_ENOMEM, "no memory for the parts of graphs");
}

/* ---- graphs ---- */

/* The longest row of the slice that begins with the part's node i. */
static int rows_of(const hymgi_graph_split *s, int r, int i)
{
  const int *const member = hymgi_split_members(s, r), n = hymgi_split_count(s, r);
  int most = 0;
  for (int m = i; m < i + LANES && m < n; m++) {
    const int length = s->length[member[m]];
    if (length > most) most = length;
  }
  return most;
}

static int children_of(const hymgi_graph_split *s, int r)
{
  const hymgi_graph_split *const coarse = s + 1;
  int children = 0;
  for (const int *I = hymgi_split_members(coarse, r), *end = I + hymgi_split_count(coarse, r);
       I < end; I++)
    children += s->graph->first[*I + 1] - s->graph->first[*I];
  return children;
}

static hymgi_graph numbers_of(const parts *p, int l, int r)
{
  const hymgi_graph_split *const s = p->all.of + l;
  const bool gathered = l == p->all.places.gathered;
  hymgi_graph g = {.n = hymgi_split_count(s, r),
                   .ghosts = (int)hymgi_split_ghosts(s, r),
                   .packed = l > 0,
                   .coarsest = gathered,
                   .twice = s->graph->twice};
  g.vectors = l == 0 ? 1 : gathered ? 2 : s->graph->vectors;
  if (gathered) return g;
  g.nodes = hymgi_split_count(s + 1, r);
  g.children = children_of(s, r);
  for (int i = 0; l > 0 && i < g.n; i++) {
    g.edges += s->length[hymgi_split_members(s, r)[i]];
    if (i % LANES == 0) g.rows += rows_of(s, r, i);
  }
  return g;
}

/* The part's place of a node that it has or reads. */
static int part_place(const hymgi_graph_split *s, int r, int place)
{
  return s->rank[place] == r ? s->local[place] : s->slot[place];
}

static void number_ghosts(const parts *p, int r)
{
  for (const hymgi_graph_split *s = p->all.of; s <= p->all.of + p->all.places.gathered; s++) {
    const int from = (int)hymgi_whole_slices(hymgi_split_count(s, r));
    for (int64_t q = s->first_ghost[r]; q < s->first_ghost[r + 1]; q++)
      s->slot[hymgi_split_place(s->ghost[q])] = from + (int)(q - s->first_ghost[r]);
  }
}

/* As hymgi_graph_rows (formulas/graph_setup.h) packs a whole graph. */
static void fill_row(const hymgi_graph_split *s, int r, const hymgi_graph *g, int i)
{
  const int place = i < g->n ? hymgi_split_members(s, r)[i] : -1;
  const int length = place < 0 ? 0 : s->length[place];
  for (int m = 0; m < g->slice[i / LANES + 1] - g->slice[i / LANES]; m++) {
    const ptrdiff_t to = hymgi_split_edge(g, i, m),
                    from = m < length ? hymgi_split_edge(s->graph, place, m) : 0;
    g->to[to] = m < length ? part_place(s, r, s->graph->to[from]) : i;
    g->weight[to] = m < length ? s->graph->weight[from] : 0;
  }
  g->diagonal[i] = place < 0 ? 0 : s->graph->diagonal[place];
  g->inverse[i] = place < 0 ? 0 : s->graph->inverse[place];
}

static void fill_rows(const hymgi_graph_split *s, int r, const hymgi_graph *g)
{
  const int whole = (int)hymgi_whole_slices(g->n);
  g->slice[0] = 0;
  for (int i = 0; i < whole; i += LANES)
    g->slice[i / LANES + 1] = g->slice[i / LANES] + rows_of(s, r, i);
  for (int i = 0; i < whole; i++)
    fill_row(s, r, g, i);
}

static void fill_lists(const hymgi_graph_split *s, int r, const hymgi_graph *g)
{
  const hymgi_graph_split *const coarse = s + 1;
  for (int i = 0; i < g->n; i++)
    g->parent[i] = part_place(coarse, r, s->graph->parent[hymgi_split_members(s, r)[i]]);
  g->first[0] = 0;
  for (int I = 0; I < g->nodes; I++) {
    const int place = hymgi_split_members(coarse, r)[I];
    int next = g->first[I];
    for (int m = s->graph->first[place]; m < s->graph->first[place + 1]; m++)
      g->child[next++] = part_place(s, r, s->graph->child[m]);
    g->first[I + 1] = next;
  }
}

/* Its ghosts are numbered. */
static void fill_graph(const parts *p, int l, int r, const hymgi_graph *g)
{
  const hymgi_graph_split *const s = p->all.of + l;
  for (int i = 0; l == 0 && i < g->n; i++)
    g->at[i] = (ptrdiff_t)p->all.places.place[s->graph->at[hymgi_split_members(s, r)[i]]];
  if (l > 0 && !g->coarsest) fill_rows(s, r, g);
  if (!g->coarsest) fill_lists(s, r, g);
}

/* ---- from the root to all ---- */

static void pass(parts *p, bool sends, int rank, void *data, size_t bytes)
{
  hymg_context *const c = p->context;
  if (!bytes || c->status != HYMG_OK) return;
  c->status =
      hymgi_comm_post(c, p->requests, sends, rank, p->all.places.tag, data, bytes / sizeof(double));
  const hymg_status status = hymgi_comm_wait(c, p->requests);
  if (c->status == HYMG_OK) c->status = status;
}

static void make_headers(const parts *p, int r, header *h)
{
  memset(h, 0, sizeof p->header);
  for (int l = 0; l <= p->all.places.gathered + 1; l++) {
    if (l <= p->all.places.gathered) h[l].graph = numbers_of(p, l, r);
    h[l].plan = hymgi_split_plan_sizes(&p->all, l, r);
  }
}

/* Each rank gets its own; the root sees how much room the largest arrays need. */
static void pass_headers(parts *p, header *h, size_t *doubles, size_t *words)
{
  const size_t bytes = ((size_t)p->all.places.gathered + 2) * sizeof *h;
  const int root = p->all.places.root;
  if (p->rank != root) pass(p, false, root, p->header, bytes);
  for (int r = 0; r < p->all.ranks && p->rank == root; r++) {
    make_headers(p, r, r == root ? p->header : h);
    if (r == root) continue;
    pass(p, true, r, h, bytes);
    for (int l = 0; l <= p->all.places.gathered + 1; l++) {
      const size_t d = hymgi_graph_fixed_doubles(h[l].graph), w = hymgi_index_words(&h[l].plan);
      *doubles = d > *doubles ? d : *doubles;
      *words = w > *words ? w : *words;
    }
  }
}

static hymg_status allocate(parts *p, size_t doubles, size_t words)
{
  const int gathered = p->all.places.gathered, tag = p->all.places.tag + 1;
  for (int l = 0; l <= gathered + 1; l++)
    TRY(hymgi_index_plan_create(p->context, &p->by, &p->header[l].plan, tag + l, p->plan + l));
  for (int l = 0; l <= gathered; l++) {
    p->made[l] = p->header[l].graph;
    TRY(hymgi_graph_allocate(p->context, p->memory, p->made + l));
  }
  if (p->rank != p->all.places.root) return HYMG_OK;
  p->graph_room = calloc(doubles + 1, sizeof *p->graph_room);
  p->plan_room = malloc((words + 1) * sizeof *p->plan_room);
  return p->graph_room && p->plan_room ? HYMG_OK : lacking(p);
}

static void send_part(parts *p, int r, header *h)
{
  make_headers(p, r, h);
  number_ghosts(p, r);
  for (int l = 0; l <= p->all.places.gathered + 1; l++) {
    hymgi_graph g = h[l].graph;
    hymgi_index_plan plan = {.sizes = h[l].plan};
    g.vectors = 0;
    const size_t doubles = hymgi_graph_bind(&g, p->graph_room);
    if (l < p->all.places.gathered) {
      fill_graph(p, l, r, &g);
      pass(p, true, r, p->graph_room, doubles * sizeof *p->graph_room);
    }
    hymgi_index_plan_bind(&plan, p->plan_room);
    hymgi_split_plan_fill(&p->all, l, r, &plan);
    pass(p, true, r, p->plan_room, hymgi_index_words(&plan.sizes) * sizeof *p->plan_room);
  }
}

static void receive_part(parts *p)
{
  const int root = p->all.places.root;
  for (int l = 0; l <= p->all.places.gathered + 1; l++) {
    const size_t doubles =
        l < p->all.places.gathered ? hymgi_graph_fixed_doubles(p->header[l].graph) : 0;
    pass(p, false, root, p->made[l].block, doubles * sizeof(double));
    pass(p, false, root, p->plan[l]->block,
         hymgi_index_words(&p->plan[l]->sizes) * sizeof(int64_t));
  }
}

static void keep_part(const parts *p)
{
  number_ghosts(p, p->rank);
  for (int l = 0; l <= p->all.places.gathered + 1; l++) {
    if (l < p->all.places.gathered) fill_graph(p, l, p->rank, p->made + l);
    hymgi_split_plan_fill(&p->all, l, p->rank, p->plan[l]);
  }
}

static void pass_parts(parts *p, header *h)
{
  if (p->rank != p->all.places.root) {
    receive_part(p);
    return;
  }
  for (int r = 0; r < p->all.ranks; r++)
    if (r != p->rank) send_part(p, r, h);
  keep_part(p);
}

/* ---- where cycles run ---- */

static hymg_status copy_whole(parts *p, int l)
{
  const hymgi_graph *const g = p->pairs->graph + l;
  hymgi_graph *const copy = p->whole + l;
  *copy = *g;
  copy->block = NULL;
  if (g->memory->on_host) return HYMG_OK;
  copy->vectors = 0;
  TRY(hymgi_graph_allocate(p->context, p->memory, copy));
  copy->vectors = g->vectors;
  p->pairs->backend->copy(p->context, g->block, copy->block, copy->doubles);
  return p->context->status;
}

/* On the root, as the host sees them. */
static hymg_status find_owners(parts *p)
{
  for (int l = 0; l <= p->all.places.gathered; l++)
    TRY(copy_whole(p, l));
  return hymgi_graph_splits_make(&p->all, p->whole);
}

static hymg_status place_parts(parts *p)
{
  for (int l = 0; l <= p->all.places.gathered; l++)
    TRY(hymgi_graph_move(p->pairs, p->made + l));
  for (int l = 0; l <= p->all.places.gathered + 1; l++)
    TRY(hymgi_index_plan_share(p->plan[l]));
  p->pairs->backend->sync(p->context);
  return p->context->status;
}

/* ---- all of it ---- */

/* The parts take the places of the whole graphs. */
static void install(parts *p)
{
  struct hymgi_pairs *const pairs = p->pairs;
  const int gathered = p->all.places.gathered;
  for (int l = 0; l < gathered; l++) {
    pairs->bytes -= pairs->graph[l].doubles * sizeof(double);
    hymgi_graph_release(p->context, pairs->graph + l);
    pairs->graph[l] = p->made[l];
    pairs->graph[l].halo = p->plan[l];
  }
  pairs->part = p->made[gathered];
  pairs->gather = p->plan[gathered], pairs->scatter = p->plan[gathered + 1];
  pairs->gathered = gathered;
  if (p->rank != p->all.places.root) pairs->count = gathered;
  for (int l = 0; l <= gathered + 1; l++)
    pairs->bytes += hymgi_index_plan_bytes(p->plan[l]) + p->made[l].doubles * sizeof(double);
}

static void discard(parts *p)
{
  for (int l = 0; l < HYMGI_MAX_GRAPHS; l++)
    hymgi_graph_release(p->context, p->made + l);
  for (int l = 0; l <= HYMGI_MAX_GRAPHS; l++)
    hymgi_index_plan_destroy(p->plan + l);
}

static void end(parts *p)
{
  hymgi_graph_splits_release(&p->all);
  for (hymgi_graph *g = p->whole; g < p->whole + HYMGI_MAX_GRAPHS; g++)
    if (g->block) hymgi_graph_release(p->context, g);
  free(p->graph_room);
  free(p->plan_room);
  hymgi_requests_destroy(&p->requests);
  free(p);
}

static hymg_status distribute(parts *p, header *h)
{
  hymg_context *const c = p->context;
  size_t doubles = 0, words = 0;
  hymg_status status = hymgi_requests_create(c, 1, &p->requests);
  if (status == HYMG_OK && p->rank == p->all.places.root) status = find_owners(p);
  TRY(hymgi_agree(c, status));
  pass_headers(p, h, &doubles, &words);
  TRY(hymgi_agree(c, c->status != HYMG_OK ? c->status : allocate(p, doubles, words)));
  pass_parts(p, h);
  TRY(hymgi_agree(c, c->status));
  return hymgi_agree(c, place_parts(p));
}

hymg_status hymgi_graphs_distribute(struct hymgi_pairs *pairs, const hymgi_index_mover *by,
                                    const hymgi_graph_places *places)
{
  hymg_context *const c = pairs->context;
  parts *const p = calloc(1, sizeof *p);
  header *const h = malloc(sizeof p->header);
  hymg_status status = p && h ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for parts");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    p->memory = hymgi_cpu_backend()->memory, p->by = *by;
    p->context = c, p->pairs = pairs, p->rank = hymgi_comm_rank(c->comm);
    p->all.context = c, p->all.places = *places, p->all.ranks = hymgi_comm_size(c->comm);
    status = distribute(p, h);
    if (status == HYMG_OK)
      install(p);
    else
      discard(p);
  }
  free(h);
  if (p) end(p);
  return status;
}
