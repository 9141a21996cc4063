/* What a solver knows about its solves, in sentences with the option to try (hymg_solver_advice).
 * Most of it is computed when it is asked for. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/solve/solve.h"
#include "multigrid/boundary_data.h"
#include "transport/transport.h"

enum { MOST_BOTTOM = 4096 };
#define HARD_HOLD 10 /* of an axis of one cell by its boundaries, against all else */

/* ---- at the end of a solve ---- */

/* Where the user's f is not finite; the first cell in the order of the level, x fastest. Collective. */
static hymg_status locate(hymg_solver *solver, int l, const hymg_field *f)
{
  hymgi_level *level = solver->h.level + l;
  hymg_context *c = level->context;
  double *x = NULL, first = -INFINITY; /* minus the number of the cell */
  hymg_status status = hymgi_agree(c, hymgi_vector_create(level, level->vector_size, &x));
  if (status == HYMG_OK) status = hymgi_field_load(f, level, x);
  hymgi_set_fixed(level, HYMGI_FIX_ZERO, x);
  if (status == HYMG_OK && level->num_boxes)
    level->backend->axpby(level, 0, x, 0, x, x); /* 0, or NaN where it is not finite */
  for (const hymgi_geom *g = level->box; status == HYMG_OK && g < level->box + level->num_boxes;
       g++) {
    hymgi_finding found;
    level->backend->examine(level, g, g->n, HYMGI_VALID_NOT_NEGATIVE, x, &found);
    if (!found.bad) continue;
    const double at = (double)(found.at[0] + g->low[0]) +
                      level->n[0] * ((double)(found.at[1] + g->low[1]) +
                                     level->n[1] * (double)(found.at[2] + g->low[2]));
    if (-at > first) first = -at;
  }
  hymgi_vector_destroy(level, level->vector_size, &x);
  TRY(hymgi_agree(c, status));
  TRY(hymgi_comm_max_double(c, c->comm, &first, 1));
  solver->bad_f = isfinite(first);
  for (int axis = 0; axis < 3 && solver->bad_f; axis++) {
    const double rest = floor(-first / level->n[axis]);
    solver->bad_at[axis] = (int)(-first - rest * level->n[axis]);
    first = -rest;
  }
  return HYMG_OK;
}

hymg_status hymgi_examine_solve(hymg_solver *solver, int l, hymg_reason reason, const hymg_field *f)
{
  const hymgi_level *level = hymgi_system_level(&solver->h, l);
  solver->bad_f = false;
  solver->rounding = 0;
  if (reason == HYMG_REASON_NOT_FINITE) return locate(solver, l, f);
  const hymg_options *o = &solver->h.options;
  const bool ended = reason == HYMG_REASON_LIMIT && o->method != HYMG_FMG;
  const bool missed =
      o->method != HYMG_FMG && solver->records && !hymgi_small(solver, solver->residual);
  if (ended || missed || reason == HYMG_REASON_STAGNATED)
    solver->rounding =
        hymgi_known_by_all(level, level->num_boxes ? hymgi_rounding(solver, level, level->x) : 0);
  return HYMG_OK;
}

/* ---- lines ---- */

typedef struct lines {
  char *text;
  size_t size, used;
} lines;

