/* The hierarchy: all levels, and what they share. Everything below the API works on this. */
#ifndef HYMGI_MULTIGRID_HIERARCHY_H
#define HYMGI_MULTIGRID_HIERARCHY_H

#include "multigrid/backend.h"
#include "multigrid/pieces.h"
#include "multigrid/profile.h"
#include "multigrid/transfer.h"

/* Which backend runs a level: `fine` the levels above host_from, the host that level and those
 * below. From tail_from on `fine` runs a V-cycle in one launch, if it can. */
typedef struct hymgi_placement {
  const hymgi_backend *fine;
  int host_from, tail_from;
} hymgi_placement;

/* How the GPUs of several ranks exchange cells (source/transport/transport.h). */
typedef struct hymgi_transport {
  hymg_transport_info info;
  bool on_device; /* MPI or NCCL gets buffers in device memory */
  bool preferred; /* auto has become NCCL */
  bool connected;
  bool failed;   /* creating the solver failed: some messages may not have been sent or received */
  int locals;    /* number of ranks on this node */
  int *rank_of;  /* rank in the context, by local rank */
  void **mapped; /* arenas of these ranks, by local rank; NULL where not mapped */
  double *arena;
  size_t words, arena_doubles; /* of the arena: flags and counters, then buffers */
  hymgi_peer_state peers;
} hymgi_transport;

/* The finest levels once more in single precision, for cycles that correct a solution in double
 * precision (multigrid/mixed.c). Level `count` has x and f alone: there the cycle goes over to the
 * levels in double precision. */
typedef struct hymgi_singles {
  int count;          /* levels of more than HYMGI_SINGLE_CELLS cells; 0: none */
  hymgi_level *level; /* count + 1, or NULL */
  double scale;       /* a power of 2: times the operator it is that of these levels */
} hymgi_singles;
enum { HYMGI_RANGES = 9 };
#define HYMGI_FAINT 1e10 /* the contrast of couplings from which on the weakest are looked after */
enum { HYMGI_SINGLE_CELLS = 32 * 32 * 32 };

/* Standard path: what cycles do from a level of few cells down, as matrices (coarse_matrix.c). */
typedef struct hymgi_coarse_matrix {
  int level;   /* the first one of at most HYMGI_MATRIX_CELLS cells, or 0: there are no matrices */
  bool exists; /* they are made; on all ranks */
  bool has_f;  /* among them the one of the F-cycle, which needs no f below the level */
  double *v, *f; /* on the rank that holds the level, where its backend reads them; else NULL */
} hymgi_coarse_matrix;
enum { HYMGI_MATRIX_CELLS = 64, HYMGI_MATRIX_SUMS = 8 };

/* Doubles of a matrix. Entry (row, column) is number (column / SUMS * cells + row) * SUMS + column % SUMS;
 * columns beyond the last one are 0. */
static inline size_t hymgi_matrix_doubles(int64_t cells)
{
  const size_t n = (size_t)cells, sums = HYMGI_MATRIX_SUMS;
  return (n + sums - 1) / sums * sums * n;
}

struct hymgi_hierarchy {
  hymg_context *context;
  const hymg_operator *op;
  hymg_options options; /* with the default cycle resolved */
  hymgi_method method;
  const hymgi_operator_kind *kind, *cycle_kind; /* of the system, and of the levels */
  hymgi_gathering gather;
  int num_levels;
  hymgi_level level[HYMGI_MAX_LEVELS]; /* those of cycles */
  /* the level of the system that is solved: level 0 or, if the kinds differ, another one with its boxes
   * (hierarchy/like.c) and with x and f of its own */
  hymgi_level *system;
  hymgi_profile profile;
  hymgi_placement placement;
  hymg_tuning_info choice; /* how the placement was chosen */
  void *attached;          /* data of the backend */
  hymgi_transport transport;
  hymgi_coarse_matrix matrix;
  bool mixed;                 /* are levels in single precision wanted? */
  double range[HYMGI_RANGES]; /* of the coefficients as they were read (hierarchy/coefficients.c) */
  double largest; /* of the finest level's coefficients, as far as their order of magnitude goes */
  bool alpha_varies; /* a alpha is not the same in all cells */
  bool limited;      /* FV4: betas of some rank are marked (formulas/limiter.h) */
  double alpha_step; /* FMG: hymgi_alpha_step_of */
  bool spread;       /* the diagonals of some cells are many times those of others */
  bool uneven;       /* the couplings of some faces are many times those of other axes */
  /* u, by a alpha and Robin conditions that are less than what couples the cells over the whole grid */
  bool weakly_held;
  double
      contrast; /* the largest ratio of neighbouring betas; beyond HYMGI_FAINT, times that of alpha to couplings */
  bool singular; /* the operator takes constants to 0 */
  /* Not 0: it takes them to 1 / mean_weight of themselves, which is little, so that u is the solution without means, as
   * in a singular system, plus mean_weight times the mean of f */
  double mean_weight;
  /* An axis of one cell between boundaries of which one is Dirichlet at least, -1: none. They hold u by a term that is
   * thin_hold times as large as what couples the cells along the other axes over the whole grid, and as a alpha */
  int thin_axis;
  double thin_hold;
  hymgi_pieces pieces; /* where faces have beta 0 */
  bool has_shares;     /* robust path: from its choice the mean shares of level 0 are known: */
  double shares[3];
  hymgi_singles singles;
  const hymgi_transfer *coarsened_for; /* robust path: what coefficients of coarse levels are for */
  struct hymgi_pairs *pairs;       /* robust path: the graphs below level 0 (pairs.h), or NULL */
  hymgi_hierarchy *next_connected; /* the next one of the context's list */
};

