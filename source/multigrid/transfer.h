/* How a level exchanges values with the next coarser one: a record that is chosen once, when the shape of
 * the level is known, so that no operation asks which kind it is. */
#ifndef HYMGI_MULTIGRID_TRANSFER_H
#define HYMGI_MULTIGRID_TRANSFER_H

#include "multigrid/backend.h"

typedef struct hymgi_transfer {
  const char *kernel; /* the restriction's name, or NULL: that in the kernel table */

  /* the legs of a cycle, and its parts (level_ops.h) */
  void (*smooth_restrict)(hymgi_level *fine, hymgi_level *coarse, bool from_zero);
  void (*interpolate)(hymgi_level *coarse, hymgi_level *fine, bool f_cycle, bool smoothed);
  void (*interpolate_smooth)(hymgi_level *coarse, hymgi_level *fine);
  /* cells and low faces of patches from those of the fine level: means or sums. restrict_cells: true if
   * max |x| went to the slot (hymgi_slot), which may be NONE */
  bool (*restrict_cells)(const hymgi_level *fine, const double *x, double *patches, int slot);
  void (*restrict_faces)(const hymgi_level *fine, int axis, const double *beta,
                         const hymgi_geom *patch, double *coarse);
  /* weighted transfers: the residual, with its ghosts, to patches; x += what patches say */
  void (*restrict_weighted)(const hymgi_level *fine, const double *r, hymgi_after after,
                            double *patches);
  void (*interpolate_weighted)(const hymgi_level *fine, const double *source, bool smoothed,
                               double *x);

  /* smooth_restrict is one operation of the backend, which may leave x unread from zero */
  bool one_operation;
  bool takes_zero; /* smooth_restrict from zero takes x as 0, whatever it is */
  bool through_y;  /* the residual is in level->y before it is restricted */
  bool to_cells;   /* the coarsest level is a single cell, or cells that are not coupled */
  bool fuses;      /* weighted transfers: as the backend's smooth_restrict, interpolate_smooth */
  bool series;     /* weights are products, of coefficients in series, and reach across edges */
  bool ghosts;     /* reads ghosts of the residual and of the correction: */
  hymgi_halo halo; /* these */
  int weights;     /* arrays of weights that are read */
  /* coarse faces include the boundaries, which are not discretised anew */
  bool inherits;
  bool pairs;    /* level 0 is corrected by graphs (pairs.h), not by the next level */
  bool reversed; /* smooths with the colours reversed on the way up */
  /* The part of the sum of the children's equations that the coarse cell's is: all of it where equations are
   * integrated over cells, 1/8 on the standard path, where they are means, as if all cells had 8 children */
  double part_of_sum;
} hymgi_transfer;

/* The halo of a level that transfers from or to the next one read; NULL if nothing. */
static inline const hymgi_plan *hymgi_transfer_halo(const hymgi_transfer *transfer,
                                                    const hymgi_level *level)
{
  return transfer->ghosts ? level->halo[transfer->halo] : NULL;
}

/* Of a level of the standard path: its cells may have odd numbers, or a narrower last one. */
const hymgi_transfer *hymgi_standard_transfer(const hymgi_level *level);
/* Of all levels of the robust path. */
const hymgi_transfer *hymgi_robust_transfer(hymg_transfer wanted);

#endif
