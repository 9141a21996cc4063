/* The list of level operations that have rows in the table. Vector operations combine x and f into
 * out, or reduce them. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

#define ALPHA 0.75
#define BETA  -1.25

const char *const kernels_smoother_names[] = {"gsrb",     "chebyshev", "jacobi",
                                              "l1jacobi", "symgs",     NULL};

const char *kernels_stencil_name(hymg_stencil stencil)
{
  return stencil == HYMG_FV2 ? "fv2" : "fv4";
}

/* ---- the library's ---- */

#define RUN(name, call)                                                                            \
  static void run_##name(kernels_kit *k)                                                           \
  {                                                                                                \
    call;                                                                                          \
  }

/* Not an operation of its own: what smooth+restrict adds to smooth if they are separate passes. */
static void residual_restrict(kernels_kit *k)
{
  const bool gsrb = k->solver->h.method.smoother == HYMG_GSRB;
  k->fine->backend->residual_restrict(k->fine, gsrb ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY,
                                      k->coarse->f, NULL);
}

static void interpolate(kernels_kit *k, int order, bool set)
{
  hymgi_method *const m = &k->solver->h.method;
  m->interpolation_v = m->interpolation_f = order;
  hymgi_interpolate(k->coarse, k->fine, set, false);
}

RUN(smooth, hymgi_smooth(k->fine))
RUN(smooth_restrict, hymgi_smooth_restrict(k->fine, k->coarse, false))
RUN(apply, hymgi_apply(k->fine, k->fine->x, k->out->data))
RUN(residual, hymgi_residual(k->fine, k->fine->f, k->fine->x, k->out->data))
RUN(residual_norm, k->number = hymgi_residual_norm(k->fine, k->fine->f, k->fine->x))
RUN(restrict, hymgi_restrict_cells(k->fine, k->fine->x, k->coarse, k->coarse->f))
RUN(v2_add, interpolate(k, HYMGI_GHOSTS_V2, false))
RUN(v2_set, interpolate(k, HYMGI_GHOSTS_V2, true))
RUN(v4_add, interpolate(k, HYMGI_GHOSTS_V4, false))
RUN(v4_set, interpolate(k, HYMGI_GHOSTS_V4, true))
RUN(fill, hymgi_fill(k->fine, ALPHA, k->out->data))
RUN(copy, hymgi_copy_vector(k->fine, k->fine->x, k->out->data))
RUN(axpby, hymgi_axpby(k->fine, ALPHA, k->fine->x, BETA, k->fine->f, k->out->data))
RUN(shift, hymgi_shift(k->fine, ALPHA, k->fine->x))
RUN(precondition, hymgi_precondition(k->fine, k->fine->f, k->out->data))
RUN(max, k->number = hymgi_norm_max(k->fine, k->fine->x))
RUN(dot, k->number = hymgi_dot(k->fine, k->fine->x, k->fine->f))
RUN(mean, k->number = hymgi_mean(k->fine, k->fine->x))

/* ---- slow counterparts ---- */

static ptrdiff_t cells(const kernels_slow *s)
{
  return (ptrdiff_t)s->problem->n * s->problem->n * s->problem->n;
}

/* Out of x and f, cell by cell. */
#define CELLS(name, value)                                                                         \
  static bool slow_##name(const kernels_slow *s, double *out)                                      \
  {                                                                                                \
    for (ptrdiff_t i = 0; i < cells(s); i++)                                                       \
      out[i] = (value);                                                                            \
    return true;                                                                                   \
  }

CELLS(fill, ALPHA)
CELLS(copy, s->x[i])
CELLS(axpby, ALPHA * s->x[i] + BETA * s->f[i])
CELLS(shift, s->x[i] + ALPHA)

/* Sets out, or adds to x. */
#define INTERPOLATE(name, order, value)                                                            \
  static bool slow_##name(const kernels_slow *s, double *out)                                      \
  {                                                                                                \
    const bool ok = kernels_slow_interpolate(s, order, out);                                       \
    for (ptrdiff_t i = 0; i < cells(s) && ok; i++)                                                 \
      out[i] = (value);                                                                            \
    return ok;                                                                                     \
  }

