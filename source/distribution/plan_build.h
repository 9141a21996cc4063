/* Between plan_regions.c, which finds the bricks of a plan, and plan_messages.c, which sorts them into
 * messages. */
#ifndef HYMGI_DISTRIBUTION_PLAN_BUILD_H
#define HYMGI_DISTRIBUTION_PLAN_BUILD_H

#include "distribution/plan.h"

/* A rank's boxes of a level, as hymgi_side_boxes returns them for this rank. */
typedef struct hymgi_local_boxes {
  hymgi_geom *box;
  int (*cover)[6];
  int num_boxes;
} hymgi_local_boxes;
hymg_status hymgi_side_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                                int ghost, unsigned periodic, hymgi_local_boxes *boxes);

/* What a plan moves. Target boxes (of the target's decomposition, at the resolution of the
 * source's level) and the ghosts around the brick that each is part of take their cells from the
 * source's boxes. */
typedef struct hymgi_pull {
  const hymgi_side *target, *source;
  int depth;           /* of the ghosts, 0 to 4 */
  unsigned directions; /* bit (dx + 1) + 3 (dy + 1) + 9 (dz + 1); 13 is the box itself */
  unsigned periodic;   /* bit per axis */
  bool boundaries;     /* beyond a boundary: from the source's ghosts there; else left alone */
  bool reverse;        /* the way back: targets are read and sources written */
} hymgi_pull;

hymgi_pull hymgi_halo_rule(const hymgi_side *side, hymgi_halo kind, int depth, unsigned periodic);
hymgi_pull hymgi_gather_rule(const hymgi_side *fine, const hymgi_side *coarse);
hymgi_pull hymgi_scatter_rule(const hymgi_side *fine, const hymgi_side *coarse, int depth,
                              unsigned periodic);

/* The plan of any rank, whose sides are given; without tag, buffers and requests. Errors: EINVAL
 * (depth; boxes that do not nest), ENOMEM. */
hymg_status hymgi_plan_pull_of(hymg_context *context, int rank, const hymgi_pull *rule,
                               hymgi_plan **plan);

/* A brick of a message and its place among those of the same pair of ranks; both ends derive the
 * same key and sub. */
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

/* Makes room for one more in an array of `count` entries of `size` bytes. */
hymg_status hymgi_grow(hymg_context *context, void **array, int count, int *capacity, size_t size);

/* Sources and targets, sends and receives change places. */
void hymgi_bricks_reverse(hymgi_bricks *bricks);
void hymgi_bricks_free(hymgi_bricks *bricks);

/* Sorts the items (in place) and lays out the messages; no buffers and no requests yet. */
hymg_status hymgi_plan_assemble(hymg_context *context, hymgi_bricks *bricks, hymgi_plan **plan);

/* Tag, buffers and requests. */
hymg_status hymgi_plan_finish(hymg_context *context, int tag, hymgi_plan *plan);

#endif
