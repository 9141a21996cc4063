/* The robust path against a dense oracle: hierarchies, operators, cycles and the residual of every
 * iteration, on odd shapes with coefficients and widths at random. */
#include "api/solver.h"
#include "oracle/robust.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static robust_oracle *oracle_of(const trial *t)
{
  return robust_create(&t->c.spec, t->widths, t->o.transfer);
}

/* ---- the same hierarchy ---- */

static void assert_same_levels(trial *t, const robust_oracle *o)
{
  ck_assert_msg(hymg_solver_num_levels(t->k.solver) == o->levels, "%s: %d levels, not %d",
                t->c.name, hymg_solver_num_levels(t->k.solver), o->levels);
  for (int l = 0; l < o->levels; l++) {
    const robust_level *want = o->level + l;
    hymg_level_info got;
    OK(t->k.context, hymg_solver_level(t->k.solver, l, &got));
    for (int d = 0; d < 3; d++)
      ck_assert_msg(got.cells[d] == want->n[d], "%s level %d: %d cells along axis %d, not %d",
                    t->c.name, l, got.cells[d], d, want->n[d]);
    ck_assert_msg(got.coarsened == want->coarsened, "%s level %d: axes %x, not %x", t->c.name, l,
                  got.coarsened, want->coarsened);
  }
}

/* ---- the same residuals, iteration by iteration ---- */

static void assert_same_history(const char *name, const hymg_result *r, int count,
                                const double *want)
{
  for (int i = 0; i < count && want[i] > 1e-8; i++) {
    ck_assert_msg(i < r->cycles, "%s: %d iterations, %s, then %.3g is missing", name, r->cycles,
                  hymg_reason_name(r->reason), want[i]);
    double got = r->history[i].residual_relative;
    ck_assert_msg(fabs(got - want[i]) <= 1e-8 * want[i], "%s: iteration %d: %.12g, not %.12g", name,
                  i + 1, got, want[i]);
  }
}

static void nudge(size_t n, double *x, unsigned seed)
{
  double *by = support_random(n, -1e-14, 1e-14, seed);
  for (size_t i = 0; i < n; i++)
    x[i] *= 1.0 + by[i];
  free(by);
}

/* The residuals after rounding has moved all data a little. */
static robust_history moved_history(const trial *t)
{
  trial moved = *t;
  const int *n = t->c.spec.n;
  for (int d = 0; d < 3; d++) {
    size_t faces = t->cells / (size_t)n[d] * (size_t)(n[d] + 1);
    if (!t->c.spec.beta[d]) continue;
    double *beta = support_poison(faces);
    memcpy(beta, t->c.spec.beta[d], faces * sizeof *beta);
    nudge(faces, beta, 50u + (unsigned)d);
    moved.c.spec.beta[d] = beta;
  }
  double *u = support_poison(t->cells), *f = support_poison(t->cells);
  memcpy(f, t->f, t->cells * sizeof *f);
  nudge(t->cells, f, 8);
  robust_oracle *o = oracle_of(&moved);
  robust_history h = robust_solve(o, f, ROBUST_ITERATIONS, u);
  robust_destroy(o);
  for (int d = 0; d < 3; d++)
    if (t->c.spec.beta[d]) free((double *)moved.c.spec.beta[d]);
  free(u);
  free(f);
  return h;
}

/* The oracle's iterations that rounding hardly moves: sooner or later CG forgets its directions
 * where coefficients vary by 10^6. */
static robust_history steady_history(const trial *t, const robust_oracle *o)
{
  double *u = support_poison(t->cells);
  robust_history h = robust_solve(o, t->f, ROBUST_ITERATIONS, u), moved = moved_history(t);
  int steady = 0;
  while (steady < h.iterations && steady < moved.iterations &&
         fabs(h.relative[steady] - moved.relative[steady]) <= 1e-10 * h.relative[steady])
    steady++;
  h.iterations = steady;
  free(u);
  return h;
}

