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

/* ---- the level operations (level_ops.h) ---- */

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

#define KRYLOV_METHOD template <typename krylov_level> __device__ __forceinline__

#include "multigrid/krylov/methods.h"

/* ---- the solve ---- */

/* Smoother calls from 0; a cell that only its own thread changes needs no barrier. */
__device__ __noinline__ void solve_by_sweeps(int l)
{
  const coarse_level &t = shared.level[l];
  if (thread_of() < t.cells) coarse_arena()[t.x_at + cell_at(l, thread_of()).at] = 0;
#pragma unroll 1
  for (int i = 0; i < HYMGI_BOTTOM_CALLS; i++)
    sweep_resident(l, shared.method.sweeps, false);
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

/* The other solvers are done step by step, each operation by a kernel of its own. */
inline bool has_bottom(hymg_bottom bottom)
{
  return bottom == HYMG_BICGSTAB || bottom == HYMG_CG || bottom == HYMG_BOTTOM_SWEEPS;
}

__device__ __forceinline__ void solve_coarsest(int l, hymg_bottom bottom)
{
  if (thread_of() >= shared.level[l].team) return;
  if (bottom == HYMG_BICGSTAB)
    solve_short<HYMG_BICGSTAB>(l);
  else if (bottom == HYMG_CG)
    solve_short<HYMG_CG>(l);
  else
    solve_by_sweeps(l);
}

} /* namespace */

#endif
