/* One rank of many without the others, for hymg-plans: a communicator that says "rank r of P" and has nobody behind it,
 * and the memory that the library takes meanwhile. hymg-plans is linked with --wrap for the functions of comm/comm.h and of
 * memory (Makefile.in); with any other communicator they are the library's. */
#ifndef ONE_RANK_H
#define ONE_RANK_H

#include "comm/context.h"

enum { ONE_RANK_NODE = 8 }; /* ranks of a node */

/* Makes the context rank `rank` of `ranks`. Nobody answers: messages come to nothing, and what all ranks find together is
 * what this one finds, except how many hold cells of a level: with one box a rank, as many as it has boxes. */
void one_rank_enter(hymg_context *context, int rank, int ranks);
/* Before the context is destroyed. */
void one_rank_leave(hymg_context *context);

/* Counts from now on; the most bytes that have been in use at once since then. */
void one_rank_count_memory(void);
double one_rank_peak_bytes(void);

#endif