static void compare_solve(trial *t)
{
  robust_oracle *o = oracle_of(t);
  hymg_result r = trial_solve(t, NULL);
  assert_same_levels(t, o);
  robust_history h = steady_history(t, o);
  ck_assert_msg(h.iterations > 0 || t->cells < 10, "%s: nothing to compare, %.3g", t->c.name,
                h.relative[0]);
  ck_assert_int_eq(r.path, HYMG_PATH_ROBUST);
  ck_assert_msg(r.singular == o->singular, "%s: singular %d", t->c.name, (int)r.singular);
  ck_assert_msg(fabs(r.mean_removed - h.mean_removed) <= 1e-12, "%s: mean %.12g, not %.12g",
                t->c.name, r.mean_removed, h.mean_removed);
  assert_same_history(t->c.name, &r, h.iterations, h.relative);
  for (int i = 0; i < r.cycles; i++)
    ck_assert_int_eq(r.history[i].kind, o->quadratic ? HYMG_KIND_BICGSTAB : HYMG_KIND_CG);
  robust_destroy(o);
}

static const int shapes[][3] = {{5, 4, 3}, {9, 7, 5}, {7, 1, 6}, {1, 1, 9},  {6, 5, 1},
                                {3, 2, 1}, {1, 1, 1}, {8, 8, 4}, {2, 3, 11}, {12, 3, 2}};
static const char *const boundaries[] = {"dd dd dd", "pp dd nn", "dn pp pp", "nd dn pp",
                                         "pp pp pp", "nn nn nn", "nn pp dd", "dd nd pp"};
static const unsigned kinds[] = {0,
                                 TRIAL_JUMPS,
                                 TRIAL_WIDTHS,
                                 TRIAL_JUMPS | TRIAL_WIDTHS | TRIAL_DATA,
                                 TRIAL_JUMPS | TRIAL_ALPHA,
                                 TRIAL_WIDTHS | TRIAL_CONSTANT | TRIAL_DATA};
enum {
  NUM_SHAPES = sizeof shapes / sizeof *shapes,
  NUM_BOUNDARIES = sizeof boundaries / sizeof *boundaries,
  NUM_KINDS = sizeof kinds / sizeof *kinds
};

/* A singular system of one cell has no residual left to reduce. */
static bool nothing_to_solve(int shape, int boundary, unsigned kind)
{
  bool dirichlet = strchr(boundaries[boundary], 'd');
  return shape == 6 && !dirichlet && !(kind & (TRIAL_ALPHA | TRIAL_CONSTANT));
}

static void compare_kinds(int i, unsigned more, hymg_transfer transfer)
{
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (nothing_to_solve(i % NUM_SHAPES, i / NUM_SHAPES, kinds[kind])) continue;
    if (more & TRIAL_QUADRATIC && kinds[kind] & TRIAL_WIDTHS) continue; /* is linear */
    trial t = trial_of(shapes[i % NUM_SHAPES], boundaries[i / NUM_SHAPES], kinds[kind] | more);
    t.o.transfer = transfer;
    compare_solve(&t);
    trial_close(&t);
  }
}

START_TEST(weighted_histories_are_those_of_the_oracle)
{
  compare_kinds(_i, 0, HYMG_TRANSFER_WEIGHTED);
}
END_TEST

START_TEST(tensor_histories_are_those_of_the_oracle)
{
  compare_kinds(_i, 0, HYMG_TRANSFER_TENSOR);
}
END_TEST

START_TEST(constant_histories_are_those_of_the_oracle)
{
  compare_kinds(_i, 0, HYMG_TRANSFER_CONSTANT);
}
END_TEST

START_TEST(histories_with_a_quadratic_extrapolation_are_those_of_the_oracle)
{
  compare_kinds(_i, TRIAL_QUADRATIC, _i % 2 ? HYMG_TRANSFER_CONSTANT : HYMG_TRANSFER_WEIGHTED);
  compare_kinds(_i, TRIAL_QUADRATIC, HYMG_TRANSFER_TENSOR);
}
END_TEST

