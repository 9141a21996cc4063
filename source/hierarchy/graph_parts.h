/* Graphs that one rank has made, to all ranks. */
#ifndef HYMGI_HIERARCHY_GRAPH_PARTS_H
#define HYMGI_HIERARCHY_GRAPH_PARTS_H

#include "hierarchy/graph_split.h"

/* Collective: each rank gets its part of the graphs above `gathered`, and the lists by which it exchanges them. Errors, on all
 * ranks: ENOMEM, EMPI. */
hymg_status hymgi_graphs_distribute(struct hymgi_pairs *pairs, const hymgi_graph_places *places);

#endif
