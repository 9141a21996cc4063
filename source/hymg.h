/* hymg: geometric multigrid for a alpha u - b div(beta grad u) = f on box-shaped structured
 * grids.
 *
 * Cell-centred finite volume: u, alpha and f are cell averages, beta lives on cell faces. Axes
 * are x, y, z = 0, 1, 2; faces of the domain are numbered x-, x+, y-, y+, z-, z+ = 0 ... 5. Cell
 * (i, j, k) has 0 <= i < n[0] and so on.
 *
 * Conventions. Every fallible call returns a hymg_status; outputs come last and are untouched on
 * failure; the text of the last failure is hymg_context_error. Destroy calls take the handle's
 * address, null it and accept NULL; destroy children (solver, operator, field) before the grid,
 * and the grid before the context. Create, update, solve and the calls marked "collective" must
 * be made by every rank of the context in the same order. Arrays are `double` in host memory
 * unless a memory space is an argument. The library prints nothing, keeps no global state and
 * never exits. */
#ifndef HYMG_H
#define HYMG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYMG_VERSION "0.1.0"

#if defined(__GNUC__)
#define HYMG_API __attribute__((visibility("default")))
#else
#define HYMG_API
#endif

/* ---- errors ---- */

#define HYMG_STATUS_LIST(X)                                                                        \
  X(HYMG_OK, 0, "no error")                                                                        \
  X(HYMG_EINVAL, 1, "invalid argument")                                                            \
  X(HYMG_ENOMEM, 2, "out of memory")                                                               \
  X(HYMG_EUNSUPPORTED, 3, "not supported in this combination")                                     \
  X(HYMG_ECUDA, 4, "CUDA error")                                                                   \
  X(HYMG_EMPI, 5, "MPI error")                                                                     \
  X(HYMG_EIO, 6, "input/output error")

typedef enum hymg_status {
#define HYMG_STATUS_ENUM(name, value, text) name = value,
  HYMG_STATUS_LIST(HYMG_STATUS_ENUM)
#undef HYMG_STATUS_ENUM
} hymg_status;

/* "HYMG_EINVAL" and "invalid argument"; static strings, also for unknown values. */
HYMG_API const char *hymg_status_name(hymg_status status);
HYMG_API const char *hymg_status_text(hymg_status status);

/* What this library was built with; static strings, "" where the feature is absent. */
typedef struct hymg_build {
  const char *version;
  const char *commit;
  const char *compiler;
  const char *flags;
  const char *mpi;
  const char *openmp;
  const char *cuda;
} hymg_build;
HYMG_API hymg_build hymg_build_info(void);

/* ---- context: communicator, threads, device, error text ---- */

typedef struct hymg_context hymg_context;

struct CUstream_st; /* cudaStream_t, so that no CUDA header is needed */

typedef struct hymg_context_options {
  int threads; /* OpenMP threads of this rank; 0: OpenMP's own default */
  int device;  /* CUDA device ordinal; -1: the current one; no effect on the host backend */
  struct CUstream_st *stream; /* borrowed; NULL: the default stream */
} hymg_context_options;

HYMG_API hymg_context_options hymg_context_options_default(void);

/* A serial context: one rank, makes no MPI call. hymg_mpi.h has the one with a communicator.
 * options may be NULL. Errors: EINVAL (threads < 0 or > 4096), ENOMEM. */
HYMG_API hymg_status hymg_context_create(const hymg_context_options *options,
                                         hymg_context **context);
HYMG_API void hymg_context_destroy(hymg_context **context);

/* Text of the last failure of any call on this context or on what was made from it, "" before
 * the first. Valid until the next failure. */
HYMG_API const char *hymg_context_error(const hymg_context *context);
HYMG_API int hymg_context_rank(const hymg_context *context);
HYMG_API int hymg_context_ranks(const hymg_context *context);
HYMG_API int hymg_context_threads(const hymg_context *context);
/* Nodes (hosts) that hold ranks of the context. */
HYMG_API int hymg_context_nodes(const hymg_context *context);

/* Collective reductions over the ranks of the context for programs that want no MPI of their
 * own. In place on value. */
HYMG_API hymg_status hymg_context_max(hymg_context *context, double *value);
HYMG_API hymg_status hymg_context_barrier(hymg_context *context);

