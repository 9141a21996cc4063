/* Host and GPU give the same bits: Gershgorin bounds, operator, residual and restriction on every
 * level, solutions and residuals of whole solves, for every operator, smoother, bottom solver,
 * cycle, interpolation and boundary. The second of two solves plays a recording back. */
#include "api/solver.h"
#include "support/twin.h"
#include <stdio.h>

static const char *const axis_kinds[5] = {"dd", "pp", "nd", "nn", "dn"};

/* One of the 125 mixes of the axes' kinds; FV4 knows the first two kinds alone. */
static const char *boundary_of(int mix, int kinds, char text[9])
{
  snprintf(text, 9, "%s %s %s", axis_kinds[mix % kinds], axis_kinds[mix / kinds % kinds],
           axis_kinds[mix / kinds / kinds % kinds]);
  return text;
}

static hymg_stencil stencil_of(int which)
{
  return which % 2 ? HYMG_FV4 : HYMG_FV2;
}

static void set_helmholtz(twin *t, int kind)
{
  t->a = kind ? 0.75 : 0.0;
  t->constant_alpha = kind == 1;
}

/* ---- operators ---- */

/* Both kinds of beta, alpha absent, constant, variable, both extrapolations; the smallest tests take every second one. */
static void every_coefficient(twin *t, int from)
{
  for (int kind = from; kind < 12; kind += twin_least() ? 2 : 1) {
    if (t->stencil == HYMG_FV4 && kind / 6) break;
    t->constant_beta = kind % 2;
    set_helmholtz(t, kind / 2 % 3);
    t->extrapolation = kind / 6 ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_DEFAULT;
    t->smoother = kind % 3 ? HYMG_GSRB : HYMG_CHEBYSHEV;
    twin_check(t, &twin_ways[0]);
  }
}

START_TEST(every_coefficient_of_fv2)
{
  char boundary[9];
  twin t = twin_of(HYMG_FV2, 8, 12, 4, boundary_of(_i * 3 + _i / 5, 5, boundary));
  every_coefficient(&t, twin_least() ? _i % 2 : 0);
}
END_TEST

START_TEST(every_coefficient_of_fv4)
{
  char boundary[9];
  twin t = twin_of(HYMG_FV4, 8, 12, 8, boundary_of(_i, 2, boundary));
  every_coefficient(&t, twin_least() ? _i % 2 : 0);
}
END_TEST

START_TEST(boundary_data)
{
  char boundary[9];
  twin t = twin_of(HYMG_FV2, 8, 4, 12, boundary_of(_i * 11, 5, boundary));
  t.boundaries = true;
  t.a = 0.75;
  for (int extrapolation = 0; extrapolation < 4; extrapolation++) {
    t.extrapolation = extrapolation % 2 ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_QUADRATIC;
    t.cycle = extrapolation / 2 ? HYMG_CYCLE_V : HYMG_CYCLE_F;
    t.interpolation_f = _i % 2 ? HYMG_P1 : HYMG_V2;
    twin_check(&t, &twin_ways[(_i / 2 + extrapolation) % 2]);
  }
}
END_TEST

/* Robin walls and walls a whole spacing away, in every cycle and way; the last shapes have odd sides. */
START_TEST(robin_conditions)
{
  static const int shapes[3][3] = {{8, 12, 16}, {16, 16, 8}, {17, 13, 11}};
  static const char *const boundaries[4] = {"rr rr rr", "rd nr pp", "pp dd rn", "dd dr dd"};
  for (int m = twin_least() ? _i / 2 % 2 : 0; m < 4; m += twin_least() ? 2 : 1) {
    const int *n = shapes[(_i + m) % 3];
    twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], boundaries[m]);
    t.robin = (_i + m) % 2;
    t.constant_beta = (_i + m) % 4 > 1;
    t.boundaries = m > 0;
    t.extrapolation = (hymg_extrapolation)(HYMG_EXTRAPOLATION_LINEAR + (_i + m / 2) % 3);
    t.cycle = (_i / 3 + m) % 3 == 0 ? HYMG_CYCLE_W : HYMG_CYCLE_F;
    t.smoother = (hymg_smoother)((_i + 2 * m) % 4);
    t.interpolation_v = m % 2 ? HYMG_P1 : HYMG_V2;
    t.interpolation_f = _i % 2 ? HYMG_P1 : HYMG_V2;
    twin_check(&t, &twin_ways[_i % TWIN_WAYS]);
  }
}
END_TEST

START_TEST(every_extrapolation_box)
{
  static const int sizes[4][2] = {{24, 8}, {16, 16}, {12, 4}, {8, 2}};
  const int n = sizes[_i][0];
  twin t = twin_of(HYMG_FV4, n, n, n, "dd dd dd");
  t.extrapolation_box = sizes[_i][1];
  twin_check(&t, &twin_ways[0]);
  t.constant_beta = true;
  t.smoother = HYMG_JACOBI;
  twin_check(&t, &twin_ways[0]);
}
END_TEST

