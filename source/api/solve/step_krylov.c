/* Iterations of conjugate gradients, or of BiCGStab (van der Vorst 1992, from the right) where the operator is not symmetric, as
 * the steps of a solve: the robust path, preconditioned with one V-cycle, and MGPCG of the standard path, with a V- or W-cycle.
 * BiCGStab is for FV4 and for boundaries with the quadratic extrapolation on the robust path, whose preconditioner is FV2 and
 * linear there. Exact dot products give the same bits on any ranks. Their scale follows from the iteration before
 * (hymgi_expected); then a dot product or norm takes one reduction, else two (largest term, integers). An
 * iteration of conjugate gradients has two dot products and a norm, one of BiCGStab four and two norms.
 * Whether the transfer has to change (transfer_choice.c) takes one reduction more where that is in
 * question. */
#include <math.h>

#include "api/solve/solve.h"
#include "multigrid/krylov/krylov.h"

#define NO_ENERGY 1e-20 /* of what a smoother would give */
#define NOISE     0.1   /* over the largest residual, in BiCGStab's shadow */

/* Of the residual, in the user's units. */
static double norm_of(const hymgi_iteration *k)
{
  return ldexp(hymgi_norm(k->solver, k->level, k->r), -k->solver->scale);
}

/* ---- the preconditioner ---- */

void hymgi_cycle_from_zero(hymgi_hierarchy *h, hymg_cycle kind, int l)
{
  if (!h->level[l].transfer->takes_zero) hymgi_fill(h->level + l, 0, h->level[l].x);
  hymgi_run_cycle(h, kind, l);
}

static bool takes_w(const hymg_solver *solver)
{
  return solver->h.options.cycle == HYMG_CYCLE_W && !solver->only_v;
}

/* z = M^-1 r */
static void precondition(hymgi_iteration *k, double *r)
{
  hymgi_hierarchy *h = &k->solver->h;
  hymgi_level *level = h->level + k->level->index;
  const hymg_cycle kind = takes_w(k->solver) ? HYMG_CYCLE_W : HYMG_CYCLE_V;
  level->f = r, level->x = k->z;
  if (k->solver->mixed) {
    const int exponent = hymgi_mixed_exponent(k->solver);
    hymgi_mixed_load(h, level->index, exponent, r);
    hymgi_mixed_cycle(h, kind, level->index, exponent, false);
  } else {
    hymgi_cycle_from_zero(h, kind, level->index);
  }
  k->z = level->x, k->level->y = level->y; /* a smoother may have exchanged them */
  level = k->level;
  hymgi_set_fixed(level, HYMGI_FIX_ZERO, k->z);
  if (h->mean_weight != 0)
    hymgi_center(level,
                 k->z); /* widths: constants are not in the kernel, so that it matters which mean */
  else if (h->method.singular && level->num_boxes)
    hymgi_remove_mean(level, k->z);
  hymgi_pieces_center(level, &h->pieces, h->pieces.floating > h->pieces.singular, k->z);
}

/* ---- iterations ---- */

/* u += alpha p, r -= alpha q; returns the residual's norm. */
static double advance(hymgi_iteration *k, double alpha, const double *p, const double *q)
{
  const bool largest = k->solver->h.options.norm == HYMG_NORM_MAX;
  const double value =
      hymgi_advance(k->level, alpha, p, q, k->u, k->r, largest ? NULL : &k->square);
  k->step = alpha, k->moved = p;
  if (!largest && !(value > 1e-200 && value < 1e200)) return norm_of(k);
  return ldexp(largest ? value : sqrt(value), -k->solver->scale);
}

/* Where a small residual once was not enough, u has to change little twice in a row; so it has in BiCGStab where the diagonal
 * is spread. Both of its half steps count, as one of them may be short by chance. */
static void measure(hymgi_iteration *k)
{
  hymg_solver *s = k->solver;
  if (!k->moved) return; /* r is 0 already */
  /* the cycle's result is the error as it sees it, however short the step was */
  const double moved = fmax(fabs(k->step), 1) * hymgi_norm_max(k->level, k->moved),
               change = hymgi_change(moved, hymgi_norm_max(k->level, k->u));
  k->change = isfinite(k->change) ? fmax(k->change, change) : change;
  k->most_change = fmax(k->most_change, k->change);
  const bool twice = s->waited || (k->shadow && s->h.spread);
  s->change = twice ? fmax(k->change, k->last_change) : k->change;
  s->change = hymgi_change_at_rounding(k, s->change);
}

