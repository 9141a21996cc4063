/* FV4 is of 4th order with every kind of boundary and with a variable alpha: solutions made up for smooth
 * alpha and beta, with their values or derivatives as boundary data, on boxes of any shape. */
#include "support/support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586

static const double length[3] = {1.0, 0.9, 1.2};

typedef enum { U, OF_BETA, OF_ALPHA } function;

/* One factor of a function along an axis, and its derivatives; x in [0, 1] is the part of the axis. */
static double factor(int d, function of, bool periodic, int derivative, double x)
{
  const double per_length = 1 / length[d];
  const double speeds[3] = {3.1 + 0.5 * d, 2.3 - 0.4 * d, 2.9 - 0.3 * d};
  const double speed = periodic ? TURN : speeds[of];
  const double phase = 0.3 + 0.5 * d + of;
  const double shift = derivative == 0 ? (of == U ? 0.6 : 0.2) : 0;
  return shift +
         pow(speed * per_length, derivative) * sin(speed * x + phase + derivative * TURN / 4);
}

typedef struct made_up {
  int n[3];
  bool periodic[3];
  double a;
  bool alpha; /* varies; else 1 */
  double *factors[3];
} made_up;

/* On each axis the points are, for each cell, its low face and the three of Gauss' formula, then the last face. */
static int points(const made_up *m, int d)
{
  return 4 * m->n[d] + 1;
}

/* Sines take most of the time of this test, so each factor is computed once for each point of its axis. */
static void tabulate(made_up *m)
{
  static const double node[4] = {-1, -0.7745966692414834, 0, 0.7745966692414834};
  for (int d = 0; d < 3; d++) {
    double *next = m->factors[d] = support_poison(9 * (size_t)points(m, d));
    for (int row = 0; row < 9; row++)
      for (int p = 0; p < points(m, d); p++)
        *next++ = factor(d, (function)(row / 3), m->periodic[d], row % 3,
                         (p / 4 + 0.5 + 0.5 * node[p % 4]) / m->n[d]);
  }
}

/* The derivative of a function along axis d (0: none) at a point. */
static double product(const made_up *m, function of, int d, int derivative, const int point[3])
{
  double value = of == U ? 1 : of == OF_BETA ? 0.4 : 0.7;
  for (int t = 0; t < 3; t++)
    value *= m->factors[t][(3 * (int)of + (t == d ? derivative : 0)) * points(m, t) + point[t]];
  return value + (of != U && derivative == 0 ? 1.5 : 0);
}

typedef enum { SOLUTION, RIGHT, ALPHA, BETA, SLOPE_X, SLOPE_Y, SLOPE_Z } quantity;

static double value_of(const made_up *m, quantity what, const int x[3])
{
  const double alpha = m->alpha ? product(m, OF_ALPHA, 0, 0, x) : 1;
  if (what == SOLUTION) return product(m, U, 0, 0, x);
  if (what == ALPHA) return alpha;
  if (what == BETA) return product(m, OF_BETA, 0, 0, x);
  if (what >= SLOPE_X) return product(m, U, (int)(what - SLOPE_X), 1, x);
  double flow = 0;
  for (int d = 0; d < 3; d++)
    flow += product(m, OF_BETA, 0, 0, x) * product(m, U, d, 2, x) +
            product(m, OF_BETA, d, 1, x) * product(m, U, d, 1, x);
  return m->a * alpha * product(m, U, 0, 0, x) - flow;
}

/* The mean over a cell, or over its low face along `face` (-1: the cell), by Gauss' three points. */
static double mean_of(const made_up *m, quantity what, int face, const int at[3])
{
  static const double weight[3] = {5. / 18, 8. / 18, 5. / 18};
  double sum = 0;
  for (int q = 0; q < 27; q++) {
    const int gauss[3] = {q % 3, q / 3 % 3, q / 9};
    int point[3];
    double w = 1;
    if (face >= 0 && gauss[face] != 1) continue;
    for (int d = 0; d < 3; d++) {
      point[d] = 4 * at[d] + (d == face ? 0 : 1 + gauss[d]);
      if (d != face) w *= weight[gauss[d]];
    }
    sum += w * value_of(m, what, point);
  }
  return sum;
}

