/* Coefficients: read from the operator on the finest level, restricted to the other levels and
 * finished by the backend (boundaries, diagonal, eigenvalue bound). Faces between two boxes are
 * stored by both; the exchange makes the copies and their ghosts agree. */
#include <math.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"
#include "problem/coordinates.h"

/* ---- checks ---- */

/* Checks that the entries of a field are valid; entry n of a periodic axis is ignored. */
static hymg_status check_entries(const hymg_field *field, hymgi_valid valid, const char *name,
                                 double *largest, double *least)
{
  const hymg_grid *grid = field->grid;
  static const char *const wanted[] = {"at least 0 and finite", "above 0 and finite",
                                       "finite, or NaN in cells that are not fixed"};
  const int axis = (int)field->centering - 1;
  *largest = 0;
  for (int b = 0; b < field->view.num_boxes; b++) {
    const hymgi_geom *g = field->view.box + b;
    int n[3] = {g->n[0], g->n[1], g->n[2]};
    if (axis >= 0 && grid->periodic >> axis & 1 && g->low[axis] + n[axis] == grid->desc.n[axis] + 1)
      n[axis]--;
    hymgi_finding found;
    field->view.backend->examine(&field->view, g, n, valid, field->data, &found);
    if (found.bad)
      return hymgi_fail(grid->context, HYMG_EINVAL, "%s = %g at (%d, %d, %d): %s", name,
                        found.value, found.at[0] + g->low[0], found.at[1] + g->low[1],
                        found.at[2] + g->low[2], wanted[valid]);
    *largest = found.largest > *largest ? found.largest : *largest;
    if (found.least < *least) *least = found.least;
  }
  return grid->context->status;
}

static hymg_status check_values(const hymg_field *field, hymgi_valid valid, const char *name,
                                double *largest, double *least)
{
  hymg_status status = hymgi_field_open(field);
  if (status == HYMG_OK) status = check_entries(field, valid, name, largest, least);
  hymgi_field_close(field, false);
  return status;
}

/* h->range: the largest values of beta along each axis and of alpha, -1 times the least ones, and 1 if there is
 * a fixed cell. */
enum { ALPHA = 3, KINDS = 4, FIXED = 2 * KINDS, CHECKED };
_Static_assert((int)CHECKED == (int)HYMGI_RANGES, "as many numbers");

/* On this rank. */
static hymg_status check_fields(const hymg_operator_desc *d, double range[CHECKED])
{
  static const char *const name[KINDS] = {"beta on a face along x", "beta on a face along y",
                                          "beta on a face along z", "alpha"};
  double least_given = INFINITY, unused;
  for (int m = 0; m < KINDS; m++) {
    const hymg_field *const field = m == ALPHA ? d->alpha : d->beta[m];
    const double constant = m == ALPHA ? d->alpha_constant : d->beta_constant;
    double least = field ? INFINITY : constant;
    range[m] = field ? 0 : constant;
    if (field) TRY(check_values(field, HYMGI_VALID_NOT_NEGATIVE, name[m], range + m, &least));
    range[KINDS + m] = -least;
  }
  if (d->fixed) TRY(check_values(d->fixed, HYMGI_VALID_GIVEN, "fixed", &unused, &least_given));
  range[FIXED] = least_given < INFINITY;
  return HYMG_OK;
}

/* Along such an axis nothing flows, whatever beta is. */
static bool is_still(const hymg_grid *grid, const hymg_operator_desc *d, int axis)
{
  return hymgi_is_thin(grid, axis) && !hymgi_has_data(d, 2 * axis) &&
         !hymgi_has_data(d, 2 * axis + 1);
}

/* Fields of beta with one number on all faces where something flows become that number. */
static void simplify(const hymg_grid *grid, hymg_operator_desc *d, double range[CHECKED])
{
  int first = 0;
  while (first < 2 && is_still(grid, d, first))
    first++;
  const double value = range[first];
  bool same = d->beta[0];
  for (int axis = first; axis < 3; axis++)
    same = same &&
           (is_still(grid, d, axis) || (range[axis] == value && -range[KINDS + axis] == value));
  if (!same) return;
  d->beta_constant = value;
  for (int axis = 0; axis < 3; axis++)
    d->beta[axis] = NULL, range[axis] = value, range[KINDS + axis] = -value;
}

