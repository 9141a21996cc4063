/* Curved grids, slow and plain. */
#include "support/curved.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int curved_axis(const curved *c, hymg_coordinate coordinate)
{
  for (int axis = 0; axis < 3; axis++)
    if (c->coordinate[axis] == coordinate) return axis;
  return -1;
}

/* The angle's distance from the polar axis, its height, and their derivatives. */
static void meridian(const curved *c, const double q[3], double of[2], double by[2])
{
  const int lat = curved_axis(c, HYMG_LATITUDE), colat = curved_axis(c, HYMG_COLATITUDE);
  if (lat >= 0) {
    of[0] = cos(q[lat]), of[1] = sin(q[lat]), by[0] = -sin(q[lat]), by[1] = cos(q[lat]);
  } else if (colat >= 0) {
    of[0] = sin(q[colat]), of[1] = cos(q[colat]), by[0] = cos(q[colat]), by[1] = -sin(q[colat]);
  } else {
    of[0] = 1, of[1] = by[0] = by[1] = 0;
  }
}

void curved_place(const curved *c, const double q[3], double x[3])
{
  const int radius = curved_axis(c, HYMG_RADIUS), length = curved_axis(c, HYMG_LENGTH);
  const int round = curved_axis(c, HYMG_AZIMUTH);
  double of[2], by[2];
  memcpy(x, q, 3 * sizeof *x);
  if (round < 0) return; /* straight axes */
  const double r = radius >= 0 ? q[radius] : 1, angle = q[round];
  meridian(c, q, of, by);
  x[0] = r * of[0] * cos(angle), x[1] = r * of[0] * sin(angle), x[2] = r * of[1];
  if (radius >= 0 && length >= 0) x[2] = q[length];
}

void curved_tangent(const curved *c, const double q[3], int axis, double t[3])
{
  const int radius = curved_axis(c, HYMG_RADIUS), length = curved_axis(c, HYMG_LENGTH);
  const int round = curved_axis(c, HYMG_AZIMUTH);
  double of[2], by[2];
  t[0] = axis == 0, t[1] = axis == 1, t[2] = axis == 2;
  if (round < 0) return;
  const double r = radius >= 0 ? q[radius] : c->radius, angle = q[round];
  meridian(c, q, of, by);
  if (c->coordinate[axis] == HYMG_AZIMUTH) {
    t[0] = -r * of[0] * sin(angle), t[1] = r * of[0] * cos(angle), t[2] = 0;
  } else if (axis == radius || (axis == length && radius < 0)) {
    t[0] = of[0] * cos(angle), t[1] = of[0] * sin(angle), t[2] = of[1];
  } else if (axis == length) {
    t[0] = t[1] = 0, t[2] = 1;
  } else {
    t[0] = r * by[0] * cos(angle), t[1] = r * by[0] * sin(angle), t[2] = r * by[1];
  }
}

double curved_length(const double t[3])
{
  return sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
}

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int m = 0; m < 3; m++)
    c[m] = a[(m + 1) % 3] * b[(m + 2) % 3] - a[(m + 2) % 3] * b[(m + 1) % 3];
}

/* ---- the grid ---- */

void curved_centre(const curved_grid *g, const int at[3], double q[3])
{
  for (int axis = 0; axis < 3; axis++)
    q[axis] = 0.5 * (g->end[axis][at[axis]] + g->end[axis][at[axis] + 1]);
}

void curved_face(const curved_grid *g, int axis, const int at[3], double q[3])
{
  for (int other = 0; other < 3; other++)
    q[other] = other == axis ? g->end[axis][at[axis]]
                             : 0.5 * (g->end[other][at[other]] + g->end[other][at[other] + 1]);
}

/* Gauss points along an axis: lengths and areas are of degree 0 or 1 in lengths, of degree 2 at most in a radius, and turning
 * about the axis changes none, so that two points are exact; sines of the other angles take eight. */
enum { ANGLE_POINTS = 8, FEW_POINTS = 2 };
static const struct {
  double node[ANGLE_POINTS], weight[ANGLE_POINTS];
} few = {{-0.5773502691896257, 0.5773502691896257}, {1, 1}},
  many = {{-0.9602898564975363, -0.7966664774136267, -0.5255324099163290, -0.1834346424956498,
           0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363},
          {0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620,
           0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763}};