/* Is the iteration at its end after half of it? */
static bool ends(hymgi_iteration *k, double norm)
{
  if (!hymgi_small(k->solver, norm) && !k->solver->at_rounding) return false;
  measure(k);
  return !k->moved || hymgi_has_converged(k->solver, norm);
}

/* A W-cycle whose coarse levels correct by more than twice the error is not positive definite; a V-cycle is. By twice the
 * error, it is 0 up to rounding, where that of smoothers alone would be |r|^2 over the diagonal. */
static bool is_indefinite(hymgi_iteration *k, double energy)
{
  const hymg_solver *s = k->solver;
  const double last = s->records ? s->history[s->records - 1].residual_max : 0,
               norm = ldexp(last, s->scale), least = NO_ENERGY * norm * norm;
  k->broken = k->indefinite = takes_w(s) && (energy < 0 || energy * s->h.largest < least);
  return k->broken;
}

/* Where the cycle is of no use, r itself is the direction. */
static double cg(hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  if (k->stuck > 1)
    hymgi_copy_vector(level, k->r, k->z);
  else
    precondition(k, k->r);
  if (level->num_boxes == 0) return 0;
  const double rho = hymgi_dot_expected(level, k->r, k->z, k->dot);
  if (is_indefinite(k, rho)) return norm_of(k);
  hymgi_axpby(level, 1, k->z, k->first ? 0 : rho / k->now.rho, k->first ? k->z : k->p, k->p);
  k->now.rho = rho;
  const double energy = hymgi_apply_dot(level, k->p, k->w, k->p, k->dot + 1);
  k->broken = !hymgi_krylov_usable(rho) || !hymgi_krylov_usable(energy);
  return k->broken ? norm_of(k) : advance(k, rho / energy, k->p, k->w);
}

static double bicgstab(hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  const double rho = level->num_boxes ? hymgi_dot_expected(level, k->shadow, k->r, k->dot) : 0;
  if (k->first) {
    hymgi_copy_vector(level, k->r, k->p);
  } else {
    hymgi_axpby(level, 1, k->p, -k->now.omega, k->w, k->p);
    hymgi_axpby(level, 1, k->r, rho / k->now.rho * (k->now.alpha / k->now.omega), k->p, k->p);
  }
  k->now.rho = rho;
  precondition(k, k->p);
  if (level->num_boxes == 0) return 0;
  if (takes_w(k->solver) && is_indefinite(k, hymgi_dot(level, k->p, k->z))) return norm_of(k);
  const double projection = hymgi_apply_dot(level, k->z, k->w, k->shadow, k->dot + 1);
  k->now.alpha = rho / projection;
  k->broken = !hymgi_krylov_usable(rho) || !hymgi_krylov_usable(projection);
  if (k->broken) return norm_of(k);
  const double half = advance(k, k->now.alpha, k->z, k->w);
  if (!isfinite(half) || ends(k, half)) return half;
  precondition(k, k->r);
  const double square = hymgi_apply_dot(level, k->z, k->t, k->t, k->dot + 2);
  k->now.omega = hymgi_dot_expected(level, k->t, k->r, k->dot + 3) / square;
  k->broken = !hymgi_krylov_usable(square) || !hymgi_krylov_usable(k->now.omega);
  return k->broken ? half : advance(k, k->now.omega, k->z, k->t);
}

/* ---- beginnings ---- */

/* Sparse or symmetric data make later residuals orthogonal to the first one: after a half sweep they are 0 wherever
 * it was not. So the shadow vector is the first residual with some noise, and after a breakdown other noise alone. */
static void choose_shadow(const hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  level->backend->robust->noise(level, k->breakdowns, k->shadow);
  if (k->breakdowns) return;
  hymgi_axpby(level, 1, k->r, NOISE * hymgi_norm_max(level, k->r), k->shadow, k->shadow);
}

/* r = f - A u */
static void residual(hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  hymgi_residual(level, k->f, k->u, k->r);
}

/* After a breakdown: from the residual itself, with another shadow. */
static void begin_again(hymgi_iteration *k)
{
  k->breakdowns++, k->stuck++;
  if (k->level->num_boxes == 0) return;
  residual(k);
  if (k->shadow) choose_shadow(k);
}

static void leave_w(hymgi_iteration *k)
{
  if (!takes_w(k->solver) || !hymgi_known_by_all(k->level, k->indefinite)) return;
  k->solver->only_v = true;
  hymgi_note(k->solver, "the W-cycle is not positive definite: V-cycles after %d iterations",
             k->solver->records);
}

