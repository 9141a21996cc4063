/* The solver inside: options, levels, state of a solve. */
#ifndef HYMGI_SOLVER_H
#define HYMGI_SOLVER_H

#include "field.h"
#include "profile.h"

struct hymg_solver {
  unsigned id; /* > 0, its own within the context */
  hymg_operator *op;
  hymg_options options; /* the cycle resolved */
  hymgi_method method;
  int num_levels;
  hymgi_level level[HYMGI_MAX_LEVELS];
  hymgi_profile profile;
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

/* source/hierarchy.c: levels with their boxes, plans and vectors. Collective. */
hymg_status hymgi_hierarchy_create(hymg_solver *solver, const hymgi_backend *backend);
void hymgi_hierarchy_destroy(hymg_solver *solver);
/* Bytes of this rank's hierarchy. */
size_t hymgi_hierarchy_bytes(const hymg_solver *solver);

/* source/coefficients.c: reads the operator into all levels. Collective. */
hymg_status hymgi_coefficients_load(hymg_solver *solver);
/* source/walls.c: wall data on all levels. Collective; the betas of level 0 upwards are in place
 * but not yet folded. */
hymg_status hymgi_walls_load(hymg_solver *solver);
void hymgi_walls_destroy(hymgi_level *level);
/* f += b beta_face times the wall data, in the cells at walls. */
void hymgi_walls_add_terms(const hymgi_level *level, double *f);

/* A temporary vector of a level, zeroed. */
hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector);
void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector);

/* Runs a plan whole; NULL does nothing. */
void hymgi_run_plan(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *src_box,
                    const double *src, const hymgi_geom *dst_box, double *dst);

hymg_status hymgi_check_level(const hymg_solver *solver, int level, int limit);

/* source/cycle.c; level->x of the given level starts as it is (V, W) or is overwritten (F). */
void hymgi_cycle_v(hymg_solver *solver, int l);
void hymgi_cycle_w(hymg_solver *solver, int l);
void hymgi_cycle_f(hymg_solver *solver, int l);

#endif
