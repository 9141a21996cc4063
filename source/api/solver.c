/* Solvers: creation, update, memory estimate. solve/ has the solves. */
#include "api/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/solve/solve.h"
#include "hierarchy/schedules.h"
#include "transport/transport.h"

/* Backend auto takes the GPU if every rank has a usable one; a missing GPU is not an error then. */
hymg_status hymgi_choose_backend(hymg_context *c, const hymg_options *o,
                                 const hymgi_backend **backend)
{
  *backend = hymgi_cpu_backend();
  if (o->backend == HYMG_BACKEND_HOST) return HYMG_OK;
  const bool wanted = o->backend == HYMG_BACKEND_CUDA;
  if (o->smoother == HYMG_SYMGS && !wanted) return HYMG_OK;
  if (o->smoother == HYMG_SYMGS)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "smoother symgs on backend cuda: host only");
  char text[sizeof c->error];
  memcpy(text, c->error, sizeof text);
  const hymgi_backend *cuda = NULL;
  const hymg_status status = hymgi_cuda_backend(c, o->memory == HYMG_MEMORY_MANAGED, &cuda);
  int lacking = status == HYMG_EUNSUPPORTED && !wanted;
  TRY(hymgi_agree(c, lacking ? HYMG_OK : status));
  if (lacking) memcpy(c->error, text, sizeof text);
  TRY(hymgi_comm_max_int(c, c->comm, &lacking, 1));
  if (!lacking) *backend = cuda;
  return HYMG_OK;
}

/* Level 0 has x and f only during a solve: it gets temporary vectors for tuning. */
static hymg_status tune_levels(hymg_solver *s, hymgi_schedules *known)
{
  hymgi_level *finest = s->h.level;
  double *x, *f, *const y = finest->y;
  hymg_status status = hymgi_vector_create(finest, finest->vector_size, &x);
  f = NULL;
  if (status == HYMG_OK) status = hymgi_vector_create(finest, finest->vector_size, &f);
  finest->x = x, finest->f = f;
  for (int l = 0; status == HYMG_OK && l < HYMGI_MAX_LEVELS; l++)
    hymgi_schedule_choose(&s->h, known, l);
  finest->x = finest->f = NULL, finest->y = y;
  for (int l = HYMGI_MAX_LEVELS; status == HYMG_OK && l < HYMGI_SCHEDULES; l++)
    hymgi_schedule_choose(&s->h, known, l);
  hymgi_vector_destroy(finest, finest->vector_size, &x);
  hymgi_vector_destroy(finest, finest->vector_size, &f);
  return status;
}

/* Collective: by what the tuning file says or by measurements. */
static hymg_status tune(hymg_solver *s)
{
  const double start = hymgi_seconds();
  hymgi_schedules known;
  TRY(hymgi_schedules_find(&s->h, &known));
  TRY(hymgi_agree(s->h.context, tune_levels(s, &known)));
  s->levels_measured = 0;
  for (int l = 0; l < HYMGI_SCHEDULES; l++)
    s->levels_measured += known.measured[l];
  TRY(hymgi_schedules_keep(&s->h, &known));
  s->tuning_seconds += hymgi_seconds() - start;
  return HYMG_OK;
}

static void estimate(hymg_solver *s)
{
  for (int l = 0; l < s->h.num_levels; l++)
    s->h.level[l].backend->tune(s->h.level + l, false);
  for (int l = 0; l < s->h.singles.count; l++)
    s->h.singles.level[l].backend->tune(s->h.singles.level + l, false);
}

hymg_status hymgi_solver_attach(hymg_solver *s)
{
  hymg_context *c = s->h.context;
  const hymgi_backend *fine = s->h.placement.fine;
  if (!s->h.singles.level) TRY(hymgi_singles_create(&s->h));
  TRY(hymgi_singles_fill(&s->h));
  if (fine->attach) TRY(hymgi_agree(c, fine->attach(&s->h)));
  c->in_setup = false;
  return hymgi_coarse_matrix_make(&s->h);
}

