/* Boundary ghosts extrapolated from the cells inside: bitwise what the host writes
 * (finite-volume/cpu/ghosts.c). Along x they are extrapolated over those along y, and these over
 * those along z. */
#ifndef HYMGI_DEVICE_GHOSTS_CUH
#define HYMGI_DEVICE_GHOSTS_CUH

#include "device/stencil_access.cuh"

extern "C" {
#include "formulas/extrapolation.h"
#include "multigrid/boundary_data.h"
}

namespace
{

/* The extrapolations of a level's faces. */
struct extrapolation {
  unsigned kinds;         /* hymgi_extrapolation of face f in the 4 bits from 4 f on */
  bool two;               /* there is a second layer: quartic, or 0 */
  const double *data[6];  /* planes of boundary data of one box; NULL: none */
  const double *robin[6]; /* likewise of Robin conditions, with their stiffness */
  double stiffness[6];
};

inline extrapolation extrapolation_of(const hymgi_level *level, hymgi_ghosts ghosts)
{
  extrapolation c = {};
  for (int face = 0; face < 6; face++)
    c.kinds |= ((unsigned)hymgi_extrapolation_of(level, face, ghosts) & 15u) << (4 * face);
  c.two = ghosts == HYMGI_GHOSTS_V4;
  return c;
}

/* The same with the Robin conditions and, if asked, the boundary data of box b. */
inline extrapolation extrapolation_with(const hymgi_level *level, hymgi_ghosts ghosts, int b,
                                        bool data)
{
  extrapolation c = extrapolation_of(level, ghosts);
  for (int face = 0; face < 6; face++) {
    const double weight = hymgi_data_weight(hymgi_extrapolation_of(level, face, ghosts));
    c.data[face] = data ? hymgi_value_plane(level, b, face) : NULL;
    c.robin[face] = hymgi_share_plane(level, b, face);
    if (c.robin[face]) c.stiffness[face] = hymgi_robin_stiffness(level, face, weight);
  }
  return c;
}

__device__ __forceinline__ hymgi_extrapolation boundary_of(const extrapolation &c, int face)
{
  return (hymgi_extrapolation)((int)(c.kinds << (28 - 4 * face)) >> 28);
}

/* ---- one line of cells normal to a boundary ---- */

/* The first cells inside; as many as the extrapolation has terms, the others 0. */
struct inside {
  hymgi_real x1, x2, x3, x4;
};

/* x(m): m cells further in than the one at the boundary */
template <typename X>
__device__ __forceinline__ inside inside_of(hymgi_extrapolation ghost_kind, const X &x)
{
  inside v = {};
  v.x1 = x(0);
  if (hymgi_is_wide(ghost_kind) || ghost_kind == HYMGI_QUADRATIC_GHOST) v.x2 = x(1);
  if (hymgi_is_wide(ghost_kind)) v.x3 = x(2), v.x4 = x(3);
  return v;
}

__device__ __forceinline__ hymgi_real first_ghost(hymgi_extrapolation ghost_kind, const inside &v)
{
  return ghost_kind == HYMGI_QUARTIC_GHOST     ? hymgi_ghost_v4(v.x1, v.x2, v.x3, v.x4)
         : ghost_kind == HYMGI_QUADRATIC_GHOST ? hymgi_ghost_v2(v.x1, v.x2)
         : ghost_kind == HYMGI_LINEAR_GHOST    ? -v.x1
         : ghost_kind == HYMGI_NEUMANN_GHOST   ? hymgi_neumann_ghost(1, v.x1, v.x2, v.x3, v.x4)
                                               : v.x1;
}

__device__ __forceinline__ hymgi_real second_ghost(hymgi_extrapolation ghost_kind, const inside &v)
{
  return hymgi_is_wide(ghost_kind) ? hymgi_wide_ghost(ghost_kind, 2, v.x1, v.x2, v.x3, v.x4) : 0;
}

/* The line of cells inside that belongs to a coordinate; step 0: the coordinate is inside, or in a
 * neighbour's halo. */
struct line {
  int start, step;
  hymgi_extrapolation ghost_kind;
  bool second;
};

template <int AXIS>
__device__ __forceinline__ line line_of(const extrapolation &c, const hymgi_geom &g, int at)
{
  const int n = g.n[AXIS];
  const bool low = at < 0 && (g.boundaries >> (2 * AXIS) & 1),
             high = at >= n && (g.boundaries >> (2 * AXIS + 1) & 1);
  line l;
  l.start = low ? 0 : high ? n - 1 : at;
  l.step = low ? 1 : high ? -1 : 0;
  l.ghost_kind = low || high ? boundary_of(c, 2 * AXIS + high) : HYMGI_MIRROR_GHOST;
  l.second = low ? at < -1 : high && at > n;
  return l;
}

template <typename X> __device__ __forceinline__ hymgi_real along(const line &l, const X &x)
{
  if (l.second && !hymgi_is_wide(l.ghost_kind)) return 0;
  const inside v = inside_of(l.ghost_kind, [&](int m) { return x(l.start + m * l.step); });
  return l.second ? second_ghost(l.ghost_kind, v) : first_ghost(l.ghost_kind, v);
}

/* ---- boundary data and Robin conditions ---- */

/* A ghost off a boundary of AXIS with the boundary's condition and data, which only the first layer
 * has. Called where no axis before AXIS is beyond a boundary: its extrapolation includes them. first(m):
 * the value of the cell m inside, 0 or n - 1. */
template <int AXIS, typename First>
__device__ __forceinline__ hymgi_real with_data(const extrapolation &c, const hymgi_geom &g, int i,
                                                int j, int k, hymgi_real ghost, const First &first)
{
  const int ijk[3] = {i, j, k}, u = AXIS == 0 ? 1 : 0, v = AXIS == 2 ? 1 : 2;
  const bool low = ijk[AXIS] == -1 && (g.boundaries >> (2 * AXIS) & 1),
             high = ijk[AXIS] == g.n[AXIS] && (g.boundaries >> (2 * AXIS + 1) & 1);
  const double *const plane = low ? c.data[2 * AXIS] : high ? c.data[2 * AXIS + 1] : NULL;
  const double *const robin = low ? c.robin[2 * AXIS] : high ? c.robin[2 * AXIS + 1] : NULL;
  if ((!plane && !robin) || ijk[u] < -1 || ijk[u] > g.n[u] || ijk[v] < -1 || ijk[v] > g.n[v])
    return ghost;
  const hymgi_extrapolation ghost_kind = boundary_of(c, 2 * AXIS + high);
  double x1 = robin ? (double)first(high ? g.n[AXIS] - 1 : 0) : 0;
  return (hymgi_real)hymgi_ghost_with(x1, (double)ghost, hymgi_data_weight(ghost_kind),
                                      c.stiffness[2 * AXIS + high], robin, plane,
                                      hymgi_boundary_at(&g, 2 * AXIS + high, ijk));
}

/* ---- any cell ---- */

template <typename Read>
__device__ __forceinline__ hymgi_real extrapolated_z(const extrapolation &c, const hymgi_geom &g,
                                                     const Read &read, int i, int j, int k)
{
  /* not const: nvcc 13.0 crashes on a const double that a lambda initialises */
  const auto x = [&](int at) { return read(i, j, at); };
  hymgi_real ghost = along(line_of<2>(c, g, k), x);
  return with_data<2>(c, g, i, j, k, ghost, x);
}

template <typename Read>
__device__ __noinline__ hymgi_real extrapolated_yz(const extrapolation &c, const hymgi_geom g,
                                                   const Read read, int i, int j, int k)
{
  const auto x = [&](int at) { return extrapolated_z(c, g, read, i, at, k); };
  hymgi_real ghost = along(line_of<1>(c, g, j), x);
  return with_data<1>(c, g, i, j, k, ghost, x);
}

__device__ __forceinline__ bool is_beyond(const hymgi_geom &g, int axis, int at)
{
  return (at < 0 && (g.boundaries >> (2 * axis) & 1)) ||
         (at >= g.n[axis] && (g.boundaries >> (2 * axis + 1) & 1));
}

/* The ghost (i, j, k), two layers beyond the box at most. read(i, j, k) is called only for cells
 * that are not beyond a boundary, a neighbour's halo among them. */
template <typename Read>
__device__ __noinline__ hymgi_real extrapolated_xyz(const extrapolation &c, const hymgi_geom g,
                                                    const Read read, int i, int j, int k)
{
  const line l = line_of<0>(c, g, i);
  const bool beyond = is_beyond(g, 1, j) || is_beyond(g, 2, k);
  hymgi_real ghost;
  if (beyond)
    ghost = along(l, [&](int at) { return extrapolated_yz(c, g, read, at, j, k); });
  else
    ghost = along(l, [&](int at) { return read(at, j, k); });
  return with_data<0>(c, g, i, j, k, ghost, [&](int at) {
    return beyond ? extrapolated_yz(c, g, read, at, j, k) : read(at, j, k);
  });
}

} /* namespace */

#endif
