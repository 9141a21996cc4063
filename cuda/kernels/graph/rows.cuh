/* Rows of a packed graph. The edges of a slice's nodes are interleaved, so that the 8 threads of a slice read whole sectors:
 * 64 bytes of weights and 32 of numbers. A row's products are added up in stored order, as on the host. */
#ifndef HYMGI_KERNELS_GRAPH_ROWS_CUH
#define HYMGI_KERNELS_GRAPH_ROWS_CUH

#include "device/stencil_access.cuh"
#include "formulas/graph.h"
#include "kernels/graph/graph.h"

namespace
{

/* What set-up has made; no kernel writes it. */
struct graph_rows {
  int n;
  const int *slice;
  const int *to;
  const double *weight, *diagonal, *inverse;
};

/* Those of hymgi_graph. */
struct graph_vectors {
  double *b, *x, *y, *p, *c, *r;
};

/* What of a node's row is loaded before its neighbours' values are there: also its first EARLY edges. */
template <int EARLY> struct graph_row {
  ptrdiff_t from, end;
  double diagonal, inverse;
  double weight[EARLY];
  int to[EARLY];
};

inline graph_rows rows_of(const hymgi_graph *g)
{
  return {g->n, g->slice, g->to, g->weight, g->diagonal, g->inverse};
}

inline graph_vectors vectors_of(const hymgi_graph *g)
{
  return {g->b, g->x, g->y, g->p, g->c, g->r};
}

__device__ __forceinline__ ptrdiff_t edge_of_row(int row)
{
  return (ptrdiff_t)HYMGI_LANES * row;
}

template <int EARLY> __device__ __forceinline__ graph_row<EARLY> row_at(const graph_rows &g, int i)
{
  graph_row<EARLY> row;
  const int *const slice = g.slice + i / HYMGI_LANES;
  row.from = edge_of_row(__ldg(slice)) + i % HYMGI_LANES;
  row.end = edge_of_row(__ldg(slice + 1));
  row.diagonal = __ldg(g.diagonal + i), row.inverse = __ldg(g.inverse + i);
#pragma unroll
  for (int m = 0; m < EARLY; m++) {
    const ptrdiff_t at = row.from + m * HYMGI_LANES;
    row.weight[m] = at < row.end ? __ldg(g.weight + at) : 0;
    row.to[m] = at < row.end ? __ldg(g.to + at) : 0;
  }
  return row;
}

/* r + the products of the row's edges from e on. Some at a time, so that their loads are under way together. */
__device__ __forceinline__ double add_edges(const graph_rows &g, ptrdiff_t e, ptrdiff_t end,
                                            const double *x, double r)
{
  enum { AT_ONCE = 4 };
  for (; e < end; e += AT_ONCE * HYMGI_LANES) {
    double weight[AT_ONCE], value[AT_ONCE];
#pragma unroll
    for (int m = 0; m < AT_ONCE; m++) {
      const ptrdiff_t at = e + m * HYMGI_LANES;
      weight[m] = at < end ? __ldg(g.weight + at) : 0;
      value[m] = at < end ? x[__ldg(g.to + at)] : 0;
    }
#pragma unroll
    for (int m = 0; m < AT_ONCE; m++)
      if (e + m * HYMGI_LANES < end) r += weight[m] * value[m];
  }
  return r;
}

/* b - A x of node i. The values of its early edges are loaded together. */
template <int EARLY>
__device__ __forceinline__ double residual_of(const graph_rows &g, const graph_row<EARLY> &row,
                                              int i, const double *b, const double *x)
{
  double value[EARLY];
  double r = b[i] - row.diagonal * x[i];
#pragma unroll
  for (int m = 0; m < EARLY; m++)
    value[m] = row.from + m * HYMGI_LANES < row.end ? x[row.to[m]] : 0;
#pragma unroll
  for (int m = 0; m < EARLY; m++)
    if (row.from + m * HYMGI_LANES < row.end) r += row.weight[m] * value[m];
  return add_edges(g, row.from + EARLY * HYMGI_LANES, row.end, x, r);
}

/* ---- the steps of a cycle in which node i reads its neighbours ---- */

/* x from y, the first step from 0 */
template <int EARLY>
__device__ __forceinline__ void smooth_down(const graph_rows &g, const graph_row<EARLY> &row, int i,
                                            const graph_vectors &v)
{
  const double y = v.y[i];
  v.x[i] = y + hymgi_graph_second(row.inverse, y, residual_of(g, row, i, v.b, v.y));
}

/* x and p from y, the corrected x */
template <int EARLY>
__device__ __forceinline__ void smooth_up(const graph_rows &g, const graph_row<EARLY> &row, int i,
                                          const graph_vectors &v)
{
  const double p = hymgi_graph_first(row.inverse, residual_of(g, row, i, v.b, v.y));
  v.p[i] = p;
  v.x[i] = v.y[i] + p;
}

/* what follows them: the solution */
template <int EARLY>
__device__ __forceinline__ double smoothed(const graph_rows &g, const graph_row<EARLY> &row, int i,
                                           const graph_vectors &v)
{
  return v.x[i] + hymgi_graph_second(row.inverse, v.p[i], residual_of(g, row, i, v.b, v.x));
}

/* r from c, and y, the first step from 0 for it */
template <int EARLY>
__device__ __forceinline__ void start_again(const graph_rows &g, const graph_row<EARLY> &row, int i,
                                            const graph_vectors &v)
{
  const double r = residual_of(g, row, i, v.b, v.c);
  v.r[i] = r;
  v.y[i] = hymgi_graph_first(row.inverse, r);
}

/* ---- the last graph ---- */

/* give(i, (matrix b)_i), by a block of whole warps, 8 threads a row. */
template <typename Give>
__device__ __forceinline__ void multiply(const double *matrix, int n, const double *b,
                                         const Give &give)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  const int lane = (int)threadIdx.x % SUMS, rows = (int)blockDim.x / SUMS;
  for (int row = (int)threadIdx.x / SUMS, low = 0; low < n; row += rows, low += rows) {
    double sum = 0;
    for (int c = 0; c < n && row < n; c += SUMS)
      sum += __ldg(matrix + c * n + row * SUMS + lane) * (c + lane < n ? b[c + lane] : 0);
    for (int step = SUMS / 2; step > 0; step /= 2)
      sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0 && row < n) give(row, sum);
  }
}

} /* namespace */

#endif
