/* What level operations share: failures, and reductions of one number. */
#ifndef HYMGI_MULTIGRID_ACCOUNTING_H
#define HYMGI_MULTIGRID_ACCOUNTING_H

#include "multigrid/backend.h"
#include "multigrid/profile.h"

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
