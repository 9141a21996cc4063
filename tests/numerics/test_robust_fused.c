/* The fused forms of the robust path on the host give the bits of the plain ones: smoother, residual and
 * transfers as a wavefront; sums in the passes that make their terms; shares of all axes at once. */
#include "api/solver.h"
#include "base/exact_sum.h"
#include "formulas/conductance.h"
#include "multigrid/level_ops.h"
#include "oracle/trial.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int shapes[][3] = {{16, 12, 10}, {33, 20, 12}, {9, 7, 5},   {8, 1, 30}, {24, 150, 6},
                                {64, 64, 64}, {20, 41, 17}, {1, 13, 40}, {2, 2, 2},  {12, 131, 20}};
static const char *const boundaries[] = {"dd dd dd", "nn dd dn", "pp dd dd", "dd pp nd"};
enum { NUM_SHAPES = sizeof shapes / sizeof *shapes, NUM_BOUNDARIES = 4, VECTORS = 6 };

/* ---- vectors of a level ---- */

typedef struct bench {
  trial t;
  hymgi_level *level, *coarse;
  double *v[VECTORS]; /* of the level */
  double *c[3];       /* of the coarse one */
} bench;

static double *vector(const hymgi_level *level)
{
  double *v = calloc((size_t)level->vector_size + 1, sizeof *v);
  ck_assert_ptr_nonnull(v);
  return v;
}

/* Runs the statement for every cell `at` of the level. */
#define FOR_CELLS(level, at, statement)                                                            \
  for (const hymgi_geom *g = (level)->box; g < (level)->box + (level)->num_boxes; g++)             \
    for (int k = 0; k < g->n[2]; k++)                                                              \
      for (int j = 0; j < g->n[1]; j++)                                                            \
        for (int i = 0; i < g->n[0]; i++) {                                                        \
          const ptrdiff_t at = hymgi_at(g, i, j, k);                                               \
          statement;                                                                               \
        }

static void randomize(const hymgi_level *level, double *v, unsigned seed)
{
  double *random = support_random((size_t)level->cells, -1, 1, seed);
  size_t next = 0;
  FOR_CELLS(level, at, v[at] = random[next++])
  free(random);
}

static void poison(const hymgi_level *level, double *v)
{
  FOR_CELLS(level, at, v[at] = NAN)
}

static void copy(const hymgi_level *level, const double *from, double *to)
{
  memcpy(to, from, (size_t)level->vector_size * sizeof *to);
}

static void assert_same(const bench *b, const hymgi_level *level, const double *want,
                        const double *got, const char *what)
{
  size_t wrong = 0;
  FOR_CELLS(level, at, wrong += !(want[at] == got[at]))
  ck_assert_msg(wrong == 0, "%s, %s: %zu of %lld cells of level %d differ", what, b->t.c.name,
                wrong, (long long)level->cells, level->index);
}

static trial open_trial(int number)
{
  const int shape = number % NUM_SHAPES, kind = number / NUM_SHAPES;
  trial t = trial_of(shapes[shape], boundaries[(shape + kind) % NUM_BOUNDARIES],
                     TRIAL_JUMPS | (kind % 2 ? TRIAL_ALPHA : TRIAL_WIDTHS));
  t.threads = 1 + number % 3;
  if (number % 5 == 4) t.o.transfer = HYMG_TRANSFER_CONSTANT;
  trial_open(&t);
  return t;
}

static bench bench_of(trial t, int l)
{
  bench b = {.t = t, .level = t.k.solver->h.level + l, .coarse = t.k.solver->h.level + l + 1};
  for (int m = 0; m < VECTORS; m++) {
    b.v[m] = vector(b.level);
    randomize(b.level, b.v[m], 10u * (unsigned)l + (unsigned)m);
  }
  for (int m = 0; m < 3; m++) {
    b.c[m] = vector(b.coarse);
    randomize(b.coarse, b.c[m], 77u + (unsigned)m);
  }
  return b;
}

static void free_bench(bench *b)
{
  for (int m = 0; m < VECTORS; m++)
    free(b->v[m]);
  for (int m = 0; m < 3; m++)
    free(b->c[m]);
}

/* ---- cycles ---- */

enum { F, X, Y, X_FUSED, Y_FUSED };

static hymgi_after after_smoothing(const hymgi_level *level)
{
  return hymgi_keeps_colours_apart(level) ? HYMGI_AFTER_GSRB : HYMGI_AFTER_ANY;
}

