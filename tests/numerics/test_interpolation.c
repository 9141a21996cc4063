/* Interpolation of every order (p0, p1, v2, v4), as correction and as the F-cycle's start,
 * against the oracle; and what each order is exact on. */
#include <stdlib.h>

#include "api/solver.h"
#include "multigrid/level_ops.h"
#include "support/support.h"

typedef struct choice {
  hymg_stencil stencil;
  int order;
  const char *boundary;
  int n[3];
  hymg_smoother smoother; /* gsrb: rows split by colour where they are long enough */
} choice;

static const choice choices[] = {{HYMG_FV2, 0, "dd dd dd", {16, 8, 12}, HYMG_GSRB},
                                 {HYMG_FV2, 1, "dd pp nd", {16, 8, 12}, HYMG_GSRB},
                                 {HYMG_FV2, 1, "nn dd dd", {6, 10, 4}, HYMG_JACOBI},
                                 {HYMG_FV2, 2, "dn pp dd", {32, 12, 8}, HYMG_GSRB},
                                 {HYMG_FV2, 2, "pp pp pp", {8, 8, 4}, HYMG_CHEBYSHEV},
                                 {HYMG_FV4, 0, "dd pp dd", {16, 12, 12}, HYMG_GSRB},
                                 {HYMG_FV4, 1, "dd dd dd", {12, 16, 12}, HYMG_GSRB},
                                 {HYMG_FV4, 2, "dd pp dd", {20, 12, 12}, HYMG_GSRB},
                                 {HYMG_FV4, 4, "dd dd dd", {16, 12, 16}, HYMG_GSRB},
                                 {HYMG_FV4, 4, "pp dd pp", {12, 16, 20}, HYMG_CHEBYSHEV},
                                 {HYMG_FV4, 4, "dd dd dd", {6, 6, 6}, HYMG_GSRB}};

static size_t cells_of(const int n[3], int divisor)
{
  return (size_t)(n[0] / divisor) * (size_t)(n[1] / divisor) * (size_t)(n[2] / divisor);
}

static hymg_field *filled(support_kit *kit, const int n[3], const double *values)
{
  const int low[3] = {0, 0, 0};
  const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  hymg_field *field;
  OK(kit->context, hymg_field_create(kit->grid, kit->solver, HYMG_CELL, HYMG_DOUBLE, &field));
  OK(kit->context, hymg_field_write(field, low, n, stride, values, HYMG_HOST));
  return field;
}

/* From `coarse` on level 1 to level 0, which has `fine`, by a solver with the order in both places.
 * smoothed: what interpolation is told. f: the right-hand side of a smoother call after it; NULL:
 * none. */
static double *interpolate(const support_case *c, const choice *ch, bool add, bool smoothed,
                           const double *coarse, const double *fine, const double *f)
{
  const support_layout layout = {.threads = 2, .boxes = {1, 1, 1}};
  hymg_options options = hymg_options_default();
  options.interpolation_v = options.interpolation_f = (hymg_interpolation)ch->order;
  support_kit kit = support_open(&c->spec, &layout, &options);
  hymgi_level *level = kit.solver->h.level;
  hymg_field *from = support_field(&kit, 1, coarse), *x = filled(&kit, ch->n, fine);
  hymg_field *right = filled(&kit, ch->n, f ? f : fine), *done = filled(&kit, ch->n, fine);
  double *const y = level->y;
  level->x = x->data, level->f = right->data;
  hymgi_copy_vector(level + 1, from->data, level[1].x);
  if (add)
    hymgi_interpolate(level + 1, level, false, smoothed);
  else
    hymgi_interpolate(level + 1, level, true, smoothed);
  if (f) hymgi_smooth(level);
  hymgi_copy_vector(level, level->x, done->data);
  level->x = level->f = NULL, level->y = y;
  double *got = support_read(&kit, 0, done);
  hymg_field_destroy(&from);
  hymg_field_destroy(&x);
  hymg_field_destroy(&right);
  hymg_field_destroy(&done);
  support_close(&kit);
  return got;
}

