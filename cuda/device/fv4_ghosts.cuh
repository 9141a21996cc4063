/* The boundary ghosts that FV4's stencil reads, on one box of split rows. On y- and z-faces a
 * thread fills the two lines of a slot, one of each colour, without working out which cell is
 * which: from row to row the colours swap places. On x-faces it fills both ends of a row. Edges
 * where boundaries meet have one ghost per cell. */
#ifndef HYMGI_DEVICE_FV4_GHOSTS_CUH
#define HYMGI_DEVICE_FV4_GHOSTS_CUH

#include "device/ghosts.cuh"

namespace
{

enum { GHOST_BLOCK_X = 64, GHOST_BLOCK_Y = 4 };
enum close_part { FIRST_Z, LAST_Z, FIRST_Y, LAST_Y, EDGES, ENDS, PARTS };

struct split_args {
  hymgi_geom g;
  extrapolation c;
  hymgi_real *x;
  int edges; /* edge ghosts: of edges along x, or along y and z too */
  /* 1: the faces of the other axes extend by one there, into a neighbour's halo */
  int low[3], high[3];
  int wide, rows, parts; /* blocks */
  int part[PARTS];       /* those that exist */
};

__device__ __forceinline__ bool has_boundary(const hymgi_geom &g, int face)
{
  return g.boundaries >> face & 1;
}

/* Is (u, v) on a face of extent (nu, nv), or next to one of its sides in a neighbour's halo? */
__device__ __forceinline__ bool is_on(const split_args &a, int axis_u, int u, int nu, int axis_v,
                                      int v, int nv)
{
  const bool in_u = u >= 0 && u < nu, in_v = v >= 0 && v < nv;
  return u < nu + a.high[axis_u] && v < nv + a.high[axis_v] && (in_u || in_v);
}

/* Two ghosts off the line whose cells are a[0], b[in], a[2 in], b[3 in]. */
__device__ __forceinline__ void fill_line(hymgi_extrapolation boundary, hymgi_real *a,
                                          hymgi_real *b, ptrdiff_t in)
{
  const inside v = inside_of(boundary, [&](int m) { return m & 1 ? b[m * in] : a[m * in]; });
  b[-in] = first_ghost(boundary, v);
  a[-2 * in] = second_ghost(boundary, v);
}

/* A y- or z-face: slot t of row (j, k), which is at the boundary. */
__device__ __forceinline__ void fill_slot(const split_args &a, int face, int t, int j, int k)
{
  const hymgi_geom &g = a.g;
  hymgi_real *const red = a.x + hymgi_row(&g, 0, j, k) + t, *const black = red + g.half;
  const ptrdiff_t step = face / 2 == 1 ? g.pitch : g.plane, in = face & 1 ? -step : step;
  fill_line(boundary_of(a.c, face), red, black, in);
  fill_line(boundary_of(a.c, face), black, red, in);
}

/* The x-face at one end of row (j, k). */
template <bool HIGH> __device__ __forceinline__ void fill_end(const split_args &a, int j, int k)
{
  const hymgi_geom &g = a.g;
  if (!has_boundary(g, HIGH)) return;
  const int even = (j + k + g.parity) & 1, last = g.n[0] / 2 - 1;
  hymgi_real *const e = a.x + hymgi_row(&g, even, j, k), *const o =
                                                             a.x + hymgi_row(&g, 1 - even, j, k);
  const inside v =
      HIGH ? inside{o[last], e[last], o[last - 1], e[last - 1]} : inside{e[0], o[0], e[1], o[1]};
  (HIGH ? e[last + 1] : o[-1]) = first_ghost(boundary_of(a.c, HIGH), v);
  (HIGH ? o[last + 1] : e[-1]) = second_ghost(boundary_of(a.c, HIGH), v);
}

/* The ghost off the edge where faces of axes A < B meet: extrapolated along B first, then over
 * those ghosts along A. high: bit 0 A, bit 1 B; m: the cell along the third axis. */
template <int A, int B>
__device__ __forceinline__ void fill_corner(const split_args &a, int high, int m)
{
  const hymgi_geom &g = a.g;
  const bool high_a = high & 1, high_b = high >> 1;
  if (!has_boundary(g, 2 * A + high_a) || !has_boundary(g, 2 * B + high_b)) return;
  const auto place = [&](int u, int v) {
    const int at_a = high_a ? g.n[A] - 1 - u : u, at_b = high_b ? g.n[B] - 1 - v : v;
    return A == 1   ? hymgi_at(&g, m, at_a, at_b)
           : B == 2 ? hymgi_at(&g, at_a, m, at_b)
                    : hymgi_at(&g, at_a, at_b, m);
  };
  const hymgi_extrapolation boundary_a = boundary_of(a.c, 2 * A + high_a),
                            boundary_b = boundary_of(a.c, 2 * B + high_b);
  hymgi_real x[4][4];
#pragma unroll
  for (int u = 0; u < 4; u++)
#pragma unroll
    for (int v = 0; v < 4; v++)
      x[u][v] = a.x[place(u, v)];
  hymgi_real ghost[4];
#pragma unroll
  for (int u = 0; u < 4; u++)
    ghost[u] = first_ghost(boundary_b, {x[u][0], x[u][1], x[u][2], x[u][3]});
  a.x[place(-1, -1)] = first_ghost(boundary_a, {ghost[0], ghost[1], ghost[2], ghost[3]});
}

/* The m-th ghost of the edges along x, then y, then z, four of each. */
__device__ __forceinline__ void fill_edge(const split_args &a, int m)
{
  const hymgi_geom &g = a.g;
  if (m < 4 * g.n[0])
    fill_corner<1, 2>(a, m / g.n[0], m % g.n[0]);
  else if ((m -= 4 * g.n[0]) < 4 * g.n[1])
    fill_corner<0, 2>(a, m / g.n[1], m % g.n[1]);
  else if ((m -= 4 * g.n[1]) < 4 * g.n[2])
    fill_corner<0, 1>(a, m / g.n[2], m % g.n[2]);
}

/* The work of thread `id` of a block of GHOST_BLOCK_X * GHOST_BLOCK_Y among wide * rows * parts. */
__device__ __forceinline__ void fill_by_block(const split_args &a, int block, int id)
{
  const int x = block % a.wide, y = block / a.wide % a.rows;
  const int part = a.part[block / a.wide / a.rows];
  const int u = x * GHOST_BLOCK_X + id % GHOST_BLOCK_X, v = y * GHOST_BLOCK_Y + id / GHOST_BLOCK_X;
  const int m = (y * a.wide + x) * GHOST_BLOCK_X * GHOST_BLOCK_Y + id;
  const hymgi_geom &g = a.g;
  const int slots = g.n[0] / 2, t = u - a.low[0];
  if (part <= LAST_Z) {
    const int j = v - a.low[1];
    if (has_boundary(g, 4 + part) && is_on(a, 0, t, slots, 1, j, g.n[1]))
      fill_slot(a, 4 + part, t, j, part ? g.n[2] - 1 : 0);
  } else if (part <= LAST_Y) {
    const int k = v - a.low[2];
    if (has_boundary(g, part) && is_on(a, 0, t, slots, 2, k, g.n[2]))
      fill_slot(a, part, t, part & 1 ? g.n[1] - 1 : 0, k);
  } else if (part == EDGES) {
    if (m < a.edges) fill_edge(a, m);
  } else {
    const int j = u - a.low[1], k = v - a.low[2];
    if (!is_on(a, 1, j, g.n[1], 2, k, g.n[2])) return;
    fill_end<false>(a, j, k);
    fill_end<true>(a, j, k);
  }
}

/* Has every axis the four cells of an extrapolation? */
inline bool can_fill_split(const hymgi_level *level, const hymgi_geom *box)
{
  if (level->num_boxes != 1 || !box->split || !box->boundaries) return false;
  return box->n[0] >= 4 && box->n[1] >= 4 && box->n[2] >= 4;
}

/* along_x: x-faces, too; at_halo: also where a boundary meets a neighbour's halo. */
inline split_args split_args_of(const hymgi_level *level, const hymgi_geom *box, hymgi_real *x,
                                bool along_x, bool at_halo)
{
  split_args a = {};
  a.g = *box;
  a.c = extrapolation_of(level, HYMGI_GHOSTS_V4);
  a.x = x;
  a.edges = 4 * (a.g.n[0] + (along_x ? a.g.n[1] + a.g.n[2] : 0));
  int extent[3] = {a.g.n[0] / 2, a.g.n[1], a.g.n[2]};
  for (int axis = 0; axis < 3; axis++) {
    a.low[axis] = at_halo && !(box->boundaries >> (2 * axis) & 1);
    a.high[axis] = at_halo && !(box->boundaries >> (2 * axis + 1) & 1);
    extent[axis] += a.low[axis] + a.high[axis];
  }
  const int wide = extent[0] > extent[1] || !along_x ? extent[0] : extent[1];
  const int high = extent[1] > extent[2] ? extent[1] : extent[2];
  a.wide = (int)blocks_for(wide, GHOST_BLOCK_X);
  a.rows = (int)blocks_for(high, GHOST_BLOCK_Y);
  for (int part = FIRST_Z; part <= LAST_Y; part++)
    if (box->boundaries >> (part <= LAST_Z ? 4 + part : part) & 1) a.part[a.parts++] = part;
  a.part[a.parts++] = EDGES;
  if (along_x) a.part[a.parts++] = ENDS;
  while ((int64_t)a.wide * a.rows * GHOST_BLOCK_X * GHOST_BLOCK_Y < a.edges)
    a.rows++;
  return a;
}

} /* namespace */

#endif
