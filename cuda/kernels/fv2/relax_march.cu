/* FV2 on plain rows: out-of-place sweeps, the residual and its norm. Bytes per cell of a Chebyshev
 * step: x 8, f 8, previous x 8, betas 24, written 8. It is bound by memory bandwidth. */
#include "kernels/fv2/march.cuh"

extern "C" void hymgi_cuda_fv2_relax_march(const hymgi_level *level,
                                           const hymgi_relaxation *relaxation)
{
  run_march<relax, false>(level, relax_args_of(level, relaxation));
}

extern "C" void hymgi_cuda_fv2_relax_point(const hymgi_level *level,
                                           const hymgi_relaxation *relaxation)
{
  run_point<relax>(level, relax_args_of(level, relaxation));
}

extern "C" void hymgi_cuda_fv2_plain_residual(const hymgi_level *level,
                                              const hymgi_residual_of *residual)
{
  run_residual<false>(level, residual);
}
