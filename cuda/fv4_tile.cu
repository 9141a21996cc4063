/* FV4 red-black Gauss-Seidel on split rows: the form for small levels. A block loads a tile of x
 * with its rim into shared memory, closes the walls there and updates one colour; faces, f and
 * 1/diag are on their way before the kernel waits for the one before it. Ghosts that are no wall's
 * are in memory. */
#include "fv4_exchange.cuh"
#include "gsrb_args.cuh"

extern "C" {
#include "wall_kind.h"
}

namespace
{

enum { TILE = 8, RIM = 2, WIDE = TILE + 2 * RIM, CELLS = WIDE * WIDE * WIDE };
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

/* Both ghost layers off a wall from the cells inside, x1 at line[0]. */
__device__ __forceinline__ void close_line(hymgi_wall wall, double *line, int stride)
{
  const double x1 = line[0], x2 = line[stride], x3 = line[2 * stride], x4 = line[3 * stride];
  line[-stride] = wall == HYMGI_WALL_V4   ? hymgi_ghost_v4(x1, x2, x3, x4)
                  : wall == HYMGI_WALL_V2 ? hymgi_ghost_v2(x1, x2)
                                          : -x1;
  line[-2 * stride] = wall == HYMGI_WALL_V4 ? hymgi_ghost2_v4(x1, x2, x3, x4) : 0;
}

/* The ten faces of an axis that a cell's fluxes name: low and high, each with four around. */
__device__ __forceinline__ constexpr int face_of(int axis, int di, int dj, int dk)
{
  const int high = axis == 0 ? di : axis == 1 ? dj : dk;
  const int u = axis == 0 ? dj : di, v = axis == 2 ? dj : dk;
  return 10 * axis + 5 * high + (u == 1 ? 1 : u == -1 ? 2 : v == 1 ? 3 : v == -1 ? 4 : 0);
}

/* Is the index a cell's, or a ghost's across a face that is no wall? ALONE: all are walls. */
template <bool ALONE>
__device__ __forceinline__ bool in_memory(const hymgi_geom &g, int axis, int index)
{
  if (ALONE) return index >= 0 && index < g.n[axis];
  const int below = g.walls >> (2 * axis) & 1 ? 0 : RIM;
  const int above = g.walls >> (2 * axis + 1) & 1 ? 0 : RIM;
  return index >= -below && index < g.n[axis] + above;
}

/* Closes the walls of one axis in the tile: the ghosts from the cells inside. */
__device__ __forceinline__ void close_axis(const tile_args &a, const hymgi_geom &g, int axis,
                                           int low, int stride, int u_stride, int v_stride,
                                           double *tile)
{
  const bool first = (g.walls >> (2 * axis) & 1) && low == 0;
  const bool last = (g.walls >> (2 * axis + 1) & 1) && low + TILE >= g.n[axis];
  if (first || last)
    for (int e = (int)threadIdx.x; e < WIDE * WIDE; e += THREADS) {
      double *const line = tile + e % WIDE * u_stride + e / WIDE * v_stride + RIM * stride;
      if (first) close_line(a.wall[2 * axis], line, stride);
      if (last) close_line(a.wall[2 * axis + 1], line + (g.n[axis] - 1 - low) * stride, -stride);
    }
  if (first || last) __syncthreads();
}

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
    if (VARIABLE)
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int m = 0; m < 5; m++) {
          const int u = m == 1 ? 1 : m == 2 ? -1 : 0, v = m == 3 ? 1 : m == 4 ? -1 : 0;
          b[5 * h + m] = a.v.beta[0][at(p, h, u, v)];
          b[10 + 5 * h + m] = a.v.beta[1][at(p, u, h, v)];
          b[20 + 5 * h + m] = a.v.beta[2][at(p, u, v, h)];
        }
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
    if (send.to.bricks > 0) exchange = begin_exchange(send.to);
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
  __syncthreads();
  close_axis(args, g, 2, low[2], WIDE * WIDE, 1, WIDE, tile);
  close_axis(args, g, 1, low[1], WIDE, 1, WIDE * WIDE, tile);
  close_axis(args, g, 0, low[0], 1, WIDE, WIDE * WIDE, tile);
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

/* A tile that ends at a wall must hold the cells that the closure reads. */
bool fits(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  if (level->num_boxes != 1 || !g->split) return false;
  for (int axis = 0; axis < 3; axis++)
    if (g->n[axis] < 4 || (g->n[axis] % TILE > 0 && g->n[axis] % TILE < 2)) return false;
  return (int64_t)g->n[0] * g->n[1] * g->n[2] < level->context->gpu->choice.fv4_march_from;
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
  for (int face = 0; face < 6; face++)
    a.wall[face] = hymgi_host_wall(level, face, HYMGI_GHOSTS_V4);
  unsigned tiles = 1;
  for (int axis = 0; axis < 3; axis++) {
    a.tiles[axis] = (a.base.extent[axis] + TILE - 1) / TILE;
    tiles *= (unsigned)a.tiles[axis];
  }
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
