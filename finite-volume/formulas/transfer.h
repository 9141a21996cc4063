/* Weights of the transfers between levels. Restriction is the mean of 8 cells (4 faces).
 * Interpolation per axis: weights of the coarse cells I - r ... I + r for the even child 2 I;
 * the odd child mirrors them. v2 and v4 keep the coarse cell's mean. */
#ifndef HYMGI_FORMULAS_TRANSFER_H
#define HYMGI_FORMULAS_TRANSFER_H

#include "formulas/fma.h"

/* even child of v2: x(-1) / 8 + x(0) - x(+1) / 8; the odd child has the difference with the
 * other sign */
HYMGI_INLINE double hymgi_interpolate_v2(double sign, double below, double here, double above)
{
  return hymgi_fma(sign * 0.125, below - above, here);
}

/* even child of v4: -3/128, 22/128, 1, -22/128, 3/128 */
HYMGI_INLINE double hymgi_interpolate_v4(double sign, double below2, double below, double here,
                                         double above, double above2)
{
  return hymgi_fma(sign * (22. / 128), below - above,
                   hymgi_fma(sign * (3. / 128), above2 - below2, here));
}

/* child of p1: 1/4 of the nearer neighbour, 3/4 of its own coarse cell */
HYMGI_INLINE double hymgi_interpolate_p1(double neighbour, double here)
{
  return hymgi_fma(0.25, neighbour, 0.75 * here);
}

#endif
