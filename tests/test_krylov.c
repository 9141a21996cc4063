/* The bottom solvers on dense matrices. The verbs they are written in are defined here, over a dense matrix, so that
 * a bottom can be anything; of the library only krylov.c and krylov_ca.c are linked (an archive gives what is missing). */
#include "verbs.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 12345.0
#define STEPS 201

/* A level whose operator is a dense matrix; the level comes first, so that a verb finds the rest. */
typedef struct dense {
  hymgi_level level;
  hymgi_method method;
  int n;
  double *a, *diagonal, *f_given, *storage;
} dense;

typedef struct counts {
  int applies, smooths, reductions;
} counts;

/* Verbs get a const level: what they count hangs on a pointer. */
static counts *counts_of(const hymgi_level *level)
{
  return (counts *)(void *)level->profile;
}

static const dense *dense_of(const hymgi_level *level)
{
  return (const dense *)(const void *)level;
}

static void product(const dense *d, const double *x, double *y)
{
  for (int i = 0; i < d->n; i++) {
    y[i] = 0.0;
    for (int j = 0; j < d->n; j++)
      y[i] += d->a[i * d->n + j] * x[j];
  }
}

/* ---- the verbs ---- */

void hymgi_apply(const hymgi_level *level, double *x, double *y)
{
  counts_of(level)->applies++;
  product(dense_of(level), x, y);
}

double hymgi_residual_norm(const hymgi_level *level, const double *f, double *x)
{
  const dense *d = dense_of(level);
  double *ax = malloc((size_t)d->n * sizeof *ax), max = 0.0;
  product(d, x, ax);
  for (int i = 0; i < d->n; i++)
    if (!(fabs(f[i] - ax[i]) <= max)) max = fabs(f[i] - ax[i]);
  free(ax);
  return max;
}

/* One weighted Jacobi sweep, out of place. */
void hymgi_smooth(hymgi_level *level)
{
  const dense *d = dense_of(level);
  counts_of(level)->smooths++;
  product(d, level->x, level->y);
  for (int i = 0; i < d->n; i++)
    level->y[i] = level->x[i] + 2.0 / 3.0 * (level->f[i] - level->y[i]) / d->diagonal[i];
  double *x = level->x;
  level->x = level->y;
  level->y = x;
}

void hymgi_fill(const hymgi_level *level, double value, double *x)
{
  for (int i = 0; i < dense_of(level)->n; i++)
    x[i] = value;
}

void hymgi_copy_vector(const hymgi_level *level, const double *x, double *y)
{
  memcpy(y, x, (size_t)dense_of(level)->n * sizeof *x);
}

void hymgi_axpby(const hymgi_level *level, double a, const double *x, double b, const double *y,
                 double *z)
{
  for (int i = 0; i < dense_of(level)->n; i++)
    z[i] = a * x[i] + b * y[i];
}

void hymgi_precondition(const hymgi_level *level, const double *r, double *z)
{
  for (int i = 0; i < dense_of(level)->n; i++)
    z[i] = r[i] / dense_of(level)->diagonal[i];
}

double hymgi_norm_max(const hymgi_level *level, const double *x)
{
  double max = 0.0;
  counts_of(level)->reductions++;
  for (int i = 0; i < dense_of(level)->n; i++)
    if (!(fabs(x[i]) <= max)) max = isnan(max) ? max : fabs(x[i]);
  return max;
}

double hymgi_dot(const hymgi_level *level, const double *x, const double *y)
{
  long double sum = 0.0L;
  counts_of(level)->reductions++;
  for (int i = 0; i < dense_of(level)->n; i++)
    sum += (long double)x[i] * y[i];
  return (double)sum;
}

void hymgi_remove_mean(const hymgi_level *level, double *x)
{
  const int n = dense_of(level)->n;
  double sum = 0.0;
  counts_of(level)->reductions++;
  for (int i = 0; i < n; i++)
    sum += x[i];
  for (int i = 0; i < n; i++)
    x[i] -= sum / n;
}

