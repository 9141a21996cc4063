/* One graph after the other in parts. A rank matches its own nodes by the steps of whole graphs (graph_setup.h); between them
 * it gets what belongs to its ghosts. A coarse node is of the rank of its head, which gets the rows of all children that others
 * have, and adds them up in ascending order of ids. So rows, lists and sums have the order that they have in whole graphs. */
#include "hierarchy/graph_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "comm/context.h"

/* Children that other ranks send: the child's id, that of its parent, its excess, the number of its edges; then these: the far
 * end's parent and the weight. */
enum { CHILD, PARENT_OF_CHILD, EXCESS, EDGES, CHILD_WORDS, EDGE_WORDS = 2 };
/* What a coarse node of another rank is to this one. */
enum { AT_EDGE = 1, IS_PARENT = 2 };

typedef struct making {
  hymgi_part_maker *m;
  hymgi_part *part; /* m->part, whose arrays b.w.g has */
  hymgi_part coarse;
  hymgi_graph_builder b; /* by the host, of local numbers */
  int graph;
  int64_t totals[2], coarse_totals[2]; /* nodes and edges of the whole graph */
  int64_t *up;                         /* of nodes and ghosts: the parent's id */
  int64_t *value;                      /* likewise, for exchanges */
  int *moved;                          /* of coarse nodes of others: their local numbers */
  hymgi_index_plan *near;              /* of ghosts at ends of edges */
  int used;                            /* entries of rows */
  int nodes;                           /* own coarse ones */
  int extra;                           /* children from others that are no ghosts yet */
  hymgi_links children_in, children_out, far, senders;
  hymgi_parcels sent, got;
  bool lacks;
} making;

static hymg_status lacking(const making *k)
{
  return hymgi_fail(k->m->context, HYMG_ENOMEM, "no memory for the part of graph %d", k->graph);
}

/* Collective. */
static hymg_status agree(making *k, hymg_status status)
{
  hymg_context *const c = k->m->context;
  if (status == HYMG_OK) status = k->lacks ? lacking(k) : c->status;
  return hymgi_agree(c, status);
}

static void run(making *k, hymgi_graph_step step, int indices)
{
  k->b.backend->graph_setup->run(k->m->context, step, indices, &k->b.w);
}

#define RESIZE(array, count) array = hymgi_resize(&k->lacks, array, count, sizeof *(array))

/* ---- nodes ---- */

/* The local number of an own node, or -1. */
static int own_node(const making *k, int64_t id)
{
  const int64_t *const ids = k->b.w.g.id;
  int low = 0, high = k->b.w.g.n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < k->b.w.g.n && ids[low] == id ? low : -1;
}

static int owner_of(const making *k, int64_t id)
{
  return hymgi_part_owner(k->m->level, id);
}

/* Of a ghost at the end of an edge. */
static int rank_of_ghost(const making *k, int ghost)
{
  return k->part->in.link[ghost - k->b.w.g.n].rank;
}

/* ---- pairs ---- */

static hymg_status begin(making *k)
{
  hymgi_graph_work *const w = &k->b.w;
  const size_t all = (size_t)w->g.n + (size_t)k->part->ghosts;
  RESIZE(w->most, all);
  RESIZE(w->mate, all);
  RESIZE(w->pick, all);
  RESIZE(w->count, hymgi_sum_room(all));
  RESIZE(w->parent, all);
  RESIZE(k->up, all);
  RESIZE(k->value, all);
  hymg_status status = hymgi_links_plan(k->m->context, &k->m->host, &k->part->out, &k->part->in,
                                        k->m->tag, &k->near);
  for (int i = 0; i < (int)all && !k->lacks; i++)
    w->mate[i] = w->pick[i] = -1, w->most[i] = 0;
  return agree(k, status);
}

static void exchange(making *k, void *values)
{
  hymgi_index_plan_run(k->near, values, values);
}

/* Of a ghost only whether it has a partner counts. */
static void pass_mates(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  for (int i = 0; i < w->g.n; i++)
    k->value[i] = w->mate[i];
  exchange(k, k->value);
  for (int q = 0; q < k->part->in.count; q++)
    w->mate[w->g.n + q] = k->value[w->g.n + q] < 0 ? -1 : 0;
}

