/* The robust path's levels: conductances, the choice of axes, coarse cells, interpolation. */
#include "oracle/robust.h"
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double wall_factor = 1.6; /* preconditioner of a quadratic extrapolation */

static double *zeros(size_t n)
{
  double *x = calloc(n ? n : 1, sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

static size_t cell(const robust_level *l, const int c[3])
{
  return ((size_t)c[2] * (size_t)l->n[1] + (size_t)c[1]) * (size_t)l->n[0] + (size_t)c[0];
}

/* Face f (0 ... n) of axis d on the line through cell c. */
static size_t face(const robust_level *l, int d, const int c[3], int f)
{
  size_t n[3] = {(size_t)l->n[0], (size_t)l->n[1], (size_t)l->n[2]};
  size_t at[3] = {(size_t)c[0], (size_t)c[1], (size_t)c[2]};
  n[d]++;
  at[d] = (size_t)f;
  return (at[2] * n[1] + at[1]) * n[0] + at[0];
}

static size_t faces(const robust_level *l, int d)
{
  return l->cells / (size_t)l->n[d] * (size_t)(l->n[d] + 1);
}

static bool periodic(const robust_oracle *o, int d)
{
  return o->spec.boundary[2 * d] == HYMG_PERIODIC;
}

/* Is face f of axis d on the boundary of the domain, seams not counted? */
static bool wall(const robust_oracle *o, const robust_level *l, int d, int f)
{
  return !periodic(o, d) && (f == 0 || f == l->n[d]);
}

/* Distance of the centres on both sides of face f; half a cell at a wall. */
static double distance(const robust_oracle *o, const robust_level *l, int d, int f)
{
  int n = l->n[d];
  if (wall(o, l, d, f)) return 0.5 * l->w[d][f == 0 ? 0 : n - 1];
  return 0.5 * (l->w[d][(f + n - 1) % n] + l->w[d][f % n]);
}

bool robust_is_robin(const robust_oracle *o, int side)
{
  return o->spec.boundary[side] == HYMG_ROBIN ||
         (o->spec.boundary[side] == HYMG_DIRICHLET &&
          o->spec.extrapolation == HYMG_EXTRAPOLATION_VERTEX);
}

/* Would a cell be its own neighbour along the axis? */
static bool tied(const robust_oracle *o, const robust_level *l, int d)
{
  return periodic(o, d) && l->n[d] == 1;
}

static void next_cell(const robust_level *l, int c[3])
{
  for (int d = 0; d < 3; d++) {
    if (++c[d] < l->n[d]) return;
    c[d] = 0;
  }
}

/* ---- the finest level ---- */

/* alpha and beta of the condition at a side of cell c; Dirichlet boundaries have 1 and 0. */
static void condition(const robust_oracle *o, int side, const int c[3], double *alpha, double *beta)
{
  const oracle_spec *s = &o->spec;
  int e = side / 2 == 0 ? 1 : 0, g = side / 2 == 2 ? 1 : 2;
  size_t at = (size_t)c[g] * (size_t)s->n[e] + (size_t)c[e];
  bool robin = s->boundary[side] == HYMG_ROBIN;
  *alpha = !robin                 ? 1.0
           : s->robin_alpha[side] ? s->robin_alpha[side][at]
                                  : s->robin_alpha_constant[side];
  *beta = !robin                ? 0.0
          : s->robin_beta[side] ? s->robin_beta[side][at]
                                : s->robin_beta_constant[side];
}

double robust_wall(const robust_oracle *o, int side, const int c[3], double closer, double *data)
{
  double alpha, beta, to = 0.0;
  int d = side / 2;
  condition(o, side, c, &alpha, &beta);
  if (o->spec.extrapolation == HYMG_EXTRAPOLATION_VERTEX && o->spec.boundary[side] != HYMG_ROBIN)
    to = 0.5 * o->spec.h[d];
  to += o->level->w[d][side % 2 ? o->level->n[d] - 1 : 0] / closer;
  *data = 1.0 / (alpha * to + beta);
  return alpha * *data;
}

static double finest_conductance(const robust_oracle *o, int d, const int c[3], int f)
{
  const robust_level *l = o->level;
  const oracle_spec *s = &o->spec;
  int e = (d + 1) % 3, g = (d + 2) % 3, n = l->n[d];
  if (tied(o, l, d)) return 0.0;
  if (wall(o, l, d, f) && s->boundary[2 * d + (f > 0)] == HYMG_NEUMANN) return 0.0;
  size_t at = face(l, d, c, periodic(o, d) ? f % n : f);
  double beta = s->beta[d] ? s->beta[d][at] : s->beta_constant;
  double area = s->b * beta * l->w[e][c[e]] * l->w[g][c[g]], data;
  if (!wall(o, l, d, f)) return area / distance(o, l, d, f);
  return area * robust_wall(o, 2 * d + (f > 0), c, o->quadratic ? 2.0 * wall_factor : 2.0, &data);
}

static void set_finest(robust_oracle *o, double *const widths[3])
{
  robust_level *l = o->level;
  const oracle_spec *s = &o->spec;
  l->cells = 1;
  for (int d = 0; d < 3; d++) {
    l->n[d] = s->n[d];
    l->cells *= (size_t)s->n[d];
    l->w[d] = zeros((size_t)s->n[d]);
    for (int i = 0; i < s->n[d]; i++)
      l->w[d][i] = widths && widths[d] ? widths[d][i] : s->h[d];
  }
  l->c = zeros(l->cells);
  o->volume = zeros(l->cells);
  for (int d = 0; d < 3; d++)
    l->t[d] = zeros(faces(l, d));
  int c[3] = {0};
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c)) {
    o->volume[q] = l->w[0][c[0]] * l->w[1][c[1]] * l->w[2][c[2]];
    l->c[q] = s->a * (s->alpha ? s->alpha[q] : s->alpha_constant) * o->volume[q];
    for (int d = 0; d < 3; d++)
      for (int f = c[d]; f <= c[d] + 1; f++)
        l->t[d][face(l, d, c, f)] = finest_conductance(o, d, c, f);
  }
}

