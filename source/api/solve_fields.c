/* The beginning of a solve: its fields are checked, the ranks agree on the call, and the fields are
 * used in place or converted. */
#include "api/solver.h"

void hymgi_solver_arguments(hymgi_arguments *a, const char *call, const hymg_solver *solver)
{
  hymgi_arguments_begin(a, call);
  hymgi_arguments_whole(a, "the solver's number", solver->id);
}

hymg_status hymgi_solve_check(const hymg_solver *solver, int l, const hymg_field *f,
                              const hymg_field *u)
{
  hymg_context *c = solver->h.context;
  TRY(hymgi_check_level(&solver->h, l, solver->h.num_levels));
  if (solver->h.method.robust && l > 0)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "a solve on level %d of the robust path: level 0 only",
                      l);
  if (solver->h.level[l].shortened)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "a solve on level %d, below one whose sides are not even", l);
  TRY(hymgi_check_field(solver, l, f, "f"));
  TRY(hymgi_check_field(solver, l, u, "u"));
  return f == u ? hymgi_fail(c, HYMG_EINVAL, "f and u are the same field") : HYMG_OK;
}

/* f is never written while it is the user's field. */
static bool keeps_f(const hymg_solver *solver, const hymgi_level *level, const hymg_field *f)
{
  return hymgi_in_place(level, f) && !level->boundaries && !solver->h.method.singular &&
         !solver->h.method.stretched && !solver->h.method.fixed;
}

/* Level 0 has vectors of its own only if the user's fields cannot be used in place: they are
 * allocated in the first solve that needs them. */
static hymg_status make_vectors(const hymg_solver *solver, hymgi_level *level, const hymg_field *f,
                                const hymg_field *u)
{
  if (!keeps_f(solver, level, f) && !level->own_f)
    TRY(hymgi_vector_create(level, level->vector_size, &level->own_f));
  if (!hymgi_in_place(level, u) && !level->own_x)
    TRY(hymgi_vector_create(level, level->vector_size, &level->own_x));
  return HYMG_OK;
}

static hymg_status bind(const hymg_solver *solver, hymgi_level *level, const hymg_field *f,
                        hymg_field *u)
{
  const bool keep_f = keeps_f(solver, level, f), keep_u = hymgi_in_place(level, u);
  if (keep_u || level->index == 0) level->x = keep_u ? u->data : level->own_x;
  level->f = keep_f ? f->data : level->own_f;
  if (!keep_f) TRY(hymgi_field_load(f, level, level->f));
  if (solver->h.method.stretched && level->num_boxes)
    level->backend->robust->scale_volumes(level, false, level->f);
  if (!keep_u && solver->h.options.initial_guess) TRY(hymgi_field_load(u, level, level->x));
  return level->context->status;
}

/* Not with widths, where f is multiplied with volumes. */
hymg_status hymgi_solve_load_again(hymgi_level *level, const hymg_field *f)
{
  if (!level->own_f) TRY(hymgi_vector_create(level, level->vector_size, &level->own_f));
  level->f = level->own_f;
  return hymgi_field_load(f, level, level->f);
}

/* With boxes of its own, level 0 gets the fields by messages, so that all ranks must be ready. */
hymg_status hymgi_solve_bind(hymg_solver *solver, int l, hymg_status status, const hymg_field *f,
                             hymg_field *u)
{
  hymg_context *c = solver->h.context;
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solve", solver);
  hymgi_arguments_whole(&a, "level", l);
  c->status = HYMG_OK;
  if (status == HYMG_OK) status = make_vectors(solver, solver->h.level + l, f, u);
  if (solver->h.level->outside) TRY(hymgi_agree_on(c, status, &a));
  if (status == HYMG_OK) status = bind(solver, solver->h.level + l, f, u);
  return hymgi_agree_on(c, status, &a);
}
