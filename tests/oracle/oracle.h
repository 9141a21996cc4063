/* A slow serial reference solver written from the formulas alone, with which the suites compare the
 * library. One array layout, two ghost layers, no boxes, no threads. Plain arrays hold cell (i, j,
 * k) at (k * ny + j) * nx + i; a face array has one more entry along its axis. */
#ifndef ORACLE_H
#define ORACLE_H

#include "hymg.h"

#define ORACLE_LEVELS 16
#define ORACLE_CYCLES 64

/* What is solved and how; arrays are borrowed during oracle_create. NULL arrays stand for the
 * constants. */
typedef struct oracle_spec {
  int n[3];
  double h[3];
  hymg_boundary boundary[6];
  int extrapolation_box; /* 0: extrapolation depends on the cells of the domain */
  hymg_stencil stencil;
  hymg_extrapolation extrapolation;
  double a, b, alpha_constant, beta_constant;
  const double *alpha, *beta[3], *boundary_data[6];
  double boundary_constant[6]; /* where boundary_data is NULL */
  double robin_alpha_constant[6], robin_beta_constant[6];
  const double *robin_alpha[6], *robin_beta[6];
  /* FV4, level 0: factor of beta from which on a face has the flux of FV2; 0 in the oracle: none, in
   * the library: its default. Faces whose flux of 4th order reads a cell with a face of beta 0 have it always */
  double limiter;
  /* FV4, level 0: 0: alpha times the mean of u; else the mean of alpha u, without the part of an axis along
   * which alpha differs by more than this factor between a cell and its neighbours. In the oracle alone */
  double alpha_limiter;
  const double *fixed; /* in the library alone: values of fixed cells, NaN in others; or NULL */
  hymg_smoother smoother;
  int sweeps;         /* -1: 6, for symgs 4 */
  int finest_sweeps;  /* on level 0; 0: as many */
  hymg_bottom bottom; /* bicgstab or cg */
} oracle_spec;

/* One level. Ghosted arrays: entry (i, j, k) at oracle_at(l, i, j, k), two ghosts on every side. */
typedef struct oracle_level {
  int n[3], dim[3]; /* cells; extrapolation dimension per axis */
  double h[3];
  double
      *width[3]; /* of the cells along each axis over h: below 1 for the last one below odd sides */
  size_t stride[3], size, cells;
  double *alpha, *beta[3];
  double *limited[3];       /* not 0 on faces that FV4's limiter takes; NULL: it takes none */
  bool closed;              /* some beta is 0 */
  double *boundary_data[6]; /* ghosted like a cell array; layer 0 (low) or n - 1 (high) holds it */
  /* likewise of Robin boundaries; the whole condition is over alpha + beta / h of level 0 */
  double *robin_alpha[6], *robin_beta[6];
  double *diag, *l1, lambda_max;
  double *u, *f, *r, *old, *work[8];
} oracle_level;

typedef struct oracle {
  oracle_spec spec;
  int levels;
  bool singular;
  oracle_level level[ORACLE_LEVELS];
} oracle;

typedef struct oracle_history {
  int cycles;
  double relative[ORACLE_CYCLES];
  double rhs_max, mean_removed;
} oracle_history;

/* Poisson, Dirichlet, unit cube, FV2 of n cells a side. */
oracle_spec oracle_spec_default(int n);
oracle *oracle_create(const oracle_spec *spec);
void oracle_destroy(oracle *o);

/* Plain arrays of level l. */
void oracle_apply(oracle *o, int l, const double *x, double *y);
void oracle_residual(oracle *o, int l, const double *f, const double *u, double *r);
void oracle_restrict(oracle *o, int l, const double *fine, double *coarse);
/* Interpolation with weights "p0", "p1", "v2", "v4" as order 0, 1, 2, 4 from level l + 1;
 * with_data: boundary data in ghosts. */
void oracle_interpolate(oracle *o, int l, int order, bool with_data, const double *coarse,
                        double *fine);
void oracle_smooth(oracle *o, int l, const double *f, double *u);
/* cycles of the method from zero, or from u if guess; u receives the solution. */
oracle_history oracle_solve(oracle *o, int l, hymg_method method, hymg_cycle cycle, int cycles,
                            bool guess, const double *f, double *u);

/* Shared among the oracle's files. */
static inline size_t oracle_at(const oracle_level *l, int i, int j, int k)
{
  return (size_t)(i + 2) + (size_t)(j + 2) * l->stride[1] + (size_t)(k + 2) * l->stride[2];
}

#define ORACLE_CELLS(l, i, j, k)                                                                   \
  for (int k = 0; k < (l)->n[2]; k++)                                                              \
    for (int j = 0; j < (l)->n[1]; j++)                                                            \
      for (int i = 0; i < (l)->n[0]; i++)

double *oracle_array(const oracle_level *l);
/* Widths from those of the finer level; NULL: all 1. */
void oracle_widths(const oracle_level *finer, oracle_level *l);
bool oracle_has_odd_side(const oracle_level *l);
/* Is the cell at this boundary face narrower than the others? */
bool oracle_is_narrow(const oracle_level *l, int face);
/* The ghost behind a narrower cell from which beta / (the cell's width) times a difference is the flux
 * of a parabola: weights of the boundary's value, of the cell and of the one before it. */
void oracle_narrow_ghost(const oracle_level *l, int face, double weight[3]);
/* alpha, beta and boundary data of level c from those of f. */
void oracle_coarse_coefficients(const oracle_spec *s, const oracle_level *f, oracle_level *c);
/* Interpolation by parabolas through the centres. */
void oracle_parabolas(const oracle *o, int l, const double *coarse, double *fine, bool add);
void oracle_load(const oracle_level *l, const double *plain, double *ghosted);
void oracle_store(const oracle_level *l, const double *ghosted, double *plain);
/* Ghosts of x by rule 1, 2 or 4 (order of the extrapolation asked for), or 3, which is 2 with the
 * parabola behind narrower cells and is that of FV2's operator; with or without boundary data. */
void oracle_close(const oracle *o, const oracle_level *l, int rule, bool data, double *x);
int oracle_operator_rule(const oracle *o);
/* The faces of level 0 that FV4's limiter takes. */
void oracle_limit(const oracle *o, oracle_level *l);
/* (A x) of one cell; ghosts must be filled. */
double oracle_cell(const oracle *o, const oracle_level *l, const double *x, size_t p);
void oracle_apply_ghosted(const oracle *o, const oracle_level *l, double *x, double *y);
void oracle_residual_ghosted(const oracle *o, const oracle_level *l, const double *f, double *x,
                             double *r);
void oracle_restrict_ghosted(const oracle_level *fine, const double *x, const oracle_level *coarse,
                             double *y);
void oracle_prolong_ghosted(const oracle *o, int l, int order, bool data, double *coarse,
                            double *fine, bool add);
/* Adds the contribution of the boundary data to the right-hand side. */
void oracle_add_boundaries(const oracle *o, const oracle_level *l, double *f);
void oracle_smooth_ghosted(const oracle *o, oracle_level *l, const double *f, double *u);
void oracle_probe(const oracle *o, oracle_level *l);
double oracle_max(const oracle_level *l, const double *x);
double oracle_mean(const oracle_level *l, const double *x);
void oracle_shift(const oracle_level *l, double by, double *x);
double oracle_dot(const oracle_level *l, const double *x, const double *y);
/* x = a x + b y */
void oracle_combine(const oracle_level *l, double a, double *x, double b, const double *y);
void oracle_krylov(const oracle *o, oracle_level *l, const double *f, double *u);

#endif
