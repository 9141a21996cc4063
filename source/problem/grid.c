/* Grids: validation and decomposition. */
#include <stdlib.h>

#include "base/boundary_kind.h"
#include "problem/coordinates.h"
#include "problem/problem.h"

#define AT(member) offsetof(hymg_grid_desc, member)

static const hymgi_member members[] = {
    {"n[]", 3, HYMGI_INT, AT(n), NULL, 64, HYMGI_UNCHECKED, 0},
    {"boundary[]", 6, HYMGI_ENUM, AT(boundary), "hymg_boundary", HYMG_DIRICHLET, "boundary kind",
     HYMGI_ANY, 0},
    {"widths[]", 3, HYMGI_DOUBLES, AT(widths), NULL, 0, HYMGI_UNCHECKED, AT(n)},
    {"spacing[]", 3, HYMGI_DOUBLE, AT(spacing), NULL, 1. / 64, "spacing", DBL_TRUE_MIN, DBL_MAX,
     "positive and finite", AT(widths)},
    {"boxes[]", 3, HYMGI_INT, AT(boxes), NULL, 0, HYMGI_UNCHECKED, 0},
    {"cuts[]", 3, HYMGI_INTS, AT(cuts), NULL, 0, HYMGI_UNCHECKED, AT(boxes)},
    {"extrapolation_box", 1, HYMGI_INT, AT(extrapolation_box), NULL, 0, HYMGI_UNCHECKED, 0},
    {"coordinate[]", 3, HYMGI_ENUM, AT(coordinate), "hymg_coordinate", HYMG_LENGTH, "coordinate",
     HYMGI_ANY, 0},
    {"origin[]", 3, HYMGI_DOUBLE, AT(origin), NULL, 0, "origin", -DBL_MAX, DBL_MAX, "finite", 0},
    {"radius", 1, HYMGI_DOUBLE, AT(radius), NULL, 1, HYMGI_UNCHECKED, 0},
    {"an owner function", 1, HYMGI_POINTER, AT(owner), NULL, 0, HYMGI_UNCHECKED, 0}};

enum { MEMBERS = sizeof members / sizeof *members };

hymg_grid_desc hymg_grid_desc_default(void)
{
  hymg_grid_desc desc = {.n = {0}};
  for (int m = 0; m < MEMBERS; m++)
    hymgi_member_default(members + m, &desc);
  return desc;
}

