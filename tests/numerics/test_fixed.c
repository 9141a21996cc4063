/* Cells with given values: against a dense solve on random systems of every kind, exact solutions,
 * operations and fluxes, updates, and what is refused. */
#include "oracle/robust.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random systems ---- */

typedef struct draw {
  unsigned state;
} draw;

static int drawn(draw *d, int count)
{
  d->state = d->state * 1664525u + 1013904223u;
  return (int)((d->state >> 8) % (unsigned)count);
}

/* Of 1 to 6 cells a side: boundaries, widths, coefficients, data, transfer and smoother at random, and
 * from few to nearly all cells fixed. */
static trial random_trial(unsigned seed)
{
  static const hymg_smoother smoothers[5] = {HYMG_GSRB, HYMG_GSRB, HYMG_CHEBYSHEV, HYMG_JACOBI,
                                             HYMG_L1JACOBI};
  static const unsigned kinds[6] = {TRIAL_JUMPS, TRIAL_WIDTHS, TRIAL_ALPHA,
                                    TRIAL_DATA,  TRIAL_ROBIN,  TRIAL_CONSTANT};
  draw d = {seed * 7919u + 17u};
  int n[3];
  unsigned kind = TRIAL_FIXED;
  char boundary[9] = "dd dd dd";
  for (int axis = 0; axis < 3; axis++) {
    n[axis] = 1 + drawn(&d, 6);
    for (int side = 0; side < 2; side++)
      boundary[3 * axis + side] = "dnr"[drawn(&d, 3)];
    if (drawn(&d, 4) == 0) boundary[3 * axis] = boundary[3 * axis + 1] = 'p';
  }
  for (int m = 0; m < 6; m++)
    if (drawn(&d, 3) == 0) kind |= kinds[m];
  if ((n[0] == 1) + (n[1] == 1) + (n[2] == 1) > 1)
    kind &= ~(unsigned)TRIAL_ROBIN; /* needs 2 faces */
  trial t = trial_of(n, boundary, kind);
  const int part = drawn(&d, 10);
  for (size_t q = 0; q < t.cells; q++) {
    const bool fixed = drawn(&d, 10) < part || q == seed % t.cells;
    t.fixed[q] = fixed ? -1 + 0.01 * drawn(&d, 300) : NAN;
    t.f[q] = fixed ? NAN : 0.01 * drawn(&d, 100);
  }
  t.o.rtol = 1e-11;
  t.o.transfer = drawn(&d, 2) ? HYMG_TRANSFER_TENSOR : HYMG_TRANSFER_AUTO;
  t.o.smoother = smoothers[drawn(&d, 5)];
  t.o.max_cycles = 300;
  t.threads = 1 + drawn(&d, 2);
  return t;
}

static bool is_fixed(const trial *t, size_t q)
{
  return t->fixed[q] == t->fixed[q];
}

