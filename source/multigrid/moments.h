/* The moments of f that open boundaries are made of, in the lengths of hymgi_open: sums over cells that have the same bits
 * in any order. */
#ifndef HYMGI_MULTIGRID_MOMENTS_H
#define HYMGI_MULTIGRID_MOMENTS_H

#include "multigrid/level.h"

/* Groups of three sums each, along x, y and z, of what is summed over cells: x |f|; x f; x x f, where x x is the mean over
 * the cell; of the two other axes y z f; and f, |f| and nothing. No factor of f is above 1. */
enum {
  HYMGI_MOMENT_SIZE,
  HYMGI_MOMENT_FIRST,
  HYMGI_MOMENT_SECOND,
  HYMGI_MOMENT_MIXED,
  HYMGI_MOMENT_TOTAL,
  HYMGI_MOMENT_GROUPS,
  HYMGI_MOMENTS = 3 * HYMGI_MOMENT_GROUPS
};

/* The two other axes, the lower one first. */
HYMGI_INLINE int hymgi_moment_axis(int axis, int which)
{
  return which == 0 ? axis == 0 : axis == 2 ? 1 : 2;
}

/* Collective, on all ranks of the context. All 0 if f is 0 or not finite. */
void hymgi_moments(const hymgi_level *level, const double *f, double moment[HYMGI_MOMENTS]);

#endif
