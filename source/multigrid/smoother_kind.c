#include "multigrid/smoother_kind.h"

static void equal(double weight, double weights[2 * HYMGI_DEGREE])
{
  for (int s = 0; s < HYMGI_DEGREE; s++)
    weights[2 * s] = 0, weights[2 * s + 1] = weight;
}

static void whole(double bound, double weights[2 * HYMGI_DEGREE])
{
  (void)bound;
  equal(1, weights);
}

static void damped(double bound, double weights[2 * HYMGI_DEGREE])
{
  (void)bound;
  equal(2. / 3, weights);
}

/* The three-term recurrence on [L/8, L]. */
static void chebyshev(double L, double weights[2 * HYMGI_DEGREE])
{
  const double theta = 0.5 * (L + L / 8), delta = 0.5 * (L - L / 8), sigma = theta / delta;
  double rho = 1 / sigma;
  weights[0] = 0;
  weights[1] = 1 / theta;
  for (int s = 1; s < HYMGI_DEGREE; s++) {
    const double next = 1 / (2 * sigma - rho);
    weights[2 * s] = next * rho;
    weights[2 * s + 1] = 2 * next / delta;
    rho = next;
  }
}

const hymgi_smoother_kind *hymgi_smoother_kind_of(hymg_smoother smoother)
{
  static const hymgi_smoother_kind rows[] = {
      [HYMG_GSRB] = {.multiple = 2, .weights = whole},
      [HYMG_CHEBYSHEV] = {.multiple = HYMGI_DEGREE, .momentum = true, .weights = chebyshev},
      [HYMG_JACOBI] = {.multiple = 1, .weights = damped},
      [HYMG_L1JACOBI] = {.multiple = 1, .weights = whole},
      [HYMG_SYMGS] = {.multiple = 2, .weights = whole},
  };
  return rows + smoother;
}
