/* The instruction sets that configure found in the compiler's flags. The Makefile compiles this
 * file, and all others that run before a context is created, for any CPU. */
#define _GNU_SOURCE /* sizes of caches */
#include "base/cpu.h"

#include <unistd.h>

#include "config.h"

bool hymgi_cpu_has_all(void)
{
#define HAS(name) &&__builtin_cpu_supports(name)
  return true HYMG_CPU_NEEDS(HAS);
#undef HAS
}

/* Where the system does not tell. */
enum { USUAL_L2 = 1 << 20 };

static size_t bytes_or(long told, size_t usual)
{
  return told > 0 ? (size_t)told : usual;
}

size_t hymgi_near_cache(int threads)
{
  size_t second = USUAL_L2, third = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
  second = bytes_or(sysconf(_SC_LEVEL2_CACHE_SIZE), USUAL_L2);
#endif
#if defined _SC_LEVEL3_CACHE_SIZE && defined __x86_64__
  if (__builtin_cpu_is("amd")) third = bytes_or(sysconf(_SC_LEVEL3_CACHE_SIZE), 0);
#endif
  const size_t all = second * (size_t)threads;
  return all > third ? all : third;
}
