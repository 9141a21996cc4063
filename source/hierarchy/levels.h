/* Making the levels of a hierarchy, which has been initialised and has its preset. All of this is collective. */
#ifndef HYMGI_HIERARCHY_LEVELS_H
#define HYMGI_HIERARCHY_LEVELS_H

#include "hierarchy/placement.h"

/* Shapes, backends and sizes of the levels, without memory for them: all that an estimate needs. On the robust path as if
 * all coefficients were 1. */
hymg_status hymgi_levels_plan(hymgi_hierarchy *h, const hymgi_backend *backend,
                              hymgi_measure measure);
/* After the plan, the levels that are discretised, with their coefficients: enough for judging the path. ENOMEM, with
 * both numbers in the text, if the plan needs more memory than is free. complete: the levels below them. */
hymg_status hymgi_levels_begin(hymgi_hierarchy *h, const hymgi_backend *backend,
                               hymgi_measure measure);
hymg_status hymgi_levels_complete(hymgi_hierarchy *h);
/* Reads the coefficients again. *kept: false if other axes would have to be halved; the levels must then be made anew. */
hymg_status hymgi_levels_update(hymgi_hierarchy *h, bool *kept);
/* Another transfer of the robust path, TENSOR, PAIRS or WEIGHTED: other coefficients and weights of the same levels, or graphs
 * beside them, which need memory; from and to these the levels stay as they are. Invalidates recorded cycles. Else
 * needs the memory that an update needs. */
hymg_status hymgi_levels_change(hymgi_hierarchy *h, hymg_transfer wanted);

#endif
