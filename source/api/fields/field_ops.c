/* Calculating with fields: fill, scale, copy, sums and norms. */
#include <math.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

/* After a change of an open field. */
static hymg_status finish(hymg_field *field, hymg_status status)
{
  if (status == HYMG_OK) status = field->view.context->status;
  const hymg_status closed = hymgi_field_close(field, status == HYMG_OK);
  return status == HYMG_OK ? closed : status;
}

static hymg_status check_cells(const hymg_field *x, const char *call)
{
  if (x->centering == HYMG_CELL) return HYMG_OK;
  return hymgi_fail(x->grid->context, HYMG_EINVAL, "%s: a field of %s; cell fields only", call,
                    hymgi_centering_name(x->centering));
}

static hymg_status check_alike(const hymg_field *x, const hymg_field *y, const char *call)
{
  hymg_context *context = y->grid->context;
  if (x->grid->context != context) {
    hymgi_fail(x->grid->context, HYMG_EINVAL, "%s: the fields are of two contexts", call);
    return hymgi_fail(context, HYMG_EINVAL, "%s: the fields are of two contexts", call);
  }
  if (x->grid != y->grid || x->level != y->level)
    return hymgi_fail(context, HYMG_EINVAL, "%s: fields of different grids or levels (%d and %d)",
                      call, x->level, y->level);
  if (y->level > 0 && x->solver != y->solver)
    return hymgi_fail(context, HYMG_EINVAL, "%s: fields on level %d of different solvers", call,
                      y->level);
  if (x->centering != y->centering)
    return hymgi_fail(context, HYMG_EINVAL, "%s: a field of %s and one of %s", call,
                      hymgi_centering_name(x->centering), hymgi_centering_name(y->centering));
  return HYMG_OK;
}

static bool same_rows(const hymg_field *x, const hymg_field *y)
{
  const hymgi_geom *a = x->view.box, *b = y->view.box;
  if (x->view.backend != y->view.backend) return false;
  for (int m = 0; m < x->view.num_boxes; m++)
    if (a[m].split != b[m].split || a[m].ghost != b[m].ghost || a[m].base != b[m].base ||
        a[m].offset != b[m].offset)
      return false;
  return true;
}

/* The values of x in the layout of y, which is open: x's own data or a temporary vector, released by
 * drop. */
static hymg_status values_like(const hymg_field *x, const hymg_field *y, double **values)
{
  const hymgi_level *view = &y->view;
  *values = x->data;
  if (!x->array.data && same_rows(x, y)) return HYMG_OK;
  TRY(hymgi_vector_create(view, view->vector_size, values));
  return hymgi_field_to_vector(x, view, *values);
}

static void drop(const hymg_field *x, const hymg_field *y, double *values)
{
  if (values == x->data) return;
  y->view.backend->sync(y->view.context);
  hymgi_vector_destroy(&y->view, y->view.vector_size, &values);
}

hymg_status hymg_field_fill(hymg_field *field, double value)
{
  if (!field) return HYMG_EINVAL;
  const hymgi_level *view = &field->view;
  TRY(hymgi_field_open(field));
  view->context->status = HYMG_OK;
  if (view->num_boxes) view->backend->fill(view, value, field->data);
  return finish(field, HYMG_OK);
}

hymg_status hymg_field_scale(double a, hymg_field *x)
{
  if (!x) return HYMG_EINVAL;
  const hymgi_level *view = &x->view;
  TRY(hymgi_field_open(x));
  view->context->status = HYMG_OK;
  if (view->num_boxes) view->backend->axpby(view, a, x->data, 0, x->data, x->data);
  return finish(x, HYMG_OK);
}

hymg_status hymg_field_copy(const hymg_field *x, hymg_field *y)
{
  if (!x || !y) return HYMG_EINVAL;
  TRY(check_alike(x, y, "hymg_field_copy"));
  y->view.context->status = HYMG_OK;
  if (x == y) return HYMG_OK;
  if (x->array.data) return hymgi_field_exchange(y, &x->array, true);
  if (y->array.data) return hymgi_field_exchange(x, &y->array, false);
  return hymgi_vector_convert(&x->view, x->data, &y->view, y->data);
}

