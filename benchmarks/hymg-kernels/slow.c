/* Plain slow loops, written from the formulas: one array of cells with two ghost layers, Dirichlet
 * boundaries, Poisson.
 *   FV2  A x = -(1/h^2) sum over faces beta_f (x_nb - x), ghost -5/2 x1 + 1/2 x2
 *   FV4  A x = -(1/h^2) sum over axes (F(high) - F(low)) with the flux of `flux` below, ghosts of
 *        the quartic extrapolation
 * Nothing here is shared with the library's kernels. */
#include "hymg-kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

typedef struct ghosted {
  int n;
  ptrdiff_t stride[3];
  double *all, *x; /* x: cell (0, 0, 0) */
} ghosted;

static bool ghosted_create(int n, const double *plain, ghosted *g)
{
  const ptrdiff_t m = n + 4;
  *g = (ghosted){.n = n, .stride = {1, m, m * m}};
  g->all = calloc((size_t)(m * m * m), sizeof *g->all);
  if (!g->all) return false;
  g->x = g->all + 2 * (1 + m + m * m);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        g->x[i + m * (j + m * k)] = plain[i + (ptrdiff_t)n * (j + (ptrdiff_t)n * k)];
  return true;
}

/* Fills the two ghosts outside x1; the cells continue inwards at steps of `in`. */
static void fill_line(double *x1, ptrdiff_t in, int order)
{
  const double a = x1[0], b = x1[in], c = x1[2 * in], d = x1[3 * in];
  if (order == 2) {
    x1[-in] = -2.5 * a + 0.5 * b;
  } else {
    x1[-in] = (-77 * a + 43 * b - 17 * c + 3 * d) / 12;
    x1[-2 * in] = (-505 * a + 335 * b - 145 * c + 27 * d) / 12;
  }
}

/* One axis after the other, each including the ghosts filled so far: edges and corners are tensor
 * products. */
static void close(ghosted *g, int order)
{
  for (int axis = 0; axis < 3; axis++) {
    const int s = axis == 0 ? 1 : 0, t = axis == 2 ? 1 : 2, n = g->n;
    const int s0 = s < axis ? -2 : 0, t0 = t < axis ? -2 : 0;
#pragma omp parallel for schedule(static)
    for (int q = t0; q < n - t0; q++)
      for (int p = s0; p < n - s0; p++) {
        double *const low = g->x + p * g->stride[s] + q * g->stride[t];
        fill_line(low, g->stride[axis], order);
        fill_line(low + (n - 1) * g->stride[axis], -g->stride[axis], order);
      }
  }
}

/* ---- the operator ---- */

/* Flux times h through the low face along d of the cell at x; b: that face's beta, sx, sb:
 * strides. */
static double flux(const double *x, const ptrdiff_t sx[3], const double *b, const ptrdiff_t sb[3],
                   int d)
{
  const double *const y = x - sx[d];
  double sum = b[0] * (15 * (x[0] - y[0]) - (x[sx[d]] - y[-sx[d]]));
  for (int t = 0; t < 3; t++)
    if (t != d)
      sum += 0.25 * (b[sb[t]] - b[-sb[t]]) * ((x[sx[t]] - y[sx[t]]) - (x[-sx[t]] - y[-sx[t]]));
  return sum / 12;
}

static double apply_cell(const kernels_slow *s, const ghosted *g, int i, int j, int k)
{
  const int n = g->n;
  const ptrdiff_t m = n + 2, sb[3] = {1, m, m * m}, at = (i + 1) + m * ((j + 1) + m * (k + 1));
  const double *const x = g->x + i + j * g->stride[1] + k * g->stride[2];
  double sum = 0;
  for (int d = 0; d < 3; d++) {
    const double *const b = s->problem->beta[d] + at;
    const ptrdiff_t step = g->stride[d];
    if (s->stencil == HYMG_FV2)
      sum += b[sb[d]] * (x[step] - x[0]) - b[0] * (x[0] - x[-step]);
    else
      sum += flux(x + step, g->stride, b + sb[d], sb, d) - flux(x, g->stride, b, sb, d);
  }
  return -sum * n * n;
}

static int extrapolation(const kernels_slow *s)
{
  return s->stencil == HYMG_FV2 ? 2 : 4;
}

