/* The kernel benchmark: level operations of the library called through its internal headers, timed beside a
 * triad (on a GPU: a copy) of the same minute, their results checked against plain slow loops and,
 * bit for bit, against the host's untuned path. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdio.h>

#include "api/solver.h"
#include "common/rows.h"
#include "common/timing.h"
#include "hymg.h"
#include "multigrid/level_ops.h"

/* ---- command line ---- */

typedef enum kernels_mode {
  KERNELS_TABLE,     /* a row per level operation and size */
  KERNELS_LADDER,    /* what each step of the tuning brings */
  KERNELS_ABLATION,  /* what each form of the kernels brings */
  KERNELS_LEVELS,    /* which kernels each level runs */
  KERNELS_CYCLE,     /* F-cycles: bytes, memory, set-up */
  KERNELS_SOLVE,     /* solves to a tolerance */
  KERNELS_THRESHOLD, /* coarse levels: GPU by kernels, GPU in one launch, host */
  KERNELS_TRIAD,
  KERNELS_LIST
} kernels_mode;

enum {
  KERNELS_SIZES = 8,
  KERNELS_TIMES = 10000 /* measured of a row at most */,
  KERNELS_WITHOUT = 8
};

typedef struct kernels_options {
  kernels_mode mode;
  int sizes[KERNELS_SIZES], num_sizes; /* cells per side */
  bool stencil[2];                     /* by hymg_stencil */
  int cuda;                            /* on a GPU */
  hymg_smoother smoother;
  bool one_smoother; /* the table has rows of `smoother` alone */
  int threads, repeat;
  double seconds;        /* each row is timed at least so long */
  double triad_mb;       /* of its arrays together; 0: from the caches, on a GPU 1 GiB */
  const char *operation; /* rows whose name holds this alone, or NULL */
  const char *csv;       /* or NULL */
  const char *without[KERNELS_WITHOUT]; /* forms that no level takes */
  int num_without;
} kernels_options;

/* False: nothing to run, with the exit code. */
bool kernels_options_read(int argc, char **argv, kernels_options *options, int *code);

typedef struct kernels_bench {
  const kernels_options *options;
  hymg_context *context;
  struct kernels_triad *triad; /* on the host */
  struct kernels_copy *copy;   /* on a GPU */
  double start_seconds;        /* that CUDA took to start */
  run_info run;
  csv_table csv; /* lines go nowhere without --csv */
  int64_t wrong;
} kernels_bench;

/* What counts as 100 %, in bytes per second, measured now: the triad at 24 B per element, on a GPU
 * the copy, read and written. */
double kernels_full_rate(const kernels_bench *bench);
/* The same in words. */
typedef struct kernels_text {
  char text[80];
} kernels_text;
kernels_text kernels_rate_text(const kernels_bench *bench, double rate);
const char *kernels_stencil_name(hymg_stencil stencil);

/* ---- triad and copy ---- */

typedef struct kernels_triad kernels_triad;
/* Three arrays that no cache of this machine holds; NULL: no memory. */
kernels_triad *kernels_triad_create(double bytes, int threads);
/* a = b + s c over the first n elements (0: all), median of a few runs: elements per second. */
double kernels_triad_run(kernels_triad *triad, size_t n);
double kernels_triad_bytes(const kernels_triad *triad);
void kernels_triad_destroy(kernels_triad **triad);

/* From one array to another in the GPU's memory, by the library's own vector level operation. */
typedef struct kernels_copy kernels_copy;
/* bytes: of both together; 0: 1 GiB or what fits. NULL: the reason is in the context. */
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

/* For each operator of the command line; until one fails. */
typedef bool kernels_job(kernels_bench *bench, const kernels_problem *problem,
                         hymg_stencil stencil);
bool kernels_for_problem(kernels_bench *bench, int n, bool variable, kernels_job *job);

typedef struct kernels_kit {
  hymg_context *context; /* borrowed */
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *x, *f, *out;
  hymgi_level *fine, *coarse;
  double *second;        /* the smoother's own second buffer */
  double setup_seconds;  /* grid, coefficient fields, operator, solver, u and f; not the problem */
  double tuning_seconds; /* part of it */
  double device_bytes;   /* taken from the GPU with the user's coefficients still there */
  double number;         /* what a reduction returned */
  int recordings;        /* of batches, to tell them apart */
} kernels_kit;

/* The library's defaults with the machine and the smoother of the command line. */
hymg_options kernels_solver_options(const kernels_options *options);
/* tuning NULL: the backend's own. f holds the problem's right-hand side. False: the reason is on
 * stderr. */
bool kernels_kit_create(hymg_context *context, const kernels_problem *p, hymg_stencil stencil,
                        const hymg_options *options, const hymgi_tuning *tuning, kernels_kit *kit);
void kernels_kit_destroy(kernels_kit *kit);
/* Level 0 works on x and f, as within a solve. */
void kernels_kit_bind(kernels_kit *kit);
/* One solve from f to x: seconds, NaN after a failure. */
double kernels_kit_solve(kernels_kit *kit, hymg_result *result);
/* The median of as many as the options want, after one; NaN after a failure. */
double kernels_kit_time_solves(const kernels_options *options, kernels_kit *kit,
                               hymg_result *result);
/* Have all level operations so far done what they should? If not the reason is on stderr. */
bool kernels_kit_is_well(const kernels_kit *kit);

