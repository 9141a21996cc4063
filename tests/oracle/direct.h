/* A direct solver for small systems, written from the formulas alone: the finest level as a dense
 * matrix with bounds on what rounding and changes of the right-hand side do to the solution. Plain
 * arrays as in oracle.h; all rows and vectors are per volume. */
#ifndef ORACLE_DIRECT_H
#define ORACLE_DIRECT_H

#include "oracle/oracle.h"

typedef struct direct {
  oracle_spec spec;
  int cells;
  bool singular;    /* constants are in the null space */
  double *width[3]; /* of the cells of each axis */
  double *volume;   /* of the cells over their mean */
  double *entries;  /* row by row */
  double *sums;     /* FV2: of the rows: alpha and walls, without cancellation */
  double *factors;  /* FV2: of the elimination; FV4: the inverse */
  double *data;     /* what the boundary data add to the right-hand side */
  double *terms;    /* a bound of the terms that data sums */
} direct;

/* spec's arrays are borrowed. widths: NULL, or NULL for axes whose cells all have spec->h; FV2. With
 * widths on any axis the extrapolation is linear. FV4 as in oracle.h, with spec's limiters. */
direct *direct_create(const oracle_spec *spec, double *const widths[3]);
void direct_destroy(direct *d);
/* g = f with the boundary data, of singular systems without its mean, which is returned (else 0). */
double direct_rhs(const direct *d, const double *f, double *g);
/* A x = g, of singular systems with mean 0. FV2: the error is some 1e-16 |A^-1| |g|, whatever the
 * condition of A, since nothing cancels in the elimination. */
void direct_solve(const direct *d, const double *g, double *x);
/* y = |A^-1| v for v >= 0; of singular systems with u held at 0 in the last cell. */
void direct_response(const direct *d, const double *v, double *y);
void direct_residual(const direct *d, const double *g, const double *u, double *r);
/* y = |A| |u| */
void direct_magnitude(const direct *d, const double *u, double *y);
double direct_mean(const direct *d, const double *x);

#endif
