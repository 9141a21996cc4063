/* How the threads of a grid go over rows: a block takes some rows at a time, a power of two of its
 * threads each, so that short rows leave no thread idle and long ones are read in order. */
#ifndef HYMGI_DEVICE_LOOPS_CUH
#define HYMGI_DEVICE_LOOPS_CUH

#include "device/stencil_access.cuh"

namespace
{

/* A grid has at most GRID_LIMIT blocks along y and z; kernels whose blocks have some rows of a box along y
 * have at least LEAST_ROWS, which limits a box (check_sides() in kernel_table.cu). */
enum { ROW_THREADS = 256, GRID_LIMIT = 65535, LEAST_ROWS = 4 };

/* Threads along a row of n entries: 2^shift, a warp at most. */
HYMGI_INLINE int row_shift(int n)
{
  int shift = 0;
  while (shift < 5 && 1 << shift < n)
    shift++;
  return shift;
}

/* Blocks along x that take each row once. */
inline unsigned row_blocks(int64_t rows, int n)
{
  return n > 0 ? blocks_for(rows, ROW_THREADS >> row_shift(n)) : 0;
}

/* Blocks along y or z for boxes or bricks; beyond the grid's limit kernels use a stride. */
inline unsigned grid_share(int things)
{
  return (unsigned)(things < GRID_LIMIT ? things : GRID_LIMIT);
}

/* Do the level's boxes in slabs of so many planes each fit along z? */
inline bool fits_grid(const hymgi_level *level, int planes)
{
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  return (int64_t)blocks_for(n[2], planes) * level->num_boxes <= GRID_LIMIT;
}

/* Calls each(t, row) once for every 0 <= t < n and row, by the blocks of the grid's x. */
template <typename Each>
__device__ __forceinline__ void each_entry(int n, unsigned rows, const Each &each)
{
  const int shift = row_shift(n), id = (int)threadIdx.x;
  const unsigned at_once = blockDim.x >> shift;
  for (unsigned row = blockIdx.x * at_once + (unsigned)(id >> shift); row < rows;
       row += gridDim.x * at_once)
    for (int t = id & ((1 << shift) - 1); t < n; t += 1 << shift)
      each(t, row);
}

/* each(i, j, k) over a brick. */
template <typename Each>
__device__ __forceinline__ void each_of_brick(const int n[3], const Each &each)
{
  const unsigned across = (unsigned)n[1];
  each_entry(n[0], across * (unsigned)n[2],
             [&](int i, unsigned row) { each(i, (int)(row % across), (int)(row / across)); });
}

/* Entry of an axis that is not known at compile time: an index would put it in local memory. */
__device__ __forceinline__ int along(const int v[3], int axis)
{
  return axis == 0 ? v[0] : axis == 1 ? v[1] : v[2];
}
__device__ __forceinline__ void set_along(int v[3], int axis, int value)
{
  v[0] = axis == 0 ? value : v[0];
  v[1] = axis == 1 ? value : v[1];
  v[2] = axis == 2 ? value : v[2];
}

/* Slots of a row of the colour that has more, rows of a box; with both colours. */
HYMGI_INLINE int slots_of(const hymgi_geom &g)
{
  return g.split ? (g.n[0] + 1) / 2 : g.n[0];
}
HYMGI_INLINE int64_t rows_of(const hymgi_geom &g)
{
  return ((int64_t)g.n[1] * g.n[2]) << g.split;
}

/* Is there a cell in slot t of a row? Where rows are split and of an odd length, one colour has a slot less. */
HYMGI_INLINE bool has_slot(const hymgi_geom &g, int colour, int t, int j, int k)
{
  return !(g.split & g.n[0] & 1) || 2 * t + hymgi_first(&g, colour, j, k) < g.n[0];
}

/* each(colour, t, j, k) over the cells of a box in the order of memory. */
template <typename Each>
__device__ __forceinline__ void each_cell(const hymgi_geom &g, const Each &each)
{
  const unsigned across = (unsigned)g.n[1], rows = across * (unsigned)g.n[2];
  each_entry(slots_of(g), rows << g.split, [&](int t, unsigned row) {
    const int colour = row >= rows;
    const unsigned jk = colour ? row - rows : row;
    const int j = (int)(jk % across), k = (int)(jk / across);
    if (has_slot(g, colour, t, j, k)) each(colour, t, j, k);
  });
}

/* each(g, b) over the boxes, shared out along the grid's y. */
template <typename Each>
__device__ __forceinline__ void each_box(const box_set &boxes, const Each &each)
{
  for (int b = (int)blockIdx.y; b < boxes.count; b += (int)gridDim.y)
    each(box_at(boxes, b), b);
}

/* each(place of a cell in vectors) over all cells. */
template <typename Each>
__device__ __forceinline__ void each_place(const box_set &boxes, const Each &each)
{
  each_box(boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) { each(hymgi_row(&g, colour, j, k) + t); });
  });
}

/* The grid for each_box and each_cell; x is 0 if there are no cells. */
inline dim3 cells_grid(const hymgi_level *level)
{
  unsigned blocks = 0;
  for (int b = 0; b < level->num_boxes; b++) {
    const unsigned wanted = row_blocks(rows_of(level->box[b]), slots_of(level->box[b]));
    if (wanted > blocks) blocks = wanted;
  }
  return dim3(blocks, grid_share(level->num_boxes), 1);
}

/* The same for reductions: so few blocks that combining their results is cheap. */
inline dim3 reduction_grid(const hymgi_level *level)
{
  dim3 grid = cells_grid(level);
  const unsigned held = 32 * (unsigned)level->context->gpu->multiprocessors;
  const unsigned each = grid.y < held ? held / (grid.y ? grid.y : 1) : 1;
  if (grid.x > each) grid.x = each;
  if (grid.y > held) grid.y = held;
  return grid;
}

/* Launches a kernel of a level's boxes that goes over their cells; after them it takes args. */
template <typename... P, typename... A>
void launch_cells(const hymgi_level *level, void (*kernel)(box_set, P...), const A &...args)
{
  hymgi_launch(level->context, kernel, cells_grid(level), dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), args...);
}

/* The same with a reduction, which is its last argument; false: no cells. */
template <typename... P, typename... A>
bool launch_reduction(const hymgi_level *level, void (*kernel)(box_set, P...), const A &...args)
{
  const dim3 grid = reduction_grid(level);
  if (grid.x == 0) return false;
  hymgi_launch(level->context, kernel, grid, dim3(ROW_THREADS),
               box_set_of(level->box, level->num_boxes), args..., level->context->gpu->reduction);
  return true;
}

} /* namespace */

#endif