/* Of a ghost only own nodes. */
static void pass_picks(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  for (int i = 0; i < w->g.n; i++)
    k->value[i] = w->pick[i] < 0 ? -1 : w->g.id[w->pick[i]];
  exchange(k, k->value);
  for (int q = 0; q < k->part->in.count; q++) {
    const int64_t id = k->value[w->g.n + q];
    w->pick[w->g.n + q] = id < 0 ? -1 : own_node(k, id);
  }
}

static void match(making *k)
{
  k->b.w.graph = k->graph;
  const int n = k->b.w.g.n;
  run(k, HYMGI_GRAPH_BEGIN, n);
  exchange(k, k->b.w.most);
  for (int round = 0; round < HYMGI_GRAPH_ROUNDS; round++) {
    run(k, round ? HYMGI_GRAPH_PICK_AGAIN : HYMGI_GRAPH_PICK, n);
    pass_picks(k);
    run(k, HYMGI_GRAPH_PAIR, n);
    pass_mates(k);
  }
  run(k, HYMGI_GRAPH_JOIN, n);
  pass_picks(k);
}

/* Of pairs, then of nodes that join them, which ghosts may have. */
static void find_parents(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  const int64_t *const id = w->g.id;
  for (int i = 0; i < w->g.n; i++) {
    const int mate = w->mate[i];
    k->up[i] = mate < 0 ? -1 : id[mate] < id[i] ? id[mate] : id[i];
  }
  exchange(k, k->up);
  for (int i = 0; i < w->g.n && k->m->context->status == HYMG_OK; i++)
    if (w->mate[i] < 0) k->up[i] = w->mate[w->pick[i]] < 0 ? id[i] : k->up[w->pick[i]];
  exchange(k, k->up);
}

/* ---- who has children of whom ---- */

/* Is the head of an own node's pair another rank's? */
static bool has_head_elsewhere(const making *k, int i)
{
  return k->b.w.mate[i] >= k->b.w.g.n && k->up[i] != k->b.w.g.id[i];
}

/* The own node that heads an own node's aggregate, or -1. */
static int own_head(const making *k, int i)
{
  const hymgi_graph_work *const w = &k->b.w;
  if (k->up[i] == w->g.id[i]) return i;
  if (w->mate[i] < 0) return own_node(k, k->up[i]);
  return has_head_elsewhere(k, i) ? -1 : w->mate[i];
}

static void number_coarse(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  for (int i = 0; i < w->g.n; i++)
    w->count[i] = k->up[i] == w->g.id[i];
  k->nodes = k->b.backend->graph_setup->sum(k->m->context, w->g.n, w->count);
  for (int i = 0; i < w->g.n; i++) {
    const int head = own_head(k, i);
    w->parent[i] = head < 0 ? -1 : w->count[head];
    if (head < 0) hymgi_links_add(&k->children_out, owner_of(k, k->up[i]), w->g.id[i], i);
  }
  hymgi_links_sort(&k->children_out, false);
}

/* From the ranks of partners, and of ghosts that join own nodes. A rank may not know of those that join its node's partner: the
 * partner's rank tells it (introduced: by the rank that is told, in place of ids the other). */
static void find_senders(making *k, hymgi_links *introduced)
{
  const hymgi_graph_work *const w = &k->b.w;
  for (int i = 0; i < w->g.n; i++)
    if (w->mate[i] >= w->g.n && !has_head_elsewhere(k, i))
      hymgi_links_add(&k->senders, rank_of_ghost(k, w->mate[i]), 0, 0);
  for (int q = 0; q < k->part->in.count; q++) {
    const int ghost = w->g.n + q, i = w->pick[ghost], rank = rank_of_ghost(k, ghost);
    if (w->mate[ghost] >= 0 || i < 0 || w->mate[i] < 0) continue;
    if (!has_head_elsewhere(k, i))
      hymgi_links_add(&k->senders, rank, 0, 0);
    else if (rank_of_ghost(k, w->mate[i]) != rank)
      hymgi_links_add(introduced, rank_of_ghost(k, w->mate[i]), rank, 0);
  }
  hymgi_links_sort(introduced, true);
}