/* ---- set-up ---- */

/* Reproducible numbers in [-1, 1). */
static double noise(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1.0;
}

static double *zeros(size_t n)
{
  double *v = calloc(n, sizeof *v);
  ck_assert_ptr_nonnull(v);
  return v;
}

/* x, y, f and the bottom solver's vectors, a guard behind each of them. x starts as rubbish. */
static dense *dense_create(int n, hymg_bottom bottom)
{
  dense *d = calloc(1, sizeof *d);
  ck_assert_ptr_nonnull(d);
  const int scratch = hymgi_bottom_vectors(bottom);
  d->n = n;
  d->a = zeros((size_t)n * (size_t)n);
  d->diagonal = zeros((size_t)n);
  d->f_given = zeros((size_t)n);
  d->storage = zeros((size_t)(scratch + 3) * (size_t)(n + 1));
  for (int i = 0; i < (scratch + 3) * (n + 1); i++)
    d->storage[i] = GUARD;
  hymgi_level *level = &d->level;
  level->method = &d->method;
  level->profile = calloc(1, sizeof(counts));
  level->num_boxes = level->ranks = 1;
  level->cells = n;
  level->vector_size = n + 1;
  level->x = d->storage;
  level->y = level->x + level->vector_size;
  level->f = level->y + level->vector_size;
  level->krylov = level->f + level->vector_size;
  level->num_krylov = scratch;
  unsigned state = 7;
  for (int i = 0; i < n; i++)
    level->f[i] = noise(&state);
  return d;
}

static void dense_destroy(dense *d)
{
  free(d->level.profile);
  free(d->a);
  free(d->diagonal);
  free(d->f_given);
  free(d->storage);
  free(d);
}

static void take_diagonal(dense *d)
{
  for (int i = 0; i < d->n; i++)
    d->diagonal[i] = d->a[i * d->n + i];
}

/* Random, dominated by its diagonal of 4 ... 12 times `scale`: condition of about 5. */
static void make_random(dense *d, bool symmetric, double scale)
{
  const int n = d->n;
  unsigned state = 3;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (!symmetric || j <= i) d->a[i * n + j] = noise(&state) * 2.0 / sqrt(n);
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; symmetric && j < n; j++)
      d->a[i * n + j] = d->a[j * n + i];
    d->a[i * n + i] = 8.0 + 4.0 * noise(&state);
  }
  for (int i = 0; i < n * n; i++)
    d->a[i] *= scale;
  take_diagonal(d);
}

/* -u'' of n cells on a line, between walls (value -x beyond them) or on a ring. */
static void make_line(dense *d, bool ring)
{
  const int n = d->n;
  for (int i = 0; i < n; i++)
    for (int side = -1; side <= 1; side += 2) {
      const int j = ring ? (i + side + n) % n : i + side;
      const bool wall = j < 0 || j >= n;
      d->a[i * n + i] += wall ? 2.0 : 1.0;
      if (!wall) d->a[i * n + j] -= 1.0;
    }
  take_diagonal(d);
}

static double max_abs(int n, const double *x)
{
  double max = 0.0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= max)) max = fabs(x[i]);
  return max;
}

static double distance(int n, const double *x, const double *y)
{
  double max = 0.0;
  for (int i = 0; i < n; i++)
    max = fmax(max, fabs(x[i] - y[i]));
  return max;
}

/* Solves and checks that f and the guards are what they were. */
static void bottom_solve(dense *d, hymg_bottom bottom)
{
  hymgi_level *level = &d->level;
  memcpy(d->f_given, level->f, (size_t)d->n * sizeof *level->f);
  hymgi_bottom_solve(level, bottom);
  ck_assert_int_eq(memcmp(d->f_given, level->f, (size_t)d->n * sizeof *level->f), 0);
  for (int v = 0; v < hymgi_bottom_vectors(bottom) + 3; v++)
    ck_assert(d->storage[v * level->vector_size + d->n] == GUARD);
}

