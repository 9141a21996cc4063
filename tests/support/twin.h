/* One case solved on the host and on the GPU: one record with all options of a solver, one with all
 * its results, and their comparison bit for bit. */
#ifndef SUPPORT_TWIN_H
#define SUPPORT_TWIN_H

#include "support/support.h"

typedef struct twin {
  hymg_stencil stencil;
  hymg_extrapolation extrapolation;
  int n[3];
  const char *boundary; /* as in support_case_of */
  bool constant_beta;
  double jump; /* betas of FV4 lie between 1 and this; 0: they vary little */
  double a;
  bool constant_alpha, boundaries;
  bool equal_alpha; /* a field of alpha that is the same in all cells */
  bool fixed;       /* a third of the cells has random values */
  bool robin;       /* random fields of the numbers of Robin boundaries; else 1 and 1 */
  int extrapolation_box;
  hymg_smoother smoother;
  int sweeps;
  hymg_bottom bottom;
  hymg_method method;
  hymg_cycle cycle;
  hymg_interpolation interpolation_v, interpolation_f;
  hymg_path path; /* AUTO: standard */
  hymg_transfer transfer;
  hymg_precision precision;
} twin;

/* Where it is solved; tail_cells, host_cells, gather_cells and, unless 0, halo_layers as in hymg_options. gather_all: a level of one
 * box is on each rank, not on one as everywhere else, so that ranks hold the same cells. */
typedef struct twin_way {
  const char *name;
  hymg_backend backend;
  int64_t host_cells, tail_cells;
  hymg_memory memory;
  hymg_transport transport;
  int64_t gather_cells;
  int halo_layers;
  bool gather_all;
  const char *probe_file;
} twin_way;

extern const twin_way twin_host;
/* Different ways to use a GPU; the first: one launch per step on all levels. */
#define TWIN_WAYS 6
extern const twin_way twin_ways[TWIN_WAYS];

/* Poisson with variable beta, three F+V cycles of gsrb; everything else the default. */
twin twin_of(hymg_stencil stencil, int nx, int ny, int nz, const char *boundary);
/* The same for every seed; legal for the library. */
twin twin_random(unsigned seed);

typedef struct twin_open {
  support_case c;
  support_kit k;
  size_t cells;
  double *f;
  hymg_field *ff, *u; /* in the layout of the solver; f is of mean zero */
} twin_open;

twin_open twin_begin(const twin *t, const twin_way *way, const support_layout *layout);
void twin_end(twin_open *o);
hymg_options twin_options(const twin *t, const twin_way *way);

enum { TWIN_LEVELS = 16, TWIN_CYCLES = 8 };

/* Of one solve. */
typedef struct twin_solution {
  size_t cells;
  double *u; /* NaN in the cells of other ranks */
  int cycles;
  hymg_reason reason;
  hymg_precision precision;
  double residual[TWIN_CYCLES], rhs_max, mean_removed;
} twin_solution;

/* u is poisoned before. */
twin_solution twin_solve(twin_open *o);
void twin_solution_free(twin_solution *s);
/* What differs, static, or NULL: to the bit where the machine that runs the host's side has a fused
 * multiply-add, else beyond the bounds that twin.c derives. */
const char *twin_unlike_solution(const twin_solution *got, const twin_solution *want);
/* Fails unless NULL. */
void twin_same_solution(const char *where, const twin_solution *got, const twin_solution *want);

typedef struct twin_answer {
  int levels;
  double lambda[TWIN_LEVELS];
  size_t cells[TWIN_LEVELS];
  /* of random vectors on every level; no restriction from the coarsest level and from odd sides */
  double *apply[TWIN_LEVELS], *residual[TWIN_LEVELS], *restriction[TWIN_LEVELS];
  twin_solution solution, again; /* of two solves */
} twin_answer;

twin_answer twin_ask(const twin *t, const twin_way *way, const support_layout *layout);
void twin_answer_free(twin_answer *a);
const char *twin_unlike(const twin_answer *got, const twin_answer *want);

/* Asks the host and the GPU; fails unless they are alike. */
void twin_check(const twin *t, const twin_way *way);

/* Why there is no GPU that the library can use; NULL if there is one. Static. */
const char *twin_no_gpu(void);
/* support_run, or without a GPU a line that says so and the exit status for skipped. */
int twin_run(Suite *suite);
/* Is the GPU the emulation on the CPU? Then sizes and rounds are smaller. */
bool twin_emulated(void);
/* Is it, in a small test? Then what several tests see is dealt out over them. */
bool twin_least(void);

#endif