/* Each neighbour's entries of a list that is sorted. */
static hymg_status pack_introduced(making *k, const hymgi_links *introduced, hymgi_parcels *out)
{
  TRY(hymgi_parcels_create(k->m->context, &k->part->in, out));
  out->word = malloc(((size_t)introduced->count + 1) * sizeof *out->word);
  if (!out->word) return lacking(k);
  int next = 0;
  for (int r = 0; r < out->count; r++) {
    for (; next < introduced->count && introduced->link[next].rank == out->rank[r]; next++)
      out->word[next] = introduced->link[next].id;
    out->first[r + 1] = next;
  }
  return HYMG_OK;
}

/* Collective. */
static hymg_status know_senders(making *k)
{
  hymgi_links introduced = {0};
  hymgi_parcels out = {0}, in = {0};
  find_senders(k, &introduced);
  hymg_status status = k->m->context->status;
  if (status == HYMG_OK) status = pack_introduced(k, &introduced, &out);
  if (status == HYMG_OK) status = hymgi_parcels_create(k->m->context, &k->part->in, &in);
  if (introduced.lacking || k->senders.lacking || k->children_out.lacking) status = lacking(k);
  status = hymgi_parcels_pass(k->m->context, status, k->m->tag + 1, &out, &in);
  for (int64_t word = 0; status == HYMG_OK && word < in.first[in.count]; word++)
    hymgi_links_add(&k->senders, (int)in.word[word], 0, 0);
  hymgi_links_sort(&k->senders, true);
  hymgi_parcels_release(&out);
  hymgi_parcels_release(&in);
  hymgi_links_release(&introduced);
  return status;
}

/* ---- children to the ranks of their parents ---- */

/* The words of a node's row, written if there is a place for them. */
static int64_t pack_child(const making *k, int i, int64_t *to)
{
  const hymgi_raw_graph *const g = &k->b.w.g;
  int64_t words = CHILD_WORDS;
  for (int e = g->start[i]; e < g->end[i]; e++) {
    if (k->up[g->to[e]] == k->up[i]) continue;
    if (to) to[words] = k->up[g->to[e]], memcpy(to + words + 1, g->weight + e, sizeof *g->weight);
    words += EDGE_WORDS;
  }
  if (!to) return words;
  to[CHILD] = g->id[i], to[PARENT_OF_CHILD] = k->up[i];
  memcpy(to + EXCESS, g->excess + i, sizeof *g->excess);
  to[EDGES] = (words - CHILD_WORDS) / EDGE_WORDS;
  return words;
}

static hymg_status pack_children(making *k)
{
  const hymgi_links *const list = &k->children_out;
  hymgi_parcels *const out = &k->sent;
  TRY(hymgi_parcels_create(k->m->context, list, out));
  int64_t words = 0;
  for (int m = 0, r = 0; m < list->count; m++) {
    words += pack_child(k, list->link[m].at, NULL);
    r += list->link[m].rank != out->rank[r];
    out->first[r + 1] = words;
  }
  out->word = malloc(((size_t)words + 1) * sizeof *out->word);
  if (!out->word) return lacking(k);
  int64_t *to = out->word;
  for (int m = 0; m < list->count; m++)
    to += pack_child(k, list->link[m].at, to);
  return HYMG_OK;
}

/* Collective. */
static hymg_status pass_children(making *k)
{
  hymg_status status = k->senders.lacking ? lacking(k) : pack_children(k);
  if (status == HYMG_OK) status = hymgi_parcels_create(k->m->context, &k->senders, &k->got);
  return hymgi_parcels_pass(k->m->context, status, k->m->tag + 3, &k->sent, &k->got);
}

/* ---- children from other ranks ---- */

typedef void visit_child(making *k, int rank, const int64_t *child);

static void for_children(making *k, visit_child *visit)
{
  for (int r = 0; r < k->got.count; r++)
    for (const int64_t *child = k->got.word + k->got.first[r],
                       *end = k->got.word + k->got.first[r + 1];
         child < end; child += CHILD_WORDS + EDGE_WORDS * child[EDGES])
      visit(k, k->got.rank[r], child);
}

