/* The levels of a hierarchy, made one after the other. On the standard path all of them are known beforehand, and each is
 * discretised anew.
 *
 * On the robust path (docs/numerics.md) which axes a level halves depends on its conductances, and these on the finer
 * level. Each level is in integrated form, C x + sum over faces T_f (x - x_nb) = V f, and halves the axes along which
 * its cells are strongly coupled, n to ceil(n / 2), down to a single cell: there is no bottom solve.
 * The cycle is symmetric: red before black on the way down, black before red on the way up, and
 * restriction is the transpose of interpolation. Volumes and distances are in units of the mean
 * width, so that level 0 of a grid without widths has the coefficients of the standard path. */
#include "hierarchy/levels.h"

#include <math.h>
#include <string.h>

#include "hierarchy/pairs.h"
#include "multigrid/level_ops.h"
#include "multigrid/lines.h"
#include "transport/transport.h"

/* ---- which axes ---- */

/* The axes to halve; 0: nothing is coupled or there is a single cell. */
static unsigned strong_axes(const hymgi_hierarchy *h, hymgi_level *level)
{
  double share[3];
  hymgi_lines_set(level);
  if (level->index == 0 && h->has_shares && !level->line.on)
    memcpy(share, h->shares, sizeof share);
  else
    hymgi_share_means(level, share);
  if (level->line.on && !(share[0] + share[1] + share[2] > 0)) { /* all lines are strong */
    hymgi_lines_drop(level);
    hymgi_share_means(level, share);
  }
  return hymgi_strong_axes(level, share);
}

/* On all ranks of the context, also those without cells of the level. */
static hymg_status choose_axes(hymgi_hierarchy *h, hymgi_level *level, unsigned *axes)
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
  if (h->method.empty_rows) {
    sinks = free_vector(fine, 0);
    if (fine->num_boxes) fine->backend->robust->mark_empty_rows(fine, 0, sinks);
  }
  hymgi_restrict_cells(fine, sinks, coarse, coarse->c.alpha);
  if (h->method.empty_rows) hymgi_empty_rows_set(h, coarse);
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
  return hymgi_levels_finish(coarse, 1);
}

/* Level 0, where cycles are made for another operator, from the level of the system. */
static hymg_status make_preconditioner(hymgi_hierarchy *h)
{
  const hymgi_level *const system = h->system;
  hymgi_level *const level = h->level;
  const double scale = h->kind->scale / h->cycle_kind->scale;
  for (int axis = 0; axis < 3; axis++) {
    double *const beta = level->c.beta[axis];
    hymgi_vector_copy(level, system->c.beta[axis], beta);
    if (scale != 1) level->backend->scale(level, scale, beta);
    level->c.beta_constant[axis] = scale * system->c.beta_constant[axis];
  }
  level->c.alpha_constant = system->c.alpha_constant;
  level->boundaries = system->boundaries;
  memcpy(level->robin, system->robin, sizeof level->robin);
  TRY(hymgi_fixed_load(h));
  if (h->method.fixed) TRY(hymgi_fixed_cut(h->system)); /* whose C is the same */
  return hymgi_levels_finish(level, 1);
}

/* Level 0 with the volumes and distances of its cells, and the preconditioner or, where it is the same, without fixed cells. */
static hymg_status integrate(hymgi_hierarchy *h)
{
  hymgi_level *level = h->system;
  const bool stretched = h->method.stretched;
  for (int axis = 0; stretched && axis < 3; axis++) {
    if (level->num_boxes) level->backend->robust->scale_faces(level, axis, level->c.beta[axis]);
    TRY(hymgi_faces_exchange(level, axis, level->c.beta[axis]));
  }
  if (stretched && level->c.alpha && level->num_boxes)
    level->backend->robust->scale_volumes(level, false, level->c.alpha);
  return hymgi_is_preconditioned(h) ? make_preconditioner(h) : hymgi_fixed_load(h);
}

/* The levels that are discretised. */
static hymg_status load(hymgi_hierarchy *h)
{
  h->system->c.limited = h->system->c.closed = false, h->system->c.alpha_limit = 0;
  h->has_shares = false;
  TRY(hymgi_coefficients_load(h));
  TRY(integrate(h));
  hymgi_preset_sweeps(h);
  return hymgi_levels_finish(h->system, hymgi_discretised(h));
}

/* ---- building ---- */

static bool inherits(const hymgi_hierarchy *h)
{
  return h->level->transfer->inherits;
}

hymg_status hymgi_levels_plan(hymgi_hierarchy *h, const hymgi_backend *backend,
                              hymgi_measure measure)
{
  TRY(hymgi_transport_prefer(h, backend));
  TRY(hymgi_hierarchy_shape(h, backend));
  TRY(hymgi_placement_choose(h, backend, measure));
  for (int l = 0; l < h->num_levels; l++)
    hymgi_level_place(h, l);
  return HYMG_OK;
}

