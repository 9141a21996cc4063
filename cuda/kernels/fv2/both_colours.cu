/* FV2's operator, its residual and the residual's norm on rows split by colour, for both colours in
 * one pass: a march along z with two slots of each colour a thread, so that every array is read once
 * from the second-level cache, 16 bytes at a time. Bytes per cell: x 8, f 8 (not the operator),
 * betas 24, written 8 (not the norm; 4 if narrowed). */
#include "device/reduce.cuh"
#include "kernels/fv2/march.cuh"
#include "kernels/fv2/two_slots.cuh"

namespace
{

template <typename JOB>
__device__ __forceinline__ cells<2>
result_of(const gsrb_args &a, const hymgi_geom &g, const place &p, const cells<2> &x,
          const two_columns &c, const two_neighbours &n, const two_betas &b)
{
  constexpr bool APPLY = std::is_same_v<JOB, apply_sum>;
  cells<2> f = {}, out;
  if (!APPLY) f = load_cells<2>(a.f + p.own);
#pragma unroll
  for (int m = 0; m < 2; m++) {
    const hymgi_real alpha = a.v.has_alpha ? alpha_at(a.v, p.own + m) : 0;
    fv2_values v = values_at(a.v, g, p, m, c, n);
    v.c = x.at[m];
    out.at[m] =
        APPLY ? fv2_apply(a.v, b.of(m), v, alpha) : fv2_residual(a.v, b.of(m), v, f.at[m], alpha);
  }
  return out;
}

template <typename JOB>
__device__ __forceinline__ void reduce_cells(const march_args<JOB> &a, const hymgi_geom &g,
                                             const place &p, const cells<2> &x,
                                             const cells<2> &done, march_result *result)
{
#pragma unroll
  for (int m = 0; m < 2; m++) {
    if (p.i + 2 * m >= g.n[0]) continue;
    if (HAS_NORM<JOB>) result->norm = larger(result->norm, bits_of(done.at[m]));
    if constexpr (std::is_same_v<JOB, apply_sum>) {
      const hymgi_real with = a.with == a.own   ? x.at[m]
                              : a.with == a.out ? done.at[m]
                                                : a.with[p.own + m];
      hymgi_sum_add_below(done.at[m] * with, &a.sum, result->words);
    }
  }
}

template <typename JOB>
__device__ __forceinline__ void store_both(const gsrb_args &a, ptrdiff_t at, const cells<2> &x,
                                           bool both)
{
  if (!NARROWS<JOB>) {
    store_within(a.out + at, x, both);
  } else if (both) {
    *reinterpret_cast<float2 *>(a.narrowed + at) =
        make_float2((float)(a.factor * (double)x.at[0]), (float)(a.factor * (double)x.at[1]));
  } else {
    store_result<JOB>(a, at, x.at[0]);
  }
}

template <typename JOB, bool VARIABLE>
__device__ __forceinline__ void march_both(const march_args<JOB> &a, const hymgi_geom &g, place p,
                                           int t, int to, bool both, march_result *result)
{
  const two_ways ways = ways_beside(p.pitch);
  two_columns red, black; /* x */
  red.below = load_cells<2>(a.own + p.own - p.plane), red.here = load_cells<2>(a.own + p.own);
  black.below = load_cells<2>(a.own + p.other - p.plane);
  black.here = load_cells<2>(a.own + p.other);
#pragma unroll 1
  for (; p.k < to; p.k++) {
    p.i = 2 * t + p.east;
    const place q = other_colour(p, t);
    red.above = load_cells<2>(a.own + p.own + p.plane);
    black.above = load_cells<2>(a.own + p.other + p.plane);
    const two_neighbours by_red = load_neighbours(q, a.own + p.own, ways),
                         by_black = load_neighbours(p, a.own + p.other, ways);
    const two_betas b = load_betas<VARIABLE>(a.v, g, p), c = load_betas<VARIABLE>(a.v, g, q);
    const cells<2> first = result_of<JOB>(a, g, p, red.here, black, by_black, b),
                   second = result_of<JOB>(a, g, q, black.here, red, by_red, c);
    if (!std::is_same_v<JOB, residual_norm>) {
      store_both<JOB>(a, p.own, first, both);
      store_both<JOB>(a, q.own, second, both);
    }
    reduce_cells(a, g, p, red.here, first, result);
    reduce_cells(a, g, q, black.here, second, result);
    red.go_up(), black.go_up();
    p.own += p.plane, p.other += p.plane;
    forget_addresses(&p.own), forget_addresses(&p.other);
    p.east = 1 - p.east, p.west = p.east - 1;
  }
}

/* 168 registers a thread: with fewer they are spilled. */
enum { BOTH_THREADS = 192, BOTH_BLOCKS = 2 };

/* N: shape. */
template <typename JOB, bool VARIABLE>
__global__ void __launch_bounds__(BOTH_THREADS, BOTH_BLOCKS)
    fv2_both_colours(const __grid_constant__ march_args<JOB> a)
{
  wait_for_predecessors();
  let_successors_start();
  const int t = 2 * (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  int b;
  const int from = slab_begin(a, &b);
  const hymgi_geom g = box_at(a.boxes, b);
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  march_result result = {};
  const int slots = (g.n[0] + 1) / 2;
  if (t < slots && j < g.n[1] && from < to) {
    place p = place_of(g, 0, t, j, from);
    march_both<JOB, VARIABLE>(a, g, p, t, to, t + 1 < slots, &result);
  }
  if (HAS_NORM<JOB>) reduce_max(a.reduction, result.norm);
  if (std::is_same_v<JOB, apply_sum>) reduce_sum(a.reduction, result.words);
}

template <typename JOB> void run_both(const hymgi_level *level, march_args<JOB> a)
{
  const int slots = (a.extent[0] + 1) / 2, wide = slots > 32 ? 32 : 16;
  const dim3 grid = march_grid(level, &a, slots, 2 * wide, BOTH_THREADS / wide, BOTH_BLOCKS);
  with_bools(
      [&](auto variable) {
        hymgi_launch(level->context, fv2_both_colours<JOB, variable>, grid,
                     dim3((unsigned)wide, (unsigned)(BOTH_THREADS / wide)), a);
      },
      level->method->variable_beta);
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_both_colours(const hymgi_level *level, const hymgi_sweep *sweep)
{
  with_job<residual, residual_norm, residual_narrow>(
      sweep, [&](auto job) { run_both<decltype(job)>(level, {gsrb_args_of(level, sweep)}); });
}

#ifndef HYMGI_SINGLE
extern "C" void hymgi_cuda_fv2_both_apply_sum(const hymgi_level *level,
                                              const hymgi_apply_sum *apply)
{
  run_both<apply_sum>(level, apply_args_of(level, apply));
}
#endif
