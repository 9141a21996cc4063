/* Mixed precision: host and GPU give the same bits for every operator, smoother, method and boundary,
 * on the standard and the robust path, with the kernels of small levels and with those of large ones.
 * The second of two solves plays a recording back. Levels of more than 32^3 cells are in single
 * precision: one here, or two. */
#include "support/twin.h"

#include "kernel_table.h"

static const struct {
  hymg_stencil stencil;
  int n[3];
  const char *boundary;
  hymg_smoother smoother;
  double a;
  bool constant_beta;
  hymg_method method;
  hymg_cycle cycle;
  hymg_path path;
} cases[] = {
    {HYMG_FV2, {48, 32, 24}, "dd dd dd", HYMG_GSRB, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV4, {48, 32, 24}, "dd dd dd", HYMG_GSRB, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV2, {37, 33, 29}, "dd nd pp", HYMG_GSRB, 0.75, false, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV2, {37, 33, 29}, "dd nd dd", HYMG_GSRB, 0, false, HYMG_MGPCG, 0, HYMG_PATH_ROBUST},
    {HYMG_FV4, {40, 36, 28}, "dd nd dd", HYMG_GSRB, 0, false, HYMG_MG, 0, HYMG_PATH_ROBUST},
    {HYMG_FV2, {68, 24, 28}, "nd dn nn", HYMG_CHEBYSHEV, 0.75, false, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV4, {72, 20, 24}, "dd pp dd", HYMG_CHEBYSHEV, 0.5, false, HYMG_MG, HYMG_CYCLE_W, 0},
    {HYMG_FV4, {64, 32, 20}, "dd dd pp", HYMG_GSRB, 1, true, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV2, {36, 40, 28}, "pp dd dn", HYMG_GSRB, 0, true, HYMG_MGPCG, HYMG_CYCLE_V, 0},
    {HYMG_FV2, {36, 34, 30}, "dd nn dd", HYMG_JACOBI, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV2, {40, 34, 30}, "dd dd dd", HYMG_L1JACOBI, 0.75, true, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV4, {44, 36, 24}, "dd dd dd", HYMG_JACOBI, 0, true, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV4, {128, 20, 24}, "dd dd dd", HYMG_GSRB, 0, false, HYMG_MG, HYMG_CYCLE_V, 0},
    {HYMG_FV2, {39, 31, 35}, "dd dd dd", HYMG_CHEBYSHEV, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV2, {44, 31, 35}, "pp nn dd", HYMG_CHEBYSHEV, 1, false, HYMG_MGPCG, 0, HYMG_PATH_ROBUST},
    {HYMG_FV2, {39, 33, 31}, "dd nn pp", HYMG_GSRB, 0, false, HYMG_MG, 0, HYMG_PATH_ROBUST},
    {HYMG_FV2, {70, 68, 66}, "dd dd dd", HYMG_GSRB, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV4, {80, 64, 72}, "dd dd dd", HYMG_GSRB, 0, false, HYMG_MG, HYMG_CYCLE_F, 0},
    {HYMG_FV2, {75, 66, 69}, "dd nd dd", HYMG_GSRB, 0, false, HYMG_MGPCG, 0, HYMG_PATH_ROBUST},
    {HYMG_FV2, {128, 112, 144}, "dd dd nd", HYMG_GSRB, 1, false, HYMG_MG, HYMG_CYCLE_F, 0},
};
enum { CASES = sizeof cases / sizeof *cases, FIXED = 15, SMALL = 16, FEW = 5 };

static twin twin_at(int m)
{
  const int *n = cases[m].n;
  twin t = twin_of(cases[m].stencil, n[0], n[1], n[2], cases[m].boundary);
  t.smoother = cases[m].smoother;
  t.a = cases[m].a;
  t.constant_beta = cases[m].constant_beta;
  t.method = cases[m].method;
  t.cycle = cases[m].cycle;
  t.path = cases[m].path;
  t.fixed = m == FIXED;
  t.precision = HYMG_MIXED;
  return t;
}

typedef struct two_solutions {
  twin_solution first, again;
} two_solutions;

static two_solutions solve_twice(const twin *t, const twin_way *way, const support_layout *layout)
{
  twin_open o = twin_begin(t, way, layout);
  two_solutions s = {.first = twin_solve(&o)};
  s.again = twin_solve(&o);
  twin_end(&o);
  return s;
}

static void free_both(two_solutions *s)
{
  twin_solution_free(&s->first);
  twin_solution_free(&s->again);
}

/* kernels: the names of forms to use on levels of any size. */
static void compare(const twin *t, const twin_solution *want, const char *const kernels[],
                    int count)
{
  support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  for (int k = 0; k < count; k++)
    ck_assert(hymgi_kernel_form_from(layout.context, kernels[k], 1));
  two_solutions got = solve_twice(t, &twin_ways[0], &layout);
  ck_assert_int_eq(got.first.precision, HYMG_MIXED);
  twin_same_solution(count ? "large" : "small", &got.first, want);
  twin_same_solution(count ? "large, again" : "small, again", &got.again, want);
  free_both(&got);
  hymg_context_destroy(&layout.context);
}

/* Small tests take each case with two of three choices of kernels. */
START_TEST(same_bits)
{
  static const int counts[] = {0, 3, 7};
  static const char *const kernels[] = {"fv2_gsrb_march",  "fv2_both_colours", "fv2_gsrb_fused",
                                        "fv2_relax_march", "fv2_relax_fused",  "fv4_march",
                                        "fv4_march_tma"};
  const twin t = twin_at(_i);
  const support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  two_solutions want = solve_twice(&t, &twin_host, &layout);
  twin_same_solution("host, again", &want.again, &want.first);
  for (int m = 0; m < 3; m++)
    if (!support_small() || m != _i % 3) compare(&t, &want.first, kernels, counts[m]);
  free_both(&want);
}
END_TEST

/* Coefficients and right-hand sides of a double level are those of one in single precision too, where
 * floats hold them: the solve is then a different one, not a rounded one. */
START_TEST(not_that_of_double)
{
  twin t = twin_at(0);
  const support_layout layout = {.threads = 1, .boxes = {1, 1, 1}};
  two_solutions mixed = solve_twice(&t, &twin_ways[0], &layout);
  t.precision = HYMG_DOUBLE;
  two_solutions plain = solve_twice(&t, &twin_ways[0], &layout);
  ck_assert_int_eq(plain.first.precision, HYMG_DOUBLE);
  const double scale = support_max(plain.first.cells, plain.first.u),
               off = support_difference(plain.first.cells, plain.first.u, mixed.first.u);
  ck_assert(off > 0 && off < 1e-5 * scale);
  free_both(&mixed);
  free_both(&plain);
}
END_TEST

int main(void)
{
  const int count = !twin_emulated() ? CASES : support_small() ? FEW : SMALL;
  Suite *suite = suite_create("mixed precision on the GPU");
  TCase *t = tcase_create("solves");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, same_bits, 0, count);
  tcase_add_test(t, not_that_of_double);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