/* ---- matrices ---- */

/* The neighbour of cell c across its low or high face of axis d, or false at a wall. */
static bool neighbour(const robust_oracle *o, const robust_level *l, const int c[3], int d,
                      int high, int nb[3])
{
  if (wall(o, l, d, c[d] + high)) return false;
  memcpy(nb, c, 3 * sizeof *nb);
  nb[d] = (c[d] + (high ? 1 : l->n[d] - 1)) % l->n[d];
  return true;
}

static void assemble(const robust_oracle *o, robust_level *l)
{
  l->matrix = zeros(l->cells * l->cells);
  int c[3] = {0}, nb[3];
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c)) {
    double *row = l->matrix + q * l->cells;
    row[q] += l->c[q];
    for (int side = 0; side < 6; side++) {
      int d = side / 2;
      double t = l->t[d][face(l, d, c, c[d] + side % 2)];
      row[q] += t;
      if (neighbour(o, l, c, d, side % 2, nb)) row[cell(l, nb)] -= t;
    }
  }
}

/* The operator that is solved: the ghost is -x1, or -5/2 x1 + 1/2 x2, and the flux across a wall is
 * half its conductance times (x1 - ghost). An axis of one cell has no x2. */
static void assemble_outer(robust_oracle *o)
{
  const robust_level *l = o->level;
  size_t size = l->cells * l->cells;
  o->outer = zeros(size);
  memcpy(o->outer, l->matrix, size * sizeof *o->outer);
  if (!o->quadratic) return;
  int c[3] = {0};
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c))
    for (int side = 0; side < 6; side++) {
      int d = side / 2, f = c[d] + side % 2, in[3] = {c[0], c[1], c[2]};
      if (!wall(o, l, d, f) || o->spec.boundary[side] == HYMG_NEUMANN) continue;
      double t = l->t[d][face(l, d, c, f)], data, *row = o->outer + q * l->cells;
      /* per unit of u on the boundary: t is that of a line, stiffer */
      double unit = t > 0.0 ? t / robust_wall(o, side, c, 2.0 * wall_factor, &data) : 0.0;
      row[q] -= t;
      if (l->n[d] < 2) {
        row[q] += unit * robust_wall(o, side, c, 2.0, &data);
        continue;
      }
      in[d] += side % 2 ? -1 : 1;
      double flux = unit * robust_wall(o, side, c, 3.0, &data) / 3.0;
      row[q] += flux * 3.5;
      row[cell(l, in)] -= flux * 0.5;
    }
}

