/* Systems for the robust path. */
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t product(const int n[3], int face_axis)
{
  size_t size = 1;
  for (int d = 0; d < 3; d++)
    size *= (size_t)(n[d] + (d == face_axis));
  return size;
}

static hymg_options options(void)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  o.path = HYMG_PATH_ROBUST;
  o.norm = HYMG_NORM_2;
  return o;
}

static void name_it(trial *t, unsigned kind)
{
  static const char *const words[8] = {" jumps",     " widths", " alpha", " constant",
                                       " quadratic", "",        "",       " vertex"};
  for (int bit = 0; bit < 8; bit++)
    if (kind >> bit & 1) strncat(t->c.name, words[bit], sizeof t->c.name - strlen(t->c.name) - 1);
}

static void fix_cells(trial *t)
{
  support_case_fix(&t->c);
  t->fixed = t->c.fixed;
  for (size_t q = 0; q < t->cells; q++)
    if (t->fixed[q] == t->fixed[q]) t->f[q] = NAN;
}

trial trial_of(const int n[3], const char *boundary, unsigned kind)
{
  bool helmholtz = kind & (TRIAL_ALPHA | TRIAL_CONSTANT);
  trial t = {.c = support_case_of(HYMG_FV2, n, boundary, helmholtz ? 0.9 : 0.0), .o = options()};
  oracle_spec *s = &t.c.spec;
  s->extrapolation =
      kind & TRIAL_QUADRATIC ? HYMG_EXTRAPOLATION_QUADRATIC : HYMG_EXTRAPOLATION_LINEAR;
  if (kind & TRIAL_VERTEX) s->extrapolation = HYMG_EXTRAPOLATION_VERTEX;
  if (kind & TRIAL_ROBIN) support_case_add_robin(&t.c);
  if (kind & TRIAL_CONSTANT) {
    s->alpha = NULL;
    s->alpha_constant = 0.5;
  }
  t.cells = product(n, -1);
  for (int d = 0; d < 3; d++) {
    for (size_t i = 0; kind & TRIAL_JUMPS && i < product(n, d); i++)
      t.c.beta[d][i] = pow(10.0, 4.0 * t.c.beta[d][i] - 5.0); /* 0.5 ... 2: 1e-3 ... 1e3 */
    if (kind & TRIAL_WIDTHS)
      t.widths[d] = support_random((size_t)n[d], 0.02, 0.2, 40u + (unsigned)d);
  }
  if (kind & TRIAL_DATA) support_case_add_boundaries(&t.c);
  t.f = support_random(t.cells, -0.5, 1.5, 7);
  if (kind & TRIAL_FIXED) fix_cells(&t);
  name_it(&t, kind);
  return t;
}

trial trial_plain(const int n[3], const char *boundary, const double h[3])
{
  trial t = trial_of(n, boundary, 0);
  memcpy(t.c.spec.h, h, sizeof t.c.spec.h);
  t.c.spec.b = 1.0;
  for (int d = 0; d < 3; d++)
    for (size_t i = 0; i < product(n, d); i++)
      t.c.beta[d][i] = 1.0;
  for (size_t i = 0; i < t.cells; i++)
    t.f[i] = 1.0;
  return t;
}

static double width(const trial *t, int d, int i)
{
  return t->widths[d] ? t->widths[d][i] : t->c.spec.h[d];
}

double *trial_centres(const trial *t, int d)
{
  int n = t->c.spec.n[d];
  double *x = support_poison((size_t)n), low = 0.0;
  for (int i = 0; i < n; i++) {
    x[i] = low + 0.5 * width(t, d, i);
    low += width(t, d, i);
  }
  return x;
}

void trial_set_beta(trial *t, const double *cells)
{
  const int *n = t->c.spec.n;
  const size_t stride[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
  for (int d = 0; d < 3; d++) {
    int m[3] = {n[0], n[1], n[2]}, c[3];
    m[d]++;
    double *beta = t->c.beta[d];
    for (c[2] = 0; c[2] < m[2]; c[2]++)
      for (c[1] = 0; c[1] < m[1]; c[1]++)
        for (c[0] = 0; c[0] < m[0]; c[0]++) {
          bool wraps = t->c.spec.boundary[2 * d] == HYMG_PERIODIC;
          int at[3] = {c[0], c[1], c[2]}, high = c[d], low = high - 1;
          if (low < 0) low = wraps ? n[d] - 1 : 0;
          if (high == n[d]) high = wraps ? 0 : n[d] - 1;
          at[d] = 0;
          size_t q = at[0] + at[1] * stride[1] + at[2] * stride[2];
          double w1 = width(t, d, low), w2 = width(t, d, high);
          double b1 = cells[q + (size_t)low * stride[d]], b2 = cells[q + (size_t)high * stride[d]];
          *beta++ = (w1 + w2) / (w1 / b1 + w2 / b2);
        }
  }
}

trial trial_checkerboard(const int n[3], int block, double ratio)
{
  trial t = trial_plain(n, "dd dd dd", (const double[3]){1.0 / n[0], 1.0 / n[1], 1.0 / n[2]});
  double *beta = support_random(t.cells, -0.5, 0.5, 3);
  for (int k = 0, q = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++) {
        t.f[q] += beta[q];
        beta[q] = (i / block + j / block + k / block) % 2 ? ratio : 1.0;
      }
  trial_set_beta(&t, beta);
  free(beta);
  return t;
}

void trial_open(trial *t)
{
  support_layout layout = {.threads = t->threads, .context = t->context};
  for (int d = 0; d < 3; d++) {
    layout.widths[d] = t->widths[d];
    layout.boxes[d] = t->boxes[d];
    layout.cuts[d] = t->cuts[d];
  }
  t->c.spec.smoother = t->o.smoother;
  t->c.spec.sweeps = t->o.sweeps;
  t->k = support_open(&t->c.spec, &layout, &t->o);
}

hymg_result trial_solve(trial *t, double *u)
{
  hymg_result r;
  if (!t->k.context) trial_open(t);
  hymg_field *f = support_field(&t->k, 0, t->f), *x = support_field(&t->k, 0, t->f);
  OK(t->k.context, hymg_field_fill(x, 0.0));
  OK(t->k.context, hymg_solve(t->k.solver, f, x, &r));
  double *values = support_read(&t->k, 0, x);
  if (u) memcpy(u, values, t->cells * sizeof *u);
  free(values);
  hymg_field_destroy(&f);
  hymg_field_destroy(&x);
  return r;
}

void trial_close(trial *t)
{
  if (t->k.context) support_close(&t->k);
  support_case_free(&t->c);
  for (int d = 0; d < 3; d++)
    free(t->widths[d]);
  free(t->f);
}
