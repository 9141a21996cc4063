/* Ranks with GPUs: every transport gives the bits of the host, the choice is told with its reason,
 * what is not possible is refused or gone without, and after a failure on one rank all have a
 * message, in time, and the next solve is right. */
#define _GNU_SOURCE
#include "choice.h"
#include "context.h"
#include "solver.h"
#include "support_gpu.h"
#include "support_mpi.h"
#include "support_twin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what MPI says of device memory ---- */

static int pretended = -1; /* -1: as it is */

int MPIX_Query_cuda_support(void);

/* Before the one of MPI in the order of symbols. */
int MPIX_Query_cuda_support(void)
{
  if (pretended >= 0) return pretended;
  int (*real)(void) = NULL;
  *(void **)&real = dlsym(RTLD_NEXT, "MPIX_Query_cuda_support");
  return real ? real() : 0;
}

/* CUDA refuses what a CUDA-aware MPI asks it for while this thread records. */
static hymg_context *watched;
static int calls_while_recording, calls_watched;

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
  calls_watched += watched != NULL;
  calls_while_recording += watched && support_gpu_records(watched);
  return PMPI_Waitall(count, requests, statuses);
}

/* The emulation's device memory is memory of the host once it may be touched. */
static void pretend(int answer)
{
  if (!twin_emulated()) return;
  pretended = answer;
  support_gpu_emulate("OPEN", answer == 1 ? "1" : NULL);
}

static int devices(void)
{
  hymg_context *context = NULL;
  int count = 0;
  if (hymg_context_create(NULL, &context) != HYMG_OK) return 0;
  if (hymg_device_count(context, &count) != HYMG_OK) count = 0;
  hymg_context_destroy(&context);
  return count;
}

static bool is_single(void)
{
  return support_ranks(MPI_COMM_WORLD) == 1;
}

/* A GPU for each rank, or a line that says that there is none. */
static bool has_own_gpus(void)
{
  if (twin_emulated()) support_gpu_emulate("DEVICES", "8");
  return devices() >= support_ranks(MPI_COMM_WORLD);
}

/* ---- the same bits ---- */

/* Where the GPU is emulated every so manieth case does. */
static bool is_left_out(int index, int every)
{
  return twin_emulated() && index % every != 0;
}

static const twin cases[] = {
    {HYMG_FV2, .n = {16, 32, 24}, .boundary = "dd dd dd"},
    {HYMG_FV4, .n = {16, 16, 24}, .boundary = "pp pp pp", .smoother = HYMG_CHEBYSHEV},
    {HYMG_FV2, .n = {16, 16, 24}, .boundary = "nd pp dd", .smoother = HYMG_JACOBI, .walls = true},
    {HYMG_FV4, .n = {24, 12, 24}, .boundary = "dd pp dd", .cycle = HYMG_CYCLE_W},
    {HYMG_FV2, .n = {24, 12, 24}, .boundary = "nn nn nn", .method = HYMG_MGPCG},
};
enum { CASES = sizeof cases / sizeof *cases, LAYOUTS = 3 };

static twin twin_of_case(int index)
{
  const twin *c = &cases[index];
  twin t = twin_of(c->stencil, c->n[0], c->n[1], c->n[2], c->boundary);
  t.smoother = c->smoother;
  t.walls = c->walls;
  if (c->cycle == HYMG_CYCLE_W) t.cycle = HYMG_CYCLE_W;
  if (c->method == HYMG_MGPCG) t.method = HYMG_MGPCG, t.cycle = HYMG_CYCLE_V;
  return t;
}

/* Neighbours never share a rank; and ranks that stay without boxes. */
static int scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

static int few(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[2] + 1) % 2 * (*ranks - 1);
}

static int num_ranks;

static support_layout layout_of(int index)
{
  support_layout layout = {.boxes = {0, 0, 0}, .owner_user = &num_ranks};
  num_ranks = support_ranks(MPI_COMM_WORLD);
  if (index == 0) return layout;
  layout.boxes[0] = index == 1 ? 2 : 1, layout.boxes[1] = 1, layout.boxes[2] = index == 1 ? 4 : 2;
  layout.owner = index == 1 ? scattered : few;
  return layout;
}

static const twin_way cuda = {.name = "cuda", .backend = HYMG_BACKEND_CUDA};

static twin_way with(hymg_transport transport, hymg_memory memory)
{
  twin_way way = cuda;
  way.transport = transport;
  way.memory = memory;
  return way;
}

