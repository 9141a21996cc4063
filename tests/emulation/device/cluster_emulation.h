/* Clusters without a GPU (cuda/device/cluster.cuh says what these do). */
#ifndef EMULATION_CLUSTER_EMULATION_H
#define EMULATION_CLUSTER_EMULATION_H

#include "device/tma_emulation.h"

namespace
{

typedef char *cluster_address;

inline unsigned cluster_rank()
{
  return blockIdx.x;
}
inline void cluster_arrive() {}
inline void cluster_wait()
{
  emulation_meet_blocks();
}
inline cluster_address address_in(unsigned rank, const void *own)
{
  return static_cast<char *>(emulation_shared_of(rank)) +
         (static_cast<const char *>(own) - static_cast<char *>(emulation_dynamic_shared()));
}
inline void cluster_store(cluster_address to, double value, cluster_address counted)
{
  memcpy(to, &value, sizeof value);
  byte_barrier *const b = reinterpret_cast<byte_barrier *>(counted);
  b->bytes -= (int)sizeof value;
  barrier_check(b);
}
inline void cluster_barrier_wait(byte_barrier *b, unsigned parity)
{
  barrier_wait(b, parity);
}

} /* namespace */

#endif
