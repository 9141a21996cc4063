/* Fields: storage for the boxes of this rank, and copies from and to the user's arrays. */
#include "api/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

const char *hymgi_centering_name(hymg_centering centering)
{
  static const char *const name[] = {"cells",   "x faces", "y faces", "z faces", "x- wall",
                                     "x+ wall", "y- wall", "y+ wall", "z- wall", "z+ wall"};
  const bool known = centering >= HYMG_CELL && centering <= HYMG_BOUNDARY_Z_HIGH;
  return known ? name[centering] : "unknown";
}

/* Global extent of the entries of a field. */
static void extent_of(const hymg_field *field, int extent[3])
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

/* The boxes of a field, copied from `box`, and its data. */
static hymg_status allocate(hymg_field *field, const hymgi_geom *box)
{
  hymgi_level *view = &field->view;
  int extent[3];
  extent_of(field, extent);
  view->cells = (int64_t)extent[0] * extent[1] * extent[2];
  view->box = malloc(((size_t)view->num_boxes + 1) * sizeof *box);
  if (!view->box)
    return hymgi_fail(view->context, HYMG_ENOMEM, "no memory for the boxes of a field");
  if (view->num_boxes) memcpy(view->box, box, (size_t)view->num_boxes * sizeof *box);
  for (int b = 0; b < view->num_boxes && !field->solver; b++)
    adapt_box(field, view->box + b);
  view->vector_size = hymgi_boxes_layout(view->box, view->num_boxes, view->backend->line);
  if (view->vector_size == 0) return HYMG_OK;
  TRY(hymgi_boxes_share(view->context, view->backend, &view->box, view->num_boxes));
  return hymgi_vector_create(view, view->vector_size, &field->data);
}

/* Like a level of the solver or, if that is NULL, with plain rows in memory of `backend`. */
static hymg_status create(hymg_grid *grid, const hymg_solver *solver, int level,
                          const hymgi_backend *backend, hymg_centering centering,
                          hymg_field **field)
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
                    .view = {.context = context,
                             .backend = l ? l->backend : backend,
                             .memory = l ? l->memory : backend->memory,
                             .num_boxes = l ? l->num_boxes : grid->num_boxes,
                             .comm = context->comm}};
  for (int axis = 0; axis < 3; axis++)
    f->view.n[axis] = l ? l->n[axis] : grid->desc.n[axis];
  const hymg_status status = allocate(f, l ? l->box : grid->box);
  if (status != HYMG_OK) hymg_field_destroy(&f);
  if (f) *field = f;
  return status;
}

static hymg_status check_creation(hymg_context *context, hymg_centering centering,
                                  hymg_precision precision, hymg_field **field)
{
  if (!field) return hymgi_fail(context, HYMG_EINVAL, "hymg_field_create: field is NULL");
  if (centering < HYMG_CELL || centering > HYMG_BOUNDARY_Z_HIGH)
    return hymgi_fail(context, HYMG_EINVAL, "centering %d: 0 (cells) to %d (z+ wall)",
                      (int)centering, (int)HYMG_BOUNDARY_Z_HIGH);
  if (precision != HYMG_DOUBLE)
    return hymgi_fail(context, HYMG_EUNSUPPORTED, "precision %d: 0 (double) only", (int)precision);
  return HYMG_OK;
}

hymg_status hymg_field_create_in(hymg_grid *grid, hymg_space space, hymg_centering centering,
                                 hymg_precision precision, hymg_field **field)
{
  if (!grid) return HYMG_EINVAL;
  TRY(check_creation(grid->context, centering, precision, field));
  if (space != HYMG_HOST && space != HYMG_DEVICE)
    return hymgi_fail(grid->context, HYMG_EINVAL, "memory space %d: 0 (host) or 1 (device)",
                      (int)space);
  const hymgi_backend *backend = hymgi_cpu_backend();
  if (space == HYMG_DEVICE) TRY(hymgi_cuda_backend(grid->context, false, &backend));
  return create(grid, NULL, 0, backend, centering, field);
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
  return create(grid, solver, 0, hymgi_cpu_backend(), centering, field);
}

hymg_status hymg_field_create_on_level(hymg_solver *solver, int level, hymg_field **field)
{
  if (!solver) return HYMG_EINVAL;
  hymg_grid *grid = solver->h.op->grid;
  if (!field)
    return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_field_create_on_level: field is NULL");
  TRY(hymgi_check_level(&solver->h, level, solver->h.num_levels));
  return create(grid, solver, level, NULL, HYMG_CELL, field);
}

void hymg_field_destroy(hymg_field **field)
{
  if (!field || !*field) return;
  hymg_field *f = *field;
  hymgi_vector_destroy(&f->view, f->view.vector_size, &f->data);
  if (f->view.box) f->view.backend->unshare(f->view.box);
  free(f);
  *field = NULL;
}

/* ---- the user's arrays ---- */

