/* Operators: a validated description. */
#include <math.h>
#include <stdlib.h>

#include "problem/problem.h"

hymg_operator_desc hymg_operator_desc_default(void)
{
  const hymg_operator_desc desc = {.stencil = HYMG_FV2,
                                   .b = 1,
                                   .alpha_constant = 1,
                                   .beta_constant = 1,
                                   .robin_alpha_constant = {1, 1, 1, 1, 1, 1},
                                   .robin_beta_constant = {1, 1, 1, 1, 1, 1}};
  return desc;
}

bool hymgi_has_data(const hymg_operator_desc *desc, int face)
{
  return desc->boundary_data[face] || desc->boundary_constant[face] != 0;
}

bool hymgi_has_robin_fields(const hymg_operator_desc *desc)
{
  for (int face = 0; face < 6; face++)
    if (desc->robin_alpha[face] || desc->robin_beta[face]) return true;
  return false;
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
    return hymgi_fail(grid->context, HYMG_EINVAL, "%s is a field of %s, not of %s", name,
                      hymgi_centering_name(field->centering), hymgi_centering_name(centering));
  if (field->level != 0)
    return hymgi_fail(grid->context, HYMG_EINVAL, "%s is on level %d: level 0 is wanted", name,
                      field->level);
  return HYMG_OK;
}

/* alpha and beta of a Robin boundary, which no other boundary has as fields. */
static hymg_status check_robin(hymg_grid *grid, const hymg_operator_desc *d, int face)
{
  static const char *const alpha_name[6] = {"robin_alpha[0]", "robin_alpha[1]", "robin_alpha[2]",
                                            "robin_alpha[3]", "robin_alpha[4]", "robin_alpha[5]"};
  static const char *const beta_name[6] = {"robin_beta[0]", "robin_beta[1]", "robin_beta[2]",
                                           "robin_beta[3]", "robin_beta[4]", "robin_beta[5]"};
  const hymg_centering centering = (hymg_centering)(HYMG_BOUNDARY_X_LOW + face);
  const double alpha = d->robin_alpha_constant[face], beta = d->robin_beta_constant[face];
  hymg_context *c = grid->context;
  TRY(check_field(grid, d->robin_alpha[face], centering, alpha_name[face]));
  TRY(check_field(grid, d->robin_beta[face], centering, beta_name[face]));
  if (grid->desc.boundary[face] != HYMG_ROBIN) {
    if (!d->robin_alpha[face] && !d->robin_beta[face]) return HYMG_OK;
    return hymgi_fail(c, HYMG_EINVAL, "%s is given, but face %s is not a Robin boundary",
                      d->robin_alpha[face] ? alpha_name[face] : beta_name[face],
                      hymgi_face_name(face));
  }
  if (!d->robin_alpha[face] && (!(alpha >= 0) || !isfinite(alpha)))
    return hymgi_fail(c, HYMG_EINVAL, "constant robin_alpha = %g on face %s: at least 0 and finite",
                      alpha, hymgi_face_name(face));
  if (!d->robin_beta[face] && (!(beta >= 0) || !isfinite(beta)))
    return hymgi_fail(c, HYMG_EINVAL, "constant robin_beta = %g on face %s: at least 0 and finite",
                      beta, hymgi_face_name(face));
  if (!d->robin_alpha[face] && !d->robin_beta[face] && alpha == 0 && beta == 0)
    return hymgi_fail(c, HYMG_EINVAL,
                      "robin_alpha and robin_beta are both 0 on face %s: at most one of them",
                      hymgi_face_name(face));
  return HYMG_OK;
}

static hymg_status check_fields(hymg_grid *grid, const hymg_operator_desc *d)
{
  static const char *const beta[3] = {"beta[0]", "beta[1]", "beta[2]"};
  static const char *const boundary_data[6] = {"boundary_data[0]", "boundary_data[1]",
                                               "boundary_data[2]", "boundary_data[3]",
                                               "boundary_data[4]", "boundary_data[5]"};
  TRY(check_field(grid, d->alpha, HYMG_CELL, "alpha"));
  TRY(check_field(grid, d->fixed, HYMG_CELL, "fixed"));
  for (int axis = 0; axis < 3; axis++) {
    TRY(check_field(grid, d->beta[axis], (hymg_centering)(HYMG_FACE_X + axis), beta[axis]));
    if (!d->beta[axis] != !d->beta[0])
      return hymgi_fail(grid->context, HYMG_EINVAL, "beta: fields on all three axes or on none");
  }
  for (int face = 0; face < 6; face++) {
    TRY(check_field(grid, d->boundary_data[face], (hymg_centering)(HYMG_BOUNDARY_X_LOW + face),
                    boundary_data[face]));
    if (hymgi_has_data(d, face) && grid->desc.boundary[face] == HYMG_PERIODIC)
      return hymgi_fail(grid->context, HYMG_EINVAL, "boundary data on face %s, which is periodic",
                        hymgi_face_name(face));
    if (!isfinite(d->boundary_constant[face]))
      return hymgi_fail(grid->context, HYMG_EINVAL, "constant boundary data %g on face %s: finite",
                        d->boundary_constant[face], hymgi_face_name(face));
    TRY(check_robin(grid, d, face));
  }
  return HYMG_OK;
}

static const char *stencil_name(hymg_stencil stencil)
{
  return stencil == HYMG_FV2 ? "FV2" : "FV4";
}

static const char *extrapolation_name(hymg_extrapolation extrapolation)
{
  static const char *const name[] = {"default", "linear", "quadratic", "vertex"};
  return name[extrapolation];
}

