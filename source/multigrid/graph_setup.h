/* How the graphs of the pairs are made (pairs.h): by steps, each for some indices at once, which read what the steps before
 * have left, and by prefix sums. A step is written once (finite-volume/formulas/graph_setup.h); a backend runs it for all
 * indices, in any order, so that host and GPU make the same graphs with the same bits. */
#ifndef HYMGI_MULTIGRID_GRAPH_SETUP_H
#define HYMGI_MULTIGRID_GRAPH_SETUP_H

#include "multigrid/pairs.h"

/* X(CONSTANT, name): the step hymgi_graph_NAME, and for which indices. */
#define HYMGI_GRAPH_STEPS(X)                                                                       \
  X(IDENTITY, identity)       /* nodes: they keep their places */                                  \
  X(BEGIN, begin)             /* nodes: the largest weights; those without edges are alone */      \
  X(PICK, pick)               /* nodes: each without a partner picks one */                        \
  X(PICK_AGAIN, pick_again)   /* nodes: those whose pick was taken */                              \
  X(PAIR, pair)               /* nodes: who has picked whom */                                     \
  X(JOIN, join)               /* nodes: whom those that are left over join */                      \
  X(HEADS, heads)             /* nodes: the first of each pair, and lone ones */                   \
  X(PARENT, parent)           /* nodes: from the sums of these */                                  \
  X(COMPONENTS, components)   /* 0: parents for whole components, one after the other */           \
  X(IDS, ids)                 /* nodes: those of coarse ones */                                    \
  X(NO_CHILDREN, no_children) /* coarse nodes */                                                   \
  X(COUNT_CHILDREN, count_children) /* nodes */                                                    \
  X(BEGIN_LISTS, begin_lists)       /* coarse nodes: from the sums of the counts */                \
  X(LIST_CHILDREN, list_children)   /* nodes: in any order */                                      \
  X(SORT_CHILDREN, sort_children)   /* coarse nodes */                                             \
  X(ROOM, room)                     /* coarse nodes: their edges if no two were the same */        \
  X(TABLES, tables)                 /* coarse nodes: the entries of their tables */                \
  X(MERGE, merge)                   /* coarse nodes: their edges */                                \
  X(LENGTHS, lengths)               /* coarse nodes: the numbers of their edges */                 \
  X(ORDER, order)                   /* windows of the coarse nodes */                              \
  X(SLICES, slices)                 /* slices: their rows */                                       \
  X(SLICE_STARTS, slice_starts)     /* slices + 1 */                                               \
  X(ROWS, rows)                     /* places of whole slices: packed rows */                      \
  X(AT, at)                         /* nodes of graph 0: packed->at */                             \
  X(PARENTS, parents)               /* nodes: packed parents */                                    \
  X(COUNT_PACKED, count_packed)     /* coarse nodes: packed lists of children */                   \
  X(FIRST_PACKED, first_packed)     /* coarse nodes + 1: from the sums of the counts */            \
  X(LIST_PACKED, list_packed)       /* coarse nodes */

#define HYMGI_CONSTANT_OF(CONSTANT, name) HYMGI_GRAPH_##CONSTANT,
typedef enum hymgi_graph_step {
  HYMGI_GRAPH_STEPS(HYMGI_CONSTANT_OF) HYMGI_GRAPH_STEP_COUNT
} hymgi_graph_step;

/* A prefix sum over n numbers may need room behind them. */
enum { HYMGI_SUM_TILE = 1024 };
static inline size_t hymgi_sum_room(size_t n)
{
  return n + n / HYMGI_SUM_TILE + 2;
}

/* Nodes that are sorted by the numbers of their edges before they are packed. */
enum { HYMGI_WINDOW = 512, HYMGI_GRAPH_ROUNDS = 6 /* of picks */ };

/* A graph while it is made: the edges of node i are start[i] <= e < end[i], each edge at both of its ends. A node's id is, on
 * graph 0, its cell's number in the whole grid, x fastest, and on others that of its head, the lower member of the pair that
 * it was, or the lone node. Ids ascend with the numbers of nodes. */
typedef struct hymgi_raw_graph {
  int n, edges;
  int *start, *end; /* hymgi_sum_room(n), n */
  int *to;          /* the node at the other end */
  double *weight;   /* > 0 */
  double *excess, *diagonal;
  int64_t *id;
  ptrdiff_t *at; /* of graph 0: as in hymgi_graph */
} hymgi_raw_graph;

