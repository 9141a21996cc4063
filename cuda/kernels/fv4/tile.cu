/* FV4 on small levels: half sweeps of red-black Gauss-Seidel (split rows), smoothers that update
 * all cells at once (plain rows), the restriction of the residual (either layout); one thread per
 * cell that is computed. A block loads a tile of x with its halo into shared memory and fills the
 * boundary ghosts there, so that no other kernel has to; neighbours' ghosts are in memory, unless the
 * neighbour is the box itself. Faces and whatever else no kernel in flight writes are loaded before it
 * waits for its predecessor. Bytes per cell of the restriction: x 8, f 8, betas 24, means 1, zeros 1 once from memory; from L1
 * 5 cells of x (a tile with its halo) and 30 faces. */
#include "device/fv4_send.cuh"
#include "device/ghosts.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

enum { TILE_HALO = 2, THREADS = 256 };

/* A tile of X * Y * Z cells and its halo. */
template <int X, int Y, int Z> struct tile_shape {
  static constexpr int x = X, y = Y, z = Z;
  static constexpr int wide = X + 2 * TILE_HALO, high = Y + 2 * TILE_HALO, deep = Z + 2 * TILE_HALO;
  static constexpr int cells = wide * high * deep, loads = (cells + THREADS - 1) / THREADS;

  /* A cell's place in the tile. */
  static __device__ __forceinline__ int at(const int (&low)[3], int i, int j, int k)
  {
    return ((k - low[2] + TILE_HALO) * high + j - low[1] + TILE_HALO) * wide + i - low[0] +
           TILE_HALO;
  }
};

struct tile_args : gsrb_args {
  extrapolation c;
  int tiles[3];
  bool at_once; /* all blocks run at the same time */
};

/* Where some blocks start only as others end, successors would take their places. sends: the next kernel
 * receives, and may start once the exchange has a number. */
__device__ __forceinline__ void let_successors_start(const tile_args &a, bool waited,
                                                     bool sends = false)
{
  if ((a.at_once && !sends) != waited) let_successors_start();
}

