/* Averages: fv takes value + h^2/24 times the second derivatives (fourth order); the others take
 * 3-point Gauss quadrature per axis, so that a fourth-order operator shows its order. Solutions are
 * sums of products of one function per axis, so everything but beta comes from one-dimensional
 * tables; beta costs an exponential and a square root at each of 27 points per cell, written so
 * that compilers vectorise them (exp and sqrt of libm set errno, which prevents that). */
#include "common/problem.h"

#include "common/gauss.h"
#include "common/waves.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_TERMS = 2, DERIVATIVES = 3 };

static const double pi = 3.14159265358979323846;

/* A function of one variable and its first two derivatives. */
typedef struct jet {
  double d[DERIVATIVES];
} jet;

/* One axis of a range at the Gauss nodes of its cells: entry q * count + i belongs to node q of
 * cell i. */
typedef struct axis_table {
  int count;
  double *node;                          /* coordinate */
  double *value[MAX_TERMS][DERIVATIVES]; /* factor of each term of u and its derivatives */
} axis_table;

bool problem_has_exact(const problem *p)
{
  return p->kind != PROBLEM_FV;
}

bool problem_has_data(const problem *p)
{
  return p->kind == PROBLEM_WAVES;
}

static int num_terms(const problem *p)
{
  return p->kind == PROBLEM_SINE ? 2 : 1;
}

static double power(double x, int n)
{
  double y = 1.0;
  for (int i = 0; i < n; i++)
    y *= x;
  return y;
}

/* sin^m(2 pi p w), m >= 2. */
static jet sine_power(double w, int p, int m)
{
  const double omega = 2.0 * pi * p;
  const double s = sin(omega * w), c = cos(omega * w);
  jet u;
  u.d[0] = power(s, m);
  u.d[1] = omega * m * power(s, m - 1) * c;
  u.d[2] = omega * omega * (m * (m - 1) * power(s, m - 2) * c * c - m * power(s, m));
  return u;
}

/* 2 w^6 - 6 w^5 + 5 w^4 - w^2: zero with zero slope at 0 and 1, mean -1/21. */
static jet sextic(double w, bool shift)
{
  jet u;
  u.d[0] = w * w * (w * w * (w * (2.0 * w - 6.0) + 5.0) - 1.0) + (shift ? 1.0 / 21.0 : 0.0);
  u.d[1] = w * (w * w * (w * (12.0 * w - 30.0) + 20.0) - 2.0);
  u.d[2] = w * w * (w * (60.0 * w - 120.0) + 60.0) - 2.0;
  return u;
}

static jet mode(double w, double wave, double phase)
{
  jet u;
  u.d[0] = cos(wave * w + phase);
  u.d[1] = -wave * sin(wave * w + phase);
  u.d[2] = -wave * wave * u.d[0];
  return u;
}

/* How far the mode of this wave number turns at the ends, beyond that of Neumann ends, 0 to pi/2. */
static double turn(double alpha, double beta, double wave)
{
  return atan2(alpha, beta * wave);
}

/* The second mode, of which there is one between pi and 2 pi: wave = pi + the turns at both ends. */
void problem_set_mode(problem *p, int axis, const double alpha[2], const double beta[2])
{
  double low = pi, high = 2 * pi;
  for (int step = 0; step < 60; step++) {
    const double wave = 0.5 * (low + high);
    if (wave < pi + turn(alpha[0], beta[0], wave) + turn(alpha[1], beta[1], wave))
      low = wave;
    else
      high = wave;
  }
  p->wave[axis] = high;
  p->phase[axis] = -turn(alpha[0], beta[0], high);
}

static jet factor(const problem *p, int axis, int term, double w)
{
  if (p->kind == PROBLEM_P6) return sextic(w, p->shift[axis]);
  if (p->kind == PROBLEM_MODES) return mode(w, p->wave[axis], p->phase[axis]);
  return sine_power(w, term == 0 ? 1 : 3, 13);
}

/* ---- tables ---- */

static void free_tables(axis_table table[3])
{
  for (int axis = 0; axis < 3; axis++)
    free(table[axis].node);
}

