/* Temporal blocking for FV2's smoothers: two sweeps in one pass over plain rows. A block marches
 * along z over a tile of FUSED_WIDE cells by ROWS rows with a halo of one. In each plane it does
 * the first sweep in tile and halo, then the second sweep in the tile one plane below. TMA brings
 * what the next planes need into a ring of slots in shared memory, so that loads in flight take no
 * registers. A warp has a row, two cells per lane; one more warp has the ends of the halo. */
#ifndef HYMGI_KERNELS_FV2_RELAX_FUSED_CUH
#define HYMGI_KERNELS_FV2_RELAX_FUSED_CUH

#include "device/fast_division.cuh"
#include "device/stencil_access.cuh"
#include "device/tma.cuh"

namespace
{

/* What a pass reads besides x and f, and writes besides the second iterate: the first two Chebyshev
 * sweeps (no iterate before the first), those between, the last two (the iterate between them is
 * not needed), Jacobi with 1/diagonal, Jacobi with its own scaling. */
enum fused_kind { FUSED_FIRST, FUSED_INNER, FUSED_LAST, FUSED_JACOBI, FUSED_SCALED };

/* Arrays that TMA brings; BESIDE: the previous iterate or the scaling, by kind. */
enum fused_array {
  FUSED_X,
  FUSED_F,
  FUSED_BESIDE,
  FUSED_ALPHA,
  FUSED_BX,
  FUSED_BY,
  FUSED_BZ,
  FUSED_ARRAYS
};

struct fused_args {
  grid_map map[FUSED_ARRAYS]; /* from the cell (-FUSED_FIRST_CELL, -1, -1) on */
  hymgi_geom g;
  operator_view v;
  const hymgi_real *x;
  hymgi_real *middle, *out; /* after one sweep, after both */
  hymgi_real residual[2], momentum[2];
  bool falling; /* last planes first: the previous pass left them in the cache */
  int slab;
};

enum { FUSED_WIDE = 64, FUSED_LANES = 32, FUSED_SHARED = 226 * 1024 };
/* A row in shared memory has 16 bytes more at each end: copies start at multiples of that. */
enum {
  FUSED_FIRST_CELL = 16 / (int)sizeof(hymgi_real),
  FUSED_PITCH = FUSED_WIDE + 2 * FUSED_FIRST_CELL,
  FUSED_LINE = 128 / (int)sizeof(hymgi_real)
};

template <fused_kind KIND, bool VARIABLE, bool ALPHA> struct fused_form {
  static constexpr bool prev = KIND == FUSED_INNER || KIND == FUSED_LAST;
  static constexpr bool scaled = KIND == FUSED_SCALED, beside = prev || scaled;
  static constexpr bool momentum = prev || KIND == FUSED_FIRST;
  static constexpr bool middle = KIND == FUSED_FIRST || KIND == FUSED_INNER;
  static constexpr bool variable = VARIABLE, alpha = ALPHA;
};

/* The layout of a slot, each array aligned to 128 bytes: x of the plane above with two rows around
 * the tile, the low z-faces likewise of the plane above, the y-faces with one more row. */
template <typename FORM, int ROWS> struct fused_ring {
  static constexpr int rows_of(int rows)
  {
    return (rows * FUSED_PITCH + FUSED_LINE - 1) / FUSED_LINE * FUSED_LINE;
  }
  static constexpr int high = ROWS + 2, plane = rows_of(high);
  static constexpr int x = FUSED_PITCH, f = rows_of(high + 2), beside = f + plane;
  static constexpr int alpha = beside + (FORM::beside ? plane : 0);
  static constexpr int bx = alpha + (FORM::alpha ? plane : 0);
  static constexpr int by = bx + (FORM::variable ? plane : 0);
  static constexpr int bz = by + (FORM::variable ? rows_of(high + 1) : 0);
  static constexpr int slot = bz + (FORM::variable ? plane : 0);
  static constexpr int bytes_of_x = (high + 2) * FUSED_PITCH * (int)sizeof(hymgi_real);
  static constexpr int arrays = 1 + FORM::beside + FORM::alpha + 3 * FORM::variable;
  static constexpr int bytes_of_all =
      bytes_of_x + (arrays * high + FORM::variable) * FUSED_PITCH * (int)sizeof(hymgi_real);
  static constexpr int bytes(int slots)
  {
    return (slots * slot + 2 * plane) * (int)sizeof(hymgi_real);
  }
  static constexpr int slots = bytes(4) <= FUSED_SHARED ? 4 : 3, ahead = slots - 2;
  static constexpr int fresh = slots * slot, threads = FUSED_LANES * (ROWS + 3);
};

/* ---- a thread's cells ---- */

/* Where a thread's cells and their neighbours lie in a shared plane; for a neighbour beyond a
 * boundary it is the opposite one, from which the ghost is then extrapolated. */
template <int CELLS> struct fused_place {
  int i, j, cell, row; /* cell: in a shared plane */
  int west, east, south, north;
  bool at_west, at_east, at_south, at_north, near_boundary;
  bool asked; /* are the cells needed after a sweep? */

  __device__ __forceinline__ fused_place(const hymgi_geom &g, int first, int r, int c, int rows)
      : i(first + c), j((int)blockIdx.y * rows - 1 + r),
        cell(r * FUSED_PITCH + FUSED_FIRST_CELL + c), row(r)
  {
    at_west = i == 0 && (g.boundaries & 1);
    at_east = i + CELLS == g.n[0] && (g.boundaries & 2);
    at_south = j == 0 && (g.boundaries & 4);
    at_north = j == g.n[1] - 1 && (g.boundaries & 8);
    west = at_west ? 1 : -1;
    east = at_east ? CELLS - 2 : CELLS;
    south = at_south ? FUSED_PITCH : -FUSED_PITCH;
    north = at_north ? -FUSED_PITCH : FUSED_PITCH;
    near_boundary = __any_sync(~0u, at_west || at_east || at_south || at_north);
    asked = i >= 0 && i < g.n[0] && j >= 0 && j < g.n[1] && (CELLS > 1 || (r > 0 && r <= rows));
  }
};

/* Neighbours in the plane. */
template <int CELLS> struct fused_sides {
  hymgi_real west, east;
  cells<CELLS> south, north;

  /* x: the thread's cells in a shared plane */
  __device__ __forceinline__ fused_sides(const operator_view &v, const fused_place<CELLS> &p,
                                         const hymgi_real *x)
      : west(x[p.west]), east(x[p.east]), south(load_cells<CELLS>(x + p.south)),
        north(load_cells<CELLS>(x + p.north))
  {
    if (!p.near_boundary) return;
    if (p.at_west) west = hymgi_fv2_ghost(v.boundary_ghost[0], west);
    if (p.at_east) east = hymgi_fv2_ghost(v.boundary_ghost[1], east);
#pragma unroll
    for (int u = 0; u < CELLS; u++) {
      if (p.at_south) south.at[u] = hymgi_fv2_ghost(v.boundary_ghost[2], south.at[u]);
      if (p.at_north) north.at[u] = hymgi_fv2_ghost(v.boundary_ghost[3], north.at[u]);
    }
  }
};

/* The column around plane k, with boundary ghosts filled in. */
template <int CELLS> struct fused_column {
  cells<CELLS> below, here, above;

  __device__ __forceinline__ fused_column(const fused_args &a, int k, const cells<CELLS> &d,
                                          const cells<CELLS> &c, const cells<CELLS> &u)
      : below(d), here(c), above(u)
  {
    if (k > 0 && k < a.g.n[2] - 1) return;
#pragma unroll
    for (int m = 0; m < CELLS; m++) {
      if (k == 0) below.at[m] = hymgi_fv2_ghost(a.v.boundary_ghost[4], u.at[m]);
      if (k == a.g.n[2] - 1) above.at[m] = hymgi_fv2_ghost(a.v.boundary_ghost[5], d.at[m]);
    }
  }
};

/* ---- a plane's sweeps ---- */

/* What a plane's sweeps need besides x. */
template <typename FORM, int CELLS> struct fused_operands {
  cells<CELLS> f, beside, alpha, bx, by, north, low, high; /* low, high: faces along z */
  hymgi_real east;
  divisors<CELLS> diagonal;

  __device__ __forceinline__ fv2_betas betas(const fused_args &a, const fused_place<CELLS> &p,
                                             int u, int k) const
  {
    if (FORM::variable)
      return {bx.at[u],  u < CELLS - 1 ? bx.at[CELLS - 1] : east, by.at[u], north.at[u], low.at[u],
              high.at[u]};
    place at = {};
    at.i = p.i + u, at.j = p.j, at.k = k;
    return fv2_load_betas<false>(a.v, a.g, at);
  }
  __device__ __forceinline__ hymgi_real alpha_of(const fused_args &a, int u) const
  {
    return FORM::alpha ? alpha.at[u] : a.v.alpha_constant;
  }
  /* What both sweeps use; from: the thread's cells in a slot. The second one loads it again, which
   * is cheaper than spilling registers. */
  template <typename RING> __device__ __forceinline__ void load_shared(const hymgi_real *from)
  {
    f = load_cells<CELLS>(from + RING::f);
    if (FORM::scaled) beside = load_cells<CELLS>(from + RING::beside);
    if (FORM::alpha) alpha = load_cells<CELLS>(from + RING::alpha);
    if (FORM::variable) {
      bx = load_cells<CELLS>(from + RING::bx);
      east = from[RING::bx + CELLS];
      by = load_cells<CELLS>(from + RING::by);
      north = load_cells<CELLS>(from + RING::by + FUSED_PITCH);
    }
  }
  /* Loads plane k, the one above that of the last call. */
  template <typename RING>
  __device__ __forceinline__ void load(const fused_args &a, const fused_place<CELLS> &p, int k,
                                       const hymgi_real *from)
  {
    low = high;
    load_shared<RING>(from);
    if (FORM::prev) beside = load_cells<CELLS>(from + RING::beside);
    if (FORM::variable) high = load_cells<CELLS>(from + RING::bz);
    if (!FORM::scaled) divide(a, p, k);
  }
  __device__ __forceinline__ void divide(const fused_args &a, const fused_place<CELLS> &p, int k)
  {
    cells<CELLS> sum;
#pragma unroll
    for (int u = 0; u < CELLS; u++)
      sum.at[u] = fv2_diagonal(a.v, betas(a, p, u, k), alpha_of(a, u));
    diagonal.take(sum);
  }
};

/* One of the two sweeps (0, 1) of plane k. */
template <typename FORM, int SWEEP, int CELLS>
__device__ __forceinline__ cells<CELLS>
fused_sweep(const fused_args &a, const fused_place<CELLS> &p, int k,
            const fused_operands<FORM, CELLS> &o, const fused_sides<CELLS> &side,
            const fused_column<CELLS> &x, const cells<CELLS> &prev)
{
  constexpr bool MOMENTUM = SWEEP == 0 ? FORM::prev : FORM::momentum;
  cells<CELLS> r, done;
#pragma unroll
  for (int u = 0; u < CELLS; u++) {
    const fv2_values v = {x.here.at[u],
                          u > 0 ? x.here.at[0] : side.west,
                          u < CELLS - 1 ? x.here.at[CELLS - 1] : side.east,
                          side.south.at[u],
                          side.north.at[u],
                          x.below.at[u],
                          x.above.at[u]};
    r.at[u] = fv2_residual(a.v, o.betas(a, p, u, k), v, o.f.at[u], o.alpha_of(a, u));
  }
  const cells<CELLS> step = FORM::scaled ? r : o.diagonal.quotients(r, p.asked);
#pragma unroll
  for (int u = 0; u < CELLS; u++) {
    const hymgi_real c = x.here.at[u], s = FORM::scaled ? r.at[u] * o.beside.at[u] : step.at[u];
    done.at[u] = hymgi_relax(c, a.residual[SWEEP], s);
    if (MOMENTUM) done.at[u] = hymgi_add_momentum(done.at[u], a.momentum[SWEEP], c, prev.at[u]);
  }
  return done;
}

/* Issues the copies of plane k of the tile; of x and z-faces, of the plane above. By one thread. */
template <typename FORM, int ROWS>
__device__ __forceinline__ void copy_plane(const fused_args &a, hymgi_real *slot, int k,
                                           byte_barrier *ready)
{
  using ring = fused_ring<FORM, ROWS>;
  const int i = (int)blockIdx.x * FUSED_WIDE, j = (int)blockIdx.y * ROWS;
  barrier_announce(ready, ring::bytes_of_all);
  copy_box(slot, a.map + FUSED_X, i, j - 1, k + 2, ready);
  copy_box(slot + ring::f, a.map + FUSED_F, i, j, k + 1, ready);
  if (FORM::beside) copy_box(slot + ring::beside, a.map + FUSED_BESIDE, i, j, k + 1, ready);
  if (FORM::alpha) copy_box(slot + ring::alpha, a.map + FUSED_ALPHA, i, j, k + 1, ready);
  if (!FORM::variable) return;
  copy_box(slot + ring::bx, a.map + FUSED_BX, i, j, k + 1, ready);
  copy_box(slot + ring::by, a.map + FUSED_BY, i, j, k + 1, ready);
  copy_box(slot + ring::bz, a.map + FUSED_BZ, i, j, k + 2, ready);
}

/* Marches over planes [from, to) of a row (two cells per lane) or of the halo's ends (one cell):
 * both sweeps, or in the halo the first alone. */
template <typename FORM, int ROWS, int CELLS>
__device__ __forceinline__ void fused_march(const fused_args &a, hymgi_real *shared,
                                            byte_barrier *ready, const fused_place<CELLS> &p,
                                            int from, int to)
{
  using ring = fused_ring<FORM, ROWS>;
  const hymgi_geom &g = a.g;
  const int start = from > 0 ? from - 1 : 0;
  const bool inner = CELLS == 2 && p.row > 0 && p.row <= ROWS; /* all lanes of a warp or none */
  const bool mine = inner && p.asked;
  /* beyond the box any cell will do */
  const int i = p.i < 0 ? 0 : p.i < g.n[0] ? p.i : g.n[0] - CELLS;
  const int j = p.j < 0 ? 0 : p.j < g.n[1] ? p.j : g.n[1] - 1;
  ptrdiff_t own = hymgi_row(&g, 0, j, start) + i;
  cells<CELLS> below = load_cells<CELLS>(a.x + own - g.plane),
               low[2] = {}; /* low: after one sweep */
  fused_operands<FORM, CELLS> now = {}, before = {};
  if (FORM::variable) now.high = load_cells<CELLS>(a.v.beta[2] + own);
  barrier_wait(ready, 0);
  cells<CELLS> here = load_cells<CELLS>(shared + ring::x + p.cell);
  hymgi_real *slot_before = shared, *slot = shared + ring::slot;
  hymgi_real *free = shared + (ring::slots - 1) * ring::slot, *const end = shared + ring::fresh;
  hymgi_real *fresh = end, *fresh_before = end + ring::plane;
  byte_barrier *arrival = ready + 1, *vacancy = ready + ring::slots - 1;
  unsigned parity = 0;
  const bool leader = CELLS == 1 && threadIdx.x % FUSED_LANES == 0;
#pragma unroll 2 /* saves copies between registers */
  for (int k = start; k <= to; k++) {
    if (leader && k + ring::ahead <= to) copy_plane<FORM, ROWS>(a, free, k + ring::ahead, vacancy);
    barrier_wait(arrival, parity);
    now.template load<ring>(a, p, k, slot + p.cell);
    const cells<CELLS> above = load_cells<CELLS>(slot + ring::x + p.cell);
    const fused_sides<CELLS> side(a.v, p, slot_before + ring::x + p.cell);
    const cells<CELLS> once = fused_sweep<FORM, 0, CELLS>(
        a, p, k, now, side, fused_column<CELLS>(a, k, below, here, above), now.beside);
    store_cells<CELLS>(fresh + p.cell, once);
    if (FORM::middle && mine && k >= from && k < to) store_cells<CELLS>(a.middle + own, once);
    if (inner && k > from) {
      before.template load_shared<ring>(slot_before + p.cell);
      const fused_sides<CELLS> around(a.v, p, fresh_before + p.cell);
      const cells<CELLS> twice = fused_sweep<FORM, 1, CELLS>(
          a, p, k - 1, before, around, fused_column<CELLS>(a, k - 1, low[0], low[1], once), below);
      if (mine) store_cells<CELLS>(a.out + own - g.plane, twice);
    }
    before = now;
    low[0] = low[1], low[1] = once;
    below = here, here = above;
    own += g.plane;
    vacancy = ready + (slot_before - shared) / ring::slot;
    free = slot_before, slot_before = slot;
    slot += ring::slot, arrival++;
    if (slot == end) slot = shared, arrival = ready, parity ^= 1;
    hymgi_real *const other = fresh;
    fresh = fresh_before, fresh_before = other;
    reads_done();
    __syncthreads();
  }
}

template <typename FORM, int ROWS>
__global__ void __launch_bounds__(fused_ring<FORM, ROWS>::threads, 1)
    fv2_relax_fused(const __grid_constant__ fused_args a)
{
  using ring = fused_ring<FORM, ROWS>;
  static_assert(2 * (ROWS + 2) <= FUSED_LANES, "one warp has both ends");
  HYMGI_DYNAMIC_SHARED(shared);
  __shared__ byte_barrier ready[ring::slots];
  const int lane = (int)threadIdx.x % FUSED_LANES;
  const int warp = __shfl_sync(~0u, (int)threadIdx.x / FUSED_LANES, 0);
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const int from = z * a.slab, to = from + a.slab < a.g.n[2] ? from + a.slab : a.g.n[2];
  const int first = (int)blockIdx.x * FUSED_WIDE, start = from > 0 ? from - 1 : 0;
  const bool leader = warp == ROWS + 2 && lane == 0;
  if (leader) {
    for (int m = 0; m < ring::slots; m++)
      barrier_start(ready + m, 1);
    barriers_started();
  }
  wait_for_predecessors();
  let_successors_start();
  if (leader) {
    barrier_announce(ready, ring::bytes_of_x);
    copy_box(shared, a.map + FUSED_X, first, (int)blockIdx.y * ROWS - 1, start + 1, ready);
    for (int m = 0; m < ring::ahead; m++)
      copy_plane<FORM, ROWS>(a, shared + (m + 1) * ring::slot, start + m, ready + m + 1);
  }
  __syncthreads();
  if (warp < ROWS + 2) {
    const fused_place<2> p(a.g, first, warp, 2 * lane, ROWS);
    fused_march<FORM, ROWS, 2>(a, shared, ready, p, from, to);
  } else {
    const int r = lane / 2 < ROWS + 2 ? lane / 2 : ROWS + 1, east = lane % 2;
    const fused_place<1> p(a.g, first, r, east ? FUSED_WIDE : -1, ROWS);
    fused_march<FORM, ROWS, 1>(a, shared, ready, p, from, to);
  }
}

} /* namespace */

#endif