/* The coefficients will say which axes are halved. */
static void forget_coarser_levels(hymgi_hierarchy *h)
{
  while (h->num_levels > 1) {
    hymgi_level *const level = h->level + --h->num_levels;
    hymgi_level_destroy(level);
    memset(level, 0, sizeof *level);
  }
  h->level->coarsened = 0;
  h->placement.host_from = HYMGI_MAX_LEVELS;
}

hymg_status hymgi_levels_begin(hymgi_hierarchy *h, const hymgi_backend *backend,
                               hymgi_measure measure)
{
  hymg_context *c = h->context;
  TRY(hymgi_levels_plan(h, backend, measure));
  TRY(hymgi_transport_choose(h));
  c->status = HYMG_OK;
  TRY(hymgi_precision_fit(h));
  TRY(hymgi_agree(c, hymgi_memory_check(h)));
  if (inherits(h)) forget_coarser_levels(h);
  for (int l = 0; l < h->num_levels; l++)
    TRY(hymgi_level_make(h, l));
  if (hymgi_is_preconditioned(h)) TRY(hymgi_agree(c, hymgi_system_make(h)));
  if (!inherits(h)) TRY(hymgi_transport_connect(h));
  TRY(hymgi_agree(c, c->status)); /* loading clears the status */
  return load(h);
}

/* Below the last one, whose axes to halve are known. */
static hymg_status add_level(hymgi_hierarchy *h)
{
  const int l = h->num_levels;
  if (l == HYMGI_MAX_LEVELS)
    return hymgi_fail(h->context, HYMG_EUNSUPPORTED, "more than %d levels", HYMGI_MAX_LEVELS);
  h->num_levels++;
  TRY(hymgi_agree(h->context, hymgi_level_shape(h, l)));
  hymgi_extrapolation_dims(h);
  TRY(hymgi_count_ranks(h, l));
  hymgi_placement_extend(h, l);
  hymgi_level_place(h, l);
  return hymgi_level_make(h, l);
}

/* The levels that inherit their coefficients. kept: NULL to make them; else they are there, and *kept says whether they
 * halve the axes that the coefficients ask for. */
static hymg_status fill_coarser(hymgi_hierarchy *h, bool *kept)
{
  h->coarsened_for = h->method.transfer;
  for (int l = 0;; l++) {
    hymgi_level *const level = h->level + l;
    unsigned axes;
    TRY(choose_axes(h, level, &axes));
    if (kept) *kept = axes == level->coarsened;
    if (kept && !*kept) return HYMG_OK;
    level->coarsened = axes;
    if (!axes) return HYMG_OK;
    if (!kept) TRY(add_level(h));
    TRY(coarsen_coefficients(h, level, level + 1));
  }
}

/* The graphs, or none. */
static hymg_status set_pairs(hymgi_hierarchy *h)
{
  if (h->method.transfer->pairs) return hymgi_pairs_make(h);
  hymgi_pairs_destroy(h);
  return HYMG_OK;
}

/* FV4 on level 0: its limiter, the mean of alpha u, then its boundaries. */
static hymg_status set_fv4(hymgi_hierarchy *h)
{
  TRY(hymgi_limiter_set(h));
  TRY(hymgi_alpha_set(h));
  return hymgi_fv4_boundaries_set(h);
}

hymg_status hymgi_levels_complete(hymgi_hierarchy *h)
{
  if (!inherits(h)) return HYMG_OK;
  TRY(fill_coarser(h, NULL));
  TRY(set_pairs(h));
  const int host = h->placement.host_from;
  if (h->placement.fine->attach) h->choice.host_from = host < h->num_levels ? host : h->num_levels;
  TRY(set_fv4(h));
  return hymgi_transport_connect(h);
}

static void set_transfer(hymgi_hierarchy *h, hymg_transfer wanted)
{
  h->method.transfer = hymgi_robust_transfer(wanted);
  for (int l = 0; l < h->num_levels; l++)
    h->level[l].transfer = h->method.transfer;
}

hymg_status hymgi_levels_update(hymgi_hierarchy *h, bool *kept)
{
  *kept = true;
  if (!inherits(h)) return load(h);
  set_transfer(h, h->options.transfer);
  TRY(load(h));
  TRY(fill_coarser(h, kept));
  if (!*kept) return HYMG_OK;
  TRY(set_pairs(h));
  return set_fv4(h);
}

/* The same levels with the coefficients that their transfer makes. */
static hymg_status coarsen_again(hymgi_hierarchy *h)
{
  h->coarsened_for = h->method.transfer;
  for (int l = 0; l + 1 < h->num_levels; l++) {
    hymgi_level *const coarse = h->level + l + 1;
    TRY(coarsen_coefficients(h, h->level + l, coarse));
    if (coarse->num_boxes && coarse->line.on) hymgi_lines_set(coarse);
  }
  return HYMG_OK;
}

hymg_status hymgi_levels_change(hymgi_hierarchy *h, hymg_transfer wanted)
{
  set_transfer(h, wanted);
  hymgi_preset_sweeps(h);
  TRY(set_pairs(h));
  const bool fit = h->method.transfer->pairs || h->coarsened_for == h->method.transfer;
  return fit ? HYMG_OK : coarsen_again(h);
}
