/* Times, bytes and messages per level and verb. */
#ifndef HYMGI_PROFILE_H
#define HYMGI_PROFILE_H

#include "multigrid/level.h"

typedef enum hymgi_verb {
  HYMGI_VERB_SMOOTH,
  HYMGI_VERB_APPLY,
  HYMGI_VERB_RESIDUAL,
  HYMGI_VERB_SMOOTH_RESTRICT,
  HYMGI_VERB_RESTRICT,
  HYMGI_VERB_INTERPOLATE,
  HYMGI_VERB_VECTOR,
  HYMGI_VERB_REDUCE,
  HYMGI_VERB_BOTTOM,
  HYMGI_VERB_TAIL,
  HYMGI_VERBS
} hymgi_verb;

typedef struct hymgi_profile {
  bool on;
  bool in_bottom; /* a bottom solve counts as one verb */
  hymg_profile_row row[HYMGI_MAX_LEVELS][HYMGI_VERBS];
} hymgi_profile;

/* Around a verb; bytes: by the model, of this rank. begin returns the start time, 0 while off. */
double hymgi_profile_begin(const hymgi_level *level, hymgi_verb verb);
/* After begin, where nothing came of it. */
void hymgi_profile_cancel(const hymgi_level *level, double start);
void hymgi_profile_end(const hymgi_level *level, hymgi_verb verb, double start, double bytes);
/* Messages of one run of a plan. */
void hymgi_profile_messages(const hymgi_level *level, hymgi_verb verb, const hymgi_plan *plan,
                            int times);
const char *hymgi_verb_name(hymgi_verb verb);

#endif
