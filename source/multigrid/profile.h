/* Times, bytes and messages per level and level operation. */
#ifndef HYMGI_MULTIGRID_PROFILE_H
#define HYMGI_MULTIGRID_PROFILE_H

#include "multigrid/level.h"

/* The operations; the first ones are rows of the profile, to which the others belong (profile.c). */
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
  HYMGI_NUM_ROWS,
  HYMGI_OP_SMOOTH_NORM = HYMGI_NUM_ROWS,
  HYMGI_OP_SMOOTH_RESTRICT_WEIGHTED, /* without messages to the coarse level */
  HYMGI_OP_RESTRICT_WEIGHTED,        /* likewise */
  HYMGI_OP_INTERPOLATE_WEIGHTED,
  HYMGI_OP_INTERPOLATE_SMOOTH,
  HYMGI_OP_MATRIX,
  HYMGI_OP_LINES,
  HYMGI_NUM_OPS
} hymgi_op;

typedef struct hymgi_profile {
  bool on;
  bool in_bottom; /* a bottom solve counts as one level operation */
  hymg_profile_row row[HYMGI_MAX_LEVELS][HYMGI_NUM_ROWS];
} hymgi_profile;

/* What an operation costs on this rank, by the model: bytes, each array once, and messages. arrays: how
 * many it reads and writes besides those of the smoother (f, x) and of the operator (x, coefficients). */
typedef struct hymgi_cost {
  double bytes, message_bytes;
  int64_t messages;
} hymgi_cost;
hymgi_cost hymgi_account(const hymgi_level *level, hymgi_op op, double arrays);

/* Called before and after a level operation; nothing is counted of one that was not carried out. begin
 * returns the start time, or 0 while profiling is off. */
double hymgi_profile_begin(const hymgi_level *level, hymgi_op op);
void hymgi_profile_end(const hymgi_level *level, hymgi_op op, double arrays, double start,
                       bool done);

/* Carries out an operation, the last argument. */
#define HYMGI_OPERATION(level, op, arrays, ...)                                                    \
  do {                                                                                             \
    const double profile_start = hymgi_profile_begin(level, op);                                   \
    __VA_ARGS__;                                                                                   \
    hymgi_profile_end(level, op, arrays, profile_start, true);                                     \
  } while (0)

/* The same for an operation that the backend may refuse: done = what it returns. */
#define HYMGI_OPERATION_IF(done, level, op, arrays, ...)                                           \
  do {                                                                                             \
    const double profile_start = hymgi_profile_begin(level, op);                                   \
    done = __VA_ARGS__;                                                                            \
    hymgi_profile_end(level, op, arrays, profile_start, done);                                     \
  } while (0)

/* The name of an operation's row. */
const char *hymgi_op_name(hymgi_op op);

#endif
