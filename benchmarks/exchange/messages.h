/* Messages of one F-cycle: as counted by the library, and as expected from the decomposition. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "hymg.h"

/* Sent by rank 0, and by all ranks together. */
typedef struct messages_count {
  double first, first_bytes, all, all_bytes;
} messages_count;

/* Expected messages of level l in an F-cycle on these levels; sweeps per smoother call; halo:
 * layers that the stencil needs (FV2 1, FV4 2). Boundaries on all sides. False: the model does not
 * cover this decomposition (several boxes per rank). */
bool messages_model(const hymg_level_info *levels, int num_levels, int l, int sweeps, int halo,
                    messages_count *expected);

#endif
