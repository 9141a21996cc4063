/* Shared by all parts of the coarse end. Each thread of the block owns at most one cell of a level
 * (coarse.h), always the same one, so operations on own cells alone need no barrier. An operation
 * that reads other cells begins with one. The smallest levels are processed by the first warp only;
 * the other threads skip them. */
#ifndef HYMGI_COARSE_COARSE_CUH
#define HYMGI_COARSE_COARSE_CUH

#include <type_traits>

#include "base/exact_sum.h"
#include "coarse/coarse.h"
#include "device/ghosts.cuh"
#include "device/reduce.cuh"

namespace
{

enum { COARSE_WARPS = COARSE_THREADS / COARSE_WARP };

/* Shared memory of the block. It is always accessed by this name, because the compiler would lose
 * the address space of a pointer to it; functions take the index of their level instead. */
struct coarse_shared {
  unsigned long long largest[COARSE_WARPS];
  unsigned high[2][COARSE_WARPS];
  int64_t term_words[2 * HYMGI_SUM_WORDS][COARSE_WARPS];
  hymgi_method method;
  coarse_level level[COARSE_LEVELS];
};

__shared__ coarse_shared shared;

__device__ __forceinline__ double *coarse_arena()
{
  HYMGI_DYNAMIC_SHARED(arena);
  return arena;
}

__device__ __forceinline__ int thread_of()
{
  return (int)threadIdx.x;
}

/* Barrier for the threads of a team: what they have written is visible to all of them afterwards.
 * */
__device__ __forceinline__ void sync_team(int team)
{
  if (team == COARSE_WARP)
    __syncwarp();
  else
    __syncthreads();
}

/* Barrier for the block where a division may have left warps diverged: it needs whole ones. */
__device__ __forceinline__ void meet_block()
{
  __syncwarp();
  __syncthreads();
}

/* An entry of a list of cells or ghosts. */
template <typename T> __device__ __forceinline__ T entry_at(const T *entry)
{
  const int4 v = __ldg((const int4 *)(const void *)entry);
  return {v.x, v.y, v.z, (unsigned)v.w};
}

__device__ __forceinline__ coarse_cell cell_at(int l, int c)
{
  return entry_at(shared.level[l].cell + c);
}

/* Prefetches a line into this multiprocessor's cache; the loaded value is not used. */
__device__ __forceinline__ unsigned prefetch_line(const double *line)
{
  unsigned word = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(word) : "l"(line));
#else
  (void)line;
#endif
  return word;
}

/* Prefetches everything that no kernel still running can write. */
__device__ __forceinline__ void prefetch_lists(const double *lists, size_t listed, int threads)
{
  for (size_t line = (size_t)thread_of() * HYMGI_GPU_LINE; line < listed;
       line += (size_t)threads * HYMGI_GPU_LINE)
    prefetch_line(lists + line);
}

/* Copies what functions that take a level's index read into shared memory; a barrier must follow. */
__device__ __forceinline__ void share_levels(const coarse_level *level, int count,
                                             const hymgi_method &method)
{
  static_assert(sizeof(coarse_level) % 8 == 0, "levels are copied by words");
  const int words = count * (int)(sizeof(coarse_level) / 8);
  const long long *const from = (const long long *)(const void *)level;
  long long *const to = (long long *)(void *)shared.level;
  for (int w = thread_of(); w < words; w += (int)blockDim.x)
    to[w] = from[w];
  if (thread_of() == 0) shared.method = method;
}

/* call(stencil, whether beta is read from memory) with literals for the levels'. */
template <typename Call> __device__ __forceinline__ void with_operator(const Call &call)
{
  if (shared.level[0].stencil == HYMG_FV2)
    call(std::integral_constant<hymg_stencil, HYMG_FV2>(), std::true_type());
  else if (shared.method.variable_beta)
    call(std::integral_constant<hymg_stencil, HYMG_FV4>(), std::true_type());
  else
    call(std::integral_constant<hymg_stencil, HYMG_FV4>(), std::false_type());
}

/* ---- ghosts ---- */

__device__ __forceinline__ void fill_line(const coarse_ghost &g, const double *data, double *x)
{
  const hymgi_extrapolation boundary = (hymgi_extrapolation)((int)(g.what << 28) >> 28);
  const inside v = inside_of(boundary, [&](int m) { return x[g.from + m * g.step]; });
  const double ghost = first_ghost(boundary, v);
  x[g.to] = g.what >> 5 ? ghost + __ldg(data + (g.what >> 5) - 1) : ghost;
  if (g.what & 16) x[g.to - g.step] = second_ghost(boundary, v);
}

/* Fills the ghosts of x in up to `passes` passes, each of which uses the ghosts of the previous
 * one. The list is loaded before the barrier, so that the load overlaps the wait. */
__device__ __forceinline__ void fill_ghost_list(const coarse_extrapolation &extrapolation,
                                                int passes, int team, const double *data, double *x,
                                                int thread = thread_of())
{
#pragma unroll 1
  for (int pass = 0, from = 0; pass < passes; pass++) {
    const int to = extrapolation.end[pass];
    if (from == to) continue;
    int m = from + thread;
    coarse_ghost next = m < to ? entry_at(extrapolation.ghost + m) : coarse_ghost{};
    sync_team(team);
#pragma unroll 1
    while (m < to) {
      fill_line(next, data, x);
      m += team;
      if (m < to) next = entry_at(extrapolation.ghost + m);
    }
    from = to;
  }
}

/* ---- restriction ---- */

/* The mean of the residuals of 8 children, the first of which is at *r; RED: those of black cells are zero and
 * left out. parity: the colour of the first child. */
template <bool RED>
__device__ __forceinline__ double mean_of_children(const double *r, int row, int plane, int parity)
{
  const auto pair = [&](int j, int k) {
    const int at = j * row + k * plane;
    return RED ? r[at + ((j + k + parity) & 1)] : r[at] + r[at + 1];
  };
  return hymgi_mean_of_8(pair(0, 0), pair(1, 0), pair(0, 1), pair(1, 1));
}

/* ---- coefficients ---- */

template <bool VARIABLE> struct fv4_betas {
  double normal[6], tangent[12];

  __device__ __forceinline__ void load(int, const double *rows, int cells)
  {
#pragma unroll
    for (int m = 0; m < 6; m++)
      normal[m] = __ldg(rows + (COARSE_BETA + m) * cells);
#pragma unroll
    for (int m = 0; m < 12; m++)
      tangent[m] = __ldg(rows + (COARSE_TANGENT + m) * cells);
  }

  /* The formula needs differences of betas on the two sides of a face, tangentially. Here one of
   * the two values is the difference and the other is 0. */
  __device__ __forceinline__ double at(int axis, int di, int dj, int dk) const
  {
    const int along = axis == 0 ? di : axis == 1 ? dj : dk;
    const int u = axis == 0 ? dj : di, v = axis == 2 ? dj : dk;
    if (u == 0 && v == 0) return normal[2 * axis + along];
    return u + v > 0 ? tangent[2 * (2 * axis + along) + (v != 0)] : 0;
  }
};

template <> struct fv4_betas<false> {
  double constant[3];

  __device__ __forceinline__ void load(int l, const double *, int)
  {
    for (int axis = 0; axis < 3; axis++)
      constant[axis] = shared.level[l].beta[axis];
  }

  __device__ __forceinline__ double at(int axis, int, int, int) const
  {
    return constant[axis];
  }
};

} /* namespace */

#endif
