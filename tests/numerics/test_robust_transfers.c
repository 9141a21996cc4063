/* The transfers of the robust path as matrices, against the oracle's, for every choice of axes; and
 * AUTO, which goes over from the weighted transfer to the tensor one, or to pairs. */
#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "oracle/robust.h"
#include "oracle/trial.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- as matrices ---- */

/* The places in a vector of a level of a single box. */
static ptrdiff_t *places(const hymgi_level *level)
{
  const hymgi_geom *g = level->box;
  ptrdiff_t *at = malloc((size_t)level->cells * sizeof *at), *next = at;
  ck_assert_ptr_nonnull(at);
  for (int k = 0; k < g->n[2]; k++)
    for (int j = 0; j < g->n[1]; j++)
      for (int i = 0; i < g->n[0]; i++)
        *next++ = hymgi_at(g, i, j, k);
  return at;
}

/* p and r: interpolation from level 1 and restriction to it, by unit vectors; a row of either for
 * each cell of level 0. */
static void matrices(trial *t, double *p, double *r)
{
  hymgi_level *fine = t->k.solver->h.level, *coarse = fine + 1;
  const size_t cells = (size_t)fine->cells, coarse_cells = (size_t)coarse->cells;
  ptrdiff_t *at = places(fine), *coarse_at = places(coarse);
  double *x;
  ck_assert(fine->direct && fine->num_boxes == 1);
  OK(t->k.context, hymgi_vector_create(fine, fine->vector_size, &x));
  fine->x = x;
  for (size_t q = 0; q < coarse_cells; q++) {
    fine->backend->clear(fine, x);
    coarse->backend->clear(coarse, coarse->x);
    coarse->x[coarse_at[q]] = 1.0;
    hymgi_interpolate(coarse, fine, false, false);
    for (size_t m = 0; m < cells; m++)
      p[m * coarse_cells + q] = x[at[m]];
  }
  for (size_t m = 0; m < cells; m++) {
    fine->backend->clear(fine, x);
    x[at[m]] = 1.0;
    hymgi_run_plan(fine, fine->halo[HYMGI_HALO_FULL], fine->box, x, fine->box, x);
    hymgi_fill(coarse, NAN, coarse->f);
    fine->transfer->restrict_weighted(fine, x, HYMGI_AFTER_ANY, coarse->f);
    for (size_t q = 0; q < coarse_cells; q++)
      r[m * coarse_cells + q] = coarse->f[coarse_at[q]];
  }
  fine->x = NULL;
  hymgi_vector_destroy(fine, fine->vector_size, &x);
  free(at);
  free(coarse_at);
}

static const char *const boundaries[] = {"dd dd dd", "pp dn pp", "nn pp nd", "pp pp pp"};
static const hymg_transfer transfers[] = {HYMG_TRANSFER_WEIGHTED, HYMG_TRANSFER_TENSOR};

/* Cells are `far` times as wide along the axes that are not of the mask. */
static trial trial_halving(unsigned mask, const int n[3], const char *boundary, unsigned kind,
                           double far, hymg_transfer transfer)
{
  trial t = trial_of(n, boundary, kind);
  t.o.transfer = transfer;
  for (int d = 0; d < 3; d++) {
    const double scale = mask >> d & 1 ? 1.0 : far;
    t.c.spec.h[d] = scale;
    for (int i = 0; t.widths[d] && i < n[d]; i++)
      t.widths[d][i] *= scale;
  }
  return t;
}

/* _i: boundaries, kinds of coefficients, transfers; every mask of axes. */
START_TEST(transfers_are_the_formulas_and_each_other_s_transpose)
{
  static const unsigned kinds[2] = {0, TRIAL_JUMPS};
  for (unsigned mask = 1; mask < 8; mask++) {
    trial t = trial_halving(mask, (const int[3]){5, 4, 3}, boundaries[_i / 4], kinds[_i / 2 % 2],
                            1e4, transfers[_i % 2]);
    for (int d = 0; d < 3; d++) /* of unequal but similar width */
      if (_i / 8)
        t.widths[d] = support_random((size_t)t.c.spec.n[d], 0.9 * t.c.spec.h[d],
                                     1.1 * t.c.spec.h[d], 60u + (unsigned)d);
    trial_open(&t);
    robust_oracle *o = robust_create(&t.c.spec, t.widths, t.o.transfer);
    const unsigned want = o->level->coarsened, got = t.k.solver->h.level->coarsened;
    ck_assert_msg(got == want && (got == mask || _i / 2 % 2), "%s: axes %x and %x, not %x",
                  t.c.name, want, got, mask); /* jumps may prefer others */
    const size_t size = o->level[0].cells * o->level[1].cells;
    double *p = support_poison(size), *r = support_poison(size);
    matrices(&t, p, r);
    support_assert_close("interpolation", t.c.name, size, p, o->level->p, 1e-14);
    support_assert_close("restriction", t.c.name, size, r, o->level->p, 1e-14);
    free(p);
    free(r);
    robust_destroy(o);
    trial_close(&t);
  }
}
END_TEST

