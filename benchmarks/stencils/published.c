/* Results of the four studies, by kernel. a: Tesla C1060, float; b: GPU of the same time; c: Tesla
 * C2050, 64^3; d: one die of an MI250X, 512^3, GB/s counting input and output once. */
#include "stencils/bench.h"

#include <string.h>

typedef struct figure {
  char which;
  int order; /* 0: any */
  int axis;  /* -1: any */
  bool wave;
  const char *kernel, *text;
} figure;

static const figure figures[] = {
    {'a', 8, -1, false, "naive", "0.57 Gpoints/s, redundancy 26"},
    {'a', 8, -1, false, "two-pass", "3.03 Gpoints/s, redundancy 5.5"},
    {'a', 2, -1, false, "one-pass 16x16", "5.09 Gpoints/s, 46 GB/s"},
    {'a', 4, -1, false, "one-pass 16x16", "4.97 Gpoints/s, 50 GB/s"},
    {'a', 6, -1, false, "one-pass 16x16", "4.03 Gpoints/s, 45 GB/s"},
    {'a', 8, -1, false, "one-pass 16x16", "3.73 Gpoints/s, 45 GB/s, redundancy 3"},
    {'a', 10, -1, false, "one-pass 16x16", "3.50 Gpoints/s, 46 GB/s"},
    {'a', 12, -1, false, "one-pass 16x16", "3.22 Gpoints/s, 46 GB/s"},
    {'a', 8, -1, false, "one-pass 32x32", "4.16 Gpoints/s, redundancy 2.5"},
    {'a', 2, -1, false, "one-pass 32x16", "5.91 Gpoints/s"},
    {'a', 2, -1, false, "one-pass 64x8", "6.75 Gpoints/s"},
    {'a', 8, -1, true, "one-pass 32x32", "3.0 Gpoints/s"},
    {'b', 8, -1, false, "rows", "14.6 GB/s"},
    {'b', 8, -1, false, "global", "248 GB/s"},
    {'b', 8, -1, false, "block", "300 GB/s"},
    {'b', 8, -1, false, "shared", "444 GB/s; Linf 6.0e-7, L2 5.1e-8"},
    {'c', 0, 1, false, "4 pencils", "32.6 GB/s"},
    {'c', 0, 1, false, "32 pencils", "58.8 GB/s"},
    {'c', 0, 0, false, "32 pencils", "52.6 GB/s; Linf 2.34e-5"},
    {'d', 0, 0, false, "point", "956 GB/s"},
    {'d', 0, 0, false, "point aligned", "990 GB/s"},
    {'d', 0, 1, false, "point", "940 GB/s"},
    {'d', 0, 1, false, "point aligned", "966 GB/s"},
    {'d', 0, 2, false, "point", "217 GB/s"},
    {'d', 0, 2, false, "point aligned", "297 GB/s"},
    {'d', 0, 2, false, "window", "1200 GB/s at best"},
};

const char *stencil_published(const stencil_job *job, const char *kernel)
{
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
    const figure *p = &figures[f];
    if (p->which == job->which && p->wave == job->wave &&
        (p->order == 0 || p->order == 2 * job->radius) && (p->axis < 0 || p->axis == job->axis) &&
        strcmp(p->kernel, kernel) == 0)
      return p->text;
  }
  return NULL;
}
