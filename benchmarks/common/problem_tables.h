/* The functions of one coordinate that the problems are made of, at the nodes of a range's cells and as averages of
 * cells: what problem.c and radial_beta.c share. */
#ifndef PROBLEM_TABLES_H
#define PROBLEM_TABLES_H

#include "common/problem.h"

/* Gauss quadrature with three points: exact for polynomials of degree 5, so that averages have errors of order h^6. */
enum { GAUSS = 3 };

/* Factors of u with their first two derivatives, of SECOND for sine, which has two terms; of beta for fv and waves,
 * and for waves also of beta u and of (beta u')'. */
enum {
  COLUMN_U,
  COLUMN_U1,
  COLUMN_U2,
  COLUMN_SECOND,
  COLUMN_G = COLUMN_SECOND,
  COLUMN_GU,
  COLUMN_FLUX,
  COLUMNS
};

/* One axis of a range: node q of cell i is entry q * count + i. */
typedef struct axis_table {
  int count, nodes; /* nodes: 1 or GAUSS in a cell */
  double *node;     /* coordinate */
  double *value[COLUMNS];
  double *mean[COLUMNS]; /* of the nodes of a cell */
} axis_table;

/* Of node q. */
double node_weight(const axis_table *table, int q);
/* How many products of one column per axis u is the sum of. */
int num_terms(const problem *p);

/* beta of p6, sine and modes, which depends on the distance r from the centre of the cube alone:
 * 5.5 + 4.5 tanh(10 (r - 1/4)). As averages of a face's cells, or, with rhs, the a u - b div(beta grad u) of cells. False: out
 * of memory. */
bool radial_fill(const problem *p, bool rhs, const axis_table table[3], const problem_range *range,
                 double *data);

#endif