static bool make_table(const problem *p, const problem_range *range, int axis, axis_table *table)
{
  const int count = range->count[axis], terms = num_terms(p);
  const size_t length = (size_t)GAUSS * (size_t)count;
  table->count = count;
  table->node = malloc(length * (size_t)(1 + terms * DERIVATIVES) * sizeof(double));
  if (!table->node) return false;
  for (int t = 0; t < terms; t++)
    for (int d = 0; d < DERIVATIVES; d++)
      table->value[t][d] = table->node + length * (size_t)(1 + t * DERIVATIVES + d);
  for (int q = 0; q < GAUSS; q++) {
    for (int i = 0; i < count; i++) {
      const size_t at = (size_t)q * (size_t)count + (size_t)i;
      const double w = (range->low[axis] + i + 0.5 + gauss_node[q]) * range->spacing[axis];
      table->node[at] = w;
      for (int t = 0; t < terms; t++) {
        const jet u = factor(p, axis, t, w);
        for (int d = 0; d < DERIVATIVES; d++)
          table->value[t][d][at] = u.d[d];
      }
    }
  }
  return true;
}

static bool make_tables(const problem *p, const problem_range *range, axis_table table[3])
{
  for (int axis = 0; axis < 3; axis++)
    table[axis].node = NULL;
  for (int axis = 0; axis < 3; axis++) {
    if (!make_table(p, range, axis, &table[axis])) {
      free_tables(table);
      return false;
    }
  }
  return true;
}

/* Cell average of derivative d of a term's factor. */
static double average(const axis_table *table, int term, int d, int i)
{
  double sum = 0.0;
  for (int q = 0; q < GAUSS; q++)
    sum += gauss_weight[q] * table->value[term][d][(size_t)q * (size_t)table->count + (size_t)i];
  return sum;
}

static double *row_of(const problem_range *range, double *data, int j, int k)
{
  return data + j * range->stride[1] + k * range->stride[2];
}

/* ---- sums of products: u, and a u - b Laplacian(u) where beta = 1 ---- */

/* data = a u - b Laplacian(u) as averages. */
static void separable_cell_averages(const axis_table table[3], int terms, double a, double b,
                                    const problem_range *range, double *data)
{
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < range->count[2]; k++) {
    for (int j = 0; j < range->count[1]; j++) {
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < range->count[0]; i++)
        row[i * range->stride[0]] = 0.0;
      for (int t = 0; t < terms; t++) {
        const double y = average(&table[1], t, 0, j), z = average(&table[2], t, 0, k);
        const double yz2 = average(&table[1], t, 2, j) * z + y * average(&table[2], t, 2, k);
        for (int i = 0; i < range->count[0]; i++)
          row[i * range->stride[0]] += (a * y * z - b * yz2) * average(&table[0], t, 0, i) -
                                       b * y * z * average(&table[0], t, 2, i);
      }
    }
  }
}

bool problem_exact(const problem *p, const problem_range *range, double *data)
{
  axis_table table[3];
  if (p->kind == PROBLEM_WAVES) return waves_exact(p, range, data);
  if (!make_tables(p, range, table)) return false;
  separable_cell_averages(table, problem_has_exact(p) ? num_terms(p) : 0, 1.0, 0.0, range, data);
  free_tables(table);
  return true;
}

/* ---- beta of p6, sine and modes: 5.5 + 4.5 tanh(10 (r - 1/4)), r from the centre of the cube ---- */

typedef union bits {
  double real;
  uint64_t integer;
} bits;

/* 1/sqrt(s) for normal s > 0; large and finite at 0. Newton's method from a bit-trick estimate;
 * error 3e-2 -> 2e-3 -> 5e-6 -> 3e-11 -> 0. */
static inline double inverse_root(double s)
{
  bits y = {.real = s};
  y.integer = UINT64_C(0x5fe6eb50c7b537a9) - (y.integer >> 1);
  for (int n = 0; n < 4; n++)
    y.real *= 1.5 - 0.5 * s * y.real * y.real;
  return y.real;
}

