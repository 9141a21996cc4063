/* Graphs that one rank has made, to all ranks. */
#ifndef HYMGI_HIERARCHY_GRAPH_PARTS_H
#define HYMGI_HIERARCHY_GRAPH_PARTS_H

#include "multigrid/pairs.h"

typedef struct hymgi_graph_places {
  int root;     /* the rank that has the graphs */
  int gathered; /* which is the first of them that stays there; >= 1 */
  int tag;      /* of messages; so many more are taken: */
  const double *rank,
      *place; /* there, at the places of graph 0: whose cell it is, and where in its vector of level 0 */
} hymgi_graph_places;

enum { HYMGI_GRAPH_TAGS = HYMGI_MAX_GRAPHS + 3 };

/* Collective: each rank gets its part of the graphs above `gathered`, and the lists by which it exchanges them. Errors, on all
 * ranks: ENOMEM, EMPI. */
hymg_status hymgi_graphs_distribute(struct hymgi_pairs *pairs, const hymgi_graph_places *places);

#endif
