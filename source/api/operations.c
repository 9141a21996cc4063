/* Single operations on a level, with the user's fields. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "transport/transport.h"

hymg_status hymgi_check_field(const hymg_solver *solver, int level, const hymg_field *field,
                              const char *name)
{
  hymg_context *c = solver->h.context;
  if (!field) return hymgi_fail(c, HYMG_EINVAL, "%s is NULL", name);
  if (field->grid != solver->h.op->grid)
    return hymgi_fail(c, HYMG_EINVAL, "%s is a field of another grid than the solver", name);
  if (field->centering != HYMG_CELL)
    return hymgi_fail(c, HYMG_EINVAL, "%s is a field of %s: cells are wanted", name,
                      hymgi_centering_name(field->centering));
  if (field->level != level)
    return hymgi_fail(c, HYMG_EINVAL, "%s is on level %d: %d is wanted", name, field->level, level);
  if (level > 0 && field->solver != solver->id)
    return hymgi_fail(c, HYMG_EINVAL, "%s is on a level of another solver", name);
  return HYMG_OK;
}

/* A copy of a field (NULL: zeros) in a vector of the level, with ghosts. */
static hymg_status vector_of(const hymgi_level *level, const hymg_field *field, double **vector)
{
  TRY(hymgi_vector_create(level, level->vector_size, vector));
  return field ? hymgi_field_load(field, level, *vector) : HYMG_OK;
}

typedef enum { APPLY, RESIDUAL, RESTRICT } operation;

/* out = A x, the residual f - A x, or x on the next coarser level. */
static hymg_status operate(hymg_solver *solver, int l, operation kind, const hymg_field *f,
                           const hymg_field *x, hymg_field *out)
{
  static const char *const name[][2] = {
      {"x", "y"}, {"u", "r"}, {"the fine field", "the coarse field"}};
  const bool restricts = kind == RESTRICT;
  if (!solver) return HYMG_EINVAL;
  TRY(hymgi_check_level(&solver->h, l, solver->h.num_levels - restricts));
  if (restricts && solver->h.level[l].uneven)
    return hymgi_fail(solver->h.context, HYMG_EUNSUPPORTED,
                      "restriction from level %d: its sides are not even", l);
  hymgi_level *level = solver->h.level + l;
  hymg_context *c = level->context;
  double *vx = NULL, *vf = NULL, *vout = NULL;
  hymg_status status = kind == RESIDUAL ? hymgi_check_field(solver, l, f, "f") : HYMG_OK;
  if (status == HYMG_OK) status = hymgi_check_field(solver, l, x, name[kind][0]);
  if (status == HYMG_OK) status = hymgi_check_field(solver, l + restricts, out, name[kind][1]);
  TRY(hymgi_agree(c, status));
  c->status = HYMG_OK;
  status = vector_of(level, x, &vx);
  if (status == HYMG_OK && kind == RESIDUAL) status = vector_of(level, f, &vf);
  if (status == HYMG_OK && !restricts) status = vector_of(level, NULL, &vout);
  status = hymgi_agree(c, status);
  const bool volumes = solver->h.method.stretched && l == 0 && level->num_boxes && !restricts;
  if (status == HYMG_OK) {
    if (volumes && vf) level->backend->robust->scale_volumes(level, false, vf);
    if (vf && level->boundaries) level->backend->add_boundary_terms(level, vf);
    if (kind == APPLY)
      hymgi_apply(level, vx, vout);
    else if (kind == RESIDUAL)
      hymgi_residual(level, vf, vx, vout);
    else
      hymgi_restrict_cells(level, vx, level + 1, out->data);
    if (volumes) level->backend->robust->scale_volumes(level, true, vout);
    if (!restricts) status = hymgi_field_store(level, vout, out);
    status = hymgi_agree_or_reset(&solver->h, status == HYMG_OK ? c->status : status);
  }
  hymgi_vector_destroy(level, level->vector_size, &vx);
  hymgi_vector_destroy(level, level->vector_size, &vf);
  hymgi_vector_destroy(level, level->vector_size, &vout);
  return status;
}

hymg_status hymg_apply(hymg_solver *solver, int level, const hymg_field *x, hymg_field *y)
{
  return operate(solver, level, APPLY, NULL, x, y);
}

hymg_status hymg_residual(hymg_solver *solver, int level, const hymg_field *f, const hymg_field *u,
                          hymg_field *r)
{
  return operate(solver, level, RESIDUAL, f, u, r);
}

hymg_status hymg_restrict(hymg_solver *solver, int level, const hymg_field *fine,
                          hymg_field *coarse)
{
  return operate(solver, level, RESTRICT, NULL, fine, coarse);
}
