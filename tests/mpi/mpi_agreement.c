/* Collective calls that go wrong on one rank, or get other arguments there, fail on every rank with a
 * text that says what and where: NULLs, bad values, failing allocations, arguments that differ. The
 * odd rank is the last one. */
#include "support/mpi.h"

#include "support/faults.h"

#include <stdlib.h>
#include <string.h>

static hymg_context *context;
static support_kit kit;
static support_case plain;
static hymg_field *f, *u, *coarse[2]; /* on levels 0 and 1 */
static bool odd;                      /* this rank */

static void open_kit(void)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  plain = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "dd dd dd", 1.0);
  context = support_context(MPI_COMM_WORLD, 1);
  kit = support_open(&plain.spec, &(support_layout){.context = context}, &o);
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &u));
  for (int m = 0; m < 2; m++)
    OK(context, hymg_field_create_on_level(kit.solver, 1, &coarse[m]));
  odd = hymg_context_rank(context) == hymg_context_ranks(context) - 1;
}

static void close_kit(void)
{
  for (int m = 0; m < 2; m++)
    hymg_field_destroy(&coarse[m]);
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&kit);
  support_case_free(&plain);
  hymg_context_destroy(&context);
}

/* The call failed like this on every rank, and its text names the odd rank elsewhere. */
static void refused(hymg_status got, hymg_status want, const char *where)
{
  char last[32];
  const char *text = hymg_context_error(context), *what = NULL;
  snprintf(last, sizeof last, "rank %d", hymg_context_ranks(context) - 1);
  if (got != want)
    what = hymg_status_name(got);
  else if (!*text || (!odd && !strstr(text, last)))
    what = text;
  support_all_agree(what, where);
}

/* ---- NULLs and bad values ---- */

START_TEST(a_null_on_one_rank_is_refused_on_all)
{
  const hymg_grid_desc d = hymg_grid_desc_default();
  const hymg_operator_desc od = hymg_operator_desc_default();
  hymg_field *flux[3] = {NULL, NULL, NULL};
  hymg_grid *grid = NULL;
  hymg_solver *solver = NULL;
  hymg_need need;
  char text[HYMG_ADVICE];
  double value = 0;
  refused(hymg_context_max(context, odd ? NULL : &value), HYMG_EINVAL, "context_max");
  refused(hymg_grid_create(context, odd ? NULL : &d, &grid), HYMG_EINVAL, "grid_create, desc");
  refused(hymg_grid_create(context, &d, odd ? NULL : &grid), HYMG_EINVAL, "grid_create, grid");
  refused(hymg_solver_create(kit.op, NULL, odd ? NULL : &solver), HYMG_EINVAL, "solver_create");
  refused(hymg_solver_need(kit.grid, &od, 0, NULL, odd ? NULL : &need), HYMG_EINVAL, "need");
  refused(hymg_solver_need(kit.grid, odd ? NULL : &od, 0, NULL, &need), HYMG_EINVAL, "need, desc");
  refused(hymg_field_max(f, odd ? NULL : &value), HYMG_EINVAL, "field_max");
  refused(hymg_field_rms(f, odd ? NULL : &value), HYMG_EINVAL, "field_rms");
  refused(hymg_field_mean(f, odd ? NULL : &value), HYMG_EINVAL, "field_mean");
  refused(hymg_field_dot(f, f, odd ? NULL : &value), HYMG_EINVAL, "field_dot");
  refused(hymg_field_dot(odd ? NULL : f, f, &value), HYMG_EINVAL, "field_dot, x");
  refused(hymg_field_dot(f, odd ? NULL : f, &value), HYMG_EINVAL, "field_dot, y");
  refused(hymg_solve(kit.solver, odd ? NULL : f, u, NULL), HYMG_EINVAL, "solve, f");
  refused(hymg_solve(kit.solver, f, odd ? NULL : u, NULL), HYMG_EINVAL, "solve, u");
  refused(hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, false, odd ? NULL : f, u), HYMG_EINVAL,
          "cycle");
  refused(hymg_apply(kit.solver, 0, odd ? NULL : f, u), HYMG_EINVAL, "apply");
  refused(hymg_residual(kit.solver, 0, odd ? NULL : f, u, u), HYMG_EINVAL, "residual");
  refused(hymg_restrict(kit.solver, 0, odd ? NULL : f, coarse[0]), HYMG_EINVAL, "restrict");
  refused(hymg_fluxes(kit.solver, odd ? NULL : f, flux), HYMG_EINVAL, "fluxes, u");
  refused(hymg_fluxes(kit.solver, f, odd ? NULL : flux), HYMG_EINVAL, "fluxes, flux");
  refused(hymg_solver_advice(kit.solver, NULL, odd ? NULL : text, sizeof text), HYMG_EINVAL,
          "advice");
  refused(hymg_field_save(f, odd ? NULL : "f.vti"), HYMG_EINVAL, "save");
  support_all_agree(grid || solver ? "an object came back" : NULL, "objects");
  OK(context, hymg_solve(kit.solver, f, u, NULL));
}
END_TEST

