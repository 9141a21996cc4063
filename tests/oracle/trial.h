/* A system for the robust path: widths, coefficients that vary wildly, and an open solver. */
#ifndef ORACLE_TRIAL_H
#define ORACLE_TRIAL_H

#include "support/support.h"

enum {
  TRIAL_JUMPS = 1,      /* beta from 1e-3 to 1e3, evenly in its logarithm; else 0.5 to 2 */
  TRIAL_WIDTHS = 2,     /* from 0.02 to 0.2 on all axes */
  TRIAL_ALPHA = 4,      /* a field, 0.2 to 1 */
  TRIAL_CONSTANT = 8,   /* alpha is the constant 0.5 */
  TRIAL_QUADRATIC = 16, /* extrapolation; else linear */
  TRIAL_DATA = 32,      /* random data on the boundaries */
  TRIAL_ROBIN = 64,     /* random fields of the numbers of Robin boundaries; else 1 and 1 */
  TRIAL_VERTEX = 128,   /* extrapolation */
  TRIAL_FIXED = 4096    /* a third of the cells has given values, -1 to 2, and NaN in f */
};

typedef struct trial {
  support_case c;
  double *widths[3]; /* owned; NULL: equal cells */
  hymg_options o;
  int threads, boxes[3];
  const int *cuts[3];    /* borrowed */
  hymg_context *context; /* borrowed; NULL: one of its own on one rank */
  size_t cells;
  double *f;     /* owned; random, mean not 0 */
  double *fixed; /* of c, or NULL */
  support_kit k;
} trial;

/* Nothing is open yet; options: MG, path robust, weighted, 2-norm, rtol 1e-10. */
trial trial_of(const int n[3], const char *boundary, unsigned kind);
/* beta from cells: harmonic over the distances, the cell's own at boundaries; widths must be set. */
void trial_set_beta(trial *t, const double *cells);
/* Equal spacings and f = 1, beta = 1, linear extrapolation. */
trial trial_plain(const int n[3], const char *boundary, const double h[3]);
/* A checkerboard of cubes with `block` cells a side, beta 1 and ratio, in the unit cube, u = 0 on its
 * boundary: where block is odd, cubes of high beta share coarse cells. */
trial trial_checkerboard(const int n[3], int block, double ratio);
void trial_open(trial *t);
void trial_close(trial *t);
/* Opens if need be; solves for t->f; u (of t->cells) may be NULL. The result's history lives until
 * the next solve. */
hymg_result trial_solve(trial *t, double *u);
/* Positions of the centres of the cells of an axis. */
double *trial_centres(const trial *t, int d);

#endif
