/* The shape of a hierarchy: how far the grid coarsens, the boxes of each level and their owners. */
#include <math.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/backend.h"

enum { GATHER_PEERS = 64 * 64 * 64, GATHER_MESSAGES = 128 * 128 * 128, GATHER_ANY_SIZE = 4096 };

/* On the host: between nodes every rank computes levels of at most 16^3 cells, which takes it less time than their messages;
 * where that is asked for, also larger ones, as far as that costs no more than some 20 MB a rank. */
enum { WHOLE_NODES = 16 * 16 * 16 + 1, WHOLE_MOST = 64 * 64 * 64 + 1 };

/* Krylov iterations solve coarsest levels of at most HYMGI_COARSEST_CELLS, which is what a GPU does in one
 * launch; larger ones with odd sides are coarsened further. HPGMG-FV's sizes end at 11^3 at most. */
enum { MOST_KRYLOV_HPGMG = 11 * 11 * 11 };

hymg_status hymgi_check_level(const hymgi_hierarchy *h, int level, int limit)
{
  if (level >= 0 && level < limit) return HYMG_OK;
  hymg_context *c = h->context;
  if (level >= 0 && level < h->num_levels)
    return hymgi_fail(c, HYMG_EINVAL, "level %d is the coarsest of the solver", level);
  if (h->num_levels == 1)
    return hymgi_fail(c, HYMG_EINVAL, "level %d: the solver has a single level, 0", level);
  return hymgi_fail(c, HYMG_EINVAL, "level %d: the solver has levels 0 to %d", level,
                    h->num_levels - 1);
}

/* Halves all axes if that is possible. The sides must not be below 1 cell, or 2 with the wide stencil or
 * along an axis that is periodic or has a Neumann or Robin boundary. */
static bool halve(const hymg_grid *grid, hymg_stencil stencil, bool uneven, int n[3])
{
  for (int axis = 0; axis < 3; axis++) {
    const hymg_boundary *b = grid->desc.boundary + 2 * axis;
    const bool hold = hymgi_boundary_kind_of(b[0]).holds && hymgi_boundary_kind_of(b[1]).holds;
    const bool wide = stencil == HYMG_FV4 || !hold;
    if ((n[axis] % 2 && !uneven) || n[axis] < (wide ? 3 : 2)) return false;
  }
  for (int axis = 0; axis < 3; axis++)
    n[axis] = (n[axis] + 1) / 2;
  return true;
}

void hymgi_coarsest(const hymg_grid *grid, hymg_stencil stencil, int n[3], bool *uneven)
{
  while (halve(grid, stencil, false, n))
    continue;
  const int most = grid->desc.extrapolation_box ? MOST_KRYLOV_HPGMG : HYMGI_COARSEST_CELLS;
  *uneven =
      stencil == HYMG_FV2 && (double)n[0] * n[1] * n[2] > most && halve(grid, stencil, true, n);
  while (*uneven && halve(grid, stencil, true, n))
    continue;
}

/* HPGMG-FV's boxes on the next level, for its sizes: n is the side of the level, box the side of
 * a box and side the number of boxes per axis. */
static void coarsen_extrapolation_box(int n, int *box, int *side)
{
  const int c = n / 2;
  if (*box <= 8 && *side % 2 == 0)
    *side /= 2;
  else if (*box <= 8 && c % 2 && c > 1)
    *box = c, *side = 1;
  else
    *box /= 2;
}

/* The dimension that determines the order of the ghost extrapolations on each level: the side of
 * that box, or the cells of the domain. */
void hymgi_extrapolation_dims(hymgi_hierarchy *h)
{
  const hymg_grid_desc *d = &h->op->grid->desc;
  int box = d->extrapolation_box, side = box ? d->n[0] / box : 0;
  for (int l = 0; l < h->num_levels; l++) {
    hymgi_level *level = h->level + l;
    for (int axis = 0; axis < 3; axis++)
      level->extrapolation_dim[axis] = d->extrapolation_box ? box : level->n[axis];
    if (d->extrapolation_box) coarsen_extrapolation_box(level->n[0], &box, &side);
  }
}

/* ---- one level ---- */

/* An axis is halved if its mean share of the coupling is at least this part of the largest one. */
#define STRONG 0.5

unsigned hymgi_strong_axes(const hymgi_level *level, const double share[3])
{
  double largest = 0;
  unsigned axes = 0;
  for (int axis = 0; axis < 3; axis++)
    largest = fmax(share[axis], largest);
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] > 1 && largest > 0 && share[axis] >= STRONG * largest) axes |= 1u << axis;
  return axes;
}

