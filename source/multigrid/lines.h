/* Lines of cells that are solved exactly before and after the smoother, on levels of the robust path: around an axis or a pole
 * cells are coupled along the azimuth many times as strongly as across it, elsewhere they are not, so that no order of halving
 * axes suits both. With the lines solved, all axes can be halved (docs/numerics.md, formulas/lines.h). */
#ifndef HYMGI_MULTIGRID_LINES_H
#define HYMGI_MULTIGRID_LINES_H

#include "multigrid/level_ops.h"

/* Which lines are strongly coupled, once the level has its coefficients; for ranks with cells of it. */
void hymgi_lines_set(hymgi_level *level);
/* None are solved: axes to halve will be those of the strongest couplings. */
void hymgi_lines_drop(hymgi_level *level);
/* Solves them, those of one colour after those of the other; nothing where there are none. reversed: in the other order. */
void hymgi_relax_lines(hymgi_level *level, bool reversed);

#endif