/* Gaussian elimination with pivots; b becomes the solution. */
static void eliminate(size_t n, double *a, double *b)
{
  for (size_t c = 0; c < n; c++) {
    size_t pivot = c;
    for (size_t r = c; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
    for (size_t m = 0; m < n && pivot != c; m++) {
      const double swap = a[c * n + m];
      a[c * n + m] = a[pivot * n + m], a[pivot * n + m] = swap;
    }
    const double swap = b[c];
    b[c] = b[pivot], b[pivot] = swap;
    for (size_t r = c + 1; r < n; r++) {
      const double factor = a[r * n + c] / a[c * n + c];
      for (size_t m = c; factor != 0 && m < n; m++)
        a[r * n + m] -= factor * a[c * n + m];
      b[r] -= factor * b[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t m = c + 1; m < n; m++)
      b[c] -= a[c * n + m] * b[m];
    b[c] /= a[c * n + c];
  }
}

/* The oracle knows no fixed cells: its rows of such cells are replaced by u = value. */
static double *dense_solution(const trial *t, const robust_oracle *o)
{
  const size_t n = t->cells;
  double *a = malloc(n * n * sizeof *a), *b = support_poison(n), *f = support_poison(n),
         *zero = calloc(n, sizeof *zero);
  for (size_t q = 0; q < n; q++)
    f[q] = is_fixed(t, q) ? 0 : t->f[q];
  robust_residual(o, f, zero, b);
  memcpy(a, o->outer, n * n * sizeof *a);
  for (size_t q = 0; q < n; q++) {
    b[q] *= o->volume[q];
    if (!is_fixed(t, q)) continue;
    memset(a + q * n, 0, n * sizeof *a);
    a[q * n + q] = 1;
    b[q] = t->fixed[q];
  }
  eliminate(n, a, b);
  free(a);
  free(f);
  free(zero);
  return b;
}

/* No word of u in fixed cells may be another than the given one. */
static void assert_given(const trial *t, const double *u)
{
  for (size_t q = 0; q < t->cells; q++)
    ck_assert_msg(!is_fixed(t, q) || memcmp(u + q, t->fixed + q, sizeof *u) == 0,
                  "%s: u = %.17g where %.17g is given", t->c.name, u[q], t->fixed[q]);
}

static robust_oracle *oracle_of(const trial *t)
{
  return robust_create(&t->c.spec, t->widths, HYMG_TRANSFER_WEIGHTED);
}

enum { SYSTEMS = 400, SMALL_SYSTEMS = 10 };

START_TEST(random_systems_have_the_solution_of_a_dense_solve)
{
  for (unsigned seed = 0; seed < (support_small() ? SMALL_SYSTEMS : SYSTEMS); seed++) {
    trial t = random_trial(seed);
    double *u = support_poison(t.cells);
    const hymg_result r = trial_solve(&t, u);
    ck_assert_msg(r.converged && r.path == HYMG_PATH_ROBUST && !r.singular,
                  "seed %u, %s: %d cycles, %.3g: %s", seed, t.c.name, r.cycles, r.residual_relative,
                  r.note);
    assert_given(&t, u);
    robust_oracle *o = oracle_of(&t);
    double *want = dense_solution(&t, o);
    support_assert_close("u", t.c.name, t.cells, u, want, 1e-7);
    free(want);
    robust_destroy(o);
    free(u);
    trial_close(&t);
  }
}
END_TEST

/* ---- operations ---- */

/* NaN in fixed cells, which is not read there. */
static double *random_free(const trial *t, unsigned seed)
{
  double *x = support_random(t->cells, -1, 1, seed);
  for (size_t q = 0; q < t->cells; q++)
    if (is_fixed(t, q)) x[q] = NAN;
  return x;
}

static double *with(const trial *t, const double *x, bool values)
{
  double *full = support_poison(t->cells);
  for (size_t q = 0; q < t->cells; q++)
    full[q] = !is_fixed(t, q) ? x[q] : values ? t->fixed[q] : 0;
  return full;
}

START_TEST(operator_and_residual_are_the_oracles_in_free_cells)
{
  trial t = random_trial((unsigned)_i);
  trial_open(&t);
  robust_oracle *o = oracle_of(&t);
  double *x = random_free(&t, 3), *zeros = with(&t, x, false), *values = with(&t, x, true),
         *f = with(&t, t.f, false), *want = support_poison(t.cells);
  hymg_field *xf = support_field(&t.k, 0, x), *ff = support_field(&t.k, 0, t.f),
             *y = support_field(&t.k, 0, x);
  for (int residual = 0; residual < 2; residual++) {
    if (residual)
      OK(t.k.context, hymg_residual(t.k.solver, 0, ff, xf, y));
    else
      OK(t.k.context, hymg_apply(t.k.solver, 0, xf, y));
    double *got = support_read(&t.k, 0, y);
    if (residual)
      robust_residual(o, f, values, want);
    else
      robust_apply(o, zeros, want);
    const double scale = support_max(t.cells, want);
    for (size_t q = 0; q < t.cells; q++) {
      ck_assert_msg(!is_fixed(&t, q) || got[q] == 0, "%g in a fixed cell", got[q]);
      if (is_fixed(&t, q)) want[q] = 0;
    }
    support_assert_close(residual ? "residual" : "A x", t.c.name, t.cells, got, want,
                         1e-12 * scale / fmax(support_max(t.cells, want), 1e-300));
    free(got);
  }
  hymg_field_destroy(&xf);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&y);
  free(x);
  free(zeros);
  free(values);
  free(f);
  free(want);
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* The fluxes of an axis for u. */
static double *fluxes_along(trial *t, int axis, const double *u)
{
  int n[3] = {t->c.spec.n[0], t->c.spec.n[1], t->c.spec.n[2]}, low[3] = {0, 0, 0};
  n[axis]++;
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *values = support_poison((size_t)n[0] * (size_t)n[1] * (size_t)n[2]);
  hymg_field *x = support_field(&t->k, 0, u), *flux[3] = {NULL};
  OK(t->k.context, hymg_field_create(t->k.grid, NULL, (hymg_centering)(HYMG_FACE_X + axis),
                                     HYMG_DOUBLE, &flux[axis]));
  OK(t->k.context, hymg_fluxes(t->k.solver, x, flux));
  OK(t->k.context, hymg_field_read(flux[axis], low, n, stride, values, HYMG_HOST));
  hymg_field_destroy(&flux[axis]);
  hymg_field_destroy(&x);
  return values;
}

/* Also between two fixed cells and through boundaries next to one. */
START_TEST(fluxes_are_those_of_the_same_u_without_fixed_cells)
{
  trial t = random_trial((unsigned)_i), plain = random_trial((unsigned)_i);
  plain.c.spec.fixed = NULL;
  trial_open(&t);
  trial_open(&plain);
  double *x = random_free(&t, 5), *full = with(&t, x, true);
  for (int axis = 0; axis < 3; axis++) {
    double *got = fluxes_along(&t, axis, x), *want = fluxes_along(&plain, axis, full);
    const size_t n = t.cells / (size_t)t.c.spec.n[axis] * (size_t)(t.c.spec.n[axis] + 1);
    ck_assert_msg(support_same_bits(n, got, want), "%s: other fluxes along %d", t.c.name, axis);
    free(got);
    free(want);
  }
  free(x);
  free(full);
  trial_close(&t);
  trial_close(&plain);
}
END_TEST

/* (x, M y) = (y, M x), and nothing in fixed cells. */
START_TEST(a_cycle_is_symmetric_and_0_in_fixed_cells)
{
  trial t = random_trial((unsigned)_i);
  trial_open(&t);
  double *x[2], *mx[2], products[2] = {0, 0}, norm = 0;
  robust_oracle *o = oracle_of(&t);
  for (int m = 0; m < 2; m++) {
    x[m] = random_free(&t, 7u + (unsigned)m);
    hymg_field *f = support_field(&t.k, 0, x[m]), *u = support_field(&t.k, 0, x[m]);
    OK(t.k.context, hymg_solver_cycle(t.k.solver, HYMG_CYCLE_V, false, f, u));
    mx[m] = support_read(&t.k, 0, u);
    hymg_field_destroy(&f);
    hymg_field_destroy(&u);
  }
  for (size_t q = 0; q < t.cells; q++) {
    ck_assert(!is_fixed(&t, q) || (mx[0][q] == 0 && mx[1][q] == 0));
    if (is_fixed(&t, q)) continue;
    products[0] += o->volume[q] * x[0][q] * mx[1][q];
    products[1] += o->volume[q] * x[1][q] * mx[0][q];
    norm += fabs(o->volume[q] * x[0][q] * mx[1][q]);
  }
  ck_assert_msg(fabs(products[0] - products[1]) <= 1e-11 * norm, "%s: %.17g and %.17g", t.c.name,
                products[0], products[1]);
  for (int m = 0; m < 2; m++)
    free(x[m]), free(mx[m]);
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* ---- whole solves ---- */

/* u = 1 + x - 2 y + 3 z on unequal widths: given in some cells and on the boundary. */
START_TEST(a_linear_solution_is_exact)
{
  const int n[3] = {11, 8, 13};
  trial t = trial_of(n, "dd dd dd", TRIAL_WIDTHS | TRIAL_FIXED | TRIAL_DATA);
  double *centre[3], *u = support_poison(t.cells), *want = support_poison(t.cells), end[3] = {0};
  for (int d = 0; d < 3; d++) {
    centre[d] = trial_centres(&t, d);
    for (int i = 0; i < n[d]; i++)
      end[d] += t.widths[d][i];
    for (size_t m = 0; m < t.cells / (size_t)n[d] * (size_t)(n[d] + 1); m++)
      t.c.beta[d][m] = 1;
  }
  static const double slope[3] = {1, -2, 3};
  for (size_t q = 0; q < t.cells; q++) {
    const int at[3] = {(int)(q % 11), (int)(q / 11 % 8), (int)(q / 88)};
    want[q] = 1;
    for (int d = 0; d < 3; d++)
      want[q] += slope[d] * centre[d][at[d]];
    t.f[q] = 0;
    if (is_fixed(&t, q)) t.fixed[q] = want[q];
  }
  for (int face = 0; face < 6; face++) {
    const int axis = face / 2, a = axis == 0, b = axis == 2 ? 1 : 2;
    for (int j = 0; j < n[b]; j++)
      for (int i = 0; i < n[a]; i++)
        t.c.boundary_data[face][j * n[a] + i] = 1 + slope[a] * centre[a][i] +
                                                slope[b] * centre[b][j] +
                                                slope[axis] * (face % 2 ? end[axis] : 0);
  }
  t.o.rtol = 1e-13;
  trial_solve(&t, u);
  support_assert_close("u", t.c.name, t.cells, u, want, 1e-12);
  for (int d = 0; d < 3; d++)
    free(centre[d]);
  free(u);
  free(want);
  trial_close(&t);
}
END_TEST

/* NaN in the fixed cells of the guess, and a guess far off in the others. */
START_TEST(the_initial_guess_does_not_enter)
{
  const int n[3] = {12, 9, 7};
  trial t = trial_of(n, "nn nn pp", TRIAL_FIXED | TRIAL_JUMPS);
  t.o.rtol = 1e-11;
  double *want = support_poison(t.cells), *guess = random_free(&t, 9);
  trial_solve(&t, want);
  support_close(&t.k);
  t.k.context = NULL;
  t.o.initial_guess = true;
  trial_open(&t);
  for (size_t q = 0; q < t.cells; q++)
    guess[q] *= 1e3;
  hymg_field *f = support_field(&t.k, 0, t.f), *u = support_field(&t.k, 0, guess);
  hymg_result r;
  OK(t.k.context, hymg_solve(t.k.solver, f, u, &r));
  ck_assert(r.converged);
  double *got = support_read(&t.k, 0, u);
  assert_given(&t, got);
  support_assert_close("u", "a guess", t.cells, got, want, 1e-7);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  free(got);
  free(want);
  free(guess);
  trial_close(&t);
}
END_TEST

/* The conjugate gradients of a box held at its ends take as many iterations with a wall of fixed cells,
 * wells and a body in it. */
START_TEST(fixed_cells_cost_no_iterations)
{
  const int n[3] = {32, 32, 32};
  for (int kind = 0; kind < 3; kind++) {
    trial t = trial_of(n, "dd nn nn", TRIAL_FIXED);
    for (int q = 0; q < 32768; q++) {
      const int i = q % 32 - 16, j = q / 32 % 32 - 16, k = q / 1024 - 16;
      const bool fixed = kind == 0   ? i == 3 && j != 5
                         : kind == 1 ? (i * 7 + j * 3) % 11 == 0 && k < 0
                                     : i * i + j * j + k * k < 90;
      t.fixed[q] = fixed ? 1 + 0.1 * j : NAN, t.f[q] = fixed ? NAN : 1;
    }
    const hymg_result r = trial_solve(&t, NULL);
    ck_assert_msg(r.converged && r.cycles <= 13, "kind %d: %d iterations", kind, r.cycles);
    trial_close(&t);
  }
}
END_TEST

START_TEST(all_cells_fixed_takes_no_iteration_and_none_is_the_system_without)
{
  const int n[3] = {6, 5, 4};
  trial t = trial_of(n, "nn pp nn", TRIAL_FIXED);
  double *u = support_poison(t.cells), *want = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++)
    t.fixed[q] = (double)q;
  hymg_result r = trial_solve(&t, u);
  ck_assert(r.converged && r.cycles == 0);
  assert_given(&t, u);
  support_close(&t.k);
  t.k.context = NULL;
  for (size_t q = 0; q < t.cells; q++)
    t.fixed[q] = NAN, t.f[q] = (double)(q % 3);
  r = trial_solve(&t, u);
  ck_assert(r.converged && r.singular);
  support_close(&t.k);
  t.k.context = NULL;
  t.c.spec.fixed = NULL;
  trial_solve(&t, want);
  support_assert_close("u", "no cell fixed", t.cells, u, want, 1e-7);
  free(u);
  free(want);
  trial_close(&t);
}
END_TEST

/* ---- FV4 ---- */

/* The mean of cos(2 pi x) over cell i of n. */
static double mean_of_cosine(int i, int n)
{
  const double pi = acos(-1.);
  return (sin(2 * pi * (i + 1) / n) - sin(2 * pi * i / n)) * n / (2 * pi);
}

typedef struct errors {
  double everywhere, away;
} errors;

/* The largest error, and that in the eighth of small x, of u = cos(2 pi x) cos(2 pi y) cos(2 pi z), given in a ball and
 * without flux through the walls. beta: fields of 1 or a number. */
static errors error_beside_a_ball(hymg_stencil stencil, int n, bool constant)
{
  trial t =
      trial_plain((const int[3]){n, n, n}, "nn nn nn", (const double[3]){1. / n, 1. / n, 1. / n});
  double *u = support_poison(t.cells), *want = support_poison(t.cells),
         *fixed = support_poison(t.cells);
  errors most = {0, 0};
  t.c.spec.stencil = stencil;
  if (stencil == HYMG_FV4) t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
  t.c.spec.beta_constant = 1;
  for (int d = 0; d < 3 && constant; d++)
    t.c.spec.beta[d] = NULL;
  t.c.spec.fixed = t.c.fixed = t.fixed = fixed;
  for (size_t q = 0; q < t.cells; q++) {
    const int i = (int)q % n, j = (int)q / n % n, k = (int)q / n / n;
    const double x = (i + 0.5) / n - 0.6, y = (j + 0.5) / n - 0.55, z = (k + 0.5) / n - 0.48;
    want[q] = mean_of_cosine(i, n) * mean_of_cosine(j, n) * mean_of_cosine(k, n);
    fixed[q] = x * x + y * y + z * z < 0.04 ? want[q] : NAN;
    t.f[q] = is_fixed(&t, q) ? NAN : 12 * acos(-1.) * acos(-1.) * want[q];
  }
  const hymg_result r = trial_solve(&t, u);
  ck_assert_msg(r.converged && !r.singular && r.path == HYMG_PATH_ROBUST, "%s", r.note);
  assert_given(&t, u);
  for (size_t q = 0; q < t.cells; q++) {
    const double error = fabs(u[q] - want[q]);
    most.everywhere = fmax(most.everywhere, error);
    if ((int)q % n < n / 8) most.away = fmax(most.away, error);
  }
  free(u);
  free(want);
  trial_close(&t);
  return most;
}

/* FV4 has the flux of FV2 in three layers of cells around the ball: third order in all. */
START_TEST(fv4_is_of_higher_order_beside_a_ball)
{
  const int n = support_small() ? 32 : 64;
  const errors coarse = error_beside_a_ball(HYMG_FV4, n / 2, _i),
               fine = error_beside_a_ball(HYMG_FV4, n, _i),
               second = error_beside_a_ball(HYMG_FV2, n, _i);
  ck_assert(log2(coarse.everywhere / fine.everywhere) > 2.65);
  ck_assert(log2(coarse.away / fine.away) > 2.75);
  ck_assert(fine.everywhere < (n == 64 ? 0.22 : 0.36) * second.everywhere);
  ck_assert(fine.away < (n == 64 ? 0.14 : 0.27) * second.away);
  printf("  order %.2f, away %.2f, %.2g of FV2's error, %.2g away from the ball\n",
         log2(coarse.everywhere / fine.everywhere), log2(coarse.away / fine.away),
         fine.everywhere / second.everywhere, fine.away / second.away);
}
END_TEST

/* A field in which no cell is fixed does not change FV4. */
START_TEST(fv4_without_a_fixed_cell_is_fv4)
{
  const int n[3] = {12, 9, 10};
  double *u[2];
  for (int m = 0; m < 2; m++) {
    trial t = trial_of(n, "dn pp nd", TRIAL_JUMPS | TRIAL_ALPHA | (m ? TRIAL_FIXED : 0));
    t.c.spec.stencil = HYMG_FV4, t.c.spec.extrapolation = HYMG_EXTRAPOLATION_DEFAULT;
    t.o.rtol = 1e-12;
    for (size_t q = 0; q < t.cells; q++) {
      t.f[q] = sin((double)q);
      if (m) t.fixed[q] = NAN;
    }
    u[m] = support_poison(t.cells);
    trial_solve(&t, u[m]);
    if (m) support_assert_close("u", "no cell fixed", t.cells, u[1], u[0], 1e-9);
    trial_close(&t);
  }
  free(u[0]);
  free(u[1]);
}
END_TEST

/* ---- updates and lists ---- */

START_TEST(after_an_update_results_are_those_of_a_new_solver)
{
  trial t = random_trial((unsigned)_i), other = random_trial((unsigned)_i);
  double *got = support_poison(t.cells), *want = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++) {
    const double value = t.fixed[(q + 1) % t.cells] + 0.25;
    other.fixed[q] = value;
    other.f[q] = value == value ? NAN : 1;
  }
  trial_solve(&t, got);
  const int low[3] = {0, 0, 0}, *n = t.c.spec.n;
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  OK(t.k.context, hymg_field_write(t.k.fixed, low, n, stride, other.fixed, HYMG_HOST));
  OK(t.k.context, hymg_solver_update(t.k.solver));
  memcpy(t.f, other.f, t.cells * sizeof *t.f);
  trial_solve(&t, got);
  trial_solve(&other, want);
  ck_assert_msg(support_same_bits(t.cells, got, want), "%s", t.c.name);
  free(got);
  free(want);
  trial_close(&t);
  trial_close(&other);
}
END_TEST

START_TEST(a_list_of_cells_sets_these_alone)
{
  const int n[3] = {4, 3, 2}, cell[3][3] = {{3, 0, 1}, {0, 2, 0}, {3, 0, 1}}, bad[3] = {1, 3, 0};
  const double value[3] = {5, 6, 7};
  trial t = trial_of(n, "dd dd dd", TRIAL_FIXED);
  trial_open(&t);
  OK(t.k.context, hymg_field_fill(t.k.fixed, NAN));
  OK(t.k.context, hymg_field_put(t.k.fixed, 3, cell, value));
  OK(t.k.context, hymg_field_put(t.k.fixed, 0, NULL, NULL));
  double *got = support_read(&t.k, 0, t.k.fixed);
  for (size_t q = 0; q < t.cells; q++)
    ck_assert(q == 15 ? got[q] == 7 : q == 8 ? got[q] == 6 : got[q] != got[q]);
  support_assert_error(t.k.context, hymg_field_put(t.k.fixed, 1, &bad, value), HYMG_EINVAL,
                       "cell 0", "(1, 3, 0)", "index 3 along y", "from 0 to 2", NULL);
  support_assert_error(t.k.context, hymg_field_put(t.k.fixed, 2, NULL, value), HYMG_EINVAL, "NULL",
                       NULL);
  support_assert_error(t.k.context, hymg_field_put(t.k.coefficient[HYMG_FACE_X], 1, cell, value),
                       HYMG_EINVAL, "x faces", NULL);
  free(got);
  trial_close(&t);
}
END_TEST

/* ---- what is refused ---- */

static hymg_status try_solver(trial *t, const hymg_options *o)
{
  hymg_solver *s = NULL;
  const hymg_status status = hymg_solver_create(t->k.op, o, &s);
  hymg_solver_destroy(&s);
  return status;
}

START_TEST(what_fixed_cells_do_not_suit_is_refused_with_the_way_out)
{
  const int n[3] = {4, 3, 2}, at[1][3] = {{2, 1, 1}};
  trial t = trial_of(n, "dd dd dd", TRIAL_FIXED);
  trial_open(&t);
  hymg_context *c = t.k.context;
  hymg_operator *op = NULL;
  hymg_operator_desc d = t.k.desc;
  d.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  support_assert_error(c, hymg_operator_create(t.k.grid, &d, &op), HYMG_EUNSUPPORTED, "quadratic",
                       "linear", NULL);
  d = t.k.desc;
  d.fixed = t.k.coefficient[HYMG_FACE_X];
  support_assert_error(c, hymg_operator_create(t.k.grid, &d, &op), HYMG_EINVAL, "fixed", "x faces",
                       NULL);
  d.fixed = NULL;
  support_assert_error(c, hymg_operator_set(t.k.op, &d), HYMG_EINVAL, "fixed cells", NULL);
  hymg_options o = t.o;
  o.path = HYMG_PATH_STANDARD;
  support_assert_error(c, try_solver(&t, &o), HYMG_EUNSUPPORTED, "fixed cells", "robust", NULL);
  o.path = HYMG_PATH_AUTO, o.method = HYMG_FMG;
  support_assert_error(c, try_solver(&t, &o), HYMG_EUNSUPPORTED, "fixed cells", "method mg", NULL);
  const double infinite = -INFINITY;
  OK(c, hymg_field_put(t.k.fixed, 1, at, &infinite));
  support_assert_error(c, hymg_solver_update(t.k.solver), HYMG_EINVAL, "fixed = -inf", "(2, 1, 1)",
                       NULL);
  trial_close(&t);
}
END_TEST

START_TEST(the_need_of_memory_counts_them)
{
  const int n[3] = {40, 24, 16};
  hymg_need with_fixed, without;
  trial t = trial_of(n, "dd dd dd", TRIAL_FIXED);
  trial_open(&t);
  hymg_operator_desc d = hymg_operator_desc_default();
  d.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
  OK(t.k.context, hymg_solver_need(t.k.grid, &d, HYMG_VARIABLE_FIXED, &t.o, &with_fixed));
  OK(t.k.context, hymg_solver_need(t.k.grid, &d, 0, &t.o, &without));
  const double more = with_fixed.level[0].coefficients - without.level[0].coefficients;
  const double vector = 8.0 * (double)t.cells;
  ck_assert_msg(more >= 6 * vector && more < 9 * vector, "%g vectors more", more / vector);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("fixed cells");
  TCase *t = tcase_create("fixed cells");
  tcase_set_timeout(t, 200);
  tcase_add_test(t, random_systems_have_the_solution_of_a_dense_solve);
  tcase_add_loop_test(t, fv4_is_of_higher_order_beside_a_ball, 0, 2);
  tcase_add_test(t, fv4_without_a_fixed_cell_is_fv4);
  tcase_add_loop_test(t, operator_and_residual_are_the_oracles_in_free_cells, 0, 40);
  tcase_add_loop_test(t, fluxes_are_those_of_the_same_u_without_fixed_cells, 0, 40);
  tcase_add_loop_test(t, a_cycle_is_symmetric_and_0_in_fixed_cells, 0, 40);
  tcase_add_loop_test(t, after_an_update_results_are_those_of_a_new_solver, 0, 40);
  tcase_add_test(t, a_linear_solution_is_exact);
  tcase_add_test(t, the_initial_guess_does_not_enter);
  tcase_add_test(t, fixed_cells_cost_no_iterations);
  tcase_add_test(t, all_cells_fixed_takes_no_iteration_and_none_is_the_system_without);
  tcase_add_test(t, a_list_of_cells_sets_these_alone);
  tcase_add_test(t, what_fixed_cells_do_not_suit_is_refused_with_the_way_out);
  tcase_add_test(t, the_need_of_memory_counts_them);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