/* out = A x, or f - A x */
static bool apply(const kernels_slow *s, bool residual, double *out)
{
  const int n = s->problem->n;
  ghosted g;
  if (!ghosted_create(n, s->x, &g)) return false;
  close(&g, extrapolation(s));
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const ptrdiff_t at = i + (ptrdiff_t)n * (j + (ptrdiff_t)n * k);
        const double ax = apply_cell(s, &g, i, j, k);
        out[at] = residual ? s->f[at] - ax : ax;
      }
  free(g.all);
  return true;
}

bool kernels_slow_apply(const kernels_slow *s, double *out)
{
  return apply(s, false, out);
}

bool kernels_slow_residual(const kernels_slow *s, double *out)
{
  return apply(s, true, out);
}

double kernels_slow_scale(const kernels_slow *s)
{
  const int n = s->problem->n;
  double x = 0, f = 0;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n * n; i++) {
    x = fmax(x, fabs(s->x[i]));
    f = fmax(f, fabs(s->f[i]));
  }
  return fmax(20.0 * n * n * x, f);
}

/* Lexicographic forward and backward sweeps in place; ghosts as they were when the sweep began. */
bool kernels_slow_symgs(const kernels_slow *s, double *out)
{
  const int n = s->problem->n;
  const ptrdiff_t cells = (ptrdiff_t)n * n * n;
  ghosted g;
  if (!ghosted_create(n, s->x, &g)) return false;
  for (int sweep = 0; sweep < s->sweeps; sweep++) {
    close(&g, extrapolation(s));
    for (ptrdiff_t m = 0; m < cells; m++) {
      const ptrdiff_t at = sweep & 1 ? cells - 1 - m : m;
      const int i = (int)(at % n), j = (int)(at / n % n), k = (int)(at / n / n);
      double *const x = g.x + i + j * g.stride[1] + k * g.stride[2];
      *x += s->dinv[at] * (s->f[at] - apply_cell(s, &g, i, j, k));
    }
  }
  for (ptrdiff_t at = 0; at < cells; at++)
    out[at] = g.x[at % n + at / n % n * g.stride[1] + at / n / n * g.stride[2]];
  free(g.all);
  return true;
}

/* ---- transfers ---- */

static void mean_of_8(int n, const double *fine, double *out)
{
  const ptrdiff_t half = n / 2, row = n, plane = row * n;
#pragma omp parallel for schedule(static)
  for (ptrdiff_t k = 0; k < half; k++)
    for (ptrdiff_t j = 0; j < half; j++)
      for (ptrdiff_t i = 0; i < half; i++) {
        const double *const x = fine + 2 * i + 2 * j * row + 2 * k * plane;
        double sum = 0;
        for (int m = 0; m < 8; m++)
          sum += x[(m & 1) + (m >> 1 & 1) * row + (m >> 2) * plane];
        out[i + half * (j + half * k)] = sum / 8;
      }
}

bool kernels_slow_restrict(const kernels_slow *s, double *out)
{
  mean_of_8(s->problem->n, s->x, out);
  return true;
}

bool kernels_slow_residual_restrict(const kernels_slow *s, double *out)
{
  const size_t n = (size_t)s->problem->n;
  double *r = malloc(n * n * n * sizeof *r);
  const bool ok = r && kernels_slow_residual(s, r);
  if (ok) mean_of_8((int)n, r, out);
  free(r);
  return ok;
}

/* Weights of the coarse cells -2 ... 2 for the even child; the odd one mirrors them. */
bool kernels_slow_interpolate(const kernels_slow *s, int order, double *out)
{
  static const double weights[2][5] = {{0, 1. / 8, 1, -1. / 8, 0},
                                       {-3. / 128, 22. / 128, 1, -22. / 128, 3. / 128}};
  const double *const w = weights[order == 4];
  const int n = s->problem->n;
  ghosted g;
  if (!ghosted_create(n / 2, s->coarse, &g)) return false;
  close(&g, order);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int c = -2; c <= 2; c++)
          for (int b = -2; b <= 2; b++)
            for (int a = -2; a <= 2; a++)
              sum += w[2 + (i & 1 ? -a : a)] * w[2 + (j & 1 ? -b : b)] * w[2 + (k & 1 ? -c : c)] *
                     g.x[i / 2 + a + (j / 2 + b) * g.stride[1] + (k / 2 + c) * g.stride[2]];
        out[i + (ptrdiff_t)n * (j + (ptrdiff_t)n * k)] = sum;
      }
  free(g.all);
  return true;
}