/* Of all entries of a field: cells (axis -1), faces along axis, or those of the boundary `face`. */
static double *means(const made_up *m, quantity what, int axis, int face, double sign)
{
  int n[3] = {m->n[0], m->n[1], m->n[2]};
  if (face >= 0)
    n[axis] = 1;
  else if (axis >= 0)
    n[axis]++;
  double *all = support_poison((size_t)n[0] * (size_t)n[1] * (size_t)n[2]), *next = all;
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++) {
        int at[3] = {i, j, k};
        if (face >= 0 && face % 2) at[axis] = m->n[axis];
        *next++ = sign * mean_of(m, what, axis, at);
      }
  return all;
}

typedef struct order_case {
  int n[3]; /* of the coarser grid */
  const char *boundary;
  double a;
} order_case;

static support_case case_of(const order_case *o, const made_up *m)
{
  support_case c = support_case_of(HYMG_FV4, m->n, o->boundary, 0);
  c.spec.a = m->a, c.spec.b = 1, c.spec.alpha_constant = 1;
  if (m->alpha) c.spec.alpha = c.alpha = means(m, ALPHA, -1, -1, 1);
  for (int d = 0; d < 3; d++) {
    c.spec.h[d] = length[d] / m->n[d];
    free(c.beta[d]);
    c.spec.beta[d] = c.beta[d] = means(m, BETA, d, -1, 1);
  }
  for (int face = 0; face < 6; face++) {
    const bool neumann = c.spec.boundary[face] == HYMG_NEUMANN;
    const int d = face / 2;
    if (m->periodic[d]) continue;
    c.spec.boundary_data[face] = c.boundary_data[face] =
        means(m, neumann ? (quantity)(SLOPE_X + d) : SOLUTION, d, face,
              neumann && face % 2 == 0 ? -1 : 1);
  }
  return c;
}

/* The largest and the mean error of a solve. */
static void find_errors(const order_case *o, bool alpha, int times, hymg_result *r, double error[2])
{
  made_up m = {.a = o->a, .alpha = alpha};
  for (int d = 0; d < 3; d++) {
    m.n[d] = times * o->n[d];
    m.periodic[d] = o->boundary[3 * d] == 'p';
  }
  tabulate(&m);
  support_case c = case_of(o, &m);
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.path = HYMG_PATH_ROBUST;
  options.rtol = 1e-11;
  support_kit k = support_open(&c.spec, NULL, &options);
  double *exact = means(&m, SOLUTION, -1, -1, 1), *rhs = means(&m, RIGHT, -1, -1, 1), shift = 0;
  const size_t cells = (size_t)m.n[0] * (size_t)m.n[1] * (size_t)m.n[2];
  hymg_field *f = support_field(&k, 0, rhs), *u = support_field(&k, 0, rhs);
  OK(k.context, hymg_field_fill(u, 0));
  OK(k.context, hymg_solve(k.solver, f, u, r));
  double *got = support_read(&k, 0, u);
  for (size_t i = 0; r->singular && i < cells; i++)
    shift += exact[i] / (double)cells;
  for (size_t i = 0; i < cells; i++)
    exact[i] -= shift;
  error[0] = support_difference(cells, got, exact), error[1] = 0;
  for (size_t i = 0; i < cells; i++)
    error[1] += fabs(got[i] - exact[i]) / (double)cells;
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  for (int d = 0; d < 3; d++)
    free(m.factors[d]);
  free(exact);
  free(rhs);
  free(got);
}

