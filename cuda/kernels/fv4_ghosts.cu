/* The boundary ghosts that FV4's stencil reads, in the usual case: one box of split rows. Where a
 * boundary meets a neighbour's halo, its face extends into the halo by a slot or row. Few bytes are
 * moved: what counts is latency. */
#include "device/fv4_ghosts.cuh"

#include "kernels/kernels.h"

namespace
{

__global__ void __launch_bounds__(GHOST_BLOCK_X *GHOST_BLOCK_Y)
    fv4_fill_ghosts(const __grid_constant__ split_args a)
{
  wait_for_predecessors();
  let_successors_start();
  fill_by_block(a, (int)blockIdx.x, (int)threadIdx.x);
}

} /* namespace */

extern "C" bool hymgi_cuda_fill_split_ghosts(const hymgi_level *level, const hymgi_geom *box,
                                             double *x, bool along_x)
{
  if (!can_fill_split(level, box)) return false;
  const split_args a = split_args_of(level, box, x, along_x, true);
  hymgi_launch(level->context, fv4_fill_ghosts, dim3((unsigned)(a.wide * a.rows * a.parts)),
               dim3(GHOST_BLOCK_X * GHOST_BLOCK_Y), a);
  return true;
}
