/* The graphs of the pairs, one after the other until no edge is left, in steps that a backend runs (graph_setup.h). Two graphs
 * are raw at a time, each in the room of the one before the last; a graph is packed as soon as the next one is known. */
#include "multigrid/graph_setup.h"

/* The work of all visits to a level that is visited twice, in sweeps of level 0. */
#define MOST_WORK 1.5

enum { MOST_EDGES = 6 };

/* ---- memory ---- */

static hymg_status take(hymgi_graph_builder *b, int block, size_t doubles)
{
  TRY(b->memory->alloc(b->context, doubles, &b->block[block]));
  b->doubles[block] = doubles;
  return HYMG_OK;
}

static void give_back(hymgi_graph_builder *b, int block)
{
  if (b->block[block]) b->memory->release(b->context, b->block[block], b->doubles[block]);
  b->block[block] = NULL;
}

void hymgi_graph_end(hymgi_graph_builder *b)
{
  for (int block = 0; block < HYMGI_BLOCKS; block++)
    give_back(b, block);
}

/* The next array of a block, of whole lines; NULL without a block. */
static void *next_array(double *block, size_t *used, size_t count, size_t size)
{
  enum { LINE = 128 };
  double *const array = block ? block + *used : NULL;
  *used += (count * size + LINE - 1) / LINE * (LINE / sizeof(double));
  return array;
}

static size_t bind_raw(hymgi_raw_graph *g, size_t nodes, size_t edges, bool has_places,
                       double *block)
{
  size_t used = 0;
  g->start = next_array(block, &used, hymgi_sum_room(nodes), sizeof *g->start);
  g->end = next_array(block, &used, nodes, sizeof *g->end);
  g->to = next_array(block, &used, edges, sizeof *g->to);
  g->weight = next_array(block, &used, edges, sizeof *g->weight);
  g->excess = next_array(block, &used, nodes, sizeof *g->excess);
  g->diagonal = next_array(block, &used, nodes, sizeof *g->diagonal);
  g->id = next_array(block, &used, nodes, sizeof *g->id);
  g->at = has_places ? next_array(block, &used, nodes, sizeof *g->at) : NULL;
  return used;
}

static size_t bind_nodes(hymgi_graph_work *w, size_t n, double *block)
{
  size_t used = 0;
  int **const list[] = {&w->mate,  &w->pick,  &w->parent,       &w->child,
                        &w->order, &w->place, &w->coarse_order, &w->coarse_place};
  w->most = next_array(block, &used, n, sizeof *w->most);
  w->count = next_array(block, &used, hymgi_sum_room(n), sizeof *w->count);
  w->first = next_array(block, &used, hymgi_sum_room(n), sizeof *w->first);
  for (size_t m = 0; m < sizeof list / sizeof *list; m++)
    *list[m] = next_array(block, &used, n, sizeof **list[m]);
  return used;
}

double hymgi_graph_build_doubles(int64_t cells)
{
  hymgi_graph_work w = {0};
  const size_t n = (size_t)cells, edges = MOST_EDGES * n;
  return (double)(bind_raw(&w.g, n, edges, true, NULL) +
                  bind_raw(&w.coarse, n, edges, false, NULL) + bind_nodes(&w, n, NULL));
}

hymg_status hymgi_graph_begin_raw(hymgi_graph_builder *b, int nodes, int edges, bool has_places)
{
  hymgi_raw_graph *const g = &b->w.g;
  const size_t n = (size_t)nodes, e = (size_t)edges;
  TRY(take(b, HYMGI_RAW, bind_raw(g, n, e, has_places, NULL)));
  bind_raw(g, n, e, has_places, b->block[HYMGI_RAW]);
  g->n = nodes, g->edges = edges;
  return HYMG_OK;
}

hymg_status hymgi_graph_begin_nodes(hymgi_graph_builder *b)
{
  const size_t n = (size_t)b->w.g.n;
  TRY(take(b, HYMGI_OF_NODES, bind_nodes(&b->w, n, NULL)));
  bind_nodes(&b->w, n, b->block[HYMGI_OF_NODES]);
  return HYMG_OK;
}

/* ---- steps ---- */

static void run(hymgi_graph_builder *b, hymgi_graph_step step, int indices)
{
  b->backend->graph_setup->run(b->context, step, indices, &b->w);
}

static int sum(hymgi_graph_builder *b, int n, int *v)
{
  return b->backend->graph_setup->sum(b->context, n, v);
}

/* ---- graph 0 ---- */

