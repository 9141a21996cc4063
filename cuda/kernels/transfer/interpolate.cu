/* Interpolation. The coarse side is a patch: the image of a fine box on the next coarser level. A
 * block loads a tile of coarse cells with its halo into shared memory, fills the boundary ghosts
 * there and interpolates along z, y and x in the host's order. Bytes per fine cell: 1 + 8, or 1 +
 * 16 where it adds. FV2's red-black sweeps begin with red cells, which read only black ones: before
 * them only black cells are written (1 + 4, or 1 + 8). */
#include "device/ghosts.cuh"
#include "kernels/kernels.h"
#include "runtime/launch.cuh"

namespace
{

enum { TILE_Y = 4, TILE_Z = 4 };

struct prolong_args {
  box_set boxes, patches;
  extrapolation c;
  bool fills_ghosts; /* no boundary ghosts are in memory */
  unsigned around;   /* bit per axis along which the coarse box wraps */
  int tiles[3];
  const hymgi_real *coarse;
  hymgi_real *fine;
};

/* The tile's cells [low, high). Tiles are of nearly equal size: none is a single cell wide where
 * there are four cells, so an extrapolation finds all its terms in the tile and its halo. */
struct tile {
  int low[3], high[3];
};

__device__ __forceinline__ tile tile_at(const prolong_args &a, const hymgi_geom &patch, int number)
{
  const int row = number / a.tiles[0];
  const int at[3] = {number % a.tiles[0], row % a.tiles[1], row / a.tiles[1] % a.tiles[2]};
  tile t;
#pragma unroll
  for (int axis = 0; axis < 3; axis++) { /* unsigned: check_sides() in kernel_table.cu */
    const unsigned n = (unsigned)patch.n[axis], m = (unsigned)at[axis],
                   tiles = (unsigned)a.tiles[axis];
    t.low[axis] = (int)(n * m / tiles);
    t.high[axis] = (int)(n * (m + 1) / tiles);
  }
  return t;
}

/* The even (sign 1) or the odd (-1) child of the cell whose line of values starts at x, with its
 * neighbour at -reach. */
template <hymgi_ghosts ORDER>
__device__ __forceinline__ hymgi_real child(hymgi_real sign, const hymgi_real *x, int stride)
{
  hymgi_real v[5];
#pragma unroll
  for (int m = 0; m < 2 * HYMGI_INTERPOLATION_REACH(ORDER) + 1; m++)
    v[m] = x[m * stride];
  return hymgi_child(ORDER, sign, v + HYMGI_INTERPOLATION_REACH(ORDER));
}

template <hymgi_ghosts ORDER>
__device__ __forceinline__ void children(const hymgi_real *x, int stride, hymgi_real *even,
                                         hymgi_real *odd)
{
  const hymgi_real both[2] = {child<ORDER>(1, x, stride), child<ORDER>(-1, x, stride)};
  *even = both[0], *odd = both[1];
}

/* A block's work on a tile of X x Y x Z coarse cells; BLACK: only the black fine cells. */
template <hymgi_ghosts ORDER, bool ADD, bool BLACK, int X> struct prolongation {
  static constexpr int THREADS = 256, Y = TILE_Y, Z = TILE_Z, R = HYMGI_INTERPOLATION_REACH(ORDER);
  static constexpr int WX = X + 2 * R, WY = Y + 2 * R, WZ = Z + 2 * R, CELLS = WX * WY * WZ;
  static constexpr int LOADS = (CELLS + THREADS - 1) / THREADS;
  /* doubles in shared memory: coarse cells or values on fine rows, and values on fine planes */
  static constexpr int FIRST = CELLS > WX * 4 * Y *Z ? CELLS : WX * 4 * Y *Z;
  static constexpr int SECOND = WX * WY * 2 * Z;
  /* pairs of fine cells of a thread, and how many it works on at once */
  static constexpr int PAIRS = 4 * X * Y * Z / THREADS, BATCH = PAIRS < 4 ? PAIRS : 4;
  static constexpr int WRITTEN = BLACK ? 1 : 2;      /* of a pair */
  static constexpr int STEP = THREADS / (2 * X * Y); /* fine planes between two of them */
  static_assert(STEP * 2 * X * Y == THREADS && PAIRS * STEP == 2 * Z && PAIRS % BATCH == 0 &&
                    BATCH * STEP % 2 == 0,
                "threads have equal shares, and batches start on even planes");

  hymgi_geom g, patch;
  tile t;
  hymgi_real old[BATCH][WRITTEN];

  __device__ __forceinline__ int cell_around(unsigned around, int axis, int index) const
  {
    return R > 0 && around >> axis & 1 ? index_around(index, patch.n[axis]) : index;
  }

  /* Loads the cells, except for the boundary ghosts that are filled here. */
  __device__ __forceinline__ void load(const prolong_args &a, hymgi_real *x) const
  {
    hymgi_real value[LOADS];
#pragma unroll
    for (int m = 0; m < LOADS; m++) {
      const int e = (int)threadIdx.x + m * THREADS, i = t.low[0] - R + e % WX,
                j = t.low[1] - R + e / WX % WY, k = t.low[2] - R + e / (WX * WY);
      const bool wanted = e < CELLS && i < t.high[0] + R && j < t.high[1] + R && k < t.high[2] + R;
      const bool there = !a.fills_ghosts || !(is_beyond(patch, 0, i) || is_beyond(patch, 1, j) ||
                                              is_beyond(patch, 2, k));
      value[m] = wanted && there
                     ? a.coarse[hymgi_at(&patch, cell_around(a.around, 0, i),
                                         cell_around(a.around, 1, j), cell_around(a.around, 2, k))]
                     : 0;
    }
#pragma unroll
    for (int m = 0; m < LOADS; m++)
      if ((int)threadIdx.x + m * THREADS < CELLS) x[threadIdx.x + m * THREADS] = value[m];
  }

  /* Fills the ghosts off the boundaries of AXIS. Lines beyond those of earlier axes come later. */
  template <int AXIS>
  __device__ __forceinline__ void fill_ghosts(const prolong_args &a, hymgi_real *x) const
  {
    constexpr int U = AXIS == 0 ? 1 : 0, V = AXIS == 2 ? 1 : 2;
    constexpr int W[3] = {WX, WY, WZ}, STRIDE[3] = {1, WX, WX * WY};
    const bool first = t.low[AXIS] == 0 && (patch.boundaries >> (2 * AXIS) & 1);
    const bool last = t.high[AXIS] == patch.n[AXIS] && (patch.boundaries >> (2 * AXIS + 1) & 1);
    if (!first && !last) return;
    __syncthreads();
    for (int e = (int)threadIdx.x; e < W[U] * W[V]; e += THREADS) {
      const int u = e % W[U], v = e / W[U];
      hymgi_real *const row = x + u * STRIDE[U] + v * STRIDE[V];
      int at[3];
      at[U] = t.low[U] - R + u, at[V] = t.low[V] - R + v;
      for (int side = first ? 0 : 1; side <= (last ? 1 : 0); side++) {
        const hymgi_extrapolation boundary = boundary_of(a.c, 2 * AXIS + side);
        const int in = side ? -STRIDE[AXIS] : STRIDE[AXIS];
        hymgi_real *const x1 = row + (side ? t.high[AXIS] - 1 - t.low[AXIS] + R : R) * STRIDE[AXIS];
        const inside cells = inside_of(boundary, [&](int m) { return x1[m * in]; });
        at[AXIS] = side ? patch.n[AXIS] : -1;
        x1[-in] = with_data<AXIS>(a.c, patch, at[0], at[1], at[2], first_ghost(boundary, cells),
                                  [&](int) { return cells.x1; });
        if (R == 2) x1[-2 * in] = second_ghost(boundary, cells);
      }
    }
  }

  static __device__ __forceinline__ void combine_z(const hymgi_real *x, hymgi_real *out)
  {
    for (int e = (int)threadIdx.x; e < WX * WY * Z; e += THREADS) {
      hymgi_real *const to = out + e + e / (WX * WY) * (WX * WY);
      children<ORDER>(x + e, WX * WY, to, to + WX * WY);
    }
  }

  static __device__ __forceinline__ void combine_y(const hymgi_real *x, hymgi_real *out)
  {
    for (int e = (int)threadIdx.x; e < WX * Y * 2 * Z; e += THREADS) {
      const int i = e % WX, J = e / WX % Y, k = e / (WX * Y);
      hymgi_real *const to = out + (k * 2 * Y + 2 * J) * WX + i;
      children<ORDER>(x + (k * WY + J) * WX + i, WX, to, to + WX);
    }
  }

  /* This thread's pairs of fine cells: the children along x of the tile's coarse cell I in fine
   * rows (j, k), (j, k + STEP), ...; places of the even and the odd cell in planes at even and at
   * odd distance. */
  struct share {
    int I, j, k, count;
    int black; /* in planes at even distance the odd cell is black */
    ptrdiff_t place[2][2];
  };

  __device__ __forceinline__ share share_of() const
  {
    const int id = (int)threadIdx.x;
    share w;
    w.I = id % X, w.j = id / X % (2 * Y), w.k = id / (X * 2 * Y);
    const int I = t.low[0] + w.I, j = 2 * t.low[1] + w.j, k = 2 * t.low[2] + w.k;
    const int planes = 2 * t.high[2] - k;
    const bool there = I < t.high[0] && j < 2 * t.high[1] && planes > 0;
    w.count = there ? (planes + STEP - 1) / STEP : 0;
    const int colour = g.split ? (j + k + g.parity) & 1 : 0;
    const ptrdiff_t even = hymgi_row(&g, colour, j, k) + (g.split ? I : 2 * I);
    const ptrdiff_t odd = g.split ? hymgi_row(&g, 1 - colour, j, k) + I : even + 1;
    w.place[0][0] = even, w.place[0][1] = odd;
    w.place[1][0] = g.split ? odd : even, w.place[1][1] = g.split ? even : odd;
    w.black = 1 - colour;
    return w;
  }

  /* Of pair m's c-th cell that is written: is it the odd one? */
  static __device__ __forceinline__ int is_odd(const share &w, int m, int c)
  {
    return BLACK ? w.black ^ (m * STEP & 1) : c;
  }

  __device__ __forceinline__ void fetch(const prolong_args &a, const share &w, int from)
  {
#pragma unroll
    for (int m = 0; m < BATCH; m++) {
      const hymgi_real *const x = a.fine + (from + m) * STEP * g.plane;
#pragma unroll
      for (int c = 0; c < WRITTEN; c++)
        old[m][c] = ADD && from + m < w.count ? x[w.place[m * STEP & 1][is_odd(w, m, c)]] : 0;
    }
  }

  __device__ __forceinline__ void finish(const prolong_args &a, const share &w, int from,
                                         const hymgi_real *values) const
  {
#pragma unroll
    for (int m = 0; m < BATCH; m++) {
      hymgi_real *const x = a.fine + (from + m) * STEP * g.plane;
      const hymgi_real *const line = values + ((w.k + (from + m) * STEP) * 2 * Y + w.j) * WX + w.I;
      hymgi_real value[WRITTEN];
#pragma unroll
      for (int c = 0; c < WRITTEN; c++)
        value[c] = child<ORDER>(is_odd(w, m, c) ? -1 : 1, line, 1);
#pragma unroll
      for (int c = 0; c < WRITTEN; c++)
        if (from + m < w.count)
          x[w.place[m * STEP & 1][is_odd(w, m, c)]] = ADD ? old[m][c] + value[c] : value[c];
    }
  }
};

template <hymgi_ghosts ORDER, bool ADD, bool BLACK, int X>
__global__ void __launch_bounds__(256, ADD && !BLACK && X > 8 ? 3 : 4)
    prolong(const __grid_constant__ prolong_args a)
{
  typedef prolongation<ORDER, ADD, BLACK, X> S;
  __shared__ hymgi_real first[S::FIRST], second[S::SECOND];
  let_successors_start();
  const int b = (int)blockIdx.x / (a.tiles[0] * a.tiles[1] * a.tiles[2]);
  S s;
  s.g = box_at(a.boxes, b);
  s.patch = box_at(a.patches, b);
  s.t = tile_at(a, s.patch, (int)blockIdx.x);
  wait_for_predecessors();
  s.load(a, first);
  const typename S::share w = s.share_of();
  if (S::PAIRS == S::BATCH) s.fetch(a, w, 0);
  if (a.fills_ghosts && S::R > 0) {
    s.template fill_ghosts<2>(a, first);
    s.template fill_ghosts<1>(a, first);
    s.template fill_ghosts<0>(a, first);
  }
  __syncthreads();
  S::combine_z(first, second);
  __syncthreads();
  S::combine_y(second, first);
  __syncthreads();
#pragma unroll 1
  for (int m = 0; m < S::PAIRS; m += S::BATCH) {
    if (S::PAIRS > S::BATCH) s.fetch(a, w, m);
    s.finish(a, w, m, first);
  }
}

/* ---- launches ---- */

/* Levels in single precision run no F-cycles: they always add. */
template <hymgi_ghosts ORDER, bool BLACK = false>
void launch_prolong(const hymgi_level *fine, bool add, prolong_args a)
{
  int n[3];
  box_extent(fine->patch, fine->num_boxes, n);
  const bool large = hymgi_has_variant(fine, HYMGI_INTERPOLATE_WIDE);
  a.tiles[0] = (int)blocks_for(n[0], large ? 32 : 8);
  a.tiles[1] = (int)blocks_for(n[1], TILE_Y);
  a.tiles[2] = (int)blocks_for(n[2], TILE_Z);
  const dim3 grid((unsigned)a.tiles[0] * (unsigned)a.tiles[1] * (unsigned)a.tiles[2] *
                  (unsigned)a.patches.count);
  if (fine->num_boxes == 1) a.around = fine->patch->wraps;
  with_bools(
      [&](auto adds, auto wide) {
        hymgi_launch(fine->context, prolong < ORDER, adds || SINGLE, BLACK, wide ? 32 : 8 >, grid,
                     dim3(256), a);
      },
      add, large);
}

} /* namespace */

