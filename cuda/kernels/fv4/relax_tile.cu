/* FV4's smoothers without colours on plain rows: the form for small levels, a cell a thread. A block
 * loads a tile of x with its halo into shared memory and fills the boundary ghosts there; faces and what else no
 * kernel in flight writes are on their way before the kernel waits for the one before it. */
#include "kernels/fv4/tile.cuh"
#include "kernels/kernels.h"
namespace
{

struct relax_args {
  hymgi_geom g;
  operator_view v;
  hymgi_relaxation r;
  hymgi_extrapolation ghost_kind[6];
  int tiles[3];
};

template <typename TILE, bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(TILE::x *TILE::y *TILE::z, 512 / (TILE::x * TILE::y * TILE::z))
    fv4_relax_tile(const __grid_constant__ relax_args a)
{
  constexpr int threads = TILE::x * TILE::y * TILE::z,
                loads = (TILE::cells + threads - 1) / threads;
  __shared__ double tile[TILE::cells];
  const int id = (int)threadIdx.x, in_x = id % TILE::x, in_y = id / TILE::x % TILE::y,
            in_z = id / TILE::x / TILE::y;
  const hymgi_geom &g = a.g;
  const hymgi_relaxation &r = a.r;
  int low[3];
  place_tile<TILE>(a.tiles, low);
  const int i = low[0] + in_x, j = low[1] + in_y, k = low[2] + in_z;
  const bool inside = i < g.n[0] && j < g.n[1] && k < g.n[2];
  const place p = place_of(g, 0, i, j, k);
  double b[30], f = 0, prev = 0, scale = 0, alpha = 0;
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    scale = (r.scale ? r.scale : a.v.dinv)[p.own];
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (r.old) f = r.f[p.own];
    if (r.old && r.prev) prev = r.prev[p.own];
  }
  const double *from[loads];
  find_share<TILE, threads, ALONE>(
      g, low, [&](int ti, int tj, int tk) { return r.x + hymgi_at(&g, ti, tj, tk); }, from);
  wait_for_predecessors();
  let_successors_start();
  if (inside && !r.old) f = r.f[p.own];
  if (inside && !r.old && r.prev) prev = r.prev[p.own];
  load_share<TILE, threads>(from, tile);
  fill_tile_ghosts<TILE, threads>(g, a.ghost_kind, low, tile);
  if (!inside) return;
  const double *const c =
      tile + ((in_z + TILE_HALO) * TILE::high + in_y + TILE_HALO) * TILE::wide + in_x + TILE_HALO;
  const double apply = apply_in_tile<TILE, VARIABLE>(a.v, c, b);
  const double residual = f - fv4_with_alpha(a.v, apply, c[0], alpha);
  const double x = hymgi_relax(c[0], r.residual * scale, residual);
  r.out[p.own] = r.prev ? hymgi_add_momentum(x, r.momentum, c[0], prev) : x;
}

template <typename TILE> void run(const hymgi_level *level, const hymgi_relaxation *relaxation)
{
  relax_args a = {};
  a.g = level->box[0];
  a.v = view_of(level);
  a.r = *relaxation;
  boundaries_of(level, a.ghost_kind);
  const unsigned tiles = tiles_of<TILE>(level->box, a.tiles);
  const bool variable = level->method->variable_beta, alone = a.g.boundaries == 63;
  hymgi_launch(
      level->context,
      variable ? (alone ? fv4_relax_tile<TILE, true, true> : fv4_relax_tile<TILE, true, false>)
               : (alone ? fv4_relax_tile<TILE, false, true> : fv4_relax_tile<TILE, false, false>),
      dim3(tiles), dim3(TILE::x * TILE::y * TILE::z), a);
}

using small_tile = tile_shape<16, 4, 4>;

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_tiles(const hymgi_level *level)
{
  return fits_tiles<small_tile>(level);
}

extern "C" void hymgi_cuda_fv4_relax_tile(const hymgi_level *level,
                                          const hymgi_relaxation *relaxation)
{
  run<small_tile>(level, relaxation);
}
