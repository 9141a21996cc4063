/* Open boundaries, whose values follow from f. */
#ifndef HYMGI_HIERARCHY_OPEN_BOUNDARY_H
#define HYMGI_HIERARCHY_OPEN_BOUNDARY_H

#include "multigrid/hierarchy.h"

/* Collective: the values for an f of level l (with widths: times the volumes of cells), on `count` levels from l on, or as many
 * as have boundary data. Nothing without open boundaries, and with screened ones. Failures go to context->status. */
void hymgi_open_load(hymgi_hierarchy *h, int l, int count, const double *f);

/* The value at a cell of the domain at a face. */
typedef double hymgi_open_value(const hymgi_level *level, int face, const int at[3],
                                const void *data);

/* The values of a level, on this rank. */
void hymgi_open_fill(hymgi_level *level, hymgi_open_value *value, const void *data);

/* The width of a cell along an axis over the mean width of the finest level's. */
double hymgi_open_width(const hymgi_hierarchy *h, const hymgi_level *level, int axis, int i);

/* What a level's boundaries need, once it has boundary data: all of it at first, what has changed in an update; ENOMEM.
 * Nothing without open boundaries. */
hymg_status hymgi_open_create(const hymgi_hierarchy *h, hymgi_level *level);
void hymgi_open_destroy(hymgi_level *level);

#endif