static const order_case cases[] = {
    {{16, 16, 16}, "dd dd dd", 0},   {{16, 16, 16}, "nn nn nn", 1}, {{15, 17, 14}, "dn nd dd", 0},
    {{13, 15, 18}, "dn pp nd", 0.5}, {{16, 12, 19}, "pp nn dd", 0}, {{15, 13, 17}, "nn nn nn", 0},
    {{14, 18, 16}, "nn dd pp", 0},   {{17, 15, 13}, "nd nd nd", 0}, {{12, 24, 16}, "pp pp dd", 0},
    {{20, 14, 15}, "pp dn nn", 0},
};
/* a alpha is so large that its term decides on the error. */
static const order_case with_alpha[] = {
    {{15, 17, 14}, "dn nd dd", 300}, {{13, 15, 18}, "dn pp nd", 200},
    {{16, 16, 16}, "dd dd dd", 300}, {{16, 12, 19}, "pp nn dd", 150},
    {{14, 15, 13}, "nn nn nn", 300}, {{14, 18, 12}, "pp pp pp", 150},
};
enum { CASES = sizeof cases / sizeof *cases, WITH_ALPHA = sizeof with_alpha / sizeof *with_alpha };

static void check_order(const order_case *o, bool alpha)
{
  static const char *const norm[2] = {"largest", "mean"};
  hymg_result coarse, fine;
  double before[2], after[2];
  find_errors(o, alpha, 1, &coarse, before);
  find_errors(o, alpha, 2, &fine, after);
  ck_assert_msg(coarse.converged && fine.converged, "%s", fine.note);
  for (int m = 0; m < 2; m++) {
    const double order = log2(before[m] / after[m]);
    ck_assert_msg(order > 3.8, "%s a %g: %s error %.3g, %.3g: order %.2f", o->boundary, o->a,
                  norm[m], before[m], after[m], order);
  }
}

START_TEST(halving_the_cells_takes_the_error_to_a_16th)
{
  check_order(cases + _i, false);
}
END_TEST

START_TEST(also_where_alpha_varies)
{
  check_order(with_alpha + _i, true);
}
END_TEST

/* Without a field for any boundary: also what decides that the path is the robust one. */
START_TEST(numbers_are_boundary_data_as_well)
{
  static const char *const boundary[] = {"dd dd dd", "dn pp dd"};
  static const int n[3] = {16, 16, 16};
  const double value = 3;
  support_case c = support_case_of(HYMG_FV4, n, boundary[_i], 0);
  c.spec.a = 0;
  for (int face = 0; face < 6; face++)
    if (c.spec.boundary[face] == HYMG_DIRICHLET) c.spec.boundary_constant[face] = value;
  hymg_options options = hymg_options_default();
  options.method = HYMG_MG;
  options.rtol = 1e-11;
  options.path = HYMG_PATH_ROBUST; /* the kit's solver; AUTO would be STANDARD there */
  support_kit k = support_open(&c.spec, NULL, &options);
  hymg_solver *solver;
  options.path = HYMG_PATH_AUTO;
  OK(k.context, hymg_solver_create(k.op, &options, &solver));
  double *none = calloc(16 * 16 * 16, sizeof *none);
  hymg_field *f = support_field(&k, 0, none), *u = support_field(&k, 0, none);
  hymg_result r;
  OK(k.context, hymg_solve(solver, f, u, &r));
  ck_assert_msg(r.converged && r.path == HYMG_PATH_ROBUST, "%s", r.note);
  double *got = support_read(&k, 0, u);
  for (size_t i = 0; i < 16 * 16 * 16; i++)
    ck_assert_msg(fabs(got[i] - value) < 1e-8, "u = %.12g, not %g", got[i], value);
  hymg_solver_destroy(&solver);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(none);
  free(got);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("the order of FV4");
  TCase *t = tcase_create("boundaries");
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, halving_the_cells_takes_the_error_to_a_16th, 0,
                      support_small() ? 3 : CASES);
  tcase_add_loop_test(t, also_where_alpha_varies, 0, support_small() ? 2 : WITH_ALPHA);
  tcase_add_loop_test(t, numbers_are_boundary_data_as_well, 0, 2);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
