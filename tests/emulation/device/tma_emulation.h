/* TMA and its barriers without a GPU (cuda/device/tma.cuh says what they do): the thread that issues a copy does
 * it. */
#ifndef EMULATION_TMA_EMULATION_H
#define EMULATION_TMA_EMULATION_H

#include <stddef.h>
#include <string.h>

namespace
{

struct alignas(16) byte_barrier {
  int missing, count, bytes;
  unsigned phase;
};

struct grid_map {
  const char *base;
  ptrdiff_t pitch, plane, grid_stride;
  int n[3], box[2], each;
};

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
  copy_rows(second, map, map->base + map->grid_stride * map->each, x, y, z);
  b->bytes -= 2 * map->box[0] * map->box[1] * map->each;
  barrier_check(b);
}

template <typename T>
const char *make_map(void **, grid_map *m, const T *base, const int n[3], ptrdiff_t pitch,
                     ptrdiff_t plane, int wide, int high, ptrdiff_t grid_stride = 0)
{
  *m = {reinterpret_cast<const char *>(base),
        pitch,
        plane,
        grid_stride,
        {n[0], n[1], n[2]},
        {wide, high},
        (int)sizeof(T)};
  return NULL;
}

} /* namespace */

#endif
