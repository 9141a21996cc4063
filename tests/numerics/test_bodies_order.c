/* Bodies with an exact solution: u = sin(2 x + 0.3) cos(1.5 y) + x e^z + y^2 / 2 around and inside of a sphere, with each
 * condition on it, its data on the domain's walls, and a variable beta. Orders of u and of the fluxes, and what flows in
 * and out. docs/numerics.md has a table of them. */
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double centre[3] = {0.513, 0.487, 0.529}, radius = 0.291;

typedef struct setting {
  hymg_boundary condition;
  double robin_alpha, robin_beta;
  bool inside, variable;
} setting;

static double solution(const double p[3])
{
  return sin(2 * p[0] + 0.3) * cos(1.5 * p[1]) + p[0] * exp(p[2]) + p[1] * p[1] / 2;
}

static void gradient(const double p[3], double g[3])
{
  g[0] = 2 * cos(2 * p[0] + 0.3) * cos(1.5 * p[1]) + exp(p[2]);
  g[1] = -1.5 * sin(2 * p[0] + 0.3) * sin(1.5 * p[1]) + p[1];
  g[2] = p[0] * exp(p[2]);
}

static double beta_of(const setting *s, const double p[3])
{
  return s->variable ? 1 + 0.5 * p[0] + 0.3 * p[1] * p[2] : 1;
}

static double rhs(const setting *s, const double p[3])
{
  double g[3];
  gradient(p, g);
  const double laplacian = -6.25 * sin(2 * p[0] + 0.3) * cos(1.5 * p[1]) + p[0] * exp(p[2]) + 1;
  const double with_beta = s->variable ? 0.5 * g[0] + 0.3 * (p[2] * g[1] + p[1] * g[2]) : 0;
  return -beta_of(s, p) * laplacian - with_beta;
}

static double distance(const setting *s, const double p[3])
{
  const double r =
      sqrt(pow(p[0] - centre[0], 2) + pow(p[1] - centre[1], 2) + pow(p[2] - centre[2], 2));
  return s->inside ? radius - r : r - radius;
}

/* The data at the nearest point of the sphere. */
static double data_at(const setting *s, const double p[3])
{
  const double sign = s->inside ? -1 : 1, r = sign * distance(s, p) + radius;
  double foot[3], g[3], derivative = 0;
  for (int axis = 0; axis < 3; axis++)
    foot[axis] = centre[axis] + (p[axis] - centre[axis]) * radius / r;
  gradient(foot, g);
  for (int axis = 0; axis < 3; axis++)
    derivative -= sign * g[axis] * (p[axis] - centre[axis]) / r;
  if (s->condition == HYMG_DIRICHLET) return solution(foot);
  if (s->condition == HYMG_NEUMANN) return beta_of(s, foot) * derivative;
  return s->robin_alpha * solution(foot) + s->robin_beta * derivative;
}

/* ---- fields of functions ---- */

typedef struct bench {
  int n;
  const setting *s;
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *alpha, *beta[3], *area[3], *flux[3], *volume, *weight, *source, *value, *f, *u,
      *wall[6];
  hymg_operator *op;
  hymg_solver *solver;
} bench;

typedef double function(const setting *s, const double p[3]);

static double exact(const setting *s, const double p[3])
{
  (void)s;
  return solution(p);
}

static void extent(int n, hymg_centering centering, int v[3])
{
  for (int axis = 0; axis < 3; axis++)
    v[axis] = (int)centering == 1 + axis                                  ? n + 1
              : (int)centering / 2 - 2 == axis && centering > HYMG_FACE_Z ? 1
                                                                          : n;
}

/* Centres of cells, faces or boundary faces. */
static void place_of(int n, hymg_centering centering, const int at[3], double p[3])
{
  for (int axis = 0; axis < 3; axis++) {
    p[axis] = (at[axis] + 0.5) / n;
    if ((int)centering == 1 + axis) p[axis] = (double)at[axis] / n;
    if (centering > HYMG_FACE_Z && (int)centering / 2 - 2 == axis) p[axis] = (int)centering % 2;
  }
}

static double *values_of(const bench *b, hymg_centering centering, function *value, size_t *count)
{
  int v[3];
  extent(b->n, centering, v);
  *count = (size_t)v[0] * (size_t)v[1] * (size_t)v[2];
  double *values = support_poison(*count);
  for (size_t m = 0; m < *count; m++) {
    const int at[3] = {(int)(m % (size_t)v[0]), (int)(m / (size_t)v[0] % (size_t)v[1]),
                       (int)(m / (size_t)v[0] / (size_t)v[1])};
    double p[3];
    place_of(b->n, centering, at, p);
    values[m] = value(b->s, p);
  }
  return values;
}

