/* The solver inside: options, levels, state of a solve. */
#ifndef HYMGI_API_SOLVER_H
#define HYMGI_API_SOLVER_H

#include "api/field.h"
#include "hierarchy/placement.h"

struct hymg_solver {
  unsigned id; /* > 0, its own within the context */
  hymgi_hierarchy h;
  hymg_cycle_record *history;
  int records;
  hymg_reason reason;
  double mean_removed, rhs_max;
  double tuning_seconds;
};

/* hymg_solver_create with another tuning than the backend's own (NULL); for the kernel benchmark
 * and tests. */
hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver);
/* Options with the cycle that DEFAULT stands for, and what of them is the same on all levels. */
hymg_options hymgi_options_resolve(const hymg_options *options);
hymg_status hymgi_options_check(hymg_context *context, hymg_stencil stencil,
                                const hymg_options *options);
/* The host, or the GPU where the options want it or, for auto, every rank has one. Collective. */
hymg_status hymgi_choose_backend(hymg_context *context, const hymg_options *options,
                                 const hymgi_backend **backend);

/* source/api/placement_measure.c: a hymgi_measure (hierarchy/placement.h) that solves trial problems. */
bool hymgi_placement_measure(const hymgi_hierarchy *h, hymgi_thresholds *thresholds);

#endif
