/* Parts of the graphs of the pairs. A node belongs to the rank of its lower member, and a rank keeps its nodes in the order of
 * the whole graph, so that every sum has the order that it has there. The rank that has made the graphs makes each rank's part,
 * one after the other, and sends it as it lies in memory. */
#include "hierarchy/graph_parts.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = HYMGI_LANES };

/* A whole graph, and whose its nodes are. Lists by rank r have first[r] <= m < first[r + 1]. */
typedef struct split {
  const hymgi_graph *graph;
  int *rank, *local;            /* of each place: its rank, its place in that rank's part */
  int *slot;                    /* and in the part that is being made, if it is a ghost there */
  int *length;                  /* the number of its edges; of graph 0 nothing */
  int *member, *first;          /* places by rank, ascending */
  int64_t *ghost, *first_ghost; /* by rank that reads them: keys of owner and place, ascending */
  int64_t ghosts, room;
  int *asked, *asker;   /* by owner: its nodes that others read, and who does, */
  int64_t *first_asked; /* in the order of ranks that read them and of their ghosts */
} split;

/* What a rank must know of a graph before it gets the arrays: numbers without arrays. That of the first gathered graph
 * is followed by another one with the plan by which it is scattered. */
typedef struct header {
  hymgi_graph graph;
  hymgi_index_sizes plan;
} header;

