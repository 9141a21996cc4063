/* Interpolation on the device where a side of the fine level is odd: a fine cell a thread, along z,
 * then y, then x, by the formulas that the host uses. */
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
  const double *coarse;
  bool constant, add;
  double *x;
};

__device__ __forceinline__ int neighbour(const hymgi_geom &g, int axis, int at, int step)
{
  return step != 0 && hymgi_ends(&g, axis, step > 0, at) ? at : at + step;
}

__device__ double interpolated(const uneven_args &a, const hymgi_geom &g, const hymgi_geom &p,
                               int i, int j, int k)
{
  const int I = i / 2, J = j / 2, K = k / 2;
  if (a.constant) return a.coarse[hymgi_at(&p, I, J, K)];
  const double *const wx = a.parabolas[0] + 3 * (g.low[0] + i),
                      *const wy = a.parabolas[1] + 3 * (g.low[1] + j),
                      *const wz = a.parabolas[2] + 3 * (g.low[2] + k);
  double along_yz[3];
#pragma unroll
  for (int di = -1; di <= 1; di++) {
    const int at = neighbour(p, 0, I, di);
    double along_z[3];
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
      double *const x = a.x + hymgi_at(&g, i, j, k);
      const double e = interpolated(a, g, p, i, j, k);
      *x = a.add ? *x + e : e;
    });
  });
}

} /* namespace */

extern "C" void hymgi_cuda_interpolate_uneven(const hymgi_level *fine, const double *source,
                                              hymgi_ghosts order, bool add, double *x)
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
