/* Fields: storage over this rank's boxes, and the way from and to the user's arrays. */
#include "field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"
#include "verbs.h"

const char *hymgi_centering_name(hymg_centering centering)
{
  static const char *const name[] = {"cells",   "x faces", "y faces", "z faces", "x- wall",
                                     "x+ wall", "y- wall", "y+ wall", "z- wall", "z+ wall"};
  const bool known = centering >= HYMG_CELL && centering <= HYMG_WALL_Z_HIGH;
  return known ? name[centering] : "unknown";
}

static bool is_cell(const hymg_field *field)
{
  return field->centering == HYMG_CELL;
}

void hymgi_field_extent(const hymg_field *field, int extent[3])
{
  for (int axis = 0; axis < 3; axis++) {
    extent[axis] = field->grid->desc.n[axis] >> field->level;
    if ((int)field->centering == 1 + axis) extent[axis]++;
    if (field->centering >= HYMG_WALL_X_LOW && ((int)field->centering - 4) / 2 == axis)
      extent[axis] = 1;
  }
}

/* A box's part of a field that is not one of cells: one more face along its axis, or one layer
 * of those at the wall. */
static void adapt_box(const hymg_field *field, hymgi_geom *g)
{
  if (is_cell(field)) return;
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

static hymg_status make_view(hymg_field *field, int num_boxes, const hymgi_geom *box,
                             const hymgi_backend *backend)
{
  hymg_context *context = field->grid->context;
  hymgi_level *view = &field->view;
  view->context = context;
  view->backend = backend;
  view->num_boxes = num_boxes;
  view->comm = context->comm;
  view->box = malloc(((size_t)num_boxes + 1) * sizeof *box);
  if (!view->box) return hymgi_fail(context, HYMG_ENOMEM, "no memory for the boxes of a field");
  if (num_boxes) memcpy(view->box, box, (size_t)num_boxes * sizeof *box);
  int extent[3];
  hymgi_field_extent(field, extent);
  view->cells = (int64_t)extent[0] * extent[1] * extent[2];
  return HYMG_OK;
}

static hymg_status allocate(hymg_field *field)
{
  hymgi_level *view = &field->view;
  ptrdiff_t size = 0;
  for (int b = 0; b < view->num_boxes; b++) {
    if (!field->solver) {
      adapt_box(field, view->box + b);
      hymgi_geom_layout(view->box + b);
    }
    view->box[b].offset = size;
    size += view->box[b].size;
  }
  view->vector_size = size;
  if (size == 0) return HYMG_OK;
  TRY(view->backend->alloc(view->context, (size_t)size, &field->data));
  view->backend->clear(view, field->data);
  return HYMG_OK;
}

static hymg_status create(hymg_grid *grid, const hymg_solver *solver, int level,
                          hymg_centering centering, hymg_field **field)
{
  hymg_field *f = calloc(1, sizeof *f);
  if (!f) return hymgi_fail(grid->context, HYMG_ENOMEM, "no memory for a field");
  f->grid = grid;
  f->solver = solver ? solver->id : 0;
  f->level = level;
  f->centering = centering;
  const hymgi_level *l = solver ? solver->level + level : NULL;
  hymg_status status = l ? make_view(f, l->num_boxes, l->box, l->backend)
                         : make_view(f, grid->num_boxes, grid->box, hymgi_host_backend());
  if (status == HYMG_OK) status = allocate(f);
  if (status != HYMG_OK) {
    hymg_field_destroy(&f);
    return status;
  }
  *field = f;
  return HYMG_OK;
}

hymg_status hymg_field_create(hymg_grid *grid, hymg_solver *solver, hymg_centering centering,
                              hymg_precision precision, hymg_field **field)
{
  if (!grid) return HYMG_EINVAL;
  hymg_context *context = grid->context;
  if (!field) return hymgi_fail(context, HYMG_EINVAL, "hymg_field_create: field is NULL");
  if (centering < HYMG_CELL || centering > HYMG_WALL_Z_HIGH)
    return hymgi_fail(context, HYMG_EINVAL, "centering %d: 0 (cells) to %d (z+ wall)",
                      (int)centering, (int)HYMG_WALL_Z_HIGH);
  if (precision != HYMG_DOUBLE)
    return hymgi_fail(context, HYMG_EUNSUPPORTED, "precision %d: 0 (double) only", (int)precision);
  if (solver && solver->op->grid != grid)
    return hymgi_fail(context, HYMG_EINVAL, "the solver was made for another grid than the field");
  if (solver && centering != HYMG_CELL)
    return hymgi_fail(context, HYMG_EINVAL, "a field of %s with a solver: cell fields only",
                      hymgi_centering_name(centering));
  return create(grid, solver, 0, centering, field);
}

hymg_status hymg_field_create_on_level(hymg_solver *solver, int level, hymg_field **field)
{
  if (!solver) return HYMG_EINVAL;
  hymg_grid *grid = solver->op->grid;
  if (!field)
    return hymgi_fail(grid->context, HYMG_EINVAL, "hymg_field_create_on_level: field is NULL");
  TRY(hymgi_check_level(solver, level, solver->num_levels));
  return create(grid, solver, level, HYMG_CELL, field);
}

void hymg_field_destroy(hymg_field **field)
{
  if (!field || !*field) return;
  hymg_field *f = *field;
  if (f->data) f->view.backend->release(f->data, (size_t)f->view.vector_size);
  free(f->view.box);
  free(f);
  *field = NULL;
}

/* ---- the user's arrays ---- */

typedef struct brick {
  int low[3], count[3];
  ptrdiff_t stride[3];
} brick;

static hymg_status check_brick(const hymg_field *field, const brick *b, const void *data,
                               hymg_space space)
{
  static const char name[] = "xyz";
  hymg_context *context = field->grid->context;
  if (space != HYMG_HOST)
    return hymgi_fail(context, HYMG_EUNSUPPORTED,
                      "memory space %d: this build reads and writes 0 (host) only", (int)space);
  const bool empty = b->count[0] == 0 || b->count[1] == 0 || b->count[2] == 0;
  if (!data && !empty)
    return hymgi_fail(context, HYMG_EINVAL, "the data of a field's brick are NULL");
  int extent[3];
  hymgi_field_extent(field, extent);
  for (int axis = 0; axis < 3; axis++)
    if (b->low[axis] < 0 || b->count[axis] < 0 || b->low[axis] > extent[axis] - b->count[axis])
      return hymgi_fail(context, HYMG_EINVAL,
                        "brick from %d with %d entries along %c: a field of %s has 0 to %d",
                        b->low[axis], b->count[axis], name[axis],
                        hymgi_centering_name(field->centering), extent[axis] - 1);
  return HYMG_OK;
}

/* The part of the brick in a box, in the box's own indices; false if there is none. */
static bool intersect(const hymgi_geom *g, const brick *b, int from[3], int to[3])
{
  for (int axis = 0; axis < 3; axis++) {
    from[axis] = b->low[axis] - g->low[axis];
    to[axis] = from[axis] + b->count[axis];
    if (from[axis] < 0) from[axis] = 0;
    if (to[axis] > g->n[axis]) to[axis] = g->n[axis];
    if (from[axis] >= to[axis]) return false;
  }
  return true;
}

static void transfer(const hymg_field *field, const brick *b, const double *in, double *out)
{
  for (const hymgi_geom *g = field->view.box; g < field->view.box + field->view.num_boxes; g++) {
    int from[3], to[3];
    if (!intersect(g, b, from, to)) continue;
    for (int k = from[2]; k < to[2]; k++)
      for (int j = from[1]; j < to[1]; j++) {
        const ptrdiff_t row = (j + g->low[1] - b->low[1]) * b->stride[1] +
                              (k + g->low[2] - b->low[2]) * b->stride[2] +
                              (g->low[0] - b->low[0]) * b->stride[0];
        for (int i = from[0]; i < to[0]; i++) {
          const ptrdiff_t at = hymgi_at(g, i, j, k);
          if (in)
            field->data[at] = in[row + i * b->stride[0]];
          else
            out[row + i * b->stride[0]] = field->data[at];
        }
      }
  }
}

static hymg_status transfer_brick(const hymg_field *field, const int low[3], const int count[3],
                                  const ptrdiff_t stride[3], const double *in, double *out,
                                  hymg_space space)
{
  if (!field) return HYMG_EINVAL;
  if (!low || !count || !stride)
    return hymgi_fail(field->grid->context, HYMG_EINVAL,
                      "low, count or stride of a field's brick is NULL");
  brick b;
  memcpy(b.low, low, sizeof b.low);
  memcpy(b.count, count, sizeof b.count);
  memcpy(b.stride, stride, sizeof b.stride);
  TRY(check_brick(field, &b, in ? in : out, space));
  transfer(field, &b, in, out);
  return HYMG_OK;
}

hymg_status hymg_field_write(hymg_field *field, const int low[3], const int count[3],
                             const ptrdiff_t stride[3], const double *data, hymg_space space)
{
  return transfer_brick(field, low, count, stride, data, NULL, space);
}

hymg_status hymg_field_read(const hymg_field *field, const int low[3], const int count[3],
                            const ptrdiff_t stride[3], double *data, hymg_space space)
{
  return transfer_brick(field, low, count, stride, NULL, data, space);
}

hymg_status hymg_field_fill(hymg_field *field, double value)
{
  if (!field) return HYMG_EINVAL;
  field->view.backend->fill(&field->view, value, field->data);
  return HYMG_OK;
}

/* ---- vectors ---- */

bool hymgi_same_layout(int num_boxes, const hymgi_geom *a, const hymgi_geom *b)
{
  for (int m = 0; m < num_boxes; m++)
    if (a[m].split != b[m].split || a[m].ghost != b[m].ghost || a[m].base != b[m].base ||
        a[m].offset != b[m].offset)
      return false;
  return true;
}

void hymgi_field_copy_boxes(const hymgi_mover *mover, int threads, int num_boxes,
                            const hymgi_geom *src_box, const double *src, const hymgi_geom *dst_box,
                            double *dst)
{
  for (int b = 0; b < num_boxes; b++) {
    hymgi_copy copy = {.src_box = b, .dst_box = b};
    memcpy(copy.n, src_box[b].n, sizeof copy.n);
    const hymgi_plan plan = {.threads = threads, .num_local = 1, .local = &copy};
    mover->local(&plan, src_box, src, dst_box, dst);
  }
}

static hymg_status check_cells(const hymg_field *x, const char *call)
{
  if (!is_cell(x))
    return hymgi_fail(x->grid->context, HYMG_EINVAL, "%s: a field of %s; cell fields only", call,
                      hymgi_centering_name(x->centering));
  return HYMG_OK;
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
  if (hymgi_same_layout(view->num_boxes, x->view.box, view->box)) {
    view->backend->axpby(view, a, x->data, 1, y->data, y->data);
    return HYMG_OK;
  }
  double *converted;
  TRY(view->backend->alloc(view->context, (size_t)view->vector_size, &converted));
  hymgi_field_copy_boxes(&view->backend->mover, view->context->threads, view->num_boxes,
                         x->view.box, x->data, view->box, converted);
  view->backend->axpby(view, a, converted, 1, y->data, y->data);
  view->backend->release(converted, (size_t)view->vector_size);
  return HYMG_OK;
}

/* Reductions over all ranks of the context, also those without cells. */
static hymg_status reduce(const hymg_field *x, const char *call,
                          double (*norm)(const hymgi_level *, const double *), double *value)
{
  if (!x || !value) return HYMG_EINVAL;
  TRY(check_cells(x, call));
  hymg_context *context = x->grid->context;
  context->status = HYMG_OK;
  const double result = norm(&x->view, x->data);
  TRY(context->status);
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
