/* Ranks with GPUs: every transport gives the same bits as the host, the choice is reported with its
 * reason, what is impossible is refused or replaced, and after a failure on one rank all ranks
 * report it in time and the next solve is correct. */
#define _GNU_SOURCE
#include "kernel_table.h"
#include "support/comm.h"
#include "support/device_messages.h"
#include "support/mpi_gpu.h"
#include "support/probe.h"

#include <unistd.h>

/* ---- the same bits ---- */

/* On levels of all sizes; with a minus before it on none. */
static bool take_form(hymg_context *context, const char *name)
{
  const bool never = name[0] == '-';
  return hymgi_kernel_form_from(context, name + never, never ? INT64_MAX : 1);
}

START_TEST(staged_messages_give_the_same_bits)
{
  if (is_left_out(_i, 3)) return;
  check(_i % CASES, _i / CASES, HYMG_TRANSPORT_STAGED, 0);
}
END_TEST

START_TEST(device_messages_give_the_same_bits)
{
  if (is_left_out(_i, 2)) return;
  pretend(1);
  if (MPIX_Query_cuda_support() == 1) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_DEVICE, 0);
  pretend(-1);
}
END_TEST

START_TEST(peers_give_the_same_bits)
{
  if (is_left_out(_i, 1)) return;
  if (has_own_gpus()) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_PEER, 0);
}
END_TEST

/* Levels of fewer cells on one rank alone. */
static void check_gathered(int index, int boxes, int64_t cells)
{
  const twin t = twin_of_case(index);
  twin_way way = {.name = "gathered", .backend = HYMG_BACKEND_CUDA, .gather_cells = cells};
  char where[100];
  support_layout layout = layout_of(boxes);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open host = twin_begin(&t, &twin_host, &layout), o = twin_begin(&t, &way, &layout);
  twin_solution want = twin_solve(&host), got = twin_solve(&o);
  snprintf(where, sizeof where, "case %d, boxes %d, gathered below %d", index, boxes, (int)cells);
  support_all_agree(twin_unlike_solution(&got, &want), where);
  for (int l = 1; l < hymg_solver_num_levels(o.k.solver); l++) {
    hymg_level_info info;
    OK(layout.context, hymg_solver_level(o.k.solver, l, &info));
    const int64_t all = (int64_t)info.cells[0] * info.cells[1] * info.cells[2];
    ck_assert(is_single() || all >= cells || (info.ranks == 1 && info.boxes == 1));
    const hymgi_level *fine = o.k.solver->h.level + l - 1, *coarse = fine + 1;
    if (!fine->direct && fine->num_boxes == 1 && coarse->num_boxes == 1 && coarse->ranks == 1 &&
        fine->backend == coarse->backend)
      ck_assert(fine->inside && !fine->patch_vector && fine->gather->num_local == 0);
  }
  twin_solution_free(&got);
  twin_solution_free(&want);
  twin_end(&o);
  twin_end(&host);
  hymg_context_destroy(&layout.context);
}

/* Kernels that are for large levels, on small ones: red and black in one pass, and marched. */
START_TEST(kernels_of_large_levels_give_the_same_bits)
{
  static const char *const kernels[] = {"-fv2_gsrb_peer",   "fv2_gsrb_fused", "fv2_gsrb_march",
                                        "fv2_both_colours", "fv4_march",      "fv4_march_tma",
                                        "fv2_relax_march"};
  static const char *const boundaries[] = {"dd dd dd", "pp pp pp", "nd pp dd", "dd dn pp"};
  enum { KERNELS = sizeof kernels / sizeof *kernels };
  const twin_way way = {.name = "large", .backend = HYMG_BACKEND_CUDA};
  twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 32, 16, 24, boundaries[_i / 2]);
  t.boundaries = _i == 4;
  if (_i % 2 && _i / 2 > 1) return; /* FV4 has no such boundaries */
  has_own_gpus();
  for (int boxes = 0; boxes < 2; boxes++) {
    support_layout layout = layout_of(0);
    if (boxes) layout.boxes[0] = layout.boxes[1] = layout.boxes[2] = 2;
    layout.context = support_context(MPI_COMM_WORLD, 1);
    for (int m = boxes ? 0 : 1; m < KERNELS; m++) /* one box: sweeps exchange by themselves */
      ck_assert(take_form(layout.context, kernels[m]));
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    support_all_agree(twin_unlike(&got, &want), boundaries[_i / 2]);
    twin_answer_free(&got);
    twin_answer_free(&want);
    hymg_context_destroy(&layout.context);
  }
}
END_TEST