/* A coarse node that an edge leads to. */
static void list_far(making *k, int64_t id)
{
  const int rank = owner_of(k, id);
  if (rank != k->m->rank) hymgi_links_add(&k->far, rank, id, 0);
}

/* Its local number if it is a ghost already, or -1. */
static int known_ghost(const making *k, int rank, int64_t id)
{
  const hymgi_links *const list[] = {&k->part->in, &k->part->parents_in};
  for (int m = 0; m < 2; m++) {
    const int at = hymgi_links_find(list[m], rank, id);
    if (at >= 0) return list[m]->link[at].at;
  }
  return -1;
}

static void list_child(making *k, int rank, const int64_t *child)
{
  const int known = known_ghost(k, rank, child[CHILD]);
  const int at = known < 0 ? k->b.w.g.n + k->part->ghosts + k->extra++ : known;
  hymgi_links_add(&k->children_in, rank, child[CHILD], at);
  for (int64_t e = 0; e < child[EDGES]; e++)
    list_far(k, child[CHILD_WORDS + EDGE_WORDS * e]);
}

/* The local number of a coarse node. */
static int coarse_number(const making *k, int64_t id)
{
  const int rank = owner_of(k, id);
  if (rank != k->m->rank) return k->nodes + hymgi_links_find(&k->far, rank, id);
  return k->b.w.parent[own_node(k, id)];
}

/* Its row behind those that are there. The far ends of its edges are nodes for themselves, of which only parents are known. */
static void take_child(making *k, int rank, const int64_t *child)
{
  hymgi_graph_work *const w = &k->b.w;
  const int at = k->children_in.link[hymgi_links_find(&k->children_in, rank, child[CHILD])].at;
  const int parent = coarse_number(k, child[PARENT_OF_CHILD]);
  const int64_t *edge = child + CHILD_WORDS;
  w->g.id[at] = child[CHILD];
  w->parent[at] = parent;
  memcpy(w->g.excess + at, child + EXCESS, sizeof *w->g.excess);
  w->g.start[at] = k->used;
  for (int64_t e = 0; e < child[EDGES]; e++, edge += EDGE_WORDS) {
    const int far = w->g.n + k->part->ghosts + k->extra + k->used - k->part->used;
    w->parent[far] = coarse_number(k, edge[0]);
    w->g.to[k->used] = far;
    memcpy(w->g.weight + k->used++, edge + 1, sizeof *w->g.weight);
  }
  w->g.end[at] = k->used;
  hymgi_links_add(&k->coarse.parents_out, rank, child[PARENT_OF_CHILD], parent);
}

/* Collective: the list of coarse nodes of others that this rank may see, and room for rows. */
static hymg_status make_room(making *k)
{
  hymgi_graph_work *const w = &k->b.w;
  hymgi_raw_graph *const g = &w->g;
  for (int i = 0; i < g->n; i++)
    if (w->parent[i] < 0) list_far(k, k->up[i]);
  for (int q = 0; q < k->part->in.count; q++)
    list_far(k, k->up[g->n + q]);
  for_children(k, list_child);
  hymgi_links_sort(&k->far, true);
  hymgi_links_sort(&k->children_in, false);
  const int64_t words = k->got.first[k->got.count];
  const size_t edges = (size_t)((words - CHILD_WORDS * (int64_t)k->children_in.count) / EDGE_WORDS);
  const size_t all = (size_t)g->n + (size_t)k->part->ghosts + (size_t)k->extra;
  const size_t coarse = (size_t)k->nodes + (size_t)k->far.count + 1;
  const hymg_status status =
      hymgi_part_edges(k->m->context, (int64_t)(all + edges) + (int64_t)k->part->used);
  RESIZE(g->start, hymgi_sum_room(all));
  RESIZE(g->end, all);
  RESIZE(g->excess, all);
  RESIZE(g->id, all);
  RESIZE(g->to, (size_t)k->part->used + edges);
  RESIZE(g->weight, (size_t)k->part->used + edges);
  RESIZE(w->parent, all + edges);
  RESIZE(w->child, all);
  RESIZE(w->place, all);
  RESIZE(w->first, hymgi_sum_room(coarse));
  RESIZE(w->count, hymgi_sum_room(coarse > all ? coarse : all));
  RESIZE(w->coarse_order, coarse);
  RESIZE(w->coarse_place, coarse);
  RESIZE(k->moved, coarse);
  k->lacks = k->lacks || k->far.lacking || k->children_in.lacking;
  return agree(k, status);
}