START_TEST(a_bad_value_on_one_rank_is_refused_on_all)
{
  hymg_options o = hymg_options_default();
  hymg_operator_desc od = hymg_operator_desc_default();
  hymg_grid_desc d = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  hymg_solver *solver = NULL;
  hymg_need need;
  o.rtol = odd ? -1 : o.rtol;
  od.b = odd ? -1 : od.b;
  d.spacing[1] = odd ? 0 : d.spacing[1];
  refused(hymg_grid_create(context, &d, &grid), HYMG_EINVAL, "grid");
  refused(hymg_solver_create(kit.op, &o, &solver), HYMG_EINVAL, "create");
  refused(hymg_solver_need(kit.grid, &od, 0, NULL, &need), HYMG_EINVAL, "need, b");
  od.b = 1;
  refused(hymg_solver_need(kit.grid, &od, 0, &o, &need), HYMG_EINVAL, "need, rtol");
  refused(hymg_solver_need(kit.grid, &od, odd ? 17 : 0, NULL, &need), HYMG_EINVAL, "variable");
  refused(hymg_solve_on_level(kit.solver, odd ? 99 : 0, f, u, NULL), HYMG_EINVAL, "solve, level");
  refused(hymg_solve_on_level(kit.solver, odd ? -1 : 0, f, u, NULL), HYMG_EINVAL, "solve, -1");
  refused(hymg_apply(kit.solver, odd ? 99 : 0, f, u), HYMG_EINVAL, "apply, level");
  refused(hymg_restrict(kit.solver, odd ? 99 : 0, f, coarse[0]), HYMG_EINVAL, "restrict, level");
  refused(hymg_solver_cycle(kit.solver, (hymg_cycle)(odd ? 17 : 0), false, f, u), HYMG_EINVAL,
          "cycle");
  support_all_agree(grid || solver ? "an object came back" : NULL, "objects");
  OK(context, hymg_solve(kit.solver, f, u, NULL));
}
END_TEST

/* ---- failing allocations ---- */

START_TEST(a_context_fails_on_all_ranks_or_none)
{
  hymg_status status = HYMG_ENOMEM;
  for (int nth = 1; status != HYMG_OK; nth++) {
    hymg_context *c = NULL;
    if (odd) faults_set(FAULTS_MEMORY, nth);
    status = hymg_context_create_mpi(MPI_COMM_WORLD, NULL, &c);
    faults_end();
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    support_all_agree(worst == (int)status ? NULL : hymg_status_name(status), "status");
    support_all_agree((status == HYMG_OK) == (c != NULL) ? NULL : "context", "context");
    ck_assert(status == HYMG_OK || (status == HYMG_ENOMEM && nth < 10));
    /* context, communicator, three lists; a single rank has the context alone */
    ck_assert(status != HYMG_OK || nth > (support_ranks(MPI_COMM_WORLD) > 1 ? 5 : 1));
    hymg_context_destroy(&c);
  }
}
END_TEST

