/* Curved grids: volumes, areas and distances against quadrature of the map to space; the operator, fluxes and solutions
 * against plain sums over faces; conservation; the order on manufactured solutions; what is refused. */
#include "support/curved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define L  HYMG_LENGTH
#define R  HYMG_RADIUS
#define A  HYMG_AZIMUTH
#define C  HYMG_COLATITUDE
#define B  HYMG_LATITUDE

static const curved shapes[] = {
    {"cylinder with its axis", {R, A, L}, {0, 0, -1}, {1.3, 2 * PI, 0.5}, 1, "nd pp dn"},
    {"wedge of a pipe", {L, R, A}, {0, 0.4, 0.3}, {1, 1.3, 1.9}, 1, "nr dd rd"},
    {"plane of r and z", {R, L, A}, {0, 0, 0}, {0.8, 1, 2 * PI}, 1, "nr dd nn"},
    {"disc", {A, R, L}, {-PI, 0, 0}, {PI, 1.1, 1}, 1, "pp nd nn"},
    {"line of a ball", {C, R, A}, {0, 0, 0}, {PI, 1.4, 2 * PI}, 1, "nn nr nn"},
    {"piece of a shell", {R, C, A}, {0.5, 0.4, 0.2}, {1.1, 1.9, 1.7}, 1, "dr rn dd"},
    {"ball", {A, B, R}, {0, -PI / 2, 0}, {2 * PI, PI / 2, 1}, 1, "pp nn nd"},
    {"shell with an open pole", {R, A, C}, {0.7, 0, 0}, {1, 2 * PI, 1.2}, 1, "dd pp nr"},
    {"ocean", {A, B, L}, {-0.7, -0.5, -0.2}, {1.1, 1.2, 0}, 2.5, "dd rn nn"},
    {"layer around the globe", {L, B, A}, {0, -1.3, 0}, {0.4, 1.4, 2 * PI}, 1.5, "dn nr pp"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const int sizes[][3] = {{5, 6, 4}, {7, 3, 8}, {1, 9, 5}, {6, 1, 7}, {4, 4, 1}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Small tests take two of the sizes with each shape, all with some. */
static bool is_tried(int shape_and_size)
{
  return !support_small() || (shape_and_size / SIZES + shape_and_size % SIZES) % SIZES < 2;
}

/* Small tests have every third of what is solved on several grids. */
static bool is_solved(int which)
{
  return !support_small() || which % 3 == 0;
}

/* A shape and a size with random widths, coefficients, data and Robin numbers, open on the library's side. */
typedef struct random_case {
  curved_grid g;
  support_case c;
  double *widths[3];
  support_layout layout;
  size_t cells;
} random_case;

static random_case random_of(const curved *shape, const int n[3], double a)
{
  random_case r = {.g = curved_grid_of(shape, n, 17)};
  r.c = curved_case(&r.g, a, r.widths);
  support_case_add_boundaries(&r.c);
  support_case_add_robin(&r.c);
  r.layout = curved_layout(&r.g, r.widths);
  r.cells = (size_t)(n[0] * n[1] * n[2]);
  for (int face = 0; face < 6; face++) /* none at an axis or a pole */
    if (r.c.spec.boundary[face] == HYMG_NEUMANN) {
      int at[3] = {0, 0, 0};
      at[face / 2] = face & 1 ? n[face / 2] : 0;
      if (curved_area(&r.g, face / 2, at) < 1e-12) r.c.spec.boundary_data[face] = NULL;
    }
  return r;
}

static void random_free(random_case *r)
{
  support_case_free(&r->c);
  curved_grid_free(&r->g);
  for (int axis = 0; axis < 3; axis++)
    free(r->widths[axis]);
}

static hymg_options robust(void)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG, o.path = HYMG_PATH_ROBUST, o.rtol = 1e-12;
  return o;
}

static double *read_faces(support_kit *k, hymg_field *field, int axis)
{
  const int low[3] = {0, 0, 0};
  int n[3] = {k->n[0], k->n[1], k->n[2]};
  n[axis]++;
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *x = support_poison((size_t)(n[0] * n[1] * n[2]));
  OK(k->context, hymg_field_read(field, low, n, stride, x, HYMG_HOST));
  return x;
}

static void create_faces(support_kit *k, hymg_field *faces[3])
{
  for (int axis = 0; axis < 3; axis++) {
    faces[axis] = NULL;
    OK(k->context, hymg_field_create(k->grid, NULL, (hymg_centering)(HYMG_FACE_X + axis),
                                     HYMG_DOUBLE, faces + axis));
    OK(k->context, hymg_field_fill(faces[axis], NAN));
  }
}

/* Walks over the faces of an axis. */
#define FOR_FACES(g, axis, at)                                                                     \
  for ((at)[2] = 0; (at)[2] < (g)->n[2] + ((axis) == 2); (at)[2]++)                                \
    for ((at)[1] = 0; (at)[1] < (g)->n[1] + ((axis) == 1); (at)[1]++)                              \
      for ((at)[0] = 0; (at)[0] < (g)->n[0] + ((axis) == 0); (at)[0]++)

/* ---- geometry ---- */

static void compare_faces(const char *what, const curved_grid *g, int axis, const double *got,
                          double (*want)(const curved_grid *, int, const int *))
{
  int at[3];
  size_t m = 0;
  FOR_FACES(g, axis, at)
  {
    const double x = want(g, axis, at);
    ck_assert_msg(fabs(got[m] - x) <= 1e-11 * fmax(1, x),
                  "%s: %s of face (%d, %d, %d) of axis %d: "
                  "%.15g, want %.15g",
                  g->c->name, what, at[0], at[1], at[2], axis, got[m], x);
    m++;
  }
}

START_TEST(volumes_areas_and_distances_are_those_of_space)
{
  if (!is_tried(_i)) return;
  random_case r = random_of(shapes + _i / SIZES, sizes[_i % SIZES], 0);
  hymg_options o = robust();
  support_kit k = support_open(&r.c.spec, &r.layout, &o);
  hymg_field *volume = NULL, *area[3], *distance[3];
  OK(k.context, hymg_field_create(k.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &volume));
  create_faces(&k, area);
  create_faces(&k, distance);
  OK(k.context, hymg_grid_measure(k.grid, volume, area, distance));
  double *got = support_read(&k, 0, volume);
  int at[3];
  size_t m = 0;
  FOR_FACES(&r.g, 3, at)
  {
    const double want = curved_volume(&r.g, at);
    ck_assert_msg(fabs(got[m] - want) <= 1e-11 * fmax(want, 1e-3),
                  "%s: volume of (%d, %d, %d): %.15g, want "
                  "%.15g",
                  r.g.c->name, at[0], at[1], at[2], got[m], want);
    m++;
  }
  free(got);
  for (int axis = 0; axis < 3; axis++) {
    got = read_faces(&k, area[axis], axis);
    compare_faces("area", &r.g, axis, got, curved_area);
    free(got);
    got = read_faces(&k, distance[axis], axis);
    compare_faces("distance", &r.g, axis, got, curved_distance);
    free(got);
    hymg_field_destroy(area + axis), hymg_field_destroy(distance + axis);
  }
  hymg_field_destroy(&volume);
  support_close(&k);
  random_free(&r);
}
END_TEST

/* ---- the operator, fluxes, solutions ---- */

START_TEST(the_operator_is_the_sum_over_true_faces)
{
  if (!is_tried(_i)) return;
  random_case r = random_of(shapes + _i / SIZES, sizes[_i % SIZES], _i % 2 ? 0.7 : 0);
  hymg_options o = robust();
  support_kit k = support_open(&r.c.spec, &r.layout, &o);
  double *u = support_random(r.cells, -1, 1, 5), *want = support_poison(r.cells);
  double *f = support_random(r.cells, -1, 1, 6);
  hymg_field *x = support_field(&k, 0, u), *rhs = support_field(&k, 0, f);
  hymg_field *y = support_field(&k, 0, want);
  OK(k.context, hymg_apply(k.solver, 0, x, y));
  double *got = support_read(&k, 0, y);
  curved_apply(&r.g, &r.c.spec, false, u, want);
  support_assert_close("apply", r.g.c->name, r.cells, got, want, 1e-11);
  free(got);
  OK(k.context, hymg_residual(k.solver, 0, rhs, x, y));
  got = support_read(&k, 0, y);
  curved_apply(&r.g, &r.c.spec, true, u, want);
  for (size_t m = 0; m < r.cells; m++)
    want[m] = f[m] - want[m];
  support_assert_close("residual", r.g.c->name, r.cells, got, want, 1e-11);
  free(got), free(want), free(u), free(f);
  hymg_field_destroy(&x), hymg_field_destroy(&y), hymg_field_destroy(&rhs);
  support_close(&k);
  random_free(&r);
}
END_TEST

/* Also what the whole domain takes: sources are what passes its walls, to rounding. */
START_TEST(fluxes_are_those_through_true_faces)
{
  if (!is_tried(_i)) return;
  random_case r = random_of(shapes + _i / SIZES, sizes[_i % SIZES], 0);
  hymg_options o = robust();
  support_kit k = support_open(&r.c.spec, &r.layout, &o);
  double *values = support_random(r.cells, -1, 1, 5);
  hymg_field *u = support_field(&k, 0, values), *flux[3];
  create_faces(&k, flux);
  OK(k.context, hymg_fluxes(k.solver, u, flux));
  for (int axis = 0; axis < 3; axis++) {
    double *got = read_faces(&k, flux[axis], axis);
    int at[3];
    size_t m = 0;
    FOR_FACES(&r.g, axis, at)
    {
      const double area = curved_area(&r.g, axis, at),
                   want = curved_flux(&r.g, &r.c.spec, true, values, axis, at);
      ck_assert_msg(fabs(got[m] * area - want) <= 1e-11 * fmax(1, fabs(want)) && isfinite(got[m]),
                    "%s: face (%d, %d, %d) of axis %d: %.15g, want %.15g", r.g.c->name, at[0],
                    at[1], at[2], axis, got[m] * area, want);
      m++;
    }
    free(got);
    hymg_field_destroy(flux + axis);
  }
  free(values);
  hymg_field_destroy(&u);
  support_close(&k);
  random_free(&r);
}
END_TEST

START_TEST(solutions_are_those_of_the_dense_system)
{
  if (!is_tried(_i)) return;
  const bool mixed = _i >= SHAPES * SIZES;
  random_case r = random_of(shapes + _i / SIZES % SHAPES, sizes[_i % SIZES], _i % 3 ? 0 : 0.5);
  hymg_options o = robust();
  o.precision = mixed ? HYMG_MIXED : HYMG_DOUBLE;
  support_kit k = support_open(&r.c.spec, &r.layout, &o);
  double *values = support_random(r.cells, -1, 1, 9), *want = support_poison(r.cells);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, want);
  hymg_result result;
  OK(k.context, hymg_solve(k.solver, f, u, &result));
  ck_assert_msg(result.converged, "%s: %s", r.g.c->name, result.note);
  double *got = support_read(&k, 0, u);
  curved_solve(&r.g, &r.c.spec, values, want);
  support_assert_close("u", r.g.c->name, r.cells, got, want, 1e-8);
  free(got), free(values), free(want);
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  support_close(&k);
  random_free(&r);
}
END_TEST

static double weighted_mean(const curved_grid *g, const double *x)
{
  double sum = 0, volume = 0;
  int at[3];
  size_t m = 0;
  FOR_FACES(g, 3, at)
  {
    const double v = curved_volume(g, at);
    sum += v * x[m++], volume += v;
  }
  return sum / volume;
}

/* A ball without a Dirichlet wall: f loses its mean by volume, and u has mean zero by volume. */
START_TEST(means_of_singular_systems_are_by_volume)
{
  const curved ball = {"closed ball",       {A, B, R}, {0, -PI / 2, 0},
                       {2 * PI, PI / 2, 1}, 1,         "pp nn nn"};
  curved_grid g = curved_grid_of(&ball, (const int[3]){6, 4, 5}, 3);
  double *widths[3];
  support_case c = curved_case(&g, 0, widths);
  support_layout layout = curved_layout(&g, widths);
  hymg_options o = robust();
  support_kit k = support_open(&c.spec, &layout, &o);
  double *values = support_random(120, 0, 1, 4), *zeros = calloc(120, sizeof *zeros);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, zeros);
  hymg_result result;
  OK(k.context, hymg_solve(k.solver, f, u, &result));
  ck_assert(result.converged && result.singular);
  const double mean = weighted_mean(&g, values);
  ck_assert_msg(fabs(result.mean_removed - mean) <= 1e-12, "%.15g, want %.15g", result.mean_removed,
                mean);
  double *got = support_read(&k, 0, u);
  ck_assert_msg(fabs(weighted_mean(&g, got)) <= 1e-12 * support_max(120, got), "mean of u: %g",
                weighted_mean(&g, got));
  curved_apply(&g, &c.spec, false, got, zeros);
  for (int m = 0; m < 120; m++)
    values[m] -= mean;
  support_assert_close("A u", "closed ball", 120, zeros, values, 1e-8);
  free(got), free(values), free(zeros);
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  curved_grid_free(&g);
  for (int axis = 0; axis < 3; axis++)
    free(widths[axis]);
}
END_TEST

