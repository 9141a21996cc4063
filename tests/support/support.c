/* Data and comparison for the suites; the library's objects from a specification are in
 * support/kit.c. */
#include "support/support.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool support_small(void)
{
  const char *value = getenv("HYMG_TEST_SMALL");
  return value && strcmp(value, "1") == 0;
}

double support_seconds(double seconds)
{
  const char *value = getenv("HYMG_TEST_SLOWNESS");
  const double slowness = value ? strtod(value, NULL) : 1;
  return slowness > 1 ? seconds * slowness : seconds;
}

int support_run(Suite *suite)
{
  SRunner *runner = srunner_create(suite);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static double *allocate(size_t n)
{
  double *x = malloc((n ? n : 1) * sizeof *x);
  ck_assert_ptr_nonnull(x);
  return x;
}

double *support_random(size_t n, double low, double high, unsigned seed)
{
  uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1u);
  double *x = allocate(n);
  for (size_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
  }
  return x;
}

double *support_poison(size_t n)
{
  double *x = allocate(n);
  for (size_t i = 0; i < n; i++)
    x[i] = NAN;
  return x;
}

double support_max(size_t n, const double *x)
{
  double max = 0.0;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= max)) max = fabs(x[i]);
  return max;
}

double support_rms(size_t n, const double *x)
{
  return sqrt(support_dot(n, x, x) / (double)n);
}

double support_dot(size_t n, const double *x, const double *y)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * y[i];
  return sum;
}

double support_difference(size_t n, const double *x, const double *y)
{
  double max = 0.0;
  for (size_t i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    if (isnan(d)) return INFINITY;
    if (d > max) max = d;
  }
  return max;
}

bool support_same_bits(size_t n, const double *x, const double *y)
{
  return memcmp(x, y, n * sizeof *x) == 0;
}

static hymg_boundary boundary_of(char c)
{
  return c == 'p'   ? HYMG_PERIODIC
         : c == 'n' ? HYMG_NEUMANN
         : c == 'r' ? HYMG_ROBIN
                    : HYMG_DIRICHLET;
}

static size_t entries(const int n[3], int face_axis)
{
  size_t size = 1;
  for (int d = 0; d < 3; d++)
    size *= (size_t)(n[d] + (d == face_axis));
  return size;
}

void support_shape(hymg_stencil stencil, const int shape[3], int n[3])
{
  for (int d = 0; d < 3; d++)
    n[d] = stencil == HYMG_FV4 && shape[d] < 2 ? 2 : shape[d];
}

support_case support_case_of(hymg_stencil stencil, const int n[3], const char *boundary, double a)
{
  static const double spacing[3] = {0.11, 0.13, 0.1};
  static const int place[6] = {0, 1, 3, 4, 6, 7};
  support_case c = {.spec = oracle_spec_default(1)};
  bool fourth = stencil == HYMG_FV4;
  c.spec.stencil = stencil;
  c.spec.a = a;
  c.spec.b = 0.7;
  for (int d = 0; d < 3; d++) {
    c.spec.n[d] = n[d];
    c.spec.h[d] = spacing[d];
    c.beta[d] =
        support_random(entries(n, d), fourth ? 0.95 : 0.5, fourth ? 1.05 : 2.0, 10u + (unsigned)d);
    c.spec.beta[d] = c.beta[d];
  }
  for (int face = 0; face < 6; face++)
    c.spec.boundary[face] = boundary_of(boundary[place[face]]);
  if (a > 0.0) c.spec.alpha = c.alpha = support_random(entries(n, -1), 0.2, 1.0, 20u);
  snprintf(c.name, sizeof c.name, "%s %dx%dx%d %s a=%g", stencil == HYMG_FV4 ? "fv4" : "fv2", n[0],
           n[1], n[2], boundary, a);
  return c;
}

void support_case_add_boundaries(support_case *c)
{
  for (int face = 0; face < 6; face++) {
    if (c->spec.boundary[face] == HYMG_PERIODIC) continue;
    size_t size = entries(c->spec.n, -1) / (size_t)c->spec.n[face / 2];
    c->spec.boundary_data[face] = c->boundary_data[face] =
        support_random(size, -1.0, 1.0, 30u + (unsigned)face);
  }
  strncat(c->name, " boundary data", sizeof c->name - strlen(c->name) - 1);
}