/* max |f - A x| / max |f| of the solve */
static double reduction_of(dense *d)
{
  return hymgi_residual_norm(&d->level, d->level.f, d->level.x) / max_abs(d->n, d->level.f);
}

/* ---- oracles ---- */

/* A^-1 f by elimination with row exchange. */
static double *direct_solve(const dense *d)
{
  const int n = d->n;
  double *a = zeros((size_t)n * (size_t)n), *x = zeros((size_t)n);
  memcpy(a, d->a, (size_t)n * (size_t)n * sizeof *a);
  memcpy(x, d->level.f, (size_t)n * sizeof *x);
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int i = c; i < n; i++)
      if (fabs(a[i * n + c]) > fabs(a[pivot * n + c])) pivot = i;
    for (int j = 0; j <= n; j++) {
      double *to = j < n ? &a[c * n + j] : &x[c], *from = j < n ? &a[pivot * n + j] : &x[pivot];
      const double kept = *to;
      *to = *from;
      *from = kept;
    }
    for (int i = c + 1; i < n; i++) {
      const double factor = a[i * n + c] / a[c * n + c];
      for (int j = c; j < n; j++)
        a[i * n + j] -= factor * a[c * n + j];
      x[i] -= factor * x[c];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
  free(a);
  return x;
}

/* The iterates of a textbook method and the max norm of each one's residual. */
typedef struct iterates {
  int n, count;
  double *x[2 * STEPS], norm[2 * STEPS];
} iterates;

static void iterates_add(iterates *list, const double *x, const double *r)
{
  list->x[list->count] = zeros((size_t)list->n);
  memcpy(list->x[list->count], x, (size_t)list->n * sizeof *x);
  list->norm[list->count++] = max_abs(list->n, r);
}

static void iterates_free(iterates *list)
{
  for (int i = 0; i < list->count; i++)
    free(list->x[i]);
}

static double plain_dot(int n, const double *x, const double *y)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

/* z = A (x / D) with x / D in q; without a preconditioner D is 1. */
static void preconditioned_product(const dense *d, bool preconditioned, const double *x, double *q,
                                   double *z)
{
  for (int i = 0; i < d->n; i++)
    q[i] = preconditioned ? x[i] / d->diagonal[i] : x[i];
  product(d, q, z);
}

/* Right-preconditioned BiCGStab: two iterates a step, after the half and the full step. */
static void textbook_bicgstab(const dense *d, bool preconditioned, int steps, iterates *list)
{
  const int n = list->n = d->n;
  const double *f = d->level.f;
  double *work = zeros(6 * (size_t)n), *x = work, *r = x + n, *p = r + n, *q = p + n, *ap = q + n;
  double *as = ap + n;
  memcpy(r, f, (size_t)n * sizeof *r);
  memcpy(p, f, (size_t)n * sizeof *p);
  for (int step = 0; step < steps; step++) {
    const double rho = plain_dot(n, r, f);
    preconditioned_product(d, preconditioned, p, q, ap);
    const double alpha = rho / plain_dot(n, ap, f);
    for (int i = 0; i < n; i++)
      x[i] += alpha * q[i], r[i] -= alpha * ap[i];
    iterates_add(list, x, r);
    preconditioned_product(d, preconditioned, r, q, as);
    const double omega = plain_dot(n, as, r) / plain_dot(n, as, as);
    for (int i = 0; i < n; i++)
      x[i] += omega * q[i], r[i] -= omega * as[i];
    iterates_add(list, x, r);
    const double beta = plain_dot(n, r, f) / rho * alpha / omega;
    for (int i = 0; i < n; i++)
      p[i] = r[i] + beta * (p[i] - omega * ap[i]);
  }
  free(work);
}

