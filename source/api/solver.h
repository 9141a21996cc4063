/* The solver: its hierarchy and the state of a solve. */
#ifndef HYMGI_API_SOLVER_H
#define HYMGI_API_SOLVER_H

#include "api/field.h"
#include "hierarchy/placement.h"

struct hymg_solver {
  unsigned id; /* > 0, unique within the context */
  hymgi_hierarchy h;
  hymg_cycle_record *history;
  int records;
  hymg_reason reason;
  double mean_removed, rhs_max;
  double tuning_seconds;
};

/* hymg_solver_create with the given host tuning (NULL: the backend's own); for the kernel
 * benchmark and tests. */
hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver);
/* Is the field one of cells on a level of the solver? */
hymg_status hymgi_check_field(const hymg_solver *solver, int level, const hymg_field *field,
                              const char *name);
/* resolve: the options with the default cycle replaced by the actual one. check: validation. */
hymg_options hymgi_options_resolve(const hymg_options *options);
hymg_status hymgi_options_check(hymg_context *context, hymg_stencil stencil,
                                const hymg_options *options);
/* Collective. The host, or the GPU if the options ask for it or, with auto, every rank has one. */
hymg_status hymgi_choose_backend(hymg_context *context, const hymg_options *options,
                                 const hymgi_backend **backend);

/* source/api/placement_measure.c: a hymgi_measure (hierarchy/placement.h) that solves test
 * problems. */
bool hymgi_placement_measure(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

#endif