/* ---- order ---- */

/* u, beta and f = -div(beta grad u) at a point of space, with the gradient of u. */
typedef struct solution {
  double u, beta, f, gradient[3];
} solution;

/* No symmetry: u = sin(x + 0.3) exp(y / 2) cos z, beta = 1 + 0.3 sin(x + y) + z / 5. */
static solution general(const double x[3])
{
  const double S = sin(x[0] + 0.3), K = cos(x[0] + 0.3), E = exp(0.5 * x[1]), Z = cos(x[2]);
  solution s = {S * E * Z,
                1 + 0.3 * sin(x[0] + x[1]) + 0.2 * x[2],
                0,
                {K * E * Z, 0.5 * S * E * Z, -S * E * sin(x[2])}};
  const double slope = 0.3 * cos(x[0] + x[1]);
  s.f = -(s.beta * (-1 + 0.25 - 1) * s.u + slope * (s.gradient[0] + s.gradient[1]) +
          0.2 * s.gradient[2]);
  return s;
}

/* The same around the z axis: u = exp(-rho^2 / 2) cos z, beta = 1 + rho^2 / 4. */
static solution round_z(const double x[3])
{
  const double p = x[0] * x[0] + x[1] * x[1], E = exp(-0.5 * p), Z = cos(x[2]);
  solution s = {E * Z, 1 + 0.25 * p, 0, {-x[0] * E * Z, -x[1] * E * Z, -E * sin(x[2])}};
  s.f = -(s.beta * (p - 2 - 1) * s.u + 0.5 * (x[0] * s.gradient[0] + x[1] * s.gradient[1]));
  return s;
}

