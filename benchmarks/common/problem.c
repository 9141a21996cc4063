/* Averages: fv takes value + h^2/24 times the second derivatives (fourth order); the others take
 * 3-point Gauss quadrature per axis, so that a fourth-order operator shows its order. Solutions are
 * sums of products of one function per axis, so everything but the beta of p6, sine and modes (radial_beta.c) comes from
 * one-dimensional tables. waves has u = product of u_d(x_d) and beta = 1.5 + 0.4 product of g_d(x_d), with cosines u_d and
 * g_d of a period or two in the cube. */
#include "common/problem.h"

#include "common/problem_tables.h"
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, mean_beta = 1.5, swing_beta = 0.4;

/* Nodes in cell widths from the cell's centre, and weights. */
static const double gauss_node[GAUSS] = {-0.38729833462074168852, 0.0, 0.38729833462074168852};
static const double gauss_weight[GAUSS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/* c times the product of a column of each axis. */
typedef struct product {
  double c;
  const double *x, *y, *z;
} product;

bool problem_has_exact(const problem *p)
{
  return p->kind != PROBLEM_FV;
}

bool problem_has_data(const problem *p)
{
  return p->kind == PROBLEM_WAVES;
}

int num_terms(const problem *p)
{
  return p->kind == PROBLEM_SINE ? 2 : p->kind == PROBLEM_FV ? 0 : 1;
}

/* ---- functions of one coordinate: u[0] to u[2] with two derivatives ---- */

static double power(double x, int n)
{
  double y = 1.0;
  for (int i = 0; i < n; i++)
    y *= x;
  return y;
}

/* sin^m(2 pi p w), m >= 2. */
static void sine_power(double w, int p, int m, double u[3])
{
  const double omega = 2.0 * pi * p;
  const double s = sin(omega * w), c = cos(omega * w);
  u[0] = power(s, m);
  u[1] = omega * m * power(s, m - 1) * c;
  u[2] = omega * omega * (m * (m - 1) * power(s, m - 2) * c * c - m * power(s, m));
}

/* 2 w^6 - 6 w^5 + 5 w^4 - w^2: zero with zero slope at 0 and 1, mean -1/21. */
static void sextic(double w, bool shift, double u[3])
{
  u[0] = w * w * (w * w * (w * (2.0 * w - 6.0) + 5.0) - 1.0) + (shift ? 1.0 / 21.0 : 0.0);
  u[1] = w * (w * w * (w * (12.0 * w - 30.0) + 20.0) - 2.0);
  u[2] = w * w * (w * (60.0 * w - 120.0) + 60.0) - 2.0;
}

static void mode(double w, double wave, double phase, double u[3])
{
  u[0] = cos(wave * w + phase);
  u[1] = -wave * sin(wave * w + phase);
  u[2] = -wave * wave * u[0];
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

void problem_set_wave(problem *p, int axis, bool periodic)
{
  p->wave[axis] = periodic ? 2 * pi : 3.6 - 0.4 * axis;
  p->phase[axis] = -0.4 + 0.5 * axis;
}

/* Of cos(k x + p) between 0 and 1. */
static double mean_of(double k, double p)
{
  return (sin(k + p) - sin(p)) / k;
}

static void wave_columns(const problem *p, int axis, double x, double *value)
{
  const double k = p->wave[axis];
  /* beta has the solution's period where there is one */
  const double q = k == 2 * pi ? k : 2.0 - 0.3 * axis, t = q * x + 1.2 + 0.4 * axis;
  const double g = cos(t), g1 = -q * sin(t);
  mode(x, k, p->phase[axis], value);
  if (p->shift[axis]) value[COLUMN_U] -= mean_of(k, p->phase[axis]);
  value[COLUMN_G] = g;
  value[COLUMN_GU] = g * value[COLUMN_U];
  value[COLUMN_FLUX] = g * value[COLUMN_U2] + g1 * value[COLUMN_U1];
}

static void columns_at(const problem *p, int axis, double w, double value[COLUMNS])
{
  switch (p->kind) {
  case PROBLEM_FV:
    sine_power(w, 1, 7, value);
    value[COLUMN_G] = sin(2.0 * pi * w);
    break;
  case PROBLEM_P6:
    sextic(w, p->shift[axis], value);
    break;
  case PROBLEM_SINE:
    sine_power(w, 1, 13, value);
    sine_power(w, 3, 13, value + COLUMN_SECOND);
    break;
  case PROBLEM_MODES:
    mode(w, p->wave[axis], p->phase[axis], value);
    break;
  default:
    wave_columns(p, axis, w, value);
  }
}

/* ---- tables ---- */

double node_weight(const axis_table *table, int q)
{
  return table->nodes == 1 ? 1 : gauss_weight[q];
}

static void free_tables(axis_table table[3])
{
  for (int axis = 0; axis < 3; axis++)
    free(table[axis].node);
}

/* face: the nodes are at the low ends of the cells. */
static bool make_table(const problem *p, const problem_range *range, int axis, bool face,
                       axis_table *table)
{
  const int count = range->count[axis], nodes = face || p->kind == PROBLEM_FV ? 1 : GAUSS;
  const size_t all = (size_t)nodes * (size_t)count;
  double *at = calloc(all + COLUMNS * (all + (size_t)count), sizeof *at);
  if (!at) return false;
  *table = (axis_table){.count = count, .nodes = nodes, .node = at};
  at += all;
  for (int c = 0; c < COLUMNS; c++, at += all + (size_t)count) {
    table->value[c] = at;
    table->mean[c] = at + all;
  }
  for (int q = 0; q < nodes; q++)
    for (int i = 0; i < count; i++) {
      const size_t entry = (size_t)q * (size_t)count + (size_t)i;
      double value[COLUMNS] = {0};
      const double in_cell = face ? 0 : nodes == 1 ? 0.5 : 0.5 + gauss_node[q];
      table->node[entry] = (range->low[axis] + i + in_cell) * range->spacing[axis];
      columns_at(p, axis, table->node[entry], value);
      for (int c = 0; c < COLUMNS; c++) {
        table->value[c][entry] = value[c];
        table->mean[c][i] += node_weight(table, q) * value[c];
      }
    }
  return true;
}

/* face: the axis to which faces are normal, -1 for cells. */
static bool make_tables(const problem *p, const problem_range *range, int face, axis_table table[3])
{
  bool ok = true;
  for (int axis = 0; axis < 3; axis++)
    table[axis].node = NULL;
  for (int axis = 0; axis < 3 && ok; axis++)
    ok = make_table(p, range, axis, axis == face, &table[axis]);
  if (!ok) free_tables(table);
  return ok;
}

/* ---- sums of products ---- */

/* One column along an axis, another along the two others. */
static product product_of(const axis_table table[3], double c, int axis, int one, int other)
{
  const product p = {c, table[0].mean[axis == 0 ? one : other],
                     table[1].mean[axis == 1 ? one : other],
                     table[2].mean[axis == 2 ? one : other]};
  return p;
}

static void write_sum(double constant, int terms, const product *term, const problem_range *range,
                      double *data)
{
  const ptrdiff_t *stride = range->stride;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < range->count[2]; k++)
    for (int j = 0; j < range->count[1]; j++)
      for (int i = 0; i < range->count[0]; i++) {
        double sum = constant;
        for (int t = 0; t < terms; t++)
          sum += term[t].c * term[t].z[k] * term[t].y[j] * term[t].x[i];
        data[i * stride[0] + j * stride[1] + k * stride[2]] = sum;
      }
}

static double *row_of(const problem_range *range, double *data, int j, int k)
{
  return data + j * range->stride[1] + k * range->stride[2];
}

/* a u - b Laplacian(u): p6, sine and modes with beta = 1. */
static void separable_rhs(const problem *p, const axis_table table[3], const problem_range *range,
                          double *data)
{
  const double a = p->a, b = p->b;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < range->count[2]; k++) {
    for (int j = 0; j < range->count[1]; j++) {
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < range->count[0]; i++)
        row[i * range->stride[0]] = 0.0;
      for (int u = 0; u < 3 * num_terms(p); u += COLUMN_SECOND) {
        const double *const x = table[0].mean[u], *const x2 = table[0].mean[u + COLUMN_U2];
        const double y = table[1].mean[u][j], z = table[2].mean[u][k];
        const double yz2 =
            table[1].mean[u + COLUMN_U2][j] * z + y * table[2].mean[u + COLUMN_U2][k];
        for (int i = 0; i < range->count[0]; i++)
          row[i * range->stride[0]] += (a * y * z - b * yz2) * x[i] - b * y * z * x2[i];
      }
    }
  }
}

