/* Copies between fields and the user's arrays, in memory of the host or the GPU, and fields over such
 * arrays (hymg_field_wrap). Arrays of floats are converted in the same pass; a field of floats is such an
 * array, of its own. */
#include "hierarchy/build.h"

static size_t size_of(const hymgi_user_brick *brick)
{
  return brick->is_float ? sizeof(float) : sizeof(double);
}

static void *entry(const hymgi_user_array *array, ptrdiff_t at)
{
  return (char *)array->data + at * (ptrdiff_t)size_of(&array->brick);
}

/* The array of box b. */
static hymgi_user_array array_of(const hymgi_user_array *array, int b)
{
  hymgi_user_array a = *array;
  if (!array->boxes) return a;
  const hymgi_geom *g = array->boxes + b;
  for (int axis = 0; axis < 3; axis++)
    a.brick.from[axis] = g->low[axis], a.brick.to[axis] = g->low[axis] + g->n[axis];
  a.brick.stride[0] = 1, a.brick.stride[1] = g->pitch, a.brick.stride[2] = g->plane;
  a.data = entry(array, hymgi_at(g, 0, 0, 0));
  return a;
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

enum { CHUNK = 1 << 22 }; /* entries per piece of a copy that needs a staging buffer */

static size_t doubles_for(size_t count, size_t size)
{
  return (count * size + sizeof(double) - 1) / sizeof(double);
}

/* If one of the vector and the user's array is in host memory and the other on the device, blocks
 * of planes are staged through a buffer beside each of them, of the array's type. */
static hymg_status transfer_across(const hymgi_level *view, const hymgi_backend *device,
                                   const hymgi_geom *g, const hymgi_user_brick *whole, bool write,
                                   void *user, double *vector)
{
  hymg_context *context = view->context;
  const hymgi_backend *own = view->backend, *other = own == device ? hymgi_cpu_backend() : device;
  const ptrdiff_t nx = whole->to[0] - whole->from[0];
  const size_t plane = (size_t)nx * (size_t)(whole->to[1] - whole->from[1]);
  const int planes = whole->to[2] - whole->from[2];
  int step = (int)(CHUNK / plane);
  step = step < 1 ? 1 : step > planes ? planes : step;
  double *near = NULL, *far = NULL;
  const size_t each = size_of(whole), size = doubles_for(plane * (size_t)step, each);
  hymg_status status = own->memory->alloc(context, size, &near);
  if (status == HYMG_OK) status = other->memory->alloc(context, size, &far);
  for (int k = whole->from[2]; status == HYMG_OK && k < whole->to[2]; k += step) {
    hymgi_user_brick part = *whole;
    part.from[2] = k;
    if (k + step < whole->to[2]) part.to[2] = k + step;
    hymgi_user_brick packed = part; /* as a contiguous block, x fastest */
    packed.stride[0] = 1, packed.stride[1] = nx, packed.stride[2] = (ptrdiff_t)plane;
    const ptrdiff_t first = part.from[0] + part.from[1] * nx + k * packed.stride[2];
    const ptrdiff_t before = first * (ptrdiff_t)each; /* bytes */
    const size_t count = doubles_for(plane * (size_t)(part.to[2] - k), each);
    if (write) {
      other->gather(context, &part, &packed, user, (char *)far - before);
      device->copy(context, far, near, count);
    }
    own->brick(view, g, &packed, write, (char *)near - before, vector);
    if (!write) {
      device->copy(context, near, far, count);
      other->gather(context, &packed, &part, (char *)far - before, user);
    }
    device->sync(context);
    status = context->status;
  }
  if (near) own->memory->release(context, near, size);
  if (far) other->memory->release(context, far, size);
  return status;
}

/* The GPU's backend, for an array in its memory. */
static hymg_status device_of(hymg_context *context, const hymgi_level *view,
                             const hymgi_backend **device)
{
  *device = view->backend;
  if (view->backend->id == HYMG_BACKEND_CUDA) return HYMG_OK;
  const hymg_status status = hymgi_cuda_backend(context, false, device);
  if (status == HYMG_OK) return HYMG_OK;
  return hymgi_fail(context, status, "memory space %d (device): %.400s", (int)HYMG_DEVICE,
                    context->error);
}

/* The entries of a view's boxes with the extents `extent` (a face more than the cells of a box). */
static hymg_status transfer(const hymgi_level *view, const hymgi_geom *extent,
                            const hymgi_user_array *array, bool write, double *vector)
{
  hymg_context *context = view->context;
  const hymgi_backend *device = view->backend;
  const bool on_host = array->space == HYMG_HOST;
  const bool reached = on_host ? view->memory->on_host : view->memory->on_device;
  if (!on_host) TRY(device_of(context, view, &device));
  const hymgi_backend *const worker = on_host ? hymgi_cpu_backend() : device;
  context->status = HYMG_OK;
  /* the host must not access data that the device still uses */
  if (on_host && view->memory->on_host) device->sync(context);
  for (int b = 0; b < view->num_boxes; b++) {
    const hymgi_user_array own = array_of(array, b);
    hymgi_user_brick part;
    ptrdiff_t start;
    if (!intersect(extent + b, &own.brick, &part, &start)) continue;
    if (reached)
      worker->brick(view, view->box + b, &part, write, entry(&own, start), vector);
    else
      TRY(transfer_across(view, device, view->box + b, &part, write, entry(&own, start), vector));
  }
  /* the backend of this vector is the host, which does not wait for the device */
  if (!on_host && device != view->backend) device->sync(context);
  return context->status;
}

/* Both arrays in memory of one space: straight from one to the other. */
static hymg_status gather(const hymgi_level *view, const hymgi_user_array *from,
                          const hymgi_user_array *to)
{
  const hymgi_backend *backend = hymgi_cpu_backend();
  if (from->space == HYMG_DEVICE) TRY(device_of(view->context, view, &backend));
  view->context->status = HYMG_OK;
  for (int b = 0; b < view->num_boxes; b++) {
    const hymgi_user_array a[2] = {array_of(from, b), array_of(to, b)};
    hymgi_user_brick source, target;
    ptrdiff_t first[2];
    if (!intersect(view->box + b, &a[0].brick, &source, first)) continue;
    if (!intersect(view->box + b, &a[1].brick, &target, first + 1)) continue;
    bool any = true;
    for (int axis = 0; axis < 3; axis++) {
      if (source.from[axis] < target.from[axis]) source.from[axis] = target.from[axis];
      if (source.to[axis] > target.to[axis]) source.to[axis] = target.to[axis];
      any = any && source.from[axis] < source.to[axis];
    }
    if (any)
      backend->gather(view->context, &source, &target, entry(a, first[0]), entry(a + 1, first[1]));
  }
  return view->context->status;
}

static bool has_array(const hymg_field *field)
{
  return field->array.data != NULL;
}

hymg_status hymgi_floats_create(hymg_field *field)
{
  static const float nothing = 0; /* the address of an array without entries */
  hymgi_level *view = &field->view;
  field->array.data = (void *)&nothing;
  if (view->vector_size == 0) return HYMG_OK;
  const size_t size = doubles_for((size_t)view->vector_size, sizeof(float));
  double *data;
  TRY(hymgi_vector_create(view, (ptrdiff_t)size, &data));
  field->array.data = data, field->array.boxes = view->box;
  return HYMG_OK;
}

void hymgi_floats_destroy(hymg_field *field)
{
  const hymgi_level *view = &field->view;
  double *data = field->array.data;
  if (field->array.boxes)
    hymgi_vector_destroy(view, (ptrdiff_t)doubles_for((size_t)view->vector_size, sizeof(float)),
                         &data);
}

hymg_status hymgi_field_open(const hymg_field *field)
{
  const hymgi_level *view = &field->view;
  double **const data = (double **)&field->data; /* a field is never an object declared const */
  if (!has_array(field)) return HYMG_OK;
  TRY(hymgi_vector_create(view, view->vector_size, data));
  return transfer(view, view->box, &field->array, true, *data);
}

hymg_status hymgi_field_close(const hymg_field *field, bool changed)
{
  const hymgi_level *view = &field->view;
  hymg_status status = HYMG_OK;
  if (!has_array(field) || !field->data) return HYMG_OK;
  if (changed) status = transfer(view, view->box, &field->array, false, field->data);
  view->backend->sync(view->context); /* before the memory is released */
  hymgi_vector_destroy(view, view->vector_size, (double **)&field->data);
  return status;
}

hymg_status hymgi_field_exchange(const hymg_field *field, const hymgi_user_array *array, bool write)
{
  if (has_array(field) && field->array.space == array->space)
    return write ? gather(&field->view, array, &field->array)
                 : gather(&field->view, &field->array, array);
  hymg_status status = hymgi_field_open(field);
  if (status == HYMG_OK)
    status = transfer(&field->view, field->view.box, array, write, field->data);
  const hymg_status closed = hymgi_field_close(field, write && status == HYMG_OK);
  return status == HYMG_OK ? closed : status;
}

hymg_status hymgi_field_to_vector(const hymg_field *field, const hymgi_level *level, double *vector)
{
  if (has_array(field)) return transfer(level, field->view.box, &field->array, true, vector);
  return hymgi_vector_convert(&field->view, field->data, level, vector);
}

hymg_status hymgi_vector_to_field(const hymgi_level *level, const double *vector,
                                  const hymg_field *field)
{
  if (has_array(field)) /* of the vector only read */
    return transfer(level, field->view.box, &field->array, false, (double *)vector);
  return hymgi_vector_convert(level, vector, &field->view, field->data);
}
