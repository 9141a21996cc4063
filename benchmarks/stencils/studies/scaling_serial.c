/* Without MPI: --scaling is refused. */
#include "stencils/bench.h"

int stencil_scaling(stencil_options *options)
{
  enum { EXIT_BAD_INPUT = 2 };
  (void)options;
  fputs("hymg-stencil: --scaling: this build has no MPI\n", stderr);
  return EXIT_BAD_INPUT;
}