START_TEST(the_first_allocation_of_a_call_fails_on_all)
{
  const hymg_operator_desc od = hymg_operator_desc_default();
  const hymg_grid_desc d = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  hymg_solver *solver = NULL;
  hymg_need need;
  if (odd) faults_set(FAULTS_MEMORY, 1);
  refused(hymg_grid_create(context, &d, &grid), HYMG_ENOMEM, "grid");
  if (odd) faults_set(FAULTS_MEMORY, 1);
  refused(hymg_solver_create(kit.op, NULL, &solver), HYMG_ENOMEM, "create");
  for (int nth = 1; nth <= 2; nth++) {
    if (odd) faults_set(FAULTS_MEMORY, nth);
    refused(hymg_solver_need(kit.grid, &od, 0, NULL, &need), HYMG_ENOMEM, "need");
  }
  faults_end();
  support_all_agree(grid || solver ? "an object came back" : NULL, "objects");
}
END_TEST

/* Of the allocations of a field, the last is that of its values; some of 5 ranks have none. */
START_TEST(the_text_has_the_memory_that_was_refused)
{
  const char *text = "";
  if (hymg_grid_num_local(kit.grid) == 0) return;
  for (int nth = 1; strstr(text, "host memory") == NULL; nth++) {
    hymg_field *x = NULL;
    faults_set(FAULTS_MEMORY, nth);
    const hymg_status status = hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &x);
    faults_end();
    ck_assert_int_eq(status, HYMG_ENOMEM);
    ck_assert_ptr_null(x);
    text = hymg_context_error(context);
  }
  ck_assert_msg(strstr(text, "GB of host memory") && strstr(text, "GB free"), "%s", text);
}
END_TEST

/* ---- arguments that differ ---- */

/* EINVAL on every rank, and a text with the argument, rank 0 and the odd rank. */
static void differs(hymg_status got, const char *argument)
{
  char last[32];
  const char *text = hymg_context_error(context), *what = NULL;
  snprintf(last, sizeof last, "%d", hymg_context_ranks(context) - 1);
  if (got != HYMG_EINVAL)
    what = hymg_status_name(got);
  else if (!strstr(text, argument) || !strstr(text, "rank") || !strstr(text, last))
    what = text;
  support_all_agree(what, argument);
}

static int first_rank(const int box[3], void *user)
{
  return user ? 1 : box[0] * 0;
}

START_TEST(a_grid_that_differs_is_refused)
{
  static const char *const name[] = {"n[1]",      "spacing[2]", "boundary[0]",       "boxes[2]",
                                     "widths[1]", "cuts[0]",    "extrapolation_box", "owner"};
  double widths[2][8] = {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 2}};
  const int cuts[2][2] = {{4, 4}, {2, 6}};
  hymg_grid_desc d = {.n = {8, 8, 8}, .spacing = {1, 1, 1}};
  hymg_grid *grid = NULL;
  if (_i == 0 && odd) d.n[1] = 16;
  if (_i == 1 && odd) d.spacing[2] = 1.0000000001;
  if (_i == 2 && odd) d.boundary[0] = HYMG_NEUMANN;
  if (_i == 3) d.boxes[0] = 2, d.boxes[1] = 2, d.boxes[2] = odd ? 4 : 2;
  if (_i == 4) d.widths[1] = widths[odd];
  if (_i == 5) d.boxes[0] = 2, d.boxes[1] = d.boxes[2] = 1, d.cuts[0] = cuts[odd];
  if (_i == 6) d.extrapolation_box = odd ? 4 : 8;
  if (_i == 7 && odd) d.owner = first_rank;
  differs(hymg_grid_create(context, &d, &grid), name[_i]);
  support_all_agree(grid ? "a grid came back" : NULL, name[_i]);
}
END_TEST

