/* What FV4's tile kernels for small levels share (smoothers, restriction of the residual): a block
 * loads a tile of x with its halo into shared memory and fills the boundary ghosts there.
 * Neighbours' ghosts are in memory. */
#ifndef HYMGI_KERNELS_FV4_TILE_CUH
#define HYMGI_KERNELS_FV4_TILE_CUH

#include "device/stencil_access.cuh"

extern "C" {
#include "formulas/boundary.h"
#include "formulas/extrapolation.h"
}

namespace
{

enum { TILE_HALO = 2 };

/* A tile of X * Y * Z cells and its halo. */
template <int X, int Y, int Z> struct tile_shape {
  static constexpr int x = X, y = Y, z = Z;
  static constexpr int wide = X + 2 * TILE_HALO, high = Y + 2 * TILE_HALO, deep = Z + 2 * TILE_HALO;
  static constexpr int cells = wide * high * deep;
};

/* Both ghost layers off a boundary from the cells inside, x1 at line[0]. */
__device__ __forceinline__ void fill_line(hymgi_extrapolation ghost_kind, double *line, int stride)
{
  const double x1 = line[0], x2 = line[stride], x3 = line[2 * stride], x4 = line[3 * stride];
  line[-stride] = ghost_kind == HYMGI_QUARTIC_GHOST     ? hymgi_ghost_v4(x1, x2, x3, x4)
                  : ghost_kind == HYMGI_QUADRATIC_GHOST ? hymgi_ghost_v2(x1, x2)
                                                        : -x1;
  line[-2 * stride] = ghost_kind == HYMGI_QUARTIC_GHOST ? hymgi_ghost2_v4(x1, x2, x3, x4) : 0;
}

/* The ten faces of an axis that a cell's fluxes use: low and high, each with four around. */
__device__ __forceinline__ constexpr int face_of(int axis, int di, int dj, int dk)
{
  const int high = axis == 0 ? di : axis == 1 ? dj : dk;
  const int u = axis == 0 ? dj : di, v = axis == 2 ? dj : dk;
  return 10 * axis + 5 * high + (u == 1 ? 1 : u == -1 ? 2 : v == 1 ? 3 : v == -1 ? 4 : 0);
}

/* Is the index a cell's or a neighbour's ghost's? ALONE: all faces are boundaries. */
template <bool ALONE>
__device__ __forceinline__ bool in_memory(const hymgi_geom &g, int axis, int index)
{
  if (ALONE) return index >= 0 && index < g.n[axis];
  const int below = g.boundaries >> (2 * axis) & 1 ? 0 : TILE_HALO;
  const int above = g.boundaries >> (2 * axis + 1) & 1 ? 0 : TILE_HALO;
  return index >= -below && index < g.n[axis] + above;
}

/* Loads the faces that a cell's fluxes use. */
__device__ __forceinline__ void load_faces(const operator_view &v, const place &p, double (&b)[30])
{
#pragma unroll
  for (int h = 0; h < 2; h++)
#pragma unroll
    for (int m = 0; m < 5; m++) {
      const int u = m == 1 ? 1 : m == 2 ? -1 : 0, w = m == 3 ? 1 : m == 4 ? -1 : 0;
      b[5 * h + m] = v.beta[0][at(p, h, u, w)];
      b[10 + 5 * h + m] = v.beta[1][at(p, u, h, w)];
      b[20 + 5 * h + m] = v.beta[2][at(p, u, w, h)];
    }
}

/* A block's place among a level's tiles: its lowest cell. */
template <typename TILE>
__device__ __forceinline__ void place_tile(const int (&tiles)[3], int (&low)[3])
{
  const int block = (int)blockIdx.x, x = block % tiles[0];
  const int y = block / tiles[0] % tiles[1], z = block / tiles[0] / tiles[1];
  low[0] = x * TILE::x, low[1] = y * TILE::y, low[2] = z * TILE::z;
}

/* The addresses of a thread's share of the tile, NULL: nothing to read. to(i, j, k): a cell's. */
template <typename TILE, int THREADS, bool ALONE, int LOADS, typename To>
__device__ __forceinline__ void find_share(const hymgi_geom &g, const int (&low)[3], const To &to,
                                           const double *(&from)[LOADS])
{
#pragma unroll
  for (int m = 0; m < LOADS; m++) {
    const int e = (int)threadIdx.x + m * THREADS, i = low[0] - TILE_HALO + e % TILE::wide;
    const int j = low[1] - TILE_HALO + e / TILE::wide % TILE::high;
    const int k = low[2] - TILE_HALO + e / TILE::wide / TILE::high;
    const bool there = e < TILE::cells && in_memory<ALONE>(g, 0, i) && in_memory<ALONE>(g, 1, j) &&
                       in_memory<ALONE>(g, 2, k);
    const double *const cell = to(i, j, k);
    from[m] = there ? cell : NULL;
  }
}

template <typename TILE, int THREADS, int LOADS>
__device__ __forceinline__ void load_share(const double *const (&from)[LOADS], double *tile)
{
  const int id = (int)threadIdx.x;
  double value[LOADS];
#pragma unroll
  for (int m = 0; m < LOADS; m++)
    value[m] = from[m] ? *from[m] : 0;
#pragma unroll
  for (int m = 0; m < LOADS; m++)
    if (id + m * THREADS < TILE::cells) tile[id + m * THREADS] = value[m];
}

/* A x without the alpha term at a cell of the tile; b: load_faces. */
template <typename TILE, bool VARIABLE>
__device__ __forceinline__ double apply_in_tile(const operator_view &v, const double *cell,
                                                const double (&b)[30])
{
  return fv4_apply_with<VARIABLE>(
      [&](int di, int dj, int dk) { return cell[(dk * TILE::high + dj) * TILE::wide + di]; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? b[face_of(axis, di, dj, dk)] : v.beta_constant[axis];
      });
}

/* Fills the boundary ghosts along one axis in the tile, whose first cell is `low`. */
template <typename TILE, int THREADS, int AXIS>
__device__ __forceinline__ void fill_axis(const hymgi_geom &g,
                                          const hymgi_extrapolation (&ghost_kind)[6],
                                          const int (&low)[3], double *tile)
{
  constexpr int along_x = 1, along_y = TILE::wide, along_z = TILE::wide * TILE::high;
  constexpr int stride = AXIS == 0 ? along_x : AXIS == 1 ? along_y : along_z;
  constexpr int u_stride = AXIS == 0 ? along_y : along_x, v_stride = AXIS == 2 ? along_y : along_z;
  constexpr int nu = AXIS == 0 ? TILE::high : TILE::wide, nv = AXIS == 2 ? TILE::high : TILE::deep;
  constexpr int extent = AXIS == 0 ? TILE::x : AXIS == 1 ? TILE::y : TILE::z;
  const bool first = (g.boundaries >> (2 * AXIS) & 1) && low[AXIS] == 0;
  const bool last = (g.boundaries >> (2 * AXIS + 1) & 1) && low[AXIS] + extent >= g.n[AXIS];
  if (!first && !last) return;
  for (int e = (int)threadIdx.x; e < nu * nv; e += THREADS) {
    double *const line = tile + e % nu * u_stride + e / nu * v_stride + TILE_HALO * stride;
    if (first) fill_line(ghost_kind[2 * AXIS], line, stride);
    if (last)
      fill_line(ghost_kind[2 * AXIS + 1], line + (g.n[AXIS] - 1 - low[AXIS]) * stride, -stride);
  }
  __syncthreads();
}

template <typename TILE, int THREADS>
__device__ __forceinline__ void fill_tile_ghosts(const hymgi_geom &g,
                                                 const hymgi_extrapolation (&ghost_kind)[6],
                                                 const int (&low)[3], double *tile)
{
  __syncthreads();
  fill_axis<TILE, THREADS, 2>(g, ghost_kind, low, tile);
  fill_axis<TILE, THREADS, 1>(g, ghost_kind, low, tile);
  fill_axis<TILE, THREADS, 0>(g, ghost_kind, low, tile);
}

/* A level's tiles by axis; returns their number. A tile that ends at a boundary must hold the cells
 * from which ghosts are extrapolated: 0 if one does not. */
template <typename TILE> inline unsigned tiles_of(const hymgi_geom *g, int tiles[3])
{
  const int extent[3] = {TILE::x, TILE::y, TILE::z};
  unsigned count = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int n = g->n[axis];
    tiles[axis] = (n + extent[axis] - 1) / extent[axis];
    count *= n < 4 || n % extent[axis] == 1 ? 0 : (unsigned)tiles[axis];
  }
  return count;
}

/* Can the level be cut into tiles? */
template <typename TILE> inline bool fits_tiles(const hymgi_level *level)
{
  int tiles[3];
  return level->num_boxes == 1 && tiles_of<TILE>(level->box, tiles) > 0;
}

inline void boundaries_of(const hymgi_level *level, hymgi_extrapolation (&ghost_kind)[6])
{
  for (int face = 0; face < 6; face++)
    ghost_kind[face] = hymgi_extrapolation_of(level, face, HYMGI_GHOSTS_V4);
}

} /* namespace */

#endif
