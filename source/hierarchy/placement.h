/* Which levels a GPU runs launch by launch, which in one launch, and which the host does. */
#ifndef HYMGI_HIERARCHY_PLACEMENT_H
#define HYMGI_HIERARCHY_PLACEMENT_H

#include "hierarchy/build.h"

/* host_cells and tail_cells as in hymg_options, -1 where still open. */
typedef struct hymgi_thresholds {
  int64_t host_cells, tail_cells;
} hymgi_thresholds;

/* The fastest thresholds for V-cycles of the hierarchy's method from its first level of at most 64^3
 * cells; what is not -1 in *thresholds stays. False: there is nothing to choose or it could not be
 * tried. On this rank alone. */
typedef bool (*hymgi_measure)(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

/* Collective: fills h->placement and choice, from the options, the context's earlier
 * measurements, the tuning file, a measurement or an estimate, in this order. The hierarchy has its
 * shape. measure: NULL, or how. `fine` runs what is not left to the host. */
hymg_status hymgi_placement_choose(hymgi_hierarchy *h, const hymgi_backend *fine,
                                   hymgi_measure measure);

/* All that the fastest placement depends on, as one line. */
void hymgi_placement_key(const hymgi_hierarchy *h, const char *device, char key[HYMGI_KEY]);
/* First level that is measured; num_levels: there is none. */
int hymgi_placement_start(const hymgi_hierarchy *h);

/* The tuning file; as hymgi_cache_find and hymgi_cache_store. */
bool hymgi_tuning_find(const char *path, const char *key, hymgi_thresholds *found, char note[256]);
bool hymgi_tuning_keep(const char *path, const char *key, const hymgi_thresholds *value,
                       char note[256]);

#endif
