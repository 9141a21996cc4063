/* Without hypre: --hypre is refused at the start. */
#include "common/kit/absent.h"
#include "robust/hymg-robust.h"

ABSENT(const char *robust_hypre_missing(void),
       return "hypre and MPI; install libhypre-dev (Debian, Ubuntu), then configure and make again")
ABSENT(bool robust_hypre_solve(const robust_problem *p, const hymg_grid *grid, robust_other *other,
                               double seconds[2]),
       return false)
