/* Fields: storage for the boxes of this rank, in doubles or floats, or the user's array. field_data.c copies from and to
 * arrays, field_ops.c calculates. */
#include "api/fields/field.h"

#include <stdlib.h>
#include <string.h>

#include "api/solver.h"

void hymgi_field_extent(const hymg_field *field, int extent[3])
{
  for (int axis = 0; axis < 3; axis++) {
    extent[axis] = field->view.n[axis];
    if ((int)field->centering == 1 + axis) extent[axis]++;
    if (field->centering >= HYMG_BOUNDARY_X_LOW && ((int)field->centering - 4) / 2 == axis)
      extent[axis] = 1;
  }
}

/* Adapts a box to a field that is not cell-centred: one more face along its axis, or a single
 * layer of faces at the boundary. */
static void adapt_box(const hymg_field *field, hymgi_geom *g)
{
  if (field->centering == HYMG_CELL) return;
  if (field->centering <= HYMG_FACE_Z) {
    g->n[(int)field->centering - 1]++;
    return;
  }
  const int face = (int)field->centering - 4, axis = face / 2;
  const bool touches =
      face & 1 ? g->low[axis] + g->n[axis] == field->grid->desc.n[axis] : g->low[axis] == 0;
  g->low[axis] = 0;
  g->n[axis] = touches;
}

/* The boxes of a field, those of a level with their layout or, if that is NULL, those of `box`; and its data unless they
 * are the user's. */
static hymg_status allocate(hymg_field *field, const hymgi_level *level, const hymgi_geom *box)
{
  hymgi_level *view = &field->view;
  int extent[3];
  hymgi_field_extent(field, extent);
  view->cells = (int64_t)extent[0] * extent[1] * extent[2];
  view->box = malloc(((size_t)view->num_boxes + 1) * sizeof *box);
  if (!view->box)
    return hymgi_fail(view->context, HYMG_ENOMEM, "no memory for the boxes of a field");
  if (view->num_boxes) memcpy(view->box, box, (size_t)view->num_boxes * sizeof *box);
  for (int b = 0; b < view->num_boxes && !level; b++)
    adapt_box(field, view->box + b);
  view->vector_size = level ? level->vector_size
                            : hymgi_boxes_layout(view->box, view->num_boxes, view->backend->line);
  if (view->vector_size > 0)
    TRY(hymgi_boxes_share(view->context, view->backend, &view->box, view->num_boxes));
  if (field->array.data) return HYMG_OK;
  if (field->array.brick.is_float) return hymgi_floats_create(field);
  return hymgi_vector_create(view, view->vector_size, &field->data);
}

static bool is_copy(const hymgi_level *level)
{
  const int first[3] = {0, 0, 0};
  return level->decomp && level->decomp->whole &&
         hymgi_decomp_owner(level->decomp, first) != hymg_context_rank(level->context);
}

/* Like a level of the solver or, if that is NULL, with plain rows in memory of `backend`, or as an
 * array. */
static hymg_status create(hymg_grid *grid, const hymg_solver *solver, int level,
                          const hymgi_backend *backend, hymg_centering centering,
                          const hymgi_user_array *array, hymg_field **field)
{
  hymg_context *context = grid->context;
  const hymgi_level *l = solver ? solver->h.level + level : NULL;
  if (l && l->outside) l = l->outside; /* the user's boxes */
  context->status = HYMG_OK;
  hymg_field *f = calloc(1, sizeof *f);
  if (!f) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a field");
  *f = (hymg_field){.grid = grid,
                    .solver = solver ? solver->id : 0,
                    .centering = centering,
                    .level = level,
                    .is_copy = l && is_copy(l),
                    .array = *array,
                    .view = {.context = context,
                             .backend = l ? l->backend : backend,
                             .memory = l ? l->memory : backend->memory,
                             .num_boxes = l ? l->num_boxes : grid->num_boxes,
                             .comm = context->comm}};
  for (int axis = 0; axis < 3; axis++)
    f->view.n[axis] = l ? l->n[axis] : grid->desc.n[axis];
  const hymg_status status = allocate(f, l, l ? l->box : grid->box);
  if (status != HYMG_OK) hymg_field_destroy(&f);
  if (f) *field = f;
  return status;
}

/* Of a field that makes its array itself, or none. */
static hymgi_user_array own_array(hymg_space space, hymg_precision precision)
{
  return (hymgi_user_array){.space = space, .brick = {.is_float = precision == HYMG_FLOAT}};
}

static hymg_status check_creation(hymg_context *context, hymg_centering centering,
                                  hymg_precision precision, hymg_field **field)
{
  if (!field) return hymgi_fail(context, HYMG_EINVAL, "hymg_field_create: field is NULL");
  if (!hymgi_enum_has("hymg_centering", (int)centering))
    return hymgi_fail(context, HYMG_EINVAL, "centering %d: %s", (int)centering,
                      hymgi_enum_range("hymg_centering", INT_MAX, false).text);
  if (precision != HYMG_DOUBLE && precision != HYMG_FLOAT)
    return hymgi_fail(context, HYMG_EUNSUPPORTED,
                      "precision %d of a field: 0 (double) or 2 (float)", (int)precision);
  return HYMG_OK;
}

