/* Times, bytes and messages per level and level operation. */
#ifndef HYMGI_MULTIGRID_PROFILE_H
#define HYMGI_MULTIGRID_PROFILE_H

#include "multigrid/level.h"

typedef enum hymgi_op {
  HYMGI_OP_SMOOTH,
  HYMGI_OP_APPLY,
  HYMGI_OP_RESIDUAL,
  HYMGI_OP_SMOOTH_RESTRICT,
  HYMGI_OP_RESTRICT,
  HYMGI_OP_INTERPOLATE,
  HYMGI_OP_VECTOR,
  HYMGI_OP_REDUCE,
  HYMGI_OP_BOTTOM,
  HYMGI_OP_COARSE,
  HYMGI_NUM_OPS
} hymgi_op;

typedef struct hymgi_profile {
  bool on;
  bool in_bottom; /* a bottom solve counts as one level operation */
  hymg_profile_row row[HYMGI_MAX_LEVELS][HYMGI_NUM_OPS];
} hymgi_profile;

/* Called before and after a level operation; bytes: by the model, on this rank. begin returns
 * the start time, or 0 while profiling is off. */
double hymgi_profile_begin(const hymgi_level *level, hymgi_op op);
/* Instead of end, if the operation was not carried out. */
void hymgi_profile_cancel(const hymgi_level *level, double start);
void hymgi_profile_end(const hymgi_level *level, hymgi_op op, double start, double bytes);
/* Messages of one run of a plan. */
void hymgi_profile_messages(const hymgi_level *level, hymgi_op op, const hymgi_plan *plan,
                            int times);
const char *hymgi_op_name(hymgi_op op);

#endif
