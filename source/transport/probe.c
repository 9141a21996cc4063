/* Whether MPI accepts device memory, and whether NCCL works: tested by a separate program, because it may
 * crash or hang otherwise; the results are stored in a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache_file.h"
#include "multigrid/backend.h"
#include "transport/transport.h"

enum { DOUBLES = 1 << 17, SMALL = 8 };

static bool is_verdict(const char *value)
{
  return strcmp(value, "worked") == 0 || strcmp(value, "failed") == 0;
}

static const hymgi_cache_kind verdicts = {"probe", is_verdict};

/* What is probed. */
typedef struct means {
  const char *call, *what;
  bool own_gpus; /* not between ranks that share one */
  void (*version)(char version[HYMGI_COMM_NAME]);
  hymg_status (*check)(hymg_context *c); /* is it there? */
  hymg_status (*begin)(hymg_context *c, const hymgi_backend *gpu);
  /* data[0] to the other rank's data[1] */
  hymg_status (*pass)(hymg_context *c, const hymgi_backend *gpu, size_t doubles, double *data[2]);
} means;

static hymg_status make_key(hymg_context *c, const means *m, char key[HYMGI_KEY])
{
  hymg_device_info device;
  char version[HYMGI_COMM_NAME];
  TRY(hymgi_cuda_device(c, -1, &device));
  m->version(version);
  snprintf(key, HYMGI_KEY, "%s | %.128s", version, device.name);
  return HYMG_OK;
}

static bool probe_worked(hymg_context *c, const means *m, const char *file, char note[256])
{
  char key[HYMGI_KEY], value[HYMGI_CACHE_VALUE];
  note[0] = '\0';
  if (make_key(c, m, key) == HYMG_OK && hymgi_cache_find(&verdicts, file, key, value, note)) {
    if (strcmp(value, "worked") == 0) return true;
    snprintf(note, 256, "%.128s: %s did not work", file, m->what);
  } else if (!*note) {
    snprintf(note, 256, "%.128s: %s was not probed", file, m->what);
  }
  return false;
}

static hymg_status keep(hymg_context *c, const char *file, const char *key, const char *value)
{
  char note[256] = "";
  if (hymgi_comm_rank(c->comm) != 0) return HYMG_OK;
  if (hymgi_cache_store(&verdicts, file, key, value, note)) return HYMG_OK;
  return hymgi_fail(c, HYMG_EIO, "%s", note);
}

/* ---- the messages ---- */

/* The values that a rank sends: all different. */
static double number(int rank, size_t n)
{
  return (double)(n + 1) + 0.25 * (rank + 1);
}

/* In both directions at once. */
static hymg_status pass_by_mpi(hymg_context *c, const hymgi_backend *gpu, size_t doubles,
                               double *data[2])
{
  hymgi_requests *requests = NULL;
  TRY(hymgi_agree(c, hymgi_requests_create(c, 2, &requests)));
  const int before = gpu->mover.enter(c);
  hymg_status status = HYMG_OK;
  for (int sends = 0; sends < 2 && status == HYMG_OK; sends++)
    status = hymgi_comm_post(c, requests, sends, 1 - hymgi_comm_rank(c->comm), 0, data[1 - sends],
                             doubles);
  const hymg_status waited = hymgi_comm_wait(c, requests);
  gpu->mover.leave(before);
  hymgi_requests_destroy(&requests);
  return status == HYMG_OK ? waited : status;
}

static hymg_status pass_by_nccl(hymg_context *c, const hymgi_backend *gpu, size_t doubles,
                                double *data[2])
{
  enum { MOST_SECONDS = 60 };
  hymgi_message message = {.rank = 1 - hymgi_comm_rank(c->comm), .size = (ptrdiff_t)doubles};
  hymgi_peer_state state = {.timeout = MOST_SECONDS};
  const hymgi_plan plan = {.num_sends = 1,
                           .num_receives = 1,
                           .send = &message,
                           .receive = &message,
                           .send_buffer = data[0],
                           .receive_buffer = data[1],
                           .group = &state};
  gpu->mover.queue(c, &plan);
  gpu->sync(c);
  (*gpu->nccl_ops)->forget(c, &state);
  return c->status;
}

/* Then compares on the host. */
static hymg_status exchange(hymg_context *c, const means *m, const hymgi_backend *gpu,
                            size_t doubles, double *data[2], double *host, bool *same)
{
  const int rank = hymgi_comm_rank(c->comm);
  for (size_t n = 0; n < doubles; n++)
    host[n] = number(rank, n);
  gpu->copy(c, host, data[0], doubles);
  gpu->zero(c, data[1], doubles);
  gpu->sync(c);
  const hymg_status status = m->pass(c, gpu, doubles, data);
  gpu->copy(c, data[1], host, doubles);
  for (size_t n = 0; n < doubles; n++)
    *same = *same && host[n] == number(1 - rank, n);
  return hymgi_agree(c, status == HYMG_OK ? c->status : status);
}