/* Planes of boundaries are passed as kernel arguments, so with them every box has its own launch. They
 * belong to the coarse boxes: where these are not the patches, the ghosts are in memory. */
extern "C" void hymgi_cuda_interpolate(const hymgi_level *fine, const hymgi_level *coarse,
                                       const hymgi_real *source, hymgi_ghosts order, bool add,
                                       bool smoothed, hymgi_real *x)
{
  if (fine->num_boxes == 0) return;
  const bool robin = hymgi_has_robin(coarse);
  const bool planes =
      fine->direct && (!add || robin) && coarse->boundaries && order != HYMGI_GHOSTS_P0;
  const int count = planes ? 1 : fine->num_boxes;
  for (int b = 0; b < fine->num_boxes; b += count) {
    prolong_args a = {};
    a.boxes = box_set_of(fine->box + b, count);
    a.patches = box_set_of(fine->patch + b, count);
    a.fills_ghosts = fine->direct || (add && !robin);
    if (planes)
      a.c = extrapolation_with(coarse, order, b, !add);
    else if (a.fills_ghosts)
      a.c = extrapolation_of(coarse, order);
    a.coarse = source;
    a.fine = x;
    if (order == HYMGI_GHOSTS_P0)
      launch_prolong<HYMGI_GHOSTS_P0>(fine, add, a);
    else if (order == HYMGI_GHOSTS_P1)
      launch_prolong<HYMGI_GHOSTS_P1>(fine, add, a);
    else if (order == HYMGI_GHOSTS_V4)
      launch_prolong<HYMGI_GHOSTS_V4>(fine, add, a);
    else if (smoothed && hymgi_has_variant(fine, HYMGI_INTERPOLATE_BLACK))
      launch_prolong<HYMGI_GHOSTS_V2, true>(fine, add, a);
    else
      launch_prolong<HYMGI_GHOSTS_V2>(fine, add, a);
  }
}
