/* A functor for every cell or face of a level, a thread each: for set-ups. */
#ifndef HYMGI_KERNELS_ROBUST_EACH_CUH
#define HYMGI_KERNELS_ROBUST_EACH_CUH

#include <type_traits>

#include "device/loops.cuh"

namespace
{

/* each(g, i, j, k) */
template <typename Each>
__global__ void __launch_bounds__(ROW_THREADS) on_each_cell(box_set boxes, Each each)
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
  hymgi_launch(level->context, on_each_cell<Each>, cells_grid(level), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), each);
}

/* each(g, patch, i, j, k) for the cells of the patches and, with an axis, one layer more along it. */
template <int AXIS, typename Each>
__global__ void __launch_bounds__(ROW_THREADS)
    on_each_face(box_set boxes, box_set patches, Each each)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(boxes, [&](const hymgi_geom &g, int b) {
    const hymgi_geom patch = box_at(patches, b);
    const int n[3] = {patch.n[0] + (AXIS == 0), patch.n[1] + (AXIS == 1), patch.n[2] + (AXIS == 2)};
    each_of_brick(n, [&](int i, int j, int k) { each(g, patch, i, j, k); });
  });
}

template <int AXIS, typename Each>
void for_each_face(const hymgi_level *level, const hymgi_geom *patches, const Each &each)
{
  int n[3];
  box_extent(patches, level->num_boxes, n);
  const dim3 grid(row_blocks((int64_t)(n[1] + 1) * (n[2] + 1), n[0] + 1),
                  grid_share(level->num_boxes));
  hymgi_launch(level->context, on_each_face<AXIS, Each>, grid, dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), box_set_of(patches, level->num_boxes),
               each);
}

/* call(std::integral_constant of the axis) */
template <typename Call> void with_axis(int axis, const Call &call)
{
  if (axis == 0)
    call(std::integral_constant<int, 0>());
  else if (axis == 1)
    call(std::integral_constant<int, 1>());
  else
    call(std::integral_constant<int, 2>());
}

} /* namespace */

#endif
