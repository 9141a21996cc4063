/* What order is left of FV2 and FV4 with its limiter where beta jumps, across a plane or a ball, with exact
 * solutions: near the jump and at a fixed distance from it, in the largest and the mean error. With
 * HYMG_TEST_TABLE=N it prints the table of docs/numerics.md instead, from N to 2 N cells a side. */
#include "support/support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586

/* beta is `ratio` where the distance function (x - place, or place - the distance from the centre) is
 * positive, else 1. beta u = S is smooth and 0 at the jump, so the flux is continuous. */
typedef struct jump {
  bool ball, sampled; /* sampled: betas of faces from those at cell centres */
  double place, ratio;
  hymg_stencil stencil;
  double limiter; /* of FV4 */
} jump;

static const double centre[3] = {0.47, 0.52, 0.49}, speed = 3.0, phase = -0.4, far_off = 0.15;

static double radius(const double x[3])
{
  return sqrt(pow(x[0] - centre[0], 2) + pow(x[1] - centre[1], 2) + pow(x[2] - centre[2], 2));
}

static double distance(const jump *p, const double x[3])
{
  return p->ball ? p->place - radius(x) : x[0] - p->place;
}

static double beta_at(const jump *p, const double x[3])
{
  return distance(p, x) > 0 ? p->ratio : 1;
}

/* Across the plane's normal: 1 and a wave along the plane. */
static double wave_at(const double x[3])
{
  return 0.3 * cos(TURN * x[1]) * cos(TURN * x[2] + 0.2);
}

static double u_at(const jump *p, const double x[3])
{
  const double s = p->ball ? cos(speed * radius(x)) - cos(speed * p->place)
                           : sin(speed * x[0] + phase) - sin(speed * p->place + phase);
  return (p->ball ? s : s * (1 + wave_at(x))) / beta_at(p, x);
}

/* -div(beta grad u) */
static double f_at(const jump *p, const double x[3])
{
  const double r = radius(x), s = sin(speed * x[0] + phase), wave = wave_at(x);
  if (p->ball) return speed * speed * cos(speed * r) + 2 * speed * sin(speed * r) / r;
  return speed * speed * s * (1 + wave) +
         2 * TURN * TURN * (s - sin(speed * p->place + phase)) * wave;
}

/* ---- averages ---- */

typedef double (*quantity)(const jump *p, const double x[3]);

/* Over the box of these sides around x, side 0: none, by three points in each of `parts` parts. */
static double mean_of(const jump *p, quantity what, const double x[3], const double side[3],
                      const int parts[3])
{
  static const double node[3] = {-0.3872983346207417, 0, 0.3872983346207417};
  static const double weight[3] = {5. / 18, 8. / 18, 5. / 18};
  const int m[3] = {3 * parts[0], 3 * parts[1], 3 * parts[2]};
  double sum = 0;
  for (int q = 0; q < m[0] * m[1] * m[2]; q++) {
    const int at[3] = {q % m[0], q / m[0] % m[1], q / m[0] / m[1]};
    double y[3], w = 1;
    for (int d = 0; d < 3; d++) {
      y[d] = x[d] + ((at[d] / 3 + 0.5 + node[at[d] % 3]) / parts[d] - 0.5) * side[d];
      w *= weight[at[d] % 3] / parts[d];
    }
    sum += w * what(p, y);
  }
  return sum;
}

/* The mean of u over a cell. Where the plane cuts it: of both pieces; where the ball may: of many. */
static double u_mean(const jump *p, const double x[3], double h)
{
  static const int one[3] = {1, 1, 1}, many[3] = {6, 6, 6};
  const double off = distance(p, x), side[3] = {h, h, h};
  if (p->ball) return mean_of(p, u_at, x, side, fabs(off) < h ? many : one);
  if (fabs(off) >= 0.5 * h) return mean_of(p, u_at, x, side, one);
  double sum = 0;
  for (int piece = 0; piece < 2; piece++) {
    const double from = piece ? p->place : x[0] - 0.5 * h, to = piece ? x[0] + 0.5 * h : p->place;
    const double y[3] = {0.5 * (from + to), x[1], x[2]}, cut[3] = {to - from, h, h};
    sum += mean_of(p, u_at, y, cut, one) * (to - from) / h;
  }
  return sum;
}

/* The part of a line of length h around x, along an axis, where beta is `ratio`. */
static double share_of(const jump *p, int axis, const double x[3], double h)
{
  double from = -0.5 * h, to = 0.5 * h;
  if (!p->ball && axis > 0) return distance(p, x) > 0;
  if (!p->ball) return fmin(fmax((to + distance(p, x)) / h, 0), 1);
  const double along = x[axis] - centre[axis],
               rest = p->place * p->place - pow(radius(x), 2) + along * along;
  if (rest <= 0) return 0;
  from = fmax(from, -along - sqrt(rest)), to = fmin(to, -along + sqrt(rest));
  return fmax(to - from, 0) / h;
}