/* Plain rows, every pass of its own. */
hymgi_tuning kernels_untuned(void);
/* How the level runs its smoother, in words. */
kernels_text kernels_tuning_text(const hymgi_level *level);
/* Which levels a GPU does in one launch and which the host does. */
kernels_text kernels_placement_text(const kernels_kit *kit);

/* A whole vector of the level set to NaN, ghosts and padding too; and the cells between it and a
 * plain array. */
void kernels_poison(const hymgi_level *level, double *vector);
void kernels_write(const hymgi_level *level, double *plain, double *vector);
void kernels_read(const hymgi_level *level, double *vector, double *plain);
/* Numbers in [-scale, scale), the same everywhere for the same seed. */
void kernels_random(size_t count, unsigned seed, double scale, double *plain);

/* ---- plain slow loops ---- */

typedef struct kernels_slow {
  const kernels_problem *problem;
  hymg_stencil stencil;
  int sweeps;
  const double *x, *f, *coarse; /* inputs: n^3, n^3, (n/2)^3 */
  const double *dinv;           /* symgs: 1/diagonal, from the library */
} kernels_slow;

/* Into n^3 or, for those that restrict, (n/2)^3 numbers. False: no memory. */
bool kernels_slow_apply(const kernels_slow *s, double *out);
bool kernels_slow_residual(const kernels_slow *s, double *out);
bool kernels_slow_residual_restrict(const kernels_slow *s, double *out);
bool kernels_slow_restrict(const kernels_slow *s, double *out);
bool kernels_slow_symgs(const kernels_slow *s, double *out);
/* order 2 or 4; out = P coarse */
bool kernels_slow_interpolate(const kernels_slow *s, int order, double *out);
/* Largest value that A takes on x of this size, times that size: what rounding errors are measured
 * by. */
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
  KERNELS_SMOOTHED = 1,     /* meant for the state that the smoother leaves */
  KERNELS_ANY_OPERATOR = 2, /* the same for constant coefficients: run once */
  KERNELS_FV4_ONLY = 4
};

typedef struct kernels_operation {
  const char *name;
  void (*run)(kernels_kit *kit);
  bool (*slow)(const kernels_slow *s, double *out); /* NULL: the untuned path alone checks it */
  kernels_target target;
  unsigned flags;
  double
      streams; /* doubles per cell beside the matrix; 0: as the level operation itself declares */
} kernels_operation;

extern const kernels_operation kernels_operations[];
extern const int kernels_num_operations;
/* One smoother call, whatever the kit's smoother; the same with the restriction of the residual
 * after it. */
extern const kernels_operation kernels_smooth, kernels_smooth_restrict;
extern const char *const kernels_smoother_names[];

/* ---- time of a level operation ---- */

/* Calls that are timed as one: on the host a single one. On a GPU as many as take about a
 * millisecond, recorded once and played back as a cycle is; a level operation that returns a number waits for
 * it each time, as in a solve. */
typedef struct kernels_batch {
  int key; /* of the recording; 0: none */
  int calls;
} kernels_batch;
kernels_batch kernels_batch_for(kernels_kit *kit, const kernels_operation *operation);
/* Seconds of a call. */
double kernels_batch_time(kernels_kit *kit, const kernels_operation *operation,
                          kernels_batch batch);
/* The median of as many as the options want. */
double kernels_median_time(const kernels_options *options, kernels_kit *kit,
                           const kernels_operation *operation);

/* ---- the modes ---- */

#define KERNELS_TRIAD_ROW "triad of this size"
/* Does --level operation leave a row of the table, of the ladder? */
bool kernels_table_has_rows(const kernels_options *options);
bool kernels_ladder_has_rows(const kernels_options *options);
/* Names of the ladder's rows, by which --level operation chooses there. */
void kernels_list_steps(bool gpu);
bool kernels_run_table(kernels_bench *bench);
bool kernels_run_ladder(kernels_bench *bench);
bool kernels_run_cycle(kernels_bench *bench);
bool kernels_run_solve(kernels_bench *bench);
bool kernels_run_threshold(kernels_bench *bench);

/* A form of cuda/kernel_table.h, and the cells of a level from which on it is taken. */
typedef struct kernels_form {
  const char *name;
  int64_t cells;
} kernels_form;
enum { KERNELS_FORMS = 2 };

/* Solvers made on the context from now on go without those of --without, and with those of form (NULL:
 * none). False: there is no such form, or no GPU. */
bool kernels_take_forms(hymg_context *context, const kernels_options *options,
                        const kernels_form *form);
void kernels_list_forms(void);
/* The kernels of each level. */
bool kernels_run_list(kernels_bench *bench);

/* Steps of the ladder: each changes one thing of the one before. */
typedef struct kernels_step {
  const char *name;
  bool gsrb_only;
  bool own;                         /* the library chooses */
  hymgi_tuning tuning;              /* unused with `own` */
  kernels_form form[KERNELS_FORMS]; /* GPU: up to the first without a name */
} kernels_step;
enum { KERNELS_STEPS = 32 };
/* The first is what the others are compared with; returns their number. */
int kernels_host_steps(const hymgi_method *method, int n, kernels_step steps[KERNELS_STEPS]);
int kernels_gpu_steps(const hymgi_method *method, kernels_step steps[KERNELS_STEPS]);
int kernels_ablation_steps(kernels_step steps[KERNELS_STEPS]);

/* Bytes per cell of level 0 of one F-cycle, each array once: counted per sweep, or per smoother
 * call with the residual's restriction in it, as a perfect cache or a perfect wavefront would have
 * it. */
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