/* Both ghost layers off a boundary from the cells inside, x1 at line[0]. */
__device__ __forceinline__ void fill_line(hymgi_extrapolation ghost_kind, hymgi_real *line,
                                          int stride)
{
  const inside v = {line[0], line[stride], line[2 * stride], line[3 * stride]};
  line[-stride] = first_ghost(ghost_kind, v);
  line[-2 * stride] = second_ghost(ghost_kind, v);
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

/* The index of the cell that is meant: itself, but where the box wraps. */
template <bool ALONE>
__device__ __forceinline__ int cell_around(const hymgi_geom &g, int axis, int index)
{
  return !ALONE && g.wraps >> axis & 1 ? index_around(index, g.n[axis]) : index;
}

/* Loads the faces that a cell's fluxes use. */
__device__ __forceinline__ void load_faces(const operator_view &v, const place &p,
                                           hymgi_real (&b)[30])
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
template <typename TILE, bool ALONE, typename To>
__device__ __forceinline__ void find_share(const hymgi_geom &g, const int (&low)[3], const To &to,
                                           const hymgi_real *(&from)[TILE::loads])
{
#pragma unroll
  for (int m = 0; m < TILE::loads; m++) {
    const int e = (int)threadIdx.x + m * THREADS, i = low[0] - TILE_HALO + e % TILE::wide;
    const int j = low[1] - TILE_HALO + e / TILE::wide % TILE::high;
    const int k = low[2] - TILE_HALO + e / TILE::wide / TILE::high;
    const bool there = e < TILE::cells && in_memory<ALONE>(g, 0, i) && in_memory<ALONE>(g, 1, j) &&
                       in_memory<ALONE>(g, 2, k);
    const hymgi_real *const cell =
        to(cell_around<ALONE>(g, 0, i), cell_around<ALONE>(g, 1, j), cell_around<ALONE>(g, 2, k));
    from[m] = there ? cell : NULL;
  }
}

template <typename TILE>
__device__ __forceinline__ void load_share(const hymgi_real *const (&from)[TILE::loads],
                                           hymgi_real *tile)
{
  const int id = (int)threadIdx.x;
  hymgi_real value[TILE::loads];
#pragma unroll
  for (int m = 0; m < TILE::loads; m++)
    value[m] = from[m] ? *from[m] : 0;
#pragma unroll
  for (int m = 0; m < TILE::loads; m++)
    if (id + m * THREADS < TILE::cells) tile[id + m * THREADS] = value[m];
}

/* A x without the alpha term at a cell of the tile; b: load_faces. */
template <typename TILE, bool VARIABLE>
__device__ __forceinline__ hymgi_real apply_in_tile(const operator_view &v, const hymgi_real *cell,
                                                    const hymgi_real (&b)[30])
{
  return fv4_apply_with<VARIABLE>(
      [&](int di, int dj, int dk) { return cell[(dk * TILE::high + dj) * TILE::wide + di]; },
      [&](int axis, int di, int dj, int dk) {
        return VARIABLE ? b[face_of(axis, di, dj, dk)] : v.beta_constant[axis];
      });
}

/* Fills the boundary ghosts along one axis in the tile, whose first cell is `low`. */
template <typename TILE, int AXIS>
__device__ __forceinline__ void fill_axis(const tile_args &a, const int (&low)[3], hymgi_real *tile)
{
  const hymgi_geom &g = a.boxes.one;
  constexpr int along_x = 1, along_y = TILE::wide, along_z = TILE::wide * TILE::high;
  constexpr int stride = AXIS == 0 ? along_x : AXIS == 1 ? along_y : along_z;
  constexpr int u_stride = AXIS == 0 ? along_y : along_x, v_stride = AXIS == 2 ? along_y : along_z;
  constexpr int nu = AXIS == 0 ? TILE::high : TILE::wide, nv = AXIS == 2 ? TILE::high : TILE::deep;
  constexpr int extent = AXIS == 0 ? TILE::x : AXIS == 1 ? TILE::y : TILE::z;
  const bool first = (g.boundaries >> (2 * AXIS) & 1) && low[AXIS] == 0;
  const bool last = (g.boundaries >> (2 * AXIS + 1) & 1) && low[AXIS] + extent >= g.n[AXIS];
  if (!first && !last) return;
  for (int e = (int)threadIdx.x; e < nu * nv; e += THREADS) {
    hymgi_real *const line = tile + e % nu * u_stride + e / nu * v_stride + TILE_HALO * stride;
    if (first) fill_line(boundary_of(a.c, 2 * AXIS), line, stride);
    if (last)
      fill_line(boundary_of(a.c, 2 * AXIS + 1), line + (g.n[AXIS] - 1 - low[AXIS]) * stride,
                -stride);
  }
  __syncthreads();
}

template <typename TILE>
__device__ __forceinline__ void fill_tile_ghosts(const tile_args &a, const int (&low)[3],
                                                 hymgi_real *tile)
{
  __syncthreads();
  fill_axis<TILE, 2>(a, low, tile);
  fill_axis<TILE, 1>(a, low, tile);
  fill_axis<TILE, 0>(a, low, tile);
}

/* Can the level be cut into tiles? One that ends at a boundary must hold the cells from which
 * ghosts are extrapolated. */
template <typename TILE> bool fits_tiles(const hymgi_level *level)
{
  if (level->num_boxes != 1) return false;
  const int *n = level->box->n;
  return n[0] >= 4 && n[1] >= 4 && n[2] >= 4 && n[0] % TILE::x != 1 && n[1] % TILE::y != 1 &&
         n[2] % TILE::z != 1;
}

template <typename TILE> tile_args tile_args_of(const hymgi_level *level, const hymgi_sweep *sweep)
{
  const int *n = level->box->n;
  tile_args a = {gsrb_args_of(level, sweep),
                 extrapolation_of(level, HYMGI_GHOSTS_V4),
                 {(int)blocks_for(n[0], TILE::x), (int)blocks_for(n[1], TILE::y),
                  (int)blocks_for(n[2], TILE::z)},
                 false};
  const int64_t blocks = (int64_t)a.tiles[0] * a.tiles[1] * a.tiles[2];
  a.at_once = blocks <= level->context->gpu->multiprocessors;
  return a;
}

dim3 tiles_grid(const tile_args &a)
{
  return dim3((unsigned)(a.tiles[0] * a.tiles[1] * a.tiles[2]));
}

/* ---- sweeps, restriction ---- */

/* Extents are even, so that the 8 cells of a mean lie in one tile. */
using tile_cells = tile_shape<16, 4, 4>;
static_assert(tile_cells::x * tile_cells::y * tile_cells::z == THREADS, "a cell each");

/* Means of the tile's residuals in the host's order: the cells of a row first. */
__device__ __forceinline__ void store_tile_means(const tile_args &a, const int (&low)[3],
                                                 const hymgi_real *residual)
{
  const int id = (int)threadIdx.x;
  const int x = id % (tile_cells::x / 2), y = id / (tile_cells::x / 2) % (tile_cells::y / 2);
  const int z = id / (tile_cells::x / 2) / (tile_cells::y / 2);
  const int I = low[0] / 2 + x, J = low[1] / 2 + y, K = low[2] / 2 + z;
  const hymgi_geom &patch = a.patches.one;
  if (z >= tile_cells::z / 2 || I >= patch.n[0] || J >= patch.n[1] || K >= patch.n[2]) return;
  const auto pair = [&](int jj, int kk) {
    const hymgi_real *const row =
        residual + ((2 * z + kk) * tile_cells::y + 2 * y + jj) * tile_cells::x + 2 * x;
    return row[0] + row[1];
  };
  const ptrdiff_t at = hymgi_at(&patch, I, J, K);
  a.coarse[at] = hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
  if (a.zero) a.zero[at] = 0;
}

/* JOB: relax or residual_mean. */
template <typename JOB, bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(THREADS, 2) fv4_tile(const __grid_constant__ tile_args a)
{
  constexpr bool RELAX = std::is_same_v<JOB, relax>;
  __shared__ hymgi_real tile[tile_cells::cells], part[RELAX ? 1 : THREADS];
  let_successors_start(a, false);
  const int id = (int)threadIdx.x;
  const hymgi_geom &g = a.boxes.one;
  int low[3];
  place_tile<tile_cells>(a.tiles, low);
  const int i = low[0] + id % tile_cells::x, j = low[1] + id / tile_cells::x % tile_cells::y;
  const int k = low[2] + id / tile_cells::x / tile_cells::y;
  const bool inside = i < g.n[0] && j < g.n[1] && k < g.n[2];
  const place p = RELAX || !g.split ? place_of(g, 0, i, j, k)
                                    : place_of(g, (i + j + k + g.parity) & 1, i / 2, j, k);
  hymgi_real b[30], f = 0, prev = 0, scale = 0, alpha = 0;
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    if (RELAX) scale = a.scale[p.own];
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
  }
  const hymgi_real *from[tile_cells::loads];
  find_share<tile_cells, ALONE>(
      g, low, [&](int ti, int tj, int tk) { return a.own + hymgi_at(&g, ti, tj, tk); }, from);
  wait_for_predecessors();
  let_successors_start(a, true);
  if (inside) f = a.f[p.own];
  if (RELAX && inside && a.prev) prev = a.prev[p.own];
  load_share<tile_cells>(from, tile);
  fill_tile_ghosts<tile_cells>(a, low, tile);
  const hymgi_real *const c = tile + tile_cells::at(low, i, j, k);
  hymgi_real residual = 0;
  if (inside)
    residual = f - fv4_with_alpha(a.v, apply_in_tile<tile_cells, VARIABLE>(a.v, c, b), c[0], alpha);
  if (RELAX) {
    if (!inside) return;
    a.out[p.own] = relaxed(a, c[0], a.residual * scale, residual, prev);
  } else {
    part[id] = residual;
    __syncthreads();
    store_tile_means(a, low, part);
  }
}

