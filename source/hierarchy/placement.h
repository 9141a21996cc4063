/* Which levels the GPU runs one launch per step, which it runs in a single launch, and which run
 * on the host. */
#ifndef HYMGI_HIERARCHY_PLACEMENT_H
#define HYMGI_HIERARCHY_PLACEMENT_H

#include "hierarchy/build.h"
#include "hierarchy/tuning_file.h"

/* Measures the fastest thresholds for V-cycles of the hierarchy's method, starting from its
 * first level of at most 64^3 cells; only thresholds that are -1 are changed. False if there is
 * nothing to choose or the measurement failed. Not collective. */
typedef bool (*hymgi_measure)(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

/* Collective: sets h->placement and h->choice, from the options, earlier measurements in the
 * context, the tuning file, a measurement or an estimate, in this order. The shape of the
 * hierarchy must be known. measure: NULL, or the function that measures. `fine` runs the levels
 * that are not on the host. */
hymg_status hymgi_placement_choose(hymgi_hierarchy *h, const hymgi_backend *fine,
                                   hymgi_measure measure);

/* On the robust path, whose levels become known one by one: a level of fewer cells than the user says is the host's, and
 * so are those below it, but never the finest one. */
void hymgi_placement_extend(hymgi_hierarchy *h, int l);

/* Everything that the fastest placement depends on, as one line. */
void hymgi_placement_key(const hymgi_hierarchy *h, const char *device, char key[HYMGI_KEY]);
/* The first level that is measured; num_levels if there is none. */
int hymgi_placement_start(const hymgi_hierarchy *h);
/* The kind of a face that the levels have: ROBIN also where the user's is Dirichlet with the extrapolation VERTEX. */
hymg_boundary hymgi_boundary_here(const hymgi_hierarchy *h, int face);

#endif
