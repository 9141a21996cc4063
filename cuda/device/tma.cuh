/* TMA: asynchronous copies of boxes of a grid to shared memory, which take no registers, and the
 * barriers that count their bytes (sm_90). Without CUDA the thread that issues a copy does it
 * (tests/emulation/device/tma_emulation.h). benchmarks/stencils uses these too. */
#ifndef HYMGI_DEVICE_TMA_CUH
#define HYMGI_DEVICE_TMA_CUH

#include <cuda_runtime.h>

#ifndef __CUDACC__
#include "device/tma_emulation.h"
#else

#include <cudaTypedefs.h>
#include <stddef.h>

/* On older devices nothing: there no kernel that needs it is launched. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HYMGI_ON_SM_90(...) __VA_ARGS__
#else
#define HYMGI_ON_SM_90(...)
#endif

namespace
{

/* In shared memory. A phase is over when `count` have arrived and all announced bytes are there. */
struct alignas(16) byte_barrier {
  unsigned long long word;
};

/* A grid of n points, base the first of them, and the box of a copy; or two such grids, `grid_stride`
 * entries from each other, whose boxes are stored one after the other. */
struct grid_map {
  CUtensorMap map;
};

__device__ __forceinline__ unsigned shared_address(const void *at)
{
  return (unsigned)__cvta_generic_to_shared(at);
}

__device__ __forceinline__ void barrier_start(byte_barrier *b, int count)
{
  HYMGI_ON_SM_90(
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                   : "memory"));
}

/* Called by one thread before the block synchronises. */
__device__ __forceinline__ void barriers_started()
{
  HYMGI_ON_SM_90(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
}

__device__ __forceinline__ void barrier_arrive(byte_barrier *b)
{
  HYMGI_ON_SM_90(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b))
                              : "memory"));
}

/* Orders the thread's reads before the copies that are issued after this: those reach shared memory
 * through another proxy, which a barrier alone does not order. */
__device__ __forceinline__ void reads_done()
{
  HYMGI_ON_SM_90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}

__device__ __forceinline__ void barrier_announce(byte_barrier *b, int bytes)
{
  HYMGI_ON_SM_90(asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
      : "memory"));
}

/* Waits until the phase of this parity is over. */
__device__ __forceinline__ void barrier_wait(byte_barrier *b, unsigned parity)
{
  HYMGI_ON_SM_90(asm volatile("{\n\t.reg .pred over;\n"
                              "again:\n\t"
                              "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n\t"
                              "@!over bra again;\n\t}" ::"r"(shared_address(b)),
                              "r"(parity)
                              : "memory"));
}

/* The box whose first corner is at (x, y, z), to 128 bytes; what lies outside the grid is zero. */
__device__ __forceinline__ void copy_box(void *to, const grid_map *map, int x, int y, int z,
                                         byte_barrier *b)
{
  HYMGI_ON_SM_90(asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map->map), "r"(x), "r"(y), "r"(z), "r"(shared_address(b))
      : "memory"));
}

/* The same for both grids. */
__device__ __forceinline__ void copy_boxes(void *to, const grid_map *map, int x, int y, int z,
                                           byte_barrier *b)
{
  HYMGI_ON_SM_90(asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(to)),
      "l"(&map->map), "r"(x), "r"(y), "r"(z), "r"(0), "r"(shared_address(b))
      : "memory"));
}

inline void *map_encoder()
{
  const char *const name = "cuTensorMapEncodeTiled";
  void *function = NULL;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

/* Returns NULL, or why it failed. encoder: NULL at first, then the driver's function, for the next calls.
 * grid_stride: 0 for a single grid. */
template <typename T>
const char *make_map(void **encoder, grid_map *m, const T *base, const int n[3], ptrdiff_t pitch,
                     ptrdiff_t plane, int wide, int high, ptrdiff_t grid_stride = 0)
{
  if (!*encoder) *encoder = map_encoder();
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(*encoder);
  const cuuint64_t size[4] = {(cuuint64_t)n[0], (cuuint64_t)n[1], (cuuint64_t)n[2], 2};
  const cuuint64_t stride[3] = {pitch * sizeof(T), plane * sizeof(T), grid_stride * sizeof(T)};
  const cuuint32_t box[4] = {(cuuint32_t)wide, (cuuint32_t)high, 1, 2}, step[4] = {1, 1, 1, 1};
  if (!encode) return "the driver has no TMA";
  const CUresult result = encode(
      &m->map, sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
      grid_stride ? 4 : 3, const_cast<T *>(base), size, stride, box, step,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? NULL : "the driver refuses this grid for TMA";
}

} /* namespace */

#endif
#endif