/* ---- half sweeps ---- */

using gsrb_cells = tile_shape<8, 8, 8>;
static_assert(gsrb_cells::x / 2 * gsrb_cells::y * gsrb_cells::z == THREADS,
              "a cell of a colour each");

/* Boxes without neighbours send nothing and have no arguments for it. */
template <bool ALONE> struct tile_sender {
  halo_side to;
};
template <> struct tile_sender<true> {
};

template <bool ALONE>
__device__ __forceinline__ bool begins_exchange(const tile_sender<ALONE> &send)
{
  if constexpr (ALONE)
    return false;
  else
    return send.to.bricks > 0;
}

template <bool VARIABLE, bool ALONE>
__global__ void __launch_bounds__(THREADS, 2)
    fv4_gsrb_tile(const __grid_constant__ tile_args a,
                  const __grid_constant__ tile_sender<ALONE> send)
{
  __shared__ hymgi_real tile[gsrb_cells::cells];
  const bool sends = begins_exchange(send);
  let_successors_start(a, false, sends);
  const int id = (int)threadIdx.x;
  const hymgi_geom g = a.boxes.one;
  int low[3];
  place_tile<gsrb_cells>(a.tiles, low);
  const int t = low[0] / 2 + id % (gsrb_cells::x / 2);
  const int j = low[1] + id / (gsrb_cells::x / 2) % gsrb_cells::y;
  const int k = low[2] + id / (gsrb_cells::x / 2) / gsrb_cells::y;
  const bool inside = t < g.n[0] / 2 && j < g.n[1] && k < g.n[2];
  const place p = place_of(g, a.colour, t, j, k);
  hymgi_real b[30], f = 0, scale = 0, alpha = 0;
  if (inside) {
    if (VARIABLE) load_faces(a.v, p, b);
    scale = a.v.dinv[p.own];
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
  }
  const hymgi_real *from[gsrb_cells::loads];
  find_share<gsrb_cells, ALONE>(
      g, low,
      [&](int ti, int tj, int tk) {
        const bool mine = ((ti + tj + tk + g.parity + a.colour) & 1) == 0;
        return (mine ? a.own : a.other) + hymgi_at(&g, ti, tj, tk);
      },
      from);
  wait_for_predecessors();
  unsigned long long exchange = 0;
  if constexpr (!ALONE) {
    if (sends) exchange = begin_exchange(send.to.exchanges, send.to.others);
  }
  let_successors_start(a, true, sends);
  if (inside) f = a.f[p.own];
  load_share<gsrb_cells>(from, tile);
  fill_tile_ghosts<gsrb_cells>(a, low, tile);
  if (!inside) return;
  const hymgi_real *const c = tile + gsrb_cells::at(low, p.i, j, k);
  const hymgi_real ax = apply_in_tile<gsrb_cells, VARIABLE>(a.v, c, b);
  const hymgi_real updated = hymgi_relax(c[0], scale, f - fv4_with_alpha(a.v, ax, c[0], alpha));
  a.out[p.own] = updated;
  if constexpr (!ALONE) {
    if (sends) send_cell(send.to, exchange, a.colour, t, j, k, updated);
  }
}

} /* namespace */