/* And around the centre: u = exp(-r^2 / 2), beta = 1 + r^2 / 4. */
static solution round_all(const double x[3])
{
  const double p = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], E = exp(-0.5 * p);
  solution s = {E, 1 + 0.25 * p, 0, {-x[0] * E, -x[1] * E, -x[2] * E}};
  s.f = -(s.beta * (p - 3) * E - 0.5 * p * E);
  return s;
}

/* The same along z. */
static solution flat(const double x[3])
{
  const double S = sin(x[0] + 0.3), K = cos(x[0] + 0.3), E = exp(0.5 * x[1]);
  solution s = {S * E, 1 + 0.3 * sin(x[0] + x[1]), 0, {K * E, 0.5 * S * E, 0}};
  s.f = -(s.beta * -0.75 * s.u + 0.3 * cos(x[0] + x[1]) * (s.gradient[0] + s.gradient[1]));
  return s;
}

/* On a layer of radius 1.5: of the unit sphere's point u = x y + x z / 2, a harmonic polynomial of degree 2, and beta =
 * 1; the same at all heights. */
static solution on_sphere(const double x[3])
{
  const double Y = x[0] * x[1] + 0.5 * x[0] * x[2], R2 = 1.5 * 1.5;
  solution s = {Y, 1, 6 * Y / R2, {(x[1] + 0.5 * x[2]) / 1.5, x[0] / 1.5, 0.5 * x[0] / 1.5}};
  double radial = 0;
  for (int m = 0; m < 3; m++)
    radial += s.gradient[m] * x[m];
  for (int m = 0; m < 3; m++)
    s.gradient[m] -= radial * x[m];
  return s;
}

