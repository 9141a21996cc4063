/* Open boundaries, whose values follow from f. */
#ifndef HYMGI_HIERARCHY_OPEN_BOUNDARY_H
#define HYMGI_HIERARCHY_OPEN_BOUNDARY_H

#include "multigrid/hierarchy.h"

/* Collective: the values for an f of level l (with widths: times the volumes of cells), on `count` levels from l on, or as many
 * as have boundary data. Nothing without open boundaries. Failures go to context->status. */
void hymgi_open_load(hymgi_hierarchy *h, int l, int count, const double *f);

/* What a level's boundaries need, once it has boundary data: all of it at first, what has changed in an update; ENOMEM.
 * Nothing without open boundaries. */
hymg_status hymgi_open_create(const hymgi_hierarchy *h, hymgi_level *level);
void hymgi_open_destroy(hymgi_level *level);

#endif
