/* What a machine can do with a level: the one place where host and device differ. Level operations work on
 * this rank's boxes; those that read ghosts do their own exchange and extrapolations. They return
 * nothing: failures go into level->context->status (sticky within a solve) and messages still go
 * out. Reductions return this rank's part. */
#ifndef HYMGI_MULTIGRID_BACKEND_H
#define HYMGI_MULTIGRID_BACKEND_H

#include "base/memory.h"
#include "multigrid/level.h"

/* Interpolations, and the extrapolation of the boundary ghosts that each one (and the FV4 operator: V4)
 * wants in memory. */
typedef enum hymgi_ghosts {
  HYMGI_GHOSTS_P0 = 0, /* none */
  HYMGI_GHOSTS_P1 = 1, /* v1 */
  HYMGI_GHOSTS_V2 = 2,
  HYMGI_GHOSTS_V4 = 4
} hymgi_ghosts;

/* Which residual a restriction sums. */
typedef enum hymgi_after { HYMGI_AFTER_ANY, HYMGI_AFTER_GSRB } hymgi_after;

/* A brick of a box's entries and a strided array of the user's: entry (i, j, k) of the box, from
 * <= ijk < to, is user[i stride[0] + j stride[1] + k stride[2]]. */
typedef struct hymgi_user_brick {
  int from[3], to[3];
  ptrdiff_t stride[3];
} hymgi_user_brick;

/* What is wrong with the values of a coefficient field: the first bad one in the order of a box,
 * x fastest. */
typedef struct hymgi_finding {
  bool bad;
  int at[3];
  double value;
  double largest; /* of the good ones before it */
} hymgi_finding;

/* What other processes on this machine may do with a GPU's memory. */
typedef struct hymgi_handle {
  char bytes[64];
} hymgi_handle;

typedef struct hymgi_peer_memory {
  /* what tells this GPU from all others of the machine */
  hymg_status (*identify)(hymg_context *context, hymgi_handle *identity);
  /* memory as from the backend's alloc, whole; the way to it, and its place for this process. map
   * leaves no error behind: why is left as text */
  hymg_status (*export_memory)(hymg_context *context, double *data, hymgi_handle *handle);
  bool (*map)(hymg_context *context, const hymgi_handle *handle, void **mapped, char why[128]);
  void (*unmap)(hymg_context *context, void *mapped);
  /* after a failure as well: waits, then makes the first words zero, the other doubles NaNs of ones
   * (not come yet), and forgets what was given up */
  hymg_status (*reset)(hymg_context *context, double *arena, size_t words, size_t doubles);
} hymgi_peer_memory;

/* A communicator of NCCL for the ranks of the context, where messages are grouped. */
typedef struct hymgi_nccl_id {
  char bytes[128];
} hymgi_nccl_id;

typedef struct hymgi_nccl_ops {
  /* on one rank, for all; then collective: EMPI */
  hymg_status (*make_id)(hymg_context *context, hymgi_nccl_id *id);
  hymg_status (*open)(hymg_context *context, const hymgi_nccl_id *id);
  bool (*works)(hymg_context *context);
  /* ends what waits for other ranks, and the communicator */
  void (*break_off)(hymg_context *context);
  /* after a failure of this rank: the others, which may wait for its messages */
  void (*tell)(hymg_context *context);
} hymgi_nccl_ops;

typedef struct hymgi_hierarchy hymgi_hierarchy;

