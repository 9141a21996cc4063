/* What FV4's stencil reads beyond walls, for the usual case: one box of split rows. On faces across y
 * and z a thread closes the lines of a slot, a colour each, without asking where its cells are: one row
 * on the colours change places. Across x it is the first and last slots of a row. The edges between walls
 * have one ghost a cell; where a wall meets a neighbour's halo, its face goes on by a slot or row into
 * that. Bytes are few; what counts is that this is short. */
#include "kernels.h"
#include "walls.cuh"

namespace
{

enum { WIDE = 64, HIGH = 4 };
enum part { FIRST_Z, LAST_Z, FIRST_Y, LAST_Y, EDGES, ENDS, PARTS }; /* a layer of blocks each */

struct split_args {
  hymgi_geom g;
  closure c;
  double *x;
  int edges;           /* ghosts of those that are closed: along x, or along y and z too */
  int low[3], high[3]; /* 1: no wall there, so the other axes' faces go on by one */
};

__device__ __forceinline__ bool has_wall(const hymgi_geom &g, int face)
{
  return g.walls >> face & 1;
}

/* Is (u, v) of a face with extent (nu, nv) on it, or beside one side of it in a halo? */
__device__ __forceinline__ bool is_on(const split_args &a, int axis_u, int u, int nu, int axis_v,
                                      int v, int nv)
{
  const bool in_u = u >= 0 && u < nu, in_v = v >= 0 && v < nv;
  return u < nu + a.high[axis_u] && v < nv + a.high[axis_v] && (in_u || in_v);
}

/* Two ghosts off the line whose cells are a[0], b[in], a[2 in], b[3 in]. */
__device__ __forceinline__ void close_line(hymgi_wall wall, double *a, double *b, ptrdiff_t in)
{
  const inside v = inside_of(wall, [&](int m) { return m & 1 ? b[m * in] : a[m * in]; });
  b[-in] = first_ghost(wall, v);
  a[-2 * in] = second_ghost(wall, v);
}

/* Face across y or z: slot t of row (j, k), which is at the wall. */
__device__ __forceinline__ void close_slot(const split_args &a, int face, int t, int j, int k)
{
  const hymgi_geom &g = a.g;
  double *const red = a.x + hymgi_row(&g, 0, j, k) + t, *const black = red + g.half;
  const ptrdiff_t step = face / 2 == 1 ? g.pitch : g.plane, in = face & 1 ? -step : step;
  close_line(wall_of(a.c, face), red, black, in);
  close_line(wall_of(a.c, face), black, red, in);
}

/* The faces across x of row (j, k). */
__device__ __forceinline__ void close_ends(const split_args &a, int j, int k)
{
  const hymgi_geom &g = a.g;
  const int even = (j + k + g.parity) & 1, last = g.n[0] / 2 - 1;
  double *const e = a.x + hymgi_row(&g, even, j, k), *const o = a.x + hymgi_row(&g, 1 - even, j, k);
  const inside low = {e[0], o[0], e[1], o[1]}, high = {o[last], e[last], o[last - 1], e[last - 1]};
  if (has_wall(g, 0)) {
    o[-1] = first_ghost(wall_of(a.c, 0), low);
    e[-1] = second_ghost(wall_of(a.c, 0), low);
  }
  if (!has_wall(g, 1)) return;
  e[last + 1] = first_ghost(wall_of(a.c, 1), high);
  o[last + 1] = second_ghost(wall_of(a.c, 1), high);
}

/* Off the edge where faces of axes A < B meet: the lines along B first, then over their ghosts
 * along A. `low`: bit 0 A, bit 1 B; m: the cell along the third axis. */
template <int A, int B>
__device__ __forceinline__ void close_corner(const split_args &a, int high, int m)
{
  const hymgi_geom &g = a.g;
  const bool high_a = high & 1, high_b = high >> 1;
  if (!has_wall(g, 2 * A + high_a) || !has_wall(g, 2 * B + high_b)) return;
  const auto place = [&](int u, int v) {
    const int at_a = high_a ? g.n[A] - 1 - u : u, at_b = high_b ? g.n[B] - 1 - v : v;
    return A == 1   ? hymgi_at(&g, m, at_a, at_b)
           : B == 2 ? hymgi_at(&g, at_a, m, at_b)
                    : hymgi_at(&g, at_a, at_b, m);
  };
  const hymgi_wall wall_a = wall_of(a.c, 2 * A + high_a), wall_b = wall_of(a.c, 2 * B + high_b);
  double x[4][4];
#pragma unroll
  for (int u = 0; u < 4; u++)
#pragma unroll
    for (int v = 0; v < 4; v++)
      x[u][v] = a.x[place(u, v)];
  double ghost[4];
#pragma unroll
  for (int u = 0; u < 4; u++)
    ghost[u] = first_ghost(wall_b, {x[u][0], x[u][1], x[u][2], x[u][3]});
  a.x[place(-1, -1)] = first_ghost(wall_a, {ghost[0], ghost[1], ghost[2], ghost[3]});
}

/* The m-th ghost of the edges along x, then y, then z, four of each. */
__device__ __forceinline__ void close_edge(const split_args &a, int m)
{
  const hymgi_geom &g = a.g;
  if (m < 4 * g.n[0])
    close_corner<1, 2>(a, m / g.n[0], m % g.n[0]);
  else if ((m -= 4 * g.n[0]) < 4 * g.n[1])
    close_corner<0, 2>(a, m / g.n[1], m % g.n[1]);
  else if ((m -= 4 * g.n[1]) < 4 * g.n[2])
    close_corner<0, 1>(a, m / g.n[2], m % g.n[2]);
}

__global__ void __launch_bounds__(WIDE *HIGH) close_split(const __grid_constant__ split_args a)
{
  wait_for_predecessors();
  let_successors_start();
  const hymgi_geom &g = a.g;
  const int u = (int)(blockIdx.x * WIDE + threadIdx.x), v = (int)(blockIdx.y * HIGH + threadIdx.y);
  const int part = (int)blockIdx.z;
  const int slots = g.n[0] / 2, t = u - a.low[0];
  if (part <= LAST_Z) {
    const int j = v - a.low[1];
    if (has_wall(g, 4 + part) && is_on(a, 0, t, slots, 1, j, g.n[1]))
      close_slot(a, 4 + part, t, j, part ? g.n[2] - 1 : 0);
  } else if (part <= LAST_Y) {
    const int k = v - a.low[2];
    if (has_wall(g, part) && is_on(a, 0, t, slots, 2, k, g.n[2]))
      close_slot(a, part, t, part & 1 ? g.n[1] - 1 : 0, k);
  } else if (part == EDGES) {
    const int m = (int)(blockIdx.y * gridDim.x + blockIdx.x) * WIDE * HIGH +
                  (int)(threadIdx.y * WIDE + threadIdx.x);
    if (m < a.edges) close_edge(a, m);
  } else if (is_on(a, 1, u - a.low[1], g.n[1], 2, v - a.low[2], g.n[2])) {
    close_ends(a, u - a.low[1], v - a.low[2]);
  }
}

} /* namespace */