/* value NULL: zeros */
static hymg_field *field_of(const bench *b, hymg_centering centering, function *value)
{
  hymg_field *field = NULL;
  OK(b->context, hymg_field_create(b->grid, NULL, centering, HYMG_DOUBLE, &field));
  if (!value) return field;
  size_t count;
  int v[3];
  extent(b->n, centering, v);
  double *values = values_of(b, centering, value, &count);
  OK(b->context,
     hymg_field_write(field, (const int[3]){0, 0, 0}, v,
                      (const ptrdiff_t[3]){1, v[0], (ptrdiff_t)v[0] * v[1]}, values, HYMG_HOST));
  free(values);
  return field;
}

static double *read_field(const bench *b, hymg_centering centering, const hymg_field *field,
                          size_t *count)
{
  int v[3];
  extent(b->n, centering, v);
  *count = (size_t)v[0] * (size_t)v[1] * (size_t)v[2];
  double *values = support_poison(*count);
  OK(b->context,
     hymg_field_read(field, (const int[3]){0, 0, 0}, v,
                     (const ptrdiff_t[3]){1, v[0], (ptrdiff_t)v[0] * v[1]}, values, HYMG_HOST));
  return values;
}

static void make_fractions(bench *b)
{
  const int v[3] = {b->n + 1, b->n + 1, b->n + 1};
  double *d = support_poison((size_t)v[0] * (size_t)v[0] * (size_t)v[0]);
  for (int k = 0; k < v[2]; k++)
    for (int j = 0; j < v[1]; j++)
      for (int i = 0; i < v[0]; i++)
        d[i + v[0] * (j + v[1] * k)] =
            distance(b->s, (const double[3]){(double)i / b->n, (double)j / b->n, (double)k / b->n});
  OK(b->context, hymg_body_fractions((const int[3]){0, 0, 0}, v,
                                     (const ptrdiff_t[3]){1, v[0], (ptrdiff_t)v[0] * v[0]}, d,
                                     b->volume, b->area));
  free(d);
}

static void make_coefficients(bench *b)
{
  hymg_body body = hymg_body_default();
  body.condition = b->s->condition;
  body.volume = b->volume, body.value = b->value;
  body.robin_alpha_constant = b->s->robin_alpha, body.robin_beta_constant = b->s->robin_beta;
  for (int axis = 0; axis < 3; axis++)
    body.area[axis] = b->area[axis];
  OK(b->context, hymg_body_coefficients(&body, 1, 1, b->alpha, b->beta, b->weight, b->source));
  OK(b->context, hymg_body_rhs(b->weight, b->source, b->f));
}

static bench open_bench(const setting *s, int n, hymg_stencil stencil)
{
  bench b = {.n = n, .s = s};
  hymg_grid_desc grid = hymg_grid_desc_default();
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  ck_assert_int_eq(hymg_context_create(NULL, &b.context), HYMG_OK);
  for (int axis = 0; axis < 3; axis++)
    grid.n[axis] = n, grid.spacing[axis] = 1. / n;
  OK(b.context, hymg_grid_create(b.context, &grid, &b.grid));
  b.alpha = field_of(&b, HYMG_CELL, NULL), b.volume = field_of(&b, HYMG_CELL, NULL);
  b.weight = field_of(&b, HYMG_CELL, NULL), b.source = field_of(&b, HYMG_CELL, NULL);
  b.value = field_of(&b, HYMG_CELL, data_at), b.f = field_of(&b, HYMG_CELL, rhs);
  b.u = field_of(&b, HYMG_CELL, NULL);
  for (int axis = 0; axis < 3; axis++) {
    b.beta[axis] = field_of(&b, (hymg_centering)(1 + axis), beta_of);
    b.area[axis] = field_of(&b, (hymg_centering)(1 + axis), NULL);
    b.flux[axis] = field_of(&b, (hymg_centering)(1 + axis), NULL);
  }
  make_fractions(&b);
  make_coefficients(&b);
  desc.a = 1, desc.alpha = b.alpha;
  desc.stencil = stencil;
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = b.beta[axis];
  for (int side = 0; side < 6; side++)
    desc.boundary_data[side] = b.wall[side] = field_of(&b, (hymg_centering)(4 + side), exact);
  options.method = HYMG_MG, options.rtol = 1e-10, options.backend = support_backend();
  OK(b.context, hymg_operator_create(b.grid, &desc, &b.op));
  OK(b.context, hymg_solver_create(b.op, &options, &b.solver));
  return b;
}

