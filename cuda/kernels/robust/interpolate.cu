/* Interpolation of the robust path, added to the fine level: a child takes part of its value from
 * the coarse neighbour on its side along each halved axis. Bytes per fine cell: 16, and 8 for each
 * halved axis's weight. Red-black sweeps from black to red read only red cells at first: before them
 * only these are written, half of the bytes. */
#include "kernels/kernels.h"
#include "kernels/robust/transfer.cuh"

namespace
{

struct prolong_args {
  transfer_args t;
  const hymgi_real *coarse;
  hymgi_real *x;
};

/* A coarse cell and its neighbours below (0) and above (1) along each axis, 0 beyond boundaries. */
struct coarse_values {
  hymgi_real own, x[2], y[2], z[2];
};

__device__ __forceinline__ hymgi_real coarse_neighbour(const prolong_args &a,
                                                       const hymgi_geom &patch, int axis, int side,
                                                       const int at[3])
{
  const int step = side ? 1 : -1;
  if (hymgi_ends(&patch, axis, side, at[axis])) return 0;
  return a.coarse[hymgi_at(&patch, at[0] + (axis == 0 ? step : 0), at[1] + (axis == 1 ? step : 0),
                           at[2] + (axis == 2 ? step : 0))];
}

template <bool WEIGHTED>
__device__ __forceinline__ coarse_values load_coarse(const prolong_args &a, unsigned axes,
                                                     const hymgi_geom &patch, int I, int J, int K)
{
  const int at[3] = {I, J, K};
  coarse_values c = {};
  c.own = a.coarse[hymgi_at(&patch, I, J, K)];
#pragma unroll
  for (int side = 0; side < 2 && WEIGHTED; side++) {
    if (axes & 1) c.x[side] = coarse_neighbour(a, patch, 0, side, at);
    if (axes >> 1 & 1) c.y[side] = coarse_neighbour(a, patch, 1, side, at);
    if (axes >> 2 & 1) c.z[side] = coarse_neighbour(a, patch, 2, side, at);
  }
  return c;
}

/* The two values of a row of children; b, c: which of the rows and planes. */
template <bool X, bool WEIGHTED>
__device__ __forceinline__ two_values values_of_row(const prolong_args &a, unsigned axes,
                                                    bool split, const coarse_values &v,
                                                    const row_of_children &row, int b, int c)
{
  const bool Y = axes >> 1 & 1, Z = axes >> 2 & 1;
  two_values e = {v.own, v.own};
  if (!WEIGHTED) return e;
  if (X) {
    const two_values w = weights_at<X, true>(split, a.t.weight[0], row);
    e.even = hymgi_fma(w.even, v.x[0] - v.own, v.own);
    e.odd = hymgi_fma(w.odd, v.x[1] - v.own, v.own);
  }
  if (Y) {
    const two_values w = weights_at<X, true>(split, a.t.weight[1], row);
    const hymgi_real slope = (b ? v.y[1] : v.y[0]) - v.own;
    e.even = hymgi_fma(w.even, slope, e.even);
    e.odd = hymgi_fma(w.odd, slope, e.odd);
  }
  if (Z) {
    const two_values w = weights_at<X, true>(split, a.t.weight[2], row);
    const hymgi_real slope = (c ? v.z[1] : v.z[0]) - v.own;
    e.even = hymgi_fma(w.even, slope, e.even);
    e.odd = hymgi_fma(w.odd, slope, e.odd);
  }
  return e;
}

template <bool HALVED>
__device__ __forceinline__ void add_row(bool split, bool single, const row_of_children &row,
                                        const two_values &e, hymgi_real *x)
{
  if (HALVED && !split && !single) {
    real2 *const both = reinterpret_cast<real2 *>(x + row.even);
    const real2 v = *both;
    *both = make_real2(v.x + e.even, v.y + e.odd);
    return;
  }
  x[row.even] += e.even;
  if (HALVED && !single) x[row.odd] += e.odd;
}

/* The red child of a row of children, of split rows, if there is one. */
template <bool X, bool WEIGHTED>
__device__ __forceinline__ void add_red(const prolong_args &a, unsigned axes, const hymgi_geom &g,
                                        const coarse_values &v, int I, int j, int k, int b, int c)
{
  const bool Y = axes >> 1 & 1, Z = axes >> 2 & 1;
  const int odd = (j + k + g.parity) & 1; /* the red cells of the row have odd indices */
  if (!X && (I & 1) != odd) return;
  const ptrdiff_t at = hymgi_row(&g, 0, j, k) + (X ? I : I / 2);
  hymgi_real e = v.own;
  if (X && WEIGHTED) e = hymgi_fma(__ldg(a.t.weight[0] + at), (odd ? v.x[1] : v.x[0]) - v.own, e);
  if (Y && WEIGHTED) e = hymgi_fma(__ldg(a.t.weight[1] + at), (b ? v.y[1] : v.y[0]) - v.own, e);
  if (Z && WEIGHTED) e = hymgi_fma(__ldg(a.t.weight[2] + at), (c ? v.z[1] : v.z[0]) - v.own, e);
  a.x[at] += e;
}

/* RED: only the red cells, of split rows. */
template <unsigned AXES, bool WEIGHTED, bool RED>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    interpolate_weighted(const __grid_constant__ prolong_args a)
{
  constexpr bool X = AXES & 1;
  let_successors_start();
  wait_for_predecessors();
  const unsigned axes = axes_of<AXES>(a.t);
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    const coarse_values v = load_coarse<WEIGHTED>(a, axes, patch, I, J, K);
    const int j = hymgi_first_child(axes, 1, J), rows = hymgi_children(axes, &g, 1, J);
    const int k = hymgi_first_child(axes, 2, K), planes = hymgi_children(axes, &g, 2, K);
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int b = 0; b < 2; b++) {
        if (c >= planes || b >= rows) continue;
        if (RED) {
          add_red<X, WEIGHTED>(a, axes, g, v, I, j + b, k + c, b, c);
          continue;
        }
        const row_of_children row = children_at<X>(g, I, j + b, k + c);
        const two_values e = values_of_row<X, WEIGHTED>(a, axes, g.split, v, row, b, c);
        add_row<X>(g.split, 2 * I + 1 == g.n[0], row, e, a.x);
      }
  });
}

} /* namespace */

extern "C" void hymgi_cuda_interpolate_weighted(const hymgi_level *fine, const hymgi_real *source,
                                                bool smoothed, hymgi_real *x)
{
  if (fine->num_boxes == 0) return;
  int n[3];
  box_extent(fine->patch, fine->num_boxes, n);
  const dim3 block = transfer_block(n);
  prolong_args a = {};
  a.t = transfer_args_of(fine, n, block);
  a.coarse = source;
  a.x = x;
  with_axes(fine->coarsened, [&](auto axes) {
    with_bools(
        [&](auto weighted, auto red) {
          hymgi_launch(fine->context, interpolate_weighted<AXES_FOR<axes, weighted>, weighted, red>,
                       transfer_blocks(a.t), block, a);
        },
        fine->transfer->weights > 0, smoothed && hymgi_has_variant(fine, HYMGI_INTERPOLATE_BLACK));
  });
}