static hymg_status backend_for(hymg_context *context, hymg_space space,
                               const hymgi_backend **backend)
{
  *backend = hymgi_cpu_backend();
  if (!hymgi_enum_has("hymg_space", (int)space))
    return hymgi_fail(context, HYMG_EINVAL, "memory space %d: %s", (int)space,
                      hymgi_enum_range("hymg_space", INT_MAX, true).text);
  return space == HYMG_DEVICE ? hymgi_cuda_backend(context, false, backend) : HYMG_OK;
}

hymg_status hymg_field_create_in(hymg_grid *grid, hymg_space space, hymg_centering centering,
                                 hymg_precision precision, hymg_field **field)
{
  if (!grid) return HYMG_EINVAL;
  TRY(check_creation(grid->context, centering, precision, field));
  const hymgi_backend *backend;
  TRY(backend_for(grid->context, space, &backend));
  const hymgi_user_array array = own_array(space, precision);
  return create(grid, NULL, 0, backend, centering, &array, field);
}

hymg_status hymg_field_create(hymg_grid *grid, hymg_solver *solver, hymg_centering centering,
                              hymg_precision precision, hymg_field **field)
{
  if (!grid) return HYMG_EINVAL;
  hymg_context *context = grid->context;
  TRY(check_creation(context, centering, precision, field));
  if (solver && solver->h.op->grid != grid)
    return hymgi_fail(context, HYMG_EINVAL, "the solver was made for another grid than the field");
  if (solver && centering != HYMG_CELL)
    return hymgi_fail(context, HYMG_EINVAL, "a field of %s with a solver: cell fields only",
                      hymgi_centering_name(centering));
  if (solver && precision == HYMG_FLOAT)
    return hymgi_fail(context, HYMG_EUNSUPPORTED,
                      "precision 2 (float) of a field with a solver, whose layout has doubles: "
                      "hymg_field_create_in or hymg_field_wrap");
  const hymgi_user_array array = own_array(HYMG_HOST, precision);
  return create(grid, solver, 0, hymgi_cpu_backend(), centering, &array, field);
}

hymg_status hymg_field_create_on_level(hymg_solver *solver, int level, hymg_field **field)
{
  if (!solver) return HYMG_EINVAL;
  hymg_grid *grid = solver->h.op->grid;
  if (!field)
    return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_field_create_on_level: field is NULL");
  TRY(hymgi_check_level(&solver->h, level, solver->h.num_levels));
  const hymgi_user_array none = own_array(HYMG_HOST, HYMG_DOUBLE);
  return create(grid, solver, level, NULL, HYMG_CELL, &none, field);
}

/* Does the array hold all that this rank holds? */
static hymg_status check_covers(const hymg_field *field)
{
  const hymgi_user_brick *brick = &field->array.brick;
  const hymgi_level *view = &field->view;
  for (const hymgi_geom *g = view->box; g < view->box + view->num_boxes; g++)
    for (int axis = 0; axis < 3; axis++) {
      const int low = g->low[axis], high = low + g->n[axis] - 1;
      if (g->n[0] == 0 || g->n[1] == 0 || g->n[2] == 0) break;
      if (low < brick->from[axis] || high >= brick->to[axis])
        return hymgi_fail(
            view->context, HYMG_EINVAL,
            "hymg_field_wrap: the array holds the entries %d to %d along %c, but this "
            "rank holds the %s %d to %d",
            brick->from[axis], brick->to[axis] - 1, "xyz"[axis],
            hymgi_centering_name(field->centering), low, high);
    }
  return HYMG_OK;
}

hymg_status hymg_field_wrap(hymg_grid *grid, hymg_space space, hymg_centering centering,
                            hymg_precision precision, const int low[3], const int count[3],
                            const ptrdiff_t stride[3], void *data, hymg_field **field)
{
  if (!grid) return HYMG_EINVAL;
  hymg_context *context = grid->context;
  TRY(check_creation(context, centering, precision, field));
  const hymgi_backend *backend;
  TRY(backend_for(context, space, &backend));
  static const double nothing = 0; /* the address of an array without entries */
  hymgi_user_array array = own_array(space, precision);
  array.data = data ? data : (void *)&nothing;
  TRY(hymgi_brick_of(context, low, count, stride, data, &array.brick));
  hymg_field *f = NULL;
  TRY(create(grid, NULL, 0, backend, centering, &array, &f));
  const hymg_status status = check_covers(f);
  if (status != HYMG_OK) hymg_field_destroy(&f);
  if (f) *field = f;
  return status;
}

void hymg_field_destroy(hymg_field **field)
{
  if (!field || !*field) return;
  hymg_field *f = *field;
  hymgi_vector_destroy(&f->view, f->view.vector_size, &f->data);
  hymgi_floats_destroy(f);
  if (f->view.box) f->view.backend->unshare(f->view.box);
  free(f);
  *field = NULL;
}

bool hymgi_in_place(const hymgi_level *level, const hymg_field *field)
{
  const hymgi_geom *a = level->box, *b = field->view.box;
  if (level->outside || field->array.data || field->view.backend != level->backend) return false;
  for (int m = 0; m < level->num_boxes; m++)
    if (a[m].split != b[m].split || a[m].ghost != b[m].ghost || a[m].base != b[m].base ||
        a[m].offset != b[m].offset || a[m].pitch != b[m].pitch || a[m].plane != b[m].plane ||
        a[m].half != b[m].half)
      return false;
  return true;
}
