/* Failures on the GPU return an error code and leak nothing: allocations, launches and waits that
 * fail at any point, a lost device, a card that is too small. Where CUDA allows it, the same
 * context and the same solver work afterwards as if nothing had happened. */
#include "support/gpu.h"
#include "support/twin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a program that stops at the first error ---- */

typedef struct program {
  hymg_context *context;
  hymg_grid *grid;
  hymg_field *beta[3], *boundary_data, *f, *u;
  hymg_operator *op;
  hymg_solver *solver;
} program;

enum { N = 8, CELLS = N * N * N };

static const int zero[3] = {0, 0, 0}, whole[3] = {N, N, N};
static const ptrdiff_t rows[3] = {1, N, N *N};

#define THEN(call)                                                                                 \
  if (status == HYMG_OK) status = (call)

static hymg_status make_operator(program *p, hymg_stencil stencil)
{
  hymg_grid_desc gd = hymg_grid_desc_default();
  hymg_operator_desc od = hymg_operator_desc_default();
  hymg_status status = HYMG_OK;
  memcpy(gd.n, whole, sizeof whole);
  THEN(hymg_grid_create(p->context, &gd, &p->grid));
  for (int d = 0; d < 3; d++) {
    THEN(hymg_field_create_in(p->grid, d ? HYMG_DEVICE : HYMG_HOST,
                              (hymg_centering)(HYMG_FACE_X + d), HYMG_DOUBLE, &p->beta[d]));
    THEN(hymg_field_fill(p->beta[d], 1.0 + 0.1 * d));
    od.beta[d] = p->beta[d];
  }
  if (stencil == HYMG_FV2) {
    THEN(hymg_field_create_in(p->grid, HYMG_DEVICE, HYMG_BOUNDARY_Y_HIGH, HYMG_DOUBLE,
                              &p->boundary_data));
    THEN(hymg_field_fill(p->boundary_data, 0.3));
    od.boundary_data[3] = p->boundary_data;
  }
  od.stencil = stencil;
  THEN(hymg_operator_create(p->grid, &od, &p->op));
  return status;
}

typedef struct setting {
  hymg_stencil stencil;
  hymg_method method;
  int64_t host_cells, tail_cells;
  hymg_memory memory;
  bool pairs;
} setting;

static hymg_status make_solver(program *p, const setting *s)
{
  hymg_options o = hymg_options_default();
  hymg_status status = HYMG_OK;
  o.backend = HYMG_BACKEND_CUDA;
  o.host_cells = s->host_cells;
  o.tail_cells = s->tail_cells;
  o.memory = s->memory;
  o.method = s->method;
  if (s->pairs) o.path = HYMG_PATH_ROBUST, o.transfer = HYMG_TRANSFER_PAIRS;
  o.rtol = 1e-8;
  THEN(hymg_solver_create(p->op, &o, &p->solver));
  return status;
}

/* f in the layout of the solver, u in plain rows on the host: one is used in place, one converted.
 * */
static hymg_status make_fields(program *p)
{
  hymg_status status = HYMG_OK;
  THEN(hymg_field_create(p->grid, p->solver, HYMG_CELL, HYMG_DOUBLE, &p->f));
  THEN(hymg_field_create_in(p->grid, HYMG_HOST, HYMG_CELL, HYMG_DOUBLE, &p->u));
  return status;
}

static hymg_status write_and_solve(program *p)
{
  hymg_status status = HYMG_OK;
  double *values = support_random(CELLS, -1, 1, 2);
  THEN(hymg_field_write(p->f, zero, whole, rows, values, HYMG_HOST));
  THEN(hymg_field_fill(p->u, NAN));
  THEN(hymg_solve(p->solver, p->f, p->u, NULL));
  free(values);
  return status;
}

