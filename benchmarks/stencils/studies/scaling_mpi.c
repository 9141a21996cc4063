/* Case a's wave step on several ranks, with a GPU (or a share of the cores) each. The planes at
 * neighbours are computed first and travel while the interior is computed; or, without overlap,
 * after all of it. Messages are in device memory if MPI accepts that, otherwise staged through the
 * host. */
#include "stencils/bench.h"

#include "common/kit/options.h"
#include "common/kit/timing.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { BELOW, ABOVE, SIDES, CHECKED_STEPS = 3, TIMED_STEPS = 20 };

typedef struct run {
  stencil_bench bench;
  scaling_box box;
  const stencil_kernel *kernel;
  void *interior, *edges; /* streams */
  void *staged[SIDES][2]; /* sent, received */
  bool device_messages, overlap, no_messages;
  size_t bytes; /* of the planes that one side sends */
} run;

static bool takes_device_memory(void)
{
#ifdef OPEN_MPI
  return MPIX_Query_cuda_support();
#else
  return false;
#endif
}

static int neighbour(const run *r, int side)
{
  const int to = r->box.rank + (side == BELOW ? -1 : 1);
  return to < 0 || to >= r->box.ranks ? MPI_PROC_NULL : to;
}

/* ---- messages ---- */

/* Address of plane k of an array on the kernels' device. */
static char *planes_at(const run *r, int array, int k)
{
  const stencil_grid *const g = &r->box.job.g;
  char *const start = r->bench.gpu ? r->bench.on_gpu[array] : r->box.job.array[array];
  return start + (size_t)(g->origin + k * g->plane) * stencil_bytes(&r->box.job);
}

static const char *copy(const run *r, void *to, const void *from)
{
  const char *why = stencil_gpu_copy(to, from, r->bytes, r->edges);
  return why ? why : stencil_gpu_wait(r->edges);
}

/* Sends the edges of an array to the neighbours' ghosts. */
static const char *exchange(run *r, int array)
{
  const int n = r->box.job.g.n[2], radius = r->box.job.radius;
  const int out[SIDES] = {0, n - radius}, in[SIDES] = {-radius, n};
  const bool staged = r->bench.gpu && !r->device_messages;
  MPI_Request requests[2 * SIDES];
  const char *why = NULL;
  if (r->no_messages) return NULL;
  for (int s = 0; s < SIDES && !why; s++) {
    const int to = neighbour(r, s);
    char *const from = planes_at(r, array, out[s]);
    if (staged && to != MPI_PROC_NULL) why = copy(r, r->staged[s][0], from);
    MPI_Irecv(staged ? r->staged[s][1] : planes_at(r, array, in[s]), (int)r->bytes, MPI_BYTE, to,
              1 - s, MPI_COMM_WORLD, &requests[s]);
    MPI_Isend(staged ? r->staged[s][0] : from, (int)r->bytes, MPI_BYTE, to, s, MPI_COMM_WORLD,
              &requests[SIDES + s]);
    if (why) MPI_Abort(MPI_COMM_WORLD, EXIT_AT_RUN_TIME);
  }
  MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
  for (int s = 0; s < SIDES && staged && !why; s++)
    if (neighbour(r, s) != MPI_PROC_NULL)
      why = copy(r, planes_at(r, array, in[s]), r->staged[s][1]);
  return why;
}

/* ---- a step ---- */

/* Runs the kernel on some planes of the box. */
static const char *work(run *r, int from, int planes, void *stream)
{
  stencil_launch launch = {.stream = stream, .registers = 1};
  stencil_job part = r->bench.gpu ? stencil_on_gpu(&r->bench, &r->box.job) : r->box.job;
  void *const x = part.array[r->box.x], *const prev = part.array[r->box.prev];
  part.array[STENCIL_X] = x;
  part.array[STENCIL_PREV] = part.array[STENCIL_OUT] = prev;
  part.g.origin += from * part.g.plane;
  part.g.n[2] = planes;
  return planes > 0 ? r->kernel->run(&part, &launch) : NULL;
}

static const char *wait_for(const run *r, void *stream)
{
  return r->bench.gpu ? stencil_gpu_wait(stream) : NULL;
}

static const char *overlapped(run *r)
{
  const int n = r->box.job.g.n[2], radius = r->box.job.radius;
  const char *why = work(r, 0, radius, r->edges);
  if (!why) why = work(r, n - radius, radius, r->edges);
  if (!why) why = work(r, radius, n - 2 * radius, r->interior);
  if (!why) why = wait_for(r, r->edges);
  if (!why) why = exchange(r, r->box.prev);
  return why ? why : wait_for(r, r->interior);
}