/* a u - b div(beta grad u) of waves. */
static void waves_rhs(const problem *p, const axis_table table[3], const problem_range *range,
                      double *data)
{
  const double mean = p->variable ? mean_beta : 1, swing = p->variable ? swing_beta : 0;
  product term[7] = {product_of(table, p->a, 0, COLUMN_U, COLUMN_U)};
  for (int d = 0; d < 3; d++) {
    term[1 + d] = product_of(table, -p->b * mean, d, COLUMN_U2, COLUMN_U);
    term[4 + d] = product_of(table, -p->b * swing, d, COLUMN_FLUX, COLUMN_GU);
  }
  write_sum(0, 7, term, range, data);
}

/* ---- fv: value + h^2/24 second derivatives ---- */

static double squared(double x)
{
  return x * x;
}

static void fv_rhs(const axis_table table[3], const problem_range *range, double *data)
{
  const double hx = squared(range->spacing[0]) / 24.0, hy = squared(range->spacing[1]) / 24.0;
  const double hz = squared(range->spacing[2]) / 24.0;
  double *const *const x = table[0].value, *const *const y = table[1].value;
  double *const *const z = table[2].value;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < range->count[2]; k++) {
    for (int j = 0; j < range->count[1]; j++) {
      const double yz = y[COLUMN_U][j] * z[COLUMN_U][k];
      const double yz2 =
          hy * y[COLUMN_U2][j] * z[COLUMN_U][k] + hz * y[COLUMN_U][j] * z[COLUMN_U2][k];
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < range->count[0]; i++)
        row[i * range->stride[0]] =
            x[COLUMN_U][i] * yz + (hx * x[COLUMN_U2][i] * yz + x[COLUMN_U][i] * yz2);
    }
  }
}

