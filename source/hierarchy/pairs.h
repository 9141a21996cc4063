/* The graphs of the pairs in a hierarchy: h->pairs. All of this is collective. */
#ifndef HYMGI_HIERARCHY_PAIRS_H
#define HYMGI_HIERARCHY_PAIRS_H

#include "hierarchy/build.h"
#include "multigrid/pairs.h"

/* Per cell, of the graphs of a uniform grid. For other coefficients they may take half as much more. */
#define HYMGI_GRAPH_BYTES 200.0

/* On several ranks: graphs of at least so many nodes are in parts on all ranks, smaller ones on one. */
int64_t hymgi_pairs_least(const hymgi_hierarchy *h);
/* Makes them anew from the coefficients of level 0, as the preconditioner sees it (hymgi_exchange_inner). Needs its
 * krylov vectors but the first. Errors: ENOMEM; EUNSUPPORTED for more couplings of cells on a rank than INT_MAX. */
hymg_status hymgi_pairs_make(hymgi_hierarchy *h);
void hymgi_pairs_destroy(hymgi_hierarchy *h);

#endif
