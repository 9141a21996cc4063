/* A coarse matrix (multigrid/hierarchy.h) times f of its level, in the order of sums of
 * hymgi_coarse_multiply. */
#ifndef HYMGI_COARSE_MULTIPLY_CUH
#define HYMGI_COARSE_MULTIPLY_CUH

#include "coarse/coarse.cuh"

namespace
{

/* The row thread / LANES of the product, in all its threads; by THREADS threads in whole warps. f: without
 * gaps, in the order of cells. */
template <int THREADS> struct product {
  static constexpr int SUMS = HYMGI_MATRIX_SUMS, LANES = THREADS / HYMGI_MATRIX_CELLS,
                       OWN = SUMS / LANES;
  static_assert(OWN == 1 || OWN == 2, "the first sum is of numbers half of SUMS apart");

  static __device__ __forceinline__ double of(const double *matrix, int cells, const double *f,
                                              int thread)
  {
    const int row = thread / LANES, lane = thread % LANES;
    double sum[OWN] = {};
#pragma unroll 4
    for (int c = 0; c < cells; c += SUMS)
#pragma unroll
      for (int m = lane, o = 0; o < OWN; m += LANES, o++) {
        const double value = c + m < cells ? f[c + m] : 0;
        if (row < cells)
          sum[o] = hymgi_fma(__ldg(matrix + c * cells + row * SUMS + m), value, sum[o]);
      }
    double all = OWN == 2 ? sum[0] + sum[OWN - 1] : sum[0];
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
      all += __shfl_xor_sync(~0u, all, step);
    return all;
  }
};

/* x of the level, from f in its y. A barrier must come before and after. */
template <int THREADS>
__device__ __forceinline__ void multiply(const coarse_level &t, const double *matrix, int thread)
{
  double *const arena = coarse_arena();
  const int row = thread / product<THREADS>::LANES;
  const bool first = row < t.cells && thread % product<THREADS>::LANES == 0;
  const int at = first ? t.x_at + entry_at(t.cell + row).at : 0;
  const double x = product<THREADS>::of(matrix, t.cells, arena + t.y_at, thread);
  if (first) arena[at] = x;
}

} /* namespace */

#endif