static bool goes_on(const hymg_cycle_record *record, int cycle, void *user)
{
  (void)record, (void)cycle, (void)user;
  return true;
}

START_TEST(options_that_differ_are_refused)
{
  static const char *const other[] = {
      "method=mgpcg",       "cycle=w",           "path=standard",  "transfer=tensor",
      "smoother=jacobi",    "sweeps=12",         "bottom=cg",      "interpolation-v=p0",
      "interpolation-f=p1", "rtol=1e-8",         "atol=1e-30",     "norm=2",
      "max-cycles=7",       "initial-guess=yes", "rhs-mean=error", "backend=host",
      "memory=managed",     "host-cells=5",      "tail-cells=5",   "tuning=estimate",
      "transport=staged",   "gather-cells=5",    "peer-seconds=3", "precision=mixed",
      "stagnation=9",       "halo-layers=4",     "gather=all"};
  enum { OTHERS = sizeof other / sizeof *other };
  hymg_option_info info;
  ck_assert(hymg_option_get(OTHERS - 1, &info) && !hymg_option_get(OTHERS, &info));
  for (int m = 0; m <= OTHERS; m++) {
    hymg_options o = hymg_options_default();
    hymg_solver *solver = NULL;
    hymg_need need;
    o.method = HYMG_MG;
    o.cycle = HYMG_CYCLE_V;
    if (odd && m < OTHERS) ck_assert_int_eq(hymg_options_parse(&o, other[m], NULL, 0), HYMG_OK);
    if (odd && m == OTHERS) o.monitor = goes_on;
    char key[32] = "monitor";
    if (m < OTHERS) snprintf(key, sizeof key, "%.*s", (int)strcspn(other[m], "="), other[m]);
    differs(hymg_solver_create(kit.op, &o, &solver), key);
    hymg_operator_desc d = hymg_operator_desc_default();
    differs(hymg_solver_need(kit.grid, &d, 0, &o, &need), key);
    support_all_agree(solver ? "a solver came back" : NULL, key);
  }
}
END_TEST

START_TEST(operators_that_differ_are_refused)
{
  static const char *const name[] = {"stencil", "extrapolation",  "a ",
                                     "b ",      "alpha_constant", "beta_constant",
                                     "alpha",   "beta",           "boundary_data[3]"};
  for (int m = 0; m < 9; m++) {
    hymg_operator_desc d = hymg_operator_desc_default();
    hymg_operator *op = NULL;
    hymg_solver *solver = NULL;
    hymg_field *data = NULL;
    OK(context, hymg_field_create(kit.grid, NULL, HYMG_BOUNDARY_X_HIGH + 2, HYMG_DOUBLE, &data));
    if (odd && m == 0) d.stencil = HYMG_FV4;
    if (odd && m == 1) d.extrapolation = HYMG_EXTRAPOLATION_LINEAR;
    if (odd && m == 2) d.a = 3;
    if (odd && m == 3) d.b = 3;
    if (odd && m == 4) d.alpha_constant = 3;
    if (odd && m == 5) d.beta_constant = 3;
    if (odd && m == 6) d.alpha = kit.coefficient[HYMG_CELL];
    for (int axis = 0; odd && m == 7 && axis < 3; axis++)
      d.beta[axis] = kit.coefficient[HYMG_FACE_X + axis];
    if (odd && m == 8) d.boundary_data[3] = data;
    OK(context, hymg_operator_create(kit.grid, &d, &op));
    differs(hymg_solver_create(op, NULL, &solver), name[m]);
    support_all_agree(solver ? "a solver came back" : NULL, name[m]);
    hymg_field_destroy(&data);
    hymg_operator_destroy(&op);
  }
}
END_TEST

