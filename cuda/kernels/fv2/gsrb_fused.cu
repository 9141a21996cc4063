/* FV2 red-black Gauss-Seidel on split rows: both colours in one pass, out of place. A block marches
 * along z over a tile of slots and rows with a halo of one, in which the red cells are computed
 * too: red of plane k, then black of plane k - 1 from the red ones of three planes. Of the old
 * iterate only the black cells are read. The black cells next to a neighbour's ghosts are done
 * again (exchange/fv2_gsrb_peer.cu) once the red ones have been exchanged; in a box that wraps the
 * halo goes around. Bytes per cell: x 4, f 8, betas 24 (and the halo's share), written 8; two half
 * sweeps move 72. */
#include "kernels/fv2/two_slots.cuh"

namespace
{

/* Blocks of a multiprocessor: in single precision twice as many fill it. */
enum { FUSED_BLOCKS = SINGLE ? 2 : 1 };

/* A tile of X threads with two slots each and Y rows, with its halo. */
template <int X, int Y> struct tile {
  static constexpr int wide = X + 2, high = Y + 2, threads = wide * high;
};

/* The place of the black cell at the same slot, one plane down, where it begins as the red one does here. */
__device__ __forceinline__ place black_below(const place &red, int slot)
{
  place p = red;
  p.own = red.other - red.plane;
  p.other = red.own - red.plane;
  p.k = red.k - 1;
  p.i = 2 * slot + red.east;
  return p;
}

/* What the kernel reads. With all of gsrb_args the compiler turns loads of constant betas into selects
 * at boundaries: 7 % of a solve at 256^3. */
struct fused_args {
  box_set boxes;
  operator_view v;
  const hymgi_real *f, *own;
  hymgi_real *out;
  bool falling;
  int slab;
};

/* The new values at two slots. row: as in load_neighbours. ZERO: the other colour is 0. */
template <bool VARIABLE, bool ALPHA, bool ZERO>
__device__ __forceinline__ cells<2> updated(const fused_args &a, const hymgi_geom &g,
                                            const place &p, const two_columns &c,
                                            const hymgi_real *row, const two_ways &ways)
{
  cells<2> sum, weight;
  two_neighbours n = {};
  if (!ZERO) n = load_neighbours(p, row, ways);
  const cells<2> f = load_cells<2>(a.f + p.own);
  const two_betas b = load_betas<VARIABLE>(a.v, g, p);
#pragma unroll
  for (int m = 0; m < 2; m++) {
    const fv2_values x = ZERO ? fv2_values{} : values_at(a.v, g, p, m, c, n);
    sum.at[m] = fv2_gsrb_sum(b.of(m), x, f.at[m]);
    weight.at[m] = fv2_gsrb_weight(b.of(m));
    if (ALPHA) weight.at[m] += alpha_at(a.v, p.own + m);
  }
  cells<2> x;
#pragma unroll
  for (int m = 0; m < 2; m++)
    x.at[m] = sum.at[m] / weight.at[m];
  return x;
}

/* Is an index that of a cell, or one beside the first or last one where the box wraps? */
__device__ __forceinline__ bool is_around(const hymgi_geom &g, int axis, int index, int n, int step)
{
  const int outside = g.wraps >> axis & 1 ? step : 0;
  return index >= -outside && index < n + outside;
}

/* From a plane, which may lie one or two beyond the box, to that of the box that is meant. */
__device__ __forceinline__ ptrdiff_t plane_shift(const hymgi_geom &g, const place &p, int k)
{
  return k < 0 ? g.n[2] * p.plane : k >= g.n[2] ? -g.n[2] * p.plane : 0;
}

/* ZERO: the old iterate is 0. AROUND: the box wraps. N: shape. */
template <bool VARIABLE, bool ALPHA, bool ZERO, bool AROUND, int N, int X, int Y>
__global__ void __launch_bounds__(tile<X, Y>::threads, FUSED_BLOCKS)
    fv2_gsrb_fused(const __grid_constant__ fused_args a)
{
  constexpr int WIDE = tile<X, Y>::wide;
  alignas(16) __shared__ hymgi_real shared[2][2 * tile<X, Y>::threads];
  wait_for_predecessors();
  let_successors_start();
  const hymgi_geom &g = a.boxes.one;
  const int id = (int)threadIdx.x, x = id % WIDE, y = id / WIDE;
  const int t = 2 * ((int)blockIdx.x * X - 1 + x), j = (int)blockIdx.y * Y - 1 + y;
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const int from = z * a.slab, to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  const int slots = (g.n[0] + 1) / 2, start = from > 0 || (AROUND && g.wraps & 4) ? from - 1 : 0;
  const bool within = t >= 0 && t < slots && j >= 0 && j < g.n[1];
  const bool inside =
      AROUND ? is_around(g, 0, t, slots, 2) && is_around(g, 1, j, g.n[1], 1) : within;
  const bool mine = within && x > 0 && x <= X && y > 0 && y <= Y, both = N || t + 1 < slots;
  const int own_t = AROUND ? index_around(t, slots) : t,
            own_j = AROUND ? index_around(j, g.n[1]) : j;
  place p = place_of(g, 0, inside ? own_t : 0, inside ? own_j : 0, start);
  if (N) p.pitch = shape_pitch(N), p.plane = shape_plane(N, 1);
  const two_ways ways = AROUND ? ways_around(g, own_t, own_j) : ways_beside(p.pitch);
  const auto shift = [&](int k) { return AROUND ? plane_shift(g, p, k) : 0; };
  two_columns black = {}, red = {};
  if (inside && !ZERO) {
    black.below = load_cells<2>(a.own + p.other - p.plane + shift(start - 1));
    black.here = load_cells<2>(a.own + p.other + shift(start));
  }
#pragma unroll 1
  for (int k = start; k <= to; k++) {
    p.k = k;
    p.i = 2 * own_t + p.east;
    black.above = red.above = {};
    if (inside && (k < g.n[2] || (AROUND && g.wraps & 4))) {
      const hymgi_real *const row = a.own + p.other;
      if (!ZERO) black.above = load_cells<2>(row + p.plane + shift(k + 1));
      place q = p;
      q.own += shift(k), q.other += shift(k);
      red.above = updated<VARIABLE, ALPHA, ZERO>(a, g, q, black, row + shift(k), ways);
      store_cells<2>(&shared[k & 1][2 * id], red.above);
      if (mine && k >= from && k < to) store_within(a.out + p.own, red.above, both);
    }
    if (mine && k > from) {
      const place b = black_below(p, t);
      const hymgi_real *const row = &shared[(k - 1) & 1][2 * id];
      const cells<2> value =
          updated<VARIABLE, ALPHA, false>(a, g, b, red, row, ways_beside(2 * WIDE));
      store_within(a.out + b.own, value, both);
    }
    red.go_up(), black.go_up();
    p.own += p.plane;
    p.other += p.plane;
    p.east = 1 - p.east;
    p.west = p.east - 1;
    __syncthreads();
  }
}

/* A literal shape saves 2 to 4 % of F-cycles and solves where a box wraps or, in double precision, beta is constant, else
 * at most 1 %. */
template <bool AROUND, int N, int X, int Y>
void launch_fused(const hymgi_level *level, gsrb_args a, bool zero)
{
  const int slots = (a.extent[0] + 1) / 2;
  const unsigned layer = blocks_for(slots, 2 * X) * blocks_for(a.extent[1], Y);
  const int held = FUSED_BLOCKS * level->context->gpu->multiprocessors;
  const int slab = slab_for(a.boxes, layer, held, a.extent[2], 2, 4);
  const dim3 grid = slabs_grid(&a, slots, 2 * X, Y, slab);
  with_bools(
      [&](auto variable, auto alpha, auto from_zero) {
        const fused_args q = {a.boxes, a.v, a.f, a.own, a.out, a.falling, a.slab};
        constexpr int SHAPE = AROUND || (!variable && !SINGLE) ? N : 0;
        hymgi_launch(level->context,
                     fv2_gsrb_fused<variable, alpha, from_zero, AROUND, SHAPE, X, Y>, grid,
                     dim3(tile<X, Y>::threads), q);
      },
      level->method->variable_beta, level->method->has_alpha, zero);
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_fused(const hymgi_level *level, bool falling,
                                          const hymgi_real *x, hymgi_real *out)
{
  const hymgi_sweep both = {HYMGI_HALF_SWEEP, level->f, x, x, out};
  gsrb_args a = gsrb_args_of(level, &both);
  a.falling = falling;
  const bool zero = x == NULL;
  with_one_of<1, shape(512, 512), shape(256, 256), shape(128, 128)>(level, [&](auto of) {
    if (hymgi_has_variant(level, HYMGI_FV2_GSRB_FUSED_AROUND))
      launch_fused<true, of, 32, 16>(level, a, zero);
    else if (hymgi_has_variant(level, HYMGI_FV2_GSRB_FUSED_NARROW))
      launch_fused<false, 0, 16, 32>(level, a, zero);
    else
      launch_fused<false, of, 32, 16>(level, a, zero);
  });
}
