/* Steady diffusion through a packing of spheres: u = 1 below, u = 0 above, nothing passes the other walls or enters the
 * spheres. The spheres cut cells; whole cells in them are left out, and pores that are closed in are told. What flows in
 * must flow out, and its ratio to the flow through the empty box is the effective diffusivity. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 48, SPHERES = 60 };
#define RADIUS 0.14

/* The signed distance to the nearest sphere, positive in the pores. */
static double distance(double centre[SPHERES][3], const double p[3])
{
  double least = INFINITY;
  for (int s = 0; s < SPHERES; s++)
    least =
        fmin(least, hypot(hypot(p[0] - centre[s][0], p[1] - centre[s][1]), p[2] - centre[s][2]));
  return least - RADIUS;
}

/* At the vertices of all cells; NULL: no memory. */
static double *distances(void)
{
  const size_t side = N + 1;
  double centre[SPHERES][3], *d = malloc(side * side * side * sizeof *d);
  unsigned state = 7;
  for (int m = 0; m < 3 * SPHERES; m++) {
    state = state * 1664525u + 1013904223u;
    centre[m / 3][m % 3] = (state >> 8) / 16777216.;
  }
  for (size_t v = 0; d && v < side * side * side; v++) {
    const double p[3] = {(double)(v % side) / N, (double)(v / side % side) / N,
                         (double)(v / side / side) / N};
    d[v] = distance(centre, p);
  }
  return d;
}

typedef struct packing {
  hymg_context *context;
  hymg_grid *grid;
  hymg_operator *op;
  hymg_solver *solver;
  hymg_field *volume, *open[3], *f, *u, *flux[3]; /* open: parts of faces, which are beta */
} packing;

static bool make_fields(packing *p)
{
  hymg_grid *const g = p->grid;
  bool failed = hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &p->volume) ||
                hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &p->f) ||
                hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &p->u);
  for (int axis = 0; axis < 3; axis++)
    failed = failed ||
             hymg_field_create(g, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &p->open[axis]) ||
             hymg_field_create(g, NULL, (hymg_centering)(HYMG_FACE_X + axis), HYMG_DOUBLE,
                               &p->flux[axis]);
  return !failed;
}

/* False: the context knows why. With a wall on the spheres the parts of the faces are the coefficients. */
static bool solve(packing *p, const double *d, hymg_result *result)
{
  const int low[3] = {0, 0, 0}, count[3] = {N + 1, N + 1, N + 1};
  const ptrdiff_t stride[3] = {1, N + 1, (ptrdiff_t)(N + 1) * (N + 1)};
  hymg_grid_desc box = {.n = {N, N, N}, .spacing = {1. / N, 1. / N, 1. / N}};
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options options = hymg_options_default();
  for (int face = 0; face < 4; face++)
    box.boundary[face] = HYMG_NEUMANN;
  options.method = HYMG_MG, options.rtol = 1e-12;
  desc.boundary_constant[4] = 1;
  if (hymg_grid_create(p->context, &box, &p->grid) || !make_fields(p) ||
      hymg_body_fractions(low, count, stride, d, p->volume, p->open))
    return false;
  for (int axis = 0; axis < 3; axis++)
    desc.beta[axis] = p->open[axis];
  return !(hymg_operator_create(p->grid, &desc, &p->op) ||
           hymg_solver_create(p->op, &options, &p->solver) ||
           hymg_solve(p->solver, p->f, p->u, result) || hymg_fluxes(p->solver, p->u, p->flux));
}

/* The mean flux through a plane of faces across z. */
static double mean_flux(const packing *p, int plane)
{
  static double flux[N * N];
  const int low[3] = {0, 0, plane}, count[3] = {N, N, 1};
  const ptrdiff_t stride[3] = {1, N, (ptrdiff_t)N * N};
  double sum = 0;
  if (hymg_field_read(p->flux[2], low, count, stride, flux, HYMG_HOST)) return NAN;
  for (int m = 0; m < N * N; m++)
    sum += flux[m];
  return sum / (N * N);
}

static bool report(const packing *p, const hymg_result *result)
{
  const double in = mean_flux(p, 0), out = mean_flux(p, N);
  double pores = 0;
  if (hymg_field_mean(p->volume, &pores)) return false;
  printf("packing: %d^3 cells, %.0f %% of them open, %lld piece%s, %d cycles\n", N, 100 * pores,
         (long long)result->pieces, result->pieces == 1 ? "" : "s", result->cycles);
  printf("packing: flux in %.10f, out %.10f; effective diffusivity %.4f, tortuosity %.3f\n", in,
         out, in, pores / in);
  return result->converged && fabs(in - out) < 1e-10 && in > 0 && in < pores;
}

static void destroy(packing *p)
{
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  for (int axis = 0; axis < 3; axis++) {
    hymg_field_destroy(&p->open[axis]);
    hymg_field_destroy(&p->flux[axis]);
  }
  hymg_field_destroy(&p->volume);
  hymg_field_destroy(&p->f);
  hymg_field_destroy(&p->u);
  hymg_grid_destroy(&p->grid);
  hymg_context_destroy(&p->context);
}

int main(void)
{
  packing p = {0};
  hymg_result result;
  bool good = false;
  double *d = distances();
  if (!d || hymg_context_create(NULL, &p.context))
    fprintf(stderr, "packing: no memory\n");
  else if (solve(&p, d, &result))
    good = report(&p, &result);
  else
    fprintf(stderr, "packing: %s\n", hymg_context_error(p.context));
  free(d);
  destroy(&p);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
