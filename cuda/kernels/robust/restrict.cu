/* Restriction of the robust path: the transpose of its interpolation, or sums. A coarse cell
 * collects from its children and from the nearest cells of its neighbours, in the host's order.
 * Bytes per fine cell: 8, and 8 for each halved axis's weight; half of that after gsrb, when only red
 * cells have a residual. */
#include "kernels/robust/transfer.cuh"

namespace
{

struct restrict_args {
  transfer_args t;
  const hymgi_real *r;
  hymgi_real *coarse;
};

template <unsigned AXES, bool WEIGHTED, bool RED> struct collector {
  static constexpr bool X = AXES & 1;
  const restrict_args &a;
  const hymgi_geom &g;
  const unsigned axes;
  const bool Y, Z;
  int I, j, k, rows, planes; /* the first child's row and plane, and how many there are */
  bool first, last, single;  /* no cell before or after the children; one child along x */
  hymgi_real even, odd, below, above;

  __device__ __forceinline__ collector(const restrict_args &args, const hymgi_geom &box, int i,
                                       int J, int K)
      : a(args), g(box), axes(axes_of<AXES>(args.t)), Y(axes >> 1 & 1), Z(axes >> 2 & 1), I(i),
        j(hymgi_first_child(axes, 1, J)), k(hymgi_first_child(axes, 2, K)),
        rows(hymgi_children(axes, &box, 1, J)), planes(hymgi_children(axes, &box, 2, K)),
        first(i == 0 && (box.boundaries & 1)),
        last(2 * i + 2 >= box.n[0] && (box.boundaries >> 1 & 1)), single(2 * i + 1 == box.n[0]),
        even(0), odd(0), below(0), above(0)
  {
  }

  /* Does the even (0) or odd (1) cell of a row count? */
  __device__ __forceinline__ bool counts(int i, int j_, int k_) const
  {
    return !RED || ((i + (X ? 0 : I) + j_ + k_ + g.parity) & 1) == 0;
  }

  /* What the children of a row keep, and what their neighbours along x give. */
  __device__ __forceinline__ void add_children(int j_, int k_)
  {
    const row_of_children c = children_at<X>(g, I, j_, k_);
    if (counts(0, j_, k_)) even = hymgi_fma(kept(c.even), a.r[c.even], even);
    if (!X) return;
    if (counts(1, j_, k_)) odd = hymgi_fma(kept(c.odd), a.r[c.odd], odd);
    if (!WEIGHTED) return;
    const ptrdiff_t east = single ? c.odd : c.east;
    if (!first && counts(1, j_, k_)) take(0, c.west, &below);
    if (!last && counts(single ? 1 : 0, j_, k_)) take(0, east, &above);
  }

  /* The part of a cell's residual that its parent gets. */
  __device__ __forceinline__ hymgi_real kept(ptrdiff_t at) const
  {
    return hymgi_kept_part(X && WEIGHTED ? __ldg(a.t.weight[0] + at) : 0,
                           Y && WEIGHTED ? __ldg(a.t.weight[1] + at) : 0,
                           Z && WEIGHTED ? __ldg(a.t.weight[2] + at) : 0);
  }

  /* The part that the coarse cell on its side gets along an axis. */
  __device__ __forceinline__ void take(int axis, ptrdiff_t at, hymgi_real *sum) const
  {
    *sum = hymgi_fma(__ldg(a.t.weight[axis] + at), a.r[at], *sum);
  }

  /* What a row next to the children along an axis gives. */
  template <int AXIS> __device__ __forceinline__ void add_neighbour(int j_, int k_)
  {
    const int at = AXIS == 1 ? j_ : k_;
    if (hymgi_beyond(&g, AXIS, at)) return;
    const row_of_children c = children_at<X>(g, I, j_, k_);
    if (counts(0, j_, k_)) take(AXIS, c.even, &even);
    if (X && counts(1, j_, k_)) take(AXIS, c.odd, &odd);
  }

  __device__ __forceinline__ hymgi_real sum()
  {
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int b = 0; b < 2; b++)
        if (c < planes && b < rows) add_children(j + b, k + c);
#pragma unroll
    for (int c = 0; c < 2 && WEIGHTED; c++)
      if (Y && c < planes) {
        add_neighbour<1>(j - 1, k + c);
        add_neighbour<1>(j + rows, k + c);
      }
#pragma unroll
    for (int b = 0; b < 2 && WEIGHTED; b++)
      if (Z && b < rows) {
        add_neighbour<2>(j + b, k - 1);
        add_neighbour<2>(j + b, k + planes);
      }
    if (!X) return even;
    if (WEIGHTED) return hymgi_coarse_sum(even, single ? 0 : odd, below, above);
    return single ? even : even + odd;
  }
};

/* The same for red cells of split rows, x halved: one of each pair of cells is red, by the row's parity.
 * Everything is loaded at first; what does not count is left out of the sums. */
