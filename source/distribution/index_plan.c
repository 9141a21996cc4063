/* The order of a copy by lists: receives are posted, then entries packed and sent, then those that stay are copied; what has
 * come is unpacked once all have. */
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

static hymg_status allocate(hymgi_index_plan *plan)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  const size_t words = hymgi_index_words(s), entries = (size_t)(s->out + s->in);
  plan->block = malloc((words + 1) * sizeof *plan->block);
  plan->buffer = malloc((entries + 1) * sizeof *plan->buffer);
  if (!plan->block || !plan->buffer)
    return hymgi_fail(plan->context, HYMG_ENOMEM, "no memory for lists of %.7g entries",
                      (double)words);
  hymgi_index_plan_bind(plan, plan->block);
  return hymgi_requests_create(plan->context, (int)(s->sends + s->receives), &plan->requests);
}

hymg_status hymgi_index_plan_create(hymg_context *context, const hymgi_index_sizes *sizes, int tag,
                                    hymgi_index_plan **plan)
{
  hymgi_index_plan *p = calloc(1, sizeof *p);
  if (!p) return hymgi_fail(context, HYMG_ENOMEM, "no memory for a plan");
  p->context = context, p->tag = tag, p->sizes = *sizes;
  const hymg_status status = allocate(p);
  if (status != HYMG_OK) hymgi_index_plan_destroy(&p);
  *plan = p;
  return status;
}

void hymgi_index_plan_destroy(hymgi_index_plan **plan)
{
  if (!*plan) return;
  hymgi_index_plan *const p = *plan;
  if (!hymgi_comm_is_stuck(p->context->comm)) free(p->buffer);
  hymgi_requests_destroy(&p->requests);
  free(p->block);
  free(p);
  *plan = NULL;
}

size_t hymgi_index_plan_bytes(const hymgi_index_plan *plan)
{
  if (!plan) return 0;
  return sizeof *plan + sizeof *plan->block * hymgi_index_words(&plan->sizes) +
         sizeof *plan->buffer * (size_t)(plan->sizes.out + plan->sizes.in);
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

void hymgi_index_plan_run(hymgi_index_plan *plan, const double *source, double *target)
{
  const hymgi_index_sizes *const s = &plan->sizes;
  double *const out = plan->buffer, *const in = plan->buffer + s->out;
  const int64_t *const own_from = plan->from + s->out, *const own_to = plan->to + s->in;
  post(plan, false, plan->receives, s->receives, in);
  for (int64_t m = 0; m < s->out; m++)
    out[m] = source[plan->from[m]];
  post(plan, true, plan->sends, s->sends, out);
  for (int64_t m = 0; m < s->own; m++)
    target[own_to[m]] = source[own_from[m]];
  note(plan, hymgi_comm_wait(plan->context, plan->requests));
  for (int64_t m = 0; m < s->in; m++)
    target[plan->to[m]] = in[m];
}
