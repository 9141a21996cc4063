/* FV4 on split rows, large levels: a half sweep of red-black Gauss-Seidel. A thread owns the slot t
 * of a row of one colour and marches along z with what it has seen of both colours in registers;
 * ghosts are in memory, or along x computed from the warp's own cells. Bytes per cell of the level:
 * x 8, f 4, 1/diag 4, betas 24, written 4; half of that in single precision. It is bound by the latency of loads, so that more of
 * them in flight matter more than occupancy; they wait for the link between the two halves of the
 * L2 cache (benchmarks/README.md has the counters). */
#include "device/fast_division.cuh"
#include "device/ghosts.cuh"
#include "kernels/fv4/two_values.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* The values of a thread: of a slot or, in single precision, of two adjacent ones, which are loaded
 * together. */
template <int SLOTS> using values = std::conditional_t<SLOTS == 1, hymgi_real, cells<2>>;

/* Which ends of the rows a warp has; the lanes there compute the ghosts. */
enum { MIDDLE, LOW_END, HIGH_END, BOTH_ENDS };

/* Is this lane's slot the first or the last of the row, in a warp that computes ghosts? */
struct row_ends {
  bool low, high;
};

/* What the march keeps: of its own colour this slot from two planes below to one above, the
 * adjacent rows, and the slot on the other side; of the other colour this slot. c: centre; u: up,
 * d: down. */
template <typename V> struct gsrb_window {
  V cdd, cd, c, cu, nd, n, sd, s, sided, side; /* own colour */
  V qd, q;                                     /* other colour */
  V done; /* the previous plane's: stored after this plane's loads, which then overlap */
};

/* The values `shift` slots along x; at_end: there is no cell there, and any other is loaded. */
template <int SLOTS>
__device__ __forceinline__ values<SLOTS> load_beside(const hymgi_real *x, int shift, bool at_end)
{
  if constexpr (SLOTS == 1) {
    return x[at_end ? 0 : shift];
  } else {
    const cells<2> v = load_cells<2>(x);
    if (shift == 0) return v;
    if (shift > 0) return {{v.at[1], x[at_end ? 1 : 2]}};
    return {{x[at_end ? 0 : -1], v.at[0]}};
  }
}

template <int SLOTS> __device__ __forceinline__ values<SLOTS> load_here(const hymgi_real *x)
{
  return load_beside<SLOTS>(x, 0, false);
}

/* The same of what no kernel of a solve writes. */
template <int SLOTS>
__device__ __forceinline__ values<SLOTS> load_constant(const hymgi_real *x, int shift)
{
  if constexpr (SLOTS == 1) {
    return __ldg(x + shift);
  } else {
    const real2 v = __ldg(reinterpret_cast<const real2 *>(x));
    if (shift == 0) return {{v.x, v.y}};
    if (shift > 0) return {{v.y, __ldg(x + 2)}};
    return {{__ldg(x - 1), v.x}};
  }
}

/* both: the second slot does not lie beyond the row. */
template <int SLOTS>
__device__ __forceinline__ void store_here(hymgi_real *x, const values<SLOTS> &v, bool both)
{
  if constexpr (SLOTS == 1) {
    *x = v;
  } else {
    if (both)
      store_cells<2>(x, v);
    else
      *x = v.at[0];
  }
}

/* The four cells from which the ghosts at this lane's end of a row are extrapolated: both of its
 * slot, and both of the adjacent slot, which with one slot a lane is the neighbouring lane's. */
__device__ __forceinline__ inside row_end(bool, hymgi_real at_boundary, hymgi_real beside)
{
  return {at_boundary, beside, __shfl_xor_sync(~0u, at_boundary, 1),
          __shfl_xor_sync(~0u, beside, 1)};
}
template <int N>
__device__ __forceinline__ inside row_end(bool low, const cells<N> &at_boundary,
                                          const cells<N> &beside)
{
  return low ? inside{at_boundary.at[0], beside.at[0], at_boundary.at[1], beside.at[1]}
             : inside{at_boundary.at[1], beside.at[1], at_boundary.at[0], beside.at[0]};
}

template <typename V>
__device__ __forceinline__ hymgi_real ghost(bool low, const V &at_boundary, const V &beside)
{
  return first_ghost(HYMGI_QUARTIC_GHOST, row_end(low, at_boundary, beside));
}

