/* The oracle's operators: ghost extrapolations, the 7- and 25-point stencils, restriction and
 * interpolation. A u = a alpha u - b div(beta grad u), cell averages, face coefficients at the low
 * face. */
#include "oracle/oracle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

double *oracle_array(const oracle_level *l)
{
  double *x = calloc(l->size, sizeof *x);
  if (!x) abort();
  return x;
}

void oracle_load(const oracle_level *l, const double *plain, double *ghosted)
{
  ORACLE_CELLS(l, i, j, k) ghosted[oracle_at(l, i, j, k)] = *plain++;
}

void oracle_store(const oracle_level *l, const double *ghosted, double *plain)
{
  ORACLE_CELLS(l, i, j, k) *plain++ = ghosted[oracle_at(l, i, j, k)];
}

int oracle_operator_rule(const oracle *o)
{
  if (o->spec.stencil == HYMG_FV4) return 4;
  return o->spec.extrapolation == HYMG_EXTRAPOLATION_LINEAR   ? 1
         : o->spec.extrapolation == HYMG_EXTRAPOLATION_VERTEX ? 5
                                                              : 3;
}

/* The order of extrapolation on an axis of dim cells: 4 needs four cells, 2 and 3 need two. */
static int rule_in_force(int rule, int dim)
{
  if (rule == 4 && dim < 4) rule = 2;
  if (rule != 4 && dim < 2) rule = 1;
  return rule;
}

/* Rule 5 is the line to a boundary that is half a width of level 0 beyond the face, or, with a Robin
 * condition, on it.
 * Behind a narrower cell the extrapolation is linear, but for rule 3 with two cells; elsewhere rule 3
 * is rule 2. */
static int boundary_rule(const oracle_level *l, int face, int rule)
{
  if (rule == 5) return 5;
  rule = rule_in_force(rule, l->dim[face / 2]);
  if (!oracle_is_narrow(l, face)) return rule == 3 ? 2 : rule;
  return rule == 3 && l->n[face / 2] > 1 ? 3 : 1;
}

/* Both ghosts of one boundary; x points at the first interior cell, s steps inward. */
static void close_dirichlet(int rule, double w, double *x, ptrdiff_t s)
{
  double x1 = x[0], x2 = x[s];
  x[-2 * s] = 0.0;
  if (rule == 1) {
    x[-s] = -x1 + 2.0 * w;
  } else if (rule == 2) {
    x[-s] = -2.5 * x1 + 0.5 * x2 + 3.0 * w;
  } else {
    double x3 = x[2 * s], x4 = x[3 * s];
    x[-s] = (-77.0 * x1 + 43.0 * x2 - 17.0 * x3 + 3.0 * x4) / 12.0 + 5.0 * w;
    x[-2 * s] = (-505.0 * x1 + 335.0 * x2 - 145.0 * x3 + 27.0 * x4) / 12.0 + 25.0 * w;
  }
}

/* FV4: the polynomial of degree 4 with the means of four cells and, at the boundary, h times the outward
 * derivative q. */
static void close_neumann4(double q, double *x, ptrdiff_t s)
{
  double x1 = x[0], x2 = x[s], x3 = x[2 * s], x4 = x[3 * s];
  x[-s] = 0.5 * x1 + 0.9 * x2 - 0.5 * x3 + 0.1 * x4 + 1.2 * q;
  x[-2 * s] = -7.5 * x1 + 14.5 * x2 - 7.5 * x3 + 1.5 * x4 + 6.0 * q;
}

static void close_narrow(const oracle_level *l, int face, double w, double *x, ptrdiff_t s)
{
  double weight[3];
  oracle_narrow_ghost(l, face, weight);
  x[-2 * s] = 0.0;
  x[-s] = weight[0] * w + weight[1] * x[0] + weight[2] * x[s];
}

/* The ghost for the value w on the boundary. */
static void close_value(const oracle *o, const oracle_level *l, int face, int rule, double w,
                        double *x, ptrdiff_t s)
{
  int d = face / 2;
  double width = l->h[d] * l->width[d][face % 2 ? l->n[d] - 1 : 0];
  double further = o->spec.boundary[face] == HYMG_ROBIN ? 0.0 : 0.5 * o->spec.h[d];
  rule = boundary_rule(l, face, rule);
  if (rule == 5)
    x[-s] = x[0] + (w - x[0]) * width / (0.5 * width + further), x[-2 * s] = 0.0;
  else if (rule == 3)
    close_narrow(l, face, w, x, s);
  else
    close_dirichlet(rule, w, x, s);
}

