/* The right-hand sides of a solve: f on all levels that need it, with boundary terms and, where the system is singular, without
 * its mean; the norm of f; and its scale. */
#include <float.h>
#include <math.h>

#include "api/solve/solve.h"
#include "multigrid/level_ops.h"

#define COMPATIBLE 1e-4

/* Of f on the level of the solve, before its mean was subtracted, where the system is singular. pieces: where
 * some of its pieces are. */
typedef struct facts {
  double mean, largest;
  hymgi_projection pieces;
} facts;

/* Does f on the coarser levels have the mean of f on the level of the solve? Boundary terms are
 * added on each level by itself. */
static bool restriction_keeps_mean(const hymg_solver *solver)
{
  const hymgi_hierarchy *h = &solver->h;
  const bool alike = !h->level[h->num_levels - 1].shortened && !h->method.stretched;
  return alike && !h->system->boundaries;
}

/* Can means be subtracted without a wait? With several ranks their GPUs wait for each other's sums. */
static bool mean_later(const hymg_solver *solver)
{
  return restriction_keeps_mean(solver) && hymgi_comm_size(solver->h.context->comm) == 1;
}

bool hymgi_norm_later(const hymg_solver *solver)
{
  return (!solver->h.method.singular || mean_later(solver)) && !solver->h.pieces.floating &&
         solver->h.options.norm == HYMG_NORM_MAX;
}

/* Not if it depends on their mean whether there is a cycle. */
bool hymgi_rhs_later(const hymg_solver *solver)
{
  const hymg_options *o = &solver->h.options;
  const bool examined = solver->h.singular && o->rhs_mean == HYMG_MEAN_ERROR;
  return hymgi_norm_later(solver) && o->cycle == HYMG_CYCLE_F && !solver->mixed && !examined;
}

/* The last level on which the solve needs f. */
static int last_level(const hymg_solver *solver, int l)
{
  return solver->h.options.cycle == HYMG_CYCLE_F ? hymgi_last_rhs(&solver->h, l) : l;
}

/* ---- on all levels ---- */

/* found: NULL if nothing may wait; then it is read later. */
static void complete(const hymg_solver *solver, const hymgi_level *level, facts *found)
{
  if (level->num_boxes == 0) return;
  hymgi_add_boundary_terms(level, level->f);
  if (solver->h.pieces.floating)
    hymgi_pieces_project(level, &solver->h.pieces, COMPATIBLE, level->f,
                         found ? &found->pieces : NULL);
  if (!level->method->singular) return;
  if (!found) {
    hymgi_remove_mean_later(level, level->f);
    return;
  }
  found->largest = hymgi_norm_max(level, level->f); /* with its mean */
  found->mean = hymgi_subtract_mean(level, level->f);
}

/* with_norm: also queues max |f| of level l. */
static void restrict_rhs(hymgi_level *level, int levels, bool with_norm)
{
  for (int m = 0; m < levels; m++)
    hymgi_restrict_norm_later(level + m, level[m].f, level + m + 1, level[m + 1].f,
                              m == 0 && with_norm ? HYMGI_SLOT_RHS : HYMGI_SLOT_NONE);
}

/* found: NULL to queue all this, with max |f| of level l. */
static void make_rhs(hymg_solver *solver, int l, facts *found)
{
  hymgi_level *const level = hymgi_system_level(&solver->h, l);
  const int levels = last_level(solver, l) - l;
  const bool once = solver->h.method.singular && restriction_keeps_mean(solver);
  const bool fused = !found && levels > 0 && !level->boundaries; /* data are added to f first */
  facts unused;
  if (!once) restrict_rhs(level, levels, fused);
  complete(solver, level, found);
  if (once) restrict_rhs(level, levels, fused);
  for (int m = 1; !once && m <= levels; m++)
    complete(solver, level + m, &unused);
  if (!found && !fused && level->num_boxes) hymgi_norm_max_later(level, level->f, HYMGI_SLOT_RHS);
}

/* ---- what f is like ---- */

/* f is a constant, up to rounding, in a singular system. */
#define ONLY_ROUNDING (8 * DBL_EPSILON)

/* The norm of f from that without its mean, which counts if it is part of the solution. */
static double norm_of_rhs(const hymg_solver *solver, const hymgi_level *level, double norm,
                          double largest)
{
  const double root = solver->h.options.norm == HYMG_NORM_MAX ? 1 : sqrt((double)level->cells);
  if (solver->h.singular && norm <= ONLY_ROUNDING * root * largest) return 0;
  if (!solver->h.mean_weight) return norm;
  return root == 1 ? largest : hypot(norm, root * solver->mean_removed);
}

/* Is |mean f| more than rounding can explain? */
static hymg_status examine_mean(hymg_solver *solver, const hymgi_level *level, double largest)
{
  const double mean = fabs(solver->mean_removed);
  if (!solver->h.singular || !(mean > COMPATIBLE * largest)) return HYMG_OK;
  if (solver->h.options.rhs_mean == HYMG_MEAN_ERROR)
    return hymgi_fail(
        level->context, HYMG_EINVAL,
        "the system is singular and f is not compatible: |mean f| = %g, at most %g max |f| = %g",
        mean, COMPATIBLE, COMPATIBLE * largest);
  hymgi_note(solver, "f was not compatible with the singular system: its mean, %g, was subtracted",
             solver->mean_removed);
  return HYMG_OK;
}