static bool exchanges_in_sweeps(const twin *t, const twin_way *way, const support_layout *layout)
{
  const hymgi_halo kind = t->stencil == HYMG_FV2 ? HYMGI_HALO_FACES : HYMGI_HALO_EDGES;
  twin_open o = twin_begin(t, way, layout);
  const hymgi_plan *plan = o.k.solver->h.level[0].halo[kind];
  const bool in_sweeps = plan && plan->in_sweeps;
  twin_end(&o);
  return in_sweeps;
}

START_TEST(sweeps_that_exchange_give_the_same_bits)
{
  const twin_way way = {.name = "fused exchange", .backend = HYMG_BACKEND_CUDA};
  const int ranks = support_ranks(MPI_COMM_WORLD), *cut = fused_cases[_i].cut;
  twin t = twin_cut_along(HYMG_FV2, cut, fused_cases[_i].boundary);
  if (!has_own_gpus() || is_single() || (cut[0] + cut[1] + cut[2] > 1 && ranks != 4)) return;
  t.constant_beta = fused_cases[_i].constant_beta;
  t.a = fused_cases[_i].a;
  for (int m = 0; m < 3; m++) {
    static const char *const kernels[] = {"fv2_gsrb_march", "fv2_gsrb_fused", "-fv2_gsrb_peer"};
    support_layout layout = cut_along(cut);
    layout.context = support_context(MPI_COMM_WORLD, 1);
    ck_assert(take_form(layout.context, kernels[m]));
    ck_assert_int_eq(exchanges_in_sweeps(&t, &way, &layout), m < 2);
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    support_all_agree(twin_unlike(&got, &want), fused_cases[_i].boundary);
    twin_answer_free(&got);
    twin_answer_free(&want);
    hymg_context_destroy(&layout.context);
  }
}
END_TEST

/* Sweeps in parts. */
static void check_overlapped(const twin *t, const int cut[3], hymg_transport transport)
{
  const twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  support_layout layout = cut_along(cut);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  ck_assert(hymgi_kernel_form_from(layout.context, "overlap_staged", 1));
  ck_assert(hymgi_kernel_form_from(layout.context, "overlap", 1));
  twin_answer want = twin_ask(t, &twin_host, &layout), got = twin_ask(t, &way, &layout);
  support_all_agree(twin_unlike(&got, &want), t->boundary);
  ck_assert(support_gpu_has_aside(layout.context));
  twin_answer_free(&got);
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
}

START_TEST(overlapped_sweeps_give_the_same_bits)
{
  static const hymg_smoother smoothers[] = {HYMG_GSRB, HYMG_CHEBYSHEV};
  const int index = _i % FUSED_CASES, kind = _i / FUSED_CASES, *cut = fused_cases[index].cut;
  char boundary[16];
  snprintf(boundary, sizeof boundary, "%s", fused_cases[index].boundary);
  for (char *c = boundary; kind % 2 && *c; c++)
    if (*c == 'n') *c = 'd'; /* FV4 has no others */
  twin t = twin_cut_along(kind % 2 ? HYMG_FV4 : HYMG_FV2, cut, boundary);
  t.smoother = smoothers[kind / 2];
  if (is_single() || (cut[0] + cut[1] + cut[2] > 1 && support_ranks(MPI_COMM_WORLD) != 4)) return;
  if (is_left_out(index + kind, 2)) return;
  t.constant_beta = fused_cases[index].constant_beta;
  t.a = fused_cases[index].a;
  check_overlapped(&t, cut, HYMG_TRANSPORT_STAGED);
  if (kind % 2 && has_own_gpus()) check_overlapped(&t, cut, HYMG_TRANSPORT_PEER);
}
END_TEST

/* The kernel for small levels fills boundary ghosts next to ghosts of other GPUs itself; otherwise
 * this is fused with the exchange. For gsrb one colour is sent. */