static hymg_status check_brick(const hymg_field *field, const int low[3], const int count[3],
                               const void *data, hymg_space space)
{
  hymg_context *context = field->grid->context;
  if (space != HYMG_HOST && space != HYMG_DEVICE)
    return hymgi_fail(context, HYMG_EINVAL, "memory space %d: 0 (host) or 1 (device)", (int)space);
  const bool empty = count[0] == 0 || count[1] == 0 || count[2] == 0;
  if (!data && !empty)
    return hymgi_fail(context, HYMG_EINVAL, "the data of a field's brick are NULL");
  int extent[3];
  extent_of(field, extent);
  for (int axis = 0; axis < 3; axis++)
    if (low[axis] < 0 || count[axis] < 0 || low[axis] > extent[axis] - count[axis])
      return hymgi_fail(context, HYMG_EINVAL,
                        "brick from %d with %d entries along %c: a field of %s has 0 to %d",
                        low[axis], count[axis], "xyz"[axis], hymgi_centering_name(field->centering),
                        extent[axis] - 1);
  return HYMG_OK;
}

/* The part of the brick, in global indices, that is in a box; false if there is none. *start: from
 * the brick's first entry to entry (0, 0, 0) of the box. */
static bool intersect(const hymgi_geom *g, const hymgi_user_brick *whole, hymgi_user_brick *part,
                      ptrdiff_t *start)
{
  *part = *whole;
  *start = 0;
  for (int axis = 0; axis < 3; axis++) {
    int *const from = part->from + axis, *const to = part->to + axis;
    *from -= g->low[axis], *to -= g->low[axis];
    *start -= *from * part->stride[axis];
    if (*from < 0) *from = 0;
    if (*to > g->n[axis]) *to = g->n[axis];
    if (*from >= *to) return false;
  }
  return true;
}

enum { CHUNK_DOUBLES = 1 << 22 }; /* per piece of a copy that needs a staging buffer */

/* If one of the field and the user's array is in host memory and the other on the device, blocks
 * of planes are staged through a buffer beside each of them. */
static hymg_status transfer_across(const hymg_field *field, const hymgi_backend *device,
                                   const hymgi_geom *g, const hymgi_user_brick *whole, bool write,
                                   double *user)
{
  const hymgi_level *view = &field->view;
  hymg_context *context = view->context;
  const hymgi_backend *own = view->backend, *other = own == device ? hymgi_cpu_backend() : device;
  const ptrdiff_t nx = whole->to[0] - whole->from[0];
  const size_t plane = (size_t)nx * (size_t)(whole->to[1] - whole->from[1]);
  const int planes = whole->to[2] - whole->from[2];
  int step = (int)(CHUNK_DOUBLES / plane);
  step = step < 1 ? 1 : step > planes ? planes : step;
  double *near = NULL, *far = NULL;
  const size_t size = plane * (size_t)step;
  hymg_status status = own->memory->alloc(context, size, &near);
  if (status == HYMG_OK) status = other->memory->alloc(context, size, &far);
  for (int k = whole->from[2]; status == HYMG_OK && k < whole->to[2]; k += step) {
    hymgi_user_brick part = *whole;
    part.from[2] = k;
    if (k + step < whole->to[2]) part.to[2] = k + step;
    hymgi_user_brick packed = part; /* as a contiguous block, x fastest */
    packed.stride[0] = 1, packed.stride[1] = nx, packed.stride[2] = (ptrdiff_t)plane;
    const ptrdiff_t first = part.from[0] + part.from[1] * nx + k * packed.stride[2];
    const size_t count = plane * (size_t)(part.to[2] - k);
    if (write) {
      other->gather(context, &part, &packed, user, far - first);
      device->copy(context, far, near, count);
    }
    own->brick(view, g, &packed, write, near - first, field->data);
    if (!write) {
      device->copy(context, near, far, count);
      other->gather(context, &packed, &part, far - first, user);
    }
    device->sync(context);
    status = context->status;
  }
  if (near) own->memory->release(context, near, size);
  if (far) other->memory->release(context, far, size);
  return status;
}

static hymg_status transfer(const hymg_field *field, const hymgi_user_brick *whole,
                            hymg_space space, bool write, double *user)
{
  const hymgi_level *view = &field->view;
  hymg_context *context = field->grid->context;
  const hymgi_backend *device = view->backend;
  const bool reached = space == HYMG_HOST ? view->memory->on_host : view->memory->on_device;
  if (space == HYMG_DEVICE && view->backend->id != HYMG_BACKEND_CUDA) {
    const hymg_status status = hymgi_cuda_backend(context, false, &device);
    if (status != HYMG_OK)
      return hymgi_fail(context, status, "memory space %d (device): %.400s", (int)space,
                        context->error);
  }
  const hymgi_backend *const worker = space == HYMG_HOST ? hymgi_cpu_backend() : device;
  context->status = HYMG_OK;
  /* the host must not access data that the device still uses */
  if (space == HYMG_HOST && view->memory->on_host) device->sync(context);
  for (const hymgi_geom *g = view->box; g < view->box + view->num_boxes; g++) {
    hymgi_user_brick part;
    ptrdiff_t start;
    if (!intersect(g, whole, &part, &start)) continue;
    if (reached)
      worker->brick(view, g, &part, write, user + start, field->data);
    else
      TRY(transfer_across(field, device, g, &part, write, user + start));
  }
  /* the backend of this field is the host, which does not wait for the device */
  if (space == HYMG_DEVICE && device != view->backend) device->sync(context);
  return context->status;
}