/* ---- coarse matrices, which grids of 64^3 cells and more have ---- */

static twin_answer ask_with_matrix(const twin *t, const twin_way *way)
{
  support_layout layout = {.boxes = {0, 0, 0}};
  ck_assert_int_eq(hymg_context_create(NULL, &layout.context), HYMG_OK);
  layout.context->matrix_from = 1;
  const twin_answer a = twin_ask(t, way, &layout);
  hymg_context_destroy(&layout.context);
  return a;
}

/* Also of levels of odd sides: 15^3, 31^3 above even ones; 18^3 above 9^3, 5^3, 3^3; sides that differ; with
 * a periodic axis. */
START_TEST(coarse_matrices_of_odd_sides)
{
  static const int shapes[5][3] = {
      {15, 15, 15}, {18, 18, 18}, {31, 31, 31}, {17, 12, 20}, {34, 18, 10}};
  static const char *const boundaries[3] = {"dd dd dd", "dd pp dd", "nn dn nd"};
  static const hymg_cycle kinds[3] = {HYMG_CYCLE_F, HYMG_CYCLE_V, HYMG_CYCLE_F};
  const int *n = shapes[_i % 5];
  for (int m = 0; m < (support_small() ? 2 : 3); m++) {
    twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], boundaries[m ? (_i + m) % 3 : 0]);
    t.smoother = m ? (hymg_smoother)((_i + m) % 4) : HYMG_GSRB;
    t.cycle = kinds[m];
    t.constant_beta = (_i + m) % 2;
    set_helmholtz(&t, (_i + m) % 3);
    twin_answer host = ask_with_matrix(&t, &twin_host);
    for (int way = 1; way < (m ? 2 : TWIN_WAYS); way += 2) {
      twin_answer gpu = ask_with_matrix(&t, &twin_ways[way]);
      const char *unlike = twin_unlike(&gpu, &host);
      ck_assert_msg(!unlike, "way %d, %dx%dx%d %s: %s", way, n[0], n[1], n[2], t.boundary, unlike);
      twin_answer_free(&gpu);
    }
    twin_answer_free(&host);
  }
}
END_TEST

/* Each way of using the GPU makes the matrix, and multiplies by it, in another place. */
START_TEST(coarse_matrices)
{
  static const int shapes[4][3] = {{16, 16, 16}, {32, 8, 16}, {12, 12, 20}, {16, 32, 32}};
  static const char *const boundaries[3] = {"dd dd dd", "pp dd pp", "nn dn nd"};
  for (int m = 0; m < 3; m++) {
    const int *n = shapes[(_i + m) % 4];
    const hymg_stencil stencil = m < 2 ? stencil_of(_i / 2 + m) : HYMG_FV2;
    twin t = twin_of(stencil, n[0], n[1], n[2], boundaries[m]);
    t.smoother = _i % 3 ? HYMG_GSRB : (hymg_smoother)(_i / 3 % 4);
    t.cycle = (_i + m) % 4 == 3 ? HYMG_CYCLE_V : HYMG_CYCLE_F;
    t.bottom = (hymg_bottom)((_i + m) % 4);
    t.constant_beta = (_i + m) % 3 == 0;
    set_helmholtz(&t, (_i + m) % 3);
    twin_answer host = ask_with_matrix(&t, &twin_host);
    twin_answer gpu = ask_with_matrix(&t, &twin_ways[_i % TWIN_WAYS]);
    const char *unlike = twin_unlike(&gpu, &host);
    ck_assert_msg(!unlike, "way %d, %dx%dx%d %s: %s", _i % TWIN_WAYS, n[0], n[1], n[2],
                  boundaries[m], unlike);
    twin_answer_free(&host);
    twin_answer_free(&gpu);
  }
}
END_TEST

/* Octants of a level in the blocks of a cluster: levels of 16^3, 12^3 and 16 x 8 x 32 cells. Where that
 * level is the finest one, a V-cycle begins with a guess; below others it begins from zero. */
