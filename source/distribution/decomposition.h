/* How the cells of a level are divided into boxes, and which rank owns each. Boxes are equal unless
 * the user cuts them otherwise, or the robust path does on a coarser level. Ownership is
 * computed (Z-Morton order, equal shares) or given by the user's table for the finest level;
 * coarser levels follow by halving boxes, by merging 2 x 2 x 2 of them (the owner of the first
 * box owns the merged one) or by gathering all into one box, which has that owner or is held whole by
 * every rank that holds part of the finer level. No function here loops over all boxes per ghost or per
 * rank. */
#ifndef HYMGI_DISTRIBUTION_DECOMPOSITION_H
#define HYMGI_DISTRIBUTION_DECOMPOSITION_H

#include "comm/context.h"

typedef struct hymgi_decomp {
  const struct hymgi_decomp *finer; /* NULL on the finest level; else borrowed */
  int ranks;                        /* of the context */
  int n[3];                         /* cells of the level */
  int boxes[3];                     /* per axis; divides n if they are equal */
  int merge[3];                     /* boxes of the finer level per box of this level, per axis */
  /* Unequal boxes, else NULL. cut: the first cell of each box, then n. origin, on coarser levels: the
   * box of the finer level whose owner has this one, ascending (merge is not used then) */
  int *cut[3], *origin[3];
  bool same; /* the boxes are those of the finer level (halved), with their owners */
  /* one box, of which every rank that holds some of the finest level with several has a copy of its own: below that level
   * ranks need nothing from one another. hymgi_decomp_owner names one of them */
  bool whole;
  /* finest level with the user's callback: owners by the id of a box */
  int *owner_table;
  /* with the table: boxes of rank r are rank_box[rank_first[r] .. rank_first[r+1]) */
  int64_t *rank_first;
  int64_t *rank_box;
} hymgi_decomp;

/* A level of at most so many cells may be the coarsest, although its sides could be halved by rounding up. */
enum { HYMGI_COARSEST_CELLS = 8 * 8 * 8 };

/* Where levels of few cells live. */
typedef struct hymgi_gathering {
  int64_t below;  /* levels with fewer cells are one box */
  int64_t whole;  /* levels of one box with fewer cells are held by all ranks of the finer one */
  unsigned uncut; /* bit per axis: hymgi_decomp_coarsen_axes makes one box along it */
} hymgi_gathering;

/* Collective. The finest level. desc has been checked, except that `boxes` divides n and for the answers of the owner callback,
 * which are checked here. desc->boxes all 0: hymgi_decomp_default_boxes or, without a callback and extrapolation_box,
 * hymgi_decomp_unlike_boxes, and no boxes end within the axes of uncut, a bit per axis. If all n are even (the grid will be
 * coarsened), given boxes with an odd side are an error. Errors: EINVAL, ENOMEM. */
hymg_status hymgi_decomp_create(hymg_context *context, const hymg_grid_desc *desc, unsigned uncut,
                                hymgi_decomp **decomp);
/* The same for any number of ranks, with uncut = 0; not collective: nothing in the result depends on this rank. */
hymg_status hymgi_decomp_create_for(hymg_context *context, int ranks, const hymg_grid_desc *desc,
                                    hymgi_decomp **decomp);
/* The next coarser level (n halved on every axis; all n are even). min_box: the smallest side of
 * a distributed box. A level with fewer cells than gather->below becomes one box, where the finer one has more than
 * 64 boxes and one rank gathers in steps: up to four along each axis become one, if their number and sides allow. Otherwise, in
 * this order: boxes wider than 8 cells are halved; boxes are merged in pairs along the axes that
 * have several; all are gathered into one, in the same steps (with more than 2^18 cells only if no mix of halving
 * and pairing is possible). No more than 512 become one at once: where their number does not allow steps, groups of 64
 * and what is left over do, and boxes are unequal from there on. If the level can be coarsened again, its boxes have even
 * sides along axes with several boxes. */
hymg_status hymgi_decomp_coarsen(hymg_context *context, const hymgi_decomp *finer, int min_box,
                                 const hymgi_gathering *gather, hymgi_decomp **coarse);
/* Halves the axes of a mask (0: the same cells), n to ceil(n / 2). Cuts move to the next
 * even cell, so that this level can be halved along any axis; boxes that get no cell vanish. A level
 * with fewer cells than gather->below becomes one box, where the finer one has more than 64 boxes and one rank gathers in
 * steps of up to 64; with INT64_MAX at once. */
hymg_status hymgi_decomp_coarsen_axes(hymg_context *context, const hymgi_decomp *finer,
                                      unsigned axes, const hymgi_gathering *gather,
                                      hymgi_decomp **coarse);
void hymgi_decomp_destroy(hymgi_decomp **decomp);

/* Boxes per axis for `ranks` ranks: one box per rank, or the nearest number (the larger of two
 * equally near ones) whose factors divide n and leave at least 4 cells per side, an even number
 * if the grid can be coarsened; boxes are as close to cubes as possible. */
void hymgi_decomp_default_boxes(const int n[3], int ranks, int boxes[3]);
/* Levels that have odd sides sooner or later may have boxes cut at any even cells: other numbers of boxes, at most one a
 * rank, of nearly equal sides, if the rank with the most work then has at most 0.9 of it. False: none. */
bool hymgi_decomp_unlike_boxes(const int n[3], int ranks, int boxes[3]);

/* The position of a box in Z-Morton order among the existing boxes (0 .. product - 1), and the
 * inverse; O(log boxes). */
int64_t hymgi_morton_rank(const int boxes[3], const int box[3]);
void hymgi_morton_box(const int boxes[3], int64_t place, int box[3]);

/* The first cell of a box along an axis (box = boxes: n), and the box that contains a cell. */
int hymgi_decomp_low(const hymgi_decomp *decomp, int axis, int box);
int hymgi_decomp_box_at(const hymgi_decomp *decomp, int axis, int cell);
/* The id of a box of this level, x fastest, and the inverse. */
int64_t hymgi_decomp_id(const hymgi_decomp *decomp, const int box[3]);
void hymgi_decomp_box(const hymgi_decomp *decomp, int64_t id, int box[3]);

/* Context rank that owns a box of this level. */
int hymgi_decomp_owner(const hymgi_decomp *decomp, const int box[3]);

/* The boxes of one rank on this level, in a fixed order; *list is malloc'ed, 3 ints per box. The
 * cost is proportional to the number of boxes of that rank. */
hymg_status hymgi_decomp_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                                  int **list, int *count);

/* True if there is at least one box and they form one brick: low corner and extent in boxes. */
bool hymgi_decomp_brick(const int *list, int count, int low[3], int extent[3]);

#endif
