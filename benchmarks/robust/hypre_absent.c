/* Without hypre: --hypre is refused at the start. */
#include "robust/hymg-robust.h"

const char *robust_hypre_missing(void)
{
  return "hypre and MPI; install libhypre-dev (Debian, Ubuntu), then configure and make again";
}

bool robust_hypre_solve(const robust_problem *p, const hymg_grid *grid, bool singular,
                        robust_other *other, double seconds[2])
{
  (void)p;
  (void)grid;
  (void)singular;
  (void)seconds;
  *other = (robust_other){0};
  return false;
}