typedef struct order_case {
  curved shape;
  solution (*of)(const double x[3]);
  int n[3]; /* coarse; 1 stays 1 */
  bool
      edges; /* walls that hold u meet at edges, next to which the linear extrapolation is of lower order */
} order_case;

static const order_case orders[] = {
    {{"straight box", {L, L, L}, {0, 0.4, 0.3}, {1, 1.3, 1.9}, 1, "nr dd rd"},
     general,
     {10, 10, 10},
     true},
    {{"cylinder with its axis", {R, A, L}, {0, 0, -1}, {1.3, 2 * PI, 0.5}, 1, "nd pp dn"},
     general,
     {8, 24, 8},
     true},
    {{"pipe", {R, A, L}, {0.5, 0, 0}, {1.3, 2 * PI, 1}, 1, "dd pp nn"}, general, {8, 32, 8}, false},
    {{"wedge of a pipe", {L, R, A}, {0, 0.4, 0.3}, {1, 1.3, 1.9}, 1, "nr dd rd"},
     general,
     {10, 10, 10},
     true},
    {{"plane of r and z", {R, L, A}, {0, 0, 0}, {0.8, 1, 2 * PI}, 1, "nr nn nn"},
     round_z,
     {12, 12, 1},
     false},
    {{"disc", {A, R, L}, {-PI, 0, 0}, {PI, 1.1, 1}, 1, "pp nd nn"}, flat, {32, 12, 1}, false},
    {{"line of a ball", {C, R, A}, {0, 0, 0}, {PI, 1.4, 2 * PI}, 1, "nn nr nn"},
     round_all,
     {1, 16, 1},
     false},
    {{"piece of a shell", {R, C, A}, {0.5, 0.4, 0.2}, {1.1, 1.9, 1.7}, 1, "dr rn dd"},
     general,
     {10, 10, 10},
     true},
    {{"meridian of a shell", {C, R, A}, {0, 0.5, 0}, {PI, 1, 2 * PI}, 1, "nn dr nn"},
     round_z,
     {24, 12, 1},
     false},
    {{"ball", {A, B, R}, {0, -PI / 2, 0}, {2 * PI, PI / 2, 1}, 1, "pp nn nd"},
     general,
     {16, 8, 8},
     false},
    {{"shell with an open pole", {R, A, C}, {0.7, 0, 0}, {1, 2 * PI, 1.2}, 1, "dd pp nr"},
     general,
     {4, 24, 8},
     true},
    {{"layer around the globe", {L, B, A}, {0, -1.1, 0}, {0.4, 1.2, 2 * PI}, 1.5, "nn dn pp"},
     on_sphere,
     {4, 12, 24},
     false},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static solution at_point(const order_case *o, const double q[3])
{
  double x[3];
  curved_place(&o->shape, q, x);
  return o->of(x);
}

/* The gradient along an axis. */
static double slope(const order_case *o, const double q[3], int axis)
{
  const solution s = at_point(o, q);
  double t[3];
  curved_tangent(&o->shape, q, axis, t);
  const double length = curved_length(t);
  double sum = 0;
  for (int m = 0; m < 3; m++)
    sum += s.gradient[m] * t[m];
  return length > 0 ? sum / length : 0;
}

static void set_beta(const order_case *o, const curved_grid *g, support_case *c)
{
  int at[3];
  double q[3];
  for (int axis = 0; axis < 3; axis++) {
    size_t m = 0;
    FOR_FACES(g, axis, at)
    {
      curved_face(g, axis, at, q);
      c->beta[axis][m++] = at_point(o, q).beta;
    }
  }
}

static void set_walls(const order_case *o, const curved_grid *g, support_case *c)
{
  int at[3];
  double q[3];
  support_case_add_boundaries(c);
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2;
    double *const data = c->boundary_data[face];
    double largest = 0;
    size_t m = 0;
    if (!data) continue;
    FOR_FACES(g, axis, at)
    {
      if (at[axis] != (face & 1 ? g->n[axis] : 0)) continue;
      curved_face(g, axis, at, q);
      const double u = at_point(o, q).u, out = slope(o, q, axis) * (face & 1 ? 1 : -1);
      const hymg_boundary kind = c->spec.boundary[face];
      data[m++] = kind == HYMG_DIRICHLET ? u : kind == HYMG_NEUMANN ? out : 0.7 * u + 0.4 * out;
      largest = fmax(largest, curved_area(g, axis, at));
    }
    c->spec.robin_alpha_constant[face] = 0.7, c->spec.robin_beta_constant[face] = 0.4;
    if (largest < 1e-12) c->spec.boundary_data[face] = NULL;
  }
}

