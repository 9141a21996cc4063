/* Lists of bricks as arguments of a kernel, and the grid that works on one. */
#ifndef HYMGI_DEVICE_COPY_LIST_CUH
#define HYMGI_DEVICE_COPY_LIST_CUH

#include "device/loops.cuh"

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

inline piece_list pieces_of(const hymgi_piece *pieces, int count, const hymgi_geom *box)
{
  piece_list l = {};
  l.count = count;
  l.many = pieces;
  l.box = box;
  if (count == 1) l.one = pieces[0];
  l.of = box[l.one.box];
  return l;
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

} /* namespace */

#endif
