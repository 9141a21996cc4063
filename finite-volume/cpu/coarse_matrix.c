/* A coarse matrix (multigrid/hierarchy.h) times f of its level. */
#include "cpu/cpu.h"
#include "cpu/setup.h"
#include "formulas/fma.h"
#include "multigrid/hierarchy.h"

void hymgi_cpu_coarse_multiply(const hymgi_level *level, const double *from, const ptrdiff_t *at)
{
  enum { SUMS = HYMGI_MATRIX_SUMS };
  double f[HYMGI_MATRIX_CELLS] = {0};
  const int cells = (int)level->cells;
  for (int c = 0; c < cells; c++)
    f[c] = level->f[at[c]];
  for (int row = 0; row < cells; row++, from += SUMS) {
    double s[SUMS] = {0};
    for (int c = 0; c < cells; c += SUMS)
      for (int m = 0; m < SUMS; m++)
        s[m] = hymgi_fma(from[(ptrdiff_t)c * cells + m], f[c + m], s[m]);
    level->x[at[row]] = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
}
