/* The solver: its hierarchy and the state of a solve. */
#ifndef HYMGI_API_SOLVER_H
#define HYMGI_API_SOLVER_H

#include <stdatomic.h>

#include "api/fields/field.h"
#include "hierarchy/path.h"
#include "hierarchy/placement.h"

/* Of options.transfer AUTO (transfer_choice.c). */
typedef struct hymgi_transfer_choice {
  bool settled; /* no change until the next update */
  int since;    /* this solve: the records before the current transfer or precision */
} hymgi_transfer_choice;

struct hymg_solver {
  unsigned id;      /* > 0, unique within the context */
  unsigned binding; /* likewise, of its present levels */
  hymgi_hierarchy h;
  hymg_cycle_record *history;
  int records, max_cycles;
  hymg_reason reason;
  double mean_removed, rhs_max;
  int scale; /* level->f and x are 2^scale times the user's during cycles */
  double tuning_seconds;
  hymgi_path_choice path;
  hymgi_transfer_choice transfer;
  char note[512];
  double *scratch, *before; /* during a solve; u before the last cycle, where that is looked at */
  bool mixed;               /* this solve: cycles in single precision */
  int exponent;             /* of the residual that they are given */
  /* hymg_solver_stop was called; cleared at the end of the solve that it ends */
  atomic_int stop;
  bool bad_f; /* the last solve's f is not finite, first at: */
  int bad_at[3];
  double
      rounding; /* what rounding leaves of a residual, if the last solve did not converge, else 0 */
  double residual; /* of the last solve, not of a recurrence */
  /* stopping.c, this solve: the best residual, the record when it had last gained 5 %, how much u has changed in
   * the last step where the residual was small, relative to max |u|; what is left is rounding */
  double best, change, last_change; /* last_change: standard path, in the cycle before */
  int gained, waited; /* waited: the first record with a small residual but a large change, or 0 */
  bool at_rounding;
  /* share of the last solve's time in which the host used fewer threads than asked for */
  double reduced;
  bool good; /* FMG: hymgi_fmg_judge */
};

/* hymg_solver_create with the given host tuning (NULL: the backend's own), with which the path AUTO is
 * the standard one; for the kernel benchmark and tests. */
hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver);
/* Collective: once the levels in double precision have new coefficients, what is made of them: levels in
 * single precision, what a GPU keeps, coarse matrices. Ends set-up; recorded cycles are void. */
hymg_status hymgi_solver_attach(hymg_solver *solver);
/* The arguments of a collective call with a solver: so far the solver itself. */
void hymgi_solver_arguments(hymgi_arguments *a, const char *call, const hymg_solver *solver);
/* Is the field one of cells on a level of the solver? */
hymg_status hymgi_check_field(const hymg_solver *solver, int level, const hymg_field *field,
                              const char *name);
/* Collective. The host, or the GPU if the options ask for it or, with auto, every rank has one. */
hymg_status hymgi_choose_backend(hymg_context *context, const hymg_options *options,
                                 const hymgi_backend **backend);

/* Is a solve conjugate gradients or BiCGStab, or are its cycles the iteration? */
static inline bool hymgi_is_krylov(const hymg_solver *solver)
{
  return solver->h.method.robust || solver->h.options.method == HYMG_MGPCG;
}

/* norms.c. The norm that options.norm names. */
double hymgi_norm(const hymg_solver *solver, const hymgi_level *level, const double *x);
/* For |f| far from 1, the exponent of the power of 2 by which an iteration multiplies f and u, since
 * products of two such numbers would leave the range; else 0. */
int hymgi_scale_for(double norm);
/* subtract_mean: from integrals over cells, and returns it; center: from values, if the system is
 * singular; note: adds a remark to the result. */
