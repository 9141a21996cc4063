/* A slow reference of the robust path, written from the formulas alone: every level as a dense
 * matrix, the interpolation as a dense matrix whose transpose restricts, one V(2,2)-cycle as the
 * preconditioner of CG or BiCGStab. Small grids only. Plain arrays as in oracle.h; equations are
 * integrated over cells unless a comment says "per volume". */
#ifndef ORACLE_ROBUST_H
#define ORACLE_ROBUST_H

#include "oracle/oracle.h"

enum { ROBUST_LEVELS = 32, ROBUST_ITERATIONS = 40 };

typedef struct robust_level {
  int n[3];
  size_t cells;
  unsigned coarsened; /* axes halved on the way to the next level, bit per axis */
  double strength[3];
  double *w[3]; /* widths of the cells of an axis */
  double *t[3]; /* conductances of the faces; both seams of a periodic axis are set */
  double *c;    /* a alpha times the volume */
  double *matrix;
  double *p; /* interpolation from the next level: cells rows, its cells as columns */
} robust_level;

typedef struct robust_oracle {
  oracle_spec spec;
  hymg_transfer transfer; /* AUTO: as WEIGHTED */
  bool quadratic, singular;
  int levels;
  robust_level level[ROBUST_LEVELS];
  double *volume, *outer; /* of level 0: volumes; the operator with its own extrapolation */
} robust_oracle;

typedef struct robust_history {
  int iterations;
  double relative[ROBUST_ITERATIONS]; /* 2-norm of the residual over that of f */
  double mean_removed;
} robust_history;

/* widths: NULL, or NULL for axes whose cells all have spec->h; with widths on any axis the
 * extrapolation is linear. Stencil FV2. */
robust_oracle *robust_create(const oracle_spec *spec, double *const widths[3],
                             hymg_transfer transfer);
void robust_destroy(robust_oracle *o);

/* Has a boundary a condition with a resistance of its own? */
bool robust_is_robin(const robust_oracle *o, int side);
/* The outward derivative at the side of cell c of level 0 is minus this times the value that a closure
 * extrapolates, which is the cell's if the boundary is width / closer away, plus *data times the
 * condition's right-hand side. */
double robust_wall(const robust_oracle *o, int side, const int c[3], double closer, double *data);
/* Per volume, with homogeneous boundaries: y = A x. */
void robust_apply(const robust_oracle *o, const double *x, double *y);
/* Per volume, with the boundary data: r = f - A u. */
void robust_residual(const robust_oracle *o, const double *f, const double *u, double *r);
/* x = M^-1 f: one cycle from zero, symmetric in its two halves. */
void robust_cycle(const robust_oracle *o, int l, const double *f, double *x);
/* So many iterations from zero for f per volume, or until the relative residual is 1e-9. */
robust_history robust_solve(const robust_oracle *o, const double *f, int iterations, double *u);

#endif
