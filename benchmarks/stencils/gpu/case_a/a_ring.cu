/* Case A's ring of planes, with the shapes that were the quickest on an H200 at 512^3. */
#include "stencils/gpu/case_a/a_ring.cuh"
#include "stencils/gpu/slab.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

/* Threads along x and y, rows of each, planes on their way; and planes of a block unless told. */
template <int TX_, int TY_, int Y_, int STAGES_, int SLAB_, bool APART_ = false>
struct ring_choice {
  static constexpr bool APART = APART_;
  static constexpr int TX = TX_, TY = TY_, Y = Y_, STAGES = STAGES_, SLAB = SLAB_;
};
/* WHICH 0: a wave's, which needs registers for what it loads besides. 1 and 2: two that came out best,
 * now the one and now the other. 3: ghosts apart, up to order 8. */
template <typename T, int R, int WHICH> struct shape_of_ring : ring_choice<32, 8, 2, 4, 0> {
};
template <> struct shape_of_ring<float, 1, 1> : ring_choice<32, 8, 2, 8, 8> {
};
template <> struct shape_of_ring<float, 2, 1> : ring_choice<32, 8, 2, 8, 12> {
};
template <> struct shape_of_ring<float, 3, 1> : ring_choice<32, 4, 4, 8, 0> {
};
template <> struct shape_of_ring<float, 4, 1> : ring_choice<32, 8, 2, 8, 0> {
};
template <> struct shape_of_ring<float, 5, 1> : ring_choice<16, 16, 2, 8, 0> {
};
template <> struct shape_of_ring<float, 6, 1> : ring_choice<16, 16, 4, 6, 0> {
};
template <> struct shape_of_ring<double, 1, 1> : ring_choice<32, 16, 1, 4, 8> {
};
template <> struct shape_of_ring<double, 2, 1> : ring_choice<32, 8, 2, 4, 12> {
};
template <> struct shape_of_ring<double, 3, 1> : ring_choice<64, 4, 4, 3, 0> {
};
template <> struct shape_of_ring<double, 4, 1> : ring_choice<16, 16, 4, 4, 0> {
};
template <> struct shape_of_ring<double, 5, 1> : ring_choice<16, 16, 4, 4, 0> {
};
template <> struct shape_of_ring<double, 6, 1> : ring_choice<32, 12, 2, 6, 0> {
};
template <> struct shape_of_ring<float, 1, 2> : ring_choice<32, 16, 1, 4, 8> {
};
template <> struct shape_of_ring<float, 2, 2> : ring_choice<32, 16, 1, 4, 12> {
};
template <> struct shape_of_ring<float, 3, 2> : ring_choice<32, 16, 2, 4, 0> {
};
template <> struct shape_of_ring<float, 4, 2> : ring_choice<16, 32, 2, 4, 0> {
};
template <> struct shape_of_ring<float, 5, 2> : ring_choice<32, 8, 4, 4, 0> {
};
template <> struct shape_of_ring<float, 6, 2> : ring_choice<32, 8, 4, 4, 0> {
};
template <> struct shape_of_ring<double, 1, 2> : ring_choice<64, 8, 2, 4, 8> {
};
template <> struct shape_of_ring<double, 2, 2> : ring_choice<64, 8, 2, 4, 12> {
};
template <> struct shape_of_ring<double, 3, 2> : ring_choice<64, 8, 2, 3, 0> {
};
template <> struct shape_of_ring<double, 4, 2> : ring_choice<64, 4, 4, 3, 0> {
};
template <> struct shape_of_ring<double, 5, 2> : ring_choice<32, 8, 4, 6, 0> {
};
template <> struct shape_of_ring<double, 6, 2> : ring_choice<32, 8, 4, 4, 0> {
};
template <> struct shape_of_ring<float, 1, 3> : ring_choice<32, 8, 2, 8, 8, true> {
};
template <> struct shape_of_ring<float, 2, 3> : ring_choice<64, 8, 2, 4, 12, true> {
};
template <> struct shape_of_ring<float, 3, 3> : ring_choice<64, 8, 2, 3, 0, true> {
};
template <> struct shape_of_ring<float, 4, 3> : ring_choice<16, 32, 2, 4, 0, true> {
};
template <> struct shape_of_ring<double, 1, 3> : ring_choice<32, 16, 1, 4, 8, true> {
};
template <> struct shape_of_ring<double, 2, 3> : ring_choice<32, 8, 2, 4, 12, true> {
};
template <> struct shape_of_ring<double, 3, 3> : ring_choice<64, 4, 4, 3, 0, true> {
};
template <> struct shape_of_ring<double, 4, 3> : ring_choice<16, 32, 2, 4, 0, true> {
};

