/* The copy that a GPU's rows are measured against: one plain field to another, several times the
 * size of any cache, by the backend's vector level operation. */
#include "hymg-kernels/kernels.h"

#include <stdlib.h>

enum { SIDE = 256, CALLS = 10, RUNS = 5 };

struct kernels_copy {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *from, *to;
  double cells;
};

/* Planes of two fields that take so many bytes, and at most a quarter of what is free. */
static int planes_of(hymg_context *context, double bytes)
{
  hymg_device_info device;
  double wanted = bytes > 0 ? bytes : 0x1p30;
  if (hymg_device_get(context, -1, &device) == HYMG_OK && wanted > device.free_bytes / 4)
    wanted = device.free_bytes / 4;
  const int planes = (int)(wanted / (16.0 * SIDE * SIDE));
  return planes > 0 ? planes : 1;
}

static hymg_status make(kernels_copy *c, int planes)
{
  hymg_grid_desc desc = hymg_grid_desc_default();
  desc.n[0] = desc.n[1] = SIDE, desc.n[2] = planes;
  TRY(hymg_grid_create(c->context, &desc, &c->grid));
  TRY(hymg_field_create_in(c->grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &c->from));
  TRY(hymg_field_create_in(c->grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &c->to));
  c->cells = (double)hymg_grid_cells(c->grid);
  return hymg_field_fill(c->from, 1);
}

kernels_copy *kernels_copy_create(hymg_context *context, double bytes)
{
  kernels_copy *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->context = context;
  if (make(c, planes_of(context, bytes)) != HYMG_OK) kernels_copy_destroy(&c);
  return c;
}

static double copy_once(const kernels_copy *c)
{
  const hymgi_level *level = &c->from->view;
  level->backend->sync(c->context);
  const double start = hymgi_seconds();
  for (int call = 0; call < CALLS; call++)
    hymgi_copy_vector(level, c->from->data, c->to->data);
  level->backend->sync(c->context);
  return (hymgi_seconds() - start) / CALLS;
}

double kernels_copy_run(const kernels_copy *c)
{
  kernels_times times = {0};
  copy_once(c);
  while (times.count < RUNS && kernels_times_add(&times, copy_once(c)))
    ;
  const double seconds = kernels_median(&times);
  kernels_times_free(&times);
  return 16 * c->cells / seconds;
}

void kernels_copy_destroy(kernels_copy **c)
{
  if (!*c) return;
  hymg_field_destroy(&(*c)->from);
  hymg_field_destroy(&(*c)->to);
  hymg_grid_destroy(&(*c)->grid);
  free(*c);
  *c = NULL;
}
