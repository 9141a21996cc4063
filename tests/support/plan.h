/* Boxes of one rank with marked data for the tests of plans: the value of a cell encodes its
 * position, ghosts start unwritten. */
#ifndef SUPPORT_PLAN_H
#define SUPPORT_PLAN_H

#include "distribution/exchange.h"
#include "distribution/plan_build.h"

enum { SUPPORT_GHOST = 3, SUPPORT_MAX_LEVELS = 32 };

typedef struct support_local_boxes {
  hymgi_geom *box;
  int (*cover)[6];
  int num_boxes;
} support_local_boxes;

typedef struct support_boxes {
  hymgi_side side;
  support_local_boxes local;
  double *data; /* NaN where nothing has been written */
  int *writes;  /* per double of data */
} support_boxes;

/* A rank's boxes of a level; the vector holds no values yet. Fails the test on an error. */
support_boxes support_boxes_of(hymg_context *context, const hymgi_decomp *decomp, int rank,
                               unsigned periodic);
/* The patches of the next coarser level: each box at half resolution. */
support_boxes support_patches_of(hymg_context *context, const hymgi_decomp *fine, int rank,
                                 unsigned periodic);
void support_boxes_free(support_boxes *boxes);

/* The value of a global cell, also beyond the domain; no two are alike. */
double support_value(const int cell[3]);
void support_fill_interior(support_boxes *boxes);
/* Ghosts beyond boundaries get the value of the cell there. */
void support_fill_boundaries(support_boxes *boxes, const int n[3]);

/* Runs pack, local copies and unpack on the marked data, counting writes. */
extern const hymgi_mover support_mover;
void support_local(const hymgi_plan *plan, const support_boxes *src, support_boxes *dst);
void support_pack(const hymgi_plan *plan, const support_boxes *src, double *buffer);
void support_unpack(const hymgi_plan *plan, const double *buffer, support_boxes *dst);

/* Every local target cell of a halo plan is written exactly once and lies in the box's ghosts; pieces
 * tile the buffers. */
bool support_plan_is_valid(const hymgi_plan *plan, const hymgi_geom *src_box,
                           const hymgi_geom *dst_box, int num_dst);

/* Each ghost of the kind and depth was written once with its cell's value, nothing else was
 * touched. */
void support_check_halo(const support_boxes *boxes, hymgi_halo kind, int depth, const int n[3],
                        unsigned periodic, const char *where);
/* All cells and ghosts to `depth` were written once: in the domain, across periodic axes and beyond
 * boundaries. */
void support_check_scatter(const support_boxes *patches, int depth, const int n[3],
                           unsigned periodic, const char *where);
/* All cells were written once, no ghost was. */
void support_check_gather(const support_boxes *boxes, const char *where);

/* A cut, its ranks and its owners: the cases that every plan is tried on. */
typedef struct support_cut {
  int n[3], boxes[3];
  int (*owner)(const int box[3], void *user);
  hymgi_gathering gather; /* of its levels */
} support_cut;
extern const support_cut support_cuts[];
extern const int support_num_cuts;
/* The levels of a cut, finest first; returns their number. */
int support_levels(hymg_context *context, const support_cut *cut, int ranks,
                   hymgi_decomp *levels[SUPPORT_MAX_LEVELS]);
void support_levels_free(hymgi_decomp **levels, int count);

#endif
