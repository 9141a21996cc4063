/* Single operations on a level, with the user's fields. */
#include "api/solver.h"
#include "hierarchy/open_boundary.h"
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

typedef enum { APPLY, RESIDUAL, RESTRICT } operation;

typedef struct operands {
  const hymg_field *f, *x;
  hymg_field *out;
} operands;

static hymg_status check(const hymg_solver *solver, int l, operation kind, const operands *o)
{
  static const char *const name[][2] = {
      {"x", "y"}, {"u", "r"}, {"the fine field", "the coarse field"}};
  const bool restricts = kind == RESTRICT;
  TRY(hymgi_check_level(&solver->h, l, solver->h.num_levels - restricts));
  if (restricts && solver->h.level[l].uneven)
    return hymgi_fail(solver->h.context, HYMG_EUNSUPPORTED,
                      "restriction from level %d: its sides are not even", l);
  if (kind == RESIDUAL) TRY(hymgi_check_field(solver, l, o->f, "f"));
  TRY(hymgi_check_field(solver, l, o->x, name[kind][0]));
  return hymgi_check_field(solver, l + restricts, o->out, name[kind][1]);
}

/* Vectors of the level for f, x and out. */
typedef struct vectors {
  double *f, *x, *out;
} vectors;

static hymg_status create(const hymgi_level *level, operation kind, vectors *v)
{
  TRY(hymgi_vector_create(level, level->vector_size, &v->x));
  if (kind == RESIDUAL) TRY(hymgi_vector_create(level, level->vector_size, &v->f));
  return kind == RESTRICT ? HYMG_OK : hymgi_vector_create(level, level->vector_size, &v->out);
}

/* out = A x, the residual f - A x, or x on the next coarser level. */
static hymg_status run(hymgi_hierarchy *h, hymgi_level *level, operation kind, const operands *o,
                       const vectors *v)
{
  const bool volumes =
      level->method->stretched && level->index == 0 && level->num_boxes && kind != RESTRICT;
  hymg_status status = hymgi_field_load(o->x, level, v->x), loaded = HYMG_OK;
  if (kind == RESIDUAL) loaded = hymgi_field_load(o->f, level, v->f);
  if (status == HYMG_OK) status = loaded;
  if (volumes && v->f) level->backend->robust->scale_volumes(level, false, v->f);
  if (kind == RESIDUAL) hymgi_open_load(h, level->index, 1, v->f);
  if (v->f) hymgi_add_boundary_terms(level, v->f);
  if (kind != RESTRICT) hymgi_set_fixed(level, HYMGI_FIX_ZERO, v->x);
  if (kind == APPLY)
    hymgi_apply(level, v->x, v->out);
  else if (kind == RESIDUAL)
    hymgi_residual(level, v->f, v->x, v->out);
  else
    hymgi_restrict_cells(level, v->x, level + 1, o->out->data);
  if (volumes) level->backend->robust->scale_volumes(level, true, v->out);
  if (kind != RESTRICT) hymgi_set_fixed(level, HYMGI_FIX_ZERO, v->out);
  const hymg_status stored = kind == RESTRICT ? HYMG_OK : hymgi_field_store(level, v->out, o->out);
  return status == HYMG_OK ? stored : status;
}

static hymg_status operate(hymg_solver *solver, const char *call, int l, operation kind,
                           const operands *o)
{
  if (!solver) return HYMG_EINVAL;
  hymg_context *c = solver->h.context;
  hymgi_arguments a;
  vectors v = {NULL, NULL, NULL};
  hymgi_solver_arguments(&a, call, solver);
  hymgi_arguments_whole(&a, "level", l);
  TRY(hymgi_agree_on(c, check(solver, l, kind, o), &a));
  hymgi_level *level = kind == RESTRICT ? solver->h.level + l : hymgi_system_level(&solver->h, l);
  c->status = HYMG_OK;
  hymg_status status = hymgi_agree(c, create(level, kind, &v));
  if (status == HYMG_OK) {
    status = run(&solver->h, level, kind, o, &v);
    status = hymgi_agree_or_reset(&solver->h, status == HYMG_OK ? c->status : status);
  }
  hymgi_vector_destroy(level, level->vector_size, &v.x);
  hymgi_vector_destroy(level, level->vector_size, &v.f);
  hymgi_vector_destroy(level, level->vector_size, &v.out);
  return status;
}

hymg_status hymg_apply(hymg_solver *solver, int level, const hymg_field *x, hymg_field *y)
{
  const operands o = {NULL, x, y};
  return operate(solver, "hymg_apply", level, APPLY, &o);
}

hymg_status hymg_residual(hymg_solver *solver, int level, const hymg_field *f, const hymg_field *u,
                          hymg_field *r)
{
  const operands o = {f, u, r};
  return operate(solver, "hymg_residual", level, RESIDUAL, &o);
}

hymg_status hymg_restrict(hymg_solver *solver, int level, const hymg_field *fine,
                          hymg_field *coarse)
{
  const operands o = {NULL, fine, coarse};
  return operate(solver, "hymg_restrict", level, RESTRICT, &o);
}
