/* Operators: a description, validated. */
#include <math.h>
#include <stdlib.h>

#include "field.h"

hymg_operator_desc hymg_operator_desc_default(void)
{
  const hymg_operator_desc desc = {
      .stencil = HYMG_FV2, .b = 1, .alpha_constant = 1, .beta_constant = 1};
  return desc;
}

static hymg_status check_numbers(hymg_context *c, const hymg_operator_desc *d)
{
  if (!(d->a >= 0) || !isfinite(d->a))
    return hymgi_fail(c, HYMG_EINVAL, "a = %g: at least 0 and finite", d->a);
  if (!(d->b > 0) || !isfinite(d->b))
    return hymgi_fail(c, HYMG_EINVAL, "b = %g: above 0 and finite", d->b);
  if (!d->alpha && (!(d->alpha_constant >= 0) || !isfinite(d->alpha_constant)))
    return hymgi_fail(c, HYMG_EINVAL, "constant alpha = %g: at least 0 and finite",
                      d->alpha_constant);
  if (!d->beta[0] && (!(d->beta_constant > 0) || !isfinite(d->beta_constant)))
    return hymgi_fail(c, HYMG_EINVAL, "constant beta = %g: above 0 and finite", d->beta_constant);
  return HYMG_OK;
}

static hymg_status check_field(hymg_grid *grid, const hymg_field *field, hymg_centering centering,
                               const char *name)
{
  if (!field) return HYMG_OK;
  if (field->grid != grid)
    return hymgi_fail(grid->context, HYMG_EINVAL, "%s is a field of another grid", name);
  if (field->centering != centering)
    return hymgi_fail(grid->context, HYMG_EINVAL, "%s has centering %d: %d is wanted", name,
                      (int)field->centering, (int)centering);
  if (field->level != 0)
    return hymgi_fail(grid->context, HYMG_EINVAL, "%s is on level %d: 0 is wanted", name,
                      field->level);
  return HYMG_OK;
}

static hymg_status check_fields(hymg_grid *grid, const hymg_operator_desc *d)
{
  static const char *const beta[3] = {"beta along x", "beta along y", "beta along z"};
  TRY(check_field(grid, d->alpha, HYMG_CELL, "alpha"));
  for (int axis = 0; axis < 3; axis++) {
    TRY(check_field(grid, d->beta[axis], (hymg_centering)(HYMG_FACE_X + axis), beta[axis]));
    if (!d->beta[axis] != !d->beta[0])
      return hymgi_fail(grid->context, HYMG_EINVAL, "beta: fields on all three axes or on none");
  }
  for (int face = 0; face < 6; face++) {
    TRY(check_field(grid, d->wall[face], (hymg_centering)(HYMG_WALL_X_LOW + face), "wall data"));
    if (d->wall[face] && grid->desc.boundary[face] == HYMG_PERIODIC)
      return hymgi_fail(grid->context, HYMG_EINVAL, "wall data on face %d, which is periodic",
                        face);
  }
  return HYMG_OK;
}

static hymg_status check_fv4(hymg_grid *grid, const hymg_operator_desc *d)
{
  if (d->stencil != HYMG_FV4) return HYMG_OK;
  hymg_context *c = grid->context;
  if (d->closure != HYMG_CLOSURE_DEFAULT)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "closure %d with FV4: its quartic one only (0)",
                      (int)d->closure);
  for (int face = 0; face < 6; face++) {
    if (grid->desc.boundary[face] == HYMG_NEUMANN)
      return hymgi_fail(c, HYMG_EUNSUPPORTED,
                        "Neumann on face %d with FV4: Dirichlet and periodic only", face);
    if (d->wall[face])
      return hymgi_fail(c, HYMG_EUNSUPPORTED,
                        "wall data on face %d with FV4: homogeneous walls only", face);
  }
  for (int axis = 0; axis < 3; axis++) {
    const int boxes = grid->desc.boxes[axis], width = grid->desc.n[axis] / boxes;
    if (grid->desc.n[axis] < 2)
      return hymgi_fail(c, HYMG_EINVAL, "%d cells along axis %d: FV4 needs 2", grid->desc.n[axis],
                        axis);
    if (boxes > 1 && width < 3)
      return hymgi_fail(c, HYMG_EINVAL,
                        "axis %d: %d cells in %d boxes of %d; FV4 needs boxes of 3 cells", axis,
                        grid->desc.n[axis], boxes, width);
  }
  return HYMG_OK;
}

static hymg_status check(hymg_grid *grid, const hymg_operator_desc *d)
{
  if (d->stencil != HYMG_FV2 && d->stencil != HYMG_FV4)
    return hymgi_fail(grid->context, HYMG_EINVAL, "stencil %d: 0 (FV2) or 1 (FV4)",
                      (int)d->stencil);
  if (d->closure < HYMG_CLOSURE_DEFAULT || d->closure > HYMG_CLOSURE_QUADRATIC)
    return hymgi_fail(grid->context, HYMG_EINVAL, "closure %d: 0, 1 or 2", (int)d->closure);
  TRY(check_numbers(grid->context, d));
  TRY(check_fields(grid, d));
  return check_fv4(grid, d);
}

hymg_status hymg_operator_create(hymg_grid *grid, const hymg_operator_desc *desc,
                                 hymg_operator **op)
{
  if (!grid) return HYMG_EINVAL;
  if (!desc || !op)
    return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_operator_create: desc or op is NULL");
  TRY(check(grid, desc));
  hymg_operator *o = calloc(1, sizeof *o);
  if (!o) return hymgi_fail(grid->context, HYMG_ENOMEM, "no memory for an operator");
  o->grid = grid;
  o->desc = *desc;
  *op = o;
  return HYMG_OK;
}

hymg_status hymg_operator_set(hymg_operator *op, const hymg_operator_desc *desc)
{
  if (!op) return HYMG_EINVAL;
  hymg_context *c = op->grid->context;
  if (!desc) return hymgi_fail(c, HYMG_EINVAL, "hymg_operator_set: desc is NULL");
  TRY(check(op->grid, desc));
  if (desc->stencil != op->desc.stencil || desc->closure != op->desc.closure)
    return hymgi_fail(c, HYMG_EINVAL, "stencil and closure (%d, %d) cannot change to (%d, %d)",
                      (int)op->desc.stencil, (int)op->desc.closure, (int)desc->stencil,
                      (int)desc->closure);
  bool same = !desc->alpha == !op->desc.alpha && !desc->beta[0] == !op->desc.beta[0] &&
              (desc->a == 0) == (op->desc.a == 0);
  for (int face = 0; face < 6; face++)
    same = same && !desc->wall[face] == !op->desc.wall[face];
  if (!same)
    return hymgi_fail(c, HYMG_EINVAL,
                      "what is a field, what a constant and whether a is 0 cannot change");
  op->desc = *desc;
  return HYMG_OK;
}

void hymg_operator_destroy(hymg_operator **op)
{
  if (!op || !*op) return;
  free(*op);
  *op = NULL;
}