template <unsigned AXES, bool WEIGHTED> struct red_collector {
  struct cell {
    hymgi_real r, weight[3];
  };
  const restrict_args &a;
  const unsigned axes;
  const bool Y, Z;
  hymgi_real sum[2] = {0, 0}; /* of even and odd cells */

  __device__ __forceinline__ explicit red_collector(const restrict_args &args)
      : a(args), axes(axes_of<AXES>(args.t)), Y(axes >> 1 & 1), Z(axes >> 2 & 1)
  {
  }

  /* axis -1: with all weights */
  __device__ __forceinline__ cell load(ptrdiff_t at, int axis) const
  {
    cell c = {a.r[at], {0, 0, 0}};
#pragma unroll
    for (int m = 0; m < 3; m++)
      if (WEIGHTED && (axes >> m & 1) && (axis < 0 || axis == m))
        c.weight[m] = __ldg(a.t.weight[m] + at);
    return c;
  }

  __device__ __forceinline__ void add(bool counts, int odd, hymgi_real part, hymgi_real r)
  {
    const hymgi_real more = hymgi_fma(part, r, odd ? sum[1] : sum[0]);
    if (counts && !odd) sum[0] = more;
    if (counts && odd) sum[1] = more;
  }

  __device__ __forceinline__ hymgi_real collect(const hymgi_geom &g, int I, int J, int K)
  {
    const int j = hymgi_first_child(axes, 1, J), k = hymgi_first_child(axes, 2, K);
    cell own[2][2] = {}, side[2][2] = {}, row[2][2] = {}, plane[2][2] = {};
    const ptrdiff_t at = hymgi_row(&g, 0, j, k) + I;
    const int parity = (j + k + g.parity) & 1;
    const bool rows = Y && j + 1 < g.n[1], planes = Z && k + 1 < g.n[2];
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int b = 0; b < 2; b++) {
        if ((b && !Y) || (c && !Z)) continue;
        const ptrdiff_t here = at + b * g.pitch + c * g.plane;
        own[c][b] = load(here, -1);
        if (WEIGHTED) side[c][b] = load(here + ((parity + b + c) & 1 ? -1 : 1), 0);
      }
#pragma unroll
    for (int s = 0; s < 2 && WEIGHTED; s++) {
      for (int c = 0; c < 2; c++)
        if (Y && (c == 0 || Z))
          row[c][s] = load(at + (s ? (rows ? 2 : 1) : -1) * g.pitch + c * g.plane, 1);
      for (int b = 0; b < 2; b++)
        if (Z && (b == 0 || Y))
          plane[b][s] = load(at + (s ? (planes ? 2 : 1) : -1) * g.plane + b * g.pitch, 2);
    }
    hymgi_real below = 0, above = 0;
#pragma unroll
    for (int c = 0; c < 2; c++)
#pragma unroll
      for (int b = 0; b < 2; b++) {
        const bool counts = (b == 0 || rows) && (c == 0 || planes);
        const int odd = (parity + b + c) & 1;
        const cell &v = own[c][b];
        add(counts, odd, hymgi_kept_part(v.weight[0], v.weight[1], v.weight[2]), v.r);
        if (!WEIGHTED || !counts) continue;
        const cell &next = side[c][b];
        const bool inside =
            odd ? I > 0 || !(g.boundaries & 1) : 2 * I + 2 < g.n[0] || !(g.boundaries >> 1 & 1);
        if (inside && odd) below = hymgi_fma(next.weight[0], next.r, below);
        if (inside && !odd) above = hymgi_fma(next.weight[0], next.r, above);
      }
    if constexpr (WEIGHTED) {
#pragma unroll
      for (int c = 0; c < 2; c++)
#pragma unroll
        for (int s = 0; s < 2; s++) {
          const int far = s ? (rows ? 2 : 1) : -1;
          const bool inside =
              s ? j + far < g.n[1] || !(g.boundaries >> 3 & 1) : j > 0 || !(g.boundaries >> 2 & 1);
          add(Y && inside && (c == 0 || planes), (parity + far + c) & 1, row[c][s].weight[1],
              row[c][s].r);
        }
#pragma unroll
      for (int b = 0; b < 2; b++)
#pragma unroll
        for (int s = 0; s < 2; s++) {
          const int far = s ? (planes ? 2 : 1) : -1;
          const bool inside =
              s ? k + far < g.n[2] || !(g.boundaries >> 5 & 1) : k > 0 || !(g.boundaries >> 4 & 1);
          add(Z && inside && (b == 0 || rows), (parity + far + b) & 1, plane[b][s].weight[2],
              plane[b][s].r);
        }
      return hymgi_coarse_sum(sum[0], sum[1], below, above);
    } else {
      return sum[0] + sum[1];
    }
  }
};

template <unsigned AXES, bool WEIGHTED, bool RED>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    restrict_weighted(const __grid_constant__ restrict_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    hymgi_real *const coarse = a.coarse + hymgi_at(&patch, I, J, K);
    if (RED && (AXES & 1) && g.split)
      *coarse = red_collector<AXES, WEIGHTED>(a).collect(g, I, J, K);
    else
      *coarse = collector<AXES, WEIGHTED, RED>(a, g, I, J, K).sum();
  });
}

} /* namespace */

extern "C" void hymgi_cuda_restrict_weighted(const hymgi_level *level, const hymgi_real *r,
                                             hymgi_after after, hymgi_real *coarse)
{
  if (level->num_boxes == 0) return;
  int n[3];
  box_extent(level->patch, level->num_boxes, n);
  const dim3 block = transfer_block(n);
  restrict_args a = {};
  a.t = transfer_args_of(level, n, block);
  a.r = r;
  a.coarse = coarse;
  with_axes(level->coarsened, [&](auto axes) {
    with_bools(
        [&](auto weighted, auto red) {
          hymgi_launch(level->context, restrict_weighted<AXES_FOR<axes, weighted>, weighted, red>,
                       transfer_blocks(a.t), block, a);
        },
        level->transfer->weights > 0, after == HYMGI_AFTER_GSRB);
  });
}