/* The harmonic mean of beta along the line between the cells on both sides of a face, or of its values in
 * their centres. */
static double face_beta(const jump *p, int axis, const double x[3], double h)
{
  double share = share_of(p, axis, x, h), y[3] = {x[0], x[1], x[2]};
  if (p->sampled) {
    y[axis] = x[axis] - 0.5 * h, share = 0.5 * (distance(p, y) > 0);
    y[axis] = x[axis] + 0.5 * h, share += 0.5 * (distance(p, y) > 0);
  }
  return 1 / (share / p->ratio + 1 - share);
}

/* ---- a solve ---- */

static void place_of(const int at[3], int axis, double h, double x[3])
{
  for (int d = 0; d < 3; d++)
    x[d] = (at[d] + (d == axis ? 0 : 0.5)) * h;
}

/* Calls with each entry of the cells (axis -1), the faces along an axis or, from the layer `first`, one
 * layer of them. */
static double *fill(const jump *p, int n, int axis, int first, int layers, int what)
{
  int m[3] = {n, n, n}, at[3];
  const double h = 1.0 / n;
  if (axis >= 0) m[axis] = layers;
  double *all = support_poison((size_t)m[0] * (size_t)m[1] * (size_t)m[2]), *next = all;
  for (at[2] = 0; at[2] < m[2]; at[2]++)
    for (at[1] = 0; at[1] < m[1]; at[1]++)
      for (at[0] = 0; at[0] < m[0]; at[0]++) {
        static const int one[3] = {1, 1, 1};
        const double side[3] = {axis == 0 ? 0 : h, axis == 1 ? 0 : h, axis == 2 ? 0 : h};
        double x[3];
        place_of(at, axis, h, x);
        if (axis >= 0) x[axis] += first * h;
        *next++ = what == 'b'   ? face_beta(p, axis, x, h)
                  : what == 'f' ? mean_of(p, f_at, x, side, one)
                  : axis < 0    ? u_mean(p, x, h)
                                : mean_of(p, u_at, x, side, one);
      }
  return all;
}

typedef struct errors {
  double all[2], off[2]; /* largest and mean; of all cells and of those off the jump */
  int iterations;
} errors;

static errors compare(const jump *p, int n, const double *got)
{
  errors e = {{0, 0}, {0, 0}, 0};
  double *exact = fill(p, n, -1, 0, 0, 'u');
  int cells = 0;
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i % n, i / n % n, i / n / n};
    const double error = fabs(got[i] - exact[i]);
    double x[3];
    place_of(at, -1, 1.0 / n, x);
    e.all[0] = fmax(e.all[0], error);
    e.all[1] += error / n / n / n;
    if (fabs(distance(p, x)) < far_off) continue;
    e.off[0] = fmax(e.off[0], error);
    e.off[1] += error;
    cells++;
  }
  e.off[1] /= cells;
  free(exact);
  return e;
}

static errors solve(const jump *p, int n)
{
  const int cells[3] = {n, n, n};
  support_case c = support_case_of(p->stencil, cells, p->ball ? "dd dd dd" : "dd pp pp", 0);
  hymg_options options = hymg_options_default();
  hymg_result r;
  options.method = HYMG_MG, options.path = HYMG_PATH_ROBUST, options.rtol = 1e-11;
  c.spec.b = 1, c.spec.limiter = p->limiter;
  for (int d = 0; d < 3; d++) {
    c.spec.h[d] = 1.0 / n;
    free(c.beta[d]);
    c.spec.beta[d] = c.beta[d] = fill(p, n, d, 0, n + 1, 'b');
  }
  for (int face = 0; face < (p->ball ? 6 : 2); face++)
    c.spec.boundary_data[face] = c.boundary_data[face] =
        fill(p, n, face / 2, face % 2 ? n : 0, 1, 'u');
  support_kit k = support_open(&c.spec, NULL, &options);
  double *rhs = fill(p, n, -1, 0, 0, 'f');
  hymg_field *f = support_field(&k, 0, rhs), *u = support_field(&k, 0, rhs);
  OK(k.context, hymg_field_fill(u, NAN));
  OK(k.context, hymg_solve(k.solver, f, u, &r));
  ck_assert_msg(r.converged, "%s", r.note);
  double *got = support_read(&k, 0, u);
  errors e = compare(p, n, got);
  e.iterations = r.cycles;
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(rhs);
  free(got);
  return e;
}

/* The plane is `part` of a cell beyond a face. */
static void set_place(jump *p, double part, int n)
{
  p->place = p->ball ? 0.3 : 0.4375 + part / n;
}

