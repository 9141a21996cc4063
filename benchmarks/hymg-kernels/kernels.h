/* The kernel benchmark: level operations of the library, called through its internal headers, timed
 * close to a triad (on a GPU: a copy), their results checked against plain slow loops and, bit for
 * bit, against the host's untuned kernels. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdio.h>

#include "api/solver.h"
#include "common/kit/rows.h"
#include "common/kit/timing.h"
#include "hymg.h"
#include "multigrid/level_ops.h"

/* ---- command line ---- */

typedef enum kernels_mode {
  KERNELS_TABLE,          /* a row per level operation and size */
  KERNELS_LADDER,         /* the gain of each step of the tuning */
  KERNELS_ABLATION,       /* the gain of each form of the kernels, in F-cycles */
  KERNELS_ABLATION_SOLVE, /* in solves */
  KERNELS_LEVELS,         /* which kernels each level runs */
  KERNELS_CYCLE,          /* F-cycles: bytes, memory, set-up */
  KERNELS_SOLVE,          /* solves to a tolerance */
  KERNELS_ARRAYS,         /* the same with f and u in arrays of the program */
  KERNELS_BATCH,          /* systems of contexts of their own, in turn and at the same time */
  KERNELS_THRESHOLD,      /* coarse levels: GPU by kernels, GPU in one launch, host */
  KERNELS_TRIAD,
  KERNELS_LIST
} kernels_mode;

enum {
  KERNELS_SIZES = 8,
  KERNELS_TIMES = 10000 /* measurements per row at most */,
  KERNELS_WITHOUT = 8
};

typedef struct kernels_options {
  kernels_mode mode;
  int sizes[KERNELS_SIZES], num_sizes; /* cells per side */
  bool stencil[2];                     /* by hymg_stencil */
  int cuda;                            /* on a GPU */
  hymg_smoother smoother;
  bool one_smoother; /* only `smoother` has rows in the table */
  int threads, repeat, systems;
  double seconds;        /* minimum time for which a row is repeated */
  double triad_mb;       /* of its arrays together; 0: from the caches, on a GPU 1 GiB */
  const char *operation; /* only rows whose name contains this, or NULL */
  const char *csv;       /* or NULL */
  const char *without[KERNELS_WITHOUT]; /* forms that no level uses */
  int num_without;
} kernels_options;

/* False: nothing to run; *code is the exit status. */
bool kernels_options_read(int argc, char **argv, kernels_options *options, int *code);

typedef struct kernels_bench {
  const kernels_options *options;
  hymg_context *context;
  struct kernels_triad *triad; /* on the host */
  struct kernels_copy *copy;   /* on a GPU */
  double start_seconds;        /* time to initialise CUDA */
  run_info run;
  csv_table csv; /* without --csv lines are discarded */
  int64_t wrong;
} kernels_bench;

/* The rate that is 100 %, in bytes per second, measured now: the triad at 24 B per element, on a
 * GPU the copy, read and written. */
double kernels_full_rate(const kernels_bench *bench);
/* The same in words. */
typedef struct kernels_text {
  char text[80];
} kernels_text;
kernels_text kernels_rate_text(const kernels_bench *bench, double rate);
const char *kernels_stencil_name(hymg_stencil stencil);

/* ---- triad and copy ---- */

typedef struct kernels_triad kernels_triad;
/* Three arrays larger than any cache of this machine; NULL: out of memory. */
kernels_triad *kernels_triad_create(double bytes, int threads);
/* a = b + s c over the first n elements (0: all), median of a few runs: elements per second. */
double kernels_triad_run(kernels_triad *triad, size_t n);
double kernels_triad_bytes(const kernels_triad *triad);
void kernels_triad_destroy(kernels_triad **triad);

/* A copy between two arrays in the GPU's memory, by the library's own vector operation. */
typedef struct kernels_copy kernels_copy;
/* bytes: of both together; 0: 1 GiB or what fits. NULL: the error is in the context. */
kernels_copy *kernels_copy_create(hymg_context *context, double bytes);
/* Bytes per second, read and written; the median of a few runs. */
double kernels_copy_run(const kernels_copy *copy);
void kernels_copy_destroy(kernels_copy **copy);

/* ---- a solver and plain copies of its problem ---- */

/* The fv problem on n^3 cells in plain arrays: cell (i, j, k) at i + n (j + n k); beta with one
 * layer around, face (i, j, k) at (i + 1) + (n + 2) ((j + 1) + (n + 2) (k + 1)), extrapolated
 * tangentially as FV4 wants; ones if constant. */
typedef struct kernels_problem {
  int n;
  bool variable;
  double *beta[3], *rhs;
} kernels_problem;