const char *hymgi_face_name(int face)
{
  static const char *const name[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
  return face >= 0 && face < 6 ? name[face] : "unknown";
}

const char *hymgi_centering_name(hymg_centering centering)
{
  return hymgi_enum_word("hymg_centering", (int)centering);
}

bool hymgi_is_thin(const hymg_grid *grid, int axis)
{
  const hymg_boundary *kind = grid->desc.boundary + 2 * axis;
  return grid->desc.n[axis] == 1 && kind[0] == HYMG_NEUMANN && kind[1] == HYMG_NEUMANN;
}

static hymg_status check_axis(hymg_context *context, const hymg_grid_desc *d, int axis)
{
  static const char name[] = "xyz";
  if (d->n[axis] < 1)
    return hymgi_fail(context, HYMG_EINVAL, "%d cells along %c: at least 1", d->n[axis],
                      name[axis]);
  if (d->n[axis] > INT_MAX / 4)
    return hymgi_fail(context, HYMG_EINVAL, "%d cells along %c: at most %d", d->n[axis], name[axis],
                      INT_MAX / 4);
  if ((d->boundary[2 * axis] == HYMG_PERIODIC) != (d->boundary[2 * axis + 1] == HYMG_PERIODIC))
    return hymgi_fail(context, HYMG_EINVAL,
                      "boundary of axis %c: periodic on both faces or on none", name[axis]);
  return HYMG_OK;
}

/* The desc with widths that the grid owns; spacing becomes their mean. */
static hymg_status copy_widths(hymg_grid *grid)
{
  for (int axis = 0; axis < 3; axis++) {
    const double *const widths = grid->desc.widths[axis];
    const int n = grid->desc.n[axis];
    if (!widths) continue;
    double sum = 0, *const copy = malloc((size_t)n * sizeof *copy);
    if (!copy) return hymgi_fail(grid->context, HYMG_ENOMEM, "no memory for %d widths", n);
    for (int i = 0; i < n; i++)
      copy[i] = widths[i], sum += widths[i];
    grid->widths[axis] = copy;
    grid->desc.widths[axis] = copy;
    grid->desc.spacing[axis] = sum / n;
  }
  return HYMG_OK;
}

static hymg_status check_extrapolation_box(hymg_context *context, const hymg_grid_desc *d)
{
  if (d->extrapolation_box == 0) return HYMG_OK;
  if (d->extrapolation_box < 0 || (d->extrapolation_box & (d->extrapolation_box - 1)) ||
      d->n[0] != d->n[1] || d->n[1] != d->n[2] || d->n[0] % d->extrapolation_box)
    return hymgi_fail(
        context, HYMG_EINVAL,
        "extrapolation box %d: a power of 2 that divides a cubic grid's side, here %d x %d x %d",
        d->extrapolation_box, d->n[0], d->n[1], d->n[2]);
  return HYMG_OK;
}

static hymg_status check_widths(hymg_context *context, const hymg_grid_desc *d, int axis)
{
  for (int i = 0; d->widths[axis] && i < d->n[axis]; i++) {
    const double w = d->widths[axis][i];
    if (!(w > 0) || !isfinite(w))
      return hymgi_fail(context, HYMG_EINVAL, "width %g of cell %d along %c: above 0 and finite", w,
                        i, "xyz"[axis]);
  }
  return HYMG_OK;
}

static hymg_status check_open(hymg_context *context, const hymg_grid_desc *d)
{
  int open = 0, other = 0;
  for (int face = 0; face < 6; face++)
    if (hymgi_boundary_kind_of(d->boundary[face]).open) open = face + 1;
  for (int face = 0; open && face < 6; face++)
    if (d->boundary[face] != d->boundary[open - 1]) other = face + 1;
  if (open && hymgi_is_curved(d))
    return hymgi_fail(context, HYMG_EUNSUPPORTED,
                      "open boundaries on a curved grid: on straight axes only");
  for (int axis = 0; open && axis < 3; axis++)
    if (d->n[axis] < 2)
      return hymgi_fail(
          context, HYMG_EUNSUPPORTED,
          "1 cell along %c with open boundaries: they are for boxes of at least 2 cells per axis, "
          "not for planes, whose potentials have another form",
          "xyz"[axis]);
  if (open && other)
    return hymgi_fail(
        context, HYMG_EUNSUPPORTED, "face %s is %s and face %s is %s: all six faces or none",
        hymgi_face_name(open - 1), hymgi_enum_word("hymg_boundary", (int)d->boundary[open - 1]),
        hymgi_face_name(other - 1), hymgi_enum_word("hymg_boundary", (int)d->boundary[other - 1]));
  return HYMG_OK;
}

static hymg_status check(hymg_context *context, const hymg_grid_desc *d)
{
  for (int axis = 0; axis < 3; axis++)
    if (d->n[axis] > 0 && d->n[axis] <= INT_MAX / 4) TRY(check_widths(context, d, axis));
  for (int axis = 0; axis < 3; axis++)
    TRY(check_axis(context, d, axis));
  TRY(hymgi_members_check(context, members, MEMBERS, d));
  TRY(check_open(context, d));
  for (int axis = 0; axis < 3; axis++)
    if (d->boxes[axis] < 0 || (d->boxes[axis] == 0) != (d->boxes[0] == 0))
      return hymgi_fail(context, HYMG_EINVAL,
                        "boxes %d x %d x %d: all positive, or all 0 for the default", d->boxes[0],
                        d->boxes[1], d->boxes[2]);
  for (int axis = 0; axis < 3; axis++)
    if (d->cuts[axis] && (d->boxes[axis] < 1 || d->boxes[axis] > d->n[axis]))
      return hymgi_fail(context, HYMG_EINVAL,
                        "cuts along %c in %d boxes: at least 1, at most the %d cells", "xyz"[axis],
                        d -> boxes[axis], d -> n[axis]);
  const double cells = (double)d->n[0] * d->n[1] * d->n[2];
  if (cells > 4e18) return hymgi_fail(context, HYMG_EINVAL, "%.3g cells: at most 4e18", cells);
  TRY(hymgi_coordinates_check(context, d));
  return check_extrapolation_box(context, d);
}

/* Collective: what is made of the desc. */
static hymg_status fill(hymg_grid *g, const hymg_grid_desc *desc)
{
  hymg_context *context = g->context;
  g->desc = *desc;
  for (int axis = 0; axis < 3; axis++)
    g->periodic |= (unsigned)(desc->boundary[2 * axis] == HYMG_PERIODIC) << axis;
  TRY(hymgi_agree(context, copy_widths(g)));
  TRY(hymgi_decomp_create(context, desc, hymgi_strong_lines(desc), &g->decomp));
  TRY(hymgi_agree(context, hymgi_side_boxes(context, g->decomp, hymg_context_rank(context), 0,
                                            g->periodic, &g->box, &g->cover, &g->num_boxes)));
  for (int axis = 0; axis < 3; axis++) {
    g->desc.boxes[axis] = g->decomp->boxes[axis];
    g->desc.cuts[axis] = NULL; /* the user's, and no longer needed */
  }
  hymgi_boxes_layout(g->box, g->num_boxes, HYMGI_LINE);
  return HYMG_OK;
}

hymg_status hymg_grid_create(hymg_context *context, const hymg_grid_desc *desc, hymg_grid **grid)
{
  if (!context) return HYMG_EINVAL;
  hymgi_arguments a;
  hymg_grid *g = NULL;
  hymg_status status = HYMG_OK;
  hymgi_arguments_begin(&a, "hymg_grid_create");
  if (!desc || !grid)
    status = hymgi_fail(context, HYMG_EINVAL, "hymg_grid_create: desc or grid is NULL");
  if (status == HYMG_OK) status = check(context, desc);
  for (int m = 0; status == HYMG_OK && m < MEMBERS; m++)
    hymgi_member_argument(&a, members + m, desc);
  if (status == HYMG_OK && !(g = calloc(1, sizeof *g)))
    status = hymgi_fail(context, HYMG_ENOMEM, "no memory for a grid");
  status = hymgi_agree_on(context, status, &a);
  if (status == HYMG_OK) {
    g->context = context;
    status = fill(g, desc);
  }
  if (status != HYMG_OK) {
    hymg_grid_destroy(&g);
    return status;
  }
  g->id = ++context->grids;
  *grid = g;
  return HYMG_OK;
}

void hymg_grid_destroy(hymg_grid **grid)
{
  if (!grid || !*grid) return;
  hymgi_decomp_destroy(&(*grid)->decomp);
  free((*grid)->box);
  free((*grid)->cover);
  for (int axis = 0; axis < 3; axis++)
    free((*grid)->widths[axis]);
  free(*grid);
  *grid = NULL;
}

int64_t hymg_grid_cells(const hymg_grid *grid)
{
  return (int64_t)grid->desc.n[0] * grid->desc.n[1] * grid->desc.n[2];
}

void hymg_grid_boxes(const hymg_grid *grid, int boxes[3])
{
  for (int axis = 0; axis < 3; axis++)
    boxes[axis] = grid->desc.boxes[axis];
}

int hymg_grid_num_local(const hymg_grid *grid)
{
  return grid->num_boxes;
}

void hymg_grid_local(const hymg_grid *grid, int index, int low[3], int count[3])
{
  for (int axis = 0; axis < 3; axis++) {
    const bool valid = index >= 0 && index < grid->num_boxes;
    low[axis] = valid ? grid->box[index].low[axis] : 0;
    count[axis] = valid ? grid->box[index].n[axis] : 0;
  }
}