hymg_status hymgi_coefficients_check(hymgi_hierarchy *h, hymg_operator_desc *d)
{
  hymg_context *c = h->context;
  TRY(hymgi_agree(c, check_fields(d, h->range)));
  TRY(hymgi_comm_max_double(c, c->comm, h->range, CHECKED));
  simplify(h->op->grid, d, h->range);
  h->method.masked = false;
  for (int axis = 0; axis < 3; axis++)
    h->method.masked = h->method.masked || h->range[KINDS + axis] == 0;
  return HYMG_OK;
}

bool hymgi_any_fixed(const hymgi_hierarchy *h)
{
  return h->op->desc.fixed && h->range[FIXED] != 0;
}

double hymgi_range_ratio(const hymgi_hierarchy *h)
{
  double most = 0, least = INFINITY;
  for (int axis = 0; axis < 3; axis++)
    most = fmax(most, h->range[axis]), least = fmin(least, -h->range[KINDS + axis]);
  return most / least;
}

double hymgi_range_between(const hymgi_hierarchy *h, int weak, int strong)
{
  return -h->range[KINDS + weak] / h->range[strong];
}

/* Are the stencil's coefficients representable on all levels, with a margin for their products
 * and sums? */
static hymg_status check_range(const hymgi_hierarchy *h, const hymg_operator_desc *d,
                               const double largest[KINDS])
{
  static const double LEAST = 1e-300, MOST = 1e300;
  hymg_context *c = h->context;
  if (!(d->a * largest[ALPHA] < MOST))
    return hymgi_fail(c, HYMG_EINVAL, "a alpha = %g: below %g", d->a * largest[ALPHA], MOST);
  for (int l = 0; l < hymgi_discretised(h); l++)
    for (int axis = 0; axis < 3; axis++) {
      const double width = h->level[l].h[axis], size = d->b / (width * width) * largest[axis];
      if (!((size > LEAST || largest[axis] == 0) && size < MOST))
        return hymgi_fail(c, HYMG_EINVAL,
                          "b beta / h^2 = %g along %c where h = %g: above %g, below %g", size,
                          "xyz"[axis], width, LEAST, MOST);
    }
  return HYMG_OK;
}

/* The mean width of the finest level's cells along an axis, as a length. */
static double width_of(const hymgi_hierarchy *h, int axis)
{
  return h->level->h[axis] * hymgi_mean_pitch(&h->op->grid->desc, axis);
}

/* The largest of the finest level's coefficients, roughly. */
static double order_of(const hymgi_hierarchy *h, const double largest[KINDS])
{
  const hymg_operator_desc *d = &h->op->desc;
  double most = d->a * largest[ALPHA];
  for (int axis = 0; axis < 3; axis++) {
    const double width = width_of(h, axis);
    most = fmax(most, d->b / (width * width) * largest[axis]);
  }
  return most;
}

/* ---- faces ---- */

/* Copies the last layer of low faces of `shifted` (which are the high faces of the last cells)
 * to layer n of beta, with its ghosts. */
void hymgi_faces_take_high(const hymgi_level *level, int axis, const double *shifted, double *beta)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    hymgi_copy c = {.src_box = b, .dst_box = b};
    for (int t = 0; t < 3; t++) {
      c.src[t] = c.dst[t] = -g->ghost;
      c.n[t] = g->n[t] + 2 * g->ghost;
    }
    c.src[axis] = g->n[axis] - 1, c.dst[axis] = g->n[axis], c.n[axis] = 1;
    const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &c};
    level->backend->mover.local(level->context, &plan, level->box, shifted, level->box, beta);
  }
}

/* Fills the ghosts of beta once its low faces and the high faces of each box are there. High
 * faces are exchanged as the low faces of a shifted field. */
hymg_status hymgi_faces_exchange(const hymgi_level *level, int axis, double *beta)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FULL];
  double *shifted = NULL;
  const ptrdiff_t size = plan ? level->vector_size : 0;
  const hymg_status status =
      hymgi_agree(level->context, hymgi_vector_create(level, size, &shifted));
  if (plan && status == HYMG_OK) {
    hymgi_run_plan(level, plan, level->box, beta, level->box, beta);
    hymgi_boxes_copy(level, level->box, beta, level->box, shifted, axis);
    hymgi_run_plan(level, plan, level->box, shifted, level->box, shifted);
    hymgi_faces_take_high(level, axis, shifted, beta);
  }
  hymgi_vector_destroy(level, size, &shifted);
  return status;
}

