/* A sweep whose messages the host passes, in parts: the cells that look at no ghost while the messages are
 * on their way, then the others. */
#ifndef HYMGI_EXCHANGE_OVERLAP_H
#define HYMGI_EXCHANGE_OVERLAP_H

#include "kernels/level_kernels.h"

extern "C" {
/* Are there messages, and cells that see no ghost? */
bool hymgi_cuda_could_overlap(const hymgi_level *level, const hymgi_plan *plan);
/* Cuts the level, the inside first, and opens the side stream; the parts' records are the caller's. */
hymg_status hymgi_cuda_make_parts(const hymgi_level *level, hymgi_level_parts *parts);
/* As hymgi_run_plan on x (and the boundary ghosts of FV4), then sweep(part, what) on the level's parts. A
 * sweep may write the cells of its part alone, and nothing that the sweep of another part reads. */
void hymgi_cuda_overlapped(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *box,
                           double *x, void (*sweep)(const hymgi_level *part, const void *what),
                           const void *what);
}

#endif