/* Finds the value on the boundary for which alpha u + beta du/dn = w. */
static void close_robin(const oracle *o, const oracle_level *l, int face, size_t at, int rule,
                        double w, double *x, ptrdiff_t s)
{
  int d = face / 2;
  double width = l->h[d] * l->width[d][face % 2 ? l->n[d] - 1 : 0], ghost[2];
  double alpha = l->robin_alpha[face][at], beta = l->robin_beta[face][at];
  for (int m = 0; m < 2; m++) {
    close_value(o, l, face, rule, m, x, s);
    ghost[m] = x[-s];
  }
  double value =
      (w - beta * (ghost[0] - x[0]) / width) / (alpha + beta * (ghost[1] - ghost[0]) / width);
  close_value(o, l, face, rule, value, x, s);
}

/* The ghosts beyond a boundary; at: the cell there, to which x points. */
static void close_boundary(const oracle *o, const oracle_level *l, int face, size_t at, int rule,
                           double w, double *x, ptrdiff_t s)
{
  int d = face / 2;
  if (o->spec.boundary[face] == HYMG_NEUMANN)
    x[-s] = x[0] + l->h[d] * l->width[d][face % 2 ? l->n[d] - 1 : 0] * w;
  else if (o->spec.boundary[face] == HYMG_ROBIN)
    close_robin(o, l, face, at, rule, w, x, s);
  else
    close_value(o, l, face, rule, w, x, s);
}

static void fill_line(const oracle *o, const oracle_level *l, int d, int rule, bool data, double *x,
                      size_t p)
{
  int n = l->n[d];
  ptrdiff_t s = (ptrdiff_t)l->stride[d];
  if (o->spec.boundary[2 * d] == HYMG_PERIODIC) {
    for (int g = 1; g <= 2; g++) {
      int low = ((-g) % n + n) % n, high = (n - 1 + g) % n;
      x[(ptrdiff_t)p - g * s] = x[(ptrdiff_t)p + low * s];
      x[(ptrdiff_t)p + (n - 1 + g) * s] = x[(ptrdiff_t)p + high * s];
    }
    return;
  }
  for (int side = 0; side < 2; side++) {
    size_t at = p + (size_t)(side ? (n - 1) * s : 0);
    ptrdiff_t in = side ? -s : s;
    const double *boundary_data = l->boundary_data[2 * d + side];
    double w = data && boundary_data ? boundary_data[at] : 0.0;
    if (o->spec.boundary[2 * d + side] == HYMG_NEUMANN && rule == 4)
      close_neumann4(l->h[d] * w, x + at, in);
    else
      close_boundary(o, l, 2 * d + side, at, rule, w, x + at, in);
  }
}

/* Axis by axis, each later axis also over the ghosts of the earlier ones: the tensor product;
 * periodic axes first. Ghosts at edges with data on both boundaries depend on the order: z, y, x. */
void oracle_close(const oracle *o, const oracle_level *l, int rule, bool data, double *x)
{
  int ghost[3] = {0, 0, 0};
  for (int pass = 0; pass < 2; pass++) {
    for (int d = 2; d >= 0; d--) {
      bool periodic = o->spec.boundary[2 * d] == HYMG_PERIODIC;
      if (periodic != (pass == 0)) continue;
      int s = d == 0 ? 1 : 0, t = d == 2 ? 1 : 2;
      for (int q = -ghost[t]; q < l->n[t] + ghost[t]; q++) {
        for (int p = -ghost[s]; p < l->n[s] + ghost[s]; p++) {
          int at[3] = {0, 0, 0};
          at[s] = p;
          at[t] = q;
          fill_line(o, l, d, rule, data, x, oracle_at(l, at[0], at[1], at[2]));
        }
      }
      ghost[d] = 2;
    }
  }
}

/* The index along d of the low d-face of cell p. */
static int face_index(const oracle_level *l, int d, size_t p)
{
  return (int)(p % (d < 2 ? l->stride[d + 1] : l->size) / l->stride[d]) - 2;
}

/* The low d-face of the cell `step` cells along d from p, as that of a cell of the level, if the limiter
 * compares it with that of p; else p. Near a boundary it compares all faces of the four cells from which
 * ghosts are extrapolated. */
