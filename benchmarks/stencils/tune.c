/* --tune: slabs of the GPU's marches, row counts of the CPU's tiles, each timed once. */
#include "stencils/bench.h"

enum { REPEAT = 3 };

/* Short ones, and those that divide 512 planes evenly among few. */
static const int slabs[] = {4,  5,  6,  7,  8,  10, 12,  14,  16,  19,  22,  26,  32,
                            37, 43, 52, 64, 74, 86, 103, 128, 171, 256, 512, 1024};
static const int rows[] = {4, 8, 16, 32, 64, 128, 256};

/* Times each value smaller than `most`, and `most`; *place gets the best. */
static bool search(stencil_bench *bench, const stencil_kernel *kernel, const stencil_job *job,
                   int *place, const int *number, int count, int most)
{
  double least = 0;
  int best = 0;
  for (int c = 0; c <= count; c++) {
    if (c < count && number[c] >= most) continue;
    double ms;
    *place = c < count ? number[c] : most;
    if (!stencil_time(bench, kernel, job, REPEAT, &ms)) return false;
    if (best > 0 && ms >= least) continue;
    best = *place;
    least = ms;
  }
  *place = best;
  return true;
}

bool stencil_tune(stencil_bench *bench, const stencil_kernel *kernel, stencil_job *job)
{
  enum { SLABS = sizeof slabs / sizeof *slabs, ROWS = sizeof rows / sizeof *rows };
  const stencil_options *const o = bench->options;
  const int along = job->which == 'a' ? 2 : job->which == 'b' ? 1 : job->axis;
  if (!o->tune) return true;
  if (kernel->slab == STENCIL_CHOSEN && along > 0)
    return search(bench, kernel, job, &job->slab, slabs, SLABS, job->g.n[along]);
  if (kernel->tile[1] == STENCIL_CHOSEN && !o->tile[0])
    return search(bench, kernel, job, &job->tile[1], rows, ROWS, job->g.n[1]);
  return true;
}
