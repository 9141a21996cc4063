/* Gauss quadrature with three points: exact for polynomials of degree 5, so that averages have errors of
 * order h^6. */
#ifndef GAUSS_H
#define GAUSS_H

enum { GAUSS = 3 };

/* Nodes in cell widths from the cell's centre, and weights. */
static const double gauss_node[GAUSS] = {-0.38729833462074168852, 0.0, 0.38729833462074168852};
static const double gauss_weight[GAUSS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

#endif
