/* What a solver does, filled before its levels are made: what follows from the operator and the options, and what
 * the paths do differently. */
#include <string.h>

#include "hierarchy/build.h"
#include "problem/coordinates.h"

/* Half sweeps of red-black smoothers. MG gains little by more than SWEEPS_OF_MANY on the finest level, if it has
 * more than so many cells, and coarser ones are cheap. With linear extrapolation, and as a preconditioner, they
 * are worth their time (docs/tuning-log.md). */
enum { SWEEPS = 6, SWEEPS_SYMGS = 4, SWEEPS_OF_MANY = 4, FEW_CELLS = 32 * 32 * 32 };

/* From so many cells on, solves of several cycles are faster with levels in single precision. */
#define MIXED_CELLS 1e6

static double cells_of(const hymg_grid *grid)
{
  const int *n = grid->desc.n;
  return (double)n[0] * n[1] * n[2];
}

static bool wants_mixed(const hymg_grid *grid, const hymg_options *o)
{
  if (o->precision != HYMG_PRECISION_AUTO) return o->precision == HYMG_MIXED;
  return o->method != HYMG_FMG && cells_of(grid) >= MIXED_CELLS;
}

/* Are there walls with the linear extrapolation of FV2? */
static bool has_linear_walls(const hymgi_operator_kind *kind, const hymg_grid *grid)
{
  bool walls = false;
  for (int face = 0; face < 6; face++) {
    const hymgi_boundary_kind boundary = hymgi_boundary_kind_of(grid->desc.boundary[face]);
    walls = walls || (boundary.extrapolates && (kind->linear || boundary.linear));
  }
  return walls;
}

static void choose_sweeps(hymgi_hierarchy *h, const hymg_grid *grid, const hymg_options *o)
{
  hymgi_method *m = &h->method;
  const bool given = o->sweeps > 0, red_black = o->smoother == HYMG_GSRB;
  m->coarse_sweeps = given ? o->sweeps : o->smoother == HYMG_SYMGS ? SWEEPS_SYMGS : SWEEPS;
  m->sweeps = m->coarse_sweeps;
  if (!given && red_black && o->method == HYMG_MG && cells_of(grid) > FEW_CELLS &&
      !has_linear_walls(h->kind, grid))
    m->sweeps = SWEEPS_OF_MANY;
}

void hymgi_hierarchy_init(hymgi_hierarchy *h, const hymg_operator *op, const hymg_options *o)
{
  const hymg_operator_desc *d = &op->desc;
  hymgi_method *m = &h->method;
  h->context = op->grid->context;
  h->op = op;
  h->options = *o;
  h->system = h->level;
  const bool linear = d->extrapolation == HYMG_EXTRAPOLATION_LINEAR ||
                      d->extrapolation == HYMG_EXTRAPOLATION_VERTEX;
  h->kind = h->cycle_kind = hymgi_operator_kind_of(d->stencil, linear);
  m->smoother = o->smoother;
  choose_sweeps(h, op->grid, o);
  m->bottom_goal = HYMGI_BOTTOM_GOAL;
  m->interpolation_v =
      o->interpolation_v == HYMG_INTERPOLATION_DEFAULT ? HYMGI_GHOSTS_V2 : (int)o->interpolation_v;
  m->interpolation_f =
      o->interpolation_f == HYMG_INTERPOLATION_DEFAULT ? h->kind->order : (int)o->interpolation_f;
  m->variable_beta = d->beta[0] || hymgi_has_robin_fields(d);
  m->has_alpha = d->a != 0; /* a constant alpha of 0 may change */
  m->variable_alpha = m->has_alpha && d->alpha;
  m->fixed = d->fixed;
  h->pieces.count = 1;
  m->tuning = hymgi_cpu_tuning();
  h->mixed = wants_mixed(op->grid, o);
}

/* ---- the standard path ---- */

