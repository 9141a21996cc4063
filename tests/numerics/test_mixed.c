/* Mixed precision: as many cycles as in double, to the same solution; the same bits on any threads and
 * boxes; an updated solver is a fresh one; where floats do not reach, double goes on. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds beside those of a trial. */
enum {
  CONSTANT_BETA = 1 << 8,
  FV4 = 1 << 9,
  STANDARD = 1 << 10,
  TENSOR = 1 << 11,
  NORM_2 = 1 << 12,
  JUMPS = 1 << 13
};

/* More than 32^3 cells: one level in single precision, or two. */
static const struct {
  int n[3];
  const char *boundary;
  unsigned kind;
  hymg_smoother smoother;
  hymg_method method;
  hymg_cycle cycle;
  double rtol;
} cases[] = {
    {{40, 48, 24}, "dd dd dd", STANDARD | TRIAL_QUADRATIC, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-8},
    {{40, 48, 24}, "dd dd dd", STANDARD | TRIAL_QUADRATIC, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-12},
    {{72, 64, 72}, "dd pp dn", STANDARD | TRIAL_ALPHA, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_W, 1e-10},
    {{32, 40, 32},
     "dd dn pp",
     STANDARD | CONSTANT_BETA | TRIAL_DATA | TRIAL_QUADRATIC,
     HYMG_GSRB,
     HYMG_MG,
     HYMG_CYCLE_F,
     1e-10},
    {{32, 40, 32},
     "dd dd dd",
     STANDARD | CONSTANT_BETA | TRIAL_CONSTANT,
     HYMG_CHEBYSHEV,
     HYMG_MG,
     HYMG_CYCLE_V,
     1e-12},
    {{40, 32, 32},
     "dd nn dd",
     STANDARD | TRIAL_ALPHA | NORM_2,
     HYMG_JACOBI,
     HYMG_MG,
     HYMG_CYCLE_F,
     1e-8},
    {{40, 32, 32}, "pp dd dd", STANDARD, HYMG_L1JACOBI, HYMG_MG, HYMG_CYCLE_V, 1e-8},
    {{48, 32, 24}, "dd dd dd", STANDARD, HYMG_SYMGS, HYMG_MG, HYMG_CYCLE_F, 1e-10},
    {{40, 32, 32}, "pp pp pp", STANDARD, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-10},
    {{40, 32, 32}, "nn nn pp", STANDARD | CONSTANT_BETA, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-10},
    {{40, 32, 32}, "dd nd dd", STANDARD | TRIAL_DATA, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, 1e-12},
    {{41, 35, 33},
     "dd nd pp",
     STANDARD | TRIAL_QUADRATIC | TRIAL_DATA,
     HYMG_GSRB,
     HYMG_MG,
     HYMG_CYCLE_F,
     1e-10},
    {{41, 33, 35}, "pp dd dd", STANDARD | TRIAL_ALPHA, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_V, 1e-8},
    {{40, 48, 24}, "dd dd dd", STANDARD | FV4, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-12},
    {{32, 40, 32},
     "dd pp dd",
     STANDARD | FV4 | TRIAL_ALPHA,
     HYMG_CHEBYSHEV,
     HYMG_MG,
     HYMG_CYCLE_F,
     1e-8},
    {{32, 40, 32},
     "dd dd pp",
     STANDARD | FV4 | CONSTANT_BETA,
     HYMG_L1JACOBI,
     HYMG_MG,
     HYMG_CYCLE_V,
     1e-8},
    {{41, 33, 36}, "dd dd dd", JUMPS, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, 1e-8},
    {{40, 32, 32}, "dd pp nn", JUMPS | TRIAL_ALPHA, HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_V, 1e-8},
    {{40, 32, 32},
     "dd dd dd",
     TRIAL_QUADRATIC | TRIAL_DATA,
     HYMG_GSRB,
     HYMG_MG,
     HYMG_CYCLE_V,
     1e-10},
    {{33, 36, 40}, "nn nn pp", JUMPS, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, 1e-8},
    {{37, 31, 35}, "dd nd dd", TRIAL_WIDTHS | JUMPS, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_W, 1e-10},
    {{40, 32, 36}, "dd dd dd", JUMPS | TENSOR, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, 1e-8},
    {{40, 32, 32}, "rd dr pp", STANDARD | TRIAL_DATA, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, 1e-10},
    {{40, 32, 32}, "dd pp dd", FV4, HYMG_GSRB, HYMG_MG, HYMG_CYCLE_V, 1e-10},
    {{40, 32, 36}, "dd dd dd", TRIAL_ALPHA, HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_V, 1e-10},
};
enum { CASES = sizeof cases / sizeof *cases };

