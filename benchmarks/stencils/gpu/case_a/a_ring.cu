/* Case A's ring of planes, with the shapes that were fastest on an H200 at 512^3. */
#include "stencils/gpu/case_a/a_ring.cuh"
extern "C" {
#include "stencils/gpu/gpu_kernels.h"
}

namespace
{

/* Threads along x and y, rows of each, planes in flight; and the default number of planes per
 * block. */
struct ring_choice {
  int tx, ty, y, stages, slab;
};
/* For a wave, which needs registers for its additional loads; otherwise by kind and order. Kinds 1
 * and 2: the two fastest, neither always ahead. 3: separate ghosts, up to order 8. */
constexpr ring_choice wave_ring = {32, 8, 2, 4, 0};
constexpr ring_choice float_rings[3][6] = {
    {{32, 8, 2, 8, 8},
     {32, 8, 2, 8, 12},
     {32, 4, 4, 8, 0},
     {32, 8, 2, 8, 0},
     {16, 16, 2, 8, 0},
     {16, 16, 4, 6, 0}},
    {{32, 16, 1, 4, 8},
     {32, 16, 1, 4, 12},
     {32, 16, 2, 4, 0},
     {16, 32, 2, 4, 0},
     {32, 8, 4, 4, 0},
     {32, 8, 4, 4, 0}},
    {{32, 8, 2, 8, 8}, {64, 8, 2, 4, 12}, {64, 8, 2, 3, 0}, {16, 32, 2, 4, 0}}};
constexpr ring_choice double_rings[3][6] = {
    {{32, 16, 1, 4, 8},
     {32, 8, 2, 4, 12},
     {64, 4, 4, 3, 0},
     {16, 16, 4, 4, 0},
     {16, 16, 4, 4, 0},
     {32, 12, 2, 6, 0}},
    {{64, 8, 2, 4, 8},
     {64, 8, 2, 4, 12},
     {64, 8, 2, 3, 0},
     {64, 4, 4, 3, 0},
     {32, 8, 4, 6, 0},
     {32, 8, 4, 4, 0}},
    {{32, 16, 1, 4, 8}, {32, 8, 2, 4, 12}, {64, 4, 4, 3, 0}, {16, 32, 2, 4, 0}}};

/* kind 0: for a wave. */
template <typename T> constexpr ring_choice ring_of(int radius, int kind)
{
  if (kind == 0 || (kind == 3 && radius > 4)) return wave_ring;
  return (sizeof(T) == 4 ? float_rings : double_rings)[kind - 1][radius - 1];
}

/* All blocks take equally long, so the last wave of them, one per multiprocessor, should be full;
 * more per multiprocessor gain nothing, as they share the bottleneck. A slab costs its planes, and
 * `extra` for those around it and the latency of its first loads. */
inline int slab_for(int64_t tiles, int planes, int extra)
{
  enum { SHORTEST = 8 };
  const int64_t held = multiprocessors();
  int best = planes;
  double least = 0;
  for (int slabs = 1; slabs == 1 || planes / slabs >= SHORTEST; slabs++) {
    const int slab = (planes + slabs - 1) / slabs;
    const int64_t blocks = tiles * ((planes + slab - 1) / slab);
    const double cost = (double)((blocks + held - 1) / held) * (slab + extra);
    if (slabs > 1 && cost >= least) continue;
    best = slab;
    least = cost;
  }
  return best;
}

template <typename T, int R, int WHICH> const char *ring(const stencil_job *job, stencil_launch *l)
{
  constexpr ring_choice c = ring_of<T>(R, WHICH);
  constexpr bool APART = WHICH == 3 && R <= 4;
  typedef ring_shape<T, R, c.y, c.tx, c.ty, APART> S;
  constexpr int BYTES = ring_source<T, S, R, c.stages>::BYTES;
  const auto kernel = a_ring<T, R, c.y, WHICH == 0, c.stages, c.tx, c.ty, APART>;
  device_job<T> a = device_job_of<T>(job);
  const int n[3] = {(int)a.pitch, a.n[1] + 2 * R, a.n[2] + 2 * R};
  const T *const base = a.x - MAP_LEFT - R * a.pitch - R * a.plane;
  ring_maps maps = {};
  void *encoder = NULL;
  const char *why = make_map(&encoder, &maps.tile, base, n, a.pitch, a.plane, S::PITCH, S::ROWS);
  if (!why && APART)
    why = make_map(&encoder, &maps.beside, base, n, a.pitch, a.plane, S::GHOSTS, S::HIGH);
  if (why) return why;
  dim3 grid(blocks_for(a.n[0], S::WIDE), blocks_for(a.n[1], S::HIGH));
  if (a.slab == 0)
    a.slab = c.slab ? c.slab : slab_for((int64_t)grid.x * grid.y, a.n[2], 2 * R + c.stages);
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

} /* namespace */

STENCIL_ENTRY(stencil_a_ring, (any_ring<double, 1>), (any_ring<float, 1>))
STENCIL_ENTRY(stencil_a_other_ring, (any_ring<double, 2>), (any_ring<float, 2>))
STENCIL_ENTRY(stencil_a_ring_apart, (any_ring<double, 3>), (any_ring<float, 3>))

extern "C" void stencil_a_ring_tile(const stencil_job *job, int kind, int tile[2])
{
  const int which = job->wave ? 0 : kind;
  const ring_choice c =
      job->wide ? ring_of<double>(job->radius, which) : ring_of<float>(job->radius, which);
  tile[0] = c.tx * 16 / (int)stencil_bytes(job);
  tile[1] = c.ty * c.y;
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
