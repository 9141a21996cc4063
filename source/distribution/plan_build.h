/* Shared by plan_regions.c, which finds the bricks of a plan, and plan_messages.c, which sorts
 * them into messages. */
#ifndef HYMGI_DISTRIBUTION_PLAN_BUILD_H
#define HYMGI_DISTRIBUTION_PLAN_BUILD_H

#include "distribution/plan.h"

typedef enum hymgi_way { HYMGI_LOCAL, HYMGI_SEND, HYMGI_RECEIVE } hymgi_way;

/* A brick, of a message only this rank's side of it, with its sort key: both ends of a message
 * derive the same key and sub. */
typedef struct hymgi_brick {
  hymgi_way way;
  int rank; /* the other one */
  int sub;
  int64_t key;
  hymgi_copy copy;
} hymgi_brick;

/* For an all-gather the members in rank order, and this rank's place among them. */
typedef struct hymgi_members {
  int *rank, count, place;
} hymgi_members;

/* Sorts the bricks and lays out the messages; no buffers and no requests yet. */
hymg_status hymgi_plan_assemble(hymg_context *context, hymgi_brick *brick, int count,
                                hymgi_plan **plan);
/* Of a plan whose only send is what this member has, and whose receives are what the others have, with this rank plus the
 * distance in places for their rank: messages of an all-gather instead. */
hymg_status hymgi_plan_in_rounds(hymgi_plan *plan, const hymgi_members *members);

#endif
