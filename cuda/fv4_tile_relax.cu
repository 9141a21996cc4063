/* FV4's smoothers without colours on plain rows: the form for small levels, a cell a thread. A block
 * loads a tile of x with its rim into shared memory and closes the walls there; faces and what else no
 * kernel in flight writes are on their way before the kernel waits for the one before it. */
#include "fv4_tile.cuh"
#include "gsrb.h"

namespace
{

struct relax_args {
  hymgi_geom g;
  operator_view v;
  hymgi_relaxation r;
  hymgi_wall wall[6];
  int tiles[3];
};

/* The places of a thread's share of the tile: NULL where nothing is to be read. */
template <typename TILE, int THREADS, bool ALONE, int LOADS>
__device__ __forceinline__ void find_share(const hymgi_geom &g, const int (&low)[3],
                                           const double *x, const double *(&from)[LOADS])
{
#pragma unroll
  for (int m = 0; m < LOADS; m++) {
    const int e = (int)threadIdx.x + m * THREADS, i = low[0] - RIM + e % TILE::wide;
    const int j = low[1] - RIM + e / TILE::wide % TILE::high;
    const int k = low[2] - RIM + e / TILE::wide / TILE::high;
    const bool there = e < TILE::cells && in_memory<ALONE>(g, 0, i) && in_memory<ALONE>(g, 1, j) &&
                       in_memory<ALONE>(g, 2, k);
    from[m] = there ? x + hymgi_at(&g, i, j, k) : NULL;
  }
}

template <typename TILE, bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(TILE::x *TILE::y *TILE::z, 512 / (TILE::x * TILE::y * TILE::z))
    relax_tile(const __grid_constant__ relax_args a)
{
  constexpr int threads = TILE::x * TILE::y * TILE::z,
                loads = (TILE::cells + threads - 1) / threads;
  __shared__ double tile[TILE::cells];
  const int id = (int)threadIdx.x, in_x = id % TILE::x, in_y = id / TILE::x % TILE::y,
            in_z = id / TILE::x / TILE::y;
  const hymgi_geom &g = a.g;
  const hymgi_relaxation &r = a.r;
  const int block = (int)blockIdx.x;
  const int low[3] = {block % a.tiles[0] * TILE::x, block / a.tiles[0] % a.tiles[1] * TILE::y,
                      block / a.tiles[0] / a.tiles[1] * TILE::z};
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
  find_share<TILE, threads, ALONE>(g, low, r.x, from);
  wait_for_predecessors();
  let_successors_start();
  if (inside && !r.old) f = r.f[p.own];
  if (inside && !r.old && r.prev) prev = r.prev[p.own];
  double value[loads];
#pragma unroll
  for (int m = 0; m < loads; m++)
    value[m] = from[m] ? *from[m] : 0;
#pragma unroll
  for (int m = 0; m < loads; m++)
    if (id + m * threads < TILE::cells) tile[id + m * threads] = value[m];
  close_tile<TILE, threads>(g, a.wall, low, tile);
  if (!inside) return;
  const double *const c = tile + ((in_z + RIM) * TILE::high + in_y + RIM) * TILE::wide + in_x + RIM;
  const double apply = fv4_apply_with<VARIABLE>(
      [&](int di, int dj, int dk) { return c[(dk * TILE::high + dj) * TILE::wide + di]; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? b[face_of(axis, di, dj, dk)] : a.v.beta_constant[axis];
      });
  const double residual = f - fv4_with_alpha(a.v, apply, c[0], alpha);
  const double x = hymgi_fma(r.residual * scale, residual, c[0]);
  r.out[p.own] = r.prev ? hymgi_fma(r.momentum, c[0] - prev, x) : x;
}

template <typename TILE> bool run(const hymgi_level *level, const hymgi_relaxation *relaxation)
{
  relax_args a = {};
  a.g = level->box[0];
  a.v = view_of(level);
  a.r = *relaxation;
  walls_of(level, a.wall);
  const unsigned tiles = tiles_of<TILE>(level->box, a.tiles);
  const bool variable = level->method->variable_beta, alone = a.g.walls == 63;
  hymgi_launch(level->context,
               variable ? (alone ? relax_tile<TILE, true, true> : relax_tile<TILE, true, false>)
                        : (alone ? relax_tile<TILE, false, true> : relax_tile<TILE, false, false>),
               dim3(tiles), dim3(TILE::x * TILE::y * TILE::z), a);
  return true;
}

using small_tile = tile_shape<16, 4, 4>;

} /* namespace */

extern "C" bool hymgi_cuda_fv4_relax_closes(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  int tiles[3];
  return level->method->stencil == HYMG_FV4 && level->num_boxes == 1 && !g->split &&
         (int64_t)g->n[0] * g->n[1] * g->n[2] < level->context->gpu->choice.fv4_march_from &&
         tiles_of<small_tile>(g, tiles) > 0;
}

extern "C" bool hymgi_cuda_fv4_relax_tile(const hymgi_level *level,
                                          const hymgi_relaxation *relaxation)
{
  return hymgi_cuda_fv4_relax_closes(level) && run<small_tile>(level, relaxation);
}
