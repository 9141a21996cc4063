/* FV2 on plain rows, large levels: out-of-place sweeps, the residual and its norm. A thread owns a
 * column of a slab and marches along z with what it has seen in registers. Bytes per cell of a
 * Chebyshev step: x 8, f 8, x before 8, betas 24, written 8. It runs at the speed of memory. */
#include "device/fast_division.cuh"
#include "kernels/fv2/relax_march.cuh"
#include "kernels/kernels.h"

namespace
{

enum { FV2_THREADS = 256, FV2_BLOCKS = 4 };

template <relax_job WHAT>
__device__ __forceinline__ double fv2_value(const relax_march_args &a, const fv2_betas &b,
                                            const fv2_values &x, double f, double alpha,
                                            double scale, double prev)
{
  const double r = fv2_residual(a.v, b, x, f, alpha);
  if (WHAT != RELAX) return r;
  const double step = a.scale ? r * scale : r / fv2_diagonal(a.v, b, alpha);
  return relaxed(a, x.c, prev, a.residual, step);
}

/* The box as one column of it sees it: most columns have no boundary beside them, and no index along x
 * or y is asked for in each plane. */
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
  double above, f, prev, alpha, scale;
  double w, e, s, n;
};

template <relax_job WHAT, bool VARIABLE>
__device__ __forceinline__ fv2_arrivals fv2_arrive(const relax_march_args &a, const hymgi_geom &g,
                                                   const place &p, double low)
{
  fv2_arrivals t;
  t.above = a.x[p.own + p.plane], t.f = a.f[p.own];
  t.prev = WHAT == RELAX && a.prev ? a.prev[p.own] : 0;
  t.w = a.x[p.own - 1], t.e = a.x[p.own + 1];
  t.s = a.x[p.own - p.pitch], t.n = a.x[p.own + p.pitch];
  t.b = fv2_load_betas<VARIABLE>(a.v, g, p);
  if (VARIABLE) t.b.d = low;
  t.alpha = a.v.has_alpha ? coefficient(a.v.alpha, p.own, a.v.alpha_constant) : 0;
  t.scale = WHAT == RELAX ? coefficient(a.scale, p.own, 0) : 0;
  return t;
}

template <relax_job WHAT, bool VARIABLE>
__device__ __forceinline__ unsigned long long fv2_column(const relax_march_args &a,
                                                         const hymgi_geom &box, place p, int to)
{
  const hymgi_geom g = alone(box, &p);
  column_window<double, 1, 1> x;
  x.fill([&](int dk) { return a.x[p.own + dk * p.plane]; });
  double low = VARIABLE ? __ldg(a.v.beta[2] + p.own) : 0;
  unsigned long long norm = 0;
  march(
      p.k, to, [&] { return fv2_arrive<WHAT, VARIABLE>(a, g, p, low); },
      [&](const fv2_arrivals &t) {
        fv2_values v = {x.at(0), t.w, t.e, t.s, t.n, x.at(-1), x.at(1, t.above)};
        fv2_extrapolate(a.v, g, p, &v);
        const double done = fv2_value<WHAT>(a, t.b, v, t.f, t.alpha, t.scale, t.prev);
        if (WHAT == NORM) norm = larger(norm, bits_of(done));
        return done;
      },
      [&](const fv2_arrivals &t) {
        x.shift(t.above);
        low = t.b.u;
        go_up(&p);
      },
      [&](double done) {
        if (WHAT != NORM) a.out[p.own - p.plane] = done;
      });
  return norm;
}

template <relax_job WHAT, bool VARIABLE, int N>
__global__ void __launch_bounds__(FV2_THREADS, FV2_BLOCKS)
    fv2_relax_march(const __grid_constant__ relax_march_args a)
{
  wait_for_predecessors();
  let_successors_start();
  const column c = column_at<N>(a, (int)(blockIdx.x * blockDim.x + threadIdx.x),
                                (int)(blockIdx.y * blockDim.y + threadIdx.y));
  unsigned long long norm = 0;
  if (c.inside) norm = fv2_column<WHAT, VARIABLE>(a, c.g, c.p, c.to);
  if (WHAT == NORM) reduce_max(a.reduction, norm);
}

template <relax_job WHAT, bool VARIABLE> void fv2_run(const hymgi_level *level, relax_march_args a)
{
  const unsigned x = a.extent[0] >= 128 ? 64 : 32, y = FV2_THREADS / x;
  a.slab = a.extent[2] >= 256 ? 32 : 16;
  a.slabs = (a.extent[2] + a.slab - 1) / a.slab;
  const dim3 grid(blocks_for(a.extent[0], (int)x), blocks_for(a.extent[1], (int)y),
                  (unsigned)(a.slabs * a.boxes.count));
  hymgi_launch(level->context,
               is_cube(level, 512)   ? fv2_relax_march<WHAT, VARIABLE, 512>
               : is_cube(level, 256) ? fv2_relax_march<WHAT, VARIABLE, 256>
                                     : fv2_relax_march<WHAT, VARIABLE, 0>,
               grid, dim3(x, y), a);
}

