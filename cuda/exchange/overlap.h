/* A sweep whose messages the host passes, in parts: the cells that look at no ghost while the messages are
 * on their way, then the others. */
#ifndef HYMGI_EXCHANGE_OVERLAP_H
#define HYMGI_EXCHANGE_OVERLAP_H

#include "runtime/device.h"

extern "C" {
/* Is it worth it on this level, and is there an inside? */
bool hymgi_cuda_overlaps(const hymgi_level *level, const hymgi_plan *plan);
/* As hymgi_run_plan on x (close: and the boundary ghosts of FV4), then sweep(part, what) on parts that make
 * up the level. A sweep may write the cells of its part alone, and nothing that the sweep of another
 * part reads. */
void hymgi_cuda_overlapped(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *box,
                           double *x, void (*sweep)(const hymgi_level *part, const void *what),
                           const void *what);
}

#endif
