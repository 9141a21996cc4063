/* Temporary vectors of a level, vectors that the host can access, and copies between layouts and
 * backends. */
#include <string.h>

#include "hierarchy/build.h"

/* With several threads, each has to touch its part first. */
void hymgi_vector_begin(const hymgi_level *level, double *vector)
{
  if (!level->memory->zeroed)
    level->backend->clear(level, vector);
  else if (level->context->threads > 1)
    level->backend->touch(level, vector);
}

hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  *vector = NULL;
  if (size == 0) return HYMG_OK;
  TRY(level->memory->alloc(level->context, (size_t)size, vector));
  if (size == level->vector_size)
    hymgi_vector_begin(level, *vector);
  else if (!level->memory->zeroed || level->context->threads > 1)
    level->backend->zero(level->context, *vector, (size_t)size);
  return level->context->status;
}

void hymgi_vector_destroy(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  if (*vector) level->memory->release(level->context, *vector, (size_t)size);
  *vector = NULL;
}

const hymgi_memory *hymgi_crossing(const hymgi_level *level)
{
  return level->memory->on_host ? level->memory : level->backend->crossing;
}

hymg_status hymgi_crossing_create(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  *vector = NULL;
  if (size == 0) return HYMG_OK;
  TRY(hymgi_crossing(level)->alloc(level->context, (size_t)size, vector));
  memset(*vector, 0, (size_t)size * sizeof(double));
  return HYMG_OK;
}

void hymgi_crossing_destroy(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  if (*vector) hymgi_crossing(level)->release(level->context, *vector, (size_t)size);
  *vector = NULL;
}

void hymgi_vector_copy(const hymgi_level *level, const double *from, double *to)
{
  for (int b = 0; b < level->num_boxes; b++) {
    const hymgi_geom *g = level->box + b;
    hymgi_copy c = {.src_box = b, .dst_box = b};
    for (int axis = 0; axis < 3; axis++) {
      c.src[axis] = c.dst[axis] = -g->ghost;
      c.n[axis] = g->n[axis] + 2 * g->ghost;
    }
    const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &c};
    level->backend->mover.local(level->context, &plan, level->box, from, level->box, to);
  }
}

/* ---- between two layouts ---- */

void hymgi_boxes_copy(const hymgi_level *level, const hymgi_geom *src_box, const double *src,
                      const hymgi_geom *dst_box, double *dst, int axis)
{
  for (int b = 0; b < level->num_boxes; b++) {
    hymgi_copy copy = {.src_box = b, .dst_box = b};
    for (int t = 0; t < 3; t++)
      copy.n[t] = src_box[b].n[t] > dst_box[b].n[t] ? src_box[b].n[t] : dst_box[b].n[t];
    if (axis >= 0) copy.src[axis] = 1;
    const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &copy};
    level->backend->mover.local(level->context, &plan, src_box, src, dst_box, dst);
  }
}

/* Can the backend of `a` access the vectors of `b`? */
static bool reaches(const hymgi_level *a, const hymgi_level *b)
{
  return a->backend->id == HYMG_BACKEND_CUDA ? b->memory->on_device : b->memory->on_host;
}

/* Waits for work that two different backends have queued on the vectors. */
static void sync_both(const hymgi_level *a, const hymgi_level *b)
{
  if (a->backend == b->backend) return;
  a->backend->sync(a->context);
  b->backend->sync(b->context);
}

/* If neither backend can access the other's memory, the raw data are copied to or from the
 * device, which converts the layout. */
hymg_status hymgi_vector_convert(const hymgi_level *from, const double *src, const hymgi_level *to,
                                 double *dst)
{
  hymg_context *context = to->context;
  sync_both(from, to);
  if (reaches(to, from)) {
    hymgi_boxes_copy(to, from->box, src, to->box, dst, -1);
  } else if (reaches(from, to)) {
    hymgi_boxes_copy(from, from->box, src, to->box, dst, -1);
  } else {
    const bool down = from->backend->id == HYMG_BACKEND_CUDA;
    const hymgi_level *device = down ? from : to, *host = down ? to : from;
    const size_t doubles = (size_t)host->vector_size;
    double *staged;
    TRY(device->backend->memory->alloc(context, doubles, &staged));
    if (!down) device->backend->copy(context, src, staged, doubles);
    hymgi_boxes_copy(device, from->box, down ? src : staged, to->box, down ? staged : dst, -1);
    if (down) device->backend->copy(context, staged, dst, doubles);
    device->backend->sync(context);
    device->backend->memory->release(context, staged, doubles);
  }
  sync_both(from, to);
  return context->status;
}

hymg_status hymgi_field_load(const hymg_field *field, const hymgi_level *level, double *vector)
{
  if (level->outside) return hymgi_outside_load(field, level, vector);
  return hymgi_field_to_vector(field, level, vector);
}

hymg_status hymgi_field_store(const hymgi_level *level, const double *vector, hymg_field *field)
{
  if (level->outside) return hymgi_outside_store(level, vector, field);
  return hymgi_vector_to_field(level, vector, field);
}
