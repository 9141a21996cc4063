/* Solvers: creation, update, memory estimate. solve/ has the solves. */
#include "api/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/solve/solve.h"

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
static hymg_status tune(hymg_solver *s)
{
  hymgi_level *finest = s->h.level;
  const double start = hymgi_seconds();
  double *x, *f, *const y = finest->y;
  hymg_status status = hymgi_vector_create(finest, finest->vector_size, &x);
  f = NULL;
  if (status == HYMG_OK) status = hymgi_vector_create(finest, finest->vector_size, &f);
  finest->x = x, finest->f = f;
  for (int l = 0; status == HYMG_OK && l < s->h.num_levels; l++)
    s->h.level[l].backend->tune(s->h.level + l);
  finest->x = finest->f = NULL, finest->y = y;
  for (int l = 0; status == HYMG_OK && l < s->h.shadow.count; l++)
    s->h.shadow.level[l].backend->tune(s->h.shadow.level + l);
  hymgi_vector_destroy(finest, finest->vector_size, &x);
  hymgi_vector_destroy(finest, finest->vector_size, &f);
  s->tuning_seconds += hymgi_seconds() - start;
  return status;
}

hymg_status hymgi_solver_attach(hymg_solver *s)
{
  hymg_context *c = s->h.context;
  const hymgi_backend *fine = s->h.placement.fine;
  if (!s->h.shadow.level) TRY(hymgi_shadow_create(&s->h));
  TRY(hymgi_shadow_fill(&s->h));
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

/* No levels are measured: their number is not known before. */
static void set_robust(hymgi_hierarchy *h, const hymgi_backend *backend)
{
  hymgi_robust_init(h);
  if (h->options.cycle == HYMG_CYCLE_F) h->options.cycle = HYMG_CYCLE_V;
  h->placement = (hymgi_placement){
      .fine = backend, .host_from = HYMGI_MAX_LEVELS, .tail_from = HYMGI_MAX_LEVELS};
}

static hymg_status begin_robust(hymg_solver *s, const hymgi_backend *backend)
{
  set_robust(&s->h, backend);
  TRY(hymgi_transport_choose(&s->h));
  s->h.context->status = HYMG_OK;
  return hymgi_robust_build_finest(&s->h, backend);
}

/* Ends the reason for the path with `text` if that holds; without it if not. */
static void add_reason(hymgi_path_choice *path, const char *text, bool holds)
{
  char *const before = strstr(path->why, text);
  const size_t used = before ? (size_t)(before - path->why) : strlen(path->why);
  if (used + strlen(text) < sizeof path->why) strcpy(path->why + used, holds ? text : "");
}

/* FV4 on level 0: its limiter, of which the reason for the path tells, the mean of alpha u, then its
 * boundaries. */
static hymg_status set_fv4(hymg_solver *s)
{
  bool limited;
  TRY(hymgi_limiter_set(&s->h, &limited));
  add_reason(&s->path, "; FV4 has the flux of FV2 at jumps of beta", limited);
  TRY(hymgi_alpha_set(&s->h));
  return hymgi_fv4_boundaries_set(&s->h);
}

/* What the standard path does not do. */
static void tell_order(hymg_solver *s)
{
  const bool second = !s->h.method.robust && s->h.method.stencil == HYMG_FV4 && s->h.alpha_varies;
  add_reason(&s->path, "; alpha varies, and its term is of 2nd order here (4th: path robust)",
             second);
}

static hymg_status end_robust(hymg_solver *s)
{
  TRY(set_fv4(s));
  TRY(hymgi_robust_build_coarser(&s->h));
  const int levels = s->h.num_levels, host = s->h.placement.host_from;
  if (s->h.placement.fine->attach) s->h.choice.host_from = host < levels ? host : levels;
  TRY(hymgi_transport_connect(&s->h));
  return hymgi_solver_attach(s);
}

/* The same operator and options, without levels. */
static void start_again(hymg_solver *s)
{
  const hymg_operator *op = s->h.op;
  const hymg_options options = s->h.options;
  hymgi_robust_destroy(&s->h);
  hymgi_hierarchy_destroy(&s->h);
  memset(&s->h, 0, sizeof s->h);
  hymgi_hierarchy_init(&s->h, op, &options);
}

/* FMG looks at its result where alpha varies from cell to cell. */
static hymg_status look_at_alpha(hymg_solver *s)
{
  if (s->h.options.method != HYMG_FMG) return HYMG_OK;
  return hymgi_alpha_step_of(&s->h, &s->h.alpha_step);
}

/* Where the coefficients decide on the path, the placement is measured after that. */
static hymg_status build_standard(hymg_solver *s, const hymgi_backend *backend,
                                  const hymgi_tuning *tuning)
{
  hymg_context *c = s->h.context;
  const bool open = s->path.path == HYMG_PATH_AUTO;
  TRY(hymgi_hierarchy_shape(&s->h, backend));
  TRY(hymgi_placement_choose(&s->h, backend, tuning || open ? NULL : hymgi_placement_measure));
  s->tuning_seconds = s->h.choice.seconds;
  hymgi_hierarchy_place(&s->h);
  TRY(hymgi_transport_choose(&s->h));
  c->status = HYMG_OK;
  TRY(hymgi_precision_settle(&s->h, hymgi_memory_check));
  TRY(hymgi_agree(c, hymgi_memory_check(&s->h)));
  TRY(hymgi_hierarchy_fill(&s->h));
  TRY(hymgi_agree(c, c->status)); /* loading clears the status */
  TRY(hymgi_coefficients_load(&s->h));
  if (open) TRY(hymgi_path_judge(&s->h, &s->path));
  TRY(look_at_alpha(s));
  if (s->path.path == HYMG_PATH_ROBUST) return HYMG_OK; /* built anew */
  if (open && hymgi_placement_lacks_measurement(&s->h)) {
    start_again(s);
    return build_standard(s, backend, tuning);
  }
  TRY(hymgi_solver_attach(s));
  if (!tuning && s->h.options.tuning == HYMG_TUNE_MEASURE) TRY(hymgi_agree(c, tune(s)));
  return HYMG_OK;
}

/* On the host, where the coefficients are to decide: builds level 0 of the robust path and judges by
 * it, since the robust path then goes on from there. The standard path starts again, as it does without
 * a judgement if there is not the memory for this. FMG has no robust path. */
static hymg_status judge_on_robust_level(hymg_solver *s, const hymgi_backend *backend)
{
  if (s->path.path != HYMG_PATH_AUTO || backend->id != HYMG_BACKEND_HOST ||
      s->h.options.method == HYMG_FMG)
    return HYMG_OK;
  const hymg_options options = s->h.options; /* the robust path changes the cycle */
  const hymg_status status = begin_robust(s, backend);
  if (status != HYMG_ENOMEM) {
    TRY(status);
    TRY(hymgi_path_judge(&s->h, &s->path));
  }
  if (s->path.path == HYMG_PATH_ROBUST) return HYMG_OK;
  s->h.options = options;
  start_again(s);
  return HYMG_OK;
}

static hymg_status check_precision(hymg_context *c, const hymg_options *o,
                                   const hymgi_backend *backend)
{
  if (o->precision != HYMG_MIXED || backend->single) return HYMG_OK;
  return hymgi_fail(c, HYMG_EUNSUPPORTED, "precision mixed on backend %s: auto or double",
                    backend->name);
}

static hymg_status build(hymg_solver *s, const hymgi_tuning *tuning)
{
  const hymgi_backend *backend;
  hymg_context *c = s->h.context;
  if (tuning && s->h.options.path == HYMG_PATH_AUTO) s->h.options.path = HYMG_PATH_STANDARD;
  if (tuning) s->h.method.tuning = *tuning;
  TRY(hymgi_choose_backend(c, &s->h.options, &backend));
  TRY(check_precision(c, &s->h.options, backend));
  TRY(hymgi_agree(c, hymgi_path_choose(&s->h, &s->path)));
  TRY(judge_on_robust_level(s, backend));
  if (s->path.path != HYMG_PATH_ROBUST) {
    TRY(build_standard(s, backend, tuning));
    if (s->path.path == HYMG_PATH_ROBUST) start_again(s);
  }
  TRY(hymgi_agree(c, hymgi_path_check(&s->h, &s->path)));
  if (s->path.path == HYMG_PATH_ROBUST && s->h.num_levels == 0) TRY(begin_robust(s, backend));
  if (s->path.path == HYMG_PATH_ROBUST) TRY(end_robust(s));
  tell_order(s);
  return make_history(s);
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
    hymgi_hierarchy_init(&s->h, op, &o);
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

/* With coefficients that ask for other axes, or for the robust path. */
static hymg_status rebuild(hymg_solver *s)
{
  const hymgi_backend *fine = s->h.placement.fine;
  if (fine->detach) fine->detach(&s->h);
  start_again(s);
  s->binding = ++s->h.context->solvers;
  TRY(begin_robust(s, fine));
  TRY(end_robust(s));
  return make_history(s);
}

static hymg_status update(hymg_solver *s)
{
  bool kept = true;
  s->transfer = (hymgi_transfer_choice){0};
  if (s->h.method.robust) {
    TRY(hymgi_robust_update(&s->h, &kept));
    if (kept) TRY(set_fv4(s));
  } else {
    TRY(hymgi_coefficients_load(&s->h));
    hymgi_path_choice now = {.path = s->h.options.path};
    if (now.path == HYMG_PATH_AUTO) TRY(hymgi_path_judge(&s->h, &now));
    TRY(hymgi_agree(s->h.context, hymgi_path_check(&s->h, &now)));
    kept = now.path != HYMG_PATH_ROBUST;
    if (!kept) s->path = now;
    TRY(look_at_alpha(s));
    tell_order(s);
  }
  return kept ? hymgi_solver_attach(s) : rebuild(s);
}

hymg_status hymg_solver_update(hymg_solver *solver)
{
  if (!solver) return HYMG_EINVAL;
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solver_update", solver);
  hymgi_operator_arguments(&a, &solver->h.op->desc);
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
  hymgi_robust_destroy(&(*solver)->h);
  hymgi_hierarchy_destroy(&(*solver)->h);
  free((*solver)->history);
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
  hymgi_path_choice path;
  TRY(hymgi_agree(context, hymgi_path_choose(h, &path)));
  TRY(hymgi_agree(context, hymgi_path_check(h, &path)));
  if (path.path == HYMG_PATH_ROBUST || (path.path == HYMG_PATH_AUTO && hymgi_path_heeds_alpha(h))) {
    set_robust(h, backend);
    return hymgi_robust_estimate(h, backend);
  }
  TRY(hymgi_hierarchy_shape(h, backend));
  TRY(hymgi_placement_choose(h, backend, NULL));
  hymgi_hierarchy_place(h);
  return HYMG_OK;
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
  if (status == HYMG_OK &&
      variable > (HYMG_VARIABLE_ALPHA | HYMG_VARIABLE_BETA | HYMG_VARIABLE_FIXED))
    status = hymgi_fail(context, HYMG_EINVAL, "variable %u: 0 to 7", variable);
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
  if (status == HYMG_OK) status = hymgi_precision_settle(h, hymgi_memory_check);
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