static hymg_status make_history(hymg_solver *s)
{
  hymg_context *c = s->h.context;
  const int wanted = s->h.options.max_cycles;
  s->step = hymgi_step_of(&s->h);
  s->max_cycles = wanted > 0 ? wanted : s->step->most;
  free(s->history);
  s->history = malloc(((size_t)s->max_cycles + 1) * sizeof *s->history);
  return hymgi_agree(
      c,
      s->history ? HYMG_OK : hymgi_fail(c, HYMG_ENOMEM, "no memory for %d records", s->max_cycles));
}

/* Ends the reason for the path with `text` if that holds; without it if not. */
static void add_reason(hymgi_path_choice *path, const char *text, bool holds)
{
  char *const before = strstr(path->why, text);
  const size_t used = before ? (size_t)(before - path->why) : strlen(path->why);
  if (used + strlen(text) < sizeof path->why) strcpy(path->why + used, holds ? text : "");
}

/* What the choice of the path does not say. */
static void add_reasons(hymg_solver *s)
{
  const hymgi_hierarchy *h = &s->h;
  const bool second = !h->method.robust && h->kind->stencil == HYMG_FV4 && h->alpha_varies;
  add_reason(&s->path, "; FV4 has the flux of FV2 at jumps of beta", h->limited);
  add_reason(&s->path, "; alpha varies, and its term is of 2nd order here (4th: path robust)",
             second);
  const bool other = h->method.smoother != h->options.smoother,
             symgs = h->options.smoother == HYMG_SYMGS;
  add_reason(&s->path, "; an odd periodic axis joins cells of one colour: smoother chebyshev",
             other && !symgs);
  add_reason(
      &s->path,
      "; a periodic axis or several boxes, across which symgs is of no use: smoother chebyshev",
      other && symgs);
}

/* ---- choosing the path, making the levels ---- */

/* The same operator, without levels, then the first ones of the path. */
static hymg_status begin(hymg_solver *s, const hymg_options *options, const hymgi_backend *backend)
{
  const hymg_operator *op = s->h.op;
  const hymgi_tuning tuning = s->h.method.tuning;
  const bool masked = s->h.method.masked;
  double range[HYMGI_RANGES];
  memcpy(range, s->h.range, sizeof range);
  hymgi_hierarchy_destroy(&s->h);
  memset(&s->h, 0, sizeof s->h);
  hymgi_hierarchy_init(&s->h, op, options);
  memcpy(s->h.range, range, sizeof range);
  s->h.method.tuning = tuning;
  s->h.method.masked = masked;
  hymgi_preset(&s->h, s->path.path == HYMG_PATH_ROBUST);
  TRY(hymgi_levels_begin(&s->h, backend, s->tuned ? NULL : hymgi_placement_measure));
  s->tuning_seconds = s->h.choice.seconds;
  return HYMG_OK;
}

static bool other_may_do(hymg_status status, hymg_path path, hymg_method method)
{
  if (path == HYMG_PATH_ROBUST) return status == HYMG_ENOMEM;
  return method != HYMG_FMG && (status == HYMG_EINVAL || status == HYMG_EUNSUPPORTED);
}

/* Where the coefficients, which have been checked, decide, by level 0 of the path that their ranges suggest, which goes on
 * from there if it is right. The levels of the standard path may not suit the boxes, or the robust one not the memory. */
static hymg_status choose(hymg_solver *s, const hymgi_backend *backend)
{
  const hymg_options options = s->options;
  hymgi_path_choice *const path = &s->path;
  TRY(hymgi_agree(s->h.context, hymgi_path_choose(&s->h, path)));
  const bool open = path->path == HYMG_PATH_AUTO;
  if (open) path->path = hymgi_path_guess(&s->h);
  TRY(hymgi_agree(s->h.context, hymgi_path_check(&s->h, path)));
  hymg_status status = begin(s, &options, backend);
  if (open && other_may_do(status, path->path, options.method)) {
    path->path = path->path == HYMG_PATH_ROBUST ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
    status = begin(s, &options, backend);
  }
  TRY(status);
  if (open) TRY(hymgi_path_judge(&s->h, path));
  TRY(hymgi_agree(s->h.context, hymgi_path_check(&s->h, path)));
  return (path->path == HYMG_PATH_ROBUST) == s->h.method.robust ? HYMG_OK
                                                                : begin(s, &options, backend);
}

