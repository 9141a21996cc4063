/* The bottom solvers (krylov_methods.h) on a coarsest level of one cell. All threads of a warp do the
 * same, in registers. */
#ifndef HYMGI_COARSE_ONE_CELL_CUH
#define HYMGI_COARSE_ONE_CELL_CUH

#include "coarse/bottom.cuh"

namespace
{

/* FV2, where no boundary has a ghost: the only neighbour is the cell itself, across periodic axes. */
struct krylov_one {
  double *x, *f, *vector;
  fv2_betas b;
  operator_view o;
  double alpha;
  hymgi_divisor diagonal;
  int x_at, f_at; /* positions in the arena */
  bool periodic[3], singular;

  __device__ __forceinline__ void load(const hymgi_method &m, const coarse_level &t)
  {
    const double *const beta = t.coefficients + COARSE_BETA;
    const coarse_cell cell = entry_at(t.cell);
    o = {};
    o.has_alpha = m.has_alpha;
    b = {__ldg(beta),     __ldg(beta + 1), __ldg(beta + 2),
         __ldg(beta + 3), __ldg(beta + 4), __ldg(beta + 5)};
    alpha = o.has_alpha ? __ldg(t.coefficients + COARSE_ALPHA) : 0;
    diagonal = hymgi_divisor_of(fv2_diagonal(o, b, alpha));
    x_at = t.x_at + cell.at;
    f_at = t.f_at + cell.at;
    for (int axis = 0; axis < 3; axis++)
      periodic[axis] = cell.sides >> (6 + 2 * axis) & 1;
    singular = m.singular;
  }
};

/* Is krylov_one right for the coarsest level? */
inline bool reads_no_ghost(const coarse_level &t)
{
  for (int face = 0; face < 6; face++)
    if (t.boundary_ghost[face] != 0) return false;
  return t.cells == 1;
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

ONE void hymgi_apply(const krylov_one *level, const double *x, double *y)
{
  const bool *const p = level->periodic;
  const double along[3] = {p[0] ? *x : 0, p[1] ? *x : 0, p[2] ? *x : 0};
  const fv2_values v = {*x, along[0], along[0], along[1], along[1], along[2], along[2]};
  *y = fv2_apply(level->o, level->b, v, level->alpha);
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
  *z = hymgi_quotient(*r, &level->diagonal);
}

#undef ONE

/* By a warp: x from f, both in the arena. */
__device__ __forceinline__ void solve_one(krylov_one *level, hymg_bottom bottom)
{
  double vector[7], target;
  level->x = vector;
  level->f = vector + 1;
  level->vector = vector + 2;
  *level->f = coarse_arena()[level->f_at];
  if (begin_bottom(level, &target)) {
    if (bottom == HYMG_CG)
      cg(level, target);
    else
      bicgstab(level, target);
  }
  if (thread_of() == 0) coarse_arena()[level->x_at] = *level->x;
}

} /* namespace */

#endif
