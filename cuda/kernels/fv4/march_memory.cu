/* FV4 on split rows, large levels: the residual, its norm, its restriction, or a step of the
 * smoothers that update all cells at once. This march loads what it needs of each plane from
 * memory; cuda/kernels/fv4/march_tma.cu does the same with planes that TMA brings to shared memory,
 * where the GPU has TMA. Bytes per cell: x 8, f 8, betas 24, written 8, 0 or 1; a Chebyshev step:
 * previous x 8 and 1/diag 8 more. */
#include "kernels/fv4/march_2cells.cuh"

namespace
{

/* Prefetches into L2 what the next step is the first to read, one lane per line. */
template <bool VARIABLE, int N>
__device__ __forceinline__ void prefetch_next(const gsrb_args &a, const slot_place<N> &p)
{
#pragma unroll
  for (int u = 0; u < 2; u++) {
    prefetch(a.own + p.at(u, 0, 3));
    prefetch(a.f + p.at(u, 0, 1));
    if (a.v.alpha) prefetch(a.v.alpha + p.at(u, 0, 1));
    if (VARIABLE)
#pragma unroll
      for (int axis = 0; axis < 3; axis++)
        prefetch(a.v.beta[axis] + p.at(u, 0, 2));
  }
}

/* One plane of the march: both values go to `done`. Those of the plane below are stored after the
 * loads, so that the two overlap. */
template <typename JOB, bool VARIABLE, int N, bool AHEAD, row_end END>
__device__ __forceinline__ void march_step(const march_args &args, slot_place<N> *p, bool stored,
                                           bool at_end, window *w, double done[2])
{
  const march_args &a = args;
  if (AHEAD && threadIdx.x % SLOTS == 0) prefetch_next<VARIABLE>(a, *p);
  arrivals t = arrive<JOB, VARIABLE>(memory_source<N, END>(args, *p, at_end));
  if (STORES<JOB> && stored) {
    a.out[p->at(0, 0, -1)] = done[0];
    a.out[p->at(1, 0, -1)] = done[1];
  }
  if (END != NO_END) fill_arrivals<VARIABLE, END>(at_end, *w, &t);
  done[0] = value_of<JOB, VARIABLE, 0>(args, t, w);
  done[1] = value_of<JOB, VARIABLE, 1>(args, t, w);
  shift<VARIABLE>(w, t);
  p->go_up();
}

/* (t, j): where the thread stores; threads beyond the box march along at its last cells. */
template <typename JOB, bool VARIABLE, int N, bool AHEAD, row_end END>
__device__ __forceinline__ unsigned long long
march_slot(const march_args &args, const hymgi_geom &g, const hymgi_geom &patch, int t, int j,
           int from, int to)
{
  const march_args &a = args;
  const bool inside = t < g.n[0] / 2 && j < g.n[1];
  const int last = g.n[0] / 2 - 1;
  slot_place<N> p(g, t < last ? t : last, j < g.n[1] ? j : g.n[1] - 1, from);
  const bool at_end = t == (END == WEST_END ? 0 : last);
  window w = window_at<VARIABLE, END>(memory_source<N, END>(args, p, at_end), at_end);
  double done[2] = {}, below = 0;
  unsigned long long norm = 0;
#pragma unroll 1
  for (int k = from; k < to; k++) {
    march_step<JOB, VARIABLE, N, AHEAD, END>(args, &p, inside && k > from, at_end, &w, done);
    if (std::is_same_v<JOB, residual_norm> && inside)
      norm = larger(norm, larger(bits_of(done[0]), bits_of(done[1])));
    if (!std::is_same_v<JOB, residual_mean>) continue;
    const double sum = done[0] + done[1];
    if (k & 1) store_mean(args, patch, inside, t, j, k, below, sum);
    below = sum;
  }
  if (STORES<JOB> && inside) {
    a.out[p.at(0, 0, -1)] = done[0];
    a.out[p.at(1, 0, -1)] = done[1];
  }
  return norm;
}

template <typename JOB, bool VARIABLE, int N, int X, int Y, int BLOCKS, bool AHEAD>
__global__ void __launch_bounds__(X *Y, BLOCKS)
    fv4_march_memory(const __grid_constant__ march_args args)
{
  static_assert(X % SLOTS == 0 && Y % ROWS == 0, "whole warps");
  wait_for_predecessors();
  let_successors_start();
  const march_args &a = args;
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z, b = z / a.slabs;
  const hymgi_geom g = box_at(a.boxes, b);
  const int from = z % a.slabs * a.slab, to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  int t, j;
  place_of_thread<X>(&t, &j);
  t += (int)blockIdx.x * X, j += (int)blockIdx.y * Y;
  const int t0 = t - (int)threadIdx.x % SLOTS;
  hymgi_geom patch = {};
  if (std::is_same_v<JOB, residual_mean>) patch = box_at(args.patches, b);
  unsigned long long norm = 0;
  if (from >= to)
    norm = 0;
  else if (args.fills_along_x && t0 == 0)
    norm = march_slot<JOB, VARIABLE, N, AHEAD, WEST_END>(args, g, patch, t, j, from, to);
  else if (args.fills_along_x && t0 + SLOTS >= g.n[0] / 2)
    norm = march_slot<JOB, VARIABLE, N, AHEAD, EAST_END>(args, g, patch, t, j, from, to);
  else
    norm = march_slot<JOB, VARIABLE, N, AHEAD, NO_END>(args, g, patch, t, j, from, to);
  if (std::is_same_v<JOB, residual_norm>) reduce_max(a.reduction, norm);
}

template <typename JOB, bool VARIABLE, int N, int X, int Y, int BLOCKS, bool AHEAD>
void launch_slabs(const hymgi_level *level, march_args a, int slab)
{
  a.slab = slab;
  a.slabs = (a.extent[2] + slab - 1) / slab;
  const dim3 grid(blocks_for(a.extent[0] / 2, X), blocks_for(a.extent[1], Y),
                  (unsigned)(a.slabs * a.boxes.count));
  hymgi_launch(level->context, fv4_march_memory<JOB, VARIABLE, N, X, Y, BLOCKS, AHEAD>, grid,
               dim3(X * Y), a);
}

/* Cubes, and the share of one that ranks often have: each instantiation takes long to compile. */
template <bool VARIABLE> constexpr int shape_of_its_own(int of)
{
  return of == shape(128, 128) || of == shape(256, 256) || of == shape(512, 512) ||
                 (VARIABLE && of == shape(512, 256))
             ? of
             : 0;
}

template <typename JOB, bool VARIABLE>
void launch_march_memory(const hymgi_level *level, const march_args &a)
{
  const int *const n = a.extent, slab = n[0] >= 384 && n[1] >= 384 ? 64 : 16;
  with_shape(level, [&](auto of) {
    constexpr int N = shape_of_its_own<VARIABLE>(decltype(of)::value);
    launch_slabs<JOB, VARIABLE, N, 32, 8, 1, true>(level, a, slab);
  });
}

template <typename JOB> void run_march_memory(const hymgi_level *level, const march_args &a)
{
  if (level->method->variable_beta)
    launch_march_memory<JOB, true>(level, a);
  else
    launch_march_memory<JOB, false>(level, a);
}

} /* namespace */

extern "C" void hymgi_cuda_fv4_residual_memory(const hymgi_level *level,
                                               const hymgi_residual_of *wanted)
{
  const march_args a = march_args_of(level, wanted);
  if (wanted->r)
    run_march_memory<residual>(level, a);
  else
    run_march_memory<residual_norm>(level, a);
}

extern "C" void hymgi_cuda_fv4_restrict_memory(const hymgi_level *level,
                                               const hymgi_restriction *restriction)
{
  run_march_memory<residual_mean>(level, march_args_of(level, restriction));
}

extern "C" void hymgi_cuda_fv4_relax_memory(const hymgi_level *level,
                                            const hymgi_relaxation *relaxation)
{
  run_march_memory<relax>(level, march_args_of(level, relaxation));
}
