/* Cells that are no unknowns: those with given values, and those without couplings. They leave the system
 * while it is set up, so that no cycle knows of them. The conductance between a fixed and a free cell
 * becomes part of the free cell's C, as that of a Dirichlet boundary at the fixed cell's centre, and a
 * source; the fixed cell's own row becomes 0.
 *
 * A row of 0, whatever the reason, has no faces that conduct and C = 0. Its cell is alone on every
 * level: it enters no coarse sum and no interpolation. Only the division by its diagonal needs a
 * number, so a power of 2 stands for its C, with which sweeps leave or make x = 0 where f = 0. On
 * coarse levels that is large, as the tensor transfer may give such cells an f that nothing there
 * answers, and with FV4, which must not take it for a value of alpha. On level 0 a cell whose row is 0 because of its coefficients has the given value 0. A diagonal
 * is a sum of numbers that are not negative, so that 0 is exact. */
#include <math.h>
#include <string.h>

#include "hierarchy/build.h"
#include "multigrid/level_ops.h"

/* LARGE: a power of 2 that a float in units of the largest coefficient can hold */
enum { LARGE = 30, MOST = 1000 };

void hymgi_empty_rows_set(const hymgi_hierarchy *h, hymgi_level *level)
{
  const double largest = h->largest > 0 ? h->largest : 1; /* 0: all rows are empty */
  const int exponent = ilogb(largest) + (level->index > 0 || h->kind->order == 4 ? LARGE : 0);
  for (int axis = 0; axis < 3;
       axis++) /* a cell that is its own neighbour, as when levels are finished */
    if (level->periodic >> axis & 1 && level->n[axis] == 1)
      level->backend->clear(level, level->c.beta[axis]);
  level->c.empty_row = ldexp(1, exponent < MOST ? exponent : MOST);
  if (level->num_boxes)
    level->backend->robust->mark_empty_rows(level, level->c.empty_row, level->c.alpha);
}

/* The betas of level 0 with the boundaries of the domain, as c.beta will have them, into three vectors; also
 * the boundaries' weights. */
static hymg_status finish_copies(hymgi_level *level, double *const copy[3])
{
  const hymgi_coefficients as_read = level->c;
  for (int axis = 0; axis < 3; axis++) {
    hymgi_vector_copy(level, level->c.beta[axis], copy[axis]);
    level->c.beta[axis] = copy[axis];
  }
  const hymg_status status = level->backend->finish_coefficients(level);
  level->c = as_read;
  return status;
}

hymg_status hymgi_fixed_cut(hymgi_level *level)
{
  for (int axis = 0; axis < 3; axis++) {
    if (level->num_boxes) level->backend->robust->cut_faces(level, axis, level->c.beta[axis]);
    TRY(hymgi_faces_exchange(level, axis, level->c.beta[axis]));
  }
  return HYMG_OK;
}

static hymg_status load_given(hymgi_hierarchy *h, hymgi_level *level)
{
  const hymgi_plan *plan = level->halo[HYMGI_HALO_FACES];
  hymg_status status = hymgi_field_load(h->op->desc.fixed, level, level->fixed.given);
  if (plan)
    hymgi_run_plan(level, plan, level->box, level->fixed.given, level->box, level->fixed.given);
  /* the last use of the betas as they were read */
  if (status == HYMG_OK && level->num_boxes) status = finish_copies(level, level->fixed.beta);
  TRY(hymgi_agree(h->context, status));
  if (level->num_boxes) level->backend->robust->take_fixed(level);
  return hymgi_fixed_cut(level);
}

/* Cells without couplings, by the coefficients with the domain's boundaries, and what is left in pieces. */
static hymg_status look_for_pieces(hymgi_hierarchy *h, hymgi_level *level)
{
  const hymgi_coefficients as_read = level->c;
  double *const krylov = level->krylov;
  hymg_status status = HYMG_OK;
  if (level->num_boxes) {
    double *copy[3];
    for (int axis = 0; axis < 3; axis++)
      copy[axis] = krylov + (axis + 1) * level->vector_size;
    if (!h->method.fixed) level->backend->fill(level, NAN, level->fixed.given);
    status = finish_copies(level, copy);
    for (int axis = 0; axis < 3; axis++)
      level->c.beta[axis] = copy[axis];
    if (status == HYMG_OK) level->backend->robust->give_empty_rows(level);
  }
  status = hymgi_agree(h->context, status);
  if (status == HYMG_OK) status = hymgi_pieces_find(h);
  if (status == HYMG_OK) hymgi_empty_rows_set(h, level);
  memcpy(level->c.beta, as_read.beta, sizeof as_read.beta);
  return status;
}

hymg_status hymgi_fixed_load(hymgi_hierarchy *h)
{
  hymgi_level *level = h->level;
  hymgi_pieces_destroy(h);
  if (!h->method.empty_rows) return HYMG_OK;
  if (h->method.fixed) TRY(load_given(h, level));
  if (h->method.masked)
    TRY(look_for_pieces(h, level));
  else
    hymgi_empty_rows_set(h, level);
  return hymgi_agree(h->context, h->context->status);
}
