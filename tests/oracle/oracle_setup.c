/* The oracle's hierarchy: which levels there are, their coefficients with extrapolated ghosts,
 * extrapolation dimensions, and the diagonal and Gershgorin bound found by probing with 0/1
 * vectors. */
#include "oracle/oracle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

oracle_spec oracle_spec_default(int n)
{
  oracle_spec s = {.n = {n, n, n},
                   .h = {1.0 / n, 1.0 / n, 1.0 / n},
                   .b = 1.0,
                   .alpha_constant = 1.0,
                   .beta_constant = 1.0,
                   .sweeps = -1};
  for (int face = 0; face < 6; face++)
    s.robin_alpha_constant[face] = s.robin_beta_constant[face] = 1.0;
  return s;
}

static bool coarsens(const oracle_spec *s, const int n[3], bool odd_sides)
{
  for (int d = 0; d < 3; d++) {
    bool boundaries =
        s->boundary[2 * d] == HYMG_DIRICHLET && s->boundary[2 * d + 1] == HYMG_DIRICHLET;
    int least = s->stencil == HYMG_FV2 && boundaries ? 1 : 2;
    if ((n[d] % 2 && !odd_sides) || n[d] == 1 || (n[d] + 1) / 2 < least) return false;
  }
  return true;
}

/* Does halving while all sides are even leave too many cells? */
static bool halves_odd_sides(const oracle_spec *s)
{
  int n[3] = {s->n[0], s->n[1], s->n[2]};
  while (coarsens(s, n, false))
    for (int d = 0; d < 3; d++)
      n[d] /= 2;
  return s->stencil == HYMG_FV2 && (long)n[0] * n[1] * n[2] > (s->extrapolation_box ? 1331 : 512);
}

/* Box dimension of the next level of HPGMG-FV's hierarchy, from a level of n cells a side in boxes
 * of dim. */
static int next_box(int n, int dim)
{
  int boxes = n / dim;
  if (dim > 8) return dim / 2;
  if (boxes % 2 == 0) return dim;
  if ((n / 2) % 2 == 1 && n / 2 > 1) return n / 2;
  return dim / 2;
}

