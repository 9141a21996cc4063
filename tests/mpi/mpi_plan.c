/* Plans and reductions over MPI, on a duplicate of a communicator with reversed ranks, so that a
 * world rank used in place of a context rank is detected. */
#include "multigrid/backend.h"
#include "support/mpi.h"
#include "support/plan.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7 };

static hymg_context *backwards_context(void)
{
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm);
  hymg_context *context = NULL;
  ck_assert_int_eq(hymg_context_create_mpi(comm, NULL, &context), HYMG_OK);
  MPI_Comm_free(&comm); /* the context has its own */
  ck_assert_int_eq(hymg_context_rank(context), size - 1 - rank);
  ck_assert_int_eq(hymg_context_ranks(context), size);
  return context;
}

/* ---- exchanges ---- */

static void exchange(hymg_context *context, const hymgi_plan *plan, const support_boxes *src,
                     support_boxes *dst)
{
  hymgi_exchange_begin(context, &support_mover, plan, src->local.box, src->data, dst->local.box,
                       dst->data);
  hymgi_comm_progress(plan->requests);
  hymgi_exchange_end(context, &support_mover, plan, dst->local.box, dst->data, NULL);
  ck_assert_msg(context->status == HYMG_OK, "%s", context->error);
}

/* The mover does not count its writes: what the plan moves is moved once more, counted. */
static void count_writes(const hymgi_plan *plan, const support_boxes *src, support_boxes *dst)
{
  support_local(plan, src, dst);
  support_unpack(plan, plan->receive_buffer, dst);
}

static void make_plan(hymg_context *context, const hymgi_pull *rule, int tag, hymgi_plan **plan)
{
  ck_assert_int_eq(hymgi_plan_create(context, rule, tag, plan), HYMG_OK);
  ck_assert_int_eq(hymgi_plan_allocate(*plan, hymgi_cpu_backend()->memory), HYMG_OK);
}

static void try_halo(hymg_context *context, const hymgi_decomp *d, unsigned periodic)
{
  for (int kind = 0; kind < 3; kind++) {
    support_boxes b = support_boxes_of(context, d, hymg_context_rank(context), periodic);
    support_fill_interior(&b);
    hymgi_plan *plan = NULL;
    const hymgi_pull rule = hymgi_halo_rule(&b.side, (hymgi_halo)kind, 2, periodic);
    make_plan(context, &rule, TAG, &plan);
    exchange(context, plan, &b, &b);
    exchange(context, plan, &b, &b); /* a plan is used again and again */
    count_writes(plan, &b, &b);
    support_check_halo(&b, (hymgi_halo)kind, 2, d->n, periodic, "halo over MPI");
    hymgi_plan_destroy(&plan);
    support_boxes_free(&b);
  }
}

static void try_transfer(hymg_context *context, const hymgi_decomp *fine,
                         const hymgi_decomp *coarse, unsigned periodic)
{
  const int rank = hymg_context_rank(context);
  support_boxes patches = support_patches_of(context, fine, rank, periodic);
  support_boxes boxes = support_boxes_of(context, coarse, rank, periodic);
  hymgi_plan *gather = NULL, *scatter = NULL;
  const hymgi_pull down = hymgi_gather_rule(&patches.side, &boxes.side);
  const hymgi_pull up = hymgi_scatter_rule(&patches.side, &boxes.side, 2, periodic);
  make_plan(context, &down, TAG + 1, &gather);
  make_plan(context, &up, TAG + 2, &scatter);
  support_fill_interior(&patches);
  exchange(context, gather, &patches, &boxes);
  count_writes(gather, &patches, &boxes);
  support_check_gather(&boxes, "gather over MPI");
  support_fill_boundaries(&boxes, coarse->n);
  exchange(context, scatter, &boxes, &patches);
  count_writes(scatter, &boxes, &patches);
  support_check_scatter(&patches, 2, coarse->n, periodic, "scatter over MPI");
  hymgi_plan_destroy(&gather);
  hymgi_plan_destroy(&scatter);
  support_boxes_free(&patches);
  support_boxes_free(&boxes);
}