/* ---- grid ---- */

typedef struct hymg_grid hymg_grid;

typedef enum hymg_boundary {
  HYMG_DIRICHLET = 0,
  HYMG_PERIODIC = 1,
  HYMG_NEUMANN = 2
} hymg_boundary;

typedef struct hymg_grid_desc {
  int n[3];                  /* cells per axis, >= 1 */
  double spacing[3];         /* > 0, finite */
  hymg_boundary boundary[6]; /* periodic on both faces of an axis or on none */
  /* equal boxes per axis, each dividing n; with even sides where all n are even; all 0: one box a rank, or the nearest count that
   * divides */
  int boxes[3];
  /* Closure dimension of HPGMG-FV's LOG2_BOX_DIM sizes: cells per side of its (cubic) finest
   * box, which rules where the wall closures drop an order. 0: the domain's cells on each axis
   * decide. Needs a cubic grid that it divides. */
  int closure_box;
  /* Owner rank of box[3] on the finest level, asked once per box on every rank, the same answer
   * on all; NULL: Z-Morton order, equal shares. Errors: EINVAL for a rank outside the context. */
  int (*owner)(const int box[3], void *user);
  void *owner_user;
} hymg_grid_desc;

/* n = 64^3 on the unit cube, Dirichlet, default boxes. */
HYMG_API hymg_grid_desc hymg_grid_desc_default(void);

/* Collective. Errors: EINVAL (naming the value and the limit), ENOMEM. The desc is copied. */
HYMG_API hymg_status hymg_grid_create(hymg_context *context, const hymg_grid_desc *desc,
                                      hymg_grid **grid);
HYMG_API void hymg_grid_destroy(hymg_grid **grid);
/* Cells of the whole grid. */
HYMG_API int64_t hymg_grid_cells(const hymg_grid *grid);
/* Boxes per axis as chosen. */
HYMG_API void hymg_grid_boxes(const hymg_grid *grid, int boxes[3]);
/* This rank's bricks of cells (boxes that form a brick are merged): count, then the low corner
 * and extent of each, in global cell indices. A rank may own none. */
HYMG_API int hymg_grid_num_local(const hymg_grid *grid);
HYMG_API void hymg_grid_local(const hymg_grid *grid, int index, int low[3], int count[3]);

/* ---- fields ---- */

typedef struct hymg_field hymg_field;
typedef struct hymg_operator hymg_operator;
typedef struct hymg_solver hymg_solver;

/* Where the values sit. FACE fields have one more entry along their axis: entry i is the low
 * face of cell i, entry n the high wall; on a periodic axis entry n is ignored, it repeats entry
 * 0. WALL fields are one layer of face averages on that domain face; their extent along its axis
 * is 1. */
typedef enum hymg_centering {
  HYMG_CELL = 0,
  HYMG_FACE_X = 1,
  HYMG_FACE_Y = 2,
  HYMG_FACE_Z = 3,
  HYMG_WALL_X_LOW = 4,
  HYMG_WALL_X_HIGH = 5,
  HYMG_WALL_Y_LOW = 6,
  HYMG_WALL_Y_HIGH = 7,
  HYMG_WALL_Z_LOW = 8,
  HYMG_WALL_Z_HIGH = 9
} hymg_centering;

typedef enum hymg_precision { HYMG_DOUBLE = 0 } hymg_precision;
typedef enum hymg_space { HYMG_HOST = 0, HYMG_DEVICE = 1 } hymg_space;

/* A field of zeros over the grid. solver NULL: plain rows in host memory. With a solver (cell
 * fields only): layout and home of its level 0, so that hymg_solve uses it in place. Errors:
 * EINVAL, EUNSUPPORTED (precision), ENOMEM. */
HYMG_API hymg_status hymg_field_create(hymg_grid *grid, hymg_solver *solver,
                                       hymg_centering centering, hymg_precision precision,
                                       hymg_field **field);
/* A cell field of zeros on a level of the solver, in that level's layout; for the calls that
 * name a level. */
HYMG_API hymg_status hymg_field_create_on_level(hymg_solver *solver, int level, hymg_field **field);
HYMG_API void hymg_field_destroy(hymg_field **field);

