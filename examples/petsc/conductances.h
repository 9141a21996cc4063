/* The conductances between the cells of a DMDA, from an assembled matrix. */
#ifndef CONDUCTANCES_H
#define CONDUCTANCES_H

#include <petscdmda.h>

/* Entries per cell of the work DM. */
enum { CONDUCTANCES_PER_CELL = 7 };

/* Of the cells that this rank owns, x fastest. */
typedef struct {
  double *alpha;   /* cells */
  double *given;   /* cells: 1 / diagonal in rows without neighbours, else 0 */
  double *face[3]; /* one more than cells along the axis: entry i is the low face of cell i */
} conductances;

/* Collective; c is released with conductances_free. work: as made by DMDACreateCompatibleDMDA(da,
 * CONDUCTANCES_PER_CELL, &work). */
PetscErrorCode conductances_get(DM da, DM work, Mat P, conductances *c);
PetscErrorCode conductances_free(conductances *c);

#endif