START_TEST(octants)
{
  static const int shapes[5][3] = {
      {16, 16, 16}, {32, 32, 32}, {24, 24, 24}, {16, 8, 32}, {64, 32, 16}};
  static const char *const boundaries[4] = {"dd dd dd", "pp dd pp", "nn dn nd", "pp pp pp"};
  static const hymg_cycle kinds[3] = {HYMG_CYCLE_F, HYMG_CYCLE_V, HYMG_CYCLE_W};
  const int *n = shapes[(support_small() ? 2 * _i : _i) % 5]; /* small: 16^3 and 24^3 */
  for (int m = 0; m < 3; m++) {
    twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], boundaries[(_i + m) % 4]);
    t.cycle = kinds[m];
    t.sweeps = m ? 4 : -1;
    t.constant_beta = (_i + m) % 3 == 1;
    t.extrapolation = _i % 2 ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_DEFAULT;
    set_helmholtz(&t, (_i + m) % 3);
    twin_answer host = ask_with_matrix(&t, &twin_host);
    twin_answer gpu = ask_with_matrix(&t, &twin_ways[1]);
    const char *unlike = twin_unlike(&gpu, &host);
    ck_assert_msg(!unlike, "%dx%dx%d %s: %s", n[0], n[1], n[2], t.boundary, unlike);
    twin_answer_free(&host);
    twin_answer_free(&gpu);
  }
}
END_TEST

/* ---- methods ---- */

START_TEST(every_smoother)
{
  static const int sweeps[4][3] = {{-1, 2, 8}, {-1, 12, 6}, {-1, 1, 3}, {-1, 2, 5}};
  const int smoother = _i / 2, step = support_small() ? 2 : 1;
  for (int m = _i / 2 % step; m < 6; m += step) {
    twin t = twin_of(stencil_of(_i), 16, 8, 12, m < 3 ? "dd pp dd" : "pp pp pp");
    t.smoother = (hymg_smoother)smoother;
    t.sweeps = sweeps[smoother][m % 3];
    t.constant_beta = m % 2;
    set_helmholtz(&t, m % 3);
    twin_check(&t, &twin_ways[0]);
  }
}
END_TEST

/* Bottoms of 1, 3, 5 x 3 x 3 and 7 x 9 x 10 cells, the last of a grid that does not coarsen. */
START_TEST(every_bottom_solver)
{
  static const int shapes[4][3] = {{4, 4, 8}, {12, 12, 12}, {20, 12, 12}, {7, 9, 10}};
  for (int m = support_small() ? _i % 4 : 0; m < 8; m += support_small() ? 5 : 1) {
    const int *n = shapes[m % 4];
    twin t = twin_of(stencil_of(_i), n[0], n[1], n[2], m / 4 ? "pp pp pp" : "dd dd dd");
    t.bottom = (hymg_bottom)(_i / 2);
    twin_check(&t, &twin_ways[0]);
  }
}
END_TEST

static const struct {
  hymg_method method;
  hymg_cycle cycle;
} cycles[6] = {{HYMG_FMG, HYMG_CYCLE_F}, {HYMG_MG, HYMG_CYCLE_F},    {HYMG_MG, HYMG_CYCLE_V},
               {HYMG_MG, HYMG_CYCLE_W},  {HYMG_MGPCG, HYMG_CYCLE_V}, {HYMG_MGPCG, HYMG_CYCLE_W}};

/* Odd sides on the standard path, wherever parts of a cycle run. */
START_TEST(every_cycle_on_odd_sides)
{
  static const int shapes[4][3] = {{17, 13, 11}, {34, 26, 22}, {31, 15, 7}, {14, 19, 13}},
                   small[3] = {18, 14, 10}; /* for the second: odd sides below even ones */
  static const char *const boundaries[4] = {"dd nd dn", "pp dd pp", "nn nn nn", "pp pp pp"};
  for (int m = twin_least() ? _i / 2 % 2 : 0; m < 4; m += twin_least() ? 2 : 1) {
    const int which = (_i + m) % 4, *n = which == 1 && support_small() ? small : shapes[which];
    twin t = twin_of(HYMG_FV2, n[0], n[1], n[2], boundaries[m]);
    t.method = cycles[_i].method;
    t.cycle = cycles[_i].cycle;
    t.smoother = (hymg_smoother)((_i + m) % 4);
    t.boundaries = m < 3; /* the mean of f is not 0 where the system is singular */
    t.constant_beta = (_i + m) % 3 == 1;
    set_helmholtz(&t, m < 2 ? (_i + m) % 3 : 0);
    t.extrapolation = _i % 2 ? HYMG_EXTRAPOLATION_LINEAR : HYMG_EXTRAPOLATION_DEFAULT;
    twin_check(&t, &twin_ways[_i % 2 ? m : 0]);
  }
}
END_TEST

/* With every smoother: where the cycle swaps buffers an odd number of times. */
START_TEST(every_cycle)
{
  const int step = twin_least() ? 4 : support_small() ? 2 : 1;
  for (int m = (_i / 2 + _i % 2) % step; m < 8; m += step) {
    twin t = twin_of(stencil_of(_i), 16, 12, 8, m / 4 ? "pp pp pp" : "dd dd pp");
    t.method = cycles[_i / 2].method;
    t.cycle = cycles[_i / 2].cycle;
    t.smoother = (hymg_smoother)(m % 4);
    t.sweeps = t.smoother >= HYMG_JACOBI ? 3 : -1;
    t.bottom = m / 4 ? HYMG_BOTTOM_SMOOTHER : HYMG_BICGSTAB;
    twin_check(&t, &twin_ways[0]);
  }
}
END_TEST