static void say(lines *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(lines *t, const char *format, ...)
{
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  const size_t count = length < (int)sizeof line - 1 ? (size_t)length : sizeof line - 2;
  if (t->used + count + 2 > t->size) return;
  memcpy(t->text + t->used, line, count);
  memcpy(t->text + t->used + count, "\n", 2);
  t->used += count + 1;
}

/* ---- the hierarchy ---- */

static const char *robust_or_sizes(const hymg_solver *solver)
{
  return solver->h.options.method == HYMG_FMG
             ? "try sides with more factors of 2, or method=mg with path=robust"
             : "try path=robust, or sides with more factors of 2";
}

static void advise_levels(const hymg_solver *solver, lines *t)
{
  const hymgi_level *last = solver->h.level + solver->h.num_levels - 1;
  if (last->transfer->to_cells) return;
  if (solver->h.num_levels == 1 && !hymgi_suits_alone((double)last->cells))
    say(t,
        "there is only one level, as the standard path halves all three axes together, which "
        "%d x %d x %d cells do not allow: %s",
        last->n[0], last->n[1], last->n[2], robust_or_sizes(solver));
  if (last->cells > MOST_BOTTOM)
    say(t,
        "the coarsest level has %lld cells, more than %d, and its solver may take most of the "
        "time: %s",
        (long long)last->cells, MOST_BOTTOM, robust_or_sizes(solver));
}

/* A trial: does the bottom solver reach its 1e-3? f is 1 in one half of the coarsest level and -1 in
 * the other. */
static hymg_status try_bottom(hymg_solver *solver, hymg_field *f, hymg_field *x, double *left)
{
  hymgi_level *level = solver->h.level + solver->h.num_levels - 1;
  const double one = 1;
  const int low[3] = {0, 0, 0}, half[3] = {(level->n[0] + 1) / 2, level->n[1], level->n[2]};
  const ptrdiff_t stride[3] = {0, 0, 0};
  TRY(hymg_field_fill(f, -1));
  TRY(hymg_field_write_own(f, low, half, stride, &one, HYMG_HOST));
  if (level->num_boxes == 0 || level->outside) return HYMG_OK;
  if (level->method->singular) hymgi_remove_mean(level, f->data);
  double *const x0 = level->x, *const y0 = level->y, *const f0 = level->f;
  level->x = x->data, level->f = f->data;
  hymgi_bottom_solve(level, solver->h.options.bottom);
  const double norm = hymgi_norm_max(level, f->data);
  *left = norm > 0 ? hymgi_residual_norm(level, level->f, level->x) / norm : 0;
  level->x = x0, level->y = y0, level->f = f0;
  return level->context->status;
}

static hymg_status advise_bottom(hymg_solver *solver, lines *t)
{
  const int l = solver->h.num_levels - 1;
  const hymgi_level *level = solver->h.level + l;
  hymg_context *c = level->context;
  const hymg_bottom bottom = solver->h.options.bottom;
  hymg_field *f = NULL, *x = NULL;
  double left = 0;
  if (level->transfer->to_cells || hymgi_suits_alone((double)level->cells) ||
      bottom == HYMG_BOTTOM_SWEEPS)
    return HYMG_OK;
  c->status = HYMG_OK;
  hymg_status status = hymg_field_create_on_level(solver, l, &f);
  if (status == HYMG_OK) status = hymg_field_create_on_level(solver, l, &x);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = hymgi_agree(c, try_bottom(solver, f, x, &left));
  left = hymgi_known_by_all(level, left);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  if (status == HYMG_OK && !(left <= 1.01e-3))
    say(t,
        "the bottom solver %s ends at its limit of 200 iterations with %.2g of the residual "
        "left, on %lld cells: try %s%s",
        hymg_enum_name("hymg_bottom", (int)bottom), left, (long long)level->cells,
        bottom == HYMG_BICGSTAB ? "" : "bottom=bicgstab, or ", robust_or_sizes(solver) + 4);
  return status;
}

/* ---- the coefficients ---- */

static hymg_status advise_path(const hymg_solver *solver, lines *t)
{
  char why[HYMGI_OBJECTIONS][HYMGI_WHY];
  TRY(hymgi_path_objections(&solver->h, why));
  for (int n = 0; n < HYMGI_OBJECTIONS; n++)
    if (why[n][0])
      say(t, "%s: try %s", why[n],
          solver->h.method.robust ? "more sweeps, or widths and beta that vary less"
                                  : "path=robust");
  return HYMG_OK;
}

static void advise_thin_axis(const hymg_solver *solver, lines *t)
{
  const hymgi_hierarchy *h = &solver->h;
  const char axis = "xyz"[h->thin_axis < 0 ? 0 : h->thin_axis];
  if (h->thin_axis >= 0 && h->thin_hold > HARD_HOLD)
    say(t,
        "there is one cell along %c, and its Dirichlet boundary holds u %.3g times as strongly as "
        "all else, so that cells hardly feel each other: try Neumann boundaries along %c, which "
        "leave the axis without a term",
        axis, h->thin_hold, axis);
}

/* Why the cycle is not symmetric; NULL if it is. */
static const char *asymmetry(const hymg_solver *solver)
{
  const hymgi_method *m = &solver->h.method;
  const hymg_options *o = &solver->h.options;
  const hymgi_level *last = solver->h.level + solver->h.num_levels - 1;
  bool parabola = false;
  for (int face = 0; face < 6; face++)
    parabola = parabola || hymgi_has_parabola(solver->h.op->grid->desc.boundary[face]);
  if (solver->h.kind->stencil == HYMG_FV4) return "the operator FV4, for which try FV2";
  if (m->smoother == HYMG_GSRB)
    return "red before black in every sweep of gsrb, for which try smoother=chebyshev";
  if (m->interpolation_v != HYMG_P0)
    return "interpolation and restriction, for which try interpolation-v=p0";
  if (parabola && !solver->h.kind->linear)
    return "the quadratic extrapolation, for which try HYMG_EXTRAPOLATION_LINEAR";
  if (last->cells > 1 && o->bottom != HYMG_BOTTOM_SWEEPS)
    return "the bottom solver, for which try bottom=sweeps";
  return NULL;
}

/* ---- the last solve ---- */

/* No rtol above this is worth a try. */
#define MOST_RTOL 1e-4
/* A residual within this factor of what rounding leaves is that. */
#define NEAR_ROUNDING 10

static void advise_rounding(const hymg_solver *solver, const hymg_result *r, lines *t)
{
  const double least = solver->rounding / r->rhs_max;
  const double better =
      2 * fmax(least, r->reason == HYMG_REASON_STAGNATED ? r->residual_relative : 0);
  if (better <= MOST_RTOL)
    say(t, "rtol %.3g is below what double gives here, about %.2g: try rtol=%.1g",
        solver->h.options.rtol, least, better);
  else
    say(t,
        "double gives no more than %.2g of f here, since the terms of A u are so much larger than "
        "f: solve for the difference from a constant or an earlier u, or give cells their values "
        "instead of a large alpha",
        least);
}

static double best_of(const hymg_cycle_record *h, int count)
{
  double best = h[0].residual_max;
  for (int m = 1; m < count; m++)
    best = fmin(best, h[m].residual_max);
  return best;
}

/* How many more cycles the tolerance takes at the rate from record `from` to the last one; *factor: of a cycle. */
static double more_cycles(const hymg_solver *solver, int from, int last, double *factor)
{
  const double best = best_of(solver->history, last + 1);
  *factor = pow(best / best_of(solver->history, from + 1), 1. / (last - from));
  return *factor < 1 ? log(hymgi_wanted(solver) / best) / log(*factor) : INFINITY;
}

/* By the later half of the cycles, which are often slower. Krylov iterations become faster: then also by the last quarter,
 * and less; their residuals rise in between, so that the best ones count. */
#define FASTER 1.2
static void advise_more(const hymg_solver *solver, const hymg_result *r, lines *t)
{
  const int last = r->cycles - 1;
  double factor, recent;
  double more = more_cycles(solver, last / 2, last, &factor);
  if (solver->step->recurrence && last >= 4)
    more = fmin(more, more_cycles(solver, 3 * last / 4, last, &recent)) / FASTER;
  if (more > 0 && more < 1e4)
    say(t,
        "the last solve ended at %d cycles with a factor of %.2g a cycle and needs some %.0f more: "
        "try max-cycles=%.0f or more sweeps",
        r->cycles, factor, ceil(more), ceil(r->cycles + 1.5 * more));
}

static void advise_result(const hymg_solver *solver, const hymg_result *r, lines *t)
{
  const hymg_options *o = &solver->h.options;
  const bool below = solver->rounding > hymgi_wanted(solver) && r->rhs_max > 0 &&
                     r->residual_max <= NEAR_ROUNDING * solver->rounding;
  if (solver->bad_f)
    say(t, "f is not finite at (%d, %d, %d): the first such cell", solver->bad_at[0],
        solver->bad_at[1], solver->bad_at[2]);
  else if (r->reason == HYMG_REASON_NOT_FINITE)
    say(t, "f is finite, but the iteration is not: boundary data or numbers too large for their "
           "squares; try to scale f");
  if (below) advise_rounding(solver, r, t);
  if (r->reason == HYMG_REASON_DIVERGED)
    say(t, "the residual grew in the last solve: try %s, or more sweeps",
        solver->h.method.robust ? "the other transfer" : "path=robust (FV2)");
  if (o->method == HYMG_FMG && r->reason == HYMG_REASON_LIMIT && !r->converged)
    say(t, "one F-cycle is not enough here, see the note: try method=mg");
  if (below || o->method == HYMG_FMG || r->cycles < 2) return;
  if (r->reason == HYMG_REASON_STAGNATED)
    say(t, "the last solve stagnated at a residual of %.2g: try %s", r->residual_relative,
        solver->h.method.robust ? "more sweeps or the other transfer"
                                : "method=mgpcg or path=robust");
  if (r->reason == HYMG_REASON_LIMIT) advise_more(solver, r, t);
}

/* A smaller part of the solve is not worth a line. */
#define LEAST_REDUCED 0.1

static hymg_status advise_threads(const hymg_solver *solver, lines *t)
{
  hymg_context *c = solver->h.context;
  double most[2] = {solver->reduced, c->threads};
  TRY(hymgi_comm_max_double(c, c->comm, most, 2));
  if (most[0] >= LEAST_REDUCED)
    say(t,
        "other programs ran on these cores: in %.0f %% of the time of the last solve fewer than "
        "the %.0f threads asked for were used, as more would have waited for each other: give "
        "the program cores of its own, or ask for fewer threads",
        100 * most[0], most[1]);
  return HYMG_OK;
}

hymg_status hymg_solver_advice(hymg_solver *solver, const hymg_result *result, char *text,
                               size_t size)
{
  if (!solver) return HYMG_EINVAL;
  hymgi_level *level = solver->h.level;
  hymg_context *c = level->context;
  hymg_status status = HYMG_OK;
  hymgi_arguments a;
  hymgi_solver_arguments(&a, "hymg_solver_advice", solver);
  hymgi_arguments_text(&a, "result", result ? "given" : "NULL");
  if (!text || size == 0)
    status = hymgi_fail(c, HYMG_EINVAL, "hymg_solver_advice: text is NULL or size is 0");
  c->status = HYMG_OK;
  status = hymgi_agree_on(c, status, &a);
  if (status == HYMG_OK) {
    lines t = {text, size, 0};
    text[0] = '\0';
    c->status = HYMG_OK;
    advise_thin_axis(solver, &t);
    advise_levels(solver, &t);
    status = advise_bottom(solver, &t);
    if (status == HYMG_OK) status = advise_path(solver, &t);
    const char *why = solver->h.method.robust || solver->h.options.method != HYMG_MGPCG
                          ? NULL
                          : asymmetry(solver);
    if (why)
      say(&t,
          "conjugate gradients with a cycle that is not symmetric may stagnate: the cause is %s",
          why);
    if (result) advise_result(solver, result, &t);
    if (result && status == HYMG_OK) status = advise_threads(solver, &t);
    level->backend->sync(c);
    status = hymgi_agree_or_reset(&solver->h, status == HYMG_OK ? c->status : status);
  }
  return status;
}
