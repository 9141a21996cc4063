/* Fluxes of a solution through the faces of level 0. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "transport/transport.h"

static hymg_status check(const hymg_solver *solver, const hymg_field *u, hymg_field *const flux[3])
{
  hymg_context *c = solver->h.context;
  if (solver->h.kind->stencil != HYMG_FV2)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "fluxes of FV4: FV2 only");
  TRY(hymgi_check_field(solver, 0, u, "u"));
  if (!flux) return hymgi_fail(c, HYMG_EINVAL, "hymg_fluxes: flux is NULL");
  for (int axis = 0; axis < 3; axis++) {
    const hymg_field *f = flux[axis];
    if (!f) continue;
    if (f->grid != solver->h.op->grid)
      return hymgi_fail(c, HYMG_EINVAL, "flux[%d] is a field of another grid than the solver",
                        axis);
    if ((int)f->centering != 1 + axis)
      return hymgi_fail(c, HYMG_EINVAL, "flux[%d] is a field of %s, not of %c faces", axis,
                        hymgi_centering_name(f->centering), "xyz"[axis]);
  }
  return HYMG_OK;
}

/* Faces of fixed cells have beta 0 in the solver. Fluxes need the betas from before that, so the two are
 * exchanged before and after. */
static void exchange_betas(hymgi_level *level)
{
  for (int axis = 0; level->fixed.beta[0] && axis < 3; axis++) {
    double *const beta = level->c.beta[axis];
    level->c.beta[axis] = level->fixed.beta[axis], level->fixed.beta[axis] = beta;
  }
}

/* x: u with ghosts; out: a vector. After a failure the messages that other ranks wait for are sent
 * all the same. */
static hymg_status make(hymgi_level *level, const hymg_field *u, hymg_field *const flux[3],
                        double *x, double *out)
{
  hymg_status status = hymgi_field_load(u, level, x);
  hymgi_set_fixed(level, HYMGI_FIX_GIVEN, x);
  hymgi_run_plan(level, level->halo[HYMGI_HALO_FACES], level->box, x, level->box, x);
  exchange_betas(level);
  for (int axis = 0; axis < 3; axis++) {
    if (!flux[axis]) continue;
    if (level->num_boxes) level->backend->fluxes(level, axis, x, out);
    const hymg_status stored = hymgi_field_store(level, out, flux[axis]);
    if (status == HYMG_OK) status = stored;
  }
  exchange_betas(level);
  level->backend->sync(level->context);
  return status == HYMG_OK ? level->context->status : status;
}

hymg_status hymg_fluxes(hymg_solver *solver, const hymg_field *u, hymg_field *const flux[3])
{
  static const char *const name[3] = {"flux[0]", "flux[1]", "flux[2]"};
  if (!solver) return HYMG_EINVAL;
  hymgi_level *level = solver->h.system;
  hymg_context *c = level->context;
  double *x = NULL, *out = NULL;
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_fluxes", solver);
  for (int axis = 0; axis < 3; axis++)
    hymgi_arguments_text(&a, name[axis], flux && flux[axis] ? "a field" : "NULL");
  TRY(hymgi_agree_on(c, check(solver, u, flux), &a));
  c->status = HYMG_OK;
  hymg_status status = hymgi_vector_create(level, level->vector_size, &x);
  if (status == HYMG_OK) status = hymgi_vector_create(level, level->vector_size, &out);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = hymgi_agree_or_reset(&solver->h, make(level, u, flux, x, out));
  hymgi_vector_destroy(level, level->vector_size, &x);
  hymgi_vector_destroy(level, level->vector_size, &out);
  return status;
}
