/* What a cell adds to the moments of f (multigrid/moments.h): f or |f| times a factor, which is a place, a mean square or the
 * product of two places. Products alone, so that they have the same bits however they are compiled. */
#ifndef HYMGI_FORMULAS_MOMENTS_H
#define HYMGI_FORMULAS_MOMENTS_H

#include "base/geometry.h"
#include "multigrid/moments.h"

/* Is |f| what is added up? m: 0 to 2, here and below. */
HYMGI_INLINE int hymgi_moment_of_size(int group, int m)
{
  return group == HYMGI_MOMENT_SIZE || (group == HYMGI_MOMENT_TOTAL && m == 1);
}

/* x: the cell's centre; square: the means of the squares of its coordinates. */
HYMGI_INLINE double hymgi_moment_factor(int group, int m, const double x[3], const double square[3])
{
  if (group == HYMGI_MOMENT_SIZE || group == HYMGI_MOMENT_FIRST) return x[m];
  if (group == HYMGI_MOMENT_SECOND) return square[m];
  if (group == HYMGI_MOMENT_MIXED) return x[hymgi_moment_axis(m, 0)] * x[hymgi_moment_axis(m, 1)];
  return m == 2 ? 0 : 1;
}

#endif