/* What steps read and write, in the memory of who runs them. */
typedef struct hymgi_graph_work {
  int graph; /* the number of g */
  hymgi_raw_graph g, coarse;
  double *most;                     /* the largest weight at a node */
  int *mate;                        /* of a pair, or -1 */
  int *pick;                        /* a candidate, or -1 */
  int *count;                       /* hymgi_sum_room(n): numbers, then their sums */
  int *parent, *first, *child;      /* n, coarse nodes + 1 with room for sums, n */
  int *order, *place;               /* the node that comes to a place, the place of a node */
  int *coarse_order, *coarse_place; /* likewise */
  int *table;                       /* of coarse nodes with many edges, at the sums in count */
  hymgi_graph packed;               /* g, once it is packed */
} hymgi_graph_work;

/* Level 0 as one box or, for couplings, some boxes of it. */
typedef struct hymgi_graph_cells {
  const hymgi_level *level;
  /* of each cell: the conductances of its high faces, 0 at boundaries; those of boundaries and whatever else is on the
   * diagonal */
  double *high[3], *excess;
  /* of each cell, x fastest, with room for sums: whether it is a node, the number of its edges; then the sums of these */
  int *number, *degree;
  hymgi_raw_graph graph;
} hymgi_graph_cells;

typedef struct hymgi_graph_setup {
  const hymgi_memory *memory; /* in which graphs are made; NULL: that of level 0 */
  void (*run)(hymg_context *context, hymgi_graph_step step, int indices, const hymgi_graph_work *w);
  /* The numbers v[0] ... v[n - 1] become the sums of those before them, v[n] that of all, which is returned. v has
   * hymgi_sum_room(n). */
  int (*sum)(hymg_context *context, int n, int *v);
  /* high and excess, to which conductances of boundaries are added, from beta; number and degree of all cells; graph from
   * their sums */
  void (*couplings)(const hymgi_graph_cells *cells);
  void (*count)(const hymgi_graph_cells *cells);
  void (*fill)(const hymgi_graph_cells *cells);
} hymgi_graph_setup;

/* ---- the order of steps (graph_build.c) ---- */

enum { HYMGI_RAW, HYMGI_RAW_COARSE, HYMGI_OF_NODES, HYMGI_TABLES, HYMGI_OF_CELLS, HYMGI_BLOCKS };

typedef struct hymgi_graph_builder {
  hymg_context *context;
  const hymgi_backend *backend; /* that makes the graphs, */
  const hymgi_memory *memory;   /* in this memory */
  struct hymgi_pairs *pairs;
  double *block[HYMGI_BLOCKS]; /* of `memory`, or NULL */
  size_t doubles[HYMGI_BLOCKS];
  int64_t cells;
  int first;     /* the graph that w.g is at first; > 0: those above are known, and */
  double visits; /* of the graph that is looked at */
  /* NULL or, if first > 0, an even number in the host's memory: gets the places of the nodes of w.g */
  int *places;
  hymgi_graph_work w;
} hymgi_graph_builder;

/* The doubles, at most, that a builder has at once for a grid of so many cells, without the graphs that it makes. */
double hymgi_graph_build_doubles(int64_t cells);
/* Room for graph 0 with so many nodes and edges: the arrays of w.g. */
hymg_status hymgi_graph_begin_raw(hymgi_graph_builder *b, int nodes, int edges, bool has_places);
/* Graph 0 from high and excess of a level of one box. */
hymg_status hymgi_graph_finest(hymgi_graph_builder *b, const hymgi_level *level,
                               double *const high[3], double *excess);
/* For tests: what of these arrays there is, with w.g made; parents and children of w.g, *nodes: coarse ones (all: whole
 * components in place of pairs); w.coarse. */
hymg_status hymgi_graph_begin_nodes(hymgi_graph_builder *b);
void hymgi_graph_match(hymgi_graph_builder *b, bool all, int *nodes);
hymg_status hymgi_graph_coarsen(hymgi_graph_builder *b, int nodes);
/* Parts of these: the lists of children of nodes 0 ... children - 1, whose parents are known, of which there are `nodes`; the
 * rows of these in w.coarse, whose arrays there are. */
void hymgi_graph_collect_children(hymgi_graph_builder *b, int nodes, int children);
hymg_status hymgi_graph_merge_rows(hymgi_graph_builder *b, int nodes);
/* A graph below the finest one is visited twice, in every visit of the one above it, while that is cheap. For each graph in
 * turn; nodes and edges: of the whole graph. */
bool hymgi_graph_is_twice(hymgi_graph_builder *b, int l, int64_t nodes, int64_t edges);
/* w.g to *g, all numbers of which but the rows are set. */
hymg_status hymgi_graph_pack(hymgi_graph_builder *b, hymgi_graph *g);
/* All graphs from w.g, packed, in b->memory. */
hymg_status hymgi_graph_build_all(hymgi_graph_builder *b);
/* Releases all blocks; nothing to do if there are none. */
void hymgi_graph_end(hymgi_graph_builder *b);

#endif