/* FMG looks at its result where alpha varies from cell to cell. */
static hymg_status look_at_alpha(hymg_solver *s)
{
  if (s->h.options.method != HYMG_FMG) return HYMG_OK;
  return hymgi_alpha_step_of(&s->h, &s->h.alpha_step);
}

static hymg_status complete(hymg_solver *s)
{
  TRY(hymgi_levels_complete(&s->h));
  TRY(look_at_alpha(s));
  TRY(hymgi_solver_attach(s));
  if (!s->tuned) estimate(s);
  TRY(hymgi_wide_keep_faster(&s->h));
  add_reasons(s);
  return make_history(s);
}

static hymg_status check_precision(hymg_context *c, const hymg_options *o,
                                   const hymgi_backend *backend)
{
  if (o->precision != HYMG_MIXED || backend->single) return HYMG_OK;
  return hymgi_fail(c, HYMG_EUNSUPPORTED, "precision mixed on backend %s: auto or double",
                    backend->name);
}

/* Reads what the operator is now. */
static hymg_status look(hymg_solver *s)
{
  const hymg_operator before = s->seen;
  s->seen = *s->op;
  const hymg_status status = hymgi_coefficients_check(&s->h, &s->seen.desc);
  if (status != HYMG_OK) s->seen = before;
  return status;
}

static hymg_status build(hymg_solver *s, const hymgi_tuning *tuning)
{
  const hymgi_backend *backend;
  hymg_context *c = s->h.context;
  s->tuned = tuning != NULL;
  if (tuning && s->h.options.path == HYMG_PATH_AUTO) s->h.options.path = HYMG_PATH_STANDARD;
  if (tuning) s->h.method.tuning = *tuning;
  TRY(hymgi_choose_backend(c, &s->h.options, &backend));
  TRY(check_precision(c, &s->h.options, backend));
  s->options = s->h.options;
  s->h.context->status = HYMG_OK;
  TRY(look(s));
  TRY(choose(s, backend));
  TRY(complete(s));
  const bool measures = s->h.options.tuning == HYMG_TUNE_MEASURE && !s->h.method.robust;
  return measures && !tuning ? tune(s) : HYMG_OK;
}

static void solver_arguments(hymgi_arguments *a, const char *call, const hymg_grid *grid,
                             const hymg_operator_desc *desc, const hymg_options *options)
{
  hymgi_arguments_begin(a, call);
  hymgi_arguments_whole(a, "the grid's number", grid->id);
  hymgi_operator_arguments(a, desc);
  hymgi_options_arguments(a, options);
}

hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver)
{
  if (!op) return HYMG_EINVAL;
  hymg_context *c = op->grid->context;
  const hymg_options o = hymgi_options_resolve(options);
  hymg_solver *s = NULL;
  hymgi_arguments a;
  solver_arguments(&a, "hymg_solver_create", op->grid, &op->desc, &o);
  hymg_status status =
      solver ? HYMG_OK : hymgi_fail(c, HYMG_EINVAL, "hymg_solver_create: solver is NULL");
  if (status == HYMG_OK) status = hymgi_options_check(c, op->desc.stencil, &o);
  if (status == HYMG_OK && !(s = calloc(1, sizeof *s)))
    status = hymgi_fail(c, HYMG_ENOMEM, "no memory for a solver");
  status = hymgi_agree_on(c, status, &a);
  if (status == HYMG_OK) {
    s->id = s->binding = ++c->solvers;
    s->op = op, s->seen = *op;
    hymgi_hierarchy_init(&s->h, &s->seen, &o);
    c->in_setup = true;
    status = build(s, tuning);
    c->in_setup = false; /* also after a failure */
  }
  if (status != HYMG_OK) {
    if (s) s->h.transport.failed = true;
    hymg_solver_destroy(&s);
    return status;
  }
  *solver = s;
  return HYMG_OK;
}

