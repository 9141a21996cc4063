/* The robust path: a hierarchy for any size, spacing and coefficient (docs/numerics.md). Each level
 * is in integrated form, C x + sum over faces T_f (x - x_nb) = V f, and halves the axes along which
 * its cells are strongly coupled, n to ceil(n / 2), down to a single cell: there is no bottom solve.
 * The cycle is symmetric: red before black on the way down, black before red on the way up, and
 * restriction is the transpose of interpolation. Volumes and distances are in units of the mean
 * width, so that level 0 of a grid without widths has the coefficients of the standard path. */
#include "hierarchy/build.h"

#include <math.h>
#include <string.h>

#include "multigrid/level_ops.h"

/* An axis is halved if its mean share of the coupling is at least this part of the largest one. */
#define STRONG 0.5
/* The preconditioner is linear at boundaries where the operator is quadratic or FV4; it needs the fewest
 * iterations with 1.6 times the linear conductance (2 is as good, 1 and 2.5 are worse). */
#define STIFFER 0.6
/* Half sweeps of a smoother call. Without a Dirichlet boundary a region of high beta has no hold but the
 * weak couplings around it, and coarse levels correct its mean too little: more work saves iterations,
 * most of all on the levels below the finest, where it is cheap. */
enum { SWEEPS = 4, SWEEPS_SINGULAR = 6, COARSE_SWEEPS_SINGULAR = 8 };

static bool has_default_sweeps(const hymgi_hierarchy *h)
{
  return h->options.sweeps < 0 && h->method.smoother == HYMG_GSRB;
}

static void choose_sweeps(hymgi_method *m)
{
  m->sweeps = m->singular ? SWEEPS_SINGULAR : SWEEPS;
  m->coarse_sweeps = m->singular ? COARSE_SWEEPS_SINGULAR : SWEEPS;
}

void hymgi_robust_init(hymgi_hierarchy *h)
{
  hymgi_method *m = &h->method;
  const hymg_grid_desc *d = &h->op->grid->desc;
  m->robust = true;
  m->transfer = hymgi_robust_transfer(h->options.transfer);
  m->stretched = d->widths[0] || d->widths[1] || d->widths[2];
  m->variable_beta = true;
  m->has_alpha = m->has_alpha || m->fixed;
  m->variable_alpha = m->has_alpha;
  if (has_default_sweeps(h)) m->sweeps = m->coarse_sweeps = SWEEPS;
  if (m->stretched || m->fixed) m->extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  for (int face = 0; face < 6; face++)
    m->quadratic =
        m->quadratic || ((d->boundary[face] == HYMG_DIRICHLET || d->boundary[face] == HYMG_ROBIN) &&
                         d->n[face / 2] > 1 && m->extrapolation == HYMG_EXTRAPOLATION_QUADRATIC);
  m->quadratic = m->quadratic || m->stencil == HYMG_FV4;
  h->inner.stencil = HYMG_FV2;
}

/* ---- which axes ---- */

/* The axes to halve; 0: nothing is coupled or there is a single cell. */
static unsigned strong_axes(const hymgi_hierarchy *h, const hymgi_level *level)
{
  double share[3], largest = 0;
  unsigned axes = 0;
  if (level->index == 0 && h->has_shares)
    memcpy(share, h->shares, sizeof share);
  else
    hymgi_share_means(level, share);
  for (int axis = 0; axis < 3; axis++)
    largest = share[axis] > largest ? share[axis] : largest;
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] > 1 && largest > 0 && share[axis] >= STRONG * largest) axes |= 1u << axis;
  return axes;
}

/* On all ranks of the context, also those without cells of the level. */
static hymg_status choose_axes(hymgi_hierarchy *h, const hymgi_level *level, unsigned *axes)
{
  int bits = level->num_boxes ? (int)strong_axes(h, level) : 0;
  TRY(hymgi_agree(h->context, h->context->status));
  TRY(hymgi_comm_max_int(h->context, h->context->comm, &bits, 1));
  *axes = (unsigned)bits;
  return HYMG_OK;
}

