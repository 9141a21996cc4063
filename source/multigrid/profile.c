/* Times, bytes and messages per level and level operation. */
#include "multigrid/profile.h"

#include "multigrid/backend.h"

double hymgi_profile_begin(const hymgi_level *level, hymgi_op op)
{
  if (!level->profile || !level->profile->on) return 0;
  level->backend->sync(level->context); /* work queued before does not count */
  if (level->backend->begin_range) level->backend->begin_range(level, hymgi_op_name(op));
  return hymgi_seconds();
}

static hymg_profile_row *row_of(const hymgi_level *level, hymgi_op op)
{
  return &level->profile->row[level->index][level->profile->in_bottom ? HYMGI_OP_BOTTOM : op];
}

void hymgi_profile_cancel(const hymgi_level *level, double start)
{
  if (start != 0 && level->backend->end_range) level->backend->end_range();
}

void hymgi_profile_end(const hymgi_level *level, hymgi_op op, double start, double bytes)
{
  if (start == 0) return;
  level->backend->sync(level->context);
  hymgi_profile_cancel(level, start);
  hymg_profile_row *row = row_of(level, op);
  row->bytes += bytes;
  if (level->profile->in_bottom && op != HYMGI_OP_BOTTOM) return;
  row->calls++;
  row->seconds += hymgi_seconds() - start;
}

void hymgi_profile_messages(const hymgi_level *level, hymgi_op op, const hymgi_plan *plan,
                            int times)
{
  if (!level->profile || !level->profile->on || !plan) return;
  hymg_profile_row *row = row_of(level, op);
  row->messages += (int64_t)times * plan->num_sends;
  for (int m = 0; m < plan->num_sends; m++)
    row->message_bytes += (double)times * (double)plan->send[m].size * sizeof(double);
}

const char *hymgi_op_name(hymgi_op op)
{
  static const char *const name[HYMGI_NUM_OPS] = {
      "smooth",      "apply",  "residual", "smooth+restrict", "restrict",
      "interpolate", "vector", "reduce",   "bottom solve",    "tail"};
  return name[op];
}
