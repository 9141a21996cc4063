/* FV4 red-black Gauss-Seidel on split rows: the form for small levels. A block loads a tile of x
 * with its rim into shared memory, closes the walls there and updates one colour; faces, f and
 * 1/diag are on their way before the kernel waits for the one before it. Ghosts that are no wall's
 * are in memory. */
#include "fv4_exchange.cuh"
#include "fv4_tile.cuh"
#include "gsrb_args.cuh"

namespace
{

using shape_of_tile = tile_shape<8, 8, 8>;
enum { TILE = 8, WIDE = shape_of_tile::wide, CELLS = shape_of_tile::cells };
enum { THREADS = TILE / 2 * TILE * TILE, LOADS = (CELLS + THREADS - 1) / THREADS };

struct tile_args {
  gsrb_args base;
  hymgi_wall wall[6];
  int tiles[3];
};

/* Boxes without neighbours carry no messages along. */
template <bool ALONE> struct tile_sender {
  halo_sender to;
};
template <> struct tile_sender<true> {
};

template <bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(THREADS, 2)
    sweep_tile(const __grid_constant__ tile_args args,
               const __grid_constant__ tile_sender<ALONE> send)
{
  __shared__ double tile[CELLS];
  const gsrb_args &a = args.base;
  const int id = (int)threadIdx.x;
  const hymgi_geom g = a.boxes.one;
  const int block = (int)blockIdx.x, bx = block % args.tiles[0];
  const int by = block / args.tiles[0] % args.tiles[1], bz = block / args.tiles[0] / args.tiles[1];
  const int low[3] = {bx * TILE, by * TILE, bz * TILE};
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
#pragma unroll
  for (int m = 0; m < LOADS; m++) {
    const int e = id + m * THREADS;
    const int i = low[0] - RIM + e % WIDE, jj = low[1] - RIM + e / WIDE % WIDE;
    const int kk = low[2] - RIM + e / WIDE / WIDE;
    const bool there = e < CELLS && in_memory<ALONE>(g, 0, i) && in_memory<ALONE>(g, 1, jj) &&
                       in_memory<ALONE>(g, 2, kk);
    const bool mine = ((i + jj + kk + g.parity + a.colour) & 1) == 0;
    from[m] = there ? (mine ? a.own : a.other) + hymgi_at(&g, i, jj, kk) : NULL;
  }
  wait_for_predecessors();
  unsigned long long exchange = 0;
  if constexpr (!ALONE) {
    if (send.to.bricks > 0) exchange = begin_exchange(send.to.exchanges, send.to.others);
  }
  let_successors_start();
  if (inside && !a.f_is_old) f = a.f[p.own];
  double value[LOADS];
#pragma unroll
  for (int m = 0; m < LOADS; m++)
    value[m] = from[m] ? *from[m] : 0;
#pragma unroll
  for (int m = 0; m < LOADS; m++)
    if (id + m * THREADS < CELLS) tile[id + m * THREADS] = value[m];
  close_tile<shape_of_tile, THREADS>(g, args.wall, low, tile);
  if (!inside) return;
  const double *const c =
      tile + ((k - low[2] + RIM) * WIDE + j - low[1] + RIM) * WIDE + p.i - low[0] + RIM;
  const double ax = fv4_apply_with<VARIABLE>(
      [&](int di, int dj, int dk) { return c[(dk * WIDE + dj) * WIDE + di]; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? b[face_of(axis, di, dj, dk)] : a.v.beta_constant[axis];
      });
  const double updated = hymgi_fma(scale, f - fv4_with_alpha(a.v, ax, c[0], alpha), c[0]);
  a.out[p.own] = updated;
  if constexpr (!ALONE) {
    if (send.to.bricks > 0) send_cell(send.to, exchange, a.colour, t, j, k, updated);
  }
}

bool fits(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  int tiles[3];
  return level->num_boxes == 1 && g->split && tiles_of<shape_of_tile>(g, tiles) > 0 &&
         (int64_t)g->n[0] * g->n[1] * g->n[2] < level->context->gpu->choice.fv4_march_from;
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_closes(const hymgi_level *level)
{
  return level->method->stencil == HYMG_FV4 && fits(level);
}

extern "C" bool hymgi_cuda_fv4_tile(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  if (!hymgi_cuda_fv4_closes(level)) return false;
  tile_args a = {};
  a.base = gsrb_args_of(level, half);
  walls_of(level, a.wall);
  const unsigned tiles = tiles_of<shape_of_tile>(level->box, a.tiles);
  const dim3 grid(tiles), block(THREADS);
  const bool variable = level->method->variable_beta;
  if (level->box->walls == 63) {
    hymgi_launch(level->context, variable ? sweep_tile<true, true> : sweep_tile<false, true>, grid,
                 block, a, tile_sender<true>{});
    return true;
  }
  tile_sender<false> send = {};
  if (half->sends) send.to = sender_of(half->sends);
  hymgi_launch(level->context, variable ? sweep_tile<true, false> : sweep_tile<false, false>, grid,
               block, a, send);
  return true;
}
