/* Solvers: options, creation, what they tell about themselves. api/solve.c has the solves. */
#include "api/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hierarchy/placement.h"
#include "multigrid/level_ops.h"

hymg_options hymg_options_default(void)
{
  const hymg_options options = {.method = HYMG_FMG,
                                .cycle = HYMG_CYCLE_DEFAULT,
                                .sweeps = -1,
                                .interpolation_v = HYMG_INTERPOLATION_DEFAULT,
                                .interpolation_f = HYMG_INTERPOLATION_DEFAULT,
                                .rtol = 1e-10,
                                .max_cycles = 20,
                                .host_cells = -1,
                                .tail_cells = -1,
                                .gather_cells = -1,
                                .peer_seconds = 60};
  return options;
}

const char *hymg_reason_name(hymg_reason reason)
{
  static const char *const name[] = {"tolerance", "limit",      "stagnated",
                                     "diverged",  "not finite", "stopped"};
  return reason >= HYMG_REASON_TOLERANCE && reason <= HYMG_REASON_STOPPED ? name[reason]
                                                                          : "unknown";
}

static const char *cycle_name(hymg_cycle cycle)
{
  return cycle == HYMG_CYCLE_V ? "V" : cycle == HYMG_CYCLE_W ? "W" : "F";
}

static hymg_status check_choices(hymg_context *c, const hymg_options *o)
{
  const struct {
    const char *what;
    int value, first, last;
    const char *first_name, *last_name;
  } choice[] = {
      {"method", (int)o->method, HYMG_FMG, HYMG_MGPCG, "fmg", "mgpcg"},
      {"cycle", (int)o->cycle, HYMG_CYCLE_DEFAULT, HYMG_CYCLE_F, "default", "F"},
      {"smoother", (int)o->smoother, HYMG_GSRB, HYMG_SYMGS, "gsrb", "symgs"},
      {"bottom solver", (int)o->bottom, HYMG_BICGSTAB, HYMG_BOTTOM_SMOOTHER, "bicgstab",
       "smoother"},
      {"tuning", (int)o->tuning, HYMG_TUNE_MEASURE, HYMG_TUNE_ESTIMATE, "measure", "estimate"},
      {"memory", (int)o->memory, HYMG_MEMORY_DEVICE, HYMG_MEMORY_MANAGED, "device", "managed"},
      {"transport", (int)o->transport, HYMG_TRANSPORT_AUTO, HYMG_TRANSPORT_NCCL, "auto", "nccl"},
      {"backend", (int)o->backend, HYMG_BACKEND_AUTO, HYMG_BACKEND_CUDA, "auto", "cuda"}};
  for (size_t m = 0; m < sizeof choice / sizeof *choice; m++)
    if (choice[m].value < choice[m].first || choice[m].value > choice[m].last)
      return hymgi_fail(c, HYMG_EINVAL, "%s %d: %d (%s) to %d (%s)", choice[m].what,
                        choice[m].value, choice[m].first, choice[m].first_name, choice[m].last,
                        choice[m].last_name);
  return HYMG_OK;
}

static hymg_status check_sweeps(hymg_context *c, const hymg_options *o)
{
  if (o->sweeps == -1) return HYMG_OK;
  if (o->sweeps < 1 || o->sweeps > 1000)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: 1 to 1000, or -1 for the default", o->sweeps);
  if ((o->smoother == HYMG_GSRB || o->smoother == HYMG_SYMGS) && o->sweeps % 2)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: gsrb and symgs need an even number", o->sweeps);
  if (o->smoother == HYMG_CHEBYSHEV && o->sweeps % 6)
    return hymgi_fail(c, HYMG_EINVAL, "sweeps %d: chebyshev needs a multiple of its degree, 6",
                      o->sweeps);
  return HYMG_OK;
}

