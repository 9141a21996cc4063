/* FV4 on split rows, large levels: the residual, its norm, its restriction, or a step of the
 * smoothers that update all cells at once. This march loads what it needs of each plane from
 * memory; cuda/kernels/fv4/march_tma.cu does the same with planes that TMA brings to shared memory,
 * where the GPU has TMA. Bytes per cell: x 8, f 8, betas 24, written 8, 0 or 1; a Chebyshev step:
 * previous x 8 and 1/diag 8 more. */
#include "kernels/fv4/march_2cells.cuh"

namespace
{

/* Prefetches into L2 what the next step is the first to read, one lane per line. */
template <typename JOB, bool VARIABLE, int N>
__device__ __forceinline__ void prefetch_next(const gsrb_args &a, const slot_place<N> &p)
{
#pragma unroll
  for (int u = 0; u < 2; u++) {
    prefetch(a.own + p.at(u, 0, 3));
    if (READS_F<JOB>) prefetch(a.f + p.at(u, 0, 1));
    if (a.v.alpha) prefetch(a.v.alpha + p.at(u, 0, 1));
    if (VARIABLE)
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        prefetch(a.v.beta[axis] + p.at(u, 0, 2));
  }
}

/* One plane of the march: both values go to `done`. Those of the plane below are stored after the
 * loads, so that the two overlap. */
template <typename JOB, bool VARIABLE, bool LIMITED, int N, row_end END>
__device__ __forceinline__ void march_step(const gsrb_args &a, slot_place<N> *p, bool stored,
                                           bool at_end, unsigned walls, window *w,
                                           hymgi_real done[2])
{
  if (threadIdx.x % SLOTS == 0) prefetch_next<JOB, VARIABLE>(a, *p);
  arrivals t = arrive<JOB, VARIABLE>(memory_source<N, END>(a, *p, at_end));
  if (STORES<JOB> && stored) {
    store_result<JOB>(a, p->at(0, 0, -1), done[0]);
    store_result<JOB>(a, p->at(1, 0, -1), done[1]);
  }
  if (END != NO_END) fill_arrivals<VARIABLE, END>(at_end, *w, &t);
  done[0] = value_of<JOB, VARIABLE, LIMITED, 0>(a, t, walls, w);
  done[1] = value_of<JOB, VARIABLE, LIMITED, 1>(a, t, walls, w);
  shift<VARIABLE>(w, t);
  p->go_up();
}

/* (t, j): where the thread stores; threads beyond the box march along at its last cells. */
template <typename JOB, bool VARIABLE, bool LIMITED, int N, row_end END>
__device__ __forceinline__ unsigned long long march_slot(const gsrb_args &a, const hymgi_geom &g,
                                                         const hymgi_geom &patch, int t, int j,
                                                         int from, int to)
{
  const bool inside = t < g.n[0] / 2 && j < g.n[1];
  const int last = g.n[0] / 2 - 1;
  slot_place<N> p(g, t < last ? t : last, j < g.n[1] ? j : g.n[1] - 1, from);
  const bool at_end = t == (END == WEST_END ? 0 : last);
  const auto walls_at = [&](int k) { return LIMITED ? walls_of_slot(g, t, j, k) : 0; };
  window w = window_at<VARIABLE, LIMITED, END>(memory_source<N, END>(a, p, at_end), at_end,
                                               walls_at(from));
  hymgi_real done[2] = {}, below = 0;
  unsigned long long norm = 0;
#pragma unroll 1
  for (int k = from; k < to; k++) {
    march_step<JOB, VARIABLE, LIMITED, N, END>(a, &p, inside && k > from, at_end, walls_at(k), &w,
                                               done);
    if (HAS_NORM<JOB> && inside) norm = larger(norm, larger(bits_of(done[0]), bits_of(done[1])));
    if (!std::is_same_v<JOB, residual_mean>) continue;
    const hymgi_real sum = done[0] + done[1];
    if (k & 1) store_mean(a, patch, inside, t, j, k, below, sum);
    below = sum;
  }
  if (STORES<JOB> && inside) {
    store_result<JOB>(a, p.at(0, 0, -1), done[0]);
    store_result<JOB>(a, p.at(1, 0, -1), done[1]);
  }
  return norm;
}

/* Slots and rows of a block. */
enum { X = 32, Y = 8, SLAB = 16 };

template <typename JOB, bool VARIABLE, bool LIMITED, int N>
__global__ void __launch_bounds__(X *Y, 1) fv4_march_memory(const __grid_constant__ gsrb_args a)
{
  static_assert(X % SLOTS == 0 && Y % ROWS == 0, "whole warps");
  wait_for_predecessors();
  let_successors_start();
  int b, t, j;
  const int from = slab_begin(a, &b);
  const hymgi_geom g = box_at(a.boxes, b);
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  place_of_thread<X>(&t, &j);
  t += (int)blockIdx.x * X, j += (int)blockIdx.y * Y;
  const int t0 = t - (int)threadIdx.x % SLOTS;
  hymgi_geom patch = {};
  if (std::is_same_v<JOB, residual_mean>) patch = box_at(a.patches, b);
  unsigned long long norm = 0;
  if (from >= to)
    norm = 0;
  else if (a.fills_along_x && t0 == 0)
    norm = march_slot<JOB, VARIABLE, LIMITED, N, WEST_END>(a, g, patch, t, j, from, to);
  else if (a.fills_along_x && t0 + SLOTS >= g.n[0] / 2)
    norm = march_slot<JOB, VARIABLE, LIMITED, N, EAST_END>(a, g, patch, t, j, from, to);
  else
    norm = march_slot<JOB, VARIABLE, LIMITED, N, NO_END>(a, g, patch, t, j, from, to);
  if (HAS_NORM<JOB>) reduce_max(a.reduction, norm);
}

} /* namespace */

/* Literal shapes: cubes, and the share of one that ranks often have; each instantiation takes long
 * to compile, so the jobs of Krylov methods alone have none, nor have limited faces. */
extern "C" void hymgi_cuda_fv4_march_memory(const hymgi_level *level, const hymgi_sweep *sweep)
{
  gsrb_args a = gsrb_args_of(level, sweep);
  const dim3 grid = slabs_grid(&a, a.extent[0] / 2, X, Y, SLAB);
  const auto launch = [&](auto job, auto variable, auto limited, auto of) {
    hymgi_launch(level->context, fv4_march_memory<decltype(job), variable, limited, of>, grid,
                 dim3(X * Y), a);
  };
  with_job<relax, residual, residual_norm, residual_narrow, residual_mean, apply>(
      sweep, [&](auto job) {
        constexpr std::true_type yes;
        constexpr std::false_type no;
        if constexpr (MAY_LIMIT<decltype(job)>)
          if (level->c.limited) return launch(job, yes, yes, literal<0>());
        with_bools(
            [&](auto variable) {
              if constexpr (std::is_same_v<decltype(job), apply>)
                launch(job, variable, no, literal<0>());
              else
                with_one_of<2, shape(512, 512), shape(512, 256), shape(256, 256), shape(128, 128)>(
                    level, [&](auto of) { launch(job, variable, no, of); });
            },
            level->method->variable_beta);
      });
}
