/* Line relaxation on the device (formulas/lines.h): a thread follows a line. Threads beside each other have lines beside each
 * other, which along x are a half row's cells unless the lines lie along x themselves. */
#include "kernels/robust/each.cuh"
#include "kernels/robust/robust.h"

extern "C" {
#include "formulas/lines.h"
}

namespace
{

/* Lines that are solved are next to each other, and blocks of a warp spread them over the device. */
enum { LINE_THREADS = 32 };

struct line_args {
  box_set boxes;
  hymgi_lines lines;
  const hymgi_real *f;
  hymgi_real *x;
  int colour;
};

template <int AXIS>
__device__ __forceinline__ void solve_lines_of_box(const line_args &a, const hymgi_geom &g)
{
  hymgi_lines l = a.lines;
  l.axis = AXIS;
  const unsigned across = (unsigned)(g.n[AXIS == 0 ? 1 : 0] + 1) / 2,
                 lines = across * (unsigned)g.n[AXIS == 2 ? 1 : 2];
  for (unsigned line = blockIdx.x * LINE_THREADS + threadIdx.x; line < lines;
       line += gridDim.x * LINE_THREADS) {
    const int second = (int)(line / across), even = 2 * (int)(line % across),
              first = even + (hymgi_colour_of_line(&g, AXIS, even, second) != a.colour);
    if (first < g.n[AXIS == 0 ? 1 : 0]) hymgi_solve_line(&l, &g, a.f, first, second, a.x);
  }
}

template <int AXIS>
__global__ void __launch_bounds__(LINE_THREADS) solve_lines(const __grid_constant__ line_args a)
{
  let_successors_start();
  wait_for_predecessors();
  each_box(a.boxes, [&](const hymgi_geom &g, int) { solve_lines_of_box<AXIS>(a, g); });
}

#ifndef HYMGI_SINGLE
struct factor_each {
  hymgi_lines lines;
  __device__ __forceinline__ void operator()(const hymgi_geom &g, int i, int j, int k) const
  {
    with_axis(lines.axis, [&](auto of) {
      hymgi_lines l = lines;
      l.axis = of;
      if (hymgi_index_along(of, i, j, k) == 0)
        hymgi_factor_line(&l, &g, of == 0 ? j : i, of == 2 ? j : k);
    });
  }
};
#endif

} /* namespace */

extern "C" void hymgi_cuda_solve_lines(const hymgi_level *level, int colour)
{
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  const int axis = hymgi_line_axis(level);
  const int64_t lines = (int64_t)(n[axis == 0 ? 1 : 0] + 1) / 2 * n[axis == 2 ? 1 : 2];
  const line_args a = {box_set_of(level->box, level->num_boxes), hymgi_lines_of(level), level->f,
                       level->x, colour};
  hymgi_launch(level->context,
               axis == 0   ? solve_lines<0>
               : axis == 1 ? solve_lines<1>
                           : solve_lines<2>,
               dim3(blocks_for(lines, LINE_THREADS), grid_share(level->num_boxes)),
               dim3(LINE_THREADS), a);
}

#ifndef HYMGI_SINGLE
extern "C" void hymgi_cuda_factor_lines(const hymgi_level *level)
{
  for_each_cell(level, factor_each{hymgi_lines_of(level)});
}
#endif
