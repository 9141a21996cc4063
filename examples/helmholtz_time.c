/* Implicit diffusion in an insulated box: du/dt = div(D grad u) + s with D(x, t), by backward Euler
 * steps
 *   u - dt div(D grad u) = u_old + dt s.
 * The solver is planned once; each step gives it new coefficients and starts from the last step's
 * u. D and s are such that u = 1 + (1 + t) cos(pi x) cos(pi y) cos(pi z): linear in t, so that all
 * of the error comes from the spacing. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 32, STEPS = 10 };
static const double pi = 3.14159265358979323846, h = 1. / N, dt = 0.02;

/* ---- the physics, at a point ---- */

static double diffusivity(const double x[3], double t)
{
  return 1 + 0.5 * sin(pi * t) * x[0];
}

static double exact(const double x[3], double t)
{
  return 1 + (1 + t) * cos(pi * x[0]) * cos(pi * x[1]) * cos(pi * x[2]);
}

/* dt s, s = du/dt - div(D grad u), the latter = D Lap u + dD/dx du/dx */
static double scaled_source(const double x[3], double t)
{
  const double yz = cos(pi * x[1]) * cos(pi * x[2]), c = cos(pi * x[0]) * yz;
  const double laplacian = -3 * pi * pi * (1 + t) * c, slope = -pi * (1 + t) * sin(pi * x[0]) * yz;
  return dt * (c - diffusivity(x, t) * laplacian - 0.5 * sin(pi * t) * slope);
}

/* ---- what the program holds; the functions below return true if they failed ---- */

typedef struct diffusion {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *d[3]; /* D on the faces of each axis */
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *u, *f;
  double *array; /* room for any of the fields */
} diffusion;

/* Values of a function go into a field: at the centres of the cells, or of the faces of an axis,
 * one more of them. */
static bool sample(diffusion *p, hymg_field *field, hymg_centering where,
                   double (*function)(const double x[3], double t), double t)
{
  const int low[3] = {0, 0, 0}, axis = (int)where - HYMG_FACE_X; /* -1: cells */
  const int n[3] = {N + (axis == 0), N + (axis == 1), N + (axis == 2)};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *at = p->array;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        const double x[3] = {(i + (axis == 0 ? 0 : 0.5)) * h, (j + (axis == 1 ? 0 : 0.5)) * h,
                             (k + (axis == 2 ? 0 : 0.5)) * h};
        *at++ = function(x, t);
      }
  return hymg_field_write(field, low, n, stride, p->array, HYMG_HOST);
}

static bool sample_diffusivity(diffusion *p, double t)
{
  return sample(p, p->d[0], HYMG_FACE_X, diffusivity, t) ||
         sample(p, p->d[1], HYMG_FACE_Y, diffusivity, t) ||
         sample(p, p->d[2], HYMG_FACE_Z, diffusivity, t);
}

static bool create_operator(diffusion *p)
{
  hymg_grid_desc box = {.n = {N, N, N}, .spacing = {h, h, h}};
  hymg_operator_desc implicit = hymg_operator_desc_default();
  for (int face = 0; face < 6; face++)
    box.boundary[face] = HYMG_NEUMANN;
  if (hymg_grid_create(p->context, &box, &p->grid) ||
      hymg_field_create(p->grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &p->d[0]) ||
      hymg_field_create(p->grid, NULL, HYMG_FACE_Y, HYMG_DOUBLE, &p->d[1]) ||
      hymg_field_create(p->grid, NULL, HYMG_FACE_Z, HYMG_DOUBLE, &p->d[2]))
    return true;
  implicit.a = 1; /* times alpha, which stays the constant 1 */
  implicit.b = dt;
  for (int axis = 0; axis < 3; axis++)
    implicit.beta[axis] = p->d[axis];
  return hymg_operator_create(p->grid, &implicit, &p->op);
}

static bool create_solver(diffusion *p)
{
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.initial_guess = true; /* u as the last step left it; the default cycle is then V */
  options.rtol = 1e-8;
  return sample_diffusivity(p, 0) || hymg_solver_create(p->op, &options, &p->solver) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->u) ||
         hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->f);
}

static void destroy(diffusion *p)
{
  hymg_field_destroy(&p->f);
  hymg_field_destroy(&p->u);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&p->d[axis]);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context);
  free(p->array);
}

/* ---- the time loop ---- */

/* From u at t - dt to u at t. The fields of D are borrowed by the operator: update reads them
 * again. */
static bool step(diffusion *p, double t, hymg_result *result)
{
  return sample(p, p->f, HYMG_CELL, scaled_source, t) || hymg_field_axpy(1, p->u, p->f) ||
         sample_diffusivity(p, t) || hymg_solver_update(p->solver) ||
         hymg_solve(p->solver, p->f, p->u, result);
}

static bool run(diffusion *p, bool *converged, int *cycles, double *error)
{
  hymg_result result;
  *converged = true;
  *cycles = 0;
  if (sample(p, p->u, HYMG_CELL, exact, 0)) return true;
  for (int m = 1; m <= STEPS; m++) {
    if (step(p, m * dt, &result)) return true;
    *converged = *converged && result.converged; /* a result, not an error */
    *cycles += result.cycles;
  }
  return sample(p, p->f, HYMG_CELL, exact, STEPS * dt) || hymg_field_axpy(-1, p->u, p->f) ||
         hymg_field_max(p->f, error);
}

int main(void)
{
  diffusion p = {.array = malloc((size_t)(N + 1) * N * N * sizeof(double))};
  bool converged = false, good = false;
  int cycles;
  double error;
  if (!p.array || hymg_context_create(NULL, &p.context)) {
    fprintf(stderr, "helmholtz_time: no memory\n");
  } else if (create_operator(&p) || create_solver(&p) || run(&p, &converged, &cycles, &error)) {
    fprintf(stderr, "helmholtz_time: %s\n", hymg_context_error(p.context));
  } else {
    printf("helmholtz_time: %d^3 cells, %d steps, %s, %d V-cycles in all, max error %.2e\n", N,
           STEPS, converged ? "all converged" : "not all converged", cycles, error);
    good = converged && error < 2 * h * h; /* it is 0.97 h^2 from 16^3 to 64^3 cells */
  }
  destroy(&p);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
