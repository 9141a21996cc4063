/* The hierarchy: all levels, and what is the same on them. Everything below the API works on this. */
#ifndef HYMGI_MULTIGRID_HIERARCHY_H
#define HYMGI_MULTIGRID_HIERARCHY_H

#include "multigrid/backend.h"
#include "multigrid/profile.h"

/* Which machine runs a level: `fine` those above host_from, the host that one and below. From
 * tail_from on `fine` does a V-cycle in one go, if it can. */
typedef struct hymgi_placement {
  const hymgi_backend *fine;
  int host_from, tail_from;
} hymgi_placement;

/* How the GPUs of several ranks exchange cells (source/transport/transport.h). */
typedef struct hymgi_transport {
  hymg_transport_info info;
  bool on_device; /* buffers of MPI or NCCL */
  bool connected;
  bool failed;  /* when the solver was made: some ranks' messages may not have been sent or taken */
  int locals;   /* ranks of the node */
  int *rank_of; /* in the context, by local rank */
  void **mapped; /* their arenas, by local rank; NULL where not mapped */
  double *arena;
  size_t words, arena_doubles; /* of the arena: flags and counters, then buffers */
  hymgi_peer_state peers;
} hymgi_transport;

struct hymgi_hierarchy {
  hymg_context *context;
  const hymg_operator *op;
  hymg_options options; /* the cycle resolved */
  hymgi_method method;
  int64_t gather_below; /* cells of a level that is on one rank */
  int num_levels;
  hymgi_level level[HYMGI_MAX_LEVELS];
  hymgi_profile profile;
  hymgi_placement placement;
  hymg_tuning_info choice; /* how the placement came about */
  void *attached;          /* what the backend keeps */
  hymgi_transport transport;
};

/* source/multigrid/cycle.c; level->x of the given level starts as it is (V, W) or is overwritten (F). */
void hymgi_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l);
/* What lies between is recorded once and then played back where the backend can: it must queue the
 * same work every time. variant: 0 to 2, what tells such stretches of one cycle apart. */
void hymgi_begin_cycle(hymgi_hierarchy *h, int l, hymg_cycle kind, int variant);
void hymgi_end_cycle(hymgi_hierarchy *h, int l);
void hymgi_run_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l); /* variant 0: a cycle alone */

#endif
