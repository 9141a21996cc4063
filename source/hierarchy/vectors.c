/* Temporary vectors of a level, vectors that the host can access, and copies between layouts and
 * backends. */
#include <string.h>

#include "hierarchy/build.h"

hymg_status hymgi_vector_create(const hymgi_level *level, ptrdiff_t size, double **vector)
{
  *vector = NULL;
  if (size == 0) return HYMG_OK;
  TRY(level->memory->alloc(level->context, (size_t)size, vector));
  if (size == level->vector_size)
    level->backend->clear(level, *vector);
  else
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

hymg_status hymgi_crossing_create(const hymgi_level *level, double **vector)
{
  *vector = NULL;
  if (level->vector_size == 0) return HYMG_OK;
  TRY(hymgi_crossing(level)->alloc(level->context, (size_t)level->vector_size, vector));
  memset(*vector, 0, (size_t)level->vector_size * sizeof(double));
  return HYMG_OK;
}

void hymgi_crossing_destroy(const hymgi_level *level, double **vector)
{
  if (*vector) hymgi_crossing(level)->release(level->context, *vector, (size_t)level->vector_size);
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

static void copy_boxes(const hymgi_level *level, const hymgi_geom *src_box, const double *src,
                       const hymgi_geom *dst_box, double *dst)
{
  for (int b = 0; b < level->num_boxes; b++) {
    hymgi_copy copy = {.src_box = b, .dst_box = b};
    memcpy(copy.n, src_box[b].n, sizeof copy.n);
    const hymgi_plan plan = {.threads = level->context->threads, .num_local = 1, .local = &copy};
    level->backend->mover.local(level->context, &plan, src_box, src, dst_box, dst);
  }
}

/* Can the backend of `a` access the vectors of `b`? */
static bool reaches(const hymgi_level *a, const hymgi_level *b)
{
  return a->backend->id == HYMG_BACKEND_CUDA ? b->memory->on_device : b->memory->on_host;
}

/* If neither backend can access the other's memory, the raw data are copied to or from the
 * device, which converts the layout. */
hymg_status hymgi_vector_convert(const hymgi_level *from, const double *src, const hymgi_level *to,
                                 double *dst)
{
  hymg_context *context = to->context;
  if (from->backend != to->backend) { /* each may still have work queued on the vectors */
    from->backend->sync(context);
    to->backend->sync(context);
  }
  if (reaches(to, from)) {
    copy_boxes(to, from->box, src, to->box, dst);
  } else if (reaches(from, to)) {
    copy_boxes(from, from->box, src, to->box, dst);
  } else {
    const bool down = from->backend->id == HYMG_BACKEND_CUDA;
    const hymgi_level *device = down ? from : to, *host = down ? to : from;
    const size_t doubles = (size_t)host->vector_size;
    double *staged;
    TRY(device->backend->memory->alloc(context, doubles, &staged));
    if (down) {
      copy_boxes(device, from->box, src, to->box, staged);
      device->backend->copy(context, staged, dst, doubles);
    } else {
      device->backend->copy(context, src, staged, doubles);
      copy_boxes(device, from->box, staged, to->box, dst);
      device->backend->sync(context);
    }
    device->backend->memory->release(context, staged, doubles);
  }
  if (from->backend != to->backend) {
    from->backend->sync(context);
    to->backend->sync(context);
  }
  return context->status;
}

hymg_status hymgi_field_load(const hymg_field *field, const hymgi_level *level, double *vector)
{
  return hymgi_vector_convert(&field->view, field->data, level, vector);
}
