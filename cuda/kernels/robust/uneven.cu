/* Transfers on the device where a side of the fine level is odd, by the formulas that the host uses:
 * interpolation along z, then y, then x, a fine cell a thread; sums of children. */
#include "device/loops.cuh"
#include "kernels/robust/robust.h"

extern "C" {
#include "formulas/conductance.h"
}

namespace
{

struct uneven_args {
  box_set boxes, patches;
  const double *parabolas[3];
  const hymgi_real *coarse;
  bool constant, add;
  hymgi_real *x;
};

__device__ __forceinline__ int neighbour(const hymgi_geom &g, int axis, int at, int step)
{
  return step != 0 && hymgi_ends(&g, axis, step > 0, at) ? at : at + step;
}

__device__ hymgi_real interpolated(const uneven_args &a, const hymgi_geom &g, const hymgi_geom &p,
                                   int i, int j, int k)
{
  const int I = i / 2, J = j / 2, K = k / 2;
  if (a.constant) return a.coarse[hymgi_at(&p, I, J, K)];
  const double *const wx = a.parabolas[0] + 3 * (g.low[0] + i),
                      *const wy = a.parabolas[1] + 3 * (g.low[1] + j),
                      *const wz = a.parabolas[2] + 3 * (g.low[2] + k);
  hymgi_real along_yz[3];
#pragma unroll
  for (int di = -1; di <= 1; di++) {
    const int at = neighbour(p, 0, I, di);
    hymgi_real along_z[3];
#pragma unroll
    for (int dj = -1; dj <= 1; dj++) {
      const int row = neighbour(p, 1, J, dj);
      along_z[dj + 1] =
          hymgi_on_parabola(wz, a.coarse[hymgi_at(&p, at, row, neighbour(p, 2, K, -1))],
                            a.coarse[hymgi_at(&p, at, row, K)],
                            a.coarse[hymgi_at(&p, at, row, neighbour(p, 2, K, 1))]);
    }
    along_yz[di + 1] = hymgi_on_parabola(wy, along_z[0], along_z[1], along_z[2]);
  }
  return hymgi_on_parabola(wx, along_yz[0], along_yz[1], along_yz[2]);
}

__global__ void __launch_bounds__(ROW_THREADS)
    interpolate_uneven(const __grid_constant__ uneven_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(a.boxes, [&](const hymgi_geom &g, int b) {
    const hymgi_geom p = box_at(a.patches, b);
    each_cell(g, [&](int colour, int t, int j, int k) {
      const int i = g.split ? 2 * t + hymgi_first(&g, colour, j, k) : t;
      hymgi_real *const x = a.x + hymgi_at(&g, i, j, k);
      const hymgi_real e = interpolated(a, g, p, i, j, k);
      *x = a.add ? *x + e : e;
    });
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
  uneven_args a = {};
  if (fine->num_boxes == 0) return;
  a.boxes = box_set_of(fine->box, fine->num_boxes);
  a.patches = box_set_of(fine->patch, fine->num_boxes);
  for (int axis = 0; axis < 3; axis++)
    a.parabolas[axis] = fine->axis[axis].parabolas;
  a.coarse = source;
  a.constant = order == HYMGI_GHOSTS_P0;
  a.add = add;
  a.x = x;
  hymgi_launch(fine->context, interpolate_uneven, cells_grid(fine), dim3(ROW_THREADS), a);
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
