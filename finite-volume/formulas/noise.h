/* Numbers that look random and depend on a cell's place alone, so that they are the same on any ranks, boxes and
 * machines. */
#ifndef HYMGI_FORMULAS_NOISE_H
#define HYMGI_FORMULAS_NOISE_H

#include <stdint.h>

#include "multigrid/level.h"

/* From -1 to 1, for cell (i, j, k) of box g on a level of n cells; seed: another number for each sequence. The bits are
 * mixed by the last steps of MurmurHash3. */
HYMGI_INLINE double hymgi_noise(const int n[3], const hymgi_geom *g, int i, int j, int k, int seed)
{
  const uint64_t row = (uint64_t)(k + g->low[2]) * (uint64_t)n[1] + (uint64_t)(j + g->low[1]);
  uint64_t x = row * (uint64_t)n[0] + (uint64_t)(i + g->low[0]);
  x = (x + 1) * 0x9e3779b97f4a7c15u + (uint64_t)seed * 0xd1b54a32d192ed03u;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  x ^= x >> 33;
  return (double)(int64_t)(x >> 11) * 0x1p-52 - 1;
}

#endif