/* CG: one iterate a step. */
static void textbook_cg(const dense *d, bool preconditioned, int steps, iterates *list)
{
  const int n = list->n = d->n;
  double *work = zeros(5 * (size_t)n), *x = work, *r = x + n, *p = r + n, *z = p + n, *ap = z + n;
  memcpy(r, d->level.f, (size_t)n * sizeof *r);
  double rho = 1.0;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      z[i] = preconditioned ? r[i] / d->diagonal[i] : r[i];
    const double rho_new = plain_dot(n, r, z), beta = rho_new / rho;
    rho = rho_new;
    for (int i = 0; i < n; i++)
      p[i] = step == 0 ? z[i] : z[i] + beta * p[i];
    product(d, p, ap);
    const double alpha = rho / plain_dot(n, p, ap);
    for (int i = 0; i < n; i++)
      x[i] += alpha * p[i], r[i] -= alpha * ap[i];
    iterates_add(list, x, r);
  }
  free(work);
}

/* The first iterate that satisfies the stop rule. */
static int first_small(const iterates *list, double f_max)
{
  for (int i = 0; i < list->count; i++)
    if (list->norm[i] <= 1e-3 * f_max) return i;
  return -1;
}

/* ---- tests ---- */

static const hymg_bottom all[] = {HYMG_BICGSTAB, HYMG_CG, HYMG_CABICGSTAB, HYMG_CACG,
                                  HYMG_BOTTOM_SMOOTHER};
enum { ALL = sizeof all / sizeof *all };