static hymg_status check_fv4(hymg_grid *grid, const hymg_operator_desc *d)
{
  hymg_context *c = grid->context;
  if (d->limiter != 0 && !(d->limiter >= 1))
    return hymgi_fail(c, HYMG_EINVAL, "limiter %g: at least 1, or 0 for the default", d->limiter);
  if (d->stencil != HYMG_FV4 && d->limiter != 0)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "limiter %g with FV2: with FV4 only", d->limiter);
  if (d->stencil != HYMG_FV4) return HYMG_OK;
  if (d->fixed) return hymgi_fail(c, HYMG_EUNSUPPORTED, "fixed cells with FV4: with FV2 only");
  if (d->extrapolation != HYMG_EXTRAPOLATION_DEFAULT)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "extrapolation %s with FV4: default only, which is its own",
                      extrapolation_name(d->extrapolation));
  for (int face = 0; face < 6; face++) {
    const int n = grid->desc.n[face / 2];
    const hymg_boundary kind = grid->desc.boundary[face];
    if (kind == HYMG_ROBIN)
      return hymgi_fail(c, HYMG_EUNSUPPORTED, "Robin on face %s with FV4: with FV2 only",
                        hymgi_face_name(face));
    if (kind == HYMG_NEUMANN && n < 4)
      return hymgi_fail(c, HYMG_EUNSUPPORTED,
                        "%d cells along %c, which has a Neumann boundary: FV4 needs 4", n,
                        "xyz"[face / 2]);
  }
  for (int axis = 0; axis < 3; axis++) {
    const int boxes = grid->desc.boxes[axis], width = grid->desc.n[axis] / boxes;
    if (grid->desc.n[axis] < 2)
      return hymgi_fail(c, HYMG_EINVAL, "1 cell along %c: FV4 needs 2", "xyz"[axis]);
    if (boxes > 1 && width < 3)
      return hymgi_fail(c, HYMG_EINVAL,
                        "%d cells along %c in %d boxes of %d: FV4 needs boxes of 3 cells",
                        grid->desc.n[axis], "xyz"[axis], boxes, width);
  }
  return HYMG_OK;
}

static hymg_status check(hymg_grid *grid, const hymg_operator_desc *d)
{
  if (d->stencil != HYMG_FV2 && d->stencil != HYMG_FV4)
    return hymgi_fail(grid->context, HYMG_EINVAL, "stencil %d: 0 (FV2) or 1 (FV4)",
                      (int)d->stencil);
  if (d->extrapolation < HYMG_EXTRAPOLATION_DEFAULT || d->extrapolation > HYMG_EXTRAPOLATION_VERTEX)
    return hymgi_fail(grid->context, HYMG_EINVAL, "extrapolation %d: 0 (default) to 3 (vertex)",
                      (int)d->extrapolation);
  TRY(check_numbers(grid->context, d));
  TRY(check_fields(grid, d));
  const double *const *w = grid->desc.widths;
  if ((w[0] || w[1] || w[2]) && d->extrapolation >= HYMG_EXTRAPOLATION_QUADRATIC)
    return hymgi_fail(grid->context, HYMG_EUNSUPPORTED,
                      "extrapolation %s on a grid with widths: linear only",
                      extrapolation_name(d->extrapolation));
  if (d->fixed && d->extrapolation == HYMG_EXTRAPOLATION_QUADRATIC)
    return hymgi_fail(grid->context, HYMG_EUNSUPPORTED,
                      "extrapolation quadratic with fixed cells: linear (default) or vertex only");
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

hymg_status hymg_operator_get(const hymg_operator *op, hymg_operator_desc *desc)
{
  if (!op) return HYMG_EINVAL;
  if (!desc) return hymgi_fail(op->grid->context, HYMG_EINVAL, "hymg_operator_get: desc is NULL");
  *desc = op->desc;
  return HYMG_OK;
}

/* The part of a change that needs a new solver, or NULL. */
static const char *fixed_part(const hymg_operator_desc *now, const hymg_operator_desc *wanted)
{
  if (now->limiter != wanted->limiter) return "the limiter";
  if (!now->alpha != !wanted->alpha) return "whether alpha is a field";
  if (!now->beta[0] != !wanted->beta[0]) return "whether beta is fields";
  if (!now->fixed != !wanted->fixed) return "whether there is a field of fixed cells";
  if ((now->a == 0) != (wanted->a == 0)) return "whether a is 0";
  for (int face = 0; face < 6; face++) {
    if (hymgi_has_data(now, face) != hymgi_has_data(wanted, face))
      return "which boundaries have data";
    if (!now->robin_alpha[face] != !wanted->robin_alpha[face] ||
        !now->robin_beta[face] != !wanted->robin_beta[face])
      return "which numbers of Robin walls are fields";
  }
  return NULL;
}

hymg_status hymg_operator_set(hymg_operator *op, const hymg_operator_desc *desc)
{
  if (!op) return HYMG_EINVAL;
  hymg_context *c = op->grid->context;
  if (!desc) return hymgi_fail(c, HYMG_EINVAL, "hymg_operator_set: desc is NULL");
  TRY(check(op->grid, desc));
  if (desc->stencil != op->desc.stencil || desc->extrapolation != op->desc.extrapolation)
    return hymgi_fail(c, HYMG_EINVAL,
                      "stencil %s with extrapolation %s cannot become %s with extrapolation %s",
                      stencil_name(op->desc.stencil), extrapolation_name(op->desc.extrapolation),
                      stencil_name(desc->stencil), extrapolation_name(desc->extrapolation));
  const char *fixed = fixed_part(&op->desc, desc);
  if (fixed) return hymgi_fail(c, HYMG_EINVAL, "%s cannot change", fixed);
  op->desc = *desc;
  return HYMG_OK;
}

void hymg_operator_destroy(hymg_operator **op)
{
  if (!op || !*op) return;
  free(*op);
  *op = NULL;
}