/* Parents of all that is here, those without one behind all others. */
static void take_children(making *k)
{
  hymgi_graph_work *const w = &k->b.w;
  const int all = w->g.n + k->part->ghosts + k->extra;
  k->used = k->part->used;
  for (int i = 0; i < w->g.n; i++)
    if (w->parent[i] < 0) w->parent[i] = coarse_number(k, k->up[i]);
  for (int i = w->g.n; i < all; i++)
    w->g.start[i] = w->g.end[i] = 0, w->parent[i] = k->nodes + k->far.count;
  for (int q = 0; q < k->part->in.count; q++)
    w->parent[w->g.n + q] = coarse_number(k, k->up[w->g.n + q]);
  for_children(k, take_child);
  hymgi_links_sort(&k->coarse.parents_out, true);
  hymgi_graph_collect_children(&k->b, k->nodes + k->far.count + 1, all);
}

/* ---- the coarse graph ---- */

static void begin_coarse(making *k)
{
  hymgi_raw_graph *const c = &k->b.w.coarse;
  const size_t n = (size_t)k->nodes;
  const int64_t got = k->got.first[k->got.count] / EDGE_WORDS;
  const size_t edges = (size_t)k->b.w.g.edges + (size_t)got;
  RESIZE(c->start, hymgi_sum_room(n));
  RESIZE(c->end, n);
  RESIZE(c->to, edges);
  RESIZE(c->weight, edges);
  RESIZE(c->excess, n);
  RESIZE(c->diagonal, n);
  RESIZE(c->id, n + (size_t)k->far.count);
}

/* Collective. */
static hymg_status merge(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  begin_coarse(k);
  k->lacks = k->lacks || k->coarse.parents_out.lacking;
  hymg_status status = k->lacks ? lacking(k) : hymgi_graph_merge_rows(&k->b, k->nodes);
  for (int i = 0; i < w->g.n && status == HYMG_OK; i++)
    if (k->up[i] == w->g.id[i]) w->coarse.id[w->parent[i]] = w->g.id[i];
  TRY(agree(k, status));
  k->coarse.used = w->coarse.start[k->nodes];
  k->coarse_totals[0] = k->nodes, k->coarse_totals[1] = w->coarse.edges;
  return hymgi_comm_sum_int64(k->m->context, k->m->context->comm, k->coarse_totals, 2);
}

static bool is_for_the_root(const making *k)
{
  const int64_t nodes = k->coarse_totals[0];
  return nodes < k->m->least || nodes <= HYMGI_MATRIX_CELLS || k->coarse_totals[1] == 0 ||
         k->graph + 1 == HYMGI_MAX_GRAPHS - 2;
}

/* Which coarse nodes of others this rank reads. */
static void mark_far(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  for (int i = 0; i < w->g.n; i++)
    if (w->parent[i] >= k->nodes) k->far.link[w->parent[i] - k->nodes].at |= IS_PARENT;
  for (int I = 0; I < k->nodes; I++)
    for (int e = w->coarse.start[I]; e < w->coarse.end[I]; e++) {
      if (w->coarse.to[e] < k->nodes) continue;
      hymgi_link *const far = k->far.link + w->coarse.to[e] - k->nodes;
      far->at |= AT_EDGE;
      hymgi_links_add(&k->coarse.out, far->rank, w->coarse.id[I], I);
    }
  hymgi_links_sort(&k->coarse.out, true);
}

