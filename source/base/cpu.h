/* What the library asks about the CPU. */
#ifndef HYMGI_BASE_CPU_H
#define HYMGI_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>

/* Has this CPU, and the operating system for it, all instruction sets that the compiler could use? */
bool hymgi_cpu_has_all(void);

/* Bytes of the caches from which so many threads of each of so many ranks of this machine get data about as fast as they compute:
 * their second-level caches or, on AMD's processors, their part of a third-level cache, which is as fast as these. */
size_t hymgi_near_cache(int threads, int ranks);

/* A third-level cache and how many processors share it, as AMD's tell; all 0 where they do not. */
typedef struct hymgi_third_cache {
  size_t bytes;
  int processors;
} hymgi_third_cache;
hymgi_third_cache hymgi_cpu_third_cache(void);

/* The processor's model, as one line without "=", and how many instruction sets the library was compiled for. */
enum { HYMGI_CPU_NAME = 128 };
void hymgi_cpu_name(char name[HYMGI_CPU_NAME]);

#endif