/* One launch per step; the coarse end in one launch; a transition from managed memory to the host; graphs. */
static const setting settings[] = {
    {HYMG_FV2, HYMG_MG, .host_cells = 0, .tail_cells = 0},
    {HYMG_FV4, HYMG_FMG, .host_cells = 0, .tail_cells = 1000},
    {HYMG_FV2, HYMG_MGPCG, .host_cells = 100, .memory = HYMG_MEMORY_MANAGED},
    {HYMG_FV2, HYMG_MG, .pairs = true}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static hymg_status run(program *p, const setting *s)
{
  hymg_status status = HYMG_OK;
  THEN(make_operator(p, s->stencil));
  THEN(make_solver(p, s));
  THEN(make_fields(p));
  THEN(write_and_solve(p));
  return status;
}

static void end(program *p)
{
  hymg_field_destroy(&p->u);
  hymg_field_destroy(&p->f);
  hymg_solver_destroy(&p->solver);
  hymg_operator_destroy(&p->op);
  hymg_field_destroy(&p->boundary_data);
  for (int d = 0; d < 3; d++)
    hymg_field_destroy(&p->beta[d]);
  hymg_grid_destroy(&p->grid);
}

static program begin(void)
{
  program p = {0};
  ck_assert_int_eq(hymg_context_create(NULL, &p.context), HYMG_OK);
  return p;
}

static void assert_solution(program *p, const double *want, const char *what, int nth)
{
  double *got = support_poison(CELLS);
  OK(p->context, hymg_field_read(p->u, zero, whole, rows, got, HYMG_HOST));
  ck_assert_msg(support_same_bits(CELLS, got, want), "%s %d: u differs by %.3g", what, nth,
                support_difference(CELLS, got, want));
  free(got);
}

/* u without failures, and whether all memory was returned: this is the first use of the device. */
static double *undisturbed(const setting *s)
{
  program p = begin();
  double *u = support_poison(CELLS);
  OK(p.context, run(&p, s));
  OK(p.context, hymg_field_read(p.u, zero, whole, rows, u, HYMG_HOST));
  ck_assert_double_gt(support_max(CELLS, u), 0.0);
  ck_assert(support_max(CELLS, u) < INFINITY);
  end(&p);
  hymg_context_destroy(&p.context);
  return u;
}

/* ---- what is in use ---- */

typedef struct usage {
  size_t bytes, alive;
} usage;

static usage in_use(void)
{
  const usage u = {support_gpu_used(), support_gpu_alive()};
  return u;
}

static void assert_freed(usage before, const char *what, int nth)
{
  const usage now = in_use();
  ck_assert_msg(now.bytes <= before.bytes && now.alive == before.alive,
                "%s %d: %zu bytes and %zu things more than before are in use", what, nth,
                now.bytes - before.bytes, now.alive - before.alive);
}

static void assert_failed(const program *p, hymg_status status, hymg_status want, const char *what,
                          int nth)
{
  ck_assert_msg(status == want, "%s %d: %s, not %s; text: %s", what, nth, hymg_status_name(status),
                hymg_status_name(want), hymg_context_error(p->context));
  ck_assert_msg(hymg_context_error(p->context)[0] != 0, "%s %d: no text", what, nth);
}

/* ---- the emulation's failures: from the first call on, at any place ---- */

/* One run in which the nth call of a kind fails; returns true if none did. Afterwards the context,
 * and the solver if it existed already, must work as usual. */
static bool survives(const setting *s, const char *kind, int nth, hymg_status want, const double *u)
{
  char spec[32];
  const usage before = in_use();
  program p = begin();
  snprintf(spec, sizeof spec, "%s:%d", kind, nth);
  support_gpu_emulate("FAIL", spec);
  const hymg_status status = run(&p, s);
  support_gpu_emulate("FAIL", NULL);
  if (status != HYMG_OK) {
    assert_failed(&p, status, want, kind, nth);
    if (p.u) {
      OK(p.context, write_and_solve(&p));
      assert_solution(&p, u, "after a failure of", nth);
    }
    end(&p);
    OK(p.context, run(&p, s));
  }
  assert_solution(&p, u, spec, nth);
  end(&p);
  hymg_context_destroy(&p.context);
  assert_freed(before, kind, nth);
  return status == HYMG_OK;
}

/* Stops only after several n beyond the last call: a failure that was ignored would otherwise end
 * the search. */
static void fail_at_every_place(const setting *s, const char *kind, hymg_status want, double growth)
{
  double *u = undisturbed(s);
  int fine = 0, first_fine = 0, failed = 0;
  for (double nth = 1.0; fine < 5; nth = floor(nth * growth) + 1.0) {
    const bool survived = survives(s, kind, (int)nth, want, u);
    ck_assert_msg(survived || !fine, "%s %d failed, yet %d was passed over in silence", kind,
                  (int)nth, first_fine);
    if (survived && fine++ == 0) first_fine = (int)nth;
    failed += !survived;
  }
  ck_assert_int_gt(failed, 0);
  free(u);
}

START_TEST(every_allocation_may_fail)
{
  fail_at_every_place(&settings[_i], "malloc", HYMG_ENOMEM, 1.0);
}
END_TEST

START_TEST(any_launch_may_fail)
{
  fail_at_every_place(&settings[_i], "launch", HYMG_ECUDA, 1.25);
}
END_TEST

/* Nothing works until the device is back, but memory is released. */
START_TEST(a_device_may_be_lost_at_any_wait)
{
  const setting *s = &settings[_i];
  double *u = undisturbed(s);
  int fine = 0;
  for (int nth = 1; fine < 3; nth += 1 + nth / 8) {
    char spec[32];
    const usage before = in_use();
    program p = begin();
    snprintf(spec, sizeof spec, "sync:%d", nth);
    support_gpu_emulate("FAIL", spec);
    const hymg_status status = run(&p, s);
    if (status != HYMG_OK) {
      assert_failed(&p, status, HYMG_ECUDA, "sync", nth);
      if (p.u) ck_assert_int_eq(write_and_solve(&p), HYMG_ECUDA);
    } else {
      fine++;
      assert_solution(&p, u, "sync", nth);
    }
    end(&p);
    hymg_context_destroy(&p.context);
    support_gpu_emulate("FAIL", NULL);
    assert_freed(before, "sync", nth);
  }
  double *again = undisturbed(s);
  ck_assert(support_same_bits(CELLS, u, again));
  free(again);
  free(u);
}
END_TEST

/* ---- launches that fail late, on any GPU ---- */

enum { NEVER = 1 << 30 };

/* Launches of one call. */
static int launches_of(program *p, hymg_status (*call)(program *p))
{
  support_gpu_fail_launch(p->context, NEVER);
  OK(p->context, call(p));
  const int count = NEVER - support_gpu_launches_left(p->context);
  support_gpu_fail_launch(p->context, 0);
  return count;
}

static hymg_status update(program *p)
{
  return hymg_solver_update(p->solver);
}

static hymg_status apply(program *p)
{
  return hymg_apply(p->solver, 0, p->u, p->u);
}

static hymg_status norm(program *p)
{
  double max = 0.0;
  return hymg_field_max(p->f, &max);
}

static hymg_status second_solver(program *p)
{
  hymg_solver *solver = NULL;
  hymg_options o = hymg_options_default();
  o.backend = HYMG_BACKEND_CUDA;
  o.host_cells = o.tail_cells = 0;
  const hymg_status status = hymg_solver_create(p->op, &o, &solver);
  ck_assert((status == HYMG_OK) == (solver != NULL));
  hymg_solver_destroy(&solver);
  return status;
}

/* Every launch of a call fails once (or a sample of them); afterwards the solver gives the same
 * result as before. */
static void fail_in(program *p, hymg_status (*call)(program *p), const char *name, const double *u)
{
  const int launches = launches_of(p, call);
  ck_assert_msg(launches > 0, "%s launches nothing", name);
  OK(p->context, write_and_solve(p)); /* an update dropped the recordings */
  const usage before = in_use();
  for (int nth = 1; nth <= launches; nth += 1 + nth / 6) {
    support_gpu_fail_launch(p->context, nth);
    assert_failed(p, call(p), HYMG_ECUDA, name, nth);
    support_gpu_fail_launch(p->context, 0);
    OK(p->context, hymg_solver_update(p->solver)); /* what a failed update asks for */
    OK(p->context, write_and_solve(p));
    assert_solution(p, u, name, nth);
    assert_freed(before, name, nth);
  }
}

START_TEST(a_launch_that_fails_late_fails_its_call)
{
  double *u = undisturbed(&settings[_i]);
  program p = begin();
  OK(p.context, run(&p, &settings[_i]));
  fail_in(&p, update, "update", u);
  fail_in(&p, apply, "apply", u);
  fail_in(&p, norm, "max", u);
  fail_in(&p, second_solver, "create", u);
  end(&p);
  hymg_context_destroy(&p.context);
  free(u);
}
END_TEST

/* The first solve is recorded, later ones are replayed. */
START_TEST(a_launch_that_fails_late_fails_its_recording)
{
  const setting *s = &settings[_i];
  double *u = undisturbed(s);
  program p = begin();
  OK(p.context, run(&p, s));
  for (int nth = 1, launches = NEVER; nth <= launches; nth += 1 + nth / 6) {
    hymg_solver_destroy(&p.solver);
    OK(p.context, make_solver(&p, s));
    if (launches == NEVER) launches = launches_of(&p, write_and_solve);
    hymg_solver_destroy(&p.solver);
    OK(p.context, make_solver(&p, s));
    support_gpu_fail_launch(p.context, nth);
    assert_failed(&p, write_and_solve(&p), HYMG_ECUDA, "recorded solve", nth);
    support_gpu_fail_launch(p.context, 0);
    for (int time = 0; time < 3; time++) {
      OK(p.context, write_and_solve(&p));
      assert_solution(&p, u, "after a failed recording", nth);
    }
  }
  end(&p);
  hymg_context_destroy(&p.context);
  free(u);
}
END_TEST

/* The message names the device's compute capability, what the code is for, and the option that mends it. */
START_TEST(a_device_older_than_the_code_is_refused)
{
  program p = begin();
  support_gpu_emulate("ARCH", "86"), support_gpu_emulate("CODE", "90");
  const hymg_status status = make_operator(&p, HYMG_FV2);
  const hymg_build build = hymg_build_info();
  support_assert_error(p.context, status, HYMG_EUNSUPPORTED, "compute capability 8.6",
                       "--cuda-arch=86", build.cuda, NULL);
  end(&p);
  support_gpu_emulate("CODE", NULL);
  OK(p.context, run(&p, &settings[0])); /* nothing is left of the failure */
  support_gpu_emulate("ARCH", NULL);
  end(&p);
  hymg_context_destroy(&p.context);
}
END_TEST

int main(void)
{
  const int of_emulation = twin_emulated() ? SETTINGS : 0;
  Suite *suite = suite_create("failures on the GPU");
  TCase *t = tcase_create("at any place, emulated");
  tcase_add_loop_test(t, every_allocation_may_fail, 0, of_emulation);
  tcase_add_loop_test(t, any_launch_may_fail, 0, of_emulation);
  tcase_add_loop_test(t, a_device_may_be_lost_at_any_wait, 0, of_emulation);
  if (twin_emulated()) tcase_add_test(t, a_device_older_than_the_code_is_refused);
  suite_add_tcase(suite, t);
  t = tcase_create("late");
  tcase_add_loop_test(t, a_launch_that_fails_late_fails_its_call, 0, SETTINGS);
  tcase_add_loop_test(t, a_launch_that_fails_late_fails_its_recording, 0, SETTINGS);
  suite_add_tcase(suite, t);
  return twin_run(suite);
}