/* ---- which axes ---- */

static void strengths(const robust_oracle *o, robust_level *l)
{
  double s[3] = {0};
  int c[3] = {0};
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c)) {
    double sum[3] = {0}, all = 0.0;
    for (int side = 0; side < 6; side++) {
      int d = side / 2, f = c[d] + side % 2;
      if (!wall(o, l, d, f)) sum[d] += l->t[d][face(l, d, c, f)];
    }
    all = sum[0] + sum[1] + sum[2];
    for (int d = 0; d < 3 && all > 0.0; d++)
      s[d] += sum[d] / all;
  }
  double largest = fmax(s[0], fmax(s[1], s[2]));
  for (int d = 0; d < 3; d++) {
    l->strength[d] = largest > 0.0 ? s[d] / largest : 0.0;
    if (l->n[d] > 1 && largest > 0.0 && s[d] >= 0.5 * largest) l->coarsened |= 1u << d;
  }
}

/* ---- the next level ---- */

static void coarse_cells(const robust_level *fine, robust_level *l)
{
  l->cells = 1;
  for (int d = 0; d < 3; d++) {
    int half = (int)(fine->coarsened >> d & 1);
    l->n[d] = half ? (fine->n[d] + 1) / 2 : fine->n[d];
    l->cells *= (size_t)l->n[d];
    l->w[d] = zeros((size_t)l->n[d]);
    for (int i = 0; i < fine->n[d]; i++)
      l->w[d][i >> half] += fine->w[d][i];
  }
  l->c = zeros(l->cells);
  int c[3] = {0};
  for (size_t q = 0; q < fine->cells; q++, next_cell(fine, c)) {
    int parent[3];
    for (int d = 0; d < 3; d++)
      parent[d] = c[d] >> (fine->coarsened >> d & 1);
    l->c[cell(l, parent)] += fine->c[q];
  }
}

/* Adds the fine faces of axis d on coarse faces, scaled by distance. */
static void coarse_faces(const robust_oracle *o, const robust_level *fine, robust_level *l, int d)
{
  bool halved = fine->coarsened >> d & 1;
  l->t[d] = zeros(faces(l, d));
  if (tied(o, l, d)) return;
  int c[3] = {0};
  for (size_t q = 0; q < fine->cells; q++, next_cell(fine, c)) {
    int parent[3];
    for (int e = 0; e < 3; e++)
      parent[e] = c[e] >> (fine->coarsened >> e & 1);
    for (int high = 0; high < 2; high++) {
      int f = c[d] + high, coarse = !halved ? f : f == fine->n[d] ? l->n[d] : f / 2;
      if (high && f < fine->n[d]) continue; /* the low face of the next cell */
      if (halved && f % 2 && f < fine->n[d]) continue;
      double closer = halved ? distance(o, fine, d, f) / distance(o, l, d, coarse) : 1.0;
      l->t[d][face(l, d, parent, coarse)] += closer * fine->t[d][face(fine, d, c, f)];
    }
  }
}

/* The part of the distance from cell m to its sibling that is the sibling's half. */
static double part(const robust_level *l, int d, int m)
{
  return l->w[d][m ^ 1] / (l->w[d][m] + l->w[d][m ^ 1]);
}

/* Conductance from fine cell m of the line through c to its parent's centre; infinite for a child
 * alone and beyond a wall, where the parent's centre is that of the child, or the wall itself. */
static double to_centre(const robust_oracle *o, const robust_level *l, int d, const int c[3], int m)
{
  int n = l->n[d];
  if (periodic(o, d)) m = (m + n) % n;
  if (m < 0 || m >= n || (m ^ 1) >= n) return INFINITY;
  return l->t[d][face(l, d, c, m | 1)] / part(l, d, m);
}