static int number_of_cases(void)
{
  return support_small() ? 2 : CASES;
}

/* Cubes of 8 cells a side with beta 1 and 1e3. */
static void add_jumps(trial *t)
{
  const int *n = t->c.spec.n;
  double *beta = support_poison(t->cells);
  for (int k = 0, q = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, q++)
        beta[q] = (i / 8 + j / 8 + k / 8) % 2 ? 1e3 : 1;
  trial_set_beta(t, beta);
  free(beta);
}

static trial case_of(int i, hymg_precision precision)
{
  const unsigned kind = cases[i].kind;
  trial t = trial_of(cases[i].n, cases[i].boundary, kind & 63);
  t.o.path = kind & STANDARD ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
  t.o.norm = kind & NORM_2 || !(kind & STANDARD) ? HYMG_NORM_2 : HYMG_NORM_MAX;
  t.o.method = cases[i].method, t.o.cycle = cases[i].cycle;
  t.o.smoother = cases[i].smoother;
  t.o.rtol = cases[i].rtol, t.o.max_cycles = 100;
  t.o.tuning = HYMG_TUNE_ESTIMATE;
  t.o.precision = precision;
  if (kind & JUMPS) add_jumps(&t);
  if (kind & TENSOR) t.o.transfer = HYMG_TRANSFER_TENSOR;
  if (kind & FV4) { /* its betas must be smooth */
    support_case_free(&t.c);
    t.c = support_case_of(HYMG_FV4, cases[i].n, cases[i].boundary, kind & TRIAL_ALPHA ? 0.9 : 0.0);
  }
  for (int d = 0; d < 3 && kind & CONSTANT_BETA; d++)
    t.c.spec.beta[d] = NULL, t.c.spec.beta_constant = 1.3;
  snprintf(t.c.name + strlen(t.c.name), sizeof t.c.name - strlen(t.c.name), ", case %d", i);
  return t;
}

/* A singular system's f has a mean that is subtracted, and u is known up to a constant. */
static void check_alike(const trial *t, const double *got, const double *want, double rtol)
{
  const double largest = support_max(t->cells, want),
               difference = support_difference(t->cells, got, want);
  ck_assert_msg(difference <= 1e4 * rtol * largest, "%s: u differs by %.3g of %.3g", t->c.name,
                difference, largest);
}

START_TEST(as_many_cycles_as_in_double)
{
  trial a = case_of(_i, HYMG_DOUBLE), b = case_of(_i, HYMG_MIXED);
  double *want = support_poison(a.cells), *got = support_poison(b.cells);
  const hymg_result r = trial_solve(&a, want), s = trial_solve(&b, got);
  ck_assert_int_eq(r.precision, HYMG_DOUBLE);
  ck_assert_msg(s.precision == HYMG_MIXED, "%s: %s", b.c.name, s.note);
  ck_assert_msg(r.converged && s.converged, "%s: %s, %s", b.c.name, r.note, s.note);
  const bool bicgstab = r.history[0].kind == HYMG_KIND_BICGSTAB;
  ck_assert_msg(abs(s.cycles - r.cycles) <= bicgstab, "%s: %d cycles, in double %d", b.c.name,
                s.cycles, r.cycles);
  for (int m = 0; m < r.cycles && m < s.cycles;
       m++) { /* BiCGStab amplifies what rounding changes */
    const double x = s.history[m].residual_max, y = r.history[m].residual_max;
    const bool alike = r.history[m].kind == HYMG_KIND_BICGSTAB
                           ? x <= 20 * y && y <= 20 * x
                           : fabs(x - y) <= 0.1 * y + 1e-13 * r.rhs_max;
    ck_assert_msg(alike, "%s: residual %d is %.6g, in double %.6g", b.c.name, m, x, y);
  }
  check_alike(&a, got, want, cases[_i].rtol);
  free(want);
  free(got);
  trial_close(&a);
  trial_close(&b);
}
END_TEST

