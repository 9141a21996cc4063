/* Curved grids as a slow and plain program sees them: from the map to space and its tangents, by quadrature, with
 * sums over faces. */
#ifndef SUPPORT_CURVED_H
#define SUPPORT_CURVED_H

#include "support/support.h"

enum { CURVED_ARRAYS = 12 };

typedef struct curved {
  const char *name;
  hymg_coordinate coordinate[3];
  double low[3], high[3];
  double radius;
  const char *boundary;
} curved;

/* The axis of a coordinate, or -1. */
int curved_axis(const curved *c, hymg_coordinate coordinate);
/* The point of space; of a thin layer that of the unit sphere below it. */
void curved_place(const curved *c, const double q[3], double x[3]);
/* The derivative of the point by the coordinate of an axis; on a thin layer as if its height changed no lengths. */
void curved_tangent(const curved *c, const double q[3], int axis, double t[3]);
double curved_length(const double t[3]);

typedef struct curved_grid {
  const curved *c;
  int n[3];
  double *end[3];                         /* of cells, n + 1 per axis */
  double *volume, *area[3], *distance[3]; /* what the functions below return */
} curved_grid;

/* Cells of one width along each axis; or, with a seed, of random ones. */
curved_grid curved_grid_of(const curved *c, const int n[3], unsigned seed);
void curved_grid_free(curved_grid *g);
void curved_centre(const curved_grid *g, const int at[3], double q[3]);
/* The middle of the low face of a cell, 0 ... n along the axis. */
void curved_face(const curved_grid *g, int axis, const int at[3], double q[3]);
double curved_volume(const curved_grid *g, const int at[3]);
double curved_area(const curved_grid *g, int axis, const int at[3]);
/* Between the centres on both sides of the face; at a wall from the centre to the wall. */
double curved_distance(const curved_grid *g, int axis, const int at[3]);

/* The case with the grid's spacings; widths become those of the cells, owned by the caller. */
support_case curved_case(const curved_grid *g, double a, double *widths[3]);
/* origin lives as long as g->c. */
support_layout curved_layout(const curved_grid *g, double *const widths[3]);

/* What the library makes of a case: a solution of rtol 1e-10, its fluxes, A of the right-hand side, and the geometry;
 * entries that this rank lacks are NaN. Fails the test on errors. */
typedef struct curved_answer {
  size_t size[CURVED_ARRAYS];
  double *array[CURVED_ARRAYS];
} curved_answer;
curved_answer curved_run(const curved_grid *g, const support_case *c, const support_layout *layout,
                         const hymg_options *options);
/* The first array with an entry of other bits, among those that `got` has; or NULL. */
const char *curved_unlike(const curved_answer *got, const curved_answer *want);
void curved_answer_free(curved_answer *a);

/* Some cases, by number, of cylinders and spheres with random coefficients; the last three have lines that are solved,
 * and the last one enough cells for levels in single precision. */
enum { CURVED_SOME = 12 };
support_case curved_some(int number, curved_grid *g, double *widths[3]);
void curved_some_free(support_case *c, curved_grid *g, double *widths[3]);

/* What passes a face along the axis, in all; data: with the boundary data. */
double curved_flux(const curved_grid *g, const oracle_spec *s, bool data, const double *u, int axis,
                   const int at[3]);
/* (the sum of the outward ones + a alpha V u) / V */
void curved_apply(const curved_grid *g, const oracle_spec *s, bool data, const double *u,
                  double *y);
/* Solves the whole dense system, by elimination, without unknowns beyond memory. */
void curved_solve(const curved_grid *g, const oracle_spec *s, const double *f, double *u);

#endif
