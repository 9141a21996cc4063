/* The communicator without MPI: always NULL, a single rank, so that reductions have nothing to
 * do and there are no messages. Most parameters are unused. */
#include "comm/context.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

hymgi_ranks hymgi_comm_ranks(const hymgi_comm *comm)
{
  return (hymgi_ranks){.size = 1, .nodes = 1, .local_size = 1};
}

bool hymgi_comm_says_cuda(void)
{
  return false;
}

void hymgi_comm_library(char name[HYMGI_COMM_NAME])
{
  strcpy(name, "none");
}

hymg_status hymgi_comm_gather_local(hymg_context *context, hymgi_comm *comm, const void *mine,
                                    size_t size, void *all)
{
  memcpy(all, mine, size);
  return HYMG_OK;
}

bool hymgi_comm_is_lost(const hymgi_comm *comm)
{
  return false;
}

bool hymgi_comm_is_stuck(const hymgi_comm *comm)
{
  return false;
}

void hymgi_comm_destroy(hymgi_comm **comm) {}

hymg_status hymgi_comm_subset(hymg_context *context, hymgi_comm *comm, int member,
                              hymgi_comm **subset)
{
  *subset = NULL;
  return HYMG_OK;
}

hymg_status hymgi_comm_max_double(hymg_context *context, hymgi_comm *comm, double *values,
                                  int count)
{
  return HYMG_OK;
}

hymg_status hymgi_comm_max_int(hymg_context *context, hymgi_comm *comm, int *values, int count)
{
  return HYMG_OK;
}

hymg_status hymgi_comm_max_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return HYMG_OK;
}

hymg_status hymgi_comm_sum_int64(hymg_context *context, hymgi_comm *comm, int64_t *values,
                                 int count)
{
  return HYMG_OK;
}

hymg_status hymgi_comm_bcast(hymg_context *context, hymgi_comm *comm, int root, void *bytes,
                             size_t size)
{
  return HYMG_OK;
}

hymg_status hymgi_comm_barrier(hymg_context *context, hymgi_comm *comm)
{
  return HYMG_OK;
}

void hymgi_comm_notify(hymgi_comm *comm, hymg_status status, const char *text) {}

bool hymgi_comm_poll(hymgi_comm *comm, hymg_status *status, char text[HYMGI_ALARM_TEXT])
{
  return false;
}

hymg_status hymgi_comm_drain(hymg_context *context, hymgi_comm *comm)
{
  return HYMG_OK;
}

hymg_status hymgi_requests_create(hymg_context *context, int count, hymgi_requests **requests)
{
  *requests = NULL;
  return HYMG_OK;
}

void hymgi_requests_destroy(hymgi_requests **requests) {}

hymg_status hymgi_comm_post(hymg_context *context, hymgi_requests *requests, bool sends, int rank,
                            int tag, double *data, size_t count)
{
  return hymgi_fail(context, HYMG_EMPI, "a message was asked for in a build without MPI");
}

void hymgi_comm_progress(hymgi_requests *requests) {}

hymg_status hymgi_comm_wait(hymg_context *context, hymgi_requests *requests)
{
  return HYMG_OK;
}