static void restrict_faces(const hymgi_level *fine, int axis, double *coarse)
{
  fine->transfer->restrict_faces(fine, axis, fine->c.beta[axis], fine->patch, coarse);
}

hymg_status hymgi_faces_restrict(hymgi_level *fine, hymgi_level *coarse, int axis)
{
  double *const beta = coarse->c.beta[axis];
  if (fine->direct) {
    restrict_faces(fine, axis, beta);
    hymgi_cross(fine, coarse);
    return HYMG_OK;
  }
  double *patch = NULL, *shifted = NULL, *high = NULL;
  hymg_status status = hymgi_vector_create(fine, fine->patch_size, &patch);
  if (status == HYMG_OK) status = hymgi_vector_create(fine, fine->patch_size, &shifted);
  if (status == HYMG_OK) status = hymgi_vector_create(coarse, coarse->vector_size, &high);
  status = hymgi_agree(fine->context, status);
  if (status == HYMG_OK) {
    double *const low_faces = fine->inside ? beta : patch;
    double *const high_faces = fine->inside ? high : shifted;
    restrict_faces(fine, axis, low_faces);
    hymgi_boxes_copy(fine, fine->patch, low_faces, fine->patch, high_faces, axis);
    hymgi_run_plan(fine, fine->gather, fine->patch, low_faces, coarse->box, beta);
    hymgi_run_plan(fine, fine->gather, fine->patch, high_faces, coarse->box, high);
    hymgi_cross(fine, coarse);
    hymgi_faces_take_high(coarse, axis, high, beta);
  }
  hymgi_vector_destroy(fine, fine->patch_size, &patch);
  hymgi_vector_destroy(fine, fine->patch_size, &shifted);
  hymgi_vector_destroy(coarse, coarse->vector_size, &high);
  return status;
}

/* A constant beta as a field: low faces, and the high ones of the box's last cells. */
static void fill_faces(const hymgi_level *level, int axis, double *beta)
{
  level->backend->fill(level, 1, beta);
  hymgi_faces_take_high(level, axis, beta, beta);
}

static hymg_status load_alpha(hymgi_level *level, const hymg_operator_desc *d)
{
  if (!level->method->variable_alpha) return HYMG_OK;
  if (!d->alpha) {
    level->backend->fill(level, d->a * d->alpha_constant, level->c.alpha);
    return HYMG_OK;
  }
  TRY(hymgi_field_load(d->alpha, level, level->c.alpha));
  level->backend->axpby(level, d->a, level->c.alpha, 0, level->c.alpha, level->c.alpha);
  return HYMG_OK;
}

static hymg_status load_finest(hymgi_level *level, const hymg_operator_desc *d)
{
  /* also on ranks without cells of the level: they may hold cells of the user's boxes */
  for (int axis = 0; level->method->variable_beta && axis < 3; axis++)
    if (d->beta[0])
      TRY(hymgi_field_load(d->beta[axis], level, level->c.beta[axis]));
    else
      fill_faces(level, axis, level->c.beta[axis]);
  return load_alpha(level, d);
}

/* Scales the user's beta by b / h^2 of its level. */
static void scale_betas(hymgi_level *level)
{
  for (int axis = 0; level->c.beta[0] && axis < 3; axis++)
    level->backend->scale(level, level->c.beta_constant[axis], level->c.beta[axis]);
}

static hymg_status fill_levels(hymgi_hierarchy *h)
{
  const hymg_operator_desc *d = &h->op->desc;
  const int levels = hymgi_discretised(h);
  TRY(hymgi_agree(h->context, load_finest(h->system, d)));
  for (int l = 0; l < levels; l++) {
    hymgi_level *level = hymgi_system_level(h, l);
    for (int axis = 0; axis < 3; axis++) {
      const double width = level->h[axis], wide = level->op->scale;
      level->c.beta_constant[axis] =
          d->b * (d->beta[0] ? 1 : d->beta_constant) / (width * width * wide);
    }
    level->c.alpha_constant = d->a * d->alpha_constant;
    for (int axis = 0; h->method.variable_beta && axis < 3; axis++) {
      TRY(hymgi_faces_exchange(level, axis, level->c.beta[axis]));
      if (l + 1 < levels) TRY(hymgi_faces_restrict(level, level + 1, axis));
    }
    if (h->method.variable_alpha && l + 1 < levels)
      hymgi_restrict_cells(level, level->c.alpha, level + 1, level[1].c.alpha);
  }
  return h->context->status;
}

