/* Ranks with GPUs that exchange through NCCL: the same bits as the host, no message through MPI,
 * and after a failure on one rank, wherever it is detected, all ranks report it in time and the
 * next solve is correct. */
#define _GNU_SOURCE
#include "support/comm.h"
#include "support/mpi_gpu.h"
#include "support/probe.h"

static bool has_nccl(void)
{
  return *hymg_build_info().nccl && has_own_gpus();
}

START_TEST(nccl_gives_the_same_bits)
{
  if (has_nccl() && !is_left_out(_i, 2)) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_NCCL, 0);
}
END_TEST

/* Ranks of pretended nodes share the GPUs of the one there is, which NCCL does not take; emulated
 * nodes are nodes to it. */
START_TEST(nccl_between_nodes_gives_the_same_bits)
{
  char host[16];
  if (!twin_emulated() || !has_nccl() || is_left_out(_i, 3)) return;
  snprintf(host, sizeof host, "%d", support_rank(MPI_COMM_WORLD) / 2);
  support_gpu_emulate("HOST", host);
  check(_i % CASES, _i / CASES, HYMG_TRANSPORT_NCCL, 2);
  support_gpu_emulate("HOST", NULL);
}
END_TEST

/* Auto takes it on several nodes once it has been probed, and lays out levels for it. */
START_TEST(the_probe_decides_on_nccl)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  char file[64], host[16];
  bool works = false;
  twin_way way = cuda;
  support_layout layout = layout_of(1);
  if (!twin_emulated() || !has_nccl() || is_single()) return;
  const twin t = twin_of_case(2);
  snprintf(host, sizeof host, "%d", support_rank(MPI_COMM_WORLD));
  support_gpu_emulate("HOST", host);
  name_file(file);
  expect(cuda, 1, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED, "");
  probe(hymg_probe_nccl_messages, file);
  expect(cuda, 1, file, HYMG_TRANSPORT_NCCL, HYMG_TRANSPORT_NCCL, "worked when probed");
  expect(with(HYMG_TRANSPORT_STAGED, HYMG_MEMORY_DEVICE), 1, file, HYMG_TRANSPORT_STAGED,
         HYMG_TRANSPORT_STAGED, "as asked for");
  expect(with(HYMG_TRANSPORT_AUTO, HYMG_MEMORY_MANAGED), 1, file, HYMG_TRANSPORT_STAGED,
         HYMG_TRANSPORT_STAGED, "managed");
  layout.context = support_context(MPI_COMM_WORLD, 1);
  if (ranks != 2)
    ck_assert_int_eq(hymg_probe_nccl_messages(layout.context, file, &works), HYMG_EINVAL);
  hymgi_comm_regroup(layout.context, layout.context->comm, support_rank(MPI_COMM_WORLD));
  way.probe_file = file;
  twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
  support_all_agree(twin_unlike(&got, &want), "auto between nodes");
  twin_answer_free(&got);
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
  support_gpu_emulate("HOST", NULL);
  support_gpu_emulate("DEVICES", "1");
  layout.context = support_context(MPI_COMM_WORLD, 1);
  if (ranks == 2) {
    ck_assert_int_eq(hymg_probe_nccl_messages(layout.context, file, &works), HYMG_EUNSUPPORTED);
    ck_assert_str_eq(hymg_context_error(layout.context), "this NCCL: ranks 0 and 1 share a GPU");
  }
  hymg_context_destroy(&layout.context);
  support_gpu_emulate("DEVICES", "8");
  expect(cuda, 0, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_NONE, "maps");
  MPI_Barrier(MPI_COMM_WORLD);
  if (support_rank(MPI_COMM_WORLD) == 0) unlink(file);
}
END_TEST

/* MPI's messages in a second solve, from its recording. */
static int messages_of_a_solve(hymg_transport transport)
{
  const twin t = twin_of_case(0);
  const twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout);
  twin_solution first = twin_solve(&o);
  calls_watched = 0;
  watched = layout.context;
  hymg_result result;
  OK(layout.context, hymg_solve(o.k.solver, o.ff, o.u, &result));
  watched = NULL;
  twin_solution_free(&first);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
  return calls_watched;
}

START_TEST(nccl_leaves_no_message_to_mpi)
{
  if (is_single() || !has_nccl()) return;
  ck_assert_int_gt(messages_of_a_solve(HYMG_TRANSPORT_STAGED), 0);
  ck_assert_int_eq(messages_of_a_solve(HYMG_TRANSPORT_NCCL), 0);
  calls_while_recording = 0; /* staged messages may be sent at any time */
}
END_TEST

START_TEST(a_failure_on_one_rank_ends_nccl)
{
  if (!is_single() && has_nccl()) fail_on_last(HYMG_TRANSPORT_NCCL, 20 * (_i + 1), false);
}
END_TEST

START_TEST(a_failed_cycle_on_one_rank_ends_nccl)
{
  if (is_single() || !has_nccl()) return;
  fail_cycles(HYMG_TRANSPORT_NCCL, 1, support_small() ? 13 : 5);
}
END_TEST

START_TEST(a_failed_update_on_one_rank_ends_nccl)
{
  if (!is_single() && has_nccl()) fail_updates_on_last(0, HYMG_TRANSPORT_NCCL);
}
END_TEST

/* Making a second solver fails on the last rank, at every fifth launch that it takes: what was sent
 * by then and not taken does not reach the first one. */
