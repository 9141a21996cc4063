/* FV4's residual and its restriction: the form for small levels, a cell a thread, rows of either layout.
 * A block loads a tile of x with its halo into shared memory and fills the boundary ghosts there, as the smoothers
 * for such levels do, so that no kernel before it writes ghosts; faces are on their way before it waits
 * for the one before. Extents of tiles are even: the 8 cells of a mean lie in one.
 *
 * One launch, and none that fills boundary ghosts. Bytes per cell: x 8, f 8, betas 24, means 1, zeros 1 once from
 * memory; from the first-level cache 5 cells of x, as a tile has with its halo, and 30 faces. */
#include "kernels/fv4/tile.cuh"
#include "kernels/kernels.h"
namespace
{

struct restrict_tile_args {
  hymgi_geom g, patch;
  operator_view v;
  hymgi_extrapolation ghost_kind[6];
  int tiles[3];
  const double *f, *x;
  double *coarse, *zero; /* zero: NULL, or a vector that gets zeros where coarse gets means */
};

/* The place of a cell in either layout. */
__device__ __forceinline__ place place_of_cell(const hymgi_geom &g, int i, int j, int k)
{
  if (!g.split) return place_of(g, 0, i, j, k);
  return place_of(g, (i + j + k + g.parity) & 1, i / 2, j, k);
}

/* Means of the tile's residuals in the host's order: the cells of a row first. */
template <typename TILE>
__device__ __forceinline__ void store_means(const restrict_tile_args &a, const int (&low)[3],
                                            const double *residual)
{
  const int id = (int)threadIdx.x;
  const int x = id % (TILE::x / 2), y = id / (TILE::x / 2) % (TILE::y / 2);
  const int z = id / (TILE::x / 2) / (TILE::y / 2);
  const int I = low[0] / 2 + x, J = low[1] / 2 + y, K = low[2] / 2 + z;
  if (z >= TILE::z / 2 || I >= a.patch.n[0] || J >= a.patch.n[1] || K >= a.patch.n[2]) return;
  const auto pair = [&](int jj, int kk) {
    const double *const row = residual + ((2 * z + kk) * TILE::y + 2 * y + jj) * TILE::x + 2 * x;
    return row[0] + row[1];
  };
  const ptrdiff_t at = hymgi_at(&a.patch, I, J, K);
  a.coarse[at] = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  if (a.zero) a.zero[at] = 0;
}

template <typename TILE, bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(TILE::x *TILE::y *TILE::z, 512 / (TILE::x * TILE::y * TILE::z))
    fv4_restrict_tile(const __grid_constant__ restrict_tile_args a)
{
  constexpr int threads = TILE::x * TILE::y * TILE::z,
                loads = (TILE::cells + threads - 1) / threads;
  __shared__ double tile[TILE::cells], part[threads];
  const int id = (int)threadIdx.x, in_x = id % TILE::x, in_y = id / TILE::x % TILE::y,
            in_z = id / TILE::x / TILE::y;
  const hymgi_geom &g = a.g;
  int low[3];
  place_tile<TILE>(a.tiles, low);
  const int i = low[0] + in_x, j = low[1] + in_y, k = low[2] + in_z;
  const bool inside = i < g.n[0] && j < g.n[1] && k < g.n[2];
  const place p = place_of_cell(g, i, j, k);
  double b[30], f = 0, alpha = 0;
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
  }
  const double *from[loads];
  find_share<TILE, threads, ALONE>(
      g, low, [&](int ti, int tj, int tk) { return a.x + hymgi_at(&g, ti, tj, tk); }, from);
  wait_for_predecessors();
  let_successors_start();
  if (inside) f = a.f[p.own];
  load_share<TILE, threads>(from, tile);
  fill_tile_ghosts<TILE, threads>(g, a.ghost_kind, low, tile);
  if (inside) {
    const double *const c =
        tile + ((in_z + TILE_HALO) * TILE::high + in_y + TILE_HALO) * TILE::wide + in_x + TILE_HALO;
    part[id] = f - fv4_with_alpha(a.v, apply_in_tile<TILE, VARIABLE>(a.v, c, b), c[0], alpha);
  }
  __syncthreads();
  store_means<TILE>(a, low, part);
}

using small_tile = tile_shape<16, 4, 4>;

template <typename TILE> void launch(const hymgi_level *level, restrict_tile_args a)
{
  static_assert(TILE::x % 2 == 0 && TILE::y % 2 == 0 && TILE::z % 2 == 0, "whole means");
  const unsigned tiles = tiles_of<TILE>(level->box, a.tiles);
  const bool variable = level->method->variable_beta, alone = a.g.boundaries == 63;
  hymgi_launch(
      level->context,
      variable
          ? (alone ? fv4_restrict_tile<TILE, true, true> : fv4_restrict_tile<TILE, true, false>)
          : (alone ? fv4_restrict_tile<TILE, false, true> : fv4_restrict_tile<TILE, false, false>),
      dim3(tiles), dim3(TILE::x * TILE::y * TILE::z), a);
}

} /* namespace */

extern "C" void hymgi_cuda_fv4_restrict_tile(const hymgi_level *level,
                                             const hymgi_restriction *restriction)
{
  restrict_tile_args a = {};
  a.g = level->box[0];
  a.patch = level->patch[0];
  a.v = view_of(level);
  boundaries_of(level, a.ghost_kind);
  a.f = level->f;
  a.x = level->x;
  a.coarse = restriction->coarse;
  a.zero = restriction->zero;
  launch<small_tile>(level, a);
}