static void plain_restrict(bench *b, bool from_zero, double *coarse)
{
  hymgi_level *l = b->level;
  const hymgi_robust_ops *ops = l->backend->robust;
  l->f = b->v[F], l->x = b->v[X], l->y = b->v[Y];
  if (from_zero) l->backend->fill(l, 0, l->x);
  l->backend->smooth(l);
  if (after_smoothing(l) == HYMGI_AFTER_GSRB)
    ops->residual_red(l, l->f, l->x, l->y);
  else
    l->backend->residual(l, l->f, l->x, l->y);
  hymgi_run_plan(l, hymgi_operator_halo(l), l->box, l->y, l->box, l->y);
  ops->restrict_weighted(l, l->y, after_smoothing(l), coarse);
}

/* The halo decides whether there is a fused form. */
static void check_restrict(bench *b, bool from_zero)
{
  hymgi_level *l = b->level;
  copy(l, b->v[X], b->v[X_FUSED]);
  plain_restrict(b, from_zero, b->c[0]);
  l->x = b->v[X_FUSED], l->y = b->v[Y_FUSED];
  if (from_zero) poison(l, l->x);
  poison(l, l->y);
  poison(b->coarse, b->c[1]);
  const bool fused = l->backend->robust->smooth_restrict(l, from_zero, after_smoothing(l), b->c[1]);
  if (hymgi_operator_halo(l)) ck_assert(!fused);
  if (l->context->threads == 1 && !hymgi_operator_halo(l)) ck_assert(fused);
  if (!fused) return;
  assert_same(b, l, b->v[X], b->v[X_FUSED], "x before the coarse correction");
  assert_same(b, b->coarse, b->c[0], b->c[1], "the restricted residual");
}

static void check_interpolate(bench *b)
{
  hymgi_level *l = b->level;
  const hymgi_robust_ops *ops = l->backend->robust;
  hymgi_run_plan(b->coarse, hymgi_operator_halo(b->coarse), b->coarse->box, b->c[2], b->coarse->box,
                 b->c[2]);
  double *const start = b->v[5];
  randomize(l, start, 5);
  copy(l, start, b->v[X]);
  l->f = b->v[F], l->x = b->v[X];
  ops->interpolate_weighted(l, b->c[2], false, l->x);
  hymgi_smooth_transposed(l);
  for (int form = 0; form < 2; form++) {
    copy(l, start, b->v[X_FUSED]);
    l->x = b->v[X_FUSED];
    if (form == 1 && !ops->interpolate_smooth(l, b->c[2])) continue;
    if (form == 0) ops->interpolate_weighted(l, b->c[2], true, l->x);
    if (form == 0) hymgi_smooth_transposed(l);
    assert_same(b, l, b->v[X], l->x, form ? "fused with the smoother" : "only what is smoothed");
  }
}

START_TEST(wavefronts_of_a_cycle_give_the_bits_of_passes)
{
  trial t = open_trial(_i);
  hymgi_hierarchy *h = &t.k.solver->h;
  for (int l = 0; l + 1 < h->num_levels; l++) {
    const hymgi_level before = h->level[l];
    bench b = bench_of(t, l);
    check_restrict(&b, true);
    check_restrict(&b, false);
    check_interpolate(&b);
    h->level[l].x = before.x, h->level[l].y = before.y, h->level[l].f = before.f;
    free_bench(&b);
  }
  trial_close(&t);
}
END_TEST

/* ---- sums ---- */

START_TEST(sums_in_a_pass_are_those_of_two)
{
  trial t = open_trial(_i);
  bench b = bench_of(t, 0);
  hymgi_level *l = b.level;
  const hymgi_robust_ops *ops = l->backend->robust;
  const int bits = hymgi_sum_bits(l->cells);
  for (int exponent = -2; exponent < 40; exponent += 20) { /* -2: most terms are not below 2^-2 */
    int64_t want[HYMGI_SUM_RESULT], got[HYMGI_SUM_RESULT];
    l->backend->apply(l, b.v[0], b.v[1]);
    l->backend->sum(l, b.v[2], b.v[1], exponent, bits, want);
    poison(l, b.v[3]);
    ops->apply_sum(l, b.v[0], b.v[3], b.v[2], exponent, bits, got);
    assert_same(&b, l, b.v[1], b.v[3], "A x");
    ck_assert_mem_eq(want, got, sizeof want);
    for (int largest = 0; largest < 2; largest++) {
      copy(l, b.v[4], b.v[1]), copy(l, b.v[5], b.v[3]);
      l->backend->axpby(l, 0.3, b.v[0], 1, b.v[1], b.v[1]);
      l->backend->axpby(l, -0.3, b.v[2], 1, b.v[3], b.v[3]);
      l->backend->sum(l, b.v[3], b.v[3], exponent, bits, want);
      const double max = l->backend->max(l, b.v[3], NULL);
      const double found = ops->advance(l, 0.3, b.v[0], b.v[2], b.v[4], b.v[5], exponent, bits,
                                        largest ? NULL : got);
      assert_same(&b, l, b.v[1], b.v[4], "u");
      assert_same(&b, l, b.v[3], b.v[5], "r");
      if (largest)
        ck_assert(found == max && max > 0);
      else
        ck_assert_mem_eq(want, got, sizeof want);
    }
  }
  free_bench(&b);
  trial_close(&t);
}
END_TEST