START_TEST(exchanges_of_fv4_give_the_same_bits)
{
  static const hymg_smoother smoothers[] = {HYMG_GSRB, HYMG_GSRB, HYMG_CHEBYSHEV};
  static const char *const kernels[] = {NULL, "fv4_march", "fv4_march"};
  const twin_way way = {.name = "exchanges", .backend = HYMG_BACKEND_CUDA};
  const int index = _i / 3, kind = _i % 3;
  const int ranks = support_ranks(MPI_COMM_WORLD), *cut = fused_cases[index].cut;
  char boundary[16];
  snprintf(boundary, sizeof boundary, "%s", fused_cases[index].boundary);
  for (char *c = boundary; *c; c++)
    if (*c == 'n') *c = 'd'; /* FV4 has no others */
  twin t = twin_cut_along(HYMG_FV4, cut, boundary);
  if (!has_own_gpus() || is_single() || (cut[0] + cut[1] + cut[2] > 1 && ranks != 4)) return;
  t.constant_beta = fused_cases[index].constant_beta;
  t.a = fused_cases[index].a;
  t.smoother = smoothers[kind];
  support_layout layout = cut_along(cut);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  if (kernels[kind]) ck_assert(take_form(layout.context, kernels[kind]));
  ck_assert_int_eq(exchanges_in_sweeps(&t, &way, &layout), t.smoother == HYMG_GSRB);
  twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
  support_all_agree(twin_unlike(&got, &want), boundary);
  twin_answer_free(&got);
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
}
END_TEST

/* Across a periodic axis of odd length neighbours have the same colour, so no single colour can be
 * sent. */
START_TEST(odd_periodic_axes_give_the_same_bits)
{
  if (!has_own_gpus() || support_ranks(MPI_COMM_WORLD) < 3) return;
  const twin_way way = {.name = "odd", .backend = HYMG_BACKEND_CUDA};
  twin t = _i % 2 ? twin_of(HYMG_FV2, 8, 9, 8, "dd pp dd") : twin_of(HYMG_FV4, 8, 6, 9, "dd dd pp");
  support_layout layout = {.boxes = {1, _i % 2 ? 3 : 1, _i % 2 ? 1 : 3}};
  if (_i / 2) t.bottom = HYMG_BOTTOM_SMOOTHER;
  layout.context = support_context(MPI_COMM_WORLD, 1);
  ck_assert(!exchanges_in_sweeps(&t, &way, &layout));
  twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
  support_all_agree(twin_unlike(&got, &want), "odd");
  twin_answer_free(&got);
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
}
END_TEST

START_TEST(levels_gathered_early_give_the_same_bits)
{
  if (is_left_out(_i, 2)) return;
  has_own_gpus();
  check_gathered(_i % CASES, _i / CASES, 1 << 18);
  check_gathered(_i % CASES, _i / CASES, 300);
}
END_TEST

START_TEST(peers_of_several_nodes_give_the_same_bits)
{
  if (!has_own_gpus() || is_single() || is_left_out(_i, 2)) return;
  check(_i % CASES, _i / CASES, HYMG_TRANSPORT_PEER, 2);
  pretend(1);
  if (MPIX_Query_cuda_support() == 1) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_AUTO, 2);
  pretend(-1);
}
END_TEST

/* ---- the choice ---- */

START_TEST(the_choice_has_a_reason)
{
  const twin_way automatic = with(HYMG_TRANSPORT_AUTO, HYMG_MEMORY_DEVICE);
  const twin_way staged = with(HYMG_TRANSPORT_STAGED, HYMG_MEMORY_DEVICE);
  const twin_way managed = with(HYMG_TRANSPORT_AUTO, HYMG_MEMORY_MANAGED);
  if (!*hymg_build_info().nccl)
    expect_refusal(with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE), "without NCCL");
  if (is_single()) {
    expect(automatic, 0, NULL, HYMG_TRANSPORT_NONE, HYMG_TRANSPORT_NONE, "one rank");
    return;
  }
  const bool several = support_ranks(MPI_COMM_WORLD) > 2;
  const hymg_transport other = several ? HYMG_TRANSPORT_STAGED : HYMG_TRANSPORT_NONE;
  expect(staged, 0, NULL, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_NONE, "asked for");
  expect(managed, 0, NULL, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_NONE, "managed");
  expect_refusal(with(HYMG_TRANSPORT_PEER, HYMG_MEMORY_MANAGED), "managed");
  if (!has_own_gpus()) return;
  expect(automatic, 0, NULL, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_NONE, "maps");
  if (*hymg_build_info().nccl) {
    const twin_way nccl = with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE);
    expect(nccl, 0, NULL, HYMG_TRANSPORT_NCCL, HYMG_TRANSPORT_NONE, "asked for");
    expect_refusal(with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_MANAGED), "managed");
  }
  pretend(0);
  if (twin_emulated()) {
    expect(automatic, 2, NULL, HYMG_TRANSPORT_PEER, other, several ? "device memory" : "maps");
    expect_refusal(with(HYMG_TRANSPORT_DEVICE, HYMG_MEMORY_DEVICE), "MPIX_Query_cuda_support");
  }
  pretend(-1);
}
END_TEST