/* ---- coefficients ---- */

/* NULL: no neighbours. */
static const hymgi_plan *plan_of(const hymgi_level *level)
{
  return hymgi_transfer_halo(level->transfer, level);
}

static void exchange(const hymgi_level *level, double *x)
{
  const hymgi_plan *plan = plan_of(level);
  if (plan) hymgi_run_plan(level, plan, level->box, x, level->box, x);
}

/* Vectors that are free while a level is built or its transfer changes, by axis; on level 0 all but the
 * residual, which is the first. */
static double *free_vector(const hymgi_level *level, int axis)
{
  double *const coarse[3] = {level->x, level->f, level->y};
  return level->index > 0 ? coarse[axis] : level->krylov + (axis + 1) * level->vector_size;
}

/* Vectors for the axes to be halved, in one piece. */
static hymg_status create_weights(hymgi_level *level)
{
  if (level->weights) return HYMG_OK;
  for (int axis = 0; axis < 3; axis++)
    level->num_weights += level->coarsened >> axis & 1;
  TRY(hymgi_vector_create(level, level->num_weights * level->vector_size, &level->weights));
  double *next = level->weights;
  for (int axis = 0; next && axis < 3; axis++)
    if (level->coarsened >> axis & 1) level->weight[axis] = next, next += level->vector_size;
  return HYMG_OK;
}

static hymg_status make_weights(hymgi_hierarchy *h, hymgi_level *level)
{
  double *resistance[3] = {NULL};
  TRY(hymgi_agree(h->context, create_weights(level)));
  if (!level->num_boxes) return HYMG_OK;
  const hymgi_robust_ops *const ops = level->backend->robust;
  const bool needed = plan_of(level) || !ops->makes_resistances;
  for (int axis = 0; needed && axis < 3; axis++) {
    if (!(level->coarsened >> axis & 1)) continue;
    resistance[axis] = free_vector(level, axis);
    ops->resistances(level, axis, resistance[axis]);
    exchange(level, resistance[axis]);
  }
  ops->weights(level, resistance);
  for (int axis = 0; axis < 3; axis++)
    if (level->weight[axis]) exchange(level, level->weight[axis]);
  return HYMG_OK;
}

/* Sums of C, in which rows of 0 do not count. */
static void restrict_sinks(const hymgi_hierarchy *h, const hymgi_level *fine, hymgi_level *coarse)
{
  double *sinks = fine->c.alpha;
  if (h->method.fixed) {
    sinks = free_vector(fine, 0);
    if (fine->num_boxes) fine->backend->robust->mark_empty_rows(fine, 0, sinks);
  }
  hymgi_restrict_cells(fine, sinks, coarse, coarse->c.alpha);
  if (h->method.fixed) hymgi_empty_rows_set(h, coarse);
}

/* Coarse conductances and sums of C; all ranks take part. */
static hymg_status coarsen_coefficients(hymgi_hierarchy *h, hymgi_level *fine, hymgi_level *coarse)
{
  if (fine->transfer->weights) TRY(make_weights(h, fine));
  for (int axis = 0; axis < 3; axis++) {
    TRY(hymgi_faces_restrict(fine, coarse, axis));
    TRY(hymgi_faces_exchange(coarse, axis, coarse->c.beta[axis]));
  }
  if (h->method.variable_alpha) restrict_sinks(h, fine, coarse);
  return hymgi_levels_finish(h, coarse->index);
}

/* Level 0 as the preconditioner sees it: FV2, linear and stiffer at boundaries. FV4's betas are over 12,
 * and its l1 scaling is never used. */
