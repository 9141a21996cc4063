/* The schedules of the host's levels as they were measured before, by the tuning file. */
#ifndef HYMGI_HIERARCHY_SCHEDULES_H
#define HYMGI_HIERARCHY_SCHEDULES_H

#include "hierarchy/build.h"

/* Of the levels in double precision, then of those in single precision. */
enum { HYMGI_SCHEDULES = 2 * HYMGI_MAX_LEVELS };
typedef struct hymgi_schedules {
  int stages[HYMGI_SCHEDULES], rows[HYMGI_SCHEDULES]; /* stages < 0: not known */
  bool measured[HYMGI_SCHEDULES];                     /* by this solver, on this rank */
} hymgi_schedules;

/* Level l of the hierarchy, or level l - HYMGI_MAX_LEVELS of those in single precision; NULL: there is none. */
hymgi_level *hymgi_scheduled_level(hymgi_hierarchy *h, int l);
/* Everything that the fastest schedule of such a level depends on, as one line. */
void hymgi_schedule_key(hymgi_hierarchy *h, int l, char key[HYMGI_KEY]);
/* Collective: what rank 0 finds in its tuning file, on every rank. */
hymg_status hymgi_schedules_find(hymgi_hierarchy *h, hymgi_schedules *known);
/* Takes level l's schedule as it is known, or measures it. */
void hymgi_schedule_choose(hymgi_hierarchy *h, hymgi_schedules *known, int l);
/* Collective: rank 0 writes what it has measured; the reason why it could not is in h->choice.note of every rank. */
hymg_status hymgi_schedules_keep(hymgi_hierarchy *h, const hymgi_schedules *known);

#endif