/* Of a halved axis with series coefficients: from centre to centre through the child below, the fine
 * face and the child above; each of the three is the sum over the lines of the coarse face. */
static void series_faces(const robust_oracle *o, const robust_level *fine, robust_level *l, int d)
{
  size_t count = faces(l, d);
  double *sum[3] = {zeros(count), zeros(count), zeros(count)};
  int c[3] = {0};
  for (size_t q = 0; q < fine->cells; q++, next_cell(fine, c)) {
    int parent[3];
    if (c[d] > 0) continue; /* a line at a time */
    for (int e = 0; e < 3; e++)
      parent[e] = c[e] >> (fine->coarsened >> e & 1);
    for (int coarse = 0; coarse <= l->n[d]; coarse++) {
      int f = coarse == l->n[d] ? fine->n[d] : 2 * coarse;
      size_t at = face(l, d, parent, coarse);
      sum[0][at] += to_centre(o, fine, d, c, f - 1);
      sum[1][at] += fine->t[d][face(fine, d, c, f)];
      sum[2][at] += to_centre(o, fine, d, c, f);
    }
  }
  l->t[d] = zeros(count);
  for (size_t at = 0; at < count; at++)
    l->t[d][at] = 1.0 / (1.0 / sum[0][at] + 1.0 / sum[1][at] + 1.0 / sum[2][at]);
  for (int m = 0; m < 3; m++)
    free(sum[m]);
}

/* The faces of Robin boundaries are in series whatever the transfer. */
static void robin_faces(const robust_oracle *o, const robust_level *fine, robust_level *l, int d)
{
  robust_level series = *l;
  if (!(fine->coarsened >> d & 1) || periodic(o, d)) return;
  series_faces(o, fine, &series, d);
  int c[3] = {0};
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c))
    for (int high = 0; high < 2; high++) {
      size_t at = face(l, d, c, c[d] + high);
      if (wall(o, l, d, c[d] + high) && robust_is_robin(o, 2 * d + high))
        l->t[d][at] = series.t[d][at];
    }
  free(series.t[d]);
}

/* ---- interpolation ---- */

/* Weight of the coarse neighbour along axis d for the child c, before damping. */
static double raw_weight(const robust_oracle *o, const robust_level *l, int d, const int c[3])
{
  int i = c[d], n = l->n[d], high = i & 1, nb[3];
  if ((i ^ 1) >= n) return 0.0;
  const double *t = l->t[d];
  double towards = t[face(l, d, c, i + high)], inner = t[face(l, d, c, (i | 1))], out = 0.0;
  if (towards == 0.0) return 0.0;
  if (neighbour(o, l, c, d, high, nb)) {
    int m = nb[d];
    if ((m ^ 1) < n) out = part(l, d, m) / t[face(l, d, c, m | 1)];
  }
  double in = part(l, d, i) / inner;
  if (isinf(in)) return isinf(out) ? 0.5 : 1.0;
  return in / (in + 1.0 / towards + out);
}

static void weights(const robust_oracle *o, const robust_level *l, const int c[3], double w[3])
{
  double t[3] = {0}, largest = 0.0;
  for (int d = 0; d < 3; d++) {
    w[d] = 0.0;
    if (!(l->coarsened >> d & 1)) continue;
    t[d] = l->t[d][face(l, d, c, c[d])] + l->t[d][face(l, d, c, c[d] + 1)];
    largest = fmax(largest, t[d]);
  }
  if (o->transfer == HYMG_TRANSFER_CONSTANT) return;
  for (int d = 0; d < 3; d++) {
    if (!(l->coarsened >> d & 1)) continue;
    w[d] = raw_weight(o, l, d, c);
    if (o->transfer != HYMG_TRANSFER_TENSOR) w[d] *= fmin(1.0, 2.0 * t[d] / largest);
  }
}

/* Tensor: each of the 8 coarse cells around c gets the product of w or 1 - w over the axes; what
 * falls beyond a wall is lost. */
