/* The bottom solvers (krylov_methods.h) on a coarsest level of one cell. All threads of a warp do the
 * same, in registers. */
#ifndef HYMGI_COARSE_ONE_CELL_CUH
#define HYMGI_COARSE_ONE_CELL_CUH

#include "coarse/bottom.cuh"
#include "device/fast_division.cuh"

namespace
{

/* OPERATOR has apply(x) and scaled(r). */
template <typename OPERATOR> struct krylov_one {
  double *x, *f, *vector;
  OPERATOR a;
  bool singular;
};

/* FV2, where no boundary has a ghost. */
struct fv2_one_cell {
  fv2_betas b;
  bool has_alpha;
  double alpha;
  divisors<1> diagonal;

  __device__ __forceinline__ double apply(double x) const
  {
    operator_view o = {};
    o.has_alpha = has_alpha;
    return fv2_apply(o, b, {x, 0, 0, 0, 0, 0, 0}, alpha);
  }
  __device__ __forceinline__ double scaled(double r) const
  {
    return diagonal.quotients({{r}}, true).at[0];
  }
};

/* FV4: beyond a boundary, whose extrapolation is linear, the first neighbour is the negative of the cell
 * and the second one zero. */
template <bool BETA> struct fv4_one_cell {
  fv4_betas<BETA> b;
  bool has_alpha;
  double alpha, scale;

  __device__ __forceinline__ double apply(double x) const
  {
    operator_view o = {};
    o.has_alpha = has_alpha;
    const double a = fv4_apply_with<BETA>(
        [&](int di, int dj, int dk) {
          const int sum = di + dj + dk;
          return di % 2 == 0 && dj % 2 == 0 && dk % 2 == 0 && sum != 0 ? 0. : sum & 1 ? -x : x;
        },
        [&](int axis, int di, int dj, int dk) { return b.at(axis, di, dj, dk); });
    return fv4_with_alpha(o, a, x, alpha);
  }
  __device__ __forceinline__ double scaled(double r) const
  {
    return r * scale;
  }
};

/* Is one of these right for the coarsest level? */
inline bool is_one_cell(const coarse_level &t, bool fv4)
{
  for (int face = 0; face < 6; face++)
    if (!fv4 && t.boundary_ghost[face] != 0) return false;
  return t.cells == 1 && !t.periodic && (!fv4 || t.linear_ghosts);
}

#define ONE       template <typename OPERATOR> __device__ __forceinline__
#define ONE_LEVEL krylov_one<OPERATOR>

ONE double *hymgi_krylov_vector(const ONE_LEVEL *level, int i)
{
  return level->vector + i;
}

ONE bool krylov_singular(const ONE_LEVEL *level)
{
  return level->singular;
}

ONE void hymgi_apply(const ONE_LEVEL *level, const double *x, double *y)
{
  *y = level->a.apply(*x);
}

ONE double hymgi_norm_max(const ONE_LEVEL *, const double *x)
{
  return fabs(*x);
}

/* An exact sum of one term: the term, or NaN where that is not finite; -0 becomes 0. */
ONE double hymgi_dot(const ONE_LEVEL *, const double *x, const double *y)
{
  const double term = y ? *x * *y : *x;
  return isfinite(term) ? term + 0. : (double)NAN;
}

ONE void hymgi_dots(const ONE_LEVEL *level, int, const double *const *x, const double *const *y,
                    double *dots)
{
  for (int m = 0; m < 2; m++)
    dots[m] = hymgi_dot(level, x[m], y[m]);
}

ONE void hymgi_fill(const ONE_LEVEL *, double value, double *x)
{
  *x = value;
}

ONE void hymgi_axpby(const ONE_LEVEL *, double a, const double *x, double b, const double *y,
                     double *z)
{
  *z = hymgi_fma(a, *x, b * *y);
}

ONE void hymgi_copy_vector(const ONE_LEVEL *, const double *x, double *y)
{
  *y = *x;
}

ONE void hymgi_remove_mean(const ONE_LEVEL *level, double *x)
{
  *x += -hymgi_dot(level, x, (const double *)NULL);
}

ONE void hymgi_precondition(const ONE_LEVEL *level, const double *r, double *z)
{
  *z = level->a.scaled(*r);
}

#undef ONE
#undef ONE_LEVEL

/* By a warp: x from f, both in the arena. */
template <typename OPERATOR>
__device__ __forceinline__ void solve_one(bool singular, const OPERATOR &a, const coarse_level &t,
                                          hymg_bottom bottom)
{
  double vector[7], target;
  krylov_one<OPERATOR> level = {vector, vector + 1, vector + 2, a, singular};
  double *const arena = coarse_arena() + t.ghost * (1 + t.row + t.plane);
  *level.f = arena[t.f_at];
  if (begin_bottom(&level, &target)) {
    if (bottom == HYMG_CG)
      cg(&level, target);
    else
      bicgstab(&level, target);
  }
  if (thread_of() == 0) arena[t.x_at] = *level.x;
}

} /* namespace */

#endif
