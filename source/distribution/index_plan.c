/* The order of a copy by lists: entries are packed, those that stay are copied, then messages are posted; what has come is
 * unpacked once all have. */
#include "distribution/index_plan.h"

#include <stdlib.h>

#include "comm/context.h"

void hymgi_index_plan_bind(hymgi_index_plan *plan, int64_t *block)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  plan->sends = block;
  plan->receives = plan->sends + 2 * s->sends;
  plan->from = plan->receives + 2 * s->receives;
  plan->to = plan->from + s->out + s->own;
}

static size_t buffer_doubles(const hymgi_index_sizes *s)
{
  return (size_t)(s->out + s->in);
}

static hymg_status allocate(hymgi_index_plan *plan)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  const size_t words = hymgi_index_words(s), entries = buffer_doubles(s);
  plan->block = malloc((words + 1) * sizeof *plan->block);
  if (!plan->block)
    return hymgi_fail(plan->context, HYMG_ENOMEM, "no memory for lists of %.7g entries",
                      (double)words);
  hymgi_index_plan_bind(plan, plan->block);
  if (entries) TRY(plan->by.buffers->alloc(plan->context, entries, &plan->buffer));
  return hymgi_requests_create(plan->context, (int)(s->sends + s->receives), &plan->requests);
}

hymg_status hymgi_index_plan_create(hymg_context *context, const hymgi_index_mover *by,
                                    const hymgi_index_sizes *sizes, int tag,
                                    hymgi_index_plan **plan)
{
  hymgi_index_plan *p = calloc(1, sizeof *p);
  if (!p) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a plan");
  p->context = context, p->by = *by, p->tag = tag, p->sizes = *sizes;
  const hymg_status status = allocate(p);
  if (status != HYMG_OK) hymgi_index_plan_destroy(&p);
  *plan = p;
  return status;
}

hymg_status hymgi_index_plan_share(hymgi_index_plan *plan)
{
  void *block = plan->block;
  const size_t bytes = (hymgi_index_words(&plan->sizes) + 1) * sizeof *plan->block;
  const hymg_status status = plan->by.share(plan->context, &block, bytes);
  plan->block = block;
  hymgi_index_plan_bind(plan, block);
  return status;
}

void hymgi_index_plan_destroy(hymgi_index_plan **plan)
{
  if (!*plan) return;
  hymgi_index_plan *const p = *plan;
  if (p->buffer && !hymgi_comm_is_stuck(p->context->comm))
    p->by.buffers->release(p->context, p->buffer, buffer_doubles(&p->sizes));
  hymgi_requests_destroy(&p->requests);
  if (p->block) p->by.unshare(p->block);
  free(p);
  *plan = NULL;
}

size_t hymgi_index_plan_bytes(const hymgi_index_plan *plan)
{
  if (!plan) return 0;
  return sizeof *plan + sizeof *plan->block * hymgi_index_words(&plan->sizes) +
         sizeof *plan->buffer * buffer_doubles(&plan->sizes);
}

static void note(hymgi_index_plan *plan, hymg_status status)
{
  if (plan->context->status == HYMG_OK) plan->context->status = status;
}

static void post(hymgi_index_plan *plan, bool sends, const int64_t *message, int64_t count,
                 double *buffer)
{
  for (int64_t m = 0; m < count; m++, message += 2) {
    note(plan, hymgi_comm_post(plan->context, plan->requests, sends, (int)message[0], plan->tag,
                               buffer, (size_t)message[1]));
    buffer += message[1];
  }
}

/* A GPU's copies are done before MPI sees the buffer, which the unpacking before them has read. */
static void pass(hymgi_index_plan *plan, double *out, double *in)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  const hymgi_mover *const mover = plan->by.mover;
  if (s->sends + s->receives == 0) return;
  if (mover->finish) mover->finish(plan->context);
  post(plan, false, plan->receives, s->receives, in);
  post(plan, true, plan->sends, s->sends, out);
  note(plan, hymgi_comm_wait(plan->context, plan->requests));
}

void hymgi_index_plan_run(hymgi_index_plan *plan, const double *source, double *target)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  const hymgi_index_mover *const by = &plan->by;
  double *const out = plan->buffer, *const in = plan->buffer + s->out;
  by->copy(plan->context, s->out, plan->from, NULL, source, out);
  by->copy(plan->context, s->own, plan->from + s->out, plan->to + s->in, source, target);
  pass(plan, out, in);
  by->copy(plan->context, s->in, NULL, plan->to, in, target);
}
