/* Wide boxes: on levels whose half sweeps take less time than their messages, each box is held with layers of its
 * neighbours' cells, which this rank computes as well. A smoother call then exchanges once for as many (half) sweeps as
 * the layers allow, each of which leaves the outermost layers out. Every cell has the same operations wherever it is
 * computed, so the bits are those of levels without layers, for which level->wide is NULL. */
#ifndef HYMGI_MULTIGRID_WIDE_H
#define HYMGI_MULTIGRID_WIDE_H

#include "multigrid/level.h"

typedef struct hymgi_wide {
  hymgi_plan
      *plan; /* all ghosts, level->layers + level->ghost deep; NULL on ranks without neighbours */
  hymgi_geom *box; /* num_boxes of them, of the view in use */
  /* as in hymgi_coefficients, for boxes with all layers; NULL where those have none */
  hymgi_real *constant_rows;
  ptrdiff_t constant_row;
  /* layers of x beyond the boxes whose values are those of their owners: of level->x as the smoother has left it */
  int known;
  /* the same of what an interpolation has left for the smoother call that follows it; that one's patch */
  int ready;
  hymgi_geom patch;
  /* between the two smoother calls of a visit (level_ops.c) f stays what it is: */
  bool visited, f_known;
  bool current; /* the visit's end: nothing has written x since the smoother */
  /* for the profile, in the current operation: runs of the plan, and of the correction's halo */
  int exchanges, shallow;
} hymgi_wide;

/* The cells along each axis within which layers lie; 0: endless, where the axis is periodic. */
static inline void hymgi_wide_domain(const hymgi_level *level, int domain[3])
{
  for (int axis = 0; axis < 3; axis++)
    domain[axis] = level->periodic >> axis & 1 ? 0 : level->n[axis];
}

/* Layers that a (half) sweep of a GPU uses up: as many as the stencil has ghosts. A half sweep uses up one, also FV4's, which
 * reads the other colour one cell away and its own two away: once one is done, the colour that follows is known in a layer more
 * than `known` says. */
static inline int hymgi_wide_reach(const hymgi_level *level)
{
  return level->method->smoother == HYMG_GSRB ? 1 : level->op->ghost;
}

/* The level with so many layers more around its boxes, without messages: what is computed on it is computed in the
 * layers as well. Valid until the next call for the same level. */
hymgi_level hymgi_wide_view(const hymgi_level *level, int layers);
/* Interpolation to layers as well, where the coarse values around them are here: those of a coarse level that this rank has whole,
 * or in layers of its own. hymgi_wide_target: in how many, before the coarse level's ghosts are exchanged; x keeps its values
 * where it is added to. hymgi_wide_interpolated: the level with that many, and their patch; 0: as it is. */
int hymgi_wide_target(const hymgi_level *fine, const hymgi_level *coarse, bool boundary_data);
hymgi_level hymgi_wide_interpolated(const hymgi_level *fine, int layers, bool add);
/* Updates all layers of a vector. */
void hymgi_wide_exchange(const hymgi_level *level, hymgi_real *x);

/* Before a smoother call: of x no layers are known, unless it is 0, which it then is in all of them. f gets its layers
 * where it has none. Nothing to do on other levels. */
void hymgi_wide_begin(const hymgi_level *level, bool zero);

/* A visit begins with the smoother call before the restriction and ends with that after the interpolation. */
void hymgi_wide_enter(const hymgi_level *level);
void hymgi_wide_leave(const hymgi_level *level);
/* Has x all its ghosts, since a visit has just ended? Once. */
bool hymgi_wide_is_current(const hymgi_level *level);

#endif
