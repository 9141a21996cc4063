/* Properties of the exchange between GPUs on which all ranks of a solver must agree: each rank
 * states what it can do, and a feature is used only if every rank supports it. */
#include "multigrid/backend.h"
#include "multigrid/wide.h"
#include "transport/transport.h"

hymgi_plan_list hymgi_plans_on_gpu(const hymgi_hierarchy *h)
{
  hymgi_plan_list list = {.count = 0};
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    hymgi_plan *const plan[HYMGI_LEVEL_PLANS] = {
        level->halo[0], level->halo[1], level->halo[2],
        level->gather,  level->scatter, level->wide ? level->wide->plan : NULL};
    for (int m = 0; m < HYMGI_LEVEL_PLANS; m++)
      if (plan[m] && level->backend == h->placement.fine) {
        list.number[list.count] = HYMGI_LEVEL_PLANS * l + m;
        list.plan[list.count++] = plan[m];
      }
  }
  return list;
}

const hymgi_message *hymgi_message_with(const hymgi_message *message, int count, int rank)
{
  for (int m = 0; m < count; m++)
    if (message[m].rank == rank) return message + m;
  return NULL;
}

static bool is_answered(const hymgi_plan *plan)
{
  bool answered = plan->num_sends == plan->num_receives;
  for (int m = 0; answered && m < plan->num_sends; m++)
    answered = hymgi_message_with(plan->receive, plan->num_receives, plan->send[m].rank) != NULL;
  return answered;
}

/* Plans whose messages go to peers on all ranks use the LL protocol, which needs no flags. If
 * every message is answered in the same plan, no rank can be two exchanges ahead; else the
 * messages are acknowledged. Collective. */
hymg_status hymgi_agree_on_protocols(hymgi_hierarchy *h, const hymgi_plan_list *list)
{
  hymg_context *c = h->context;
  /* first half: an unanswered message; second half: a message through MPI */
  int lacking[2 * HYMGI_MOST_PLANS] = {0};
  int *const through_mpi = lacking + HYMGI_MOST_PLANS;
  for (int p = 0; p < list->count; p++) {
    const hymgi_plan *plan = list->plan[p];
    lacking[list->number[p]] = !is_answered(plan);
    through_mpi[list->number[p]] = plan->mpi_sends + plan->mpi_receives > 0;
  }
  TRY(hymgi_comm_max_int(c, c->comm, lacking, 2 * HYMGI_MOST_PLANS));
  for (int p = 0; p < list->count; p++) {
    const int at = list->number[p];
    list->plan[p]->ll = !lacking[at] && !through_mpi[at];
    list->plan[p]->acknowledged = lacking[at] && !through_mpi[at];
  }
  return HYMG_OK;
}

/* Levels whose half sweeps exchange only the colour that they have updated, if every rank can;
 * levels on which no rank needs an exchange before the first half sweep: otherwise some would
 * send what no rank receives. Collective. */
hymg_status hymgi_agree_on_sweeps(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  const hymgi_backend *fine = h->placement.fine;
  /* first half: sweeps exchange both colours; second half: they start with an exchange */
  int lacking[2 * HYMGI_MAX_LEVELS] = {0};
  int *const reads = lacking + h->num_levels;
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    const hymgi_plan *plan = hymgi_operator_halo(level);
    const bool here = level->backend == fine;
    const bool joins = here && plan && plan->ll && plan->num_sends > 0 && fine->joins(level, plan);
    lacking[l] = plan && !joins;
    reads[l] = level->num_boxes > 0 && !(here && fine->starts_alone(level));
  }
  const hymg_status status = hymgi_comm_max_int(c, c->comm, lacking, 2 * h->num_levels);
  for (int l = 0; l < h->num_levels; l++) {
    hymgi_plan *plan = hymgi_operator_halo(h->level + l);
    if (plan) plan->in_sweeps = !lacking[l];
    h->level[l].starts_alone = !reads[l];
  }
  return status;
}