static void level_shape(const oracle_spec *s, const oracle_level *finer, oracle_level *l)
{
  for (int d = 0; d < 3; d++) {
    l->n[d] = finer ? (finer->n[d] + 1) / 2 : s->n[d];
    l->h[d] = finer ? 2.0 * finer->h[d] : s->h[d];
    l->dim[d] = l->n[d];
    if (s->extrapolation_box)
      l->dim[d] = finer ? next_box(finer->n[d], finer->dim[d]) : s->extrapolation_box;
  }
  l->cells = (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
  l->stride[0] = 1;
  l->stride[1] = (size_t)l->n[0] + 4;
  l->stride[2] = l->stride[1] * ((size_t)l->n[1] + 4);
  l->size = l->stride[2] * ((size_t)l->n[2] + 4);
  oracle_widths(finer, l);
}

static void level_arrays(oracle_level *l)
{
  double **all[] = {&l->alpha, &l->beta[0], &l->beta[1], &l->beta[2], &l->diag,
                    &l->l1,    &l->u,       &l->f,       &l->r,       &l->old};
  for (size_t a = 0; a < sizeof all / sizeof *all; a++)
    *all[a] = oracle_array(l);
  for (int w = 0; w < 8; w++)
    l->work[w] = oracle_array(l);
}

static void fill(const oracle_level *l, double value, double *x)
{
  for (size_t p = 0; p < l->size; p++)
    x[p] = value;
}

static void load_faces(const oracle_level *l, int d, const double *plain, double *beta)
{
  int m[3] = {l->n[0], l->n[1], l->n[2]};
  m[d]++;
  for (int k = 0; k < m[2]; k++)
    for (int j = 0; j < m[1]; j++)
      for (int i = 0; i < m[0]; i++)
        beta[oracle_at(l, i, j, k)] = *plain++;
}

/* An array whose layer at a boundary has these values, or if there are none, the constant. */
static double *load_boundary(const oracle_level *l, int face, const double *plain, double constant)
{
  double *data = oracle_array(l);
  ORACLE_CELLS(l, i, j, k)
  {
    int at[3] = {i, j, k};
    if (at[face / 2] == (face % 2 ? l->n[face / 2] - 1 : 0))
      data[oracle_at(l, i, j, k)] = plain ? *plain++ : constant;
  }
  return data;
}

static void load_robin(const oracle_spec *s, oracle_level *l, int face)
{
  double *alpha = l->robin_alpha[face] =
      load_boundary(l, face, s->robin_alpha[face], s->robin_alpha_constant[face]);
  double *beta = l->robin_beta[face] =
      load_boundary(l, face, s->robin_beta[face], s->robin_beta_constant[face]);
  for (size_t p = 0; p < l->size; p++) {
    const double sum = alpha[p] + beta[p] / l->h[face / 2];
    if (sum == 0.0) continue;
    alpha[p] /= sum;
    beta[p] /= sum;
    if (l->boundary_data[face]) l->boundary_data[face][p] /= sum;
  }
}

static void finest_coefficients(const oracle_spec *s, oracle_level *l)
{
  fill(l, s->alpha_constant, l->alpha);
  if (s->alpha) oracle_load(l, s->alpha, l->alpha);
  for (int d = 0; d < 3; d++) {
    fill(l, s->beta_constant, l->beta[d]);
    if (s->beta[d]) load_faces(l, d, s->beta[d], l->beta[d]);
  }
  for (int face = 0; face < 6; face++) {
    if (s->boundary_data[face] || s->boundary_constant[face] != 0.0)
      l->boundary_data[face] =
          load_boundary(l, face, s->boundary_data[face], s->boundary_constant[face]);
    if (s->boundary[face] == HYMG_ROBIN) load_robin(s, l, face);
  }
}

static double beyond_edge(const oracle_level *l, bool cubic, const double *boundary_data, int at[3],
                          int t)
{
  int n = l->n[t], low = at[t] < 0;
  at[t] = low ? 0 : n - 1;
  double first = boundary_data[oracle_at(l, at[0], at[1], at[2])];
  if (n == 1) return first;
  if (cubic && n > 3) {
    const double *x = boundary_data + oracle_at(l, at[0], at[1], at[2]);
    ptrdiff_t s = low ? (ptrdiff_t)l->stride[t] : -(ptrdiff_t)l->stride[t];
    return 4.0 * x[0] - 6.0 * x[s] + 4.0 * x[2 * s] - x[3 * s];
  }
  at[t] += low ? 1 : -1;
  return 2.0 * first - boundary_data[oracle_at(l, at[0], at[1], at[2])];
}

/* Boundary data one entry beyond the boundary's own edges, which edge ghosts with data need: around
 * periodic axes, else linearly onwards, with FV4 by a cubic (the formulas leave this open). */
static void extend_boundary(const oracle_spec *s, const oracle_level *l, int face, double *data)
{
  for (int t = 0; t < 3; t++) {
    if (!data || t == face / 2) continue;
    for (int k = -1; k <= l->n[2]; k++)
      for (int j = -1; j <= l->n[1]; j++)
        for (int i = -1; i <= l->n[0]; i++) {
          int at[3] = {i, j, k};
          if (at[t] >= 0 && at[t] < l->n[t]) continue;
          double *entry = &data[oracle_at(l, i, j, k)];
          if (s->boundary[2 * t] == HYMG_PERIODIC) {
            at[t] = (at[t] + l->n[t]) % l->n[t];
            *entry = data[oracle_at(l, at[0], at[1], at[2])];
          } else {
            *entry = beyond_edge(l, s->stencil == HYMG_FV4, data, at, t);
          }
        }
  }
}

/* Neither number of a Robin condition becomes negative. */
static void extend_boundaries(const oracle_spec *s, const oracle_level *l)
{
  for (int face = 0; face < 6; face++) {
    double *robin[2] = {l->robin_alpha[face], l->robin_beta[face]};
    extend_boundary(s, l, face, l->boundary_data[face]);
    for (int m = 0; m < 2 && robin[m]; m++) {
      extend_boundary(s, l, face, robin[m]);
      for (size_t p = 0; p < l->size; p++)
        robin[m][p] = fmax(robin[m][p], 0.0);
    }
  }
}

/* x points at the first interior entry, s steps inward. */
static double extrapolated(int dim, const double *x, ptrdiff_t s)
{
  if (dim >= 5) return 5 * x[0] - 10 * x[s] + 10 * x[2 * s] - 5 * x[3 * s] + x[4 * s];
  if (dim == 4) return 4 * x[0] - 6 * x[s] + 4 * x[2 * s] - x[3 * s];
  return dim >= 2 ? 2 * x[0] - x[s] : x[0];
}

/* Ghosts of the d-faces one layer out along axis t, which is not d. */
static void beta_ghosts_along(const oracle_spec *s, oracle_level *l, int d, int t)
{
  int e = 3 - d - t, n = l->n[t];
  ptrdiff_t step = (ptrdiff_t)l->stride[t];
  for (int q = 0; q < l->n[e]; q++) {
    for (int p = 0; p <= l->n[d]; p++) {
      int at[3];
      at[t] = 0;
      at[d] = p;
      at[e] = q;
      double *low = l->beta[d] + oracle_at(l, at[0], at[1], at[2]), *high = low + (n - 1) * step;
      bool wraps = s->boundary[2 * t] == HYMG_PERIODIC;
      double below = wraps ? *high : extrapolated(l->dim[t], low, step);
      double above = wraps ? *low : extrapolated(l->dim[t], high, -step);
      low[-step] = below;
      high[step] = above;
    }
  }
}

static void beta_ghosts(const oracle_spec *s, oracle_level *l)
{
  for (int d = 0; d < 3; d++) {
    if (s->boundary[2 * d] == HYMG_PERIODIC) {
      int m[3] = {l->n[0], l->n[1], l->n[2]};
      m[d] = 1;
      for (int k = 0; k < m[2]; k++)
        for (int j = 0; j < m[1]; j++)
          for (int i = 0; i < m[0]; i++) {
            size_t p = oracle_at(l, i, j, k);
            l->beta[d][p + (size_t)l->n[d] * l->stride[d]] = l->beta[d][p];
          }
    }
    for (int t = 0; t < 3; t++)
      if (t != d) beta_ghosts_along(s, l, d, t);
  }
}

/* ---- probing ---- */

/* Colours the cells of an axis so that no row of A sees two of one colour: rows see at most `reach`
 * neighbours in a row. Returns the number of colours. */
static int colour_axis(int n, int reach, bool periodic, int *colour)
{
  int colours = 0;
  for (int i = 0; i < n; i++) {
    int c = 0;
    for (int j = 0; j < i; j++) {
      int gap = i - j;
      if (periodic && n - gap < gap) gap = n - gap;
      if (gap < reach && colour[j] == c) {
        c++;
        j = -1;
      }
    }
    colour[i] = c;
    if (c + 1 > colours) colours = c + 1;
  }
  return colours;
}

/* The cells from each cell of an axis to the nearest one of that colour; 0 where the stencil reads ghosts, which stand
 * for up to four cells. The caller frees. */
static int *distances(int n, bool periodic, const int *colour, int c)
{
  int *distance = malloc((size_t)n * sizeof *distance);
  if (!distance) abort();
  for (int i = 0; i < n; i++) {
    distance[i] = n;
    for (int j = 0; j < n; j++) {
      int gap = abs(i - j);
      if (periodic && n - gap < gap) gap = n - gap;
      if (colour[j] == c && gap < distance[i]) distance[i] = gap;
    }
    if (!periodic && (i < 2 || i >= n - 2)) distance[i] = 0;
  }
  return distance;
}

/* The largest stencil has the cells that are two steps along the axes away. */
static void probe_colour(const oracle *o, oracle_level *l, int *const colour[3], const int c[3],
                         double *sum)
{
  double *x = l->work[0];
  int *away[3];
  for (int d = 0; d < 3; d++)
    away[d] = distances(l->n[d], o->spec.boundary[2 * d] == HYMG_PERIODIC, colour[d], c[d]);
  fill(l, 0.0, x);
  ORACLE_CELLS(l, i, j, k)
  {
    if (colour[0][i] == c[0] && colour[1][j] == c[1] && colour[2][k] == c[2])
      x[oracle_at(l, i, j, k)] = 1.0;
  }
  oracle_close(o, l, oracle_operator_rule(o), false, x);
  ORACLE_CELLS(l, i, j, k)
  {
    if (away[0][i] + away[1][j] + away[2][k] > 2) continue;
    size_t p = oracle_at(l, i, j, k);
    double entry = oracle_cell(o, l, x, p);
    if (x[p] == 1.0)
      l->diag[p] = entry;
    else
      sum[p] += fabs(entry);
  }
  for (int d = 0; d < 3; d++)
    free(away[d]);
}

void oracle_probe(const oracle *o, oracle_level *l)
{
  int *colour[3], colours[3], reach = o->spec.stencil == HYMG_FV4 ? 5 : 3;
  double *sum = l->work[1];
  fill(l, 0.0, sum);
  for (int d = 0; d < 3; d++) {
    colour[d] = malloc((size_t)l->n[d] * sizeof(int));
    if (!colour[d]) abort();
    colours[d] = colour_axis(l->n[d], reach, o->spec.boundary[2 * d] == HYMG_PERIODIC, colour[d]);
  }
  for (int c = 0; c < colours[0] * colours[1] * colours[2]; c++) {
    int at[3] = {c % colours[0], c / colours[0] % colours[1], c / colours[0] / colours[1]};
    probe_colour(o, l, colour, at, sum);
  }
  for (int d = 0; d < 3; d++)
    free(colour[d]);
  l->lambda_max = 0.0;
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    double bound = (l->diag[p] + sum[p]) / l->diag[p];
    if (bound > l->lambda_max) l->lambda_max = bound;
    l->l1[p] = l->diag[p] >= 1.5 * sum[p] ? 1.0 / l->diag[p] : 1.0 / (l->diag[p] + 0.5 * sum[p]);
  }
}

