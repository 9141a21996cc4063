/* An error on one rank is reported on all: bad coefficients, NaN in f, a monitor that stops,
 * a failure within an iteration, invalid owners, boxes narrower than the halo. Queries about levels
 * give the same answer on all ranks. */
#include "support/mpi.h"

#include "base/error.h"
#include "comm/context.h"
#include <math.h>
#include <stdlib.h>

static hymg_context *context;
static support_kit kit;
static support_case plain;

static void open_kit(void)
{
  hymg_options o = hymg_options_default();
  o.method = HYMG_MG;
  plain = support_case_of(HYMG_FV2, (const int[3]){16, 16, 16}, "dd dd dd", 1.0);
  plain.spec.extrapolation = HYMG_EXTRAPOLATION_LINEAR; /* CG on the robust path */
  context = support_context(MPI_COMM_WORLD, 1);
  kit = support_open(&plain.spec, &(support_layout){.context = context, .boxes = {4, 2, 2}}, &o);
}

static void close_kit(void)
{
  support_close(&kit);
  support_case_free(&plain);
  hymg_context_destroy(&context);
}

static const char *refusal(hymg_status got, hymg_status want)
{
  if (got != want) return hymg_status_name(got);
  return hymg_context_error(context)[0] ? NULL : "no text";
}

static void set_corner(hymg_field *field, double value)
{
  static const int corner[3] = {15, 15, 15}, one[3] = {1, 1, 1};
  static const ptrdiff_t stride[3] = {1, 1, 1};
  OK(context, hymg_field_write_own(field, corner, one, stride, &value, HYMG_HOST));
}

START_TEST(a_negative_coefficient_on_one_rank_is_refused_on_all)
{
  hymg_centering centering = _i ? HYMG_FACE_X : HYMG_CELL;
  hymg_solver *solver = NULL;
  set_corner(kit.coefficient[centering], -2.0);
  support_all_agree(refusal(hymg_solver_create(kit.op, NULL, &solver), HYMG_EINVAL), "create");
  support_all_agree(solver ? "a solver came back" : NULL, "create");
  support_all_agree(refusal(hymg_solver_update(kit.solver), HYMG_EINVAL), "update");
  set_corner(kit.coefficient[centering], 1.0);
  support_all_agree(refusal(hymg_solver_update(kit.solver), HYMG_OK) ? "refused" : NULL,
                    "update with good values");
}
END_TEST

START_TEST(a_nan_on_one_rank_ends_the_solve_on_all)
{
  hymg_field *f = NULL, *u = NULL;
  hymg_result r;
  OK(context, hymg_field_create(kit.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &u));
  OK(context, hymg_field_fill(f, 1.0));
  set_corner(f, NAN);
  OK(context, hymg_solve(kit.solver, f, u, &r));
  support_all_agree(r.reason == HYMG_REASON_NOT_FINITE ? NULL : hymg_reason_name(r.reason),
                    "NaN in f");
  double max = 0.0;
  OK(context, hymg_field_max(f, &max));
  support_all_agree(isnan(max) ? NULL : "max is no NaN", "NaN in f");
  set_corner(f, 1.0);
  OK(context, hymg_solve(kit.solver, f, u, &r));
  support_all_agree(r.converged ? NULL : hymg_reason_name(r.reason), "the next solve");
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
}
END_TEST

/* The last rank alone wants to stop. */
static bool stop_on_last(const hymg_cycle_record *record, int cycle, void *user)
{
  const int *last = user;
  (void)record;
  return !(cycle >= 1 && *last);
}

typedef struct solving {
  hymg_solver *solver;
  hymg_field *f, *u;
} solving;

static solving open_solver(const hymg_options *o)
{
  solving s = {0};
  OK(context, hymg_solver_create(kit.op, o, &s.solver));
  OK(context, hymg_field_create(kit.grid, s.solver, HYMG_CELL, HYMG_DOUBLE, &s.f));
  OK(context, hymg_field_create(kit.grid, s.solver, HYMG_CELL, HYMG_DOUBLE, &s.u));
  OK(context, hymg_field_fill(s.f, 1.0));
  return s;
}

static void close_solver(solving *s)
{
  hymg_field_destroy(&s->f);
  hymg_field_destroy(&s->u);
  hymg_solver_destroy(&s->solver);
}

