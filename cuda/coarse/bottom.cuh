/* The bottom solvers (multigrid/krylov/methods.h) on the coarsest level of the coarse end. */
#ifndef HYMGI_COARSE_BOTTOM_CUH
#define HYMGI_COARSE_BOTTOM_CUH

#include "coarse/resident.cuh"
#include "coarse/sums.cuh"

extern "C" {
#include "multigrid/krylov/krylov.h"
}

namespace
{

/* ---- the level operations (level_ops.h) of CG and BiCGStab ---- */

/* The level is held in registers: a vector is one double per thread, and shared memory holds only
 * what neighbours read. Coefficients and ghost lists are loaded once per solve. Threads without a
 * cell hold zeros. */
template <hymg_stencil STENCIL, bool VARIABLE, int TEAM> struct krylov_resident {
  double *x, *f, *vector; /* this thread's elements of the vectors */
  coarse_resident<STENCIL, VARIABLE> own;
  coarse_scaling<STENCIL> scaling;
  int shown; /* position in the arena of the vector that neighbours read */
  int cells, bits;
  bool singular;

  __device__ __forceinline__ void load(int l)
  {
    const coarse_level &t = shared.level[l];
    own.load(l, coarse_arena() + t.f_at);
    own.team = TEAM;
    scaling.load(l, own, false);
    *f = own.f;
    shown = t.y_at;
    cells = t.cells;
    bits = t.bits;
    singular = shared.method.singular;
  }
  __device__ __forceinline__ void store(int l) const
  {
    if (own.mine) coarse_arena()[shared.level[l].x_at + own.at] = *x;
  }
};

#define RESIDENT       template <hymg_stencil STENCIL, bool VARIABLE, int TEAM> __device__ __forceinline__
#define RESIDENT_LEVEL krylov_resident<STENCIL, VARIABLE, TEAM>

RESIDENT double *hymgi_krylov_vector(const RESIDENT_LEVEL *level, int i)
{
  return level->vector + i;
}

RESIDENT bool krylov_singular(const RESIDENT_LEVEL *level)
{
  return level->singular;
}

RESIDENT double krylov_goal(const RESIDENT_LEVEL *)
{
  return shared.method.bottom_goal;
}

/* No barrier is needed before the store in a large team: all have read the previous vector, since a
 * sum with barriers came after it. __syncwarp, because a division may have left the warp diverged.
 * */
RESIDENT void hymgi_apply(const RESIDENT_LEVEL *level, const double *x, double *y)
{
  __syncwarp();
  double *const seen = coarse_arena() + level->shown;
  if (level->own.mine) seen[level->own.at] = *x;
  level->own.fill_ghosts(seen);
  *y = level->own.mine ? level->own.apply(seen) : 0;
}

RESIDENT double hymgi_norm_max(const RESIDENT_LEVEL *, const double *x)
{
  return value_of(team_max(TEAM, bits_of(*x)));
}

RESIDENT double hymgi_dot(const RESIDENT_LEVEL *level, const double *x, const double *y)
{
  const double term[1] = {y ? *x * *y : *x};
  double sum[1];
  sums_of<TEAM>(level->bits, term, sum);
  return sum[0];
}

/* Always two of them: their chains of instructions overlap. */
RESIDENT void hymgi_dots(const RESIDENT_LEVEL *level, int, const double *const *x,
                         const double *const *y, double *dots)
{
  const double term[2] = {*x[0] * *y[0], *x[1] * *y[1]};
  sums_of<TEAM>(level->bits, term, dots);
}

RESIDENT void hymgi_fill(const RESIDENT_LEVEL *, double value, double *x)
{
  *x = value;
}

RESIDENT void hymgi_axpby(const RESIDENT_LEVEL *, double a, const double *x, double b,
                          const double *y, double *z)
{
  *z = hymgi_fma(a, *x, b * *y);
}

RESIDENT void hymgi_copy_vector(const RESIDENT_LEVEL *, const double *x, double *y)
{
  *y = *x;
}

RESIDENT void hymgi_remove_mean(const RESIDENT_LEVEL *level, double *x)
{
  const double mean = hymgi_dot(level, x, (const double *)NULL) / (double)level->cells;
  if (level->own.mine) *x += -mean;
}

/* z = D^-1 r; without a cell no division, as a zero quotient would take the slow path. */
RESIDENT void hymgi_precondition(const RESIDENT_LEVEL *level, const double *r, double *z)
{
  *z = level->own.mine ? level->scaling.scaled(*r) : 0;
}

#undef RESIDENT
#undef RESIDENT_LEVEL

/* ---- the level operations of the avoiding solvers and the smoother ---- */

struct krylov_level {
  int l;
  int own; /* position of this thread's cell, -1 if it has none */
  double *x, *f;
};

#define KRYLOV        __device__ __forceinline__
#define KRYLOV_CALLED __device__ __noinline__
#define KRYLOV_METHOD template <typename krylov_level> __device__ __forceinline__

KRYLOV int krylov_place(const double *x)
{
  return (int)(x - coarse_arena());
}

KRYLOV double *hymgi_krylov_vector(const krylov_level *level, int i)
{
  const coarse_level &t = shared.level[level->l];
  return coarse_arena() + t.krylov_at + i * t.size;
}

KRYLOV bool krylov_singular(const krylov_level *)
{
  return shared.method.singular;
}

KRYLOV double krylov_goal(const krylov_level *)
{
  return shared.method.bottom_goal;
}

KRYLOV void hymgi_apply(const krylov_level *level, double *x, double *y)
{
  apply_resident(level->l, false, krylov_place(x), krylov_place(y));
}

KRYLOV void hymgi_smooth(krylov_level *level)
{
  sweep_resident(level->l, shared.method.sweeps, false);
}

KRYLOV double hymgi_norm_max(const krylov_level *level, const double *x)
{
  const unsigned long long mine = level->own < 0 ? 0 : bits_of(x[level->own]);
  return value_of(team_max(shared.level[level->l].team, mine));
}

KRYLOV double hymgi_residual_norm(const krylov_level *level, const double *, double *x)
{
  const int r = shared.level[level->l].y_at;
  apply_resident(level->l, true, krylov_place(x), r);
  return hymgi_norm_max(level, coarse_arena() + r);
}

KRYLOV void hymgi_fill(const krylov_level *level, double value, double *x)
{
  if (level->own >= 0) x[level->own] = value;
}

KRYLOV void hymgi_axpby(const krylov_level *level, double a, const double *x, double b,
                        const double *y, double *z)
{
  const int own = level->own;
  if (own >= 0) z[own] = hymgi_fma(a, x[own], b * y[own]);
}

KRYLOV void hymgi_copy_vector(const krylov_level *level, const double *x, double *y)
{
  if (level->own >= 0) y[level->own] = x[level->own];
}

KRYLOV void hymgi_remove_mean(const krylov_level *level, double *x)
{
  const coarse_level &t = shared.level[level->l];
  sync_team(t.team);
  const double mean = sum_by_threads(level->l, x, NULL, COARSE_WARP) / (double)t.cells;
  sync_team(t.team);
  if (level->own >= 0) x[level->own] += -mean;
}

/* ---- further needs of the avoiding solvers: the first warp works on the small matrices ---- */

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
  sync_team(shared.level[level->l].team);
}

