/* Case A's ring of planes, with the shapes that were the quickest on an H200 at 512^3. */
#include "a_ring.cuh"
#include "slab.cuh"
extern "C" {
#include "gpu_kernels.h"
}

namespace
{

/* Threads along x and y, rows of each, planes on their way, blocks that a multiprocessor holds. A
 * wave needs registers for what it loads besides. */
template <typename T, int R, bool WAVE> struct shape_of_ring {
  static constexpr int Y = WAVE || R <= 2 ? 2 : 4;
  static constexpr int TX = !WAVE && R == 6 ? 16 : 32, TY = !WAVE && R == 6 ? 16 : 8;
  static constexpr int STAGES = 4, BLOCKS = 1;
};

template <typename T, int R, bool WAVE> const char *ring(const stencil_job *job, stencil_launch *l)
{
  typedef shape_of_ring<T, R, WAVE> c;
  typedef ring_shape<T, R, c::Y, c::TX, c::TY> S;
  constexpr int BYTES = ring_source<T, S, R, c::STAGES>::BYTES;
  const auto kernel = a_ring<T, R, c::Y, WAVE, c::STAGES, c::TX, c::TY, c::BLOCKS>;
  device_job<T> a = device_job_of<T>(job);
  const int n[3] = {(int)a.pitch, a.n[1] + 2 * R, a.n[2] + 2 * R};
  const T *const base = a.x - MAP_LEFT - R * a.pitch - R * a.plane;
  ring_maps maps;
  const char *why = make_map(&maps.tile, base, n, a.pitch, a.plane, S::WIDE, S::ROWS);
  if (!why) why = make_map(&maps.beside, base, n, a.pitch, a.plane, S::GHOSTS, S::HIGH);
  if (why) return why;
  dim3 grid(blocks_for(a.n[0], S::WIDE), blocks_for(a.n[1], S::HIGH));
  if (a.slab == 0)
    a.slab = slab_for((int64_t)grid.x * grid.y, held_blocks(kernel, S::THREADS, BYTES), a.n[2],
                      a.n[2], 2 * R + c::STAGES);
  l->slab = a.slab;
  grid.z = blocks_for(a.n[2], a.slab);
  return launch(l, kernel, grid, dim3(S::THREADS), BYTES, a, maps);
}

template <typename T> const char *any_ring(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    constexpr int R = decltype(r)::value;
    return job->wave ? ring<T, R, true>(job, l) : ring<T, R, false>(job, l);
  });
}

template <typename T, int R, bool WAVE> void tile_of_ring(int tile[2])
{
  typedef shape_of_ring<T, R, WAVE> c;
  typedef ring_shape<T, R, c::Y, c::TX, c::TY> S;
  tile[0] = S::WIDE;
  tile[1] = S::HIGH;
}

} /* namespace */

extern "C" const char *stencil_a_ring(const stencil_job *job, stencil_launch *l)
{
  return job->wide ? any_ring<double>(job, l) : any_ring<float>(job, l);
}

extern "C" void stencil_a_ring_tile(const stencil_job *job, int tile[2])
{
  by_radius(job, [&](auto r) -> const char * {
    constexpr int R = decltype(r)::value;
    if (job->wide)
      job->wave ? tile_of_ring<double, R, true>(tile) : tile_of_ring<double, R, false>(tile);
    else
      job->wave ? tile_of_ring<float, R, true>(tile) : tile_of_ring<float, R, false>(tile);
    return NULL;
  });
}

extern "C" const char *stencil_a_ring_refuses(const stencil_job *)
{
  int device = 0, major = 0;
  enum { TENSOR_COPIES = 9 };
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaGetLastError();
  return major >= TENSOR_COPIES ? NULL : "tensor copies need compute capability 9.0";
}
