/* All schedules of the smoother on the host (plain rows, split rows, z wavefronts of any depth and
 * tile size, with restriction, interpolation and the norm of the residual as stages) give the same bits, also on
 * odd sides. Whatever is no cell is NaN before. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/solver.h"

typedef struct problem {
  int n[3];
  hymg_stencil stencil;
  hymg_smoother smoother;
  bool variable, helmholtz;
  unsigned periodic; /* bit per axis; else Dirichlet */
  int path; /* hymg_path; STANDARD: with the smoother on the coarsest level, FV4's only one */
} problem;

static double noise(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (double)(1u << 24);
}

static void randomize(hymg_field *field, const int count[3], double low, double width,
                      unsigned seed)
{
  const int origin[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, count[0], (ptrdiff_t)count[0] * count[1]};
  double *data = malloc((size_t)count[0] * (size_t)count[1] * (size_t)count[2] * sizeof *data);
  ck_assert_ptr_nonnull(data);
  for (ptrdiff_t m = 0; m < stride[2] * count[2]; m++)
    data[m] = low + width * noise(&seed);
  ck_assert_int_eq(hymg_field_write(field, origin, count, stride, data, HYMG_HOST), HYMG_OK);
  free(data);
}

static int64_t count_residuals(hymg_solver *solver, const hymg_field *f, hymg_field *u)
{
  hymg_result result;
  int64_t calls = 0;
  hymg_solver_profile(solver, true);
  ck_assert_int_eq(hymg_solve(solver, f, u, &result), HYMG_OK);
  for (int m = 0; m < hymg_solver_profile_rows(solver); m++) {
    hymg_profile_row row;
    ck_assert_int_eq(hymg_solver_profile_row(solver, m, &row), HYMG_OK);
    if (row.level == 0 && strcmp(row.operation, "residual") == 0) calls += row.calls;
  }
  return calls;
}

/* What is no cell of x, y and f is NaN, and 0 in cells. */
static void poison(hymg_solver *solver)
{
  for (int l = 0; l < solver->h.num_levels; l++) {
    const hymgi_level *level = solver->h.level + l;
    double *const vector[] = {level->x, level->y, level->f};
    const hymgi_geom *g = level->box;
    ck_assert_int_eq(level->num_boxes, 1);
    for (int v = 0; v < 3; v++) {
      for (ptrdiff_t m = 0; vector[v] && m < level->vector_size; m++)
        vector[v][m] = (double)NAN;
      for (int k = 0; vector[v] && k < g->n[2]; k++)
        for (int j = 0; j < g->n[1]; j++)
          for (int i = 0; i < g->n[0]; i++)
            vector[v][hymgi_at(g, i, j, k)] = 0;
    }
  }
}

enum { CYCLES = 2, NORMS = CYCLES + 1 };

enum { AUTO = HYMG_PATH_AUTO, ROBUST = HYMG_PATH_ROBUST, STANDARD = HYMG_PATH_STANDARD };
static const problem problems[] = {
    {{24, 96, 24}, HYMG_FV2, HYMG_GSRB, true, false, 0, AUTO},
    {{16, 80, 40}, HYMG_FV2, HYMG_GSRB, false, true, 0, AUTO},
    {{24, 96, 24}, HYMG_FV4, HYMG_GSRB, true, false, 0, AUTO},
    {{32, 120, 16}, HYMG_FV4, HYMG_GSRB, false, true, 0, AUTO},
    {{24, 72, 24}, HYMG_FV2, HYMG_CHEBYSHEV, true, true, 0, AUTO},
    {{16, 96, 40}, HYMG_FV4, HYMG_CHEBYSHEV, true, false, 0, AUTO},
    {{24, 72, 24}, HYMG_FV2, HYMG_L1JACOBI, false, false, 0, AUTO},
    {{20, 96, 24}, HYMG_FV4, HYMG_JACOBI, true, true, 0, AUTO},
    {{24, 72, 24}, HYMG_FV2, HYMG_GSRB, true, true, 7, AUTO},
    {{16, 80, 40}, HYMG_FV2, HYMG_GSRB, false, true, 4, AUTO},
    {{12, 96, 28}, HYMG_FV2, HYMG_GSRB, true, true, 2, AUTO},
    {{40, 64, 24}, HYMG_FV2, HYMG_GSRB, true, true, 5, AUTO},
    {{24, 72, 24}, HYMG_FV4, HYMG_GSRB, true, true, 7, AUTO},
    {{24, 72, 24}, HYMG_FV2, HYMG_CHEBYSHEV, true, true, 3, AUTO},
    {{28, 64, 40}, HYMG_FV4, HYMG_GSRB, true, true, 1, AUTO},
    {{24, 64, 40}, HYMG_FV4, HYMG_GSRB, false, true, 4, AUTO},
    {{20, 96, 24}, HYMG_FV4, HYMG_CHEBYSHEV, true, true, 6, AUTO},
    {{24, 72, 24}, HYMG_FV2, HYMG_L1JACOBI, true, true, 7, AUTO},
    {{25, 97, 23}, HYMG_FV2, HYMG_GSRB, true, false, 0, STANDARD},
    {{23, 73, 41}, HYMG_FV2, HYMG_GSRB, false, true, 0, STANDARD},
    {{27, 72, 25}, HYMG_FV2, HYMG_GSRB, true, true, 2, STANDARD},
    {{25, 73, 24}, HYMG_FV2, HYMG_GSRB, true, true, 1, STANDARD},
    {{25, 73, 25}, HYMG_FV2, HYMG_GSRB, true, true, 6, STANDARD},
    {{25, 73, 23}, HYMG_FV2, HYMG_CHEBYSHEV, true, true, 0, STANDARD},
    {{11, 9, 5}, HYMG_FV2, HYMG_GSRB, false, true, 0, STANDARD},
    {{23, 97, 25}, HYMG_FV2, HYMG_GSRB, true, false, 0, ROBUST},
    {{25, 73, 27}, HYMG_FV2, HYMG_GSRB, true, true, 3, ROBUST},
    {{11, 53, 13}, HYMG_FV4, HYMG_GSRB, true, false, 0, STANDARD},
    {{13, 31, 15}, HYMG_FV4, HYMG_GSRB, false, true, 0, STANDARD},
    {{11, 47, 15}, HYMG_FV4, HYMG_GSRB, true, true, 1, STANDARD}};