/* Puts a ghost beyond this lane's end of the row in its place. */
__device__ __forceinline__ void put(hymgi_real *v, bool, bool at_end, hymgi_real ghost_value)
{
  *v = at_end ? ghost_value : *v;
}
template <int N>
__device__ __forceinline__ void put(cells<N> *v, bool low, bool at_end, hymgi_real ghost_value)
{
  if (low)
    v->at[0] = at_end ? ghost_value : v->at[0];
  else
    v->at[1] = at_end ? ghost_value : v->at[1];
}

/* Nothing here branches on whether the lane is at an end: loads on the two sides of a branch would
 * not be in flight together. */
template <bool VARIABLE, int FIRST, int N, int END, int SLOTS>
__device__ __forceinline__ void gsrb_step(const gsrb_args &a, const place &p, bool stored,
                                          bool both, const row_ends &ends,
                                          gsrb_window<values<SLOTS>> *w)
{
  using V = values<SLOTS>;
  const ptrdiff_t P = N ? shape_pitch(N) : p.pitch, L = N ? shape_plane(N, 2) : p.plane;
  /* the adjacent slot that the other colour does not share */
  constexpr int S = FIRST ? 1 : -1;
  constexpr bool GHOSTS = END == BOTH_ENDS || END == (FIRST ? HIGH_END : LOW_END), LOW = !FIRST;
  const bool at_end = GHOSTS && (FIRST ? ends.high : ends.low);
  const hymgi_real *const o = a.own + p.own, *const q = a.other + p.other;
  const V cuu = load_here<SLOTS>(o + 2 * L), nu = load_here<SLOTS>(o + P + L),
          su = load_here<SLOTS>(o + L - P), nn = load_here<SLOTS>(o + 2 * P),
          ss = load_here<SLOTS>(o - 2 * P);
  const V qu = load_here<SLOTS>(q + L), qs = load_here<SLOTS>(q - P), qn = load_here<SLOTS>(q + P);
  V sideu = load_beside<SLOTS>(o + L, S, at_end), far = load_beside<SLOTS>(o, S, at_end),
    nf = load_beside<SLOTS>(o + P, S, at_end), sf = load_beside<SLOTS>(o - P, S, at_end),
    qside = load_beside<SLOTS>(q, S, at_end);
  const V f = load_here<SLOTS>(a.f + p.own), scale = load_constant<SLOTS>(a.v.dinv + p.own, 0);
  if (stored) store_here<SLOTS>(a.out + p.own - L, w->done, both);
  if (GHOSTS) {
    const hymgi_real above = ghost(LOW, qu, w->cu), north = ghost(LOW, qn, w->n),
                     south = ghost(LOW, qs, w->s);
    const inside here = row_end(LOW, w->c, w->q);
    put(&sideu, LOW, at_end, above);
    put(&nf, LOW, at_end, north);
    put(&sf, LOW, at_end, south);
    put(&qside, LOW, at_end, first_ghost(HYMGI_QUARTIC_GHOST, here));
    put(&far, LOW, at_end, second_ghost(HYMGI_QUARTIC_GHOST, here));
  }
  const auto x = [&](int di, int dj, int dk) -> V {
    if (dk == 0 && dj == 0)
      return di == 0    ? w->c
             : di == -1 ? (FIRST ? w->q : qside)
             : di == 1  ? (FIRST ? qside : w->q)
             : di == -2 ? (FIRST ? w->side : far)
                        : (FIRST ? far : w->side);
    if (dk == 0 && di == 0) return dj == 1 ? qn : dj == -1 ? qs : dj == 2 ? nn : ss;
    if (dj == 0 && di == 0) return dk == 1 ? qu : dk == -1 ? w->qd : dk == 2 ? cuu : w->cdd;
    if (dk == 0 && dj == 1) return (di == -1) == (FIRST == 1) ? w->n : nf;
    if (dk == 0) return (di == -1) == (FIRST == 1) ? w->s : sf;
    if (dj == 0 && dk == 1) return (di == -1) == (FIRST == 1) ? w->cu : sideu;
    if (dj == 0) return (di == -1) == (FIRST == 1) ? w->cd : w->sided;
    if (dk == 1) return dj == 1 ? nu : su;
    return dj == 1 ? w->nd : w->sd;
  };
  const auto beta = [&](int axis, int di, int dj, int dk) {
    if constexpr (!VARIABLE) {
      return a.v.beta_constant[axis];
    } else {
      const int slot = di == 0 ? 0 : di == 1 ? FIRST : FIRST - 1;
      const hymgi_real *const b = a.v.beta[axis];
      return load_constant<SLOTS>(b + ((di + dj + dk) & 1 ? p.other : p.own) + dj * P + dk * L,
                                  slot);
    }
  };
  V ax = fv4_apply_with<VARIABLE>(x, beta);
  if (a.v.has_alpha && a.v.alpha)
    ax = hymgi_fma(load_here<SLOTS>(a.v.alpha + p.own), w->c, ax);
  else if (a.v.has_alpha)
    ax = hymgi_fma(a.v.alpha_constant, w->c, ax);
  w->done = hymgi_relax(w->c, scale, f - ax);
  w->cdd = w->cd, w->cd = w->c, w->c = w->cu, w->cu = cuu;
  w->nd = w->n, w->n = nu, w->sd = w->s, w->s = su;
  w->sided = w->side, w->side = sideu;
  w->qd = w->q, w->q = qu;
}

