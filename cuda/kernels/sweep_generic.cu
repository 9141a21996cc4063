/* The operator, its residual, a half sweep and a relaxation with one thread per cell, in either
 * layout, for any boxes and boundaries: used where no faster kernel applies. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/gsrb_args.cuh"

namespace
{

enum { TILE_X = 32, TILE_Y = 8 };
static_assert(TILE_X * TILE_Y == REDUCE_THREADS, "the tile is what reductions work on");

template <bool VARIABLE, bool AROUND, hymgi_job JOB>
__device__ __forceinline__ hymgi_real fv2_cell(const gsrb_args &a, const hymgi_geom &g,
                                               const place &p)
{
  const fv2_betas b = fv2_load_betas<VARIABLE>(a.v, g, p);
  const hymgi_real alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  fv2_values x = {};
  if (JOB != HYMGI_HALF_SWEEP || !a.from_zero) x = fv2_load_neighbours<AROUND>(a.v, g, p, a.own);
  if (JOB == HYMGI_HALF_SWEEP) return fv2_gsrb(a.v, b, x, a.f[p.own], alpha);
  x.c = a.own[p.own];
  if (JOB == HYMGI_APPLY) return fv2_apply(a.v, b, x, alpha);
  const hymgi_real r = fv2_residual(a.v, b, x, a.f[p.own], alpha);
  if (JOB != HYMGI_RELAX) return r;
  const hymgi_real step = a.scale ? r * a.scale[p.own] : r / fv2_diagonal(a.v, b, alpha);
  return relaxed(a, x.c, a.residual, step, a.prev ? a.prev[p.own] : 0);
}

template <bool VARIABLE, hymgi_job JOB>
__device__ __forceinline__ hymgi_real fv4_cell(const gsrb_args &a, const place &p)
{
  const hymgi_real c = a.own[p.own];
  const hymgi_real alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
  const hymgi_real ax = fv4_with_alpha(a.v, fv4_apply<VARIABLE>(a.v, p, a.own, a.other), c, alpha);
  if (JOB == HYMGI_APPLY) return ax;
  const hymgi_real r = a.f[p.own] - ax;
  if (JOB == HYMGI_RESIDUAL || HAS_NORM<job<JOB>>) return r;
  return relaxed(a, c, a.residual * a.scale[p.own], r, a.prev ? a.prev[p.own] : 0);
}

/* Blocks of a reduction: each of them adds to the same words in turn, so more take longer. */
enum { NORM_BLOCKS = 8 };

/* Slabs are planes, or the two colours of a plane of split rows. */
template <hymg_stencil STENCIL, bool VARIABLE, bool AROUND, hymgi_job JOB>
__global__ void __launch_bounds__(TILE_X *TILE_Y) sweep_generic(const __grid_constant__ gsrb_args a)
{
  let_successors_start();
  wait_for_predecessors();
  const int t = (int)(blockIdx.x * TILE_X + threadIdx.x);
  const int j = (int)(blockIdx.y * TILE_Y + threadIdx.y);
  unsigned long long norm = 0;
  for (int z = (int)blockIdx.z; z < a.boxes.count * a.slabs; z += (int)gridDim.z) {
    const hymgi_geom g = box_at(a.boxes, z / a.slabs);
    const bool both = g.split && JOB != HYMGI_HALF_SWEEP && !a.red;
    const int plane = z % a.slabs, k = both ? plane >> 1 : plane;
    const int colour = !g.split ? 0 : both ? plane & 1 : a.colour;
    if (t >= slots_of(g) || j >= g.n[1] || k >= g.n[2] || !has_slot(g, colour, t, j, k)) continue;
    const place p = place_of(g, colour, t, j, k);
    if (JOB == HYMGI_HALF_SWEEP && !g.split && hymgi_first(&g, a.colour, j, k) != (t & 1)) {
      if (STENCIL == HYMG_FV4) a.out[p.own] = a.own[p.own];
      continue;
    }
    const hymgi_real value = STENCIL == HYMG_FV2 ? fv2_cell<VARIABLE, AROUND, JOB>(a, g, p)
                                                 : fv4_cell<VARIABLE, JOB>(a, p);
    if (HAS_NORM<job<JOB>>) norm = larger(norm, bits_of(value));
    if (JOB != HYMGI_NORM) store_result<job<JOB>>(a, p.own, value);
  }
  if (HAS_NORM<job<JOB>>) reduce_max(a.reduction, norm);
}

} /* namespace */

extern "C" void hymgi_cuda_sweep_generic(const hymgi_level *level, const hymgi_sweep *sweep)
{
  if (level->num_boxes == 0) return;
  const bool split = level->box[0].split,
             both = split && sweep->job != HYMGI_HALF_SWEEP && !sweep->red;
  gsrb_args a = gsrb_args_of(level, sweep);
  a.slabs = a.extent[2] * (both ? 2 : 1);
  dim3 grid(blocks_for(split ? (a.extent[0] + 1) / 2 : a.extent[0], TILE_X),
            blocks_for(a.extent[1], TILE_Y), grid_share(a.slabs * level->num_boxes));
  const unsigned layer = grid.x * grid.y,
                 most = NORM_BLOCKS * (unsigned)level->context->gpu->multiprocessors;
  if ((sweep->job == HYMGI_NORM || sweep->job == HYMGI_NARROW) && layer * grid.z > most)
    grid.z = (most + layer - 1) / layer;
  with_job<gsrb, relax, residual, residual_norm, residual_narrow, apply>(sweep, [&](auto job) {
    with_bools(
        [&](auto fv2, auto variable, auto around) {
          constexpr hymg_stencil STENCIL = fv2 ? HYMG_FV2 : HYMG_FV4;
          hymgi_launch(level->context, sweep_generic < STENCIL, variable, fv2 && around,
                       decltype(job)::value >, grid, dim3(TILE_X, TILE_Y), a);
        },
        level->op->stencil == HYMG_FV2, level->method->variable_beta, goes_around(level));
  });
}
