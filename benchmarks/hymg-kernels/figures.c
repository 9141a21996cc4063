/* Speeds of other programs on one H200 and our goals, in DOF/s. benchmarks/README.md gives the
 * sources. */
#include <math.h>

#include "hymg-kernels/kernels.h"

enum { SIZES = 4 };

static const int sides[SIZES] = {64, 128, 256, 512};

/* One F-cycle of the CUDA port of HPGMG-FV, by smoother (gsrb, chebyshev) and stencil; our goals
 * with gsrb. */
static const double port[2][2][SIZES] = {
    {{0.079e9, 0.387e9, 1.38e9, 2.31e9}, {0.070e9, 0.308e9, 0.941e9, 1.57e9}},
    {{0.072e9, 0.363e9, 1.19e9, 2.07e9}, {0.059e9, 0.268e9, 0.862e9, 1.47e9}}};
static const double cycle_goal[2][SIZES] = {{0.75e9, 2.6e9, 5.0e9, 6.2e9},
                                            {0.35e9, 1.3e9, 2.8e9, 3.6e9}};

/* FV2 to 1e-8 with constant and with variable beta; hypre's figures are with variable beta. */
static const double amrex[2][SIZES] = {{0.014e9, 0.086e9, 0.323e9, 0.59e9},
                                       {0.014e9, 0.075e9, 0.215e9, 0.30e9}};
static const double hypre[SIZES] = {0.024e9, 0.117e9, 0.286e9, 0.335e9};
static const double solve_goal[SIZES] = {0.15e9, 0.45e9, 0.9e9, 1.2e9};

/* SIZES if there are no figures for this size. */
static int size_of(int n)
{
  int m = 0;
  while (m < SIZES && sides[m] != n)
    m++;
  return m;
}

kernels_figures kernels_cycle_figures(hymg_stencil stencil, hymg_smoother smoother, int n)
{
  const int m = size_of(n);
  kernels_figures f = {NAN, NAN};
  if (m == SIZES || smoother > HYMG_CHEBYSHEV) return f;
  f.port = port[smoother][stencil][m];
  f.goal = cycle_goal[stencil][m] * (f.port / port[HYMG_GSRB][stencil][m]);
  return f;
}

kernels_solve_figures kernels_figures_to_1e8(hymg_stencil stencil, bool variable, int n)
{
  const int m = size_of(n);
  kernels_solve_figures f = {NAN, NAN, NAN};
  if (m == SIZES || stencil != HYMG_FV2) return f;
  f.amrex = amrex[variable][m];
  if (variable) f.hypre = hypre[m], f.goal = solve_goal[m];
  return f;
}