/* Are cycles made for another operator than that of the system? */
static inline bool hymgi_is_preconditioned(const hymgi_hierarchy *h)
{
  return h->kind != h->cycle_kind;
}

/* The level of which a caller means the equations, not the cycle. */
static inline hymgi_level *hymgi_system_level(hymgi_hierarchy *h, int l)
{
  return l == 0 ? h->system : h->level + l;
}

/* coarse_matrix.c: matrix.level is chosen with the shapes of the levels (hierarchy/level_layout.c) */
/* Makes the matrices once the coefficients of all levels are there and the backend is attached. */
hymg_status hymgi_coarse_matrix_make(hymgi_hierarchy *h);
void hymgi_coarse_matrix_destroy(hymgi_hierarchy *h);
/* Does a cycle from level l use them? */
static inline bool hymgi_uses_matrix(const hymgi_hierarchy *h, int l)
{
  return h->matrix.exists && l < h->matrix.level;
}
/* The coarsest level of whose f an F-cycle from level l makes use. */
static inline int hymgi_last_rhs(const hymgi_hierarchy *h, int l)
{
  return hymgi_uses_matrix(h, l) ? h->matrix.level : h->num_levels - 1;
}
/* x of their level from its f; visits: 1 for V, 0 for F */
void hymgi_coarse_multiply(hymgi_hierarchy *h, int visits);

/* cycle.c: one V-, W- or F-cycle from level l down; level->x is the initial guess (V, W) or is
 * overwritten (F). */
void hymgi_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l);
/* If the backend can, the work queued between begin and end is captured once and replayed: it
 * must be the same every time. variant: 0 to 4, distinguishes several captures of one kind of
 * cycle. */
enum { HYMGI_VARIANT_USER = 3, HYMGI_VARIANT_SINGLE = 4 }; /* of hymg_solver_cycle; of mixed.c */
void hymgi_begin_cycle(hymgi_hierarchy *h, int l, hymg_cycle kind, int variant);
void hymgi_end_cycle(hymgi_hierarchy *h, int l);
void hymgi_run_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l); /* variant 0: just the cycle */
/* V or W on the levels in single precision, from zero: h->singles.level[l].x from its f; l is below
 * h->singles.count */
void hymgi_single_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l);

/* mixed.c: cycles in single precision for residuals in double precision, on levels l < h->singles.count.
 * exponent: f and u, or the residual, are of order 2^exponent. */
/* queues r = f - A x of level l for a cycle, and max |r| into HYMGI_SLOT_RESIDUAL */
void hymgi_mixed_residual(hymgi_hierarchy *h, int l, int exponent);
/* the same for a residual that is there */
void hymgi_mixed_load(hymgi_hierarchy *h, int l, int exponent, const double *r);
/* level->x = z or, with `add`, += z, from V or W for that residual, with the same exponent */
void hymgi_mixed_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l, int exponent, bool add);
/* an F-cycle whose V-cycles on levels that are also in single precision are mixed; f is given on every level */
void hymgi_mixed_f_cycle(hymgi_hierarchy *h, int l, int exponent);

#endif
