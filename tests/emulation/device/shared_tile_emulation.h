/* Values that blocks pass on, without a GPU (cuda/device/shared_tile.cuh). */
#ifndef EMULATION_SHARED_TILE_EMULATION_H
#define EMULATION_SHARED_TILE_EMULATION_H

namespace
{

inline void post_bits(numbered *to, unsigned long long bits, unsigned long long number)
{
  *to = {bits, number};
}
inline numbered load_numbered(const numbered *at)
{
  return *at;
}
inline void let_others_run()
{
  __nanosleep(1);
}
inline void copy_pair(hymgi_real *shared, const hymgi_real *from)
{
  shared[0] = from[0], shared[1] = from[1];
}
inline void wait_for_copies() {}

} /* namespace */

#endif
