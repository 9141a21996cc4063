/* Words that two GPUs share, without GPUs (cuda/device/peer.cuh): ranks are processes that share memory. */
#ifndef EMULATION_PEER_EMULATION_H
#define EMULATION_PEER_EMULATION_H

namespace
{

inline unsigned long long load_acquire(const unsigned long long *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
inline void store_release(unsigned long long *word, unsigned long long value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
inline unsigned long long nanoseconds()
{
  return (unsigned long long)clock64();
}
inline void send_bits(double *to, unsigned long long bits)
{
  __atomic_store_n((unsigned long long *)to, bits, __ATOMIC_RELEASE);
}
inline unsigned long long load_bits(const double *at)
{
  return __atomic_load_n((const unsigned long long *)at, __ATOMIC_ACQUIRE);
}

constexpr int EAGER_TRIES = 0; /* the other GPU is a process that needs the core */

} /* namespace */

#endif
