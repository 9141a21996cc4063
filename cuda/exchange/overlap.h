/* Overlap of a sweep with messages: the cells that read no ghost are swept while the messages are
 * under way, the others afterwards. */
#ifndef HYMGI_EXCHANGE_OVERLAP_H
#define HYMGI_EXCHANGE_OVERLAP_H

#include "kernels/level_kernels.h"

extern "C" {
/* Are there messages, and cells that read no ghost? */
bool hymgi_cuda_could_overlap(const hymgi_level *level, const hymgi_plan *plan);
/* Splits the level, the interior part first, and opens the side stream; the caller fills in the
 * parts' kernel records. */
hymg_status hymgi_cuda_make_parts(const hymgi_level *level, hymgi_level_parts *parts);
/* As hymgi_run_plan on x (and FV4's boundary ghosts), then sweep(part, what) on the level's parts.
 * A sweep may only write cells of its own part, and nothing that the sweep of another part reads.
 * */
void hymgi_cuda_overlapped(const hymgi_level *level, const hymgi_plan *plan, const hymgi_geom *box,
                           double *x, void (*sweep)(const hymgi_level *part, const void *what),
                           const void *what);
}

#endif