static int points(const curved *c, int axis)
{
  const hymg_coordinate q = c->coordinate[axis];
  return q == HYMG_LATITUDE || q == HYMG_COLATITUDE ? ANGLE_POINTS : FEW_POINTS;
}

/* Sets q to point m of a cell along an axis, and returns its weight. */
static double point(const curved_grid *g, int axis, int at, int m, double q[3])
{
  const double low = g->end[axis][at], half = 0.5 * (g->end[axis][at + 1] - low);
  const bool angle = points(g->c, axis) == ANGLE_POINTS;
  q[axis] = low + half * (1 + (angle ? many.node : few.node)[m]);
  return half * (angle ? many.weight : few.weight)[m];
}

static double element(const curved *c, const double q[3])
{
  double t[3][3], normal[3];
  for (int axis = 0; axis < 3; axis++)
    curved_tangent(c, q, axis, t[axis]);
  cross(t[1], t[2], normal);
  return fabs(t[0][0] * normal[0] + t[0][1] * normal[1] + t[0][2] * normal[2]);
}

static double volume_of(const curved_grid *g, const int at[3])
{
  const int nx = points(g->c, 0), ny = points(g->c, 1), nz = points(g->c, 2);
  double sum = 0, q[3];
  for (int m = 0; m < nx * ny * nz; m++) {
    const double x = point(g, 0, at[0], m % nx, q), y = point(g, 1, at[1], m / nx % ny, q),
                 z = point(g, 2, at[2], m / nx / ny, q);
    sum += x * y * z * element(g->c, q);
  }
  return sum;
}

static double area_of(const curved_grid *g, int axis, const int at[3])
{
  const int a = (axis + 1) % 3, b = (axis + 2) % 3, na = points(g->c, a), nb = points(g->c, b);
  double sum = 0, q[3], s[3], t[3], normal[3];
  q[axis] = g->end[axis][at[axis]];
  for (int m = 0; m < na * nb; m++) {
    const double x = point(g, a, at[a], m % na, q), y = point(g, b, at[b], m / na, q);
    curved_tangent(g->c, q, a, s);
    curved_tangent(g->c, q, b, t);
    cross(s, t, normal);
    sum += x * y * curved_length(normal);
  }
  return sum;
}

static bool is_periodic(const curved_grid *g, int axis)
{
  return g->c->boundary[3 * axis] == 'p';
}

static double distance_of(const curved_grid *g, int axis, const int at[3])
{
  const double *e = g->end[axis];
  const int m = at[axis], n = g->n[axis];
  double q[3], t[3], low = m > 0 ? e[m] - e[m - 1] : 0, high = m < n ? e[m + 1] - e[m] : 0;
  if (is_periodic(g, axis) && (m == 0 || m == n)) low = e[n] - e[n - 1], high = e[1] - e[0];
  curved_face(g, axis, at, q);
  curved_tangent(g->c, q, axis, t);
  return 0.5 * (low + high) * curved_length(t);
}

/* ---- whole grids ---- */

static size_t cell_at(const curved_grid *g, const int at[3])
{
  return (size_t)((at[2] * g->n[1] + at[1]) * g->n[0] + at[0]);
}

static size_t face_at(const curved_grid *g, int axis, const int at[3])
{
  const int nx = g->n[0] + (axis == 0), ny = g->n[1] + (axis == 1);
  return (size_t)((at[2] * ny + at[1]) * nx + at[0]);
}

static size_t faces_of(const curved_grid *g, int axis)
{
  return (size_t)((g->n[0] + (axis == 0)) * (g->n[1] + (axis == 1)) * (g->n[2] + (axis == 2)));
}

