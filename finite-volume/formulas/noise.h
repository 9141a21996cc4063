/* Pseudo-random numbers that depend on a cell's place alone, so that they are the same on any ranks, boxes and
 * machines. */
#ifndef HYMGI_FORMULAS_NOISE_H
#define HYMGI_FORMULAS_NOISE_H

#include <stdint.h>

#include "multigrid/level.h"

/* The last steps of MurmurHash3. */
HYMGI_INLINE uint64_t hymgi_mixed_bits(uint64_t x)
{
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

/* From -1 to 1, for cell (i, j, k) of box g; seed: another number for each sequence. All axes count alike, so that a
 * problem with exchanged axes takes the same iterations. */
HYMGI_INLINE double hymgi_noise(const hymgi_geom *g, int i, int j, int k, int seed)
{
  const uint64_t odd = 0x9e3779b97f4a7c15u, first = odd * (uint64_t)(seed + 1);
  const uint64_t x = hymgi_mixed_bits(first + odd * (uint64_t)(i + g->low[0])),
                 y = hymgi_mixed_bits(first + odd * (uint64_t)(j + g->low[1])),
                 z = hymgi_mixed_bits(first + odd * (uint64_t)(k + g->low[2]));
  return (double)(int64_t)(hymgi_mixed_bits(x + y + z) >> 11) * 0x1p-52 - 1;
}

#endif