static size_t neighbour_of(const oracle *o, const oracle_level *l, int d, size_t p, int step)
{
  bool wraps = o->spec.boundary[2 * d] == HYMG_PERIODIC;
  int n = l->n[d], face = face_index(l, d, p), to = face + step;
  bool low = !wraps && face <= 1 && to <= 3, high = !wraps && face >= n - 1 && to >= n - 3;
  if (abs(step) > 1 && !low && !high) return p;
  if (wraps) to = (to % n + n) % n;
  if (to < 0 || to > n) return p;
  return p + (size_t)to * l->stride[d] - (size_t)face * l->stride[d];
}

/* Does beta vary by more than the factor among the low d-face of cell p and its neighbours? */
static bool is_at_jump(const oracle *o, const oracle_level *l, int d, size_t p)
{
  const double *beta = l->beta[d];
  double least = beta[p], largest = beta[p];
  for (int step = -3; step <= 3; step++) {
    double b = beta[neighbour_of(o, l, d, p, step)];
    least = b < least ? b : least, largest = b > largest ? b : largest;
  }
  for (int t = 0; t < 3; t++) {
    double up = beta[p + l->stride[t]], down = beta[p - l->stride[t]];
    if (t == d) continue;
    least = up < least ? up : least, largest = up > largest ? up : largest;
    least = down < least ? down : least, largest = down > largest ? down : largest;
  }
  return largest > o->spec.limiter * least;
}

/* 1 in cells with a face of beta 0; in ghosts, where one of the cells from which they are filled is so. */
static double *closed_cells(const oracle *o, oracle_level *l)
{
  double *closed = oracle_array(l);
  int ghost[3] = {0, 0, 0};
  ORACLE_CELLS(l, i, j, k)
  {
    const size_t p = oracle_at(l, i, j, k);
    for (int d = 0; d < 3; d++)
      if (l->beta[d][p] == 0.0 || l->beta[d][p + l->stride[d]] == 0.0)
        closed[p] = 1.0, l->closed = true;
  }
  for (int d = 2; d >= 0; d--) {
    const int s = d == 0 ? 1 : 0, t = d == 2 ? 1 : 2, n = l->n[d];
    const bool wraps = o->spec.boundary[2 * d] == HYMG_PERIODIC;
    for (int q = -ghost[t]; q < l->n[t] + ghost[t]; q++)
      for (int p = -ghost[s]; p < l->n[s] + ghost[s]; p++)
        for (int g = -2; g < n + 2; g++) {
          int at[3] = {0, 0, 0}, from[3];
          if (g >= 0 && g < n) continue;
          at[s] = p, at[t] = q, at[d] = g;
          double *ghost_cell = &closed[oracle_at(l, at[0], at[1], at[2])];
          for (int m = 0; m < (wraps ? 1 : 4 < n ? 4 : n); m++) {
            from[s] = p, from[t] = q;
            from[d] = wraps ? (g + 2 * n) % n : g < 0 ? m : n - 1 - m;
            if (closed[oracle_at(l, from[0], from[1], from[2])] != 0.0) *ghost_cell = 1.0;
          }
        }
    ghost[d] = 2;
  }
  return closed;
}

/* Does the flux of 4th order through the low d-face of cell p read a closed cell? */
static bool reads_closed(const oracle_level *l, const double *closed, int d, size_t p)
{
  const size_t s = l->stride[d];
  double sum = closed[p] + closed[p - s] + closed[p + s] + closed[p - 2 * s];
  for (int t = 0; t < 3; t++) {
    const size_t v = l->stride[t];
    if (t != d) sum += closed[p + v] + closed[p - v] + closed[p - s + v] + closed[p - s - v];
  }
  return sum > 0.0;
}

/* Marks the low d-faces with a jump at them or at their neighbours along d, or whose fluxes read closed cells. */
void oracle_limit(const oracle *o, oracle_level *l)
{
  double *jumps = oracle_array(l), *closed = closed_cells(o, l);
  for (int d = 0; d < 3; d++) {
    int n[3] = {l->n[0], l->n[1], l->n[2]};
    n[d]++;
    l->limited[d] = oracle_array(l);
    for (int pass = 0; pass < 2; pass++)
      for (int m = 0; m < n[0] * n[1] * n[2]; m++) {
        size_t p = oracle_at(l, m % n[0], m / n[0] % n[1], m / n[0] / n[1]);
        if (pass == 0)
          jumps[p] =
              (o->spec.limiter > 0 && is_at_jump(o, l, d, p)) || reads_closed(l, closed, d, p);
        for (int step = -3; step <= 3 && pass == 1; step++)
          if (jumps[neighbour_of(o, l, d, p, step)] != 0.0) l->limited[d][p] = 1.0;
      }
  }
  free(jumps);
  free(closed);
}

