/* The checks of hymg-stencil itself: its plain loops against polynomials, whose derivatives they
 * must give exactly, and its comparison against results with known errors. */
#include "stencils/cpu/stencil.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

enum { NX = 7, NY = 5, NZ = 6, POINTS = NX * NY * NZ };

static stencil_job job_of(char which, int radius, int axis, bool wave)
{
  const int n[3] = {NX, NY, which == 'b' ? 1 : NZ};
  const int ghost[3] = {radius, radius, which == 'b' ? 0 : radius};
  stencil_job job = {.which = which, .radius = radius, .axis = axis, .wide = true, .wave = wave};
  job.g = stencil_grid_make(n, ghost, sizeof(double), false);
  for (int a = 0; a < STENCIL_ARRAYS; a++) {
    job.array[a] = calloc((size_t)job.g.entries, sizeof(double));
    ck_assert_ptr_nonnull(job.array[a]);
  }
  return job;
}

static void end(stencil_job *job)
{
  for (int a = 0; a < STENCIL_ARRAYS; a++)
    free(job->array[a]);
}

static ptrdiff_t at(const stencil_job *job, int i, int j, int k)
{
  return job->g.origin + i + j * job->g.pitch + k * job->g.plane;
}

/* x^2 + 2 y^2 + 3 z^2 + x y - z, in units of h */
static double quadratic(int i, int j, int k, double h)
{
  const double x = i * h, y = j * h, z = k * h;
  return x * x + 2 * y * y + 3 * z * z + x * y - z;
}

static void fill(stencil_job *job, double h)
{
  const stencil_grid *g = &job->g;
  double *const x = job->array[STENCIL_X], *const prev = job->array[STENCIL_PREV],
                *const speed = job->array[STENCIL_SPEED];
  for (int k = -g->ghost[2]; k < g->n[2] + g->ghost[2]; k++)
    for (int j = -g->ghost[1]; j < g->n[1] + g->ghost[1]; j++)
      for (int i = -g->ghost[0]; i < g->n[0] + g->ghost[0]; i++) {
        x[at(job, i, j, k)] = quadratic(i, j, k, h);
        prev[at(job, i, j, k)] = i + 10 * j;
        speed[at(job, i, j, k)] = 0.5 + k;
      }
}

static const double second_derivative[3] = {2, 4, 6};

START_TEST(laplacian_is_exact_for_quadratics)
{
  double result[POINTS];
  const double h = 0.25;
  for (int wave = 0; wave <= 1; wave++) {
    stencil_job job = job_of('a', _i, 0, wave);
    stencil_coefficients(&job, h);
    fill(&job, h);
    stencil_reference(&job, result);
    for (int p = 0; p < POINTS; p++) {
      const int i = p % NX, j = p / NX % NY, k = p / NX / NY;
      const double step = 2 * quadratic(i, j, k, h) - (i + 10 * j) + (0.5 + k) * 12;
      ck_assert_double_eq_tol(result[p], wave ? step : 12, 1e-9);
    }
    end(&job);
  }
}
END_TEST

START_TEST(planes_and_axes_are_exact_for_quadratics)
{
  double result[POINTS];
  const double h = 0.5;
  stencil_job plane = job_of('b', 2, 0, false);
  stencil_coefficients(&plane, h);
  fill(&plane, h);
  stencil_reference(&plane, result);
  for (int p = 0; p < NX * NY; p++)
    ck_assert_double_eq_tol(result[p], 6, 1e-10);
  end(&plane);
  for (int axis = 0; axis < 3; axis++) {
    stencil_job job = job_of('d', 4, axis, false);
    stencil_coefficients(&job, h);
    fill(&job, h);
    stencil_reference(&job, result);
    for (int p = 0; p < POINTS; p++)
      ck_assert_double_eq_tol(result[p], second_derivative[axis], 1e-10);
    end(&job);
  }
}
END_TEST

/* On a periodic line of n points the derivative of order 8 turns cos(q i) into -s sin(q i), where s
 * follows from the coefficients. */