static hymg_status probe(hymg_context *c, const means *m, const hymgi_backend *gpu, bool *same)
{
  double *data[2] = {NULL, NULL}, *host = NULL;
  hymg_status status = gpu->memory->alloc(c, DOUBLES, &data[0]);
  if (status == HYMG_OK) status = gpu->memory->alloc(c, DOUBLES, &data[1]);
  if (status == HYMG_OK) status = gpu->crossing->alloc(c, DOUBLES, &host);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = m->begin(c, gpu);
  if (status == HYMG_OK) status = exchange(c, m, gpu, SMALL, data, host, same);
  if (status == HYMG_OK) status = exchange(c, m, gpu, DOUBLES, data, host, same);
  if (data[0]) gpu->memory->release(c, data[0], DOUBLES);
  if (data[1]) gpu->memory->release(c, data[1], DOUBLES);
  if (host) gpu->crossing->release(c, host, DOUBLES);
  return status;
}

static hymg_status check(hymg_context *c, const means *m, const char *file, const bool *works)
{
  if (!file || !works) return hymgi_fail(c, HYMG_EINVAL, "%s: NULL", m->call);
  if (hymgi_comm_size(c->comm) != 2)
    return hymgi_fail(c, HYMG_EINVAL, "messages are probed between 2 ranks, not %d",
                      hymgi_comm_size(c->comm));
  return HYMG_OK;
}

static hymg_status check_gpus(hymg_context *c, const means *m, const hymgi_backend *gpu)
{
  char why[128] = "";
  if (m->own_gpus) TRY(hymgi_find_shared_gpu(c, gpu, why));
  return *why ? hymgi_fail(c, HYMG_EUNSUPPORTED, "%s: %s", m->what, why) : HYMG_OK;
}

static hymg_status probe_and_keep(hymg_context *context, const means *m, const char *file,
                                  bool *works)
{
  const hymgi_backend *gpu = NULL;
  char key[HYMGI_KEY] = "";
  hymg_status status = check(context, m, file, works);
  if (status == HYMG_OK) status = hymgi_cuda_backend(context, false, &gpu);
  if (status == HYMG_OK) status = make_key(context, m, key);
  TRY(hymgi_agree(context, status));
  TRY(check_gpus(context, m, gpu));
  TRY(hymgi_agree(context, keep(context, file, key, "failed")));
  TRY(hymgi_agree(context, m->check(context)));
  bool same = true;
  context->status = HYMG_OK;
  TRY(probe(context, m, gpu, &same));
  int unlike = !same;
  TRY(hymgi_comm_max_int(context, context->comm, &unlike, 1));
  if (!unlike) TRY(hymgi_agree(context, keep(context, file, key, "worked")));
  *works = !unlike;
  return HYMG_OK;
}

/* ---- MPI ---- */

static hymg_status check_mpi(hymg_context *c)
{
  if (hymgi_comm_says_cuda()) return HYMG_OK;
  return hymgi_fail(
      c, HYMG_EUNSUPPORTED,
      "MPI does not take device memory (MPIX_Query_cuda_support is absent or gives 0)");
}

static hymg_status begin_mpi(hymg_context *c, const hymgi_backend *gpu)
{
  (void)c, (void)gpu;
  return HYMG_OK;
}

static const means by_mpi = {.call = "hymg_probe_device_messages",
                             .what = "device memory with this MPI",
                             .version = hymgi_comm_library,
                             .check = check_mpi,
                             .begin = begin_mpi,
                             .pass = pass_by_mpi};

bool hymgi_probe_worked(hymg_context *c, const char *file, char note[256])
{
  return probe_worked(c, &by_mpi, file, note);
}

hymg_status hymg_probe_device_messages(hymg_context *context, const char *file, bool *works)
{
  return context ? probe_and_keep(context, &by_mpi, file, works) : HYMG_EINVAL;
}

/* ---- NCCL ---- */

static void name_nccl(char version[HYMGI_COMM_NAME])
{
  snprintf(version, HYMGI_COMM_NAME, "NCCL %s", hymg_build_info().nccl);
}

static hymg_status check_nccl(hymg_context *c)
{
  if (*hymg_build_info().nccl) return HYMG_OK;
  return hymgi_fail(c, HYMG_EUNSUPPORTED, "this library was built without NCCL");
}

static hymg_status begin_nccl(hymg_context *c, const hymgi_backend *gpu)
{
  return hymgi_nccl_open(c, gpu, false);
}

static const means by_nccl = {.call = "hymg_probe_nccl_messages",
                              .what = "this NCCL",
                              .own_gpus = true,
                              .version = name_nccl,
                              .check = check_nccl,
                              .begin = begin_nccl,
                              .pass = pass_by_nccl};

bool hymgi_probe_nccl_worked(hymg_context *c, const char *file, char note[256])
{
  return *hymg_build_info().nccl && probe_worked(c, &by_nccl, file, note);
}

hymg_status hymg_probe_nccl_messages(hymg_context *context, const char *file, bool *works)
{
  return context ? probe_and_keep(context, &by_nccl, file, works) : HYMG_EINVAL;
}
