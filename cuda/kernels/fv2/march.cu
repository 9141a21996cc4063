/* FV2's half sweeps of red-black Gauss-Seidel and residual of red cells (split rows), sweeps,
 * residual and its norm (plain rows): a march along z on large levels, one thread per cell on small
 * ones. Boundary ghosts are extrapolated as neighbours are loaded. A half sweep reads the other
 * colour and writes its own, in place; the other sweeps are out of place. Bytes per cell of the
 * level: a half sweep: the other colour 4, f 4, six faces of half the cells 24 (every face once),
 * written 4; a Chebyshev step: x 8, f 8, previous x 8, betas 24, written 8. */
#include "device/fast_division.cuh"
#include "device/reduce.cuh"
#include "kernels/fv2/march.cuh"

namespace
{

template <typename JOB>
__device__ __forceinline__ hymgi_real updated(const gsrb_args &a, const fv2_betas &b,
                                              const fv2_values &x, hymgi_real f, hymgi_real alpha,
                                              hymgi_real scale, hymgi_real prev)
{
  if (std::is_same_v<JOB, gsrb>) return fv2_gsrb(a.v, b, x, f, alpha);
  if (std::is_same_v<JOB, apply_sum>) return fv2_apply(a.v, b, x, alpha);
  const hymgi_real r = fv2_residual(a.v, b, x, f, alpha);
  if (!std::is_same_v<JOB, relax>) return r;
  const hymgi_real step = a.scale ? r * scale : r / fv2_diagonal(a.v, b, alpha);
  return relaxed(a, x.c, a.residual, step, prev);
}

/* ---- marched along z ---- */

/* The box as one column of plain rows sees it: most columns touch no boundary along x or y, and
 * then no plane compares those indices. */
__device__ __forceinline__ hymgi_geom alone(const hymgi_geom &g, place *p)
{
  const unsigned clear = (p->i > 0 ? 1 : 0) | (p->i < g.n[0] - 1 ? 2 : 0) | (p->j > 0 ? 4 : 0) |
                         (p->j < g.n[1] - 1 ? 8 : 0);
  hymgi_geom narrow = {};
  narrow.boundaries = g.boundaries & ~clear;
  narrow.n[0] = narrow.n[1] = 1;
  narrow.n[2] = g.n[2];
  p->i = p->j = 0;
  return narrow;
}

/* What a step loads. */
struct fv2_arrivals {
  fv2_betas b;
  hymgi_real above, f, prev, alpha, scale;
  hymgi_real c, w, e, s, n;
};

/* here: x at this slot in the other colour, the neighbour on one side (plain rows: the cell
 * itself); low: the z-face below (plain rows). */
template <typename JOB, bool SPLIT, bool VARIABLE>
__device__ __forceinline__ fv2_arrivals arrive(const gsrb_args &a, const hymgi_geom &g,
                                               const place &p, hymgi_real here, hymgi_real low)
{
  constexpr bool RELAX = std::is_same_v<JOB, relax>;
  fv2_arrivals t;
  if (SPLIT) {
    const hymgi_real side = a.own[p.other + 2 * p.east - 1];
    t.c = std::is_same_v<JOB, gsrb> ? 0 : a.own[p.own];
    t.w = p.east ? here : side, t.e = p.east ? side : here;
  } else {
    t.c = here;
    t.w = a.own[p.own - 1], t.e = a.own[p.own + 1];
  }
  t.above = a.own[p.other + p.plane];
  t.f = std::is_same_v<JOB, apply_sum> ? 0 : a.f[p.own];
  t.prev = RELAX && a.prev ? a.prev[p.own] : 0;
  t.s = a.own[p.other - p.pitch], t.n = a.own[p.other + p.pitch];
  t.b = fv2_load_betas<VARIABLE>(a.v, g, p);
  if (VARIABLE && !SPLIT) t.b.d = low;
  t.alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  t.scale = RELAX && a.scale ? __ldg(a.scale + p.own) : 0;
  return t;
}

/* The same slot a plane further up. */
template <bool SPLIT> __device__ __forceinline__ void go_up(place *p, int t)
{
  p->k++;
  p->own += p->plane;
  forget_addresses(&p->own);
  if (!SPLIT) {
    p->other = p->own;
    return;
  }
  p->other += p->plane;
  forget_addresses(&p->other);
  p->east = 1 - p->east, p->west = p->east - 1;
  p->i = 2 * t + p->east;
}

/* Of split rows, is there a cell in this slot of a row that begins with cell `first`? */
template <bool SPLIT>
__device__ __forceinline__ bool is_cell(const hymgi_geom &g, int slot, int first)
{
  return !SPLIT || 2 * slot + first < g.n[0];
}

template <typename JOB, bool SPLIT, bool VARIABLE>
__device__ __forceinline__ void march_column(const march_args<JOB> &a, const hymgi_geom &box,
                                             place p, int slot, int to, march_result *result)
{
  constexpr bool NORM = std::is_same_v<JOB, residual_norm>;
  const hymgi_geom g = SPLIT ? box : alone(box, &p);
  column_window<hymgi_real, 1, 1> x;
  x.fill([&](int dk) { return a.own[p.other + dk * p.plane]; });
  hymgi_real low = VARIABLE && !SPLIT ? __ldg(a.v.beta[2] + p.own) : 0;
  const int from = p.k;
  hymgi_real done = 0;
#pragma unroll 1
  while (p.k < to) {
    const fv2_arrivals t = arrive<JOB, SPLIT, VARIABLE>(a, g, p, x.at(0), low);
    fv2_values v = {t.c, t.w, t.e, t.s, t.n, x.at(-1), t.above};
    fv2_extrapolate(a.v, g, p, &v);
    const hymgi_real value = updated<JOB>(a, t.b, v, t.f, t.alpha, t.scale, t.prev);
    if (!NORM && p.k > from && is_cell<SPLIT>(box, slot, 1 - p.east))
      store_result<JOB>(a, p.own - p.plane, done);
    done = value; /* stored after the next plane's loads, which then overlap */
    if (HAS_NORM<JOB>) result->norm = larger(result->norm, bits_of(value));
    if constexpr (std::is_same_v<JOB, apply_sum>) {
      const hymgi_real with = a.with == a.own ? t.c : a.with == a.out ? value : a.with[p.own];
      hymgi_sum_add_below(value * with, &a.sum, result->words);
    }
    x.shift(t.above);
    low = t.b.u;
    go_up<SPLIT>(&p, slot);
  }
  if (!NORM && is_cell<SPLIT>(box, slot, 1 - p.east)) store_result<JOB>(a, p.own - p.plane, done);
}

enum { MARCH_BLOCKS = 4 };

template <typename JOB, bool SPLIT, bool VARIABLE>
__global__ void __launch_bounds__(GSRB_THREADS, MARCH_BLOCKS)
    fv2_march(const __grid_constant__ march_args<JOB> a)
{
  wait_for_predecessors();
  let_successors_start();
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  int b;
  const int from = slab_begin(a, &b);
  hymgi_geom g = box_at(a.boxes, b);
  g.split = SPLIT;
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  place p = place_of(g, a.colour, t, j, from);
  march_result result = {};
  if (t < slots_of(g) && j < g.n[1] && from < to)
    march_column<JOB, SPLIT, VARIABLE>(a, g, p, t, to, &result);
  if (HAS_NORM<JOB>) reduce_max(a.reduction, result.norm);
  if (std::is_same_v<JOB, apply_sum>) reduce_sum(a.reduction, result.words);
}

template <typename JOB, bool SPLIT> void run_march(const hymgi_level *level, march_args<JOB> a)
{
  const int wide = a.extent[0] >= 128 ? 64 : 32,
            slots = SPLIT ? (a.extent[0] + 1) / 2 : a.extent[0];
  const dim3 grid = march_grid(level, &a, slots, wide, GSRB_THREADS / wide, MARCH_BLOCKS);
  with_bools(
      [&](auto variable) {
        hymgi_launch(level->context, fv2_march<JOB, SPLIT, variable>, grid,
                     dim3((unsigned)wide, (unsigned)(GSRB_THREADS / wide)), a);
      },
      level->method->variable_beta);
}

/* ---- one thread per cell ---- */

enum { POINT_THREADS = 128 };

/* Loads what no kernel in flight can write, and computes what follows from that alone, before it
 * waits for its predecessor: the diagonal and its inverse. */
template <typename JOB, bool VARIABLE, bool AROUND>
__global__ void __launch_bounds__(GSRB_THREADS) fv2_point(const __grid_constant__ gsrb_args a)
{
  constexpr bool GSRB = std::is_same_v<JOB, gsrb>;
  let_successors_start();
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = GSRB && a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const hymgi_geom g = box_at(a.boxes, z / a.extent[2]);
  const int k = z % a.extent[2];
  const int first = GSRB ? hymgi_first(&g, a.colour, j, k) : 0;
  const bool inside = (GSRB ? 2 * t + first : t) < g.n[0] && j < g.n[1] && k < g.n[2];
  place p = {};
  fv2_betas b = {};
  divisors<1> diagonal = {};
  hymgi_real alpha = 0, scale = 0;
  if (inside) {
    p = place_of(g, GSRB ? a.colour : 0, t, j, k);
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (!GSRB && a.scale) scale = a.scale[p.own];
    if (GSRB || !a.scale) diagonal.take({{fv2_diagonal(a.v, b, alpha)}});
  }
  wait_for_predecessors();
  if (!inside) return;
  const hymgi_real f = a.f[p.own], prev = !GSRB && a.prev ? a.prev[p.own] : 0;
  fv2_values x = {};
  if (!GSRB || !a.from_zero) x = fv2_load_neighbours<AROUND>(a.v, g, p, a.own);
  if (GSRB) {
    a.out[p.own] = diagonal.quotients({{fv2_gsrb_sum(b, x, f)}}, true).at[0];
    return;
  }
  x.c = a.own[p.own];
  const hymgi_real r = fv2_residual(a.v, b, x, f, alpha);
  const hymgi_real step = a.scale ? r * scale : diagonal.quotients({{r}}, true).at[0];
  a.out[p.own] = relaxed(a, x.c, a.residual, step, prev);
}

template <typename JOB> void run_point(const hymgi_level *level, const gsrb_args &a)
{
  const int slots = std::is_same_v<JOB, gsrb> ? (a.extent[0] + 1) / 2 : a.extent[0];
  const int shift = row_shift(slots), wide = 1 << (shift > 2 ? shift : 2);
  const dim3 grid(blocks_for(slots, wide), blocks_for(a.extent[1], POINT_THREADS / wide),
                  (unsigned)(a.extent[2] * a.boxes.count));
  with_bools(
      [&](auto variable, auto around) {
        hymgi_launch(level->context, fv2_point<JOB, variable, around>, grid,
                     dim3((unsigned)wide, (unsigned)(POINT_THREADS / wide)), a);
      },
      level->method->variable_beta, goes_around(level));
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_march(const hymgi_level *level, const hymgi_sweep *sweep)
{
  const gsrb_args a = gsrb_args_of(level, sweep);
  if (level->box->split)
    with_job<gsrb, residual>(sweep, [&](auto job) { run_march<decltype(job), true>(level, {a}); });
  else
    with_job<relax, residual, residual_norm, residual_narrow>(
        sweep, [&](auto job) { run_march<decltype(job), false>(level, {a}); });
}

extern "C" void hymgi_cuda_fv2_point(const hymgi_level *level, const hymgi_sweep *sweep)
{
  with_job<gsrb, relax>(
      sweep, [&](auto job) { run_point<decltype(job)>(level, gsrb_args_of(level, sweep)); });
}

#ifndef HYMGI_SINGLE
extern "C" void hymgi_cuda_fv2_apply_sum(const hymgi_level *level, const hymgi_apply_sum *apply)
{
  run_march<apply_sum, false>(level, apply_args_of(level, apply));
}
#endif
