/* The solver inside: options, levels, state of a solve. */
#ifndef HYMGI_API_SOLVER_H
#define HYMGI_API_SOLVER_H

#include "api/field.h"
#include "multigrid/profile.h"
#include "transport/transport.h"

/* Which machine runs a level: `fine` those above host_from, the host that one and below. From
 * tail_from on `fine` does a V-cycle in one go, if it can. */
typedef struct hymgi_placement {
  const hymgi_backend *fine;
  int host_from, tail_from;
} hymgi_placement;

/* Doubles of a level's arena, before there is one. */
typedef struct hymgi_memory_need {
  size_t stride;                     /* from one vector to the next */
  int vectors, coefficients, krylov; /* how many */
  size_t patch, scratch;
  ptrdiff_t scratch_row;
} hymgi_memory_need;

struct hymg_solver {
  unsigned id; /* > 0, its own within the context */
  hymg_operator *op;
  hymg_options options; /* the cycle resolved */
  hymgi_method method;
  int64_t gather_below; /* cells of a level that is on one rank */
  int num_levels;
  hymgi_level level[HYMGI_MAX_LEVELS];
  hymgi_profile profile;
  hymg_cycle_record *history;
  int records;
  hymg_reason reason;
  double mean_removed, rhs_max;
  double tuning_seconds;
  hymgi_placement placement;
  hymg_tuning_info choice; /* how the placement came about */
  void *attached;          /* what the backend keeps for this solver */
  hymgi_transport transport;
};

/* hymg_solver_create with another tuning than the backend's own (NULL); for the kernel benchmark
 * and tests. */
hymg_status hymgi_solver_create_tuned(hymg_operator *op, const hymg_options *options,
                                      const hymgi_tuning *tuning, hymg_solver **solver);
/* Options with the cycle that DEFAULT stands for, and what of them is the same on all levels. */
hymg_options hymgi_options_resolve(const hymg_options *options);
hymg_status hymgi_options_check(hymg_context *context, hymg_stencil stencil,
                                const hymg_options *options);
void hymgi_solver_set_method(hymg_solver *solver);
/* The host, or the GPU where the options want it or, for auto, every rank has one. Collective. */
hymg_status hymgi_choose_backend(hymg_context *context, const hymg_options *options,
                                 const hymgi_backend **backend);

/* source/hierarchy/level_layout.c and then source/hierarchy/build.c, in this order: how many levels, their boxes and who
 * holds them (collective); machine, layout and sizes of each for solver->placement; plans and
 * vectors (collective). */
hymg_status hymgi_hierarchy_shape(hymg_solver *solver, const hymgi_backend *backend);
void hymgi_hierarchy_place(hymg_solver *solver);
hymg_status hymgi_hierarchy_fill(hymg_solver *solver);
hymgi_memory_need hymgi_level_memory(const hymg_solver *solver, int l);
/* source/hierarchy/memory_estimate.c: ENOMEM, with both numbers, if a placed hierarchy needs more than is free. */
hymg_status hymgi_memory_check(const hymg_solver *solver);
void hymgi_hierarchy_destroy(hymg_solver *solver);
/* Bytes of this rank's hierarchy. */
size_t hymgi_hierarchy_bytes(const hymg_solver *solver);

/* source/hierarchy/coefficients.c: reads the operator into all levels. Collective. */
hymg_status hymgi_coefficients_load(hymg_solver *solver);
/* source/hierarchy/boundary_data.c: boundary data on all levels. Collective; the betas of level 0 upwards are in place
 * but not yet folded. */
hymg_status hymgi_boundary_data_load(hymg_solver *solver);
void hymgi_boundary_data_destroy(hymgi_level *level);
/* f += b beta_face times the boundary data, in the cells at boundaries. */
void hymgi_boundary_data_add_terms(const hymgi_level *level, double *f);

/* A temporary vector of a level, zeroed. */
hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector);
void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector);

/* Memory of a level's vectors that the host reaches too; a zeroed vector in it. */
const hymgi_memory *hymgi_crossing(const hymgi_level *level);
hymg_status hymgi_crossing_create(const hymgi_level *level, double **vector);
void hymgi_crossing_destroy(const hymgi_level *level, double **vector);

hymg_status hymgi_check_level(const hymg_solver *solver, int level, int limit);

/* source/multigrid/cycle.c; level->x of the given level starts as it is (V, W) or is overwritten (F). */
void hymgi_cycle_v(hymg_solver *solver, int l);
void hymgi_cycle_w(hymg_solver *solver, int l);
void hymgi_cycle_f(hymg_solver *solver, int l);
void hymgi_cycle(hymg_solver *solver, hymg_cycle kind, int l); /* one of these */
/* What lies between is recorded once and then played back where the backend can: it must queue the
 * same work every time. variant: 0 to 2, what tells such stretches of one cycle apart. */
void hymgi_begin_cycle(hymg_solver *solver, int l, hymg_cycle kind, int variant);
void hymgi_end_cycle(hymg_solver *solver, int l);
void hymgi_run_cycle(hymg_solver *solver, hymg_cycle kind, int l); /* variant 0: a cycle alone */

#endif