/* The means of pieces with a weak C are part of the solution, and so of f. */
static void add_kept(hymg_solver *solver, const hymgi_level *level, const hymgi_projection *p)
{
  const double kept = hymgi_known_by_all(level, p->kept), root = hymgi_known_by_all(level, p->root);
  if (solver->h.options.norm == HYMG_NORM_MAX)
    solver->rhs_max = fmax(solver->rhs_max, kept);
  else
    solver->rhs_max = hypot(solver->rhs_max, root);
}

/* The same for pieces: that of the largest mean is named. */
static hymg_status examine_pieces(hymg_solver *solver, const hymgi_level *level,
                                  const hymgi_projection *p)
{
  const double number = hymgi_known_by_all(level, (double)p->label);
  const long long cells = (long long)hymgi_known_by_all(level, (double)p->cells),
                  count = (long long)hymgi_known_by_all(level, p->incompatible);
  const double largest = hymgi_known_by_all(level, p->largest);
  const int *n = level->n;
  solver->mean_removed = hymgi_known_by_all(level, p->mean);
  if (count == 0) return HYMG_OK;
  const long long at = (long long)number;
  const int i = (int)(at % n[0]), j = (int)(at / n[0] % n[1]), k = (int)(at / n[0] / n[1]);
  if (solver->h.options.rhs_mean == HYMG_MEAN_ERROR)
    return hymgi_fail(level->context, HYMG_EINVAL,
                      "f is not compatible in %lld of %d singular pieces, most of all in that of "
                      "%lld cells from (%d, "
                      "%d, %d) on: |mean f| = %g, at most %g max |f| = %g",
                      count, solver->h.pieces.singular, cells, i, j, k, fabs(solver->mean_removed),
                      COMPATIBLE, COMPATIBLE * largest);
  hymgi_note(solver,
             "f was not compatible in %lld of %d singular pieces: its means were subtracted, in "
             "that of %lld "
             "cells from (%d, %d, %d) on %g",
             count, solver->h.pieces.singular, cells, i, j, k, solver->mean_removed);
  return HYMG_OK;
}

hymg_status hymgi_rhs_load(hymgi_level *level, const hymg_field *f)
{
  if (!level->own_f) TRY(hymgi_vector_create(level, level->vector_size, &level->own_f));
  level->f = level->own_f;
  return f ? hymgi_field_load(f, level, level->f) : HYMG_OK;
}

/* Where products of two numbers of f would leave the range of doubles; again: f, if a cycle has changed that of coarser
 * levels since. */
static hymg_status scale(hymg_solver *solver, int l, const hymg_field *again)
{
  hymgi_level *level = hymgi_system_level(&solver->h, l);
  const double *x = level->f; /* may be the user's field */
  facts unused;
  solver->scale = hymgi_scale_for(solver->rhs_max);
  if (solver->scale == 0) return HYMG_OK;
  TRY(hymgi_agree(level->context, hymgi_rhs_load(level, again)));
  if (again) make_rhs(solver, l, &unused);
  for (int m = l; m <= last_level(solver, l); m++) {
    level = hymgi_system_level(&solver->h, m);
    if (m > l || again) x = level->f;
    hymgi_axpby(level, ldexp(1, solver->scale), x, 0, x, level->f);
  }
  return HYMG_OK;
}

/* norm: of f without its mean; on ranks that hold cells of the level. */
static hymg_status take(hymg_solver *solver, const hymgi_level *level, double norm,
                        const facts *found)
{
  const double largest = hymgi_known_by_all(level, found->largest);
  solver->mean_removed = hymgi_known_by_all(level, found->mean);
  solver->rhs_max = norm_of_rhs(solver, level, hymgi_known_by_all(level, norm), largest);
  if (solver->h.pieces.floating) {
    add_kept(solver, level, &found->pieces);
    return examine_pieces(solver, level, &found->pieces);
  }
  return examine_mean(solver, level, largest);
}

hymg_status hymgi_rhs_prepare(hymg_solver *solver, int l)
{
  const hymgi_level *level = hymgi_system_level(&solver->h, l);
  facts found = {0};
  make_rhs(solver, l, &found);
  TRY(take(solver, level, level->num_boxes ? hymgi_norm(solver, level, level->f) : 0, &found));
  return scale(solver, l, NULL);
}

void hymgi_rhs_queue(hymg_solver *solver, int l)
{
  make_rhs(solver, l, NULL);
}

hymg_status hymgi_rhs_read(hymg_solver *solver, int l, const hymg_field *f)
{
  const hymgi_level *level = hymgi_system_level(&solver->h, l);
  const double norm = level->num_boxes ? hymgi_later(level, HYMGI_SLOT_RHS) : 0;
  facts found = {0};
  if (solver->h.method.singular)
    found = (facts){.mean = hymgi_later(level, HYMGI_SLOT_MEAN),
                    .largest = hymgi_later(level, HYMGI_SLOT_BEFORE)};
  TRY(take(solver, level, norm, &found));
  return scale(solver, l, f);
}