START_TEST(every_solver_reduces_the_residual_of_a_symmetric_matrix)
{
  const int sizes[] = {1, 2, 8, 27, 64};
  for (int s = 0; s < 5; s++) {
    dense *d = dense_create(sizes[s], all[_i]);
    make_random(d, true, 1.0);
    bottom_solve(d, all[_i]);
    ck_assert_double_le(reduction_of(d), 1e-3 * (1.0 + 1e-9));
    double *x = direct_solve(d);
    /* |A^-1| < 1 in the 2-norm: eigenvalues are above 4 - 2 * 2 / sqrt(3) = 1.7 up to the noise of small n. */
    ck_assert_double_le(distance(d->n, x, d->level.x),
                        1e-3 * max_abs(d->n, d->level.f) * sqrt(d->n));
    free(x);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(bicgstab_and_its_avoiding_kin_and_the_smoother_take_unsymmetric_matrices)
{
  const hymg_bottom able[] = {HYMG_BICGSTAB, HYMG_CABICGSTAB, HYMG_BOTTOM_SMOOTHER};
  for (int n = 1; n <= 64; n *= 2) {
    dense *d = dense_create(n, able[_i]);
    make_random(d, false, 1.0);
    bottom_solve(d, able[_i]);
    ck_assert_double_le(reduction_of(d), 1e-3 * (1.0 + 1e-9));
    dense_destroy(d);
  }
}
END_TEST

START_TEST(krylov_solvers_are_exact_on_one_cell)
{
  dense *d = dense_create(1, all[_i]);
  d->a[0] = d->diagonal[0] = 17.3;
  bottom_solve(d, all[_i]);
  const double exact = d->level.f[0] / 17.3;
  ck_assert_double_le(fabs(d->level.x[0] - exact), 4 * 2.3e-16 * fabs(exact));
  dense_destroy(d);
}
END_TEST

START_TEST(one_cell_takes_one_application_and_four_reductions_of_bicgstab)
{
  dense *d = dense_create(1, HYMG_BICGSTAB);
  d->a[0] = d->diagonal[0] = 6.0;
  bottom_solve(d, HYMG_BICGSTAB);
  ck_assert_int_eq(counts_of(&d->level)->applies, 1);
  ck_assert_int_eq(counts_of(&d->level)->reductions, 4); /* max |f|, (f, f), (A p, f), max |s| */
  dense_destroy(d);
}
END_TEST

/* The iterate is the textbook's, at the first place where the textbook's residual is small. Rounding: the two order their
 * operations alike but for sums, so that 1e-10 leaves a factor of 1e5 over the noise of a dozen steps. */
START_TEST(bicgstab_stops_at_the_first_half_step_of_the_textbook_that_is_small)
{
  int halves = 0, wholes = 0;
  for (int n = 8; n < 40; n++) {
    dense *d = dense_create(n, HYMG_BICGSTAB);
    make_random(d, false, 1.0);
    bottom_solve(d, HYMG_BICGSTAB);
    iterates list = {0};
    textbook_bicgstab(d, true, 20, &list);
    const int at = first_small(&list, max_abs(n, d->level.f));
    ck_assert_int_ge(at, 0);
    ck_assert_double_le(distance(n, list.x[at], d->level.x), 1e-10 * max_abs(n, list.x[at]));
    ck_assert_int_eq(counts_of(&d->level)->applies, at + 1);
    *(at % 2 == 0 ? &halves : &wholes) += 1;
    iterates_free(&list);
    dense_destroy(d);
  }
  ck_assert_int_gt(halves, 0);
  ck_assert_int_gt(wholes, 0);
}
END_TEST

START_TEST(cg_stops_at_the_first_step_of_the_textbook_that_is_small)
{
  for (int n = 2; n < 40; n++) {
    dense *d = dense_create(n, HYMG_CG);
    make_random(d, true, 1.0);
    bottom_solve(d, HYMG_CG);
    iterates list = {0};
    textbook_cg(d, true, 12 < n ? 12 : n, &list);
    const int at = first_small(&list, max_abs(n, d->level.f));
    ck_assert_int_ge(at, 0);
    ck_assert_double_le(distance(n, list.x[at], d->level.x), 1e-10 * max_abs(n, list.x[at]));
    ck_assert_int_eq(counts_of(&d->level)->applies, at + 1);
    iterates_free(&list);
    dense_destroy(d);
  }
}
END_TEST

/* The avoiding solver ends on an iterate of the classic one without preconditioner, at or after the first small one and
 * no further than the rest of a block (4 steps). The Gram matrix of powers loses digits: 1e-6 is asked for. */
static void check_avoiding(dense *d, hymg_bottom bottom)
{
  const bool stabilised = bottom == HYMG_CABICGSTAB;
  bottom_solve(d, bottom);
  ck_assert_double_le(reduction_of(d), 1e-3 * (1.0 + 1e-6));
  iterates list = {0};
  (stabilised ? textbook_bicgstab : textbook_cg)(d, false, 60, &list);
  const int at = first_small(&list, max_abs(d->n, d->level.f));
  ck_assert_int_ge(at, 0);
  double nearest = INFINITY;
  for (int i = at; i < list.count && i <= at + (stabilised ? 8 : 4); i++)
    nearest = fmin(nearest, distance(d->n, list.x[i], d->level.x));
  ck_assert_double_le(nearest, 1e-6 * max_abs(d->n, d->level.x));
  iterates_free(&list);
}

START_TEST(avoiding_solvers_end_on_an_iterate_of_the_classic_ones)
{
  const hymg_bottom bottom = _i ? HYMG_CACG : HYMG_CABICGSTAB;
  for (int n = 64; n < 80; n++) {
    dense *d = dense_create(n, bottom);
    make_random(d, bottom == HYMG_CACG, 1.0);
    check_avoiding(d, bottom);
    dense_destroy(d);
  }
}
END_TEST

START_TEST(avoiding_cg_follows_the_classic_one_over_many_blocks)
{
  dense *d = dense_create(40, HYMG_CACG);
  make_line(d, false);
  check_avoiding(d, HYMG_CACG);
  dense_destroy(d);
}
END_TEST

START_TEST(any_scale_of_matrix_and_right_hand_side_is_solved)
{
  const double scales[] = {1e-60, 1e-12, 1e12, 1e60};
  for (int s = 0; s < 4; s++) {
    dense *d = dense_create(27, all[_i]);
    make_random(d, true, scales[s]);
    for (int i = 0; i < d->n; i++)
      d->level.f[i] /= sqrt(scales[s]);
    bottom_solve(d, all[_i]);
    ck_assert_double_le(reduction_of(d), 1e-3 * (1.0 + 1e-9));
    dense_destroy(d);
  }
}
END_TEST

START_TEST(singular_systems_are_solved_up_to_a_constant)
{
  for (int n = 2; n <= 16; n *= 2) {
    dense *d = dense_create(n, all[_i]);
    make_line(d, true);
    d->method.singular = true;
    hymgi_remove_mean(&d->level, d->level.f);
    bottom_solve(d, all[_i]);
    ck_assert_double_le(reduction_of(d), 1e-3 * (1.0 + 1e-9));
    dense_destroy(d);
  }
}
END_TEST

/* f of pure rounding: mean and values alike. Nothing may grow from it: |A^+| is below n^2 / (4 pi^2) < 7. */
START_TEST(singular_systems_stay_small_for_a_constant_right_hand_side)
{
  dense *d = dense_create(16, all[_i]);
  make_line(d, true);
  d->method.singular = true;
  for (int i = 0; i < d->n; i++)
    d->level.f[i] = 1e-17;
  bottom_solve(d, all[_i]);
  hymgi_remove_mean(&d->level, d->level.x);
  ck_assert_double_le(max_abs(d->n, d->level.x), 7e-17);
  dense_destroy(d);
}
END_TEST

START_TEST(zero_right_hand_side_gives_zero_at_once)
{
  dense *d = dense_create(8, all[_i]);
  make_random(d, true, 1.0);
  memset(d->level.f, 0, 8 * sizeof *d->level.f);
  bottom_solve(d, all[_i]);
  ck_assert(max_abs(8, d->level.x) == 0.0);
  ck_assert_int_eq(counts_of(&d->level)->applies + counts_of(&d->level)->smooths, 0);
  dense_destroy(d);
}
END_TEST

START_TEST(right_hand_side_that_is_not_finite_gives_nan_at_once)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int b = 0; b < 3; b++) {
    dense *d = dense_create(8, all[_i]);
    make_random(d, true, 1.0);
    d->level.f[5] = bad[b];
    bottom_solve(d, all[_i]);
    for (int i = 0; i < 8; i++)
      ck_assert(isnan(d->level.x[i]));
    ck_assert_int_eq(counts_of(&d->level)->applies + counts_of(&d->level)->smooths, 0);
    dense_destroy(d);
  }
}
END_TEST