/* ---- set-up ---- */

START_TEST(shares_and_steps_are_those_of_single_cells)
{
  trial t = open_trial(_i);
  hymgi_hierarchy *h = &t.k.solver->h;
  for (int m = 0; m < h->num_levels; m++) {
    const hymgi_level *l = h->level + m;
    const hymgi_conductances c = hymgi_conductances_of(l);
    double mean[3], *share = vector(l), step = 1;
    hymgi_share_means(l, mean);
    for (int axis = 0; axis < 3; axis++) {
      l->backend->robust->shares(l, axis, share);
      const double want = l->n[axis] > 1 ? hymgi_mean(l, share) : 0; /* on another scale */
      ck_assert_msg(fabs(mean[axis] - want) <= 4 * DBL_EPSILON * want,
                    "%s, level %d, share along %c: %.17g, %.17g", t.c.name, m, "xyz"[axis],
                    mean[axis], want);
      FOR_CELLS(l, at, step = fmax(step, hymgi_step(&c, g, axis, i, j, k)); (void)at)
    }
    ck_assert(l->backend->robust->largest_step(l) == step);
    free(share);
  }
  trial_close(&t);
}
END_TEST

/* Weights and coarse conductances, from the formulas for one cell. */
START_TEST(weights_and_coarse_conductances_are_those_of_single_cells)
{
  trial t = open_trial(_i);
  hymgi_hierarchy *h = &t.k.solver->h;
  for (int m = 0; m + 1 < h->num_levels; m++) {
    const hymgi_level *l = h->level + m, *coarse = l + 1;
    const hymgi_conductances c = hymgi_conductances_of(l);
    double *r = vector(l);
    for (int axis = 0; axis < 3; axis++) {
      size_t wrong = 0;
      if (l->weight[axis]) {
        FOR_CELLS(l, at, r[at] = hymgi_cell_resistance(&c, g, axis, l->axis[axis].part, i, j, k))
        hymgi_run_plan(l, hymgi_operator_halo(l), l->box, r, l->box, r);
        FOR_CELLS(l, at, wrong += l->weight[axis][at] != hymgi_cell_weight(&c, g, axis, r, i, j, k))
      }
      ck_assert_msg(wrong == 0, "%s: %zu weights along %c of level %d", t.c.name, wrong,
                    "xyz"[axis], m);
      const bool itself = coarse->periodic >> axis & 1 && coarse->n[axis] == 1; /* no flux */
      if (!itself)
        FOR_CELLS(coarse, at, {
          const int index = g->low[axis] + hymgi_index_along(axis, i, j, k);
          const double sum =
              hymgi_sum_of_children(l->coarsened, l->box, axis, 0, l->c.beta[axis], i, j, k);
          wrong += coarse->c.beta[axis][at] != l->axis[axis].closer[index] * sum;
        })
      ck_assert_msg(wrong == 0, "%s: %zu conductances along %c below level %d", t.c.name, wrong,
                    "xyz"[axis], m);
    }
    free(r);
  }
  trial_close(&t);
}
END_TEST

int main(void)
{
  const int all = NUM_SHAPES * (support_small() ? 1 : NUM_BOUNDARIES);
  Suite *suite = suite_create("robust, fused");
  TCase *t = tcase_create("robust, fused");
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, wavefronts_of_a_cycle_give_the_bits_of_passes, 0, all);
  tcase_add_loop_test(t, sums_in_a_pass_are_those_of_two, 0, all);
  tcase_add_loop_test(t, shares_and_steps_are_those_of_single_cells, 0, all);
  tcase_add_loop_test(t, weights_and_coarse_conductances_are_those_of_single_cells, 0, all);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
