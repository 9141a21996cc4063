/* The bottom solvers (multigrid/krylov/methods.h) on a coarsest level of one cell, for FV2 where no boundary has a
 * ghost. All threads of a warp do the same, in registers. */
#ifndef HYMGI_COARSE_ONE_CELL_CUH
#define HYMGI_COARSE_ONE_CELL_CUH

#include "coarse/bottom.cuh"
#include "device/fast_division.cuh"

namespace
{

struct krylov_one {
  bool has_alpha, singular;
  double alpha;
  fv2_betas b;
  divisors<1> diagonal;
  double *x, *f, *vector;
};

/* Is that right for the coarsest level? */
inline bool is_one_cell(const coarse_level &t)
{
  for (int face = 0; face < 6; face++)
    if (t.boundary_ghost[face] != 0) return false;
  return t.cells == 1 && !t.periodic;
}

#define ONE __device__ __forceinline__

ONE double *hymgi_krylov_vector(const krylov_one *level, int i)
{
  return level->vector + i;
}

ONE bool krylov_singular(const krylov_one *level)
{
  return level->singular;
}

/* any: the first iteration solves it */
ONE double krylov_goal(const krylov_one *)
{
  return HYMGI_BOTTOM_GOAL;
}

ONE void hymgi_apply(const krylov_one *level, const double *x, double *y)
{
  operator_view o = {};
  o.has_alpha = level->has_alpha;
  *y = fv2_apply(o, level->b, {*x, 0, 0, 0, 0, 0, 0}, level->alpha);
}

ONE double hymgi_norm_max(const krylov_one *, const double *x)
{
  return fabs(*x);
}

/* An exact sum of one term: the term, or NaN where that is not finite; -0 becomes 0. */
ONE double hymgi_dot(const krylov_one *, const double *x, const double *y)
{
  const double term = y ? *x * *y : *x;
  return isfinite(term) ? term + 0. : (double)NAN;
}

ONE void hymgi_dots(const krylov_one *level, int, const double *const *x, const double *const *y,
                    double *dots)
{
  for (int m = 0; m < 2; m++)
    dots[m] = hymgi_dot(level, x[m], y[m]);
}

ONE void hymgi_fill(const krylov_one *, double value, double *x)
{
  *x = value;
}

ONE void hymgi_axpby(const krylov_one *, double a, const double *x, double b, const double *y,
                     double *z)
{
  *z = hymgi_fma(a, *x, b * *y);
}

ONE void hymgi_copy_vector(const krylov_one *, const double *x, double *y)
{
  *y = *x;
}

ONE void hymgi_remove_mean(const krylov_one *level, double *x)
{
  *x += -hymgi_dot(level, x, (const double *)NULL);
}

ONE void hymgi_precondition(const krylov_one *level, const double *r, double *z)
{
  *z = level->diagonal.quotients({{*r}}, true).at[0];
}

#undef ONE

/* By a warp: x from f, both in the arena. */
__device__ __forceinline__ void solve_one(krylov_one level, const coarse_level &t,
                                          hymg_bottom bottom)
{
  double vector[7], target;
  double *const arena = coarse_arena() + t.ghost * (1 + t.row + t.plane);
  level.x = vector;
  level.f = vector + 1;
  level.vector = vector + 2;
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
