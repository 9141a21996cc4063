/* FV4 red-black Gauss-Seidel on split rows: the form for small levels. A block loads a tile of x
 * with its halo into shared memory, fills the boundary ghosts there and updates one colour; faces,
 * f and 1/diag are loaded before the kernel waits for its predecessor. The others are in memory. */
#include "device/fv4_send.cuh"
#include "kernels/fv4/tile.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

using shape_of_tile = tile_shape<8, 8, 8>;
enum { TILE = 8, WIDE = shape_of_tile::wide, CELLS = shape_of_tile::cells };
enum { THREADS = TILE / 2 * TILE * TILE, LOADS = (CELLS + THREADS - 1) / THREADS };

struct gsrb_tile_args {
  gsrb_args base;
  hymgi_extrapolation ghost_kind[6];
  int tiles[3];
};

/* Boxes without neighbours send nothing and have no arguments for it. */
template <bool ALONE> struct tile_sender {
  halo_sender to;
};
template <> struct tile_sender<true> {
};

template <bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(THREADS, 2)
    fv4_gsrb_tile(const __grid_constant__ gsrb_tile_args args,
                  const __grid_constant__ tile_sender<ALONE> send)
{
  __shared__ double tile[CELLS];
  const gsrb_args &a = args.base;
  const int id = (int)threadIdx.x;
  const hymgi_geom g = a.boxes.one;
  int low[3];
  place_tile<shape_of_tile>(args.tiles, low);
  const int t = low[0] / 2 + id % (TILE / 2), j = low[1] + id / (TILE / 2) % TILE;
  const int k = low[2] + id / (TILE / 2) / TILE;
  const bool inside = t < g.n[0] / 2 && j < g.n[1] && k < g.n[2];
  const place p = place_of(g, a.colour, t, j, k);
  double b[30], f = 0, scale = 0, alpha = 0;
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    scale = a.v.dinv[p.own];
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
  }
  const double *from[LOADS];
  find_share<shape_of_tile, THREADS, ALONE>(
      g, low,
      [&](int ti, int tj, int tk) {
        const bool mine = ((ti + tj + tk + g.parity + a.colour) & 1) == 0;
        return (mine ? a.own : a.other) + hymgi_at(&g, ti, tj, tk);
      },
      from);
  wait_for_predecessors();
  unsigned long long exchange = 0;
  if constexpr (!ALONE) {
    if (send.to.bricks > 0) exchange = begin_exchange(send.to.exchanges, send.to.others);
  }
  let_successors_start();
  if (inside && !a.f_is_old) f = a.f[p.own];
  load_share<shape_of_tile, THREADS>(from, tile);
  fill_tile_ghosts<shape_of_tile, THREADS>(g, args.ghost_kind, low, tile);
  if (!inside) return;
  const double *const c = tile + ((k - low[2] + TILE_HALO) * WIDE + j - low[1] + TILE_HALO) * WIDE +
                          p.i - low[0] + TILE_HALO;
  const double ax = apply_in_tile<shape_of_tile, VARIABLE>(a.v, c, b);
  const double updated = hymgi_relax(c[0], scale, f - fv4_with_alpha(a.v, ax, c[0], alpha));
  a.out[p.own] = updated;
  if constexpr (!ALONE) {
    if (send.to.bricks > 0) send_cell(send.to, exchange, a.colour, t, j, k, updated);
  }
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_gsrb_tiles(const hymgi_level *level)
{
  return fits_tiles<shape_of_tile>(level);
}

extern "C" void hymgi_cuda_fv4_gsrb_tile(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  gsrb_tile_args a = {};
  a.base = gsrb_args_of(level, half);
  boundaries_of(level, a.ghost_kind);
  const unsigned tiles = tiles_of<shape_of_tile>(level->box, a.tiles);
  const dim3 grid(tiles), block(THREADS);
  const bool variable = level->method->variable_beta;
  if (level->box->boundaries == 63) {
    hymgi_launch(level->context, variable ? fv4_gsrb_tile<true, true> : fv4_gsrb_tile<false, true>,
                 grid, block, a, tile_sender<true>{});
    return;
  }
  tile_sender<false> send = {};
  if (half->sends) send.to = sender_of(half->sends);
  hymgi_launch(level->context, variable ? fv4_gsrb_tile<true, false> : fv4_gsrb_tile<false, false>,
               grid, block, a, send);
}