hymg_status hymg_field_axpy(double a, const hymg_field *x, hymg_field *y)
{
  if (!x || !y) return HYMG_EINVAL;
  TRY(check_cells(x, "hymg_field_axpy"));
  TRY(check_cells(y, "hymg_field_axpy"));
  TRY(check_alike(x, y, "hymg_field_axpy"));
  const hymgi_level *view = &y->view;
  if (view->num_boxes == 0) return HYMG_OK;
  double *values = NULL;
  view->context->status = HYMG_OK;
  hymg_status status = hymgi_field_open(y);
  if (status == HYMG_OK) status = values_like(x, y, &values);
  if (status == HYMG_OK) view->backend->axpby(view, a, values, 1, y->data, y->data);
  drop(x, y, values);
  return finish(y, status);
}

/* ---- reductions over all ranks of the context, also those without cells ---- */

/* Collective: the ranks agree on the outcome so far of a call with one or two fields alike. */
static hymg_status agree(const char *call, const hymg_field *x, hymg_status status)
{
  hymgi_arguments a;
  hymgi_arguments_begin(&a, call);
  hymgi_arguments_whole(&a, "the grid's number", x->grid->id);
  hymgi_arguments_whole(&a, "level", x->level);
  return hymgi_agree_on(x->grid->context, status, &a);
}

static hymg_status refuse_null(const hymg_field *x, const char *call)
{
  return hymgi_fail(x->grid->context, HYMG_EINVAL, "%s: an argument is NULL", call);
}

typedef double reduction(const hymgi_level *, const double *);

/* The view for sums over ranks. */
static hymgi_level counted(const hymg_field *x)
{
  hymgi_level view = x->view;
  if (x->is_copy) view.num_boxes = 0;
  return view;
}

/* Collective, of an open field: status is the outcome so far. */
static hymg_status reduce_open(const hymg_field *x, const char *call, hymg_status status,
                               reduction *norm, double *value)
{
  hymg_context *context = x->grid->context;
  TRY(agree(call, x, status));
  context->status = HYMG_OK;
  const hymgi_level view = counted(x);
  const double result = norm(&view, x->data);
  TRY(hymgi_agree(context, context->status));
  *value = result;
  return HYMG_OK;
}

static hymg_status reduce(const hymg_field *x, const char *call, reduction *norm, double *value)
{
  if (!x) return HYMG_EINVAL;
  hymg_status status = value ? check_cells(x, call) : refuse_null(x, call);
  if (status == HYMG_OK) status = hymgi_field_open(x);
  status = reduce_open(x, call, status, norm, value);
  hymgi_field_close(x, false);
  return status;
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

hymg_status hymg_field_remove_mean(hymg_field *x)
{
  static const char call[] = "hymg_field_remove_mean";
  double mean;
  if (!x) return HYMG_EINVAL;
  hymg_status status = check_cells(x, call);
  if (status == HYMG_OK) status = hymgi_field_open(x);
  status = reduce_open(x, call, status, hymgi_mean, &mean);
  if (status == HYMG_OK && x->view.num_boxes) x->view.backend->shift(&x->view, -mean, x->data);
  return hymgi_agree(x->grid->context, finish(x, status));
}

hymg_status hymg_field_dot(const hymg_field *x, const hymg_field *y, double *dot)
{
  static const char call[] = "hymg_field_dot";
  if (!x && !y) return HYMG_EINVAL;
  const hymg_field *const any = y ? y : x;
  hymg_context *context = any->grid->context;
  double *values = NULL;
  context->status = HYMG_OK;
  hymg_status status = x && y && dot ? check_cells(x, call) : refuse_null(any, call);
  if (status == HYMG_OK) status = check_cells(y, call);
  if (status == HYMG_OK) status = check_alike(x, y, call);
  const bool alike = status == HYMG_OK;
  if (status == HYMG_OK) status = hymgi_field_open(y);
  if (status == HYMG_OK) status = values_like(x, y, &values);
  status = agree(call, any, status);
  if (status == HYMG_OK) {
    context->status = HYMG_OK;
    const hymgi_level view = counted(y);
    const double result = hymgi_dot(&view, values, y->data);
    status = hymgi_agree(context, context->status);
    if (status == HYMG_OK) *dot = result;
  }
  if (alike) drop(x, y, values);
  if (alike) hymgi_field_close(y, false);
  return status;
}
