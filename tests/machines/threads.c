/* Two threads with a context each, for the thread sanitizer: they solve at once, by both paths, and
 * get the same bits. */
#include "hymg.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12, CELLS = N * N * N };

static void require(int ok, const char *what)
{
  if (ok) return;
  printf("threads: FAILED: %s\n", what);
  exit(1);
}

static void solve_once(hymg_context *context, hymg_stencil stencil, hymg_path path, double *u)
{
  static const int low[3] = {0, 0, 0}, count[3] = {N, N, N};
  static const ptrdiff_t stride[3] = {1, N, N * N};
  hymg_grid_desc domain = {.n = {N, N, N}, .spacing = {1. / N, 1. / N, 1. / N}};
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_options o = hymg_options_default();
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  hymg_field *f = NULL, *v = NULL;
  for (int m = 0; m < CELLS; m++)
    u[m] = m % 11 - 4.5;
  desc.stencil = stencil;
  o.method = HYMG_MG;
  o.path = path;
  require(hymg_grid_create(context, &domain, &grid) == HYMG_OK &&
              hymg_operator_create(grid, &desc, &op) == HYMG_OK &&
              hymg_solver_create(op, &o, &solver) == HYMG_OK &&
              hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &f) == HYMG_OK &&
              hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &v) == HYMG_OK &&
              hymg_field_write(f, low, count, stride, u, HYMG_HOST) == HYMG_OK &&
              hymg_solve(solver, f, v, NULL) == HYMG_OK &&
              hymg_field_read(v, low, count, stride, u, HYMG_HOST) == HYMG_OK,
          hymg_context_error(context));
  hymg_field_destroy(&f);
  hymg_field_destroy(&v);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
}

static void *work(void *data)
{
  double *const u = data;
  hymg_context *context = NULL;
  require(hymg_context_create(NULL, &context) == HYMG_OK, "a context");
  solve_once(context, HYMG_FV2, HYMG_PATH_STANDARD, u);
  solve_once(context, HYMG_FV4, HYMG_PATH_STANDARD, u + CELLS);
  solve_once(context, HYMG_FV2, HYMG_PATH_ROBUST, u + 2 * CELLS);
  hymg_options o = hymg_options_default();
  char error[100];
  hymg_options_parse(&o, "rtol=wrong", error, sizeof error);
  hymg_context_destroy(&context);
  return NULL;
}

int main(void)
{
  static double u[2][3 * CELLS];
  for (int again = 0; again < 3; again++) {
    pthread_t thread[2];
    for (int t = 0; t < 2; t++)
      require(pthread_create(&thread[t], NULL, work, u[t]) == 0, "a thread");
    for (int t = 0; t < 2; t++)
      pthread_join(thread[t], NULL);
    require(memcmp(u[0], u[1], sizeof u[0]) == 0, "the threads have different bits");
  }
  return 0;
}