static hymg_status check_interpolation(hymg_context *c, hymg_stencil stencil, hymg_interpolation i)
{
  if (i == HYMG_INTERPOLATION_DEFAULT || i == HYMG_P0 || i == HYMG_P1 || i == HYMG_V2)
    return HYMG_OK;
  if (i != HYMG_V4)
    return hymgi_fail(c, HYMG_EINVAL,
                      "interpolation %d: -1 (default), 0 (p0), 1 (p1), 2 (v2) or 4 (v4)", (int)i);
  if (stencil == HYMG_FV4) return HYMG_OK;
  return hymgi_fail(c, HYMG_EUNSUPPORTED,
                    "interpolation v4 with FV2: it needs FV4's halo of two layers");
}

hymg_status hymgi_options_check(hymg_context *c, hymg_stencil stencil, const hymg_options *o)
{
  TRY(check_choices(c, o));
  if (o->method == HYMG_FMG && o->cycle != HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle %s with FMG: F only", cycle_name(o->cycle));
  if (o->method == HYMG_MGPCG && o->cycle == HYMG_CYCLE_F)
    return hymgi_fail(c, HYMG_EINVAL, "cycle F with MGPCG: V or W only");
  TRY(check_sweeps(c, o));
  TRY(check_interpolation(c, stencil, o->interpolation_v));
  TRY(check_interpolation(c, stencil, o->interpolation_f));
  if (!(o->rtol > 0) || !isfinite(o->rtol))
    return hymgi_fail(c, HYMG_EINVAL, "rtol %g: above 0 and finite", o->rtol);
  if (o->max_cycles < 1 || o->max_cycles > 10000)
    return hymgi_fail(c, HYMG_EINVAL, "max_cycles %d: 1 to 10000", o->max_cycles);
  if (o->initial_guess && (o->method == HYMG_FMG || o->cycle == HYMG_CYCLE_F))
    return hymgi_fail(c, HYMG_EINVAL, "an initial guess with an F-cycle, which overwrites it");
  if (o->precision != HYMG_DOUBLE)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "precision %d: 0 (double) only", (int)o->precision);
  if (o->host_cells < -1)
    return hymgi_fail(c, HYMG_EINVAL, "host_cells %lld: at least 0, or -1 (measured)",
                      (long long)o->host_cells);
  if (o->gather_cells < -1)
    return hymgi_fail(c, HYMG_EINVAL, "gather_cells %lld: at least 0, or -1 (as fits)",
                      (long long)o->gather_cells);
  if (!(o->peer_seconds > 0) || o->peer_seconds > 1e6)
    return hymgi_fail(c, HYMG_EINVAL, "peer_seconds %g: more than 0, at most 1e6", o->peer_seconds);
  if (o->tail_cells < -1)
    return hymgi_fail(c, HYMG_EINVAL, "tail_cells %lld: at least 0, or -1 (measured)",
                      (long long)o->tail_cells);
  return HYMG_OK;
}

/* Without a wish, the GPU where every rank has one that can; that some have none is no failure. */
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

void hymgi_solver_set_method(hymg_solver *s)
{
  const hymg_operator_desc *d = &s->op->desc;
  const hymg_options *o = &s->options;
  hymgi_method *m = &s->method;
  m->stencil = d->stencil;
  m->extrapolation = d->extrapolation == HYMG_EXTRAPOLATION_LINEAR ? HYMG_EXTRAPOLATION_LINEAR
                                                                   : HYMG_EXTRAPOLATION_QUADRATIC;
  m->smoother = o->smoother;
  m->sweeps = o->sweeps > 0 ? o->sweeps : o->smoother == HYMG_SYMGS ? 4 : 6;
  m->interpolation_v =
      o->interpolation_v == HYMG_INTERPOLATION_DEFAULT ? HYMGI_GHOSTS_V2 : (int)o->interpolation_v;
  const int order_f = d->stencil == HYMG_FV4 ? HYMGI_GHOSTS_V4 : HYMGI_GHOSTS_V2;
  m->interpolation_f =
      o->interpolation_f == HYMG_INTERPOLATION_DEFAULT ? order_f : (int)o->interpolation_f;
  m->variable_beta = d->beta[0] != NULL;
  m->has_alpha = d->a != 0; /* a constant alpha of 0 may change */
  m->variable_alpha = m->has_alpha && d->alpha;
  m->tuning = hymgi_cpu_tuning(m);
}

