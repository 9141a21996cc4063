/* Support for tests of the exchange between ranks with GPUs: cases and layouts, comparison with the
 * host, the choice of transport, a failure on one rank. Each program that includes it counts
 * messages of MPI. */
#ifndef SUPPORT_COMM_H
#define SUPPORT_COMM_H

#include "api/solver.h"
#include "comm/comm_mpi.h"
#include "comm/context.h"
#include "comm/wait_mpi.h"
#include "kernel_table.h"
#include "support/gpu.h"
#include "support/mpi.h"
#include "support/twin.h"

#include <stdlib.h>
#include <string.h>

/* CUDA refuses what a CUDA-aware MPI asks it for while this thread records. Messages of reductions are
 * not of device memory. */
static hymg_context *watched;
static int calls_while_recording, calls_watched;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  const bool counts = watched && tag < HYMGI_TAG_REDUCE;
  calls_watched += counts;
  calls_while_recording += counts && support_gpu_records(watched);
  return PMPI_Isend(data, count, type, rank, tag, comm, request);
}

static inline int devices(void)
{
  hymg_context *context = NULL;
  int count = 0;
  if (hymg_context_create(NULL, &context) != HYMG_OK) return 0;
  if (hymg_device_count(context, &count) != HYMG_OK) count = 0;
  hymg_context_destroy(&context);
  return count;
}

static inline bool is_single(void)
{
  return support_ranks(MPI_COMM_WORLD) == 1;
}

/* A GPU for each rank, or a line that says that there is none. */
static inline bool has_own_gpus(void)
{
  if (twin_emulated()) support_gpu_emulate("DEVICES", "8");
  return devices() >= support_ranks(MPI_COMM_WORLD);
}

/* With an emulated GPU only every n-th case runs; in small tests every other one of these. */
static inline bool is_left_out(int index, int every)
{
  return twin_emulated() && index % (twin_least() ? 2 * every : every) != 0;
}

static const twin cases[] = {
    {HYMG_FV2, .n = {16, 32, 24}, .boundary = "dd dd dd"},
    {HYMG_FV4, .n = {16, 16, 24}, .boundary = "pp pp pp", .smoother = HYMG_CHEBYSHEV},
    {HYMG_FV2, .n = {16, 16, 24}, .boundary = "nd pp dd", .smoother = HYMG_JACOBI,
     .boundaries = true},
    {HYMG_FV4, .n = {24, 12, 24}, .boundary = "dd pp dd", .cycle = HYMG_CYCLE_W},
    {HYMG_FV2, .n = {24, 12, 24}, .boundary = "nn nn nn", .method = HYMG_MGPCG},
};

enum { CASES = sizeof cases / sizeof *cases, LAYOUTS = 3 };

static inline twin twin_of_case(int index)
{
  const twin *c = &cases[index];
  twin t = twin_of(c->stencil, c->n[0], c->n[1], c->n[2], c->boundary);
  t.smoother = c->smoother;
  t.boundaries = c->boundaries;
  if (c->cycle == HYMG_CYCLE_W) t.cycle = HYMG_CYCLE_W;
  if (c->method == HYMG_MGPCG) t.method = HYMG_MGPCG, t.cycle = HYMG_CYCLE_V;
  return t;
}

/* Neighbours never share a rank; and ranks that stay without boxes. */
static inline int scattered(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[0] + 3 * box[1] + 5 * box[2]) % *ranks;
}

static inline int few(const int box[3], void *user)
{
  const int *ranks = user;
  return (box[2] + 1) % 2 * (*ranks - 1);
}

static int num_ranks;

static inline support_layout layout_of(int index)
{
  support_layout layout = {.boxes = {0, 0, 0}, .owner_user = &num_ranks};
  num_ranks = support_ranks(MPI_COMM_WORLD);
  if (index == 0) return layout;
  layout.boxes[0] = index == 1 ? 2 : 1, layout.boxes[1] = 1, layout.boxes[2] = index == 1 ? 4 : 2;
  layout.owner = index == 1 ? scattered : few;
  return layout;
}

/* Each rank has one box, cut along these axes. */
static const struct {
  int cut[3];
  const char *boundary;
  bool constant_beta;
  double a;
} fused_cases[] = {{{0, 0, 1}, "dd dd dd", false, 0},   {{0, 0, 1}, "nd dd pp", false, 0.75},
                   {{0, 1, 0}, "dd pp dn", true, 0},    {{1, 0, 0}, "pp nd dd", false, 0},
                   {{0, 1, 1}, "dn pp dd", true, 0.75}, {{1, 1, 0}, "dd dd dd", false, 0}};
