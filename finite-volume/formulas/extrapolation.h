/* Chooses the extrapolation at a boundary, for CPU and GPU alike. */
#ifndef HYMGI_FORMULAS_EXTRAPOLATION_H
#define HYMGI_FORMULAS_EXTRAPOLATION_H

#include "formulas/boundary.h"
#include "formulas/coefficients.h"
#include "multigrid/backend.h"

/* The extrapolation at a face; its order is reduced where extrapolation_dim is small. */
HYMGI_INLINE hymgi_extrapolation hymgi_extrapolation_of(const hymgi_level *level, int face,
                                                        hymgi_ghosts ghosts)
{
  const int dim = level->extrapolation_dim[face / 2];
  if (level->boundary[face] == HYMG_NEUMANN) return HYMGI_MIRROR_GHOST;
  const bool narrow = face & 1 && level->shortened >> (face / 2) & 1;
  if (ghosts == HYMGI_GHOSTS_P1 || dim < 2 || narrow) return HYMGI_LINEAR_GHOST;
  if (ghosts == HYMGI_GHOSTS_V4 && dim >= 4) return HYMGI_QUARTIC_GHOST;
  const bool linear = level->method->stencil == HYMG_FV2 &&
                      level->method->extrapolation == HYMG_EXTRAPOLATION_LINEAR;
  return linear ? HYMGI_LINEAR_GHOST : HYMGI_QUADRATIC_GHOST;
}

/* FV2: expresses the extrapolations as weights of the boundary betas. */
static inline void hymgi_fv2_boundaries(hymgi_level *level)
{
  for (int face = 0; face < 6; face++) {
    const bool boundary = !(level->periodic >> (face / 2) & 1);
    const hymgi_extrapolation kind =
        boundary ? hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V2) : HYMGI_MIRROR_GHOST;
    const bool outer = boundary && (!level->method->robust || level->index == 0);
    double w[4]; /* on the robust path coarse conductances contain the boundary already */
    hymgi_ghost_weights(kind, 1, w);
    level->c.boundary_weight[face] = outer ? (1 - w[0]) * (1 + level->method->stiffer) : 1;
    level->c.boundary_ghost[face] = w[1] == 0 || !outer ? 0 : w[1] / (1 - w[0]);
  }
  for (int axis = 0; axis < 3; axis++)
    if (level->periodic >> axis & 1 &&
        level->n[axis] == 1) { /* the cell is its own neighbour: no flux */
      level->c.beta_constant[axis] = 0;
      if (level->c.beta[0]) level->backend->clear(level, level->c.beta[axis]);
    }
}

#endif
