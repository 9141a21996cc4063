/* The bottom solvers: A x = f on the coarsest level from x = 0 until max |r| <= 1e-3 max |f| (less
 * for the coarse matrices), at most 200 iterations. BiCGStab (van der Vorst 1992; preconditioned from
 * the right) and CG (Hestenes, Stiefel 1952), both with D^-1 as preconditioner; krylov.c has the smoother,
 * avoiding.h two more. A breakdown ends the solve with the current iterate. Bottom problems are tiny and
 * are solved often: the first iteration reads f in place of r and p, which saves copies.
 *
 * Written once for all backends. The includer defines KRYLOV_METHOD (how functions are declared, which may
 * be templates of any type krylov_level), krylov_level (with x and f), the level operations of level_ops.h
 * for it, and
 *   double *hymgi_krylov_vector(level, i): scratch vector i
 *   bool krylov_singular(level)
 *   double krylov_goal(level): max |r| / max |f| at which to stop
 * If several threads work on a level, all of them execute this code in lockstep. */
#ifndef HYMGI_MULTIGRID_KRYLOV_METHODS_H
#define HYMGI_MULTIGRID_KRYLOV_METHODS_H

#include "multigrid/krylov/krylov.h"

/* The first r: f itself or, for a singular operator, a copy without the mean, which is not in
 * its range. */
KRYLOV_METHOD const double *first_residual(const krylov_level *level, double *copy)
{
  if (!krylov_singular(level)) return level->f;
  hymgi_copy_vector(level, level->f, copy);
  hymgi_remove_mean(level, copy);
  return copy;
}

/* r = from - step * change; returns max |r|. */
KRYLOV_METHOD double next_residual(const krylov_level *level, const double *from, double step,
                                   const double *change, double *r)
{
  hymgi_axpby(level, 1.0, from, -step, change, r);
  if (krylov_singular(level)) hymgi_remove_mean(level, r);
  return hymgi_norm_max(level, r);
}

/* z = A D^-1 r with D^-1 r in q */
KRYLOV_METHOD void apply_preconditioned(const krylov_level *level, const double *r, double *q,
                                        double *z)
{
  hymgi_precondition(level, r, q);
  hymgi_apply(level, q, z);
}

/* BiCGStab; also tests the residual after the half step, s = r - alpha A D^-1 p. The shadow
 * residual is f. */
KRYLOV_METHOD void bicgstab(krylov_level *level, double target)
{
  const double *f = level->f;
  double *x = level->x, *r = hymgi_krylov_vector(level, 0), *p = hymgi_krylov_vector(level, 1);
  double *q = hymgi_krylov_vector(level, 2), *ap = hymgi_krylov_vector(level, 3);
  double *as = hymgi_krylov_vector(level, 4);
  const double *r_now = first_residual(level, p), *p_now = r_now;
  double rho = hymgi_dot(level, r_now, f);
  for (int i = 0; i < HYMGI_BOTTOM_ITERATIONS; i++) {
    apply_preconditioned(level, p_now, q, ap);
    const double projection = hymgi_dot(level, ap, f);
    const double alpha = rho / projection;
    if (!hymgi_krylov_usable(projection) || !hymgi_krylov_usable(alpha)) return;
    hymgi_axpby(level, 1.0, x, alpha, q, x);
    if (!(next_residual(level, r_now, alpha, ap, r) > target)) return;
    r_now = r;

    apply_preconditioned(level, r, q, as);
    const double *const left[2] = {as, as}, *const right[2] = {as, r};
    double dots[2];
    hymgi_dots(level, 2, left, right, dots);
    const double square = dots[0], omega = dots[1] / square;
    if (!hymgi_krylov_usable(square) || !hymgi_krylov_usable(omega)) return;
    hymgi_axpby(level, 1.0, x, omega, q, x);
    if (!(next_residual(level, r, omega, as, r) > target)) return;

    const double rho_new = hymgi_dot(level, r, f);
    const double beta = rho_new / rho * (alpha / omega);
    if (!hymgi_krylov_usable(beta)) return;
    hymgi_axpby(level, 1.0, p_now, -omega, ap, p);
    hymgi_axpby(level, 1.0, r, beta, p, p);
    p_now = p;
    rho = rho_new;
  }
}

KRYLOV_METHOD void cg(krylov_level *level, double target)
{
  double *x = level->x, *r = hymgi_krylov_vector(level, 0), *p = hymgi_krylov_vector(level, 1);
  double *z = hymgi_krylov_vector(level, 2); /* A p, then D^-1 r */
  const double *r_now = first_residual(level, r);
  hymgi_precondition(level, r_now, p);
  double rho = hymgi_dot(level, r_now, p);
  for (int i = 0; i < HYMGI_BOTTOM_ITERATIONS; i++) {
    hymgi_apply(level, p, z);
    const double energy = hymgi_dot(level, p, z);
    const double alpha = rho / energy;
    if (!hymgi_krylov_usable(energy) || !hymgi_krylov_usable(alpha)) return;
    hymgi_axpby(level, 1.0, x, alpha, p, x);
    if (!(next_residual(level, r_now, alpha, z, r) > target)) return;
    r_now = r;
    hymgi_precondition(level, r, z);
    const double rho_new = hymgi_dot(level, r, z);
    const double beta = rho_new / rho;
    if (!hymgi_krylov_usable(beta)) return;
    hymgi_axpby(level, 1.0, z, beta, p, p);
    rho = rho_new;
  }
}

/* Sets the initial x and the target for max |r|; false if x is the result already. */
KRYLOV_METHOD bool begin_bottom(const krylov_level *level, double *target)
{
  const double norm = hymgi_norm_max(level, level->f);
  /* the NaN becomes visible to the caller */
  hymgi_fill(level, isfinite(norm) ? 0.0 : (double)NAN, level->x);
  *target = krylov_goal(level) * norm;
  return isfinite(norm) && norm != 0.0;
}

#endif