/* Copies between the user's array and the entries of the global brick low, count that this rank
 * holds; the rest of the brick is left alone on both sides, so every rank may name its own part
 * or the whole. The entry (i, j, k) of the brick, counted from its low corner, is data[i *
 * stride[0] + j * stride[1] + k * stride[2]]; strides in elements. Not collective. Errors:
 * EINVAL (brick outside the field, data NULL), EUNSUPPORTED (device memory without CUDA). */
HYMG_API hymg_status hymg_field_write(hymg_field *field, const int low[3], const int count[3],
                                      const ptrdiff_t stride[3], const double *data,
                                      hymg_space space);
HYMG_API hymg_status hymg_field_read(const hymg_field *field, const int low[3], const int count[3],
                                     const ptrdiff_t stride[3], double *data, hymg_space space);
HYMG_API hymg_status hymg_field_fill(hymg_field *field, double value);

/* y += a x for two cell fields of one grid and level (layouts may differ). Errors: EINVAL. */
HYMG_API hymg_status hymg_field_axpy(double a, const hymg_field *x, hymg_field *y);
/* Collective, cell fields. max |x|, NaN if any entry is NaN; root mean square and mean over all
 * cells. The sums do not depend on ranks, threads or boxes. */
HYMG_API hymg_status hymg_field_max(const hymg_field *x, double *max);
HYMG_API hymg_status hymg_field_rms(const hymg_field *x, double *rms);
HYMG_API hymg_status hymg_field_mean(const hymg_field *x, double *mean);

/* ---- operator: a description ---- */

typedef enum hymg_stencil { HYMG_FV2 = 0, HYMG_FV4 = 1 } hymg_stencil;
/* Dirichlet closure of FV2: linear (v1) or quadratic (v2, default). FV4 has its own quartic one. */
typedef enum hymg_closure {
  HYMG_CLOSURE_DEFAULT = 0,
  HYMG_CLOSURE_LINEAR = 1,
  HYMG_CLOSURE_QUADRATIC = 2
} hymg_closure;

typedef struct hymg_operator_desc {
  hymg_stencil stencil;
  hymg_closure closure;
  double a, b;               /* a >= 0, b > 0 */
  double alpha_constant;     /* used where alpha is NULL; >= 0 */
  double beta_constant;      /* used where beta is all NULL; > 0 */
  const hymg_field *alpha;   /* cell field, >= 0, or NULL */
  const hymg_field *beta[3]; /* FACE_X, FACE_Y, FACE_Z fields, > 0; all or none */
  /* Wall data of FV2 as WALL fields or NULL (zero): the value on Dirichlet walls, the outward
   * derivative on Neumann. */
  const hymg_field *wall[6];
} hymg_operator_desc;

/* FV2 Poisson: a 0, b 1, constants 1, no fields. */
HYMG_API hymg_operator_desc hymg_operator_desc_default(void);

/* Fields are borrowed: they are read by hymg_solver_create and hymg_solver_update and may be
 * destroyed between. Errors: EINVAL, EUNSUPPORTED (FV4 with Neumann walls, wall data or a
 * closure), ENOMEM. */
HYMG_API hymg_status hymg_operator_create(hymg_grid *grid, const hymg_operator_desc *desc,
                                          hymg_operator **op);
/* New constants, fields and wall data; stencil, closure and which of alpha and beta are fields
 * must stay as they were. Takes effect at the next hymg_solver_update. */
HYMG_API hymg_status hymg_operator_set(hymg_operator *op, const hymg_operator_desc *desc);
HYMG_API void hymg_operator_destroy(hymg_operator **op);

/* ---- solver ---- */

/* FMG: one F-cycle and nothing after it. MG: cycles to the tolerance (F: an F-cycle, then
 * V-cycles). MGPCG: conjugate gradients preconditioned with one V- or W-cycle. */
