/* Built where the system has no performance events. */
#include <math.h>

#include "common/kit/absent.h"
#include "hymg-kernels/kernels.h"

ABSENT(double kernels_count_instructions(int threads, void (*work)(void *), void *argument,
                                         const char **why),
       *why = "built without linux/perf_event.h";
       return NAN)