/* Robin boundaries and walls a whole spacing away, next to others. */
static const char *const robin_walls[] = {"rr rr rr", "rd nr pp", "rn pp dr"};
static const unsigned robin_kinds[] = {TRIAL_ROBIN | TRIAL_JUMPS | TRIAL_DATA,
                                       TRIAL_ROBIN | TRIAL_JUMPS | TRIAL_WIDTHS | TRIAL_DATA,
                                       TRIAL_ROBIN | TRIAL_QUADRATIC | TRIAL_DATA,
                                       TRIAL_VERTEX | TRIAL_DATA,
                                       TRIAL_QUADRATIC | TRIAL_ALPHA,
                                       TRIAL_ROBIN | TRIAL_VERTEX | TRIAL_CONSTANT};
enum { NUM_ROBIN_KINDS = sizeof robin_kinds / sizeof *robin_kinds };

START_TEST(histories_with_robin_boundaries_are_those_of_the_oracle)
{
  for (int walls = 0; walls < 3; walls++)
    for (int kind = 0; kind < NUM_ROBIN_KINDS; kind++) {
      const int *n = shapes[_i];
      if (robin_kinds[kind] & TRIAL_ROBIN && (n[0] < 2 || n[1] < 2 || n[2] < 2)) continue;
      trial t = trial_of(n, robin_walls[walls], robin_kinds[kind]);
      t.o.transfer = (hymg_transfer)(HYMG_TRANSFER_CONSTANT + (walls + kind + _i) % 3);
      compare_solve(&t);
      trial_close(&t);
    }
}
END_TEST

/* Periodic axes of 1, 2, 3 cells and odd ones: seams within a cell, doubled, or of one colour. */
START_TEST(periodic_axes_of_any_length_are_those_of_the_oracle)
{
  static const int lengths[] = {1, 2, 3, 4, 5, 7, 9};
  for (int i = 0; i < 7; i++) {
    int n[3] = {4, 5, 3};
    n[_i] = lengths[i];
    trial t = trial_of(n,
                       i % 2 ? "pp pp pp"
                       : _i  ? "dd pp pp"
                             : "pp dn pp",
                       TRIAL_JUMPS | (i % 3 ? TRIAL_WIDTHS : 0u));
    for (int m = HYMG_TRANSFER_CONSTANT; m <= HYMG_TRANSFER_TENSOR; m++) {
      t.o.transfer = (hymg_transfer)m;
      compare_solve(&t);
      support_close(&t.k);
      t.k.context = NULL;
    }
    trial_close(&t);
  }
}
END_TEST

/* No fields: beta and alpha are constants, spacings differ. */
START_TEST(constant_coefficients_are_those_of_the_oracle)
{
  unsigned more = _i & 1 ? TRIAL_QUADRATIC : 0u;
  for (int shape = 0; shape < NUM_SHAPES; shape++) {
    if (nothing_to_solve(shape, _i / 2, _i & 2 ? TRIAL_CONSTANT : 0u)) continue;
    trial t = trial_of(shapes[shape], boundaries[_i / 2], more | (_i & 2 ? TRIAL_CONSTANT : 0u));
    for (int d = 0; d < 3; d++)
      t.c.spec.beta[d] = NULL;
    t.c.spec.beta_constant = 7.0;
    t.c.spec.h[2] *= shape % 2 ? 5.0 : 1.0;
    compare_solve(&t);
    trial_close(&t);
  }
}
END_TEST

/* ---- the operator ---- */

