/* Lists of bricks as arguments of a kernel, and how a grid works on one; the arguments of the
 * kernels that carry out a plan between GPUs. */
#ifndef HYMGI_EXCHANGE_PIECES_CUH
#define HYMGI_EXCHANGE_PIECES_CUH

#include "device/loops.cuh"
#include "device/peer.cuh"

namespace
{

/* A single brick and its box are passed with the kernel's arguments: they may lie in memory that no
 * device reads. So may the only box of a rank: with several bricks, box 0 is passed along. */
struct piece_list {
  hymgi_piece one;
  hymgi_geom of;
  const hymgi_piece *many;
  const hymgi_geom *box;
  int count;
};

inline piece_list pieces_of(const hymgi_plan *plan, bool out, const hymgi_geom *box)
{
  piece_list l = {};
  l.count = out ? plan->num_pack : plan->num_unpack;
  l.many = out ? plan->pack : plan->unpack;
  l.box = box;
  if (l.count == 1) l.one = l.many[0];
  l.of = box[l.one.box];
  return l;
}

__device__ __forceinline__ hymgi_geom box_of(const piece_list &l, const hymgi_piece &p)
{
  return l.count > 1 && p.box ? l.box[p.box] : l.of;
}

/* each(piece, box) for the pieces that this block works on. */
template <typename Each>
__device__ __forceinline__ void each_piece(const piece_list &l, const Each &each)
{
  if (l.count == 1) {
    each(l.one, l.of);
    return;
  }
  for (int m = (int)blockIdx.y; m < l.count; m += (int)gridDim.y) {
    const hymgi_piece p = l.many[m];
    each(p, p.box ? l.box[p.box] : l.of);
  }
}

/* each(packed, cell) for the values of a piece: the place from the piece's start, and in x. */
template <typename Each>
__device__ __forceinline__ void each_value(const hymgi_piece &p, const hymgi_geom &g,
                                           const Each &each)
{
  each_of_brick(p.n, [&](int i, int j, int k) {
    each(((size_t)k * p.n[1] + j) * p.n[0] + i,
         hymgi_at(&g, p.low[0] + i, p.low[1] + j, p.low[2] + k));
  });
}

/* Blocks along x for the brick with the most rows; along y one per brick. */
template <typename Brick> dim3 bricks_grid(const Brick *bricks, int count)
{
  unsigned blocks = 0;
  for (int m = 0; m < count; m++) {
    const unsigned wanted = row_blocks((int64_t)bricks[m].n[1] * bricks[m].n[2], bricks[m].n[0]);
    if (wanted > blocks) blocks = wanted;
  }
  return dim3(blocks, grid_share(count), 1);
}

inline dim3 pieces_grid(const hymgi_plan *plan, bool out)
{
  return out ? bricks_grid(plan->pack, plan->num_pack)
             : bricks_grid(plan->unpack, plan->num_unpack);
}

} /* namespace */

#endif