/* False after a message. */
bool kernels_problem_create(int n, bool variable, kernels_problem *p);
void kernels_problem_destroy(kernels_problem *p);

/* For each operator of the command line, until one fails. */
typedef bool kernels_job(kernels_bench *bench, const kernels_problem *problem,
                         hymg_stencil stencil);
bool kernels_for_problem(kernels_bench *bench, int n, bool variable, kernels_job *job);
/* For each of its sizes with variable coefficients, then with constant ones, too. */
bool kernels_for_sizes(kernels_bench *bench, bool constant_too, kernels_job *job);

typedef struct kernels_kit {
  hymg_context *context; /* borrowed */
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *x, *f, *out;
  hymgi_level *fine, *coarse;
  double *second;        /* the smoother's own second buffer */
  double setup_seconds;  /* grid, coefficients, operator, solver, u and f; not the problem */
  double tuning_seconds; /* part of it */
  double device_bytes;   /* allocated on the GPU including the user's coefficients */
  double number;         /* what a reduction returned */
  int recordings;        /* number of recorded batches, for their keys */
} kernels_kit;

/* The library's defaults with the device and the smoother of the command line. */
hymg_options kernels_solver_options(const kernels_options *options);
/* tuning NULL: the backend's own. f holds the problem's right-hand side. False after a message. */
bool kernels_kit_create(hymg_context *context, const kernels_problem *p, hymg_stencil stencil,
                        const hymg_options *options, const hymgi_tuning *tuning, kernels_kit *kit);
void kernels_kit_destroy(kernels_kit *kit);
/* Level 0 works on x and f, as within a solve. */
void kernels_kit_bind(kernels_kit *kit);
/* One solve from f to x: seconds, NaN after a failure; solve_fields: of other fields. */
double kernels_kit_solve(kernels_kit *kit, hymg_result *result);
double kernels_kit_solve_fields(kernels_kit *kit, const hymg_field *f, hymg_field *u,
                                hymg_result *result);
/* The median of as many solves as the options ask for, after a warm-up; NaN after a failure. */
double kernels_kit_time_solves(const kernels_options *options, kernels_kit *kit,
                               hymg_result *result);
/* Have all level operations so far succeeded? If not, prints the error. */
bool kernels_kit_is_well(const kernels_kit *kit);

/* Untuned: plain rows, each pass separate. */
hymgi_tuning kernels_untuned(void);
/* How the level runs its smoother, in words. */
kernels_text kernels_tuning_text(const hymgi_level *level);
/* Which levels a GPU runs in one launch and which the host runs. */
kernels_text kernels_placement_text(const kernels_kit *kit);

/* Sets a whole vector of the level to NaN, including ghosts and padding; and copies the cells
 * between it and a plain array. */
void kernels_poison(const hymgi_level *level, double *vector);
void kernels_write(const hymgi_level *level, double *plain, double *vector);
void kernels_read(const hymgi_level *level, double *vector, double *plain);
/* Reproducible pseudo-random numbers in [-scale, scale). */
void kernels_random(size_t count, unsigned seed, double scale, double *plain);

/* ---- plain slow loops ---- */

typedef struct kernels_slow {
  const kernels_problem *problem;
  hymg_stencil stencil;
  int sweeps;
  const double *x, *f, *coarse; /* inputs: n^3, n^3, (n/2)^3 */
  const double *dinv;           /* symgs: 1/diagonal, from the library */
} kernels_slow;

/* The results are n^3 or, for operations that restrict, (n/2)^3 numbers. False: out of memory. */
bool kernels_slow_apply(const kernels_slow *s, double *out);
bool kernels_slow_residual(const kernels_slow *s, double *out);
bool kernels_slow_residual_restrict(const kernels_slow *s, double *out);
bool kernels_slow_restrict(const kernels_slow *s, double *out);
bool kernels_slow_symgs(const kernels_slow *s, double *out);
/* order 2 or 4; out = P coarse */
bool kernels_slow_interpolate(const kernels_slow *s, int order, double *out);
/* Largest possible value of A x for x of this size, times that size: the scale for rounding errors.
 * */
double kernels_slow_scale(const kernels_slow *s);

/* ---- level operations ---- */

/* Where a level operation leaves its result. */
typedef enum kernels_target {
  KERNELS_IN_X,      /* the fine level's x */
  KERNELS_IN_OUT,    /* out */
  KERNELS_IN_COARSE, /* the coarse level's f */
  KERNELS_IN_NUMBER
} kernels_target;

/* Flags of a level operation. */
enum {
  KERNELS_SMOOTHED = 1,     /* run on the state that the smoother leaves */
  KERNELS_ANY_OPERATOR = 2, /* independent of the coefficients: run once */
  KERNELS_FV4_ONLY = 4
};

