/* u = product of u_d(x_d) and beta = 1.5 + 0.4 product of g_d(x_d), with cosines u_d and g_d of a period
 * or two in the cube. Every average is a sum of products of averages along one axis. */
#include "common/waves.h"

#include "common/gauss.h"
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846, mean_beta = 1.5, swing_beta = 0.4;

/* What is averaged along an axis: u, its derivatives, g, g u and (g u')'. */
typedef enum column { COLUMN_U, COLUMN_U1, COLUMN_U2, COLUMN_G, COLUMN_GU, COLUMN_FLUX } column;
enum { COLUMNS = COLUMN_FLUX + 1 };

typedef struct axis_columns {
  double *of[COLUMNS];
} axis_columns;

/* c times the product of a column of each axis. */
typedef struct product {
  double c;
  const double *x, *y, *z;
} product;

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

static void values_at(const problem *p, int axis, double x, double value[COLUMNS])
{
  const double k = p->wave[axis], s = k * x + p->phase[axis];
  /* beta has the solution's period where there is one */
  const double q = k == 2 * pi ? k : 2.0 - 0.3 * axis, t = q * x + 1.2 + 0.4 * axis;
  const double g = cos(t), g1 = -q * sin(t);
  const double u = cos(s) - (p->shift[axis] ? mean_of(k, p->phase[axis]) : 0), u1 = -k * sin(s),
               u2 = -k * k * cos(s);
  const double all[COLUMNS] = {u, u1, u2, g, g * u, g * u2 + g1 * u1};
  for (int c = 0; c < COLUMNS; c++)
    value[c] = all[c];
}

/* ---- columns ---- */

static void free_columns(axis_columns axis[3])
{
  for (int d = 0; d < 3; d++)
    free(axis[d].of[0]);
}

/* Averages over the range's cells or, along the axis `point`, values at the low ends of the cells. */
static bool make_column(const problem *p, const problem_range *range, int d, int point,
                        axis_columns *axis)
{
  const int count = range->count[d], nodes = d == point ? 1 : GAUSS;
  axis->of[0] = calloc((size_t)count * COLUMNS, sizeof(double));
  if (!axis->of[0]) return false;
  for (int c = 1; c < COLUMNS; c++)
    axis->of[c] = axis->of[0] + (ptrdiff_t)c * count;
  for (int i = 0; i < count; i++)
    for (int q = 0; q < nodes; q++) {
      const double in_cell = nodes == 1 ? 0 : 0.5 + gauss_node[q];
      double value[COLUMNS];
      values_at(p, d, (range->low[d] + i + in_cell) * range->spacing[d], value);
      for (int c = 0; c < COLUMNS; c++)
        axis->of[c][i] += (nodes == 1 ? 1 : gauss_weight[q]) * value[c];
    }
  return true;
}

static bool make_columns(const problem *p, const problem_range *range, int point,
                         axis_columns axis[3])
{
  for (int d = 0; d < 3; d++)
    axis[d].of[0] = NULL;
  bool ok = true;
  for (int d = 0; d < 3 && ok; d++)
    ok = make_column(p, range, d, point, &axis[d]);
  if (!ok) free_columns(axis);
  return ok;
}

/* One column along axis d, another along the two others. */
static product product_of(const axis_columns axis[3], double c, int d, column one, column other)
{
  const product p = {c, axis[0].of[d == 0 ? one : other], axis[1].of[d == 1 ? one : other],
                     axis[2].of[d == 2 ? one : other]};
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

/* ---- averages ---- */

bool waves_exact(const problem *p, const problem_range *range, double *data)
{
  axis_columns axis[3];
  if (!make_columns(p, range, -1, axis)) return false;
  const product u = product_of(axis, 1, 0, COLUMN_U, COLUMN_U);
  write_sum(0, 1, &u, range, data);
  free_columns(axis);
  return true;
}

/* a u - b div(beta grad u) */
bool waves_rhs(const problem *p, const problem_range *range, double *data)
{
  const double mean = p->variable ? mean_beta : 1, swing = p->variable ? swing_beta : 0;
  axis_columns axis[3];
  product term[7];
  if (!make_columns(p, range, -1, axis)) return false;
  term[0] = product_of(axis, p->a, 0, COLUMN_U, COLUMN_U);
  for (int d = 0; d < 3; d++) {
    term[1 + d] = product_of(axis, -p->b * mean, d, COLUMN_U2, COLUMN_U);
    term[4 + d] = product_of(axis, -p->b * swing, d, COLUMN_FLUX, COLUMN_GU);
  }
  write_sum(0, 7, term, range, data);
  free_columns(axis);
  return true;
}

bool waves_beta(const problem *p, int axis, const problem_range *range, double *data)
{
  axis_columns columns[3];
  if (!make_columns(p, range, axis, columns)) return false;
  const product swing = product_of(columns, swing_beta, 0, COLUMN_G, COLUMN_G);
  write_sum(mean_beta, 1, &swing, range, data);
  free_columns(columns);
  return true;
}

bool problem_boundary(const problem *p, int face, const problem_range *range, double *data)
{
  const int d = face / 2;
  axis_columns axis[3];
  if (!make_columns(p, range, d, axis)) return false;
  const product term[2] = {
      product_of(axis, p->condition[face][0], d, COLUMN_U, COLUMN_U),
      product_of(axis, (face % 2 ? 1 : -1) * p->condition[face][1], d, COLUMN_U1, COLUMN_U)};
  write_sum(0, 2, term, range, data);
  free_columns(axis);
  return true;
}
