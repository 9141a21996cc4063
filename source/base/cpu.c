/* The instruction sets that configure found in the compiler's flags. The Makefile compiles this
 * file, and all others that run before a context is created, for any CPU. */
#include "base/cpu.h"

#include "config.h"

bool hymgi_cpu_has_all(void)
{
#define HAS(name) &&__builtin_cpu_supports(name)
  return true HYMG_CPU_NEEDS(HAS);
#undef HAS
}