/* Odd sides: constants are fields there, as the faces of coarse cells are at distances of their own. */
static void set_standard(hymgi_hierarchy *h)
{
  hymgi_method *m = &h->method;
  int coarsest[3];
  memcpy(coarsest, h->op->grid->desc.n, sizeof coarsest);
  hymgi_coarsest(h->op->grid, h->kind->stencil, coarsest, &m->any_sides);
  if (m->any_sides) m->variable_beta = true, m->variable_alpha = m->has_alpha;
}

/* ---- the robust path ---- */

/* Half sweeps of a smoother call. Without a Dirichlet boundary a region of high beta has no hold but the
 * weak couplings around it, and coarse levels correct its mean too little: more work saves iterations,
 * most of all on the levels below the finest, where it is cheap. */
enum { SWEEPS_ROBUST = 4, SWEEPS_SINGULAR = 6, COARSE_SWEEPS_SINGULAR = 8 };

void hymgi_preset_sweeps(hymgi_hierarchy *h)
{
  hymgi_method *m = &h->method;
  if (!m->robust || h->options.sweeps >= 0 || m->smoother != HYMG_GSRB) return;
  const bool singular = m->singular || h->pieces.floating;
  const bool more = singular && !m->transfer->pairs; /* whose coarse levels do that */
  m->sweeps = more ? SWEEPS_SINGULAR : SWEEPS_ROBUST;
  m->coarse_sweeps = more ? COARSE_SWEEPS_SINGULAR : SWEEPS_ROBUST;
}

/* Is FV4, or FV2 with a parabola at some boundary that has more than one cell across. */
static bool needs_preconditioner(const hymgi_operator_kind *kind, const hymg_grid_desc *d)
{
  bool walls = false;
  for (int face = 0; face < 6; face++)
    walls = walls || (hymgi_has_parabola(d->boundary[face]) && d->n[face / 2] > 1);
  return kind->preconditioner && (walls || kind->order == 4);
}

/* Across the seam of a periodic axis with an odd number of cells two neighbours have the same colour; symgs changes those across
 * any seam and between boxes as if at once. Where these are all of a piece, a half sweep only exchanges their errors, and coarse
 * levels do not see them apart. */
static void choose_smoother(hymgi_hierarchy *h, const hymg_grid_desc *d)
{
  hymgi_method *m = &h->method;
  const bool symgs = m->smoother == HYMG_SYMGS;
  const int *const boxes = h->op->grid->decomp->boxes;
  bool seam = symgs && boxes[0] * boxes[1] * boxes[2] > 1;
  for (int axis = 0; axis < 3; axis++)
    seam = seam || (d->boundary[2 * axis] == HYMG_PERIODIC && (symgs || d->n[axis] % 2));
  if (!m->masked || !seam || (m->smoother != HYMG_GSRB && !symgs)) return;
  m->smoother = HYMG_CHEBYSHEV;
  m->coarse_sweeps = (m->coarse_sweeps + HYMGI_DEGREE - 1) / HYMGI_DEGREE * HYMGI_DEGREE;
  m->sweeps = m->coarse_sweeps;
}

static void set_robust(hymgi_hierarchy *h)
{
  hymgi_method *m = &h->method;
  const hymg_grid_desc *d = &h->op->grid->desc;
  m->robust = m->any_sides = true;
  m->transfer = hymgi_robust_transfer(h->options.transfer);
  if (m->transfer->pairs) h->mixed = false;
  m->stretched = hymgi_is_stretched(d);
  m->variable_beta = true;
  m->empty_rows = m->fixed || m->masked;
  m->lines = hymgi_strong_lines(d);
  m->has_alpha = m->has_alpha || m->empty_rows;
  m->variable_alpha = m->has_alpha;
  choose_smoother(h, d);
  hymgi_preset_sweeps(h);
  if (m->stretched || m->empty_rows) h->kind = hymgi_operator_kind_of(h->kind->stencil, true);
  h->cycle_kind = needs_preconditioner(h->kind, d) ? h->kind->preconditioner : h->kind;
  if (h->options.cycle == HYMG_CYCLE_F) h->options.cycle = HYMG_CYCLE_V;
}

void hymgi_preset(hymgi_hierarchy *h, bool robust)
{
  if (robust)
    set_robust(h);
  else
    set_standard(h);
}
