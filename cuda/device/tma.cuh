/* TMA: asynchronous copies of boxes of a grid to shared memory, which take no registers, and the
 * barriers that count their bytes (sm_90). Without CUDA the thread that issues a copy does it.
 * benchmarks/stencils uses these too. */
#ifndef HYMGI_DEVICE_TMA_CUH
#define HYMGI_DEVICE_TMA_CUH

#include <cuda_runtime.h>
#include <stddef.h>
#include <string.h>

#ifdef __CUDACC__
#include <cudaTypedefs.h>
#endif

namespace
{

/* In shared memory. A phase is over when `count` have arrived and all announced bytes are there. */
struct alignas(16) byte_barrier {
#if defined(__CUDACC__)
  unsigned long long word;
#else
  int missing, count, bytes;
  unsigned phase;
#endif
};

/* A grid of n points, base the first of them, and the box of a copy; or two such grids, `apart`
 * entries from each other, whose boxes are stored one after the other. */
struct grid_map {
#if defined(__CUDACC__)
  CUtensorMap map;
#else
  const char *base;
  ptrdiff_t pitch, plane, apart;
  int n[3], box[2], each;
#endif
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

__device__ __forceinline__ unsigned shared_address(const void *at)
{
  return (unsigned)__cvta_generic_to_shared(at);
}

__device__ __forceinline__ void barrier_start(byte_barrier *b, int count)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
               : "memory");
}

/* Called by one thread before the block synchronises. */
__device__ __forceinline__ void barriers_started()
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(byte_barrier *b)
{
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}

/* Orders the thread's reads before the copies that are issued after this: those reach shared memory
 * through another proxy, which a barrier alone does not order. */
__device__ __forceinline__ void reads_done()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_announce(byte_barrier *b, int bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
               "r"(bytes)
               : "memory");
}

/* Waits until the phase of this parity is over. */
__device__ __forceinline__ void barrier_wait(byte_barrier *b, unsigned parity)
{
  asm volatile("{\n\t.reg .pred over;\n"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n\t"
               "@!over bra again;\n\t}" ::"r"(shared_address(b)),
               "r"(parity)
               : "memory");
}

/* The box whose first corner is at (x, y, z), to 128 bytes; what lies outside the grid is zero. */
__device__ __forceinline__ void copy_box(void *to, const grid_map *map, int x, int y, int z,
                                         byte_barrier *b)
{
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
               "l"(&map->map), "r"(x), "r"(y), "r"(z), "r"(shared_address(b))
               : "memory");
}

/* The same for both grids. */
__device__ __forceinline__ void copy_boxes(void *to, const grid_map *map, int x, int y, int z,
                                           byte_barrier *b)
{
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(to)),
               "l"(&map->map), "r"(x), "r"(y), "r"(z), "r"(0), "r"(shared_address(b))
               : "memory");
}

#elif defined(__CUDACC__)

/* Never run: the host checks for sm_90 first. */
__device__ __forceinline__ void barrier_start(byte_barrier *, int) {}
__device__ __forceinline__ void barriers_started() {}
__device__ __forceinline__ void reads_done() {}
__device__ __forceinline__ void barrier_arrive(byte_barrier *) {}
__device__ __forceinline__ void barrier_announce(byte_barrier *, int) {}
__device__ __forceinline__ void barrier_wait(byte_barrier *, unsigned) {}
__device__ __forceinline__ void copy_box(void *, const grid_map *, int, int, int, byte_barrier *) {}
__device__ __forceinline__ void copy_boxes(void *, const grid_map *, int, int, int, byte_barrier *)
{
}

#else

inline void barrier_start(byte_barrier *b, int count)
{
  *b = {count, count, 0, 0};
}
inline void barriers_started() {}
inline void reads_done() {}
inline void barrier_check(byte_barrier *b)
{
  if (b->missing > 0 || b->bytes > 0) return;
  b->missing = b->count;
  b->phase++;
}
inline void barrier_arrive(byte_barrier *b)
{
  b->missing--;
  barrier_check(b);
}
inline void barrier_announce(byte_barrier *b, int bytes)
{
  b->bytes += bytes;
  barrier_arrive(b);
}
inline void barrier_wait(byte_barrier *b, unsigned parity)
{
  while ((b->phase & 1) == parity)
    __nanosleep(0);
}
/* x: a multiple of 16 bytes, as on a GPU, where anything else is an illegal instruction */
inline char *copy_rows(char *row, const grid_map *map, const char *base, int x, int y, int z)
{
  if (x * map->each % 16 || map->box[0] * map->each % 16) __builtin_trap();
  for (int j = 0; j < map->box[1]; j++)
    for (int i = 0; i < map->box[0]; i++, row += map->each) {
      const bool inside = x + i >= 0 && x + i < map->n[0] && y + j >= 0 && y + j < map->n[1] &&
                          z >= 0 && z < map->n[2];
      const ptrdiff_t at = x + i + (y + j) * map->pitch + z * map->plane;
      if (inside)
        memcpy(row, base + at * map->each, (size_t)map->each);
      else
        memset(row, 0, (size_t)map->each);
    }
  return row;
}
inline void copy_box(void *to, const grid_map *map, int x, int y, int z, byte_barrier *b)
{
  copy_rows(static_cast<char *>(to), map, map->base, x, y, z);
  b->bytes -= map->box[0] * map->box[1] * map->each;
  barrier_check(b);
}
inline void copy_boxes(void *to, const grid_map *map, int x, int y, int z, byte_barrier *b)
{
  char *const second = copy_rows(static_cast<char *>(to), map, map->base, x, y, z);
  copy_rows(second, map, map->base + map->apart * map->each, x, y, z);
  b->bytes -= 2 * map->box[0] * map->box[1] * map->each;
  barrier_check(b);
}

#endif

#if defined(__CUDACC__)

inline PFN_cuTensorMapEncodeTiled_v12000 map_encoder()
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
  const bool there = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return there ? reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function) : NULL;
}

/* Returns NULL, or why it failed. apart: 0 for a single grid. */
template <typename T>
const char *make_map(grid_map *m, const T *base, const int n[3], ptrdiff_t pitch, ptrdiff_t plane,
                     int wide, int high, ptrdiff_t apart = 0)
{
  const PFN_cuTensorMapEncodeTiled_v12000 encode = map_encoder();
  const cuuint64_t size[4] = {(cuuint64_t)n[0], (cuuint64_t)n[1], (cuuint64_t)n[2], 2};
  const cuuint64_t stride[3] = {pitch * sizeof(T), plane * sizeof(T), apart * sizeof(T)};
  const cuuint32_t box[4] = {(cuuint32_t)wide, (cuuint32_t)high, 1, 2}, step[4] = {1, 1, 1, 1};
  if (!encode) return "the driver has no TMA";
  const CUresult result = encode(
      &m->map, sizeof(T) == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
      apart ? 4 : 3, const_cast<T *>(base), size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? NULL : "the driver refuses this grid for TMA";
}

#else

template <typename T>
const char *make_map(grid_map *m, const T *base, const int n[3], ptrdiff_t pitch, ptrdiff_t plane,
                     int wide, int high, ptrdiff_t apart = 0)
{
  *m = {reinterpret_cast<const char *>(base),
        pitch,
        plane,
        apart,
        {n[0], n[1], n[2]},
        {wide, high},
        (int)sizeof(T)};
  return NULL;
}

#endif

} /* namespace */

#endif
