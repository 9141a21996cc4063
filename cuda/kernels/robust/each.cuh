/* A functor for every cell or face of a level, a thread each: for set-ups. */
#ifndef HYMGI_KERNELS_ROBUST_EACH_CUH
#define HYMGI_KERNELS_ROBUST_EACH_CUH

#include "device/loops.cuh"

namespace
{

/* each(g, i, j, k) */
template <typename Each>
__global__ void __launch_bounds__(ROW_THREADS)
    on_each_cell(box_set boxes, const __grid_constant__ Each each)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      each(g, g.split ? 2 * t + hymgi_first(&g, colour, j, k) : t, j, k);
    });
  });
}

template <typename Each> void for_each_cell(const hymgi_level *level, const Each &each)
{
  launch_cells(level, on_each_cell<Each>, each);
}

/* each(g, patch, i, j, k) for the cells of the patches and, with an axis, one layer more along it. */
template <typename Each>
__global__ void __launch_bounds__(ROW_THREADS, 4)
    on_each_face(box_set boxes, box_set patches, int axis, const __grid_constant__ Each each)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int b) {
    const hymgi_geom patch = box_at(patches, b);
    const int n[3] = {patch.n[0] + (axis == 0), patch.n[1] + (axis == 1), patch.n[2] + (axis == 2)};
    each_of_brick(n, [&](int i, int j, int k) { each(g, patch, i, j, k); });
  });
}

template <typename Each>
void for_each_face(int axis, const hymgi_level *level, const hymgi_geom *patches, const Each &each)
{
  int n[3];
  box_extent(patches, level->num_boxes, n);
  const dim3 grid(row_blocks((int64_t)(n[1] + 1) * (n[2] + 1), n[0] + 1),
                  grid_share(level->num_boxes));
  hymgi_launch(level->context, on_each_face<Each>, grid, dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), box_set_of(patches, level->num_boxes),
               axis, each);
}

/* An axis as a literal. */
template <int AXIS> struct literal_axis {
  __device__ __forceinline__ constexpr operator int() const
  {
    return AXIS;
  }
};

/* call(literal_axis of the axis), which is the same for all threads. An index of an array in registers has to be
 * literal: another one puts the array in local memory. */
template <typename Call> __device__ __forceinline__ void with_axis(int axis, const Call &call)
{
  if (axis == 0)
    call(literal_axis<0>());
  else if (axis == 1)
    call(literal_axis<1>());
  else
    call(literal_axis<2>());
}

} /* namespace */

#endif