/* The axes to halve: all or none or, where coefficients decide, those that they would choose if they were 1. */
static unsigned axes_of(const hymgi_hierarchy *h, const hymgi_level *level)
{
  int n[3] = {level->n[0], level->n[1], level->n[2]};
  double share[3];
  if (!h->method.transfer)
    return halve(h->op->grid, h->kind->stencil, h->method.any_sides, n) ? HYMGI_ALL_AXES : 0;
  for (int axis = 0; axis < 3; axis++)
    share[axis] = level->n[axis] > 1 ? 1 / (level->h[axis] * level->h[axis]) : 0;
  return hymgi_strong_axes(level, share);
}

/* Its cells: of the finest level, or half as many along the axes that the finer one halves. */
static void count_cells(const hymg_grid_desc *grid, hymgi_level *level)
{
  const hymgi_level *const finer = level->index ? level - 1 : NULL;
  level->cells = 1;
  for (int axis = 0; axis < 3; axis++) {
    const int n = finer ? finer->n[axis] : grid->n[axis];
    const bool halved = finer && finer->coarsened >> axis & 1;
    level->n[axis] = halved ? n / 2 + n % 2 : n;
    level->h[axis] = finer ? finer->h[axis] : grid->spacing[axis];
    if (halved) level->h[axis] *= finer->transfer->inherits ? (double)n / level->n[axis] : 2;
    if (halved && !finer->transfer->inherits)
      level->shortened |= (finer->shortened | (unsigned)(n % 2) << axis) & 1u << axis;
    level->cells *= level->n[axis];
  }
}

static bool has_odd_side(const hymgi_level *level)
{
  return level->n[0] % 2 || level->n[1] % 2 || level->n[2] % 2;
}

static hymg_status coarsen(const hymgi_hierarchy *h, hymgi_level *level)
{
  const hymgi_level *finer = level - 1;
  if (h->method.any_sides)
    return hymgi_decomp_coarsen_axes(level->context, finer->decomp, finer->coarsened, &h->gather,
                                     &level->decomp);
  return hymgi_decomp_coarsen(level->context, finer->decomp, 2 * level->ghost, &h->gather,
                              &level->decomp);
}

hymg_status hymgi_level_shape(hymgi_hierarchy *h, int l)
{
  hymg_grid *grid = h->op->grid;
  hymgi_level *level = h->level + l;
  level->context = grid->context;
  level->method = &h->method;
  level->backend = level->keeper = hymgi_cpu_backend();
  level->memory = level->backend->memory;
  level->profile = &h->profile;
  level->index = l;
  level->tuning = h->method.tuning;
  level->periodic = grid->periodic;
  level->op = h->cycle_kind;
  level->ghost = l == 0 ? h->kind->ghost : h->cycle_kind->ghost;
  for (int face = 0; face < 6; face++) {
    level->boundary[face] = hymgi_boundary_kind_of(grid->desc.boundary[face]);
    if (h->op->desc.extrapolation == HYMG_EXTRAPOLATION_VERTEX && level->boundary[face].holds)
      level->boundary[face] = hymgi_boundary_kind_of(HYMG_ROBIN);
  }
  count_cells(&grid->desc, level);
  level->coarsened = axes_of(h, level);
  level->uneven = !h->method.transfer && level->coarsened && has_odd_side(level);
  level->transfer = h->method.transfer ? h->method.transfer : hymgi_standard_transfer(level);
  TRY(l == 0 ? hymgi_outside_shape(h, level) : coarsen(h, level));
  return hymgi_side_boxes(level->context, level->decomp, hymg_context_rank(level->context),
                          level->ghost, level->periodic, &level->box, &level->cover,
                          &level->num_boxes);
}

/* Collective: the number of ranks that hold cells of each level, and the largest number of cells
 * that one of them holds. */
hymg_status hymgi_count_ranks(hymgi_hierarchy *h, int from)
{
  int64_t holding[HYMGI_MAX_LEVELS] = {0};
  double most[HYMGI_MAX_LEVELS] = {0};
  hymg_context *context = h->context;
  for (int l = from; l < h->num_levels; l++) {
    const hymgi_level *level = h->level + l;
    holding[l] = level->num_boxes > 0;
    for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
      most[l] += (double)g->n[0] * g->n[1] * g->n[2];
  }
  TRY(hymgi_comm_sum_int64(context, context->comm, holding, h->num_levels));
  TRY(hymgi_comm_max_double(context, context->comm, most, h->num_levels));
  for (int l = from; l < h->num_levels; l++) {
    h->level[l].ranks = (int)holding[l];
    h->level[l].largest_share = most[l];
  }
  return HYMG_OK;
}

/* ---- all levels ---- */