typedef enum hymg_method { HYMG_FMG = 0, HYMG_MG = 1, HYMG_MGPCG = 2 } hymg_method;
typedef enum hymg_cycle { HYMG_CYCLE_V = 0, HYMG_CYCLE_W = 1, HYMG_CYCLE_F = 2 } hymg_cycle;
typedef enum hymg_smoother {
  HYMG_GSRB = 0,
  HYMG_CHEBYSHEV = 1,
  HYMG_JACOBI = 2,
  HYMG_L1JACOBI = 3,
  HYMG_SYMGS = 4
} hymg_smoother;
typedef enum hymg_bottom {
  HYMG_BICGSTAB = 0,
  HYMG_CG = 1,
  HYMG_CABICGSTAB = 2,
  HYMG_CACG = 3,
  HYMG_BOTTOM_SMOOTHER = 4
} hymg_bottom;
/* Interpolation of the correction (V, W) and of the F-cycle's start; DEFAULT: v2 and v2 for FV2,
 * v2 and v4 for FV4. V4 needs FV4 (its halo is two layers). */
typedef enum hymg_interpolation {
  HYMG_INTERPOLATION_DEFAULT = -1,
  HYMG_P0 = 0, /* piecewise constant */
  HYMG_P1 = 1, /* trilinear */
  HYMG_V2 = 2, /* quadratic, keeps the coarse cell's mean */
  HYMG_V4 = 4  /* quartic, keeps the coarse cell's mean */
} hymg_interpolation;
typedef enum hymg_backend {
  HYMG_BACKEND_AUTO = 0,
  HYMG_BACKEND_HOST = 1,
  HYMG_BACKEND_CUDA = 2
} hymg_backend;

/* How the fastest way to run a level is found when a solver is made: by trying some on parts of
 * the large levels (up to about two F-cycles' time), or from a table. The results are the same
 * bits. */
typedef enum hymg_tuning { HYMG_TUNE_MEASURE = 0, HYMG_TUNE_ESTIMATE = 1 } hymg_tuning;

/* What a cycle record describes. */
typedef enum hymg_cycle_kind {
  HYMG_KIND_F = 0,
  HYMG_KIND_V = 1,
  HYMG_KIND_W = 2,
  HYMG_KIND_CG = 3
} hymg_cycle_kind;

typedef struct hymg_cycle_record {
  hymg_cycle_kind kind;
  double residual_max;      /* max |f - A u| after the cycle */
  double residual_relative; /* the same over max |f|, f with the wall data in it; 0 if both are 0 */
} hymg_cycle_record;

/* Called on every rank after each cycle with the same record; return false to stop (reason
 * STOPPED). */
typedef bool (*hymg_monitor)(const hymg_cycle_record *record, int cycle, void *user);

typedef struct hymg_options {
  hymg_method method;
  hymg_cycle cycle; /* FMG takes F only, MGPCG V or W */
  hymg_smoother smoother;
  int sweeps; /* stencil passes per pre- and post-smooth; -1: 6, for symgs 4 */
  hymg_bottom bottom;
  hymg_interpolation interpolation_v, interpolation_f;
  double rtol;        /* MG, MGPCG: stop at max |r| <= rtol max |f|; > 0 */
  int max_cycles;     /* 1 ... 10000 */
  bool initial_guess; /* MG with V or W, MGPCG: start from u as given instead of zero */
  hymg_backend backend;
  hymg_tuning tuning;
  int64_t host_cells; /* CUDA: levels with fewer cells per rank run on the host; -1: measured */
  hymg_precision precision;
  hymg_monitor monitor; /* or NULL */
  void *monitor_user;
} hymg_options;

/* FMG, F, gsrb, default sweeps, bicgstab, rtol 1e-10, 20 cycles, zero start, auto backend. */
HYMG_API hymg_options hymg_options_default(void);

typedef enum hymg_reason {
  HYMG_REASON_TOLERANCE = 0,
  HYMG_REASON_LIMIT = 1, /* max_cycles reached; for FMG: the one cycle is done */
  HYMG_REASON_STAGNATED = 2,
  HYMG_REASON_DIVERGED = 3,
  HYMG_REASON_NOT_FINITE = 4,
  HYMG_REASON_STOPPED = 5 /* by the monitor */
} hymg_reason;
/* "tolerance", "limit", "stagnated", "diverged", "not finite", "stopped" */
HYMG_API const char *hymg_reason_name(hymg_reason reason);

