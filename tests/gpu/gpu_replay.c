/* A cycle is recorded once and replayed: whatever happens between two solves (other fields, new
 * coefficients, solves on other levels, other solvers and contexts), the result has the same bits
 * as on the host. */
#include "support/gpu.h"
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct choice {
  hymg_stencil stencil;
  const char *boundary;
  hymg_smoother smoother;
  hymg_method method;
  hymg_cycle cycle;
  hymg_bottom bottom;
} choice;

/* Bottom levels of 3^3 and 1^3 cells, iterates that swap buffers and ones that do not. */
static const choice choices[] = {
    {HYMG_FV2, "dd dd dd", HYMG_GSRB, HYMG_MG, HYMG_CYCLE_F, HYMG_BICGSTAB},
    {HYMG_FV4, "dd dd dd", HYMG_GSRB, HYMG_FMG, HYMG_CYCLE_F, HYMG_BICGSTAB},
    {HYMG_FV4, "pp pp pp", HYMG_CHEBYSHEV, HYMG_MG, HYMG_CYCLE_V, HYMG_CG},
    {HYMG_FV2, "nd pp dd", HYMG_JACOBI, HYMG_MG, HYMG_CYCLE_W, HYMG_CABICGSTAB},
    {HYMG_FV4, "pp dd pp", HYMG_L1JACOBI, HYMG_MGPCG, HYMG_CYCLE_V, HYMG_CACG},
    {HYMG_FV2, "pp pp pp", HYMG_GSRB, HYMG_MGPCG, HYMG_CYCLE_W, HYMG_BOTTOM_SMOOTHER},
};
enum { CHOICES = sizeof choices / sizeof *choices, WAYS = 3 };

/* The emulation takes long for many bottom solves that are done step by step. */
static twin twin_of_choice(int which, int n)
{
  const choice *c = &choices[which];
  twin t = twin_of(c->stencil, n, n, n, c->boundary);
  t.smoother = c->smoother;
  t.sweeps = c->smoother == HYMG_JACOBI || c->smoother == HYMG_L1JACOBI ? 3 : -1;
  t.method = c->method;
  t.cycle = c->cycle;
  t.bottom = twin_emulated() && c->cycle == HYMG_CYCLE_W ? HYMG_BOTTOM_SWEEPS : c->bottom;
  return t;
}

/* The loop index encodes a choice and a way; the first CHOICES indices cover all choices and ways.
 * */
static int choice_of(int index)
{
  return index % CHOICES;
}

static const twin_way *way_of(int index)
{
  return &twin_ways[(index + index / CHOICES) % WAYS];
}

static twin_open open_choice(int index, twin *t)
{
  *t = twin_of_choice(choice_of(index), index % 2 ? 8 : 12);
  return twin_begin(t, way_of(index), NULL);
}

static void assert_host_solution(twin_open *o, const twin_solution *want, const char *what)
{
  twin_solution got = twin_solve(o);
  twin_same_solution(what, &got, want);
  twin_solution_free(&got);
}

static twin_solution solve_once(const twin *t, const twin_way *way)
{
  twin_open o = twin_begin(t, way, NULL);
  twin_solution s = twin_solve(&o);
  twin_end(&o);
  return s;
}