START_TEST(ranks_on_one_gpu_are_no_peers)
{
  if (!twin_emulated() || is_single()) return;
  support_gpu_emulate("DEVICES", "1");
  expect(cuda, 0, NULL, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_NONE, "share a GPU");
  expect_refusal(with(HYMG_TRANSPORT_PEER, HYMG_MEMORY_DEVICE), "ranks 0 and 1 share a GPU");
  if (*hymg_build_info().nccl)
    expect_refusal(with(HYMG_TRANSPORT_NCCL, HYMG_MEMORY_DEVICE), "ranks 0 and 1 share a GPU");
}
END_TEST

START_TEST(a_refused_mapping_is_gone_without)
{
  if (!twin_emulated() || is_single()) return;
  support_gpu_emulate("DEVICES", "8");
  /* on one rank alone: all must agree */
  if (support_rank(MPI_COMM_WORLD) == 0) support_gpu_emulate("FAIL", "map:1");
  expect(cuda, 0, NULL, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_NONE, "mapping another GPU's memory");
  support_gpu_emulate("FAIL", NULL);
  support_gpu_emulate("PEER", "0");
  expect_refusal(with(HYMG_TRANSPORT_PEER, HYMG_MEMORY_DEVICE), "mapping another GPU's memory");
  check(0, 1, HYMG_TRANSPORT_AUTO, 0);
  support_gpu_emulate("PEER", NULL);
}
END_TEST

START_TEST(the_probe_decides_on_device_messages)
{
  const int ranks = support_ranks(MPI_COMM_WORLD);
  char file[64];
  bool works = false;
  if (!has_own_gpus()) return;
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  name_file(file);
  pretend(1);
  if (ranks != 2) ck_assert_int_eq(hymg_probe_device_messages(context, file, &works), HYMG_EINVAL);
  if (ranks > 1 && MPIX_Query_cuda_support() == 1) {
    expect(cuda, 1, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED, "not probed");
    probe(hymg_probe_device_messages, file);
    expect(cuda, 1, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_DEVICE, "when probed");
    expect(cuda, 0, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_NONE, "maps");
  }
  if (ranks == 2 && twin_emulated()) {
    support_gpu_emulate("DEVICES", "1");
    expect(cuda, 0, file, HYMG_TRANSPORT_STAGED, HYMG_TRANSPORT_NONE, "share a GPU");
    support_gpu_emulate("DEVICES", "8");
    pretend(0);
    ck_assert_int_eq(hymg_probe_device_messages(context, file, &works), HYMG_EUNSUPPORTED);
    pretend(1);
    expect(cuda, 1, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED, "did not work");
  }
  pretend(-1);
  if (support_rank(MPI_COMM_WORLD) == 0) unlink(file);
  hymg_context_destroy(&context);
}
END_TEST

/* Messages of peers and of MPI in one plan, the latter from device memory. */
START_TEST(device_messages_between_nodes_give_the_same_bits)
{
  char file[64];
  if (!has_own_gpus() || is_single() || is_left_out(_i, 2)) return;
  pretend(1);
  if (MPIX_Query_cuda_support() == 1) {
    twin_way way = cuda;
    const twin t = twin_of_case(_i);
    support_layout layout = layout_of(1);
    name_file(file);
    probe(hymg_probe_device_messages, file);
    way.probe_file = file;
    layout.context = support_context(MPI_COMM_WORLD, 1);
    const int per_node = support_ranks(MPI_COMM_WORLD) > 2 ? 2 : 1;
    hymgi_comm_regroup(layout.context, layout.context->comm,
                       support_rank(MPI_COMM_WORLD) / per_node);
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    support_all_agree(twin_unlike(&got, &want), "between nodes");
    twin_answer_free(&got);
    twin_answer_free(&want);
    hymg_context_destroy(&layout.context);
    if (support_rank(MPI_COMM_WORLD) == 0) unlink(file);
  }
  pretend(-1);
}
END_TEST

