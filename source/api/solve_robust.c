/* The iterations of the robust path, preconditioned with one V-cycle: conjugate gradients, or
 * BiCGStab (van der Vorst 1992, from the right) where the operator's extrapolation at boundaries is
 * quadratic and the preconditioner's linear. Exact dot products give the same bits on any ranks. Their
 * scale follows from the iteration before (hymgi_expected); then a dot product or norm takes one
 * reduction, else two (largest term, integers). An iteration of conjugate gradients has two dot
 * products and a norm, one of BiCGStab four and two norms. Whether the transfer has to change
 * (transfer_choice.c) takes one reduction more where that is in question. */
#include <float.h>
#include <math.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

/* ---- iterations ---- */

typedef struct krylov {
  hymg_solver *solver;
  hymgi_level *level;
  double *u, *f;
  double *r, *p, *w, *z;    /* z: what the cycle returns; w: A p */
  double *shadow, *t;       /* BiCGStab */
  int scale;                /* u and r are 2^scale times the user's, to keep products in range */
  double rho, alpha, omega; /* of the last iteration */
  hymgi_expected first, second, third, fourth,
      square;  /* of the dot products of an iteration, and of r r */
  bool broken; /* a divisor was 0 or not finite */
} krylov;

/* Of the residual, in the user's units. */
static double norm_of(const krylov *k)
{
  return ldexp(hymgi_norm(k->solver, k->level, k->r), -k->scale);
}

static bool usable(double divisor)
{
  return isfinite(divisor) && divisor != 0;
}

/* From zero, whatever level->x is. */
static void cycle(hymgi_hierarchy *h, hymg_cycle kind)
{
  hymgi_exchange_inner(h);
  hymgi_run_cycle(h, kind, 0);
  hymgi_exchange_inner(h);
}

/* x + M (f - A x): the preconditioner may be of another operator, so it gets the residual. */
void hymgi_robust_cycle(hymg_solver *solver, hymg_cycle kind, bool from_x)
{
  hymgi_level *level = solver->h.level;
  double *const x = level->x, *const f = level->f;
  if (from_x) {
    double *const r = level->num_boxes ? level->krylov : NULL;
    hymgi_residual(level, f, x, r);
    level->f = r, level->x = r ? r + level->vector_size : NULL;
  }
  cycle(&solver->h, kind);
  if (!from_x) return;
  hymgi_axpby(level, 1, level->x, 1, x, x);
  level->x = x, level->f = f;
}

/* u += alpha p, r -= alpha q; returns the residual's norm. */
static double advance(krylov *k, double alpha, const double *p, const double *q)
{
  const bool largest = k->solver->h.options.norm == HYMG_NORM_MAX;
  const double value =
      hymgi_advance(k->level, alpha, p, q, k->u, k->r, largest ? NULL : &k->square);
  if (!largest && !(value > 1e-200 && value < 1e200)) return norm_of(k);
  return ldexp(largest ? value : sqrt(value), -k->scale);
}

/* The norm of r before this iteration, in the units of r, or what it begins with. */
static double last_norm(const krylov *k)
{
  const hymg_solver *s = k->solver;
  return ldexp(s->records ? s->history[s->records - 1].residual_max : s->rhs_max, k->scale);
}

/* z = M^-1 r */
static void precondition(krylov *k, double *r)
{
  hymgi_level *level = k->level;
  hymgi_hierarchy *h = &k->solver->h;
  level->f = r, level->x = k->z;
  if (k->solver->mixed) {
    const int exponent = hymgi_mixed_exponent(last_norm(k));
    hymgi_exchange_inner(h);
    hymgi_mixed_load(h, 0, exponent, r);
    hymgi_mixed_cycle(h, h->options.cycle, 0, exponent, false);
    hymgi_exchange_inner(h);
  } else {
    cycle(h, h->options.cycle);
  }
  k->z = level->x; /* a smoother may have exchanged x and y */
  if (h->method.singular && level->num_boxes) hymgi_remove_mean(level, k->z);
}