/* A p is orthogonal to p: the first denominator is 0. */
START_TEST(breakdown_of_a_rotation_stops_with_the_iterate_at_hand)
{
  const hymg_bottom krylov[] = {HYMG_BICGSTAB, HYMG_CG, HYMG_CABICGSTAB, HYMG_CACG};
  dense *d = dense_create(2, krylov[_i]);
  d->a[1] = 1.0;
  d->a[2] = -1.0;
  d->diagonal[0] = d->diagonal[1] = 1.0;
  d->level.f[0] = 1.0;
  d->level.f[1] = 0.0;
  bottom_solve(d, krylov[_i]);
  ck_assert(max_abs(2, d->level.x) == 0.0);
  ck_assert_int_le(counts_of(&d->level)->applies, 3);
  dense_destroy(d);
}
END_TEST

/* A block of s steps applies A 2s + 2s - 1 (cabicgstab) or s + s - 1 times (cacg); blocks are 1, 2, 49 times 4, 1. The
 * line of 500 cells with noise needs about 250 steps of CG and more of BiCGStab, whose shadow wears out. */
START_TEST(two_hundred_iterations_are_the_limit)
{
  const int applies[] = {400, 200, 3 + 7 + 49 * 15 + 3, 1 + 3 + 49 * 7 + 1};
  dense *d = dense_create(500, all[_i]);
  make_line(d, false);
  bottom_solve(d, all[_i]);
  ck_assert_int_eq(counts_of(&d->level)->applies, applies[_i]);
  ck_assert_double_gt(reduction_of(d), 1e-3);
  ck_assert(isfinite(max_abs(d->n, d->level.x)));
  dense_destroy(d);
}
END_TEST

