/* Times of a level operation: single calls on the host, batches of enqueued calls on a GPU. */
#include "hymg-kernels/kernels.h"

enum {
  FIRST_KEY = 1024, /* above the keys of the solver's cycles */
  MOST_CALLS = 100
};

static const double batch_seconds = 1e-3;

static void run_calls(kernels_kit *kit, const kernels_operation *operation, kernels_batch batch)
{
  const hymgi_backend *backend = kit->fine->backend;
  if (batch.key) backend->begin_cycle(&kit->solver->h, batch.key);
  for (int call = 0; call < batch.calls; call++)
    operation->run(kit);
  if (batch.key) backend->end_cycle(&kit->solver->h);
  backend->sync(kit->context);
}

double kernels_batch_time(kernels_kit *kit, const kernels_operation *operation, kernels_batch batch)
{
  const double start = hymgi_seconds();
  run_calls(kit, operation, batch);
  return (hymgi_seconds() - start) / batch.calls;
}

/* The number of calls is even: smoothers that swap buffers then leave them as they were, and a
 * recording finds them again. */
kernels_batch kernels_batch_for(kernels_kit *kit, const kernels_operation *operation)
{
  kernels_batch batch = {.key = 0, .calls = 1};
  if (!kit->fine->backend->begin_cycle) return batch;
  batch.calls = 2;
  kernels_batch_time(kit, operation, batch);
  const double calls = batch_seconds / kernels_batch_time(kit, operation, batch);
  batch.calls = calls < 2 ? 2 : calls > MOST_CALLS ? MOST_CALLS : (int)(calls / 2) * 2;
  if (operation->target != KERNELS_IN_NUMBER) batch.key = FIRST_KEY + kit->recordings++;
  return batch;
}

double kernels_median_time(const kernels_options *o, kernels_kit *kit,
                           const kernels_operation *operation)
{
  times timed = {0};
  const kernels_batch batch = kernels_batch_for(kit, operation);
  run_calls(kit, operation, batch);
  while (times_wanted(&timed, o->repeat, o->seconds, KERNELS_TIMES)) {
    const double seconds = kernels_batch_time(kit, operation, batch);
    if (!times_add(&timed, seconds * batch.calls, batch.calls)) break;
  }
  const double median = times_median(&timed);
  times_free(&timed);
  return median;
}
