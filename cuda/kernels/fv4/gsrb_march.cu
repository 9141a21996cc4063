/* FV4 on split rows, large levels: a half sweep of red-black Gauss-Seidel. A thread owns the slot t
 * of a row of one colour and marches along z with what it has seen of both colours in registers;
 * ghosts are in memory, or along x computed from the warp's own cells. Bytes per cell of the level:
 * x 8, f 4, 1/diag 4, betas 24, written 4. It is bound by the latency of loads, so that more of
 * them in flight matter more than occupancy; they wait for the link between the two halves of the
 * L2 cache (benchmarks/README.md has the counters). */
#include "device/ghosts.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* Which end of the rows a warp has; the lane there computes the ghosts. */
enum { MIDDLE, LOW_END, HIGH_END };

/* What the march keeps: of its own colour this slot from two planes below to one above, the
 * adjacent rows, and the slot on the other side; of the other colour this slot. c: centre; u: up,
 * d: down. */
struct gsrb_window {
  hymgi_real cdd, cd, c, cu, nd, n, sd, s, sided, side; /* own colour */
  hymgi_real qd, q;                                     /* other colour */
  hymgi_real done; /* the previous plane's: stored after this plane's loads, which then overlap */
};

/* The four cells from which the ghosts at this lane's end of a row are extrapolated: both of its
 * slot, and both of the neighbouring lane's. */
__device__ __forceinline__ inside row_end(hymgi_real at_boundary, hymgi_real beside)
{
  return {at_boundary, beside, __shfl_xor_sync(~0u, at_boundary, 1),
          __shfl_xor_sync(~0u, beside, 1)};
}

__device__ __forceinline__ hymgi_real ghost(hymgi_real at_boundary, hymgi_real beside)
{
  return first_ghost(HYMGI_QUARTIC_GHOST, row_end(at_boundary, beside));
}

/* at_end: this lane's slot is the one at the end. Nothing here branches on it: loads on the two
 * sides of a branch would not be in flight together. */
template <bool VARIABLE, int FIRST, int N, int END>
__device__ __forceinline__ void gsrb_step(const gsrb_args &a, const place &p, bool stored,
                                          bool at_end, gsrb_window *w)
{
  const ptrdiff_t P = N ? shape_pitch(N) : p.pitch, L = N ? shape_plane(N, 2) : p.plane;
  /* the adjacent slot that the other colour does not share; this one if there is none */
  constexpr bool GHOSTS = END == (FIRST ? HIGH_END : LOW_END);
  const int S = GHOSTS && at_end ? 0 : FIRST ? 1 : -1;
  const hymgi_real *const o = a.own + p.own, *const q = a.other + p.other, *const os = o + S;
  const hymgi_real cuu = o[2 * L], nu = o[P + L], su = o[L - P], nn = o[2 * P], ss = o[-2 * P];
  const hymgi_real qu = q[L], qs = q[-P], qn = q[P];
  hymgi_real sideu = os[L], far = os[0], nf = os[P], sf = os[-P], qside = q[S];
  const hymgi_real f = a.f[p.own], scale = __ldg(a.v.dinv + p.own);
  if (stored) a.out[p.own - L] = w->done;
  if (GHOSTS) {
    const hymgi_real above = ghost(qu, w->cu), north = ghost(qn, w->n), south = ghost(qs, w->s);
    const inside here = row_end(w->c, w->q);
    sideu = at_end ? above : sideu;
    nf = at_end ? north : nf;
    sf = at_end ? south : sf;
    qside = at_end ? first_ghost(HYMGI_QUARTIC_GHOST, here) : qside;
    far = at_end ? second_ghost(HYMGI_QUARTIC_GHOST, here) : far;
  }
  const auto x = [&](int di, int dj, int dk) {
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
    if (!VARIABLE) return a.v.beta_constant[axis];
    const int slot = di == 0 ? 0 : di == 1 ? FIRST : FIRST - 1;
    const hymgi_real *const b = a.v.beta[axis];
    return __ldg(b + ((di + dj + dk) & 1 ? p.other : p.own) + slot + dj * P + dk * L);
  };
  const hymgi_real alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  const hymgi_real ax = fv4_with_alpha(a.v, fv4_apply_with<VARIABLE>(x, beta), w->c, alpha);
  w->done = hymgi_relax(w->c, scale, f - ax);
  w->cdd = w->cd, w->cd = w->c, w->c = w->cu, w->cu = cuu;
  w->nd = w->n, w->n = nu, w->sd = w->s, w->s = su;
  w->sided = w->side, w->side = sideu;
  w->qd = w->q, w->q = qu;
}