template <bool VARIABLE, int N, int END, int SLOTS>
__device__ __forceinline__ void march_column(const gsrb_args &a, place p, int to, bool both,
                                             const row_ends &ends)
{
  gsrb_window<values<SLOTS>> window, *const w = &window;
  const ptrdiff_t P = N ? shape_pitch(N) : p.pitch, L = N ? shape_plane(N, 2) : p.plane;
  const hymgi_real *const o = a.own + p.own, *const q = a.other + p.other;
  const int by = p.east ? 1 : -1; /* of this plane; the plane below shares the other slot */
  const bool ghost_here = END && (p.east ? ends.low : ends.high);
  const bool ghost_below = END && (p.east ? ends.high : ends.low);
  w->done = {};
  w->cdd = load_here<SLOTS>(o - 2 * L), w->cd = load_here<SLOTS>(o - L);
  w->c = load_here<SLOTS>(o), w->cu = load_here<SLOTS>(o + L);
  w->nd = load_here<SLOTS>(o + P - L), w->n = load_here<SLOTS>(o + P);
  w->sd = load_here<SLOTS>(o - P - L), w->s = load_here<SLOTS>(o - P);
  w->qd = load_here<SLOTS>(q - L), w->q = load_here<SLOTS>(q);
  w->sided = load_beside<SLOTS>(o - L, by, ghost_below);
  w->side = load_beside<SLOTS>(o, -by, ghost_here);
  if (END) {
    const hymgi_real here = ghost(p.east, w->q, w->c), below = ghost(!p.east, w->qd, w->cd);
    put(&w->side, p.east, ghost_here, here);
    put(&w->sided, !p.east, ghost_below, below);
  }
  const int from = p.k;
  const auto up = [&]() {
    p.k++;
    p.own += L;
    p.other += L;
  };
  if (p.east) {
    gsrb_step<VARIABLE, 1, N, END, SLOTS>(a, p, false, both, ends, w);
    up();
  }
#pragma unroll 1
  while (p.k + 1 < to) {
    gsrb_step<VARIABLE, 0, N, END, SLOTS>(a, p, p.k > from, both, ends, w);
    up();
    gsrb_step<VARIABLE, 1, N, END, SLOTS>(a, p, true, both, ends, w);
    up();
  }
  if (p.k < to) {
    gsrb_step<VARIABLE, 0, N, END, SLOTS>(a, p, p.k > from, both, ends, w);
    up();
  }
  store_here<SLOTS>(a.out + p.own - L, w->done, both);
}

template <bool VARIABLE, int N, int SLOTS, int X, int Y, int BLOCKS>
__global__ void __launch_bounds__(X *Y, BLOCKS) fv4_gsrb_march(const __grid_constant__ gsrb_args a)
{
  wait_for_predecessors();
  let_successors_start();
  int b;
  const int from = slab_begin(a, &b);
  const hymgi_geom g = box_at(a.boxes, b);
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  /* so that the compiler knows that a warp has one row */
  const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0);
  const int t0 = SLOTS * ((int)blockIdx.x * X + warp % (X / 32) * 32), last = g.n[0] / 2 - 1;
  const int t = t0 + SLOTS * ((int)threadIdx.x % 32), j = (int)blockIdx.y * Y + warp / (X / 32);
  if (t0 > last || j >= g.n[1] || from >= to) return;
  const place p = place_of(g, a.colour, t, j, from);
  const bool both = t<last, first = t0 == 0, ends = t0 + 32 * SLOTS> last;
  if constexpr (SLOTS == 2) {
    if (t > last) return;
    if (a.fills_along_x && (first || ends))
      march_column<VARIABLE, N, BOTH_ENDS, 2>(a, p, to, both, {t == 0, t + 1 == last});
    else
      march_column<VARIABLE, N, MIDDLE, 2>(a, p, to, both, {false, false});
  } else if (a.fills_along_x && first) {
    march_column<VARIABLE, N, LOW_END, 1>(a, p, to, both, {t == 0, false});
  } else if (a.fills_along_x && ends) {
    march_column<VARIABLE, N, HIGH_END, 1>(a, p, to, both, {false, t == last});
  } else if (t <= last) {
    march_column<VARIABLE, N, MIDDLE, 1>(a, p, to, both, {false, false});
  }
}

