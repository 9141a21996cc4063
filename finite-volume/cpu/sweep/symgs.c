/* Symmetric Gauss-Seidel on the host, a row after the other. */
#include "cpu/cpu.h"

/* Updates a row in place, cell by cell; ghosts are in memory. */
static void symgs_row(const hymgi_level *level, const hymgi_geom *g, int j, int k, bool backward)
{
  const int cjk[3] = {0, j, k};
  const ptrdiff_t o = hymgi_row(g, 0, j, k);
  hymgi_real *const out = host_scratch(level, 2);
  const relax_weights weights = {.residual = 1};
  hymgi_real *const x = level->x + o;
  fv2_row r2;
  fv4_row r4;
  if (level->op->stencil == HYMG_FV2) {
    r2 = hymgi_fv2_row_of(level, g, level->f, level->x, cjk);
  } else {
    r4 = hymgi_fv4_row_of(level, g, level->f, level->x, level->x, cjk);
  }
  for (int m = 0; m < g->n[0]; m++) {
    const int i = backward ? g->n[0] - 1 - m : m;
    if (level->op->stencil == HYMG_FV2)
      hymgi_fv2_run(HOST_RELAX, &r2, &weights, i, i + 1, out);
    else
      hymgi_fv4_run(HOST_RELAX, &r4, &weights, i, i + 1, out);
    x[i] = out[i];
  }
}

static void symgs_sweep(hymgi_level *level, bool backward)
{
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    const int64_t rows = (int64_t)g->n[1] * g->n[2];
    for (int64_t m = 0; m < rows; m++) {
      const int64_t row = backward ? rows - 1 - m : m;
      symgs_row(level, g, (int)(row % g->n[1]), (int)(row / g->n[1]), backward);
    }
  }
}

/* Lexicographic Gauss-Seidel, forward and backward in turn; ghosts stay fixed during a sweep. */
void hymgi_cpu_symgs(hymgi_level *level)
{
  for (int s = 0; s < hymgi_sweeps(level); s++) {
    hymgi_cpu_update_ghosts(level, level->x);
    if (level->op->stencil == HYMG_FV2) hymgi_cpu_fill_stencil_ghosts(level, level->x);
    symgs_sweep(level, s & 1);
  }
}