static void close_bench(bench *b)
{
  hymg_solver_destroy(&b->solver);
  hymg_operator_destroy(&b->op);
  hymg_field *const cells[7] = {b->alpha, b->volume, b->weight, b->source, b->value, b->f, b->u};
  for (int m = 0; m < 7; m++)
    hymg_field_destroy(&(hymg_field *){cells[m]});
  for (int m = 0; m < 6; m++)
    hymg_field_destroy(&b->wall[m]);
  for (int axis = 0; axis < 3; axis++) {
    hymg_field_destroy(&b->beta[axis]);
    hymg_field_destroy(&b->area[axis]);
    hymg_field_destroy(&b->flux[axis]);
  }
  hymg_grid_destroy(&b->grid);
  hymg_context_destroy(&b->context);
}

/* ---- errors ---- */

typedef struct errors {
  double u_max, u_mean, flux_max, flux_mean;
} errors;

/* In cells with an unknown; mean: integral over the open parts. */
static void add_solution(const bench *b, errors *e)
{
  size_t count;
  double *u = read_field(b, HYMG_CELL, b->u, &count),
         *want = values_of(b, HYMG_CELL, exact, &count),
         *weight = read_field(b, HYMG_CELL, b->weight, &count),
         *volume = read_field(b, HYMG_CELL, b->volume, &count);
  for (size_t m = 0; m < count; m++) {
    if (weight[m] == 0) continue;
    e->u_max = fmax(e->u_max, fabs(u[m] - want[m]));
    e->u_mean += fabs(u[m] - want[m]) * volume[m] / (double)count;
  }
  free(u), free(want), free(weight), free(volume);
}

/* Through faces that are not closed, per unit of what is open (Dirichlet: of whole faces). */
static void add_fluxes(const bench *b, int axis, errors *e)
{
  const hymg_centering centering = (hymg_centering)(1 + axis);
  int v[3];
  size_t count;
  double *flux = read_field(b, centering, b->flux[axis], &count),
         *left = read_field(b, centering, b->beta[axis], &count),
         *whole = values_of(b, centering, beta_of, &count);
  extent(b->n, centering, v);
  for (size_t m = 0; m < count; m++) {
    const int at[3] = {(int)(m % (size_t)v[0]), (int)(m / (size_t)v[0] % (size_t)v[1]),
                       (int)(m / (size_t)v[0] / (size_t)v[1])};
    double p[3], g[3];
    place_of(b->n, centering, at, p);
    if (left[m] == 0 || at[axis] == 0 || at[axis] == b->n) continue;
    gradient(p, g);
    const double open = left[m] / whole[m], error = fabs(flux[m] / open + whole[m] * g[axis]);
    e->flux_max = fmax(e->flux_max, error);
    e->flux_mean += error * open / (double)count;
  }
  free(flux), free(left), free(whole);
}

/* f, the walls and the body give and take the same. */
static void assert_balance(const bench *b)
{
  const size_t n = (size_t)b->n;
  size_t count;
  double *u = read_field(b, HYMG_CELL, b->u, &count), *f = read_field(b, HYMG_CELL, b->f, &count),
         *alpha = read_field(b, HYMG_CELL, b->alpha, &count), sum = 0, size = 0;
  for (size_t m = 0; m < count; m++) {
    const double part = f[m] - alpha[m] * u[m];
    sum += part / (double)count, size += fabs(f[m]) / (double)count;
  }
  for (int axis = 0; axis < 3; axis++) {
    size_t faces;
    double *flux = read_field(b, (hymg_centering)(1 + axis), b->flux[axis], &faces);
    const size_t step = axis == 0 ? 1 : axis == 1 ? n : n * n, row = n + 1;
    for (size_t q = 0; q < n * n; q++) {
      const size_t low = axis == 0 ? q * row : axis == 1 ? q % n + q / n * n * row : q;
      sum -= (flux[low + n * step] - flux[low]) / (double)(n * n);
    }
    free(flux);
  }
  ck_assert_msg(fabs(sum) < 1e-8 * size, "what flows in and out differs by %g of %g", sum, size);
  free(u), free(f), free(alpha);
}

