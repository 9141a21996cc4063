/* Which extrapolation a boundary gets: decided in one place for every machine. */
#ifndef HYMGI_FORMULAS_EXTRAPOLATION_H
#define HYMGI_FORMULAS_EXTRAPOLATION_H

#include "formulas/boundary.h"
#include "multigrid/backend.h"

/* The extrapolation of a face: its kind with the drop of order where the extrapolation dimension is small. */
HYMGI_INLINE hymgi_extrapolation hymgi_extrapolation_of(const hymgi_level *level, int face,
                                                        hymgi_ghosts ghosts)
{
  const int dim = level->extrapolation_dim[face / 2];
  if (level->boundary[face] == HYMG_NEUMANN) return HYMGI_MIRROR_GHOST;
  if (ghosts == HYMGI_GHOSTS_P1 || dim < 2) return HYMGI_LINEAR_GHOST;
  if (ghosts == HYMGI_GHOSTS_V4 && dim >= 4) return HYMGI_QUARTIC_GHOST;
  const bool linear = level->method->stencil == HYMG_FV2 &&
                      level->method->extrapolation == HYMG_EXTRAPOLATION_LINEAR;
  return linear ? HYMGI_LINEAR_GHOST : HYMGI_QUADRATIC_GHOST;
}

/* FV2: the extrapolations as weights of the boundary betas; axes of one periodic cell have no flux. */
void hymgi_fv2_boundaries(hymgi_level *level);

#endif
