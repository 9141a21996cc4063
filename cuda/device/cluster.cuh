/* Thread block clusters (sm_90): blocks that run at the same time and store into each other's shared
 * memory. A store counts as bytes that a barrier of the receiver (tma.cuh) waits for. */
#ifndef HYMGI_DEVICE_CLUSTER_CUH
#define HYMGI_DEVICE_CLUSTER_CUH

#include "device/tma.cuh"

#ifndef __CUDACC__
#include "device/cluster_emulation.h"
#else

namespace
{

typedef unsigned cluster_address;

__device__ __forceinline__ unsigned cluster_rank()
{
  unsigned rank = 0;
  HYMGI_ON_SM_90(asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)));
  return rank;
}

/* The cluster's barrier: all threads of all blocks. */
__device__ __forceinline__ void cluster_arrive()
{
  HYMGI_ON_SM_90(asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"));
}
__device__ __forceinline__ void cluster_wait()
{
  HYMGI_ON_SM_90(asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"));
}

/* The same place in the shared memory of another block, or of this one. */
__device__ __forceinline__ cluster_address address_in(unsigned rank, const void *own)
{
  cluster_address there = 0;
  HYMGI_ON_SM_90(asm("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(there)
                     : "r"(shared_address(own)), "r"(rank)));
  return there;
}

/* Stores a value there and counts its bytes at the barrier `counted`, in the same block's memory. */
__device__ __forceinline__ void cluster_store(cluster_address to, double value,
                                              cluster_address counted)
{
  HYMGI_ON_SM_90(asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to),
      "l"(__double_as_longlong(value)), "r"(counted)
      : "memory"));
}

/* As barrier_wait, for what other blocks stored. */
__device__ __forceinline__ void cluster_barrier_wait(byte_barrier *b, unsigned parity)
{
  HYMGI_ON_SM_90(
      asm volatile("{\n\t.reg .pred over;\n"
                   "again:\n\t"
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n\t"
                   "@!over bra again;\n\t}" ::"r"(shared_address(b)),
                   "r"(parity)
                   : "memory"));
}

} /* namespace */

#endif
#endif
