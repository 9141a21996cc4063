/* The rate at which the machine copies memory, all ranks at once: what the solver's GB/s are
 * compared with. On the host a[i] = b[i] by the OpenMP threads of each rank, on a GPU CUDA's own
 * copy within its memory. Read and written bytes count. */
#include "hymg-fv/run.h"

#include "common/gpu/gpu.h"
#include "common/kit/timing.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_RUNS = 5, MOST_RUNS = 100, GPU_CALLS = 5 };
static const double least_seconds = 0.2;

/* The two arrays of this rank. */
typedef struct arrays {
  double *from, *to;
  size_t n; /* entries of each */
  int threads;
  gpu_copy *gpu; /* or NULL: on the host */
} arrays;

static void host_copy(const arrays *a)
{
  double *const restrict to = a->to;
  const double *const restrict from = a->from;
#pragma omp parallel for simd schedule(static) num_threads(a->threads)
  for (size_t i = 0; i < a->n; i++)
    to[i] = from[i];
}

static bool make_arrays(const fv_report *r, double bytes, arrays *a)
{
  *a = (arrays){.n = (size_t)(bytes / 16), .threads = r->threads};
  if (r->has_device) {
    a->gpu = gpu_copy_create(r->device.ordinal, 8 * a->n);
    return a->gpu != NULL;
  }
  a->from = fv_large_pages(a->n);
  a->to = fv_large_pages(a->n);
  if (!a->from || !a->to) return false;
    /* pages go where the thread that first writes them is */
#pragma omp parallel for schedule(static) num_threads(a->threads)
  for (size_t i = 0; i < a->n; i++)
    a->from[i] = 1, a->to[i] = 0;
  return true;
}

static void free_arrays(arrays *a)
{
  gpu_copy_destroy(&a->gpu);
  free(a->from);
  free(a->to);
}

/* What both arrays of a node or a GPU may take: a quarter of the memory that is free now. */
static double most_bytes(const fv_run *run, const fv_report *r)
{
  hymg_device_info device;
  if (!r->has_device) return fv_available_bytes() / 4;
  return hymg_device_get(run->context, -1, &device) == HYMG_OK ? device.free_bytes / 4 : 0;
}

/* Bytes of both arrays of a rank: what --copy-mb says for a node or a GPU, else on a host four
 * times the last-level caches and at least 384 MB, on a GPU 1 GiB. */
static double wanted_bytes(const fv_run *run, const fv_report *r)
{
  const int sharing = r->has_device ? 1 : (r->ranks + r->nodes - 1) / r->nodes;
  const double cache = 4 * fv_host_info().cache, most = most_bytes(run, r);
  const double wanted = r->options->copy_mb >= 0 ? 1e6 * r->options->copy_mb
                        : r->has_device          ? 0x1p30
                        : cache > 384e6          ? cache
                                                 : 384e6;
  return (wanted < most ? wanted : most) / sharing;
}

/* Seconds of a copy on the slowest rank. */
static bool time_copy(fv_run *run, arrays *a, double *seconds)
{
  const int calls = a->gpu ? GPU_CALLS : 1;
  bool ok = true;
  hymg_context_barrier(run->context);
  const double start = fv_clock();
  if (a->gpu)
    ok = gpu_copy_run(a->gpu, calls);
  else
    host_copy(a);
  *seconds = ok ? (fv_clock() - start) / calls : INFINITY;
  return fv_max(run, seconds);
}

/* All ranks see the same times, so they stop together. */
static void best_copy(fv_run *run, arrays *a, fv_bandwidth *b)
{
  double best = INFINITY, total = 0, seconds;
  time_copy(run, a, &seconds); /* warms up */
  while (isfinite(seconds) && b->copies < MOST_RUNS &&
         (b->copies < LEAST_RUNS || total < least_seconds)) {
    time_copy(run, a, &seconds);
    total += seconds;
    best = seconds < best ? seconds : best;
    b->copies++;
  }
  b->bytes_per_second = isfinite(seconds) && best > 0 ? b->bytes / best : NAN;
}

/* Memory that is not there leaves the rate NaN and is no failure of the run. */
bool fv_measure_bandwidth(fv_run *run, fv_report *report)
{
  arrays a;
  double least = -wanted_bytes(run, report);
  report->bandwidth = (fv_bandwidth){.bytes_per_second = NAN};
  if (!fv_max(run, &least)) return false;
  least = floor(-least / 16) * 16;
  if (least <= 0) return true;
  report->bandwidth.bytes = least * report->ranks;
  if (!fv_any(run, !make_arrays(report, least, &a))) best_copy(run, &a, &report->bandwidth);
  free_arrays(&a);
  return true;
}
