/* Cells with given values: they leave the system while it is set up, so that no cycle knows of them.
 * The conductance between a fixed and a free cell becomes part of the free cell's C, as that of a
 * Dirichlet boundary at the fixed cell's centre, and a source; the fixed cell's own row becomes 0.
 *
 * A row of 0, whatever the reason, has no faces that conduct and C = 0. Its cell is alone on every
 * level: it enters no coarse sum and no interpolation. Only the division by its diagonal needs a
 * number, so a power of 2 stands for its C, with which sweeps leave or make x = 0 where f = 0. On
 * coarse levels that is large, as the tensor transfer may give such cells an f that nothing there
 * answers. */
#include <math.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

/* LARGE: a power of 2 that a float in units of the largest coefficient can hold */
enum { LARGE = 30, MOST = 1000 };

void hymgi_empty_rows_set(const hymgi_hierarchy *h, hymgi_level *level)
{
  const int exponent = ilogb(h->largest) + (level->index > 0 ? LARGE : 0);
  level->c.empty_row = ldexp(1, exponent < MOST ? exponent : MOST);
  if (level->num_boxes)
    level->backend->robust->mark_empty_rows(level, level->c.empty_row, level->c.alpha);
}

/* level->fixed.beta, with the boundaries of the domain as in c.beta: the last use of the betas as they
 * were read. */
static hymg_status keep_betas(hymgi_level *level)
{
  const hymgi_coefficients cut = level->c;
  for (int axis = 0; axis < 3; axis++) {
    hymgi_vector_copy(level, level->c.beta[axis], level->fixed.beta[axis]);
    level->c.beta[axis] = level->fixed.beta[axis];
  }
  const hymg_status status = level->backend->finish_coefficients(level);
  level->c = cut;
  return status;
}

static hymg_status cut(hymgi_level *level)
{
  if (level->num_boxes) level->backend->robust->take_fixed(level);
  for (int axis = 0; axis < 3; axis++) {
    if (level->num_boxes) level->backend->robust->cut_faces(level, axis, level->c.beta[axis]);
    TRY(hymgi_faces_exchange(level, axis, level->c.beta[axis]));
  }
  return HYMG_OK;
}

hymg_status hymgi_fixed_load(hymgi_hierarchy *h)
{
  hymgi_level *level = h->level;
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  if (!h->method.fixed) return HYMG_OK;
  hymg_status status = hymgi_field_load(h->op->desc.fixed, level, level->fixed.given);
  if (plan)
    hymgi_run_plan(level, plan, level->box, level->fixed.given, level->box, level->fixed.given);
  if (status == HYMG_OK && level->num_boxes) status = keep_betas(level);
  TRY(hymgi_agree(h->context, status));
  TRY(cut(level));
  hymgi_empty_rows_set(h, level);
  return hymgi_agree(h->context, h->context->status);
}
