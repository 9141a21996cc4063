/* What the transfers of the robust path share: a thread has a coarse cell, of a patch, and its
 * children, one or two along each axis. */
#ifndef HYMGI_KERNELS_ROBUST_TRANSFER_CUH
#define HYMGI_KERNELS_ROBUST_TRANSFER_CUH

#include "device/loops.cuh"
#include "kernels/robust/robust.h"
#include "runtime/launch.cuh"

extern "C" {
#include "formulas/conductance.h"
}

namespace
{

enum {
  TRANSFER_THREADS = 128,
  TRANSFER_BLOCKS = 24 /* per multiprocessor */,
  MOST_PLANES = 8,
  MOST_Z = 64
};

/* Fine boxes with their images, and how blocks cover these: x fastest, then y, then slabs of
 * planes, box by box. */
struct transfer_args {
  box_set boxes, patches;
  const hymgi_real *weight[3]; /* NULL where the axis is not halved, or weights are not used */
  unsigned axes;               /* that are halved */
  int across[2];               /* blocks along x and y */
  int slab, slabs;             /* coarse planes of a block; of the tallest patch */
};

inline int power_of_two(int n, int most)
{
  int p = 1;
  while (p < n && p < most)
    p *= 2;
  return p;
}

/* The threads of a block along each axis. */
inline dim3 transfer_block(const int n[3])
{
  const int x = power_of_two(n[0], 32), y = power_of_two(n[1], TRANSFER_THREADS / x);
  const int z = power_of_two(n[2], TRANSFER_THREADS / (x * y));
  return dim3((unsigned)x, (unsigned)y, (unsigned)(z < MOST_Z ? z : MOST_Z));
}

/* Several planes for a block where that leaves enough of them: what two planes both read is then
 * still in a cache. */
inline transfer_args transfer_args_of(const hymgi_level *level, const int n[3], const dim3 &block)
{
  transfer_args a = {};
  a.boxes = box_set_of(level->box, level->num_boxes);
  a.patches = box_set_of(level->patch, level->num_boxes);
  for (int axis = 0; axis < 3; axis++)
    a.weight[axis] = level->weight[axis];
  a.axes = level->coarsened;
  a.across[0] = (int)blocks_for(n[0], (int)block.x);
  a.across[1] = (int)blocks_for(n[1], (int)block.y);
  const int z = (int)block.z;
  const int64_t blocks =
      (int64_t)a.across[0] * a.across[1] * blocks_for(n[2], z) * level->num_boxes;
  const int64_t many = blocks / (TRANSFER_BLOCKS * level->context->gpu->multiprocessors);
  a.slab = z * (many < 1 ? 1 : many < MOST_PLANES ? (int)many : MOST_PLANES);
  a.slabs = (int)blocks_for(n[2], a.slab);
  return a;
}

inline dim3 transfer_blocks(const transfer_args &a)
{
  return dim3((unsigned)a.across[0] * (unsigned)a.across[1] * (unsigned)a.slabs *
              (unsigned)a.boxes.count);
}

/* each(g, patch, I, J, K) for the coarse cells of this thread. */
template <typename Each>
__device__ __forceinline__ void each_coarse_cell(const transfer_args &a, const Each &each)
{
  const int row = (int)blockIdx.x / a.across[0], layer = row / a.across[1];
  const int b = layer / a.slabs, first = layer % a.slabs * a.slab;
  const hymgi_geom g = box_at(a.boxes, b), patch = box_at(a.patches, b);
  const int I = (int)(blockIdx.x % a.across[0] * blockDim.x + threadIdx.x);
  const int J = (int)(row % a.across[1] * blockDim.y + threadIdx.y);
  const int end = first + a.slab < patch.n[2] ? first + a.slab : patch.n[2];
  if (I >= patch.n[0] || J >= patch.n[1]) return;
  for (int K = first + (int)threadIdx.z; K < end; K += (int)blockDim.z)
    each(g, patch, I, J, K);
}

/* ---- the children of a row ---- */

/* Places of a coarse cell's children in fine row (j, k): an even and an odd one, and the cells
 * before and after both; if x is not halved a single one, `even`. */
struct row_of_children {
  ptrdiff_t even, odd, west, east;
};

template <bool HALVED>
__device__ __forceinline__ row_of_children children_at(const hymgi_geom &g, int I, int j, int k)
{
  row_of_children c = {};
  if (!HALVED) {
    c.even = hymgi_at(&g, I, j, k);
  } else if (g.split) {
    const int colour = (j + k + g.parity) & 1;
    c.even = hymgi_row(&g, colour, j, k) + I;
    c.odd = hymgi_row(&g, 1 - colour, j, k) + I;
    c.west = c.odd - 1, c.east = c.even + 1;
  } else {
    c.even = hymgi_row(&g, 0, j, k) + 2 * I;
    c.odd = c.even + 1;
    c.west = c.even - 1, c.east = c.even + 2;
  }
  return c;
}

/* Values of both; behind a single child, of what follows it in memory. */
struct two_values {
  hymgi_real even, odd;
};

template <bool HALVED>
__device__ __forceinline__ two_values values_at(bool split, const hymgi_real *x,
                                                const row_of_children &c)
{
  if (!HALVED) return {x[c.even], 0};
  if (split) return {x[c.even], x[c.odd]};
  const real2 v = *reinterpret_cast<const real2 *>(x + c.even);
  return {v.x, v.y};
}

/* Weights, which no kernel of a solve writes; 0 if the axis has none. */
template <bool HALVED, bool USED>
__device__ __forceinline__ two_values weights_at(bool split, const hymgi_real *w,
                                                 const row_of_children &c)
{
  if (!USED) return {0, 0};
  if (!HALVED) return {__ldg(w + c.even), 0};
  if (split) return {__ldg(w + c.even), __ldg(w + c.odd)};
  const real2 v = __ldg(reinterpret_cast<const real2 *>(w + c.even));
  return {v.x, v.y};
}

/* ---- axes ---- */

/* The axes to halve as a template argument AXES: 1 to 7 or, of the axes in the arguments, whether x is one of them, which
 * decides how memory is read. */
constexpr unsigned NOT_X = 8, X_AND_OTHERS = 9;

template <unsigned AXES> __device__ __forceinline__ unsigned axes_of(const transfer_args &a)
{
  return AXES < NOT_X ? AXES : (a.axes & ~1u) | (AXES & 1);
}

/* call(std::integral_constant of the axes to halve, 1 to 7) */
template <typename Call> void with_axes(unsigned axes, const Call &call)
{
  const bool x = axes & 1, y = axes >> 1 & 1, z = axes >> 2 & 1;
  with_bools(
      [&](auto ox, auto oy, auto oz) {
        constexpr unsigned AXES = (ox ? 1 : 0) | (oy ? 2 : 0) | (oz ? 4 : 0);
        if constexpr (AXES != 0) call(std::integral_constant<unsigned, AXES>());
      },
      x, y, z);
}

/* Interpolation by constants, which no solve chooses by itself, has no kernels for some axes each. */
template <unsigned AXES, bool WEIGHTED>
constexpr unsigned AXES_FOR = WEIGHTED   ? AXES
                              : AXES & 1 ? X_AND_OTHERS
                                         : NOT_X;

} /* namespace */

#endif
