/* Pieces of level 0, where faces have beta 0: cells that are connected by faces that conduct. A piece is singular
 * if nothing in it holds u: no C and no boundary of the domain. Then f must have the sum 0 in it, and u is known
 * but for a constant. */
#ifndef HYMGI_MULTIGRID_PIECES_H
#define HYMGI_MULTIGRID_PIECES_H

#include "multigrid/level.h"

/* The label of a piece is the smallest number of a cell in it, x fastest, then y, so that it depends on nothing
 * else. Arrays are of the singular pieces, by label. The same on every rank. */
typedef struct hymgi_pieces {
  int64_t count; /* of all pieces; 1 where they are not looked for */
  int singular;
  int64_t *label, *cells;
  double *volume; /* over the mean volume of a cell */
  /* for sums: four numbers a piece in the level's memory, seven that the host can read; NULL on ranks without
   * cells of the level */
  double *scratch, *host;
} hymgi_pieces;

/* What a projection has taken off: of the piece with the largest mean, in comparison with its largest |f|. */
typedef struct hymgi_projection {
  double mean;    /* of f, per volume */
  double largest; /* max |f| in the piece, before */
  int64_t label, cells;
  double excess;    /* |mean| over largest */
  double of_all;    /* max |f| of all singular pieces, before */
  int incompatible; /* pieces whose excess is above the limit */
} hymgi_projection;

/* On ranks with cells of the level, which is level 0 and whose f is integrated over cells. project: f loses its
 * mean over each singular piece, times the cells' volumes, and becomes 0 in a piece where only rounding is left;
 * with a limit, `found` says what was found. center: u loses its mean over each,
 * of volumes or of cells alone. Both use level->y. */
void hymgi_pieces_project(const hymgi_level *level, const hymgi_pieces *p, double limit, double *f,
                          hymgi_projection *found);
void hymgi_pieces_center(const hymgi_level *level, const hymgi_pieces *p, bool by_volume,
                         double *u);
/* The volume of each piece, into p->volume. */
void hymgi_pieces_measure(const hymgi_level *level, const hymgi_pieces *p);

#endif
