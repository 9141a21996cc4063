/* Which extrapolation a boundary gets: decided in one place for every machine (ghosts.c). */
#ifndef HYMGI_FORMULAS_EXTRAPOLATION_H
#define HYMGI_FORMULAS_EXTRAPOLATION_H

#include "formulas/boundary.h"
#include "multigrid/backend.h"

/* The extrapolation of a face: its kind with the drop of order where the extrapolation dimension is small. */
hymgi_extrapolation hymgi_extrapolation_of(const hymgi_level *level, int face, hymgi_ghosts ghosts);
/* FV2: the extrapolations as weights of the boundary betas; axes of one periodic cell have no flux. */
void hymgi_fv2_boundaries(hymgi_level *level);

#endif