static const char *in_turn(run *r)
{
  const char *why = work(r, 0, r->box.job.g.n[2], r->interior);
  if (!why) why = wait_for(r, r->interior);
  return why ? why : exchange(r, r->box.prev);
}

static const char *step(run *r)
{
  const char *why = r->overlap ? overlapped(r) : in_turn(r);
  const int next = r->box.prev;
  r->box.prev = r->box.x;
  r->box.x = next;
  return why;
}

/* ---- check and time ---- */

static const char *start(run *r)
{
  const char *why = NULL;
  r->box.x = STENCIL_X, r->box.prev = STENCIL_PREV;
  for (int a = 0; a < STENCIL_OUT && !why; a++) {
    scaling_fill(&r->box, a);
    why = stencil_move(&r->bench, &r->box.job, a, true);
  }
  return why ? why : exchange(r, r->box.x);
}

static const char *check(run *r, int64_t *wrong)
{
  const char *why = start(r);
  for (int s = 0; s < CHECKED_STEPS && !why; s++)
    why = step(r);
  void *const result = r->box.job.array[r->box.x];
  if (!why) why = stencil_move(&r->bench, &r->box.job, r->box.x, false);
  if (why) return why;
  const int64_t own = scaling_wrong(&r->box, CHECKED_STEPS, result);
  if (own < 0) return "no memory for the reference";
  MPI_Allreduce(&own, wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return start(r);
}

/* Milliseconds per step, or per exchange alone, of the slowest rank. */
static const char *time_steps(run *r, bool exchanges, double *ms)
{
  const char *why = NULL;
  double begin = 0;
  for (int s = -3; s < TIMED_STEPS && !why; s++) {
    if (s == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      begin = fv_clock();
    }
    why = exchanges ? exchange(r, r->box.x) : step(r);
  }
  const double own = 1e3 * (fv_clock() - begin) / TIMED_STEPS;
  MPI_Allreduce(&own, ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return why;
}

typedef struct step_times {
  double alone, message, in_turn, overlapped;
  int64_t wrong[2];
} step_times;

static const char *measure(run *r, step_times *t)
{
  r->overlap = false;
  const char *why = check(r, &t->wrong[0]);
  if (!why) why = time_steps(r, false, &t->in_turn);
  if (!why) why = time_steps(r, true, &t->message);
  r->no_messages = true;
  if (!why) why = time_steps(r, false, &t->alone);
  r->no_messages = false;
  r->overlap = true;
  if (!why) why = check(r, &t->wrong[1]);
  return why ? why : time_steps(r, false, &t->overlapped);
}

/* ---- output ---- */

static void one_row(run *r, const char *name, double ms, int64_t wrong, const char *model)
{
  const stencil_job *const job = &r->box.job;
  const double points = (double)stencil_points(job) * r->box.ranks, seconds = 1e-3 * ms;
  stencil_row row = {.which = 'a',
                     .gpu = r->bench.gpu,
                     .wide = job->wide,
                     .wave = true,
                     .order = 2 * job->radius,
                     .ranks = r->box.ranks,
                     .ms = ms,
                     .gpoints = 1e-9 * points / seconds,
                     .redundancy = r->kernel->redundancy(job),
                     .wrong = wrong,
                     .published = model};
  row.gbytes = row.gpoints * stencil_streams(job) * (double)stencil_bytes(job);
  row.percent = 1e11 * row.gbytes / (r->bench.rate * r->box.ranks);
  memcpy(row.n, job->g.n, sizeof row.n);
  snprintf(row.kernel, sizeof row.kernel, "%s", name);
  r->bench.wrong += wrong;
  stencil_output_row(&r->bench.out, &row);
}

/* The model: the exchange follows the step; or it overlaps the interior, after the edges. */
static void print_rows(run *r, const step_times *t)
{
  const double edges = 2. * r->box.job.radius / r->box.job.g.n[2];
  const double inside = t->alone * (1 - edges);
  const double hidden = t->alone * edges + (inside > t->message ? inside : t->message);
  char what[STENCIL_NAME], text[3][STENCIL_NAME];
  snprintf(what, sizeof what, "case a on %d ranks, messages %s, %.2f MB a side, %.1f GB/s",
           r->box.ranks,
           !r->bench.gpu        ? "of the host"
           : r->device_messages ? "of device memory"
                                : "through the host",
           1e-6 * (double)r->bytes, r->box.ranks > 1 ? 1e-6 * (double)r->bytes / t->message : 0.);
  const stencil_heading heading = {what, r->bench.rate, r->bench.gpu};
  stencil_output_heading(&r->bench.out, &heading);
  snprintf(text[0], STENCIL_NAME, "exchange alone %.3f ms", t->message);
  snprintf(text[1], STENCIL_NAME, "%.2f x one; model %.3f ms", r->box.ranks * t->alone / t->in_turn,
           t->alone + t->message);
  snprintf(text[2], STENCIL_NAME, "%.2f x one; model %.3f ms",
           r->box.ranks * t->alone / t->overlapped, hidden);
  one_row(r, "no messages", t->alone, 0, text[0]);
  one_row(r, "messages after the step", t->in_turn, t->wrong[0], text[1]);
  one_row(r, "messages overlapped", t->overlapped, t->wrong[1], text[2]);
}

/* ---- set-up ---- */

static bool open_rank(run *r, const stencil_options *o)
{
  const char *why = NULL;
  const int devices = stencil_gpu_count();
  MPI_Comm node;
  int local = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, r->box.rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  MPI_Comm_free(&node);
  r->bench.gpu = o->chosen ? o->backend[0] : devices > 0;
  if (r->bench.gpu && !stencil_gpu_open(devices > 0 ? local % devices : 0, &r->bench.device, &why))
    return stencil_well("--backend cuda", why);
  r->bench.has_gpu = r->bench.pinned = r->bench.gpu;
  r->device_messages = r->bench.gpu && takes_device_memory();
  return true;
}

static bool prepare(run *r)
{
  static const int sides[2][3] = {{128, 128, 128}, {640, 640, 400}};
  stencil_job *const job = &r->box.job;
  r->kernel = stencil_wave_job(&r->bench, sides[r->bench.gpu], job);
  if (!r->kernel) return false;
  if (job->g.n[2] < 2 * job->radius)
    return stencil_well("--size", "z must have as many planes as two edges: the order");
  r->bytes = (size_t)(job->radius * job->g.plane) * stencil_bytes(job);
  if (r->bytes > 0x7fffffff) return stencil_well("--size", "2 GB a message at most");
  if (r->bench.gpu) {
    r->interior = stencil_gpu_stream();
    r->edges = stencil_gpu_stream();
  }
  for (int s = 0; s < SIDES * 2 && r->bench.gpu && !r->device_messages; s++) {
    r->staged[s / 2][s % 2] = stencil_gpu_allocate(r->bytes, true);
    if (!r->staged[s / 2][s % 2]) return stencil_well("messages", "no memory");
  }
  return stencil_find_rate(&r->bench, job);
}

/* All ranks do the same, so that a rank that fails does not leave others waiting. */
static bool all_well(bool ok)
{
  int mine = ok, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

static int scale(run *r, stencil_options *o)
{
  step_times t = {0};
  if (!all_well(r->box.rank > 0 || stencil_output_check(o))) return EXIT_BAD_INPUT;
  if (!all_well(open_rank(r, o))) return EXIT_BAD_INPUT;
  if (!all_well(prepare(r))) return EXIT_BAD_INPUT;
  const char *why = measure(r, &t);
  if (!all_well(stencil_well(r->kernel->name, why))) return EXIT_AT_RUN_TIME;
  if (r->box.rank > 0) return t.wrong[0] + t.wrong[1] > 0 ? EXIT_WRONG : 0;
  if (!stencil_output_open(&r->bench.out, o, r->bench.device.name)) return EXIT_BAD_INPUT;
  print_rows(r, &t);
  if (!stencil_output_close(&r->bench.out, true)) return EXIT_AT_RUN_TIME;
  if (r->bench.wrong > 0)
    fprintf(stderr, "hymg-stencil: %lld results are wrong\n", (long long)r->bench.wrong);
  return r->bench.wrong > 0 ? EXIT_WRONG : 0;
}

int stencil_scaling(stencil_options *options)
{
  run r = {.bench = {.options = options}};
  int provided;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return EXIT_AT_RUN_TIME;
  MPI_Comm_rank(MPI_COMM_WORLD, &r.box.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r.box.ranks);
  const int code = scale(&r, options);
  for (int s = 0; s < SIDES * 2; s++)
    if (r.staged[s / 2][s % 2]) stencil_gpu_free(r.staged[s / 2][s % 2], true);
  stencil_gpu_stream_end(r.interior);
  stencil_gpu_stream_end(r.edges);
  stencil_close(&r.bench);
  MPI_Finalize();
  return code;
}
