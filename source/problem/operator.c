/* Operators: a validated description. */
#include <stdio.h>
#include <stdlib.h>

#include "problem/coordinates.h"
#include "problem/problem.h"

#define AT(member)     offsetof(hymg_operator_desc, member)
#define FIELD(member)  HYMGI_POINTER, AT(member), NULL, 0, HYMGI_UNCHECKED, 0
#define NUMBER(member) HYMGI_DOUBLE, AT(member), NULL

static const hymgi_member members[] = {
    {"stencil", 1, HYMGI_EACH, AT(stencil), "hymg_stencil", HYMG_FV2, "stencil", HYMGI_ANY, 0},
    {"extrapolation", 1, HYMGI_ENUM, AT(extrapolation), "hymg_extrapolation",
     HYMG_EXTRAPOLATION_DEFAULT, "extrapolation", HYMGI_ANY, 0},
    {"limiter", 1, NUMBER(limiter), 0, "limiter", 1, INFINITY, "at least 1, or 0 for the default",
     0},
    {"a", 1, NUMBER(a), 0, "a =", HYMGI_NOT_NEGATIVE, 0},
    {"b", 1, NUMBER(b), 1, "b =", HYMGI_ABOVE_0, 0},
    {"alpha as a field", 1, FIELD(alpha)},
    {"fixed as a field", 1, FIELD(fixed)},
    {"alpha_constant", 1, NUMBER(alpha_constant), 1, "constant alpha =", HYMGI_NOT_NEGATIVE,
     AT(alpha)},
    {"beta as fields", 1, FIELD(beta)},
    {"beta_constant", 1, NUMBER(beta_constant), 1, "constant beta =", HYMGI_NOT_NEGATIVE, AT(beta)},
    {"boundary_data[] as a field", 6, FIELD(boundary_data)},
    {"boundary_constant[]", 6, NUMBER(boundary_constant), 0, "constant boundary data", -DBL_MAX,
     DBL_MAX, "finite", AT(boundary_data)},
    {"robin_alpha[] as a field", 6, FIELD(robin_alpha)},
    {"robin_beta[] as a field", 6, FIELD(robin_beta)},
    {"robin_alpha_constant[]", 6, NUMBER(robin_alpha_constant), 1,
     "constant robin_alpha =", HYMGI_NOT_NEGATIVE, AT(robin_alpha)},
    {"robin_beta_constant[]", 6, NUMBER(robin_beta_constant), 1,
     "constant robin_beta =", HYMGI_NOT_NEGATIVE, AT(robin_beta)}};

/* ROBIN: the first of two rows that count on Robin boundaries alone */
enum { MEMBERS = sizeof members / sizeof *members, ROBIN = MEMBERS - 2 };

hymg_operator_desc hymg_operator_desc_default(void)
{
  hymg_operator_desc desc = {.stencil = HYMG_FV2};
  for (int m = 0; m < MEMBERS; m++)
    hymgi_member_default(members + m, &desc);
  return desc;
}

void hymgi_operator_arguments(hymgi_arguments *a, const hymg_operator_desc *desc)
{
  for (int m = 0; m < MEMBERS; m++)
    hymgi_member_argument(a, members + m, desc);
}

bool hymgi_has_data(const hymg_operator_desc *desc, int face)
{
  return desc->boundary_data[face] || desc->boundary_constant[face] != 0;
}

bool hymgi_has_values(const hymg_operator *op, int face)
{
  return hymgi_has_data(&op->desc, face) ||
         hymgi_boundary_kind_of(op->grid->desc.boundary[face]).open;
}

bool hymgi_has_robin_fields(const hymg_operator_desc *desc)
{
  for (int face = 0; face < 6; face++)
    if (desc->robin_alpha[face] || desc->robin_beta[face]) return true;
  return false;
}

hymg_status hymgi_check_given_field(const hymg_grid *grid, const hymg_field *field,
                                    hymg_centering centering, const char *name)
{
  hymg_context *c = grid->context;
  if (!field) return HYMG_OK;
  if (field->grid != grid) return hymgi_fail(c, HYMG_EINVAL, "%s is a field of another grid", name);
  if (field->centering != centering)
    return hymgi_fail(c, HYMG_EINVAL, "%s is a field of %s, not of %s", name,
                      hymgi_centering_name(field->centering), hymgi_centering_name(centering));
  if (field->level != 0)
    return hymgi_fail(c, HYMG_EINVAL, "%s is on level %d: level 0 is wanted", name, field->level);
  return HYMG_OK;
}

/* entry: of an array of fields, or -1 */
static hymg_status check_field(hymg_grid *grid, const hymg_field *field, hymg_centering centering,
                               const char *member, int entry)
{
  char name[32];
  snprintf(name, sizeof name, entry < 0 ? "%s" : "%s[%d]", member, entry);
  return hymgi_check_given_field(grid, field, centering, name);
}

/* alpha and beta of a Robin boundary, which no other boundary has as fields. */
static hymg_status check_robin(hymg_grid *grid, const hymg_operator_desc *d, int face)
{
  const hymg_centering centering = (hymg_centering)(HYMG_BOUNDARY_X_LOW + face);
  const bool fields = d->robin_alpha[face] || d->robin_beta[face];
  hymg_context *c = grid->context;
  TRY(check_field(grid, d->robin_alpha[face], centering, "robin_alpha", face));
  TRY(check_field(grid, d->robin_beta[face], centering, "robin_beta", face));
  if (!hymgi_boundary_kind_of(grid->desc.boundary[face]).mixes)
    return !fields
               ? HYMG_OK
               : hymgi_fail(c, HYMG_EINVAL,
                            "robin_%s[%d] is given, but face %s is not a Robin boundary",
                            d->robin_alpha[face] ? "alpha" : "beta", face, hymgi_face_name(face));
  for (int m = ROBIN; m < MEMBERS; m++)
    TRY(hymgi_member_check(c, members + m, face, d));
  if (!fields && d->robin_alpha_constant[face] == 0 && d->robin_beta_constant[face] == 0)
    return hymgi_fail(c, HYMG_EINVAL,
                      "robin_alpha and robin_beta are both 0 on face %s: at most one of them",
                      hymgi_face_name(face));
  return HYMG_OK;
}

