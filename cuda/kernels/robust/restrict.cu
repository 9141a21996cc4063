/* Restriction of the robust path: the transpose of its interpolation, or sums. A coarse cell
 * collects from its children and from the nearest cells of its neighbours, in the host's order.
 * Bytes per fine cell: 8, and 8 for each halved axis's weight. */
#include "kernels/robust/transfer.cuh"

namespace
{

struct restrict_args {
  transfer_args t;
  const double *r;
  double *coarse;
};

template <unsigned AXES, bool WEIGHTED> struct collector {
  static constexpr bool X = AXES & 1, Y = AXES >> 1 & 1, Z = AXES >> 2 & 1;
  const restrict_args &a;
  const hymgi_geom &g;
  int I, j, k, rows, planes; /* the first child's row and plane, and how many there are */
  bool first, last, single;  /* no cell before or after the children; one child along x */
  double even, odd, below, above;

  __device__ __forceinline__ collector(const restrict_args &args, const hymgi_geom &box, int i,
                                       int J, int K)
      : a(args), g(box), I(i), j(hymgi_first_child(AXES, 1, J)), k(hymgi_first_child(AXES, 2, K)),
        rows(hymgi_children(AXES, &box, 1, J)), planes(hymgi_children(AXES, &box, 2, K)),
        first(i == 0 && (box.boundaries & 1)),
        last(2 * i + 2 >= box.n[0] && (box.boundaries >> 1 & 1)), single(2 * i + 1 == box.n[0]),
        even(0), odd(0), below(0), above(0)
  {
  }

  /* What the children of a row keep, and what their neighbours along x give. */
  __device__ __forceinline__ void add_children(int j_, int k_)
  {
    const row_of_children c = children_at<X>(g, I, j_, k_);
    const two_values r = values_at<X>(g.split, a.r, c), x = weights_at < X,
                     X && WEIGHTED > (g.split, a.t.weight[0], c), y = weights_at < X,
                     Y && WEIGHTED > (g.split, a.t.weight[1], c), z = weights_at < X,
                     Z && WEIGHTED > (g.split, a.t.weight[2], c);
    even = hymgi_fma(hymgi_kept_part(x.even, y.even, z.even), r.even, even);
    if (!X) return;
    odd = hymgi_fma(hymgi_kept_part(x.odd, y.odd, z.odd), r.odd, odd);
    if (!WEIGHTED) return;
    const ptrdiff_t east = single ? c.odd : c.east;
    if (!first) below = hymgi_fma(__ldg(a.t.weight[0] + c.west), a.r[c.west], below);
    if (!last) above = hymgi_fma(__ldg(a.t.weight[0] + east), a.r[east], above);
  }

  /* What a row next to the children along an axis gives. */
  template <int AXIS> __device__ __forceinline__ void add_neighbour(int j_, int k_)
  {
    const int at = AXIS == 1 ? j_ : k_;
    if (hymgi_beyond(&g, AXIS, at)) return;
    const row_of_children c = children_at<X>(g, I, j_, k_);
    const two_values r = values_at<X>(g.split, a.r, c),
                     w = weights_at<X, true>(g.split, a.t.weight[AXIS], c);
    even = hymgi_fma(w.even, r.even, even);
    if (X) odd = hymgi_fma(w.odd, r.odd, odd);
  }

  __device__ __forceinline__ double sum()
  {
#pragma unroll
    for (int c = 0; c < (Z ? 2 : 1); c++)
#pragma unroll
      for (int b = 0; b < (Y ? 2 : 1); b++)
        if (c < planes && b < rows) add_children(j + b, k + c);
#pragma unroll
    for (int c = 0; c < (Z ? 2 : 1) && Y && WEIGHTED; c++)
      if (c < planes) {
        add_neighbour<1>(j - 1, k + c);
        add_neighbour<1>(j + rows, k + c);
      }
#pragma unroll
    for (int b = 0; b < (Y ? 2 : 1) && Z && WEIGHTED; b++)
      if (b < rows) {
        add_neighbour<2>(j + b, k - 1);
        add_neighbour<2>(j + b, k + planes);
      }
    if (!X) return even;
    if (WEIGHTED) return hymgi_coarse_sum(even, single ? 0 : odd, below, above);
    return single ? even : even + odd;
  }
};

template <unsigned AXES, bool WEIGHTED>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    restrict_weighted(const __grid_constant__ restrict_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    a.coarse[hymgi_at(&patch, I, J, K)] = collector<AXES, WEIGHTED>(a, g, I, J, K).sum();
  });
}

} /* namespace */

extern "C" void hymgi_cuda_restrict_weighted(const hymgi_level *level, const double *r,
                                             double *coarse)
{
  if (level->num_boxes == 0) return;
  if (level->method->tensor) {
    hymgi_cuda_restrict_tensor(level, r, coarse);
    return;
  }
  int n[3];
  box_extent(level->patch, level->num_boxes, n);
  const dim3 block = transfer_block(n);
  restrict_args a = {};
  a.t = transfer_args_of(level, n, block);
  a.r = r;
  a.coarse = coarse;
  with_axes(level->coarsened, [&](auto axes) {
    with_bools(
        [&](auto weighted) {
          hymgi_launch(level->context, restrict_weighted<axes, weighted>, transfer_blocks(a.t),
                       block, a);
        },
        level->method->weighted);
  });
}
