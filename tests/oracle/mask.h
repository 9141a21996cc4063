/* Systems with faces of beta 0, and their solution by a dense solve, piece by piece. */
#ifndef ORACLE_MASK_H
#define ORACLE_MASK_H

#include "oracle/robust.h"
#include "oracle/trial.h"

/* What the pieces of a system are, from its matrix alone. */
typedef struct mask_pieces {
  int count, singular;
  int *piece;   /* of each cell; -1: no unknown */
  bool *held;   /* of each piece */
  double *mean; /* of f over each piece, per volume; 0 where it is held */
} mask_pieces;

/* Of 1 to `longest` cells a side: boundaries, widths, coefficients, data, transfer and smoother at random; cells
 * without couplings, closed faces or both, from few to nearly all, and in some systems fixed cells. */
trial mask_trial(unsigned seed, int longest);
/* The same with FV4: 4 to `longest` cells a side of one width, limiter 8; fixed cells, closed faces or both. */
trial mask_trial_fv4(unsigned seed, int longest);
/* Is a face closed? */
bool mask_is_closed(const trial *t);
/* Closes all faces of cell (i, j, k). */
void mask_cell(trial *t, int i, int j, int k);
/* The solution, 0 in cells that are no unknowns but for given values; of a singular piece that with mean 0, for f
 * without its mean. p: to be released, or NULL. */
double *mask_solution(const trial *t, mask_pieces *p);
void mask_release(mask_pieces *p);

#endif