/* Also different from those of double: it is the cycles in single precision that are compared. */
START_TEST(the_same_bits_on_any_threads_and_boxes)
{
  static const int boxes[2][3] = {{1, 1, 1}, {2, 3, 2}};
  trial one = case_of(_i, HYMG_MIXED), twice = case_of(_i, HYMG_DOUBLE);
  double *want = support_poison(one.cells), *got = support_poison(one.cells);
  one.o.max_cycles = twice.o.max_cycles = 2;
  const hymg_result r = trial_solve(&one, want);
  trial_solve(&twice, got);
  ck_assert_msg(!support_same_bits(one.cells, got, want), "%s: the bits of double", one.c.name);
  for (int m = 0; m < 2; m++) {
    trial t = case_of(_i, HYMG_MIXED);
    t.o.max_cycles = 2;
    t.threads = 2 - m;
    for (int d = 0; d < 3; d++)
      t.boxes[d] = cases[_i].n[d] % (2 * boxes[m][d]) ? 1 : boxes[m][d];
    const hymg_result s = trial_solve(&t, got);
    for (int k = 0; k < r.cycles; k++)
      ck_assert_msg(r.history[k].residual_max == s.history[k].residual_max, "%s: way %d", t.c.name,
                    m);
    ck_assert_msg(support_same_bits(t.cells, got, want), "%s: way %d", t.c.name, m);
    trial_close(&t);
  }
  free(want);
  free(got);
  trial_close(&one);
  trial_close(&twice);
}
END_TEST

/* With half the coefficients b and the constants that follow from it. */
START_TEST(an_update_gives_the_bits_of_a_fresh_solver)
{
  const int i = 2 * _i;
  trial old = case_of(i, HYMG_MIXED), fresh = case_of(i, HYMG_MIXED);
  double *got = support_poison(old.cells), *want = support_poison(old.cells);
  old.o.max_cycles = fresh.o.max_cycles = 3;
  fresh.c.spec.b *= 3e5, fresh.c.spec.a *= 0.75;
  trial_solve(&old, got);
  hymg_operator_desc d = old.k.desc;
  d.a = fresh.c.spec.a, d.b = fresh.c.spec.b;
  OK(old.k.context, hymg_operator_set(old.k.op, &d));
  OK(old.k.context, hymg_solver_update(old.k.solver));
  trial_solve(&old, got);
  trial_solve(&fresh, want);
  ck_assert_msg(support_same_bits(old.cells, got, want), "%s", old.c.name);
  free(got);
  free(want);
  trial_close(&old);
  trial_close(&fresh);
}
END_TEST

/* ---- the levels ---- */

/* Random cells of a level in double, and the same in single precision. */
static double *load(const trial *t, int l, unsigned seed, hymgi_level *single, double *of_single)
{
  const hymgi_level *level = t->k.solver->h.level + l;
  const size_t size = (size_t)level->vector_size;
  double *x = calloc(size, sizeof *x), *cells = support_random(size, -1.0, 1.0, seed);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const ptrdiff_t at = hymgi_at(g, i, j, k);
          x[at] = cells[at];
        }
  single->backend->conversions->narrow(single, level, 1, x, of_single);
  free(cells);
  return x;
}

