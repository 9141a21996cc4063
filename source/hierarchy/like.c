/* Levels like another one, whose cells, boxes, plans and communicator they have. */
#include <stdlib.h>

#include "hierarchy/build.h"

hymgi_level hymgi_level_like(const hymgi_level *level, const hymgi_operator_kind *op)
{
  hymgi_level s = *level;
  s.op = op;
  s.exchanged = s.patch = NULL;
  s.x = s.y = s.f = s.spare[0] = s.spare[1] = s.own_x = s.own_f = s.patch_vector = NULL;
  s.arena = s.weights = NULL;
  s.num_weights = 0;
  s.kernels = NULL, s.attached = NULL;
  s.layers = 0, s.wide = NULL;
  s.fixed = (hymgi_fixed){0};
  s.line = (hymgi_line){0};
  s.c.alpha = s.c.dinv = s.c.l1inv = s.c.constant_rows = NULL;
  for (int axis = 0; axis < 3; axis++)
    s.c.beta[axis] = s.weight[axis] = NULL;
  return s;
}

void hymgi_level_release(hymgi_level *level)
{
  if (level->arena) level->memory->release(level->context, level->arena, level->arena_doubles);
  if (level->c.constant_rows) level->memory->release(level->context, level->c.constant_rows, 0);
  hymgi_patches_destroy(level);
  if (level->box) level->keeper->unshare(level->box);
  if (level->exchanged) level->keeper->unshare(level->exchanged);
}

/* ---- the level of the system ---- */

/* The scaling of l1jacobi is shared where both are FV2: that of the system, which is finished last, is also used in cycles. */
hymg_status hymgi_system_make(hymgi_hierarchy *h)
{
  const hymgi_level *level = h->level;
  hymgi_level *const s = malloc(sizeof *s);
  if (!s) return hymgi_fail(h->context, HYMG_ENOMEM, "no memory for a level");
  *s = hymgi_level_like(level, h->kind);
  h->system = s;
  s->y = level->y;
  s->c.alpha = level->c.alpha;
  s->fixed = level->fixed;
  if (h->kind->order == 2) s->c.l1inv = level->c.l1inv;
  for (int axis = 0; axis < 3; axis++)
    TRY(hymgi_vector_create(s, s->vector_size, &s->c.beta[axis]));
  return h->kind->keeps_diagonal ? hymgi_vector_create(s, s->vector_size, &s->c.dinv) : HYMG_OK;
}

void hymgi_system_destroy(hymgi_hierarchy *h)
{
  hymgi_level *const s = h->system;
  if (!s || s == h->level) return;
  hymgi_boundary_data_destroy(s);
  h->level->boundaries = NULL;
  for (int axis = 0; axis < 3; axis++)
    hymgi_vector_destroy(s, s->vector_size, &s->c.beta[axis]);
  hymgi_vector_destroy(s, s->vector_size, &s->c.dinv);
  hymgi_vector_destroy(s, s->vector_size, &s->own_x);
  hymgi_vector_destroy(s, s->vector_size, &s->own_f);
  free(s);
  h->system = h->level;
}
