/* Smooth solutions. */
#include "oracle/wave.h"
#include <math.h>
#include <stdlib.h>

typedef double (*wave_value)(const wave *w, const double x[3]);

static double u_at(const wave *w, const double x[3])
{
  double u = 1;
  for (int d = 0; d < 3; d++)
    u *= cos(w->k[d] * x[d] + w->p[d]);
  return u;
}

/* The derivative along axis d. */
static double slope_at(const wave *w, int d, const double x[3])
{
  const double quarter = acos(0.0) / w->k[d];
  double y[3] = {x[0], x[1], x[2]};
  y[d] += quarter;
  return w->k[d] * u_at(w, y);
}

static double robin_alpha_at(const wave *w, const double x[3])
{
  (void)w;
  return 1 + 0.5 * sin(x[0] + 2 * x[1] + 3 * x[2]);
}

static double slope_x(const wave *w, const double x[3])
{
  return slope_at(w, 0, x);
}

static double slope_y(const wave *w, const double x[3])
{
  return slope_at(w, 1, x);
}

static double slope_z(const wave *w, const double x[3])
{
  return slope_at(w, 2, x);
}

static double phase_at(const wave *w, const double x[3])
{
  return w->q[0] * x[0] + w->q[1] * x[1] + w->q[2] * x[2];
}

static double beta_at(const wave *w, const double x[3])
{
  return 1.2 + 0.4 * sin(phase_at(w, x));
}

static double f_at(const wave *w, const double x[3])
{
  double sum = w->shift;
  for (int d = 0; d < 3; d++)
    sum += beta_at(w, x) * w->k[d] * w->k[d] * u_at(w, x) -
           0.4 * cos(phase_at(w, x)) * w->q[d] * slope_at(w, d, x);
  return sum;
}

/* The value at a point, or the mean around it over a cell or, with 0 <= axis, over a face, from two
 * points per axis. */
static double at_or_around(const wave *w, int axis, wave_value value, const double x[3])
{
  const double *h = w->c.spec.h, node = 0.5 / sqrt(3.0);
  double sum = 0;
  if (!w->means) return value(w, x);
  for (int q = 0; q < 8; q++) {
    double y[3];
    for (int d = 0; d < 3; d++)
      y[d] = x[d] + (d == axis ? 0 : q >> d & 1 ? node : -node) * h[d];
    sum += value(w, y) / 8;
  }
  return sum;
}

/* Of all cells or, with 0 <= axis, of the faces first ... first + count - 1 along it. */
static void sample(const wave *w, int axis, double first, int count, wave_value value, double *out)
{
  int m[3] = {w->c.spec.n[0], w->c.spec.n[1], w->c.spec.n[2]}, at[3];
  if (axis >= 0) m[axis] = count;
  for (at[2] = 0; at[2] < m[2]; at[2]++)
    for (at[1] = 0; at[1] < m[1]; at[1]++)
      for (at[0] = 0; at[0] < m[0]; at[0]++) {
        double x[3];
        for (int d = 0; d < 3; d++)
          x[d] = (d == axis ? first + at[d] : at[d] + 0.5) * w->c.spec.h[d];
        *out++ = at_or_around(w, axis, value, x);
      }
}

/* Robin: alpha is a field, beta 0.3. With the extrapolation VERTEX Dirichlet boundaries are h / 2
 * further out. */
void wave_set_boundary(wave *w, int face)
{
  static const wave_value slopes[3] = {slope_x, slope_y, slope_z};
  oracle_spec *const spec = &w->c.spec;
  const int axis = face / 2, n = spec->n[axis];
  const size_t size = w->cells / (size_t)n;
  const hymg_boundary kind = spec->boundary[face];
  if (kind == HYMG_PERIODIC) return;
  const bool further = spec->extrapolation == HYMG_EXTRAPOLATION_VERTEX && kind == HYMG_DIRICHLET;
  const double at = (face % 2 ? n : 0) + (further ? face % 2 ? 0.5 : -0.5 : 0);
  double *data = support_poison(size), *slope = support_poison(size), *alpha = support_poison(size);
  sample(w, axis, at, 1, u_at, data);
  sample(w, axis, at, 1, slopes[axis], slope);
  sample(w, axis, at, 1, robin_alpha_at, alpha);
  for (size_t i = 0; i < size && kind != HYMG_DIRICHLET; i++) {
    const double outward = face % 2 ? slope[i] : -slope[i];
    data[i] = kind == HYMG_NEUMANN ? outward : alpha[i] * data[i] + 0.3 * outward;
  }
  free(slope), free(w->c.boundary_data[face]), free(w->c.robin_alpha[face]);
  spec->boundary_data[face] = w->c.boundary_data[face] = data;
  spec->robin_beta_constant[face] = 0.3;
  w->c.robin_alpha[face] = alpha;
  if (kind == HYMG_ROBIN) spec->robin_alpha[face] = alpha;
}

static void fill(wave *w)
{
  for (int d = 0; d < 3; d++)
    sample(w, d, 0, w->c.spec.n[d] + 1, beta_at, w->c.beta[d]);
  for (int face = 0; face < 6; face++)
    wave_set_boundary(w, face);
  sample(w, -1, 0, 0, f_at, w->f);
  sample(w, -1, 0, 0, u_at, w->exact);
}

void wave_take_means(wave *w)
{
  w->means = true;
  fill(w);
}

wave wave_of(const int n[3], const double h[3], const char *boundary, double shift)
{
  wave w = {.c = support_case_of(HYMG_FV2, n, boundary, 0), .shift = shift};
  oracle_spec *s = &w.c.spec;
  s->b = 1;
  w.cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  for (int d = 0; d < 3; d++) {
    s->h[d] = h ? h[d] : 1.0 / n[0];
    const bool periodic = s->boundary[2 * d] == HYMG_PERIODIC;
    const double whole = 4 * acos(0.0) / (n[d] * s->h[d]);
    w.k[d] = periodic ? whole : 2.1 + 0.4 * d;
    w.q[d] = periodic ? whole : 1.5 - 0.3 * d;
    w.p[d] = 0.3 + 0.5 * d;
  }
  w.f = support_poison(w.cells);
  w.exact = support_poison(w.cells);
  fill(&w);
  return w;
}

void wave_free(wave *w)
{
  support_case_free(&w->c);
  free(w->f);
  free(w->exact);
}

double wave_solve(wave *w, hymg_options options, hymg_result *result)
{
  if (options.path == HYMG_PATH_AUTO) options.path = HYMG_PATH_STANDARD;
  support_kit k = support_open(&w->c.spec, NULL, &options);
  hymg_field *f = support_field(&k, 0, w->f), *u = support_field(&k, 0, w->f);
  OK(k.context, hymg_field_fill(u, NAN));
  OK(k.context, hymg_solve(k.solver, f, u, result));
  double *got = support_read(&k, 0, u), mean = 0;
  for (size_t i = 0; result->singular && i < w->cells; i++)
    mean += (w->exact[i] - got[i]) / (double)w->cells;
  for (size_t i = 0; i < w->cells; i++)
    got[i] += mean;
  const double error = support_difference(w->cells, got, w->exact);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  free(got);
  return error;
}