START_TEST(exchanges_over_mpi_move_every_cell_once)
{
  hymg_context *context = backwards_context();
  for (int c = 0; c < 2 * support_num_cuts; c++)
    for (unsigned periodic = 0; periodic < 8; periodic += 7) {
      hymgi_decomp *level[SUPPORT_MAX_LEVELS];
      support_cut cut = support_cuts[c / 2];
      if (c % 2) cut.gather = (hymgi_gathering){.below = INT64_MAX, .whole = INT64_MAX};
      const int levels = support_levels(context, &cut, hymg_context_ranks(context), level);
      for (int l = 0; l < levels; l++) {
        try_halo(context, level[l], periodic);
        if (l > 0) try_transfer(context, level[l - 1], level[l], periodic);
      }
      support_levels_free(level, levels);
    }
  hymg_context_destroy(&context);
}
END_TEST

/* ---- reductions ---- */

START_TEST(maxima_keep_signs_and_nan)
{
  hymg_context *context = backwards_context();
  const int rank = hymg_context_rank(context), last = hymg_context_ranks(context) - 1;
  double v[100];
  for (int i = 0; i < 100; i++)
    v[i] = -1.0 - i - rank;
  v[1] = rank == last ? NAN : INFINITY;
  v[2] = rank == last ? -0.0 : -1e-300;
  v[3] = rank == last ? 1e-310 : -INFINITY;
  ck_assert_int_eq(hymgi_comm_max_double(context, context->comm, v, 100), HYMG_OK);
  ck_assert(isnan(v[1]));
  ck_assert(v[2] == 0.0);
  ck_assert(v[3] == 1e-310);
  ck_assert(v[0] == -1.0 && v[99] == -100.0);
  double one = rank == 0 ? -NAN : 1.0;
  ck_assert_int_eq(hymg_context_max(context, &one), HYMG_OK);
  ck_assert(isnan(one));
  ck_assert_int_eq(hymg_context_max(context, NULL), HYMG_EINVAL);
  ck_assert_int_eq(hymg_context_barrier(context), HYMG_OK);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(sums_and_broadcasts_reach_all)
{
  hymg_context *context = backwards_context();
  const int rank = hymg_context_rank(context), ranks = hymg_context_ranks(context);
  int64_t sum[2] = {(int64_t)1 << 40, rank};
  ck_assert_int_eq(hymgi_comm_sum_int64(context, context->comm, sum, 2), HYMG_OK);
  ck_assert(sum[0] == ((int64_t)1 << 40) * ranks && sum[1] == ranks * (ranks - 1) / 2);
  char text[16] = "other";
  if (rank == ranks - 1) strcpy(text, "root");
  ck_assert_int_eq(hymgi_comm_bcast(context, context->comm, ranks - 1, text, sizeof text), HYMG_OK);
  ck_assert_str_eq(text, "root");
  ck_assert_int_ge(hymg_context_nodes(context), 1);
  ck_assert_int_le(hymg_context_nodes(context), ranks);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(subsets_hold_their_members_in_order)
{
  hymg_context *context = backwards_context();
  const int rank = hymg_context_rank(context), ranks = hymg_context_ranks(context);
  for (int members = 0; members <= ranks; members++) {
    hymgi_comm *subset = NULL;
    const int member = rank >= ranks - members;
    ck_assert_int_eq(hymgi_comm_subset(context, context->comm, member, &subset), HYMG_OK);
    ck_assert_int_eq(hymgi_comm_size(subset), member ? members : 1);
    ck_assert_int_eq(hymgi_comm_rank(subset), member ? rank - (ranks - members) : 0);
    if (!member || members == 1) ck_assert_ptr_null(subset);
    int64_t count = 1;
    ck_assert_int_eq(hymgi_comm_sum_int64(context, subset, &count, 1), HYMG_OK);
    ck_assert_int_eq(count, member ? members : 1);
    hymgi_comm *same = NULL; /* all of the subset again */
    if (subset) ck_assert_int_eq(hymgi_comm_subset(context, subset, 1, &same), HYMG_OK);
    ck_assert_int_eq(hymgi_comm_size(same), hymgi_comm_size(subset));
    ck_assert_int_eq(hymgi_comm_rank(same), hymgi_comm_rank(subset));
    count = rank + 1;
    ck_assert_int_eq(hymgi_comm_sum_int64(context, same, &count, 1), HYMG_OK);
    if (same) ck_assert_int_eq(count, (int64_t)members * (2 * ranks - members + 1) / 2);
    hymgi_comm_destroy(&same);
    hymgi_comm_destroy(&subset);
  }
  ck_assert_int_eq(hymg_context_barrier(context), HYMG_OK);
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(all_ranks_agree_on_the_worst_failure)
{
  hymg_context *context = backwards_context();
  const int rank = hymg_context_rank(context), last = hymg_context_ranks(context) - 1;
  ck_assert_int_eq(hymgi_agree(context, HYMG_OK), HYMG_OK);
  ck_assert_str_eq(hymg_context_error(context), "");
  hymg_status status = HYMG_OK;
  if (rank == last) status = hymgi_fail(context, HYMG_EIO, "disk %d is full", 3);
  ck_assert_int_eq(hymgi_agree(context, status), HYMG_EIO);
  ck_assert_ptr_nonnull(strstr(hymg_context_error(context), "disk 3 is full"));
  char name[32];
  snprintf(name, sizeof name, "rank %d", last);
  if (rank != last) ck_assert_ptr_nonnull(strstr(hymg_context_error(context), name));
  hymg_context_destroy(&context);
}
END_TEST

/* ---- bad input ---- */

static int by_rank(const int box[3], void *user)
{
  return (box[0] + *(const int *)user) % 2;
}

START_TEST(owner_functions_that_differ_are_refused)
{
  hymg_context *context = backwards_context();
  int mine = hymg_context_rank(context) == 0;
  const hymg_grid_desc desc = {
      .n = {16, 16, 16}, .boxes = {2, 2, 2}, .owner = by_rank, .owner_user = &mine};
  hymgi_decomp *d = NULL;
  const bool alone = hymg_context_ranks(context) == 1; /* then rank 1 does not exist */
  ck_assert_int_eq(hymgi_decomp_create(context, &desc, 0, &d), HYMG_EINVAL);
  ck_assert_ptr_null(d);
  ck_assert_ptr_nonnull(
      strstr(hymg_context_error(context), alone ? "ranks are 0 to 0" : "different answers"));
  hymg_context_destroy(&context);
}
END_TEST

START_TEST(bad_communicators_and_options_are_refused_by_all)
{
  hymg_context *context = NULL;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ck_assert_int_eq(hymg_context_create_mpi(MPI_COMM_NULL, NULL, &context), HYMG_EINVAL);
  hymg_context_options options = hymg_context_options_default();
  if (rank == 0) options.threads = 5000; /* one rank's mistake */
  ck_assert_int_eq(hymg_context_create_mpi(MPI_COMM_WORLD, &options, &context), HYMG_EINVAL);
  ck_assert_ptr_null(context);
  options.threads = 3;
  ck_assert_int_eq(hymg_context_create_mpi(MPI_COMM_SELF, &options, &context), HYMG_OK);
  ck_assert_int_eq(hymg_context_ranks(context), 1);
  ck_assert_ptr_null(context->comm);
  hymg_context_destroy(&context);
  ck_assert_ptr_null(context);
}
END_TEST

int main(int argc, char **argv)
{
  hymg_context *early = NULL;
  int failed =
      hymg_context_create_mpi(MPI_COMM_WORLD, NULL, &early) != HYMG_EINVAL; /* not initialised */
  support_mpi_init(&argc, &argv);
  if (failed) fprintf(stderr, "a context was made before MPI_Init\n");
  Suite *suite = suite_create("plan over MPI");
  TCase *tests = tcase_create("exchange and reductions");
  tcase_add_test(tests, exchanges_over_mpi_move_every_cell_once);
  tcase_add_test(tests, maxima_keep_signs_and_nan);
  tcase_add_test(tests, sums_and_broadcasts_reach_all);
  tcase_add_test(tests, subsets_hold_their_members_in_order);
  tcase_add_test(tests, all_ranks_agree_on_the_worst_failure);
  tcase_add_test(tests, owner_functions_that_differ_are_refused);
  tcase_add_test(tests, bad_communicators_and_options_are_refused_by_all);
  suite_add_tcase(suite, tests);
  failed += support_run_mpi(suite);
  support_mpi_finalize();
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
