/* What level operations share: the bytes that they move, failures, reductions of one number. */
#ifndef HYMGI_MULTIGRID_ACCOUNTING_H
#define HYMGI_MULTIGRID_ACCOUNTING_H

#include "multigrid/backend.h"
#include "multigrid/profile.h"

static inline double hymgi_cells_here(const hymgi_level *level)
{
  double cells = 0;
  for (int b = 0; b < level->num_boxes; b++)
    cells += (double)level->box[b].n[0] * level->box[b].n[1] * level->box[b].n[2];
  return cells;
}

/* The number of arrays that one pass of the operator reads, each counted once; f and the output
 * are added by the caller. */
static inline double hymgi_operator_streams(const hymgi_level *level)
{
  const hymgi_method *m = level->method;
  return 1 + (m->variable_beta ? 3 : 0) + (m->variable_alpha ? 1 : 0);
}

static inline double hymgi_stream_bytes(const hymgi_level *level, double streams)
{
  return (level->single ? 4 : 8) * streams * hymgi_cells_here(level);
}

/* Records a failure of a reduction or exchange; the first failure is kept. */
static inline void hymgi_note_failure(const hymgi_level *level, hymg_status status)
{
  if (level->context->status == HYMG_OK) level->context->status = status;
}

static inline double hymgi_reduce_max(const hymgi_level *level, double value)
{
  hymgi_note_failure(level, hymgi_comm_max_double(level->context, level->comm, &value, 1));
  return value;
}

#endif