template <bool VARIABLE, int N, int END>
__device__ __forceinline__ void march_column(const gsrb_args &a, place p, int to, bool at_end,
                                             gsrb_window *w)
{
  const ptrdiff_t P = N ? shape_pitch(N) : p.pitch, L = N ? shape_plane(N, 2) : p.plane;
  const hymgi_real *const o = a.own + p.own, *const q = a.other + p.other;
  const int by = p.east ? 1 : -1; /* of this plane; the plane below shares the other slot */
  const bool ghost_here = END && at_end && (END == HIGH_END) != (p.east == 1);
  const bool ghost_below = END && at_end && !ghost_here;
  w->cdd = o[-2 * L], w->cd = o[-L], w->c = o[0], w->cu = o[L];
  w->nd = o[P - L], w->n = o[P], w->sd = o[-P - L], w->s = o[-P];
  w->qd = q[-L], w->q = q[0];
  w->sided = o[(ghost_below ? 0 : by) - L], w->side = o[ghost_here ? 0 : -by];
  if (END) {
    const hymgi_real here = ghost(w->q, w->c), below = ghost(w->qd, w->cd);
    w->side = ghost_here ? here : w->side;
    w->sided = ghost_below ? below : w->sided;
  }
  const int from = p.k;
  const auto up = [&]() {
    p.k++;
    p.own += L;
    p.other += L;
  };
  if (p.east) {
    gsrb_step<VARIABLE, 1, N, END>(a, p, false, at_end, w);
    up();
  }
#pragma unroll 1
  while (p.k + 1 < to) {
    gsrb_step<VARIABLE, 0, N, END>(a, p, p.k > from, at_end, w);
    up();
    gsrb_step<VARIABLE, 1, N, END>(a, p, true, at_end, w);
    up();
  }
  if (p.k < to) {
    gsrb_step<VARIABLE, 0, N, END>(a, p, p.k > from, at_end, w);
    up();
  }
  a.out[p.own - L] = w->done;
}

template <bool VARIABLE, int N, int X, int Y, int BLOCKS>
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
  const int t0 = (int)blockIdx.x * X + warp % (X / 32) * 32, last = g.n[0] / 2 - 1;
  const int t = t0 + (int)threadIdx.x % 32, j = (int)blockIdx.y * Y + warp / (X / 32);
  if (t0 > last || j >= g.n[1] || from >= to) return;
  const place p = place_of(g, a.colour, t, j, from);
  gsrb_window w;
  w.done = 0;
  if (a.fills_along_x && t0 == 0)
    march_column<VARIABLE, N, LOW_END>(a, p, to, t == 0, &w);
  else if (a.fills_along_x && t0 + 32 > last)
    march_column<VARIABLE, N, HIGH_END>(a, p, to, t == last, &w);
  else if (t <= last)
    march_column<VARIABLE, N, MIDDLE>(a, p, to, false, &w);
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
  const int j = (int)(blockIdx.y * FROM_ZERO_Y + threadIdx.y), k = (int)blockIdx.z;
  if (t >= g.n[0] / 2 || j >= g.n[1]) return;
  const ptrdiff_t own = hymgi_row(&g, a.colour, j, k) + t;
  a.out[own] = hymgi_relax(0., __ldg(a.v.dinv + own), a.f[own]);
}

template <bool VARIABLE, int N, int X, int Y, int BLOCKS>
void launch_march(const hymgi_level *level, gsrb_args a, int slab)
{
  const dim3 grid = slabs_grid(&a, a.extent[0] / 2, X, Y, slab);
  hymgi_launch(level->context, fv4_gsrb_march<VARIABLE, N, X, Y, BLOCKS>, grid, dim3(X * Y), a);
}

} /* namespace */

/* Large tiles have less halo; small ones balance the load better. */
extern "C" void hymgi_cuda_fv4_gsrb_march(const hymgi_level *level, const hymgi_sweep *half)
{
  const gsrb_args a = gsrb_args_of(level, half);
  const int *const n = a.extent;
  const auto march = [&](auto variable) {
    with_shape(level, [&](auto of) {
      if constexpr (of >= shape(512, 512))
        launch_march<variable, of, 64, 6, 1>(level, a, 64);
      else if constexpr (of != 0)
        launch_march<variable, of, 32, 4, 3>(level, a, n[1] <= 128 ? 8 : 16);
      else if (n[0] >= 384 && n[1] >= 384)
        launch_march<variable, of, 64, 6, 1>(level, a, 64);
      else
        launch_march<variable, of, 32, 4, 3>(level, a, 16);
    });
  };
  const dim3 grid(blocks_for(n[0] / 2, FROM_ZERO_X), blocks_for(n[1], FROM_ZERO_Y), (unsigned)n[2]);
  if (half->from_zero)
    hymgi_launch(level->context, fv4_gsrb_from_zero, grid, dim3(FROM_ZERO_X, FROM_ZERO_Y), a);
  else
    with_bools(march, level->method->variable_beta);
}
