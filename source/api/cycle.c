/* One plain cycle with the user's fields (hymg_solver_cycle): no norm, no test, no wait. */
#include "api/solve/solve.h"
#include "transport/transport.h"

static hymg_status check(const hymg_solver *solver, hymg_cycle kind, bool from_u)
{
  hymg_context *c = solver->h.context;
  if (kind == HYMG_CYCLE_V || kind == HYMG_CYCLE_W) return HYMG_OK;
  if (kind != HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle %d: %s", (int)kind,
                      hymgi_enum_range("hymg_cycle", INT_MAX, false).text);
  if (from_u)
    return hymgi_fail(c, HYMG_EINVAL, "an initial guess with an F-cycle, which overwrites it");
  if (solver->h.method.robust)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "an F-cycle on the robust path: V or W only");
  for (int face = 0; face < 6; face++)
    if (hymgi_has_values(solver->h.op, face))
      return hymgi_fail(c, HYMG_EUNSUPPORTED,
                        "an F-cycle of a solver with boundary data: V or W only, or hymg_solve");
  return HYMG_OK;
}

static bool keeps_f(const hymg_solver *solver, const hymg_field *f)
{
  return hymgi_in_place(solver->h.system, f) && !solver->h.method.stretched &&
         !solver->h.method.empty_rows && !solver->h.mean_weight;
}

/* Checks the fields and allocates vectors for those that cannot be used in place. */
static hymg_status make_vectors(hymg_solver *solver, const hymg_field *f, const hymg_field *u)
{
  hymgi_level *level = solver->h.system;
  TRY(hymgi_check_field(solver, 0, f, "f"));
  TRY(hymgi_check_field(solver, 0, u, "u"));
  if (f == u) return hymgi_fail(level->context, HYMG_EINVAL, "f and u are the same field");
  level->context->status = HYMG_OK;
  return hymgi_own_vectors(level, keeps_f(solver, f), u);
}

static bool is_bound(const hymg_solver *solver, const hymg_field *f, const hymg_field *u)
{
  return f && u && f != u && f->used_as_f == solver->binding && u->used_as_u == solver->binding;
}

/* All ranks agree on the call, of which `status` is this rank's outcome so far, and its fields.
 * Nothing of it is needed again for the same fields. */
static hymg_status bind(hymg_solver *solver, hymg_status status, hymg_cycle kind, bool from_u,
                        hymg_field *f, hymg_field *u)
{
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solver_cycle", solver);
  hymgi_arguments_whole(&a, "kind", (int)kind);
  hymgi_arguments_text(&a, "from_u", from_u ? "true" : "false");
  if (status == HYMG_OK) status = make_vectors(solver, f, u);
  TRY(hymgi_agree_on(solver->h.context, status, &a));
  f->used_as_f = u->used_as_u = solver->binding;
  return HYMG_OK;
}

/* x + M (f - A x): the preconditioner may be of another operator, so it gets the residual. */
static void preconditioner(hymg_solver *solver, hymg_cycle kind, bool from_x)
{
  hymgi_level *const system = solver->h.system, *const level = solver->h.level;
  double *const x = system->x, *const f = system->f;
  double *const r = from_x && level->num_boxes ? level->krylov : NULL;
  if (from_x) hymgi_residual(system, f, x, r);
  level->f = from_x ? r : f;
  level->x = from_x ? (r ? r + level->vector_size : NULL) : x;
  hymgi_cycle_from_zero(&solver->h, kind, 0);
  if (from_x) hymgi_axpby(system, 1, level->x, 1, x, x);
  system->x = from_x ? x : level->x, system->y = level->y, system->f = f;
}

/* level->x, which is 0 unless from_u says otherwise, becomes the cycle's result. */
static void run(hymg_solver *solver, hymg_cycle kind, bool from_u)
{
  hymgi_hierarchy *h = &solver->h;
  hymgi_level *level = h->level;
  if (h->method.robust) {
    preconditioner(solver, kind, from_u);
    return;
  }
  hymgi_begin_cycle(h, 0, kind, HYMGI_VARIANT_USER);
  for (int l = 0; kind == HYMG_CYCLE_F && l < hymgi_last_rhs(h, 0); l++)
    hymgi_restrict_cells(level + l, level[l].f, level + l + 1, level[l + 1].f);
  hymgi_cycle(h, kind, 0);
  hymgi_end_cycle(h, 0);
}

/* After a failure the messages that other ranks wait for are sent all the same. */
static hymg_status cycle(hymg_solver *solver, hymg_cycle kind, bool from_u, const hymg_field *f,
                         hymg_field *u)
{
  hymgi_level *level = solver->h.system;
  const hymg_status loaded = hymgi_load_fields(level, keeps_f(solver, f), f, from_u, u);
  hymg_status stored = HYMG_OK;
  double *const target = level->x;
  double mean = 0;
  if (solver->h.mean_weight && level->num_boxes) mean = hymgi_subtract_mean(level, level->f);
  hymgi_set_fixed(level, HYMGI_FIX_ZERO, level->f);
  if (!from_u && kind != HYMG_CYCLE_F) hymgi_fill(level, 0, target);
  if (from_u) hymgi_set_fixed(level, HYMGI_FIX_ZERO, target);
  run(solver, kind, from_u);
  if (level->x != target) hymgi_copy_vector(level, level->x, target);
  if (solver->h.mean_weight) {
    hymgi_center(level, target);
    hymgi_shift(level, solver->h.mean_weight * mean, target);
  }
  hymgi_set_fixed(level, HYMGI_FIX_ZERO, target);
  if (!hymgi_in_place(level, u)) stored = hymgi_field_store(level, target, u);
  return loaded ? loaded : stored ? stored : level->context->status;
}

hymg_status hymg_solver_cycle(hymg_solver *solver, hymg_cycle kind, bool from_u,
                              const hymg_field *f, hymg_field *u)
{
  if (!solver) return HYMG_EINVAL;
  hymg_context *c = solver->h.context;
  if (kind == HYMG_CYCLE_DEFAULT) kind = solver->h.options.cycle;
  const hymg_status checked = check(solver, kind, from_u);
  if (is_bound(solver, f, u))
    TRY(checked);
  else /* notes in f that it was checked */
    TRY(bind(solver, checked, kind, from_u, (hymg_field *)f, u));
  const hymgi_buffers before = hymgi_buffers_of(solver, 0);
  c->status = c->pending; /* after a failure that no call has reported yet, the GPU does nothing */
  const hymg_status status = cycle(solver, kind, from_u, f, u);
  hymgi_buffers_restore(&before);
  if (status == HYMG_OK || !c->comm) return status;
  hymgi_report_later(c, status);
  return HYMG_OK;
}