/* One iteration; returns the residual's norm. */
static double cg(krylov *k, bool first)
{
  const hymgi_level *level = k->level;
  precondition(k, k->r);
  if (level->num_boxes == 0) return 0;
  const double rho = hymgi_dot_expected(level, k->r, k->z, &k->first);
  hymgi_axpby(level, 1, k->z, first ? 0 : rho / k->rho, first ? k->z : k->p, k->p);
  k->rho = rho;
  const double energy = hymgi_apply_dot(level, k->p, k->w, k->p, &k->second);
  k->broken = !usable(rho) || !usable(energy);
  return k->broken ? norm_of(k) : advance(k, rho / energy, k->p, k->w);
}

static bool small_enough(const krylov *k, double norm)
{
  const hymg_options *o = &k->solver->h.options;
  return norm <= o->rtol * k->solver->rhs_max || norm <= o->atol;
}

static double bicgstab(krylov *k, bool first)
{
  const hymgi_level *level = k->level;
  const double rho = level->num_boxes ? hymgi_dot_expected(level, k->shadow, k->r, &k->first) : 0;
  if (first) {
    hymgi_copy_vector(level, k->r, k->p);
  } else {
    hymgi_axpby(level, 1, k->p, -k->omega, k->w, k->p);
    hymgi_axpby(level, 1, k->r, rho / k->rho * (k->alpha / k->omega), k->p, k->p);
  }
  k->rho = rho;
  precondition(k, k->p);
  if (level->num_boxes == 0) return 0;
  const double projection = hymgi_apply_dot(level, k->z, k->w, k->shadow, &k->second);
  k->alpha = rho / projection;
  k->broken = !usable(rho) || !usable(projection);
  if (k->broken) return norm_of(k);
  const double half = advance(k, k->alpha, k->z, k->w);
  if (small_enough(k, half) || !isfinite(half)) return half;
  precondition(k, k->r);
  const double square = hymgi_apply_dot(level, k->z, k->t, k->t, &k->third);
  k->omega = hymgi_dot_expected(level, k->t, k->r, &k->fourth) / square;
  k->broken = !usable(square) || !usable(k->omega);
  return k->broken ? half : advance(k, k->omega, k->z, k->t);
}

/* Iterates until the recurrence's residual is small enough or cannot become so. */
static hymg_status iterate(krylov *k, hymg_reason *reason)
{
  hymg_solver *solver = k->solver;
  const bool quadratic = solver->h.method.quadratic;
  bool stop = false;
  for (bool first = true;;) {
    if (first && quadratic) hymgi_copy_vector(k->level, k->r, k->shadow);
    const double norm = quadratic ? bicgstab(k, first) : cg(k, first);
    TRY(hymgi_record(solver, quadratic ? HYMG_KIND_BICGSTAB : HYMG_KIND_CG,
                     hymgi_known_by_all(k->level, norm), &stop));
    bool again;
    if (!hymgi_mixed_goes_on(solver, stop, reason, &again)) return HYMG_OK;
    const bool broken = hymgi_known_by_all(k->level, k->broken) != 0;
    if (broken && !solver->mixed) {
      *reason = HYMG_REASON_STAGNATED;
      return HYMG_OK;
    }
    if (broken) hymgi_mixed_leave(solver, "a correction in single precision was not finite");
    TRY(hymgi_transfer_judge(solver, &first));
    first = first || broken;
  }
}

/* ---- the end ---- */

/* r = f - A u */
static void residual(krylov *k)
{
  const hymgi_level *level = k->level;
  if (k->scale) hymgi_axpby(level, ldexp(1, k->scale), k->f, 0, k->f, k->w);
  hymgi_residual(level, k->scale ? k->w : k->f, k->u, k->r);
}

/* What rounding alone leaves of a residual. More than this part of f is never taken for convergence. */
#define MOST_ROUNDING 1e-5
static double rounding(const krylov *k)
{
  return fmin(ldexp(hymgi_rounding(k->solver, k->level, k->u), -k->scale),
              MOST_ROUNDING * k->solver->rhs_max);
}

