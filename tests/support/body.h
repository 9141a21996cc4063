/* Masks and bodies on random systems: what the library makes of them, whole, for any layout, and what a slow and
 * plain program does. */
#ifndef SUPPORT_BODY_H
#define SUPPORT_BODY_H

#include "support/support.h"

typedef struct support_body_case {
  int n[3];
  hymg_boundary boundary[6];
  double *width[3]; /* of all cells; given to the grid if `stretched` */
  bool stretched;
  hymg_boundary condition;
  double a, b;
  double *distance; /* at vertices, x fastest */
  double *alpha, *beta[3], *value, *robin_alpha, *robin_beta;
  double *active; /* not NULL: a mask, and nothing of a body counts */
} support_body_case;

/* Random numbers throughout: shapes from 1 to 7 cells, boundaries, widths, coefficients, data; the distance is that of
 * a plane, a ball or noise, by the seed. */
support_body_case support_body_random(unsigned seed);
void support_body_free(support_body_case *c);

typedef struct support_body_answer {
  size_t cells, faces[3];
  /* x fastest; entries that this rank lacks are NaN */
  double *volume, *area[3], *alpha, *beta[3], *weight, *source;
} support_body_answer;

/* By the library. kind: 0 fields in plain rows, 1 wrapped arrays with gaps and ghost layers, 2 device
 * memory. Fails the test on errors. */
support_body_answer support_body_run(const support_body_case *c, const support_layout *layout,
                                     int kind);
/* By plain loops over whole arrays, from the fractions of `given`; planes are found by cutting polygons. */
support_body_answer support_body_oracle(const support_body_case *c,
                                        const support_body_answer *given);
void support_body_answer_free(support_body_answer *a);

/* The part of a brick [0, w0] x [0, w1] x [0, w2] where normal . x < d, of its volume, by polygons in slices. */
double support_volume_below(const double w[3], const double normal[3], double d);
/* The part of the rectangle [0, w0] x [0, w1] where p x + q y < d. */
double support_area_below(double w0, double w1, double p, double q, double d);

#endif