static hymg_status make_inner(hymgi_hierarchy *h)
{
  const hymgi_method outer = h->method;
  const bool fv4 = outer.stencil == HYMG_FV4;
  hymgi_level *level = h->level;
  double *beta[3], *const l1inv = level->c.l1inv ? level->c.l1inv : h->inner.c.l1inv;
  hymg_status status = HYMG_OK;
  memcpy(beta, h->inner.c.beta, sizeof beta);
  for (int axis = 0; axis < 3; axis++)
    if (!beta[axis] && status == HYMG_OK)
      status = hymgi_vector_create(level, level->vector_size, &beta[axis]);
  if (fv4) level->c.l1inv = NULL;
  h->inner.c = level->c;
  h->inner.c.l1inv = l1inv;
  if (fv4) h->inner.c.dinv = NULL;
  memcpy(h->inner.c.beta, beta, sizeof beta);
  TRY(hymgi_agree(h->context, status));
  for (int axis = 0; axis < 3; axis++) {
    hymgi_vector_copy(level, level->c.beta[axis], beta[axis]);
    if (fv4) level->backend->scale(level, 12, beta[axis]);
    if (fv4) h->inner.c.beta_constant[axis] *= 12;
  }
  hymgi_exchange_inner(h);
  h->method.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  h->method.stiffer = STIFFER;
  status = hymgi_levels_finish(h, 0);
  hymgi_exchange_inner(h);
  h->method = outer;
  return status;
}

/* Level 0: the operator's betas, and those of the preconditioner. */
static hymg_status load_finest(hymgi_hierarchy *h)
{
  hymgi_level *level = h->level;
  level->c.limited = false, level->c.alpha_limit = 0;
  h->has_shares = false;
  TRY(hymgi_finest_load(h));
  if (has_default_sweeps(h)) choose_sweeps(&h->method);
  for (int axis = 0; h->method.stretched && axis < 3; axis++) {
    if (level->num_boxes) level->backend->robust->scale_faces(level, axis, level->c.beta[axis]);
    TRY(hymgi_faces_exchange(level, axis, level->c.beta[axis]));
  }
  if (h->method.stretched && level->c.alpha && level->num_boxes)
    level->backend->robust->scale_volumes(level, false, level->c.alpha);
  const int levels = h->num_levels;
  h->num_levels = 1;
  hymg_status status = h->method.quadratic ? make_inner(h) : hymgi_fixed_load(h);
  if (status == HYMG_OK) status = hymgi_levels_finish(h, 0);
  h->num_levels = levels;
  return status;
}

/* ---- building ---- */

/* Levels of fewer cells than the user says are the host's; never the finest one. */
static void choose_host(hymgi_hierarchy *h, int l)
{
  const hymg_options *o = &h->options;
  if (l == 0 || l > h->placement.host_from || o->host_cells <= 0) return;
  if (h->level[l].largest_share < (double)o->host_cells) h->placement.host_from = l;
}

/* Adds the level below the last one, whose axes to halve are known. */
static hymg_status add_level(hymgi_hierarchy *h)
{
  const int l = h->num_levels;
  if (l == HYMGI_MAX_LEVELS)
    return hymgi_fail(h->context, HYMG_EUNSUPPORTED, "more than %d levels", HYMGI_MAX_LEVELS);
  h->num_levels++;
  TRY(hymgi_agree(h->context, hymgi_level_shape(h, l)));
  hymgi_extrapolation_dims(h);
  TRY(hymgi_count_ranks(h, l));
  choose_host(h, l);
  hymgi_level_place(h, l);
  if (l == 0) {
    TRY(hymgi_precision_settle(h, hymgi_robust_memory_check));
    TRY(hymgi_agree(h->context, hymgi_robust_memory_check(h)));
  }
  return hymgi_level_fill(h, l);
}