/* exp(x) for |x| < 700: 2^n exp(t), |t| <= ln(2)/2, Taylor to t^13 (the next term is 4e-18). */
static inline double exponential(double x)
{
  const double to_integer = 0x1.8p52;
  const double n = (x * 1.44269504088896340736 + to_integer) - to_integer;
  const double t = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  double sum = 1.0 / 6227020800.0;
  sum = sum * t + 1.0 / 479001600.0;
  sum = sum * t + 1.0 / 39916800.0;
  sum = sum * t + 1.0 / 3628800.0;
  sum = sum * t + 1.0 / 362880.0;
  sum = sum * t + 1.0 / 40320.0;
  sum = sum * t + 1.0 / 5040.0;
  sum = sum * t + 1.0 / 720.0;
  sum = sum * t + 1.0 / 120.0;
  sum = sum * t + 1.0 / 24.0;
  sum = sum * t + 1.0 / 6.0;
  sum = sum * t + 0.5;
  sum = sum * t + 1.0;
  sum = sum * t + 1.0;
  const bits scale = {.integer = (uint64_t)(int64_t)((int32_t)n + 1023) << 52};
  return sum * scale.real;
}

/* beta and (d beta / d r) / r along a row of points x at squared distance yz2 from the row through
 * the centre. */
static void tanh_row(int count, const double *x, double yz2, double *restrict beta,
                     double *restrict slope)
{
#pragma omp simd
  for (int i = 0; i < count; i++) {
    const double dx = x[i] - 0.5;
    const double square = dx * dx + yz2;
    const double inverse = inverse_root(square);
    const double e = exponential(-20.0 * (square * inverse - 0.25));
    const double share = 1.0 / (1.0 + e);
    beta[i] = 5.5 + 4.5 * (1.0 - e) * share;
    slope[i] = 180.0 * e * share * share * inverse;
  }
}

static double squared(double x)
{
  return x * x;
}

/* ---- right-hand side of p6, sine and modes with variable beta ---- */

/* sum += w (a u - b (grad beta . grad u + beta Laplacian u)) along a row of nodes; at are the flat
 * node indices in y, z. */
static void add_rhs_nodes(const problem *p, const axis_table table[3], const size_t at[2], double w,
                          const double *beta, const double *slope, double *restrict sum)
{
  const int count = table[0].count;
  const double dy = table[1].node[at[0]] - 0.5, dz = table[2].node[at[1]] - 0.5;
  const double a = p->a, b = p->b;
  for (int t = 0; t < num_terms(p); t++) {
    const double *const *y = (const double *const *)table[1].value[t];
    const double *const *z = (const double *const *)table[2].value[t];
    const double yz = y[0][at[0]] * z[0][at[1]];
    const double yz1 = dy * y[1][at[0]] * z[0][at[1]] + dz * y[0][at[0]] * z[1][at[1]];
    const double yz2 = y[2][at[0]] * z[0][at[1]] + y[0][at[0]] * z[2][at[1]];
    for (int q = 0; q < GAUSS; q++) {
      const size_t first = (size_t)q * (size_t)count;
      const double *x = table[0].node + first, *u0 = table[0].value[t][0] + first;
      const double *u1 = table[0].value[t][1] + first, *u2 = table[0].value[t][2] + first;
      const double *bq = beta + first, *sq = slope + first, wq = w * gauss_weight[q];
#pragma omp simd
      for (int i = 0; i < count; i++) {
        const double first_order = sq[i] * ((x[i] - 0.5) * u1[i] * yz + u0[i] * yz1);
        const double second_order = bq[i] * (u2[i] * yz + u0[i] * yz2);
        sum[i] += wq * (a * u0[i] * yz - b * (first_order + second_order));
      }
    }
  }
}

static void tanh_rhs_row(const problem *p, const axis_table table[3], int j, int k, double *work)
{
  const int count = table[0].count;
  double *sum = work, *beta = work + count, *slope = beta + GAUSS * count;
  for (int i = 0; i < count; i++)
    sum[i] = 0.0;
  for (int qz = 0; qz < GAUSS; qz++) {
    for (int qy = 0; qy < GAUSS; qy++) {
      const size_t at[2] = {(size_t)qy * (size_t)table[1].count + (size_t)j,
                            (size_t)qz * (size_t)table[2].count + (size_t)k};
      const double yz2 = squared(table[1].node[at[0]] - 0.5) + squared(table[2].node[at[1]] - 0.5);
      tanh_row(GAUSS * count, table[0].node, yz2, beta, slope);
      add_rhs_nodes(p, table, at, gauss_weight[qy] * gauss_weight[qz], beta, slope, sum);
    }
  }
}

