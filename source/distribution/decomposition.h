/* How a level's cells are cut into equal boxes and who owns them. Ownership is arithmetic
 * (Z-Morton order, equal shares) or the user's table on the finest level; coarser levels follow
 * by halving boxes, by merging 2 x 2 x 2 of them (the owner of the first takes the merged one)
 * or by gathering all into one box. Nothing here walks all boxes per ghost or per rank. */
#ifndef HYMGI_DISTRIBUTION_DECOMPOSITION_H
#define HYMGI_DISTRIBUTION_DECOMPOSITION_H

#include "comm/context.h"

typedef struct hymgi_decomp {
  const struct hymgi_decomp *finer; /* NULL on the finest level; else borrowed */
  int ranks;                        /* of the context */
  int n[3];                         /* cells of the level */
  int boxes[3];                     /* per axis, each divides n */
  int merge[3]; /* boxes of the finer level per box of this one, per axis: 1, 2 or finer->boxes */
  /* finest level with the user's callback: owner of box (x, y, z) at (z*by + y)*bx + x */
  int *owner_table;
  /* with the table: boxes of rank r are rank_box[rank_first[r] .. rank_first[r+1]) */
  int64_t *rank_first;
  int64_t *rank_box;
} hymgi_decomp;

/* Collective. Finest level. desc is valid already but for `boxes` dividing n and the owner
 * callback's answers, which are checked here; desc->boxes all 0: chosen by
 * hymgi_decomp_default_boxes. Where all n are even (the grid is
 * going to be coarsened) boxes of an odd side are an error. Errors: EINVAL,
 * ENOMEM. */
hymg_status hymgi_decomp_create(hymg_context *context, const hymg_grid_desc *desc,
                                hymgi_decomp **decomp);
/* The same for any number of ranks, not collective: all that depends on this rank is in who
 * asks. */
hymg_status hymgi_decomp_create_for(hymg_context *context, int ranks, const hymg_grid_desc *desc,
                                    hymgi_decomp **decomp);
/* The next coarser level (n halved on every axis; all n are even). min_box: a distributed box
 * stays at least this wide. Fewer cells than gather_below: one box. Else, in this order: boxes wider than 8 cells are halved; boxes are merged
 * in pairs along the axes with several; all are gathered into one (more than 2^18 cells: only if
 * no mix of halving and pairing is left). If the level can be coarsened again, its boxes have
 * even sides along axes with several. */
hymg_status hymgi_decomp_coarsen(hymg_context *context, const hymgi_decomp *finer, int min_box,
                                 int64_t gather_below, hymgi_decomp **coarse);
void hymgi_decomp_destroy(hymgi_decomp **decomp);

/* Boxes per axis for `ranks` ranks: one box a rank or the nearest count (the larger of two
 * equally near) whose factors divide n and leave 4 cells or more a box, even ones if the grid
 * can be coarsened; boxes as near to cubes as can be. */
void hymgi_decomp_default_boxes(const int n[3], int ranks, int boxes[3]);

/* Place of a box in Z-Morton order among the boxes that exist (0 .. product - 1), and back;
 * O(log boxes). */
int64_t hymgi_morton_rank(const int boxes[3], const int box[3]);
void hymgi_morton_box(const int boxes[3], int64_t place, int box[3]);

/* Context rank that owns a box of this level. */
int hymgi_decomp_owner(const hymgi_decomp *decomp, const int box[3]);

/* The boxes of one rank on this level, in a fixed order; *list is malloc'ed, 3 ints a box. Cost:
 * that rank's boxes. */
hymg_status hymgi_decomp_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                                  int **list, int *count);

/* If the rank owns at least one box and they form one brick: true, with the brick in boxes (low
 * corner, extent). */
bool hymgi_decomp_brick(const int *list, int count, int low[3], int extent[3]);

#endif
