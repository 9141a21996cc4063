/* The beginning of a solve: its fields are checked, the ranks agree on the call, and the fields are
 * used in place or converted. */
#include "api/solve/solve.h"

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
         !solver->h.method.stretched && !solver->h.method.empty_rows;
}

hymgi_buffers hymgi_buffers_of(hymg_solver *solver, int l)
{
  hymgi_buffers b = {.level = {solver->h.level + l, hymgi_system_level(&solver->h, l)}};
  for (int m = 0; m < 2; m++)
    b.x[m] = b.level[m]->x, b.y[m] = b.level[m]->y, b.f[m] = b.level[m]->f;
  return b;
}

void hymgi_buffers_restore(const hymgi_buffers *b)
{
  for (int m = 0; m < 2; m++)
    b->level[m]->x = b->x[m], b->level[m]->y = b->y[m], b->level[m]->f = b->f[m];
}

/* Level 0 has vectors of its own only if the user's fields cannot be used in place: they are
 * allocated in the first call that needs them. */
hymg_status hymgi_own_vectors(hymgi_level *level, bool keep_f, const hymg_field *u)
{
  if (!keep_f && !level->own_f) TRY(hymgi_vector_create(level, level->vector_size, &level->own_f));
  if (!hymgi_in_place(level, u) && !level->own_x)
    TRY(hymgi_vector_create(level, level->vector_size, &level->own_x));
  return HYMG_OK;
}

hymg_status hymgi_load_fields(hymgi_level *level, bool keep_f, const hymg_field *f, bool guess,
                              const hymg_field *u)
{
  const bool keep_u = hymgi_in_place(level, u);
  hymg_status of_f = HYMG_OK, of_u = HYMG_OK;
  if (keep_u || level->index == 0) level->x = keep_u ? u->data : level->own_x;
  level->f = keep_f ? f->data : level->own_f;
  if (!keep_f) of_f = hymgi_field_load(f, level, level->f);
  if (level->method->stretched && level->num_boxes)
    level->backend->robust->scale_volumes(level, false, level->f);
  if (!keep_u && guess) of_u = hymgi_field_load(u, level, level->x);
  return of_f ? of_f : of_u ? of_u : level->context->status;
}

/* With boxes of its own, level 0 gets the fields by messages, so that all ranks must be ready. */
hymg_status hymgi_solve_bind(hymg_solver *solver, int l, hymg_status status, const hymg_field *f,
                             hymg_field *u)
{
  hymg_context *c = solver->h.context;
  hymgi_level *level = hymgi_system_level(&solver->h, status == HYMG_OK ? l : 0);
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solve", solver);
  hymgi_arguments_whole(&a, "level", l);
  c->status = HYMG_OK;
  const bool keep_f = status == HYMG_OK && keeps_f(solver, level, f);
  if (status == HYMG_OK) status = hymgi_own_vectors(level, keep_f, u);
  if (solver->h.level->outside) TRY(hymgi_agree_on(c, status, &a));
  if (status == HYMG_OK)
    status = hymgi_load_fields(level, keep_f, f, solver->h.options.initial_guess, u);
  return hymgi_agree_on(c, status, &a);
}
