/* Creating and destroying contexts, and the queries about devices. */
#include <stdlib.h>

#include "base/cpu.h"
#include "multigrid/backend.h"

#undef hymg_context_create /* the macro of callers, who check the header */

enum { MAX_THREADS = 4096 };

hymg_context_options hymg_context_options_default(void)
{
  return (hymg_context_options){.device = HYMG_DEVICE_SHARED, .wait_seconds = 600};
}

static hymg_status check(const hymg_context_options *options)
{
  if (!hymgi_cpu_has_all()) return HYMG_ECPU;
  if (!(options->wait_seconds >= 0) || options->wait_seconds > 1e9) return HYMG_EINVAL;
  if (options->threads < 0 || options->threads > MAX_THREADS) return HYMG_EINVAL;
  return options->device < HYMG_DEVICE_OWN ? HYMG_EINVAL : HYMG_OK;
}

/* Cells of a grid for which 64 cycles of its coarsest levels are little. */
enum { MATRIX_FROM = 64 * 64 * 64 };

hymg_status hymg_context_create(const hymg_context_options *options, hymg_context **context)
{
  const hymg_context_options o = options ? *options : hymg_context_options_default();
  if (!context) return HYMG_EINVAL;
  TRY(check(&o));
  hymg_context *c = calloc(1, sizeof *c);
  if (!c) return HYMG_ENOMEM;
  hymgi_context_use_threads(c, hymgi_backend_threads(o.threads, 1));
  c->waited = calloc((size_t)c->threads, sizeof *c->waited);
  if (!c->waited) {
    free(c);
    return HYMG_ENOMEM;
  }
  c->device = o.device;
  c->stream = o.stream;
  c->wait_seconds = o.wait_seconds;
  c->matrix_from = MATRIX_FROM;
  *context = c;
  return HYMG_OK;
}

void hymg_context_destroy(hymg_context **context)
{
  if (!context || !*context) return;
  if ((*context)->gpu) (*context)->close_gpu((*context)->gpu);
  hymgi_comm_destroy(&(*context)->comm);
  for (hymgi_choice *c = (*context)->choices, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  free((*context)->waited);
  free(*context);
  *context = NULL;
}

hymg_status hymg_device_count(hymg_context *context, int *count)
{
  if (!context) return HYMG_EINVAL;
  if (!count) return hymgi_fail(context, HYMG_EINVAL, "hymg_device_count: count is NULL");
  return hymgi_cuda_count(context, count);
}

hymg_status hymg_device_get(hymg_context *context, int ordinal, hymg_device_info *info)
{
  if (!context) return HYMG_EINVAL;
  if (!info) return hymgi_fail(context, HYMG_EINVAL, "hymg_device_get: info is NULL");
  return hymgi_cuda_device(context, ordinal, info);
}