/* As asked for; under another name of hosts if `nodes` is not 0: so many ranks each. */
static void check(int index, int boxes, hymg_transport transport, int nodes)
{
  const twin t = twin_of_case(index);
  const twin_way way = {.name = hymg_transport_name(transport),
                        .backend = HYMG_BACKEND_CUDA,
                        .host_cells = index == 2 ? 200 : 0,
                        .tail_cells = index == 1 ? 600 : 0,
                        .transport = transport};
  char where[100];
  support_layout layout = layout_of(boxes);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  if (nodes)
    hymgi_comm_regroup(layout.context, layout.context->comm, support_rank(MPI_COMM_WORLD) / nodes);
  snprintf(where, sizeof where, "case %d, boxes %d, %s, %d", index, boxes, way.name, nodes);
  twin_answer want = twin_ask(&t, &twin_host, &layout);
  if (transport == HYMG_TRANSPORT_DEVICE) watched = layout.context;
  twin_answer got = twin_ask(&t, &way, &layout);
  watched = NULL;
  support_all_agree(twin_unlike(&got, &want), where);
  ck_assert_int_eq(calls_while_recording, 0);
  twin_answer_free(&got);
  twin_answer_free(&want);
  hymg_context_destroy(&layout.context);
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
  if (has_own_gpus()) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_PEER, 0);
}
END_TEST

static bool has_nccl(void)
{
  return *hymg_build_info().nccl && has_own_gpus();
}

START_TEST(nccl_gives_the_same_bits)
{
  if (has_nccl() && !is_left_out(_i, 2)) check(_i % CASES, _i / CASES, HYMG_TRANSPORT_NCCL, 0);
}
END_TEST

/* Ranks of pretended nodes share the GPUs of the one there is, which NCCL does not take; emulated nodes
 * are nodes to it. */
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

/* Waits for MPI's messages in a second solve, from its recording. */
static int waits_of_a_solve(hymg_transport transport)
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
  ck_assert_int_gt(waits_of_a_solve(HYMG_TRANSPORT_STAGED), 0);
  ck_assert_int_eq(waits_of_a_solve(HYMG_TRANSPORT_NCCL), 0);
  calls_while_recording = 0; /* staged messages may be waited for at any time */
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
  static const char *const kernels[] = {"fv2_apart", "fv2_pair", "fv2_march", "fv4_march",
                                        "relax_march"};
  static const char *const boundaries[] = {"dd dd dd", "pp pp pp", "nd pp dd", "dd dn pp"};
  enum { KERNELS = sizeof kernels / sizeof *kernels };
  const twin_way way = {.name = "large", .backend = HYMG_BACKEND_CUDA};
  twin t = twin_of(_i % 2 ? HYMG_FV4 : HYMG_FV2, 32, 16, 24, boundaries[_i / 2]);
  t.walls = _i == 4;
  if (_i % 2 && _i / 2 > 1) return; /* FV4 has no such walls */
  has_own_gpus();
  for (int boxes = 0; boxes < 2; boxes++) {
    support_layout layout = layout_of(0);
    if (boxes) layout.boxes[0] = layout.boxes[1] = layout.boxes[2] = 2;
    layout.context = support_context(MPI_COMM_WORLD, 1);
    for (int m = 0; m < KERNELS; m++)
      ck_assert(hymgi_device_choose(layout.context, kernels[m], 1));
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    support_all_agree(twin_unlike(&got, &want), boundaries[_i / 2]);
    twin_answer_free(&got);
    twin_answer_free(&want);
    hymg_context_destroy(&layout.context);
  }
}
END_TEST

/* Each rank has one box, cut along these axes. */
static const struct {
  int cut[3];
  const char *boundary;
  bool constant_beta;
  double a;
} joined_cases[] = {{{0, 0, 1}, "dd dd dd", false, 0},   {{0, 0, 1}, "nd dd pp", false, 0.75},
                    {{0, 1, 0}, "dd pp dn", true, 0},    {{1, 0, 0}, "pp nd dd", false, 0},
                    {{0, 1, 1}, "dn pp dd", true, 0.75}, {{1, 1, 0}, "dd dd dd", false, 0}};
enum { JOINED_CASES = sizeof joined_cases / sizeof *joined_cases };

