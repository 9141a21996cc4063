/* Built where the system has no performance events. */
#include <math.h>

#include "hymg-kernels/kernels.h"

double kernels_count_instructions(int threads, void (*work)(void *), void *argument,
                                  const char **why)
{
  (void)threads, (void)work, (void)argument;
  *why = "built without linux/perf_event.h";
  return NAN;
}