/* In a singular system a mean of r is rounding, which no iteration could take away. */
static void restart(hymgi_iteration *k)
{
  if (k->solver->h.method.singular && k->level->num_boxes) hymgi_subtract_mean(k->level, k->r);
  hymgi_pieces_project(k->level, &k->solver->h.pieces, 0, k->r, NULL);
}

static hymg_status prepare(hymgi_iteration *k)
{
  hymg_solver *solver = k->solver;
  leave_w(k);
  k->first = hymgi_known_by_all(k->level, k->broken) != 0;
  k->broken = false;
  if (!k->first) k->stuck = 0;
  if (k->first && solver->mixed)
    hymgi_mixed_leave(solver, "a correction in single precision was not finite");
  if (k->first) begin_again(k);
  if (solver->waited || hymgi_waits(solver)) restart(k);
  return hymgi_transfer_choose(k);
}

/* ---- the end ---- */

static double true_residual(hymgi_iteration *k)
{
  residual(k);
  return norm_of(k);
}

static void advise(const hymgi_iteration *k)
{
  hymg_solver *solver = k->solver;
  const hymg_reason reason = k->reason;
  const bool unlimited = solver->h.kind->stencil == HYMG_FV4 && isinf(solver->h.op->desc.limiter);
  const bool rounded = solver->at_rounding && hymgi_is_too_much(solver, solver->residual);
  if (k->breakdowns)
    hymgi_note(solver, "the iteration broke down and began anew %d time%s", k->breakdowns,
               k->breakdowns > 1 ? "s" : "");
  if (reason == HYMG_REASON_LIMIT)
    hymgi_note(solver, "not converged in %d iterations: try more max_cycles, or more sweeps",
               solver->records);
  if ((reason == HYMG_REASON_STAGNATED && !rounded) || reason == HYMG_REASON_DIVERGED)
    hymgi_note(solver, "the iteration no longer gains: try %s",
               unlimited                 ? "FV4 with its limiter, which jumps of beta need"
               : solver->h.method.robust ? "more sweeps or the other transfer"
                                         : "path=robust");
  if (reason == HYMG_REASON_NOT_FINITE)
    hymgi_note(solver, "NaN or infinity in f or in the iteration");
}

static void end(hymgi_iteration *k, hymg_status status)
{
  if (status == HYMG_OK) advise(k);
  hymgi_transfer_forget(k);
  k->level->x = k->u, k->level->f = k->f;
  hymgi_center(k->level, k->u);
  hymgi_pieces_center(k->level, &k->solver->h.pieces, true, k->u);
}

/* ---- the beginning ---- */

/* r, p, w and z come after the bottom solver's vectors, if the level is the coarsest one. */
static void bind(hymgi_iteration *k)
{
  const hymgi_level *level = k->level;
  const hymgi_hierarchy *h = &k->solver->h;
  const ptrdiff_t size =
      level->vector_size; /* on a rank that holds nothing, 0 like all vectors here */
  const bool bottom = !level->transfer->to_cells && level->index == h->num_levels - 1;
  double **const vector[] = {&k->r, &k->p, &k->w, &k->z, &k->shadow, &k->t};
  const int first = bottom ? hymgi_bottom_vectors(h->options.bottom) : 0;
  for (int m = 0; m < k->solver->step->vectors; m++)
    *vector[m] = size ? level->krylov + (first + m) * size : NULL;
}

/* r = f - A u */
static void begin(hymgi_iteration *k)
{
  bind(k);
  k->kind = k->solver->step->kind;
  if (k->solver->h.options.initial_guess)
    residual(k);
  else
    hymgi_copy_vector(k->level, k->f, k->r);
  if (k->shadow && k->level->num_boxes) choose_shadow(k);
  restart(k);
}

#define KRYLOV                                                                                     \
  .recurrence = true, .most = 2000, .patience = 200, .patience_mixed = 20, .divergence = 1e15,     \
  .begin = begin, .measure = measure, .prepare = prepare, .residual = true_residual,               \
  .restart = restart, .end = end

const hymgi_step hymgi_cg_step = {KRYLOV, .advance = cg, .kind = HYMG_KIND_CG,
                                  .vectors = HYMGI_CG_VECTORS};
const hymgi_step hymgi_bicgstab_step = {KRYLOV, .advance = bicgstab, .kind = HYMG_KIND_BICGSTAB,
                                        .vectors = HYMGI_BICGSTAB_ROBUST};
