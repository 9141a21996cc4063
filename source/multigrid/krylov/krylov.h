/* Shared by the bottom solvers: limits, scratch vectors, the test for breakdown. */
#ifndef HYMGI_MULTIGRID_KRYLOV_H
#define HYMGI_MULTIGRID_KRYLOV_H

#include "multigrid/level_ops.h"

#include <math.h>
#include <stdbool.h>

enum { HYMGI_BOTTOM_ITERATIONS = 200, HYMGI_BOTTOM_CALLS = 8 };

enum { HYMGI_BICGSTAB_VECTORS = 5, HYMGI_KRYLOV_CG_VECTORS = 3 };
/* Scratch vectors of the communication-avoiding solvers; the last two receive the results of a
 * block of steps. */
enum { HYMGI_CA_STEPS = 4, HYMGI_CABICGSTAB_BASIS = 4 * HYMGI_CA_STEPS + 1 };
enum { HYMGI_CACG_BASIS = 2 * HYMGI_CA_STEPS + 1, HYMGI_CA_SPARE = 2 };

/* True if a coefficient is a valid divisor. */
HYMGI_INLINE bool hymgi_krylov_usable(double value)
{
  return isfinite(value) && value != 0.0;
}

static inline double *hymgi_krylov_vector(const hymgi_level *level, int i)
{
  return level->krylov + i * level->vector_size;
}

#endif
