/* The robust path's cycle, CG and BiCGStab, with dense matrices. */
#include "oracle/robust.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *zeros(size_t n)
{
  double *x = calloc(n ? n : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static double dot(size_t n, const double *x, const double *y)
{
  enum { PARTS = 16 }; /* sums that do not wait for each other */
  double part[PARTS] = {0}, sum = 0.0;
  const size_t whole = n / PARTS * PARTS;
  for (size_t i = 0; i < whole; i += PARTS)
    for (size_t p = 0; p < PARTS; p++)
      part[p] += x[i + p] * y[i + p];
  for (size_t i = whole; i < n; i++)
    sum += x[i] * y[i];
  for (size_t p = 0; p < PARTS; p++)
    sum += part[p];
  return sum;
}

static void multiply(size_t n, const double *a, const double *x, double *y)
{
  for (size_t i = 0; i < n; i++)
    y[i] = dot(n, a + i * n, x);
}

static void remove_mean(size_t n, double *x)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += x[i];
  for (size_t i = 0; i < n; i++)
    x[i] -= sum / (double)n;
}

/* ---- the cycle ---- */

/* All cells of a colour at once, from the values before: next to an odd seam it matters. */
static void half_sweep(const robust_level *l, int colour, const double *f, double *x)
{
  double *change = zeros(l->cells);
  for (size_t q = 0; q < l->cells; q++) {
    size_t nx = (size_t)l->n[0], ny = (size_t)l->n[1];
    size_t sum = q % nx + q / nx % ny + q / (nx * ny);
    const double *row = l->matrix + q * l->cells;
    if ((int)(sum % 2) == colour && row[q] > 0.0)
      change[q] = (f[q] - dot(l->cells, row, x)) / row[q];
  }
  for (size_t q = 0; q < l->cells; q++)
    x[q] += change[q];
  free(change);
}

static void coarse_correction(const robust_oracle *o, int l, const double *f, double *x)
{
  const robust_level *fine = o->level + l, *coarse = fine + 1;
  double *r = zeros(fine->cells), *fc = zeros(coarse->cells), *e = zeros(coarse->cells);
  multiply(fine->cells, fine->matrix, x, r);
  for (size_t q = 0; q < fine->cells; q++)
    for (size_t j = 0; j < coarse->cells; j++)
      fc[j] += fine->p[q * coarse->cells + j] * (f[q] - r[q]);
  robust_cycle(o, l + 1, fc, e);
  for (size_t q = 0; q < fine->cells; q++)
    x[q] += dot(coarse->cells, fine->p + q * coarse->cells, e);
  free(r);
  free(fc);
  free(e);
}

void robust_cycle(const robust_oracle *o, int l, const double *f, double *x)
{
  const robust_level *level = o->level + l;
  memset(x, 0, level->cells * sizeof *x);
  if (l + 1 == o->levels) { /* the matrix is diagonal */
    for (size_t q = 0; q < level->cells; q++)
      if (level->matrix[q * level->cells + q] > 0.0)
        x[q] = f[q] / level->matrix[q * level->cells + q];
    return;
  }
  const int halves = !o->singular ? 4 : l > 0 ? 8 : 6;
  for (int half = 0; half < halves; half++)
    half_sweep(level, half % 2, f, x);
  coarse_correction(o, l, f, x);
  for (int half = 0; half < halves; half++)
    half_sweep(level, 1 - half % 2, f, x);
}

/* ---- the equations per volume ---- */

void robust_apply(const robust_oracle *o, const double *x, double *y)
{
  size_t n = o->level->cells;
  multiply(n, o->outer, x, y);
  for (size_t q = 0; q < n; q++)
    y[q] /= o->volume[q];
}

/* Integrated: what the datum of one boundary face adds to f. */
static double datum(const robust_oracle *o, int side, const int c[3], double value, double area,
                    double beta)
{
  double data = 1.0;
  bool quadratic = o->quadratic && o->level->n[side / 2] > 1;
  if (o->spec.boundary[side] != HYMG_NEUMANN) robust_wall(o, side, c, quadratic ? 3.0 : 2.0, &data);
  return o->spec.b * beta * area * data * value;
}

/* f per volume into f with the boundary data, integrated. */
static void integrate(const robust_oracle *o, const double *f, double *out)
{
  const oracle_spec *s = &o->spec;
  const robust_level *l = o->level;
  for (size_t q = 0; q < l->cells; q++)
    out[q] = o->volume[q] * f[q];
  for (int side = 0; side < 6; side++) {
    if (!s->boundary_data[side] || s->boundary[side] == HYMG_PERIODIC) continue;
    int d = side / 2, e = d == 0 ? 1 : 0, g = d == 2 ? 1 : 2; /* e runs faster than g */
    size_t stride[3] = {1, (size_t)l->n[0], (size_t)l->n[0] * (size_t)l->n[1]};
    size_t dim[3] = {(size_t)l->n[0], (size_t)l->n[1], (size_t)l->n[2]};
    dim[d]++;
    size_t face_stride[3] = {1, dim[0], dim[0] * dim[1]};
    for (int v = 0; v < l->n[g]; v++)
      for (int u = 0; u < l->n[e]; u++) {
        size_t in_plane = (size_t)u * stride[e] + (size_t)v * stride[g];
        size_t at = in_plane + (side % 2 ? (size_t)(l->n[d] - 1) * stride[d] : 0);
        size_t b = (size_t)u * face_stride[e] + (size_t)v * face_stride[g] +
                   (side % 2 ? (size_t)l->n[d] * face_stride[d] : 0);
        int c[3] = {0};
        c[e] = u, c[g] = v;
        double value = s->boundary_data[side][(size_t)v * (size_t)l->n[e] + (size_t)u];
        out[at] += datum(o, side, c, value, l->w[e][u] * l->w[g][v],
                         s->beta[d] ? s->beta[d][b] : s->beta_constant);
      }
  }
}

void robust_residual(const robust_oracle *o, const double *f, const double *u, double *r)
{
  size_t n = o->level->cells;
  double *full = zeros(n);
  integrate(o, f, full);
  multiply(n, o->outer, u, r);
  for (size_t q = 0; q < n; q++)
    r[q] = (full[q] - r[q]) / o->volume[q];
  free(full);
}

/* ---- iterations ---- */

typedef struct work {
  const robust_oracle *o;
  size_t n;
  double *u, *r, *z, *p, *w, *shadow, *t;
  double rho, alpha, omega;
} work;

static void precondition(const work *k, const double *r, double *z)
{
  robust_cycle(k->o, 0, r, z);
  if (k->o->singular) remove_mean(k->n, z);
}

static void cg(work *k, bool first)
{
  precondition(k, k->r, k->z);
  double rho = dot(k->n, k->r, k->z), beta = first ? 0.0 : rho / k->rho;
  for (size_t q = 0; q < k->n; q++)
    k->p[q] = k->z[q] + beta * k->p[q];
  multiply(k->n, k->o->outer, k->p, k->w);
  double alpha = rho / dot(k->n, k->p, k->w);
  for (size_t q = 0; q < k->n; q++) {
    k->u[q] += alpha * k->p[q];
    k->r[q] -= alpha * k->w[q];
  }
  k->rho = rho;
}

/* ---- the shadow vector: the first residual with noise of a tenth of its largest value ---- */

static uint64_t scrambled(uint64_t x)
{
  x ^= x >> 33, x *= UINT64_C(18397679294719823053);
  x ^= x >> 33, x *= UINT64_C(14181476777654086739);
  return x ^ (x >> 33);
}

/* The cell's three numbers, each scrambled, their sum scrambled again; its upper 53 bits are from -1 to 1. */
static double noise(const robust_level *l, size_t q)
{
  const uint64_t golden = UINT64_C(11400714819323198485), nx = (uint64_t)l->n[0],
                 ny = (uint64_t)l->n[1];
  const uint64_t c[3] = {q % nx, q / nx % ny, q / (nx * ny)};
  uint64_t sum = 0;
  for (int d = 0; d < 3; d++)
    sum += scrambled(golden * (c[d] + 1));
  return ldexp((double)(scrambled(sum) >> 11), -52) - 1;
}

static void choose_shadow(work *k)
{
  double largest = 0;
  for (size_t q = 0; q < k->n; q++)
    largest = fmax(largest, fabs(k->r[q]));
  for (size_t q = 0; q < k->n; q++)
    k->shadow[q] = k->r[q] + 0.1 * largest * noise(k->o->level, q);
}

static void bicgstab(work *k, bool first)
{
  if (first) choose_shadow(k);
  double rho = dot(k->n, k->shadow, k->r);
  double beta = first ? 0.0 : rho / k->rho * (k->alpha / k->omega);
  for (size_t q = 0; q < k->n; q++)
    k->p[q] = k->r[q] + beta * (k->p[q] - k->omega * k->w[q]);
  precondition(k, k->p, k->z);
  multiply(k->n, k->o->outer, k->z, k->w);
  k->rho = rho;
  k->alpha = rho / dot(k->n, k->shadow, k->w);
  for (size_t q = 0; q < k->n; q++) {
    k->u[q] += k->alpha * k->z[q];
    k->r[q] -= k->alpha * k->w[q];
  }
  precondition(k, k->r, k->z);
  multiply(k->n, k->o->outer, k->z, k->t);
  k->omega = dot(k->n, k->t, k->r) / dot(k->n, k->t, k->t);
  for (size_t q = 0; q < k->n; q++) {
    k->u[q] += k->omega * k->z[q];
    k->r[q] -= k->omega * k->t[q];
  }
}

/* A singular system: f loses its mean, that is its integral over the volume of the domain. */
static double balance(const robust_oracle *o, double *f)
{
  size_t n = o->level->cells;
  double integral = 0.0, volume = 0.0;
  for (size_t q = 0; q < n; q++) {
    integral += f[q];
    volume += o->volume[q];
  }
  for (size_t q = 0; q < n; q++)
    f[q] -= integral / volume * o->volume[q];
  return integral / volume;
}

robust_history robust_solve(const robust_oracle *o, const double *f, int iterations, double *u)
{
  robust_history h = {0};
  size_t n = o->level->cells;
  double *room = zeros(6 * n);
  work k = {.o = o, .n = n, .u = u, .r = room, .z = room + n, .p = room + 2 * n};
  k.w = room + 3 * n;
  k.shadow = room + 4 * n;
  k.t = room + 5 * n;
  memset(u, 0, n * sizeof *u);
  integrate(o, f, k.r);
  if (o->singular) h.mean_removed = balance(o, k.r);
  double norm = sqrt(dot(n, k.r, k.r));
  for (int i = 0; i < iterations && i < ROBUST_ITERATIONS; i++) {
    if (o->quadratic)
      bicgstab(&k, i == 0);
    else
      cg(&k, i == 0);
    h.relative[h.iterations++] = sqrt(dot(n, k.r, k.r)) / norm;
    if (!(h.relative[i] > 1e-9)) break;
  }
  free(room);
  return h;
}
