/* The host backend: memory, and what its table (table.c) has for levels in double precision alone. */
#define _DEFAULT_SOURCE
#include "cpu/cpu.h"
#include "cpu/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

enum { HUGE_PAGE = 2 << 20 };

/* What the system may still give, without what it could take back from its caches; NAN: unknown. */
static double free_gigabytes(void)
{
#ifdef _SC_AVPHYS_PAGES
  return 1e-9 * (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
  return NAN;
#endif
}

/* calloc leaves pages alone that are fresh from the system. The block's own address is in front of what
 * is returned. */
static hymg_status alloc_doubles(hymg_context *context, size_t doubles, double **data)
{
  if (doubles > (SIZE_MAX >> 4))
    return hymgi_fail(context, HYMG_ENOMEM, "%.3g GB are more than an address space",
                      (double)doubles * 8e-9);
  const size_t bytes = doubles * sizeof(double) + sizeof(double), large = bytes >= 2 * HUGE_PAGE;
  const size_t align = large ? HUGE_PAGE : 64, rounded = (bytes + align - 1) / align * align;
  char *const block = calloc(rounded + align + sizeof(void *), 1);
  if (!block)
    return hymgi_fail(context, HYMG_ENOMEM,
                      "%.7g GB of host memory: refused by the system, which has %.4g GB free",
                      (double)rounded * 1e-9, free_gigabytes());
  void *const p = block + sizeof(void *) + align - (uintptr_t)(block + sizeof(void *)) % align;
#ifdef MADV_HUGEPAGE
  if (large) madvise(p, rounded, MADV_HUGEPAGE);
#endif
  ((void **)p)[-1] = block;
  *data = p;
  return HYMG_OK;
}

static void release_doubles(hymg_context *context, double *data, size_t doubles)
{
  (void)context, (void)doubles;
  if (data) free(((void **)data)[-1]);
}

const hymgi_memory hymgi_cpu_memory = {.name = "host",
                                       .on_host = true,
                                       .zeroed = true,
                                       .alloc = alloc_doubles,
                                       .release = release_doubles};

hymg_status hymgi_cpu_keep_block(hymg_context *context, void **block, size_t bytes)
{
  (void)context, (void)block, (void)bytes;
  return HYMG_OK;
}

void hymgi_cpu_copy(hymg_context *context, const double *from, double *to, size_t doubles)
{
  (void)context;
  memcpy(to, from, doubles * sizeof(double));
}

void hymgi_cpu_scale(const hymgi_level *level, double factor, double *x)
{
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
  for (ptrdiff_t t = 0; t < level->vector_size; t++)
    x[t] *= factor;
}

hymgi_tuning hymgi_cpu_tuning(void)
{
  return (hymgi_tuning){
      .split_from = 8, .wave_from = 96, .wave_stages = 6, .wave_rows = 32, .wave_restrict = true};
}

const hymgi_backend *hymgi_cpu_backend(void)
{
  return &hymgi_cpu_table;
}