typedef struct parts {
  hymg_context *context;
  struct hymgi_pairs *pairs;
  hymgi_graph_places places;
  int rank, ranks;
  split split[HYMGI_MAX_GRAPHS];
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

/* ---- whose nodes are whose ---- */

static void find_ranks(const parts *p, int l)
{
  const split *const s = p->split + l;
  const hymgi_graph *const g = s->graph, *const above = g - 1;
  for (int i = 0; i < g->n; i++)
    s->rank[i] = l == 0 ? (int)p->places.rank[g->at[i]] : s[-1].rank[above->child[above->first[i]]];
}

static void list_members(const parts *p, const split *s)
{
  int *const next = s->first;
  for (int i = 0; i < s->graph->n; i++)
    s->local[i] = next[s->rank[i] + 1]++;
  for (int r = 0; r < p->ranks; r++)
    next[r + 1] += next[r];
  for (int i = 0; i < s->graph->n; i++)
    s->member[s->first[s->rank[i]] + s->local[i]] = i;
}

/* Weights are 0 where edges are missing. */
static void find_lengths(const split *s)
{
  const hymgi_graph *const g = s->graph;
  for (int i = 0; g->packed && i < g->n; i++) {
    const int end = g->slice[i / LANES + 1];
    int row = g->slice[i / LANES];
    while (row < end && g->weight[(ptrdiff_t)LANES * row + i % LANES] > 0)
      row++;
    s->length[i] = row - g->slice[i / LANES];
  }
}

static hymg_status begin_split(parts *p, int l)
{
  split *const s = p->split + l;
  s->graph = p->pairs->graph + l;
  const size_t n = (size_t)s->graph->n, ends = (size_t)p->ranks + 1;
  s->rank = malloc(5 * (n + 1) * sizeof *s->rank);
  s->first = calloc(ends, sizeof *s->first);
  s->first_ghost = calloc(2 * ends, sizeof *s->first_ghost);
  if (!s->rank || !s->first || !s->first_ghost) return lacking(p);
  s->local = s->rank + n, s->member = s->local + n, s->slot = s->member + n;
  s->length = s->slot + n;
  s->first_asked = s->first_ghost + ends;
  for (size_t i = 0; i < n; i++)
    s->slot[i] = -1;
  find_ranks(p, l);
  list_members(p, s);
  find_lengths(s);
  return HYMG_OK;
}

static int count_of(const split *s, int r)
{
  return s->first[r + 1] - s->first[r];
}

static const int *members_of(const split *s, int r)
{
  return s->member + s->first[r];
}

/* ---- which ones a rank reads of others ---- */

static int owner_of(int64_t ghost)
{
  return (int)(ghost >> 32);
}

static int place_of(int64_t ghost)
{
  return (int)(ghost & 0x7fffffff);
}

/* Once, as the slot then has the rank's number. */
static bool want(split *s, int r, int place)
{
  if (s->rank[place] == r || s->slot[place] == r) return true;
  if (s->ghosts == s->room) {
    s->room = 2 * s->room + 1024;
    int64_t *const larger = realloc(s->ghost, (size_t)s->room * sizeof *larger);
    if (!larger) return false;
    s->ghost = larger;
  }
  s->slot[place] = r;
  s->ghost[s->ghosts++] = (int64_t)s->rank[place] << 32 | place;
  return true;
}

static ptrdiff_t edge_of(const hymgi_graph *g, int place, int m)
{
  return (ptrdiff_t)LANES * (g->slice[place / LANES] + m) + place % LANES;
}

static bool want_neighbours(split *s, int r)
{
  const hymgi_graph *const g = s->graph;
  bool done = true;
  for (const int *i = members_of(s, r), *end = i + count_of(s, r); i < end; i++)
    for (int m = 0; m < s->length[*i] && done; m++)
      done = want(s, r, g->to[edge_of(g, *i, m)]);
  return done;
}

static bool want_relatives(split *s, int r)
{
  const hymgi_graph *const g = s->graph;
  split *const coarse = s + 1;
  bool done = true;
  for (const int *i = members_of(s, r), *end = i + count_of(s, r); i < end && done; i++)
    done = want(coarse, r, g->parent[*i]);
  for (const int *I = members_of(coarse, r), *end = I + count_of(coarse, r); I < end; I++)
    for (int m = g->first[*I]; m < g->first[*I + 1] && done; m++)
      done = want(s, r, g->child[m]);
  return done;
}

static int ascending(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static hymg_status list_ghosts(parts *p, int r)
{
  for (int l = 0; l < p->places.gathered; l++)
    if ((l > 0 && !want_neighbours(p->split + l, r)) || !want_relatives(p->split + l, r))
      return lacking(p);
  for (split *s = p->split; s <= p->split + p->places.gathered; s++) {
    const int64_t from = s->first_ghost[r];
    if (s->ghosts > from)
      qsort(s->ghost + from, (size_t)(s->ghosts - from), sizeof *s->ghost, ascending);
    s->first_ghost[r + 1] = s->ghosts;
  }
  return HYMG_OK;
}

/* The ghosts of all ranks once more, by owner. */
static hymg_status list_asked(const parts *p, split *s)
{
  int64_t *const next = s->first_asked;
  s->asked = malloc(2 * ((size_t)s->ghosts + 1) * sizeof *s->asked);
  if (!s->asked) return lacking(p);
  s->asker = s->asked + s->ghosts;
  for (int64_t q = 0; q < s->ghosts; q++)
    next[owner_of(s->ghost[q]) + 1]++;
  for (int r = 0; r < p->ranks; r++)
    next[r + 1] += next[r];
  for (int r = 0; r < p->ranks; r++)
    for (int64_t q = s->first_ghost[r]; q < s->first_ghost[r + 1]; q++) {
      const int64_t at = next[owner_of(s->ghost[q])]++;
      s->asked[at] = s->local[place_of(s->ghost[q])], s->asker[at] = r;
    }
  for (int r = p->ranks; r > 0; r--)
    next[r] = next[r - 1];
  next[0] = 0;
  return HYMG_OK;
}

static hymg_status split_all(parts *p)
{
  for (int l = 0; l <= p->places.gathered; l++)
    TRY(begin_split(p, l));
  for (int r = 0; r < p->ranks; r++)
    TRY(list_ghosts(p, r));
  for (int l = 0; l < p->places.gathered; l++)
    TRY(list_asked(p, p->split + l));
  return HYMG_OK;
}

/* ---- plans ---- */

static void add_message(int64_t *list, int64_t *count, int rank, int64_t entries)
{
  if (list) list[2 * *count] = rank, list[2 * *count + 1] = entries;
  ++*count;
}

/* Messages to those that ask for nodes of rank r, into the list if there is one; returns how many. */
static int64_t list_sends(const split *s, int r, int64_t *list)
{
  int64_t count = 0;
  for (int64_t q = s->first_asked[r], next; q < s->first_asked[r + 1]; q = next) {
    for (next = q; next < s->first_asked[r + 1] && s->asker[next] == s->asker[q];)
      next++;
    add_message(list, &count, s->asker[q], next - q);
  }
  return count;
}

static int64_t list_receives(const split *s, int r, int64_t *list)
{
  int64_t count = 0;
  for (int64_t q = s->first_ghost[r], next; q < s->first_ghost[r + 1]; q = next) {
    for (next = q;
         next < s->first_ghost[r + 1] && owner_of(s->ghost[next]) == owner_of(s->ghost[q]);)
      next++;
    add_message(list, &count, owner_of(s->ghost[q]), next - q);
  }
  return count;
}

static int64_t ghosts_of(const split *s, int r)
{
  return s->first_ghost[r + 1] - s->first_ghost[r];
}

static hymgi_index_sizes halo_sizes(const split *s, int r)
{
  return (hymgi_index_sizes){.sends = list_sends(s, r, NULL),
                             .receives = list_receives(s, r, NULL),
                             .out = s->first_asked[r + 1] - s->first_asked[r],
                             .in = ghosts_of(s, r)};
}

static void fill_halo(const parts *p, int l, int r, const hymgi_index_plan *plan)
{
  const split *const s = p->split + l;
  const int64_t ghosts = l ? (int64_t)hymgi_whole_slices(count_of(s, r)) : 0;
  const int *const member = members_of(s, r);
  list_sends(s, r, plan->sends);
  list_receives(s, r, plan->receives);
  for (int64_t q = 0; q < plan->sizes.out; q++) {
    const int node = s->asked[s->first_asked[r] + q];
    plan->from[q] = l ? node : (int64_t)p->places.place[s->graph->at[member[node]]];
  }
  for (int64_t q = 0; q < plan->sizes.in; q++)
    plan->to[q] = ghosts + q;
}

/* Of the first gathered graph: a rank's nodes and, where they are read, its ghosts. */
static int64_t entries_of(const split *s, int r, bool back)
{
  return count_of(s, r) + (back ? ghosts_of(s, r) : 0);
}

/* Messages between the root and the others. */
static int64_t list_others(const parts *p, bool back, int64_t *list)
{
  const split *const s = p->split + p->places.gathered;
  int64_t count = 0;
  for (int r = 0; r < p->ranks; r++)
    if (r != p->places.root && entries_of(s, r, back))
      add_message(list, &count, r, entries_of(s, r, back));
  return count;
}

static hymgi_index_sizes gather_sizes(const parts *p, int r, bool back)
{
  const split *const s = p->split + p->places.gathered;
  const int64_t entries = entries_of(s, r, back);
  if (r != p->places.root)
    return back ? (hymgi_index_sizes){.receives = entries > 0, .in = entries}
                : (hymgi_index_sizes){.sends = entries > 0, .out = entries};
  const int64_t messages = list_others(p, back, NULL);
  const int64_t all = s->graph->n + (back ? s->ghosts : 0), others = all - entries;
  return back ? (hymgi_index_sizes){.sends = messages, .out = others, .own = entries}
              : (hymgi_index_sizes){.receives = messages, .in = others, .own = entries};
}

/* Places in a rank's part. */
static int64_t *list_part(const split *s, int r, bool back, int64_t *to)
{
  const int64_t n = count_of(s, r), ghosts = (int64_t)hymgi_whole_slices((int)n) - n;
  for (int64_t q = 0; q < entries_of(s, r, back); q++)
    *to++ = q < n ? q : q + ghosts;
  return to;
}

/* The same entries in the whole graph. */
static int64_t *list_whole(const split *s, int r, bool back, int64_t *to)
{
  for (int q = 0; q < count_of(s, r); q++)
    *to++ = members_of(s, r)[q];
  for (int64_t q = s->first_ghost[r]; back && q < s->first_ghost[r + 1]; q++)
    *to++ = place_of(s->ghost[q]);
  return to;
}

static void fill_gather(const parts *p, int r, bool back, const hymgi_index_plan *plan)
{
  const split *const s = p->split + p->places.gathered;
  const int root = p->places.root;
  int64_t *const messages = back == (r == root) ? plan->sends : plan->receives;
  int64_t *const part = back ? plan->to : plan->from, *whole = back ? plan->from : plan->to;
  list_part(s, r, back, part);
  if (r != root && plan->sizes.sends + plan->sizes.receives)
    messages[0] = root, messages[1] = entries_of(s, r, back);
  if (r != root) return;
  list_others(p, back, messages);
  for (int other = 0; other < p->ranks; other++)
    if (other != root) whole = list_whole(s, other, back, whole);
  list_whole(s, root, back, whole);
}

static hymgi_index_sizes plan_sizes(const parts *p, int l, int r)
{
  const int gathered = p->places.gathered;
  return l < gathered ? halo_sizes(p->split + l, r) : gather_sizes(p, r, l > gathered);
}

static void fill_plan(const parts *p, int l, int r, const hymgi_index_plan *plan)
{
  const int gathered = p->places.gathered;
  if (l < gathered)
    fill_halo(p, l, r, plan);
  else
    fill_gather(p, r, l > gathered, plan);
}

/* ---- graphs ---- */

/* The longest row of the slice that begins with the part's node i. */
static int rows_of(const split *s, int r, int i)
{
  const int *const member = members_of(s, r), n = count_of(s, r);
  int most = 0;
  for (int m = i; m < i + LANES && m < n; m++) {
    const int length = s->length[member[m]];
    if (length > most) most = length;
  }
  return most;
}

static int children_of(const split *s, int r)
{
  const split *const coarse = s + 1;
  int children = 0;
  for (const int *I = members_of(coarse, r), *end = I + count_of(coarse, r); I < end; I++)
    children += s->graph->first[*I + 1] - s->graph->first[*I];
  return children;
}

static hymgi_graph numbers_of(const parts *p, int l, int r)
{
  const split *const s = p->split + l;
  const bool gathered = l == p->places.gathered;
  hymgi_graph g = {.n = count_of(s, r),
                   .ghosts = (int)ghosts_of(s, r),
                   .packed = l > 0,
                   .coarsest = gathered,
                   .twice = s->graph->twice};
  g.vectors = l == 0 ? 1 : gathered ? 2 : s->graph->vectors;
  if (gathered) return g;
  g.nodes = count_of(s + 1, r);
  g.children = children_of(s, r);
  for (int i = 0; l > 0 && i < g.n; i++) {
    g.edges += s->length[members_of(s, r)[i]];
    if (i % LANES == 0) g.rows += rows_of(s, r, i);
  }
  return g;
}

/* The part's place of a node that it has or reads. */
static int part_place(const split *s, int r, int place)
{
  return s->rank[place] == r ? s->local[place] : s->slot[place];
}

static void number_ghosts(const parts *p, int r)
{
  for (const split *s = p->split; s <= p->split + p->places.gathered; s++) {
    const int from = (int)hymgi_whole_slices(count_of(s, r));
    for (int64_t q = s->first_ghost[r]; q < s->first_ghost[r + 1]; q++)
      s->slot[place_of(s->ghost[q])] = from + (int)(q - s->first_ghost[r]);
  }
}

/* As hymgi_graph_rows (formulas/graph_setup.h) packs a whole graph. */
static void fill_row(const split *s, int r, const hymgi_graph *g, int i)
{
  const int place = i < g->n ? members_of(s, r)[i] : -1;
  const int length = place < 0 ? 0 : s->length[place];
  for (int m = 0; m < g->slice[i / LANES + 1] - g->slice[i / LANES]; m++) {
    const ptrdiff_t to = edge_of(g, i, m), from = m < length ? edge_of(s->graph, place, m) : 0;
    g->to[to] = m < length ? part_place(s, r, s->graph->to[from]) : i;
    g->weight[to] = m < length ? s->graph->weight[from] : 0;
  }
  g->diagonal[i] = place < 0 ? 0 : s->graph->diagonal[place];
  g->inverse[i] = place < 0 ? 0 : s->graph->inverse[place];
}

static void fill_rows(const split *s, int r, const hymgi_graph *g)
{
  const int whole = (int)hymgi_whole_slices(g->n);
  g->slice[0] = 0;
  for (int i = 0; i < whole; i += LANES)
    g->slice[i / LANES + 1] = g->slice[i / LANES] + rows_of(s, r, i);
  for (int i = 0; i < whole; i++)
    fill_row(s, r, g, i);
}

static void fill_lists(const split *s, int r, const hymgi_graph *g)
{
  const split *const coarse = s + 1;
  for (int i = 0; i < g->n; i++)
    g->parent[i] = part_place(coarse, r, s->graph->parent[members_of(s, r)[i]]);
  g->first[0] = 0;
  for (int I = 0; I < g->nodes; I++) {
    const int place = members_of(coarse, r)[I];
    int next = g->first[I];
    for (int m = s->graph->first[place]; m < s->graph->first[place + 1]; m++)
      g->child[next++] = part_place(s, r, s->graph->child[m]);
    g->first[I + 1] = next;
  }
}

/* Its ghosts are numbered. */
static void fill_graph(const parts *p, int l, int r, const hymgi_graph *g)
{
  const split *const s = p->split + l;
  for (int i = 0; l == 0 && i < g->n; i++)
    g->at[i] = (ptrdiff_t)p->places.place[s->graph->at[members_of(s, r)[i]]];
  if (l > 0 && !g->coarsest) fill_rows(s, r, g);
  if (!g->coarsest) fill_lists(s, r, g);
}

/* ---- from the root to all ---- */

static void pass(parts *p, bool sends, int rank, void *data, size_t bytes)
{
  hymg_context *const c = p->context;
  if (!bytes || c->status != HYMG_OK) return;
  c->status =
      hymgi_comm_post(c, p->requests, sends, rank, p->places.tag, data, bytes / sizeof(double));
  const hymg_status status = hymgi_comm_wait(c, p->requests);
  if (c->status == HYMG_OK) c->status = status;
}

static void make_headers(const parts *p, int r, header *h)
{
  memset(h, 0, sizeof p->header);
  for (int l = 0; l <= p->places.gathered + 1; l++) {
    if (l <= p->places.gathered) h[l].graph = numbers_of(p, l, r);
    h[l].plan = plan_sizes(p, l, r);
  }
}

/* Each rank gets its own; the root sees how much room the largest arrays need. */
static void pass_headers(parts *p, header *h, size_t *doubles, size_t *words)
{
  const size_t bytes = ((size_t)p->places.gathered + 2) * sizeof *h;
  const int root = p->places.root;
  if (p->rank != root) pass(p, false, root, p->header, bytes);
  for (int r = 0; r < p->ranks && p->rank == root; r++) {
    make_headers(p, r, r == root ? p->header : h);
    if (r == root) continue;
    pass(p, true, r, h, bytes);
    for (int l = 0; l <= p->places.gathered + 1; l++) {
      const size_t d = hymgi_graph_fixed_doubles(h[l].graph), w = hymgi_index_words(&h[l].plan);
      *doubles = d > *doubles ? d : *doubles;
      *words = w > *words ? w : *words;
    }
  }
}

static hymg_status allocate(parts *p, size_t doubles, size_t words)
{
  const int gathered = p->places.gathered, tag = p->places.tag + 1;
  for (int l = 0; l <= gathered + 1; l++)
    TRY(hymgi_index_plan_create(p->context, &p->header[l].plan, tag + l, p->plan + l));
  for (int l = 0; l <= gathered; l++) {
    p->made[l] = p->header[l].graph;
    TRY(hymgi_graph_allocate(p->context, p->pairs->memory, p->made + l));
  }
  if (p->rank != p->places.root) return HYMG_OK;
  p->graph_room = calloc(doubles + 1, sizeof *p->graph_room);
  p->plan_room = malloc((words + 1) * sizeof *p->plan_room);
  return p->graph_room && p->plan_room ? HYMG_OK : lacking(p);
}

static void send_part(parts *p, int r, header *h)
{
  make_headers(p, r, h);
  number_ghosts(p, r);
  for (int l = 0; l <= p->places.gathered + 1; l++) {
    hymgi_graph g = h[l].graph;
    hymgi_index_plan plan = {.sizes = h[l].plan};
    g.vectors = 0;
    const size_t doubles = hymgi_graph_bind(&g, p->graph_room);
    if (l < p->places.gathered) {
      fill_graph(p, l, r, &g);
      pass(p, true, r, p->graph_room, doubles * sizeof *p->graph_room);
    }
    hymgi_index_plan_bind(&plan, p->plan_room);
    fill_plan(p, l, r, &plan);
    pass(p, true, r, p->plan_room, hymgi_index_words(&plan.sizes) * sizeof *p->plan_room);
  }
}

static void receive_part(parts *p)
{
  const int root = p->places.root;
  for (int l = 0; l <= p->places.gathered + 1; l++) {
    const size_t doubles =
        l < p->places.gathered ? hymgi_graph_fixed_doubles(p->header[l].graph) : 0;
    pass(p, false, root, p->made[l].block, doubles * sizeof(double));
    pass(p, false, root, p->plan[l]->block,
         hymgi_index_words(&p->plan[l]->sizes) * sizeof(int64_t));
  }
}

static void keep_part(const parts *p)
{
  number_ghosts(p, p->rank);
  for (int l = 0; l <= p->places.gathered + 1; l++) {
    if (l < p->places.gathered) fill_graph(p, l, p->rank, p->made + l);
    fill_plan(p, l, p->rank, p->plan[l]);
  }
}

static void pass_parts(parts *p, header *h)
{
  if (p->rank != p->places.root) {
    receive_part(p);
    return;
  }
  for (int r = 0; r < p->ranks; r++)
    if (r != p->rank) send_part(p, r, h);
  keep_part(p);
}

/* ---- all of it ---- */

/* The parts take the places of the whole graphs. */
static void install(parts *p)
{
  struct hymgi_pairs *const pairs = p->pairs;
  const int gathered = p->places.gathered;
  for (int l = 0; l < gathered; l++) {
    pairs->bytes -= pairs->graph[l].doubles * sizeof(double);
    hymgi_graph_release(p->context, pairs->graph + l);
    pairs->graph[l] = p->made[l];
    pairs->graph[l].halo = p->plan[l];
  }
  pairs->part = p->made[gathered];
  pairs->gather = p->plan[gathered], pairs->scatter = p->plan[gathered + 1];
  pairs->gathered = gathered;
  if (p->rank != p->places.root) pairs->count = gathered;
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
  for (split *s = p->split; s < p->split + HYMGI_MAX_GRAPHS; s++) {
    free(s->rank);
    free(s->first);
    free(s->ghost);
    free(s->first_ghost);
    free(s->asked);
  }
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
  if (status == HYMG_OK && p->rank == p->places.root) status = split_all(p);
  TRY(hymgi_agree(c, status));
  pass_headers(p, h, &doubles, &words);
  TRY(hymgi_agree(c, c->status != HYMG_OK ? c->status : allocate(p, doubles, words)));
  pass_parts(p, h);
  return hymgi_agree(c, c->status);
}

hymg_status hymgi_graphs_distribute(struct hymgi_pairs *pairs, const hymgi_graph_places *places)
{
  hymg_context *const c = pairs->context;
  parts *const p = calloc(1, sizeof *p);
  header *const h = malloc(sizeof p->header);
  hymg_status status = p && h ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for parts");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    p->context = c, p->pairs = pairs, p->places = *places;
    p->rank = hymgi_comm_rank(c->comm), p->ranks = hymgi_comm_size(c->comm);
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