/* Those that are `first` come before those that only are `then`. */
static void number_far(making *k, int first, int then)
{
  hymgi_part *const to = &k->coarse;
  for (int pass = 0; pass < 2; pass++)
    for (int t = 0; t < k->far.count; t++) {
      const hymgi_link *const far = k->far.link + t;
      if (pass ? (far->at & first) || !(far->at & then) : !(far->at & first)) continue;
      const int local = k->nodes + to->ghosts++;
      k->moved[t] = local;
      k->b.w.coarse.id[local] = far->id;
    }
  for (int t = 0; t < k->far.count; t++) {
    const hymgi_link *const far = k->far.link + t;
    if (far->at & AT_EDGE) hymgi_links_add(&to->in, far->rank, far->id, k->moved[t]);
    if (far->at & IS_PARENT) hymgi_links_add(&to->parents_in, far->rank, far->id, k->moved[t]);
  }
}

/* Places of ghosts follow whole slices; a graph that the root gets keeps the order of ids. */
static void place_coarse(making *k, bool gathered)
{
  const hymgi_graph_work *const w = &k->b.w;
  const int whole = (int)hymgi_whole_slices(k->nodes);
  for (int I = 0; I < k->nodes && gathered; I++)
    w->coarse_place[I] = w->coarse_order[I] = I;
  for (int q = 0; q < k->coarse.ghosts; q++)
    w->coarse_place[k->nodes + q] = whole + q;
}

static void end_coarse(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  const bool gathered = is_for_the_root(k);
  mark_far(k);
  number_far(k, gathered ? IS_PARENT : AT_EDGE, gathered ? AT_EDGE : IS_PARENT);
  place_coarse(k, gathered);
  for (int I = 0; I < k->nodes; I++)
    for (int e = w->coarse.start[I]; e < w->coarse.end[I]; e++)
      if (w->coarse.to[e] >= k->nodes) w->coarse.to[e] = k->moved[w->coarse.to[e] - k->nodes];
  for (int i = 0; i < w->g.n; i++)
    if (w->parent[i] >= k->nodes) w->parent[i] = k->moved[w->parent[i] - k->nodes];
  if (gathered) k->m->gathered = k->graph + 1;
}

/* ---- the part that a cycle has ---- */

static void add_all(hymgi_links *to, const hymgi_links *from)
{
  for (int m = 0; m < from->count; m++)
    hymgi_links_add(to, from->link[m].rank, from->link[m].id, from->link[m].at);
}

/* Of graph 0 only children are read, from a vector of level 0. */
static hymg_status make_halo(making *k, hymgi_index_plan **plan)
{
  const hymgi_part *const part = k->part;
  const hymgi_graph_work *const w = &k->b.w;
  const bool finest = k->graph == 0;
  hymgi_links in = {0}, out = {0};
  const hymgi_links *const from[][2] = {{&k->children_in, &k->children_out},
                                        {&part->in, &part->out},
                                        {&part->parents_in, &part->parents_out}};
  for (int m = 0; m < (finest ? 1 : 3); m++)
    add_all(&in, from[m][0]), add_all(&out, from[m][1]);
  hymgi_links_sort(&in, true);
  hymgi_links_sort(&out, true);
  const hymg_status status = in.lacking || out.lacking
                                 ? lacking(k)
                                 : hymgi_links_plan(k->m->context, &k->m->cycle, &out, &in,
                                                    k->m->tag + 5 + k->graph, plan);
  const int whole = finest ? (int)hymgi_whole_slices(w->g.n) : 0;
  for (int q = 0; q < out.count && status == HYMG_OK; q++)
    (*plan)->from[q] = finest ? w->g.at[out.link[q].at] : w->place[out.link[q].at];
  for (int q = 0; q < in.count && status == HYMG_OK; q++)
    (*plan)->to[q] = w->place[in.link[q].at] - whole;
  hymgi_links_release(&in);
  hymgi_links_release(&out);
  return status;
}

static void place_ghosts(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  const int n = w->g.n, whole = (int)hymgi_whole_slices(n), ghosts = k->part->ghosts + k->extra;
  for (int q = 0; q < ghosts && k->graph > 0; q++)
    w->place[n + q] = whole + q;
  for (int q = 0; q < k->children_in.count && k->graph == 0; q++)
    w->place[k->children_in.link[q].at] = whole + q;
}

