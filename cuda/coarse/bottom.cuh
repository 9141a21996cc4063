/* The bottom solvers (krylov_methods.h) on the coarsest level of the coarse end. */
#ifndef HYMGI_COARSE_BOTTOM_CUH
#define HYMGI_COARSE_BOTTOM_CUH

#include "coarse/krylov.cuh"

extern "C" {
#include "multigrid/krylov.h"
}

namespace
{

/* ---- their level operations, by the names in level_ops.h ---- */

struct krylov_level {
  int l;
  int own; /* place of this thread's first cell */
  double *x, *f;
};

#define KRYLOV        __device__ __forceinline__
#define KRYLOV_CALLED __device__ __noinline__
#define KRYLOV_METHOD template <typename krylov_level> __device__ __forceinline__

KRYLOV double *hymgi_krylov_vector(const krylov_level *level, int i)
{
  return shared.level[level->l].krylov + i * shared.level[level->l].size;
}

KRYLOV bool krylov_singular(const krylov_level *)
{
  return shared.method.singular;
}

KRYLOV void hymgi_apply(const krylov_level *level, double *x, double *y)
{
  const double *const arena = coarse_arena();
  if (shared.level[level->l].resident)
    apply_resident(level->l, (int)(x - arena), (int)(y - arena));
  else
    operate(level->l, 0, COARSE_APPLY, NULL, x, y);
}

KRYLOV void hymgi_smooth(krylov_level *level)
{
  operate(level->l, shared.method.sweeps, COARSE_NOTHING, level->f, level->x,
          shared.level[level->l].y);
}

KRYLOV double hymgi_norm_max(const krylov_level *level, const double *x)
{
  return max_of(level->l, level->own, x);
}

KRYLOV double hymgi_residual_norm(const krylov_level *level, const double *f, double *x)
{
  double *const r = shared.level[level->l].y;
  operate(level->l, 0, COARSE_RESIDUAL, f, x, r);
  return hymgi_norm_max(level, r);
}

KRYLOV double hymgi_dot(const krylov_level *level, const double *x, const double *y)
{
  return sum_of(level->l, level->own, x, y);
}

KRYLOV void hymgi_dots(const krylov_level *level, int count, const double *const *x,
                       const double *const *y, double *dots)
{
  for (int m = 0; m < count; m++)
    dots[m] = hymgi_dot(level, x[m], y[m]);
}

KRYLOV void hymgi_fill(const krylov_level *level, double value, double *x)
{
  each_own(level->l, level->own, [&](int at) { x[at] = value; });
}

__device__ __noinline__ void add_scaled(int l, int own, double a, const double *x, double b,
                                        const double *y, double *z)
{
  const bool copies = b == 0 && a == 1;
  each_own(l, own, [&](int at) { z[at] = copies ? x[at] : hymgi_fma(a, x[at], b * y[at]); });
}

KRYLOV void hymgi_axpby(const krylov_level *level, double a, const double *x, double b,
                        const double *y, double *z)
{
  add_scaled(level->l, level->own, a, x, b, y, z);
}

KRYLOV void hymgi_copy_vector(const krylov_level *level, const double *x, double *y)
{
  hymgi_axpby(level, 1, x, 0, x, y);
}

KRYLOV void hymgi_remove_mean(const krylov_level *level, double *x)
{
  const double mean = hymgi_dot(level, x, NULL) / (double)shared.level[level->l].cells;
  each_own(level->l, level->own, [&](int at) { x[at] += -mean; });
}

/* z = D^-1 r */
__device__ __noinline__ void divide(int l, const double *r, double *z)
{
  const coarse_pass p = pass_of(l);
  operator_view v = {};
  v.has_alpha = p.has_alpha;
#pragma unroll 1
  for (int c = thread_of(); c < p.cells; c += p.team) {
    const int at = cell_at(l, c).at;
    if (shared.method.stencil == HYMG_FV4) {
      z[at] = __ldg(shared.level[l].coefficients + COARSE_DINV * p.cells + c) * r[at];
    } else {
      coarse_own<HYMG_FV2, true> own;
      own.load(l, p, NULL, c);
      z[at] = r[at] / fv2_diagonal(v, own.b, own.alpha);
    }
  }
}

KRYLOV void hymgi_precondition(const krylov_level *level, const double *r, double *z)
{
  divide(level->l, r, z);
}

/* ---- what the avoiding solvers ask for besides: the first warp works on coefficients ---- */

KRYLOV bool krylov_leads(const krylov_level *)
{
  return thread_of() < COARSE_WARP;
}

KRYLOV int krylov_lane()
{
  return thread_of();
}

KRYLOV int krylov_lanes()
{
  return COARSE_WARP;
}

KRYLOV void krylov_meet_lanes()
{
  __syncwarp();
}

KRYLOV void krylov_meet(const krylov_level *level)
{
  meet(shared.level[level->l].team);
}

#include "multigrid/krylov_methods.h"

/* The products are shared out to threads, or to warps where a vector is long. */
KRYLOV void krylov_products(const krylov_level *level, const powers *w, bool shadow, basis *b)
{
  const coarse_level &t = shared.level[level->l];
  const int lanes = t.cells > 2 * COARSE_WARP ? COARSE_WARP : 1, wide = w->count + 1;
  meet(t.team);
#pragma unroll 1
  for (int m = thread_of() / lanes; m < w->count * wide; m += t.team / lanes) {
    const int i = m / wide, j = m % wide;
    if (j == w->count ? !shadow : j > i) continue;
    const double *const right = j == w->count ? level->f : power(level, w, j);
    const double sum = sum_by_threads(level->l, power(level, w, i), right, lanes);
    if (thread_of() % lanes > 0) continue;
    if (j == w->count)
      b->shadow[i] = sum;
    else
      b->gram[i][j] = b->gram[j][i] = sum;
  }
}

/* ---- the solve ---- */

template <hymg_bottom BOTTOM> __device__ __noinline__ void solve_with(int l)
{
  krylov_level level = {l, own_place(l), shared.level[l].x, shared.level[l].f};
  solve_bottom(&level, BOTTOM, (basis *)(void *)coarse_arena());
}

template <hymg_bottom BOTTOM, hymg_stencil STENCIL, bool VARIABLE, int TEAM>
__device__ __noinline__ void solve_resident(int l)
{
  double vector[7], target;
  krylov_resident<STENCIL, VARIABLE, TEAM> level;
  level.x = vector;
  level.f = vector + 1;
  level.vector = vector + 2;
  level.load(l);
  if (begin_bottom(&level, &target)) {
    if (BOTTOM == HYMG_CG)
      cg(&level, target);
    else
      bicgstab(&level, target);
  }
  level.store(l);
}

template <hymg_bottom BOTTOM, int TEAM> __device__ __forceinline__ void solve_resident(int l)
{
  if (shared.method.stencil == HYMG_FV2)
    solve_resident<BOTTOM, HYMG_FV2, true, TEAM>(l);
  else if (shared.method.variable)
    solve_resident<BOTTOM, HYMG_FV4, true, TEAM>(l);
  else
    solve_resident<BOTTOM, HYMG_FV4, false, TEAM>(l);
}

template <hymg_bottom BOTTOM> __device__ __forceinline__ void solve_short(int l)
{
  const coarse_level &t = shared.level[l];
  if (!t.resident)
    solve_with<BOTTOM>(l);
  else if (t.team == COARSE_WARP)
    solve_resident<BOTTOM, COARSE_WARP>(l);
  else
    solve_resident<BOTTOM, COARSE_THREADS>(l);
}

__device__ __forceinline__ void solve_coarsest(int l, hymg_bottom bottom)
{
  if (thread_of() >= shared.level[l].team) return;
  if (bottom == HYMG_BICGSTAB)
    solve_short<HYMG_BICGSTAB>(l);
  else if (bottom == HYMG_CG)
    solve_short<HYMG_CG>(l);
  else if (bottom == HYMG_CABICGSTAB)
    solve_with<HYMG_CABICGSTAB>(l);
  else if (bottom == HYMG_CACG)
    solve_with<HYMG_CACG>(l);
  else
    solve_with<HYMG_BOTTOM_SMOOTHER>(l);
}

} /* namespace */

#endif
