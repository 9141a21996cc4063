/* Level operations on vectors: those of the backend, timed. */
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"
#include "multigrid/profile.h"

void hymgi_add_boundary_terms(const hymgi_level *level, double *f)
{
  if (level->num_boxes == 0) return;
  if (level->boundaries && level->boundaries->cells)
    hymgi_axpby(level, 1, f, 1, level->boundaries->cells, f);
  else if (level->boundaries)
    level->backend->add_boundary_terms(level, f);
  hymgi_set_fixed(level, HYMGI_FIX_RHS, f);
}

void hymgi_set_fixed(const hymgi_level *level, hymgi_fix kind, double *x)
{
  if (!level->fixed.given || level->num_boxes == 0) return;
  if (kind == HYMGI_FIX_RHS && !level->fixed.source) kind = HYMGI_FIX_ZERO;
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 2, level->backend->robust->set_fixed(level, kind, x));
}

void hymgi_fill(const hymgi_level *level, double value, double *x)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 1, level->backend->fill(level, value, x));
}

void hymgi_copy_vector(const hymgi_level *level, const double *x, double *y)
{
  hymgi_axpby(level, 1, x, 0, x, y);
}

void hymgi_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                 double *z)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 3, level->backend->axpby(level, a, x, b, y, z));
}

void hymgi_shift(const hymgi_level *level, double c, double *x)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 2, level->backend->shift(level, c, x));
}

void hymgi_precondition(const hymgi_level *level, const double *r, double *z)
{
  HYMGI_OPERATION(level, HYMGI_OP_VECTOR, 3, level->backend->precondition(level, r, z));
}