/* u after an F- and a V-cycle, then max |f| and max |residual| after each; malloc'ed. residuals: NULL, or
 * the passes over level 0 for residuals alone in another such solve. */
static double *solve(const problem *p, int threads, const hymgi_tuning *tuning, int64_t *residuals)
{
  hymg_context_options co = hymg_context_options_default();
  co.threads = threads;
  hymg_context *context = NULL;
  hymg_grid *grid = NULL;
  hymg_field *beta[3] = {NULL}, *f = NULL, *u = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  ck_assert_int_eq(hymg_context_create(&co, &context), HYMG_OK);
  hymg_grid_desc gd = hymg_grid_desc_default();
  memcpy(gd.n, p->n, sizeof gd.n);
  for (int axis = 0; axis < 3; axis++)
    gd.spacing[axis] = 1. / p->n[axis];
  for (int face = 0; face < 6; face++)
    if (p->periodic >> face / 2 & 1) gd.boundary[face] = HYMG_PERIODIC;
  ck_assert_int_eq(hymg_grid_create(context, &gd, &grid), HYMG_OK);
  hymg_operator_desc od = hymg_operator_desc_default();
  od.stencil = p->stencil;
  od.a = p->helmholtz ? 3 : 0;
  for (int axis = 0; p->variable && axis < 3; axis++) {
    int count[3] = {p->n[0], p->n[1], p->n[2]};
    count[axis]++;
    ck_assert_int_eq(hymg_field_create(grid, NULL, (hymg_centering)(HYMG_FACE_X + axis),
                                       HYMG_DOUBLE, &beta[axis]),
                     HYMG_OK);
    /* FV4 is no M-matrix: it wants smooth betas */
    randomize(beta[axis], count, 1, p->stencil == HYMG_FV4 ? 0.05 : 1.5, 7u + (unsigned)axis);
    od.beta[axis] = beta[axis];
  }
  ck_assert_int_eq(hymg_operator_create(grid, &od, &op), HYMG_OK);
  hymg_options so = hymg_options_default();
  so.method = HYMG_MG;
  so.smoother = p->smoother;
  so.backend = HYMG_BACKEND_HOST;
  so.max_cycles = CYCLES;
  so.path = (hymg_path)p->path;
  if (p->path == STANDARD) so.bottom = HYMG_BOTTOM_SMOOTHER;
  ck_assert_int_eq(hymgi_solver_create_tuned(op, &so, tuning, &solver), HYMG_OK);
  ck_assert_int_eq(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &f), HYMG_OK);
  ck_assert_int_eq(hymg_field_create(grid, solver, HYMG_CELL, HYMG_DOUBLE, &u), HYMG_OK);
  if (p->path != ROBUST) poison(solver); /* whose coarse ghosts beyond boundaries are 0 */
  randomize(f, p->n, -0.5, 1, 3);
  hymg_result result;
  ck_assert_int_eq(hymg_solve(solver, f, u, &result), HYMG_OK);
  ck_assert(isfinite(result.history[1].residual_max));
  ck_assert(result.history[1].residual_max < result.rhs_max);
  const int origin[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, p->n[0], (ptrdiff_t)p->n[0] * p->n[1]};
  const size_t cells = (size_t)hymg_grid_cells(grid);
  double *out = calloc(cells + NORMS, sizeof *out);
  ck_assert_ptr_nonnull(out);
  ck_assert_int_eq(hymg_field_read(u, origin, p->n, stride, out, HYMG_HOST), HYMG_OK);
  out[cells] = result.rhs_max;
  for (int m = 0; m < CYCLES; m++)
    out[cells + 1 + (size_t)m] = result.history[m].residual_max;
  if (residuals) *residuals = count_residuals(solver, f, u);
  hymg_field_destroy(&u);
  hymg_field_destroy(&f);
  hymg_solver_destroy(&solver);
  hymg_operator_destroy(&op);
  for (int axis = 0; axis < 3; axis++)
    hymg_field_destroy(&beta[axis]);
  hymg_grid_destroy(&grid);
  hymg_context_destroy(&context);
  return out;
}

