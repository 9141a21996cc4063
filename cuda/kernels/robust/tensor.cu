/* The tensor transfers of the robust path. They are for systems on which the weighted ones fail, and
 * plain: a thread reads all that a coarse cell and its children need, and the caches serve what
 * neighbours read too; one kernel for any axes. Sums in the host's order. */
#include "kernels/robust/transfer.cuh"

namespace
{

struct tensor_args {
  transfer_args t;
  unsigned axes; /* that are halved */
  const hymgi_real *source;
  hymgi_real *result;
};

__global__ void __launch_bounds__(TRANSFER_THREADS)
    restrict_tensor(const __grid_constant__ tensor_args a)
{
  const unsigned axes = a.axes;
  const bool x_halved = axes & 1, y_halved = axes >> 1 & 1, z_halved = axes >> 2 & 1;
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    const int first = hymgi_first_child(axes, 0, I), row = hymgi_first_child(axes, 1, J),
              plane = hymgi_first_child(axes, 2, K);
    const int last = first + hymgi_children(axes, &g, 0, I) - 1,
              last_row = row + hymgi_children(axes, &g, 1, J) - 1,
              last_plane = plane + hymgi_children(axes, &g, 2, K) - 1;
    hymgi_real even = 0, odd = 0, below = 0, above = 0;
    for (int k = plane - z_halved; k <= last_plane + z_halved; k++)
      for (int j = row - y_halved; j <= last_row + y_halved; j++)
        for (int i = first - x_halved; i <= last + x_halved; i++) {
          if (hymgi_beyond(&g, 0, i) || hymgi_beyond(&g, 1, j) || hymgi_beyond(&g, 2, k)) continue;
          const ptrdiff_t at = hymgi_at(&g, i, j, k);
          const hymgi_real x = x_halved ? __ldg(a.t.weight[0] + at) : 0,
                           y = y_halved ? __ldg(a.t.weight[1] + at) : 0,
                           z = z_halved ? __ldg(a.t.weight[2] + at) : 0;
          const hymgi_real v = hymgi_tensor_factor(y_halved, j < row || j > last_row, y) *
                               hymgi_tensor_factor(z_halved, k < plane || k > last_plane, z) *
                               a.source[at];
          hymgi_real &sum = i < first ? below : i > last ? above : i == first ? even : odd;
          sum = hymgi_fma(hymgi_tensor_factor(x_halved, i < first || i > last, x), v, sum);
        }
    const hymgi_real both = hymgi_coarse_sum(even, odd, below, above);
    a.result[hymgi_at(&patch, I, J, K)] = x_halved ? both : even;
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
__device__ __forceinline__ hymgi_real tensor_value(const tensor_args &a, const hymgi_geom &patch,
                                                   const int at[3], const int s[3],
                                                   const hymgi_real w[3])
{
  const hymgi_real *const coarse = a.source;
  hymgi_real plane[2] = {0, 0};
#pragma unroll
  for (int c = 0; c < 2; c++) {
    if (c > (int)(a.axes >> 2 & 1)) continue;
    hymgi_real row[2] = {0, 0};
#pragma unroll
    for (int b = 0; b < 2; b++) {
      if (b > (int)(a.axes >> 1 & 1)) continue;
      row[b] = coarse_at(coarse, patch, at, 0, b * s[1], c * s[2]);
      if (a.axes & 1)
        row[b] =
            hymgi_between(w[0], row[b], coarse_at(coarse, patch, at, s[0], b * s[1], c * s[2]));
    }
    plane[c] = a.axes >> 1 & 1 ? hymgi_between(w[1], row[0], row[1]) : row[0];
  }
  return a.axes >> 2 & 1 ? hymgi_between(w[2], plane[0], plane[1]) : plane[0];
}

__global__ void __launch_bounds__(TRANSFER_THREADS)
    interpolate_tensor(const __grid_constant__ tensor_args a)
{
  const unsigned axes = a.axes;
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    const int parent[3] = {I, J, K};
    for (int c = 0; c < hymgi_children(axes, &g, 2, K); c++)
      for (int b = 0; b < hymgi_children(axes, &g, 1, J); b++)
        for (int d = 0; d < hymgi_children(axes, &g, 0, I); d++) {
          const ptrdiff_t at =
              hymgi_at(&g, hymgi_first_child(axes, 0, I) + d, hymgi_first_child(axes, 1, J) + b,
                       hymgi_first_child(axes, 2, K) + c);
          const int s[3] = {d ? 1 : -1, b ? 1 : -1, c ? 1 : -1};
          hymgi_real w[3] = {0, 0, 0};
#pragma unroll
          for (int axis = 0; axis < 3; axis++)
            if (axes >> axis & 1) w[axis] = __ldg(a.t.weight[axis] + at);
          a.result[at] += tensor_value(a, patch, parent, s, w);
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
  a.axes = fine->coarsened;
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
  hymgi_launch(level->context, restrict_tensor, transfer_blocks(a.t), block, a);
}

extern "C" void hymgi_cuda_interpolate_tensor(const hymgi_level *fine, const hymgi_real *source,
                                              hymgi_real *x)
{
  if (fine->num_boxes == 0) return;
  dim3 block;
  const tensor_args a = tensor_args_of(fine, source, x, block);
  hymgi_launch(fine->context, interpolate_tensor, transfer_blocks(a.t), block, a);
}