static hymg_status pack(making *k)
{
  const hymgi_graph_work *const w = &k->b.w;
  hymgi_graph *const g = k->m->pairs->graph + k->graph;
  const bool twice = hymgi_graph_is_twice(&k->b, k->graph, k->totals[0], k->totals[1]);
  place_ghosts(k);
  *g = (hymgi_graph){.n = w->g.n,
                     .nodes = k->nodes,
                     .edges = w->g.edges,
                     .ghosts = k->graph ? k->part->ghosts + k->extra : k->children_in.count,
                     .children = w->first[k->nodes],
                     .vectors = !k->graph ? 1
                                : twice   ? 6
                                          : 4,
                     .packed = k->graph > 0,
                     .twice = twice};
  TRY(hymgi_graph_pack(&k->b, g));
  return make_halo(k, &g->halo);
}

/* ---- all of them ---- */

static void end_graph(making *k)
{
  hymgi_index_plan_destroy(&k->near);
  hymgi_links *const list[] = {&k->children_in, &k->children_out, &k->far, &k->senders};
  for (size_t m = 0; m < sizeof list / sizeof *list; m++)
    hymgi_links_release(list[m]);
  hymgi_parcels_release(&k->sent);
  hymgi_parcels_release(&k->got);
  k->part->g = k->b.w.g;
  k->coarse.g = k->b.w.coarse;
  k->nodes = k->extra = 0;
}

/* The coarse part takes the place of the one above it. */
static void advance(making *k)
{
  hymgi_graph_work *const w = &k->b.w;
  const hymgi_graph_work before = *w;
  hymgi_part_release(k->part);
  *k->part = k->coarse;
  k->coarse = (hymgi_part){0};
  w->g = k->part->g, w->coarse = (hymgi_raw_graph){0};
  w->order = before.coarse_order, w->coarse_order = before.order;
  w->place = before.coarse_place, w->coarse_place = before.place;
  memcpy(k->totals, k->coarse_totals, sizeof k->totals);
}

static hymg_status make_graph(making *k)
{
  TRY(begin(k));
  match(k);
  find_parents(k);
  TRY(agree(k, HYMG_OK));
  number_coarse(k);
  TRY(know_senders(k));
  TRY(pass_children(k));
  TRY(make_room(k));
  take_children(k);
  TRY(merge(k));
  end_coarse(k);
  k->lacks =
      k->lacks || k->coarse.in.lacking || k->coarse.out.lacking || k->coarse.parents_in.lacking;
  return agree(k, k->lacks ? lacking(k) : pack(k));
}

static hymg_status make_all(making *k)
{
  hymg_context *const c = k->m->context;
  hymgi_graph_work *const w = &k->b.w;
  const size_t n = (size_t)w->g.n;
  k->totals[0] = w->g.n, k->totals[1] = w->g.edges;
  TRY(hymgi_comm_sum_int64(c, c->comm, k->totals, 2));
  RESIZE(w->order, n);
  RESIZE(w->place, n);
  TRY(agree(k, HYMG_OK));
  run(k, HYMGI_GRAPH_IDENTITY, w->g.n);
  for (; k->totals[1] > 0 && !k->m->gathered; k->graph++) {
    const hymg_status status = make_graph(k);
    end_graph(k);
    TRY(status);
    advance(k);
  }
  return HYMG_OK;
}

static void end(making *k)
{
  hymgi_graph_work *const w = &k->b.w;
  void *const array[] = {w->most,  w->mate,         w->pick,  w->count, w->parent,
                         w->first, w->child,        w->order, w->place, w->coarse_order,
                         k->up,    w->coarse_place, k->value, k->moved};
  for (size_t m = 0; m < sizeof array / sizeof *array; m++)
    free(array[m]);
  k->m->visits = k->b.visits, k->m->nodes = k->totals[0];
  hymgi_part_release(&k->coarse);
  hymgi_graph_end(&k->b);
}

hymg_status hymgi_parts_make(hymgi_part_maker *m)
{
  const hymgi_backend *const host = hymgi_cpu_backend();
  making k = {.m = m,
              .part = &m->part,
              .b = {.context = m->context,
                    .backend = host,
                    .memory = host->graph_setup->memory,
                    .pairs = m->pairs,
                    .cells = m->level->cells,
                    .visits = 1,
                    .w.g = m->part.g}};
  const hymg_status status = make_all(&k);
  end(&k);
  return status;
}