/* Of u and of fluxes, each the largest and the mean. */
typedef struct errors {
  double of[4];
} errors;

static errors measure_fluxes(const order_case *o, const curved_grid *g, support_kit *k,
                             hymg_field *u, errors e)
{
  hymg_field *flux[3];
  double sum = 0, areas = 0;
  create_faces(k, flux);
  OK(k->context, hymg_fluxes(k->solver, u, flux));
  for (int axis = 0; axis < 3; axis++) {
    double *got = read_faces(k, flux[axis], axis);
    int at[3];
    double q[3];
    size_t m = 0;
    FOR_FACES(g, axis, at)
    {
      curved_face(g, axis, at, q);
      const double area = curved_area(g, axis, at);
      const double error =
          area < 1e-12 ? 0 : fabs(got[m] + at_point(o, q).beta * slope(o, q, axis));
      e.of[2] = fmax(e.of[2], error), sum += area * error, areas += area, m++;
    }
    free(got);
    hymg_field_destroy(flux + axis);
  }
  e.of[3] = sum / areas;
  return e;
}

static errors errors_of(const order_case *o, int factor)
{
  int n[3], at[3];
  for (int axis = 0; axis < 3; axis++)
    n[axis] = o->n[axis] == 1 ? 1 : factor * o->n[axis];
  curved_grid g = curved_grid_of(&o->shape, n, 0);
  double *widths[3], q[3];
  support_case c = curved_case(&g, 0, widths);
  c.spec.b = 1;
  set_beta(o, &g, &c);
  set_walls(o, &g, &c);
  const bool straight =
      curved_axis(&o->shape, HYMG_AZIMUTH) < 0; /* with widths, for the same extrapolation */
  support_layout layout =
      curved_layout(&g, (double *const[3]){straight ? widths[0] : NULL, NULL, NULL});
  hymg_options options = robust();
  support_kit k = support_open(&c.spec, &layout, &options);
  const size_t cells = (size_t)(n[0] * n[1] * n[2]);
  double *f = support_poison(cells);
  size_t m = 0;
  FOR_FACES(&g, 3, at)
  {
    curved_centre(&g, at, q);
    f[m++] = at_point(o, q).f;
  }
  hymg_field *rhs = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, rhs, u, &r));
  ck_assert_msg(r.converged, "%s: %s", o->shape.name, r.note);
  double *got = support_read(&k, 0, u), sum = 0, volumes = 0;
  errors e = {{0}};
  m = 0;
  FOR_FACES(&g, 3, at)
  {
    curved_centre(&g, at, q);
    const double error = fabs(got[m++] - at_point(o, q).u), v = curved_volume(&g, at);
    e.of[0] = fmax(e.of[0], error), sum += v * error, volumes += v;
  }
  e.of[1] = sum / volumes;
  e = measure_fluxes(o, &g, &k, u, e);
  free(got), free(f);
  hymg_field_destroy(&rhs), hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  curved_grid_free(&g);
  for (int axis = 0; axis < 3; axis++)
    free(widths[axis]);
  return e;
}

