/* A solve: one iteration (iterate.c), whose steps are cycles (step_cycle.c), conjugate gradients or BiCGStab (step_krylov.c),
 * with right-hand sides (rhs.c), rules to stop (stopping.c), precision (precision.c) and transfer (transfer_choice.c).
 * Residuals and norms are in the user's units. */
#ifndef HYMGI_API_SOLVE_SOLVE_H
#define HYMGI_API_SOLVE_SOLVE_H

#include "api/solver.h"
#include "multigrid/level_ops.h"

/* ---- the iteration ---- */

/* Of the last Krylov iteration. */
typedef struct hymgi_krylov_numbers {
  double rho, alpha, omega;
} hymgi_krylov_numbers;

typedef struct hymgi_iteration {
  hymg_solver *solver;
  hymgi_level *level;
  const hymg_field *given; /* f as it came */
  double *u, *f;           /* 2^solver->scale times the user's */
  bool first;              /* the next step does not go on from the one before it */
  hymg_cycle_kind kind;    /* of the last step */
  hymg_status status;
  hymg_reason reason;
  double change, last_change; /* of u, after a small residual, in this step and the last one */
  double factor;              /* cycles: the ratio of the two */
  double most_change;         /* the largest one of Krylov iterations since their last restart */

  /* cycles */
  bool watches;   /* solver->before is u before the cycle */
  bool rhs_later; /* right-hand sides are part of the first cycle, an F-cycle */
  int exponent;   /* of the residual that a cycle in single precision is given */

  /* Krylov iterations */
  double *r, *p, *w, *z; /* z: what the cycle returns; w: A p */
  double *shadow, *t;    /* BiCGStab */
  hymgi_krylov_numbers now;
  hymgi_expected dot[4], square; /* those of an iteration, and r r */
  double step;                   /* u has last moved by step times: */
  const double *moved;           /* p or z */
  bool broken;                   /* a divisor was 0 or not finite */
  bool indefinite;               /* the cycle has r z < 0 */
  int breakdowns, stuck;         /* so far; since the last iteration without one */
  /* before an attempt with the tensor transfer, if there was the memory: u, r, and the norm of r; else infinity */
  double *saved, norm_before;
} hymgi_iteration;

/* What a step is, chosen with the solver. Without `recurrence` the functions below it are NULL. */
typedef struct hymgi_step {
  int most; /* options.max_cycles by default */
  int patience,
      patience_mixed; /* steps without a gain that are always waited for; in single precision */
  double divergence;  /* the growth of the residual that counts as that */
  void (*begin)(hymgi_iteration *it);
  /* a step; the norm of the residual, on ranks that hold cells of the level. Can fail: it->status */
  double (*advance)(hymgi_iteration *it);
  /* solver->change, on ranks that hold cells, where the residual is small */
  void (*measure)(hymgi_iteration *it);
  hymg_status (*prepare)(hymgi_iteration *it); /* before a further step */
  /* the residual is that of a recurrence, which may rise and may stay where it is for long */
  bool recurrence;
  hymg_cycle_kind kind;
  int vectors;
  double (*residual)(hymgi_iteration *it); /* the norm of f - A u, on ranks that hold cells */
  void (*restart)(hymgi_iteration *it);    /* from that residual */
  void (*end)(hymgi_iteration *it, hymg_status status); /* level->x and f are u and f again */
} hymgi_step;
extern const hymgi_step hymgi_cycle_step, hymgi_cg_step, hymgi_bicgstab_step;
const hymgi_step *hymgi_step_of(const hymgi_hierarchy *h);

/* Collective: solves for level->f, from level->x with an initial guess. */
hymg_status hymgi_iterate(hymg_solver *solver, int l, const hymg_field *f, hymg_reason *reason);

/* step_krylov.c: V or W from x = 0, whatever x of h->level[l] is */
void hymgi_cycle_from_zero(hymgi_hierarchy *h, hymg_cycle kind, int l);

/* ---- begin.c, for solves and for hymg_solver_cycle ---- */

/* x, y and f of level l, and of the system there. x and f are the user's during a call, and smoothers exchange x and y:
 * so they are restored at its end. */
typedef struct hymgi_buffers {
  hymgi_level *level[2];
  double *x[2], *y[2], *f[2];
} hymgi_buffers;
hymgi_buffers hymgi_buffers_of(hymg_solver *solver, int l);
void hymgi_buffers_restore(const hymgi_buffers *before);

/* check: the arguments of a solve on level l. bind, collective: the ranks agree on the
 * call, of which `status` is this rank's outcome so far; level->x and f are u's and f's values. */
hymg_status hymgi_solve_check(const hymg_solver *solver, int l, const hymg_field *f,
                              const hymg_field *u);
hymg_status hymgi_solve_bind(hymg_solver *solver, int l, hymg_status status, const hymg_field *f,
                             hymg_field *u);
/* The two parts of this. keep_f: f is used in place; guess: level->x gets the values of u. */
hymg_status hymgi_own_vectors(hymgi_level *level, bool keep_f, const hymg_field *u);
hymg_status hymgi_load_fields(hymgi_level *level, bool keep_f, const hymg_field *f, bool guess,
                              const hymg_field *u);

/* ---- rhs.c, collective ---- */

