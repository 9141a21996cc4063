/* The level operations of the bottom solvers on a level held in registers: a vector is one double
 * per thread, and shared memory holds only what neighbours read. Coefficients and ghost lists are
 * loaded once per solve. Threads without a cell hold zeros. */
#ifndef HYMGI_COARSE_KRYLOV_CUH
#define HYMGI_COARSE_KRYLOV_CUH

#include "coarse/resident.cuh"
#include "coarse/sums.cuh"

namespace
{

/* The diagonal D of a cell, in the form in which the bottom solvers divide by it. */
template <hymg_stencil STENCIL, bool VARIABLE> struct coarse_diagonal {
  double inverse;

  __device__ __forceinline__ void load(const coarse_resident<STENCIL, VARIABLE> &own)
  {
    inverse = own.scale;
  }
  __device__ __forceinline__ double divide(double r) const
  {
    return inverse * r;
  }
};

template <bool VARIABLE> struct coarse_diagonal<HYMG_FV2, VARIABLE> {
  hymgi_divisor divisor;

  __device__ __forceinline__ void load(const coarse_resident<HYMG_FV2, VARIABLE> &own)
  {
    divisor = hymgi_divisor_of(own.mine ? fv2_diagonal(own.o, own.b, own.alpha) : 1);
  }
  __device__ __forceinline__ double divide(double r) const
  {
    return hymgi_quotient(r, &divisor);
  }
};

template <hymg_stencil STENCIL, bool VARIABLE, int TEAM> struct krylov_resident {
  double *x, *f, *vector; /* this thread's elements of the vectors */
  coarse_resident<STENCIL, VARIABLE> own;
  coarse_diagonal<STENCIL, VARIABLE> diagonal;
  int shown; /* position in the arena of the vector that neighbours read */
  int cells, bits;
  bool singular;

  __device__ __forceinline__ void load(int l)
  {
    const coarse_level &t = shared.level[l];
    own.load(l, coarse_arena() + t.f_at);
    own.team = TEAM;
    diagonal.load(own);
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
  *z = level->own.mine ? level->diagonal.divide(*r) : 0;
}

#undef RESIDENT
#undef RESIDENT_LEVEL

} /* namespace */

#endif
