/* Case a on several ranks: z shared out, each rank a box of the same size. */
#ifndef STENCIL_SCALING_H
#define STENCIL_SCALING_H

#include "stencils/bench.h"

/* A rank's box. Rotating arrays: x, prev and where the next goes, which is prev's. */
typedef struct scaling_box {
  stencil_job job; /* of the host's arrays */
  int rank, ranks;
  int x, prev;
} scaling_box;

/* Random numbers by place in the whole domain, zero in ghosts. */
void scaling_fill(const scaling_box *box, int array);
/* Points of this rank that differ, after so many steps, from plain loops over the box and as many
 * planes around as can matter; result: the array with the last step. -1: no memory. */
int64_t scaling_wrong(const scaling_box *box, int steps, const void *result);

#endif
