/* Cells beyond walls from those inside, wherever they are wanted: bit for bit what the host
 * writes into its ghosts (finite-volume/cpu/ghosts.c). Axis x closes over what y gives, and y
 * over z. */
#ifndef HYMGI_WALLS_CUH
#define HYMGI_WALLS_CUH

#include "device/stencil_access.cuh"

extern "C" {
#include "formulas/extrapolation.h"
#include "hierarchy/boundary_data.h"
}

namespace
{

/* The closures of a level's faces. */
struct closure {
  unsigned kinds;        /* hymgi_wall of face f in the 4 bits from 4 f on */
  bool two;              /* there is a second layer: quartic, or 0 */
  const double *data[6]; /* planes of wall data of one box; NULL: none */
};

inline closure closure_of(const hymgi_level *level, hymgi_ghosts ghosts)
{
  closure c = {};
  for (int face = 0; face < 6; face++)
    c.kinds |= ((unsigned)hymgi_host_wall(level, face, ghosts) & 15u) << (4 * face);
  c.two = ghosts == HYMGI_GHOSTS_V4;
  return c;
}

/* The same with the wall data of box b. */
inline closure closure_with_data(const hymgi_level *level, hymgi_ghosts ghosts, int b)
{
  closure c = closure_of(level, ghosts);
  for (int face = 0; face < 6; face++)
    c.data[face] = level->walls->value[b * 6 + face];
  return c;
}

__device__ __forceinline__ hymgi_wall wall_of(const closure &c, int face)
{
  return (hymgi_wall)((int)(c.kinds << (28 - 4 * face)) >> 28);
}

/* ---- one line of cells off a wall ---- */

/* The first cells; as many as the closure has terms, the others 0. */
struct inside {
  double x1, x2, x3, x4;
};

/* x(m): m cells further in than the one at the wall */
template <typename X> __device__ __forceinline__ inside inside_of(hymgi_wall wall, const X &x)
{
  inside v = {};
  v.x1 = x(0);
  if (wall == HYMGI_WALL_V4 || wall == HYMGI_WALL_V2) v.x2 = x(1);
  if (wall == HYMGI_WALL_V4) v.x3 = x(2), v.x4 = x(3);
  return v;
}

__device__ __forceinline__ double first_ghost(hymgi_wall wall, const inside &v)
{
  return wall == HYMGI_WALL_V4   ? hymgi_ghost_v4(v.x1, v.x2, v.x3, v.x4)
         : wall == HYMGI_WALL_V2 ? hymgi_ghost_v2(v.x1, v.x2)
         : wall == HYMGI_WALL_V1 ? -v.x1
                                 : v.x1;
}

__device__ __forceinline__ double second_ghost(hymgi_wall wall, const inside &v)
{
  return wall == HYMGI_WALL_V4 ? hymgi_ghost2_v4(v.x1, v.x2, v.x3, v.x4) : 0;
}

/* How a coordinate reaches into the box; step 0: it is inside, or in a neighbour's halo. */
struct line {
  int start, step;
  hymgi_wall wall;
  bool second;
};

template <int AXIS>
__device__ __forceinline__ line line_of(const closure &c, const hymgi_geom &g, int at)
{
  const int n = g.n[AXIS];
  const bool low = at < 0 && (g.walls >> (2 * AXIS) & 1),
             high = at >= n && (g.walls >> (2 * AXIS + 1) & 1);
  line l;
  l.start = low ? 0 : high ? n - 1 : at;
  l.step = low ? 1 : high ? -1 : 0;
  l.wall = low || high ? wall_of(c, 2 * AXIS + high) : HYMGI_WALL_MIRROR;
  l.second = low ? at < -1 : high && at > n;
  return l;
}

template <typename X> __device__ __forceinline__ double along(const line &l, const X &x)
{
  if (l.second && l.wall != HYMGI_WALL_V4) return 0;
  const inside v = inside_of(l.wall, [&](int m) { return x(l.start + m * l.step); });
  return l.second ? second_ghost(l.wall, v) : first_ghost(l.wall, v);
}

/* ---- wall data ---- */

/* A ghost off a wall of AXIS with the wall's data added, which the first layer has only. Asked
 * where no axis before AXIS is beyond a wall: its closure covers that. */
template <int AXIS>
__device__ __forceinline__ double with_data(const closure &c, const hymgi_geom &g, int i, int j,
                                            int k, double ghost)
{
  const int ijk[3] = {i, j, k}, u = AXIS == 0 ? 1 : 0, v = AXIS == 2 ? 1 : 2;
  const bool low = ijk[AXIS] == -1 && (g.walls >> (2 * AXIS) & 1),
             high = ijk[AXIS] == g.n[AXIS] && (g.walls >> (2 * AXIS + 1) & 1);
  const double *const plane = low ? c.data[2 * AXIS] : high ? c.data[2 * AXIS + 1] : NULL;
  if (!plane || ijk[u] < -1 || ijk[u] > g.n[u] || ijk[v] < -1 || ijk[v] > g.n[v]) return ghost;
  const hymgi_wall wall = wall_of(c, 2 * AXIS + high);
  const double factor = wall == HYMGI_WALL_V2 ? 3 : wall == HYMGI_WALL_V1 ? 2 : 1;
  return ghost + factor * plane[hymgi_wall_at(&g, 2 * AXIS + high, ijk)];
}

/* ---- any cell ---- */

template <typename Read>
__device__ __forceinline__ double closed_z(const closure &c, const hymgi_geom &g, const Read &read,
                                           int i, int j, int k)
{
  /* not const: nvcc 13.0 breaks off on a const double that a lambda initialises */
  double ghost = along(line_of<2>(c, g, k), [&](int at) { return read(i, j, at); });
  return with_data<2>(c, g, i, j, k, ghost);
}

template <typename Read>
__device__ __noinline__ double closed_yz(const closure &c, const hymgi_geom g, const Read read,
                                         int i, int j, int k)
{
  double ghost = along(line_of<1>(c, g, j), [&](int at) { return closed_z(c, g, read, i, at, k); });
  return with_data<1>(c, g, i, j, k, ghost);
}

__device__ __forceinline__ bool is_beyond(const hymgi_geom &g, int axis, int at)
{
  return (at < 0 && (g.walls >> (2 * axis) & 1)) ||
         (at >= g.n[axis] && (g.walls >> (2 * axis + 1) & 1));
}

template <typename Read>
__device__ __noinline__ double closed_xyz(const closure &c, const hymgi_geom g, const Read read,
                                          int i, int j, int k)
{
  const line l = line_of<0>(c, g, i);
  double ghost;
  if (is_beyond(g, 1, j) || is_beyond(g, 2, k))
    ghost = along(l, [&](int at) { return closed_yz(c, g, read, at, j, k); });
  else
    ghost = along(l, [&](int at) { return read(at, j, k); });
  return with_data<0>(c, g, i, j, k, ghost);
}

/* The value of cell (i, j, k), two layers beyond the box at most. read(i, j, k) is asked for
 * cells that are beyond no wall; those in a neighbour's halo are there to be read. */
template <typename Read>
__device__ __forceinline__ double closed(const closure &c, const hymgi_geom &g, const Read &read,
                                         int i, int j, int k)
{
  if (!is_beyond(g, 0, i) && !is_beyond(g, 1, j) && !is_beyond(g, 2, k)) return read(i, j, k);
  return closed_xyz(c, g, read, i, j, k);
}

} /* namespace */

#endif
