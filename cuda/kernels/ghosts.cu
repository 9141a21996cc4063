/* Boundary ghosts in memory. A thread computes its ghosts from cells that are
 * not beyond a boundary themselves, so that one pass fills all of them. */
#include "device/fv4_ghosts.cuh"
#include "device/loops.cuh"
#include "kernels/kernels.h"

namespace
{

enum { FACE_X = 32, FACE_Y = 4, SHELL_THREADS = 128 };

/* ---- all ghosts ---- */

struct ghost_args {
  box_set boxes;
  extrapolation c;
  hymgi_real *x;
  int depth;       /* all ghosts: layers */
  int from, count; /* what FV4 reads: faces of a box */
};

/* Coordinate of the m-th of the 2 d layers around [0, n). */
__device__ __forceinline__ int layer(int m, int d, int n)
{
  return m < d ? m - d : n + m - d;
}

__host__ __device__ __forceinline__ int64_t shell_cells(const int n[3], int d)
{
  const int64_t wide = n[0] + 2 * d;
  return 2 * d * (wide * (n[1] + 2 * d) + wide * n[2] + (int64_t)n[1] * n[2]);
}

/* Coordinates of the m-th cell: z layers with their edges first, then y layers, then x layers. */
__device__ __forceinline__ void shell_cell(const hymgi_geom &g, int d, int64_t m, int ijk[3])
{
  const int wide = g.n[0] + 2 * d, deep = g.n[1] + 2 * d;
  const int64_t z = (int64_t)2 * d * wide * deep, y = (int64_t)2 * d * wide * g.n[2];
  if (m < z) {
    ijk[0] = (int)(m % wide) - d;
    ijk[1] = (int)(m / wide % deep) - d;
    ijk[2] = layer((int)(m / wide / deep), d, g.n[2]);
  } else if (m - z < y) {
    m -= z;
    ijk[0] = (int)(m % wide) - d;
    ijk[1] = layer((int)(m / wide % (2 * d)), d, g.n[1]);
    ijk[2] = (int)(m / wide / (2 * d));
  } else {
    m -= z + y;
    ijk[0] = layer((int)(m % (2 * d)), d, g.n[0]);
    ijk[1] = (int)(m / (2 * d) % g.n[1]);
    ijk[2] = (int)(m / (2 * d) / g.n[1]);
  }
}

__global__ void __launch_bounds__(SHELL_THREADS)
    fill_ghost_shell(const __grid_constant__ ghost_args a)
{
  let_successors_start();
  wait_for_predecessors();
  const int64_t m = (int64_t)blockIdx.x * SHELL_THREADS + threadIdx.x;
  for (int b = (int)blockIdx.z; b < a.boxes.count; b += (int)gridDim.z) {
    const hymgi_geom g = box_at(a.boxes, b);
    if (!g.boundaries || m >= shell_cells(g.n, a.depth)) continue;
    int at[3];
    shell_cell(g, a.depth, m, at);
    if (!is_beyond(g, 0, at[0]) && !is_beyond(g, 1, at[1]) && !is_beyond(g, 2, at[2])) continue;
    const hymgi_real *const x = a.x;
    const auto read = [g, x](int i, int j, int k) { return x[hymgi_at(&g, i, j, k)]; };
    a.x[hymgi_at(&g, at[0], at[1], at[2])] = extrapolated_xyz(a.c, g, read, at[0], at[1], at[2]);
  }
}

void fill_boxes(const hymgi_level *level, const hymgi_geom *box, int count, const extrapolation &c,
                hymgi_real *x)
{
  ghost_args a = {};
  a.boxes = box_set_of(box, count);
  a.c = c;
  a.depth = c.two ? 2 : 1;
  a.x = x;
  int n[3];
  box_extent(box, count, n);
  const dim3 grid(blocks_for(shell_cells(n, a.depth), SHELL_THREADS), 1, grid_share(count));
  hymgi_launch(level->context, fill_ghost_shell, grid, dim3(SHELL_THREADS), a);
}

/* ---- what FV4 reads ---- */

/* Both ghosts of a line normal to a face of AXIS; u and v along the face may lie one cell outside.
 * Beyond a boundary of another axis that is an edge ghost: the face of the lower axis fills it. */
template <int AXIS>
__device__ __forceinline__ void fill_both_layers(const ghost_args &a, const hymgi_geom &g,
                                                 bool high, int u, int v)
{
  constexpr int U = AXIS == 0 ? 1 : 0, V = AXIS == 2 ? 1 : 2;
  const bool off_u = u < 0 || u >= g.n[U], off_v = v < 0 || v >= g.n[V];
  if (off_u && off_v) return;
  if ((U < AXIS && is_beyond(g, U, u)) || (V < AXIS && is_beyond(g, V, v))) return;
  const auto place = [&](int at, int uu, int vv) {
    return AXIS == 0   ? hymgi_at(&g, at, uu, vv)
           : AXIS == 1 ? hymgi_at(&g, uu, at, vv)
                       : hymgi_at(&g, uu, vv, at);
  };
  const hymgi_extrapolation boundary = boundary_of(a.c, 2 * AXIS + high);
  const int edge = high ? g.n[AXIS] - 1 : 0, in = high ? -1 : 1;
  const line other = off_u ? line_of<U>(a.c, g, u) : line_of<V>(a.c, g, v);
  const inside x = inside_of(boundary, [&](int m) {
    return along(other, [&](int s) {
      return a.x[off_u ? place(edge + m * in, s, v) : place(edge + m * in, u, s)];
    });
  });
  a.x[place(edge - in, u, v)] = first_ghost(boundary, x);
  if (!off_u && !off_v) a.x[place(edge - 2 * in, u, v)] = second_ghost(boundary, x);
}

/* The cells of [-1, n], the two outside last, so that the others start on cache lines. */
__device__ __forceinline__ int from_minus_one(int m, int n)
{
  return m == n ? -1 : m == n + 1 ? n : m;
}

__global__ void __launch_bounds__(FACE_X *FACE_Y)
    fill_ghost_faces(const __grid_constant__ ghost_args a)
{
  let_successors_start();
  wait_for_predecessors();
  const int p = (int)(blockIdx.x * FACE_X + threadIdx.x);
  for (int z = (int)blockIdx.z; z < a.boxes.count * a.count; z += (int)gridDim.z) {
    const hymgi_geom g = box_at(a.boxes, z / a.count);
    const int face = a.from + z % a.count, axis = face / 2;
    const int nu = axis == 0 ? g.n[1] : g.n[0], nv = axis == 2 ? g.n[1] : g.n[2];
    if (!(g.boundaries >> face & 1) || p >= nu + 2) continue;
    const int u = from_minus_one(p, nu);
    for (int q = (int)(blockIdx.y * FACE_Y + threadIdx.y); q < nv + 2;
         q += (int)gridDim.y * FACE_Y) {
      const int v = from_minus_one(q, nv);
      if (axis == 0)
        fill_both_layers<0>(a, g, face & 1, u, v);
      else if (axis == 1)
        fill_both_layers<1>(a, g, face & 1, u, v);
      else
        fill_both_layers<2>(a, g, face & 1, u, v);
    }
  }
}

/* The same in the usual case: one box of split rows. Where a boundary meets a neighbour's halo, its
 * face extends into the halo by a slot or row. Few bytes are moved: what counts is latency. */
__global__ void __launch_bounds__(GHOST_BLOCK_X *GHOST_BLOCK_Y)
    fv4_fill_ghosts(const __grid_constant__ split_args a)
{
  wait_for_predecessors();
  let_successors_start();
  fill_by_block(a, (int)blockIdx.x, (int)threadIdx.x);
}

} /* namespace */