template <typename T, int R, int WHICH> const char *ring(const stencil_job *job, stencil_launch *l)
{
  typedef shape_of_ring<T, R, WHICH> c;
  typedef ring_shape<T, R, c::Y, c::TX, c::TY, c::APART> S;
  constexpr int BYTES = ring_source<T, S, R, c::STAGES>::BYTES;
  const auto kernel = a_ring<T, R, c::Y, WHICH == 0, c::STAGES, c::TX, c::TY, c::APART>;
  device_job<T> a = device_job_of<T>(job);
  const int n[3] = {(int)a.pitch, a.n[1] + 2 * R, a.n[2] + 2 * R};
  const T *const base = a.x - MAP_LEFT - R * a.pitch - R * a.plane;
  ring_maps maps = {};
  const char *why = make_map(&maps.tile, base, n, a.pitch, a.plane, S::PITCH, S::ROWS);
  if (!why && c::APART) why = make_map(&maps.beside, base, n, a.pitch, a.plane, S::GHOSTS, S::HIGH);
  if (why) return why;
  dim3 grid(blocks_for(a.n[0], S::WIDE), blocks_for(a.n[1], S::HIGH));
  if (a.slab == 0)
    a.slab = c::SLAB ? c::SLAB : slab_for((int64_t)grid.x * grid.y, a.n[2], 2 * R + c::STAGES);
  l->slab = a.slab;
  grid.z = blocks_for(a.n[2], a.slab);
  return launch(l, kernel, grid, dim3(S::THREADS), BYTES, a, maps);
}

template <typename T, int WHICH> const char *any_ring(const stencil_job *job, stencil_launch *l)
{
  return by_radius(job, [&](auto r) {
    constexpr int R = decltype(r)::value;
    return job->wave ? ring<T, R, 0>(job, l) : ring<T, R, WHICH>(job, l);
  });
}

template <typename T, int R> void tile_of_ring(int which, int tile[2])
{
  typedef shape_of_ring<T, R, 0> zero;
  typedef shape_of_ring<T, R, 1> one;
  typedef shape_of_ring<T, R, 2> two;
  const int threads = which == 0 ? zero::TX : which == 1 ? one::TX : two::TX;
  tile[0] = threads * 16 / (int)sizeof(T);
  tile[1] = which == 0 ? zero::TY * zero::Y : which == 1 ? one::TY * one::Y : two::TY * two::Y;
}

} /* namespace */

STENCIL_ENTRY(stencil_a_ring, (any_ring<double, 1>), (any_ring<float, 1>))
STENCIL_ENTRY(stencil_a_other_ring, (any_ring<double, 2>), (any_ring<float, 2>))
STENCIL_ENTRY(stencil_a_ring_apart, (any_ring<double, 3>), (any_ring<float, 3>))

extern "C" void stencil_a_ring_tile(const stencil_job *job, int kind, int tile[2])
{
  const int which = job->wave ? 0 : kind;
  by_radius(job, [&](auto r) -> const char * {
    constexpr int R = decltype(r)::value;
    job->wide ? tile_of_ring<double, R>(which, tile) : tile_of_ring<float, R>(which, tile);
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
