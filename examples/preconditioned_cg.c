/* Conjugate gradients of your own with a cycle of hymg as preconditioner: -div grad u + c(x) u = f on
 * the unit cube, u = 0 on the boundary, where c is the program's and hymg only knows -div grad. The
 * vectors are the program's arrays; hymg reads and writes them in place (hymg_field_wrap).
 *   cc preconditioned_cg.c $(pkg-config --cflags --libs hymg) -lm && ./a.out [cells per side] */
#include <hymg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { U, R, Z, P, W, VECTORS }; /* solution, residual, M r, direction, A p */

static hymg_context *context;
static hymg_field *field[VECTORS];
static double *data[VECTORS];
static void check(hymg_status status)
{
  if (status == HYMG_OK) return;
  fprintf(stderr, "%s: %s\n", hymg_status_text(status), hymg_context_error(context));
  exit(1);
}

static double dot(int x, int y)
{
  double value;
  check(hymg_field_dot(field[x], field[y], &value));
  return value;
}

static hymg_solver *open_solver(hymg_grid *grid, hymg_operator **op)
{
  hymg_solver *solver = NULL;
  hymg_operator_desc laplace = hymg_operator_desc_default();
  const hymg_options options = hymg_options_preconditioner();
  laplace.extrapolation = HYMG_EXTRAPOLATION_LINEAR; /* with this the cycle is symmetric */
  check(hymg_operator_create(grid, &laplace, op));
  check(hymg_solver_create(*op, &options, &solver));
  return solver;
}

int main(int argc, char **argv)
{
  const int n = argc > 1 ? atoi(argv[1]) : 32, low[3] = {0, 0, 0}, count[3] = {n, n, n};
  const ptrdiff_t stride[3] = {1, n, (ptrdiff_t)n * n};
  const hymg_grid_desc cube = {.n = {n, n, n}, .spacing = {1. / n, 1. / n, 1. / n}};
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  if (hymg_context_create(NULL, &context) != HYMG_OK) return 1;
  check(hymg_grid_create(context, &cube, &grid));
  hymg_solver *solver = open_solver(grid, &op);
  const size_t cells = (size_t)hymg_grid_cells(grid);
  for (int v = 0; v < VECTORS; v++) {
    if (!(data[v] = calloc(cells, sizeof *data[v]))) return 1;
    check(hymg_field_wrap(grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, low, count, stride, data[v],
                          field + v));
  }
  for (size_t m = 0; m < cells; m++)
    data[R][m] = sin(0.1 * (double)m); /* f, the residual of u = 0 */
  const double start = dot(R, R);
  double rz = 0, left = start;
  int k = 0;
  for (; k < 50 && left > 1e-20 * start; k++, left = dot(R, R)) {
    check(hymg_solver_cycle(solver, HYMG_CYCLE_V, false, field[R], field[Z])); /* z = M r */
    const double before = rz, beta = (rz = dot(R, Z)) / before;
    for (size_t m = 0; m < cells; m++)
      data[P][m] = data[Z][m] + (k ? beta : 0) * data[P][m];
    check(hymg_apply(solver, 0, field[P], field[W]));
    for (size_t m = 0; m < cells; m++)
      data[W][m] += (m % 3 ? 20 : 200) * data[P][m]; /* c, the program's part of the operator */
    const double alpha = rz / dot(P, W);
    check(hymg_field_axpy(alpha, field[P], field[U]));
    check(hymg_field_axpy(-alpha, field[W], field[R]));
  }
  printf("%d^3 cells: residual 1e%.0f after %d iterations\n", n, log10(sqrt(left / start)), k);
  for (int v = 0; v < VECTORS; v++)
    hymg_field_destroy(field + v), free(data[v]);
  hymg_solver_destroy(&solver), hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid), hymg_context_destroy(&context);
  return left <= 1e-20 * start ? 0 : 1;
}