static hymg_status check_fields(hymg_grid *grid, const hymg_operator_desc *d)
{
  TRY(check_field(grid, d->alpha, HYMG_CELL, "alpha", -1));
  TRY(check_field(grid, d->fixed, HYMG_CELL, "fixed", -1));
  for (int axis = 0; axis < 3; axis++) {
    TRY(check_field(grid, d->beta[axis], (hymg_centering)(HYMG_FACE_X + axis), "beta", axis));
    if (!d->beta[axis] != !d->beta[0])
      return hymgi_fail(grid->context, HYMG_EINVAL, "beta: fields on all three axes or on none");
  }
  for (int face = 0; face < 6; face++) {
    TRY(check_field(grid, d->boundary_data[face], (hymg_centering)(HYMG_BOUNDARY_X_LOW + face),
                    "boundary_data", face));
    if (hymgi_has_data(d, face) && grid->desc.boundary[face] == HYMG_PERIODIC)
      return hymgi_fail(grid->context, HYMG_EINVAL, "boundary data on face %s, which is periodic",
                        hymgi_face_name(face));
    TRY(check_robin(grid, d, face));
  }
  return HYMG_OK;
}

static const char *stencil_name(hymg_stencil stencil)
{
  return hymgi_enum_word("hymg_stencil", (int)stencil);
}

static const char *extrapolation_name(hymg_extrapolation extrapolation)
{
  return hymg_enum_name("hymg_extrapolation", (int)extrapolation);
}

static hymg_status check_fv4(hymg_grid *grid, const hymg_operator_desc *d)
{
  hymg_context *c = grid->context;
  if (d->stencil != HYMG_FV4 && d->limiter != 0)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "limiter %g with FV2: with FV4 only", d->limiter);
  if (d->stencil != HYMG_FV4) return HYMG_OK;
  if (d->extrapolation != HYMG_EXTRAPOLATION_DEFAULT)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "extrapolation %s with FV4: default only, which is its own",
                      extrapolation_name(d->extrapolation));
  for (int face = 0; face < 6; face++) {
    const int n = grid->desc.n[face / 2];
    const hymg_boundary kind = grid->desc.boundary[face];
    if (!hymgi_boundary_kind_of(kind).fv4)
      return hymgi_fail(c, HYMG_EUNSUPPORTED, "%s on face %s with FV4: with FV2 only",
                        hymgi_enum_word("hymg_boundary", (int)kind), hymgi_face_name(face));
    if (hymgi_boundary_kind_of(kind).gives_flux && n < 4)
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

/* The potential of f in free space is known for one beta alone. All six faces are open, or none. */
static hymg_status check_open(hymg_grid *grid, const hymg_operator_desc *d)
{
  hymg_context *c = grid->context;
  if (!hymgi_boundary_kind_of(grid->desc.boundary[0]).open) return HYMG_OK;
  for (int face = 0; face < 6; face++)
    if (hymgi_has_data(d, face))
      return hymgi_fail(c, HYMG_EINVAL,
                        "boundary data on face %s, which is open: they are made of f",
                        hymgi_face_name(face));
  if (d->beta[0])
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "fields of beta with open boundaries: a number only");
  if (d->beta_constant == 0)
    return hymgi_fail(c, HYMG_EINVAL, "beta 0 with open boundaries: above 0");
  if (d->a != 0 && (d->alpha || d->alpha_constant != 0))
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "a = %g and alpha with open boundaries: without that term only", d->a);
  if (d->fixed)
    return hymgi_fail(c, HYMG_EUNSUPPORTED, "fixed cells with open boundaries: without them only");
  if (d->extrapolation == HYMG_EXTRAPOLATION_VERTEX)
    return hymgi_fail(c, HYMG_EUNSUPPORTED,
                      "extrapolation vertex with open boundaries: linear or quadratic only");
  return HYMG_OK;
}

static hymg_status check_axis_of_curved(hymg_grid *grid, const hymg_operator_desc *d)
{
  for (int face = 0; face < 6; face++)
    if (hymgi_vanishes(&grid->desc, face) && hymgi_has_data(d, face))
      return hymgi_fail(grid->context, HYMG_EINVAL,
                        "boundary data on face %s, which has no area: none", hymgi_face_name(face));
  return HYMG_OK;
}

static hymg_status check(hymg_grid *grid, const hymg_operator_desc *d)
{
  TRY(check_axis_of_curved(grid, d));
  TRY(hymgi_members_check(grid->context, members, ROBIN, d));
  TRY(check_fields(grid, d));
  if (hymgi_is_stretched(&grid->desc) && d->extrapolation >= HYMG_EXTRAPOLATION_QUADRATIC)
    return hymgi_fail(grid->context, HYMG_EUNSUPPORTED, "extrapolation %s on a %s: linear only",
                      extrapolation_name(d->extrapolation),
                      hymgi_is_curved(&grid->desc) ? "curved grid" : "grid with widths");
  if (d->fixed && d->extrapolation == HYMG_EXTRAPOLATION_QUADRATIC)
    return hymgi_fail(grid->context, HYMG_EUNSUPPORTED,
                      "extrapolation quadratic with fixed cells: linear (default) or vertex only");
  TRY(check_open(grid, d));
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
