/* The operator, its residual, a half sweep and a relaxation with one thread per cell, in either
 * layout, for any boxes and boundaries: used where no faster kernel applies. */
#include "device/reduce.cuh"
#include "device/stencil_access.cuh"
#include "kernels/kernels.h"
#include "runtime/launch.cuh"

namespace
{

enum job_kind { APPLY, RESIDUAL, NORM, GSRB, RELAX };

struct sweep_args {
  box_set boxes;
  operator_view v;
  const double *own, *other; /* vectors that hold the cell's colour and the other one */
  const double *f, *prev, *scale;
  double *out;
  int colour; /* GSRB: the one that is updated */
  int planes; /* of the tallest box, times the colours of a row that are computed */
  double residual, momentum;
  hymgi_reduction reduction;
};

enum { TILE_X = 32, TILE_Y = 8 };
static_assert(TILE_X * TILE_Y == REDUCE_THREADS, "the tile is what reductions work on");

template <bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double fv2_cell(const sweep_args &a, const hymgi_geom &g, const place &p)
{
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  fv2_values x = fv2_load_neighbours(a.v, g, p, a.own);
  if (JOB == GSRB) return fv2_gsrb(a.v, b, x, a.f[p.own], alpha);
  x.c = a.own[p.own];
  if (JOB == APPLY) return fv2_apply(a.v, b, x, alpha);
  const double r = fv2_residual(a.v, b, x, a.f[p.own], alpha);
  if (JOB != RELAX) return r;
  const double step = a.scale ? r * a.scale[p.own] : r / fv2_diagonal(a.v, b, alpha);
  const double relaxed = hymgi_relax(x.c, a.residual, step);
  return a.prev ? hymgi_add_momentum(relaxed, a.momentum, x.c, a.prev[p.own]) : relaxed;
}

template <bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double fv4_cell(const sweep_args &a, const place &p)
{
  const double c = a.own[p.own];
  const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  const double ax = fv4_with_alpha(a.v, fv4_apply<VARIABLE>(a.v, p, a.own, a.other), c, alpha);
  if (JOB == APPLY) return ax;
  const double r = a.f[p.own] - ax;
  if (JOB == RESIDUAL || JOB == NORM) return r;
  const double scale = a.scale ? a.scale[p.own] : a.v.dinv[p.own];
  const double relaxed = hymgi_relax(c, a.residual * scale, r);
  return a.prev ? hymgi_add_momentum(relaxed, a.momentum, c, a.prev[p.own]) : relaxed;
}

template <hymg_stencil STENCIL, bool VARIABLE, job_kind JOB>
__device__ __forceinline__ double cell(const sweep_args &a, const hymgi_geom &g, const place &p)
{
  return STENCIL == HYMG_FV2 ? fv2_cell<VARIABLE, JOB>(a, g, p) : fv4_cell<VARIABLE, JOB>(a, p);
}

template <hymg_stencil STENCIL, bool VARIABLE, job_kind JOB>
__global__ void __launch_bounds__(TILE_X *TILE_Y)
    sweep_generic(const __grid_constant__ sweep_args a)
{
  let_successors_start();
  wait_for_predecessors();
  const int t = (int)(blockIdx.x * TILE_X + threadIdx.x);
  const int j = (int)(blockIdx.y * TILE_Y + threadIdx.y);
  unsigned long long norm = 0;
  for (int z = (int)blockIdx.z; z < a.boxes.count * a.planes; z += (int)gridDim.z) {
    const hymgi_geom g = box_at(a.boxes, z / a.planes);
    const bool both = g.split && JOB != GSRB;
    const int plane = z % a.planes, k = both ? plane >> 1 : plane;
    const int colour = !g.split ? 0 : JOB == GSRB ? a.colour : plane & 1;
    const int slots = g.split ? g.n[0] / 2 : g.n[0];
    if (t >= slots || j >= g.n[1] || k >= g.n[2]) continue;
    const place p = place_of(g, colour, t, j, k);
    if (JOB == GSRB && !g.split && hymgi_first(&g, a.colour, j, k) != (t & 1)) {
      if (STENCIL == HYMG_FV4) a.out[p.own] = a.own[p.own];
      continue;
    }
    const double value = cell<STENCIL, VARIABLE, JOB>(a, g, p);
    if (JOB == NORM)
      norm = larger(norm, bits_of(value));
    else
      a.out[p.own] = value;
  }
  if (JOB == NORM) reduce_max(a.reduction, norm);
}

template <job_kind JOB> void run_generic(const hymgi_level *level, const sweep_args &wanted)
{
  if (level->num_boxes == 0) return;
  sweep_args a = wanted;
  int n[3];
  box_extent(level->box, level->num_boxes, n);
  const bool split = level->box[0].split;
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.v = view_of(level);
  a.planes = n[2] * (split && JOB != GSRB ? 2 : 1);
  a.reduction = level->context->gpu->reduction;
  const int64_t z = (int64_t)a.planes * level->num_boxes;
  const dim3 grid(blocks_for(split ? n[0] / 2 : n[0], TILE_X), blocks_for(n[1], TILE_Y),
                  (unsigned)(z < 32768 ? z : 32768));
  const dim3 block(TILE_X, TILE_Y);
  with_bools(
      [&](auto fv2, auto variable) {
        hymgi_launch(level->context, sweep_generic < fv2 ? HYMG_FV2 : HYMG_FV4, variable, JOB >,
                     grid, block, a);
      },
      level->method->stencil == HYMG_FV2, level->method->variable_beta);
}

sweep_args generic_args(const double *f, const double *x, double *out)
{
  sweep_args a = {};
  a.f = f;
  a.own = a.other = x;
  a.out = out;
  return a;
}

} /* namespace */

extern "C" void hymgi_cuda_generic_apply(const hymgi_level *level, const double *x, double *y)
{
  run_generic<APPLY>(level, generic_args(NULL, x, y));
}

extern "C" void hymgi_cuda_generic_residual(const hymgi_level *level,
                                            const hymgi_residual_of *residual)
{
  const sweep_args a = generic_args(residual->f, residual->x, residual->r);
  if (residual->r)
    run_generic<RESIDUAL>(level, a);
  else
    run_generic<NORM>(level, a);
}

extern "C" void hymgi_cuda_generic_half_sweep(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  sweep_args a = generic_args(level->f, half->own, half->out);
  a.other = half->other;
  a.colour = half->colour;
  a.residual = 1;
  run_generic<GSRB>(level, a);
}

extern "C" void hymgi_cuda_generic_relax(const hymgi_level *level,
                                         const hymgi_relaxation *relaxation)
{
  sweep_args a = generic_args(relaxation->f, relaxation->x, relaxation->out);
  a.residual = relaxation->residual;
  a.momentum = relaxation->momentum;
  a.prev = relaxation->prev;
  a.scale = relaxation->scale;
  run_generic<RELAX>(level, a);
}
