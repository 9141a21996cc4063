/* Cycles as the steps of a solve: V or W, the first one F if the options say so, each with the norm of the residual that it
 * leaves. */
#include <math.h>

#include "api/solve/solve.h"
#include "multigrid/level_ops.h"

#define TINY 1e-12 /* a change of u that rounding explains */

/* ---- a cycle ---- */

/* A cycle and, unless it has to wait for a mean, the norm of the residual; before an F-cycle also the
 * right-hand sides. All of it is recorded as one graph. */
static void queue_cycle(hymg_solver *solver, int l, hymg_cycle cycle, bool with_rhs)
{
  hymgi_level *level = solver->h.level + l;
  const bool later = hymgi_norm_later(solver), singular = solver->h.method.singular;
  hymgi_begin_cycle(&solver->h, l, cycle, with_rhs ? 2 : 1);
  if (with_rhs) hymgi_rhs_queue(solver, l);
  level->norm = later && !singular ? HYMGI_NORM_WANTED : HYMGI_NORM_UNWANTED;
  hymgi_cycle(&solver->h, cycle, l);
  if (later && singular) hymgi_remove_mean(level, level->x);
  if (level->num_boxes && later && level->norm != HYMGI_NORM_KNOWN)
    hymgi_residual_norm_later(level, level->f, level->x, HYMGI_SLOT_RESIDUAL);
  level->norm = HYMGI_NORM_UNWANTED;
  hymgi_end_cycle(&solver->h, l);
}

/* The interpolation of an F-cycle reads boundary data, which have no scale: with that it is a V-cycle from 0. */
static hymg_cycle first_cycle(const hymgi_iteration *it)
{
  const hymg_cycle wanted = it->solver->h.options.cycle;
  if (wanted != HYMG_CYCLE_F || !it->solver->scale || !it->level->boundaries) return wanted;
  hymgi_fill(it->level, 0, it->level->x);
  return HYMG_CYCLE_V;
}

/* An F-cycle that begins with the right-hand sides; again, if these turn out to need a scale. */
static hymg_status f_cycle_with_rhs(const hymgi_iteration *it, hymg_cycle *cycle)
{
  hymg_solver *solver = it->solver;
  const int l = it->level->index;
  queue_cycle(solver, l, HYMG_CYCLE_F, true);
  TRY(hymgi_rhs_read(solver, l, it->given));
  *cycle = first_cycle(it);
  if (solver->scale) queue_cycle(solver, l, *cycle, false);
  return HYMG_OK;
}

/* In single precision, for the residual that is there, which is scaled by the norm of the last one. */
static void mixed_cycle(hymgi_iteration *it, hymg_cycle cycle)
{
  hymgi_hierarchy *h = &it->solver->h;
  const int l = it->level->index;
  if (cycle == HYMG_CYCLE_F)
    hymgi_mixed_f_cycle(h, l, it->exponent);
  else
    hymgi_mixed_cycle(h, cycle, l, it->exponent, true);
  it->exponent = hymgi_mixed_exponent(it->solver);
}

/* The norm of the residual after a cycle, unless it was queued with that. With mixed precision that residual is
 * what the next cycle starts from. */
static double residual_norm(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  hymgi_level *level = it->level;
  const bool largest = solver->h.options.norm == HYMG_NORM_MAX;
  if (!solver->mixed && hymgi_norm_later(solver)) return hymgi_later(level, HYMGI_SLOT_RESIDUAL);
  if (solver->h.method.singular) hymgi_remove_mean(level, level->x);
  if (largest && solver->mixed) {
    hymgi_mixed_residual(&solver->h, level->index, it->exponent);
    return hymgi_later(level, HYMGI_SLOT_RESIDUAL);
  }
  if (largest) return hymgi_residual_norm(level, level->f, level->x);
  hymgi_residual(level, level->f, level->x, solver->scratch);
  if (solver->mixed) hymgi_mixed_load(&solver->h, level->index, it->exponent, solver->scratch);
  return hymgi_norm(solver, level, solver->scratch);
}

static double advance(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  hymgi_level *level = it->level;
  const hymg_cycle wanted = solver->h.options.cycle;
  hymg_cycle cycle = it->first || wanted == HYMG_CYCLE_W ? wanted : HYMG_CYCLE_V;
  if (it->first && !solver->mixed && !it->rhs_later) cycle = first_cycle(it);
  if (solver->mixed)
    mixed_cycle(it, cycle);
  else if (it->first && it->rhs_later)
    it->status = f_cycle_with_rhs(it, &cycle);
  else
    queue_cycle(solver, level->index, cycle, false);
  it->kind = cycle == HYMG_CYCLE_F   ? HYMG_KIND_F
             : cycle == HYMG_CYCLE_W ? HYMG_KIND_W
                                     : HYMG_KIND_V;
  it->u = level->x; /* smoothers exchange x and y */
  if (solver->rhs_max == 0) hymgi_fill(level, 0, level->x);
  if (solver->rhs_max == 0 || !level->num_boxes) return 0;
  return ldexp(residual_norm(it), -solver->scale);
}

/* The first residual for cycles in single precision; before an F-cycle, right-hand sides are what
 * counts. */
static void begin(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  const int l = it->level->index;
  if (!solver->mixed) return;
  it->exponent = hymgi_mixed_exponent(solver);
  if (solver->h.options.cycle == HYMG_CYCLE_F) return;
  if (solver->h.options.initial_guess)
    hymgi_mixed_residual(&solver->h, l, it->exponent);
  else
    hymgi_mixed_load(&solver->h, l, it->exponent, it->level->f);
}

/* ---- how much u changes ---- */

/* Where the diagonal or the axes are spread, a small residual is not enough: from the first one on, u is compared with what it was
 * before the cycle. */
static hymg_status prepare(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  hymgi_level *level = it->level;
  if (solver->change == 0) return HYMG_OK;
  if (!it->watches)
    TRY(hymgi_agree(level->context,
                    hymgi_vector_create(level, level->vector_size, &solver->before)));
  it->watches = true;
  if (level->num_boxes) hymgi_copy_vector(level, level->x, solver->before);
  return HYMG_OK;
}

/* The sum of all further changes if they fall as the last two, and worse by what that has become since the two before:
 * while slow modes come out from under the others, the factor rises. */
static double remaining(const hymgi_iteration *it, double *factor)
{
  const double now = it->change, before = *factor;
  *factor = now / it->last_change;
  const double next = fmax(*factor, 2 * *factor - before);
  return next < 1 ? now * fmax(1, next / (1 - next)) : now <= TINY ? now : INFINITY;
}

static void measure(hymgi_iteration *it)
{
  hymg_solver *solver = it->solver;
  const hymgi_level *level = it->level;
  if (!solver->h.spread && !solver->h.uneven) return;
  solver->change = INFINITY;
  if (!it->watches) return;
  hymgi_axpby(level, 1, level->x, -1, solver->before, solver->before);
  it->change = hymgi_change(hymgi_norm_max(level, solver->before), hymgi_norm_max(level, level->x));
  const double change = it->change > 0 ? fmax(remaining(it, &it->factor), it->last_change) : 0;
  solver->change = hymgi_change_at_rounding(it, change);
}

const hymgi_step hymgi_cycle_step = {.most = 100,
                                     .patience = 10,
                                     .patience_mixed = 5,
                                     .divergence = 1e4,
                                     .begin = begin,
                                     .advance = advance,
                                     .measure = measure,
                                     .prepare = prepare};
