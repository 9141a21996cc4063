/* The robust path (docs/numerics.md): equations integrated over cells, C x + sum T (x - x_nb) = V f,
 * with the conductance T of each face; coarsening by axis. Read with the accessors of fv2.h: BETA(d,
 * s) is the conductance of the cell's low (s = 0) or high (s = 1) face along axis d. */
#ifndef HYMGI_FORMULAS_CONDUCTANCE_H
#define HYMGI_FORMULAS_CONDUCTANCE_H

#include "formulas/fma.h"

/* Resistance from a cell to its parent's centre; t: conductance between the two children. */
HYMGI_INLINE double hymgi_resistance(double part, double t)
{
  return part == 0 ? 0 : part / t;
}

/* Weight of the coarse neighbour in the interpolation to a cell: the potential falls along the
 * resistances parent - cell - face - neighbour's nearest child - neighbour. t: of the face, 0 where
 * nothing flows; beyond a Dirichlet boundary the outer resistance is 0. */
HYMGI_INLINE double hymgi_neighbour_weight(double inner, double t, double outer)
{
  return t == 0 || inner == 0 ? 0 : inner / ((inner + 1 / t) + outer);
}

/* The weight of an axis whose coupling is weak compared with the largest of the coarsened ones is
 * reduced: a cell of a thin conducting sheet must not leave its neighbours in the sheet. */
HYMGI_INLINE double hymgi_damped_weight(double weight, double coupling, double largest)
{
  return 2 * coupling < largest ? weight * (2 * coupling / largest) : weight;
}

/* The part of a cell's residual that its own parent gets; weights of axes that are not coarsened
 * are 0. */
HYMGI_INLINE double hymgi_kept_part(double wx, double wy, double wz)
{
  return ((1 - wx) - wy) - wz;
}

/* A coarse cell's sum: cells of both children (odd: of the last, single child 0), and what the
 * nearest cells below and above along x give to it. */
HYMGI_INLINE double hymgi_coarse_sum(double even, double odd, double below, double above)
{
  return (even + odd) + (below + above);
}

#endif