START_TEST(solutions_and_fluxes_are_of_second_order)
{
  if (!is_solved(_i)) return;
  static const char *const name[4] = {"max u", "mean u", "max flux", "mean flux"};
  static const double least[2][4] = {{1.9, 1.9, 1.7, 1.9}, {1.4, 1.9, 0.8, 1.9}};
  const order_case *o = orders + _i;
  const errors coarse = errors_of(o, 1), fine = errors_of(o, 2);
  for (int m = 0; m < 4; m++) {
    const double order = log2(coarse.of[m] / fine.of[m]);
    if (getenv("HYMG_TEST_TABLE"))
      printf("%s%s %.2g, %.2f%s", m ? " |" : o->shape.name, m ? "" : " |", fine.of[m], order,
             m < 3 ? "" : " |\n");
    ck_assert_msg(order > least[o->edges][m], "%s, %s: %.3g, %.3g, order %.2f", o->shape.name,
                  name[m], coarse.of[m], fine.of[m], order);
  }
}
END_TEST

/* ---- iterations ---- */

typedef struct count_case {
  curved shape;
  int n[3];
  hymg_transfer transfer;
  int most; /* iterations to 1e-8 on twice as many cells; 0: 1.5 times those of the box */
} count_case;

static const count_case counts[] = {
    {{"box", {L, L, L}, {0}, {1, 1, 1}, 1, "dd pp dd"}, {16, 16, 16}, HYMG_TRANSFER_AUTO, 0},
    {{"plane of r and z", {R, L, A}, {0}, {1, 1, 2 * PI}, 1, "nd dd nn"},
     {16, 16, 1},
     HYMG_TRANSFER_AUTO,
     0},
    {{"pipe", {R, A, L}, {0.5, 0, 0}, {1, 2 * PI, 1}, 1, "dd pp dd"},
     {8, 64, 16},
     HYMG_TRANSFER_AUTO,
     0},
    {{"shell", {R, C, A}, {0.5, 0.5, 0}, {1, 2.6, 2 * PI}, 1, "dd dd pp"},
     {8, 24, 64},
     HYMG_TRANSFER_AUTO,
     0},
    {{"ocean to 60 degrees", {A, B, L}, {0, -PI / 3, 0}, {2, PI / 3, 1}, 1, "dd dd nn"},
     {32, 32, 1},
     HYMG_TRANSFER_AUTO,
     0},
    {{"ocean to 80 degrees", {A, B, L}, {0, -1.4, 0}, {2 * PI, 1.4, 1}, 1, "pp dd nn"},
     {64, 32, 1},
     HYMG_TRANSFER_AUTO,
     0},
    {{"ocean with its poles", {A, B, L}, {0, -PI / 2, 0}, {2 * PI, PI / 2, 1}, 1, "pp nn nn"},
     {64, 32, 1},
     HYMG_TRANSFER_AUTO,
     0},
    {{"disc", {R, A, L}, {0}, {1, 2 * PI, 1}, 1, "nd pp nn"}, {8, 32, 1}, HYMG_TRANSFER_AUTO, 0},
    {{"cylinder with its axis", {R, A, L}, {0}, {1, 2 * PI, 1}, 1, "nd pp dd"},
     {8, 24, 8},
     HYMG_TRANSFER_AUTO,
     0},
    {{"the same, azimuth along x", {A, L, R}, {0}, {2 * PI, 1, 1}, 1, "pp dd nd"},
     {27, 7, 9},
     HYMG_TRANSFER_AUTO,
     0},
    {{"shell with its poles", {R, C, A}, {0.5, 0, 0}, {1, PI, 2 * PI}, 1, "dd nn pp"},
     {8, 24, 48},
     HYMG_TRANSFER_AUTO,
     0},
    {{"ball", {R, C, A}, {0}, {1, PI, 2 * PI}, 1, "nd nn pp"},
     {8, 12, 24},
     HYMG_TRANSFER_PAIRS,
     20},
};
enum { COUNTS = sizeof counts / sizeof *counts };