/* h times the flux of FV2 through that face, with linear extrapolation. */
static double flux2(const oracle *o, const oracle_level *l, int d, const double *x, size_t p)
{
  bool wraps = o->spec.boundary[2 * d] == HYMG_PERIODIC;
  size_t s = l->stride[d];
  int face = face_index(l, d, p);
  double low = face == 0 && !wraps ? -x[p] : x[p - s];
  double high = face == l->n[d] && !wraps ? -x[p - s] : x[p];
  return l->beta[d][p] * (high - low);
}

/* The boundary on which the low d-face of cell p lies, or -1. */
static int boundary_at(const oracle *o, const oracle_level *l, int d, size_t p)
{
  int face = face_index(l, d, p);
  if (o->spec.boundary[2 * d] == HYMG_PERIODIC || (face > 0 && face < l->n[d])) return -1;
  return 2 * d + (face > 0);
}

/* h times the flux through the low d-face of cell p, fourth order. Nothing flows through a Neumann
 * boundary but what the data say. */
static double flux4(const oracle *o, const oracle_level *l, int d, const double *x, size_t p)
{
  const hymg_boundary *ends = o->spec.boundary + 2 * d;
  int boundary = ends[0] == HYMG_NEUMANN || ends[1] == HYMG_NEUMANN ? boundary_at(o, l, d, p) : -1;
  if (boundary >= 0 && o->spec.boundary[boundary] == HYMG_NEUMANN) return 0.0;

  size_t s = l->stride[d];
  const double *beta = l->beta[d];
  if (l->limited[d] && l->limited[d][p] != 0.0) return flux2(o, l, d, x, p);
  double sum = beta[p] * (15.0 * (x[p] - x[p - s]) - (x[p + s] - x[p - 2 * s]));
  for (int t = 0; t < 3; t++) {
    if (t == d) continue;
    size_t v = l->stride[t];
    double up = x[p + v] - x[p + v - s], down = x[p - v] - x[p - v - s];
    sum += 0.25 * (beta[p + v] - beta[p - v]) * (up - down);
  }
  return sum / 12.0;
}

/* alpha of the cell `step` below (-1) or above (1) cell p along axis d; beyond a boundary by the polynomial
 * of degree 4 (3, 1) through the means of the 5 (4; 3 or 2) cells inside. */
static double alpha_beside(const oracle *o, const oracle_level *l, int d, size_t p, int step)
{
  static const double weight[6][5] = {
      {0}, {1}, {2, -1}, {2, -1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}};
  ptrdiff_t s = (ptrdiff_t)l->stride[d];
  int n = l->n[d], i = (int)(p % (d < 2 ? l->stride[d + 1] : l->size) / l->stride[d]) - 2;
  const double *at = l->alpha + p;
  if (i + step >= 0 && i + step < n) return at[step * s];
  if (o->spec.boundary[2 * d] == HYMG_PERIODIC) return at[(i ? -i : n - 1) * s];
  double sum = 0.0;
  for (int m = 0; m < 5 && m < l->dim[d]; m++)
    sum += weight[l->dim[d] < 5 ? l->dim[d] : 5][m] * at[-m * step * s];
  return sum;
}

/* What the mean of alpha x over cell p is more than the product of the means: h^2/12 (d alpha/ds) (dx/ds)
 * along each axis s, with closed faces only between faces with the flux of 4th order. */
static double mean_part(const oracle *o, const oracle_level *l, const double *x, size_t p)
{
  double sum = 0.0;
  for (int d = 0; d < 3; d++) {
    size_t s = l->stride[d];
    double low = alpha_beside(o, l, d, p, -1), high = alpha_beside(o, l, d, p, 1);
    double least = fmin(l->alpha[p], fmin(low, high)), most = fmax(l->alpha[p], fmax(low, high));
    if (most > o->spec.alpha_limiter * least) continue;
    if (l->closed && (l->limited[d][p] != 0.0 || l->limited[d][p + s] != 0.0)) continue;
    sum += 0.5 * (high - low) * 0.5 * (x[p + s] - x[p - s]) / 12.0;
  }
  return sum;
}

