/* Published digits of HPGMG-FV on a CPU (gsrb, Poisson, `fv` unless said): both the oracle and the
 * library must give them. A 0 ends a history; a 0 norm is not published. */
#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include "hymg.h"

typedef struct reference {
  const char *name;
  hymg_stencil stencil;
  hymg_boundary boundary;
  int n, extrapolation_box;
  hymg_method method;
  hymg_smoother smoother;
  double relative[6];            /* max|r| / max|f| after each cycle */
  double max, rms, error, order; /* of u after one F-cycle; Richardson */
} reference;

static const reference references[] = {
    {"64^3 fv2",
     HYMG_FV2,
     HYMG_DIRICHLET,
     64,
     32,
     HYMG_MG,
     HYMG_GSRB,
     {2.585761839483122e-03, 1.204957626533381e-04, 5.898809933417335e-06, 3.102505045287760e-07},
     3.082063431163897e-03,
     5.236801501257819e-04,
     3.829371121658954e-05,
     1.6139},
    {"64^3 fv4",
     HYMG_FV4,
     HYMG_DIRICHLET,
     64,
     32,
     HYMG_MG,
     HYMG_GSRB,
     {7.171390379853763e-05, 1.026010913168883e-06, 1.498618237870298e-08, 2.288180301489278e-10},
     3.069588121297921e-03,
     5.230769359517604e-04,
     2.889820931067759e-06,
     3.2468},
    {"48^3 fv2",
     HYMG_FV2,
     HYMG_DIRICHLET,
     48,
     16,
     HYMG_MG,
     HYMG_GSRB,
     {3.542844633688294e-03},
     3.051235792227484e-03,
     0.0,
     0.0,
     0.0},
    {"48^3 fv4",
     HYMG_FV4,
     HYMG_DIRICHLET,
     48,
     16,
     HYMG_MG,
     HYMG_GSRB,
     {2.103418030528029e-04},
     3.029389811174169e-03,
     0.0,
     0.0,
     0.0},
    {"64^3 fv2 periodic",
     HYMG_FV2,
     HYMG_PERIODIC,
     64,
     32,
     HYMG_MG,
     HYMG_GSRB,
     {0.0},
     3.055139824816028e-03,
     0.0,
     0.0,
     0.0},
    {"64^3 fv4 periodic",
     HYMG_FV4,
     HYMG_PERIODIC,
     64,
     32,
     HYMG_MG,
     HYMG_GSRB,
     {7.148483061178827e-05, 1.029581953101021e-06, 1.527619841591973e-08},
     3.042692393762547e-03,
     0.0,
     0.0,
     0.0},
    {"64^3 fv2 mgpcg",
     HYMG_FV2,
     HYMG_DIRICHLET,
     64,
     32,
     HYMG_MGPCG,
     HYMG_GSRB,
     {4.558680e-02, 1.636082e-03, 3.870389e-06, 2.9604e-07},
     0.0,
     0.0,
     0.0,
     0.0},
    {"64^3 fv4 mgpcg",
     HYMG_FV4,
     HYMG_DIRICHLET,
     64,
     32,
     HYMG_MGPCG,
     HYMG_GSRB,
     {2.607997e-02, 5.358594e-04, 7.389747e-06, 3.4625e-07, 1.7375e-08},
     0.0,
     0.0,
     0.0,
     0.0},
    {"64^3 fv4 mgpcg chebyshev",
     HYMG_FV4,
     HYMG_DIRICHLET,
     64,
     32,
     HYMG_MGPCG,
     HYMG_CHEBYSHEV,
     {6.705880e-03, 3.326439e-05, 1.815121e-07},
     0.0,
     0.0,
     0.0,
     0.0},
};
#define NUM_REFERENCES ((int)(sizeof references / sizeof *references))

static inline int reference_length(const reference *r)
{
  int n = 0;
  while (n < 6 && r->relative[n] != 0.0)
    n++;
  return n;
}

/* The first residual of a multigrid history 1e-9; later ones 1e-4 as the noise of 1e-14 max|f|
 * grows against them (2e-4 where only five digits are published); mgpcg's as far as its digits go.
 */
static inline double reference_tolerance(const reference *r, int cycle)
{
  if (r->method != HYMG_MGPCG) return cycle == 0 ? 1e-9 : 1e-4;
  return cycle < 3 ? 2e-7 : 2e-4;
}

/* Gershgorin bounds at 64^3, `fv`, Dirichlet, fine to coarse. */
static const double reference_lambda_fv2[7] = {2, 2, 2, 2, 2, 4.0 / 3.0, 1};
static const double reference_lambda_fv4[6] = {2.22338738253493, 2.22379391955860, 2.22627420921058,
                                               2.23045624255158, 2.23289510711275, 1.3758865248227};

/* p6, Poisson, Dirichlet, 64^3: max error after one F-cycle at h, 2h, 4h; fv4's residual. */
static const double reference_p6_fv2[3] = {4.253579440e-07, 1.688299768e-06, 6.612508527e-06};
static const double reference_p6_fv4[3] = {6.416739e-10, 1.0643835e-08, 1.6941868e-07};
static const double reference_p6_fv4_relative = 2.24084297e-05;

#endif
