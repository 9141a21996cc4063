/* What every suite needs: the library's objects made from an oracle's specification, random data
 * that is the same everywhere, fields filled and read whole, comparison with a message that names
 * the case. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "common/problem.h"
#include "hymg.h"
#include "oracle/oracle.h"
#include <check.h>

/* Check writes each assertion that holds into a file, so that it can say after which one a child has crashed. There are no
 * children here, but assertions for every cell. */
#define _mark_point(file, line) ((void)0)

/* true: only the smallest subset (under valgrind). */
bool support_small(void);
/* A limit on how long something may take, as many times longer as tools/run-tests found this machine to be
 * slower than a fast idle one. */
double support_seconds(double seconds);
/* CUDA if HYMG_TEST_BACKEND is cuda, so that a suite runs once more on the GPU; else the host. */
hymg_backend support_backend(void);
/* The options with the backend auto made support_backend, on CUDA without a level on the host or
 * in the coarse end unless the options say so; symgs stays on the host, which alone has it. */
hymg_options support_options(hymg_options options);
/* Runs a suite without forking; returns the exit status for main. */
int support_run(Suite *suite);

/* ---- numbers ---- */

/* n numbers in [low, high), the same for the same seed on every machine; the caller frees. */
double *support_random(size_t n, double low, double high, unsigned seed);
double *support_poison(size_t n);
double support_max(size_t n, const double *x);
double support_rms(size_t n, const double *x);
double support_dot(size_t n, const double *x, const double *y);
/* max |x - y|; infinite where either is NaN. */
double support_difference(size_t n, const double *x, const double *y);
bool support_same_bits(size_t n, const double *x, const double *y);

/* ---- a specification with random coefficients ---- */

typedef struct support_case {
  oracle_spec spec;
  double *alpha, *beta[3], *boundary_data[6]; /* what spec borrows; owned */
  double *robin_alpha[6], *robin_beta[6];
  double *fixed;
  char name[200];
} support_case;

/* Unequal spacings, boundary kinds as given ("dd pp nr": low and high of each axis), random beta in
 * [0.5, 2) for FV2 and [0.95, 1.05) for FV4 (its ghosts are extrapolated with weights up to 10),
 * alpha in [0.2, 1) if a > 0. The case's name says all of it. */
support_case support_case_of(hymg_stencil stencil, const int n[3], const char *boundary, double a);
/* Adds random data to every boundary that is not periodic. */
void support_case_add_boundaries(support_case *c);
/* Makes random fields of the numbers of all Robin boundaries, with a cell that is Neumann and one that is
 * Dirichlet. */
void support_case_add_robin(support_case *c);
/* Makes a third of the cells fixed, with random values from -1 to 2, the same for the same size. */
void support_case_fix(support_case *c);
/* FV4 needs two cells an axis: axes of one get two. */
void support_shape(hymg_stencil stencil, const int shape[3], int n[3]);
void support_case_free(support_case *c);
/* beta and spec of a benchmark problem on n^3 cells, extrapolations as in boxes of
 * extrapolation_box, 0: the domain's; f receives the right-hand side. */
support_case support_case_of_problem(problem_kind kind, hymg_stencil stencil, int n,
                                     hymg_boundary boundary, int extrapolation_box, double **f);
/* Exact cell averages of a benchmark problem on n^3 cells of the unit cube; the caller frees. */
double *support_exact(const problem *p, int n);

/* ---- the library's side ---- */

typedef struct support_kit {
  bool own_context;
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator_desc desc;
  hymg_field *coefficient[10]; /* by centering; CELL is alpha */
  hymg_field *robin[12];       /* robin_alpha and robin_beta of each face */
  hymg_field *fixed;
  hymg_operator *op;
  hymg_solver *solver;
  int n[3];
} support_kit;

typedef struct support_layout {
  hymg_context *context; /* NULL: a serial one of so many threads */
  int threads;
  int boxes[3];
  int (*owner)(const int box[3], void *user);
  void *owner_user;
  /* as in hymg_grid_desc */
  const double *widths[3];
  const int *cuts[3];
  const hymg_coordinate *coordinate; /* three, with their origins, of a curved grid; or NULL */
  const double *origin;
  double radius;
  /* support_solve: what is not the default of hymg_options; a number for beta */
  int halo_layers, sweeps;
  hymg_gather gather;
  int64_t gather_cells;
  hymg_path path;
  bool p0, constant_beta;
} support_layout;

/* Grid, coefficients, operator and solver, with support_options; smoother, sweeps and bottom come
 * from the spec. Fails the test on any error. */
support_kit support_open(const oracle_spec *spec, const support_layout *layout,
                         const hymg_options *options);
/* The same with the options as they are: false if the solver refuses them (hymg_context_error tells why);
 * the rest is open. */
bool support_open_as(const oracle_spec *spec, const support_layout *layout,
                     const hymg_options *options, support_kit *kit);
void support_close(support_kit *kit);
void support_cells(const support_kit *kit, int level, int n[3], size_t *cells);
/* A cell field of a level (on level 0 plain rows where nx is not a multiple of 4, else the solver's
 * layout) with these plain values. */
hymg_field *support_field(support_kit *kit, int level, const double *values);
/* The whole level as a plain array; entries that this rank lacks are NaN. The caller frees. */
double *support_read(support_kit *kit, int level, const hymg_field *field);

/* Fails unless the call succeeded, with the library's text. */
#define OK(context, call)                                                                          \
  do {                                                                                             \
    hymg_status ok_status = (call);                                                                \
    ck_assert_msg(ok_status == HYMG_OK, "%s: %s: %s", #call, hymg_status_name(ok_status),          \
                  hymg_context_error(context));                                                    \
  } while (0)

/* Fails unless max|got - want| <= tolerance * max|want|. */
void support_assert_close(const char *what, const char *where, size_t n, const double *got,
                          const double *want, double tolerance);
/* Fails unless status is want and the context's text holds every one of the words, up to NULL. */
void support_assert_error(const hymg_context *context, hymg_status status, hymg_status want, ...);

#endif