static void compare(const problem *p, const double *expected, int threads, const hymgi_tuning *t)
{
  double *u = solve(p, threads, t, NULL);
  const size_t cells = (size_t)p->n[0] * (size_t)p->n[1] * (size_t)p->n[2];
  size_t wrong = 0;
  ck_assert_msg(
      memcmp(u + cells, expected + cells, NORMS * sizeof *u) == 0,
      "norms differ: %g %g %g, expected %g %g %g; %d threads, waves of %d stages, %d rows",
      u[cells], u[cells + 1], u[cells + 2], expected[cells], expected[cells + 1],
      expected[cells + 2], threads, t->wave_stages, t->wave_rows);
  for (size_t m = 0; m < cells; m++)
    wrong += memcmp(u + m, expected + m, sizeof *u) != 0;
  free(u);
  ck_assert_msg(wrong == 0,
                "%zu of %zu cells differ: %d x %d x %d, stencil %d, smoother %d, variable %d, "
                "helmholtz %d, %d threads, "
                "split from %d, waves of %d stages and %d rows, restriction fused %d",
                wrong, cells, p->n[0], p->n[1], p->n[2], (int)p->stencil, (int)p->smoother,
                p->variable, p->helmholtz, threads, t->split_from, t->wave_stages, t->wave_rows,
                t->wave_restrict);
}

/* Against plain rows in six passes on one thread. A problem takes each number of stages and of rows once; the next four
 * problems take the other pairs. */
static void compare_tunings(const problem *p)
{
  const bool small = getenv("HYMG_TEST_SMALL") != NULL;
  const hymgi_tuning plain = {.split_from = 1 << 20};
  double *expected = solve(p, 1, &plain, NULL);
  hymgi_tuning t = {.split_from = 4};
  compare(p, expected, 2, &t);
  static const int stages[] = {6, 2, 3, 1, 4}, rows[] = {0, 32, 16, 24, 64};
  t.wave_from = 8;
  for (int s = 0; s < (small ? 1 : 5); s++)
    for (int r = 0; r < (small ? 2 : 5); r++) {
      if ((s + 2 * r + (int)(p - problems)) % 5 && !small) continue;
      t.wave_stages = stages[s];
      t.wave_rows = rows[r];
      t.wave_restrict = r % 2 == 0;
      compare(p, expected, 1 + (s + r) % 3, &t);
    }
  free(expected);
}

START_TEST(every_tuning_gives_the_same_bits)
{
  compare_tunings(problems + _i);
}
END_TEST

/* Wavefronts run: the norm is one of their stages. */
START_TEST(the_norm_comes_with_the_last_sweeps)
{
  static const int waves[] = {0, 2, 8, 9, 10, 11, 12, 13, 14, 17, 18, 20};
  const problem *p = problems + waves[_i];
  const hymgi_tuning split = {.split_from = 4},
                     wave = {
                         .split_from = 4, .wave_from = 8, .wave_stages = 3, .wave_restrict = true};
  int64_t passes = -1;
  free(solve(p, 2, &split, &passes));
  ck_assert_int_eq(passes, p->n[0] % 2 ? 2 * CYCLES : CYCLES); /* odd: for the restriction, too */
  free(solve(p, 2, &wave, &passes));
  ck_assert_int_eq(passes, 0);
}
END_TEST

/* The schedule that is not measured: 64^3 cells are enough for FV2 on one thread alone. */
START_TEST(one_thread_has_wavefronts_on_smaller_levels)
{
  const hymgi_tuning from_96 = {.split_from = 4, .wave_from = 96, .wave_stages = 6};
  problem p = {{64, 64, 64}, HYMG_FV2, HYMG_GSRB, true, false, 0, AUTO};
  int64_t passes = -1;
  double *one = solve(&p, 1, &from_96, &passes);
  ck_assert_int_eq(passes, 0);
  compare(&p, one, 2, &from_96);
  free(one);
  free(solve(&p, 2, &from_96, &passes));
  ck_assert_int_eq(passes, CYCLES);
  p.n[2] = 48;
  free(solve(&p, 1, &from_96, &passes));
  ck_assert_int_eq(passes, CYCLES);
  p.n[2] = 64, p.stencil = HYMG_FV4;
  free(solve(&p, 1, &from_96, &passes));
  ck_assert_int_eq(passes, CYCLES);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("wave");
  TCase *cases = tcase_create("tunings");
  const int count = getenv("HYMG_TEST_SMALL") ? 1 : (int)(sizeof problems / sizeof problems[0]);
  tcase_set_timeout(cases, 100);
  tcase_add_loop_test(cases, every_tuning_gives_the_same_bits, 0, count);
  tcase_add_loop_test(cases, the_norm_comes_with_the_last_sweeps, 0, 12);
  tcase_add_test(cases, one_thread_has_wavefronts_on_smaller_levels);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
