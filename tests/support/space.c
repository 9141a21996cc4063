#include "support/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void support_space_kind(support_case *c, hymg_boundary kind)
{
  for (int face = 0; face < 6; face++)
    c->spec.boundary[face] = kind;
}

support_case support_space_case(const int n[3])
{
  support_case c = support_case_of(HYMG_FV2, n, "dd dd dd", 0);
  for (int axis = 0; axis < 3; axis++)
    c.spec.beta[axis] = NULL;
  c.spec.beta_constant = 1.7;
  support_space_kind(&c, HYMG_OPEN);
  snprintf(c.name, sizeof c.name, "%d x %d x %d open", n[0], n[1], n[2]);
  return c;
}

typedef struct cells {
  const oracle_spec *spec;
  const double *const *widths, *f;
} cells;

static long double width(const cells *c, int axis, int i)
{
  return c->widths[axis] ? c->widths[axis][i] : c->spec->h[axis];
}

/* From the low end of the axis. */
static long double low_face(const cells *c, int axis, int i)
{
  long double x = 0;
  for (int m = 0; m < i; m++)
    x += width(c, axis, m);
  return x;
}

static long double centre(const cells *c, int axis, int i)
{
  return low_face(c, axis, i) + width(c, axis, i) / 2;
}

typedef struct moments {
  long double about[3], charge, dipole[3], second[3][3];
} moments;

static long double add_cell(const cells *c, const int at[3], const long double about[3],
                            moments *sum)
{
  const int *n = c->spec->n;
  const double f = c->f[(at[2] * n[1] + at[1]) * n[0] + at[0]];
  long double x[3], part = f;
  for (int axis = 0; axis < 3; axis++) {
    x[axis] = centre(c, axis, at[axis]) - about[axis];
    part *= width(c, axis, at[axis]);
  }
  sum->charge += part;
  for (int a = 0; a < 3; a++) {
    sum->dipole[a] += part * x[a];
    for (int b = 0; b < 3; b++)
      sum->second[a][b] += part * x[a] * x[b];
    sum->second[a][a] += part * width(c, a, at[a]) * width(c, a, at[a]) / 12;
  }
  return fabsl(part);
}

static moments moments_of(const cells *c)
{
  const int *n = c->spec->n;
  moments sum = {.charge = 0};
  long double size = 0, middle[3] = {0};
  int at[3];
  for (int pass = 0; pass < 2; pass++) {
    sum.charge = 0;
    for (at[2] = 0; at[2] < n[2]; at[2]++)
      for (at[1] = 0; at[1] < n[1]; at[1]++)
        for (at[0] = 0; at[0] < n[0]; at[0]++) {
          moments one = {.charge = 0};
          const long double weight = add_cell(c, at, sum.about, pass ? &sum : &one);
          for (int a = 0; a < 3; a++)
            middle[a] += pass ? 0 : weight * centre(c, a, at[a]);
          size += pass ? 0 : weight;
        }
    for (int a = 0; a < 3 && !pass; a++)
      sum.about[a] = size > 0 ? middle[a] / size : low_face(c, a, n[a]) / 2;
  }
  return sum;
}

static long double potential(const cells *c, const moments *m, const long double x[3])
{
  long double r[3], rr = 0, dipole = 0, quadrupole = 0;
  for (int a = 0; a < 3; a++)
    r[a] = x[a] - m->about[a], rr += r[a] * r[a];
  const long double length = sqrtl(rr);
  for (int a = 0; a < 3; a++) {
    dipole += m->dipole[a] * r[a];
    for (int b = 0; b < 3; b++)
      quadrupole += m->second[a][b] * (3 * r[a] * r[b] - (a == b ? rr : 0)) / 2;
  }
  return (m->charge / length + dipole / powl(length, 3) + quadrupole / powl(length, 5)) /
         (4 * acosl(-1.0L) * c->spec->b * c->spec->beta_constant);
}

double *support_space_values(const oracle_spec *open, const double *const widths[3],
                             const double *f, int face)
{
  static const double *const none[3] = {NULL};
  const cells c = {open, widths ? widths : none, f};
  const int axis = face / 2, u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2, *n = open->n;
  const moments m = moments_of(&c);
  double *values = support_poison((size_t)(n[u] * n[v]));
  long double x[3];
  x[axis] = low_face(&c, axis, face % 2 ? n[axis] : 0);
  for (int j = 0; j < n[v]; j++)
    for (int i = 0; i < n[u]; i++) {
      x[u] = centre(&c, u, i), x[v] = centre(&c, v, j);
      values[j * n[u] + i] = (double)potential(&c, &m, x);
    }
  return values;
}

support_case support_space_given(const oracle_spec *open, const double *const widths[3],
                                 const double *f)
{
  support_case c = {.spec = *open};
  for (int face = 0; face < 6; face++) {
    c.boundary_data[face] = support_space_values(open, widths, f, face);
    c.spec.boundary_data[face] = c.boundary_data[face];
    c.spec.boundary[face] = HYMG_DIRICHLET;
  }
  snprintf(c.name, sizeof c.name, "%d x %d x %d with given values", open->n[0], open->n[1],
           open->n[2]);
  return c;
}

double *support_space_solve(const support_case *c, const support_layout *layout,
                            const hymg_options *options, const double *f, hymg_result *result)
{
  support_kit k = support_open(&c->spec, layout, options);
  double *start =
      support_random((size_t)c->spec.n[0] * (size_t)(c->spec.n[1] * c->spec.n[2]), -1, 1, 5);
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, start);
  hymg_result unused;
  OK(k.context, hymg_solve(k.solver, rhs, u, result ? result : &unused));
  double *got = support_read(&k, 0, u);
  hymg_field_destroy(&rhs);
  hymg_field_destroy(&u);
  support_close(&k);
  free(start);
  return got;
}
