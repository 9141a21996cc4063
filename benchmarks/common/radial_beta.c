/* beta = 5.5 + 4.5 tanh(10 (r - 1/4)) costs an exponential and a square root at each of 27 points per cell, written so
 * that compilers vectorise them (exp and sqrt of libm set errno, which prevents that). */
#include "common/problem_tables.h"

#include <stdint.h>
#include <stdlib.h>

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

/* ---- averages ---- */

/* sum += w (a u - b (grad beta . grad u + beta Laplacian u)) along a row of nodes; at are the flat
 * node indices in y, z. */
static void add_rhs_nodes(const problem *p, const axis_table table[3], const size_t at[2], double w,
                          const double *beta, const double *slope, double *restrict sum)
{
  const axis_table *const x = &table[0], *const y = &table[1], *const z = &table[2];
  const int count = x->count;
  const double dy = y->node[at[0]] - 0.5, dz = z->node[at[1]] - 0.5;
  const double a = p->a, b = p->b;
  for (int t = 0; t < num_terms(p); t++) {
    double *const *const xs = x->value + 3 * t, *const *const ys = y->value + 3 * t;
    double *const *const zs = z->value + 3 * t;
    const double yz = ys[0][at[0]] * zs[0][at[1]];
    const double yz1 = dy * ys[1][at[0]] * zs[0][at[1]] + dz * ys[0][at[0]] * zs[1][at[1]];
    const double yz2 = ys[2][at[0]] * zs[0][at[1]] + ys[0][at[0]] * zs[2][at[1]];
    for (int q = 0; q < x->nodes; q++) {
      const size_t first = (size_t)q * (size_t)count;
      const double *node = x->node + first, *u0 = xs[0] + first, *u1 = xs[1] + first;
      const double *u2 = xs[2] + first, *bq = beta + first, *sq = slope + first;
      const double wq = w * node_weight(x, q);
#pragma omp simd
      for (int i = 0; i < count; i++) {
        const double first_order = sq[i] * ((node[i] - 0.5) * u1[i] * yz + u0[i] * yz1);
        const double second_order = bq[i] * (u2[i] * yz + u0[i] * yz2);
        sum[i] += wq * (a * u0[i] * yz - b * (first_order + second_order));
      }
    }
  }
}

static void add_beta_nodes(const axis_table *x, double w, const double *beta, double *restrict sum)
{
  for (int q = 0; q < x->nodes; q++) {
    const double wq = w * node_weight(x, q);
    for (int i = 0; i < x->count; i++)
      sum[i] += wq * beta[(size_t)q * (size_t)x->count + (size_t)i];
  }
}

/* Row j, k into work, which has room for a sum per cell, beta and slope per node. */
static void fill_row(const problem *p, bool rhs, const axis_table table[3], int j, int k,
                     double *work)
{
  const axis_table *const x = &table[0], *const y = &table[1], *const z = &table[2];
  double *const sum = work, *const beta = work + x->count;
  double *const slope = beta + (ptrdiff_t)x->nodes * x->count;
  for (int i = 0; i < x->count; i++)
    sum[i] = 0.0;
  for (int qz = 0; qz < z->nodes; qz++) {
    for (int qy = 0; qy < y->nodes; qy++) {
      const size_t at[2] = {(size_t)qy * (size_t)y->count + (size_t)j,
                            (size_t)qz * (size_t)z->count + (size_t)k};
      const double w = node_weight(y, qy) * node_weight(z, qz);
      const double yz2 = squared(y->node[at[0]] - 0.5) + squared(z->node[at[1]] - 0.5);
      tanh_row(x->nodes * x->count, x->node, yz2, beta, slope);
      if (rhs)
        add_rhs_nodes(p, table, at, w, beta, slope, sum);
      else
        add_beta_nodes(x, w, beta, sum);
    }
  }
}

bool radial_fill(const problem *p, bool rhs, const axis_table table[3], const problem_range *range,
                 double *data)
{
  const int count = range->count[0];
  const ptrdiff_t *stride = range->stride;
  bool ok = true;
#pragma omp parallel reduction(&& : ok)
  {
    double *work = malloc((size_t)(1 + 2 * table[0].nodes) * (size_t)count * sizeof *work);
    ok = work != NULL;
#pragma omp for collapse(2) schedule(static)
    for (int k = 0; k < range->count[2]; k++) {
      for (int j = 0; j < range->count[1]; j++) {
        if (work) fill_row(p, rhs, table, j, k, work);
        for (int i = 0; work && i < count; i++)
          data[i * stride[0] + j * stride[1] + k * stride[2]] = work[i];
      }
    }
    free(work);
  }
  return ok;
}
