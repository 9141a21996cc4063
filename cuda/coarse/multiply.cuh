/* A coarse matrix (multigrid/hierarchy.h) times f of its level, in the order of sums of
 * hymgi_coarse_multiply. */
#ifndef HYMGI_COARSE_MULTIPLY_CUH
#define HYMGI_COARSE_MULTIPLY_CUH

#include "coarse/coarse.cuh"

namespace
{

/* By THREADS threads in whole warps: row thread / LANES of the product, in all of its threads. */
template <int THREADS> struct product {
  static constexpr int SUMS = HYMGI_MATRIX_SUMS, LANES = THREADS / HYMGI_MATRIX_CELLS,
                       OWN = SUMS / LANES;
  static_assert(OWN == 1 || OWN == 2, "the first sum is of numbers half of SUMS apart");
  double entry[HYMGI_MATRIX_CELLS / LANES]; /* the thread's of the row */

  __device__ __forceinline__ void load(const double *matrix, int cells, int thread)
  {
    const int row = thread / LANES, lane = thread % LANES;
#pragma unroll
    for (int m = 0; m < HYMGI_MATRIX_CELLS / LANES; m++) {
      const int c = m / OWN * SUMS;
      entry[m] = row < cells && c < cells
                     ? __ldg(matrix + c * cells + row * SUMS + lane + m % OWN * LANES)
                     : 0;
    }
  }

  /* f: without gaps, in the order of cells. */
  __device__ __forceinline__ double times(const double *f, int cells, int thread) const
  {
    const int lane = thread % LANES;
    double sum[OWN] = {};
#pragma unroll
    for (int m = 0; m < HYMGI_MATRIX_CELLS / LANES; m++) {
      const int c = m / OWN * SUMS + lane + m % OWN * LANES;
      sum[m % OWN] = hymgi_fma(entry[m], c < cells ? f[c] : 0, sum[m % OWN]);
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
__device__ __forceinline__ void multiply(const coarse_level &t, const product<THREADS> &matrix,
                                         int thread)
{
  double *const arena = coarse_arena();
  const int row = thread / product<THREADS>::LANES;
  const bool first = row < t.cells && thread % product<THREADS>::LANES == 0;
  const int at = first ? t.x_at + entry_at(t.cell + row).at : 0;
  const double x = matrix.times(arena + t.y_at, t.cells, thread);
  if (first) arena[at] = x;
}

} /* namespace */

#endif
