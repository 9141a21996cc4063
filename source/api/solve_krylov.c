/* Conjugate gradients, or BiCGStab (van der Vorst 1992, from the right) where the operator is not symmetric: the robust
 * path, preconditioned with one V-cycle, and MGPCG of the standard path, with a V- or W-cycle. BiCGStab is for FV4 and
 * for boundaries with the quadratic extrapolation on the robust path, whose preconditioner is FV2 and linear there.
 * Exact dot products give the same bits on any ranks. Their scale follows from the iteration before
 * (hymgi_expected); then a dot product or norm takes one reduction, else two (largest term, integers). An
 * iteration of conjugate gradients has two dot products and a norm, one of BiCGStab four and two norms.
 * Whether the transfer has to change (transfer_choice.c) takes one reduction more where that is in
 * question. */
#include <float.h>
#include <math.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

enum { SAVED = 4 };
/* The residual itself is within this factor of what the recurrence has reached. */
#define NEARLY 1.5
/* An attempt with the other transfer that has gained so much is gone on from. */
#define WORTH 0.1
#define NOISE 0.1 /* over the largest residual, in BiCGStab's shadow */

/* What an attempt with the other transfer must not lose: the vectors u, r, p and w, and the numbers. */
typedef struct saved {
  double *vector[SAVED];
  bool whole; /* there was memory for all of them */
  double rho, alpha, omega, norm;
} saved;