START_TEST(apply_and_residual_are_those_of_the_oracle)
{
  const unsigned kind = TRIAL_JUMPS | TRIAL_ALPHA | TRIAL_DATA;
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    trial t = trial_of(
        shapes[_i % NUM_SHAPES], _i < 40 ? boundaries[_i % NUM_BOUNDARIES] : robin_walls[_i % 3],
        kind | (quadratic ? TRIAL_QUADRATIC : TRIAL_WIDTHS) | (_i < 43 ? 0u : TRIAL_ROBIN));
    trial_open(&t);
    robust_oracle *o = oracle_of(&t);
    double *x = support_random(t.cells, -1, 1, 1), *want = support_poison(t.cells);
    hymg_field *xf = support_field(&t.k, 0, x), *f = support_field(&t.k, 0, t.f);
    hymg_field *y = support_field(&t.k, 0, x);
    OK(t.k.context, hymg_apply(t.k.solver, 0, xf, y));
    double *got = support_read(&t.k, 0, y);
    robust_apply(o, x, want);
    support_assert_close("A x", t.c.name, t.cells, got, want, 1e-12);
    free(got);
    OK(t.k.context, hymg_residual(t.k.solver, 0, f, xf, y));
    got = support_read(&t.k, 0, y);
    robust_residual(o, t.f, x, want);
    support_assert_close("f - A x", t.c.name, t.cells, got, want, 1e-12);
    free(got);
    free(x);
    free(want);
    hymg_field_destroy(&xf);
    hymg_field_destroy(&f);
    hymg_field_destroy(&y);
    robust_destroy(o);
    trial_close(&t);
  }
}
END_TEST

/* ---- the cycle as a matrix ---- */

/* Column q: one cycle from zero for the unit vector of cell q. */
static double *cycle_matrix(trial *t)
{
  hymgi_hierarchy *h = &t->k.solver->h;
  hymgi_level *level = h->level;
  double *m = support_poison(t->cells * t->cells), *unit = support_random(t->cells, 0, 1, 0);
  memset(unit, 0, t->cells * sizeof *unit);
  int n[3];
  size_t cells;
  support_cells(&t->k, 0, n, &cells);
  const int low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  hymg_field *x, *f;
  OK(t->k.context, hymg_field_create(t->k.grid, t->k.solver, HYMG_CELL, HYMG_DOUBLE, &x));
  OK(t->k.context, hymg_field_create(t->k.grid, t->k.solver, HYMG_CELL, HYMG_DOUBLE, &f));
  double *const old_x = level->x, *const old_f = level->f, *const old_y = level->y;
  for (size_t q = 0; q < t->cells; q++) {
    unit[q] = 1.0;
    OK(t->k.context, hymg_field_write(f, low, n, stride, unit, HYMG_HOST));
    OK(t->k.context, hymg_field_fill(x, 0.0));
    level->x = x->data, level->f = f->data, level->y = old_y;
    hymgi_run_cycle(h, HYMG_CYCLE_V, 0);
    if (level->x != x->data)
      memcpy(x->data, level->x, (size_t)level->vector_size * sizeof *x->data);
    OK(t->k.context, hymg_field_read(x, low, n, stride, m + q * t->cells, HYMG_HOST));
    unit[q] = 0.0;
  }
  level->x = old_x, level->f = old_f, level->y = old_y;
  hymg_field_destroy(&x);
  hymg_field_destroy(&f);
  free(unit);
  return m;
}

static double largest_asymmetry(size_t n, const double *m)
{
  double largest = 0.0, scale = support_max(n * n, m);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      largest = fmax(largest, fabs(m[i * n + j] - m[j * n + i]));
  return largest / scale;
}

/* By a Cholesky factorization of the symmetric part, in place. shift: added to every entry, which
 * moves constants out of the null space of a singular system. */
static bool is_positive(size_t n, double *m, double shift)
{
  for (size_t i = 0; i < n * n; i++)
    m[i] += shift;
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < j; k++)
      m[j * n + j] -= m[j * n + k] * m[j * n + k];
    if (!(m[j * n + j] > 0.0)) return false;
    m[j * n + j] = sqrt(m[j * n + j]);
    for (size_t i = j + 1; i < n; i++) {
      for (size_t k = 0; k < j; k++)
        m[i * n + j] -= m[i * n + k] * m[j * n + k];
      m[i * n + j] /= m[j * n + j];
    }
  }
  return true;
}

