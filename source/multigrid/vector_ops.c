/* Level operations on vectors: those of the backend, timed. */
#include "multigrid/accounting.h"
#include "multigrid/boundary_data.h"
#include "multigrid/level_ops.h"

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
  const double start = hymgi_profile_begin(level, HYMGI_OP_VECTOR);
  level->backend->robust->set_fixed(level, kind, x);
  hymgi_profile_end(level, HYMGI_OP_VECTOR, start, hymgi_stream_bytes(level, 2));
}

void hymgi_fill(const hymgi_level *level, double value, double *x)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_VECTOR);
  level->backend->fill(level, value, x);
  hymgi_profile_end(level, HYMGI_OP_VECTOR, start, hymgi_stream_bytes(level, 1));
}

void hymgi_copy_vector(const hymgi_level *level, const double *x, double *y)
{
  hymgi_axpby(level, 1, x, 0, x, y);
}

void hymgi_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                 double *z)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_VECTOR);
  level->backend->axpby(level, a, x, b, y, z);
  hymgi_profile_end(level, HYMGI_OP_VECTOR, start, hymgi_stream_bytes(level, 3));
}

void hymgi_shift(const hymgi_level *level, double c, double *x)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_VECTOR);
  level->backend->shift(level, c, x);
  hymgi_profile_end(level, HYMGI_OP_VECTOR, start, hymgi_stream_bytes(level, 2));
}

void hymgi_precondition(const hymgi_level *level, const double *r, double *z)
{
  const double start = hymgi_profile_begin(level, HYMGI_OP_VECTOR);
  level->backend->precondition(level, r, z);
  hymgi_profile_end(level, HYMGI_OP_VECTOR, start, hymgi_stream_bytes(level, 3));
}