double oracle_cell(const oracle *o, const oracle_level *l, const double *x, size_t p)
{
  double sum = 0.0;
  for (int d = 0; d < 3; d++) {
    size_t s = l->stride[d];
    double low, high;
    if (o->spec.stencil == HYMG_FV4) {
      low = flux4(o, l, d, x, p);
      high = flux4(o, l, d, x, p + s);
    } else {
      low = l->beta[d][p] * (x[p] - x[p - s]);
      high = l->beta[d][p + s] * (x[p + s] - x[p]);
    }
    sum += (high - low) / (l->h[d] * l->h[d]);
  }
  double mean = l->alpha[p] * x[p];
  if (o->spec.stencil == HYMG_FV4 && o->spec.alpha_limiter > 0.0 && l == o->level)
    mean += mean_part(o, l, x, p);
  return o->spec.a * mean - o->spec.b * sum;
}

void oracle_apply_ghosted(const oracle *o, const oracle_level *l, double *x, double *y)
{
  oracle_close(o, l, oracle_operator_rule(o), false, x);
  ORACLE_CELLS(l, i, j, k) y[oracle_at(l, i, j, k)] = oracle_cell(o, l, x, oracle_at(l, i, j, k));
}

void oracle_residual_ghosted(const oracle *o, const oracle_level *l, const double *f, double *x,
                             double *r)
{
  oracle_close(o, l, oracle_operator_rule(o), false, x);
  ORACLE_CELLS(l, i, j, k)
  {
    size_t p = oracle_at(l, i, j, k);
    r[p] = f[p] - oracle_cell(o, l, x, p);
  }
}

static void add_boundaries4(const oracle *o, const oracle_level *l, double *f)
{
  double *x = oracle_array(l);
  oracle_close(o, l, 4, true, x);
  ORACLE_CELLS(l, i, j, k)
  {
    int at[3] = {i, j, k};
    size_t p = oracle_at(l, i, j, k);
    f[p] -= oracle_cell(o, l, x, p);
    for (int face = 0; face < 6; face++) {
      int d = face / 2;
      size_t low = p + (face % 2 ? l->stride[d] : 0);
      const double *q = l->boundary_data[face], *beta = l->beta[d];
      if (!q || at[d] != (face % 2 ? l->n[d] - 1 : 0)) continue;
      double scale = o->spec.b / l->h[d], sum = beta[low] * q[p];
      bool limited = l->limited[d] && l->limited[d][low] != 0.0;
      if (o->spec.boundary[face] == HYMG_NEUMANN) {
        for (int t = 0; t < 3; t++) {
          size_t v = l->stride[t];
          if (t != d && !limited)
            sum += (beta[low + v] - beta[low - v]) * (q[p + v] - q[p - v]) / 48.0;
        }
        f[p] += scale * sum;
      } else if (limited) {
        f[p] += 2.0 * scale / l->h[d] * sum;
      }
    }
  }
  free(x);
}

/* b beta / h^2 times what the data add to the ghost: Dirichlet: c w with c = 2 (v1) or 3 (v2); Neumann: h
 * q. beta of a narrower cell is that of the face over the cell's width. */
void oracle_add_boundaries(const oracle *o, const oracle_level *l, double *f)
{
  if (o->spec.stencil == HYMG_FV4) {
    add_boundaries4(o, l, f);
    return;
  }
  for (int face = 0; face < 6; face++) {
    if (!l->boundary_data[face] || o->spec.boundary[face] == HYMG_PERIODIC) continue;
    int d = face / 2, layer = face % 2 ? l->n[d] - 1 : 0;
    ORACLE_CELLS(l, i, j, k)
    {
      int at[3] = {i, j, k};
      if (at[d] != layer) continue;
      size_t p = oracle_at(l, i, j, k);
      double beta = l->beta[d][p + (face % 2 ? l->stride[d] : 0)];
      double x[5] = {0.0}; /* two ghosts, then cells with u = 0 */
      close_boundary(o, l, face, p, oracle_operator_rule(o), l->boundary_data[face][p], x + 2, 1);
      f[p] += o->spec.b * beta * x[1] / (l->h[d] * l->h[d]);
    }
  }
}

void oracle_restrict_ghosted(const oracle_level *fine, const double *x, const oracle_level *coarse,
                             double *y)
{
  ORACLE_CELLS(coarse, i, j, k)
  {
    double sum = 0.0;
    for (int c = 0; c < 8; c++) {
      int child[3] = {2 * i + c % 2, 2 * j + c / 2 % 2, 2 * k + c / 4};
      if (child[0] < fine->n[0] && child[1] < fine->n[1] && child[2] < fine->n[2])
        sum += x[oracle_at(fine, child[0], child[1], child[2])];
    }
    y[oracle_at(coarse, i, j, k)] = sum / 8.0;
  }
}