hymg_status hymg_solver_create(hymg_operator *op, const hymg_options *options, hymg_solver **solver)
{
  return hymgi_solver_create_tuned(op, options, NULL, solver);
}

static const hymgi_backend *give_up_levels(hymg_solver *s)
{
  const hymgi_backend *fine = s->h.placement.fine;
  if (fine->detach) fine->detach(&s->h);
  s->binding = ++s->h.context->solvers;
  return fine;
}

/* With coefficients that ask for other axes, or for the robust path. */
static hymg_status rebuild(hymg_solver *s)
{
  const hymg_options options = s->h.options;
  TRY(begin(s, &options, give_up_levels(s)));
  return complete(s);
}

/* The first faces of beta 0 have appeared or the last ones are gone, or beta has become one number or none: as for a new solver. If the path does
 * not suit, the levels stay. */
static hymg_status choose_again(hymg_solver *s)
{
  hymgi_path_choice path;
  const hymg_options robust = s->h.options;
  s->h.options = s->options; /* the robust path changes the cycle */
  hymg_status status = hymgi_agree(s->h.context, hymgi_path_choose(&s->h, &path));
  if (status == HYMG_OK) status = hymgi_agree(s->h.context, hymgi_path_check(&s->h, &path));
  if (status != HYMG_OK) s->h.options = robust;
  TRY(status);
  TRY(choose(s, give_up_levels(s)));
  return complete(s);
}

/* After choose_again has failed, for a beta that was a number and for which only the standard path would do: levels for
 * that number, so that there are some. The text of the failure stays. */
static void choose_as_before(hymg_solver *s, double beta)
{
  hymg_context *c = s->h.context;
  char text[sizeof c->error];
  memcpy(text, c->error, sizeof text);
  for (int axis = 0; axis < 3; axis++)
    s->seen.desc.beta[axis] = NULL;
  s->seen.desc.beta_constant = beta;
  const hymgi_backend *const fine = give_up_levels(s);
  hymg_status status = hymgi_coefficients_check(&s->h, &s->seen.desc);
  if (status == HYMG_OK) status = choose(s, fine);
  if (status == HYMG_OK) status = complete(s);
  if (status == HYMG_OK) memcpy(c->error, text, sizeof text);
}

static hymg_status update(hymg_solver *s)
{
  bool kept;
  const bool masked = s->h.method.masked;
  const hymg_operator_desc before = s->seen.desc;
  s->h.context->status = HYMG_OK;
  TRY(look(s));
  s->transfer = (hymgi_transfer_choice){0};
  const bool varied = before.beta[0], varies = s->seen.desc.beta[0];
  if (masked != s->h.method.masked || varied != varies) {
    const hymg_status status = choose_again(s);
    if (status != HYMG_OK) s->h.method.masked = masked;
    if (status == HYMG_EUNSUPPORTED && !varied) choose_as_before(s, before.beta_constant);
    return status;
  }
  TRY(hymgi_levels_update(&s->h, &kept));
  if (!s->h.method.robust) {
    hymgi_path_choice now = {.path = s->h.options.path};
    if (now.path == HYMG_PATH_AUTO) TRY(hymgi_path_judge(&s->h, &now));
    TRY(hymgi_agree(s->h.context, hymgi_path_check(&s->h, &now)));
    kept = now.path != HYMG_PATH_ROBUST;
    if (!kept) s->path = now;
    TRY(look_at_alpha(s));
  }
  if (!kept) return rebuild(s);
  add_reasons(s);
  return hymgi_solver_attach(s);
}