START_TEST(a_monitor_that_stops_on_one_rank_stops_all)
{
  int last = hymg_context_rank(context) == hymg_context_ranks(context) - 1;
  hymg_options o = hymg_options_default();
  hymg_result r;
  o.method = HYMG_MG;
  o.rtol = 1e-14;
  o.monitor = stop_on_last;
  o.monitor_user = &last;
  solving s = open_solver(&o);
  OK(context, hymg_solve(s.solver, s.f, s.u, &r));
  support_all_agree(r.reason == HYMG_REASON_STOPPED && r.cycles <= 3 ? NULL
                                                                     : hymg_reason_name(r.reason),
                    "monitor");
  close_solver(&s);
}
END_TEST

typedef struct failing {
  bool on;
  int seen; /* iterations */
} failing;

/* On the last rank something fails during the third iteration, as a call of CUDA may; the residual is
 * garbage then, here a large number. */
static bool fail_on_last(const hymg_cycle_record *record, int cycle, void *user)
{
  failing *const state = user;
  state->seen = cycle + 1;
  if (!state->on || cycle != 2) return true;
  ((hymg_cycle_record *)record)->residual_max = 1000;
  if (hymg_context_rank(context) == hymg_context_ranks(context) - 1)
    context->status = hymgi_fail(context, HYMG_ENOMEM, "failed on purpose");
  return true;
}

/* The iteration must not go on, nor decide anything, as about its transfer, from garbage: the solve
 * made again has the same bits. */
START_TEST(a_failure_on_one_rank_ends_the_iteration_on_all)
{
  static const hymg_method methods[] = {HYMG_MG, HYMG_MGPCG, HYMG_MG};
  static const hymg_path paths[] = {HYMG_PATH_STANDARD, HYMG_PATH_STANDARD, HYMG_PATH_ROBUST};
  static const int low[3] = {0, 0, 0}, count[3] = {16, 16, 16};
  static const ptrdiff_t stride[3] = {1, 16, 256};
  static double want[4096], got[4096];
  failing state = {0};
  hymg_options o = hymg_options_default();
  o.method = methods[_i], o.path = paths[_i];
  o.cycle = HYMG_CYCLE_V;
  o.rtol = 1e-12;
  o.monitor = fail_on_last;
  o.monitor_user = &state;
  solving s = open_solver(&o);
  OK(context, hymg_solve(s.solver, s.f, s.u, NULL));
  OK(context, hymg_field_read_own(s.u, low, count, stride, want, HYMG_HOST));
  ck_assert_int_gt(state.seen, 3);
  state.on = true;
  support_all_agree(refusal(hymg_solve(s.solver, s.f, s.u, NULL), HYMG_ENOMEM), "solve");
  support_all_agree(state.seen == 3 ? NULL : "another number of iterations", "solve");
  state.on = false;
  OK(context, hymg_solve(s.solver, s.f, s.u, NULL));
  OK(context, hymg_field_read_own(s.u, low, count, stride, got, HYMG_HOST));
  support_all_agree(support_same_bits(4096, got, want) ? NULL : "other bits", "again");
  close_solver(&s);
}
END_TEST

static int no_such_rank(const int box[3], void *user)
{
  const int *ranks = user;
  return box[0] == 1 ? *ranks : 0;
}

START_TEST(a_wrong_field_on_one_rank_is_refused_on_all)
{
  hymg_field *fine = NULL, *coarse = NULL;
  OK(context, hymg_field_create(kit.grid, kit.solver, HYMG_CELL, HYMG_DOUBLE, &fine));
  OK(context, hymg_field_create_on_level(kit.solver, 1, &coarse));
  hymg_field *const x = hymg_context_rank(context) == 0 ? coarse : fine;
  support_all_agree(refusal(hymg_apply(kit.solver, 0, x, fine), HYMG_EINVAL), "apply");
  support_all_agree(refusal(hymg_residual(kit.solver, 0, fine, x, fine), HYMG_EINVAL), "residual");
  support_all_agree(refusal(hymg_restrict(kit.solver, 0, x, coarse), HYMG_EINVAL), "restrict");
  support_all_agree(refusal(hymg_solve(kit.solver, x, fine, NULL), HYMG_EINVAL), "solve");
  hymg_field_destroy(&fine);
  hymg_field_destroy(&coarse);
}
END_TEST

START_TEST(an_owner_that_does_not_exist_is_refused)
{
  int ranks = hymg_context_ranks(context);
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_grid *grid = NULL;
  desc.boxes[0] = desc.boxes[1] = desc.boxes[2] = 2;
  desc.owner = no_such_rank;
  desc.owner_user = &ranks;
  support_all_agree(refusal(hymg_grid_create(context, &desc, &grid), HYMG_EINVAL), "owner");
  support_all_agree(grid ? "a grid came back" : NULL, "owner");
}
END_TEST