#include "multigrid/krylov/methods.h"

/* The inner products are divided among the threads, or among the warps if a vector is long. */
KRYLOV void krylov_products(const krylov_level *level, const powers *w, bool shadow, basis *b)
{
  const coarse_level &t = shared.level[level->l];
  const int lanes = t.cells > 2 * COARSE_WARP ? COARSE_WARP : 1, wide = w->count + 1;
  sync_team(t.team);
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

__device__ __noinline__ void solve_in_arena(int l, hymg_bottom bottom)
{
  const coarse_level &t = shared.level[l];
  double *const arena = coarse_arena();
  double target;
  const int own = thread_of() < t.cells ? cell_at(l, thread_of()).at : -1;
  krylov_level level = {l, own, arena + t.x_at, arena + t.f_at};
  if (bottom == HYMG_BOTTOM_SWEEPS) {
    sweeps(&level);
    return;
  }
  if (!begin_bottom(&level, &target)) return;
  if (bottom == HYMG_BOTTOM_SMOOTHER)
    smoother(&level, target);
  else
    avoiding(&level, target, bottom == HYMG_CABICGSTAB, (basis *)(void *)arena);
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

template <hymg_bottom BOTTOM> __device__ __forceinline__ void solve_short(int l)
{
  with_operator([&](auto stencil, auto variable) {
    if (shared.level[l].team == COARSE_WARP)
      solve_resident<BOTTOM, stencil, variable, COARSE_WARP>(l);
    else
      solve_resident<BOTTOM, stencil, variable, COARSE_THREADS>(l);
  });
}

__device__ __forceinline__ void solve_coarsest(int l, hymg_bottom bottom)
{
  if (thread_of() >= shared.level[l].team) return;
  if (bottom == HYMG_BICGSTAB)
    solve_short<HYMG_BICGSTAB>(l);
  else if (bottom == HYMG_CG)
    solve_short<HYMG_CG>(l);
  else
    solve_in_arena(l, bottom);
}

} /* namespace */

#endif
