/* Cycles in single precision inside a solution in double precision: the residual, in double, is scaled
 * to order 1 and rounded; a cycle from zero on the levels in single precision gives a correction, which
 * is added in double. Since every such cycle starts from zero, neither the solution nor boundary data
 * are ever rounded, and the residual falls as far as it does in double precision alone. */
#include <math.h>

#include "multigrid/hierarchy.h"
#include "multigrid/level_ops.h"

/* ---- between the precisions ---- */

void hymgi_narrow(const hymgi_level *single, const hymgi_level *level, double factor,
                  const double *x, void *out)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 1.5,
                  single->backend->conversions->narrow(single, level, factor, x, out));
}

void hymgi_widen(const hymgi_level *single, const hymgi_level *level, double factor, const void *x,
                 bool add, double *out)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, add ? 2.5 : 1.5,
                  single->backend->conversions->widen(single, level, factor, x, add, out));
}

void hymgi_narrow_residual(const hymgi_level *single, const hymgi_level *level, double factor,
                           hymgi_slot slot)
{
  HYMGI_OPERATION(level, HYMGI_OP_RESIDUAL, 1.5,
                  single->backend->conversions->narrow_residual(single, level, factor, level->f,
                                                                level->x, single->f, (int)slot));
}

/* ---- cycles ---- */

void hymgi_mixed_residual(hymgi_hierarchy *h, int l, int exponent)
{
  const hymgi_level *level = h->level + l;
  if (level->num_boxes)
    hymgi_narrow_residual(h->singles.level + l, level, ldexp(1, -exponent), HYMGI_SLOT_RESIDUAL);
}

void hymgi_mixed_load(hymgi_hierarchy *h, int l, int exponent, const double *r)
{
  const hymgi_level *single = h->singles.level + l;
  if (single->num_boxes) hymgi_narrow(single, h->level + l, ldexp(1, -exponent), r, single->f);
}

/* Recorded cycles are the same every time, so the scale is applied outside, and buffers that smoothers
 * have exchanged are put back. */
void hymgi_mixed_cycle(hymgi_hierarchy *h, hymg_cycle kind, int l, int exponent, bool add)
{
  hymgi_level *single = h->singles.level + l, before = *single;
  hymgi_begin_cycle(h, l, kind, HYMGI_VARIANT_SINGLE);
  hymgi_single_cycle(h, kind, l);
  hymgi_end_cycle(h, l);
  if (single->num_boxes)
    hymgi_widen(single, h->level + l, ldexp(h->singles.scale, exponent), single->x, add,
                h->level[l].x);
  single->x = before.x, single->y = before.y;
  single->spare[0] = before.spare[0], single->spare[1] = before.spare[1];
}

void hymgi_mixed_f_cycle(hymgi_hierarchy *h, int l, int exponent)
{
  hymgi_run_cycle(h, HYMG_CYCLE_F, h->singles.count);
  for (int m = h->singles.count - 1; m >= l; m--) {
    if (!h->level[m].num_boxes) continue;
    hymgi_interpolate(h->level + m + 1, h->level + m, true, false);
    hymgi_mixed_residual(h, m, exponent);
    hymgi_mixed_cycle(h, HYMG_CYCLE_V, m, exponent, true);
  }
}
