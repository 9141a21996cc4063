/* FV2's matrix is one of positive diagonal, no positive entry beside it and no negative row sum. From the
 * row sums and the entries beside the diagonal it is eliminated without a subtraction (Grassmann, Taksar
 * and Heyman), so a row sum of 1e-14 counts beside conductances of 1. FV4's has no such form and is
 * inverted, and solutions are refined. */
#include "oracle/direct.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(size_t n)
{
  double *x = calloc(n, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static size_t face_at(const oracle_spec *s, int d, const int c[3], int face)
{
  int n[3] = {s->n[0], s->n[1], s->n[2]}, at[3] = {c[0], c[1], c[2]};
  n[d]++;
  at[d] = face;
  return ((size_t)at[2] * (size_t)n[1] + (size_t)at[1]) * (size_t)n[0] + (size_t)at[0];
}

/* Of a cell in the plane of a boundary across axis d. */
static size_t plane_at(const oracle_spec *s, int d, const int c[3])
{
  return d == 0   ? (size_t)(c[2] * s->n[1] + c[1])
         : d == 1 ? (size_t)(c[2] * s->n[0] + c[0])
                  : (size_t)(c[1] * s->n[0] + c[0]);
}

static double value_at(const double *field, double constant, size_t at)
{
  return field ? field[at] : constant;
}

static double beta_at(const oracle_spec *s, int d, const int c[3], int face)
{
  return s->b * value_at(s->beta[d], s->beta_constant, face_at(s, d, c, face));
}

/* Couples cell i to the one behind its face of axis d. */
static void couple(direct *d, int axis, const int c[3], int high, int i)
{
  const oracle_spec *s = &d->spec;
  const int step = axis == 0 ? 1 : axis == 1 ? s->n[0] : s->n[0] * s->n[1], n = s->n[axis];
  const int to = (c[axis] + (high ? 1 : n - 1)) % n, face = high ? c[axis] + 1 : c[axis];
  const double *w = d->width[axis];
  if (to == c[axis]) return; /* a periodic axis of one cell */
  const double t = beta_at(s, axis, c, face % n == 0 ? 0 : face) / (0.5 * (w[c[axis]] + w[to]));
  d->entries[(size_t)i * (size_t)d->cells + (size_t)(i + (to - c[axis]) * step)] -= t / w[c[axis]];
}

static void add_data(direct *d, int i, double term)
{
  d->data[i] += term;
  d->terms[i] += fabs(term);
}

/* With the value q that is extrapolated to the boundary (or to the place of the value that is given
 * there) the outward derivative is (value - q) / distance; a Robin condition gives value. */
static void close_side(direct *d, int side, const int c[3], int i, bool quadratic)
{
  const oracle_spec *s = &d->spec;
  const int axis = side / 2, n = s->n[axis];
  const size_t at = plane_at(s, axis, c);
  const double w = d->width[axis][c[axis]], flux = beta_at(s, axis, c, side % 2 ? n : 0) / w;
  const double given = value_at(s->boundary_data[side], s->boundary_constant[side], at);
  const bool robin = s->boundary[side] == HYMG_ROBIN;
  double distance = quadratic ? w / 3 : w / 2, ra = 1, rb = 0;
  if (s->boundary[side] == HYMG_NEUMANN) {
    add_data(d, i, flux * given);
    return;
  }
  if (s->extrapolation == HYMG_EXTRAPOLATION_VERTEX && !robin) distance += w / 2;
  if (robin) {
    ra = value_at(s->robin_alpha[side], s->robin_alpha_constant[side], at);
    rb = value_at(s->robin_beta[side], s->robin_beta_constant[side], at);
  }
  const double unit = flux / (ra * distance + rb);
  add_data(d, i, unit * given);
  d->sums[i] += unit * ra;
  if (!quadratic) return; /* q = u1 */
  const int step = axis == 0 ? 1 : axis == 1 ? s->n[0] : s->n[0] * s->n[1];
  /* q = (7 u1 - u2) / 6 */
  d->entries[(size_t)i * (size_t)d->cells + (size_t)(side % 2 ? i - step : i + step)] -=
      unit * ra / 6;
}

static void fv2_row(direct *d, const int c[3], int i, bool lines)
{
  const oracle_spec *s = &d->spec;
  const size_t n = (size_t)d->cells;
  d->sums[i] = s->a * value_at(s->alpha, s->alpha_constant, (size_t)i);
  for (int side = 0; side < 6; side++) {
    const int axis = side / 2, high = side % 2;
    const bool edge = c[axis] == (high ? s->n[axis] - 1 : 0);
    if (!edge || s->boundary[side] == HYMG_PERIODIC)
      couple(d, axis, c, high, i);
    else
      close_side(d, side, c, i, !lines && s->n[axis] > 1);
  }
  double sum = d->sums[i];
  for (size_t j = 0; j < n; j++)
    sum -= d->entries[(size_t)i * n + j];
  d->entries[(size_t)i * n + (size_t)i] = sum;
  if (d->sums[i] > 0) d->singular = false;
}

static void fv2_rows(direct *d, bool lines)
{
  int i = 0, c[3];
  for (c[2] = 0; c[2] < d->spec.n[2]; c[2]++)
    for (c[1] = 0; c[1] < d->spec.n[1]; c[1]++)
      for (c[0] = 0; c[0] < d->spec.n[0]; c[0]++, i++)
        fv2_row(d, c, i, lines);
}

/* Pivots on the diagonal, multipliers below it, what is left of the rows above it. */
static void eliminate(direct *d)
{
  const size_t n = (size_t)d->cells;
  double *a = d->factors, *sum = zeros(n);
  memcpy(a, d->entries, n * n * sizeof *a);
  memcpy(sum, d->sums, n * sizeof *sum);
  for (size_t k = 0; k < n; k++) {
    double *row = a + k * n;
    row[k] = sum[k];
    for (size_t j = k + 1; j < n; j++)
      row[k] -= row[j];
    for (size_t i = k + 1; i < n; i++) {
      const double m = row[k] > 0 ? -a[i * n + k] / row[k] : 0;
      a[i * n + k] = m;
      if (m == 0) continue;
      for (size_t j = k + 1; j < n; j++)
        a[i * n + j] += m * row[j];
      sum[i] += m * sum[k];
    }
  }
  free(sum);
}

/* Gauss and Jordan with row pivots; of a singular matrix plus 1 / n of its norm in every entry, which leaves
 * solutions of mean 0 as they are. */
static void invert(direct *d)
{
  const size_t n = (size_t)d->cells;
  double *a = zeros(n * n), *x = d->factors, norm = 0;
  for (size_t i = 0; i < n * n; i++)
    norm = fmax(norm, fabs(d->entries[i]));
  for (size_t i = 0; i < n * n; i++) {
    a[i] = d->entries[i] + (d->singular ? norm / (double)n : 0);
    x[i] = i / n == i % n;
  }
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    for (size_t j = 0; j < n; j++) {
      const double p = a[pivot * n + j], q = x[pivot * n + j];
      a[pivot * n + j] = a[k * n + j], x[pivot * n + j] = x[k * n + j];
      a[k * n + j] = p, x[k * n + j] = q;
    }
    const double scale = 1 / a[k * n + k];
    for (size_t j = 0; j < n; j++)
      a[k * n + j] *= scale, x[k * n + j] *= scale;
    for (size_t i = 0; i < n; i++) {
      const double m = a[i * n + k];
      for (size_t j = 0; i != k && m != 0 && j < n; j++)
        a[i * n + j] -= m * a[k * n + j], x[i * n + j] -= m * x[k * n + j];
    }
  }
  free(a);
}

/* Fluxes across other axes read ghosts beyond a boundary, too, and their differences may cancel. */
static void fv4_terms(direct *d)
{
  const oracle_spec *s = &d->spec;
  double given = 0, couplings = 0;
  for (int side = 0; side < 6; side++) {
    const int cells = d->cells / s->n[side / 2];
    for (int at = 0; at < cells; at++)
      given = fmax(given,
                   fabs(value_at(s->boundary_data[side], s->boundary_constant[side], (size_t)at)));
  }
  for (int axis = 0; axis < 3; axis++) {
    const size_t faces = (size_t)(d->cells / s->n[axis]) * (size_t)(s->n[axis] + 1);
    double most = 0;
    for (size_t at = 0; at < faces; at++)
      most = fmax(most, value_at(s->beta[axis], s->beta_constant, at));
    couplings += s->b * most / (s->h[axis] * s->h[axis]);
  }
  for (int i = 0; i < d->cells; i++)
    d->terms[i] = 2 * couplings * given;
}

static void fv4_columns(direct *d)
{
  const size_t n = (size_t)d->cells;
  oracle *o = oracle_create(&d->spec);
  double *x = zeros(n), *y = zeros(n);
  for (size_t j = 0; j < n; j++) {
    x[j] = 1;
    oracle_apply(o, 0, x, y);
    x[j] = 0;
    for (size_t i = 0; i < n; i++)
      d->entries[i * n + j] = y[i];
  }
  oracle_residual(o, 0, x, x, d->data);
  fv4_terms(d);
  d->singular = o->singular;
  oracle_destroy(o);
  free(x);
  free(y);
}

static void set_volumes(direct *d)
{
  const int *n = d->spec.n;
  double sum = 0;
  for (int i = 0; i < d->cells; i++)
    sum += d->volume[i] =
        d->width[0][i % n[0]] * d->width[1][i / n[0] % n[1]] * d->width[2][i / n[0] / n[1]];
  for (int i = 0; i < d->cells; i++)
    d->volume[i] *= d->cells / sum;
}

direct *direct_create(const oracle_spec *spec, double *const widths[3])
{
  direct *d = calloc(1, sizeof *d);
  ck_assert_ptr_nonnull(d);
  d->spec = *spec;
  d->cells = spec->n[0] * spec->n[1] * spec->n[2];
  d->singular = true;
  bool lines = spec->extrapolation == HYMG_EXTRAPOLATION_LINEAR ||
               spec->extrapolation == HYMG_EXTRAPOLATION_VERTEX;
  for (int axis = 0; axis < 3; axis++) {
    d->width[axis] = zeros((size_t)spec->n[axis]);
    for (int i = 0; i < spec->n[axis]; i++)
      d->width[axis][i] = widths && widths[axis] ? widths[axis][i] : spec->h[axis];
    if (widths && widths[axis]) lines = true;
  }
  const size_t n = (size_t)d->cells;
  d->volume = zeros(n);
  d->sums = zeros(n);
  d->data = zeros(n);
  d->terms = zeros(n);
  d->entries = zeros(n * n);
  d->factors = zeros(n * n);
  set_volumes(d);
  if (spec->stencil == HYMG_FV4) {
    fv4_columns(d);
    invert(d);
  } else {
    fv2_rows(d, lines);
    eliminate(d);
  }
  return d;
}

void direct_destroy(direct *d)
{
  for (int axis = 0; axis < 3; axis++)
    free(d->width[axis]);
  free(d->volume);
  free(d->entries);
  free(d->sums);
  free(d->factors);
  free(d->data);
  free(d->terms);
  free(d);
}

double direct_mean(const direct *d, const double *x)
{
  long double sum = 0, volume = 0;
  for (int i = 0; i < d->cells; i++) {
    sum += (long double)x[i] * d->volume[i];
    volume += d->volume[i];
  }
  return (double)(sum / volume);
}

double direct_rhs(const direct *d, const double *f, double *g)
{
  for (int i = 0; i < d->cells; i++)
    g[i] = f[i] + d->data[i];
  const double mean = d->singular ? direct_mean(d, g) : 0;
  for (int i = 0; i < d->cells; i++)
    g[i] -= mean;
  return mean;
}

/* FV2. A pivot of 0 is the last one of a singular system: u is 0 there. */
static void substitute(const direct *d, const double *g, double *x)
{
  const size_t n = (size_t)d->cells;
  const double *a = d->factors;
  for (size_t i = 0; i < n; i++) {
    x[i] = g[i];
    for (size_t j = 0; j < i; j++)
      x[i] += a[i * n + j] * x[j];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++)
      x[i] -= a[i * n + j] * x[j];
    x[i] = a[i * n + i] > 0 ? x[i] / a[i * n + i] : 0;
  }
}