/* prepare: f of all levels that the solve needs, complete and scaled, and what is known of it: solver->rhs_max, mean_removed
 * and scale. queue, read: the same in two parts, of which the first does not wait; a cycle may come in between. load: f, or
 * nothing, into level->own_f, which becomes level->f. */
hymg_status hymgi_rhs_prepare(hymg_solver *solver, int l);
void hymgi_rhs_queue(hymg_solver *solver, int l);
hymg_status hymgi_rhs_read(hymg_solver *solver, int l, const hymg_field *f);
hymg_status hymgi_rhs_load(hymgi_level *level, const hymg_field *f);
/* Can the norms of residuals be queued with cycles, without a wait for a mean? Can the right-hand sides, too, with an F-cycle? */
bool hymgi_norm_later(const hymg_solver *solver);
bool hymgi_rhs_later(const hymg_solver *solver);

/* ---- stopping.c ---- */

/*   wanted    the tolerance in the norm of residuals; small: has a residual reached it?
 *   is_faint  are there couplings so weak that a residual at rounding level says nothing of what they hold?
 *   is_blind  was the residual small for 20 iterations while u changed?
 *   waits     has there been no gain of 5 % for a while?
 *   change    how much u has changed, from max |u - u before| and max |u|
 *   change_at_rounding  of a step what counts as the change; infinity where rounding seems to end, but u, which changes by more
 *             than rtol says, still does so less and less
 *   has_converged  by solver->change, too?
 *   record    notes the residual after a step; *stop: the monitor's wish, or something has failed on a rank
 *   finished  true if the iteration ends, and why
 *   note_end  notes what decided, if that is not the residual alone
 *   rounding  what rounding alone leaves of a residual in the units of u, on a rank that holds cells
 *   is_rounding  collective: is the residual no more than that? Remembered in solver->at_rounding
 *   is_much   more of f than rounding may leave, unless u no longer changes; too_much: even then
 *   look_for_rounding  the same as is_rounding where the residual gains little, else at_rounding is false */
double hymgi_wanted(const hymg_solver *solver);
bool hymgi_small(const hymg_solver *solver, double residual);
bool hymgi_is_faint(const hymg_solver *solver);
bool hymgi_waits(const hymg_solver *solver);
bool hymgi_is_blind(const hymg_solver *solver);
bool hymgi_sees_faint(const hymg_solver *solver, double residual);
double hymgi_change(double moved, double size);
bool hymgi_changes_little(const hymg_solver *solver, double change);
double hymgi_change_at_rounding(const hymgi_iteration *it, double change);
bool hymgi_has_converged(const hymg_solver *solver, double residual);
hymg_status hymgi_record(hymg_solver *solver, hymg_cycle_kind kind, double residual, bool *stop);
bool hymgi_finished(const hymg_solver *solver, bool stop, hymg_reason *reason);
void hymgi_note_end(hymg_solver *solver);
double hymgi_rounding(const hymg_solver *solver, const hymgi_level *level, const double *u);
bool hymgi_is_rounding(hymg_solver *solver, const hymgi_level *level, double residual,
                       const double *u);
bool hymgi_is_much(const hymg_solver *solver, double residual);
bool hymgi_is_too_much(const hymg_solver *solver, double residual);
void hymgi_look_for_rounding(hymg_solver *solver, const hymgi_level *level, double residual,
                             const double *u);

/* ---- precision.c ---- */

/* begin: are there cycles in single precision for a solve on level l? exponent: of the last residual, or of f. leave: from now
 * on in double precision; why: a remark for the result. */
void hymgi_mixed_begin(hymg_solver *solver, int l);
int hymgi_mixed_exponent(const hymg_solver *solver);
void hymgi_mixed_leave(hymg_solver *solver, const char *why);
/* The opposite of hymgi_finished, except that a solve that single precision may have spoiled goes on in
 * double, from u = 0 if u is not finite. */
bool hymgi_goes_on(hymgi_iteration *it, bool stop);

/* ---- transfer_choice.c, collective ---- */

/* After a Krylov iteration: another transfer, if that is wanted; then it->first, unless the iteration goes on from where it was
 * before an attempt. confirm: pairs, before an iteration goes on because its residual did not see faint couplings. */
hymg_status hymgi_transfer_choose(hymgi_iteration *it);
hymg_status hymgi_transfer_confirm(hymgi_iteration *it);
void hymgi_transfer_forget(hymgi_iteration *it);

/* solve.c, collective: hymg_solve_on_level, which keeps the results of solves before. many.c: releases them. */
hymg_status hymgi_solve_once(hymg_solver *solver, int level, const hymg_field *f, hymg_field *u,
                             hymg_result *result);
void hymgi_results_forget(hymg_solver *solver);
/* many.c: hymg_solve_batch by so many threads; 0: as many as are fastest. For the benchmark and tests. */
hymg_status hymgi_solve_batch_by(int workers, int count, hymg_solver *const solver[],
                                 const hymg_field *const f[], hymg_field *const u[],
                                 hymg_result results[]);

/* fmg.c, collective, after the F-cycle of FMG on level l; *good: it is a solution as accurate as the
 * discretisation, as far as can be told. */
hymg_status hymgi_fmg_judge(hymg_solver *solver, int l, const hymg_field *f, bool *good);

#endif
