/* Which forms of its kernels a context's GPU takes, for benchmarks and tests; in C. */
#ifndef HYMGI_KERNEL_TABLE_H
#define HYMGI_KERNEL_TABLE_H

#include "comm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of this many cells and more take the form called `name`; all forms give the same bits:
 *   fv2_pair   red-black Gauss-Seidel of FV2, both colours in one pass
 *   fv2_march  the same, a colour at a time, marched along z; else one cell a thread
 *   fv4_march  all smoothers and residuals of FV4 on rows split by colour, marched along z; else the
 *              smoothers and the residual's restriction in tiles in shared memory, and residuals one
 *              cell a thread
 *   fv4_ring   the residuals of those, and the smoothers but red-black Gauss-Seidel, with planes that
 *              come by TMA, where the device has such; else from memory
 *   fv4_sum    the restriction of FV4's residual on rows split by colour that are not marched, from
 *              memory after a kernel that fills boundary ghosts; else in tiles
 *   relax_march  the other smoothers of FV2, and their residuals, on rows not split by colour,
 *              marched along z; else one cell a thread
 *   relax_pair  the other smoothers of FV2, two sweeps in one pass, where a level is one box without
 *              neighbours
 *   fv2_apart  with peers: kernels of their own exchange between the sweeps of red-black Gauss-Seidel
 *              of FV2; else the sweeps do it
 *   overlap    with staged messages: sweeps in parts, the cells that see no ghost while the messages
 *              are on their way; boxes of this many cells
 *   overlap_fast  the same with peers and device messages, where it has not been seen to pay
 * Opens the GPU if it is not open. For solvers that are made after it. False: no such form, no
 * GPU, or a build without CUDA. */
bool hymgi_device_choose(hymg_context *context, const char *name, int64_t cells);

#ifdef __cplusplus
}
#endif
#endif
