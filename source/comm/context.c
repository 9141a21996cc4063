/* What a context reports: the text of the last failure, and its ranks. */
#define _POSIX_C_SOURCE 200809L
#include "comm/context.h"

#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct {
  const char *name, *text;
} statuses[] = {
#define STATUS_ENTRY(name, value, text) [value] = {#name, text},
    HYMG_STATUS_LIST(STATUS_ENTRY)
#undef STATUS_ENTRY
};

static bool is_known(hymg_status status)
{
  return status >= HYMG_OK && (size_t)status < sizeof statuses / sizeof *statuses;
}

const char *hymg_status_name(hymg_status status)
{
  return is_known(status) ? statuses[status].name : "HYMG_UNKNOWN";
}

const char *hymg_status_text(hymg_status status)
{
  return is_known(status) ? statuses[status].text : "unknown status";
}

hymg_build hymg_build_info(void)
{
  return (hymg_build){.version = HYMG_VERSION,
                      .commit = HYMG_COMMIT,
                      .compiler = HYMG_COMPILER,
                      .flags = HYMG_FLAGS,
                      .mpi = HYMG_MPI,
                      .openmp = HYMG_OPENMP,
                      .cuda = HYMG_CUDA,
                      .nccl = HYMG_NCCL};
}

static void set_error(hymg_context *context, const char *format, va_list arguments)
{
  /* a separate buffer, since the arguments may point into the old text */
  char text[sizeof context->error];
  vsnprintf(text, sizeof text, format, arguments);
  memcpy(context->error, text, sizeof text);
}

hymg_status hymgi_fail(hymg_context *context, hymg_status status, const char *format, ...)
{
  if (!context) return status;
  va_list arguments;
  va_start(arguments, format);
  set_error(context, format, arguments);
  va_end(arguments);
  return status;
}

hymg_status hymgi_fail_everywhere(hymg_context *context, hymg_status status, const char *format,
                                  ...)
{
  va_list arguments;
  va_start(arguments, format);
  set_error(context, format, arguments);
  va_end(arguments);
  hymgi_report_later(context, status);
  return status;
}

void hymgi_report_later(hymg_context *context, hymg_status status)
{
  if (!context->comm || context->pending != HYMG_OK) return;
  context->pending = status;
  memcpy(context->pending_error, context->error, sizeof context->error);
}

const char *hymg_context_error(const hymg_context *context)
{
  return context ? context->error : "";
}

int hymg_context_rank(const hymg_context *context)
{
  return context ? hymgi_comm_rank(context->comm) : 0;
}

int hymg_context_ranks(const hymg_context *context)
{
  return context ? hymgi_comm_size(context->comm) : 1;
}

int hymg_context_threads(const hymg_context *context)
{
  return context ? context->threads : 1;
}

void hymgi_context_use_threads(hymg_context *context, int threads)
{
  context->threads = threads;
  context->team = hymgi_team_of(threads);
}

int hymg_context_nodes(const hymg_context *context)
{
  return context ? hymgi_comm_ranks(context->comm).nodes : 1;
}

hymg_status hymg_context_max(hymg_context *context, double *value)
{
  if (!context) return HYMG_EINVAL;
  const int rank = hymgi_comm_rank(context->comm), size = hymgi_comm_size(context->comm);
  double max[2] = {value ? *value : 0, value ? 0 : size - rank};
  TRY(hymgi_comm_max_double(context, context->comm, max, 2));
  if (max[1] > 0)
    return hymgi_fail(context, HYMG_EINVAL, "hymg_context_max: value is NULL on rank %d",
                      size - (int)max[1]);
  *value = max[0];
  return HYMG_OK;
}

hymg_status hymg_context_barrier(hymg_context *context)
{
  if (!context) return HYMG_EINVAL;
  return hymgi_comm_barrier(context, context->comm);
}

double hymgi_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