START_TEST(first_derivative_knows_its_cosine)
{
  const int n[3] = {NX, NY, NZ}, none[3] = {0, 0, 0}, axis = _i;
  const double q = 2 * acos(-1) / n[axis];
  const double s =
      2 * (4. / 5 * sin(q) - 1. / 5 * sin(2 * q) + 4. / 105 * sin(3 * q) - sin(4 * q) / 280);
  double result[POINTS];
  stencil_job job = {.which = 'c', .radius = 4, .axis = axis, .wide = true};
  job.g = stencil_grid_make(n, none, sizeof(double), true);
  job.array[STENCIL_X] = calloc((size_t)job.g.entries, sizeof(double));
  ck_assert_ptr_nonnull(job.array[STENCIL_X]);
  stencil_coefficients(&job, 1);
  double *const x = job.array[STENCIL_X];
  for (int p = 0; p < POINTS; p++) {
    const int index[3] = {p % NX, p / NX % NY, p / NX / NY};
    x[at(&job, index[0], index[1], index[2])] = cos(q * index[axis]);
  }
  stencil_reference(&job, result);
  for (int p = 0; p < POINTS; p++) {
    const int index[3] = {p % NX, p / NX % NY, p / NX / NY};
    ck_assert_double_eq_tol(result[p], -s * sin(q * index[axis]), 1e-13);
  }
  free(x);
}
END_TEST

/* A faultless result, then each kind of fault. */
START_TEST(comparison_finds_faults)
{
  double reference[POINTS];
  stencil_job job = job_of('a', 3, 0, false);
  job.wide = _i;
  double *const wide = job.array[STENCIL_OUT];
  float *const narrow = job.array[STENCIL_OUT];
  stencil_poison(&job, job.array[STENCIL_OUT]);
  for (int p = 0; p < POINTS; p++) {
    const ptrdiff_t to = at(&job, p % NX, p / NX % NY, p / NX / NY);
    reference[p] = 0.125 * p;
    if (job.wide)
      wide[to] = reference[p];
    else
      narrow[to] = (float)reference[p];
  }
  ck_assert_int_eq(stencil_compare(&job, job.array[STENCIL_OUT], reference, 1).wrong, 0);
  const ptrdiff_t places[] = {
      at(&job, 2, 1, 1), at(&job, NX, 1, 1), at(&job, -1, 0, 0), at(&job, 0, NY, 2), 0,
      job.g.entries - 1};
  for (size_t f = 0; f < sizeof places / sizeof *places; f++) {
    const double before = job.wide ? wide[places[f]] : narrow[places[f]];
    const double after = isnan(before) ? 1 : before + (job.wide ? 1e-12 : 1e-4);
    if (job.wide)
      wide[places[f]] = after;
    else
      narrow[places[f]] = (float)after;
    ck_assert_int_eq(stencil_compare(&job, job.array[STENCIL_OUT], reference, 1).wrong, 1);
    if (job.wide)
      wide[places[f]] = before;
    else
      narrow[places[f]] = (float)before;
  }
  if (job.wide)
    wide[at(&job, 0, 0, 0)] = NAN;
  else
    narrow[at(&job, 0, 0, 0)] = NAN;
  const stencil_errors e = stencil_compare(&job, job.array[STENCIL_OUT], reference, 1);
  ck_assert_int_eq(e.wrong, 1);
  ck_assert(isinf(e.largest));
  end(&job);
}
END_TEST

/* Every layout of a grid: rows do not overlap, are aligned where asked for, and stay within the
 * array. */
START_TEST(grids_hold_their_points)
{
  for (int aligned = 0; aligned <= 1; aligned++)
    for (int radius = 1; radius <= STENCIL_RADIUS; radius++)
      for (int n0 = 1; n0 < 70; n0 += 3) {
        const int n[3] = {n0, 3, 2}, ghost[3] = {radius, radius, radius};
        const stencil_grid g = stencil_grid_make(n, ghost, sizeof(float), aligned);
        ck_assert_int_ge(g.pitch, n0 + 2 * radius);
        ck_assert_int_ge(g.plane, (3 + 2 * radius) * g.pitch);
        ck_assert_int_ge(g.origin, radius * (1 + g.pitch + g.plane));
        ck_assert_int_gt(g.entries, g.origin + (2 + radius) * g.plane);
        if (aligned) ck_assert_int_eq((g.origin | g.pitch) % 32, 0);
      }
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("stencils");
  TCase *tests = tcase_create("judges");
  tcase_add_loop_test(tests, laplacian_is_exact_for_quadratics, 1, STENCIL_RADIUS + 1);
  tcase_add_test(tests, planes_and_axes_are_exact_for_quadratics);
  tcase_add_loop_test(tests, first_derivative_knows_its_cosine, 0, 3);
  tcase_add_loop_test(tests, comparison_finds_faults, 0, 2);
  tcase_add_test(tests, grids_hold_their_points);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed > 0;
}
