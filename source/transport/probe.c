/* Whether MPI accepts device memory: tested by a separate program, because MPI may crash
 * otherwise; the result is stored in a file. */
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

static hymg_status make_key(hymg_context *c, char key[HYMGI_KEY])
{
  hymg_device_info device;
  char library[HYMGI_COMM_NAME];
  TRY(hymgi_cuda_device(c, -1, &device));
  hymgi_comm_library(library);
  snprintf(key, HYMGI_KEY, "%s | %.128s", library, device.name);
  return HYMG_OK;
}

bool hymgi_probe_worked(hymg_context *c, const char *file, char note[256])
{
  char key[HYMGI_KEY], value[HYMGI_CACHE_VALUE];
  note[0] = '\0';
  if (make_key(c, key) == HYMG_OK && hymgi_cache_find(&verdicts, file, key, value, note)) {
    if (strcmp(value, "worked") == 0) return true;
    snprintf(note, 256, "%.128s: MPI did not take device memory", file);
  } else if (!*note) {
    snprintf(note, 256, "%.128s: device memory and this MPI were not probed", file);
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

/* Sends in both directions at once, then compares on the host. */
static hymg_status exchange(hymg_context *c, const hymgi_backend *gpu, size_t doubles,
                            double *data[2], double *host, bool *same)
{
  const int rank = hymgi_comm_rank(c->comm);
  hymgi_requests *requests = NULL;
  TRY(hymgi_agree(c, hymgi_requests_create(c, 2, &requests)));
  for (size_t n = 0; n < doubles; n++)
    host[n] = number(rank, n);
  gpu->copy(c, host, data[0], doubles);
  gpu->zero(c, data[1], doubles);
  gpu->sync(c);
  const int before = gpu->mover.enter(c);
  hymg_status status = HYMG_OK;
  for (int sends = 0; sends < 2 && status == HYMG_OK; sends++)
    status = hymgi_comm_post(c, requests, sends, 1 - rank, 0, data[1 - sends], doubles);
  const hymg_status waited = hymgi_comm_wait(c, requests);
  if (status == HYMG_OK) status = waited;
  gpu->mover.leave(before);
  gpu->copy(c, data[1], host, doubles);
  hymgi_requests_destroy(&requests);
  for (size_t n = 0; n < doubles; n++)
    *same = *same && host[n] == number(1 - rank, n);
  return hymgi_agree(c, status == HYMG_OK ? c->status : status);
}

static hymg_status probe(hymg_context *c, const hymgi_backend *gpu, bool *same)
{
  double *data[2] = {NULL, NULL}, *host = NULL;
  hymg_status status = gpu->memory->alloc(c, DOUBLES, &data[0]);
  if (status == HYMG_OK) status = gpu->memory->alloc(c, DOUBLES, &data[1]);
  if (status == HYMG_OK) status = gpu->crossing->alloc(c, DOUBLES, &host);
  status = hymgi_agree(c, status);
  if (status == HYMG_OK) status = exchange(c, gpu, SMALL, data, host, same);
  if (status == HYMG_OK) status = exchange(c, gpu, DOUBLES, data, host, same);
  if (data[0]) gpu->memory->release(c, data[0], DOUBLES);
  if (data[1]) gpu->memory->release(c, data[1], DOUBLES);
  if (host) gpu->crossing->release(c, host, DOUBLES);
  return status;
}

static hymg_status check(hymg_context *c, const char *file, const bool *works)
{
  if (!file || !works) return hymgi_fail(c, HYMG_EINVAL, "hymg_probe_device_messages: NULL");
  if (hymgi_comm_size(c->comm) != 2)
    return hymgi_fail(c, HYMG_EINVAL, "messages are probed between 2 ranks, not %d",
                      hymgi_comm_size(c->comm));
  return HYMG_OK;
}

hymg_status hymg_probe_device_messages(hymg_context *context, const char *file, bool *works)
{
  if (!context) return HYMG_EINVAL;
  const hymgi_backend *gpu = NULL;
  char key[HYMGI_KEY] = "";
  hymg_status status = check(context, file, works);
  if (status == HYMG_OK) status = hymgi_cuda_backend(context, false, &gpu);
  if (status == HYMG_OK) status = make_key(context, key);
  TRY(hymgi_agree(context, status));
  TRY(hymgi_agree(context, keep(context, file, key, "failed")));
  if (!hymgi_comm_says_cuda())
    status = hymgi_fail(context, HYMG_EUNSUPPORTED,
                        "MPI does not take device memory (MPIX_Query_cuda_support is absent or "
                        "gives 0)");
  TRY(hymgi_agree(context, status));
  bool same = true;
  context->status = HYMG_OK;
  TRY(probe(context, gpu, &same));
  int unlike = !same;
  TRY(hymgi_comm_max_int(context, context->comm, &unlike, 1));
  if (!unlike) TRY(hymgi_agree(context, keep(context, file, key, "worked")));
  *works = !unlike;
  return HYMG_OK;
}
