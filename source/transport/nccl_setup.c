/* The NCCL communicator: all ranks reuse it or create a new one together. */
#include <string.h>

#include "multigrid/backend.h"
#include "transport/transport.h"

static hymg_status make_communicator(hymg_context *c, const hymgi_nccl_ops *nccl_ops)
{
  hymgi_nccl_id id;
  memset(&id, 0, sizeof id);
  TRY(hymgi_agree(c, hymgi_comm_rank(c->comm) == 0 ? nccl_ops->make_id(c, &id) : HYMG_OK));
  TRY(hymgi_comm_bcast(c, c->comm, 0, &id, sizeof id));
  const hymg_status status = hymgi_agree(c, nccl_ops->open(c, &id));
  if (status != HYMG_OK) nccl_ops->break_off(c);
  return status;
}

hymg_status hymgi_nccl_open(hymg_context *c, const hymgi_backend *gpu, bool anew)
{
  const hymgi_nccl_ops *nccl_ops = *gpu->nccl_ops;
  TRY(hymgi_comm_drain(c, c->comm));
  int lacking = anew || !nccl_ops->works(c);
  TRY(hymgi_comm_max_int(c, c->comm, &lacking, 1));
  if (!lacking) return HYMG_OK;
  nccl_ops->break_off(c);
  return make_communicator(c, nccl_ops);
}

/* The contents of the buffers do not matter. */
hymg_status hymgi_nccl_connect(hymgi_hierarchy *h, const hymgi_plan_list *list)
{
  hymg_context *c = h->context;
  const hymgi_backend *fine = h->placement.fine;
  c->status = HYMG_OK;
  for (int p = 0; p < list->count; p++)
    if (list->plan[p]->group) fine->mover.queue(c, list->plan[p]);
  fine->sync(c);
  return hymgi_agree(c, c->status);
}