/* FV4: the inverse, refined from residuals in long double. */
static void multiply_and_refine(const direct *d, const double *g, double *x)
{
  const size_t n = (size_t)d->cells;
  double *r = zeros(n);
  memcpy(r, g, n * sizeof *r);
  memset(x, 0, n * sizeof *x);
  for (int step = 0; step < 3; step++) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        x[i] += d->factors[i * n + j] * r[j];
    direct_residual(d, g, x, r);
  }
  free(r);
}

void direct_solve(const direct *d, const double *g, double *x)
{
  const size_t n = (size_t)d->cells;
  if (d->spec.stencil == HYMG_FV2)
    substitute(d, g, x);
  else
    multiply_and_refine(d, g, x);
  const double mean = d->singular ? direct_mean(d, x) : 0;
  for (size_t i = 0; i < n; i++)
    x[i] -= mean;
}

void direct_response(const direct *d, const double *v, double *y)
{
  const size_t n = (size_t)d->cells;
  if (d->spec.stencil == HYMG_FV2) { /* its inverse has no negative entry */
    substitute(d, v, y);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t j = 0; j < n; j++)
      y[i] += fabs(d->factors[i * n + j]) * v[j];
  }
}

/* FV2 by differences, so that the residual of a large constant is as exact as its row sum. */
void direct_residual(const direct *d, const double *g, const double *u, double *r)
{
  const size_t n = (size_t)d->cells;
  const bool fv2 = d->spec.stencil == HYMG_FV2;
  for (size_t i = 0; i < n; i++) {
    long double sum = fv2 ? (long double)d->sums[i] * u[i] : 0;
    for (size_t j = 0; j < n; j++)
      sum += (long double)d->entries[i * n + j] * ((long double)u[j] - (fv2 ? u[i] : 0));
    r[i] = (double)(g[i] - sum);
  }
}

void direct_magnitude(const direct *d, const double *u, double *y)
{
  const size_t n = (size_t)d->cells;
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t j = 0; j < n; j++)
      y[i] += fabs(d->entries[i * n + j] * u[j]);
  }
}
