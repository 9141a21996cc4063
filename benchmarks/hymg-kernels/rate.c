/* The rate that is 100 %: on the host a triad, a = b + s c on arrays larger than the caches; on a
 * GPU a copy of one plain field to another, several times the size of any cache, by the backend's
 * vector operation. */
#define _DEFAULT_SOURCE
#include "hymg-kernels/kernels.h"

#include "common/kit/machine.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- triad ---- */

struct kernels_triad {
  double *a, *b, *c;
  size_t n;
  int threads;
};

/* Four times the last-level cache, as STREAM requires, within a quarter of the memory. */
static double default_bytes(void)
{
  double cache = 32e6;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (l3 > 0) cache = (double)l3;
#endif
  const double memory = fv_machine_info().memory, wanted = 4 * cache > 384e6 ? 4 * cache : 384e6;
  return memory > 0 && wanted > memory / 4 ? memory / 4 : wanted;
}

static void triad(const kernels_triad *t, size_t n)
{
  double *const restrict a = t->a;
  const double *const restrict b = t->b, *const restrict c = t->c;
#pragma omp parallel for simd schedule(static) num_threads(t->threads)
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] + 3.0 * c[i];
}

kernels_triad *kernels_triad_create(double bytes, int threads)
{
  kernels_triad *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->n = (size_t)((bytes > 0 ? bytes : default_bytes()) / 24);
  t->threads = threads;
  t->a = fv_large_pages(t->n);
  t->b = fv_large_pages(t->n);
  t->c = fv_large_pages(t->n);
  if (!t->a || !t->b || !t->c) {
    kernels_triad_destroy(&t);
    return NULL;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t i = 0; i < t->n; i++)
    t->a[i] = 0, t->b[i] = 1, t->c[i] = 2;
  return t;
}

double kernels_triad_run(kernels_triad *t, size_t n)
{
  times timed = {0};
  const size_t elements = n > 0 && n < t->n ? n : t->n;
  triad(t, elements);
  while (times_wanted(&timed, 5, 0.05, 10000)) {
    const double start = fv_clock();
    triad(t, elements);
    if (!times_add(&timed, fv_clock() - start, 1)) break;
  }
  const double seconds = times_median(&timed);
  times_free(&timed);
  return (double)elements / seconds;
}

double kernels_triad_bytes(const kernels_triad *t)
{
  return 24.0 * (double)t->n;
}

void kernels_triad_destroy(kernels_triad **t)
{
  if (!*t) return;
  free((*t)->a);
  free((*t)->b);
  free((*t)->c);
  free(*t);
  *t = NULL;
}

/* ---- copy ---- */

enum { SIDE = 256, CALLS = 10, RUNS = 5 };

struct kernels_copy {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *from, *to;
  double cells;
};

/* Planes of two fields that take this many bytes, and at most a quarter of the free memory. */
static int planes_of(hymg_context *context, double bytes)
{
  hymg_device_info device;
  double wanted = bytes > 0 ? bytes : 0x1p30;
  if (hymg_device_get(context, -1, &device) == HYMG_OK && wanted > device.free_bytes / 4)
    wanted = device.free_bytes / 4;
  const int planes = (int)(wanted / (16.0 * SIDE * SIDE));
  return planes > 0 ? planes : 1;
}

static hymg_status make(kernels_copy *c, int planes)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  desc.n[0] = desc.n[1] = SIDE, desc.n[2] = planes;
  TRY(hymg_grid_create(c->context, &desc, &c->grid));
  TRY(hymg_field_create_in(c->grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &c->from));
  TRY(hymg_field_create_in(c->grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &c->to));
  c->cells = (double)hymg_grid_cells(c->grid);
  return hymg_field_fill(c->from, 1);
}

kernels_copy *kernels_copy_create(hymg_context *context, double bytes)
{
  kernels_copy *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->context = context;
  if (make(c, planes_of(context, bytes)) != HYMG_OK) kernels_copy_destroy(&c);
  return c;
}

static double copy_once(const kernels_copy *c)
{
  const hymgi_level *level = &c->from->view;
  level->backend->sync(c->context);
  const double start = hymgi_seconds();
  for (int call = 0; call < CALLS; call++)
    hymgi_copy_vector(level, c->from->data, c->to->data);
  level->backend->sync(c->context);
  return (hymgi_seconds() - start) / CALLS;
}

double kernels_copy_run(const kernels_copy *c)
{
  times timed = {0};
  copy_once(c);
  while (timed.count < RUNS && times_add(&timed, copy_once(c), 1))
    ;
  const double seconds = times_median(&timed);
  times_free(&timed);
  return 16 * c->cells / seconds;
}

void kernels_copy_destroy(kernels_copy **c)
{
  if (!*c) return;
  hymg_field_destroy(&(*c)->from);
  hymg_field_destroy(&(*c)->to);
  hymg_grid_destroy(&(*c)->grid);
  free(*c);
  *c = NULL;
}

/* ---- either ---- */

double kernels_full_rate(const kernels_bench *bench)
{
  return bench->copy ? kernels_copy_run(bench->copy) : 24 * kernels_triad_run(bench->triad, 0);
}

kernels_text kernels_rate_text(const kernels_bench *bench, double rate)
{
  kernels_text out;
  if (bench->copy)
    snprintf(out.text, sizeof out.text, "copy %.0f GB/s, read + written", 1e-9 * rate);
  else
    snprintf(out.text, sizeof out.text, "triad %.1f GB/s at 24 B per element, %.1f at 32 B",
             1e-9 * rate, 32e-9 / 24 * rate);
  return out;
}
