/* Nodes of graphs that two ranks share the knowledge of, the plans by which ranks exchange what belongs to them, and lists of
 * words to other ranks. */
#ifndef HYMGI_HIERARCHY_GRAPH_LINKS_H
#define HYMGI_HIERARCHY_GRAPH_LINKS_H

#include "distribution/index_plan.h"

/* A node, by its id, that another rank has or reads. at: where it, or what belongs to it, is here. */
typedef struct hymgi_link {
  int rank;
  int at;
  int64_t id;
} hymgi_link;

typedef struct hymgi_links {
  hymgi_link *link; /* malloc'ed */
  int count, room;
  bool lacking; /* there was no memory for one of them */
} hymgi_links;

void hymgi_links_add(hymgi_links *links, int rank, int64_t id, int at);
/* By rank, then by id; unique: each once. */
void hymgi_links_sort(hymgi_links *links, bool unique);
/* The index of a link in a sorted list, or -1. */
int hymgi_links_find(const hymgi_links *links, int rank, int64_t id);
void hymgi_links_release(hymgi_links *links);
/* From each link of `out` to its rank, whose link of `in` with the same id it comes to; both are sorted. Places are `at`. To be
 * shared. ENOMEM, ECUDA. */
hymg_status hymgi_links_plan(hymg_context *context, const hymgi_index_mover *by,
                             const hymgi_links *out, const hymgi_links *in, int tag,
                             hymgi_index_plan **plan);

/* Words of 8 bytes to or from other ranks, `count` of them: those of rank[m] are first[m] <= w < first[m + 1]. */
typedef struct hymgi_parcels {
  int count;
  int *rank; /* ascending */
  int64_t *first, *word;
  int64_t room;
} hymgi_parcels;

/* For the ranks of a sorted list, each once; nothing in them. ENOMEM. */
hymg_status hymgi_parcels_create(hymg_context *context, const hymgi_links *ranks,
                                 hymgi_parcels *parcels);
/* Collective: in: the ranks that have this one among theirs; gets their words. Uses two tags. Errors, on all ranks: ENOMEM,
 * EMPI, and `status` of any rank. */
hymg_status hymgi_parcels_pass(hymg_context *context, hymg_status status, int tag,
                               const hymgi_parcels *out, hymgi_parcels *in);
void hymgi_parcels_release(hymgi_parcels *parcels);

#endif