static int iterations_of(const count_case *c, int factor, hymg_transfer transfer)
{
  int n[3];
  for (int axis = 0; axis < 3; axis++)
    n[axis] = c->n[axis] == 1 ? 1 : factor * c->n[axis];
  support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  layout.coordinate = c->shape.coordinate, layout.origin = c->shape.low;
  layout.radius = c->shape.radius;
  support_case s = support_case_of(HYMG_FV2, n, c->shape.boundary, 0);
  double *widths = support_random((size_t)n[0], 1, 1, 0);
  for (int axis = 0; axis < 3; axis++) {
    s.spec.h[axis] = (c->shape.high[axis] - c->shape.low[axis]) / n[axis];
    s.spec.beta[axis] = NULL;
  }
  for (int i = 0; i < n[0]; i++)
    widths[i] = s.spec.h[0];
  layout.widths[0] = widths; /* the box, too, has the robust path's linear extrapolation */
  hymg_options o = robust();
  o.rtol = 1e-8, o.transfer = transfer;
  support_kit k = support_open(&s.spec, &layout, &o);
  const size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  double *values = support_random(cells, -0.25, 0.75, 8);
  hymg_field *f = support_field(&k, 0, values), *u = support_field(&k, 0, values);
  hymg_result r;
  OK(k.context, hymg_solve(k.solver, f, u, &r));
  ck_assert_msg(r.converged, "%s: %s", c->shape.name, r.note);
  free(values), free(widths);
  hymg_field_destroy(&f), hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&s);
  return r.cycles;
}

/* As many as on a box; around a centre few by another transfer. */
START_TEST(iterations_are_few)
{
  if (!is_solved(_i)) return;
  const count_case *c = counts + _i;
  const int most = c->most ? c->most : iterations_of(counts, 2, HYMG_TRANSFER_AUTO) * 3 / 2,
            found = iterations_of(c, 2, c->transfer);
  static const hymg_transfer all[] = {HYMG_TRANSFER_AUTO, HYMG_TRANSFER_TENSOR,
                                      HYMG_TRANSFER_PAIRS};
  for (int m = 0; getenv("HYMG_TEST_TABLE") && m < 3; m++)
    printf("%s, %s: %d, %d, %d iterations\n", c->shape.name,
           hymg_enum_name("hymg_transfer", (int)all[m]), iterations_of(c, 1, all[m]),
           iterations_of(c, 2, all[m]), iterations_of(c, 4, all[m]));
  ck_assert_msg(found <= most, "%s: %d iterations, at most %d", c->shape.name, found, most);
}
END_TEST

/* ---- what is refused ---- */

typedef struct refusal {
  hymg_coordinate coordinate[3];
  double low[3], high[3], radius;
  const char *boundary, *word[3];
} refusal;

static const refusal refusals[] = {
    {{R, L, L}, {0}, {1, 1, 1}, 1, "nd dd dd", {"radius, length, length", "azimuth"}},
    {{A, L, L}, {0}, {1, 1, 1}, 1, "dd dd dd", {"azimuth, length, length"}},
    {{R, B, C}, {0}, {1, 1, 1}, 1, "nd dd dd", {"radius, latitude, colatitude"}},
    {{R, R, A}, {0}, {1, 1, 1}, 1, "nd dd dd", {"radius, radius, azimuth"}},
    {{R, A, L},
     {-0.1, 0, 0},
     {1, 1, 1},
     1,
     "dd pp dd",
     {"radius from -0.1", "along x", "at least 0"}},
    {{R, A, L}, {0}, {1, 6.3, 1}, 1, "nd pp dd", {"azimuth from 0 to 6.3", "at most 2 pi"}},
    {{R, A, L}, {0}, {1, 1, 1}, 1, "dd pp dd", {"Dirichlet", "x-", "no area"}},
    {{R, A, L}, {0}, {1, 1, 1}, 1, "pp dd dd", {"periodic", "radius"}},
    {{R, A, C}, {0}, {1, 1, 3.2}, 1, "nd pp nn", {"colatitude from 0 to 3.2", "0 to pi"}},
    {{R, A, C}, {0}, {1, 1, PI}, 1, "nd pp nd", {"Dirichlet", "z+", "colatitude 3.14"}},
    {{A, B, L}, {0, -1.6, 0}, {1, 1, 1}, 1, "dd nd nn", {"latitude from -1.6", "-pi/2 to pi/2"}},
    {{A, B, L}, {0, -PI / 2, 0}, {1, 1, 1}, 1, "dd rd nn", {"Robin", "y-", "latitude -1.57"}},
    {{A, B, L}, {0}, {1, 1, 1}, 0, "dd dd nn", {"radius 0", "above 0"}},
    {{A, B, L}, {0}, {1, 1, 1}, NAN, "dd dd nn", {"radius", "above 0"}},
    {{R, A, L}, {NAN, 0, 0}, {1, 1, 1}, 1, "dd pp dd", {"origin", "along x", "finite"}},
    {{(hymg_coordinate)7, A, L}, {0}, {1, 1, 1}, 1, "nd pp dd", {"coordinate 7", "latitude"}},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static hymg_grid_desc desc_of(const hymg_coordinate coordinate[3], const double low[3],
                              const double high[3], double radius_, const char *boundary)
{
  hymg_grid_desc d = hymg_grid_desc_default();
  for (int axis = 0; axis < 3; axis++) {
    d.n[axis] = 4, d.coordinate[axis] = coordinate[axis], d.origin[axis] = low[axis];
    d.spacing[axis] = (high[axis] - (low[axis] == low[axis] ? low[axis] : 0)) / 4;
    for (int side = 0; side < 2; side++) {
      const char kind = boundary[3 * axis + side];
      d.boundary[2 * axis + side] = kind == 'p'   ? HYMG_PERIODIC
                                    : kind == 'n' ? HYMG_NEUMANN
                                    : kind == 'r' ? HYMG_ROBIN
                                                  : HYMG_DIRICHLET;
    }
  }
  d.radius = radius_;
  return d;
}

START_TEST(impossible_grids_are_refused)
{
  const refusal *r = refusals + _i;
  hymg_context *c;
  hymg_grid *g = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &c), HYMG_OK);
  const hymg_grid_desc d = desc_of(r->coordinate, r->low, r->high, r->radius, r->boundary);
  support_assert_error(c, hymg_grid_create(c, &d, &g), HYMG_EINVAL, r->word[0], r->word[1],
                       r->word[2], NULL);
  ck_assert_ptr_null(g);
  hymg_context_destroy(&c);
}
END_TEST

