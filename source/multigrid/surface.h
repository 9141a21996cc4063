/* The potential of charges on the six sides of a box, at the centres of the sides' faces (finite-volume/cpu/surface.c). */
#ifndef HYMGI_MULTIGRID_SURFACE_H
#define HYMGI_MULTIGRID_SURFACE_H

#include <stdbool.h>

/* Sides as faces of a level are numbered; arrays of a side have its lower axis fastest. */
typedef struct hymgi_surface {
  int n[3];
  const double *edge[3]; /* n + 1 ascending places along each axis: cells lie between them */
  const double *charge[6];
  double *potential[6];
} hymgi_surface;

/* Adds, to the potentials of the faces of every parts-th group from group `part` on, the sum of each charge times the mean of
 * 1 / distance over its face. Groups do not depend on parts or threads, and neither do the bits. False: no memory. */
bool hymgi_surface_potential(const hymgi_surface *s, int part, int parts, int threads);

#endif