/* ---- failures ---- */

START_TEST(a_failure_on_one_rank_reaches_all)
{
  if (is_single()) return;
  fail_on_last(HYMG_TRANSPORT_STAGED, 20 * (_i + 1), false);
  if (has_own_gpus()) fail_on_last(HYMG_TRANSPORT_PEER, 20 * (_i + 1), false);
}
END_TEST

START_TEST(a_failed_cycle_on_one_rank_is_told_to_all)
{
  const hymg_transport transports[] = {HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED};
  if (is_single() || !has_own_gpus()) return;
  fail_cycles(transports[_i], 1, support_small() ? 13 : 3);
}
END_TEST

/* Every allocation during solver creation fails in turn, on the last rank only. */
START_TEST(an_exhausted_gpu_on_one_rank_is_told_to_all)
{
  enum { STEP = 3, MOST = 400 };
  const int last = support_ranks(MPI_COMM_WORLD) - 1;
  hymg_status status = HYMG_ENOMEM;
  if (!twin_emulated() || !has_own_gpus() || last == 0) return;
  int nth = 1, refusals = 0;
  for (; status != HYMG_OK && nth < MOST; nth += STEP) {
    hymg_transport_info info;
    char spec[32];
    snprintf(spec, sizeof spec, "malloc:%d", nth);
    if (support_rank(MPI_COMM_WORLD) == last) support_gpu_emulate("FAIL", spec);
    status = choose(cuda, 0, NULL, &info);
    support_gpu_emulate("FAIL", NULL);
    ck_assert_all_have(status);
    ck_assert(status == HYMG_OK || status == HYMG_ENOMEM);
    refusals += status != HYMG_OK;
  }
  ck_assert_int_lt(nth, MOST);
  ck_assert_int_gt(refusals, 5);
}
END_TEST

START_TEST(a_failed_update_on_one_rank_is_told_to_all)
{
  if (is_single()) return;
  has_own_gpus();
  fail_updates_on_last(_i, HYMG_TRANSPORT_AUTO);
}
END_TEST

/* The graph is launched in parts: the first parts fail in turn, on the last rank only. */
START_TEST(a_failed_part_of_a_recording_is_told_to_all)
{
  if (!twin_emulated() || is_single() || !has_own_gpus()) return;
  const int rank = support_rank(MPI_COMM_WORLD), last = support_ranks(MPI_COMM_WORLD) - 1;
  const twin t = twin_of_case(0);
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &cuda, &layout);
  twin_solution want = twin_solve(&o);
  int failures = 0;
  for (int nth = 1; nth < 8; nth++) {
    char spec[32];
    snprintf(spec, sizeof spec, "launch:%d", nth);
    if (rank == last) support_gpu_emulate("FAIL", spec);
    const double start = hymgi_seconds();
    const hymg_status status = hymg_solve(o.k.solver, o.ff, o.u, NULL);
    const double seconds = hymgi_seconds() - start;
    support_gpu_emulate("FAIL", NULL);
    ck_assert_all_have(status);
    ck_assert(status == HYMG_OK || status == HYMG_ECUDA);
    ck_assert(status == HYMG_OK || strstr(hymg_context_error(layout.context), "CUDA"));
    ck_assert_double_lt(seconds, support_seconds(30));
    failures += status != HYMG_OK;
    twin_solution again = twin_solve(&o);
    support_all_agree(twin_unlike_solution(&again, &want), "after a failure");
    twin_solution_free(&again);
  }
  ck_assert_int_gt(failures, 2);
  twin_solution_free(&want);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

START_TEST(a_failed_norm_on_one_rank_is_told_to_all)
{
  if (is_single()) return;
  const int rank = support_rank(MPI_COMM_WORLD), last = support_ranks(MPI_COMM_WORLD) - 1;
  has_own_gpus();
  const twin t = twin_of_case(0);
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &cuda, &layout);
  twin_solution want = twin_solve(&o);
  double value = -1;
  OK(layout.context, hymg_field_fill(o.u, 2));
  if (rank == last) support_gpu_fail_launch(layout.context, 1);
  ck_assert_int_eq(hymg_field_rms(o.u, &value), HYMG_ECUDA);
  if (rank == last) support_gpu_fail_launch(layout.context, 0);
  ck_assert_double_eq(value, -1);
  OK(layout.context, hymg_field_rms(o.u, &value));
  ck_assert_double_eq(value, 2);
  twin_solution got = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&got, &want), "after a failed norm");
  twin_solution_free(&got);
  twin_solution_free(&want);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

