/* What a cell adds to the moments of f (multigrid/moments.h). Products alone, so that they have the same bits however they
 * are compiled. */
#ifndef HYMGI_FORMULAS_MOMENTS_H
#define HYMGI_FORMULAS_MOMENTS_H

#include <math.h>

#include "base/geometry.h"
#include "multigrid/moments.h"

/* x: the cell's centre; square: the means of the squares of its coordinates; m: 0 to 2. */
HYMGI_INLINE double hymgi_moment_term(int group, int m, double f, const double x[3],
                                      const double square[3])
{
  const double size = f < 0 ? -f : f;
  if (group == HYMGI_MOMENT_SIZE) return size * x[m];
  if (group == HYMGI_MOMENT_FIRST) return f * x[m];
  if (group == HYMGI_MOMENT_SECOND) return f * square[m];
  if (group == HYMGI_MOMENT_MIXED) return f * (x[m == 0] * x[m == 2 ? 1 : 2]);
  return m == 0 ? f : m == 1 ? size : 0;
}

#endif