/* ---- life ---- */

static bool is_singular(const oracle *o)
{
  for (int face = 0; face < 6; face++)
    if (o->spec.boundary[face] == HYMG_DIRICHLET) return false;
  const oracle_level *l = &o->level[0];
  for (int face = 0; face < 6; face++)
    for (size_t p = 0; l->robin_alpha[face] && p < l->size; p++)
      if (l->robin_alpha[face][p] > 0.0) return false;
  if (o->spec.a == 0.0) return true;
  ORACLE_CELLS(l, i, j, k)
  {
    if (l->alpha[oracle_at(l, i, j, k)] != 0.0) return false;
  }
  return true;
}

oracle *oracle_create(const oracle_spec *spec)
{
  oracle *o = calloc(1, sizeof *o);
  if (!o) abort();
  o->spec = *spec;
  const bool odd_sides = halves_odd_sides(spec);
  if (o->spec.sweeps < 0) o->spec.sweeps = spec->smoother == HYMG_SYMGS ? 4 : 6;
  for (int l = 0; l < ORACLE_LEVELS; l++) {
    oracle_level *at = &o->level[l], *finer = l > 0 ? at - 1 : NULL;
    if (finer && !coarsens(spec, finer->n, odd_sides)) break;
    level_shape(spec, finer, at);
    level_arrays(at);
    if (finer)
      oracle_coarse_coefficients(spec, finer, at);
    else
      finest_coefficients(spec, at);
    beta_ghosts(spec, at);
    if (l == 0 && spec->stencil == HYMG_FV4) oracle_limit(o, at);
    extend_boundaries(spec, at);
    oracle_probe(o, at);
    o->levels++;
  }
  o->singular = is_singular(o);
  return o;
}

void oracle_destroy(oracle *o)
{
  for (int n = 0; n < o->levels; n++) {
    oracle_level *l = &o->level[n];
    double *all[] = {l->alpha, l->beta[0], l->beta[1], l->beta[2], l->diag,
                     l->l1,    l->u,       l->f,       l->r,       l->old};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++)
      free(all[a]);
    for (int w = 0; w < 8; w++)
      free(l->work[w]);
    for (int d = 0; d < 3; d++)
      free(l->width[d]), free(l->limited[d]);
    for (int face = 0; face < 6; face++)
      free(l->boundary_data[face]), free(l->robin_alpha[face]), free(l->robin_beta[face]);
  }
  free(o);
}
