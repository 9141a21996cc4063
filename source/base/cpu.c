/* The instruction sets that configure found in the compiler's flags. The Makefile compiles this
 * file, and all others that run before a context is created, for any CPU. */
#define _GNU_SOURCE /* sizes of caches */
#include "base/cpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "config.h"

bool hymgi_cpu_has_all(void)
{
#define HAS(name) &&__builtin_cpu_supports(name)
  return true HYMG_CPU_NEEDS(HAS);
#undef HAS
}

/* Linux's name of a processor begins one of these lines; ARM's have the last one alone. */
static bool names_model(const char *line)
{
  return strncmp(line, "model name", 10) == 0 || strncmp(line, "cpu\t", 4) == 0 ||
         strncmp(line, "CPU part", 8) == 0;
}

/* Else the kind of machine. */
static void read_model(char model[96])
{
  char line[256] = "";
  struct utsname system;
  FILE *file = fopen("/proc/cpuinfo", "r");
  snprintf(model, 96, "%.95s", uname(&system) == 0 ? system.machine : "unknown");
  while (file && fgets(line, sizeof line, file))
    if (names_model(line) && strchr(line, ':')) {
      snprintf(model, 96, "%.95s", strchr(line, ':') + 1);
      break;
    }
  if (file) fclose(file);
}

void hymgi_cpu_name(char name[HYMGI_CPU_NAME])
{
#define ONE(set) +1
  const int sets = 0 HYMG_CPU_NEEDS(ONE);
#undef ONE
  char model[96], *to = model;
  read_model(model);
  for (const char *from = model; *from; from++)
    if (isprint((unsigned char)*from) && *from != '=' && (to > model || *from != ' '))
      *to++ = *from;
  *to = '\0';
  snprintf(name, HYMGI_CPU_NAME, "%s, %d instruction sets", model, sets);
}

/* Where the system does not tell. */
enum { USUAL_L2 = 1 << 20 };

static size_t bytes_or(long told, size_t usual)
{
  return told > 0 ? (size_t)told : usual;
}

/* Not from sysconf, which tells the sum of all third-level caches of a package. Processors with topology extensions describe the
 * third level as number 3: ways, partitions, bytes of a line and sets, each less one. */
hymgi_third_cache hymgi_cpu_third_cache(void)
{
  hymgi_third_cache cache = {0, 0};
#ifdef __x86_64__
  unsigned a, b, c, d;
  const bool described =
      __builtin_cpu_is("amd") && __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 22 & 1);
  if (described && __get_cpuid_count(0x8000001D, 3, &a, &b, &c, &d) && (a >> 5 & 7) == 3) {
    cache.bytes =
        (size_t)((b >> 22) + 1) * ((b >> 12 & 0x3FF) + 1) * ((b & 0xFFF) + 1) * ((size_t)c + 1);
    cache.processors = (int)(a >> 14 & 0xFFF) + 1;
  }
#endif
  return cache;
}

size_t hymgi_near_cache(int threads, int ranks)
{
  size_t second = USUAL_L2;
#ifdef _SC_LEVEL2_CACHE_SIZE
  second = bytes_or(sysconf(_SC_LEVEL2_CACHE_SIZE), USUAL_L2);
#endif
  const hymgi_third_cache third = hymgi_cpu_third_cache();
  const int room = third.processors / threads, sharers = ranks < room ? ranks : room > 1 ? room : 1;
  const size_t all = second * (size_t)threads, part = third.bytes / (size_t)sharers;
  return all > part ? all : part;
}
