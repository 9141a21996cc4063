/* Z-Morton order for any number of boxes per axis: an octree over the enclosing cube of a power
 * of two, whose nodes count only the boxes that exist. Octants are ordered with x fastest, then
 * y, then z. */
#include "distribution/decomposition.h"

/* Half the side of the smallest cube with a power of two as side that contains all boxes; 0 for
 * one box. */
static int64_t enclosing_half(const int boxes[3])
{
  int64_t half = 0;
  for (int a = 0; a < 3; a++)
    while (boxes[a] > 1 && 2 * half < boxes[a])
      half = half ? 2 * half : 1;
  return half;
}

/* The number of existing boxes in the cube with the given side and low corner. */
static int64_t boxes_within(const int boxes[3], const int64_t low[3], int64_t side)
{
  int64_t count = 1;
  for (int a = 0; a < 3; a++) {
    const int64_t left = boxes[a] - low[a];
    count *= left < 0 ? 0 : left < side ? left : side;
  }
  return count;
}

static void octant_low(const int64_t low[3], int octant, int64_t half, int64_t child[3])
{
  for (int a = 0; a < 3; a++)
    child[a] = low[a] + (octant >> a & 1) * half;
}

int64_t hymgi_morton_rank(const int boxes[3], const int box[3])
{
  int64_t place = 0, low[3] = {0, 0, 0}, child[3];
  for (int64_t half = enclosing_half(boxes); half > 0; half /= 2) {
    int mine = 0;
    for (int a = 0; a < 3; a++)
      mine |= (box[a] >= low[a] + half) << a;
    for (int octant = 0; octant < mine; octant++) {
      octant_low(low, octant, half, child);
      place += boxes_within(boxes, child, half);
    }
    octant_low(low, mine, half, low);
  }
  return place;
}

void hymgi_morton_box(const int boxes[3], int64_t place, int box[3])
{
  int64_t low[3] = {0, 0, 0}, child[3];
  for (int64_t half = enclosing_half(boxes); half > 0; half /= 2) {
    int octant = 0;
    for (; octant < 7; octant++) {
      octant_low(low, octant, half, child);
      const int64_t count = boxes_within(boxes, child, half);
      if (place < count) break;
      place -= count;
    }
    octant_low(low, octant, half, low);
  }
  for (int a = 0; a < 3; a++)
    box[a] = (int)low[a];
}