/* Level 0 borrows x and f only during solves: it gets vectors of its own for the time being. */
static hymg_status tune(hymg_solver *s)
{
  hymgi_level *finest = s->level;
  const double start = hymgi_seconds();
  double *x, *f, *const y = finest->y;
  hymg_status status = hymgi_vector_create(finest, finest->vector_size, &x);
  f = NULL;
  if (status == HYMG_OK) status = hymgi_vector_create(finest, finest->vector_size, &f);
  finest->x = x, finest->f = f;
  for (int l = 0; status == HYMG_OK && l < s->num_levels; l++)
    s->level[l].backend->tune(s->level + l);
  finest->x = finest->f = NULL, finest->y = y;
  hymgi_vector_destroy(finest, finest->vector_size, &x);
  hymgi_vector_destroy(finest, finest->vector_size, &f);
  s->tuning_seconds += hymgi_seconds() - start;
  return status;
}

static hymg_status load(hymg_solver *s)
{
  TRY(hymgi_coefficients_load(s));
  const hymgi_backend *fine = s->placement.fine;
  if (!fine->attach) return HYMG_OK;
  return hymgi_agree(s->op->grid->context, fine->attach(s));
}

static hymg_status build(hymg_solver *s, const hymgi_tuning *tuning)
{
  const hymgi_backend *backend;
  TRY(hymgi_choose_backend(s->op->grid->context, &s->options, &backend));
  hymgi_solver_set_method(s);
  if (tuning) s->method.tuning = *tuning;
  s->history = malloc(((size_t)s->options.max_cycles + 1) * sizeof *s->history);
  hymg_context *c = s->op->grid->context;
  TRY(hymgi_agree(c, s->history ? HYMG_OK
                                : hymgi_fail(c, HYMG_ENOMEM, "no memory for %d records",
                                             s->options.max_cycles)));
  TRY(hymgi_hierarchy_shape(s, backend));
  TRY(hymgi_placement_choose(s, backend, tuning ? HYMGI_NEVER_MEASURE : HYMGI_MAY_MEASURE));
  s->tuning_seconds = s->choice.seconds;
  hymgi_hierarchy_place(s);
  TRY(hymgi_transport_choose(s));
  c->status = HYMG_OK;
  TRY(hymgi_hierarchy_fill(s));
  TRY(hymgi_agree(c, c->status)); /* load starts afresh */
  TRY(load(s));
  if (!tuning && s->options.tuning == HYMG_TUNE_MEASURE) TRY(hymgi_agree(c, tune(s)));
  return HYMG_OK;
}

hymg_options hymgi_options_resolve(const hymg_options *options)
{
  hymg_options o = options ? *options : hymg_options_default();
  if (o.cycle != HYMG_CYCLE_DEFAULT) return o;
  const bool overwrites = o.method == HYMG_FMG || (o.method == HYMG_MG && !o.initial_guess);
  o.cycle = overwrites ? HYMG_CYCLE_F : HYMG_CYCLE_V;
  return o;
}

hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver)
{
  if (!op) return HYMG_EINVAL;
  hymg_context *c = op->grid->context;
  const hymg_options o = hymgi_options_resolve(options);
  hymg_solver *s = NULL;
  hymg_status status =
      solver ? HYMG_OK : hymgi_fail(c, HYMG_EINVAL, "hymg_solver_create: solver is NULL");
  if (status == HYMG_OK) status = hymgi_options_check(c, op->desc.stencil, &o);
  if (status == HYMG_OK && !(s = calloc(1, sizeof *s)))
    status = hymgi_fail(c, HYMG_ENOMEM, "no memory for a solver");
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) {
    s->id = ++c->solvers;
    s->op = op;
    s->options = o;
    status = build(s, tuning);
  }
  if (status != HYMG_OK) {
    if (s) s->transport.failed = true;
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

hymg_status hymg_solver_update(hymg_solver *solver)
{
  if (!solver) return HYMG_EINVAL;
  const hymg_status status = load(solver);
  if (status != HYMG_OK) hymgi_transport_reset(solver);
  return status;
}

void hymg_solver_destroy(hymg_solver **solver)
{
  if (!solver || !*solver) return;
  const hymgi_backend *fine = (*solver)->placement.fine;
  if (fine && fine->detach) fine->detach(*solver);
  hymgi_hierarchy_destroy(*solver);
  free((*solver)->history);
  free(*solver);
  *solver = NULL;
}

int hymg_solver_num_levels(const hymg_solver *solver)
{
  return solver->num_levels;
}

hymg_status hymgi_check_level(const hymg_solver *solver, int level, int limit)
{
  if (level >= 0 && level < limit) return HYMG_OK;
  hymg_context *c = solver->op->grid->context;
  if (level >= 0 && level < solver->num_levels)
    return hymgi_fail(c, HYMG_EINVAL, "level %d is the coarsest of the solver", level);
  if (solver->num_levels == 1)
    return hymgi_fail(c, HYMG_EINVAL, "level %d: the solver has a single level, 0", level);
  return hymgi_fail(c, HYMG_EINVAL, "level %d: the solver has levels 0 to %d", level,
                    solver->num_levels - 1);
}

hymg_status hymg_solver_level(const hymg_solver *solver, int level, hymg_level_info *info)
{
  if (!solver || !info) return HYMG_EINVAL;
  TRY(hymgi_check_level(solver, level, solver->num_levels));
  const hymgi_level *l = solver->level + level;
  hymg_level_info i = {
      .boxes = 1, .ranks = l->ranks, .backend = l->backend->id, .lambda_max = l->lambda_max};
  for (int axis = 0; axis < 3; axis++) {
    i.cells[axis] = l->n[axis];
    i.box[axis] = l->n[axis] / l->decomp->boxes[axis];
    i.boxes *= l->decomp->boxes[axis];
    i.spacing[axis] = l->h[axis];
  }
  *info = i;
  return HYMG_OK;
}

double hymg_solver_bytes_per_dof(const hymg_solver *solver)
{
  hymg_context *c = solver->op->grid->context;
  const hymgi_level *l = solver->level;
  int64_t bytes = (int64_t)hymgi_hierarchy_bytes(solver);
  bytes += 8 * (int64_t)l->vector_size * (2 + (l->own_x != NULL) + (l->own_f != NULL));
  if (hymgi_comm_sum_int64(c, c->comm, &bytes, 1) != HYMG_OK) return NAN;
  return (double)bytes / (double)l->cells;
}

double hymg_solver_tuning_seconds(const hymg_solver *solver)
{
  return solver->tuning_seconds;
}

/* ---- profile ---- */

void hymg_solver_profile(hymg_solver *solver, bool on)
{
  solver->profile.on = on;
  if (!on) return;
  for (int l = 0; l < HYMGI_MAX_LEVELS; l++)
    for (int v = 0; v < HYMGI_NUM_OPS; v++)
      solver->profile.row[l][v] =
          (hymg_profile_row){.level = l, .verb = hymgi_op_name((hymgi_op)v)};
}

static const hymg_profile_row *used_row(const hymg_solver *solver, int index)
{
  for (int l = 0; l < solver->num_levels; l++)
    for (int v = 0; v < HYMGI_NUM_OPS; v++)
      if (solver->profile.row[l][v].calls > 0 && index-- == 0) return &solver->profile.row[l][v];
  return NULL;
}

int hymg_solver_profile_rows(const hymg_solver *solver)
{
  int count = 0;
  while (used_row(solver, count))
    count++;
  return count;
}

hymg_status hymg_solver_profile_row(const hymg_solver *solver, int index, hymg_profile_row *row)
{
  if (!solver || !row) return HYMG_EINVAL;
  const hymg_profile_row *found = index >= 0 ? used_row(solver, index) : NULL;
  if (!found)
    return hymgi_fail(solver->op->grid->context, HYMG_EINVAL,
                      "profile row %d: there are %d, counted from 0", index,
                      hymg_solver_profile_rows(solver));
  *row = *found;
  return HYMG_OK;
}
