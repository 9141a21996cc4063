/* The tensor transfers of the robust path. They are for systems on which the weighted ones fail, and
 * plain: a thread reads all that a coarse cell and its children need, and the caches serve what
 * neighbours read too. Sums in the host's order. */
#include "kernels/robust/transfer.cuh"

namespace
{

struct tensor_args {
  transfer_args t;
  const hymgi_real *source;
  hymgi_real *result;
};

template <unsigned AXES>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    restrict_tensor(const __grid_constant__ tensor_args a)
{
  constexpr bool X = AXES & 1, Y = AXES >> 1 & 1, Z = AXES >> 2 & 1;
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    const int first = hymgi_first_child(AXES, 0, I), row = hymgi_first_child(AXES, 1, J),
              plane = hymgi_first_child(AXES, 2, K);
    const int last = first + hymgi_children(AXES, &g, 0, I) - 1,
              last_row = row + hymgi_children(AXES, &g, 1, J) - 1,
              last_plane = plane + hymgi_children(AXES, &g, 2, K) - 1;
    hymgi_real even = 0, odd = 0, below = 0, above = 0;
    for (int k = plane - Z; k <= last_plane + Z; k++)
      for (int j = row - Y; j <= last_row + Y; j++)
        for (int i = first - X; i <= last + X; i++) {
          if (hymgi_beyond(&g, 0, i) || hymgi_beyond(&g, 1, j) || hymgi_beyond(&g, 2, k)) continue;
          const ptrdiff_t at = hymgi_at(&g, i, j, k);
          const hymgi_real x = X ? __ldg(a.t.weight[0] + at) : 0,
                           y = Y ? __ldg(a.t.weight[1] + at) : 0,
                           z = Z ? __ldg(a.t.weight[2] + at) : 0;
          const hymgi_real v = hymgi_tensor_factor(Y, j < row || j > last_row, y) *
                               hymgi_tensor_factor(Z, k < plane || k > last_plane, z) *
                               a.source[at];
          hymgi_real &sum = i < first ? below : i > last ? above : i == first ? even : odd;
          sum = hymgi_fma(hymgi_tensor_factor(X, i < first || i > last, x), v, sum);
        }
    a.result[hymgi_at(&patch, I, J, K)] = X ? hymgi_coarse_sum(even, odd, below, above) : even;
  });
}

/* A coarse cell, or a neighbour of it, at offsets -1, 0 or 1: 0 beyond boundaries. */
__device__ __forceinline__ hymgi_real coarse_at(const hymgi_real *coarse, const hymgi_geom &patch,
                                                const int at[3], int dx, int dy, int dz)
{
  if ((dx && hymgi_ends(&patch, 0, dx > 0, at[0])) ||
      (dy && hymgi_ends(&patch, 1, dy > 0, at[1])) || (dz && hymgi_ends(&patch, 2, dz > 0, at[2])))
    return 0;
  return coarse[hymgi_at(&patch, at[0] + dx, at[1] + dy, at[2] + dz)];
}

/* For a child on the sides s (-1 or 1) of its parent, with the weights w. */
template <unsigned AXES>
__device__ __forceinline__ hymgi_real tensor_value(const hymgi_real *coarse,
                                                   const hymgi_geom &patch, const int at[3],
                                                   const int s[3], const hymgi_real w[3])
{
  constexpr bool X = AXES & 1, Y = AXES >> 1 & 1, Z = AXES >> 2 & 1;
  hymgi_real plane[2] = {0, 0};
#pragma unroll
  for (int c = 0; c <= (Z ? 1 : 0); c++) {
    hymgi_real row[2] = {0, 0};
#pragma unroll
    for (int b = 0; b <= (Y ? 1 : 0); b++) {
      row[b] = coarse_at(coarse, patch, at, 0, b * s[1], c * s[2]);
      if (X)
        row[b] =
            hymgi_between(w[0], row[b], coarse_at(coarse, patch, at, s[0], b * s[1], c * s[2]));
    }
    plane[c] = Y ? hymgi_between(w[1], row[0], row[1]) : row[0];
  }
  return Z ? hymgi_between(w[2], plane[0], plane[1]) : plane[0];
}

template <unsigned AXES>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    interpolate_tensor(const __grid_constant__ tensor_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    const int parent[3] = {I, J, K};
    for (int c = 0; c < hymgi_children(AXES, &g, 2, K); c++)
      for (int b = 0; b < hymgi_children(AXES, &g, 1, J); b++)
        for (int d = 0; d < hymgi_children(AXES, &g, 0, I); d++) {
          const ptrdiff_t at =
              hymgi_at(&g, hymgi_first_child(AXES, 0, I) + d, hymgi_first_child(AXES, 1, J) + b,
                       hymgi_first_child(AXES, 2, K) + c);
          const int s[3] = {d ? 1 : -1, b ? 1 : -1, c ? 1 : -1};
          hymgi_real w[3] = {0, 0, 0};
#pragma unroll
          for (int axis = 0; axis < 3; axis++)
            if (AXES >> axis & 1) w[axis] = __ldg(a.t.weight[axis] + at);
          a.result[at] += tensor_value<AXES>(a.source, patch, parent, s, w);
        }
  });
}

tensor_args tensor_args_of(const hymgi_level *fine, const hymgi_real *source, hymgi_real *result,
                           dim3 &block)
{
  int n[3];
  box_extent(fine->patch, fine->num_boxes, n);
  block = transfer_block(n);
  tensor_args a = {};
  a.t = transfer_args_of(fine, n, block);
  a.source = source;
  a.result = result;
  return a;
}

} /* namespace */

extern "C" void hymgi_cuda_restrict_tensor(const hymgi_level *level, const hymgi_real *r,
                                           hymgi_real *coarse)
{
  if (level->num_boxes == 0) return;
  dim3 block;
  const tensor_args a = tensor_args_of(level, r, coarse, block);
  with_axes(level->coarsened, [&](auto axes) {
    hymgi_launch(level->context, restrict_tensor<axes>, transfer_blocks(a.t), block, a);
  });
}

extern "C" void hymgi_cuda_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source,
                                              hymgi_real *x)
{
  if (fine->num_boxes == 0) return;
  dim3 block;
  const tensor_args a = tensor_args_of(fine, source, x, block);
  with_axes(fine->coarsened, [&](auto axes) {
    hymgi_launch(fine->context, interpolate_tensor<axes>, transfer_blocks(a.t), block, a);
  });
}