typedef struct krylov {
  hymg_solver *solver;
  hymgi_level *level;
  bool stabilised; /* BiCGStab */
  double *u, *f;
  double *r, *p, *w, *z;    /* z: what the cycle returns; w: A p */
  double *shadow, *t;       /* BiCGStab */
  int scale;                /* u and r are 2^scale times the user's, to keep products in range */
  double rho, alpha, omega; /* of the last iteration */
  hymgi_expected first, second, third, fourth,
      square;                 /* of the dot products of an iteration, and of r r */
  double step;                /* u has last moved by step times: */
  const double *moved;        /* p or z */
  double change, last_change; /* of u, after a small residual, in this iteration and the last one */
  bool broken;                /* a divisor was 0 or not finite */
  int breakdowns;             /* so far; `stuck`: since the last iteration without one */
  int stuck;
  saved saved;
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

/* ---- the preconditioner ---- */

/* From zero, whatever level->x is. */
static void cycle(hymgi_hierarchy *h, hymg_cycle kind, int l)
{
  hymgi_exchange_inner(h);
  if (!h->level[l].transfer->takes_zero) hymgi_fill(h->level + l, 0, h->level[l].x);
  hymgi_run_cycle(h, kind, l);
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
  cycle(&solver->h, kind, 0);
  if (!from_x) return;
  hymgi_axpby(level, 1, level->x, 1, x, x);
  level->x = x, level->f = f;
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
  const hymg_cycle kind = h->options.cycle == HYMG_CYCLE_W ? HYMG_CYCLE_W : HYMG_CYCLE_V;
  level->f = r, level->x = k->z;
  if (k->solver->mixed) {
    const int exponent = hymgi_mixed_exponent(last_norm(k));
    hymgi_exchange_inner(h);
    hymgi_mixed_load(h, level->index, exponent, r);
    hymgi_mixed_cycle(h, kind, level->index, exponent, false);
    hymgi_exchange_inner(h);
  } else {
    cycle(h, kind, level->index);
  }
  k->z = level->x; /* a smoother may have exchanged x and y */
  hymgi_set_fixed(level, HYMGI_FIX_ZERO, k->z);
  if (h->mean_weight != 0)
    hymgi_center(level,
                 k->z); /* widths: constants are not in the kernel, so that it matters which mean */
  else if (h->method.singular && level->num_boxes)
    hymgi_remove_mean(level, k->z);
}

/* ---- iterations ---- */

/* u += alpha p, r -= alpha q; returns the residual's norm. */
static double advance(krylov *k, double alpha, const double *p, const double *q)
{
  const bool largest = k->solver->h.options.norm == HYMG_NORM_MAX;
  const double value =
      hymgi_advance(k->level, alpha, p, q, k->u, k->r, largest ? NULL : &k->square);
  k->step = alpha, k->moved = p;
  if (!largest && !(value > 1e-200 && value < 1e200)) return norm_of(k);
  return ldexp(largest ? value : sqrt(value), -k->scale);
}

/* Is the iteration at its end with this norm? Ranks that hold cells of the level. A recurrence that has not gained for a
 * while may have come to where rounding ends. Where a small residual once was not enough, u has to change little twice in
 * a row; so it has in BiCGStab where the diagonal is spread, since one of its half steps may be short by chance. */
static bool ends(krylov *k, double norm)
{
  hymg_solver *s = k->solver;
  if (!hymgi_small(s, norm) && !s->at_rounding) return false;
  if (!k->moved) return true; /* r is 0 already */
  /* the cycle's result is the error as it sees it, however short the step was */
  const double moved = fmax(fabs(k->step), 1) * hymgi_norm_max(k->level, k->moved);
  k->change = hymgi_change(moved, hymgi_norm_max(k->level, k->u));
  const bool twice = s->waited || (k->stabilised && s->h.spread);
  s->change = twice ? fmax(k->change, k->last_change) : k->change;
  return hymgi_settled(s, norm);
}

/* One iteration; returns the residual's norm. Where the cycle is of no use, r itself is the direction. */
static double cg(krylov *k, bool first)
{
  const hymgi_level *level = k->level;
  if (k->stuck > 1)
    hymgi_copy_vector(level, k->r, k->z);
  else
    precondition(k, k->r);
  if (level->num_boxes == 0) return 0;
  const double rho = hymgi_dot_expected(level, k->r, k->z, &k->first);
  hymgi_axpby(level, 1, k->z, first ? 0 : rho / k->rho, first ? k->z : k->p, k->p);
  k->rho = rho;
  const double energy = hymgi_apply_dot(level, k->p, k->w, k->p, &k->second);
  k->broken = !usable(rho) || !usable(energy);
  return k->broken ? norm_of(k) : advance(k, rho / energy, k->p, k->w);
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
  if (!isfinite(half) || ends(k, half)) return half;
  precondition(k, k->r);
  const double square = hymgi_apply_dot(level, k->z, k->t, k->t, &k->third);
  k->omega = hymgi_dot_expected(level, k->t, k->r, &k->fourth) / square;
  k->broken = !usable(square) || !usable(k->omega);
  return k->broken ? half : advance(k, k->omega, k->z, k->t);
}

/* ---- beginnings ---- */

/* Sparse or symmetric data make later residuals orthogonal to the first one: after a half sweep they are 0 wherever
 * it was not. So the shadow vector is the first residual with some noise, and after a breakdown other noise alone. */
static void choose_shadow(const krylov *k)
{
  const hymgi_level *level = k->level;
  level->backend->robust->noise(level, k->breakdowns, k->shadow);
  if (k->breakdowns) return;
  hymgi_axpby(level, 1, k->r, NOISE * hymgi_norm_max(level, k->r), k->shadow, k->shadow);
}

/* r = f - A u */
static void residual(krylov *k)
{
  const hymgi_level *level = k->level;
  if (k->scale) hymgi_axpby(level, ldexp(1, k->scale), k->f, 0, k->f, k->w);
  hymgi_residual(level, k->scale ? k->w : k->f, k->u, k->r);
}

/* After a breakdown: from the residual itself, with another shadow. */
static void begin_again(krylov *k)
{
  k->breakdowns++, k->stuck++;
  if (k->level->num_boxes == 0) return;
  residual(k);
  if (k->stabilised) choose_shadow(k);
}

/* ---- the other transfer ---- */

static void list_saved(const krylov *k, double *vector[SAVED])
{
  vector[0] = k->u, vector[1] = k->r, vector[2] = k->p, vector[3] = k->w;
}

static void forget(krylov *k)
{
  for (int m = 0; m < SAVED; m++)
    hymgi_vector_destroy(k->level, k->level->vector_size, k->saved.vector + m);
  k->saved.whole = false;
}

static hymg_status save(krylov *k)
{
  const hymgi_level *level = k->level;
  hymg_status status = HYMG_OK;
  double *now[SAVED];
  list_saved(k, now);
  for (int m = 0; m < SAVED && status == HYMG_OK; m++)
    status = hymgi_vector_create(k->level, level->vector_size, k->saved.vector + m);
  int lacks = status != HYMG_OK;
  TRY(hymgi_comm_max_int(level->context, level->context->comm, &lacks, 1));
  if (lacks) { /* then the attempt begins from its result */
    forget(k);
    return HYMG_OK;
  }
  for (int m = 0; m < SAVED && level->num_boxes; m++)
    hymgi_copy_vector(level, now[m], k->saved.vector[m]);
  k->saved.whole = true;
  k->saved.rho = k->rho, k->saved.alpha = k->alpha, k->saved.omega = k->omega;
  k->saved.norm = k->solver->history[k->solver->records - 1].residual_max;
  return HYMG_OK;
}

/* True if the iteration goes on as if there had been no attempt. */
static bool restore(krylov *k)
{
  const hymgi_level *level = k->level;
  const double norm = k->solver->history[k->solver->records - 1].residual_max;
  const bool back = k->saved.whole && !(norm < WORTH * k->saved.norm);
  double *now[SAVED];
  list_saved(k, now);
  for (int m = 0; m < SAVED && back && level->num_boxes; m++)
    hymgi_copy_vector(level, k->saved.vector[m], now[m]);
  if (back) k->rho = k->saved.rho, k->alpha = k->saved.alpha, k->omega = k->saved.omega;
  forget(k);
  return back;
}

/* *first: the iteration has to begin anew from its residual. */
static hymg_status change_transfer(krylov *k, bool *first)
{
  hymg_solver *solver = k->solver;
  hymgi_transfer_wish wish;
  TRY(hymgi_transfer_judge(solver, &wish));
  *first = wish != HYMGI_TRANSFER_KEEP;
  if (wish == HYMGI_TRANSFER_KEEP) return HYMG_OK;
  if (wish == HYMGI_TRANSFER_TENSOR_NOW) TRY(save(k));
  TRY(hymgi_transfer_change(solver, wish == HYMGI_TRANSFER_TENSOR_NOW));
  if (wish == HYMGI_TRANSFER_BACK) *first = !restore(k);
  return HYMG_OK;
}

/* ---- the loop ---- */

/* Iterates until the recurrence's residual is small enough or cannot become so. In a singular system a mean of r is rounding,
 * which no iteration could take away. */
static hymg_status iterate(krylov *k, hymg_reason *reason)
{
  hymg_solver *solver = k->solver;
  const hymgi_level *level = k->level;
  bool stop = false, again, moved;
  if (solver->h.method.singular && level->num_boxes) hymgi_subtract_mean(level, k->r);
  for (bool first = true;;) {
    const double one = k->stabilised ? bicgstab(k, first) : cg(k, first);
    const double norm = hymgi_known_by_all(level, one);
    solver->at_rounding = hymgi_waits(solver) && !hymgi_is_faint(solver) &&
                          hymgi_is_rounding(solver, level, norm, k->u);
    if (level->num_boxes) ends(k, norm);
    solver->change = hymgi_known_by_all(level, solver->change);
    k->last_change = k->change, k->change = INFINITY;
    TRY(hymgi_record(solver, k->stabilised ? HYMG_KIND_BICGSTAB : HYMG_KIND_CG, norm, &stop));
    if (!hymgi_mixed_goes_on(solver, stop, reason, &again)) return HYMG_OK;
    const bool broken = hymgi_known_by_all(level, k->broken) != 0;
    k->broken = false;
    if (!broken) k->stuck = 0;
    if (broken && solver->mixed)
      hymgi_mixed_leave(solver, "a correction in single precision was not finite");
    if (broken) begin_again(k);
    TRY(change_transfer(k, &moved));
    first = moved || broken;
  }
}

/* ---- the end ---- */

/* The residual itself in place of the recurrence's. */
static double true_residual(krylov *k)
{
  if (k->level->num_boxes) residual(k);
  return hymgi_known_by_all(k->level, k->level->num_boxes ? norm_of(k) : 0);
}

/* The recurrence has converged: so has the residual, up to rounding, or the iteration goes on from
 * it as long as that gains a factor of 2. */
static hymg_status settle(krylov *k, hymg_reason *reason)
{
  hymg_solver *solver = k->solver;
  double norm = true_residual(k), before = INFINITY;
  while (*reason == HYMG_REASON_TOLERANCE && norm > NEARLY * hymgi_wanted(solver) &&
         norm < 0.5 * before && solver->records < solver->max_cycles &&
         !hymgi_is_rounding(solver, k->level, norm, k->u)) {
    before = norm;
    TRY(iterate(k, reason));
    norm = true_residual(k);
  }
  solver->residual = norm;
  if (*reason != HYMG_REASON_TOLERANCE || norm <= NEARLY * hymgi_wanted(solver)) return HYMG_OK;
  if (hymgi_is_rounding(solver, k->level, norm, k->u)) return HYMG_OK;
  *reason = HYMG_REASON_STAGNATED;
  hymgi_note(
      solver,
      "the residual is %.3g, although the iteration's own estimate has reached the tolerance",
      norm / solver->rhs_max);
  return HYMG_OK;
}

static void advise(hymg_solver *solver, const krylov *k, hymg_reason reason)
{
  const bool unlimited = solver->h.method.stencil == HYMG_FV4 && isinf(solver->h.op->desc.limiter);
  if (k->breakdowns)
    hymgi_note(solver, "the iteration broke down and began anew %d time%s", k->breakdowns,
               k->breakdowns > 1 ? "s" : "");
  if (reason == HYMG_REASON_LIMIT)
    hymgi_note(solver, "not converged in %d iterations: try more max_cycles, or more sweeps",
               solver->records);
  if (reason == HYMG_REASON_STAGNATED || reason == HYMG_REASON_DIVERGED)
    hymgi_note(solver, "the iteration no longer gains: try %s",
               unlimited                 ? "FV4 with its limiter, which jumps of beta need"
               : solver->h.method.robust ? "more sweeps or the other transfer"
                                         : "path=robust");
  if (reason == HYMG_REASON_NOT_FINITE)
    hymgi_note(solver, "NaN or infinity in f or in the iteration");
}

/* r, p, w and z come after the bottom solver's vectors, if the level is the coarsest one. */
static void bind(krylov *k)
{
  hymgi_level *level = k->level;
  const hymgi_hierarchy *h = &k->solver->h;
  const ptrdiff_t size =
      level->vector_size; /* on a rank that holds nothing, 0 like all vectors here */
  const bool bottom = !h->method.robust && level->index == h->num_levels - 1;
  double **const vector[] = {&k->r, &k->p, &k->w, &k->z, &k->shadow, &k->t};
  const int first = bottom ? hymgi_bottom_vectors(h->options.bottom) : 0;
  for (int m = 0; m < (k->stabilised ? HYMGI_BICGSTAB_ROBUST : HYMGI_CG_VECTORS); m++)
    *vector[m] = size ? level->krylov + (first + m) * size : NULL;
}

/* u, and r = f - A u */
static void begin(krylov *k)
{
  const hymgi_level *level = k->level;
  const bool guess = k->solver->h.options.initial_guess;
  const double factor = ldexp(1, k->scale);
  if (guess)
    hymgi_center(level, k->u);
  else
    hymgi_fill(level, 0, k->u);
  hymgi_axpby(level, factor, guess ? k->u : k->f, 0, k->f, guess ? k->u : k->r);
  if (guess) hymgi_set_fixed(level, HYMGI_FIX_ZERO, k->u);
  if (guess) residual(k);
  if (k->stabilised && level->num_boxes) choose_shadow(k);
}

hymg_status hymgi_krylov_solve(hymg_solver *solver, int l, hymg_reason *reason)
{
  hymgi_level *level = solver->h.level + l;
  krylov k = {.solver = solver,
              .level = level,
              .stabilised = solver->h.method.quadratic,
              .u = level->x,
              .f = level->f,
              .change = INFINITY,
              .last_change = INFINITY,
              .scale = hymgi_scale_for(solver->rhs_max)};
  solver->scale = k.scale;
  bind(&k);
  begin(&k);
  hymg_status status = iterate(&k, reason);
  if (status == HYMG_OK) status = settle(&k, reason);
  if (status == HYMG_OK) advise(solver, &k, *reason);
  forget(&k);
  level->x = k.u, level->f = k.f;
  if (k.scale) hymgi_axpby(level, ldexp(1, -k.scale), k.u, 0, k.u, k.u);
  hymgi_center(level, level->x);
  solver->scale = 0;
  return status;
}
