/* Open boundaries by the charge that a boundary with u = 0 has (James). */
#ifndef HYMGI_HIERARCHY_SCREENING_H
#define HYMGI_HIERARCHY_SCREENING_H

#include "multigrid/hierarchy.h"

/* u = 0 on the boundaries of level l and of all below it. */
void hymgi_screening_clear(hymgi_hierarchy *h, int l);

/* Collective: from x, the solution of level l with u = 0 there, the values that free space has, on the same levels. ENOMEM and
 * failures of messages, the same on every rank. */
hymg_status hymgi_screening_load(hymgi_hierarchy *h, int l, double *x);

#endif
