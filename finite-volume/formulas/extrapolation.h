/* Chooses the extrapolation at a boundary, for CPU and GPU alike. */
#ifndef HYMGI_FORMULAS_EXTRAPOLATION_H
#define HYMGI_FORMULAS_EXTRAPOLATION_H

#include "formulas/boundary.h"
#include "formulas/coefficients.h"
#include "multigrid/boundary_data.h"
#include "multigrid/transfer.h"

/* The extrapolation at a face with cells of one width; its order is reduced where extrapolation_dim is
 * small. */
HYMGI_INLINE hymgi_extrapolation hymgi_extrapolation_of_equal(const hymgi_level *level, int face,
                                                              hymgi_ghosts ghosts)
{
  const int dim = level->extrapolation_dim[face / 2];
  if (level->boundary[face].gives_flux)
    return ghosts == HYMGI_GHOSTS_V4 && level->op->order == 4 ? HYMGI_NEUMANN_GHOST
                                                              : HYMGI_MIRROR_GHOST;
  if (ghosts == HYMGI_GHOSTS_P1 || dim < 2 || level->boundary[face].linear)
    return HYMGI_LINEAR_GHOST;
  if (ghosts == HYMGI_GHOSTS_V4 && dim >= 4) return HYMGI_QUARTIC_GHOST;
  return level->op->linear ? HYMGI_LINEAR_GHOST : HYMGI_QUADRATIC_GHOST;
}

/* The extrapolation that fills the ghosts at a face: behind a narrower cell it is linear. */
HYMGI_INLINE hymgi_extrapolation hymgi_extrapolation_of(const hymgi_level *level, int face,
                                                        hymgi_ghosts ghosts)
{
  const bool narrow =
      !level->boundary[face].gives_flux && face & 1 && level->shortened >> (face / 2) & 1;
  return narrow ? HYMGI_LINEAR_GHOST : hymgi_extrapolation_of_equal(level, face, ghosts);
}

/* What FV2's operator does at a face that is a boundary: behind a narrower cell, too, the flux of the
 * quadratic extrapolation is that of a parabola. */
static inline hymgi_boundary_weights hymgi_fv2_boundary(const hymgi_level *level, int face)
{
  const double width = hymgi_boundary_width(level, face);
  if (width < 1 && level->n[face / 2] > 1 &&
      hymgi_extrapolation_of_equal(level, face, HYMGI_GHOSTS_V2) == HYMGI_QUADRATIC_GHOST)
    return hymgi_narrow_boundary(width);
  const hymgi_extrapolation kind = hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V2);
  double w[4];
  hymgi_ghost_weights(kind, 1, w);
  const hymgi_boundary_weights weights = {1 - w[0], w[1] == 0 ? 0 : w[1] / (1 - w[0]),
                                          hymgi_data_weight(kind)};
  return weights;
}

/* The stiffness of hymgi_robin_factor at a face; weight: the c of the extrapolation. */
static inline double hymgi_robin_stiffness(const hymgi_level *level, int face, double weight)
{
  return weight * ldexp(1, -level->index) / hymgi_cell_width(level, face);
}

/* The same in the operator, or in its preconditioner. */
static inline double hymgi_fv2_stiffness(const hymgi_level *level, int face)
{
  const double weight = hymgi_fv2_boundary(level, face).data * (1 + level->op->stiffer);
  return hymgi_robin_stiffness(level, face, weight);
}

/* FV2: expresses the extrapolations as weights of the boundary betas; Robin conditions are in them if
 * beta is constant, else the backend multiplies them by the planes of fractions. */
static inline void hymgi_fv2_boundaries(hymgi_level *level)
{
  for (int face = 0; face < 6; face++) {
    const bool boundary = !(level->periodic >> (face / 2) & 1);
    const bool outer = boundary && (level->index == 0 || !level->transfer->inherits);
    hymgi_boundary_weights w = {1, 0, 0};
    if (outer) w = hymgi_fv2_boundary(level, face);
    level->c.boundary_weight[face] = outer ? w.flux * (1 + level->op->stiffer) : 1;
    level->c.boundary_ghost[face] = w.ghost;
    if (outer && level->boundary[face].mixes && !level->c.beta[0])
      level->c.boundary_weight[face] *=
          hymgi_robin_flux(level->robin[face], hymgi_fv2_stiffness(level, face));
  }
  for (int axis = 0; axis < 3; axis++)
    if (level->periodic >> axis & 1 &&
        level->n[axis] == 1) { /* the cell is its own neighbour: no flux */
      level->c.beta_constant[axis] = 0;
      if (level->c.beta[0]) level->backend->clear(level, level->c.beta[axis]);
    }
}

#endif