static support_layout cut_along(const int cut[3])
{
  support_layout layout = {.boxes = {1, 1, 1}};
  const int ranks = support_ranks(MPI_COMM_WORLD), axes = cut[0] + cut[1] + cut[2];
  for (int axis = 0; axis < 3; axis++)
    if (cut[axis]) layout.boxes[axis] = axes == 1 ? ranks : ranks == 4 ? 2 : 1;
  return layout;
}

/* 8 cells and more of each rank along each axis. */
static twin twin_cut_along(hymg_stencil stencil, const int cut[3], const char *boundary)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axes = cut[0] + cut[1] + cut[2];
  int n[3];
  for (int axis = 0; axis < 3; axis++)
    n[axis] = cut[axis] && axes == 1 ? 8 * ranks : 16;
  return twin_of(stencil, n[0], n[1], n[2], boundary);
}

static bool exchanges_in_sweeps(const twin *t, const twin_way *way, const support_layout *layout)
{
  twin_open o = twin_begin(t, way, layout);
  const hymgi_plan *plan = o.k.solver->level[0].halo[HYMGI_HALO_FACES];
  const bool in_sweeps = plan && plan->in_sweeps;
  twin_end(&o);
  return in_sweeps;
}

START_TEST(half_sweeps_that_exchange_give_the_same_bits)
{
  const twin_way way = {.name = "joined", .backend = HYMG_BACKEND_CUDA};
  const int ranks = support_ranks(MPI_COMM_WORLD), *cut = joined_cases[_i].cut;
  twin t = twin_cut_along(HYMG_FV2, cut, joined_cases[_i].boundary);
  if (!has_own_gpus() || is_single() || (cut[0] + cut[1] + cut[2] > 1 && ranks != 4)) return;
  t.constant_beta = joined_cases[_i].constant_beta;
  t.a = joined_cases[_i].a;
  for (int apart = 0; apart < 2; apart++) {
    support_layout layout = cut_along(cut);
    layout.context = support_context(MPI_COMM_WORLD, 1);
    if (apart) ck_assert(hymgi_device_choose(layout.context, "fv2_apart", 1));
    ck_assert_int_eq(exchanges_in_sweeps(&t, &way, &layout), !apart);
    twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
    support_all_agree(twin_unlike(&got, &want), joined_cases[_i].boundary);
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
  ck_assert(hymgi_device_choose(layout.context, "overlap", 1));
  ck_assert(hymgi_device_choose(layout.context, "overlap_fast", 1));
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
  const int index = _i % JOINED_CASES, kind = _i / JOINED_CASES, *cut = joined_cases[index].cut;
  char boundary[16];
  snprintf(boundary, sizeof boundary, "%s", joined_cases[index].boundary);
  for (char *c = boundary; kind % 2 && *c; c++)
    if (*c == 'n') *c = 'd'; /* FV4 has no others */
  twin t = twin_cut_along(kind % 2 ? HYMG_FV4 : HYMG_FV2, cut, boundary);
  t.smoother = smoothers[kind / 2];
  if (is_single() || (cut[0] + cut[1] + cut[2] > 1 && support_ranks(MPI_COMM_WORLD) != 4)) return;
  if (is_left_out(index + kind, 2)) return;
  t.constant_beta = joined_cases[index].constant_beta;
  t.a = joined_cases[index].a;
  check_overlapped(&t, cut, HYMG_TRANSPORT_STAGED);
  if (kind % 2 && has_own_gpus()) check_overlapped(&t, cut, HYMG_TRANSPORT_PEER);
}
END_TEST

/* The form for small levels closes walls itself beside ghosts of other GPUs. */
START_TEST(tiles_of_fv4_beside_neighbours_give_the_same_bits)
{
  const twin_way way = {.name = "tiles", .backend = HYMG_BACKEND_CUDA};
  const int ranks = support_ranks(MPI_COMM_WORLD), *cut = joined_cases[_i].cut;
  char boundary[16];
  snprintf(boundary, sizeof boundary, "%s", joined_cases[_i].boundary);
  for (char *c = boundary; *c; c++)
    if (*c == 'n') *c = 'd'; /* FV4 has no others */
  twin t = twin_cut_along(HYMG_FV4, cut, boundary);
  if (!has_own_gpus() || is_single() || (cut[0] + cut[1] + cut[2] > 1 && ranks != 4)) return;
  t.constant_beta = joined_cases[_i].constant_beta;
  t.a = joined_cases[_i].a;
  support_layout layout = cut_along(cut);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_answer want = twin_ask(&t, &twin_host, &layout), got = twin_ask(&t, &way, &layout);
  support_all_agree(twin_unlike(&got, &want), boundary);
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

/* The status of making a solver; its choice. */
static hymg_status choose(twin_way way, int nodes, const char *file, hymg_transport_info *info)
{
  const twin t = twin_of_case(0);
  hymg_operator_desc desc = hymg_operator_desc_default();
  hymg_grid_desc grid = hymg_grid_desc_default();
  hymg_options o = twin_options(&t, &way);
  hymg_context *context = support_context(MPI_COMM_WORLD, 1);
  hymg_grid *g = NULL;
  hymg_operator *op = NULL;
  hymg_solver *s = NULL;
  for (int axis = 0; axis < 3; axis++)
    grid.n[axis] = 16;
  o.probe_file = file;
  if (nodes) hymgi_comm_regroup(context, context->comm, support_rank(MPI_COMM_WORLD) / nodes);
  OK(context, hymg_grid_create(context, &grid, &g));
  OK(context, hymg_operator_create(g, &desc, &op));
  const hymg_status status = hymg_solver_create(op, &o, &s);
  memset(info, 0, sizeof *info);
  if (s)
    OK(context, hymg_solver_transport(s, info));
  else
    snprintf(info->reason, sizeof info->reason, "%s", hymg_context_error(context));
  hymg_solver_destroy(&s);
  hymg_operator_destroy(&op);
  hymg_grid_destroy(&g);
  hymg_context_destroy(&context);
  return status;
}

static void expect(twin_way way, int nodes, const char *file, hymg_transport within,
                   hymg_transport between, const char *reason)
{
  hymg_transport_info info;
  ck_assert_int_eq(choose(way, nodes, file, &info), HYMG_OK);
  ck_assert_msg(info.within == within && info.between == between && strstr(info.reason, reason),
                "%s and %s: %s; wanted: %s and %s: %s", hymg_transport_name(info.within),
                hymg_transport_name(info.between), info.reason, hymg_transport_name(within),
                hymg_transport_name(between), reason);
}

static void expect_refusal(twin_way way, const char *reason)
{
  hymg_transport_info info;
  ck_assert_int_eq(choose(way, 0, NULL, &info), HYMG_EUNSUPPORTED);
  ck_assert_msg(strstr(info.reason, reason) != NULL, "%s", info.reason);
}

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

static void name_file(char file[64])
{
  snprintf(file, 64, "/tmp/hymg-probe-XXXXXX");
  if (support_rank(MPI_COMM_WORLD) == 0) close(mkstemp(file));
  MPI_Bcast(file, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* By two of the ranks. */
static void probe(const char *file)
{
  const int rank = support_rank(MPI_COMM_WORLD);
  bool works = false;
  MPI_Comm two;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &two);
  if (rank < 2) {
    hymg_context *context = support_context(two, 1);
    OK(context, hymg_probe_device_messages(context, file, &works));
    ck_assert(works);
    hymg_context_destroy(&context);
  }
  MPI_Comm_free(&two);
  MPI_Barrier(MPI_COMM_WORLD);
}

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
    probe(file);
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
    expect(cuda, 1, file, HYMG_TRANSPORT_PEER, HYMG_TRANSPORT_STAGED, "did not take");
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
    probe(file);
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

/* The last rank fails at its nth launch of a first solve, before there is a recording; quiet: nobody
 * is told. Then all solve again. */
static void fail_on_last(hymg_transport transport, int nth, bool quiet)
{
  const twin t = twin_of_case(0);
  const int last = support_ranks(MPI_COMM_WORLD) - 1, rank = support_rank(MPI_COMM_WORLD);
  const twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  support_layout layout = layout_of(1);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open host = twin_begin(&t, &twin_host, &layout), o = twin_begin(&t, &way, &layout);
  hymg_result result;
  twin_solution want = twin_solve(&host);
  if (quiet) {
    o.k.solver->transport.peers.patience = 0.5;
    o.k.solver->transport.peers.told = rank == last;
  }
  if (rank == last) support_gpu_fail_launch(layout.context, nth);
  const double start = hymgi_seconds();
  const hymg_status status = hymg_solve(o.k.solver, o.ff, o.u, &result);
  const double seconds = hymgi_seconds() - start;
  if (rank == last) support_gpu_fail_launch(layout.context, 0);
  ck_assert_int_eq(status, quiet ? HYMG_EMPI : HYMG_ECUDA);
  ck_assert_msg(strstr(hymg_context_error(layout.context), quiet ? "in time" : "CUDA") != NULL,
                "%s", hymg_context_error(layout.context));
  ck_assert_double_lt(seconds, 30);
  twin_solution again = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&again, &want), "after a failure");
  twin_solution_free(&again);
  twin_solution_free(&want);
  twin_end(&o);
  twin_end(&host);
  hymg_context_destroy(&layout.context);
}

START_TEST(a_failure_on_one_rank_reaches_all)
{
  if (is_single()) return;
  fail_on_last(HYMG_TRANSPORT_STAGED, 20 * (_i + 1), false);
  if (has_own_gpus()) fail_on_last(HYMG_TRANSPORT_PEER, 20 * (_i + 1), false);
}
END_TEST

START_TEST(a_failure_on_one_rank_ends_nccl)
{
  if (!is_single() && has_nccl()) fail_on_last(HYMG_TRANSPORT_NCCL, 20 * (_i + 1), false);
}
END_TEST

/* The first launch of a recording fails, and with it go all messages of this rank. Another solver of
 * the context has recordings with messages of the same communicator. */
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
  ck_assert_double_lt(hymgi_seconds() - start, 30);
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

/* Every allocation that making a solver takes is refused in turn, on the last rank alone. */
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
    int worst = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    ck_assert_int_eq(worst, (int)status);
    ck_assert(status == HYMG_OK || status == HYMG_ENOMEM);
    refusals += status != HYMG_OK;
  }
  ck_assert_int_lt(nth, MOST);
  ck_assert_int_gt(refusals, 5);
}
END_TEST