/* Weights of coarse cells I-2 ... I+2 for the even child of I; the odd child mirrors them. */
static const double *weights(int order)
{
  static const double p0[5] = {0, 0, 1, 0, 0}, p1[5] = {0, 0.25, 0.75, 0, 0};
  static const double v2[5] = {0, 0.125, 1, -0.125, 0};
  static const double v4[5] = {-3.0 / 128, 22.0 / 128, 1, -22.0 / 128, 3.0 / 128};
  return order == 0 ? p0 : order == 1 ? p1 : order == 2 ? v2 : v4;
}

static double interpolated(const oracle_level *c, const double *w, const double *x,
                           const int child[3])
{
  double sum = 0.0, along[3][5];
  int at[3] = {child[0] / 2, child[1] / 2, child[2] / 2};
  for (int n = 0; n < 15; n++)
    along[n / 5][n % 5] = w[2 + (child[n / 5] % 2 ? 2 - n % 5 : n % 5 - 2)];
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < 5 && along[2][k] != 0.0; j++)
      for (int i = 0; i < 5 && along[1][j] != 0.0; i++)
        if (along[0][i] != 0.0)
          sum += along[0][i] * along[1][j] * along[2][k] *
                 x[oracle_at(c, at[0] + i - 2, at[1] + j - 2, at[2] + k - 2)];
  return sum;
}

void oracle_prolong_ghosted(const oracle *o, int l, int order, bool data, double *coarse,
                            double *fine, bool add)
{
  const oracle_level *lf = &o->level[l], *lc = &o->level[l + 1];
  /* the extrapolation of an interpolation has its own order: linear with p1 */
  int rule = oracle_operator_rule(o);
  if (rule != 5) rule = order == 4 ? 4 : order == 1 || rule == 1 ? 1 : 2;
  if (oracle_has_odd_side(lf)) {
    oracle_parabolas(o, l, coarse, fine, add);
    return;
  }
  oracle_close(o, lc, rule, data, coarse);
  ORACLE_CELLS(lf, i, j, k)
  {
    size_t p = oracle_at(lf, i, j, k);
    int child[3] = {i, j, k};
    fine[p] = (add ? fine[p] : 0.0) + interpolated(lc, weights(order), coarse, child);
  }
}

/* ---- the same on plain arrays ---- */

void oracle_apply(oracle *o, int l, const double *x, double *y)
{
  oracle_level *at = &o->level[l];
  oracle_load(at, x, at->work[0]);
  oracle_apply_ghosted(o, at, at->work[0], at->work[1]);
  oracle_store(at, at->work[1], y);
}

void oracle_residual(oracle *o, int l, const double *f, const double *u, double *r)
{
  oracle_level *at = &o->level[l];
  oracle_load(at, f, at->work[2]);
  oracle_add_boundaries(o, at, at->work[2]);
  oracle_load(at, u, at->work[0]);
  oracle_residual_ghosted(o, at, at->work[2], at->work[0], at->work[1]);
  oracle_store(at, at->work[1], r);
}

void oracle_restrict(oracle *o, int l, const double *fine, double *coarse)
{
  oracle_level *lf = &o->level[l], *lc = &o->level[l + 1];
  oracle_load(lf, fine, lf->work[0]);
  oracle_restrict_ghosted(lf, lf->work[0], lc, lc->work[0]);
  oracle_store(lc, lc->work[0], coarse);
}

void oracle_interpolate(oracle *o, int l, int order, bool with_data, const double *coarse,
                        double *fine)
{
  oracle_level *lf = &o->level[l], *lc = &o->level[l + 1];
  oracle_load(lc, coarse, lc->work[0]);
  oracle_prolong_ghosted(o, l, order, with_data, lc->work[0], lf->work[0], false);
  oracle_store(lf, lf->work[0], fine);
}

void oracle_smooth(oracle *o, int l, const double *f, double *u)
{
  oracle_level *at = &o->level[l];
  oracle_load(at, f, at->f);
  oracle_load(at, u, at->u);
  oracle_smooth_ghosted(o, at, at->f, at->u);
  oracle_store(at, at->u, u);
}
