/* Case A's ring of planes, with the shapes that were the quickest on an H200 at 512^3. */
#include "a_ring.cuh"
#include "slab.cuh"
extern "C" {
#include "gpu_kernels.h"
}

namespace
{

/* Threads along x and y, rows of each, planes on their way; and planes of a block unless told. */
template <int TX_, int TY_, int Y_, int STAGES_, int SLAB_> struct ring_choice {
  static constexpr int TX = TX_, TY = TY_, Y = Y_, STAGES = STAGES_, SLAB = SLAB_;
};
/* WHICH 0: a wave's, which needs registers for what it loads besides. 1 and 2: two that came out best,
 * now the one and now the other. */
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

template <typename T, int R, int WHICH> const char *ring(const stencil_job *job, stencil_launch *l)
{
  typedef shape_of_ring<T, R, WHICH> c;
  typedef ring_shape<T, R, c::Y, c::TX, c::TY> S;
  constexpr int BYTES = ring_source<T, S, c::STAGES>::BYTES;
  const auto kernel = a_ring<T, R, c::Y, WHICH == 0, c::STAGES, c::TX, c::TY>;
  device_job<T> a = device_job_of<T>(job);
  const int n[3] = {(int)a.pitch, a.n[1] + 2 * R, a.n[2] + 2 * R};
  grid_map map;
  const char *why = make_map(&map, a.x - MAP_LEFT - R * a.pitch - R * a.plane, n, a.pitch, a.plane,
                             S::PITCH, S::ROWS);
  if (why) return why;
  dim3 grid(blocks_for(a.n[0], S::WIDE), blocks_for(a.n[1], S::HIGH));
  if (a.slab == 0)
    a.slab = c::SLAB ? c::SLAB : slab_for((int64_t)grid.x * grid.y, a.n[2], 2 * R + c::STAGES);
  l->slab = a.slab;
  grid.z = blocks_for(a.n[2], a.slab);
  return launch(l, kernel, grid, dim3(S::THREADS), BYTES, a, map);
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

extern "C" const char *stencil_a_ring(const stencil_job *job, stencil_launch *l)
{
  return job->wide ? any_ring<double, 1>(job, l) : any_ring<float, 1>(job, l);
}

extern "C" const char *stencil_a_other_ring(const stencil_job *job, stencil_launch *l)
{
  return job->wide ? any_ring<double, 2>(job, l) : any_ring<float, 2>(job, l);
}

extern "C" void stencil_a_ring_tile(const stencil_job *job, bool other, int tile[2])
{
  const int which = job->wave ? 0 : other ? 2 : 1;
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
