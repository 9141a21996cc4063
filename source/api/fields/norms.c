/* Norms and means of a solve's vectors, and its notes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"

/* Squares that leave the range of numbers are taken of a scaled copy. */
double hymgi_norm(const hymg_solver *solver, const hymgi_level *level, const double *x)
{
  if (solver->h.options.norm == HYMG_NORM_MAX) return hymgi_norm_max(level, x);
  const double square = hymgi_dot(level, x, x);
  if (square > 1e-200 && square < 1e200) return sqrt(square);
  const double largest = hymgi_norm_max(level, x);
  double *const copy = level->method->robust ? level->y : solver->scratch;
  if (!isfinite(largest) || largest == 0) return largest;
  const int exponent = ilogb(largest) < -1000 ? -1000 : ilogb(largest); /* denormal */
  hymgi_axpby(level, ldexp(1, -exponent), x, 0, x, copy);
  return ldexp(sqrt(hymgi_dot(level, copy, copy)), exponent);
}

/* Passes a value from the ranks of the level to all ranks of the context. */
double hymgi_known_by_all(const hymgi_level *level, double value)
{
  hymg_context *c = level->context;
  if (level->ranks == hymgi_comm_size(c->comm)) return value;
  if (level->num_boxes == 0) value = 0;
  const double sign = value < 0 ? -1 : 1;
  double both[2] = {sign < 0 ? 0 : value, sign < 0 ? -value : 0};
  const hymg_status status = hymgi_comm_max_double(c, c->comm, both, 2);
  if (c->status == HYMG_OK) c->status = status;
  return both[1] > 0 ? -both[1] : both[0];
}

/* The exponent is limited so that the factor and its inverse are normal numbers. */
int hymgi_scale_for(double norm)
{
  enum { MOST = 1000 };
  const int exponent = norm > 0 && isfinite(norm) ? ilogb(norm) : 0;
  if (exponent >= -200 && exponent <= 200) return 0;
  return exponent < -MOST ? MOST : exponent > MOST ? -MOST : -exponent;
}

void hymgi_note(hymg_solver *solver, const char *format, ...)
{
  const size_t used = strlen(solver->note);
  if (used + 3 >= sizeof solver->note) return;
  va_list arguments;
  va_start(arguments, format);
  if (used) memcpy(solver->note + used, "; ", 3);
  const size_t at = used ? used + 2 : 0;
  vsnprintf(solver->note + at, sizeof solver->note - at, format, arguments);
  va_end(arguments);
}

static void volumes(const hymgi_level *level, double *v)
{
  hymgi_fill(level, 1, v);
  level->backend->robust->scale_volumes(level, false, v);
}

/* f holds integrals over cells: the mean times the volume of each cell is subtracted. Where the last
 * cell is narrower, volumes are over their mean. */
double hymgi_subtract_mean(const hymgi_level *level, double *f)
{
  const double mean = hymgi_mean(level, f);
  if (!level->method->stretched && !level->shortened) {
    hymgi_shift(level, -mean, f);
  } else {
    volumes(level, level->y);
    hymgi_axpby(level, 1, f, -mean / (level->shortened ? hymgi_mean(level, level->y) : 1), level->y,
                f);
  }
  return mean;
}

/* u holds values. */
void hymgi_center(const hymgi_level *level, double *u)
{
  if (!level->method->singular || level->num_boxes == 0) return;
  if (!level->method->stretched) {
    hymgi_remove_mean(level, u);
    return;
  }
  hymgi_copy_vector(level, u, level->y);
  level->backend->robust->scale_volumes(level, false, level->y);
  hymgi_shift(level, -hymgi_mean(level, level->y), u);
}