static errors errors_of(const setting *s, int n, hymg_stencil stencil)
{
  bench b = open_bench(s, n, stencil);
  hymg_result result;
  errors e = {0};
  OK(b.context, hymg_solve(b.solver, b.f, b.u, &result));
  ck_assert_msg(result.converged && result.path == HYMG_PATH_ROBUST && result.cycles <= 14,
                "%d cycles, %g: %s", result.cycles, result.residual_relative, result.note);
  add_solution(&b, &e);
  if (stencil == HYMG_FV4) { /* which has no fluxes for users */
    close_bench(&b);
    return e;
  }
  OK(b.context, hymg_fluxes(b.solver, b.u, b.flux));
  for (int axis = 0; axis < 3; axis++)
    add_fluxes(&b, axis, &e);
  assert_balance(&b);
  close_bench(&b);
  return e;
}

static const setting settings[] = {
    {HYMG_NEUMANN, 0, 0, false, false},   {HYMG_NEUMANN, 0, 0, false, true},
    {HYMG_DIRICHLET, 0, 0, false, false}, {HYMG_DIRICHLET, 0, 0, false, true},
    {HYMG_DIRICHLET, 0, 0, true, false},  {HYMG_ROBIN, 1, 0.5, false, false},
    {HYMG_ROBIN, 0.3, 1, false, true}};
enum { SETTINGS = sizeof settings / sizeof *settings };

START_TEST(u_is_of_second_order_and_fluxes_of_first)
{
  const setting *s = settings + _i;
  const int n = support_small() ? 32 : 64;
  const double halvings = support_small() ? 1 : 2;
  const errors coarse = errors_of(s, 16, HYMG_FV2), fine = errors_of(s, n, HYMG_FV2);
  const double u_max = log2(coarse.u_max / fine.u_max) / halvings,
               u_mean = log2(coarse.u_mean / fine.u_mean) / halvings,
               flux_max = log2(coarse.flux_max / fine.flux_max) / halvings,
               flux_mean = log2(coarse.flux_mean / fine.flux_mean) / halvings;
  char text[400];
  snprintf(text, sizeof text,
           "%s, inside %d, variable %d: u %.3g (order %.2f), mean %.3g (%.2f), flux %.3g (%.2f), "
           "mean %.3g (%.2f)",
           hymg_enum_name("hymg_boundary", (int)s->condition), s->inside, s->variable, fine.u_max,
           u_max, fine.u_mean, u_mean, fine.flux_max, flux_max, fine.flux_mean, flux_mean);
  if (getenv("HYMG_TEST_TABLE")) puts(text);
  ck_assert_msg(u_max > 1.7 && u_mean > 1.85 && flux_max > 0.5 && flux_mean > 1.7, "%s", text);
  ck_assert_msg(fine.u_max < 3e-3 && fine.flux_max < 0.1, "%s", text);
}
END_TEST

/* FV4 has FV2's fluxes around the body, whose order is the second: u is as good there, and better in the mean. */
START_TEST(u_of_fv4_is_no_worse)
{
  const setting *s = settings + _i;
  const int n = 32;
  const errors coarse = errors_of(s, 16, HYMG_FV4), fine = errors_of(s, n, HYMG_FV4),
               second = errors_of(s, n, HYMG_FV2);
  const double order = log2(coarse.u_mean / fine.u_mean);
  if (getenv("HYMG_TEST_TABLE"))
    printf("%s, inside %d, variable %d: FV4's u %.3g, FV2's %.3g; mean %.3g (order %.2f), %.3g\n",
           hymg_enum_name("hymg_boundary", (int)s->condition), s->inside, s->variable, fine.u_max,
           second.u_max, fine.u_mean, order, second.u_mean);
  ck_assert_msg(fine.u_max < 1.05 * second.u_max && fine.u_mean < 1.02 * second.u_mean &&
                    order > 1.85,
                "%.3g and %.3g (order %.2f), FV2 %.3g and %.3g", fine.u_max, fine.u_mean, order,
                second.u_max, second.u_mean);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("bodies_order");
  TCase *t = tcase_create("order");
  tcase_set_timeout(t, support_seconds(60));
  tcase_add_loop_test(t, u_is_of_second_order_and_fluxes_of_first, 0, SETTINGS);
  tcase_add_loop_test(t, u_of_fv4_is_no_worse, 0, SETTINGS);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
