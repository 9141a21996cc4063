/* Level 0 where the user's boxes do not suit it: their cuts are unequal, or the robust path needs
 * them at even cells. The level then has boxes of its own, and the user's fields move between
 * level->outside, which is made of the user's boxes, and the level. */
#include <stdlib.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

enum { TAG = 6 }; /* of level 0, after its own */

static bool is_cut(const hymgi_decomp *d)
{
  return d->cut[0] || d->cut[1] || d->cut[2];
}

/* Sides that may be odd move cuts to even cells; else boxes are equal. *own: NULL if the
 * user's boxes will do. */
static hymg_status boxes_of_level(const hymgi_hierarchy *h, hymgi_decomp **own)
{
  const hymg_grid *grid = h->op->grid;
  *own = NULL;
  if (h->method.any_sides) {
    TRY(hymgi_decomp_coarsen_axes(h->context, grid->decomp, 0,
                                  &(hymgi_gathering){.uncut = h->method.lines}, own));
    if ((*own)->same) hymgi_decomp_destroy(own);
    return HYMG_OK;
  }
  if (!is_cut(grid->decomp)) return HYMG_OK;
  hymg_grid_desc equal = grid->desc;
  equal.owner = NULL;
  for (int axis = 0; axis < 3; axis++)
    equal.boxes[axis] = 0, equal.cuts[axis] = NULL;
  return hymgi_decomp_create_for(h->context, hymg_context_ranks(h->context), &equal, own);
}

/* FV4 reads three cells next to a boundary that must not be farther off than the next box's halo. */
static hymg_status check_widths(const hymgi_hierarchy *h, const hymgi_decomp *d)
{
  if (h->kind->order < 4) return HYMG_OK;
  for (int axis = 0; axis < 3; axis++)
    for (int box = 0; d->boxes[axis] > 1 && box < d->boxes[axis]; box++) {
      const int width = hymgi_decomp_low(d, axis, box + 1) - hymgi_decomp_low(d, axis, box);
      if (width < 3)
        return hymgi_fail(h->context, HYMG_EUNSUPPORTED,
                          "a box of %d cells along %c, cuts being at even cells on the robust "
                          "path: FV4 needs 3",
                          width, "xyz"[axis]);
    }
  return HYMG_OK;
}

hymg_status hymgi_outside_shape(const hymgi_hierarchy *h, hymgi_level *level)
{
  hymg_grid *grid = h->op->grid;
  hymgi_decomp *own;
  TRY(boxes_of_level(h, &own));
  level->decomp = grid->decomp;
  if (!own) return HYMG_OK;
  const hymg_status fits = check_widths(h, own);
  if (fits != HYMG_OK) {
    hymgi_decomp_destroy(&own);
    return fits;
  }
  hymgi_level *out = level->outside = calloc(1, sizeof *out);
  if (!out) {
    hymgi_decomp_destroy(&own);
    return hymgi_fail(h->context, HYMG_ENOMEM, "no memory for a level");
  }
  level->decomp = own;
  *out = *level;
  out->outside = NULL;
  out->decomp = grid->decomp;
  out->ghost = 1;
  return hymgi_side_boxes(h->context, out->decomp, hymg_context_rank(h->context), out->ghost,
                          out->periodic, &out->box, &out->cover, &out->num_boxes);
}

void hymgi_outside_place(hymgi_level *level)
{
  hymgi_level *out = level->outside;
  if (!out) return;
  out->backend = level->backend, out->keeper = level->keeper, out->memory = level->memory;
  out->vector_size = hymgi_boxes_layout(out->box, out->num_boxes, out->backend->line);
}

static hymg_status make_plan(hymgi_level *out, const hymgi_pull *rule, int tag, hymgi_plan **plan)
{
  const hymgi_backend *backend = out->backend;
  TRY(hymgi_plan_create(out->context, rule, tag, plan));
  return hymgi_plan_share(*plan, backend->share, backend->unshare, hymgi_crossing(out));
}