enum { FUSED_CASES = sizeof fused_cases / sizeof *fused_cases };

static inline support_layout cut_along(const int cut[3])
{
  support_layout layout = {.boxes = {1, 1, 1}};
  const int ranks = support_ranks(MPI_COMM_WORLD), axes = cut[0] + cut[1] + cut[2];
  for (int axis = 0; axis < 3; axis++)
    if (cut[axis]) layout.boxes[axis] = axes == 1 ? ranks : ranks == 4 ? 2 : 1;
  return layout;
}

/* 8 cells and more of each rank along each axis. */
static inline twin twin_cut_along(hymg_stencil stencil, const int cut[3], const char *boundary)
{
  const int ranks = support_ranks(MPI_COMM_WORLD), axes = cut[0] + cut[1] + cut[2];
  int n[3];
  for (int axis = 0; axis < 3; axis++)
    n[axis] = cut[axis] && axes == 1 ? 8 * ranks : 16;
  return twin_of(stencil, n[0], n[1], n[2], boundary);
}

static const twin_way cuda = {.name = "cuda", .backend = HYMG_BACKEND_CUDA};

static inline twin_way with(hymg_transport transport, hymg_memory memory)
{
  twin_way way = cuda;
  way.transport = transport;
  way.memory = memory;
  return way;
}

/* Options as asked for; if `nodes` is not 0, with so many ranks per host name. */
static inline void check(int index, int boxes, hymg_transport transport, int nodes)
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

/* The status of making a solver; its choice. */
static inline hymg_status choose(twin_way way, int nodes, const char *file,
                                 hymg_transport_info *info)
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

static inline void expect(twin_way way, int nodes, const char *file, hymg_transport within,
                          hymg_transport between, const char *reason)
{
  hymg_transport_info info;
  ck_assert_int_eq(choose(way, nodes, file, &info), HYMG_OK);
  ck_assert_msg(info.within == within && info.between == between && strstr(info.reason, reason),
                "%s and %s: %s; wanted: %s and %s: %s", hymg_transport_name(info.within),
                hymg_transport_name(info.between), info.reason, hymg_transport_name(within),
                hymg_transport_name(between), reason);
}

static inline void expect_refusal(twin_way way, const char *reason)
{
  hymg_transport_info info;
  ck_assert_int_eq(choose(way, 0, NULL, &info), HYMG_EUNSUPPORTED);
  ck_assert_msg(strstr(info.reason, reason) != NULL, "%s", info.reason);
}

/* The last rank fails at its nth launch of a first solve, before anything is recorded; quiet: other
 * ranks are not notified. Then all ranks solve again. */
static inline void fail_on_last(hymg_transport transport, int nth, bool quiet)
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
    o.k.solver->h.transport.peers.timeout = 0.5;
    o.k.solver->h.transport.peers.notified = rank == last;
  }
  if (rank == last) support_gpu_fail_launch(layout.context, nth);
  const double start = hymgi_seconds();
  const hymg_status status = hymg_solve(o.k.solver, o.ff, o.u, &result);
  const double seconds = hymgi_seconds() - start;
  if (rank == last) support_gpu_fail_launch(layout.context, 0);
  ck_assert_int_eq(status, quiet ? HYMG_EMPI : HYMG_ECUDA);
  ck_assert_msg(strstr(hymg_context_error(layout.context), quiet ? "in time" : "CUDA") != NULL,
                "%s", hymg_context_error(layout.context));
  ck_assert_double_lt(seconds, support_seconds(30));
  twin_solution again = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&again, &want), "after a failure");
  twin_solution_free(&again);
  twin_solution_free(&want);
  twin_end(&o);
  twin_end(&host);
  hymg_context_destroy(&layout.context);
}

/* The same on all ranks. */
static inline void ck_assert_all_have(hymg_status status)
{
  int worst = (int)status;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  ck_assert_int_eq(worst, (int)status);
}

