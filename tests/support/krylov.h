/* What the suite of the bottom solvers needs: a level whose operator is a dense matrix, behind a
 * backend table of its own, so that a bottom can be anything; and slow textbook solvers. */
#ifndef SUPPORT_KRYLOV_H
#define SUPPORT_KRYLOV_H

#include "multigrid/krylov/krylov.h"

typedef struct dense_counts {
  int applies, smooths;
  int norms; /* maxima of one vector: norms, and the scale of a mean */
  int sums;  /* dots and means of vectors that are not zero */
} dense_counts;

/* The level comes first, so that a backend's function finds the rest. */
typedef struct dense {
  hymgi_level level; /* one box of n x 1 x 1 cells */
  hymgi_method method;
  hymgi_backend backend;
  hymgi_geom box;
  dense_counts *counts; /* functions get a const level: what they count hangs on a pointer */
  int n;
  int reach; /* A_ij is 0 where |i - j| > reach: spares a large matrix's products */
  double *a,
      *diagonal; /* A_ij is a[j * n + i]; `diagonal` preconditions and weights the smoother */
  double *f_given, *storage;
} dense;

/* n cells, the matrix zero, f random; x and the bottom's vectors hold rubbish. */
dense *dense_create(int n, hymg_bottom bottom);
void dense_destroy(dense *d);
/* The n cells of level->x and level->f as they are now. */
double *dense_x(dense *d);
double *dense_f(dense *d);

/* Dominated by a diagonal of 4 ... 12 times `scale`: condition of about 5. */
void dense_make_random(dense *d, bool symmetric, double scale);
/* -u'' of n cells on a line, between boundaries (value -x beyond them) or on a ring. */
void dense_make_line(dense *d, bool ring);

/* Solves, and checks that f and all that is no cell are what they were. */
void dense_solve(dense *d, hymg_bottom bottom);
/* max |f - A x| / max |f| */
double dense_reduction(dense *d);
/* max |x|, NaN if any is. */
double dense_max(int n, const double *x);
/* A^-1 f by elimination with row exchange; the caller frees. */
double *dense_direct(dense *d);

/* The iterates of a textbook method and the max norm of each one's residual. */
enum { TEXTBOOK_ITERATES = 120 };
typedef struct textbook {
  int n, count;
  double *x[TEXTBOOK_ITERATES], norm[TEXTBOOK_ITERATES];
} textbook;

/* BiCGStab, preconditioned on the right: two iterates a step, after the half and the full step. */
textbook textbook_bicgstab(dense *d, bool preconditioned, int steps);
/* CG: one iterate a step. */
textbook textbook_cg(dense *d, bool preconditioned, int steps);
/* The first iterate that the stop rule accepts; fails the test if there is none. */
int textbook_first_small(const textbook *t, double f_max);
void textbook_free(textbook *t);

#endif
