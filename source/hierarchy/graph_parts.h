/* Graphs of the pairs in parts on ranks: each rank makes its part from its own cells, down to a graph that is small enough for
 * one rank (root), which makes it and those below from all parts of it. Local numbers of a part: first the rank's own nodes, in
 * ascending order of ids, then ghosts, which are nodes of others, by rank and id. */
#ifndef HYMGI_HIERARCHY_GRAPH_PARTS_H
#define HYMGI_HIERARCHY_GRAPH_PARTS_H

#include "hierarchy/graph_links.h"
#include "multigrid/graph_setup.h"

/* A rank's part of a graph while it is made: g.n own nodes, then `ghosts`; g.start and so on are of own nodes, g.id of all. */
typedef struct hymgi_part {
  hymgi_raw_graph g; /* each array malloc'ed */
  int used;          /* entries of g.to and g.weight: rows may have gaps between them */
  int ghosts;
  hymgi_links in, out; /* ghosts at ends of edges, and own nodes that are such ghosts of others */
  /* of the graph above: ghosts that are parents of own nodes there; own nodes that are parents of others' */
  hymgi_links parents_in, parents_out;
} hymgi_part;

void hymgi_part_release(hymgi_part *part);

/* What is the same for all graphs. */
typedef struct hymgi_part_maker {
  hymg_context *context;
  struct hymgi_pairs *pairs;
  const hymgi_level *level;
  hymgi_index_mover host, cycle; /* of exchanges while parts are made, and in cycles */
  int rank, ranks, root;
  int tag;       /* of messages, */
  int64_t least; /* graphs of fewer nodes are for the root */
  int gathered;  /* which is the first of them; once it is known: */
  int64_t nodes; /* its nodes, */
  double visits; /* and the visits to it in a cycle */
  hymgi_part part;
} hymgi_part_maker;

enum { HYMGI_PART_TAGS = 8 + 2 * HYMGI_MAX_GRAPHS };

/* The array with room for so many, or the old one, and *lacks. */
void *hymgi_resize(bool *lacks, void *array, size_t count, size_t size);

/* graph_cells.c. The part of graph 0, from level 0 as the host sees it, with conductances of high faces and excesses (as in
 * hymgi_graph_cells). On a single rank it is the whole graph. Not collective. ENOMEM, EUNSUPPORTED. */
hymg_status hymgi_part_of_cells(const hymgi_level *level, double *const high[3],
                                const double *excess, hymgi_part *part);
/* Whose the node is. */
int hymgi_part_owner(const hymgi_level *level, int64_t id);
/* Do so many edges have numbers, with room for those of others? */
hymg_status hymgi_part_edges(hymg_context *context, int64_t edges);

/* graph_parts.c. Collective: from the part of graph 0 those above `gathered`, packed, and the part of that one, raw; without any
 * edge nothing, and gathered = 0. Errors, on all ranks: ENOMEM, EMPI, EUNSUPPORTED. */
hymg_status hymgi_parts_make(hymgi_part_maker *m);

/* graph_gather.c. Collective: all parts of the graph `gathered` come together on the root, where `maker` makes it and those
 * below in its memory; on a single rank graph 0. Sets m->pairs->part and the plans to and from it. Errors as above. */
hymg_status hymgi_parts_gather(hymgi_part_maker *m, const hymgi_backend *maker,
                               const hymgi_memory *memory);

#endif
