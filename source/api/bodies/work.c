/* Values of fields in plain rows with ghosts, for the calls on masks and bodies. */
#include <stdlib.h>

#include "api/bodies/bodies.h"
#include "multigrid/level_ops.h"

static hymg_status make_halo(hymgi_body_work *w)
{
  hymgi_level *level = &w->level;
  const hymgi_side side = {level->decomp, level->num_boxes, level->box,
                           (const int(*)[6])level->cover};
  const hymgi_pull rule = hymgi_halo_rule(&side, HYMGI_HALO_FACES, 1, level->periodic);
  TRY(hymgi_plan_create(level->context, &rule, 0, &w->halo));
  if (!w->halo->num_local && !w->halo->num_sends && !w->halo->num_receives) {
    hymgi_plan_destroy(&w->halo);
    return HYMG_OK;
  }
  return hymgi_plan_share(w->halo, level->backend->share, level->backend->unshare, level->memory);
}

hymg_status hymgi_body_begin(hymg_grid *grid, unsigned needed, bool halo, hymgi_body_work *w)
{
  hymg_context *context = grid->context;
  const hymgi_backend *cpu = hymgi_cpu_backend();
  *w = (hymgi_body_work){.grid = grid,
                         .level = {.context = context,
                                   .backend = cpu,
                                   .keeper = cpu,
                                   .memory = cpu->memory,
                                   .ghost = 1,
                                   .periodic = grid->periodic,
                                   .decomp = grid->decomp,
                                   .comm = context->comm}};
  hymgi_level *level = &w->level;
  context->status = HYMG_OK;
  TRY(hymgi_side_boxes(context, grid->decomp, hymg_context_rank(context), 1, grid->periodic,
                       &level->box, &level->cover, &level->num_boxes));
  level->vector_size = hymgi_boxes_layout(level->box, level->num_boxes, cpu->line);
  for (int v = 0; v < HYMGI_BODY_VECTORS; v++)
    if (needed >> v & 1) TRY(hymgi_vector_create(level, level->vector_size, &w->vector[v]));
  return halo ? make_halo(w) : HYMG_OK;
}

void hymgi_body_end(hymgi_body_work *w)
{
  for (int v = 0; v < HYMGI_BODY_VECTORS; v++)
    hymgi_vector_destroy(&w->level, w->level.vector_size, &w->vector[v]);
  hymgi_plan_destroy(&w->halo);
  free(w->level.box);
  free(w->level.cover);
}

hymg_status hymgi_body_load(hymgi_body_work *w, const hymg_field *field, int vector)
{
  if (!field || w->level.num_boxes == 0) return HYMG_OK;
  return hymgi_field_to_vector(field, &w->level, w->vector[vector]);
}

hymg_status hymgi_body_store(hymgi_body_work *w, int vector, hymg_field *field)
{
  if (!field || w->level.num_boxes == 0) return HYMG_OK;
  return hymgi_vector_to_field(&w->level, w->vector[vector], field);
}

void hymgi_body_exchange(hymgi_body_work *w, int vector)
{
  double *const x = w->vector[vector];
  hymgi_run_plan(&w->level, w->halo, w->level.box, x, w->level.box, x);
}

hymg_status hymgi_body_check_field(const hymg_grid *grid, const hymg_field *field,
                                   hymg_centering centering, bool required, const char *name)
{
  if (required && !field) return hymgi_fail(grid->context, HYMG_EINVAL, "%s is NULL", name);
  return hymgi_check_given_field(grid, field, centering, name);
}

double hymgi_body_width(const hymg_grid *grid, const hymgi_geom *g, int axis, int index)
{
  const int n = grid->desc.n[axis];
  if (!grid->widths[axis]) return grid->desc.spacing[axis];
  return grid->widths[axis][(g->low[axis] + index + n) % n]; /* across a periodic axis, too */
}