START_TEST(repeated_solves)
{
  twin t;
  twin_open o = open_choice(_i, &t);
  twin_solution want = solve_once(&t, &twin_host);
  for (int time = 0; time < 5; time++)
    assert_host_solution(&o, &want, "repeated");
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

/* A coarsest level that is too large for one launch: how often a bottom solve smooths, and with
 * that swaps its vectors, depends on the data; here on how smooth the right-hand side is. */
START_TEST(bottoms_that_swap_vectors)
{
  enum { SIDE = 21, RIGHT_HAND_SIDES = 4 };
  static const int low[3] = {0, 0, 0}, n[3] = {SIDE, SIDE, SIDE};
  static const ptrdiff_t stride[3] = {1, SIDE, SIDE * SIDE};
  twin t = twin_of(_i ? HYMG_FV2 : HYMG_FV4, SIDE, SIDE, SIDE, "dd dd dd");
  t.smoother = _i ? HYMG_JACOBI : HYMG_GSRB;
  if (_i) t.sweeps = 3;
  t.bottom = HYMG_BOTTOM_SMOOTHER;
  t.cycle = HYMG_CYCLE_V;
  twin_open host = twin_begin(&t, &twin_host, NULL), o = twin_begin(&t, &twin_ways[0], NULL);
  for (int m = 0; m < RIGHT_HAND_SIDES; m++) {
    for (size_t i = 0; i < o.cells; i++)
      o.f[i] = sin(3.0 * m * m * (double)(i % SIDE) / SIDE) + 1e-3 * o.f[i];
    OK(host.k.context, hymg_field_write(host.ff, low, n, stride, o.f, HYMG_HOST));
    OK(o.k.context, hymg_field_write(o.ff, low, n, stride, o.f, HYMG_HOST));
    twin_solution want = twin_solve(&host);
    assert_host_solution(&o, &want, "smoothed bottom");
    twin_solution_free(&want);
  }
  twin_end(&o);
  twin_end(&host);
}
END_TEST

/* ---- fields ---- */

/* f times 2^exponent: the solution scales by the same factor, bit for bit, and another field needs
 * another recording. */
static hymg_field *scaled_rhs(twin_open *o, int exponent)
{
  double *f = malloc(o->cells * sizeof *f);
  ck_assert_ptr_nonnull(f);
  for (size_t i = 0; i < o->cells; i++)
    f[i] = ldexp(o->f[i], exponent);
  hymg_field *field = support_field(&o->k, 0, f);
  free(f);
  return field;
}

static void assert_scaled(twin_open *o, const hymg_field *f, hymg_field *u, int exponent,
                          const twin_solution *want)
{
  OK(o->k.context, hymg_field_fill(u, NAN));
  OK(o->k.context, hymg_solve(o->k.solver, f, u, NULL));
  double *got = support_read(&o->k, 0, u);
  for (size_t i = 0; i < o->cells; i++)
    got[i] = ldexp(got[i], -exponent);
  ck_assert_msg(support_same_bits(o->cells, got, want->u), "2^%d f: differs by %.3g", exponent,
                support_difference(o->cells, got, want->u));
  free(got);
}

START_TEST(fields_in_turn)
{
  enum { PAIRS = 4 };
  twin t;
  twin_open o = open_choice(_i, &t);
  twin_solution want = twin_solve(&o);
  hymg_field *f[PAIRS], *u[PAIRS];
  for (int p = 0; p < PAIRS; p++) {
    f[p] = scaled_rhs(&o, p - 1);
    OK(o.k.context, hymg_field_create(o.k.grid, o.k.solver, HYMG_CELL, HYMG_DOUBLE, &u[p]));
  }
  for (int time = 0; time < 3 * PAIRS; time++) /* every pair, then mixed ones */
    assert_scaled(&o, f[time % PAIRS], u[(time + time / 8) % PAIRS], time % PAIRS - 1, &want);
  for (int p = 0; p < PAIRS; p++) {
    hymg_field_destroy(&f[p]);
    hymg_field_destroy(&u[p]);
  }
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

/* New fields may be allocated at addresses of destroyed ones for which recordings exist. */
START_TEST(fields_that_come_and_go)
{
  twin t;
  twin_open o = open_choice(_i, &t);
  twin_solution want = twin_solve(&o);
  for (int time = 0; time < 6; time++) {
    hymg_field *f = NULL, *u = NULL;
    if (time % 2) f = scaled_rhs(&o, time);
    OK(o.k.context, hymg_field_create(o.k.grid, o.k.solver, HYMG_CELL, HYMG_DOUBLE, &u));
    if (!f) f = scaled_rhs(&o, time);
    assert_scaled(&o, f, u, time, &want);
    hymg_field_destroy(&f);
    hymg_field_destroy(&u);
  }
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

/* Plain rows on either side, and rows that another solver made. */
START_TEST(fields_of_any_home)
{
  twin t;
  twin_open o = open_choice(_i, &t);
  twin_solution want = twin_solve(&o);
  hymg_options options = twin_options(&t, way_of(_i));
  hymg_solver *other = NULL;
  options.smoother = t.smoother == HYMG_GSRB ? HYMG_CHEBYSHEV : HYMG_GSRB; /* another layout */
  options.sweeps = -1;
  OK(o.k.context, hymg_solver_create(o.k.op, &options, &other));
  hymg_field *home[3] = {NULL, NULL, NULL};
  OK(o.k.context, hymg_field_create_in(o.k.grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, &home[0]));
  OK(o.k.context, hymg_field_create_in(o.k.grid, HYMG_DEVICE, HYMG_CELL, HYMG_DOUBLE, &home[1]));
  OK(o.k.context, hymg_field_create(o.k.grid, other, HYMG_CELL, HYMG_DOUBLE, &home[2]));
  hymg_solver_destroy(&other);
  for (int pair = 0; pair < 9; pair++) {
    hymg_field *f = home[pair / 3], *u = home[pair % 3];
    if (f == u) continue;
    OK(o.k.context, hymg_field_fill(f, 0.0));
    OK(o.k.context, hymg_field_axpy(1.0, o.ff, f));
    assert_scaled(&o, f, u, 0, &want);
    assert_scaled(&o, f, u, 0, &want);
  }
  for (int m = 0; m < 3; m++)
    hymg_field_destroy(&home[m]);
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

/* ---- what comes between ---- */

static void write_coefficient(twin_open *o, hymg_centering centering, unsigned seed)
{
  static const int low[3] = {0, 0, 0};
  int n[3] = {o->k.n[0], o->k.n[1], o->k.n[2]};
  if (centering >= HYMG_BOUNDARY_X_LOW)
    n[(centering - HYMG_BOUNDARY_X_LOW) / 2] = 1;
  else if (centering != HYMG_CELL)
    n[centering - HYMG_FACE_X]++;
  const ptrdiff_t rows[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
  double *x = support_random((size_t)n[0] * (size_t)n[1] * (size_t)n[2], 0.95, 1.05, seed);
  OK(o->k.context, hymg_field_write(o->k.coefficient[centering], low, n, rows, x, HYMG_HOST));
  free(x);
}

/* New values in every field of coefficients that there is, and in the constants. */
static void change(twin_open *o, unsigned seed)
{
  for (int c = 0; c < 10; c++)
    if (o->k.coefficient[c]) write_coefficient(o, (hymg_centering)c, seed + (unsigned)c);
  o->k.desc.b = 0.7 + 0.1 * seed;
  if (o->k.desc.a > 0.0) o->k.desc.a = 0.5 + 0.1 * seed;
  o->k.desc.alpha_constant = 0.3 * seed;
  o->k.desc.beta_constant = 1.0 + 0.2 * seed;
  OK(o->k.context, hymg_operator_set(o->k.op, &o->k.desc));
  OK(o->k.context, hymg_solver_update(o->k.solver));
}

/* Constants are arguments of recorded kernels, fields are not. */
START_TEST(updates)
{
  for (int kind = 0; kind < 4; kind++) {
    twin t = twin_of_choice(choice_of(_i), 8);
    t.constant_beta = kind % 2;
    t.a = kind ? 0.6 : 0.0;
    t.constant_alpha = kind / 2;
    t.boundaries = t.stencil == HYMG_FV2 && t.a > 0.0;
    twin_open o = twin_begin(&t, way_of(_i), NULL), host = twin_begin(&t, &twin_host, NULL);
    for (unsigned seed = 0; seed < 3; seed++) {
      if (seed) change(&o, seed), change(&host, seed);
      twin_solution want = twin_solve(&host);
      assert_host_solution(&o, &want, "after an update");
      assert_host_solution(&o, &want, "again after an update");
      twin_solution_free(&want);
    }
    twin_end(&o);
    twin_end(&host);
  }
}
END_TEST

static void solve_on_level(twin_open *o, int level)
{
  int n[3];
  size_t cells;
  support_cells(&o->k, level, n, &cells);
  double *zeros = calloc(cells, sizeof *zeros);
  ck_assert_ptr_nonnull(zeros);
  zeros[0] = 1.0, zeros[cells - 1] = -1.0;
  hymg_field *f = support_field(&o->k, level, zeros), *u = support_field(&o->k, level, zeros);
  OK(o->k.context, hymg_solve_on_level(o->k.solver, level, f, u, NULL));
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  free(zeros);
}

START_TEST(other_uses_of_the_solver)
{
  twin t;
  twin_open o = open_choice(_i, &t);
  twin_solution want = solve_once(&t, &twin_host);
  hymg_field *coarse = NULL;
  OK(o.k.context, hymg_field_create_on_level(o.k.solver, 1, &coarse));
  for (int time = 0; time < 2; time++) {
    assert_host_solution(&o, &want, "the solve");
    solve_on_level(&o, 1);
    assert_host_solution(&o, &want, "after a solve on level 1");
    hymg_solver_profile(o.k.solver, true);
    assert_host_solution(&o, &want, "with the profile on");
    hymg_solver_profile(o.k.solver, false);
    assert_host_solution(&o, &want, "with the profile off");
    OK(o.k.context, hymg_restrict(o.k.solver, 0, o.ff, coarse));
    OK(o.k.context, hymg_apply(o.k.solver, 0, o.u, o.u));
    ck_assert_int_eq(hymg_solve(o.k.solver, o.ff, o.ff, NULL), HYMG_EINVAL);
    assert_host_solution(&o, &want, "after single operations and a refusal");
  }
  hymg_field_destroy(&coarse);
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

/* ---- start values, monitors ---- */

static bool stop_after_two(const hymg_cycle_record *record, int cycle, void *user)
{
  (void)record;
  (void)user;
  return cycle < 1;
}

/* V-cycles starting from the current u: each solve continues where the previous one stopped. */
static double *continued(int index, const twin_way *way, double residual[4])
{
  twin t = twin_of_choice(choice_of(index), 12);
  if (t.method == HYMG_FMG) t.method = HYMG_MG;
  if (t.cycle == HYMG_CYCLE_F) t.cycle = HYMG_CYCLE_V;
  support_case c = support_case_of(t.stencil, t.n, t.boundary, 0.5);
  c.spec.smoother = t.smoother;
  c.spec.bottom = t.bottom;
  hymg_options options = twin_options(&t, way);
  options.initial_guess = true;
  options.monitor = stop_after_two;
  support_kit k = support_open(&c.spec, NULL, &options);
  double *f = support_random(12 * 12 * 12, -1, 1, 8);
  hymg_field *ff = support_field(&k, 0, f), *u = support_field(&k, 0, f);
  for (int time = 0; time < 4; time++) {
    hymg_result r;
    OK(k.context, hymg_solve(k.solver, ff, u, &r));
    ck_assert_int_eq(r.reason, HYMG_REASON_STOPPED);
    residual[time] = r.residual_max;
  }
  double *got = support_read(&k, 0, u);
  hymg_field_destroy(&ff);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
  free(f);
  return got;
}

START_TEST(solves_that_go_on_where_a_monitor_stopped_them)
{
  double residual[2][4];
  double *want = continued(_i, &twin_host, residual[0]);
  double *got = continued(_i, way_of(_i), residual[1]);
  ck_assert_msg(support_same_bits(12 * 12 * 12, got, want), "choice %d: u differs by %.3g", _i,
                support_difference(12 * 12 * 12, got, want));
  ck_assert(support_same_bits(4, residual[1], residual[0]));
  free(want);
  free(got);
}
END_TEST

/* ---- several solvers ---- */

/* Of all choices: in one context, then one each, every second on a stream of the user's. */
START_TEST(solvers_in_turn)
{
  twin_open o[CHOICES];
  twin_solution want[CHOICES];
  struct CUstream_st *stream = support_gpu_stream();
  hymg_context_options co = hymg_context_options_default();
  support_layout layout[CHOICES] = {{0}};
  for (int c = 0; c < CHOICES; c++) {
    const twin t = twin_of_choice(c, c % 2 ? 8 : 12);
    co.stream = c % 2 ? stream : NULL;
    if (_i || c == 0)
      ck_assert_int_eq(hymg_context_create(&co, &layout[c].context), HYMG_OK);
    else
      layout[c].context = layout[0].context;
    want[c] = solve_once(&t, &twin_host);
    o[c] = twin_begin(&t, &twin_ways[c % WAYS], &layout[c]);
  }
  for (int time = 0; time < 3 * CHOICES; time++)
    if (time / CHOICES < 2 || time % 2) /* at last every second one is gone */
      assert_host_solution(&o[time % CHOICES], &want[time % CHOICES], "in turn");
    else
      twin_end(&o[time % CHOICES]);
  for (int c = 0; c < CHOICES; c++) {
    if (c % 2) twin_end(&o[c]);
    twin_solution_free(&want[c]);
  }
  for (int c = 0; c < (_i ? CHOICES : 1); c++)
    hymg_context_destroy(&layout[c].context);
  support_gpu_wait(stream);
  support_gpu_stream_end(stream);
}
END_TEST

/* One operator, two solvers, the fields of the one in the other. */
START_TEST(solvers_that_share_fields)
{
  twin t;
  twin_open o = open_choice(_i, &t);
  const hymg_options options = twin_options(&t, way_of(_i + 1));
  twin_solution want = twin_solve(&o);
  hymg_solver *first = o.k.solver, *second = NULL;
  OK(o.k.context, hymg_solver_create(o.k.op, &options, &second));
  for (int time = 0; time < 4; time++) {
    o.k.solver = time % 2 ? first : second;
    assert_host_solution(&o, &want, "shared fields");
  }
  o.k.solver = first;
  hymg_solver_destroy(&second);
  assert_host_solution(&o, &want, "after the other is gone");
  twin_solution_free(&want);
  twin_end(&o);
}
END_TEST

int main(void)
{
  const int all = twin_emulated() ? CHOICES : CHOICES * WAYS;
  Suite *suite = suite_create("recordings");
  TCase *t = tcase_create("fields");
  tcase_add_loop_test(t, repeated_solves, 0, all);
  tcase_add_loop_test(t, bottoms_that_swap_vectors, 0, 2);
  tcase_add_loop_test(t, fields_in_turn, 0, all);
  tcase_add_loop_test(t, fields_that_come_and_go, 0, all);
  tcase_add_loop_test(t, fields_of_any_home, 0, all);
  suite_add_tcase(suite, t);
  t = tcase_create("between solves");
  tcase_add_loop_test(t, updates, 0, all);
  tcase_add_loop_test(t, other_uses_of_the_solver, 0, all);
  tcase_add_loop_test(t, solves_that_go_on_where_a_monitor_stopped_them, 0, all);
  suite_add_tcase(suite, t);
  t = tcase_create("several solvers");
  tcase_add_loop_test(t, solvers_in_turn, 0, 2);
  tcase_add_loop_test(t, solvers_that_share_fields, 0, all);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