START_TEST(a_gpu_that_does_not_send_is_not_waited_for_for_ever)
{
  if (is_single() || !has_own_gpus()) return;
  fail_on_last(HYMG_TRANSPORT_PEER, 40, true);
}
END_TEST

START_TEST(nccl_is_not_waited_for_for_ever)
{
  if (!is_single() && has_nccl()) fail_on_last(HYMG_TRANSPORT_NCCL, 40, true);
}
END_TEST

/* Without a message back nothing but the count of what was taken away keeps the sender from
 * overwriting it. */
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

int main(int argc, char **argv)
{
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const char *why = twin_no_gpu();
  int status = 77;
  /* they wait for each other by spinning */
  if (!why && twin_emulated() && support_ranks(MPI_COMM_WORLD) > 4)
    why = "more than 4 emulated GPUs at a time are slow";
  if (why) {
    if (support_rank(MPI_COMM_WORLD) == 0) printf("skipped: %s\n", why);
  } else {
    Suite *suite = suite_create("transports between GPUs");
    TCase *t = tcase_create("transports");
    tcase_add_loop_test(t, staged_messages_give_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_loop_test(t, device_messages_give_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_loop_test(t, peers_give_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_loop_test(t, peers_of_several_nodes_give_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_loop_test(t, kernels_of_large_levels_give_the_same_bits, 0, 8);
    tcase_add_loop_test(t, half_sweeps_that_exchange_give_the_same_bits, 0, JOINED_CASES);
    tcase_add_loop_test(t, tiles_of_fv4_beside_neighbours_give_the_same_bits, 0, JOINED_CASES);
    tcase_add_loop_test(t, overlapped_sweeps_give_the_same_bits, 0, 4 * JOINED_CASES);
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
    tcase_add_test(t, an_exhausted_gpu_on_one_rank_is_told_to_all);
    tcase_add_test(t, a_gpu_that_does_not_send_is_not_waited_for_for_ever);
    suite_add_tcase(suite, t);
    t = tcase_create("nccl");
    tcase_add_loop_test(t, nccl_gives_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_loop_test(t, nccl_between_nodes_gives_the_same_bits, 0, CASES * LAYOUTS);
    tcase_add_test(t, nccl_leaves_no_message_to_mpi);
    tcase_add_loop_test(t, a_failure_on_one_rank_ends_nccl, 0, 3);
    tcase_add_test(t, nccl_is_not_waited_for_for_ever);
    tcase_add_test(t, a_recording_that_fails_on_one_rank_reaches_all);
    tcase_add_test(t, a_communicator_that_cannot_be_made_is_an_error);
    tcase_add_test(t, an_error_that_nccl_tells_ends_the_wait);
    suite_add_tcase(suite, t);
    status = support_run_mpi(suite);
  }
  MPI_Finalize();
  return status;
}