/* Weights are 0, 1/4 and 1/2, their products exact: so is the transpose. */
START_TEST(the_restriction_of_equal_cells_is_the_transpose_to_the_bit)
{
  for (unsigned mask = 1; mask < 8; mask++) {
    trial t =
        trial_halving(mask, (const int[3]){8, 4, 4}, boundaries[_i / 2], 0, 128, transfers[_i % 2]);
    for (int d = 0; d < 3; d++)
      t.c.spec.beta[d] = NULL;
    t.c.spec.b = t.c.spec.beta_constant = 1.0;
    trial_open(&t);
    const hymgi_level *level = t.k.solver->h.level;
    ck_assert_uint_eq(level->coarsened, mask);
    const size_t size = (size_t)(level[0].cells * level[1].cells);
    double *p = support_poison(size), *r = support_poison(size);
    matrices(&t, p, r);
    for (size_t q = 0; q < size; q++)
      ck_assert_msg(p[q] == r[q] && p[q] * 64 == floor(p[q] * 64), "%s mask %u: %.17g and %.17g",
                    t.c.name, mask, p[q], r[q]);
    free(p);
    free(r);
    trial_close(&t);
  }
}
END_TEST

/* ---- going over ---- */

static trial islands(bool quadratic, hymg_transfer transfer)
{
  trial t = trial_checkerboard((const int[3]){25, 25, 25}, 5, 1e6);
  t.o.transfer = transfer;
  if (quadratic) t.c.spec.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  return t;
}

static hymg_result assert_solved(trial *t, double *u, const char *note, bool wanted)
{
  hymg_result r = trial_solve(t, u);
  ck_assert_msg(r.converged, "%s: %s after %d: %s", t->c.name, hymg_reason_name(r.reason), r.cycles,
                r.note);
  ck_assert_msg(wanted == (strstr(r.note, note) != NULL), "%s: note: %s", t->c.name, r.note);
  return r;
}

/* Fewer iterations than the weighted transfer alone, which does not even converge where the
 * extrapolation is quadratic, and nearly as few as the tensor one. */
START_TEST(auto_goes_over_to_the_tensor_transfer_for_islands)
{
  static const char *const note = "went over to the tensor transfer after ";
  trial a = islands(_i, HYMG_TRANSFER_AUTO), w = islands(_i, HYMG_TRANSFER_WEIGHTED),
        h = islands(_i, HYMG_TRANSFER_TENSOR);
  const int automatic = assert_solved(&a, NULL, note, true).cycles,
            tensor = assert_solved(&h, NULL, note, false).cycles;
  const hymg_result weighted = trial_solve(&w, NULL);
  ck_assert_ptr_null(strstr(weighted.note, note));
  const int first = _i ? 13 : 4; /* iterations with the weighted transfer, and what they cost */
  ck_assert_msg(automatic <= weighted.cycles - 20 && automatic <= tensor + first,
                "%d iterations, weighted %d, tensor %d", automatic, weighted.cycles, tensor);
  trial_close(&a);
  trial_close(&w);
  trial_close(&h);
}
END_TEST

/* The next solve begins with it; an update forgets it. */
START_TEST(a_solver_remembers_the_better_transfer_until_it_is_updated)
{
  static const char *const note = "went over";
  trial t = islands(_i, HYMG_TRANSFER_AUTO);
  double *first = support_poison(t.cells), *u = support_poison(t.cells);
  const int cycles = assert_solved(&t, first, note, true).cycles;
  ck_assert_int_lt(assert_solved(&t, u, note, false).cycles, cycles);
  OK(t.k.context, hymg_solver_update(t.k.solver));
  ck_assert_int_eq(assert_solved(&t, u, note, true).cycles, cycles);
  ck_assert(support_same_bits(t.cells, u, first));
  free(first);
  free(u);
  trial_close(&t);
}
END_TEST

/* Random cells of high beta: the tensor transfer is no better there, pairs are. */
START_TEST(auto_goes_over_to_pairs_where_the_tensor_transfer_is_slow_too)
{
  trial t = trial_plain((const int[3]){24, 24, 24}, "dd dd dd", (const double[3]){1, 1, 1});
  double *beta = support_random(t.cells, 0, 1, 9);
  for (size_t i = 0; i < t.cells; i++)
    beta[i] = beta[i] < 0.3 ? 1e4 : 1.0;
  trial_set_beta(&t, beta);
  if (_i) t.c.spec.extrapolation = HYMG_EXTRAPOLATION_QUADRATIC;
  for (int solve = 0; solve < 2; solve++) {
    hymg_result r = trial_solve(&t, NULL);
    const bool told = strstr(r.note, "went over to the tensor transfer") &&
                      strstr(r.note, "went over to pairs") && !strstr(r.note, "went back");
    ck_assert_msg(told == (solve == 0), "solve %d: %d iterations: %s", solve, r.cycles, r.note);
    ck_assert_msg(r.converged && r.cycles < 60, "solve %d: %d iterations", solve, r.cycles);
    ck_assert(t.k.solver->h.method.transfer->pairs);
  }
  free(beta);
  trial_close(&t);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("robust transfers");
  TCase *t = tcase_create("robust transfers");
  const int cases = support_small() ? 1 : 2;
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, transfers_are_the_formulas_and_each_other_s_transpose, 0, 16);
  tcase_add_loop_test(t, the_restriction_of_equal_cells_is_the_transpose_to_the_bit, 0, 8);
  tcase_add_loop_test(t, auto_goes_over_to_the_tensor_transfer_for_islands, 0, cases);
  tcase_add_loop_test(t, a_solver_remembers_the_better_transfer_until_it_is_updated, 0, cases);
  tcase_add_loop_test(t, auto_goes_over_to_pairs_where_the_tensor_transfer_is_slow_too, 0, cases);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
