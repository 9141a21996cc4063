/* Properties of the exchange between GPUs on which all ranks of a solver must agree: each rank
 * states what it can do, and a feature is used only if every rank supports it. */
#include "multigrid/backend.h"
#include "transport/transport.h"

hymgi_level_plans hymgi_plans_of_level(const hymgi_level *l)
{
  return (hymgi_level_plans){{l->halo[0], l->halo[1], l->halo[2], l->gather, l->scatter}};
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
hymg_status hymgi_agree_on_protocols(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  enum { MOST = HYMGI_LEVEL_PLANS * HYMGI_MAX_LEVELS };
  /* first half: an unanswered message; second half: a message through MPI */
  int lacking[2 * MOST] = {0};
  const int count = HYMGI_LEVEL_PLANS * h->num_levels;
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level_plans all = hymgi_plans_of_level(h->level + l);
    for (int m = 0; m < HYMGI_LEVEL_PLANS; m++) {
      const hymgi_plan *plan = all.plan[m];
      lacking[HYMGI_LEVEL_PLANS * l + m] = plan && !is_answered(plan);
      lacking[count + HYMGI_LEVEL_PLANS * l + m] = plan && plan->mpi_sends + plan->mpi_receives > 0;
    }
  }
  TRY(hymgi_comm_max_int(c, c->comm, lacking, 2 * count));
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level_plans all = hymgi_plans_of_level(h->level + l);
    for (int m = 0; m < HYMGI_LEVEL_PLANS; m++) {
      const int at = HYMGI_LEVEL_PLANS * l + m;
      if (!all.plan[m]) continue;
      all.plan[m]->ll = !lacking[at] && !lacking[count + at];
      all.plan[m]->acknowledged = lacking[at] && !lacking[count + at];
    }
  }
  return HYMG_OK;
}

/* Levels whose half sweeps exchange only the colour that they have updated, if every rank can.
 * Collective. */
hymg_status hymgi_agree_on_colours(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  int separate[HYMGI_MAX_LEVELS] = {0};
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    const hymgi_plan *plan = hymgi_operator_halo(level);
    const bool can = plan && plan->ll && plan->num_sends > 0 &&
                     level->backend == h->placement.fine && level->backend->joins(level, plan);
    separate[l] = plan && !can;
  }
  TRY(hymgi_comm_max_int(c, c->comm, separate, h->num_levels));
  for (int l = 0; l < h->num_levels; l++) {
    hymgi_plan *plan = hymgi_operator_halo(h->level + l);
    if (plan) plan->in_sweeps = !separate[l];
  }
  return HYMG_OK;
}

/* Levels on which no rank needs an exchange before the first half sweep: otherwise some would
 * send what no rank receives. Collective. */
hymg_status hymgi_agree_on_starts(hymgi_hierarchy *h)
{
  hymg_context *c = h->context;
  const hymgi_backend *fine = h->placement.fine;
  int reads[HYMGI_MAX_LEVELS] = {0};
  for (int l = 0; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    reads[l] = level->num_boxes > 0 && (level->backend != fine || !fine->starts_alone(level));
  }
  TRY(hymgi_comm_max_int(c, c->comm, reads, h->num_levels));
  for (int l = 0; l < h->num_levels; l++)
    h->level[l].starts_alone = !reads[l];
  return HYMG_OK;
}