START_TEST(a_gpu_that_does_not_send_is_not_waited_for_for_ever)
{
  if (is_single() || !has_own_gpus()) return;
  fail_on_last(HYMG_TRANSPORT_PEER, 40, true);
}
END_TEST

/* In one direction there is no message back: only the acknowledgement count keeps the sender from
 * overwriting its data. */
START_TEST(messages_one_way_are_not_overtaken)
{
  if (!has_own_gpus()) return;
  const twin t = twin_of_case(0);
  const twin_way way = with(HYMG_TRANSPORT_AUTO, HYMG_MEMORY_DEVICE);
  enum { TIMES = 9 };
  size_t cells, count;
  int n[3];
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout);
  hymg_field *fine = NULL, *coarse = NULL;
  const int level = hymg_solver_num_levels(o.k.solver) - 2;
  support_cells(&o.k, level, n, &cells);
  support_cells(&o.k, level + 1, n, &count);
  OK(o.k.context, hymg_field_create_on_level(o.k.solver, level, &fine));
  OK(o.k.context, hymg_field_create_on_level(o.k.solver, level + 1, &coarse));
  for (int m = 0; m < TIMES; m++) {
    OK(o.k.context, hymg_field_fill(fine, m + 1.5));
    for (int l = level; l < level + 1; l++)
      OK(o.k.context, hymg_restrict(o.k.solver, l, fine, coarse));
    double *got = support_read(&o.k, level + 1, coarse);
    for (size_t i = 0; i < count; i++)
      ck_assert(isnan(got[i]) || got[i] == m + 1.5);
    free(got);
  }
  hymg_field_destroy(&fine);
  hymg_field_destroy(&coarse);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
}
END_TEST

static Suite *make_suite(void)
{
  Suite *suite = suite_create("transports between GPUs");
  TCase *t = tcase_create("transports");
  tcase_add_loop_test(t, staged_messages_give_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_loop_test(t, device_messages_give_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_loop_test(t, peers_give_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_loop_test(t, peers_of_several_nodes_give_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_loop_test(t, kernels_of_large_levels_give_the_same_bits, 0, 8);
  tcase_add_loop_test(t, sweeps_that_exchange_give_the_same_bits, 0, FUSED_CASES);
  tcase_add_loop_test(t, exchanges_of_fv4_give_the_same_bits, 0, 3 * FUSED_CASES);
  tcase_add_loop_test(t, odd_periodic_axes_give_the_same_bits, 0, 4);
  tcase_add_loop_test(t, overlapped_sweeps_give_the_same_bits, 0, 4 * FUSED_CASES);
  tcase_add_loop_test(t, levels_gathered_early_give_the_same_bits, 0, CASES * LAYOUTS);
  tcase_add_test(t, messages_one_way_are_not_overtaken);
  tcase_add_test(t, the_choice_has_a_reason);
  tcase_add_test(t, ranks_on_one_gpu_are_no_peers);
  tcase_add_test(t, a_refused_mapping_is_gone_without);
  tcase_add_test(t, the_probe_decides_on_device_messages);
  tcase_add_loop_test(t, device_messages_between_nodes_give_the_same_bits, 0, CASES);
  suite_add_tcase(suite, t);
  t = tcase_create("failures");
  tcase_add_loop_test(t, a_failure_on_one_rank_reaches_all, 0, 3);
  tcase_add_loop_test(t, a_failed_cycle_on_one_rank_is_told_to_all, 0, 2);
  tcase_add_test(t, an_exhausted_gpu_on_one_rank_is_told_to_all);
  tcase_add_loop_test(t, a_failed_update_on_one_rank_is_told_to_all, 0, 2);
  tcase_add_test(t, a_failed_norm_on_one_rank_is_told_to_all);
  tcase_add_test(t, a_failed_part_of_a_recording_is_told_to_all);
  tcase_add_test(t, a_gpu_that_does_not_send_is_not_waited_for_for_ever);
  suite_add_tcase(suite, t);
  return suite;
}

int main(int argc, char **argv)
{
  return support_main_gpus(argc, argv, NULL, 4, make_suite);
}
