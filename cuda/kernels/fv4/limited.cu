/* FV4's operator and residual where the limiter holds on some faces (formulas/limiter.h) or alpha varies
 * (formulas/fv4_alpha.h): one thread per cell, in either layout. */
#include "device/loops.cuh"
#include "device/reduce.cuh"
#include "kernels/gsrb_args.cuh"

extern "C" {
#include "formulas/fv4_alpha.h"
#include "formulas/limiter.h"
}

namespace
{

__device__ __forceinline__ double apply_limited(const gsrb_args &a, const place &p, unsigned walls)
{
  const auto x = [&](int di, int dj, int dk) { return a.own[at(p, di, dj, dk)]; };
  const auto bi = [&](int di, int dj, int dk) { return a.v.beta[0][at(p, di, dj, dk)]; };
  const auto bj = [&](int di, int dj, int dk) { return a.v.beta[1][at(p, di, dj, dk)]; };
  const auto bk = [&](int di, int dj, int dk) { return a.v.beta[2][at(p, di, dj, dk)]; };
  double ax;
  HYMGI_FV4_LIMITED(x, bi, bj, bk, walls, ax);
  return ax;
}

/* What the mean of alpha x is more than the product of the means. */
__device__ __forceinline__ double more_than_product(const gsrb_args &a, const place &p,
                                                    double limit, bool closed)
{
  const auto x = [&](int di, int dj, int dk) { return a.own[at(p, di, dj, dk)]; };
  const auto alpha = [&](int di, int dj, int dk) { return a.v.alpha[at(p, di, dj, dk)]; };
  if (!closed) return HYMGI_FV4_ALPHA(x, alpha, limit);
  const auto bi = [&](int di, int dj, int dk) { return a.v.beta[0][at(p, di, dj, dk)]; };
  const auto bj = [&](int di, int dj, int dk) { return a.v.beta[1][at(p, di, dj, dk)]; };
  const auto bk = [&](int di, int dj, int dk) { return a.v.beta[2][at(p, di, dj, dk)]; };
  return HYMGI_FV4_ALPHA_BETWEEN(x, alpha, bi, bj, bk, limit);
}

/* LIMITED: betas are marked; without marks those beyond boundaries may be negative. MEAN: with the mean of
 * alpha x, except where alpha varies by more than the factor `limit` or, closed, beside marked faces. */
template <hymgi_job JOB, bool LIMITED, bool MEAN>
__global__ void __launch_bounds__(REDUCE_THREADS)
    fv4_limited(const __grid_constant__ gsrb_args a, double limit, bool closed)
{
  let_successors_start();
  wait_for_predecessors();
  unsigned long long norm = 0;
  each_box(a.boxes, [&](const hymgi_geom &g, int) {
    each_cell(g, [&](int colour, int t, int j, int k) {
      const place p = place_of(g, colour, t, j, k);
      const double alpha = a.v.has_alpha ? alpha_at(a.v, p.own) : 0;
      const double fluxes = LIMITED ? apply_limited(a, p, walls_of(g, p.i, j, k))
                                    : fv4_apply<true>(a.v, p, a.own, a.own);
      const double ax = fv4_with_alpha(a.v, fluxes, a.own[p.own], alpha);
      double value = JOB == HYMGI_APPLY ? ax : a.f[p.own] - ax;
      if (MEAN) value += (JOB == HYMGI_APPLY ? 1 : -1) * more_than_product(a, p, limit, closed);
      if (JOB != HYMGI_NORM) store_result<job<JOB>>(a, p.own, value);
      if (HAS_NORM<job<JOB>>) norm = larger(norm, bits_of(value));
    });
  });
  if (HAS_NORM<job<JOB>>) reduce_max(a.reduction, norm);
}

} /* namespace */

extern "C" void hymgi_cuda_fv4_limited(const hymgi_level *level, const hymgi_sweep *sweep)
{
  const dim3 grid = reduction_grid(level);
  if (grid.x == 0) return;
  with_job<residual, residual_norm, residual_narrow, apply>(sweep, [&](auto of) {
    with_bools(
        [&](auto limited, auto mean) {
          if constexpr (limited || mean) /* is_extended() in kernel_table.cu */
            hymgi_launch(level->context, fv4_limited<decltype(of)::value, limited, mean>, grid,
                         dim3(REDUCE_THREADS), gsrb_args_of(level, sweep), level->c.alpha_limit,
                         level->c.closed);
        },
        level->c.limited, level->c.alpha_limit > 0);
  });
}