hymg_status hymgi_outside_plans(hymgi_level *level)
{
  hymgi_level *out = level->outside;
  if (!out) return HYMG_OK;
  const hymgi_side from = {out->decomp, out->num_boxes, out->box, (const int(*)[6])out->cover};
  const hymgi_side to = {level->decomp, level->num_boxes, level->box,
                         (const int(*)[6])level->cover};
  const hymgi_pull in = hymgi_gather_rule(&from, &to),
                   back = hymgi_scatter_rule(&from, &to, 0, out->periodic);
  TRY(hymgi_boxes_share(out->context, out->keeper, &out->box, out->num_boxes));
  TRY(make_plan(out, &in, TAG, &out->gather));
  return make_plan(out, &back, TAG + 1, &out->scatter);
}

void hymgi_outside_destroy(hymgi_level *level)
{
  hymgi_level *out = level->outside;
  if (!out) return;
  hymgi_plan_destroy(&out->gather);
  hymgi_plan_destroy(&out->scatter);
  if (out->box) out->keeper->unshare(out->box);
  free(out->cover);
  free(out);
  level->outside = NULL;
  hymgi_decomp_destroy(&level->decomp);
}

/* The high faces of boxes travel as low faces of a shifted copy. */
static void load_faces(const hymgi_level *level, int axis, const double *faces, double *shifted,
                       double *high, double *vector)
{
  const hymgi_level *out = level->outside;
  hymgi_run_plan(out, out->gather, out->box, faces, level->box, vector);
  hymgi_boxes_copy(out, out->box, faces, out->box, shifted, axis);
  hymgi_run_plan(out, out->gather, out->box, shifted, level->box, high);
  hymgi_faces_take_high(level, axis, high, vector);
}

hymg_status hymgi_outside_load(const hymg_field *field, const hymgi_level *level, double *vector)
{
  const hymgi_level *out = level->outside;
  const bool faces = field->centering != HYMG_CELL;
  double *cells = NULL, *shifted = NULL, *high = NULL;
  hymg_status status = hymgi_vector_create(out, out->vector_size, &cells);
  if (status == HYMG_OK && faces) status = hymgi_vector_create(out, out->vector_size, &shifted);
  if (status == HYMG_OK && faces) status = hymgi_vector_create(level, level->vector_size, &high);
  status = hymgi_agree(level->context, status);
  if (status == HYMG_OK) {
    status = hymgi_field_to_vector(field, out, cells);
    if (faces)
      load_faces(level, (int)field->centering - 1, cells, shifted, high, vector);
    else
      hymgi_run_plan(out, out->gather, out->box, cells, level->box, vector);
    level->backend->sync(level->context);
    if (status == HYMG_OK) status = level->context->status;
    status =
        hymgi_agree(level->context, status); /* the next field is loaded by all ranks or none */
  }
  hymgi_vector_destroy(out, out->vector_size, &cells);
  hymgi_vector_destroy(out, out->vector_size, &shifted);
  hymgi_vector_destroy(level, level->vector_size, &high);
  return status;
}

/* The other way round. */
static void store_faces(const hymgi_level *level, int axis, const double *vector, double *shifted,
                        double *high, double *faces)
{
  const hymgi_level *out = level->outside;
  hymgi_run_plan(out, out->scatter, level->box, vector, out->box, faces);
  hymgi_boxes_copy(level, level->box, vector, level->box, shifted, axis);
  hymgi_run_plan(out, out->scatter, level->box, shifted, out->box, high);
  hymgi_faces_take_high(out, axis, high, faces);
}

hymg_status hymgi_outside_store(const hymgi_level *level, const double *vector, hymg_field *field)
{
  const hymgi_level *out = level->outside;
  const bool faces = field->centering != HYMG_CELL;
  double *cells = NULL, *shifted = NULL, *high = NULL;
  hymg_status status = hymgi_vector_create(out, out->vector_size, &cells);
  if (status == HYMG_OK && faces) status = hymgi_vector_create(level, level->vector_size, &shifted);
  if (status == HYMG_OK && faces) status = hymgi_vector_create(out, out->vector_size, &high);
  status = hymgi_agree(level->context, status);
  if (status == HYMG_OK) {
    if (faces)
      store_faces(level, (int)field->centering - 1, vector, shifted, high, cells);
    else
      hymgi_run_plan(out, out->scatter, level->box, vector, out->box, cells);
    status = hymgi_vector_to_field(out, cells, field);
  }
  level->backend->sync(level->context);
  hymgi_vector_destroy(out, out->vector_size, &cells);
  hymgi_vector_destroy(level, level->vector_size, &shifted);
  hymgi_vector_destroy(out, out->vector_size, &high);
  return status;
}