/* A GPU computes a small level in less time than an exchange of its halos takes, so it is
 * gathered on one GPU. The sizes were measured on 2 H200. */
static int64_t gather_below(const hymgi_hierarchy *h, const hymgi_backend *backend)
{
  const hymg_options *o = &h->options;
  const bool fast = o->transport == HYMG_TRANSPORT_AUTO || o->transport == HYMG_TRANSPORT_PEER;
  if (hymgi_comm_size(h->context->comm) == 1) return 0;
  const int64_t least = h->method.any_sides ? GATHER_ANY_SIZE : 0;
  if (o->gather_cells > 0) return o->gather_cells;
  if (!backend->sharing || o->gather_cells == 0) return least;
  return fast ? GATHER_PEERS : GATHER_MESSAGES;
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Can every GPU get a level whole? By messages, not from within kernels. */
static bool gpus_can_hold_all(const hymgi_hierarchy *h)
{
  const hymg_transport t = h->options.transport;
  const bool wanted = h->options.gather == HYMG_GATHER_ALL || t == HYMG_TRANSPORT_NCCL;
  return wanted && t != HYMG_TRANSPORT_AUTO && t != HYMG_TRANSPORT_PEER && !h->method.robust;
}

/* Where a level of one box lives. */
static hymgi_gathering gathering(const hymgi_hierarchy *h, const hymgi_backend *backend)
{
  const hymg_options *o = &h->options;
  hymgi_gathering g = {.below = gather_below(h, backend)};
  const hymgi_ranks ranks = hymgi_comm_ranks(h->context->comm);
  if (ranks.size == 1 || o->gather == HYMG_GATHER_ROOT) return g;
  if (backend->sharing) {
    if (gpus_can_hold_all(h)) g.whole = g.below;
    return g;
  }
  if (o->gather == HYMG_GATHER_ALL) g.whole = larger(g.below, WHOLE_MOST);
  if (o->gather == HYMG_GATHER_AUTO && ranks.nodes > 1) g.whole = larger(g.below, WHOLE_NODES);
  if (g.whole && o->gather_cells < 0) g.below = larger(g.below, WHOLE_NODES);
  return g;
}

/* ---- the coarse matrices ---- */

static bool has_data(const hymg_operator *op)
{
  for (int face = 0; face < 6; face++)
    if (hymgi_has_values(op, face)) return true;
  return false;
}

/* Made from 64 cycles each, the matrices pay for large grids alone. With boundary data an F-cycle is more
 * than a matrix times f. The smoother as bottom solver may not reach the matrices' goal. */
static bool wants_matrix(const hymgi_hierarchy *h)
{
  const hymg_grid_desc *grid = &h->op->grid->desc;
  const int64_t cells = (int64_t)grid->n[0] * grid->n[1] * grid->n[2];
  if (cells < h->context->matrix_from || h->method.robust || h->method.smoother == HYMG_SYMGS ||
      h->options.bottom == HYMG_BOTTOM_SMOOTHER ||
      h->op->desc.extrapolation == HYMG_EXTRAPOLATION_VERTEX)
    return false;
  for (int face = 0; face < 6; face++)
    if (hymgi_boundary_kind_of(grid->boundary[face]).mixes) return false;
  return h->options.cycle != HYMG_CYCLE_F || !has_data(h->op);
}

/* The first level that is small enough; gathered, it is one box. */
static void choose_matrix(hymgi_hierarchy *h)
{
  int l = 1;
  h->matrix.has_f = !has_data(h->op);
  while (l < h->num_levels && h->level[l].cells > HYMGI_MATRIX_CELLS)
    l++;
  if (l >= h->num_levels) return;
  const int *const boxes = h->level[l].decomp->boxes;
  if (boxes[0] * boxes[1] * boxes[2] == 1) h->matrix.level = l;
}

static hymg_status make_shapes(hymgi_hierarchy *h)
{
  h->num_levels = 0;
  do
    TRY(hymgi_level_shape(h, h->num_levels++));
  while (h->level[h->num_levels - 1].coarsened && h->num_levels < HYMGI_MAX_LEVELS);
  return HYMG_OK;
}

hymg_status hymgi_hierarchy_shape(hymgi_hierarchy *h, const hymgi_backend *backend)
{
  const bool matrix = wants_matrix(h);
  h->gather = gathering(h, backend);
  if (matrix) h->gather.below = larger(h->gather.below, HYMGI_MATRIX_CELLS + 1);
  TRY(hymgi_agree(h->context, make_shapes(h)));
  hymgi_extrapolation_dims(h);
  if (matrix) choose_matrix(h);
  return hymgi_count_ranks(h, 0);
}
