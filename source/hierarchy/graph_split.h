/* Whose the nodes of whole graphs are, which ones a rank reads of others, and the plans by which parts of graphs exchange
 * them. A node belongs to the rank of its lower member. On the rank that has the graphs. */
#ifndef HYMGI_HIERARCHY_GRAPH_SPLIT_H
#define HYMGI_HIERARCHY_GRAPH_SPLIT_H

#include "distribution/index_plan.h"
#include "multigrid/pairs.h"

typedef struct hymgi_graph_places {
  int root;     /* the rank that has the graphs */
  int gathered; /* which is the first of them that stays there; >= 1 */
  int tag;      /* of messages; so many more are taken: */
  const double *rank,
      *place; /* there, at the places of graph 0: whose cell it is, and where in its vector of level 0 */
} hymgi_graph_places;

enum { HYMGI_GRAPH_TAGS = HYMGI_MAX_GRAPHS + 3 };

/* A whole graph, and whose its nodes are. Lists by rank r have first[r] <= m < first[r + 1]. */
typedef struct hymgi_graph_split {
  const hymgi_graph *graph;
  int *rank, *local;            /* of each place: its rank, its place in that rank's part */
  int *slot;                    /* and in the part that is being made, if it is a ghost there */
  int *length;                  /* the number of its edges; of graph 0 nothing */
  int *member, *first;          /* places by rank, ascending */
  int64_t *ghost, *first_ghost; /* by rank that reads them: keys of owner and place, ascending */
  int64_t ghosts, room;
  int *asked, *asker;   /* by owner: its nodes that others read, and who does, */
  int64_t *first_asked; /* in the order of ranks that read them and of their ghosts */
} hymgi_graph_split;

/* Of graphs 0 to places.gathered. */
typedef struct hymgi_graph_splits {
  hymg_context *context;
  hymgi_graph_places places;
  int ranks;
  hymgi_graph_split of[HYMGI_MAX_GRAPHS];
} hymgi_graph_splits;

/* All members but `of` are set, whose are 0. Errors: ENOMEM; to be released then, too. */
hymg_status hymgi_graph_splits_make(hymgi_graph_splits *all, const hymgi_graph graphs[]);
void hymgi_graph_splits_release(hymgi_graph_splits *all);

/* Plans of rank r: 0 <= l < gathered between parts of graph l; gathered: its part of the first gathered graph to the whole;
 * gathered + 1: back, with what the part reads of others. */
hymgi_index_sizes hymgi_split_plan_sizes(const hymgi_graph_splits *all, int l, int r);
/* plan: bound, of those sizes. */
void hymgi_split_plan_fill(const hymgi_graph_splits *all, int l, int r,
                           const hymgi_index_plan *plan);

/* A rank's nodes: how many, their places. */
static inline int hymgi_split_count(const hymgi_graph_split *s, int r)
{
  return s->first[r + 1] - s->first[r];
}

static inline const int *hymgi_split_members(const hymgi_graph_split *s, int r)
{
  return s->member + s->first[r];
}

/* Of a ghost's key. */
static inline int hymgi_split_place(int64_t ghost)
{
  return (int)(ghost & 0x7fffffff);
}

/* Of a packed graph, edge m of a node. */
static inline ptrdiff_t hymgi_split_edge(const hymgi_graph *g, int place, int m)
{
  return (ptrdiff_t)HYMGI_LANES * (g->slice[place / HYMGI_LANES] + m) + place % HYMGI_LANES;
}

/* How many nodes of others rank r reads. */
static inline int64_t hymgi_split_ghosts(const hymgi_graph_split *s, int r)
{
  return s->first_ghost[r + 1] - s->first_ghost[r];
}

#endif
