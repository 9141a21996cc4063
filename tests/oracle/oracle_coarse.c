/* How the oracle makes a coarser level: sums over the children, of which the last cell of an odd side
 * has but one along its axis, and interpolation between centres that are not evenly spaced. */
#include "oracle/oracle.h"
#include <stdlib.h>

void oracle_widths(const oracle_level *finer, oracle_level *l)
{
  for (int d = 0; d < 3; d++) {
    l->width[d] = malloc((size_t)l->n[d] * sizeof(double));
    if (!l->width[d]) abort();
    for (int i = 0; i < l->n[d]; i++) {
      l->width[d][i] = 1.0;
      if (!finer) continue;
      const double *w = finer->width[d] + 2 * i;
      l->width[d][i] = 0.5 * (w[0] + (2 * i + 1 < finer->n[d] ? w[1] : 0.0));
    }
  }
}

bool oracle_has_odd_side(const oracle_level *l)
{
  return l->n[0] % 2 || l->n[1] % 2 || l->n[2] % 2;
}

bool oracle_is_narrow(const oracle_level *l, int face)
{
  return l->width[face / 2][face % 2 ? l->n[face / 2] - 1 : 0] < 1.0;
}

static double determinant(double m[3][3])
{
  double sum = 0.0;
  for (int c = 0; c < 3; c++)
    sum +=
        m[0][c] * (m[1][(c + 1) % 3] * m[2][(c + 2) % 3] - m[1][(c + 2) % 3] * m[2][(c + 1) % 3]);
  return sum;
}

/* u = a + p t + q t^2 at the distance t from the boundary: the equations are u(0) and the means over
 * both cells. The ghost is the cell's value less width times p, which Cramer's rule finds for each
 * unit right-hand side. */
void oracle_narrow_ghost(const oracle_level *l, int face, double weight[3])
{
  const int last = l->n[face / 2] - 1;
  const double from = l->width[face / 2][last], to = from + l->width[face / 2][last - 1];
  const double length = to - from;
  for (int c = 0; c < 3; c++) {
    double m[3][3] = {
        {1.0, 0.0, 0.0},
        {1.0, from / 2.0, from * from / 3.0},
        {1.0, (to * to - from * from) / (2.0 * length),
         (to * to * to - from * from * from) / (3.0 * length)},
    };
    const double all = determinant(m);
    for (int r = 0; r < 3; r++)
      m[r][1] = r == c ? 1.0 : 0.0;
    weight[c] = (c == 1 ? 1.0 : 0.0) - from * determinant(m) / all;
  }
}

/* Distance of the centres on both sides of face i of axis d; at a boundary, from the centre to it. */
static double distance(const oracle_spec *s, const oracle_level *l, int d, int i)
{
  const int n = l->n[d];
  const double *w = l->width[d];
  double sum;
  if (i > 0 && i < n)
    sum = w[i - 1] + w[i];
  else if (s->boundary[2 * d] == HYMG_PERIODIC)
    sum = w[n - 1] + w[0];
  else
    sum = i == 0 ? w[0] : w[n - 1];
  return 0.5 * sum * l->h[d];
}

/* Sum over the 1, 2 or 4 fine entries of a layer (of faces, or at a boundary) under the coarse entry
 * at[]; count: how many. */
static double sum_of_layer(const oracle_level *f, const double *x, int d, const int at[3],
                           int layer, int *count)
{
  double sum = 0.0;
  int s = (d + 1) % 3, t = (d + 2) % 3;
  *count = 0;
  for (int c = 0; c < 4; c++) {
    int q[3];
    q[d] = layer;
    q[s] = 2 * at[s] + c % 2;
    q[t] = 2 * at[t] + c / 2;
    if (q[s] >= f->n[s] || q[t] >= f->n[t]) continue;
    sum += x[oracle_at(f, q[0], q[1], q[2])];
    (*count)++;
  }
  return sum;
}