hymg_status hymgi_levels_finish(hymgi_level *level, int count)
{
  double bound[HYMGI_MAX_LEVELS] = {0};
  hymg_context *context = level->context;
  hymg_status status = HYMG_OK;
  for (int l = 0; l < count && status == HYMG_OK; l++) {
    status = level[l].backend->finish_coefficients(level + l);
    bound[l] = level[l].lambda_max;
  }
  TRY(hymgi_agree(context, status));
  TRY(hymgi_comm_max_double(context, context->comm, bound, count));
  for (int l = 0; l < count; l++) {
    level[l].lambda_max = bound[l];
    hymgi_smoother_kind_of(level->method->smoother)->weights(bound[l], level[l].sweep_weights);
    TRY(hymgi_wide_fill(level + l));
  }
  return HYMG_OK;
}

static bool has_dirichlet_boundary(const hymg_grid *grid)
{
  for (int face = 0; face < 6; face++)
    if (hymgi_boundary_kind_of(grid->desc.boundary[face]).holds) return true;
  return false;
}

/* Of a alpha and of b beta / h^2, the largest and the smallest sums along the axes: bounds of the diagonal, up to a
 * factor that is the same for both. */
#define SPREAD 100
/* Does a boundary of an axis hold u? The extrapolation VERTEX is of Robin's kind. */
static bool is_held(const hymgi_boundary_kind side[2])
{
  return side[0].holds || side[1].holds || side[0].mixes || side[1].mixes;
}

static bool is_spread(const hymgi_hierarchy *h, const double *range)
{
  const hymg_operator_desc *d = &h->op->desc;
  const hymgi_level *level = h->level;
  double most = d->a * range[ALPHA], least = -d->a * range[KINDS + ALPHA];
  for (int axis = 0; axis < 3; axis++) {
    const double width = width_of(h, axis), scale = d->b / (width * width);
    if (level->n[axis] == 1 && !is_held(level->boundary + 2 * axis)) continue;
    most += 2 * scale * range[axis], least -= 2 * scale * range[KINDS + axis];
  }
  return most > SPREAD * least;
}

/* The largest coupling of an axis over the least of all. */
static double ratio_of_axes(const hymgi_hierarchy *h, const double *range)
{
  double most = 0, least = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    const double width = width_of(h, axis);
    if (h->level->n[axis] == 1) continue;
    most = fmax(most, range[axis] / (width * width));
    least = fmin(least, -range[KINDS + axis] / (width * width));
  }
  return most / least;
}

/* The largest a alpha over the largest sum of couplings along the axes; at least 1. */
static double stiffness(const hymgi_hierarchy *h, const double *range)
{
  const hymg_operator_desc *d = &h->op->desc;
  double couplings = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double width = width_of(h, axis);
    if (h->system->n[axis] > 1) couplings += 2 * d->b * range[axis] / (width * width);
  }
  return couplings > 0 ? fmax(1, d->a * range[ALPHA] / couplings) : 1;
}

/* The largest ratio of beta between neighbouring faces, looked for where the largest over the smallest beta of an axis is
 * beyond HYMGI_FAINT, times what makes f of single cells so much larger. An axis that is weak everywhere is a barrier to the
 * standard path alone. */
static hymg_status find_contrast(hymgi_hierarchy *h, const double *range)
{
  const hymgi_level *level = h->system;
  double most = 1;
  for (int axis = 0; axis < 3; axis++)
    if (level->n[axis] > 1) most = fmax(most, range[axis] / -range[KINDS + axis]);
  h->contrast = most;
  if (most > HYMGI_FAINT && level->method->variable_beta) {
    h->contrast = level->num_boxes ? level->backend->robust->largest_step(level) : 1;
    TRY(hymgi_comm_max_double(h->context, h->context->comm, &h->contrast, 1));
    if (h->contrast > HYMGI_FAINT) h->contrast *= stiffness(h, range);
  }
  if (!h->method.robust) h->contrast = fmax(h->contrast, ratio_of_axes(h, range));
  return HYMG_OK;
}