/* scale: of what was subtracted from each other */
static void compare(const trial *t, const char *what, int l, double scale, const void *single,
                    const double *want)
{
  const hymgi_hierarchy *h = &t->k.solver->h;
  const hymgi_level *level = h->level + l, *s = h->singles.level + l;
  double *got = support_poison((size_t)level->vector_size), largest = 0, worst = 0;
  s->backend->conversions->widen(s, level, 1, single, false, got);
  for (const hymgi_geom *g = level->box; g < level->box + level->num_boxes; g++)
    for (int k = 0; k < g->n[2]; k++)
      for (int j = 0; j < g->n[1]; j++)
        for (int i = 0; i < g->n[0]; i++) {
          const ptrdiff_t at = hymgi_at(g, i, j, k);
          const double difference = fabs(got[at] - want[at]);
          worst = difference > worst || difference != difference ? difference : worst;
          largest = fmax(largest, fabs(want[at]));
        }
  ck_assert_msg(largest > 0 && worst <= 1e-6 * fmax(largest, scale),
                "%s: %s differs by %.3g of %.3g", t->c.name, what, worst, largest);
  free(got);
}

static void poison(hymgi_level *s, double *x)
{
  if (x) memset(x, 0xff, (size_t)s->vector_size * sizeof *x);
}

/* A smoother call with restriction, and an interpolation, in both precisions; the level's second
 * buffer and the coarse right-hand side begin as NaN. The operator's scale is 1 here. */
START_TEST(steps_of_a_cycle_are_those_of_double_within_rounding)
{
  trial t = case_of(_i, HYMG_MIXED);
  t.c.spec.b = 1e-3 / 3, t.threads = 2;
  trial_open(&t);
  hymgi_hierarchy *h = &t.k.solver->h;
  ck_assert_int_ge(h->singles.count, 1);
  h->singles.scale = 1;
  h->largest = 0.75; /* its exponent is 0 */
  OK(t.k.context, hymgi_singles_fill(h));
  hymgi_level *level = h->level, *coarse = level + 1, *s = h->singles.level, *below = s + 1;
  double *x = level->x = load(&t, 0, 1, s, s->x), *f = level->f = load(&t, 0, 2, s, s->f);
  poison(s, s->y), poison(below, below->f);
  hymgi_smooth_restrict(level, coarse, false);
  hymgi_smooth_restrict(s, below, false);
  compare(&t, "smoothed", 0, 0, s->x, level->x);
  compare(&t, "restricted", 1, 1, below->f, coarse->f);
  double *z = load(&t, 1, 3, below, below->x), *own = coarse->x;
  coarse->x = z;
  hymgi_interpolate_smooth(coarse, level);
  hymgi_interpolate_smooth(below, s);
  compare(&t, "interpolated", 0, 0, s->x, level->x);
  coarse->x = own;
  free(x);
  free(f);
  free(z);
  trial_close(&t);
}
END_TEST

START_TEST(the_need_tells_of_both_precisions)
{
  trial t = case_of(_i, HYMG_MIXED);
  hymg_need mixed, plain;
  hymg_options o = t.o;
  o.backend = HYMG_BACKEND_HOST;
  trial_open(&t);
  const hymgi_hierarchy *h = &t.k.solver->h;
  OK(t.k.context, hymg_solver_need(t.k.grid, &t.k.desc, 0, &o, &mixed));
  o.precision = HYMG_DOUBLE;
  OK(t.k.context, hymg_solver_need(t.k.grid, &t.k.desc, 0, &o, &plain));
  for (int l = 0; l < h->num_levels; l++) {
    const hymg_level_need *a = mixed.level + l, *b = plain.level + l;
    const double more =
        a->vectors + a->coefficients + a->buffers - (b->vectors + b->coefficients + b->buffers);
    const double taken = l <= h->singles.count
                             ? 8. * ((double)h->singles.level[l].arena_doubles - 2 * 9 * HYMGI_LINE)
                             : 0;
    /* the estimate has FV4's ghosts on all levels, the robust path only on the finest */
    const bool fewer = (cases[_i].kind & (FV4 | STANDARD)) == FV4 && l > 0;
    ck_assert_msg(more == taken || (fewer && more > taken),
                  "%s: level %d: %.0f bytes told, %.0f taken", t.c.name, l, more, taken);
  }
  trial_close(&t);
}
END_TEST

/* ---- when ---- */

/* Below what floats hold beside the largest coefficient: beta falls by a factor of 10 every 0.6 cells
 * (standard path) or in one step. */