static void measure(curved_grid *g)
{
  g->volume = malloc(faces_of(g, 3) * sizeof(double));
  for (int axis = 0; axis < 4; axis++) {
    if (axis < 3) g->area[axis] = malloc(faces_of(g, axis) * sizeof(double));
    if (axis < 3) g->distance[axis] = malloc(faces_of(g, axis) * sizeof(double));
    int at[3];
    size_t m = 0;
    for (at[2] = 0; at[2] < g->n[2] + (axis == 2); at[2]++)
      for (at[1] = 0; at[1] < g->n[1] + (axis == 1); at[1]++)
        for (at[0] = 0; at[0] < g->n[0] + (axis == 0); at[0]++, m++)
          if (axis == 3)
            g->volume[m] = volume_of(g, at);
          else
            g->area[axis][m] = area_of(g, axis, at),
            g->distance[axis][m] = distance_of(g, axis, at);
  }
}

curved_grid curved_grid_of(const curved *c, const int n[3], unsigned seed)
{
  curved_grid g = {.c = c};
  for (int axis = 0; axis < 3; axis++) {
    const int count = g.n[axis] = n[axis];
    double *w = support_random((size_t)count, seed ? 0.3 : 1, seed ? 1 : 1, seed + (unsigned)axis);
    double sum = 0, x = 0;
    for (int i = 0; i < count; i++)
      sum += w[i];
    g.end[axis] = malloc((size_t)(count + 1) * sizeof(double));
    for (int i = 0; i <= count; i++) {
      g.end[axis][i] = c->low[axis] + x * (c->high[axis] - c->low[axis]);
      if (i < count) x += w[i] / sum;
    }
    g.end[axis][count] = c->high[axis];
    free(w);
  }
  measure(&g);
  return g;
}

void curved_grid_free(curved_grid *g)
{
  for (int axis = 0; axis < 3; axis++)
    free(g->end[axis]), free(g->area[axis]), free(g->distance[axis]);
  free(g->volume);
}

double curved_volume(const curved_grid *g, const int at[3])
{
  return g->volume[cell_at(g, at)];
}

double curved_area(const curved_grid *g, int axis, const int at[3])
{
  return g->area[axis][face_at(g, axis, at)];
}

double curved_distance(const curved_grid *g, int axis, const int at[3])
{
  return g->distance[axis][face_at(g, axis, at)];
}

/* ---- the library's side ---- */

support_case curved_case(const curved_grid *g, double a, double *widths[3])
{
  support_case c = support_case_of(HYMG_FV2, g->n, g->c->boundary, a);
  c.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  for (int axis = 0; axis < 3; axis++) {
    const int n = g->n[axis];
    c.spec.h[axis] = (g->c->high[axis] - g->c->low[axis]) / n;
    widths[axis] = malloc((size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
      widths[axis][i] = g->end[axis][i + 1] - g->end[axis][i];
  }
  return c;
}

support_layout curved_layout(const curved_grid *g, double *const widths[3])
{
  support_layout l = {.threads = 2, .boxes = {1, 1, 1}};
  l.coordinate = g->c->coordinate, l.origin = g->c->low, l.radius = g->c->radius;
  for (int axis = 0; axis < 3; axis++)
    l.widths[axis] = widths[axis];
  return l;
}

/* ---- the equations ---- */

static size_t wall_at(const curved_grid *g, int axis, const int at[3])
{
  return (size_t)(axis == 0   ? at[2] * g->n[1] + at[1]
                  : axis == 1 ? at[2] * g->n[0] + at[0]
                              : at[1] * g->n[0] + at[0]);
}

/* The outward derivative at a wall. */
static double derivative(const curved_grid *g, const oracle_spec *s, bool data, double u, int face,
                         const int at[3])
{
  const size_t m = wall_at(g, face / 2, at);
  const double value = !data                    ? 0
                       : s->boundary_data[face] ? s->boundary_data[face][m]
                                                : s->boundary_constant[face];
  const double d = curved_distance(g, face / 2, at);
  if (s->boundary[face] == HYMG_NEUMANN) return value;
  if (s->boundary[face] == HYMG_DIRICHLET) return (value - u) / d;
  const double alpha =
                   s->robin_alpha[face] ? s->robin_alpha[face][m] : s->robin_alpha_constant[face],
               beta = s->robin_beta[face] ? s->robin_beta[face][m] : s->robin_beta_constant[face];
  return (value - alpha * u) / (alpha * d + beta);
}

double curved_flux(const curved_grid *g, const oracle_spec *s, bool data, const double *u, int axis,
                   const int at[3])
{
  const int n = g->n[axis];
  const bool periodic = is_periodic(g, axis);
  int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]}, face[3];
  memcpy(face, at, sizeof face);
  low[axis] = (at[axis] + n - 1) % n, high[axis] = at[axis] % n;
  if (periodic) face[axis] = at[axis] % n;
  const double beta = s->beta[axis] ? s->beta[axis][face_at(g, axis, face)] : s->beta_constant,
               scale = s->b * beta * curved_area(g, axis, at);
  if (scale < 1e-12) return 0; /* at an axis or a pole */
  if (!periodic && at[axis] == 0)
    return scale * derivative(g, s, data, u[cell_at(g, high)], 2 * axis, at);
  if (!periodic && at[axis] == n)
    return -scale * derivative(g, s, data, u[cell_at(g, low)], 2 * axis + 1, at);
  return scale * (u[cell_at(g, low)] - u[cell_at(g, high)]) / curved_distance(g, axis, at);
}