/* What the boundaries do not hold is held by a alpha alone. Where that is one number, constants are eigenvectors, so
 * that the mean of u is known; where it is also much less than what couples the cells over the whole grid, the solve is
 * one for f without its mean, as for a singular system. */
#define WEAK 1e-2
/* Of the Robin conditions, spread over the cells, with the least betas of their axes. */
static double robin_hold(const hymgi_hierarchy *h, const double share[6], const double *range)
{
  double hold = 0;
  for (int face = 0; face < 6; face++) {
    const double width = width_of(h, face / 2);
    hold += share[face] * h->op->desc.b * -range[KINDS + face / 2] /
            (width * width * h->level->n[face / 2]);
  }
  return hold;
}

static void find_constants(hymgi_hierarchy *h, const double share[6], const double *range)
{
  const hymg_operator_desc *d = &h->op->desc;
  const hymgi_level *level = h->level;
  const double size = d->a * range[ALPHA], robin = robin_hold(h, share, range);
  const bool fixed = has_dirichlet_boundary(h->op->grid) || range[FIXED] != 0;
  double weak = INFINITY;
  for (int axis = 0; axis < 3; axis++) {
    const double length = level->n[axis] * width_of(h, axis);
    if (level->n[axis] > 1) weak = fmin(weak, -d->b * range[KINDS + axis] / (length * length));
  }
  /* masked: pieces may be singular one by one (pieces.c) */
  const bool held = fixed || robin > 0 || h->method.masked;
  h->singular = !held && size == 0;
  h->mean_weight = !held && size > 0 && !h->alpha_varies && size < WEAK * weak ? 1 / size : 0;
  h->method.singular = h->singular || h->mean_weight != 0;
  h->weakly_held = !fixed && !h->method.singular && robin - d->a * range[KINDS + ALPHA] < weak;
}

/* By the least beta of such an axis, and the largest coefficients beside it. */
static void find_thin_axis(hymgi_hierarchy *h, const double *range)
{
  const hymg_operator_desc *d = &h->op->desc;
  const hymgi_level *level = h->level;
  const double weight = d->extrapolation == HYMG_EXTRAPOLATION_VERTEX ? 1 : 2;
  double others = 0;
  h->thin_axis = -1, h->thin_hold = 0;
  for (int axis = 0; axis < 3; axis++) {
    const double length = level->n[axis] * width_of(h, axis), wave = acos(-1.) / length;
    if (level->n[axis] > 1) others += d->b * range[axis] * wave * wave;
  }
  if (others == 0) return; /* a single cell */
  others += d->a * range[ALPHA];
  for (int axis = 0; axis < 3; axis++) {
    const hymgi_boundary_kind *kind = level->boundary + 2 * axis;
    const int held = kind[0].holds + kind[1].holds;
    const double width = width_of(h, axis);
    const double hold = held * weight * d->b * -range[KINDS + axis] / (width * width) / others;
    if (level->n[axis] == 1 && hold > h->thin_hold) h->thin_axis = axis, h->thin_hold = hold;
  }
}

hymg_status hymgi_coefficients_load(hymgi_hierarchy *h)
{
  const hymg_operator_desc *d = &h->op->desc;
  hymg_grid *grid = h->op->grid;
  const double *const largest = h->range;
  grid->context->status = HYMG_OK;
  TRY(check_range(h, d, largest));
  h->alpha_varies = d->a != 0 && largest[ALPHA] > -largest[KINDS + ALPHA];
  h->spread = is_spread(h, largest);
  /* does a residual have little of what varies along an axis alone? */
  h->uneven = ratio_of_axes(h, largest) > SPREAD;
  h->largest = order_of(h, largest);
  double share[6];
  TRY(hymgi_agree(grid->context, fill_levels(h)));
  TRY(find_contrast(h, largest));
  TRY(hymgi_boundary_data_load(h, share));
  find_constants(h, share, largest);
  find_thin_axis(h, largest);
  for (int l = 0; l < hymgi_discretised(h); l++)
    scale_betas(hymgi_system_level(h, l));
  return HYMG_OK;
}
