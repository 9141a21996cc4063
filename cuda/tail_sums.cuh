/* Maxima and exact sums by the threads that work on a level of the tail together. */
#ifndef HYMGI_TAIL_SUMS_CUH
#define HYMGI_TAIL_SUMS_CUH

#include "tail.cuh"

extern "C" {
#include "exact_sum.h"
}

namespace
{

/* A thread's part in a level: the place of its first cell, -1 if it has none. For reductions the
 * lanes of a warp that has a level to itself take the level's cells in turn, more than once if
 * there are few (`width` is a power of two), so that few exchanges give all of them the result. */
struct tail_part {
  int own, seen, width;
};

__device__ __forceinline__ tail_part part_of(int l)
{
  const tail_level &t = shared.level[l];
  tail_part p;
  const int lane = lane_of();
  p.own = lane < t.cells ? cell_at(l, lane).at : -1;
  p.seen = p.own;
  p.width = TAIL_WARP;
  if (t.team != TAIL_WARP) return p;
  while (p.width / 2 >= t.cells)
    p.width /= 2;
  const int c = lane % p.width;
  p.seen = c < t.cells ? cell_at(l, c).at : -1;
  return p;
}

/* each(at) for this thread's cells */
template <typename Each> __device__ __forceinline__ void each_own(int l, int own, const Each &each)
{
  if (own < 0) return;
  each(own);
#pragma unroll 1
  for (int c = lane_of() + shared.level[l].team; c < shared.level[l].cells;
       c += shared.level[l].team)
    each(cell_at(l, c).at);
}

/* ---- in a warp: lanes that agree in all but the last log2(width) bits ---- */

__device__ __forceinline__ unsigned long long lanes_max(unsigned long long v, int width)
{
#pragma unroll 1
  for (int apart = 1; apart < width; apart *= 2)
    v = larger(v, __shfl_xor_sync(~0u, v, apart));
  return v;
}

__device__ __forceinline__ void lanes_sum(int64_t (&words)[HYMGI_SUM_WORDS], int width)
{
#pragma unroll 1
  for (int apart = 1; apart < width; apart *= 2)
#pragma unroll
    for (int m = 0; m < HYMGI_SUM_WORDS; m++)
      words[m] += (int64_t)__shfl_xor_sync(~0u, (long long)words[m], apart);
}

/* ---- in a team ---- */

__device__ __forceinline__ unsigned long long team_max(int team, int width, unsigned long long mine)
{
  mine = lanes_max(mine, width);
  if (team == TAIL_WARP) return mine;
  __syncthreads();
  if (lane_of() % TAIL_WARP == 0) shared.largest[lane_of() / TAIL_WARP] = mine;
  __syncthreads();
  return lanes_max(shared.largest[lane_of() % TAIL_WARPS], TAIL_WARPS);
}

/* After a team_max, which keeps sums apart. */
__device__ __forceinline__ void team_words(int team, int width, int64_t (&words)[HYMGI_SUM_WORDS])
{
  lanes_sum(words, width);
  if (team == TAIL_WARP) return;
#pragma unroll
  for (int m = 0; m < HYMGI_SUM_WORDS; m++)
    if (lane_of() % TAIL_WARP == m) shared.words[m][lane_of() / TAIL_WARP] = words[m];
  __syncthreads();
#pragma unroll
  for (int m = 0; m < HYMGI_SUM_WORDS; m++)
    words[m] = shared.words[m][lane_of() % TAIL_WARPS];
  lanes_sum(words, TAIL_WARPS);
}

__device__ __forceinline__ double value_of(unsigned long long bits)
{
  return __longlong_as_double((long long)bits);
}

/* x y at a place, or x */
__device__ __forceinline__ double term_at(const double *x, const double *y, int at)
{
  return y ? x[at] * y[at] : x[at];
}

/* What a sum is where its largest term says it all; else false. */
__device__ __forceinline__ bool is_plain(double largest, double *sum)
{
  *sum = largest == 0 ? 0 : (double)NAN;
  return !(isfinite(largest) && largest > 0);
}

/* A level of a warp has no more cells than lanes; the terms of others come from other lanes. */
__device__ __forceinline__ void meet_for_terms(int l)
{
  if (shared.level[l].team == TAIL_WARP) __syncwarp();
}

/* max |x| */
__device__ __noinline__ double max_of(int l, tail_part p, const double *x)
{
  const tail_level &t = shared.level[l];
  unsigned long long mine = 0;
  meet_for_terms(l);
  if (p.seen >= 0) mine = bits_of(x[p.seen]);
#pragma unroll 1
  for (int c = lane_of() + t.team; c < t.cells; c += t.team)
    mine = larger(mine, bits_of(x[cell_at(l, c).at]));
  return value_of(team_max(t.team, p.width, mine));
}

/* The sum of x y, or of x, as verbs.c has it. */
__device__ __noinline__ double sum_of(int l, tail_part p, const double *x, const double *y)
{
  const tail_level &t = shared.level[l];
  meet_for_terms(l);
  const double first = p.seen >= 0 ? term_at(x, y, p.seen) : 0;
  unsigned long long mine = bits_of(first);
#pragma unroll 1
  for (int c = lane_of() + t.team; c < t.cells; c += t.team)
    mine = larger(mine, bits_of(term_at(x, y, cell_at(l, c).at)));
  const double largest = value_of(team_max(t.team, p.width, mine));
  double sum;
  if (is_plain(largest, &sum)) return sum;
  const int exponent = hymgi_sum_exponent(largest, t.bits);
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, t.bits);
  int64_t words[HYMGI_SUM_WORDS] = {};
  hymgi_sum_add(first, &scale, words);
#pragma unroll 1
  for (int c = lane_of() + t.team; c < t.cells; c += t.team)
    hymgi_sum_add(term_at(x, y, cell_at(l, c).at), &scale, words);
  team_words(t.team, p.width, words);
  return hymgi_sum_value(words, exponent, t.bits);
}

/* The sum of x y by `width` neighbouring lanes: one, or a warp. */
__device__ __noinline__ double sum_by_lanes(int l, const double *x, const double *y, int width)
{
  const tail_level &t = shared.level[l];
  unsigned long long mine = 0;
#pragma unroll 1
  for (int c = lane_of() % width; c < t.cells; c += width)
    mine = larger(mine, bits_of(term_at(x, y, cell_at(l, c).at)));
  const double largest = value_of(lanes_max(mine, width));
  double sum;
  if (is_plain(largest, &sum)) return sum;
  const int exponent = hymgi_sum_exponent(largest, t.bits);
  const hymgi_sum_scale scale = hymgi_sum_scale_of(exponent, t.bits);
  int64_t words[HYMGI_SUM_WORDS] = {};
#pragma unroll 1
  for (int c = lane_of() % width; c < t.cells; c += width)
    hymgi_sum_add(term_at(x, y, cell_at(l, c).at), &scale, words);
  lanes_sum(words, width);
  return hymgi_sum_value(words, exponent, t.bits);
}

} /* namespace */

#endif
