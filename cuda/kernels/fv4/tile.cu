/* FV4's smoothers that update all cells at once (plain rows) and the restriction of its residual
 * (either layout): the form for small levels, one thread per cell. A block loads a tile of x with
 * its halo into shared memory and fills the boundary ghosts there, so that no other kernel has to;
 * faces and whatever else no kernel in flight writes are loaded before it waits for its
 * predecessor. Bytes per cell of the restriction: x 8, f 8, betas 24, means 1, zeros 1 once from
 * memory; from L1 5 cells of x (a tile with its halo) and 30 faces. */
#include "kernels/fv4/tile.cuh"
#include "kernels/gsrb_args.cuh"
#include "runtime/launch.cuh"

namespace
{

/* Extents are even, so that the 8 cells of a mean lie in one tile. */
using tile_cells = tile_shape<16, 4, 4>;
enum { THREADS = tile_cells::x * tile_cells::y * tile_cells::z };

struct tile_args {
  hymgi_geom g, patch;
  operator_view v;
  hymgi_extrapolation ghost_kind[6];
  int tiles[3];
  hymgi_relaxation r;    /* residual_mean: f and x */
  double *coarse, *zero; /* zero: NULL, or a vector that gets zeros where coarse gets means */
};

/* Means of the tile's residuals in the host's order: the cells of a row first. */
__device__ __forceinline__ void store_tile_means(const tile_args &a, const int (&low)[3],
                                                 const double *residual)
{
  const int id = (int)threadIdx.x;
  const int x = id % (tile_cells::x / 2), y = id / (tile_cells::x / 2) % (tile_cells::y / 2);
  const int z = id / (tile_cells::x / 2) / (tile_cells::y / 2);
  const int I = low[0] / 2 + x, J = low[1] / 2 + y, K = low[2] / 2 + z;
  if (z >= tile_cells::z / 2 || I >= a.patch.n[0] || J >= a.patch.n[1] || K >= a.patch.n[2]) return;
  const auto pair = [&](int jj, int kk) {
    const double *const row =
        residual + ((2 * z + kk) * tile_cells::y + 2 * y + jj) * tile_cells::x + 2 * x;
    return row[0] + row[1];
  };
  const ptrdiff_t at = hymgi_at(&a.patch, I, J, K);
  a.coarse[at] = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  if (a.zero) a.zero[at] = 0;
}

/* JOB: relax or residual_mean. */
template <typename JOB, bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(THREADS, 2) fv4_tile(const __grid_constant__ tile_args a)
{
  constexpr bool RELAX = std::is_same_v<JOB, relax>;
  __shared__ double tile[tile_cells::cells], part[RELAX ? 1 : THREADS];
  const int id = (int)threadIdx.x, in_x = id % tile_cells::x;
  const int in_y = id / tile_cells::x % tile_cells::y, in_z = id / tile_cells::x / tile_cells::y;
  const hymgi_geom &g = a.g;
  const hymgi_relaxation &r = a.r;
  int low[3];
  place_tile<tile_cells>(a.tiles, low);
  const int i = low[0] + in_x, j = low[1] + in_y, k = low[2] + in_z;
  const bool inside = i < g.n[0] && j < g.n[1] && k < g.n[2];
  const place p = RELAX || !g.split ? place_of(g, 0, i, j, k)
                                    : place_of(g, (i + j + k + g.parity) & 1, i / 2, j, k);
  double b[30], f = 0, prev = 0, scale = 0, alpha = 0;
  const auto load = [&] {
    f = r.f[p.own];
    if (RELAX && r.prev) prev = r.prev[p.own];
  };
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    if (RELAX) scale = (r.scale ? r.scale : a.v.dinv)[p.own];
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (RELAX && r.old) load();
  }
  const double *from[(tile_cells::cells + THREADS - 1) / THREADS];
  find_share<tile_cells, THREADS, ALONE>(
      g, low, [&](int ti, int tj, int tk) { return r.x + hymgi_at(&g, ti, tj, tk); }, from);
  wait_for_predecessors();
  let_successors_start();
  if (inside && !(RELAX && r.old)) load();
  load_share<tile_cells, THREADS>(from, tile);
  fill_tile_ghosts<tile_cells, THREADS>(g, a.ghost_kind, low, tile);
  const double *const c =
      tile + ((in_z + TILE_HALO) * tile_cells::high + in_y + TILE_HALO) * tile_cells::wide + in_x +
      TILE_HALO;
  double residual = 0;
  if (inside)
    residual = f - fv4_with_alpha(a.v, apply_in_tile<tile_cells, VARIABLE>(a.v, c, b), c[0], alpha);
  if (RELAX) {
    if (!inside) return;
    const double x = hymgi_relax(c[0], r.residual * scale, residual);
    r.out[p.own] = r.prev ? hymgi_add_momentum(x, r.momentum, c[0], prev) : x;
  } else {
    part[id] = residual;
    __syncthreads();
    store_tile_means(a, low, part);
  }
}

template <typename JOB> void launch_tile(const hymgi_level *level, tile_args a)
{
  a.g = level->box[0];
  a.v = view_of(level);
  boundaries_of(level, a.ghost_kind);
  const unsigned tiles = tiles_of<tile_cells>(level->box, a.tiles);
  with_bools(
      [&](auto variable, auto alone) {
        hymgi_launch(level->context, fv4_tile<JOB, variable, alone>, dim3(tiles), dim3(THREADS), a);
      },
      level->method->variable_beta, a.g.boundaries == 63);
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_tiles(const hymgi_level *level)
{
  return fits_tiles<tile_cells>(level);
}

extern "C" void hymgi_cuda_fv4_relax_tile(const hymgi_level *level,
                                          const hymgi_relaxation *relaxation)
{
  tile_args a = {};
  a.r = *relaxation;
  launch_tile<relax>(level, a);
}

extern "C" void hymgi_cuda_fv4_restrict_tile(const hymgi_level *level,
                                             const hymgi_restriction *restriction)
{
  tile_args a = {};
  a.patch = level->patch[0];
  a.r.f = level->f;
  a.r.x = level->x;
  a.coarse = restriction->coarse;
  a.zero = restriction->zero;
  launch_tile<residual_mean>(level, a);
}