/* Of a cycle with each solver: max and root mean square of u. */
static inline hymg_status cycle_all(twin_open *const o[2], int count, double value[2][2])
{
  for (int m = 0; m < count; m++)
    TRY(hymg_solver_cycle(o[m]->k.solver, HYMG_CYCLE_V, false, o[m]->ff, o[m]->u));
  for (int m = 0; m < count; m++) {
    TRY(hymg_field_max(o[m]->u, &value[m][0]));
    TRY(hymg_field_rms(o[m]->u, &value[m][1]));
  }
  return HYMG_OK;
}

/* Cycles of two solvers, and reductions after them, in which the nth launch fails on one rank, for nth
 * = first, first + step, ...: the next call in which the ranks agree says so on all of them, before a
 * GPU has given up waiting, and the same calls made again give the host's values. Every other time
 * the cycles run twice before that. */
static inline void fail_cycles(hymg_transport transport, int first, int step)
{
  enum { MOST = 600 };
  const twin t = twin_of_case(0);
  const int ranks = support_ranks(MPI_COMM_WORLD), rank = support_rank(MPI_COMM_WORLD);
  const twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  support_layout layout = layout_of(0);
  hymg_context *const c = layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open host = twin_begin(&t, &twin_host, &layout), o = twin_begin(&t, &way, &layout),
            other = twin_begin(&t, &way, &layout);
  double want[2][2], got[2][2];
  hymg_status status = HYMG_ECUDA;
  int nth = first, failures = 0;
  OK(c, cycle_all((twin_open *[2]){&host, NULL}, 1, want));
  for (; status != HYMG_OK && nth < MOST; nth += step, failures++) {
    const double start = hymgi_seconds();
    if (rank == nth % ranks) support_gpu_fail_launch(c, nth);
    if (nth / step % 2) OK(c, hymg_solver_cycle(o.k.solver, HYMG_CYCLE_V, false, o.ff, o.u));
    status = cycle_all((twin_open *[2]){&o, &other}, 2, got);
    support_gpu_fail_launch(c, 0);
    ck_assert_all_have(status);
    ck_assert(status == HYMG_OK || status == HYMG_ECUDA);
    ck_assert(status == HYMG_OK || strstr(hymg_context_error(c), "CUDA"));
    ck_assert_double_lt(hymgi_seconds() - start, support_seconds(30));
    OK(c, cycle_all((twin_open *[2]){&o, &other}, 2, got));
    for (int m = 0; m < 2; m++)
      ck_assert_msg(memcmp(got[m], want[0], sizeof got[m]) == 0, "launch %d, solver %d", nth, m);
  }
  ck_assert_int_lt(nth, MOST);
  ck_assert_int_gt(failures, 1);
  twin_end(&other);
  twin_end(&o);
  twin_end(&host);
  hymg_context_destroy(&layout.context);
}

/* Every third launch that an update takes fails in turn, on the last rank alone. */
static inline void fail_updates_on_last(int index, hymg_transport transport)
{
  enum { STEP = 3, MOST = 1000 };
  const int rank = support_rank(MPI_COMM_WORLD), last = support_ranks(MPI_COMM_WORLD) - 1;
  const twin t = twin_of_case(index);
  const twin_way way = with(transport, HYMG_MEMORY_DEVICE);
  const size_t alive = support_gpu_alive();
  support_layout layout = layout_of(0);
  layout.context = support_context(MPI_COMM_WORLD, 1);
  twin_open o = twin_begin(&t, &way, &layout);
  twin_solution want = twin_solve(&o);
  hymg_status status = HYMG_ECUDA;
  int nth = 1, refusals = 0;
  for (; status != HYMG_OK && nth < MOST; nth += STEP) {
    const double start = hymgi_seconds();
    if (rank == last) support_gpu_fail_launch(layout.context, nth);
    status = hymg_solver_update(o.k.solver);
    if (rank == last) support_gpu_fail_launch(layout.context, 0);
    ck_assert_all_have(status);
    ck_assert(status == HYMG_OK || status == HYMG_ECUDA);
    ck_assert_double_lt(hymgi_seconds() - start, support_seconds(30));
    refusals += status != HYMG_OK;
  }
  ck_assert_int_lt(nth, MOST);
  ck_assert_int_gt(refusals, 5);
  twin_solution got = twin_solve(&o);
  support_all_agree(twin_unlike_solution(&got, &want), "after failed updates");
  twin_solution_free(&got);
  twin_solution_free(&want);
  twin_end(&o);
  hymg_context_destroy(&layout.context);
  ck_assert_uint_eq(support_gpu_alive(), alive);
}

#endif