void curved_apply(const curved_grid *g, const oracle_spec *s, bool data, const double *u, double *y)
{
  int at[3];
  size_t m = 0;
  for (at[2] = 0; at[2] < g->n[2]; at[2]++)
    for (at[1] = 0; at[1] < g->n[1]; at[1]++)
      for (at[0] = 0; at[0] < g->n[0]; at[0]++, m++) {
        const double alpha = s->alpha ? s->alpha[m] : s->alpha_constant;
        double sum = 0;
        for (int axis = 0; axis < 3; axis++) {
          sum -= curved_flux(g, s, data, u, axis, at);
          at[axis]++;
          sum += curved_flux(g, s, data, u, axis, at);
          at[axis]--;
        }
        y[m] = sum / curved_volume(g, at) + s->a * alpha * u[m];
      }
}

void curved_solve(const curved_grid *g, const oracle_spec *s, const double *f, double *u)
{
  const size_t n = (size_t)(g->n[0] * g->n[1] * g->n[2]);
  double *a = malloc(n * n * sizeof *a), *column = malloc(n * sizeof *column);
  double *unit = calloc(n, sizeof *unit);
  curved_apply(g, s, true, unit, column);
  for (size_t m = 0; m < n; m++)
    u[m] = f[m] - column[m];
  for (size_t j = 0; j < n; j++) {
    unit[j] = 1;
    curved_apply(g, s, false, unit, column);
    unit[j] = 0;
    for (size_t i = 0; i < n; i++)
      a[i * n + j] = column[i];
  }
  for (size_t p = 0; p < n; p++)
    for (size_t i = p + 1; i < n; i++) {
      const double factor = a[i * n + p] / a[p * n + p];
      if (factor == 0) continue;
      for (size_t j = p; j < n; j++)
        a[i * n + j] -= factor * a[p * n + j];
      u[i] -= factor * u[p];
    }
  for (size_t p = n; p-- > 0;) {
    for (size_t j = p + 1; j < n; j++)
      u[p] -= a[p * n + j] * u[j];
    u[p] /= a[p * n + p];
  }
  free(a), free(column), free(unit);
}

/* ---- all that the library makes ---- */

enum { U, AX, VOLUME, FLUX, AREA = FLUX + 3, DISTANCE = AREA + 3 };

static double *read_all(support_kit *k, const hymg_field *field, int axis, size_t *size)
{
  const int low[3] = {0, 0, 0},
            n[3] = {k->n[0] + (axis == 0), k->n[1] + (axis == 1), k->n[2] + (axis == 2)};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  *size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  double *x = support_poison(*size);
  OK(k->context, hymg_field_read_own(field, low, n, stride, x, HYMG_HOST));
  return x;
}

