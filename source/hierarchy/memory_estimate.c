/* What a solver needs in memory, told before anything is taken: per level, and on a GPU against what
 * is free there. */
#include <math.h>
#include <stdlib.h>

#include "api/solver.h"
#include "hierarchy/placement.h"

_Static_assert((int)HYMGI_MAX_LEVELS == (int)HYMG_MAX_LEVELS, "the number of levels is public");

/* Doubles in messages if every face of the rank's boxes that is no boundary were sent and received, as
 * deep as the ghosts, by the two halo plans. A device has room for as many: peers send nothing from
 * buffers and receive into two. (Staged, they lie in memory of the host.) */
static double message_doubles(const hymgi_level *level)
{
  double ghosts = 0;
  if (hymgi_comm_size(level->context->comm) == 1) return 0;
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    double with = 1, without = 1;
    for (int axis = 0; axis < 3; axis++) {
      const int boundaries =
          (g->boundaries >> (2 * axis) & 1) + (g->boundaries >> (2 * axis + 1) & 1);
      with *= g->n[axis] + (double)g->ghost * (2 - boundaries);
      without *= g->n[axis];
    }
    ghosts += with - without;
  }
  return 4 * ghosts;
}

static hymg_level_need level_need(const hymg_solver *solver, int l)
{
  const hymgi_level *level = solver->level + l;
  const hymgi_memory_need need = hymgi_level_memory(solver, l);
  hymg_level_need n = {.cells = {level->n[0], level->n[1], level->n[2]},
                       .backend = level->backend->id,
                       .memory = level->memory->name};
  const int borrowed = l == 0 && level->num_boxes > 0 ? 2 : 0; /* u and f */
  const double bytes = (double)need.stride * sizeof(double);
  n.vectors = bytes * (need.vectors + need.krylov + borrowed);
  n.coefficients = bytes * need.coefficients;
  n.buffers = ((double)need.patch + (double)need.scratch + message_doubles(level)) * sizeof(double);
  return n;
}

static double sum_of(const hymg_level_need *n)
{
  return n->vectors + n->coefficients + n->buffers;
}

/* Memory of the fine levels if it can tell what is free, else NULL. */
static const hymgi_memory *limited_memory(const hymg_solver *solver)
{
  const hymgi_memory *memory = solver->level[0].memory;
  return memory->available ? memory : NULL;
}

static hymg_status fill(const hymg_solver *solver, hymg_need *need)
{
  const hymgi_memory *limited = limited_memory(solver);
  *need = (hymg_need){.num_levels = solver->num_levels};
  for (int l = 0; l < solver->num_levels; l++) {
    need->level[l] = level_need(solver, l);
    if (limited && solver->level[l].memory == limited)
      need->device_bytes += sum_of(need->level + l);
  }
  if (!limited) return HYMG_OK;
  size_t available;
  TRY(limited->available(solver->op->grid->context, &available));
  need->device_free = (double)available;
  return HYMG_OK;
}

hymg_status hymgi_memory_check(const hymg_solver *solver)
{
  hymg_context *context = solver->op->grid->context;
  hymg_need need;
  double sum = 0;
  TRY(fill(solver, &need));
  for (int l = 0; l < need.num_levels; l++)
    sum += sum_of(need.level + l);
  if (sum >= ldexp(1, 62)) /* sizes below are counted in integers */
    return hymgi_fail(context, HYMG_ENOMEM, "%.3g GB are more than an address space", sum * 1e-9);
  if (!limited_memory(solver) || need.device_bytes <= need.device_free) return HYMG_OK;
  return hymgi_fail(context, HYMG_ENOMEM,
                    "%.3f GB are needed on the GPU for the solver and its fields, %.3f GB are free",
                    need.device_bytes * 1e-9, need.device_free * 1e-9);
}

/* A solver as far as its need: no plans, no vectors. */
static hymg_status plan(hymg_operator *op, unsigned variable, const hymg_options *options,
                        hymg_solver *s)
{
  hymg_context *context = op->grid->context;
  const hymgi_backend *backend;
  s->op = op;
  s->options = hymgi_options_resolve(options);
  TRY(hymgi_agree(context, hymgi_options_check(context, op->desc.stencil, &s->options)));
  TRY(hymgi_choose_backend(context, &s->options, &backend));
  hymgi_solver_set_method(s);
  s->method.variable_beta = s->method.variable_beta || (variable & HYMG_VARIABLE_BETA);
  s->method.variable_alpha =
      s->method.has_alpha && (s->method.variable_alpha || (variable & HYMG_VARIABLE_ALPHA));
  TRY(hymgi_hierarchy_shape(s, backend));
  TRY(hymgi_placement_choose(s, backend, HYMGI_NEVER_MEASURE));
  hymgi_hierarchy_place(s);
  return HYMG_OK;
}

hymg_status hymg_solver_need(hymg_grid *grid, const hymg_operator_desc *desc, unsigned variable,
                             const hymg_options *options, hymg_need *need)
{
  if (!grid) return HYMG_EINVAL;
  hymg_context *context = grid->context;
  hymg_operator *op = NULL;
  hymg_solver *s = NULL;
  hymg_status status =
      need ? HYMG_OK : hymgi_fail(context, HYMG_EINVAL, "hymg_solver_need: need is NULL");
  if (status == HYMG_OK && variable > (HYMG_VARIABLE_ALPHA | HYMG_VARIABLE_BETA))
    status = hymgi_fail(context, HYMG_EINVAL, "variable %u: 0 to 3", variable);
  if (status == HYMG_OK) status = hymg_operator_create(grid, desc, &op);
  if (status == HYMG_OK && !(s = calloc(1, sizeof *s)))
    status = hymgi_fail(context, HYMG_ENOMEM, "no memory for a plan");
  status = hymgi_agree(context, status);
  if (status == HYMG_OK) status = plan(op, variable, options, s);
  if (status == HYMG_OK) {
    hymg_need found;
    status = hymgi_agree(context, fill(s, &found));
    if (status == HYMG_OK) *need = found;
  }
  if (s) hymgi_hierarchy_destroy(s);
  free(s);
  hymg_operator_destroy(&op);
  return status;
}