/* 1 + 1/4 sx sy sz: each tangential second derivative is -(2 pi)^2 times the product. */
static void fv_beta(int axis, const axis_table table[3], const problem_range *range, double *data)
{
  double tangential = 0.0;
  for (int d = 0; d < 3; d++)
    if (d != axis) tangential += squared(2.0 * pi * range->spacing[d]) / 24.0;
#pragma omp parallel for collapse(2) schedule(static)
  for (int k = 0; k < range->count[2]; k++) {
    for (int j = 0; j < range->count[1]; j++) {
      const double yz =
          0.25 * (1.0 - tangential) * table[1].value[COLUMN_G][j] * table[2].value[COLUMN_G][k];
      double *row = row_of(range, data, j, k);
      for (int i = 0; i < range->count[0]; i++)
        row[i * range->stride[0]] = 1.0 + table[0].value[COLUMN_G][i] * yz;
    }
  }
}

/* ---- what programs ask for ---- */

static bool fill_rhs(const problem *p, const axis_table table[3], const problem_range *range,
                     double *data)
{
  if (p->kind == PROBLEM_FV)
    fv_rhs(table, range, data);
  else if (p->kind == PROBLEM_WAVES)
    waves_rhs(p, table, range, data);
  else if (p->variable)
    return radial_fill(p, true, table, range, data);
  else
    separable_rhs(p, table, range, data);
  return true;
}

static bool fill_beta(const problem *p, int axis, const axis_table table[3],
                      const problem_range *range, double *data)
{
  const product swing = product_of(table, swing_beta, 0, COLUMN_G, COLUMN_G);
  if (!p->variable)
    write_sum(1, 0, NULL, range, data);
  else if (p->kind == PROBLEM_FV)
    fv_beta(axis, table, range, data);
  else if (p->kind == PROBLEM_WAVES)
    write_sum(mean_beta, 1, &swing, range, data);
  else
    return radial_fill(p, false, table, range, data);
  return true;
}

static void fill_exact(const problem *p, const axis_table table[3], const problem_range *range,
                       double *data)
{
  const product term[2] = {product_of(table, 1, 0, COLUMN_U, COLUMN_U),
                           product_of(table, 1, 0, COLUMN_SECOND, COLUMN_SECOND)};
  write_sum(0, num_terms(p), term, range, data);
}

static void fill_boundary(const problem *p, int face, const axis_table table[3],
                          const problem_range *range, double *data)
{
  const double *const of = p->condition[face];
  const product term[2] = {
      product_of(table, of[0], face / 2, COLUMN_U, COLUMN_U),
      product_of(table, (face % 2 ? 1 : -1) * of[1], face / 2, COLUMN_U1, COLUMN_U)};
  write_sum(0, 2, term, range, data);
}

bool problem_fill(const problem *p, problem_part part, int side, const problem_range *range,
                  double *data)
{
  axis_table table[3];
  bool ok = true;
  const int normal = part == PROBLEM_BETA ? side : part == PROBLEM_BOUNDARY ? side / 2 : -1;
  if (!make_tables(p, range, normal, table)) return false;
  if (part == PROBLEM_RHS)
    ok = fill_rhs(p, table, range, data);
  else if (part == PROBLEM_BETA)
    ok = fill_beta(p, side, table, range, data);
  else if (part == PROBLEM_EXACT)
    fill_exact(p, table, range, data);
  else
    fill_boundary(p, side, table, range, data);
  free_tables(table);
  return ok;
}