START_TEST(smoother_counts_its_smooths_and_ends_on_the_swapped_vector)
{
  dense *d = dense_create(500, HYMG_BOTTOM_SMOOTHER);
  make_line(d, false);
  bottom_solve(d, HYMG_BOTTOM_SMOOTHER);
  ck_assert_int_eq(counts_of(&d->level)->smooths, 200);
  dense_destroy(d);
  d = dense_create(8, HYMG_BOTTOM_SMOOTHER);
  make_random(d, true, 1.0);
  bottom_solve(d, HYMG_BOTTOM_SMOOTHER);
  ck_assert_int_gt(counts_of(&d->level)->smooths, 1);
  ck_assert_int_lt(counts_of(&d->level)->smooths, 50);
  ck_assert_double_le(reduction_of(d), 1e-3);
  ck_assert_double_gt(hymgi_residual_norm(&d->level, d->level.f, d->level.y),
                      1e-3 * max_abs(d->n, d->level.f)); /* the sweep before was not enough */
  dense_destroy(d);
}
END_TEST

START_TEST(an_unknown_solver_needs_no_vectors)
{
  ck_assert_int_eq(hymgi_bottom_vectors((hymg_bottom)99), 0);
  ck_assert_int_eq(hymgi_bottom_vectors(HYMG_BOTTOM_SMOOTHER), 0);
}
END_TEST

static Suite *krylov_suite(void)
{
  Suite *suite = suite_create("krylov");
  TCase *tests = tcase_create("bottom solvers");
  tcase_add_loop_test(tests, every_solver_reduces_the_residual_of_a_symmetric_matrix, 0, ALL);
  tcase_add_loop_test(
      tests, bicgstab_and_its_avoiding_kin_and_the_smoother_take_unsymmetric_matrices, 0, 3);
  tcase_add_loop_test(tests, krylov_solvers_are_exact_on_one_cell, 0, 4);
  tcase_add_test(tests, one_cell_takes_one_application_and_four_reductions_of_bicgstab);
  tcase_add_test(tests, bicgstab_stops_at_the_first_half_step_of_the_textbook_that_is_small);
  tcase_add_test(tests, cg_stops_at_the_first_step_of_the_textbook_that_is_small);
  tcase_add_loop_test(tests, avoiding_solvers_end_on_an_iterate_of_the_classic_ones, 0, 2);
  tcase_add_test(tests, avoiding_cg_follows_the_classic_one_over_many_blocks);
  tcase_add_loop_test(tests, any_scale_of_matrix_and_right_hand_side_is_solved, 0, ALL);
  tcase_add_loop_test(tests, singular_systems_are_solved_up_to_a_constant, 0, ALL);
  tcase_add_loop_test(tests, singular_systems_stay_small_for_a_constant_right_hand_side, 0, ALL);
  tcase_add_loop_test(tests, zero_right_hand_side_gives_zero_at_once, 0, ALL);
  tcase_add_loop_test(tests, right_hand_side_that_is_not_finite_gives_nan_at_once, 0, ALL);
  tcase_add_loop_test(tests, breakdown_of_a_rotation_stops_with_the_iterate_at_hand, 0, 4);
  tcase_add_loop_test(tests, two_hundred_iterations_are_the_limit, 0, 4);
  tcase_add_test(tests, smoother_counts_its_smooths_and_ends_on_the_swapped_vector);
  tcase_add_test(tests, an_unknown_solver_needs_no_vectors);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void)
{
  SRunner *runner = srunner_create(krylov_suite());
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
