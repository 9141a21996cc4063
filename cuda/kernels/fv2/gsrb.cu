/* FV2 red-black Gauss-Seidel on split rows. A half sweep reads the other colour and writes its own,
 * in place. Bytes per cell of the level: the other colour 4, f 4, six faces of half the cells 24
 * (every face once), written 4. */
#include "kernels/fv2/march.cuh"

extern "C" void hymgi_cuda_fv2_gsrb_march(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  run_march<gsrb, true>(level, {gsrb_args_of(level, half)});
}

extern "C" void hymgi_cuda_fv2_gsrb_point(const hymgi_level *level, const hymgi_gsrb_half *half)
{
  run_point<gsrb>(level, {gsrb_args_of(level, half)});
}

extern "C" void hymgi_cuda_fv2_split_residual(const hymgi_level *level,
                                              const hymgi_residual_of *residual)
{
  run_residual<true>(level, residual);
}