/* The half sweep where x is known to be 0. */
enum { FROM_ZERO_X = 64, FROM_ZERO_Y = 4 };

__global__ void __launch_bounds__(FROM_ZERO_X *FROM_ZERO_Y)
    fv4_gsrb_from_zero(const __grid_constant__ gsrb_args a)
{
  wait_for_predecessors();
  let_successors_start();
  const hymgi_geom &g = a.boxes.one;
  const int t = (int)(blockIdx.x * FROM_ZERO_X + threadIdx.x);
  const int j = (int)(blockIdx.y * FROM_ZERO_Y + threadIdx.y);
  if (t >= g.n[0] / 2 || j >= g.n[1]) return;
  for (int k = (int)blockIdx.z; k < g.n[2]; k += (int)gridDim.z) {
    const ptrdiff_t own = hymgi_row(&g, a.colour, j, k) + t;
    a.out[own] = hymgi_relax(0., __ldg(a.v.dinv + own), a.f[own]);
  }
}

template <bool VARIABLE, int N, int SLOTS, int X, int Y, int BLOCKS>
void launch_march(const hymgi_level *level, gsrb_args a, int slab)
{
  const dim3 grid = slabs_grid(&a, a.extent[0] / 2, SLOTS * X, Y, slab);
  hymgi_launch(level->context, fv4_gsrb_march<VARIABLE, N, SLOTS, X, Y, BLOCKS>, grid, dim3(X * Y),
               a);
}

/* SMALL_BLOCKS, SMALL_HELD: blocks of a multiprocessor with a variable and with constant beta. */
enum { SMALL_X = 32, SMALL_Y = 4, SMALL_BLOCKS = 3, SMALL_HELD = 6 };

template <bool VARIABLE, int N> void march_small(const hymgi_level *level, const gsrb_args &a)
{
  const unsigned layer = blocks_for(a.extent[0] / 2, SMALL_X) * blocks_for(a.extent[1], SMALL_Y);
  const int held = (VARIABLE ? SMALL_BLOCKS : SMALL_HELD) * level->context->gpu->multiprocessors;
  launch_march<VARIABLE, N, 1, SMALL_X, SMALL_Y, SMALL_BLOCKS>(
      level, a, slab_for(a.boxes, layer, held, a.extent[2], 4, 6));
}

enum { TWO_X = 32, TWO_Y = 8, TWO_BLOCKS = 2 };

template <bool VARIABLE, int N> void march_two(const hymgi_level *level, const gsrb_args &a)
{
  const unsigned layer = blocks_for(a.extent[0] / 2, 2 * TWO_X) * blocks_for(a.extent[1], TWO_Y);
  const int held = TWO_BLOCKS * level->context->gpu->multiprocessors;
  launch_march<VARIABLE, N, 2, TWO_X, TWO_Y, TWO_BLOCKS>(
      level, a, slab_for(a.boxes, layer, held, a.extent[2], 2, 8));
}

} /* namespace */

/* Literal shapes: cubes, and halves of them on ranks. */
extern "C" void hymgi_cuda_fv4_gsrb_march(const hymgi_level *level, const hymgi_sweep *half)
{
  const gsrb_args a = gsrb_args_of(level, half);
  const bool two = hymgi_has_variant(level, HYMGI_FV4_GSRB_TWO);
  const auto march = [&](auto variable) {
    with_one_of<2, shape(512, 512), shape(512, 256), shape(256, 256), shape(256, 128),
                shape(128, 128)>(level, [&](auto of) {
      if constexpr (SINGLE)
        if (two) return march_two<variable, of>(level, a);
      march_small<variable, SINGLE ? 0 : of>(level, a);
    });
  };
  with_bools(march, level->method->variable_beta);
}

extern "C" void hymgi_cuda_fv4_gsrb_from_zero(const hymgi_level *level, const hymgi_sweep *half)
{
  const gsrb_args a = gsrb_args_of(level, half);
  const int *const n = a.extent;
  const dim3 grid(blocks_for(n[0] / 2, FROM_ZERO_X), blocks_for(n[1], FROM_ZERO_Y),
                  grid_share(n[2]));
  hymgi_launch(level->context, fv4_gsrb_from_zero, grid, dim3(FROM_ZERO_X, FROM_ZERO_Y), a);
}