void support_case_add_robin(support_case *c)
{
  for (int face = 0; face < 6; face++) {
    if (c->spec.boundary[face] != HYMG_ROBIN) continue;
    size_t size = entries(c->spec.n, -1) / (size_t)c->spec.n[face / 2];
    c->spec.robin_alpha[face] = c->robin_alpha[face] =
        support_random(size, 0.0, 2.0, 40u + (unsigned)face);
    c->spec.robin_beta[face] = c->robin_beta[face] =
        support_random(size, 0.0, 0.5, 50u + (unsigned)face);
    c->robin_alpha[face][0] = 0.0;
    c->robin_beta[face][size - 1] = 0.0;
  }
  strncat(c->name, " robin fields", sizeof c->name - strlen(c->name) - 1);
}

void support_case_fix(support_case *c)
{
  const int *n = c->spec.n;
  const size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
  double *chance = support_random(cells, 0, 3, 11);
  c->spec.fixed = c->fixed = support_random(cells, -1, 2, 12);
  for (size_t q = 0; q < cells; q++)
    if (chance[q] > 1) c->fixed[q] = NAN;
  free(chance);
}

void support_case_free(support_case *c)
{
  free(c->alpha);
  free(c->fixed);
  for (int d = 0; d < 3; d++)
    free(c->beta[d]);
  for (int face = 0; face < 6; face++)
    free(c->boundary_data[face]), free(c->robin_alpha[face]), free(c->robin_beta[face]);
}

static problem_range whole(const int n[3], double h)
{
  problem_range r = {.spacing = {h, h, h},
                     .count = {n[0], n[1], n[2]},
                     .stride = {1, n[0], (ptrdiff_t)n[0] * n[1]}};
  return r;
}

support_case support_case_of_problem(problem_kind kind, hymg_stencil stencil, int n,
                                     hymg_boundary boundary, int extrapolation_box, double **f)
{
  support_case c = {.spec = oracle_spec_default(n)};
  bool shift = boundary != HYMG_DIRICHLET;
  problem p = {.kind = kind, .variable = true, .a = 0.0, .b = 1.0, .shift = {shift, shift, shift}};
  c.spec.stencil = stencil;
  c.spec.extrapolation_box = extrapolation_box;
  for (int face = 0; face < 6; face++)
    c.spec.boundary[face] = boundary;
  for (int d = 0; d < 3; d++) {
    int count[3] = {n, n, n};
    count[d]++;
    problem_range r = whole(count, c.spec.h[d]);
    c.beta[d] = support_poison(entries(c.spec.n, d));
    c.spec.beta[d] = c.beta[d];
    ck_assert(problem_fill(&p, PROBLEM_BETA, d, &r, c.beta[d]));
  }
  problem_range r = whole(c.spec.n, c.spec.h[0]);
  *f = support_poison(entries(c.spec.n, -1));
  ck_assert(problem_fill(&p, PROBLEM_RHS, 0, &r, *f));
  snprintf(c.name, sizeof c.name, "problem %d %s %d^3 boundary %d", (int)kind,
           stencil == HYMG_FV4 ? "fv4" : "fv2", n, (int)boundary);
  return c;
}

double *support_exact(const problem *p, int n)
{
  int count[3] = {n, n, n};
  problem_range r = whole(count, 1.0 / n);
  double *u = support_poison(entries(count, -1));
  ck_assert(problem_fill(p, PROBLEM_EXACT, 0, &r, u));
  return u;
}

void support_assert_close(const char *what, const char *where, size_t n, const double *got,
                          const double *want, double tolerance)
{
  double scale = support_max(n, want), difference = support_difference(n, got, want);
  size_t worst = 0;
  for (size_t i = 0; i < n; i++)
    if (isnan(got[i]) || fabs(got[i] - want[i]) > fabs(got[worst] - want[worst])) worst = i;
  ck_assert_msg(
      difference <= tolerance * scale,
      "%s, %s: differs by %.3g of max %.3g (limit %.1e relative); entry %zu: %.17g, not %.17g",
      what, where, difference, scale, tolerance, worst, got[worst], want[worst]);
}

void support_assert_error(const hymg_context *context, hymg_status status, hymg_status want, ...)
{
  const char *text = hymg_context_error(context);
  ck_assert_msg(status == want, "status %s, not %s; text: %s", hymg_status_name(status),
                hymg_status_name(want), text);
  va_list words;
  va_start(words, want);
  for (const char *word = va_arg(words, const char *); word; word = va_arg(words, const char *))
    ck_assert_msg(strstr(text, word) != NULL, "\"%s\" lacks \"%s\"", text, word);
  va_end(words);
}