START_TEST(coefficients_too_far_apart_for_floats_are_solved_in_double)
{
  trial t = trial_of((const int[3]){36, 32, 32}, "dd dd dd", 0);
  t.o.path = _i < 2 ? HYMG_PATH_STANDARD : HYMG_PATH_ROBUST;
  t.o.method = _i == 1 ? HYMG_MGPCG : HYMG_MG, t.o.cycle = HYMG_CYCLE_V;
  t.o.precision = HYMG_MIXED, t.o.max_cycles = 60, t.o.rtol = 1e-8;
  t.o.tuning = HYMG_TUNE_ESTIMATE;
  double *beta = support_poison(t.cells);
  for (size_t m = 0; m < t.cells; m++) {
    const int i = (int)(m % 36);
    beta[m] = pow(10, _i < 2 ? -1.6 * i : i < 18 ? 0 : -60);
  }
  trial_set_beta(&t, beta);
  for (size_t m = 0; m < t.cells; m++)
    t.f[m] *= beta[m];
  const hymg_result r = trial_solve(&t, NULL);
  ck_assert_msg(r.precision == HYMG_DOUBLE && strstr(r.note, "was not finite"), "%s", r.note);
  t.o.precision = HYMG_DOUBLE;
  trial_close(&t);
  ck_assert_msg(r.reason != HYMG_REASON_NOT_FINITE, "not finite");
  free(beta);
}
END_TEST

START_TEST(few_cells_and_fmg_are_double_unless_asked)
{
  trial t = trial_of((const int[3]){32, 32, 32}, "dd dd dd", 0);
  t.o.precision = HYMG_MIXED;
  hymg_result r = trial_solve(&t, NULL);
  ck_assert_int_eq(r.precision, HYMG_DOUBLE);
  ck_assert_msg(strstr(r.note, "no level of more than 32768 cells"), "%s", r.note);
  trial_close(&t);
  for (int m = 0; m < 3; m++) { /* auto from 10^6 cells on; the solver is not built */
    const bool mg = m < 2;
    t = trial_of((const int[3]){8, 8, 8}, "dd dd dd", 0);
    t.o = hymg_options_default();
    t.o.method = mg ? HYMG_MG : HYMG_FMG;
    trial_open(&t);
    hymg_grid grid = *t.k.grid;
    hymg_operator op = *t.k.op;
    hymgi_hierarchy *h = calloc(1, sizeof *h);
    grid.desc.n[0] = grid.desc.n[1] = 100, grid.desc.n[2] = m ? 100 : 99;
    op.grid = &grid;
    hymgi_hierarchy_init(h, &op, &t.o);
    ck_assert_int_eq(h->mixed, m == 1);
    free(h);
    trial_close(&t);
  }
  t = trial_of((const int[3]){40, 32, 32}, "dd dd dd", 0);
  t.o = hymg_options_default();
  t.o.precision = HYMG_MIXED, t.o.path = HYMG_PATH_STANDARD;
  r = trial_solve(&t, NULL);
  ck_assert(r.precision == HYMG_MIXED && r.cycles == 1 && r.converged);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("mixed precision");
  TCase *t = tcase_create("solves");
  tcase_set_timeout(t, 100);
  const int count = number_of_cases();
  tcase_add_loop_test(t, as_many_cycles_as_in_double, 0, count);
  tcase_add_loop_test(t, the_same_bits_on_any_threads_and_boxes, 0, count);
  tcase_add_loop_test(t, an_update_gives_the_bits_of_a_fresh_solver, 0, (count + 1) / 2);
  tcase_add_loop_test(t, the_need_tells_of_both_precisions, 0, count);
  tcase_add_loop_test(t, coefficients_too_far_apart_for_floats_are_solved_in_double, 0, 3);
  tcase_add_test(t, few_cells_and_fmg_are_double_unless_asked);
  suite_add_tcase(suite, t);
  t = tcase_create("steps"); /* reads and writes the levels' vectors itself: the host's alone */
  tcase_set_timeout(t, 100);
  tcase_add_loop_test(t, steps_of_a_cycle_are_those_of_double_within_rounding, 0, count);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