static hymg_status add_coarser_levels(hymgi_hierarchy *h)
{
  for (int l = 0;; l++) {
    hymgi_level *level = h->level + l;
    TRY(choose_axes(h, level, &level->coarsened));
    if (!level->coarsened) return HYMG_OK;
    TRY(add_level(h));
    TRY(hymgi_agree(h->context, hymgi_axes_next(level, level + 1)));
    TRY(coarsen_coefficients(h, level, level + 1));
  }
}

hymg_status hymgi_robust_build_finest(hymgi_hierarchy *h, const hymgi_backend *backend)
{
  h->num_levels = 0;
  h->gather_below = hymgi_gather_below(h, backend);
  TRY(add_level(h));
  TRY(hymgi_agree(h->context, hymgi_axes_first(h->level, &h->op->grid->desc)));
  return load_finest(h);
}

hymg_status hymgi_robust_build_coarser(hymgi_hierarchy *h)
{
  hymgi_exchange_inner(h);
  const hymg_status status = add_coarser_levels(h);
  hymgi_exchange_inner(h);
  return status;
}

static hymg_status update_coarser_levels(hymgi_hierarchy *h, bool *kept)
{
  for (int l = 0; l < h->num_levels; l++) {
    unsigned axes;
    TRY(choose_axes(h, h->level + l, &axes));
    *kept = axes == h->level[l].coarsened;
    if (!*kept || !axes) return HYMG_OK;
    TRY(coarsen_coefficients(h, h->level + l, h->level + l + 1));
  }
  return HYMG_OK;
}

static void set_transfer(hymgi_hierarchy *h, hymg_transfer wanted)
{
  h->method.transfer = hymgi_robust_transfer(wanted);
  for (int l = 0; l < h->num_levels; l++)
    h->level[l].transfer = h->method.transfer;
}

hymg_status hymgi_robust_update(hymgi_hierarchy *h, bool *kept)
{
  *kept = true;
  set_transfer(h, h->options.transfer);
  TRY(load_finest(h));
  hymgi_exchange_inner(h);
  const hymg_status status = update_coarser_levels(h, kept);
  hymgi_exchange_inner(h);
  return status;
}

hymg_status hymgi_robust_change(hymgi_hierarchy *h, bool tensor)
{
  hymg_status status = HYMG_OK;
  set_transfer(h, tensor ? HYMG_TRANSFER_TENSOR : HYMG_TRANSFER_WEIGHTED);
  hymgi_exchange_inner(h);
  for (int l = 0; l + 1 < h->num_levels && status == HYMG_OK; l++)
    status = coarsen_coefficients(h, h->level + l, h->level + l + 1);
  hymgi_exchange_inner(h);
  return status;
}

/* The axes to halve if all coefficients are 1. */
static unsigned strong_spacings(const hymgi_level *level)
{
  double largest = 0;
  unsigned axes = 0;
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] > 1) largest = fmax(largest, 1 / (level->h[axis] * level->h[axis]));
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] > 1 && 1 / (level->h[axis] * level->h[axis]) >= STRONG * largest)
      axes |= 1u << axis;
  return axes;
}

hymg_status hymgi_robust_estimate(hymgi_hierarchy *h, const hymgi_backend *backend)
{
  h->gather_below = hymgi_gather_below(h, backend);
  h->num_levels = 0;
  do {
    hymgi_level *const level = h->level + h->num_levels++;
    TRY(hymgi_agree(h->context, hymgi_level_shape(h, h->num_levels - 1)));
    level->coarsened = strong_spacings(level);
  } while (h->level[h->num_levels - 1].coarsened && h->num_levels < HYMGI_MAX_LEVELS);
  TRY(hymgi_count_ranks(h, 0));
  for (int l = 0; l < h->num_levels; l++)
    choose_host(h, l);
  hymgi_hierarchy_place(h);
  return HYMG_OK;
}

void hymgi_robust_destroy(hymgi_hierarchy *h)
{
  for (int axis = 0; axis < 3; axis++)
    hymgi_vector_destroy(h->level, h->level->vector_size, &h->inner.c.beta[axis]);
}
