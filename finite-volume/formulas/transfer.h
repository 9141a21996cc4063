/* Weights of restriction and interpolation. Restriction is the mean of 8 cells (4 faces).
 * Interpolation along an axis is given by the weights of coarse cells I - r ... I + r for the even
 * child 2 I; the odd child mirrors them. v2 and v4 preserve the mean of the coarse cell. */
#ifndef HYMGI_FORMULAS_TRANSFER_H
#define HYMGI_FORMULAS_TRANSFER_H

#include "formulas/fma.h"
#include "multigrid/backend.h"

/* From the sums of pairs of cells along x in the four rows (j, k). */
HYMGI_INLINE hymgi_real hymgi_mean_of_8(hymgi_real pair00, hymgi_real pair10, hymgi_real pair01,
                                        hymgi_real pair11)
{
  return (((pair00 + pair10) + pair01) + pair11) * (hymgi_real)0.125;
}

HYMGI_INLINE hymgi_real hymgi_mean_of_4(hymgi_real a, hymgi_real b, hymgi_real c, hymgi_real d)
{
  return (hymgi_real)0.25 * ((a + b) + (c + d));
}

/* Of the fine faces that make up the low face along an axis of coarse cell (I, J, K). */
HYMGI_INLINE hymgi_real hymgi_mean_face(const hymgi_geom *g, int axis, const hymgi_real *fine,
                                        int I, int J, int K)
{
  hymgi_real four[4];
  for (int m = 0; m < 4; m++) {
    const int first = m & 1, second = m >> 1;
    const int di = axis == 0 ? 0 : first, dk = axis == 2 ? 0 : second;
    const int dj = axis == 0 ? first : axis == 2 ? second : 0;
    four[m] = fine[hymgi_at(g, 2 * I + di, 2 * J + dj, 2 * K + dk)];
  }
  return hymgi_mean_of_4(four[0], four[1], four[2], four[3]);
}

/* Number of coarse cells on each side that a child depends on. */
#define HYMGI_INTERPOLATION_REACH(order)                                                           \
  ((order) == HYMGI_GHOSTS_P0 ? 0 : (order) == HYMGI_GHOSTS_V4 ? 2 : 1)

/* A child along one axis; sign is 1 for the even child, -1 for the odd one. V(m): the coarse cell
 * at offset m. For the even child:
 *   p1: 1/4 of the nearer neighbour, 3/4 of the coarse cell itself
 *   v2: 1/8, 1, -1/8
 *   v4: -3/128, 22/128, 1, -22/128, 3/128 */
#define HYMGI_CHILD(order, sign, V)                                                                \
  ((order) == HYMGI_GHOSTS_P0 ? V(0)                                                               \
   : (order) == HYMGI_GHOSTS_P1                                                                    \
       ? hymgi_fma((hymgi_real)0.25, (sign) > 0 ? V(-1) : V(1), (hymgi_real)0.75 * V(0))           \
   : (order) == HYMGI_GHOSTS_V2                                                                    \
       ? hymgi_fma((hymgi_real)((sign)*0.125), V(-1) - V(1), V(0))                                 \
       : hymgi_fma((hymgi_real)((sign) * (22. / 128)), V(-1) - V(1),                               \
                   hymgi_fma((hymgi_real)((sign) * (3. / 128)), V(2) - V(-2), V(0))))

/* The same for values in an array, *here being the cell itself. */
HYMGI_INLINE hymgi_real hymgi_child(hymgi_ghosts order, double sign, const hymgi_real *here)
{
#define HYMGI_AT(m) here[m]
  return HYMGI_CHILD(order, sign, HYMGI_AT);
#undef HYMGI_AT
}

#endif