/* The residual itself in place of the recurrence's. */
static double true_residual(krylov *k)
{
  const hymgi_level *level = k->level;
  if (level->num_boxes == 0) return 0;
  residual(k);
  return norm_of(k);
}

static void advise(hymg_solver *solver, hymg_reason reason)
{
  const bool unlimited = solver->h.method.stencil == HYMG_FV4 && isinf(solver->h.op->desc.limiter);
  if (reason == HYMG_REASON_LIMIT)
    hymgi_note(solver, "not converged in %d iterations: try more max_cycles, or more sweeps",
               solver->records);
  if (reason == HYMG_REASON_STAGNATED || reason == HYMG_REASON_DIVERGED)
    hymgi_note(solver, "the iteration no longer gains: try %s",
               unlimited ? "FV4 with its limiter, which jumps of beta need"
                         : "more sweeps or the other transfer");
  if (reason == HYMG_REASON_NOT_FINITE)
    hymgi_note(solver, "NaN or infinity in f or in the iteration");
}

/* The recurrence has converged: so has the residual, up to rounding, or the iteration goes on from
 * it as long as that gains a factor of 2. */
static hymg_status settle(krylov *k, hymg_reason *reason)
{
  hymg_solver *solver = k->solver;
  double norm = hymgi_known_by_all(k->level, true_residual(k)), before = INFINITY;
  while (*reason == HYMG_REASON_TOLERANCE && !small_enough(k, norm) && norm < 0.5 * before &&
         norm > 1.5 * solver->history[solver->records - 1].residual_max &&
         solver->records < solver->max_cycles) {
    const double limit = hymgi_known_by_all(k->level, k->level->num_boxes ? rounding(k) : 0);
    if (norm <= limit) break;
    before = norm;
    TRY(iterate(k, reason));
    norm = hymgi_known_by_all(k->level, true_residual(k));
  }
  solver->residual = norm;
  const double wanted = fmax(solver->h.options.rtol * solver->rhs_max, solver->h.options.atol);
  if (*reason != HYMG_REASON_TOLERANCE || norm <= 1.5 * wanted) return HYMG_OK;
  const double limit = hymgi_known_by_all(k->level, k->level->num_boxes ? rounding(k) : 0);
  if (norm > limit) *reason = HYMG_REASON_STAGNATED;
  hymgi_note(solver, "the residual is %.3g, %s", norm / solver->rhs_max,
             norm > limit ? "although the iteration's own estimate has reached the tolerance"
                          : "where rounding ends: the tolerance is below what double gives");
  return HYMG_OK;
}

hymg_status hymgi_robust_solve(hymg_solver *solver, hymg_reason *reason)
{
  hymgi_level *level = solver->h.level;
  const ptrdiff_t size = level->vector_size;
  double *next[HYMGI_BICGSTAB_ROBUST];
  for (int m = 0; m < HYMGI_BICGSTAB_ROBUST; m++)
    next[m] = size ? level->krylov + m * size : NULL;
  krylov k = {.solver = solver,
              .level = level,
              .u = level->x,
              .f = level->f,
              .r = next[0],
              .p = next[1],
              .w = next[2],
              .z = next[3]};
  if (solver->h.method.quadratic) k.shadow = next[4], k.t = next[5];
  k.scale = hymgi_scale_for(solver->rhs_max);
  const double factor = ldexp(1, k.scale);
  if (!solver->h.options.initial_guess) hymgi_fill(level, 0, k.u);
  hymgi_axpby(level, factor, solver->h.options.initial_guess ? k.u : k.f, 0, k.f,
              solver->h.options.initial_guess ? k.u : k.r);
  if (solver->h.options.initial_guess) residual(&k);
  hymg_status status = iterate(&k, reason);
  if (status == HYMG_OK) status = settle(&k, reason);
  if (status == HYMG_OK) advise(solver, *reason);
  level->x = k.u, level->f = k.f;
  if (k.scale) hymgi_axpby(level, ldexp(1, -k.scale), k.u, 0, k.u, k.u);
  hymgi_center(level, level->x);
  return status;
}