/* Levels that a single block of the coarse kernel works on, one cell per thread: coarsest levels of
 * 8 to 108 cells, some with several ghost lines per thread and one with a single warp, below
 * smoothers with and without colours. */
START_TEST(every_coarse_end)
{
  static const int shapes[9][3] = {{8, 16, 16}, {16, 8, 8}, {8, 8, 16},  {8, 8, 32}, {8, 8, 8},
                                   {6, 18, 6},  {6, 8, 16}, {12, 12, 6}, {20, 12, 4}};
  static const char *const boundaries[3] = {"dd dd dd", "pp pp pp", "dd pp dd"};
  const int *n = shapes[_i / 2];
  for (int m = 0; m < 2; m++) {
    if (twin_least() && m != (_i / 2 + _i) % 2) continue;
    const int which = _i / 2 + 2 * m;
    twin t = twin_of(stencil_of(_i), n[0], n[1], n[2], boundaries[m ? _i / 2 % 3 : 0]);
    t.smoother = (hymg_smoother)(which % 4);
    t.sweeps = t.smoother >= HYMG_JACOBI ? 2 + m : -1;
    t.bottom = which % 3 ? HYMG_BICGSTAB : HYMG_CG;
    t.constant_beta = which % 5 == 1;
    set_helmholtz(&t, which % 3);
    twin_check(&t, &twin_ways[1]);
  }
}
END_TEST

START_TEST(every_interpolation)
{
  static const hymg_interpolation orders[4] = {HYMG_P0, HYMG_P1, HYMG_V2, HYMG_V4};
  const int count = _i / 2 ? 4 : 3; /* V4 needs FV4 */
  for (int m = 0; m < count * count; m += support_small() && !twin_least() ? 2 : 1) {
    if (twin_least() && m / count != (m + _i) % count) continue; /* each one twice */
    twin t = twin_of(_i / 2 ? HYMG_FV4 : HYMG_FV2, 16, 12, 12, _i % 2 ? "pp dd pp" : "dd dd dd");
    t.interpolation_v = orders[m % count];
    t.interpolation_f = orders[m / count];
    twin_check(&t, &twin_ways[0]);
  }
}
END_TEST

/* Small tests have each method with one of the stencils. */
START_TEST(fewer_sweeps_on_a_large_finest_level)
{
  twin t = twin_of(stencil_of(_i), _i / 2 ? 64 : 40, 32, 32, _i / 2 ? "dd pp dd" : "dd dd dd");
  for (int m = 0; m < 2; m++) {
    if (support_small() && m != _i) continue;
    t.method = m ? HYMG_MGPCG : HYMG_MG;
    t.cycle = m ? HYMG_CYCLE_V : HYMG_CYCLE_F;
    twin_check(&t, &twin_ways[(_i + m) % TWIN_WAYS]);
  }
}
END_TEST

int main(void)
{
  const bool few = twin_emulated(), least = few && support_small();
  Suite *suite = suite_create("same bits on the GPU");
  TCase *t = tcase_create("operators");
  tcase_add_loop_test(t, every_coefficient_of_fv2, 0, least ? 5 : few ? 10 : 42);
  tcase_add_loop_test(t, every_coefficient_of_fv4, few ? 4 : 0, 8);
  tcase_add_loop_test(t, boundary_data, 0, least ? 4 : 12);
  tcase_add_loop_test(t, robin_conditions, 0, 6);
  tcase_add_loop_test(t, every_extrapolation_box, few ? 1 : 0, 4);
  tcase_add_loop_test(t, coarse_matrices_of_odd_sides, 0, 5);
  tcase_add_loop_test(t, coarse_matrices, 0, least ? 3 : few ? 6 : 48);
  tcase_add_loop_test(t, octants, 0, least ? 2 : few ? 5 : 20);
  suite_add_tcase(suite, t);
  t = tcase_create("methods");
  tcase_add_loop_test(t, every_smoother, 0, 8);
  tcase_add_loop_test(t, every_bottom_solver, 0, 10);
  tcase_add_loop_test(t, every_cycle, 0, 12);
  tcase_add_loop_test(t, every_interpolation, 0, 4);
  tcase_add_loop_test(t, fewer_sweeps_on_a_large_finest_level, 0, support_small() ? 2 : 4);
  suite_add_tcase(suite, t);
  t = tcase_create("odd sides");
  tcase_add_loop_test(t, every_cycle_on_odd_sides, 0, 6);
  suite_add_tcase(suite, t);
  t = tcase_create("coarse end");
  tcase_add_loop_test(t, every_coarse_end, 0, 18);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
