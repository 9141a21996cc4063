/* Case a on several ranks: z is divided into equal boxes, one per rank. */
#ifndef STENCIL_SCALING_H
#define STENCIL_SCALING_H

#include "stencils/bench.h"

/* A rank's box. Rotating arrays: x, prev, and next, which replaces prev. */
typedef struct scaling_box {
  stencil_job job; /* of the host's arrays */
  int rank, ranks;
  int x, prev;
} scaling_box;

/* Random numbers that depend on the position in the whole domain, zeros in ghosts. */
void scaling_fill(const scaling_box *box, int array);
/* Number of this rank's points that differ, after this many steps, from plain loops over the box
 * and the planes around it that can influence it; result: the array of the last step. -1: out of
 * memory. */
int64_t scaling_wrong(const scaling_box *box, int steps, const void *result);

#endif