double hymgi_subtract_mean(const hymgi_level *level, double *f);
void hymgi_center(const hymgi_level *level, double *u);
void hymgi_note(hymg_solver *solver, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* solve_fields.c. check: the arguments of a solve on level l. bind, collective: the ranks agree on the
 * call, of which `status` is this rank's outcome so far; level->x and f are u's and f's values. */
hymg_status hymgi_solve_check(const hymg_solver *solver, int l, const hymg_field *f,
                              const hymg_field *u);
hymg_status hymgi_solve_bind(hymg_solver *solver, int l, hymg_status status, const hymg_field *f,
                             hymg_field *u);
/* f anew into level->own_f, which becomes level->f. */
hymg_status hymgi_solve_load_again(hymgi_level *level, const hymg_field *f);
/* norms.c: a value that the ranks of the level know, on all ranks of the context. */
double hymgi_known_by_all(const hymgi_level *level, double value);
/* source/api/stopping.c, residuals in the user's units.
 *   wanted    the tolerance in the norm of residuals; small: has a residual reached it?
 *   is_faint  are there couplings so weak that a residual at rounding level says nothing of what they hold?
 *   waits     has there been no gain of 5 % for a while?
 *   change    how much u has changed, from max |u - u before| and max |u|
 *   settled   has the solve converged, by solver->change, too?
 *   record    notes the residual after a cycle; *stop: the monitor's wish, or something has failed on a rank
 *   finished  true if the iteration ends, and why
 *   tell_end  notes what decided, if that is not the residual alone
 *   rounding  what rounding alone leaves of a residual in the units of u, on a rank that holds cells
 *   is_rounding  collective: is the residual no more than that? Remembered in solver->at_rounding */
double hymgi_wanted(const hymg_solver *solver);
bool hymgi_small(const hymg_solver *solver, double residual);
bool hymgi_waits(const hymg_solver *solver);
bool hymgi_is_faint(const hymg_solver *solver);
double hymgi_change(double moved, double size);
bool hymgi_settled(const hymg_solver *solver, double residual);
hymg_status hymgi_record(hymg_solver *solver, hymg_cycle_kind kind, double residual, bool *stop);
bool hymgi_finished(const hymg_solver *solver, bool stop, hymg_reason *reason);
void hymgi_tell_end(hymg_solver *solver);
double hymgi_rounding(const hymg_solver *solver, const hymgi_level *level, const double *u);
bool hymgi_is_rounding(hymg_solver *solver, const hymgi_level *level, double residual,
                       const double *u);
/* source/api/solve_mixed.c, cycles in single precision. begin: are there any for a solve on level l?
 * exponent: of a norm. leave: from now on in double precision; why: a remark for the result. goes_on: the
 * opposite of hymgi_finished, except that a solve that single precision may have spoiled goes on in
 * double; *again: the last cycle has to be repeated, as its result is not finite. */
void hymgi_mixed_begin(hymg_solver *solver, int l);
int hymgi_mixed_exponent(double norm);
void hymgi_mixed_leave(hymg_solver *solver, const char *why);
bool hymgi_mixed_goes_on(hymg_solver *solver, bool stop, hymg_reason *reason, bool *again);
/* source/api/solve_krylov.c: conjugate gradients or BiCGStab for level->f, from level->x with an initial
 * guess, and the final residual; one cycle of the robust path, V or W, for level->f from level->x, which is 0 or the
 * initial guess. */
hymg_status hymgi_krylov_solve(hymg_solver *solver, int l, hymg_reason *reason);
void hymgi_robust_cycle(hymg_solver *solver, hymg_cycle kind, bool from_x);
/* source/api/solve_fmg.c, collective, after the F-cycle of FMG on level l; *good: it is a solution as accurate as the
 * discretisation, as far as can be told. */
hymg_status hymgi_fmg_judge(hymg_solver *solver, int l, const hymg_field *f, bool *good);
/* source/api/transfer_choice.c, collective. judge: after an iteration, which transfer is wanted; change: to it,
 * after which the iteration has to start anew from its residual, or from where it was before the attempt. */
typedef enum hymgi_transfer_wish {
  HYMGI_TRANSFER_KEEP,
  HYMGI_TRANSFER_TENSOR_NOW,
  HYMGI_TRANSFER_BACK
} hymgi_transfer_wish;
hymg_status hymgi_transfer_judge(hymg_solver *solver, hymgi_transfer_wish *wish);
hymg_status hymgi_transfer_change(hymg_solver *solver, bool tensor);

/* source/api/advice.c: at the end of a solve, collective: what hymg_solver_advice will say of it. */
hymg_status hymgi_examine_solve(hymg_solver *solver, int l, hymg_reason reason,
                                const hymg_field *f);

/* source/api/placement_measure.c: a hymgi_measure (hierarchy/placement.h) that solves test
 * problems. */
bool hymgi_placement_measure(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

#endif
