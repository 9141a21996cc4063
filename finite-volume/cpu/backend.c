/* The host backend: its operation table, memory and thread counts. */
#define _DEFAULT_SOURCE
#include "cpu/cpu.h"
#include "cpu/robust.h"

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

static const hymgi_memory host_memory = {.name = "host",
                                         .on_host = true,
                                         .zeroed = true,
                                         .alloc = alloc_doubles,
                                         .release = release_doubles};

static hymg_status keep_block(hymg_context *context, void **block, size_t bytes)
{
  (void)context, (void)block, (void)bytes;
  return HYMG_OK;
}

static void nothing_to_wait_for(hymg_context *context)
{
  (void)context;
}

static void zero_doubles(hymg_context *context, double *data, size_t doubles)
{
  (void)context;
  memset(data, 0, doubles * sizeof(double));
}

static void copy_doubles(hymg_context *context, const double *from, double *to, size_t doubles)
{
  (void)context;
  memcpy(to, from, doubles * sizeof(double));
}

static void scale_vector(const hymgi_level *level, double factor, double *x)
{
#pragma omp parallel for schedule(static) num_threads(hymgi_cpu_threads(level))
  for (ptrdiff_t t = 0; t < level->vector_size; t++)
    x[t] *= factor;
}

hymgi_tuning hymgi_cpu_tuning(const hymgi_method *method)
{
  (void)method;
  return (hymgi_tuning){
      .split_from = 8, .wave_from = 96, .wave_stages = 6, .wave_rows = 32, .wave_restrict = true};
}

static const hymgi_backend host_backend = {
    .id = HYMG_BACKEND_HOST,
    .name = "host",
    .line = HOST_LINE,
    .single = &hymgi_cpu_single_backend,
    .mover = {hymgi_cpu_copy_local, hymgi_cpu_pack, hymgi_cpu_unpack, NULL, NULL, NULL, NULL, NULL},
    .memory = &host_memory,
    .crossing = &host_memory,
    .share = keep_block,
    .unshare = free,
    .sync = nothing_to_wait_for,
    .zero = zero_doubles,
    .copy = copy_doubles,
    .brick = hymgi_cpu_brick,
    .gather = hymgi_cpu_gather,
    .examine = hymgi_cpu_examine,
    .clear = hymgi_cpu_clear,
    .scale = scale_vector,
    .scratch_doubles = hymgi_cpu_scratch_doubles,
    .finish_coefficients = hymgi_cpu_finish_coefficients,
    .restrict_faces = hymgi_cpu_restrict_faces,
    .boundary_term = hymgi_cpu_boundary_term,
    .add_boundary_terms = hymgi_cpu_add_boundary_terms,
    .fluxes = hymgi_cpu_fluxes,
    .apply = hymgi_cpu_apply,
    .residual = hymgi_cpu_residual,
    .residual_max = hymgi_cpu_residual_max,
    .smooth = hymgi_cpu_smooth,
    .tune = hymgi_cpu_tune,
    .smooth_restrict = hymgi_cpu_smooth_restrict,
    .residual_restrict = hymgi_cpu_residual_restrict,
    .restrict_cells = hymgi_cpu_restrict_cells,
    .queue_restrict_max = hymgi_cpu_restrict_max,
    .fill_ghosts = hymgi_cpu_fill_ghosts,
    .interpolate = hymgi_cpu_interpolate,
    .interpolate_later = hymgi_cpu_interpolate_later,
    .smooth_norm = hymgi_cpu_smooth_norm,
    .robust = &hymgi_cpu_robust,
    .coarse_multiply = hymgi_cpu_coarse_multiply,
    .fill = hymgi_cpu_fill,
    .axpby = hymgi_cpu_axpby,
    .shift = hymgi_cpu_shift,
    .precondition = hymgi_cpu_precondition,
    .max = hymgi_cpu_max,
    .sum = hymgi_cpu_sum,
};

const hymgi_backend *hymgi_cpu_backend(void)
{
  return &host_backend;
}