curved_answer curved_run(const curved_grid *g, const support_case *c, const support_layout *layout,
                         const hymg_options *options)
{
  curved_answer a;
  hymg_field *field[CURVED_ARRAYS] = {NULL};
  support_kit k = support_open(&c->spec, layout, options);
  double *values = support_random(faces_of(g, 3), -1, 1, 9);
  hymg_field *f = support_field(&k, 0, values);
  for (int m = 0; m < CURVED_ARRAYS; m++) {
    const hymg_centering at = m < FLUX ? HYMG_CELL : (hymg_centering)(HYMG_FACE_X + m % 3);
    OK(k.context, hymg_field_create(k.grid, NULL, at, HYMG_DOUBLE, field + m));
    OK(k.context, hymg_field_fill(field[m], NAN));
  }
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, f, field[U], &r));
  ck_assert_msg(r.converged, "%s: %s", g->c->name, r.note);
  OK(k.context, hymg_apply(k.solver, 0, f, field[AX]));
  OK(k.context, hymg_fluxes(k.solver, field[U], field + FLUX));
  OK(k.context, hymg_grid_measure(k.grid, field[VOLUME], field + AREA, field + DISTANCE));
  for (int m = 0; m < CURVED_ARRAYS; m++) {
    a.array[m] = read_all(&k, field[m], m < FLUX ? 3 : m % 3, a.size + m);
    hymg_field_destroy(field + m);
  }
  hymg_field_destroy(&f);
  free(values);
  support_close(&k);
  return a;
}

const char *curved_unlike(const curved_answer *got, const curved_answer *want)
{
  static const char *const name[CURVED_ARRAYS] = {
      "u",      "A f",    "volume", "x flux",     "y flux",     "z flux",
      "x area", "y area", "z area", "x distance", "y distance", "z distance"};
  for (int m = 0; m < CURVED_ARRAYS; m++)
    for (size_t i = 0; i < got->size[m]; i++)
      if (!isnan(got->array[m][i]) && !support_same_bits(1, got->array[m] + i, want->array[m] + i))
        return name[m];
  return NULL;
}

void curved_answer_free(curved_answer *a)
{
  for (int m = 0; m < CURVED_ARRAYS; m++)
    free(a->array[m]);
}

/* ---- some cases ---- */

static const curved some[] = {
    {"cylinder with its axis",
     {HYMG_RADIUS, HYMG_AZIMUTH, HYMG_LENGTH},
     {0, 0, -1},
     {1.3, 6.28318530717958, 0.5},
     1,
     "nd pp dn"},
    {"piece of a shell",
     {HYMG_RADIUS, HYMG_COLATITUDE, HYMG_AZIMUTH},
     {0.5, 0.4, 0.2},
     {1.1, 1.9, 1.7},
     1,
     "dr rn dr"},
    {"closed globe",
     {HYMG_AZIMUTH, HYMG_LATITUDE, HYMG_LENGTH},
     {0, -1.5, 0},
     {6.28318530717958, 1.5, 4e5},
     6.4e6,
     "pp nn nn"},
    {"shell with its poles",
     {HYMG_RADIUS, HYMG_COLATITUDE, HYMG_AZIMUTH},
     {0.5, 0, 0},
     {1, 3.14159265358979, 6.28318530717958},
     1,
     "dd nn pp"},
};

static const struct {
  int shape, n[3];
} some_grids[CURVED_SOME] = {{0, {8, 12, 9}}, {0, {5, 16, 8}}, {0, {12, 1, 8}}, {1, {8, 12, 9}},
                             {1, {5, 16, 8}}, {1, {12, 1, 8}}, {2, {8, 12, 9}}, {2, {5, 16, 8}},
                             {2, {12, 1, 8}}, {0, {8, 24, 9}}, {3, {4, 9, 20}}, {0, {12, 96, 32}}};

support_case curved_some(int number, curved_grid *g, double *widths[3])
{
  const int shape = some_grids[number].shape;
  *g = curved_grid_of(some + shape, some_grids[number].n, number % 2 ? 5u : 0u);
  support_case c = curved_case(g, shape == 2 ? 0 : number % 2, widths);
  support_case_add_robin(&c);
  return c;
}

void curved_some_free(support_case *c, curved_grid *g, double *widths[3])
{
  support_case_free(c);
  curved_grid_free(g);
  for (int axis = 0; axis < 3; axis++)
    free(widths[axis]);
}