hymg_status hymgi_graph_finest(hymgi_graph_builder *b, const hymgi_level *level,
                               double *const high[3], double *excess)
{
  const hymgi_graph_setup *const setup = b->backend->graph_setup;
  const int cells = (int)level->cells;
  hymgi_graph_cells c = {.level = level, .high = {high[0], high[1], high[2]}, .excess = excess};
  const size_t half = hymgi_sum_room((size_t)cells) / 2 + 1;
  TRY(take(b, HYMGI_OF_CELLS, 2 * half));
  c.number = (int *)(void *)b->block[HYMGI_OF_CELLS];
  c.degree = (int *)(void *)(b->block[HYMGI_OF_CELLS] + half);
  setup->count(&c);
  const int nodes = sum(b, cells, c.number), edges = sum(b, cells, c.degree);
  TRY(b->context->status);
  TRY(hymgi_graph_begin_raw(b, nodes, edges, true));
  c.graph = b->w.g;
  setup->fill(&c);
  give_back(b, HYMGI_OF_CELLS);
  return b->context->status;
}

/* ---- pairs ---- */

static void match_pairs(hymgi_graph_builder *b)
{
  const int n = b->w.g.n;
  run(b, HYMGI_GRAPH_BEGIN, n);
  for (int round = 0; round < HYMGI_GRAPH_ROUNDS; round++) {
    run(b, round ? HYMGI_GRAPH_PICK_AGAIN : HYMGI_GRAPH_PICK, n);
    run(b, HYMGI_GRAPH_PAIR, n);
  }
  run(b, HYMGI_GRAPH_JOIN, n);
}

static int join_pairs(hymgi_graph_builder *b)
{
  const int n = b->w.g.n;
  match_pairs(b);
  run(b, HYMGI_GRAPH_HEADS, n);
  const int nodes = sum(b, n, b->w.count);
  run(b, HYMGI_GRAPH_PARENT, n);
  return nodes;
}

static int join_components(hymgi_graph_builder *b)
{
  run(b, HYMGI_GRAPH_COMPONENTS, 1);
  return sum(b, 1, b->w.count);
}

void hymgi_graph_collect_children(hymgi_graph_builder *b, int nodes, int children)
{
  run(b, HYMGI_GRAPH_NO_CHILDREN, nodes);
  run(b, HYMGI_GRAPH_COUNT_CHILDREN, children);
  sum(b, nodes, b->w.first);
  run(b, HYMGI_GRAPH_BEGIN_LISTS, nodes);
  run(b, HYMGI_GRAPH_LIST_CHILDREN, children);
  run(b, HYMGI_GRAPH_SORT_CHILDREN, nodes);
}

void hymgi_graph_match(hymgi_graph_builder *b, bool all, int *nodes)
{
  *nodes = all ? join_components(b) : join_pairs(b);
  hymgi_graph_collect_children(b, *nodes, b->w.g.n);
}

/* ---- the next graph ---- */

/* Its arrays: those of graph 1 are allocated when their size is known, which is that of all later ones at most. */
static hymg_status begin_coarse(hymgi_graph_builder *b, int nodes)
{
  hymgi_raw_graph *const c = &b->w.coarse;
  if (c->start) return HYMG_OK;
  const size_t n = (size_t)nodes, edges = (size_t)b->w.g.edges;
  TRY(take(b, HYMGI_RAW_COARSE, bind_raw(c, n, edges, false, NULL)));
  bind_raw(c, n, edges, false, b->block[HYMGI_RAW_COARSE]);
  return HYMG_OK;
}

/* Tables for nodes that have many edges, if there are any. */
static hymg_status begin_tables(hymgi_graph_builder *b, int nodes)
{
  give_back(b, HYMGI_TABLES);
  run(b, HYMGI_GRAPH_TABLES, nodes);
  const int entries = sum(b, nodes, b->w.count);
  TRY(b->context->status);
  if (entries) TRY(take(b, HYMGI_TABLES, (size_t)entries / 2 + 1));
  b->w.table = (int *)(void *)b->block[HYMGI_TABLES];
  return HYMG_OK;
}

hymg_status hymgi_graph_merge_rows(hymgi_graph_builder *b, int nodes)
{
  b->w.coarse.n = nodes;
  run(b, HYMGI_GRAPH_ROOM, nodes);
  sum(b, nodes, b->w.coarse.start);
  TRY(begin_tables(b, nodes));
  run(b, HYMGI_GRAPH_MERGE, nodes);
  run(b, HYMGI_GRAPH_LENGTHS, nodes);
  b->w.coarse.edges = sum(b, nodes, b->w.count);
  run(b, HYMGI_GRAPH_ORDER, (nodes + HYMGI_WINDOW - 1) / HYMGI_WINDOW);
  return b->context->status;
}

hymg_status hymgi_graph_coarsen(hymgi_graph_builder *b, int nodes)
{
  TRY(begin_coarse(b, nodes));
  run(b, HYMGI_GRAPH_IDS, b->w.g.n);
  return hymgi_graph_merge_rows(b, nodes);
}

