/* FV2 red-black Gauss-Seidel on split rows. A half sweep reads the other colour and writes its
 * own, in place, boundaries inside the loads. Bytes per cell of the level: the other colour 4, f 4,
 * six faces of half the cells 24 (every face once), written 4. Large levels march along z with
 * the column of the other colour in registers; small ones run one cell a thread, with all that no
 * kernel in flight can write loaded before the wait for the last one. */
#include "device/reduce.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

/* ---- one cell a thread ---- */

template <bool VARIABLE>
__global__ void __launch_bounds__(GSRB_THREADS) fv2_gsrb_point(const __grid_constant__ gsrb_args a)
{
  const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const hymgi_geom g = box_at(a.boxes, z / a.planes);
  const int k = z % a.planes;
  const bool inside = t < g.n[0] / 2 && j < g.n[1] && k < g.n[2];
  place p = {};
  fv2_betas b = {};
  double alpha = 0, f = 0;
  if (inside) {
    p = place_of(g, a.colour, t, j, k);
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.f_is_old) f = a.f[p.own];
  }
  wait_for_predecessors();
  let_successors_start();
  if (!inside) return;
  if (!a.f_is_old) f = a.f[p.own];
  const fv2_values x = fv2_load_neighbours(a.v, g, p, a.own);
  a.out[p.own] = fv2_gsrb(a.v, b, x, f, alpha);
}

/* ---- marched along z ---- */

enum split_job { UPDATE, RESIDUAL, NORM };

template <split_job WHAT, bool VARIABLE>
__device__ __forceinline__ double cell(const gsrb_args &a, const hymgi_geom &g, const place &p,
                                       fv2_values x)
{
  const double f = a.f[p.own];
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  fv2_extrapolate(a.v, g, p, &x);
  if (WHAT == UPDATE) return fv2_gsrb(a.v, b, x, f, alpha);
  return fv2_residual(a.v, b, x, f, alpha);
}

template <split_job WHAT, bool VARIABLE, int N>
__device__ __forceinline__ unsigned long long split_column(const gsrb_args &a, const hymgi_geom &g,
                                                           place p, int t, int to)
{
  if (N) p.pitch = shape_pitch(N), p.plane = shape_plane(N, 1);
  const int from = p.k;
  double below = a.own[p.other - p.plane], here = a.own[p.other];
  double done = 0; /* stored after the next plane's loads, which then overlap */
  unsigned long long norm = 0;
#pragma unroll 1
  for (; p.k < to; p.k++) {
    const int first = p.east;
    fv2_values x;
    const double side = a.own[p.other + 2 * first - 1], above = a.own[p.other + p.plane];
    x.c = WHAT == UPDATE ? 0 : a.own[p.own];
    x.s = a.own[p.other - p.pitch];
    x.n = a.own[p.other + p.pitch];
    x.w = first ? here : side;
    x.e = first ? side : here;
    x.d = below;
    x.u = above;
    const double value = cell<WHAT, VARIABLE>(a, g, p, x);
    if (WHAT != NORM && p.k > from) a.out[p.own - p.plane] = done;
    done = value;
    if (WHAT == NORM) norm = larger(norm, bits_of(value));
    below = here;
    here = above;
    p.own += p.plane;
    p.other += p.plane;
    p.east = 1 - first;
    p.west = -first;
    p.i = 2 * t + 1 - first;
  }
  if (WHAT != NORM) a.out[p.own - p.plane] = done;
  return norm;
}

/* Blocks of both colours of a tile run side by side: the second finds the faces in the cache. */
template <split_job WHAT, bool VARIABLE, int N>
__global__ void __launch_bounds__(GSRB_THREADS) fv2_split_march(const __grid_constant__ gsrb_args a)
{
  wait_for_predecessors();
  let_successors_start();
  const int tile = (int)(WHAT == UPDATE ? blockIdx.x : blockIdx.x >> 1);
  const int colour = WHAT == UPDATE ? a.colour : (int)(blockIdx.x & 1);
  const int t = tile * (int)blockDim.x + (int)threadIdx.x;
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
  const int z = a.falling ? (int)(gridDim.z - 1 - blockIdx.z) : (int)blockIdx.z;
  const hymgi_geom g = box_at(a.boxes, z / a.slabs);
  const int from = z % a.slabs * a.slab;
  const int to = from + a.slab < g.n[2] ? from + a.slab : g.n[2];
  unsigned long long norm = 0;
  if (t < g.n[0] / 2 && j < g.n[1] && from < to)
    norm = split_column<WHAT, VARIABLE, N>(a, g, place_of(g, colour, t, j, from), t, to);
  if (WHAT == NORM) reduce_max(a.reduction, norm);
}

template <split_job WHAT, bool VARIABLE> void launch_march(const hymgi_level *level, gsrb_args a)
{
  const unsigned x = a.extent[0] >= 128 ? 64 : 32, y = GSRB_THREADS / x;
  a.slab = a.extent[2] >= 256 ? 32 : 16;
  a.slabs = (a.extent[2] + a.slab - 1) / a.slab;
  const dim3 grid(blocks_for(a.extent[0] / 2, (int)x) * (WHAT == UPDATE ? 1 : 2),
                  blocks_for(a.extent[1], (int)y), (unsigned)(a.slabs * a.boxes.count));
  with_shape(level, [&](auto of) {
    hymgi_launch(level->context, fv2_split_march<WHAT, VARIABLE, decltype(of)::value>, grid,
                 dim3(x, y), a);
  });
}

template <split_job WHAT> void run_march(const hymgi_level *level, const gsrb_args &a)
{
  if (level->method->variable_beta)
    launch_march<WHAT, true>(level, a);
  else
    launch_march<WHAT, false>(level, a);
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_gsrb_march(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  run_march<UPDATE>(level, gsrb_args_of(level, half));
}

extern "C" void hymgi_cuda_fv2_gsrb_point(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  const gsrb_args a = gsrb_args_of(level, half);
  const int wide = a.extent[0] / 2;
  const unsigned x = wide >= 32 ? 32 : wide >= 16 ? 16 : wide >= 8 ? 8 : 4, y = 128 / x;
  const dim3 grid(blocks_for(wide, (int)x), blocks_for(a.extent[1], (int)y),
                  (unsigned)(a.planes * a.boxes.count));
  hymgi_launch(level->context,
               level->method->variable_beta ? fv2_gsrb_point<true> : fv2_gsrb_point<false>, grid,
               dim3(x, y), a);
}

extern "C" void hymgi_cuda_fv2_split_residual(const hymgi_level *level,
                                              const hymgi_residual_of *residual)
{
  const hymgi_gsrb_half both = {0, residual->x, residual->x, residual->r, false};
  gsrb_args a = gsrb_args_of(level, &both);
  a.f = residual->f;
  if (residual->r)
    run_march<RESIDUAL>(level, a);
  else
    run_march<NORM>(level, a);
}
