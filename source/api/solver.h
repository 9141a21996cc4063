/* The solver: its hierarchy and the state of a solve. */
#ifndef HYMGI_API_SOLVER_H
#define HYMGI_API_SOLVER_H

#include <stdatomic.h>

#include "api/fields/field.h"
#include "hierarchy/levels.h"
#include "hierarchy/path.h"

/* Of options.transfer AUTO (transfer_choice.c). */
typedef struct hymgi_transfer_choice {
  bool is_last; /* no change until the next update */
  int since;    /* this solve: the records before the current transfer or precision */
} hymgi_transfer_choice;

struct hymg_solver {
  unsigned id;             /* > 0, unique within the context */
  unsigned binding;        /* likewise, of its present levels */
  hymg_options options;    /* as they were given; h.options has what the path has changed */
  const hymg_operator *op; /* the user's */
  hymg_operator
      seen; /* h.op: as it was when it was last read, with a number for a beta that is the same everywhere */
  hymgi_hierarchy h;
  const struct hymgi_step *step; /* of its solves (solve/solve.h) */
  hymg_cycle_record *history;
  int records, max_cycles;
  hymg_reason reason;
  double mean_removed, rhs_max;
  int scale;  /* level->f and x are 2^scale times the user's during cycles */
  bool tuned; /* its tuning was given: nothing is measured */
  double tuning_seconds;
  int levels_measured; /* whose schedule on the host this rank has measured */
  hymgi_path_choice path;
  hymgi_transfer_choice transfer;
  char note[512];
  double *scratch, *before; /* during a solve; u before the last cycle, where that is looked at */
  bool mixed;               /* this solve: cycles in single precision */
  /* hymg_solver_stop was called; cleared at the end of the solve that it ends */
  atomic_int stop;
  bool bad_f; /* the last solve's f is not finite, first at: */
  int bad_at[3];
  double
      rounding; /* what rounding leaves of a residual, if the last solve did not converge, else 0 */
  double residual; /* of the last solve, not of a recurrence */
  /* stopping.c, this solve: the best residual, the record when it had last gained 5 %, how much u has changed in
   * the last step where the residual was small, relative to max |u|; what is left is rounding */
  double best, change;
  int gained, waited; /* waited: the first record with a small residual but a large change, or 0 */
  int least; /* records before which nothing has converged, after a restart to confirm it */
  bool at_rounding;
  bool only_v; /* of this solve: W-cycles have been found to be of no use to conjugate gradients */
  /* share of the last solve's time in which the host used fewer threads than asked for */
  double reduced;
  bool good; /* FMG: hymgi_fmg_judge */
  struct hymgi_kept
      *kept; /* histories and notes of the last call that made several solves (solve/many.c) */
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
/* norms.c: a value that the ranks of the level know, on all ranks of the context. */
double hymgi_known_by_all(const hymgi_level *level, double value);
/* source/api/advice.c: at the end of a solve, collective: what hymg_solver_advice will say of it. */
hymg_status hymgi_examine_solve(hymg_solver *solver, int l, hymg_reason reason,
                                const hymg_field *f);

/* source/api/placement_measure.c: a hymgi_measure (hierarchy/placement.h) that solves test
 * problems. */
bool hymgi_placement_measure(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

#endif