static const struct cycle_case {
  int n[3];
  const char *boundary;
  unsigned kind;
} cycle_cases[] = {{{5, 4, 3}, "dd dd dd", TRIAL_JUMPS | TRIAL_WIDTHS},
                   {{5, 4, 3}, "dn dd nd", 0},
                   {{8, 4, 4}, "dd dd dd", TRIAL_JUMPS},
                   {{5, 4, 3}, "pp dd pp", TRIAL_JUMPS},
                   {{7, 3, 5}, "pp pp pp", TRIAL_JUMPS | TRIAL_ALPHA},
                   {{9, 1, 7}, "pp nn dd", TRIAL_JUMPS | TRIAL_WIDTHS},
                   {{16, 2, 4}, "pp nn nd", TRIAL_JUMPS},
                   {{5, 4, 3}, "rr dr rn", TRIAL_JUMPS | TRIAL_WIDTHS | TRIAL_ROBIN},
                   {{5, 4, 6}, "dd rr pp", TRIAL_VERTEX}};
enum { NUM_CYCLE_CASES = sizeof cycle_cases / sizeof *cycle_cases };

static void check_cycle(int which, hymg_transfer transfer, hymg_smoother smoother)
{
  const struct cycle_case *cc = cycle_cases + which;
  trial t = trial_of(cc->n, cc->boundary, cc->kind);
  t.o.transfer = transfer;
  t.o.smoother = smoother;
  trial_open(&t);
  double *m = cycle_matrix(&t), asymmetry = largest_asymmetry(t.cells, m);
  /* the polynomial of graphs that are solved twice magnifies rounding */
  ck_assert_msg(asymmetry <= (transfer == HYMG_TRANSFER_PAIRS ? 1e-12 : 1e-13),
                "%s: asymmetry %.3g", t.c.name, asymmetry);
  ck_assert_msg(is_positive(t.cells, m, 0.0), "%s: not positive definite", t.c.name);
  free(m);
  trial_close(&t);
}

START_TEST(a_cycle_is_symmetric_and_positive_definite)
{
  check_cycle(_i, HYMG_TRANSFER_WEIGHTED, HYMG_GSRB);
  check_cycle(_i, HYMG_TRANSFER_CONSTANT, HYMG_GSRB);
  check_cycle(_i, HYMG_TRANSFER_TENSOR, HYMG_GSRB);
  check_cycle(_i, HYMG_TRANSFER_PAIRS, HYMG_GSRB);
}
END_TEST

START_TEST(cycles_of_other_smoothers_are_symmetric_and_positive_definite)
{
  check_cycle(_i, HYMG_TRANSFER_WEIGHTED, HYMG_CHEBYSHEV);
  check_cycle(_i, HYMG_TRANSFER_CONSTANT, HYMG_CHEBYSHEV);
  check_cycle(_i, HYMG_TRANSFER_WEIGHTED, HYMG_JACOBI);
  check_cycle(_i, HYMG_TRANSFER_WEIGHTED, HYMG_L1JACOBI);
  check_cycle(_i, HYMG_TRANSFER_TENSOR, HYMG_CHEBYSHEV);
  check_cycle(_i, HYMG_TRANSFER_PAIRS, HYMG_CHEBYSHEV);
}
END_TEST