/* ---- packing ---- */

bool hymgi_graph_is_twice(hymgi_graph_builder *b, int l, int64_t nodes, int64_t edges)
{
  const double cost = ((double)edges + (double)nodes) / (7 * (double)b->cells);
  const bool twice = l > 0 && l % 2 == 0 && edges > 0 && 2 * b->visits * cost <= MOST_WORK;
  if (twice) b->visits *= 2;
  return twice;
}

static bool is_first_small(const hymgi_graph_builder *b, int l)
{
  const hymgi_graph *const above = b->pairs->graph + l - 1;
  return l > 0 && b->w.g.edges > 0 && b->w.g.n <= HYMGI_MATRIX_CELLS &&
         (l == 1 || l == b->first || above->n > HYMGI_MATRIX_CELLS);
}

hymg_status hymgi_graph_pack(hymgi_graph_builder *b, hymgi_graph *g)
{
  const int whole = (int)hymgi_whole_slices(g->n), slices = whole / HYMGI_LANES;
  const int nodes = g->coarsest ? 0 : g->nodes;
  if (g->packed) run(b, HYMGI_GRAPH_SLICES, slices);
  if (g->packed) g->rows = sum(b, slices, b->w.count);
  TRY(b->context->status);
  TRY(hymgi_graph_allocate(b->context, b->memory, g));
  b->w.packed = *g;
  run(b, HYMGI_GRAPH_SLICE_STARTS, g->packed ? slices + 1 : 0);
  run(b, HYMGI_GRAPH_ROWS, g->packed ? whole : 0);
  run(b, HYMGI_GRAPH_AT, g->packed ? 0 : g->n);
  run(b, HYMGI_GRAPH_PARENTS, g->coarsest ? 0 : g->n);
  run(b, HYMGI_GRAPH_COUNT_PACKED, nodes);
  if (!g->coarsest) sum(b, nodes, b->w.count);
  run(b, HYMGI_GRAPH_FIRST_PACKED, g->coarsest ? 0 : nodes + 1);
  run(b, HYMGI_GRAPH_LIST_PACKED, nodes);
  return b->context->status;
}

/* Graph l, w.g, with so many nodes in the next one, or none. */
static hymg_status pack(hymgi_graph_builder *b, int l, int nodes)
{
  hymgi_graph *const g = b->pairs->graph + l;
  *g = (hymgi_graph){.n = b->w.g.n,
                     .nodes = nodes,
                     .edges = b->w.g.edges,
                     .children = nodes ? b->w.g.n : 0,
                     .packed = l > 0,
                     .coarsest = nodes == 0,
                     .twice = hymgi_graph_is_twice(b, l, b->w.g.n, b->w.g.edges),
                     .may_have_matrix = is_first_small(b, l)};
  g->vectors = !g->packed ? 0 : g->twice ? 6 : 4;
  return hymgi_graph_pack(b, g);
}

/* The next graph becomes w.g. */
static void advance(hymgi_graph_work *w)
{
  const hymgi_graph_work before = *w;
  w->g = before.coarse, w->coarse = before.g;
  w->order = before.coarse_order, w->coarse_order = before.order;
  w->place = before.coarse_place, w->coarse_place = before.place;
}

/* Graph 0 is not sorted; another one that is the first here is, as if the one above it had been merged here. */
static hymg_status place_first(hymgi_graph_builder *b)
{
  hymgi_graph_work *const w = &b->w;
  const hymgi_graph_work kept = *w;
  if (b->first == 0) {
    run(b, HYMGI_GRAPH_IDENTITY, w->g.n);
    return b->context->status;
  }
  w->coarse = w->g, w->coarse_order = w->order, w->coarse_place = w->place;
  run(b, HYMGI_GRAPH_ORDER, (w->g.n + HYMGI_WINDOW - 1) / HYMGI_WINDOW);
  *w = kept;
  if (b->places)
    b->backend->copy(b->context, (double *)(void *)w->place, (double *)(void *)b->places,
                     ((size_t)w->g.n + 1) / 2);
  return b->context->status;
}

hymg_status hymgi_graph_build_all(hymgi_graph_builder *b)
{
  int *const count = &b->pairs->count;
  TRY(hymgi_graph_begin_nodes(b));
  if (b->first == 0) b->visits = 1;
  TRY(place_first(b));
  for (*count = b->first + 1; b->w.g.edges > 0; ++*count) {
    int nodes = 0;
    b->w.graph = *count - 1;
    hymgi_graph_match(b, *count == HYMGI_MAX_GRAPHS - 1, &nodes);
    TRY(b->context->status);
    TRY(hymgi_graph_coarsen(b, nodes));
    TRY(pack(b, *count - 1, nodes));
    advance(&b->w);
  }
  return pack(b, *count - 1, 0);
}