extern "C" bool hymgi_cuda_close_split(const hymgi_level *level, const hymgi_geom *box, double *x,
                                       bool across)
{
  if (level->num_boxes != 1 || !box->split || !box->walls) return false;
  for (int axis = 0; axis < 3; axis++)
    if (box->n[axis] < 4) return false;
  split_args a = {};
  a.g = *box;
  a.c = closure_of(level, HYMGI_GHOSTS_V4);
  a.x = x;
  a.edges = 4 * (a.g.n[0] + (across ? a.g.n[1] + a.g.n[2] : 0));
  int extent[3] = {a.g.n[0] / 2, a.g.n[1], a.g.n[2]};
  for (int axis = 0; axis < 3; axis++) {
    a.low[axis] = !(box->walls >> (2 * axis) & 1);
    a.high[axis] = !(box->walls >> (2 * axis + 1) & 1);
    extent[axis] += a.low[axis] + a.high[axis];
  }
  const int wide = extent[0] > extent[1] || !across ? extent[0] : extent[1];
  const int high = extent[1] > extent[2] ? extent[1] : extent[2];
  dim3 grid(blocks_for(wide, WIDE), blocks_for(high, HIGH), across ? PARTS : PARTS - 1);
  while ((int64_t)grid.x * grid.y * WIDE * HIGH < a.edges)
    grid.y++;
  hymgi_launch(level->context, close_split, grid, dim3(WIDE, HIGH), a);
  return true;
}