hymg_status hymg_solver_update(hymg_solver *solver)
{
  if (!solver) return HYMG_EINVAL;
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solver_update", solver);
  hymgi_operator_arguments(&a, &solver->op->desc);
  TRY(hymgi_agree_on(solver->h.context, HYMG_OK, &a));
  solver->h.context->in_setup = true;
  const hymg_status status = update(solver);
  solver->h.context->in_setup = false;
  if (status != HYMG_OK) hymgi_transport_reset(&solver->h, status);
  return status;
}

void hymg_solver_destroy(hymg_solver **solver)
{
  if (!solver || !*solver) return;
  const hymgi_backend *fine = (*solver)->h.placement.fine;
  if (fine && fine->detach) fine->detach(&(*solver)->h);
  hymgi_hierarchy_destroy(&(*solver)->h);
  free((*solver)->history);
  hymgi_results_forget(*solver);
  free(*solver);
  *solver = NULL;
}

hymg_path hymg_solver_path(const hymg_solver *solver, const char **why)
{
  if (why) *why = solver->path.why;
  return solver->path.path;
}

/* ---- memory estimate ---- */

/* A hierarchy as far as its memory estimate requires: without plans and vectors. */
static hymg_status plan(hymg_operator *op, unsigned variable, const hymg_options *options,
                        hymgi_hierarchy *h)
{
  hymg_context *context = op->grid->context;
  const hymgi_backend *backend;
  hymgi_method *m = &h->method;
  hymgi_hierarchy_init(h, op, options);
  TRY(hymgi_choose_backend(context, options, &backend));
  m->variable_beta = m->variable_beta || (variable & HYMG_VARIABLE_BETA);
  m->variable_alpha = m->has_alpha && (m->variable_alpha || (variable & HYMG_VARIABLE_ALPHA));
  m->fixed = m->fixed || (variable & HYMG_VARIABLE_FIXED);
  m->masked = variable & HYMG_VARIABLE_MASK;
  hymgi_path_choice path;
  TRY(hymgi_agree(context, hymgi_path_choose(h, &path)));
  TRY(hymgi_agree(context, hymgi_path_check(h, &path)));
  hymgi_preset(h, path.path == HYMG_PATH_ROBUST ||
                      (path.path == HYMG_PATH_AUTO && hymgi_path_heeds_alpha(h)));
  return hymgi_levels_plan(h, backend, NULL);
}

hymg_status hymg_solver_need(hymg_grid *grid, const hymg_operator_desc *desc, unsigned variable,
                             const hymg_options *options, hymg_need *need)
{
  if (!grid) return HYMG_EINVAL;
  hymg_context *context = grid->context;
  const hymg_options o = hymgi_options_resolve(options);
  hymg_operator *op = NULL;
  hymgi_hierarchy *h = NULL;
  hymgi_arguments a = {.count = 0};
  hymg_status status =
      need ? HYMG_OK : hymgi_fail(context, HYMG_EINVAL, "hymg_solver_need: need is NULL");
  if (status == HYMG_OK && variable >= 2 * HYMG_VARIABLE_MASK)
    status = hymgi_fail(context, HYMG_EINVAL, "variable %u: 0 to 15", variable);
  if (status == HYMG_OK) status = hymg_operator_create(grid, desc, &op);
  if (status == HYMG_OK) status = hymgi_options_check(context, desc->stencil, &o);
  if (status == HYMG_OK && !(h = calloc(1, sizeof *h)))
    status = hymgi_fail(context, HYMG_ENOMEM, "no memory for a plan");
  if (status == HYMG_OK) {
    solver_arguments(&a, "hymg_solver_need", grid, desc, &o);
    hymgi_arguments_whole(&a, "variable", variable);
  }
  status = hymgi_agree_on(context, status, &a);
  if (status == HYMG_OK) status = plan(op, variable, &o, h);
  if (status == HYMG_OK) status = hymgi_precision_fit(h);
  if (status == HYMG_OK) {
    hymg_need found;
    status = hymgi_agree(context, hymgi_memory_estimate(h, &found));
    if (status == HYMG_OK) *need = found;
  }
  if (h) hymgi_hierarchy_destroy(h);
  free(h);
  hymg_operator_destroy(&op);
  return status;
}