static void coarse_faces(const oracle_spec *s, const oracle_level *f, oracle_level *c, int d)
{
  int m[3] = {c->n[0], c->n[1], c->n[2]}, count;
  m[d]++;
  for (int k = 0; k < m[2]; k++)
    for (int j = 0; j < m[1]; j++)
      for (int i = 0; i < m[0]; i++) {
        int at[3] = {i, j, k}, fine = at[d] == c->n[d] ? f->n[d] : 2 * at[d];
        double ratio = distance(s, f, d, fine) / distance(s, c, d, at[d]);
        c->beta[d][oracle_at(c, i, j, k)] =
            sum_of_layer(f, f->beta[d], d, at, fine, &count) / 2.0 * ratio;
      }
}

/* Means over the child faces, or NULL. */
static double *coarse_boundary(const oracle_level *f, const oracle_level *c, int face,
                               const double *data)
{
  int d = face / 2, low = face % 2 ? c->n[d] - 1 : 0, fine = face % 2 ? f->n[d] - 1 : 0;
  double *coarse = data ? oracle_array(c) : NULL;
  if (!data) return NULL;
  ORACLE_CELLS(c, i, j, k)
  {
    int at[3] = {i, j, k}, count;
    if (at[d] != low) continue;
    double sum = sum_of_layer(f, data, d, at, fine, &count);
    coarse[oracle_at(c, i, j, k)] = sum / count;
  }
  return coarse;
}

void oracle_coarse_coefficients(const oracle_spec *s, const oracle_level *f, oracle_level *c)
{
  oracle_restrict_ghosted(f, f->alpha, c, c->alpha);
  for (int d = 0; d < 3; d++)
    coarse_faces(s, f, c, d);
  for (int face = 0; face < 6; face++) {
    c->boundary_data[face] = coarse_boundary(f, c, face, f->boundary_data[face]);
    c->robin_alpha[face] = coarse_boundary(f, c, face, f->robin_alpha[face]);
    c->robin_beta[face] = coarse_boundary(f, c, face, f->robin_beta[face]);
  }
}

/* The weights of the cells below, at and above the parent of fine cell i of an axis: of the parabola
 * through their centres, or of the line through two where there is no third. Distances over the
 * fine h. */
static void parabola(const oracle_spec *s, const oracle_level *f, const oracle_level *c, int d,
                     int i, double weight[3])
{
  const int p = i / 2, wraps = s->boundary[2 * d] == HYMG_PERIODIC;
  const bool low = p > 0 || wraps, high = p < c->n[d] - 1 || wraps;
  const double below = low ? 2.0 * distance(s, c, d, p) / c->h[d] : 0.0;
  const double above = high ? 2.0 * distance(s, c, d, p + 1) / c->h[d] : 0.0;
  double x = 0.0; /* of the child's centre, from the parent's: away from the sibling's half */
  if (2 * p + 1 < f->n[d]) x = i % 2 ? 0.5 * f->width[d][i - 1] : -0.5 * f->width[d][i + 1];
  weight[0] = low && high ? x * (x - above) / (below * (below + above)) : low ? -x / below : 0.0;
  weight[2] = low && high ? x * (x + below) / (above * (below + above)) : high ? x / above : 0.0;
  weight[1] = 1.0 - weight[0] - weight[2];
}

void oracle_parabolas(const oracle *o, int l, const double *coarse, double *fine, bool add)
{
  const oracle_level *f = &o->level[l], *c = &o->level[l + 1];
  ORACLE_CELLS(f, i, j, k)
  {
    const int child[3] = {i, j, k};
    double weight[3][3], sum = 0.0;
    for (int d = 0; d < 3; d++)
      parabola(&o->spec, f, c, d, child[d], weight[d]);
    for (int m = 0; m < 27; m++) {
      int off[3] = {m % 3, m / 3 % 3, m / 9}, at[3];
      for (int d = 0; d < 3; d++)
        at[d] = (child[d] / 2 + off[d] - 1 + c->n[d]) % c->n[d];
      double w = weight[0][off[0]] * weight[1][off[1]] * weight[2][off[2]];
      if (w != 0.0) sum += w * coarse[oracle_at(c, at[0], at[1], at[2])];
    }
    const size_t p = oracle_at(f, i, j, k);
    fine[p] = (add ? fine[p] : 0.0) + sum;
  }
}