extern "C" bool hymgi_cuda_fv4_fits_tiles(const hymgi_level *level, bool half_sweeps)
{
  return half_sweeps ? fits_tiles<gsrb_cells>(level) : fits_tiles<tile_cells>(level);
}

extern "C" void hymgi_cuda_fv4_tile(const hymgi_level *level, const hymgi_sweep *sweep)
{
  const tile_args a = tile_args_of<tile_cells>(level, sweep);
  with_job<relax, residual_mean>(sweep, [&](auto job) {
    with_bools(
        [&](auto variable, auto alone) {
          hymgi_launch(level->context, fv4_tile<decltype(job), variable, alone>, tiles_grid(a),
                       dim3(THREADS), a);
        },
        level->method->variable_beta, level->box->boundaries == 63);
  });
}

extern "C" void hymgi_cuda_fv4_gsrb_tile(const hymgi_level *level, const hymgi_sweep *half)
{
  const tile_args a = tile_args_of<gsrb_cells>(level, half);
  with_bools(
      [&](auto variable, auto alone) {
        tile_sender<alone> send = {};
        if constexpr (!alone) {
          if (half->sends) send.to = side_of(half->sends, true);
        }
        hymgi_launch(level->context, fv4_gsrb_tile<variable, alone>, tiles_grid(a), dim3(THREADS),
                     a, send);
      },
      level->method->variable_beta, level->box->boundaries == 63);
}
