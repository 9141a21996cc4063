/* The robust path's coarse end (robust_cycle.cu). */
#ifndef HYMGI_COARSE_ROBUST_CYCLE_H
#define HYMGI_COARSE_ROBUST_CYCLE_H

#include "runtime/device.h"

extern "C" {

/* The first of the levels that it takes; num_levels: none. */
int hymgi_cuda_robust_tail(const hymgi_hierarchy *h);
/* Queues a V-cycle from x = 0 on that level. */
void hymgi_cuda_robust_cycle(const hymgi_hierarchy *h, int l);
}

#endif