START_TEST(a_solver_that_cannot_be_made_leaves_no_messages)
{
  enum { STEP = 5, MOST = 500 };
  if (is_single() || !has_nccl()) return;
  const twin t = twin_of_case(0);
  const twin_way way = with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE);
  const hymg_options options = twin_options(&t, &way);
  const bool last = support_rank(MPI_COMM_WORLD) == support_ranks(MPI_COMM_WORLD) - 1;
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout);
  twin_solution want = twin_solve(&o);
  hymg_status status = HYMG_ECUDA;
  int nth = 1;
  for (; status != HYMG_OK && nth < MOST; nth += STEP) {
    hymg_solver *second = NULL;
    if (last) support_gpu_fail_launch(layout.context, nth);
    status = hymg_solver_create(o.k.op, &options, &second);
    if (last) support_gpu_fail_launch(layout.context, 0);
    ck_assert_all_have(status);
    hymg_solver_destroy(&second);
    twin_solution got = twin_solve(&o);
    support_all_agree(twin_unlike_solution(&got, &want), "after another solver's failure");
    twin_solution_free(&got);
  }
  ck_assert_int_gt(nth, 5 * STEP);
  ck_assert_int_lt(nth, MOST);
  twin_solution_free(&want);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

/* The first launch of a recording fails, and with it go all messages of this rank. Another solver
 * of the context has recordings with messages of the same communicator. */
START_TEST(a_recording_that_fails_on_one_rank_reaches_all)
{
  if (!twin_emulated() || is_single() || !has_nccl()) return;
  const twin t = twin_of_case(0);
  const twin_way way = with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE);
  support_layout layout = layout_of(1);
  const size_t alive = support_gpu_alive();
  hymg_result result;
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout), other = twin_begin(&t, &way, &layout);
  twin_solution want = twin_solve(&o), same = twin_solve(&other);
  if (support_rank(MPI_COMM_WORLD) == 0) support_gpu_emulate("FAIL", "launch:1");
  const double start = hymgi_seconds();
  ck_assert_int_eq(hymg_solve(o.k.solver, o.ff, o.u, &result), HYMG_ECUDA);
  ck_assert_double_lt(hymgi_seconds() - start, support_seconds(30));
  support_gpu_emulate("FAIL", NULL);
  twin_solution first = twin_solve(&other), second = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&first, &same), "the other solver");
  support_all_agree(twin_unlike_solution(&second, &want), "after a failure");
  twin_solution_free(&want);
  twin_solution_free(&same);
  twin_solution_free(&first);
  twin_solution_free(&second);
  twin_end(&o);
  twin_end(&other);
  hymg_context_destroy(&layout.context);
  ck_assert_uint_eq(support_gpu_alive(), alive);
}
END_TEST

/* On the last rank alone. */
START_TEST(a_communicator_that_cannot_be_made_is_an_error)
{
  hymg_transport_info info;
  if (!twin_emulated() || is_single() || !has_nccl()) return;
  const bool last = support_rank(MPI_COMM_WORLD) == support_ranks(MPI_COMM_WORLD) - 1;
  const twin_way way = with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE);
  if (last) support_gpu_emulate("FAIL", "nccl:1");
  ck_assert_int_eq(choose(way, 0, NULL, &info), HYMG_EMPI);
  ck_assert_msg(strstr(info.reason, "ncclCommInitRank") != NULL, "%s", info.reason);
  support_gpu_emulate("FAIL", NULL);
  expect(way, 0, NULL, HYMG_TRANSPORT_NCCL, HYMG_TRANSPORT_NONE, "asked for");
}
END_TEST

/* NCCL tells rank 0 of a failure while it waits for the last rank, which comes late. */
START_TEST(an_error_that_nccl_tells_ends_the_wait)
{
  if (!twin_emulated() || is_single() || !has_nccl()) return;
  const twin t = twin_of_case(0);
  const twin_way way = with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE);
  const int rank = support_rank(MPI_COMM_WORLD);
  support_layout layout = layout_of(1);
  hymg_result result;
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout);
  twin_solution want = twin_solve(&o);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) support_gpu_emulate("FAIL", "async:1");
  if (rank == support_ranks(MPI_COMM_WORLD) - 1) usleep(300000);
  const hymg_status status = hymg_solve(o.k.solver, o.ff, o.u, &result);
  support_gpu_emulate("FAIL", NULL);
  ck_assert_int_eq(status, HYMG_EMPI);
  ck_assert_msg(strstr(hymg_context_error(layout.context), "NCCL: remote") != NULL, "%s",
                hymg_context_error(layout.context));
  twin_solution again = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&again, &want), "after a failure");
  twin_solution_free(&again);
  twin_solution_free(&want);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

START_TEST(nccl_is_not_waited_for_for_ever)
{
  if (!is_single() && has_nccl()) fail_on_last(HYMG_TRANSPORT_NCCL, 40, true);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("messages by NCCL");
  TCase *t = tcase_create("nccl");
  tcase_add_loop_test(t, nccl_gives_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_loop_test(t, nccl_between_nodes_gives_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_test(t, the_probe_decides_on_nccl);
  tcase_add_test(t, nccl_leaves_no_message_to_mpi);
  tcase_add_loop_test(t, a_failure_on_one_rank_ends_nccl, 0, 3);
  tcase_add_test(t, nccl_is_not_waited_for_for_ever);
  tcase_add_test(t, a_failed_cycle_on_one_rank_ends_nccl);
  tcase_add_test(t, a_failed_update_on_one_rank_ends_nccl);
  tcase_add_test(t, a_solver_that_cannot_be_made_leaves_no_messages);
  tcase_add_test(t, a_recording_that_fails_on_one_rank_reaches_all);
  tcase_add_test(t, a_communicator_that_cannot_be_made_is_an_error);
  tcase_add_test(t, an_error_that_nccl_tells_ends_the_wait);
  suite_add_tcase(suite, t);
  return suite;
}

int main(int argc, char **argv)
{
  return support_main_gpus(argc, argv, *hymg_build_info().nccl ? NULL : "this build has no NCCL", 4,
                           make_suite);
}