/* Up to one factor, that of the library's units. */
START_TEST(a_cycle_is_that_of_the_oracle)
{
  const struct cycle_case *cc = cycle_cases + _i / 2;
  trial t = trial_of(cc->n, cc->boundary, cc->kind);
  t.o.transfer = _i % 2 ? HYMG_TRANSFER_TENSOR : HYMG_TRANSFER_WEIGHTED;
  trial_open(&t);
  robust_oracle *o = oracle_of(&t);
  double *got = cycle_matrix(&t), *want = support_poison(t.cells * t.cells);
  double *unit = support_random(t.cells, 0, 1, 0);
  memset(unit, 0, t.cells * sizeof *unit);
  for (size_t q = 0; q < t.cells; q++) {
    unit[q] = 1.0;
    robust_cycle(o, 0, unit, want + q * t.cells);
    unit[q] = 0.0;
  }
  size_t size = t.cells * t.cells;
  double factor = support_dot(size, got, want) / support_dot(size, want, want);
  for (size_t i = 0; i < size; i++)
    want[i] *= factor;
  support_assert_close("cycle", t.c.name, size, got, want, 1e-12);
  free(got);
  free(want);
  free(unit);
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* ---- what the formulas mean: the oracle itself ---- */

static const double *row_of(const robust_oracle *o, const int c[3])
{
  const robust_level *l = o->level;
  size_t q = ((size_t)c[2] * (size_t)l->n[1] + (size_t)c[1]) * (size_t)l->n[0] + (size_t)c[0];
  return l->p + q * l[1].cells;
}

static trial uniform(int n, const char *boundary)
{
  return trial_plain((const int[3]){n, n, n}, boundary, (const double[3]){0.1, 0.1, 0.1});
}

/* 1/4 along each axis inside, 1/2 at a Dirichlet boundary (towards a zero, so nothing remains of
 * it), 0 at a Neumann boundary. */
START_TEST(weights_of_equal_cells_are_a_quarter_a_half_and_zero)
{
  trial t = uniform(8, "dn dd dd");
  robust_oracle *o = oracle_of(&t);
  const double *inside = row_of(o, (const int[3]){3, 3, 3});
  double low = 0.0;
  for (size_t j = 0; j < 64; j++)
    low += row_of(o, (const int[3]){0, 3, 3})[j];
  ck_assert_double_eq_tol(inside[(1 * 4 + 1) * 4 + 1], 0.25, 1e-15);
  ck_assert_double_eq_tol(inside[(1 * 4 + 1) * 4 + 2], 0.25, 1e-15);
  ck_assert_double_eq_tol(inside[(1 * 4 + 2) * 4 + 1], 0.25, 1e-15);
  ck_assert_double_eq_tol(inside[(2 * 4 + 1) * 4 + 1], 0.25, 1e-15);
  ck_assert_double_eq_tol(low, 0.5, 1e-15);
  ck_assert_double_eq_tol(row_of(o, (const int[3]){7, 3, 3})[(1 * 4 + 1) * 4 + 3], 0.5, 1e-15);
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

START_TEST(interpolation_reproduces_linear_functions_inside)
{
  trial t = uniform(8, "dd dd dd");
  robust_oracle *o = oracle_of(&t);
  for (int k = 1; k < 7; k++)
    for (int j = 1; j < 7; j++)
      for (int i = 1; i < 7; i++) {
        const double *row = row_of(o, (const int[3]){i, j, k});
        double sum = 0.0;
        for (int q = 0; q < 64; q++)
          sum += row[q] * (2 * (q % 4) + 0.5 + 3 * (2 * (q / 4 % 4) + 0.5) - (2 * (q / 16) + 0.5));
        ck_assert_double_eq_tol(sum, i + 3.0 * j - k, 1e-13);
      }
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* A constant beta gives the conductances of the coarse grid itself. */
START_TEST(coarse_conductances_of_a_constant_are_those_of_the_coarse_grid)
{
  trial t = trial_of((const int[3]){9, 7, 5}, _i % 2 ? "dd pp dn" : "dd dd dd",
                     _i % 2 ? TRIAL_WIDTHS : 0);
  t.o.transfer = _i / 2 ? HYMG_TRANSFER_TENSOR : HYMG_TRANSFER_WEIGHTED;
  for (int d = 0; d < 3; d++)
    t.c.spec.beta[d] = NULL;
  t.c.spec.beta_constant = 3.0;
  robust_oracle *o = oracle_of(&t);
  for (int l = 1; l < o->levels; l++) {
    robust_level *level = o->level + l;
    oracle_spec coarse = t.c.spec;
    memcpy(coarse.n, level->n, sizeof coarse.n);
    robust_oracle *again = robust_create(&coarse, level->w, t.o.transfer);
    support_assert_close("matrix", t.c.name, level->cells * level->cells, level->matrix,
                         again->level->matrix, 1e-13);
    robust_destroy(again);
  }
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* beta jumps from 1 to R between two coarse cells of a line. */
START_TEST(weights_at_a_jump_follow_the_conductances)
{
  const double R = 50.0;
  trial t = trial_plain((const int[3]){8, 1, 1}, "dd nn nn", (const double[3]){0.1, 0.1, 0.1});
  trial_set_beta(&t, (const double[8]){1, 1, 1, 1, R, R, R, R});
  robust_oracle *o = oracle_of(&t);
  ck_assert_double_eq_tol(row_of(o, (const int[3]){3, 0, 0})[2], R / (2 * (R + 1)), 1e-14);
  ck_assert_double_eq_tol(row_of(o, (const int[3]){4, 0, 0})[1], 1 / (2 * (R + 1)), 1e-14);
  robust_destroy(o);
  trial_close(&t);
}
END_TEST

/* ---- reference histories ---- */

static const double ball_constant[8] = {6.2803192366e-01, 6.3868140491e-02, 1.7250599902e-03,
                                        4.0719530503e-05, 8.3405595230e-07, 1.8990931265e-08,
                                        3.8994251480e-10, 5.6602750408e-12};
static const double ball_weighted[9] = {6.4986317423e-01, 5.8260525588e-02, 3.9687831430e-03,
                                        5.0720003803e-04, 2.5665868682e-05, 1.4544492318e-06,
                                        7.2125447498e-08, 2.4465300819e-09, 6.7346752513e-11};
static const double smooth_constant[8] = {2.9029915017e-01, 1.7367250818e-02, 4.6107643443e-04,
                                          1.1228550220e-05, 4.0263906864e-07, 1.4624403491e-08,
                                          5.1929868844e-10, 1.5850769761e-11};
static const double smooth_weighted[10] = {
    3.2185698527e-01, 3.9782436821e-02, 2.3109140371e-03, 9.8596149765e-05, 4.0505829693e-06,
    2.6268377070e-07, 1.4213001935e-08, 1.5461706489e-09, 1.0713961394e-10, 6.8110513475e-12};

/* beta of the cells of the unit cube: ratio in the ball of radius 0.27, or smooth (ratio 0). */
static trial unit_cube(const int n[3], double ratio)
{
  const double h[3] = {1.0 / n[0], 1.0 / n[1], 1.0 / n[2]}, pi2 = 6.283185307;
  trial t = trial_plain(n, "dd dd dd", h);
  double *beta = support_poison(t.cells);
  for (size_t q = 0; q < t.cells; q++) {
    double x = ((double)(q % (size_t)n[0]) + 0.5) * h[0];
    double y = ((double)(q / (size_t)n[0] % (size_t)n[1]) + 0.5) * h[1];
    double z = ((double)(q / (size_t)n[0] / (size_t)n[1]) + 0.5) * h[2];
    double r = sqrt((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + (z - 0.5) * (z - 0.5));
    beta[q] = ratio == 0.0 ? 1 + 0.25 * sin(pi2 * x) * sin(pi2 * y) * sin(pi2 * z)
              : r < 0.27   ? ratio
                           : 1.0;
  }
  trial_set_beta(&t, beta);
  free(beta);
  return t;
}

START_TEST(a_ball_in_9x7x5_has_the_reference_history)
{
  trial t = unit_cube((const int[3]){9, 7, 5}, 1e3);
  t.o.transfer = _i ? HYMG_TRANSFER_WEIGHTED : HYMG_TRANSFER_CONSTANT;
  compare_solve(&t);
  hymg_result r = trial_solve(&t, NULL);
  assert_same_history(t.c.name, &r, _i ? 9 : 8, _i ? ball_weighted : ball_constant);
  trial_close(&t);
}
END_TEST

START_TEST(smooth_64x64x16_has_the_reference_history)
{
  trial t = unit_cube((const int[3]){64, 64, 16}, 0.0);
  t.o.transfer = _i ? HYMG_TRANSFER_WEIGHTED : HYMG_TRANSFER_CONSTANT;
  hymg_result r = trial_solve(&t, NULL);
  assert_same_history("smooth 64x64x16", &r, _i ? 10 : 8, _i ? smooth_weighted : smooth_constant);
  static const unsigned axes[7] = {3, 3, 7, 7, 7, 7, 0};
  ck_assert_int_eq(hymg_solver_num_levels(t.k.solver), 7);
  for (int l = 0; l < 7; l++) {
    hymg_level_info info;
    OK(t.k.context, hymg_solver_level(t.k.solver, l, &info));
    ck_assert_uint_eq(info.coarsened, axes[l]);
  }
  trial_close(&t);
}
END_TEST

int main(void)
{
  const bool small = support_small();
  /* small: each shape with one or two of the transfers */
  const int all = NUM_SHAPES * NUM_BOUNDARIES, third = NUM_SHAPES / 3;
  Suite *suite = suite_create("robust");
  TCase *t = tcase_create("robust");
  tcase_set_timeout(t, 600);
  tcase_add_test(t, weights_of_equal_cells_are_a_quarter_a_half_and_zero);
  tcase_add_test(t, interpolation_reproduces_linear_functions_inside);
  tcase_add_loop_test(t, coarse_conductances_of_a_constant_are_those_of_the_coarse_grid, 0, 4);
  tcase_add_test(t, weights_at_a_jump_follow_the_conductances);
  tcase_add_loop_test(t, apply_and_residual_are_those_of_the_oracle, 0, small ? 2 : 46);
  tcase_add_loop_test(t, weighted_histories_are_those_of_the_oracle, 0, small ? third : all);
  tcase_add_loop_test(t, tensor_histories_are_those_of_the_oracle, small ? third : 0,
                      small ? 2 * third : all);
  tcase_add_loop_test(t, constant_histories_are_those_of_the_oracle, small ? 2 * third : 0,
                      small ? NUM_SHAPES : all);
  tcase_add_loop_test(t, histories_with_a_quadratic_extrapolation_are_those_of_the_oracle, 0,
                      small ? third : all);
  tcase_add_loop_test(t, histories_with_robin_boundaries_are_those_of_the_oracle, 0,
                      small ? 2 : NUM_SHAPES);
  tcase_add_loop_test(t, constant_coefficients_are_those_of_the_oracle, 0, small ? 2 : 8);
  tcase_add_loop_test(t, periodic_axes_of_any_length_are_those_of_the_oracle, 0, 3);
  tcase_add_loop_test(t, a_cycle_is_symmetric_and_positive_definite, 0, NUM_CYCLE_CASES);
  tcase_add_loop_test(t, cycles_of_other_smoothers_are_symmetric_and_positive_definite, 0,
                      NUM_CYCLE_CASES);
  tcase_add_loop_test(t, a_cycle_is_that_of_the_oracle, 0, 2 * NUM_CYCLE_CASES);
  tcase_add_loop_test(t, a_ball_in_9x7x5_has_the_reference_history, 0, 2);
  tcase_add_loop_test(t, smooth_64x64x16_has_the_reference_history, small ? 1 : 0, 2);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
