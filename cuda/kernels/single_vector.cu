/* Vectors of levels in single precision: from double precision and back, copies, zeros. Files of
 * this kind (single_*.cu) are compiled in single precision alone. */
#include "device/loops.cuh"
#include "kernels/kernels.h"

namespace
{

/* ---- cells ---- */

enum { VECTOR_X = 64, VECTOR_Y = 4 };

/* The same cells in both precisions: `single` and `level` differ in where they lie. ghosts: layers. */
struct convert_args {
  box_set single, level;
  double factor;
  const double *x;
  hymgi_real *out;
  int ghosts;
};

/* each(colour, first slot, row, plane) of a box's slots and ghosts; z: the box and the plane. */
template <typename Each>
__device__ __forceinline__ void each_slot(const box_set &boxes, int ghosts, int planes,
                                          const Each &each)
{
  const int t = (int)(blockIdx.x * VECTOR_X + threadIdx.x) - ghosts;
  const int j = (int)(blockIdx.y * VECTOR_Y + threadIdx.y) - ghosts;
  for (int z = (int)blockIdx.z; z < planes * boxes.count; z += (int)gridDim.z) {
    const hymgi_geom g = box_at(boxes, z / planes);
    const int k = z % planes - ghosts, layers = g.split ? (ghosts + 1) / 2 : ghosts;
    if (t < -layers || t >= slots_of(g) + layers || j >= g.n[1] + ghosts || k >= g.n[2] + ghosts)
      continue;
    for (int colour = 0; colour <= g.split; colour++)
      if (ghosts > 0 || has_slot(g, colour, t, j, k)) each(z / planes, colour, t, j, k);
  }
}

dim3 slots_grid(const hymgi_level *level, int ghosts, int *planes)
{
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  *planes = n[2] + 2 * ghosts;
  const int slots =
      level->num_boxes > 0 ? (level->box->split ? (n[0] + 1) / 2 : n[0]) + 2 * ghosts : 0;
  return dim3(blocks_for(slots, VECTOR_X), blocks_for(n[1] + 2 * ghosts, VECTOR_Y),
              grid_share(*planes * level->num_boxes));
}

__global__ void __launch_bounds__(VECTOR_X *VECTOR_Y)
    narrow_cells(const __grid_constant__ convert_args a, int planes)
{
  let_successors_start();
  wait_for_predecessors();
  each_slot(a.level, a.ghosts, planes, [&](int b, int colour, int t, int j, int k) {
    const hymgi_geom to = box_at(a.single, b), from = box_at(a.level, b);
    a.out[hymgi_row(&to, colour, j, k) + t] =
        (hymgi_real)(a.factor * a.x[hymgi_row(&from, colour, j, k) + t]);
  });
}

/* add: to what is there. */
__global__ void __launch_bounds__(VECTOR_X *VECTOR_Y)
    widen_cells(box_set single, box_set level, double factor, const hymgi_real *x, bool add,
                double *out, int planes)
{
  let_successors_start();
  wait_for_predecessors();
  each_slot(level, 0, planes, [&](int b, int colour, int t, int j, int k) {
    const hymgi_geom from = box_at(single, b), to = box_at(level, b);
    double *const cell = out + hymgi_row(&to, colour, j, k) + t;
    const double value = (double)x[hymgi_row(&from, colour, j, k) + t];
    *cell = add ? hymgi_fma_double(factor, value, *cell) : factor * value;
  });
}

/* x NULL: a value instead. */
__global__ void __launch_bounds__(VECTOR_X *VECTOR_Y)
    copy_cells(box_set boxes, const hymgi_real *x, hymgi_real value, hymgi_real *out, int planes)
{
  let_successors_start();
  wait_for_predecessors();
  each_slot(boxes, 0, planes, [&](int b, int colour, int t, int j, int k) {
    const hymgi_geom g = box_at(boxes, b);
    const ptrdiff_t at = hymgi_row(&g, colour, j, k) + t;
    out[at] = x ? x[at] : value;
  });
}

/* ---- whole vectors ---- */

__global__ void __launch_bounds__(ROW_THREADS) zero_entries(hymgi_real *x, int64_t count)
{
  let_successors_start();
  wait_for_predecessors();
  const int64_t t = (int64_t)blockIdx.x * ROW_THREADS + threadIdx.x;
  if (t < count) x[t] = 0;
}

box_set boxes_of(const hymgi_level *level)
{
  return box_set_of(level->box, level->num_boxes);
}

void copy_or_fill(const hymgi_level *level, const hymgi_real *x, hymgi_real value, hymgi_real *out)
{
  int planes;
  const dim3 grid = slots_grid(level, 0, &planes);
  hymgi_launch(level->context, copy_cells, grid, dim3(VECTOR_X, VECTOR_Y), boxes_of(level), x,
               value, out, planes);
}

} /* namespace */

extern "C" void hymgi_cuda_narrow(const hymgi_level *single, const hymgi_level *level,
                                  double factor, const double *x, void *out)
{
  const int ghosts = level->ghost;
  int planes;
  const dim3 grid = slots_grid(level, ghosts, &planes);
  const convert_args a = {
      boxes_of(single), boxes_of(level), factor, x, static_cast<hymgi_real *>(out), ghosts};
  hymgi_launch(level->context, narrow_cells, grid, dim3(VECTOR_X, VECTOR_Y), a, planes);
}

extern "C" void hymgi_cuda_widen(const hymgi_level *single, const hymgi_level *level, double factor,
                                 const void *x, bool add, double *out)
{
  int planes;
  const dim3 grid = slots_grid(level, 0, &planes);
  hymgi_launch(level->context, widen_cells, grid, dim3(VECTOR_X, VECTOR_Y), boxes_of(single),
               boxes_of(level), factor, static_cast<const hymgi_real *>(x), add, out, planes);
}

extern "C" void hymgi_cuda_copy_cells(const hymgi_level *level, const hymgi_real *x, hymgi_real *y)
{
  copy_or_fill(level, x, 0, y);
}

extern "C" void hymgi_cuda_fill(const hymgi_level *level, double value, hymgi_real *x)
{
  copy_or_fill(level, NULL, (hymgi_real)value, x);
}

/* vector_size is in words of 8 bytes. */
extern "C" void hymgi_cuda_clear(const hymgi_level *level, hymgi_real *x)
{
  const int64_t count = level->num_boxes ? 2 * (int64_t)level->vector_size : 0;
  hymgi_launch(level->context, zero_entries, dim3(blocks_for(count, ROW_THREADS)),
               dim3(ROW_THREADS), x, count);
}