static void print_row(jump p, double part, int n)
{
  set_place(&p, part, n);
  const errors coarse = solve(&p, n);
  set_place(&p, part, 2 * n);
  const errors fine = solve(&p, 2 * n);
  printf("%-5s %g %5g %-8s %s %g %3d %2d", p.ball ? "ball" : "plane", part, p.ratio,
         p.sampled ? "centres" : "lines", p.stencil == HYMG_FV2 ? "fv2" : "fv4", p.limiter, 2 * n,
         fine.iterations);
  for (int m = 0; m < 4; m++) {
    const double one = m < 2 ? coarse.off[m] : coarse.all[m - 2],
                 other = m < 2 ? fine.off[m] : fine.all[m - 2];
    printf("  %.2e %5.2f", other, log2(one / other));
  }
  putchar('\n');
  fflush(stdout);
}

START_TEST(table)
{
  static const double ratios[2] = {1000, 100}, parts[4] = {0, 0.3, 0.7, 0};
  static const struct {
    hymg_stencil stencil;
    double limiter;
  } schemes[3] = {{HYMG_FV2, 0}, {HYMG_FV4, 0}, {HYMG_FV4, 1.5}};
  const int n = atoi(getenv("HYMG_TEST_TABLE"));
  for (int m = 0; m < 2; m++)
    for (int kind = 0; kind < 4; kind++)
      for (int sampled = 0; sampled < (kind ? 2 : 1); sampled++)
        for (int t = 0; t < 3; t++) {
          const jump p = {kind == 3, sampled, 0, ratios[m], schemes[t].stencil, schemes[t].limiter};
          print_row(p, parts[kind], n);
        }
}
END_TEST

/* ---- what is asserted ---- */

typedef struct expectation {
  jump p;
  double part, least; /* order of the largest error off the jump, at least */
} expectation;

static const expectation expected[] = {
    {{true, false, 0, 1000, HYMG_FV4, 0}, 0, 1.75},
    {{true, true, 0, 1000, HYMG_FV4, 0}, 0, 0.9},
    {{false, false, 0, 100, HYMG_FV4, 0}, 0.3, 1.6},
    {{false, false, 0, 1000, HYMG_FV4, 0}, 0, 1.85},
    {{false, false, 0, 1000, HYMG_FV4, 0}, 0.7, 1.7},
    {{false, false, 0, 1000, HYMG_FV4, 1.5}, 0, 1.75},
    {{false, true, 0, 1000, HYMG_FV4, 0}, 0.3, 0.85},
    {{true, false, 0, 100, HYMG_FV2, 0}, 0, 1.8},
    {{false, false, 0, 100, HYMG_FV2, 0}, 0.3, 1.85},
    {{false, true, 0, 100, HYMG_FV2, 0}, 0.3, 0.85},
};
enum { EXPECTED = sizeof expected / sizeof *expected };

/* Also: the mean error falls at least as fast, and conjugate gradients or BiCGStab do not slow down. */
START_TEST(the_error_off_the_jump_has_its_order)
{
  const expectation *x = expected + _i;
  jump p = x->p;
  set_place(&p, x->part, 16);
  const errors coarse = solve(&p, 16);
  set_place(&p, x->part, 32);
  const errors fine = solve(&p, 32);
  const double largest = log2(coarse.off[0] / fine.off[0]),
               mean = log2(coarse.off[1] / fine.off[1]);
  ck_assert_msg(largest >= x->least && mean >= x->least, "%d: orders %.2f and %.2f, not %.2f", _i,
                largest, mean, x->least);
  ck_assert_int_le(fine.iterations, 18);
}
END_TEST

/* A face on the side of the smaller beta, next to a jump in the harmonic mean, has neighbours within the
 * factor, but the flux of FV2. */
START_TEST(at_a_plane_it_is_more_accurate_than_fv2)
{
  jump p = {false, false, 0, 1000, HYMG_FV4, 0};
  set_place(&p, 0.35 * _i, 32);
  const errors fv4 = solve(&p, 32);
  p.stencil = HYMG_FV2;
  const errors fv2 = solve(&p, 32);
  for (int m = 0; m < 2; m++)
    ck_assert_double_lt(fv4.off[m], 0.97 * fv2.off[m]);
}
END_TEST

int main(void)
{
  const bool small = support_small();
  Suite *suite = suite_create("jumps of beta");
  TCase *t = tcase_create("order");
  tcase_set_timeout(t, 1000);
  if (getenv("HYMG_TEST_TABLE")) {
    tcase_add_test(t, table);
  } else {
    tcase_add_loop_test(t, the_error_off_the_jump_has_its_order, 0, small ? 3 : EXPECTED);
    tcase_add_loop_test(t, at_a_plane_it_is_more_accurate_than_fv2, 0, small ? 1 : 3);
  }
  suite_add_tcase(suite, t);
  return support_run(suite);
}