template <relax_job WHAT> void run(const hymgi_level *level, const relax_march_args &a)
{
  if (level->method->variable_beta)
    fv2_run<WHAT, true>(level, a);
  else
    fv2_run<WHAT, false>(level, a);
}

/* ---- small levels: one cell a thread ---- */

enum { POINT_THREADS = 128 };

/* All that no kernel in flight can write, and what follows from it, before the wait for the last one. */
template <bool VARIABLE>
__global__ void __launch_bounds__(POINT_THREADS)
    fv2_relax_point(const __grid_constant__ relax_march_args a)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y), z = (int)blockIdx.z;
  const hymgi_geom g = box_at(a.boxes, z / a.extent[2]);
  const int k = z % a.extent[2];
  const bool inside = i < g.n[0] && j < g.n[1] && k < g.n[2];
  place p = {};
  fv2_betas b = {};
  divisors<1> diagonal = {};
  double alpha = 0, scale = 0, f = 0, prev = 0;
  if (inside) {
    p = place_of(g, 0, i, j, k);
    b = fv2_load_betas<VARIABLE>(a.v, g, p);
    if (a.v.has_alpha) alpha = alpha_at(a.v, p.own);
    if (a.old) f = a.f[p.own];
    if (a.old && a.prev) prev = a.prev[p.own];
    if (a.scale)
      scale = a.scale[p.own];
    else
      diagonal.take({{fv2_diagonal(a.v, b, alpha)}});
  }
  wait_for_predecessors();
  let_successors_start();
  if (!inside) return;
  if (!a.old) f = a.f[p.own];
  if (!a.old && a.prev) prev = a.prev[p.own];
  fv2_values x = fv2_load_neighbours(a.v, g, p, a.x);
  x.c = a.x[p.own];
  const double r = fv2_residual(a.v, b, x, f, alpha);
  const double step = a.scale ? r * scale : diagonal.quotients({{r}}, true).at[0];
  a.out[p.own] = relaxed(a, x.c, prev, a.residual, step);
}

void run_point(const hymgi_level *level, const relax_march_args &a)
{
  const int wide = a.extent[0];
  const unsigned x = wide > 16 ? 32 : wide > 8 ? 16 : wide > 4 ? 8 : 4, y = POINT_THREADS / x;
  const dim3 grid(blocks_for(wide, (int)x), blocks_for(a.extent[1], (int)y),
                  (unsigned)(a.extent[2] * a.boxes.count));
  hymgi_launch(level->context,
               level->method->variable_beta ? fv2_relax_point<true> : fv2_relax_point<false>, grid,
               dim3(x, y), a);
}

relax_march_args args_of(const hymgi_level *level)
{
  relax_march_args a = {};
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.v = view_of(level);
  box_extent(level->box, level->num_boxes, a.extent);
  a.reduction = level->context->gpu->reduction;
  return a;
}

relax_march_args relax_args_of(const hymgi_level *level, const hymgi_relaxation *relaxation)
{
  relax_march_args a = args_of(level);
  a.f = relaxation->f;
  a.x = relaxation->x;
  a.prev = relaxation->prev;
  a.scale = relaxation->scale;
  a.out = relaxation->out;
  a.residual = relaxation->residual;
  a.momentum = relaxation->momentum;
  a.falling = relaxation->x < relaxation->out; /* buffers swap from sweep to sweep */
  a.old = relaxation->old;
  return a;
}

} /* namespace */

extern "C" void hymgi_cuda_fv2_relax_march(const hymgi_level *level,
                                           const hymgi_relaxation *relaxation)
{
  run<RELAX>(level, relax_args_of(level, relaxation));
}

extern "C" void hymgi_cuda_fv2_relax_point(const hymgi_level *level,
                                           const hymgi_relaxation *relaxation)
{
  run_point(level, relax_args_of(level, relaxation));
}

extern "C" void hymgi_cuda_fv2_plain_residual(const hymgi_level *level,
                                              const hymgi_residual_of *residual)
{
  relax_march_args a = args_of(level);
  a.f = residual->f;
  a.x = residual->x;
  a.out = residual->r;
  if (residual->r)
    run<RESIDUAL>(level, a);
  else
    run<NORM>(level, a);
}