START_TEST(boxes_narrower_than_the_halo_are_refused)
{
  int ranks = hymg_context_ranks(context);
  if (ranks == 1) return;
  hymg_grid_desc desc = hymg_grid_desc_default();
  hymg_operator_desc od = hymg_operator_desc_default();
  hymg_grid *grid = NULL;
  hymg_operator *op = NULL;
  hymg_solver *solver = NULL;
  desc.n[0] = desc.n[1] = desc.n[2] = 8;
  desc.boxes[0] = 4;
  desc.boxes[1] = desc.boxes[2] = 1;
  OK(context, hymg_grid_create(context, &desc, &grid));
  od.stencil = HYMG_FV4;
  hymg_status status = hymg_operator_create(grid, &od, &op);
  if (status == HYMG_OK) status = hymg_solver_create(op, NULL, &solver);
  support_all_agree(refusal(status, HYMG_EINVAL), "boxes two cells wide in FV4");
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&grid);
}
END_TEST

START_TEST(levels_look_alike_from_every_rank)
{
  for (int l = 0; l < hymg_solver_num_levels(kit.solver); l++) {
    hymg_level_info info;
    OK(context, hymg_solver_level(kit.solver, l, &info));
    double mine[6] = {info.cells[0], info.box[1],     (double)info.boxes,
                      info.ranks,    info.spacing[2], info.lambda_max};
    double first[6];
    for (int i = 0; i < 6; i++)
      first[i] = mine[i];
    MPI_Bcast(first, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    support_all_agree(support_same_bits(6, mine, first) ? NULL : "another level info", "levels");
    ck_assert_int_ge(info.ranks, 1);
    ck_assert_int_le(info.ranks, hymg_context_ranks(context));
  }
}
END_TEST

START_TEST(reductions_span_the_context)
{
  double value = hymg_context_rank(context), sum = 0.0, one = 1.0;
  OK(context, hymg_context_max(context, &value));
  ck_assert_double_eq(value, hymg_context_ranks(context) - 1);
  value = hymg_context_rank(context) == 0 ? NAN : 1.0;
  OK(context, hymg_context_max(context, &value));
  ck_assert_double_nan(value);
  OK(context, hymg_context_barrier(context));
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  ck_assert_double_eq(sum, hymg_context_ranks(context));
  ck_assert_int_ge(hymg_context_nodes(context), 1);
  ck_assert_int_le(hymg_context_nodes(context), hymg_context_ranks(context));
}
END_TEST

START_TEST(an_incompatible_singular_system_is_refused_on_all)
{
  support_case c = support_case_of(HYMG_FV2, (const int[3]){8, 8, 8}, "pp pp pp", 0.0);
  hymg_options o = hymg_options_default();
  o.rhs_mean = HYMG_MEAN_ERROR;
  support_kit k = support_open(&c.spec, &(support_layout){.context = context}, &o);
  hymg_field *f = NULL, *u = NULL;
  OK(context, hymg_field_create(k.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &f));
  OK(context, hymg_field_create(k.grid, NULL, HYMG_CELL, HYMG_DOUBLE, &u));
  OK(context, hymg_field_fill(f, 1.0));
  support_all_agree(refusal(hymg_solve(k.solver, f, u, NULL), HYMG_EINVAL), "mean of f");
  hymg_field_destroy(&f);
  hymg_field_destroy(&u);
  support_close(&k);
  support_case_free(&c);
}
END_TEST

int main(int argc, char **argv)
{
  support_mpi_init(&argc, &argv);
  Suite *suite = suite_create("errors on ranks");
  TCase *t = tcase_create("errors");
  tcase_add_checked_fixture(t, open_kit, close_kit);
  tcase_add_loop_test(t, a_negative_coefficient_on_one_rank_is_refused_on_all, 0, 2);
  tcase_add_test(t, a_nan_on_one_rank_ends_the_solve_on_all);
  tcase_add_test(t, a_monitor_that_stops_on_one_rank_stops_all);
  tcase_add_loop_test(t, a_failure_on_one_rank_ends_the_iteration_on_all, 0, 3);
  tcase_add_test(t, a_wrong_field_on_one_rank_is_refused_on_all);
  tcase_add_test(t, an_owner_that_does_not_exist_is_refused);
  tcase_add_test(t, boxes_narrower_than_the_halo_are_refused);
  tcase_add_test(t, levels_look_alike_from_every_rank);
  tcase_add_test(t, reductions_span_the_context);
  tcase_add_test(t, an_incompatible_singular_system_is_refused_on_all);
  suite_add_tcase(suite, t);
  int status = support_run_mpi(suite);
  support_mpi_finalize();
  return status;
}
