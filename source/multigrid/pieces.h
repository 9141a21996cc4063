/* Pieces of level 0, where faces have beta 0: cells that are connected by faces that conduct. A piece floats if no
 * boundary of the domain holds u in it, and no C but a weak one that is the same in all its cells. Then f without its
 * mean gives u without its mean. With C = 0 the piece is singular: f must have the sum 0 in it, and u is known but for a
 * constant. With a weak C the mean of u is that of f over C. */
#ifndef HYMGI_MULTIGRID_PIECES_H
#define HYMGI_MULTIGRID_PIECES_H

#include "multigrid/level.h"

/* The label of a piece is the smallest number of a cell in it, x fastest, then y, so that it depends on nothing
 * else. Arrays are of the floating pieces, by label. The same on every rank. */
typedef struct hymgi_pieces {
  int64_t count; /* of all pieces; 1 where they are not looked for */
  int floating, singular;
  int64_t *label, *cells;
  double *volume; /* over the mean volume of a cell */
  double *hold;   /* C per volume, 0 in singular pieces */
  double *mean;   /* of the f of the solve, per volume */
  /* for sums: four numbers a piece in the level's memory, seven that the host can read; NULL on ranks without
   * cells of the level */
  double *scratch, *host;
  int room; /* how many pieces these are for */
} hymgi_pieces;

/* What a projection has taken off: of the singular piece with the largest mean, in comparison with its largest |f|. */
typedef struct hymgi_projection {
  double mean;    /* of f, per volume */
  double largest; /* max |f| in the piece, before */
  int64_t label, cells;
  double excess;    /* |mean| over largest */
  double kept;      /* max |f| of the pieces with a weak C, before */
  double root;      /* of the sum over those of mean squared times cells */
  int incompatible; /* pieces whose excess is above the limit */
} hymgi_projection;

/* On ranks with cells of the level, which is level 0 and whose f is integrated over cells. project: f loses its
 * mean over each floating piece, times the cells' volumes, and becomes 0 in a piece where only rounding is left;
 * if found is not NULL, it says what was found, with the limit for singular pieces, and the means are kept. center: u
 * loses its mean over each, of volumes or of cells alone. Both use level->y. add_means: to u, without its means, in the
 * pieces with a weak C those that f gives. */
void hymgi_pieces_project(const hymgi_level *level, const hymgi_pieces *p, double limit, double *f,
                          hymgi_projection *found);
void hymgi_pieces_center(const hymgi_level *level, const hymgi_pieces *p, bool by_volume,
                         double *u);
void hymgi_pieces_add_means(const hymgi_level *level, const hymgi_pieces *p, double *u);
/* Of each piece the largest C per volume and, without what rounding explains, its distance from the smallest one. */
void hymgi_pieces_holds(const hymgi_level *level, const hymgi_pieces *p, double *most,
                        double *distance);
/* The volume of each piece, into p->volume. */
void hymgi_pieces_measure(const hymgi_level *level, const hymgi_pieces *p);

#endif
