/* Times, bytes and messages per level and level operation. */
#include "multigrid/profile.h"

#include "multigrid/transfer.h"
#include "multigrid/wide.h"

/* ---- what an operation costs ---- */

/* Plans that run once; the smoother and the operator exchange the ghosts that they read besides. */
enum { GATHER = 1, SCATTER = 2, RESIDUAL_HALO = 4, CORRECTION_HALO = 8, FULL_HALO = 16 };

static const struct {
  hymgi_op row;
  int smooths, passes; /* smoother calls; times that the operator is applied */
  int plans;
} work[HYMGI_NUM_OPS] = {
    [HYMGI_OP_SMOOTH] = {HYMGI_OP_SMOOTH, 1, 0, 0},
    [HYMGI_OP_APPLY] = {HYMGI_OP_APPLY, 0, 1, 0},
    [HYMGI_OP_RESIDUAL] = {HYMGI_OP_RESIDUAL, 0, 1, 0},
    [HYMGI_OP_SMOOTH_RESTRICT] = {HYMGI_OP_SMOOTH_RESTRICT, 1, 1, GATHER},
    [HYMGI_OP_RESTRICT] = {HYMGI_OP_RESTRICT, 0, 0, GATHER},
    [HYMGI_OP_INTERPOLATE] = {HYMGI_OP_INTERPOLATE, 0, 0, FULL_HALO | SCATTER},
    [HYMGI_OP_VECTOR] = {HYMGI_OP_VECTOR, 0, 0, 0},
    [HYMGI_OP_REDUCE] = {HYMGI_OP_REDUCE, 0, 0, 0},
    [HYMGI_OP_BOTTOM] = {HYMGI_OP_BOTTOM, 0, 0, 0},
    [HYMGI_OP_COARSE] = {HYMGI_OP_COARSE, 2, 1, 0},
    [HYMGI_OP_SMOOTH_NORM] = {HYMGI_OP_SMOOTH, 1, 1, 0},
    [HYMGI_OP_SMOOTH_RESTRICT_WEIGHTED] = {HYMGI_OP_SMOOTH_RESTRICT, 1, 1, RESIDUAL_HALO},
    [HYMGI_OP_RESTRICT_WEIGHTED] = {HYMGI_OP_RESTRICT, 0, 0, RESIDUAL_HALO},
    [HYMGI_OP_INTERPOLATE_WEIGHTED] = {HYMGI_OP_INTERPOLATE, 0, 0, CORRECTION_HALO | SCATTER},
    [HYMGI_OP_INTERPOLATE_SMOOTH] = {HYMGI_OP_INTERPOLATE, 1, 0, CORRECTION_HALO | SCATTER},
    [HYMGI_OP_MATRIX] = {HYMGI_OP_COARSE, 0, 0, 0},
    [HYMGI_OP_LINES] = {HYMGI_OP_SMOOTH, 0, 2, 0},
};

/* What one pass of the operator reads besides f: x and the coefficients. */
static double operator_arrays(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return 1 + (m->variable_beta ? 3 : 0) + (m->variable_alpha ? 1 : 0);
}

static double smoother_arrays(const hymgi_level *level)
{
  const hymg_smoother smoother = level->method->smoother;
  double arrays = operator_arrays(level) + 2 + (level->c.dinv || level->c.l1inv) +
                  hymgi_smoother_kind_of(smoother)->momentum;
  /* half of f, of the target, and of 1/diag (FV4) or of x (FV2 does not read the colour that it
   * updates) */
  if (smoother == HYMG_GSRB) arrays -= 1.5;
  return arrays * hymgi_sweeps(level);
}

static double bytes_of(const hymgi_level *level, hymgi_op op, double arrays)
{
  arrays += work[op].smooths * smoother_arrays(level) + work[op].passes * operator_arrays(level);
  return (level->single ? 4 : 8) * arrays * (double)hymgi_cells_here(level);
}

static void add_messages(const hymgi_plan *plan, int times, hymgi_cost *cost)
{
  for (int m = 0; plan && m < plan->num_sends; m++) {
    cost->messages += times;
    cost->message_bytes += (double)times * (double)plan->send[m].size * sizeof(double);
  }
}

hymgi_cost hymgi_account(const hymgi_level *level, hymgi_op op, double arrays)
{
  hymgi_cost cost = {.bytes = bytes_of(level, op, arrays)};
  if (op == HYMGI_OP_COARSE) { /* without messages: one visit of each level, no bottom solve */
    for (const hymgi_level *below = level + 1; below->coarsened; below++)
      cost.bytes += bytes_of(below, op, arrays);
    return cost;
  }
  const int plans = work[op].plans;
  if (level->wide && work[op].smooths)
    add_messages(level->wide->plan, level->wide->exchanges, &cost);
  else
    add_messages(hymgi_operator_halo(level),
                 work[op].smooths * hymgi_sweeps(level) + work[op].passes, &cost);
  if (plans & RESIDUAL_HALO) add_messages(hymgi_transfer_halo(level->transfer, level), 1, &cost);
  if (plans & CORRECTION_HALO)
    add_messages(hymgi_transfer_halo(level->transfer, level + 1), 1, &cost);
  if (plans & FULL_HALO)
    add_messages(level[1].halo[HYMGI_HALO_FULL], level[1].wide ? level[1].wide->shallow : 1, &cost);
  if (plans & GATHER) add_messages(level->gather, 1, &cost);
  if (plans & SCATTER) add_messages(level->scatter, 1, &cost);
  return cost;
}

/* ---- the profile ---- */

double hymgi_profile_begin(const hymgi_level *level, hymgi_op op)
{
  if (!level->profile || !level->profile->on) return 0;
  level->backend->sync(level->context); /* work queued before does not count */
  if (level->wide) level->wide->exchanges = 0;
  if (work[op].plans & FULL_HALO && level[1].wide) level[1].wide->shallow = 0;
  if (level->backend->begin_range) level->backend->begin_range(level, hymgi_op_name(op));
  return hymgi_seconds();
}

void hymgi_profile_end(const hymgi_level *level, hymgi_op op, double arrays, double start,
                       bool done)
{
  if (start == 0) return;
  if (done) level->backend->sync(level->context);
  if (level->backend->end_range) level->backend->end_range();
  if (!done) return;
  const bool part = level->profile->in_bottom && op != HYMGI_OP_BOTTOM;
  const hymgi_cost cost = hymgi_account(level, op, arrays);
  hymg_profile_row *row = &level->profile->row[level->index][part ? HYMGI_OP_BOTTOM : work[op].row];
  row->bytes += cost.bytes;
  row->messages += cost.messages;
  row->message_bytes += cost.message_bytes;
  if (part) return;
  row->calls++;
  row->seconds += hymgi_seconds() - start;
}

const char *hymgi_op_name(hymgi_op op)
{
  static const char *const name[HYMGI_NUM_ROWS] = {
      "smooth",      "apply",  "residual", "smooth+restrict", "restrict",
      "interpolate", "vector", "reduce",   "bottom solve",    "tail"};
  return name[work[op].row];
}