/* Operators and solvers that a curved grid does not have. */
START_TEST(what_needs_straight_cells_is_refused)
{
  hymg_context *c;
  hymg_grid *g = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  ck_assert_int_eq(hymg_context_create(NULL, &c), HYMG_OK);
  const hymg_grid_desc d = desc_of((const hymg_coordinate[]){R, A, L}, (const double[]){0, 0, 0},
                                   (const double[]){1, 1, 1}, 1, "nd pp dd");
  OK(c, hymg_grid_create(c, &d, &g));
  hymg_operator_desc o = hymg_operator_desc_default();
  o.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  support_assert_error(c, hymg_operator_create(g, &o, &op), HYMG_EUNSUPPORTED, "quadratic",
                       "curved grid", NULL);
  o = hymg_operator_desc_default();
  o.boundary_constant[0] = 1;
  support_assert_error(c, hymg_operator_create(g, &o, &op), HYMG_EINVAL, "x-", "no area", NULL);
  o = hymg_operator_desc_default();
  OK(c, hymg_operator_create(g, &o, &op));
  hymg_options options = hymg_options_default();
  options.path = HYMG_PATH_STANDARD;
  support_assert_error(c, hymg_solver_create(op, &options, &solver), HYMG_EUNSUPPORTED, "standard",
                       "curved grid", NULL);
  hymg_operator_destroy(&op);
  o.stencil = HYMG_FV4;
  OK(c, hymg_operator_create(g, &o, &op));
  options = hymg_options_default();
  options.method = HYMG_MG;
  support_assert_error(c, hymg_solver_create(op, &options, &solver), HYMG_EUNSUPPORTED, "FV4",
                       "curved grid", NULL);
  hymg_operator_destroy(&op);
  hymg_body body = hymg_body_default();
  hymg_field *volume = NULL, *beta[3] = {NULL, NULL, NULL};
  OK(c, hymg_field_create(g, NULL, HYMG_CELL, HYMG_DOUBLE, &volume));
  body.volume = volume;
  support_assert_error(c, hymg_body_coefficients(&body, 1, 1, NULL, beta, NULL, NULL),
                       HYMG_EUNSUPPORTED, "curved grid", NULL);
  support_assert_error(c,
                       hymg_grid_measure(g, NULL, (hymg_field *const[]){volume, NULL, NULL}, NULL),
                       HYMG_EINVAL, "area[0]", NULL);
  hymg_field_destroy(&volume);
  hymg_grid_destroy(&g);
  hymg_context_destroy(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("curved");
  TCase *t = tcase_create("curved");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, volumes_areas_and_distances_are_those_of_space, 0, SHAPES * SIZES);
  tcase_add_loop_test(t, the_operator_is_the_sum_over_true_faces, 0, SHAPES * SIZES);
  tcase_add_loop_test(t, fluxes_are_those_through_true_faces, 0, SHAPES * SIZES);
  tcase_add_loop_test(t, solutions_are_those_of_the_dense_system, 0, 2 * SHAPES * SIZES);
  tcase_add_test(t, means_of_singular_systems_are_by_volume);
  tcase_add_loop_test(t, solutions_and_fluxes_are_of_second_order, 0, ORDERS);
  tcase_add_loop_test(t, iterations_are_few, 0, COUNTS);
  tcase_add_loop_test(t, impossible_grids_are_refused, 0, REFUSALS);
  tcase_add_test(t, what_needs_straight_cells_is_refused);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
