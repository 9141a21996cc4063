/* Medians, and the triad that the host's rows are measured against: a = b + s c on arrays larger
 * than the caches. */
#define _DEFAULT_SOURCE
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool kernels_times_add(kernels_times *t, double value)
{
  if (t->count == t->room) {
    const int room = t->room > 0 ? 2 * t->room : 64;
    double *more = realloc(t->value, (size_t)room * sizeof *more);
    if (!more) return false;
    t->value = more;
    t->room = room;
  }
  t->value[t->count++] = value;
  t->total += value;
  return true;
}

static int compare(const void *left, const void *right)
{
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

double kernels_median(const kernels_times *t)
{
  if (t->count == 0) return NAN;
  qsort(t->value, (size_t)t->count, sizeof *t->value, compare);
  return 0.5 * (t->value[(t->count - 1) / 2] + t->value[t->count / 2]);
}

void kernels_times_free(kernels_times *t)
{
  free(t->value);
  *t = (kernels_times){0};
}

/* ---- triad ---- */

struct kernels_triad {
  double *a, *b, *c;
  size_t n;
  int threads;
};

/* Four times the last cache, as STREAM asks, within a quarter of the memory. */
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

/* On large pages where there are some, as the library's fields are. */
static double *allocate(size_t n)
{
  enum { PAGE = 2 << 20 };
  const size_t bytes = (n * sizeof(double) + PAGE - 1) / PAGE * PAGE;
  double *data = aligned_alloc(PAGE, bytes);
#ifdef MADV_HUGEPAGE
  if (data) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  return data;
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
  t->a = allocate(t->n);
  t->b = allocate(t->n);
  t->c = allocate(t->n);
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
  kernels_times times = {0};
  const size_t elements = n > 0 && n < t->n ? n : t->n;
  triad(t, elements);
  while (times.count < 5 || times.total < 0.05) {
    const double start = fv_clock();
    triad(t, elements);
    if (!kernels_times_add(&times, fv_clock() - start)) break;
  }
  const double seconds = kernels_median(&times);
  kernels_times_free(&times);
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
