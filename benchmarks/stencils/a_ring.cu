/* Case A's ring of planes, with the shapes that registers leave room for. */
#include "a_ring.cuh"
#include "slab.cuh"
extern "C" {
#include "gpu_kernels.h"
}

namespace
{

/* Threads of a block along x and y, planes on their way, blocks that a multiprocessor holds: two
 * that work while the other one waits; or a large one, which has fewer ghosts to load. */
template <int R, bool LARGE> struct shape_of_ring {
  static constexpr int Y = 2, STAGES = R <= 4 || LARGE ? 4 : 3;
  static constexpr int TX = R <= 4 ? 32 : 16, TY = (R <= 4 ? 8 : 12) * (LARGE ? 2 : 1);
  static constexpr int BLOCKS = LARGE ? 1 : R == 1 ? 3 : 2;
};

template <typename T, int R, bool WAVE, bool LARGE>
const char *ring(const stencil_job *job, stencil_launch *l)
{
  typedef shape_of_ring<R, LARGE> c;
  typedef ring_shape<T, R, c::Y, c::STAGES, c::TX, c::TY> S;
  const auto kernel = a_ring<T, R, c::Y, WAVE, c::STAGES, c::TX, c::TY, c::BLOCKS>;
  device_job<T> a = device_job_of<T>(job);
  dim3 grid(blocks_for(a.n[0], S::WIDE), blocks_for(a.n[1], S::HIGH));
  if (a.slab == 0)
    a.slab = slab_for((int64_t)grid.x * grid.y, held_blocks(kernel, S::THREADS, S::BYTES), a.n[2],
                      a.n[2], 2 * R + c::STAGES);
  l->slab = a.slab;
  grid.z = blocks_for(a.n[2], a.slab);
  return launch(l, kernel, grid, dim3(S::THREADS), S::BYTES, a);
}

template <typename T, bool LARGE> const char *any_ring(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    constexpr int R = decltype(r)::value;
    return job->wave ? ring<T, R, true, LARGE>(job, l) : ring<T, R, false, LARGE>(job, l);
  });
}

} /* namespace */

extern "C" const char *stencil_a_ring(const stencil_job *job, stencil_launch *l)
{
  return job->wide ? any_ring<double, false>(job, l) : any_ring<float, false>(job, l);
}

extern "C" const char *stencil_a_large_ring(const stencil_job *job, stencil_launch *l)
{
  return job->wide ? any_ring<double, true>(job, l) : any_ring<float, true>(job, l);
}

extern "C" void stencil_a_ring_tile(const stencil_job *job, bool large, int tile[2])
{
  const bool wide = job->radius <= 4;
  tile[0] = (wide ? 32 : 16) * 16 / (int)stencil_bytes(job);
  tile[1] = (wide ? 16 : 24) * (large ? 2 : 1);
}