INTERPOLATE(v2_set, 2, out[i])
INTERPOLATE(v2_add, 2, s->x[i] + out[i])
INTERPOLATE(v4_set, 4, out[i])
INTERPOLATE(v4_add, 4, s->x[i] + out[i])

static double largest(ptrdiff_t count, const double *x)
{
  double max = 0;
  for (ptrdiff_t i = 0; i < count; i++)
    max = fmax(max, fabs(x[i]));
  return max;
}

static bool slow_residual_norm(const kernels_slow *s, double *out)
{
  double *r = malloc((size_t)cells(s) * sizeof *r);
  const bool ok = r && kernels_slow_residual(s, r);
  if (ok) *out = largest(cells(s), r);
  free(r);
  return ok;
}

static bool slow_max(const kernels_slow *s, double *out)
{
  *out = largest(cells(s), s->x);
  return true;
}

static bool slow_dot(const kernels_slow *s, double *out)
{
  long double sum = 0;
  for (ptrdiff_t i = 0; i < cells(s); i++)
    sum += (long double)s->x[i] * s->f[i];
  *out = (double)sum;
  return true;
}

static bool slow_mean(const kernels_slow *s, double *out)
{
  long double sum = 0;
  for (ptrdiff_t i = 0; i < cells(s); i++)
    sum += s->x[i];
  *out = (double)(sum / (long double)cells(s));
  return true;
}

const kernels_operation kernels_smooth = {
    .name = "smooth", .run = run_smooth, .target = KERNELS_IN_X};

const kernels_operation kernels_smooth_restrict = {
    .name = "smooth+restrict", .run = run_smooth_restrict, .target = KERNELS_IN_COARSE};

const kernels_operation kernels_operations[] = {
    {"apply", run_apply, kernels_slow_apply, KERNELS_IN_OUT, 0, 0},
    {"residual", run_residual, kernels_slow_residual, KERNELS_IN_OUT, 0, 0},
    {"residual norm", run_residual_norm, slow_residual_norm, KERNELS_IN_NUMBER, 0, 0},
    {"residual+restrict", residual_restrict, kernels_slow_residual_restrict, KERNELS_IN_COARSE,
     KERNELS_SMOOTHED, 2.125},
    {"restrict", run_restrict, kernels_slow_restrict, KERNELS_IN_COARSE, KERNELS_ANY_OPERATOR, 0},
    {"interpolate v2 add", run_v2_add, slow_v2_add, KERNELS_IN_X, KERNELS_ANY_OPERATOR, 0},
    {"interpolate v2 set", run_v2_set, slow_v2_set, KERNELS_IN_X, KERNELS_ANY_OPERATOR, 0},
    {"interpolate v4 add", run_v4_add, slow_v4_add, KERNELS_IN_X,
     KERNELS_ANY_OPERATOR | KERNELS_FV4_ONLY, 0},
    {"interpolate v4 set", run_v4_set, slow_v4_set, KERNELS_IN_X,
     KERNELS_ANY_OPERATOR | KERNELS_FV4_ONLY, 0},
    {"precondition", run_precondition, NULL, KERNELS_IN_OUT, 0, 0},
    {"fill", run_fill, slow_fill, KERNELS_IN_OUT, KERNELS_ANY_OPERATOR, 0},
    {"copy", run_copy, slow_copy, KERNELS_IN_OUT, KERNELS_ANY_OPERATOR, 2},
    {"axpby", run_axpby, slow_axpby, KERNELS_IN_OUT, KERNELS_ANY_OPERATOR, 0},
    {"shift", run_shift, slow_shift, KERNELS_IN_X, KERNELS_ANY_OPERATOR, 0},
    {"max", run_max, slow_max, KERNELS_IN_NUMBER, KERNELS_ANY_OPERATOR, 0},
    {"dot", run_dot, slow_dot, KERNELS_IN_NUMBER, KERNELS_ANY_OPERATOR, 0},
    {"mean", run_mean, slow_mean, KERNELS_IN_NUMBER, KERNELS_ANY_OPERATOR, 0},
};
const int kernels_num_operations = sizeof kernels_operations / sizeof *kernels_operations;
