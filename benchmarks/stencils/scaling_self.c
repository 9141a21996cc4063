/* Without MPI: --scaling is refused. */
#include "bench.h"

bool stencil_scaling(stencil_bench *bench)
{
  return stencil_fail(bench, "--scaling", "this build has no MPI");
}
