/* Shared by plan_regions.c, which finds the bricks of a plan, and plan_messages.c, which sorts
 * them into messages. */
#ifndef HYMGI_DISTRIBUTION_PLAN_BUILD_H
#define HYMGI_DISTRIBUTION_PLAN_BUILD_H

#include "distribution/plan.h"

/* A brick of a message and its sort key among the bricks for the same pair of ranks; both ends
 * derive the same key and sub. */
typedef struct hymgi_item {
  int rank; /* the other one */
  int sub;
  int64_t key;
  hymgi_piece piece;
} hymgi_item;

typedef struct hymgi_items {
  hymgi_item *item;
  int count, capacity;
} hymgi_items;

typedef struct hymgi_copies {
  hymgi_copy *copy;
  int count, capacity;
} hymgi_copies;

typedef struct hymgi_bricks {
  hymgi_copies local;
  hymgi_items send, receive;
} hymgi_bricks;

/* Ensures room for one more element in an array of `count` elements of `size` bytes. */
hymg_status hymgi_grow(hymg_context *context, void **array, int count, int *capacity, size_t size);

/* Swaps sources with targets and sends with receives. */
void hymgi_bricks_reverse(hymgi_bricks *bricks);
void hymgi_bricks_free(hymgi_bricks *bricks);

/* Sorts the items (in place) and lays out the messages; no buffers and no requests yet. */
hymg_status hymgi_plan_assemble(hymg_context *context, hymgi_bricks *bricks, hymgi_plan **plan);

/* Tag, buffers and requests. */
hymg_status hymgi_plan_finish(hymg_context *context, int tag, hymgi_plan *plan);

#endif