START_TEST(every_order_agrees_with_the_oracle)
{
  const choice *ch = choices + _i / 2;
  const bool add = _i % 2;
  support_case c = support_case_of(ch->stencil, ch->n, ch->boundary, 0);
  c.spec.smoother = ch->smoother;
  const size_t cells = cells_of(ch->n, 1);
  double *coarse = support_random(cells_of(ch->n, 2), -1, 1, 5);
  double *fine = add ? support_random(cells, -1, 1, 6) : support_poison(cells);
  double *want = support_poison(cells);
  oracle *o = oracle_create(&c.spec);
  oracle_interpolate(o, 0, ch->order, false, coarse, want);
  for (size_t m = 0; add && m < cells; m++)
    want[m] += fine[m];
  double *got = interpolate(&c, ch, add, false, coarse, fine, NULL);
  support_assert_close(add ? "correction" : "start", c.name, cells, got, want, 1e-14);
  oracle_destroy(o);
  support_case_free(&c);
  free(coarse);
  free(fine);
  free(want);
  free(got);
}
END_TEST

START_TEST(a_smoother_sees_no_difference_if_interpolation_knows_of_it)
{
  const choice *ch = choices + _i / 2;
  const bool add = _i % 2;
  support_case c = support_case_of(ch->stencil, ch->n, ch->boundary, 0);
  c.spec.smoother = ch->smoother;
  const size_t cells = cells_of(ch->n, 1);
  double *coarse = support_random(cells_of(ch->n, 2), -1, 1, 5);
  double *fine = add ? support_random(cells, -1, 1, 6) : support_poison(cells);
  double *f = support_random(cells, -1, 1, 7);
  double *want = interpolate(&c, ch, add, false, coarse, fine, f);
  double *got = interpolate(&c, ch, add, true, coarse, fine, f);
  for (size_t m = 0; m < cells; m++)
    ck_assert_msg(isfinite(want[m]), "cell %zu is %g", m, want[m]);
  ck_assert(support_same_bits(cells, got, want));
  support_case_free(&c);
  free(coarse);
  free(fine);
  free(f);
  free(want);
  free(got);
}
END_TEST

/* Mean of i^degree over the cell [i, i + 1) of width h. */
static double cell_mean(int i, double h, int degree)
{
  double low = 1, high = 1;
  for (int m = 0; m <= degree; m++)
    low *= i * h, high *= (i + 1) * h;
  return (high - low) / ((degree + 1) * h);
}

/* Away from boundaries: p0 on constants, p1 on linear, v2 on quadratic, v4 on quartic polynomials.
 * */
START_TEST(each_order_is_exact_on_its_polynomials)
{
  static const int degree[5] = {0, 1, 2, 0, 4};
  const choice *ch = choices + (int[4]){5, 6, 7, 8}[_i];
  support_case c = support_case_of(ch->stencil, ch->n, ch->boundary, 0);
  c.spec.smoother = ch->smoother;
  const int d = degree[ch->order], *n = ch->n;
  double *coarse = support_poison(cells_of(n, 2)), *fine = support_poison(cells_of(n, 1));
  for (int k = 0; k < n[2] / 2; k++)
    for (int j = 0; j < n[1] / 2; j++)
      for (int i = 0; i < n[0] / 2; i++)
        coarse[(k * (n[1] / 2) + j) * (n[0] / 2) + i] =
            cell_mean(i, 0.25, d) + cell_mean(j, 0.5, d) * cell_mean(k, 0.25, d ? d - 1 : 0);
  double *got = interpolate(&c, ch, false, false, coarse, fine, NULL);
  int checked = 0;
  for (int k = 4; k < n[2] - 4; k++)
    for (int j = 4; j < n[1] - 4; j++)
      for (int i = 4; i < n[0] - 4; i++, checked++) {
        const double want =
            cell_mean(i, 0.125, d) + cell_mean(j, 0.25, d) * cell_mean(k, 0.125, d ? d - 1 : 0);
        ck_assert_double_eq_tol(got[(k * n[1] + j) * n[0] + i], want, 1e-12 * (1 + want));
      }
  ck_assert_int_gt(checked, 0);
  free(coarse);
  free(fine);
  free(got);
  support_case_free(&c);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("interpolation");
  TCase *t = tcase_create("interpolation");
  const int count = (int)(sizeof choices / sizeof choices[0]);
  tcase_add_loop_test(t, every_order_agrees_with_the_oracle, 0, support_small() ? 4 : 2 * count);
  tcase_add_loop_test(t, a_smoother_sees_no_difference_if_interpolation_knows_of_it, 0,
                      support_small() ? 4 : 2 * count);
  tcase_add_loop_test(t, each_order_is_exact_on_its_polynomials, 0, 4);
  suite_add_tcase(suite, t);
  return support_run(suite);
}
