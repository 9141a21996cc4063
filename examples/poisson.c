/* -div grad u = f on the unit cube, u = 0 on its boundaries, for a right-hand side of the user's own.
 * Here f belongs to u = sin(pi x) sin(pi y) sin(pi z), so that the answer can be checked. */
#include <hymg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The core: f in, u out, arrays of n^3 cell averages, x fastest. False: the context knows why. */
static bool solve(hymg_context *context, int n, const double *f, double *u, hymg_result *result)
{
  const int low[3] = {0, 0, 0}, count[3] = {n, n, n};
  const ptrdiff_t stride[3] = {1, n, (ptrdiff_t)n * n};
  const hymg_grid_desc domain = {.n = {n, n, n}, .spacing = {1. / n, 1. / n, 1. / n}};
  hymg_operator_desc laplace = hymg_operator_desc_default(); /* -div grad */
  hymg_options options = hymg_options_default();             /* one F-cycle */
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_field *rhs = NULL, *solution = NULL;
  laplace.stencil = HYMG_FV4; /* 4th order */
  options.method = HYMG_MG;   /* not one cycle but as many as max |r| <= rtol max |f| takes */
  const bool failed = hymg_grid_create(context, &domain, &grid) ||
                      hymg_operator_create(grid, &laplace, &op) ||
                      hymg_solver_create(op, &options, &solver) ||
                      hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &rhs) ||
                      hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &solution) ||
                      hymg_field_write(rhs, low, count, stride, f, HYMG_HOST) ||
                      hymg_solve(solver, rhs, solution, result) ||
                      hymg_field_read(solution, low, count, stride, u, HYMG_HOST);
  hymg_field_destroy(&solution);
  hymg_field_destroy(&rhs);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
  return !failed;
}

static const double pi = 3.14159265358979323846;

/* Mean of sin(pi x) over cell i of n. */
static double mean_sine(int i, int n)
{
  const double h = 1. / n;
  return (cos(pi * i * h) - cos(pi * (i + 1) * h)) / (pi * h);
}

static double exact(int n, size_t cell)
{
  const int i = (int)(cell % n), j = (int)(cell / n % n), k = (int)(cell / n / n);
  return mean_sine(i, n) * mean_sine(j, n) * mean_sine(k, n);
}

/* Prints one line; true if u is as good as 4th order promises: its error here is 1.09 h^4 from 8^3
 * to 128^3 cells. */
static bool report(int n, const double *u, const hymg_result *result)
{
  double error = 0;
  for (size_t c = 0; c < (size_t)n * n * n; c++)
    error = fmax(error, fabs(u[c] - exact(n, c)));
  printf("poisson: %d^3 cells, reason to stop: %s, %d cycles, max error %.2e\n", n,
         hymg_reason_name(result->reason), result->cycles, error);
  return result->converged && error < 2 * pow(1. / n, 4);
}

int main(void)
{
  enum { N = 64 };
  const size_t cells = (size_t)N * N * N;
  double *f = malloc(cells * sizeof *f), *u = malloc(cells * sizeof *u);
  hymg_context *context = NULL;
  hymg_result result;
  bool good = false;
  if (!f || !u || hymg_context_create(NULL, &context)) {
    fprintf(stderr, "poisson: no memory\n");
  } else {
    for (size_t c = 0; c < cells; c++)
      f[c] = 3 * pi * pi * exact(N, c);
    if (solve(context, N, f, u, &result))
      good = report(N, u, &result);
    else
      fprintf(stderr, "poisson: %s\n", hymg_context_error(context));
  }
  hymg_context_destroy(&context);
  free(f);
  free(u);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