static bool tanh_rhs(const problem *p, const axis_table table[3], const problem_range *range,
                     double *data)
{
  const int count = range->count[0];
  bool ok = true;
#pragma omp parallel reduction(&& : ok)
  {
    double *work = malloc((size_t)(1 + 2 * GAUSS) * (size_t)count * sizeof *work);
    ok = work != NULL;
#pragma omp for collapse(2) schedule(static)
    for (int k = 0; k < range->count[2]; k++) {
      for (int j = 0; j < range->count[1]; j++) {
        double *row = row_of(range, data, j, k);
        if (work) tanh_rhs_row(p, table, j, k, work);
        for (int i = 0; work && i < count; i++)
          row[i * range->stride[0]] = work[i];
      }
    }
    free(work);
  }
  return ok;
}

/* ---- fv: value + h^2/24 second derivatives ---- */

static bool fv_rhs(const problem_range *range, double *data)
{
  const int *count = range->count;
  const size_t total = (size_t)count[0] + (size_t)count[1] + (size_t)count[2];
  jet *axis[3];
  axis[0] = malloc(total * sizeof(jet));
  if (!axis[0]) return false;
  axis[1] = axis[0] + count[0];
  axis[2] = axis[1] + count[1];
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < count[d]; i++)
      axis[d][i] = sine_power((range->low[d] + i + 0.5) * range->spacing[d], 1, 7);
  const double hx = squared(range->spacing[0]) / 24.0, hy = squared(range->spacing[1]) / 24.0;
  const double hz = squared(range->spacing[2]) / 24.0;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < count[2]; k++) {
    for (int j = 0; j < count[1]; j++) {
      const jet *x = axis[0], *y = &axis[1][j], *z = &axis[2][k];
      const double yz = y->d[0] * z->d[0];
      const double yz2 = hy * y->d[2] * z->d[0] + hz * y->d[0] * z->d[2];
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < count[0]; i++)
        row[i * range->stride[0]] = x[i].d[0] * yz + (hx * x[i].d[2] * yz + x[i].d[0] * yz2);
    }
  }
  free(axis[0]);
  return true;
}

bool problem_rhs(const problem *p, const problem_range *range, double *data)
{
  axis_table table[3];
  bool ok = true;
  if (p->kind == PROBLEM_FV) return fv_rhs(range, data);
  if (p->kind == PROBLEM_WAVES) return waves_rhs(p, range, data);
  if (!make_tables(p, range, table)) return false;
  if (p->variable)
    ok = tanh_rhs(p, table, range, data);
  else
    separable_cell_averages(table, num_terms(p), p->a, p->b, range, data);
  free_tables(table);
  return ok;
}

/* ---- beta ---- */

/* 1 + 1/4 sx sy sz: each tangential second derivative is -(2 pi)^2 times the product. */
static bool fv_beta(int axis, const problem_range *range, double *data)
{
  const int *count = range->count;
  double *s[3], tangential = 0.0;
  s[0] = malloc(((size_t)count[0] + (size_t)count[1] + (size_t)count[2]) * sizeof(double));
  if (!s[0]) return false;
  s[1] = s[0] + count[0];
  s[2] = s[1] + count[1];
  for (int d = 0; d < 3; d++) {
    const double offset = d == axis ? 0.0 : 0.5;
    if (d != axis) tangential += squared(2.0 * pi * range->spacing[d]) / 24.0;
    for (int i = 0; i < count[d]; i++)
      s[d][i] = sin(2.0 * pi * ((range->low[d] + i + offset) * range->spacing[d]));
  }
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < count[2]; k++) {
    for (int j = 0; j < count[1]; j++) {
      const double yz = 0.25 * (1.0 - tangential) * s[1][j] * s[2][k];
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < count[0]; i++)
        row[i * range->stride[0]] = 1.0 + s[0][i] * yz;
    }
  }
  free(s[0]);
  return true;
}

