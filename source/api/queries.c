/* What a solver reports about itself: levels, memory, choices and the profile. */
#include "api/solver.h"

#include <math.h>

int hymg_solver_num_levels(const hymg_solver *solver)
{
  return solver->h.num_levels;
}

int64_t hymg_solver_pieces(const hymg_solver *solver, int64_t *singular)
{
  const hymgi_pieces *p = &solver->h.pieces;
  if (singular) *singular = solver->h.singular ? 1 : p->singular;
  return p->count;
}

hymg_status hymg_solver_level(const hymg_solver *solver, int level, hymg_level_info *info)
{
  if (!solver || !info) return HYMG_EINVAL;
  TRY(hymgi_check_level(&solver->h, level, solver->h.num_levels));
  const hymgi_level *l = solver->h.level + level, *system = level == 0 ? solver->h.system : l;
  hymg_level_info i = {.boxes = 1,
                       .ranks = l->ranks,
                       .backend = l->backend->id,
                       .lambda_max = system->lambda_max,
                       .sweeps = hymgi_sweeps(l),
                       .halo_layers = l->layers,
                       .coarsened = l->coarsened,
                       .kernels = l->backend->kernel_names ? l->backend->kernel_names(system) : ""};
  for (int axis = 0; axis < 3; axis++) {
    i.cells[axis] = l->n[axis];
    i.box[axis] = (l->n[axis] - 1) / l->decomp->boxes[axis] + 1;
    i.boxes *= l->decomp->boxes[axis];
    i.spacing[axis] = l->h[axis];
  }
  *info = i;
  return HYMG_OK;
}

double hymg_solver_bytes_per_dof(const hymg_solver *solver)
{
  hymg_context *c = solver->h.context;
  const hymgi_level *l = solver->h.system;
  int64_t bytes = (int64_t)hymgi_hierarchy_bytes(&solver->h);
  bytes += 8 * (int64_t)l->vector_size * (2 + (l->own_x != NULL) + (l->own_f != NULL));
  if (hymgi_comm_sum_int64(c, c->comm, &bytes, 1) != HYMG_OK) return NAN;
  return (double)bytes / (double)l->cells;
}

double hymg_solver_tuning_seconds(const hymg_solver *solver)
{
  return solver->tuning_seconds;
}

/* ---- what was chosen ---- */

hymg_status hymg_solver_tuning(const hymg_solver *solver, hymg_tuning_info *info)
{
  if (!solver) return HYMG_EINVAL;
  if (!info) return hymgi_fail(solver->h.context, HYMG_EINVAL, "hymg_solver_tuning: info is NULL");
  *info = solver->h.choice;
  info->tail_from = solver->h.placement.tail_from; /* the backend may have taken fewer levels */
  return HYMG_OK;
}

hymg_status hymg_solver_transport(const hymg_solver *solver, hymg_transport_info *info)
{
  if (!solver) return HYMG_EINVAL;
  if (!info)
    return hymgi_fail(solver->h.context, HYMG_EINVAL, "hymg_solver_transport: info is NULL");
  *info = solver->h.transport.info;
  return HYMG_OK;
}

/* ---- profile ---- */

void hymg_solver_profile(hymg_solver *solver, bool on)
{
  solver->h.profile.on = on;
  if (!on) return;
  for (int l = 0; l < HYMGI_MAX_LEVELS; l++)
    for (int v = 0; v < HYMGI_NUM_ROWS; v++)
      solver->h.profile.row[l][v] =
          (hymg_profile_row){.level = l, .operation = hymgi_op_name((hymgi_op)v)};
}

static const hymg_profile_row *used_row(const hymg_solver *solver, int index)
{
  for (int l = 0; l < solver->h.num_levels; l++)
    for (int v = 0; v < HYMGI_NUM_ROWS; v++)
      if (solver->h.profile.row[l][v].calls > 0 && index-- == 0)
        return &solver->h.profile.row[l][v];
  return NULL;
}

int hymg_solver_profile_rows(const hymg_solver *solver)
{
  int count = 0;
  while (used_row(solver, count))
    count++;
  return count;
}

hymg_status hymg_solver_profile_row(const hymg_solver *solver, int index, hymg_profile_row *row)
{
  if (!solver || !row) return HYMG_EINVAL;
  const hymg_profile_row *found = index >= 0 ? used_row(solver, index) : NULL;
  if (!found)
    return hymgi_fail(solver->h.context, HYMG_EINVAL,
                      "profile row %d: there are %d, counted from 0", index,
                      hymg_solver_profile_rows(solver));
  *row = *found;
  return HYMG_OK;
}

void hymg_solver_stop(hymg_solver *solver)
{
  if (solver) solver->stop = 1;
}
