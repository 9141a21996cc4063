/* The kernel benchmark: verbs of the library called through its internal headers, timed beside a triad of the same
 * minute, their results checked against plain slow loops and, bit for bit, against the untuned path. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdio.h>

#include "fv_machine.h"
#include "hymg.h"
#include "solver.h"
#include "verbs.h"

/* ---- command line ---- */

typedef enum kernels_mode {
  KERNELS_TABLE,  /* a row per verb and size */
  KERNELS_LADDER, /* what each step of the tuning brings */
  KERNELS_CYCLE,  /* F-cycles: bytes, memory, set-up */
  KERNELS_TRIAD,
  KERNELS_LIST
} kernels_mode;

enum { KERNELS_SIZES = 8 };

typedef struct kernels_options {
  kernels_mode mode;
  int sizes[KERNELS_SIZES], num_sizes; /* cells per side */
  bool stencil[2];                     /* by hymg_stencil */
  hymg_smoother smoother;              /* of the ladder and the cycle */
  int threads, repeat;
  double seconds;     /* each row is timed at least so long */
  double triad_bytes; /* of its three arrays together; 0: from the caches */
  const char *verb;   /* rows whose name holds this alone, or NULL */
  const char *csv;    /* or NULL */
  int argc;
  char **argv; /* as given */
} kernels_options;

/* ---- time and triad ---- */

/* A growing list of numbers. */
typedef struct kernels_times {
  double *value;
  int count, room;
  double total;
} kernels_times;

bool kernels_times_add(kernels_times *t, double value);
/* NaN without any. */
double kernels_median(const kernels_times *t);
void kernels_times_free(kernels_times *t);

typedef struct kernels_triad kernels_triad;
/* Three arrays that no cache of this machine holds; NULL: no memory. */
kernels_triad *kernels_triad_create(double bytes, int threads);
/* a = b + s c over the first n elements (0: all), median of a few runs: elements per second. */
double kernels_triad_run(kernels_triad *triad, size_t n);
double kernels_triad_bytes(const kernels_triad *triad);
void kernels_triad_destroy(kernels_triad **triad);

/* ---- a solver and plain copies of its problem ---- */

/* The fv problem on n^3 cells in plain arrays: cell (i, j, k) at i + n (j + n k); beta with one layer around, face (i, j, k)
 * at (i + 1) + (n + 2) ((j + 1) + (n + 2) (k + 1)), extrapolated tangentially as FV4 wants; ones if constant. */
typedef struct kernels_problem {
  int n;
  bool variable;
  double *beta[3], *rhs;
} kernels_problem;

bool kernels_problem_create(int n, bool variable, kernels_problem *p);
void kernels_problem_destroy(kernels_problem *p);

typedef struct kernels_kit {
  hymg_context *context; /* borrowed */
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *x, *f, *out;
  hymgi_level *fine, *coarse;
  double *second;       /* the smoother's own second buffer */
  double setup_seconds; /* grid, coefficient fields, operator, solver, u and f; not the problem */
  double number;        /* what a reduction returned */
} kernels_kit;

/* tuning NULL: the backend's own. f holds the problem's right-hand side. False: the reason is on stderr. */
bool kernels_kit_create(hymg_context *context, const kernels_problem *p, hymg_stencil stencil,
                        hymg_smoother smoother, const hymgi_tuning *tuning, kernels_kit *kit);
void kernels_kit_destroy(kernels_kit *kit);
/* Level 0 works on x and f, as within a solve. */
void kernels_kit_bind(kernels_kit *kit);
/* One F-cycle from f to x: seconds, NaN after a failure. */
double kernels_kit_solve(kernels_kit *kit, double *residual);

/* Plain rows, every pass of its own. */
hymgi_tuning kernels_untuned(void);

/* How the level runs its smoother, in words. */
typedef struct kernels_text {
  char text[80];
} kernels_text;
kernels_text kernels_tuning_text(const hymgi_level *level);

/* A whole vector of the level set to NaN, ghosts and padding too; and the cells between it and a plain array. */
void kernels_poison(const hymgi_level *level, double *vector);
void kernels_write(const hymgi_level *level, const double *plain, double *vector);
void kernels_read(const hymgi_level *level, const double *vector, double *plain);
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
/* Largest value that A takes on x of this size, times that size: what rounding errors are measured by. */
double kernels_slow_scale(const kernels_slow *s);

/* ---- verbs ---- */

/* Where a verb leaves its result. */
typedef enum kernels_target {
  KERNELS_IN_X,      /* the fine level's x */
  KERNELS_IN_OUT,    /* out */
  KERNELS_IN_COARSE, /* the coarse level's f */
  KERNELS_IN_NUMBER
} kernels_target;

/* Flags of a verb. */
enum {
  KERNELS_SMOOTHED = 1,     /* meant for the state that the smoother leaves */
  KERNELS_ANY_OPERATOR = 2, /* the same for constant coefficients: run once */
  KERNELS_FV4_ONLY = 4
};

typedef struct kernels_verb {
  const char *name;
  void (*run)(kernels_kit *kit);
  bool (*slow)(const kernels_slow *s, double *out); /* NULL: the untuned path alone checks it */
  kernels_target target;
  unsigned flags;
  double streams; /* doubles per cell beside the matrix; 0: as the verb itself declares */
} kernels_verb;

extern const kernels_verb kernels_verbs[];
extern const int kernels_num_verbs;
/* One smoother call, whatever the kit's smoother; the same with the restriction of the residual after it. */
extern const kernels_verb kernels_smooth_verb, kernels_smooth_restrict_verb;
extern const char *const kernels_smoother_names[];

/* ---- the modes ---- */

typedef struct kernels_bench {
  const kernels_options *options;
  hymg_context *context;
  kernels_triad *triad;
  FILE *csv; /* or NULL */
  int64_t wrong;
} kernels_bench;

bool kernels_run_table(kernels_bench *bench);
bool kernels_run_ladder(kernels_bench *bench);
bool kernels_run_cycle(kernels_bench *bench);

/* Bytes per cell of level 0 of one F-cycle, each array once: counted per sweep, or per smoother call with the residual's
 * restriction in it, as a perfect cache or a perfect wavefront would have it. */
typedef struct kernels_model {
  double per_sweep, per_call;
} kernels_model;
kernels_model kernels_cycle_model(hymg_stencil stencil, hymg_smoother smoother, bool variable,
                                  int levels);

#endif