/* Gauss points of faces, GAUSS * count per axis as in axis_table; along axis all nodes lie in the
 * face. */
static bool face_points(const problem_range *range, int axis, double *point[3])
{
  size_t total = 0;
  for (int d = 0; d < 3; d++)
    total += (size_t)GAUSS * (size_t)range->count[d];
  point[0] = malloc(total * sizeof(double));
  if (!point[0]) return false;
  point[1] = point[0] + (size_t)GAUSS * (size_t)range->count[0];
  point[2] = point[1] + (size_t)GAUSS * (size_t)range->count[1];
  for (int d = 0; d < 3; d++)
    for (int q = 0; q < GAUSS; q++)
      for (int i = 0; i < range->count[d]; i++)
        point[d][(size_t)q * (size_t)range->count[d] + (size_t)i] =
            (range->low[d] + i + (d == axis ? 0.0 : 0.5 + gauss_node[q])) * range->spacing[d];
  return true;
}

/* Along the face's own axis all three nodes coincide: one is taken with weight 1. */
static void tanh_face_row(int axis, const problem_range *range, double *const point[3],
                          const int jk[2], double *work)
{
  const int nx = range->count[0], length = axis == 0 ? nx : GAUSS * nx;
  double *sum = work, *beta = work + nx, *slope = beta + GAUSS * nx;
  for (int i = 0; i < nx; i++)
    sum[i] = 0.0;
  for (int qz = 0; qz < (axis == 2 ? 1 : GAUSS); qz++) {
    for (int qy = 0; qy < (axis == 1 ? 1 : GAUSS); qy++) {
      const double y = point[1][(size_t)qy * (size_t)range->count[1] + (size_t)jk[0]];
      const double z = point[2][(size_t)qz * (size_t)range->count[2] + (size_t)jk[1]];
      const double w = (axis == 1 ? 1.0 : gauss_weight[qy]) * (axis == 2 ? 1.0 : gauss_weight[qz]);
      tanh_row(length, point[0], squared(y - 0.5) + squared(z - 0.5), beta, slope);
      for (int qx = 0; qx < (axis == 0 ? 1 : GAUSS); qx++) {
        const double wx = axis == 0 ? w : w * gauss_weight[qx];
        for (int i = 0; i < nx; i++)
          sum[i] += wx * beta[(size_t)qx * (size_t)nx + (size_t)i];
      }
    }
  }
}

static bool tanh_beta(int axis, const problem_range *range, double *data)
{
  const int nx = range->count[0];
  double *point[3];
  bool ok = true;
  if (!face_points(range, axis, point)) return false;
#pragma omp parallel reduction(&& : ok)
  {
    double *work = malloc((size_t)(1 + 2 * GAUSS) * (size_t)nx * sizeof *work);
    ok = work != NULL;
#pragma omp for collapse(2) schedule(static)
    for (int k = 0; k < range->count[2]; k++) {
      for (int j = 0; j < range->count[1]; j++) {
        double *row = row_of(range, data, j, k);
        if (work) tanh_face_row(axis, range, point, (const int[2]){j, k}, work);
        for (int i = 0; work && i < nx; i++)
          row[i * range->stride[0]] = work[i];
      }
    }
    free(work);
  }
  free(point[0]);
  return ok;
}

static void fill_one(const problem_range *range, double *data)
{
  for (int k = 0; k < range->count[2]; k++)
    for (int j = 0; j < range->count[1]; j++)
      for (int i = 0; i < range->count[0]; i++)
        row_of(range, data, j, k)[i * range->stride[0]] = 1.0;
}

bool problem_beta(const problem *p, int axis, const problem_range *range, double *data)
{
  if (!p->variable) {
    fill_one(range, data);
    return true;
  }
  if (p->kind == PROBLEM_WAVES) return waves_beta(p, axis, range, data);
  return p->kind == PROBLEM_FV ? fv_beta(axis, range, data) : tanh_beta(axis, range, data);
}