typedef struct kernels_operation {
  const char *name;
  void (*run)(kernels_kit *kit);
  bool (*slow)(const kernels_slow *s, double *out); /* NULL: compared with untuned only */
  kernels_target target;
  unsigned flags;
  double streams; /* doubles per cell besides the matrix; 0: as the level operation declares */
} kernels_operation;

extern const kernels_operation kernels_operations[];
extern const int kernels_num_operations;
/* One smoother call of the kit's smoother; and the same followed by the restriction of the
 * residual. */
extern const kernels_operation kernels_smooth, kernels_smooth_restrict;
extern const char *const kernels_smoother_names[];

/* ---- time of a level operation ---- */

/* A batch of calls that is timed as one: on the host a single call; on a GPU as many as take about
 * a millisecond, recorded once and replayed as a cycle is. A level operation that returns a number
 * waits for it each time, as in a solve. */
typedef struct kernels_batch {
  int key; /* of the recording; 0: none */
  int calls;
} kernels_batch;
kernels_batch kernels_batch_for(kernels_kit *kit, const kernels_operation *operation);
/* Seconds per call. */
double kernels_batch_time(kernels_kit *kit, const kernels_operation *operation,
                          kernels_batch batch);
/* The median of as many batches as the options ask for. */
double kernels_median_time(const kernels_options *options, kernels_kit *kit,
                           const kernels_operation *operation);

/* ---- the modes ---- */

#define KERNELS_TRIAD_ROW "triad of this size"
/* Does the option --operation leave any row of the table, or of the ladder? */
bool kernels_table_has_rows(const kernels_options *options);
bool kernels_ladder_has_rows(const kernels_options *options);
/* Names of the ladder's rows, by which --operation selects them. */
void kernels_list_steps(bool gpu);
bool kernels_run_table(kernels_bench *bench);
bool kernels_run_ladder(kernels_bench *bench);
/* Instructions that the OpenMP threads retire in user mode during `work`; NAN, and a static text or that of
 * strerror in *why, if they are not counted (counters/). */
double kernels_count_instructions(int threads, void (*work)(void *), void *argument,
                                  const char **why);
bool kernels_run_cycle(kernels_bench *bench);
bool kernels_run_solve(kernels_bench *bench);
bool kernels_run_arrays(kernels_bench *bench);
bool kernels_run_batch(kernels_bench *bench);
bool kernels_run_threshold(kernels_bench *bench);

/* A form of cuda/kernel_table.h, and the smallest level, in cells, that uses it. */
typedef struct kernels_form {
  const char *name;
  int64_t cells;
} kernels_form;
enum { KERNELS_FORMS = 3 };

/* Solvers made on the context from now on do not use the forms of --without nor this one (NULL:
 * none). False: there is no such form, or no GPU. */
bool kernels_take_forms(hymg_context *context, const kernels_options *options,
                        const kernels_form *form);
void kernels_list_forms(void);
/* The kernels of each level. */
bool kernels_run_list(kernels_bench *bench);

/* Steps of the ladder: each differs in one thing from the previous one. */
typedef struct kernels_step {
  const char *name;
  bool gsrb_only;
  bool own, estimated;              /* the library chooses; without a measurement */
  hymgi_tuning tuning;              /* unused with `own` */
  kernels_form form[KERNELS_FORMS]; /* GPU: up to the first without a name */
} kernels_step;
enum { KERNELS_STEPS = 64 };
/* The first step is the one that the others are compared with; returns their number. */
int kernels_host_steps(int n, kernels_step steps[KERNELS_STEPS]);
int kernels_gpu_steps(hymg_stencil stencil, kernels_step steps[KERNELS_STEPS]);
int kernels_ablation_steps(kernels_step steps[KERNELS_STEPS]);

/* Bytes per cell of level 0 for one F-cycle, touching each array once: per sweep, or per smoother
 * call including the residual's restriction, as with a perfect cache or a perfect wavefront. */
typedef struct kernels_model {
  double per_sweep, per_call;
} kernels_model;
kernels_model kernels_cycle_model(hymg_stencil stencil, hymg_smoother smoother, bool variable,
                                  int levels);

/* ---- speeds of other programs on one H200 (sources: benchmarks/README.md) and our goals, in
 * DOF/s; NaN where there is none ---- */

typedef struct kernels_figures {
  double port, goal; /* one F-cycle: the CUDA port of HPGMG-FV */
} kernels_figures;
kernels_figures kernels_cycle_figures(hymg_stencil stencil, hymg_smoother smoother, int n);

typedef struct kernels_solve_figures {
  double amrex, hypre, goal; /* FV2 to 1e-8 */
} kernels_solve_figures;
kernels_solve_figures kernels_figures_to_1e8(hymg_stencil stencil, bool variable, int n);

#endif