static void spread(const robust_oracle *o, const robust_level *l, const robust_level *coarse,
                   const int c[3], const double w[3], double *row)
{
  for (int corner = 0; corner < 8; corner++) {
    double product = 1.0;
    int at[3], nb[3];
    for (int d = 0; d < 3; d++) {
      bool other = corner >> d & 1;
      product *= other ? w[d] : 1.0 - w[d];
      at[d] = c[d] >> (l->coarsened >> d & 1);
      if (!other || product == 0.0) continue;
      if (!neighbour(o, l, c, d, c[d] & 1, nb))
        product = 0.0;
      else
        at[d] = nb[d] / 2;
    }
    if (product != 0.0) row[cell(coarse, at)] += product;
  }
}

static void interpolation(const robust_oracle *o, robust_level *l, const robust_level *coarse)
{
  l->p = zeros(l->cells * coarse->cells);
  int c[3] = {0}, nb[3];
  for (size_t q = 0; q < l->cells; q++, next_cell(l, c)) {
    double w[3], *row = l->p + q * coarse->cells;
    int parent[3];
    for (int d = 0; d < 3; d++)
      parent[d] = c[d] >> (l->coarsened >> d & 1);
    weights(o, l, c, w);
    if (o->transfer == HYMG_TRANSFER_TENSOR) {
      spread(o, l, coarse, c, w, row);
      continue;
    }
    row[cell(coarse, parent)] += 1.0 - w[0] - w[1] - w[2];
    for (int d = 0; d < 3; d++) {
      if (w[d] == 0.0 || !neighbour(o, l, c, d, c[d] & 1, nb)) continue;
      int other[3] = {parent[0], parent[1], parent[2]};
      other[d] = nb[d] / 2;
      row[cell(coarse, other)] += w[d];
    }
  }
}

robust_oracle *robust_create(const oracle_spec *spec, double *const widths[3],
                             hymg_transfer transfer)
{
  robust_oracle *o = calloc(1, sizeof *o);
  ck_assert_ptr_nonnull(o);
  o->spec = *spec;
  o->transfer = transfer;
  o->singular = true;
  bool equal = !widths || (!widths[0] && !widths[1] && !widths[2]);
  for (int side = 0; side < 6; side++) {
    if (spec->boundary[side] == HYMG_DIRICHLET) o->singular = false;
    if (spec->boundary[side] == HYMG_ROBIN &&
        (spec->robin_alpha[side] || spec->robin_alpha_constant[side] > 0.0))
      o->singular = false;
    if (spec->boundary[side] != HYMG_DIRICHLET && spec->boundary[side] != HYMG_ROBIN) continue;
    if (equal && spec->extrapolation != HYMG_EXTRAPOLATION_LINEAR &&
        spec->extrapolation != HYMG_EXTRAPOLATION_VERTEX && spec->n[side / 2] > 1)
      o->quadratic = true;
  }
  set_finest(o, widths);
  for (size_t q = 0; q < o->level->cells; q++)
    if (o->level->c[q] > 0.0) o->singular = false;
  for (robust_level *l = o->level;; l++) {
    o->levels++;
    assemble(o, l);
    strengths(o, l);
    if (!l->coarsened) break;
    coarse_cells(l, l + 1);
    for (int d = 0; d < 3; d++)
      if (transfer == HYMG_TRANSFER_TENSOR && l->coarsened >> d & 1 && !tied(o, l + 1, d))
        series_faces(o, l, l + 1, d);
      else {
        coarse_faces(o, l, l + 1, d);
        robin_faces(o, l, l + 1, d);
      }
    interpolation(o, l, l + 1);
  }
  assemble_outer(o);
  return o;
}

void robust_destroy(robust_oracle *o)
{
  for (int i = 0; i < o->levels; i++) {
    robust_level *l = o->level + i;
    for (int d = 0; d < 3; d++) {
      free(l->w[d]);
      free(l->t[d]);
    }
    free(l->c);
    free(l->matrix);
    free(l->p);
  }
  free(o->volume);
  free(o->outer);
  free(o);
}