/* Not converging is a result, not an error. */
typedef struct hymg_result {
  bool converged; /* FMG: residual is finite */
  hymg_reason reason;
  int cycles;
  const hymg_cycle_record
      *history;   /* `cycles` records, owned by the solver, valid until its next solve */
  double rhs_max; /* max |f| with the wall data in it */
  bool singular;
  double mean_removed; /* mean of f that was subtracted, 0 if not singular */
  double seconds;      /* wall time of the call on this rank */
} hymg_result;

/* Collective: plans the hierarchy and reads the coefficients. options NULL: the defaults.
 * Errors: EINVAL (options; negative or non-finite coefficients), EUNSUPPORTED (backend cuda
 * without CUDA), ENOMEM, EMPI. */
HYMG_API hymg_status hymg_solver_create(hymg_operator *op, const hymg_options *options,
                                        hymg_solver **solver);
/* Collective: reads the operator's constants, fields and wall data again, keeps the plan. */
HYMG_API hymg_status hymg_solver_update(hymg_solver *solver);
HYMG_API void hymg_solver_destroy(hymg_solver **solver);

/* Collective: solves A u = f on level 0. u and f are cell fields of the grid, in place where
 * made with this solver, else converted. f is not changed. result may be NULL. Errors: EINVAL
 * (fields of another grid; a singular system whose |mean f| > 1e-4 max |f|, with both numbers),
 * EMPI. u is undefined after an error. */
HYMG_API hymg_status hymg_solve(hymg_solver *solver, const hymg_field *f, hymg_field *u,
                                hymg_result *result);

/* Levels, 0 the finest. */
HYMG_API int hymg_solver_num_levels(const hymg_solver *solver);
typedef struct hymg_level_info {
  int cells[3];
  int box[3]; /* cells of one (unmerged) box */
  int64_t boxes;
  int ranks; /* ranks that hold cells of this level */
  double spacing[3];
  hymg_backend backend;
  double lambda_max; /* Gershgorin bound of D^-1 A */
} hymg_level_info;
/* Errors: EINVAL (no such level). The same on every rank, also on one that holds nothing of the
 * level. */
HYMG_API hymg_status hymg_solver_level(const hymg_solver *solver, int level, hymg_level_info *info);

/* Collective: the same solve started on a coarser level, with fields from
 * hymg_field_create_on_level (level 0: any). */
HYMG_API hymg_status hymg_solve_on_level(hymg_solver *solver, int level, const hymg_field *f,
                                         hymg_field *u, hymg_result *result);
/* Collective: coarse (of level + 1) = mean of 8 cells of fine (of level). */
HYMG_API hymg_status hymg_restrict(hymg_solver *solver, int level, const hymg_field *fine,
                                   hymg_field *coarse);
/* Collective: y = A x with homogeneous walls; r = f - A u with the wall data. Any cell fields of
 * that level. */
HYMG_API hymg_status hymg_apply(hymg_solver *solver, int level, const hymg_field *x, hymg_field *y);
HYMG_API hymg_status hymg_residual(hymg_solver *solver, int level, const hymg_field *f,
                                   const hymg_field *u, hymg_field *r);

/* Bytes that live during a solve (hierarchy, u, f, plans, buffers), all ranks, over the cells of
 * level 0. */
HYMG_API double hymg_solver_bytes_per_dof(const hymg_solver *solver);
/* Seconds of the tuning part of hymg_solver_create on this rank. */
HYMG_API double hymg_solver_tuning_seconds(const hymg_solver *solver);

/* Per-level, per-verb times of this rank. While on, every verb is timed (solves are a little
 * slower); turning it on clears the rows. bytes: by the model, each array once; messages and
 * message_bytes: sent by this rank. */
typedef struct hymg_profile_row {
  int level;
  const char *verb; /* static */
  int64_t calls;
  double seconds;
  double bytes;
  int64_t messages;
  double message_bytes;
} hymg_profile_row;
HYMG_API void hymg_solver_profile(hymg_solver *solver, bool on);
HYMG_API int hymg_solver_profile_rows(const hymg_solver *solver);
HYMG_API hymg_status hymg_solver_profile_row(const hymg_solver *solver, int index,
                                             hymg_profile_row *row);

#ifdef __cplusplus
}
#endif
#endif
