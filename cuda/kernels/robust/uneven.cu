/* Transfers on the device where a side of the fine level is odd, by the formulas that the host uses:
 * interpolation along z, then y, then x, a coarse cell with its children a thread; sums of children. */
#include "kernels/robust/transfer.cuh"

namespace
{

struct uneven_args {
  transfer_args t;
  const double *parabolas[3];
  const hymgi_real *coarse;
  bool add;
  hymgi_real *x;
};

__device__ __forceinline__ int neighbour(const hymgi_geom &g, int axis, int at, int step)
{
  return step != 0 && hymgi_ends(&g, axis, step > 0, at) ? at : at + step;
}

/* Weights of a child along an axis. */
struct parabola {
  hymgi_real low, own, high;

  __device__ __forceinline__ parabola(const uneven_args &a, const hymgi_geom &g, int axis, int at)
  {
    const double *const w = a.parabolas[axis] + 3 * (along(g.low, axis) + at);
    low = (hymgi_real)w[0], own = (hymgi_real)w[1], high = (hymgi_real)w[2];
  }
  __device__ __forceinline__ hymgi_real of(const hymgi_real *x) const
  {
    return hymgi_parabola(low, x[0], own, x[1], high, x[2]);
  }
};

__device__ __forceinline__ void put(const uneven_args &a, ptrdiff_t at, hymgi_real value)
{
  a.x[at] = a.add ? a.x[at] + value : value;
}

/* The children of a coarse cell and, as often, the rows and planes of them. */
struct family {
  int n[3];

  __device__ __forceinline__ family(const hymgi_geom &g, int I, int J, int K)
      : n{hymgi_children(7, &g, 0, I), hymgi_children(7, &g, 1, J), hymgi_children(7, &g, 2, K)}
  {
  }
};

/* CONSTANT: of the coarse cell's value. */
template <bool CONSTANT>
__device__ __forceinline__ void interpolate_family(const uneven_args &a, const hymgi_geom &g,
                                                   const hymgi_geom &p, int I, int J, int K)
{
  const family children(g, I, J, K);
  hymgi_real v[3][3][3] = {}; /* at offsets along x, y and z */
#pragma unroll
  for (int di = CONSTANT ? 1 : 0; di < (CONSTANT ? 2 : 3); di++)
#pragma unroll
    for (int dj = CONSTANT ? 1 : 0; dj < (CONSTANT ? 2 : 3); dj++)
#pragma unroll
      for (int dk = CONSTANT ? 1 : 0; dk < (CONSTANT ? 2 : 3); dk++)
        v[di][dj][dk] = a.coarse[hymgi_at(&p, neighbour(p, 0, I, di - 1),
                                          neighbour(p, 1, J, dj - 1), neighbour(p, 2, K, dk - 1))];
#pragma unroll
  for (int c = 0; c < 2; c++) {
    if (c >= children.n[2]) continue;
    hymgi_real plane[3][3];
    if (!CONSTANT) {
      const parabola z(a, g, 2, 2 * K + c);
#pragma unroll
      for (int m = 0; m < 9; m++)
        plane[m / 3][m % 3] = z.of(v[m / 3][m % 3]);
    }
#pragma unroll
    for (int b = 0; b < 2; b++) {
      if (b >= children.n[1]) continue;
      hymgi_real row[3];
      if (!CONSTANT) {
        const parabola y(a, g, 1, 2 * J + b);
#pragma unroll
        for (int m = 0; m < 3; m++)
          row[m] = y.of(plane[m]);
      }
#pragma unroll
      for (int d = 0; d < 2; d++)
        if (d < children.n[0])
          put(a, hymgi_at(&g, 2 * I + d, 2 * J + b, 2 * K + c),
              CONSTANT ? v[1][1][1] : parabola(a, g, 0, 2 * I + d).of(row));
    }
  }
}

template <bool CONSTANT>
__global__ void __launch_bounds__(TRANSFER_THREADS)
    interpolate_uneven(const __grid_constant__ uneven_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_coarse_cell(a.t, [&](const hymgi_geom &g, const hymgi_geom &patch, int I, int J, int K) {
    interpolate_family<CONSTANT>(a, g, patch, I, J, K);
  });
}

/* ---- sums ---- */

struct sum_args {
  box_set boxes, patches;
  unsigned coarsened;
  hymgi_real kept;
  const hymgi_real *fine;
  hymgi_real *coarse;
};

__global__ void __launch_bounds__(ROW_THREADS) sum_children(const __grid_constant__ sum_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(a.boxes, [&](const hymgi_geom &g, int b) {
    const hymgi_geom patch = box_at(a.patches, b);
    each_of_brick(patch.n, [&](int i, int j, int k) {
      a.coarse[hymgi_at(&patch, i, j, k)] =
          a.kept * hymgi_sum_of_children(a.coarsened, &g, -1, 0, a.fine, i, j, k);
    });
  });
}

} /* namespace */

extern "C" void hymgi_cuda_interpolate_uneven(const hymgi_level *fine, const hymgi_real *source,
                                              hymgi_ghosts order, bool add, hymgi_real *x)
{
  if (fine->num_boxes == 0) return;
  int n[3];
  box_extent(fine->patch, fine->num_boxes, n);
  const dim3 block = transfer_block(n);
  uneven_args a = {};
  a.t = transfer_args_of(fine, n, block);
  for (int axis = 0; axis < 3; axis++)
    a.parabolas[axis] = fine->axis[axis].parabolas;
  a.coarse = source;
  a.add = add;
  a.x = x;
  with_bools(
      [&](auto constant) {
        hymgi_launch(fine->context, interpolate_uneven<constant>, transfer_blocks(a.t), block, a);
      },
      order == HYMGI_GHOSTS_P0);
}

extern "C" void hymgi_cuda_sum_children(const hymgi_level *level, const hymgi_real *fine,
                                        hymgi_real *coarse)
{
  int n[3];
  box_extent(level->patch, level->num_boxes, n);
  sum_args a = {};
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.patches = box_set_of(level->patch, level->num_boxes);
  a.coarsened = level->coarsened;
  a.kept = (hymgi_real)level->transfer->part_of_sum;
  a.fine = fine;
  a.coarse = coarse;
  hymgi_launch(level->context, sum_children,
               dim3(row_blocks((int64_t)n[1] * n[2], n[0]), grid_share(level->num_boxes)),
               dim3(ROW_THREADS), a);
}
