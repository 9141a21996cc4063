/* FV4's limiter: which faces of level 0 have the flux of FV2 (formulas/limiter.h), and where the operator
 * has the mean of alpha u (formulas/fv4_alpha.h). */
#include <math.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

/* The factor by which beta varies among neighbouring faces, from which on FV4's flux would not do. */
#define DEFAULT_LIMIT 8
/* That of alpha among neighbouring cells, as a part of it: random alphas within a factor of 8 that outweigh
 * beta took 16 iterations instead of 6 with a part of 1, 7 with 0.5. */
#define ALPHA_PART 0.5
/* and without a limiter: what stands for C in empty rows is beyond it (fixed_cells.c) */
#define ALPHA_MOST 0x1p20

static double limit_of(const hymgi_hierarchy *h)
{
  return h->op->desc.limiter == 0 ? DEFAULT_LIMIT : h->op->desc.limiter;
}

/* Is a face of this rank marked? */
static bool any_marked(const hymgi_level *level, int axis)
{
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++) {
    int n[3] = {g->n[0], g->n[1], g->n[2]};
    hymgi_finding found;
    n[axis]++;
    level->backend->examine(level, g, n, HYMGI_VALID_POSITIVE, level->c.beta[axis], &found);
    if (found.bad) return true;
  }
  return false;
}

/* Collective. The faces next to a marked one along the axis, also of a neighbouring box, are marked too. */
static void spread(const hymgi_level *level, int axis)
{
  const hymgi_plan *plan = hymgi_operator_halo(level);
  double *const faces = level->krylov, *const beta = level->c.beta[axis];
  if (level->num_boxes) hymgi_vector_copy(level, beta, faces);
  if (plan) hymgi_run_plan(level, plan, level->box, faces, level->box, faces);
  if (level->num_boxes) level->backend->robust->spread_marks(level, axis, faces, beta);
}

static void mark_jumps(const hymgi_level *level, double limit)
{
  for (int axis = 0; axis < 3; axis++) {
    double *const faces = level->krylov, *const beta = level->c.beta[axis];
    hymgi_vector_copy(level, beta, faces);
    level->backend->robust->mark_jumps(level, axis, limit, faces, beta);
  }
}

/* Collective: what would be read across faces of beta 0. */
static void mark_near_closed(const hymgi_level *level)
{
  const hymgi_plan *plan = hymgi_operator_halo(level);
  double *const closed = level->krylov;
  if (level->num_boxes) level->backend->robust->find_closed(level, closed);
  if (plan) hymgi_run_plan(level, plan, level->box, closed, level->box, closed);
  for (int axis = 0; axis < 3 && level->num_boxes > 0; axis++)
    level->backend->robust->mark_near_closed(level, axis, closed, level->c.beta[axis]);
}

static bool is_marked(const hymgi_level *level)
{
  bool marked = false;
  for (int axis = 0; axis < 3 && !marked; axis++)
    marked = any_marked(level, axis);
  return marked;
}

hymg_status hymgi_limiter_set(hymgi_hierarchy *h)
{
  hymgi_level *level = h->system;
  const double limit = limit_of(h);
  level->c.limited = h->limited = false;
  const bool closed = h->method.masked || hymgi_any_fixed(h);
  level->c.closed = closed;
  if (h->kind->stencil != HYMG_FV4) return HYMG_OK;
  if (!closed && (isinf(limit) || !h->op->desc.beta[0])) return HYMG_OK;
  if (!isinf(limit) && level->num_boxes > 0) mark_jumps(level, limit);
  if (closed) mark_near_closed(level);
  level->c.limited = is_marked(level);
  int any = level->c.limited;
  TRY(hymgi_agree(h->context, h->context->status));
  TRY(hymgi_comm_max_int(h->context, h->context->comm, &any, 1));
  h->limited = any != 0;
  for (int axis = 0; axis < 3 && any; axis++)
    spread(level, axis);
  level->c.limited = is_marked(level);
  return hymgi_agree(h->context, h->context->status);
}

hymg_status hymgi_alpha_set(hymgi_hierarchy *h)
{
  hymgi_level *level = h->system;
  level->c.alpha_limit = 0;
  if (h->kind->stencil != HYMG_FV4 || !h->alpha_varies) return HYMG_OK;
  const hymgi_plan *plan = hymgi_operator_halo(level);
  level->c.alpha_limit = fmin(ALPHA_PART * limit_of(h), ALPHA_MOST);
  if (plan) hymgi_run_plan(level, plan, level->box, level->c.alpha, level->box, level->c.alpha);
  if (level->num_boxes) level->backend->robust->continue_cells(level, level->c.alpha);
  return hymgi_agree(h->context, h->context->status);
}