typedef struct hymgi_backend {
  hymg_backend id;
  const char *name;
  int line; /* doubles that rows start on */
  /* interpolate wants no boundary ghosts in memory of the level below, but for those of an F-cycle's
   * solution where that level has other boxes */
  bool extrapolates_in_loads;
  hymgi_mover mover;
  const hymgi_memory *memory;   /* home of its vectors */
  const hymgi_memory *crossing; /* what both it and the host can reach */

  const hymgi_peer_memory *sharing; /* or NULL; the next two as well */
  /* can half sweeps of this rank's part of the level exchange one colour of the plan's cells? */
  bool (*joins)(const hymgi_level *level, const hymgi_plan *plan);
  /* does this rank's first half sweep on an x that is 0 read no ghosts? */
  bool (*starts_alone)(const hymgi_level *level);
  /* NULL: no GPUs; the address of NULL: built without NCCL */
  const hymgi_nccl_ops *const *nccl_ops;

  /* Takes over a malloc'ed block and puts its bytes where every machine at hand can read them
   * (box and copy lists). unshare frees it, also one that share could not take. */
  hymg_status (*share)(hymg_context *context, void **block, size_t bytes);
  void (*unshare)(void *block);
  void (*sync)(hymg_context *context); /* waits for all that was asked for */
  void (*zero)(hymg_context *context, double *data, size_t doubles);
  /* to and from memory that the host reaches; done when it returns */
  void (*copy)(hymg_context *context, const double *from, double *to, size_t doubles);
  /* user: memory that this machine reaches, data: the box's vector. To or from the box. */
  void (*brick)(const hymgi_level *view, const hymgi_geom *box, const hymgi_user_brick *brick,
                bool write, double *user, double *data);
  /* between two strided arrays that this machine reaches, over the brick's entries */
  void (*gather)(hymg_context *context, const hymgi_user_brick *from, const hymgi_user_brick *to,
                 const double *source, double *target);
  /* entries [0, n) of a box: positive (or at least 0) and finite? */
  void (*examine)(const hymgi_level *view, const hymgi_geom *box, const int n[3], bool positive,
                  const double *data, hymgi_finding *finding);

  void (*clear)(const hymgi_level *level,
                double *x); /* a whole vector with its ghosts, touched by the threads that use it */

  void (*scale)(const hymgi_level *level, double factor, double *x); /* likewise */
  size_t (*scratch_doubles)(const hymgi_level *level,
                            ptrdiff_t *row); /* of level->scratch and of a row of it */

  /* set-up: after the betas and alphas of a level are in place (unscaled boundaries) */
  hymg_status (*finish_coefficients)(
      hymgi_level *level); /* boundary weights, dinv, lambda_max, constant rows */
  void (*restrict_faces)(const hymgi_level *level, int axis, const double *fine,
                         const hymgi_geom *patch, double *coarse);

  /* boundary data: term from value (multigrid/boundary_data.h); f += the terms */
  void (*boundary_term)(const hymgi_level *level, int box, int face);
  void (*add_boundary_terms)(const hymgi_level *level, double *f);

  /* operator: x is written in its ghosts only */
  void (*apply)(const hymgi_level *level, double *x, double *y);
  void (*residual)(const hymgi_level *level, const double *f, double *x, double *r);
  double (*residual_max)(const hymgi_level *level, const double *f, double *x);

  /* Optional: have rows of level split by colour although its smoother has no colours? Asked before
   * the boxes are laid out. */
  bool (*splits)(const hymgi_level *level);
  /* Optional: does smooth want level->y although the method does without? */
  bool (*second_buffer)(const hymgi_level *level);
  /* Optional: does smooth want level->spare? */
  bool (*spare_buffers)(const struct hymgi_level *level);
  /* level->x from level->f; may swap level->x and level->y */
  void (*smooth)(hymgi_level *level);

  /* chooses level->tuning by measuring; the level's x, y and f are zero and stay so */
  void (*tune)(hymgi_level *level);
  /* smooth, then residual_restrict to `coarse` (a patch vector): fused where the machine can.
   * from_zero: level->x is 0, which may spare work */
  void (*smooth_restrict)(hymgi_level *level, bool from_zero, double *coarse, double *zero);

  /* transfers to and from patches (geometry of level->patch) */
  /* may these two and the mover be given `zero`, a vector that becomes 0 where another one is written,
   * and may a patch be a part of a box of the coarse level? */
  bool zeroes;
  void (*residual_restrict)(const hymgi_level *level, hymgi_after after, double *coarse,
                            double *zero);
  void (*restrict_cells)(const hymgi_level *level, const double *fine, double *coarse);
  void (*fill_ghosts)(const hymgi_level *level, double *x, hymgi_ghosts ghosts, bool with_data);
  /* smoothed: fine->x, of which a smoother call follows: cells that it does not read may be left
   * as they are */
  void (*interpolate)(const hymgi_level *fine, const hymgi_level *coarse, const double *source,
                      hymgi_ghosts order, bool add, bool smoothed, double *x);

  /* Optional (NULL: none): the bottom solve in one go; false where it is not for this level. */
  bool (*bottom)(hymgi_level *level, hymg_bottom bottom);
  /* Optional: a whole cycle from level l down in one go; visits 1 for V, 2 for W, 0 for F. False
   * where it is not for this level. */
  bool (*tail)(hymgi_hierarchy *h, int l, int visits);
  /* Optional: around a cycle, so that its work can be recorded once and played back. key: what
   * tells the solver's cycles apart. */
  void (*begin_cycle)(hymgi_hierarchy *h, int key);
  void (*end_cycle)(hymgi_hierarchy *h);
  /* Optional: max and residual_max without a wait; `queued` waits and gives the one of a slot. */
  void (*queue_max)(const hymgi_level *level, const double *x, int slot);
  void (*queue_residual_max)(const hymgi_level *level, const double *f, double *x, int slot);
  /* Optional: restrict_cells and queue_max of what it reads. */
  void (*queue_restrict_max)(const hymgi_level *level, const double *fine, double *coarse,
                             int slot);
  double (*queued)(hymg_context *context, int slot);
  /* Optional: names a stretch of time for a profiler; stretches nest. */
  void (*begin_range)(const hymgi_level *level, const char *verb);
  void (*end_range)(void);
  /* Optional: what follows is steered by results, so it cannot be recorded: from true to false. */
  void (*stepwise)(hymg_context *context, bool on);
  /* Optional: before and after the solver's levels live (recordings, lists for coarse end). */
  hymg_status (*attach)(hymgi_hierarchy *h);
  void (*detach)(hymgi_hierarchy *h);
  /* Optional: names of the kernels that the level runs on this rank, once attached. */
  const char *(*kernel_names)(const hymgi_level *level);

  /* vectors of a level; cells only, ghosts untouched; outputs may be inputs */
  void (*fill)(const hymgi_level *level, double value, double *x);
  void (*axpby)(const hymgi_level *level, double a, const double *x, double b, const double *y,
                double *z);
  void (*shift)(const hymgi_level *level, double c, double *x);
  void (*precondition)(const hymgi_level *level, const double *r, double *z); /* z = D^-1 r */
  double (*max)(const hymgi_level *level, const double *x,
                const double *y); /* max |x y|, y NULL: |x|; NaN if any */
  void (*sum)(const hymgi_level *level, const double *x, const double *y, int exponent, int bits,
              int64_t *words); /* of x y or of x, as HYMGI_SUM_WORDS words of base/exact_sum.h */
} hymgi_backend;

/* The host: OpenMP, or one thread without it. */
const hymgi_backend *hymgi_cpu_backend(void);
/* CUDA on the context's device and stream. EUNSUPPORTED with the reason where it is not built in,
 * or where there is no driver or device; ECUDA. */
hymg_status hymgi_cuda_backend(hymg_context *context, bool managed, const hymgi_backend **backend);
/* hymg_device_count and hymg_device_get. */
hymg_status hymgi_cuda_count(hymg_context *context, int *count);
hymg_status hymgi_cuda_device(hymg_context *context, int ordinal, hymg_device_info *info);

/* What the host runs fastest with, as measured (benchmarks/README.md). */
hymgi_tuning hymgi_cpu_tuning(const hymgi_method *method);

/* Threads a wish for `wanted` (0: the default) gives on the host. */
int hymgi_backend_threads(int wanted);

#endif