START_TEST(an_update_with_other_numbers_is_refused)
{
  hymg_operator_desc d = kit.desc;
  d.b = odd ? 2 : 3;
  OK(context, hymg_operator_set(kit.op, &d));
  differs(hymg_solver_update(kit.solver), "b ");
  d.b = 3;
  OK(context, hymg_operator_set(kit.op, &d));
  OK(context, hymg_solver_update(kit.solver));
}
END_TEST

START_TEST(levels_solvers_and_grids_that_differ_are_refused)
{
  hymg_solver *other = NULL;
  hymg_field *values = NULL, *faces[3] = {NULL, NULL, NULL};
  support_kit second = support_open(&plain.spec, &(support_layout){.context = context}, NULL);
  double value;
  OK(context, hymg_solver_create(kit.op, NULL, &other));
  OK(context, hymg_field_create(second.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &values));
  OK(context, hymg_field_create(kit.grid, NULL, HYMG_FACE_X, HYMG_DOUBLE, &faces[0]));
  differs(hymg_solve(odd ? other : kit.solver, f, u, NULL), "solver");
  differs(hymg_solve_on_level(kit.solver, odd, odd ? coarse[0] : f, odd ? coarse[1] : u, NULL),
          "level");
  differs(hymg_solver_cycle(kit.solver, odd ? HYMG_CYCLE_W : HYMG_CYCLE_V, false, f, u), "kind");
  differs(hymg_solver_cycle(kit.solver, HYMG_CYCLE_V, odd, f, u), "from_u");
  differs(hymg_solver_update(odd ? other : kit.solver), "solver");
  differs(hymg_field_max(odd ? values : f, &value), "grid");
  differs(hymg_field_max(odd ? coarse[0] : f, &value), "level");
  differs(odd ? hymg_field_max(f, &value) : hymg_field_mean(f, &value), "call");
  differs(odd ? hymg_apply(kit.solver, 0, f, u) : hymg_solve(kit.solver, f, u, NULL), "call");
  hymg_field *const none[3] = {NULL, NULL, NULL};
  differs(hymg_field_save(f, odd ? "odd.vtr" : "even.vti"), "file");
  differs(hymg_fluxes(kit.solver, u, odd ? none : faces), "flux[0]");
  OK(context, hymg_solve(kit.solver, f, u, NULL));
  hymg_field_destroy(&faces[0]);
  hymg_field_destroy(&values);
  hymg_solver_destroy(&other);
  support_close(&second);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
  TCase *t = tcase_create(name);
  tcase_add_checked_fixture(t, open_kit, close_kit);
  suite_add_tcase(suite, t);
  return t;
}

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("agreement of ranks");
  const bool several = support_ranks(MPI_COMM_WORLD) > 1; /* else nothing can differ */
  TCase *t = add_case(suite, "NULL");
  tcase_add_test(t, a_null_on_one_rank_is_refused_on_all);
  t = add_case(suite, "bad value");
  tcase_add_test(t, a_bad_value_on_one_rank_is_refused_on_all);
  t = add_case(suite, "context");
  tcase_add_test(t, a_context_fails_on_all_ranks_or_none);
  t = add_case(suite, "no memory");
  tcase_add_test(t, the_first_allocation_of_a_call_fails_on_all);
  tcase_add_test(t, the_text_has_the_memory_that_was_refused);
  t = add_case(suite, "grid");
  if (several) tcase_add_loop_test(t, a_grid_that_differs_is_refused, 0, 8);
  t = add_case(suite, "options");
  if (several) tcase_add_test(t, options_that_differ_are_refused);
  t = add_case(suite, "operator");
  if (several) tcase_add_test(t, operators_that_differ_are_refused);
  t = add_case(suite, "update");
  if (several) tcase_add_test(t, an_update_with_other_numbers_is_refused);
  t = add_case(suite, "other objects");
  if (several) tcase_add_test(t, levels_solvers_and_grids_that_differ_are_refused);
  int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