static hymg_status transfer_brick(const hymg_field *field, const int low[3], const int count[3],
                                  const ptrdiff_t stride[3], bool write, double *data,
                                  hymg_space space)
{
  if (!field) return HYMG_EINVAL;
  if (!low || !count || !stride)
    return hymgi_fail(field->grid->context, HYMG_EINVAL,
                      "low, count or stride of a field's brick is NULL");
  TRY(check_brick(field, low, count, data, space));
  hymgi_user_brick whole;
  for (int axis = 0; axis < 3; axis++) {
    whole.from[axis] = low[axis], whole.to[axis] = low[axis] + count[axis];
    /* the stride of an axis with a single entry is irrelevant and may be anything */
    whole.stride[axis] = count[axis] > 1 ? stride[axis] : 0;
  }
  return transfer(field, &whole, space, write, data);
}

hymg_status hymg_field_write(hymg_field *field, const int low[3], const int count[3],
                             const ptrdiff_t stride[3], const double *data, hymg_space space)
{
  return transfer_brick(field, low, count, stride, true, (double *)data, space); /* only read */
}

hymg_status hymg_field_read(const hymg_field *field, const int low[3], const int count[3],
                            const ptrdiff_t stride[3], double *data, hymg_space space)
{
  return transfer_brick(field, low, count, stride, false, data, space);
}

hymg_status hymg_field_fill(hymg_field *field, double value)
{
  if (!field) return HYMG_EINVAL;
  field->view.context->status = HYMG_OK;
  field->view.backend->fill(&field->view, value, field->data);
  return field->view.context->status;
}

/* ---- vectors ---- */

bool hymgi_in_place(const hymgi_level *level, const hymg_field *field)
{
  const hymgi_geom *a = level->box, *b = field->view.box;
  if (level->outside || field->view.backend != level->backend) return false;
  for (int m = 0; m < level->num_boxes; m++)
    if (a[m].split != b[m].split || a[m].ghost != b[m].ghost || a[m].base != b[m].base ||
        a[m].offset != b[m].offset)
      return false;
  return true;
}

static hymg_status check_cells(const hymg_field *x, const char *call)
{
  if (x->centering == HYMG_CELL) return HYMG_OK;
  return hymgi_fail(x->grid->context, HYMG_EINVAL, "%s: a field of %s; cell fields only", call,
                    hymgi_centering_name(x->centering));
}

hymg_status hymg_field_axpy(double a, const hymg_field *x, hymg_field *y)
{
  if (!x || !y) return HYMG_EINVAL;
  TRY(check_cells(x, "hymg_field_axpy"));
  TRY(check_cells(y, "hymg_field_axpy"));
  const hymgi_level *view = &y->view;
  if (x->grid != y->grid || x->level != y->level)
    return hymgi_fail(view->context, HYMG_EINVAL,
                      "hymg_field_axpy: fields of different grids or levels (%d and %d)", x->level,
                      y->level);
  if (y->level > 0 && x->solver != y->solver)
    return hymgi_fail(view->context, HYMG_EINVAL,
                      "hymg_field_axpy: fields on level %d of different solvers", y->level);
  if (view->num_boxes == 0) return HYMG_OK;
  view->context->status = HYMG_OK;
  if (hymgi_in_place(view, x)) {
    view->backend->axpby(view, a, x->data, 1, y->data, y->data);
    return view->context->status;
  }
  double *converted;
  TRY(view->memory->alloc(view->context, (size_t)view->vector_size, &converted));
  hymg_status status = hymgi_vector_convert(&x->view, x->data, view, converted);
  if (status == HYMG_OK) view->backend->axpby(view, a, converted, 1, y->data, y->data);
  view->backend->sync(view->context);
  view->memory->release(view->context, converted, (size_t)view->vector_size);
  return status == HYMG_OK ? view->context->status : status;
}

/* Reductions over all ranks of the context, also those without cells. */
static hymg_status reduce(const hymg_field *x, const char *call,
                          double (*norm)(const hymgi_level *, const double *), double *value)
{
  if (!x || !value) return HYMG_EINVAL;
  hymg_context *context = x->grid->context;
  TRY(hymgi_agree(context, check_cells(x, call)));
  context->status = HYMG_OK;
  const double result = norm(&x->view, x->data);
  TRY(hymgi_agree(context, context->status));
  *value = result;
  return HYMG_OK;
}

static double root_mean_square(const hymgi_level *level, const double *x)
{
  return sqrt(hymgi_dot(level, x, x) / (double)level->cells);
}

hymg_status hymg_field_max(const hymg_field *x, double *max)
{
  return reduce(x, "hymg_field_max", hymgi_norm_max, max);
}

hymg_status hymg_field_rms(const hymg_field *x, double *rms)
{
  return reduce(x, "hymg_field_rms", root_mean_square, rms);
}

hymg_status hymg_field_mean(const hymg_field *x, double *mean)
{
  return reduce(x, "hymg_field_mean", hymgi_mean, mean);
}
