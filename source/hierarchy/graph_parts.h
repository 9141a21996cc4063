/* Graphs that one rank has made, to all ranks. */
#ifndef HYMGI_HIERARCHY_GRAPH_PARTS_H
#define HYMGI_HIERARCHY_GRAPH_PARTS_H

#include "hierarchy/graph_split.h"

/* Collective: each rank gets its part of the graphs above `gathered`, and the lists by which it exchanges them, where cycles
 * run. Errors, on all ranks: ENOMEM, ECUDA, EMPI. */
hymg_status hymgi_graphs_distribute(struct hymgi_pairs *pairs, const hymgi_index_mover *by,
                                    const hymgi_graph_places *places);

#endif