/* Planes of boundaries are passed as kernel arguments, so with them every box has its own launch. */
extern "C" void hymgi_cuda_fill_ghosts(const hymgi_level *level, hymgi_real *x, hymgi_ghosts ghosts,
                                       bool with_data)
{
  if (ghosts == HYMGI_GHOSTS_P0 || level->num_boxes == 0) return;
  if (!level->boundaries || !(with_data || hymgi_has_robin(level))) {
    fill_boxes(level, level->box, level->num_boxes, extrapolation_of(level, ghosts), x);
    return;
  }
  for (int b = 0; b < level->num_boxes; b++)
    fill_boxes(level, level->box + b, 1, extrapolation_with(level, ghosts, b, with_data), x);
}

extern "C" void hymgi_cuda_fill_operator_ghosts(const hymgi_level *level, const hymgi_geom *box,
                                                hymgi_real *x, bool along_x)
{
  if (level->num_boxes == 0) return;
  if (hymgi_has_variant(level, HYMGI_FV4_GHOSTS_SPLIT) && can_fill_split(level, box)) {
    const split_args a = split_args_of(level, box, x, along_x, true);
    hymgi_launch(level->context, fv4_fill_ghosts, dim3((unsigned)(a.wide * a.rows * a.parts)),
                 dim3(GHOST_BLOCK_X * GHOST_BLOCK_Y), a);
    return;
  }
  unsigned boundaries = 0;
  for (int b = 0; b < level->num_boxes; b++)
    boundaries |= box[b].boundaries;
  if (!(along_x ? boundaries : boundaries & ~3u)) return;
  ghost_args a = {};
  a.from = along_x ? 0 : 2;
  a.count = 6 - a.from;
  a.boxes = box_set_of(box, level->num_boxes);
  a.c = extrapolation_of(level, HYMGI_GHOSTS_V4);
  a.x = x;
  int n[3];
  box_extent(box, level->num_boxes, n);
  const int nu = n[0] > n[1] ? n[0] : n[1], nv = n[1] > n[2] ? n[1] : n[2];
  const dim3 grid(blocks_for(nu + 2, FACE_X), grid_share((int)blocks_for(nv + 2, FACE_Y)),
                  grid_share(level->num_boxes * a.count));
  hymgi_launch(level->context, fill_ghost_faces, grid, dim3(FACE_X, FACE_Y), a);
}
