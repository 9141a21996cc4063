/* An open solver with its fields. */
#include "support/bench.h"
#include <stdlib.h>

hymg_options support_mg(hymg_cycle cycle, double rtol, int max_cycles)
{
  hymg_options o = hymg_options_default();
  o.path = HYMG_PATH_STANDARD;
  o.method = HYMG_MG;
  o.cycle = cycle;
  o.rtol = rtol;
  o.max_cycles = max_cycles;
  return o;
}

/* f in [-1, 1) whose mean is zero. */
static double *balanced(size_t cells)
{
  double *f = support_random(cells, -1, 1, 6);
  for (size_t i = 0; i < cells / 2; i++)
    f[cells - 1 - i] = -f[i];
  return f;
}

support_bench support_bench_open(support_case c, const hymg_options *o)
{
  support_bench b = {.c = c, .k = support_open(&c.spec, NULL, o)};
  int n[3];
  support_cells(&b.k, 0, n, &b.cells);
  b.f = balanced(b.cells);
  b.ff = support_field(&b.k, 0, b.f);
  OK(b.k.context, hymg_field_create(b.k.grid, b.k.solver, HYMG_CELL, HYMG_DOUBLE, &b.u));
  return b;
}

support_bench support_bench_cube(hymg_stencil stencil, const char *boundary, double a,
                                 const hymg_options *o)
{
  return support_bench_open(support_case_of(stencil, (const int[3]){16, 16, 16}, boundary, a), o);
}

void support_bench_close(support_bench *b)
{
  hymg_field_destroy(&b->ff);
  hymg_field_destroy(&b->u);
  support_close(&b->k);
  support_case_free(&b->c);
  free(b->f);
}

hymg_result support_bench_solve(support_bench *b)
{
  hymg_result r;
  OK(b->k.context, hymg_solve(b->k.solver, b->ff, b->u, &r));
  return r;
}
