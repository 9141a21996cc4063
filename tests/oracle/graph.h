/* The graphs of the pairs (docs/numerics.md) as dense matrices: couplings t, n x n, row by row, symmetric, 0: none. Written from
 * the definition; every step looks at whole rows. */
#ifndef ORACLE_GRAPH_H
#define ORACLE_GRAPH_H

#include <stdint.h>

/* How many nodes the next graph has after this one, which has the number graph; parent: of n which one, coarse_id: of each its id, n at most. */
int oracle_parents(const double *t, const int64_t *id, int n, int graph, int *parent,
                   int64_t *coarse_id);
/* P^T T P without its diagonal; malloc'ed. */
double *oracle_coarse(const double *t, int n, const int *parent, int nodes);

#endif
